/* test_engine.c: what the rest of opgen asks of the engine and no template can show: functions handed in from C,
 * templates from memory, single blocks, a template rendered again and again with other data. */
#include "template/template.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct Bench {
    Arena arena;
    Names names;
    Diags diags;
    Engine *engine;
} Bench;

static int setup(void **state) {
    static Bench bench;
    arena_init(&bench.arena);
    names_init(&bench.names, &bench.arena);
    diags_init(&bench.diags, &bench.arena);
    EngineOptions options = {0};
    bench.engine = engine_new(&bench.arena, &bench.names, &bench.diags, &options);
    *state = &bench;
    return 0;
}

static int teardown(void **state) {
    arena_free(&((Bench *)*state)->arena);
    return 0;
}

static Template *compile(Bench *bench, const char *name, const char *text) {
    engine_add_text(bench->engine, str_c(name), str_c(text));
    return engine_load(bench->engine, str_c(name), (Span){0});
}

static Value data_of(Bench *bench, const char *json) {
    Source *source = source_new(&bench->arena, S("data.json"), str_c(json));
    return val_of_json(&bench->arena, json_parse(&bench->arena, &bench->names, source, &bench->diags));
}

static const char *findings(Bench *bench) {
    Buf out;
    buf_init(&out, &bench->arena);
    diags_render(&bench->diags, DIAG_TEXT, false, &out);
    return str_to_c(&bench->arena, buf_str(&out));
}

static void expect(Bench *bench, Template *template, const char *json, const char *wanted) {
    Str text;
    assert_non_null(template);
    if (!engine_render(bench->engine, template, data_of(bench, json), &bench->arena, &text))
        fail_msg("%s", findings(bench));
    assert_string_equal(str_to_c(&bench->arena, text), wanted);
}

/* ---- functions from C: what the generator's load and store will be */

typedef struct Holes {
    int loads;
} Holes;

static Value load(Run *run, const Value *a, void *user) {
    Holes *holes = user;
    holes->loads++;
    Buf out;
    buf_init(&out, run->arena);
    buf_format(&out, "%S[", val_text(val_to_str(run, a[0])));
    ValueIter it;
    Value part;
    bool first = true;
    for (val_iter(run, &it, a[1]); val_next(run, &it, &part); first = false)
        buf_format(&out, "%s%S", first ? "" : ", ", val_text(val_to_str(run, part)));
    buf_char(&out, ']');
    if (a[2].kind != V_MISSING)
        return val_format(run, "const float %S = %S;", val_text(val_to_str(run, a[2])), buf_str(&out));
    return val_str(run, buf_str(&out));
}

static Value refuse(Run *run, const Value *a, void *user) {
    (void)user;
    run_fail_as(run, E_RENDER, S("declare it in the template's holes"), "there is no hole %Q",
                val_text(val_to_str(run, a[0])));
}

static void functions_from_c(void **state) {
    Bench *bench = *state;
    Holes holes = {0};
    engine_add_function(bench->engine, "load", load, "name index into?", &holes);
    Template *template = compile(bench, "k",
                                 "{{ load('x', ['r', 'c']) }} {{ load(name='y', index=['i'], into='v') }}"
                                 "{% for i in range(3) %} {{ load('z', [i]) }}{% endfor %}");
    expect(bench, template, "{}", "x[r, c] const float v = y[i]; z[0] z[1] z[2]");
    assert_int_equal(holes.loads, 5);
    expect(bench,
           compile(bench, "in_macro",
                   "{% macro at(i) %}{{ load('x', [i]) }}{% endmacro %}{{ at(7) }}{{ load is callable }}"),
           "{}", "x[7]True");
}

static void data_goes_before_functions(void **state) {
    Bench *bench = *state;
    engine_add_function(bench->engine, "load", load, "name index into?", &(Holes){0});
    expect(bench, compile(bench, "t", "{{ load }}"), "{\"load\": 5}", "5");
}

static void errors_of_functions(void **state) {
    Bench *bench = *state;
    engine_add_function(bench->engine, "load", load, "name index into?", &(Holes){0});
    engine_add_function(bench->engine, "store", refuse, "name", NULL);
    Template *template = compile(bench, "k", "{{ load('x') }}\n{{ load('x', [1], inot='v') }}\n{{ store('q') }}");
    Str text;
    assert_false(engine_render(bench->engine, template, val_missing(), &bench->arena, &text));
    assert_string_equal(findings(bench), "k:1:4: error[E060]: load() is missing its argument \"index\"\n"
                                         "    1 | {{ load('x') }}\n"
                                         "      |    ^~~~~~~~~\n"
                                         "k:2:4: error[E060]: load() has no argument \"inot\"\n"
                                         "    2 | {{ load('x', [1], inot='v') }}\n"
                                         "      |    ^~~~~~~~~~~~~~~~~~~~~~~~ did you mean \"into\"?\n"
                                         "k:3:4: error[E060]: there is no hole \"q\"\n"
                                         "    3 | {{ store('q') }}\n"
                                         "      |    ^~~~~~~~~~ declare it in the template's holes\n");
}

/* ---- blocks */

static void one_block(void **state) {
    Bench *bench = *state;
    compile(bench, "base",
            "top{% block CALL %}call {{ uri }}{% endblock %}{% block DECL %}{{ self.CALL() }};{% endblock %}");
    Template *template =
        compile(bench, "k",
                "{% extends 'base' %}{% set uri = 'k_' ~ op %}{% macro twice(x) %}{{ x }}{{ x }}{% endmacro %}"
                "{% block FUNC %}{{ twice(uri) }}{% endblock %}{% block CALL %}<{{ super() }}>{% endblock %}");
    Name func = names_get(&bench->names, S("FUNC")), decl = names_get(&bench->names, S("DECL"));
    assert_true(template_has_block(template, func));
    assert_false(template_has_block(template, decl)); /* that is its parent's */
    Str text;
    Value data = data_of(bench, "{\"op\": \"exp\"}");
    assert_true(engine_render_block(bench->engine, template, func, data, &bench->arena, &text));
    assert_string_equal(str_to_c(&bench->arena, text), "k_expk_exp");
    assert_true(engine_render_block(bench->engine, template, decl, data, &bench->arena, &text));
    assert_string_equal(str_to_c(&bench->arena, text), "<call k_exp>;");
    assert_false(
        engine_render_block(bench->engine, template, names_get(&bench->names, S("NONE")), data, &bench->arena, &text));
    assert_string_equal(findings(bench), "k:1:185: error[E060]: the template has no block \"NONE\"\n"
                                         "    1 | ...}{% endblock %}{% block CALL %}<{{ super() }}>{% endblock %}\n"
                                         "      |                                                                ^\n");
}

static void keys_at_other_places(void **state) {
    Bench *bench = *state;
    Template *template = compile(bench, "t", "{% for r in rows %}{{ r.a }}{{ r.b|d('-') }} {% endfor %}");
    expect(bench, template,
           "{\"rows\": [{\"a\": 1, \"b\": 2}, {\"b\": 3, \"a\": 4}, {\"a\": 5}, {\"c\": 0, \"a\": 6, \"b\": 7}]}",
           "12 43 5- 67 ");
    expect(bench, template, "{\"rows\": [{\"b\": 8, \"a\": 9}]}", "98 ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(functions_from_c, setup, teardown),
        cmocka_unit_test_setup_teardown(data_goes_before_functions, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_of_functions, setup, teardown),
        cmocka_unit_test_setup_teardown(one_block, setup, teardown),
        cmocka_unit_test_setup_teardown(keys_at_other_places, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

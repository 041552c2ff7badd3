/* test_memory.c: templates that make long texts, in as much memory as they should need and with nothing in them spoilt;
 * and the limit on what they write.
 *
 * Each is rendered under a limit that leaves no room for a second copy of what it is about, and its output is compared
 * with a text that is put together here. */
#include "template/template.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MB = 1 << 20 };

typedef struct Bench {
    Arena arena;
    Names names;
    Diags diags;
    Buf wanted;
} Bench;

static int setup(void **state) {
    static Bench bench;
    arena_init(&bench.arena);
    names_init(&bench.names, &bench.arena);
    diags_init(&bench.diags, &bench.arena);
    buf_init(&bench.wanted, &bench.arena);
    *state = &bench;
    return 0;
}

static int teardown(void **state) {
    arena_free(&((Bench *)*state)->arena);
    return 0;
}

/* `text` is 100 times x. */
static void expect(Bench *bench, const char *template, size_t memory, bool autoescape) {
    EngineOptions options = {.limits.memory = memory, .autoescape = autoescape};
    Engine *engine = engine_new(&bench->arena, &bench->names, &bench->diags, &options);
    engine_add_text(engine, S("main"), str_c(template));
    Template *main = engine_load(engine, S("main"), (Span){0});
    Buf json, out;
    buf_init(&json, &bench->arena);
    buf_add(&json, S("{\"text\": \""));
    buf_fill(&json, 'x', 100);
    buf_add(&json, S("\"}"));
    Source *source = source_new(&bench->arena, S("data.json"), buf_str(&json));
    Value data = val_of_json(&bench->arena, json_parse(&bench->arena, &bench->names, source, &bench->diags));
    Str text = S("");
    if (main == NULL || !engine_render(engine, main, data, &bench->arena, &text)) {
        buf_init(&out, &bench->arena);
        diags_render(&bench->diags, DIAG_TEXT, false, &out);
        fail_msg("%.*s", STR_ARG(buf_str(&out)));
    }
    const Str wanted = buf_str(&bench->wanted);
    size_t i = 0;
    while (i < text.n && i < wanted.n && text.p[i] == wanted.p[i])
        i++;
    if (i != text.n || i != wanted.n)
        fail_msg("%zu bytes, not %zu; the first difference is at %zu", text.n, wanted.n, i);
}

static void want_x(Bench *bench, size_t n) { buf_fill(&bench->wanted, 'x', n); }

/* ---- texts that grow */

static void want_numbered(Bench *bench, int n) {
    for (int i = 0; i < n; i++)
        want_x(bench, 100), buf_int(&bench->wanted, i);
}

static void in_a_namespace(void **state) {
    Bench *bench = *state;
    want_numbered(bench, 20000);
    expect(bench,
           "{% set ns = namespace(s='') %}{% for i in range(20000) %}{% set ns.s = ns.s ~ text ~ i %}{% endfor %}"
           "{{ ns.s }}",
           32 * MB, false);
}

static void by_plus(void **state) {
    Bench *bench = *state;
    want_numbered(bench, 20000);
    expect(bench,
           "{% set ns = namespace(s='') %}{% for i in range(20000) %}{% set ns.s = ns.s + text + i|string %}"
           "{% endfor %}{{ ns.s }}",
           32 * MB, false);
}

static void by_a_macro(void **state) {
    Bench *bench = *state;
    want_numbered(bench, 20000);
    expect(bench,
           "{% set ns = namespace(s='') %}{% macro add(t) %}{% set ns.s = ns.s ~ t %}{% endmacro %}"
           "{% for i in range(20000) %}{{ add(text ~ i) }}{% endfor %}{{ ns.s }}",
           32 * MB, false);
}

/* What was taken of it before stays as it was, and may grow in a way of its own. */
static void in_several_ways(void **state) {
    Bench *bench = *state;
    for (int part = 0; part < 4; part++) {
        want_numbered(bench, part * 500 + 1);
        buf_add(&bench->wanted, S("\n"));
        want_numbered(bench, part * 500 + 1);
        buf_format(&bench->wanted, "fork %d\n", part);
    }
    for (int i = 0; i < 2000; i++)
        buf_int(&bench->wanted, i), want_x(bench, 10);
    buf_char(&bench->wanted, '\n');
    want_numbered(bench, 2000);
    expect(bench,
           "{% set ns = namespace(s='', t='') %}{% set old = [] %}{% set forks = [] %}{% for i in range(2000) %}"
           "{% set ns.s = ns.s ~ text ~ i %}{% set ns.t = ns.t ~ i ~ text[:10] %}"
           "{% if i % 500 == 0 %}{% do old.append(ns.s) %}"
           "{% do forks.append(ns.s ~ 'fork ' ~ i // 500) %}{% endif %}{% endfor %}"
           "{% for s in old %}{{ s }}\n{{ forks[loop.index0] }}\n{% endfor %}{{ ns.t }}\n{{ ns.s }}",
           64 * MB, false);
}

static void escaped(void **state) {
    Bench *bench = *state;
    for (int i = 0; i < 20000; i++)
        want_x(bench, 100), buf_add(&bench->wanted, S("<b>&lt;"));
    expect(bench,
           "{% set ns = namespace(s=''|safe) %}{% for i in range(20000) %}"
           "{% set ns.s = ns.s ~ text ~ '<b>'|safe ~ '<' %}{% endfor %}{{ ns.s }}",
           48 * MB, true);
}

/* ---- many short texts */

static void listed(void **state) {
    Bench *bench = *state;
    want_numbered(bench, 100000);
    expect(bench, "{% set l = [] %}{% for i in range(100000) %}{% do l.append(text ~ i) %}{% endfor %}{{ l|join }}",
           16 * MB, false);
}

static void formatted(void **state) {
    Bench *bench = *state;
    want_numbered(bench, 100000);
    expect(bench,
           "{% set l = [] %}{% for i in range(100000) %}{% do l.append('%s%d'|format(text, i)) %}{% endfor %}"
           "{{ l|join }}",
           16 * MB, false);
}

static void replaced(void **state) {
    Bench *bench = *state;
    buf_fill(&bench->wanted, 'y', 10000000);
    expect(bench,
           "{% set l = [] %}{% for i in range(100000) %}{% do l.append(text.replace('x', 'y')) %}{% endfor %}"
           "{{ l|join }}",
           16 * MB, false);
}

static void joined_numbers(void **state) {
    Bench *bench = *state;
    for (int i = 0; i < 1000000; i++) {
        if (i > 0) buf_add(&bench->wanted, S(", "));
        buf_int(&bench->wanted, i);
    }
    expect(bench, "{{ range(1000000)|join(', ') }}", MB / 4, false);
}

/* ---- long texts that are written and gone */

static void upper(void **state) {
    Bench *bench = *state;
    buf_fill(&bench->wanted, 'X', 3000000);
    buf_add(&bench->wanted, S("-"));
    buf_fill(&bench->wanted, 'X', 3000000);
    expect(bench, "{{ (text * 30000)|upper }}-{% filter upper %}{{ text * 30000 }}{% endfilter %}", 13 * MB, false);
}

/* A text that a variable has is not given back when it is written, whatever it went through. */
static void kept(void **state) {
    Bench *bench = *state;
    for (int i = 0; i < 7; i++)
        buf_fill(&bench->wanted, 'X', 2000000);
    buf_add(&bench->wanted, S("2000000"));
    expect(bench,
           "{% set x = (text * 20000)|upper %}{{ x|string }}{{ x }}{{ x ~ '' }}{{ x + '' }}{{ x.strip() }}"
           "{{ x if x else text|lower }}{{ x|trim }}{{ x|length }}",
           64 * MB, false);
}

static void long_and_escaped(void **state) {
    Bench *bench = *state;
    for (int i = 0; i < 500000; i++)
        buf_add(&bench->wanted, S("&lt;X&gt;"));
    for (int i = 0; i < 500000; i++)
        buf_add(&bench->wanted, S("<x>"));
    expect(bench, "{{ ('<x>' * 500000)|upper }}{{ ('<x>' * 500000)|safe }}", 32 * MB, true);
}

static void captured(void **state) {
    Bench *bench = *state;
    for (int i = 0; i < 3; i++) {
        buf_fill(&bench->wanted, 'x', 4000000);
        buf_add(&bench->wanted, S("."));
    }
    expect(bench,
           "{% macro m() %}{% for i in range(40000) %}{{ text }}{% endfor %}{% endmacro %}"
           "{% set s %}{{ m() }}{% endset %}{{ s }}.{{ m() }}.{% set t = m() %}{{ t }}.",
           32 * MB, false);
}

/* ---- the limit on output holds to the byte, however it is written */

static bool renders(Bench *bench, const char *template, size_t output, size_t *n) {
    EngineOptions options = {.limits.output = output};
    Engine *engine = engine_new(&bench->arena, &bench->names, &bench->diags, &options);
    engine_add_text(engine, S("main"), str_c(template));
    Str text = S("");
    const bool ok =
        engine_render(engine, engine_load(engine, S("main"), (Span){0}), val_missing(), &bench->arena, &text);
    *n = text.n;
    return ok;
}

static void limited(void **state) {
    Bench *bench = *state;
    static const char *const templates[] = {
        "abc",
        "{% for i in range(1827) %}a text, and another one: {{ i }}.{% endfor %}",
        "{% for i in range(5000)|list %}{{ i }}{% endfor %}",
        "{% for i in range(5000) %}{{ i }}{% endfor %}",
        "{{ range(5000)|join(', ') }}",
        "{{ range(5000)|list }}",
        "{{ ('xyz' * 500000)|upper }}",
        "{{ ('xyz' * 5000)|upper ~ 'a' }}",
        "{% filter upper %}{% for i in range(5000) %}{{ i }}{% endfor %}{% endfilter %}",
        "{% block b %}{% for i in range(5000) %}{{ i / 8 }}{% endfor %}{% endblock %}",
        "{% macro m() %}{% for i in range(5000) %}{{ i }}{% endfor %}{% endmacro %}{{ m() }}",
    };
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
        size_t n, ignored;
        if (!renders(bench, templates[i], 0, &n)) fail_msg("%s fails", templates[i]);
        if (!renders(bench, templates[i], n, &ignored)) fail_msg("%s fails where %zu are allowed", templates[i], n);
        const uint32_t before = bench->diags.errors;
        if (renders(bench, templates[i], n - 1, &ignored) || bench->diags.errors != before + 1)
            fail_msg("%s gives %zu bytes where %zu are allowed", templates[i], ignored, n - 1);
        assert_int_equal(bench->diags.items.items[bench->diags.items.n - 1]->code, E_LIMIT);
    }
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(in_a_namespace), TEST(by_plus),          TEST(by_a_macro), TEST(in_several_ways), TEST(escaped),
        TEST(listed),         TEST(formatted),        TEST(replaced),   TEST(joined_numbers),  TEST(upper),
        TEST(kept),           TEST(long_and_escaped), TEST(captured),   TEST(limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

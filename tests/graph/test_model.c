/* test_model.c: models, good and bad: what is read, and what is said about each mistake, pinned whole.
 *
 * cases.txt holds them: a line `=== name`, the model, a line `---`, and what comes out: the graph as text, or findings,
 * or both where there are warnings. ops.json has the operators, so that nothing here hangs on opdefs/.
 */
#include "graph/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "fixture.h"

static Str read_and_show(Arena *arena, Ops *ops, Str text) {
    Diags diags;
    diags_init(&diags, arena);
    Buf out;
    buf_init(&out, arena);
    const Graph *graph = fixture_read(arena, ops, text, &diags);
    if ((graph == NULL) != (diags.errors > 0)) buf_add(&out, S("a graph in spite of errors, or none without\n"));
    if (graph != NULL) {
        graph_dump(graph, &out);
        Diags broken;
        diags_init(&broken, arena);
        if (!graph_check(graph, &broken)) diags_render(&broken, DIAG_TEXT, false, &out);
    }
    diags_render(&diags, DIAG_TEXT, false, &out);
    return buf_str(&out);
}

/* The text up to a line that begins with `mark`, which is taken as well; its rest goes to *line. */
static Str section(Str *rest, Str mark, Str *line) {
    for (size_t at = 0; at < rest->n;) {
        size_t end = at;
        while (end < rest->n && rest->p[end] != '\n')
            end++;
        Str here = str_sub(*rest, at, end);
        if (str_starts(here, mark)) {
            Str before = str_sub(*rest, 0, at);
            *line = str_sub(here, mark.n, here.n);
            *rest = str_sub(*rest, end < rest->n ? end + 1 : end, rest->n);
            return before;
        }
        at = end + 1;
    }
    Str all = *rest;
    *rest = S("");
    *line = S("");
    return all;
}

/* Line by line: cmocka cuts what is long. */
static void tell(Str text) {
    while (text.n > 0) {
        size_t end = str_find_char(text, '\n');
        print_error("%.*s\n", (int)(end == STR_NONE ? text.n : end), text.p);
        text = str_sub(text, end == STR_NONE ? text.n : end + 1, text.n);
    }
}

static void cases(void **state) {
    Arena *arena = *state;
    Diags diags;
    diags_init(&diags, arena);
    const Source *file = file_read_text(arena, S("tests/graph/cases.txt"), (Span){0}, &diags);
    assert_non_null(file);
    Str rest = file->text, name, none;
    unsigned n = 0, failed = 0;
    section(&rest, S("=== "), &name);
    while (rest.n > 0) {
        Str next, model = section(&rest, S("---"), &none), wanted = section(&rest, S("=== "), &next);
        Arena room;
        arena_init(&room);
        Ops ops; /* new for each, because what shows a place in them remembers their lines */
        fixture_ops(&room, &ops);
        Str got = read_and_show(&room, &ops, model);
        if (!str_eq(got, wanted)) {
            failed++;
            print_error("=== %.*s\n", STR_ARG(name));
            tell(model), tell(S("---\n")), tell(got), tell(S("instead of\n")), tell(wanted);
        }
        arena_free(&room);
        name = next;
        n++;
    }
    assert_int_equal(failed, 0);
    assert_true(n > 80);
}

/* ---- what is too large to be written down as a case */

static Str chain(Arena *arena, unsigned n, bool shuffled) {
    Buf out;
    buf_init(&out, arena);
    buf_add(
        &out,
        S("{\"opgen\": 1, \"name\": \"m\", \"dims\": {\"n\": {}}, \"inputs\": {\"t0\": {\"dtype\": \"f32\", \"shape\": "
          "[\"n\", 8]}}, \"nodes\": ["));
    for (unsigned i = 0; i < n; i++) {
        /* 7919 is prime, so that every number comes once. */
        unsigned k = shuffled ? (unsigned)((uint64_t)i * 7919 % n) : i;
        buf_format(&out, "%s{\"op\": \"relu\", \"in\": \"t%u\", \"out\": \"t%u\"}", i > 0 ? "," : "", k, k + 1);
    }
    buf_format(&out, "], \"outputs\": [\"t%u\"]}", n);
    return buf_str(&out);
}

static void long_chains(void **state) {
    Arena *arena = *state;
    Ops ops;
    fixture_ops(arena, &ops);
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        Diags diags;
        diags_init(&diags, arena);
        const Graph *graph = fixture_read(arena, &ops, chain(arena, 20000, shuffled), &diags);
        assert_non_null(graph);
        assert_int_equal(graph->nodes.n, 20000);
        assert_true(graph_check(graph, &diags));
        for (uint32_t i = 0; i < graph->nodes.n; i++)
            assert_true(graph->nodes.items[i]->inputs[0][0] ==
                        (i == 0 ? graph->inputs.items[0] : graph->nodes.items[i - 1]->outputs[0]));
        assert_int_equal(diags.errors + diags.warnings, 0);
    }
}

/* A chain whose first node reads the last one's result. */
static void long_cycle(void **state) {
    Arena *arena = *state;
    Ops ops;
    fixture_ops(arena, &ops);
    Buf text;
    buf_init(&text, arena);
    buf_add(&text, S("{\"opgen\": 1, \"name\": \"m\", \"nodes\": ["));
    for (unsigned i = 0; i < 20000; i++)
        buf_format(&text, "%s{\"op\": \"relu\", \"in\": \"t%u\", \"out\": \"t%u\"}", i > 0 ? ",\n" : "", i,
                   (i + 1) % 20000);
    buf_add(&text, S("], \"outputs\": [\"t1\"]}"));
    Diags diags;
    diags_init(&diags, arena);
    assert_null(fixture_read(arena, &ops, buf_str(&text), &diags));
    assert_int_equal(diags.errors, 1);
    assert_int_equal(diags.items.items[0]->code, E_CYCLE);
    Str wanted = S("nodes wait for each other in a circle: \"t1\" -> \"t2\" -> \"t3\" -> \"t4\" -> \"t5\" -> \"t6\" -> "
                   "\"t7\" -> \"t8\" "
                   "and 19992 more");
    assert_true(str_eq(diags.items.items[0]->text, wanted));
}

/* Composites that double each other end in a finding, soon. */
static void doubling(void **state) {
    Arena *arena = *state;
    Ops ops;
    fixture_ops(arena, &ops);
    Buf text;
    buf_init(&text, arena);
    buf_add(&text, S("{\"ops\": ["));
    for (int i = 0; i < 40; i++) {
        char inner[16];
        snprintf(inner, sizeof inner, i == 0 ? "relu" : "d%d", i - 1);
        buf_format(
            &text,
            "%s{\"op\": \"d%d\", \"kind\": \"composite\", \"inputs\": [\"x\"], \"outputs\": [\"y\"], \"steps\": "
            "[{\"op\": \"%s\", \"in\": [\"x\"], \"out\": \"z\"}, {\"op\": \"%s\", \"in\": [\"z\"], \"out\": \"y\"}]}",
            i > 0 ? "," : "", i, inner, inner);
    }
    buf_add(&text, S("]}"));
    Diags diags;
    diags_init(&diags, arena);
    assert_true(optable_read(&ops.table, source_new(arena, S("doubling.json"), buf_str(&text)), &diags));
    Str good = S("{\"opgen\": 1, \"name\": \"m\", \"inputs\": {\"x\": {\"dtype\": \"f32\", \"shape\": [4]}}, "
                 "\"nodes\": [{\"op\": "
                 "\"d9\", \"in\": \"x\", \"out\": \"y\"}], \"outputs\": [\"y\"]}");
    const Graph *graph = fixture_read(arena, &ops, good, &diags);
    assert_non_null(graph);
    assert_int_equal(graph->nodes.n, 1024);
    assert_true(graph_check(graph, &diags));
    Str bad = S("{\"opgen\": 1, \"name\": \"m\", \"inputs\": {\"x\": {\"dtype\": \"f32\", \"shape\": [4]}}, \"nodes\": "
                "[{\"op\": "
                "\"d39\", \"in\": \"x\", \"out\": \"y\"}], \"outputs\": [\"y\"]}");
    assert_null(fixture_read(arena, &ops, bad, &diags));
    assert_int_equal(diags.errors, 1);
    assert_true(str_eq(diags.items.items[0]->text, S("this node expands to more than 65536 steps")));
}

/* Thousands of mistakes of the kind that looks for suggestions. */
static void many_mistakes(void **state) {
    Arena *arena = *state;
    Ops ops;
    fixture_ops(arena, &ops);
    Buf text;
    buf_init(&text, arena);
    buf_add(&text, S("{\"opgen\": 1, \"name\": \"m\", \"nodes\": ["));
    for (unsigned i = 0; i < 5000; i++)
        buf_format(&text, "%s{\"op\": \"relu\", \"in\": \"missing%u\", \"out\": \"t%u\"}", i > 0 ? "," : "", i, i);
    buf_add(&text, S("], \"outputs\": [\"t1\"]}"));
    Diags diags;
    diags_init(&diags, arena);
    assert_null(fixture_read(arena, &ops, buf_str(&text), &diags));
    assert_int_equal(diags.errors, 5000);
}

/* ---- memory that runs out */

static Str swept(void) {
    return S("{\"opgen\": 1, \"name\": \"m\", \"dims\": {\"n\": {\"max\": 64}}, \"inputs\": {\"x\": {\"dtype\": "
             "\"f32\", \"shape\": [\"n\", 8]}},"
             "\"params\": {\"w1\": {\"dtype\": \"f32\", \"shape\": [16, 8]}, \"w2\": {\"dtype\": \"f32\", \"shape\": "
             "[8, 16]}},"
             "\"tensors\": {\"y\": {\"shape\": [\"n\\u0020+ 0\", 8]}},"
             "\"nodes\": [{\"op\": \"block\", \"in\": [\"h\", \"w1\", \"w2\"], \"out\": \"y\"}, {\"op\": \"relu\", "
             "\"in\": \"x\", \"out\": \"h\"}],"
             "\"outputs\": [\"y\"]}");
}

static bool sweep_one(uint64_t nth, Str text, bool good) {
    Arena arena;
    arena_init(&arena);
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        mem_fail_at(0);
        arena_free(&arena);
        return false;
    }
    Ops ops;
    fixture_ops(&arena, &ops);
    Diags diags;
    diags_init(&diags, &arena);
    mem_fail_at(nth);
    const Graph *graph = fixture_read(&arena, &ops, text, &diags);
    mem_fail_at(0);
    mem_untrap(&trap);
    assert_int_equal(graph != NULL, good);
    assert_int_equal(diags.errors == 0, good);
    arena_free(&arena);
    return true;
}

static void allocation_sweep(void **state) {
    Arena *arena = *state;
    const struct {
        Str text;
        bool good;
    } models[] = {{swept(), true}, {chain(arena, 500, true), true}, {S("{\"opgen\": 2, \"nodes\": [{}]}"), false}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        uint64_t nth = 1;
        while (!sweep_one(nth, models[i].text, models[i].good))
            nth++;
        assert_true(nth > 2);
        assert_true(sweep_one(0, models[i].text, models[i].good));
    }
}

static int make_arena(void **state) {
    static Arena arena;
    arena_init(&arena);
    *state = &arena;
    return 0;
}

static int drop_arena(void **state) {
    arena_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cases, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(long_chains, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(long_cycle, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(doubling, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(many_mistakes, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(allocation_sweep, make_arena, drop_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

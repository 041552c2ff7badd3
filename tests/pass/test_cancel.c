/* test_cancel: chains of views and conversions: what goes, what stays, and how long that takes. */
#include "chain.h"

#include <time.h>

static void expect(const char *model, const char *wanted) {
    World world;
    world_init(&world);
    Str got = world_show(&world, world_run(&world, model, PASS_BIT(PASS_CANCEL)));
    if (!str_eq(got, str_c(wanted))) fail_msg("%s\ngot:    %.*s\nwanted: %s", model, STR_ARG(got), wanted);
    arena_free(&world.arena);
}

#define IN(dtype, shape) "'inputs': {'x': {'dtype': '" dtype "', 'shape': " shape "}}, 'nodes': ["
#define OUT(names) "], 'outputs': [" names "]"
/* One operator over x or the one before, with these attributes. */
#define OP(op, in, attrs, out) "{'op': '" op "', 'in': ['" in "'], 'attrs': {" attrs "}, 'out': '" out "'}"
#define NEG(in) ", {'op': 'neg', 'in': ['" in "'], 'out': 'y'}"
/* Two operators of which the second undoes the first, or does not, and one that reads the result. */
#define TWO(dtype, shape, op1, attrs1, op2, attrs2)                                                                    \
    IN(dtype, shape) OP(op1, "x", attrs1, "a") ", " OP(op2, "a", attrs2, "b") NEG("b") OUT("'y'")
#define ONE(dtype, shape, op, attrs) IN(dtype, shape) OP(op, "x", attrs, "a") NEG("a") OUT("'y'")

static const char gone[] = "y = neg(x) -> y";

static void views_that_undo_each_other(void **state) {
    (void)state;
    expect(TWO("f32", "['n', 3, 4]", "transpose", "'dim0': 0, 'dim1': 2", "transpose", "'dim0': -1, 'dim1': 0"), gone);
    expect(TWO("f32", "['n', 3, 4]", "permute", "'dims': [2, 0, 1]", "permute", "'dims': [1, 2, 0]"), gone);
    expect(TWO("f32", "['n', 3, 4]", "movedim", "'source': 0, 'destination': 2", "movedim",
               "'source': 2, 'destination': 0"),
           gone);
    expect(TWO("i64", "['n', 6, 4]", "reshape", "'shape': ['n*6', 4]", "reshape", "'shape': ['n', 6, 4]"), gone);
    expect(TWO("i64", "['n', 6, 4]", "flatten", "", "view", "'shape': [-1, 6, 4]"), gone);
    expect(TWO("f16", "['n', 3]", "flip", "'dims': [0, 1]", "flip", "'dims': [0, 1]"), gone);
    expect(TWO("f32", "['n', 3]", "unsqueeze", "'dim': 1", "squeeze", "'dim': 1"), gone);
    expect(TWO("f32", "['n', 3]", "transpose", "'dim0': 0, 'dim1': 1", "permute", "'dims': [1, 0]"), gone);
    expect(TWO("f32", "['n', 3]", "pad", "'pad': [0, 2], 'value': 7.5", "narrow", "'dim': 1, 'start': 0, 'length': 3"),
           gone);
    expect(TWO("f32", "[1, 3]", "expand", "'size': [4, 3]", "slice", "'end': 1"), gone);
    /* Four, of which no two neighbours undo each other. */
    expect(IN("f32", "['n', 3, 4]")
               OP("transpose", "x", "'dim0': 0, 'dim1': 1", "a") ", " OP("flip", "a", "'dims': [0]", "b") ", " OP(
                   "transpose", "b", "'dim0': 0, 'dim1': 1", "c") ", " OP("flip", "c", "'dims': [1]", "d") NEG("d")
                   OUT("'y'"),
           gone);
}

static void views_that_do_nothing(void **state) {
    (void)state;
    expect(ONE("f32", "['n', 3]", "slice", "'dim': 1"), gone);
    expect(ONE("f32", "['n', 3]", "pad", "'pad': [0, 0, 0, 0]"), gone);
    expect(ONE("f32", "['n', 3]", "contiguous", ""), gone);
    expect(ONE("f32", "['n', 3]", "squeeze", ""), gone);
    expect(ONE("f32", "['n', 3]", "expand", "'size': [-1, 3]"), gone);
    expect(ONE("f32", "['n', 3]", "narrow", "'dim': 0, 'start': 0, 'length': 'n'"), gone);
    expect(ONE("f32", "['n', 3]", "transpose", "'dim0': 1, 'dim1': -1"), gone);
}

static void views_that_stay(void **state) {
    (void)state;
    const char *left = "a = transpose(x); b = transpose(a); y = neg(b) -> y";
    expect(TWO("f32", "[4, 4, 4]", "transpose", "'dim0': 0, 'dim1': 2", "transpose", "'dim0': 0, 'dim1': 1"), left);
    expect(TWO("f32", "['n', 3]", "flip", "'dims': [0]", "flip", "'dims': [1]"),
           "a = flip(x); b = flip(a); y = neg(b) -> y");
    expect(TWO("f32", "[4, 6]", "reshape", "'shape': [6, 4]", "transpose", "'dim0': 0, 'dim1': 1"),
           "a = reshape(x); b = transpose(a); y = neg(b) -> y");
    expect(TWO("f32", "['n', 3]", "pad", "'pad': [1, 1]", "narrow", "'dim': 1, 'start': 0, 'length': 3"),
           "a = pad(x); b = narrow(a); y = neg(b) -> y");
    expect(ONE("f32", "[4, 3]", "slice", "'dim': 0, 'step': 2"), "a = slice(x); y = neg(a) -> y");
    expect(ONE("f32", "['n', 3]", "pad", "'pad': [1, 1]"), "a = pad(x); y = neg(a) -> y");
}

static void others_keep_what_they_read(void **state) {
    (void)state;
    expect(IN("f32", "['n', 3]")
               OP("transpose", "x", "'dim0': 0, 'dim1': 1", "a") ", " OP("transpose", "a", "'dim0': 0, 'dim1': 1", "b")
                   NEG("b") ", " OP("abs", "a", "", "z") OUT("'y', 'z'"),
           "a = transpose(x); y = neg(x); z = abs(a) -> y z");
    /* A part of what was put together. */
    expect("'inputs': {'x': {'dtype': 'f32', 'shape': ['n', 3]}, 'w': {'dtype': 'f32', 'shape': ['n', 5]}}, 'nodes': ["
           "{'op': 'cat', 'in': [['w', 'x']], 'attrs': {'dim': 1}, 'out': 'a'}, " OP(
               "narrow", "a", "'dim': 1, 'start': 5, 'length': 3", "b") NEG("b") ", " OP("abs", "w", "", "z")
               OUT("'y', 'z'"),
           "y = neg(x); z = abs(w) -> y z");
}

static void maps_that_do_nothing(void **state) {
    (void)state;
    expect(ONE("f32", "['n', 3]", "clone", ""), gone);
    expect(ONE("bf16", "['n', 3]", "cast", "'dtype': 'bf16'"), gone);
    expect(ONE("i32", "['n', 3]", "ceil", ""), gone);
    expect(ONE("i32", "['n', 3]", "round", ""), gone);
    expect(ONE("f32", "['n', 3]", "ceil", ""), "a = ceil(x); y = neg(a) -> y");
    expect(ONE("f32", "['n', 3]", "relu", ""), "a = relu(x); y = neg(a) -> y");
    expect(ONE("f32", "['n', 3]", "nan_to_num", ""), "a = nan_to_num(x); y = neg(a) -> y");
    expect(ONE("f32", "['n', 3]", "tril", ""), "a = tril(x); y = neg(a) -> y");
}

#define CASTS(from, middle, to) TWO(from, "['n', 3]", "cast", "'dtype': '" middle "'", "cast", "'dtype': '" to "'")
static const char both[] = "a = cast(x); b = cast(a); y = neg(b) -> y", one[] = "b = cast(x); y = neg(b) -> y";

static void conversions(void **state) {
    (void)state;
    expect(CASTS("f16", "f32", "f16"), gone);
    expect(CASTS("bf16", "f32", "bf16"), gone);
    expect(CASTS("f32", "f64", "f32"), gone);
    expect(CASTS("i8", "i32", "i8"), gone);
    expect(CASTS("u8", "i16", "u8"), gone);
    expect(CASTS("i16", "f32", "i16"), gone);
    expect(CASTS("i32", "f64", "i32"), gone);
    expect(CASTS("u8", "bf16", "u8"), gone);
    expect(CASTS("i8", "i32", "f32"), one);
    expect(CASTS("f16", "f32", "i32"), one);
    expect(CASTS("f16", "f32", "bf16"), one);
    expect(CASTS("i32", "f64", "f16"), one);
    /* The middle does not hold all of the first. */
    expect(CASTS("f32", "f16", "f32"), both);
    expect(CASTS("f16", "bf16", "f16"), both);
    expect(CASTS("bf16", "f16", "bf16"), both);
    expect(CASTS("i32", "i8", "i32"), both);
    expect(CASTS("u8", "i8", "u8"), both);
    expect(CASTS("i8", "u8", "i8"), both);
    expect(CASTS("i32", "f32", "i32"), both);
    expect(CASTS("i64", "f64", "i64"), both);
    expect(CASTS("u16", "f16", "u16"), both);
    expect(CASTS("f32", "i64", "f32"), both);
    expect(CASTS("i16", "bool", "i16"), both);
    /* What is out of an integer's range is the backend's, for each dtype. */
    expect(CASTS("f32", "f64", "i32"), both);
    expect(CASTS("u32", "f64", "i8"), both);
    expect(CASTS("i32", "f64", "u32"), both);
    expect(CASTS("u8", "f32", "i16"), one);
    /* Booleans: neg takes none. */
    expect(IN("bool", "[3]") OP("cast", "x", "'dtype': 'u8'", "a") ", " OP("cast", "a", "'dtype': 'bool'", "b") ", " OP(
               "logical_not", "b", "", "y") OUT("'y'"),
           "y = logical_not(x) -> y");
    /* Three in a row, each wider. */
    expect(IN("i8", "[3]") OP("cast", "x", "'dtype': 'i16'", "a") ", " OP("cast", "a", "'dtype': 'i32'", "b") ", " OP(
               "cast", "b", "'dtype': 'i64'", "c") NEG("c") OUT("'y'"),
           "c = cast(x); y = neg(c) -> y");
}

static void outputs(void **state) {
    (void)state;
    expect(IN("f32", "[3]") OP("clone", "x", "", "y") OUT("'y'"), "-> x");
    expect(IN("f32", "[3]") OP("neg", "x", "", "y") ", " OP("clone", "y", "", "z") OUT("'y', 'z'"),
           "y = neg(x) -> y y");
    expect(IN("f32", "[3]") OP("neg", "x", "", "t") ", " OP("clone", "t", "", "z") OUT("'z'"), "z = neg(x) -> z");
    expect(IN("i8", "[3]") OP("cast", "x", "'dtype': 'i16'", "a") ", " OP("cast", "a", "'dtype': 'i32'", "b")
               OUT("'b'"),
           "b = cast(x) -> b");
    /* What it is called outside stays. */
    World world;
    world_init(&world);
    const Graph *graph =
        world_run(&world, IN("f32", "[3]") OP("clone", "x", "", "y") ", " OP("clone", "y", "", "z") OUT("'y', 'z'"),
                  PASS_BIT(PASS_CANCEL));
    assert_int_equal(graph->nodes.n, 0);
    assert_string_equal(graph->output_names.items[0]->p, "y");
    assert_string_equal(graph->output_names.items[1]->p, "z");
    arena_free(&world.arena);
}

/* What is changed in place is no longer what it was: nobody is sent to read it later, and its copy is not it. */
static void operators_in_place(void **state) {
    (void)state;
    expect(IN("f32", "[3]") OP("clone", "x", "", "a") ", " OP(
               "relu_", "a", "", "b") ", "
                                      "{'op': 'add', 'in': ['b', 'x'], 'out': 'y'}" OUT("'y'"),
           "a = clone(x); b = relu_(a); y = add(b, x) -> y");
    expect(IN("f32", "[3]") OP("clone", "x", "", "a") ", " OP(
               "relu_", "x", "", "b") ", "
                                      "{'op': 'add', 'in': ['b', 'a'], 'out': 'y'}" OUT("'y'"),
           "a = clone(x); b = relu_(x); y = add(b, a) -> y");
    expect(IN("f32", "[4, 3]") OP("transpose", "x", "'dim0': 0, 'dim1': 1", "a") ", " OP(
               "transpose", "a", "'dim0': 0, 'dim1': 1",
               "b") ", " OP("relu_", "x", "", "c") ", "
                                                   "{'op': 'add', 'in': ['b', 'c'], 'out': 'y'}" OUT("'y'"),
           "a = transpose(x); b = transpose(a); c = relu_(x); y = add(b, c) -> y");
    expect(IN("f16", "[3]") OP("cast", "x", "'dtype': 'f32'", "a") ", " OP("cast", "a", "'dtype': 'f16'", "b") ", " OP(
               "relu_", "b", "", "y") OUT("'y'"),
           "a = cast(x); b = cast(a); y = relu_(b) -> y");
}

/* Nodes that nobody reads are another pass's. */
static void what_was_dead_stays(void **state) {
    (void)state;
    expect(IN("f32", "[3]") OP("clone", "x", "", "a") ", " OP("neg", "x", "", "y") OUT("'y'"),
           "a = clone(x); y = neg(x) -> y");
}

/* ---- long chains */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double time_chain(uint32_t n, const char *node, const char *dtype, uint32_t left) {
    World world;
    world_init(&world);
    Buf text;
    buf_init(&text, &world.arena);
    buf_format(&text, "'inputs': {'x0': {'dtype': '%s', 'shape': [2, 100]}}, 'nodes': [", dtype);
    for (uint32_t i = 0; i < n; i++) {
        buf_format(&text, i > 0 ? ", " : "");
        buf_format(&text, node, i % 2 == 0 ? "f32" : dtype, (unsigned)i, (unsigned)i + 1);
    }
    buf_format(&text, "], 'outputs': ['x%u']%c", (unsigned)n, 0);
    Graph *graph = world_read(&world, text.p);
    double from = now();
    assert_true(passes_run(graph, PASS_ALL & ~PASS_BIT(PASS_CANCEL), NULL, NULL));
    double took = now() - from;
    assert_int_equal(graph->nodes.n, left);
    arena_free(&world.arena);
    return took;
}

static void ten_times_the_nodes(void **state) {
    (void)state;
    static const char *const nodes[] = {
        "{'op': 'transpose', 'doc': '%s', 'in': ['x%u'], 'attrs': {'dim0': 0, 'dim1': 1}, 'out': 'x%u'}",
        "{'op': 'roll', 'doc': '%s', 'in': ['x%u'], 'attrs': {'shifts': [1], 'dims': [1]}, 'out': 'x%u'}",
        "{'op': 'cast', 'attrs': {'dtype': '%s'}, 'in': ['x%u'], 'out': 'x%u'}",
    };
    for (uint32_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        bool stays = i == 1;
        double few = 1e9;
        for (int k = 0; k < 3; k++) {
            double took = time_chain(1000, nodes[i], "f16", stays ? 1000 : 0);
            if (took < few) few = took;
        }
        double many = time_chain(10000, nodes[i], "f16", stays ? 10000 : 0);
        if (many > 25 * few + 0.02) fail_msg("%s: %.4f s for 1000, %.4f s for 10000", nodes[i], few, many);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_that_undo_each_other),
        cmocka_unit_test(views_that_do_nothing),
        cmocka_unit_test(views_that_stay),
        cmocka_unit_test(others_keep_what_they_read),
        cmocka_unit_test(maps_that_do_nothing),
        cmocka_unit_test(conversions),
        cmocka_unit_test(outputs),
        cmocka_unit_test(operators_in_place),
        cmocka_unit_test(what_was_dead_stays),
        cmocka_unit_test(ten_times_the_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

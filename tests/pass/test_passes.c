/* test_passes: the table of passes; and "dead" and "same": they fire where they should, and nowhere else. */
#include "chain.h"

#include <time.h>

static void expect(PassSet set, const char *model, const char *wanted) {
    World world;
    world_init(&world);
    Str got = world_show(&world, world_run(&world, model, set));
    if (!str_eq(got, str_c(wanted))) fail_msg("%s\ngot:    %.*s\nwanted: %s", model, STR_ARG(got), wanted);
    arena_free(&world.arena);
}

#define DEAD(nodes, outputs, wanted) expect(PASS_BIT(PASS_DEAD), IN nodes OUT(outputs), wanted)
#define SAME(nodes, outputs, wanted) expect(PASS_BIT(PASS_SAME), IN nodes OUT(outputs), wanted)
#define IN                                                                                                             \
    "'inputs': {'x': {'dtype': 'f32', 'shape': ['n', 6]}, 'z': {'dtype': 'f32', 'shape': ['n', 6]}, 'k': {'dtype': "   \
    "'f32', 'shape': [6], 'mutable': true}}, 'params': {'w': {'dtype': 'f32', 'shape': [6]}}, 'nodes': ["
#define OUT(names) "], 'outputs': [" names "]"
#define MAP(op, in, out) "{'op': '" op "', 'in': [" in "], 'out': '" out "'}"
#define WITH(op, in, attrs, out) "{'op': '" op "', 'in': [" in "], 'attrs': {" attrs "}, 'out': '" out "'}"

/* ---- the table */
static void the_table(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    Buf names;
    buf_init(&names, &arena);
    for (PassId id = 0; id < PASS_COUNT; id++) {
        assert_non_null(passes[id].name);
        buf_format(&names, "%s%s", id > 0 ? "|" : "", passes[id].name);
        assert_int_equal(pass_find(str_c(passes[id].name)), id);
        for (PassId other = 0; other < id; other++)
            assert_string_not_equal(passes[id].name, passes[other].name);
        size_t length = strlen(passes[id].doc);
        assert_true(length > 10 && passes[id].doc[length - 1] != '.');
        assert_true((passes[id].run != NULL) == (id < PASS_GRAPHS));
    }
    assert_true(str_eq(buf_str(&names), str_c(pass_names)));
    assert_int_equal(pass_find(S("nothing")), PASS_COUNT);
    assert_int_equal(pass_find(S("")), PASS_COUNT);
    assert_true(PASS_COUNT < 32);
    arena_free(&arena);
}

typedef struct Told {
    PassId ids[PASS_COUNT];
    uint32_t n, changes[PASS_COUNT];
} Told;

static void tell(void *user, PassId pass, const Graph *graph, uint32_t changes) {
    Told *told = user;
    told->ids[told->n] = pass;
    told->changes[told->n++] = changes;
    for (uint32_t i = 0; i < graph->nodes.n; i++) /* sorted, with nothing missing */
        assert_true(graph->nodes.items[i] != NULL && graph->nodes.items[i]->number == i);
}

static void who_runs(void **state) {
    (void)state;
    for (PassId left_out = 0; left_out <= PASS_GRAPHS; left_out++) {
        World world;
        world_init(&world);
        Told told = {.n = 0};
        Graph *graph = world_read(&world, IN MAP("relu", "'x'", "a") ", " MAP("relu", "'x'", "b") ", " MAP(
                                              "exp", "'x'", "c") ", " MAP("add", "'a', 'b'", "y") OUT("'y'"));
        assert_true(passes_run(graph, PASS_BIT(left_out), tell, &told));
        uint32_t n = 0;
        for (PassId id = 0; id < PASS_GRAPHS; id++) {
            /* What "wide" puts together is put together in each run, where nothing is folded. */
            if (id == left_out || (id == PASS_WIDE && left_out == PASS_FOLD)) continue;
            assert_true(n < told.n);
            assert_int_equal(told.ids[n], id);
            if (id == PASS_DEAD || id == PASS_SAME) assert_int_equal(told.changes[n], 1);
            n++;
        }
        assert_int_equal(told.n, n);
        arena_free(&world.arena);
    }
}

/* ---- dead */
static void what_nobody_reads(void **state) {
    (void)state;
    DEAD(MAP("relu", "'x'", "a") ", " MAP("exp", "'x'", "y"), "'y'", "y = exp(x) -> y");
    /* A chain, the whole of it; one that an output leaves. */
    DEAD(MAP("relu", "'x'", "a") ", " MAP("exp", "'a'", "b") ", " MAP("neg", "'b'", "c") ", " MAP("exp", "'x'", "y"),
         "'y'", "y = exp(x) -> y");
    DEAD(MAP("relu", "'x'", "a") ", " MAP("exp", "'a'", "b") ", " MAP("neg", "'b'", "c"), "'a'", "a = relu(x) -> a");
    /* Of several results one is read. */
    DEAD("{'op': 'chunk', 'in': ['x'], 'attrs': {'chunks': 2, 'dim': 1}, 'out': ['a', 'b']}, " MAP("exp", "'b'", "y"),
         "'y'", "a, b = chunk(x); y = exp(b) -> y");
    DEAD("{'op': 'chunk', 'in': ['x'], 'attrs': {'chunks': 2, 'dim': 1}, 'out': ['a', 'b']}, " MAP("exp", "'x'", "y"),
         "'y'", "y = exp(x) -> y");
}

static void what_stays(void **state) {
    (void)state;
    DEAD(MAP("relu", "'x'", "a") ", " MAP("exp", "'a'", "y"), "'y', 'a'", "a = relu(x); y = exp(a) -> y a");
    /* What changes a mutable input is seen outside, whether its result is read or not; of any other, it is not. */
    DEAD(MAP("relu_", "'k'", "a") ", " MAP("exp", "'z'", "y"), "'y'", "a = relu_(k); y = exp(z) -> y");
    DEAD(MAP("relu_", "'k'", "a") ", " MAP("exp_", "'a'", "b") ", " MAP("exp", "'z'", "y"), "'y'",
         "a = relu_(k); b = exp_(a); y = exp(z) -> y");
    DEAD(MAP("relu_", "'x'", "a") ", " MAP("exp", "'z'", "y"), "'y'", "y = exp(z) -> y");
    DEAD(MAP("relu", "'k'", "a") ", " MAP("exp_", "'a'", "b") ", " MAP("exp", "'z'", "y"), "'y'", "y = exp(z) -> y");
}

/* ---- same */
static void computed_once(void **state) {
    (void)state;
    SAME(MAP("relu", "'x'", "a") ", " MAP("relu", "'x'", "b") ", " MAP("add", "'a', 'b'", "y"), "'y'",
         "a = relu(x); y = add(a, a) -> y");
    /* Chains, node after node. */
    SAME(MAP("relu", "'x'", "a") ", " MAP("exp", "'a'", "c") ", " MAP("relu", "'x'", "b") ", " MAP(
             "exp", "'b'", "d") ", " MAP("sub", "'c', 'd'", "y"),
         "'y'", "a = relu(x); c = exp(a); y = sub(c, c) -> y");
    /* Attributes that say the same in other words: what is left out, and what is its default. */
    SAME(WITH("softmax", "'x'", "'dim': 1", "a") ", " WITH("softmax", "'x'", "'dim': 1", "b") ", " MAP("add",
                                                                                                       "'a', 'b'", "y"),
         "'y'", "a = softmax_dim(x); y = add(a, a) -> y");
    SAME(
        WITH("gelu", "'x'", "'approximate': 'none'", "a") ", " MAP("gelu", "'x'", "b") ", " MAP("add", "'a', 'b'", "y"),
        "'y'", "a = gelu(x); y = add(a, a) -> y");
    SAME("{'op': 'chunk', 'in': ['x'], 'attrs': {'chunks': 2, 'dim': 1}, 'out': ['a', 'b']}, "
         "{'op': 'chunk', 'in': ['x'], 'attrs': {'chunks': 2, 'dim': 1}, 'out': ['c', 'd']}, " MAP("add", "'a', 'd'",
                                                                                                   "y"),
         "'y'", "a, b = chunk(x); y = add(a, b) -> y");
    /* Two outputs alike are one tensor. */
    SAME(MAP("relu", "'x'", "a") ", " MAP("relu", "'x'", "b"), "'a', 'b'", "a = relu(x) -> a a");
}

static void computed_apart(void **state) {
    (void)state;
    SAME(MAP("relu", "'x'", "a") ", " MAP("relu", "'z'", "b") ", " MAP("add", "'a', 'b'", "y"), "'y'",
         "a = relu(x); b = relu(z); y = add(a, b) -> y");
    SAME(MAP("sub", "'x', 'z'", "a") ", " MAP("sub", "'z', 'x'", "b") ", " MAP("add", "'a', 'b'", "y"), "'y'",
         "a = sub(x, z); b = sub(z, x); y = add(a, b) -> y");
    SAME(WITH("softmax", "'x'", "'dim': 0", "a") ", " WITH("softmax", "'x'", "'dim': 1", "b") ", " MAP("add",
                                                                                                       "'a', 'b'", "y"),
         "'y'", "a = softmax_dim(x); b = softmax_dim(x); y = add(a, b) -> y");
    SAME(WITH("cast", "'x'", "'dtype': 'f16'", "a") ", " WITH("cast", "'x'", "'dtype': 'bf16'", "b"), "'a', 'b'",
         "a = cast(x); b = cast(x) -> a b");
    /* What one of them is changed in place is not for the other's readers. */
    SAME(MAP("relu", "'x'", "a") ", " MAP("relu", "'x'", "b") ", " MAP("exp_", "'a'", "c") ", " MAP("add", "'b', 'c'",
                                                                                                    "y"),
         "'y'", "a = relu(x); b = relu(x); c = exp_(a); y = add(b, c) -> y");
    SAME(MAP("relu_", "'x'", "a") ", " MAP("relu_", "'z'", "b") ", " MAP("add", "'a', 'b'", "y"), "'y'",
         "a = relu_(x); b = relu_(z); y = add(a, b) -> y");
}

/* ---- ten times the nodes, about ten times the time */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Chain: each reads the one before; fan: all read x; twins: two chains alike, joined at the end. */
static double time_pass(const char *shape, PassId pass, uint32_t n) {
    World world;
    world_init(&world);
    Buf text;
    buf_init(&text, &world.arena);
    buf_add(&text, S(IN));
    buf_add(&text, S("{'op': 'relu', 'in': ['x'], 'out': 't0'}, {'op': 'relu', 'in': ['x'], 'out': 's0'}"));
    bool fan = str_eq(str_c(shape), S("fan")), twins = str_eq(str_c(shape), S("twins"));
    for (uint32_t i = 1; i < n / 2; i++) {
        const char *op = i % 3 == 0 ? "exp" : "neg";
        buf_format(&text, ", {'op': '%s', 'in': ['t%u'], 'out': 't%u'}", op, fan ? 0U : (unsigned)i - 1, (unsigned)i);
        buf_format(&text, ", {'op': '%s', 'in': ['%s%u'], 'out': 's%u'}", op, twins ? "s" : "t",
                   fan ? 0U : (unsigned)i - 1, (unsigned)i);
    }
    buf_format(&text, "], 'outputs': ['t%u', 's%u']%c", (unsigned)n / 2 - 1, (unsigned)n / 2 - 1, 0);
    Graph *graph = world_read(&world, text.p);
    uint32_t changes = 0;
    double from = now();
    assert_true(passes[pass].run(graph, &changes));
    double took = now() - from;
    assert_true(changes > 0);
    arena_free(&world.arena);
    return took;
}

static void ten_times_the_nodes(void **state) {
    (void)state;
    static const char *const shapes[] = {"chain", "fan", "twins"};
    static const PassId ids[] = {PASS_DEAD, PASS_SAME};
    for (uint32_t s = 0; s < 3; s++)
        for (uint32_t p = 0; p < 2; p++) {
            if (ids[p] == PASS_DEAD && s == 2) continue; /* nothing of these is dead */
            double few = 1e9;
            for (int k = 0; k < 3; k++) {
                double took = time_pass(shapes[s], ids[p], 2000);
                if (took < few) few = took;
            }
            double many = time_pass(shapes[s], ids[p], 20000);
            if (many > 25 * few + 0.02)
                fail_msg("%s, %s: %.4f s for 2000, %.4f s for 20000", shapes[s], passes[ids[p]].name, few, many);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table),           cmocka_unit_test(who_runs),      cmocka_unit_test(what_nobody_reads),
        cmocka_unit_test(what_stays),          cmocka_unit_test(computed_once), cmocka_unit_test(computed_apart),
        cmocka_unit_test(ten_times_the_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_rewrite: rules over operators: each of opgen's own where it is to fire and where it is not; what rules can ask
 * for; what is told of wrong ones.
 */
#include "chain.h"

#include <time.h>

/* The graph after the pass; rules: more of them, in front of opgen's own or NULL. */
static void expect_with(const char *rules, const char *model, const char *wanted) {
    World world;
    world_init(&world);
    if (rules != NULL && !rewrites_read(&world.ops, world_text(&world, "own.json", "%s", rules), &world.diags))
        fail_msg("%s", world_findings(&world));
    if (rules != NULL && !rewrites_check(&world.ops, &world.diags)) fail_msg("%s", world_findings(&world));
    rewrites_add_folder(&world.ops, S("opdefs/rewrites"), true);
    Str got = world_show(&world, world_run(&world, model, PASS_BIT(PASS_REWRITE)));
    if (!str_eq(got, str_c(wanted))) fail_msg("%s\ngot:    %.*s\nwanted: %s", model, STR_ARG(got), wanted);
    assert_int_equal(world.diags.errors, 0);
    arena_free(&world.arena);
}

static void expect(const char *model, const char *wanted) { expect_with(NULL, model, wanted); }

#define X(dtype) "'inputs': {'x': {'dtype': '" dtype "', 'shape': ['n', 3, 4]}}, "
#define XW(dtype)                                                                                                      \
    "'inputs': {'x': {'dtype': '" dtype "', 'shape': ['n', 3, 4]}, 'w': {'dtype': '" dtype "', 'shape': [4]}, 'b': "   \
    "{'dtype': '" dtype "', 'shape': [4]}}, "
#define NODES(nodes) "'nodes': [" nodes "], 'outputs': ['y']"
#define ON1(op, a, out) "{'op': '" op "', 'in': ['" a "'], 'out': '" out "'}"
#define ON(op, a, b, out) "{'op': '" op "', 'in': [" a ", " b "], 'out': '" out "'}"
#define AT(op, a, attrs, out) "{'op': '" op "', 'in': ['" a "'], 'attrs': {" attrs "}, 'out': '" out "'}"

/* ---- exact.json */

static void twice(void **state) {
    (void)state;
    expect(X("f32") NODES(ON1("neg", "x", "t") ", " ON1("neg", "t", "z") ", " ON1("abs", "z", "y")), "y = abs(x) -> y");
    expect(X("i8") NODES(ON1("neg", "x", "t") ", " ON1("neg", "t", "y")), "-> x");
    expect(X("u8") NODES(ON1("bitwise_not", "x", "t") ", " ON1("bitwise_not", "t", "y")), "-> x");
    expect(X("bool") NODES(ON1("logical_not", "x", "t") ", " ON1("logical_not", "t", "y")), "-> x");
    expect(X("i32") NODES(ON1("logical_not", "x", "t") ", " ON1("logical_not", "t", "y")),
           "t = logical_not(x); y = logical_not(t) -> y");
    expect(X("f32") NODES(ON1("relu", "x", "t") ", " ON1("relu", "t", "y")), "y = relu(x) -> y");
    expect(X("f32") NODES(ON1("neg", "x", "t") ", " ON1("abs", "t", "y")), "y = abs(x) -> y");
    expect(X("i8") NODES(ON1("neg", "x", "t") ", " ON1("abs", "t", "y")), "y = abs(x) -> y");
    expect(X("u8") NODES(ON1("neg", "x", "t") ", " ON1("abs", "t", "y")), "t = neg(x); y = abs(t) -> y");
    expect(X("f32") NODES(ON1("abs", "x", "t") ", " ON1("neg", "t", "y")), "t = abs(x); y = neg(t) -> y");
    /* Others read what is between, which stays for them. */
    expect("'inputs': {'x': {'dtype': 'f32', 'shape': [3]}}, 'nodes': [" ON1("neg", "x", "t") ", " ON1(
               "neg", "t", "z") ", " ON("add", "'z'", "'t'", "y") "], 'outputs': ['y']",
           "t = neg(x); y = add(x, t) -> y");
}

static void numbers(void **state) {
    (void)state;
    expect(X("f32") NODES(ON("mul", "'x'", "1", "t") ", " ON1("abs", "t", "y")), "y = abs(x) -> y");
    expect(X("f16") NODES(ON("mul", "1.0", "'x'", "y")), "-> x");
    expect(X("i32") NODES(ON("mul", "'x'", "1", "y")), "-> x");
    expect(X("i32") NODES(ON("mul", "'x'", "1.0", "y")), "y = mul(x, 1.0) -> y");
    expect(X("f32") NODES(ON("mul", "'x'", "1.001", "y")), "y = mul(x, 1.001) -> y");
    expect(X("f16") NODES(ON("mul", "'x'", "1.0001", "y")), "y = mul(x, 1.0001) -> y");
    expect(X("f32") NODES(ON("mul", "'x'", "-1", "y")), "y = mul(x, -1) -> y");
    expect(X("bool") NODES(ON("mul", "'x'", "1", "y")), "y = mul(x, 1) -> y");
    /* The same number as a tensor; of more dims than x it makes a larger result. */
    expect(X("f32") NODES("{'op': 'full', 'in': [], 'attrs': {'size': [], 'fill_value': 1}, 'out': 'o'}, " ON(
               "mul", "'x'", "'o'", "y")),
           "-> x");
    expect(X("f32")
               NODES("{'op': 'ones', 'in': [], 'attrs': {'size': [3, 4]}, 'out': 'o'}, " ON("mul", "'x'", "'o'", "y")),
           "-> x");
    expect(X("f32") NODES(
               "{'op': 'ones', 'in': [], 'attrs': {'size': [2, 1, 3, 4]}, 'out': 'o'}, " ON("mul", "'x'", "'o'", "y")),
           "o = ones(); y = mul(x, o) -> y");
    expect(X("f32") NODES(ON("div", "'x'", "1", "y")), "-> x");
    expect(X("f32") NODES(ON("div", "1", "'x'", "y")), "y = div(1, x) -> y");
    expect(X("i32") NODES(ON("div", "'x'", "1", "y")), "y = div(x, 1) -> y");
    expect(X("f32") NODES("{'op': 'div', 'in': ['x', 1], 'attrs': {'rounding_mode': 'floor'}, 'out': 'y'}"),
           "y = div(x, 1) -> y");
    expect(X("f32") NODES(ON("pow", "'x'", "1", "y")), "-> x");
    expect(X("f32") NODES(ON("pow", "1", "'x'", "y")), "y = pow(1, x) -> y");
    expect(X("f32") NODES(ON("sub", "'x'", "0", "y")), "-> x");
    expect(X("f32") NODES(ON("sub", "'x'", "-0.0", "y")), "y = sub(x, -0.0) -> y");
    expect(X("f32") NODES(ON("sub", "0", "'x'", "y")), "y = sub(0, x) -> y");
    expect(X("i32") NODES(ON("add", "'x'", "0", "y")), "-> x");
    expect(X("f32") NODES(ON("add", "'x'", "0", "y")), "y = add(x, 0) -> y"); /* -0 + 0 is 0 */
    expect(X("i32") NODES("{'op': 'add', 'in': [0, 'x'], 'attrs': {'alpha': 2}, 'out': 'y'}"), "y = add(0, x) -> y");
    expect(X("f32") NODES(ON("mul", "'x'", "'x'", "y")), "y = square(x) -> y");
    expect(X("i32") NODES(ON("pow", "'x'", "2", "y")), "y = square(x) -> y");
    expect(X("f32") NODES(ON("pow", "'x'", "2.5", "y")), "y = pow(x, 2.5) -> y");
    expect(X("f32") NODES(ON("pow", "2", "'x'", "y")), "y = pow(2, x) -> y");
    expect(X("bool") NODES(ON("mul", "'x'", "'x'", "y")), "y = mul(x, x) -> y");
}

/* ---- function.json */

static void activations(void **state) {
    (void)state;
    static const char *const gelu = "y = gelu(x) -> y";
#define ERF(scaled, tail) X("f32") NODES(scaled ", " ON1("erf", "s", "e") ", " ON("add", "'e'", "1", "a") ", " tail)
#define DIVIDED ON("div", "'x'", "1.41421356", "s")
#define TIMES ON("mul", "0.70710678", "'x'", "s")
    expect(ERF(DIVIDED, ON("mul", "'x'", "'a'", "p") ", " ON("mul", "'p'", "0.5", "y")), gelu);
    expect(ERF(TIMES, ON("mul", "'a'", "'x'", "p") ", " ON("mul", "0.5", "'p'", "y")), gelu);
    expect(ERF(DIVIDED, ON("mul", "0.5", "'x'", "h") ", " ON("mul", "'h'", "'a'", "y")), gelu);
    expect(ERF(TIMES, ON("mul", "'x'", "0.5", "h") ", " ON("mul", "'a'", "'h'", "y")), gelu);
    expect(ERF(DIVIDED, ON("mul", "'a'", "0.5", "h") ", " ON("mul", "'x'", "'h'", "y")), gelu);
    expect(ERF(TIMES, ON("mul", "'a'", "0.5", "h") ", " ON("mul", "'h'", "'x'", "y")), gelu);
    expect(ERF(ON("div", "'x'", "1.5", "s"), ON("mul", "'x'", "'a'", "p") ", " ON("mul", "'p'", "0.5", "y")),
           "s = div(x, 1.5); e = erf(s); a = add(e, 1); p = mul(x, a); y = mul(p, 0.5) -> y");
    expect(ERF(DIVIDED, ON("mul", "'s'", "'a'", "p") ", " ON("mul", "'p'", "0.5", "y")),
           "s = div(x, 1.41421356); e = erf(s); a = add(e, 1); p = mul(s, a); y = mul(p, 0.5) -> y");
#define TANH(cube, tail)                                                                                               \
    X("f32")                                                                                                           \
    NODES(cube ", " ON("mul", "'c'", "0.044715", "k") ", " ON("add", "'x'", "'k'", "t") ", " ON(                       \
        "mul", "'t'", "0.7978845608", "u") ", " ON1("tanh", "u", "e") ", " ON("add", "1", "'e'", "a") ", " tail)
#define POWER ON("pow", "'x'", "3", "c")
#define PRODUCT ON("mul", "'x'", "'x'", "q") ", " ON("mul", "'q'", "'x'", "c")
    World world;
    world_init(&world);
    rewrites_add_folder(&world.ops, S("opdefs/rewrites"), true);
    static const char *const tanhs[] = {
        TANH(POWER, ON("mul", "'x'", "'a'", "p") ", " ON("mul", "'p'", "0.5", "y")),
        TANH(PRODUCT, ON("mul", "'x'", "'a'", "p") ", " ON("mul", "'p'", "0.5", "y")),
        TANH(POWER, ON("mul", "0.5", "'x'", "h") ", " ON("mul", "'h'", "'a'", "y")),
        TANH(PRODUCT, ON("mul", "0.5", "'x'", "h") ", " ON("mul", "'a'", "'h'", "y")),
        TANH(POWER, ON("mul", "0.5", "'a'", "h") ", " ON("mul", "'x'", "'h'", "y")),
        TANH(PRODUCT, ON("mul", "0.5", "'a'", "h") ", " ON("mul", "'x'", "'h'", "y")),
    };
    for (size_t i = 0; i < sizeof tanhs / sizeof *tanhs; i++) {
        const Graph *graph = world_run(&world, tanhs[i], PASS_BIT(PASS_REWRITE));
        assert_int_equal(graph->nodes.n, 1);
        assert_string_equal(graph->nodes.items[0]->op->name->p, "gelu");
        assert_true(str_eq(graph->nodes.items[0]->attrs[0].as.s, S("tanh")));
    }
    arena_free(&world.arena);
    expect(TANH(ON("pow", "'x'", "2", "c"), ON("mul", "'x'", "'a'", "p") ", " ON("mul", "'p'", "0.5", "y")),
           "c = square(x); k = mul(c, 0.044715); t = add(x, k); u = mul(t, 0.7978845608); e = tanh(u); a = add(1, e); "
           "p = mul(x, a); y = mul(p, 0.5) -> y");

    expect(X("f32") NODES(ON1("sqrt", "x", "t") ", " ON1("reciprocal", "t", "y")), "y = rsqrt(x) -> y");
    expect(X("f32") NODES(ON1("sqrt", "x", "t") ", " ON("div", "1", "'t'", "y")), "y = rsqrt(x) -> y");
    expect(X("f32") NODES(ON1("sqrt", "x", "t") ", " ON("div", "2", "'t'", "y")), "t = sqrt(x); y = div(2, t) -> y");
    expect(X("i32") NODES(ON1("sqrt", "x", "t") ", " ON1("reciprocal", "t", "y")),
           "t = sqrt(x); y = reciprocal(t) -> y");
    expect(X("f32") NODES(AT("softmax", "x", "'dim': 1", "t") ", " ON1("log", "t", "y")),
           "y = log_softmax_dim(x) -> y");
    expect(X("f32") NODES(AT("softmax", "x", "'dim': 1", "t") ", " ON1("log2", "t", "y")),
           "t = softmax_dim(x); y = log2(t) -> y");
}

/* ---- norm.json */

#define MEAN(a, dims, keep, out) AT("mean", a, "'dim': " dims ", 'keepdim': " keep, out)
#define RMS(x, dims, keep) ON1("square", x, "q") ", " MEAN("q", dims, keep, "m") ", " ON("add", "'m'", "1e-6", "v")

static void norms(void **state) {
    (void)state;
    expect(X("f32") NODES(RMS("x", "[-1]", "true") ", " ON1("rsqrt", "v", "r") ", " ON("mul", "'r'", "'x'", "y")),
           "y = rms_norm_dims(x) -> y");
    expect(X("f16") NODES(RMS("x", "[2, 1]", "true") ", " ON1("sqrt", "v", "s") ", " ON("div", "'x'", "'s'", "y")),
           "y = rms_norm_dims(x) -> y");
    expect(XW("f32") NODES(RMS("x", "-1", "true") ", " ON1("rsqrt", "v", "r") ", " ON("mul", "'x'", "'r'", "z") ", " ON(
               "mul", "'w'", "'z'", "y")),
           "y = rms_norm_dims(x, w) -> y");
    /* Not over the last dims; over dims that are dropped; of other tensors; a wider one. */
    expect(X("f32") NODES(RMS("x", "[1]", "true") ", " ON1("rsqrt", "v", "r") ", " ON("mul", "'r'", "'x'", "y")),
           "q = square(x); m = mean(q); v = add(m, 1e-06); r = rsqrt(v); y = mul(r, x) -> y");
    expect(X("f32") NODES(RMS("x", "[0]", "false") ", " ON1("rsqrt", "v", "r") ", " ON("mul", "'r'", "'x'", "y")),
           "q = square(x); m = mean(q); v = add(m, 1e-06); r = rsqrt(v); y = mul(r, x) -> y");
    expect(XW("f32") NODES(RMS("x", "[-1]", "true") ", " ON1("rsqrt", "v", "r") ", " ON("mul", "'r'", "'w'", "y")),
           "q = square(x); m = mean(q); v = add(m, 1e-06); r = rsqrt(v); y = mul(r, w) -> y");
    expect("'inputs': {'x': {'dtype': 'f32', 'shape': [3, 4]}, 'w': {'dtype': 'f32', 'shape': [3, 4]}}, " NODES(
               RMS("x", "[-1]", "true") ", " ON1("rsqrt", "v", "r") ", " ON("mul", "'x'", "'r'",
                                                                            "z") ", " ON("mul", "'w'", "'z'", "y")),
           "z = rms_norm_dims(x); y = mul(w, z) -> y");
    /* Somebody wants the variance too. */
    expect("'inputs': {'x': {'dtype': 'f32', 'shape': [3, 4]}}, 'nodes': [" RMS("x", "[-1]", "true") ", " ON1(
               "rsqrt", "v", "r") ", " ON("mul", "'r'", "'x'", "y") "], 'outputs': ['y', 'm']",
           "q = square(x); m = mean(q); v = add(m, 1e-06); r = rsqrt(v); y = mul(r, x) -> y m");

#define CENTRED(dims) MEAN("x", dims, "true", "a") ", " ON("sub", "'x'", "'a'", "d")
    expect(X("f32") NODES(CENTRED("[-1]") ", " RMS("d", "[-1]", "true") ", " ON1("sqrt", "v", "s") ", " ON("div", "'d'",
                                                                                                           "'s'", "y")),
           "y = layer_norm_dims(x) -> y");
    expect(X("f32") NODES(CENTRED("[-1]") ", " RMS("d", "[-1]", "true") ", " ON1("rsqrt", "v", "s") ", " ON(
               "mul", "'d'", "'s'", "y")),
           "y = layer_norm_dims(x) -> y");
    expect(XW("f32")
               NODES(CENTRED("[-1]") ", " ON("pow", "'d'", "2.0", "q") ", " MEAN("q", "[-1]", "true", "m") ", " ON(
                   "add", "1e-5", "'m'",
                   "v") ", " ON1("sqrt", "v", "s") ", " ON("div", "'d'", "'s'",
                                                           "z") ", " ON("mul", "'z'", "'w'",
                                                                        "zw") ", " ON("add", "'zw'", "'b'", "y")),
           "y = layer_norm_dims(x, w, b) -> y");
    expect(XW("f32") NODES(CENTRED("[-1]") ", " RMS("d", "[-1]", "true") ", " ON1("sqrt", "v", "s") ", " ON(
               "div", "'d'", "'s'", "z") ", " ON("add", "'z'", "'b'", "y")),
           "y = layer_norm_dims(x, b) -> y");
#define VAR(correction) AT("var", "x", "'dim': [-1], 'correction': " correction ", 'keepdim': true", "m")
    expect(X("f32") NODES(CENTRED("[-1]") ", " VAR("0") ", " ON("add", "'m'", "1e-5", "v") ", " ON1(
               "sqrt", "v", "s") ", " ON("div", "'d'", "'s'", "y")),
           "y = layer_norm_dims(x) -> y");
    expect(X("f32") NODES(CENTRED("[-1]") ", " VAR("1") ", " ON("add", "'m'", "1e-5", "v") ", " ON1(
               "sqrt", "v", "s") ", " ON("div", "'d'", "'s'", "y")),
           "a = mean(x); d = sub(x, a); m = var(x); v = add(m, 1e-05); s = sqrt(v); y = div(d, s) -> y");
    /* The mean is over others than the variance: what is left is a root mean square. */
    expect(X("f32") NODES(CENTRED("[1]") ", " RMS("d", "[-1]", "true") ", " ON1("sqrt", "v", "s") ", " ON("div", "'d'",
                                                                                                          "'s'", "y")),
           "a = mean(x); d = sub(x, a); y = rms_norm_dims(d) -> y");
}

/* ---- matrix.json */

#define STATISTICS                                                                                                     \
    "'mean': {'dtype': 'f32', 'shape': [5]}, 'var': {'dtype': 'f32', 'shape': [5]}, 'g': {'dtype': 'f32', 'shape': "   \
    "[5]}, 's': {'dtype': 'f32', 'shape': [5]}, 'c': {'dtype': 'f32', 'shape': [5]}"
#define LAYER(dtype, shape, params, norm)                                                                              \
    "'inputs': {'x': {'dtype': '" dtype "', 'shape': " shape "}}, 'params': {'w': {'dtype': '" dtype                   \
    "', 'shape': [5, 4]}, " params "}, 'nodes': [" norm "], 'outputs': ['y']"
#define LINEAR "{'op': 'linear', 'in': ['x', 'w'], 'out': 'p'}"
#define LINEAR_BIAS "{'op': 'linear', 'in': ['x', 'w', 'c'], 'out': 'p'}"
#define NORM(in) "{'op': 'batch_norm', 'in': [" in "], 'out': 'y'}"

static uint32_t count_of(const Graph *graph, const char *op, bool *weights) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const Node *node = graph->nodes.items[i];
        if (!str_eq(name_str(node->op->name), str_c(op))) continue;
        n++;
        if (weights != NULL) *weights = node->counts[1] == 1 && node->inputs[1][0]->role == TENSOR_PARAM;
    }
    return n;
}

static void expect_layer(const char *model, bool fires) {
    World world;
    world_init(&world);
    rewrites_add_folder(&world.ops, S("opdefs/rewrites"), true);
    const Graph *graph = world_run(&world, model, PASS_BIT(PASS_CANCEL) | PASS_BIT(PASS_REWRITE));
    bool given = false;
    if (count_of(graph, "batch_norm_apply", NULL) != !fires || count_of(graph, "linear", &given) != 1 || given == fires)
        fail_msg("%s\ngot: %.*s", model, STR_ARG(world_show(&world, graph)));
    arena_free(&world.arena);
}

static void layers(void **state) {
    (void)state;
    expect_layer(LAYER("f32", "['n', 4]", STATISTICS, LINEAR ", " NORM("'p', 'mean', 'var'")), true);
    expect_layer(LAYER("f32", "['n', 4]", STATISTICS, LINEAR_BIAS ", " NORM("'p', 'mean', 'var', 'g', 's'")), true);
    expect_layer(LAYER("f32", "['n', 4]", STATISTICS, LINEAR_BIAS ", " NORM("'p', 'mean', 'var', 'g'")), true);
    expect_layer(LAYER("f32", "['n', 4]", STATISTICS, LINEAR ", " NORM("'p', 'mean', 'var', null, 's'")), true);
    expect_layer(LAYER("f16", "['n', 4]", STATISTICS, LINEAR ", " NORM("'p', 'mean', 'var', 'g', 's'")), true);
    /* Channels are another dim than the linear layer's outputs; statistics that come with each run. */
    expect_layer(LAYER("f32", "['n', 5, 4]", STATISTICS, LINEAR ", " NORM("'p', 'mean', 'var', 'g', 's'")), false);
    expect_layer(
        "'inputs': {'x': {'dtype': 'f32', 'shape': ['n', 4]}, 'var': {'dtype': 'f32', 'shape': [5]}}, 'params': "
        "{'w': {'dtype': 'f32', 'shape': [5, 4]}, 'mean': {'dtype': 'f32', 'shape': [5]}}, 'nodes': [" LINEAR
        ", " NORM("'p', 'mean', 'var'") "], 'outputs': ['y']",
        false);
    expect_layer(
        "'inputs': {'x': {'dtype': 'f32', 'shape': ['n', 4]}}, 'params': {'w': {'dtype': 'f32', 'shape': [5, 4]}, "
        "'mean': {'dtype': 'f32', 'shape': [5]}, 'var': {'dtype': 'f32', 'shape': [5]}}, 'nodes': [" LINEAR
        ", " NORM("'p', 'mean', 'var'") "], 'outputs': ['y', 'p']",
        false);
}

static void products(void **state) {
    (void)state;
#define WEIGHT(x, w, b, nodes)                                                                                         \
    "'inputs': {'x': {'dtype': 'f32', 'shape': " x "}}, 'params': {'w': {'dtype': 'f32', 'shape': " w                  \
    "}, 'b': {'dtype': 'f32', 'shape': " b "}}, " NODES(nodes)
#define TURNED AT("transpose", "w", "'dim0': 0, 'dim1': -1", "t")
    expect(WEIGHT("['n', 4]", "[5, 4]", "[5]", TURNED ", " ON("mm", "'x'", "'t'", "y")), "y = linear(x, w) -> y");
    expect(WEIGHT("['n', 3, 4]", "[5, 4]", "[5]", TURNED ", " ON("matmul", "'x'", "'t'", "y")),
           "y = linear(x, w) -> y");
    expect(WEIGHT("[4]", "[5, 4]", "[5]", TURNED ", " ON("matmul", "'x'", "'t'", "y")), "y = linear(x, w) -> y");
    expect(
        WEIGHT("['n', 4]", "[5, 4]", "[5]", AT("permute", "w", "'dims': [1, 0]", "t") ", " ON("mm", "'x'", "'t'", "y")),
        "y = linear(x, w) -> y");
    expect(WEIGHT("['n', 4]", "[5, 4]", "[5]", TURNED ", {'op': 'addmm', 'in': ['b', 'x', 't'], 'out': 'y'}"),
           "y = linear(x, w, b) -> y");
    expect(WEIGHT("['n', 3, 4]", "[5, 4]", "[5]",
                  TURNED ", " ON("matmul", "'x'", "'t'", "p") ", " ON("add", "'b'", "'p'", "y")),
           "y = linear(x, w, b) -> y");
    /* A bias that is no row; another factor; a batch of matrices; the other operand. */
    expect(WEIGHT("[5, 4]", "[5, 4]", "[5, 1]", TURNED ", {'op': 'addmm', 'in': ['b', 'x', 't'], 'out': 'y'}"),
           "t = transpose(w); y = addmm(b, x, t) -> y");
    expect(WEIGHT("['n', 4]", "[5, 4]", "[5]",
                  TURNED ", {'op': 'addmm', 'in': ['b', 'x', 't'], 'attrs': {'alpha': 2}, 'out': 'y'}"),
           "t = transpose(w); y = addmm(b, x, t) -> y");
    expect(WEIGHT("[2, 3, 4]", "[2, 5, 4]", "[5]",
                  AT("transpose", "w", "'dim0': 1, 'dim1': 2", "t") ", " ON("matmul", "'x'", "'t'", "y")),
           "t = transpose(w); y = matmul(x, t) -> y");
    expect(WEIGHT("[4, 6]", "[5, 4]", "[5]",
                  AT("transpose", "x", "'dim0': 0, 'dim1': 1", "t") ", " ON("mm", "'t'", "'b2'", "y") ", " AT(
                      "transpose", "w", "'dim0': 0, 'dim1': 0", "b1") ", " AT("transpose", "b1", "'dim0': 1, 'dim1': 0",
                                                                              "b2")),
           "t = transpose(x); b1 = transpose(w); y = linear(t, b1) -> y");
    expect(WEIGHT("['n', 4]", "[5, 4]", "[5, 5]",
                  "{'op': 'linear', 'in': ['x', 'w'], 'out': 'p'}, " ON("mm", "'p'", "'b'", "y")),
           "p = linear(x, w); y = mm(p, b) -> y");
    expect(WEIGHT("[5, 4]", "[5, 4]", "[5, 5]",
                  "{'op': 'linear', 'in': ['x', 'w'], 'out': 'p'}, " ON("add", "'p'", "'b'", "y")),
           "p = linear(x, w); y = add(p, b) -> y");
}

/* ---- what rules can ask for */

#define RULE(match, rest) "{'rewrite': 'r', 'match': [" match "], " rest "}"
static const char plain[] = X("f32") NODES(ON1("exp", "x", "t") ", " ON1("log", "t", "y"));

static void rules(void **state) {
    (void)state;
#define EXP_LOG ON1("exp", "x", "e") ", " ON1("log", "e", "y")
    expect(plain, "t = exp(x); y = log(t) -> y");
    expect_with(RULE(EXP_LOG, "'give': {'y': 'x'}"), plain, "-> x");
    expect_with(RULE(EXP_LOG, "'when': 'x.rank == 2', 'give': {'y': 'x'}"), plain, "t = exp(x); y = log(t) -> y");
    expect_with(RULE(EXP_LOG, "'when': 'x.shape[0] == 7', 'give': {'y': 'x'}"), plain, "t = exp(x); y = log(t) -> y");
    expect_with(RULE(EXP_LOG, "'when': 'x.shape[1] == 3 and e.dtype == f32', 'give': {'y': 'x'}"), plain, "-> x");
    expect_with(RULE(EXP_LOG, "'constant': ['x'], 'give': {'y': 'x'}"), plain, "t = exp(x); y = log(t) -> y");
    /* Steps that make something else than what they replace: another dtype, another shape, nothing that there is. */
    expect_with(RULE(EXP_LOG, "'steps': [{'op': 'cast', 'in': ['x'], 'attrs': {'dtype': 'f16'}, 'out': 'y'}]"), plain,
                "t = exp(x); y = log(t) -> y");
    expect_with(RULE(EXP_LOG,
                     "'steps': [{'op': 'neg', 'in': ['x'], 'out': 'z'}, {'op': 'unsqueeze', 'in': ['z'], 'attrs': "
                     "{'dim': 0}, 'out': 'y'}]"),
                plain, "t = exp(x); y = log(t) -> y");
    expect_with(RULE(EXP_LOG, "'steps': [{'op': 'mm', 'in': ['x', 'x'], 'out': 'y'}]"), plain,
                "t = exp(x); y = log(t) -> y");
    /* Composites among the steps; steps that are left out. */
    expect_with(RULE(EXP_LOG, "'steps': [{'op': 'softmax', 'in': ['x'], 'attrs': {'dim': -1}, 'out': 'y'}]"), plain,
                "y = softmax_dim(x) -> y");
    expect_with(RULE(EXP_LOG,
                     "'steps': [{'op': 'neg', 'in': ['x'], 'when': 'x.rank == 2', 'out': 'y'}, {'op': 'abs', 'in': "
                     "['x'], 'when': 'x.rank == 3', 'out': 'y'}]"),
                plain, "y = abs(x) -> y");
    /* One of several ways. */
    expect_with("{'rewrite': 'r', 'match': [[" ON1("abs", "x", "y") "], [" EXP_LOG "]], 'give': {'y': 'x'}}", plain,
                "-> x");
    /* A list of tensors. */
    expect_with(
        RULE("{'op': 'cat', 'in': [['a', 'b']], 'attrs': {'dim': '_'}, 'out': 'y'}",
             "'steps': [{'op': 'cat', 'in': [['b', 'a']], 'attrs': {'dim': 0}, 'out': 'y'}]"),
        "'inputs': {'x': {'dtype': 'f32', 'shape': [3]}, 'z': {'dtype': 'f32', 'shape': [3]}, 'w': {'dtype': 'f32', "
        "'shape': [3]}}, 'nodes': [{'op': 'cat', 'in': [['x', 'z', 'w']], 'out': 'y'}], 'outputs': ['y']",
        "y = cat(x, z, w) -> y");
}

static void attributes(void **state) {
    (void)state;
    static const char model[] = X("f32") NODES(AT("sum", "x", "'dim': [1], 'keepdim': true", "y"));
#define SUM(attrs) "{'op': 'sum', 'in': ['x'], 'attrs': {" attrs "}, 'out': 'y'}"
#define AMAX "'steps': [{'op': 'amax', 'in': ['x'], 'attrs': {'dim': 'd', 'keepdim': true}, 'out': 'y'}]"
    expect_with(RULE(SUM("'dim': 'd', 'keepdim': 'true'"), AMAX), model, "y = amax(x) -> y");
    expect_with(RULE(SUM("'dim': 'd', 'keepdim': '_'"), AMAX), model, "y = amax(x) -> y");
    expect_with(RULE(SUM("'dim': 'd', 'keepdim': 'false'"), AMAX), model, "y = sum(x) -> y");
    expect_with(RULE(SUM("'dim': 'd'"), AMAX), model, "y = sum(x) -> y"); /* keepdim has its default */
    expect_with(RULE(SUM("'dim': '[x.rank - 2]', 'keepdim': true"),
                     "'steps': [{'op': 'amax', 'in': ['x'], 'attrs': {'dim': '"
                     "[1]', 'keepdim': true}, 'out': 'y'}]"),
                model, "y = amax(x) -> y");
    expect_with(RULE(SUM("'dim': '[x.rank]', 'keepdim': true"),
                     "'steps': [{'op': 'amax', 'in': ['x'], 'attrs': {'dim': '"
                     "[1]', 'keepdim': true}, 'out': 'y'}]"),
                model, "y = sum(x) -> y");
    /* The same name twice is the same value. */
#define SUMS(b)                                                                                                        \
    "'nodes': [" AT("sum", "x", "'dim': [1], 'keepdim': true",                                                         \
                    "t") ", " AT("sum", "t", "'dim': [" b "], 'keepdim': true", "y") "], 'outputs': ['y']"
#define SAME                                                                                                           \
    RULE("{'op': 'sum', 'in': ['x'], 'attrs': {'dim': 'd', 'keepdim': true}, 'out': 't'}, {'op': 'sum', 'in': "        \
         "['t'], 'attrs': {'dim': 'd', 'keepdim': true}, 'out': 'y'}",                                                 \
         "'give': {'y': 't'}")
    expect_with(SAME, X("f32") SUMS("1"), "y = sum(x) -> y");
    expect_with(SAME, X("f32") SUMS("2"), "t = sum(x); y = sum(t) -> y");
}

static void order(void **state) {
    (void)state;
    /* What may be exchanged is tried both ways, however deep the reason lies. */
    static const char rule[] =
        RULE(ON1("exp", "x", "e") ", {'op': 'add', 'in': ['e', 'z'], 'out': 's', 'any_order': true}, "
                                  "{'op': 'mul', 'in': ['s', 'x'], 'out': 'y', 'any_order': true}",
             "'steps': [{'op': 'sub', 'in': ['x', 'z'], 'out': 'y'}]");
#define PAIR(sum, product)                                                                                             \
    "'inputs': {'x': {'dtype': 'f32', 'shape': [3]}, 'z': {'dtype': 'f32', 'shape': [3]}}, 'nodes': [" ON1(            \
        "exp", "x", "e") ", " sum ", " product "], 'outputs': ['y']"
    expect_with(rule, PAIR(ON("add", "'e'", "'z'", "s"), ON("mul", "'s'", "'x'", "y")), "y = sub(x, z) -> y");
    expect_with(rule, PAIR(ON("add", "'z'", "'e'", "s"), ON("mul", "'s'", "'x'", "y")), "y = sub(x, z) -> y");
    expect_with(rule, PAIR(ON("add", "'e'", "'z'", "s"), ON("mul", "'x'", "'s'", "y")), "y = sub(x, z) -> y");
    expect_with(rule, PAIR(ON("add", "'z'", "'e'", "s"), ON("mul", "'x'", "'s'", "y")), "y = sub(x, z) -> y");
    expect_with(rule, PAIR(ON("add", "'z'", "'e'", "s"), ON("mul", "'z'", "'s'", "y")),
                "e = exp(x); s = add(z, e); y = mul(z, s) -> y");
}

static void changed_tensors_stay(void **state) {
    (void)state;
    expect(X("f32") NODES(ON1("neg", "x", "t") ", " ON1("neg", "t", "z") ", " ON1("relu_", "z", "y")),
           "t = neg(x); z = neg(t); y = relu_(z) -> y");
    expect(X("f32") NODES(ON1("neg", "x", "t") ", " ON1("neg", "t", "z") ", " ON1("relu_", "x", "c") ", " ON(
               "add", "'z'", "'c'", "y")),
           "t = neg(x); z = neg(t); c = relu_(x); y = add(z, c) -> y");
}

static void files_of_rules(void **state) {
    (void)state;
    static const char model[] = X("f32") NODES(ON1("neg", "x", "t") ", " ON1("neg", "t", "y"));
    expect(model, "-> x");
    /* A project's rule takes the place of opgen's own, or takes it away. */
    expect_with("{'rewrite': 'neg_neg', 'off': true}", model, "t = neg(x); y = neg(t) -> y");
    expect_with("{'rewrites': [{'rewrite': 'neg_neg', 'match': [" ON1("neg", "x", "t") ", " ON1(
                    "neg", "t", "y") "], 'steps': ["
                                     "{'op': 'abs', 'in': ['x'], 'out': 'y'}]}]}",
                model, "y = abs(x) -> y");
    /* Rules that undo each other end. */
    expect_with(
        "{'rewrites': [{'rewrite': 'a', 'match': [" ON1("sin", "x", "y") "], 'steps': [" ON1(
            "cos", "x", "y") "]}, {'rewrite': 'b', 'match': [" ON1("cos", "x", "y") "], 'steps': [" ON1("sin", "x",
                                                                                                        "y") "]}]}",
        X("f32") NODES(ON1("sin", "x", "y")), "y = sin(x) -> y");
}

/* A project's operator is not what opgen's own rules are about, whatever it is called. */
static void operators_of_a_project(void **state) {
    (void)state;
    World world;
    world_init(&world);
    rewrites_add_folder(&world.ops, S("opdefs/rewrites"), true);
    Source *source =
        world_text(&world, "own.json", "%s", "{'op': 'neg', 'kind': 'map', 'inputs': ['a'], 'expr': '1 - a'}");
    assert_true(optable_read(&world.ops, source, &world.diags));
    const Graph *graph = world_run(
        &world, X("f32") NODES(ON1("neg", "x", "t") ", " ON1("neg", "t", "z") ", " ON("mul", "'z'", "1", "y")),
        PASS_BIT(PASS_REWRITE));
    Str got = world_show(&world, graph);
    if (!str_eq(got, S("t = neg(x); y = neg(t) -> y"))) fail_msg("%.*s", STR_ARG(got));
    arena_free(&world.arena);
}

/* ---- what is told */

static void finds(const char *rule, const char *at, const char *message) {
    World world;
    world_init(&world);
    Source *source = world_text(&world, "own.json", "%s", rule);
    rewrites_read(&world.ops, source, &world.diags);
    rewrites_check(&world.ops, &world.diags);
    for (uint32_t i = 0; i < world.diags.items.n; i++) {
        const Diag *diag = world.diags.items.items[i];
        Str place =
            diag->span.source == NULL ? S("") : str_sub(diag->span.source->text, diag->span.from, diag->span.to);
        Str text = diag->hint.n == 0 ? diag->text : str_format(&world.arena, "%S; %S", diag->text, diag->hint);
        if (str_eq(text, str_c(message)) && (at == NULL || str_eq(place, str_c(at)))) {
            arena_free(&world.arena);
            return;
        }
    }
    fail_msg("%s\nwanted at %s: %s\nfound:\n%s", rule, at, message, world_findings(&world));
}

#define NEG ON1("neg", "x", "y")
#define DO "'steps': [" NEG "]"

static void findings(void **state) {
    (void)state;
    finds(RULE(ON1("negg", "x", "y"), DO), "\"negg\"", "there is no operator \"negg\"; did you mean \"neg\"?");
    finds(RULE(AT("softmax", "x", "'dim': 0", "y"), DO), "\"softmax\"",
          "\"softmax\" is a composite: there are its steps in a graph, and never itself; match what it is made of");
    finds(RULE(ON1("relu_", "x", "y"), DO), "\"relu_\"", "\"relu_\" changes its input, and so is not to be replaced");
    finds(RULE(NEG, "'steps': [" ON1("relu_", "x", "y") "]"), "\"relu_\"",
          "\"relu_\" changes its input, which others may read");
    finds(RULE(NEG, "'steps': [" ON1("abss", "x", "y") "]"), "\"abss\"",
          "there is no operator \"abss\"; did you mean \"abs\"?");
    finds(RULE(NEG, "'steps': [" ON1("abs", "z", "y") "]"), "z", "there is no \"z\" in a step");
    finds(RULE(ON1("neg", "input", "y"), "'give': {'y': 'inptu'}"), "\"inptu\"",
          "the match has no tensor \"inptu\"; did you mean \"input\"?");
    finds(RULE(NEG, "'give': {'x': 'y'}"), "\"x\"",
          "\"x\" is no result of the last operator, which alone are replaced");
    finds(RULE(NEG, "'when': '1'"), NULL,
          "this rule has neither \"steps\" nor \"give\": it puts nothing in their place");
    finds("{'rewrite': 'r', " DO "}", NULL, "this rule has no \"match\", the operators that it looks for");
    finds("{'match': [" NEG "], " DO "}", NULL, "this rule has no \"rewrite\", which is its name");
    finds(RULE(NEG, DO ", 'wen': '1'"), "\"wen\"", "a rule has no key \"wen\"; did you mean \"when\"?");
    finds(RULE(NEG, DO ", 'when': 'x.rnk == 1'"), "rnk", "a tensor has no \"rnk\" in an opdef; did you mean \"rank\"?");
    finds(RULE(ON1("neg", "input", "y"), DO ", 'when': 'inptu == 1'"), "inptu",
          "there is no \"inptu\" in a rule's \"when\"; did you mean \"input\"?");
    finds(RULE(ON1("neg", "input", "y"), DO ", 'constant': ['inptu']"), "\"inptu\"",
          "the match has no tensor \"inptu\"; did you mean \"input\"?");
    finds(RULE(AT("sum", "x", "'dmi': '_'", "y"), DO), "\"dmi\"",
          "\"sum\" has no attribute \"dmi\"; did you mean \"dim\"?");
    finds(RULE(AT("sum", "x", "'dtype': 'f23'", "y"), DO), "\"dtype\"",
          "the value of \"dtype\" gets the name \"f23\", which nothing uses; \"_\" stands for any value; texts are "
          "quoted "
          "twice: \"'none'\"");
    finds(RULE(ON1("scale", "x", "y"), DO), "\"scale\"",
          "it is not said what the attribute \"factor\" of \"scale\" is; \"_\" stands for whatever it is");
    finds(RULE(ON1("add", "x", "y"), DO), "\"add\"", "it is not said what the input \"other\" of \"add\" is");
    finds(RULE("{'op': 'neg', 'in': {'inpt': 'x'}, 'out': 'y'}", DO), "\"x\"",
          "\"neg\" has no input \"inpt\"; did you mean \"input\"?");
    finds(RULE(ON("neg", "'x'", "'z'", "y"), DO), "\"z\"", "\"neg\" takes 1 input, and this is number 2");
    finds(RULE("{'op': 'neg', 'in': ['x'], 'any_order': true, 'out': 'y'}", DO), "\"neg\"",
          "\"neg\" does not have two inputs that could be exchanged");
    finds(RULE(ON("add", "'x'", "null", "y"), DO), "null", "the input \"other\" of \"add\" is never left out");
    finds(RULE("{'op': 'neg', 'in': ['x'], 'out': ['y', 'z']}", DO), "\"neg\"",
          "\"neg\" has 1 output, but 2 are named");
    finds(RULE(ON1("abs", "x", "t") ", " NEG, DO), "\"abs\"",
          "no operator behind this one reads what it makes; the last operator is looked for first, and from it those "
          "that "
          "feed it");
    finds(RULE(NEG ", " ON1("abs", "y", "y"), DO), "\"y\"", "\"y\" is made by an operator before");
    finds(RULE(ON1("abs", "t", "y") ", " ON1("neg", "x", "t"), DO), "\"t\"",
          "\"t\" is read by an operator before this one, which makes it");
    finds("{'rewrites': [" RULE(NEG, DO) ", " RULE(NEG, DO) "]}", "\"r\"", "the rule \"r\" is there already");
    finds(RULE("'neg'", DO), "\"neg\"", "an operator of a match is an object, but this is a string");
    finds("{'rewrite': 'r', 'match': {}, " DO "}", "{}",
          "a match is an array of operators, the last of which is looked for");
    finds(RULE("{'op': 'neg', 'in': [{'nmber': 'k'}], 'out': 'y'}", DO), NULL,
          "what an operator reads is a name, an array of names, a number or null, but this is an object; write "
          "{\"number\": "
          "\"NAME\"} for a number that is to have a name");
    finds(RULE(ON("add", "'x'", "{'number': 'x'}", "y"), DO), "\"x\"", "\"x\" is a tensor already");
}

/* What is shipped is without findings, all of it. */
static void shipped(void **state) {
    (void)state;
    World world;
    world_init(&world);
    rewrites_add_folder(&world.ops, S("opdefs/rewrites"), false);
    if (!rewrites_load(&world.ops, &world.diags)) fail_msg("%s", world_findings(&world));
    assert_non_null(rewrites_of(&world.ops, names_get(&world.names, S("neg"))));
    uint32_t n;
    rewrites_files(&world.ops, &world.arena, &n);
    assert_true(n >= 4);
    arena_free(&world.arena);
}

/* ---- long graphs */

static double time_chain(uint32_t n, const char *node, uint32_t left) {
    World world;
    world_init(&world);
    rewrites_add_folder(&world.ops, S("opdefs/rewrites"), true);
    Buf text;
    buf_init(&text, &world.arena);
    buf_format(&text, "'inputs': {'x0': {'dtype': 'f32', 'shape': [2, 3]}}, 'nodes': [");
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) buf_add(&text, S(", "));
        buf_format(&text, node, (unsigned)i, (unsigned)i + 1);
    }
    buf_format(&text, "], 'outputs': ['x%u']%c", (unsigned)n, 0);
    Graph *graph = world_read(&world, text.p);
    struct timespec from, to;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    assert_true(passes_run(graph, PASS_ALL & ~PASS_BIT(PASS_REWRITE), NULL, NULL));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    assert_int_equal(graph->nodes.n, left);
    arena_free(&world.arena);
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
}

static void ten_times_the_nodes(void **state) {
    (void)state;
    static const struct {
        const char *node;
        uint32_t few, many;
    } chains[] = {{"{'op': 'neg', 'in': ['x%u'], 'out': 'x%u'}", 0, 0},
                  {"{'op': 'relu', 'in': ['x%u'], 'out': 'x%u'}", 1, 1},
                  {"{'op': 'mul', 'in': ['x%u', 0.5], 'out': 'x%u'}", 1000, 10000}};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        double few = 1e9;
        for (int k = 0; k < 3; k++) {
            double took = time_chain(1000, chains[i].node, chains[i].few);
            if (took < few) few = took;
        }
        double many = time_chain(10000, chains[i].node, chains[i].many);
        if (many > 25 * few + 0.02) fail_msg("%s: %.4f s for 1000, %.4f s for 10000", chains[i].node, few, many);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice),
        cmocka_unit_test(numbers),
        cmocka_unit_test(activations),
        cmocka_unit_test(norms),
        cmocka_unit_test(layers),
        cmocka_unit_test(products),
        cmocka_unit_test(rules),
        cmocka_unit_test(attributes),
        cmocka_unit_test(order),
        cmocka_unit_test(changed_tensors_stay),
        cmocka_unit_test(files_of_rules),
        cmocka_unit_test(operators_of_a_project),
        cmocka_unit_test(findings),
        cmocka_unit_test(shipped),
        cmocka_unit_test(ten_times_the_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

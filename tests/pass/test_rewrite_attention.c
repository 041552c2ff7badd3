/* test_rewrite_attention: the rules of opdefs/rewrites/attention.json: in all usual spellings attention becomes one
 * node, and in those that only look like it nothing changes.
 */
#include "chain.h"

#include <math.h>

/* What a model is made of, each with a usual spelling. */
typedef struct Spelling {
    const char *type, *query, *keys, *values, *more; /* inputs */
    const char *key, *product, *scale, *mask, *softmax, *mix, *outputs;
} Spelling;

#define NODE(op, in, attrs, out) "{'op': '" op "', 'in': [" in "], 'attrs': {" attrs "}, 'out': '" out "'}, "
#define TURNED NODE("transpose", "'k'", "'dim0': -2, 'dim1': -1", "kt")
#define SCORES NODE("matmul", "'q', 'kt'", "", "s")
#define TIMES NODE("mul", "'s', 0.125", "", "t")
#define SOFTMAX(of) NODE("softmax", "'" of "'", "'dim': -1", "w")
#define MIXED "{'op': 'matmul', 'in': ['w', 'v'], 'out': 'y'}"
#define MASK ", 'mask': {'dtype': 'bool', 'shape': [2, 1, 1, 5]}"
#define BIAS ", 'bias': {'dtype': 'f32', 'shape': ['n', 5]}"
#define FILL(value) NODE("masked_fill", "'t', 'mask'", "'value': " value, "u")

static const Spelling usual = {.type = "f32",
                               .query = "[2, 3, 'n', 8]",
                               .keys = "[2, 3, 5, 8]",
                               .values = "[2, 3, 5, 6]",
                               .more = "",
                               .key = TURNED,
                               .product = SCORES,
                               .scale = TIMES,
                               .mask = "",
                               .softmax = SOFTMAX("t"),
                               .mix = MIXED,
                               .outputs = "'y'"};

static Graph *rewritten(World *world, Spelling one) {
    world_init(world);
    rewrites_add_folder(&world->ops, S("opdefs/rewrites"), true);
    Buf model;
    buf_init(&model, &world->arena);
    buf_format(&model, "'inputs': {'q': {'dtype': '%s', 'shape': %s}, 'k': {'dtype': '%s', 'shape': %s}, ", one.type,
               one.query, one.type, one.keys);
    buf_format(&model, "'v': {'dtype': '%s', 'shape': %s}%s}, 'nodes': [%s%s%s%s%s%s], 'outputs': [%s]%c", one.type,
               one.values, one.more, one.key, one.product, one.scale, one.mask, one.softmax, one.mix, one.outputs, 0);
    return world_run(world, model.p, PASS_BIT(PASS_REWRITE) | PASS_BIT(PASS_DEAD));
}

static const Node *find(const Graph *graph, const char *op) {
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        if (str_eq(name_str(graph->nodes.items[i]->op->name), str_c(op))) return graph->nodes.items[i];
    return NULL;
}

static RuleValue attr(const Node *node, const char *name) {
    for (uint32_t i = 0; i < node->op->attrs.n; i++)
        if (str_eq(name_str(node->op->attrs.items[i].name), str_c(name))) return node->attrs[i];
    fail_msg("there is no attribute %s", name);
    return (RuleValue){0};
}

/* What is left, and what products are scaled by. */
static void expect(Spelling one, const char *wanted, double scale) {
    World world;
    Graph *graph = rewritten(&world, one);
    Str got = world_show(&world, graph);
    if (!str_eq(got, str_c(wanted))) fail_msg("got:    %.*s\nwanted: %s", STR_ARG(got), wanted);
    const Node *node = find(graph, "scaled_dot_product_attention");
    assert_non_null(node);
    RuleValue is = attr(node, "scale"), rows = attr(node, "masked_rows"), causal = attr(node, "is_causal");
    int64_t whole = 0;
    double found = is.kind == RULE_FLOAT                                ? is.as.f
                   : is.kind == RULE_INT && sym_is_int(is.as.i, &whole) ? (double)whole
                                                                        : NAN;
    if (!(fabs(found - scale) <= 1e-9)) fail_msg("the scale is %g, not %g", found, scale);
    assert_true(rows.kind == RULE_TEXT && str_eq(rows.as.s, S("nan")));
    assert_true(causal.kind == RULE_BOOL && sym_truth(causal.as.i) == 0);
    arena_free(&world.arena);
}

static void expect_none(Spelling one) {
    World world;
    Graph *graph = rewritten(&world, one);
    if (find(graph, "scaled_dot_product_attention") != NULL || find(graph, "softmax_dim") == NULL)
        fail_msg("got: %.*s", STR_ARG(world_show(&world, graph)));
    arena_free(&world.arena);
}

#define PLAIN "y = scaled_dot_product_attention(q, k, v) -> y"

static void scales(void **state) {
    (void)state;
    expect(usual, PLAIN, 0.125);
    Spelling one = usual;
    static const char *const eighths[] = {
        NODE("mul", "0.125, 's'", "", "t"),
        NODE("scale", "'s'", "'factor': 0.125", "t"),
        NODE("div", "'s', 8", "", "t"),
        NODE("div", "'s', 8.0", "", "t"),
        "{'op': 'full', 'in': [], 'attrs': {'size': [], 'fill_value': 8}, 'out': 'e'}, " NODE("div", "'s', 'e'", "",
                                                                                              "t"),
    };
    for (size_t i = 0; i < sizeof eighths / sizeof *eighths; i++) {
        one.scale = eighths[i];
        expect(one, PLAIN, 0.125);
    }
    one.scale = NODE("mul", "'s', 3", "", "t");
    expect(one, PLAIN, 3);
    one.scale = "";
    one.softmax = SOFTMAX("s");
    expect(one, PLAIN, 1);
    /* Of the queries, in front; and of both. */
    static const char *const queries[] = {NODE("mul", "'q', 0.5", "", "p"), NODE("mul", "0.5, 'q'", "", "p"),
                                          NODE("scale", "'q'", "'factor': 0.5", "p"), NODE("div", "'q', 2", "", "p")};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        one = usual;
        char key[512];
        snprintf(key, sizeof key, "%s%s", TURNED, queries[i]);
        one.key = key;
        one.product = NODE("matmul", "'p', 'kt'", "", "s");
        expect(one, PLAIN, 0.0625);
    }
}

static void keys(void **state) {
    (void)state;
    Spelling one = usual;
    static const char *const turned[] = {
        NODE("transpose", "'k'", "'dim0': -1, 'dim1': -2", "kt"),
        NODE("transpose", "'k'", "'dim0': 3, 'dim1': -2", "kt"),
        NODE("permute", "'k'", "'dims': [0, 1, 3, 2]", "kt"),
        NODE("permute", "'k'", "'dims': [0, 1, -1, -2]", "kt"),
    };
    for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
        one.key = turned[i];
        expect(one, PLAIN, 0.125);
    }
    /* Keys that come in another order are turned into the usual one, whoever did that. */
    one.keys = "[2, 3, 8, 5]";
    one.key = "";
    one.product = NODE("matmul", "'q', 'k'", "", "s");
    World world;
    Graph *graph = rewritten(&world, one);
    assert_int_equal(graph->nodes.n, 2);
    assert_non_null(find(graph, "transpose"));
    assert_non_null(find(graph, "scaled_dot_product_attention"));
    arena_free(&world.arena);
    one.keys = "[2, 5, 3, 8]";
    one.key = NODE("permute", "'k'", "'dims': [0, 2, 3, 1]", "kt");
    one.product = SCORES;
    graph = rewritten(&world, one);
    assert_int_equal(graph->nodes.n, 3);
    assert_non_null(find(graph, "scaled_dot_product_attention"));
    arena_free(&world.arena);
    /* Heads are exchanged as well: what is turned twice is not where it was. */
    one.query = "[3, 3, 'n', 8]";
    one.keys = "[3, 3, 5, 8]";
    one.values = "[3, 3, 5, 8]";
    one.key = NODE("permute", "'k'", "'dims': [1, 0, 3, 2]", "kt");
    graph = rewritten(&world, one);
    assert_int_equal(graph->nodes.n, 3);
    assert_non_null(find(graph, "permute"));
    arena_free(&world.arena);
}

static void ranks(void **state) {
    (void)state;
    Spelling one = usual;
    one.query = "[3, 'n', 8]", one.keys = "[3, 5, 8]", one.values = "[3, 5, 6]";
    expect(one, PLAIN, 0.125);
    one.product = NODE("bmm", "'q', 'kt'", "", "s");
    one.mix = "{'op': 'bmm', 'in': ['w', 'v'], 'out': 'y'}";
    expect(one, PLAIN, 0.125);
    one.scale = NODE("div", "'s', 4", "", "t");
    expect(one, PLAIN, 0.25);
    one = usual;
    one.query = "['n', 8]", one.keys = "[5, 8]", one.values = "[5, 6]";
    expect(one, PLAIN, 0.125);
    one.values = "[3, 5, 6]";
    expect(one, PLAIN, 0.125);
    one = usual;
    one.type = "f16";
    expect(one, PLAIN, 0.125);
}

static void masks(void **state) {
    (void)state;
    Spelling one = usual;
    one.softmax = SOFTMAX("u");
    static const char *const added[] = {NODE("add", "'t', 'bias'", "", "u"), NODE("add", "'bias', 't'", "", "u")};
    for (size_t i = 0; i < 2; i++) {
        one.more = BIAS;
        one.mask = added[i];
        expect(one, "y = scaled_dot_product_attention(q, k, v, bias) -> y", 0.125);
    }
    one.scale = "";
    one.mask = NODE("add", "'s', 'bias'", "", "u");
    expect(one, "y = scaled_dot_product_attention(q, k, v, bias) -> y", 1);
    one.scale = NODE("div", "'s', 4", "", "t");
    one.mask = added[0];
    expect(one, "y = scaled_dot_product_attention(q, k, v, bias) -> y", 0.25);
    /* What is filled in becomes what is added. */
    one = usual;
    one.softmax = SOFTMAX("u");
    one.more = MASK;
    static const struct {
        const char *spelling;
        bool keeps;
    } filled[] = {{FILL("'-inf'"), false},
                  {FILL("-3.4e38"), false},
                  {NODE("where", "'mask', -1e31, 't'", "", "u"), false},
                  {NODE("where", "'mask', 't', -1e31", "", "u"), true}};
    for (size_t i = 0; i < sizeof filled / sizeof *filled; i++) {
        one.mask = filled[i].spelling;
        World world;
        Graph *graph = rewritten(&world, one);
        const Node *node = find(graph, "scaled_dot_product_attention"), *where = find(graph, "where");
        if (node == NULL || where == NULL || find(graph, "softmax_dim") != NULL || graph->nodes.n != 4)
            fail_msg("got: %.*s", STR_ARG(world_show(&world, graph)));
        assert_ptr_equal(node->inputs[3][0], where->outputs[0]);
        /* 0 stands where something takes part. */
        const Tensor *kept = where->inputs[filled[i].keeps ? 1 : 2][0];
        RuleValue value = attr(kept->producer, "fill_value");
        int64_t zero = 1;
        assert_true(value.kind == RULE_FLOAT ? value.as.f == 0 : sym_is_int(value.as.i, &zero) && zero == 0);
        arena_free(&world.arena);
    }
    one.mask = FILL("'-inf'");
    one.type = "f16";
    World world;
    assert_non_null(find(rewritten(&world, one), "scaled_dot_product_attention"));
    arena_free(&world.arena);
}

static void casts(void **state) {
    (void)state;
    Spelling one = usual;
    one.type = "bf16";
    one.softmax = NODE("cast", "'t'", "'dtype': 'f32'", "c") NODE("softmax", "'c'", "'dim': -1", "d")
        NODE("cast", "'d'", "'dtype': 'bf16'", "w");
    expect(one, PLAIN, 0.125);
    one.softmax = NODE("softmax", "'t'", "'dim': -1, 'dtype': 'f32'", "d") NODE("cast", "'d'", "'dtype': 'bf16'", "w");
    expect(one, PLAIN, 0.125);
    /* f64 is more than what bf16 is computed in. */
    one.softmax = NODE("softmax", "'t'", "'dim': -1, 'dtype': 'f64'", "d") NODE("cast", "'d'", "'dtype': 'bf16'", "w");
    expect_none(one);
}

static void others(void **state) {
    (void)state;
    Spelling one = usual;
    one.query = "[2, 3, 5, 8]";
    one.softmax = NODE("softmax", "'t'", "'dim': -2", "w");
    expect_none(one);
    one.softmax = NODE("softmax", "'t'", "'dim': 1", "w");
    expect_none(one);
    one.softmax = NODE("softmax", "'t'", "'dim': 3", "w");
    expect(one, PLAIN, 0.125);
    one.softmax = NODE("log_softmax", "'t'", "'dim': -1", "w");
    World world;
    assert_null(find(rewritten(&world, one), "scaled_dot_product_attention"));
    arena_free(&world.arena);
    /* What is between is asked for as well. */
    static const char *const kept[] = {"'y', 'w'", "'y', 't'", "'y', 's'"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        one = usual;
        one.outputs = kept[i];
        expect_none(one);
    }
    /* The keys may be read by others. */
    one = usual;
    one.outputs = "'y', 'kt'";
    expect(one, "kt = transpose(k); y = scaled_dot_product_attention(q, k, v) -> y kt", 0.125);
    /* No numbers. */
    one = usual;
    one.more = ", 'f': {'dtype': 'f32', 'shape': [1]}";
    one.scale = NODE("mul", "'s', 'f'", "", "t");
    expect_none(one);
    one = usual;
    one.scale = NODE("mul", "'s', 's'", "", "t");
    expect_none(one);
    one.scale = NODE("div", "8, 's'", "", "t");
    expect_none(one);
    one.scale = NODE("div", "'s', 8", "'rounding_mode': 'floor'", "t");
    expect_none(one);
    one.scale = NODE("div", "'s', 0", "", "t");
    expect_none(one);
    one.scale = NODE("scale", "'s'", "'factor': 'inf'", "t");
    expect_none(one);
    /* The weights on the other side. */
    one = usual;
    one.query = "[2, 3, 5, 8]", one.values = "[2, 3, 5, 5]";
    one.mix = "{'op': 'matmul', 'in': ['v', 'w'], 'out': 'y'}";
    expect_none(one);
    /* Vectors. */
    one = usual;
    one.values = "[5]";
    expect_none(one);
    one = usual;
    one.query = "[8]", one.keys = "[5, 8]", one.values = "[5, 6]";
    expect_none(one);
}

static void other_masks(void **state) {
    (void)state;
    Spelling one = usual;
    one.softmax = SOFTMAX("u");
    one.more = MASK;
    /* Rows that are filled altogether have a mean of all values, which a number that is not low enough changes. */
    one.mask = FILL("-1e9");
    expect_none(one);
    one.mask = FILL("0");
    expect_none(one);
    one.mask = FILL("'inf'");
    expect_none(one);
    one.mask = FILL("'nan'");
    expect_none(one);
    one.type = "f16";
    one.mask = FILL("-65504");
    expect_none(one);
    /* A boolean is added as 0 and 1, so are integers. */
    one = usual;
    one.softmax = SOFTMAX("u");
    one.more = MASK;
    one.mask = NODE("add", "'t', 'mask'", "", "u");
    expect_none(one);
    one.more = ", 'bias': {'dtype': 'i32', 'shape': [5]}";
    one.mask = NODE("add", "'t', 'bias'", "", "u");
    expect_none(one);
    one.more = BIAS;
    one.mask = NODE("add", "'t', 'bias'", "'alpha': 2", "u");
    expect_none(one);
    one.mask = NODE("sub", "'t', 'bias'", "", "u");
    expect_none(one);
    /* The mask makes more rows of them. */
    one.query = "[2, 3, 1, 8]";
    one.more = ", 'bias': {'dtype': 'f32', 'shape': [4, 5]}";
    one.mask = NODE("add", "'t', 'bias'", "", "u");
    expect_none(one);
    /* Added to what is scaled afterwards. */
    one = usual;
    one.more = BIAS;
    one.scale = NODE("add", "'s', 'bias'", "", "a");
    one.mask = NODE("mul", "'a', 0.125", "", "u");
    one.softmax = SOFTMAX("u");
    expect_none(one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales), cmocka_unit_test(keys),   cmocka_unit_test(ranks),       cmocka_unit_test(masks),
        cmocka_unit_test(casts),  cmocka_unit_test(others), cmocka_unit_test(other_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

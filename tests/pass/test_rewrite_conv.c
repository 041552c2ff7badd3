/* test_rewrite_conv: the rules of opdefs/rewrites/conv.json: batch_norm behind a convolution goes into weights that are
 * known before a run, whatever the convolution's attributes are, and nowhere else.
 */
#include "chain.h"

typedef struct Layer {
    int dims; /* that windows move over */
    const char *input, *weight, *attrs, *bias, *norm, *more, *outputs;
} Layer;

static const Layer usual = {.dims = 2,
                            .input = "['n', 4, 8, 9]",
                            .weight = "[6, 4, 3, 3]",
                            .attrs = "",
                            .bias = "",
                            .norm = ", 'g', 's'",
                            .more = "",
                            .outputs = "'y'"};

static const Node *only(const Graph *graph, const char *op) {
    const Node *found = NULL;
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        if (!str_eq(name_str(graph->nodes.items[i]->op->name), str_c(op))) continue;
        if (found != NULL) fail_msg("there are several %s", op);
        found = graph->nodes.items[i];
    }
    return found;
}

/* Whether one convolution is left, with other weights and no batch_norm; or both as they were. */
static void expect_layer(Layer one, bool fires) {
    World world;
    world_init(&world);
    rewrites_add_folder(&world.ops, S("opdefs/rewrites"), true);
    Buf model;
    buf_init(&model, &world.arena);
    buf_format(&model,
               "'inputs': {'x': {'dtype': 'f32', 'shape': %s}%s}, 'params': {'w': {'dtype': 'f32', 'shape': %s}",
               one.input, one.more, one.weight);
    for (const char *name = one.more[0] == 0 ? "cmvgs" : "cvgs"; *name != 0; name++)
        buf_format(&model, ", '%c': {'dtype': 'f32', 'shape': [6]}", *name);
    buf_format(&model, "}, 'nodes': [{'op': 'conv%dd', 'in': ['x', 'w'%s], 'attrs': {%s}, 'out': 'p'}, ", one.dims,
               one.bias, one.attrs);
    buf_format(&model, "{'op': 'batch_norm', 'in': ['p', 'm', 'v'%s], 'out': 'y'}], 'outputs': [%s]%c", one.norm,
               one.outputs, 0);
    const Graph *graph = world_run(&world, model.p, PASS_BIT(PASS_CANCEL) | PASS_BIT(PASS_REWRITE));
    Str op = str_format(&world.arena, "conv%dd%c", one.dims, 0);
    const Node *conv = only(graph, op.p);
    bool given = conv != NULL && conv->inputs[1][0]->role == TENSOR_PARAM;
    if (conv == NULL || given == fires || (only(graph, "batch_norm_apply") != NULL) == fires)
        fail_msg("%s\ngot: %.*s", model.p, STR_ARG(world_show(&world, graph)));
    if (fires && conv->counts[2] != 1) fail_msg("no bias: %.*s", STR_ARG(world_show(&world, graph)));
    arena_free(&world.arena);
}

static void fires(void **state) {
    (void)state;
    expect_layer(usual, true);
    Layer one = usual;
    one.bias = ", 'c'";
    expect_layer(one, true);
    one.norm = ", 'g'";
    expect_layer(one, true);
    one.norm = "";
    expect_layer(one, true);
    one.bias = "";
    one.norm = ", null, 's'";
    expect_layer(one, true);
    one = usual;
    one.weight = "[6, 2, 3, 3]";
    one.attrs = "'stride': [2, 1], 'padding': 1, 'dilation': 2, 'groups': 2";
    expect_layer(one, true);
    one = usual;
    one.attrs = "'padding': 'same'";
    expect_layer(one, true);
    one = usual;
    one.dims = 1;
    one.input = "['n', 4, 9]";
    one.weight = "[6, 4, 3]";
    expect_layer(one, true);
    one.dims = 3;
    one.input = "['n', 4, 9, 8, 5]";
    one.weight = "[6, 4, 3, 1, 2]";
    one.bias = ", 'c'";
    expect_layer(one, true);
}

static void stays(void **state) {
    (void)state;
    /* Dim 1 is no channel where there is no batch; statistics that come with each run; what others read as well. */
    Layer one = usual;
    one.input = "[4, 8, 9]";
    expect_layer(one, false);
    one = usual;
    one.more = ", 'm': {'dtype': 'f32', 'shape': [6]}";
    expect_layer(one, false);
    one = usual;
    one.outputs = "'y', 'p'";
    expect_layer(one, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fires), cmocka_unit_test(stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

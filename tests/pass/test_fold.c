/* test_fold: which nodes are computed once for a set of weights, and which are not; what groups make of them. */
#include "pass/group.h"
#include "pass/pass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

typedef struct World {
    Arena arena;
    Diags diags;
    Names names;
    OpTable ops;
} World;

static void world_init(World *world) {
    arena_init(&world->arena);
    diags_init(&world->diags, &world->arena);
    names_init(&world->names, &world->arena);
    optable_init(&world->ops, &world->arena, &world->names);
    assert_true(optable_read_folder(&world->ops, S("opdefs"), &world->diags));
}

static const char *findings(World *world) {
    Buf out;
    buf_init(&out, &world->arena);
    diags_render(&world->diags, DIAG_TEXT, false, &out);
    return str_to_c(&world->arena, buf_str(&out));
}

/* Texts of JSON have ' for ". */
static Graph *read(World *world, const char *model) {
    Buf text;
    buf_init(&text, &world->arena);
    buf_format(&text, "{'opgen': 1, 'name': 'm', 'dims': {'n': {'min': 1, 'max': 64}}, %s}", model);
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '\'') text.p[i] = '"';
    Graph *graph = graph_read(&world->arena, &world->names, &world->ops,
                              source_new(&world->arena, S("m.json"), buf_str(&text)), &world->diags);
    if (graph == NULL) fail_msg("%s\n%s", findings(world), model);
    return graph;
}

/* The results of marked nodes, in the graph's order, parted by blanks. */
static Str marked(World *world, Graph *graph) {
    Buf out;
    buf_init(&out, &world->arena);
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const Node *node = graph->nodes.items[i];
        for (uint32_t k = 0; k < node->output_n && node->constant; k++)
            if (node->outputs[k] != NULL)
                buf_format(&out, "%s%S", out.n > 0 ? " " : "", name_str(node->outputs[k]->name));
    }
    return buf_str(&out);
}

static void expect(const char *model, const char *wanted) {
    World world;
    world_init(&world);
    Graph *graph = read(&world, model);
    assert_true(passes_run(graph, PASS_ALL & ~PASS_BIT(PASS_FOLD), NULL, NULL));
    Str got = marked(&world, graph);
    if (!str_eq(got, str_c(wanted))) fail_msg("%s\nmarked: %.*s\nwanted: %s", model, STR_ARG(got), wanted);
    assert_true(graph_check(graph, &world.diags));
    assert_true(passes_run(graph, PASS_ALL, NULL, NULL));
    arena_free(&world.arena);
}

#define X "'inputs': {'x': {'dtype': 'f32', 'shape': ['n', 8]}}, "
#define W "'params': {'w': {'dtype': 'f32', 'shape': [8, 8]}, 'b': {'dtype': 'f32', 'shape': [8]}}, "

static void what_depends_on_params_alone(void **state) {
    (void)state;
    expect(X W "'nodes': [{'op': 'transpose', 'in': 'w', 'attrs': {'dim0': 0, 'dim1': 1}, 'out': 't'}, "
               "{'op': 'mul', 'in': ['t', 'b'], 'out': 'u'}, {'op': 'softmax', 'in': 'u', 'attrs': {'dim': 1}, 'out': "
               "'p'}, {'op': 'matmul', 'in': ['x', 'p'], 'out': 'h'}, {'op': 'neg', 'in': 'b', 'out': 'c'}, {'op': "
               "'add', 'in': ['h', 'c'], 'out': 'y'}], 'outputs': ['y']",
           "t u p c");
    /* Lists, several results, reductions. */
    expect(X W "'nodes': [{'op': 'split', 'in': 'w', 'attrs': {'split_size_or_sections': 4, 'dim': 1}, 'out': [['l', "
               "'r']]}, {'op': "
               "'cat', 'in': [['r', 'l']], 'attrs': {'dim': 1}, 'out': 's'}, {'op': 'sum', 'in': 's', 'attrs': {'dim': "
               "0}, 'out': 'a'}, {'op': 'mul', 'in': ['x', 'a'], 'out': 'y'}], 'outputs': ['y']",
           "l r s a");
}

static void what_does_not(void **state) {
    (void)state;
    expect(X W "'nodes': [{'op': 'mul', 'in': ['x', 'b'], 'out': 'h'}, {'op': 'add', 'in': ['h', 'b'], 'out': 'y'}], "
               "'outputs': ['y']",
           "");
    /* Sizes that a run decides. */
    expect(X W
           "'nodes': [{'op': 'expand', 'in': 'b', 'attrs': {'size': ['n', 8]}, 'out': 'e'}, {'op': 'exp', 'in': 'e', "
           "'out': 'f'}, {'op': 'add', 'in': ['x', 'f'], 'out': 'y'}], 'outputs': ['y']",
           "");
    /* What changes its input, and what reads that. */
    expect(X W "'nodes': [{'op': 'neg', 'in': 'w', 'out': 'v'}, {'op': 'relu_', 'in': 'v', 'out': 'r'}, {'op': 'exp', "
               "'in': 'r', 'out': 'e'}, {'op': 'matmul', 'in': ['x', 'e'], 'out': 'y'}], 'outputs': ['y']",
           "v");
}

/* What is as cheap to compute as to read is kept while it is small or no larger than what it is made of. */
static void what_is_worth_its_memory(void **state) {
    (void)state;
    const char *expanded =
        "'inputs': {'x': {'dtype': 'f32', 'shape': [%d, 64]}}, 'params': {'w': {'dtype': 'f32', 'shape': [64]}}, "
        "'nodes': [{'op': 'neg', 'in': 'w', 'out': 'v'}, {'op': 'expand', 'in': 'v', 'attrs': {'size': [%d, 64]}, "
        "'out': 'e'}, {'op': 'abs', 'in': 'e', 'out': 'a'}, {'op': 'add', 'in': ['x', 'a'], 'out': 'y'}], "
        "'outputs': ['y']";
    char model[1000];
    snprintf(model, sizeof model, expanded, 256, 256); /* 64 KiB */
    expect(model, "v e a");
    snprintf(model, sizeof model, expanded, 257, 257);
    expect(model, "v");
    /* However large on the way to something small. */
    expect("'inputs': {'x': {'dtype': 'f32', 'shape': [64]}}, 'params': {'w': {'dtype': 'f32', 'shape': [64]}}, "
           "'nodes': [{'op': 'expand', 'in': 'w', 'attrs': {'size': [5000, 64]}, 'out': 'e'}, {'op': 'sum', 'in': 'e', "
           "'attrs': {'dim': 0}, 'out': 's'}, {'op': 'add', 'in': ['x', 's'], 'out': 'y'}], 'outputs': ['y']",
           "e s");
    /* Of large params as much as they are; twice that, as where halves become floats, is not. */
    const char *converted = "'inputs': {'x': {'dtype': 'f32', 'shape': ['n', 512]}}, 'params': {'w': {'dtype': '%s', "
                            "'shape': [512, 512]}}, 'nodes': [{'op': 'cast', 'in': 'w', 'attrs': {'dtype': 'f32'}, "
                            "'out': 'v'}, {'op': 'matmul', 'in': ['x', 'v'], 'out': 'y'}], 'outputs': ['y']";
    snprintf(model, sizeof model, converted, "i32");
    expect(model, "v");
    snprintf(model, sizeof model, converted, "f16");
    expect(model, "");
    /* What takes long to compute may be larger: a table, not anything at all. */
    const char *table = "'inputs': {'x': {'dtype': 'f32', 'shape': [%d, 512]}}, 'nodes': [{'op': 'arange', 'attrs': "
                        "{'end': 512, 'dtype': 'f32'}, 'out': 'i'}, {'op': 'sin', 'in': 'i', 'out': 's'}, {'op': "
                        "'expand', 'in': 's', 'attrs': {'size': [%d, 512]}, 'out': 'e'}, {'op': 'exp', 'in': 'e', "
                        "'out': 'f'}, {'op': 'add', 'in': ['x', 'f'], 'out': 'y'}], 'outputs': ['y']";
    snprintf(model, sizeof model, table, 2048, 2048);
    expect(model, "i s e f");
    snprintf(model, sizeof model, table, 2049, 2049);
    expect(model, "i s");
}

static void numbers_out_of_nothing(void **state) {
    (void)state;
    /* In a run they are literals. */
    expect(X
           "'nodes': [{'op': 'full', 'attrs': {'size': [8], 'fill_value': 2}, 'out': 'two'}, {'op': 'mul', 'in': ['x', "
           "'two'], 'out': 'y'}], 'outputs': ['y', 'two']",
           "");
    /* For what is constant they are there before. */
    expect(X W "'nodes': [{'op': 'full', 'attrs': {'size': [8], 'fill_value': 2}, 'out': 'two'}, {'op': 'mul', 'in': "
               "['b', 'two'], 'out': 'c'}, {'op': 'mul', 'in': ['x', 'c'], 'out': 'h'}, {'op': 'add', 'in': ['h', "
               "'two'], 'out': 'y'}], 'outputs': ['y']",
           "two c");
}

static void outputs(void **state) {
    (void)state;
    expect(W "'nodes': [{'op': 'exp', 'in': 'b', 'out': 'y'}, {'op': 'reshape', 'in': 'w', 'attrs': {'shape': [64]}, "
             "'out': 'v'}], 'outputs': ['y', 'v']",
           "y v");
}

/* No group has both; and all that a constant one reads is there before any run. */
static void groups_are_of_one_kind(void **state) {
    (void)state;
    for (int fuse = 0; fuse < 2; fuse++) {
        World world;
        world_init(&world);
        Graph *graph =
            read(&world, X W
                 "'nodes': [{'op': 'mul', 'in': ['w', 'b'], 'out': 'u'}, {'op': 'neg', 'in': 'u', 'out': 'v'}, {'op': "
                 "'linear', 'in': ['x', 'v'], 'out': 'h'}, {'op': 'full', 'attrs': {'size': [8], 'fill_value': 3}, "
                 "'out': 'q'}, {'op': 'add', 'in': ['b', 'q'], 'out': 'c'}, {'op': 'add', 'in': ['h', 'c'], 'out': "
                 "'i'}, {'op': 'mul', 'in': ['i', 'q'], 'out': 'y'}], 'outputs': ['y']");
        assert_true(passes_run(graph, PASS_ALL & ~PASS_BIT(PASS_FOLD), NULL, NULL));
        assert_true(str_eq(marked(&world, graph), S("u v q c")));
        Groups groups;
        group_nodes(&world.arena, graph, fuse, false, &groups);
        uint32_t constant = 0;
        for (uint32_t g = 0; g < groups.items.n; g++) {
            const Group *group = groups.items.items[g];
            constant += group->constant;
            for (uint32_t i = 0; i < group->nodes.n; i++)
                if (group->nodes.items[i]->op->inputs.n > 0)
                    assert_int_equal(group->nodes.items[i]->constant, group->constant);
            for (uint32_t i = 0; i < group->reads.n && group->constant; i++) {
                const Tensor *tensor = group->reads.items[i];
                assert_true(tensor->role == TENSOR_PARAM || (tensor->producer != NULL && tensor->producer->constant));
            }
        }
        assert_in_range(constant, fuse ? 2 : 4, fuse ? 3 : 4);
        arena_free(&world.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_depends_on_params_alone),
        cmocka_unit_test(what_does_not),
        cmocka_unit_test(what_is_worth_its_memory),
        cmocka_unit_test(numbers_out_of_nothing),
        cmocka_unit_test(outputs),
        cmocka_unit_test(groups_are_of_one_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

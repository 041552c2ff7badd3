/* chain.h: what tests of passes over graphs share: a model read with opgen's own operators and rules, some passes run,
 * and what is left of it in a line a node.
 */
#ifndef OPGEN_TESTS_PASS_CHAIN_H
#define OPGEN_TESTS_PASS_CHAIN_H

#include "op/rewrite.h"
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

static inline void world_init(World *world) {
    arena_init(&world->arena);
    diags_init(&world->diags, &world->arena);
    names_init(&world->names, &world->arena);
    optable_init(&world->ops, &world->arena, &world->names);
    assert_true(optable_shelve_folder(&world->ops, S("opdefs"), &world->diags));
}

static inline const char *world_findings(World *world) {
    Buf out;
    buf_init(&out, &world->arena);
    diags_render(&world->diags, DIAG_TEXT, false, &out);
    return str_to_c(&world->arena, buf_str(&out));
}

/* Texts of JSON have ' for ". */
static inline Source *world_text(World *world, const char *name, const char *format, const char *text) {
    Buf out;
    buf_init(&out, &world->arena);
    buf_format(&out, format, text);
    for (size_t i = 0; i < out.n; i++)
        if (out.p[i] == '\'') out.p[i] = '"';
    return source_new(&world->arena, str_c(name), buf_str(&out));
}

static inline Graph *world_read(World *world, const char *model) {
    Source *source =
        world_text(world, "m.json", "{'opgen': 1, 'name': 'm', 'dims': {'n': {'min': 0, 'max': 64}}, %s}", model);
    Graph *graph = graph_read(&world->arena, &world->names, &world->ops, source, &world->diags);
    if (graph == NULL) fail_msg("%s\n%s", world_findings(world), model);
    return graph;
}

/* "t = neg(x); y = add(t, 2) -> y": nodes in their order, and what the outputs are. */
static inline Str world_show(World *world, const Graph *graph) {
    Buf out;
    buf_init(&out, &world->arena);
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const Node *node = graph->nodes.items[i];
        for (uint32_t k = 0, said = 0; k < node->output_n; k++)
            if (node->outputs[k] != NULL)
                buf_format(&out, "%s%S", said++ > 0 ? ", " : out.n > 0 ? "; " : "", name_str(node->outputs[k]->name));
        buf_format(&out, " = %S(", name_str(node->op->name));
        const char *between = "";
        for (uint32_t k = 0; k < node->op->inputs.n; k++) {
            if (graph_scalar(node, k) != NULL) buf_format(&out, "%s%S", between, node->scalars[k].text), between = ", ";
            for (uint32_t t = 0; t < node->counts[k]; t++, between = ", ")
                buf_format(&out, "%s%S", between, name_str(node->inputs[k][t]->name));
        }
        buf_char(&out, ')');
    }
    buf_add(&out, S(" ->"));
    for (uint32_t i = 0; i < graph->outputs.n; i++)
        buf_format(&out, " %S", name_str(graph->outputs.items[i]->name));
    return str_trim(buf_str(&out));
}

/* Runs these passes, and fails where the graph then is not as it is to be. */
static inline Graph *world_run(World *world, const char *model, PassSet run) {
    Graph *graph = world_read(world, model);
    if (!passes_run(graph, PASS_ALL & ~run, NULL, NULL)) fail_msg("%s\n%s", world_findings(world), model);
    if (!graph_check(graph, &world->diags)) fail_msg("%s\n%s", world_findings(world), model);
    return graph;
}

#endif

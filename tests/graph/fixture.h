/* fixture.h: what the graph's tests share: the operators of ops.json, and a model read from text. */
#ifndef OPGEN_TESTS_GRAPH_FIXTURE_H
#define OPGEN_TESTS_GRAPH_FIXTURE_H

#include "graph/graph.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Ops {
    Names names;
    OpTable table;
} Ops;

static inline void fixture_die(Arena *arena, Diags *diags) {
    Buf out;
    buf_init(&out, arena);
    diags_render(diags, DIAG_TEXT, false, &out);
    fprintf(stderr, "%.*s", STR_ARG(buf_str(&out)));
    abort();
}

static inline void fixture_ops(Arena *arena, Ops *ops) {
    Diags diags;
    diags_init(&diags, arena);
    names_init(&ops->names, arena);
    optable_init(&ops->table, arena, &ops->names);
    Source *source = file_read_text(arena, S("tests/graph/ops.json"), (Span){0}, &diags);
    if (source == NULL || !optable_read(&ops->table, source, &diags)) fixture_die(arena, &diags);
}

static inline Graph *fixture_read(Arena *arena, Ops *ops, Str text, Diags *diags) {
    return graph_read(arena, &ops->names, &ops->table, source_new(arena, S("model.json"), text), diags);
}

#endif

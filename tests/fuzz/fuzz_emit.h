/* fuzz_emit.h: a graph on its way to the text of its files, in memory, with opgen's own templates for the CPU; and what
 * must hold of it. make runs the fuzzers in the repository's folder. */
#ifndef OPGEN_TESTS_FUZZ_EMIT_H
#define OPGEN_TESTS_FUZZ_EMIT_H

#include "emit/emit.h"

#include <stdlib.h>

/* The files of the graph, or findings. The graph is used up. */
static inline bool emit_text(Arena *arena, Graph *graph) {
    Str root = S("templates");
    /* A folder without sources: the runtime's are the same whatever the model is. */
    EmitOptions options = {.roots = &root,
                           .root_count = 1,
                           .runtime = S("tests/fuzz/corpus/model"),
                           .backend = S("cpu"),
                           .version = S("0"),
                           .model_name = S("model.json")};
    uint32_t errors = graph->diags->errors;
    EmitResult result;
    bool good = emit_model(arena, graph, &options, &result);
    if (good != (graph->diags->errors == errors)) abort();
    for (uint32_t i = 0; good && i < result.set.files.n; i++) {
        Str text = result.set.files.items[i].bytes;
        if (str_invalid_utf8(text) != STR_NONE || str_find_char(text, '\0') != STR_NONE) abort();
    }
    return good;
}

#endif

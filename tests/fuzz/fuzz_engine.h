/* fuzz_engine.h: what the fuzzers of the template engine share: one rendering with small limits, and what must hold of
 * it. */
#ifndef OPGEN_TESTS_FUZZ_ENGINE_H
#define OPGEN_TESTS_FUZZ_ENGINE_H

#include "template/template.h"

#include <stdlib.h>

static inline void require(bool condition) {
    if (!condition) abort();
}

/* Files are checked when they are read, so the engine is never given other text than this. */
static inline bool is_text(Str s) { return str_invalid_utf8(s) == STR_NONE && memchr(s.p, 0, s.n) == NULL; }

static inline EngineOptions small_limits(void) {
    return (EngineOptions){.limits = {.loops = 2000, .output = 1 << 18, .memory = 1 << 23, .depth = 25}};
}

static inline void show_findings(Arena *arena, Diags *diags) {
    for (int format = DIAG_TEXT; format <= DIAG_SARIF; format++) {
        Buf out;
        buf_init(&out, arena);
        diags_render(diags, (DiagFormat)format, format == DIAG_TEXT, &out);
        require(out.n > 0 && str_invalid_utf8(buf_str(&out)) == STR_NONE);
    }
}

/* Compiles the text and renders it twice: it gives the same text both times, or findings that can be shown. json may be
 * empty. A template may include itself by the name "main". */
static inline void compile_and_render(const EngineOptions *options, Str text, Str json) {
    Arena arena, out;
    arena_init(&arena);
    arena_init(&out);
    Names names;
    Diags diags;
    names_init(&names, &arena);
    diags_init(&diags, &arena);
    const Json *data = json.n > 0 ? json_parse(&arena, &names, source_new(&arena, S("data"), json), &diags) : NULL;
    if (data != NULL && data->kind != JSON_OBJECT) data = NULL;
    Engine *engine = engine_new(&arena, &names, &diags, options);
    engine_add_text(engine, S("main"), text);
    Str before = {NULL, 0};
    for (int i = 0; i < 2; i++) {
        uint32_t errors = diags.errors;
        Template *template = engine_load(engine, S("main"), span(NULL, 0, 0));
        if (template == NULL) {
            require(diags.errors > errors || i > 0);
            break;
        }
        Str result = {NULL, 0};
        Value values = data == NULL ? val_missing() : val_of_json(&arena, data);
        bool ok = engine_render(engine, template, values, &out, &result);
        require(ok == (diags.errors == errors));
        if (!ok) break;
        require(str_invalid_utf8(result) == STR_NONE && result.n <= options->limits.output);
        require(i == 0 || str_eq(before, result));
        before = result;
    }
    if (diags.errors > 0) show_findings(&arena, &diags);
    arena_free(&out);
    arena_free(&arena);
}

#endif

/* case.h: a fixture file as C sees it, and how a case is rendered. For the tests in this folder, which are programs of
 * one file each; README.md describes the format and fixture.py is its other reader.
 */
#ifndef OPGEN_TESTS_TEMPLATE_CASE_H
#define OPGEN_TESTS_TEMPLATE_CASE_H

#include "base/file.h"
#include "template/template.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct CaseFile {
    Str name, text;
} CaseFile;

typedef struct Case {
    Str path;
    Str options, data, text; /* options and data as JSON; empty if the section is missing */
    Str expected, error;
    bool has_expected, has_error;
    VEC(CaseFile) files;
} Case;

static const char *const CASE_MAIN = "main"; /* the name of a case's own template */

/* ---- reading ---- */

typedef struct CaseMark {
    const char *mark;
    char is; /* 0: nothing */
} CaseMark;

/* What stands for white space that editors would harm. */
static const CaseMark case_marks[] = {{"␉", '\t'}, {"␍", '\r'}, {"␋", '\v'}, {"␌", '\f'}};

static inline void case_decode_line(Buf *out, Str line) {
    Str pilcrow = S("¶");
    if (str_starts(line, pilcrow)) line = str_sub(line, pilcrow.n, line.n);
    if (str_ends(line, pilcrow)) line = str_sub(line, 0, line.n - pilcrow.n);
    for (size_t i = 0; i < line.n;) {
        size_t k = 0, n = sizeof case_marks / sizeof case_marks[0];
        while (k < n && !str_starts(str_sub(line, i, line.n), str_c(case_marks[k].mark)))
            k++;
        if (k < n) {
            buf_char(out, case_marks[k].is);
            i += strlen(case_marks[k].mark);
        } else {
            buf_char(out, line.p[i++]);
        }
    }
}

static inline void case_put(Arena *arena, Case *c, Str section, Str text) {
    if (str_eq(section, S("options"))) c->options = text;
    if (str_eq(section, S("data"))) c->data = text;
    if (str_eq(section, S("template"))) c->text = text;
    if (str_eq(section, S("expected"))) c->expected = text, c->has_expected = true;
    if (str_eq(section, S("error"))) c->error = text, c->has_error = true;
    if (str_starts(section, S("file "))) *VEC_PUSH(arena, &c->files) = (CaseFile){str_sub(section, 5, section.n), text};
}

/* False if the file is not a fixture; fixture.py says more about what is wrong with it. */
static inline bool case_parse(Arena *arena, Str path, Str bytes, Case *c) {
    *c = (Case){.path = path};
    Str section = {NULL, 0};
    Buf text;
    buf_init(&text, arena);
    bool first = true;
    for (size_t at = 0; at < bytes.n;) {
        Str rest = str_sub(bytes, at, bytes.n);
        size_t n = str_find_char(rest, '\n');
        if (n == STR_NONE) n = rest.n;
        Str line = str_sub(rest, 0, n);
        at += n + 1;
        if (str_starts(line, S("--- "))) {
            if (section.p != NULL) case_put(arena, c, section, buf_str(&text));
            section = str_sub(line, 4, line.n);
            buf_init(&text, arena);
            first = true;
            if (str_eq(section, S("end"))) return at == bytes.n && c->text.p != NULL;
        } else {
            if (section.p == NULL) return false;
            if (!first) buf_char(&text, '\n');
            first = false;
            /* A section that is there but empty is told from one that is not by its pointer. */
            (void)buf_room(&text, 1);
            case_decode_line(&text, line);
        }
    }
    return false;
}

typedef VEC(Str) CasePaths;

static inline int case_by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

/* The fixtures below a folder, sorted. */
static inline bool case_find(Arena *arena, const char *folder, CasePaths *paths) {
    char *roots[] = {(char *)(uintptr_t)folder, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, case_by_name);
    if (tree == NULL) return false;
    for (FTSENT *entry; (entry = fts_read(tree)) != NULL;)
        if (entry->fts_info == FTS_F && str_ends(str_c(entry->fts_path), S(".txt")))
            *VEC_PUSH(arena, paths) = str_copy(arena, str_c(entry->fts_path));
    fts_close(tree);
    return true;
}

/* ---- rendering ---- */

static inline bool case_flag(const Json *options, Str name) {
    const Json *value = options == NULL ? NULL : json_get(options, name);
    return value != NULL && value->kind == JSON_BOOL && value->as.b;
}

static inline uint64_t case_limit(const Json *options, Str name) {
    const Json *limits = options == NULL ? NULL : json_get(options, S("limits"));
    const Json *value = limits == NULL ? NULL : json_get(limits, name);
    return value != NULL && value->kind == JSON_INT ? (uint64_t)value->as.i : 0;
}

static inline EngineOptions case_engine_options(const Json *options) {
    EngineOptions how = {
        .syntax = {.trim_blocks = case_flag(options, S("trim_blocks")),
                   .lstrip_blocks = case_flag(options, S("lstrip_blocks")),
                   .keep_trailing_newline = case_flag(options, S("keep_trailing_newline"))},
        .autoescape = case_flag(options, S("autoescape")),
        .limits = {.loops = case_limit(options, S("loops")),
                   .output = (size_t)case_limit(options, S("output")),
                   .memory = (size_t)case_limit(options, S("memory")),
                   .depth = (uint32_t)case_limit(options, S("depth"))},
    };
    const Json *undefined = options == NULL ? NULL : json_get(options, S("undefined"));
    if (undefined != NULL && undefined->kind == JSON_STRING) {
        if (str_eq(undefined->as.s, S("lenient"))) how.undefined = UNDEFINED_LENIENT;
        if (str_eq(undefined->as.s, S("chainable"))) how.undefined = UNDEFINED_CHAINABLE;
    }
    return how;
}

typedef struct CaseResult {
    bool ok;
    Str text;        /* the output, or the findings as text */
    const char *odd; /* what is wrong with how it came about, or NULL */
} CaseResult;

/* Renders a template that is already in the engine `times` times; every time must give the same. Texts lie in `out`,
 * the findings in `arena`; the caller frees both, also when memory runs out in between. */
static inline CaseResult case_run(Engine *engine, Arena *arena, Arena *out, Diags *diags, const Json *data,
                                  unsigned times) {
    CaseResult result = {false, {"", 0}, NULL};
    Template *template = engine_load(engine, str_c(CASE_MAIN), span(NULL, 0, 0));
    uint32_t before = diags->errors;
    if (template == NULL && before == 0) result.odd = "it cannot be loaded, and no finding says why";
    for (unsigned i = 0; i < times && template != NULL && result.odd == NULL; i++) {
        Str text = {NULL, 0};
        /* A template can change its data, so that each time gets its own. */
        bool ok = engine_render(engine, template, data == NULL ? val_missing() : val_of_json(arena, data), out, &text);
        uint32_t added = diags->errors - before;
        before = diags->errors;
        if (ok && added > 0)
            result.odd = "it renders, with a finding of an error";
        else if (!ok && added == 0)
            result.odd = "it fails without a finding";
        else if (i > 0 && ok != result.ok)
            result.odd = "it fails once and not the other time";
        else if (i > 0 && ok && !str_eq(text, result.text))
            result.odd = "the second rendering differs from the first";
        if (i == 0) result.ok = ok, result.text = text;
    }
    if (!result.ok) {
        Buf findings;
        buf_init(&findings, arena);
        diags_render(diags, DIAG_TEXT, false, &findings);
        result.text = buf_str(&findings);
    }
    return result;
}

/* One case with an engine of its own. */
static inline CaseResult case_render(Arena *arena, Arena *out, const Case *c, unsigned times) {
    Names names;
    Diags diags;
    names_init(&names, arena);
    diags_init(&diags, arena);
    const Json *options = NULL, *data = NULL;
    if (c->options.n > 0) options = json_parse(arena, &names, source_new(arena, S("options"), c->options), &diags);
    if (c->data.n > 0) data = json_parse(arena, &names, source_new(arena, S("data"), c->data), &diags);
    if (diags.errors > 0) return (CaseResult){false, S(""), "its options or data are not JSON"};
    EngineOptions how = case_engine_options(options);
    Engine *engine = engine_new(arena, &names, &diags, &how);
    for (uint32_t i = 0; i < c->files.n; i++)
        engine_add_text(engine, c->files.items[i].name, c->files.items[i].text);
    engine_add_text(engine, str_c(CASE_MAIN), c->text);
    return case_run(engine, arena, out, &diags, data, times);
}

#endif

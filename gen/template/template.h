/* template.h: the template engine, as the rest of opgen uses it.
 *
 * An Engine holds compiled templates, the folders they come from and the functions handed in from C. A
 * template is read, parsed and compiled once and can be rendered any number of times. Findings go to the
 * engine's Diags; output comes whole or not at all.
 *
 * The way of a template: syntax/ (text to tree) -> code/ (tree to code) -> vm/ (code to text), with value/ (what is
 * computed with) and lib/ (filters, tests, functions) beside them.
 */
#ifndef OPGEN_TEMPLATE_TEMPLATE_H
#define OPGEN_TEMPLATE_TEMPLATE_H

#include "template/syntax/parse.h"
#include "template/value/run.h"

typedef struct Engine Engine;
typedef struct Template Template;

typedef struct EngineOptions {
    SyntaxOptions syntax;
    UndefinedMode undefined;
    TemplateLimits limits;
    bool autoescape; /* HTML escaping of {{ }}; Jinja's default and ours: off */
} EngineOptions;

/* The engine lives in the arena, which the caller frees. Keys of data must come from the same Names. */
Engine *engine_new(Arena *arena, Names *names, Diags *diags, const EngineOptions *options);
/* A folder that templates are loaded from, asked in the order of the calls. */
void engine_add_root(Engine *engine, Str folder);
/* A template from memory under this name; goes before the folders. */
void engine_add_text(Engine *engine, Str name, Str text);
/* A function that every template can call: params as in struct Native. */
void engine_add_function(Engine *engine, const char *name, NativeFn fn, const char *params, void *user);

/* NULL after adding findings. `from` is the place that asks (may be empty). */
Template *engine_load(Engine *engine, Str name, Span from);
/* The first of these that there is; n is at least 1. */
Template *engine_load_first(Engine *engine, const Str *names, size_t n, Span from);
/* The text, which is no template, of the first of these that there is, else NULL. False after a finding: it cannot be
 * read. */
bool engine_read_first(Engine *engine, const Str *names, size_t n, Span from, const Source **source);
/* A template whose text was read elsewhere; shown in errors under the source's own name. */
Template *engine_compile(Engine *engine, Source *source);

/* Renders into the arena `out`; data is a V_DICT (or V_MISSING for none). False after adding a finding. */
bool engine_render(Engine *engine, Template *template, Value data, Arena *out, Str *text);
/* One block of a template, its parents' blocks behind it, after the template's top-level set, macro and import
 * statements. */
bool engine_render_block(Engine *engine, Template *template, Name block, Value data, Arena *out, Str *text);
bool template_has_block(const Template *template, Name block);
/* The files that were read so far, in the order of reading: what was rendered depends on them. */
const Source *const *engine_files(const Engine *engine, uint32_t *n);

#endif

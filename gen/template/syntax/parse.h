/* parse.h: text to tree. The lexer and both halves of the parser stand behind these two functions. */
#ifndef OPGEN_TEMPLATE_PARSE_H
#define OPGEN_TEMPLATE_PARSE_H

#include "template/syntax/ast.h"

/* How white space around tags is taken: Jinja's options of the same names and with its defaults (all false). */
typedef struct SyntaxOptions {
    bool trim_blocks;
    bool lstrip_blocks;
    bool keep_trailing_newline;
} SyntaxOptions;

/* A whole template. NULL after adding findings: the parser goes on behind the tag in which an error stands, so
 * that a file's errors are reported together. */
TemplateAst *parse_template(Arena *arena, Names *names, Source *source, const SyntaxOptions *options, Diags *diags);

/* The same, but what could be understood of a template with errors is given all the same (whole is false then), so that
 * a later stage can look for mistakes of its own in it. */
TemplateAst *parse_template_partly(Arena *arena, Names *names, Source *source, const SyntaxOptions *options,
                                   Diags *diags, bool *whole);

/* The text between two offsets of the source as one expression, with nothing behind it (an unparenthesised tuple
 * is allowed, as in {{ 1, 2 }}). NULL after adding a finding. */
Expr *parse_expression(Arena *arena, Names *names, Source *source, uint32_t from, uint32_t to, Diags *diags);

#endif

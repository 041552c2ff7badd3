/* c_text.h: C as a list of tokens, as far as it takes to put several sources into one file. */
#ifndef OPGEN_EMIT_C_TEXT_H
#define OPGEN_EMIT_C_TEXT_H

#include "base/map.h"

typedef enum CKind {
    C_END,
    C_SPACE, /* blanks, comments */
    C_LINE,  /* a line of the preprocessor, without its line break; what is continued included */
    C_WORD,
    C_OTHER, /* a number, a literal, or one sign */
} CKind;

/* The next token at *at, which is moved behind it. *line: whether nothing but blanks stands before it in its line. */
CKind c_token(Str text, size_t *at, bool *line, Str *token);

/* The name that `#define NAME` defines; empty: this line is none. *empty: without a body or parameters. */
Str c_defined(Str line, bool *empty);
/* Whether this line is `#ifndef NAME`. */
bool c_asks_for(Str line, Str name);
/* What stands in `#include X`, with its quotes or brackets; empty: this line is none. */
Str c_included(Str line);

/* The next word at or behind *at, of what is code or a line of the preprocessor; empty: there is none. *line as above.
 */
Str c_next_word(Str text, size_t *at, bool *line);

/* Names that a source declares outside of functions, and the macros of C_LINEs that are its own: those that it gives a
 * value only where there is none are for whoever compiles it. */
void c_own_names(Str text, Names *declared, Names *macros);
/* The text with each of these names behind `prefix` and "_", as C and as lines of the preprocessor have it. */
void c_rename(Buf *out, Str text, const Names *names, Str prefix);

#endif

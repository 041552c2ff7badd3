/* diag.h: what went wrong, where, and the likely mend.
 *
 * Stages do not print: they add to a list and go on where that makes sense, so that one run names
 * every mistake. A Source is a text that was read and knows its lines; a Span is a piece of one.
 * The list is shown at the end in one of four formats.
 *
 *     model.json:14:59: error[E021]: op "linear" has no input "bais"
 *        14 |     {"op": "linear", "in": {"input": "x", "weight": "w1", "bais": "b1"}, "out": "h"},
 *           |                                                           ^~~~~~ did you mean "bias"?
 *     model.json:3:1: note: included from here
 */
#ifndef OPGEN_BASE_DIAG_H
#define OPGEN_BASE_DIAG_H

#include "str.h"
#include "vec.h"

typedef struct Source {
    Str name; /* as the user would write it */
    Str text;
    uint32_t *lines; /* offset of each line, made when first asked for */
    uint32_t line_count;
} Source;

typedef struct Span {
    Source *source; /* NULL: no place, only a message */
    uint32_t from, to;
} Span;

static inline Span span(Source *source, size_t from, size_t to) { return (Span){source, (uint32_t)from, (uint32_t)to}; }

typedef struct Place {
    uint32_t line, column; /* from 1; columns count code points */
} Place;

Source *source_new(Arena *arena, Str name, Str text);
Place source_place(Arena *arena, Source *source, uint32_t offset);
Str source_line(Arena *arena, Source *source, uint32_t line); /* without its line break */

typedef enum DiagLevel { DIAG_ERROR, DIAG_WARNING } DiagLevel;

/* Every kind of finding, with its number: diag_codes.h lists them all. */
typedef enum DiagCode {
#define DIAG(number, name, summary) name = number,
#include "diag_codes.h"
#undef DIAG
} DiagCode;

typedef struct DiagNote {
    Span span;
    Str text;
} DiagNote;

typedef struct Diag {
    DiagLevel level;
    DiagCode code;
    Span span;
    Str text;
    Str hint;            /* the mend, shown behind the caret; may be empty */
    VEC(DiagNote) notes; /* the way there: innermost first */
} Diag;

typedef struct Diags {
    Arena *arena;
    VEC(Diag *) items;
    uint32_t errors, warnings; /* found, kept or not */
    uint32_t most;             /* how many of each are kept; further ones are only counted. 0: 100 */
} Diags;

void diags_init(Diags *diags, Arena *arena);
/* Never NULL: what is over `most` gets a finding that is in no list. */
Diag *diag_add(Diags *diags, DiagLevel level, DiagCode code, Span span, const char *format, ...);
Diag *diag_vadd(Diags *diags, DiagLevel level, DiagCode code, Span span, const char *format, va_list args);
#define diag_error(diags, code, ...) diag_add((diags), DIAG_ERROR, (code), __VA_ARGS__)
void diag_hint(Diags *diags, Diag *diag, const char *format, ...);
void diag_note(Diags *diags, Diag *diag, Span span, const char *format, ...);
/* `did you mean "x"?` if one of the candidates is near; false if none is. */
bool diag_suggest(Diags *diags, Diag *diag, Str wrong, const Str *candidates, size_t n);

typedef enum DiagFormat { DIAG_TEXT, DIAG_JSON, DIAG_GITHUB, DIAG_SARIF } DiagFormat;
/* In the order of file and place, the same finding once. color: ANSI colours, text format only. */
void diags_render(Diags *diags, DiagFormat format, bool color, Buf *out);

#endif

/* headers.h: the lines that include headers in front of a function.
 *
 * A backend's "headers" are included by everything. Of its "used_headers", each a file beside its templates, a function
 * includes those that declare a name which it has: so what is generated says what it needs, and no more is copied and
 * compiled.
 */
#ifndef OPGEN_EMIT_HEADERS_H
#define OPGEN_EMIT_HEADERS_H

#include "emit/plan.h"

typedef struct Headers {
    Arena *arena;
    Str always;  /* the lines of "headers" */
    Str *used;   /* a line for each of "used_headers" */
    uint32_t n;  /* of them */
    Names names; /* what these declare */
    Map owners;  /* a name -> the line of the first that declares it */
} Headers;

/* False after a finding: one of "used_headers" is not there, or cannot be read. */
bool headers_begin(Headers *headers, Plan *plan, Engine *engine);
/* The lines for this text. */
void headers_write(const Headers *headers, Str text, Buf *out);

#endif

/* backend_internal.h: what backend*.c share. */
#ifndef OPGEN_OP_BACKEND_INTERNAL_H
#define OPGEN_OP_BACKEND_INTERNAL_H

#include "op/backend.h"

typedef struct BackendRead {
    Arena *arena;
    Names *names;
    Diags *diags;
    Source *source;
    Backend *backend; /* has its parents' tables already */
    const char *what; /* "backend" or "profile", as the file is called */
    bool failed;
} BackendRead;

Diag *backend_error(BackendRead *read, const Json *at, DiagCode code, const char *format, ...);
bool backend_want(BackendRead *read, const Json *got, JsonKind kind, Str key);
/* A finding for a key that is not known, with the nearest that is. */
void backend_unknown(BackendRead *read, const JsonMember *member, const char *of, const Str *known, size_t n);

/* ---- backend_table.c */
void backend_read_types(BackendRead *read, const Json *types);
void backend_read_functions(BackendRead *read, const Json *functions);

#endif

/* rewrite_inner.h: what the files of the rules' reader share; for rewrite*.c of this folder only. */
#ifndef OPGEN_OP_REWRITE_INNER_H
#define OPGEN_OP_REWRITE_INNER_H

#include "op/opdef_inner.h"
#include "op/rewrite.h"

typedef struct RewriteFile {
    Source *source;
    Source *decoded; /* see OpRead */
} RewriteFile;

struct RewritePart {
    RewriteFile *file;
    const Json *json;  /* the rule's object */
    const Json *match; /* the nodes: an array of objects */
    Name name;
    uint32_t layer, order; /* order: of its file among all */
    VEC(Name) ops;
    bool read;
    Rewrite *rewrite; /* once read; NULL: it is wrong */
};

/* ---- rewrite_read.c */
/* Findings for an object that is no rule, as far as that has to do with all of it. */
void rewrite_check_keys(OpRead *read);
/* NULL after adding findings. */
Rewrite *rewrite_read(const OpTable *table, RewritePart *part, Diags *diags);

/* ---- rewrite_check.c */
/* Fills in which inputs, attributes and operators are meant. False after adding findings. */
bool rewrite_check(const OpTable *table, Rewrite *rewrite, Diags *diags);

#endif

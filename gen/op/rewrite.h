/* rewrite.h: rules that put some operators in the place of others, as JSON has them.
 *
 * A rule matches a node and those that feed it, and says by which steps the same results are made. It is data: whoever
 * adds an operator adds its algebra beside it. The reference for authors is opdefs/README.md, the JSON Schema
 * opdefs/rewrites/rewrite.schema.json; what fires where is decided by the pass of this name.
 *
 * Files are read when a graph is looked at for the first time. Of opgen's own a rule is taken apart only where a graph
 * has all operators that it matches.
 */
#ifndef OPGEN_OP_REWRITE_H
#define OPGEN_OP_REWRITE_H

#include "op/opdef.h"

enum { REWRITE_MOST_NODES = 24, REWRITE_NONE = -1 };

/* A tensor that a rule names. */
typedef struct RewriteTensor {
    Name name;
    int node;        /* which of the rule's nodes makes it; REWRITE_NONE: it comes from outside */
    uint32_t output; /* which of that node's results */
    bool optional;   /* may be left out where it is read */
    bool constant;   /* has to be known before a run: a param, or computed from params alone */
    uint32_t from, to;
} RewriteTensor;

typedef enum RewriteTake {
    TAKE_TENSORS,
    TAKE_NUMBER,       /* a number in its place, or a tensor of nothing but this number */
    TAKE_NAMED_NUMBER, /* the same, any number, which gets a name */
    TAKE_NOTHING,      /* left out */
} RewriteTake;

/* What a node of the match reads by one input. */
typedef struct RewriteInput {
    Name name;   /* of the operator's input; NULL until rewrite_check where it is given by position */
    uint32_t at; /* which input; from rewrite_check */
    RewriteTake take;
    uint32_t *tensors; /* TAKE_TENSORS: which of the rule's; several where the input is a list */
    uint32_t n;
    double number;
    uint32_t attr; /* TAKE_NAMED_NUMBER: which of the rule's names */
    uint32_t from, to;
} RewriteInput;

/* What an attribute has to be. */
typedef struct RewriteAttr {
    Name name;
    uint32_t at; /* which attribute; from rewrite_check */
    int bind;    /* which of the rule's names its value gets; REWRITE_NONE: it has to be `value` */
    bool any;    /* "_": whatever it is */
    OpExpr value;
    uint32_t from, to;
} RewriteAttr;

typedef struct RewriteNode {
    Name name; /* of the operator */
    Span at;
    const OpDef *op; /* from rewrite_check */
    VEC(RewriteInput) in;
    VEC(RewriteAttr) attrs;
    VEC(int) out;   /* which of the rule's tensors each result is; REWRITE_NONE: it has no name */
    bool any_order; /* the first two inputs may be exchanged */
    bool shared;    /* others may read the results, and then the node stays */
} RewriteNode;

/* A result that is a tensor of the match. */
typedef struct RewriteGive {
    uint32_t result, tensor;
} RewriteGive;

typedef struct Rewrite {
    Name name;
    VEC(RewriteTensor) tensors;
    VEC(RewriteNode) nodes; /* the last one is the node that is looked for; each other feeds one behind it */
    OpExpr when;
    VEC(RewriteGive) gives;
    /* The steps as a composite: its inputs are those of the rule's tensors that the last node does not make, in their
     * order (made_from says which), its attributes the values that got names, its outputs the results that steps make
     * (made_to). Without steps it has no outputs. */
    OpDef *made;
    VEC(uint32_t) made_from, made_to;
    bool broken;    /* something in it is wrong, but for its match */
    bool good;      /* rewrite_check found nothing, and nothing is wrong */
    uint32_t fired; /* counted by who uses it */
} Rewrite;

/* One way to match of one rule of a file. */
typedef struct RewritePart RewritePart;
typedef VEC(RewritePart *) RewriteParts;

/* Rules are looked for in this folder, if it is there. Those of an earlier folder go before those of a later one, and
 * take the place of those of their name. own: mistakes of rules that are not needed stay untold. */
void rewrites_add_folder(OpTable *table, Str folder, bool own);
/* Adds one file, whole: what lint and tests want. False after adding findings. */
bool rewrites_read(OpTable *table, Source *source, Diags *diags);
/* Of all that were read whole: do they go with the operators? */
bool rewrites_check(const OpTable *table, Diags *diags);

/* Reads what was added and not read yet; opgen's own files only as text. False after adding findings. */
bool rewrites_load(const OpTable *table, Diags *diags);
/* Of these reads the files that name the operator: before it is asked what rules there are for graphs that have it. */
bool rewrites_want(const OpTable *table, Name op, Diags *diags);
/* Those whose last node is of this operator, in the order in which they are to be tried; NULL: there are none. */
const RewriteParts *rewrites_of(const OpTable *table, Name op);
/* The operators that it takes. */
const Name *rewrite_operators(const RewritePart *part, uint32_t *n);
/* The part, taken apart and checked. NULL: it is wrong, which is told the first time. */
Rewrite *rewrite_get(const OpTable *table, RewritePart *part, Diags *diags);
/* Of all that were taken apart: fired is 0 again. */
void rewrites_reset(const OpTable *table);
/* Those that fired: the rules' composites, for their places in files. */
const OpDef **rewrites_fired(const OpTable *table, Arena *arena, uint32_t *n);
/* The files of folders that are not opgen's own. */
Source **rewrites_files(const OpTable *table, Arena *arena, uint32_t *n);

#endif

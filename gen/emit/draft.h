/* draft.h: one function while it is being written; for function.c, draft*.c and native*.c alone.
 *
 * A draft is a group as the function sees it: every size is a variable of the function (n0, n1, or a name that the
 * operator's "sizes" give), so that the text is the same for all groups that differ in sizes and names alone. Shapes of
 * what the group reads are made of these variables (draft_shape.c), and those of what it computes are inferred anew.
 * Code for elements is made on demand of the template (draft_value.c, draft_place.c), which asks through functions that
 * native.c and native_fold.c hand to the engine.
 */
#ifndef OPGEN_EMIT_DRAFT_H
#define OPGEN_EMIT_DRAFT_H

#include "emit/plan.h"
#include "op/view.h"

/* ---- what a group looks like, before anything is made of it: the sizes of its tensors as numbered classes */
enum { CLASS_ONE = -1, CLASS_ZERO = -2 }; /* sizes that every function knows */

typedef struct DraftShape {
    int32_t *classes; /* one a dim */
    uint32_t rank;
} DraftShape;

typedef enum DraftForm {
    FORM_MAP,    /* maps alone: goes over the shape of what it writes, dims that nothing tells apart made one */
    FORM_REDUCE, /* a reduction: over the shape of what it reads, the same */
    FORM_VIEW,   /* maps and views */
    FORM_KERNEL,
} DraftForm;

typedef struct DraftSketch {
    DraftForm form;
    bool exact;        /* shapes are the model's own, in named dims and numbers, where variables do not do */
    bool merged;       /* dims that nothing tells apart were made one */
    bool own_dims;     /* FORM_REDUCE: what is read has dims of its own, not those that are gone over */
    DraftShape *reads; /* one a read of the group */
    DraftShape over;   /* FORM_MAP, FORM_REDUCE: the dims that are gone over */
    bool *reduced;     /* FORM_REDUCE: one a dim of `over` */
    /* FORM_REDUCE: what is made has the dims of `over`, those that are reduced with the size 1, so that what follows
     * may read other tensors along them. */
    bool along;
    VEC(SymRef) model; /* the size of each class in the model's terms */
} DraftSketch;

/* False after adding findings. */
bool sketch_make(Plan *plan, const Group *group, bool exact, DraftSketch *sketch);
/* All that the function's text depends on: equal keys, equal functions. */
Str sketch_key(Plan *plan, const Group *group, const DraftSketch *sketch);

/* ---- the draft */
typedef struct DraftTensor {
    const Tensor *tensor; /* NULL: a result that the model does not name */
    RuleTensor type;
    Str name;  /* x0, y0; empty: within the function alone */
    bool read; /* from memory; otherwise it is computed by node `by`, as its output number `output` */
    uint32_t by, output;
} DraftTensor;

typedef struct DraftNode {
    const Node *node;
    RuleCall call;
    RuleTensor *outputs;
    uint32_t **inputs; /* tensors, by declared input and item */
    uint32_t *results; /* tensors */
    const RuleScope *scope;
} DraftNode;

typedef struct DraftSize {
    Name name;
    SymRef value;
    Str text; /* how the template writes it: the name, or a number */
} DraftSize;

typedef struct DraftHole {
    Name name;
    uint32_t tensor;
    RuleShape shape;  /* of the template's index */
    const OpHole *of; /* how the tensor's index is made of it; NULL: as it is */
} DraftHole;

/* A value that is there already, at this index, under this name. */
typedef struct DraftKnown {
    uint32_t tensor;
    const SymRef *index;
    Lowered value;
} DraftKnown;

/* The element of an input of positions, clamped to the size of what it is a position in. */
typedef struct DraftPosition {
    uint32_t tensor;
    const SymRef *index;
    SymRef size, position;
} DraftPosition;

typedef struct Draft {
    Plan *plan;
    Arena *arena; /* the draft's own; what stays is copied */
    const Group *group;
    const DraftSketch *sketch;
    Syms syms;
    Rules rules;
    Name *class_names;
    SymRef *class_vars;
    Map dim_vars;             /* exact: the model's dims, name -> SymRef */
    VEC(DraftTensor) tensors; /* reads first */
    VEC(DraftNode) nodes;
    VEC(uint32_t) writes; /* tensors, one a write of the group */
    DraftNode *anchor;
    VEC(DraftSize) sizes; /* FORM_KERNEL */
    VEC(DraftHole) holes;
    VEC(DraftSize) dims; /* FORM_MAP, FORM_VIEW, FORM_REDUCE: what the loops go over */
    bool *dim_reduced;   /* FORM_REDUCE: one a dim */
    bool *again;         /* FORM_REDUCE: one a tensor: a second turn over the dims makes it, when the result is known */
    uint32_t *dim_of;    /* FORM_REDUCE: for each dim of sketch->over the loop that it is part of */
    bool raw;            /* elements are only moved: no conversion */
    Name workspace_text;
    SymRef workspace; /* bytes; NULL: none */
    bool asked;       /* a size was asked for its number */
    Dtype *acc_types; /* of the anchor's accumulators, to compute in; NULL: not known yet */
    /* ---- while statements are being written */
    Buf *out;       /* NULL: everything is one expression */
    uint32_t named; /* constants so far: v0, v1 */
    VEC(DraftKnown) known;
    VEC(DraftPosition) positions;
} Draft;

/* What a function calls a named dim of the model. */
Name draft_dim_name(Plan *plan, Name dim);
/* False after adding findings: to the plan's, or, where the sketch is not exact, to nobody: it is to be tried exactly.
 */
bool draft_make(Draft *draft);
/* A node's attributes with their integers as other Syms; dims as `with` says. NULL: there are dims, and no `with`. */
const RuleValue *draft_attrs(Arena *arena, Syms *syms, const Map *with, const Node *node);

/* ---- draft_order.c: the dims that a reduction goes over, from the outermost loop to the innermost */
void draft_order_dims(Draft *draft, uint32_t *order);

/* ---- draft_value.c. All of these are false after adding findings. */
bool draft_value(Draft *draft, uint32_t tensor, const SymRef *index, Lowered *out);
/* The index in a tensor that broadcasts to a shape of so many dims. */
SymRef *draft_broadcast(Draft *draft, const RuleShape *shape, const SymRef *index, uint32_t rank);
/* element: where it goes, as code; empty: the tensor's element at this index. */
bool draft_store(Draft *draft, uint32_t tensor, const SymRef *index, Lowered value, Str element, Buf *out);
void draft_remember(Draft *draft, uint32_t tensor, const SymRef *index, Lowered value);
/* Whether views behind the anchor say where they move what it makes. */
bool draft_can_follow(Draft *draft);
/* The value of a tensor is there: whatever the group writes of it, itself or behind maps and views, is computed in the
 * statements that are being written and stored by `stores`. element: what is stored to at the same index. */
typedef Str DraftElement(void *user, uint32_t tensor);
bool draft_output(Draft *draft, uint32_t tensor, const SymRef *index, Lowered value, DraftElement *element, void *user,
                  Buf *stores);
Str draft_element(Draft *draft, uint32_t tensor, const SymRef *index); /* x0[i0*n1 + i1] */
/* A constant of this value in the statements that are being written, under `name` or a new one. */
Lowered draft_declare(Draft *draft, Str name, Lowered value);
Lower draft_lower(Draft *draft, const RuleScope *scope);
Str draft_sym(Draft *draft, SymRef a); /* as C */
/* Statements go to `out` from now on; what is known already is known within them alone. */
void draft_begin(Draft *draft, Buf *out);
void draft_end(Draft *draft);
/* Statements without constants of ours that none of them needs. */
Str draft_without_unused(Draft *draft, Str text);
/* A backend's function with these operands. Empty: it has more operands than these. */
Str draft_call(Arena *arena, const LowerFunction *function, const Str *operands, uint32_t n);
/* The position that a template's text stands for. */
SymRef draft_index(Draft *draft, Str text, SymRef size);
/* The names that a body of this node sees for its inputs at an index of the shape that they broadcast to. */
bool draft_inputs(Draft *draft, DraftNode *node, const SymRef *index, uint32_t rank, LowerName *names, uint32_t *n);

/* ---- draft_place.c */
/* A pointer to a tensor's element, where those that follow along a variable of the index lie behind it one by one; it
 * is that at `from`. False: it has none, or they do not. Nobody is told. */
bool draft_place(Draft *draft, uint32_t tensor, const SymRef *index, SymRef along, SymRef from, Str *out);

/* ---- native.c, native_fold.c */
typedef struct Natives {
    Draft *draft; /* the function that is being written */
    Engine *engine;
} Natives;
void natives_add(Natives *natives);
void natives_add_fold(Natives *natives);
Value natives_data(Draft *draft, Str uri, Str params, Str names); /* what the template sees */
const SymRef *native_index(Run *run, Draft *draft, Value list, const SymRef *sizes, uint32_t n, const char *what);
Dtype native_dtype(Run *run, Value name, const char *what);
Value native_map_element(Run *run, Draft *draft, Value index);
const SymRef *native_dims_index(Run *run, Draft *draft, Value list, const char *what);
/* The index in the hole's tensor for one of the template. */
const SymRef *native_hole_index(Run *run, Draft *draft, const DraftHole *hole, const SymRef *index);
/* Accumulators as templates see them; NULL after adding findings. Whether any order of combining gives the same bits.
 */
List *native_fold_accs(Draft *draft);
List *native_fold_results(Draft *draft); /* names and types of what `finish` gives */
bool native_fold_exact(Draft *draft);
NORETURN void native_give_up(Run *run, Draft *draft); /* after a finding */

#endif

/* plan.h: what a generated model consists of: functions, the calls of them in order, and where each tensor lies.
 *
 * Made of a graph and its groups. A Function is code that is written once; calls whose functions have the same text
 * share it, whatever the names and sizes of their tensors: sizes are arguments. A Place says where a tensor is at run
 * time; what is neither an input, a param nor an output has a slot of the arena. Sizes are Syms over the model's named
 * dims (Graph.syms), or numbers.
 */
#ifndef OPGEN_EMIT_PLAN_H
#define OPGEN_EMIT_PLAN_H

#include "op/backend.h"
#include "pass/group.h"
#include "template/template.h"

/* ---- functions */
typedef struct Function {
    Str uri;    /* add_f32_3fa91c20: operator, dtypes, a hash of the text */
    Str file;   /* k_add_f32_3fa91c20.c */
    Str text;   /* the file, complete */
    Str decl;   /* as the driver declares it, with its semicolon */
    Str kernel; /* whose template it is of: "map" */
    /* A call is `before`, the arguments parted by commas, `after`: "add_f32_3fa91c20(" and ");" */
    Str before, after;
    uint32_t calls; /* how many calls share it */
    bool fails;     /* it may find that the run cannot go on, and leaves that where its argument ARG_FAULT says */
} Function;

/* ---- places */
typedef enum PlaceKind {
    PLACE_NONE, /* needs none: computed within a function */
    PLACE_INPUT,
    PLACE_PARAM,
    PLACE_OUTPUT,
    PLACE_FOLDED, /* computed once for a set of weights, and kept with it: which of Plan.folded */
    PLACE_SLOT,   /* of the arena of the calls that make it */
} PlaceKind;

typedef struct TensorPlace {
    PlaceKind kind;
    uint32_t at;   /* which input, param, output, folded tensor or slot */
    SymRef offset; /* elements of the tensor's dtype behind the beginning; NULL: none */
} TensorPlace;

/* ---- calls */
typedef enum ArgKind {
    ARG_WRITE,     /* a tensor: `T *` */
    ARG_READ,      /* a tensor: `const T *` */
    ARG_SIZE,      /* int64_t */
    ARG_WORKSPACE, /* void *, of Call.workspace bytes, aligned to 64 */
    ARG_FAULT,     /* where a function that fails says so: `text` as it is: "run->fault" */
    ARG_EXTRA,     /* what the backend hands to every function: `text` as it is: "run->threads" */
} ArgKind;

typedef struct Arg {
    ArgKind kind;
    const Tensor *tensor;
    SymRef size;
    Str text; /* ARG_EXTRA, ARG_FAULT: the argument. ARG_WRITE, ARG_READ: the type it is cast to: "const float *" */
} Arg;

typedef struct Call {
    const Function *function; /* NULL: a copy */
    VEC(Arg) args;            /* in the order of the function's parameters */
    SymRef workspace;         /* bytes, or NULL */
    uint32_t workspace_slot;
    const Group *group; /* NULL: a copy */
    /* Of a copy: the tensor whose elements are copied, and the two places, which are not the same memory. */
    const Tensor *copied;
    TensorPlace from, to;
    SymRef bytes;
} Call;

/* ---- memory */
/* A piece of the arena, in use from call `first` to call `last`, both included. */
typedef struct Slot {
    SymRef bytes;    /* a multiple of 64 */
    int64_t planned; /* the same for the dims that the plan is made for: the largest */
    int64_t offset;  /* for these dims */
    VEC(uint32_t)
    on; /* the slots that this one lies directly on top of, whatever the dims are: its offset is the
           greatest end of these, 0 if there are none. No slot in use at the same time overlaps it */
    uint32_t first, last;
} Slot;

/* What the calls of fold leave for those of runs, one behind the other in memory that lives as long as the weights. */
typedef struct Folded {
    const Tensor *tensor;
    int64_t offset, bytes; /* offset: a multiple of 64 */
} Folded;

typedef struct Plan {
    Arena *arena;
    Graph *graph;
    const Groups *groups;
    const Backend *backend;
    const Str *use; /* candidates to take where an operator has them */
    uint32_t use_count;
    const Str *archs; /* of EmitOptions */
    uint32_t arch_count;
    VEC(Str) libraries;        /* what functions are linked with: "-lopenblas" */
    VEC(Function *) functions; /* sorted by uri */
    VEC(Call) calls;
    TensorPlace *places; /* by Tensor.number */
    VEC(Slot) slots;
    /* The calls of constant groups, made once for each set of weights: a plan of its own with calls, slots and an
     * arena, none of which depends on dims. All else of it is this plan's. NULL: there are none. */
    struct Plan *fold;
    VEC(Folded) folded;
    int64_t folded_bytes; /* of all together */
    /* The dims that `planned` and `offset` are for, one a named dim: the largest, or smaller ones where memory for
     * these would be beyond all machines. */
    VEC(int64_t) planned_dims;
    int64_t arena_planned; /* bytes of the whole arena for these */
} Plan;

/* ---- template.c */
/* The kernel template that an operator is made with, where these candidates are to be taken. */
Name plan_kernel(const Str *use, uint32_t use_count, const OpDef *op);
/* The template of this name for a backend: its own, or its nearest parent's. NULL after a finding. */
Template *emit_template(Engine *engine, Arena *arena, const Backend *backend, Str name, Span from);

/* ---- arch.c: false after findings: operators whose opdefs say that they are not for this backend. */
bool plan_check_arch(Plan *plan);

/* ---- function.c: groups to functions and calls, into the plan. False after adding findings. */
bool plan_functions(Plan *plan, Engine *engine);
/* ---- place.c: where each tensor lies; adds copies to the calls where a value has to be in two places. False after
 * adding findings: sizes that do not fit 64 bits. */
bool plan_places(Plan *plan);
/* ---- arena.c: offsets of the slots, of fold's as well. Within a few percent of the largest sum of what lives at once;
 * the same on every machine; n log n. */
void plan_arena(Plan *plan);

#endif

/* rule.h: evaluating an opdef's rules: shapes, requirements, view indices, types, costs. The evaluator of the
 * expression language over symbolic integers.
 *
 * What an expression is made of: integers that may be symbolic, floats, booleans (which may be undecided), texts, None,
 * lists, and tensors, whose attributes are shape, rank, numel, dtype and itemsize. Operators mean what they mean in
 * templates; lists and texts have .index(x) and .count(x). Functions are those of builtins.h that are for rules; what
 * makes sense of them, and length, list, first, last, reverse and sort, may be written as a filter too. Names that
 * nothing in the scope has are dtypes (f32), inf, nan and pi.
 *
 * Where a condition depends on sizes that are known only at run time, `a if c else b`, `and`, `or`, comparisons and
 * `in` give a symbolic value, as long as both sides are integers, truths, or lists of the same length of these.
 * Anything that needs to know more (which of two texts, an index, how long a list is) is an error that says so. A list
 * has at most RULE_MOST_ITEMS items, a shape RULE_MOST_RANK dims.
 */
#ifndef OPGEN_OP_RULE_H
#define OPGEN_OP_RULE_H

#include "op/opdef.h"
#include "op/sym.h"

typedef enum RuleKind {
    RULE_NONE,
    RULE_BOOL,
    RULE_INT,
    RULE_FLOAT,
    RULE_TEXT,
    RULE_LIST,
    RULE_TENSOR,
    RULE_DTYPE
} RuleKind;

typedef struct RuleValue RuleValue;

typedef struct RuleShape {
    SymRef *dims;
    uint32_t rank;
} RuleShape;

typedef struct RuleTensor {
    Dtype dtype;
    RuleShape shape;
} RuleTensor;

struct RuleValue {
    RuleKind kind;
    union {
        SymRef i; /* RULE_INT; RULE_BOOL: 0, 1 or a condition */
        double f;
        Str s;
        Dtype dtype;
        const RuleTensor *tensor;
        struct {
            RuleValue *items;
            uint32_t n;
        } list;
    } as;
};

typedef struct RuleScope {
    struct RuleScope *outer;
    Name name;
    RuleValue value;
} RuleScope;

/* What an expression is evaluated for, to be told behind a finding in it: `for the shape of "y" of "linear", here`. */
typedef struct RuleUse {
    Span at;
    const char *what; /* "the shape of "; NULL: nothing is told */
    Name name;        /* may be NULL */
    Name op;
} RuleUse;

/* What `element(index, position, size)` is in code: a position in a dim of this size. False after adding findings. */
typedef bool RuleElement(void *user, const RuleTensor *index, const SymRef *at, SymRef size, SymRef *out);

typedef struct Rules {
    Arena *arena;
    Names *names;
    Syms *syms;
    Diags *diags;
    RuleUse use;          /* may be empty */
    RuleElement *element; /* NULL: no code is written, and each element is some position, equal to no other */
    void *element_user;
} Rules;

enum { RULE_MOST_ITEMS = 100000, RULE_MOST_RANK = 64 };
#define RULE_NO_RANK UINT32_MAX /* of a shape that no rule gives: a composite's, which its steps tell */

/* False after adding a finding at the place in the expression, with Rules.use as a note. */
bool rule_eval(Rules *rules, const OpExpr *expr, const RuleScope *scope, RuleValue *out);
bool rule_shape(Rules *rules, const OpOutput *output, const RuleScope *scope, RuleShape *out); /* either form */
RuleValue rule_of_json(Rules *rules, const Json *json);
/* As an error or a message shows it: [2, batch], f32, None. */
void rule_print(Buf *out, const RuleValue *value);
void rule_print_shape(Buf *out, RuleShape shape); /* (2, batch) */
/* The same Syms; false may also be that nobody can tell yet. */
bool rule_same_shape(RuleShape a, RuleShape b);

/* ---- one use of an operator */

/* A requirement that only some sizes meet: to be checked when the model runs. */
typedef struct RuleCheck {
    SymRef condition;
    Str otherwise; /* what to say then */
} RuleCheck;
typedef VEC(RuleCheck) RuleChecks;

/* A number in the place of a tensor. To rules it is a tensor without dims. */
typedef struct RuleScalar {
    Str text;    /* as the expression language has it: 2.5, -1, true; empty: it is none */
    Dtype dtype; /* what it is by itself: bool, i64, f32 */
    Span at;
} RuleScalar;

/* inputs: one a declared input; lists are spread out (counts). One that is left out has count 0 or a tensor of dtype
 * DT_COUNT; one that is a number has count 1 and a tensor of its dtype and no dims. */
typedef struct RuleCall {
    const OpDef *op;
    const RuleTensor *const *inputs; /* for each declared input an array of tensors */
    const uint32_t *counts;
    const RuleScalar *scalars; /* one a declared input; NULL: none of them is a number */
    const Dtype *types;        /* one a type variable, where they are known; NULL: what inputs promote to */
    const RuleValue *attrs;    /* one a declared attr */
    Span node;                 /* where the operator is used, for the findings */
    RuleChecks *checks;        /* gets requirements that are undecided, in the Rules' arena; NULL: these are findings */
} RuleCall;

/* How many tensors each declared output is: 1, or what its `count` says. */
bool rule_output_counts(Rules *rules, const RuleCall *call, uint32_t *counts);
/* What inputs and attributes make of an operator: all outputs' types and shapes, after its requirements. outputs has
 * room for as many as rule_output_counts tells. False after adding findings.
 *
 * A type variable is what the inputs whose type is this variable promote to (of a map's or composite's, tensors without
 * dims count only where they are of a higher category than those with dims, and numbers only where they are of a higher
 * one than tensors, as in PyTorch), and has to be in its set; one that no input tells is the only member of its set,
 * f32 if that is in it, or else unknown, DT_COUNT. Inputs of any other type have to have it. A number has to fit. Where
 * an opdef gives no shape, a map's outputs have the shape that its inputs broadcast to; a reduction's the same without
 * the dims that it reduces, or with 1 there if the attribute keepdim is true; a kernel's that of the first input; a
 * composite's has RULE_NO_RANK. */
bool rule_infer(Rules *rules, const RuleCall *call, RuleTensor *outputs, Dtype *types /* one a type variable */);
/* Which dims a reduction reduces, of the shape that its inputs broadcast to, which *shape gets. reduced: room for
 * RULE_MOST_RANK. */
bool rule_reduced(Rules *rules, const RuleCall *call, RuleShape *shape, bool *reduced);
/* What an input's elements are to be computed as: the type variable, or the dtype that the opdef says. DT_COUNT after
 * adding findings. `scope` is rule_scope's. */
Dtype rule_input_dtype(Rules *rules, const RuleCall *call, uint32_t input, const RuleScope *scope);
/* The scope that the rules of this call see; outputs may be NULL. */
const RuleScope *rule_scope(Rules *rules, const RuleCall *call, const RuleTensor *outputs);
/* What shapes broadcast to. False where they do not; *wrong is then the dim, counted from the end (1 is the last). */
bool rule_broadcast(Rules *rules, const RuleShape *shapes, uint32_t n, RuleShape *out, uint32_t *wrong);

#endif

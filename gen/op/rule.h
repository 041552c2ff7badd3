/* rule.h: evaluating an opdef's rules: shapes, requirements, view indices, types, costs. The evaluator of the
 * expression language over symbolic integers.
 *
 * What an expression is made of: integers that may be symbolic, floats, booleans (which may be undecided), texts, None,
 * lists, and tensors, whose attributes are shape, rank, numel, dtype and itemsize. Operators and methods mean what they
 * mean in templates. Functions: len min max abs sum prod range int float bool, broadcast(shape, ...), ravel(index,
 * shape), unravel(position, shape), wrap(dim, rank) for a dim that may count from the end, is_none(x); and for types
 * promote(a, ...), to_float(t), is_float(t), is_int(t).
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

typedef struct Rules {
    Arena *arena;
    Names *names;
    Syms *syms;
    Diags *diags;
} Rules;

/* False after adding a finding at the place in the expression, with `for_what` as a note where it is not empty. */
bool rule_eval(Rules *rules, const OpExpr *expr, const RuleScope *scope, RuleValue *out);
bool rule_shape(Rules *rules, const OpOutput *output, const RuleScope *scope, RuleShape *out); /* either form */
RuleValue rule_of_json(Rules *rules, const Json *json);
/* What inputs and attributes make of an operator: all outputs' types and shapes, after its requirements. `node` is
 * where the operator is used, for the findings. inputs: one a declared input, dtype DT_COUNT for one left out; lists
 * are spread out (counts). */
typedef struct RuleCall {
    const OpDef *op;
    const RuleTensor *const *inputs; /* for each declared input an array of tensors */
    const uint32_t *counts;
    const RuleValue *attrs; /* one a declared attr */
    Span node;
} RuleCall;
bool rule_infer(Rules *rules, const RuleCall *call, RuleTensor *outputs, Dtype *types /* one a type variable */);
/* The scope that the rules of this call see; outputs may be NULL. */
const RuleScope *rule_scope(Rules *rules, const RuleCall *call, const RuleTensor *outputs);

#endif

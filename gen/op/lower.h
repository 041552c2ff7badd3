/* lower.h: operator bodies as backend code. The evaluator of the expression language that has types.
 *
 * A body is computed in the compute type of what flows into it (f32 for f16 and bf16) and rounded once, where it is
 * stored. Each sub-expression has a type; literals take the type of what they meet (x * 2 stays f16's f32, x // 2 stays
 * an integer), mixed operands are promoted as PyTorch promotes tensors, / of integers gives a float, // and % round as
 * Python's, comparisons give bool, `and`, `or` and `not` are logical. Functions come from a table that the backend
 * provides, by name and type, so that this file knows none of them.
 */
#ifndef OPGEN_OP_LOWER_H
#define OPGEN_OP_LOWER_H

#include "op/opdef.h"
#include "op/rule.h"

typedef struct Lowered {
    Str text;     /* an expression of the backend's language, in parentheses where it needs them */
    Dtype type;   /* a compute type: never f16 or bf16 */
    bool literal; /* a number that has not met a type yet: takes the other side's */
} Lowered;

/* What a name in a body stands for. */
typedef struct LowerName {
    Name name;
    Lowered value;
} LowerName;

/* How one function or operator is written for one type: "expf({0})". The text's {0}, {1} are operands. */
typedef struct LowerFunction {
    Str text;
    Dtype result;
    Dtype operand; /* operands are converted to this first */
} LowerFunction;

typedef struct Lower {
    Arena *arena;
    Diags *diags;
    /* exp, max, "//", "cast:f16" ... for operands of this compute type. False: the backend has none. */
    bool (*function)(void *user, Str name, Dtype type, LowerFunction *out);
    void *user;
    /* What is not a LowerName: attributes and shapes, as rules see them. */
    Rules *rules;
    const RuleScope *scope;
} Lower;

bool lower_expr(Lower *lower, const OpExpr *expr, const LowerName *names, size_t n, Lowered *out);
Lowered lower_convert(Lower *lower, Lowered value, Dtype to); /* to a compute type */

#endif

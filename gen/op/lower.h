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
    Str text;     /* an expression of the backend's language, in parentheses unless it can be an operand without */
    Dtype type;   /* a compute type: never f16 or bf16 */
    bool literal; /* a number that has not met a type yet: takes the other side's. As in the expression language: 2.5,
                     -inf */
} Lowered;

/* What a name in a body stands for. "a.sum" is what the attribute of a name stands for. */
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
    Str dims; /* stands in front of the variables of symbolic sizes, as sym_print_c has it */
    /* Declares a constant of this type and value before the expression, and gives its name: for what is used more than
     * once and is not a plain name or number. Called in the order in which one may use another. NULL: such texts are
     * repeated. */
    Str (*let)(void *user, Str text, Dtype type);
    /* All names that `function` may know, for "did you mean"; may be empty. */
    const Str *functions;
    size_t function_count;
} Lower;

/* False after adding findings at their places in the expression. */
bool lower_expr(Lower *lower, const OpExpr *expr, const LowerName *names, size_t n, Lowered *out);
/* To a compute type. A literal that this type does not hold, and a type that the backend cannot convert to, add a
 * finding. */
Lowered lower_convert(Lower *lower, Lowered value, Dtype to);
/* Whether this dtype holds the number, written as a literal is; floats are rounded. */
bool lower_number_fits(Arena *arena, Str text, Dtype type);
/* The number as f16 or bf16 hold it; as it is for any other type. */
Str lower_number_rounded(Arena *arena, Str text, Dtype type);
/* The text without parentheses around all of it: where nothing stands beside it, as behind an `=`. */
Str lower_bare(Str text);

#endif

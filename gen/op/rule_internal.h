/* rule_internal.h: what the files of the rules' evaluator share; for rule*.c only.
 *
 * Every function that can fail has added a finding when it returns false (or NULL). The expression that is at fault is
 * handed along for its place.
 */
#ifndef OPGEN_OP_RULE_INTERNAL_H
#define OPGEN_OP_RULE_INTERNAL_H

#include "op/rule.h"

/* Items that one evaluation may go through; a text's bytes count as well. */
#define RULE_MOST_WORK 10000000

typedef struct Eval {
    Rules *rules;
    Source *source;
    const RuleScope *scope;
    uint64_t work;
} Eval;

static inline RuleValue rule_int(SymRef i) { return (RuleValue){.kind = RULE_INT, .as.i = i}; }
static inline RuleValue rule_bool(SymRef i) { return (RuleValue){.kind = RULE_BOOL, .as.i = i}; }
static inline RuleValue rule_float(double f) { return (RuleValue){.kind = RULE_FLOAT, .as.f = f}; }
static inline RuleValue rule_text(Str s) { return (RuleValue){.kind = RULE_TEXT, .as.s = s}; }
static inline RuleValue rule_dtype(Dtype dtype) { return (RuleValue){.kind = RULE_DTYPE, .as.dtype = dtype}; }
static inline RuleValue rule_list(RuleValue *items, uint32_t n) {
    return (RuleValue){.kind = RULE_LIST, .as.list = {items, n}};
}
static inline bool rule_is_integer(const RuleValue *v) { return v->kind == RULE_INT || v->kind == RULE_BOOL; }
static inline bool rule_is_number(const RuleValue *v) { return rule_is_integer(v) || v->kind == RULE_FLOAT; }

/* ---- rule.c */
bool rule_walk(Eval *eval, const Expr *e, RuleValue *out);
bool rule_eval_in(Rules *rules, const OpExpr *expr, const RuleScope *scope, RuleValue *out, Eval *eval);
Diag *rule_error(const Eval *eval, const Expr *e, const char *format, ...);
Diag *rule_error_at(const Eval *eval, DiagCode code, uint32_t from, uint32_t to, const char *format, ...);
void rule_note_use(Rules *rules, Diag *diag);
/* False after a finding where a computation with Syms went wrong since this was last asked. */
bool rule_fits(const Eval *eval, const Expr *e);
/* Takes n from the work that is left. */
bool rule_spend(Eval *eval, const Expr *e, uint64_t n);
/* Room for a list of n; NULL if that is too long. */
RuleValue *rule_room(Eval *eval, const Expr *e, uint64_t n);
bool rule_undecided(const Eval *eval, const Expr *e, SymRef condition); /* false, after saying what is not known */
/* An integer that is known now; `what` is "an index". */
bool rule_known(const Eval *eval, const Expr *e, const RuleValue *v, const char *what, int64_t *i);

/* ---- rule_value.c */
const char *rule_kind_name(RuleKind kind); /* "a list" */
RuleValue rule_shape_value(Rules *rules, RuleShape shape);
SymRef rule_truth(Rules *rules, const RuleValue *v);                                  /* 0, 1 or a condition */
SymRef rule_equal(Eval *eval, const Expr *e, const RuleValue *a, const RuleValue *b); /* NULL: failed */
SymRef rule_less(Eval *eval, const Expr *e, const RuleValue *a, const RuleValue *b);
SymRef rule_contains(Eval *eval, const Expr *e, const RuleValue *in, const RuleValue *item);
bool rule_binary(Eval *eval, const Expr *e, Op op, const RuleValue *a, const RuleValue *b, RuleValue *out);
bool rule_unary(Eval *eval, const Expr *e, Op op, const RuleValue *a, RuleValue *out);
bool rule_double(const Eval *eval, const Expr *e, const RuleValue *v, double *f); /* of a number */
/* `a if condition else b` for a condition that is not decided. */
bool rule_choose(Eval *eval, const Expr *e, SymRef condition, const RuleValue *a, const RuleValue *b, RuleValue *out);

/* ---- rule_access.c: items, slices, attributes */
bool rule_item(Eval *eval, const Expr *e, const RuleValue *a, const RuleValue *at, RuleValue *out);
/* The three are NULL where they are left out. */
bool rule_slice(Eval *eval, const Expr *e, const RuleValue *a, const RuleValue *start, const RuleValue *stop,
                const RuleValue *step, RuleValue *out);
bool rule_attr(Eval *eval, const Expr *e, const RuleValue *a, RuleValue *out);

/* ---- rule_call.c */
bool rule_call(Eval *eval, const Expr *e, RuleValue *out);   /* X_CALL */
bool rule_filter(Eval *eval, const Expr *e, RuleValue *out); /* X_FILTER */

/* The call of a function: its arguments' values and expressions. */
typedef struct RuleCallArgs {
    Eval *eval;
    const Expr *e;
    Str name;
    RuleValue *args;
    const Expr **at;
    uint32_t n;
} RuleCallArgs;

bool rule_call_wrong(const RuleCallArgs *call, uint32_t i, const char *wanted); /* false, after a finding */
bool rule_call_list_at(const RuleCallArgs *call, uint32_t i);
SymRef rule_call_number(const RuleCallArgs *call, int64_t i);
/* An argument that is a list of integers; `wanted` is "a shape". */
bool rule_call_shape(const RuleCallArgs *call, uint32_t i, const char *wanted, RuleShape *shape);

/* ---- rule_functions.c, rule_positions.c */
bool rule_call_len(RuleCallArgs *call, RuleValue *out);
bool rule_call_sum(RuleCallArgs *call, RuleValue *out);
bool rule_call_prod(RuleCallArgs *call, RuleValue *out);
bool rule_call_min(RuleCallArgs *call, RuleValue *out);
bool rule_call_max(RuleCallArgs *call, RuleValue *out);
bool rule_call_range(RuleCallArgs *call, RuleValue *out);
bool rule_call_first(RuleCallArgs *call, RuleValue *out);
bool rule_call_last(RuleCallArgs *call, RuleValue *out);
bool rule_call_list(RuleCallArgs *call, RuleValue *out);
bool rule_call_reverse(RuleCallArgs *call, RuleValue *out);
bool rule_call_sort(RuleCallArgs *call, RuleValue *out);
bool rule_call_abs(RuleCallArgs *call, RuleValue *out);
bool rule_call_int(RuleCallArgs *call, RuleValue *out);
bool rule_call_bool(RuleCallArgs *call, RuleValue *out);
bool rule_call_to_float(RuleCallArgs *call, RuleValue *out);
bool rule_call_float(RuleCallArgs *call, RuleValue *out);
bool rule_call_is_float(RuleCallArgs *call, RuleValue *out);
bool rule_call_is_int(RuleCallArgs *call, RuleValue *out);
bool rule_call_promote(RuleCallArgs *call, RuleValue *out);
bool rule_call_is_none(RuleCallArgs *call, RuleValue *out);
bool rule_call_broadcast(RuleCallArgs *call, RuleValue *out);
bool rule_call_broadcast_index(RuleCallArgs *call, RuleValue *out);
bool rule_call_ravel(RuleCallArgs *call, RuleValue *out);
bool rule_call_unravel(RuleCallArgs *call, RuleValue *out);
bool rule_call_element(RuleCallArgs *call, RuleValue *out);
bool rule_call_wrap(RuleCallArgs *call, RuleValue *out);
bool rule_call_wrap_dims(RuleCallArgs *call, RuleValue *out);
bool rule_call_sizes(RuleCallArgs *call, RuleValue *out);
bool rule_call_drop(RuleCallArgs *call, RuleValue *out);
bool rule_call_pick(RuleCallArgs *call, RuleValue *out);
bool rule_call_insert(RuleCallArgs *call, RuleValue *out);
bool rule_call_ones(RuleCallArgs *call, RuleValue *out);
bool rule_call_fits(RuleCallArgs *call, RuleValue *out);
bool rule_call_alike(RuleCallArgs *call, RuleValue *out);
bool rule_call_einsum(RuleCallArgs *call, RuleValue *out); /* rule_einsum.c */
/* Marks the dims that an integer, a list of these or None names. The text says what is wrong, or is empty. */
Str rule_named_dims(Arena *arena, const RuleValue *dim, uint32_t rank, bool *named);

/* ---- rule_shape.c */
/* Why these shapes do not broadcast, as rule_broadcast found it; names may be NULL. */
Diag *rule_say_broadcast(Rules *rules, Span at, const RuleShape *shapes, const Str *names, uint32_t n, uint32_t wrong);

#endif

/* lower_call.c: functions in bodies.
 *
 * Which functions there are and how many arguments they take is the language's (builtins.h); a backend's table may have
 * more. How one is written, and for which types, is the table's alone, but for those that are about types: bool, int,
 * float, cast, lowest, highest, largest.
 */
#include "op/lower_internal.h"

#include <float.h>
#include <math.h>

typedef enum Where { IN_RULE, IN_BODY, IN_BOTH } Where;

typedef struct Builtin {
    Str name;
    int least, most;
    Where where;
} Builtin;

static const Builtin builtins[] = {
#define BUILTIN(name, least, most, where, doc) {{#name, sizeof #name - 1}, least, most, where},
#include "op/builtins.h"
#undef BUILTIN
};
enum { BUILTINS = sizeof builtins / sizeof builtins[0] };

static const Builtin *builtin(Str name) {
    for (size_t i = 0; i < BUILTINS; i++)
        if (str_eq(builtins[i].name, name)) return &builtins[i];
    return NULL;
}

/* How many operands the table's text has, whatever its type; -1: there is no such function. */
static int table_operands(LowerRun *run, Str name) {
    int most = -1;
    LowerFunction function;
    for (Dtype type = 0; type < DT_COUNT; type++) {
        if (dtype_compute(type) != type || !run->lower->function(run->lower->user, name, type, &function)) continue;
        int operands = (int)low_text_operands(function.text);
        if (operands > most) most = operands;
    }
    return most;
}

static bool is_word(Str name) {
    char c = name.n > 0 ? name.p[0] : '0';
    return ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') && str_find_char(name, ':') == STR_NONE;
}

static Low unknown_function(LowerRun *run, const Expr *expr, Str name) {
    Lower *lower = run->lower;
    Diag *diag = low_error_as(run, E_UNKNOWN_NAME, expr->as.call.a, "there is no function %Q", name);
    VEC(Str) known = {NULL, 0, 0};
    for (size_t i = 0; i < BUILTINS; i++)
        *VEC_PUSH(lower->arena, &known) = builtins[i].name;
    for (size_t i = 0; i < lower->function_count; i++)
        if (is_word(lower->functions[i])) *VEC_PUSH(lower->arena, &known) = lower->functions[i];
    diag_suggest(lower->diags, diag, name, known.items, known.n);
    return low_bad(expr);
}

static bool check_count(LowerRun *run, const Expr *expr, Str name, int least, int most) {
    const CallArgs *args = &expr->as.call.args;
    if (args->keyword_count > 0 || args->star != NULL || args->star_star != NULL) {
        low_error(run, expr, "%S takes its arguments by place, not by name or from a list", name);
        return false;
    }
    int n = (int)args->n;
    if (n >= least && (most < 0 || n <= most)) return true;
    int wanted = n < least ? least : most;
    low_error(run, expr, "%S takes %s%d argument%s, got %d", name,
              least == most ? ""
              : n < least   ? "at least "
                            : "at most ",
              wanted, wanted == 1 ? "" : "s", n);
    return false;
}

/* An argument that names a dtype; DT_COUNT after a finding. */
static Dtype dtype_argument(LowerRun *run, const Expr *expr, Str function) {
    Dtype type;
    if (expr->kind == X_NAME) {
        bool known = false;
        for (const RuleScope *scope = run->lower->scope; scope != NULL && !known; scope = scope->outer)
            known = scope->name == expr->as.name;
        if (!known && dtype_parse(name_str(expr->as.name), &type)) return type;
    }
    Low low = low_evaluate(run, low_rule(expr));
    if (low.kind == LOW_BAD) return DT_COUNT;
    if (low.kind == LOW_OTHER && low.as.rule.kind == RULE_DTYPE) return low.as.rule.as.dtype;
    if (low.kind == LOW_OTHER && low.as.rule.kind == RULE_TEXT && dtype_parse(low.as.rule.as.s, &type)) return type;
    Diag *diag = low_error(run, expr, "%S needs a dtype here", function);
    diag_hint(run->lower->diags, diag, "a type variable, or a tensor's: x.dtype");
    return DT_COUNT;
}

static Low low_cast(LowerRun *run, const Expr *expr) {
    Dtype type = dtype_argument(run, expr->as.call.args.args[1], S("cast"));
    Low value = low_expr(run, expr->as.call.args.args[0]);
    if (type == DT_COUNT) return low_bad(expr);
    value = low_convert(run, value, dtype_compute(type));
    if (value.kind == LOW_BAD) return low_bad(expr);
    value.expr = expr;
    if (type == dtype_compute(type)) return value;
    /* Rounded to the narrow type, though computed in the wide one. */
    return low_apply_at(run, expr, type == DT_F16 ? S("cast:f16") : S("cast:bf16"), &value, 1, value.as.code.type);
}

/* lowest, highest, largest */
static Low low_bound(LowerRun *run, const Expr *expr, Str name) {
    Dtype type = dtype_argument(run, expr->as.call.args.args[0], name);
    if (type == DT_COUNT) return low_bad(expr);
    bool low = str_eq(name, S("lowest")), finite = str_eq(name, S("largest"));
    Number number;
    if (dtype_is_float(type)) {
        double most = type == DT_F16    ? 65504
                      : type == DT_BF16 ? 0x1.fep127
                      : type == DT_F32  ? (double)FLT_MAX
                                        : DBL_MAX;
        number = low_number_float(finite ? most : low ? -INFINITY : INFINITY);
    } else if (type == DT_BOOL) {
        number = (Number){.kind = NUM_BOOL, .as.i = !low};
    } else {
        unsigned bits = 8 * dtype_size(type);
        uint64_t most = UINT64_MAX >> (64 - bits + dtype_is_signed(type));
        if (low)
            number = (Number){.kind = NUM_INT, .as.i = dtype_is_signed(type) ? -(int64_t)most - 1 : 0};
        else if (most > INT64_MAX)
            number = (Number){.kind = NUM_BIG, .as.big = most};
        else
            number = (Number){.kind = NUM_INT, .as.i = (int64_t)most};
    }
    return low_convert(run, low_number(expr, number), dtype_compute(type));
}

static Low low_to_float(LowerRun *run, Low value) {
    Dtype type = low_common(run, &value, 1);
    if (type == DT_COUNT) return value;
    return low_convert(run, value, dtype_is_float(type) ? type : run->float_type);
}

/* The arguments, brought to one type; of more than two the first two, then that with the third, and so on. */
static Low low_fold(LowerRun *run, const Expr *expr, Str name, Low *values, uint32_t n) {
    Dtype type = low_common(run, values, n);
    if (type == DT_COUNT) return low_bad(expr);
    Low low = low_convert(run, values[0], type);
    for (uint32_t i = 1; i < n && low.kind != LOW_BAD; i++) {
        Low pair[2] = {low, values[i]};
        low = low_apply_at(run, expr, name, pair, 2, type);
    }
    return low;
}

Low low_call(LowerRun *run, const Expr *expr) {
    const Expr *callee = expr->as.call.a;
    if (callee->kind != X_NAME) return low_rule(expr); /* a method, of what rules know */
    Str name = name_str(callee->as.name);
    const Builtin *known = builtin(name);
    int operands = known == NULL ? table_operands(run, name) : 0;
    if (known == NULL && operands < 0) return unknown_function(run, expr, name);
    if (known != NULL && known->where == IN_RULE) return low_rule(expr);
    if (!check_count(run, expr, name, known ? known->least : operands, known ? known->most : operands))
        return low_bad(expr);
    if (str_eq(name, S("cast"))) return low_cast(run, expr);
    if (str_eq(name, S("lowest")) || str_eq(name, S("highest")) || str_eq(name, S("largest")))
        return low_bound(run, expr, name);

    uint32_t n = expr->as.call.args.n;
    Low *values = ARENA_ARRAY(run->lower->arena, Low, n);
    bool rules = known != NULL && known->where == IN_BOTH, bad = false, typed = run->forced;
    for (uint32_t i = 0; i < n; i++) {
        values[i] = low_expr(run, expr->as.call.args.args[i]);
        rules = rules && values[i].kind == LOW_RULE;
    }
    if (rules) return low_rule(expr);
    for (uint32_t i = 0; i < n; i++) {
        values[i] = low_evaluate(run, values[i]);
        bad = bad || values[i].kind == LOW_BAD;
        typed = typed || (values[i].kind == LOW_CODE && !values[i].as.code.soft);
    }
    if (bad) return low_bad(expr);
    Number number;
    if (n == 1 && values[0].kind == LOW_NUM && low_number_fold(name, &values[0].as.number, 1, &number))
        return low_number(expr, number);
    if (!typed) return (Low){.kind = LOW_FREE, .expr = expr};
    if (str_eq(name, S("bool"))) return low_convert(run, values[0], DT_BOOL);
    if (str_eq(name, S("int"))) return low_convert(run, values[0], DT_I64);
    if (str_eq(name, S("float"))) return low_to_float(run, values[0]);
    if (known != NULL && known->most < 0) return low_fold(run, expr, name, values, n);
    return low_apply(run, expr, name, values, n);
}

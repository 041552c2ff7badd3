/* rule.c: the walk over a rule's expression.
 *
 * What each node means is in the files beside this one; here is what they are put together by, and what is only a part
 * of the walk: names, and conditions of which both sides are taken where they are not decided. The height of a tree is
 * bounded, so the walk recurses; its lists and what is done with them are bounded by RULE_MOST_ITEMS and
 * RULE_MOST_WORK.
 */
#include "op/rule_internal.h"

#include <math.h>

/* ---- findings */
void rule_note_use(Rules *rules, Diag *diag) {
    const RuleUse *use = &rules->use;
    if (use->what == NULL) return;
    const char *here = use->at.source == NULL ? "" : ", used here";
    if (use->name != NULL)
        diag_note(rules->diags, diag, use->at, "for %s%Q of %Q%s", use->what, name_str(use->name), name_str(use->op),
                  here);
    else
        diag_note(rules->diags, diag, use->at, "for %s of %Q%s", use->what, name_str(use->op), here);
}

static Diag *verror(const Eval *eval, DiagCode code, uint32_t from, uint32_t to, const char *format, va_list args) {
    Diag *diag = diag_vadd(eval->rules->diags, DIAG_ERROR, code, span(eval->source, from, to), format, args);
    rule_note_use(eval->rules, diag);
    return diag;
}

Diag *rule_error(const Eval *eval, const Expr *e, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = verror(eval, E_RULE, e->from, e->to, format, args);
    va_end(args);
    return diag;
}

Diag *rule_error_at(const Eval *eval, DiagCode code, uint32_t from, uint32_t to, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = verror(eval, code, from, to, format, args);
    va_end(args);
    return diag;
}

bool rule_fits(const Eval *eval, const Expr *e) {
    Syms *syms = eval->rules->syms;
    if (!syms->overflow) return true;
    SymFault fault = syms->fault;
    sym_clear_fault(syms);
    switch (fault) {
    case SYM_DIVIDED_BY_ZERO:
        rule_error(eval, e, "this divides by zero");
        break;
    case SYM_TOO_MANY:
        rule_error(eval, e, "what this makes of the named dims is too large an expression");
        break;
    case SYM_FINE:
    case SYM_TOO_LARGE:
        rule_error(eval, e, "size does not fit 64 bits");
        break;
    }
    return false;
}

bool rule_spend(Eval *eval, const Expr *e, uint64_t n) {
    if (n <= eval->work) {
        eval->work -= n;
        return true;
    }
    eval->work = 0;
    rule_error(eval, e, "this rule takes more than %d steps", RULE_MOST_WORK);
    return false;
}

RuleValue *rule_room(Eval *eval, const Expr *e, uint64_t n) {
    if (n > RULE_MOST_ITEMS) {
        rule_error(eval, e, "a list of %llu items is longer than the %d that a rule may make", (unsigned long long)n,
                   RULE_MOST_ITEMS);
        return NULL;
    }
    return rule_spend(eval, e, n) ? ARENA_ARRAY(eval->rules->arena, RuleValue, n + 1) : NULL;
}

static void hint_fixed(const Eval *eval, Diag *diag) {
    diag_hint(eval->rules->diags, diag, "rules decide by what is fixed: ranks, attributes, sizes that are numbers");
}

static Str sym_text(const Eval *eval, SymRef sym) {
    Buf buf;
    buf_init(&buf, eval->rules->diags->arena);
    sym_print(&buf, sym);
    return buf_str(&buf);
}

bool rule_undecided(const Eval *eval, const Expr *e, SymRef condition) {
    Diag *diag = rule_error(eval, e, "this depends on whether %S, which is known only when the model runs",
                            sym_text(eval, condition));
    hint_fixed(eval, diag);
    return false;
}

bool rule_known(const Eval *eval, const Expr *e, const RuleValue *v, const char *what, int64_t *i) {
    if (!rule_is_integer(v)) {
        rule_error(eval, e, "%s is an integer, but this is %s", what, rule_kind_name(v->kind));
        return false;
    }
    if (sym_is_int(v->as.i, i)) return true;
    Diag *diag = rule_error(eval, e, "%s has to be a number here, but %S is known only when the model runs", what,
                            sym_text(eval, v->as.i));
    hint_fixed(eval, diag);
    return false;
}

/* ---- leaves */
static bool walk_literal(Eval *eval, const Expr *e, RuleValue *out) {
    const Literal *literal = &e->as.literal;
    switch (literal->kind) {
    case LIT_NONE:
        *out = (RuleValue){.kind = RULE_NONE};
        return true;
    case LIT_BOOL:
        *out = rule_bool(sym_int(eval->rules->syms, literal->as.b));
        return rule_fits(eval, e);
    case LIT_INT:
        *out = rule_int(sym_int(eval->rules->syms, literal->as.i));
        return rule_fits(eval, e);
    case LIT_FLOAT:
        *out = rule_float(literal->as.f);
        return true;
    case LIT_STR:
        *out = rule_text(literal->as.s);
        return true;
    case LIT_BIGINT:
        break;
    }
    rule_error(eval, e, "this integer does not fit 64 bits");
    return false;
}

static const struct {
    Str name;
    double value;
} constants[] = {{S("inf"), INFINITY}, {S("nan"), NAN}, {S("pi"), 3.14159265358979323846}};
enum { CONSTANT_COUNT = sizeof constants / sizeof *constants };

static void say_unknown(const Eval *eval, const Expr *e) {
    Diags *diags = eval->rules->diags;
    Diag *diag = rule_error(eval, e, "%Q is not defined here", name_str(e->as.name));
    VEC(Str) names = {NULL, 0, 0};
    for (const RuleScope *scope = eval->scope; scope != NULL; scope = scope->outer)
        *VEC_PUSH(diags->arena, &names) = name_str(scope->name);
    for (unsigned i = 0; i < DT_COUNT; i++)
        *VEC_PUSH(diags->arena, &names) = str_c(dtype_name((Dtype)i));
    diag_suggest(diags, diag, name_str(e->as.name), names.items, names.n);
}

static bool walk_name(Eval *eval, const Expr *e, RuleValue *out) {
    for (const RuleScope *scope = eval->scope; scope != NULL; scope = scope->outer) {
        if (scope->name != e->as.name) continue;
        *out = scope->value;
        return true;
    }
    Dtype dtype;
    if (dtype_parse(name_str(e->as.name), &dtype)) {
        *out = rule_dtype(dtype);
        return true;
    }
    for (unsigned i = 0; i < CONSTANT_COUNT; i++) {
        if (!str_eq(constants[i].name, name_str(e->as.name))) continue;
        *out = rule_float(constants[i].value);
        return true;
    }
    say_unknown(eval, e);
    return false;
}

static bool walk_list(Eval *eval, const Expr *e, RuleValue *out) {
    uint32_t n = e->as.list.n;
    RuleValue *items = rule_room(eval, e, n);
    if (items == NULL) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!rule_walk(eval, e->as.list.items[i], &items[i])) return false;
    *out = rule_list(items, n);
    return true;
}

/* ---- conditions */

/* `a and b` is a where a is false, else b; `a or b` the other way round. */
static bool walk_logic(Eval *eval, const Expr *e, RuleValue *out) {
    const Expr *right = e->as.pair.b;
    RuleValue a, b;
    if (!rule_walk(eval, e->as.pair.a, &a)) return false;
    SymRef condition = rule_truth(eval->rules, &a);
    int truth = sym_truth(condition);
    if (truth >= 0) {
        if (truth == (e->op == OP_AND)) return rule_walk(eval, right, out);
        *out = a;
        return true;
    }
    if (!rule_walk(eval, right, &b)) return false;
    if (a.kind != RULE_BOOL || b.kind != RULE_BOOL)
        return e->op == OP_AND ? rule_choose(eval, e, condition, &b, &a, out)
                               : rule_choose(eval, e, condition, &a, &b, out);
    Syms *syms = eval->rules->syms;
    *out = rule_bool(e->op == OP_AND ? sym_and(syms, a.as.i, b.as.i) : sym_or(syms, a.as.i, b.as.i));
    return rule_fits(eval, e);
}

static SymRef compare(Eval *eval, const Expr *e, Op op, const RuleValue *a, const RuleValue *b) {
    Syms *syms = eval->rules->syms;
    SymRef result = NULL;
    switch (op) {
    case OP_EQ:
    case OP_NE:
        result = rule_equal(eval, e, a, b);
        break;
    case OP_LT:
    case OP_GE:
        result = rule_less(eval, e, a, b);
        break;
    case OP_GT:
    case OP_LE:
        result = rule_less(eval, e, b, a);
        break;
    default:
        result = rule_contains(eval, e, b, a);
        break;
    }
    if (result == NULL) return NULL;
    bool turned = op == OP_NE || op == OP_GE || op == OP_LE || op == OP_NOT_IN;
    /* Nothing is less or not less than NaN. */
    bool no_order = (a->kind == RULE_FLOAT && isnan(a->as.f)) || (b->kind == RULE_FLOAT && isnan(b->as.f));
    if (no_order && (op == OP_GE || op == OP_LE)) return sym_int(syms, 0);
    return turned ? sym_not(syms, result) : result;
}

static bool walk_compare(Eval *eval, const Expr *e, RuleValue *out) {
    Syms *syms = eval->rules->syms;
    RuleValue a, b;
    if (!rule_walk(eval, e->as.compare.a, &a)) return false;
    SymRef all = sym_int(syms, 1);
    for (uint32_t i = 0; i < e->as.compare.n && sym_truth(all) != 0; i++) {
        if (!rule_walk(eval, e->as.compare.steps[i].to, &b)) return false;
        SymRef step = compare(eval, e, e->as.compare.steps[i].op, &a, &b);
        if (step == NULL) return false;
        all = sym_and(syms, all, step);
        a = b;
    }
    *out = rule_bool(all);
    return rule_fits(eval, e);
}

static bool walk_cond(Eval *eval, const Expr *e, RuleValue *out) {
    RuleValue test, a, b;
    if (!rule_walk(eval, e->as.cond.test, &test)) return false;
    SymRef condition = rule_truth(eval->rules, &test);
    int truth = sym_truth(condition);
    if (truth == 1) return rule_walk(eval, e->as.cond.a, out);
    if (e->as.cond.b == NULL) {
        rule_error(eval, e, "there is no \"else\", and the condition does not always hold");
        return false;
    }
    if (truth == 0) return rule_walk(eval, e->as.cond.b, out);
    if (!rule_walk(eval, e->as.cond.a, &a) || !rule_walk(eval, e->as.cond.b, &b)) return false;
    return rule_choose(eval, e->as.cond.test, condition, &a, &b, out);
}

/* ---- what is only taken apart here */
static bool walk_slice(Eval *eval, const Expr *e, RuleValue *out) {
    if (e->as.slice.a == NULL) {
        rule_error(eval, e, "a slice has one range: lists have one dimension");
        return false;
    }
    const Expr *parts[3] = {e->as.slice.start, e->as.slice.stop, e->as.slice.step};
    RuleValue a, values[3];
    if (!rule_walk(eval, e->as.slice.a, &a)) return false;
    for (unsigned i = 0; i < 3; i++)
        if (parts[i] != NULL && !rule_walk(eval, parts[i], &values[i])) return false;
    return rule_slice(eval, e, &a, parts[0] ? &values[0] : NULL, parts[1] ? &values[1] : NULL,
                      parts[2] ? &values[2] : NULL, out);
}

static bool walk_test(Eval *eval, const Expr *e, RuleValue *out) {
    RuleValue a;
    Str name = name_str(e->as.call.name);
    if (!str_eq(name, S("none")) || e->as.call.args.n > 0) {
        Diag *diag = rule_error_at(eval, E_RULE, e->at, e->at_to, "rules have no test %Q", name);
        diag_hint(eval->rules->diags, diag, "there is `is none`; anything else is compared with ==, <, in, ...");
        return false;
    }
    if (!rule_walk(eval, e->as.call.a, &a)) return false;
    *out = rule_bool(sym_int(eval->rules->syms, a.kind == RULE_NONE));
    return true;
}

static bool walk_pair(Eval *eval, const Expr *e, RuleValue *out) {
    RuleValue a, b;
    if (!rule_walk(eval, e->as.pair.a, &a)) return false;
    if (e->kind == X_UNARY) return rule_unary(eval, e, e->op, &a, out);
    if (!rule_walk(eval, e->as.pair.b, &b)) return false;
    return e->kind == X_ITEM ? rule_item(eval, e, &a, &b, out) : rule_binary(eval, e, e->op, &a, &b, out);
}

bool rule_walk(Eval *eval, const Expr *e, RuleValue *out) {
    RuleValue a;
    switch (e->kind) {
    case X_CONST:
        return walk_literal(eval, e, out);
    case X_NAME:
        return walk_name(eval, e, out);
    case X_LIST:
    case X_TUPLE:
        return walk_list(eval, e, out);
    case X_BINARY:
        if (e->op == OP_AND || e->op == OP_OR) return walk_logic(eval, e, out);
        return walk_pair(eval, e, out);
    case X_UNARY:
    case X_ITEM:
        return walk_pair(eval, e, out);
    case X_COMPARE:
        return walk_compare(eval, e, out);
    case X_COND:
        return walk_cond(eval, e, out);
    case X_SLICE:
        return walk_slice(eval, e, out);
    case X_ATTR:
        return rule_walk(eval, e->as.attr.a, &a) && rule_attr(eval, e, &a, out);
    case X_CALL:
        return rule_call(eval, e, out);
    case X_FILTER:
        return rule_filter(eval, e, out);
    case X_TEST:
        return walk_test(eval, e, out);
    case X_DICT:
    case X_CONCAT:
    case X_NSREF:
        break;
    }
    rule_error(eval, e, e->kind == X_DICT ? "rules have no dicts" : "rules do not join texts with ~");
    return false;
}

bool rule_eval_in(Rules *rules, const OpExpr *expr, const RuleScope *scope, RuleValue *out, Eval *eval) {
    *eval = (Eval){rules, expr->source, scope, RULE_MOST_WORK};
    sym_clear_fault(rules->syms);
    return rule_walk(eval, expr->expr, out);
}

bool rule_eval(Rules *rules, const OpExpr *expr, const RuleScope *scope, RuleValue *out) {
    Eval eval;
    return rule_eval_in(rules, expr, scope, out, &eval);
}

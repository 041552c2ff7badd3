/* lower.c: the walk over a body's expression, and what is decided before any code is: conditions on attributes and
 * shapes, of which only the branch that is taken is looked at further.
 *
 * A body whose names stand for more than a plain name or number is walked twice when it uses one of them more than
 * once: the first walk counts, then those are declared, and the second writes.
 */
#include "op/lower_internal.h"

#include <math.h>

static Span place(const LowerRun *run, const Expr *expr) {
    return expr != NULL ? span(run->source, expr->from, expr->to) : (Span){NULL, 0, 0};
}

Diag *low_error(LowerRun *run, const Expr *expr, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = diag_vadd(run->lower->diags, DIAG_ERROR, E_BAD_EXPRESSION, place(run, expr), format, args);
    va_end(args);
    return diag;
}

Diag *low_error_as(LowerRun *run, DiagCode code, const Expr *expr, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = diag_vadd(run->lower->diags, DIAG_ERROR, code, place(run, expr), format, args);
    va_end(args);
    return diag;
}

/* ---- what rules know */

/* Text of the backend for a size that is a symbol; it takes the type of what it meets. */
static Low symbolic(LowerRun *run, const Expr *expr, SymRef sym, Dtype type) {
    Buf buf;
    buf_init(&buf, run->lower->arena);
    sym_print_c(&buf, sym, run->lower->dims);
    Str text = lower_bare(buf_str(&buf));
    Low low = low_code(expr, text, type, low_text_level(text));
    low.as.code.soft = true;
    return low;
}

static Low of_rule(LowerRun *run, const Expr *expr, RuleValue value) {
    int64_t i;
    switch (value.kind) {
    case RULE_BOOL:
        if (sym_truth(value.as.i) < 0) return symbolic(run, expr, value.as.i, DT_BOOL);
        return low_number(expr, (Number){.kind = NUM_BOOL, .as.i = sym_truth(value.as.i)});
    case RULE_INT:
        if (!sym_is_int(value.as.i, &i)) return symbolic(run, expr, value.as.i, DT_I64);
        return low_number(expr, (Number){.kind = NUM_INT, .as.i = i});
    case RULE_FLOAT:
        return low_number(expr, low_number_float(value.as.f));
    default:
        return (Low){.kind = LOW_OTHER, .expr = expr, .as.rule = value};
    }
}

Low low_evaluate(LowerRun *run, Low value) {
    if (value.kind != LOW_RULE) return value;
    OpExpr expr = {(Expr *)value.expr, run->source};
    RuleValue result;
    if (!rule_eval(run->lower->rules, &expr, run->lower->scope, &result)) return low_bad(value.expr);
    return of_rule(run, value.expr, result);
}

int low_truth(const Low *value) {
    if (value->kind == LOW_NUM) {
        Number n = value->as.number;
        return n.kind == NUM_FLOAT ? n.as.f != 0 : n.kind == NUM_BIG || n.as.i != 0;
    }
    if (value->kind != LOW_OTHER) return -1;
    const RuleValue *rule = &value->as.rule;
    switch (rule->kind) {
    case RULE_NONE:
        return 0;
    case RULE_TEXT:
        return rule->as.s.n > 0;
    case RULE_LIST:
        return rule->as.list.n > 0;
    default:
        return 1;
    }
}

/* Whether something of an element's type is among these; without it types are left open, but where they are forced. */
static bool decided(const LowerRun *run, const Low *values, uint32_t n) {
    if (run->forced) return true;
    for (uint32_t i = 0; i < n; i++)
        if (values[i].kind == LOW_CODE && !values[i].as.code.soft) return true;
    return false;
}

static bool all_rules(const Low *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (values[i].kind != LOW_RULE) return false;
    return true;
}

static bool any_bad(const Low *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (values[i].kind == LOW_BAD) return true;
    return false;
}

static Low low_free(const Expr *expr) { return (Low){.kind = LOW_FREE, .expr = expr}; }

/* ---- leaves */

static Low low_constant(LowerRun *run, const Expr *expr) {
    const Literal *literal = &expr->as.literal;
    if (literal->kind != LIT_BIGINT) return low_rule(expr);
    Str digits = literal->as.s;
    uint64_t base = 10, value = 0;
    if (digits.n > 2 && digits.p[0] == '0' && digits.p[1] > '9') {
        base = (digits.p[1] | 32) == 'x' ? 16 : (digits.p[1] | 32) == 'o' ? 8 : 2;
        digits = str_sub(digits, 2, digits.n);
    }
    for (size_t i = 0; i < digits.n; i++) {
        char c = digits.p[i];
        uint64_t digit = (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
        if (value > (UINT64_MAX - digit) / base) {
            Diag *diag = low_error(run, expr, "no integer type holds %S", literal->as.s);
            diag_hint(run->lower->diags, diag, "a float is written with a point: 1e20, 5.0");
            return low_bad(expr);
        }
        value = value * base + digit;
    }
    return low_number(expr, (Number){.kind = NUM_BIG, .as.big = value});
}

/* One of the caller's names, which may have a dot in it. */
static bool low_given(LowerRun *run, const Expr *expr, Name name, Low *out) {
    for (size_t i = 0; i < run->n && name != NULL; i++)
        if (run->names[i].name == name) {
            run->uses[i] += !run->probing;
            *out = run->values[i];
            out->expr = expr;
            return true;
        }
    return false;
}

static Low low_attribute(LowerRun *run, const Expr *expr) {
    const Expr *of = expr->as.attr.a;
    if (of->kind != X_NAME) return low_rule(expr);
    Arena *arena = run->lower->arena;
    Str text = str_format(arena, "%S.%S", name_str(of->as.name), name_str(expr->as.attr.name));
    Low low;
    return low_given(run, expr, names_find(run->lower->rules->names, text), &low) ? low : low_rule(expr);
}

static Low low_name(LowerRun *run, const Expr *expr) {
    Name name = expr->as.name;
    Low given;
    if (low_given(run, expr, name, &given)) return given;
    for (const RuleScope *scope = run->lower->scope; scope != NULL; scope = scope->outer)
        if (scope->name == name) return low_rule(expr);
    Str text = name_str(name);
    if (str_eq(text, S("inf"))) return low_number(expr, low_number_float(INFINITY));
    if (str_eq(text, S("nan"))) return low_number(expr, low_number_float(NAN));
    if (str_eq(text, S("pi"))) return low_number(expr, low_number_float(3.14159265358979323846));
    Dtype dtype;
    if (dtype_parse(text, &dtype)) return low_rule(expr); /* T == bool */

    Diag *diag = low_error_as(run, E_UNKNOWN_NAME, expr, "there is no %Q here", text);
    VEC(Str) known = {NULL, 0, 0};
    for (size_t i = 0; i < run->n; i++)
        *VEC_PUSH(run->lower->arena, &known) = name_str(run->names[i].name);
    for (const RuleScope *scope = run->lower->scope; scope != NULL; scope = scope->outer)
        *VEC_PUSH(run->lower->arena, &known) = name_str(scope->name);
    diag_suggest(run->lower->diags, diag, text, known.items, known.n);
    return low_bad(expr);
}

/* ---- operators */

static Low low_unary(LowerRun *run, const Expr *expr) {
    Low a = low_expr(run, expr->as.pair.a);
    if (a.kind == LOW_BAD) return low_bad(expr);
    if (a.kind == LOW_RULE) return low_rule(expr);
    if (expr->op == OP_NOT && low_truth(&a) >= 0)
        return low_number(expr, (Number){.kind = NUM_BOOL, .as.i = !low_truth(&a)});
    Number number;
    if (expr->op == OP_NEG && a.kind == LOW_NUM && low_number_fold(S("neg"), &a.as.number, 1, &number))
        return low_number(expr, number);
    if (!decided(run, &a, 1)) return low_free(expr);
    switch (expr->op) {
    case OP_NEG:
        return low_apply(run, expr, S("neg"), &a, 1);
    case OP_NOT:
        a = low_convert(run, a, DT_BOOL);
        return a.kind == LOW_BAD ? a : low_apply_at(run, expr, S("not"), &a, 1, DT_BOOL);
    default:
        return a;
    }
}

/* `and` is decided by a false side, `or` by a true one. The other side is not looked at where rules decide. */
static Low low_logical(LowerRun *run, const Expr *expr) {
    bool is_and = expr->op == OP_AND;
    Low sides[2] = {low_evaluate(run, low_expr(run, expr->as.pair.a)), low_bad(expr)};
    if (sides[0].kind == LOW_BAD) return low_bad(expr);
    int truth = low_truth(&sides[0]);
    if (truth >= 0 && (truth == 1) != is_and) return sides[0];
    sides[1] = low_expr(run, expr->as.pair.b);
    if (truth >= 0) {
        bool elements = sides[1].kind == LOW_CODE && !sides[1].as.code.soft;
        return elements ? low_convert(run, sides[1], DT_BOOL) : sides[1];
    }
    sides[1] = low_evaluate(run, sides[1]);
    if (sides[1].kind == LOW_BAD) return low_bad(expr);
    truth = low_truth(&sides[1]);
    if (truth >= 0) {
        if ((truth == 1) != is_and) return low_number(expr, (Number){.kind = NUM_BOOL, .as.i = truth});
        return decided(run, sides, 1) ? low_convert(run, sides[0], DT_BOOL) : sides[0];
    }
    if (!decided(run, sides, 2)) return low_free(expr);
    for (int i = 0; i < 2; i++)
        sides[i] = low_convert(run, sides[i], DT_BOOL);
    if (any_bad(sides, 2)) return low_bad(expr);
    /* Of two words nothing is left to be skipped: both are there already. Compilers vectorise what has no branch. */
    LowerFunction both;
    Str name = is_and ? S("bit_and") : S("bit_or");
    if (low_text_is_plain(sides[0].as.code.text) && low_text_is_plain(sides[1].as.code.text) &&
        run->lower->function(run->lower->user, name, DT_BOOL, &both))
        return low_apply_at(run, expr, name, sides, 2, DT_BOOL);
    return low_apply_at(run, expr, is_and ? S("and") : S("or"), sides, 2, DT_BOOL);
}

/* x ** 2 to x ** 4 as products, x ** 0.5 as a root (compilers differ in whether they make it one). False: it is none of
 * these. */
static bool low_small_power(LowerRun *run, const Expr *expr, Low *sides, Low *out) {
    if (sides[0].kind != LOW_CODE || sides[1].kind != LOW_NUM || sides[0].as.code.type == DT_BOOL) return false;
    Number exponent = sides[1].as.number;
    bool whole = exponent.kind == NUM_INT;
    double f = whole ? (double)exponent.as.i : exponent.kind == NUM_FLOAT ? exponent.as.f : 0;
    if (!(f == 0.5 || f == 1 || f == 2 || f == 3 || f == 4)) return false;
    Low base = sides[0];
    if (!whole) {
        Dtype type = low_common(run, sides, 2);
        base = low_convert(run, base, type);
    }
    if (f == 0.5) {
        *out = low_apply(run, expr, S("sqrt"), &base, 1);
        return true;
    }
    if (f > 1 && !low_share(run, &base)) return false;
    Low product = base;
    for (int i = 1; i < (int)f && product.kind != LOW_BAD; i++) {
        Low pair[2] = {product, base};
        product = low_apply(run, expr, S("*"), pair, 2);
    }
    *out = product;
    return true;
}

static Low low_binary(LowerRun *run, const Expr *expr) {
    Low sides[2] = {low_expr(run, expr->as.pair.a), low_expr(run, expr->as.pair.b)};
    if (any_bad(sides, 2)) return low_bad(expr);
    if (all_rules(sides, 2)) return low_rule(expr);
    for (int i = 0; i < 2; i++)
        sides[i] = low_evaluate(run, sides[i]);
    if (any_bad(sides, 2)) return low_bad(expr);
    Str op = str_c(op_text(expr->op));
    if (sides[0].kind == LOW_NUM && sides[1].kind == LOW_NUM) {
        Number numbers[2] = {sides[0].as.number, sides[1].as.number}, number;
        if (low_number_fold(op, numbers, 2, &number)) return low_number(expr, number);
    }
    if (!decided(run, sides, 2)) return low_free(expr);
    Low power;
    if (expr->op == OP_POW && low_small_power(run, expr, sides, &power)) return power;
    return low_apply(run, expr, op, sides, 2);
}

/* A comparison of elements with a number that the range of their type decides: compilers warn of those, and authors
 * write `x < 0` for unsigned types as well. 1, 0, or -1: not decided. */
static int decided_by_range(Op op, const Low *a, const Low *b) {
    if (a->kind == LOW_NUM && b->kind == LOW_CODE) {
        static const Op turned[] = {
            [OP_LT] = OP_GT, [OP_GT] = OP_LT, [OP_LE] = OP_GE, [OP_GE] = OP_LE, [OP_EQ] = OP_EQ, [OP_NE] = OP_NE};
        return decided_by_range(turned[op], b, a);
    }
    if (a->kind != LOW_CODE || a->as.code.soft || b->kind != LOW_NUM || b->as.number.kind == NUM_FLOAT) return -1;
    Dtype type = a->as.code.type;
    if (dtype_is_float(type)) return -1;
    unsigned bits = type == DT_BOOL ? 1 : 8 * dtype_size(type);
    uint64_t high = UINT64_MAX >> (64 - bits + dtype_is_signed(type));
    int64_t low = dtype_is_signed(type) ? -(int64_t)high - 1 : 0;
    Number n = b->as.number;
    bool negative = n.kind != NUM_BIG && n.as.i < 0;
    uint64_t size = n.kind == NUM_BIG ? n.as.big : (uint64_t)n.as.i;
    bool below = negative && n.as.i < low, above = !negative && size > high; /* where the number is */
    bool lowest = !below && n.kind != NUM_BIG && n.as.i == low, highest = !negative && size == high;
    switch (op) {
    case OP_LT:
        return above ? 1 : below || lowest ? 0 : -1;
    case OP_GE:
        return above ? 0 : below || lowest ? 1 : -1;
    case OP_GT:
        return below ? 1 : above || highest ? 0 : -1;
    case OP_LE:
        return below ? 0 : above || highest ? 1 : -1;
    case OP_EQ:
        return below || above ? 0 : -1;
    default:
        return below || above ? 1 : -1;
    }
}

static Low low_compare(LowerRun *run, const Expr *expr) {
    uint32_t n = expr->as.compare.n + 1;
    Low *values = ARENA_ARRAY(run->lower->arena, Low, n);
    values[0] = low_expr(run, expr->as.compare.a);
    for (uint32_t i = 1; i < n; i++)
        values[i] = low_expr(run, expr->as.compare.steps[i - 1].to);
    if (any_bad(values, n)) return low_bad(expr);
    if (all_rules(values, n)) return low_rule(expr);
    for (uint32_t i = 0; i < n; i++)
        values[i] = low_evaluate(run, values[i]);
    if (any_bad(values, n)) return low_bad(expr);
    for (uint32_t i = 1; i < n; i++) {
        Op op = expr->as.compare.steps[i - 1].op;
        if (op == OP_IN || op == OP_NOT_IN) {
            low_error(run, expr, "%s asks for what is known when code is generated; this has elements in it",
                      op_text(op));
            return low_bad(expr);
        }
        if (values[i - 1].kind == LOW_OTHER || values[i].kind == LOW_OTHER) {
            /* Numbers and texts have no order, and are never equal, but the author meant something else. */
            low_convert(run, values[values[i].kind == LOW_OTHER ? i : i - 1], DT_F32);
            return low_bad(expr);
        }
    }
    /* Of numbers alone it is known: p == inf. */
    int known = 1;
    for (uint32_t i = 1; i < n && known == 1; i++) {
        bool numbers = values[i - 1].kind == LOW_NUM && values[i].kind == LOW_NUM;
        Op op = expr->as.compare.steps[i - 1].op;
        known = numbers ? low_number_compare(op, values[i - 1].as.number, values[i].as.number) : -1;
    }
    if (known >= 0) return low_number(expr, (Number){.kind = NUM_BOOL, .as.i = known});
    if (!decided(run, values, n)) return low_free(expr);
    Low all = low_number(expr, (Number){.kind = NUM_BOOL, .as.i = 1});
    for (uint32_t i = 1; i < n; i++) {
        Op op = expr->as.compare.steps[i - 1].op;
        if (i + 1 < n) low_share(run, &values[i]);
        int truth = decided_by_range(op, &values[i - 1], &values[i]);
        if (truth == 0) return low_number(expr, (Number){.kind = NUM_BOOL, .as.i = 0});
        if (truth == 1) continue;
        Low pair[2] = {values[i - 1], values[i]};
        Low one = low_apply(run, expr, str_c(op_text(op)), pair, 2);
        if (one.kind == LOW_BAD) return one;
        Low both[2] = {all, one};
        all = all.kind == LOW_NUM ? one : low_apply_at(run, expr, S("and"), both, 2, DT_BOOL);
    }
    return all;
}

static Low low_choice(LowerRun *run, const Expr *expr) {
    Low values[3] = {low_evaluate(run, low_expr(run, expr->as.cond.test))};
    if (values[0].kind == LOW_BAD) return values[0];
    int truth = low_truth(&values[0]);
    if (truth == 1) return low_expr(run, expr->as.cond.a);
    if (expr->as.cond.b == NULL) {
        Diag *diag = low_error(run, expr, "nothing says what this is when the condition is false");
        diag_hint(run->lower->diags, diag, "add an else");
        return low_bad(expr);
    }
    if (truth == 0) return low_expr(run, expr->as.cond.b);
    values[1] = low_expr(run, expr->as.cond.a);
    values[2] = low_expr(run, expr->as.cond.b);
    if (any_bad(values, 3)) return low_bad(expr);
    for (int i = 1; i < 3; i++)
        values[i] = low_evaluate(run, values[i]);
    if (any_bad(values, 3)) return low_bad(expr);
    /* The condition says nothing about the type of what is chosen. */
    if (!decided(run, values + 1, 2)) return low_free(expr);
    return low_select(run, expr, values[0], values[1], values[2]);
}

Low low_expr(LowerRun *run, const Expr *expr) {
    switch (expr->kind) {
    case X_CONST:
        return low_constant(run, expr);
    case X_NAME:
        return low_name(run, expr);
    case X_UNARY:
        return low_unary(run, expr);
    case X_BINARY:
        return expr->op == OP_AND || expr->op == OP_OR ? low_logical(run, expr) : low_binary(run, expr);
    case X_COMPARE:
        return low_compare(run, expr);
    case X_COND:
        return low_choice(run, expr);
    case X_CALL:
        return low_call(run, expr);
    case X_ATTR:
        return low_attribute(run, expr);
    default:
        return low_rule(expr); /* items, slices, lists: of shapes and attributes alone */
    }
}

/* ---- from outside */

/* Declares what is used more than once; false: there was nothing to declare. */
static bool share_names(LowerRun *run) {
    bool any = false;
    for (size_t i = 0; i < run->n; i++) {
        if (run->uses[i] < 2 || run->values[i].kind != LOW_CODE) continue;
        if (low_text_is_plain(run->values[i].as.code.text)) continue;
        low_share(run, &run->values[i]);
        any = true;
    }
    return any;
}

static Low low_top(LowerRun *run, const Expr *expr) {
    Low low = low_evaluate(run, low_expr(run, expr));
    if (low.kind == LOW_FREE) {
        /* Nothing in the body says what its numbers are: the floats that come in. */
        Dtype type = DT_COUNT;
        for (size_t i = 0; i < run->n; i++)
            if (run->values[i].kind == LOW_CODE && dtype_is_float(run->values[i].as.code.type))
                type = dtype_promote(type, run->values[i].as.code.type);
        low = low_resolve(run, low, type == DT_COUNT ? DT_F32 : type);
        if (low.kind == LOW_CODE) low.as.code.soft = !dtype_is_float(low.as.code.type);
    }
    return low.kind == LOW_OTHER ? low_convert(run, low, DT_F32) : low;
}

bool lower_expr(Lower *lower, const OpExpr *expr, const LowerName *names, size_t n, Lowered *out) {
    LowerRun run = {.lower = lower, .source = expr->source, .names = names, .n = n, .float_type = DT_F32};
    run.values = ARENA_ARRAY(lower->arena, Low, n);
    run.uses = ARENA_ARRAY(lower->arena, uint32_t, n);
    bool all_plain = true;
    for (size_t i = 0; i < n; i++) {
        run.values[i] = low_of_lowered(names[i].value);
        all_plain = all_plain && (run.values[i].kind != LOW_CODE || low_text_is_plain(run.values[i].as.code.text));
    }
    Low low;
    if (all_plain || lower->let == NULL) {
        low = low_top(&run, expr->expr);
    } else {
        run.dry = true;
        low = low_top(&run, expr->expr);
        run.dry = false;
        if (low.kind != LOW_BAD) {
            share_names(&run);
            low = low_top(&run, expr->expr);
        }
    }
    if (low.kind == LOW_BAD) return false;
    *out = low_to_lowered(&run, low);
    return true;
}

Lowered lower_convert(Lower *lower, Lowered value, Dtype to) {
    LowerRun run = {.lower = lower, .float_type = DT_F32};
    Low low = low_convert(&run, low_of_lowered(value), dtype_compute(to));
    if (low.kind == LOW_BAD) return (Lowered){value.text, dtype_compute(to), false};
    return low_to_lowered(&run, low);
}

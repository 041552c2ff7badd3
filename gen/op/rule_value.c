/* rule_value.c: what can be done with two values of rules: arithmetic, equality, order, choice. And how they are shown.
 *
 * Integers and truths are Syms throughout, floats are numbers of the machine: where a float meets a size that is only a
 * name, there is nothing to compute with, and that is said.
 */
#include "op/rule_internal.h"

#include "template/value/value.h"

#include <math.h>
#include <stdlib.h>

const char *rule_kind_name(RuleKind kind) {
    static const char *const names[] = {
        [RULE_NONE] = "None", [RULE_BOOL] = "a truth value", [RULE_INT] = "an integer",  [RULE_FLOAT] = "a float",
        [RULE_TEXT] = "text", [RULE_LIST] = "a list",        [RULE_TENSOR] = "a tensor", [RULE_DTYPE] = "a dtype",
    };
    return names[kind];
}

/* ---- shown */
static void print_item(Buf *out, const RuleValue *v, bool inside) {
    switch (v->kind) {
    case RULE_NONE:
        buf_add(out, S("None"));
        return;
    case RULE_BOOL:
        if (sym_truth(v->as.i) >= 0)
            buf_add(out, sym_truth(v->as.i) ? S("True") : S("False"));
        else
            sym_print(out, v->as.i);
        return;
    case RULE_INT:
        sym_print(out, v->as.i);
        return;
    case RULE_FLOAT:
        float_repr(out, v->as.f);
        return;
    case RULE_TEXT:
        if (inside)
            buf_quoted(out, v->as.s);
        else
            buf_add(out, v->as.s);
        return;
    case RULE_DTYPE:
        buf_add(out, str_c(dtype_name(v->as.dtype)));
        return;
    case RULE_TENSOR:
        buf_add(out, str_c(dtype_name(v->as.tensor->dtype)));
        buf_char(out, ' ');
        rule_print_shape(out, v->as.tensor->shape);
        return;
    case RULE_LIST:
        return;
    }
}

void rule_print(Buf *out, const RuleValue *value) {
    /* Lists hold lists as deep as an expression nests them, and an expression's height is bounded. */
    if (value->kind != RULE_LIST) {
        print_item(out, value, false);
        return;
    }
    buf_char(out, '[');
    for (uint32_t i = 0; i < value->as.list.n; i++) {
        const RuleValue *item = &value->as.list.items[i];
        if (i > 0) buf_add(out, S(", "));
        if (item->kind == RULE_LIST)
            rule_print(out, item);
        else
            print_item(out, item, true);
    }
    buf_char(out, ']');
}

void rule_print_shape(Buf *out, RuleShape shape) {
    buf_char(out, '(');
    for (uint32_t i = 0; i < shape.rank; i++) {
        if (i > 0) buf_add(out, S(", "));
        sym_print(out, shape.dims[i]);
    }
    buf_add(out, shape.rank == 1 ? S(",)") : S(")"));
}

/* ---- made */
RuleValue rule_shape_value(Rules *rules, RuleShape shape) {
    RuleValue *items = ARENA_ARRAY(rules->arena, RuleValue, shape.rank + 1);
    for (uint32_t i = 0; i < shape.rank; i++)
        items[i] = rule_int(shape.dims[i]);
    return rule_list(items, shape.rank);
}

RuleValue rule_of_json(Rules *rules, const Json *json) {
    switch (json->kind) {
    case JSON_BOOL:
        return rule_bool(sym_int(rules->syms, json->as.b));
    case JSON_INT:
        return rule_int(sym_int(rules->syms, json->as.i));
    case JSON_FLOAT:
        return rule_float(json->as.f);
    case JSON_BIGINT: /* no size is that large; as a factor it may be meant */
        return rule_float(strtod(str_to_c(rules->arena, json->as.s), NULL));
    case JSON_STRING:
        return rule_text(json->as.s);
    case JSON_ARRAY: {
        RuleValue *items = ARENA_ARRAY(rules->arena, RuleValue, json->as.array.n + 1);
        for (uint32_t i = 0; i < json->as.array.n; i++)
            items[i] = rule_of_json(rules, &json->as.array.items[i]);
        return rule_list(items, json->as.array.n);
    }
    case JSON_NULL:
    case JSON_OBJECT: /* no attribute is one */
        break;
    }
    return (RuleValue){.kind = RULE_NONE};
}

/* ---- asked */
SymRef rule_truth(Rules *rules, const RuleValue *v) {
    Syms *syms = rules->syms;
    switch (v->kind) {
    case RULE_BOOL:
        return v->as.i;
    case RULE_INT:
        return sym_truth(v->as.i) >= 0 ? sym_int(syms, sym_truth(v->as.i)) : sym_not(syms, sym_not(syms, v->as.i));
    case RULE_NONE:
        return sym_int(syms, 0);
    case RULE_FLOAT:
        return sym_int(syms, v->as.f != 0);
    case RULE_TEXT:
        return sym_int(syms, v->as.s.n > 0);
    case RULE_LIST:
        return sym_int(syms, v->as.list.n > 0);
    case RULE_TENSOR:
    case RULE_DTYPE:
        break;
    }
    return sym_int(syms, 1);
}

bool rule_double(const Eval *eval, const Expr *e, const RuleValue *v, double *f) {
    if (v->kind == RULE_FLOAT) {
        *f = v->as.f;
        return true;
    }
    int64_t i;
    if (!rule_known(eval, e, v, "what a float is computed with", &i)) return false;
    *f = (double)i;
    return true;
}

static SymRef equal_lists(Eval *eval, const Expr *e, const RuleValue *a, const RuleValue *b) {
    Syms *syms = eval->rules->syms;
    if (a->as.list.n != b->as.list.n) return sym_int(syms, 0);
    SymRef all = sym_int(syms, 1);
    for (uint32_t i = 0; i < a->as.list.n && sym_truth(all) != 0; i++) {
        SymRef one = rule_equal(eval, e, &a->as.list.items[i], &b->as.list.items[i]);
        if (one == NULL) return NULL;
        all = sym_and(syms, all, one);
    }
    return all;
}

/* A dtype may be compared with its name: x.dtype == "f32". */
static bool same_dtype(const RuleValue *a, const RuleValue *b) {
    Dtype dtype;
    if (a->kind == RULE_TEXT) return dtype_parse(a->as.s, &dtype) && dtype == b->as.dtype;
    if (b->kind == RULE_TEXT) return dtype_parse(b->as.s, &dtype) && dtype == a->as.dtype;
    return a->as.dtype == b->as.dtype;
}

SymRef rule_equal(Eval *eval, const Expr *e, const RuleValue *a, const RuleValue *b) {
    Syms *syms = eval->rules->syms;
    if (!rule_spend(eval, e, 1)) return NULL;
    if (rule_is_integer(a) && rule_is_integer(b)) {
        SymRef result = sym_eq(syms, a->as.i, b->as.i);
        return rule_fits(eval, e) ? result : NULL;
    }
    if (rule_is_number(a) && rule_is_number(b)) {
        if (a->kind == RULE_FLOAT && b->kind == RULE_FLOAT) return sym_int(syms, a->as.f == b->as.f);
        double f = a->kind == RULE_FLOAT ? a->as.f : b->as.f;
        SymRef i = a->kind == RULE_FLOAT ? b->as.i : a->as.i;
        if (f != floor(f) || fabs(f) >= 0x1p63) return sym_int(syms, 0); /* an infinity is no size either */
        return sym_eq(syms, i, sym_int(syms, (int64_t)f));
    }
    bool dtypes = (a->kind == RULE_DTYPE && (b->kind == RULE_DTYPE || b->kind == RULE_TEXT)) ||
                  (b->kind == RULE_DTYPE && a->kind == RULE_TEXT);
    if (dtypes) return sym_int(syms, same_dtype(a, b));
    if (a->kind != b->kind) return sym_int(syms, 0);
    switch (a->kind) {
    case RULE_TEXT:
        return sym_int(syms, str_eq(a->as.s, b->as.s));
    case RULE_LIST:
        return equal_lists(eval, e, a, b);
    case RULE_TENSOR:
        return sym_int(syms, a->as.tensor == b->as.tensor);
    default:
        return sym_int(syms, 1); /* None and None */
    }
}

static SymRef less_list(Eval *eval, const Expr *e, const RuleValue *a, const RuleValue *b) {
    Syms *syms = eval->rules->syms;
    uint32_t n = a->as.list.n < b->as.list.n ? a->as.list.n : b->as.list.n;
    SymRef result = sym_int(syms, a->as.list.n < b->as.list.n);
    for (uint32_t i = n; i-- > 0;) { /* the first that differ decide */
        const RuleValue *x = &a->as.list.items[i], *y = &b->as.list.items[i];
        SymRef less = rule_less(eval, e, x, y), equal = less == NULL ? NULL : rule_equal(eval, e, x, y);
        if (equal == NULL) return NULL;
        result = sym_or(syms, less, sym_and(syms, equal, result));
        if (!rule_fits(eval, e)) return NULL;
    }
    return result;
}

SymRef rule_less(Eval *eval, const Expr *e, const RuleValue *a, const RuleValue *b) {
    Syms *syms = eval->rules->syms;
    if (!rule_spend(eval, e, 1)) return NULL;
    if (rule_is_integer(a) && rule_is_integer(b)) {
        SymRef result = sym_lt(syms, a->as.i, b->as.i);
        return rule_fits(eval, e) ? result : NULL;
    }
    if (rule_is_number(a) && rule_is_number(b)) {
        /* A size lies between the infinities, known or not. */
        bool infinite = (a->kind == RULE_FLOAT && isinf(a->as.f)) || (b->kind == RULE_FLOAT && isinf(b->as.f));
        double x = 0, y = 0;
        if ((a->kind == RULE_FLOAT || !infinite) && !rule_double(eval, e, a, &x)) return NULL;
        if ((b->kind == RULE_FLOAT || !infinite) && !rule_double(eval, e, b, &y)) return NULL;
        return sym_int(syms, x < y);
    }
    if (a->kind == RULE_TEXT && b->kind == RULE_TEXT) return sym_int(syms, str_cmp(a->as.s, b->as.s) < 0);
    if (a->kind == RULE_LIST && b->kind == RULE_LIST) return less_list(eval, e, a, b);
    rule_error(eval, e, "there is no order between %s and %s", rule_kind_name(a->kind), rule_kind_name(b->kind));
    return NULL;
}

SymRef rule_contains(Eval *eval, const Expr *e, const RuleValue *in, const RuleValue *item) {
    Syms *syms = eval->rules->syms;
    if (in->kind == RULE_TEXT && item->kind == RULE_TEXT)
        return sym_int(syms, item->as.s.n == 0 || str_find(in->as.s, item->as.s) != STR_NONE);
    if (in->kind != RULE_LIST) {
        rule_error(eval, e, "\"in\" looks into a list, but this is %s", rule_kind_name(in->kind));
        return NULL;
    }
    SymRef any = sym_int(syms, 0);
    for (uint32_t i = 0; i < in->as.list.n && sym_truth(any) != 1; i++) {
        SymRef one = rule_equal(eval, e, &in->as.list.items[i], item);
        if (one == NULL) return NULL;
        any = sym_or(syms, any, one);
    }
    return rule_fits(eval, e) ? any : NULL;
}

/* ---- chosen */
bool rule_choose(Eval *eval, const Expr *e, SymRef condition, const RuleValue *a, const RuleValue *b, RuleValue *out) {
    Syms *syms = eval->rules->syms;
    if (rule_is_integer(a) && rule_is_integer(b)) {
        *out = (RuleValue){.kind = a->kind == b->kind ? a->kind : RULE_INT};
        out->as.i = sym_select(syms, condition, a->as.i, b->as.i);
        return rule_fits(eval, e);
    }
    if (a->kind == RULE_LIST && b->kind == RULE_LIST && a->as.list.n == b->as.list.n) {
        RuleValue *items = rule_room(eval, e, a->as.list.n);
        if (items == NULL) return false;
        for (uint32_t i = 0; i < a->as.list.n; i++)
            if (!rule_choose(eval, e, condition, &a->as.list.items[i], &b->as.list.items[i], &items[i])) return false;
        *out = rule_list(items, a->as.list.n);
        return true;
    }
    bool same = a->kind == b->kind && a->kind != RULE_LIST &&
                !(a->kind == RULE_FLOAT && memcmp(&a->as.f, &b->as.f, sizeof a->as.f) != 0);
    if (same && a->kind != RULE_FLOAT) {
        SymRef equal = rule_equal(eval, e, a, b);
        if (equal == NULL) return false;
        same = sym_truth(equal) == 1;
    }
    *out = *a;
    return same || rule_undecided(eval, e, condition);
}

/* ---- computed */
static bool wrong_operands(const Eval *eval, const Expr *e, Op op, const RuleValue *a, const RuleValue *b) {
    Diag *diag = rule_error_at(eval, E_RULE, e->at, e->at_to, "%s does not go with %s and %s", op_text(op),
                               rule_kind_name(a->kind), rule_kind_name(b->kind));
    if (op == OP_ADD && (a->kind == RULE_LIST) != (b->kind == RULE_LIST))
        diag_hint(eval->rules->diags, diag, "a list takes another list: ... + [x]");
    if (a->kind == RULE_TENSOR || b->kind == RULE_TENSOR)
        diag_hint(eval->rules->diags, diag, "of a tensor .shape, .rank, .numel, .dtype and .itemsize are known");
    return false;
}

static bool power(Eval *eval, const Expr *e, const RuleValue *a, const RuleValue *b, RuleValue *out) {
    Syms *syms = eval->rules->syms;
    int64_t times, base;
    if (!rule_known(eval, e->as.pair.b, b, "an exponent", &times)) return false;
    if (times < 0) {
        if (!rule_known(eval, e->as.pair.a, a, "what has a negative exponent", &base)) return false;
        if (base == 0) {
            rule_error(eval, e, "this divides by zero");
            return false;
        }
        *out = rule_float(pow((double)base, (double)times));
        return true;
    }
    SymRef result = sym_int(syms, 1), square = a->as.i; /* by repeated squaring */
    for (; times > 0 && !syms->overflow; times >>= 1) {
        if (times & 1) result = sym_mul(syms, result, square);
        if (times > 1) square = sym_mul(syms, square, square);
    }
    *out = rule_int(result);
    return rule_fits(eval, e);
}

static bool of_integers(Eval *eval, const Expr *e, Op op, const RuleValue *a, const RuleValue *b, RuleValue *out) {
    Syms *syms = eval->rules->syms;
    SymRef x = a->as.i, y = b->as.i, result = x;
    switch (op) {
    case OP_ADD:
        result = sym_add(syms, x, y);
        break;
    case OP_SUB:
        result = sym_sub(syms, x, y);
        break;
    case OP_MUL:
        result = sym_mul(syms, x, y);
        break;
    case OP_FLOORDIV:
        result = sym_floordiv(syms, x, y);
        break;
    case OP_MOD:
        result = sym_mod(syms, x, y);
        break;
    default:
        return power(eval, e, a, b, out);
    }
    *out = rule_int(result);
    return rule_fits(eval, e);
}

/* Python's, where a quotient is rounded down and a remainder has the sign of the divisor. */
static bool of_floats(const Eval *eval, const Expr *e, Op op, double x, double y, RuleValue *out) {
    if (y == 0 && (op == OP_DIV || op == OP_FLOORDIV || op == OP_MOD)) {
        rule_error(eval, e, "this divides by zero");
        return false;
    }
    double f = 0;
    switch (op) {
    case OP_ADD:
        f = x + y;
        break;
    case OP_SUB:
        f = x - y;
        break;
    case OP_MUL:
        f = x * y;
        break;
    case OP_DIV:
        f = x / y;
        break;
    case OP_POW:
        f = pow(x, y);
        break;
    default: {
        double rest = fmod(x, y);
        if (rest != 0 && (rest < 0) != (y < 0)) rest += y;
        f = op == OP_MOD ? rest : floor((x - rest) / y + 0.5);
    }
    }
    *out = rule_float(f);
    return true;
}

static bool repeat(Eval *eval, const Expr *e, const RuleValue *a, const RuleValue *b, RuleValue *out) {
    if (rule_is_integer(a)) {
        const RuleValue *swap = a;
        a = b, b = swap;
    }
    int64_t times;
    if (!rule_known(eval, e, b, "how often a list is repeated", &times)) return false;
    if (times < 0) times = 0;
    uint64_t n = a->kind == RULE_LIST ? a->as.list.n : a->as.s.n;
    uint64_t total = n == 0 ? 0 : (uint64_t)times > UINT64_MAX / n ? UINT64_MAX : n * (uint64_t)times;
    RuleValue *items = rule_room(eval, e, total);
    if (items == NULL) return false;
    if (a->kind == RULE_LIST) {
        for (uint64_t i = 0; i < total; i++)
            items[i] = a->as.list.items[i % n];
        *out = rule_list(items, (uint32_t)total);
        return true;
    }
    Buf buf;
    buf_init(&buf, eval->rules->arena);
    for (uint64_t i = 0; i < (n == 0 ? 0 : (uint64_t)times); i++)
        buf_add(&buf, a->as.s);
    *out = rule_text(buf_str(&buf));
    return true;
}

static bool join(Eval *eval, const Expr *e, const RuleValue *a, const RuleValue *b, RuleValue *out) {
    if (a->kind == RULE_TEXT) {
        if (!rule_spend(eval, e, a->as.s.n + b->as.s.n)) return false;
        *out = rule_text(str_format(eval->rules->arena, "%S%S", a->as.s, b->as.s));
        return true;
    }
    uint32_t n = a->as.list.n, m = b->as.list.n;
    RuleValue *items = rule_room(eval, e, (uint64_t)n + m);
    if (items == NULL) return false;
    if (n > 0) memcpy(items, a->as.list.items, n * sizeof *items);
    if (m > 0) memcpy(items + n, b->as.list.items, m * sizeof *items);
    *out = rule_list(items, n + m);
    return true;
}

bool rule_binary(Eval *eval, const Expr *e, Op op, const RuleValue *a, const RuleValue *b, RuleValue *out) {
    bool list_a = a->kind == RULE_LIST || a->kind == RULE_TEXT, list_b = b->kind == RULE_LIST || b->kind == RULE_TEXT;
    if (op == OP_ADD && list_a && a->kind == b->kind) return join(eval, e, a, b, out);
    if (op == OP_MUL && ((list_a && rule_is_integer(b)) || (list_b && rule_is_integer(a))))
        return repeat(eval, e, a, b, out);
    if (!rule_is_number(a) || !rule_is_number(b)) return wrong_operands(eval, e, op, a, b);
    if (rule_is_integer(a) && rule_is_integer(b) && op != OP_DIV) return of_integers(eval, e, op, a, b, out);
    int64_t i;
    if (op == OP_DIV &&
        ((rule_is_integer(a) && !sym_is_int(a->as.i, &i)) || (rule_is_integer(b) && !sym_is_int(b->as.i, &i)))) {
        Diag *diag = rule_error_at(eval, E_RULE, e->at, e->at_to, "/ makes a float, which no size can be");
        diag_hint(eval->rules->diags, diag, "// divides integers and rounds down");
        return false;
    }
    double x, y;
    if (!rule_double(eval, e, a, &x) || !rule_double(eval, e, b, &y)) return false;
    return of_floats(eval, e, op, x, y, out);
}

bool rule_unary(Eval *eval, const Expr *e, Op op, const RuleValue *a, RuleValue *out) {
    Syms *syms = eval->rules->syms;
    if (op == OP_NOT) {
        *out = rule_bool(sym_not(syms, rule_truth(eval->rules, a)));
        return rule_fits(eval, e);
    }
    if (a->kind == RULE_FLOAT) {
        *out = rule_float(op == OP_NEG ? -a->as.f : a->as.f);
        return true;
    }
    if (!rule_is_integer(a)) {
        rule_error(eval, e, "%s goes with a number, but this is %s", op_text(op), rule_kind_name(a->kind));
        return false;
    }
    *out = rule_int(op == OP_NEG ? sym_sub(syms, sym_int(syms, 0), a->as.i) : a->as.i);
    return rule_fits(eval, e);
}

/* sym_choice.c: comparisons, minima and maxima, conditions and choices.
 *
 * A comparison is brought into one form, whichever way it was written: everything on one side, no common factor, the
 * first term positive, and then the positive terms on the right again; what has the other sign is "not" of that. "Not"
 * is 1 - condition. `and` and `or` are choices with a 0 or a 1, so that the second is asked only where it matters.
 */
#include "op/sym_internal.h"

static SymRef zero(Syms *syms) { return syms->all.items[0]; }

/* ---- comparisons */

/* The common factor of the coefficients, without the constant; 0 for a plain number. */
static int64_t content(const SymSum *sum) {
    uint64_t common = 0;
    for (uint32_t i = 0; i < sum->n; i++) {
        int64_t coefficient = sum->terms[i].coefficient;
        uint64_t x = common, y = coefficient < 0 ? 0 - (uint64_t)coefficient : (uint64_t)coefficient;
        while (y != 0) {
            uint64_t rest = x % y;
            x = y, y = rest;
        }
        common = x;
    }
    return common > INT64_MAX ? 1 : (int64_t)common;
}

static SymRef divided(Syms *syms, const SymSum *sum, int64_t by, int64_t constant) {
    SymRef result = sym_int(syms, constant);
    for (uint32_t i = 0; i < sum->n; i++) {
        SymTerm term = {sum->terms[i].coefficient / by, sum->terms[i].atom};
        result = sym_add(syms, result, sym_of_term(syms, term));
    }
    return result;
}

/* The atom for left < right or left == right, of right - left. */
static SymRef compare(Syms *syms, SymKind kind, SymRef difference) {
    SymSum sum;
    sym_sum_of(difference, &sum);
    SymRef left = zero(syms), right = zero(syms);
    for (uint32_t i = 0; i < sum.n; i++) {
        SymTerm term = sum.terms[i];
        if (term.coefficient > 0)
            right = sym_add(syms, right, sym_of_term(syms, term));
        else
            left = sym_sub(syms, left, sym_of_term(syms, term));
    }
    if (sum.constant > 0)
        right = sym_add(syms, right, sym_int(syms, sum.constant));
    else if (sum.constant < 0)
        left = sym_sub(syms, left, sym_int(syms, sum.constant));
    return sym_make(syms, kind, left, right, NULL);
}

static SymRef positive(Syms *syms, SymRef a) { /* a > 0 */
    if (a->low > 0) return sym_int(syms, 1);
    if (a->high <= 0) return zero(syms);
    if (sym_prove_nonnegative(syms, sym_add(syms, a, sym_int(syms, -1)))) return sym_int(syms, 1);
    SymRef negative = sym_neg(syms, a);
    if (sym_prove_nonnegative(syms, negative)) return zero(syms);
    SymSum sum;
    sym_sum_of(a, &sum);
    int64_t common = content(&sum);
    if (common > 1) { /* g*x + c > 0 is x > -c/g */
        int64_t down;
        if (__builtin_sub_overflow(sum.constant, 1, &down)) return sym_fail(syms, SYM_TOO_LARGE);
        a = divided(syms, &sum, common, sym_floor(down, common) + 1);
        sym_sum_of(a, &sum);
    }
    if (sum.n > 0 && sum.terms[0].coefficient < 0) {
        SymRef other = sym_add(syms, sym_neg(syms, a), sym_int(syms, 1)); /* not (a > 0) is 1 - a > 0 */
        return sym_not(syms, compare(syms, SYM_LT, other));
    }
    return compare(syms, SYM_LT, a);
}

SymRef sym_lt(Syms *syms, SymRef a, SymRef b) {
    int64_t x, y;
    if (sym_is_int(a, &x) && sym_is_int(b, &y)) return sym_int(syms, x < y);
    if (a == b || a->low >= b->high) return zero(syms);
    if (a->high < b->low) return sym_int(syms, 1);
    sym_enter(syms);
    SymRef result = positive(syms, sym_sub(syms, b, a));
    sym_leave(syms);
    return result;
}

SymRef sym_le(Syms *syms, SymRef a, SymRef b) { return sym_not(syms, sym_lt(syms, b, a)); }

static SymRef equal_to_zero(Syms *syms, SymRef a) {
    if (a == zero(syms)) return sym_int(syms, 1);
    if (a->low > 0 || a->high < 0) return zero(syms);
    SymSum sum;
    sym_sum_of(a, &sum);
    int64_t common = content(&sum);
    if (common > 1 && sum.constant % common != 0) return zero(syms);
    if (sym_prove_nonnegative(syms, sym_add(syms, a, sym_int(syms, -1)))) return zero(syms);
    if (sym_prove_nonnegative(syms, sym_add(syms, sym_neg(syms, a), sym_int(syms, -1)))) return zero(syms);
    if (common > 1) a = divided(syms, &sum, common, sum.constant / common);
    sym_sum_of(a, &sum);
    if (sum.n > 0 && sum.terms[0].coefficient < 0) a = sym_neg(syms, a);
    return compare(syms, SYM_EQ, a);
}

SymRef sym_eq(Syms *syms, SymRef a, SymRef b) {
    if (a == b) return sym_int(syms, 1);
    if (a->high < b->low || b->high < a->low) return zero(syms);
    /* Of a condition: itself or its opposite. */
    int64_t number;
    if (sym_is_int(a, &number) && sym_is_condition(b)) return number ? b : sym_not(syms, b);
    if (sym_is_int(b, &number) && sym_is_condition(a)) return number ? a : sym_not(syms, a);
    sym_enter(syms);
    SymRef result = equal_to_zero(syms, sym_sub(syms, a, b));
    sym_leave(syms);
    return result;
}

/* ---- conditions */
static SymRef condition_of(Syms *syms, SymRef a) {
    if (sym_is_condition(a)) return a;
    int truth = sym_truth(a);
    if (truth >= 0) return sym_int(syms, truth);
    return sym_not(syms, sym_eq(syms, a, zero(syms)));
}

SymRef sym_not(Syms *syms, SymRef a) {
    if (!sym_is_condition(a)) return sym_eq(syms, a, zero(syms));
    return sym_sub(syms, sym_int(syms, 1), a);
}

/* Whether it is 1 - something, which is then put in its place. */
static bool strip_not(SymRef *condition) {
    SymRef a = *condition;
    if (a->kind != SYM_SUM || a->n != 1 || a->constant != 1 || a->terms[0].coefficient != -1) return false;
    if (a->terms[0].atom->kind == SYM_PRODUCT) return false;
    *condition = a->terms[0].atom;
    return true;
}

static SymRef choose(Syms *syms, SymRef condition, SymRef a, SymRef b);

SymRef sym_and(Syms *syms, SymRef a, SymRef b) {
    a = condition_of(syms, a), b = condition_of(syms, b);
    int truth_a = sym_truth(a), truth_b = sym_truth(b);
    if (truth_a >= 0) return truth_a ? b : a;
    if (a == b || truth_b == 1) return a;
    if (truth_b == 0 && !a->partial) return b;
    if (sym_not(syms, b) == a && !a->partial) return zero(syms);
    SymRef inner_a = a, inner_b = b;
    strip_not(&inner_a), strip_not(&inner_b);
    if (inner_b->id < inner_a->id && !a->partial && !b->partial) { /* one order for both ways of writing it */
        SymRef swap = a;
        a = b, b = swap;
    }
    return choose(syms, a, b, zero(syms));
}

SymRef sym_or(Syms *syms, SymRef a, SymRef b) {
    return sym_not(syms, sym_and(syms, sym_not(syms, condition_of(syms, a)), sym_not(syms, condition_of(syms, b))));
}

/* A choice whose condition is undecided. */
static SymRef choose(Syms *syms, SymRef condition, SymRef a, SymRef b) {
    if (strip_not(&condition)) {
        SymRef swap = a;
        a = b, b = swap;
    }
    while (a->kind == SYM_SELECT && a->c == condition)
        a = a->a;
    while (b->kind == SYM_SELECT && b->c == condition)
        b = b->b;
    if (a == b) return a;
    int64_t x, y;
    if (sym_is_int(a, &x) && sym_is_int(b, &y) && x == 1 && y == 0) return condition;
    if (sym_is_int(a, &x) && sym_is_int(b, &y) && x == 0 && y == 1) return sym_not(syms, condition);
    return sym_make(syms, SYM_SELECT, a, b, condition);
}

SymRef sym_select(Syms *syms, SymRef condition, SymRef a, SymRef b) {
    condition = condition_of(syms, condition);
    int truth = sym_truth(condition);
    if (truth >= 0) return truth ? a : b;
    if (a == b) return a;
    int64_t number;
    if (sym_is_condition(a) && sym_is_int(b, &number) && (number == 0 || number == 1)) /* c and a, not c or a */
        return number == 0 ? sym_and(syms, condition, a) : sym_or(syms, sym_not(syms, condition), a);
    if (sym_is_condition(b) && sym_is_int(a, &number) && (number == 0 || number == 1)) /* not c and b, c or b */
        return number == 0 ? sym_and(syms, sym_not(syms, condition), b) : sym_or(syms, condition, b);
    return choose(syms, condition, a, b);
}

/* ---- minima and maxima */
enum { MOST_OPERANDS = 32 }; /* of nested ones that are put in order; more are left as they are */

typedef struct Operands {
    SymRef items[MOST_OPERANDS];
    uint32_t n;
} Operands;

/* Whether a is never greater (or, for maxima, never less) than b, so that b counts for nothing. */
static bool beats(Syms *syms, SymKind kind, SymRef a, SymRef b) {
    SymTry before = sym_try(syms);
    SymRef difference = kind == SYM_MIN ? sym_sub(syms, b, a) : sym_sub(syms, a, b);
    bool proven = sym_prove_nonnegative(syms, difference);
    return sym_tried(syms, before) && proven;
}

static void add_operand(Syms *syms, SymKind kind, Operands *operands, SymRef a) {
    for (uint32_t i = 0; i < operands->n; i++)
        if (operands->items[i] == a || beats(syms, kind, operands->items[i], a)) return;
    uint32_t kept = 0, at = 0; /* sorted by age, as sums are */
    for (uint32_t i = 0; i < operands->n; i++)
        if (!beats(syms, kind, a, operands->items[i])) operands->items[kept++] = operands->items[i];
    while (at < kept && operands->items[at]->id < a->id)
        at++;
    memmove(operands->items + at + 1, operands->items + at, (kept - at) * sizeof(SymRef));
    operands->items[at] = a;
    operands->n = kept + 1;
}

static bool gather(Syms *syms, SymKind kind, Operands *operands, SymRef a) {
    while (a->kind == kind) {
        if (operands->n + 1 >= MOST_OPERANDS) return false;
        add_operand(syms, kind, operands, a->b);
        a = a->a;
    }
    if (operands->n + 1 >= MOST_OPERANDS) return false;
    add_operand(syms, kind, operands, a);
    return true;
}

/* What a and b have in common: min(a + t, b + t) is t + min(a, b). */
static SymRef shared(Syms *syms, SymRef a, SymRef b) {
    SymSum x, y;
    sym_sum_of(a, &x), sym_sum_of(b, &y);
    int64_t constant = 0;
    if (x.constant > 0 && y.constant > 0) constant = x.constant < y.constant ? x.constant : y.constant;
    if (x.constant < 0 && y.constant < 0) constant = x.constant > y.constant ? x.constant : y.constant;
    SymRef common = sym_int(syms, constant);
    for (uint32_t i = 0, j = 0; i < x.n && j < y.n;) {
        uint32_t id_x = x.terms[i].atom->id, id_y = y.terms[j].atom->id;
        if (id_x == id_y && x.terms[i].coefficient == y.terms[j].coefficient)
            common = sym_add(syms, common, sym_of_term(syms, x.terms[i]));
        i += id_x <= id_y, j += id_y <= id_x;
    }
    return common;
}

static SymRef least_or_most(Syms *syms, SymKind kind, SymRef a, SymRef b) {
    if (a == b || beats(syms, kind, a, b)) return a;
    if (beats(syms, kind, b, a)) return b;
    SymRef common = shared(syms, a, b);
    if (common != zero(syms)) {
        SymRef rest_a = sym_sub(syms, a, common), rest_b = sym_sub(syms, b, common);
        return sym_add(syms, common, kind == SYM_MIN ? sym_min(syms, rest_a, rest_b) : sym_max(syms, rest_a, rest_b));
    }
    Operands operands = {.n = 0};
    if (!sym_step(syms) || !gather(syms, kind, &operands, a) || !gather(syms, kind, &operands, b))
        return sym_make(syms, kind, a, b, NULL);
    SymRef result = operands.items[0];
    for (uint32_t i = 1; i < operands.n; i++)
        result = sym_make(syms, kind, result, operands.items[i], NULL);
    return result;
}

SymRef sym_min(Syms *syms, SymRef a, SymRef b) {
    if (a->high <= b->low) return a;
    if (b->high <= a->low) return b;
    sym_enter(syms);
    SymRef result = least_or_most(syms, SYM_MIN, a, b);
    sym_leave(syms);
    return result;
}

SymRef sym_max(Syms *syms, SymRef a, SymRef b) {
    if (a->low >= b->high) return a;
    if (b->low >= a->high) return b;
    sym_enter(syms);
    SymRef result = least_or_most(syms, SYM_MAX, a, b);
    sym_leave(syms);
    return result;
}

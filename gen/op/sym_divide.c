/* sym_divide.c: floor division and remainder.
 *
 * Both take the same steps. What the divisor divides is taken out first (batch*784 // 784); the rest may be known by
 * its range to give one quotient only (0 <= i < n); common factors cancel (4*n // 8); terms of which the others
 * together are too small to matter leave those out ((i + 4*j) // 8 with 0 <= i < 4 is j // 2); and a division of a
 * division is one division. That is all it takes for an index that is flattened and split up again to come back as it
 * was.
 */
#include "op/sym_internal.h"

/* ---- a = quotient * b + rest, as polynomials */
typedef struct Split {
    SymRef quotient, rest;
} Split;

/* By a positive number: coefficients towards zero, so that none changes its sign; the constant down, so that what is
 * left of it is not negative. */
static Split split_by_number(Syms *syms, SymRef a, int64_t number) {
    SymSum sum;
    sym_sum_of(a, &sum);
    int64_t whole = sym_floor(sum.constant, number);
    Split split = {sym_int(syms, whole), sym_int(syms, sym_rest(sum.constant, number))};
    for (uint32_t i = 0; i < sum.n; i++) {
        SymTerm term = sum.terms[i];
        SymTerm quotient = {term.coefficient / number, term.atom}, rest = {term.coefficient % number, term.atom};
        if (quotient.coefficient != 0) split.quotient = sym_add(syms, split.quotient, sym_of_term(syms, quotient));
        if (rest.coefficient != 0) split.rest = sym_add(syms, split.rest, sym_of_term(syms, rest));
    }
    return split;
}

static int64_t degree_of(SymTerm term) {
    if (term.atom == NULL) return 0;
    if (term.atom->kind != SYM_PRODUCT) return 1;
    int64_t degree = 0;
    for (uint32_t i = 0; i < term.atom->n; i++)
        degree += term.atom->terms[i].coefficient;
    return degree;
}

/* Which term of two leads: the one of higher degree, then the one with more of the atom made last. Multiplying both by
 * the same keeps the order, which is what makes the division below end. */
static bool leads(SymTerm a, SymTerm b) {
    int64_t degree_a = degree_of(a), degree_b = degree_of(b);
    if (degree_a != degree_b || a.atom == NULL || b.atom == NULL) return degree_a > degree_b;
    bool product_a = a.atom->kind == SYM_PRODUCT, product_b = b.atom->kind == SYM_PRODUCT;
    uint32_t i = product_a ? a.atom->n : 1, j = product_b ? b.atom->n : 1;
    while (i > 0 && j > 0) {
        i--, j--;
        SymTerm x = product_a ? a.atom->terms[i] : (SymTerm){1, a.atom};
        SymTerm y = product_b ? b.atom->terms[j] : (SymTerm){1, b.atom};
        if (x.atom != y.atom) return x.atom->id > y.atom->id;
        if (x.coefficient != y.coefficient) return x.coefficient > y.coefficient;
    }
    return false;
}

static SymTerm leading_term(const SymSum *sum) {
    SymTerm best = {sum->constant, NULL};
    for (uint32_t i = 0; i < sum->n; i++)
        if (i == 0 || leads(sum->terms[i], best)) best = sum->terms[i];
    return best;
}

/* By anything: as long as a term is a multiple of the divisor's leading one. */
static Split split_by_sum(Syms *syms, SymRef a, SymRef b) {
    SymSum divisor;
    sym_sum_of(b, &divisor);
    SymTerm lead = leading_term(&divisor);
    Split split = {sym_int(syms, 0), a};
    while (sym_step(syms)) {
        SymSum rest;
        sym_sum_of(split.rest, &rest);
        SymTerm found = {0, NULL}, quotient;
        SymTerm best = {0, NULL};
        for (uint32_t i = 0; i < rest.n; i++) {
            if (!sym_term_divide(syms, rest.terms[i], lead, &quotient)) continue;
            if (found.atom == NULL || leads(rest.terms[i], found)) found = rest.terms[i], best = quotient;
        }
        if (found.atom == NULL) break;
        SymRef part = sym_of_term(syms, best);
        SymTry before = sym_try(syms);
        SymRef left = sym_sub(syms, split.rest, sym_mul(syms, part, b));
        SymRef quotient_so_far = sym_add(syms, split.quotient, part);
        if (!sym_tried(syms, before)) break;
        split.rest = left, split.quotient = quotient_so_far;
    }
    return split;
}

static Split split_by(Syms *syms, SymRef a, SymRef b) {
    int64_t number;
    if (!sym_is_int(b, &number)) return split_by_sum(syms, a, b);
    return split_by_number(syms, a, number);
}

/* ---- what both have in common after that */

/* Proves 0 <= a < b. */
static bool is_within(Syms *syms, SymRef a, SymRef b) {
    if (a->low >= 0 && a->high < b->low) return true;
    SymTry before = sym_try(syms);
    bool within = sym_prove_nonnegative(syms, a) &&
                  sym_prove_nonnegative(syms, sym_add(syms, sym_sub(syms, b, a), sym_int(syms, -1)));
    return sym_tried(syms, before) && within;
}

/* The one quotient that all values of the rest give; false if that is not known. */
static bool only_quotient(Syms *syms, SymRef rest, SymRef b, int64_t *quotient) {
    SymRange range = sym_range_floordiv(sym_range_of(rest), sym_range_of(b));
    if (range.low == range.high && range.low != INT64_MAX && range.low != INT64_MIN) {
        *quotient = range.low;
        return true;
    }
    if (!sym_positive(b) || !sym_step(syms)) return false;
    *quotient = 0;
    if (rest->high >= 0 && is_within(syms, rest, b)) return true;
    *quotient = -1;
    return rest->low < 0 && is_within(syms, sym_add(syms, rest, b), b);
}

/* The greatest term that divides the divisor and all terms of the rest; with a number as divisor the rest's constant
 * need not be divisible. */
static SymTerm common_factor(Syms *syms, SymRef rest, SymRef b) {
    SymSum r, d;
    sym_sum_of(rest, &r), sym_sum_of(b, &d);
    SymTerm common = d.n > 0 ? d.terms[0] : (SymTerm){d.constant, NULL};
    for (uint32_t i = 1; i < d.n; i++)
        common = sym_term_common(syms, common, d.terms[i]);
    if (d.n > 0 && d.constant != 0) common = sym_term_common(syms, common, (SymTerm){d.constant, NULL});
    for (uint32_t i = 0; i < r.n; i++)
        common = sym_term_common(syms, common, r.terms[i]);
    if (d.n > 0 && r.constant != 0) common = sym_term_common(syms, common, (SymTerm){r.constant, NULL});
    return common;
}

static bool is_one(SymTerm term) { return term.atom == NULL && term.coefficient == 1; }

/* Parts rest as factor * many + few with 0 <= few < factor, and b as factor * of. */
typedef struct Group {
    SymTerm factor;
    SymRef many, few, of;
} Group;

static bool group_by(Syms *syms, SymRef rest, SymTerm divisor, Group *group) {
    SymTerm of;
    if (!sym_term_divide(syms, divisor, group->factor, &of)) return false;
    group->of = sym_of_term(syms, of);
    SymRef factor = sym_of_term(syms, group->factor);
    if (!sym_positive(factor) || !sym_positive(group->of)) return false;
    SymSum sum;
    sym_sum_of(rest, &sum);
    int64_t whole = group->factor.atom == NULL ? sym_floor(sum.constant, group->factor.coefficient) : 0;
    group->many = sym_int(syms, whole);
    group->few =
        sym_int(syms, group->factor.atom == NULL ? sym_rest(sum.constant, group->factor.coefficient) : sum.constant);
    for (uint32_t i = 0; i < sum.n; i++) {
        SymTerm quotient;
        if (sym_term_divide(syms, sum.terms[i], group->factor, &quotient))
            group->many = sym_add(syms, group->many, sym_of_term(syms, quotient));
        else
            group->few = sym_add(syms, group->few, sym_of_term(syms, sum.terms[i]));
    }
    return is_within(syms, group->few, factor);
}

static bool find_group(Syms *syms, SymRef rest, SymRef b, Group *group) {
    SymSum sum, divisor;
    sym_sum_of(rest, &sum), sym_sum_of(b, &divisor);
    if (divisor.n > 1 || (divisor.n == 1 && divisor.constant != 0)) return false;
    SymTerm by = divisor.n == 1 ? divisor.terms[0] : (SymTerm){divisor.constant, NULL};
    for (uint32_t i = 0; i < sum.n && sym_step(syms); i++) {
        group->factor = sym_term_common(syms, sum.terms[i], by);
        if (is_one(group->factor)) continue;
        SymTry before = sym_try(syms);
        bool found = group_by(syms, rest, by, group);
        if (sym_tried(syms, before) && found) return true;
    }
    return false;
}

/* The rest as one atom of this kind plus a number. */
static SymRef single(SymRef rest, SymKind kind, int64_t *number) {
    SymSum sum;
    sym_sum_of(rest, &sum);
    *number = sum.constant;
    return sum.n == 1 && sum.terms[0].coefficient == 1 && sum.terms[0].atom->kind == kind ? sum.terms[0].atom : NULL;
}

/* ---- // */
static SymRef divide_rest(Syms *syms, SymRef rest, SymRef b) {
    int64_t number;
    if (only_quotient(syms, rest, b, &number)) return sym_int(syms, number);
    SymTerm common = common_factor(syms, rest, b);
    if (!is_one(common)) {
        SymSum sum;
        sym_sum_of(rest, &sum);
        SymRef less = rest;
        if (common.atom == NULL) /* what the constant has over is less than one of the new divisor's */
            less = sym_constant_as(syms, rest, sum.constant - sym_rest(sum.constant, common.coefficient));
        return sym_floordiv(syms, sym_divide_terms(syms, less, common), sym_divide_terms(syms, b, common));
    }
    Group group;
    if (find_group(syms, rest, b, &group)) return sym_floordiv(syms, group.many, group.of);
    SymRef inner = single(rest, SYM_FLOORDIV, &number);
    if (inner != NULL && sym_positive(b)) { /* (x // y + k) // b is (x + k*y) // (y*b) */
        SymTry before = sym_try(syms);
        SymRef whole = sym_mul(syms, inner->b, b), shifted = sym_add_times(syms, inner->a, number, inner->b);
        SymRef result = sym_floordiv(syms, shifted, whole);
        if (sym_tried(syms, before)) return result;
    }
    inner = single(rest, SYM_MOD, &number);
    if (inner != NULL && number == 0 && sym_positive(inner->b)) { /* x % (b*k) // b is x // b % k */
        Split split = split_by(syms, inner->b, b);
        if (split.rest == syms->all.items[0] && sym_positive(split.quotient))
            return sym_mod(syms, sym_floordiv(syms, inner->a, b), split.quotient);
    }
    return sym_make(syms, SYM_FLOORDIV, rest, b, NULL);
}

static SymRef divide(Syms *syms, SymRef a, SymRef b) {
    int64_t number;
    if (sym_is_int(b, &number) && number == INT64_MIN)
        return sym_make(syms, SYM_FLOORDIV, a, b, NULL); /* has no opposite */
    if (b->high <= 0) return sym_floordiv(syms, sym_neg(syms, a), sym_neg(syms, b));
    if (!sym_step(syms)) return sym_make(syms, SYM_FLOORDIV, a, b, NULL);
    Split split = split_by(syms, a, b);
    if (split.rest == syms->all.items[0]) return split.quotient;
    return sym_add(syms, split.quotient, divide_rest(syms, split.rest, b));
}

SymRef sym_floordiv(Syms *syms, SymRef a, SymRef b) {
    int64_t x, y;
    if (sym_is_int(b, &y)) {
        if (y == 0) return sym_fail(syms, SYM_DIVIDED_BY_ZERO);
        if (y == 1) return a;
        if (y == -1) return sym_neg(syms, a);
        if (sym_is_int(a, &x)) return sym_int(syms, sym_floor(x, y));
    }
    if (a == b) return sym_int(syms, 1);
    if (a == syms->all.items[0]) return a;
    sym_enter(syms);
    SymRef result = divide(syms, a, b);
    sym_leave(syms);
    return result;
}

/* ---- % */

/* Remainders within the dividend that make no difference: (3*(x % 8) + y) % 4 is (3*x + y) % 4. NULL: there are none.
 */
static SymRef without_remainders(Syms *syms, SymRef rest, SymRef b) {
    SymSum sum;
    sym_sum_of(rest, &sum);
    SymRef result = NULL;
    for (uint32_t i = 0; i < sum.n; i++) {
        SymTerm times;
        SymRef mod = sum.terms[i].atom;
        for (uint32_t j = 0; mod->kind == SYM_PRODUCT && j < sum.terms[i].atom->n; j++)
            if (sum.terms[i].atom->terms[j].atom->kind == SYM_MOD) mod = sum.terms[i].atom->terms[j].atom;
        if (mod->kind != SYM_MOD || !sym_step(syms)) continue;
        if (!sym_term_divide(syms, sum.terms[i], (SymTerm){1, mod}, &times)) continue;
        SymTry before = sym_try(syms);
        SymRef factor = sym_of_term(syms, times);
        Split split = split_by(syms, sym_mul(syms, factor, mod->b), b);
        SymRef so_far = result != NULL ? result : rest;
        SymRef next = sym_add(syms, so_far, sym_mul(syms, factor, sym_sub(syms, mod->a, mod)));
        if (sym_tried(syms, before) && split.rest == syms->all.items[0]) result = next;
    }
    return result;
}

static SymRef remainder_of_rest(Syms *syms, SymRef rest, SymRef b) {
    int64_t number;
    if (only_quotient(syms, rest, b, &number)) return sym_add_times(syms, rest, -number, b);
    SymRef simpler = without_remainders(syms, rest, b);
    if (simpler != NULL) return sym_mod(syms, simpler, b);
    SymTerm common = common_factor(syms, rest, b);
    if (!is_one(common)) { /* (g*x + k) % (g*m) is g*(x % m) + k with 0 <= k < g */
        SymSum sum;
        sym_sum_of(rest, &sum);
        int64_t over = 0;
        if (common.atom == NULL) over = sym_rest(sum.constant, common.coefficient);
        SymRef less = sym_constant_as(syms, rest, sum.constant - over);
        SymRef inner = sym_mod(syms, sym_divide_terms(syms, less, common), sym_divide_terms(syms, b, common));
        return sym_add(syms, sym_mul(syms, sym_of_term(syms, common), inner), sym_int(syms, over));
    }
    Group group;
    if (find_group(syms, rest, b, &group)) {
        SymRef many = sym_mod(syms, group.many, group.of);
        return sym_add(syms, group.few, sym_mul(syms, sym_of_term(syms, group.factor), many));
    }
    return sym_make(syms, SYM_MOD, rest, b, NULL);
}

static SymRef take_remainder(Syms *syms, SymRef a, SymRef b) {
    int64_t number;
    if (sym_is_int(b, &number) && number == INT64_MIN) return sym_make(syms, SYM_MOD, a, b, NULL); /* has no opposite */
    if (b->high <= 0) return sym_neg(syms, sym_mod(syms, sym_neg(syms, a), sym_neg(syms, b)));
    if (!sym_step(syms)) return sym_make(syms, SYM_MOD, a, b, NULL);
    Split split = split_by(syms, a, b);
    if (split.rest == syms->all.items[0]) return split.rest;
    return remainder_of_rest(syms, split.rest, b);
}

SymRef sym_mod(Syms *syms, SymRef a, SymRef b) {
    int64_t x, y;
    if (sym_is_int(b, &y)) {
        if (y == 0) return sym_fail(syms, SYM_DIVIDED_BY_ZERO);
        if (y == 1 || y == -1) return sym_int(syms, 0);
        if (sym_is_int(a, &x)) return sym_int(syms, sym_rest(x, y));
    }
    if (a == b || a == syms->all.items[0]) return sym_int(syms, 0);
    sym_enter(syms);
    SymRef result = take_remainder(syms, a, b);
    sym_leave(syms);
    return result;
}

/* sym_join.c: quotients and remainders of the same division, back together within a sum.
 *
 *     k*(x % m) + k*m*(x // m)  is  k*x
 *     k*(x % m) - k*x           is  -k*m*(x // m)
 *     k*x - k*m*(x // m)        is  k*(x % m)
 *
 * k may be any product, so a position that was split up by symbolic sizes comes together again. Each of the three makes
 * the sum shorter, or has one division less in it.
 */
#include "op/sym_internal.h"

enum {
    MOST_JOINED = 128, /* terms of a sum in which such are looked for */
    MOST_TRIES = 8,    /* of those that may be */
};

/* The part of a term's product that is a division, if any. */
static SymRef division_in(SymRef atom) {
    if (atom->kind == SYM_MOD || atom->kind == SYM_FLOORDIV) return atom;
    if (atom->kind != SYM_PRODUCT) return NULL;
    for (uint32_t i = atom->n; i-- > 0;) {
        SymRef factor = atom->terms[i].atom;
        if ((factor->kind == SYM_MOD || factor->kind == SYM_FLOORDIV) && atom->terms[i].coefficient == 1) return factor;
    }
    return NULL;
}

/* `sum` with `part` replaced, if it has it; NULL if not. */
static SymRef exchange(Syms *syms, SymRef sum, SymRef part, SymRef with) {
    SymSum terms;
    sym_sum_of(part, &terms);
    if (terms.n == 0 || !sym_has_terms(sum, part)) return NULL;
    return sym_add(syms, sym_sub(syms, sum, part), with);
}

static SymRef join_mod(Syms *syms, SymRef sum, SymRef mod, SymRef k) {
    SymRef part = sym_mul(syms, k, mod), whole = sym_mul(syms, k, mod->a);
    SymRef others = sym_sub(syms, sum, part);
    SymRef quotient = sym_mul(syms, sym_mul(syms, k, mod->b), sym_floordiv(syms, mod->a, mod->b));
    SymRef result = exchange(syms, others, sym_neg(syms, whole), sym_neg(syms, quotient));
    return result != NULL ? result : exchange(syms, others, quotient, whole);
}

static SymRef join_floordiv(Syms *syms, SymRef sum, SymRef division, SymTerm times) {
    SymSum divisor;
    sym_sum_of(division->b, &divisor);
    if (divisor.n > 1 || (divisor.n == 1 && divisor.constant != 0)) return NULL;
    SymTerm by = divisor.n == 1 ? divisor.terms[0] : (SymTerm){divisor.constant, NULL}, k;
    if (!sym_term_divide(syms, times, by, &k) || k.coefficient == INT64_MIN) return NULL;
    k.coefficient = -k.coefficient;
    SymRef factor = sym_of_term(syms, k);
    SymRef others = sym_sub(syms, sum, sym_mul(syms, sym_of_term(syms, times), division));
    return exchange(syms, others, sym_mul(syms, factor, division->a),
                    sym_mul(syms, factor, sym_mod(syms, division->a, division->b)));
}

static SymRef join_term(Syms *syms, SymRef sum, SymTerm term) {
    SymTerm times;
    SymRef division = division_in(term.atom);
    if (division == NULL || !sym_term_divide(syms, term, (SymTerm){1, division}, &times)) return NULL;
    SymTry before = sym_try(syms);
    SymRef result = division->kind == SYM_MOD ? join_mod(syms, sum, division, sym_of_term(syms, times))
                                              : join_floordiv(syms, sum, division, times);
    return sym_tried(syms, before) ? result : NULL;
}

/* ---- what a sum must have for a join to be worth the try */

/* Whether the sum has `times` as many of the dividend's first term. */
static bool has_dividend(const SymSum *sum, SymRef dividend, int64_t times) {
    SymSum terms;
    int64_t wanted;
    sym_sum_of(dividend, &terms);
    if (terms.n == 0 || __builtin_mul_overflow(times, terms.terms[0].coefficient, &wanted)) return false;
    uint32_t low = 0, high = sum->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sum->terms[middle].atom->id < terms.terms[0].atom->id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sum->n && sum->terms[low].atom == terms.terms[0].atom && sum->terms[low].coefficient == wanted;
}

static bool has_factor(SymRef atom, SymKind kind) {
    if (atom->kind == kind) return true;
    for (uint32_t i = 0; atom->kind == SYM_PRODUCT && i < atom->n; i++)
        if (atom->terms[i].atom->kind == kind) return true;
    return false;
}

/* Whether a term may be k*m times the quotient of this division. */
static bool has_quotient(const SymSum *sum, SymRef mod, int64_t k, bool k_is_number) {
    int64_t m, wanted = 0;
    bool number = sym_is_int(mod->b, &m) && k_is_number;
    if (number && __builtin_mul_overflow(k, m, &wanted)) return false;
    for (uint32_t i = 0; i < sum->n; i++) {
        SymTerm term = sum->terms[i];
        if (number ? term.coefficient == wanted && division_in(term.atom) != NULL
                   : term.atom->kind == SYM_PRODUCT && has_factor(term.atom, SYM_FLOORDIV))
            return true;
    }
    return false;
}

/* The same as has_dividend for a product: the dividend's first atom in a product with this coefficient. */
static bool has_product_of(const SymSum *sum, SymRef dividend, int64_t times) {
    SymSum terms;
    int64_t wanted;
    sym_sum_of(dividend, &terms);
    if (terms.n == 0 || __builtin_mul_overflow(times, terms.terms[0].coefficient, &wanted)) return false;
    SymRef atom = terms.terms[0].atom;
    if (atom->kind == SYM_PRODUCT) atom = atom->terms[0].atom;
    for (uint32_t i = 0; i < sum->n; i++)
        if (sum->terms[i].coefficient == wanted && sym_term_power(sum->terms[i], atom) > 0) return true;
    return false;
}

static bool may_join(SymRef a, SymTerm term) {
    SymSum sum;
    int64_t m;
    sym_sum_of(a, &sum);
    SymRef division = division_in(term.atom);
    int64_t times = term.coefficient;
    if (division == NULL || times == INT64_MIN) return false;
    bool number = division == term.atom;
    if (division->kind == SYM_MOD) {
        if (number && has_dividend(&sum, division->a, -times)) return true;
        if (!number && has_product_of(&sum, division->a, -times)) return true;
        return has_quotient(&sum, division, times, number);
    }
    if (sym_is_int(division->b, &m)) {
        if (m == -1 || times % m != 0) return false;
        return number ? has_dividend(&sum, division->a, -(times / m)) : has_product_of(&sum, division->a, -(times / m));
    }
    return !number; /* by a product of sizes, which the term has to have as well */
}

SymRef sym_join(Syms *syms, SymRef sum) {
    if (sum->kind != SYM_SUM || sum->n < 2 || sum->n > MOST_JOINED) return sum;
    uint32_t tries = 0;
    for (uint32_t i = 0; i < sum->n && tries < MOST_TRIES; i++) {
        if (!may_join(sum, sum->terms[i])) continue;
        tries++;
        sym_enter(syms);
        SymRef joined = sym_step(syms) ? join_term(syms, sum, sum->terms[i]) : NULL;
        sym_leave(syms);
        if (joined != NULL) return joined; /* what is in it was joined when it was made */
    }
    return sum;
}

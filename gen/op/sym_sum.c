/* sym_sum.c: sums and products as polynomials over atoms.
 *
 * Terms are kept in the order of their atoms' ids, so that sums merge as sorted lists do and equal polynomials come out
 * as equal arrays. The second half is division of single terms, which the simplification of // and % is made of.
 */
#include "op/sym_internal.h"

#include <stdlib.h>

/* ---- sums */
SymRef sym_add_times(Syms *syms, SymRef b, int64_t coefficient, SymRef a) {
    if (coefficient == 0) return b;
    SymSum x, y;
    sym_sum_of(b, &x), sym_sum_of(a, &y);
    int64_t constant, scaled;
    if (__builtin_mul_overflow(coefficient, y.constant, &scaled) ||
        __builtin_add_overflow(x.constant, scaled, &constant))
        return sym_fail(syms, SYM_TOO_LARGE);
    if (y.n == 0) return sym_constant_as(syms, b, constant);
    if (x.n + y.n > 2 * SYM_MOST_TERMS) return sym_fail(syms, SYM_TOO_MANY);
    syms->scratch.n = 0;
    for (uint32_t i = 0, j = 0; i < x.n || j < y.n;) {
        uint32_t id_x = i < x.n ? x.terms[i].atom->id : UINT32_MAX, id_y = j < y.n ? y.terms[j].atom->id : UINT32_MAX;
        SymTerm term = {0, id_x <= id_y ? x.terms[i].atom : y.terms[j].atom};
        if (id_y <= id_x && __builtin_mul_overflow(coefficient, y.terms[j++].coefficient, &term.coefficient))
            return sym_fail(syms, SYM_TOO_LARGE);
        if (id_x <= id_y && __builtin_add_overflow(term.coefficient, x.terms[i++].coefficient, &term.coefficient))
            return sym_fail(syms, SYM_TOO_LARGE);
        if (term.coefficient != 0) *VEC_PUSH(syms->arena, &syms->scratch) = term;
    }
    return sym_join(syms, sym_make_sum(syms, constant, syms->scratch.items, syms->scratch.n));
}

SymRef sym_constant_as(Syms *syms, SymRef a, int64_t constant) {
    SymSum sum;
    sym_sum_of(a, &sum);
    return sum.constant == constant ? a : sym_make_sum(syms, constant, sum.terms, sum.n);
}

SymRef sym_add(Syms *syms, SymRef a, SymRef b) { return sym_add_times(syms, a, 1, b); }
SymRef sym_sub(Syms *syms, SymRef a, SymRef b) { return a == b ? sym_int(syms, 0) : sym_add_times(syms, a, -1, b); }
SymRef sym_neg(Syms *syms, SymRef a) { return sym_add_times(syms, sym_int(syms, 0), -1, a); }

/* ---- products */

/* An atom's or a product's factors. */
typedef struct Factors {
    const SymTerm *items;
    uint32_t n;
    SymTerm one;
} Factors;

static void factors_of(SymRef atom, Factors *factors) {
    if (atom != NULL && atom->kind == SYM_PRODUCT) {
        factors->items = atom->terms, factors->n = atom->n;
        return;
    }
    factors->one = (SymTerm){1, atom};
    factors->items = &factors->one, factors->n = atom != NULL;
}

/* NULL for a product of nothing. */
static SymRef of_factors(Syms *syms, const SymTerm *factors, uint32_t n) {
    if (n == 0) return NULL;
    if (n == 1 && factors[0].coefficient == 1) return factors[0].atom;
    return sym_make_product(syms, factors, n);
}

static SymRef multiply_atoms(Syms *syms, SymRef a, SymRef b) {
    if (a == NULL || b == NULL) return a == NULL ? b : a;
    Factors x, y;
    factors_of(a, &x), factors_of(b, &y);
    SymTerm factors[SYM_MOST_DEGREE];
    uint32_t n = 0;
    int64_t degree = 0;
    for (uint32_t i = 0, j = 0; i < x.n || j < y.n;) {
        uint32_t id_x = i < x.n ? x.items[i].atom->id : UINT32_MAX, id_y = j < y.n ? y.items[j].atom->id : UINT32_MAX;
        SymTerm factor = {0, id_x <= id_y ? x.items[i].atom : y.items[j].atom};
        if (id_y <= id_x) factor.coefficient += y.items[j++].coefficient;
        if (id_x <= id_y) factor.coefficient += x.items[i++].coefficient;
        if (sym_is_condition(factor.atom)) factor.coefficient = 1; /* 0 and 1 are their own powers */
        degree += factor.coefficient;
        if (degree > SYM_MOST_DEGREE) return sym_fail(syms, SYM_TOO_MANY);
        factors[n++] = factor;
    }
    return of_factors(syms, factors, n);
}

static int by_atom(const void *a, const void *b) {
    uint32_t x = ((const SymTerm *)a)->atom->id, y = ((const SymTerm *)b)->atom->id;
    return (x > y) - (x < y);
}

/* Sorts terms and adds like ones. False where a coefficient overflows. */
static bool collect(SymTerm *terms, uint32_t *n) {
    if (*n > 1) qsort(terms, *n, sizeof *terms, by_atom);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *n; i++) {
        if (kept > 0 && terms[kept - 1].atom == terms[i].atom) {
            SymTerm *last = &terms[kept - 1];
            if (__builtin_add_overflow(last->coefficient, terms[i].coefficient, &last->coefficient)) return false;
        } else {
            terms[kept++] = terms[i];
        }
        if (terms[kept - 1].coefficient == 0) kept--;
    }
    *n = kept;
    return true;
}

static bool push_product(Syms *syms, SymTerm a, SymTerm b) {
    int64_t coefficient;
    if (__builtin_mul_overflow(a.coefficient, b.coefficient, &coefficient)) {
        sym_fail(syms, SYM_TOO_LARGE);
        return false;
    }
    SymRef atom = multiply_atoms(syms, a.atom, b.atom);
    if (coefficient != 0 && atom != NULL) *VEC_PUSH(syms->arena, &syms->scratch) = (SymTerm){coefficient, atom};
    return !syms->overflow;
}

SymRef sym_mul(Syms *syms, SymRef a, SymRef b) {
    int64_t number;
    if (sym_is_int(a, &number)) return sym_add_times(syms, sym_int(syms, 0), number, b);
    if (sym_is_int(b, &number)) return sym_add_times(syms, sym_int(syms, 0), number, a);
    SymSum x, y;
    sym_sum_of(a, &x), sym_sum_of(b, &y);
    if ((uint64_t)(x.n + 1) * (y.n + 1) > 2 * SYM_MOST_TERMS) return sym_fail(syms, SYM_TOO_MANY);
    int64_t constant;
    if (__builtin_mul_overflow(x.constant, y.constant, &constant)) return sym_fail(syms, SYM_TOO_LARGE);
    bool before = syms->overflow;
    syms->overflow = false;
    syms->scratch.n = 0;
    bool fine = true;
    for (uint32_t i = 0; i < x.n && fine; i++) {
        for (uint32_t j = 0; j < y.n && fine; j++)
            fine = push_product(syms, x.terms[i], y.terms[j]);
        fine = fine && push_product(syms, x.terms[i], (SymTerm){y.constant, NULL});
    }
    for (uint32_t j = 0; j < y.n && fine; j++)
        fine = push_product(syms, (SymTerm){x.constant, NULL}, y.terms[j]);
    syms->overflow |= before;
    if (!fine) return syms->all.items[0];
    if (!collect(syms->scratch.items, &syms->scratch.n)) return sym_fail(syms, SYM_TOO_LARGE);
    return sym_join(syms, sym_make_sum(syms, constant, syms->scratch.items, syms->scratch.n));
}

/* ---- single terms */
SymRef sym_of_term(Syms *syms, SymTerm term) {
    if (term.atom == NULL) return sym_int(syms, term.coefficient);
    return sym_make_sum(syms, 0, &term, term.coefficient != 0);
}

int64_t sym_term_power(SymTerm term, SymRef atom) {
    Factors factors;
    factors_of(term.atom, &factors);
    for (uint32_t i = 0; i < factors.n; i++)
        if (factors.items[i].atom == atom) return factors.items[i].coefficient;
    return 0;
}

bool sym_term_divide(Syms *syms, SymTerm a, SymTerm b, SymTerm *quotient) {
    if (b.coefficient == 0 || (b.coefficient == -1 && a.coefficient == INT64_MIN)) return false;
    if (a.coefficient % b.coefficient != 0) return false;
    quotient->coefficient = a.coefficient / b.coefficient;
    if (b.atom == NULL || a.atom == b.atom) {
        quotient->atom = b.atom == NULL ? a.atom : NULL;
        return true;
    }
    Factors x, y;
    factors_of(a.atom, &x), factors_of(b.atom, &y);
    SymTerm factors[SYM_MOST_DEGREE];
    uint32_t n = 0, j = 0;
    for (uint32_t i = 0; i < x.n; i++) {
        int64_t power = x.items[i].coefficient;
        if (j < y.n && y.items[j].atom == x.items[i].atom) power -= y.items[j++].coefficient;
        if (power < 0) return false;
        if (power > 0) factors[n++] = (SymTerm){power, x.items[i].atom};
    }
    if (j < y.n) return false;
    quotient->atom = of_factors(syms, factors, n);
    return true;
}

static int64_t common_number(int64_t a, int64_t b) {
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (y != 0) {
        uint64_t rest = x % y;
        x = y, y = rest;
    }
    return x > INT64_MAX ? 1 : (int64_t)x;
}

SymTerm sym_term_common(Syms *syms, SymTerm a, SymTerm b) {
    SymTerm common = {common_number(a.coefficient, b.coefficient), NULL};
    if (a.atom == NULL || b.atom == NULL) return common;
    Factors x, y;
    factors_of(a.atom, &x), factors_of(b.atom, &y);
    SymTerm factors[SYM_MOST_DEGREE];
    uint32_t n = 0;
    for (uint32_t i = 0, j = 0; i < x.n && j < y.n;) {
        uint32_t id_x = x.items[i].atom->id, id_y = y.items[j].atom->id;
        if (id_x == id_y) {
            int64_t p = x.items[i].coefficient, q = y.items[j].coefficient;
            factors[n++] = (SymTerm){p < q ? p : q, x.items[i].atom};
        }
        i += id_x <= id_y, j += id_y <= id_x;
    }
    common.atom = of_factors(syms, factors, n);
    return common;
}

SymRef sym_divide_terms(Syms *syms, SymRef a, SymTerm by) {
    SymSum sum;
    sym_sum_of(a, &sum);
    SymRef result = sym_int(syms, by.atom == NULL ? sum.constant / by.coefficient : 0);
    for (uint32_t i = 0; i < sum.n; i++) {
        SymTerm quotient;
        if (sym_term_divide(syms, sum.terms[i], by, &quotient))
            result = sym_add(syms, result, sym_of_term(syms, quotient));
    }
    return result;
}

bool sym_has_terms(SymRef whole, SymRef part) {
    SymSum x, y;
    sym_sum_of(whole, &x), sym_sum_of(part, &y);
    uint32_t i = 0;
    for (uint32_t j = 0; j < y.n; j++, i++) {
        while (i < x.n && x.terms[i].atom->id < y.terms[j].atom->id)
            i++;
        if (i == x.n || x.terms[i].atom != y.terms[j].atom || x.terms[i].coefficient != y.terms[j].coefficient)
            return false;
    }
    return true;
}

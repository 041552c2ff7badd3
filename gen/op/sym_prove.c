/* sym_prove.c: what ranges alone do not tell: is n*m - 1 - i - n*j negative anywhere, for 0 <= i < n and 0 <= j < m?
 *
 * One after the other, the atoms whose bound is itself symbolic (positions, remainders, quotients) are put at the bound
 * that makes the whole least, until the numbers' ranges answer; minima, maxima and choices are taken apart. The atom
 * made last comes first, because its bound can only be made of what was there before.
 */
#include "op/sym_internal.h"

/* sum = factor * atom + others, with a factor whose sign is known. */
typedef struct Linear {
    SymRef factor, others;
} Linear;

static bool linear_in(Syms *syms, SymRef a, SymRef atom, Linear *linear) {
    SymSum sum;
    sym_sum_of(a, &sum);
    linear->factor = sym_int(syms, 0);
    for (uint32_t i = 0; i < sum.n; i++) {
        int64_t power = sym_term_power(sum.terms[i], atom);
        if (power > 1) return false;
        if (power == 0) continue;
        SymTerm factor;
        if (!sym_term_divide(syms, sum.terms[i], (SymTerm){1, atom}, &factor)) return false;
        linear->factor = sym_add(syms, linear->factor, sym_of_term(syms, factor));
    }
    linear->others = sym_sub(syms, a, sym_mul(syms, linear->factor, atom));
    return linear->factor->low >= 0 || linear->factor->high <= 0;
}

static bool has_bound(SymRef atom) {
    switch (atom->kind) {
    case SYM_VAR:
        return atom->a != NULL;
    case SYM_MOD:
    case SYM_FLOORDIV:
        return sym_positive(atom->b);
    case SYM_MIN:
    case SYM_MAX:
    case SYM_SELECT:
        return true;
    default:
        return false;
    }
}

/* The bounded atom of the highest id below this one; NULL if there is none. */
static SymRef last_atom(SymRef a, uint32_t below) {
    SymSum sum;
    sym_sum_of(a, &sum);
    SymRef best = NULL;
    for (uint32_t i = 0; i < sum.n; i++) {
        SymRef atom = sum.terms[i].atom;
        uint32_t n = atom->kind == SYM_PRODUCT ? atom->n : 1;
        for (uint32_t j = 0; j < n; j++) {
            SymRef factor = atom->kind == SYM_PRODUCT ? atom->terms[j].atom : atom;
            if (factor->id < below && has_bound(factor) && (best == NULL || factor->id > best->id)) best = factor;
        }
    }
    return best;
}

/* An upper bound of an atom that is a position, a remainder or a quotient; NULL where only numbers are known. */
static SymRef atom_upper(Syms *syms, SymRef atom) {
    if (atom->kind == SYM_VAR) return sym_add(syms, atom->a, sym_int(syms, -1));
    if (atom->kind == SYM_MOD) return sym_add(syms, atom->b, sym_int(syms, -1));
    if (atom->kind != SYM_FLOORDIV) return NULL;
    SymRef most = sym_upper(syms, atom->a);
    return most == atom->a ? NULL : sym_floordiv(syms, most, atom->b);
}

SymRef sym_upper(Syms *syms, SymRef a) {
    uint32_t below = UINT32_MAX;
    sym_enter(syms);
    while (sym_step(syms)) {
        SymRef atom = last_atom(a, below);
        if (atom == NULL) break;
        below = atom->id;
        Linear linear;
        if (!linear_in(syms, a, atom, &linear)) continue;
        SymRef bound = NULL;
        if (linear.factor->low >= 0)
            bound = atom_upper(syms, atom);
        else if (atom->low != INT64_MIN)
            bound = sym_int(syms, atom->low);
        if (bound == NULL) continue;
        a = sym_add(syms, linear.others, sym_mul(syms, linear.factor, bound));
        below = UINT32_MAX;
    }
    sym_leave(syms);
    return a;
}

static bool prove(Syms *syms, SymRef a);

/* Both or one of two: what a stands for with each in the place of the atom. */
static bool prove_parts(Syms *syms, const Linear *linear, SymRef atom) {
    bool least = atom->kind == SYM_MIN && linear->factor->high <= 0; /* -min(x, y) is at least -x, and at least -y */
    bool most = atom->kind == SYM_MAX && linear->factor->low >= 0;
    SymRef with_a = sym_add(syms, linear->others, sym_mul(syms, linear->factor, atom->a));
    SymRef with_b = sym_add(syms, linear->others, sym_mul(syms, linear->factor, atom->b));
    if (least || most) return prove(syms, with_a) || prove(syms, with_b);
    return prove(syms, with_a) && prove(syms, with_b);
}

/* A lower bound of the whole with a bound in the atom's place; NULL if nothing is gained. */
static SymRef lower_by(Syms *syms, const Linear *linear, SymRef atom) {
    bool up = linear->factor->high <= 0; /* the whole is least where the atom is greatest */
    if (atom->kind == SYM_FLOORDIV) {    /* m*(x // m) lies in x - m + 1 .. x */
        SymSum factor, divisor;
        sym_sum_of(linear->factor, &factor), sym_sum_of(atom->b, &divisor);
        SymTerm by = divisor.n == 1 ? divisor.terms[0] : (SymTerm){divisor.constant, NULL}, times;
        bool plain = divisor.n + (divisor.constant != 0) == 1 && factor.n + (factor.constant != 0) == 1;
        SymTerm whole = factor.n == 1 ? factor.terms[0] : (SymTerm){factor.constant, NULL};
        if (plain && sym_term_divide(syms, whole, by, &times)) {
            SymRef bound = up ? atom->a : sym_add(syms, sym_sub(syms, atom->a, atom->b), sym_int(syms, 1));
            return sym_add(syms, linear->others, sym_mul(syms, sym_of_term(syms, times), bound));
        }
    }
    if (!up) return NULL;
    SymRef bound = atom_upper(syms, atom);
    return bound == NULL ? NULL : sym_add(syms, linear->others, sym_mul(syms, linear->factor, bound));
}

static bool prove(Syms *syms, SymRef a) {
    uint32_t below = UINT32_MAX;
    for (;;) {
        if (a->low >= 0) return true;
        if (a->high < 0 || syms->overflow || !sym_step(syms)) return false;
        SymRef atom = last_atom(a, below);
        if (atom == NULL) return false;
        below = atom->id;
        Linear linear;
        if (!linear_in(syms, a, atom, &linear)) continue;
        if (atom->kind == SYM_MIN || atom->kind == SYM_MAX || atom->kind == SYM_SELECT) {
            syms->depth++;
            bool proven = prove_parts(syms, &linear, atom);
            syms->depth--;
            return proven;
        }
        SymRef lower = lower_by(syms, &linear, atom);
        if (lower == NULL) continue;
        a = lower;
        below = UINT32_MAX;
    }
}

bool sym_prove_nonnegative(Syms *syms, SymRef a) {
    if (a->low >= 0 || a->high < 0) return a->low >= 0;
    sym_enter(syms);
    SymTry before = sym_try(syms);
    bool proven = prove(syms, a);
    bool fine = sym_tried(syms, before);
    sym_leave(syms);
    return fine && proven;
}

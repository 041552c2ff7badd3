/* sym_internal.h: what the files that make up Syms share; for sym*.c only.
 *
 * Two kinds of work are kept apart. What a form needs to be canonical (order of terms, like terms together) is always
 * done. What needs a search (is this remainder smaller than the divisor?) is done as far as `steps` allows, so that no
 * expression takes long: where it ends, a Sym is still right, only not as short as it could be.
 */
#ifndef OPGEN_OP_SYM_INTERNAL_H
#define OPGEN_OP_SYM_INTERNAL_H

#include "op/sym.h"

enum {
    SYM_MOST_TERMS = 1024, /* of a sum */
    SYM_MOST_DEGREE = 64,  /* of a product */
    SYM_MOST_HEIGHT = 200, /* operands within operands */
    SYM_MOST_SIZE = 20000, /* nodes, written out as a tree */
    SYM_MOST_SYMS = 1 << 22,
    SYM_MOST_STEPS = 600, /* tries for one operation */
    SYM_MOST_DEPTH = 16,  /* operations within each other's simplification */
};

/* Any Sym as a sum. */
typedef struct SymSum {
    int64_t constant;
    const SymTerm *terms;
    uint32_t n;
    SymTerm one; /* what terms is for an atom */
} SymSum;

static inline void sym_sum_of(SymRef a, SymSum *sum) {
    if (a->kind == SYM_SUM) {
        sum->constant = a->constant, sum->terms = a->terms, sum->n = a->n;
        return;
    }
    sum->one = (SymTerm){1, a};
    sum->constant = 0, sum->terms = &sum->one, sum->n = 1;
}

static inline bool sym_is_condition(SymRef a) { return a->low >= 0 && a->high <= 1; }
/* Nothing that divides may be zero, so a divisor that cannot be negative is positive. */
static inline bool sym_positive(SymRef divisor) { return divisor->low >= 0; }

SymRef sym_fail(Syms *syms, SymFault fault); /* the Sym 0 */

/* The one Sym of this content, with its range; for all kinds but sums. c and b may be NULL as the kind wants. */
SymRef sym_make(Syms *syms, SymKind kind, SymRef a, SymRef b, SymRef c);
/* Terms sorted by their atoms' ids, each once, no zero coefficient. The array is copied. */
SymRef sym_make_sum(Syms *syms, int64_t constant, const SymTerm *terms, uint32_t n);
SymRef sym_make_product(Syms *syms, const SymTerm *factors, uint32_t n);

/* ---- sym_sum.c */
SymRef sym_neg(Syms *syms, SymRef a);
/* a * coefficient * monomial (NULL: 1), plus b: what the others are made of. */
SymRef sym_add_times(Syms *syms, SymRef b, int64_t coefficient, SymRef a);
SymRef sym_of_term(Syms *syms, SymTerm term);
SymRef sym_constant_as(Syms *syms, SymRef a, int64_t constant); /* a with another constant */
/* The quotient of two terms where it has no remainder. The divisor's atom NULL: a plain number; so is the result's. */
bool sym_term_divide(Syms *syms, SymTerm a, SymTerm b, SymTerm *quotient);
/* The greatest term that divides both; coefficient positive, atom NULL for a plain number. */
SymTerm sym_term_common(Syms *syms, SymTerm a, SymTerm b);
/* How often `atom` is a factor of the term. */
int64_t sym_term_power(SymTerm term, SymRef atom);
/* Terms of a, each divided by the term; all must be divisible. */
SymRef sym_divide_terms(Syms *syms, SymRef a, SymTerm by);
/* a is `sum` less some terms: every term of `part` is in it with the same coefficient. Constants do not count. */
bool sym_has_terms(SymRef sum, SymRef part);

/* ---- sym_join.c */
SymRef sym_join(Syms *syms, SymRef sum); /* x % m + m*(x // m) is x, and such */

/* ---- sym_prove.c */
bool sym_prove_nonnegative(Syms *syms, SymRef a);
SymRef sym_upper(Syms *syms, SymRef a); /* a Sym that a never passes; a itself if none is simpler */

/* ---- sym_range.c: bounds, INT64_MIN and INT64_MAX where there are none */
typedef struct SymRange {
    int64_t low, high;
    bool none; /* every value is outside of 64 bits */
} SymRange;
static inline SymRange sym_range_of(SymRef a) { return (SymRange){a->low, a->high, false}; }
SymRange sym_range_add(SymRange a, SymRange b);
SymRange sym_range_mul(SymRange a, SymRange b);
SymRange sym_range_power(SymRange a, int64_t power);
SymRange sym_range_floordiv(SymRange a, SymRange b);
SymRange sym_range_mod(SymRange a, SymRange b);
int64_t sym_floor(int64_t a, int64_t b); /* a // b; b neither 0 nor -1 */
int64_t sym_rest(int64_t a, int64_t b);  /* a % b, of the same */

/* ---- tries: false where this operation has had its share */
static inline bool sym_step(Syms *syms) {
    if (syms->steps == 0 || syms->depth > SYM_MOST_DEPTH) return false;
    syms->steps--;
    return true;
}
static inline void sym_enter(Syms *syms) {
    if (syms->depth++ == 0) syms->steps = SYM_MOST_STEPS;
}
static inline void sym_leave(Syms *syms) { syms->depth--; }

/* A fault while something is only tried is no fault of the text: sym_tried puts back what stood, false if there was
 * one. */
typedef struct SymTry {
    bool overflow;
    SymFault fault;
} SymTry;
static inline SymTry sym_try(Syms *syms) {
    SymTry before = {syms->overflow, syms->fault};
    syms->overflow = false;
    return before;
}
static inline bool sym_tried(Syms *syms, SymTry before) {
    bool ok = !syms->overflow;
    syms->overflow = before.overflow;
    syms->fault = before.fault;
    return ok;
}

#endif

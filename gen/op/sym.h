/* sym.h: integers that are known only as expressions: sizes of tensors and positions in them.
 *
 * A Sym is a canonical form: two that are equal as polynomials are the same pointer, so equality is ==. Atoms are
 * variables (a named dim, an index) and floor divisions, remainders, minima, maxima and choices of Syms. Each variable
 * has a range, from which every Sym gets one; many questions are answered by ranges alone (0 <= i < n makes i // n
 * zero). Conditions are Syms of 0 and 1. Arithmetic that leaves 64 bits is an error of the caller's text: it sets
 * Syms.overflow, which the caller looks at and clears when an expression is done. A division by zero that no number
 * shows may be simplified away: n // n is 1. Sizes are bounded (sym_internal.h), so that code that walks a Sym may
 * recurse and visit each part as often as it is used.
 */
#ifndef OPGEN_OP_SYM_H
#define OPGEN_OP_SYM_H

#include "base/map.h"
#include "base/vec.h"

typedef struct Sym Sym;
typedef const Sym *SymRef;

typedef enum SymKind {
    SYM_SUM, /* constant + sum of coefficient * product of atoms; a plain number has no terms */
    SYM_VAR,
    SYM_FLOORDIV, /* a // b */
    SYM_MOD,      /* a % b, sign of b */
    SYM_MIN,
    SYM_MAX,
    SYM_LT, /* a < b: 0 or 1; the other orders are made of this */
    SYM_EQ,
    SYM_SELECT,  /* c ? a : b */
    SYM_PRODUCT, /* of atoms, within a sum's terms only; terms are its factors, their coefficients the powers */
} SymKind;

typedef struct SymTerm {
    int64_t coefficient;
    SymRef atom; /* an atom or a SYM_PRODUCT */
} SymTerm;

struct Sym {
    SymKind kind;
    uint32_t id;           /* in order of making: sorts terms, the same in every run */
    uint32_t height, size; /* as a tree */
    bool partial;          /* divides somewhere by what may be zero */
    int64_t low, high;     /* range, ends included; INT64_MIN and INT64_MAX: not known */
    Name name;             /* SYM_VAR */
    int64_t constant;      /* SYM_SUM */
    const SymTerm *terms;
    uint32_t n;
    SymRef a, b, c; /* operands of the other kinds; c is a choice's condition. SYM_VAR: a is an index's size, or NULL */
};

typedef enum SymFault { SYM_FINE, SYM_TOO_LARGE, SYM_DIVIDED_BY_ZERO, SYM_TOO_MANY } SymFault;

typedef struct Syms {
    Arena *arena;
    VEC(SymRef) all;
    uint32_t *table;
    uint32_t table_cap;
    bool overflow;  /* an operation left 64 bits or divided by zero since this was last cleared; its result is 0 */
    uint32_t most;  /* Syms that may be made; past it, and for one that is too large, `overflow` is set as well */
    SymFault fault; /* why it was set, the first time since it was cleared */
    uint32_t depth, steps; /* of the simplification that is under way */
    VEC(SymTerm) scratch;
} Syms;

void sym_clear_fault(Syms *syms);

void syms_init(Syms *syms, Arena *arena);
SymRef sym_int(Syms *syms, int64_t i);
/* A variable of this range. The same name again must have the same range and is the same Sym. */
SymRef sym_var(Syms *syms, Name name, int64_t low, int64_t high);
/* A position: 0 <= index < size. The same name with another size is another index. */
SymRef sym_index(Syms *syms, Name name, SymRef size);
SymRef sym_add(Syms *syms, SymRef a, SymRef b);
SymRef sym_sub(Syms *syms, SymRef a, SymRef b);
SymRef sym_mul(Syms *syms, SymRef a, SymRef b);
SymRef sym_floordiv(Syms *syms, SymRef a, SymRef b);
SymRef sym_mod(Syms *syms, SymRef a, SymRef b);
SymRef sym_min(Syms *syms, SymRef a, SymRef b);
SymRef sym_max(Syms *syms, SymRef a, SymRef b);
SymRef sym_lt(Syms *syms, SymRef a, SymRef b);
SymRef sym_le(Syms *syms, SymRef a, SymRef b);
SymRef sym_eq(Syms *syms, SymRef a, SymRef b);
SymRef sym_not(Syms *syms, SymRef a);
/* b is asked only where a holds (or, for sym_or, does not): `n > 0 and m // n == 2` divides nothing by zero. */
SymRef sym_and(Syms *syms, SymRef a, SymRef b);
SymRef sym_or(Syms *syms, SymRef a, SymRef b);
SymRef sym_select(Syms *syms, SymRef condition, SymRef a, SymRef b);
bool sym_is_int(SymRef a, int64_t *i);
/* 1, 0, or -1 where the ranges do not tell. */
int sym_truth(SymRef condition);
/* Puts other Syms in the place of variables; names not in the map (Name -> SymRef) stay. */
SymRef sym_replace(Syms *syms, SymRef a, const Map *with);
/* The value for given variables (Name -> const int64_t *). False: a variable is missing, a division by zero, an
 * overflow. */
bool sym_value(SymRef a, const Map *values, int64_t *out);
/* As the user would write it: "2*batch + 1". */
void sym_print(Buf *out, SymRef a);
/* As C for 64-bit signed operands, variables by their names after a prefix; floor division and remainder by helper
 * calls opgen_floordiv and opgen_mod only where the ranges do not make them plain / and %; minima and maxima by
 * opgen_min and opgen_max. All four take and give int64_t; the dividing two have to give 0 for a divisor of 0. */
void sym_print_c(Buf *out, SymRef a, Str prefix);

#endif

/* big.h: integers of more than 64 bits.
 *
 * A V_BIG is a magnitude in limbs of 64 bits and a sign. The arithmetic is GMP's low level (mpn_), which works on
 * arrays that the caller gives it: with operands of at most BIG_MOST_BITS it takes what it needs from the stack, so
 * GMP never asks the system for memory. Past that size an operation is an error that names the limit.
 *
 * An `integer` below is any V_BOOL, V_INT or V_BIG.
 */
#ifndef OPGEN_TEMPLATE_BIG_H
#define OPGEN_TEMPLATE_BIG_H

#include "template/value/value.h"

#include <gmp.h>

enum {
    BIG_LIMB_BITS = 64,
    BIG_MOST_BITS = 16384,
    BIG_MOST_LIMBS = BIG_MOST_BITS / BIG_LIMB_BITS,
    BIG_MOST_DIGITS = 4932, /* every number of so many decimal digits fits */
};

struct Big {
    uint32_t n; /* limbs, the highest of which is not 0 */
    bool negative;
    mp_limb_t limbs[]; /* the lowest first */
};

/* An integer opened up: limbs and sign, 0 limbs for zero. Not to be copied: p may point at own. */
typedef struct BigNum {
    const mp_limb_t *p;
    uint32_t n;
    bool negative;
    mp_limb_t own;
} BigNum;
void big_open(BigNum *num, Value integer);

/* The value of n limbs: a V_INT where it fits. Fails past BIG_MOST_BITS. */
Value big_make(Run *run, const mp_limb_t *limbs, size_t n, bool negative);
/* Digits of any base that val_integer takes; false: past BIG_MOST_BITS. */
bool big_parse(Arena *arena, Str digits, Value *out);
/* A number of up to 36 digits in decimal, into BIG_SHORT_ROOM bytes: where it ends, or NULL if it is longer. */
enum { BIG_SHORT_LIMBS = 2, BIG_SHORT_ROOM = 40 };
char *big_write_short(char *to, const Big *big);
void big_print(Buf *out, Value integer, int base); /* base 2 to 36, lower case, '-' but no prefix */

Value big_add(Run *run, Value a, Value b);
Value big_sub(Run *run, Value a, Value b);
Value big_mul(Run *run, Value a, Value b);
Value big_floordiv(Run *run, Value a, Value b); /* b is not 0 */
Value big_mod(Run *run, Value a, Value b);      /* b is not 0 */
Value big_pow(Run *run, Value a, Value b);      /* b is not negative */
int big_sign(Value integer);                    /* -1, 0, 1 */
int big_order(Value a, Value b);
int big_order_double(Value a, double f); /* exact; f is not NaN */

/* a / b as the nearest double (half to even); b is not 0. False where it is past the largest double. */
bool big_ratio(Value a, Value b, double *out);
/* The integer part of a finite double: at most BIG_DOUBLE_LIMBS limbs, without the sign; returns how many. */
enum { BIG_DOUBLE_LIMBS = 16 };
size_t big_of_double(double f, mp_limb_t limbs[BIG_DOUBLE_LIMBS]);

#endif

/* float.h: what float.c and shortest.c know of doubles and of powers of ten.
 */
#ifndef OPGEN_TEMPLATE_VALUE_FLOAT_H
#define OPGEN_TEMPLATE_VALUE_FLOAT_H

#include <stdatomic.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 Wide;

enum {
    FRACTION_BITS = 52,
    EXPONENT_BIAS = 1023 + FRACTION_BITS,
    POWER_LEAST = -293, /* of ten: what float.c divides by, turned over */
    POWER_MOST = 323,
};

/* floor(log10(2^q)) and floor(log2(10^k)), in the range of doubles */
static inline int log10_of_2(int q) { return (q * 1262611) >> 22; }
static inline int log2_of_10(int k) { return (k * 1741647) >> 19; }

/* Up to 17 digits: a number of 15 or 16, and one more or 0. Were it of 16, so many would stand before the point; it may
 * be 0 or less. */
typedef struct Decimal {
    uint64_t digits;
    uint32_t last;
    int point;
} Decimal;

/* Of a positive, finite double: as few digits as read back as it, then zeros. Whatever the double is. */
Decimal float_shortest(double f);

/* 10^k / 2^(its exponent - 123), rounded up: four bits less than 128. 0 until float_shortest was asked for a double
 * that needs it. */
typedef struct FloatPower {
    _Atomic uint64_t high, low;
} FloatPower;
extern FloatPower float_powers[POWER_MOST - POWER_LEAST + 1];

#endif

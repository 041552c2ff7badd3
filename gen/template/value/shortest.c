/* shortest.c: the decimal number with the fewest digits that reads back as a given double, and of those the one nearest
 * to it. float.c finds most of them by one multiplication; this is where it is not sure, and the powers of ten.
 *
 * The method is Schubfach (Raffaello Giulietti, "The Schubfach way to render doubles"): the double and the two
 * boundaries to its neighbours are scaled by a power of ten, kept in 128 bits, so that at most two candidates of each
 * length are left to compare, and rounded so that no comparison goes wrong. The powers are not a table of literals:
 * each is computed with GMP when it is first wanted and kept. */
#include "template/value/float.h"
#include "template/value/inner.h"

#include <gmp.h>

enum {
    SCALE_LEAST = -292, /* of the powers of ten: what the range of doubles needs */
    SCALE_MOST = 324,
};
#define MOST_DIGITS ((uint64_t)10000000000000000) /* 10^16 */

_Static_assert(GMP_NUMB_BITS == 64, "limbs are 64 bits");

typedef struct Power {
    uint64_t high, low; /* 10^k / 2^(its exponent - 127), rounded up: the top bit is set */
} Power;

/* Bits from..from+63 of a number. */
static uint64_t bits_from(const mp_limb_t *p, size_t n, size_t from) {
    size_t limb = from / 64, shift = from % 64;
    uint64_t low = limb < n ? p[limb] >> shift : 0;
    return shift != 0 && limb + 1 < n ? low | p[limb + 1] << (64 - shift) : low;
}

static size_t bit_count(const mp_limb_t *p, size_t n) { return n * 64 - (size_t)__builtin_clzll(p[n - 1]); }

static size_t power_of_5(mp_limb_t *p, unsigned exponent) {
    size_t n = 1;
    p[0] = 1;
    for (; exponent > 0; exponent--) {
        mp_limb_t carry = mpn_mul_1(p, p, (mp_size_t)n, 5);
        if (carry != 0) p[n++] = carry;
    }
    return n;
}

enum { LIMBS = 16 }; /* 5^324 has 753 bits; a quotient's numerator 128 more */

static Power positive_power(unsigned k) {
    mp_limb_t p[LIMBS];
    size_t n = power_of_5(p, k), bits = bit_count(p, n);
    if (bits <= 128) { /* exact */
        mp_limb_t wide[3] = {p[0], n > 1 ? p[1] : 0, 0};
        size_t shift = 128 - bits;
        if (shift >= 64) wide[1] = wide[0], wide[0] = 0, shift -= 64;
        if (shift != 0) mpn_lshift(wide, wide, 2, (unsigned)shift);
        return (Power){wide[1], wide[0]};
    }
    Power power = {bits_from(p, n, bits - 64), bits_from(p, n, bits - 128)};
    if (++power.low == 0) power.high++; /* 5^k is odd, so something was cut off */
    return power;
}

static Power negative_power(unsigned k) {
    mp_limb_t divisor[LIMBS], numerator[LIMBS] = {0}, quotient[LIMBS], rest[LIMBS];
    size_t n = power_of_5(divisor, k), bit = bit_count(divisor, n) + 127;
    size_t limbs = bit / 64 + 1;
    numerator[bit / 64] = (mp_limb_t)1 << bit % 64;
    mpn_tdiv_qr(quotient, rest, 0, numerator, (mp_size_t)limbs, divisor, (mp_size_t)n);
    Power power = {quotient[1], quotient[0]};
    if (++power.low == 0) power.high++; /* no power of 5 divides one of 2 */
    return power;
}

static Power compute_power(int k) { return k >= 0 ? positive_power((unsigned)k) : negative_power((unsigned)-k); }

/* Two threads that learn a power at once write the same. */
typedef struct KnownPower {
    _Atomic uint64_t high, low; /* high is 0 until both are known */
} KnownPower;

static Power power_of_10(int k) {
    static KnownPower powers[SCALE_MOST - SCALE_LEAST + 1];
    KnownPower *known = &powers[k - SCALE_LEAST];
    const uint64_t high = atomic_load_explicit(&known->high, memory_order_acquire);
    if (high != 0) return (Power){high, atomic_load_explicit(&known->low, memory_order_relaxed)};
    const Power power = compute_power(k);
    atomic_store_explicit(&known->low, power.low, memory_order_relaxed);
    atomic_store_explicit(&known->high, power.high, memory_order_release);
    return power;
}

FloatPower float_powers[POWER_MOST - POWER_LEAST + 1];

/* What float.c wants for such a double the next time. */
static void teach_power(int k) {
    FloatPower *known = &float_powers[k - POWER_LEAST];
    if (atomic_load_explicit(&known->high, memory_order_relaxed) != 0) return;
    const Power power = compute_power(k);
    const uint64_t low = (power.low >> 4 | power.high << 60) + 1;
    atomic_store_explicit(&known->low, low, memory_order_relaxed);
    atomic_store_explicit(&known->high, (power.high >> 4) + (low == 0), memory_order_release);
}

/* The upper bits of power * c, the last one set if anything below is: rounding then never mistakes it for exact. */
static uint64_t scale(Power power, uint64_t c) {
    const Wide low = (Wide)power.low * c, high = (Wide)power.high * c + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* digits * 10^exponent */
static uint64_t schubfach(uint64_t c, int q, bool closer, int *exponent) {
    const bool open = c % 2 != 0;                              /* a boundary reads back as the even neighbour */
    const int k = (q * 1262611 - (closer ? 524031 : 0)) >> 22; /* floor(log10(2^q)), of 3/4 of it where closer */
    const int shift = q + log2_of_10(-k) + 1;
    const Power power = power_of_10(-k);
    const uint64_t lower = scale(power, (4 * c - 2 + closer) << shift) + open;
    const uint64_t value = scale(power, 4 * c << shift);
    const uint64_t upper = scale(power, (4 * c + 2) << shift) - open;

    const uint64_t s = value / 4;
    if (s >= 10) { /* one digit fewer, if exactly one such number lies between the boundaries */
        const uint64_t tens = s / 10;
        const bool below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
        if (below != above) {
            *exponent = k + 1;
            return tens + above;
        }
    }
    *exponent = k;
    const bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
    if (below != above) return s + above;
    const uint64_t middle = 4 * s + 2;
    return s + (value > middle || (value == middle && s % 2 != 0));
}

Decimal float_shortest(double f) {
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    const uint64_t fraction = bits & (((uint64_t)1 << FRACTION_BITS) - 1);
    const int biased = (int)(bits >> FRACTION_BITS);
    const uint64_t c = biased != 0 ? fraction | (uint64_t)1 << FRACTION_BITS : fraction;
    const int q = (biased != 0 ? biased : 1) - EXPONENT_BIAS;
    teach_power(-log10_of_2(q) - 1);
    int exponent;
    /* Below a power of two doubles are twice as dense. */
    uint64_t digits = schubfach(c, q, fraction == 0 && biased > 1, &exponent);
    uint32_t last = 0;
    if (digits >= MOST_DIGITS) { /* 17 of them */
        last = (uint32_t)(digits % 10);
        digits /= 10;
        exponent++;
    }
    for (; digits < MOST_DIGITS / 10; digits *= 10)
        exponent--;
    return (Decimal){digits, last, exponent + 16};
}

/* opgen_double_hyperbolic.h: hyperbolic functions of doubles but tanh and their inverses, the logarithm to base 10,
 * powers, roots and the complement of the error function: what opgen_double.h has no room for, written as it is. C11
 * and C++17.
 */
#ifndef OPGEN_DOUBLE_HYPERBOLIC_H
#define OPGEN_DOUBLE_HYPERBOLIC_H

#include "opgen_double.h"

#define OPGEN_ROUND64 0x1.8p52
#define OPGEN_LOG2_HIGH 0x1.62e42fefa38p-1
#define OPGEN_LOG2_LOW 0x1.ef35793c7673p-45
#define OPGEN_INF64 ((uint64_t)0x7ff << 52)
#define OPGEN_NAN64 ((uint64_t)0xfff << 51)

OPGEN_INLINE double opgen_upper_f64(double x) { return opgen_double(opgen_bits64(x) & ~(uint64_t)0x7ffffff); }

/* r, but what is 2^-28 or less, infinite or NaN as it is. Of a positive number. */
OPGEN_INLINE double opgen_between_f64(double a, double r) {
    const int64_t bits = (int64_t)opgen_bits64(a);
    const uint64_t same = opgen_mask64(bits < (int64_t)995 << 52) | opgen_mask64(bits >= (int64_t)OPGEN_INF64);
    return opgen_double((opgen_bits64(a) & same) | (opgen_bits64(r) & ~same));
}

/* ---- Hyperbolic functions: of n * log(2) + r, by those of either. */

typedef struct OpgenHyperbolic {
    double sinh_n, cosh_n, sinh_r, cosh_r; /* half of what they are, those of n; the last less 1 */
} OpgenHyperbolic;

OPGEN_INLINE OpgenHyperbolic opgen_hyperbolic_f64(double a) {
    const double z = opgen_at_most_f64(a * 0x1.71547652b82fep+0 + (OPGEN_ROUND64 + 1021), OPGEN_ROUND64 + 1021 + 1025);
    const double n = z - (OPGEN_ROUND64 + 1021), up = opgen_two_to_f64(z);
    const double down = opgen_double(((uint64_t)2042 - opgen_bits64(opgen_at_most_f64(z, OPGEN_ROUND64 + 2000))) << 52);
    const double high = a - n * OPGEN_LOG2_HIGH, low = n * OPGEN_LOG2_LOW, r = high - low, q = r * r;
    double odd = 0x1.af5f1fbf8c7ep-26, even = 0x1.28a0c81e55d67p-22;
    odd = odd * q + 0x1.71ddf81486bd8p-19;
    even = even * q + 0x1.a019a9d9b3572p-16;
    odd = odd * q + 0x1.a01a01b0024a2p-13;
    even = even * q + 0x1.6c16c17d37659p-10;
    odd = odd * q + 0x1.111111110f656p-7;
    even = even * q + 0x1.5555555553075p-5;
    odd = odd * q + 0x1.5555555555559p-3;
    even = even * q + 0.5;
    const OpgenHyperbolic parts = {up - down, up + down, high + (r * q * odd - low), q * even};
    return parts;
}

OPGEN_INLINE double opgen_sinh_f64(double x) {
    const double a = fabs(x);
    const OpgenHyperbolic h = opgen_hyperbolic_f64(a);
    const double half = h.sinh_n + (h.sinh_n * h.cosh_r + h.cosh_n * h.sinh_r);
    return copysign(opgen_between_f64(a, half + half), x);
}

OPGEN_INLINE double opgen_cosh_f64(double x) {
    const OpgenHyperbolic h = opgen_hyperbolic_f64(fabs(x));
    const double half = h.cosh_n + (h.cosh_n * h.cosh_r + h.sinh_n * h.sinh_r);
    return half + half;
}

/* ---- Their inverses: y is n * log(2) and twice the inverse hyperbolic tangent of s = tanh((y - n * log(2)) / 2),
 * which is, where S and C are sinh and cosh of n * log(2), (sinh(y) - S) / (cosh(y) + C). */

/* What twice the inverse hyperbolic tangent of s is more than 2 * s, for |s| up to 0.2. */
OPGEN_INLINE double opgen_twice_atanh_f64(double s) {
    const double z = s * s, y = z * z;
    double even = 0x1.3acd8a75ca7cp-3, odd = 0x1.3850b3934a0ddp-3;
    even = even * y + 0x1.747500f7b626ap-3;
    odd = odd * y + 0x1.c71c008cff258p-3;
    even = even * y + 0x1.249249b3b42f7p-2;
    odd = odd * y + 0x1.99999998ede91p-2;
    even = even * y + 0x1.5555555555785p-1;
    return s * z * (even + z * odd);
}

/* Of sinh(y) and cosh(y): all with a quarter of what they are, so that nothing overflows. */
OPGEN_INLINE double opgen_inverse_f64(double sinh_y, double cosh_y) {
    const uint64_t e = opgen_exponent_f64(0.5 * sinh_y + 0.5 * cosh_y);
    const double up = opgen_double((e - 2) << 52), n = opgen_whole_f64(e) - 1022;
    const double down = opgen_double(((uint64_t)2042 - (e < 2000 ? e : 2000)) << 52);
    const double s = (0.25 * sinh_y - (up - down)) / (0.25 * cosh_y + (up + down));
    return n * OPGEN_LOG2_HIGH + (2 * s + (opgen_twice_atanh_f64(s) + n * OPGEN_LOG2_LOW));
}

OPGEN_INLINE double opgen_asinh_f64(double x) {
    const double a = fabs(x), c = opgen_at_most_f64(a, 0x1p500), root = sqrt(c * c + 1);
    return copysign(opgen_between_f64(a, opgen_inverse_f64(a, root + (a - c))), x);
}

OPGEN_INLINE double opgen_acosh_f64(double x) {
    const double c = opgen_at_most_f64(x, 0x1p500), root = sqrt((c - 1) * (c + 1));
    const double r = opgen_inverse_f64(root + (x - c), x), y = (int64_t)opgen_bits64(x) >= (int64_t)OPGEN_INF64 ? x : r;
    return x >= 1 ? y : opgen_double(OPGEN_NAN64);
}

/* Half the logarithm of (1 + a) / (1 - a), of which n is about that to base 2: ((1 + a) - 2^n (1 - a)) / ((1 + a) + 2^n
 * (1 - a)) is s. Numbers' bits are their logarithms, nearly. */
OPGEN_INLINE double opgen_atanh_f64(double x) {
    const double a = fabs(x), b = 1 - a, lost = (1 - b) - a;
    const uint64_t n = (opgen_bits64(1 + a) - opgen_bits64(b) + ((uint64_t)1 << 51)) >> 52;
    const double two = opgen_double((1023 + n) << 52), w = two * b, m = opgen_whole_f64(n);
    const double s = ((a - (w - 1)) - two * lost) / (a + (w + 1));
    const double r = m * (OPGEN_LOG2_HIGH / 2) + (s + (0.5 * opgen_twice_atanh_f64(s) + m * (OPGEN_LOG2_LOW / 2)));
    const uint64_t near = opgen_mask64(a < 1), other = OPGEN_INF64 | (opgen_mask64(a != 1) & OPGEN_NAN64);
    return copysign(opgen_double((opgen_bits64(r) & near) | (other & ~near)), x);
}

/* ---- The logarithm to base 10: of a power of ten what it is, for what is rounded before the sum is less than 1/6. */
OPGEN_INLINE double opgen_log10_f64(double x) {
    double n;
    const double f = opgen_log_parts_f64(x, &n), log = f + opgen_log_near_f64(f, n * 0x1.26204cc14dc2dp-44);
    return opgen_log_of_f64(x, n * 0x1.34413509f78p-2 + log * 0x1.bcb7b1526e50ep-2);
}

/* ---- exp(-a^2) times a quotient of two polynomials, whose coefficients are all positive. The square is a sum, of
 * which the first part is that of half of a's bits. */
OPGEN_INLINE double opgen_erfc_f64(double x) {
    const double a = opgen_at_most_f64(fabs(x), 28), y = a * a, y2 = y * y, y4 = y2 * y2;
    const double up = 0x1.d6d5e7de42bc6p-17 * y4 + ((0x1.b921b893d914p-9 * y + 0x1.cf155201dc7aap-4) * y2 +
                                                    (0x1.0d346c97d915ap+0 * y + 0x1.5b409617f018dp+1));
    const double up_odd = 0x1.457494e07f3d7p-12 * y4 + ((0x1.7d7f23ece641fp-6 * y + 0x1.9ab3217f8a9eep-2) * y2 +
                                                        (0x1.01eb04af149ecp+1 * y + 0x1.2b71e0e99a35ep+1));
    const double down = 0x1.206d65dd39d49p-11 * y4 + ((0x1.54588f2c006c9p-5 * y + 0x1.7665d0fa4dd25p-1) * y2 +
                                                      (0x1.f417599a6b1e1p+1 * y + 0x1.680ea05e0ff07p+2));
    const double down_odd =
        (0x1.a14464877e8d5p-16 * y + 0x1.87c1fe366a0a8p-8) * y4 +
        ((0x1.a07ad9dfe90bbp-3 * y + 0x1.f60c184b63254p+0) * y2 + (0x1.69720b1687103p+2 * y + 0x1.bbe09b6baf115p+1));
    const double quotient = (1 + a * up_odd + y * up) / (1 + a * down_odd + y * down);
    const double half = opgen_upper_f64(a), square = half * half;
    const double z = (OPGEN_ROUND64 + 2046) - square * 0x1.71547652b82fep+0, n = z - (OPGEN_ROUND64 + 2046);
    const double p = opgen_expm1_near_f64(-square - n * OPGEN_LOG2_HIGH, n * OPGEN_LOG2_LOW + (a - half) * (a + half));
    const uint64_t both = opgen_bits64(z) & opgen_mask64(a < 27.3), first = both >> 1;
    const double r = (quotient + quotient * p) * opgen_double(first << 52) * opgen_double((both - first) << 52);
    const uint64_t negative = opgen_mask64((int64_t)opgen_bits64(x) < 0), nan = opgen_mask64(x != x) & OPGEN_NAN64;
    const double signed_r = opgen_double(opgen_bits64(r) ^ (negative & (uint64_t)1 << 63));
    return opgen_double(opgen_bits64(opgen_double(negative & (uint64_t)1 << 62) + signed_r) | nan);
}

/* ---- Roots. */

/* Both times the power of two that the larger has in it, but for the last of them. Infinity is more than NaN. */
OPGEN_INLINE double opgen_hypot_f64(double x, double y) {
    const double a = fabs(x), b = fabs(y), low = a < b ? a : b, high = a < b ? b : a;
    const int64_t power = (int64_t)(opgen_bits64(high) & OPGEN_INF64), least = (int64_t)1 << 52,
                  most = (int64_t)2045 << 52;
    const int64_t more = power > least ? power : least;
    const uint64_t scale = (uint64_t)(more < most ? more : most);
    const double down = opgen_double(((uint64_t)2046 << 52) - scale), c = low * down, d = high * down;
    const double r = sqrt(c * c + d * d) * opgen_double(scale);
    return a == INFINITY || b == INFINITY ? INFINITY : r;
}

/* y, of 9 bits, is about one over the root: a third of the exponent and of a number's first digits is that of its
 * logarithm, nearly. The root is x * y^2 * (x * y^3)^(-2/3); x is a sum of halves, whose products are exact. */
OPGEN_INLINE double opgen_cbrt_f64(double x) {
    const double a = fabs(x);
    const bool small = (int64_t)opgen_bits64(a) < (int64_t)1 << 52;
    const double up = a * (small ? 0x1p54 : 1);
    const double third = (0x1p52 + 349166) - opgen_whole_f64(opgen_bits64(up) >> 44) * (1.0 / 3);
    const double y = opgen_double(opgen_bits64(third) << 44), y2 = y * y;
    const double half = opgen_upper_f64(up), b = half * y2, rest = (up - half) * y2;
    const double e = (1 - b * y) - rest * y, e2 = e * e;
    double odd = 0x1.5b9803d19710cp-2, even = 0x1.5d6db05a6d1b5p-2;
    odd = odd * e2 + 0x1.5ab3a969d4ea8p-2;
    even = even * e2 + 0x1.66ec2b729cd2bp-2;
    odd = odd * e2 + 0x1.74ef1dfddc391p-2;
    even = even * e2 + 0x1.852535c299e9p-2;
    odd = odd * e2 + 0x1.9899e21bc2b5p-2;
    even = even * e2 + 0x1.b0a2f091ef1c3p-2;
    odd = odd * e2 + 0x1.cf8a021c2a613p-2;
    even = even * e2 + 0x1.f9add3c0eb22cp-2;
    odd = odd * e2 + 0x1.1c71c71c71b56p-1;
    even = even * e2 + 0x1.5555555555538p-1;
    const double r = (b + (rest + (b + rest) * e * (even + e * odd))) * (small ? 0x1p-18 : 1);
    const uint64_t far = opgen_mask64((int64_t)opgen_bits64(a) >= (int64_t)OPGEN_INF64);
    return copysign(opgen_double((opgen_bits64(a) & far) | (opgen_bits64(r) & ~far)), x);
}

/* ---- Powers. */

/* To a power that is known while compiling and has a shorter way: 2, 3, 1/2 and -1. The root has the signs of a power.
 */
OPGEN_INLINE double opgen_pow_known_f64(double x, double y) {
    return y == 2 ? x * x : y == 3 ? x * x * x : y == -1 ? 1 / x : x == -INFINITY ? INFINITY : sqrt(x + 0.0);
}

/* The logarithm to base 2 of a positive number, to 64 bits: a sum, and its second part; of 0 and infinity about that of
 * their neighbours. s = f / (2 + f), its square and what it is multiplied by are sums, too, whose first parts have half
 * the bits. */
OPGEN_INLINE double opgen_log2_wide_f64(double a, double *low) {
    double n;
    const double f = opgen_log_parts_f64(a, &n), over = 1 / (2 + f);
    const double d = opgen_upper_f64(2 + f), d_rest = f - (d - 2);
    const double s = opgen_upper_f64(f * over), s_rest = ((f - s * d) - s * d_rest) * over;
    const double square = s * s, z = opgen_upper_f64(square);
    const double z_rest = (square - z) + s_rest * (s + s + s_rest), z_all = z + z_rest, y = z_all * z_all;
    double even = 0x1.86067df3c9667p-3, odd = 0x1.87ad51e977bacp-3;
    even = even * y + 0x1.c69fb5864533cp-3;
    odd = odd * y + 0x1.0c9a6356e0386p-2;
    even = even * y + 0x1.484b14233fa2fp-2;
    odd = odd * y + 0x1.a61762a756c77p-2;
    even = even * y + 0x1.2776c50ef9d32p-1;
    const double third = z * 0x1.ec709ep-1;
    const double third_rest = z_rest * 0x1.ec709ep-1 + (z_all * -0x1.e2fe0145b01f5p-28 + y * (even + z_all * odd));
    const double slope = opgen_upper_f64(0x1.71547652b82fep+1 + (third + third_rest));
    const double slope_rest = ((0x1.71547652b82fep+1 - slope) + third) + (third_rest + 0x1.777d0ffda0d24p-55);
    const double log = s * slope, all = n + log;
    *low = ((n - all) + log) + (s * slope_rest + s_rest * (slope + slope_rest));
    return all;
}

/* 2^(y * log2|x|). A y of 2^53 or more is even; where it is odd, x decides about the sign. */
OPGEN_INLINE double opgen_pow_f64(double x, double y) {
#if defined(__GNUC__)
    if (__builtin_constant_p(y) && (y == 2 || y == 3 || y == 0.5 || y == -1)) return opgen_pow_known_f64(x, y);
#endif
    const double a = fabs(x), size = fabs(y);
    double low;
    const double log = opgen_log2_wide_f64(a, &low), high = opgen_upper_f64(log);
    /* So large a y makes any logarithm but 0 one that is out of range. */
    const double c = copysign(opgen_at_most_f64(size, 0x1p70), y), half = opgen_upper_f64(c);
    const double product = half * high, rest = c * ((log - high) + low) + (c - half) * high;
    const uint64_t ends = opgen_mask64(a == 0) | opgen_mask64(a == INFINITY), some = opgen_mask64(y != 0);
    const uint64_t over = opgen_mask64(fabs(product) > 2000) | (ends & some);
    const double w = opgen_double((opgen_bits64(product) & ~over) | (opgen_bits64(copysign(2000, product)) & over));
    const double z = w + (OPGEN_ROUND64 + 2046), r = w - (z - (OPGEN_ROUND64 + 2046));
    const double first = opgen_upper_f64(r), last = (r - first) + opgen_double(opgen_bits64(rest) & ~over);
    const double less = first * 0x1.05c610ca86c39p-29 - last * 0x1.62e42fefa39efp-1;
    const double p = opgen_scaled_f64(opgen_expm1_near_f64(first * 0x1.62e43p-1, less), z, !(w < -1076));
    const double even = opgen_at_most_f64(size, 0x1p53), add = even < 0x1p52 ? 0x1p52 : 0, sum = even + add;
    const uint64_t broken = opgen_mask64(sum - add != even);
    const uint64_t negative = ~broken & (opgen_bits64(sum) << 63) & opgen_bits64(x);
    const uint64_t complex = broken & opgen_mask64(x < 0) & opgen_mask64(x > -INFINITY);
    const uint64_t nan = (opgen_mask64(x != x) & some) | (opgen_mask64(y != y) & opgen_mask64(x != 1));
    return opgen_double(opgen_bits64(p) | negative | ((complex | nan) & OPGEN_NAN64));
}

#undef OPGEN_ROUND64
#undef OPGEN_LOG2_HIGH
#undef OPGEN_LOG2_LOW
#undef OPGEN_INF64
#undef OPGEN_NAN64

#endif

/* opgen_double.h: exponentials, logarithms, the hyperbolic tangent and the error function of doubles, as those of
 * floats in opgen_exp.h: without a branch, a table or a call, so that compilers vectorise loops that call them, where
 * 64-bit integers can be compared in vectors: gcc not for x86-64 as it once was, whose vectors hold two doubles. C11
 * and C++17. Others are in opgen_double_trig.h and opgen_double_hyperbolic.h.
 *
 * What C, IEEE 754 and PyTorch agree on holds: signs of zeros, infinities, NaN, overflow, subnormal operands and
 * results. How far off each function may be is in README.md; tests/cpu/fit_math.py makes the coefficients. Results do
 * not depend much on whether a compiler fuses a * b + c: what has to be exact is a product of few bits.
 */
#ifndef OPGEN_DOUBLE_H
#define OPGEN_DOUBLE_H

#include "opgen_math.h"

/* Adding 1.5 * 2^52 to a double of less than 2^51 rounds it to a whole number n, which then stands in the low bits;
 * with 1023 more the bits, shifted to where an exponent is, are 2^n. */
#define OPGEN_ROUND64 0x1.8p52
#define OPGEN_LOG2_HIGH 0x1.62e42fefa38p-1 /* so few bits that products with an n are exact */
#define OPGEN_LOG2_LOW 0x1.ef35793c7673p-45
OPGEN_INLINE double opgen_two_to_f64(double rounded) { return opgen_double(opgen_bits64(rounded) << 52); }
/* All ones, or 0. */
OPGEN_INLINE uint64_t opgen_mask64(bool set) { return 0u - (uint64_t)set; }

/* See opgen_at_most. */
OPGEN_INLINE double opgen_at_most_f64(double positive, double most) {
    const int64_t bits = (int64_t)opgen_bits64(positive), limit = (int64_t)opgen_bits64(most);
    return opgen_double((uint64_t)(bits < limit ? bits : limit));
}

/* exp(r) - 1 of r = high - low for |r| <= log(2) / 2, where low is far less. Two polynomials of the square are no
 * longer to wait for than one half as long. */
OPGEN_INLINE double opgen_expm1_near_f64(double high, double low) {
    const double r = high - low;
    const double q = r * r;
    double odd = 0x1.1d8308a670393p-29, even = 0x1.af4a1133ffdc4p-26;
    odd = odd * q + 0x1.27e62f92eac4ep-22;
    even = even * q + 0x1.71de045fea71dp-19;
    odd = odd * q + 0x1.a01a00fddeecap-16;
    even = even * q + 0x1.a01a01ab1e0dfp-13;
    odd = odd * q + 0x1.6c16c16c39e6fp-10;
    even = even * q + 0x1.1111111110238p-7;
    odd = odd * q + 0x1.55555555555p-5;
    even = even * q + 0x1.5555555555557p-3;
    odd = odd * q + 0.5;
    return high + (q * (r * even + odd) - low);
}

/* Of x less n * log(2). */
OPGEN_INLINE double opgen_expm1_less_f64(double x, double n) {
    return opgen_expm1_near_f64(x - n * OPGEN_LOG2_HIGH, n * OPGEN_LOG2_LOW);
}

/* (1 + p) * 2^n in two steps, so that neither factor is out of range and one rounding is all there is; z is n + 2046,
 * rounded as above. Where the power would be 0, not `some`, both factors are: near the least subnormal number some
 * processors take a hundred times as long. */
OPGEN_INLINE double opgen_scaled_f64(double p, double z, bool some) {
    const uint64_t both = opgen_bits64(z) & opgen_mask64(some), half = both >> 1;
    const double scale = opgen_double(half << 52);
    return (scale + scale * p) * opgen_double((both - half) << 52);
}

OPGEN_INLINE double opgen_exp_f64(double x) {
    const double c = x < -1e6 ? -1e6 : x, most = OPGEN_ROUND64 + 2046 + 1026;
    const double z = opgen_at_most_f64(c * 0x1.71547652b82fep+0 + (OPGEN_ROUND64 + 2046), most),
                 n = z - (OPGEN_ROUND64 + 2046);
    return opgen_scaled_f64(opgen_expm1_less_f64(c, n), z, !(x < -746));
}

OPGEN_INLINE double opgen_rsqrt_f64(double x) { return 1 / sqrt(x); }

OPGEN_INLINE double opgen_exp2_f64(double x) {
    const double c = x < -1e6 ? -1e6 : x, most = OPGEN_ROUND64 + 2046 + 1026;
    const double z = opgen_at_most_f64(c + (OPGEN_ROUND64 + 2046), most), n = z - (OPGEN_ROUND64 + 2046);
    const double p = opgen_expm1_near_f64((c - n) * 0x1.62e42fefa39efp-1, (n - c) * 0x1.abc9e3b39803fp-56);
    return opgen_scaled_f64(p, z, !(x < -1076));
}

/* 2^n * (exp(r) - 1) + (2^n - 1), of half that size so that 2^n is in range; near 0 without either. */
OPGEN_INLINE double opgen_expm1_f64(double x) {
    const double c = x < -60 ? -60 : x, most = OPGEN_ROUND64 + 1022 + 1024;
    const bool near = (opgen_bits64(x) & ~((uint64_t)1 << 63)) < (uint64_t)0x3fd62e42fefa39ef;
    const double t = near ? 0 : c * 0x1.71547652b82fep+0;
    const double z = opgen_at_most_f64(t + (OPGEN_ROUND64 + 1022), most), n = z - (OPGEN_ROUND64 + 1022);
    const double m = opgen_expm1_less_f64(c, n), half = opgen_two_to_f64(z);
    return copysign(near ? m : 2 * (half * m + (half - 0.5)), x);
}

/* 1 - 2 / (exp(2a) + 1), which is (exp(2a) - 1) / ((exp(2a) - 1) + 2) */
OPGEN_INLINE double opgen_tanh_f64(double x) {
    const double a = opgen_at_most_f64(fabs(x), 25), e = opgen_expm1_f64(a + a);
    return x != x ? x : copysign(e / (e + 2), x);
}

/* x + x * P(x^2) near 0, elsewhere 1 less exp(-a^2) times a polynomial of (a - 2) / (a + 2); each in two halves. */
OPGEN_INLINE double opgen_erf_f64(double x) {
    const double a = fabs(x), c = opgen_at_most_f64(a, 6), q = x * x, q2 = q * q, t = (c - 2) / (c + 2), t2 = t * t;
    double even = 0x1.084a0c79f3797p-26;
    even = even * q2 + 0x1.ba903e4be1cb9p-20;
    even = even * q2 + 0x1.f9a43190197dcp-14;
    even = even * q2 + 0x1.565bcd53dcf47p-8;
    even = even * q2 + 0x1.ce2f21a04bab4p-4;
    even = even * q2 + 0x1.06eba8214db6bp-3;
    double odd = -0x1.37ba8dbdc849p-30;
    odd = odd * q2 - 0x1.635b81567281p-23;
    odd = odd * q2 - 0x1.f4e314d98b976p-17;
    odd = odd * q2 - 0x1.c02dbeafdaf2fp-11;
    odd = odd * q2 - 0x1.b82ce314a7513p-6;
    odd = odd * q2 - 0x1.812746b037ae5p-2;
    double first = -0x1.8b393ad83477ep-18;
    first = first * t2 + 0x1.ecd1b5b76edb2p-16;
    first = first * t2 + 0x1.675197c3f4e4p-15;
    first = first * t2 - 0x1.bc22bf38abf99p-11;
    first = first * t2 + 0x1.e9471726aefa3p-9;
    first = first * t2 + 0x1.eeea7dc881851p-3;
    first = first * t2 + 0x1.058671b52c7d2p-2;
    double second = -0x1.3c2da9895ed7dp-16;
    second = second * t2 + 0x1.6af3ed32338dep-13;
    second = second * t2 - 0x1.0170dcfc134fcp-10;
    second = second * t2 + 0x1.ca960664ac8e4p-8;
    second = second * t2 - 0x1.437f0b6cc0046p-4;
    second = second * t2 - 0x1.b57034efd3c4dp-2;
    const double z = c * c * -0x1.71547652b82fep+0 + (OPGEN_ROUND64 + 1023), scale = opgen_two_to_f64(z);
    const double e = scale + scale * opgen_expm1_less_f64(-(c * c), z - (OPGEN_ROUND64 + 1023));
    return a >= 0.9 ? copysign(1 - (first + t * second) * e, x) : x + x * (even + q * odd);
}

/* What log(1 + f) - f is, for 1 + f from sqrt(1/2) to sqrt(2): by s = f / (2 + f), of whose inverse hyperbolic tangent
 * that is twice. `more` is added to it before it is rounded. */
OPGEN_INLINE double opgen_log_near_f64(double f, double more) {
    const double s = f / (2 + f), z = s * s, h = 0.5 * f * f;
    const double y = z * z;
    double odd = 0x1.2e1fdc70ec7c9p-3, even = 0x1.39ba5cf8b4c33p-3;
    odd = odd * y + 0x1.74653305baab8p-3;
    even = even * y + 0x1.c71c57bb6ddccp-3;
    odd = odd * y + 0x1.24924939e65a9p-2;
    even = even * y + 0x1.999999998abeap-2;
    odd = odd * y + 0x1.5555555555568p-1;
    return (s * (h + (y * even + z * odd)) + more) - h;
}

/* The n for which x * 2^-n is from sqrt(1/2) to sqrt(2), and 1023 more, of a normal number. */
OPGEN_INLINE uint64_t opgen_exponent_f64(double x) {
    return (opgen_bits64(x) - 0x3fe6a09e667f3bcdu + ((uint64_t)1023 << 52)) >> 52;
}

/* Of a whole number of fewer than 52 bits. */
OPGEN_INLINE double opgen_whole_f64(uint64_t n) { return opgen_double(n | 0x4330000000000000u) - 0x1p52; }

/* The logarithm of x, where r is that of a positive number. */
OPGEN_INLINE double opgen_log_of_f64(double x, double r) {
    const uint64_t other = ((uint64_t)0xfff << 52) | (opgen_mask64(x != 0) & (uint64_t)1 << 51);
    const double y = (int64_t)opgen_bits64(x) >= (int64_t)0x7ff << 52 ? x : r;
    return x > 0 ? y : opgen_double(other);
}

/* x without its exponent, less 1, and the exponent. */
OPGEN_INLINE double opgen_log_parts_f64(double x, double *n) {
    const bool small = (int64_t)opgen_bits64(x) < (int64_t)1 << 52;
    const double up = x * (small ? 0x1p54 : 1);
    const uint64_t e = opgen_exponent_f64(up);
    *n = opgen_whole_f64(e) - (small ? 1023 + 54 : 1023);
    return opgen_double(opgen_bits64(up) - (e << 52) + ((uint64_t)1023 << 52)) - 1;
}

OPGEN_INLINE double opgen_log_f64(double x) {
    double n;
    const double f = opgen_log_parts_f64(x, &n);
    return opgen_log_of_f64(x, n * OPGEN_LOG2_HIGH + (f + opgen_log_near_f64(f, n * OPGEN_LOG2_LOW)));
}

OPGEN_INLINE double opgen_log2_f64(double x) {
    double n;
    const double f = opgen_log_parts_f64(x, &n);
    /* f as a sum, of which the first part has so few bits that its product with 1 / log(2) is exact. */
    const double high = opgen_double(opgen_bits64(f) & ~(uint64_t)0xffffffff),
                 rest = (f - high) + opgen_log_near_f64(f, 0);
    return opgen_log_of_f64(x, n + high * 0x1.715476p+0 + (rest * 0x1.71547652b82fep+0 + high * 0x1.4ae0bf85ddf44p-26));
}

/* As log(1 + x), but f is made from x itself: x * 2^-n - (1 - 2^-n), and what that rounds away. 2^-n is a quarter of
 * the double that is made, so that n may be 1024. What is so small that it is the result, too, is computed with as 0,
 * whose square is not subnormal, and put back. */
OPGEN_INLINE double opgen_log1p_f64(double x) {
    const uint64_t small = opgen_mask64((opgen_bits64(x) & ~((uint64_t)1 << 63)) < (uint64_t)0x3c80000000000000);
    const double v = opgen_double(opgen_bits64(x) & ~small);
    const uint64_t e = opgen_exponent_f64(1 + v);
    const double s = opgen_double((2048 - e) << 52), n = opgen_whole_f64(e) - 1023;
    const double a = v * s * 0.25, b = 1 - s * 0.25, f = a - b, lost = a - (f + b);
    const double r = n * OPGEN_LOG2_HIGH + (f + opgen_log_near_f64(f, lost + n * OPGEN_LOG2_LOW));
    const uint64_t other = ((uint64_t)0xfff << 52) | (opgen_mask64(x != -1) & (uint64_t)1 << 51);
    const double y = (int64_t)opgen_bits64(x) >= (int64_t)0x7ff << 52
                         ? x
                         : opgen_double(opgen_bits64(r) | (opgen_bits64(x) & small));
    return x > -1 ? y : opgen_double(other);
}

#undef OPGEN_ROUND64
#undef OPGEN_LOG2_HIGH
#undef OPGEN_LOG2_LOW

#endif

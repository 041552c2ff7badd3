/* opgen_double_trig.h: sine, cosine, tangent and their inverses of doubles, as those of floats in opgen_trig.h: without
 * a branch, a table or a call, so that compilers vectorise loops that call them; see opgen_double.h. Only what is near
 * is done that way: beyond OPGEN_TRIG_NEAR opgen_sin_f64, opgen_cos_f64 and opgen_tan_f64 call C's, and loops of them
 * are not vectorised; those of opgen_sin_near_f64 and so on are. C11 and C++17.
 *
 * What C, IEEE 754 and PyTorch agree on holds: signs of zeros, infinities, NaN, subnormal operands and results.
 */
#ifndef OPGEN_DOUBLE_TRIG_H
#define OPGEN_DOUBLE_TRIG_H

#include "opgen_double.h"

#define OPGEN_TRIG_NEAR 0x1p24
#define OPGEN_TWO_OVER_PI 0x1.45f306dc9c883p-1
#define OPGEN_HALF_PI 0x1.921fb54442d18p+0
#define OPGEN_PI 0x1.921fb54442d18p+1
#define OPGEN_PI_REST 0x1.678afae35cdd1p-55 /* what pi and its half are more than that, of themselves */
#define OPGEN_SIGN64 ((uint64_t)1 << 63)

/* x less n quarters of a turn, n of at most 24 bits: a sum, and its second part. A quarter is a sum of parts of 29
 * bits, whose products are exact, and so are the first two differences where little is left. */
OPGEN_INLINE double opgen_less_quarters_f64(double x, double n, double *low) {
    const double a = x - n * 0x1.921fb54p+0;
    const double b = a - n * 0x1.10b4612p-30, lost = (a - b) - n * 0x1.10b4612p-30;
    const double c = b + n * 0x1.676733bp-60, more = (b - c) + n * 0x1.676733bp-60;
    *low = (more + lost) - n * 0x1.701b839a25205p-92;
    return c;
}

/* The sine of |x| and so many quarters more: sine or cosine of what is left, either sign. What the remainder is more
 * than `high` counts as often as the slope says: 1, and -high. */
OPGEN_INLINE uint64_t opgen_sine_f64(double x, uint64_t more) {
    const double rounded = x * OPGEN_TWO_OVER_PI + 0x1.8p52;
    double low;
    const double high = opgen_less_quarters_f64(x, rounded - 0x1.8p52, &low), q = high * high, q2 = q * q;
    double even = -0x1.ae5e54bf6eed5p-26, odd = 0x1.5d8e4fa9a24fdp-33;
    even = even * q2 - 0x1.a01a019bf261ep-13;
    odd = odd * q2 + 0x1.71de355f53a3ap-19;
    even = even * q2 - 0x1.5555555555548p-3;
    odd = odd * q2 + 0x1.111111110f75ep-7;
    const double sine = high + (high * q * (even + q * odd) + low);
    even = 0x1.1ee9ccea60615p-29, odd = -0x1.8f9f7f1bb3b75p-37;
    even = even * q2 + 0x1.a01a019c68c81p-16;
    odd = odd * q2 - 0x1.27e4f7d92856p-22;
    even = even * q2 + 0x1.555555555554ap-5;
    odd = odd * q2 - 0x1.6c16c16c14e4bp-10;
    const double cosine = 1 + (q * (q * (even + q * odd) - 0.5) - high * low);
    const uint64_t quarters = opgen_bits64(rounded) + more, other = 0 - (quarters & 1);
    return ((opgen_bits64(sine) & ~other) | (opgen_bits64(cosine) & other)) ^ ((quarters & 2) << 62);
}

OPGEN_INLINE double opgen_sin_near_f64(double x) {
    return opgen_double(opgen_sine_f64(fabs(x), 0) ^ (opgen_bits64(x) & OPGEN_SIGN64));
}
OPGEN_INLINE double opgen_cos_near_f64(double x) { return opgen_double(opgen_sine_f64(fabs(x), 1)); }

/* A quotient of two polynomials of what is left, in odd quarters the other way round and negative. */
OPGEN_INLINE double opgen_tan_near_f64(double x) {
    const double a = fabs(x), rounded = a * OPGEN_TWO_OVER_PI + 0x1.8p52;
    double low;
    const double high = opgen_less_quarters_f64(a, rounded - 0x1.8p52, &low), q = high * high;
    double up = -0x1.2b70140d95439p-16, down = 0x1.0b1c240617d6ep-21;
    down = down * q - 0x1.46d1526841bcdp-12;
    up = up * q + 0x1.c0cc7e816e279p-9;
    down = down * q + 0x1.a46cf477e028bp-6;
    up = up * q - 0x1.1127ce476b6dep-3;
    down = down * q - 0x1.dde93c790b0c4p-2;
    down = 1 + q * down;
    up = high + (high * q * up + (low + low * q * 0.67));
    const uint64_t odd = 0 - (opgen_bits64(rounded) & 1), swapped = (opgen_bits64(up) ^ opgen_bits64(down)) & odd;
    const double t = opgen_double(opgen_bits64(up) ^ swapped) / opgen_double(opgen_bits64(down) ^ swapped);
    return opgen_double(opgen_bits64(t) ^ ((opgen_bits64(x) ^ odd) & OPGEN_SIGN64));
}

OPGEN_INLINE double opgen_sin_f64(double x) { return fabs(x) <= OPGEN_TRIG_NEAR ? opgen_sin_near_f64(x) : sin(x); }
OPGEN_INLINE double opgen_cos_f64(double x) { return fabs(x) <= OPGEN_TRIG_NEAR ? opgen_cos_near_f64(x) : cos(x); }
OPGEN_INLINE double opgen_tan_f64(double x) { return fabs(x) <= OPGEN_TRIG_NEAR ? opgen_tan_near_f64(x) : tan(x); }

/* All ones where |x| is more than a number that is positive, or NaN. */
OPGEN_INLINE uint64_t opgen_beyond_f64(double x, double positive) {
    return opgen_mask64((int64_t)(opgen_bits64(x) & ~OPGEN_SIGN64) > (int64_t)opgen_bits64(positive));
}

/* One of two, by a mask. */
OPGEN_INLINE double opgen_either_f64(uint64_t mask, double set, double clear) {
    return opgen_double((opgen_bits64(set) & mask) | (opgen_bits64(clear) & ~mask));
}

/* What asin(x) is more than x, divided by x, where q is x * x and at most 1/4. */
OPGEN_INLINE double opgen_asin_near_f64(double q) {
    const double q2 = q * q;
    double even = -0x1.075bb3f805be1p-6, odd = 0x1.0497c2b058ebdp-5;
    even = even * q2 + 0x1.ae284c8e4addfp-8;
    odd = odd * q2 + 0x1.3e5d8e3db4cacp-6;
    even = even * q2 + 0x1.c70872b733d51p-7;
    odd = odd * q2 + 0x1.8e7d02be4190fp-7;
    even = even * q2 + 0x1.6e89fd4a5d8acp-6;
    odd = odd * q2 + 0x1.1c6b57868497ap-6;
    even = even * q2 + 0x1.6db6db438bb09p-5;
    odd = odd * q2 + 0x1.f1c72bdb52843p-6;
    even = even * q2 + 0x1.5555555555399p-3;
    odd = odd * q2 + 0x1.333333336d0cap-4;
    return q * (even + q * odd);
}

/* Beyond 1/2 by the half angle: asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)). */
OPGEN_INLINE double opgen_asin_f64(double x) {
    const double a = fabs(x);
    const uint64_t far = opgen_beyond_f64(x, 0.5);
    const double q = opgen_either_f64(far, 0.5 - a * 0.5, a * a), s = opgen_either_f64(far, sqrt(q) * -2, a);
    const double base = opgen_double(opgen_bits64(OPGEN_HALF_PI) & far);
    return copysign(base + (s + (s * opgen_asin_near_f64(q) + base * OPGEN_PI_REST)), x);
}

OPGEN_INLINE double opgen_acos_f64(double x) {
    const double a = fabs(x);
    const uint64_t far = opgen_beyond_f64(x, 0.5), negative = opgen_mask64((int64_t)opgen_bits64(x) < 0);
    const double q = opgen_either_f64(far, 0.5 - a * 0.5, a * a);
    const double s = opgen_either_f64(far, copysign(sqrt(q) * 2, x), -x);
    const double base = opgen_either_f64(far, opgen_double(opgen_bits64(OPGEN_PI) & negative), OPGEN_HALF_PI);
    return base + (s + (s * opgen_asin_near_f64(q) + base * OPGEN_PI_REST));
}

/* base + atan(t), t from 0 to 1, or base - atan(t) where sign is that of -0 */
OPGEN_INLINE double opgen_atan_near_f64(double t, double base, uint64_t sign) {
    const double q = t * t, q2 = q * q, s = opgen_double(opgen_bits64(t) ^ sign);
    double even = -0x1.4a2bb05843febp-16, odd = 0x1.c824eb3657937p-13;
    even = even * q2 - 0x1.2aced437a67e3p-10;
    odd = odd * q2 + 0x1.f0e78059cda5ep-9;
    even = even * q2 - 0x1.291161f6fd573p-7;
    odd = odd * q2 + 0x1.1397e6863be52p-6;
    even = even * q2 - 0x1.a499fbade7921p-6;
    odd = odd * q2 + 0x1.16206c65d806dp-5;
    even = even * q2 - 0x1.4eb75e17df564p-5;
    odd = odd * q2 + 0x1.7ea4ed9c4deffp-5;
    even = even * q2 - 0x1.ad1d3c54bf2d9p-5;
    odd = odd * q2 + 0x1.e17286e0dc9d3p-5;
    even = even * q2 - 0x1.1108135f59fabp-4;
    odd = odd * q2 + 0x1.3b129f8d3ac9fp-4;
    even = even * q2 - 0x1.745d00489bd71p-4;
    odd = odd * q2 + 0x1.c71c707e39cbdp-4;
    double p = odd + q * even;
    p = p * q - 0x1.2492491f00d45p-3;
    p = p * q + 0x1.9999999980c54p-3;
    p = p * q - 0x1.555555555541ap-2;
    return base + (s + (s * q * p + base * OPGEN_PI_REST));
}

OPGEN_INLINE double opgen_atan_f64(double x) {
    const double a = fabs(x), low = a < 1 ? a : 1, high = a < 1 ? 1 : a;
    const uint64_t far = opgen_beyond_f64(x, 1);
    const double base = opgen_double(opgen_bits64(OPGEN_HALF_PI) & far);
    return copysign(opgen_atan_near_f64(low / high, base, far & OPGEN_SIGN64), x);
}

/* Of two infinities the quotient is 1, of two zeros 0. */
OPGEN_INLINE double opgen_atan2_f64(double y, double x) {
    const double a = fabs(x), b = fabs(y), low = b < a ? b : a, high = b < a ? a : b;
    const uint64_t far = opgen_mask64(b > a), back = opgen_mask64((int64_t)opgen_bits64(x) < 0);
    const uint64_t zero = opgen_mask64(high == 0), one = opgen_mask64(low == INFINITY),
                   nan = opgen_mask64(x != x || y != y);
    const double t = opgen_either_f64(one, 1, low / opgen_double(opgen_bits64(high) | (opgen_bits64(1) & zero)));
    const double base = opgen_either_f64(far, OPGEN_HALF_PI, opgen_double(opgen_bits64(OPGEN_PI) & back));
    const double r = copysign(opgen_atan_near_f64(t, base, (far ^ back) & OPGEN_SIGN64), y);
    return opgen_double(opgen_bits64(r) | ((uint64_t)0x7ff8 << 48 & nan));
}

#undef OPGEN_TWO_OVER_PI
#undef OPGEN_HALF_PI
#undef OPGEN_PI
#undef OPGEN_PI_REST
#undef OPGEN_SIGN64

#endif

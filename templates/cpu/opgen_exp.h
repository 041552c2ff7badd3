/* opgen_exp.h: exponentials, logarithms, powers, hyperbolic functions and the error function of floats, without a
 * branch, a table or a call, so that compilers vectorise loops that call them. C11 and C++17.
 *
 * What C, IEEE 754 and PyTorch agree on holds: signs of zeros, infinities, NaN, overflow, subnormal operands and
 * results. How far off each function may be is in README.md; tests/cpu/fit_math.py makes the coefficients. Those that
 * models call most are computed in float, the others in double, where a short polynomial is all it takes. Results do
 * not depend on whether a compiler fuses a * b + c: what has to be exact is a product of few bits.
 */
#ifndef OPGEN_EXP_H
#define OPGEN_EXP_H

#include "opgen_math.h"

#if defined(__FAST_MATH__)
#error "these functions round by adding a large number and taking it away again: compile without -ffast-math"
#endif
/* 16: only of _Float16 it is another. */
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "these functions are for floats that are computed in their own precision: on i386 compile with -msse2 -mfpmath=sse"
#endif

/* ---- in float */

/* Adding 1.5 * 2^23 to a float of less than 2^22 rounds it to a whole number n, which then stands in the low bits. With
 * 127 more the bits, shifted to where an exponent is, are 2^n: for n from -126 to 127. */
#define OPGEN_ROUND 12582912.0f
OPGEN_INLINE float opgen_two_to(float rounded) { return opgen_float(opgen_bits(rounded) << 23); }

/* (1 + r * p) * 2^n, in two steps so that neither factor is out of range and one rounding is all there is; rounded is
 * n + 254 by the above. The sum is made of what is scaled, which changes no bit and makes one operation of two. */
OPGEN_INLINE float opgen_scaled(float r, float p, float rounded) {
    const uint32_t both = opgen_bits(rounded), half = both >> 1;
    const float scale = opgen_float(half << 23);
    return (scale + scale * r * p) * opgen_float((both - half) << 23);
}

/* x - n * log(2), from parts of which the first has so few bits that its product is exact. */
OPGEN_INLINE float opgen_less_log2(float x, float n) { return (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f; }

/* exp(r) - 1 for |r| <= log(2) / 2, to be added to 1 */
OPGEN_INLINE float opgen_exp_near(float r) {
    float p = 0x1.6a48cep-10f;
    p = p * r + 0x1.12399ap-7f;
    p = p * r + 0x1.5558b4p-5f;
    p = p * r + 0x1.555492p-3f;
    p = p * r + 0x1.fffffcp-2f;
    return r + r * r * p;
}

/* (2^r - 1) / r for |r| <= 1/2, to be multiplied by r and added to 1 */
OPGEN_INLINE float opgen_exp2_near(float r) {
    float p = 0x1.4173aep-13f;
    p = p * r + 0x1.5f0986p-10f;
    p = p * r + 0x1.3b2ddap-7f;
    p = p * r + 0x1.c6af7ap-5f;
    p = p * r + 0x1.ebfbdcp-3f;
    return p * r + 0x1.62e43p-1f;
}

/* Selects that depend on each other become paths, each with a mask of its own: so limits from above are set by an
 * integer minimum, on the bits of what is not negative. What is not a number stays so where x itself goes on. */
OPGEN_INLINE float opgen_at_most(float positive, float most) {
    return opgen_float((uint32_t)opgen_min_i32((int32_t)opgen_bits(positive), (int32_t)opgen_bits(most)));
}

/* Where a power would be 0, both factors are: near the least subnormal number some processors take a hundred times as long for
 * a product. They are masked, since of a select a compiler knows what comes of it and computes the rest for nothing, in vain
 * and as slowly. What n is there does not matter, only that it is a whole number. */
OPGEN_INLINE float opgen_exp_f32(float x) {
    const uint32_t some = opgen_mask(!(x < -104));
    const float c = x < -1e5f ? -1e5f : x, most = OPGEN_ROUND + 254 + 130;
    const float z = opgen_at_most(c * 0x1.715476p+0f + (OPGEN_ROUND + 254), most), n = z - (OPGEN_ROUND + 254);
    return opgen_scaled(1, opgen_exp_near(opgen_less_log2(c, n)), opgen_float(opgen_bits(z) & some));
}

OPGEN_INLINE float opgen_exp2_f32(float x) {
    const uint32_t some = opgen_mask(!(x < -150));
    const float c = x < -1e5f ? -1e5f : x, most = OPGEN_ROUND + 254 + 130;
    const float z = opgen_at_most(c + (OPGEN_ROUND + 254), most), n = z - (OPGEN_ROUND + 254);
    const float r = c - n;
    return opgen_scaled(r, opgen_exp2_near(r), opgen_float(opgen_bits(z) & some));
}

/* exp(x) of x <= 0, to be added to 1, or beside that: less than exp(-87), which is 1.6e-38, is 0. */
OPGEN_INLINE float opgen_exp_beside_1_f32(float x) {
    const uint32_t some = opgen_mask(!(x < -87));
    const float c = x < -1e5f ? -1e5f : x, z = c * 0x1.715476p+0f + (OPGEN_ROUND + 127), n = z - (OPGEN_ROUND + 127);
    const float scale = opgen_float((opgen_bits(z) << 23) & some);
    return scale + scale * opgen_exp_near(opgen_less_log2(c, n));
}

/* 2^n * (exp(r) - 1) + (2^n - 1), of half that size so that 2^n is in range; near 0 without either. */
OPGEN_INLINE float opgen_expm1_f32(float x) {
    const float c = x < -30 ? -30 : x, most = OPGEN_ROUND + 126 + 128;
    const bool near = (opgen_bits(x) & 0x7fffffffu) < 0x3f000000u;
    const float t = near ? 0 : c * 0x1.715476p+0f;
    const float z = opgen_at_most(t + (OPGEN_ROUND + 126), most), n = z - (OPGEN_ROUND + 126);
    const float r = opgen_less_log2(c, n);
    float p = 0x1.a0018p-13f;
    p = p * r + 0x1.6f6e04p-10f;
    p = p * r + 0x1.1114a6p-7f;
    p = p * r + 0x1.555186p-5f;
    p = p * r + 0x1.55554ep-3f;
    p = p * r + 0x1.000002p-1f;
    const float m = r + r * r * p, half = opgen_two_to(z);
    return copysignf(near ? m : 2 * (half * m + (half - 0.5f)), x);
}

/* What log(1 + f) - f is, divided by f * f, for |f| <= 1/3 */
OPGEN_INLINE float opgen_log_near(float f) {
    float p = -0x1.07c976p-3f;
    p = p * f + 0x1.1e67ap-3f;
    p = p * f - 0x1.f332a2p-4f;
    p = p * f + 0x1.1ed66p-3f;
    p = p * f - 0x1.559c46p-3f;
    p = p * f + 0x1.99d044p-3f;
    p = p * f - 0x1.fffefcp-3f;
    p = p * f + 0x1.555506p-2f;
    return p * f - 0.5f;
}

/* The n for which x * 2^-n is from 2/3 to 4/3. */
OPGEN_INLINE int32_t opgen_exponent(float x) { return (int32_t)(opgen_bits(x) - 0x3f2aaaabu) >> 23; }

/* The logarithm of x, where r is that of a positive number. */
OPGEN_INLINE float opgen_log_of(float x, float r) {
    const uint32_t other = 0xff800000u | (opgen_mask(x != 0) & 0x00400000u);
    const float y = (int32_t)opgen_bits(x) >= 0x7f800000 ? x : r;
    return x > 0 ? y : opgen_float(other);
}

OPGEN_INLINE float opgen_log_f32(float x) {
    const uint32_t small = opgen_mask((int32_t)opgen_bits(x) < 0x00800000);
    const float up = x * opgen_float(0x3f800000u + (small & (23u << 23)));
    const int32_t e = opgen_exponent(up);
    const float f = opgen_float(opgen_bits(up) - ((uint32_t)e << 23)) - 1, n = (float)(e - (int32_t)(small & 23u));
    const float r = n * 0x1.62e4p-1f + (f + (f * f * opgen_log_near(f) + n * 0x1.7f7d1cp-20f));
    return opgen_log_of(x, r);
}

/* As log(1 + x), but f is made from x itself: x * 2^-n - (1 - 2^-n), and what that rounds away. 2^-n is a quarter of
 * the float that is made, so that n may be 128. What is so small that it is the result, too, is computed with as 0, whose
 * square is not subnormal, and put back. */
OPGEN_INLINE float opgen_log1p_f32(float x) {
    const uint32_t small = opgen_mask((opgen_bits(x) & 0x7fffffffu) < 0x30800000u);
    const float v = opgen_float(opgen_bits(x) & ~small);
    const int32_t e = opgen_exponent(1 + v);
    const float s = opgen_float((uint32_t)(129 - e) << 23), n = (float)-e;
    const float a = v * s * 0.25f, b = 1 - s * 0.25f, f = a - b, lost = a - (f + b);
    const float r = (f + (f * f * opgen_log_near(f) + (lost - n * 0x1.7f7d1cp-20f))) - n * 0x1.62e4p-1f;
    const uint32_t other = 0xff800000u | (opgen_mask(x != -1) & 0x00400000u);
    const float y = (int32_t)opgen_bits(x) >= 0x7f800000 ? x : opgen_float(opgen_bits(r) | (opgen_bits(x) & small));
    return x > -1 ? y : opgen_float(other);
}

/* 1 - 2 / (exp(2x) + 1), and near 0 a polynomial. */
OPGEN_INLINE float opgen_tanh_f32(float x) {
    const float a = fabsf(x), c = opgen_at_most(a, 10), q = x * x;
    const float z = c * 0x1.715476p+1f + (OPGEN_ROUND + 127), n = z - (OPGEN_ROUND + 127);
    const float scale = opgen_two_to(z), e = scale + scale * opgen_exp_near(opgen_less_log2(2 * c, n));
    float p = -0x1.750ce2p-8f;
    p = p * q + 0x1.51f8cep-6f;
    p = p * q - 0x1.b835a4p-5f;
    p = p * q + 0x1.1106f6p-3f;
    p = p * q - 0x1.555532p-2f;
    return copysignf(a >= 0.625f ? 1 - 2 / (e + 1) : a + a * q * p, x);
}

/* log(1 + exp(x)), for every x */
OPGEN_INLINE float opgen_log1p_exp_f32(float x) {
    return (x > 0 ? x : 0) + opgen_log1p_f32(opgen_exp_f32(-fabsf(x)));
}

/* tanh(log(1 + exp(x))): w / (w + 2), where w is (exp(x) + 1)^2 - 1. Where that is large, the quotient is 1. */
OPGEN_INLINE float opgen_tanh_log1p_exp_f32(float x) {
    const float e = opgen_exp_f32(x > 20 ? 20 : x), w = e * e + (e + e);
    return w / (w + 2);
}

/* 1 - 2^w, where w is a polynomial; near 0 another one. */
OPGEN_INLINE float opgen_erf_f32(float x) {
    const float a = fabsf(x), c = opgen_at_most(a, 4), q = x * x;
    float p = -0x1.3d5ffap-11f;
    p = p * q + 0x1.47f6fep-8f;
    p = p * q - 0x1.b6a7c6p-6f;
    p = p * q + 0x1.ce1c1ep-4f;
    p = p * q - 0x1.8126eep-2f;
    p = p * q + 0x1.06eba6p-3f;
    float w = 0x1.44a382p-12f;
    w = w * c - 0x1.307222p-8f;
    w = w * c + 0x1.0eb79p-5f;
    w = w * c - 0x1.3715c2p-3f;
    w = w * c - 0x1.d590c8p-1f;
    w = w * c - 0x1.a0cbd4p+0f;
    w = w * c;
    const float z = w + (OPGEN_ROUND + 127), n = z - (OPGEN_ROUND + 127);
    const float r = w - n, e = (1 + r * opgen_exp2_near(r)) * opgen_two_to(z);
    return a >= 0.9f ? copysignf(1 - e, x) : x + x * p;
}

/* Of these what opgen_many.h has is not made of others. */
OPGEN_INLINE float opgen_gelu_f32(float x) { return 0.5f * x * (1 + opgen_erf_f32(x * 0.70710677f)); }
OPGEN_INLINE float opgen_gelu_tanh_f32(float x) {
    return 0.5f * x * (1 + opgen_tanh_f32(0.7978846f * (x + 0.044715f * x * x * x)));
}
OPGEN_INLINE float opgen_sigmoid_f32(float x) { return 1 / (1 + opgen_exp_f32(-x)); }
OPGEN_INLINE float opgen_silu_f32(float x) { return x / (1 + opgen_exp_f32(-x)); }
OPGEN_INLINE float opgen_softplus_f32(float x) { return opgen_log1p_exp_f32(x); }
OPGEN_INLINE float opgen_logsigmoid_f32(float x) { return -opgen_log1p_exp_f32(-x); }
OPGEN_INLINE float opgen_mish_f32(float x) { return x * opgen_tanh_log1p_exp_f32(x); }

#undef OPGEN_ROUND

/* ---- in double */

#define OPGEN_LOG2_E 0x1.71547652b82fep+0
#define OPGEN_LOG_2 0x1.62e42fefa39efp-1

/* 2^x for x from -1000 to 1000, to 28 bits. */
OPGEN_INLINE double opgen_exp2_wide(double x) {
    const double z = x + (0x1.8p52 + 1023), r = x - (z - (0x1.8p52 + 1023));
    double p = 0x1.41fb29efd4p-13;
    p = p * r + 0x1.5f3f3066e6p-10;
    p = p * r + 0x1.3b2d4fa136p-7;
    p = p * r + 0x1.c6aee6e7a6p-5;
    p = p * r + 0x1.ebfbdc366cp-3;
    p = p * r + 0x1.62e430b044p-1;
    return (1 + r * p) * opgen_double(opgen_bits64(z) << 52);
}

/* log2(x) to 40 bits of itself, for x more than 0 and less than infinity. From (m - 1) / (m + 1), where x is m * 2^n
 * and m from 2/3 to 4/3. Of 0 and infinity it is beyond -1000 and 1000. */
OPGEN_INLINE double opgen_log2_wide(double x) {
    const uint64_t bits = opgen_bits64(x), e = (bits - 0x3fe5555555555555u + ((uint64_t)1023 << 52)) >> 52;
    const double n = opgen_double(e | 0x4330000000000000u) - (0x1p52 + 1023);
    const double m = opgen_double(bits - (e << 52) + ((uint64_t)1023 << 52)), s = (m - 1) / (m + 1), q = s * s;
    double p = 0x1.29e393a430dp-2;
    p = p * q + 0x1.46f0d99d35p-2;
    p = p * q + 0x1.a61eacba5e6p-2;
    p = p * q + 0x1.2776bc37906p-1;
    p = p * q + 0x1.ec709dcb747p-1;
    p = p * q + 0x1.71547652b7e8p+1;
    return n + s * p;
}

OPGEN_INLINE float opgen_log2_f32(float x) { return opgen_log_of(x, (float)opgen_log2_wide(x)); }
OPGEN_INLINE float opgen_rsqrt_f32(float x) { return 1 / sqrtf(x); }

OPGEN_INLINE float opgen_log10_f32(float x) {
    return opgen_log_of(x, (float)(opgen_log2_wide(x) * 0x1.34413509f79ffp-2));
}

OPGEN_INLINE float opgen_sinh_f32(float x) {
    const double a = fabs((double)x), c = a > 100 ? 100 : a, q = a * a, e = opgen_exp2_wide(c * OPGEN_LOG2_E);
    double p = 0x1.7a15b648d6p-19;
    p = p * q + 0x1.9ffe9257dap-13;
    p = p * q + 0x1.111134fbdcp-7;
    p = p * q + 0x1.5555551b3ap-3;
    return (float)(a < 1 ? x + x * q * p : copysign((e - 1 / e) * 0.5, x));
}

OPGEN_INLINE float opgen_cosh_f32(float x) {
    const double a = fabs((double)x), c = a > 100 ? 100 : a, e = opgen_exp2_wide(c * OPGEN_LOG2_E);
    return (float)((e + 1 / e) * 0.5);
}

OPGEN_INLINE float opgen_asinh_f32(float x) {
    const double a = fabs((double)x), r = opgen_log2_wide(a + sqrt(a * a + 1)) * OPGEN_LOG_2;
    const float y = copysignf((float)(a < 0x1p-11 ? a - a * a * a * (1.0 / 6) : r), x);
    return opgen_isfinite_f32(x) ? y : x;
}

OPGEN_INLINE float opgen_acosh_f32(float x) {
    const double a = x, r = opgen_log2_wide(a + sqrt(a * a - 1)) * OPGEN_LOG_2;
    const float y = (int32_t)opgen_bits(x) >= 0x7f800000 ? x : (float)r;
    return x >= 1 ? y : NAN;
}

OPGEN_INLINE float opgen_atanh_f32(float x) {
    const double a = fabs((double)x), r = opgen_log2_wide((1 + a) / (1 - a)) * (OPGEN_LOG_2 / 2);
    const uint32_t other = 0x7f800000u | (opgen_mask(fabsf(x) != 1) & 0x00400000u);
    const float y = (float)(a < 0x1p-11 ? a + a * a * a * (1.0 / 3) : r);
    return copysignf(fabsf(x) < 1 ? y : opgen_float(other), x);
}

/* exp(-a * a) times a polynomial in (a - 3) / (a + 3), which is the same for all a. */
OPGEN_INLINE float opgen_erfc_f32(float x) {
    const double a = fabs((double)x), c = a > 10.3 ? 10.3 : a, t = (c - 3) / (c + 3);
    double p = 0x1.3e5923311ep-18;
    p = p * t + 0x1.14873b6a34p-14;
    p = p * t + 0x1.01f7064aaap-15;
    p = p * t - 0x1.3bb0ddcdb8p-11;
    p = p * t + 0x1.75987ec0aep-11;
    p = p * t + 0x1.17e759eb06p-8;
    p = p * t - 0x1.8fa8e1c86ep-6;
    p = p * t + 0x1.258ad2170ap-4;
    p = p * t - 0x1.336ff3bba6p-3;
    p = p * t + 0x1.f6ff21a092p-3;
    p = p * t - 0x1.4e102bb64ap-2;
    p = p * t + 0x1.6e9827d038p-3;
    const double r = p * opgen_exp2_wide(c * c * -OPGEN_LOG2_E);
    return (float)(x < 0 ? 2 - r : r);
}

OPGEN_INLINE float opgen_cbrt_f32(float x) {
    const double a = fabs((double)x), r = opgen_exp2_wide(opgen_log2_wide(a) * (1.0 / 3));
    const float y = copysignf((float)r, x);
    return x == 0 || !opgen_isfinite_f32(x) ? x : y;
}

OPGEN_INLINE float opgen_hypot_f32(float x, float y) {
    const double a = x, b = y;
    return fabsf(x) == INFINITY || fabsf(y) == INFINITY ? INFINITY : (float)sqrt(a * a + b * b);
}

/* To a power that is known while compiling and has a shorter way: 2, 3, 1/2 and -1. The root has the signs of a power. */
OPGEN_INLINE float opgen_pow_known_f32(float x, float y) {
    return y == 2 ? x * x : y == 3 ? x * x * x : y == -1 ? 1 / x : x == -INFINITY ? INFINITY : sqrtf(x + 0.0f);
}

/* 2^(y * log2|x|). A y of 2^24 or more is even; where it is odd, x decides about the sign. */
OPGEN_INLINE float opgen_pow_f32(float x, float y) {
#if defined(__GNUC__)
    if (__builtin_constant_p(y) && (y == 2 || y == 3 || y == 0.5f || y == -1)) return opgen_pow_known_f32(x, y);
#endif
    const double log = opgen_log2_wide(fabs((double)x));
    /* Of 0 and infinity the logarithm is so large that any y but 0 brings it out of range. */
    const double w = y * (fabs(log) > 500 ? log * 0x1p200 : log), power = opgen_exp2_wide(w < -155 ? -155 : w);
    const float p = (float)w > 130 ? INFINITY : (float)power;
    const float c = opgen_float(opgen_bits(y) & opgen_mask(fabsf(y) < 0x1p24f));
    const int32_t whole = (int32_t)c;
    const uint32_t broken = opgen_mask((float)whole != c), negative = ~broken & ((uint32_t)whole << 31) & opgen_bits(x);
    const uint32_t complex = broken & opgen_mask(x < 0) & opgen_mask(x > -INFINITY);
    const uint32_t none = complex | (opgen_mask(x != x) & opgen_mask(y != 0)) | opgen_mask(y != y);
    const uint32_t r = ((opgen_bits(p) | negative) & ~none) | (none & 0x7fc00000u);
    const uint32_t one = opgen_mask(x == 1) | (opgen_mask(x == -1) & opgen_mask(fabsf(y) == INFINITY));
    return opgen_float((r & ~one) | (0x3f800000u & one));
}

#undef OPGEN_LOG2_E
#undef OPGEN_LOG_2

#endif

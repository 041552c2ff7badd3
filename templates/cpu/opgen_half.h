/* opgen_half.h: functions of 64 floats at once, into the same array or another one, whose results go into 16 bits: they
 * are off by 2^-14 of the result at most, where f16 is rounded by 2^-12; exponentials by 2^-18. x86-64-v4 makes them by
 * tables of powers of two and short polynomials, four vectors in turns: a processor finds work in one while it waits for
 * another. Elsewhere they are the functions of opgen_exp.h.
 *
 * Each is that of x * times: a sign, or a factor, costs nothing where x is multiplied in any case. Some are what others
 * would be combined to (1 + tanh(x)): they have all their bits where the parts nearly cancel, too. Special values are
 * those of the exact functions; expm1_below is of what is not positive. Powers of less than 2^-125 may be 0, which is
 * nothing to f16; where `tiny`, they are not.
 *
 * `level` is what opgen_kernel.h says, a constant where these are called, as are `times` and `tiny`.
 * tests/cpu/fit_math.py makes the coefficients.
 */
#ifndef OPGEN_HALF_H
#define OPGEN_HALF_H

#include "opgen_half_v3.h"
#include "opgen_many.h"

#if defined(OPGEN_X86)
#include <immintrin.h>

#if defined(__clang__)
#define OPGEN_FOUR _Pragma("clang loop unroll(full)") for (int i = 0; i < 4; i++)
#elif defined(__GNUC__)
#define OPGEN_FOUR _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
#endif

OPGEN_V4 static inline __m512 opgen_all(float x) { return _mm512_set1_ps(x); }

OPGEN_V4 static inline void opgen_take(__m512 *v, const float *x) { OPGEN_FOUR v[i] = _mm512_loadu_ps(x + 16 * i); }
OPGEN_V4 static inline void opgen_take_times(__m512 *v, const float *x, float times) {
    opgen_take(v, x);
    if (times != 1) OPGEN_FOUR v[i] = _mm512_mul_ps(v[i], opgen_all(times));
}
OPGEN_V4 static inline void opgen_give(float *x, const __m512 *v) { OPGEN_FOUR _mm512_storeu_ps(x + 16 * i, v[i]); }

/* v * scale = n + r, n a multiple of 1/16. Adding 1.5 * 2^19 leaves in the low bits which one of 16 it is, and so what
 * 2^n is times a power of two: `part`, times `size`. */
OPGEN_V4 static inline void opgen_split(__m512 *v, float scale, float size, __m512 *n, __m512 *part) {
    const __m512 round = opgen_all(0x1.8p19f);
    const __m512 table = _mm512_mul_ps(_mm512_loadu_ps(opgen_power_table[0]), opgen_all(size));
    OPGEN_FOUR n[i] = _mm512_fmadd_ps(v[i], opgen_all(scale), round);
    OPGEN_FOUR part[i] = _mm512_permutexvar_ps(_mm512_castps_si512(n[i]), table);
    OPGEN_FOUR n[i] = _mm512_sub_ps(n[i], round);
    OPGEN_FOUR v[i] = _mm512_fmsub_ps(v[i], opgen_all(scale), n[i]);
}

/* What the exponent of a power is at least: one that is subnormal, or not; one that 1 is added to. */
#define OPGEN_LEAST (tiny ? -150 : -125)
#define OPGEN_BESIDE_1 -64

/* 2^(v * scale). The polynomial is positive whatever r is, so what is too large becomes infinity, and of infinities r is
 * NaN, which vscalefps takes no notice of. What is less than 2^least is 0 without being computed: vscalefps takes fifty times
 * as long for a vector in which something underflows. */
OPGEN_V4 static inline void opgen_power(__m512 *v, float scale, float least) {
    __m512 n[4], part[4], p[4];
    __mmask16 some[4];
    if (scale > 0)
        OPGEN_FOUR some[i] = _mm512_cmp_ps_mask(v[i], opgen_all(least / scale), _CMP_NLT_UQ);
    else
        OPGEN_FOUR some[i] = _mm512_cmp_ps_mask(v[i], opgen_all(least / scale), _CMP_NGT_UQ);
    opgen_split(v, scale, 1, n, part);
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(v[i], opgen_all(0x1.ebfbd4p-3f), opgen_all(0x1.62e982p-1f));
    OPGEN_FOUR v[i] = _mm512_mul_ps(v[i], part[i]);
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], v[i], part[i]);
    OPGEN_FOUR v[i] = _mm512_maskz_scalef_ps(some[i], p[i], n[i]);
}

/* Half of 2^(v * scale) - 1: so infinity comes of nothing but doubling it. v * scale is from -50 to 129. Both
 * differences are 0 where v is, or -0. */
OPGEN_V4 static inline void opgen_half_power_less_1(__m512 *v, float scale) {
    __m512 n[4], part[4], p[4];
    opgen_split(v, scale, 0.5f, n, part);
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(v[i], opgen_all(0x1.ca3148p-5f), opgen_all(0x1.ebf99ap-3f));
    OPGEN_FOUR part[i] = _mm512_scalef_ps(part[i], n[i]);
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], v[i], opgen_all(0x1.62e43p-1f));
    OPGEN_FOUR v[i] = _mm512_mul_ps(v[i], part[i]);
    OPGEN_FOUR part[i] = _mm512_sub_ps(opgen_all(0.5f), part[i]);
    OPGEN_FOUR v[i] = _mm512_fmsub_ps(p[i], v[i], part[i]);
}

/* 2^(i / 32) */
static const float opgen_power_32_table[32] = {0x1p+0f, 0x1.059b0ep+0f, 0x1.0b5586p+0f, 0x1.11301ep+0f, 0x1.172b84p+0f, 0x1.1d4874p+0f, 0x1.2387a6p+0f, 0x1.29e9ep+0f, 0x1.306fep+0f, 0x1.371a74p+0f, 0x1.3dea64p+0f, 0x1.44e086p+0f, 0x1.4bfdaep+0f, 0x1.5342b6p+0f, 0x1.5ab07ep+0f, 0x1.6247ecp+0f, 0x1.6a09e6p+0f, 0x1.71f75ep+0f, 0x1.7a1148p+0f, 0x1.82589ap+0f, 0x1.8ace54p+0f, 0x1.93737cp+0f, 0x1.9c4918p+0f, 0x1.a5503cp+0f, 0x1.ae89fap+0f, 0x1.b7f77p+0f, 0x1.c199bep+0f, 0x1.cb720ep+0f, 0x1.d5818ep+0f, 0x1.dfc974p+0f, 0x1.ea4afap+0f, 0x1.f50766p+0f};

/* exp(v) - 1 of what is not positive; of others it is not looked at, and may be anything. v = n * log(2) + r, n a multiple of
 * 1/32, so small that two powers of r do. The difference is
 * 0 where v is, or -0. */
OPGEN_V4 static inline void opgen_power_less_1_below(__m512 *v) {
    const __m512 round = opgen_all(0x1.8p18f);
    __m512 n[4], part[4], p[4];
    OPGEN_FOUR v[i] = _mm512_max_ps(opgen_all(-30), v[i]);
    OPGEN_FOUR n[i] = _mm512_fmadd_ps(v[i], opgen_all(0x1.715476p+0f), round);
    OPGEN_FOUR part[i] = opgen_look(opgen_power_32_table, _mm512_castps_si512(n[i]));
    OPGEN_FOUR n[i] = _mm512_sub_ps(n[i], round);
    OPGEN_FOUR v[i] = _mm512_fnmadd_ps(n[i], opgen_all(0x1.62e43p-1f), v[i]);
    OPGEN_FOUR part[i] = _mm512_scalef_ps(part[i], n[i]);
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(v[i], opgen_all(0.5f), opgen_all(1));
    OPGEN_FOUR v[i] = _mm512_mul_ps(v[i], part[i]);
    OPGEN_FOUR part[i] = _mm512_sub_ps(opgen_all(1), part[i]);
    OPGEN_FOUR v[i] = _mm512_fmsub_ps(p[i], v[i], part[i]);
}

/* 1 / v to 14 bits, since divisions take longer than all the rest; `large`: v may be so large that the quotient is subnormal, which
 * is 0 where not `tiny`. */
OPGEN_V4 static inline void opgen_one_over(__m512 *v, bool large, bool tiny) {
    __mmask16 some[4];
    OPGEN_FOUR some[i] = _mm512_cmp_ps_mask(v[i], opgen_all(0x1p125f), _CMP_NGE_UQ);
    OPGEN_FOUR v[i] = large && !tiny ? _mm512_maskz_rcp14_ps(some[i], v[i]) : _mm512_rcp14_ps(v[i]);
}

OPGEN_V4 static inline void opgen_exp_half_v4(float *to, const float *x, float times, bool tiny) {
    __m512 v[4];
    opgen_take(v, x);
    opgen_power(v, times * 0x1.715476p+0f, OPGEN_LEAST);
    opgen_give(to, v);
}

OPGEN_V4 static inline void opgen_1_and_exp_half_v4(float *to, const float *x, float times, bool tiny) {
    __m512 v[4];
    (void)tiny;
    opgen_take(v, x);
    opgen_power(v, times * 0x1.715476p+0f, OPGEN_BESIDE_1);
    OPGEN_FOUR v[i] = _mm512_add_ps(v[i], opgen_all(1));
    opgen_give(to, v);
}

OPGEN_V4 static inline void opgen_1_over_1_and_exp_half_v4(float *to, const float *x, float times, bool tiny) {
    __m512 v[4];
    opgen_take(v, x);
    opgen_power(v, times * 0x1.715476p+0f, OPGEN_BESIDE_1);
    OPGEN_FOUR v[i] = _mm512_add_ps(v[i], opgen_all(1));
    opgen_one_over(v, true, tiny);
    opgen_give(to, v);
}

OPGEN_V4 static inline void opgen_exp2_half_v4(float *to, const float *x, float times, bool tiny) {
    __m512 v[4];
    opgen_take(v, x);
    opgen_power(v, times, OPGEN_LEAST);
    opgen_give(to, v);
}

OPGEN_V4 static inline void opgen_expm1_half_v4(float *to, const float *x, float times, bool tiny) {
    __m512 v[4];
    (void)tiny;
    opgen_take_times(v, x, times);
    OPGEN_FOUR v[i] = _mm512_min_ps(opgen_all(89), _mm512_max_ps(opgen_all(-30), v[i]));
    opgen_half_power_less_1(v, 0x1.715476p+0f);
    OPGEN_FOUR v[i] = _mm512_add_ps(v[i], v[i]);
    opgen_give(to, v);
}

OPGEN_V4 static inline void opgen_expm1_below_half_v4(float *to, const float *x, float times, bool tiny) {
    __m512 v[4];
    (void)tiny;
    opgen_take_times(v, x, times);
    opgen_power_less_1_below(v);
    opgen_give(to, v);
}

/* 2 / (1 + exp(-2x)) */
OPGEN_V4 static inline void opgen_1_and_tanh_half_v4(float *to, const float *x, float times, bool tiny) {
    __m512 v[4];
    opgen_take(v, x);
    opgen_power(v, times * -0x1.715476p+1f, OPGEN_BESIDE_1);
    OPGEN_FOUR v[i] = _mm512_fmadd_ps(v[i], opgen_all(0.5f), opgen_all(0.5f));
    opgen_one_over(v, true, tiny);
    opgen_give(to, v);
}

/* w / (w + 2), where w is (exp(x) + 1)^2 - 1. Where that is large, the quotient is 1. */
OPGEN_V4 static inline void opgen_tanh_log1p_exp_half_v4(float *to, const float *x, float times, bool tiny) {
    __m512 v[4];
    opgen_take_times(v, x, times);
    OPGEN_FOUR v[i] = _mm512_min_ps(opgen_all(20), v[i]);
    opgen_power(v, 0x1.715476p+0f, OPGEN_LEAST);
    OPGEN_FOUR v[i] = _mm512_mul_ps(v[i], _mm512_add_ps(v[i], opgen_all(2)));
    __m512 w[4];
    OPGEN_FOUR w[i] = _mm512_add_ps(v[i], opgen_all(2));
    opgen_one_over(w, false, tiny);
    OPGEN_FOUR v[i] = _mm512_mul_ps(v[i], w[i]);
    opgen_give(to, v);
}

/* max(x, 0) + log(1 + exp(-|x|)). No squares of the power in the polynomial: they could be subnormal. */
OPGEN_V4 static inline void opgen_log1p_exp_half_v4(float *to, const float *x, float times, bool tiny) {
    __m512 v[4], p[4], most[4];
    opgen_take_times(v, x, times);
    OPGEN_FOUR most[i] = _mm512_max_ps(_mm512_setzero_ps(), v[i]);
    OPGEN_FOUR v[i] = _mm512_abs_ps(v[i]);
    opgen_power(v, -0x1.715476p+0f, OPGEN_LEAST);
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(v[i], opgen_all(0x1.cf87dp-7f), opgen_all(-0x1.100bb2p-4f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], v[i], opgen_all(0x1.31a68ep-3f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], v[i], opgen_all(-0x1.e16228p-3f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], v[i], opgen_all(0x1.530b5ep-2f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], v[i], opgen_all(-0x1.ffddf4p-2f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], v[i], opgen_all(0x1.ffffd6p-1f));
    OPGEN_FOUR v[i] = _mm512_fmadd_ps(p[i], v[i], most[i]);
    opgen_give(to, v);
}

#undef OPGEN_FOUR
#undef OPGEN_LEAST
#undef OPGEN_BESIDE_1
#endif

/* The function that chooses; `other` is what it is of one y elsewhere. */
#if defined(OPGEN_X86)
#define OPGEN_HALF_X86(name)                                                                                            \
    if (level == 4) {                                                                                                  \
        opgen_##name##_half_v4(to, x, times, tiny);                                                                    \
        return;                                                                                                        \
    }                                                                                                                  \
    if (level == 3) {                                                                                                  \
        opgen_##name##_half_v3(to, x, times, tiny);                                                                    \
        return;                                                                                                        \
    }
#else
#define OPGEN_HALF_X86(name)
#endif
#define OPGEN_HALF(name, other)                                                                                        \
    OPGEN_INLINE void opgen_##name##_half(float *to, const float *x, float times, bool tiny, int level) {              \
        (void)tiny, (void)level;                                                                                       \
        OPGEN_HALF_X86(name)                                                                                            \
        OPGEN_SIMD                                                                                                     \
        for (int i = 0; i < 64; i++) {                                                                                 \
            const float y = x[i] * times;                                                                              \
            to[i] = other;                                                                                             \
        }                                                                                                              \
    }
OPGEN_HALF(exp, opgen_exp_f32(y))
OPGEN_HALF(1_and_exp, 1 + opgen_exp_f32(y))
OPGEN_HALF(1_over_1_and_exp, 1 / (1 + opgen_exp_f32(y)))
OPGEN_HALF(exp2, opgen_exp2_f32(y))
OPGEN_HALF(expm1, opgen_expm1_f32(y))
OPGEN_HALF(expm1_below, opgen_expm1_f32(y))
OPGEN_HALF(1_and_tanh, 2 / (1 + opgen_exp_f32(-2 * y)))
OPGEN_HALF(log1p_exp, opgen_log1p_exp_f32(y))
OPGEN_HALF(tanh_log1p_exp, opgen_tanh_log1p_exp_f32(y))
#undef OPGEN_HALF
#undef OPGEN_HALF_X86

#endif

/* opgen_half_inverse.h: sine, cosine, tangent, their inverses and those of hyperbolic functions, and log(1 + x), of 64 floats at once whose
 * results go into 16 bits, as those of opgen_half.h are: shorter polynomials than those of opgen_many_trig.h and opgen_many_inverse.h, off by
 * 2^-14 of the result at most. Special values are those of the exact functions.
 * Elsewhere than on x86-64-v4, and where one of 64 is so far from 0 that the short way does not hold, they are the functions of many floats.
 *
 * tests/cpu/fit_math.py makes the coefficients.
 */
#ifndef OPGEN_HALF_INVERSE_H
#define OPGEN_HALF_INVERSE_H

#include "opgen_half.h"
#include "opgen_many_inverse.h"
#include "opgen_many_trig.h"

#if defined(OPGEN_X86)
#if defined(__clang__)
#define OPGEN_FOUR _Pragma("clang loop unroll(full)") for (int i = 0; i < 4; i++)
#elif defined(__GNUC__)
#define OPGEN_FOUR _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
#endif

/* What gcc's header makes of vgetexpps and vfixupimmps without optimisation converts a mask's sign. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

/* Whether none of 64 is further from 0; what is not a number is not. */
OPGEN_V4 static inline bool opgen_near_64(const __m512 *v, float most) {
    const __m512 low = opgen_greater_size(opgen_greater_size(_mm512_setzero_ps(), v[0]), v[1]);
    const __m512 all = opgen_greater_size(opgen_greater_size(low, v[2]), v[3]);
    return _mm512_cmp_ps_mask(all, opgen_all(most), _CMP_GT_OQ) == 0;
}

/* x less n times a unit in two parts, both positive, so that of a zero the sign is left. Low bits of z are those of n. */
OPGEN_V4 static inline void opgen_units_off(__m512 *v, __m512 *z, float per_unit, float unit, float rest) {
    __m512 n[4];
    OPGEN_FOUR z[i] = _mm512_fmadd_ps(v[i], opgen_all(per_unit), opgen_all(0x1.8p23f));
    OPGEN_FOUR n[i] = _mm512_sub_ps(z[i], opgen_all(0x1.8p23f));
    OPGEN_FOUR v[i] = _mm512_fnmadd_ps(n[i], opgen_all(unit), v[i]);
    OPGEN_FOUR v[i] = _mm512_fnmadd_ps(n[i], opgen_all(rest), v[i]);
}

/* Of half turns; a cosine is the sine of a quarter of a turn more, which is added where it is exact enough. */
OPGEN_V4 static inline bool opgen_sine_half_v4(float *to, const float *x, float times, bool cosine) {
    __m512 v[4], z[4], n[4], q[4], p[4];
    opgen_take_times(v, x, times);
    if (!opgen_near_64(v, OPGEN_FAR)) return false;
    if (cosine) {
        OPGEN_FOUR z[i] = _mm512_fmadd_ps(v[i], opgen_all(0x1.45f306p-2f), opgen_all(-0.5f));
        OPGEN_FOUR z[i] = _mm512_add_ps(z[i], opgen_all(0x1.8p23f));
        OPGEN_FOUR n[i] = _mm512_sub_ps(z[i], opgen_all(0x1.8p23f));
        OPGEN_FOUR n[i] = _mm512_add_ps(n[i], opgen_all(0.5f));
        OPGEN_FOUR v[i] = _mm512_fnmadd_ps(n[i], opgen_all(0x1.921fb4p+1f), v[i]);
        OPGEN_FOUR v[i] = _mm512_fnmadd_ps(n[i], opgen_all(0x1.4442d2p-23f), v[i]);
        OPGEN_FOUR z[i] = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(z[i]), _mm512_set1_epi32(1)));
    } else {
        opgen_units_off(v, z, 0x1.45f306p-2f, 0x1.921fb4p+1f, 0x1.4442d2p-23f);
    }
    OPGEN_FOUR q[i] = _mm512_mul_ps(v[i], v[i]);
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(q[i], opgen_all(-0x1.83a4acp-13f), opgen_all(0x1.105c1cp-7f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], q[i], opgen_all(-0x1.554f7p-3f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], q[i], opgen_all(0x1.ffffep-1f));
    OPGEN_FOUR v[i] = _mm512_mul_ps(v[i], p[i]);
    OPGEN_FOUR v[i] = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(v[i]), _mm512_slli_epi32(_mm512_castps_si512(z[i]), 31)));
    opgen_give(to, v);
    return true;
}

/* Of an odd number of quarters -1 / tangent. */
OPGEN_V4 static inline bool opgen_tangent_half_v4(float *to, const float *x, float times) {
    __m512 v[4], z[4], q[4], p[4];
    __mmask16 odd[4];
    opgen_take_times(v, x, times);
    if (!opgen_near_64(v, OPGEN_FAR)) return false;
    opgen_units_off(v, z, 0x1.45f306p-1f, 0x1.921fb4p+0f, 0x1.4442d2p-24f);
    OPGEN_FOUR odd[i] = _mm512_test_epi32_mask(_mm512_castps_si512(z[i]), _mm512_set1_epi32(1));
    OPGEN_FOUR q[i] = _mm512_mul_ps(v[i], v[i]);
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(q[i], opgen_all(0x1.679b0ep-5f), opgen_all(0x1.4a3b44p-5f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], q[i], opgen_all(0x1.17a6p-3f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], q[i], opgen_all(0x1.55120cp-2f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], q[i], opgen_all(0x1.000036p+0f));
    OPGEN_FOUR v[i] = _mm512_mul_ps(v[i], p[i]);
    OPGEN_FOUR v[i] = _mm512_mask_div_ps(v[i], odd[i], opgen_all(-1), v[i]);
    opgen_give(to, v);
    return true;
}

/* See opgen_atan_16. */
OPGEN_V4 static inline bool opgen_atan_half_v4(float *to, const float *x, float times) {
    __m512 u[4], v[4], t[4], q[4], p[4];
    __mmask16 far[4];
    opgen_take_times(u, x, times);
    OPGEN_FOUR v[i] = _mm512_abs_ps(u[i]);
    OPGEN_FOUR t[i] = _mm512_rcp14_ps(v[i]);
    OPGEN_FOUR far[i] = _mm512_cmp_ps_mask(t[i], v[i], _CMP_LT_OQ);
    OPGEN_FOUR t[i] = _mm512_min_ps(t[i], v[i]);
    OPGEN_FOUR q[i] = _mm512_mul_ps(t[i], t[i]);
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(q[i], opgen_all(0x1.86f79ap-6f), opgen_all(-0x1.7886b2p-4f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], q[i], opgen_all(0x1.7b51eep-3f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], q[i], opgen_all(-0x1.53a954p-2f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], q[i], opgen_all(0x1.fffc12p-1f));
    OPGEN_FOUR v[i] = _mm512_mul_ps(t[i], p[i]);
    OPGEN_FOUR v[i] = _mm512_mask_sub_ps(v[i], far[i], OPGEN_QUARTER, v[i]);
    OPGEN_FOUR v[i] = opgen_signed(v[i], u[i]);
    opgen_give(to, v);
    return true;
}

/* See opgen_asin_more_16; what of half of the angle makes the arc cosine is added to nothing, or to half of a turn. */
OPGEN_V4 static inline bool opgen_arc_half_v4(float *to, const float *x, float times, bool cosine) {
    __m512 u[4], v[4], t[4], q[4], p[4];
    __mmask16 far[4];
    opgen_take_times(u, x, times);
    OPGEN_FOUR v[i] = _mm512_abs_ps(u[i]);
    OPGEN_FOUR q[i] = _mm512_fnmadd_ps(v[i], opgen_all(0.5f), opgen_all(0.5f));
    OPGEN_FOUR t[i] = _mm512_sqrt_ps(q[i]);
    OPGEN_FOUR far[i] = _mm512_cmp_ps_mask(t[i], v[i], _CMP_LT_OQ);
    OPGEN_FOUR q[i] = _mm512_min_ps(_mm512_mul_ps(v[i], v[i]), q[i]);
    OPGEN_FOUR t[i] = _mm512_min_ps(v[i], t[i]);
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(q[i], opgen_all(0x1.0a7d94p-4f), opgen_all(0x1.24d014p-4f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], q[i], opgen_all(0x1.55b654p-3f));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], q[i], opgen_all(0x1.ffffcep-1f));
    OPGEN_FOUR v[i] = _mm512_mul_ps(t[i], p[i]);
    if (cosine) {
        OPGEN_FOUR v[i] = opgen_signed(v[i], u[i]);
        OPGEN_FOUR p[i] = _mm512_maskz_mov_ps(_mm512_movepi32_mask(_mm512_castps_si512(u[i])), opgen_all(0x1.921fb6p+1f));
        OPGEN_FOUR p[i] = _mm512_mask_mov_ps(OPGEN_QUARTER, far[i], p[i]);
        OPGEN_FOUR v[i] = _mm512_fmadd_ps(v[i], _mm512_mask_mov_ps(opgen_all(-1), far[i], opgen_all(2)), p[i]);
    } else {
        OPGEN_FOUR v[i] = _mm512_mask_fnmadd_ps(v[i], far[i], opgen_all(2), OPGEN_QUARTER);
        OPGEN_FOUR v[i] = opgen_signed(v[i], u[i]);
    }
    opgen_give(to, v);
    return true;
}

/* r + c * r^3, where c is about 1/3: the inverse of a hyperbolic tangent, of up to 0.172. The quotient of (y - s) and (y + s), s the power of two
 * that y is from sqrt(1/2) to sqrt(2) times, is never more. */
#define OPGEN_ATANH_THIRD 0x1.5a6e8cp-2f

/* The bits of s, for those of y. */
OPGEN_V4 static inline __m512i opgen_power_near(__m512 y) {
    return _mm512_add_epi32(_mm512_castps_si512(y), _mm512_set1_epi32(0x00800000 - 0x003504f3));
}

/* See opgen_atanh_16. */
OPGEN_V4 static inline bool opgen_atanh_half_v4(float *to, const float *x, float times) {
    __m512 u[4], v[4], s[4], less[4], q[4];
    opgen_take_times(u, x, times);
    OPGEN_FOUR v[i] = _mm512_abs_ps(u[i]);
    OPGEN_FOUR less[i] = _mm512_sub_ps(opgen_all(1), v[i]);
    OPGEN_FOUR s[i] = _mm512_fmadd_ps(v[i], opgen_all(0x1.6a09e6p+0f), opgen_all(0x1.6a09e6p+0f));
    OPGEN_FOUR s[i] = _mm512_mul_ps(s[i], _mm512_rcp14_ps(less[i]));
    OPGEN_FOUR q[i] = _mm512_sub_ps(_mm512_castsi512_ps(opgen_power_of_16(s[i])), opgen_all(1));
    OPGEN_FOUR v[i] = _mm512_fnmadd_ps(q[i], less[i], _mm512_add_ps(v[i], v[i]));
    OPGEN_FOUR q[i] = _mm512_fmadd_ps(q[i], less[i], opgen_all(2));
    OPGEN_FOUR v[i] = _mm512_div_ps(v[i], q[i]);
    OPGEN_FOUR q[i] = _mm512_mul_ps(v[i], v[i]);
    OPGEN_FOUR q[i] = _mm512_fmadd_ps(q[i], opgen_all(OPGEN_ATANH_THIRD), opgen_all(1));
    OPGEN_FOUR v[i] = _mm512_mul_ps(v[i], q[i]);
    OPGEN_FOUR v[i] = _mm512_fmadd_ps(_mm512_getexp_ps(s[i]), opgen_all(0x1.62e43p-2f), v[i]);
    OPGEN_FOUR v[i] = _mm512_fixupimm_ps(v[i], less[i], _mm512_set1_epi32(0x03030500), 0);
    OPGEN_FOUR v[i] = opgen_signed(v[i], u[i]);
    opgen_give(to, v);
    return true;
}

/* See opgen_log_of_sum_16. */
OPGEN_V4 static inline bool opgen_inverse_half_v4(float *to, const float *x, float times, bool cosine) {
    __m512 u[4], sinh[4], cosh[4], y[4], e[4];
    __mmask16 far[4];
    opgen_take_times(u, x, times);
    if (!opgen_near_64(u, OPGEN_SQUARED_MOST)) return false;
    if (cosine) {
        OPGEN_FOUR cosh[i] = u[i];
        OPGEN_FOUR sinh[i] = _mm512_sqrt_ps(_mm512_fmsub_ps(u[i], u[i], opgen_all(1)));
    } else {
        OPGEN_FOUR sinh[i] = _mm512_abs_ps(u[i]);
        OPGEN_FOUR cosh[i] = _mm512_sqrt_ps(_mm512_fmadd_ps(u[i], u[i], opgen_all(1)));
    }
    OPGEN_FOUR y[i] = _mm512_add_ps(sinh[i], cosh[i]);
    OPGEN_FOUR far[i] = _mm512_cmp_ps_mask(y[i], opgen_all(0x1.6a09e6p+0f), _CMP_NLT_UQ);
    OPGEN_FOUR e[i] = _mm512_castsi512_ps(opgen_power_near(y[i]));
    OPGEN_FOUR y[i] = _mm512_mask_mov_ps(cosh[i], far[i], y[i]);
    OPGEN_FOUR cosh[i] = _mm512_sub_ps(cosh[i], _mm512_castsi512_ps(opgen_power_of_16(e[i])));
    OPGEN_FOUR sinh[i] = _mm512_mask_add_ps(sinh[i], far[i], sinh[i], cosh[i]);
    OPGEN_FOUR y[i] = _mm512_add_ps(y[i], _mm512_castsi512_ps(opgen_power_of_16(e[i])));
    OPGEN_FOUR sinh[i] = _mm512_div_ps(sinh[i], y[i]);
    OPGEN_FOUR y[i] = _mm512_mul_ps(sinh[i], sinh[i]);
    OPGEN_FOUR y[i] = _mm512_fmadd_ps(y[i], opgen_all(2 * OPGEN_ATANH_THIRD), opgen_all(2));
    OPGEN_FOUR sinh[i] = _mm512_mul_ps(sinh[i], y[i]);
    OPGEN_FOUR sinh[i] = _mm512_fmadd_ps(_mm512_getexp_ps(e[i]), opgen_all(0x1.62e43p-1f), sinh[i]);
    if (cosine)
        OPGEN_FOUR u[i] = _mm512_fixupimm_ps(sinh[i], u[i], _mm512_set1_epi32(0x03030000), 0);
    else
        OPGEN_FOUR u[i] = opgen_signed(sinh[i], u[i]);
    opgen_give(to, u);
    return true;
}

/* Of 1 + x, s times what is near 1: r = (x - (s - 1)) / (1 + x + s), which is x / (2 + x) where s is 1. */
#define OPGEN_LOG1P_MOST 0x1p125f
OPGEN_V4 static inline bool opgen_log1p_half_v4(float *to, const float *x, float times) {
    __m512 u[4], v[4], s[4], y[4], e[4];
    opgen_take_times(u, x, times);
    if (!opgen_near_64(u, OPGEN_LOG1P_MOST)) return false;
    OPGEN_FOUR y[i] = _mm512_add_ps(u[i], opgen_all(1));
    OPGEN_FOUR e[i] = _mm512_castsi512_ps(opgen_power_near(y[i]));
    OPGEN_FOUR s[i] = _mm512_castsi512_ps(opgen_power_of_16(e[i]));
    OPGEN_FOUR v[i] = _mm512_sub_ps(u[i], _mm512_sub_ps(s[i], opgen_all(1)));
    OPGEN_FOUR s[i] = _mm512_add_ps(s[i], y[i]);
    OPGEN_FOUR v[i] = _mm512_div_ps(v[i], s[i]);
    OPGEN_FOUR s[i] = _mm512_mul_ps(v[i], v[i]);
    OPGEN_FOUR s[i] = _mm512_fmadd_ps(s[i], opgen_all(2 * OPGEN_ATANH_THIRD), opgen_all(2));
    OPGEN_FOUR v[i] = _mm512_mul_ps(v[i], s[i]);
    OPGEN_FOUR v[i] = _mm512_fmadd_ps(_mm512_getexp_ps(e[i]), opgen_all(0x1.62e43p-1f), v[i]);
    /* Minus infinity where 1 + x is 0, not a number where it is less; the sign of a zero. */
    OPGEN_FOUR v[i] = _mm512_fixupimm_ps(v[i], y[i], _mm512_set1_epi32(0x03030400), 0);
    OPGEN_FOUR v[i] = opgen_signed(v[i], u[i]);
    opgen_give(to, v);
    return true;
}
#pragma GCC diagnostic pop
#undef OPGEN_FOUR
#endif

/* The function that chooses. */
#if defined(OPGEN_X86)
#define OPGEN_HALF_X86(call)                                                                                           \
    if (level == 4 && call) return;
#else
#define OPGEN_HALF_X86(call)
#endif
#define OPGEN_HALF_OF_MANY(name, call)                                                                                 \
    OPGEN_INLINE void opgen_##name##_half(float *to, const float *x, float times, bool tiny, int level) {              \
        (void)tiny;                                                                                                    \
        OPGEN_HALF_X86(call)                                                                                           \
        float y[64];                                                                                                   \
        OPGEN_SIMD                                                                                                     \
        for (int i = 0; i < 64; i++)                                                                                   \
            y[i] = x[i] * times;                                                                                       \
        opgen_##name##_many(to, y, 64, level);                                                                         \
    }
OPGEN_HALF_OF_MANY(sin, opgen_sine_half_v4(to, x, times, false))
OPGEN_HALF_OF_MANY(cos, opgen_sine_half_v4(to, x, times, true))
OPGEN_HALF_OF_MANY(tan, opgen_tangent_half_v4(to, x, times))
OPGEN_HALF_OF_MANY(atan, opgen_atan_half_v4(to, x, times))
OPGEN_HALF_OF_MANY(asin, opgen_arc_half_v4(to, x, times, false))
OPGEN_HALF_OF_MANY(acos, opgen_arc_half_v4(to, x, times, true))
OPGEN_HALF_OF_MANY(atanh, opgen_atanh_half_v4(to, x, times))
OPGEN_HALF_OF_MANY(asinh, opgen_inverse_half_v4(to, x, times, false))
OPGEN_HALF_OF_MANY(acosh, opgen_inverse_half_v4(to, x, times, true))
OPGEN_HALF_OF_MANY(log1p, opgen_log1p_half_v4(to, x, times))
#undef OPGEN_HALF_OF_MANY
#undef OPGEN_HALF_X86

#endif

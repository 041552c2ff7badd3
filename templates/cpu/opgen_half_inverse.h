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
/* What gcc's header makes of vgetexpps and vfixupimmps without optimisation converts a mask's sign. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

/* x less n times a unit in two parts, both positive, so that of a zero the sign is left. Low bits of w are those of n. */
OPGEN_V4_PART void opgen_units_off(OpgenHalf *h, float times, float per_unit, float unit, float rest) {
    opgen_take_times(h, times);
    h->w = _mm512_fmadd_ps(h->x, opgen_all(per_unit), opgen_all(0x1.8p23f));
    h->n = _mm512_sub_ps(h->w, opgen_all(0x1.8p23f));
    h->r = _mm512_fnmadd_ps(h->n, opgen_all(unit), h->x);
    h->r = _mm512_fnmadd_ps(h->n, opgen_all(rest), h->r);
}

/* Of half turns; a cosine is the sine of a quarter of a turn more, which is added where it is exact enough. */
OPGEN_V4_PART void opgen_sine_front(OpgenHalf *h, float times, bool cosine) {
    if (!cosine) {
        opgen_units_off(h, times, 0x1.45f306p-2f, 0x1.921fb4p+1f, 0x1.4442d2p-23f);
        return;
    }
    opgen_take_times(h, times);
    h->w = _mm512_fmadd_ps(h->x, opgen_all(0x1.45f306p-2f), opgen_all(-0.5f));
    h->w = _mm512_add_ps(h->w, opgen_all(0x1.8p23f));
    h->n = _mm512_add_ps(_mm512_sub_ps(h->w, opgen_all(0x1.8p23f)), opgen_all(0.5f));
    h->r = _mm512_fnmadd_ps(h->n, opgen_all(0x1.921fb4p+1f), h->x);
    h->r = _mm512_fnmadd_ps(h->n, opgen_all(0x1.4442d2p-23f), h->r);
    h->w = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(h->w), _mm512_set1_epi32(1)));
}
OPGEN_V4_PART __m512 opgen_sine_back(const OpgenHalf *h) {
    const __m512 q = _mm512_mul_ps(h->r, h->r);
    __m512 p = _mm512_fmadd_ps(q, opgen_all(-0x1.83a4acp-13f), opgen_all(0x1.105c1cp-7f));
    p = _mm512_fmadd_ps(p, q, opgen_all(-0x1.554f7p-3f));
    p = _mm512_fmadd_ps(p, q, opgen_all(0x1.ffffep-1f));
    p = _mm512_mul_ps(h->r, p);
    return _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(p), _mm512_slli_epi32(_mm512_castps_si512(h->w), 31)));
}

/* Of an odd number of quarters -1 / tangent. */
OPGEN_V4_PART __m512 opgen_tangent_back(const OpgenHalf *h) {
    const __m512 q = _mm512_mul_ps(h->r, h->r);
    __m512 p = _mm512_fmadd_ps(q, opgen_all(0x1.679b0ep-5f), opgen_all(0x1.4a3b44p-5f));
    p = _mm512_fmadd_ps(p, q, opgen_all(0x1.17a6p-3f));
    p = _mm512_fmadd_ps(p, q, opgen_all(0x1.55120cp-2f));
    p = _mm512_fmadd_ps(p, q, opgen_all(0x1.000036p+0f));
    p = _mm512_mul_ps(h->r, p);
    const __mmask16 odd = _mm512_test_epi32_mask(_mm512_castps_si512(h->w), _mm512_set1_epi32(1));
    return _mm512_mask_div_ps(p, odd, opgen_all(-1), p);
}

/* The arc tangent of r, from 0 to 1; n is its square. */
OPGEN_V4_PART __m512 opgen_atan_of_small(__m512 r, __m512 n) {
    __m512 p = _mm512_fmadd_ps(n, opgen_all(0x1.86f79ap-6f), opgen_all(-0x1.7886b2p-4f));
    p = _mm512_fmadd_ps(p, n, opgen_all(0x1.7b51eep-3f));
    p = _mm512_fmadd_ps(p, n, opgen_all(-0x1.53a954p-2f));
    p = _mm512_fmadd_ps(p, n, opgen_all(0x1.fffc12p-1f));
    return _mm512_mul_ps(r, p);
}
/* See opgen_atan_16: r is the tangent or 1 by it. */
OPGEN_V4_PART void opgen_atan_first(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    h->r = _mm512_min_ps(_mm512_rcp14_ps(_mm512_abs_ps(h->x)), _mm512_abs_ps(h->x));
    h->n = _mm512_mul_ps(h->r, h->r);
}
OPGEN_V4_PART __m512 opgen_atan_second(const OpgenHalf *h) {
    const __mmask16 far = _mm512_cmp_ps_mask(_mm512_abs_ps(h->x), opgen_all(1), _CMP_GT_OQ);
    const __m512 p = opgen_atan_of_small(h->r, h->n);
    return opgen_signed(_mm512_mask_sub_ps(p, far, OPGEN_QUARTER, p), h->x);
}

/* See opgen_asin_more_16; what of half of the angle makes the arc cosine is added to nothing, or to half of a turn. */
OPGEN_V4_PART void opgen_arc_front(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    const __m512 size = _mm512_abs_ps(h->x), q = _mm512_fnmadd_ps(size, opgen_all(0.5f), opgen_all(0.5f));
    h->r = _mm512_min_ps(size, _mm512_sqrt_ps(q));
    h->n = _mm512_min_ps(_mm512_mul_ps(size, size), q);
}
OPGEN_V4_PART __m512 opgen_arc_back(const OpgenHalf *h, bool cosine) {
    const __mmask16 far = _mm512_cmp_ps_mask(_mm512_abs_ps(h->x), opgen_all(0.5f), _CMP_GT_OQ);
    __m512 p = _mm512_fmadd_ps(h->n, opgen_all(0x1.0a7d94p-4f), opgen_all(0x1.24d014p-4f));
    p = _mm512_fmadd_ps(p, h->n, opgen_all(0x1.55b654p-3f));
    p = _mm512_fmadd_ps(p, h->n, opgen_all(0x1.ffffcep-1f));
    p = _mm512_mul_ps(h->r, p);
    if (!cosine) return opgen_signed(_mm512_mask_fnmadd_ps(p, far, opgen_all(2), OPGEN_QUARTER), h->x);
    const __m512 turn = _mm512_maskz_mov_ps(_mm512_movepi32_mask(_mm512_castps_si512(h->x)), opgen_all(0x1.921fb6p+1f));
    return _mm512_fmadd_ps(opgen_signed(p, h->x), _mm512_mask_mov_ps(opgen_all(-1), far, opgen_all(2)),
                           _mm512_mask_mov_ps(OPGEN_QUARTER, far, turn));
}

/* r + c * r^3, where c is about 1/3: the inverse of a hyperbolic tangent, of up to 0.172. The quotient of (y - s) and (y + s), s the power of two
 * that y is from sqrt(1/2) to sqrt(2) times, is never more. */
#define OPGEN_ATANH_THIRD 0x1.5a6e8cp-2f
/* The same, `times` times. */
OPGEN_V4_PART __m512 opgen_atanh_of_small(__m512 r, float times) {
    const __m512 p = _mm512_fmadd_ps(_mm512_mul_ps(r, r), opgen_all(times * OPGEN_ATANH_THIRD), opgen_all(times));
    return _mm512_mul_ps(r, p);
}

/* The bits of s, for those of y. */
OPGEN_V4_PART __m512 opgen_power_near(__m512 y) {
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(y), _mm512_set1_epi32(0x00800000 - 0x003504f3)));
}

/* See opgen_atanh_16. */
OPGEN_V4_PART void opgen_atanh_first(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    const __m512 v = _mm512_abs_ps(h->x), less = _mm512_sub_ps(opgen_all(1), v);
    h->w = _mm512_fmadd_ps(v, opgen_all(0x1.6a09e6p+0f), opgen_all(0x1.6a09e6p+0f));
    h->w = _mm512_mul_ps(h->w, _mm512_rcp14_ps(less));
    h->n = _mm512_sub_ps(_mm512_castsi512_ps(opgen_power_of_16(h->w)), opgen_all(1));
    h->r = _mm512_div_ps(_mm512_fnmadd_ps(h->n, less, _mm512_add_ps(v, v)), _mm512_fmadd_ps(h->n, less, opgen_all(2)));
    h->n = less;
}
OPGEN_V4_PART __m512 opgen_atanh_second(const OpgenHalf *h) {
    const __m512 v = _mm512_fmadd_ps(_mm512_getexp_ps(h->w), opgen_all(0x1.62e43p-2f), opgen_atanh_of_small(h->r, 1));
    return opgen_signed(_mm512_fixupimm_ps(v, h->n, _mm512_set1_epi32(0x03030500), 0), h->x);
}

/* See opgen_log_of_sum_16. */
OPGEN_V4_PART void opgen_inverse_front(OpgenHalf *h, float times, bool cosine) {
    opgen_take_times(h, times);
    const __m512 root = _mm512_sqrt_ps(_mm512_fmadd_ps(h->x, h->x, opgen_all(cosine ? -1 : 1)));
    const __m512 sinh = cosine ? root : _mm512_abs_ps(h->x), cosh = cosine ? h->x : root, y = _mm512_add_ps(sinh, cosh);
    const __mmask16 far = _mm512_cmp_ps_mask(y, opgen_all(0x1.6a09e6p+0f), _CMP_NLT_UQ);
    h->w = opgen_power_near(y);
    const __m512 power = _mm512_castsi512_ps(opgen_power_of_16(h->w));
    h->n = _mm512_add_ps(_mm512_mask_mov_ps(cosh, far, y), power);
    h->r = _mm512_mask_add_ps(sinh, far, sinh, _mm512_sub_ps(cosh, power));
}
OPGEN_V4_PART __m512 opgen_inverse_back(const OpgenHalf *h, bool cosine) {
    const __m512 r = opgen_atanh_of_small(_mm512_div_ps(h->r, h->n), 2);
    const __m512 v = _mm512_fmadd_ps(_mm512_getexp_ps(h->w), opgen_all(0x1.62e43p-1f), r);
    return cosine ? _mm512_fixupimm_ps(v, h->x, _mm512_set1_epi32(0x03030000), 0) : opgen_signed(v, h->x);
}

/* Of 1 + x, s times what is near 1: r = (x - (s - 1)) / (1 + x + s), which is x / (2 + x) where s is 1. */
#define OPGEN_LOG1P_MOST 0x1p125f
OPGEN_V4_PART void opgen_log1p_first(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    h->n = _mm512_add_ps(h->x, opgen_all(1));
    h->w = opgen_power_near(h->n);
    const __m512 s = _mm512_castsi512_ps(opgen_power_of_16(h->w));
    h->r = _mm512_div_ps(_mm512_sub_ps(h->x, _mm512_sub_ps(s, opgen_all(1))), _mm512_add_ps(s, h->n));
}
/* Minus infinity where 1 + x is 0, not a number where it is less; the sign of a zero. */
OPGEN_V4_PART __m512 opgen_log1p_second(const OpgenHalf *h) {
    const __m512 v = _mm512_fmadd_ps(_mm512_getexp_ps(h->w), opgen_all(0x1.62e43p-1f), opgen_atanh_of_small(h->r, 2));
    return opgen_signed(_mm512_fixupimm_ps(v, h->n, _mm512_set1_epi32(0x03030400), 0), h->x);
}

/* Whether none of 64 is further from 0; what is not a number is not. */
OPGEN_V4 static inline bool opgen_near_64(const float *x, float times, float most) {
    __m512 all = _mm512_setzero_ps();
    OPGEN_FOUR all = opgen_greater_size(all, _mm512_loadu_ps(x + 16 * i));
    return _mm512_cmp_ps_mask(_mm512_mul_ps(all, _mm512_abs_ps(opgen_all(times))), opgen_all(most), _CMP_GT_OQ) == 0;
}

OPGEN_HALF_V4(sin, opgen_sine_front(h, times, false), opgen_sine_back(h))
OPGEN_HALF_V4(cos, opgen_sine_front(h, times, true), opgen_sine_back(h))
OPGEN_HALF_V4(tan, opgen_units_off(h, times, 0x1.45f306p-1f, 0x1.921fb4p+0f, 0x1.4442d2p-24f), opgen_tangent_back(h))
OPGEN_HALF_V4(atan, opgen_atan_first(h, times), opgen_atan_second(h))
OPGEN_HALF_V4(asin, opgen_arc_front(h, times), opgen_arc_back(h, false))
OPGEN_HALF_V4(acos, opgen_arc_front(h, times), opgen_arc_back(h, true))
OPGEN_HALF_V4(atanh, opgen_atanh_first(h, times), opgen_atanh_second(h))
OPGEN_HALF_V4(asinh, opgen_inverse_front(h, times, false), opgen_inverse_back(h, false))
OPGEN_HALF_V4(acosh, opgen_inverse_front(h, times, true), opgen_inverse_back(h, true))
OPGEN_HALF_V4(log1p, opgen_log1p_first(h, times), opgen_log1p_second(h))
#pragma GCC diagnostic pop
#endif

/* The function that chooses. */
#if defined(OPGEN_X86)
#define OPGEN_HALF_X86(name, near)                                                                                     \
    if (level == 4 && near) {                                                                                          \
        opgen_##name##_half_v4(to, x, times, tiny);                                                                    \
        return;                                                                                                        \
    }
#else
#define OPGEN_HALF_X86(name, near)
#endif
#define OPGEN_HALF_OF_MANY(name, near)                                                                                 \
    OPGEN_INLINE void opgen_##name##_half(float *to, const float *x, float times, bool tiny, int level) {              \
        (void)tiny;                                                                                                    \
        OPGEN_HALF_X86(name, near)                                                                                     \
        float y[64];                                                                                                   \
        OPGEN_SIMD                                                                                                     \
        for (int i = 0; i < 64; i++)                                                                                   \
            y[i] = x[i] * times;                                                                                       \
        opgen_##name##_many(to, y, 64, level);                                                                         \
    }
/* Anywhere; up to `most` alone, `f16` and `bf16` of it being what name_most says. */
#define OPGEN_HALF_ANYWHERE(name)                                                                                      \
    OPGEN_HALF_ALWAYS(name)                                                                                            \
    OPGEN_HALF_OF_MANY(name, true)
#define OPGEN_HALF_NEAR(name, most, of_f16, of_bf16)                                                                   \
    OPGEN_INLINE uint16_t opgen_##name##_most(bool bf16) { return bf16 ? of_bf16 : of_f16; }                           \
    OPGEN_HALF_OF_MANY(name, opgen_near_64(x, times, most))
OPGEN_HALF_NEAR(sin, OPGEN_FAR, 0x7fff, 0x4780)
OPGEN_HALF_NEAR(cos, OPGEN_FAR, 0x7fff, 0x4780)
OPGEN_HALF_NEAR(tan, OPGEN_FAR, 0x7fff, 0x4780)
OPGEN_HALF_ANYWHERE(atan)
OPGEN_HALF_ANYWHERE(asin)
OPGEN_HALF_ANYWHERE(acos)
OPGEN_HALF_ANYWHERE(atanh)
OPGEN_HALF_NEAR(asinh, OPGEN_SQUARED_MOST, 0x7bff, 0x5d80)
OPGEN_HALF_NEAR(acosh, OPGEN_SQUARED_MOST, 0x7bff, 0x5d80)
OPGEN_HALF_NEAR(log1p, OPGEN_LOG1P_MOST, 0x7bff, 0x7e00)
#undef OPGEN_HALF_ANYWHERE
#undef OPGEN_HALF_NEAR
#undef OPGEN_HALF_OF_MANY
#undef OPGEN_HALF_X86

#endif

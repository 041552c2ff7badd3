/* opgen_half.h: functions of 64 floats at once, into the same array or another one, whose results go into 16 bits: they
 * are off by 2^-14 of the result at most, where f16 is rounded by 2^-12; exponentials by 2^-18; what ends in _bf16_half by
 * 2^-11, where bf16 is rounded by 2^-9. x86-64-v4 makes them by tables of powers of two and short polynomials. Elsewhere they are
 * the functions of opgen_exp.h.
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

/* What the first part of a function leaves to the second one, of 16 elements: in two parts the second of some can be computed beside the
 * first of others (opgen_straight.h). x is what it is of, times `times` where something other than a power needs that. */
typedef struct {
    __m512 x, r, n, w;
} OpgenHalf;

OPGEN_V4_PART __m512 opgen_all(float x) { return _mm512_set1_ps(x); }
OPGEN_V4_PART void opgen_take_times(OpgenHalf *h, float times) {
    if (times != 1) h->x = _mm512_mul_ps(h->x, opgen_all(times));
}

/* What the exponent of a power is at least: one that is subnormal, or not; one that 1 is added to. */
#define OPGEN_LEAST (tiny ? -150 : -125)
#define OPGEN_BESIDE_1 -64

/* of * scale = n + r, n a multiple of 1/16. Adding 1.5 * 2^19 leaves in the low bits of w which one of 16 it is, and so what
 * 2^n is times a power of two: opgen_power_part, times `size`. */
OPGEN_V4_PART void opgen_power_front(OpgenHalf *h, __m512 of, float scale) {
    const __m512 round = opgen_all(0x1.8p19f);
    h->w = _mm512_fmadd_ps(of, opgen_all(scale), round);
    h->n = _mm512_sub_ps(h->w, round);
    h->r = _mm512_fmsub_ps(of, opgen_all(scale), h->n);
}
OPGEN_V4_PART __m512 opgen_power_part(const OpgenHalf *h, float size) {
    const __m512 table = _mm512_mul_ps(_mm512_loadu_ps(opgen_power_table[0]), opgen_all(size));
    return _mm512_permutexvar_ps(_mm512_castps_si512(h->w), table);
}

OPGEN_V4_PART __m512 opgen_power_fraction(const OpgenHalf *h, float size) {
    const __m512 part = opgen_power_part(h, size), p = _mm512_fmadd_ps(h->r, opgen_all(0x1.ebfbd4p-3f), opgen_all(0x1.62e982p-1f));
    return _mm512_fmadd_ps(p, _mm512_mul_ps(h->r, part), part);
}

/* 2^(of * scale). The polynomial is positive whatever r is, so what is too large becomes infinity, and of infinities r is
 * NaN, which vscalefps takes no notice of. What is less than 2^least is 0 without being computed: vscalefps takes fifty times
 * as long for a vector in which something underflows. */
OPGEN_V4_PART __m512 opgen_power_back(const OpgenHalf *h, __m512 of, float scale, float least) {
    const __mmask16 some = scale > 0 ? _mm512_cmp_ps_mask(of, opgen_all(least / scale), _CMP_NLT_UQ)
                                     : _mm512_cmp_ps_mask(of, opgen_all(least / scale), _CMP_NGT_UQ);
    return _mm512_maskz_scalef_ps(some, opgen_power_fraction(h, 1), h->n);
}

/* 2^(i / 32) */
static const float opgen_power_32_table[32] = {0x1p+0f, 0x1.059b0ep+0f, 0x1.0b5586p+0f, 0x1.11301ep+0f, 0x1.172b84p+0f, 0x1.1d4874p+0f, 0x1.2387a6p+0f, 0x1.29e9ep+0f, 0x1.306fep+0f, 0x1.371a74p+0f, 0x1.3dea64p+0f, 0x1.44e086p+0f, 0x1.4bfdaep+0f, 0x1.5342b6p+0f, 0x1.5ab07ep+0f, 0x1.6247ecp+0f, 0x1.6a09e6p+0f, 0x1.71f75ep+0f, 0x1.7a1148p+0f, 0x1.82589ap+0f, 0x1.8ace54p+0f, 0x1.93737cp+0f, 0x1.9c4918p+0f, 0x1.a5503cp+0f, 0x1.ae89fap+0f, 0x1.b7f77p+0f, 0x1.c199bep+0f, 0x1.cb720ep+0f, 0x1.d5818ep+0f, 0x1.dfc974p+0f, 0x1.ea4afap+0f, 0x1.f50766p+0f};

/* 1 / v to 14 bits, since divisions take longer than all the rest; `large`: v may be so large that the quotient is subnormal, which
 * is 0 where not `tiny`. */
OPGEN_V4_PART __m512 opgen_one_over(__m512 v, bool large, bool tiny) {
    return large && !tiny ? _mm512_maskz_rcp14_ps(_mm512_cmp_ps_mask(v, opgen_all(0x1p125f), _CMP_NGE_UQ), v) : _mm512_rcp14_ps(v);
}

/* A function of 16 in two parts, and of 64. */
#define OPGEN_HALF_V4(name, front, back)                                                                               \
    OPGEN_V4_PART void opgen_##name##_front(OpgenHalf *h, float times, bool tiny) {                                    \
        (void)times, (void)tiny;                                                                                       \
        front;                                                                                                         \
    }                                                                                                                  \
    OPGEN_V4_PART __m512 opgen_##name##_back(const OpgenHalf *h, float times, bool tiny) {                             \
        (void)times, (void)tiny;                                                                                       \
        return back;                                                                                                   \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_##name##_half_v4(float *to, const float *x, float times, bool tiny) {            \
        OpgenHalf h[4];                                                                                                \
        OPGEN_FOUR h[i].x = _mm512_loadu_ps(x + 16 * i);                                                               \
        OPGEN_FOUR opgen_##name##_front(&h[i], times, tiny);                                                           \
        OPGEN_FOUR _mm512_storeu_ps(to + 16 * i, opgen_##name##_back(&h[i], times, tiny));                             \
    }

#define OPGEN_LOG2E 0x1.715476p+0f
OPGEN_HALF_V4(exp, opgen_power_front(h, h->x, times * OPGEN_LOG2E), opgen_power_back(h, h->x, times * OPGEN_LOG2E, OPGEN_LEAST))
OPGEN_HALF_V4(exp2, opgen_power_front(h, h->x, times), opgen_power_back(h, h->x, times, OPGEN_LEAST))

OPGEN_V4_PART __m512 opgen_power_and(const OpgenHalf *h, float scale) {
    return _mm512_add_ps(opgen_power_back(h, h->x, scale, OPGEN_BESIDE_1), opgen_all(1));
}
OPGEN_HALF_V4(1_and_exp, opgen_power_front(h, h->x, times * OPGEN_LOG2E), opgen_power_and(h, times * OPGEN_LOG2E))
OPGEN_HALF_V4(1_over_1_and_exp, opgen_power_front(h, h->x, times * OPGEN_LOG2E),
              opgen_one_over(opgen_power_and(h, times * OPGEN_LOG2E), true, tiny))
OPGEN_HALF_V4(sigmoid, opgen_power_front(h, h->x, times * -OPGEN_LOG2E),
              opgen_one_over(opgen_power_and(h, times * -OPGEN_LOG2E), true, tiny))
OPGEN_HALF_V4(silu, opgen_take_times(h, times); opgen_power_front(h, h->x, -OPGEN_LOG2E),
              _mm512_mul_ps(h->x, opgen_one_over(opgen_power_and(h, -OPGEN_LOG2E), true, tiny)))

/* 2 / (1 + exp(-2x)) */
OPGEN_V4_PART __m512 opgen_halves_and(__m512 power) { return _mm512_fmadd_ps(power, opgen_all(0.5f), opgen_all(0.5f)); }
OPGEN_HALF_V4(1_and_tanh, opgen_power_front(h, h->x, times * -2 * OPGEN_LOG2E),
              opgen_one_over(opgen_halves_and(opgen_power_back(h, h->x, times * -2 * OPGEN_LOG2E, OPGEN_BESIDE_1)), true, tiny))

/* exp(x) - 1 as twice its half: so infinity comes of nothing but doubling it. x is brought between -30 and 89. Both
 * differences are 0 where x is, or -0. */
OPGEN_V4_PART void opgen_expm1_first(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    opgen_power_front(h, _mm512_min_ps(opgen_all(89), _mm512_max_ps(opgen_all(-30), h->x)), OPGEN_LOG2E);
}
OPGEN_V4_PART __m512 opgen_expm1_second(const OpgenHalf *h) {
    const __m512 part = _mm512_scalef_ps(opgen_power_part(h, 0.5f), h->n);
    __m512 p = _mm512_fmadd_ps(h->r, opgen_all(0x1.ca3148p-5f), opgen_all(0x1.ebf99ap-3f));
    p = _mm512_fmadd_ps(p, h->r, opgen_all(0x1.62e43p-1f));
    p = _mm512_fmsub_ps(p, _mm512_mul_ps(h->r, part), _mm512_sub_ps(opgen_all(0.5f), part));
    return _mm512_add_ps(p, p);
}
OPGEN_HALF_V4(expm1, opgen_expm1_first(h, times), opgen_expm1_second(h))

/* exp(x) - 1 of what is not positive; of others it is not looked at, and may be anything. x = n * log(2) + r, n a multiple of
 * 1/32, so small that two powers of r do. The difference is 0 where x is, or -0. */
OPGEN_V4_PART void opgen_expm1_below_first(OpgenHalf *h, float times) {
    const __m512 round = opgen_all(0x1.8p18f);
    opgen_take_times(h, times);
    h->r = _mm512_max_ps(opgen_all(-30), h->x);
    h->w = _mm512_fmadd_ps(h->r, opgen_all(OPGEN_LOG2E), round);
    h->n = _mm512_sub_ps(h->w, round);
    h->r = _mm512_fnmadd_ps(h->n, opgen_all(0x1.62e43p-1f), h->r);
}
OPGEN_V4_PART __m512 opgen_expm1_below_second(const OpgenHalf *h) {
    const __m512 part = _mm512_scalef_ps(opgen_look(opgen_power_32_table, _mm512_castps_si512(h->w)), h->n);
    const __m512 p = _mm512_fmadd_ps(h->r, opgen_all(0.5f), opgen_all(1));
    return _mm512_fmsub_ps(p, _mm512_mul_ps(h->r, part), _mm512_sub_ps(opgen_all(1), part));
}
OPGEN_HALF_V4(expm1_below, opgen_expm1_below_first(h, times), opgen_expm1_below_second(h))

/* w / (w + 2), where w is (exp(x) + 1)^2 - 1, and x times that. Where that is large, the quotient is 1. */
OPGEN_V4_PART void opgen_tanh_log1p_exp_first(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    opgen_power_front(h, _mm512_min_ps(opgen_all(20), h->x), OPGEN_LOG2E);
}
OPGEN_V4_PART __m512 opgen_tanh_log1p_exp_second(const OpgenHalf *h, __m512 times, bool tiny) {
    const __m512 power = opgen_power_back(h, h->x, OPGEN_LOG2E, OPGEN_LEAST), more = _mm512_add_ps(power, opgen_all(2));
    const __m512 one_over = opgen_one_over(_mm512_fmadd_ps(power, more, opgen_all(2)), false, tiny);
    return _mm512_mul_ps(_mm512_mul_ps(times, one_over), _mm512_mul_ps(power, more));
}
OPGEN_HALF_V4(tanh_log1p_exp, opgen_tanh_log1p_exp_first(h, times), opgen_tanh_log1p_exp_second(h, opgen_all(1), tiny))
OPGEN_HALF_V4(mish, opgen_tanh_log1p_exp_first(h, times), opgen_tanh_log1p_exp_second(h, h->x, tiny))

/* max(x, 0) + log(1 + exp(-|x|)), and what -x has of that, negative. No squares of the power in the polynomial: they could be
 * subnormal. */
OPGEN_V4_PART void opgen_log1p_exp_first(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    opgen_power_front(h, _mm512_abs_ps(h->x), -OPGEN_LOG2E);
}
OPGEN_V4_PART __m512 opgen_log1p_of_power(const OpgenHalf *h, __m512 power, bool negative) {
    __m512 p = _mm512_fmadd_ps(power, opgen_all(0x1.52b24ep-5f), opgen_all(-0x1.42669ap-3f));
    p = _mm512_fmadd_ps(p, power, opgen_all(0x1.39a622p-2f));
    p = _mm512_fmadd_ps(p, power, opgen_all(-0x1.fce794p-2f));
    p = _mm512_fmadd_ps(p, power, opgen_all(0x1.fff89p-1f));
    return negative ? _mm512_fnmadd_ps(p, power, _mm512_min_ps(opgen_all(-0.0f), h->x))
                    : _mm512_fmadd_ps(p, power, _mm512_max_ps(_mm512_setzero_ps(), h->x));
}
OPGEN_HALF_V4(log1p_exp, opgen_log1p_exp_first(h, times),
              opgen_log1p_of_power(h, opgen_power_back(h, _mm512_abs_ps(h->x), -OPGEN_LOG2E, OPGEN_LEAST), false))
OPGEN_HALF_V4(logsigmoid, opgen_log1p_exp_first(h, times),
              opgen_log1p_of_power(h, opgen_power_back(h, _mm512_abs_ps(h->x), -OPGEN_LOG2E, OPGEN_LEAST), true))

/* exp(|x|) / 2 and 1 / 4 of its inverse; where the difference of these has few bits left, a polynomial. */
OPGEN_V4_PART void opgen_hyperbolic_front(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    opgen_power_front(h, _mm512_abs_ps(h->x), OPGEN_LOG2E);
}
OPGEN_V4_PART __m512 opgen_hyperbolic_back(const OpgenHalf *h, bool cosine) {
    const __m512 power = _mm512_scalef_ps(opgen_power_fraction(h, 0.5f), h->n), inverse = _mm512_rcp14_ps(power);
    if (cosine) return _mm512_fmadd_ps(inverse, opgen_all(0.25f), power);
    const __mmask16 near = _mm512_cmp_ps_mask(_mm512_abs_ps(h->x), opgen_all(0.7f), _CMP_LT_OQ);
    __m512 p = _mm512_fmadd_ps(_mm512_mul_ps(h->x, h->x), opgen_all(0x1.5db55ep-3f), opgen_all(0x1.ffdff8p-1f));
    return _mm512_mask_mul_ps(opgen_signed(_mm512_fnmadd_ps(inverse, opgen_all(0.25f), power), h->x), near, h->x, p);
}
OPGEN_HALF_V4(sinh_bf16, opgen_hyperbolic_front(h, times), opgen_hyperbolic_back(h, false))
OPGEN_HALF_V4(cosh_bf16, opgen_hyperbolic_front(h, times), opgen_hyperbolic_back(h, true))

/* exp(-x^2) * t * P(t) of t = 1 / (|x| + 1.4); of a negative number the rest of 2. */
OPGEN_V4_PART void opgen_erfc_front(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    opgen_power_front(h, _mm512_mul_ps(h->x, h->x), -OPGEN_LOG2E);
}
OPGEN_V4_PART __m512 opgen_erfc_of_power(const OpgenHalf *h, __m512 power) {
    const __m512 t = _mm512_rcp14_ps(_mm512_add_ps(_mm512_abs_ps(h->x), opgen_all(1.4f)));
    __m512 p = _mm512_fmadd_ps(t, opgen_all(-0x1.f0b3bcp-1f), opgen_all(0x1.5036eep+0f));
    p = _mm512_fmadd_ps(p, t, opgen_all(0x1.71ce5ap-1f));
    p = _mm512_mul_ps(_mm512_fmadd_ps(p, t, opgen_all(0x1.226508p-1f)), t);
    p = _mm512_mul_ps(p, power);
    return _mm512_mask_sub_ps(p, _mm512_movepi32_mask(_mm512_castps_si512(h->x)), opgen_all(2), p);
}
OPGEN_HALF_V4(erfc_bf16, opgen_erfc_front(h, times),
              opgen_erfc_of_power(h, opgen_power_back(h, _mm512_mul_ps(h->x, h->x), -OPGEN_LOG2E, -150)))

/* What is between lines, the product with x; what is not a number stays that: vminps and vmaxps give the second. */
OPGEN_V4_PART void opgen_between_lines(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    h->r = _mm512_min_ps(opgen_all(6), _mm512_max_ps(_mm512_setzero_ps(), _mm512_add_ps(h->x, opgen_all(3))));
}
#define OPGEN_SIXTH 0x1.555556p-3f
OPGEN_HALF_V4(hardswish, opgen_between_lines(h, times), _mm512_mul_ps(h->x, _mm512_mul_ps(h->r, opgen_all(OPGEN_SIXTH))))
OPGEN_HALF_V4(hardsigmoid, opgen_between_lines(h, times), _mm512_mul_ps(h->r, opgen_all(OPGEN_SIXTH)))

/* The same of what is so near that all powers are normal numbers, as opgen_straight.h finds out: exponents are added to bits, and the polynomial
 * is a square (opgen_add_power_16), which leaves less to keep between the two parts. */
OPGEN_V4_PART void opgen_near_power_front(OpgenHalf *h, __m512 of, float scale) {
    h->w = _mm512_fmadd_ps(of, opgen_all(scale), opgen_all(0x1.8p19f));
    h->r = _mm512_fmsub_ps(of, opgen_all(scale), _mm512_sub_ps(h->w, opgen_all(0x1.8p19f + 1.4375f)));
}
OPGEN_V4_PART __m512 opgen_near_power_back(const OpgenHalf *h) {
    const __m512i z = _mm512_castps_si512(h->w), part = _mm512_permutexvar_epi32(z, _mm512_loadu_si512(opgen_part_table));
    const __m512 power = _mm512_castsi512_ps(_mm512_add_epi32(part, _mm512_slli_epi32(z, 19)));
    return _mm512_mul_ps(power, _mm512_fmadd_ps(h->r, h->r, opgen_all(OPGEN_PART_MORE)));
}
/* And what is made of them. */
#define OPGEN_HALF_NEAR(name, of_f16, of_bf16, front, back)                                                            \
    OPGEN_HALF_V4(name##_near, front, back)                                                                            \
    OPGEN_INLINE uint16_t opgen_##name##_near_most(bool bf16) { return bf16 ? of_bf16 : of_f16; }
/* Up to 40, whose power has a square. A sum takes a pipe that products do not. */
OPGEN_V4_PART __m512 opgen_near_mish_back(const OpgenHalf *h) {
    const __m512 power = opgen_near_power_back(h);
    __m512 square = _mm512_mul_ps(power, _mm512_add_ps(power, opgen_all(2)));
    OPGEN_COMPUTED(square);
    return _mm512_mul_ps(_mm512_mul_ps(h->x, _mm512_rcp14_ps(_mm512_add_ps(square, opgen_all(2)))), square);
}
OPGEN_HALF_NEAR(mish, 0x5100, 0x4220, opgen_near_power_front(h, h->x, OPGEN_LOG2E), opgen_near_mish_back(h))
OPGEN_V4_PART __m512 opgen_near_one_over(const OpgenHalf *h) {
    return _mm512_rcp14_ps(_mm512_add_ps(opgen_near_power_back(h), opgen_all(1)));
}
OPGEN_HALF_NEAR(sigmoid, 0x5560, 0x42ac, opgen_near_power_front(h, h->x, -OPGEN_LOG2E), opgen_near_one_over(h))
OPGEN_HALF_NEAR(silu, 0x5560, 0x42ac, opgen_near_power_front(h, h->x, -OPGEN_LOG2E), _mm512_mul_ps(h->x, opgen_near_one_over(h)))
OPGEN_HALF_NEAR(log1p_exp, 0x5560, 0x42ac, opgen_near_power_front(h, _mm512_abs_ps(h->x), -OPGEN_LOG2E),
                opgen_log1p_of_power(h, opgen_near_power_back(h), false))
OPGEN_HALF_NEAR(logsigmoid, 0x5560, 0x42ac, opgen_near_power_front(h, _mm512_abs_ps(h->x), -OPGEN_LOG2E),
                opgen_log1p_of_power(h, opgen_near_power_back(h), true))
OPGEN_HALF_NEAR(erfc_bf16, 0x4880, 0x4110, opgen_near_power_front(h, _mm512_mul_ps(h->x, h->x), -OPGEN_LOG2E),
                opgen_erfc_of_power(h, opgen_near_power_back(h)))
#undef OPGEN_HALF_NEAR
#undef OPGEN_LEAST
#undef OPGEN_BESIDE_1
#undef OPGEN_LOG2E
#undef OPGEN_SIXTH
#endif

/* name_most: of what is further from 0 the parts are not, as the bits of a 16-bit float; 0x7fff: there is nothing. */
#define OPGEN_HALF_ALWAYS(name)                                                                                        \
    OPGEN_INLINE uint16_t opgen_##name##_most(bool bf16) { return (void)bf16, 0x7fff; }

/* The function that chooses; `other` is what it is of one y elsewhere. */
#if defined(OPGEN_X86)
#define OPGEN_HALF_X86_V4(name)                                                                                        \
    if (level == 4) {                                                                                                  \
        opgen_##name##_half_v4(to, x, times, tiny);                                                                    \
        return;                                                                                                        \
    }
#define OPGEN_HALF_X86(name)                                                                                           \
    OPGEN_HALF_X86_V4(name)                                                                                            \
    if (level == 3) {                                                                                                  \
        opgen_##name##_half_v3(to, x, times, tiny);                                                                    \
        return;                                                                                                        \
    }
#else
#define OPGEN_HALF_X86_V4(name)
#define OPGEN_HALF_X86(name)
#endif
#define OPGEN_HALF(name, other) OPGEN_HALF_BY(name, OPGEN_HALF_X86(name), other)
#define OPGEN_HALF_BY(name, choose, other)                                                                             \
    OPGEN_HALF_ALWAYS(name)                                                                                            \
    OPGEN_INLINE void opgen_##name##_half(float *to, const float *x, float times, bool tiny, int level) {              \
        (void)tiny, (void)level;                                                                                       \
        choose                                                                                                         \
        OPGEN_SIMD                                                                                                     \
        for (int i = 0; i < 64; i++) {                                                                                 \
            const float y = x[i] * times;                                                                              \
            to[i] = other;                                                                                             \
        }                                                                                                              \
    }
OPGEN_HALF(exp, opgen_exp_f32(y))
OPGEN_HALF(1_and_exp, 1 + opgen_exp_f32(y))
OPGEN_HALF(1_over_1_and_exp, 1 / (1 + opgen_exp_f32(y)))
OPGEN_HALF(sigmoid, 1 / (1 + opgen_exp_f32(-y)))
OPGEN_HALF(silu, y / (1 + opgen_exp_f32(-y)))
OPGEN_HALF(exp2, opgen_exp2_f32(y))
OPGEN_HALF(expm1, opgen_expm1_f32(y))
OPGEN_HALF(expm1_below, opgen_expm1_f32(y))
OPGEN_HALF(1_and_tanh, 2 / (1 + opgen_exp_f32(-2 * y)))
OPGEN_HALF(log1p_exp, opgen_log1p_exp_f32(y))
OPGEN_HALF(logsigmoid, -opgen_log1p_exp_f32(-y))
OPGEN_HALF(tanh_log1p_exp, opgen_tanh_log1p_exp_f32(y))
OPGEN_HALF(mish, y * opgen_tanh_log1p_exp_f32(y))
OPGEN_HALF_BY(sinh_bf16, OPGEN_HALF_X86_V4(sinh_bf16), opgen_sinh_f32(y))
OPGEN_HALF_BY(cosh_bf16, OPGEN_HALF_X86_V4(cosh_bf16), opgen_cosh_f32(y))
OPGEN_HALF_BY(erfc_bf16, OPGEN_HALF_X86_V4(erfc_bf16), opgen_erfc_f32(y))
OPGEN_HALF_BY(hardswish, OPGEN_HALF_X86_V4(hardswish), y * ((y < -3 ? 0 : y > 3 ? 6 : y + 3) / 6))
OPGEN_HALF_BY(hardsigmoid, OPGEN_HALF_X86_V4(hardsigmoid), (y < -3 ? 0 : y > 3 ? 6 : y + 3) / 6)
/* What is not near, of those whose near ones have a way of their own. */
#define OPGEN_HALF_FAR(name)                                                                                           \
    OPGEN_INLINE void opgen_##name##_near_half(float *to, const float *x, float times, bool tiny, int level) {         \
        opgen_##name##_half(to, x, times, tiny, level);                                                                \
    }
OPGEN_HALF_FAR(sigmoid)
OPGEN_HALF_FAR(silu)
OPGEN_HALF_FAR(mish)
OPGEN_HALF_FAR(log1p_exp)
OPGEN_HALF_FAR(logsigmoid)
OPGEN_HALF_FAR(erfc_bf16)
#undef OPGEN_HALF
#undef OPGEN_HALF_BY
#undef OPGEN_HALF_X86_V4
#undef OPGEN_HALF_X86

#endif

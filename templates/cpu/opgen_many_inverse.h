/* opgen_many_inverse.h: arc sine, cosine and tangent, and the inverses of hyperbolic functions, of many floats, as opgen_many.h has
 * exponentials. They are polynomials for all operands at once: where a table of 32 entries is looked up as fast as something is
 * multiplied, half as many of the latter are less work than a polynomial for each interval. Quotients and roots are the processor's: one
 * step beside the others, however long that takes. x86-64-v3 has the same (opgen_many_inverse_v3.h), elsewhere they are the functions of opgen_trig.h and opgen_exp.h.
 *
 * `level` is what opgen_kernel.h says, a constant where these are called. tests/cpu/fit_math.py makes the coefficients.
 */
#ifndef OPGEN_MANY_INVERSE_H
#define OPGEN_MANY_INVERSE_H

#include "opgen_many.h"
#include "opgen_many_inverse_v3.h"
#include "opgen_trig.h"

#if defined(OPGEN_X86)
/* What gcc's header makes of vgetexpps and vfixupimmps without optimisation converts a mask's sign. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

/* pi / 2 in two floats. */
#define OPGEN_QUARTER OPGEN_ALL(0x1.921fb6p+0f)
#define OPGEN_QUARTER_REST OPGEN_ALL(-0x1.777a5cp-25f)

/* The arc tangent of t, from 0 to 1. */
OPGEN_V4 static inline __m512 opgen_atan_below_1_16(__m512 t) {
    const __m512 q = _mm512_mul_ps(t, t);
    __m512 p = _mm512_fmadd_ps(q, OPGEN_ALL(0x1.7eaa46p-9f), OPGEN_ALL(-0x1.0c1922p-6f));
    p = _mm512_fmadd_ps(p, q, OPGEN_ALL(0x1.61ef5cp-5f));
    p = _mm512_fmadd_ps(p, q, OPGEN_ALL(-0x1.3551p-4f));
    p = _mm512_fmadd_ps(p, q, OPGEN_ALL(0x1.b4deb6p-4f));
    p = _mm512_fmadd_ps(p, q, OPGEN_ALL(-0x1.230a94p-3f));
    p = _mm512_fmadd_ps(p, q, OPGEN_ALL(0x1.9978ecp-3f));
    p = _mm512_fmadd_ps(p, q, OPGEN_ALL(-0x1.5554dcp-2f));
    return _mm512_fmadd_ps(_mm512_mul_ps(t, q), p, t);
}

/* Beyond 1 a quarter of a turn less that of 1 / x. */
OPGEN_V4 static inline __m512 opgen_atan_16(__m512 x) {
    const __m512 a = _mm512_abs_ps(x), inverse = _mm512_div_ps(OPGEN_ALL(1), a);
    const __mmask16 far = _mm512_cmp_ps_mask(inverse, a, _CMP_LT_OQ);
    __m512 p = opgen_atan_below_1_16(_mm512_min_ps(inverse, a));
    p = _mm512_mask_sub_ps(p, far, p, OPGEN_QUARTER_REST);
    return opgen_signed(_mm512_mask_sub_ps(p, far, OPGEN_QUARTER, p), x);
}

/* The less, t, of |x| and sqrt((1 - |x|) / 2), which is the sine of half of the angle that is left: what its arc sine is more than it,
 * and whether it is the latter. Of what is further than 1 from 0 that root is not a number, and so is t: vminps gives its second operand
 * where one is not. */
OPGEN_V4 static inline __m512 opgen_asin_more_16(__m512 x, __m512 *t, __mmask16 *far) {
    const __m512 a = _mm512_abs_ps(x), square = _mm512_fnmadd_ps(a, OPGEN_ALL(0.5f), OPGEN_ALL(0.5f));
    const __m512 half = _mm512_sqrt_ps(square), q = _mm512_min_ps(_mm512_mul_ps(a, a), square);
    *far = _mm512_cmp_ps_mask(half, a, _CMP_LT_OQ);
    *t = _mm512_min_ps(a, half);
    __m512 p = _mm512_fmadd_ps(q, OPGEN_ALL(0x1.5964f4p-5f), OPGEN_ALL(0x1.8c35d8p-6f));
    p = _mm512_fmadd_ps(p, q, OPGEN_ALL(0x1.747c6p-5f));
    p = _mm512_fmadd_ps(p, q, OPGEN_ALL(0x1.3302p-4f));
    p = _mm512_fmadd_ps(p, q, OPGEN_ALL(0x1.5555c8p-3f));
    return _mm512_mul_ps(_mm512_mul_ps(*t, q), p);
}

/* Of half of the angle a quarter of a turn less twice t, which is exact, and twice what is more. */
OPGEN_V4 static inline __m512 opgen_asin_16(__m512 x) {
    __mmask16 far;
    __m512 t, more = opgen_asin_more_16(x, &t, &far);
    more = _mm512_mask_fnmadd_ps(more, far, OPGEN_ALL(2), OPGEN_QUARTER_REST);
    t = _mm512_mask_sub_ps(t, far, OPGEN_QUARTER, _mm512_add_ps(t, t));
    return opgen_signed(_mm512_add_ps(t, more), x);
}

/* A quarter of a turn less the arc sine; of half of the angle twice that, or of what is negative twice what it is less than a quarter. */
OPGEN_V4 static inline __m512 opgen_acos_16(__m512 x) {
    __mmask16 far;
    __m512 t, more = opgen_asin_more_16(x, &t, &far), p = opgen_signed(_mm512_add_ps(t, more), x);
    const __mmask16 near = (__mmask16)(far ^ 0xffff), quarter = near | _mm512_movepi32_mask(_mm512_castps_si512(x));
    p = _mm512_mask_xor_ps(p, near, p, OPGEN_ALL(-0.0f));
    p = _mm512_add_ps(p, _mm512_maskz_mov_ps(quarter, OPGEN_QUARTER_REST));
    p = _mm512_add_ps(p, _mm512_maskz_mov_ps(quarter, OPGEN_QUARTER));
    return _mm512_mask_add_ps(p, far, p, p);
}

/* The power of two that a positive number is from 1 to 2 times. */
OPGEN_V4 static inline __m512i opgen_power_of_16(__m512 x) {
    return _mm512_and_si512(_mm512_castps_si512(x), _mm512_castps_si512(OPGEN_ALL(INFINITY)));
}

/* Half of the logarithm of (1 + a) / (1 - a): that of a power of two, s, and the same function of r, up to a third, for r = (1 + a - s * (1 - a)) /
 * (1 + a + s * (1 - a)): where s is 1, r is a. It is not less, since the estimate is taken for a little more. */
OPGEN_V4 static inline __m512 opgen_atanh_16(__m512 x) {
    const __m512 a = _mm512_abs_ps(x), less = _mm512_sub_ps(OPGEN_ALL(1), a);
    const __m512 about = _mm512_mul_ps(_mm512_fmadd_ps(a, OPGEN_ALL(1.0002f), OPGEN_ALL(1.0002f)), _mm512_rcp14_ps(less));
    const __m512 s_less_1 = _mm512_sub_ps(_mm512_castsi512_ps(opgen_power_of_16(about)), OPGEN_ALL(1));
    const __m512 up = _mm512_fnmadd_ps(s_less_1, less, _mm512_add_ps(a, a)), by = _mm512_fmadd_ps(s_less_1, less, OPGEN_ALL(2));
    const __m512 r = _mm512_div_ps(up, by), q = _mm512_mul_ps(r, r);
    __m512 p = _mm512_fmadd_ps(q, OPGEN_ALL(0x1.1ecba2p-3f), OPGEN_ALL(0x1.1ec006p-3f));
    p = _mm512_fmadd_ps(p, q, OPGEN_ALL(0x1.99d1cep-3f));
    p = _mm512_fmadd_ps(p, q, OPGEN_ALL(0x1.555502p-2f));
    const __m512 most = _mm512_fmadd_ps(_mm512_getexp_ps(about), OPGEN_ALL(0x1.62e43p-2f), r);
    p = _mm512_fmadd_ps(_mm512_mul_ps(r, q), p, most);
    /* Infinity where 1 - a is 0, not a number where it is less. */
    return opgen_signed(_mm512_fixupimm_ps(p, less, _mm512_set1_epi32(0x03030500), 0), x);
}

/* The logarithm of y = sinh + cosh, of what these are the sine and the cosine of, as above: that of a power of two, s, with `more` added to
 * its exponent, and of y / s, for r = (y - s) / (y + s), which is sinh / (1 + cosh) where s is 1. Twice that is divided out. */
OPGEN_V4 static inline __m512 opgen_log_of_sum_16(__m512 sinh, __m512 cosh, const __m512 *more) {
    const __m512 y = _mm512_add_ps(sinh, cosh);
    const __mmask16 far = _mm512_cmp_ps_mask(y, OPGEN_ALL(2), _CMP_NLT_UQ);
    const __m512i s = opgen_power_of_16(y), half = _mm512_sub_epi32(s, _mm512_set1_epi32(1 << 23));
    const __m512 up = _mm512_mask_add_ps(sinh, far, sinh, _mm512_sub_ps(cosh, _mm512_castsi512_ps(s)));
    const __m512 by = _mm512_fmadd_ps(_mm512_mask_mov_ps(cosh, far, y), OPGEN_ALL(0.5f), _mm512_castsi512_ps(half));
    const __m512 r = _mm512_div_ps(up, by), q = _mm512_mul_ps(r, r);
    __m512 e = _mm512_getexp_ps(y);
    if (more) e = _mm512_add_ps(e, *more);
    __m512 p = _mm512_fmadd_ps(q, OPGEN_ALL(0x1.1ecba2p-11f), OPGEN_ALL(0x1.1ec006p-9f));
    p = _mm512_fmadd_ps(p, q, OPGEN_ALL(0x1.99d1cep-7f));
    p = _mm512_fmadd_ps(p, q, OPGEN_ALL(0x1.555502p-4f));
    return _mm512_fmadd_ps(_mm512_mul_ps(r, q), p, _mm512_fmadd_ps(e, OPGEN_ALL(0x1.62e43p-1f), r));
}

/* What has a square that f32 holds; of what is greater the digits, and in `more` by how much its exponent is. */
#define OPGEN_SQUARED_MOST 0x1p60f
OPGEN_V4 static inline __m512 opgen_squared_16(__m512 a, __m512 *more) {
    const __mmask16 large = _mm512_cmp_ps_mask(a, OPGEN_ALL(OPGEN_SQUARED_MOST), _CMP_GT_OQ);
    const __m512 digits = _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32((1 << 23) - 1)));
    *more = _mm512_maskz_sub_ps(large, _mm512_getexp_ps(a), OPGEN_ALL(30));
    return _mm512_mask_or_ps(a, large, digits, OPGEN_ALL(0x1p30f));
}

OPGEN_V4 static inline __m512 opgen_asinh_16(__m512 x, bool any) {
    __m512 a = _mm512_abs_ps(x), more;
    if (any) a = opgen_squared_16(a, &more);
    const __m512 cosh = _mm512_sqrt_ps(_mm512_fmadd_ps(a, a, OPGEN_ALL(1)));
    return opgen_signed(opgen_log_of_sum_16(a, cosh, any ? &more : NULL), x);
}

OPGEN_V4 static inline __m512 opgen_acosh_16(__m512 x, bool any) {
    __m512 a = x, more;
    if (any) a = opgen_squared_16(a, &more);
    const __m512 sinh = _mm512_sqrt_ps(_mm512_fmsub_ps(a, a, OPGEN_ALL(1)));
    /* Not a number where x is negative. */
    return _mm512_fixupimm_ps(opgen_log_of_sum_16(sinh, a, any ? &more : NULL), x, _mm512_set1_epi32(0x03030000), 0);
}

#pragma GCC diagnostic pop

OPGEN_MANY_V4(atan, opgen_atan_16(v))
OPGEN_MANY_V4(asin, opgen_asin_16(v))
OPGEN_MANY_V4(acos, opgen_acos_16(v))
OPGEN_MANY_V4(atanh, opgen_atanh_16(v))
OPGEN_MANY_V4(asinh_far, opgen_asinh_16(v, true))
OPGEN_NEAR_V4(asinh, OPGEN_SQUARED_MOST, opgen_asinh_16(v, false))
OPGEN_MANY_V4(acosh_far, opgen_acosh_16(v, true))
OPGEN_NEAR_V4(acosh, OPGEN_SQUARED_MOST, opgen_acosh_16(v, false))
#endif

OPGEN_MANY_BOTH(atan)
OPGEN_MANY_BOTH(asin)
OPGEN_MANY_BOTH(acos)
OPGEN_MANY_BOTH(atanh)
OPGEN_MANY_BOTH(asinh)
OPGEN_MANY_BOTH(acosh)

#endif

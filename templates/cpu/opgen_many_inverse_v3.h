/* opgen_many_inverse_v3.h: what opgen_many_trig.h and opgen_many_inverse.h have for x86-64-v3: tangents, arc sine,
 * cosine and tangent, and the inverses of hyperbolic functions, by the same polynomials, 8 in a vector. A part of these
 * two, which include it.
 */
#ifndef OPGEN_MANY_INVERSE_V3_H
#define OPGEN_MANY_INVERSE_V3_H

#include "opgen_many_v3.h"

#if defined(OPGEN_X86)
/* pi / 2 in two floats. */
#define OPGEN_QUARTER_8 OPGEN_EIGHT(0x1.921fb6p+0f)
#define OPGEN_QUARTER_REST_8 OPGEN_EIGHT(-0x1.777a5cp-25f)

OPGEN_V3_PART __m256 opgen_size_8(__m256 x) { return _mm256_andnot_ps(OPGEN_EIGHT(-0.0f), x); }
OPGEN_V3_PART __m256 opgen_signed_8(__m256 size, __m256 sign) {
    return _mm256_or_ps(opgen_size_8(size), _mm256_and_ps(sign, OPGEN_EIGHT(-0.0f)));
}
OPGEN_V3_PART __m256 opgen_times_v3(__m256 a, __m256 b, __m256 more) { return _mm256_fmadd_ps(a, b, more); }

/* |x| less n quarters of a turn, and its tangent; of an odd number of them -1 / that. */
OPGEN_V3_PART __m256 opgen_tangent_8(__m256 x) {
    const __m256 a = opgen_size_8(x), z = opgen_times_v3(a, OPGEN_EIGHT(0x1.45f306p-1f), OPGEN_EIGHT(0x1.8p23f));
    const __m256 n = _mm256_sub_ps(z, OPGEN_EIGHT(0x1.8p23f));
    __m256 r = _mm256_fnmadd_ps(n, OPGEN_QUARTER_8, a);
    r = _mm256_fnmadd_ps(n, OPGEN_QUARTER_REST_8, r);
    r = _mm256_fnmadd_ps(n, OPGEN_EIGHT(-0x1.ee59dap-50f), r);
    const __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(z), 31)); /* as a sign */
    const __m256 q = _mm256_mul_ps(r, r), q2 = _mm256_mul_ps(q, q);
    const __m256 low = opgen_times_v3(q, OPGEN_EIGHT(0x1.112deap-3f), OPGEN_EIGHT(0x1.5554dep-2f));
    const __m256 middle = opgen_times_v3(q, OPGEN_EIGHT(0x1.9072ap-6f), OPGEN_EIGHT(0x1.b5851ep-5f));
    __m256 p = opgen_times_v3(q, OPGEN_EIGHT(0x1.33e7c6p-7f), OPGEN_EIGHT(0x1.96847cp-9f));
    p = opgen_times_v3(opgen_times_v3(p, q2, middle), q2, low);
    p = opgen_times_v3(_mm256_mul_ps(r, q), p, r);
    p = _mm256_blendv_ps(p, _mm256_div_ps(OPGEN_EIGHT(1), p), odd);
    return _mm256_xor_ps(p, _mm256_xor_ps(odd, _mm256_and_ps(x, OPGEN_EIGHT(-0.0f))));
}

OPGEN_V3_PART __m256 opgen_atan_8(__m256 x) {
    const __m256 a = opgen_size_8(x), inverse = _mm256_div_ps(OPGEN_EIGHT(1), a);
    const __m256 far = _mm256_cmp_ps(inverse, a, _CMP_LT_OQ), t = _mm256_min_ps(inverse, a), q = _mm256_mul_ps(t, t);
    __m256 p = opgen_times_v3(q, OPGEN_EIGHT(0x1.7eaa46p-9f), OPGEN_EIGHT(-0x1.0c1922p-6f));
    p = opgen_times_v3(p, q, OPGEN_EIGHT(0x1.61ef5cp-5f));
    p = opgen_times_v3(p, q, OPGEN_EIGHT(-0x1.3551p-4f));
    p = opgen_times_v3(p, q, OPGEN_EIGHT(0x1.b4deb6p-4f));
    p = opgen_times_v3(p, q, OPGEN_EIGHT(-0x1.230a94p-3f));
    p = opgen_times_v3(p, q, OPGEN_EIGHT(0x1.9978ecp-3f));
    p = opgen_times_v3(p, q, OPGEN_EIGHT(-0x1.5554dcp-2f));
    p = opgen_times_v3(_mm256_mul_ps(t, q), p, t);
    /* Beyond 1 a quarter of a turn less that of 1 / x. */
    p = _mm256_sub_ps(p, _mm256_and_ps(far, OPGEN_QUARTER_REST_8));
    return opgen_signed_8(_mm256_sub_ps(_mm256_and_ps(far, OPGEN_QUARTER_8), p), x);
}

/* Of |x| up to 1: see opgen_asin_more_16. */
OPGEN_V3_PART __m256 opgen_asin_more_8(__m256 x, __m256 *t, __m256 *far) {
    const __m256 a = opgen_size_8(x), square = _mm256_fnmadd_ps(a, OPGEN_EIGHT(0.5f), OPGEN_EIGHT(0.5f));
    const __m256 half = _mm256_sqrt_ps(square), q = _mm256_min_ps(_mm256_mul_ps(a, a), square);
    *far = _mm256_cmp_ps(half, a, _CMP_LT_OQ);
    *t = _mm256_min_ps(a, half);
    __m256 p = opgen_times_v3(q, OPGEN_EIGHT(0x1.5964f4p-5f), OPGEN_EIGHT(0x1.8c35d8p-6f));
    p = opgen_times_v3(p, q, OPGEN_EIGHT(0x1.747c6p-5f));
    p = opgen_times_v3(p, q, OPGEN_EIGHT(0x1.3302p-4f));
    p = opgen_times_v3(p, q, OPGEN_EIGHT(0x1.5555c8p-3f));
    return _mm256_mul_ps(_mm256_mul_ps(*t, q), p);
}
OPGEN_V3_PART __m256 opgen_asin_8(__m256 x) {
    __m256 far, t, more = opgen_asin_more_8(x, &t, &far);
    const __m256 less = _mm256_fnmadd_ps(more, OPGEN_EIGHT(2), OPGEN_QUARTER_REST_8);
    more = _mm256_blendv_ps(more, less, far);
    t = _mm256_blendv_ps(t, _mm256_sub_ps(OPGEN_QUARTER_8, _mm256_add_ps(t, t)), far);
    return opgen_signed_8(_mm256_add_ps(t, more), x);
}
OPGEN_V3_PART __m256 opgen_acos_8(__m256 x) {
    __m256 far, t, more = opgen_asin_more_8(x, &t, &far), p = opgen_signed_8(_mm256_add_ps(t, more), x);
    const __m256 ones = _mm256_castsi256_ps(_mm256_set1_epi32(-1)), near = _mm256_xor_ps(far, ones);
    const __m256 negative = _mm256_castsi256_ps(_mm256_srai_epi32(_mm256_castps_si256(x), 31));
    const __m256 quarter = _mm256_or_ps(near, negative);
    p = _mm256_xor_ps(p, _mm256_and_ps(near, OPGEN_EIGHT(-0.0f)));
    p = _mm256_add_ps(p, _mm256_and_ps(quarter, OPGEN_QUARTER_REST_8));
    p = _mm256_add_ps(p, _mm256_and_ps(quarter, OPGEN_QUARTER_8));
    return _mm256_add_ps(p, _mm256_and_ps(far, p));
}

/* The power of two that a positive number is from 1 to 2 times, and its exponent. */
OPGEN_V3_PART __m256i opgen_power_of_8(__m256 x) {
    return _mm256_and_si256(_mm256_castps_si256(x), _mm256_set1_epi32(0x7f800000));
}
OPGEN_V3_PART __m256 opgen_exponent_8(__m256i power) {
    return _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_srli_epi32(power, 23), _mm256_set1_epi32(127)));
}

/* Of |x| less than 1: see opgen_atanh_16. The estimate of 1 / (1 - |x|) has 12 bits here. */
OPGEN_V3_PART __m256 opgen_atanh_8(__m256 x) {
    const __m256 a = opgen_size_8(x), less = _mm256_sub_ps(OPGEN_EIGHT(1), a);
    const __m256 about =
        _mm256_mul_ps(opgen_times_v3(a, OPGEN_EIGHT(1.0005f), OPGEN_EIGHT(1.0005f)), _mm256_rcp_ps(less));
    const __m256i s = opgen_power_of_8(about);
    const __m256 s_less_1 = _mm256_sub_ps(_mm256_castsi256_ps(s), OPGEN_EIGHT(1));
    const __m256 up = _mm256_fnmadd_ps(s_less_1, less, _mm256_add_ps(a, a)),
                 by = opgen_times_v3(s_less_1, less, OPGEN_EIGHT(2));
    const __m256 r = _mm256_div_ps(up, by), q = _mm256_mul_ps(r, r);
    __m256 p = opgen_times_v3(q, OPGEN_EIGHT(0x1.1ecba2p-3f), OPGEN_EIGHT(0x1.1ec006p-3f));
    p = opgen_times_v3(p, q, OPGEN_EIGHT(0x1.99d1cep-3f));
    p = opgen_times_v3(p, q, OPGEN_EIGHT(0x1.555502p-2f));
    const __m256 most = opgen_times_v3(opgen_exponent_8(s), OPGEN_EIGHT(0x1.62e43p-2f), r);
    return opgen_signed_8(opgen_times_v3(_mm256_mul_ps(r, q), p, most), x);
}

/* See opgen_log_of_sum_16. */
OPGEN_V3_PART __m256 opgen_log_of_sum_8(__m256 sinh, __m256 cosh) {
    const __m256 y = _mm256_add_ps(sinh, cosh), far = _mm256_cmp_ps(y, OPGEN_EIGHT(2), _CMP_NLT_UQ);
    const __m256i s = opgen_power_of_8(y), half = _mm256_sub_epi32(s, _mm256_set1_epi32(1 << 23));
    const __m256 up = _mm256_add_ps(sinh, _mm256_and_ps(far, _mm256_sub_ps(cosh, _mm256_castsi256_ps(s))));
    const __m256 by = opgen_times_v3(_mm256_blendv_ps(cosh, y, far), OPGEN_EIGHT(0.5f), _mm256_castsi256_ps(half));
    const __m256 r = _mm256_div_ps(up, by), q = _mm256_mul_ps(r, r);
    __m256 p = opgen_times_v3(q, OPGEN_EIGHT(0x1.1ecba2p-11f), OPGEN_EIGHT(0x1.1ec006p-9f));
    p = opgen_times_v3(p, q, OPGEN_EIGHT(0x1.99d1cep-7f));
    p = opgen_times_v3(p, q, OPGEN_EIGHT(0x1.555502p-4f));
    return opgen_times_v3(_mm256_mul_ps(r, q), p, opgen_times_v3(opgen_exponent_8(s), OPGEN_EIGHT(0x1.62e43p-1f), r));
}
OPGEN_V3_PART __m256 opgen_asinh_8(__m256 x) {
    const __m256 a = opgen_size_8(x), cosh = _mm256_sqrt_ps(opgen_times_v3(a, a, OPGEN_EIGHT(1)));
    return opgen_signed_8(opgen_log_of_sum_8(a, cosh), x);
}
OPGEN_V3_PART __m256 opgen_acosh_8(__m256 x) {
    return opgen_log_of_sum_8(_mm256_sqrt_ps(_mm256_fmsub_ps(x, x, OPGEN_EIGHT(1))), x);
}

/* As far as 2^16, 1 and a little less, 2^60; from 1 on up to that. */
OPGEN_NEAR_V3(tan, 0, 0x47800000, OPGEN_EACH v[i] = opgen_tangent_8(v[i]), OPGEN_ONE_BY_ONE_V3(opgen_tan_f32))
OPGEN_MANY_V3(atan, OPGEN_EACH v[i] = opgen_atan_8(v[i]))
OPGEN_NEAR_V3(asin, 0, 0x3f800000, OPGEN_EACH v[i] = opgen_asin_8(v[i]), OPGEN_ONE_BY_ONE_V3(opgen_asin_f32))
OPGEN_NEAR_V3(acos, 0, 0x3f800000, OPGEN_EACH v[i] = opgen_acos_8(v[i]), OPGEN_ONE_BY_ONE_V3(opgen_acos_f32))
OPGEN_NEAR_V3(atanh, 0, 0x3f7fffff, OPGEN_EACH v[i] = opgen_atanh_8(v[i]), OPGEN_ONE_BY_ONE_V3(opgen_atanh_f32))
OPGEN_NEAR_V3(asinh, 0, 0x5d800000, OPGEN_EACH v[i] = opgen_asinh_8(v[i]), OPGEN_ONE_BY_ONE_V3(opgen_asinh_f32))
OPGEN_NEAR_V3(acosh, 0x3f800000, 0x1e000000, OPGEN_EACH v[i] = opgen_acosh_8(v[i]),
              OPGEN_ONE_BY_ONE_V3(opgen_acosh_f32))
#endif

#endif

/* opgen_many_more_v3.h: what opgen_many.h has for x86-64-v3 besides: exp(x) - 1, log(1 + x), sine and cosine of a
 * hyperbola. As in opgen_many_v3.h, which it goes on with, what few operands need is left out where none of OPGEN_SOME
 * needs it. A part of opgen_many.h, which includes it.
 */
#ifndef OPGEN_MANY_MORE_V3_H
#define OPGEN_MANY_MORE_V3_H

#include "opgen_many_v3.h"

#if defined(OPGEN_X86)
/* For |x| up to OPGEN_EXP_MOST: 2^(n / 4) * (exp(r) - 1) and what 2^(n / 4) is more than 1. How much more that is than
 * a float says, as a share of it, is added to exp(r) - 1; near 0, where n is 0, it is nothing. */
OPGEN_V3_PART void opgen_expm1_near_v3(int turns, __m256 *v) {
    const __m256 more = _mm256_setr_ps(0, 0x1.125002p-25f, 0x1.26055cp-26f, -0x1.f9c304p-27f, 0, 0x1.125002p-25f,
                                       0x1.26055cp-26f, -0x1.f9c304p-27f);
    __m256 power[OPGEN_IN_TURNS], sign[OPGEN_IN_TURNS];
    OPGEN_EACH sign[i] = _mm256_and_ps(v[i], OPGEN_EIGHT(-0.0f)); /* of a zero, too */
    opgen_exp_rest_v3(turns, v, power);
    OPGEN_EACH v[i] = _mm256_add_ps(v[i], _mm256_permutevar_ps(more, _mm256_castps_si256(power[i])));
    OPGEN_EACH power[i] = opgen_power_8(power[i]);
    OPGEN_EACH v[i] = _mm256_fmadd_ps(power[i], v[i], _mm256_sub_ps(power[i], OPGEN_EIGHT(1)));
    OPGEN_EACH v[i] = _mm256_or_ps(v[i], sign[i]);
}

/* 1 + x is m * 2^n, m from 2/3 to 4/3: what m is more than 1 comes of x as it is, whatever 1 + x rounds away. */
OPGEN_V3_PART void opgen_log1p_normal_v3(int turns, __m256 *v) {
    __m256 n[OPGEN_IN_TURNS], q[OPGEN_IN_TURNS], rest[OPGEN_IN_TURNS], sign[OPGEN_IN_TURNS];
    OPGEN_EACH sign[i] = _mm256_and_ps(v[i], OPGEN_EIGHT(-0.0f));
    __m256i e[OPGEN_IN_TURNS];
    OPGEN_EACH e[i] = _mm256_castps_si256(_mm256_add_ps(v[i], OPGEN_EIGHT(1)));
    OPGEN_EACH e[i] = _mm256_sub_epi32(e[i], _mm256_set1_epi32(0x3f2aaaab));
    OPGEN_EACH e[i] = _mm256_and_si256(e[i], _mm256_set1_epi32(-0x00800000));
    OPGEN_EACH n[i] = _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_set1_epi32(0x3f800000), e[i]));
    OPGEN_EACH v[i] = _mm256_fmadd_ps(v[i], n[i], _mm256_sub_ps(n[i], OPGEN_EIGHT(1)));
    OPGEN_EACH n[i] = _mm256_cvtepi32_ps(e[i]);
    opgen_log_series_v3(turns, v, q, rest, opgen_log_rest);
    OPGEN_EACH v[i] = _mm256_fmadd_ps(q[i], rest[i], v[i]);
    OPGEN_EACH v[i] = _mm256_fmadd_ps(n[i], OPGEN_EIGHT(0x1.62e43p-24f), v[i]);
    OPGEN_EACH v[i] = _mm256_or_ps(v[i], sign[i]);
}

/* Half of e = exp(|x|) - 1, and as much as e / (e + 1) adds to that; or exp(|x|) and 1 / exp(|x|). */
OPGEN_V3_PART void opgen_hyperbolic_v3(int turns, __m256 *v, bool sine) {
    __m256 e[OPGEN_IN_TURNS];
    OPGEN_EACH e[i] = _mm256_andnot_ps(OPGEN_EIGHT(-0.0f), v[i]);
    if (!sine) {
        opgen_exp_near_v3(turns, e);
        OPGEN_EACH v[i] = _mm256_fmadd_ps(e[i], OPGEN_EIGHT(0.5f), _mm256_div_ps(OPGEN_EIGHT(0.5f), e[i]));
        return;
    }
    opgen_expm1_near_v3(turns, e);
    OPGEN_EACH e[i] = _mm256_add_ps(e[i], _mm256_div_ps(e[i], _mm256_add_ps(e[i], OPGEN_EIGHT(1))));
    OPGEN_EACH e[i] = _mm256_mul_ps(e[i], OPGEN_EIGHT(0.5f));
    OPGEN_EACH v[i] = _mm256_or_ps(e[i], _mm256_and_ps(v[i], OPGEN_EIGHT(-0.0f)));
}

/* Of any x: what is beyond 80 is half of exp(|x|), whose power of two, four quarters less, is two factors: infinite from 89.4159
 * on. Half of 1 / exp(87) is subnormal. */
OPGEN_V3_PART void opgen_hyperbolic_any_v3(int turns, __m256 *v, bool sine) {
    __m256 far[OPGEN_IN_TURNS], beyond[OPGEN_IN_TURNS], rounded[OPGEN_IN_TURNS], sign[OPGEN_IN_TURNS];
    OPGEN_EACH sign[i] = _mm256_and_ps(v[i], OPGEN_EIGHT(-0.0f));
    OPGEN_EACH v[i] = _mm256_andnot_ps(OPGEN_EIGHT(-0.0f), v[i]);
    OPGEN_EACH beyond[i] = _mm256_cmp_ps(v[i], OPGEN_EIGHT(80), _CMP_GT_OQ);
    OPGEN_EACH far[i] = opgen_at_most_8(v[i], 90);
    OPGEN_EACH v[i] = opgen_at_most_8(v[i], 80);
    opgen_exp_rest_v3(turns, far, rounded);
    OPGEN_EACH far[i] = opgen_scaled_8(_mm256_sub_ps(rounded[i], OPGEN_EIGHT(4)), far[i], beyond[i]);
    opgen_hyperbolic_v3(turns, v, sine);
    OPGEN_EACH v[i] = _mm256_blendv_ps(v[i], far[i], beyond[i]);
    if (sine) OPGEN_EACH v[i] = _mm256_or_ps(v[i], sign[i]);
}

/* The bits of 87 and 86, and how far 2^120 is from the least normal number. */
OPGEN_NEAR_V3(expm1, 0, 0x42ae0000, opgen_expm1_near_v3(turns, v), OPGEN_ONE_BY_ONE_V3(opgen_expm1_f32))
OPGEN_NEAR_V3(log1p, OPGEN_OF_1_MORE, 0x7b000000, opgen_log1p_normal_v3(turns, v), OPGEN_ONE_BY_ONE_V3(opgen_log1p_f32))
OPGEN_NEAR_V3(sinh, 0, 0x42ae0000, opgen_hyperbolic_v3(turns, v, true), opgen_hyperbolic_any_v3(turns, v, true))
OPGEN_NEAR_V3(cosh, 0, 0x42ac0000, opgen_hyperbolic_v3(turns, v, false), opgen_hyperbolic_any_v3(turns, v, false))
#endif

#endif

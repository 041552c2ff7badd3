/* opgen_many_trig.h: sine, cosine and tangent of many floats, as opgen_many.h has exponentials. x86-64-v3 has sine and
 * cosine in its own way (opgen_many_v3.h), and tangents (opgen_many_inverse_v3.h).
 *
 * `level` is what opgen_kernel.h says, a constant where these are called. tests/cpu/fit_math.py makes the coefficients.
 */
#ifndef OPGEN_MANY_TRIG_H
#define OPGEN_MANY_TRIG_H

#include "opgen_many.h"
#include "opgen_many_inverse_v3.h"
#include "opgen_trig.h"

#if defined(OPGEN_X86)
/* |x| less n quarters of a turn, for |x| up to OPGEN_FAR, in three parts, of which the first leaves what a float can hold. Low bits of the
 * result are those of n, or of n + 1. */
#define OPGEN_FAR 0x1p16f
OPGEN_V4 static inline __m512i opgen_quarters_16(__m512 x, bool next, __m512 *r) {
    const __m512 a = _mm512_abs_ps(x), round = OPGEN_ALL(next ? 0x1.8p23f + 1 : 0x1.8p23f);
    const __m512 z = _mm512_fmadd_ps(a, OPGEN_ALL(0x1.45f306p-1f), round), n = _mm512_sub_ps(z, round);
    *r = _mm512_fnmadd_ps(n, OPGEN_ALL(0x1.921fb6p+0f), a);
    *r = _mm512_fnmadd_ps(n, OPGEN_ALL(-0x1.777a5cp-25f), *r);
    *r = _mm512_fnmadd_ps(n, OPGEN_ALL(-0x1.ee59dap-50f), *r);
    return _mm512_castps_si512(z);
}

/* The same for |x| up to OPGEN_FURTHER, in doubles: two parts, of which the first leaves what a double holds. */
#define OPGEN_FURTHER 0x1p33f
OPGEN_V4 static inline __m256i opgen_quarters_8(__m256 x, bool next, __m256 *r) {
    const __m512d a = _mm512_cvtps_pd(x), round = _mm512_set1_pd(next ? 0x1.8p52 + 1 : 0x1.8p52);
    const __m512d z = _mm512_fmadd_pd(a, _mm512_set1_pd(0x1.45f306dc9c883p-1), round), n = _mm512_sub_pd(z, round);
    const __m512d rest = _mm512_fnmadd_pd(n, _mm512_set1_pd(0x1.921fb54442d18p+0), a);
    *r = _mm512_cvtpd_ps(_mm512_fnmadd_pd(n, _mm512_set1_pd(0x1.1a62633145c07p-54), rest));
    return _mm512_cvtepi64_epi32(_mm512_castpd_si512(z));
}
OPGEN_V4 static inline __m512i opgen_further_quarters_16(__m512 x, bool next, __m512 *r) {
    const __m512 a = _mm512_abs_ps(x);
    __m256 low, high;
    const __m256i first = opgen_quarters_8(_mm512_castps512_ps256(a), next, &low);
    const __m256i second = opgen_quarters_8(_mm512_extractf32x8_ps(a, 1), next, &high);
    *r = _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
    return _mm512_inserti32x8(_mm512_castsi256_si512(first), second, 1);
}

/* `size`, with the sign turned where that of `sign` is set. */
OPGEN_V4 static inline __m512 opgen_turned_sign(__m512 size, __m512i sign) {
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(size), sign, _mm512_set1_epi32(INT32_MIN), 0x78));
}

/* One polynomial for both, with coefficients of the one or of the other: fewer multiplications than two of them. It is that of r * r: times the
 * square of that and r or 1, it is what is added to r or 1. */
OPGEN_V4 static inline __m512 opgen_sine_of(__m512 x, __m512 r, __m512i quarters, bool cosine) {
    const __mmask16 odd = _mm512_test_epi32_mask(quarters, _mm512_set1_epi32(1));
    const __m512 q = _mm512_mul_ps(r, r), base = _mm512_mask_mov_ps(r, odd, OPGEN_ALL(1));
    __m512 p = _mm512_maskz_mov_ps(odd, OPGEN_ALL(0x1.99e80cp-16f));
    p = _mm512_fmadd_ps(p, q, _mm512_mask_mov_ps(OPGEN_ALL(-0x1.995408p-13f), odd, OPGEN_ALL(-0x1.6c0c28p-10f)));
    p = _mm512_fmadd_ps(p, q, _mm512_mask_mov_ps(OPGEN_ALL(0x1.110778p-7f), odd, OPGEN_ALL(0x1.55554ap-5f)));
    p = _mm512_fmadd_ps(p, q, _mm512_mask_mov_ps(OPGEN_ALL(-0x1.555546p-3f), odd, OPGEN_ALL(-0.5f)));
    __m512i sign = _mm512_slli_epi32(quarters, 30);
    if (!cosine) sign = _mm512_xor_epi32(sign, _mm512_castps_si512(x));
    return opgen_turned_sign(_mm512_fmadd_ps(_mm512_mul_ps(base, q), p, base), sign);
}

/* Of an odd number of quarters -1 / tangent. */
OPGEN_V4 static inline __m512 opgen_tangent_of(__m512 x, __m512 r, __m512i quarters) {
    const __mmask16 odd = _mm512_test_epi32_mask(quarters, _mm512_set1_epi32(1));
    const __m512 q = _mm512_mul_ps(r, r), q2 = _mm512_mul_ps(q, q);
    const __m512 low = _mm512_fmadd_ps(q, OPGEN_ALL(0x1.112deap-3f), OPGEN_ALL(0x1.5554dep-2f));
    const __m512 middle = _mm512_fmadd_ps(q, OPGEN_ALL(0x1.9072ap-6f), OPGEN_ALL(0x1.b5851ep-5f));
    __m512 p = _mm512_fmadd_ps(q, OPGEN_ALL(0x1.33e7c6p-7f), OPGEN_ALL(0x1.96847cp-9f));
    p = _mm512_fmadd_ps(_mm512_fmadd_ps(p, q2, middle), q2, low);
    p = _mm512_fmadd_ps(_mm512_mul_ps(r, q), p, r);
    const __m512 size = _mm512_mask_div_ps(p, odd, OPGEN_ALL(1), p);
    return opgen_turned_sign(size, _mm512_xor_epi32(_mm512_slli_epi32(quarters, 31), _mm512_castps_si512(x)));
}

OPGEN_V4 static inline __m512 opgen_sine_16(__m512 x, bool cosine, bool further) {
    __m512 r;
    const __m512i quarters = further ? opgen_further_quarters_16(x, cosine, &r) : opgen_quarters_16(x, cosine, &r);
    return opgen_sine_of(x, r, quarters, cosine);
}
OPGEN_V4 static inline __m512 opgen_tangent_16(__m512 x, bool further) {
    __m512 r;
    const __m512i quarters = further ? opgen_further_quarters_16(x, false, &r) : opgen_quarters_16(x, false, &r);
    return opgen_tangent_of(x, r, quarters);
}

/* Beyond both as opgen_trig.h does. */
#define OPGEN_SINE_V4(name, of_16, further)                                                                            \
    OPGEN_MANY_V4(name##_further, further)                                                                             \
    OPGEN_V4 static inline void opgen_##name##_far_many_v4(float *to, const float *x, int64_t n) {                     \
        if (opgen_all_near(x, n, OPGEN_FURTHER)) {                                                                     \
            opgen_##name##_further_many_v4(to, x, n);                                                                  \
            return;                                                                                                    \
        }                                                                                                              \
        OPGEN_SIMD                                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                                                \
            to[i] = opgen_##name##_f32(x[i]);                                                                          \
    }                                                                                                                  \
    OPGEN_NEAR_V4(name, OPGEN_FAR, of_16)
OPGEN_SINE_V4(sin, opgen_sine_16(v, false, false), opgen_sine_16(v, false, true))
OPGEN_SINE_V4(cos, opgen_sine_16(v, true, false), opgen_sine_16(v, true, true))
OPGEN_SINE_V4(tan, opgen_tangent_16(v, false), opgen_tangent_16(v, true))
#undef OPGEN_SINE_V4
#endif

OPGEN_MANY_BOTH(sin)
OPGEN_MANY_BOTH(cos)
OPGEN_MANY_BOTH(tan)

#endif

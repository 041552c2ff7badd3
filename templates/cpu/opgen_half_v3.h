/* opgen_half_v3.h: what opgen_half.h and opgen_intervals.h have for x86-64-v3, of 64 floats, 8 in a vector. A part of opgen_half.h,
 * which includes it.
 *
 * Such a processor has no table of 16 entries and no vscalefps. A power of two is put together from that of a quarter, one of four
 * which vpermilps looks up, and an exponent added to it; what is left is a polynomial or, where a division follows in any case,
 * (c + r) / (c - r), whose parts are no multiplications. What is odd and levels off is a quotient of polynomials; normal probabilities, which f16 tells apart
 * down to 2^-24, are a polynomial to the power of 16. Products, estimates and lookups are what binds: sums, comparisons and masks
 * go beside them. Vectors take turns, or each would wait for itself.
 * tests/cpu/fit_math.py makes the coefficients.
 */
#ifndef OPGEN_HALF_V3_H
#define OPGEN_HALF_V3_H

#include "opgen_kernel.h"

#if defined(OPGEN_X86)
#include <immintrin.h>

/* Vectors in turns, up to 4; a statement for each of those that a function has. */
#define OPGEN_ABREAST 4
#if defined(__clang__)
#define OPGEN_EACH_ONE _Pragma("clang loop unroll(full)") for (int i = 0; i < abreast; i++)
#else
#define OPGEN_EACH_ONE _Pragma("GCC unroll 4") for (int i = 0; i < abreast; i++)
#endif
#define OPGEN_ALIKE(x) _mm256_set1_ps(x)
#define OPGEN_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)

/* Of v and a bound; what is not a number stays so. */
OPGEN_V3_PART __m256 opgen_upto_8(__m256 v, float most) { return _mm256_min_ps(OPGEN_ALIKE(most), v); }
OPGEN_V3_PART __m256 opgen_from_8(__m256 v, float least) { return _mm256_max_ps(OPGEN_ALIKE(least), v); }
OPGEN_V3_PART __m256 opgen_no_more_8(__m256 v) { return _mm256_or_ps(v, OPGEN_ALIKE(-0.0f)); }

/* v * scale is n + r, n whole: r in the place of v, n in the low bits of z. */
OPGEN_V3_PART void opgen_rough_quarters_v3(__m256 *v, int abreast, float scale, __m256 *z) {
    OPGEN_EACH_ONE z[i] = OPGEN_FMA(v[i], OPGEN_ALIKE(scale), OPGEN_ALIKE(0x1.8p23f));
    OPGEN_EACH_ONE v[i] = _mm256_fmsub_ps(v[i], OPGEN_ALIKE(scale), _mm256_sub_ps(z[i], OPGEN_ALIKE(0x1.8p23f)));
}

/* 2^(n / 4) times something: of this the table has what it is for n from 0 to 3. */
OPGEN_V3_PART __m256 opgen_powered_8(__m256 z, float of_0, float of_1, float of_2, float of_3) {
    const __m256i less = _mm256_setr_epi32(0, 1 << 21, 2 << 21, 3 << 21, 0, 1 << 21, 2 << 21, 3 << 21);
    const __m256 bits = _mm256_setr_ps(of_0, of_1, of_2, of_3, of_0, of_1, of_2, of_3);
    const __m256 table = _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_castps_si256(bits), less));
    const __m256i n = _mm256_castps_si256(z), part = _mm256_castps_si256(_mm256_permutevar_ps(table, n));
    return _mm256_castsi256_ps(_mm256_add_epi32(part, _mm256_slli_epi32(n, 21)));
}
#define OPGEN_POWERED(z) opgen_powered_8(z, 1, 0x1.306fep+0f, 0x1.6a09e6p+0f, 0x1.ae89fap+0f)
#define OPGEN_HALF_POWERED(z) opgen_powered_8(z, 0.5f, 0x1.306fep-1f, 0x1.6a09e6p-1f, 0x1.ae89fap-1f)
/* What opgen_rough_quarters_v3 takes for exp(v). */
#define OPGEN_QUARTERS 0x1.715476p+2f

/* What is not below `least`, which is a bound of v times a positive number or, if `times` is negative, a negative one. */
OPGEN_V3_PART __m256 opgen_some_8(__m256 v, float least, bool negative) {
    return negative ? _mm256_cmp_ps(v, OPGEN_ALIKE(least), _CMP_NGT_UQ) : _mm256_cmp_ps(v, OPGEN_ALIKE(least), _CMP_NLT_UQ);
}
OPGEN_V3_PART __m256 opgen_within_8(__m256 v, float least, float most, bool negative) {
    return negative ? opgen_upto_8(opgen_from_8(v, most), least) : opgen_from_8(opgen_upto_8(v, most), least);
}

/* 2^(v * scale), infinity from 2^128 on; from 2^least on down what it is there. At 2^-127 the table gives 0, for its exponent is, and at 2^128
 * infinity. Where `tiny` it is made in two steps instead, so that nothing is out of range by itself, and what is less than 2^-150 is 0. */
#define OPGEN_ZERO -127.0f
OPGEN_V3_PART void opgen_rough_power_v3(__m256 *v, int abreast, float scale, float least, bool tiny) {
    __m256 z[OPGEN_ABREAST], p[OPGEN_ABREAST], some[OPGEN_ABREAST];
    __m256i small[OPGEN_ABREAST];
    if (tiny) OPGEN_EACH_ONE some[i] = opgen_some_8(v[i], -150 / scale, scale < 0);
    OPGEN_EACH_ONE v[i] = opgen_within_8(v[i], (tiny ? -150 : least) / scale, (tiny ? 129 : 128) / scale, scale < 0);
    opgen_rough_quarters_v3(v, abreast, 4 * scale, z);
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(v[i], OPGEN_ALIKE(0x1.c69c76p-11f), OPGEN_ALIKE(0x1.ec4af2p-7f));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(0x1.62e43ap-3f));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(0x1.fffff6p-1f));
    OPGEN_EACH_ONE v[i] = OPGEN_POWERED(z[i]);
    if (tiny) {
        OPGEN_EACH_ONE small[i] = _mm256_castps_si256(_mm256_cmp_ps(z[i], OPGEN_ALIKE(0x1.8p23f), _CMP_LT_OQ));
        OPGEN_EACH_ONE small[i] = _mm256_sub_epi32(_mm256_and_si256(small[i], _mm256_set1_epi32(128 << 23)), _mm256_set1_epi32(64 << 23));
        OPGEN_EACH_ONE v[i] = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(v[i]), small[i]));
        OPGEN_EACH_ONE small[i] = _mm256_sub_epi32(_mm256_set1_epi32(0x3f800000), small[i]);
        OPGEN_EACH_ONE p[i] = _mm256_mul_ps(p[i], v[i]);
        OPGEN_EACH_ONE v[i] = _mm256_and_ps(_mm256_castsi256_ps(small[i]), some[i]);
    }
    OPGEN_EACH_ONE v[i] = _mm256_mul_ps(p[i], v[i]);
}

/* Numerators and denominators of exp(v), without one factor: s * (c + r) and c - r. */
OPGEN_V3_PART void opgen_rough_exp_parts_v3(__m256 *v, int abreast, __m256 *s, __m256 *more, __m256 *less, float scale) {
    opgen_rough_quarters_v3(v, abreast, 4 * scale, s);
    OPGEN_EACH_ONE s[i] = OPGEN_POWERED(s[i]);
    OPGEN_EACH_ONE more[i] = _mm256_add_ps(OPGEN_ALIKE(0x1.7180eap+3f), v[i]);
    OPGEN_EACH_ONE less[i] = _mm256_sub_ps(OPGEN_ALIKE(0x1.7180eap+3f), v[i]);
}

/* 1 / (1 + 2^(v * scale)), or twice that. A power of 128 is infinity, in its table already: that is 0. */
OPGEN_V3_PART void opgen_rough_one_over_v3(__m256 *v, int abreast, float scale, bool twice, bool tiny) {
    __m256 s[OPGEN_ABREAST], more[OPGEN_ABREAST], less[OPGEN_ABREAST];
    if (tiny) {
        opgen_rough_power_v3(v, abreast, scale, -64, false);
        OPGEN_EACH_ONE v[i] = _mm256_div_ps(OPGEN_ALIKE(twice ? 2 : 1), _mm256_add_ps(v[i], OPGEN_ALIKE(1)));
        return;
    }
    OPGEN_EACH_ONE v[i] = opgen_within_8(v[i], -64 / scale, 128 / scale, scale < 0);
    opgen_rough_exp_parts_v3(v, abreast, s, more, less, scale);
    OPGEN_EACH_ONE s[i] = OPGEN_FMA(s[i], more[i], less[i]);
    if (twice) OPGEN_EACH_ONE less[i] = _mm256_add_ps(less[i], less[i]);
    OPGEN_EACH_ONE v[i] = _mm256_div_ps(less[i], s[i]);
}

OPGEN_V3_PART void opgen_rough_silu_v3(__m256 *v, int abreast, bool tiny) {
    __m256 u[OPGEN_ABREAST];
    OPGEN_EACH_ONE u[i] = v[i];
    opgen_rough_one_over_v3(v, abreast, -0x1.715476p+0f, false, tiny);
    OPGEN_EACH_ONE v[i] = _mm256_mul_ps(u[i], v[i]);
}

/* exp(v) - 1, by halves, so that infinity comes of doubling them; of what is not positive by a shorter polynomial. */
OPGEN_V3_PART void opgen_rough_power_less_1_v3(__m256 *v, int abreast) {
    __m256 z[OPGEN_ABREAST], p[OPGEN_ABREAST];
    OPGEN_EACH_ONE v[i] = opgen_upto_8(opgen_from_8(v[i], -30), 89);
    opgen_rough_quarters_v3(v, abreast, OPGEN_QUARTERS, z);
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(v[i], OPGEN_ALIKE(0x1.3b55fep-15f), OPGEN_ALIKE(0x1.c6e494p-11f));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(0x1.ebfbdep-7f));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(0x1.62e42ep-3f));
    OPGEN_EACH_ONE z[i] = OPGEN_HALF_POWERED(z[i]);
    OPGEN_EACH_ONE v[i] = _mm256_mul_ps(v[i], z[i]);
    OPGEN_EACH_ONE z[i] = _mm256_sub_ps(OPGEN_ALIKE(0.5f), z[i]);
    OPGEN_EACH_ONE v[i] = _mm256_fmsub_ps(p[i], v[i], z[i]);
    OPGEN_EACH_ONE v[i] = _mm256_add_ps(v[i], v[i]);
}
OPGEN_V3_PART void opgen_rough_power_less_1_below_v3(__m256 *v, int abreast) {
    __m256 z[OPGEN_ABREAST], p[OPGEN_ABREAST];
    OPGEN_EACH_ONE v[i] = opgen_upto_8(opgen_from_8(v[i], -30), 0);
    opgen_rough_quarters_v3(v, abreast, OPGEN_QUARTERS, z);
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(v[i], OPGEN_ALIKE(0x1.c6b0d2p-11f), OPGEN_ALIKE(0x1.ec3716p-7f));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(0x1.62e434p-3f));
    OPGEN_EACH_ONE z[i] = OPGEN_POWERED(z[i]);
    OPGEN_EACH_ONE v[i] = _mm256_mul_ps(v[i], z[i]);
    OPGEN_EACH_ONE z[i] = _mm256_sub_ps(OPGEN_ALIKE(1), z[i]);
    OPGEN_EACH_ONE v[i] = _mm256_fmsub_ps(p[i], v[i], z[i]);
}

/* w / (w + 2), where w is e * (e + 2) of e = exp(v): of its parts, where nothing is subnormal. */
OPGEN_V3_PART void opgen_rough_tanh_log1p_exp_v3(__m256 *v, int abreast, bool tiny) {
    __m256 s[OPGEN_ABREAST], more[OPGEN_ABREAST], less[OPGEN_ABREAST];
    if (tiny) {
        OPGEN_EACH_ONE v[i] = opgen_upto_8(v[i], 20);
        opgen_rough_power_v3(v, abreast, 0x1.715476p+0f, OPGEN_ZERO, true);
        OPGEN_EACH_ONE v[i] = _mm256_mul_ps(v[i], _mm256_add_ps(v[i], OPGEN_ALIKE(2)));
        OPGEN_EACH_ONE v[i] = _mm256_div_ps(v[i], _mm256_add_ps(v[i], OPGEN_ALIKE(2)));
        return;
    }
    OPGEN_EACH_ONE v[i] = opgen_within_8(v[i], OPGEN_ZERO / 0x1.715476p+0f, 20, false);
    opgen_rough_exp_parts_v3(v, abreast, s, more, less, 0x1.715476p+0f);
    OPGEN_EACH_ONE s[i] = _mm256_mul_ps(s[i], more[i]);
    OPGEN_EACH_ONE more[i] = _mm256_add_ps(less[i], less[i]);
    OPGEN_EACH_ONE s[i] = _mm256_mul_ps(s[i], _mm256_add_ps(s[i], more[i]));
    OPGEN_EACH_ONE more[i] = OPGEN_FMA(more[i], less[i], s[i]);
    OPGEN_EACH_ONE v[i] = _mm256_div_ps(s[i], more[i]);
}

/* log(1 + exp(-|v|)) */
OPGEN_V3_PART void opgen_rough_log1p_exp_below_v3(__m256 *v, int abreast, float least, bool tiny) {
    __m256 p[OPGEN_ABREAST];
    OPGEN_EACH_ONE v[i] = opgen_no_more_8(v[i]);
    opgen_rough_power_v3(v, abreast, 0x1.715476p+0f, least, tiny);
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(v[i], OPGEN_ALIKE(-0x1.870fbep-6f), OPGEN_ALIKE(0x1.9e998p-4f));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(-0x1.ae2d32p-3f));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(0x1.4d02d2p-2f));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(-0x1.ff589p-2f));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(0x1.fffee6p-1f));
    OPGEN_EACH_ONE v[i] = _mm256_mul_ps(p[i], v[i]);
}

/* x * P / Q of the square of x, which is no further from 0 than `most`. No square of what is tiny. */
typedef struct OpgenOddQuotient {
    float most, above[4], below[4];
} OpgenOddQuotient;
static const OpgenOddQuotient opgen_tanh_odd = {5.25f, {0x1.f527b8p+13f, 0x1.d1d626p+10f, 0x1.9c405ep+4f}, {0x1.f52818p+13f, 0x1.c28a92p+12f, 0x1.22d7eep+8f, 1}};
static const OpgenOddQuotient opgen_erf_odd = {2.97f, {0x1.e4c9fep+6f, 0x1.089a3ap+4f, 0x1.293446p+2f, 0x1.4aa2bap-4f}, {0x1.ada1e8p+6f, 0x1.93b3e2p+5f, 0x1.45c1b6p+3f, 1}};
OPGEN_V3_PART void opgen_rough_odd_quotient_v3(__m256 *v, int abreast, const OpgenOddQuotient *of, int powers, bool tiny) {
    __m256 q[OPGEN_ABREAST], above[OPGEN_ABREAST], below[OPGEN_ABREAST];
    OPGEN_EACH_ONE v[i] = opgen_upto_8(opgen_from_8(v[i], -of->most), of->most);
    OPGEN_EACH_ONE q[i] = v[i];
    if (tiny) OPGEN_EACH_ONE q[i] = opgen_upto_8(opgen_no_more_8(q[i]), -0x1p-40f);
    OPGEN_EACH_ONE q[i] = _mm256_mul_ps(q[i], q[i]);
    OPGEN_EACH_ONE below[i] = OPGEN_FMA(_mm256_add_ps(q[i], OPGEN_ALIKE(of->below[2])), q[i], OPGEN_ALIKE(of->below[1]));
    OPGEN_EACH_ONE above[i] = OPGEN_FMA(q[i], OPGEN_ALIKE(of->above[powers]), OPGEN_ALIKE(of->above[powers - 1]));
    OPGEN_EACH_ONE below[i] = OPGEN_FMA(below[i], q[i], OPGEN_ALIKE(of->below[0]));
    if (powers == 3) OPGEN_EACH_ONE above[i] = OPGEN_FMA(above[i], q[i], OPGEN_ALIKE(of->above[1]));
    OPGEN_EACH_ONE above[i] = OPGEN_FMA(above[i], q[i], OPGEN_ALIKE(of->above[0]));
    OPGEN_EACH_ONE v[i] = _mm256_div_ps(_mm256_mul_ps(v[i], above[i]), below[i]);
}

/* A polynomial of the sixth degree to the power of 16. */
static const float opgen_normal_root[7] = {0x1.ea4b44p-1f, 0x1.8797c6p-5f, -0x1.21bc62p-6f, 0x1.87bcdep-10f, 0x1.848f8p-11f, 0x1.d65c1cp-15f, 0x1.a6bd72p-21f};
static const float opgen_erfc_root[7] = {0x1.00001ep+0f, 0x1.211b52p-4f, -0x1.2ef864p-5f, 0x1.1c8356p-8f, 0x1.8f893ep-9f, 0x1.4c5d22p-12f, 0x1.4e473p-18f};
OPGEN_V3_PART void opgen_rough_to_16th_v3(__m256 *v, int abreast, const float *of) {
    __m256 p[OPGEN_ABREAST];
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(v[i], OPGEN_ALIKE(of[6]), OPGEN_ALIKE(of[5]));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(of[4]));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(of[3]));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(of[2]));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(of[1]));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(of[0]));
    OPGEN_EACH_ONE p[i] = _mm256_mul_ps(p[i], p[i]);
    OPGEN_EACH_ONE p[i] = _mm256_mul_ps(p[i], p[i]);
    OPGEN_EACH_ONE p[i] = _mm256_mul_ps(p[i], p[i]);
    OPGEN_EACH_ONE v[i] = _mm256_mul_ps(p[i], p[i]);
}

/* max(x, 0) less what -|x| has of it: from -5.75 on down that is what f16 does not tell from 0, and to be 0 elsewhere; of -infinity there
 * is none. */
OPGEN_V3_PART void opgen_rough_gelu_v3(__m256 *v, int abreast, bool tiny) {
    __m256 u[OPGEN_ABREAST], w[OPGEN_ABREAST];
    OPGEN_EACH_ONE w[i] = opgen_from_8(opgen_no_more_8(v[i]), -5.75f);
    OPGEN_EACH_ONE u[i] = w[i];
    opgen_rough_to_16th_v3(w, abreast, opgen_normal_root);
    OPGEN_EACH_ONE w[i] = _mm256_mul_ps(w[i], u[i]);
    if (tiny) {
        OPGEN_EACH_ONE w[i] = _mm256_and_ps(w[i], _mm256_cmp_ps(u[i], OPGEN_ALIKE(-5.75f), _CMP_NLE_UQ));
        OPGEN_EACH_ONE w[i] = opgen_no_more_8(w[i]);
    }
    OPGEN_EACH_ONE w[i] = _mm256_add_ps(w[i], opgen_from_8(v[i], -0.0f));
    OPGEN_EACH_ONE v[i] = _mm256_and_ps(_mm256_cmp_ps(v[i], OPGEN_ALIKE(-INFINITY), _CMP_EQ_OQ), OPGEN_ALIKE(NAN));
    OPGEN_EACH_ONE v[i] = _mm256_or_ps(v[i], w[i]);
}

/* x / (1 + exp(x * h)), h a polynomial of the square of x. At -10.061 that power is infinity in its table. */
OPGEN_V3_PART void opgen_rough_gelu_tanh_v3(__m256 *v, int abreast, bool tiny) {
    __m256 u[OPGEN_ABREAST], h[OPGEN_ABREAST], z[OPGEN_ABREAST];
    OPGEN_EACH_ONE u[i] = opgen_within_8(v[i], -10.060966f, 5.4f, false);
    OPGEN_EACH_ONE h[i] = u[i];
    if (tiny) OPGEN_EACH_ONE h[i] = opgen_upto_8(opgen_no_more_8(h[i]), -0x1p-40f);
    OPGEN_EACH_ONE h[i] = _mm256_mul_ps(h[i], h[i]);
    OPGEN_EACH_ONE h[i] = OPGEN_FMA(h[i], OPGEN_ALIKE(-2 * 0.7978846f * 0.044715f * OPGEN_QUARTERS), OPGEN_ALIKE(-2 * 0.7978846f * OPGEN_QUARTERS));
    OPGEN_EACH_ONE z[i] = OPGEN_FMA(u[i], h[i], OPGEN_ALIKE(0x1.8p23f));
    OPGEN_EACH_ONE u[i] = _mm256_fmsub_ps(u[i], h[i], _mm256_sub_ps(z[i], OPGEN_ALIKE(0x1.8p23f)));
    OPGEN_EACH_ONE z[i] = OPGEN_POWERED(z[i]);
    OPGEN_EACH_ONE h[i] = _mm256_sub_ps(OPGEN_ALIKE(0x1.7180eap+3f), u[i]);
    OPGEN_EACH_ONE u[i] = OPGEN_FMA(z[i], _mm256_add_ps(OPGEN_ALIKE(0x1.7180eap+3f), u[i]), h[i]);
    OPGEN_EACH_ONE v[i] = _mm256_mul_ps(v[i], _mm256_div_ps(h[i], u[i]));
}

OPGEN_V3_PART void opgen_rough_mish_v3(__m256 *v, int abreast, bool tiny) {
    __m256 u[OPGEN_ABREAST];
    OPGEN_EACH_ONE u[i] = v[i];
    opgen_rough_tanh_log1p_exp_v3(u, abreast, tiny);
    OPGEN_EACH_ONE v[i] = _mm256_mul_ps(v[i], u[i]);
}

OPGEN_V3_PART void opgen_rough_erfc_v3(__m256 *v, int abreast, bool tiny) {
    __m256 w[OPGEN_ABREAST];
    (void)tiny;
    OPGEN_EACH_ONE w[i] = opgen_from_8(opgen_no_more_8(v[i]), -3.97f);
    opgen_rough_to_16th_v3(w, abreast, opgen_erfc_root);
    OPGEN_EACH_ONE v[i] = _mm256_blendv_ps(w[i], _mm256_sub_ps(OPGEN_ALIKE(2), w[i]), v[i]);
}

/* What is 0 in the end has a sign. */
OPGEN_V3_PART void opgen_rough_softplus_v3(__m256 *v, int abreast, float least, bool tiny, bool negative) {
    __m256 log[OPGEN_ABREAST];
    OPGEN_EACH_ONE log[i] = v[i];
    opgen_rough_log1p_exp_below_v3(log, abreast, least, tiny);
    if (negative)
        OPGEN_EACH_ONE v[i] = _mm256_sub_ps(opgen_upto_8(v[i], -0.0f), log[i]);
    else
        OPGEN_EACH_ONE v[i] = _mm256_add_ps(opgen_from_8(v[i], 0), log[i]);
}

/* Halves of 2^(n / 4) and of 2^(-n / 4), by the hyperbolic functions of what is left. 12 is beyond the range of f16. */
OPGEN_V3_PART void opgen_rough_hyperbolic_v3(__m256 *v, int abreast, bool cosine) {
    __m256 z[OPGEN_ABREAST], q[OPGEN_ABREAST], odd[OPGEN_ABREAST], other[OPGEN_ABREAST], sign[OPGEN_ABREAST];
    OPGEN_EACH_ONE sign[i] = _mm256_and_ps(v[i], OPGEN_ALIKE(-0.0f));
    OPGEN_EACH_ONE v[i] = opgen_upto_8(opgen_from_8(v[i], -12), 12);
    opgen_rough_quarters_v3(v, abreast, OPGEN_QUARTERS, z);
    OPGEN_EACH_ONE q[i] = _mm256_mul_ps(v[i], v[i]);
    OPGEN_EACH_ONE odd[i] = OPGEN_FMA(q[i], OPGEN_ALIKE(0x1.c6e496p-11f), OPGEN_ALIKE(0x1.62e42ep-3f));
    OPGEN_EACH_ONE q[i] = OPGEN_FMA(q[i], OPGEN_ALIKE(0x1.ec3d46p-7f), OPGEN_ALIKE(1));
    OPGEN_EACH_ONE odd[i] = _mm256_mul_ps(odd[i], v[i]);
    OPGEN_EACH_ONE other[i] = OPGEN_HALF_POWERED(_mm256_sub_ps(OPGEN_ALIKE(0x1.8p24f), z[i]));
    OPGEN_EACH_ONE z[i] = OPGEN_HALF_POWERED(z[i]);
    OPGEN_EACH_ONE v[i] = _mm256_add_ps(z[i], other[i]);
    OPGEN_EACH_ONE z[i] = _mm256_sub_ps(z[i], other[i]);
    if (cosine) {
        OPGEN_EACH_ONE v[i] = OPGEN_FMA(v[i], q[i], _mm256_mul_ps(z[i], odd[i]));
    } else {
        OPGEN_EACH_ONE v[i] = OPGEN_FMA(z[i], q[i], _mm256_mul_ps(v[i], odd[i]));
        OPGEN_EACH_ONE v[i] = _mm256_or_ps(v[i], sign[i]); /* of -0 */
    }
}

/* Of m * 2^n, m from 2/3 to 4/3: a polynomial of m - 1 times `times`, and n * of_2. Where not `plain` there may be what is not a positive
 * normal number. */
OPGEN_V3_PART void opgen_rough_logarithm_v3(__m256 *v, int abreast, float times, float of_2, bool plain) {
    __m256 x[OPGEN_ABREAST], n[OPGEN_ABREAST], p[OPGEN_ABREAST], small[OPGEN_ABREAST];
    __m256i e[OPGEN_ABREAST];
    if (!plain) {
        OPGEN_EACH_ONE x[i] = v[i];
        OPGEN_EACH_ONE small[i] = _mm256_cmp_ps(v[i], OPGEN_ALIKE(0x1p-126f), _CMP_LT_OQ);
        OPGEN_EACH_ONE v[i] = _mm256_mul_ps(v[i], _mm256_blendv_ps(OPGEN_ALIKE(1), OPGEN_ALIKE(0x1p25f), small[i]));
    }
    OPGEN_EACH_ONE e[i] = _mm256_srai_epi32(_mm256_sub_epi32(_mm256_castps_si256(v[i]), _mm256_set1_epi32(0x3f2aaaab)), 23);
    OPGEN_EACH_ONE v[i] = _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_castps_si256(v[i]), _mm256_slli_epi32(e[i], 23)));
    OPGEN_EACH_ONE v[i] = _mm256_sub_ps(v[i], OPGEN_ALIKE(1));
    OPGEN_EACH_ONE n[i] = _mm256_cvtepi32_ps(e[i]);
    if (!plain) OPGEN_EACH_ONE n[i] = _mm256_sub_ps(n[i], _mm256_and_ps(OPGEN_ALIKE(25), small[i]));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(v[i], OPGEN_ALIKE(-0x1.8c49a4p-3f), OPGEN_ALIKE(0x1.cfcb54p-3f));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(-0x1.fcebcap-3f));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(0x1.542a44p-2f));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(-0x1.0002a6p-1f));
    OPGEN_EACH_ONE p[i] = OPGEN_FMA(p[i], v[i], OPGEN_ALIKE(0x1.000078p+0f));
    if (times != 1) OPGEN_EACH_ONE v[i] = _mm256_mul_ps(v[i], OPGEN_ALIKE(times));
    if (of_2 != 1) OPGEN_EACH_ONE n[i] = _mm256_mul_ps(n[i], OPGEN_ALIKE(of_2));
    OPGEN_EACH_ONE v[i] = OPGEN_FMA(p[i], v[i], n[i]);
    if (plain) return;
    /* 0, what is negative, and infinity or none */
    OPGEN_EACH_ONE v[i] = _mm256_blendv_ps(v[i], OPGEN_ALIKE(-INFINITY), _mm256_cmp_ps(x[i], OPGEN_ALIKE(0), _CMP_EQ_OQ));
    OPGEN_EACH_ONE v[i] = _mm256_blendv_ps(v[i], OPGEN_ALIKE(NAN), _mm256_cmp_ps(x[i], OPGEN_ALIKE(0), _CMP_LT_OQ));
    OPGEN_EACH_ONE v[i] = _mm256_blendv_ps(v[i], x[i], _mm256_cmp_ps(x[i], OPGEN_ALIKE(INFINITY), _CMP_NLT_UQ));
}

/* By an estimate of 12 bits and one step of Newton's. */
OPGEN_V3_PART void opgen_rough_one_over_root_v3(__m256 *v, int abreast, bool plain) {
    __m256 r[OPGEN_ABREAST], half[OPGEN_ABREAST];
    if (!plain) {
        OPGEN_EACH_ONE v[i] = _mm256_div_ps(OPGEN_ALIKE(1), _mm256_sqrt_ps(v[i]));
        return;
    }
    OPGEN_EACH_ONE r[i] = _mm256_rsqrt_ps(v[i]);
    OPGEN_EACH_ONE half[i] = _mm256_mul_ps(r[i], OPGEN_ALIKE(0.5f));
    OPGEN_EACH_ONE v[i] = _mm256_fnmadd_ps(_mm256_mul_ps(v[i], r[i]), r[i], OPGEN_ALIKE(1));
    OPGEN_EACH_ONE v[i] = OPGEN_FMA(v[i], half[i], r[i]);
}

/* Whether all are positive normal numbers. */
OPGEN_V3_PART bool opgen_rough_all_plain_v3(const float *x, float times) {
    __m256i most = _mm256_setzero_si256();
    for (int at = 0; at < 64; at += 8) {
        const __m256 v = _mm256_mul_ps(_mm256_loadu_ps(x + at), OPGEN_ALIKE(times));
        most = _mm256_max_epu32(most, _mm256_sub_epi32(_mm256_castps_si256(v), _mm256_set1_epi32(0x00800000)));
    }
    const __m256i below = _mm256_max_epu32(most, _mm256_set1_epi32(0x7f000000));
    return _mm256_testz_si256(_mm256_cmpeq_epi32(below, most), _mm256_set1_epi32(-1)) != 0;
}

/* ---- of 64: so many in turns, and whether compilers may make one piece of all of them. */
#define OPGEN_64_V3(name, many, rolled, call)                                                                          \
    OPGEN_V3 static inline void opgen_##name##_half_v3(float *to, const float *x, float times, bool tiny) {            \
        enum { abreast = many };                                                                                       \
        (void)times, (void)tiny;                                                                                       \
        rolled for (int at = 0; at < 64; at += 8 * abreast) {                                                          \
            __m256 v[OPGEN_ABREAST];                                                                                   \
            OPGEN_EACH_ONE v[i] = _mm256_loadu_ps(x + at + 8 * i);                                                          \
            call;                                                                                                      \
            OPGEN_EACH_ONE _mm256_storeu_ps(to + at + 8 * i, v[i]);                                                         \
        }                                                                                                              \
    }
#define OPGEN_64_OF_PRODUCT_V3(name, many, rolled, call)                                                               \
    OPGEN_64_V3(name, many, rolled, if (times != 1) OPGEN_EACH_ONE v[i] = _mm256_mul_ps(v[i], OPGEN_ALIKE(times)); call)
#define OPGEN_64_PLAIN_V3(name, many, rolled, call)                                                                    \
    OPGEN_64_OF_PRODUCT_V3(name##_plain, many, rolled, { const bool plain = true; call; })                             \
    OPGEN_64_OF_PRODUCT_V3(name##_any, many, OPGEN_ROLLED, { const bool plain = false; call; })                        \
    OPGEN_V3 static inline void opgen_##name##_half_v3(float *to, const float *x, float times, bool tiny) {            \
        if (opgen_rough_all_plain_v3(x, times))                                                                        \
            opgen_##name##_plain_half_v3(to, x, times, tiny);                                                          \
        else                                                                                                           \
            opgen_##name##_any_half_v3(to, x, times, tiny);                                                            \
    }
OPGEN_64_V3(exp, 4, OPGEN_ROLLED, opgen_rough_power_v3(v, abreast, times * 0x1.715476p+0f, OPGEN_ZERO, tiny))
OPGEN_64_V3(exp2, 4, OPGEN_ROLLED, opgen_rough_power_v3(v, abreast, times, OPGEN_ZERO, tiny))
OPGEN_64_V3(1_and_exp, 4, OPGEN_ROLLED, opgen_rough_power_v3(v, abreast, times * 0x1.715476p+0f, -64, false); OPGEN_EACH_ONE v[i] = _mm256_add_ps(v[i], OPGEN_ALIKE(1)))
OPGEN_64_V3(1_over_1_and_exp, 2, , opgen_rough_one_over_v3(v, abreast, times * 0x1.715476p+0f, false, tiny))
OPGEN_64_V3(sigmoid, 2, , opgen_rough_one_over_v3(v, abreast, times * -0x1.715476p+0f, false, tiny))
OPGEN_64_OF_PRODUCT_V3(silu, 2, , opgen_rough_silu_v3(v, abreast, tiny))
OPGEN_64_V3(1_and_tanh, 2, , opgen_rough_one_over_v3(v, abreast, times * -0x1.715476p+1f, true, tiny))
OPGEN_64_OF_PRODUCT_V3(expm1, 2, , opgen_rough_power_less_1_v3(v, abreast))
OPGEN_64_OF_PRODUCT_V3(expm1_below, 2, , opgen_rough_power_less_1_below_v3(v, abreast))
OPGEN_64_OF_PRODUCT_V3(tanh_log1p_exp, 4, OPGEN_ROLLED, opgen_rough_tanh_log1p_exp_v3(v, abreast, tiny))
OPGEN_64_OF_PRODUCT_V3(log1p_exp, 4, OPGEN_ROLLED, opgen_rough_softplus_v3(v, abreast, OPGEN_ZERO, tiny, false))
OPGEN_64_OF_PRODUCT_V3(logsigmoid, 4, OPGEN_ROLLED, opgen_rough_softplus_v3(v, abreast, OPGEN_ZERO, tiny, true))
OPGEN_64_OF_PRODUCT_V3(tanh, 2, , opgen_rough_odd_quotient_v3(v, abreast, &opgen_tanh_odd, 2, tiny))
OPGEN_64_OF_PRODUCT_V3(erf, 2, , opgen_rough_odd_quotient_v3(v, abreast, &opgen_erf_odd, 3, tiny))
OPGEN_64_OF_PRODUCT_V3(erfc_f16, 2, , opgen_rough_erfc_v3(v, abreast, tiny))
OPGEN_64_OF_PRODUCT_V3(gelu, 4, OPGEN_ROLLED, opgen_rough_gelu_v3(v, abreast, tiny))
OPGEN_64_OF_PRODUCT_V3(gelu_tanh, 4, OPGEN_ROLLED, opgen_rough_gelu_tanh_v3(v, abreast, tiny))
OPGEN_64_OF_PRODUCT_V3(mish, 4, OPGEN_ROLLED, opgen_rough_mish_v3(v, abreast, tiny))
OPGEN_64_OF_PRODUCT_V3(softplus_f16, 4, OPGEN_ROLLED, opgen_rough_softplus_v3(v, abreast, -60, false, false))
OPGEN_64_OF_PRODUCT_V3(logsigmoid_f16, 4, OPGEN_ROLLED, opgen_rough_softplus_v3(v, abreast, -60, false, true))
OPGEN_64_OF_PRODUCT_V3(sinh_f16, 2, , opgen_rough_hyperbolic_v3(v, abreast, false))
OPGEN_64_OF_PRODUCT_V3(cosh_f16, 4, OPGEN_ROLLED, opgen_rough_hyperbolic_v3(v, abreast, true))
OPGEN_64_PLAIN_V3(log, 2, , opgen_rough_logarithm_v3(v, abreast, 1, 0x1.62e43p-1f, plain))
OPGEN_64_PLAIN_V3(log2, 2, , opgen_rough_logarithm_v3(v, abreast, 0x1.715476p+0f, 1, plain))
OPGEN_64_PLAIN_V3(log10, 2, , opgen_rough_logarithm_v3(v, abreast, 0x1.bcb7b2p-2f, 0x1.344136p-2f, plain))
OPGEN_64_PLAIN_V3(rsqrt, 2, , opgen_rough_one_over_root_v3(v, abreast, plain))
OPGEN_64_OF_PRODUCT_V3(sqrt, 4, OPGEN_ROLLED, OPGEN_EACH_ONE v[i] = _mm256_sqrt_ps(v[i]))
#undef OPGEN_64_V3
#undef OPGEN_64_OF_PRODUCT_V3
#undef OPGEN_64_PLAIN_V3
#undef OPGEN_ABREAST
#undef OPGEN_EACH_ONE
#undef OPGEN_ALIKE
#undef OPGEN_FMA
#undef OPGEN_POWERED
#undef OPGEN_HALF_POWERED
#undef OPGEN_QUARTERS
#undef OPGEN_ZERO
#endif

#endif

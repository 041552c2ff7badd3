/* opgen_many_pairs.h: functions of two operands, of 32 pairs of floats at once, in the place of the first ones:
 * remainders, powers, distances and angles. Each has a short way and takes it where it is right for all 32, and else
 * one for any operands: that of opgen_math.h, opgen_exp.h or opgen_trig.h, whose special values it has. How far off
 * they may be is in README.md.
 *
 * `level` is what opgen_kernel.h says, a constant where these are called. tests/cpu/fit_math.py makes the tables.
 */
#ifndef OPGEN_MANY_PAIRS_H
#define OPGEN_MANY_PAIRS_H

#include "opgen_many_inverse.h"

#if defined(OPGEN_X86)
/* Two vectors, of which compilers are to make one after the other, or beside it. */
#if defined(__clang__)
#define OPGEN_BOTH _Pragma("clang loop unroll(full)") for (int k = 0; k < 2; k++)
#elif defined(__GNUC__)
#define OPGEN_BOTH _Pragma("GCC unroll 2") for (int k = 0; k < 2; k++)
#endif

/* What gcc's header makes of some of these without optimisation converts a mask's sign. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
/* |x| is *whole times |y|, and *left: exactly where this says so. The quotient may be rounded up to a whole number,
 * never down beyond one. */
OPGEN_V4_PART __mmask16 opgen_divided_16(__m512 x, __m512 y, __m512 *whole, __m512 *left) {
    const __m512 a = _mm512_abs_ps(x), b = _mm512_abs_ps(y);
    const __m512 q = _mm512_roundscale_ps(_mm512_div_ps(a, b), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m512 r = _mm512_fnmadd_ps(q, b, a);
    const __mmask16 over = _mm512_cmp_ps_mask(r, _mm512_setzero_ps(), _CMP_LT_OQ);
    *whole = _mm512_mask_sub_ps(q, over, q, OPGEN_ALL(1));
    *left = _mm512_mask_add_ps(r, over, r, b);
    return _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(q, OPGEN_ALL(0x1p24f), _CMP_LT_OQ), b, OPGEN_ALL(INFINITY),
                                   _CMP_LT_OQ);
}

/* Where something is left and the signs are different: a remainder is to have that of y. */
OPGEN_V4_PART __mmask16 opgen_turns_16(__m512 x, __m512 y, __m512 left) {
    const __mmask16 apart = _mm512_movepi32_mask(_mm512_castps_si512(_mm512_xor_ps(x, y)));
    return _mm512_mask_cmp_ps_mask(apart, left, _mm512_setzero_ps(), _CMP_NEQ_UQ);
}

OPGEN_V4_PART __mmask16 opgen_fmod_near_16(__m512 *x, __m512 y) {
    __m512 whole, left;
    const __mmask16 good = opgen_divided_16(*x, y, &whole, &left);
    *x = opgen_signed(left, *x);
    return good;
}

OPGEN_V4_PART __mmask16 opgen_mod_near_16(__m512 *x, __m512 y) {
    __m512 whole, left;
    const __mmask16 good = opgen_divided_16(*x, y, &whole, &left), turns = opgen_turns_16(*x, y, left);
    left = opgen_signed(left, *x);
    *x = _mm512_mask_add_ps(left, turns, left, y);
    return good;
}

OPGEN_V4_PART __mmask16 opgen_floordiv_near_16(__m512 *x, __m512 y) {
    __m512 whole, left;
    const __mmask16 good = opgen_divided_16(*x, y, &whole, &left), turns = opgen_turns_16(*x, y, left);
    whole = opgen_signed(whole, _mm512_xor_ps(*x, y));
    *x = _mm512_mask_sub_ps(whole, turns, whole, OPGEN_ALL(1));
    return good;
}

/* The root of the sum of two squares, and of what rounding took away of them: by an estimate and one step of Newton's,
 * for sizes whose squares are in range. */
OPGEN_V4_PART __mmask16 opgen_hypot_near_16(__m512 *x, __m512 y) {
    const __m512 a = _mm512_abs_ps(*x), b = _mm512_abs_ps(y), most = _mm512_max_ps(a, b), least = _mm512_min_ps(a, b);
    const __m512 large = _mm512_mul_ps(most, most), small = _mm512_mul_ps(least, least),
                 sum = _mm512_add_ps(large, small);
    __m512 lost = _mm512_sub_ps(small, _mm512_sub_ps(sum, large));
    lost = _mm512_add_ps(lost, _mm512_add_ps(_mm512_fmsub_ps(most, most, large), _mm512_fmsub_ps(least, least, small)));
    const __m512 r = _mm512_rsqrt14_ps(sum), root = _mm512_mul_ps(sum, r);
    const __m512 left = _mm512_add_ps(_mm512_fnmadd_ps(root, root, sum), lost);
    *x = _mm512_fmadd_ps(left, _mm512_mul_ps(r, OPGEN_ALL(0.5f)), root);
    /* One that is not a number is in one of the two. */
    const __mmask16 below = _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(a, OPGEN_ALL(0x1p60f), _CMP_LT_OQ), b,
                                                    OPGEN_ALL(0x1p60f), _CMP_LT_OQ);
    return _mm512_mask_cmp_ps_mask(below, most, OPGEN_ALL(0x1p-40f), _CMP_GT_OQ);
}

/* The arc tangent of the less by the larger, taken from a quarter or from half of a turn, or added to a quarter. */
OPGEN_V4_PART __m512 opgen_atan2_16(__m512 y, __m512 x) {
    const __m512 a = _mm512_abs_ps(x), b = _mm512_abs_ps(y), zero = _mm512_setzero_ps();
    /* Of what is not a number and something else vminps and vmaxps give the second. */
    const __m512 low = _mm512_min_ps(b, a), high = _mm512_max_ps(a, b);
    const __mmask16 some = _mm512_cmp_ps_mask(_mm512_add_ps(low, high), zero, _CMP_NEQ_UQ);
    /* Infinite both, too. */
    const __mmask16 same = _mm512_cmp_ps_mask(low, high, _CMP_EQ_OQ);
    __m512 t = _mm512_maskz_div_ps(some, low, high);
    t = _mm512_mask_mov_ps(t, some & same, OPGEN_ALL(1));
    const __m512 near = opgen_atan_below_1_16(t);
    const __mmask16 far = _mm512_cmp_ps_mask(b, a, _CMP_GT_OQ), back = _mm512_movepi32_mask(_mm512_castps_si512(x));
    __m512 whole = _mm512_maskz_mov_ps(back, OPGEN_ALL(0x1.921fb6p+1f)),
           rest = _mm512_maskz_mov_ps(back, OPGEN_ALL(-0x1.777a5cp-24f));
    whole = _mm512_mask_mov_ps(whole, far, OPGEN_ALL(0x1.921fb6p+0f));
    rest = _mm512_mask_mov_ps(rest, far, OPGEN_ALL(-0x1.777a5cp-25f));
    const __m512 part = _mm512_mask_sub_ps(near, far ^ back, zero, near);
    return opgen_signed(_mm512_add_ps(whole, _mm512_add_ps(rest, part)), y);
}
OPGEN_V4_PART __mmask16 opgen_atan2_near_16(__m512 *y, __m512 x) {
    *y = opgen_atan2_16(*y, x);
    return 0xffff;
}

/* 16 / i and the logarithm of that to base 2, less than 0 where it is more, for i from 12 to 24 at place i modulo 16;
 * 2^(i / 16). */
static const double opgen_pow_table[3][16] = {
    {0x1p+0, 0x1.e1e1e1e1e1e1ep-1, 0x1.c71c71c71c71cp-1, 0x1.af286bca1af28p-1, 0x1.999999999999ap-1,
     0x1.8618618618618p-1, 0x1.745d1745d1746p-1, 0x1.642c8590b2164p-1, 0x1.5555555555555p-1, 0, 0, 0,
     0x1.5555555555555p+0, 0x1.3b13b13b13b14p+0, 0x1.2492492492492p+0, 0x1.1111111111111p+0},
    {0, 0x1.663f6fac91318p-4, 0x1.5c01a39fbd68bp-3, 0x1.fbc16b902680dp-3, 0x1.49a784bcd1b8ap-2, 0x1.91bba891f170ap-2,
     0x1.d6753e032ea0ep-2, 0x1.0c10500d63aa7p-1, 0x1.2b803473f7ad2p-1, 0, 0, 0, -0x1.a8ff971810a5dp-2,
     -0x1.32bfee370ee6ap-2, -0x1.8a8980abfbd3p-3, -0x1.7d60496cfbb4bp-4},
    {0x1p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0, 0x1.306fe0a31b715p+0,
     0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0, 0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0,
     0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f09p+0, 0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0,
     0x1.ea4afa2a490dap+0},
};

#define OPGEN_ALL_WIDE(x) _mm512_set1_pd(x)
OPGEN_V4 static inline __m512d opgen_look_wide(const double *row, __m512d at) {
    return _mm512_permutex2var_pd(_mm512_loadu_pd(row), _mm512_castpd_si512(at), _mm512_loadu_pd(row + 8));
}

/* x^y of what is not negative, in doubles: x is m * 2^e, m from 3/4 to 3/2, 1 + r sixteenths; the product of y and its
 * logarithm a multiple of 1/16 and r. Adding 1.5 * 2^52 or 48 leaves in the low bits which one of 16 it is. Of 0 and
 * infinity e is infinite, and vscalefpd takes no notice of what is not a number then. What is less than a float can be
 * is not computed (see opgen_exp_below_16). */
OPGEN_V4 static inline __m256 opgen_pow_8(__m256 x, __m256 power) {
    const __m512d a = _mm512_cvtps_pd(x), y = _mm512_cvtps_pd(power);
    const __m512d m = _mm512_getmant_pd(a, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan), up = _mm512_getexp_pd(a);
    const __m512d e =
        _mm512_mask_add_pd(up, _mm512_cmp_pd_mask(m, OPGEN_ALL_WIDE(1), _CMP_LT_OQ), up, OPGEN_ALL_WIDE(1));
    const __m512d at = _mm512_fmadd_pd(m, OPGEN_ALL_WIDE(16), OPGEN_ALL_WIDE(0x1.8p52));
    __m512d r = _mm512_fmsub_pd(m, opgen_look_wide(opgen_pow_table[0], at), OPGEN_ALL_WIDE(1));
    __m512d p = _mm512_fmadd_pd(r, OPGEN_ALL_WIDE(-0x1.e96842823b38p-3), OPGEN_ALL_WIDE(0x1.27f6baef719p-2));
    p = _mm512_fmadd_pd(p, r, OPGEN_ALL_WIDE(-0x1.715530178968p-2));
    p = _mm512_fmadd_pd(p, r, OPGEN_ALL_WIDE(0x1.ec708a439a88p-2));
    p = _mm512_fmadd_pd(p, r, OPGEN_ALL_WIDE(-0x1.7154764b3a7p-1));
    p = _mm512_fmadd_pd(p, r, OPGEN_ALL_WIDE(0x1.71547652d488p+0));
    p = _mm512_fmadd_pd(p, r, opgen_look_wide(opgen_pow_table[1], at));
    const __m512d w = _mm512_mul_pd(_mm512_add_pd(e, p), y);
    const __mmask8 some = _mm512_cmp_pd_mask(w, OPGEN_ALL_WIDE(-151), _CMP_NLT_UQ);
    const __m512d z = _mm512_add_pd(w, OPGEN_ALL_WIDE(0x1.8p48)), n = _mm512_sub_pd(z, OPGEN_ALL_WIDE(0x1.8p48));
    const __m512d part = opgen_look_wide(opgen_pow_table[2], z);
    r = _mm512_sub_pd(w, n);
    p = _mm512_fmadd_pd(r, OPGEN_ALL_WIDE(0x1.c6ac6884f6a8p-5), OPGEN_ALL_WIDE(0x1.ebfff66a26fp-3));
    p = _mm512_fmadd_pd(p, r, OPGEN_ALL_WIDE(0x1.62e43001ced8p-1));
    p = _mm512_fmadd_pd(p, _mm512_mul_pd(r, part), part);
    return _mm512_cvtpd_ps(_mm512_maskz_scalef_pd(some, p, n));
}

/* For 24 to 48, modulo 32: a number about 32 / i that a product with a mantissa is exact of where 1 is taken off, and
 * its logarithm, negative, of which the third row has what the second, of multiples of 2^-16, has not; of what 2^(i /
 * 16) was rounded by a share. */
static const float opgen_pow_logs[3][32] = {
    {0x1p+0f, 0x1.fp-1f, 0x1.ep-1f, 0x1.d8p-1f, 0x1.c8p-1f, 0x1.b8p-1f, 0x1.bp-1f, 0x1.a8p-1f, 0x1.98p-1f, 0x1.9p-1f, 0x1.88p-1f,
     0x1.8p-1f, 0x1.78p-1f, 0x1.7p-1f, 0x1.68p-1f, 0x1.6p-1f, 0x1.58p-1f, 0, 0, 0, 0, 0, 0, 0, 0x1.5p+0f, 0x1.48p+0f, 0x1.38p+0f,
     0x1.3p+0f, 0x1.28p+0f, 0x1.18p+0f, 0x1.1p+0f, 0x1.08p+0f},
    {0, 0x1.042p-5f, 0x1.086p-4f, 0x1.4d3p-4f, 0x1.da7p-4f, 0x1.366p-3f, 0x1.5bf8p-3f, 0x1.824p-3f, 0x1.d1p-3f, 0x1.f99p-3f,
     0x1.1178p-2f, 0x1.2698p-2f, 0x1.3c24p-2f, 0x1.522cp-2f, 0x1.68acp-2f, 0x1.7fbp-2f, 0x1.973cp-2f, 0, 0, 0, 0, 0, 0, 0,
     -0x1.1674p-2f, -0x1.fb9p-3f, -0x1.9528p-3f, -0x1.5ffp-3f, -0x1.2958p-3f, -0x1.6f1p-4f, -0x1.f0ap-5f, -0x1.f84p-6f},
    {0, -0x1.44ec32p-18f, -0x1.9d2988p-18f, 0x1.15d208p-20f, 0x1.3b1c22p-19f, -0x1.a7f538p-22f, -0x1.fca55ep-18f, -0x1.f4d572p-18f,
     0x1.bf932ap-18f, 0x1.c6cb3cp-19f, 0x1.d044fcp-19f, -0x1.deecb2p-18f, 0x1.277334p-18f, -0x1.1f8c76p-18f, 0x1.07d38ep-19f,
     -0x1.7109fap-20f, -0x1.cbcecap-18f, 0, 0, 0, 0, 0, 0, 0, -0x1.cababap-18f, -0x1.86d5e4p-19f, 0x1.2b185ep-18f, -0x1.83853cp-18f,
     0x1.683fp-18f, 0x1.6ba8d4p-19f, -0x1.86008cp-20f, 0x1.64f188p-18f},
};
static const float opgen_pow_rest[16] = {0, 0x1.8d96d4p-25f, -0x1.9c0c22p-27f, 0x1.964904p-25f, 0x1.125002p-25f, 0x1.370be4p-25f, -0x1.0a355p-25f, -0x1.00d8acp-27f,
    0x1.26055cp-26f, -0x1.05cb44p-25f, 0x1.67a1cap-28f, 0x1.a3b5e4p-28f, -0x1.f9c304p-27f, -0x1.6961b4p-28f, -0x1.a5217cp-28f,
    0x1.61428ep-28f};

/* 2^n, where z is n + 1.5 * 2^19 + 64 and n so many sixteenths as the low bits of that say: an exponent is added to
 * bits of powers that have those sixteenths and 64 taken off, which is what the table has. Whether n was from -64 to
 * 64, of 32: other bits than these would be others. */
OPGEN_V4_PART __m512i opgen_pow_powers(void) {
    const __m512i sixteenths = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i less = _mm512_add_epi32(_mm512_slli_epi32(sixteenths, 19), _mm512_set1_epi32(64 << 23));
    return _mm512_sub_epi32(_mm512_loadu_si512(opgen_power_table[0]), less);
}
OPGEN_V4_PART __m512 opgen_pow_power(__m512 z, __m512i powers) {
    const __m512i bits = _mm512_castps_si512(z);
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_permutexvar_epi32(bits, powers), _mm512_slli_epi32(bits, 19)));
}
OPGEN_V4_PART bool opgen_pow_near(const __m512 *z) {
    const __m512i same = _mm512_castps_si512(OPGEN_ALL(0x1.8p19f));
    const __m512i others = _mm512_ternarylogic_epi32(_mm512_castps_si512(z[0]), _mm512_castps_si512(z[1]), same, 0x7e);
    return _mm512_test_epi32_mask(others, _mm512_set1_epi32(-2048)) == 0;
}

/* |x|^y of 32 pairs, in pairs of floats, the second of which has what the first was rounded by, where this says so:
 * where the power is from 2^-64 to 2^64. |x| is m * 2^e, m from 3/4 to 3/2 and 1 + r by the table; w and `rest` are the
 * product of its logarithm, none of 0 and infinity, and y. */
OPGEN_V4_PART bool opgen_pow_short_32(__m512 *to, const __m512 *x, const __m512 *y) {
    __m512 z[2];
    const __m512i table = opgen_pow_powers();
    OPGEN_BOTH {
        const __m512 m = _mm512_getmant_ps(x[k], _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
        const __m512 e = _mm512_getexp_ps(_mm512_mul_ps(x[k], OPGEN_ALL(0x1.555556p+0f)));
        const __m512i at = _mm512_castps_si512(_mm512_fmadd_ps(m, OPGEN_ALL(32), OPGEN_ALL(0x1.8p23f)));
        const __m512 r = _mm512_fmsub_ps(m, opgen_look(opgen_pow_logs[0], at), OPGEN_ALL(1));
        const __m512 whole = _mm512_fmadd_ps(e, OPGEN_ALL(0x1.62e4p-1f), opgen_look(opgen_pow_logs[1], at));
        const __m512 log = _mm512_add_ps(whole, r), lost = _mm512_sub_ps(r, _mm512_sub_ps(log, whole));
        __m512 low = _mm512_fmadd_ps(e, OPGEN_ALL(0x1.7f7d1cp-20f), opgen_look(opgen_pow_logs[2], at));
        __m512 p = _mm512_fmadd_ps(r, OPGEN_ALL(0x1.99e7a6p-3f), OPGEN_ALL(-0x1.001f9p-2f));
        p = _mm512_fmadd_ps(p, r, OPGEN_ALL(0x1.555554p-2f));
        p = _mm512_fmadd_ps(p, r, OPGEN_ALL(-0.5f));
        low = _mm512_fmadd_ps(p, _mm512_mul_ps(r, r), _mm512_add_ps(low, lost));
        const __m512 w = _mm512_mul_ps(log, y[k]), rest = _mm512_fmadd_ps(low, y[k], _mm512_fmsub_ps(log, y[k], w));
        z[k] = _mm512_fmadd_ps(_mm512_add_ps(w, rest), OPGEN_ALL(0x1.715476p+0f), OPGEN_ALL(0x1.8p19f + 64));
        const __m512 n = _mm512_sub_ps(z[k], OPGEN_ALL(0x1.8p19f + 64));
        const __m512 near = _mm512_add_ps(_mm512_fnmadd_ps(n, OPGEN_ALL(0x1.62ep-1f), w), rest);
        const __m512 left = _mm512_fnmadd_ps(n, OPGEN_ALL(0x1.0bfbe8p-15f), near);
        const __m512 power = opgen_pow_power(z[k], table);
        p = _mm512_fmadd_ps(left, OPGEN_ALL(0x1.55559ap-3f), OPGEN_ALL(0x1.00021ep-1f));
        p = _mm512_fmadd_ps(p, left, OPGEN_ALL(1));
        p = _mm512_fmadd_ps(p, left, _mm512_permutexvar_ps(_mm512_castps_si512(z[k]), _mm512_loadu_ps(opgen_pow_rest)));
        to[k] = _mm512_fmadd_ps(p, power, power);
    }
    return opgen_pow_near(z);
}

/* 1 to any power is 1, anything to the power of 0 is. A negative number has a power where y is whole: negative where y
 * is odd. Of y so large that the product with a logarithm has no fraction, another way is right. */
OPGEN_V4 static inline __m512 opgen_pow_signed_16(__m512 p, __m512 x, __m512 y) {
    const __m512 a = _mm512_abs_ps(x), one = OPGEN_ALL(1), zero = _mm512_setzero_ps();
    const __mmask16 is_one = _mm512_cmp_ps_mask(x, one, _CMP_EQ_OQ) | _mm512_cmp_ps_mask(y, zero, _CMP_EQ_OQ);
    const __mmask16 negative = _mm512_movepi32_mask(_mm512_castps_si512(x));
    const __m512i whole = _mm512_cvttps_epi32(y);
    const __mmask16 broken = _mm512_cmp_ps_mask(_mm512_cvtepi32_ps(whole), y, _CMP_NEQ_UQ);
    const __mmask16 finite =
        _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(a, zero, _CMP_GT_OQ), a, OPGEN_ALL(INFINITY), _CMP_LT_OQ);
    const __mmask16 odd = _mm512_test_epi32_mask(whole, _mm512_set1_epi32(1));
    p = _mm512_mask_sub_ps(p, (__mmask16)(negative & odd & ~broken), OPGEN_ALL(-0.0f), p);
    p = _mm512_mask_mov_ps(p, negative & broken & finite, OPGEN_ALL(NAN));
    return _mm512_mask_mov_ps(p, is_one, one);
}
OPGEN_V4 static inline __m512 opgen_pow_wide_16(__m512 x, __m512 y) {
    const __m512 a = _mm512_abs_ps(x);
    const __m256 low = opgen_pow_8(_mm512_castps512_ps256(a), _mm512_castps512_ps256(y));
    const __m256 high = opgen_pow_8(_mm512_extractf32x8_ps(a, 1), _mm512_extractf32x8_ps(y, 1));
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

/* The powers of numbers that may be negative, made of those of their sizes. */
OPGEN_V4 static inline bool opgen_pow_signed_32(__m512 *p, const __m512 *x, const __m512 *y) {
    const __mmask16 near = _mm512_cmp_ps_mask(_mm512_abs_ps(y[0]), OPGEN_ALL(0x1p30f), _CMP_NGE_UQ);
    if ((near & _mm512_cmp_ps_mask(_mm512_abs_ps(y[1]), OPGEN_ALL(0x1p30f), _CMP_NGE_UQ)) != 0xffff) return false;
    OPGEN_BOTH p[k] = opgen_pow_signed_16(p[k], x[k], y[k]);
    return true;
}
/* Of the powers p of |x| those of x. */
OPGEN_V4_PART bool opgen_pow_of_signs(__m512 *p, const __m512 *x, const __m512 *y) {
    return _mm512_movepi32_mask(_mm512_castps_si512(_mm512_or_ps(x[0], x[1]))) == 0 || opgen_pow_signed_32(p, x, y);
}
OPGEN_V4_PART bool opgen_pow_2(__m512 *x, const __m512 *y) {
    __m512 p[2];
    if (!opgen_pow_short_32(p, x, y) || !opgen_pow_of_signs(p, x, y)) return false;
    OPGEN_BOTH x[k] = p[k];
    return true;
}
OPGEN_V4 static inline bool opgen_pow_near_32_v4(float *x, const float *y) {
    __m512 v[2], with[2];
    OPGEN_BOTH v[k] = _mm512_loadu_ps(x + 16 * k), with[k] = _mm512_loadu_ps(y + 16 * k);
    if (!opgen_pow_2(v, with)) {
        __m512 p[2];
        OPGEN_BOTH p[k] = opgen_pow_wide_16(v[k], with[k]);
        if (!opgen_pow_signed_32(p, v, with)) return false;
        OPGEN_BOTH v[k] = p[k];
    }
    OPGEN_BOTH _mm512_storeu_ps(x + 16 * k, v[k]);
    return true;
}

#pragma GCC diagnostic pop

/* Of 32 pairs that are near, in the place of the first ones; and so of such as are in arrays. */
#define OPGEN_PAIRS_V4(name)                                                                                           \
    OPGEN_V4_PART bool opgen_##name##_2(__m512 *x, const __m512 *y) {                                                  \
        __m512 low = x[0], high = x[1];                                                                                \
        const __mmask16 good = opgen_##name##_near_16(&low, y[0]);                                                     \
        if ((good & opgen_##name##_near_16(&high, y[1])) != 0xffff) return false;                                      \
        x[0] = low, x[1] = high;                                                                                       \
        return true;                                                                                                   \
    }                                                                                                                  \
    OPGEN_V4 static inline bool opgen_##name##_near_32_v4(float *x, const float *y) {                                  \
        __m512 v[2], with[2];                                                                                          \
        OPGEN_BOTH v[k] = _mm512_loadu_ps(x + 16 * k), with[k] = _mm512_loadu_ps(y + 16 * k);                          \
        if (!opgen_##name##_2(v, with)) return false;                                                                  \
        OPGEN_BOTH _mm512_storeu_ps(x + 16 * k, v[k]);                                                                 \
        return true;                                                                                                   \
    }
OPGEN_PAIRS_V4(fmod)
OPGEN_PAIRS_V4(mod)
OPGEN_PAIRS_V4(floordiv)
OPGEN_PAIRS_V4(hypot)
OPGEN_PAIRS_V4(atan2)
#undef OPGEN_PAIRS_V4
#endif

/* Where the divisor is not much smaller than what is divided, remainders are short to compute on any processor. */
OPGEN_INLINE bool opgen_fmod_all_near(const float *x, const float *y) {
    uint32_t far = 0;
    for (int i = 0; i < 32; i++)
        far |= opgen_mask(!opgen_fmod_is_near(x[i], y[i]));
    return far == 0;
}

#if defined(OPGEN_X86)
#define OPGEN_PAIRS_CHOOSE(name)                                                                                       \
    if (level == 4 && opgen_##name##_near_32_v4(x, y)) return;
#else
#define OPGEN_PAIRS_CHOOSE(name)
#endif
#define OPGEN_PAIRS(name, value)                                                                                       \
    OPGEN_INLINE void opgen_##name##_32(float *x, const float *y, int level) {                                         \
        (void)level;                                                                                                   \
        OPGEN_PAIRS_CHOOSE(name)                                                                                       \
        OPGEN_SIMD                                                                                                     \
        for (int i = 0; i < 32; i++)                                                                                   \
            x[i] = value;                                                                                              \
    }
#define OPGEN_REMAINDERS(name, of_near, value)                                                                         \
    OPGEN_INLINE void opgen_##name##_32(float *x, const float *y, int level) {                                         \
        (void)level;                                                                                                   \
        OPGEN_PAIRS_CHOOSE(name)                                                                                       \
        if (level != 4 && opgen_fmod_all_near(x, y)) {                                                                 \
            OPGEN_SIMD                                                                                                 \
            for (int i = 0; i < 32; i++)                                                                               \
                x[i] = of_near;                                                                                        \
            return;                                                                                                    \
        }                                                                                                              \
        OPGEN_SIMD                                                                                                     \
        for (int i = 0; i < 32; i++)                                                                                   \
            x[i] = value;                                                                                              \
    }
OPGEN_REMAINDERS(fmod, opgen_fmod_near_f32(x[i], y[i]), opgen_fmod_f32(x[i], y[i]))
OPGEN_REMAINDERS(mod, opgen_mod_left(opgen_fmod_near_f32(x[i], y[i]), y[i]), opgen_mod_f32(x[i], y[i]))
OPGEN_REMAINDERS(floordiv, opgen_floordiv_left(opgen_fmod_near_f32(x[i], y[i]), x[i], y[i]),
                 opgen_floordiv_f32(x[i], y[i]))
OPGEN_PAIRS(hypot, opgen_hypot_f32(x[i], y[i]))
OPGEN_PAIRS(atan2, opgen_atan2_f32(x[i], y[i]))
OPGEN_PAIRS(pow, opgen_pow_f32(x[i], y[i]))
#undef OPGEN_PAIRS_CHOOSE
#undef OPGEN_PAIRS
#undef OPGEN_REMAINDERS

#endif

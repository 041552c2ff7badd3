/* opgen_many_v3.h: what opgen_many.h and opgen_many_trig.h have for x86-64-v3: exponentials, logarithms, what
 * activations make of them, error functions, sine and cosine of many floats, 8 in a vector. A part of opgen_many.h,
 * which includes it.
 *
 * Such a processor has no table of 32 entries and no vscalefps, but fuses products, and multiplies, adds and shifts
 * beside each other. So a power of two is put together from a quarter's, one of four that vpermilps looks up, and an
 * exponent; what is odd and levels off is a quotient of polynomials, and logarithms are a polynomial in two halves:
 * what has to be waited for is kept short, since only so many results can be under way. What most operands do not need,
 * powers that are out of range above all, is left out where none of OPGEN_SOME needs it. tests/cpu/fit_math.py makes
 * the coefficients.
 */
#ifndef OPGEN_MANY_V3_H
#define OPGEN_MANY_V3_H

#include "opgen_exp.h"
#include "opgen_kernel.h"
#include "opgen_trig.h"

#if defined(OPGEN_X86)
#include <immintrin.h>

/* Vectors side by side, and a statement for each of `turns`: more than registers hold, but what waits in memory waits
 * beside what is computed. Fewer where results go past the cache: these, and what registers do not hold, wait in one
 * queue. They are a line then, and a line `ahead` bytes further on is asked for beside each. */
#define OPGEN_IN_TURNS 4
#define OPGEN_TURNS_PAST 2
#define OPGEN_SOME ((int64_t)8 * OPGEN_IN_TURNS)
#if defined(__clang__)
#define OPGEN_TIMES(n) _Pragma("clang loop unroll(full)") for (int i = 0; i < n; i++)
#else
#define OPGEN_TIMES(n) _Pragma("GCC unroll 4") for (int i = 0; i < n; i++)
#endif
#define OPGEN_EACH OPGEN_TIMES(turns)
#define OPGEN_EIGHT(x) _mm256_set1_ps(x)

/* The lesser and the greater of x and something else; what is not a number stays so. */
OPGEN_V3_PART __m256 opgen_at_most_8(__m256 x, float most) { return _mm256_min_ps(OPGEN_EIGHT(most), x); }
OPGEN_V3_PART __m256 opgen_at_least_8(__m256 x, float least) { return _mm256_max_ps(OPGEN_EIGHT(least), x); }
OPGEN_V3_PART __m256 opgen_minus_8(__m256 x) { return _mm256_xor_ps(x, OPGEN_EIGHT(-0.0f)); }
OPGEN_V3_PART __m256 opgen_minus_size_8(__m256 x) { return _mm256_or_ps(x, OPGEN_EIGHT(-0.0f)); }

/* v is n quarters of log(2), and r: gives exp(r) - 1, and n in the low bits of `rounded`. */
OPGEN_V3_PART void opgen_exp_rest_v3(int turns, __m256 *v, __m256 *rounded) {
    __m256 n[OPGEN_IN_TURNS], p[OPGEN_IN_TURNS];
    OPGEN_EACH rounded[i] = _mm256_fmadd_ps(v[i], OPGEN_EIGHT(0x1.715476p+2f), OPGEN_EIGHT(0x1.8p23f));
    OPGEN_EACH n[i] = _mm256_sub_ps(rounded[i], OPGEN_EIGHT(0x1.8p23f));
    OPGEN_EACH v[i] = _mm256_fnmadd_ps(n[i], OPGEN_EIGHT(0x1.62e4p-3f), v[i]);
    OPGEN_EACH v[i] = _mm256_fnmadd_ps(n[i], OPGEN_EIGHT(0x1.7f7d1cp-22f), v[i]);
    OPGEN_EACH p[i] = _mm256_fmadd_ps(v[i], OPGEN_EIGHT(0x1.5527fep-5f), OPGEN_EIGHT(0x1.5571dp-3f));
    OPGEN_EACH p[i] = _mm256_fmadd_ps(p[i], v[i], OPGEN_EIGHT(0x1.000006p-1f));
    OPGEN_EACH p[i] = _mm256_fmadd_ps(_mm256_mul_ps(v[i], v[i]), p[i], v[i]);
    OPGEN_EACH v[i] = p[i];
}

/* 2^(n / 4), where n stands in the low bits of `rounded`: which quarter it is says what to add n to. */
OPGEN_V3_PART __m256 opgen_power_8(__m256 rounded) {
    const __m256i table =
        _mm256_setr_epi32(0x3f800000, 0x3f9837f0 - (1 << 21), 0x3fb504f3 - (2 << 21), 0x3fd744fd - (3 << 21),
                          0x3f800000, 0x3f9837f0 - (1 << 21), 0x3fb504f3 - (2 << 21), 0x3fd744fd - (3 << 21));
    const __m256i n = _mm256_castps_si256(rounded),
                  part = _mm256_castps_si256(_mm256_permutevar_ps(_mm256_castsi256_ps(table), n));
    return _mm256_castsi256_ps(_mm256_add_epi32(part, _mm256_slli_epi32(n, 21)));
}

/* exp(x), for |x| up to OPGEN_EXP_MOST. */
#define OPGEN_EXP_MOST 87
OPGEN_V3_PART void opgen_exp_near_v3(int turns, __m256 *v) {
    __m256 rounded[OPGEN_IN_TURNS];
    opgen_exp_rest_v3(turns, v, rounded);
    OPGEN_EACH rounded[i] = opgen_power_8(rounded[i]);
    OPGEN_EACH v[i] = _mm256_fmadd_ps(rounded[i], v[i], rounded[i]);
}

/* The same of what is not positive, to be added to 1 or beside that: from -87 on down it is 0. */
OPGEN_V3_PART void opgen_exp_beside_1_v3(int turns, __m256 *v) {
    __m256 some[OPGEN_IN_TURNS];
    OPGEN_EACH some[i] = _mm256_cmp_ps(v[i], OPGEN_EIGHT(-87), _CMP_NLT_UQ);
    OPGEN_EACH v[i] = opgen_at_least_8(v[i], -87);
    opgen_exp_near_v3(turns, v);
    OPGEN_EACH v[i] = _mm256_and_ps(v[i], some[i]);
}

/* Of any x. A power of two is two factors; of less than `least` it is 0 and not computed: a product that is subnormal
 * takes some processors long. */
OPGEN_V3_PART __m256 opgen_scaled_8(__m256 rounded, __m256 part, __m256 some) {
    const __m256i half = _mm256_slli_epi32(_mm256_srai_epi32(_mm256_castps_si256(rounded), 3), 23);
    const __m256 power = _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_castps_si256(opgen_power_8(rounded)), half));
    const __m256 other = _mm256_castsi256_ps(_mm256_add_epi32(half, _mm256_set1_epi32(0x3f800000)));
    return _mm256_mul_ps(_mm256_fmadd_ps(power, part, power), _mm256_and_ps(other, some));
}
OPGEN_V3_PART void opgen_exp_any_v3(int turns, __m256 *v, float least) {
    __m256 rounded[OPGEN_IN_TURNS], some[OPGEN_IN_TURNS];
    OPGEN_EACH some[i] = _mm256_cmp_ps(v[i], OPGEN_EIGHT(least), _CMP_NLT_UQ);
    OPGEN_EACH v[i] = opgen_at_most_8(opgen_at_least_8(v[i], -104), 89);
    opgen_exp_rest_v3(turns, v, rounded);
    OPGEN_EACH v[i] = opgen_scaled_8(rounded[i], v[i], some[i]);
}

OPGEN_V3_PART void opgen_exp_v3(int turns, __m256 *v, float least, bool near) {
    if (near)
        opgen_exp_near_v3(turns, v);
    else
        opgen_exp_any_v3(turns, v, least);
}

OPGEN_V3_PART void opgen_exp2_v3(int turns, __m256 *v, bool near) {
    __m256 rounded[OPGEN_IN_TURNS], some[OPGEN_IN_TURNS], p[OPGEN_IN_TURNS];
    if (!near) {
        OPGEN_EACH some[i] = _mm256_cmp_ps(v[i], OPGEN_EIGHT(-150), _CMP_NLT_UQ);
        OPGEN_EACH v[i] = opgen_at_most_8(opgen_at_least_8(v[i], -150), 129);
    }
    OPGEN_EACH rounded[i] = _mm256_add_ps(v[i], OPGEN_EIGHT(0x1.8p21f));
    OPGEN_EACH v[i] = _mm256_sub_ps(v[i], _mm256_sub_ps(rounded[i], OPGEN_EIGHT(0x1.8p21f)));
    OPGEN_EACH p[i] = _mm256_fmadd_ps(v[i], OPGEN_EIGHT(0x1.3b810cp-7f), OPGEN_EIGHT(0x1.c6eb36p-5f));
    OPGEN_EACH p[i] = _mm256_fmadd_ps(p[i], v[i], OPGEN_EIGHT(0x1.ebfbd6p-3f));
    OPGEN_EACH p[i] = _mm256_fmadd_ps(p[i], v[i], OPGEN_EIGHT(0x1.62e42cp-1f));
    OPGEN_EACH v[i] = _mm256_mul_ps(p[i], v[i]);
    if (near) {
        OPGEN_EACH rounded[i] = opgen_power_8(rounded[i]);
        OPGEN_EACH v[i] = _mm256_fmadd_ps(rounded[i], v[i], rounded[i]);
    } else {
        OPGEN_EACH v[i] = opgen_scaled_8(rounded[i], v[i], some[i]);
    }
}

/* x / (1 + exp(-x)), or 1 / that. Up to OPGEN_SIGMOID_MOST the exponential of what is left of x is a quotient, (12 - 6r
 * + r^2) / (12 + 6r + r^2), and all of it is one: shorter to wait for than a polynomial and then a quotient. */
#define OPGEN_SIGMOID_MOST 80
OPGEN_V3_PART void opgen_sigmoid_v3(int turns, __m256 *v, bool times_x, bool near) {
    __m256 n[OPGEN_IN_TURNS], r[OPGEN_IN_TURNS], above[OPGEN_IN_TURNS], below[OPGEN_IN_TURNS];
    if (!near) {
        OPGEN_EACH r[i] = opgen_minus_8(v[i]);
        opgen_exp_any_v3(turns, r, -87);
        OPGEN_EACH v[i] = _mm256_div_ps(times_x ? v[i] : OPGEN_EIGHT(1), _mm256_add_ps(r[i], OPGEN_EIGHT(1)));
        return;
    }
    OPGEN_EACH below[i] = _mm256_fmadd_ps(v[i], OPGEN_EIGHT(-0x1.715476p+2f), OPGEN_EIGHT(0x1.8p23f));
    OPGEN_EACH n[i] = _mm256_sub_ps(below[i], OPGEN_EIGHT(0x1.8p23f));
    OPGEN_EACH r[i] = _mm256_fmadd_ps(n[i], OPGEN_EIGHT(0x1.62e4p-3f), v[i]);
    OPGEN_EACH r[i] = _mm256_fmadd_ps(n[i], OPGEN_EIGHT(0x1.7f7d1cp-22f), r[i]);
    OPGEN_EACH n[i] = opgen_power_8(below[i]);
    OPGEN_EACH below[i] = _mm256_fmadd_ps(r[i], r[i], OPGEN_EIGHT(12));
    OPGEN_EACH above[i] = _mm256_fmadd_ps(r[i], OPGEN_EIGHT(6), below[i]);
    OPGEN_EACH below[i] = _mm256_fnmadd_ps(r[i], OPGEN_EIGHT(6), below[i]);
    OPGEN_EACH below[i] = _mm256_fmadd_ps(n[i], below[i], above[i]);
    OPGEN_EACH v[i] = _mm256_div_ps(times_x ? _mm256_mul_ps(v[i], above[i]) : above[i], below[i]);
}

/* x times a quotient of two polynomials of its square, x no further from 0 than `most`: there and beyond it is `end`,
 * which nothing passes. Neither polynomial has terms that take from each other. */
typedef struct OpgenQuotient {
    float most, end, above[6], below[6];
} OpgenQuotient;
static const OpgenQuotient opgen_tanh_quotient = {
    8.8f,
    1,
    {1, 0x1.124f38p-3f, 0x1.cc334ep-9f, 0x1.5e1004p-16f, 0x1.d738f8p-27f},
    {1, 0x1.de7ce8p-2f, 0x1.a8ee48p-6f, 0x1.5b2ec4p-12f, 0x1.a9599ap-21f}};
static const OpgenQuotient opgen_erf_quotient = {
    3.93f,
    1,
    {0x1.893c1cp+0f, 0x1.09f2a8p-2f, 0x1.265acp-4f, 0x1.51312ap-8f, 0x1.968c32p-12f, 0x1.751476p-19f},
    {0x1.5c7ecap+0f, 0x1.5e2cc6p-1f, 0x1.3e8b76p-3f, 0x1.4e7f2cp-6f, 0x1.9fd048p-10f, 0x1.b1fc9ap-15f}};
/* What gelu is x times of, less 1/2, and that of gelu by tanh. */
static const OpgenQuotient opgen_gelu_quotient = {
    5.6f,
    0.5f,
    {0x1.ac6fdcp-2f, 0x1.261248p-5f, 0x1.42db8ep-8f, 0x1.7ac608p-13f, 0x1.bdc4f2p-18f, 0x1.8fd4ccp-26f},
    {0x1.0c7baap+0f, 0x1.0f2102p-2f, 0x1.efc884p-6f, 0x1.05b694p-9f, 0x1.47c5bp-14f, 0x1.4c2772p-20f}};
static const OpgenQuotient opgen_gelu_tanh_quotient = {
    0x1.399982p+2f,
    0.5f,
    {0x1.ac6fep-2f, 0x1.093264p-5f, 0x1.f13fbap-9f, 0x1.27abf8p-13f, 0x1.d66d18p-18f, 0x1.77c7cep-26f},
    {0x1.0c7baap+0f, 0x1.06f808p-2f, 0x1.a51cbep-6f, 0x1.649d58p-10f, 0x1.47284ap-14f, 0x1.517c98p-20f}};

OPGEN_V3_PART void opgen_odd_v3(int turns, __m256 *v, const OpgenQuotient *of, int powers) {
    __m256 q[OPGEN_IN_TURNS], above[OPGEN_IN_TURNS], below[OPGEN_IN_TURNS];
    OPGEN_EACH v[i] = opgen_at_most_8(opgen_at_least_8(v[i], -of->most), of->most);
    OPGEN_EACH q[i] = _mm256_mul_ps(v[i], v[i]);
    OPGEN_EACH above[i] = _mm256_fmadd_ps(q[i], OPGEN_EIGHT(of->above[powers]), OPGEN_EIGHT(of->above[powers - 1]));
    OPGEN_EACH below[i] = _mm256_fmadd_ps(q[i], OPGEN_EIGHT(of->below[powers]), OPGEN_EIGHT(of->below[powers - 1]));
    for (int power = powers - 2; power >= 0; power--) {
        OPGEN_EACH above[i] = _mm256_fmadd_ps(above[i], q[i], OPGEN_EIGHT(of->above[power]));
        OPGEN_EACH below[i] = _mm256_fmadd_ps(below[i], q[i], OPGEN_EIGHT(of->below[power]));
    }
    OPGEN_EACH v[i] = _mm256_div_ps(_mm256_mul_ps(v[i], above[i]), below[i]);
    OPGEN_EACH v[i] = opgen_at_most_8(opgen_at_least_8(v[i], -of->end), of->end);
}
OPGEN_V3_PART void opgen_gelu_v3(int turns, __m256 *v, const OpgenQuotient *of) {
    __m256 odd[OPGEN_IN_TURNS];
    OPGEN_EACH odd[i] = v[i];
    opgen_odd_v3(turns, odd, of, 5);
    OPGEN_EACH v[i] = _mm256_mul_ps(v[i], _mm256_add_ps(odd[i], OPGEN_EIGHT(0.5f)));
}

/* log(1 + exp(-|x|)): by the series of log(1 + t) in t / (2 + t), twice that. */
OPGEN_V3_PART void opgen_log1p_exp_below_v3(int turns, __m256 *v, bool near) {
    __m256 q[OPGEN_IN_TURNS], p[OPGEN_IN_TURNS];
    OPGEN_EACH v[i] = opgen_minus_size_8(v[i]);
    opgen_exp_v3(turns, v, -104, near);
    OPGEN_EACH v[i] = _mm256_div_ps(_mm256_add_ps(v[i], v[i]), _mm256_add_ps(v[i], OPGEN_EIGHT(2)));
    OPGEN_EACH q[i] = _mm256_mul_ps(v[i], v[i]);
    OPGEN_EACH p[i] = _mm256_fmadd_ps(q[i], OPGEN_EIGHT(0x1.1eca04p-11f), OPGEN_EIGHT(0x1.1ec042p-9f));
    OPGEN_EACH p[i] = _mm256_fmadd_ps(p[i], _mm256_mul_ps(q[i], q[i]),
                                      _mm256_fmadd_ps(q[i], OPGEN_EIGHT(0x1.99d1ccp-7f), OPGEN_EIGHT(0x1.555502p-4f)));
    OPGEN_EACH v[i] = _mm256_fmadd_ps(_mm256_mul_ps(v[i], q[i]), p[i], v[i]);
}
OPGEN_V3_PART void opgen_softplus_v3(int turns, __m256 *v, bool near) {
    __m256 log[OPGEN_IN_TURNS];
    OPGEN_EACH log[i] = v[i];
    opgen_log1p_exp_below_v3(turns, log, near);
    OPGEN_EACH v[i] = _mm256_add_ps(opgen_at_least_8(v[i], 0), log[i]);
}
OPGEN_V3_PART void opgen_logsigmoid_v3(int turns, __m256 *v, bool near) {
    __m256 log[OPGEN_IN_TURNS];
    OPGEN_EACH log[i] = v[i];
    opgen_log1p_exp_below_v3(turns, log, near);
    OPGEN_EACH v[i] = _mm256_sub_ps(opgen_at_most_8(v[i], -0.0f), log[i]);
}

/* w / (w + 2), where w is (exp(x) + 1)^2 - 1; or that times x. */
OPGEN_V3_PART void opgen_tanh_log1p_exp_v3(int turns, __m256 *v, bool times_x, bool near) {
    __m256 e[OPGEN_IN_TURNS];
    OPGEN_EACH e[i] = near ? v[i] : opgen_at_most_8(v[i], 20);
    opgen_exp_v3(turns, e, -104, near);
    OPGEN_EACH e[i] = _mm256_fmadd_ps(e[i], e[i], _mm256_add_ps(e[i], e[i]));
    if (near) {
        OPGEN_EACH v[i] =
            _mm256_div_ps(times_x ? _mm256_mul_ps(v[i], e[i]) : e[i], _mm256_add_ps(e[i], OPGEN_EIGHT(2)));
    } else { /* the product could be too large */
        OPGEN_EACH e[i] = _mm256_div_ps(e[i], _mm256_add_ps(e[i], OPGEN_EIGHT(2)));
        OPGEN_EACH v[i] = times_x ? _mm256_mul_ps(v[i], e[i]) : e[i];
    }
}

/* A positive normal number is m * 2^n, m from 2/3 to 4/3: gives f = m - 1, its square in q, 2^23 * n, and a polynomial
 * of f, lowest power first: what the logarithm is more than f times something, divided by q. */
static const float opgen_log_rest[9] = {-0.5f,           0x1.555506p-2f,  -0x1.fffefcp-3f,
                                        0x1.99d044p-3f,  -0x1.559c46p-3f, 0x1.1ed66p-3f,
                                        -0x1.f332a2p-4f, 0x1.1e67ap-3f,   -0x1.07c976p-3f};
static const float opgen_log2_rest[9] = {-0x1.715476p-1f, 0x1.ec703p-2f,   -0x1.7153ep-2f,
                                         0x1.279d6cp-2f,  -0x1.ecd0d8p-3f, 0x1.9de66ap-3f,
                                         -0x1.684fbp-3f,  0x1.9cda3ep-3f,  -0x1.7bdab8p-3f};
/* The last two, of f. */
OPGEN_V3_PART void opgen_log_series_v3(int turns, const __m256 *v, __m256 *q, __m256 *rest, const float *of) {
    __m256 even[OPGEN_IN_TURNS], odd[OPGEN_IN_TURNS];
    OPGEN_EACH q[i] = _mm256_mul_ps(v[i], v[i]);
    OPGEN_EACH even[i] = _mm256_fmadd_ps(q[i], OPGEN_EIGHT(of[8]), OPGEN_EIGHT(of[6]));
    OPGEN_EACH odd[i] = _mm256_fmadd_ps(q[i], OPGEN_EIGHT(of[7]), OPGEN_EIGHT(of[5]));
    OPGEN_EACH even[i] = _mm256_fmadd_ps(even[i], q[i], OPGEN_EIGHT(of[4]));
    OPGEN_EACH odd[i] = _mm256_fmadd_ps(odd[i], q[i], OPGEN_EIGHT(of[3]));
    OPGEN_EACH even[i] = _mm256_fmadd_ps(even[i], q[i], OPGEN_EIGHT(of[2]));
    OPGEN_EACH odd[i] = _mm256_fmadd_ps(odd[i], q[i], OPGEN_EIGHT(of[1]));
    OPGEN_EACH even[i] = _mm256_fmadd_ps(even[i], q[i], OPGEN_EIGHT(of[0]));
    OPGEN_EACH rest[i] = _mm256_fmadd_ps(odd[i], v[i], even[i]);
}
OPGEN_V3_PART void opgen_log_rest_v3(int turns, __m256 *v, __m256 *n, __m256 *q, __m256 *rest, const float *of) {
    __m256i e[OPGEN_IN_TURNS];
    OPGEN_EACH e[i] = _mm256_sub_epi32(_mm256_castps_si256(v[i]), _mm256_set1_epi32(0x3f2aaaab));
    OPGEN_EACH e[i] = _mm256_and_si256(e[i], _mm256_set1_epi32(-0x00800000));
    OPGEN_EACH v[i] = _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_castps_si256(v[i]), e[i]));
    OPGEN_EACH v[i] = _mm256_sub_ps(v[i], OPGEN_EIGHT(1));
    OPGEN_EACH n[i] = _mm256_cvtepi32_ps(e[i]);
    opgen_log_series_v3(turns, v, q, rest, of);
}
/* What log(2) is more than a float is 2^-28 of it, and left out. */
OPGEN_V3_PART void opgen_log_normal_v3(int turns, __m256 *v) {
    __m256 n[OPGEN_IN_TURNS], q[OPGEN_IN_TURNS], rest[OPGEN_IN_TURNS];
    opgen_log_rest_v3(turns, v, n, q, rest, opgen_log_rest);
    OPGEN_EACH v[i] = _mm256_fmadd_ps(q[i], rest[i], v[i]);
    OPGEN_EACH v[i] = _mm256_fmadd_ps(n[i], OPGEN_EIGHT(0x1.62e43p-24f), v[i]);
}
OPGEN_V3_PART void opgen_log2_normal_v3(int turns, __m256 *v) {
    __m256 n[OPGEN_IN_TURNS], q[OPGEN_IN_TURNS], rest[OPGEN_IN_TURNS];
    opgen_log_rest_v3(turns, v, n, q, rest, opgen_log2_rest);
    OPGEN_EACH rest[i] = _mm256_fmadd_ps(v[i], OPGEN_EIGHT(0x1.4ae0cp-26f), _mm256_mul_ps(q[i], rest[i]));
    OPGEN_EACH v[i] = _mm256_fmadd_ps(v[i], OPGEN_EIGHT(0x1.715476p+0f), rest[i]);
    OPGEN_EACH v[i] = _mm256_fmadd_ps(n[i], OPGEN_EIGHT(0x1p-23f), v[i]);
}

/* x less n halves of a turn, in three parts, none of them negative, and the sine of what is left by multiplication, so
 * that -0 stays what it is; with the sign of n. A cosine is that of a quarter more. The polynomial is a little less
 * than the sine at its end, or some results were more than 1. */
OPGEN_V3_PART void opgen_sine_v3(int turns, __m256 *v, bool cosine) {
    __m256 n[OPGEN_IN_TURNS], q[OPGEN_IN_TURNS], p[OPGEN_IN_TURNS], sign[OPGEN_IN_TURNS];
    if (cosine) {
        OPGEN_EACH n[i] = _mm256_fmadd_ps(v[i], OPGEN_EIGHT(0x1.45f306p-2f), OPGEN_EIGHT(0.5f));
        OPGEN_EACH sign[i] = _mm256_add_ps(n[i], OPGEN_EIGHT(0x1.8p23f));
        OPGEN_EACH n[i] = _mm256_sub_ps(_mm256_sub_ps(sign[i], OPGEN_EIGHT(0x1.8p23f)), OPGEN_EIGHT(0.5f));
    } else {
        OPGEN_EACH sign[i] = _mm256_fmadd_ps(v[i], OPGEN_EIGHT(0x1.45f306p-2f), OPGEN_EIGHT(0x1.8p23f));
        OPGEN_EACH n[i] = _mm256_sub_ps(sign[i], OPGEN_EIGHT(0x1.8p23f));
    }
    OPGEN_EACH v[i] = _mm256_fnmadd_ps(n[i], OPGEN_EIGHT(0x1.921fb4p+1f), v[i]);
    OPGEN_EACH v[i] = _mm256_fnmadd_ps(n[i], OPGEN_EIGHT(0x1.4442dp-23f), v[i]);
    OPGEN_EACH v[i] = _mm256_fnmadd_ps(n[i], OPGEN_EIGHT(0x1.846988p-47f), v[i]);
    OPGEN_EACH q[i] = _mm256_mul_ps(v[i], v[i]);
    OPGEN_EACH p[i] = _mm256_fmadd_ps(q[i], OPGEN_EIGHT(0x1.5dc19ap-19f), OPGEN_EIGHT(-0x1.9f71c4p-13f));
    OPGEN_EACH p[i] = _mm256_fmadd_ps(p[i], q[i], OPGEN_EIGHT(0x1.110edcp-7f));
    OPGEN_EACH p[i] = _mm256_fmadd_ps(p[i], q[i], OPGEN_EIGHT(-0x1.55554cp-3f));
    OPGEN_EACH v[i] = _mm256_mul_ps(v[i], _mm256_fmadd_ps(p[i], q[i], OPGEN_EIGHT(1)));
    OPGEN_EACH sign[i] = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(sign[i]), 31));
    OPGEN_EACH v[i] = _mm256_xor_ps(v[i], sign[i]);
}

/* ---- of n */

/* Of n floats: the loop for what name_some makes of some vectors in turns; what is left is filled up with ones. And the
 * same of as many as these are a multiple of, to memory past the cache. */
#define OPGEN_MANY_OF_SOME_V3(name)                                                                                    \
    OPGEN_V3 static inline void opgen_##name##_many_v3(float *to, const float *x, int64_t n) {                         \
        int64_t k = 0;                                                                                                 \
        for (; k + OPGEN_SOME <= n; k += OPGEN_SOME)                                                                   \
            opgen_##name##_some_v3(to + k, x + k);                                                                     \
        if (k < n) {                                                                                                   \
            float some[OPGEN_SOME];                                                                                    \
            for (int64_t l = 0; l < OPGEN_SOME; l++)                                                                   \
                some[l] = k + l < n ? x[k + l] : 1;                                                                    \
            opgen_##name##_some_v3(some, some);                                                                        \
            memcpy(to + k, some, (size_t)(n - k) * sizeof *x);                                                         \
        }                                                                                                              \
    }

/* The function of many that `call` makes of v. */
#define OPGEN_MANY_V3(name, call)                                                                                      \
    OPGEN_V3_PART void opgen_##name##_some_v3(float *to, const float *x) {                                             \
        enum { turns = OPGEN_IN_TURNS };                                                                               \
        __m256 v[OPGEN_IN_TURNS];                                                                                      \
        OPGEN_EACH v[i] = _mm256_loadu_ps(x + 8 * i);                                                                  \
        call;                                                                                                          \
        OPGEN_EACH _mm256_storeu_ps(to + 8 * i, v[i]);                                                                 \
    }                                                                                                                  \
    OPGEN_V3 static inline void opgen_##name##_past_v3(float *to, const float *x, int64_t n, int64_t ahead) {          \
        enum { turns = OPGEN_TURNS_PAST };                                                                             \
        __m256 v[OPGEN_IN_TURNS];                                                                                      \
        for (int64_t k = 0; k < n; k += 8 * turns) {                                                                   \
            if (ahead != 0) OPGEN_PREFETCH_PASSING((uintptr_t)(x + k) + (uintptr_t)ahead);                             \
            OPGEN_EACH v[i] = _mm256_loadu_ps(x + k + 8 * i);                                                          \
            call;                                                                                                      \
            OPGEN_EACH _mm256_stream_ps(to + k + 8 * i, v[i]);                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_MANY_OF_SOME_V3(name)

/* How far each is from the number whose bits are `low`, upwards; of 0, its size; or how far 1 + x is from the least
 * normal number. As integers without a sign they are in order. */
#define OPGEN_OF_1_MORE -1
OPGEN_V3_PART __m256i opgen_place_8(__m256 x, int low) {
    const __m256i bits = _mm256_castps_si256(low == OPGEN_OF_1_MORE ? _mm256_add_ps(x, OPGEN_EIGHT(1)) : x);
    if (low == OPGEN_OF_1_MORE) return _mm256_sub_epi32(bits, _mm256_set1_epi32(0x00800000));
    return low == 0 ? _mm256_and_si256(bits, _mm256_set1_epi32(INT32_MAX))
                    : _mm256_sub_epi32(bits, _mm256_set1_epi32(low));
}
OPGEN_V3_PART bool opgen_none_beyond_8(__m256i places, int most) {
    const __m256i limit = _mm256_set1_epi32(most);
    return _mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_max_epu32(places, limit), limit)) == -1;
}

/* The same where all of v are near, `most` at most from `low`; where one is not, `other`, which is apart from the loop:
 * beside it it would take its registers. What goes past the cache is looked at behind it, 512 at once, and stored again. */
#define OPGEN_NEAR_V3(name, low, most, call, other)                                                                    \
    OPGEN_V3 __attribute__((noinline, unused)) static void opgen_##name##_far_v3(float *to, const float *x) {          \
        enum { turns = OPGEN_IN_TURNS };                                                                               \
        __m256 v[OPGEN_IN_TURNS];                                                                                      \
        OPGEN_EACH v[i] = _mm256_loadu_ps(x + 8 * i);                                                                  \
        other;                                                                                                         \
        OPGEN_EACH _mm256_storeu_ps(to + 8 * i, v[i]);                                                                 \
    }                                                                                                                  \
    OPGEN_V3_PART void opgen_##name##_some_v3(float *to, const float *x) {                                             \
        enum { turns = OPGEN_IN_TURNS };                                                                               \
        __m256 v[OPGEN_IN_TURNS];                                                                                      \
        __m256i places = _mm256_setzero_si256();                                                                       \
        OPGEN_EACH v[i] = _mm256_loadu_ps(x + 8 * i);                                                                  \
        OPGEN_EACH places = _mm256_max_epu32(places, opgen_place_8(v[i], low));                                        \
        if (opgen_none_beyond_8(places, most)) {                                                                       \
            call;                                                                                                      \
            OPGEN_EACH _mm256_storeu_ps(to + 8 * i, v[i]);                                                             \
        } else {                                                                                                       \
            opgen_##name##_far_v3(to, x);                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V3 static inline void opgen_##name##_past_v3(float *to, const float *x, int64_t n, int64_t ahead) {          \
        enum { turns = OPGEN_TURNS_PAST };                                                                             \
        __m256 v[OPGEN_IN_TURNS];                                                                                      \
        for (int64_t from = 0, end; from < n; from = end) {                                                            \
            __m256i places = _mm256_setzero_si256();                                                                   \
            end = opgen_min(from + 16 * OPGEN_SOME, n);                                                                \
            for (int64_t k = from; k < end; k += 8 * turns) {                                                          \
                if (ahead != 0) OPGEN_PREFETCH_PASSING((uintptr_t)(x + k) + (uintptr_t)ahead);                         \
                OPGEN_EACH v[i] = _mm256_loadu_ps(x + k + 8 * i);                                                      \
                OPGEN_EACH places = _mm256_max_epu32(places, opgen_place_8(v[i], low));                                \
                call;                                                                                                  \
                OPGEN_EACH _mm256_stream_ps(to + k + 8 * i, v[i]);                                                     \
            }                                                                                                          \
            if (opgen_none_beyond_8(places, most)) continue;                                                           \
            for (int64_t k = from; k < end; k += OPGEN_SOME)                                                           \
                opgen_##name##_some_v3(to + k, x + k);                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_MANY_OF_SOME_V3(name)

/* Of vectors what `of` makes of each float, as elsewhere. */
#define OPGEN_ONE_BY_ONE_V3(of)                                                                                        \
    do {                                                                                                               \
        float each[OPGEN_SOME];                                                                                        \
        OPGEN_EACH _mm256_storeu_ps(each + 8 * i, v[i]);                                                               \
        OPGEN_SIMD                                                                                                     \
        for (int64_t l = 0; l < OPGEN_SOME; l++)                                                                       \
            each[l] = of(each[l]);                                                                                     \
        OPGEN_EACH v[i] = _mm256_loadu_ps(each + 8 * i);                                                               \
    } while (0)

/* The bits of 87, 80, 20 and 2^16, of the least normal number, and how far the greatest is from that. */
#define OPGEN_87 0x42ae0000
#define OPGEN_80 0x42a00000
#define OPGEN_20 0x41a00000
#define OPGEN_64K 0x47800000
#define OPGEN_LEAST 0x00800000
#define OPGEN_TO_MOST 0x7effffff

OPGEN_NEAR_V3(exp, 0, OPGEN_87, opgen_exp_near_v3(turns, v), opgen_exp_any_v3(turns, v, -104))
OPGEN_MANY_V3(exp_beside_1, opgen_exp_beside_1_v3(turns, v))
OPGEN_NEAR_V3(exp2, 0, OPGEN_87, opgen_exp2_v3(turns, v, true), opgen_exp2_v3(turns, v, false))
OPGEN_NEAR_V3(sigmoid, 0, OPGEN_80, opgen_sigmoid_v3(turns, v, false, true), opgen_sigmoid_v3(turns, v, false, false))
OPGEN_NEAR_V3(silu, 0, OPGEN_80, opgen_sigmoid_v3(turns, v, true, true), opgen_sigmoid_v3(turns, v, true, false))
OPGEN_MANY_V3(tanh, opgen_odd_v3(turns, v, &opgen_tanh_quotient, 4))
OPGEN_MANY_V3(erf, opgen_odd_v3(turns, v, &opgen_erf_quotient, 5))
OPGEN_MANY_V3(gelu, opgen_gelu_v3(turns, v, &opgen_gelu_quotient))
OPGEN_MANY_V3(gelu_tanh, opgen_gelu_v3(turns, v, &opgen_gelu_tanh_quotient))
OPGEN_NEAR_V3(softplus, 0, OPGEN_87, opgen_softplus_v3(turns, v, true), opgen_softplus_v3(turns, v, false))
OPGEN_NEAR_V3(log1p_exp, 0, OPGEN_87, opgen_softplus_v3(turns, v, true), opgen_softplus_v3(turns, v, false))
OPGEN_NEAR_V3(logsigmoid, 0, OPGEN_87, opgen_logsigmoid_v3(turns, v, true), opgen_logsigmoid_v3(turns, v, false))
OPGEN_NEAR_V3(mish, 0, OPGEN_20, opgen_tanh_log1p_exp_v3(turns, v, true, true),
              opgen_tanh_log1p_exp_v3(turns, v, true, false))
OPGEN_NEAR_V3(tanh_log1p_exp, 0, OPGEN_20, opgen_tanh_log1p_exp_v3(turns, v, false, true),
              opgen_tanh_log1p_exp_v3(turns, v, false, false))
OPGEN_NEAR_V3(log, OPGEN_LEAST, OPGEN_TO_MOST, opgen_log_normal_v3(turns, v), OPGEN_ONE_BY_ONE_V3(opgen_log_f32))
OPGEN_NEAR_V3(log2, OPGEN_LEAST, OPGEN_TO_MOST, opgen_log2_normal_v3(turns, v), OPGEN_ONE_BY_ONE_V3(opgen_log2_f32))
OPGEN_NEAR_V3(sin, 0, OPGEN_64K, opgen_sine_v3(turns, v, false), OPGEN_ONE_BY_ONE_V3(opgen_sin_f32))
OPGEN_NEAR_V3(cos, 0, OPGEN_64K, opgen_sine_v3(turns, v, true), OPGEN_ONE_BY_ONE_V3(opgen_cos_f32))

#undef OPGEN_87
#undef OPGEN_80
#undef OPGEN_20
#undef OPGEN_64K
#undef OPGEN_LEAST
#undef OPGEN_TO_MOST
#endif

#endif

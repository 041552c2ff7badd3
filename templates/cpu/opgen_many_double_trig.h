/* opgen_many_double_trig.h: sine, cosine and tangent of many doubles, and their inverses: see opgen_many_double.h. Four vectors
 * at once, a step of each after the other: what waits for one has three others beside it. Where one of them is further off than the
 * step can do, all of them go the way of opgen_double_trig.h. tests/cpu/fit_double.py makes the coefficients.
 */
#ifndef OPGEN_MANY_DOUBLE_TRIG_H
#define OPGEN_MANY_DOUBLE_TRIG_H

#include "opgen_double_trig.h"
#include "opgen_many_double.h"

#if defined(OPGEN_X86)

/* ---- of angles up to OPGEN_ANGLE_MOST: |x| is n * pi / 2 and r, n a whole number, in the low bits of z. The first difference is
 * exact. */
#define OPGEN_ANGLE_MOST 0x1p30
OPGEN_V4_PART __m512d opgen_less_quarters_8(__m512d x, __m512i *z) {
    const __m512d a = _mm512_abs_pd(x), whole = OPGEN_DOUBLES(0x1.8p52);
    const __m512d rounded = _mm512_fmadd_pd(a, OPGEN_DOUBLES(0x1.45f306dc9c883p-1), whole), n = _mm512_sub_pd(rounded, whole);
    __m512d r = _mm512_fnmadd_pd(n, OPGEN_DOUBLES(0x1.921fb54442d18p+0), a);
    r = _mm512_fnmadd_pd(n, OPGEN_DOUBLES(0x1.1a62633145c06p-54), r);
    *z = _mm512_castpd_si512(rounded);
    return _mm512_fnmadd_pd(n, OPGEN_DOUBLES(0x1.c1cd129024e09p-107), r);
}

/* One of two. */
OPGEN_V4_PART __m512d opgen_either_8(__mmask8 second, double is, double other) {
    return _mm512_mask_mov_pd(OPGEN_DOUBLES(is), second, OPGEN_DOUBLES(other));
}

/* The sine or the cosine of r, as the number of quarters says, with its sign: cosine is the sine of a quarter more. It is one
 * polynomial whose coefficients are chosen: there is less to multiply than in both, and choosing waits for nothing. */
OPGEN_V4_PART void opgen_sine_of_32(__m512d *v, bool cosine) {
    __m512d r[4], q[4], p[4];
    __m512i z[4];
    __mmask8 other[4];
    OPGEN_ALL_OF(4) {
        r[i] = opgen_less_quarters_8(v[i], &z[i]);
        q[i] = _mm512_mul_pd(r[i], r[i]);
        if (cosine) z[i] = _mm512_add_epi64(z[i], _mm512_set1_epi64(1));
        other[i] = _mm512_test_epi64_mask(z[i], _mm512_set1_epi64(1));
        p[i] = _mm512_fmadd_pd(opgen_either_8(other[i], 0, -0x1.8f9f7e3323572p-37), q[i], opgen_either_8(other[i], 0x1.5d8e4e5a70d06p-33, 0x1.1ee9cce91a297p-29));
    }
    OPGEN_ALL_OF(4) p[i] = _mm512_fmadd_pd(p[i], q[i], opgen_either_8(other[i], -0x1.ae5e54bbfd38p-26, -0x1.27e4f7d9272c4p-22));
    OPGEN_ALL_OF(4) p[i] = _mm512_fmadd_pd(p[i], q[i], opgen_either_8(other[i], 0x1.71de355f50bbp-19, 0x1.a01a019c68c76p-16));
    OPGEN_ALL_OF(4) p[i] = _mm512_fmadd_pd(p[i], q[i], opgen_either_8(other[i], -0x1.a01a019bf2605p-13, -0x1.6c16c16c14e4bp-10));
    OPGEN_ALL_OF(4) p[i] = _mm512_fmadd_pd(p[i], q[i], opgen_either_8(other[i], 0x1.111111110f75ep-7, 0x1.555555555554ap-5));
    OPGEN_ALL_OF(4) p[i] = _mm512_fmadd_pd(p[i], q[i], opgen_either_8(other[i], -0x1.5555555555548p-3, -0.5));
    OPGEN_ALL_OF(4) {
        const __m512d by = _mm512_mul_pd(q[i], _mm512_mask_mov_pd(r[i], other[i], OPGEN_DOUBLES(1)));
        const __m512d size = _mm512_fmadd_pd(p[i], by, _mm512_mask_mov_pd(r[i], other[i], OPGEN_DOUBLES(1)));
        const __m512i turn = _mm512_slli_epi64(z[i], 62);
        v[i] = opgen_turned_f64(size, cosine ? turn : _mm512_xor_si512(turn, _mm512_castpd_si512(v[i])));
    }
}

/* A quotient of two polynomials, in odd quarters the other way round and negative. */
OPGEN_V4_PART void opgen_tan_of_32(__m512d *v) {
    __m512d r[4], q[4], up[4], down[4];
    __m512i z[4];
    OPGEN_ALL_OF(4) {
        r[i] = opgen_less_quarters_8(v[i], &z[i]);
        q[i] = _mm512_mul_pd(r[i], r[i]);
    }
    OPGEN_ALL_OF(4) {
        down[i] = _mm512_fmadd_pd(OPGEN_DOUBLES(0x1.0b1c240617d6ep-21), q[i], OPGEN_DOUBLES(-0x1.46d1526841bcdp-12));
        up[i] = _mm512_fmadd_pd(OPGEN_DOUBLES(-0x1.2b70140d95439p-16), q[i], OPGEN_DOUBLES(0x1.c0cc7e816e279p-9));
        down[i] = _mm512_fmadd_pd(down[i], q[i], OPGEN_DOUBLES(0x1.a46cf477e028bp-6));
        up[i] = _mm512_mul_pd(_mm512_fmadd_pd(up[i], q[i], OPGEN_DOUBLES(-0x1.1127ce476b6dep-3)), q[i]);
    }
    OPGEN_ALL_OF(4) {
        down[i] = _mm512_fmadd_pd(down[i], q[i], OPGEN_DOUBLES(-0x1.dde93c790b0c4p-2));
        up[i] = _mm512_fmadd_pd(up[i], r[i], r[i]);
        down[i] = _mm512_fmadd_pd(down[i], q[i], OPGEN_DOUBLES(1));
    }
    OPGEN_ALL_OF(4) {
        const __mmask8 odd = _mm512_test_epi64_mask(z[i], _mm512_set1_epi64(1));
        const __m512d t = _mm512_div_pd(_mm512_mask_mov_pd(up[i], odd, down[i]), _mm512_mask_mov_pd(down[i], odd, up[i]));
        v[i] = opgen_turned_f64(t, _mm512_xor_si512(_mm512_slli_epi64(z[i], 63), _mm512_castpd_si512(v[i])));
    }
}

/* ---- inverses */

/* What asin(x) is more than x, divided by x, where q is x * x and at most 1/4. */
OPGEN_V4_PART void opgen_asin_less_32(__m512d *p, const __m512d *q) {
    __m512d q2[4], even[4], odd[4];
    OPGEN_ALL_OF(4) {
        q2[i] = _mm512_mul_pd(q[i], q[i]);
        even[i] = _mm512_fmadd_pd(OPGEN_DOUBLES(-0x1.075bb3f805be1p-6), q2[i], OPGEN_DOUBLES(0x1.ae284c8e4addfp-8));
        odd[i] = _mm512_fmadd_pd(OPGEN_DOUBLES(0x1.0497c2b058ebdp-5), q2[i], OPGEN_DOUBLES(0x1.3e5d8e3db4cacp-6));
    }
    OPGEN_ALL_OF(4) {
        even[i] = _mm512_fmadd_pd(even[i], q2[i], OPGEN_DOUBLES(0x1.c70872b733d51p-7));
        odd[i] = _mm512_fmadd_pd(odd[i], q2[i], OPGEN_DOUBLES(0x1.8e7d02be4190fp-7));
        even[i] = _mm512_fmadd_pd(even[i], q2[i], OPGEN_DOUBLES(0x1.6e89fd4a5d8acp-6));
        odd[i] = _mm512_fmadd_pd(odd[i], q2[i], OPGEN_DOUBLES(0x1.1c6b57868497ap-6));
    }
    OPGEN_ALL_OF(4) {
        even[i] = _mm512_fmadd_pd(even[i], q2[i], OPGEN_DOUBLES(0x1.6db6db438bb09p-5));
        odd[i] = _mm512_fmadd_pd(odd[i], q2[i], OPGEN_DOUBLES(0x1.f1c72bdb52843p-6));
        even[i] = _mm512_fmadd_pd(even[i], q2[i], OPGEN_DOUBLES(0x1.5555555555399p-3));
        odd[i] = _mm512_fmadd_pd(odd[i], q2[i], OPGEN_DOUBLES(0x1.333333336d0cap-4));
        p[i] = _mm512_mul_pd(_mm512_fmadd_pd(odd[i], q[i], even[i]), q[i]);
    }
}

/* Beyond 1/2 by the half angle, as opgen_asin_f64 and opgen_acos_f64. The lesser of the two squares is the one that is needed. */
OPGEN_V4_PART void opgen_asin_of_32(__m512d *v, bool cosine) {
    __m512d q[4], s[4], base[4], p[4];
    OPGEN_ALL_OF(4) {
        const __m512d a = _mm512_abs_pd(v[i]), half = OPGEN_DOUBLES(0.5);
        const __mmask8 far = _mm512_movepi64_mask(_mm512_sub_epi64(_mm512_castpd_si512(half), _mm512_castpd_si512(a)));
        q[i] = _mm512_min_pd(_mm512_mul_pd(a, a), _mm512_fnmadd_pd(a, half, half));
        if (cosine) {
            const __mmask8 negative = _mm512_movepi64_mask(_mm512_castpd_si512(v[i]));
            s[i] = _mm512_mask_mul_pd(a, far, _mm512_sqrt_pd(q[i]), OPGEN_DOUBLES(-2));
            s[i] = opgen_turned_f64(_mm512_xor_pd(s[i], OPGEN_DOUBLES(-0.0)), _mm512_castpd_si512(v[i]));
            base[i] = _mm512_mask_mov_pd(OPGEN_DOUBLES(0x1.921fb54442d18p+0), far, _mm512_maskz_mov_pd(negative, OPGEN_DOUBLES(0x1.921fb54442d18p+1)));
        } else {
            s[i] = _mm512_mask_mul_pd(a, far, _mm512_sqrt_pd(q[i]), OPGEN_DOUBLES(-2));
            base[i] = _mm512_maskz_mov_pd(far, OPGEN_DOUBLES(0x1.921fb54442d18p+0));
        }
    }
    opgen_asin_less_32(p, q);
    OPGEN_ALL_OF(4) {
        const __m512d rest = _mm512_fmadd_pd(s[i], p[i], _mm512_mul_pd(base[i], OPGEN_DOUBLES(0x1.678afae35cdd1p-55)));
        const __m512d all = _mm512_add_pd(base[i], _mm512_add_pd(s[i], rest));
        v[i] = cosine ? all : opgen_signed_f64(all, v[i]);
    }
}

/* Of two intervals an octave from 1/16 to 16, by the last bits of a double's exponent and its first digit: c, what |x| is multiplied by, and
 * atan(c), which is almost a double. */
static const double opgen_atan_f64_table[3][16] = {
    {0x1.3504f333f9e4cp+1, 0x1.b78f34fc56001p+1, 0x1.33b6101db3a55p+2, 0x1.b70b2ceac5038p+2, 0x1p+0, 0x1p+0, 0, 0, 0x1.3fb1faabbf777p-3, 0x1.bf9535a9653c2p-3, 0x1.3edd6983a72d9p-2, 0x1.be89019b51dcdp-2, 0x1.3c6ef372fe8bp-1, 0x1.bc0e249480b4dp-1, 0x1.3845118db58cap+0, 0x1.b9224dab8d5bp+0},
    {0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0, 0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0},
    {0x1.2d97c7f3321fp+0, 0x1.49952004c9155p+0, 0x1.5da0a7c6d9b33p+0, 0x1.6d114072b01ddp+0, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, 0, 0, 0x1.3d22c4c923a63p-3, 0x1.b8a78a27d6da8p-3, 0x1.351ea1f3d8f0fp-2, 0x1.a514023a34db4p-2, 0x1.1b6e192ebbdd1p-1, 0x1.6dcc57bb5656dp-1, 0x1.c4a8393631139p-1, 0x1.0b833be165cd5p+0},
};

/* The square q of t, and what atan(t) is more than t, divided by its third power. */
OPGEN_V4_PART void opgen_atan_less_32(__m512d *p, __m512d *q, const __m512d *t) {
    OPGEN_ALL_OF(4) {
        q[i] = _mm512_mul_pd(t[i], t[i]);
        p[i] = _mm512_fmadd_pd(OPGEN_DOUBLES(0x1.2cb9eedc60de8p-4), q[i], OPGEN_DOUBLES(-0x1.741016d5c3773p-4));
        p[i] = _mm512_fmadd_pd(p[i], q[i], OPGEN_DOUBLES(0x1.c71ba55f404d1p-4));
    }
    OPGEN_ALL_OF(4) {
        p[i] = _mm512_fmadd_pd(p[i], q[i], OPGEN_DOUBLES(-0x1.2492489af3edp-3));
        p[i] = _mm512_fmadd_pd(p[i], q[i], OPGEN_DOUBLES(0x1.99999999441b7p-3));
        p[i] = _mm512_fmadd_pd(p[i], q[i], OPGEN_DOUBLES(-0x1.55555555554c7p-2));
    }
}

/* Of c, in one of two intervals an octave from 1/16 to 16, atan(c) and the inverse tangent of t = (|x| - c) / (1 + |x| c); c is 0 below 1/8,
 * and beyond 8 without end, where what is divided is -1, and by |x|. */
OPGEN_V4_PART void opgen_atan_of_32(__m512d *v) {
    __m512d t[4], q[4], p[4];
    __m512i at[4];
    OPGEN_ALL_OF(4) {
        const __m512d a = _mm512_min_pd(OPGEN_DOUBLES(0x1p1000), _mm512_abs_pd(v[i]));
        const __m512d within = _mm512_min_pd(OPGEN_DOUBLES(15), _mm512_max_pd(OPGEN_DOUBLES(0x1p-4), a));
        at[i] = _mm512_srli_epi64(_mm512_castpd_si512(within), 51);
        const __m512d c = opgen_look_f64(opgen_atan_f64_table[0], at[i]), one = opgen_look_f64(opgen_atan_f64_table[1], at[i]);
        t[i] = _mm512_div_pd(_mm512_fmsub_pd(a, one, c), _mm512_fmadd_pd(a, c, one));
    }
    opgen_atan_less_32(p, q, t);
    OPGEN_ALL_OF(4) {
        const __m512d r = _mm512_fmadd_pd(_mm512_mul_pd(p[i], q[i]), t[i], t[i]);
        v[i] = opgen_signed_f64(_mm512_add_pd(opgen_look_f64(opgen_atan_f64_table[2], at[i]), r), v[i]);
    }
}

OPGEN_DOUBLES_FOUR_V4(sin_near, opgen_sine_of_32(v, false))
OPGEN_DOUBLES_FOUR_V4(cos_near, opgen_sine_of_32(v, true))
OPGEN_DOUBLES_FOUR_V4(tan_near, opgen_tan_of_32(v))
OPGEN_DOUBLES_FOUR_V4(asin, opgen_asin_of_32(v, false))
OPGEN_DOUBLES_FOUR_V4(acos, opgen_asin_of_32(v, true))
OPGEN_DOUBLES_FOUR_V4(atan, opgen_atan_of_32(v))

#define OPGEN_ANGLES_CHOOSE(name)                                                                                      \
    if (level == 4 && opgen_all_near_f64(x + i, some, OPGEN_ANGLE_MOST)) {                                             \
        opgen_##name##_near_f64_many_v4(to + i, x + i, some);                                                          \
        continue;                                                                                                      \
    }
#else
#define OPGEN_ANGLES_CHOOSE(name)
#endif

/* Sine, cosine and tangent of so many as are near; where one is not, each finds out by itself. */
OPGEN_INLINE bool opgen_angles_near(const double *x, int64_t n) {
    int64_t far = 0;
    for (int64_t i = 0; i < n; i++)
        far |= fabs(x[i]) > OPGEN_TRIG_NEAR;
    return far == 0;
}

#define OPGEN_ANGLES(name)                                                                                             \
    OPGEN_INLINE void opgen_##name##_f64_many(double *to, const double *x, int64_t n, int level) {                     \
        (void)level;                                                                                                   \
        for (int64_t i = 0, some; i < n; i += some) {                                                                  \
            some = opgen_min(64, n - i);                                                                               \
            OPGEN_ANGLES_CHOOSE(name)                                                                                  \
            if (opgen_angles_near(x + i, some)) {                                                                      \
                OPGEN_SIMD                                                                                             \
                for (int64_t k = i; k < i + some; k++)                                                                 \
                    to[k] = opgen_##name##_near_f64(x[k]);                                                             \
                continue;                                                                                              \
            }                                                                                                          \
            for (int64_t k = i; k < i + some; k++)                                                                     \
                to[k] = opgen_##name##_f64(x[k]);                                                                      \
        }                                                                                                              \
    }
OPGEN_ANGLES(sin)
OPGEN_ANGLES(cos)
OPGEN_ANGLES(tan)

#if defined(OPGEN_X86)
#define OPGEN_ANGLES_PAST_V4(name)                                                                                     \
    OPGEN_V4 static inline void opgen_##name##_f64_past_v4(double *to, const double *x, int64_t n, int64_t ahead) {    \
        for (int64_t i = 0, some; i < n; i += some) {                                                                  \
            some = opgen_min(64, n - i);                                                                               \
            if (opgen_all_near_f64(x + i, some, OPGEN_ANGLE_MOST)) {                                                   \
                opgen_##name##_near_f64_past_v4(to + i, x + i, some, ahead);                                           \
                continue;                                                                                              \
            }                                                                                                          \
            double any[64];                                                                                            \
            opgen_##name##_f64_many(any, x + i, some, 4);                                                              \
            for (int64_t k = 0; k < some; k += 8) {                                                                    \
                opgen_ask_for(x + i + k, ahead);                                                                       \
                _mm512_stream_pd(to + i + k, _mm512_loadu_pd(any + k));                                                \
            }                                                                                                          \
        }                                                                                                              \
    }
OPGEN_ANGLES_PAST_V4(sin)
OPGEN_ANGLES_PAST_V4(cos)
OPGEN_ANGLES_PAST_V4(tan)
#endif
OPGEN_DOUBLES_PAST(sin)
OPGEN_DOUBLES_PAST(cos)
OPGEN_DOUBLES_PAST(tan)

OPGEN_DOUBLES_BOTH(asin)
OPGEN_DOUBLES_BOTH(acos)
OPGEN_DOUBLES_BOTH(atan)

#endif

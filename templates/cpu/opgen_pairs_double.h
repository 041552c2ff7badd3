/* opgen_pairs_double.h: remainders and angles of 32 pairs of doubles at once, in the place of the first ones, as
 * opgen_many_pairs.h has those of floats: a remainder is one division and one product with what fuses both, exact for
 * quotients below 2^53, an angle a table's and that of what is left. Where one of the 32 is further off, and elsewhere
 * than on x86-64-v4, each is that of opgen_math.h, or of opgen_double_trig.h.
 *
 * `level` is what opgen_kernel.h says, a constant where these are called.
 */
#ifndef OPGEN_PAIRS_DOUBLE_H
#define OPGEN_PAIRS_DOUBLE_H

#include "opgen_many_double_trig.h"
#include "opgen_math.h"

#if defined(OPGEN_X86)
/* What gcc's header makes of some of these without optimisation converts a mask's sign. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
/* |x| is *whole times |y|, and *left: exactly where this says so. The quotient may be rounded up to a whole number,
 * never down beyond one. */
OPGEN_V4 static inline __mmask8 opgen_divided_8(__m512d x, __m512d y, __m512d *whole, __m512d *left) {
    const __m512d a = _mm512_abs_pd(x), b = _mm512_abs_pd(y);
    const __m512d q = _mm512_roundscale_pd(_mm512_div_pd(a, b), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m512d r = _mm512_fnmadd_pd(q, b, a);
    const __mmask8 over = _mm512_cmp_pd_mask(r, _mm512_setzero_pd(), _CMP_LT_OQ);
    *whole = _mm512_mask_sub_pd(q, over, q, OPGEN_DOUBLES(1));
    *left = _mm512_mask_add_pd(r, over, r, b);
    return _mm512_mask_cmp_pd_mask(_mm512_cmp_pd_mask(q, OPGEN_DOUBLES(0x1p53), _CMP_LT_OQ), b, OPGEN_DOUBLES(INFINITY),
                                   _CMP_LT_OQ);
}

/* Where something is left and the signs are different: a remainder is to have that of y. */
OPGEN_V4 static inline __mmask8 opgen_turns_8(__m512d x, __m512d y, __m512d left) {
    const __mmask8 apart = _mm512_movepi64_mask(_mm512_castpd_si512(_mm512_xor_pd(x, y)));
    return _mm512_mask_cmp_pd_mask(apart, left, _mm512_setzero_pd(), _CMP_NEQ_UQ);
}

OPGEN_V4 static inline __mmask8 opgen_fmod_near_8(__m512d *x, __m512d y) {
    __m512d whole, left;
    const __mmask8 good = opgen_divided_8(*x, y, &whole, &left);
    *x = opgen_signed_f64(left, *x);
    return good;
}
OPGEN_V4 static inline __mmask8 opgen_mod_near_8(__m512d *x, __m512d y) {
    __m512d whole, left;
    const __mmask8 good = opgen_divided_8(*x, y, &whole, &left), turns = opgen_turns_8(*x, y, left);
    left = opgen_signed_f64(left, *x);
    *x = _mm512_mask_add_pd(left, turns, left, y);
    return good;
}
OPGEN_V4 static inline __mmask8 opgen_floordiv_near_8(__m512d *x, __m512d y) {
    __m512d whole, left;
    const __mmask8 good = opgen_divided_8(*x, y, &whole, &left), turns = opgen_turns_8(*x, y, left);
    whole = opgen_signed_f64(whole, _mm512_xor_pd(*x, y));
    *x = _mm512_mask_sub_pd(whole, turns, whole, OPGEN_DOUBLES(1));
    return good;
}
/* Of low / high, the sizes, as opgen_atan_of_32 has it: c by an estimate of that, and t = (low - c high) / (high + c low). The greater size
 * is to be from 2^-500 to 2^500. */
OPGEN_V4 static inline bool opgen_atan2_f64_near_32_v4(double *y, const double *x) {
    __m512d t[4], p[4], q[4];
    __m512i at[4], more[4];
    OPGEN_ALL_OF(4) {
        const __m512i a = _mm512_castpd_si512(_mm512_abs_pd(_mm512_loadu_pd(x + 8 * i)));
        const __m512i b = _mm512_castpd_si512(_mm512_abs_pd(_mm512_loadu_pd(y + 8 * i)));
        const __m512d low = _mm512_castsi512_pd(_mm512_min_epu64(a, b)), high = _mm512_castsi512_pd(_mm512_max_epu64(a, b));
        more[i] = _mm512_sub_epi64(_mm512_castpd_si512(high), _mm512_castpd_si512(OPGEN_DOUBLES(0x1p-500)));
        const __m512d about = _mm512_max_pd(OPGEN_DOUBLES(0x1p-4), _mm512_mul_pd(low, _mm512_rcp14_pd(high)));
        at[i] = _mm512_srli_epi64(_mm512_castpd_si512(about), 51);
        const __m512d c = opgen_look_f64(opgen_atan_f64_table[0], at[i]);
        t[i] = _mm512_div_pd(_mm512_fnmadd_pd(c, high, low), _mm512_fmadd_pd(c, low, high));
    }
    if (opgen_one_is_more(more, 0x1p-23)) return false; /* 2^500 less 2^-500, as bits */
    opgen_atan_less_32(p, q, t);
    OPGEN_ALL_OF(4) {
        const __m512d v = _mm512_loadu_pd(x + 8 * i), w = _mm512_loadu_pd(y + 8 * i), sign = OPGEN_DOUBLES(-0.0);
        const __mmask8 steep = _mm512_cmpgt_epu64_mask(_mm512_castpd_si512(_mm512_abs_pd(w)), _mm512_castpd_si512(_mm512_abs_pd(v)));
        const __m512d back = _mm512_and_pd(v, sign);
        const __m512d flat = _mm512_maskz_mov_pd(_mm512_movepi64_mask(_mm512_castpd_si512(v)), OPGEN_DOUBLES(0x1.921fb54442d18p+1));
        const __m512d base = _mm512_mask_mov_pd(flat, steep, OPGEN_DOUBLES(0x1.921fb54442d18p+0));
        const __m512d size = _mm512_add_pd(opgen_look_f64(opgen_atan_f64_table[2], at[i]), _mm512_fmadd_pd(_mm512_mul_pd(p[i], q[i]), t[i], t[i]));
        const __m512d turned = _mm512_xor_pd(size, _mm512_mask_xor_pd(back, steep, back, sign));
        const __m512d all = _mm512_add_pd(base, _mm512_fmadd_pd(base, OPGEN_DOUBLES(0x1.678afae35cdd1p-55), turned));
        _mm512_storeu_pd(y + 8 * i, opgen_signed_f64(all, w));
    }
    return true;
}

#define OPGEN_PAIRS_DOUBLE_V4(name)                                                                                    \
    OPGEN_V4 static inline bool opgen_##name##_f64_near_32_v4(double *x, const double *y) {                            \
        __m512d v[4];                                                                                                  \
        __mmask8 good = 0xff;                                                                                          \
        for (int i = 0; i < 4; i++) {                                                                                  \
            v[i] = _mm512_loadu_pd(x + 8 * i);                                                                         \
            good = (__mmask8)(good & opgen_##name##_near_8(&v[i], _mm512_loadu_pd(y + 8 * i)));                        \
        }                                                                                                              \
        if (good != 0xff) return false;                                                                                \
        for (int i = 0; i < 4; i++)                                                                                    \
            _mm512_storeu_pd(x + 8 * i, v[i]);                                                                         \
        return true;                                                                                                   \
    }
OPGEN_PAIRS_DOUBLE_V4(fmod)
OPGEN_PAIRS_DOUBLE_V4(mod)
OPGEN_PAIRS_DOUBLE_V4(floordiv)
#undef OPGEN_PAIRS_DOUBLE_V4
#pragma GCC diagnostic pop
#define OPGEN_PAIRS_DOUBLE_CHOOSE(name)                                                                                \
    if (level == 4 && opgen_##name##_f64_near_32_v4(x, y)) return;
#else
#define OPGEN_PAIRS_DOUBLE_CHOOSE(name)
#endif
#define OPGEN_PAIRS_DOUBLE(name)                                                                                       \
    OPGEN_INLINE void opgen_##name##_f64_32(double *x, const double *y, int level) {                                   \
        (void)level;                                                                                                   \
        OPGEN_PAIRS_DOUBLE_CHOOSE(name)                                                                                \
        for (int i = 0; i < 32; i++)                                                                                   \
            x[i] = opgen_##name##_f64(x[i], y[i]);                                                                     \
    }
OPGEN_PAIRS_DOUBLE(fmod)
OPGEN_PAIRS_DOUBLE(mod)
OPGEN_PAIRS_DOUBLE(floordiv)
OPGEN_PAIRS_DOUBLE(atan2)
#undef OPGEN_PAIRS_DOUBLE_CHOOSE
#undef OPGEN_PAIRS_DOUBLE

#endif

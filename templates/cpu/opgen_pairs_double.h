/* opgen_pairs_double.h: remainders of 32 pairs of doubles at once, in the place of the first ones, as
 * opgen_many_pairs.h has those of floats: one division and one product with what fuses both, exact for quotients below
 * 2^53. Where one of the 32 is further off, and elsewhere than on x86-64-v4, each is that of opgen_math.h.
 *
 * `level` is what opgen_kernel.h says, a constant where these are called.
 */
#ifndef OPGEN_PAIRS_DOUBLE_H
#define OPGEN_PAIRS_DOUBLE_H

#include "opgen_many_double.h"
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
#pragma GCC diagnostic pop

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
#undef OPGEN_PAIRS_DOUBLE_CHOOSE
#undef OPGEN_PAIRS_DOUBLE

#endif

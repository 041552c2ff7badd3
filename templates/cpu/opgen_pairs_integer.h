/* opgen_pairs_integer.h: quotients and remainders of 32 pairs of 64 bits at once, in the place of the first ones, as
 * opgen_pairs_double.h has those of doubles, on x86-64-v4: processors divide integers one after the other. Doubles hold
 * what is less than 2^51, and there a quotient that is no whole number is so far from one that it is not rounded to it.
 * Where one of the 32 is greater, or divided by 0, there are two steps: what the first quotient leaves is divided again.
 * Elsewhere each is that of opgen_math.h.
 *
 * `level` is what opgen_kernel.h says, a constant where these are called.
 */
#ifndef OPGEN_PAIRS_INTEGER_H
#define OPGEN_PAIRS_INTEGER_H

#include "opgen_kernel.h"
#include "opgen_math.h"

#if defined(OPGEN_X86)
#include <immintrin.h>

/* What gcc's header makes of some of these without optimisation converts a mask's sign. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
/* What is divided by 0 is none of them: less 1 that is the greatest there is. */
OPGEN_V4_PART bool opgen_divides_32(const int64_t *x, const int64_t *y) {
    __m512i most = _mm512_setzero_si512();
    OPGEN_ALL_OF(4) {
        const __m512i a = _mm512_abs_epi64(_mm512_loadu_si512(x + 8 * i));
        const __m512i b = _mm512_sub_epi64(_mm512_abs_epi64(_mm512_loadu_si512(y + 8 * i)), _mm512_set1_epi64(1));
        most = _mm512_max_epu64(most, _mm512_max_epu64(a, b));
    }
    return _mm512_cmpge_epu64_mask(most, _mm512_set1_epi64((int64_t)1 << 51)) == 0;
}

/* |x| / |y| by doubles, and a little less, so that it is no more than that. */
OPGEN_V4_PART __m512i opgen_divided_less_i64_8(__m512i x, __m512i y) {
    const __m512d q = _mm512_div_pd(_mm512_cvtepu64_pd(x), _mm512_cvtepu64_pd(y));
    return _mm512_cvttpd_epu64(_mm512_mul_pd(q, _mm512_set1_pd(0x1.ffffffffffffcp-1)));
}
/* |x| is q times |y| and r. The first step leaves no more than some thousand times |y|, and so the second, which is to be less by 1 at
 * most, less than twice that. */
OPGEN_V4_PART void opgen_divided_i64_8(__m512i x, __m512i y, __m512i *q, __m512i *r) {
    const __m512i a = _mm512_abs_epi64(x), b = _mm512_abs_epi64(y), first = opgen_divided_less_i64_8(a, b);
    const __m512i left = _mm512_sub_epi64(a, _mm512_mullo_epi64(first, b)), second = opgen_divided_less_i64_8(left, b);
    const __m512i rest = _mm512_sub_epi64(left, _mm512_mullo_epi64(second, b));
    const __mmask8 more = _mm512_cmpge_epu64_mask(rest, b);
    *q = _mm512_add_epi64(first, _mm512_mask_add_epi64(second, more, second, _mm512_set1_epi64(1)));
    *r = _mm512_mask_sub_epi64(rest, more, rest, b);
}

OPGEN_V4_PART __m512i opgen_negative_where(__m512i x, __mmask8 some) {
    return _mm512_mask_sub_epi64(x, some, _mm512_setzero_si512(), x);
}
OPGEN_V4_PART __m512i opgen_floordiv_i64_8(__m512i x, __m512i y) {
    __m512i q, r;
    opgen_divided_i64_8(x, y, &q, &r);
    const __mmask8 apart = _mm512_movepi64_mask(_mm512_xor_si512(x, y));
    q = opgen_negative_where(q, apart);
    q = _mm512_mask_sub_epi64(q, _mm512_mask_test_epi64_mask(apart, r, r), q, _mm512_set1_epi64(1));
    return _mm512_maskz_mov_epi64(_mm512_test_epi64_mask(y, y), q);
}
OPGEN_V4_PART __m512i opgen_fmod_i64_8(__m512i x, __m512i y) {
    __m512i q, r;
    opgen_divided_i64_8(x, y, &q, &r);
    return _mm512_maskz_mov_epi64(_mm512_test_epi64_mask(y, y), opgen_negative_where(r, _mm512_movepi64_mask(x)));
}
OPGEN_V4_PART __m512i opgen_mod_i64_8(__m512i x, __m512i y) {
    const __m512i r = opgen_fmod_i64_8(x, y);
    const __mmask8 apart = _mm512_movepi64_mask(_mm512_xor_si512(x, y));
    return _mm512_mask_add_epi64(r, _mm512_mask_test_epi64_mask(apart, r, r), r, y);
}

/* Rounded as _MM_FROUND_TO_NEG_INF or _MM_FROUND_TO_ZERO says, or where `rest` what is left of x then. */
#define OPGEN_PAIRS_INTEGER_V4(name, rounds, rest)                                                                     \
    OPGEN_V4 static inline void opgen_##name##_i64_32_v4(int64_t *x, const int64_t *y) {                               \
        const bool near = opgen_divides_32(x, y);                                                                      \
        OPGEN_ALL_OF(4) {                                                                                              \
            const __m512i v = _mm512_loadu_si512(x + 8 * i), w = _mm512_loadu_si512(y + 8 * i);                        \
            if (!near) {                                                                                               \
                _mm512_storeu_si512(x + 8 * i, opgen_##name##_i64_8(v, w));                                            \
                continue;                                                                                              \
            }                                                                                                          \
            const __m512d a = _mm512_cvtepi64_pd(v), b = _mm512_cvtepi64_pd(w);                                        \
            const __m512d q = _mm512_roundscale_pd(_mm512_div_pd(a, b), (rounds) | _MM_FROUND_NO_EXC);                 \
            _mm512_storeu_si512(x + 8 * i, _mm512_cvtpd_epi64((rest) ? _mm512_fnmadd_pd(q, b, a) : q));                \
        }                                                                                                              \
    }
OPGEN_PAIRS_INTEGER_V4(floordiv, _MM_FROUND_TO_NEG_INF, false)
OPGEN_PAIRS_INTEGER_V4(mod, _MM_FROUND_TO_NEG_INF, true)
OPGEN_PAIRS_INTEGER_V4(fmod, _MM_FROUND_TO_ZERO, true)
#undef OPGEN_PAIRS_INTEGER_V4
#pragma GCC diagnostic pop
#define OPGEN_PAIRS_INTEGER_CHOOSE(name)                                                                               \
    if (level == 4) {                                                                                                  \
        opgen_##name##_i64_32_v4(x, y);                                                                                \
        return;                                                                                                        \
    }
#else
#define OPGEN_PAIRS_INTEGER_CHOOSE(name)
#endif

#define OPGEN_PAIRS_INTEGER(name)                                                                                      \
    OPGEN_INLINE void opgen_##name##_i64_32(int64_t *x, const int64_t *y, int level) {                                 \
        (void)level;                                                                                                   \
        OPGEN_PAIRS_INTEGER_CHOOSE(name)                                                                               \
        for (int i = 0; i < 32; i++)                                                                                   \
            x[i] = opgen_##name##_i64(x[i], y[i]);                                                                     \
    }
OPGEN_PAIRS_INTEGER(floordiv)
OPGEN_PAIRS_INTEGER(mod)
OPGEN_PAIRS_INTEGER(fmod)
#undef OPGEN_PAIRS_INTEGER_CHOOSE
#undef OPGEN_PAIRS_INTEGER

#endif

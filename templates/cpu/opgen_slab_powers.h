/* opgen_slab_powers.h: the greatest of each column of a slab, and the sum of the exponentials of what all are less than
 * that: logsumexp along a middle dim, with AVX-512. Of some columns all rows at once, twice, from a cache
 * (opgen_slab.h): no exponential of a greatest is computed that is none.
 *
 * opgen_slab_powers: of f32, f16 or bf16, as `kind` of opgen_powers.h says; false, and nothing of use, where
 * opgen_takes_slabs says so or a greatest is infinite or no number.
 */
#ifndef OPGEN_SLAB_POWERS_H
#define OPGEN_SLAB_POWERS_H

#include "opgen_powers.h"
#include "opgen_slab.h"

#if defined(OPGEN_X86)
OPGEN_V4_PART __m512 opgen_slab_read_of(const void *x, int64_t at, __mmask16 some, bool all, int kind) {
    if (kind == OPGEN_POWERS_F32)
        return all ? _mm512_loadu_ps((const float *)x + at) : _mm512_maskz_loadu_ps(some, (const float *)x + at);
    return opgen_slab_read((const uint16_t *)x + at, some, all, kind == OPGEN_POWERS_BF16);
}

/* e^x of what is not positive, added: those of 16 bits to 20 bits. Of what is not a number vmaxps gives the second. */
OPGEN_V4_PART __m512 opgen_slab_add_power(__m512 sum, __m512 x, int kind) {
    if (kind == OPGEN_POWERS_F32) return _mm512_add_ps(sum, opgen_exp_below_16(x, -87));
    return opgen_add_power_16(sum, _mm512_max_ps(OPGEN_ALL(-86), x), OPGEN_ALL(0x1.8p19f));
}

/* `vectors` of 16 columns, the last of which has `some`. */
OPGEN_V4_PART bool opgen_slab_powers_of(float *most, float *sum, const void *x, int64_t rows, int64_t stride,
                                        int vectors, __mmask16 some, bool all, int kind, int64_t ahead, int into) {
    enum { TURNS = 2, MOST = 2 };
    const int64_t bytes = kind == OPGEN_POWERS_F32 ? 4 : 2;
    __m512 m[MOST], s[TURNS][MOST];
    for (int v = 0; v < vectors; v++)
        m[v] = opgen_slab_read_of(x, 16 * v, some, all || v < vectors - 1, kind);
    for (int64_t row = 0; row < rows; row++) {
        for (int line = 0; line < vectors * 16 * bytes; line += 64)
            opgen_ask((const char *)x + row * stride * bytes + ahead + line, into);
        for (int v = 0; v < vectors; v++)
            m[v] =
                _mm512_max_ps(opgen_slab_read_of(x, row * stride + 16 * v, some, all || v < vectors - 1, kind), m[v]);
    }
    for (int v = 0; v < vectors; v++) {
        if (_mm512_cmp_ps_mask(_mm512_abs_ps(m[v]), OPGEN_ALL(INFINITY), _CMP_NLT_UQ) != 0) return false;
        for (int t = 0; t < TURNS; t++)
            s[t][v] = _mm512_setzero_ps();
    }
    int64_t row = 0;
    for (; row + TURNS <= rows; row += TURNS)
        for (int t = 0; t < TURNS; t++)
            for (int v = 0; v < vectors; v++) {
                const __m512 d = _mm512_sub_ps(
                    opgen_slab_read_of(x, (row + t) * stride + 16 * v, some, all || v < vectors - 1, kind), m[v]);
                s[t][v] = opgen_slab_add_power(s[t][v], d, kind);
            }
    for (; row < rows; row++)
        for (int v = 0; v < vectors; v++) {
            const __m512 d =
                _mm512_sub_ps(opgen_slab_read_of(x, row * stride + 16 * v, some, all || v < vectors - 1, kind), m[v]);
            s[0][v] = opgen_slab_add_power(s[0][v], d, kind);
        }
    for (int v = 0; v < vectors; v++) {
        const __mmask16 kept = all || v < vectors - 1 ? 0xffff : some;
        _mm512_mask_storeu_ps(most + 16 * v, kept, m[v]);
        _mm512_mask_storeu_ps(sum + 16 * v, kept, _mm512_add_ps(s[0][v], s[1][v]));
    }
    return true;
}
OPGEN_V4_PART bool opgen_slab_powers_kind(float *most, float *sum, const void *x, int64_t rows, int64_t stride,
                                          int64_t width, int kind) {
    const int into = opgen_asks_into();
    const int64_t bytes = kind == OPGEN_POWERS_F32 ? 4 : 2, size = rows * stride * bytes,
                  ahead = (4096 + size - 1) / size * size;
    int64_t j = 0;
    for (; j + 32 <= width; j += 32)
        if (!opgen_slab_powers_of(most + j, sum + j, (const char *)x + j * bytes, rows, stride, 2, 0xffff, true, kind,
                                  ahead, into))
            return false;
    const int64_t left = width - j;
    if (left > 16)
        return opgen_slab_powers_of(most + j, sum + j, (const char *)x + j * bytes, rows, stride, 2,
                                    (__mmask16)((1u << (left - 16)) - 1), false, kind, ahead, into);
    return left == 0 || opgen_slab_powers_of(most + j, sum + j, (const char *)x + j * bytes, rows, stride, 1,
                                             (__mmask16)((1u << left) - 1), false, kind, ahead, into);
}
OPGEN_V4 static inline bool opgen_slab_powers_v4(float *most, float *sum, const void *x, int64_t rows, int64_t stride,
                                                 int64_t width, int kind) {
    if (kind == OPGEN_POWERS_F32) return opgen_slab_powers_kind(most, sum, x, rows, stride, width, OPGEN_POWERS_F32);
    if (kind == OPGEN_POWERS_F16) return opgen_slab_powers_kind(most, sum, x, rows, stride, width, OPGEN_POWERS_F16);
    return opgen_slab_powers_kind(most, sum, x, rows, stride, width, OPGEN_POWERS_BF16);
}
#endif

OPGEN_INLINE bool opgen_slab_powers(float *most, float *sum, const void *x, int64_t rows, int64_t stride, int64_t width,
                                    int kind) {
    (void)most, (void)sum, (void)x, (void)rows, (void)stride, (void)width, (void)kind;
#if defined(OPGEN_X86)
    if (kind == OPGEN_POWERS_F32 ? opgen_takes_slabs(rows, stride, OPGEN_SLABS_OF_powers_f32)
                                 : opgen_takes_slabs(rows, stride, OPGEN_SLABS_OF_powers))
        return opgen_slab_powers_v4(most, sum, x, rows, stride, width, kind);
#endif
    return false;
}

#endif

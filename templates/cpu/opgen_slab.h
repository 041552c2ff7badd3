/* opgen_slab.h: sums, of squares too, and variances along the rows of a slab of f16 or bf16, a middle dim's, that first
 * caches hold: of some columns all rows at once, in registers, with AVX-512; sums of up to OPGEN_SLAB_ROW columns row
 * by row, however large a slab is; variances of slabs that go upright with AVX2, too. What is next is asked for beside it.
 * Of slabs of few columns several rows are one vector (opgen_narrow_sum_f16 and others), if elements are as many as
 * opgen_slab_flat says. Of small slabs of f32 variances, which go over all rows twice. And, of
 * slabs that go upright, lanes of bytes and of 16 bits as what they come to, integers of 64 bits.
 *
 * opgen_slab_sum_f16 and _bf16 give sums, opgen_slab_squares_f16 and _bf16 those of squares, opgen_slab_var_f16 and
 * _bf16 means and sums of squares of what differs from them, of `width` columns of `rows` rows, of which each has
 * `stride`; false, and nothing, where opgen_takes_slabs says so. A variance is that of what columns differ from the mean
 * of their first four elements: of no more than 1024 rows that loses a share of 2^-13 where this is two deviations from
 * the mean, as a rule 2^-20; of up to OPGEN_SLAB_SHORT rows from the first one: what this is away from the others is a
 * part of the variance, and no more than their number times 2^-24 is lost. opgen_tall_sum_f16, opgen_tall_squares_f16,
 * opgen_tall_var_f16 and of bf16, with AVX-512: the same, and sums of squares, of up to OPGEN_TALLEST columns of 4 to
 * 1024 rows that no cache holds, where opgen_takes_tall_sums and opgen_takes_tall_vars say so.
 */
#ifndef OPGEN_SLAB_H
#define OPGEN_SLAB_H

#include "opgen_kernel.h"

#define OPGEN_SLAB_ROW 256
/* From how many elements on slabs of few columns have several rows a vector, measured: what folds them in the end takes
 * longer on Intel's. */
OPGEN_INLINE int64_t opgen_slab_flat(bool var) { return var || opgen_asks_into() == OPGEN_NEAREST ? 128 : 56; }

#if defined(OPGEN_X86)
#include <immintrin.h>

/* Up to 16 columns. */
OPGEN_V4_PART __m512 opgen_slab_read(const uint16_t *x, __mmask16 some, bool all, bool bf16) {
    const __m256i v = all ? _mm256_loadu_si256((const __m256i *)(const void *)x) : _mm256_maskz_loadu_epi16(some, x);
    return bf16 ? _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16)) : _mm512_cvtph_ps(v);
}

/* To up to 16 columns; `halves`: as what reads 8 of them at once has them from two stores sooner than from one. */
OPGEN_V4_PART void opgen_slab_put(float *to, __m512 v, __mmask16 some, bool halves) {
    if (halves) {
        _mm256_storeu_ps(to, _mm512_castps512_ps256(v));
        _mm256_storeu_ps(to + 8, _mm512_extractf32x8_ps(v, 1));
    } else if (some == 0xffff) {
        _mm512_storeu_ps(to, v);
    } else {
        _mm512_mask_storeu_ps(to, some, v);
    }
}
/* What is made of columns. */
enum { OPGEN_SLAB_SUM, OPGEN_SLAB_SQUARES, OPGEN_SLAB_VAR };
/* Up to so many rows differ from the first one. */
#define OPGEN_SLAB_SHORT 96
/* `vectors` of 16 columns, the last of which has `some`; rows by turns to so many sums of each. */
OPGEN_V4_PART void opgen_slab_columns(float *first, float *squares, const uint16_t *x, int64_t rows, int64_t stride,
                                      int vectors, int turns, __mmask16 some, bool all, bool bf16, int made,
                                      int64_t ahead, int into, bool halves) {
    enum { TURNS = 4, MOST = 4 };
    __m512 of[MOST], sum[TURNS][MOST], square[TURNS][MOST];
    const bool var = made == OPGEN_SLAB_VAR;
    for (int v = 0; v < vectors; v++) {
        of[v] = _mm512_setzero_ps();
        if (var && rows <= OPGEN_SLAB_SHORT) of[v] = opgen_slab_read(x + 16 * v, some, all || v < vectors - 1, bf16);
        for (int t = 0; var && rows > OPGEN_SLAB_SHORT && t < 4; t++)
            of[v] = _mm512_fmadd_ps(opgen_slab_read(x + t * stride + 16 * v, some, all || v < vectors - 1, bf16),
                                    _mm512_set1_ps(0.25f), of[v]);
        for (int t = 0; t < turns; t++)
            sum[t][v] = square[t][v] = _mm512_setzero_ps();
    }
    int64_t row = 0;
    for (; row + turns <= rows; row += turns)
        for (int t = 0; t < turns; t++) {
            const uint16_t *const at = x + (row + t) * stride;
            for (int v = 0; v < vectors && ahead > 0; v += 2)
                opgen_ask((const char *)(at + 16 * v) + ahead, into);
            for (int v = 0; v < vectors; v++) {
                const __m512 d = _mm512_sub_ps(opgen_slab_read(at + 16 * v, some, all || v < vectors - 1, bf16), of[v]);
                sum[t][v] = made == OPGEN_SLAB_SQUARES ? _mm512_fmadd_ps(d, d, sum[t][v]) : _mm512_add_ps(sum[t][v], d);
                if (var) square[t][v] = _mm512_fmadd_ps(d, d, square[t][v]);
            }
        }
    for (; row < rows; row++) {
        const uint16_t *const at = x + row * stride;
        for (int v = 0; v < vectors && ahead > 0; v += 2)
            opgen_ask((const char *)(at + 16 * v) + ahead, into);
        for (int v = 0; v < vectors; v++) {
            const __m512 d = _mm512_sub_ps(opgen_slab_read(at + 16 * v, some, all || v < vectors - 1, bf16), of[v]);
            sum[0][v] = made == OPGEN_SLAB_SQUARES ? _mm512_fmadd_ps(d, d, sum[0][v]) : _mm512_add_ps(sum[0][v], d);
            if (var) square[0][v] = _mm512_fmadd_ps(d, d, square[0][v]);
        }
    }
    for (int v = 0; v < vectors; v++) {
        for (int t = 1; t < turns; t++) {
            sum[0][v] = _mm512_add_ps(sum[0][v], sum[t][v]);
            square[0][v] = _mm512_add_ps(square[0][v], square[t][v]);
        }
        const __m512 s = sum[0][v];
        if (!var) {
            opgen_slab_put(first + 16 * v, s, v < vectors - 1 ? 0xffff : some, halves);
            continue;
        }
        const __m512 mean = _mm512_mul_ps(s, _mm512_set1_ps(1.0f / (float)rows));
        opgen_slab_put(first + 16 * v, _mm512_add_ps(of[v], mean), v < vectors - 1 ? 0xffff : some, halves);
        opgen_slab_put(squares + 16 * v, _mm512_max_ps(_mm512_setzero_ps(), _mm512_fnmadd_ps(s, mean, square[0][v])),
                       v < vectors - 1 ? 0xffff : some, halves);
    }
}
/* Sums of up to OPGEN_SLAB_ROW columns row by row, in the order of memory, which a processor sees ahead or is asked for as
 * it is read. All are in registers, which takes loops that are unrolled: each number of vectors has code of its own. */
#define OPGEN_ROW_EACH(i, count) _Pragma("GCC unroll 16") for (int i = 0; i < count; i++)
OPGEN_V4_PART void opgen_slab_rows_part(float *sums, const uint16_t *x, int64_t rows, int64_t stride, int vectors,
                                        __mmask16 some, bool squares, bool bf16, int64_t ahead) {
    __m512 sum[OPGEN_SLAB_ROW / 16];
    OPGEN_ROW_EACH(v, vectors) sum[v] = _mm512_setzero_ps();
    int64_t row = 0;
    for (; row + 2 <= rows; row += 2)
        OPGEN_ROW_EACH(t, 2) OPGEN_ROW_EACH(v, vectors) {
            const uint16_t *const at = x + (row + t) * stride + 16 * v;
            if (ahead > 0 && v % 2 == 0) opgen_ask((const char *)at + ahead, OPGEN_SECOND);
            const __m512 d = opgen_slab_read(at, some, v < vectors - 1, bf16);
            sum[v] = squares ? _mm512_fmadd_ps(d, d, sum[v]) : _mm512_add_ps(sum[v], d);
        }
    if (row < rows)
        OPGEN_ROW_EACH(v, vectors) {
            const uint16_t *const at = x + row * stride + 16 * v;
            if (ahead > 0 && v % 2 == 0) opgen_ask((const char *)at + ahead, OPGEN_SECOND);
            const __m512 d = opgen_slab_read(at, some, v < vectors - 1, bf16);
            sum[v] = squares ? _mm512_fmadd_ps(d, d, sum[v]) : _mm512_add_ps(sum[v], d);
        }
    OPGEN_ROW_EACH(v, vectors) _mm512_mask_storeu_ps(sums + 16 * v, v < vectors - 1 ? 0xffff : some, sum[v]);
}
#undef OPGEN_ROW_EACH
OPGEN_V4_PART void opgen_slab_rows(float *sums, const uint16_t *x, int64_t rows, int64_t stride, int64_t width,
                                   bool squares, bool bf16) {
    const __mmask16 some = (__mmask16)(0xffffu >> (-width & 15));
    const int64_t ahead = opgen_asks_into() == OPGEN_SECOND ? 0 : 4096;
    switch ((width + 15) / 16) {
#define OPGEN_ROWS_PART(vectors)                                                                                       \
    case vectors:                                                                                                      \
        opgen_slab_rows_part(sums, x, rows, stride, vectors, some, squares, bf16, ahead);                              \
        break;
        OPGEN_ROWS_PART(1)
        OPGEN_ROWS_PART(2)
        OPGEN_ROWS_PART(3)
        OPGEN_ROWS_PART(4)
        OPGEN_ROWS_PART(5)
        OPGEN_ROWS_PART(6)
        OPGEN_ROWS_PART(7)
        OPGEN_ROWS_PART(8)
        OPGEN_ROWS_PART(9)
        OPGEN_ROWS_PART(10)
        OPGEN_ROWS_PART(11)
        OPGEN_ROWS_PART(12)
        OPGEN_ROWS_PART(13)
        OPGEN_ROWS_PART(14)
        OPGEN_ROWS_PART(15)
        OPGEN_ROWS_PART(16)
#undef OPGEN_ROWS_PART
    }
}
/* Sums of fewer than 16 columns: as many rows as fill a vector are one, two of those by turns, and in the end the rows of
 * a vector are folded by halves, which the smallest slabs are not worth. 16 columns are read from wherever a row begins. */
OPGEN_V4_PART __m512 opgen_slab_fold(__m512 sum, int64_t rows, int64_t columns) {
    const __m512i at = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const int64_t half = (rows + 1) / 2;
    const __m512i from = _mm512_add_epi32(at, _mm512_set1_epi32((int)(half * columns)));
    const __mmask16 some = (__mmask16)((1u << ((rows - half) * columns)) - 1);
    return _mm512_add_ps(sum, _mm512_maskz_permutexvar_ps(some, from, sum));
}
OPGEN_V4_PART __m512 opgen_slab_folded(__m512 sum, int64_t together, int64_t columns) {
    if (together > 1) sum = opgen_slab_fold(sum, together, columns); /* of up to 8 rows */
    if (together > 2) sum = opgen_slab_fold(sum, (together + 1) / 2, columns);
    if (together > 4) sum = opgen_slab_fold(sum, (together + 3) / 4, columns);
    return sum;
}
OPGEN_V4_PART __m512 opgen_slab_add(__m512 sum, const uint16_t *x, __mmask16 some, bool squares, bool bf16) {
    const __m512 d = opgen_slab_read(x, 0xffff, true, bf16);
    return squares ? _mm512_mask3_fmadd_ps(d, d, sum, some) : _mm512_mask_add_ps(sum, some, sum, d);
}
OPGEN_V4_PART void opgen_slab_narrow(float *sums, const uint16_t *x, int64_t rows, int64_t columns, int64_t flat,
                                     bool squares, bool bf16) {
    const int64_t size = rows * columns;
    const int64_t together = size >= flat ? 16 / columns : 1, width = together * columns;
    __m512 sum = _mm512_setzero_ps(), next = sum;
    int64_t i = 0;
    for (; i + 2 * width <= size; i += 2 * width) {
        sum = opgen_slab_add(sum, x + i, 0xffff, squares, bf16);
        next = opgen_slab_add(next, x + i + width, 0xffff, squares, bf16);
    }
    if (i + width <= size) {
        sum = opgen_slab_add(sum, x + i, 0xffff, squares, bf16);
        i += width;
    }
    if (i < size) next = opgen_slab_add(next, x + i, (__mmask16)((1u << (size - i)) - 1), squares, bf16);
    _mm512_storeu_ps(sums, opgen_slab_folded(_mm512_add_ps(sum, next), together, columns));
}
/* Variances so: of what differs from the same as in opgen_slab_columns, which each row of a vector has. */
OPGEN_V4_PART void opgen_slab_narrow_var(float *means, float *squares, const uint16_t *x, int64_t rows, int64_t columns,
                                         bool bf16) {
    const int64_t together = 16 / columns, width = together * columns, size = rows * columns;
    const __m512i at = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512 of = opgen_slab_read(x, 0xffff, true, bf16);
    if (rows > OPGEN_SLAB_SHORT) {
        for (int t = 1; t < 4; t++)
            of = _mm512_add_ps(of, opgen_slab_read(x + t * columns, 0xffff, true, bf16));
        of = _mm512_mul_ps(of, _mm512_set1_ps(0.25f));
    }
    for (int64_t have = columns; have < width; have *= 2)
        of = _mm512_mask_permutexvar_ps(of, (__mmask16)(0xffffu << have),
                                        _mm512_sub_epi32(at, _mm512_set1_epi32((int)have)), of);
    __m512 sum[2], square[2];
    for (int t = 0; t < 2; t++)
        sum[t] = square[t] = _mm512_setzero_ps();
    int64_t i = 0;
    for (; i + 2 * width <= size; i += 2 * width)
        for (int t = 0; t < 2; t++) {
            const __m512 d = _mm512_sub_ps(opgen_slab_read(x + i + t * width, 0xffff, true, bf16), of);
            sum[t] = _mm512_add_ps(sum[t], d);
            square[t] = _mm512_fmadd_ps(d, d, square[t]);
        }
    for (int t = 0; i < size; i += width, t = 1) {
        const __mmask16 some = (__mmask16)((1u << opgen_min(width, size - i)) - 1);
        const __m512 d = _mm512_sub_ps(opgen_slab_read(x + i, 0xffff, true, bf16), of);
        sum[t] = _mm512_mask_add_ps(sum[t], some, sum[t], d);
        square[t] = _mm512_mask3_fmadd_ps(d, d, square[t], some);
    }
    const __m512 s = opgen_slab_folded(_mm512_add_ps(sum[0], sum[1]), together, columns);
    const __m512 q = opgen_slab_folded(_mm512_add_ps(square[0], square[1]), together, columns);
    const __m512 mean = _mm512_mul_ps(s, _mm512_set1_ps(1.0f / (float)rows));
    _mm512_storeu_ps(means, _mm512_add_ps(of, mean));
    _mm512_storeu_ps(squares, _mm512_max_ps(_mm512_setzero_ps(), _mm512_fnmadd_ps(s, mean, q)));
}
/* Of wide rows several lines at a time, one behind the other in memory. */
OPGEN_V4_PART void opgen_slab(float *first, float *squares, const uint16_t *x, int64_t rows, int64_t stride,
                              int64_t width, bool bf16, int made) {
    enum { WIDE = 64 };
    if (made != OPGEN_SLAB_VAR && width == stride && width <= OPGEN_SLAB_ROW) {
        opgen_slab_rows(first, x, rows, stride, width, made == OPGEN_SLAB_SQUARES, bf16);
        return;
    }
    const int into = opgen_asks_into();
    const int64_t size = rows * stride * (int64_t)sizeof *x, ahead = opgen_slab_ahead(rows, size);
    int64_t j = 0;
    for (; j + WIDE <= width; j += WIDE)
        opgen_slab_columns(first + j, squares + j, x + j, rows, stride, WIDE / 16, 2, 0xffff, true, bf16, made, ahead,
                           into, false);
    for (; j + 32 <= width; j += 32)
        opgen_slab_columns(first + j, squares + j, x + j, rows, stride, 2, 4, 0xffff, true, bf16, made, ahead, into,
                           false);
    const int64_t left = width - j;
    if (left > 16)
        opgen_slab_columns(first + j, squares + j, x + j, rows, stride, 2, 4, (__mmask16)((1u << (left - 16)) - 1),
                           false, bf16, made, ahead, into, false);
    else if (left > 0)
        opgen_slab_columns(first + j, squares + j, x + j, rows, stride, 1, 4, (__mmask16)((1u << left) - 1), false,
                           bf16, made, ahead, into, false);
}
/* The mean of each of `vectors` of 16 columns, up to four, the last of which has `some`, and then the squares of what
 * differs from that, which is in the first cache. */
OPGEN_V4_PART __m512 opgen_slab_part_f32(const float *x, int vector, int vectors, __mmask16 some) {
    return vector < vectors - 1 ? _mm512_loadu_ps(x + 16 * vector) : _mm512_maskz_loadu_ps(some, x + 16 * vector);
}
#define OPGEN_VAR_EACH(i, count) _Pragma("GCC unroll 4") for (int i = 0; i < count; i++) /* then sums are in registers */
OPGEN_V4_PART void opgen_slab_var_part(float *means, float *squares, const float *x, int64_t rows, int64_t stride,
                                       int vectors, __mmask16 some, int64_t ahead, int into) {
    __m512 sum[2][4], mean[4], square[2][4];
    OPGEN_VAR_EACH(v, vectors) sum[0][v] = sum[1][v] = square[0][v] = square[1][v] = _mm512_setzero_ps();
    int64_t row = 0;
    for (; row + 2 <= rows; row += 2)
        OPGEN_VAR_EACH(t, 2) OPGEN_VAR_EACH(v, vectors) {
            const float *const at = x + (row + t) * stride;
            if (ahead > 0) opgen_ask((const char *)(at + 16 * v) + ahead, into);
            sum[t][v] = _mm512_add_ps(sum[t][v], opgen_slab_part_f32(at, v, vectors, some));
        }
    if (row < rows)
        OPGEN_VAR_EACH(v, vectors) {
            const float *const at = x + row * stride;
            if (ahead > 0) opgen_ask((const char *)(at + 16 * v) + ahead, into);
            sum[0][v] = _mm512_add_ps(sum[0][v], opgen_slab_part_f32(at, v, vectors, some));
        }
    OPGEN_VAR_EACH(v, vectors) mean[v] = _mm512_div_ps(_mm512_add_ps(sum[0][v], sum[1][v]), _mm512_set1_ps((float)rows));
    for (row = 0; row + 2 <= rows; row += 2)
        OPGEN_VAR_EACH(t, 2) OPGEN_VAR_EACH(v, vectors) {
            const __m512 d = _mm512_sub_ps(opgen_slab_part_f32(x + (row + t) * stride, v, vectors, some), mean[v]);
            square[t][v] = _mm512_fmadd_ps(d, d, square[t][v]);
        }
    if (row < rows)
        OPGEN_VAR_EACH(v, vectors) {
            const __m512 d = _mm512_sub_ps(opgen_slab_part_f32(x + row * stride, v, vectors, some), mean[v]);
            square[0][v] = _mm512_fmadd_ps(d, d, square[0][v]);
        }
    OPGEN_VAR_EACH(v, vectors) {
        _mm512_storeu_ps(means + 16 * v, mean[v]);
        _mm512_storeu_ps(squares + 16 * v, _mm512_add_ps(square[0][v], square[1][v]));
    }
}
#undef OPGEN_VAR_EACH
/* What comes of it has room for whole vectors. A slab that begins 4 KB further on or more is asked for; or the processor
 * sees ahead what is read in its order, of columns that are gone over by turns before all else. */
OPGEN_V4 static inline void opgen_slab_var_f32_v4(float *means, float *squares, const float *x, int64_t rows,
                                                  int64_t stride, int64_t width) {
    const int into = opgen_asks_into();
    const int64_t size = rows * stride * (int64_t)sizeof *x;
    const int64_t ahead = into == OPGEN_SECOND && width == stride ? 0 : (4096 + size - 1) / size * size;
    if (ahead == 0 && width > 48) opgen_touch(x, size);
    int64_t j = 0;
    for (; j + 64 < width; j += 64)
        opgen_slab_var_part(means + j, squares + j, x + j, rows, stride, 4, 0xffff, ahead, into);
    const __mmask16 some = (__mmask16)(0xffffu >> (-width & 15));
    switch ((width - j + 15) / 16) {
#define OPGEN_VAR_PART(vectors)                                                                                        \
    case vectors:                                                                                                      \
        opgen_slab_var_part(means + j, squares + j, x + j, rows, stride, vectors, some, ahead, into);                  \
        break;
        OPGEN_VAR_PART(1)
        OPGEN_VAR_PART(2)
        OPGEN_VAR_PART(3)
        OPGEN_VAR_PART(4)
#undef OPGEN_VAR_PART
    }
}
OPGEN_V4_PART __mmask16 opgen_tall_some(int64_t left) {
    return (__mmask16)(left >= 16 ? 0xffffu : left <= 0 ? 0 : (1u << left) - 1);
}
/* Variances of 16-bit floats over tall columns: some rows at once into sums that stand in the cache, of what differs
 * from the mean of the first four rows, and of its squares: of 32 columns, or what is left of them. Memory is read and
 * asked for in order. */
enum { OPGEN_TALLEST = 8192 }; /* columns folded at once */
OPGEN_V4_PART const char *opgen_tall_rows(float *mean, float *sums, float *squares, const uint16_t *x, int64_t rows,
                                          int64_t stride, const char *ask, int into, bool first, float part,
                                          int64_t left, bool bf16) {
    const bool whole = left >= 32;
    const __mmask16 lanes[2] = {opgen_tall_some(left), opgen_tall_some(left - 16)};
    const __m512 zero = _mm512_setzero_ps();
    __m512 of[2], s[2], q[2];
    for (int i = 0; i < 2; i++) {
        of[i] = s[i] = q[i] = zero;
        for (int t = 0; t < 4 && first; t++)
            of[i] = _mm512_fmadd_ps(opgen_slab_read(x + t * stride + 16 * i, lanes[i], whole, bf16),
                                    _mm512_set1_ps(0.25f), of[i]);
        if (first) continue;
        of[i] = whole ? _mm512_loadu_ps(mean + 16 * i) : _mm512_maskz_loadu_ps(lanes[i], mean + 16 * i);
        s[i] = whole ? _mm512_loadu_ps(sums + 16 * i) : _mm512_maskz_loadu_ps(lanes[i], sums + 16 * i);
        q[i] = whole ? _mm512_loadu_ps(squares + 16 * i) : _mm512_maskz_loadu_ps(lanes[i], squares + 16 * i);
    }
    for (int64_t k = 0; k < rows; k++, ask += 64) {
        opgen_ask(ask, into);
        for (int i = 0; i < 2; i++) {
            const __m512 d = _mm512_sub_ps(opgen_slab_read(x + k * stride + 16 * i, lanes[i], whole, bf16), of[i]);
            s[i] = _mm512_add_ps(s[i], d);
            q[i] = _mm512_fmadd_ps(d, d, q[i]);
        }
    }
    for (int i = 0; i < 2; i++) {
        if (part != 0) { /* all rows are there */
            const __m512 more = _mm512_mul_ps(s[i], _mm512_set1_ps(part));
            of[i] = _mm512_add_ps(of[i], more);
            q[i] = _mm512_max_ps(zero, _mm512_fnmadd_ps(s[i], more, q[i]));
        }
        if (first || part != 0) _mm512_mask_storeu_ps(mean + 16 * i, lanes[i], of[i]);
        _mm512_mask_storeu_ps(sums + 16 * i, lanes[i], s[i]);
        _mm512_mask_storeu_ps(squares + 16 * i, lanes[i], q[i]);
    }
    return ask;
}
/* Sums, or those of squares, so: of eight rows in a tree, to those of the rows before. */
OPGEN_V4_PART void opgen_tall_two(__m512 *to, const uint16_t *x, int64_t stride, const char *ask, int into,
                                  const __mmask16 *lanes, bool whole, bool squares, bool bf16) {
    __m512 one[2], other[2];
    opgen_ask(ask, into);
    for (int i = 0; i < 2; i++)
        one[i] = opgen_slab_read(x + 16 * i, lanes[i], whole, bf16);
    opgen_ask(ask + 64, into);
    for (int i = 0; i < 2; i++) {
        other[i] = opgen_slab_read(x + stride + 16 * i, lanes[i], whole, bf16);
        to[i] = squares ? _mm512_fmadd_ps(other[i], other[i], _mm512_mul_ps(one[i], one[i]))
                        : _mm512_add_ps(one[i], other[i]);
    }
}
OPGEN_V4_PART void opgen_tall_four(__m512 *to, const uint16_t *x, int64_t stride, const char *ask, int into,
                                   const __mmask16 *lanes, bool whole, bool squares, bool bf16) {
    __m512 more[2];
    opgen_tall_two(to, x, stride, ask, into, lanes, whole, squares, bf16);
    opgen_tall_two(more, x + 2 * stride, stride, ask + 128, into, lanes, whole, squares, bf16);
    to[0] = _mm512_add_ps(to[0], more[0]);
    to[1] = _mm512_add_ps(to[1], more[1]);
}
OPGEN_V4_PART const char *opgen_tall_sum_rows(float *sums, const uint16_t *x, int64_t rows, int64_t stride,
                                              const char *ask, int into, bool first, int64_t left, bool squares,
                                              bool bf16) {
    const bool whole = left >= 32;
    const __mmask16 lanes[2] = {opgen_tall_some(left), opgen_tall_some(left - 16)};
    __m512 s[2];
    for (int i = 0; i < 2; i++)
        s[i] = first   ? _mm512_setzero_ps()
               : whole ? _mm512_loadu_ps(sums + 16 * i)
                       : _mm512_maskz_loadu_ps(lanes[i], sums + 16 * i);
    if (rows == 8) {
        __m512 one[2], other[2];
        opgen_tall_four(one, x, stride, ask, into, lanes, whole, squares, bf16);
        opgen_tall_four(other, x + 4 * stride, stride, ask + 256, into, lanes, whole, squares, bf16);
        for (int i = 0; i < 2; i++)
            s[i] = _mm512_add_ps(s[i], _mm512_add_ps(one[i], other[i]));
    } else {
        for (int64_t k = 0; k < rows; k++)
            for (int i = 0; i < 2; i++) {
                const __m512 v = opgen_slab_read(x + k * stride + 16 * i, lanes[i], whole, bf16);
                s[i] = squares ? _mm512_fmadd_ps(v, v, s[i]) : _mm512_add_ps(s[i], v);
            }
    }
    for (int i = 0; i < 2; i++)
        _mm512_mask_storeu_ps(sums + 16 * i, lanes[i], s[i]);
    return ask + 64 * rows;
}
/* Rows of a piece of the columns, as `apart` says: what lies beside that is not asked for. */
OPGEN_V4_PART void opgen_tall_var(float *mean, float *squares, const uint16_t *x, int64_t rows, int64_t stride,
                                  int64_t width, bool bf16, bool apart) {
    enum { ROWS = 8, AHEAD = 8192 };
    OPGEN_IN_LINE float sums[OPGEN_TALLEST];
    const int into = opgen_asks_into() == OPGEN_SECOND ? OPGEN_SECOND : OPGEN_NEAREST;
    const int64_t whole = stride * (int64_t)sizeof *x, bytes = width * (int64_t)sizeof *x;
    for (int64_t row = 0, some; row < rows; row += some) {
        some = opgen_min(ROWS, rows - row);
        const uint16_t *const at = x + row * stride;
        const char *ask = (const char *)at + opgen_max(some * whole, apart ? 0 : AHEAD), *end = ask + bytes;
        const float part = row + some == rows ? 1 / (float)rows : 0;
        int64_t j = 0;
        for (; j + 32 <= width; j += 32) {
            ask = opgen_tall_rows(mean + j, sums + j, squares + j, at + j, some, stride, ask, into, row == 0, part, 32,
                                  bf16);
            if (apart && ask >= end) ask = end + (whole - bytes), end += whole;
        }
        if (j < width)
            opgen_tall_rows(mean + j, sums + j, squares + j, at + j, some, stride, ask, into, row == 0, part, width - j,
                            bf16);
    }
}
OPGEN_V4_PART void opgen_tall_sum(float *sums, const uint16_t *x, int64_t rows, int64_t stride, int64_t width,
                                  bool squares, bool bf16) {
    enum { ROWS = 8, AHEAD = 8192 };
    const int into = opgen_asks_into() == OPGEN_SECOND ? OPGEN_SECOND : OPGEN_NEAREST;
    const int64_t whole = stride * (int64_t)sizeof *x, bytes = width * (int64_t)sizeof *x;
    for (int64_t row = 0, some; row < rows; row += some) {
        some = opgen_min(ROWS, rows - row);
        const uint16_t *const at = x + row * stride;
        const char *ask = (const char *)at + opgen_max(some * whole, stride > width ? 0 : AHEAD), *end = ask + bytes;
        int64_t j = 0;
        for (; j + 32 <= width; j += 32) {
            ask = opgen_tall_sum_rows(sums + j, at + j, some, stride, ask, into, row == 0, 32, squares, bf16);
            if (stride > width && ask >= end) ask = end + (whole - bytes), end += whole;
        }
        if (j < width)
            opgen_tall_sum_rows(sums + j, at + j, some, stride, ask, into, row == 0, width - j, squares, bf16);
    }
}
#define OPGEN_TALL_SUM(name, squares, bf16)                                                                            \
    OPGEN_V4 static inline void opgen_tall_##name(float *sums, const uint16_t *x, int64_t rows, int64_t stride,        \
                                                  int64_t width) {                                                     \
        opgen_tall_sum(sums, x, rows, stride, width, squares, bf16);                                                   \
    }
OPGEN_TALL_SUM(sum_f16, false, false)
OPGEN_TALL_SUM(sum_bf16, false, true)
OPGEN_TALL_SUM(squares_f16, true, false)
OPGEN_TALL_SUM(squares_bf16, true, true)
#undef OPGEN_TALL_SUM
#define OPGEN_TALL_VAR(type, bf16)                                                                                     \
    OPGEN_V4 static inline void opgen_tall_var_##type(float *mean, float *squares, const uint16_t *x, int64_t rows,    \
                                                      int64_t stride, int64_t width) {                                 \
        if (stride > width)                                                                                            \
            opgen_tall_var(mean, squares, x, rows, stride, width, bf16, true);                                         \
        else                                                                                                           \
            opgen_tall_var(mean, squares, x, rows, stride, width, bf16, false);                                        \
    }
OPGEN_TALL_VAR(f16, false)
OPGEN_TALL_VAR(bf16, true)
#undef OPGEN_TALL_VAR
#define OPGEN_SLAB_V4(type, bf16)                                                                                      \
    OPGEN_V4 static inline void opgen_slab_sum_##type##_v4(float *sum, const uint16_t *x, int64_t rows,                \
                                                           int64_t stride, int64_t width) {                            \
        opgen_slab(sum, sum, x, rows, stride, width, bf16, OPGEN_SLAB_SUM);                                            \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_slab_squares_##type##_v4(float *sum, const uint16_t *x, int64_t rows,            \
                                                               int64_t stride, int64_t width) {                        \
        opgen_slab(sum, sum, x, rows, stride, width, bf16, OPGEN_SLAB_SQUARES);                                        \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_slab_var_##type##_v4(float *mean, float *squares, const uint16_t *x,             \
                                                           int64_t rows, int64_t stride, int64_t width) {              \
        opgen_slab(mean, squares, x, rows, stride, width, bf16, OPGEN_SLAB_VAR);                                       \
    }
OPGEN_SLAB_V4(f16, false)
OPGEN_SLAB_V4(bf16, true)
/* With AVX2 alone variances of 16-bit floats, of `vectors` of 8 columns; otherwise as opgen_slab_columns. */
OPGEN_V3_PART __m256 opgen_slab_read_8(const uint16_t *x, bool bf16) {
    const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)x);
    return bf16 ? _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16)) : _mm256_cvtph_ps(v);
}
OPGEN_V3_PART void opgen_slab_var_columns_v3(float *means, float *squares, const uint16_t *x, int64_t rows,
                                             int64_t stride, int vectors, int turns, bool bf16, int64_t ahead,
                                             int into) {
    enum { TURNS = 2, MOST = 4 };
    __m256 of[MOST], sum[TURNS][MOST], square[TURNS][MOST];
    for (int v = 0; v < vectors; v++) {
        of[v] = opgen_slab_read_8(x + 8 * v, bf16);
        for (int t = 1; rows > OPGEN_SLAB_SHORT && t < 4; t++)
            of[v] = _mm256_add_ps(of[v], opgen_slab_read_8(x + t * stride + 8 * v, bf16));
        if (rows > OPGEN_SLAB_SHORT) of[v] = _mm256_mul_ps(of[v], _mm256_set1_ps(0.25f));
        for (int t = 0; t < turns; t++)
            sum[t][v] = square[t][v] = _mm256_setzero_ps();
    }
    int64_t row = 0;
    for (; row + turns <= rows; row += turns)
        for (int t = 0; t < turns; t++) {
            const uint16_t *const at = x + (row + t) * stride;
            if (ahead > 0) opgen_ask((const char *)at + ahead, into);
            for (int v = 0; v < vectors; v++) {
                const __m256 d = _mm256_sub_ps(opgen_slab_read_8(at + 8 * v, bf16), of[v]);
                sum[t][v] = _mm256_add_ps(sum[t][v], d);
                square[t][v] = _mm256_fmadd_ps(d, d, square[t][v]);
            }
        }
    for (; row < rows; row++) {
        const uint16_t *const at = x + row * stride;
        if (ahead > 0) opgen_ask((const char *)at + ahead, into);
        for (int v = 0; v < vectors; v++) {
            const __m256 d = _mm256_sub_ps(opgen_slab_read_8(at + 8 * v, bf16), of[v]);
            sum[0][v] = _mm256_add_ps(sum[0][v], d);
            square[0][v] = _mm256_fmadd_ps(d, d, square[0][v]);
        }
    }
    for (int v = 0; v < vectors; v++) {
        for (int t = 1; t < turns; t++) {
            sum[0][v] = _mm256_add_ps(sum[0][v], sum[t][v]);
            square[0][v] = _mm256_add_ps(square[0][v], square[t][v]);
        }
        const __m256 s = sum[0][v], mean = _mm256_mul_ps(s, _mm256_set1_ps(1.0f / (float)rows));
        _mm256_storeu_ps(means + 8 * v, _mm256_add_ps(of[v], mean));
        _mm256_storeu_ps(squares + 8 * v,
                         _mm256_max_ps(_mm256_setzero_ps(), _mm256_fnmadd_ps(s, mean, square[0][v])));
    }
}
/* Of 16 columns of a slab, or of 64, of f32 32; of a small one, where `ahead` is 0, nothing is asked for. What comes of
 * f16 is rounded by vectors of 16, what comes of bf16 by those of 8. */
OPGEN_V4 static inline void opgen_upright_var_f32(float *mean, float *squares, const float *x, int64_t rows,
                                                  int64_t stride, int width, int64_t ahead, int into) {
    opgen_slab_var_part(mean, squares, x, rows, stride, width / 16, 0xffff, ahead, into);
}
#define OPGEN_UPRIGHT(type, bf16)                                                                                      \
    OPGEN_V4 static inline void opgen_upright_sum_##type(float *sum, const uint16_t *x, int64_t rows, int64_t stride,  \
                                                         int width, int64_t ahead, int into) {                         \
        opgen_slab_columns(sum, sum, x, rows, stride, width / 16, width > 16 ? 2 : 4, 0xffff, true, bf16,              \
                           OPGEN_SLAB_SUM, ahead, into, bf16 && width == 16);                                          \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_upright_squares_##type(float *sum, const uint16_t *x, int64_t rows,              \
                                                             int64_t stride, int width, int64_t ahead, int into) {     \
        opgen_slab_columns(sum, sum, x, rows, stride, width / 16, width > 16 ? 2 : 4, 0xffff, true, bf16,              \
                           OPGEN_SLAB_SQUARES, ahead, into, bf16 && width == 16);                                      \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_narrow_sum_##type(float *sum, const uint16_t *x, int64_t rows, int64_t columns,  \
                                                        int64_t flat) {                                                \
        opgen_slab_narrow(sum, x, rows, columns, flat, false, bf16);                                                   \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_narrow_squares_##type(float *sum, const uint16_t *x, int64_t rows,               \
                                                            int64_t columns, int64_t flat) {                           \
        opgen_slab_narrow(sum, x, rows, columns, flat, true, bf16);                                                    \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_narrow_var_##type(float *mean, float *squares, const uint16_t *x, int64_t rows,  \
                                                        int64_t columns, int64_t flat) {                               \
        if (columns <= 8 && rows * columns >= flat)                                                                    \
            opgen_slab_narrow_var(mean, squares, x, rows, columns, bf16);                                              \
        else                                                                                                           \
            opgen_slab_columns(mean, squares, x, rows, columns, 1, 4, 0xffff, true, bf16, OPGEN_SLAB_VAR, 0, 0, bf16); \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_rows_sum_##type(float *sum, const uint16_t *x, int64_t rows, int64_t columns) {  \
        opgen_slab_rows(sum, x, rows, columns, columns, false, bf16);                                                  \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_rows_squares_##type(float *sum, const uint16_t *x, int64_t rows,                 \
                                                          int64_t columns) {                                           \
        opgen_slab_rows(sum, x, rows, columns, columns, true, bf16);                                                   \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_upright_var_##type(float *mean, float *squares, const uint16_t *x, int64_t rows, \
                                                        int64_t stride, int width, int64_t ahead, int into) {          \
        opgen_slab_columns(mean, squares, x, rows, stride, width / 16, width > 16 ? 2 : 4, 0xffff, true, bf16,         \
                           OPGEN_SLAB_VAR, ahead, into, bf16 && width == 16);                                          \
    }                                                                                                                  \
    OPGEN_V3 static inline void opgen_upright_var_##type##_v3(float *mean, float *squares, const uint16_t *x,          \
                                                              int64_t rows, int64_t stride, int width, int64_t ahead,  \
                                                              int into) {                                              \
        if (width == 16) opgen_slab_var_columns_v3(mean, squares, x, rows, stride, 2, 2, bf16, ahead, into);           \
        for (int j = 0; j + 32 <= width; j += 32)                                                                      \
            opgen_slab_var_columns_v3(mean + j, squares + j, x + j, rows, stride, 4, 1, bf16, ahead, into);            \
    }
OPGEN_UPRIGHT(f16, false)
OPGEN_UPRIGHT(bf16, true)
#undef OPGEN_UPRIGHT
/* Lanes of 8 or 16 bits, a multiple of 8 of them, as integers of 64 bits. Compilers widen step by step, by the narrowest
 * ones' vectors, which end in two longs each. Places are read by vectors as large as those they are in: then they are in
 * registers until then, from row to row; sums, of which compilers have 8 in one, by those. */
#define OPGEN_LONGS_8(to, v) _mm512_storeu_si512(to, _mm512_cvtepu8_epi64(v))
#define OPGEN_LONGS_16(to, v) _mm512_storeu_si512(to, _mm512_cvtepu16_epi64(v))
OPGEN_V4_PART void opgen_longs_16_u8(int64_t *to, __m128i v) {
    OPGEN_LONGS_8(to, v);
    OPGEN_LONGS_8(to + 8, _mm_srli_si128(v, 8));
}
OPGEN_V4_PART void opgen_longs_16_u16(int64_t *to, __m256i v) {
    OPGEN_LONGS_16(to, _mm256_castsi256_si128(v));
    OPGEN_LONGS_16(to + 8, _mm256_extracti128_si256(v, 1));
}
OPGEN_V4 static inline void opgen_longs_u8_v4(int64_t *to, const uint8_t *x, int count) {
    int l = 0;
    for (; l + 64 <= count; l += 64) {
        const __m512i v = _mm512_loadu_si512(x + l);
        opgen_longs_16_u8(to + l, _mm512_castsi512_si128(v));
        opgen_longs_16_u8(to + l + 16, _mm512_extracti32x4_epi32(v, 1));
        opgen_longs_16_u8(to + l + 32, _mm512_extracti32x4_epi32(v, 2));
        opgen_longs_16_u8(to + l + 48, _mm512_extracti32x4_epi32(v, 3));
    }
    for (; l + 16 <= count; l += 16)
        opgen_longs_16_u8(to + l, _mm_loadu_si128((const __m128i *)(const void *)(x + l)));
    for (; l < count; l += 8)
        OPGEN_LONGS_8(to + l, _mm_loadu_si64(x + l));
}
OPGEN_V4 static inline void opgen_longs_u16_v4(int64_t *to, const uint16_t *x, int count) {
    int l = 0;
    for (; l + 32 <= count; l += 32) {
        const __m512i v = _mm512_loadu_si512(x + l);
        opgen_longs_16_u16(to + l, _mm512_castsi512_si256(v));
        opgen_longs_16_u16(to + l + 16, _mm512_extracti64x4_epi64(v, 1));
    }
    for (; l + 16 <= count; l += 16)
        opgen_longs_16_u16(to + l, _mm256_loadu_si256((const __m256i *)(const void *)(x + l)));
    for (; l < count; l += 8)
        OPGEN_LONGS_16(to + l, _mm_loadu_si128((const __m128i *)(const void *)(x + l)));
}
OPGEN_V4 static inline void opgen_longs_i16_v4(int64_t *to, const int16_t *x, int count) {
    for (int l = 0; l < count; l += 8)
        _mm512_storeu_si512(to + l, _mm512_cvtepi16_epi64(_mm_loadu_si128((const __m128i *)(const void *)(x + l))));
}
#undef OPGEN_LONGS_16
#undef OPGEN_LONGS_8
#undef OPGEN_SLAB_V4
#endif

/* More columns of bf16, which are not converted first, are sooner by eight rows at once. */
#define OPGEN_TALLEST_BF16 6144

/* Whether sums of tall columns are, so many of them: where that was found to be sooner, a Zen 4, and of f16 on Intel's,
 * of which longer rows are read faster by themselves. Of all columns: those of a thread may be fewer. */
OPGEN_INLINE bool opgen_takes_tall_sums(int64_t columns, bool bf16) {
    const int into = opgen_asks_into();
    return (into == OPGEN_SECOND && (!bf16 || columns <= OPGEN_TALLEST_BF16)) ||
           (into == OPGEN_NEAREST && !bf16 && columns <= 1536);
}
/* The same of variances: of more than 2048 columns eight rows at once are sooner on Intel's and where rows are wanted in order. */
OPGEN_INLINE bool opgen_takes_tall_vars(int64_t columns, bool bf16) {
    const int into = opgen_asks_into();
    return columns <= (into == OPGEN_IN_ORDER || into == OPGEN_NEAREST ? 2048
                      : bf16                                                 ? OPGEN_TALLEST_BF16
                                                                             : INT64_MAX);
}

/* How many rows of so many columns are one vector of so many lanes: a power of two, and no more than there are. */
OPGEN_INLINE int64_t opgen_rows_of(int64_t rows, int64_t columns, int64_t lanes) {
    int64_t n = 1;
    while (2 * n <= rows && 2 * n * columns <= lanes)
        n *= 2;
    return n;
}

/* Of 64 bytes, lanes of so many bits: each is what the lane `by` further on is; the last ones are anything. */
#if defined(OPGEN_X86)
OPGEN_V4 static inline void opgen_move_64_v4(void *to, const void *from, int64_t by) {
    const __m512i at = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), step = _mm512_set1_epi64(by);
    _mm512_storeu_si512(to, _mm512_permutexvar_epi64(_mm512_add_epi64(at, step), _mm512_loadu_si512(from)));
}
OPGEN_V4 static inline void opgen_move_32_v4(void *to, const void *from, int64_t by) {
    const __m512i at = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i step = _mm512_set1_epi32((int)by);
    _mm512_storeu_si512(to, _mm512_permutexvar_epi32(_mm512_add_epi32(at, step), _mm512_loadu_si512(from)));
}
OPGEN_V4 static inline __m512i opgen_moved_16_v4(const void *from, int64_t by) {
    const __m512i at = _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12,
                                        11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i step = _mm512_set1_epi16((short)by);
    return _mm512_permutexvar_epi16(_mm512_add_epi16(at, step), _mm512_loadu_si512(from));
}
OPGEN_V4 static inline void opgen_move_16_v4(void *to, const void *from, int64_t by) {
    _mm512_storeu_si512(to, opgen_moved_16_v4(from, by));
}
/* Of an odd number the two halves of each lane of 16 are moved apart. */
OPGEN_V4 static inline void opgen_move_8_v4(void *to, const void *from, int64_t by) {
    __m512i v = opgen_moved_16_v4(from, by / 2);
    if (by % 2 != 0) {
        const __m512i next = _mm512_slli_epi16(opgen_moved_16_v4(from, by / 2 + 1), 8);
        v = _mm512_or_si512(_mm512_srli_epi16(v, 8), next);
    }
    _mm512_storeu_si512(to, v);
}
#endif

/* Whether this header's functions for AVX-512 are what is taken. */
OPGEN_INLINE bool opgen_takes_upright(void) {
#if defined(OPGEN_LEVELS)
    return opgen_level() == 4;
#else
    return OPGEN_LEVEL == 4;
#endif
}

/* Whether slabs of so many rows and columns are gone over so: up to `in_order` columns, whose rows are read in order; or
 * no more elements than `all`, and of wide rows, which are far apart, than `wide`, or few of them; of columns that fill
 * no vector, whose ends cost more, no fewer than `ends`. */
#define OPGEN_SLAB_SMALL 2048 /* elements: each as others are that small (reduce_upright.c.j2) */
#define OPGEN_SLABS_OF_sum 32768, 8192, 1024, OPGEN_SLAB_ROW
#define OPGEN_SLABS_OF_squares OPGEN_SLABS_OF_sum
#define OPGEN_SLABS_OF_var 32768, 16384, 1024, 0
#define OPGEN_SLABS_OF_var_f32 3072, 3072, 0, 0
OPGEN_INLINE bool opgen_takes_slabs(int64_t rows, int64_t columns, int64_t all, int64_t wide, int64_t ends,
                                    int64_t in_order) {
    const int64_t size = rows * columns;
    return opgen_takes_upright() && columns >= 16 && rows >= 4 && rows <= 1024 &&
           size <= (columns <= in_order                      ? INT64_MAX
                    : columns <= 128                         ? all
                    : rows <= OPGEN_FEW_ROWS && wide >= 8192 ? 131072
                                                             : wide) &&
           (columns % 16 == 0 || size >= ends);
}

#if defined(OPGEN_X86)
#define OPGEN_SLAB_X86(by, call)                                                                                       \
    if (opgen_takes_slabs(rows, stride, OPGEN_SLABS_OF_##by)) {                                                        \
        call;                                                                                                          \
        return true;                                                                                                   \
    }
#else
#define OPGEN_SLAB_X86(by, call)
#endif
#define OPGEN_SLAB(type)                                                                                               \
    OPGEN_INLINE bool opgen_slab_sum_##type(float *sum, const uint16_t *x, int64_t rows, int64_t stride,               \
                                            int64_t width) {                                                           \
        (void)sum, (void)x, (void)rows, (void)stride, (void)width;                                                     \
        OPGEN_SLAB_X86(sum, opgen_slab_sum_##type##_v4(sum, x, rows, stride, width))                                   \
        return false;                                                                                                  \
    }                                                                                                                  \
    OPGEN_INLINE bool opgen_slab_squares_##type(float *sum, const uint16_t *x, int64_t rows, int64_t stride,           \
                                                int64_t width) {                                                       \
        (void)sum, (void)x, (void)rows, (void)stride, (void)width;                                                     \
        OPGEN_SLAB_X86(sum, opgen_slab_squares_##type##_v4(sum, x, rows, stride, width))                               \
        return false;                                                                                                  \
    }                                                                                                                  \
    OPGEN_INLINE bool opgen_slab_var_##type(float *mean, float *squares, const uint16_t *x, int64_t rows,              \
                                            int64_t stride, int64_t width) {                                           \
        (void)mean, (void)squares, (void)x, (void)rows, (void)stride, (void)width;                                     \
        OPGEN_SLAB_X86(var, opgen_slab_var_##type##_v4(mean, squares, x, rows, stride, width))                         \
        return false;                                                                                                  \
    }
OPGEN_SLAB(f16)
OPGEN_SLAB(bf16)
OPGEN_INLINE bool opgen_slab_var_f32(float *mean, float *squares, const float *x, int64_t rows, int64_t stride,
                                     int64_t width) {
    (void)mean, (void)squares, (void)x, (void)rows, (void)stride, (void)width;
    OPGEN_SLAB_X86(var_f32, opgen_slab_var_f32_v4(mean, squares, x, rows, stride, width))
    return false;
}
#undef OPGEN_SLAB
#undef OPGEN_SLAB_X86

#endif

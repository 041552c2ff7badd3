/* opgen_near_powers.h: sums of exponentials of numbers as they are, of which none is taken away first: what logsumexp
 * comes to where they are near 0, in one look at each and without an exponential more. From -87 to 88, of 16 bits from
 * -85 on; what is below counts as that, what is above makes the sum too large. Of doubles they are in
 * opgen_near_double.h, by the same names.
 *
 * opgen_near_rows_f32: of each of some rows of n elements, which follow each other in memory and are of the kind that
 * opgen_powers.h says. opgen_near_columns_f32: of each of `width` columns of `rows` rows, `stride` elements apart.
 * opgen_near_slabs_f32: the same of small slabs that follow each other. A sum that is right does not depend on what is
 * beside it. opgen_near_f32: whether so many sums are right: none is so large, so small or so little of a number that
 * something was not near 0. opgen_near_logs_f32: most + log(sum) in the place of each sum.
 *
 * `level` is what opgen_kernel.h says, a constant where these are called.
 */
#ifndef OPGEN_NEAR_POWERS_H
#define OPGEN_NEAR_POWERS_H

#include "opgen_across.h"
#include "opgen_powers.h"

/* What is below -85, some 2^31 times, is nothing beside the least of these; what is above 88 more than the most. */
OPGEN_INLINE bool opgen_near_f32(const float *sums, int64_t n) {
    uint32_t far = 0;
    OPGEN_SIMD
    for (int64_t i = 0; i < n; i++)
        far |= opgen_mask(!(sums[i] > 0x1p-60f)) | opgen_mask(!(sums[i] < 0x1p100f));
    return far == 0;
}

OPGEN_INLINE int opgen_near_level(void) {
#if defined(OPGEN_LEVELS)
    return opgen_level();
#else
    return OPGEN_LEVEL;
#endif
}

/* ---- how much of what is done at once */

/* So many bytes ahead is asked for what is read in order. */
#define OPGEN_NEAR_AHEAD 8192

/* Of rows or columns so many sums at once, at most. */
#if defined(OPGEN_FREESTANDING)
#define OPGEN_NEAR_ROWS (2 * OPGEN_ACROSS)
#define OPGEN_NEAR_COLUMNS 512
#else
#define OPGEN_NEAR_ROWS (32 * OPGEN_ACROSS)
#define OPGEN_NEAR_COLUMNS 4096
#endif

/* Rows and columns of fewer than OPGEN_NEAR_SHORT stand one behind the other as long as exponentials are computed, for
 * vectors of some by themselves would not be full: of rows opgen_near_at_once, of slabs of less than OPGEN_NEAR_LOW
 * rows and up to OPGEN_NEAR_SLAB elements some; these are OPGEN_NEAR_EACH elements, at most. */
#define OPGEN_NEAR_SHORT 64
#define OPGEN_NEAR_LOW 32
#define OPGEN_NEAR_SLAB 1024
#define OPGEN_NEAR_EACH (OPGEN_ACROSS * OPGEN_NEAR_SHORT + 64)
OPGEN_INLINE int64_t opgen_near_at_once(int64_t n) {
    return opgen_min(8, opgen_max(1, 16 / opgen_max(n, 1))) * OPGEN_ACROSS;
}

/* Whether rows of n elements, or columns, are done so where a processor has what `level` says: not what is another way
 * sooner, as opgen_powers.h is with AVX2 alone but for columns of what is not converted. */
OPGEN_INLINE bool opgen_near_takes_f32(int64_t n, int kind, int level) {
    (void)kind;
    return level == 4 && n > 1;
}
OPGEN_INLINE bool opgen_near_takes_columns_f32(int64_t n, int kind, int level) {
    return (level == 4 || kind == OPGEN_POWERS_F32) && n > 1;
}

/* How many rows of so many bytes are folded into columns at once: the longer they are, the fewer, so that memory is
 * read in order. */
OPGEN_INLINE int64_t opgen_near_together(int64_t bytes) {
    return opgen_min(8, opgen_max(1, 4096 / opgen_max(1, bytes)));
}

/* Where to what comes next is asked for: into the nearest cache; but where a row stands by itself, between sums that are read and written
 * again and again, into the second one on processors that want it there. */
OPGEN_INLINE int opgen_near_asks_into(int64_t together) {
    return together == 1 && opgen_asks_into() == OPGEN_SECOND ? OPGEN_SECOND : OPGEN_NEAREST;
}

/* How far ahead of byte `at` of a piece of so many what comes next is: further on in it, or in that of the next rows,
 * so many bytes from here. */
OPGEN_INLINE int64_t opgen_near_there(int64_t at, int64_t piece, int64_t next) {
    return at + OPGEN_NEAR_AHEAD < piece ? OPGEN_NEAR_AHEAD : OPGEN_NEAR_AHEAD - piece + next;
}

#if defined(OPGEN_X86)
#if defined(__clang__)
#define OPGEN_UNROLLED_16 OPGEN_UNROLLED
#else
#define OPGEN_UNROLLED_16 _Pragma("GCC unroll 16")
#endif

/* s + e^x of 16; see opgen_add_power_16. Of what is not a number vmaxps and vminps give the second. 2^n is n added to
 * the exponent of a table's entry, of which the 16th that it stands for is taken away. */
OPGEN_V4_PART __m512 opgen_near_add_16(__m512 s, __m512 x, int kind) {
    if (kind != OPGEN_POWERS_F32)
        return opgen_add_power_16(s, _mm512_min_ps(OPGEN_ALL(88), _mm512_max_ps(OPGEN_ALL(-85), x)),
                                  OPGEN_ALL(0x1.8p19f));
    const __m512i places = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i table = _mm512_sub_epi32(_mm512_loadu_si512(opgen_power_table[0]), _mm512_slli_epi32(places, 19));
    const __m512 v = _mm512_min_ps(OPGEN_ALL(88), _mm512_max_ps(OPGEN_ALL(-87), x));
    const __m512 z = _mm512_fmadd_ps(v, OPGEN_ALL(0x1.715476p+0f), OPGEN_ALL(0x1.8p19f));
    const __m512 r = _mm512_fmsub_ps(v, OPGEN_ALL(0x1.715476p+0f), _mm512_sub_ps(z, OPGEN_ALL(0x1.8p19f)));
    const __m512i at = _mm512_castps_si512(z), part = _mm512_permutexvar_epi32(at, table);
    const __m512 power = _mm512_castsi512_ps(_mm512_add_epi32(part, _mm512_slli_epi32(at, 19)));
    __m512 p = _mm512_fmadd_ps(r, OPGEN_ALL(0x1.c6acdap-5f), OPGEN_ALL(0x1.ebfff6p-3f));
    p = _mm512_fmadd_ps(p, r, OPGEN_ALL(0x1.62e43p-1f));
    return _mm512_fmadd_ps(power, _mm512_fmadd_ps(p, r, OPGEN_ALL(1)), s);
}

/* 16 of memory; of fewer, others are such that nothing is added for them. */
OPGEN_V4_PART __m512 opgen_near_read_16(const void *x, int64_t at, int64_t left, int kind) {
    if (left >= 16) return opgen_powers_read_16(x, at, kind);
    const __mmask16 some = opgen_some(left);
    if (kind == OPGEN_POWERS_F32) return _mm512_mask_loadu_ps(OPGEN_ALL(-INFINITY), some, (const float *)x + at);
    const __m256i v = _mm256_maskz_loadu_epi16(some, (const uint16_t *)x + at);
    const __m512 wide = kind == OPGEN_POWERS_F16 ? _mm512_cvtph_ps(v)
                                                 : _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16));
    return _mm512_mask_mov_ps(OPGEN_ALL(-INFINITY), some, wide);
}

/* The sums of a row in 16 lanes. */
OPGEN_V4_PART __m512 opgen_near_row_16(const float *x, int64_t n) {
    __m512 s[4];
    for (int l = 0; l < 4; l++)
        s[l] = _mm512_setzero_ps();
    int64_t i = 0;
    for (; i + 64 <= n; i += 64)
        for (int l = 0; l < 4; l++) {
            opgen_ask((const char *)(x + i + 16 * l) + OPGEN_NEAR_AHEAD, OPGEN_NEAREST);
            s[l] = opgen_near_add_16(s[l], _mm512_loadu_ps(x + i + 16 * l), OPGEN_POWERS_F32);
        }
    for (; i + 16 <= n; i += 16)
        s[0] = opgen_near_add_16(s[0], _mm512_loadu_ps(x + i), OPGEN_POWERS_F32);
    if (i < n) s[1] = opgen_near_add_16(s[1], opgen_near_read_16(x, i, n - i, OPGEN_POWERS_F32), OPGEN_POWERS_F32);
    return _mm512_add_ps(_mm512_add_ps(s[0], s[1]), _mm512_add_ps(s[2], s[3]));
}

/* The same of 16 bits. As whole numbers these are in the order of what they stand for as long as they are positive: so
 * whether some are above 88, or are no numbers, is seen of 32 at once. It is asked behind the first 64 of each 1024, and
 * then no more is looked at: powers of what is a little more than that may be subnormal, which takes long. */
OPGEN_V4_PART __m512 opgen_near_row_of_halves(const uint16_t *x, int64_t n, int kind) {
    const __m512 least = OPGEN_ALL(-85), from = OPGEN_ALL(0x1.8p19f);
    const __m512i most = _mm512_set1_epi16(kind == OPGEN_POWERS_F16 ? 0x5580 : 0x42b0);
    __m512i seen = most;
    __m512 s[4];
    for (int l = 0; l < 4; l++)
        s[l] = _mm512_setzero_ps();
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        for (int l = 0; l < 4; l += 2) {
            const uint16_t *const at = x + i + 16 * l;
            __m512 v[2];
            opgen_ask((const char *)at + OPGEN_NEAR_AHEAD, OPGEN_NEAREST);
            seen = _mm512_max_epi16(seen, opgen_powers_read_both(at, kind, v));
            for (int k = 0; k < 2; k++)
                s[l + k] = opgen_add_power_16(s[l + k], _mm512_max_ps(least, v[k]), from);
        }
        if ((i & 960) == 0 && _mm512_cmpneq_epi16_mask(seen, most)) return OPGEN_ALL(INFINITY);
    }
    for (; i < n; i += 16)
        s[0] = opgen_near_add_16(s[0], opgen_near_read_16(x, i, n - i, kind), kind);
    if (_mm512_cmpneq_epi16_mask(seen, most)) return OPGEN_ALL(INFINITY);
    return _mm512_add_ps(_mm512_add_ps(s[0], s[1]), _mm512_add_ps(s[2], s[3]));
}

/* The sum of each of 16 vectors: half of the lanes of one beside half of those of another, again and again. */
OPGEN_V4_PART __m512 opgen_near_all_16(const __m512 *v) {
    __m512 a[8], b[4], c[2];
    for (int i = 0; i < 8; i++)
        a[i] = _mm512_add_ps(_mm512_unpacklo_ps(v[i], v[i + 8]), _mm512_unpackhi_ps(v[i], v[i + 8]));
    for (int i = 0; i < 4; i++)
        b[i] = _mm512_add_ps(_mm512_unpacklo_ps(a[i], a[i + 4]), _mm512_unpackhi_ps(a[i], a[i + 4]));
    for (int i = 0; i < 2; i++)
        c[i] = _mm512_add_ps(_mm512_shuffle_f32x4(b[i], b[i + 2], 0x88), _mm512_shuffle_f32x4(b[i], b[i + 2], 0xdd));
    const __m512 d = _mm512_add_ps(_mm512_shuffle_f32x4(c[0], c[1], 0x88), _mm512_shuffle_f32x4(c[0], c[1], 0xdd));
    const __m512i from = _mm512_setr_epi32(0, 8, 4, 12, 1, 9, 5, 13, 2, 10, 6, 14, 3, 11, 7, 15);
    return _mm512_permutexvar_ps(from, d);
}

/* Of rows of up to 8 or 4: a vector has two rows or four, each behind 0 in as many lanes. */
OPGEN_V4_PART void opgen_near_sums_of_few(float *sums, const float *x, int64_t n, int64_t rows) {
    const unsigned row = (1u << n) - 1;
    const __m512i from_4 = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i from_8 = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    for (int64_t first = 0; first < rows; first += 16, x += 16 * n) {
        __m512 v[8], a[4];
        if (n <= 4) {
            for (int i = 0; i < 4; i++)
                v[i] = _mm512_maskz_expand_ps((__mmask16)(row * 0x1111), _mm512_loadu_ps(x + 4 * n * i));
            for (int i = 0; i < 2; i++)
                a[i] = _mm512_add_ps(_mm512_unpacklo_ps(v[i], v[i + 2]), _mm512_unpackhi_ps(v[i], v[i + 2]));
            a[0] = _mm512_add_ps(_mm512_unpacklo_ps(a[0], a[1]), _mm512_unpackhi_ps(a[0], a[1]));
        } else {
            for (int i = 0; i < 8; i++)
                v[i] = _mm512_maskz_expand_ps((__mmask16)(row * 0x101), _mm512_loadu_ps(x + 2 * n * i));
            for (int i = 0; i < 4; i++)
                a[i] = _mm512_add_ps(_mm512_unpacklo_ps(v[i], v[i + 4]), _mm512_unpackhi_ps(v[i], v[i + 4]));
            for (int i = 0; i < 2; i++)
                a[i] = _mm512_add_ps(_mm512_unpacklo_ps(a[i], a[i + 2]), _mm512_unpackhi_ps(a[i], a[i + 2]));
            a[0] = _mm512_add_ps(_mm512_shuffle_f32x4(a[0], a[1], 0x88), _mm512_shuffle_f32x4(a[0], a[1], 0xdd));
        }
        _mm512_mask_storeu_ps(sums + first, opgen_some(rows - first),
                              _mm512_permutexvar_ps(n <= 4 ? from_4 : from_8, a[0]));
    }
}
/* Of rows of so many vectors, of which the last one has fewer elements. */
OPGEN_V4_PART void opgen_near_sums_of(float *sums, const float *x, int64_t n, int64_t rows, int vectors) {
    const __mmask16 some = opgen_some(n - 16 * (vectors - 1));
    const float *const last = x + (rows - 1) * n;
    __m512 v[16];
    for (int64_t first = 0; first < rows; first += 16) {
        OPGEN_UNROLLED_16
        for (int64_t r = 0; r < 16; r++) {
            v[r] = _mm512_maskz_loadu_ps(some, x + 16 * (vectors - 1));
            for (int k = 0; k < vectors - 1; k++)
                v[r] = _mm512_add_ps(v[r], _mm512_loadu_ps(x + 16 * k));
            x = x < last ? x + n : last;
        }
        _mm512_mask_storeu_ps(sums + first, opgen_some(rows - first), opgen_near_all_16(v));
    }
}

/* Exponentials of so many as they stand, and 0 behind them up to `most`, which is what there may be at most. */
OPGEN_V4_PART void opgen_near_each_v4(float *e, const void *x, int64_t size, int64_t most, int kind) {
    const int64_t bytes = kind == OPGEN_POWERS_F32 ? 4 : 2;
    int64_t i = 0;
    for (; i + 16 <= size; i += 16) {
        opgen_ask((const char *)x + i * bytes + OPGEN_NEAR_AHEAD, OPGEN_NEAREST);
        _mm512_store_ps(e + i, opgen_near_add_16(_mm512_setzero_ps(), opgen_powers_read_16(x, i, kind), kind));
    }
    for (; i < size; i += 16)
        _mm512_store_ps(e + i, opgen_near_add_16(_mm512_setzero_ps(), opgen_near_read_16(x, i, size - i, kind), kind));
    for (; i < most; i += 16)
        _mm512_store_ps(e + i, _mm512_setzero_ps());
}

OPGEN_V4_PART void opgen_near_sums_v4(float *sums, const float *e, int64_t n, int64_t rows) {
    if (n <= 8)
        opgen_near_sums_of_few(sums, e, n, rows);
    else if (n < 16)
        opgen_near_sums_of(sums, e, n, rows, 1);
    else if (n < 32)
        opgen_near_sums_of(sums, e, n, rows, 2);
    else if (n < 48)
        opgen_near_sums_of(sums, e, n, rows, 3);
    else
        opgen_near_sums_of(sums, e, n, rows, 4);
}

/* Of short rows exponentials of some are computed before those of the ones before are summed up: these have left the
 * processor by then, and are read as they stand. */
OPGEN_V4_PART void opgen_near_rows_kind_v4(float *sums, const void *x, int64_t n, int64_t rows, int kind) {
    OPGEN_IN_LINE float e[2][OPGEN_NEAR_EACH];
    if (n >= OPGEN_NEAR_SHORT) {
        __m512 v[16];
        for (int64_t first = 0; first < rows; first += 16) {
            for (int64_t r = 0; r < 16; r++) {
                const int64_t at = (first + r) * n;
                v[r] = first + r >= rows          ? _mm512_setzero_ps()
                       : kind == OPGEN_POWERS_F32 ? opgen_near_row_16((const float *)x + at, n)
                                                  : opgen_near_row_of_halves((const uint16_t *)x + at, n, kind);
            }
            _mm512_mask_storeu_ps(sums + first, opgen_some(rows - first), opgen_near_all_16(v));
        }
        return;
    }
    const int64_t bytes = kind == OPGEN_POWERS_F32 ? 4 : 2, some = opgen_near_at_once(n);
    for (int64_t first = 0, turn = 0; first < rows + some; first += some, turn ^= 1) {
        const int64_t left = opgen_min(some, rows - first);
        if (left > 0)
            opgen_near_each_v4(e[turn], (const char *)x + first * n * bytes, left * n,
                               n <= 8 ? (left + 15) / 16 * 16 * n + 16 : 0, kind); /* of 16 rows some are none */
        if (first > 0) opgen_near_sums_v4(sums + first - some, e[turn ^ 1], n, opgen_min(some, rows - (first - some)));
    }
}
OPGEN_V4 static inline void opgen_near_rows_v4(float *sums, const void *x, int64_t n, int64_t rows, int kind) {
    if (kind == OPGEN_POWERS_F32) opgen_near_rows_kind_v4(sums, x, n, rows, OPGEN_POWERS_F32);
    if (kind == OPGEN_POWERS_F16) opgen_near_rows_kind_v4(sums, x, n, rows, OPGEN_POWERS_F16);
    if (kind == OPGEN_POWERS_BF16) opgen_near_rows_kind_v4(sums, x, n, rows, OPGEN_POWERS_BF16);
}

OPGEN_V4 static inline void opgen_near_logs_v4(float *sums, const float *most, int64_t n) {
    for (int64_t i = 0; i < n; i += 16) {
        const __mmask16 some = opgen_some(n - i);
        const __m512 log = opgen_log_16(_mm512_maskz_loadu_ps(some, sums + i));
        _mm512_mask_storeu_ps(sums + i, some, _mm512_add_ps(_mm512_maskz_loadu_ps(some, most + i), log));
    }
}

/* Small slabs: exponentials as they stand, and sums of each column; see opgen_near_rows_kind_v4. */
OPGEN_V4_PART void opgen_near_slab_sums_v4(float *sums, const float *slab, int64_t slabs, int64_t rows, int64_t width) {
    for (int64_t i = 0; i < slabs; i++, slab += rows * width, sums += width)
        for (int64_t j = 0; j < width; j += 16) {
            const __mmask16 some = opgen_some(width - j);
            __m512 s[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
            const float *row = slab + j;
            int64_t k = 0;
            for (; k + 2 <= rows; k += 2, row += 2 * width) {
                s[0] = _mm512_add_ps(s[0], _mm512_maskz_loadu_ps(some, row));
                s[1] = _mm512_add_ps(s[1], _mm512_maskz_loadu_ps(some, row + width));
            }
            if (k < rows) s[0] = _mm512_add_ps(s[0], _mm512_maskz_loadu_ps(some, row));
            _mm512_mask_storeu_ps(sums + j, some, _mm512_add_ps(s[0], s[1]));
        }
}
OPGEN_V4_PART void opgen_near_slabs_kind_v4(float *sums, const void *x, int64_t slabs, int64_t rows, int64_t width,
                                            int kind) {
    OPGEN_IN_LINE float e[2][OPGEN_NEAR_EACH];
    const int64_t bytes = kind == OPGEN_POWERS_F32 ? 4 : 2, size = rows * width, some = opgen_max(1, 512 / size);
    for (int64_t first = 0, turn = 0; first < slabs + some; first += some, turn ^= 1) {
        const int64_t left = opgen_min(some, slabs - first), before = first - some;
        if (left > 0) opgen_near_each_v4(e[turn], (const char *)x + first * size * bytes, left * size, 0, kind);
        if (first > 0)
            opgen_near_slab_sums_v4(sums + before * width, e[turn ^ 1], opgen_min(some, slabs - before), rows, width);
    }
}
OPGEN_V4 static inline void opgen_near_slabs_v4(float *sums, const void *x, int64_t slabs, int64_t rows, int64_t width,
                                                int kind) {
    if (kind == OPGEN_POWERS_F32) opgen_near_slabs_kind_v4(sums, x, slabs, rows, width, OPGEN_POWERS_F32);
    if (kind == OPGEN_POWERS_F16) opgen_near_slabs_kind_v4(sums, x, slabs, rows, width, OPGEN_POWERS_F16);
    if (kind == OPGEN_POWERS_BF16) opgen_near_slabs_kind_v4(sums, x, slabs, rows, width, OPGEN_POWERS_BF16);
}

/* Some rows into their sums, two lines of columns at a time. Meanwhile what `ask` says is asked for, line after
 * line, where that is how memory is read; or what is further on in each row. */
OPGEN_V4_PART void opgen_near_some_rows_v4(float *sums, const void *x, int64_t stride, int64_t width, int rows,
                                           const char *ask, bool in_order, int into, int kind) {
    const int64_t bytes = kind == OPGEN_POWERS_F32 ? 4 : 2;
    enum { MOST = 4 };
    const int vectors = kind == OPGEN_POWERS_F32 ? 2 : MOST; /* two lines */
    const __m512i most = _mm512_set1_epi16(kind == OPGEN_POWERS_F16 ? 0x5580 : 0x42b0);
    int64_t j = 0;
    for (; j + 16 * vectors <= width; j += 16 * vectors) {
        const int64_t there = opgen_near_there(j * bytes, width * bytes, rows * stride * bytes);
        __m512i seen[2] = {most, most};
        __m512 s[MOST];
        OPGEN_UNROLLED
        for (int i = 0; i < vectors; i++)
            s[i] = _mm512_loadu_ps(sums + j + 16 * i);
        for (int k = 0; k < rows; k++) {
            const char *row = (const char *)x + (k * stride + j) * bytes;
            for (int line = 0; line < 2; line++, ask += 64)
                opgen_ask(in_order ? ask : row + 64 * line + there, into);
            for (int i = 0; i < 2 && kind != OPGEN_POWERS_F32; i++)
                seen[i] = _mm512_max_epi16(seen[i], _mm512_loadu_si512(row + 64 * i));
            OPGEN_READ_AGAIN(row);
            OPGEN_UNROLLED
            for (int i = 0; i < vectors; i++) {
                const __m512 v = opgen_powers_read_16(row, 16 * i, kind);
                s[i] = kind == OPGEN_POWERS_F32
                           ? opgen_near_add_16(s[i], v, kind)
                           : opgen_add_power_16(s[i], _mm512_max_ps(OPGEN_ALL(-85), v), OPGEN_ALL(0x1.8p19f));
            }
        }
        bool far = false;
        for (int i = 0; i < 2 && kind != OPGEN_POWERS_F32; i++)
            far |= _mm512_cmpneq_epi16_mask(seen[i], most) != 0;
        OPGEN_UNROLLED
        for (int i = 0; far && i < vectors; i++) {
            const __mmask32 which = _mm512_cmpneq_epi16_mask(seen[i / 2], most);
            s[i] = _mm512_mask_mov_ps(s[i], (__mmask16)(which >> 16 * (i % 2)), OPGEN_ALL(INFINITY));
        }
        OPGEN_UNROLLED
        for (int i = 0; i < vectors; i++)
            _mm512_storeu_ps(sums + j + 16 * i, s[i]);
    }
    for (; j < width; j += 16) {
        const __mmask16 some = opgen_some(width - j);
        __m512 s = _mm512_maskz_loadu_ps(some, sums + j);
        for (int k = 0; k < rows; k++, ask += 16 * bytes) {
            if (in_order) opgen_ask(ask, into);
            s = opgen_near_add_16(s, opgen_near_read_16(x, k * stride + j, width - j, kind), kind);
        }
        _mm512_mask_storeu_ps(sums + j, some, s);
    }
}
OPGEN_V4_PART void opgen_near_columns_kind_v4(float *sums, const void *x, int64_t rows, int64_t stride, int64_t width,
                                              int kind) {
    const int64_t bytes = kind == OPGEN_POWERS_F32 ? 4 : 2;
    const int64_t most = opgen_near_together(stride * bytes);
    const int into = opgen_near_asks_into(most);
    for (int64_t row = 0; row < rows; row += most) {
        const char *at = (const char *)x + row * stride * bytes;
        const int64_t some = opgen_min(most, rows - row), ahead = opgen_max(some * stride * bytes, OPGEN_NEAR_AHEAD);
        opgen_near_some_rows_v4(sums, at, stride, width, (int)some, at + ahead, stride <= width, into, kind);
    }
}
OPGEN_V4 static inline void opgen_near_columns_v4(float *sums, const void *x, int64_t rows, int64_t stride,
                                                  int64_t width, int kind) {
    if (kind == OPGEN_POWERS_F32) opgen_near_columns_kind_v4(sums, x, rows, stride, width, OPGEN_POWERS_F32);
    if (kind == OPGEN_POWERS_F16) opgen_near_columns_kind_v4(sums, x, rows, stride, width, OPGEN_POWERS_F16);
    if (kind == OPGEN_POWERS_BF16) opgen_near_columns_kind_v4(sums, x, rows, stride, width, OPGEN_POWERS_BF16);
}
#endif

/* ---- as C says it. What follows may be vectors of any kind. */
OPGEN_INLINE float opgen_near_exp_f32(const void *x, int64_t at, int kind) {
    return opgen_exp_beside_1_f32(opgen_at_most(opgen_powers_read(x, at, kind), 88));
}
/* Row by row in 64 lanes; columns line by line. */
#define OPGEN_NEAR_OF(type, T, SOURCE, LANES, v4_rows, v4_columns, v4_slabs, v4_logs, of, rest)                        \
    OPGEN_INLINE void opgen_near_rows_##type(T *sums, const SOURCE *x, int64_t n, int64_t rows, int kind, int level) { \
        (void)kind, (void)level;                                                                                       \
        v4_rows;                                                                                                       \
        for (int64_t r = 0; r < rows; r++) {                                                                           \
            T lanes[LANES] = {0};                                                                                      \
            for (int64_t i = 0; i < n; i += LANES) {                                                                   \
                const int64_t at = r * n + i, some = opgen_min(LANES, n - i);                                          \
                OPGEN_SIMD                                                                                             \
                for (int64_t l = 0; l < some; l++)                                                                     \
                    lanes[l] += of;                                                                                    \
            }                                                                                                          \
            for (int64_t half = LANES / 2; half > 0; half /= 2) {                                                      \
                OPGEN_SIMD                                                                                             \
                for (int64_t l = 0; l < half; l++)                                                                     \
                    lanes[l] += lanes[l + half];                                                                       \
            }                                                                                                          \
            sums[r] = lanes[0];                                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_INLINE void opgen_near_lines_##type(T *sums, const SOURCE *x, int64_t rows, int64_t stride, int64_t width,   \
                                              int kind, int level) {                                                   \
        (void)kind, (void)level;                                                                                       \
        v4_columns;                                                                                                    \
        for (int64_t r = 0; r < rows; r++) {                                                                           \
            const int64_t at = r * stride;                                                                             \
            OPGEN_SIMD                                                                                                 \
            for (int64_t l = 0; l < width; l++)                                                                        \
                sums[l] += of;                                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_INLINE void opgen_near_columns_##type(T *sums, const SOURCE *x, int64_t rows, int64_t stride, int64_t width, \
                                                int kind, int level) {                                                 \
        enum { ROWS = OPGEN_NEAR_LOW / 2 };                                                                            \
        T some[ROWS * OPGEN_NEAR_SHORT];                                                                               \
        const bool few = width < OPGEN_NEAR_SHORT && stride == width && rows >= OPGEN_NEAR_LOW;                        \
        const int64_t wide = few ? ROWS * width : width, done = few ? rows / ROWS * ROWS : rows;                       \
        T *const to = few ? some : sums;                                                                               \
        const T zero = (T)opgen_zero();                                                                                \
        for (int64_t l = 0; l < wide; l++)                                                                             \
            to[l] = zero;                                                                                              \
        opgen_near_lines_##type(to, x, few ? rows / ROWS : rows, few ? wide : stride, wide, kind, level);              \
        if (!few) return;                                                                                              \
        if (done < rows) opgen_near_lines_##type(some, rest, 1, 0, (rows - done) * width, kind, level);                \
        for (int64_t half = ROWS / 2; half > 0; half /= 2) {                                                           \
            OPGEN_SIMD                                                                                                 \
            for (int64_t l = 0; l < half * width; l++)                                                                 \
                some[l] += some[l + half * width];                                                                     \
        }                                                                                                              \
        for (int64_t l = 0; l < width; l++)                                                                            \
            sums[l] = some[l];                                                                                         \
    }                                                                                                                  \
    OPGEN_INLINE void opgen_near_slabs_##type(T *sums, const SOURCE *x, int64_t slabs, int64_t rows, int64_t width,    \
                                              int kind, int level) {                                                   \
        (void)kind, (void)level;                                                                                       \
        v4_slabs;                                                                                                      \
        for (int64_t i = 0; i < slabs; i++)                                                                            \
            for (int64_t r = 0; r < rows; r++) {                                                                       \
                const int64_t at = (i * rows + r) * width;                                                             \
                T *const slab = sums + i * width;                                                                      \
                OPGEN_SIMD                                                                                             \
                for (int64_t l = 0; l < width; l++)                                                                    \
                    slab[l] = (r == 0 ? 0 : slab[l]) + of;                                                             \
            }                                                                                                          \
    }                                                                                                                  \
    OPGEN_INLINE void opgen_near_logs_##type(T *sums, const T *most, int64_t n, int level) {                           \
        (void)level;                                                                                                   \
        v4_logs;                                                                                                       \
        OPGEN_SIMD                                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                                                \
            sums[i] = most[i] + opgen_log_##type(sums[i]);                                                             \
    }
#if defined(OPGEN_X86)
#define OPGEN_NEAR_BY_V4(call)                                                                                         \
    if (level == 4) {                                                                                                  \
        call;                                                                                                          \
        return;                                                                                                        \
    }
#else
#define OPGEN_NEAR_BY_V4(call)
#endif
OPGEN_NEAR_OF(f32, float, void, 64, OPGEN_NEAR_BY_V4(opgen_near_rows_v4(sums, x, n, rows, kind)),
              OPGEN_NEAR_BY_V4(opgen_near_columns_v4(sums, x, rows, stride, width, kind)),
              OPGEN_NEAR_BY_V4(opgen_near_slabs_v4(sums, x, slabs, rows, width, kind)),
              OPGEN_NEAR_BY_V4(opgen_near_logs_v4(sums, most, n)), opgen_near_exp_f32(x, at + l, kind),
              (const char *)x + done * stride * (kind == OPGEN_POWERS_F32 ? 4 : 2))

#endif

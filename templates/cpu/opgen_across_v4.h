/* opgen_across_v4.h: rows of memory as columns, as opgen_across.h has them, for functions with levels: with AVX-512 by
 * vectors of 64 bytes, which what is computed of them then reads at once, where it would wait for two stores of 32.
 *
 * opgen_columns_8, _16, _32 and _64: of OPGEN_ACROSS rows of n elements, which follow each other, 16 bytes of each,
 * from `from` on; the element c of row r goes to place c * OPGEN_ACROSS + r. Rows of few elements, OPGEN_CLOSE_ROWS of
 * 1 or 2 bytes or 4 of 4, are read as they stand, nothing beyond them, by the places in `close`, which opgen_close_8
 * and so on have made for such n. opgen_columns_f16: the same of f16, as floats; it says where it has not made any.
 */
#ifndef OPGEN_ACROSS_V4_H
#define OPGEN_ACROSS_V4_H

#include "opgen_across.h"

/* Rows of fewer elements of 1 or 2 bytes are close to each other: of more, 16 bytes of each are as soon columns. */
#define OPGEN_CLOSE_ROWS 6

/* Of rows that are close to each other: a column is picked from the first two vectors that have some of it, what comes
 * of that and the next one, and so on; an index for each pick. */
typedef struct OpgenClose {
#if defined(OPGEN_X86) && defined(OPGEN_SHUFFLES)
    int16_t at[(OPGEN_CLOSE_ROWS - 1) * (OPGEN_CLOSE_ROWS - 2)][32] __attribute__((aligned(64)));
#else
    char none;
#endif
} OpgenClose;

#if defined(OPGEN_X86) && defined(OPGEN_SHUFFLES)
typedef int16_t opgen_wide_16 __attribute__((vector_size(64)));
typedef int32_t opgen_wide_32 __attribute__((vector_size(64)));
typedef int64_t opgen_wide_64 __attribute__((vector_size(64)));
typedef char opgen_wide_8 __attribute__((vector_size(64)));
typedef int16_t opgen_any_wide_16 __attribute__((vector_size(64), aligned(1), may_alias));
typedef int32_t opgen_any_wide_32 __attribute__((vector_size(64), aligned(1), may_alias));
typedef int64_t opgen_any_wide_64 __attribute__((vector_size(64), aligned(1), may_alias));
typedef char opgen_any_wide_8 __attribute__((vector_size(64), aligned(1), may_alias));
typedef int32_t opgen_row_part __attribute__((vector_size(16), aligned(1), may_alias));
#define OPGEN_PART(row) (*(const opgen_row_part *)(const void *)(row))

/* 16 bytes of each of four rows; and each element of one pair of 16-byte parts beside that of the other. */
#if defined(__clang__)
#define OPGEN_LANE_2 0, 1, 2, 3, 4, 5, 6, 7
OPGEN_V4_PART opgen_wide_32 opgen_four_rows(const char *row, int64_t apart) {
    return __builtin_shufflevector(
        __builtin_shufflevector(OPGEN_PART(row), OPGEN_PART(row + apart), OPGEN_LANE_2),
        __builtin_shufflevector(OPGEN_PART(row + 2 * apart), OPGEN_PART(row + 3 * apart), OPGEN_LANE_2), OPGEN_LANE_2,
        8, 9, 10, 11, 12, 13, 14, 15);
}
#undef OPGEN_LANE_2
OPGEN_V4_PART opgen_wide_16 opgen_picked_16(opgen_wide_16 at, opgen_wide_16 a, opgen_wide_16 b) {
    return (opgen_wide_16)__builtin_ia32_vpermi2varhi512(a, at, b);
}
OPGEN_V4_PART opgen_wide_32 opgen_picked_32(opgen_wide_32 at, opgen_wide_32 a, opgen_wide_32 b) {
    return (opgen_wide_32)__builtin_ia32_vpermi2vard512(a, at, b);
}
#else
OPGEN_V4_PART opgen_wide_32 opgen_four_rows(const char *row, int64_t apart) {
    opgen_wide_32 a = __builtin_ia32_si512_si(OPGEN_PART(row));
    a = __builtin_ia32_inserti32x4_mask(a, OPGEN_PART(row + apart), 1, a, (unsigned short)-1);
    a = __builtin_ia32_inserti32x4_mask(a, OPGEN_PART(row + 2 * apart), 2, a, (unsigned short)-1);
    return __builtin_ia32_inserti32x4_mask(a, OPGEN_PART(row + 3 * apart), 3, a, (unsigned short)-1);
}
OPGEN_V4_PART opgen_wide_16 opgen_picked_16(opgen_wide_16 at, opgen_wide_16 a, opgen_wide_16 b) {
    return __builtin_shuffle(a, b, at);
}
OPGEN_V4_PART opgen_wide_32 opgen_picked_32(opgen_wide_32 at, opgen_wide_32 a, opgen_wide_32 b) {
    return __builtin_shuffle(a, b, at);
}
#endif

/* Of two vectors, in each 16 bytes the elements from one place on beside each other: of 8 bytes the first ones or the
 * others. */
#define OPGEN_EACH_8(i)                                                                                                \
    i, i + 64, i + 1, i + 65, i + 2, i + 66, i + 3, i + 67, i + 4, i + 68, i + 5, i + 69, i + 6, i + 70, i + 7, i + 71
#define OPGEN_EACH_16(i) i, i + 32, i + 1, i + 33, i + 2, i + 34, i + 3, i + 35
#define OPGEN_EACH_32(i) i, i + 16, i + 1, i + 17
#define OPGEN_EACH_64(i) i, i + 8
#define OPGEN_BESIDE(bits, from)                                                                                       \
    OPGEN_EACH_##bits(from), OPGEN_EACH_##bits(from + 128 / bits), OPGEN_EACH_##bits(from + 256 / bits),               \
        OPGEN_EACH_##bits(from + 384 / bits)
/* Vectors of four rows each that are ROWS apart: ROWS vectors, of the rows between those as well, become columns of 4 *
 * ROWS rows. */
#define OPGEN_COLUMNS(bits, ROWS)                                                                                      \
    OPGEN_V4_PART void opgen_beside_v4_##bits(opgen_wide_##bits *a) {                                                  \
        opgen_wide_##bits b[ROWS];                                                                                     \
        for (int i = 0; i < ROWS / 2; i++) {                                                                           \
            b[2 * i] = __builtin_shufflevector(a[i], a[i + ROWS / 2], OPGEN_BESIDE(bits, 0));                          \
            b[2 * i + 1] = __builtin_shufflevector(a[i], a[i + ROWS / 2], OPGEN_BESIDE(bits, 64 / bits));              \
        }                                                                                                              \
        for (int i = 0; i < ROWS; i++)                                                                                 \
            a[i] = b[i];                                                                                               \
    }                                                                                                                  \
    OPGEN_V4_PART const char *opgen_read_columns_##bits(opgen_wide_##bits *a, const char *row, int64_t stride) {       \
        for (int i = 0; i < ROWS; i++, row += stride) {                                                                \
            OPGEN_ONE_PLACE(row);                                                                                      \
            a[i] = (opgen_wide_##bits)opgen_four_rows(row, ROWS * stride);                                             \
        }                                                                                                              \
        for (int step = 1; step < ROWS; step *= 2)                                                                     \
            opgen_beside_v4_##bits(a);                                                                                 \
        return row + 3 * ROWS * stride;                                                                                \
    }
OPGEN_COLUMNS(8, 8)
OPGEN_COLUMNS(16, 8)
OPGEN_COLUMNS(32, 4)
OPGEN_COLUMNS(64, 2)
#undef OPGEN_COLUMNS
#undef OPGEN_BESIDE
#undef OPGEN_EACH_8
#undef OPGEN_EACH_16
#undef OPGEN_EACH_32
#undef OPGEN_EACH_64

OPGEN_V4 static inline void opgen_columns_8_v4(void *to, const void *from, int64_t stride) {
    opgen_wide_8 a[8];
    opgen_read_columns_8(a, (const char *)from, stride);
    for (int i = 0; i < 8; i++) {
        const opgen_wide_64 two = (opgen_wide_64)a[i]; /* columns, 8 bytes of the one and 8 of the other */
        ((opgen_any_wide_64 *)to)[i] = __builtin_shufflevector(two, two, 0, 2, 4, 6, 1, 3, 5, 7);
    }
}
OPGEN_V4 static inline void opgen_columns_16_v4(void *to, const void *from, int64_t stride) {
    opgen_wide_16 a[8];
    opgen_read_columns_16(a, (const char *)from, stride);
    for (int i = 0; i < 8; i++)
        ((opgen_any_wide_16 *)to)[i] = a[i];
}
OPGEN_V4 static inline void opgen_columns_32_v4(void *to, const void *from, int64_t stride) {
    const char *row = (const char *)from;
    for (int half = 0; half < 2; half++) {
        opgen_wide_32 a[4];
        row = opgen_read_columns_32(a, row, stride);
        for (int i = 0; i < 4; i++)
            ((opgen_any_wide_32 *)to)[2 * i + half] = a[i];
    }
}
OPGEN_V4 static inline void opgen_columns_64_v4(void *to, const void *from, int64_t stride) {
    const char *row = (const char *)from;
    for (int part = 0; part < 4; part++) {
        opgen_wide_64 a[2];
        row = opgen_read_columns_64(a, row, stride);
        for (int i = 0; i < 2; i++)
            ((opgen_any_wide_64 *)to)[4 * i + part] = a[i];
    }
}

/* 32 elements, widened to 16 bits or made floats, and back. */
typedef float opgen_wide_floats __attribute__((vector_size(64)));
typedef float opgen_any_wide_floats __attribute__((vector_size(64), aligned(1), may_alias));
typedef int16_t opgen_half_16 __attribute__((vector_size(32)));
typedef char opgen_half_8 __attribute__((vector_size(32)));
typedef char opgen_any_half_8 __attribute__((vector_size(32), aligned(1), may_alias));
#define OPGEN_FIRST_16 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define OPGEN_OTHER_16 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
OPGEN_V4_PART opgen_wide_floats opgen_floats_v4(opgen_half_16 x) {
    const opgen_wide_floats none = {0};
#if defined(__clang__)
    return __builtin_ia32_vcvtph2ps512_mask(x, none, 0xffff, 4);
#else
    return __builtin_ia32_vcvtph2ps512_mask(x, none, -1, 4);
#endif
}
OPGEN_V4_PART void opgen_put_f16_v4(void *to, int column, opgen_wide_16 x) {
    opgen_any_wide_floats *lanes = (opgen_any_wide_floats *)to + 2 * column;
    lanes[0] = opgen_floats_v4(__builtin_shufflevector(x, x, OPGEN_FIRST_16));
    lanes[1] = opgen_floats_v4(__builtin_shufflevector(x, x, OPGEN_OTHER_16));
}
OPGEN_V4_PART void opgen_put_16_v4(void *to, int column, opgen_wide_16 x) { ((opgen_any_wide_16 *)to)[column] = x; }
OPGEN_V4_PART void opgen_put_8_v4(void *to, int column, opgen_wide_16 x) {
    ((opgen_any_half_8 *)to)[column] = __builtin_convertvector(x, opgen_half_8);
}
OPGEN_V4_PART opgen_wide_16 opgen_get_16_v4(const void *from, int at) { return ((const opgen_any_wide_16 *)from)[at]; }
OPGEN_V4_PART opgen_wide_16 opgen_get_8_v4(const void *from, int at) {
    return __builtin_convertvector(((const opgen_any_half_8 *)from)[at], opgen_wide_16);
}
#define opgen_get_f16_v4 opgen_get_16_v4

OPGEN_V4 static inline void opgen_columns_f16_v4(void *to, const void *from, int64_t stride) {
    opgen_wide_16 a[8];
    opgen_read_columns_16(a, (const char *)from, stride);
    for (int i = 0; i < 8; i++)
        opgen_put_f16_v4(to, i, a[i]);
}

/* The places of columns of n elements in vectors of 32, or of 16. */
OPGEN_V4 static inline void opgen_close_16_v4(OpgenClose *close, int64_t n) {
    const opgen_wide_16 lanes = {OPGEN_FIRST_16, OPGEN_OTHER_16};
    int16_t(*to)[32] = close->at;
    for (int16_t c = 0; c < n; c++)
        for (int16_t v = 1; v < n; v++) {
            const opgen_wide_16 at = lanes * (int16_t)n + c, here = (at >> 5) == v, kept = v == 1 ? at & 31 : lanes;
            *(opgen_any_wide_16 *)(void *)*to++ = (((at & 31) + 32) & here) | (kept & ~here);
        }
}
OPGEN_V4 static inline void opgen_close_32_v4(OpgenClose *close, int64_t n) {
    const opgen_wide_32 lanes = {OPGEN_FIRST_16};
    int16_t(*to)[32] = close->at;
    for (int32_t c = 0; c < n; c++)
        for (int32_t v = 1; v < n; v++) {
            const opgen_wide_32 at = lanes * (int32_t)n + c, here = (at >> 4) == v, kept = v == 1 ? at & 15 : lanes;
            *(opgen_any_wide_32 *)(void *)*to++ = (((at & 15) + 16) & here) | (kept & ~here);
        }
}
#define opgen_close_8_v4 opgen_close_16_v4

#define OPGEN_CLOSE(type)                                                                                              \
    OPGEN_V4_PART void opgen_read_close_##type(void *to, const void *from, int n, const OpgenClose *close) {           \
        opgen_wide_16 x[OPGEN_CLOSE_ROWS];                                                                             \
        for (int v = 0; v < n; v++)                                                                                    \
            x[v] = opgen_get_##type##_v4(from, v);                                                                     \
        for (int c = 0; c < n; c++) {                                                                                  \
            opgen_wide_16 a = x[0];                                                                                    \
            for (int v = 1; v < n; v++)                                                                                \
                a = opgen_picked_16(*(const opgen_any_wide_16 *)(const void *)close->at[c * (n - 1) + v - 1], a,       \
                                    x[v]);                                                                             \
            opgen_put_##type##_v4(to, c, a);                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_read_close_##type##_v4(void *to, const void *from, int64_t n,                    \
                                                             const OpgenClose *close) {                                \
        switch (n) {                                                                                                   \
        case 1:                                                                                                        \
            opgen_read_close_##type(to, from, 1, close);                                                               \
            break;                                                                                                     \
        case 2:                                                                                                        \
            opgen_read_close_##type(to, from, 2, close);                                                               \
            break;                                                                                                     \
        case 3:                                                                                                        \
            opgen_read_close_##type(to, from, 3, close);                                                               \
            break;                                                                                                     \
        case 4:                                                                                                        \
            opgen_read_close_##type(to, from, 4, close);                                                               \
            break;                                                                                                     \
        default:                                                                                                       \
            opgen_read_close_##type(to, from, OPGEN_CLOSE_ROWS - 1, close);                                            \
            break;                                                                                                     \
        }                                                                                                              \
    }
OPGEN_CLOSE(8)
OPGEN_CLOSE(16)
OPGEN_CLOSE(f16)
#undef OPGEN_CLOSE
OPGEN_V4_PART void opgen_read_close_32(void *to, const void *from, int n, const OpgenClose *close) {
    for (int half = 0; half < 2; half++) {
        opgen_wide_32 x[4];
        for (int v = 0; v < n; v++)
            x[v] = ((const opgen_any_wide_32 *)from)[half * n + v];
        for (int c = 0; c < n; c++) {
            opgen_wide_32 a = x[0];
            for (int v = 1; v < n; v++)
                a = opgen_picked_32(*(const opgen_any_wide_32 *)(const void *)close->at[c * (n - 1) + v - 1], a, x[v]);
            ((opgen_any_wide_32 *)to)[2 * c + half] = a;
        }
    }
}
OPGEN_V4 static inline void opgen_read_close_32_v4(void *to, const void *from, int64_t n, const OpgenClose *close) {
    switch (n) {
    case 1:
        opgen_read_close_32(to, from, 1, close);
        break;
    case 2:
        opgen_read_close_32(to, from, 2, close);
        break;
    default:
        opgen_read_close_32(to, from, 3, close);
        break;
    }
}
#endif

/* Rows of less than `least` elements are close. */
#if defined(OPGEN_X86) && defined(OPGEN_SHUFFLES)
#define OPGEN_COLUMNS_V4(type, bytes, least)                                                                           \
    if (level == 4) {                                                                                                  \
        if (n < least)                                                                                                 \
            opgen_read_close_##type##_v4(to, from, n, close);                                                          \
        else                                                                                                           \
            opgen_columns_##type##_v4(to, from, n *bytes);                                                             \
        return;                                                                                                        \
    }
#define OPGEN_CLOSE_V4(type, least)                                                                                    \
    if (level == 4 && n < least) opgen_close_##type##_v4(close, n);
#else
#define OPGEN_COLUMNS_V4(type, bytes, least)
#define OPGEN_CLOSE_V4(type, least)
#endif
#define OPGEN_COLUMNS_OF(bits, least)                                                                                  \
    OPGEN_INLINE void opgen_close_##bits(OpgenClose *close, int64_t n, int level) {                                    \
        OPGEN_CLOSE_V4(bits, least)                                                                                    \
        (void)close, (void)n, (void)level;                                                                             \
    }                                                                                                                  \
    OPGEN_INLINE void opgen_columns_##bits(void *to, const void *from, int64_t n, const OpgenClose *close,             \
                                           int level) {                                                                \
        OPGEN_COLUMNS_V4(bits, bits / 8, least)                                                                        \
        (void)close, (void)level;                                                                                      \
        opgen_across_##bits(to, from, n *(bits / 8));                                                                  \
    }
OPGEN_COLUMNS_OF(8, OPGEN_CLOSE_ROWS)
OPGEN_COLUMNS_OF(16, OPGEN_CLOSE_ROWS)
OPGEN_COLUMNS_OF(32, 4)
OPGEN_INLINE void opgen_close_64(OpgenClose *close, int64_t n, int level) { (void)close, (void)n, (void)level; }
OPGEN_INLINE void opgen_columns_64(void *to, const void *from, int64_t n, const OpgenClose *close, int level) {
    (void)close, (void)level;
#if defined(OPGEN_X86) && defined(OPGEN_SHUFFLES)
    if (level == 4) {
        opgen_columns_64_v4(to, from, n * 8);
        return;
    }
#endif
    opgen_across_64(to, from, n * 8);
}
/* Whether it has made floats; otherwise what is in `halves` has to be. */
OPGEN_INLINE bool opgen_columns_f16(void *floats, void *halves, const void *from, int64_t n, const OpgenClose *close,
                                    int level) {
#if defined(OPGEN_X86) && defined(OPGEN_SHUFFLES)
    if (level == 4) {
        if (n < OPGEN_CLOSE_ROWS)
            opgen_read_close_f16_v4(floats, from, n, close);
        else
            opgen_columns_f16_v4(floats, from, n * 2);
        return true;
    }
#endif
    (void)floats, (void)close, (void)level;
    opgen_across_16(halves, from, n * 2);
    return false;
}
#undef OPGEN_COLUMNS_V4
#undef OPGEN_CLOSE_V4
#undef OPGEN_COLUMNS_OF

#endif

/* opgen_across.h: rows of memory as columns: of OPGEN_ACROSS rows, which follow each other, a few elements each, so
 * that what is folded along a row is folded for as many rows at once. For kernels of rows that are too short to be
 * folded in lanes of their own.
 *
 * opgen_across_8, _16, _32 and _64, by the bits of an element: the first 16 bytes of each row, `stride` bytes after the
 * one before; the element c of row r goes to place c * OPGEN_ACROSS + r. All 16 bytes are read, however many are
 * wanted.
 */
#ifndef OPGEN_ACROSS_H
#define OPGEN_ACROSS_H

#include "opgen_kernel.h"

#define OPGEN_ACROSS 32

/* Whether there is room for the lanes of so many rows, 16 KB and more; and how often so many are folded beside each
 * other. */
#if defined(OPGEN_FREESTANDING)
#define OPGEN_ROOMY false
#define OPGEN_GROUPS 1
#else
#define OPGEN_ROOMY true
#define OPGEN_GROUPS 4
#endif

/* Of rows of so many bytes, at most: longer ones, of which 16 bytes are read at a time, are to be read to their end. */
OPGEN_INLINE int64_t opgen_groups(int64_t bytes) { return bytes <= 16 ? OPGEN_GROUPS : 1; }

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define OPGEN_SHUFFLES
#endif
#endif

#if defined(OPGEN_SHUFFLES) && !defined(OPGEN_FREESTANDING)
/* As many vectors as 16 bytes have elements, each of 16 bytes of two rows: each with the one that is half of them
 * further on, element beside element of either row, as often as it takes until each has one of every row. What is
 * stored is read by vectors of 32 bytes as well, which wait for two stores of 16. Not by memcpy: where a system has it
 * checked, as _FORTIFY_SOURCE does, it is called for each vector. */
#define OPGEN_BOTH_8                                                                                                   \
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
#define OPGEN_LOW_8                                                                                                    \
    0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54,    \
        23, 55
#define OPGEN_HIGH_8                                                                                                   \
    8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47, 24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30,  \
        62, 31, 63
#define OPGEN_BOTH_16 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define OPGEN_LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27
#define OPGEN_HIGH_16 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31
#define OPGEN_BOTH_32 0, 1, 2, 3, 4, 5, 6, 7
#define OPGEN_LOW_32 0, 8, 1, 9, 4, 12, 5, 13
#define OPGEN_HIGH_32 2, 10, 3, 11, 6, 14, 7, 15
#define OPGEN_BOTH_64 0, 1, 2, 3
#define OPGEN_LOW_64 0, 4, 2, 6
#define OPGEN_HIGH_64 1, 5, 3, 7
#define OPGEN_ROWS_ACROSS(bits)                                                                                        \
    typedef uint##bits##_t opgen_row_##bits __attribute__((vector_size(16), aligned(1), may_alias));                   \
    typedef uint##bits##_t opgen_rows_##bits __attribute__((vector_size(32)));                                         \
    typedef uint##bits##_t opgen_any_rows_##bits __attribute__((vector_size(32), aligned(1), may_alias));              \
    OPGEN_INLINE void opgen_beside_##bits(opgen_rows_##bits *a) {                                                      \
        enum { N = 128 / bits };                                                                                       \
        opgen_rows_##bits b[N];                                                                                        \
        for (int i = 0; i < N / 2; i++) {                                                                              \
            b[2 * i] = __builtin_shufflevector(a[i], a[i + N / 2], OPGEN_LOW_##bits);                                  \
            b[2 * i + 1] = __builtin_shufflevector(a[i], a[i + N / 2], OPGEN_HIGH_##bits);                             \
        }                                                                                                              \
        for (int i = 0; i < N; i++)                                                                                    \
            a[i] = b[i];                                                                                               \
    }                                                                                                                  \
    OPGEN_INLINE void opgen_across_##bits(void *to, const void *from, int64_t stride) {                                \
        enum { N = 128 / bits };                                                                                       \
        const char *row = (const char *)from;                                                                          \
        for (int first = 0; first < OPGEN_ACROSS; first += 2 * N, row += 2 * N * stride) {                             \
            opgen_rows_##bits a[N];                                                                                    \
            OPGEN_ONE_PLACE(row);                                                                                      \
            for (int i = 0; i < N; i++) {                                                                              \
                const opgen_row_##bits *one = (const opgen_row_##bits *)(const void *)(row + i * stride);              \
                const opgen_row_##bits *other = (const opgen_row_##bits *)(const void *)(row + (i + N) * stride);      \
                a[i] = __builtin_shufflevector(*one, *other, OPGEN_BOTH_##bits);                                       \
            }                                                                                                          \
            opgen_beside_##bits(a);                                                                                    \
            if (N > 2) opgen_beside_##bits(a);                                                                         \
            if (N > 4) opgen_beside_##bits(a);                                                                         \
            if (N > 8) opgen_beside_##bits(a);                                                                         \
            for (int i = 0; i < N; i++)                                                                                \
                *(opgen_any_rows_##bits *)(void *)((char *)to + (i * OPGEN_ACROSS + first) * (bits / 8)) = a[i];       \
        }                                                                                                              \
    }
#else
#define OPGEN_ROWS_ACROSS(bits)                                                                                        \
    OPGEN_INLINE void opgen_across_##bits(void *to, const void *from, int64_t stride) {                                \
        for (int r = 0; r < OPGEN_ACROSS; r++)                                                                         \
            for (int c = 0; c < 128 / bits; c++)                                                                       \
                memcpy((char *)to + (c * OPGEN_ACROSS + r) * (bits / 8),                                               \
                       (const char *)from + r * stride + c * (bits / 8), bits / 8);                                    \
    }
#endif

OPGEN_ROWS_ACROSS(8)
OPGEN_ROWS_ACROSS(16)
OPGEN_ROWS_ACROSS(32)
OPGEN_ROWS_ACROSS(64)
#undef OPGEN_ROWS_ACROSS

#endif

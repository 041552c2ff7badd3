/* opgen_across.h: rows of memory as columns: of OPGEN_ACROSS rows, which follow each other, a few elements each, so that what is folded
 * along a row is folded for as many rows at once. For kernels of rows that are too short to be folded in lanes of their own.
 *
 * opgen_across_8, _16, _32 and _64, by the bits of an element: the first 16 bytes of each row, `stride` bytes after the one before; the
 * element c of row r goes to place c * OPGEN_ACROSS + r. All 16 bytes are read, however many are wanted.
 */
#ifndef OPGEN_ACROSS_H
#define OPGEN_ACROSS_H

#include "opgen_kernel.h"

#define OPGEN_ACROSS 32

/* Whether there is room for the lanes of so many rows, 16 KB and more. */
#if defined(OPGEN_FREESTANDING)
#define OPGEN_ROOMY false
#else
#define OPGEN_ROOMY true
#endif

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define OPGEN_SHUFFLES
#endif
#endif

#if defined(OPGEN_SHUFFLES) && !defined(OPGEN_FREESTANDING)
/* Compilers that see through it keep a place for each row, where one is enough. */
#define OPGEN_ONE_PLACE(place) __asm__("" : "+r"(place))
/* As many vectors as one has elements: each with the one that is half of them further on, element beside element, as often as it takes
 * until each has one of every row. Not by memcpy: where a system has it checked, as _FORTIFY_SOURCE does, it is called for each vector. */
#define OPGEN_LOW_8 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define OPGEN_HIGH_8 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define OPGEN_LOW_16 0, 8, 1, 9, 2, 10, 3, 11
#define OPGEN_HIGH_16 4, 12, 5, 13, 6, 14, 7, 15
#define OPGEN_LOW_32 0, 4, 1, 5
#define OPGEN_HIGH_32 2, 6, 3, 7
#define OPGEN_LOW_64 0, 2
#define OPGEN_HIGH_64 1, 3
#define OPGEN_ROWS_ACROSS(bits)                                                                                        \
    typedef uint##bits##_t opgen_row_##bits __attribute__((vector_size(16)));                                          \
    typedef uint##bits##_t opgen_any_row_##bits __attribute__((vector_size(16), aligned(1), may_alias));               \
    OPGEN_INLINE void opgen_beside_##bits(opgen_row_##bits *a) {                                                       \
        enum { N = 128 / bits };                                                                                       \
        opgen_row_##bits b[N];                                                                                         \
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
        for (int first = 0; first < OPGEN_ACROSS; first += N, row += N * stride) {                                     \
            opgen_row_##bits a[N];                                                                                     \
            OPGEN_ONE_PLACE(row);                                                                                      \
            for (int i = 0; i < N; i++)                                                                                \
                a[i] = *(const opgen_any_row_##bits *)(const void *)(row + i * stride);                                \
            opgen_beside_##bits(a);                                                                                    \
            if (N > 2) opgen_beside_##bits(a);                                                                         \
            if (N > 4) opgen_beside_##bits(a);                                                                         \
            if (N > 8) opgen_beside_##bits(a);                                                                         \
            for (int i = 0; i < N; i++)                                                                                \
                *(opgen_any_row_##bits *)(void *)((char *)to + (i * OPGEN_ACROSS + first) * (bits / 8)) = a[i];        \
        }                                                                                                              \
    }
#else
#define OPGEN_ROWS_ACROSS(bits)                                                                                        \
    OPGEN_INLINE void opgen_across_##bits(void *to, const void *from, int64_t stride) {                                \
        for (int r = 0; r < OPGEN_ACROSS; r++)                                                                         \
            for (int c = 0; c < 128 / bits; c++)                                                                       \
                memcpy((char *)to + (c * OPGEN_ACROSS + r) * (bits / 8), (const char *)from + r * stride + c * (bits / 8), bits / 8); \
    }
#endif

/* OPGEN_ACROSS elements, `bytes` of them together. gcc makes a copy by 16 bytes of a loop, and what reads 32 of them then waits for both. */
#if defined(OPGEN_SHUFFLES) && !defined(OPGEN_FREESTANDING)
typedef uint32_t opgen_lanes_32 __attribute__((vector_size(32), aligned(1), may_alias));
#define OPGEN_COPY_32(i)                                                                                               \
    if (bytes > 32 * i) ((opgen_lanes_32 *)to)[i] = ((const opgen_lanes_32 *)from)[i];
OPGEN_INLINE void opgen_copy_lanes(void *to, const void *from, size_t bytes) {
    OPGEN_COPY_32(0) OPGEN_COPY_32(1) OPGEN_COPY_32(2) OPGEN_COPY_32(3)
    OPGEN_COPY_32(4) OPGEN_COPY_32(5) OPGEN_COPY_32(6) OPGEN_COPY_32(7)
}
#undef OPGEN_COPY_32
#else
OPGEN_INLINE void opgen_copy_lanes(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
#endif

OPGEN_ROWS_ACROSS(8)
OPGEN_ROWS_ACROSS(16)
OPGEN_ROWS_ACROSS(32)
OPGEN_ROWS_ACROSS(64)
#undef OPGEN_ROWS_ACROSS

#endif

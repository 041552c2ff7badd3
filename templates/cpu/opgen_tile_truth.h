/* opgen_tile_truth.h: short rows as opgen_tile.h reads them, of which is asked whether any element, or each, is not 0.
 * -0 is, and what is no number is not. Elements are their bits here, 32 bits of them beside each other, which one or
 * two elements have.
 *
 * opgen_tile_any_f32 and _all_f32, of i32, f16 and bf16: arguments as opgen_tile_sum_f32 has them; up to 15 elements
 * beyond a row are read.
 */
#ifndef OPGEN_TILE_TRUTH_H
#define OPGEN_TILE_TRUTH_H

#include "opgen_tile.h"

#if defined(OPGEN_TILES)
/* Bits of which one is set where any element is not 0, or where one is. */
OPGEN_V3_PART opgen_tile_bits opgen_truth_any_32(const void *x) { return *(const opgen_any_tile_bits *)x; }
OPGEN_V3_PART opgen_tile_bits opgen_truth_none_f32(const void *x) { return *(const opgen_any_tile *)x == 0.0f; }
OPGEN_V3_PART opgen_tile_bits opgen_truth_none_i32(const void *x) { return *(const opgen_any_tile_bits *)x == 0; }
OPGEN_V3_PART opgen_tile_bits opgen_truth_none_16(const void *x) {
    return (opgen_tile_bits)((*(const opgen_any_wide_tile *)x & 0x7fff) == 0);
}
/* The first `left` of the elements that a vector has. */
OPGEN_V3_PART opgen_tile_bits opgen_truth_some_32(int left) {
    const opgen_tile_bits lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    return lanes < left;
}
OPGEN_V3_PART opgen_tile_bits opgen_truth_some_16(int left) {
    const opgen_wide_tile lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return (opgen_tile_bits)(lanes < (short)left);
}
OPGEN_V3_PART opgen_tile_bits opgen_truth_or(opgen_tile_bits a, opgen_tile_bits b) { return a | b; }
OPGEN_TILE_ALL(truth, opgen_tile_bits, opgen_truth_or)

/* `of`: the bits of a vector; `counts`: which of them count; `is`: what a row is where one of these is set. */
#define OPGEN_TILE_TRUTH(name, T, bits, of, counts, is)                                                                \
    OPGEN_V3_PART void opgen_tile_##name(bool *to, const T *from, int64_t n, int64_t apart) {                          \
        enum { WIDE = 256 / bits };                                                                                    \
        const int64_t whole = n / WIDE * WIDE;                                                                         \
        const opgen_tile_bits none = {0}, some = opgen_truth_some_##bits((int)(n - whole));                            \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE, from += apart) {                                  \
            opgen_tile_asks(from, OPGEN_TILE * n * (int64_t)sizeof *from);                                             \
            opgen_tile_bits v[OPGEN_TILE];                                                                             \
            const T *x = from;                                                                                         \
            OPGEN_ROLLED                                                                                               \
            for (int r = 0; r < OPGEN_TILE; r++, x += n) {                                                             \
                opgen_tile_bits a = none;                                                                              \
                int64_t j = 0;                                                                                         \
                for (; j + 4 * WIDE <= whole; j += 4 * WIDE)                                                           \
                    a |= (of(x + j) | of(x + j + WIDE)) | (of(x + j + 2 * WIDE) | of(x + j + 3 * WIDE));               \
                for (; j < whole; j += WIDE)                                                                           \
                    a |= of(x + j);                                                                                    \
                if (whole < n) a |= of(x + whole) & some;                                                              \
                v[r] = a;                                                                                              \
            }                                                                                                          \
            const opgen_tile_bits all = (opgen_tile_all_truth(v) & (counts)) != 0;                                     \
            for (int r = 0; r < OPGEN_TILE; r++)                                                                       \
                to[row + r] = (all[r] != 0) == (is);                                                                   \
        }                                                                                                              \
    }
OPGEN_TILE_TRUTH(any_f32, float, 32, opgen_truth_any_32, 0x7fffffff, true)
OPGEN_TILE_TRUTH(all_f32, float, 32, opgen_truth_none_f32, -1, false)
OPGEN_TILE_TRUTH(any_i32, int32_t, 32, opgen_truth_any_32, -1, true)
OPGEN_TILE_TRUTH(all_i32, int32_t, 32, opgen_truth_none_i32, -1, false)
OPGEN_TILE_TRUTH(any_f16, opgen_f16, 16, opgen_truth_any_32, 0x7fff7fff, true)
OPGEN_TILE_TRUTH(all_f16, opgen_f16, 16, opgen_truth_none_16, -1, false)
OPGEN_TILE_TRUTH(any_bf16, opgen_bf16, 16, opgen_truth_any_32, 0x7fff7fff, true)
OPGEN_TILE_TRUTH(all_bf16, opgen_bf16, 16, opgen_truth_none_16, -1, false)
#undef OPGEN_TILE_TRUTH
#endif

#endif

/* opgen_tile.h: sums, products and extremes of short rows of floats that follow each other in memory: of eight rows at
 * once, each folded into a vector, and these eight into one, all in registers. A processor that sees ahead what is read
 * in order has as much of it under way as it holds instructions for: so there are few of them here for each line, and
 * none asks for memory but where more is computed, of variances and places, and on Intel's.
 *
 * opgen_tile_sum_f32, _bf16 and _f16, _prod_ and _squares_ (the sum of the squares) of the same, _max_f32 and _min_f32:
 * what comes of each of OPGEN_ACROSS rows of n elements, of which the second eight begin `apart` elements behind the
 * first, and so on; _var_f32, _bf16 and _f16: the mean of each, and the sum of the squares of what its elements differ
 * from that. n is at least eight; up to seven elements beyond each eighth row are read. Of what is not a number comes
 * that. They are there where OPGEN_TILES is defined, and may be called where opgen_takes_tiles() says so.
 * opgen_tile_put_f16: eight floats, rounded to f16.
 */
#ifndef OPGEN_TILE_H
#define OPGEN_TILE_H

#include "opgen_across.h"
#include "opgen_math.h"

#define OPGEN_TILE 8

#if defined(OPGEN_X86) && defined(OPGEN_SHUFFLES) && (defined(OPGEN_LEVELS) || defined(__AVX2__))
#define OPGEN_TILES
/* Whether this processor has rows of n elements read so: one that asks for nothing where it reads in order, of so many
 * as the first two say; Intel's, which take more of several rows at once otherwise, as others do; one that wants rows in
 * order; and one that asks into the second cache. */
OPGEN_INLINE bool opgen_takes_tiles(int64_t n, int64_t least, int64_t most, int64_t near_least, int64_t near_most,
                                    int64_t order_least, int64_t order_most, int64_t second_least,
                                    int64_t second_most) {
#if defined(OPGEN_LEVELS)
    if (opgen_level() < 3) return false;
#endif
    const int into = opgen_asks_into();
    return (into == OPGEN_PASSING && n >= least && n <= most) ||
           (into == OPGEN_NEAREST && n >= near_least && n <= near_most) ||
           (into == OPGEN_IN_ORDER && n >= order_least && n <= order_most) ||
           (into == OPGEN_SECOND && n >= second_least && n <= second_most);
}

/* What stands 4 KB behind eight rows, while they are read, is asked for where pages take turns (Intel's): what is
 * computed of so short ones keeps such a processor from seeing far ahead. */
OPGEN_INLINE void opgen_tile_asks(const void *from, int64_t bytes) {
    if (opgen_asks_into() == OPGEN_NEAREST) opgen_ahead(from, 4096, bytes, OPGEN_NEAREST);
}

typedef float opgen_tile __attribute__((vector_size(32)));
typedef int32_t opgen_tile_bits __attribute__((vector_size(32)));
typedef float opgen_any_tile __attribute__((vector_size(32), aligned(1), may_alias));
typedef int32_t opgen_any_tile_bits __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint16_t opgen_half_tile __attribute__((vector_size(16), aligned(1), may_alias));
typedef short opgen_f16_tile __attribute__((vector_size(16), aligned(1), may_alias));
typedef short opgen_wide_tile __attribute__((vector_size(32)));
typedef short opgen_any_wide_tile __attribute__((vector_size(32), aligned(1), may_alias));

OPGEN_V3_PART opgen_tile opgen_tile_read_f32(const float *from) { return *(const opgen_any_tile *)(const void *)from; }
OPGEN_V3_PART opgen_tile opgen_tile_read_bf16(const opgen_bf16 *from) {
#if defined(__clang__)
    return (opgen_tile)(__builtin_convertvector(*(const opgen_half_tile *)(const void *)from, opgen_tile_bits) << 16);
#else /* which takes four instructions for that */
    return (opgen_tile)((opgen_tile_bits)__builtin_ia32_pmovzxwd256(*(const opgen_f16_tile *)(const void *)from) << 16);
#endif
}
OPGEN_V3_PART opgen_tile opgen_tile_read_f16(const opgen_f16 *from) {
    return __builtin_ia32_vcvtph2ps256(*(const opgen_f16_tile *)(const void *)from);
}
OPGEN_V3_PART void opgen_tile_put_f16(opgen_f16 *to, const float *from) {
    *(opgen_f16_tile *)(void *)to = (opgen_f16_tile)__builtin_ia32_vcvtps2ph256(opgen_tile_read_f32(from), 0);
}
/* Of sixteen elements the one half, and the other: of bf16 those at even places, and those at odd ones. */
OPGEN_V3_PART opgen_tile opgen_tile_one_f32(const float *from) { return opgen_tile_read_f32(from); }
OPGEN_V3_PART opgen_tile opgen_tile_other_f32(const float *from) { return opgen_tile_read_f32(from + OPGEN_TILE); }
OPGEN_V3_PART opgen_tile opgen_tile_one_f16(const opgen_f16 *from) { return opgen_tile_read_f16(from); }
OPGEN_V3_PART opgen_tile opgen_tile_other_f16(const opgen_f16 *from) { return opgen_tile_read_f16(from + OPGEN_TILE); }
OPGEN_V3_PART opgen_tile opgen_tile_one_bf16(const opgen_bf16 *from) {
    return (opgen_tile)(*(const opgen_any_tile_bits *)(const void *)from << 16);
}
OPGEN_V3_PART opgen_tile opgen_tile_other_bf16(const opgen_bf16 *from) {
    return (opgen_tile)(*(const opgen_any_tile_bits *)(const void *)from & -0x10000);
}

/* The squares of those. */
#define OPGEN_TILE_SQUARE(T, type)                                                                                     \
    OPGEN_V3_PART opgen_tile opgen_tile_read_square_##type(const T *from) {                                            \
        const opgen_tile v = opgen_tile_read_##type(from);                                                             \
        return v * v;                                                                                                  \
    }                                                                                                                  \
    OPGEN_V3_PART opgen_tile opgen_tile_one_square_##type(const T *from) {                                             \
        const opgen_tile v = opgen_tile_one_##type(from);                                                              \
        return v * v;                                                                                                  \
    }                                                                                                                  \
    OPGEN_V3_PART opgen_tile opgen_tile_other_square_##type(const T *from) {                                           \
        const opgen_tile v = opgen_tile_other_##type(from);                                                            \
        return v * v;                                                                                                  \
    }
OPGEN_TILE_SQUARE(float, f32)
OPGEN_TILE_SQUARE(opgen_f16, f16)
OPGEN_TILE_SQUARE(opgen_bf16, bf16)
#undef OPGEN_TILE_SQUARE

/* Those of a where the mask is set, elsewhere those of b. */
OPGEN_V3_PART opgen_tile opgen_tile_chosen(opgen_tile_bits mask, opgen_tile a, opgen_tile b) {
    return __builtin_ia32_blendvps256(b, a, (opgen_tile)mask);
}
OPGEN_V3_PART opgen_tile opgen_tile_sum(opgen_tile a, opgen_tile b) { return a + b; }
OPGEN_V3_PART opgen_tile opgen_tile_prod(opgen_tile a, opgen_tile b) { return a * b; }
/* The processor's own are the second one where either is no number; where the first one is none, all bits are set,
 * which is none either. */
OPGEN_V3_PART opgen_tile opgen_tile_max(opgen_tile a, opgen_tile b) {
    return (opgen_tile)((opgen_tile_bits)__builtin_ia32_maxps256(a, b) | (a != a));
}
OPGEN_V3_PART opgen_tile opgen_tile_min(opgen_tile a, opgen_tile b) {
    return (opgen_tile)((opgen_tile_bits)__builtin_ia32_minps256(a, b) | (a != a));
}
/* What is stored: of those, without a sign where it is no number. */
OPGEN_V3_PART opgen_tile opgen_tile_sum_end(opgen_tile a) { return a; }
OPGEN_V3_PART opgen_tile opgen_tile_prod_end(opgen_tile a) { return a; }
OPGEN_V3_PART opgen_tile opgen_tile_max_end(opgen_tile a) {
    const opgen_tile_bits none = {0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000,
                                  0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000};
    return opgen_tile_chosen(a != a, (opgen_tile)none, a);
}
#define opgen_tile_min_end opgen_tile_max_end

/* Vectors of a row: four in a tree, and then what is left of them. */
#define OPGEN_TILE_ROW(name, T, of, type)                                                                              \
    OPGEN_V3_PART opgen_tile opgen_tile_pair_##name(const T *from) {                                                   \
        return of(opgen_tile_one_##type(from), opgen_tile_other_##type(from));                                         \
    }                                                                                                                  \
    OPGEN_V3_PART opgen_tile opgen_tile_row_##name(const T *row, int64_t whole) {                                      \
        int64_t j = whole < 16 ? 8 : 16;                                                                               \
        opgen_tile a = whole < 16 ? opgen_tile_read_##type(row) : opgen_tile_pair_##name(row);                         \
        for (; j + 32 <= whole; j += 32)                                                                               \
            a = of(a, of(opgen_tile_pair_##name(row + j), opgen_tile_pair_##name(row + j + 16)));                      \
        if (j + 16 <= whole) {                                                                                         \
            a = of(a, opgen_tile_pair_##name(row + j));                                                                \
            j += 16;                                                                                                   \
        }                                                                                                              \
        return j < whole ? of(a, opgen_tile_read_##type(row + j)) : a;                                                 \
    }
/* Rows whose vectors have `whole` elements, a constant where there are few, and what is left; `turns` says how gcc and
 * clang are to write the loop over eight of them. */
#define OPGEN_TILE_EIGHT(called, name, T, of, type, turns)                                                             \
    OPGEN_V3_PART void opgen_tile_##called(float *to, const T *from, int64_t n, int64_t apart, int64_t whole) {        \
        const int32_t left = (int32_t)(n - whole);                                                                     \
        const opgen_tile_bits lanes = {0, 1, 2, 3, 4, 5, 6, 7}, some = lanes < left;                                   \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE, from += apart) {                                  \
            opgen_tile_asks(from, OPGEN_TILE * n * (int64_t)sizeof *from);                                             \
            opgen_tile v[OPGEN_TILE];                                                                                  \
            const T *x = from;                                                                                         \
            turns for (int r = 0; r < OPGEN_TILE; r++, x += n) {                                                       \
                v[r] = opgen_tile_row_##name(x, whole);                                                                \
                if (left > 0) v[r] = opgen_tile_chosen(some, of(v[r], opgen_tile_read_##type(x + whole)), v[r]);       \
            }                                                                                                          \
            *(opgen_any_tile *)(void *)(to + row) = of##_end(opgen_tile_all_##name(v));                                \
        }                                                                                                              \
    }
/* Eight vectors of 32 bits, each of which becomes one lane; also for the headers that stand on this one. */
#define OPGEN_TILE_ALL(name, V, of)                                                                                    \
    OPGEN_V3_PART V opgen_tile_two_##name(V a, V b) {                                                                  \
        return of(__builtin_shufflevector(a, b, OPGEN_LOW_32), __builtin_shufflevector(a, b, OPGEN_HIGH_32));          \
    }                                                                                                                  \
    OPGEN_V3_PART V opgen_tile_four_##name(const V *v) {                                                               \
        const V a = opgen_tile_two_##name(v[0], v[1]), b = opgen_tile_two_##name(v[2], v[3]);                          \
        return of(__builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13),                                             \
                  __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15));                                          \
    }                                                                                                                  \
    OPGEN_V3_PART V opgen_tile_all_##name(const V *v) {                                                                \
        const V a = opgen_tile_four_##name(v), b = opgen_tile_four_##name(v + 4);                                      \
        return of(__builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11),                                             \
                  __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15));                                          \
    }
#define OPGEN_TILE_OF(name, T, of, type)                                                                               \
    OPGEN_TILE_ROW(name, T, of, type)                                                                                  \
    OPGEN_TILE_ALL(name, opgen_tile, of)                                                                               \
    OPGEN_TILE_EIGHT(of_##name, name, T, of, type, OPGEN_ROLLED)                                                       \
    OPGEN_TILE_EIGHT(short_##name, name, T, of, type, OPGEN_UNROLLED)                                                  \
    OPGEN_V3_PART void opgen_tile_##name(float *to, const T *x, int64_t n, int64_t apart) {                            \
        switch (n / OPGEN_TILE) { /* of few, without a loop in a row */                                                \
        case 1:                                                                                                        \
            opgen_tile_short_##name(to, x, n, apart, 8);                                                               \
            break;                                                                                                     \
        case 2:                                                                                                        \
            opgen_tile_short_##name(to, x, n, apart, 16);                                                              \
            break;                                                                                                     \
        case 3:                                                                                                        \
            opgen_tile_of_##name(to, x, n, apart, 24);                                                                 \
            break;                                                                                                     \
        case 4:                                                                                                        \
            opgen_tile_of_##name(to, x, n, apart, 32);                                                                 \
            break;                                                                                                     \
        case 5:                                                                                                        \
            opgen_tile_of_##name(to, x, n, apart, 40);                                                                 \
            break;                                                                                                     \
        case 6:                                                                                                        \
            opgen_tile_of_##name(to, x, n, apart, 48);                                                                 \
            break;                                                                                                     \
        case 7:                                                                                                        \
            opgen_tile_of_##name(to, x, n, apart, 56);                                                                 \
            break;                                                                                                     \
        case 8:                                                                                                        \
            opgen_tile_of_##name(to, x, n, apart, 64);                                                                 \
            break;                                                                                                     \
        default:                                                                                                       \
            opgen_tile_of_##name(to, x, n, apart, n / OPGEN_TILE * OPGEN_TILE);                                        \
        }                                                                                                              \
    }

OPGEN_TILE_OF(sum_f32, float, opgen_tile_sum, f32)
OPGEN_TILE_OF(max_f32, float, opgen_tile_max, f32)
OPGEN_TILE_OF(min_f32, float, opgen_tile_min, f32)
OPGEN_TILE_OF(sum_bf16, opgen_bf16, opgen_tile_sum, bf16)
OPGEN_TILE_OF(sum_f16, opgen_f16, opgen_tile_sum, f16)
OPGEN_TILE_OF(squares_f32, float, opgen_tile_sum, square_f32)
OPGEN_TILE_OF(squares_bf16, opgen_bf16, opgen_tile_sum, square_bf16)
OPGEN_TILE_OF(squares_f16, opgen_f16, opgen_tile_sum, square_f16)
OPGEN_TILE_OF(prod_f32, float, opgen_tile_prod, f32)
OPGEN_TILE_OF(prod_bf16, opgen_bf16, opgen_tile_prod, bf16)
OPGEN_TILE_OF(prod_f16, opgen_f16, opgen_tile_prod, f16)
/* Of variances. What elements differ from is near the mean: that of the first eight, and after each `alike` of them the
 * mean so far. So their squares lose no more than a few bits when that of what they differ by is taken away, and are 0
 * where all are the same. What comes next is asked for: so much is computed that a processor does not see far ahead. */
OPGEN_V3_PART opgen_tile opgen_tile_near(opgen_tile x) {
    const opgen_tile part = x * 0.125f; /* so that the sum is no more than they are */
    const opgen_tile a = part + __builtin_shufflevector(part, part, 4, 5, 6, 7, 0, 1, 2, 3);
    const opgen_tile b = a + __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5);
    return b + __builtin_shufflevector(b, b, 1, 0, 3, 2, 5, 4, 7, 6);
}
#define OPGEN_TILE_VAR(T, type, alike)                                                                                 \
    OPGEN_V3_PART void opgen_tile_var_##type(float *mean, float *squares, const T *from, int64_t n, int64_t apart) {   \
        const int64_t whole = n / OPGEN_TILE * OPGEN_TILE, ahead = opgen_rows_ahead(1536, opgen_asks_into());          \
        const int32_t left = (int32_t)(n - whole);                                                                     \
        const float all = (float)n, part = 1.0f / all;                                                                 \
        const opgen_tile none = {0}, by = none + part, most = none + INFINITY;                                         \
        const opgen_tile_bits lanes = {0, 1, 2, 3, 4, 5, 6, 7}, some = lanes < left;                                   \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE) {                                                 \
            const T *x = from + row / OPGEN_TILE * apart;                                                              \
            opgen_tile first[OPGEN_TILE], second[OPGEN_TILE];                                                          \
            OPGEN_ROLLED                                                                                               \
            for (int r = 0; r < OPGEN_TILE; r++, x += n) {                                                             \
                opgen_tile of = opgen_tile_near(opgen_tile_read_##type(x)), a = none, c = none;                        \
                int64_t j = 0;                                                                                         \
                for (;;) {                                                                                             \
                    const int64_t end = opgen_min(whole, j + alike);                                                   \
                    opgen_tile b = none, d = none;                                                                     \
                    for (; j + 16 <= end; j += 16) {                                                                   \
                        const opgen_tile s = opgen_tile_one_##type(x + j) - of,                                        \
                                         t = opgen_tile_other_##type(x + j) - of;                                      \
                        opgen_ask((const char *)(x + j) + ahead, OPGEN_NEAREST);                                       \
                        a += s * by, b += t * by, c += s * s, d += t * t;                                              \
                    }                                                                                                  \
                    a += b, c += d;                                                                                    \
                    if (end == whole) break;                                                                           \
                    const opgen_tile on = of + opgen_tile_near(a) * (OPGEN_TILE * all / (float)j), more = on - of;     \
                    c += more * (more * (float)(j / OPGEN_TILE) - a * (2 * all));                                      \
                    a -= more * ((float)(j / OPGEN_TILE) * part);                                                      \
                    of = on;                                                                                           \
                }                                                                                                      \
                if (j < whole) {                                                                                       \
                    const opgen_tile s = opgen_tile_read_##type(x + j) - of;                                           \
                    a += s * by, c += s * s;                                                                           \
                }                                                                                                      \
                if (left > 0) {                                                                                        \
                    const opgen_tile s = opgen_tile_chosen(some, opgen_tile_read_##type(x + whole) - of, none);        \
                    a += s * by, c += s * s;                                                                           \
                }                                                                                                      \
                mean[row + r] = of[0], first[r] = a, second[r] = c;                                                    \
            }                                                                                                          \
            const opgen_tile a = opgen_tile_all_sum_f32(first), c = opgen_tile_all_sum_f32(second);                    \
            const opgen_tile less = __builtin_ia32_maxps256(none, c - a * a * all);                                    \
            *(opgen_any_tile *)(void *)(mean + row) += a;                                                              \
            *(opgen_any_tile *)(void *)(squares + row) = opgen_tile_chosen(c == most, c, less);                        \
        }                                                                                                              \
    }
OPGEN_TILE_VAR(float, f32, 128)
OPGEN_TILE_VAR(opgen_bf16, bf16, 1024)
OPGEN_TILE_VAR(opgen_f16, f16, 1024)
#undef OPGEN_TILE_VAR
#undef OPGEN_TILE_OF
#undef OPGEN_TILE_EIGHT
#undef OPGEN_TILE_ROW
#endif

#endif

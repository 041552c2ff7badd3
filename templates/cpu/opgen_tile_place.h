/* opgen_tile_place.h: short rows as opgen_tile.h reads them, of which is asked where their greatest or least element
 * stands, or, of floats of 16 bits, which one it is. What it is comes first, of eight rows at once; then, of the same
 * lines in the nearest cache, the first place where that is. Where there is one among the eight that is no number, or
 * may be, each row is gone through by itself.
 *
 * opgen_tile_place_max_f32, _min_f32, and of f16 and bf16: where in each of OPGEN_ACROSS rows; opgen_tile_order_max_f16
 * and so on: what, as opgen_order_f16_max counts. Arguments as opgen_tile_sum_f32 has them; n is at most
 * OPGEN_TILE_PLACES, and of 16 bits up to 15 elements beyond a row are read.
 */
#ifndef OPGEN_TILE_PLACE_H
#define OPGEN_TILE_PLACE_H

#include "opgen_tile.h"

#if defined(OPGEN_TILES)
/* A place is what it is less than this, so that the first one is the greatest, whatever is found beyond the row, and 0
 * is none. */
#define OPGEN_TILE_PLACES 8192

OPGEN_V3_PART opgen_tile opgen_tile_more(opgen_tile a, opgen_tile b) { return __builtin_ia32_maxps256(a, b); }
OPGEN_V3_PART opgen_tile opgen_tile_less(opgen_tile a, opgen_tile b) { return __builtin_ia32_minps256(a, b); }
OPGEN_TILE_ALL(more, opgen_tile, opgen_tile_more)
OPGEN_TILE_ALL(less, opgen_tile, opgen_tile_less)

/* What is asked for in the two turns over eight rows: the next eight, or what is further ahead, every line once. */
#define OPGEN_TILE_NEXT(turn, at)                                                                                      \
    opgen_ask((const char *)from + row / OPGEN_TILE * apart * (int64_t)sizeof *from + ahead +                          \
                  ((const char *)(at) - (const char *)(from + row / OPGEN_TILE * apart)) / 2 +                         \
                  turn * (OPGEN_TILE / 2) * n * (int64_t)sizeof *from,                                                 \
              OPGEN_NEAREST)
OPGEN_INLINE int64_t opgen_tile_ahead(int64_t bytes) { return opgen_rows_ahead(OPGEN_TILE * bytes, opgen_asks_into()); }

OPGEN_V3_PART opgen_tile opgen_tile_where(opgen_tile_bits mask, opgen_tile a) {
    return (opgen_tile)((opgen_tile_bits)a & mask);
}
/* Of what is no number a sum is none, and of infinities of either sign. */
#define OPGEN_TILE_PLACE(order, pick, sign)                                                                            \
    OPGEN_V3_PART int64_t opgen_row_place_##order##_f32(const float *x, int64_t n) {                                   \
        int64_t at = 0;                                                                                                \
        for (int64_t j = 1; j < n && x[at] == x[at]; j++)                                                              \
            if (!(x[j] sign x[at])) at = j;                                                                            \
        return at;                                                                                                     \
    }                                                                                                                  \
    OPGEN_V3_PART void opgen_tile_place_##order##_f32(int64_t *place, const float *from, int64_t n, int64_t apart) {   \
        const int64_t whole = n / OPGEN_TILE * OPGEN_TILE, ahead = opgen_tile_ahead(n * (int64_t)sizeof *from);        \
        const int32_t left = (int32_t)(n - whole);                                                                     \
        const opgen_tile_bits lanes = {0, 1, 2, 3, 4, 5, 6, 7}, some = lanes < left;                                   \
        const opgen_tile none = {0}, begin = __builtin_convertvector(OPGEN_TILE_PLACES - lanes, opgen_tile);           \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE) {                                                 \
            const float *x = from + row / OPGEN_TILE * apart;                                                          \
            opgen_tile v[OPGEN_TILE], sum = none;                                                                      \
            float is[OPGEN_TILE];                                                                                      \
            OPGEN_ROLLED                                                                                               \
            for (int r = 0; r < OPGEN_TILE; r++, x += n) {                                                             \
                opgen_tile a = opgen_tile_read_f32(x), b = a;                                                          \
                sum += a;                                                                                              \
                int64_t j = OPGEN_TILE;                                                                                \
                for (; j + 16 <= whole; j += 16) {                                                                     \
                    const opgen_tile s = opgen_tile_read_f32(x + j), t = opgen_tile_read_f32(x + j + OPGEN_TILE);      \
                    OPGEN_TILE_NEXT(0, x + j);                                                                         \
                    a = opgen_tile_##pick(a, s), b = opgen_tile_##pick(b, t), sum += s + t;                            \
                }                                                                                                      \
                a = opgen_tile_##pick(a, b);                                                                           \
                if (j < whole) {                                                                                       \
                    const opgen_tile s = opgen_tile_read_f32(x + j);                                                   \
                    a = opgen_tile_##pick(a, s), sum += s;                                                             \
                }                                                                                                      \
                if (left > 0) {                                                                                        \
                    const opgen_tile s = opgen_tile_read_f32(x + whole);                                               \
                    a = opgen_tile_chosen(some, opgen_tile_##pick(a, s), a), sum += opgen_tile_chosen(some, s, none);  \
                }                                                                                                      \
                OPGEN_TILE_NEXT(0, x + whole);                                                                         \
                v[r] = a;                                                                                              \
            }                                                                                                          \
            x = from + row / OPGEN_TILE * apart;                                                                       \
            if (__builtin_ia32_movmskps256((opgen_tile)(sum != sum)) != 0) {                                           \
                for (int r = 0; r < OPGEN_TILE; r++, x += n)                                                           \
                    place[row + r] = opgen_row_place_##order##_f32(x, n);                                              \
                continue;                                                                                              \
            }                                                                                                          \
            *(opgen_any_tile *)(void *)is = opgen_tile_all_##pick(v);                                                  \
            OPGEN_ROLLED                                                                                               \
            for (int r = 0; r < OPGEN_TILE; r++, x += n) {                                                             \
                const opgen_tile one = none + is[r];                                                                   \
                opgen_tile a = none, b = none, at = begin;                                                             \
                int64_t j = 0;                                                                                         \
                for (; j + 16 <= whole; j += 16, at -= 16) {                                                           \
                    OPGEN_TILE_NEXT(1, x + j);                                                                         \
                    a = opgen_tile_more(a, opgen_tile_where(opgen_tile_read_f32(x + j) == one, at));                   \
                    b = opgen_tile_more(                                                                               \
                        b, opgen_tile_where(opgen_tile_read_f32(x + j + OPGEN_TILE) == one, at - OPGEN_TILE));         \
                }                                                                                                      \
                if (j < whole) {                                                                                       \
                    a = opgen_tile_more(a, opgen_tile_where(opgen_tile_read_f32(x + j) == one, at));                   \
                    at -= OPGEN_TILE;                                                                                  \
                }                                                                                                      \
                if (left > 0) b = opgen_tile_more(b, opgen_tile_where(opgen_tile_read_f32(x + whole) == one, at));     \
                v[r] = opgen_tile_more(a, b);                                                                          \
            }                                                                                                          \
            const opgen_tile_bits at =                                                                                 \
                __builtin_convertvector(OPGEN_TILE_PLACES - opgen_tile_all_more(v), opgen_tile_bits);                  \
            for (int r = 0; r < OPGEN_TILE; r++)                                                                       \
                place[row + r] = at[r];                                                                                \
        }                                                                                                              \
    }
OPGEN_TILE_PLACE(max, more, <=)
OPGEN_TILE_PLACE(min, less, >=)
#undef OPGEN_TILE_PLACE

/* ---- floats of 16 bits: 16 of them, as integers that are in their order */
typedef short opgen_any_half_tile __attribute__((vector_size(16), aligned(1), may_alias));
typedef char opgen_tile_bytes __attribute__((vector_size(32)));
typedef int64_t opgen_tile_longs __attribute__((vector_size(32)));
#if defined(__clang__)
OPGEN_V3_PART opgen_wide_tile opgen_wide_more(opgen_wide_tile a, opgen_wide_tile b) {
    return __builtin_elementwise_max(a, b);
}
OPGEN_V3_PART opgen_wide_tile opgen_wide_less(opgen_wide_tile a, opgen_wide_tile b) {
    return __builtin_elementwise_min(a, b);
}
#else
OPGEN_V3_PART opgen_wide_tile opgen_wide_more(opgen_wide_tile a, opgen_wide_tile b) {
    return __builtin_ia32_pmaxsw256(a, b);
}
OPGEN_V3_PART opgen_wide_tile opgen_wide_less(opgen_wide_tile a, opgen_wide_tile b) {
    return __builtin_ia32_pminsw256(a, b);
}
#endif
OPGEN_V3_PART opgen_wide_tile opgen_wide_read(const uint16_t *x) {
    return *(const opgen_any_wide_tile *)(const void *)x;
}
/* Without its sign, which is more than infinity where it is no number; a rank, and an order where 0 is 0: opgen_order has
 * another 0, for what is no number. */
OPGEN_V3_PART opgen_wide_tile opgen_wide_size(opgen_wide_tile x) { return x & 0x7fff; }
OPGEN_V3_PART opgen_wide_tile opgen_wide_rank(opgen_wide_tile x) {
    return __builtin_ia32_psignw256(opgen_wide_size(x), x);
}
OPGEN_V3_PART opgen_wide_tile opgen_wide_order(opgen_wide_tile x) { return x ^ ((x >> 15) & 0x7fff); }
OPGEN_V3_PART opgen_wide_tile opgen_wide_chosen(opgen_wide_tile mask, opgen_wide_tile a, opgen_wide_tile b) {
    return (a & mask) | (b & ~mask);
}

/* Eight rows, each of which becomes one of the first eight lanes. */
#define OPGEN_WIDE_ALL(pick)                                                                                           \
    OPGEN_V3_PART opgen_tile_bits opgen_wide_two_##pick(opgen_wide_tile a, opgen_wide_tile b) {                        \
        return (opgen_tile_bits)opgen_wide_##pick(__builtin_shufflevector(a, b, OPGEN_LOW_16),                         \
                                                  __builtin_shufflevector(a, b, OPGEN_HIGH_16));                       \
    }                                                                                                                  \
    OPGEN_V3_PART opgen_tile_longs opgen_wide_four_##pick(const opgen_wide_tile *v) {                                  \
        const opgen_tile_bits a = opgen_wide_two_##pick(v[0], v[1]), b = opgen_wide_two_##pick(v[2], v[3]);            \
        return (opgen_tile_longs)opgen_wide_##pick((opgen_wide_tile)__builtin_shufflevector(a, b, OPGEN_LOW_32),       \
                                                   (opgen_wide_tile)__builtin_shufflevector(a, b, OPGEN_HIGH_32));     \
    }                                                                                                                  \
    OPGEN_V3_PART opgen_wide_tile opgen_wide_all_##pick(const opgen_wide_tile *v) {                                    \
        const opgen_tile_longs a = opgen_wide_four_##pick(v), b = opgen_wide_four_##pick(v + 4);                       \
        const opgen_wide_tile low = (opgen_wide_tile)__builtin_shufflevector(a, b, OPGEN_LOW_64);                      \
        const opgen_wide_tile high = (opgen_wide_tile)__builtin_shufflevector(a, b, OPGEN_HIGH_64);                    \
        const opgen_tile_longs c = (opgen_tile_longs)opgen_wide_##pick(low, high);                                     \
        return opgen_wide_##pick((opgen_wide_tile)c, (opgen_wide_tile)__builtin_shufflevector(c, c, 2, 3, 0, 1));      \
    }
OPGEN_WIDE_ALL(more)
OPGEN_WIDE_ALL(less)
#undef OPGEN_WIDE_ALL

/* What each of eight rows comes to, as `as` counts, 32 elements at a time, for which those from `next` on are asked by
 * `ask` bytes each; and whether one of all is no number. */
#define OPGEN_WIDE_BEST(as, pick, least)                                                                               \
    OPGEN_V3_PART bool opgen_wide_best_##as##_##pick(opgen_wide_tile *v, const uint16_t *x, int64_t n,                 \
                                                     const char *next, int64_t ask, int inf) {                         \
        const int64_t whole = n / 16 * 16;                                                                             \
        const opgen_wide_tile lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, none = {0};              \
        const opgen_wide_tile some = lanes < (short)(n - whole), begin = none + least;                                 \
        opgen_wide_tile sizes = none;                                                                                  \
        OPGEN_ROLLED                                                                                                   \
        for (int r = 0; r < OPGEN_TILE; r++, x += n) {                                                                 \
            opgen_wide_tile a = begin;                                                                                 \
            int64_t j = 0;                                                                                             \
            for (; j + 32 <= whole; j += 32) {                                                                         \
                const opgen_wide_tile s = opgen_wide_read(x + j), t = opgen_wide_read(x + j + 16);                     \
                opgen_ask(next + (r * n + j) * ask, OPGEN_NEAREST);                                                    \
                a = opgen_wide_##pick(a, opgen_wide_##pick(opgen_wide_##as(s), opgen_wide_##as(t)));                   \
                sizes = opgen_wide_more(sizes, opgen_wide_more(opgen_wide_size(s), opgen_wide_size(t)));               \
            }                                                                                                          \
            opgen_ask(next + (r * n + j) * ask, OPGEN_NEAREST);                                                        \
            if (j < whole) {                                                                                           \
                const opgen_wide_tile s = opgen_wide_read(x + j);                                                      \
                a = opgen_wide_##pick(a, opgen_wide_##as(s));                                                          \
                sizes = opgen_wide_more(sizes, opgen_wide_size(s));                                                    \
            }                                                                                                          \
            if (whole < n) {                                                                                           \
                const opgen_wide_tile s = opgen_wide_read(x + whole);                                                  \
                a = opgen_wide_##pick(a, opgen_wide_chosen(some, opgen_wide_##as(s), begin));                          \
                sizes = opgen_wide_more(sizes, opgen_wide_size(s) & some);                                             \
            }                                                                                                          \
            v[r] = a;                                                                                                  \
        }                                                                                                              \
        return __builtin_ia32_pmovmskb256((opgen_tile_bytes)(sizes > (short)inf)) != 0;                                \
    }
OPGEN_WIDE_BEST(rank, more, INT16_MIN)
OPGEN_WIDE_BEST(rank, less, INT16_MAX)
OPGEN_WIDE_BEST(order, more, INT16_MIN)
OPGEN_WIDE_BEST(order, less, INT16_MAX)
#undef OPGEN_WIDE_BEST

/* Where one of the ranks is. */
OPGEN_V3_PART opgen_wide_tile opgen_wide_found(const uint16_t *x, int64_t n, short rank, const char *next) {
    const int64_t whole = n / 16 * 16;
    const opgen_wide_tile lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, none = {0};
    const opgen_wide_tile one = none + rank;
    opgen_wide_tile a = none, at = OPGEN_TILE_PLACES - lanes;
    int64_t j = 0;
    for (; j + 32 <= whole; j += 32, at -= 32) {
        opgen_ask(next + j, OPGEN_NEAREST);
        a = opgen_wide_more(a, at & (opgen_wide_rank(opgen_wide_read(x + j)) == one));
        a = opgen_wide_more(a, (at - 16) & (opgen_wide_rank(opgen_wide_read(x + j + 16)) == one));
    }
    opgen_ask(next + j, OPGEN_NEAREST);
    if (j < whole) {
        a = opgen_wide_more(a, at & (opgen_wide_rank(opgen_wide_read(x + j)) == one));
        at -= 16;
    }
    if (whole < n) a = opgen_wide_more(a, at & (opgen_wide_rank(opgen_wide_read(x + whole)) == one));
    return a;
}

#define OPGEN_WIDE_PLACE(order, pick, sign, type, inf)                                                                 \
    OPGEN_V3_PART void opgen_tile_place_##order##_##type(int64_t *place, const uint16_t *from, int64_t n,              \
                                                         int64_t apart) {                                              \
        const int64_t ahead = opgen_tile_ahead(n * 2);                                                                 \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE, from += apart) {                                  \
            opgen_wide_tile v[OPGEN_TILE];                                                                             \
            const uint16_t *x = from;                                                                                  \
            if (opgen_wide_best_rank_##pick(v, from, n, (const char *)from + ahead, 1, inf)) {                         \
                for (int r = 0; r < OPGEN_TILE; r++, x += n) {                                                         \
                    int64_t at = 0;                                                                                    \
                    for (int64_t j = 1; j < n; j++)                                                                    \
                        if (opgen_rank_##type##_##order(x[j]) sign opgen_rank_##type##_##order(x[at])) at = j;         \
                    place[row + r] = at;                                                                               \
                }                                                                                                      \
                continue;                                                                                              \
            }                                                                                                          \
            const opgen_wide_tile is = opgen_wide_all_##pick(v);                                                       \
            short of[16];                                                                                              \
            *(opgen_any_wide_tile *)(void *)of = is;                                                                   \
            OPGEN_ROLLED                                                                                               \
            for (int r = 0; r < OPGEN_TILE; r++, x += n)                                                               \
                v[r] = opgen_wide_found(x, n, of[r], (const char *)from + ahead + OPGEN_TILE * n + r * n);             \
            *(opgen_any_wide_tile *)(void *)of = OPGEN_TILE_PLACES - opgen_wide_all_more(v);                           \
            for (int r = 0; r < OPGEN_TILE; r++)                                                                       \
                place[row + r] = of[r];                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V3_PART void opgen_tile_order_##order##_##type(int16_t *to, const uint16_t *from, int64_t n,                 \
                                                         int64_t apart) {                                              \
        const int64_t ahead = opgen_tile_ahead(n * 2);                                                                 \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE, from += apart) {                                  \
            opgen_wide_tile v[OPGEN_TILE];                                                                             \
            const uint16_t *x = from;                                                                                  \
            if (opgen_wide_best_order_##pick(v, from, n, (const char *)from + ahead, 2, inf)) {                        \
                for (int r = 0; r < OPGEN_TILE; r++, x += n) {                                                         \
                    int16_t all = opgen_order_##type##_##order(x[0]);                                                  \
                    for (int64_t j = 1; j < n; j++)                                                                    \
                        all = opgen_##order##_i16(all, opgen_order_##type##_##order(x[j]));                            \
                    to[row + r] = all;                                                                                 \
                }                                                                                                      \
                continue;                                                                                              \
            }                                                                                                          \
            const opgen_wide_tile all = opgen_wide_all_##pick(v) + opgen_order_##type##_##order(0);                    \
            *(opgen_any_half_tile *)(void *)(to + row) = __builtin_shufflevector(all, all, 0, 1, 2, 3, 4, 5, 6, 7);    \
        }                                                                                                              \
    }
OPGEN_WIDE_PLACE(max, more, >, f16, 0x7c00)
OPGEN_WIDE_PLACE(min, less, <, f16, 0x7c00)
OPGEN_WIDE_PLACE(max, more, >, bf16, 0x7f80)
OPGEN_WIDE_PLACE(min, less, <, bf16, 0x7f80)
#undef OPGEN_WIDE_PLACE
#undef OPGEN_TILE_NEXT
#endif

#endif

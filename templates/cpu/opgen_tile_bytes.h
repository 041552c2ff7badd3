/* opgen_tile_bytes.h: short rows as opgen_tile.h reads them, of bytes: their greatest and least element and where the
 * first of it stands, their sum, and whether any element, or each, is not 0.
 *
 * opgen_tile_max_i8, _min_i8, _sum_i8, _any_i8, _all_i8, and of u8; _any_bool and so on, of what is 0 or not;
 * opgen_tile_place_max_i8 and _place_min_i8: where, of up to 8160. Arguments as opgen_tile_sum_f32 has them; n is at
 * least 32, of sums 1, and up to 31 elements beyond a row are read.
 */
#ifndef OPGEN_TILE_BYTES_H
#define OPGEN_TILE_BYTES_H

#include "opgen_tile.h"

#if defined(OPGEN_TILES)
#include <immintrin.h>

/* What is kept of a row is 32 bits of each eight: a vector for the eight of them, in which four bytes become one. */
OPGEN_V3_PART __m256i opgen_bytes_at(const void *x) { return _mm256_loadu_si256((const __m256i *)x); }
OPGEN_V3_PART __m256i opgen_bytes_of_both(const void *x, const void *y) {
    const __m256i low = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)x));
    return _mm256_inserti128_si256(low, _mm_loadu_si128((const __m128i *)y), 1);
}
OPGEN_V3_PART void opgen_bytes_to(int64_t *to, __m256i sums) { _mm256_storeu_si256((__m256i *)(void *)to, sums); }
#define OPGEN_BYTES_OF(name, of)                                                                                       \
    OPGEN_V3_PART __m256i opgen_bytes_##name(__m256i a, __m256i b) { return of(a, b); }                                \
    OPGEN_V3_PART opgen_tile_bits opgen_bits_##name(opgen_tile_bits a, opgen_tile_bits b) {                            \
        return (opgen_tile_bits)of((__m256i)a, (__m256i)b);                                                            \
    }                                                                                                                  \
    OPGEN_TILE_ALL(bytes_##name, opgen_tile_bits, opgen_bits_##name)                                                   \
    OPGEN_V3_PART __m256i opgen_bytes_all_##name(const opgen_tile_bits *v) {                                           \
        const __m256i a = (__m256i)opgen_tile_all_bytes_##name(v), b = of(a, _mm256_srli_epi32(a, 16));                \
        return of(b, _mm256_srli_epi32(b, 8));                                                                         \
    }
OPGEN_BYTES_OF(max_i8, _mm256_max_epi8)
OPGEN_BYTES_OF(min_i8, _mm256_min_epi8)
OPGEN_BYTES_OF(max_u8, _mm256_max_epu8)
OPGEN_BYTES_OF(min_u8, _mm256_min_epu8)
OPGEN_BYTES_OF(or, _mm256_or_si256)
#undef OPGEN_BYTES_OF
OPGEN_V3_PART opgen_tile_bits opgen_bits_add(opgen_tile_bits a, opgen_tile_bits b) { return a + b; }
OPGEN_TILE_ALL(bytes_add, opgen_tile_bits, opgen_bits_add)

/* What counts of the bytes of a vector, where it is not they themselves. */
OPGEN_V3_PART __m256i opgen_bytes_same(__m256i a) { return a; }
OPGEN_V3_PART __m256i opgen_bytes_none(__m256i a) { return _mm256_cmpeq_epi8(a, _mm256_setzero_si256()); }
OPGEN_V3_PART __m256i opgen_bytes_truth(__m256i a) { return _mm256_min_epu8(a, _mm256_set1_epi8(1)); }
OPGEN_V3_PART __m256i opgen_bytes_above(__m256i a) { return _mm256_xor_si256(a, _mm256_set1_epi8(-128)); }

/* A row of which nothing changes where some of it is looked at twice: vectors of so many elements each, the last of them with some that came before;
 * also for opgen_tile_words.h. */
#define OPGEN_TILE_TWICE(a, x, each, of, what)                                                                         \
    __m256i a = what(opgen_bytes_at(x));                                                                               \
    {                                                                                                                  \
        int64_t j = each;                                                                                              \
        for (; j + 2 * each <= n; j += 2 * each)                                                                       \
            a = of(a, of(what(opgen_bytes_at(x + j)), what(opgen_bytes_at(x + j + each))));                            \
        if (j + each <= n) a = of(a, what(opgen_bytes_at(x + j)));                                                     \
        if (n % each > 0) a = of(a, what(opgen_bytes_at(x + n - each)));                                               \
    }
#define OPGEN_BYTES_ROWS(v, x, of, what)                                                                               \
    opgen_tile_bits v[OPGEN_TILE];                                                                                     \
    if (n <= 64) {                                                                                                     \
        OPGEN_UNROLLED                                                                                                 \
        for (int r = 0; r < OPGEN_TILE; r++)                                                                           \
            v[r] = (opgen_tile_bits)of(what(opgen_bytes_at(x + r * n)), what(opgen_bytes_at(x + r * n + n - 32)));     \
    } else {                                                                                                           \
        OPGEN_ROLLED                                                                                                   \
        for (int r = 0; r < OPGEN_TILE; r++) {                                                                         \
            OPGEN_TILE_TWICE(a, (x + r * n), 32, of, what)                                                                  \
            v[r] = (opgen_tile_bits)a;                                                                                 \
        }                                                                                                              \
    }
/* `all`: 32 bits of each row, of which the lowest byte is what comes of it; `is`: what is made of that. */
#define OPGEN_TILE_BYTES(name, R, T, of, what, is)                                                                     \
    OPGEN_V3_PART void opgen_tile_##name(R *to, const T *from, int64_t n, int64_t apart) {                             \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE, from += apart) {                                  \
            opgen_tile_asks(from, OPGEN_TILE * n * (int64_t)sizeof *from);                                             \
            OPGEN_BYTES_ROWS(v, from, opgen_bytes_##of, what)                                                          \
            const opgen_tile_bits all = (opgen_tile_bits)opgen_bytes_all_##of(v);                                      \
            for (int r = 0; r < OPGEN_TILE; r++)                                                                       \
                to[row + r] = (R)(is((uint8_t)all[r]));                                                                \
        }                                                                                                              \
    }
#define OPGEN_IS_0(byte) ((byte) == 0)
#define OPGEN_IS_NOT_0(byte) ((byte) != 0)
OPGEN_TILE_BYTES(max_i8, int8_t, int8_t, max_i8, opgen_bytes_same, (int8_t))
OPGEN_TILE_BYTES(min_i8, int8_t, int8_t, min_i8, opgen_bytes_same, (int8_t))
OPGEN_TILE_BYTES(max_u8, uint8_t, uint8_t, max_u8, opgen_bytes_same, )
OPGEN_TILE_BYTES(min_u8, uint8_t, uint8_t, min_u8, opgen_bytes_same, )
OPGEN_TILE_BYTES(any_i8, bool, int8_t, or, opgen_bytes_same, OPGEN_IS_NOT_0)
OPGEN_TILE_BYTES(all_i8, bool, int8_t, or, opgen_bytes_none, OPGEN_IS_0)
OPGEN_TILE_BYTES(any_u8, bool, uint8_t, or, opgen_bytes_same, OPGEN_IS_NOT_0)
OPGEN_TILE_BYTES(all_u8, bool, uint8_t, or, opgen_bytes_none, OPGEN_IS_0)
#define opgen_tile_any_bool opgen_tile_any_u8
#define opgen_tile_all_bool opgen_tile_all_u8

/* Sums of eight bytes each, of 64 bits, of which 32 are enough; of i8 they are of what is 128 more. Of up to 8 elements
 * a row is the eight bytes itself, with 0 behind what it has, and of up to 16 two of them. */
#define OPGEN_TILE_BYTES_SUM(name, T, what, less)                                                                      \
    OPGEN_V3_PART void opgen_tile_sum_of_8_##name(int64_t *to, const T *from, int64_t n, int64_t apart) {              \
        const int64_t other = n * 0x0101010101010101; /* the second of two rows */                                     \
        const __m256i each = _mm256_set1_epi64x(0x0706050403020100);                                                   \
        const __m256i beyond = _mm256_cmpgt_epi8(each, _mm256_set1_epi8((char)(n - 1)));                               \
        const __m256i place = _mm256_or_si256(_mm256_add_epi8(each, _mm256_set_epi64x(other, 0, other, 0)), beyond);   \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE, from += apart) {                                  \
            opgen_tile_asks(from, OPGEN_TILE * n * (int64_t)sizeof *from);                                             \
            OPGEN_UNROLLED                                                                                             \
            for (int r = 0; r < OPGEN_TILE; r += 4) {                                                                  \
                const __m256i rows = what(opgen_bytes_of_both(from + r * n, from + (r + 2) * n));                      \
                const __m256i sums = _mm256_sad_epu8(_mm256_shuffle_epi8(rows, place), _mm256_setzero_si256());        \
                opgen_bytes_to(to + row + r, _mm256_sub_epi64(sums, _mm256_set1_epi64x((less)*n)));                    \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V3_PART void opgen_tile_sum_of_16_##name(int64_t *to, const T *from, int64_t n, int64_t apart) {             \
        const __m128i each = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);                      \
        const __m256i some = _mm256_broadcastsi128_si256(_mm_cmpgt_epi8(_mm_set1_epi8((char)n), each));                \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE, from += apart) {                                  \
            opgen_tile_asks(from, OPGEN_TILE * n * (int64_t)sizeof *from);                                             \
            OPGEN_UNROLLED                                                                                             \
            for (int r = 0; r < OPGEN_TILE; r += 4) {                                                                  \
                const T *x = from + r * n;                                                                             \
                const __m256i none = _mm256_setzero_si256();                                                           \
                const __m256i a = what(opgen_bytes_of_both(x, x + 2 * n));                                             \
                const __m256i b = what(opgen_bytes_of_both(x + n, x + 3 * n));                                         \
                const __m256i first = _mm256_sad_epu8(_mm256_and_si256(a, some), none);                                \
                const __m256i other = _mm256_sad_epu8(_mm256_and_si256(b, some), none);                                \
                const __m256i low = _mm256_unpacklo_epi64(first, other), high = _mm256_unpackhi_epi64(first, other);   \
                const __m256i sums = _mm256_add_epi64(low, high);                                                      \
                opgen_bytes_to(to + row + r, _mm256_sub_epi64(sums, _mm256_set1_epi64x((less)*n)));                    \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V3_PART void opgen_tile_sum_##name(int64_t *to, const T *from, int64_t n, int64_t apart) {                   \
        if (n <= 8) {                                                                                                  \
            opgen_tile_sum_of_8_##name(to, from, n, apart);                                                            \
            return;                                                                                                    \
        }                                                                                                              \
        if (n <= 16) {                                                                                                 \
            opgen_tile_sum_of_16_##name(to, from, n, apart);                                                           \
            return;                                                                                                    \
        }                                                                                                              \
        const __m256i lanes = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,   \
                                               20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);                        \
        const __m256i none = _mm256_setzero_si256(),                                                                   \
                      some = _mm256_cmpgt_epi8(_mm256_set1_epi8((char)(n % 32)), lanes);                               \
        const __m256i last = n % 32 == 0 ? _mm256_set1_epi8(-1) : some;                                                \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE, from += apart) {                                  \
            opgen_tile_asks(from, OPGEN_TILE * n * (int64_t)sizeof *from);                                             \
            opgen_tile_bits v[OPGEN_TILE];                                                                             \
            if (n <= 32) {                                                                                             \
                OPGEN_UNROLLED                                                                                         \
                for (int r = 0; r < OPGEN_TILE; r++)                                                                   \
                    v[r] = (opgen_tile_bits)_mm256_sad_epu8(                                                           \
                        _mm256_and_si256(what(opgen_bytes_at(from + r * n)), last), none);                             \
            } else if (n <= 64) {                                                                                      \
                OPGEN_UNROLLED                                                                                         \
                for (int r = 0; r < OPGEN_TILE; r++) {                                                                 \
                    const __m256i a = what(opgen_bytes_at(from + r * n)), b = what(opgen_bytes_at(from + r * n + 32)); \
                    v[r] = (opgen_tile_bits)_mm256_add_epi64(_mm256_sad_epu8(a, none),                                 \
                                                             _mm256_sad_epu8(_mm256_and_si256(b, last), none));        \
                }                                                                                                      \
            } else {                                                                                                   \
                OPGEN_ROLLED                                                                                           \
                for (int r = 0; r < OPGEN_TILE; r++) {                                                                 \
                    const T *x = from + r * n;                                                                         \
                    __m256i a = none;                                                                                  \
                    int64_t j = 0;                                                                                     \
                    for (; j + 32 <= n; j += 32)                                                                       \
                        a = _mm256_add_epi64(a, _mm256_sad_epu8(what(opgen_bytes_at(x + j)), none));                   \
                    if (j < n)                                                                                         \
                        a = _mm256_add_epi64(                                                                          \
                            a, _mm256_sad_epu8(_mm256_and_si256(what(opgen_bytes_at(x + j)), some), none));            \
                    v[r] = (opgen_tile_bits)a;                                                                         \
                }                                                                                                      \
            }                                                                                                          \
            const opgen_tile_bits all = opgen_tile_all_bytes_add(v);                                                   \
            for (int r = 0; r < OPGEN_TILE; r++)                                                                       \
                to[row + r] = all[r] - (less)*n;                                                                       \
        }                                                                                                              \
    }
OPGEN_TILE_BYTES_SUM(i8, int8_t, opgen_bytes_above, 128)
OPGEN_TILE_BYTES_SUM(u8, uint8_t, opgen_bytes_same, 0)
OPGEN_TILE_BYTES_SUM(bool, uint8_t, opgen_bytes_truth, 0)

/* The first place of what comes of a row, by no branch, which would depend on what is there. Of up to 255 elements by
 * what it is less than 255, the greatest where they are the same. Of more by that of the number of the vector it is in,
 * which is looked at again. */
#define OPGEN_TILE_BYTES_PLACE(name, T)                                                                                \
    OPGEN_V3_PART void opgen_tile_place_##name(int64_t *place, const T *from, int64_t n, int64_t apart) {              \
        const __m256i lanes = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,   \
                                               20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);                        \
        const bool few = n <= 255;                                                                                     \
        const __m256i begin = few ? _mm256_sub_epi8(_mm256_set1_epi8(-1), lanes) : _mm256_set1_epi8(-1);               \
        const __m256i onward = _mm256_set1_epi8(few ? 32 : 1);                                                         \
        const __m256i end =                                                                                            \
            few ? _mm256_sub_epi8(begin, _mm256_set1_epi8((char)(n - 32))) : _mm256_set1_epi8((char)(-1 - n / 32));    \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE, from += apart) {                                  \
            opgen_tile_asks(from, OPGEN_TILE * n * (int64_t)sizeof *from);                                             \
            OPGEN_BYTES_ROWS(v, from, opgen_bytes_##name, opgen_bytes_same)                                            \
            const opgen_tile_bits all = (opgen_tile_bits)opgen_bytes_all_##name(v);                                    \
            opgen_tile_bits where[OPGEN_TILE];                                                                         \
            if (n <= 64) {                                                                                             \
                OPGEN_UNROLLED                                                                                         \
                for (int r = 0; r < OPGEN_TILE; r++) {                                                                 \
                    const __m256i is = _mm256_set1_epi8((char)all[r]);                                                 \
                    const __m256i a = _mm256_cmpeq_epi8(opgen_bytes_at(from + r * n), is);                             \
                    const __m256i b = _mm256_cmpeq_epi8(opgen_bytes_at(from + r * n + n - 32), is);                    \
                    where[r] = (opgen_tile_bits)_mm256_max_epu8(_mm256_and_si256(a, begin), _mm256_and_si256(b, end)); \
                }                                                                                                      \
            } else {                                                                                                   \
                OPGEN_ROLLED                                                                                           \
                for (int r = 0; r < OPGEN_TILE; r++) {                                                                 \
                    const T *x = from + r * n;                                                                         \
                    const __m256i is = _mm256_set1_epi8((char)all[r]);                                                 \
                    __m256i a = _mm256_and_si256(_mm256_cmpeq_epi8(opgen_bytes_at(x), is), begin), here = begin;       \
                    for (int64_t j = 32; j + 32 <= n; j += 32) {                                                       \
                        here = _mm256_sub_epi8(here, onward);                                                          \
                        a = _mm256_max_epu8(a, _mm256_and_si256(_mm256_cmpeq_epi8(opgen_bytes_at(x + j), is), here));  \
                    }                                                                                                  \
                    if (n % 32 > 0)                                                                                    \
                        a = _mm256_max_epu8(a,                                                                         \
                                            _mm256_and_si256(_mm256_cmpeq_epi8(opgen_bytes_at(x + n - 32), is), end)); \
                    where[r] = (opgen_tile_bits)a;                                                                     \
                }                                                                                                      \
            }                                                                                                          \
            const opgen_tile_bits less = (opgen_tile_bits)opgen_bytes_all_max_u8(where);                               \
            for (int r = 0; r < OPGEN_TILE; r++) {                                                                     \
                const int64_t number = 255 - (int64_t)(uint8_t)less[r], at = opgen_min(32 * number, n - 32);           \
                if (few) {                                                                                             \
                    place[row + r] = number;                                                                           \
                    continue;                                                                                          \
                }                                                                                                      \
                const __m256i is = _mm256_set1_epi8((char)all[r]);                                                     \
                const __m256i same = _mm256_cmpeq_epi8(opgen_bytes_at(from + r * n + at), is);                         \
                place[row + r] = at + __builtin_ctz((uint32_t)_mm256_movemask_epi8(same) | 0x80000000u);               \
            }                                                                                                          \
        }                                                                                                              \
    }
OPGEN_TILE_BYTES_PLACE(max_i8, int8_t)
OPGEN_TILE_BYTES_PLACE(min_i8, int8_t)
OPGEN_TILE_BYTES_PLACE(max_u8, uint8_t)
OPGEN_TILE_BYTES_PLACE(min_u8, uint8_t)
#undef OPGEN_TILE_BYTES
#undef OPGEN_TILE_BYTES_SUM
#undef OPGEN_TILE_BYTES_PLACE
#undef OPGEN_BYTES_ROWS
#undef OPGEN_IS_0
#undef OPGEN_IS_NOT_0
#endif

#endif

/* opgen_tile_words.h: short rows as opgen_tile.h reads them, of integers of 16, 32 and 64 bits and of doubles: their
 * greatest and least element, their sum, and whether any element, or each, is not 0 (of i32 opgen_tile_truth.h says).
 *
 * opgen_tile_max_i16, _min_i16, _sum_i16, _any_i16, _all_i16, and of u16, u32, i64 and f64; the first three of i32;
 * opgen_tile_place_max_i16 and _place_min_i16, of i32, i64 and f64: where the first of them stands. Arguments as
 * opgen_tile_sum_f32 has them; n is at least what a vector of 32 bytes holds, of 16 bits at most 8192, and nothing is
 * read beyond a row. Of what is not a number an extreme is that, without a sign.
 */
#ifndef OPGEN_TILE_WORDS_H
#define OPGEN_TILE_WORDS_H

#include "opgen_tile_bytes.h"

#if defined(OPGEN_TILES)
OPGEN_V3_PART __m256i opgen_words_max_i64(__m256i a, __m256i b) {
    return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}
OPGEN_V3_PART __m256i opgen_words_min_i64(__m256i a, __m256i b) {
    return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}
#define OPGEN_AS_F64(name, f64)                                                                                        \
    OPGEN_V3_PART __m256i opgen_words_##name##_f64(__m256i x, __m256i y) {                                             \
        const __m256d a = _mm256_castsi256_pd(x), b = _mm256_castsi256_pd(y);                                          \
        return _mm256_castpd_si256(f64);                                                                               \
    }
/* The processor's own are the second one where either is no number; where the first one is none, all bits are set. */
OPGEN_AS_F64(max, _mm256_or_pd(_mm256_max_pd(a, b), _mm256_cmp_pd(a, a, _CMP_UNORD_Q)))
OPGEN_AS_F64(min, _mm256_or_pd(_mm256_min_pd(a, b), _mm256_cmp_pd(a, a, _CMP_UNORD_Q)))
OPGEN_AS_F64(add, _mm256_add_pd(a, b))
#undef OPGEN_AS_F64
OPGEN_V3_PART __m256i opgen_words_max_end(__m256i x) {
    const __m256d a = _mm256_castsi256_pd(x), none = _mm256_castsi256_pd(_mm256_set1_epi64x(0x7ff8000000000000));
    return _mm256_castpd_si256(_mm256_blendv_pd(a, none, _mm256_cmp_pd(a, a, _CMP_UNORD_Q)));
}

/* Eight rows become the lanes of one vector of 32 bits each, in which two of 16 become one, or of two of 64 bits. */
#define OPGEN_WORDS_OF(name, of)                                                                                       \
    OPGEN_V3_PART opgen_tile_bits opgen_words_##name(opgen_tile_bits a, opgen_tile_bits b) {                           \
        return (opgen_tile_bits)of((__m256i)a, (__m256i)b);                                                            \
    }                                                                                                                  \
    OPGEN_TILE_ALL(words_##name, opgen_tile_bits, opgen_words_##name)
OPGEN_WORDS_OF(max_i16, _mm256_max_epi16)
OPGEN_WORDS_OF(min_i16, _mm256_min_epi16)
OPGEN_WORDS_OF(max_u16, _mm256_max_epu16)
OPGEN_WORDS_OF(min_u16, _mm256_min_epu16)
OPGEN_WORDS_OF(max_i32, _mm256_max_epi32)
OPGEN_WORDS_OF(min_i32, _mm256_min_epi32)
OPGEN_WORDS_OF(max_u32, _mm256_max_epu32)
OPGEN_WORDS_OF(min_u32, _mm256_min_epu32)
#undef OPGEN_WORDS_OF
#define OPGEN_WORDS_OF_64(name, of)                                                                                    \
    OPGEN_V3_PART __m256i opgen_words_all_##name(const opgen_tile_bits *v) {                                           \
        const __m256i a = of(_mm256_unpacklo_epi64((__m256i)v[0], (__m256i)v[1]),                                      \
                             _mm256_unpackhi_epi64((__m256i)v[0], (__m256i)v[1])),                                     \
                      b = of(_mm256_unpacklo_epi64((__m256i)v[2], (__m256i)v[3]),                                      \
                             _mm256_unpackhi_epi64((__m256i)v[2], (__m256i)v[3]));                                     \
        return of(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));                       \
    }
OPGEN_WORDS_OF_64(max_i64, opgen_words_max_i64)
OPGEN_WORDS_OF_64(min_i64, opgen_words_min_i64)
OPGEN_WORDS_OF_64(add_i64, _mm256_add_epi64)
OPGEN_WORDS_OF_64(max_f64, opgen_words_max_f64)
OPGEN_WORDS_OF_64(min_f64, opgen_words_min_f64)
OPGEN_WORDS_OF_64(add_f64, opgen_words_add_f64)
#undef OPGEN_WORDS_OF_64

/* What counts of a vector, where it is not its elements themselves. */
OPGEN_V3_PART __m256i opgen_words_none_16(__m256i a) { return _mm256_cmpeq_epi16(a, _mm256_setzero_si256()); }
OPGEN_V3_PART __m256i opgen_words_none_u32(__m256i a) { return _mm256_cmpeq_epi32(a, _mm256_setzero_si256()); }
OPGEN_V3_PART __m256i opgen_words_none_i64(__m256i a) { return _mm256_cmpeq_epi64(a, _mm256_setzero_si256()); }
OPGEN_V3_PART __m256i opgen_words_none_f64(__m256i a) {
    return _mm256_castpd_si256(_mm256_cmp_pd(_mm256_castsi256_pd(a), _mm256_setzero_pd(), _CMP_EQ_OQ));
}
OPGEN_V3_PART __m256i opgen_words_some_f64(__m256i a) { return _mm256_slli_epi64(a, 1); } /* -0 is 0 */
OPGEN_V3_PART __m256i opgen_words_above_16(__m256i a) { return _mm256_xor_si256(a, _mm256_set1_epi16(-32768)); }

#define OPGEN_WORDS_ROWS(v, each, of, what)                                                                            \
    opgen_tile_bits v[OPGEN_TILE];                                                                                     \
    if (n <= 2 * each) {                                                                                               \
        OPGEN_UNROLLED                                                                                                 \
        for (int r = 0; r < OPGEN_TILE; r++)                                                                           \
            v[r] = (opgen_tile_bits)of(what(opgen_bytes_at(from + r * n)),                                             \
                                       what(opgen_bytes_at(from + r * n + n - each)));                                 \
    } else {                                                                                                           \
        OPGEN_ROLLED                                                                                                   \
        for (int r = 0; r < OPGEN_TILE; r++) {                                                                         \
            OPGEN_TILE_TWICE(a, (from + r * n), each, of, what)                                                        \
            v[r] = (opgen_tile_bits)a;                                                                                 \
        }                                                                                                              \
    }
#define OPGEN_TILE_WORDS(name, R, T, each, of, what, make)                                                             \
    OPGEN_V3_PART void opgen_tile_##name(R *to, const T *from, int64_t n, int64_t apart) {                             \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE, from += apart) {                                  \
            opgen_tile_asks(from, OPGEN_TILE * n * (int64_t)sizeof *from);                                             \
            OPGEN_WORDS_ROWS(v, each, of, what)                                                                        \
            make                                                                                                       \
        }                                                                                                              \
    }
/* What comes of eight rows, to where it goes. */
#define OPGEN_STORE_16(name, T, of)                                                                                    \
    OPGEN_V3_PART void opgen_words_end_##name(T *to, const opgen_tile_bits *v) {                                       \
        const opgen_tile_bits two = opgen_tile_all_words_##name(v);                                                    \
        const opgen_tile_bits all = (opgen_tile_bits)of((__m256i)two, _mm256_srli_epi32((__m256i)two, 16));            \
        for (int r = 0; r < OPGEN_TILE; r++)                                                                           \
            to[r] = (T)all[r];                                                                                         \
    }
#define OPGEN_STORE_32(name, T)                                                                                        \
    OPGEN_V3_PART void opgen_words_end_##name(T *to, const opgen_tile_bits *v) {                                       \
        _mm256_storeu_si256((__m256i *)(void *)to, (__m256i)opgen_tile_all_words_##name(v));                           \
    }
#define OPGEN_STORE_64(name, T, end)                                                                                   \
    OPGEN_V3_PART void opgen_words_end_##name(T *to, const opgen_tile_bits *v) {                                       \
        _mm256_storeu_si256((__m256i *)(void *)to, end(opgen_words_all_##name(v)));                                    \
        _mm256_storeu_si256((__m256i *)(void *)(to + 4), end(opgen_words_all_##name(v + 4)));                          \
    }
OPGEN_STORE_16(max_i16, int16_t, _mm256_max_epi16)
OPGEN_STORE_16(min_i16, int16_t, _mm256_min_epi16)
OPGEN_STORE_16(max_u16, uint16_t, _mm256_max_epu16)
OPGEN_STORE_16(min_u16, uint16_t, _mm256_min_epu16)
OPGEN_STORE_32(max_i32, int32_t)
OPGEN_STORE_32(min_i32, int32_t)
OPGEN_STORE_32(max_u32, uint32_t)
OPGEN_STORE_32(min_u32, uint32_t)
OPGEN_STORE_64(max_i64, int64_t, opgen_bytes_same)
OPGEN_STORE_64(min_i64, int64_t, opgen_bytes_same)
OPGEN_STORE_64(add_i64, int64_t, opgen_bytes_same)
OPGEN_STORE_64(max_f64, double, opgen_words_max_end)
OPGEN_STORE_64(min_f64, double, opgen_words_max_end)
OPGEN_STORE_64(add_f64, double, opgen_bytes_same)
#undef OPGEN_STORE_16
#undef OPGEN_STORE_32
#undef OPGEN_STORE_64
#define OPGEN_MAKE_TRUTH(is)                                                                                           \
    const opgen_tile_bits all = opgen_tile_all_bytes_or(v);                                                            \
    for (int r = 0; r < OPGEN_TILE; r++)                                                                               \
        to[row + r] = (all[r] != 0) == is;
OPGEN_TILE_WORDS(max_i16, int16_t, int16_t, 16, _mm256_max_epi16, opgen_bytes_same,
                 opgen_words_end_max_i16(to + row, v);)
OPGEN_TILE_WORDS(min_i16, int16_t, int16_t, 16, _mm256_min_epi16, opgen_bytes_same,
                 opgen_words_end_min_i16(to + row, v);)
OPGEN_TILE_WORDS(max_u16, uint16_t, uint16_t, 16, _mm256_max_epu16, opgen_bytes_same,
                 opgen_words_end_max_u16(to + row, v);)
OPGEN_TILE_WORDS(min_u16, uint16_t, uint16_t, 16, _mm256_min_epu16, opgen_bytes_same,
                 opgen_words_end_min_u16(to + row, v);)
OPGEN_TILE_WORDS(max_i32, int32_t, int32_t, 8, _mm256_max_epi32, opgen_bytes_same,
                 opgen_words_end_max_i32(to + row, v);)
OPGEN_TILE_WORDS(min_i32, int32_t, int32_t, 8, _mm256_min_epi32, opgen_bytes_same,
                 opgen_words_end_min_i32(to + row, v);)
OPGEN_TILE_WORDS(max_u32, uint32_t, uint32_t, 8, _mm256_max_epu32, opgen_bytes_same,
                 opgen_words_end_max_u32(to + row, v);)
OPGEN_TILE_WORDS(min_u32, uint32_t, uint32_t, 8, _mm256_min_epu32, opgen_bytes_same,
                 opgen_words_end_min_u32(to + row, v);)
OPGEN_TILE_WORDS(max_i64, int64_t, int64_t, 4, opgen_words_max_i64, opgen_bytes_same,
                 opgen_words_end_max_i64(to + row, v);)
OPGEN_TILE_WORDS(min_i64, int64_t, int64_t, 4, opgen_words_min_i64, opgen_bytes_same,
                 opgen_words_end_min_i64(to + row, v);)
OPGEN_TILE_WORDS(max_f64, double, double, 4, opgen_words_max_f64, opgen_bytes_same,
                 opgen_words_end_max_f64(to + row, v);)
OPGEN_TILE_WORDS(min_f64, double, double, 4, opgen_words_min_f64, opgen_bytes_same,
                 opgen_words_end_min_f64(to + row, v);)
OPGEN_TILE_WORDS(any_i16, bool, int16_t, 16, _mm256_or_si256, opgen_bytes_same, OPGEN_MAKE_TRUTH(true))
OPGEN_TILE_WORDS(all_i16, bool, int16_t, 16, _mm256_or_si256, opgen_words_none_16, OPGEN_MAKE_TRUTH(false))
OPGEN_TILE_WORDS(any_u16, bool, uint16_t, 16, _mm256_or_si256, opgen_bytes_same, OPGEN_MAKE_TRUTH(true))
OPGEN_TILE_WORDS(all_u16, bool, uint16_t, 16, _mm256_or_si256, opgen_words_none_16, OPGEN_MAKE_TRUTH(false))
OPGEN_TILE_WORDS(any_u32, bool, uint32_t, 8, _mm256_or_si256, opgen_bytes_same, OPGEN_MAKE_TRUTH(true))
OPGEN_TILE_WORDS(all_u32, bool, uint32_t, 8, _mm256_or_si256, opgen_words_none_u32, OPGEN_MAKE_TRUTH(false))
OPGEN_TILE_WORDS(any_i64, bool, int64_t, 4, _mm256_or_si256, opgen_bytes_same, OPGEN_MAKE_TRUTH(true))
OPGEN_TILE_WORDS(all_i64, bool, int64_t, 4, _mm256_or_si256, opgen_words_none_i64, OPGEN_MAKE_TRUTH(false))
OPGEN_TILE_WORDS(any_f64, bool, double, 4, _mm256_or_si256, opgen_words_some_f64, OPGEN_MAKE_TRUTH(true))
OPGEN_TILE_WORDS(all_f64, bool, double, 4, _mm256_or_si256, opgen_words_none_f64, OPGEN_MAKE_TRUTH(false))

/* Sums: of the last vector of a row the elements that were not in others (`some`), of 16 bits two as one of 32. */
OPGEN_V3_PART __m256i opgen_words_at_i32(const int32_t *x) {
    return _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)(const void *)x));
}
OPGEN_V3_PART __m256i opgen_words_at_u32(const uint32_t *x) {
    return _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(const void *)x));
}
OPGEN_V3_PART __m256i opgen_words_pairs(__m256i a) { return _mm256_madd_epi16(a, _mm256_set1_epi16(1)); }
#define OPGEN_TILE_WORDS_SUM(name, R, T, each, at, what, pairs, of, last, make)                                        \
    OPGEN_V3_PART void opgen_tile_sum_##name(R *to, const T *from, int64_t n, int64_t apart) {                         \
        const __m256i some = last;                                                                                     \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE, from += apart) {                                  \
            opgen_tile_asks(from, OPGEN_TILE * n * (int64_t)sizeof *from);                                             \
            opgen_tile_bits v[OPGEN_TILE];                                                                             \
            OPGEN_ROLLED                                                                                               \
            for (int r = 0; r < OPGEN_TILE; r++) {                                                                     \
                const T *x = from + r * n;                                                                             \
                __m256i a = pairs(what(at(x)));                                                                        \
                int64_t j = each;                                                                                      \
                for (; j + 2 * each <= n; j += 2 * each)                                                               \
                    a = of(a, of(pairs(what(at(x + j))), pairs(what(at(x + j + each)))));                              \
                if (j + each <= n) a = of(a, pairs(what(at(x + j))));                                                  \
                if (n % each > 0) a = of(a, pairs(_mm256_and_si256(what(at(x + n - each)), some)));                    \
                v[r] = (opgen_tile_bits)a;                                                                             \
            }                                                                                                          \
            make                                                                                                       \
        }                                                                                                              \
    }
#define OPGEN_NEW_16                                                                                                   \
    _mm256_cmpgt_epi16(_mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),                        \
                       _mm256_set1_epi16((short)(15 - n % 16)))
#define OPGEN_NEW_64 _mm256_cmpgt_epi64(_mm256_setr_epi64x(0, 1, 2, 3), _mm256_set1_epi64x(3 - n % 4))
#define OPGEN_MAKE_SUM_16(more)                                                                                        \
    const opgen_tile_bits all = opgen_tile_all_bytes_add(v);                                                           \
    for (int r = 0; r < OPGEN_TILE; r++)                                                                               \
        to[row + r] = all[r] + (more)*n;
OPGEN_TILE_WORDS_SUM(i16, int64_t, int16_t, 16, opgen_bytes_at, opgen_bytes_same, opgen_words_pairs, _mm256_add_epi32,
                     OPGEN_NEW_16, OPGEN_MAKE_SUM_16(0))
OPGEN_TILE_WORDS_SUM(u16, int64_t, uint16_t, 16, opgen_bytes_at, opgen_words_above_16, opgen_words_pairs,
                     _mm256_add_epi32, OPGEN_NEW_16, OPGEN_MAKE_SUM_16(32768))
OPGEN_TILE_WORDS_SUM(i32, int64_t, int32_t, 4, opgen_words_at_i32, opgen_bytes_same, opgen_bytes_same, _mm256_add_epi64,
                     OPGEN_NEW_64, opgen_words_end_add_i64(to + row, v);)
OPGEN_TILE_WORDS_SUM(u32, int64_t, uint32_t, 4, opgen_words_at_u32, opgen_bytes_same, opgen_bytes_same,
                     _mm256_add_epi64, OPGEN_NEW_64, opgen_words_end_add_i64(to + row, v);)
OPGEN_TILE_WORDS_SUM(i64, int64_t, int64_t, 4, opgen_bytes_at, opgen_bytes_same, opgen_bytes_same, _mm256_add_epi64,
                     OPGEN_NEW_64, opgen_words_end_add_i64(to + row, v);)
OPGEN_TILE_WORDS_SUM(f64, double, double, 4, opgen_bytes_at, opgen_bytes_same, opgen_bytes_same, opgen_words_add_f64,
                     OPGEN_NEW_64, opgen_words_end_add_f64(to + row, v);)

/* The first place of what comes of a row: by what it is less than the most that its bits hold, the greatest where they
 * are the same, as many bits as an element has; of 64 the lower 32. */
OPGEN_V3_PART __m256i opgen_words_places_16(void) {
    return _mm256_setr_epi16(-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16);
}
OPGEN_V3_PART __m256i opgen_words_places_32(void) {
    return _mm256_sub_epi32(_mm256_set1_epi32(INT32_MAX), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
OPGEN_V3_PART __m256i opgen_words_places_64(void) {
    return _mm256_sub_epi64(_mm256_set1_epi64x(INT32_MAX), _mm256_setr_epi64x(0, 1, 2, 3));
}
OPGEN_V3_PART __m256i opgen_words_less_16(__m256i a, int64_t by) {
    return _mm256_sub_epi16(a, _mm256_set1_epi16((short)by));
}
OPGEN_V3_PART __m256i opgen_words_less_32(__m256i a, int64_t by) {
    return _mm256_sub_epi32(a, _mm256_set1_epi32((int)by));
}
OPGEN_V3_PART __m256i opgen_words_less_64(__m256i a, int64_t by) { return _mm256_sub_epi64(a, _mm256_set1_epi64x(by)); }
OPGEN_V3_PART __m256i opgen_words_later_16(__m256i a, __m256i b) { return _mm256_max_epu16(a, b); }
OPGEN_V3_PART __m256i opgen_words_later_32(__m256i a, __m256i b) { return _mm256_max_epi32(a, b); }
OPGEN_V3_PART __m256i opgen_words_later_64(__m256i a, __m256i b) { return _mm256_max_epi32(a, b); }
OPGEN_V3_PART void opgen_words_placed_16(int64_t *place, const opgen_tile_bits *v) {
    uint16_t last[OPGEN_TILE];
    opgen_words_end_max_u16(last, v);
    for (int r = 0; r < OPGEN_TILE; r++)
        place[r] = 65535 - last[r];
}
OPGEN_V3_PART void opgen_words_placed_32(int64_t *place, const opgen_tile_bits *v) {
    int32_t last[OPGEN_TILE];
    opgen_words_end_max_i32(last, v);
    for (int r = 0; r < OPGEN_TILE; r++)
        place[r] = INT32_MAX - last[r];
}
#define opgen_words_placed_64 opgen_words_placed_32
OPGEN_V3_PART __m256i opgen_words_is_16(int16_t x) { return _mm256_set1_epi16(x); }
OPGEN_V3_PART __m256i opgen_words_is_32(int32_t x) { return _mm256_set1_epi32(x); }
OPGEN_V3_PART __m256i opgen_words_is_i64(int64_t x) { return _mm256_set1_epi64x(x); }
OPGEN_V3_PART __m256i opgen_words_is_f64(double x) { return _mm256_castpd_si256(_mm256_set1_pd(x)); }
OPGEN_V3_PART __m256i opgen_words_same_f64(__m256i a, __m256i b) {
    return _mm256_castpd_si256(_mm256_cmp_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b), _CMP_EQ_OQ));
}
#define OPGEN_TILE_WORDS_PLACE(name, T, each, bits, of, is_all, same)                                                  \
    OPGEN_V3_PART void opgen_tile_place_##name(int64_t *place, const T *from, int64_t n, int64_t apart) {              \
        const __m256i begin = opgen_words_places_##bits(), end = opgen_words_less_##bits(begin, n - each);             \
        for (int64_t row = 0; row < OPGEN_ACROSS; row += OPGEN_TILE, from += apart) {                                  \
            opgen_tile_asks(from, OPGEN_TILE * n * (int64_t)sizeof *from);                                             \
            OPGEN_WORDS_ROWS(v, each, of, opgen_bytes_same)                                                            \
            T is[OPGEN_TILE];                                                                                          \
            opgen_words_end_##name(is, v);                                                                             \
            opgen_tile_bits found[OPGEN_TILE];                                                                         \
            OPGEN_ROLLED                                                                                               \
            for (int r = 0; r < OPGEN_TILE; r++) {                                                                     \
                const T *x = from + r * n;                                                                             \
                const __m256i one = is_all(is[r]);                                                                     \
                __m256i a = _mm256_and_si256(same(opgen_bytes_at(x), one), begin), here = begin;                       \
                for (int64_t j = each; j + each <= n; j += each) {                                                     \
                    here = opgen_words_less_##bits(here, each);                                                        \
                    a = opgen_words_later_##bits(a, _mm256_and_si256(same(opgen_bytes_at(x + j), one), here));         \
                }                                                                                                      \
                if (n % each > 0)                                                                                      \
                    a = opgen_words_later_##bits(a, _mm256_and_si256(same(opgen_bytes_at(x + n - each), one), end));   \
                found[r] = (opgen_tile_bits)a;                                                                         \
            }                                                                                                          \
            opgen_words_placed_##bits(place + row, found);                                                             \
            for (int r = 0; r < OPGEN_TILE; r++) /* the first that is no number */                                     \
                if (is[r] != is[r])                                                                                    \
                    for (place[row + r] = 0; from[r * n + place[row + r]] == from[r * n + place[row + r]];)            \
                        place[row + r]++;                                                                              \
        }                                                                                                              \
    }
OPGEN_TILE_WORDS_PLACE(max_i16, int16_t, 16, 16, _mm256_max_epi16, opgen_words_is_16, _mm256_cmpeq_epi16)
OPGEN_TILE_WORDS_PLACE(min_i16, int16_t, 16, 16, _mm256_min_epi16, opgen_words_is_16, _mm256_cmpeq_epi16)
OPGEN_TILE_WORDS_PLACE(max_i32, int32_t, 8, 32, _mm256_max_epi32, opgen_words_is_32, _mm256_cmpeq_epi32)
OPGEN_TILE_WORDS_PLACE(min_i32, int32_t, 8, 32, _mm256_min_epi32, opgen_words_is_32, _mm256_cmpeq_epi32)
OPGEN_TILE_WORDS_PLACE(max_i64, int64_t, 4, 64, opgen_words_max_i64, opgen_words_is_i64, _mm256_cmpeq_epi64)
OPGEN_TILE_WORDS_PLACE(min_i64, int64_t, 4, 64, opgen_words_min_i64, opgen_words_is_i64, _mm256_cmpeq_epi64)
OPGEN_TILE_WORDS_PLACE(max_f64, double, 4, 64, opgen_words_max_f64, opgen_words_is_f64, opgen_words_same_f64)
OPGEN_TILE_WORDS_PLACE(min_f64, double, 4, 64, opgen_words_min_f64, opgen_words_is_f64, opgen_words_same_f64)
#undef OPGEN_TILE_WORDS_PLACE
#undef OPGEN_WORDS_ROWS
#undef OPGEN_TILE_WORDS
#undef OPGEN_TILE_WORDS_SUM
#undef OPGEN_MAKE_TRUTH
#undef OPGEN_MAKE_SUM_16
#undef OPGEN_NEW_16
#undef OPGEN_NEW_64
#endif

#endif

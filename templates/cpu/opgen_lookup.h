/* opgen_lookup.h: maps of one input of 8 bits. Whatever they compute, they have 256 results: these are made once, by
 * the map itself, so that they are the same bits, and looked up. On processors with AVX-512 VBMI that is 7 instructions
 * for 64 elements and byte of a result, which is less than what memory takes, however much there is to compute.
 *
 * A kernel asks opgen_looks_up(), makes its own results of opgen_every_byte() and an OpgenLookup of them, and goes over
 * its elements with opgen_look_up(). Results have 1, 2 or 4 bytes.
 */
#ifndef OPGEN_LOOKUP_H
#define OPGEN_LOOKUP_H

#include "opgen_kernel.h"

/* So many elements at least: to make the results takes as long as some hundred are computed in. */
#define OPGEN_LOOKUP_FROM 4096

typedef struct OpgenLookup {
    OPGEN_IN_LINE uint8_t results[1024];  /* of 0, 1, 2, ..., as they are stored */
    OPGEN_IN_LINE uint8_t planes[4][256]; /* byte k of each */
} OpgenLookup;

/* Whether this processor looks up faster than it computes: by vectors, or, where vectors are shorter, each by itself,
 * which is less than `much` takes, functions of many elements. */
OPGEN_INLINE bool opgen_looks_up(bool much) {
    (void)much;
#if defined(OPGEN_FREESTANDING) || defined(OPGEN_NO_CLONES)
    return false; /* memory is short there, and this is what others are compared with */
#elif defined(OPGEN_LEVELS)
    return opgen_level() == 4 ? __builtin_cpu_supports("avx512vbmi") != 0 : much;
#elif OPGEN_LEVEL == 4
#if defined(__AVX512VBMI__)
    return true;
#else
    return false;
#endif
#else
    return much;
#endif
}

OPGEN_INLINE void opgen_every_byte(void *bytes) {
    for (int i = 0; i < 256; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)i;
}

/* Of the results of these, which have so many bytes. */
OPGEN_INLINE void opgen_lookup_of(OpgenLookup *lookup, const void *results, int bytes) {
    memcpy(lookup->results, results, 256 * (size_t)bytes);
    for (int k = 0; k < bytes; k++)
        for (int i = 0; i < 256; i++)
            lookup->planes[k][i] = lookup->results[i * bytes + k];
}

/* Each by itself, of eight that are read as one: of bytes compilers make vectors, which they then take apart. */
OPGEN_INLINE void opgen_look_up_each(uint8_t *to, const uint8_t *from, int64_t n, const OpgenLookup *lookup,
                                     int bytes) {
    const int64_t all = n / 8 * 8;
    for (int64_t i = 0; i < all; i += 8) {
        uint64_t eight;
        memcpy(&eight, from + i, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        eight = __builtin_bswap64(eight);
#endif
        for (int k = 0; k < 8; k++) {
            const size_t of = (uint8_t)(eight >> (8 * k));
            memcpy(to + (i + k) * bytes, lookup->results + of * (size_t)bytes, (size_t)bytes);
        }
    }
    for (int64_t i = all; i < n; i++)
        memcpy(to + i * bytes, lookup->results + from[i] * (size_t)bytes, (size_t)bytes);
}

/* How blocks go past the cache. */
typedef struct OpgenLookupWay {
    int into;
    bool turns;
    int64_t most, further;
} OpgenLookupWay;
OPGEN_INLINE OpgenLookupWay opgen_lookup_way(int bytes, int64_t n, bool past) {
    const int into = opgen_asks_in_passing();
    const bool turns = past && into == OPGEN_NEAREST;
    const int64_t block = opgen_max(OPGEN_BLOCK_BYTES / bytes, 64);
    const OpgenLookupWay way = {into, turns, turns ? block : n, turns ? OPGEN_TURNS * block : 2048};
    return way;
}

#if defined(OPGEN_X86)
#include <immintrin.h>

#define OPGEN_VBMI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx2,fma,f16c,bmi,bmi2,lzcnt")))

/* One byte of each result: of 128 by an instruction, between two of which the highest bit decides. */
OPGEN_VBMI OPGEN_INLINE __m512i opgen_byte_of(const __m512i *plane, __m512i of, __mmask64 upper) {
    return _mm512_mask_blend_epi8(upper, _mm512_permutex2var_epi8(plane[0], of, plane[1]),
                                  _mm512_permutex2var_epi8(plane[2], of, plane[3]));
}

/* 64 elements. What is unpacked is so within 16 bytes: `order` brings there first what belongs there. */
OPGEN_VBMI OPGEN_INLINE void opgen_look_up_64(uint8_t *to, const uint8_t *from, const __m512i planes[4][4],
                                              __m512i order, int bytes, bool past) {
    __m512i of = _mm512_loadu_si512(from);
    if (bytes == 4) of = _mm512_permutexvar_epi32(order, of);
    if (bytes == 2) of = _mm512_permutexvar_epi64(order, of);
    const __mmask64 upper = _mm512_movepi8_mask(of);
    const __m512i first = opgen_byte_of(planes[0], of, upper);
    if (bytes == 1) {
        opgen_put_v4(to, (opgen_line_v4)first, past);
        return;
    }
    const __m512i second = opgen_byte_of(planes[1], of, upper);
    const __m512i low = _mm512_unpacklo_epi8(first, second), high = _mm512_unpackhi_epi8(first, second);
    if (bytes == 2) {
        opgen_put_v4(to, (opgen_line_v4)low, past);
        opgen_put_v4(to + 64, (opgen_line_v4)high, past);
        return;
    }
    const __m512i third = opgen_byte_of(planes[2], of, upper), fourth = opgen_byte_of(planes[3], of, upper);
    const __m512i more_low = _mm512_unpacklo_epi8(third, fourth), more_high = _mm512_unpackhi_epi8(third, fourth);
    opgen_put_v4(to, (opgen_line_v4)_mm512_unpacklo_epi16(low, more_low), past);
    opgen_put_v4(to + 64, (opgen_line_v4)_mm512_unpackhi_epi16(low, more_low), past);
    opgen_put_v4(to + 128, (opgen_line_v4)_mm512_unpacklo_epi16(high, more_high), past);
    opgen_put_v4(to + 192, (opgen_line_v4)_mm512_unpackhi_epi16(high, more_high), past);
}

/* From where a line begins on, or from anywhere where nothing goes past the cache; what is less than 64 at the end is
 * left. */
OPGEN_VBMI OPGEN_INLINE int64_t opgen_look_up_lines(uint8_t *to, const uint8_t *from, int64_t n,
                                                    const OpgenLookup *lookup, int bytes, bool past) {
    static const int32_t fours[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    static const int64_t eights[8] = {0, 4, 1, 5, 2, 6, 3, 7};
    const __m512i order = bytes == 4 ? _mm512_loadu_si512(fours) : _mm512_loadu_si512(eights);
    const int64_t lines = n / 64 * 64;
    const OpgenLookupWay way = opgen_lookup_way(bytes, lines, past);
    __m512i planes[4][4];
    for (int k = 0; k < bytes; k++)
        OPGEN_ALL_OF(4) planes[k][i] = _mm512_loadu_si512(lookup->planes[k] + 64 * i);
    OpgenBlocks blocks = {0, lines, 0, 0, 0};
    while (opgen_next_block(&blocks, to, bytes, way.most, way.turns))
        for (int64_t at = blocks.at, end = at + blocks.size; at < end; at += 64) {
            if (past) opgen_ahead(from + at, way.further, 64, way.into);
            opgen_look_up_64(to + at * bytes, from + at, planes, order, bytes, past);
        }
    return lines;
}

#define OPGEN_LOOK_UP_V4(bytes)                                                                                        \
    OPGEN_VBMI static inline int64_t opgen_look_up_##bytes(uint8_t *to, const uint8_t *from, int64_t n,                \
                                                           const OpgenLookup *lookup, bool past) {                     \
        return past ? opgen_look_up_lines(to, from, n, lookup, bytes, true)                                            \
                    : opgen_look_up_lines(to, from, n, lookup, bytes, false);                                          \
    }
OPGEN_LOOK_UP_V4(1)
OPGEN_LOOK_UP_V4(2)
OPGEN_LOOK_UP_V4(4)
#endif

/* The results of n elements, past the cache where `stream`. */
OPGEN_INLINE void opgen_look_up(void *results, const void *elements, int64_t n, const OpgenLookup *lookup, int bytes,
                                bool stream) {
    uint8_t *to = (uint8_t *)results;
    const uint8_t *from = (const uint8_t *)elements;
#if defined(OPGEN_LEVELS) || OPGEN_LEVEL == 4
    if (opgen_looks_up(false)) {
        const int64_t over = (int64_t)((uintptr_t)to % 64);
        int64_t done = stream && over != 0 ? opgen_min((64 - over) / bytes, n) : 0;
        opgen_look_up_each(to, from, done, lookup, bytes);
        uint8_t *const first = to + done * bytes;
        done += bytes == 1   ? opgen_look_up_1(first, from + done, n - done, lookup, stream)
                : bytes == 2 ? opgen_look_up_2(first, from + done, n - done, lookup, stream)
                             : opgen_look_up_4(first, from + done, n - done, lookup, stream);
        opgen_look_up_each(to + done * bytes, from + done, n - done, lookup, bytes);
        if (stream) opgen_stream_end();
        return;
    }
#endif
    if (!stream) {
        opgen_look_up_each(to, from, n, lookup, bytes);
        return;
    }
    OPGEN_IN_LINE uint8_t block[OPGEN_BLOCK_BYTES];
    OpgenLookupWay way = opgen_lookup_way(bytes, n, true);
    way.most = OPGEN_BLOCK_BYTES / bytes;
    OpgenBlocks blocks = {0, n, 0, 0, 0};
    while (opgen_next_block(&blocks, to, bytes, way.most, way.turns)) {
        opgen_ahead(from + blocks.at, way.further, blocks.size, way.into);
        opgen_look_up_each(block, from + blocks.at, blocks.size, lookup, bytes);
        opgen_stream(to + blocks.at * bytes, block, blocks.size * bytes);
    }
    opgen_stream_end();
}

#endif

/* opgen_sort.h: keys that are in order as unsigned numbers where the elements are, and sorting them together with where
 * each element is: by eight bits of the key after the other, which takes as long whatever the elements are, and leaves
 * equal ones as they stand. C11 and C++17.
 */
#ifndef OPGEN_SORT_H
#define OPGEN_SORT_H

#include "opgen_math.h"

/* -0 and 0 are equal; so are all NaNs, which are greater than everything else. */
OPGEN_INLINE uint32_t opgen_key_f32(float x) {
    const uint32_t bits = opgen_bits(x == 0 ? 0 : x);
    return x != x ? UINT32_MAX : bits ^ (0x80000000u | (0u - (bits >> 31)));
}

OPGEN_INLINE uint32_t opgen_key_signed(int32_t x) { return (uint32_t)x ^ 0x80000000u; }

/* Of n elements, each a key in the upper half and a position in the lower, all positions in order: in the order of the
 * keys, in one of the two arrays, which is returned. */
OPGEN_INLINE uint64_t *opgen_sort_keys(uint64_t *now, uint64_t *next, int64_t n) {
    if (n <= 32) {
        for (int64_t i = 1; i < n; i++) {
            const uint64_t one = now[i];
            int64_t at = i;
            for (; at > 0 && now[at - 1] > one; at--)
                now[at] = now[at - 1];
            now[at] = one;
        }
        return now;
    }
    uint32_t count[4][256] = {{0}};
    for (int64_t i = 0; i < n; i++)
        for (int digit = 0; digit < 4; digit++)
            count[digit][now[i] >> (32 + 8 * digit) & 255]++;
    for (int digit = 0; digit < 4; digit++) {
        const int shift = 32 + 8 * digit;
        if (count[digit][now[0] >> shift & 255] == (uint64_t)n) continue; /* nothing to choose by */
        uint32_t before = 0;
        for (int i = 0; i < 256; i++) {
            const uint32_t some = count[digit][i];
            count[digit][i] = before;
            before += some;
        }
        for (int64_t i = 0; i < n; i++)
            next[count[digit][now[i] >> shift & 255]++] = now[i];
        uint64_t *const other = now;
        now = next, next = other;
    }
    return now;
}

#endif

/* opgen_rest.h: what is left of a row, less than a group, as a whole one: what there is not is zeros, so that it is computed by the same loops of constant
 * length as all others, and nothing comes of it. Sizes are in bytes; `room` is a constant, what a group has. */
#ifndef OPGEN_REST_H
#define OPGEN_REST_H

#include <stdint.h>
#include <string.h>
#include "opgen_kernel.h"

#if defined(OPGEN_X86)
#include <immintrin.h>

OPGEN_V4 static inline __mmask64 opgen_rest_some(int64_t bytes) {
    return bytes >= 64 ? ~(__mmask64)0 : bytes > 0 ? ((__mmask64)1 << bytes) - 1 : 0;
}

OPGEN_V4 static inline void opgen_rest_in_v4(char *to, const char *from, int64_t bytes, int64_t room) {
    for (int64_t i = 0; i < room; i += 64)
        _mm512_storeu_si512(to + i, _mm512_maskz_loadu_epi8(opgen_rest_some(bytes - i), from + i));
}

OPGEN_V4 static inline void opgen_rest_out_v4(char *to, const char *from, int64_t bytes, int64_t room) {
    for (int64_t i = 0; i < room; i += 64)
        _mm512_mask_storeu_epi8(to + i, opgen_rest_some(bytes - i), _mm512_loadu_si512(from + i));
}
#endif

/* By as few moves as there are ones in the number of bytes: it is not known before. */
OPGEN_INLINE void opgen_rest_moved(char *to, const char *from, int64_t bytes) {
    int64_t i = 0;
    for (; i + 32 <= bytes; i += 32)
        memcpy(to + i, from + i, 32);
    if (bytes & 16) memcpy(to + i, from + i, 16), i += 16;
    if (bytes & 8) memcpy(to + i, from + i, 8), i += 8;
    if (bytes & 4) memcpy(to + i, from + i, 4), i += 4;
    if (bytes & 2) memcpy(to + i, from + i, 2), i += 2;
    if (bytes & 1) to[i] = from[i];
}

OPGEN_INLINE void opgen_rest_in(void *to, const void *from, int64_t bytes, int64_t room, int level) {
    (void)level;
#if defined(OPGEN_X86)
    if (level == 4) {
        opgen_rest_in_v4((char *)to, (const char *)from, bytes, room);
        return;
    }
#endif
    memset(to, 0, (size_t)room);
    opgen_rest_moved((char *)to, (const char *)from, bytes);
}

OPGEN_INLINE void opgen_rest_out(void *to, const void *from, int64_t bytes, int64_t room, int level) {
    (void)room, (void)level;
#if defined(OPGEN_X86)
    if (level == 4) {
        opgen_rest_out_v4((char *)to, (const char *)from, bytes, room);
        return;
    }
#endif
    opgen_rest_moved((char *)to, (const char *)from, bytes);
}

#endif

/* opgen_straight.h: functions of f16 to f16 and of bf16 to bf16, of a whole range, from where it is read to where it is
 * written, past the cache where that pays: those of opgen_half.h, opgen_intervals.h and opgen_half_inverse.h, on
 * x86-64-v4.
 *
 * Of 64 elements, or 32, the second half of the function is computed beside the first half of the next ones and beside
 * the reading of those after them. In one function there is mostly one kind of thing to do at a time, which a part of
 * the processor does; so all of it has something to do, and a fifth to a quarter less is left to wait for. Nothing is
 * read beyond the end, and what is written may be where it was read.
 *
 * OPGEN_STRAIGHT(kernel, name, bf16) makes of opgen_name_half, for a kernel, a function that says whether it was done:
 *     bool kernel_straight(uint16_t *to, const uint16_t *x, int64_t n, bool stream, int level)
 */
#ifndef OPGEN_STRAIGHT_H
#define OPGEN_STRAIGHT_H

#include "opgen_half.h"

#if defined(OPGEN_X86)

/* 32 elements: bf16 the even before the odd, which is less to do than to bring them into order, rounded by half of a
 * place more: what is not a number came from 16 bits, and has no others that a carry would run through. */
OPGEN_V4_PART void opgen_take_32(__m512 *v, const uint16_t *x, bool bf16) {
    if (bf16) {
        const __m512i both = _mm512_loadu_si512(x);
        v[0] = _mm512_castsi512_ps(_mm512_slli_epi32(both, 16));
        v[1] = _mm512_castsi512_ps(_mm512_and_si512(both, _mm512_set1_epi32(INT32_MIN >> 15)));
    } else {
        __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)x),
                high = _mm256_loadu_si256((const __m256i *)(const void *)(x + 16));
#if defined(__clang__)
        /* Of what is converted a turn of a loop after it was read clang 14 keeps 32 numbers, each by itself. */
        OPGEN_COMPUTED(low);
        OPGEN_COMPUTED(high);
#endif
        v[0] = _mm512_cvtph_ps(low);
        v[1] = _mm512_cvtph_ps(high);
    }
}
OPGEN_V4_PART void opgen_give_32(uint16_t *to, __m512 first, __m512 second, bool bf16, bool past) {
    if (bf16) {
        const __m512i half = _mm512_set1_epi32(0x8000);
        const __m512i even = _mm512_add_epi32(_mm512_castps_si512(first), half),
                      odd = _mm512_add_epi32(_mm512_castps_si512(second), half);
        opgen_put_v4(to, (opgen_line_v4)_mm512_mask_mov_epi16(_mm512_srli_epi32(even, 16), 0xaaaaaaaa, odd), past);
    } else {
        /* To a register: what vcvtps2ph puts into memory itself takes longer on AMD's processors, and stays in the
         * cache. */
        __m256i low = _mm512_maskz_cvtps_ph(0xffff, first, 0), high = _mm512_maskz_cvtps_ph(0xffff, second, 0);
        OPGEN_COMPUTED(low);
        OPGEN_COMPUTED(high);
        opgen_put_v3(to, (opgen_line_v3)low, past);
        opgen_put_v3(to + 16, (opgen_line_v3)high, past);
    }
}

/* The greatest sizes that there were, as bits, and of 32 more; whether one is further from 0 than `most`. */
OPGEN_V4_PART __m512i opgen_sizes(__m512i all, const uint16_t *x) {
    return _mm512_max_epu16(all, _mm512_and_si512(_mm512_loadu_si512(x), _mm512_set1_epi16(0x7fff)));
}
OPGEN_V4_PART bool opgen_far(__m512i all, uint16_t most) {
    return _mm512_cmpgt_epu16_mask(all, _mm512_set1_epi16((short)most)) != 0;
}

/* n is a multiple of OPGEN_STRAIGHT_SOME; what will be read is asked for where `past`. Whether so many are all near is
 * found out beside the ones before them, and those that are not go another way. bf16, which takes less to convert, has
 * 32 under way and registers for all that is left to do of them. */
#define OPGEN_STRAIGHT_SOME 128
#define OPGEN_STRAIGHT_V4(kernel, name, bf16)                                                                          \
    OPGEN_V4 __attribute__((noinline)) static void kernel##_odd(uint16_t *to, const uint16_t *x, bool past) {          \
        for (int j = 0; j < OPGEN_STRAIGHT_SOME; j += 64) {                                                            \
            float wide[64];                                                                                            \
            __m512 v[4];                                                                                               \
            OPGEN_TWO_OF(4) opgen_take_32(v + k, x + j + 16 * k, bf16);                                                \
            OPGEN_ALL_OF(4) _mm512_storeu_ps(wide + 16 * i, v[i]);                                                     \
            opgen_##name##_half(wide, wide, 1, bf16, 4);                                                               \
            OPGEN_ALL_OF(4) v[i] = _mm512_loadu_ps(wide + 16 * i);                                                     \
            OPGEN_TWO_OF(4) opgen_give_32(to + j + 16 * k, v[k], v[k + 1], bf16, past);                                \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V4 static bool kernel##_is_far(const uint16_t *x) {                                                          \
        __m512i all = _mm512_setzero_si512();                                                                          \
        for (int j = 0; j < OPGEN_STRAIGHT_SOME; j += 32)                                                              \
            all = opgen_sizes(all, x + j);                                                                             \
        return opgen_##name##_most(bf16) != 0x7fff && opgen_far(all, opgen_##name##_most(bf16));                       \
    }                                                                                                                  \
    OPGEN_V4_PART void kernel##_straight_part(uint16_t *to, const uint16_t *x, int64_t n, int into, bool past) {       \
        enum { VECTORS = (bf16) ? 2 : 4, GROUP = 16 * VECTORS };                                                       \
        const bool anywhere = opgen_##name##_most(bf16) == 0x7fff;                                                     \
        bool far = kernel##_is_far(x);                                                                                 \
        for (int64_t at = 0; at < n;) {                                                                                \
            if (far) {                                                                                                 \
                kernel##_odd(to + at, x + at, past);                                                                   \
                at += OPGEN_STRAIGHT_SOME;                                                                             \
                far = at < n && kernel##_is_far(x + at);                                                               \
                continue;                                                                                              \
            }                                                                                                          \
            OpgenHalf h[VECTORS];                                                                                      \
            __m512 v[VECTORS];                                                                                         \
            OPGEN_TWO_OF(VECTORS) opgen_take_32(v + k, x + at + 16 * k, bf16);                                         \
            OPGEN_ALL_OF(VECTORS) {                                                                                    \
                h[i].x = v[i];                                                                                         \
                opgen_##name##_front(&h[i], 1, bf16);                                                                  \
            }                                                                                                          \
            const int64_t first = at + GROUP < n ? at + GROUP : at;                                                    \
            OPGEN_TWO_OF(VECTORS) opgen_take_32(v + k, x + first + 16 * k, bf16);                                      \
            while (!far && at < n) {                                                                                   \
                __m512i all = _mm512_setzero_si512();                                                                  \
                for (const int64_t end = at + OPGEN_STRAIGHT_SOME; at < end; at += GROUP) {                            \
                    const int64_t next = at + 2 * GROUP < n ? at + 2 * GROUP : at;                                     \
                    if (!anywhere) {                                                                                   \
                        const int64_t after = at + OPGEN_STRAIGHT_SOME < n ? at + OPGEN_STRAIGHT_SOME : at;            \
                        OPGEN_TWO_OF(VECTORS) all = opgen_sizes(all, x + after + 16 * k);                              \
                    }                                                                                                  \
                    if (past) opgen_ahead(x + at, 4096, GROUP * sizeof *x, into);                                      \
                    OPGEN_TWO_OF(VECTORS) {                                                                            \
                        const OpgenHalf one = h[k], other = h[k + 1];                                                  \
                        h[k].x = v[k];                                                                                 \
                        opgen_##name##_front(&h[k], 1, bf16);                                                          \
                        const __m512 done = opgen_##name##_back(&one, 1, bf16);                                        \
                        h[k + 1].x = v[k + 1];                                                                         \
                        opgen_##name##_front(&h[k + 1], 1, bf16);                                                      \
                        opgen_take_32(v + k, x + next + 16 * k, bf16);                                                 \
                        opgen_give_32(to + at + 16 * k, done, opgen_##name##_back(&other, 1, bf16), bf16, past);       \
                    }                                                                                                  \
                }                                                                                                      \
                far = !anywhere && opgen_far(all, opgen_##name##_most(bf16));                                          \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V4 static void kernel##_straight_v4(uint16_t *to, const uint16_t *x, int64_t n, int into, bool past) {       \
        if (past)                                                                                                      \
            kernel##_straight_part(to, x, n, into, true);                                                              \
        else                                                                                                           \
            kernel##_straight_part(to, x, n, into, false);                                                             \
    }                                                                                                                  \
    /* Up to as many. */                                                                                               \
    OPGEN_V4 static void kernel##_some_v4(uint16_t *to, const uint16_t *x, int64_t n) {                                \
        uint16_t some[OPGEN_STRAIGHT_SOME] = {0};                                                                      \
        memcpy(some, x, (size_t)n * sizeof *x);                                                                        \
        kernel##_straight_v4(some, some, OPGEN_STRAIGHT_SOME, 0, false);                                               \
        memcpy(to, some, (size_t)n * sizeof *x);                                                                       \
    }
#define OPGEN_STRAIGHT_X86(kernel)                                                                                     \
    const int into = opgen_asks_in_passing();                                                                            \
    if (level == 4 && !(stream && into == OPGEN_NEAREST)) {                                                            \
        const int64_t lead = stream ? opgen_min(n, (int64_t)(-(uintptr_t)to % 64 / sizeof *to)) : 0;                   \
        const int64_t whole = (n - lead) / OPGEN_STRAIGHT_SOME * OPGEN_STRAIGHT_SOME, left = n - lead - whole;         \
        if (lead > 0) kernel##_some_v4(to, x, lead);                                                                   \
        if (whole > 0) kernel##_straight_v4(to + lead, x + lead, whole, into, stream);                                 \
        if (left > 0) kernel##_some_v4(to + lead + whole, x + lead + whole, left);                                     \
        if (stream) opgen_stream_end();                                                                                \
        return true;                                                                                                   \
    }
#else
#define OPGEN_STRAIGHT_V4(kernel, name, bf16)
#define OPGEN_STRAIGHT_X86(kernel)
#endif

#define OPGEN_STRAIGHT(kernel, name, bf16)                                                                             \
    OPGEN_STRAIGHT_V4(kernel, name, bf16)                                                                              \
    OPGEN_INLINE bool kernel##_straight(uint16_t *to, const uint16_t *x, int64_t n, bool stream, int level) {          \
        (void)to, (void)x, (void)n, (void)stream, (void)level;                                                         \
        OPGEN_STRAIGHT_X86(kernel)                                                                                     \
        return false;                                                                                                  \
    }

#endif

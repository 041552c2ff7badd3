/* opgen_straight_pairs.h: functions of two operands, of a whole range of f32, f16 or bf16, from where they are read to
 * where the result is written, past the cache where that pays: those of opgen_many_pairs.h, on x86-64-v4. Of 32 pairs
 * at a time that are near nothing is kept in arrays between; others go by way of such. What is written may be where the
 * first or the second operand was read.
 *
 * OPGEN_STRAIGHT_PAIRS(kernel, name, way, type, halves) makes, for a kernel, a function that says whether it was done:
 *     bool kernel_straight(type *to, const type *x, const type *y, int64_t n, bool stream, int level)
 * of floats, where `way` is `name`, or of uint16_t, which are f16 or bf16 as `halves` says: OPGEN_HALVES_NONE,
 * OPGEN_HALVES_F16 or OPGEN_HALVES_BF16; `way` is name_half then, for in 16 bits powers and angles have shorter ways of
 * their own, which are here.
 */
#ifndef OPGEN_STRAIGHT_PAIRS_H
#define OPGEN_STRAIGHT_PAIRS_H

#include "opgen_half_inverse.h"
#include "opgen_many_pairs.h"
#include "opgen_straight.h"

/* What the operands are read from and the result is for. */
enum { OPGEN_HALVES_NONE, OPGEN_HALVES_F16, OPGEN_HALVES_BF16 };

#if defined(OPGEN_X86)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
/* For each 32nd of numbers from 1 to 2 one that is about 1 by those, and its logarithm to base 2, negative. The first
 * and the last are such that logarithms near 0 are as exact as others. */
static const float opgen_pow_half_logs[2][32] = {
    {0x1p+0f, 0x1.e9131ap-1f, 0x1.dae608p-1f, 0x1.cd8568p-1f, 0x1.c0e07p-1f, 0x1.b4e81cp-1f, 0x1.a98ef6p-1f, 0x1.9ec8eap-1f,
     0x1.948b1p-1f, 0x1.8acb9p-1f, 0x1.818182p-1f, 0x1.78a4c8p-1f, 0x1.702e06p-1f, 0x1.681682p-1f, 0x1.605816p-1f, 0x1.58ed24p-1f,
     0x1.51d07ep-1f, 0x1.4afd6ap-1f, 0x1.446f86p-1f, 0x1.3e22ccp-1f, 0x1.381382p-1f, 0x1.323e34p-1f, 0x1.2c9fb4p-1f, 0x1.27350cp-1f,
     0x1.21fb78p-1f, 0x1.1cf06ap-1f, 0x1.181182p-1f, 0x1.135c82p-1f, 0x1.0ecf56p-1f, 0x1.0a681p-1f, 0x1.0624dep-1f, 0x1p-1f},
    {0, 0x1.0eb392p-4f, 0x1.bc841cp-4f, 0x1.32aea2p-3f, 0x1.84c2bep-3f, 0x1.d49eep-3f, 0x1.11307ep-2f, 0x1.37124ap-2f, 0x1.5c01a2p-2f,
     0x1.800a5ap-2f, 0x1.a3375ep-2f, 0x1.c592fcp-2f, 0x1.e726aap-2f, 0x1.03fda8p-1f, 0x1.140cap-1f, 0x1.23c41cp-1f, 0x1.3327c8p-1f,
     0x1.423b08p-1f, 0x1.51011ap-1f, 0x1.5f7cfep-1f, 0x1.6db194p-1f, 0x1.7ba192p-1f, 0x1.894f76p-1f, 0x1.96bdacp-1f, 0x1.a3ee8p-1f,
     0x1.b0e414p-1f, 0x1.bda07p-1f, 0x1.ca258cp-1f, 0x1.d6754p-1f, 0x1.e29144p-1f, 0x1.ee7b44p-1f, 0x1p+0f},
};

/* Pairs, and what is computed of them ahead: of the next ones beside what is left to do of these, for which a processor
 * would wait. `odd` where they have to go another way. */
typedef struct OpgenPairs {
    __m512 x[2], y[2], ahead[2];
    bool odd;
} OpgenPairs;

/* See opgen_pow_short_32: a logarithm that is off by 2^-20 of it, and no second floats. */
OPGEN_V4_PART void opgen_pow_half_front(OpgenPairs *h) {
    OPGEN_BOTH {
        const __m512 m = _mm512_getmant_ps(h->x[k], _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero),
                     e = _mm512_getexp_ps(h->x[k]);
        const __m512i at = _mm512_srli_epi32(_mm512_castps_si512(m), 18);
        const __m512 r = _mm512_fmsub_ps(m, opgen_look(opgen_pow_half_logs[0], at), OPGEN_ALL(1));
        __m512 log = _mm512_fmadd_ps(r, OPGEN_ALL(0x1.e41784p-2f), OPGEN_ALL(-0x1.715f46p-1f));
        log = _mm512_fmadd_ps(log, r, OPGEN_ALL(0x1.715486p+0f));
        h->ahead[k] = _mm512_fmadd_ps(log, r, _mm512_add_ps(e, opgen_look(opgen_pow_half_logs[1], at)));
    }
    h->odd = _mm512_movepi32_mask(_mm512_castps_si512(_mm512_or_ps(h->x[0], h->x[1]))) != 0;
}
OPGEN_V4_PART bool opgen_pow_half_back(const OpgenPairs *h, __m512 *to) {
    __m512 z[2];
    OPGEN_BOTH {
        z[k] = _mm512_fmadd_ps(h->ahead[k], h->y[k], OPGEN_ALL(0x1.8p19f + 64));
        const __m512 left = _mm512_fmsub_ps(h->ahead[k], h->y[k], _mm512_sub_ps(z[k], OPGEN_ALL(0x1.8p19f + 64)));
        const __m512 power = opgen_pow_power(z[k], opgen_pow_powers()),
                     more = _mm512_fmadd_ps(left, OPGEN_ALL(0x1.ebfbd4p-3f), OPGEN_ALL(0x1.62e98p-1f));
        to[k] = _mm512_fmadd_ps(_mm512_mul_ps(power, left), more, power);
    }
    OPGEN_BOTH OPGEN_COMPUTED(to[k]);
    return opgen_pow_near(z);
}
OPGEN_V4_PART bool opgen_pow_half_again(const OpgenPairs *h, __m512 *to) {
    return opgen_pow_half_back(h, to) && opgen_pow_signed_32(to, h->x, h->y);
}

/* See opgen_atan2_16 and opgen_atan_second, of what is not so large or small that 1 by it would be no normal number. */
OPGEN_V4_PART void opgen_atan2_half_front(OpgenPairs *h) {
    __mmask16 near = 0xffff;
    OPGEN_BOTH {
        const __m512 a = _mm512_abs_ps(h->x[k]), b = _mm512_abs_ps(h->y[k]), sum = _mm512_add_ps(a, b);
        h->ahead[k] = _mm512_mul_ps(_mm512_min_ps(a, b), _mm512_rcp14_ps(_mm512_max_ps(a, b)));
        near = _mm512_mask_cmp_ps_mask(near, sum, OPGEN_ALL(0x1p+120f), _CMP_LT_OQ);
        near = _mm512_mask_cmp_ps_mask(near, sum, OPGEN_ALL(0x1p-119f), _CMP_GT_OQ);
    }
    h->odd = near != 0xffff;
}
OPGEN_V4_PART bool opgen_atan2_half_back(const OpgenPairs *h, __m512 *to) {
    OPGEN_BOTH {
        const __m512 p = opgen_atan_of_small(h->ahead[k], _mm512_mul_ps(h->ahead[k], h->ahead[k]));
        const __mmask16 far = _mm512_cmp_ps_mask(_mm512_abs_ps(h->x[k]), _mm512_abs_ps(h->y[k]), _CMP_GT_OQ);
        const __mmask16 back = _mm512_movepi32_mask(_mm512_castps_si512(h->y[k]));
        const __m512 turn = _mm512_maskz_mov_ps(back, OPGEN_ALL(0x1.921fb6p+1f)),
                     whole = _mm512_mask_mov_ps(turn, far, OPGEN_QUARTER);
        to[k] = opgen_signed(_mm512_mask_sub_ps(_mm512_add_ps(whole, p), far ^ back, whole, p), h->x[k]);
    }
    OPGEN_BOTH OPGEN_COMPUTED(to[k]);
    return true;
}
OPGEN_V4_PART bool opgen_atan2_half_again(const OpgenPairs *h, __m512 *to) {
    (void)h, (void)to;
    return false;
}
#pragma GCC diagnostic pop

/* Those that have no part that is computed ahead. */
#define OPGEN_NONE_AHEAD(name, way)                                                                                    \
    OPGEN_V4_PART void opgen_##way##_front(OpgenPairs *h) { h->odd = false; }                                          \
    OPGEN_V4_PART bool opgen_##way##_back(const OpgenPairs *h, __m512 *to) {                                           \
        OPGEN_BOTH to[k] = h->x[k];                                                                                    \
        return opgen_##name##_2(to, h->y);                                                                             \
    }                                                                                                                  \
    OPGEN_V4_PART bool opgen_##way##_again(const OpgenPairs *h, __m512 *to) {                                          \
        (void)h, (void)to;                                                                                             \
        return false;                                                                                                  \
    }
OPGEN_NONE_AHEAD(fmod, fmod)
OPGEN_NONE_AHEAD(mod, mod)
OPGEN_NONE_AHEAD(floordiv, floordiv)
OPGEN_NONE_AHEAD(hypot, hypot)
OPGEN_NONE_AHEAD(atan2, atan2)
OPGEN_NONE_AHEAD(pow, pow)
OPGEN_NONE_AHEAD(fmod, fmod_half)
OPGEN_NONE_AHEAD(mod, mod_half)
OPGEN_NONE_AHEAD(floordiv, floordiv_half)
OPGEN_NONE_AHEAD(hypot, hypot_half)
#undef OPGEN_NONE_AHEAD

OPGEN_V4_PART void opgen_take_pairs(OpgenPairs *h, const void *x, const void *y, int halves) {
    if (halves == OPGEN_HALVES_NONE) {
        OPGEN_BOTH h->x[k] = _mm512_loadu_ps((const float *)x + 16 * k),
                   h->y[k] = _mm512_loadu_ps((const float *)y + 16 * k);
    } else {
        opgen_take_32(h->x, (const uint16_t *)x, halves == OPGEN_HALVES_BF16);
        opgen_take_32(h->y, (const uint16_t *)y, halves == OPGEN_HALVES_BF16);
    }
}
OPGEN_V4_PART void opgen_give_pairs(void *to, const __m512 *v, int halves, bool past) {
    if (halves == OPGEN_HALVES_NONE)
        OPGEN_BOTH opgen_put_v4((float *)to + 16 * k, (opgen_line_v4)_mm512_castps_si512(v[k]), past);
    else
        opgen_give_32((uint16_t *)to, v[0], v[1], halves == OPGEN_HALVES_BF16, past);
}

/* n is a multiple of 32; what will be read is asked for where `past`. */
#define OPGEN_STRAIGHT_PAIRS_V4(kernel, name, way, type, halves)                                                       \
    OPGEN_V4 __attribute__((noinline)) static void kernel##_odd(const type *from, const type *with, __m512 *to) {      \
        float x[32], y[32];                                                                                            \
        OpgenPairs h;                                                                                                  \
        opgen_take_pairs(&h, from, with, halves);                                                                      \
        opgen_##way##_front(&h);                                                                                       \
        if (opgen_##way##_again(&h, to)) return;                                                                       \
        OPGEN_BOTH _mm512_storeu_ps(x + 16 * k, h.x[k]), _mm512_storeu_ps(y + 16 * k, h.y[k]);                         \
        opgen_##name##_32(x, y, 4);                                                                                    \
        OPGEN_BOTH to[k] = _mm512_loadu_ps(x + 16 * k);                                                                \
    }                                                                                                                  \
    OPGEN_V4_PART void kernel##_straight_part(type *to, const type *x, const type *y, int64_t n, int into,             \
                                              bool past) {                                                             \
        OpgenPairs next;                                                                                               \
        opgen_take_pairs(&next, x, y, halves);                                                                         \
        opgen_##way##_front(&next);                                                                                    \
        for (int64_t i = 0; i < n; i += 32) {                                                                          \
            const int64_t after = i + 32 < n ? i + 32 : i;                                                             \
            const OpgenPairs now = next;                                                                               \
            __m512 v[2];                                                                                               \
            if (past) {                                                                                                \
                opgen_ahead(x + i, 4096, 32 * (int64_t)sizeof *x, into);                                               \
                opgen_ahead(y + i, 4096, 32 * (int64_t)sizeof *y, into);                                               \
            }                                                                                                          \
            opgen_take_pairs(&next, x + after, y + after, halves);                                                     \
            opgen_##way##_front(&next);                                                                                \
            const bool good = opgen_##way##_back(&now, v);                                                             \
            if (now.odd || !good) {                                                                                    \
                __m512 others[2];                                                                                      \
                kernel##_odd(x + i, y + i, others);                                                                    \
                OPGEN_BOTH v[k] = others[k];                                                                           \
            }                                                                                                          \
            opgen_give_pairs(to + i, v, halves, past);                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V4 static void kernel##_straight_v4(type *to, const type *x, const type *y, int64_t n, int into,             \
                                              bool past) {                                                             \
        if (past)                                                                                                      \
            kernel##_straight_part(to, x, y, n, into, true);                                                           \
        else                                                                                                           \
            kernel##_straight_part(to, x, y, n, into, false);                                                          \
    }                                                                                                                  \
    /* Up to 32, and ones. */                                                                                          \
    OPGEN_V4 static void kernel##_some_v4(type *to, const type *x, const type *y, int64_t n) {                         \
        const float one = 1;                                                                                           \
        type some[32], with[32];                                                                                       \
        for (int k = 0; k < 32; k++)                                                                                   \
            some[k] = with[k] = (type)(halves == OPGEN_HALVES_NONE  ? one                                              \
                                       : halves == OPGEN_HALVES_F16 ? 0x3c00                                           \
                                                                    : 0x3f80);                                         \
        memcpy(some, x, (size_t)n * sizeof *x);                                                                        \
        memcpy(with, y, (size_t)n * sizeof *y);                                                                        \
        kernel##_straight_v4(some, some, with, 32, 0, false);                                                          \
        memcpy(to, some, (size_t)n * sizeof *to);                                                                      \
    }
#define OPGEN_STRAIGHT_PAIRS_X86(kernel)                                                                               \
    const int into = opgen_asks_in_passing();                                                                            \
    if (level == 4 && !(stream && into == OPGEN_NEAREST)) {                                                            \
        const int64_t lead = stream ? opgen_min(n, (int64_t)(-(uintptr_t)to % 64 / sizeof *to)) : 0;                   \
        const int64_t whole = (n - lead) / 32 * 32, left = n - lead - whole;                                           \
        if (lead > 0) kernel##_some_v4(to, x, y, lead);                                                                \
        if (whole > 0) kernel##_straight_v4(to + lead, x + lead, y + lead, whole, into, stream);                       \
        if (left > 0) kernel##_some_v4(to + lead + whole, x + lead + whole, y + lead + whole, left);                   \
        if (stream) opgen_stream_end();                                                                                \
        return true;                                                                                                   \
    }
#else
#define OPGEN_STRAIGHT_PAIRS_V4(kernel, name, way, type, halves)
#define OPGEN_STRAIGHT_PAIRS_X86(kernel)
#endif

#define OPGEN_STRAIGHT_PAIRS(kernel, name, way, type, halves)                                                          \
    OPGEN_STRAIGHT_PAIRS_V4(kernel, name, way, type, halves)                                                           \
    OPGEN_INLINE bool kernel##_straight(type *to, const type *x, const type *y, int64_t n, bool stream, int level) {   \
        (void)to, (void)x, (void)y, (void)n, (void)stream, (void)level;                                                \
        OPGEN_STRAIGHT_PAIRS_X86(kernel)                                                                               \
        return false;                                                                                                  \
    }

#endif

/* opgen_math.h: what generated code computes with beyond C's own operators and <math.h>. C11 and C++17, no library.
 *
 * Everything is defined for every operand: integers wrap around, division by zero gives 0, and shifts and conversions
 * out of range give what is said at each. No operation has undefined behaviour. Functions are written without branches,
 * except where C has only a loop, so that compilers vectorise loops that call them.
 *
 * opgen_exp.h and opgen_trig.h have the functions of floats, opgen_kernel.h what loops are written with.
 */
#ifndef OPGEN_MATH_H
#define OPGEN_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- OPGEN_FREESTANDING: no C library but what a freestanding compiler has, and <math.h> with its functions. There a
 * compiler is told not to know what functions of that name do: a copy of four bytes would be a call, and so would be an
 * absolute value. So it is told which ones are meant. What it makes a call of all the same (memcpy of much, memset) gcc
 * and clang want from every environment. */
#if !defined(OPGEN_FREESTANDING) && defined(__STDC_HOSTED__) && __STDC_HOSTED__ == 0
#define OPGEN_FREESTANDING
#endif
#if defined(OPGEN_FREESTANDING) && defined(__GNUC__)
#define memcpy(to, from, size) __builtin_memcpy(to, from, size)
#define fabsf(x) __builtin_fabsf(x)
#define fabs(x) __builtin_fabs(x)
#define copysignf(x, y) __builtin_copysignf(x, y)
#define copysign(x, y) __builtin_copysign(x, y)
#define sqrtf(x) __builtin_sqrtf(x)
#define sqrt(x) __builtin_sqrt(x)
#define floorf(x) __builtin_floorf(x)
#define floor(x) __builtin_floor(x)
#define ceilf(x) __builtin_ceilf(x)
#define ceil(x) __builtin_ceil(x)
#define rintf(x) __builtin_rintf(x)
#define rint(x) __builtin_rint(x)
#define truncf(x) __builtin_truncf(x)
#define trunc(x) __builtin_trunc(x)
#else
#include <string.h>
#endif

/* Compilers inline what a loop calls only up to a size; a call that is left keeps the loop from being vectorised. */
#if defined(__GNUC__)
#define OPGEN_INLINE static inline __attribute__((always_inline))
#else
#define OPGEN_INLINE static inline
#endif

/* 16-bit floats in memory. They are computed with as float. */
typedef uint16_t opgen_f16;
typedef uint16_t opgen_bf16;

OPGEN_INLINE uint32_t opgen_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

OPGEN_INLINE float opgen_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

OPGEN_INLINE uint64_t opgen_bits64(double f) {
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

OPGEN_INLINE double opgen_double(uint64_t bits) {
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* All ones, or 0. */
OPGEN_INLINE uint32_t opgen_mask(bool set) { return 0u - (uint32_t)set; }

OPGEN_INLINE float opgen_f32_of_bf16(opgen_bf16 h) { return opgen_float((uint32_t)h << 16); }

/* To nearest, halves to even; all NaNs become one. */
OPGEN_INLINE opgen_bf16 opgen_bf16_of_f32(float f) {
    const uint32_t bits = opgen_bits(f);
    const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (opgen_bf16)(f != f ? 0x7fc0u : rounded);
}

/* The exponent counts from another zero; infinities and NaNs have the greatest in both. Below the normal range: as if
 * the digits stood behind 2^-14, less that. */
OPGEN_INLINE float opgen_f32_of_f16(opgen_f16 h) {
    const int32_t size = (h & 0x7fff) << 13, normal = size + 0x38000000;
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, most = opgen_mask(size > 0x0f7fffff) & 0x7f800000u;
    const float small = opgen_float((uint32_t)normal + 0x00800000u) - 0x1p-14f;
    return opgen_float((size < 0x00800000 ? opgen_bits(small) : (uint32_t)normal) | most | sign);
}

/* To nearest, halves to even; beyond the range infinity; all NaNs of a sign become one. Adding a power of two that is
 * 2^13 times that of f, but at least of the least normal number, leaves as many digits as there are, rounded by the
 * addition itself. 65536 becomes infinity that way. */
OPGEN_INLINE opgen_f16 opgen_f16_of_f32(float f) {
    const int32_t size = (int32_t)(opgen_bits(f) & 0x7fffffffu), less = size < 0x47800000 ? size : 0x47800000;
    const int32_t two = less & 0x7f800000, power = two > 0x38800000 ? two : 0x38800000;
    const float sum = opgen_float((uint32_t)less) + opgen_float((uint32_t)power + (13u << 23));
    const uint32_t digits = opgen_bits(sum) - (uint32_t)power + ((uint32_t)power >> 13);
    const uint32_t nan = opgen_mask(size > 0x7f800000) & 0x200u;
    return (opgen_f16)((digits - (0x06800000u + 0x1c400u)) | nan | (opgen_bits(f) >> 16 & 0x8000u));
}

/* The size of a float as an integer: of a greater one it is greater, and of what is not a number greater than of
 * infinity. -1 is less than all, and what nothing is the greatest of. */
OPGEN_INLINE int16_t opgen_size_f16(opgen_f16 h) { return (int16_t)(h & 0x7fff); }
OPGEN_INLINE int16_t opgen_size_bf16(opgen_bf16 h) { return (int16_t)(h & 0x7fff); }
OPGEN_INLINE int32_t opgen_size_f32(float f) { return (int32_t)(opgen_bits(f) & 0x7fffffffu); }
OPGEN_INLINE int64_t opgen_size_f64(double f) { return (int64_t)(opgen_bits64(f) & 0x7fffffffffffffffu); }
OPGEN_INLINE float opgen_of_size_f16(int16_t size) {
    return size < 0 ? -INFINITY : opgen_f32_of_f16((opgen_f16)size);
}
OPGEN_INLINE float opgen_of_size_bf16(int16_t size) {
    return size < 0 ? -INFINITY : opgen_f32_of_bf16((opgen_bf16)size);
}
OPGEN_INLINE float opgen_of_size_f32(int32_t size) { return size < 0 ? -INFINITY : opgen_float((uint32_t)size); }
OPGEN_INLINE double opgen_of_size_f64(int64_t size) { return size < 0 ? -INFINITY : opgen_double((uint64_t)size); }

/* Numbers in the order of 16-bit floats, for what the greatest (max) or the least (min) is asked of: what is not a number is the
 * last, or the first, of them. As integers they stand at both ends, by their signs; all are stepped so far that those of one end
 * come to the other.
 *
 * Ranks: -0 is 0, and what is not a number one. */
OPGEN_INLINE int16_t opgen_stepped_16(int order, int step) { return (int16_t)(uint16_t)(order + step); }
OPGEN_INLINE int16_t opgen_rank_16(uint16_t h) {
    const int16_t sign = (int16_t)((int16_t)h >> 15);
    return (int16_t)(((h & 0x7fff) ^ sign) - sign);
}
#define OPGEN_RANK(type, inf)                                                                                          \
    OPGEN_INLINE int16_t opgen_rank_##type##_max(opgen_##type h) {                                                     \
        const int16_t rank = opgen_stepped_16(opgen_rank_16(h), inf - 0x8000), none = 2 * inf - 0x7fff;                \
        return rank < none ? rank : none;                                                                              \
    }                                                                                                                  \
    OPGEN_INLINE int16_t opgen_rank_##type##_min(opgen_##type h) {                                                     \
        const int16_t rank = opgen_stepped_16(opgen_rank_16(h), 0x7fff - inf), none = 0x7ffe - 2 * inf;                \
        return rank > none ? rank : none;                                                                              \
    }
OPGEN_RANK(f16, 0x7c00)
OPGEN_RANK(bf16, 0x7f80)
#undef OPGEN_RANK

/* Orders: -0 is before 0, and there is a way back. */
OPGEN_INLINE int16_t opgen_order_16(uint16_t h) { return (int16_t)(h ^ ((int16_t)h >> 15 & 0x7fff)); }
#define OPGEN_ORDER(type, inf)                                                                                         \
    OPGEN_INLINE int16_t opgen_order_##type##_max(opgen_##type h) {                                                    \
        return opgen_stepped_16(opgen_order_16(h), inf - 0x7fff);                                                      \
    }                                                                                                                  \
    OPGEN_INLINE int16_t opgen_order_##type##_min(opgen_##type h) {                                                    \
        return opgen_stepped_16(opgen_order_16(h), 0x7fff - inf);                                                      \
    }                                                                                                                  \
    OPGEN_INLINE opgen_##type opgen_of_order_##type##_max(int16_t order) {                                             \
        const int16_t h = opgen_order_16((uint16_t)opgen_stepped_16(order, 0x7fff - inf));                             \
        return (opgen_##type)(order > 2 * inf - 0x7fff ? 0x7fff : h);                                                  \
    }                                                                                                                  \
    OPGEN_INLINE opgen_##type opgen_of_order_##type##_min(int16_t order) {                                             \
        const int16_t h = opgen_order_16((uint16_t)opgen_stepped_16(order, inf - 0x7fff));                             \
        return (opgen_##type)(order < 0x7ffe - 2 * inf ? 0x7fff : h);                                                  \
    }
OPGEN_ORDER(f16, 0x7c00)
OPGEN_ORDER(bf16, 0x7f80)
#undef OPGEN_ORDER

/* 0 where such a float is. */
OPGEN_INLINE int16_t opgen_unsigned_16(uint16_t h) { return (int16_t)(h & 0x7fff); }

/* ---- integers. T: the type; U: an unsigned type at least as wide as int, to compute in. */

#define OPGEN_INT(name, T, U)                                                                                          \
    OPGEN_INLINE T opgen_add_##name(T a, T b) { return (T)((U)a + (U)b); }                                             \
    OPGEN_INLINE T opgen_sub_##name(T a, T b) { return (T)((U)a - (U)b); }                                             \
    OPGEN_INLINE T opgen_mul_##name(T a, T b) { return (T)((U)a * (U)b); }                                             \
    OPGEN_INLINE T opgen_neg_##name(T a) { return (T)((U)0 - (U)a); }                                                  \
    OPGEN_INLINE T opgen_min_##name(T a, T b) { return a < b ? a : b; }                                                \
    OPGEN_INLINE T opgen_max_##name(T a, T b) { return a > b ? a : b; }

/* a / b, towards zero, of what has up to 32 bits and is not the least divided by -1: by way of floats that hold both, so that the
 * quotient is not rounded up to a whole number that it is not, and of which processors divide many at once. What is known while compiling
 * has shorter ways. */
#if defined(OPGEN_FREESTANDING) || !defined(__GNUC__)
#define OPGEN_DIVIDED_NARROW(T, a, b) ((T)((a) / (b)))
#define OPGEN_DIVIDED_INT(T, a, b) ((T)((a) / (b)))
#define OPGEN_DIVIDED_UNSIGNED(T, a, b) ((T)((a) / (b)))
#else
#define OPGEN_DIVIDED_NARROW(T, a, b)                                                                                  \
    ((T)(__builtin_constant_p(b) ? (int32_t)((a) / (b)) : (int32_t)((float)(a) / (float)(b))))
#define OPGEN_DIVIDED_INT(T, a, b) (__builtin_constant_p(b) ? (T)((a) / (b)) : (T)((double)(a) / (double)(b)))
#define OPGEN_DIVIDED_UNSIGNED(T, a, b)                                                                                \
    (__builtin_constant_p(b) ? (T)((a) / (b)) : (T)opgen_whole_u32((double)(a) / (double)(b)))
#endif
#define OPGEN_DIVIDED_WIDE(T, a, b) ((T)((a) / (b)))
/* There are no instructions for it but on x86-64-v4. */
OPGEN_INLINE uint32_t opgen_whole_u32(double a) {
    const bool high = a >= 2147483648.0;
    return (uint32_t)(int32_t)(high ? a - 2147483648.0 : a) + (high ? 0x80000000u : 0);
}

/* a to the power e, of the low bits alone. */
#if defined(OPGEN_FREESTANDING) || !defined(__GNUC__)
#define OPGEN_POWER(BITS)                                                                                              \
    OPGEN_INLINE uint##BITS##_t opgen_power_u##BITS(uint##BITS##_t a, uint##BITS##_t e) {                               \
        uint64_t power = 1, base = a;                                                                                  \
        for (; e != 0; e = (uint##BITS##_t)(e >> 1)) {                                                                 \
            power *= e & 1 ? base : 1;                                                                                 \
            base *= base;                                                                                              \
        }                                                                                                              \
        return (uint##BITS##_t)power;                                                                                  \
    }
OPGEN_POWER(8)
OPGEN_POWER(16)
OPGEN_POWER(32)
OPGEN_POWER(64)
#undef OPGEN_POWER
#else
/* In as many steps whatever e is, so that many go at once. With e = low + m 2^k, a to the power `low` takes k steps. Of an odd a, a^(2^k) is
 * 1 + u with u a multiple of 2^(k + 2), and so is (1 + u)^m = 1 + m u (1 + (m - 1) u/2 (1 + (m - 2) u/3 (...))) with few terms: those behind
 * are multiples of 2^BITS. Thirds are products with what is the inverse of 3 modulo 2^BITS; u has the twos to be halved. Of an even a there is
 * nothing left from the power of BITS on, and before that m is 0, or 1 where one term is taken, which is exact then. */
OPGEN_INLINE uint64_t opgen_power_u64(uint64_t a, uint64_t e) {
    uint64_t p = e & 1 ? a : 1, s = a * a;
    for (int k = 1; k < 6; k++) {
        p *= e >> k & 1 ? s : 1;
        s *= s;
    }
    const uint64_t m = e >> 6, u = s - 1, half = u >> 1;
    uint64_t r = 1 + (m - 6) * 0x6db6db6db6db6db7u * u; /* u / 7 */
    r = 1 + (m - 5) * 0xaaaaaaaaaaaaaaabu * half * r;
    r = 1 + (m - 4) * 0xcccccccccccccccdu * u * r; /* u / 5 */
    r = 1 + (m - 3) * (u >> 2) * r;
    r = 1 + (m - 2) * 0xaaaaaaaaaaaaaaabu * u * r; /* u / 3 */
    r = 1 + (m - 1) * half * r;
    r = 1 + m * u * r;
    return p * r & ((0 - (a & 1)) | (m == 0 ? ~(uint64_t)0 : 0));
}
OPGEN_INLINE uint32_t opgen_power_u32(uint32_t a, uint32_t e) {
    uint32_t p = e & 1 ? a : 1, s = a * a;
    for (int k = 1; k < 5; k++) {
        p *= e >> k & 1 ? s : 1;
        s *= s;
    }
    const uint32_t m = e >> 5, u = s - 1;
    uint32_t r = 1 + (m - 3) * (u >> 2);
    r = 1 + (m - 2) * 0xaaaaaaabu * u * r; /* u / 3 */
    r = 1 + (m - 1) * (u >> 1) * r;
    r = 1 + m * u * r;
    return p * r & ((0 - (a & 1)) | (m == 0 ? ~(uint32_t)0 : 0));
}
OPGEN_INLINE uint16_t opgen_power_u16(uint16_t a, uint16_t e) {
    uint16_t p = e & 1 ? a : 1, s = (uint16_t)((uint32_t)a * a);
    for (int k = 1; k < 4; k++) {
        p = (uint16_t)((uint32_t)p * (e >> k & 1 ? s : 1u));
        s = (uint16_t)((uint32_t)s * s);
    }
    const uint16_t m = (uint16_t)(e >> 4), u = (uint16_t)(s - 1);
    const uint16_t more = (uint16_t)((uint32_t)(uint16_t)(m - 1) * (uint32_t)(u >> 1));
    const uint16_t all = (uint16_t)((uint32_t)m * u), r = (uint16_t)(1u + (uint32_t)all * (uint16_t)(1u + more));
    const uint16_t odd = (uint16_t)(0 - (a & 1)), low = m == 0 ? 0xffff : 0;
    return (uint16_t)((uint32_t)p * r & (odd | low));
}
/* Two steps, and one term; in the high half of 16 bits, for bytes have no products. */
OPGEN_INLINE uint8_t opgen_power_u8(uint8_t byte, uint8_t e) {
    const uint16_t a = byte, n = e, s = (uint16_t)(a * a), u = (uint16_t)((uint32_t)s * s - 1);
    const uint16_t by_1 = (uint16_t)(0 - (n & 1)), by_2 = (uint16_t)(0 - (n >> 1 & 1));
    const uint16_t first = (uint16_t)((((a - 1) & by_1) + 1) << 8), second = (uint16_t)(((s - 1) & by_2) + 1);
    const uint16_t p = (uint16_t)((uint32_t)first * second), r = (uint16_t)(1 + (uint16_t)((uint32_t)(n >> 2) * u));
    const uint16_t odd = (uint16_t)(0 - (a & 1)), low = n < 8 ? 0xffff : 0;
    return (uint8_t)(((uint32_t)p * r & (odd | low)) >> 8);
}
#endif

/* Quotients: by 0 they are 0, and the least integer by -1 is itself, as it is negated. Rounded down, as Python does, or
 * towards zero (fmod). Powers: to a negative power 1 and -1 are what they are, all others 0, 0 included. Shifts by less
 * than 0 or by the width and more shift everything out; to the right the sign stays. */
#define OPGEN_SIGNED(name, T, U, BITS)                                                                                 \
    OPGEN_INT(name, T, U)                                                                                              \
    OPGEN_INLINE T opgen_abs_##name(T a) { return a < 0 ? (T)((U)0 - (U)a) : a; }                                      \
    OPGEN_INLINE T opgen_sign_##name(T a) { return (T)((a > 0) - (a < 0)); }                                           \
    OPGEN_INLINE T opgen_pow_##name(T a, T b) {                                                                        \
        /* Those of 1 and -1 go by whether b is odd alone. */                                                          \
        const T one = (T)(a == 1 ? -1 : 0), minus_one = (T)(a == -1 ? -1 : 0), some = (T)(b >= 0 ? -1 : 0);            \
        return (T)(opgen_power_u##BITS((uint##BITS##_t)a, (uint##BITS##_t)b) & (uint##BITS##_t)(one | minus_one | some));           \
    }

#define OPGEN_UNSIGNED(name, T, U, BITS)                                                                               \
    OPGEN_INT(name, T, U)                                                                                              \
    OPGEN_INLINE T opgen_sign_##name(T a) { return (T)(a > 0); }                                                       \
    OPGEN_INLINE T opgen_pow_##name(T a, T b) { return opgen_power_u##BITS(a, b); }

#define OPGEN_SHIFTS_OF_SIGNED(name, T, U, BITS)                                                                       \
    OPGEN_INLINE T opgen_shl_##name(T a, T b) {                                                                        \
        const bool out = b < 0 || b >= BITS;                                                                           \
        return (T)(out ? (U)0 : (U)a << (b & (BITS - 1)));                                                             \
    }                                                                                                                  \
    OPGEN_INLINE T opgen_shr_##name(T a, T b) {                                                                        \
        const bool out = b < 0 || b >= BITS;                                                                           \
        return (T)(a >> (out ? BITS - 1 : b & (BITS - 1)));                                                            \
    }

#define OPGEN_SHIFTS(name, T, U, BITS)                                                                                 \
    OPGEN_INLINE T opgen_shl_##name(T a, T b) { return (T)(b >= BITS ? (U)0 : (U)a << (b & (BITS - 1))); }             \
    OPGEN_INLINE T opgen_shr_##name(T a, T b) { return (T)(b >= BITS ? (U)0 : (U)a >> (b & (BITS - 1))); }

/* Of 8 and 16 bits, which few processors shift each by its own amount: by 1, 2, 4 and 8 in turn, each or not. What is negative is shifted
 * with its bits turned, so that zeros come in. */
#define OPGEN_SHIFTS_BY_STEPS(name, T, UT, BITS, TURN)                                                                 \
    OPGEN_INLINE T opgen_shl_##name(T a, T b) {                                                                        \
        if (__builtin_constant_p(b)) return opgen_shl_known_##name(a, b);                                              \
        UT r = (UT)(b & 1 ? (UT)a << 1 : (UT)a);                                                                       \
        r = (UT)(b & 2 ? r << 2 : r);                                                                                  \
        r = (UT)(b & 4 ? r << 4 : r);                                                                                  \
        if (BITS == 16) r = (UT)(b & 8 ? r << 8 : r);                                                                  \
        return (T)(r & ((UT)b < BITS ? (UT)-1 : 0));                                                                   \
    }                                                                                                                  \
    OPGEN_INLINE T opgen_shr_##name(T a, T b) {                                                                        \
        if (__builtin_constant_p(b)) return opgen_shr_known_##name(a, b);                                              \
        const UT turn = (UT)(TURN), by_1 = (UT)(0 - (b & 1)), by_2 = (UT)(0 - (b >> 1 & 1)), by_4 = (UT)(0 - (b >> 2 & 1)); \
        UT r = (UT)((UT)a ^ turn);                                                                                     \
        r = (UT)((r & ~by_1) | (UT)(r >> 1 & by_1));                                                                   \
        r = (UT)((r & ~by_2) | (UT)(r >> 2 & by_2));                                                                   \
        r = (UT)((r & ~by_4) | (UT)(r >> 4 & by_4));                                                                   \
        const UT by_8 = (UT)(0 - (b >> 3 & 1));                                                                        \
        if (BITS == 16) r = (UT)((r & ~by_8) | (UT)(r >> (BITS / 2) & by_8));                                          \
        return (T)((r & ((UT)b < BITS ? (UT)-1 : 0)) ^ turn);                                                          \
    }

#define OPGEN_SIGNED_QUOTIENTS(name, T, U, DIV)                                                                        \
    OPGEN_INLINE T opgen_floordiv_##name(T a, T b) {                                                                   \
        const T d = (T)(b == 0 || b == -1 ? 1 : b), q = DIV(T, a, d), r = (T)((U)a - (U)q * (U)d);                                    \
        const T down = (T)(q - (r != 0 && (r < 0) != (d < 0) ? 1 : 0));                                                \
        return (T)(b == 0 ? 0 : b == -1 ? (T)((U)0 - (U)a) : down);                                                    \
    }                                                                                                                  \
    OPGEN_INLINE T opgen_fmod_##name(T a, T b) {                                                                       \
        const T d = (T)(b == 0 || b == -1 ? 1 : b);                                                                    \
        return (T)((U)a - (U)DIV(T, a, d) * (U)d);                                                                     \
    }                                                                                                                  \
    OPGEN_INLINE T opgen_mod_##name(T a, T b) {                                                                        \
        const T r = opgen_fmod_##name(a, b);                                                                           \
        return (T)(r != 0 && (r < 0) != (b < 0) ? r + b : r);                                                          \
    }

#define OPGEN_UNSIGNED_QUOTIENTS(name, T, U, DIV)                                                                      \
    OPGEN_INLINE T opgen_floordiv_##name(T a, T b) {                                                                   \
        const T d = (T)(b == 0 ? 1 : b);                                                                               \
        return (T)(b == 0 ? (T)0 : DIV(T, a, d));                                                                      \
    }                                                                                                                  \
    OPGEN_INLINE T opgen_mod_##name(T a, T b) {                                                                        \
        const T d = (T)(b == 0 ? 1 : b);                                                                               \
        return (T)((U)a - (U)DIV(T, a, d) * (U)d);                                                                     \
    }                                                                                                                  \
    OPGEN_INLINE T opgen_fmod_##name(T a, T b) { return opgen_mod_##name(a, b); }

OPGEN_SIGNED(i8, int8_t, uint32_t, 8)
OPGEN_SIGNED(i16, int16_t, uint32_t, 16)
OPGEN_SIGNED(i32, int32_t, uint32_t, 32)
OPGEN_SIGNED(i64, int64_t, uint64_t, 64)
OPGEN_UNSIGNED(u8, uint8_t, uint32_t, 8)
OPGEN_UNSIGNED(u16, uint16_t, uint32_t, 16)
OPGEN_UNSIGNED(u32, uint32_t, uint32_t, 32)
OPGEN_UNSIGNED(u64, uint64_t, uint64_t, 64)

OPGEN_SHIFTS_OF_SIGNED(i32, int32_t, uint32_t, 32)
OPGEN_SHIFTS_OF_SIGNED(i64, int64_t, uint64_t, 64)
OPGEN_SHIFTS(u32, uint32_t, uint32_t, 32)
OPGEN_SHIFTS(u64, uint64_t, uint64_t, 64)
#if defined(OPGEN_FREESTANDING) || !defined(__GNUC__)
OPGEN_SHIFTS_OF_SIGNED(i8, int8_t, uint32_t, 8)
OPGEN_SHIFTS_OF_SIGNED(i16, int16_t, uint32_t, 16)
OPGEN_SHIFTS(u8, uint8_t, uint32_t, 8)
OPGEN_SHIFTS(u16, uint16_t, uint32_t, 16)
#else
OPGEN_SHIFTS_OF_SIGNED(known_i8, int8_t, uint32_t, 8)
OPGEN_SHIFTS_OF_SIGNED(known_i16, int16_t, uint32_t, 16)
OPGEN_SHIFTS(known_u8, uint8_t, uint32_t, 8)
OPGEN_SHIFTS(known_u16, uint16_t, uint32_t, 16)
OPGEN_SHIFTS_BY_STEPS(i8, int8_t, uint8_t, 8, a < 0 ? -1 : 0)
OPGEN_SHIFTS_BY_STEPS(i16, int16_t, uint16_t, 16, a < 0 ? -1 : 0)
OPGEN_SHIFTS_BY_STEPS(u8, uint8_t, uint8_t, 8, 0)
OPGEN_SHIFTS_BY_STEPS(u16, uint16_t, uint16_t, 16, 0)
#endif

OPGEN_SIGNED_QUOTIENTS(i16, int16_t, uint32_t, OPGEN_DIVIDED_NARROW)
OPGEN_SIGNED_QUOTIENTS(i32, int32_t, uint32_t, OPGEN_DIVIDED_INT)
OPGEN_SIGNED_QUOTIENTS(i64, int64_t, uint64_t, OPGEN_DIVIDED_WIDE)
OPGEN_SIGNED_QUOTIENTS(known_i64, int64_t, uint64_t, OPGEN_DIVIDED_WIDE) /* by what is known while compiling */
OPGEN_UNSIGNED_QUOTIENTS(u8, uint8_t, uint32_t, OPGEN_DIVIDED_NARROW)
OPGEN_UNSIGNED_QUOTIENTS(u16, uint16_t, uint32_t, OPGEN_DIVIDED_NARROW)
OPGEN_UNSIGNED_QUOTIENTS(u32, uint32_t, uint32_t, OPGEN_DIVIDED_UNSIGNED)
OPGEN_UNSIGNED_QUOTIENTS(u64, uint64_t, uint64_t, OPGEN_DIVIDED_WIDE)

/* Of signed bytes a quotient that is no whole number is 1 / 128 or more from one, so that what is added to it rounds it down, and is a
 * whole number of bytes, which leaves nothing of it: there are no remainders and signs to ask for. */
#if defined(OPGEN_FREESTANDING) || !defined(__GNUC__)
OPGEN_SIGNED_QUOTIENTS(i8, int8_t, uint32_t, OPGEN_DIVIDED_NARROW)
#else
OPGEN_SIGNED_QUOTIENTS(known_i8, int8_t, uint32_t, OPGEN_DIVIDED_NARROW)
#define OPGEN_QUOTIENT_OF_BYTES(name, more, result)                                                                    \
    OPGEN_INLINE int8_t opgen_##name##_i8(int8_t a, int8_t b) {                                                        \
        if (__builtin_constant_p(b)) return opgen_##name##_known_i8(a, b);                                             \
        const float d = (float)(b == 0 ? 1 : b);                                                                       \
        const int8_t q = (int8_t)(int32_t)((float)a / d more);                                                         \
        return (int8_t)(b == 0 ? 0 : result);                                                                          \
    }
OPGEN_QUOTIENT_OF_BYTES(floordiv, +256.0f, q)
OPGEN_QUOTIENT_OF_BYTES(mod, +256.0f, (int8_t)(a - q * b))
OPGEN_QUOTIENT_OF_BYTES(fmod, , (int8_t)(a - q * b))
#undef OPGEN_QUOTIENT_OF_BYTES
#endif

#undef OPGEN_INT
#undef OPGEN_SIGNED
#undef OPGEN_UNSIGNED
#undef OPGEN_SHIFTS_OF_SIGNED
#undef OPGEN_SHIFTS
#undef OPGEN_SHIFTS_BY_STEPS
#undef OPGEN_SIGNED_QUOTIENTS
#undef OPGEN_UNSIGNED_QUOTIENTS
#undef OPGEN_DIVIDED_NARROW
#undef OPGEN_DIVIDED_INT
#undef OPGEN_DIVIDED_UNSIGNED
#undef OPGEN_DIVIDED_WIDE

/* Of sizes and positions. */
OPGEN_INLINE int64_t opgen_floordiv(int64_t a, int64_t b) { return opgen_floordiv_i64(a, b); }
OPGEN_INLINE int64_t opgen_mod(int64_t a, int64_t b) { return opgen_mod_i64(a, b); }
OPGEN_INLINE int64_t opgen_min(int64_t a, int64_t b) { return a < b ? a : b; }
OPGEN_INLINE int64_t opgen_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- floats. f: the suffix of the C library's functions. */

/* a modulo b, exactly: from a are taken away the multiples of b * 2^232, then of b * 2^203 and so on down to b, as many
 * as go in by half: a is less than 2^278 times any b. Quotients have no more bits than keeps their products with b
 * exact; the first may have many, but only where b is subnormal and has few. */
OPGEN_INLINE float opgen_fmod_f32(float x, float y) {
    const double a = fabs((double)x), b = fabs((double)y), inverse = 1 / b;
    double r = a;
#define OPGEN_LESS(k) r -= ((r * (inverse * (1 / k)) + 0x1.8p52) - 0x1.8p52) * (b * k)
    OPGEN_LESS(0x1p232);
    OPGEN_LESS(0x1p203);
    OPGEN_LESS(0x1p174);
    OPGEN_LESS(0x1p145);
    OPGEN_LESS(0x1p116);
    OPGEN_LESS(0x1p87);
    OPGEN_LESS(0x1p58);
    OPGEN_LESS(0x1p29);
    OPGEN_LESS(1.0);
#undef OPGEN_LESS
    const float least = (float)copysign(r < 0 ? r + b : r, x);
    return a < INFINITY && b > 0 ? b < INFINITY ? least : x : NAN;
}

/* The same where |x| is less than 2^28 |y| and y is finite: one step, since the quotient has no more bits than keeps its product
 * with y exact. */
OPGEN_INLINE bool opgen_fmod_is_near(float x, float y) { return (fabsf(y) < INFINITY) & (fabsf(x) < fabsf(y) * 0x1p28f); }
OPGEN_INLINE float opgen_fmod_near_f32(float x, float y) {
    const double a = fabs((double)x), b = fabs((double)y), r = a - ((a / b + 0x1.8p52) - 0x1.8p52) * b;
    return (float)copysign(r < 0 ? r + b : r, x);
}

/* Of what fmod leaves of a: the remainder with the sign of b, and the quotient that goes with it, rounded down. Masks, for
 * compilers write every way through conditions that depend on each other. */
OPGEN_INLINE uint32_t opgen_turns(float r, float b) {
    return opgen_mask(r != 0) & (0u - ((opgen_bits(r) ^ opgen_bits(b)) >> 31));
}
OPGEN_INLINE float opgen_mod_left(float r, float b) {
    const uint32_t turn = opgen_turns(r, b);
    return opgen_float((opgen_bits(r + b) & turn) | (opgen_bits(r) & ~turn));
}
OPGEN_INLINE float opgen_floordiv_left(float r, float a, float b) {
    const double exact = ((double)a - (double)r) / (double)b, size = fabs(exact);
    const double whole = size < 0x1p52 ? (size + 0x1p52) - 0x1p52 : size, less = opgen_turns(r, b) != 0 ? 1 : 0;
    /* The division's sign is that of zero. */
    const float down = (float)(copysign(whole, exact) - less);
    const uint32_t sign = (opgen_bits(a) ^ opgen_bits(b)) & 0x80000000u, zero = opgen_mask(down == 0);
    const uint32_t whole_bits = (sign & zero) | (opgen_bits(down) & ~zero), none = opgen_mask(b == 0);
    return opgen_float((opgen_bits(a / b) & none) | (whole_bits & ~none));
}
OPGEN_INLINE float opgen_mod_f32(float a, float b) { return opgen_mod_left(opgen_fmod_f32(a, b), b); }
OPGEN_INLINE float opgen_floordiv_f32(float a, float b) { return opgen_floordiv_left(opgen_fmod_f32(a, b), a, b); }

OPGEN_INLINE double opgen_fmod_f64(double a, double b) { return fmod(a, b); }
OPGEN_INLINE double opgen_mod_f64(double a, double b) {
    const double r = opgen_fmod_f64(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
/* It is a whole number even where the division rounds up to one. */
OPGEN_INLINE double opgen_floordiv_f64(double a, double b) {
    const double r = opgen_fmod_f64(a, b), exact = (a - r) / b;
    const double q = r != 0 && (r < 0) != (b < 0) ? exact - 1 : exact;
    const double down = floor(q), near = q - down > 0.5 ? down + 1 : down;
    return b == 0 ? a / b : q == 0 ? copysign(0, a / b) : near;
}

/* OPGEN_BY_BITS: what is chosen by whether something is a number is chosen bit by bit. From 13 on gcc makes jumps of ?: where a tree of maxima asks
 * it again and again, and no vectors of jumps: a maximum over columns took thirteen times as long. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 13 && !defined(OPGEN_FREESTANDING) && !defined(OPGEN_BY_BITS)
#define OPGEN_BY_BITS
#endif
#if defined(OPGEN_BY_BITS)
#define OPGEN_ONE_OF(name, T, U, bits_of, of_bits)                                                                     \
    OPGEN_INLINE T opgen_one_of_##name(bool first, T a, T b) {                                                         \
        const U mask = (U)0 - (U)first;                                                                                \
        return of_bits((bits_of(a) & mask) | (bits_of(b) & ~mask));                                                    \
    }
#else
#define OPGEN_ONE_OF(name, T, U, bits_of, of_bits)                                                                     \
    OPGEN_INLINE T opgen_one_of_##name(bool first, T a, T b) { return first ? a : b; }
#endif
OPGEN_ONE_OF(f32, float, uint32_t, opgen_bits, opgen_float)
OPGEN_ONE_OF(f64, double, uint64_t, opgen_bits64, opgen_double)
#undef OPGEN_ONE_OF

/* Minimum and maximum are NaN if either is; fmin and fmax only if both are. The sign of NaN is 0. */
#define OPGEN_FLOAT(name, T, f)                                                                                        \
    OPGEN_INLINE bool opgen_isnan_##name(T a) { return a != a; }                                                       \
    OPGEN_INLINE bool opgen_isinf_##name(T a) { return fabs##f(a) == (T)INFINITY; }                                    \
    OPGEN_INLINE bool opgen_isfinite_##name(T a) { return fabs##f(a) < (T)INFINITY; }                                  \
    OPGEN_INLINE T opgen_min_##name(T a, T b) {                                                                        \
        const T least = a < b ? a : b;                                                                                 \
        return opgen_one_of_##name(a != a, a, least);                                                                  \
    }                                                                                                                  \
    OPGEN_INLINE T opgen_max_##name(T a, T b) {                                                                        \
        const T most = a > b ? a : b;                                                                                  \
        return opgen_one_of_##name(a != a, a, most);                                                                   \
    }                                                                                                                  \
    OPGEN_INLINE T opgen_fmin_##name(T a, T b) {                                                                       \
        const T least = b < a ? b : a;                                                                                 \
        return opgen_one_of_##name(a != a, b, least);                                                                  \
    }                                                                                                                  \
    OPGEN_INLINE T opgen_fmax_##name(T a, T b) {                                                                       \
        const T most = b > a ? b : a;                                                                                  \
        return opgen_one_of_##name(a != a, b, most);                                                                   \
    }                                                                                                                  \
    OPGEN_INLINE T opgen_sign_##name(T a) { return (T)((a > 0) - (a < 0)); }

OPGEN_FLOAT(f32, float, f)
OPGEN_FLOAT(f64, double, )

#undef OPGEN_FLOAT

/* To integers: towards zero. What i64 holds wraps around in narrower types; what it does not hold, and NaN, is the
 * least i64, and so 0 in narrower types but i32, where everything outside of i32 is the least i32: as x86 does it.
 * u64 has in addition what lies between. */
#define OPGEN_OF_FLOAT(name, T, f)                                                                                     \
    OPGEN_INLINE int32_t opgen_i32_of_##name(T a) {                                                                    \
        const bool in = fabs##f(a) < (T)2147483648.0;                                                                  \
        return in ? (int32_t)(in ? a : 0) : INT32_MIN;                                                                 \
    }                                                                                                                  \
    OPGEN_INLINE int64_t opgen_i64_of_##name(T a) {                                                                    \
        const bool in = fabs##f(a) < (T)9223372036854775808.0;                                                         \
        return in ? (int64_t)(in ? a : 0) : INT64_MIN;                                                                 \
    }                                                                                                                  \
    OPGEN_INLINE uint64_t opgen_u64_of_##name(T a) {                                                                   \
        const bool high = a >= (T)9223372036854775808.0 && a < (T)18446744073709551616.0;                              \
        const uint64_t low = (uint64_t)opgen_i64_of_##name(high ? a - (T)9223372036854775808.0 : a);                   \
        return high ? low + ((uint64_t)1 << 63) : low;                                                                 \
    }                                                                                                                  \
    /* The least i32 is 0 in what has fewer bits. */                                                                   \
    OPGEN_INLINE int32_t opgen_lower_of_##name(T a) {                                                                  \
        const T in = fabs##f(a) < (T)2147483648.0 ? a : 0;                                                             \
        return (int32_t)in;                                                                                            \
    }                                                                                                                  \
    OPGEN_INLINE uint32_t opgen_u32_of_##name(T a) { return (uint32_t)opgen_i64_of_##name(a); }                        \
    OPGEN_INLINE int16_t opgen_i16_of_##name(T a) { return (int16_t)opgen_lower_of_##name(a); }                        \
    OPGEN_INLINE uint16_t opgen_u16_of_##name(T a) { return (uint16_t)opgen_lower_of_##name(a); }                      \
    OPGEN_INLINE int8_t opgen_i8_of_##name(T a) { return (int8_t)opgen_lower_of_##name(a); }                           \
    OPGEN_INLINE uint8_t opgen_u8_of_##name(T a) { return (uint8_t)opgen_lower_of_##name(a); }

OPGEN_OF_FLOAT(f32, float, f)
OPGEN_OF_FLOAT(f64, double, )

#undef OPGEN_OF_FLOAT

#endif

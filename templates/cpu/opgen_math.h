/* opgen_math.h: what generated code computes with beyond C's own operators and <math.h>. C11 and C++17, no library.
 *
 * Everything is defined for every operand: integers wrap around, division by zero gives 0, and shifts and conversions
 * out of range give what is said at each. No operation has undefined behaviour. Functions are written without branches,
 * except where C has only a loop, so that compilers vectorise loops that call them.
 */
#ifndef OPGEN_MATH_H
#define OPGEN_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* 16-bit floats in memory. They are computed with as float. */
typedef uint16_t opgen_f16;
typedef uint16_t opgen_bf16;

static inline uint32_t opgen_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline float opgen_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline float opgen_f32_of_bf16(opgen_bf16 h) { return opgen_float((uint32_t)h << 16); }

/* To nearest, halves to even; all NaNs become one. */
static inline opgen_bf16 opgen_bf16_of_f32(float f) {
    const uint32_t bits = opgen_bits(f);
    const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (opgen_bf16)(f != f ? 0x7fc0u : rounded);
}

static inline float opgen_f32_of_f16(opgen_f16 h) {
    const uint32_t size = (uint32_t)(h & 0x7fffu) << 13;
    const uint32_t exponent = size & 0x0f800000u;
    /* The exponent counts from another zero; infinities and NaNs have the greatest in both. */
    const uint32_t normal = size + (exponent == 0x0f800000u ? 0x70000000u : 0x38000000u);
    /* Below the normal range: as if the digits stood behind 2^-14, less that. */
    const uint32_t small = opgen_bits(opgen_float(size + 0x38800000u) - opgen_float(0x38800000u));
    return opgen_float((exponent == 0u ? small : normal) | (uint32_t)(h & 0x8000u) << 16);
}

/* To nearest, halves to even; beyond the range infinity; all NaNs of a sign become one. */
static inline opgen_f16 opgen_f16_of_f32(float f) {
    const uint32_t bits = opgen_bits(f), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    const uint32_t normal = (size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13;
    /* Adding 0.5 puts the digits where those of a subnormal stand, rounded by the addition itself. */
    const uint32_t small = opgen_bits(opgen_float(size < 0x38800000u ? size : 0u) + 0.5f) - 0x3f000000u;
    const uint32_t large = size > 0x7f800000u ? 0x7e00u : 0x7c00u;
    const uint32_t finite = size < 0x38800000u ? small : normal;
    return (opgen_f16)(sign | (size >= 0x47800000u ? large : finite));
}

/* ---- integers. T: the type; U: an unsigned type at least as wide as int, to compute in. */

#define OPGEN_INT(name, T, U)                                                                                          \
    static inline T opgen_add_##name(T a, T b) { return (T)((U)a + (U)b); }                                            \
    static inline T opgen_sub_##name(T a, T b) { return (T)((U)a - (U)b); }                                            \
    static inline T opgen_mul_##name(T a, T b) { return (T)((U)a * (U)b); }                                            \
    static inline T opgen_neg_##name(T a) { return (T)((U)0 - (U)a); }                                                 \
    static inline T opgen_min_##name(T a, T b) { return a < b ? a : b; }                                               \
    static inline T opgen_max_##name(T a, T b) { return a > b ? a : b; }

/* Quotients: by 0 they are 0, and the least integer by -1 is itself, as it is negated. Rounded down, as Python does, or
 * towards zero (fmod). Powers: to a negative power 1 and -1 are what they are, all others 0, 0 included. Shifts by less
 * than 0 or by the width and more shift everything out; to the right the sign stays. */
#define OPGEN_SIGNED(name, T, U, BITS)                                                                                 \
    OPGEN_INT(name, T, U)                                                                                              \
    static inline T opgen_abs_##name(T a) { return a < 0 ? (T)((U)0 - (U)a) : a; }                                     \
    static inline T opgen_sign_##name(T a) { return (T)((a > 0) - (a < 0)); }                                          \
    static inline T opgen_floordiv_##name(T a, T b) {                                                                  \
        const T d = (T)(b == 0 || b == -1 ? 1 : b), q = (T)(a / d), r = (T)(a % d);                                    \
        const T down = (T)(q - (r != 0 && (r < 0) != (d < 0) ? 1 : 0));                                                \
        return (T)(b == 0 ? 0 : b == -1 ? (T)((U)0 - (U)a) : down);                                                    \
    }                                                                                                                  \
    static inline T opgen_mod_##name(T a, T b) {                                                                       \
        const T d = (T)(b == 0 || b == -1 ? 1 : b), r = (T)(a % d);                                                    \
        return (T)(r != 0 && (r < 0) != (d < 0) ? r + d : r);                                                          \
    }                                                                                                                  \
    static inline T opgen_fmod_##name(T a, T b) { return (T)(a % (T)(b == 0 || b == -1 ? 1 : b)); }                    \
    static inline T opgen_pow_##name(T a, T b) {                                                                       \
        U power = 1, base = (U)a;                                                                                      \
        for (T e = (T)(b < 0 ? 0 : b); e != 0; e = (T)(e >> 1)) {                                                      \
            power *= e & 1 ? base : (U)1;                                                                              \
            base *= base;                                                                                              \
        }                                                                                                              \
        const T inverse = (T)(a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0);                                            \
        return b < 0 ? inverse : (T)power;                                                                             \
    }                                                                                                                  \
    static inline T opgen_shl_##name(T a, T b) {                                                                       \
        const bool out = b < 0 || b >= BITS;                                                                           \
        return (T)(out ? (U)0 : (U)a << (b & (BITS - 1)));                                                             \
    }                                                                                                                  \
    static inline T opgen_shr_##name(T a, T b) {                                                                       \
        const bool out = b < 0 || b >= BITS;                                                                           \
        return (T)(a >> (out ? BITS - 1 : b & (BITS - 1)));                                                            \
    }

#define OPGEN_UNSIGNED(name, T, U, BITS)                                                                               \
    OPGEN_INT(name, T, U)                                                                                              \
    static inline T opgen_abs_##name(T a) { return a; }                                                                \
    static inline T opgen_sign_##name(T a) { return (T)(a > 0); }                                                      \
    static inline T opgen_floordiv_##name(T a, T b) { return (T)(b == 0 ? (T)0 : (T)(a / (T)(b == 0 ? 1 : b))); }      \
    static inline T opgen_mod_##name(T a, T b) { return (T)(a % (T)(b == 0 ? 1 : b)); }                                \
    static inline T opgen_fmod_##name(T a, T b) { return (T)(a % (T)(b == 0 ? 1 : b)); }                               \
    static inline T opgen_pow_##name(T a, T b) {                                                                       \
        U power = 1, base = (U)a;                                                                                      \
        for (T e = b; e != 0; e = (T)(e >> 1)) {                                                                       \
            power *= e & 1 ? base : (U)1;                                                                              \
            base *= base;                                                                                              \
        }                                                                                                              \
        return (T)power;                                                                                               \
    }                                                                                                                  \
    static inline T opgen_shl_##name(T a, T b) { return (T)(b >= BITS ? (U)0 : (U)a << (b & (BITS - 1))); }            \
    static inline T opgen_shr_##name(T a, T b) { return (T)(b >= BITS ? (U)0 : (U)a >> (b & (BITS - 1))); }

OPGEN_SIGNED(i8, int8_t, uint32_t, 8)
OPGEN_SIGNED(i16, int16_t, uint32_t, 16)
OPGEN_SIGNED(i32, int32_t, uint32_t, 32)
OPGEN_SIGNED(i64, int64_t, uint64_t, 64)
OPGEN_UNSIGNED(u8, uint8_t, uint32_t, 8)
OPGEN_UNSIGNED(u16, uint16_t, uint32_t, 16)
OPGEN_UNSIGNED(u32, uint32_t, uint32_t, 32)
OPGEN_UNSIGNED(u64, uint64_t, uint64_t, 64)

#undef OPGEN_INT
#undef OPGEN_SIGNED
#undef OPGEN_UNSIGNED

/* Of sizes and positions; opgen_index.h has them too, for the driver. */
#ifndef OPGEN_INDEX_H
static inline int64_t opgen_floordiv(int64_t a, int64_t b) { return opgen_floordiv_i64(a, b); }
static inline int64_t opgen_mod(int64_t a, int64_t b) { return opgen_mod_i64(a, b); }
static inline int64_t opgen_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t opgen_max(int64_t a, int64_t b) { return a > b ? a : b; }
#endif

/* ---- floats. f: the suffix of the C library's functions. */

/* Minimum and maximum are NaN if either is. The sign of NaN is 0. */
#define OPGEN_FLOAT(name, T, f)                                                                                        \
    static inline bool opgen_isnan_##name(T a) { return a != a; }                                                      \
    static inline bool opgen_isinf_##name(T a) { return fabs##f(a) == (T)INFINITY; }                                   \
    static inline bool opgen_isfinite_##name(T a) { return fabs##f(a) < (T)INFINITY; }                                 \
    static inline T opgen_min_##name(T a, T b) {                                                                       \
        const T least = a < b ? a : b;                                                                                 \
        return a != a ? a : least;                                                                                     \
    }                                                                                                                  \
    static inline T opgen_max_##name(T a, T b) {                                                                       \
        const T most = a > b ? a : b;                                                                                  \
        return a != a ? a : most;                                                                                      \
    }                                                                                                                  \
    static inline T opgen_sign_##name(T a) { return (T)((a > 0) - (a < 0)); }                                          \
    /* The remainder has the sign of the divisor. */                                                                   \
    static inline T opgen_mod_##name(T a, T b) {                                                                       \
        const T r = fmod##f(a, b);                                                                                     \
        return r != 0 && (r < 0) != (b < 0) ? r + b : r;                                                               \
    }                                                                                                                  \
    /* The quotient that goes with it; it is a whole number even where the division rounds up to one. */               \
    static inline T opgen_floordiv_##name(T a, T b) {                                                                  \
        const T r = fmod##f(a, b), exact = (a - r) / b;                                                                \
        const T q = r != 0 && (r < 0) != (b < 0) ? exact - 1 : exact;                                                  \
        const T down = floor##f(q), near = q - down > (T)0.5 ? down + 1 : down;                                        \
        return b == 0 ? a / b : q == 0 ? copysign##f(0, a / b) : near;                                                 \
    }

OPGEN_FLOAT(f32, float, f)
OPGEN_FLOAT(f64, double, )

#undef OPGEN_FLOAT

/* To integers: towards zero. What i64 holds wraps around in narrower types; what it does not hold, and NaN, is the
 * least i64, and so 0 in narrower types but i32, where everything outside of i32 is the least i32: as x86 does it.
 * u64 has in addition what lies between. */
#define OPGEN_OF_FLOAT(name, T)                                                                                        \
    static inline int32_t opgen_i32_of_##name(T a) {                                                                   \
        const bool in = a >= (T)-2147483648.0 && a < (T)2147483648.0;                                                  \
        return in ? (int32_t)(in ? a : 0) : INT32_MIN;                                                                 \
    }                                                                                                                  \
    static inline int64_t opgen_i64_of_##name(T a) {                                                                   \
        const bool in = a >= (T)-9223372036854775808.0 && a < (T)9223372036854775808.0;                                \
        return in ? (int64_t)(in ? a : 0) : INT64_MIN;                                                                 \
    }                                                                                                                  \
    static inline uint64_t opgen_u64_of_##name(T a) {                                                                  \
        const bool high = a >= (T)9223372036854775808.0 && a < (T)18446744073709551616.0;                              \
        const uint64_t low = (uint64_t)opgen_i64_of_##name(high ? a - (T)9223372036854775808.0 : a);                   \
        return high ? low + ((uint64_t)1 << 63) : low;                                                                 \
    }                                                                                                                  \
    static inline uint32_t opgen_u32_of_##name(T a) { return (uint32_t)opgen_i64_of_##name(a); }                       \
    static inline int16_t opgen_i16_of_##name(T a) { return (int16_t)opgen_i32_of_##name(a); }                         \
    static inline uint16_t opgen_u16_of_##name(T a) { return (uint16_t)opgen_i32_of_##name(a); }                       \
    static inline int8_t opgen_i8_of_##name(T a) { return (int8_t)opgen_i32_of_##name(a); }                            \
    static inline uint8_t opgen_u8_of_##name(T a) { return (uint8_t)opgen_i32_of_##name(a); }

OPGEN_OF_FLOAT(f32, float)
OPGEN_OF_FLOAT(f64, double)

#undef OPGEN_OF_FLOAT

#endif

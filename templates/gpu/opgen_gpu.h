/* opgen_gpu.h: what kernels of GPUs compute with beyond C++'s own operators and the vendor's functions.
 *
 * Everything is defined for every operand, with the results that templates/cpu/README.md says: integers wrap around,
 * division by zero gives 0, shifts and conversions out of range give what is said at each. What differs between the
 * vendors is in opgen_vendor.h, of which each backend has its own.
 */
#ifndef OPGEN_GPU_H
#define OPGEN_GPU_H

/* How 16 bytes are moved. KEPT: they are to stay in the second cache while others pass through it; ONCE: they are to
 * leave the caches first. */
enum OpgenHow { OPGEN_PLAIN, OPGEN_KEPT, OPGEN_ONCE };

#include "opgen_vendor.h"

#include "opgen_index.h"

#ifndef OPGEN_UNROLL
#define OPGEN_UNROLL _Pragma("unroll")
#define OPGEN_ROLLED _Pragma("unroll 1")
#endif
/* In a loop: there is one way through it. A compiler that makes two loops of one, for a condition that is the same in all
 * turns, then joins what is the same in both, and a * b + c is rounded twice in this kernel and once in others. */
#define OPGEN_ONE_WAY asm volatile("")

/* 16-bit floats in memory. They are computed with as float. */
typedef uint16_t opgen_f16;
typedef uint16_t opgen_bf16;

/* Where kernels say why the run is of no use, and in which call: OpgenRun.fault. One of a kernel's threads that
 * find something says what, whichever it is: integer and size go in one store, so that they are of the same one. */
struct OpgenFault {
    int64_t *record; /* of the host's memory; nullptr: nobody listens */
    int64_t call;
};

/* Of what could not be started the device file keeps the first error, for the runtime. */
extern "C" void opgen_launch_failed(const char *what, int error);

/* All else is for kernels and who launches them: OPGEN_HOST is defined where the driver is compiled for the host alone. */
#ifndef OPGEN_HOST

/* ---- integers. T: the type; U: an unsigned type at least as wide as int, to compute in. */

#define OPGEN_INT(name, T, U)                                                                                          \
    OPGEN_KERNEL T opgen_add_##name(T a, T b) { return (T)((U)a + (U)b); }                                             \
    OPGEN_KERNEL T opgen_sub_##name(T a, T b) { return (T)((U)a - (U)b); }                                             \
    OPGEN_KERNEL T opgen_mul_##name(T a, T b) { return (T)((U)a * (U)b); }                                             \
    OPGEN_KERNEL T opgen_neg_##name(T a) { return (T)((U)0 - (U)a); }                                                  \
    OPGEN_KERNEL T opgen_min_##name(T a, T b) { return a < b ? a : b; }                                                \
    OPGEN_KERNEL T opgen_max_##name(T a, T b) { return a > b ? a : b; }

#define OPGEN_SIGNED(name, T, U, BITS)                                                                                 \
    OPGEN_INT(name, T, U)                                                                                              \
    OPGEN_KERNEL T opgen_abs_##name(T a) { return a < 0 ? (T)((U)0 - (U)a) : a; }                                      \
    OPGEN_KERNEL T opgen_sign_##name(T a) { return (T)((a > 0) - (a < 0)); }                                           \
    OPGEN_KERNEL T opgen_floordiv_##name(T a, T b) {                                                                   \
        if (b == 0 || b == -1) return b == 0 ? (T)0 : (T)((U)0 - (U)a);                                                \
        const T q = (T)(a / b), r = (T)(a % b);                                                                        \
        return (T)(q - (r != 0 && (r < 0) != (b < 0) ? 1 : 0));                                                        \
    }                                                                                                                  \
    OPGEN_KERNEL T opgen_mod_##name(T a, T b) {                                                                        \
        const T d = (T)(b == 0 || b == -1 ? 1 : b), r = (T)(a % d);                                                    \
        return (T)(r != 0 && (r < 0) != (d < 0) ? r + d : r);                                                          \
    }                                                                                                                  \
    OPGEN_KERNEL T opgen_fmod_##name(T a, T b) { return (T)(a % (T)(b == 0 || b == -1 ? 1 : b)); }                     \
    OPGEN_KERNEL T opgen_pow_##name(T a, T b) {                                                                        \
        U power = 1, base = (U)a;                                                                                      \
        for (T e = (T)(b < 0 ? 0 : b); e != 0; e = (T)(e >> 1)) {                                                      \
            power *= e & 1 ? base : (U)1;                                                                              \
            base *= base;                                                                                              \
        }                                                                                                              \
        const T inverse = (T)(a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0);                                            \
        return b < 0 ? inverse : (T)power;                                                                             \
    }                                                                                                                  \
    OPGEN_KERNEL T opgen_shl_##name(T a, T b) {                                                                        \
        const bool out = b < 0 || b >= BITS;                                                                           \
        return (T)(out ? (U)0 : (U)a << (b & (BITS - 1)));                                                             \
    }                                                                                                                  \
    OPGEN_KERNEL T opgen_shr_##name(T a, T b) {                                                                        \
        const bool out = b < 0 || b >= BITS;                                                                           \
        return (T)(a >> (out ? BITS - 1 : b & (BITS - 1)));                                                            \
    }

#define OPGEN_UNSIGNED(name, T, U, BITS)                                                                               \
    OPGEN_INT(name, T, U)                                                                                              \
    OPGEN_KERNEL T opgen_sign_##name(T a) { return (T)(a > 0); }                                                       \
    OPGEN_KERNEL T opgen_floordiv_##name(T a, T b) { return (T)(b == 0 ? (T)0 : (T)(a / (T)(b == 0 ? 1 : b))); }       \
    OPGEN_KERNEL T opgen_mod_##name(T a, T b) { return (T)(a % (T)(b == 0 ? 1 : b)); }                                 \
    OPGEN_KERNEL T opgen_fmod_##name(T a, T b) { return (T)(a % (T)(b == 0 ? 1 : b)); }                                \
    OPGEN_KERNEL T opgen_pow_##name(T a, T b) {                                                                        \
        U power = 1, base = (U)a;                                                                                      \
        for (T e = b; e != 0; e = (T)(e >> 1)) {                                                                       \
            power *= e & 1 ? base : (U)1;                                                                              \
            base *= base;                                                                                              \
        }                                                                                                              \
        return (T)power;                                                                                               \
    }                                                                                                                  \
    OPGEN_KERNEL T opgen_shl_##name(T a, T b) { return (T)(b >= BITS ? (U)0 : (U)a << (b & (BITS - 1))); }             \
    OPGEN_KERNEL T opgen_shr_##name(T a, T b) { return (T)(b >= BITS ? (U)0 : (U)a >> (b & (BITS - 1))); }

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

/* ---- floats. f: the suffix of the vendor's functions. Minimum and maximum are NaN if either is; fmin and fmax only if
 * both are. The sign of NaN is 0. */

#define OPGEN_FLOAT(name, T, f)                                                                                        \
    OPGEN_KERNEL bool opgen_isnan_##name(T a) { return a != a; }                                                       \
    OPGEN_KERNEL bool opgen_isinf_##name(T a) { return fabs##f(a) == (T)INFINITY; }                                    \
    OPGEN_KERNEL bool opgen_isfinite_##name(T a) { return fabs##f(a) < (T)INFINITY; }                                  \
    OPGEN_KERNEL T opgen_fmin_##name(T a, T b) { return a != a ? b : b < a ? b : a; }                                  \
    OPGEN_KERNEL T opgen_fmax_##name(T a, T b) { return a != a ? b : b > a ? b : a; }                                  \
    OPGEN_KERNEL T opgen_sign_##name(T a) { return (T)((a > 0) - (a < 0)); }                                           \
    /* The remainder has the sign of the divisor. */                                                                   \
    OPGEN_KERNEL T opgen_mod_##name(T a, T b) {                                                                        \
        const T r = fmod##f(a, b);                                                                                     \
        return r != 0 && (r < 0) != (b < 0) ? r + b : r;                                                               \
    }                                                                                                                  \
    /* The quotient that goes with it; it is a whole number even where the division rounds up to one. */               \
    OPGEN_KERNEL T opgen_floordiv_##name(T a, T b) {                                                                   \
        const T r = fmod##f(a, b), exact = (a - r) / b;                                                                \
        const T q = r != 0 && (r < 0) != (b < 0) ? exact - 1 : exact;                                                  \
        const T down = floor##f(q), near_one = q - down > (T)0.5 ? down + 1 : down;                                    \
        return b == 0 ? a / b : q == 0 ? copysign##f((T)0, a / b) : near_one;                                          \
    }

#define OPGEN_EXTREMES(name, T)                                                                                        \
    OPGEN_KERNEL T opgen_min_##name(T a, T b) { return a != a ? a : a < b ? a : b; }                                   \
    OPGEN_KERNEL T opgen_max_##name(T a, T b) { return a != a ? a : a > b ? a : b; }

#ifndef OPGEN_HAS_EXTREMES
OPGEN_EXTREMES(f32, float)
#endif
OPGEN_EXTREMES(f64, double)
OPGEN_FLOAT(f32, float, f)
OPGEN_FLOAT(f64, double, )

#undef OPGEN_EXTREMES
#undef OPGEN_FLOAT

/* Without overflow between, up to the greatest number there is. */
OPGEN_KERNEL double opgen_hypot_f64(double a, double b) {
    const double x = fabs(a), y = fabs(b), more = x > y ? x : y, less = x > y ? y : x, part = less / more;
    const double length = more * sqrt(1 + part * part);
    return x == (double)INFINITY || y == (double)INFINITY ? (double)INFINITY
           : x != x || y != y                             ? x + y
           : more == 0                                    ? 0
                                                          : length;
}

/* To integers: towards zero. What i64 holds wraps around in narrower types; what it does not hold, and NaN, is the
 * least i64, and so 0 in narrower types but i32, where everything outside of i32 is the least i32. u64 has in addition
 * what lies between. */
#define OPGEN_OF_FLOAT(name, T)                                                                                        \
    OPGEN_KERNEL int32_t opgen_i32_of_##name(T a) {                                                                    \
        const bool in = a >= (T)-2147483648.0 && a < (T)2147483648.0;                                                  \
        return in ? (int32_t)a : INT32_MIN;                                                                            \
    }                                                                                                                  \
    OPGEN_KERNEL int64_t opgen_i64_of_##name(T a) {                                                                    \
        const bool in = a >= (T)-9223372036854775808.0 && a < (T)9223372036854775808.0;                                \
        return in ? (int64_t)a : INT64_MIN;                                                                            \
    }                                                                                                                  \
    OPGEN_KERNEL uint64_t opgen_u64_of_##name(T a) {                                                                   \
        const bool high = a >= (T)9223372036854775808.0 && a < (T)18446744073709551616.0;                              \
        const uint64_t low = (uint64_t)opgen_i64_of_##name(high ? a - (T)9223372036854775808.0 : a);                   \
        return high ? low + ((uint64_t)1 << 63) : low;                                                                 \
    }                                                                                                                  \
    OPGEN_KERNEL uint32_t opgen_u32_of_##name(T a) { return (uint32_t)opgen_i64_of_##name(a); }                        \
    OPGEN_KERNEL int16_t opgen_i16_of_##name(T a) { return (int16_t)opgen_i32_of_##name(a); }                          \
    OPGEN_KERNEL uint16_t opgen_u16_of_##name(T a) { return (uint16_t)opgen_i32_of_##name(a); }                        \
    OPGEN_KERNEL int8_t opgen_i8_of_##name(T a) { return (int8_t)opgen_i32_of_##name(a); }                             \
    OPGEN_KERNEL uint8_t opgen_u8_of_##name(T a) { return (uint8_t)opgen_i32_of_##name(a); }

OPGEN_OF_FLOAT(f32, float)
OPGEN_OF_FLOAT(f64, double)

#undef OPGEN_OF_FLOAT

/* ---- what is nearly as exact as 16-bit floats are: within 2^-12 of the number, relative to it. */

#ifndef OPGEN_HAS_NEAR
OPGEN_KERNEL float opgen_exp2_near(float x) { return exp2f(x); }
OPGEN_KERNEL float opgen_reciprocal_near(float x) { return 1.0f / x; }
#endif

OPGEN_KERNEL float opgen_exp_near(float x) { return opgen_exp2_near(x * 1.44269504f); }

/* 1 - erf(a) for a of 0 and more is 2 by a polynomial, fitted up to 6; beyond it falls on towards minus infinity. */
OPGEN_KERNEL float opgen_erfc_near(float a) {
    const float p =
        fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(-1.45966951e-05f, a, 3.99702811e-04f), a, -4.73783771e-03f), a, 3.26618329e-02f),
                       a, -1.50968909e-01f),
                  a, -9.17791724e-01f),
             a, -1.62795818f);
    return opgen_exp2_near(p * a);
}

/* 1 + erf(x), without cancellation. */
OPGEN_KERNEL float opgen_one_plus_erf_near(float x) {
    const float e = opgen_erfc_near(fabsf(x));
    return x < 0 ? e : 2.0f - e;
}

OPGEN_KERNEL float opgen_erf_near(float x) {
    const float large = copysignf(1.0f - opgen_erfc_near(fabsf(x)), x),
                small = x * fmaf(x * x, -0.376126389f, 1.12837917f);
    return fabsf(x) < 0.06f ? small : large;
}

OPGEN_KERNEL float opgen_one_plus_tanh_near(float x) {
    return 2.0f * opgen_reciprocal_near(1.0f + opgen_exp2_near(x * -2.88539008f));
}

OPGEN_KERNEL float opgen_tanh_near(float x) {
    const float large = opgen_one_plus_tanh_near(x) - 1.0f, small = x * fmaf(x * x, -0.333333333f, 1.0f);
    return fabsf(x) < 0.06f ? small : large;
}

/* ---- memory: V elements that lie one behind the other, in as few accesses as their address allows. */

#ifndef OPGEN_HAS_MOVES
/* 16 bytes at once. */
template <int HOW> OPGEN_KERNEL void opgen_store16(void *to, const uint32_t (&words)[4]) {
    uint4 all;
    all.x = words[0], all.y = words[1], all.z = words[2], all.w = words[3];
    *(uint4 *)to = all;
}
template <int HOW> OPGEN_KERNEL uint4 opgen_load16(const void *from) { return *(const uint4 *)from; }
#endif

template <typename T, int V> OPGEN_KERNEL bool opgen_is_aligned(const T *at) {
    constexpr int bytes = (int)sizeof(T) * V;
    return (uintptr_t)at % (bytes < 16 ? bytes : 16) == 0;
}

/* Where the address is known to be a multiple of 16 bytes, or of all. No branches: the next read is asked for before
 * this one is there. */
template <typename T, int V, int HOW = OPGEN_PLAIN> OPGEN_KERNEL void opgen_read_even(T (&to)[V], const T *from) {
    constexpr int bytes = (int)sizeof(T) * V;
    if constexpr (bytes >= 16) {
        OPGEN_UNROLL
        for (int i = 0; i < bytes / 16; i++) {
            const uint4 part = opgen_load16<HOW>((const uint4 *)from + i);
            memcpy((char *)to + 16 * i, &part, 16);
        }
    } else if constexpr (bytes == 8) {
        const uint2 part = *(const uint2 *)from;
        memcpy(to, &part, 8);
    } else if constexpr (bytes == 4) {
        const uint32_t part = *(const uint32_t *)from;
        memcpy(to, &part, 4);
    } else if constexpr (bytes == 2) {
        const uint16_t part = *(const uint16_t *)from;
        memcpy(to, &part, 2);
    } else {
        to[0] = from[0];
    }
}

/* The same elements in the same places of an array, whether they lie even or not: what is made of them is the same. */
template <bool EVEN, typename T, int V, int HOW = OPGEN_PLAIN>
OPGEN_KERNEL void opgen_read_as(T (&to)[V], const T *from) {
    if constexpr (EVEN) {
        opgen_read_even<T, V, HOW>(to, from);
    } else {
        OPGEN_UNROLL
        for (int i = 0; i < V; i++)
            to[i] = from[i];
    }
}

template <typename T, int V, int HOW = OPGEN_PLAIN> OPGEN_KERNEL void opgen_read(T (&to)[V], const T *from) {
    if (opgen_is_aligned<T, V>(from))
        opgen_read_as<true, T, V, HOW>(to, from);
    else
        opgen_read_as<false, T, V, HOW>(to, from);
}

template <typename T, int V, int HOW = OPGEN_PLAIN> OPGEN_KERNEL void opgen_write_even(T *to, const T (&from)[V]) {
    constexpr int bytes = (int)sizeof(T) * V;
    if constexpr (bytes >= 16) {
        OPGEN_UNROLL
        for (int i = 0; i < bytes / 16; i++) {
            uint32_t words[4];
            memcpy(words, (const char *)from + 16 * i, 16);
            opgen_store16<HOW>((uint4 *)to + i, words);
        }
    } else if constexpr (bytes == 8) {
        uint2 part;
        memcpy(&part, from, 8);
        *(uint2 *)to = part;
    } else if constexpr (bytes == 4) {
        uint32_t part;
        memcpy(&part, from, 4);
        *(uint32_t *)to = part;
    } else if constexpr (bytes == 2) {
        uint16_t part;
        memcpy(&part, from, 2);
        *(uint16_t *)to = part;
    } else {
        to[0] = from[0];
    }
}

template <bool EVEN, typename T, int V, int HOW = OPGEN_PLAIN>
OPGEN_KERNEL void opgen_write_as(T *to, const T (&from)[V]) {
    if constexpr (EVEN) {
        opgen_write_even<T, V, HOW>(to, from);
    } else {
        OPGEN_UNROLL
        for (int i = 0; i < V; i++)
            to[i] = from[i];
    }
}

template <typename T, int V, int HOW = OPGEN_PLAIN> OPGEN_KERNEL void opgen_write(T *to, const T (&from)[V]) {
    if (opgen_is_aligned<T, V>(to))
        opgen_write_as<true, T, V, HOW>(to, from);
    else
        opgen_write_as<false, T, V, HOW>(to, from);
}

/* From the host: whether all of a tensor's vectors of V elements lie even, where each of these is added to their places
 * some times; that is, whether the first does (opgen_even_at), and what sizes say (opgen_even_steps). */
template <typename T, int V> static inline bool opgen_even_at(const T *at) {
    constexpr int bytes = (int)sizeof(T) * V;
    return (uintptr_t)at % (bytes < 16 ? bytes : 16) == 0;
}
template <typename T, int V, typename... Steps> static inline bool opgen_even_steps(Steps... steps) {
    constexpr int64_t bytes = (int64_t)sizeof(T) * V < 16 ? (int64_t)sizeof(T) * V : 16;
    return (true && ... && ((int64_t)steps * (int64_t)sizeof(T) % bytes == 0));
}
template <typename T, int V, typename... Steps> static inline bool opgen_even(const T *at, Steps... steps) {
    return opgen_even_at<T, V>(at) && opgen_even_steps<T, V>(steps...);
}

/* Floats made 16-bit floats, two by one instruction where there is one. */
#ifndef OPGEN_HAS_PAIRS
OPGEN_KERNEL uint32_t opgen_f16_pair(float a, float b) {
    return opgen_f16_of_f32(a) | (uint32_t)opgen_f16_of_f32(b) << 16;
}
OPGEN_KERNEL uint32_t opgen_bf16_pair(float a, float b) {
    return opgen_bf16_of_f32(a) | (uint32_t)opgen_bf16_of_f32(b) << 16;
}
#endif
/* Of elements whose words are in registers: one of two needs no more than a shift, the other than a mask. */
template <int V> OPGEN_KERNEL float opgen_bf16_at(const uint16_t (&from)[V], int k) {
    if constexpr (V % 2 == 0) {
        uint32_t word;
        memcpy(&word, from + (k & ~1), 4);
        word = k & 1 ? word & 0xffff0000u : word << 16;
        float f;
        memcpy(&f, &word, 4);
        return f;
    } else {
        return opgen_f32_of_bf16(from[k]);
    }
}

/* Of two words of two elements each, the first of both, and the second. */
#ifndef OPGEN_HAS_HALVES
OPGEN_KERNEL uint32_t opgen_low_halves(uint32_t a, uint32_t b) { return (a & 0xffffu) | b << 16; }
OPGEN_KERNEL uint32_t opgen_high_halves(uint32_t a, uint32_t b) { return a >> 16 | (b & 0xffff0000u); }
#endif

#define OPGEN_ALL_OF_F32(name)                                                                                         \
    template <int V> OPGEN_KERNEL void opgen_all_##name(uint16_t(&to)[V], const float(&from)[V]) {                     \
        OPGEN_UNROLL                                                                                                   \
        for (int i = 0; i < V; i += 2) {                                                                               \
            if (i + 1 < V) {                                                                                           \
                const uint32_t pair = opgen_##name##_pair(from[i], from[i + 1 < V ? i + 1 : i]);                       \
                memcpy(to + i, &pair, 4);                                                                              \
            } else {                                                                                                   \
                to[i] = opgen_##name##_of_f32(from[i]);                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }
OPGEN_ALL_OF_F32(f16)
OPGEN_ALL_OF_F32(bf16)
#undef OPGEN_ALL_OF_F32

/* ---- places. Of what fits 32 bits the quotient takes a fifth of the time. */
OPGEN_KERNEL int64_t opgen_divide(int64_t a, int64_t b, int64_t *rest) {
    if (((uint64_t)a | (uint64_t)b) >> 32 == 0) {
        const uint32_t q = (uint32_t)a / (uint32_t)b;
        *rest = (int64_t)((uint32_t)a - q * (uint32_t)b);
        return (int64_t)q;
    }
    const int64_t q = a / b;
    *rest = a - q * b;
    return q;
}

/* A divisor that the host has looked at: of what fits 31 bits the quotient is a product and a shift. factor is 2^(31 +
 * shift) / by, rounded up, where 2^shift is `by` or just above. */
struct OpgenDivisor {
    int64_t by;
    uint32_t factor, shift; /* 0: there is none */
};

static inline OpgenDivisor opgen_divisor(int64_t by) {
    OpgenDivisor d = {by, 0, 0};
    if (by < 1 || by >> 31) return d;
    uint32_t shift = 0;
    while ((int64_t)1 << shift < by)
        shift++;
    d.factor = (uint32_t)((((uint64_t)1 << (31 + shift)) + (uint64_t)by - 1) / (uint64_t)by);
    d.shift = 31 + shift;
    return d;
}

OPGEN_KERNEL int64_t opgen_divide(int64_t a, const OpgenDivisor &d, int64_t *rest) {
    if (d.shift != 0 && (uint64_t)a >> 31 == 0) {
        const uint32_t q = (uint32_t)((uint64_t)(uint32_t)a * d.factor >> d.shift);
        *rest = (int64_t)((uint32_t)a - q * (uint32_t)d.by);
        return (int64_t)q;
    }
    const int64_t q = a / d.by;
    *rest = a - q * d.by;
    return q;
}

/* Of what is known to fit. */
OPGEN_KERNEL int64_t opgen_divide(uint32_t a, const OpgenDivisor &d, int64_t *rest) {
    const uint32_t q = (uint32_t)((uint64_t)a * d.factor >> d.shift);
    *rest = (int64_t)(a - q * (uint32_t)d.by);
    return (int64_t)q;
}

OPGEN_KERNEL void opgen_tell(int64_t at, int64_t size, OpgenFault fault) {
    if (fault.record == nullptr || ((volatile int64_t *)fault.record)[2] != 0) return;
    const int64_t what[2] = {at, size}, where[2] = {1, fault.call};
    uint32_t words[4];
    memcpy(words, what, sizeof words);
    opgen_store16<OPGEN_PLAIN>(fault.record, words);
    memcpy(words, where, sizeof words);
    opgen_store16<OPGEN_PLAIN>(fault.record + 2, words);
}

/* A position within a size. What is none becomes the nearest that is, so that nothing is read from where no tensor is,
 * and is told. */
OPGEN_KERNEL int64_t opgen_position(int64_t at, int64_t size, OpgenFault fault) {
    if ((uint64_t)at < (uint64_t)size) return at;
    opgen_tell(at, size, fault);
    return at < 0 || size <= 0 ? 0 : size - 1;
}

/* ---- numbers that are in order as floats are: -0 and 0 are the same, so are all NaNs, which are greater than all else */
OPGEN_KERNEL uint32_t opgen_key_f32(float x) {
    uint32_t bits;
    const float y = x == 0 ? 0 : x;
    memcpy(&bits, &y, 4);
    return x != x ? UINT32_MAX : bits ^ (0x80000000u | (0u - (bits >> 31)));
}

/* ---- values of other lanes, of any type */
template <typename T> OPGEN_KERNEL T opgen_lane_xor(T value, int lanes, int width) {
    constexpr int words = ((int)sizeof(T) + 3) / 4;
    uint32_t part[words] = {0};
    memcpy(part, &value, sizeof value);
    OPGEN_UNROLL
    for (int i = 0; i < words; i++)
        part[i] = opgen_word_xor(part[i], lanes, width);
    memcpy(&value, part, sizeof value);
    return value;
}

template <typename T> OPGEN_KERNEL T opgen_lane_up(T value, int by, int width) {
    constexpr int words = ((int)sizeof(T) + 3) / 4;
    uint32_t part[words] = {0};
    memcpy(part, &value, sizeof value);
    OPGEN_UNROLL
    for (int i = 0; i < words; i++)
        part[i] = opgen_word_up(part[i], by, width);
    memcpy(&value, part, sizeof value);
    return value;
}

/* ---- numbers that are all different, EACH of a thread one behind the other and W to a group, each group in order; `shared` has
 * room for all. What is near is exchanged in a thread or between its warp's, the rest by shared memory. */
template <int W, int EACH, int THREADS> OPGEN_KERNEL void opgen_sort_keys(uint64_t *keys, uint64_t *shared) {
    const int t = (int)threadIdx.x, place = t * EACH;
    OPGEN_UNROLL
    for (int size = 2; size <= W; size *= 2) {
        OPGEN_UNROLL
        for (int by = size / 2; by > 0; by /= 2) {
            if (by < EACH) {
                OPGEN_UNROLL
                for (int e = 0; e < EACH; e++) {
                    if ((e & by) != 0) continue;
                    const bool up = size == W || ((place + e) & size) == 0;
                    const uint64_t a = keys[e], b = keys[e + by];
                    keys[e] = (b < a) == up ? b : a;
                    keys[e + by] = (b < a) == up ? a : b;
                }
            } else {
                /* The lower of two places takes what is less where numbers grow, the other one what is greater. */
                const bool less = ((place & by) == 0) == (size == W || (place & size) == 0);
                if (by >= EACH * 32) {
                    __syncthreads();
                    OPGEN_UNROLL
                    for (int e = 0; e < EACH; e++)
                        shared[e * THREADS + t] = keys[e];
                    __syncthreads();
                }
                OPGEN_UNROLL
                for (int e = 0; e < EACH; e++) {
                    const uint64_t other = by < EACH * 32 ? opgen_lane_xor(keys[e], by / EACH, 32) : shared[e * THREADS + (t ^ by / EACH)];
                    keys[e] = (other < keys[e]) == less ? other : keys[e];
                }
            }
        }
    }
}

/* ---- what `wide` threads side by side have, made one, for all of them. wide: a power of two, at most the square of
 * LANES, the least warp there is; or all threads of the block, a multiple of LANES. shared: memory that this call has
 * for itself, as many as the block has groups of LANES. Every thread of the block calls it. */
template <int LANES, typename T, typename F> OPGEN_KERNEL T opgen_all(T value, int wide, T *shared, F join) {
    OPGEN_UNROLL
    for (int s = 1; s < LANES; s *= 2) {
        if (s >= wide) break;
        value = join(value, opgen_lane_xor(value, s, LANES));
    }
    if (wide <= LANES) return value;
    if (threadIdx.x % LANES == 0) shared[threadIdx.x / LANES] = value;
    __syncthreads();
    const unsigned groups = (unsigned)wide / LANES;
    if (groups & (groups - 1)) {
        value = shared[0];
        for (unsigned i = 1; i < groups; i++)
            value = join(value, shared[i]);
        return value;
    }
    value = shared[threadIdx.x / (unsigned)wide * groups + threadIdx.x % groups];
    OPGEN_UNROLL
    for (int s = 1; s < LANES; s *= 2) {
        if (s >= (int)groups) break;
        value = join(value, opgen_lane_xor(value, s, LANES));
    }
    return value;
}

/* The same for the first thread alone of a block of `wide` threads. */
template <int LANES, typename T, typename F> OPGEN_KERNEL T opgen_first(T value, int wide, T *shared, F join) {
    OPGEN_UNROLL
    for (int s = 1; s < LANES; s *= 2)
        value = join(value, opgen_lane_xor(value, s, LANES));
    if (wide <= LANES) return value;
    if (threadIdx.x % LANES == 0) shared[threadIdx.x / LANES] = value;
    __syncthreads();
    if (threadIdx.x >= LANES) return value;
    const int groups = wide / LANES;
    value = shared[(int)threadIdx.x % groups];
    OPGEN_UNROLL
    for (int s = 1; s < LANES; s *= 2) {
        if (s >= groups) break;
        value = join(value, opgen_lane_xor(value, s, LANES));
    }
    return value;
}

struct opgen_plus {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};
/* Of two floats the greater; NaN is none. */
OPGEN_KERNEL float opgen_more(float a, float b) { return fmaxf(a, b); }
OPGEN_KERNEL double opgen_more(double a, double b) { return fmax(a, b); }
struct opgen_greater {
    template <typename T> __device__ T operator()(T a, T b) const { return opgen_more(a, b); }
};

/* The type of what a pointer points to. */
template <typename P> struct OpgenElement;
template <typename T> struct OpgenElement<T *> { typedef T type; };
template <typename T> struct OpgenElement<const T *> { typedef T type; };

/* ---- launches, from the host */
static inline int64_t opgen_parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

#endif
#endif

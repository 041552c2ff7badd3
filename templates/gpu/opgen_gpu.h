/* opgen_gpu.h: what kernels of GPUs compute with beyond C++'s own operators and the vendor's functions.
 *
 * Everything is defined for every operand, with the results that templates/cpu/README.md says: integers wrap around,
 * division by zero gives 0, shifts and conversions out of range give what is said at each. What differs between the
 * vendors is in opgen_vendor.h, of which each backend has its own.
 */
#ifndef OPGEN_GPU_H
#define OPGEN_GPU_H

#include "opgen_vendor.h"

#include "opgen_index.h"

#ifndef OPGEN_UNROLL
#define OPGEN_UNROLL _Pragma("unroll")
#endif

/* 16-bit floats in memory. They are computed with as float. */
typedef uint16_t opgen_f16;
typedef uint16_t opgen_bf16;

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
    OPGEN_KERNEL T opgen_abs_##name(T a) { return a; }                                                                 \
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
    OPGEN_KERNEL T opgen_min_##name(T a, T b) { return a != a ? a : a < b ? a : b; }                                   \
    OPGEN_KERNEL T opgen_max_##name(T a, T b) { return a != a ? a : a > b ? a : b; }                                   \
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

OPGEN_FLOAT(f32, float, f)
OPGEN_FLOAT(f64, double, )

#undef OPGEN_FLOAT

/* Without overflow between, up to the greatest number there is. */
OPGEN_KERNEL double opgen_hypot_f64(double a, double b) {
    const double x = fabs(a), y = fabs(b), more = x > y ? x : y, less = x > y ? y : x, part = less / more;
    const double length = more * sqrt(1 + part * part);
    return x == (double)INFINITY || y == (double)INFINITY ? (double)INFINITY : x != x || y != y ? x + y : more == 0 ? 0 : length;
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

/* ---- memory: V elements that lie one behind the other, in as few accesses as their address allows. */

#ifndef OPGEN_HAS_MOVES
/* 16 bytes at once; and such that are to stay in the second cache while others pass through it. */
OPGEN_KERNEL void opgen_store16(void *to, const uint32_t (&words)[4]) {
    uint4 all;
    all.x = words[0], all.y = words[1], all.z = words[2], all.w = words[3];
    *(uint4 *)to = all;
}
OPGEN_KERNEL uint4 opgen_load16_kept(const void *from) { return *(const uint4 *)from; }
#endif

template <typename T, int V> OPGEN_KERNEL bool opgen_is_aligned(const T *at) {
    constexpr int bytes = (int)sizeof(T) * V;
    return (uintptr_t)at % (bytes < 16 ? bytes : 16) == 0;
}

template <typename T, int V, bool KEPT> OPGEN_KERNEL void opgen_read_whole(T (&to)[V], const T *from) {
    constexpr int bytes = (int)sizeof(T) * V;
    if constexpr (bytes >= 16) {
        OPGEN_UNROLL
        for (int i = 0; i < bytes / 16; i++) {
            const uint4 part = KEPT ? opgen_load16_kept((const uint4 *)from + i) : ((const uint4 *)from)[i];
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

template <typename T, int V, bool KEPT = false> OPGEN_KERNEL void opgen_read(T (&to)[V], const T *from) {
    if (opgen_is_aligned<T, V>(from)) {
        opgen_read_whole<T, V, KEPT>(to, from);
    } else {
        OPGEN_UNROLL
        for (int i = 0; i < V; i++)
            to[i] = from[i];
    }
}

template <typename T, int V> OPGEN_KERNEL void opgen_write(T *to, const T (&from)[V]) {
    constexpr int bytes = (int)sizeof(T) * V;
    if (!opgen_is_aligned<T, V>(to)) {
        OPGEN_UNROLL
        for (int i = 0; i < V; i++)
            to[i] = from[i];
    } else if constexpr (bytes >= 16) {
        OPGEN_UNROLL
        for (int i = 0; i < bytes / 16; i++) {
            uint32_t words[4];
            memcpy(words, (const char *)from + 16 * i, 16);
            opgen_store16((uint4 *)to + i, words);
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

/* A position within a size. What is none becomes the nearest that is: nothing is read from where no tensor is. */
OPGEN_KERNEL int64_t opgen_position(int64_t at, int64_t size) { return at < 0 ? 0 : at < size ? at : size - 1; }

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

/* ---- what `wide` threads side by side have, made one, for all of them. wide: a power of two, at most the square of
 * LANES, the least warp there is; shared: memory that this call has for itself, as many as the block has groups of LANES.
 * Every thread of the block calls it. */
template <int LANES, typename T, typename F> OPGEN_KERNEL T opgen_all(T value, int wide, T *shared, F join) {
    OPGEN_UNROLL
    for (int s = 1; s < LANES; s *= 2) {
        if (s >= wide) break;
        value = join(value, opgen_lane_xor(value, s, LANES));
    }
    if (wide <= LANES) return value;
    if (threadIdx.x % LANES == 0) shared[threadIdx.x / LANES] = value;
    __syncthreads();
    const int groups = wide / LANES;
    value = shared[(int)threadIdx.x / wide * groups + (int)threadIdx.x % groups];
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
struct opgen_greater {
    template <typename T> __device__ T operator()(T a, T b) const { return b > a ? b : a; }
};

/* The type of what a pointer points to. */
template <typename P> struct OpgenElement;
template <typename T> struct OpgenElement<T *> {
    typedef T type;
};
template <typename T> struct OpgenElement<const T *> {
    typedef T type;
};

/* ---- launches, from the host. Of what could not be started the device file keeps the first error, for the runtime. */
extern "C" void opgen_launch_failed(const char *what, int error);

static inline int64_t opgen_parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

#endif

/* math_check.c: the functions of templates/cpu against the C library's in double, which are right to far more places
 * than a float has; and conversions of 16-bit floats against their definition. Compiled as generated code is, and its
 * loops vectorised as those are: test_cpu_math.py does so with several compilers and for several processors.
 *
 *     math_check           special operands, and each 4099th of all floats; seconds
 *     math_check 61        special operands, and each 61st
 *     math_check 1 NAME    every float there is, of one function; minutes
 *     math_check 1 NAME LOW HIGH    those whose size is from LOW to HIGH
 *     math_check time      nanoseconds an element, beside the C library's float function
 *
 * Prints the greatest error of each function; exit status 1 where one is larger than math_functions.h allows.
 */
#include "opgen_exp.h"
#include "opgen_intervals.h"
#include "opgen_many.h"
#include "opgen_many_pairs.h"
#include "opgen_many_inverse.h"
#include "opgen_many_trig.h"
#include "opgen_math.h"
#include "opgen_trig.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define APART __attribute__((noinline))
#if defined(OPGEN_LEVELS)
#define LEVEL opgen_level()
#else
#define LEVEL OPGEN_LEVEL
#endif

/* Input and output are no parts of each other: a loop then has one version, which is the vectorised one. */
#define UNARY(name, ulp)                                                                                               \
    APART static void loop_##name(int64_t n, const float *restrict x, float *restrict out) {                           \
        for (int64_t i = 0; i < n; i++)                                                                                \
            out[i] = opgen_##name##_f32(x[i]);                                                                         \
    }
#define BELOW(name, ulp)                                                                                               \
    APART static void loop_##name(int64_t n, const float *restrict x, float *restrict out) {                           \
        for (int64_t i = 0; i < n; i++)                                                                                \
            out[i] = opgen_##name##_f32(-fabsf(x[i]));                                                                 \
    }
#define BINARY(name, ulp)                                                                                              \
    APART static void loop_##name(int64_t n, const float *restrict x, const float *restrict y, float *restrict out) {  \
        for (int64_t i = 0; i < n; i++)                                                                                \
            out[i] = opgen_##name##_f32(x[i], y[i]);                                                                   \
    }
/* Of many: by the best that this processor has, and half of them past the cache where it does that. */
#if defined(OPGEN_LEVELS)
#define MANY_V4(name)                                                                                                  \
    OPGEN_V4 APART static void loop_##name##_many_v4(int64_t n, const float *restrict x, float *restrict out) {        \
        many_##name(n, x, out, 4);                                                                                     \
    }                                                                                                                  \
    OPGEN_V3 APART static void loop_##name##_many_v3(int64_t n, const float *restrict x, float *restrict out) {        \
        many_##name(n, x, out, 3);                                                                                     \
    }
#define MANY_CHOOSE(name)                                                                                              \
    if (opgen_level() != 0) {                                                                                          \
        (opgen_level() == 4 ? loop_##name##_many_v4 : loop_##name##_many_v3)(n, x, out);                               \
        return;                                                                                                        \
    }
#else
#define MANY_V4(name)
#define MANY_CHOOSE(name)
#endif
#define MANY(name, ulp, ulp_v3)                                                                                        \
    OPGEN_INLINE void many_##name(int64_t n, const float *restrict x, float *restrict out, int level) {                \
        const int64_t past = opgen_##name##_past(out, x, n / 2, 64, level);                                            \
        opgen_##name##_many(out + past, x + past, n - past, level);                                                    \
    }                                                                                                                  \
    MANY_V4(name)                                                                                                      \
    APART static void loop_##name##_many(int64_t n, const float *restrict x, float *restrict out) {                    \
        MANY_CHOOSE(name)                                                                                              \
        many_##name(n, x, out, OPGEN_LEVEL);                                                                           \
    }
/* Of a negative operand with its size added: where the sum is what a function of the size is, so much is lost of
 * either. */
#define BESIDE(name, ulp, ulp_v3)                                                                                      \
    MANY(name, ulp, ulp_v3)                                                                                            \
    static void loop_##name##_beside(int64_t n, const float *restrict x, float *restrict out) {                        \
        loop_##name##_many(n, x, out);                                                                                 \
        for (int64_t i = 0; i < n; i++)                                                                                \
            out[i] += x[i] < 0 ? -x[i] : 0;                                                                            \
    }
/* Of 32 pairs. */
#if defined(OPGEN_LEVELS)
#define PAIRS_V4(name)                                                                                                 \
    OPGEN_V4 APART static void loop_##name##_32_v4(int64_t n, const float *restrict x, const float *restrict y,        \
                                                   float *restrict out) {                                              \
        pairs_##name(n, x, y, out, 4);                                                                                 \
    }
#define PAIRS_CHOOSE(name)                                                                                             \
    if (opgen_level() == 4) {                                                                                          \
        loop_##name##_32_v4(n, x, y, out);                                                                             \
        return;                                                                                                        \
    }
#else
#define PAIRS_V4(name)
#define PAIRS_CHOOSE(name)
#endif
#define PAIRS(name, ulp)                                                                                               \
    OPGEN_INLINE void pairs_##name(int64_t n, const float *restrict x, const float *restrict y, float *restrict out,   \
                                   int level) {                                                                        \
        for (int64_t i = 0; i < n; i += 32) {                                                                          \
            float some[32] = {0}, others[32] = {0};                                                                    \
            const int64_t count = opgen_min(32, n - i);                                                                \
            memcpy(some, x + i, (size_t)count * sizeof *some);                                                         \
            memcpy(others, y + i, (size_t)count * sizeof *others);                                                     \
            opgen_##name##_32(some, others, level);                                                                    \
            memcpy(out + i, some, (size_t)count * sizeof *some);                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    PAIRS_V4(name)                                                                                                     \
    APART static void loop_##name##_32(int64_t n, const float *restrict x, const float *restrict y,                    \
                                       float *restrict out) {                                                          \
        PAIRS_CHOOSE(name)                                                                                             \
        pairs_##name(n, x, y, out, OPGEN_LEVEL);                                                                       \
    }
/* Of 64 at once, the same, with a factor and without. */
#if defined(OPGEN_LEVELS)
#define HALF_V4(name)                                                                                                  \
    OPGEN_V4 APART static void loop_##name##_half_v4(int64_t n, const float *restrict x, float *restrict out) {        \
        half_##name(n, x, out, 4);                                                                                     \
    }
#define HALF_CHOOSE(name)                                                                                              \
    if (opgen_level() == 4) {                                                                                          \
        loop_##name##_half_v4(n, x, out);                                                                              \
        return;                                                                                                        \
    }
#else
#define HALF_V4(name)
#define HALF_CHOOSE(name)
#endif
#define HALF(name, ulp, ulp_v3)                                                                                        \
    OPGEN_INLINE void half_##name(int64_t n, const float *restrict x, float *restrict out, int level) {                \
        for (int64_t i = 0; i < n; i += 64) {                                                                          \
            float some[64] = {0}, other_some[64];                                                                      \
            const int64_t count = opgen_min(64, n - i);                                                                \
            for (int64_t k = 0; k < count; k++)                                                                        \
                some[k] = i % 128 == 0 ? x[i + k] : -x[i + k];                                                         \
            if (i % 128 == 0)                                                                                          \
                opgen_##name##_half(some, some, 1, true, level);                                                       \
            else                                                                                                       \
                opgen_##name##_half(other_some, some, -1, true, level);                                                \
            memcpy(out + i, i % 128 == 0 ? some : other_some, (size_t)count * sizeof *some);                           \
        }                                                                                                              \
    }                                                                                                                  \
    HALF_V4(name)                                                                                                      \
    APART static void loop_##name##_half(int64_t n, const float *restrict x, float *restrict out) {                    \
        HALF_CHOOSE(name)                                                                                              \
        half_##name(n, x, out, OPGEN_LEVEL);                                                                           \
    }
#include "math_functions.h"
#undef UNARY
#undef BELOW
#undef BINARY
#undef MANY
#undef BESIDE
#undef PAIRS
#undef HALF

/* ---- what combinations are, exactly. ANY: where no more is said than that it is next to nothing. */
#define ANY 0x1p1000
static double exact_exp(double x) { return exp(x); }
static double exact_exp_beside_1(double x) { return -fabs(x) < -87 ? 0 : exp(-fabs(x)); }
static double exact_exp2(double x) { return exp2(x); }
static double exact_expm1(double x) { return expm1(x); }
static double exact_tanh(double x) { return tanh(x); }
static double exact_erf(double x) { return erf(x); }
static double exact_1_and_tanh(double x) { return x < -44 && x > -1e30 ? ANY : 2 / (1 + exp(-2 * x)); }
static double exact_log1p_exp(double x) { return isnan(x) ? x : (x > 0 ? x : 0) + log1p(exp(-fabs(x))); }
static double exact_tanh_log1p_exp(double x) {
    const double e = exp(x > 40 ? 40 : x), w = e * (e + 2);
    return w / (w + 2);
}
/* gelu(-x) + x is gelu(x); of -infinity there is none. */
static double exact_gelu(double x) {
    return x == -INFINITY ? (double)NAN : 0.5 * fabs(x) * erfc(-0.70710678118654752 * fabs(x));
}
static double exact_gelu_tanh(double x) {
    const double a = fabs(x);
    return x == -INFINITY ? (double)NAN : 0.5 * a * (1 + tanh(0.79788456080286536 * (a + 0.044715 * a * a * a)));
}

/* Those that the C library does not have. */
#define OWN(name, exact)                                                                                               \
    static double own_##name(double x) { return exact; }                                                               \
    static float own_##name##f(float x) { return (float)own_##name((double)x); }
OWN(rsqrt, 1 / sqrt(x))
OWN(log1p_exp, exact_log1p_exp(x))
OWN(tanh_log1p_exp, exact_tanh_log1p_exp(x))
/* What the other factor loses where it is subnormal is as much more. */
OWN(mish, x<-87 && x> - 1e30 ? ANY : x * exact_tanh_log1p_exp(x))
OWN(softplus, exact_log1p_exp(x))
OWN(logsigmoid, -exact_log1p_exp(-x))
OWN(sigmoid, x < -87 ? ANY : 1 / (1 + exp(-x)))
OWN(silu, x<-87 && x> - 1e30 ? ANY : x / (1 + exp(-x)))
static double own_mod(double x, double y) {
    const double r = fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
static double own_floordiv(double x, double y) {
    const double r = fmod(x, y), down = rint((x - r) / y) - (r != 0 && (r < 0) != (y < 0));
    return y == 0 ? x / y : down == 0 ? copysign(0, signbit(x) != signbit(y) ? -1.0 : 1.0) : down;
}
static float own_modf(float x, float y) { return (float)own_mod((double)x, (double)y); }
static float own_floordivf(float x, float y) { return (float)own_floordiv((double)x, (double)y); }
#define mod own_mod
#define modf own_modf
#define floordiv own_floordiv
#define floordivf own_floordivf
#define rsqrt own_rsqrt
#define rsqrtf own_rsqrtf
#define log1p_exp own_log1p_exp
#define log1p_expf own_log1p_expf
#define tanh_log1p_exp own_tanh_log1p_exp
#define tanh_log1p_expf own_tanh_log1p_expf
#define mish own_mish
#define mishf own_mishf
#define sigmoid own_sigmoid
#define sigmoidf own_sigmoidf
#define silu own_silu
#define siluf own_siluf
#define softplus own_softplus
#define softplusf own_softplusf
#define logsigmoid own_logsigmoid
#define logsigmoidf own_logsigmoidf

typedef struct Function {
    const char *name;
    double ulp, ulp_v3; /* allowed, and on x86-64-v3 */
    void (*unary)(int64_t n, const float *restrict x, float *restrict out);
    float (*unary_library)(float);
    double (*unary_exact)(double);
    void (*binary)(int64_t n, const float *restrict x, const float *restrict y, float *restrict out);
    float (*binary_library)(float, float);
    double (*binary_exact)(double, double);
} Function;

static const Function functions[] = {
#define UNARY(name, ulp) {#name, ulp, ulp, loop_##name, name##f, name, NULL, NULL, NULL},
#define BELOW(name, ulp) {#name, ulp, ulp, loop_##name, NULL, exact_##name, NULL, NULL, NULL},
#define BINARY(name, ulp) {#name, ulp, ulp, NULL, NULL, NULL, loop_##name, name##f, name},
#define MANY(name, ulp, ulp_v3) {#name "_many", ulp, ulp_v3, loop_##name##_many, name##f, name, NULL, NULL, NULL},
#define BESIDE(name, ulp, ulp_v3)                                                                                      \
    {#name "_beside", ulp, ulp_v3, loop_##name##_beside, NULL, exact_##name, NULL, NULL, NULL},
#define PAIRS(name, ulp) {#name "_32", ulp, ulp, NULL, NULL, NULL, loop_##name##_32, name##f, name},
#define HALF(name, ulp, ulp_v3) {#name "_half", ulp, ulp_v3, loop_##name##_half, NULL, exact_##name, NULL, NULL, NULL},
#include "math_functions.h"
#undef UNARY
#undef BELOW
#undef BINARY
#undef MANY
#undef BESIDE
#undef PAIRS
#undef HALF
};

enum { N = 4096 };
OPGEN_IN_LINE static float in[N], other[N], out[N];

/* ---- how far off */

#define WRONG 1e9

/* In units of the last place. Infinity, where that was not to be, counts as the power of two beyond the greatest float.
 * A zero has to have its sign, and where the exact result is none but rounds to it, that one's. */
static double off(float got, double want) {
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : WRONG;
    if (!signbit(got) != !signbit(want) && (got == 0 || want == 0 || isinf(got) || isinf(want))) return WRONG;
    if (isinf(got) && isinf((float)want)) return 0;
    if (isinf(want)) return WRONG;
    int exponent;
    frexp(want, &exponent);
    exponent = want == 0 || exponent < -125 ? -125 : exponent > 128 ? 128 : exponent;
    const double value = isinf(got) ? copysign(0x1p128, (double)got) : (double)got;
    return fabs(value - want) / ldexp(1, exponent - 24);
}

typedef struct Worst {
    double off;
    float x, y, got;
    double want;
} Worst;

static void keep(Worst *worst, float x, float y, float got, double want) {
    if (want == ANY) {
        if (fabsf(got) <= 0x1p-119f) return;
        want = 0;
    }
    const double d = off(got, want);
    if (d > worst->off) *worst = (Worst){d, x, y, got, want};
}

static void compare(const Function *f, int64_t n, Worst *worst) {
    /* What the loops write over is nothing that they would write. */
    memset(out, 0x5a, sizeof out);
    if (f->unary != NULL)
        f->unary(n, in, out);
    else
        f->binary(n, in, other, out);
    for (int64_t i = 0; i < n; i++) {
        const double x = (double)in[i], y = (double)other[i];
        keep(worst, in[i], other[i], out[i], f->unary != NULL ? f->unary_exact(x) : f->binary_exact(x, y));
    }
}

/* ---- operands */

/* Zeros, ends of the range, subnormals, where functions change from one way to another, whole and half numbers. */
static const float specials[] = {
    0,
    0x1p-149f,
    0x1p-148f,
    0x1.8p-130f,
    0x1.fffffcp-127f,
    0x1p-126f,
    0x1.fffffep127f,
    INFINITY,
    NAN,
    1,
    2,
    3,
    0.5f,
    1.5f,
    2.5f,
    0x1.fffffep-1f,
    0.625f,
    0.9f,
    10,
    4,
    0x1p-11f,
    1e10f,
    0x1p127f,
    0x1.fffffep+126f,
    10.05f,
    0x1p23f,
    0x1p24f,
    16777215,
    8388607.5f,
    0x1p31f,
    0x1p32f,
    0x1.000002p+0f,
    0x1p76f,
    88.7f,
    88.8f,
    89,
    103.9f,
    104.1f,
    105,
    0x1.62e42ep+6f,
    127.9f,
    128,
    149,
    149.5f,
    151,
    30,
    17.4f,
    1e-20f,
    3e9f,
    0x1p63f,
    1.5707964f,
    3.1415927f,
    0x1p-25f,
    9.1f,
};
enum { SPECIALS = 2 * sizeof specials / sizeof *specials };
static float special(int i) { return i < SPECIALS / 2 ? specials[i] : -specials[i - SPECIALS / 2]; }

static uint64_t state;
static uint32_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 24);
}

/* A pair: any two; about the same size; such that x to the power of y is in range, of any x and of one near 1; whole
 * numbers. */
static void random_pair(int kind, float *x, float *y) {
    const double share = (double)next() * 0x1p-31 - 1;
    *x = opgen_float(next());
    *y = opgen_float(next());
    if (kind == 1) *y = (float)((double)*x * ldexp(1 + share, (int)(next() % 40) - 20));
    if (kind == 2) *x = fabsf(*x), *y = (float)(150 * share / log2((double)*x));
    /* Of about the same size, and quotients near whole numbers: what divides is the second. */
    if (kind == 4) *y = (float)((double)*x / (double)(next() % 100000 + 1));
    if (kind == 5) *x = (float)(30 * share), *y = (float)(1 + next() % 1000) * 0.01f;
    if (kind == 6)
        *x = (float)(1 + share * ldexp(1, -(int)(next() % 12))),
        *y = (float)(63.9 * sin((double)next()) / log2(fabs((double)*x)));
    if (kind == 3) *x = (float)(next() % 2001) - 1000, *y = (float)(next() % 101) - 50;
}

/* Every `step`th float of these sizes, as bits; or as many pairs. */
static Worst check(const Function *f, uint64_t step, uint64_t low, uint64_t high) {
    Worst worst = {0};
    int64_t n = 0;
    if (f->unary != NULL) {
        for (int i = 0; i < SPECIALS; i++)
            in[n++] = special(i);
        compare(f, n, &worst);
        for (uint64_t sign = 0; sign < 2; sign++)
            for (uint64_t bits = low; bits <= high;) {
                for (n = 0; n < N && bits <= high; bits += step)
                    in[n++] = opgen_float((uint32_t)(bits | sign << 31));
                compare(f, n, &worst);
            }
        return worst;
    }
    for (int i = 0; i < SPECIALS; i++, n = 0) {
        for (int k = 0; k < SPECIALS; k++)
            in[n] = special(i), other[n++] = special(k);
        compare(f, n, &worst);
    }
    state = 88172645463325252u;
    for (uint64_t turn = 0; turn < 650000 / step + 4; turn++) {
        for (int i = 0; i < N; i++)
            random_pair((int)(turn % 7), &in[i], &other[i]);
        compare(f, N, &worst);
    }
    return worst;
}

/* ---- 16-bit floats */

/* What the bits of a 16-bit float stand for, which has this many for the exponent. */
static double half_value(uint32_t bits, int exponent_bits) {
    const int digits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = (int)(bits >> digits & ((1u << exponent_bits) - 1)), least = exponent == 0;
    const double size = (double)(bits & ((1u << digits) - 1)) + (least ? 0 : ldexp(1, digits));
    const double value = exponent == 2 * bias + 1 && size > ldexp(1, digits) ? (double)NAN
                         : exponent == 2 * bias + 1                          ? (double)INFINITY
                                                    : ldexp(size, exponent + least - bias - digits);
    return bits & 0x8000u ? -value : value;
}

static uint32_t half_of(float f, bool brain) { return brain ? opgen_bf16_of_f32(f) : opgen_f16_of_f32(f); }

/* Each one there is becomes the float that it is; what lies between it and the next becomes the nearer, the middle the
 * even one. How many do not. */
static int wrong_halves(bool brain) {
    int wrong = 0;
    const uint32_t infinite = brain ? 0x7f80 : 0x7c00;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        const uint32_t size = bits & 0x7fffu, sign = bits & 0x8000u;
        const double value = half_value(bits, brain ? 8 : 5);
        const float f = brain ? opgen_f32_of_bf16((opgen_bf16)bits) : opgen_f32_of_f16((opgen_f16)bits);
        if (size > infinite) {
            wrong += !isnan(f) || (half_of(f, brain) & 0x7fffu) <= infinite;
            continue;
        }
        wrong += (double)f != value || !signbit(f) != !signbit(value) || half_of(f, brain) != bits;
        if (size == infinite) continue;
        /* Beyond the greatest infinity takes the place of the next power of two. */
        const double after = half_value(bits + 1, brain ? 8 : 5), before = half_value(bits - (size > 0), brain ? 8 : 5);
        const float middle = (float)(isinf(after) ? value + (value - before) / 2 : (value + after) / 2);
        const float far = sign ? -INFINITY : INFINITY;
        wrong += half_of(middle, brain) != bits + (bits & 1);
        wrong += half_of(nextafterf(middle, 0), brain) != bits;
        wrong += half_of(nextafterf(middle, far), brain) != bits + 1;
    }
    return wrong;
}

/* Of each 16-bit float, beside each 37th: orders and ranks of what the greatest or the least is asked of are in the
 * order of the floats, of which ranks have one 0; what is not a number is the last or the first of all, and has one
 * rank; and an order becomes the float again. How many do not. */
#define WRONG_ORDER(type, inf)                                                                                         \
    static int wrong_order_##type(void) {                                                                              \
        int wrong = 0;                                                                                                 \
        for (uint32_t h = 0; h < 0x10000; h++) {                                                                       \
            const opgen_##type a = (opgen_##type)h;                                                                    \
            const bool none = (h & 0x7fffu) > inf;                                                                     \
            const float x = opgen_f32_of_##type(a);                                                                    \
            const int most = opgen_order_##type##_max(a), least = opgen_order_##type##_min(a);                         \
            const int more = opgen_rank_##type##_max(a), less = opgen_rank_##type##_min(a);                            \
            const uint32_t back = opgen_of_order_##type##_max((int16_t)most);                                          \
            wrong +=                                                                                                   \
                back != opgen_of_order_##type##_min((int16_t)least) || (none ? (back & 0x7fffu) <= inf : back != h);   \
            wrong += none && (more != opgen_rank_##type##_max(0x7fff) || less != opgen_rank_##type##_min(0x7fff));     \
            for (uint32_t k = h % 37; k < 0x10000; k += 37) {                                                          \
                const opgen_##type b = (opgen_##type)k;                                                                \
                const float y = opgen_f32_of_##type(b);                                                                \
                if ((k & 0x7fffu) > inf) continue;                                                                     \
                const bool before = x < y || (x == y && (h & 0x8000u) > (k & 0x8000u));                                \
                wrong += (most < opgen_order_##type##_max(b)) != (!none && before);                                    \
                wrong += (least < opgen_order_##type##_min(b)) != (none || before);                                    \
                wrong += (more < opgen_rank_##type##_max(b)) != (!none && x < y);                                      \
                wrong += (less < opgen_rank_##type##_min(b)) != (none || x < y);                                       \
            }                                                                                                          \
        }                                                                                                              \
        return wrong;                                                                                                  \
    }
WRONG_ORDER(f16, 0x7c00)
WRONG_ORDER(bf16, 0x7f80)

/* ---- time */

/* Since the first call: of a number that is not large a double has the nanoseconds. */
static double seconds(void) {
    static time_t first;
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    if (first == 0) first = t.tv_sec;
    return (double)(t.tv_sec - first) + (double)t.tv_nsec * 1e-9;
}

/* The best of many runs over operands from 1 to 3, or, of functions that end at 1, to that. */
static double nanoseconds(const Function *f, bool library) {
    const bool ends = f->unary_exact != NULL && isnan(f->unary_exact(2));
    for (int i = 0; i < N; i++)
        in[i] = (1 + 2 * (float)i / N) / (ends ? 3.1f : 1), other[i] = 0.5f + (float)i / N;
    double best = 1;
    for (int turn = 0; turn < 400; turn++) {
        const double start = seconds();
        if (library)
            for (int i = 0; i < N; i++)
                out[i] = f->unary != NULL ? f->unary_library(in[i]) : f->binary_library(in[i], other[i]);
        else if (f->unary != NULL)
            f->unary(N, in, out);
        else
            f->binary(N, in, other, out);
        const double took = seconds() - start;
        if (took < best) best = took;
    }
    return best / N * 1e9;
}

/* Logarithms to base 10 of 1, 10, ..., 10^10 that are not whole numbers: all of those are floats. */
static int wrong_powers_of_ten(void) {
    float powers[11], logs[11];
    for (int i = 0; i < 11; i++)
        powers[i] = i == 0 ? 1 : powers[i - 1] * 10;
    int wrong = 0;
    loop_log10(11, powers, logs);
    for (int i = 0; i < 11; i++)
        wrong += logs[i] != (float)i;
    loop_log10_many(11, powers, logs);
    for (int i = 0; i < 11; i++)
        wrong += logs[i] != (float)i;
    return wrong;
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "4099", *only = count > 2 ? arguments[2] : "";
    const uint64_t step = strtoull(mode, NULL, 10);
    const uint64_t low = count > 4 ? opgen_bits(strtof(arguments[3], NULL)) : 0;
    const uint64_t high = count > 4 ? opgen_bits(strtof(arguments[4], NULL)) : 0x7fffffffu;
    if (step == 0 && strcmp(mode, "time") != 0) {
        fprintf(stderr, "math_check [time | STEP] [NAME [LOW HIGH]]\n");
        return 2;
    }
    int wrong = 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const Function *f = &functions[i];
        if (*only != 0 && strcmp(only, f->name) != 0) continue;
        if (strcmp(mode, "time") == 0) {
            printf("%-6s %6.3f ns", f->name, nanoseconds(f, false));
            if (f->unary_library != NULL || f->binary_library != NULL)
                printf(", of the C library %6.3f ns", nanoseconds(f, true));
            printf("\n");
            continue;
        }
        const Worst worst = check(f, step, low, high);
        const double allowed = LEVEL == 3 ? f->ulp_v3 : f->ulp;
        const bool good = worst.off <= allowed;
        printf("%s %-6s %.3f ulp, allowed %.2f: of %a", good ? "ok   " : "WRONG", f->name, worst.off, allowed,
               (double)worst.x);
        if (f->binary != NULL) printf(" and %a", (double)worst.y);
        printf(" got %.9g, wanted %.9g\n", (double)worst.got, worst.want);
        wrong += !good;
        fflush(stdout);
    }
    if (strcmp(mode, "time") == 0 || *only != 0) return wrong != 0;
    const int f16 = wrong_halves(false) + wrong_order_f16(), bf16 = wrong_halves(true) + wrong_order_bf16();
    printf("%s f16    %d wrong\n", f16 == 0 ? "ok   " : "WRONG", f16);
    printf("%s bf16   %d wrong\n", bf16 == 0 ? "ok   " : "WRONG", bf16);
    const int powers = wrong_powers_of_ten();
    printf("%s powers_of_ten %d wrong\n", powers == 0 ? "ok   " : "WRONG", powers);
    return wrong != 0 || f16 != 0 || bf16 != 0 || powers != 0;
}

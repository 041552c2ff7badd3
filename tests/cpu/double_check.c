/* double_check.c: the functions of doubles of templates/cpu against the C library's of long doubles, which have more
 * places on x86-64 and AArch64. Compiled as generated code is, and its loops vectorised as those are: test_cpu_math.py
 * does so with several compilers and for several processors.
 *
 *     double_check              special operands, and some hundred thousand random ones of each function; seconds
 *     double_check 61 [NAME]    67 times as many, of one function
 *
 * Prints the greatest error of each function; exit status 1 where one is larger than double_functions.h allows.
 */
#include "opgen_double_hyperbolic.h"
#include "opgen_double_trig.h"
#include "opgen_kernel.h"
#include "opgen_many_double_inverse.h"
#include "opgen_many_double_trig.h"
#include "opgen_pairs_double.h"

#include <stdio.h>
#include <stdlib.h>

/* Input and output are no parts of each other: a loop then has one version, which is the vectorised one. */
#define DOUBLE(name, ulp)                                                                                              \
    __attribute__((noinline)) static void loop_##name(int64_t n, const double *restrict x, const double *restrict y,   \
                                                      double *restrict out) {                                          \
        (void)y;                                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                                                \
            out[i] = opgen_##name##_f64(x[i]);                                                                         \
    }
#define NEAR(name, ulp) DOUBLE(name##_near, ulp)
#define DOUBLES(name, ulp)                                                                                             \
    __attribute__((noinline)) static void loop_##name(int64_t n, const double *restrict x, const double *restrict y,   \
                                                      double *restrict out) {                                          \
        for (int64_t i = 0; i < n; i++)                                                                                \
            out[i] = opgen_##name##_f64(x[i], y[i]);                                                                   \
    }
/* Of many: by the best that this processor has, part of them past the cache; a third of them in their own place, and so
 * many that some are left. */
#if defined(OPGEN_LEVELS)
#define MANY_LEVELS(name)                                                                                              \
    OPGEN_V4 __attribute__((noinline)) static void many_##name##_v4(int64_t n, const double *x, double *out) {         \
        many_##name(n, x, out, 4);                                                                                     \
    }                                                                                                                  \
    OPGEN_V3 __attribute__((noinline)) static void many_##name##_v3(int64_t n, const double *x, double *out) {         \
        many_##name(n, x, out, 3);                                                                                     \
    }
#define MANY_CHOOSE(name)                                                                                              \
    if (opgen_level() != 0) {                                                                                          \
        (opgen_level() == 4 ? many_##name##_v4 : many_##name##_v3)(n, x, out);                                         \
        return;                                                                                                        \
    }
#else
#define MANY_LEVELS(name)
#define MANY_CHOOSE(name)
#endif
#define MANY(name, ulp, limit)                                                                                         \
    OPGEN_INLINE void many_##name(int64_t n, const double *x, double *out, int level) {                                \
        const int64_t past = opgen_##name##_f64_past(out, x, n / 2, 64, level);                                        \
        opgen_##name##_f64_many(out + past, x + past, n - past, level);                                                \
    }                                                                                                                  \
    MANY_LEVELS(name)                                                                                                  \
    __attribute__((noinline)) static void any_##name(int64_t n, const double *x, double *out) {                        \
        MANY_CHOOSE(name)                                                                                              \
        many_##name(n, x, out, OPGEN_LEVEL);                                                                           \
    }                                                                                                                  \
    static void loop_##name##_many(int64_t n, const double *restrict x, const double *restrict y,                      \
                                   double *restrict out) {                                                             \
        const int64_t third = n / 3 / 8 * 8, own = n - third - 5;                                                      \
        (void)y;                                                                                                       \
        any_##name(third, x, out);                                                                                     \
        memcpy(out + third, x + third, (size_t)own * sizeof *x);                                                       \
        any_##name(own, out + third, out + third);                                                                     \
        any_##name(5, x + n - 5, out + n - 5);                                                                         \
    }
#include "double_functions.h"
#undef MANY
DOUBLE(sin, 0)
DOUBLE(cos, 0)
DOUBLE(tan, 0)
#undef DOUBLE
#undef NEAR
#undef DOUBLES

typedef struct Function {
    const char *name;
    double ulp; /* allowed */
    void (*loop)(int64_t n, const double *restrict x, const double *restrict y, double *restrict out);
    long double (*exact)(long double);
    long double (*exact_pair)(long double, long double);
    double limit; /* of operands */
} Function;

static long double rsqrtl(long double x) { return 1 / sqrtl(x); }
static long double sigmoidl(long double x) { return 1 / (1 + expl(-x)); }
static long double silul(long double x) { return x / (1 + expl(-x)); }
static long double softplusl(long double x) { return x > 20 ? x : log1pl(expl(x)); }
static long double logsigmoidl(long double x) { return x < -40 ? x : -log1pl(expl(-x)); }
static long double mishl(long double x) { return x * tanhl(log1pl(expl(x))); }

/* What is right up to a limit alone, and what calls C's beyond. */
static const Function functions[] = {
#define DOUBLE(name, ulp) {#name "_f64", ulp, loop_##name, name##l, NULL, INFINITY},
#define NEAR(name, ulp) {#name "_near_f64", ulp, loop_##name##_near, name##l, NULL, OPGEN_TRIG_NEAR}, DOUBLE(name, ulp)
#define DOUBLES(name, ulp) {#name "_f64", ulp, loop_##name, NULL, name##l, INFINITY},
#define MANY(name, ulp, limit) {#name "_many", ulp, loop_##name##_many, name##l, NULL, limit},
#include "double_functions.h"
#undef DOUBLE
#undef NEAR
#undef DOUBLES
#undef MANY
};

enum { N = 4096 };
#define WRONG 1e9

/* In units of the last place, as math_check.c has it. */
static double off_double(double got, long double want) {
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : WRONG;
    if (!signbit(got) != !signbit(want)) return WRONG;
    if (isinf(got) && isinf((double)want)) return 0;
    if (isinf(want)) return WRONG;
    int exponent;
    frexpl(want, &exponent);
    exponent = want == 0 || exponent < -1021 ? -1021 : exponent > 1024 ? 1024 : exponent;
    const long double value = isinf(got) ? copysignl(0x1p1023L * 2, (long double)got) : (long double)got;
    return (double)(fabsl(value - want) / ldexpl(1, exponent - 53));
}

/* Where something else begins: ends of ranges, the least normal number, quarters and halves of log(2), the roots of 2
 * and 1/2. */
static const double specials[] = {
    0,
    0x1p-1074,
    0x1p-1022,
    0x1.fffffffffffffp-1023,
    0x1.fffffffffffffp+1023,
    INFINITY,
    NAN,
    1,
    2,
    0.5,
    4,
    0x1.fffffffffffffp-1,
    0x1.0000000000001p+0,
    709.78,
    709.79,
    745.1,
    745.2,
    746.1,
    1024,
    1023.9999999999999,
    1074,
    1075,
    1076.1,
    1077,
    1e6,
    2e6,
    1e300,
    0x1.62e42fefa39efp-2,
    0x1.6a09e667f3bcdp+0,
    25,
    25.1,
    60,
    37.4299,
    61,
    0x1p-54,
    0x1.6a09e667f3bccp-1,
    0x1p-55,
    0x1p53,
    0x1p-30,
    0.41421356237309503,
    0.9,
    0.8999999999999999,
    6,
    5.9,
    3,
    1.5,
    10,
    3.6,
    3.75,
    7.5,
    7.49,
    5.93,
    0.125,
    8,
    16,
    26,
    26.5,
    27.2,
    27.3,
    28.1,
    710.4758600739439,
    710.475860073944,
    0x1p70,
    0x1p-28,
    0x1.fffffffffffffp+51,
    0x1.0000000000001p+52,
    0x1.fffffffffffffp+52,
    0x1.0000000000001p+53,
    0x1p500,
    0x1p-500,
    0x1p511,
    0x1.921fb54442d18p+0,
    0x1.921fb54442d18p+1,
    OPGEN_TRIG_NEAR,
};

static uint64_t state;
static uint32_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 24);
}

/* Any; between -1100 and 1100; between -2 and 2; near 0 and near 1 and -1 however near; up to the limit of what is
 * near, and next to quarters of a turn; of which all are at least 1, and none is. */
enum { KINDS = 10 };
static double random_double(int kind) {
    const uint64_t bits = (uint64_t)next() << 32 | next();
    const double share = (double)(bits >> 11) * 0x1p-52 - 1;
    if (kind == 0) return opgen_double(bits);
    if (kind == 1) return 1100 * share;
    if (kind == 2) return 2 * share;
    if (kind == 6) return OPGEN_TRIG_NEAR * share;
    if (kind == 7) {
        const double quarters = rint(ldexp(share, (int)(next() % 25))), x = quarters * 0x1.921fb54442d18p+0;
        return nextafter(x, (int)(next() % 3) - 1);
    }
    if (kind == 8) return 1 + ldexp(fabs(share), 11 - (int)(next() % 60));
    if (kind == 9) return copysign(1 - ldexp(fabs(share), -1 - (int)(next() % 52)), share);
    return ldexp(share, -(int)(next() % 60)) + (kind == 3 ? 0 : kind == 4 ? 1 : -1);
}

/* Beside x: any; what makes a power that is in range; about as large; a whole number; from -2 to 2. */
enum { PAIRS = 5 };
static double random_beside(int kind, double x) {
    if (kind == 0) return random_double(0);
    if (kind == 1) return random_double(1) / log2(fabs(x));
    if (kind == 2) return x * random_double(2);
    if (kind == 3) return rint(random_double(1) * 0.05);
    return random_double(2);
}

/* Those of a turn: special ones first, each of either sign, and each with each. Returns whether more of them are left.
 */
static bool operands(const Function *f, uint64_t turn, double *restrict x, double *restrict y) {
    enum { SPECIAL = 2 * (sizeof specials / sizeof *specials) };
    const uint64_t most = f->exact_pair != NULL ? SPECIAL * SPECIAL : SPECIAL;
    for (uint64_t k = 0; k < N; k++) {
        const uint64_t at = turn * N + k, beside = at / SPECIAL % SPECIAL;
        x[k] = copysign(specials[at % SPECIAL / 2], at % 2 == 0 ? 1 : -1);
        y[k] = copysign(specials[beside / 2], beside % 2 == 0 ? 1 : -1);
        if (turn * N >= most) {
            x[k] = random_double((int)(turn % KINDS));
            y[k] = f->exact_pair != NULL ? random_beside((int)(turn / KINDS % PAIRS), x[k]) : 0;
        }
        if (fabs(x[k]) > f->limit) x[k] = fmod(x[k], f->limit);
    }
    return (turn + 1) * N < most;
}

static int wrong_functions(uint64_t step, const char *only) {
    OPGEN_IN_LINE static double x[N], y[N], out[N];
    int wrong = 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const Function *f = &functions[i];
        if (*only != 0 && strcmp(only, f->name) != 0) continue;
        double worst = -1, at = 0, beside = 0, got = 0;
        long double wanted = 0;
        state = 88172645463325252u;
        uint64_t turns = 1 + KINDS * (100000 / step + 8);
        for (uint64_t turn = 0; turn < turns; turn++) {
            turns += operands(f, turn, x, y);
            memset(out, 0x5a, sizeof out);
            f->loop(N, x, y, out);
            for (int k = 0; k < N; k++) {
                const long double want = f->exact_pair != NULL ? f->exact_pair((long double)x[k], (long double)y[k])
                                                               : f->exact((long double)x[k]);
                const double d = off_double(out[k], want);
                if (d > worst) worst = d, at = x[k], beside = y[k], got = out[k], wanted = want;
            }
        }
        const bool good = worst <= f->ulp;
        printf("%s %-12s %.3f ulp, allowed %.2f: of %a", good ? "ok   " : "WRONG", f->name, worst, f->ulp, at);
        if (f->exact_pair != NULL) printf(" and %a", beside);
        printf(" got %.17g, wanted %.17Lg\n", got, wanted);
        wrong += !good;
    }
    return wrong;
}

/* Logarithms of powers of two are whole numbers, and the way back. */
static int wrong_powers(void) {
    int wrong = 0;
    for (int n = -1074; n < 1024; n++) {
        const double power = ldexp(1, n), exponent = n;
        double log, back;
        any_log2(1, &power, &log);
        any_exp2(1, &exponent, &back);
        wrong += opgen_log2_f64(power) != n || opgen_exp2_f64(n) != power || log != n || back != power;
    }
    return wrong;
}

/* Those of ten, as long as they are doubles. */
static int wrong_powers_of_ten(void) {
    int wrong = 0;
    double power = 1;
    for (int n = 0; n <= 22; n++, power *= 10) {
        double log;
        any_log10(1, &power, &log);
        wrong += opgen_log10_f64(power) != n || opgen_pow_f64(10, n) != power || log != n;
    }
    return wrong;
}

/* Powers of whole numbers that are doubles, and the same of 32 at once. */
static int wrong_whole_powers(void) {
#if defined(OPGEN_LEVELS)
    const int level = opgen_level();
#else
    const int level = OPGEN_LEVEL;
#endif
    int wrong = 0;
    for (int base = 1; base < 2000; base++) {
        double power = base, x[64], y[64];
        for (int i = 0; i < 64; i++)
            x[i] = base, y[i] = i;
        opgen_pow_f64_32(x, y, level);
        opgen_pow_f64_32(x + 32, y + 32, level);
        for (int n = 1; n < 53 && power < 0x1p53; n++, power *= base)
            wrong += x[n] != power;
        power = base;
        for (int n = 1; n < 53 && power < 0x1p53; n++, power *= base)
            wrong += opgen_pow_f64(base, n) != power || opgen_pow_f64(-base, n) != (n % 2 == 0 ? power : -power);
    }
    return wrong;
}

int main(int count, char **arguments) {
    const uint64_t step = count > 1 ? strtoull(arguments[1], NULL, 10) : 4099;
    if (step == 0) {
        fprintf(stderr, "double_check [STEP [NAME]]\n");
        return 2;
    }
    const int wrong = wrong_functions(step, count > 2 ? arguments[2] : ""), powers = wrong_powers();
    const int powers_of_ten = wrong_powers_of_ten(), whole_powers = wrong_whole_powers();
    printf("%s powers_of_two %d wrong\n", powers == 0 ? "ok   " : "WRONG", powers);
    printf("%s powers_of_ten %d wrong\n", powers_of_ten == 0 ? "ok   " : "WRONG", powers_of_ten);
    printf("%s whole_powers %d wrong\n", whole_powers == 0 ? "ok   " : "WRONG", whole_powers);
    return wrong != 0 || powers != 0 || powers_of_ten != 0 || whole_powers != 0;
}

/* double_check.c: the functions of doubles of templates/cpu against the C library's of long doubles, which have more
 * places on x86-64 and AArch64. Compiled as generated code is, and its loops vectorised as those are: test_cpu_math.py
 * does so with several compilers and for several processors.
 *
 *     double_check              special operands, and some hundred thousand random ones of each function; seconds
 *     double_check 61 [NAME]    67 times as many, of one function
 *
 * Prints the greatest error of each function; exit status 1 where one is larger than double_functions.h allows.
 */
#include "opgen_double.h"
#include "opgen_kernel.h"

#include <stdio.h>
#include <stdlib.h>

/* Input and output are no parts of each other: a loop then has one version, which is the vectorised one. */
#define DOUBLE(name, ulp)                                                                                              \
    __attribute__((noinline)) static void loop_##name(int64_t n, const double *restrict x, double *restrict out) {     \
        for (int64_t i = 0; i < n; i++)                                                                                \
            out[i] = opgen_##name##_f64(x[i]);                                                                         \
    }
#include "double_functions.h"
#undef DOUBLE

typedef struct Function {
    const char *name;
    double ulp; /* allowed */
    void (*loop)(int64_t n, const double *restrict x, double *restrict out);
    long double (*exact)(long double);
} Function;

static const Function functions[] = {
#define DOUBLE(name, ulp) {#name "_f64", ulp, loop_##name, name##l},
#include "double_functions.h"
#undef DOUBLE
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
};

static uint64_t state;
static uint32_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 24);
}

/* Any; between -1100 and 1100; between -2 and 2; near 0 and near 1 and -1 however near. */
static double random_double(int kind) {
    const uint64_t bits = (uint64_t)next() << 32 | next();
    const double share = (double)(bits >> 11) * 0x1p-52 - 1;
    if (kind == 0) return opgen_double(bits);
    if (kind == 1) return 1100 * share;
    if (kind == 2) return 2 * share;
    return ldexp(share, -(int)(next() % 60)) + (kind == 3 ? 0 : kind == 4 ? 1 : -1);
}

static int wrong_functions(uint64_t step, const char *only) {
    OPGEN_IN_LINE static double x[N], y[N];
    enum { SPECIAL = sizeof specials / sizeof *specials };
    int wrong = 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const Function *f = &functions[i];
        if (*only != 0 && strcmp(only, f->name) != 0) continue;
        double worst = -1, at = 0, got = 0;
        state = 88172645463325252u;
        for (uint64_t turn = 0; turn < 1 + 5 * (100000 / step + 8); turn++) {
            for (int k = 0; k < N; k++)
                x[k] = turn == 0 ? copysign(specials[k % SPECIAL], k / SPECIAL % 2 == 0 ? 1 : -1)
                                 : random_double((int)(turn % 5));
            memset(y, 0x5a, sizeof y);
            f->loop(N, x, y);
            for (int k = 0; k < N; k++) {
                const double d = off_double(y[k], f->exact((long double)x[k]));
                if (d > worst) worst = d, at = x[k], got = y[k];
            }
        }
        const bool good = worst <= f->ulp;
        printf("%s %-6s %.3f ulp, allowed %.2f: of %a got %.17g, wanted %.17Lg\n", good ? "ok   " : "WRONG", f->name,
               worst, f->ulp, at, got, f->exact((long double)at));
        wrong += !good;
    }
    return wrong;
}

/* Logarithms of powers of two are whole numbers, and the way back. */
static int wrong_powers(void) {
    int wrong = 0;
    for (int n = -1074; n < 1024; n++)
        wrong += opgen_log2_f64(ldexp(1, n)) != n || opgen_exp2_f64(n) != ldexp(1, n);
    return wrong;
}

int main(int count, char **arguments) {
    const uint64_t step = count > 1 ? strtoull(arguments[1], NULL, 10) : 4099;
    if (step == 0) {
        fprintf(stderr, "double_check [STEP [NAME]]\n");
        return 2;
    }
    const int wrong = wrong_functions(step, count > 2 ? arguments[2] : ""), powers = wrong_powers();
    printf("%s powers_of_two %d wrong\n", powers == 0 ? "ok   " : "WRONG", powers);
    return wrong != 0 || powers != 0;
}

/* cpu_math_bench.c: how fast kernels of the shapes in templates/cpu/README.md run, beside what the machine can do: a
 * scaled copy beside memcpy, a sum beside memchr, which reads and does nothing else, and conversions of 16-bit floats
 * in the cache. What the functions of floats take, tests/cpu/math_check.c says with `time`.
 *
 *     gcc -std=c11 -O3 -fno-math-errno -fno-trapping-math -ffp-contract=fast -fopenmp -Itemplates/cpu \
 *         tests/bench/cpu_math_bench.c -o build/cpu_math_bench && build/cpu_math_bench [MEBIBYTES] [TURNS]
 */
#include "opgen_kernel.h"
#include "opgen_math.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Since the first call: of a number that is not large a double has the nanoseconds. */
static double seconds(void) {
    static time_t first;
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    if (first == 0) first = t.tv_sec;
    return (double)(t.tv_sec - first) + (double)t.tv_nsec * 1e-9;
}

/* ---- writing */

static void copy(float *y, const float *x, int64_t n) { memcpy(y, x, (size_t)n * sizeof *y); }

OPGEN_CLONES static void scale(float *y, const float *x, int64_t n) {
    OPGEN_SIMD
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] * 1.5f;
}

OPGEN_CLONES static void scale_blocks(float *y, const float *x, int64_t n) {
    enum { BLOCK = OPGEN_BLOCK_BYTES / sizeof(float), MOST = OPGEN_LONG_BLOCK * BLOCK };
    float block[MOST];
    const bool turns = opgen_takes_turns();
    OpgenBlocks next = {0, n, 0, 0, 0};
    while (opgen_next_block(&next, y, sizeof *y, turns ? BLOCK : MOST, turns)) {
        const int64_t at = next.at, size = next.size;
        opgen_ahead(x + at, turns ? OPGEN_TURNS * OPGEN_BLOCK_BYTES : 4096, size * (int64_t)sizeof *x, turns);
        OPGEN_SIMD
        for (int64_t i = 0; i < size; i++)
            block[i] = x[at + i] * 1.5f;
        opgen_stream(y + at, block, size * (int64_t)sizeof *y);
    }
    opgen_stream_end();
}

/* ---- reading */

#define SUM(name, LANES)                                                                                               \
    OPGEN_CLONES static void name(float *y, const float *x, int64_t n) {                                               \
        float acc[LANES] = {0};                                                                                        \
        for (int64_t i = 0; i + LANES <= n; i += LANES) {                                                              \
            OPGEN_SIMD                                                                                                 \
            for (int64_t j = 0; j < LANES; j++)                                                                        \
                acc[j] += x[i + j];                                                                                    \
        }                                                                                                              \
        for (int64_t half = LANES / 2; half > 0; half /= 2)                                                            \
            for (int64_t j = 0; j < half; j++)                                                                         \
                acc[j] += acc[j + half];                                                                               \
        y[0] = acc[0];                                                                                                 \
    }
SUM(sum_8, 8)
SUM(sum_32, 32)
SUM(sum_64, 64)
SUM(sum_128, 128)

/* Nothing but reading: there is no such byte. */
static void read_all(float *y, const float *x, int64_t n) { y[0] = memchr(x, 0xff, (size_t)n * sizeof *x) != NULL; }

typedef struct Kernel {
    const char *name;
    void (*run)(float *y, const float *x, int64_t n);
    int moved; /* bytes an element */
} Kernel;

static const Kernel kernels[] = {
    {"memcpy", copy, 8},          {"scale, plain", scale, 8},     {"scale, blocks past the cache", scale_blocks, 8},
    {"memchr", read_all, 4},      {"sum, 8 lanes", sum_8, 4},     {"sum, 32 lanes", sum_32, 4},
    {"sum, 64 lanes", sum_64, 4}, {"sum, 128 lanes", sum_128, 4},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static void run(const Kernel *kernel, float *y, const float *x, int64_t n, int64_t threads) {
    const int64_t part = (n / threads + 1023) / 1024 * 1024;
    OPGEN_PARALLEL(threads)
    for (int64_t t = 0; t < threads; t++)
        if (t * part < n) kernel->run(y + t * part, x + t * part, opgen_min(part, n - t * part));
    (void)threads;
}

static void large(int64_t bytes, int turns) {
    const int64_t n = bytes / 4;
    float *x = (float *)aligned_alloc(4096, (size_t)bytes), *y = (float *)aligned_alloc(4096, (size_t)bytes);
    if (x == NULL || y == NULL) exit(1);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(i % 64), y[i] = 0;
#if defined(_OPENMP)
    const int64_t most = 2;
#else
    const int64_t most = 1;
#endif
    for (int64_t threads = 1; threads <= most; threads++) {
        double best[KERNELS];
        for (int k = 0; k < KERNELS; k++)
            best[k] = 1e9;
        /* Turn by turn, so that all see the same of what else the machine does; and processor time, which that has not.
         */
        for (int turn = 0; turn < turns; turn++)
            for (int k = 0; k < KERNELS; k++) {
                const clock_t start = clock();
                run(&kernels[k], y, x, n, threads);
                const double took = (double)(clock() - start) / CLOCKS_PER_SEC / (double)threads;
                if (took < best[k]) best[k] = took;
            }
        for (int k = 0; k < KERNELS; k++) {
            const int peer = kernels[k].moved == 8 ? 0 : 3;
            printf("%d threads  %-28s %6.1f GB/s  %3.0f %% of %s\n", (int)threads, kernels[k].name,
                   kernels[k].moved * (double)n / best[k] * 1e-9, 100 * best[peer] / best[k], kernels[peer].name);
        }
    }
    free(x);
    free(y);
}

/* ---- conversions */

#define CONVERT(name, from, to, expression)                                                                            \
    OPGEN_CLONES static void name(to *y, const from *x, int64_t n) {                                                   \
        OPGEN_SIMD                                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                                                \
            y[i] = expression(x[i]);                                                                                   \
    }
CONVERT(widen_f16, opgen_f16, float, opgen_f32_of_f16)
CONVERT(narrow_f16, float, opgen_f16, opgen_f16_of_f32)
CONVERT(widen_bf16, opgen_bf16, float, opgen_f32_of_bf16)
CONVERT(narrow_bf16, float, opgen_bf16, opgen_bf16_of_f32)

#define TIME(call, n)                                                                                                  \
    do {                                                                                                               \
        double best = 1;                                                                                               \
        for (int turn = 0; turn < 2000; turn++) {                                                                      \
            const double start = seconds();                                                                            \
            call;                                                                                                      \
            const double took = seconds() - start;                                                                     \
            if (took < best) best = took;                                                                              \
        }                                                                                                              \
        printf("%-32s %.3f ns an element\n", #call, best / (double)(n)*1e9);                                           \
    } while (0)

static void conversions(void) {
    enum { N = 4096 };
    static float wide[N];
    static uint16_t narrow[N];
    for (int i = 0; i < N; i++)
        wide[i] = (float)i * 0.37f - 700;
    TIME(narrow_f16(narrow, wide, N), N);
    TIME(widen_f16(wide, narrow, N), N);
    TIME(narrow_bf16(narrow, wide, N), N);
    TIME(widen_bf16(wide, narrow, N), N);
}

int main(int count, char **arguments) {
    const int64_t mebibytes = count > 1 ? atoll(arguments[1]) : 128;
    conversions();
    large(opgen_max(1, mebibytes) << 20, count > 2 ? atoi(arguments[2]) : 20);
    return 0;
}

/* gemm_bench.c: one generated matrix product beside OpenBLAS's, in one process, taking turns.
 *
 * gemm_bench.sh compiles it with KERNEL_FILE, the generated file, KERNEL, its function, and TRANSPOSED, whether the
 * second matrix is stored by its columns (as linear's weight is). Of one thread the processor's time is counted, of
 * several the wall clock. What is compared is the median of all turns, and the best one, since other programs may run
 * at the same time. Results are compared, too: a product that is fast and wrong ends with 1.
 */
#include KERNEL_FILE

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern void openblas_set_num_threads(int threads);
extern char *openblas_get_corename(void);

typedef struct Times {
    double *seconds;
    int n;
} Times;

static double now(int threads) {
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void *memory(int64_t bytes) {
    void *at = aligned_alloc(64, (size_t)(bytes + 64) / 64 * 64);
    if (at == NULL) exit(2);
    memset(at, 0xff, (size_t)(bytes + 64) / 64 * 64);
    return at;
}

static float *random_floats(int64_t n, uint32_t seed) {
    float *at = memory(4 * n);
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        at[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
    }
    return at;
}

static void blas(float *y, const float *a, const float *b, int m, int n, int k) {
    if (m == 1)
        cblas_sgemv(CblasRowMajor, TRANSPOSED ? CblasNoTrans : CblasTrans, TRANSPOSED ? n : k, TRANSPOSED ? k : n, 1, b,
                    TRANSPOSED ? k : n, a, 1, 0, y, 1);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, TRANSPOSED ? CblasTrans : CblasNoTrans, m, n, k, 1, a, k, b,
                    TRANSPOSED ? k : n, 0, y, n);
}

/* Whether both are right: the error of a sum of k products is a few ulps of what is summed up. */
static bool same(const float *x, const float *y, int64_t count, int64_t k) {
    const float most = 4e-7f * sqrtf((float)k) * sqrtf((float)k < 16 ? 16.0f : (float)k);
    for (int64_t i = 0; i < count; i++)
        if (!(fabsf(x[i] - y[i]) <= most)) return false;
    return true;
}

static bool measure(int64_t m, int64_t n, int64_t k, int threads, int turns) {
    const float *a = random_floats(m * k, 1), *b = random_floats(k * n, 2);
    float *ours = memory(4 * m * n), *theirs = memory(4 * m * n);
    void *workspace = memory(k * 768 * 4);
    const double work = 2.0 * (double)m * (double)n * (double)k;
    const int times = (int)(1e6 / work) + 1;
    Times t[2] = {{memory(8 * turns), turns}, {memory(8 * turns), turns}};
    openblas_set_num_threads(threads);
    for (int turn = -1; turn < turns; turn++)
        for (int who = 0; who < 2; who++) {
            const double from = now(threads);
            for (int i = 0; i < times; i++) {
                if (who == 0)
                    KERNEL(ours, a, b, m, n, k, workspace, threads);
                else
                    blas(theirs, a, b, (int)m, (int)n, (int)k);
            }
            if (turn >= 0) t[who].seconds[turn] = (now(threads) - from) / times;
        }
    const bool right = same(ours, theirs, m * n, k);
    for (int who = 0; who < 2; who++)
        qsort(t[who].seconds, (size_t)turns, sizeof(double), by_size);
    const double middle = t[0].seconds[turns / 2], best = t[0].seconds[0];
    printf("%6lld %6lld %6lld  %d thread%s  %8.1f GFLOP/s  OpenBLAS %8.1f  ratio %5.2f, of the best %5.2f%s\n",
           (long long)m, (long long)n, (long long)k, threads, threads == 1 ? " " : "s", work / middle / 1e9,
           work / t[1].seconds[turns / 2] / 1e9, t[1].seconds[turns / 2] / middle, t[1].seconds[0] / best,
           right ? "" : "  WRONG");
    free((void *)(uintptr_t)a), free((void *)(uintptr_t)b), free(ours), free(theirs), free(workspace);
    free(t[0].seconds), free(t[1].seconds);
    return right;
}

int main(int argc, char **argv) {
    const int most = argc > 1 ? atoi(argv[1]) : 2;
    bool right = true;
    printf("%s, OpenBLAS for %s\n", TRANSPOSED ? "linear" : "mm", openblas_get_corename());
    for (int threads = 1; threads <= most; threads *= 2) {
        for (int64_t size = 1024; size <= 4096; size *= 2)
            right = measure(size, size, size, threads, size < 4096 ? 15 : 7) && right;
    }
    for (int64_t m = 1; m <= 256; m *= 4)
        right = measure(m, 4096, 4096, 1, 11) && right;
    right = measure(4096, 2, 4096, 1, 11) && right;
    for (int64_t size = 4; size <= 256; size *= 4)
        right = measure(size, size, size, 1, 31) && right;
    return right ? 0 : 1;
}

/* kernel_check.c: what opgen_kernel.h promises: stores past the cache are stores, clones compute what one version does,
 * loops said to be independent and shared by threads do all turns. C11 and C++17; exit status 1 where something does
 * not hold.
 */
#include "opgen_exp.h"
#include "opgen_kernel.h"
#include "opgen_math.h"
#include "opgen_trig.h"

#include <stdio.h>
#include <stdlib.h>
#if defined(_OPENMP)
#include <omp.h>
#endif

static int failures;

static void expect(bool holds, const char *what, int64_t a, int64_t b) {
    if (holds) return;
    failures++;
    if (failures < 20) printf("WRONG %s (%lld, %lld)\n", what, (long long)a, (long long)b);
}

/* ---- the shapes that README.md shows */

OPGEN_CLONES static void part(const float *x, float *y, int64_t from, int64_t to) {
    OPGEN_SIMD
    for (int64_t i = from; i < to; i++)
        y[i] = opgen_exp_f32(x[i]) * 0.5f + 1;
}

OPGEN_CLONES static void blocks(const float *x, float *y, int64_t from, int64_t to) {
    enum { BLOCK = OPGEN_BLOCK_BYTES / sizeof(float), MOST = OPGEN_LONG_BLOCK * BLOCK };
    float block[MOST];
    const bool turns = opgen_takes_turns();
    OpgenBlocks next = {from, to, 0, 0, 0};
    while (opgen_next_block(&next, y, sizeof *y, turns ? BLOCK : MOST, turns)) {
        const int64_t at = next.at, n = next.size;
        opgen_ahead(x + at, turns ? OPGEN_TURNS * OPGEN_BLOCK_BYTES : 4096, n * (int64_t)sizeof *x, turns);
        OPGEN_SIMD
        for (int64_t i = 0; i < n; i++)
            block[i] = opgen_exp_f32(x[at + i]) * 0.5f + 1;
        opgen_stream(y + at, block, n * (int64_t)sizeof *y);
    }
    opgen_stream_end();
}

OPGEN_CLONES static float sum(const float *x, int64_t n) {
    enum { LANES = 64 };
    float acc[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        OPGEN_SIMD
        for (int64_t j = 0; j < LANES; j++)
            acc[j] += x[i + j];
    }
    for (int64_t j = 0; i + j < n; j++)
        acc[j] += x[i + j];
    for (int64_t half = LANES / 2; half > 0; half /= 2)
        for (int64_t j = 0; j < half; j++)
            acc[j] += acc[j + half];
    return acc[0];
}

#if defined(_OPENMP)
static int64_t most_threads;
#endif

static void shared(const float *x, float *y, int64_t n, int64_t threads) {
    const int64_t grain = 1000, parts = (n + grain - 1) / grain;
    OPGEN_PARALLEL(threads)
    for (int64_t p = 0; p < parts; p++) {
#if defined(_OPENMP)
        if (p == 0) most_threads = omp_get_num_threads();
#endif
        part(x, y, p * grain, opgen_min(n, (p + 1) * grain));
    }
    (void)threads;
}

/* ---- checks */

/* Each place and each length around lines of 64 bytes; what lies outside stays. */
static void check_stream(void) {
    enum { SIZE = 1024 };
    static unsigned char from[SIZE], to[SIZE], want[SIZE];
    for (int i = 0; i < SIZE; i++)
        from[i] = (unsigned char)(i * 7 + 3);
    for (int64_t at = 0; at < 130; at++)
        for (int64_t bytes = 0; bytes < 300; bytes++) {
            memset(to, 0xa5, SIZE);
            memset(want, 0xa5, SIZE);
            const int64_t source = (at * 31 + bytes) % 97;
            memcpy(want + at, from + source, (size_t)bytes);
            opgen_stream(to + at, from + source, bytes);
            opgen_stream_end();
            expect(memcmp(to, want, SIZE) == 0, "opgen_stream", at, bytes);
        }
}

/* Each place once, whatever is begun and ended at; no block is larger than was asked for, and each ends where a line
 * does, if it can be as long as one. */
static void check_blocks_of(int64_t most, int64_t bytes, int64_t from, int64_t size, bool turns) {
    enum { ALL = 3 * OPGEN_TURNS * 64 + 200 };
    static unsigned char times[ALL];
    OpgenBlocks next = {from, from + size, 0, 0, 0};
    int64_t jumps = 0, last = from, count = 0;
    bool good = true;
    memset(times, 0, ALL);
    while (good && count++ < ALL && opgen_next_block(&next, (const void *)(uintptr_t)4096, bytes, most, turns)) {
        good = next.size > 0 && next.size <= most && next.at >= from && next.at + next.size <= from + size;
        if (!good) break;
        jumps += next.at != last;
        last = next.at + next.size;
        good = last * bytes % 64 == 0 || last == from + size || most * bytes < 64;
        for (int64_t i = next.at; i < last; i++)
            times[i]++;
    }
    for (int64_t i = 0; i < ALL; i++)
        good = good && times[i] == (i >= from && i < from + size);
    expect(good, "opgen_next_block", from, size);
    const int64_t over = from * bytes % 64 / bytes, rest = size - (over > 0 ? most - over : 0);
    if (most * bytes >= 64) expect((jumps > 0) == (turns && rest >= OPGEN_TURNS * most), "turns of pages", from, size);
}

static void check_blocks(void) {
    for (int64_t most = 32; most <= 64; most *= 2)
        for (int64_t bytes = 1; bytes <= 8; bytes *= 2)
            for (int64_t from = 0; from < 130; from += 13)
                for (int turns = 0; turns < 2; turns++) {
                    const int64_t all = OPGEN_TURNS * most,
                                  sizes[] = {0, 1, most - 1, most, all - 1, all, all + 77, 3 * all};
                    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
                        check_blocks_of(most, bytes, from, sizes[k], turns);
                }
}

static float wanted(float x) { return (float)(exp((double)x) * 0.5 + 1); }

static void check_map(int64_t n) {
    float *x = (float *)malloc((size_t)n * sizeof *x + 1), *y = (float *)malloc((size_t)n * sizeof *y + 1);
    for (int way = 0; way < 5; way++) {
        for (int64_t i = 0; i < n; i++)
            x[i] = (float)(i % 997) * 0.01f - 5, y[i] = NAN;
        float *to = way == 4 ? x : y;
        if (way == 0) part(x, y, 0, n);
        if (way == 1) blocks(x, y, 0, n);
        if (way == 2) shared(x, y, n, 2);
        if (way == 3) shared(x, y, n, 1);
        /* Each element is read before it is written, in the same turn. */
        if (way == 4) part(x, x, 0, n);
        for (int64_t i = 0; i < n; i++) {
            const float w = wanted((float)(i % 997) * 0.01f - 5);
            expect(fabsf(to[i] - w) <= w * 3e-7f, "map", way, i);
        }
#if defined(_OPENMP)
        if (way == 2 && n > 0) expect(most_threads == 2, "two threads", most_threads, n);
        if (way == 3 && n > 0) expect(most_threads == 1, "one thread", most_threads, n);
#endif
    }
    free(x);
    free(y);
}

static void check_sum(int64_t n) {
    float *x = (float *)malloc((size_t)n * sizeof *x + 1);
    double want = 0;
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(i % 13) * 0.25f, want += (double)x[i];
    /* All of these are quarters, and few enough that no sum is rounded. */
    expect((double)sum(x, n) == want, "sum", n, (int64_t)want);
    free(x);
}

int main(void) {
    check_stream();
    check_blocks();
    const int64_t sizes[] = {0, 1, 15, 63, 64, 65, 255, 256, 257, 1000, 4099, 100003};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_map(sizes[i]);
        check_sum(sizes[i]);
    }
    printf("%d wrong\n", failures);
    return failures != 0;
}

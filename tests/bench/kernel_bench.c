/* kernel_bench.c: generated kernels under a clock, each beside what the memory of this machine does at best.
 *
 * Takes a library of kernels and, from standard input, a line a measurement:
 *
 *     NAME FUNCTION copy|read|none BYTES ARGUMENT...
 *
 * where an argument is i:NUMBER (an integer), w:BYTES (memory that is written) or r:DTYPE:BYTES (memory that is read,
 * filled with numbers between 0 and 1, of integers between -100 and 100). BYTES is how many bytes one call moves; copy
 * compares that with memcpy, which reads and writes 256 MiB each (--mib), read with a sum over so many floats. Calls
 * and the comparison take turns, so that both see the same machine; the best of each counts. With --wall the time of
 * the day is taken, otherwise the processor time of the thread, which others on the machine disturb less. Prints
 *
 *     NAME microseconds GB/s GB/s-of-the-comparison ratio
 *
 * Functions take integers and pointers alone, and are called with more arguments than they have: every calling
 * convention that this is meant for (x86-64, arm64) passes them in registers or lets the caller clean up.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ARGS = 16, ROUNDS = 9, SUM_LANES = 128 };

/* Bytes; --mib=N says another number. */
static size_t compared_bytes = (size_t)256 << 20;

typedef void Kernel(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                    uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static clockid_t clock_used = CLOCK_THREAD_CPUTIME_ID;

static double now(void) {
    struct timespec t;
    clock_gettime(clock_used, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *room(size_t bytes) {
    void *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096 + 4096);
    if (p == NULL) {
        fprintf(stderr, "kernel_bench: no memory for %zu bytes\n", bytes);
        exit(2);
    }
    return p;
}

static uint32_t next(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }

static void fill(void *to, const char *dtype, size_t bytes) {
    uint32_t state = 1;
    if (strcmp(dtype, "f32") == 0)
        for (size_t i = 0; i < bytes / 4; i++)
            ((float *)to)[i] = (float)(next(&state) >> 8) * 0x1p-24f;
    else if (strcmp(dtype, "f64") == 0)
        for (size_t i = 0; i < bytes / 8; i++)
            ((double *)to)[i] = (double)next(&state) * 0x1p-32;
    else if (strcmp(dtype, "f16") == 0) /* from 0.5 to 1 */
        for (size_t i = 0; i < bytes / 2; i++)
            ((uint16_t *)to)[i] = (uint16_t)(0x3800u + (next(&state) >> 22));
    else if (strcmp(dtype, "bf16") == 0)
        for (size_t i = 0; i < bytes / 2; i++)
            ((uint16_t *)to)[i] = (uint16_t)(0x3f00u + (next(&state) >> 25));
    else if (strcmp(dtype, "i32") == 0)
        for (size_t i = 0; i < bytes / 4; i++)
            ((int32_t *)to)[i] = (int32_t)(next(&state) >> 8) % 200 - 100;
    else
        for (size_t i = 0; i < bytes; i++)
            ((uint8_t *)to)[i] = (uint8_t)(next(&state) >> 24);
}

/* ---- what the kernels are compared with */
static void *copy_to, *copy_from;
static volatile float sum_of;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
static float
sum(const float *x, size_t n) {
    float lanes[SUM_LANES] = {0}, total = 0;
    for (size_t i = 0; i < n; i += SUM_LANES) {
        for (size_t k = 0; k < SUM_LANES; k += 16)
            __builtin_prefetch(x + i + k + 1024);
        for (size_t k = 0; k < SUM_LANES; k++)
            lanes[k] += x[i + k];
    }
    for (size_t k = 0; k < SUM_LANES; k++)
        total += lanes[k];
    return total;
}

static double compare(const char *with) {
    double begin = now();
    if (strcmp(with, "copy") == 0)
        memcpy(copy_to, copy_from, compared_bytes);
    else
        sum_of = sum(copy_from, compared_bytes / sizeof(float));
    return now() - begin;
}

/* ---- one line */
static void measure(void *library, char *line) {
    char *save = NULL, *name = strtok_r(line, " \n", &save), *function = strtok_r(NULL, " \n", &save),
         *with = strtok_r(NULL, " \n", &save), *moved = strtok_r(NULL, " \n", &save);
    if (moved == NULL) return;
    uintptr_t args[MOST_ARGS] = {0};
    void *memory[MOST_ARGS];
    size_t n = 0, held = 0;
    for (char *arg; (arg = strtok_r(NULL, " \n", &save)) != NULL && n < MOST_ARGS; n++) {
        if (arg[0] == 'i') {
            args[n] = (uintptr_t)strtoll(arg + 2, NULL, 10);
            continue;
        }
        char *dtype = arg + 2, *size = arg[0] == 'r' ? strchr(dtype, ':') : NULL;
        size_t bytes = strtoull(size != NULL ? size + 1 : dtype, NULL, 10);
        void *p = memory[held++] = room(bytes);
        if (size != NULL) *size = 0, fill(p, dtype, bytes);
        if (size == NULL) memset(p, 0, bytes);
        args[n] = (uintptr_t)p;
    }
    union {
        void *symbol;
        Kernel *call;
    } kernel = {dlsym(library, function)};
    if (kernel.symbol == NULL) {
        fprintf(stderr, "kernel_bench: there is no function %s\n", function);
        exit(2);
    }
    double best = 1e9, compared = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double first = 0, t;
        int calls = 0;
        do { /* what is short is called for a hundredth of a second */
            double begin = now();
            kernel.call(args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7], args[8], args[9],
                        args[10], args[11], args[12], args[13], args[14], args[15]);
            t = now() - begin;
            first += t, calls++;
            if (t < best) best = t;
        } while (first < 0.01 && calls < 10000);
        t = strcmp(with, "none") == 0 ? 0 : compare(with);
        if (t < compared) compared = t;
    }
    double rate = strtod(moved, NULL) / best * 1e-9, peer = 0;
    if (compared > 0) peer = (strcmp(with, "copy") == 0 ? 2 : 1) * (double)compared_bytes / compared * 1e-9;
    printf("%-40s %10.1f us %8.1f GB/s", name, best * 1e6, rate);
    if (compared > 0) printf(" %8.1f %s %6.2f", peer, with, rate / peer);
    printf("\n");
    fflush(stdout);
    while (held > 0)
        free(memory[--held]);
}

int main(int argc, char **argv) {
    bool usable = argc >= 2;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--wall") == 0)
            clock_used = CLOCK_MONOTONIC;
        else if (strncmp(argv[i], "--mib=", 6) == 0)
            compared_bytes = strtoull(argv[i] + 6, NULL, 10) << 20;
        else
            usable = false;
    }
    void *library = usable ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        const char *usage = "usage: kernel_bench LIBRARY [--wall] [--mib=N] < plan";
        fprintf(stderr, "kernel_bench: %s\n", usable ? dlerror() : usage);
        return 2;
    }
    copy_to = room(compared_bytes), copy_from = room(compared_bytes);
    fill(copy_from, "f32", compared_bytes);
    memset(copy_to, 0, compared_bytes);
    static char line[4096];
    while (fgets(line, sizeof line, stdin) != NULL)
        measure(library, line);
    return 0;
}

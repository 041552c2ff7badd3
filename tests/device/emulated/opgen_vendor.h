/* opgen_vendor.h: a GPU without a GPU, for tests: each thread of a block is a context of its own, which runs until it
 * waits for the others; blocks run one after the other.
 *
 * A thread that comes to a barrier gives way to the next, so one round over all that are not done is one barrier.
 * Threads of a block that wait in different places, or more often than others, are a mistake that ends the program:
 * real devices hang or go on with wrong values. Lanes exchange values by way of such barriers, which all threads of a
 * block have to reach.
 */
#ifndef OPGEN_VENDOR_H
#define OPGEN_VENDOR_H

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(...)
#define __syncthreads() opgen_emulated_wait(__LINE__)
#define OPGEN_KERNEL static inline
#define OPGEN_UNROLL
#define OPGEN_ROLLED

struct uint4 {
    uint32_t x, y, z, w;
};
struct uint2 {
    uint32_t x, y;
};

/* Threads take turns at what they wait for alone. */
static inline int atomicAdd(int *to, int more) {
    const int was = *to;
    *to += more;
    return was;
}

typedef void *emuStream_t;
typedef int emuError_t;
enum { emuMemcpyDeviceToDevice };
static inline int emuGetLastError() { return 0; }
static inline int emuMemcpyAsync(void *to, const void *from, size_t size, int, emuStream_t) {
    memmove(to, from, size);
    return 0;
}

/* ---- threads */
struct OpgenEmulatedPlace {
    unsigned x;
};
inline OpgenEmulatedPlace threadIdx, blockIdx, blockDim;

/* Each has a stack and runs one kernel after the other on it. They are begun by makecontext, but go on by _longjmp:
 * swapcontext asks the system each time, which took most of the time there was. _FORTIFY_SOURCE, which some systems
 * have by default, would take such a jump for a mistake: backend.json has it off. */
struct OpgenThreads {
    enum { MOST = 1024, STACK = 1 << 17 };
    jmp_buf host, threads[MOST];
    int64_t begun; /* so many */
    char *stacks;
    int waits[MOST]; /* in which line each does; 0: it is done */
    uint32_t words[MOST];
    void (*call)(void *kernel);
    void *kernel;
};
inline OpgenThreads *opgen_threads;

static inline void opgen_emulated_wait(int line) {
    const unsigned me = threadIdx.x;
    opgen_threads->waits[me] = line;
    if (_setjmp(opgen_threads->threads[me]) == 0) _longjmp(opgen_threads->host, 1);
}

static inline void opgen_emulated_thread() {
    for (;;) {
        opgen_threads->call(opgen_threads->kernel);
        opgen_emulated_wait(0);
    }
}

/* Lets a thread run until it waits or is done. */
static inline void opgen_emulated_go_on(int64_t i) {
    OpgenThreads *t = opgen_threads;
    if (_setjmp(t->host) != 0) return;
    if (i < t->begun) _longjmp(t->threads[i], 1);
    ucontext_t own;
    getcontext(&own);
    own.uc_stack.ss_sp = t->stacks + i * OpgenThreads::STACK;
    own.uc_stack.ss_size = OpgenThreads::STACK;
    own.uc_link = nullptr;
    makecontext(&own, opgen_emulated_thread, 0);
    t->begun = i + 1;
    setcontext(&own);
}

template <typename F> static void opgen_emulate(int64_t grid, int64_t block, F kernel) {
    if (!opgen_threads) {
        opgen_threads = (OpgenThreads *)calloc(1, sizeof *opgen_threads);
        opgen_threads->stacks =
            (char *)mmap(nullptr, (size_t)OpgenThreads::MOST * OpgenThreads::STACK, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    OpgenThreads *t = opgen_threads;
    if (grid <= 0 || block <= 0 || block > OpgenThreads::MOST) {
        fprintf(stderr, "emulated: a launch of %lld blocks of %lld threads\n", (long long)grid, (long long)block);
        abort();
    }
    t->call = [](void *f) { (*(F *)f)(); };
    t->kernel = &kernel;
    blockDim.x = (unsigned)block;
    for (int64_t b = 0; b < grid; b++) {
        blockIdx.x = (unsigned)b;
        for (int64_t i = 0; i < block; i++)
            t->waits[i] = -1;
        for (bool more = true; more;) {
            int line = 0;
            more = false;
            for (int64_t i = 0; i < block; i++) {
                if (t->waits[i] == 0) continue;
                threadIdx.x = (unsigned)i;
                opgen_emulated_go_on(i);
                if (t->waits[i] == 0) continue;
                if (line != 0 && t->waits[i] != line) {
                    fprintf(stderr, "emulated: threads of one block wait in lines %d and %d\n", line, t->waits[i]);
                    abort();
                }
                line = t->waits[i];
                more = true;
            }
        }
    }
}

/* ---- lanes: all threads of the block come here together */
static inline uint32_t opgen_word_from(uint32_t word, unsigned lane) {
    opgen_threads->words[threadIdx.x] = word;
    opgen_emulated_wait(1);
    word = opgen_threads->words[lane];
    opgen_emulated_wait(2);
    return word;
}
static inline uint32_t opgen_word_xor(uint32_t word, int lanes, int width) {
    const unsigned me = threadIdx.x;
    return opgen_word_from(word, me / (unsigned)width * (unsigned)width + (me % (unsigned)width ^ (unsigned)lanes));
}
static inline uint32_t opgen_word_up(uint32_t word, int by, int width) {
    const unsigned me = threadIdx.x;
    return opgen_word_from(word, me % (unsigned)width < (unsigned)by ? me : me - (unsigned)by);
}

/* ---- numbers */
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }

static inline float opgen_emulated_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static inline uint32_t opgen_emulated_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static inline float opgen_f32_of_bf16(uint16_t h) { return opgen_emulated_float((uint32_t)h << 16); }
static inline uint16_t opgen_bf16_of_f32(float f) {
    const uint32_t bits = opgen_emulated_bits(f);
    return (uint16_t)(f != f ? 0x7fc0u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
static inline float opgen_f32_of_f16(uint16_t h) {
    const int exponent = h >> 10 & 31, digits = h & 1023;
    const float size = exponent == 31  ? (digits ? NAN : INFINITY)
                       : exponent == 0 ? ldexpf((float)digits, -24)
                                       : ldexpf((float)(digits + 1024), exponent - 25);
    return h & 0x8000 ? -size : size;
}
static inline uint16_t opgen_f16_of_f32(float f) {
    const uint32_t bits = opgen_emulated_bits(f);
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    const float size = fabsf(f);
    if (f != f) return (uint16_t)(sign | 0x7e00u);
    if (size >= 65520.0f) return (uint16_t)(sign | 0x7c00u);
    int exponent;
    frexpf(size, &exponent);
    const int unit = exponent - 11 < -24 ? -24 : exponent - 11;
    const float rounded = ldexpf(rintf(ldexpf(size, -unit)), unit);
    frexpf(rounded, &exponent);
    if (rounded == 0) return sign;
    if (exponent < -13) return (uint16_t)(sign | (uint16_t)ldexpf(rounded, 24));
    return (uint16_t)(sign | ((exponent + 14) << 10) | ((uint16_t)ldexpf(rounded, 11 - exponent) & 1023));
}

#endif

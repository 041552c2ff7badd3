/* integer_check.c: quotients, remainders, powers and shifts of integers (opgen_math.h), of vectors of them as generated
 * code has them, beside what C itself says of one: all pairs of 8 bits; of more bits random ones of any length, ends of
 * the range, multiples of the divisor, small powers and shifts. The first pairs that are wrong are printed. So are
 * quotients of 32 pairs at once (opgen_pairs_integer.h).
 */
#include "opgen_math.h"
#include "opgen_pairs_integer.h"

#include <inttypes.h>
#include <stdio.h>

#define APART __attribute__((noinline))
enum { N = 4096, TURNS = 96 };

static uint64_t state = 88172645463325252u;

/* xorshift */
static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t first(int bits) {
    const uint64_t half = (uint64_t)1 << (bits - 1), ends[] = {half - 1, half, half + 1, UINT64_MAX, 0, 1};
    const uint64_t value = next() >> next() % 64;
    return next() % 7 == 0 ? ends[next() % 6] : next() % 2 == 0 ? value : 0 - value;
}

/* What goes with `a`, which may become a multiple of it, or nearly one. */
static uint64_t second(int bits, uint64_t *a) {
    const uint64_t way = next() % 6;
    if (way == 0) return next() % 7 - 3;
    if (way == 1) return next() % 80;
    const uint64_t b = first(bits);
    if (way == 2) *a = b * (next() % 1000) + next() % 3 - 1;
    return b;
}

static uint64_t power(uint64_t a, uint64_t e) {
    uint64_t p = 1;
    for (; e != 0; e >>= 1, a *= a)
        if (e & 1) p *= a;
    return p;
}

static int wrong;
static void same(const char *what, int64_t a, int64_t b, int64_t is, int64_t wanted) {
    if (is == wanted || ++wrong > 20) return;
    printf("WRONG %s of %" PRId64 " and %" PRId64 " is %" PRId64 ", not %" PRId64 "\n", what, a, b, is, wanted);
}

#define LOOP(name, T, what)                                                                                            \
    APART static void what##_##name(const T *restrict a, const T *restrict b, T *restrict y) {                         \
        for (int i = 0; i < N; i++)                                                                                    \
            y[i] = opgen_##what##_##name(a[i], b[i]);                                                                  \
    }
/* WANTED of a and b, which have 64 bits. */
#define ALIKE(name, T, what, WANTED)                                                                                   \
    what##_##name(x, y, z);                                                                                            \
    for (int i = 0; i < N; i++) {                                                                                      \
        const int64_t a = (int64_t)x[i], b = (int64_t)y[i];                                                            \
        same(#what " " #name, a, b, (int64_t)z[i], (int64_t)(T)(WANTED));                                              \
    }
#define INTEGERS(name, T, BITS, FLOORED, MODULO, LEFT, POWER, RIGHT)                                                   \
    LOOP(name, T, floordiv)                                                                                            \
    LOOP(name, T, mod)                                                                                                 \
    LOOP(name, T, fmod)                                                                                                \
    LOOP(name, T, pow)                                                                                                 \
    LOOP(name, T, shl)                                                                                                 \
    LOOP(name, T, shr)                                                                                                 \
    static int wrong_##name(void) {                                                                                    \
        static T x[N], y[N], z[N];                                                                                     \
        const int before = wrong;                                                                                      \
        for (int turn = 0; turn < TURNS; turn++) {                                                                     \
            for (int i = 0; i < N; i++) {                                                                              \
                const uint64_t pair = (uint64_t)turn * N + (uint64_t)i;                                                \
                uint64_t a = first(BITS);                                                                              \
                const uint64_t b = second(BITS, &a);                                                                   \
                x[i] = (T)(BITS == 8 ? pair : a);                                                                      \
                y[i] = (T)(BITS == 8 ? pair >> 8 : b);                                                                 \
            }                                                                                                          \
            ALIKE(name, T, floordiv, FLOORED)                                                                          \
            ALIKE(name, T, mod, MODULO)                                                                                \
            ALIKE(name, T, fmod, LEFT)                                                                                 \
            ALIKE(name, T, pow, POWER)                                                                                 \
            ALIKE(name, T, shl, (uint64_t)b >= BITS ? 0 : (uint64_t)a << b)                                            \
            ALIKE(name, T, shr, RIGHT)                                                                                 \
        }                                                                                                              \
        return wrong - before;                                                                                         \
    }

/* By 0 quotients are 0, and so is what they leave; by -1 negation, of which the least integer is itself. */
static int64_t divided(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b; }
static int64_t left_of(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
static bool turns(int64_t a, int64_t b) { return left_of(a, b) != 0 && (left_of(a, b) < 0) != (b < 0); }
static int64_t inverse(int64_t a, int64_t b) { return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0; }

#define SIGNED(name, BITS)                                                                                             \
    INTEGERS(name, int##BITS##_t, BITS, divided(a, b) - turns(a, b), turns(a, b) ? left_of(a, b) + b : left_of(a, b),  \
             left_of(a, b), b < 0 ? inverse(a, b) : (int64_t)power((uint64_t)a, (uint64_t)b),                          \
             a >> ((uint64_t)b >= BITS ? BITS - 1 : b))
#define UNSIGNED(name, BITS)                                                                                           \
    INTEGERS(name, uint##BITS##_t, BITS, b == 0 ? 0 : (uint64_t)a / (uint64_t)b,                                       \
             b == 0 ? 0 : (uint64_t)a % (uint64_t)b, b == 0 ? 0 : (uint64_t)a % (uint64_t)b,                           \
             power((uint64_t)a, (uint64_t)b), (uint64_t)b >= BITS ? 0 : (uint64_t)a >> b)
SIGNED(i8, 8)
SIGNED(i16, 16)
SIGNED(i32, 32)
SIGNED(i64, 64)
UNSIGNED(u8, 8)
UNSIGNED(u16, 16)
UNSIGNED(u32, 32)
UNSIGNED(u64, 64)

/* Of 32 at once, by the best that this processor has: where all are small, none is 0, some are, and any. */
#if defined(OPGEN_LEVELS)
#define BEST opgen_level()
#else
#define BEST OPGEN_LEVEL
#endif
#define AT_ONCE(what, WANTED)                                                                                          \
    memcpy(z, x, sizeof x);                                                                                            \
    opgen_##what##_i64_32(z, y, BEST);                                                                                 \
    for (int i = 0; i < 32; i++) {                                                                                     \
        const int64_t a = x[i], b = y[i];                                                                              \
        same(#what " of 32", a, b, z[i], WANTED);                                                                      \
    }
static int wrong_at_once(void) {
    const int before = wrong;
    for (int turn = 0; turn < 40000; turn++) {
        int64_t x[32], y[32], z[32];
        for (int i = 0; i < 32; i++) {
            uint64_t a = first(64);
            const uint64_t b = second(64, &a);
            x[i] = (int64_t)a >> (turn % 4 < 2 ? 13 : 0);
            y[i] = (int64_t)b >> (turn % 4 < 2 ? 13 : 0);
            if (turn % 2 == 0 && y[i] == 0) y[i] = 1;
        }
        AT_ONCE(floordiv, divided(a, b) - turns(a, b))
        AT_ONCE(mod, turns(a, b) ? left_of(a, b) + b : left_of(a, b))
        AT_ONCE(fmod, left_of(a, b))
    }
    return wrong - before;
}

static void report(const char *name, int count) {
    printf("%s %s %d wrong\n", count == 0 ? "ok   " : "WRONG", name, count);
}

int main(void) {
    report("i8", wrong_i8());
    report("i16", wrong_i16());
    report("i32", wrong_i32());
    report("i64", wrong_i64());
    report("u8", wrong_u8());
    report("u16", wrong_u16());
    report("u32", wrong_u32());
    report("u64", wrong_u64());
    report("32_at_once", wrong_at_once());
    return wrong != 0;
}

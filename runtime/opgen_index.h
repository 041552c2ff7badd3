/* opgen_index.h: what generated code computes sizes and positions with. C11, C++17 and CUDA; no library.
 *
 * The first four are total: a divisor of 0 gives 0, and nothing has undefined behaviour. They are for the host and for
 * kernels. opgen_try_* are for sizes that may not fit 64 bits: OPGEN_NO_SIZE stands for such a number, and whatever is
 * made of it is such a number too, unless it is multiplied by 0 or not chosen.
 */
#ifndef OPGEN_INDEX_H
#define OPGEN_INDEX_H

#include <stdint.h>

#ifndef OPGEN_DEVICE
#if defined(__CUDACC__) || defined(__HIPCC__) || defined(__MUSACC__) || defined(__MUSA__)
#define OPGEN_DEVICE __host__ __device__
#else
#define OPGEN_DEVICE
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef OPGEN_MATH_H /* which has these four as well */
/* Rounded down; the least number by -1 is itself. */
OPGEN_DEVICE static inline int64_t opgen_floordiv(int64_t a, int64_t b) {
    if (b == 0) return 0;
    if (b == -1) return (int64_t)(0 - (uint64_t)a);
    int64_t quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/* What is left, with the sign of b. */
OPGEN_DEVICE static inline int64_t opgen_mod(int64_t a, int64_t b) {
    if (b == 0 || b == -1) return 0;
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

OPGEN_DEVICE static inline int64_t opgen_min(int64_t a, int64_t b) { return a < b ? a : b; }
OPGEN_DEVICE static inline int64_t opgen_max(int64_t a, int64_t b) { return a > b ? a : b; }
#endif

/* ---- numbers that may not fit */
#define OPGEN_NO_SIZE INT64_MIN

static inline int64_t opgen_try_add(int64_t a, int64_t b) {
    if (a == OPGEN_NO_SIZE || b == OPGEN_NO_SIZE) return OPGEN_NO_SIZE;
    /* Neither sum may be OPGEN_NO_SIZE itself. */
    if (b > 0 ? a > INT64_MAX - b : a < -INT64_MAX - b) return OPGEN_NO_SIZE;
    return a + b;
}

static inline int64_t opgen_try_mul(int64_t a, int64_t b) {
    if (a == 0 || b == 0) return 0;
    if (a == OPGEN_NO_SIZE || b == OPGEN_NO_SIZE) return OPGEN_NO_SIZE;
    int64_t x = a < 0 ? -a : a, y = b < 0 ? -b : b;
    return x > INT64_MAX / y ? OPGEN_NO_SIZE : a * b;
}

static inline int64_t opgen_try_floordiv(int64_t a, int64_t b) {
    return a == OPGEN_NO_SIZE || b == OPGEN_NO_SIZE || b == 0 ? OPGEN_NO_SIZE : opgen_floordiv(a, b);
}

static inline int64_t opgen_try_mod(int64_t a, int64_t b) {
    return a == OPGEN_NO_SIZE || b == OPGEN_NO_SIZE || b == 0 ? OPGEN_NO_SIZE : opgen_mod(a, b);
}

static inline int64_t opgen_try_min(int64_t a, int64_t b) {
    return a == OPGEN_NO_SIZE || b == OPGEN_NO_SIZE ? OPGEN_NO_SIZE : opgen_min(a, b);
}

static inline int64_t opgen_try_max(int64_t a, int64_t b) {
    return a == OPGEN_NO_SIZE || b == OPGEN_NO_SIZE ? OPGEN_NO_SIZE : opgen_max(a, b);
}

static inline int64_t opgen_try_less(int64_t a, int64_t b) {
    return a == OPGEN_NO_SIZE || b == OPGEN_NO_SIZE ? OPGEN_NO_SIZE : a < b;
}

static inline int64_t opgen_try_equal(int64_t a, int64_t b) {
    return a == OPGEN_NO_SIZE || b == OPGEN_NO_SIZE ? OPGEN_NO_SIZE : a == b;
}

/* What is not chosen does not count. */
static inline int64_t opgen_try_select(int64_t condition, int64_t a, int64_t b) {
    return condition == OPGEN_NO_SIZE ? OPGEN_NO_SIZE : condition != 0 ? a : b;
}

#ifdef __cplusplus
}
#endif

#endif

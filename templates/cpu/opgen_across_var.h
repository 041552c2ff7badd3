/* opgen_across_var.h: variances of short rows of f16 and bf16, OPGEN_ACROSS rows that follow each other at once, with
 * AVX-512: the columns of opgen_across_v4.h are folded where they come to be, in registers.
 *
 * opgen_var_rows_f16 and _bf16: of rows of n elements `near`, their first one, `mean`, the n-th part of what the others
 * differ from it, and `squares`, the sum of the squares of that; as much is asked for `further` bytes ahead, as `into`
 * says. As many bytes as 16 are read of the last row, where it has less. false, and nothing, without AVX-512.
 */
#ifndef OPGEN_ACROSS_VAR_H
#define OPGEN_ACROSS_VAR_H

#include "opgen_across_v4.h"

/* Elements of a row, at most, and of rows that are folded by vectors of 32 bytes. */
#define OPGEN_VAR_MOST 96
#define OPGEN_VAR_FEW 47
OPGEN_INLINE int64_t opgen_var_rows_most(void) {
#if defined(OPGEN_LEVELS)
    return opgen_level() == 4 ? OPGEN_VAR_MOST : OPGEN_VAR_FEW;
#else
    return OPGEN_LEVEL == 4 ? OPGEN_VAR_MOST : OPGEN_VAR_FEW;
#endif
}

#if defined(OPGEN_X86) && defined(OPGEN_SHUFFLES)
typedef int16_t opgen_any_half_16 __attribute__((vector_size(32), aligned(1), may_alias));
/* 32 elements as floats; of bf16 those at even places, and those at odd ones. */
OPGEN_V4_PART void opgen_both_f16(opgen_wide_floats *to, const int16_t *from) {
    to[0] = opgen_floats_v4(*(const opgen_any_half_16 *)(const void *)from);
    to[1] = opgen_floats_v4(*(const opgen_any_half_16 *)(const void *)(from + 16));
}
OPGEN_V4_PART void opgen_both_bf16(opgen_wide_floats *to, const int16_t *from) {
    const opgen_wide_32 x = *(const opgen_any_wide_32 *)(const void *)from;
    to[0] = (opgen_wide_floats)(x << 16);
    to[1] = (opgen_wide_floats)(x & -0x10000);
}
OPGEN_V4_PART void opgen_put_both_f16(float *to, const opgen_wide_floats *x) {
    ((opgen_any_wide_floats *)(void *)to)[0] = x[0];
    ((opgen_any_wide_floats *)(void *)to)[1] = x[1];
}
OPGEN_V4_PART void opgen_put_both_bf16(float *to, const opgen_wide_floats *x) {
    ((opgen_any_wide_floats *)(void *)to)[0] =
        __builtin_shufflevector(x[0], x[1], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    ((opgen_any_wide_floats *)(void *)to)[1] =
        __builtin_shufflevector(x[0], x[1], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

#define OPGEN_VAR_CLOSE(type, n)                                                                                       \
    case n:                                                                                                            \
        if (n < OPGEN_CLOSE_ROWS)                                                                                      \
            opgen_read_close_16(t, from, n, close);                                                                    \
        else                                                                                                           \
            opgen_columns_16_v4(t, from, 2 * n);                                                                       \
        opgen_ahead(from, further, n * 64, into);                                                                      \
        opgen_var_columns_##type(sum, all, of, t, n);                                                                  \
        break;
#define OPGEN_VAR_ROWS(type)                                                                                           \
    OPGEN_V4_PART void opgen_var_add_##type(opgen_wide_floats *sum, opgen_wide_floats *all,                            \
                                            const opgen_wide_floats *of, const int16_t *from) {                        \
        opgen_wide_floats x[2];                                                                                        \
        opgen_both_##type(x, from);                                                                                    \
        for (int i = 0; i < 2; i++) {                                                                                  \
            const opgen_wide_floats d = x[i] - of[i];                                                                  \
            sum[i] += d, all[i] += d * d;                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    /* Of n columns; a constant where they are few, and stay in registers. */                                          \
    OPGEN_V4_PART void opgen_var_columns_##type(opgen_wide_floats(*sum)[2], opgen_wide_floats(*all)[2],                \
                                                opgen_wide_floats *of, int16_t(*t)[OPGEN_ACROSS], int64_t n) {         \
        opgen_both_##type(of, t[0]);                                                                                   \
        int64_t c = 1;                                                                                                 \
        for (; c + 4 <= n; c += 4)                                                                                     \
            for (int k = 0; k < 4; k++)                                                                                \
                opgen_var_add_##type(sum[k], all[k], of, t[c + k]);                                                    \
        if (c < n) opgen_var_add_##type(sum[0], all[0], of, t[c]);                                                     \
        if (c + 1 < n) opgen_var_add_##type(sum[1], all[1], of, t[c + 1]);                                             \
        if (c + 2 < n) opgen_var_add_##type(sum[2], all[2], of, t[c + 2]);                                             \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_var_rows_##type##_v4(float *near, float *mean, float *squares, const void *from, \
                                                           int64_t n, const OpgenClose *close, int64_t further,        \
                                                           int into) {                                                 \
        int16_t t[OPGEN_VAR_MOST][OPGEN_ACROSS] __attribute__((aligned(64)));                                          \
        opgen_wide_floats of[2], sum[4][2] = {0}, all[4][2] = {0};                                                     \
        switch (n) {                                                                                                   \
            OPGEN_VAR_CLOSE(type, 1)                                                                                   \
            OPGEN_VAR_CLOSE(type, 2)                                                                                   \
            OPGEN_VAR_CLOSE(type, 3)                                                                                   \
            OPGEN_VAR_CLOSE(type, 4)                                                                                   \
            OPGEN_VAR_CLOSE(type, 5)                                                                                   \
            OPGEN_VAR_CLOSE(type, 6)                                                                                   \
            OPGEN_VAR_CLOSE(type, 7)                                                                                   \
            OPGEN_VAR_CLOSE(type, 8)                                                                                   \
        default:                                                                                                       \
            /* At least once, or gcc sees places that are read and not written. */                                     \
            for (int64_t at = 0; at == 0 || at < n; at += 8) {                                                         \
                opgen_columns_16_v4(t[at], (const int16_t *)from + at, 2 * n);                                         \
                opgen_ahead((const char *)from + 64 * at, further, opgen_min(8, n - at) * 64, into);                   \
            }                                                                                                          \
            opgen_var_columns_##type(sum, all, of, t, n);                                                              \
        }                                                                                                              \
        for (int i = 0; i < 2; i++) {                                                                                  \
            sum[0][i] = ((sum[0][i] + sum[1][i]) + (sum[2][i] + sum[3][i])) * (1 / (float)n);                          \
            all[0][i] = (all[0][i] + all[1][i]) + (all[2][i] + all[3][i]);                                             \
        }                                                                                                              \
        opgen_put_both_##type(near, of), opgen_put_both_##type(mean, sum[0]), opgen_put_both_##type(squares, all[0]);  \
    }                                                                                                                  \
    OPGEN_INLINE bool opgen_var_rows_##type(float *near, float *mean, float *squares, const void *from, int64_t n,     \
                                            const OpgenClose *close, int64_t further, int into, int level) {           \
        if (level != 4) return false;                                                                                  \
        opgen_var_rows_##type##_v4(near, mean, squares, from, n, close, further, into);                                \
        return true;                                                                                                   \
    }
#else
#define OPGEN_VAR_ROWS(type)                                                                                           \
    OPGEN_INLINE bool opgen_var_rows_##type(float *near, float *mean, float *squares, const void *from, int64_t n,     \
                                            const OpgenClose *close, int64_t further, int into, int level) {           \
        (void)near, (void)mean, (void)squares, (void)from, (void)n, (void)close, (void)further, (void)into,            \
            (void)level;                                                                                               \
        return false;                                                                                                  \
    }
#endif
OPGEN_VAR_ROWS(f16)
OPGEN_VAR_ROWS(bf16)
#undef OPGEN_VAR_ROWS
#undef OPGEN_VAR_CLOSE

#endif

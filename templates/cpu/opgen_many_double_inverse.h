/* opgen_many_double_inverse.h: log(1 + x) and the inverse hyperbolic functions of many doubles: see opgen_many_double.h. Four vectors
 * at once, as in opgen_many_double_trig.h. Where one of them is not an ordinary operand, all go the way of opgen_double.h
 * and opgen_double_hyperbolic.h.
 */
#ifndef OPGEN_MANY_DOUBLE_INVERSE_H
#define OPGEN_MANY_DOUBLE_INVERSE_H

#include "opgen_many_double.h"

#if defined(OPGEN_X86)

/* log(1 + w) of a w for which that is from 2^-60 to 2^1000: 1 + w is m * 2^e, m from 3/4 to 3/2, and there is a factor near 1 / m in the
 * tables; with that w * factor * 2^-e and what factor * 2^-e is more than 1, which few bits are enough for where it counts, are
 * what is left of w itself. */
OPGEN_V4_PART void opgen_log1p_near_32(__m512d *w) {
    __m512d e[4], r[4], log[4];
    OPGEN_ALL_OF(4) {
        const __m512i bits = _mm512_castpd_si512(_mm512_add_pd(w[i], OPGEN_DOUBLES(1)));
        const __m512i over = _mm512_sub_epi64(bits, _mm512_castpd_si512(OPGEN_DOUBLES(0.75)));
        const __m512i power = _mm512_and_si512(over, _mm512_set1_epi64(INT64_MIN >> 11));
        const __m512d m = _mm512_castsi512_pd(_mm512_sub_epi64(bits, power));
        const __m512i at = _mm512_castpd_si512(_mm512_fmadd_pd(m, OPGEN_DOUBLES(16), OPGEN_DOUBLES(0x1.8p52)));
        const __m512d by = _mm512_castsi512_pd(_mm512_sub_epi64(_mm512_castpd_si512(opgen_look_f64(opgen_logs_f64[0], at)), power));
        e[i] = _mm512_cvtepi64_pd(_mm512_srai_epi64(over, 52));
        log[i] = opgen_look_f64(opgen_logs_f64[1], at);
        r[i] = _mm512_fmadd_pd(w[i], by, _mm512_sub_pd(by, OPGEN_DOUBLES(1)));
    }
    OPGEN_ALL_OF(4) w[i] = opgen_log1p_less_8(r[i]);
    OPGEN_ALL_OF(4) w[i] = opgen_log_sum_8(e[i], r[i], log[i], w[i]);
}

/* Of four vectors, each element by itself. */
#define OPGEN_DOUBLES_FAR_V4(name)                                                                                     \
    OPGEN_V4 __attribute__((noinline)) static void opgen_##name##_far_32(double *to, const double *x, bool past) {     \
        double any[32];                                                                                                \
        OPGEN_SIMD                                                                                                     \
        for (int k = 0; k < 32; k++)                                                                                   \
            any[k] = opgen_##name##_f64(x[k]);                                                                         \
        OPGEN_ALL_OF(4) opgen_put_v4(to + 8 * i, (opgen_line_v4)_mm512_loadu_si512(any + 8 * i), past);                \
    }

/* Of opgen_name_first_32, which gives w of four vectors, or says that one is not ordinary, and opgen_name_last_8, which is the result. Of
 * what follows the first is computed beside the last: while that waits for roots and quotients there is something to do. */
#define OPGEN_DOUBLES_BESIDE_V4(name)                                                                                  \
    OPGEN_DOUBLES_FAR_V4(name)                                                                                         \
    OPGEN_V4_PART void opgen_##name##_part_v4(double *to, const double *x, int64_t n, int64_t ahead, bool past) {      \
        __m512d w[4], next[4];                                                                                         \
        bool far = opgen_##name##_first_32(w, x);                                                                      \
        for (int64_t at = 0; at < n; at += 32) {                                                                       \
            const double *now = x + at;                                                                                \
            const bool then = opgen_##name##_first_32(next, at + 32 < n ? now + 32 : now);                             \
            OPGEN_ALL_OF(4) opgen_ask_for(now + 8 * i, ahead);                                                         \
            if (far) {                                                                                                 \
                opgen_##name##_far_32(to + at, now, past);                                                             \
            } else {                                                                                                   \
                opgen_log1p_near_32(w);                                                                                \
                OPGEN_ALL_OF(4) {                                                                                      \
                    const __m512d v = opgen_##name##_last_8(_mm512_loadu_pd(now + 8 * i), w[i]);                       \
                    opgen_put_v4(to + at + 8 * i, (opgen_line_v4)_mm512_castpd_si512(v), past);                        \
                }                                                                                                      \
            }                                                                                                          \
            OPGEN_ALL_OF(4) w[i] = next[i];                                                                            \
            far = then;                                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_##name##_f64_many_v4(double *to, const double *x, int64_t n) {                   \
        const int64_t whole = n / 32 * 32;                                                                             \
        if (whole > 0) opgen_##name##_part_v4(to, x, whole, 0, false);                                                 \
        if (whole == n) return;                                                                                        \
        double some[32] = {0};                                                                                         \
        memcpy(some, x + whole, (size_t)(n - whole) * sizeof *x);                                                      \
        opgen_##name##_part_v4(some, some, 32, 0, false);                                                              \
        memcpy(to + whole, some, (size_t)(n - whole) * sizeof *x);                                                     \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_##name##_f64_past_v4(double *to, const double *x, int64_t n, int64_t ahead) {    \
        const int64_t whole = n / 32 * 32;                                                                             \
        if (whole > 0) opgen_##name##_part_v4(to, x, whole, ahead, true);                                              \
        opgen_##name##_f64_many_v4(to + whole, x + whole, n - whole);                                                  \
    }

OPGEN_V4_PART bool opgen_log1p_first_32(__m512d *w, const double *x) {
    __m512i bits[4];
    OPGEN_ALL_OF(4) {
        w[i] = _mm512_loadu_pd(x + 8 * i);
        const __m512i sum = _mm512_castpd_si512(_mm512_add_pd(w[i], OPGEN_DOUBLES(1)));
        bits[i] = _mm512_sub_epi64(sum, _mm512_castpd_si512(OPGEN_DOUBLES(0x1p-60)));
    }
    return opgen_one_is_more(bits, 0x1p37); /* 2^1000 less 2^-60, as bits */
}
OPGEN_V4_PART __m512d opgen_log1p_last_8(__m512d x, __m512d log) { return opgen_signed_f64(log, x); }

/* w is |x| + x^2 / (1 + sqrt(1 + x^2)). */
OPGEN_V4_PART bool opgen_asinh_first_32(__m512d *w, const double *x) {
    __m512i bits[4];
    OPGEN_ALL_OF(4) {
        const __m512d a = _mm512_abs_pd(_mm512_loadu_pd(x + 8 * i)), square = _mm512_mul_pd(a, a), one = OPGEN_DOUBLES(1);
        const __m512d root = _mm512_sqrt_pd(_mm512_add_pd(square, one));
        bits[i] = _mm512_castpd_si512(a);
        w[i] = _mm512_add_pd(a, _mm512_div_pd(square, _mm512_add_pd(root, one)));
    }
    return opgen_one_is_more(bits, 0x1p500);
}
OPGEN_V4_PART __m512d opgen_asinh_last_8(__m512d x, __m512d log) { return opgen_signed_f64(log, x); }

/* w is (x - 1) + sqrt((x - 1)^2 + 2 (x - 1)); between -1 and 1 the root is not a number. */
OPGEN_V4_PART bool opgen_acosh_first_32(__m512d *w, const double *x) {
    __m512i bits[4];
    OPGEN_ALL_OF(4) {
        const __m512d v = _mm512_loadu_pd(x + 8 * i), one = OPGEN_DOUBLES(1);
        const __m512d less = _mm512_sub_pd(v, one), more = _mm512_add_pd(v, one);
        bits[i] = _mm512_sub_epi64(_mm512_castpd_si512(more), _mm512_castpd_si512(OPGEN_DOUBLES(0x1p-50)));
        w[i] = _mm512_add_pd(less, _mm512_sqrt_pd(_mm512_fmadd_pd(less, less, _mm512_add_pd(less, less))));
    }
    return opgen_one_is_more(bits, 0x1p-473); /* 2^500 less 2^-50, as bits */
}
OPGEN_V4_PART __m512d opgen_acosh_last_8(__m512d x, __m512d log) {
    (void)x;
    return log;
}

/* Half the logarithm, of w = 2 |x| / (1 - |x|). */
OPGEN_V4_PART bool opgen_atanh_first_32(__m512d *w, const double *x) {
    __m512i bits[4];
    OPGEN_ALL_OF(4) {
        const __m512d a = _mm512_abs_pd(_mm512_loadu_pd(x + 8 * i));
        bits[i] = _mm512_castpd_si512(a);
        w[i] = _mm512_div_pd(_mm512_add_pd(a, a), _mm512_sub_pd(OPGEN_DOUBLES(1), a));
    }
    return opgen_one_is_more(bits, 0x1.fffffffffffffp-1);
}
OPGEN_V4_PART __m512d opgen_atanh_last_8(__m512d x, __m512d log) {
    return opgen_signed_f64(_mm512_mul_pd(log, OPGEN_DOUBLES(0.5)), x);
}

OPGEN_DOUBLES_BESIDE_V4(log1p)
OPGEN_DOUBLES_BESIDE_V4(asinh)
OPGEN_DOUBLES_BESIDE_V4(acosh)
OPGEN_DOUBLES_BESIDE_V4(atanh)
#endif

OPGEN_DOUBLES_BOTH(log1p)
OPGEN_DOUBLES_BOTH(asinh)
OPGEN_DOUBLES_BOTH(acosh)
OPGEN_DOUBLES_BOTH(atanh)

#endif

/* opgen_near_double.h: what opgen_near_powers.h has of floats, of doubles: from -708 to 709, 8 in a vector. `kind` says
 * nothing here.
 */
#ifndef OPGEN_NEAR_DOUBLE_H
#define OPGEN_NEAR_DOUBLE_H

#include "opgen_many_double.h"
#include "opgen_near_powers.h"

OPGEN_INLINE bool opgen_near_takes_f64(int64_t n, int kind, int level) {
    (void)kind;
    return n >= (level == 4 ? 2 : 48);
}
OPGEN_INLINE bool opgen_near_takes_columns_f64(int64_t n, int kind, int level) {
    (void)kind, (void)level;
    return n > 1;
}
OPGEN_INLINE bool opgen_near_f64(const double *sums, int64_t n) {
    uint64_t far = 0;
    OPGEN_SIMD
    for (int64_t i = 0; i < n; i++)
        far |= (uint64_t) !(sums[i] > 0x1p-900) | (uint64_t) !(sums[i] < 0x1p900);
    return far == 0;
}

#if defined(OPGEN_X86)
OPGEN_V4_PART __m512d opgen_near_add_8(__m512d s, __m512d x) {
    const __m512i places = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i low = _mm512_sub_epi64(_mm512_loadu_si512(opgen_powers_f64[0]), _mm512_slli_epi64(places, 48));
    const __m512i high = _mm512_sub_epi64(_mm512_loadu_si512(opgen_powers_f64[0] + 8),
                                          _mm512_slli_epi64(_mm512_add_epi64(places, _mm512_set1_epi64(8)), 48));
    const __m512d v = _mm512_min_pd(OPGEN_DOUBLES(709), _mm512_max_pd(OPGEN_DOUBLES(-708), x));
    const __m512d z = _mm512_fmadd_pd(v, OPGEN_DOUBLES(0x1.71547652b82fep+0), OPGEN_DOUBLES(0x1.8p48));
    const __m512d r =
        _mm512_fmsub_pd(v, OPGEN_DOUBLES(0x1.71547652b82fep+0), _mm512_sub_pd(z, OPGEN_DOUBLES(0x1.8p48)));
    const __m512i at = _mm512_castpd_si512(z), part = _mm512_permutex2var_epi64(low, at, high);
    const __m512d power = _mm512_castsi512_pd(_mm512_add_epi64(part, _mm512_slli_epi64(at, 48)));
    __m512d p = _mm512_fmadd_pd(r, OPGEN_DOUBLES(0x1.4308612a9a67cp-13), OPGEN_DOUBLES(0x1.5d89bd871595fp-10));
    p = _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(0x1.3b2ab6fdb5d8bp-7));
    p = _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(0x1.c6b08d6e8c99dp-5));
    p = _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(0x1.ebfbdff82c55ep-3));
    p = _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(0x1.62e42fefa39fdp-1));
    return _mm512_fmadd_pd(power, _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(1)), s);
}
OPGEN_V4_PART __m512d opgen_near_read_8(const double *x, int64_t left) {
    return left >= 8 ? _mm512_loadu_pd(x) : _mm512_mask_loadu_pd(OPGEN_DOUBLES(-INFINITY), opgen_some_f64(left), x);
}
OPGEN_V4_PART __m512d opgen_near_row_8(const double *x, int64_t n) {
    __m512d s[4];
    for (int l = 0; l < 4; l++)
        s[l] = _mm512_setzero_pd();
    int64_t i = 0;
    for (; i + 32 <= n; i += 32)
        for (int l = 0; l < 4; l++) {
            opgen_ask((const char *)(x + i + 8 * l) + OPGEN_NEAR_AHEAD, OPGEN_NEAREST);
            s[l] = opgen_near_add_8(s[l], _mm512_loadu_pd(x + i + 8 * l));
        }
    for (; i + 8 <= n; i += 8)
        s[0] = opgen_near_add_8(s[0], _mm512_loadu_pd(x + i));
    if (i < n) s[1] = opgen_near_add_8(s[1], opgen_near_read_8(x + i, n - i));
    return _mm512_add_pd(_mm512_add_pd(s[0], s[1]), _mm512_add_pd(s[2], s[3]));
}
OPGEN_V4_PART __m512d opgen_near_all_8(const __m512d *v) {
    __m512d a[4], b[2];
    for (int i = 0; i < 4; i++)
        a[i] = _mm512_add_pd(_mm512_unpacklo_pd(v[i], v[i + 4]), _mm512_unpackhi_pd(v[i], v[i + 4]));
    for (int i = 0; i < 2; i++)
        b[i] = _mm512_add_pd(_mm512_shuffle_f64x2(a[i], a[i + 2], 0x88), _mm512_shuffle_f64x2(a[i], a[i + 2], 0xdd));
    const __m512d c = _mm512_add_pd(_mm512_shuffle_f64x2(b[0], b[1], 0x88), _mm512_shuffle_f64x2(b[0], b[1], 0xdd));
    return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 4, 2, 6, 1, 5, 3, 7), c);
}
OPGEN_V4_PART void opgen_near_sums_of_four(double *sums, const double *x, int64_t n, int64_t rows) {
    const __mmask8 row = (__mmask8)(((1u << n) - 1) * 0x11);
    for (int64_t first = 0; first < rows; first += 8, x += 8 * n) {
        __m512d v[4], a[2];
        for (int i = 0; i < 4; i++)
            v[i] = _mm512_maskz_expand_pd(row, _mm512_loadu_pd(x + 2 * n * i));
        for (int i = 0; i < 2; i++)
            a[i] = _mm512_add_pd(_mm512_unpacklo_pd(v[i], v[i + 2]), _mm512_unpackhi_pd(v[i], v[i + 2]));
        a[0] = _mm512_add_pd(_mm512_shuffle_f64x2(a[0], a[1], 0x88), _mm512_shuffle_f64x2(a[0], a[1], 0xdd));
        _mm512_mask_storeu_pd(sums + first, opgen_some_f64(rows - first),
                              _mm512_permutexvar_pd(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), a[0]));
    }
}
OPGEN_V4_PART void opgen_near_sums_of_8(double *sums, const double *x, int64_t n, int64_t rows, int vectors) {
    const __mmask8 some = opgen_some_f64(n - 8 * (vectors - 1));
    const double *const last = x + (rows - 1) * n;
    __m512d v[8];
    for (int64_t first = 0; first < rows; first += 8) {
        OPGEN_UNROLLED
        for (int64_t r = 0; r < 8; r++) {
            v[r] = _mm512_maskz_loadu_pd(some, x + 8 * (vectors - 1));
            for (int k = 0; k < vectors - 1; k++)
                v[r] = _mm512_add_pd(v[r], _mm512_loadu_pd(x + 8 * k));
            x = x < last ? x + n : last;
        }
        _mm512_mask_storeu_pd(sums + first, opgen_some_f64(rows - first), opgen_near_all_8(v));
    }
}
OPGEN_V4_PART void opgen_near_each_of_8(double *e, const double *x, int64_t size, int64_t most) {
    int64_t i = 0;
    for (; i < size; i += 8) {
        opgen_ask((const char *)(x + i) + OPGEN_NEAR_AHEAD, OPGEN_NEAREST);
        _mm512_store_pd(e + i, opgen_near_add_8(_mm512_setzero_pd(), opgen_near_read_8(x + i, size - i)));
    }
    for (; i < most; i += 8)
        _mm512_store_pd(e + i, _mm512_setzero_pd());
}
OPGEN_V4 static inline void opgen_near_logs_of_8(double *sums, const double *most, int64_t n) {
    for (int64_t i = 0; i < n; i += 8) {
        const __mmask8 some = opgen_some_f64(n - i);
        const __m512d log = opgen_log_8(_mm512_maskz_loadu_pd(some, sums + i));
        _mm512_mask_storeu_pd(sums + i, some, _mm512_add_pd(_mm512_maskz_loadu_pd(some, most + i), log));
    }
}
OPGEN_V4_PART void opgen_near_slab_sums_of_8(double *sums, const double *slab, int64_t slabs, int64_t rows,
                                             int64_t width) {
    for (int64_t i = 0; i < slabs; i++, slab += rows * width, sums += width)
        for (int64_t j = 0; j < width; j += 8) {
            const __mmask8 some = opgen_some_f64(width - j);
            __m512d s[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
            const double *row = slab + j;
            int64_t k = 0;
            for (; k + 2 <= rows; k += 2, row += 2 * width) {
                s[0] = _mm512_add_pd(s[0], _mm512_maskz_loadu_pd(some, row));
                s[1] = _mm512_add_pd(s[1], _mm512_maskz_loadu_pd(some, row + width));
            }
            if (k < rows) s[0] = _mm512_add_pd(s[0], _mm512_maskz_loadu_pd(some, row));
            _mm512_mask_storeu_pd(sums + j, some, _mm512_add_pd(s[0], s[1]));
        }
}
OPGEN_V4 static inline void opgen_near_slabs_of_8(double *sums, const double *x, int64_t slabs, int64_t rows,
                                                  int64_t width) {
    OPGEN_IN_LINE double e[2][OPGEN_NEAR_EACH];
    const int64_t size = rows * width, some = opgen_max(1, 256 / size);
    for (int64_t first = 0, turn = 0; first < slabs + some; first += some, turn ^= 1) {
        const int64_t left = opgen_min(some, slabs - first), before = first - some;
        if (left > 0) opgen_near_each_of_8(e[turn], x + first * size, left * size, 0);
        if (first > 0)
            opgen_near_slab_sums_of_8(sums + before * width, e[turn ^ 1], opgen_min(some, slabs - before), rows, width);
    }
}
OPGEN_V4_PART void opgen_near_sums_of_rows(double *sums, const double *e, int64_t n, int64_t rows) {
    if (n <= 4)
        opgen_near_sums_of_four(sums, e, n, rows);
    else if (n < 8)
        opgen_near_sums_of_8(sums, e, n, rows, 1);
    else if (n < 16)
        opgen_near_sums_of_8(sums, e, n, rows, 2);
    else if (n < 24)
        opgen_near_sums_of_8(sums, e, n, rows, 3);
    else
        opgen_near_sums_of_8(sums, e, n, rows, 4);
}
OPGEN_V4 static inline void opgen_near_rows_of_8(double *sums, const double *x, int64_t n, int64_t rows) {
    OPGEN_IN_LINE double e[2][OPGEN_NEAR_EACH];
    if (n >= OPGEN_NEAR_SHORT / 2) {
        __m512d v[8];
        for (int64_t first = 0; first < rows; first += 8) {
            for (int64_t r = 0; r < 8; r++)
                v[r] = first + r < rows ? opgen_near_row_8(x + (first + r) * n, n) : _mm512_setzero_pd();
            _mm512_mask_storeu_pd(sums + first, opgen_some_f64(rows - first), opgen_near_all_8(v));
        }
        return;
    }
    const int64_t some = opgen_near_at_once(n);
    for (int64_t first = 0, turn = 0; first < rows + some; first += some, turn ^= 1) {
        const int64_t left = opgen_min(some, rows - first);
        if (left > 0) opgen_near_each_of_8(e[turn], x + first * n, left * n, n <= 4 ? (left + 7) / 8 * 8 * n + 8 : 0);
        if (first > 0)
            opgen_near_sums_of_rows(sums + first - some, e[turn ^ 1], n, opgen_min(some, rows - (first - some)));
    }
}
OPGEN_V4_PART void opgen_near_some_rows_of_8(double *sums, const double *x, int64_t stride, int64_t width, int rows,
                                             const char *ask, bool in_order, int into) {
    int64_t j = 0;
    for (; j + 16 <= width; j += 16) {
        const int64_t there = opgen_near_there(j * 8, width * 8, rows * stride * 8);
        __m512d s[2] = {_mm512_loadu_pd(sums + j), _mm512_loadu_pd(sums + j + 8)};
        for (int k = 0; k < rows; k++)
            for (int i = 0; i < 2; i++, ask += 64) {
                opgen_ask(in_order ? ask : (const char *)(x + k * stride + j + 8 * i) + there, into);
                s[i] = opgen_near_add_8(s[i], _mm512_loadu_pd(x + k * stride + j + 8 * i));
            }
        _mm512_storeu_pd(sums + j, s[0]);
        _mm512_storeu_pd(sums + j + 8, s[1]);
    }
    for (; j < width; j += 8) {
        const __mmask8 some = opgen_some_f64(width - j);
        __m512d s = _mm512_maskz_loadu_pd(some, sums + j);
        for (int k = 0; k < rows; k++, ask += 64) {
            if (in_order) opgen_ask(ask, into);
            s = opgen_near_add_8(s, opgen_near_read_8(x + k * stride + j, width - j));
        }
        _mm512_mask_storeu_pd(sums + j, some, s);
    }
}
OPGEN_V4 static inline void opgen_near_columns_of_8(double *sums, const double *x, int64_t rows, int64_t stride,
                                                    int64_t width) {
    const int64_t most = opgen_near_together(stride * (int64_t)sizeof *x);
    const int into = opgen_near_asks_into(most);
    for (int64_t row = 0; row < rows; row += most) {
        const double *at = x + row * stride;
        const int64_t some = opgen_min(most, rows - row);
        const int64_t ahead = opgen_max(some * stride, OPGEN_NEAR_AHEAD / (int64_t)sizeof *x);
        opgen_near_some_rows_of_8(sums, at, stride, width, (int)some, (const char *)(at + ahead), stride <= width, into);
    }
}
#endif

/* Of n + 1023, 2^n is the last eleven bits. */
OPGEN_INLINE double opgen_near_exp_f64(double x) {
    const double c = x < -708 ? -708 : opgen_at_most_f64(x, 709);
    const double z = c * 0x1.71547652b82fep+0 + (0x1.8p52 + 1023), n = z - (0x1.8p52 + 1023);
    const double power = opgen_double(opgen_bits64(z) << 52);
    return power + power * opgen_expm1_less_f64(c, n);
}

OPGEN_NEAR_OF(f64, double, double, 32, OPGEN_NEAR_BY_V4(opgen_near_rows_of_8(sums, x, n, rows)),
              OPGEN_NEAR_BY_V4(opgen_near_columns_of_8(sums, x, rows, stride, width)),
              OPGEN_NEAR_BY_V4(opgen_near_slabs_of_8(sums, x, slabs, rows, width)),
              OPGEN_NEAR_BY_V4(opgen_near_logs_of_8(sums, most, n)), opgen_near_exp_f64(x[at + l]), x + done * stride)

#endif

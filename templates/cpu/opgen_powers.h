/* opgen_powers.h: sums of exponentials of what is less than the greatest of them: what softmax does along a row, and
 * logsumexp in lanes, along rows and over columns. The exponentials are those of opgen_many.h, beside 1: what is less
 * than exp(-87) does not count.
 *
 * `level` is what opgen_kernel.h says, a constant where these are called.
 */
#ifndef OPGEN_POWERS_H
#define OPGEN_POWERS_H

#include "opgen_many.h"

/* The greatest of a lane that has seen nothing: no infinity, for the difference of two is not a number. */
#define OPGEN_NONE_YET (-0x1.fffffep127f)

/* How what is summed stands in memory, and how large sums become before something else has to be the greatest: not so
 * large that powers, or what lanes have together, would be less exact. */
enum { OPGEN_POWERS_F32, OPGEN_POWERS_F16, OPGEN_POWERS_BF16 };
#define OPGEN_POWERS_MOST 4096

#if defined(OPGEN_X86)
/* Of what is not a number and something else, vmaxps gives the second. */
OPGEN_V4 static inline float opgen_greatest_v4(const float *x, int64_t n) {
    __m512 most[4];
    for (int l = 0; l < 4; l++)
        most[l] = OPGEN_ALL(-INFINITY);
    int64_t i = 0;
    for (; i + 64 <= n; i += 64)
        for (int l = 0; l < 4; l++)
            most[l] = _mm512_max_ps(_mm512_loadu_ps(x + i + 16 * l), most[l]);
    for (; i < n; i += 16)
        most[0] =
            _mm512_mask_max_ps(most[0], opgen_some(n - i), _mm512_maskz_loadu_ps(opgen_some(n - i), x + i), most[0]);
    return _mm512_reduce_max_ps(_mm512_max_ps(_mm512_max_ps(most[0], most[1]), _mm512_max_ps(most[2], most[3])));
}

OPGEN_V4 static inline float opgen_exp_sum_v4(float *x, int64_t n, float less, bool keep) {
    __m512 sums[4];
    for (int l = 0; l < 4; l++)
        sums[l] = _mm512_setzero_ps();
    int64_t i = 0;
    for (; i + 64 <= n; i += 64)
        for (int l = 0; l < 4; l++) {
            const __m512 e = opgen_exp_16(_mm512_sub_ps(_mm512_loadu_ps(x + i + 16 * l), OPGEN_ALL(less)), -87);
            if (keep) _mm512_storeu_ps(x + i + 16 * l, e);
            sums[l] = _mm512_add_ps(sums[l], e);
        }
    for (; i < n; i += 16) {
        const __mmask16 some = opgen_some(n - i);
        const __m512 e = opgen_exp_16(_mm512_sub_ps(_mm512_maskz_loadu_ps(some, x + i), OPGEN_ALL(less)), -87);
        if (keep) _mm512_mask_storeu_ps(x + i, some, e);
        sums[0] = _mm512_mask_add_ps(sums[0], some, sums[0], e);
    }
    return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])));
}

OPGEN_V4 static inline __m512 opgen_powers_read_16(const void *x, int64_t at, int kind) {
    if (kind == OPGEN_POWERS_F32) return _mm512_loadu_ps((const float *)x + at);
    const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)((const uint16_t *)x + at));
    if (kind == OPGEN_POWERS_F16) return _mm512_cvtph_ps(v);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16));
}

/* Of what is not a number and something else, vmaxps gives the second here, too; of the difference of two infinities
 * comes no number. Of 16 bits the greatest is rounded down to the logarithm of a power of 2; what is one already stays
 * it. */
OPGEN_V4 static inline void opgen_powers_anew_v4(float *most, float *sum, const void *x, int64_t apart, int rows,
                                                 int kind) {
    const __m512 was = _mm512_loadu_ps(most);
    __m512 m = opgen_powers_read_16(x, 0, kind), s = _mm512_setzero_ps();
    for (int k = 1; k < rows; k++)
        m = _mm512_max_ps(opgen_powers_read_16(x, k * apart, kind), m);
    m = _mm512_max_ps(m, was);
    if (kind != OPGEN_POWERS_F32) {
        const __m512 whole = _mm512_floor_ps(_mm512_fmadd_ps(m, OPGEN_ALL(0x1.715476p+0f), OPGEN_ALL(0x1p-6f)));
        const __mmask16 near = _mm512_cmp_ps_mask(_mm512_abs_ps(m), OPGEN_ALL(0x1p16f), _CMP_LT_OQ);
        m = _mm512_mask_mul_ps(m, near, whole, OPGEN_ALL(0x1.62e43p-1f));
    }
    _mm512_storeu_ps(most, m);
    for (int k = 0; k < rows; k++)
        s = _mm512_add_ps(s, opgen_exp_below_16(_mm512_sub_ps(opgen_powers_read_16(x, k * apart, kind), m), -87));
    const __m512 less = opgen_exp_below_16(_mm512_sub_ps(was, m), -87);
    _mm512_storeu_ps(sum, _mm512_fmadd_ps(_mm512_loadu_ps(sum), less, s));
}

/* The greatest as they are, whatever comes. Gives whether that is right: sums are small, and numbers. */
OPGEN_V4 static inline bool opgen_powers_beside_v4(const float *most, float *sum, const float *x, int64_t apart,
                                                   int rows, int64_t ahead) {
    const __m512 m = _mm512_loadu_ps(most);
    __m512 s[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
    for (int k = 0; k < rows; k += 2)
        for (int i = 0; i < 2; i++) {
            const float *at = x + (k + i) * apart;
            if (ahead) opgen_ask((const char *)at + ahead, OPGEN_NEAREST);
            s[i] = _mm512_add_ps(s[i], opgen_exp_below_16(_mm512_sub_ps(_mm512_loadu_ps(at), m), -87));
        }
    s[0] = _mm512_add_ps(s[0], s[1]);
    if (_mm512_cmp_ps_mask(_mm512_abs_ps(s[0]), OPGEN_ALL(OPGEN_POWERS_MOST), _CMP_NLT_UQ)) return false;
    _mm512_storeu_ps(sum, _mm512_add_ps(_mm512_loadu_ps(sum), s[0]));
    return true;
}

/* s + 2^(x * log2(e) - E), from -123.5 on, with `from` 1.5 * 2^19 - E: added to that, x * log2(e) is rounded to a 16th,
 * and which 16th it is says by what table's entry to multiply. What is left, and 23/16, is squared: a polynomial of
 * second degree without its middle, right to 20 bits, times 0.2411, which is in the table: of what is less, the table's
 * part would be subnormal, and a processor takes a hundred times as long. */
OPGEN_V4 static inline __m512 opgen_add_power_16(__m512 s, __m512 x, __m512 from) {
    const __m512 z = _mm512_fmadd_ps(x, OPGEN_ALL(0x1.715476p+0f), from);
    const __m512 n = _mm512_sub_ps(z, _mm512_add_ps(from, OPGEN_ALL(1.4375f)));
    const __m512 r = _mm512_fmsub_ps(x, OPGEN_ALL(0x1.715476p+0f), n);
    const __m512i part = _mm512_permutexvar_epi32(_mm512_castps_si512(z), _mm512_loadu_si512(opgen_part_table));
    const __m512i power = _mm512_add_epi32(part, _mm512_slli_epi32(_mm512_castps_si512(z), 19));
    return _mm512_fmadd_ps(_mm512_castsi512_ps(power), _mm512_fmadd_ps(r, r, OPGEN_ALL(OPGEN_PART_MORE)), s);
}

/* 32 of 16 bits, as they are and as floats: bf16 taken apart into even ones and odd ones. Of what it has read as 32
 * clang takes the second 16 out of registers, one after the other, though it could read them. */
#if defined(__clang__)
#define OPGEN_READ_AGAIN(place) OPGEN_ONE_PLACE(place)
#else
#define OPGEN_READ_AGAIN(place)
#endif
OPGEN_V4_PART __m512i opgen_powers_read_both(const uint16_t *x, int kind, __m512 *v) {
    const __m512i both = _mm512_loadu_si512(x);
    OPGEN_READ_AGAIN(x);
    v[0] =
        kind == OPGEN_POWERS_F16 ? opgen_powers_read_16(x, 0, kind) : _mm512_castsi512_ps(_mm512_slli_epi32(both, 16));
    v[1] = kind == OPGEN_POWERS_F16 ? opgen_powers_read_16(x, 16, kind)
                                    : _mm512_castsi512_ps(_mm512_and_si512(both, _mm512_set1_epi32(INT32_MIN >> 15)));
    return both;
}

/* The same of 32 lanes of 16 bits. As whole numbers these are in the order of what they stand for as long as they are
 * positive: so what is too great for its power to be right, infinity with it, is seen of 32 at once. Of what is not a
 * number the sum is none. bf16 are taken apart into even ones and odd ones. */
OPGEN_V4 static inline bool opgen_powers_of_halves_v4(const float *most, float *sum, const uint16_t *x, int64_t apart,
                                                      int rows, int64_t ahead, int kind) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    __m512 m[2] = {_mm512_loadu_ps(most), _mm512_loadu_ps(most + 16)}, s[2], from[2], least[2];
    __m256i far[2];
    __mmask16 near = 0xffff; /* from -80 to 65536 */
    for (int i = 0; i < 2; i++) {
        const __m512 up = _mm512_add_ps(m[i], OPGEN_ALL(80));
        const __m512i bits = _mm512_castps_si512(up);
        near = _mm512_mask_cmplt_epu32_mask(near, bits, _mm512_castps_si512(OPGEN_ALL(0x1.005p16f)));
        far[i] = kind == OPGEN_POWERS_F16 ? _mm512_maskz_cvtps_ph(0xffff, up, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
                                          : _mm512_cvtepi32_epi16(_mm512_srli_epi32(bits, 16));
        s[i] = _mm512_setzero_ps();
    }
    if (near != 0xffff) return false;
    const __m512i most_of_all = _mm512_inserti64x4(_mm512_castsi256_si512(far[0]), far[1], 1);
    if (kind == OPGEN_POWERS_BF16) {
        const __m512 first = m[0];
        m[0] = _mm512_permutex2var_ps(first, even, m[1]);
        m[1] = _mm512_permutex2var_ps(first, odd, m[1]);
    }
    for (int i = 0; i < 2; i++) {
        const __m512 near_it = _mm512_fmadd_ps(m[i], OPGEN_ALL(0x1.715476p+0f), OPGEN_ALL(0x1.8p23f));
        const __m512 power = _mm512_sub_ps(near_it, OPGEN_ALL(0x1.8p23f)); /* a whole number */
        from[i] = _mm512_sub_ps(OPGEN_ALL(0x1.8p19f), power);
        least[i] = _mm512_sub_ps(m[i], OPGEN_ALL(85));
    }
    __m512i seen = most_of_all;
    for (int k = 0; k < rows; k++) {
        const uint16_t *at = x + k * apart;
        if (ahead) opgen_ask((const char *)at + ahead, OPGEN_NEAREST);
        __m512 v[2];
        seen = _mm512_max_epi16(seen, opgen_powers_read_both(at, kind, v));
        for (int i = 0; i < 2; i++)
            s[i] = opgen_add_power_16(s[i], _mm512_max_ps(least[i], v[i]), from[i]);
    }
    if (_mm512_cmpneq_epi16_mask(seen, most_of_all) |
        _mm512_cmp_ps_mask(_mm512_max_ps(s[0], s[1]), OPGEN_ALL(OPGEN_POWERS_MOST), _CMP_NLT_UQ) |
        _mm512_cmp_ps_mask(s[0], s[1], _CMP_UNORD_Q))
        return false;
    if (kind == OPGEN_POWERS_BF16) {
        const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        const __m512 first = s[0];
        s[0] = _mm512_permutex2var_ps(first, low, s[1]);
        s[1] = _mm512_permutex2var_ps(first, _mm512_add_epi32(low, _mm512_set1_epi32(8)), s[1]);
    }
    for (int i = 0; i < 2; i++)
        _mm512_storeu_ps(sum + 16 * i, _mm512_add_ps(_mm512_loadu_ps(sum + 16 * i), s[i]));
    return true;
}

/* Lanes that have seen nothing yet do two rows first. */
OPGEN_V4 static inline void opgen_powers_v4(float *most, float *sum, const void *x, int64_t apart, int64_t lanes,
                                            int rows, int64_t ahead, int kind) {
    const int64_t bytes = kind == OPGEN_POWERS_F32 ? 4 : 2, at_once = kind == OPGEN_POWERS_F32 ? 16 : 32;
    for (int64_t l = 0; l + 16 <= lanes; l += at_once) {
        const char *of = (const char *)x + l * bytes;
        const int64_t end = l + at_once <= lanes ? l + at_once : l + 16;
        const int first = end < l + at_once ? rows : most[l] == OPGEN_NONE_YET ? 2 : 0;
        for (int64_t i = l; first > 0 && i < end; i += 16)
            opgen_powers_anew_v4(most + i, sum + i, of + (i - l) * bytes, apart, first, kind);
        of += first * apart * bytes;
        if (first == rows) continue;
        if (kind == OPGEN_POWERS_F32
                ? opgen_powers_beside_v4(most + l, sum + l, (const float *)(const void *)of, apart, rows - first, ahead)
                : opgen_powers_of_halves_v4(most + l, sum + l, (const uint16_t *)(const void *)of, apart, rows - first,
                                            ahead, kind))
            continue;
        for (int64_t i = l; i < end; i += 16)
            opgen_powers_anew_v4(most + i, sum + i, of + (i - l) * bytes, apart, rows - first, kind);
    }
}

/* s + 2^v, v from -126 on; `rough`: to 21 bits. */
OPGEN_V3_PART void opgen_add_power_v3(__m256 *s, const __m256 *v, bool rough) {
    __m256 rounded[2], r[2], p[2];
    OPGEN_TIMES(2) rounded[i] = _mm256_add_ps(v[i], OPGEN_EIGHT(0x1.8p21f));
    OPGEN_TIMES(2) r[i] = _mm256_sub_ps(v[i], _mm256_sub_ps(rounded[i], OPGEN_EIGHT(0x1.8p21f)));
    if (rough) {
        OPGEN_TIMES(2) p[i] = _mm256_fmadd_ps(r[i], OPGEN_EIGHT(0x1.c66e92p-5f), OPGEN_EIGHT(0x1.ec3d26p-3f));
        OPGEN_TIMES(2) p[i] = _mm256_fmadd_ps(p[i], r[i], OPGEN_EIGHT(0x1.62e442p-1f));
    } else {
        OPGEN_TIMES(2) p[i] = _mm256_fmadd_ps(r[i], OPGEN_EIGHT(0x1.3b810cp-7f), OPGEN_EIGHT(0x1.c6eb36p-5f));
        OPGEN_TIMES(2) p[i] = _mm256_fmadd_ps(p[i], r[i], OPGEN_EIGHT(0x1.ebfbd6p-3f));
        OPGEN_TIMES(2) p[i] = _mm256_fmadd_ps(p[i], r[i], OPGEN_EIGHT(0x1.62e42cp-1f));
    }
    OPGEN_TIMES(2) p[i] = _mm256_fmadd_ps(p[i], r[i], OPGEN_EIGHT(1));
    OPGEN_TIMES(2) s[i] = _mm256_fmadd_ps(opgen_power_8(rounded[i]), p[i], s[i]);
}

OPGEN_V3_PART __m256 opgen_powers_read_8(const void *x, int64_t at, int kind) {
    if (kind == OPGEN_POWERS_F32) return _mm256_loadu_ps((const float *)x + at);
    const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)((const uint16_t *)x + at));
    if (kind == OPGEN_POWERS_F16) return _mm256_cvtph_ps(v);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16));
}

/* Of two vectors, by powers of 2: from -126 on down 2^-126 and not 0, which beside 1 is the same. */
OPGEN_V3 static inline void opgen_powers_anew_v3(float *most, float *sum, const void *x, int64_t apart, int rows,
                                                 int kind) {
    __m256 m[2], s[2], v[2], less[2];
    OPGEN_TIMES(2) m[i] = opgen_powers_read_8(x, 8 * i, kind);
    for (int k = 1; k < rows; k++)
        OPGEN_TIMES(2) m[i] = _mm256_max_ps(opgen_powers_read_8(x, k * apart + 8 * i, kind), m[i]);
    OPGEN_TIMES(2) v[i] = _mm256_loadu_ps(most + 8 * i);
    OPGEN_TIMES(2) m[i] = _mm256_max_ps(m[i], v[i]);
    OPGEN_TIMES(2) _mm256_storeu_ps(most + 8 * i, m[i]);
    OPGEN_TIMES(2) v[i] = _mm256_mul_ps(_mm256_sub_ps(v[i], m[i]), OPGEN_EIGHT(0x1.715476p+0f));
    OPGEN_TIMES(2) v[i] = opgen_at_least_8(v[i], -126);
    OPGEN_TIMES(2) less[i] = s[i] = _mm256_setzero_ps();
    opgen_add_power_v3(less, v, false);
    for (int k = 0; k < rows; k++) {
        OPGEN_TIMES(2) v[i] = _mm256_sub_ps(opgen_powers_read_8(x, k * apart + 8 * i, kind), m[i]);
        OPGEN_TIMES(2) v[i] = opgen_at_least_8(_mm256_mul_ps(v[i], OPGEN_EIGHT(0x1.715476p+0f)), -126);
        opgen_add_power_v3(s, v, false);
    }
    OPGEN_TIMES(2) _mm256_storeu_ps(sum + 8 * i, _mm256_fmadd_ps(_mm256_loadu_ps(sum + 8 * i), less[i], s[i]));
}

/* The greatest as they are. What is far above is so in powers of 2, too: their numbers end at 128, and what would be
 * beyond is no less than 2^100. */
OPGEN_V3_PART bool opgen_powers_beside_v3(const float *most, float *sum, const void *x, int64_t apart, int rows,
                                          int64_t ahead, int kind) {
    __m256 m[2], s[2], v[2];
    OPGEN_TIMES(2) m[i] = _mm256_loadu_ps(most + 8 * i);
    OPGEN_TIMES(2) s[i] = _mm256_setzero_ps();
    for (int k = 0; k < rows; k++) {
        if (ahead) opgen_ask((const char *)x + ahead + k * apart * (kind == OPGEN_POWERS_F32 ? 4 : 2), OPGEN_NEAREST);
        OPGEN_TIMES(2) v[i] = _mm256_sub_ps(opgen_powers_read_8(x, k * apart + 8 * i, kind), m[i]);
        OPGEN_TIMES(2) v[i] = opgen_at_most_8(_mm256_mul_ps(v[i], OPGEN_EIGHT(0x1.715476p+0f)), 126);
        OPGEN_TIMES(2) v[i] = opgen_at_least_8(v[i], -126);
        opgen_add_power_v3(s, v, kind != OPGEN_POWERS_F32);
    }
    const __m256 wrong[2] = {_mm256_cmp_ps(s[0], OPGEN_EIGHT(OPGEN_POWERS_MOST), _CMP_NLT_UQ),
                             _mm256_cmp_ps(s[1], OPGEN_EIGHT(OPGEN_POWERS_MOST), _CMP_NLT_UQ)};
    if (_mm256_movemask_ps(_mm256_or_ps(wrong[0], wrong[1]))) return false;
    OPGEN_TIMES(2) _mm256_storeu_ps(sum + 8 * i, _mm256_add_ps(_mm256_loadu_ps(sum + 8 * i), s[i]));
    return true;
}

OPGEN_V3 static inline void opgen_powers_v3(float *most, float *sum, const void *x, int64_t apart, int64_t lanes,
                                            int rows, int64_t ahead, int kind) {
    const int64_t bytes = kind == OPGEN_POWERS_F32 ? 4 : 2;
    for (int64_t l = 0; l + 16 <= lanes; l += 16) {
        const char *of = (const char *)x + l * bytes;
        const int first = most[l] == OPGEN_NONE_YET ? 2 : 0;
        if (first) opgen_powers_anew_v3(most + l, sum + l, of, apart, first, kind);
        of += first * apart * bytes;
        if (first < rows && !opgen_powers_beside_v3(most + l, sum + l, of, apart, rows - first, ahead, kind))
            opgen_powers_anew_v3(most + l, sum + l, of, apart, rows - first, kind);
    }
}

/* Into 64 lanes, of n that 64 divides. */
OPGEN_V3 static inline void opgen_exp_sum_v3(float *lanes, float *x, int64_t n, float less, bool keep) {
    enum { turns = OPGEN_IN_TURNS };
    __m256 v[OPGEN_IN_TURNS];
    for (int64_t k = 0; k < n; k += OPGEN_SOME) {
        float *lane = lanes + k % 64;
        OPGEN_EACH v[i] = _mm256_sub_ps(_mm256_loadu_ps(x + k + 8 * i), OPGEN_EIGHT(less));
        opgen_exp_beside_1_v3(turns, v);
        if (keep) OPGEN_EACH _mm256_storeu_ps(x + k + 8 * i, v[i]);
        OPGEN_EACH _mm256_storeu_ps(lane + 8 * i, _mm256_add_ps(_mm256_loadu_ps(lane + 8 * i), v[i]));
    }
}
#endif

/* ---- along a row */

/* What is not a number does not count; -infinity of none. */
OPGEN_INLINE float opgen_greatest(const float *x, int64_t n, int level) {
    (void)level;
#if defined(OPGEN_X86)
    if (level == 4) return opgen_greatest_v4(x, n);
#endif
    float lanes[64];
    for (int64_t l = 0; l < 64; l++)
        lanes[l] = -INFINITY;
    for (int64_t i = 0; i < n; i += 64) {
        const int64_t some = opgen_min(64, n - i);
        OPGEN_SIMD
        for (int64_t l = 0; l < some; l++)
            lanes[l] = x[i + l] > lanes[l] ? x[i + l] : lanes[l];
    }
    for (int64_t half = 32; half > 0; half /= 2) {
        OPGEN_SIMD
        for (int64_t l = 0; l < half; l++)
            lanes[l] = lanes[l + half] > lanes[l] ? lanes[l + half] : lanes[l];
    }
    return lanes[0];
}

/* The sum of exp(x[i] - less), of what is not positive, which are kept in x where `keep`. */
OPGEN_INLINE float opgen_exp_sum(float *x, int64_t n, float less, bool keep, int level) {
    (void)level;
#if defined(OPGEN_X86)
    if (level == 4) return opgen_exp_sum_v4(x, n, less, keep);
#endif
    float lanes[64] = {0};
    int64_t i = 0;
#if defined(OPGEN_X86)
    if (level == 3) opgen_exp_sum_v3(lanes, x, i = n / 64 * 64, less, keep);
#endif
    for (; i < n; i += 64) {
        const int64_t some = opgen_min(64, n - i);
        OPGEN_SIMD
        for (int64_t l = 0; l < some; l++) {
            const float e = opgen_exp_beside_1_f32(x[i + l] - less);
            if (keep) x[i + l] = e;
            lanes[l] += e;
        }
    }
    for (int64_t half = 32; half > 0; half /= 2) {
        OPGEN_SIMD
        for (int64_t l = 0; l < half; l++)
            lanes[l] += lanes[l + half];
    }
    return lanes[0];
}

/* ---- lanes */

OPGEN_INLINE float opgen_powers_read(const void *x, int64_t at, int kind) {
    return kind == OPGEN_POWERS_F32   ? ((const float *)x)[at]
           : kind == OPGEN_POWERS_F16 ? opgen_f32_of_f16(((const opgen_f16 *)x)[at])
                                      : opgen_f32_of_bf16(((const opgen_bf16 *)x)[at]);
}

/* Some rows of x that are `apart` from each other, an even number of them, folded into lanes: one of the greatest of
 * each, and the sum of exp(x - that). opgen_powers_end comes behind all of them. Here what is greatest is looked for
 * first. */
OPGEN_INLINE void opgen_powers_anew(float *most, float *sum, const void *x, int64_t apart, int64_t lanes, int rows,
                                    int kind, int level) {
    int64_t l = 0;
    (void)level;
#if defined(OPGEN_X86)
    for (; level >= 3 && l + 16 <= lanes; l += 16) {
        const char *of = (const char *)x + l * (kind == OPGEN_POWERS_F32 ? 4 : 2);
        if (level == 4)
            opgen_powers_anew_v4(most + l, sum + l, of, apart, rows, kind);
        else
            opgen_powers_anew_v3(most + l, sum + l, of, apart, rows, kind);
    }
#endif
    OPGEN_SIMD
    for (int64_t j = l; j < lanes; j++) {
        float m = most[j], s = 0;
        for (int k = 0; k < rows; k++) {
            const float v = opgen_powers_read(x, k * apart + j, kind);
            m = v > m ? v : m;
        }
        for (int k = 0; k < rows; k++)
            s += opgen_exp_beside_1_f32(opgen_powers_read(x, k * apart + j, kind) - m);
        sum[j] = sum[j] * opgen_exp_beside_1_f32(most[j] - m) + s;
        most[j] = m;
    }
}

/* The same, but what is in `most` stays as long as sums of what comes are small beside OPGEN_POWERS_MOST: then no
 * element is looked at twice. So much is asked for ahead, in bytes, or nothing where it is 0. */
OPGEN_INLINE void opgen_powers(float *most, float *sum, const void *x, int64_t apart, int64_t lanes, int rows,
                               int64_t ahead, int kind, int level) {
    int64_t l = 0;
    (void)ahead;
#if defined(OPGEN_X86)
    if (level == 4) opgen_powers_v4(most, sum, x, apart, lanes, rows, ahead, kind), l = lanes / 16 * 16;
    if (level == 3) opgen_powers_v3(most, sum, x, apart, lanes, rows, ahead, kind), l = lanes / 16 * 16;
#endif
    const char *rest = (const char *)x + l * (kind == OPGEN_POWERS_F32 ? 4 : 2);
    opgen_powers_anew(most + l, sum + l, rest, apart, lanes - l, rows, kind, level);
}

/* A sum of nothing but -infinity is 0: of anything else what is in `most` has added 1. Whether all is right: where
 * there is infinity, or what is no number, it is not. */
OPGEN_INLINE bool opgen_powers_end(const float *most, float *sum, int64_t lanes) {
    uint32_t wrong = 0;
    OPGEN_SIMD
    for (int64_t l = 0; l < lanes; l++) {
        wrong |= opgen_mask(!(sum[l] < INFINITY)) | opgen_mask(!(most[l] < INFINITY));
        sum[l] = sum[l] < 0.5f ? 0 : sum[l];
    }
    return wrong == 0;
}

#endif

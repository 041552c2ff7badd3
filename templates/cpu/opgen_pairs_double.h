/* opgen_pairs_double.h: remainders, angles and powers of 32 pairs of doubles at once, in the place of the first ones, as
 * opgen_many_pairs.h has those of floats: a remainder is one division and one product with what fuses both, exact for
 * quotients below 2^53, an angle a table's and that of what is left, a power by a
 * logarithm of two doubles. Where one of the 32 is further off, and elsewhere
 * than on x86-64-v4, each is that of opgen_math.h, or of opgen_double_trig.h.
 *
 * `level` is what opgen_kernel.h says, a constant where these are called.
 */
#ifndef OPGEN_PAIRS_DOUBLE_H
#define OPGEN_PAIRS_DOUBLE_H

#include "opgen_double_hyperbolic.h"
#include "opgen_many_double_trig.h"
#include "opgen_math.h"

#if defined(OPGEN_X86)
/* What gcc's header makes of some of these without optimisation converts a mask's sign. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
/* |x| is *whole times |y|, and *left: exactly where this says so. The quotient may be rounded up to a whole number,
 * never down beyond one. */
OPGEN_V4 static inline __mmask8 opgen_divided_8(__m512d x, __m512d y, __m512d *whole, __m512d *left) {
    const __m512d a = _mm512_abs_pd(x), b = _mm512_abs_pd(y);
    const __m512d q = _mm512_roundscale_pd(_mm512_div_pd(a, b), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m512d r = _mm512_fnmadd_pd(q, b, a);
    const __mmask8 over = _mm512_cmp_pd_mask(r, _mm512_setzero_pd(), _CMP_LT_OQ);
    *whole = _mm512_mask_sub_pd(q, over, q, OPGEN_DOUBLES(1));
    *left = _mm512_mask_add_pd(r, over, r, b);
    return _mm512_mask_cmp_pd_mask(_mm512_cmp_pd_mask(q, OPGEN_DOUBLES(0x1p53), _CMP_LT_OQ), b, OPGEN_DOUBLES(INFINITY),
                                   _CMP_LT_OQ);
}

/* Where something is left and the signs are different: a remainder is to have that of y. */
OPGEN_V4 static inline __mmask8 opgen_turns_8(__m512d x, __m512d y, __m512d left) {
    const __mmask8 apart = _mm512_movepi64_mask(_mm512_castpd_si512(_mm512_xor_pd(x, y)));
    return _mm512_mask_cmp_pd_mask(apart, left, _mm512_setzero_pd(), _CMP_NEQ_UQ);
}

OPGEN_V4 static inline __mmask8 opgen_fmod_near_8(__m512d *x, __m512d y) {
    __m512d whole, left;
    const __mmask8 good = opgen_divided_8(*x, y, &whole, &left);
    *x = opgen_signed_f64(left, *x);
    return good;
}
OPGEN_V4 static inline __mmask8 opgen_mod_near_8(__m512d *x, __m512d y) {
    __m512d whole, left;
    const __mmask8 good = opgen_divided_8(*x, y, &whole, &left), turns = opgen_turns_8(*x, y, left);
    left = opgen_signed_f64(left, *x);
    *x = _mm512_mask_add_pd(left, turns, left, y);
    return good;
}
OPGEN_V4 static inline __mmask8 opgen_floordiv_near_8(__m512d *x, __m512d y) {
    __m512d whole, left;
    const __mmask8 good = opgen_divided_8(*x, y, &whole, &left), turns = opgen_turns_8(*x, y, left);
    whole = opgen_signed_f64(whole, _mm512_xor_pd(*x, y));
    *x = _mm512_mask_sub_pd(whole, turns, whole, OPGEN_DOUBLES(1));
    return good;
}
/* Of low / high, the sizes, as opgen_atan_of_32 has it: c by an estimate of that, and t = (low - c high) / (high + c low). The greater size
 * is to be from 2^-500 to 2^500. */
OPGEN_V4 static inline bool opgen_atan2_f64_near_32_v4(double *y, const double *x) {
    __m512d t[4], p[4], q[4];
    __m512i at[4], more[4];
    OPGEN_ALL_OF(4) {
        const __m512i a = _mm512_castpd_si512(_mm512_abs_pd(_mm512_loadu_pd(x + 8 * i)));
        const __m512i b = _mm512_castpd_si512(_mm512_abs_pd(_mm512_loadu_pd(y + 8 * i)));
        const __m512d low = _mm512_castsi512_pd(_mm512_min_epu64(a, b)), high = _mm512_castsi512_pd(_mm512_max_epu64(a, b));
        more[i] = _mm512_sub_epi64(_mm512_castpd_si512(high), _mm512_castpd_si512(OPGEN_DOUBLES(0x1p-500)));
        const __m512d about = _mm512_max_pd(OPGEN_DOUBLES(0x1p-4), _mm512_mul_pd(low, _mm512_rcp14_pd(high)));
        at[i] = _mm512_srli_epi64(_mm512_castpd_si512(about), 51);
        const __m512d c = opgen_look_f64(opgen_atan_f64_table[0], at[i]);
        t[i] = _mm512_div_pd(_mm512_fnmadd_pd(c, high, low), _mm512_fmadd_pd(c, low, high));
    }
    if (opgen_one_is_more(more, 0x1p-23)) return false; /* 2^500 less 2^-500, as bits */
    opgen_atan_less_32(p, q, t);
    OPGEN_ALL_OF(4) {
        const __m512d v = _mm512_loadu_pd(x + 8 * i), w = _mm512_loadu_pd(y + 8 * i), sign = OPGEN_DOUBLES(-0.0);
        const __mmask8 steep = _mm512_cmpgt_epu64_mask(_mm512_castpd_si512(_mm512_abs_pd(w)), _mm512_castpd_si512(_mm512_abs_pd(v)));
        const __m512d back = _mm512_and_pd(v, sign);
        const __m512d flat = _mm512_maskz_mov_pd(_mm512_movepi64_mask(_mm512_castpd_si512(v)), OPGEN_DOUBLES(0x1.921fb54442d18p+1));
        const __m512d base = _mm512_mask_mov_pd(flat, steep, OPGEN_DOUBLES(0x1.921fb54442d18p+0));
        const __m512d size = _mm512_add_pd(opgen_look_f64(opgen_atan_f64_table[2], at[i]), _mm512_fmadd_pd(_mm512_mul_pd(p[i], q[i]), t[i], t[i]));
        const __m512d turned = _mm512_xor_pd(size, _mm512_mask_xor_pd(back, steep, back, sign));
        const __m512d all = _mm512_add_pd(base, _mm512_fmadd_pd(base, OPGEN_DOUBLES(0x1.678afae35cdd1p-55), turned));
        _mm512_storeu_pd(y + 8 * i, opgen_signed_f64(all, w));
    }
    return true;
}

/* What the logarithms to base 2 of opgen_logs_f64's factors are, as two doubles, the first of few bits; what 2^(i / 16) is more than a double. */
static const double opgen_pow_logs_f64[2][16] = {
    {0, 0x1.663f6fac9p-4, 0x1.5c01a39fb8p-3, 0x1.fbc16b902p-3, 0x1.49a784bcd8p-2, 0x1.91bba891f4p-2, 0x1.d6753e033p-2, 0x1.0c10500d64p-1, 0x1.2b803473fap-1, 0, 0, 0, -0x1.a8ff97180cp-2, -0x1.32bfee3714p-2, -0x1.8a8980abf8p-3, -0x1.7d60496dp-4},
    {0, 0x1.2ce5a4d375a68p-44, -0x1.fbe758fdb1ccdp-42, -0x1.c47e459753ea2p-42, -0x1.fcd9edff77e66p-43, -0x1.fd90379742a03p-42, -0x1.5e9cb1af248d7p-42, -0x1.30fe60ad29cf9p-43, 0x1.76002386736ebp-42, 0, 0, 0, 0x1.b182ff9747dc9p-42, -0x1.c4e649ba4700ep-42, -0x1.ede730b7d41ap-42, 0x1.132ab83080663p-42},
};
static const double opgen_pow_parts_f64[16] =
    {0, 0x1.8a62e4adc610bp-54, -0x1.19041b9d78a76p-55, 0x1.9b07eb6c70573p-54, 0x1.6f46ad23182e4p-55, 0x1.ada0911f09ebcp-55, 0x1.d4397afec42e2p-56, 0x1.6324c054647adp-54, -0x1.bdd3413b26456p-54, -0x1.41577ee04992fp-55, 0x1.6e9f156864b27p-54, 0x1.c7c46b071f2bep-56, 0x1.7a1cd345dcc81p-54, 0x1.11065895048ddp-55, 0x1.2ed02d75b3707p-55, -0x1.e9c23179c2893p-54};

/* 2^(y log2(x)) where x is a normal positive number and the power is from 2^-1000 to 2^1000. x is m * 2^e and m nearly one over a factor, of
 * which r and `lost` are left; what is multiplied by 1 / log(2) there is the sum of r, -r^2 / 2, each a product in two doubles, and
 * r^3 and so on, which are rounded. What a compiler would fuse is computed by itself. */
OPGEN_V4 static inline bool opgen_pow_f64_near_32_v4(double *x, const double *y) {
    const __m512d by = OPGEN_DOUBLES(0x1.71547652b82fep+0), by_rest = OPGEN_DOUBLES(0x1.777d0ffda0d24p-56);
    __m512d high[4], low[4], first[4], f[4], p[4], part[4], rest[4];
    __m512i bits[4], power[4];
    OPGEN_ALL_OF(4) {
        const __m512i v = _mm512_castpd_si512(_mm512_loadu_pd(x + 8 * i));
        bits[i] = _mm512_sub_epi64(v, _mm512_castpd_si512(OPGEN_DOUBLES(0x1p-1022)));
        const __m512i over = _mm512_sub_epi64(v, _mm512_castpd_si512(OPGEN_DOUBLES(0.75)));
        const __m512d m = _mm512_castsi512_pd(_mm512_sub_epi64(v, _mm512_and_si512(over, _mm512_set1_epi64(INT64_MIN >> 11))));
        const __m512d e = _mm512_cvtepi64_pd(_mm512_srai_epi64(over, 52));
        const __m512i at = _mm512_castpd_si512(_mm512_fmadd_pd(m, OPGEN_DOUBLES(16), OPGEN_DOUBLES(0x1.8p52)));
        const __m512d of = opgen_look_f64(opgen_logs_f64[0], at);
        __m512d whole = _mm512_mul_pd(m, of);
        OPGEN_COMPUTED(whole);
        first[i] = _mm512_sub_pd(whole, OPGEN_DOUBLES(1));
        const __m512d lost = _mm512_fmsub_pd(m, of, whole), less = _mm512_fnmadd_pd(lost, first[i], lost);
        low[i] = _mm512_fmadd_pd(_mm512_fnmadd_pd(less, first[i], lost), by, opgen_look_f64(opgen_pow_logs_f64[1], at));
        high[i] = _mm512_add_pd(e, opgen_look_f64(opgen_pow_logs_f64[0], at));
    }
    if (opgen_one_is_more(bits, 0x1.fffffffffffffp+1022)) return false; /* infinity less the least normal number, as bits */
    OPGEN_ALL_OF(4) {
        const __m512d r = first[i];
        p[i] = _mm512_fmadd_pd(OPGEN_DOUBLES(-0x1.eea0b9ff464cp-4), r, OPGEN_DOUBLES(0x1.0dbfbcbb620c6p-3));
        p[i] = _mm512_fmadd_pd(p[i], r, OPGEN_DOUBLES(-0x1.27763a5adf2f8p-3));
        p[i] = _mm512_fmadd_pd(p[i], r, OPGEN_DOUBLES(0x1.484a88cc0ef7ep-3));
        p[i] = _mm512_fmadd_pd(p[i], r, OPGEN_DOUBLES(-0x1.715476723ca0ep-3));
        p[i] = _mm512_fmadd_pd(p[i], r, OPGEN_DOUBLES(0x1.a61762c50f20cp-3));
    }
    OPGEN_ALL_OF(4) {
        const __m512d r = first[i];
        p[i] = _mm512_fmadd_pd(p[i], r, OPGEN_DOUBLES(-0x1.ec709dc39d0adp-3));
        p[i] = _mm512_fmadd_pd(p[i], r, OPGEN_DOUBLES(0x1.2776c50ef871fp-2));
        p[i] = _mm512_fmadd_pd(p[i], r, OPGEN_DOUBLES(-0x1.71547652b82ffp-2));
        p[i] = _mm512_fmadd_pd(p[i], r, OPGEN_DOUBLES(0x1.ec709dc3a03fep-2));
    }
    OPGEN_ALL_OF(4) {
        const __m512d r = first[i], half = OPGEN_DOUBLES(-0x1.71547652b82fep-1);
        __m512d s = _mm512_mul_pd(r, by), square = _mm512_mul_pd(r, r), u = _mm512_mul_pd(square, half);
        OPGEN_COMPUTED(s);
        OPGEN_COMPUTED(u);
        const __m512d s_rest = _mm512_fmadd_pd(r, by_rest, _mm512_fmsub_pd(r, by, s)), square_rest = _mm512_fmsub_pd(r, r, square);
        __m512d u_rest = _mm512_fmadd_pd(square, OPGEN_DOUBLES(-0x1.777d0ffda0d24p-57), _mm512_fmsub_pd(square, half, u));
        u_rest = _mm512_fmadd_pd(square_rest, half, u_rest);
        const __m512d sum = _mm512_add_pd(high[i], s), sum_rest = _mm512_add_pd(_mm512_sub_pd(high[i], sum), s);
        const __m512d all = _mm512_add_pd(sum, u), all_rest = _mm512_add_pd(_mm512_sub_pd(sum, all), u);
        const __m512d small = _mm512_add_pd(_mm512_add_pd(low[i], s_rest), _mm512_add_pd(sum_rest, all_rest));
        low[i] = _mm512_add_pd(_mm512_fmadd_pd(p[i], _mm512_mul_pd(square, r), u_rest), small);
        high[i] = all;
    }
    OPGEN_ALL_OF(4) {
        const __m512d w = _mm512_loadu_pd(y + 8 * i);
        __m512d product = _mm512_mul_pd(w, high[i]);
        OPGEN_COMPUTED(product);
        const __m512d less = _mm512_fmadd_pd(w, low[i], _mm512_fmsub_pd(w, high[i], product)), turn = OPGEN_DOUBLES(0x1.8p48);
        const __m512d z = _mm512_add_pd(_mm512_add_pd(product, less), turn);
        bits[i] = _mm512_castpd_si512(_mm512_abs_pd(product));
        f[i] = _mm512_add_pd(_mm512_sub_pd(product, _mm512_sub_pd(z, turn)), less);
        power[i] = _mm512_slli_epi64(_mm512_srai_epi64(_mm512_castpd_si512(z), 4), 52);
        part[i] = opgen_look_f64(opgen_powers_f64[0], _mm512_castpd_si512(z));
        rest[i] = opgen_look_f64(opgen_pow_parts_f64, _mm512_castpd_si512(z));
    }
    if (opgen_one_is_more(bits, 1000)) return false;
    OPGEN_ALL_OF(4) {
        p[i] = _mm512_fmadd_pd(OPGEN_DOUBLES(0x1.021f0cc3ca5dep-16), f[i], OPGEN_DOUBLES(0x1.430a695bcb4b3p-13));
        p[i] = _mm512_fmadd_pd(p[i], f[i], OPGEN_DOUBLES(0x1.5d87fa2f2320fp-10));
        p[i] = _mm512_fmadd_pd(p[i], f[i], OPGEN_DOUBLES(0x1.3b2ab6fadcf83p-7));
    }
    OPGEN_ALL_OF(4) {
        p[i] = _mm512_fmadd_pd(p[i], f[i], OPGEN_DOUBLES(0x1.c6b08d704f0d9p-5));
        p[i] = _mm512_fmadd_pd(p[i], f[i], OPGEN_DOUBLES(0x1.ebfbdff82c597p-3));
        p[i] = _mm512_mul_pd(_mm512_fmadd_pd(p[i], f[i], OPGEN_DOUBLES(0x1.62e42fefa39efp-1)), f[i]);
        const __m512d all = _mm512_add_pd(part[i], _mm512_fmadd_pd(p[i], part[i], rest[i]));
        _mm512_storeu_si512(x + 8 * i, _mm512_add_epi64(_mm512_castpd_si512(all), power[i]));
    }
    return true;
}

#define OPGEN_PAIRS_DOUBLE_V4(name)                                                                                    \
    OPGEN_V4 static inline bool opgen_##name##_f64_near_32_v4(double *x, const double *y) {                            \
        __m512d v[4];                                                                                                  \
        __mmask8 good = 0xff;                                                                                          \
        for (int i = 0; i < 4; i++) {                                                                                  \
            v[i] = _mm512_loadu_pd(x + 8 * i);                                                                         \
            good = (__mmask8)(good & opgen_##name##_near_8(&v[i], _mm512_loadu_pd(y + 8 * i)));                        \
        }                                                                                                              \
        if (good != 0xff) return false;                                                                                \
        for (int i = 0; i < 4; i++)                                                                                    \
            _mm512_storeu_pd(x + 8 * i, v[i]);                                                                         \
        return true;                                                                                                   \
    }
OPGEN_PAIRS_DOUBLE_V4(fmod)
OPGEN_PAIRS_DOUBLE_V4(mod)
OPGEN_PAIRS_DOUBLE_V4(floordiv)
#undef OPGEN_PAIRS_DOUBLE_V4
#pragma GCC diagnostic pop
#define OPGEN_PAIRS_DOUBLE_CHOOSE(name)                                                                                \
    if (level == 4 && opgen_##name##_f64_near_32_v4(x, y)) return;
#else
#define OPGEN_PAIRS_DOUBLE_CHOOSE(name)
#endif
#define OPGEN_PAIRS_DOUBLE(name)                                                                                       \
    OPGEN_INLINE void opgen_##name##_f64_32(double *x, const double *y, int level) {                                   \
        (void)level;                                                                                                   \
        OPGEN_PAIRS_DOUBLE_CHOOSE(name)                                                                                \
        for (int i = 0; i < 32; i++)                                                                                   \
            x[i] = opgen_##name##_f64(x[i], y[i]);                                                                     \
    }
OPGEN_PAIRS_DOUBLE(fmod)
OPGEN_PAIRS_DOUBLE(mod)
OPGEN_PAIRS_DOUBLE(floordiv)
OPGEN_PAIRS_DOUBLE(atan2)
OPGEN_PAIRS_DOUBLE(pow)
#undef OPGEN_PAIRS_DOUBLE_CHOOSE
#undef OPGEN_PAIRS_DOUBLE

#endif

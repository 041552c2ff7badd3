/* opgen_many_trig.h: sine, cosine, tangent and their inverses of many floats, as opgen_many.h has exponentials. x86-64-v3 has sine and
 * cosine in its own way (opgen_many_v3.h). Elsewhere than on x86-64-v4 the others are the functions of opgen_trig.h.
 *
 * `level` is what opgen_kernel.h says, a constant where these are called. tests/cpu/fit_math.py makes the tables.
 */
#ifndef OPGEN_MANY_TRIG_H
#define OPGEN_MANY_TRIG_H

#include "opgen_many.h"
#include "opgen_trig.h"

#if defined(OPGEN_X86)
/* As opgen_erf_table: intervals of 1/31 and 0.0229, the first polynomials those of atan(x) - x and asin(x) - x. */
static const float opgen_atan_table[6][32] = {{0, 0x1.08421p-5f, 0x1.08437cp-4f, 0x1.8c61dcp-4f, 0x1.084364p-3f, 0x1.4a51ep-3f, 0x1.8c644ap-3f, 0x1.ce727p-3f, 0x1.08409p-2f, 0x1.294b98p-2f, 0x1.4a51d2p-2f, 0x1.6b5c38p-2f, 0x1.8c6438p-2f, 0x1.ad6ab8p-2f, 0x1.ce74acp-2f, 0x1.ef7b64p-2f, 0x1.0840b6p-1f, 0x1.18c708p-1f, 0x1.294952p-1f, 0x1.39cd04p-1f, 0x1.4a5334p-1f, 0x1.5ad6c4p-1f, 0x1.6b5b18p-1f, 0x1.7bdff2p-1f, 0x1.8c6192p-1f, 0x1.9ce65cp-1f, 0x1.ad6b34p-1f, 0x1.bdee02p-1f, 0x1.ce7482p-1f, 0x1.def63p-1f, 0x1.ef7c7ep-1f, 0x1p+0f}, {0, 0x1.082a9cp-5f, 0x1.07e5dap-4f, 0x1.8b26dcp-4f, 0x1.06cfa2p-3f, 0x1.477fd8p-3f, 0x1.878cdep-3f, 0x1.c6d1c2p-3f, 0x1.029c2ep-2f, 0x1.215742p-2f, 0x1.3f8748p-2f, 0x1.5d2adp-2f, 0x1.7a3394p-2f, 0x1.969b74p-2f, 0x1.b260e6p-2f, 0x1.cd79c6p-2f, 0x1.e7e4fp-2f, 0x1.00d2e4p-1f, 0x1.0d57d4p-1f, 0x1.19855p-1f, 0x1.255c42p-1f, 0x1.30d99ap-1f, 0x1.3c00aep-1f, 0x1.46d27cp-1f, 0x1.514e12p-1f, 0x1.5b792p-1f, 0x1.65536ep-1f, 0x1.6eddb6p-1f, 0x1.781d42p-1f, 0x1.810f6ep-1f, 0x1.89bb8p-1f, 0x1.921fb6p-1f}, {-0x1.d3b364p-34f, 0x1.ff77bep-1f, 0x1.fde0acp-1f, 0x1.fb3fe6p-1f, 0x1.f79d66p-1f, 0x1.f304bap-1f, 0x1.ed831ap-1f, 0x1.e7292ep-1f, 0x1.e00856p-1f, 0x1.d832cap-1f, 0x1.cfbe92p-1f, 0x1.c6bdd6p-1f, 0x1.bd46ccp-1f, 0x1.b36d64p-1f, 0x1.a94398p-1f, 0x1.9ede0cp-1f, 0x1.944d7p-1f, 0x1.899f9cp-1f, 0x1.7ee826p-1f, 0x1.7430f4p-1f, 0x1.698556p-1f, 0x1.5ef32ep-1f, 0x1.548186p-1f, 0x1.4a387p-1f, 0x1.4020e8p-1f, 0x1.363c8ep-1f, 0x1.2c91d6p-1f, 0x1.23257ep-1f, 0x1.19f7p-1f, 0x1.110d0cp-1f, 0x1.0863d2p-1f, 0x1p-1f}, {0x1.c3261cp-23f, -0x1.077f4p-5f, -0x1.061448p-4f, -0x1.850f98p-4f, -0x1.ff5be6p-4f, -0x1.39c7e4p-3f, -0x1.70481ep-3f, -0x1.a2aa7p-3f, -0x1.d0890ep-3f, -0x1.f9bd54p-3f, -0x1.0efd5ap-2f, -0x1.1ea248p-2f, -0x1.2bcf1ap-2f, -0x1.3693c6p-2f, -0x1.3f0aa2p-2f, -0x1.4550e8p-2f, -0x1.498cf8p-2f, -0x1.4be84ap-2f, -0x1.4c8c5ap-2f, -0x1.4ba5f4p-2f, -0x1.49617ep-2f, -0x1.45eb98p-2f, -0x1.416b5p-2f, -0x1.3c09a2p-2f, -0x1.35e9fp-2f, -0x1.2f3204p-2f, -0x1.27fa26p-2f, -0x1.2062b6p-2f, -0x1.1882b8p-2f, -0x1.107bc2p-2f, -0x1.083f36p-2f, -0x1.00af6cp-2f}, {-0x1.556664p-2f, -0x1.529ab2p-2f, -0x1.4cc736p-2f, -0x1.429822p-2f, -0x1.34b406p-2f, -0x1.234a1ep-2f, -0x1.0f431cp-2f, -0x1.f1ea8p-3f, -0x1.c281c8p-3f, -0x1.902fd4p-3f, -0x1.5cbb06p-3f, -0x1.295df2p-3f, -0x1.ee9f52p-4f, -0x1.8d010cp-4f, -0x1.2f1f54p-4f, -0x1.b01a24p-5f, -0x1.0d79cap-5f, -0x1.e4330ep-7f, 0x1.879004p-10f, 0x1.0ac3a4p-6f, 0x1.de3d96p-6f, 0x1.4c20d8p-5f, 0x1.9a1628p-5f, 0x1.dd57f4p-5f, 0x1.09ac64p-4f, 0x1.21708p-4f, 0x1.32e5cap-4f, 0x1.3fb4ccp-4f, 0x1.4a2eap-4f, 0x1.50079p-4f, 0x1.54ae2ap-4f, 0x1.54eceep-4f}, {0x1.a6da9ap-8f, -0x1.47784ep-5f, 0x1.0a81dp-4f, 0x1.78c584p-4f, 0x1.eba594p-4f, 0x1.1e8d52p-3f, 0x1.48db2p-3f, 0x1.69b1a4p-3f, 0x1.03fd0ep-3f, 0x1.891562p-3f, 0x1.91e026p-3f, 0x1.8ec9b8p-3f, 0x1.841c1cp-3f, 0x1.6e2a9p-3f, 0x1.5cf35p-3f, 0x1.427334p-3f, 0x1.2c3d4ep-3f, 0x1.1f1cc2p-3f, 0x1.0754acp-3f, 0x1.c1b8b6p-4f, 0x1.8053bp-4f, 0x1.6964bap-4f, 0x1.1c0e9cp-4f, 0x1.dde032p-5f, 0x1.61c6fep-6f, 0x1.575248p-5f, 0x1.72f2aap-6f, 0x1.3779a8p-7f, 0x1.e50fap-7f, 0x1.35b2dap-3f, 0x1.768e44p-10f, 0x1.47f5bep+1f}};
static const float opgen_asin_table[6][32] = {{0, 0x1.77319p-6f, 0x1.773002p-5f, 0x1.19666p-4f, 0x1.77319ap-4f, 0x1.d4fedcp-4f, 0x1.196526p-3f, 0x1.484aa8p-3f, 0x1.773046p-3f, 0x1.a616e4p-3f, 0x1.d4fe12p-3f, 0x1.01f0aap-2f, 0x1.1965dap-2f, 0x1.30d9aap-2f, 0x1.484a7ap-2f, 0x1.5fbd8ap-2f, 0x1.7730a2p-2f, 0x1.8ea372p-2f, 0x1.a61702p-2f, 0x1.bd8bb4p-2f, 0x1.d4fc6ap-2f, 0x1.ec71d8p-2f, 0x1.01f1dep-1f, 0x1.0dad2ep-1f, 0x1.1965ap-1f, 0x1.251e88p-1f, 0x1.30d948p-1f, 0x1.3c91bcp-1f, 0x1.484a0cp-1f, 0x1.54036ap-1f, 0x1.5fbd9p-1f, 0x1.6b787ap-1f}, {0, 0x1.7739f6p-6f, 0x1.77519ep-5f, 0x1.199f2ap-4f, 0x1.77b86ep-4f, 0x1.d606c4p-4f, 0x1.1a49c2p-3f, 0x1.49b6cep-3f, 0x1.7951cep-3f, 0x1.a922dcp-3f, 0x1.d931p-3f, 0x1.04bfb2p-2f, 0x1.1d10ccp-2f, 0x1.358b02p-2f, 0x1.4e312p-2f, 0x1.670d7cp-2f, 0x1.8022eap-2f, 0x1.99769ap-2f, 0x1.b30fap-2f, 0x1.ccf4e4p-2f, 0x1.e727b8p-2f, 0x1.00dcc6p-1f, 0x1.0e54c2p-1f, 0x1.1c0546p-1f, 0x1.29ed6cp-1f, 0x1.3816fp-1f, 0x1.468a3p-1f, 0x1.554996p-1f, 0x1.646064p-1f, 0x1.73da32p-1f, 0x1.83c276p-1f, 0x1.942728p-1f}, {-0x1.64b946p-37f, 0x1.001132p+0f, 0x1.0044d8p+0f, 0x1.009b36p+0f, 0x1.0114bp+0f, 0x1.01b1ep+0f, 0x1.027384p+0f, 0x1.035a94p+0f, 0x1.046838p+0f, 0x1.059dd8p+0f, 0x1.06fd12p+0f, 0x1.0887a4p+0f, 0x1.0a401ep+0f, 0x1.0c28aep+0f, 0x1.0e4408p+0f, 0x1.1095f4p+0f, 0x1.132212p+0f, 0x1.15ecb6p+0f, 0x1.18fb0ep+0f, 0x1.1c53p+0f, 0x1.1ffa8p+0f, 0x1.23fac2p+0f, 0x1.285b8cp+0f, 0x1.2d2932p+0f, 0x1.326e3cp+0f, 0x1.383b24p+0f, 0x1.3ea2e8p+0f, 0x1.45b938p+0f, 0x1.4d9a08p+0f, 0x1.566786p+0f, 0x1.604b7ep+0f, 0x1.6b7b66p+0f}, {0x1.e4a484p-26f, 0x1.772064p-7f, 0x1.787edp-6f, 0x1.1b67ccp-5f, 0x1.7bf93ep-5f, 0x1.de60eap-5f, 0x1.218e0ap-4f, 0x1.555daap-4f, 0x1.8ae5fcp-4f, 0x1.c27b98p-4f, 0x1.fc757ap-4f, 0x1.1c8c9cp-3f, 0x1.3c923p-3f, 0x1.5e6284p-3f, 0x1.8248ecp-3f, 0x1.a8a0cap-3f, 0x1.d1c1dp-3f, 0x1.fe1482p-3f, 0x1.170d42p-2f, 0x1.313302p-2f, 0x1.4dc1fep-2f, 0x1.6d4f3ep-2f, 0x1.902e6cp-2f, 0x1.b711dep-2f, 0x1.e29bdcp-2f, 0x1.09e7a4p-1f, 0x1.25ea18p-1f, 0x1.460964p-1f, 0x1.6b3cc4p-1f, 0x1.96c94p-1f, 0x1.ca57d2p-1f, 0x1.041946p+0f}, {0x1.554ee2p-3f, 0x1.5475aep-3f, 0x1.57d23cp-3f, 0x1.5c40ccp-3f, 0x1.618252p-3f, 0x1.69c1bcp-3f, 0x1.74489cp-3f, 0x1.7eced2p-3f, 0x1.8c3474p-3f, 0x1.9c6896p-3f, 0x1.afef7ap-3f, 0x1.c5dcf8p-3f, 0x1.debf26p-3f, 0x1.fb5618p-3f, 0x1.0e32f4p-2f, 0x1.2112e8p-2f, 0x1.35fdfp-2f, 0x1.4f48b2p-2f, 0x1.6c10eep-2f, 0x1.8d91aep-2f, 0x1.b435eap-2f, 0x1.e2341ap-2f, 0x1.0ba2dep-1f, 0x1.2b24ap-1f, 0x1.50b9eep-1f, 0x1.7d5d92p-1f, 0x1.b3d86ep-1f, 0x1.f611f6p-1f, 0x1.24458p+0f, 0x1.581008p+0f, 0x1.99c53ep+0f, 0x1.eeb356p+0f}, {0x1.c26dbep-10f, 0x1.e1bac8p-5f, -0x1.1faacep-5f, 0x1.88499ap-6f, 0x1.c72628p-6f, 0x1.482088p-5f, 0x1.df70d6p-5f, 0x1.0669d4p-4f, 0x1.5167c4p-4f, 0x1.86ac5ep-4f, 0x1.be02fp-4f, 0x1.17e6d4p-2f, 0x1.287366p-3f, 0x1.463f54p-3f, 0x1.998774p-3f, 0x1.cd546ap-3f, 0x1.fc8d14p-3f, 0x1.2be20ep-2f, 0x1.506838p-2f, 0x1.8a1b5ap-2f, 0x1.894ebcp-1f, 0x1.15e02cp-1f, 0x1.363184p-1f, 0x1.414fa8p-1f, 0x1.c14698p-1f, 0x1.05c9a6p+0f, 0x1.464394p+0f, 0x1.917e4p+0f, 0x1.f6c62ep+0f, 0x1.38d494p+1f, 0x1.974586p+1f, 0x1.0905e4p+2f}};

/* |x| less n quarters of a turn, for |x| up to OPGEN_FAR, in three parts, of which the first leaves what a float can hold. Low bits of the
 * result are those of n, or of n + 1. */
#define OPGEN_FAR 0x1p16f
OPGEN_V4 static inline __m512i opgen_quarters_16(__m512 x, bool next, __m512 *r) {
    const __m512 a = _mm512_abs_ps(x), round = OPGEN_ALL(next ? 0x1.8p23f + 1 : 0x1.8p23f);
    const __m512 z = _mm512_fmadd_ps(a, OPGEN_ALL(0x1.45f306p-1f), round), n = _mm512_sub_ps(z, round);
    *r = _mm512_fnmadd_ps(n, OPGEN_ALL(0x1.921fb6p+0f), a);
    *r = _mm512_fnmadd_ps(n, OPGEN_ALL(-0x1.777a5cp-25f), *r);
    *r = _mm512_fnmadd_ps(n, OPGEN_ALL(-0x1.ee59dap-50f), *r);
    return _mm512_castps_si512(z);
}

/* `size`, with the sign turned where that of `sign` is set. */
OPGEN_V4 static inline __m512 opgen_turned_sign(__m512 size, __m512i sign) {
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(size), sign, _mm512_set1_epi32(INT32_MIN), 0x78));
}

/* One polynomial for both, with coefficients of the one or of the other: fewer multiplications than two of them. It is that of r * r: times the
 * square of that and r or 1, it is what is added to r or 1. */
OPGEN_V4 static inline __m512 opgen_sine_16(__m512 x, bool cosine) {
    __m512 r;
    const __m512i quarters = opgen_quarters_16(x, cosine, &r);
    const __mmask16 odd = _mm512_test_epi32_mask(quarters, _mm512_set1_epi32(1));
    const __m512 q = _mm512_mul_ps(r, r), base = _mm512_mask_mov_ps(r, odd, OPGEN_ALL(1));
    __m512 p = _mm512_maskz_mov_ps(odd, OPGEN_ALL(0x1.99e80cp-16f));
    p = _mm512_fmadd_ps(p, q, _mm512_mask_mov_ps(OPGEN_ALL(-0x1.995408p-13f), odd, OPGEN_ALL(-0x1.6c0c28p-10f)));
    p = _mm512_fmadd_ps(p, q, _mm512_mask_mov_ps(OPGEN_ALL(0x1.110778p-7f), odd, OPGEN_ALL(0x1.55554ap-5f)));
    p = _mm512_fmadd_ps(p, q, _mm512_mask_mov_ps(OPGEN_ALL(-0x1.555546p-3f), odd, OPGEN_ALL(-0.5f)));
    __m512i sign = _mm512_slli_epi32(quarters, 30);
    if (!cosine) sign = _mm512_xor_epi32(sign, _mm512_castps_si512(x));
    return opgen_turned_sign(_mm512_fmadd_ps(_mm512_mul_ps(base, q), p, base), sign);
}

/* A quotient by an estimate and what that leaves; of an odd number of quarters -cosine / sine. A sine of 0 is that of 0. */
OPGEN_V4 static inline __m512 opgen_tangent_16(__m512 x) {
    __m512 r;
    const __m512i quarters = opgen_quarters_16(x, false, &r);
    const __m512 square = _mm512_mul_ps(r, r);
    __m512 s = _mm512_fmadd_ps(square, OPGEN_ALL(-0x1.995408p-13f), OPGEN_ALL(0x1.110778p-7f));
    s = _mm512_fmadd_ps(s, square, OPGEN_ALL(-0x1.555546p-3f));
    s = _mm512_fmadd_ps(_mm512_mul_ps(r, square), s, r);
    __m512 c = _mm512_fmadd_ps(square, OPGEN_ALL(0x1.99e80cp-16f), OPGEN_ALL(-0x1.6c0c28p-10f));
    c = _mm512_fmadd_ps(c, square, OPGEN_ALL(0x1.55554ap-5f));
    c = _mm512_fmadd_ps(c, square, OPGEN_ALL(-0.5f));
    c = _mm512_fmadd_ps(c, square, OPGEN_ALL(1));
    const __mmask16 odd = _mm512_test_epi32_mask(quarters, _mm512_set1_epi32(1));
    const __m512 up = _mm512_mask_mov_ps(s, odd, c), by = _mm512_mask_mov_ps(c, odd, s), estimate = _mm512_rcp14_ps(by);
    const __m512 first = _mm512_fmadd_ps(_mm512_fnmadd_ps(by, estimate, OPGEN_ALL(1)), estimate, estimate);
    const __m512 q = _mm512_mul_ps(up, first);
    const __m512 size = _mm512_fmadd_ps(_mm512_fnmadd_ps(q, by, up), first, q);
    return opgen_turned_sign(size, _mm512_xor_epi32(_mm512_slli_epi32(quarters, 31), _mm512_castps_si512(x)));
}

/* Beyond 1 a quarter of a turn less that of 1 / x. */
OPGEN_V4 static inline __m512 opgen_atan_16(__m512 x) {
    const __m512 a = _mm512_min_ps(OPGEN_ALL(0x1p60f), _mm512_abs_ps(x)), estimate = _mm512_rcp14_ps(a);
    const __mmask16 far = _mm512_cmp_ps_mask(a, OPGEN_ALL(1), _CMP_GT_OQ);
    const __m512 inverse = _mm512_fmadd_ps(_mm512_fnmadd_ps(a, estimate, OPGEN_ALL(1)), estimate, estimate);
    __m512 p = opgen_tabled(_mm512_mask_mov_ps(a, far, inverse), opgen_atan_table, 4, 31, 1, true);
    p = _mm512_mask_sub_ps(p, far, p, OPGEN_ALL(-0x1.777a5cp-25f));
    return opgen_signed(_mm512_mask_sub_ps(p, far, OPGEN_ALL(0x1.921fb6p+0f), p), x);
}

/* Beyond 0.71 by half of the angle: asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)). */
OPGEN_V4 static inline __m512 opgen_asin_half_16(__m512 x, __mmask16 *far) {
    const __m512 a = _mm512_abs_ps(x), u = _mm512_fnmadd_ps(a, OPGEN_ALL(0.5f), OPGEN_ALL(0.5f));
    *far = _mm512_cmp_ps_mask(a, OPGEN_ALL(0.71f), _CMP_GT_OQ);
    const __m512 r = _mm512_maskz_rsqrt14_ps(_mm512_cmp_ps_mask(u, _mm512_setzero_ps(), _CMP_NEQ_UQ), u);
    const __m512 root = _mm512_mul_ps(u, r), left = _mm512_fnmadd_ps(root, root, u);
    const __m512 t = _mm512_fmadd_ps(left, _mm512_mul_ps(r, OPGEN_ALL(0.5f)), root);
    return opgen_tabled(_mm512_mask_mov_ps(a, *far, t), opgen_asin_table, 4, 1 / 0.0229f, 0.72f, true);
}

OPGEN_V4 static inline __m512 opgen_asin_16(__m512 x) {
    __mmask16 far;
    __m512 p = opgen_asin_half_16(x, &far);
    p = _mm512_mask_fmsub_ps(p, far, OPGEN_ALL(2), OPGEN_ALL(-0x1.777a5cp-25f));
    return opgen_signed(_mm512_mask_sub_ps(p, far, OPGEN_ALL(0x1.921fb6p+0f), p), x);
}

/* pi / 2 less the small, or twice that of half of the angle, of pi where x is negative. */
OPGEN_V4 static inline __m512 opgen_acos_16(__m512 x) {
    __mmask16 far;
    const __m512 p = opgen_asin_half_16(x, &far), zero = _mm512_setzero_ps();
    const __mmask16 below = _mm512_cmp_ps_mask(x, zero, _CMP_LT_OQ);
    const __m512 part = _mm512_mul_ps(p, _mm512_mask_mov_ps(OPGEN_ALL(-1), far, OPGEN_ALL(2)));
    __m512 whole = _mm512_mask_mov_ps(OPGEN_ALL(0x1.921fb6p+0f), far, zero), rest = _mm512_mask_mov_ps(OPGEN_ALL(-0x1.777a5cp-25f), far, zero);
    whole = _mm512_mask_mov_ps(whole, far & below, OPGEN_ALL(0x1.921fb6p+1f));
    rest = _mm512_mask_mov_ps(rest, far & below, OPGEN_ALL(-0x1.777a5cp-24f));
    return _mm512_add_ps(whole, _mm512_add_ps(rest, _mm512_mask_sub_ps(part, below, zero, part)));
}

OPGEN_MANY_V4(atan, opgen_atan_16(v))
OPGEN_MANY_V4(asin, opgen_asin_16(v))
OPGEN_MANY_V4(acos, opgen_acos_16(v))

/* Further off as opgen_trig.h does. */
#define OPGEN_SINE_V4(name, of_16)                                                                                   \
    OPGEN_V4 static inline void opgen_##name##_far_many_v4(float *to, const float *x, int64_t n) {                     \
        OPGEN_SIMD                                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                                                \
            to[i] = opgen_##name##_f32(x[i]);                                                                          \
    }                                                                                                                  \
    OPGEN_NEAR_V4(name, OPGEN_FAR, of_16)
OPGEN_SINE_V4(sin, opgen_sine_16(v, false))
OPGEN_SINE_V4(cos, opgen_sine_16(v, true))
OPGEN_SINE_V4(tan, opgen_tangent_16(v))
#undef OPGEN_SINE_V4
#endif

OPGEN_MANY_BOTH(sin)
OPGEN_MANY_BOTH(cos)
OPGEN_MANY(tan)
OPGEN_MANY(atan)
OPGEN_MANY(asin)
OPGEN_MANY(acos)

#endif

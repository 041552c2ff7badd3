/* opgen_many_double.h: functions of many doubles, as opgen_many.h has them of floats: in intrinsics of x86-64-v4, which
 * looks up one of 16 entries of a table by one instruction and has exponents of its own. Elsewhere, and what has no such
 * form here, they are loops over the functions of opgen_double.h and its neighbours. Special values are the same; how far
 * off they may be is in README.md. tests/cpu/fit_double.py makes the tables and the coefficients.
 */
#ifndef OPGEN_MANY_DOUBLE_H
#define OPGEN_MANY_DOUBLE_H

#include "opgen_double.h"
#include "opgen_double_hyperbolic.h"
#include "opgen_double_trig.h"
#include "opgen_kernel.h"

#if defined(OPGEN_X86)
#include <immintrin.h>

/* 2^(i / 16), and the same less 1 for i from -8 to 7, what is negative behind the others. */
static const double opgen_powers_f64[2][16] = {
    {0x1p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0, 0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0, 0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f09p+0, 0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0},
    {0, 0x1.6ab0d9f3121ecp-5, 0x1.72b83c7d517aep-4, 0x1.1c3d373ab11c3p-3, 0x1.837f0518db8a9p-3, 0x1.ef5326091a112p-3, 0x1.2ff6b54d8a89cp-2, 0x1.6ac1f752150a5p-2, -0x1.2bec333018867p-2, -0x1.0bdd71829fcf2p-2, -0x1.d4c6af7557c93p-3, -0x1.8edb9f5703dcp-3, -0x1.45d819a94b14bp-3, -0x1.f332113d56b1fp-4, -0x1.53f391822dbc7p-4, -0x1.5b505d5b6f268p-5},
};

/* For m from 3/4 to 3/2, in 1/16 around i / 16 at place i modulo 16: a double near 16 / i whose logarithms are almost doubles,
 * and those, negative: natural, to base 2 and to base 10. */
static const double opgen_logs_f64[4][16] = {
    {0x1p+0, 0x1.e1e1e1e1e1e1fp-1, 0x1.c71c71c71c16p-1, 0x1.af286bca1ad31p-1, 0x1.9999999999f75p-1, 0x1.86186186183bp-1, 0x1.745d1745d18cep-1, 0x1.642c8590b1c23p-1, 0x1.5555555555b0ap-1, 0, 0, 0, 0x1.5555555555b31p+0, 0x1.3b13b13b13b37p+0, 0x1.249249249248ep+0, 0x1.1111111111111p+0},
    {0, 0x1.f0a30c0116297p-5, 0x1.e27076e2b2686p-4, 0x1.5ff3070a79d2bp-3, 0x1.c8ff7c79a7cd9p-3, 0x1.1675cababac6p-2, 0x1.4618bc21c5a8cp-2, 0x1.739d7f6bbdf22p-2, 0x1.9f323ecbf872ep-2, 0, 0, 0, -0x1.269621134ed25p-2, -0x1.a93ed3c8adac9p-3, -0x1.1178e8227e45ep-3, -0x1.08598b59e3a06p-4},
    {0, 0x1.663f6fac9130cp-4, 0x1.5c01a39fbfbc5p-3, 0x1.fbc16b9027584p-3, 0x1.49a784bcd066bp-2, 0x1.91bba891f2027p-2, 0x1.d6753e032e3fbp-2, 0x1.0c10500d6458cp-1, 0x1.2b803473f6e78p-1, 0, 0, 0, -0x1.a8ff9718123b9p-2, -0x1.32bfee370ef0ep-2, -0x1.8a8980abfbd07p-3, -0x1.7d60496cfbb4bp-4},
    {0, 0x1.af5f92b00e603p-6, 0x1.a30a9d60a1cc1p-5, 0x1.31b3055c47935p-4, 0x1.8cf1838862e9dp-4, 0x1.e3bc1ab0e24f9p-4, 0x1.1b3e71ec94bd2p-3, 0x1.42c7e7fe40921p-3, 0x1.68a288b60a91ep-3, 0, 0, 0, -0x1.ffbfc2bbc968bp-4, -0x1.715d0ce367bc3p-4, -0x1.db11ed766abcp-5, -0x1.cb38fccd8bfdap-6},
};

/* Doubles near 15 / (15 + i) whose logarithms are almost doubles, and those, negative. */
static const double opgen_log1p_logs_f64[2][16] = {
    {0x1p+0, 0x1.e000000000001p-1, 0x1.c3c3c3c3c4216p-1, 0x1.aaaaaaaaaaaadp-1, 0x1.9435e50d79a0bp-1, 0x1.7ffffffffffffp-1, 0x1.6db6db6db6db6p-1, 0x1.5d1745d174ba6p-1, 0x1.4de9bd37a752ap-1, 0x1.40000000005dap-1, 0x1.3333333332d57p-1, 0x1.2762762762186p-1, 0x1.1c71c71c7224dp-1, 0x1.1249249248c72p-1, 0x1.08d3dcb08d3d8p-1, 0x1p-1},
    {0, 0x1.08598b59e39fep-4, 0x1.005588ad35b27p-3, 0x1.7565011e4966bp-3, 0x1.e41fccb76934ap-3, 0x1.269621134db95p-2, 0x1.588c2d9133492p-2, 0x1.882f1ef83dc2ap-2, 0x1.b5b3e24234c9p-2, 0x1.e148a1a271414p-2, 0x1.058aefa811e16p-1, 0x1.199fac68b54ep-1, 0x1.2cf25fad8e739p-1, 0x1.3f912752412f8p-1, 0x1.5188a4a02d808p-1, 0x1.62e42fefa39efp-1},
};

/* Of erf in intervals of 12/31, as opgen_erf_table has it of floats. */
#define OPGEN_ERF_WIDTH (12.0 / 31)
static const double opgen_erf_f64_table[15][16] = {
    {0, 0x1.8c6318c6317d8p-2, 0x1.8c6318c631912p-1, 0x1.294a5294a51b8p+0, 0x1.8c6318c6317d7p+0, 0x1.ef7bdef7bdfebp+0, 0x1.294a5294a5329p+1, 0x1.5ad6b5ad6b699p+1, 0x1.8c6318c6319f2p+1, 0x1.bdef7bdef7d0bp+1, 0x1.ef7bdef7bddccp+1, 0x1.1084210842234p+2, 0x1.294a5294a5169p+2, 0x1.42108421082f5p+2, 0x1.5ad6b5ad6b6d9p+2, 0x1.739ce739ce60ep+2},
    {0, 0x1.a9e7680307584p-2, 0x1.73ee7332a811fp-1, 0x1.cc87f43c776dcp-1, 0x1.f162e4f9386d4p-1, 0x1.fcd3c96685074p-1, 0x1.ff7a26d3e2bf8p-1, 0x1.ffef581fab795p-1, 0x1.fffe70dd1b7eap-1, 0x1.ffffe3f8f674ep-1, 0x1.fffffe86da13p-1, 0x1.fffffff12f3ebp-1, 0x1.ffffffff90ccp-1, 0x1.fffffffffd91ap-1, 0x1.fffffffffff5ep-1, 0x1.ffffffffffffep-1},
    {0x1.20dd750429b6dp+0, 0x1.f155a5727d20fp-1, 0x1.3d4356a89eedp-1, 0x1.2bf681321d592p-2, 0x1.a4551781cc606p-4, 0x1.b47b25cda1146p-6, 0x1.4fe17abf9accap-8, 0x1.7f12d2c46c8bp-11, 0x1.43c32a53b5ed9p-14, 0x1.958d9d38a0277p-18, 0x1.78753d3879fb6p-22, 0x1.02f5b76b44db6p-26, 0x1.08035cfffbf23p-31, 0x1.8eede4b084043p-37, 0x1.beb28dcbf8cd4p-43, 0x1.72a9876af6a8p-49},
    {0x1.28c93082def54p-47, -0x1.81088016925ccp-2, -0x1.eb3ef9cb48af3p-2, -0x1.5c5811e79de39p-2, -0x1.456b2af9224ep-3, -0x1.a666a8b67ae86p-5, -0x1.860e1aef06664p-7, -0x1.03805d3abd1f9p-9, -0x1.f54f39487492ap-13, -0x1.613946e28a247p-16, -0x1.6c506cc6033e4p-20, -0x1.13aabe07115bcp-24, -0x1.329784dd70956p-29, -0x1.f597e6af840b4p-35, -0x1.32c52b1a7d62fp-40, -0x1.b5ffebe21d327p-47},
    {-0x1.812746b03d61bp-2, -0x1.d062cc08df548p-3, 0x1.504d0ff019f59p-5, 0x1.536568006797ap-3, 0x1.09dc505b0568dp-3, 0x1.d84966a987e74p-5, 0x1.11fcf2896dc7ep-6, 0x1.b4da9dbb7610fp-9, 0x1.ea8023a4df1aep-12, 0x1.894c192b50de3p-15, 0x1.c665a452c438ep-19, 0x1.7c7aab6746951p-23, 0x1.cfba84f2e9384p-28, 0x1.9c9e9a981cd96p-33, 0x1.0caa1618a4b7p-38, 0x1.007d5730c0634p-44},
    {0x1.a9296e262fb3bp-34, 0x1.5a91e83ccb3e5p-3, 0x1.26f3bb023055fp-3, 0x1.1948fb02f68cbp-6, -0x1.856b33288e287p-5, -0x1.3c405727ea9cbp-5, -0x1.fa574e1e4c2b4p-7, -0x1.f95dbee2351eap-9, -0x1.51f770d68f019p-11, -0x1.391d28af74e83p-14, -0x1.99612bb408ebfp-18, -0x1.7e0d2fa455e62p-22, -0x1.0098320f76f38p-26, -0x1.f9ceafa8f2362p-32, -0x1.e042c1672f658p-38, -0x1.a8164b8a7c5cap-41},
    {0x1.ce2f208dca801p-4, 0x1.569d038ee0128p-5, -0x1.d240133ee345fp-5, -0x1.d89b2768f871fp-5, -0x1.3760994306777p-7, 0x1.9c9d696aea21cp-7, 0x1.3203a9d6e38dp-7, 0x1.a0b20fe209904p-9, 0x1.59113f930a22p-11, 0x1.795844e40e7e7p-14, 0x1.1adbf6b8b4011p-17, 0x1.28d37f32305c5p-21, 0x1.b9ca24e64844cp-26, 0x1.d67543879939dp-31, 0x1.68b5c2a43f54cp-36, 0x1.901f200c3bb3dp-42},
    {0x1.b626d84dd6139p-24, -0x1.9de1fe324f3b2p-5, -0x1.8495f5613febcp-6, 0x1.22e1144596f13p-6, 0x1.200ba21c11912p-6, 0x1.1c86c1590d9ebp-9, -0x1.978f63ae928fep-9, -0x1.e336333f63757p-10, -0x1.0a1308b40fa37p-11, -0x1.62b5ff77080c1p-14, -0x1.36651b3a74551p-17, -0x1.7279617db8166p-21, -0x1.2ee909b533555p-25, -0x1.763b84fe2cc37p-31, -0x1.63f1eb23943bap-32, 0x1.d798baf7ece2p-35},
    {-0x1.b83406e365ab3p-6, -0x1.1e6579a5a61b9p-8, 0x1.33fa792e0c47bp-6, 0x1.01133eb7c4d53p-7, -0x1.6972300c6408cp-8, -0x1.132777dc5e2d1p-8, -0x1.4fcd0d6e38506p-13, 0x1.5f588bd1aad14p-11, 0x1.3285eb116f6a2p-12, 0x1.073b30ddeeba1p-14, 0x1.13f28680bb6ffp-17, 0x1.7be7995a48204p-21, 0x1.63f5305cbf652p-25, 0x1.cf8f30e46abe5p-30, 0x1.a94119a17b19ep-35, 0x1.1567bb28ea233p-40},
    {0x1.4051a8c136eafp-16, 0x1.709d47a6f5cefp-7, 0x1.7a8e35e014a5fp-10, -0x1.8e982da42355ap-8, -0x1.abed331f5193p-10, 0x1.9a9de123ddc21p-10, 0x1.8e152e9c00a2ap-11, -0x1.eeafa3a38111ep-15, -0x1.ed0a00601a58p-14, -0x1.326a2c6a44ec6p-15, -0x1.9122199945e1cp-18, -0x1.400622e03b27fp-21, -0x1.1b2d0849496b9p-24, -0x1.02054daf444f3p-25, 0x1.b83f14e1e0a8p-27, -0x1.4be4fdab55a84p-29},
    {0x1.4cda8b3bec80bp-8, -0x1.eeaf5101b188fp-14, -0x1.ffa4990ffa0fp-9, 0x1.71e26d2e2eecbp-15, 0x1.ac5e55ad616a5p-10, 0x1.2b3299630662dp-13, -0x1.7a46e2bdf4a1ep-12, -0x1.8d99d28c309b4p-14, 0x1.93bd4ba33b27p-16, 0x1.0ddda774f1693p-16, 0x1.db60cf3ad0faap-19, 0x1.d3691a0ee2bb8p-22, 0x1.21664b586f2a6p-25, 0x1.db70b11c57fb7p-30, 0x1.0a933cccf59d2p-34, 0x1.9f78164fac8c8p-40},
    {0x1.81edc8e318b38p-11, -0x1.04e609df43bcfp-9, 0x1.6c6ac2a6965bdp-12, 0x1.18c02a4dcdcd2p-10, -0x1.c4753ead3c5d7p-13, -0x1.5dec4611d160ep-12, 0x1.11459798924acp-15, 0x1.037a277bbeb1fp-14, 0x1.7ba6ab1545597p-18, -0x1.4d10de4dac579p-18, -0x1.bd0e0de101dd6p-20, -0x1.f1290ef04724bp-22, 0x1.173b43c183488p-21, 0x1.4277ba15ca36dp-21, -0x1.272302eb93cd7p-22, 0x1.baa60af268138p-25},
    {-0x1.a9640f94f1c6dp-9, 0x1.4e426def297d7p-13, 0x1.3559fa410f42ap-11, -0x1.e9836dd0163f6p-13, -0x1.b16ce8545f666p-13, 0x1.8a8785a897c3ep-14, 0x1.7bd19aff38abep-15, -0x1.f60f5f275639cp-17, -0x1.eae6fe1bd7c69p-18, 0x1.7a91e37903eabp-22, 0x1.4389dda4b99b9p-21, 0x1.1c6c17c2d0a3dp-23, 0x1.fe1ee9984c7ecp-27, 0x1.15985714946cdp-30, 0x1.88273361ae202p-35, 0x1.746e627820562p-40},
    {0x1.2672d2f88eef3p-8, 0x1.2ca2e51be3e52p-12, -0x1.078ab9578f4e6p-13, -0x1.e7cfcff20d8fbp-14, 0x1.61a0e179f037ap-14, 0x1.590793d579febp-16, -0x1.73a8024ab4ad4p-16, -0x1.7027db5839015p-19, 0x1.79d944011eec7p-18, 0x1.5a187fec00bd9p-19, -0x1.4d709ad7f5e1cp-22, 0x1.aa267d70cb06ap-20, -0x1.2c73b8501761ep-18, -0x1.4bd63a812cdc2p-18, 0x1.2ee4c7db6beb7p-19, -0x1.c6651606b07dp-22},
    {-0x1.d7834d428b55ep-9, -0x1.46f32d975865ap-15, -0x1.220347f5d28f3p-14, 0x1.c2a6930cf72e3p-15, 0x1.30cbae2e4c605p-17, -0x1.3eb6356ebb2ebp-16, 0x1.924280239e001p-20, 0x1.ac5e858c3507fp-19, -0x1.51cafa085929bp-22, -0x1.5ae4828ed2732p-22, -0x1.b9116efd7fbabp-28, 0x1.1f77702a892dp-26, 0x1.e9a374a6b33aap-29, 0x1.8912864851815p-32, 0x1.74139a6f26e47p-36, 0x1.c1beea71aa42fp-41},
};

#define OPGEN_DOUBLES(x) _mm512_set1_pd(x)

/* Up to 8 of what is left. */
OPGEN_V4 static inline __mmask8 opgen_some_f64(int64_t left) {
    return (__mmask8)(left >= 8 ? 0xffu : left <= 0 ? 0 : (1u << left) - 1);
}

OPGEN_V4 static inline __m512d opgen_look_f64(const double *row, __m512i at) {
    return _mm512_permutex2var_pd(_mm512_loadu_pd(row), at, _mm512_loadu_pd(row + 8));
}

OPGEN_V4 static inline __m512d opgen_signed_f64(__m512d size, __m512d sign) {
    return _mm512_castsi512_pd(_mm512_ternarylogic_epi64(_mm512_castpd_si512(size), _mm512_castpd_si512(sign),
                                                         _mm512_set1_epi64(INT64_MIN), 0xd8));
}

/* The sign changed where that of `by` is set. */
OPGEN_V4 static inline __m512d opgen_turned_f64(__m512d x, __m512i by) {
    return _mm512_castsi512_pd(_mm512_ternarylogic_epi64(_mm512_castpd_si512(x), by, _mm512_set1_epi64(INT64_MIN), 0x78));
}

/* ---- exponentials: x is n * log(2) and r, n a multiple of 1/16 that is added to 1.5 * 2^48 in z, so that the low bits of z are
 * which one of 16 it is. Gives exp(r) - 1, or that of 2^r, divided by r. */
OPGEN_V4 static inline __m512d opgen_expm1_by_8(__m512d r) {
    __m512d p = _mm512_fmadd_pd(OPGEN_DOUBLES(0x1.a01a87e02aad6p-13), r, OPGEN_DOUBLES(0x1.6c1828bf41d0ap-10));
    p = _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(0x1.111111113d2ep-7));
    p = _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(0x1.55555554a087ep-5));
    p = _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(0x1.5555555555552p-3));
    p = _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(0x1.0000000000003p-1));
    return _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(1));
}

OPGEN_V4 static inline __m512d opgen_reduced_f64(__m512d x, __m512d *z, __m512d *n) {
    *z = _mm512_fmadd_pd(x, OPGEN_DOUBLES(0x1.71547652b82fep+0), OPGEN_DOUBLES(0x1.8p48));
    *n = _mm512_sub_pd(*z, OPGEN_DOUBLES(0x1.8p48));
    const __m512d r = _mm512_fnmadd_pd(*n, OPGEN_DOUBLES(0x1.62e42fefa39efp-1), x);
    return _mm512_fnmadd_pd(*n, OPGEN_DOUBLES(0x1.abc9e3b39803fp-56), r);
}

/* Of x up to 710; of what is less than `least` it is 0, and not computed: see opgen_exp_below_16. */
OPGEN_V4 static inline __m512d opgen_exp_below_8(__m512d x, double least) {
    const __mmask8 some = _mm512_cmp_pd_mask(x, OPGEN_DOUBLES(least), _CMP_NLT_UQ);
    __m512d z, n;
    const __m512d r = opgen_reduced_f64(x, &z, &n), part = opgen_look_f64(opgen_powers_f64[0], _mm512_castpd_si512(z));
    return _mm512_maskz_scalef_pd(some, _mm512_fmadd_pd(opgen_expm1_by_8(r), _mm512_mul_pd(r, part), part), n);
}

OPGEN_V4 static inline __m512d opgen_exp_8(__m512d x, double least) {
    return opgen_exp_below_8(_mm512_min_pd(OPGEN_DOUBLES(710), x), least);
}

OPGEN_V4 static inline __m512d opgen_exp2_8(__m512d x) {
    const __mmask8 some = _mm512_cmp_pd_mask(x, OPGEN_DOUBLES(-1076), _CMP_NLT_UQ);
    const __m512d c = _mm512_min_pd(OPGEN_DOUBLES(1025), x), z = _mm512_add_pd(c, OPGEN_DOUBLES(0x1.8p48));
    const __m512d n = _mm512_sub_pd(z, OPGEN_DOUBLES(0x1.8p48)), r = _mm512_sub_pd(c, n);
    const __m512d part = opgen_look_f64(opgen_powers_f64[0], _mm512_castpd_si512(z));
    __m512d p = _mm512_fmadd_pd(OPGEN_DOUBLES(0x1.021f0cc3ca5dep-16), r, OPGEN_DOUBLES(0x1.430a695bcb4b3p-13));
    p = _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(0x1.5d87fa2f2320fp-10));
    p = _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(0x1.3b2ab6fadcf83p-7));
    p = _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(0x1.c6b08d704f0d9p-5));
    p = _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(0x1.ebfbdff82c597p-3));
    p = _mm512_fmadd_pd(p, r, OPGEN_DOUBLES(0x1.62e42fefa39efp-1));
    return _mm512_maskz_scalef_pd(some, _mm512_fmadd_pd(p, _mm512_mul_pd(r, part), part), n);
}

/* Half of exp(x) - 1, of x from -40 to 710: half * (1 + t) * (exp(r) - 1) and what half * (1 + t) is more than 1/2, where half is half
 * a power of two, so that it is in range, and t what is left of 2^n, less 1: 0 near 0. */
OPGEN_V4 static inline __m512d opgen_half_expm1_8(__m512d x) {
    __m512d z, n;
    const __m512d r = opgen_reduced_f64(x, &z, &n), t = opgen_look_f64(opgen_powers_f64[1], _mm512_castpd_si512(z));
    const __m512d half = _mm512_scalef_pd(OPGEN_DOUBLES(0.5), _mm512_add_pd(n, OPGEN_DOUBLES(0.5)));
    const __m512d p = _mm512_mul_pd(opgen_expm1_by_8(r), r);
    return _mm512_fmadd_pd(p, _mm512_fmadd_pd(half, t, half), _mm512_fmadd_pd(half, t, _mm512_sub_pd(half, OPGEN_DOUBLES(0.5))));
}

OPGEN_V4 static inline __m512d opgen_expm1_8(__m512d x) {
    const __m512d half = opgen_half_expm1_8(_mm512_min_pd(OPGEN_DOUBLES(710), _mm512_max_pd(OPGEN_DOUBLES(-40), x)));
    return opgen_signed_f64(_mm512_add_pd(half, half), x);
}

/* Of e = exp(2|x|) - 1 it is e / (e + 2). */
OPGEN_V4 static inline __m512d opgen_twice_8(__m512d x) {
    const __m512d a = _mm512_min_pd(OPGEN_DOUBLES(20), _mm512_abs_pd(x));
    return _mm512_add_pd(a, a);
}
OPGEN_V4 static inline __m512d opgen_tanh_8(__m512d x, __m512d half) {
    return opgen_signed_f64(_mm512_div_pd(half, _mm512_add_pd(half, OPGEN_DOUBLES(1))), x);
}

/* Half of exp(|x|), and what 1/4 divided by it adds or takes away; a sine below 1 by a polynomial. */
OPGEN_V4 static inline __m512d opgen_hyperbolic_8(__m512d x, bool sine) {
    const __m512d a = _mm512_abs_pd(x);
    __m512d z, n;
    const __m512d r = opgen_reduced_f64(_mm512_min_pd(OPGEN_DOUBLES(711), a), &z, &n);
    const __m512d part = opgen_look_f64(opgen_powers_f64[0], _mm512_castpd_si512(z));
    const __m512d all = _mm512_fmadd_pd(opgen_expm1_by_8(r), _mm512_mul_pd(r, part), part);
    const __m512d half = _mm512_scalef_pd(all, _mm512_sub_pd(n, OPGEN_DOUBLES(1)));
    const __m512d other = _mm512_div_pd(OPGEN_DOUBLES(0.25), _mm512_min_pd(OPGEN_DOUBLES(0x1p60), half));
    if (!sine) return _mm512_add_pd(half, other);
    const __m512d q = _mm512_mul_pd(a, a);
    __m512d p = _mm512_fmadd_pd(OPGEN_DOUBLES(0x1.b52eb4af1ee0fp-41), q, OPGEN_DOUBLES(0x1.6118df8f48935p-33));
    p = _mm512_fmadd_pd(p, q, OPGEN_DOUBLES(0x1.ae646b4d19965p-26));
    p = _mm512_fmadd_pd(p, q, OPGEN_DOUBLES(0x1.71de3a4056a2cp-19));
    p = _mm512_fmadd_pd(p, q, OPGEN_DOUBLES(0x1.a01a01a0318d5p-13));
    p = _mm512_fmadd_pd(p, q, OPGEN_DOUBLES(0x1.111111111104p-7));
    p = _mm512_fmadd_pd(p, q, OPGEN_DOUBLES(0x1.5555555555556p-3));
    const __m512d near = _mm512_fmadd_pd(_mm512_mul_pd(p, q), a, a), far = _mm512_sub_pd(half, other);
    return opgen_signed_f64(_mm512_mask_mov_pd(far, _mm512_cmp_pd_mask(a, OPGEN_DOUBLES(1), _CMP_LT_OQ), near), x);
}

/* ---- logarithms: log(1 + r) - r, of which the square of r is a factor where it does not count alone, since it could be subnormal */
OPGEN_V4 static inline __m512d opgen_log1p_less_8(__m512d r) {
    const __m512d q = _mm512_mul_pd(r, r), first = _mm512_mul_pd(r, OPGEN_DOUBLES(-0.5));
    __m512d odd = _mm512_fmadd_pd(OPGEN_DOUBLES(-0x1.9b0d8f515d339p-4), q, OPGEN_DOUBLES(-0x1.ffff74ae93e78p-4));
    __m512d even = _mm512_fmadd_pd(OPGEN_DOUBLES(0x1.c8b48f4f82948p-4), q, OPGEN_DOUBLES(0x1.2491fc119fb39p-3));
    odd = _mm512_fmadd_pd(odd, q, OPGEN_DOUBLES(-0x1.5555555f96087p-3));
    even = _mm512_fmadd_pd(even, q, OPGEN_DOUBLES(0x1.999999a518a9ep-3));
    odd = _mm512_fmadd_pd(odd, q, OPGEN_DOUBLES(-0x1.ffffffffff88ap-3));
    even = _mm512_fmadd_pd(even, q, OPGEN_DOUBLES(0x1.555555555510cp-2));
    return _mm512_mul_pd(_mm512_fmadd_pd(_mm512_fmadd_pd(odd, r, even), q, first), r);
}

/* What gcc's header makes of these without optimisation converts a mask's sign. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
/* x is m * 2^e, m from 3/4 to 3/2, and m is 1 / of times 1 + r; `at` says where in the tables. */
OPGEN_V4 static inline __m512d opgen_log_parts_8(__m512d x, __m512d *e, __m512d *of, __m512i *at) {
    const __m512d m = _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan), up = _mm512_getexp_pd(x);
    *e = _mm512_mask_add_pd(up, _mm512_cmp_pd_mask(m, OPGEN_DOUBLES(1), _CMP_LT_OQ), up, OPGEN_DOUBLES(1));
    *at = _mm512_castpd_si512(_mm512_fmadd_pd(m, OPGEN_DOUBLES(16), OPGEN_DOUBLES(0x1.8p52)));
    *of = opgen_look_f64(opgen_logs_f64[0], *at);
    return _mm512_fmsub_pd(m, *of, OPGEN_DOUBLES(1));
}
#pragma GCC diagnostic pop

OPGEN_V4 static inline __m512d opgen_log_sum_8(__m512d e, __m512d r, __m512d log) {
    const __m512d high = _mm512_fmadd_pd(e, OPGEN_DOUBLES(0x1.62e42fefa39efp-1), log);
    const __m512d low = _mm512_fmadd_pd(e, OPGEN_DOUBLES(0x1.abc9e3b39803fp-56), opgen_log1p_less_8(r));
    return _mm512_add_pd(high, _mm512_add_pd(low, r));
}

OPGEN_V4 static inline __m512d opgen_log_8(__m512d x) {
    __m512d e, of;
    __m512i at;
    const __m512d r = opgen_log_parts_8(x, &e, &of, &at);
    return opgen_log_sum_8(e, r, opgen_look_f64(opgen_logs_f64[1], at));
}

/* The factor of r is two doubles. */
OPGEN_V4 static inline __m512d opgen_log2_8(__m512d x) {
    __m512d e, of;
    __m512i at;
    const __m512d r = opgen_log_parts_8(x, &e, &of, &at), log = opgen_look_f64(opgen_logs_f64[2], at), by = OPGEN_DOUBLES(0x1.71547652b82fep+0);
    const __m512d low = _mm512_fmadd_pd(opgen_log1p_less_8(r), by, _mm512_mul_pd(r, OPGEN_DOUBLES(0x1.777d0ffda0d24p-56)));
    return _mm512_add_pd(e, _mm512_add_pd(log, _mm512_fmadd_pd(r, by, low)));
}

/* Of a power of ten it is a whole number: see opgen_log10_16. */
OPGEN_V4 static inline __m512d opgen_log10_8(__m512d x) {
    __m512d e, of;
    __m512i at;
    const __m512d r = opgen_log_parts_8(x, &e, &of, &at), log = opgen_look_f64(opgen_logs_f64[3], at), by = OPGEN_DOUBLES(0x1.bcb7b1526e50ep-2);
    const __m512d low = _mm512_fmadd_pd(opgen_log1p_less_8(r), by, _mm512_mul_pd(r, OPGEN_DOUBLES(0x1.95355baaafad3p-57)));
    const __m512d rest = _mm512_fmadd_pd(e, OPGEN_DOUBLES(0x1.9fef311f12b36p-42), _mm512_fmadd_pd(r, by, low));
    return _mm512_fmadd_pd(e, OPGEN_DOUBLES(0x1.34413509f6000p-2), _mm512_add_pd(log, rest));
}

/* See opgen_log1p_16. */
OPGEN_V4 static inline __m512d opgen_log1p_8(__m512d x) {
    __m512d e, of;
    __m512i at;
    const __m512d one = OPGEN_DOUBLES(1), sum = _mm512_add_pd(x, one);
    __m512d r = opgen_log_parts_8(sum, &e, &of, &at);
    const __m512d lost = _mm512_sub_pd(_mm512_min_pd(x, one), _mm512_sub_pd(sum, _mm512_max_pd(x, one)));
    const __m512d sure = _mm512_fmadd_pd(lost, _mm512_scalef_pd(of, _mm512_sub_pd(_mm512_setzero_pd(), e)), r);
    r = _mm512_mask_mov_pd(r, _mm512_cmp_pd_mask(sure, sure, _CMP_ORD_Q), sure);
    return opgen_signed_f64(opgen_log_sum_8(e, r, opgen_look_f64(opgen_logs_f64[1], at)), x);
}

/* ---- made of both: see the same of floats. Beyond 20 softplus is x itself. */
OPGEN_V4 static inline __m512d opgen_exp_of_less_8(__m512d x) {
    return opgen_exp_below_8(_mm512_or_pd(x, OPGEN_DOUBLES(-0.0)), -746);
}

OPGEN_V4 static inline __m512d opgen_log1p_exp_8(__m512d x, __m512d t) {
    const __m512i at = _mm512_castpd_si512(_mm512_fmadd_pd(t, OPGEN_DOUBLES(15), OPGEN_DOUBLES(0x1.8p52)));
    const __m512d of = opgen_look_f64(opgen_log1p_logs_f64[0], at), log = opgen_look_f64(opgen_log1p_logs_f64[1], at);
    const __m512d r = _mm512_fmadd_pd(t, of, _mm512_sub_pd(of, OPGEN_DOUBLES(1)));
    return _mm512_add_pd(_mm512_max_pd(_mm512_setzero_pd(), x), _mm512_add_pd(log, _mm512_add_pd(opgen_log1p_less_8(r), r)));
}

OPGEN_V4 static inline __m512d opgen_softplus_8(__m512d x, __m512d t) {
    return _mm512_mask_mov_pd(opgen_log1p_exp_8(x, t), _mm512_cmp_pd_mask(x, OPGEN_DOUBLES(20), _CMP_GT_OQ), x);
}

OPGEN_V4 static inline __m512d opgen_negative_8(__m512d x) { return _mm512_xor_pd(x, OPGEN_DOUBLES(-0.0)); }

/* x w / (w + 2), where w is (e + 1)^2 - 1. */
OPGEN_V4 static inline __m512d opgen_mish_8(__m512d x, __m512d e) {
    const __m512d w = _mm512_fmadd_pd(e, e, _mm512_add_pd(e, e));
    return _mm512_mul_pd(x, _mm512_div_pd(w, _mm512_add_pd(w, OPGEN_DOUBLES(2))));
}

/* erf of `by` times x, of so many vectors: what is looked up in for all of them is read once. */
OPGEN_V4_PART void opgen_erf_vectors(__m512d *to, const __m512d *x, double by, int vectors) {
    __m512d r[4], p[4];
    __m512i at[4];
    for (int k = 0; k < vectors; k++) {
        const __m512d a = _mm512_min_pd(OPGEN_DOUBLES(5.99), _mm512_abs_pd(by == 1 ? x[k] : _mm512_mul_pd(x[k], OPGEN_DOUBLES(by))));
        at[k] = _mm512_castpd_si512(_mm512_fmadd_pd(a, OPGEN_DOUBLES(1 / OPGEN_ERF_WIDTH), OPGEN_DOUBLES(0x1.8p52)));
        r[k] = _mm512_sub_pd(a, opgen_look_f64(opgen_erf_f64_table[0], at[k]));
        p[k] = opgen_look_f64(opgen_erf_f64_table[14], at[k]);
    }
    for (int i = 13; i >= 1; i--)
        for (int k = 0; k < vectors; k++)
            p[k] = _mm512_fmadd_pd(p[k], r[k], opgen_look_f64(opgen_erf_f64_table[i], at[k]));
    for (int k = 0; k < vectors; k++)
        to[k] = opgen_signed_f64(p[k], x[k]);
}

/* erf of n, or gelu: x / 2 and so many times erf(x / sqrt(2)) of that. */
OPGEN_V4_PART void opgen_erf_of_v4(double *to, const double *x, int64_t n, bool gelu) {
    int64_t i = 0;
    for (__m512d v[4], e[4]; i < n; i += 32) {
        for (int k = 0; k < 4; k++)
            v[k] = _mm512_maskz_loadu_pd(opgen_some_f64(n - i - 8 * k), x + i + 8 * k);
        opgen_erf_vectors(e, v, gelu ? 0.7071067811865476 : 1, 4);
        for (int k = 0; k < 4; k++) {
            if (gelu) e[k] = _mm512_mul_pd(_mm512_mul_pd(OPGEN_DOUBLES(0.5), v[k]), _mm512_add_pd(OPGEN_DOUBLES(1), e[k]));
            _mm512_mask_storeu_pd(to + i + 8 * k, opgen_some_f64(n - i - 8 * k), e[k]);
        }
    }
}

/* ---- of angles up to OPGEN_ANGLE_MOST: |x| is n * pi / 2 and r, n a whole number, in the low bits of z; sine and cosine of r. The first
 * difference is exact. */
#define OPGEN_ANGLE_MOST 0x1p30
OPGEN_V4_PART __m512i opgen_quarters_8(__m512d x, __m512d *s, __m512d *c) {
    const __m512d a = _mm512_abs_pd(x), whole = OPGEN_DOUBLES(0x1.8p52);
    const __m512d z = _mm512_fmadd_pd(a, OPGEN_DOUBLES(0x1.45f306dc9c883p-1), whole), n = _mm512_sub_pd(z, whole);
    __m512d r = _mm512_fnmadd_pd(n, OPGEN_DOUBLES(0x1.921fb54442d18p+0), a);
    r = _mm512_fnmadd_pd(n, OPGEN_DOUBLES(0x1.1a62633145c06p-54), r);
    r = _mm512_fnmadd_pd(n, OPGEN_DOUBLES(0x1.c1cd129024e09p-107), r);
    const __m512d q = _mm512_mul_pd(r, r), less = _mm512_fmadd_pd(q, OPGEN_DOUBLES(-0.5), OPGEN_DOUBLES(1));
    __m512d odd = _mm512_fmadd_pd(OPGEN_DOUBLES(0x1.5d8e4e5a70d06p-33), q, OPGEN_DOUBLES(-0x1.ae5e54bbfd38p-26));
    odd = _mm512_fmadd_pd(odd, q, OPGEN_DOUBLES(0x1.71de355f50bbp-19));
    odd = _mm512_fmadd_pd(odd, q, OPGEN_DOUBLES(-0x1.a01a019bf2605p-13));
    odd = _mm512_fmadd_pd(odd, q, OPGEN_DOUBLES(0x1.111111110f75ep-7));
    odd = _mm512_fmadd_pd(odd, q, OPGEN_DOUBLES(-0x1.5555555555548p-3));
    __m512d even = _mm512_fmadd_pd(OPGEN_DOUBLES(-0x1.8f9f7e3323572p-37), q, OPGEN_DOUBLES(0x1.1ee9cce91a297p-29));
    even = _mm512_fmadd_pd(even, q, OPGEN_DOUBLES(-0x1.27e4f7d9272c4p-22));
    even = _mm512_fmadd_pd(even, q, OPGEN_DOUBLES(0x1.a01a019c68c76p-16));
    even = _mm512_fmadd_pd(even, q, OPGEN_DOUBLES(-0x1.6c16c16c14e4bp-10));
    even = _mm512_fmadd_pd(even, q, OPGEN_DOUBLES(0x1.555555555554ap-5));
    *s = _mm512_fmadd_pd(_mm512_mul_pd(odd, q), r, r);
    *c = _mm512_fmadd_pd(_mm512_mul_pd(even, q), q, less);
    return _mm512_castpd_si512(z);
}

/* The one that the number of quarters says, with its sign: cosine is the sine of a quarter more. */
OPGEN_V4_PART __m512d opgen_sine_8(__m512d x, bool cosine) {
    __m512d s, c;
    const __m512i z = opgen_quarters_8(x, &s, &c), at = cosine ? _mm512_add_epi64(z, _mm512_set1_epi64(1)) : z;
    const __m512d size = _mm512_mask_mov_pd(s, _mm512_test_epi64_mask(at, _mm512_set1_epi64(1)), c);
    const __m512i turn = _mm512_slli_epi64(at, 62);
    return opgen_turned_f64(size, cosine ? turn : _mm512_xor_si512(turn, _mm512_castpd_si512(x)));
}

/* ---- The functions of n, of those of 8. */

#define OPGEN_DOUBLES_V4(name, of_8)                                                                                   \
    OPGEN_V4 static inline void opgen_##name##_f64_many_v4(double *to, const double *x, int64_t n) {                   \
        int64_t i = 0;                                                                                                 \
        for (; i + 8 <= n; i += 8) {                                                                                   \
            const __m512d v = _mm512_loadu_pd(x + i);                                                                  \
            _mm512_storeu_pd(to + i, of_8);                                                                            \
        }                                                                                                              \
        if (i < n) {                                                                                                   \
            const __m512d v = _mm512_maskz_loadu_pd(opgen_some_f64(n - i), x + i);                                     \
            _mm512_mask_storeu_pd(to + i, opgen_some_f64(n - i), of_8);                                                \
        }                                                                                                              \
    }

/* In two parts, the second of four vectors, t of the first and v, behind the first of those: what waits for one has the other
 * beside it. */
#define OPGEN_DOUBLES_TWO_V4(name, first, second)                                                                      \
    OPGEN_V4 static inline void opgen_##name##_f64_many_v4(double *to, const double *x, int64_t n) {                   \
        int64_t i = 0;                                                                                                 \
        for (; i + 32 <= n; i += 32) {                                                                                 \
            __m512d parts[4];                                                                                          \
            for (int k = 0; k < 4; k++) {                                                                              \
                const __m512d v = _mm512_loadu_pd(x + i + 8 * k);                                                      \
                parts[k] = first;                                                                                      \
            }                                                                                                          \
            for (int k = 0; k < 4; k++) {                                                                              \
                const __m512d v = _mm512_loadu_pd(x + i + 8 * k), t = parts[k];                                        \
                (void)v;                                                                                               \
                _mm512_storeu_pd(to + i + 8 * k, second);                                                              \
            }                                                                                                          \
        }                                                                                                              \
        for (; i < n; i += 8) {                                                                                        \
            const __m512d v = _mm512_maskz_loadu_pd(opgen_some_f64(n - i), x + i), t = first;                          \
            _mm512_mask_storeu_pd(to + i, opgen_some_f64(n - i), second);                                              \
        }                                                                                                              \
    }

/* Whether none of n is further from 0. */
OPGEN_V4 static inline bool opgen_all_near_f64(const double *x, int64_t n, double most) {
    __m512d greatest = _mm512_setzero_pd();
    for (int64_t i = 0; i < n; i += 8)
        greatest = _mm512_max_pd(_mm512_abs_pd(_mm512_maskz_loadu_pd(opgen_some_f64(n - i), x + i)), greatest);
    return _mm512_cmp_pd_mask(greatest, OPGEN_DOUBLES(most), _CMP_GT_OQ) == 0;
}

OPGEN_DOUBLES_V4(exp, opgen_exp_8(v, -746))
OPGEN_DOUBLES_TWO_V4(sigmoid, opgen_exp_8(opgen_negative_8(v), -708), _mm512_div_pd(OPGEN_DOUBLES(1), _mm512_add_pd(OPGEN_DOUBLES(1), t)))
OPGEN_DOUBLES_TWO_V4(silu, opgen_exp_8(opgen_negative_8(v), -708), _mm512_div_pd(v, _mm512_add_pd(OPGEN_DOUBLES(1), t)))
OPGEN_DOUBLES_TWO_V4(softplus, opgen_exp_of_less_8(v), opgen_softplus_8(v, t))
OPGEN_DOUBLES_TWO_V4(logsigmoid, opgen_exp_of_less_8(v), opgen_negative_8(opgen_log1p_exp_8(opgen_negative_8(v), t)))
OPGEN_DOUBLES_TWO_V4(mish, opgen_exp_below_8(_mm512_min_pd(OPGEN_DOUBLES(40), v), -746), opgen_mish_8(v, t))
OPGEN_DOUBLES_TWO_V4(tanh, opgen_half_expm1_8(opgen_twice_8(v)), opgen_tanh_8(v, t))
OPGEN_DOUBLES_V4(exp2, opgen_exp2_8(v))
OPGEN_DOUBLES_V4(expm1, opgen_expm1_8(v))
OPGEN_DOUBLES_V4(log, opgen_log_8(v))
OPGEN_DOUBLES_V4(log2, opgen_log2_8(v))
OPGEN_DOUBLES_V4(log10, opgen_log10_8(v))
OPGEN_DOUBLES_V4(log1p, opgen_log1p_8(v))
OPGEN_DOUBLES_V4(sinh, opgen_hyperbolic_8(v, true))
OPGEN_DOUBLES_V4(cosh, opgen_hyperbolic_8(v, false))
OPGEN_V4 static inline void opgen_erf_f64_many_v4(double *to, const double *x, int64_t n) { opgen_erf_of_v4(to, x, n, false); }
OPGEN_V4 static inline void opgen_gelu_f64_many_v4(double *to, const double *x, int64_t n) { opgen_erf_of_v4(to, x, n, true); }
OPGEN_DOUBLES_V4(sin_near, opgen_sine_8(v, false))
OPGEN_DOUBLES_V4(cos_near, opgen_sine_8(v, true))

#define OPGEN_DOUBLES_CHOOSE(name)                                                                                     \
    if (level == 4) {                                                                                                  \
        opgen_##name##_f64_many_v4(to, x, n);                                                                          \
        return;                                                                                                        \
    }
#define OPGEN_ANGLES_CHOOSE(name)                                                                                      \
    if (level == 4 && opgen_all_near_f64(x + i, some, OPGEN_ANGLE_MOST)) {                                             \
        opgen_##name##_near_f64_many_v4(to + i, x + i, some);                                                          \
        continue;                                                                                                      \
    }
#else
#define OPGEN_DOUBLES_CHOOSE(name)
#define OPGEN_ANGLES_CHOOSE(name)
#endif

/* name_many, and name_past, which would store past the cache: these go there by way of a block. */
#define OPGEN_DOUBLES_PAST(name)                                                                                       \
    OPGEN_INLINE int64_t opgen_##name##_f64_past(double *to, const double *x, int64_t n, int64_t ahead, int level) {   \
        (void)to, (void)x, (void)n, (void)ahead, (void)level;                                                          \
        return 0;                                                                                                      \
    }
#define OPGEN_DOUBLES_OF(name, choose, one)                                                                            \
    OPGEN_INLINE void opgen_##name##_f64_many(double *to, const double *x, int64_t n, int level) {                     \
        (void)level;                                                                                                   \
        choose OPGEN_SIMD                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                                                \
            to[i] = one;                                                                                               \
    }                                                                                                                  \
    OPGEN_DOUBLES_PAST(name)
#define OPGEN_DOUBLES_BOTH(name) OPGEN_DOUBLES_OF(name, OPGEN_DOUBLES_CHOOSE(name), opgen_##name##_f64(x[i]))

OPGEN_DOUBLES_BOTH(exp)
OPGEN_DOUBLES_BOTH(exp2)
OPGEN_DOUBLES_BOTH(expm1)
OPGEN_DOUBLES_BOTH(log)
OPGEN_DOUBLES_BOTH(log2)
OPGEN_DOUBLES_BOTH(log10)
OPGEN_DOUBLES_BOTH(log1p)
OPGEN_DOUBLES_BOTH(tanh)
OPGEN_DOUBLES_BOTH(sinh)
OPGEN_DOUBLES_BOTH(cosh)
OPGEN_DOUBLES_BOTH(erf)
OPGEN_DOUBLES_OF(sigmoid, OPGEN_DOUBLES_CHOOSE(sigmoid), 1.0 / (1.0 + opgen_exp_f64(-x[i])))
OPGEN_DOUBLES_OF(silu, OPGEN_DOUBLES_CHOOSE(silu), x[i] / (1.0 + opgen_exp_f64(-x[i])))
OPGEN_DOUBLES_OF(gelu, OPGEN_DOUBLES_CHOOSE(gelu), 0.5 * x[i] * (1.0 + opgen_erf_f64(x[i] * 0.7071067811865476)))
OPGEN_DOUBLES_OF(softplus, OPGEN_DOUBLES_CHOOSE(softplus), x[i] > 20.0 ? x[i] : opgen_log1p_f64(opgen_exp_f64(x[i])))
OPGEN_DOUBLES_OF(logsigmoid, OPGEN_DOUBLES_CHOOSE(logsigmoid), x[i] < -40.0 ? x[i] : -opgen_log1p_f64(opgen_exp_f64(-x[i])))
OPGEN_DOUBLES_OF(mish, OPGEN_DOUBLES_CHOOSE(mish), x[i] * opgen_tanh_f64(opgen_log1p_f64(opgen_exp_f64(x[i]))))

/* Sine, cosine and tangent of so many as are near; where one is not, each finds out by itself. */
OPGEN_INLINE bool opgen_angles_near(const double *x, int64_t n) {
    int64_t far = 0;
    for (int64_t i = 0; i < n; i++)
        far |= fabs(x[i]) > OPGEN_TRIG_NEAR;
    return far == 0;
}

#define OPGEN_ANGLES(name, choose)                                                                                       \
    OPGEN_INLINE void opgen_##name##_f64_many(double *to, const double *x, int64_t n, int level) {                     \
        (void)level;                                                                                                   \
        for (int64_t i = 0, some; i < n; i += some) {                                                                  \
            some = opgen_min(64, n - i);                                                                               \
            choose                                                                                                     \
            if (opgen_angles_near(x + i, some)) {                                                                      \
                OPGEN_SIMD                                                                                             \
                for (int64_t k = i; k < i + some; k++)                                                                 \
                    to[k] = opgen_##name##_near_f64(x[k]);                                                             \
                continue;                                                                                              \
            }                                                                                                          \
            for (int64_t k = i; k < i + some; k++)                                                                     \
                to[k] = opgen_##name##_f64(x[k]);                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_DOUBLES_PAST(name)
OPGEN_ANGLES(sin, OPGEN_ANGLES_CHOOSE(sin))
OPGEN_ANGLES(cos, OPGEN_ANGLES_CHOOSE(cos))
OPGEN_ANGLES(tan, )

#endif

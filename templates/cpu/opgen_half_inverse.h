/* opgen_half_inverse.h: sine, cosine, tangent, their inverses and those of hyperbolic functions, and log(1 + x), of 64 floats at once whose
 * results go into 16 bits, as those of opgen_half.h are: shorter polynomials than those of opgen_many_trig.h and opgen_many_inverse.h, off by
 * 2^-13.9 of the result at most. Special values are those of the exact functions.
 * Elsewhere than on x86-64-v4, and where one of 64 is so far from 0 that the short way does not hold, they are the functions of many floats.
 *
 * tests/cpu/fit_math.py makes the coefficients.
 */
#ifndef OPGEN_HALF_INVERSE_H
#define OPGEN_HALF_INVERSE_H

#include "opgen_half.h"
#include "opgen_many_inverse.h"
#include "opgen_many_trig.h"

#if defined(OPGEN_X86)
/* What gcc's header makes of vgetexpps and vfixupimmps without optimisation converts a mask's sign. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

/* x less n times a unit in two parts, both positive, so that of a zero the sign is left. Low bits of w are those of n. */
OPGEN_V4_PART void opgen_units_off(OpgenHalf *h, float times, float per_unit, float unit, float rest) {
    opgen_take_times(h, times);
    h->w = _mm512_fmadd_ps(h->x, opgen_all(per_unit), opgen_all(0x1.8p23f));
    h->n = _mm512_sub_ps(h->w, opgen_all(0x1.8p23f));
    h->r = _mm512_fnmadd_ps(h->n, opgen_all(unit), h->x);
    h->r = _mm512_fnmadd_ps(h->n, opgen_all(rest), h->r);
}

/* Of half turns; a cosine is the sine of a quarter of a turn more, which is added where it is exact enough. */
OPGEN_V4_PART void opgen_sine_front(OpgenHalf *h, float times, bool cosine) {
    if (!cosine) {
        opgen_units_off(h, times, 0x1.45f306p-2f, 0x1.921fb4p+1f, 0x1.4442d2p-23f);
        return;
    }
    opgen_take_times(h, times);
    h->w = _mm512_fmadd_ps(h->x, opgen_all(0x1.45f306p-2f), opgen_all(-0.5f));
    h->w = _mm512_add_ps(h->w, opgen_all(0x1.8p23f));
    h->n = _mm512_add_ps(_mm512_sub_ps(h->w, opgen_all(0x1.8p23f)), opgen_all(0.5f));
    h->r = _mm512_fnmadd_ps(h->n, opgen_all(0x1.921fb4p+1f), h->x);
    h->r = _mm512_fnmadd_ps(h->n, opgen_all(0x1.4442d2p-23f), h->r);
    h->w = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(h->w), _mm512_set1_epi32(1)));
}
OPGEN_V4_PART __m512 opgen_sine_back(const OpgenHalf *h) {
    const __m512 q = _mm512_mul_ps(h->r, h->r);
    __m512 p = _mm512_fmadd_ps(q, opgen_all(-0x1.83a4acp-13f), opgen_all(0x1.105c1cp-7f));
    p = _mm512_fmadd_ps(p, q, opgen_all(-0x1.554f7p-3f));
    p = _mm512_fmadd_ps(p, q, opgen_all(0x1.ffffep-1f));
    p = _mm512_mul_ps(h->r, p);
    return _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(p), _mm512_slli_epi32(_mm512_castps_si512(h->w), 31)));
}

/* Of an odd number of quarters -1 / tangent. */
OPGEN_V4_PART __m512 opgen_tangent_back(const OpgenHalf *h) {
    const __m512 q = _mm512_mul_ps(h->r, h->r);
    __m512 p = _mm512_fmadd_ps(q, opgen_all(0x1.679b0ep-5f), opgen_all(0x1.4a3b44p-5f));
    p = _mm512_fmadd_ps(p, q, opgen_all(0x1.17a6p-3f));
    p = _mm512_fmadd_ps(p, q, opgen_all(0x1.55120cp-2f));
    p = _mm512_fmadd_ps(p, q, opgen_all(0x1.000036p+0f));
    p = _mm512_mul_ps(h->r, p);
    const __mmask16 odd = _mm512_test_epi32_mask(_mm512_castps_si512(h->w), _mm512_set1_epi32(1));
    return _mm512_mask_div_ps(p, odd, opgen_all(-1), p);
}

/* The arc tangent of r, from 0 to 1; n is its square. */
OPGEN_V4_PART __m512 opgen_atan_of_small(__m512 r, __m512 n) {
    __m512 p = _mm512_fmadd_ps(n, opgen_all(0x1.86f79ap-6f), opgen_all(-0x1.7886b2p-4f));
    p = _mm512_fmadd_ps(p, n, opgen_all(0x1.7b51eep-3f));
    p = _mm512_fmadd_ps(p, n, opgen_all(-0x1.53a954p-2f));
    p = _mm512_fmadd_ps(p, n, opgen_all(0x1.fffc12p-1f));
    return _mm512_mul_ps(r, p);
}
/* See opgen_atan_16: r is the tangent or 1 by it. */
OPGEN_V4_PART void opgen_atan_first(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    h->r = _mm512_min_ps(_mm512_rcp14_ps(_mm512_abs_ps(h->x)), _mm512_abs_ps(h->x));
    h->n = _mm512_mul_ps(h->r, h->r);
}
OPGEN_V4_PART __m512 opgen_atan_second(const OpgenHalf *h) {
    const __mmask16 far = _mm512_cmp_ps_mask(_mm512_abs_ps(h->x), opgen_all(1), _CMP_GT_OQ);
    const __m512 p = opgen_atan_of_small(h->r, h->n);
    return opgen_signed(_mm512_mask_sub_ps(p, far, OPGEN_QUARTER, p), h->x);
}

/* See opgen_asin_more_16; what of half of the angle makes the arc cosine is added to nothing, or to half of a turn. */
OPGEN_V4_PART void opgen_arc_front(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    const __m512 size = _mm512_abs_ps(h->x), q = _mm512_fnmadd_ps(size, opgen_all(0.5f), opgen_all(0.5f));
    h->r = _mm512_min_ps(size, _mm512_sqrt_ps(q));
    h->n = _mm512_min_ps(_mm512_mul_ps(size, size), q);
}
OPGEN_V4_PART __m512 opgen_arc_back(const OpgenHalf *h, bool cosine) {
    const __mmask16 far = _mm512_cmp_ps_mask(_mm512_abs_ps(h->x), opgen_all(0.5f), _CMP_GT_OQ);
    __m512 p = _mm512_fmadd_ps(h->n, opgen_all(0x1.0a7d94p-4f), opgen_all(0x1.24d014p-4f));
    p = _mm512_fmadd_ps(p, h->n, opgen_all(0x1.55b654p-3f));
    p = _mm512_fmadd_ps(p, h->n, opgen_all(0x1.ffffcep-1f));
    p = _mm512_mul_ps(h->r, p);
    if (!cosine) return opgen_signed(_mm512_mask_fnmadd_ps(p, far, opgen_all(2), OPGEN_QUARTER), h->x);
    const __m512 turn = _mm512_maskz_mov_ps(_mm512_movepi32_mask(_mm512_castps_si512(h->x)), opgen_all(0x1.921fb6p+1f));
    return _mm512_fmadd_ps(opgen_signed(p, h->x), _mm512_mask_mov_ps(opgen_all(-1), far, opgen_all(2)),
                           _mm512_mask_mov_ps(OPGEN_QUARTER, far, turn));
}

/* r + c * r^3, where c is about 1/3: the inverse of a hyperbolic tangent, of up to 0.172. The quotient of (y - s) and (y + s), s the power of two
 * that y is from sqrt(1/2) to sqrt(2) times, is never more. */
#define OPGEN_ATANH_THIRD 0x1.5a6e8cp-2f
/* The same, `times` times. */
OPGEN_V4_PART __m512 opgen_atanh_of_small(__m512 r, float times) {
    const __m512 p = _mm512_fmadd_ps(_mm512_mul_ps(r, r), opgen_all(times * OPGEN_ATANH_THIRD), opgen_all(times));
    return _mm512_mul_ps(r, p);
}

/* The bits of s, for those of y. */
OPGEN_V4_PART __m512 opgen_power_near(__m512 y) {
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(y), _mm512_set1_epi32(0x00800000 - 0x003504f3)));
}

/* Coefficients of r, lowest power first, for each half of an octave of v, numbered by the lowest four bits of its exponent and the first of its
 * fraction. */
static const float opgen_asinh_octaves[4][32] = {
    {-0x1.10eb48p-5f, 0x1.971accp-5f, 0x1.081c56p-2f, 0x1.1ab09p-1f, 0x1.c2ceaap-1f, 0x1.3ad33ap+0f, 0x1.945628p+0f, 0x1.ef36c4p+0f, 0x1.246fdcp+1f, 0x1.519d0ap+1f, 0x1.7e337cp+1f, 0x1.ab1b3cp+1f, 0x1.d782f2p+1f, 0x1.021f96p+2f, 0x1.184618p+2f, 0x1.2e980ap+2f, 0x1.44b7a4p+2f, 0x1.5b02fep+2f, 0x1.711f38p+2f, 0x1.8766fcp+2f, 0x1.9d81acp+2f, 0x1.b3c76ep+2f, 0x1.c9e17cp+2f, 0x1.e02612p+2f, 0x1.f63feep+2f, 0x1.0641e4p+3f, 0x1.114ed6p+3f, 0x1.1c7082p+3f, 0x1.277d82p+3f, 0, -0x1.482132p-10f, -0x1.37826ep-6f},
    {0x1.277e44p+0f, 0x1.048c46p+0f, 0x1.924012p-1f, 0x1.23255cp-1f, 0x1.9bfc2p-2f, 0x1.20c98cp-2f, 0x1.94e298p-3f, 0x1.1be44ep-3f, 0x1.8ef52p-4f, 0x1.18b0bep-4f, 0x1.8b7bf4p-5f, 0x1.16ebcap-5f, 0x1.899ef4p-6f, 0x1.15fe48p-6f, 0x1.88a63p-7f, 0x1.15840cp-7f, 0x1.882516p-8f, 0x1.15455cp-8f, 0x1.87e184p-9f, 0x1.152504p-9f, 0x1.87bd5ap-10f, 0x1.15141p-10f, 0x1.87a94cp-11f, 0x1.150aecp-11f, 0x1.879d92p-12f, 0x1.1505cap-12f, 0x1.879622p-13f, 0x1.1502b8p-13f, 0x1.87911ep-14f, 0x1.00007cp+0f, 0x1.03b916p+0f, 0x1.1b071ap+0f},
    {-0x1.15d664p-2f, -0x1.915ffep-3f, -0x1.bef458p-4f, -0x1.c627cp-5f, -0x1.bd7db4p-6f, -0x1.b3fbaap-7f, -0x1.a95588p-8f, -0x1.a2fde4p-9f, -0x1.9bec4ep-10f, -0x1.9913bp-11f, -0x1.94903ap-12f, -0x1.93d258p-13f, -0x1.90b892p-14f, -0x1.911dd2p-15f, -0x1.8ebdf2p-16f, -0x1.8fbc86p-17f, -0x1.8db896p-18f, -0x1.8f081ep-19f, -0x1.8d3028p-20f, -0x1.8eab34p-21f, -0x1.8ce74p-22f, -0x1.8e7a8ep-23f, -0x1.8cbed2p-24f, -0x1.8e605ap-25f, -0x1.8ca72ap-26f, -0x1.8e51ap-27f, -0x1.8c982ap-28f, -0x1.8e48d2p-29f, -0x1.8c8e08p-30f, -0x1.1e1926p-11f, -0x1.d9feacp-5f, -0x1.bb9934p-3f},
    {0x1.041c3p-5f, 0x1.238378p-6f, 0x1.c29fb2p-8f, 0x1.3dcc98p-9f, 0x1.ab90b6p-11f, 0x1.244eep-12f, 0x1.8adb46p-14f, 0x1.120a74p-15f, 0x1.778804p-17f, 0x1.0815eap-18f, 0x1.6d5d5p-20f, 0x1.02f464p-21f, 0x1.682794p-23f, 0x1.0058e6p-24f, 0x1.657ebp-26f, 0x1.fe0cfcp-28f, 0x1.6420f4p-29f, 0x1.fcb474p-31f, 0x1.636abcp-32f, 0x1.fc033ep-34f, 0x1.63098p-35f, 0x1.fba688p-37f, 0x1.62d394p-38f, 0x1.fb74a4p-40f, 0x1.62b404p-41f, 0x1.fb5896p-43f, 0x1.62a004p-44f, 0x1.fb47d2p-46f, 0x1.62927cp-47f, -0x1.4a7ebcp-3f, -0x1.525edcp-4f, 0x1.75a3bp-7f},
};
static const float opgen_acosh_octaves[4][32] = {
    {0x1.697596p+0f, 0x1.67d12p+0f, 0x1.643b46p+0f, 0x1.5df78ap+0f, 0x1.54ad32p+0f, 0x1.48528ep+0f, 0x1.394582p+0f, 0x1.2801p+0f, 0x1.1534a2p+0f, 0x1.016edap+0f, 0x1.daac36p-1f, 0x1.b2a038p-1f, 0x1.8bae2ap-1f, 0x1.663b42p-1f, 0x1.42e0f4p-1f, 0x1.21b402p-1f, 0x1.0307cp-1f, 0x1.cd7c4ap-2f, 0x1.99f6e4p-2f, 0x1.6b0e86p-2f, 0x1.40d26ap-2f, 0x1.1abe4cp-2f, 0x1.f183ap-3f, 0x1.b4b29p-3f, 0x1.7eca7ep-3f, 0x1.4eda8p-3f, 0x1.249966p-3f, 0x1.fe6bdap-4f, 0x1.bccf8p-4f, 0x1.82feb2p-4f, 0x1.6a09d8p+0f, 0x1.69f6bap+0f},
    {-0x1.c54cd4p-4f, -0x1.9d34ap-4f, -0x1.665654p-4f, -0x1.28d61ap-4f, -0x1.d6480ep-5f, -0x1.67c168p-5f, -0x1.09f2bap-5f, -0x1.7fe6f8p-6f, -0x1.0e2f86p-6f, -0x1.76567cp-7f, -0x1.fcfc94p-8f, -0x1.567d1p-8f, -0x1.c65066p-9f, -0x1.2b57f4p-9f, -0x1.85fa94p-10f, -0x1.f9fb52p-11f, -0x1.452b42p-11f, -0x1.a0f4bep-12f, -0x1.09326cp-12f, -0x1.50f7bcp-13f, -0x1.a92e9ap-14f, -0x1.0c2eb6p-14f, -0x1.50340cp-15f, -0x1.a5a854p-16f, -0x1.06e96cp-16f, -0x1.482a94p-17f, -0x1.977422p-18f, -0x1.fa9058p-19f, -0x1.39537p-19f, -0x1.843bb2p-20f, -0x1.e27b52p-4f, -0x1.db817ep-4f},
    {0x1.1ce472p-6f, 0x1.94d9e4p-7f, 0x1.07b8bap-7f, 0x1.44ce2cp-8f, 0x1.76b7c8p-9f, 0x1.a1ff3cp-10f, 0x1.bc01e4p-11f, 0x1.cf18eap-12f, 0x1.d12546p-13f, 0x1.cf593ap-14f, 0x1.bfc6ep-15f, 0x1.afeff4p-16f, 0x1.962b36p-17f, 0x1.7edd0ep-18f, 0x1.60f00cp-19f, 0x1.47141cp-20f, 0x1.291342p-21f, 0x1.0fccb6p-22f, 0x1.e82c84p-24f, 0x1.ba3d6p-25f, 0x1.89a7b6p-26f, 0x1.61d862p-27f, 0x1.38c3acp-28f, 0x1.1761acp-29f, 0x1.eb15dp-31f, 0x1.b46f38p-32f, 0x1.7dc6eap-33f, 0x1.51db5ep-34f, 0x1.26633p-35f, 0x1.039846p-36f, 0x1.a8814ep-6f, 0x1.6fb7b2p-6f},
    {-0x1.c186bap-10f, -0x1.ba0beep-11f, -0x1.8baff2p-12f, -0x1.576a54p-13f, -0x1.13cee8p-14f, -0x1.b537d4p-16f, -0x1.453dcep-17f, -0x1.e3db6p-19f, -0x1.553456p-20f, -0x1.e58442p-22f, -0x1.49b1d6p-23f, -0x1.c67e12p-25f, -0x1.2c569ep-26f, -0x1.9490c4p-28f, -0x1.0607bep-29f, -0x1.5af0dcp-31f, -0x1.baaac4p-33f, -0x1.213fdp-34f, -0x1.6cca4cp-36f, -0x1.d7eb88p-38f, -0x1.26e2fap-39f, -0x1.7a735ep-41f, -0x1.d58a84p-43f, -0x1.2b5f44p-44f, -0x1.714012p-46f, -0x1.d465eap-48f, -0x1.1f781cp-49f, -0x1.6b149cp-51f, -0x1.bbddc6p-53f, -0x1.1749f4p-54f, -0x1.7a623ep-8f, -0x1.b2c1p-9f},
};
static const float opgen_atanh_octaves[4][32] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0x1.3e64acp+2f, 0x1.3347a2p+2f, 0x1.2835ecp+2f, 0x1.1d191ap+2f, 0x1.120712p+2f, 0x1.06ea84p+2f, 0x1.f7b02ap+1f, 0x1.e177aep+1f, 0x1.cb51c8p+1f, 0x1.b51a14p+1f, 0x1.9ef2c8p+1f, 0x1.88bc18p+1f, 0x1.7292c4p+1f, 0x1.5c5d6ap+1f, 0x1.4630e2p+1f, 0x1.2ffd7p+1f, 0x1.19cafap+1f, 0x1.039acep+1f, 0x1.dab942p+0f, 0x1.ae7c58p+0f, -0x1.1f39bep-7f, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, -0x1.38ef1cp+11f, -0x1.bb032cp+10f, -0x1.38f254p+10f, -0x1.bb0f6ep+9f, -0x1.38fc8ap+9f, -0x1.bb2afp+8f, -0x1.39156cp+8f, -0x1.bb6532p+7f, -0x1.394c4ep+7f, -0x1.bbddbap+6f, -0x1.39c02cp+6f, -0x1.bcd39ap+5f, -0x1.3aaf0ep+5f, -0x1.bec4aap+4f, -0x1.3c94dp+4f, -0x1.c2acd4p+3f, -0x1.40671ep+3f, -0x1.ca842ap+2f, -0x1.48154ep+2f, -0x1.daa806p+1f, 0x1.17678ep+0f, 0x1.000382p+0f, 0x1.000382p+0f, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0x1.fa749cp+20f, 0x1.fd30bp+19f, 0x1.fa6528p+18f, 0x1.fd280ep+17f, 0x1.fa525cp+16f, 0x1.fd1da4p+15f, 0x1.fa3b2cp+14f, 0x1.fd101p+13f, 0x1.fa1ceep+12f, 0x1.fcfd68p+11f, 0x1.f9f2b6p+10f, 0x1.fce024p+9f, 0x1.f9af5cp+8f, 0x1.fca5d6p+7f, 0x1.f92aa2p+6f, 0x1.fc0f7ap+5f, 0x1.f7d8a6p+4f, 0x1.fa395ep+3f, 0x1.f3f1c2p+2f, 0x1.f5255p+1f, -0x1.4f5d4ep-2f, -0x1.9a13a8p-9f, -0x1.9a13a8p-9f, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, -0x1.69dedep+29f, -0x1.03427cp+28f, -0x1.69ce6ap+26f, -0x1.033beap+25f, -0x1.69ba5ep+23f, -0x1.03340ep+22f, -0x1.69a1d8p+20f, -0x1.0329fcp+19f, -0x1.69825ep+17f, -0x1.031cfp+16f, -0x1.69589cp+14f, -0x1.030b5cp+13f, -0x1.691e24p+11f, -0x1.02f26ep+10f, -0x1.68c8bep+8f, -0x1.02d33ep+7f, -0x1.6857ap+5f, -0x1.02ebcap+4f, -0x1.68ec3cp+2f, -0x1.072016p+1f, 0x1.81d8d8p-1f, 0x1.6dc7aep-2f, 0x1.6dc7aep-2f, 0},
};
OPGEN_V4_PART __m512 opgen_octave(const float (*row)[32], __m512 v, __m512 r) {
    const __m512i at = _mm512_srli_epi32(_mm512_castps_si512(v), 22);
    __m512 p = _mm512_fmadd_ps(opgen_look(row[3], at), r, opgen_look(row[2], at));
    p = _mm512_fmadd_ps(p, r, opgen_look(row[1], at));
    return _mm512_fmadd_ps(p, r, opgen_look(row[0], at));
}

/* v is 1.25 * |x| + 0.75, less than 49152, for 32 halves of octaves are from 0.75 to that. */
#define OPGEN_ASINH_MOST 39320
OPGEN_V4_PART void opgen_asinh_first(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    h->r = _mm512_abs_ps(h->x);
    h->w = _mm512_fmadd_ps(h->r, opgen_all(1.25f), opgen_all(0.75f));
}
OPGEN_V4_PART __m512 opgen_asinh_second(const OpgenHalf *h) { return opgen_signed(opgen_octave(opgen_asinh_octaves, h->w, h->r), h->x); }

/* v is x, less than 65536; sqrt(x - 1) is a factor, which is no number where x is less than 1. */
OPGEN_V4_PART void opgen_acosh_first(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    h->r = _mm512_sub_ps(h->x, opgen_all(1));
    h->n = _mm512_sqrt_ps(h->r);
}
OPGEN_V4_PART __m512 opgen_acosh_second(const OpgenHalf *h) { return _mm512_mul_ps(opgen_octave(opgen_acosh_octaves, h->x, h->r), h->n); }

/* v is 1 - |x|, from 2^-11 on; r is the less of both. */
#define OPGEN_ATANH_MOST 0x1.ffcp-1f
OPGEN_V4_PART void opgen_atanh_first(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    const __m512 size = _mm512_abs_ps(h->x);
    h->w = _mm512_sub_ps(opgen_all(1), size);
    h->r = _mm512_min_ps(size, h->w);
}
OPGEN_V4_PART __m512 opgen_atanh_second(const OpgenHalf *h) { return opgen_signed(opgen_octave(opgen_atanh_octaves, h->w, h->r), h->x); }

/* Of 1 + x, s times what is near 1: r = (x - (s - 1)) / (1 + x + s), which is x / (2 + x) where s is 1. */
#define OPGEN_LOG1P_MOST 0x1p125f
OPGEN_V4_PART void opgen_log1p_first(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    h->n = _mm512_add_ps(h->x, opgen_all(1));
    h->w = opgen_power_near(h->n);
    const __m512 s = _mm512_castsi512_ps(opgen_power_of_16(h->w));
    h->r = _mm512_div_ps(_mm512_sub_ps(h->x, _mm512_sub_ps(s, opgen_all(1))), _mm512_add_ps(s, h->n));
}
/* Minus infinity where 1 + x is 0, not a number where it is less; the sign of a zero. */
OPGEN_V4_PART __m512 opgen_log1p_second(const OpgenHalf *h) {
    const __m512 v = _mm512_fmadd_ps(_mm512_getexp_ps(h->w), opgen_all(0x1.62e43p-1f), opgen_atanh_of_small(h->r, 2));
    return opgen_signed(_mm512_fixupimm_ps(v, h->n, _mm512_set1_epi32(0x03030400), 0), h->x);
}

/* Whether none of 64 is further from 0; what is not a number is not. */
OPGEN_V4 static inline bool opgen_near_64(const float *x, float times, float most) {
    __m512 all = _mm512_setzero_ps();
    OPGEN_FOUR all = opgen_greater_size(all, _mm512_loadu_ps(x + 16 * i));
    return _mm512_cmp_ps_mask(_mm512_mul_ps(all, _mm512_abs_ps(opgen_all(times))), opgen_all(most), _CMP_GT_OQ) == 0;
}

OPGEN_HALF_V4(sin, opgen_sine_front(h, times, false), opgen_sine_back(h))
OPGEN_HALF_V4(cos, opgen_sine_front(h, times, true), opgen_sine_back(h))
OPGEN_HALF_V4(tan, opgen_units_off(h, times, 0x1.45f306p-1f, 0x1.921fb4p+0f, 0x1.4442d2p-24f), opgen_tangent_back(h))
OPGEN_HALF_V4(atan, opgen_atan_first(h, times), opgen_atan_second(h))
OPGEN_HALF_V4(asin, opgen_arc_front(h, times), opgen_arc_back(h, false))
OPGEN_HALF_V4(acos, opgen_arc_front(h, times), opgen_arc_back(h, true))
OPGEN_HALF_V4(atanh, opgen_atanh_first(h, times), opgen_atanh_second(h))
OPGEN_HALF_V4(asinh, opgen_asinh_first(h, times), opgen_asinh_second(h))
OPGEN_HALF_V4(acosh, opgen_acosh_first(h, times), opgen_acosh_second(h))
OPGEN_HALF_V4(log1p, opgen_log1p_first(h, times), opgen_log1p_second(h))
#pragma GCC diagnostic pop
#endif

/* The function that chooses. */
#if defined(OPGEN_X86)
#define OPGEN_HALF_X86(name, near)                                                                                     \
    if (level == 4 && near) {                                                                                          \
        opgen_##name##_half_v4(to, x, times, tiny);                                                                    \
        return;                                                                                                        \
    }
#else
#define OPGEN_HALF_X86(name, near)
#endif
#define OPGEN_HALF_OF_MANY(name, near)                                                                                 \
    OPGEN_INLINE void opgen_##name##_half(float *to, const float *x, float times, bool tiny, int level) {              \
        (void)tiny;                                                                                                    \
        OPGEN_HALF_X86(name, near)                                                                                     \
        float y[64];                                                                                                   \
        OPGEN_SIMD                                                                                                     \
        for (int i = 0; i < 64; i++)                                                                                   \
            y[i] = x[i] * times;                                                                                       \
        opgen_##name##_many(to, y, 64, level);                                                                         \
    }
/* Anywhere; up to `most` alone, `f16` and `bf16` of it being what name_most says. */
#define OPGEN_HALF_ANYWHERE(name)                                                                                      \
    OPGEN_HALF_ALWAYS(name)                                                                                            \
    OPGEN_HALF_OF_MANY(name, true)
#define OPGEN_HALF_NEAR(name, most, of_f16, of_bf16)                                                                   \
    OPGEN_INLINE uint16_t opgen_##name##_most(bool bf16) { return bf16 ? of_bf16 : of_f16; }                           \
    OPGEN_HALF_OF_MANY(name, opgen_near_64(x, times, most))
OPGEN_HALF_NEAR(sin, OPGEN_FAR, 0x7fff, 0x4780)
OPGEN_HALF_NEAR(cos, OPGEN_FAR, 0x7fff, 0x4780)
OPGEN_HALF_NEAR(tan, OPGEN_FAR, 0x7fff, 0x4780)
OPGEN_HALF_ANYWHERE(atan)
OPGEN_HALF_ANYWHERE(asin)
OPGEN_HALF_ANYWHERE(acos)
OPGEN_HALF_NEAR(atanh, OPGEN_ATANH_MOST, 0x3bff, 0x3f7f)
OPGEN_HALF_NEAR(asinh, OPGEN_ASINH_MOST, 0x78cc, 0x4719)
OPGEN_HALF_NEAR(acosh, 65535, 0x7bff, 0x477f)
OPGEN_HALF_NEAR(log1p, OPGEN_LOG1P_MOST, 0x7bff, 0x7e00)
#undef OPGEN_HALF_ANYWHERE
#undef OPGEN_HALF_NEAR
#undef OPGEN_HALF_OF_MANY
#undef OPGEN_HALF_X86

#endif

/* opgen_intervals.h: functions of 64 floats at once whose results go into 16 bits, as those of opgen_half.h are, of a short
 * polynomial for each of 32 intervals: where one function is made of several others, that is less to compute than they are.
 * They are off by 2^-14 of the result at most, most of them by less than 2^-15, where f16 is rounded by 2^-12.
 *
 * What ends in _f16_half is stored as f16 as it is: what f16 does not tell from 0, 1 or infinity is that, and is not to be
 * multiplied by something. The others are as good as that of any operand, but that gelu is 0 where it is above -3e-8, which is
 * less than what its formula loses in f32.
 * Elsewhere than on x86-64-v4 all are what opgen_exp.h has. Special values are those of the exact functions.
 *
 * tests/cpu/fit_math.py makes the tables.
 */
#ifndef OPGEN_INTERVALS_H
#define OPGEN_INTERVALS_H

#include "opgen_half.h"

#if defined(OPGEN_X86)
/* How many intervals there are in 1, the middles of the first and of the last one, and of each, numbered modulo 32, coefficients
 * of the distance from its middle in widths, lowest power first. The two at the ends are constant; those of what is a
 * function of |x| begin at 0. */
typedef struct {
    float scale, least, most;
    float row[5][32];
} OpgenIntervals;

static const OpgenIntervals opgen_normal_intervals = {0x1.878p+1f, -0x1.78a4c8p+2f, 0x1.10053cp+2f, {{0x1p-1f, 0x1.419c6p-1f, 0x1.7ca05p-1f, 0x1.ac5f5p-1f, 0x1.cf1e4p-1f, 0x1.e5dc8p-1f, 0x1.f3406p-1f, 0x1.fa57ap-1f, 0x1.fdb84p-1f, 0x1.ff2aap-1f, 0x1.ffb96p-1f, 0x1.ffeaep-1f, 0x1.fffa4p-1f, 0x1p+0f, 0, 0x1.d4873p-27f, 0x1.69bebp-24f, 0x1.f799bp-22f, 0x1.3c252p-19f, 0x1.6622bp-17f, 0x1.6e3b5p-15f, 0x1.524a2p-13f, 0x1.1a733p-11f, 0x1.aab2p-10f, 0x1.23e22p-8f, 0x1.6a18ep-7f, 0x1.97f44p-6f, 0x1.a237cp-5f, 0x1.870dep-4f, 0x1.4e82ap-3f, 0x1.06bf7p-2f, 0x1.7cc74p-2f}, {0x1.0b204p-3f, 0x1.fa73p-4f, 0x1.af6bcp-4f, 0x1.4a3fcp-4f, 0x1.c658cp-5f, 0x1.18dacp-5f, 0x1.3804cp-6f, 0x1.377f8p-7f, 0x1.17738p-8f, 0x1.c2928p-10f, 0x1.4669cp-11f, 0x1.a8fd4p-13f, 0x1.f13ccp-15f, 0, 0, 0x1.b60ep-26f, 0x1.3f95cp-23f, 0x1.a3018p-21f, 0x1.eda28p-19f, 0x1.054b4p-16f, 0x1.f11dcp-15f, 0x1.a8ec4p-13f, 0x1.46624p-11f, 0x1.c28d4p-10f, 0x1.17728p-8f, 0x1.377f8p-7f, 0x1.38058p-6f, 0x1.18db4p-5f, 0x1.c6598p-5f, 0x1.4a3fcp-4f, 0x1.af6b8p-4f, 0x1.fa73p-4f}, {0x1.d406p-23f, -0x1.b104p-8f, -0x1.7123p-7f, -0x1.a76cp-7f, -0x1.8471p-7f, -0x1.2c24p-7f, -0x1.904fp-8f, -0x1.d29ap-9f, -0x1.def9p-10f, -0x1.ae35p-11f, -0x1.5a0bp-12f, -0x1.02fp-13f, -0x1.0744p-15f, 0, 0, 0x1.8e3cp-26f, 0x1.116bp-23f, 0x1.500bp-21f, 0x1.717ap-19f, 0x1.6b47p-17f, 0x1.3f27p-15f, 0x1.f3f7p-14f, 0x1.5d06p-12f, 0x1.b18cp-11f, 0x1.ddfap-10f, 0x1.d22bp-9f, 0x1.903bp-8f, 0x1.2c36p-7f, 0x1.8484p-7f, 0x1.a79fp-7f, 0x1.70ecp-7f, 0x1.b10bp-8f}, {-0x1.2f1cp-9f, -0x1.01p-9f, -0x1.19a8p-10f, -0x1.dde8p-15f, 0x1.6dcp-11f, 0x1.0aa8p-10f, 0x1.f98cp-11f, 0x1.7834p-11f, 0x1.d1d8p-12f, 0x1.ecfcp-13f, 0x1.c498p-14f, 0x1.6b9p-15f, 0x1.013p-16f, 0, 0, 0x1.e7c8p-27f, 0x1.37ecp-24f, 0x1.637cp-22f, 0x1.6888p-20f, 0x1.44a4p-18f, 0x1.0338p-16f, 0x1.6ep-15f, 0x1.c6ccp-14f, 0x1.ee8cp-13f, 0x1.d27p-12f, 0x1.782cp-11f, 0x1.f8fcp-11f, 0x1.0a5p-10f, 0x1.6c98p-11f, -0x1.e64cp-15f, -0x1.191cp-10f, -0x1.01p-9f}, {-0x1.121p-20f, 0x1.5cp-13f, 0x1.24ap-12f, 0x1.bdep-13f, 0x1.0a1p-13f, 0x1.429p-16f, -0x1.62p-15f, -0x1.e26p-15f, -0x1.8fp-15f, -0x1.12dp-14f, -0x1.155p-15f, 0x1.a33p-18f, -0x1.ffap-16f, 0, 0, 0x1.9ap-28f, 0x1.e8fp-26f, 0x1.024p-23f, 0x1.e1dp-22f, 0x1.88p-20f, 0x1.13bp-18f, 0x1.5b7p-17f, 0x1.789p-16f, 0x1.592p-15f, 0x1.038p-14f, 0x1.27fp-14f, 0x1.81ep-15f, -0x1.b37p-16f, -0x1.185p-13f, -0x1.e96p-13f, -0x1.0c7p-12f, -0x1.607p-13f}}};
static const OpgenIntervals opgen_normal_by_tanh_intervals = {0x1.9ecp+1f, -0x1.6387a4p+2f, 0x1.00c584p+2f, {{0x1p-1f, 0x1.3e0cp-1f, 0x1.767a7p-1f, 0x1.a52c5p-1f, 0x1.c859ap-1f, 0x1.e07e4p-1f, 0x1.ef978p-1f, 0x1.f82f4p-1f, 0x1.fc9ebp-1f, 0x1.feaf3p-1f, 0x1.ff8b4p-1f, 0x1.ffdc5p-1f, 0x1.fff68p-1f, 0x1p+0f, 0, 0x1.09e85p-27f, 0x1.2dcdap-24f, 0x1.1813dp-21f, 0x1.ae698p-19f, 0x1.1549dp-16f, 0x1.2f5afp-14f, 0x1.1d51p-12f, 0x1.d31e6p-11f, 0x1.50ce5p-9f, 0x1.b0a83p-8f, 0x1.f431bp-7f, 0x1.06886p-5f, 0x1.f81bbp-5f, 0x1.bd32fp-4f, 0x1.6b4ecp-3f, 0x1.130b3p-2f, 0x1.83e7fp-2f}, {0x1.f84d8p-4f, 0x1.e0becp-4f, 0x1.a08acp-4f, 0x1.48378p-4f, 0x1.d6bf8p-5f, 0x1.3368cp-5f, 0x1.6d6dcp-6f, 0x1.8a728p-7f, 0x1.80c1cp-8f, 0x1.50ab8p-9f, 0x1.05c1cp-10f, 0x1.65a74p-12f, 0x1.a83f4p-14f, 0, 0, 0x1.324cp-26f, 0x1.3cc64p-23f, 0x1.0ae9p-20f, 0x1.73224p-18f, 0x1.af484p-16f, 0x1.a82ap-14f, 0x1.659ep-12f, 0x1.05be4p-10f, 0x1.50a9cp-9f, 0x1.80c18p-8f, 0x1.8a72cp-7f, 0x1.6d6e8p-6f, 0x1.33698p-5f, 0x1.d6bf8p-5f, 0x1.48378p-4f, 0x1.a08acp-4f, 0x1.e0be8p-4f}, {-0x1.0984p-23f, -0x1.6f86p-8f, -0x1.3e49p-7f, -0x1.76dap-7f, -0x1.6525p-7f, -0x1.22aep-7f, -0x1.9f5cp-8f, -0x1.073fp-8f, -0x1.28a6p-9f, -0x1.2948p-10f, -0x1.0b73p-11f, -0x1.8d74p-13f, -0x1.fb5cp-15f, 0, 0, 0x1.5427p-26f, 0x1.3e3fp-23f, 0x1.e338p-21f, 0x1.2d6cp-18f, 0x1.391fp-16f, 0x1.11e8p-14f, 0x1.98dfp-13f, 0x1.07c7p-11f, 0x1.29a5p-10f, 0x1.289fp-9f, 0x1.06d7p-8f, 0x1.9f09p-8f, 0x1.22cap-7f, 0x1.6529p-7f, 0x1.76d9p-7f, 0x1.3e15p-7f, 0x1.6fecp-8f}, {-0x1.003p-9f, -0x1.b9e4p-10f, -0x1.03c8p-10f, -0x1.678p-13f, 0x1.f4d8p-12f, 0x1.a844p-11f, 0x1.b858p-11f, 0x1.6874p-11f, 0x1.f2bcp-12f, 0x1.2a38p-12f, 0x1.35fp-13f, 0x1.16e8p-14f, 0x1.adfp-16f, 0, 0, 0x1.ff4cp-27f, 0x1.a824p-24f, 0x1.1c98p-21f, 0x1.389p-19f, 0x1.1c0cp-17f, 0x1.b13cp-16f, 0x1.183cp-14f, 0x1.37p-13f, 0x1.2ab4p-12f, 0x1.f2dcp-12f, 0x1.6858p-11f, 0x1.b78cp-11f, 0x1.a6fcp-11f, 0x1.f4fp-12f, -0x1.67b4p-13f, -0x1.03c4p-10f, -0x1.b95p-10f}, {0x1.f22p-21f, 0x1.d2cp-14f, 0x1.c88p-13f, 0x1.912p-13f, 0x1.02bp-13f, 0x1.e84p-16f, -0x1.392p-18f, -0x1.af8p-16f, -0x1.b2ep-15f, -0x1.81ep-15f, 0x1.91ep-21f, -0x1.29cp-15f, -0x1.a9fp-16f, 0, 0, 0x1.fccp-28f, 0x1.787p-25f, 0x1.bf2p-23f, 0x1.afp-21f, 0x1.4d1p-19f, 0x1.b12p-18f, 0x1.ddep-17f, 0x1.bb9p-16f, 0x1.58dp-15f, 0x1.b81p-15f, 0x1.a49p-15f, 0x1.74fp-16f, -0x1.4dfp-15f, -0x1.048p-13f, -0x1.8f8p-13f, -0x1.9a2p-13f, -0x1.155p-13f}}};
static const OpgenIntervals opgen_tanh_log1p_exp_intervals = {0x1.27ap+0f, -0x1.4c8786p+4f, 0x1.83f372p+2f, {{0x1.3333p-1f, 0x1.ad75bp-1f, 0x1.e95dep-1f, 0x1.fb1cp-1f, 0x1.ff0eap-1f, 0x1.ffd3bp-1f, 0x1.fff81p-1f, 0x1p+0f, 0, 0x1.33c2ap-29f, 0x1.6dd17p-28f, 0x1.b2d4p-27f, 0x1.026dap-25f, 0x1.332ep-24f, 0x1.6d20cp-23f, 0x1.b202p-22f, 0x1.01f0dp-20f, 0x1.32999p-19f, 0x1.6c7p-18f, 0x1.b12f6p-17f, 0x1.01731p-15f, 0x1.32028p-14f, 0x1.6bb81p-13f, 0x1.b0481p-12f, 0x1.00d78p-10f, 0x1.31168p-9f, 0x1.6a0f1p-8f, 0x1.acb6bp-7f, 0x1.f8f0cp-6f, 0x1.258d4p-4f, 0x1.4abdep-3f, 0x1.59759p-2f}, {0x1.1bafcp-2f, 0x1.721d4p-3f, 0x1.04a54p-4f, 0x1.f5f6cp-7f, 0x1.94a14p-9f, 0x1.2ec48p-11f, 0x1.b688cp-14f, 0, 0, 0x1.0a7cp-29f, 0x1.3cc14p-28f, 0x1.78828p-27f, 0x1.bf898p-26f, 0x1.09fb4p-24f, 0x1.3c284p-23f, 0x1.77cc8p-22f, 0x1.beb14p-21f, 0x1.097acp-19f, 0x1.3b8fcp-18f, 0x1.77164p-17f, 0x1.bdd6cp-16f, 0x1.08f6p-14f, 0x1.3ae9cp-13f, 0x1.763bp-12f, 0x1.bc938p-11f, 0x1.07dd4p-9f, 0x1.38a24p-8f, 0x1.70c3cp-7f, 0x1.ae4cp-6f, 0x1.e8e9cp-5f, 0x1.03b44p-3f, 0x1.d164cp-3f}, {-0x1.87edp-7f, -0x1.1b63p-4f, -0x1.4cc2p-5f, -0x1.81d7p-7f, -0x1.4e02p-9f, -0x1.fe5ep-12f, -0x1.89dap-14f, 0, 0, 0x1.cd8cp-31f, 0x1.124dp-29f, 0x1.460dp-28f, 0x1.8391p-27f, 0x1.ccadp-26f, 0x1.11cbp-24f, 0x1.457p-23f, 0x1.82d5p-22f, 0x1.cbcfp-21f, 0x1.1151p-19f, 0x1.44e7p-18f, 0x1.823p-17f, 0x1.cbp-16f, 0x1.10bdp-14f, 0x1.4409p-13f, 0x1.80bap-12f, 0x1.c80fp-11f, 0x1.0d4dp-9f, 0x1.3b2ap-8f, 0x1.68aep-7f, 0x1.85ddp-6f, 0x1.6838p-5f, 0x1.95fap-5f}, {-0x1.d52cp-6f, -0x1.07c8p-9f, 0x1.a978p-7f, 0x1.74a4p-8f, 0x1.71fp-10f, 0x1.27f4p-12f, 0x1.b63p-15f, 0, 0, 0x1.0d98p-32f, 0x1.407cp-31f, 0x1.7cecp-30f, 0x1.c4c8p-29f, 0x1.0d18p-27f, 0x1.3fep-26f, 0x1.7c3cp-25f, 0x1.c3ecp-24f, 0x1.0c94p-22f, 0x1.3f2cp-21f, 0x1.7b7p-20f, 0x1.c2ecp-19f, 0x1.0bf4p-17f, 0x1.3e5cp-16f, 0x1.7a1p-15f, 0x1.c048p-14f, 0x1.08fcp-12f, 0x1.36b8p-11f, 0x1.6564p-10f, 0x1.8748p-9f, 0x1.7508p-8f, 0x1.ae5cp-8f, -0x1.e62p-8f}, {-0x1.221p-12f, 0x1.21ep-7f, -0x1.acp-11f, -0x1.c22p-10f, -0x1.191p-11f, -0x1.092p-13f, -0x1.f6ap-18f, 0, 0, 0x1.d1fp-35f, 0x1.155p-33f, 0x1.496p-32f, 0x1.872p-31f, 0x1.d12p-30f, 0x1.143p-28f, 0x1.489p-27f, 0x1.868p-26f, 0x1.d01p-25f, 0x1.10ep-23f, 0x1.428p-22f, 0x1.7ebp-21f, 0x1.c6fp-20f, 0x1.0e3p-18f, 0x1.407p-17f, 0x1.7b1p-16f, 0x1.be1p-15f, 0x1.01cp-13f, 0x1.1e7p-12f, 0x1.1d9p-11f, 0x1.7d8p-11f, -0x1.9d1p-11f, -0x1.a08p-8f}}};
static const OpgenIntervals opgen_erfc_intervals = {0x1.18ap+2f, -0x1.7b7eeap+1f, 0x1.06ba54p+2f, {{0x1p+0f, 0x1.7e7dap-1f, 0x1.09abfp-1f, 0x1.553fbp-2f, 0x1.937a4p-3f, 0x1.b58acp-4f, 0x1.b1ec2p-5f, 0x1.88a14p-6f, 0x1.43884p-7f, 0x1.e4d24p-9f, 0x1.49e53p-10f, 0x1.974d4p-12f, 0x1.c7d5p-14f, 0x1.ce1d6p-16f, 0x1.a81adp-18f, 0x1.602e7p-20f, 0x1.0883p-22f, 0x1.673cap-25f, 0, 0x1p+1f, 0x1.fff8ep+0f, 0x1.ffe69p+0f, 0x1.ffad8p+0f, 0x1.ff0d9p+0f, 0x1.fd78fp+0f, 0x1.f9dd8p+0f, 0x1.f270ap+0f, 0x1.e4a75p+0f, 0x1.cd90bp+0f, 0x1.aab01p+0f, 0x1.7b2a1p+0f, 0x1.40c13p+0f}, {-0x1.0784p-2f, -0x1.f4524p-3f, -0x1.ac0ap-3f, -0x1.4a054p-3f, -0x1.ca9e4p-4f, -0x1.1f2e4p-4f, -0x1.441f4p-5f, -0x1.49acp-6f, -0x1.2e3p-7f, -0x1.f33f8p-9f, -0x1.73a84p-10f, -0x1.f2abcp-12f, -0x1.2d7ccp-13f, -0x1.4882p-15f, -0x1.4295p-17f, -0x1.1d748p-19f, -0x1.c7444p-22f, -0x1.4729p-24f, 0, 0, -0x1.2d8d8p-13f, -0x1.f2bd8p-12f, -0x1.73afcp-10f, -0x1.f3444p-9f, -0x1.2e30cp-7f, -0x1.49acp-6f, -0x1.441fp-5f, -0x1.1f2d8p-4f, -0x1.ca9dcp-4f, -0x1.4a05p-3f, -0x1.ac0ap-3f, -0x1.f4524p-3f}, {0x1.0908p-22f, 0x1.a053p-7f, 0x1.6425p-6f, 0x1.9bfbp-6f, 0x1.7da8p-6f, 0x1.2abdp-6f, 0x1.9497p-7f, 0x1.e01fp-8f, 0x1.f6fep-9f, 0x1.d37ep-10f, 0x1.82bfp-11f, 0x1.1d78p-12f, 0x1.78acp-14f, 0x1.bc4fp-16f, 0x1.d5ep-18f, 0x1.bd85p-20f, 0x1.7afbp-22f, 0x1.2161p-24f, 0, 0, -0x1.73cep-14f, -0x1.26cep-12f, -0x1.7c49p-11f, -0x1.d035p-10f, -0x1.f70ap-9f, -0x1.e0cp-8f, -0x1.94a1p-7f, -0x1.2aabp-6f, -0x1.7d7ap-6f, -0x1.9becp-6f, -0x1.645ep-6f, -0x1.a04ep-7f}, {0x1.22fcp-8f, 0x1.ef9p-9f, 0x1.14f4p-9f, 0x1.8378p-13f, -0x1.4fp-10f, -0x1.fb1p-10f, -0x1.ec0cp-10f, -0x1.768p-10f, -0x1.db3p-11f, -0x1.0264p-11f, -0x1.e8b8p-13f, -0x1.9574p-14f, -0x1.28ep-15f, -0x1.8194p-17f, -0x1.bcep-19f, -0x1.c94p-21f, -0x1.a368p-23f, -0x1.57c4p-25f, 0, 0, -0x1.2674p-15f, -0x1.92c4p-14f, -0x1.e6ap-13f, -0x1.01acp-11f, -0x1.dafp-11f, -0x1.768cp-10f, -0x1.ec38p-10f, -0x1.fbf4p-10f, -0x1.503p-10f, 0x1.7e88p-13f, 0x1.14f8p-9f, 0x1.ef94p-9f}, {-0x1.59p-20f, -0x1.49ep-12f, -0x1.edbp-12f, -0x1.d8fp-12f, -0x1.18ap-12f, -0x1.0aep-14f, 0x1.4fcp-14f, 0x1.16p-13f, 0x1.f9bp-14f, 0x1.5b8p-14f, 0x1.876p-15f, 0x1.751p-16f, 0x1.32cp-17f, 0x1.c86p-19f, 0x1.212p-20f, 0x1.432p-22f, 0x1.4p-24f, 0x1.196p-26f, 0, 0, -0x1.c0cp-17f, 0x1.9cfp-17f, -0x1.8c1p-14f, -0x1.128p-13f, -0x1.f62p-14f, -0x1.8cbp-14f, -0x1.3ebp-14f, 0x1.a19p-15f, 0x1.e71p-13f, 0x1.ce8p-12f, 0x1.108p-11f, 0x1.47p-12f}}};
static const OpgenIntervals opgen_tanh_intervals = {0x1.5cap+2f, 0, 0x1.6c382cp+2f, {{0, 0x1.73cc9p-3f, 0x1.67efdp-2f, 0x1.008c3p-1f, 0x1.405b4p-1f, 0x1.7325dp-1f, 0x1.9a202p-1f, 0x1.b734cp-1f, 0x1.cc731p-1f, 0x1.dbbadp-1f, 0x1.e6996p-1f, 0x1.ee451p-1f, 0x1.f3a71p-1f, 0x1.f76a4p-1f, 0x1.fa09bp-1f, 0x1.fbdcdp-1f, 0x1.fd216p-1f, 0x1.fe02bp-1f, 0x1.fe9fp-1f, 0x1.ff0b6p-1f, 0x1.ff568p-1f, 0x1.ff8a9p-1f, 0x1.ffaeap-1f, 0x1.ffc7ap-1f, 0x1.ffd8fp-1f, 0x1.ffe4fp-1f, 0x1.ffed4p-1f, 0x1.fff3p-1f, 0x1.fff7p-1f, 0x1.fff9cp-1f, 0x1.fffbbp-1f, 0x1p+0f}, {0x1.77f8p-3f, 0x1.6b94cp-3f, 0x1.49854p-3f, 0x1.19938p-3f, 0x1.c98fp-4f, 0x1.64cf8p-4f, 0x1.0d764p-4f, 0x1.8d3acp-5f, 0x1.1f96cp-5f, 0x1.9b0bcp-6f, 0x1.23084p-6f, 0x1.996a8p-7f, 0x1.1ea54p-7f, 0x1.9013cp-8f, 0x1.16918p-8f, 0x1.835p-9f, 0x1.0cf5cp-9f, 0x1.7542cp-10f, 0x1.02dep-10f, 0x1.66ee8p-11f, 0x1.f18dp-12f, 0x1.58cap-12f, 0x1.ddce4p-13f, 0x1.4b0ap-13f, 0x1.caafp-14f, 0x1.3dc28p-14f, 0x1.b840cp-15f, 0x1.30fap-15f, 0x1.a6874p-16f, 0x1.24b14p-16f, 0x1.95808p-17f, 0}, {-0x1.0fbep-18f, -0x1.81b5p-8f, -0x1.52aap-7f, -0x1.9cf7p-7f, -0x1.a37bp-7f, -0x1.7b4fp-7f, -0x1.3ce9p-7f, -0x1.f4bbp-8f, -0x1.7c48p-8f, -0x1.18dcp-8f, -0x1.96fcp-9f, -0x1.233ep-9f, -0x1.9c78p-10f, -0x1.218ep-10f, -0x1.957ap-11f, -0x1.1a9p-11f, -0x1.88bap-12f, -0x1.1118p-12f, -0x1.7cbep-13f, -0x1.0821p-13f, -0x1.6e8ep-14f, -0x1.fb46p-15f, -0x1.584fp-15f, -0x1.dc19p-16f, -0x1.40dp-16f, -0x1.b72fp-17f, -0x1.29c6p-17f, -0x1.6d6p-18f, -0x1.128ap-18f, -0x1.f9c2p-20f, -0x1.392ep-19f, 0}, {-0x1.0c68p-9f, -0x1.d8d4p-10f, -0x1.2cdcp-10f, -0x1.995cp-12f, 0x1.bd5p-13f, 0x1.2728p-11f, 0x1.6584p-11f, 0x1.5884p-11f, 0x1.26e8p-11f, 0x1.d608p-12f, 0x1.6648p-12f, 0x1.087cp-12f, 0x1.7ef4p-13f, 0x1.11dp-13f, 0x1.82d4p-14f, 0x1.1054p-14f, 0x1.7ce8p-15f, 0x1.09a4p-15f, 0x1.71ap-16f, 0x1.01p-16f, 0x1.64cp-17f, 0x1.efbp-18f, 0x1.5768p-18f, 0x1.dc4cp-19f, 0x1.4ap-19f, 0x1.c958p-20f, 0x1.3ce4p-20f, 0x1.b74p-21f, 0x1.3044p-21f, 0x1.a578p-22f, 0x1.240cp-22f, 0}}};
static const OpgenIntervals opgen_erf_intervals = {0x1.456p+3f, 0, 0x1.863ebep+1f, {{0, 0x1.c5167p-4f, 0x1.c0c12p-3f, 0x1.4b45cp-2f, 0x1.b0268p-2f, 0x1.06c3ap-1f, 0x1.3127dp-1f, 0x1.56e88p-1f, 0x1.77e32p-1f, 0x1.9425p-1f, 0x1.abe4cp-1f, 0x1.bf78bp-1f, 0x1.cf4d5p-1f, 0x1.dbdbap-1f, 0x1.e5a04p-1f, 0x1.ed147p-1f, 0x1.f2a8bp-1f, 0x1.f6c14p-1f, 0x1.f9b45p-1f, 0x1.fbc9bp-1f, 0x1.fd3b4p-1f, 0x1.fe366p-1f, 0x1.feddcp-1f, 0x1.ff4b4p-1f, 0x1.ff917p-1f, 0x1.ffbd9p-1f, 0x1.ffd8dp-1f, 0x1.ffe95p-1f, 0x1.fff32p-1f, 0x1.fff8dp-1f, 0x1.fffc1p-1f, 0x1p+0f}, {0x1.c68c8p-4f, 0x1.c22c8p-4f, 0x1.b54c8p-4f, 0x1.a0a74p-4f, 0x1.8560cp-4f, 0x1.64ea4p-4f, 0x1.40e44p-4f, 0x1.1af9cp-4f, 0x1.e985p-5f, 0x1.9f4cp-5f, 0x1.5994p-5f, 0x1.1a0ep-5f, 0x1.c398p-6f, 0x1.62984p-6f, 0x1.11188p-6f, 0x1.9c98cp-7f, 0x1.31b5p-7f, 0x1.bc56cp-8f, 0x1.3cbb8p-8f, 0x1.bae48p-9f, 0x1.2fb84p-9f, 0x1.98948p-10f, 0x1.0d8e4p-10f, 0x1.5cdcp-11f, 0x1.bad7cp-12f, 0x1.13b04p-12f, 0x1.50adcp-13f, 0x1.9348cp-14f, 0x1.d9cfcp-15f, 0x1.1101p-15f, 0x1.34934p-16f, 0}, {0x1.0332p-20f, -0x1.1658p-10f, -0x1.0e6cp-9f, -0x1.824bp-9f, -0x1.e18ep-9f, -0x1.13cap-8f, -0x1.29bap-8f, -0x1.3226p-8f, -0x1.2eddp-8f, -0x1.20efp-8f, -0x1.0b52p-8f, -0x1.e012p-9f, -0x1.a309p-9f, -0x1.648bp-9f, -0x1.27ddp-9f, -0x1.df3cp-10f, -0x1.7b14p-10f, -0x1.24c5p-10f, -0x1.b901p-11f, -0x1.45b2p-11f, -0x1.d7ep-12f, -0x1.4d41p-12f, -0x1.c9efp-13f, -0x1.3b4ap-13f, -0x1.a28dp-14f, -0x1.097fp-14f, -0x1.51cbp-15f, -0x1.acdbp-16f, -0x1.1f4ep-16f, -0x1.54d7p-17f, -0x1.92cbp-18f, 0}, {-0x1.78ecp-12f, -0x1.6c6cp-12f, -0x1.4d1p-12f, -0x1.1b58p-12f, -0x1.bd6cp-13f, -0x1.300cp-13f, -0x1.44bp-14f, -0x1.7b7cp-17f, 0x1.7d0cp-15f, 0x1.8414p-14f, 0x1.0a58p-13f, 0x1.3778p-13f, 0x1.4cap-13f, 0x1.4bcp-13f, 0x1.3a4cp-13f, 0x1.1d64p-13f, 0x1.f2b4p-14f, 0x1.a5p-14f, 0x1.5844p-14f, 0x1.118p-14f, 0x1.a684p-15f, 0x1.3d98p-15f, 0x1.d1b4p-16f, 0x1.4cacp-16f, 0x1.d014p-17f, 0x1.3bfp-17f, 0x1.a444p-18f, 0x1.1128p-18f, 0x1.5b18p-19f, 0x1.af3cp-20f, 0x1.05fcp-20f, 0}}};
static const OpgenIntervals opgen_log1p_exp_intervals = {0x1.c28p+0f, 0, 0x1.19db1p+4f, {{0x1.62e44p-1f, 0x1.cba07p-2f, 0x1.1d056p-2f, 0x1.561ep-3f, 0x1.918a1p-4f, 0x1.d0924p-5f, 0x1.0a691p-5f, 0x1.2ff91p-6f, 0x1.59caap-7f, 0x1.88af6p-8f, 0x1.bd7fbp-9f, 0x1.f921ep-10f, 0x1.1e487p-10f, 0x1.44712p-11f, 0x1.6fa65p-12f, 0x1.a0965p-13f, 0x1.d806p-14f, 0x1.0b69fp-14f, 0x1.2efd5p-15f, 0x1.574cp-16f, 0x1.84f71p-17f, 0x1.b8b53p-18f, 0x1.f3553p-19f, 0x1.1ae0dp-19f, 0x1.4082p-20f, 0x1.6b249p-21f, 0x1.9b731p-22f, 0x1.d22e9p-23f, 0x1.0819p-23f, 0x1.2b3a9p-24f, 0x1.53088p-25f, 0x1p-30f}, {-0x1.22f9p-2f, -0x1.a4dep-3f, -0x1.1ac1cp-3f, -0x1.66174p-4f, -0x1.b2b98p-5f, -0x1.00ab4p-5f, -0x1.29ef8p-6f, -0x1.56514p-7f, -0x1.86f88p-8f, -0x1.bd00cp-9f, -0x1.f9824p-10f, -0x1.1ecccp-10f, -0x1.4539p-11f, -0x1.70a88p-12f, -0x1.a1cfcp-13f, -0x1.d976p-14f, -0x1.0c3ecp-14f, -0x1.2feep-15f, -0x1.58594p-16f, -0x1.86294p-17f, -0x1.ba10cp-18f, -0x1.f4df8p-19f, -0x1.1bc08p-19f, -0x1.417f4p-20f, -0x1.6c438p-21f, -0x1.9cb88p-22f, -0x1.d39f4p-23f, -0x1.08e9cp-23f, -0x1.2c274p-24f, -0x1.54148p-25f, -0x1.8151cp-26f, 0}, {0x1.4c58p-5f, 0x1.309p-5f, 0x1.e639p-6f, 0x1.58dbp-6f, 0x1.c161p-7f, 0x1.14e3p-7f, 0x1.498ap-8f, 0x1.8026p-9f, 0x1.ba6ap-10f, 0x1.f9f3p-11f, 0x1.2026p-11f, 0x1.4775p-12f, 0x1.73a5p-13f, 0x1.a57fp-14f, 0x1.ddd3p-15f, 0x1.0ec8p-15f, 0x1.32dap-16f, 0x1.5baep-17f, 0x1.8ap-18f, 0x1.be6dp-19f, 0x1.f9d2p-20f, 0x1.1e8ep-20f, 0x1.44aep-21f, 0x1.6fdep-22f, 0x1.a0cdp-23f, 0x1.d841p-24f, 0x1.0b89p-24f, 0x1.2f2p-25f, 0x1.5771p-26f, 0x1.8521p-27f, 0x1.b8e5p-28f, 0}, {-0x1.3374p-11f, -0x1.005p-9f, -0x1.7914p-9f, -0x1.6718p-9f, -0x1.125cp-9f, -0x1.71dp-10f, -0x1.ce9cp-11f, -0x1.1574p-11f, -0x1.44b4p-12f, -0x1.76d8p-13f, -0x1.ad28p-14f, -0x1.e8fcp-15f, -0x1.15fp-15f, -0x1.3b98p-16f, -0x1.65ep-17f, -0x1.95d8p-18f, -0x1.cbdcp-19f, -0x1.05acp-19f, -0x1.2a44p-20f, -0x1.51f8p-21f, -0x1.7ef8p-22f, -0x1.b1e8p-23f, -0x1.eb84p-24f, -0x1.168cp-24f, -0x1.3bap-25f, -0x1.658p-26f, -0x1.9518p-27f, -0x1.cb0cp-28f, -0x1.04p-28f, -0x1.26a4p-29f, -0x1.4dccp-30f, 0}}};
static const OpgenIntervals opgen_sinh_intervals = {0x1.4b4p+1f, 0, 0x1.7f52e2p+3f, {{0, 0x1.959b7p-2f, 0x1.b4449p-1f, 0x1.6fd82p+0f, 0x1.1e955p+1f, 0x1.b0924p+1f, 0x1.41fa8p+2f, 0x1.dc598p+2f, 0x1.5f5e5p+3f, 0x1.02d77p+4f, 0x1.7d21bp+4f, 0x1.18858p+5f, 0x1.9ce32p+5f, 0x1.2fd66p+6f, 0x1.bf2aap+6f, 0x1.490cdp+7f, 0x1.e4439p+7f, 0x1.64586p+8f, 0x1.06375p+9f, 0x1.81e71p+9f, 0x1.1bf73p+10f, 0x1.a1e93p+10f, 0x1.3384dp+11f, 0x1.c492fp+11f, 0x1.4d069p+12f, 0x1.ea1cbp+12f, 0x1.68a5ep+13f, 0x1.0961cp+14f, 0x1.868fbp+14f, 0x1.1f64dp+15f, 0x1.a6f4cp+15f, 0x1p+17f}, {0x1.8bb08p-2f, 0x1.a99b8p-2f, 0x1.03ee8p-1f, 0x1.5a5b8p-1f, 0x1.e5244p-1f, 0x1.5ca38p+0f, 0x1.fb6ap+0f, 0x1.73744p+1f, 0x1.10adcp+2f, 0x1.90da4p+2f, 0x1.26d08p+3f, 0x1.b1c7p+3f, 0x1.3f28cp+4f, 0x1.d5adcp+4f, 0x1.599a8p+5f, 0x1.fc9e8p+5f, 0x1.7644p+6f, 0x1.13668p+7f, 0x1.954dcp+7f, 0x1.2a3e8p+8f, 0x1.b6eccp+8f, 0x1.42fb4p+9f, 0x1.db54cp+9f, 0x1.5dc54p+10f, 0x1.0160cp+11f, 0x1.7ac7cp+11f, 0x1.16bap+12f, 0x1.9a324p+12f, 0x1.2dd7cp+13f, 0x1.bc394p+13f, 0x1.46e18p+14f, 0}, {-0x1.6355p-17f, 0x1.e603p-6f, 0x1.056p-4f, 0x1.b8c6p-4f, 0x1.5767p-3f, 0x1.032bp-2f, 0x1.81d3p-2f, 0x1.1d64p-1f, 0x1.a507p-1f, 0x1.362bp+0f, 0x1.c8b3p+0f, 0x1.5021p+1f, 0x1.eebfp+1f, 0x1.6c13p+2f, 0x1.0be9p+3f, 0x1.8a49p+3f, 0x1.2223p+4f, 0x1.ab03p+4f, 0x1.3a35p+5f, 0x1.ce68p+5f, 0x1.5443p+6f, 0x1.f4c3p+6f, 0x1.707cp+7f, 0x1.0f26p+8f, 0x1.8f0ap+8f, 0x1.25a4p+9f, 0x1.b025p+9f, 0x1.3e01p+10f, 0x1.d4p+10f, 0x1.585dp+11f, 0x1.facfp+11f, 0}, {0x1.3c58p-7f, 0x1.523p-7f, 0x1.9d2cp-7f, 0x1.134p-6f, 0x1.8234p-6f, 0x1.1568p-5f, 0x1.93e4p-5f, 0x1.273p-4f, 0x1.b154p-4f, 0x1.3efp-3f, 0x1.d53p-3f, 0x1.58cp-2f, 0x1.fb5p-2f, 0x1.75ap-1f, 0x1.12f8p+0f, 0x1.947cp+0f, 0x1.297cp+1f, 0x1.b67p+1f, 0x1.42a4p+2f, 0x1.da2cp+2f, 0x1.5cdcp+3f, 0x1.00cp+4f, 0x1.79cp+4f, 0x1.161p+5f, 0x1.9934p+5f, 0x1.2d54p+6f, 0x1.baf4p+6f, 0x1.4698p+7f, 0x1.e05cp+7f, 0x1.610cp+8f, 0x1.03ccp+9f, 0}}};
static const OpgenIntervals opgen_cosh_intervals = {0x1.4b4p+1f, 0, 0x1.7f52e2p+3f, {{0x1.fffffp-1f, 0x1.13598p+0f, 0x1.50545p+0f, 0x1.c0282p+0f, 0x1.39de8p+1f, 0x1.c31cap+1f, 0x1.48471p+2f, 0x1.e0a13p+2f, 0x1.60d29p+3f, 0x1.0355fp+4f, 0x1.7d77ap+4f, 0x1.18a2bp+5f, 0x1.9cf6fp+5f, 0x1.2fdd2p+6f, 0x1.bf2f4p+6f, 0x1.490e6p+7f, 0x1.e444ap+7f, 0x1.6458cp+8f, 0x1.06377p+9f, 0x1.81e72p+9f, 0x1.1bf73p+10f, 0x1.a1e93p+10f, 0x1.3384dp+11f, 0x1.c492fp+11f, 0x1.4d069p+12f, 0x1.ea1cbp+12f, 0x1.68a5ep+13f, 0x1.0961cp+14f, 0x1.868fbp+14f, 0x1.1f64dp+15f, 0x1.a6f4cp+15f, 0x1p+17f}, {0x1.f8388p-16f, 0x1.3979p-3f, 0x1.512b4p-2f, 0x1.1c49cp-1f, 0x1.baf88p-1f, 0x1.4e5p+0f, 0x1.f1ae8p+0f, 0x1.70254p+1f, 0x1.0f8ep+2f, 0x1.90174p+2f, 0x1.268ep+3f, 0x1.b199cp+3f, 0x1.3f19p+4f, 0x1.d5a3cp+4f, 0x1.59978p+5f, 0x1.fc9c8p+5f, 0x1.76434p+6f, 0x1.13668p+7f, 0x1.954dcp+7f, 0x1.2a3e8p+8f, 0x1.b6ebcp+8f, 0x1.42fbp+9f, 0x1.db54cp+9f, 0x1.5dc54p+10f, 0x1.0160cp+11f, 0x1.7ac7cp+11f, 0x1.16bap+12f, 0x1.9a324p+12f, 0x1.2dd7cp+13f, 0x1.bc394p+13f, 0x1.46e18p+14f, 0}, {0x1.3095p-4f, 0x1.49fp-4f, 0x1.9303p-4f, 0x1.0c81p-3f, 0x1.7817p-3f, 0x1.0e45p-2f, 0x1.895cp-2f, 0x1.1ff5p-1f, 0x1.a6c6p-1f, 0x1.36bfp+0f, 0x1.c919p+0f, 0x1.5044p+1f, 0x1.eedbp+1f, 0x1.6c1cp+2f, 0x1.0bebp+3f, 0x1.8a4cp+3f, 0x1.2223p+4f, 0x1.ab01p+4f, 0x1.3a37p+5f, 0x1.ce6ap+5f, 0x1.5444p+6f, 0x1.f4c4p+6f, 0x1.707cp+7f, 0x1.0f26p+8f, 0x1.8f0bp+8f, 0x1.25a4p+9f, 0x1.b025p+9f, 0x1.3e01p+10f, 0x1.d4p+10f, 0x1.585dp+11f, 0x1.facfp+11f, 0}, {0x1.ed6cp-11f, 0x1.f25p-9f, 0x1.0bfp-7f, 0x1.c3ccp-7f, 0x1.601cp-6f, 0x1.09a8p-5f, 0x1.8b84p-5f, 0x1.24acp-4f, 0x1.af94p-4f, 0x1.3df8p-3f, 0x1.d4d4p-3f, 0x1.58acp-2f, 0x1.fbep-2f, 0x1.756cp-1f, 0x1.12b4p+0f, 0x1.945p+0f, 0x1.2974p+1f, 0x1.b604p+1f, 0x1.42acp+2f, 0x1.da14p+2f, 0x1.5d58p+3f, 0x1.00ep+4f, 0x1.79cp+4f, 0x1.161p+5f, 0x1.993cp+5f, 0x1.2d54p+6f, 0x1.baf4p+6f, 0x1.4698p+7f, 0x1.e05cp+7f, 0x1.610cp+8f, 0x1.03ccp+9f, 0}}};

/* Of m from 3/4 to 3/2 in widths of 1/32, numbered modulo 32. */
static const float opgen_log_intervals[3][32] = {{0, 0x1.f82a6p-6f, 0x1.f0a33p-5f, 0x1.6f0d3p-4f, 0x1.e2708p-4f, 0x1.29553p-3f, 0x1.5ff31p-3f, 0x1.9525bp-3f, 0x1.c8ff8p-3f, 0x1.fb919p-3f, 0x1.1675dp-2f, 0x1.2e8e3p-2f, 0x1.4618cp-2f, 0x1.5d1bep-2f, 0x1.739d8p-2f, 0x1.89a34p-2f, 0x1.9f324p-2f, 0, 0, 0, 0, 0, 0, 0, -0x1.26962p-2f, -0x1.f991dp-3f, -0x1.a93eep-3f, -0x1.5bf41p-3f, -0x1.1178fp-3f, -0x1.9336p-4f, -0x1.0859ap-4f, -0x1.04164p-5f}, {0x1.0002cp-5f, 0x1.f0834p-6f, 0x1.e1e88p-6f, 0x1.d4234p-6f, 0x1.c722p-6f, 0x1.bad4cp-6f, 0x1.af2dp-6f, 0x1.a41e8p-6f, 0x1.999dcp-6f, 0x1.8f9fcp-6f, 0x1.861b8p-6f, 0x1.7d09p-6f, 0x1.746p-6f, 0x1.6c198p-6f, 0x1.642f4p-6f, 0x1.5c9a8p-6f, 0x1.5554cp-6f, 0, 0, 0, 0, 0, 0, 0, 0x1.554fcp-5f, 0x1.47b68p-5f, 0x1.3b1bp-5f, 0x1.2f6fp-5f, 0x1.24984p-5f, 0x1.1a81p-5f, 0x1.1115cp-5f, 0x1.08464p-5f}, {-0x1.0003p-11f, -0x1.e2d4p-12f, -0x1.c625p-12f, -0x1.ac53p-12f, -0x1.94d7p-12f, -0x1.7f11p-12f, -0x1.6b77p-12f, -0x1.58fap-12f, -0x1.47ecp-12f, -0x1.384cp-12f, -0x1.299ap-12f, -0x1.1bdep-12f, -0x1.0f1fp-12f, -0x1.0342p-12f, -0x1.efbbp-13f, -0x1.dbb1p-13f, -0x1.cadap-13f, 0, 0, 0, 0, 0, 0, 0, -0x1.be5ap-11f, -0x1.a339p-11f, -0x1.838cp-11f, -0x1.6759p-11f, -0x1.4e2ap-11f, -0x1.3755p-11f, -0x1.22ebp-11f, -0x1.0ffcp-11f}};
static const float opgen_log2_intervals[3][32] = {{0, 0x1.6badbp-5f, 0x1.663f9p-4f, 0x1.08c59p-3f, 0x1.5c01bp-3f, 0x1.acf5ep-3f, 0x1.fbc17p-3f, 0x1.24408p-2f, 0x1.49a78p-2f, 0x1.6e222p-2f, 0x1.91bbbp-2f, 0x1.b47ecp-2f, 0x1.d6754p-2f, 0x1.f7a85p-2f, 0x1.0c105p-1f, 0x1.1bf31p-1f, 0x1.2b803p-1f, 0, 0, 0, 0, 0, 0, 0, -0x1.a8ff9p-2f, -0x1.6cb1p-2f, -0x1.32bffp-2f, -0x1.f5fd9p-3f, -0x1.8a899p-3f, -0x1.22dafp-3f, -0x1.7d607p-4f, -0x1.7739ep-5f}, {0x1.71584p-5f, 0x1.66288p-5f, 0x1.5b9f8p-5f, 0x1.51b0cp-5f, 0x1.484fp-5f, 0x1.3f6f4p-5f, 0x1.37074p-5f, 0x1.2f0d4p-5f, 0x1.27798p-5f, 0x1.20448p-5f, 0x1.19674p-5f, 0x1.12dcp-5f, 0x1.0c9ccp-5f, 0x1.06a44p-5f, 0x1.00eecp-5f, 0x1.f6ee4p-6f, 0x1.ec65cp-6f, 0, 0, 0, 0, 0, 0, 0, 0x1.ec67p-5f, 0x1.d8cap-5f, 0x1.c69ap-5f, 0x1.b5c3p-5f, 0x1.a62p-5f, 0x1.9791p-5f, 0x1.89facp-5f, 0x1.7d448p-5f}, {-0x1.715cp-11f, -0x1.5c44p-11f, -0x1.47a7p-11f, -0x1.34f8p-11f, -0x1.242p-11f, -0x1.144dp-11f, -0x1.0614p-11f, -0x1.f1cp-12f, -0x1.d88ep-12f, -0x1.c23fp-12f, -0x1.ad55p-12f, -0x1.992dp-12f, -0x1.86efp-12f, -0x1.752cp-12f, -0x1.657fp-12f, -0x1.5633p-12f, -0x1.4fefp-12f, 0, 0, 0, 0, 0, 0, 0, -0x1.41a6p-10f, -0x1.2e62p-10f, -0x1.17abp-10f, -0x1.034ep-10f, -0x1.e201p-11f, -0x1.c137p-11f, -0x1.a3a9p-11f, -0x1.8869p-11f}};
static const float opgen_log10_intervals[3][32] = {{0, 0x1.b5e9ap-7f, 0x1.af5fbp-6f, 0x1.3ed12p-5f, 0x1.a30aap-5f, 0x1.02429p-4f, 0x1.31b3p-4f, 0x1.5fe8p-4f, 0x1.8cf18p-4f, 0x1.b8de5p-4f, 0x1.e3bc2p-4f, 0x1.06cbdp-3f, 0x1.1b3e7p-3f, 0x1.2f3b7p-3f, 0x1.42c7fp-3f, 0x1.55e8cp-3f, 0x1.68a29p-3f, 0, 0, 0, 0, 0, 0, 0, -0x1.ffbfbp-4f, -0x1.b721dp-4f, -0x1.715d1p-4f, -0x1.2e3a8p-4f, -0x1.db12p-5f, -0x1.5e397p-5f, -0x1.cb393p-6f, -0x1.c3d13p-7f}, {0x1.bcbc4p-7f, 0x1.af44p-7f, 0x1.a2948p-7f, 0x1.969e8p-7f, 0x1.8b52cp-7f, 0x1.80a34p-7f, 0x1.7683cp-7f, 0x1.6ce94p-7f, 0x1.63c98p-7f, 0x1.5b1cp-7f, 0x1.52d8p-7f, 0x1.4af64p-7f, 0x1.4370cp-7f, 0x1.3c408p-7f, 0x1.35604p-7f, 0x1.2ecb4p-7f, 0x1.28804p-7f, 0, 0, 0, 0, 0, 0, 0, 0x1.28728p-6f, 0x1.1ca5cp-6f, 0x1.11b28p-6f, 0x1.078fp-6f, 0x1.fc4ap-7f, 0x1.eac24p-7f, 0x1.da66p-7f, 0x1.cb17cp-7f}, {-0x1.bcc1p-13f, -0x1.a364p-13f, -0x1.8a74p-13f, -0x1.740ap-13f, -0x1.5f8fp-13f, -0x1.4cdfp-13f, -0x1.3b3ep-13f, -0x1.2b46p-13f, -0x1.1c92p-13f, -0x1.0f0bp-13f, -0x1.025ep-13f, -0x1.ebddp-14f, -0x1.d647p-14f, -0x1.c2d1p-14f, -0x1.af93p-14f, -0x1.9b9dp-14f, -0x1.885p-14f, 0, 0, 0, 0, 0, 0, 0, -0x1.827ap-12f, -0x1.6c3dp-12f, -0x1.50bcp-12f, -0x1.3819p-12f, -0x1.2233p-12f, -0x1.0e91p-12f, -0x1.f93ap-13f, -0x1.d89bp-13f}};

#if defined(__clang__)
#define OPGEN_FOUR _Pragma("clang loop unroll(full)") for (int i = 0; i < 4; i++)
#define OPGEN_POWERS _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define OPGEN_FOUR _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
#define OPGEN_POWERS _Pragma("GCC unroll 4")
#endif

/* Of v, which is from `least` to `most` or NaN. Adding 1.5 * 2^23 leaves the interval's number in the low bits. */
OPGEN_V4 static inline void opgen_in_intervals(__m512 *v, const OpgenIntervals *of, int powers) {
    const __m512 round = opgen_all(0x1.8p23f), scale = opgen_all(of->scale);
    __m512 z[4], p[4];
    OPGEN_FOUR z[i] = _mm512_fmadd_ps(v[i], scale, round);
    OPGEN_FOUR v[i] = _mm512_fmsub_ps(v[i], scale, _mm512_sub_ps(z[i], round));
    OPGEN_FOUR p[i] = opgen_look(of->row[powers], _mm512_castps_si512(z[i]));
    OPGEN_POWERS
    for (int k = powers - 1; k >= 0; k--)
        OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], v[i], opgen_look(of->row[k], _mm512_castps_si512(z[i])));
    OPGEN_FOUR v[i] = p[i];
}

/* Of what is not a number and something else vminps and vmaxps give the second. */
OPGEN_V4 static inline void opgen_between(__m512 *v, const OpgenIntervals *of) {
    OPGEN_FOUR v[i] = _mm512_min_ps(opgen_all(of->most), _mm512_max_ps(opgen_all(of->least), v[i]));
}
OPGEN_V4 static inline void opgen_sizes(__m512 *v, const __m512 *x, const OpgenIntervals *of) {
    OPGEN_FOUR v[i] = _mm512_min_ps(opgen_all(of->most), _mm512_abs_ps(x[i]));
}

/* f(x), x * f(x), and f(|x|) with the sign of x. */
OPGEN_V4 static inline void opgen_plain_v4(float *to, const float *x, float times, const OpgenIntervals *of) {
    __m512 v[4];
    opgen_take_times(v, x, times);
    opgen_between(v, of);
    opgen_in_intervals(v, of, 4);
    opgen_give(to, v);
}
OPGEN_V4 static inline void opgen_product_v4(float *to, const float *x, float times, const OpgenIntervals *of) {
    __m512 v[4], u[4];
    opgen_take_times(v, x, times);
    OPGEN_FOUR u[i] = v[i];
    opgen_between(v, of);
    opgen_in_intervals(v, of, 4);
    OPGEN_FOUR v[i] = _mm512_mul_ps(v[i], u[i]);
    opgen_give(to, v);
}
OPGEN_V4 static inline void opgen_odd_v4(float *to, const float *x, float times, const OpgenIntervals *of) {
    __m512 v[4], u[4];
    opgen_take_times(u, x, times);
    opgen_sizes(v, u, of);
    opgen_in_intervals(v, of, 3);
    OPGEN_FOUR v[i] = opgen_signed(v[i], u[i]);
    opgen_give(to, v);
}
OPGEN_V4 static inline void opgen_even_v4(float *to, const float *x, float times, const OpgenIntervals *of) {
    __m512 v[4], u[4];
    opgen_take_times(u, x, times);
    opgen_sizes(v, u, of);
    opgen_in_intervals(v, of, 3);
    opgen_give(to, v);
}

/* max(x, 0) + log(1 + exp(-|x|)), and what -x has of that, negative. */
OPGEN_V4 static inline void opgen_softplus_v4(float *to, const float *x, float times, bool negative) {
    __m512 v[4], u[4];
    opgen_take_times(u, x, times);
    opgen_sizes(v, u, &opgen_log1p_exp_intervals);
    opgen_in_intervals(v, &opgen_log1p_exp_intervals, 3);
    if (negative)
        OPGEN_FOUR v[i] = _mm512_sub_ps(_mm512_min_ps(_mm512_setzero_ps(), u[i]), v[i]);
    else
        OPGEN_FOUR v[i] = _mm512_add_ps(_mm512_max_ps(_mm512_setzero_ps(), u[i]), v[i]);
    opgen_give(to, v);
}

/* See opgen_log_parts; half of 1/32 at the most from the middle, the square does. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
OPGEN_V4 static inline void opgen_log_v4(float *to, const float *x, float times, const float (*row)[32], float of_2) {
    const __m512 round = opgen_all(0x1.8p23f);
    __m512 v[4], m[4], z[4], p[4];
    opgen_take_times(v, x, times);
    OPGEN_FOUR m[i] = _mm512_getmant_ps(v[i], _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    OPGEN_FOUR v[i] = _mm512_getexp_ps(v[i]);
    OPGEN_FOUR v[i] = _mm512_mask_add_ps(v[i], _mm512_cmp_ps_mask(m[i], opgen_all(1), _CMP_LT_OQ), v[i], opgen_all(1));
    OPGEN_FOUR z[i] = _mm512_fmadd_ps(m[i], opgen_all(32), round);
    OPGEN_FOUR m[i] = _mm512_fmsub_ps(m[i], opgen_all(32), _mm512_sub_ps(z[i], round));
    OPGEN_FOUR p[i] = opgen_look(row[2], _mm512_castps_si512(z[i]));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], m[i], opgen_look(row[1], _mm512_castps_si512(z[i])));
    OPGEN_FOUR p[i] = _mm512_fmadd_ps(p[i], m[i], opgen_look(row[0], _mm512_castps_si512(z[i])));
    OPGEN_FOUR v[i] = _mm512_fmadd_ps(v[i], opgen_all(of_2), p[i]);
    opgen_give(to, v);
}
#pragma GCC diagnostic pop

/* By an estimate of 14 bits and one step of Newton's. The square root of 0 and of infinity is what it is of. */
OPGEN_V4 static inline void opgen_sqrt_v4(float *to, const float *x, float times) {
    __m512 v[4], r[4], s[4], e[4];
    opgen_take_times(v, x, times);
    OPGEN_FOUR r[i] = _mm512_rsqrt14_ps(v[i]);
    OPGEN_FOUR s[i] = _mm512_mul_ps(v[i], r[i]);
    OPGEN_FOUR r[i] = _mm512_mul_ps(opgen_all(0.5f), r[i]);
    OPGEN_FOUR e[i] = _mm512_fnmadd_ps(s[i], s[i], v[i]);
    OPGEN_FOUR s[i] = _mm512_fmadd_ps(e[i], r[i], s[i]);
    /* 0x0e: 0, -0, infinity */
    OPGEN_FOUR v[i] = _mm512_mask_mov_ps(s[i], _mm512_fpclass_ps_mask(v[i], 0x0e), v[i]);
    opgen_give(to, v);
}

/* See opgen_sqrt_v4. */
OPGEN_V4 static inline void opgen_rsqrt_v4(float *to, const float *x, float times) {
    __m512 v[4], r[4], e[4], half[4];
    opgen_take_times(v, x, times);
    OPGEN_FOUR r[i] = _mm512_rsqrt14_ps(v[i]);
    OPGEN_FOUR half[i] = _mm512_mul_ps(opgen_all(0.5f), r[i]);
    OPGEN_FOUR e[i] = _mm512_fnmadd_ps(_mm512_mul_ps(v[i], r[i]), r[i], opgen_all(1));
    OPGEN_FOUR e[i] = _mm512_fmadd_ps(e[i], half[i], r[i]);
    OPGEN_FOUR v[i] = _mm512_mask_mov_ps(e[i], _mm512_fpclass_ps_mask(v[i], 0x0e), r[i]);
    opgen_give(to, v);
}

#undef OPGEN_FOUR
#undef OPGEN_POWERS
#endif

/* The function that chooses, as in opgen_half.h. */
#if defined(OPGEN_X86)
#define OPGEN_INTERVALS_X86(name, call)                                                                                \
    if (level == 4) {                                                                                                  \
        call;                                                                                                          \
        return;                                                                                                        \
    }                                                                                                                  \
    if (level == 3) {                                                                                                  \
        opgen_##name##_half_v3(to, x, times, tiny);                                                                    \
        return;                                                                                                        \
    }
#else
#define OPGEN_INTERVALS_X86(name, call)
#endif
#define OPGEN_BY_INTERVALS(name, call, other)                                                                          \
    OPGEN_INLINE void opgen_##name##_half(float *to, const float *x, float times, bool tiny, int level) {              \
        (void)tiny, (void)level;                                                                                       \
        OPGEN_INTERVALS_X86(name, call)                                                                                       \
        OPGEN_SIMD                                                                                                     \
        for (int i = 0; i < 64; i++) {                                                                                 \
            const float y = x[i] * times;                                                                              \
            to[i] = other;                                                                                             \
        }                                                                                                              \
    }
OPGEN_BY_INTERVALS(tanh, opgen_odd_v4(to, x, times, &opgen_tanh_intervals), opgen_tanh_f32(y))
OPGEN_BY_INTERVALS(erf, opgen_odd_v4(to, x, times, &opgen_erf_intervals), opgen_erf_f32(y))
OPGEN_BY_INTERVALS(erfc_f16, opgen_plain_v4(to, x, times, &opgen_erfc_intervals), opgen_erfc_f32(y))
OPGEN_BY_INTERVALS(gelu, opgen_product_v4(to, x, times, &opgen_normal_intervals),
                   0.5f * y * (1 + opgen_erf_f32(y * 0.70710677f)))
OPGEN_BY_INTERVALS(gelu_tanh, opgen_product_v4(to, x, times, &opgen_normal_by_tanh_intervals),
                   y / (1 + opgen_exp_f32(-2 * (0.7978846f * (y + 0.044715f * y * y * y)))))
OPGEN_BY_INTERVALS(mish_f16, opgen_product_v4(to, x, times, &opgen_tanh_log1p_exp_intervals),
                   y * opgen_tanh_log1p_exp_f32(y))
OPGEN_BY_INTERVALS(softplus_f16, opgen_softplus_v4(to, x, times, false), opgen_log1p_exp_f32(y))
OPGEN_BY_INTERVALS(logsigmoid_f16, opgen_softplus_v4(to, x, times, true), -opgen_log1p_exp_f32(-y))
OPGEN_BY_INTERVALS(sinh_f16, opgen_odd_v4(to, x, times, &opgen_sinh_intervals), opgen_sinh_f32(y))
OPGEN_BY_INTERVALS(cosh_f16, opgen_even_v4(to, x, times, &opgen_cosh_intervals), opgen_cosh_f32(y))
OPGEN_BY_INTERVALS(log, opgen_log_v4(to, x, times, opgen_log_intervals, 0x1.62e43p-1f), opgen_log_f32(y))
OPGEN_BY_INTERVALS(log2, opgen_log_v4(to, x, times, opgen_log2_intervals, 1), opgen_log2_f32(y))
OPGEN_BY_INTERVALS(log10, opgen_log_v4(to, x, times, opgen_log10_intervals, 0x1.344136p-2f), opgen_log10_f32(y))
OPGEN_BY_INTERVALS(sqrt, opgen_sqrt_v4(to, x, times), sqrtf(y))
OPGEN_BY_INTERVALS(rsqrt, opgen_rsqrt_v4(to, x, times), 1 / sqrtf(y))
#undef OPGEN_BY_INTERVALS
#undef OPGEN_INTERVALS_X86

#endif

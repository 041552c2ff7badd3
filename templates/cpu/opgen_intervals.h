/* opgen_intervals.h: functions of 64 floats at once whose results go into 16 bits, as those of opgen_half.h are, of a short
 * polynomial for each of 32 intervals: where one function is made of several others, that is less to compute than they are.
 * They are off by 2^-14 of the result at most, gelu by 2^-13.8, most of them by less than 2^-15, where f16 is rounded by 2^-12.
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
/* How many intervals there are in 1, the middles of the first and of the last one, and of each, numbered modulo 32, coefficients,
 * lowest power first. The two at the ends are constant, but where the function ends before them; those of what is a function of
 * |x| begin at 0. */
typedef struct {
    float scale, least, most;
    float row[5][32];
} OpgenIntervals;

static const OpgenIntervals opgen_normal_intervals = {0x1.554p+2f, 0, 0x1.741742p+2f, {{0x1.ae89fep-1f, 0x1.ae8ecep-1f, 0x1.aec412p-1f, 0x1.af7bap-1f, 0x1.b11df6p-1f, 0x1.b41804p-1f, 0x1.b8c798p-1f, 0x1.bf690ep-1f, 0x1.c808a2p-1f, 0x1.d27922p-1f, 0x1.de512cp-1f, 0x1.eaef24p-1f, 0x1.f7836ap-1f, 0x1.018fccp+0f, 0x1.06648cp+0f, 0x1.09c682p+0f, 0x1.0b49ccp+0f, 0x1.0a9766p+0f, 0x1.07759p+0f, 0x1.01c99p+0f, 0x1.f3336ap-1f, 0x1.de1798p-1f, 0x1.c4e3cep-1f, 0x1.a8e9eep-1f, 0x1.8971fp-1f, 0x1.68198p-1f, 0x1.45c338p-1f, 0x1.23495ap-1f, 0x1.017336p-1f, 0x1.c1da66p-2f, 0x1.848702p-2f, 0}, {-0x1.5792aap-3f, -0x1.58dd0ap-3f, -0x1.5ea264p-3f, -0x1.6abebcp-3f, -0x1.7e8ec2p-3f, -0x1.9ab12cp-3f, -0x1.bef8d6p-3f, -0x1.ea71e2p-3f, -0x1.0dbc0ep-2f, -0x1.27ed92p-2f, -0x1.42868ap-2f, -0x1.5c2b16p-2f, -0x1.73849cp-2f, -0x1.875a26p-2f, -0x1.96a4eep-2f, -0x1.a09fcep-2f, -0x1.a4d112p-2f, -0x1.a30b2cp-2f, -0x1.9b6f9ap-2f, -0x1.8e6204p-2f, -0x1.7c7f06p-2f, -0x1.668ddep-2f, -0x1.4d914cp-2f, -0x1.3309d8p-2f, -0x1.16727cp-2f, -0x1.f2c502p-3f, -0x1.b94262p-3f, -0x1.81b128p-3f, -0x1.4d22ep-3f, -0x1.1c63f2p-3f, -0x1.dffaa8p-4f, 0}, {-0x1.95543cp-5f, -0x1.7eeabcp-5f, -0x1.568ea2p-5f, -0x1.2340fap-5f, -0x1.ce33ap-6f, -0x1.491d2p-6f, -0x1.79244p-7f, -0x1.6feddcp-9f, 0x1.75a7p-8f, 0x1.c1c95ep-7f, 0x1.586116p-6f, 0x1.c0a174p-6f, 0x1.0baa04p-5f, 0x1.2d8d62p-5f, 0x1.45c1fp-5f, 0x1.547b24p-5f, 0x1.5a4a52p-5f, 0x1.5809p-5f, 0x1.4ecba6p-5f, 0x1.3fc652p-5f, 0x1.2c3cp-5f, 0x1.156cccp-5f, 0x1.f94d64p-6f, 0x1.c6fc8ap-6f, 0x1.9307dep-6f, 0x1.605eb4p-6f, 0x1.303506p-6f, 0x1.036cd2p-6f, 0x1.b5378p-7f, 0x1.6c27cp-7f, 0x1.2bdc1ep-7f, 0}}};
static const OpgenIntervals opgen_normal_by_tanh_intervals = {0x1.698p+2f, 0, 0x1.5f3f62p+2f, {{0x1.ae89fep-1f, 0x1.ae8e12p-1f, 0x1.aebaa8p-1f, 0x1.af52cep-1f, 0x1.b0aaa4p-1f, 0x1.b317aap-1f, 0x1.b6e0dcp-1f, 0x1.bc322p-1f, 0x1.c315bcp-1f, 0x1.cb749p-1f, 0x1.d51b5cp-1f, 0x1.dfc1ep-1f, 0x1.eb106p-1f, 0x1.f6a154p-1f, 0x1.00ff7cp+0f, 0x1.064f2p+0f, 0x1.0aed2p+0f, 0x1.0e7986p+0f, 0x1.108982p+0f, 0x1.10adb6p+0f, 0x1.0e7bccp+0f, 0x1.099a9ep+0f, 0x1.01cddap+0f, 0x1.eebabep-1f, 0x1.d3c006p-1f, 0x1.b35c1ep-1f, 0x1.8e9c7ap-1f, 0x1.66ad2ap-1f, 0x1.3ce6eap-1f, 0x1.12b45ap-1f, 0x1.d2e8a8p-2f, 0}, {-0x1.579254p-3f, -0x1.58ba8ap-3f, -0x1.5dd958p-3f, -0x1.687c9cp-3f, -0x1.79bddp-3f, -0x1.9208d8p-3f, -0x1.b11768p-3f, -0x1.d60704p-3f, -0x1.ff84ccp-3f, -0x1.1601c2p-2f, -0x1.2cf6bp-2f, -0x1.43e304p-2f, -0x1.5a1bc6p-2f, -0x1.6f0628p-2f, -0x1.820ea6p-2f, -0x1.929f2ap-2f, -0x1.a018fep-2f, -0x1.a9d544p-2f, -0x1.af2db2p-2f, -0x1.af8bc6p-2f, -0x1.aa7bbp-2f, -0x1.9fc074p-2f, -0x1.8f6214p-2f, -0x1.7a6d36p-2f, -0x1.6078aap-2f, -0x1.4292a4p-2f, -0x1.21f9dcp-2f, -0x1.ffc502p-3f, -0x1.bb07f6p-3f, -0x1.780668p-3f, -0x1.38bcb6p-3f, 0}, {-0x1.955788p-5f, -0x1.80241cp-5f, -0x1.5a2eaep-5f, -0x1.2a6dc4p-5f, -0x1.e5d6e2p-6f, -0x1.6c1434p-6f, -0x1.d93796p-7f, -0x1.b10e4ap-8f, 0x1.0ba4f8p-10f, 0x1.0e0bfcp-7f, 0x1.e8832ep-7f, 0x1.56f352p-6f, 0x1.ae4fcep-6f, 0x1.f9f758p-6f, 0x1.1cdc14p-5f, 0x1.36b17cp-5f, 0x1.4a5c4ep-5f, 0x1.57b77p-5f, 0x1.5ea4ep-5f, 0x1.5f1eaep-5f, 0x1.5947ep-5f, 0x1.4d7ad6p-5f, 0x1.3c4dbap-5f, 0x1.2744aep-5f, 0x1.0e4c1ep-5f, 0x1.e56552p-6f, 0x1.ab90d6p-6f, 0x1.715bccp-6f, 0x1.38cdb4p-6f, 0x1.039a26p-6f, 0x1.a61a48p-7f, 0}}};
static const OpgenIntervals opgen_erfc_intervals = {0x1.18ap+2f, -0x1.7b7eeap+1f, 0x1.06ba54p+2f, {{0x1.fffff2p-1f, 0x1.fffb8cp-1f, 0x1.ffbb66p-1f, 0x1.ff1a78p-1f, 0x1.fee396p-1f, 0x1.00b26ap+0f, 0x1.051a06p+0f, 0x1.0e888ap+0f, 0x1.1e21fp+0f, 0x1.338fe8p+0f, 0x1.4ca8ecp+0f, 0x1.65aa1cp+0f, 0x1.79f2dp+0f, 0x1.84f0bp+0f, 0x1.848306p+0f, 0x1.76a86ap+0f, 0x1.5c1672p+0f, 0x1.374c7ap+0f, 0, 0x1.306fep+0f, 0x1.2d86acp+0f, 0x1.2a07bp+0f, 0x1.2416d8p+0f, 0x1.1ba0c2p+0f, 0x1.11bc0cp+0f, 0x1.08875ap+0f, 0x1.021392p+0f, 0x1.fe3442p-1f, 0x1.fd6976p-1f, 0x1.fea158p-1f, 0x1.ffa84p-1f, 0x1.fffb0ap-1f}, {-0x1.20dd6ep-2f, -0x1.202792p-2f, -0x1.1bd696p-2f, -0x1.152394p-2f, -0x1.134846p-2f, -0x1.21909cp-2f, -0x1.4b4c08p-2f, -0x1.974616p-2f, -0x1.023886p-1f, -0x1.447c18p-1f, -0x1.8a0096p-1f, -0x1.c8bc28p-1f, -0x1.f74548p-1f, -0x1.074a4ep+0f, -0x1.06f2eep+0f, -0x1.f4d0c4p-1f, -0x1.c7ad7ap-1f, -0x1.8ce772p-1f, 0, 0, -0x1.7a1df4p-7f, -0x1.be6b0ep-6f, -0x1.ce8c2ep-5f, -0x1.a37c7p-4f, -0x1.4c8f68p-3f, -0x1.cdd098p-3f, -0x1.1afcd4p-2f, -0x1.372122p-2f, -0x1.3b6a56p-2f, -0x1.32079p-2f, -0x1.27301p-2f, -0x1.21a75ap-2f}, {-0x1.e7e77cp-4f, -0x1.fdafb8p-4f, -0x1.1815aep-3f, -0x1.3009a8p-3f, -0x1.355264p-3f, -0x1.1a2324p-3f, -0x1.b04f8p-4f, -0x1.c8361cp-5f, 0x1.abe366p-8f, 0x1.2c194ap-4f, 0x1.167a66p-3f, 0x1.7f7104p-3f, 0x1.c6a348p-3f, 0x1.e7996ap-3f, 0x1.e6e94p-3f, 0x1.c8a1b2p-3f, 0x1.958098p-3f, 0x1.56e53ap-3f, 0, 0, -0x1.00d49p-8f, -0x1.45d27ap-7f, -0x1.6bdd6ep-6f, -0x1.6473bcp-5f, -0x1.315a5ep-4f, -0x1.c8b266p-4f, -0x1.2a7a2ep-3f, -0x1.56e86p-3f, -0x1.5e99d4p-3f, -0x1.466dbcp-3f, -0x1.20058p-3f, -0x1.ffc448p-4f}, {0x1.f9564ap-7f, 0x1.00c9b2p-5f, 0x1.6506e2p-5f, 0x1.9e7aa6p-5f, 0x1.a864b2p-5f, 0x1.85d8ep-5f, 0x1.40352ep-5f, 0x1.c94a26p-6f, 0x1.02d50ep-6f, 0x1.1b1fbp-8f, -0x1.5dddcep-8f, -0x1.992f18p-7f, -0x1.153b12p-6f, -0x1.344f36p-6f, -0x1.33e2eap-6f, -0x1.1b835ep-6f, -0x1.e9caaep-7f, -0x1.90db94p-7f, 0, 0, -0x1.d2e30ap-12f, -0x1.3eacacp-10f, -0x1.80627cp-9f, -0x1.980d6cp-8f, -0x1.7b9366p-7f, -0x1.34034p-6f, -0x1.b20b22p-6f, -0x1.07d826p-5f, -0x1.10fff4p-5f, -0x1.cec5eep-6f, -0x1.182cbcp-6f, -0x1.ab1722p-10f}}};
static const OpgenIntervals opgen_tanh_intervals = {0x1.5fcp+2f, 0, 0x1.68fbdp+2f, {{0x1.00000ap+0f, 0x1.00172ap+0f, 0x1.01717ep+0f, 0x1.061174p+0f, 0x1.0eb422p+0f, 0x1.19fa9cp+0f, 0x1.254ea6p+0f, 0x1.2e4266p+0f, 0x1.335f84p+0f, 0x1.343ef2p+0f, 0x1.313b58p+0f, 0x1.2b13ccp+0f, 0x1.22a15ep+0f, 0x1.18ad86p+0f, 0x1.0ddf2ap+0f, 0x1.02b67cp+0f, 0x1.ef2084p-1f, 0x1.d958p-1f, 0x1.c4651p-1f, 0x1.b077c4p-1f, 0x1.9da824p-1f, 0x1.8bfdb8p-1f, 0x1.7b7504p-1f, 0x1.6c0396p-1f, 0x1.5d9ae4p-1f, 0x1.502a3cp-1f, 0x1.43a01cp-1f, 0x1.37eb0ep-1f, 0x1.2cfa3ap-1f, 0x1.22bdbp-1f, 0x1.192694p-1f, 0x1.1252b4p-1f}, {-0x1.90180cp-14f, -0x1.8b74aap-8f, -0x1.64516p-5f, -0x1.f55b98p-4f, -0x1.d3d106p-3f, -0x1.587fap-2f, -0x1.b38f7cp-2f, -0x1.f08cb4p-2f, -0x1.076c38p-1f, -0x1.09c86ap-1f, -0x1.02de16p-1f, -0x1.ec063ep-2f, -0x1.cbc0c6p-2f, -0x1.a8bf9cp-2f, -0x1.858bb8p-2f, -0x1.63b1fep-2f, -0x1.440da4p-2f, -0x1.2703d6p-2f, -0x1.0caf34p-2f, -0x1.e9fc12p-3f, -0x1.bf8c6ep-3f, -0x1.99a418p-3f, -0x1.77d016p-3f, -0x1.599f24p-3f, -0x1.3ea6c8p-3f, -0x1.2685b2p-3f, -0x1.10e49ep-3f, -0x1.faec7ep-4f, -0x1.d7ed62p-4f, -0x1.b8554p-4f, -0x1.9bbcb2p-4f, -0x1.87fceep-4f}, {-0x1.5345e8p-2f, -0x1.39e8b2p-2f, -0x1.eac588p-3f, -0x1.39c03cp-3f, -0x1.1db0f2p-4f, -0x1.c7f4fp-9f, 0x1.51bd5p-5f, 0x1.10cac2p-4f, 0x1.3daccep-4f, 0x1.440c12p-4f, 0x1.342db4p-4f, 0x1.195262p-4f, 0x1.f4fd0ep-5f, 0x1.b76c14p-5f, 0x1.7e1388p-5f, 0x1.4aba88p-5f, 0x1.1dd312p-5f, 0x1.ee394cp-6f, 0x1.ac07acp-6f, 0x1.73b07cp-6f, 0x1.43d21ap-6f, 0x1.1b25aep-6f, 0x1.f11468p-7f, 0x1.b60dbap-7f, 0x1.8391eep-7f, 0x1.583fbp-7f, 0x1.32f098p-7f, 0x1.12b02p-7f, 0x1.ed66f4p-8f, 0x1.bca4ep-8f, 0x1.92028ap-8f, 0x1.757288p-8f}}};
static const OpgenIntervals opgen_tanhshrink_intervals = {0x1.7ecp+2f, 0, 0x1.4bbf2p+2f, {{0x1.55556p-2f, 0x1.55705p-2f, 0x1.570c1ap-2f, 0x1.5cc1fap-2f, 0x1.68028ep-2f, 0x1.77c1c8p-2f, 0x1.890a36p-2f, 0x1.987d2p-2f, 0x1.a38a72p-2f, 0x1.a8e7b4p-2f, 0x1.a86e38p-2f, 0x1.a2bab2p-2f, 0x1.98c9bp-2f, 0x1.8baf18p-2f, 0x1.7c6b8ap-2f, 0x1.6bd852p-2f, 0x1.5aa208p-2f, 0x1.494b24p-2f, 0x1.383204p-2f, 0x1.2797dep-2f, 0x1.17a74cp-2f, 0x1.0879f4p-2f, 0x1.f43a1ap-3f, 0x1.d929e8p-3f, 0x1.bfbfcap-3f, 0x1.a7eff8p-3f, 0x1.91a968p-3f, 0x1.7cd7fp-3f, 0x1.6965cep-3f, 0x1.573cb2p-3f, 0x1.464676p-3f, 0}, {-0x1.eaa98cp-16f, -0x1.f4c55cp-10f, -0x1.cb1416p-7f, -0x1.4b9108p-5f, -0x1.3f7f58p-4f, -0x1.e75198p-4f, -0x1.3f215p-3f, -0x1.784832p-3f, -0x1.9bc64ep-3f, -0x1.ab0bdp-3f, -0x1.a9f78ep-3f, -0x1.9d0c5cp-3f, -0x1.88684p-3f, -0x1.6f590cp-3f, -0x1.544e4cp-3f, -0x1.38f57p-3f, -0x1.1e638cp-3f, -0x1.053e18p-3f, -0x1.dbb962p-4f, -0x1.b0c5eap-4f, -0x1.89a678p-4f, -0x1.663764p-4f, -0x1.463e4cp-4f, -0x1.2975bap-4f, -0x1.0f949cp-4f, -0x1.f0a574p-5f, -0x1.c6d6e2p-5f, -0x1.a13e2p-5f, -0x1.7f66e4p-5f, -0x1.60e83cp-5f, -0x1.45642p-5f, 0}, {-0x1.0fac8ep-3f, -0x1.fc64d4p-4f, -0x1.9c35p-4f, -0x1.1b30fap-4f, -0x1.2f76ep-5f, -0x1.3eb186p-7f, 0x1.54df0cp-7f, 0x1.7df632p-6f, 0x1.effacep-6f, 0x1.0dbb42p-5f, 0x1.0c84b6p-5f, 0x1.fbc25ap-6f, 0x1.d0e57cp-6f, 0x1.a0f7aep-6f, 0x1.710dbap-6f, 0x1.43edeep-6f, 0x1.1ae91ap-6f, 0x1.ece11ap-7f, 0x1.aceeccp-7f, 0x1.755edep-7f, 0x1.455b22p-7f, 0x1.1bfd88p-7f, 0x1.f0cd8ep-8f, 0x1.b3930cp-8f, 0x1.7eddf4p-8f, 0x1.516f0ep-8f, 0x1.2a3372p-8f, 0x1.084046p-8f, 0x1.d59bep-9f, 0x1.a266d4p-9f, 0x1.75c362p-9f, 0}}};
static const OpgenIntervals opgen_erf_intervals = {0x1.456p+3f, 0, 0x1.863ebep+1f, {{0x1.20dd76p+0f, 0x1.20df34p+0f, 0x1.20fc72p+0f, 0x1.2177aep+0f, 0x1.22aecep+0f, 0x1.250596p+0f, 0x1.28ce2ep+0f, 0x1.2e3484p+0f, 0x1.3530bp+0f, 0x1.3d8298p+0f, 0x1.46b756p+0f, 0x1.5036e6p+0f, 0x1.595718p+0f, 0x1.617036p+0f, 0x1.67efep+0f, 0x1.6c675ep+0f, 0x1.6e93d6p+0f, 0x1.6e5fep+0f, 0x1.6be006p+0f, 0x1.674abp+0f, 0x1.60edcap+0f, 0x1.59244p+0f, 0x1.504c4cp+0f, 0x1.46bfa2p+0f, 0x1.3cce06p+0f, 0x1.32ba3ap+0f, 0x1.28b8e6p+0f, 0x1.1ef116p+0f, 0x1.157dbap+0f, 0x1.0c6faap+0f, 0x1.03cfdp+0f, 0x1.fb38aep-1f}, {-0x1.0c82fep-16f, -0x1.b7a0cp-11f, -0x1.b3cb82p-8f, -0x1.64130ep-6f, -0x1.928ccap-5f, -0x1.71d7dep-4f, -0x1.28a74cp-3f, -0x1.afb5ccp-3f, -0x1.239bfcp-2f, -0x1.7342ep-2f, -0x1.c2258ep-2f, -0x1.05e76cp-1f, -0x1.263916p-1f, -0x1.409e18p-1f, -0x1.543d66p-1f, -0x1.60ceeap-1f, -0x1.668bb4p-1f, -0x1.6612a6p-1f, -0x1.6048f6p-1f, -0x1.56394cp-1f, -0x1.48f66cp-1f, -0x1.3984cp-1f, -0x1.28caa8p-1f, -0x1.1787a2p-1f, -0x1.065186p-1f, -0x1.eb2c6ep-2f, -0x1.cb4058p-2f, -0x1.ad3902p-2f, -0x1.9142fap-2f, -0x1.77693cp-2f, -0x1.5f9fcap-2f, -0x1.4f085cp-2f}, {-0x1.808f86p-2f, -0x1.7a2544p-2f, -0x1.669fe2p-2f, -0x1.478e2cp-2f, -0x1.1efc6ap-2f, -0x1.def76p-3f, -0x1.77c93cp-3f, -0x1.0e2c32p-3f, -0x1.4ee0b4p-4f, -0x1.205e7ap-5f, 0x1.8d81bap-8f, 0x1.4f5eeap-5f, 0x1.1a293cp-4f, 0x1.70338p-4f, 0x1.ab749ep-4f, 0x1.ced2bep-4f, 0x1.ddf7cap-4f, 0x1.dcdeb2p-4f, 0x1.cf7768p-4f, 0x1.b96114p-4f, 0x1.9dbd42p-4f, 0x1.7f1bc8p-4f, 0x1.5f782cp-4f, 0x1.4043fp-4f, 0x1.227944p-4f, 0x1.06b152p-4f, 0x1.da7572p-5f, 0x1.ac5c12p-5f, 0x1.82febep-5f, 0x1.5e1824p-5f, 0x1.3d4a56p-5f, 0x1.27181ap-5f}}};
static const OpgenIntervals opgen_log1p_exp_intervals = {0x1.c28p+0f, 0, 0x1.19db1p+4f, {{0x1.aa449ap-1f, 0x1.aa540ap-1f, 0x1.ab8f7p-1f, 0x1.af9de4p-1f, 0x1.b4df6ap-1f, 0x1.b6db82p-1f, 0x1.b1e578p-1f, 0x1.a4db9ep-1f, 0x1.909dfcp-1f, 0x1.76f88p-1f, 0x1.59dbc4p-1f, 0x1.3afe0cp-1f, 0x1.1bbd62p-1f, 0x1.fa406cp-2f, 0x1.bfc1dcp-2f, 0x1.88f7ap-2f, 0x1.5677fep-2f, 0x1.28dcdcp-2f, 0x1.fff4fep-3f, 0x1.b65e44p-3f, 0x1.75792p-3f, 0x1.3cb3c6p-3f, 0x1.0b6562p-3f, 0x1.c1b476p-4f, 0x1.78b984p-4f, 0x1.3a783p-4f, 0x1.05a11p-4f, 0x1.b1f96p-5f, 0x1.66dd74p-5f, 0x1.27ee76p-5f, 0x1.e6ca1p-6f, 0x1p-15f}, {-0x1.337e08p-2f, -0x1.346fbap-2f, -0x1.3cc904p-2f, -0x1.4de9fcp-2f, -0x1.5e00fap-2f, -0x1.62ed08p-2f, -0x1.599802p-2f, -0x1.4485fcp-2f, -0x1.2813f8p-2f, -0x1.083c38p-2f, -0x1.cfc076p-3f, -0x1.91a72p-3f, -0x1.583c96p-3f, -0x1.247d84p-3f, -0x1.ed6e1ep-4f, -0x1.9d975ap-4f, -0x1.58c0e4p-4f, -0x1.1e57b6p-4f, -0x1.d9e46ap-5f, -0x1.85c49ap-5f, -0x1.3f6416p-5f, -0x1.04d4c4p-5f, -0x1.a8adc4p-6f, -0x1.58b86ep-6f, -0x1.170f86p-6f, -0x1.c2ad58p-7f, -0x1.6b0fc8p-7f, -0x1.23d5f6p-7f, -0x1.d432a2p-8f, -0x1.76d74p-8f, -0x1.2b8dp-8f, 0}, {0x1.582abp-6f, 0x1.8038cep-6f, 0x1.0ccfdp-5f, 0x1.6de294p-5f, 0x1.afc4aep-5f, 0x1.c00814p-5f, 0x1.a89ac6p-5f, 0x1.7b295ap-5f, 0x1.45d254p-5f, 0x1.111394p-5f, 0x1.c23154p-6f, 0x1.6edeecp-6f, 0x1.2886dap-6f, 0x1.dc66a6p-7f, 0x1.7cdac8p-7f, 0x1.2f478cp-7f, 0x1.e16bep-8f, 0x1.7da896p-8f, 0x1.2e12c6p-8f, 0x1.dbe832p-9f, 0x1.76221ap-9f, 0x1.2595c6p-9f, 0x1.cbfbc8p-10f, 0x1.67ca58p-10f, 0x1.190508p-10f, 0x1.b6686ep-11f, 0x1.558cf4p-11f, 0x1.09c944p-11f, 0x1.9d363cp-12f, 0x1.40e1cep-12f, 0x1.f1e4dcp-13f, 0}, {0x1.cf84dep-8f, 0x1.3b6bfap-8f, 0x1.316d4cp-10f, -0x1.b0dc2cp-10f, -0x1.8cd404p-9f, -0x1.b0a04ep-9f, -0x1.8961d2p-9f, -0x1.47fb24p-9f, -0x1.054052p-9f, -0x1.95f1e2p-10f, -0x1.370bc4p-10f, -0x1.d8f8d8p-11f, -0x1.66069ap-11f, -0x1.0e586ep-11f, -0x1.97b488p-12f, -0x1.332f4ap-12f, -0x1.ceb026p-13f, -0x1.5d13eep-13f, -0x1.07958ap-13f, -0x1.8cd384p-14f, -0x1.2ab282p-14f, -0x1.c1a80ap-15f, -0x1.527306p-15f, -0x1.fd7ca2p-16f, -0x1.7f7a5p-16f, -0x1.20a20ep-16f, -0x1.b27ddcp-17f, -0x1.470774p-17f, -0x1.ec4a48p-18f, -0x1.728836p-18f, -0x1.16e366p-18f, 0}}};
static const OpgenIntervals opgen_sinh_intervals = {0x1.4b4p+1f, 0, 0x1.7f52e2p+3f, {{0x1.fffffep-1f, 0x1.fffc52p-1f, 0x1.ffc4b8p-1f, 0x1.ff0458p-1f, 0x1.fda044p-1f, 0x1.fbf7eep-1f, 0x1.fae3fp-1f, 0x1.fb8faap-1f, 0x1.ff5038p-1f, 0x1.03c928p+0f, 0x1.0aec5p+0f, 0x1.15e3c2p+0f, 0x1.259b22p+0f, 0x1.3b210cp+0f, 0x1.57b0c4p+0f, 0x1.7cbbf6p+0f, 0x1.abf4f6p+0f, 0x1.e759a6p+0f, 0x1.189fbcp+1f, 0x1.463072p+1f, 0x1.7df64ap+1f, 0x1.c1cb54p+1f, 0x1.09eb12p+2f, 0x1.3b4a82p+2f, 0x1.76754ep+2f, 0x1.bd1636p+2f, 0x1.088cdp+3f, 0x1.3a5b74p+3f, 0x1.753d7ep+3f, 0x1.baaa32p+3f, 0x1.06283ap+4f, 0x1.306fep+4f}, {0x1.1d5766p-18f, 0x1.d9b3c6p-13f, 0x1.aea864p-10f, 0x1.31affep-8f, 0x1.1cd79ep-7f, 0x1.97d6aep-7f, 0x1.da0c5p-7f, 0x1.b936d2p-7f, 0x1.14c75ep-7f, -0x1.5f047ap-10f, -0x1.0e4796p-6f, -0x1.33e2d2p-5f, -0x1.0b01dep-4f, -0x1.997e54p-4f, -0x1.244c2cp-3f, -0x1.8e0782p-3f, -0x1.06104ep-2f, -0x1.508f68p-2f, -0x1.a7f4dp-2f, -0x1.06f488p-1f, -0x1.42275ap-1f, -0x1.86a44p-1f, -0x1.d5a018p-1f, -0x1.183ba8p+0f, -0x1.4c592p+0f, -0x1.88051ep+0f, -0x1.cc37a6p+0f, -0x1.0d0398p+1f, -0x1.395624p+1f, -0x1.6bc2bap+1f, -0x1.a50ddp+1f, 0}, {0x1.5501e4p-5f, 0x1.51769cp-5f, 0x1.47b19ap-5f, 0x1.3ae9c8p-5f, 0x1.2ea8f6p-5f, 0x1.25bd2p-5f, 0x1.21c442p-5f, 0x1.235588p-5f, 0x1.2a5fa2p-5f, 0x1.368928p-5f, 0x1.476a96p-5f, 0x1.5cadcep-5f, 0x1.7619f4p-5f, 0x1.93952ep-5f, 0x1.b5222p-5f, 0x1.dadc28p-5f, 0x1.027a06p-4f, 0x1.19d6a8p-4f, 0x1.33ae26p-4f, 0x1.5032a2p-4f, 0x1.6f9de6p-4f, 0x1.923186p-4f, 0x1.b836fcp-4f, 0x1.e20034p-4f, 0x1.07f3fap-3f, 0x1.21294ep-3f, 0x1.3cd776p-3f, 0x1.5b3b76p-3f, 0x1.7c987ap-3f, 0x1.a1386ap-3f, 0x1.c96c88p-3f, 0}}};
static const OpgenIntervals opgen_cosh_intervals = {0x1.4b4p+1f, 0, 0x1.7f52e2p+3f, {{0x1.000002p+0f, 0x1.00065ep+0f, 0x1.ffb316p-1f, 0x1.f9f2f4p-1f, 0x1.e7a2f2p-1f, 0x1.c35276p-1f, 0x1.85901ap-1f, 0x1.1f40e2p-1f, 0x1.d36f24p-3f, -0x1.4d61f6p-2f, -0x1.3c7818p+0f, -0x1.5a7272p+1f, -0x1.422e46p+2f, -0x1.14bbd8p+3f, -0x1.c529d4p+3f, -0x1.671148p+4f, -0x1.15a54cp+5f, -0x1.a52dcap+5f, -0x1.3a702p+6f, -0x1.cf4036p+6f, -0x1.5151dap+7f, -0x1.e647b4p+7f, -0x1.5b5cdcp+8f, -0x1.ec431cp+8f, -0x1.5a431cp+9f, -0x1.e3e6ccp+9f, -0x1.50141p+10f, -0x1.d03a7p+10f, -0x1.3efa28p+11f, -0x1.b4444ep+11f, -0x1.290754p+12f, 0x1.6a09e6p+8f}, {-0x1.42d9a4p-16f, -0x1.46e4dcp-10f, 0x1.80e62ap-10f, 0x1.224c14p-5f, 0x1.d47066p-4f, 0x1.e4889cp-3f, 0x1.a06f64p-2f, 0x1.4a38eep-1f, 0x1.fa4702p-1f, 0x1.7e6364p+0f, 0x1.1e48c4p+1f, 0x1.a939f8p+1f, 0x1.3907ep+2f, 0x1.c87f38p+2f, 0x1.4997d6p+3f, 0x1.d750f2p+3f, 0x1.4dd932p+4f, 0x1.d4ccfep+4f, 0x1.46779ep+5f, 0x1.c345eap+5f, 0x1.35bd06p+6f, 0x1.a67d8ep+6f, 0x1.1e77c8p+7f, 0x1.82678ap+7f, 0x1.03535cp+8f, 0x1.5a82ccp+8f, 0x1.cd15a6p+8f, 0x1.31981p+9f, 0x1.93a3d6p+9f, 0x1.09b18cp+10f, 0x1.5cb62cp+10f, 0}, {0x1.008098p-2f, 0x1.060436p-2f, 0x1.02a41p-2f, 0x1.bec252p-3f, 0x1.4775aap-3f, 0x1.6ec246p-4f, 0x1.36d98p-7f, -0x1.5d8102p-4f, -0x1.a177dp-3f, -0x1.6dee74p-2f, -0x1.1e71d4p-1f, -0x1.a7416ep-1f, -0x1.2dea86p+0f, -0x1.a49a4ap+0f, -0x1.1ff022p+1f, -0x1.850706p+1f, -0x1.040998p+2f, -0x1.58a3d4p+2f, -0x1.c57bd6p+2f, -0x1.28880cp+3f, -0x1.81c4bap+3f, -0x1.f392b4p+3f, -0x1.422ea6p+4f, -0x1.9e1742p+4f, -0x1.094556p+5f, -0x1.52e91ep+5f, -0x1.afe3f4p+5f, -0x1.128dfcp+6f, -0x1.5c5678p+6f, -0x1.b919b6p+6f, -0x1.16ca62p+7f, 0}, {-0x1.079d76p-8f, -0x1.953e2cp-7f, -0x1.70e44p-7f, 0x1.d45eep-12f, 0x1.e5cb3cp-7f, 0x1.d0814ep-6f, 0x1.4f48b6p-5f, 0x1.b6674p-5f, 0x1.130332p-4f, 0x1.52c75p-4f, 0x1.9de284p-4f, 0x1.f7ba0cp-4f, 0x1.320038p-3f, 0x1.7379e4p-3f, 0x1.c2cb3ap-3f, 0x1.117a1cp-2f, 0x1.4bc972p-2f, 0x1.9283c6p-2f, 0x1.e84fc2p-2f, 0x1.28321ep-1f, 0x1.675396p-1f, 0x1.b3e97ap-1f, 0x1.0868fep+0f, 0x1.40c3ep+0f, 0x1.85219cp+0f, 0x1.d81194p+0f, 0x1.1e5766p+1f, 0x1.5b5ee8p+1f, 0x1.a5684cp+1f, 0x1.ff3952p+1f, 0x1.361776p+2f, 0}}};

/* Of m from 3/4 to 3/2 in widths of 1/32, numbered modulo 32. */
static const float opgen_log_intervals[3][32] = {{0, 0x1.f82a6p-6f, 0x1.f0a33p-5f, 0x1.6f0d3p-4f, 0x1.e2708p-4f, 0x1.29553p-3f, 0x1.5ff31p-3f, 0x1.9525bp-3f, 0x1.c8ff8p-3f, 0x1.fb919p-3f, 0x1.1675dp-2f, 0x1.2e8e3p-2f, 0x1.4618cp-2f, 0x1.5d1bep-2f, 0x1.739d8p-2f, 0x1.89a34p-2f, 0x1.9f324p-2f, 0, 0, 0, 0, 0, 0, 0, -0x1.26962p-2f, -0x1.f991dp-3f, -0x1.a93eep-3f, -0x1.5bf41p-3f, -0x1.1178fp-3f, -0x1.9336p-4f, -0x1.0859ap-4f, -0x1.04164p-5f}, {0x1.0002cp-5f, 0x1.f0834p-6f, 0x1.e1e88p-6f, 0x1.d4234p-6f, 0x1.c722p-6f, 0x1.bad4cp-6f, 0x1.af2dp-6f, 0x1.a41e8p-6f, 0x1.999dcp-6f, 0x1.8f9fcp-6f, 0x1.861b8p-6f, 0x1.7d09p-6f, 0x1.746p-6f, 0x1.6c198p-6f, 0x1.642f4p-6f, 0x1.5c9a8p-6f, 0x1.5554cp-6f, 0, 0, 0, 0, 0, 0, 0, 0x1.554fcp-5f, 0x1.47b68p-5f, 0x1.3b1bp-5f, 0x1.2f6fp-5f, 0x1.24984p-5f, 0x1.1a81p-5f, 0x1.1115cp-5f, 0x1.08464p-5f}, {-0x1.0003p-11f, -0x1.e2d4p-12f, -0x1.c625p-12f, -0x1.ac53p-12f, -0x1.94d7p-12f, -0x1.7f11p-12f, -0x1.6b77p-12f, -0x1.58fap-12f, -0x1.47ecp-12f, -0x1.384cp-12f, -0x1.299ap-12f, -0x1.1bdep-12f, -0x1.0f1fp-12f, -0x1.0342p-12f, -0x1.efbbp-13f, -0x1.dbb1p-13f, -0x1.cadap-13f, 0, 0, 0, 0, 0, 0, 0, -0x1.be5ap-11f, -0x1.a339p-11f, -0x1.838cp-11f, -0x1.6759p-11f, -0x1.4e2ap-11f, -0x1.3755p-11f, -0x1.22ebp-11f, -0x1.0ffcp-11f}};
static const float opgen_log2_intervals[3][32] = {{0, 0x1.6badbp-5f, 0x1.663f9p-4f, 0x1.08c59p-3f, 0x1.5c01bp-3f, 0x1.acf5ep-3f, 0x1.fbc17p-3f, 0x1.24408p-2f, 0x1.49a78p-2f, 0x1.6e222p-2f, 0x1.91bbbp-2f, 0x1.b47ecp-2f, 0x1.d6754p-2f, 0x1.f7a85p-2f, 0x1.0c105p-1f, 0x1.1bf31p-1f, 0x1.2b803p-1f, 0, 0, 0, 0, 0, 0, 0, -0x1.a8ff9p-2f, -0x1.6cb1p-2f, -0x1.32bffp-2f, -0x1.f5fd9p-3f, -0x1.8a899p-3f, -0x1.22dafp-3f, -0x1.7d607p-4f, -0x1.7739ep-5f}, {0x1.71584p-5f, 0x1.66288p-5f, 0x1.5b9f8p-5f, 0x1.51b0cp-5f, 0x1.484fp-5f, 0x1.3f6f4p-5f, 0x1.37074p-5f, 0x1.2f0d4p-5f, 0x1.27798p-5f, 0x1.20448p-5f, 0x1.19674p-5f, 0x1.12dcp-5f, 0x1.0c9ccp-5f, 0x1.06a44p-5f, 0x1.00eecp-5f, 0x1.f6ee4p-6f, 0x1.ec65cp-6f, 0, 0, 0, 0, 0, 0, 0, 0x1.ec67p-5f, 0x1.d8cap-5f, 0x1.c69ap-5f, 0x1.b5c3p-5f, 0x1.a62p-5f, 0x1.9791p-5f, 0x1.89facp-5f, 0x1.7d448p-5f}, {-0x1.715cp-11f, -0x1.5c44p-11f, -0x1.47a7p-11f, -0x1.34f8p-11f, -0x1.242p-11f, -0x1.144dp-11f, -0x1.0614p-11f, -0x1.f1cp-12f, -0x1.d88ep-12f, -0x1.c23fp-12f, -0x1.ad55p-12f, -0x1.992dp-12f, -0x1.86efp-12f, -0x1.752cp-12f, -0x1.657fp-12f, -0x1.5633p-12f, -0x1.4fefp-12f, 0, 0, 0, 0, 0, 0, 0, -0x1.41a6p-10f, -0x1.2e62p-10f, -0x1.17abp-10f, -0x1.034ep-10f, -0x1.e201p-11f, -0x1.c137p-11f, -0x1.a3a9p-11f, -0x1.8869p-11f}};
static const float opgen_log10_intervals[3][32] = {{0, 0x1.b5e9ap-7f, 0x1.af5fbp-6f, 0x1.3ed12p-5f, 0x1.a30aap-5f, 0x1.02429p-4f, 0x1.31b3p-4f, 0x1.5fe8p-4f, 0x1.8cf18p-4f, 0x1.b8de5p-4f, 0x1.e3bc2p-4f, 0x1.06cbdp-3f, 0x1.1b3e7p-3f, 0x1.2f3b7p-3f, 0x1.42c7fp-3f, 0x1.55e8cp-3f, 0x1.68a29p-3f, 0, 0, 0, 0, 0, 0, 0, -0x1.ffbfbp-4f, -0x1.b721dp-4f, -0x1.715d1p-4f, -0x1.2e3a8p-4f, -0x1.db12p-5f, -0x1.5e397p-5f, -0x1.cb393p-6f, -0x1.c3d13p-7f}, {0x1.bcbc4p-7f, 0x1.af44p-7f, 0x1.a2948p-7f, 0x1.969e8p-7f, 0x1.8b52cp-7f, 0x1.80a34p-7f, 0x1.7683cp-7f, 0x1.6ce94p-7f, 0x1.63c98p-7f, 0x1.5b1cp-7f, 0x1.52d8p-7f, 0x1.4af64p-7f, 0x1.4370cp-7f, 0x1.3c408p-7f, 0x1.35604p-7f, 0x1.2ecb4p-7f, 0x1.28804p-7f, 0, 0, 0, 0, 0, 0, 0, 0x1.28728p-6f, 0x1.1ca5cp-6f, 0x1.11b28p-6f, 0x1.078fp-6f, 0x1.fc4ap-7f, 0x1.eac24p-7f, 0x1.da66p-7f, 0x1.cb17cp-7f}, {-0x1.bcc1p-13f, -0x1.a364p-13f, -0x1.8a74p-13f, -0x1.740ap-13f, -0x1.5f8fp-13f, -0x1.4cdfp-13f, -0x1.3b3ep-13f, -0x1.2b46p-13f, -0x1.1c92p-13f, -0x1.0f0bp-13f, -0x1.025ep-13f, -0x1.ebddp-14f, -0x1.d647p-14f, -0x1.c2d1p-14f, -0x1.af93p-14f, -0x1.9b9dp-14f, -0x1.885p-14f, 0, 0, 0, 0, 0, 0, 0, -0x1.827ap-12f, -0x1.6c3dp-12f, -0x1.50bcp-12f, -0x1.3819p-12f, -0x1.2233p-12f, -0x1.0e91p-12f, -0x1.f93ap-13f, -0x1.d89bp-13f}};

#if defined(__clang__)
#define OPGEN_POWERS _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define OPGEN_POWERS _Pragma("GCC unroll 4")
#endif

/* Of v, which is in one of them or NaN: its interval's number in the low bits of w, how far it is from the middle, in widths, in r. */
OPGEN_V4_PART void opgen_interval_front(OpgenHalf *h, __m512 v, float of_1) {
    const __m512 round = opgen_all(0x1.8p23f), scale = opgen_all(of_1);
    h->w = _mm512_fmadd_ps(v, scale, round);
    h->r = _mm512_fmsub_ps(v, scale, _mm512_sub_ps(h->w, round));
}
OPGEN_V4_PART __m512 opgen_interval_back(const OpgenHalf *h, const float (*row)[32], int powers) {
    const __m512i at = _mm512_castps_si512(h->w);
    __m512 p = opgen_look(row[powers], at);
    OPGEN_POWERS
    for (int k = powers - 1; k >= 0; k--)
        p = _mm512_fmadd_ps(p, h->r, opgen_look(row[k], at));
    return p;
}

/* The same where they are of v itself, and the function is that power of what they give: 1, 2 or 4. */
OPGEN_V4_PART void opgen_interval_of(OpgenHalf *h, __m512 v, const OpgenIntervals *of) {
    h->w = _mm512_fmadd_ps(v, opgen_all(of->scale), opgen_all(0x1.8p23f));
    h->r = v;
}
OPGEN_V4_PART __m512 opgen_interval_power(const OpgenHalf *h, const OpgenIntervals *of, int powers, int power) {
    __m512 p = opgen_interval_back(h, of->row, powers);
    for (; power > 1; power /= 2)
        p = _mm512_mul_ps(p, p);
    return p;
}

/* x between the limits; of what is not a number and something else vminps and vmaxps give the second. */
OPGEN_V4_PART __m512 opgen_between(__m512 x, float least, float most) {
    return _mm512_min_ps(opgen_all(most), _mm512_max_ps(opgen_all(least), x));
}
/* |x| up to `most`, of which a number stays where x is none: one step, for functions that x is a part of later. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
OPGEN_V4_PART __m512 opgen_size_up_to(__m512 x, float most) { return _mm512_range_ps(x, opgen_all(most), 2 | 2 << 2); }
#pragma GCC diagnostic pop

/* What f(x) has of x, which is that of |x|, times x: of x between the limits, beyond which f is 1; or f is infinity beyond them. */
OPGEN_V4_PART void opgen_share_within(OpgenHalf *h, float times, const OpgenIntervals *of) {
    opgen_take_times(h, times);
    h->x = opgen_between(h->x, -of->most, of->most);
    opgen_interval_of(h, _mm512_abs_ps(h->x), of);
}
OPGEN_V4_PART void opgen_share_of(OpgenHalf *h, float times, const OpgenIntervals *of) {
    opgen_take_times(h, times);
    opgen_interval_of(h, opgen_size_up_to(h->x, of->most), of);
}
OPGEN_V4_PART __m512 opgen_with_share(const OpgenHalf *h, const OpgenIntervals *of, int powers, int power) {
    return _mm512_mul_ps(h->x, opgen_interval_power(h, of, powers, power));
}
OPGEN_HALF_V4(tanh, opgen_share_within(h, times, &opgen_tanh_intervals), opgen_with_share(h, &opgen_tanh_intervals, 2, 1))
OPGEN_HALF_V4(erf, opgen_share_within(h, times, &opgen_erf_intervals), opgen_with_share(h, &opgen_erf_intervals, 2, 1))
OPGEN_HALF_V4(sinh_f16, opgen_share_of(h, times, &opgen_sinh_intervals), opgen_with_share(h, &opgen_sinh_intervals, 2, 4))

OPGEN_V4_PART void opgen_size_within(OpgenHalf *h, float times, const OpgenIntervals *of) {
    opgen_take_times(h, times);
    opgen_interval_of(h, _mm512_min_ps(opgen_all(of->most), _mm512_abs_ps(h->x)), of);
}
OPGEN_V4_PART void opgen_within(OpgenHalf *h, float times, const OpgenIntervals *of) {
    opgen_take_times(h, times);
    opgen_interval_of(h, opgen_between(h->x, of->least, of->most), of);
}
OPGEN_HALF_V4(cosh_f16, opgen_size_within(h, times, &opgen_cosh_intervals), opgen_interval_power(h, &opgen_cosh_intervals, 3, 2))
OPGEN_HALF_V4(erfc_f16, opgen_within(h, times, &opgen_erfc_intervals), opgen_interval_power(h, &opgen_erfc_intervals, 3, 4))

/* What is greater of x and 0, less |x| times the probability of what is further from 0 on x's side of it, which is 0 beyond the limit. vfixupimmps
 * makes -0 of what is negative, and of minus infinity, whose product with 0 is none, what is not a number: a response for each kind there is, of
 * four bits. What is near is not that, and a comparison takes a pipe that products do not; of two zeros it gives the second. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
OPGEN_V4_PART __m512 opgen_above_0(__m512 x) { return _mm512_fixupimm_ps(x, x, _mm512_set1_epi32(0x17531122), 0); }
#pragma GCC diagnostic pop
OPGEN_V4_PART __m512 opgen_normal_product(const OpgenHalf *h, const OpgenIntervals *of, bool near) {
    const __m512 above = near ? _mm512_max_ps(opgen_all(-0.0f), h->x) : opgen_above_0(h->x);
    return _mm512_fnmadd_ps(h->r, opgen_interval_power(h, of, 2, 4), above);
}
#define OPGEN_OF_NORMAL(name, of)                                                                                      \
    OPGEN_HALF_V4(name, opgen_share_of(h, times, &of), opgen_normal_product(h, &of, false))                            \
    OPGEN_HALF_V4(name##_near, opgen_share_of(h, times, &of), opgen_normal_product(h, &of, true))                      \
    OPGEN_INLINE uint16_t opgen_##name##_near_most(bool bf16) { return bf16 ? 0x7f7f : 0x7bff; }
OPGEN_OF_NORMAL(gelu, opgen_normal_intervals)
OPGEN_OF_NORMAL(gelu_tanh, opgen_normal_by_tanh_intervals)
#undef OPGEN_OF_NORMAL

/* What x - tanh(x) has of x^3, times that; beyond 5 the tangent is 1. */
OPGEN_V4_PART __m512 opgen_tanhshrink_of(const OpgenHalf *h) {
    const __m512 share = opgen_interval_power(h, &opgen_tanhshrink_intervals, 2, 1), q = _mm512_mul_ps(h->x, h->x);
    const __mmask16 far = _mm512_cmp_ps_mask(q, opgen_all(25), _CMP_GT_OQ);
    return _mm512_mask_sub_ps(_mm512_mul_ps(_mm512_mul_ps(h->x, q), share), far, h->x, opgen_signed(opgen_all(1), h->x));
}
OPGEN_HALF_V4(tanhshrink, opgen_share_of(h, times, &opgen_tanhshrink_intervals), opgen_tanhshrink_of(h))

/* max(x, 0) + log(1 + exp(-|x|)), and what -x has of that, negative. */
OPGEN_V4_PART __m512 opgen_softplus_of(const OpgenHalf *h) {
    return _mm512_add_ps(_mm512_max_ps(_mm512_setzero_ps(), h->x), opgen_interval_power(h, &opgen_log1p_exp_intervals, 3, 2));
}
OPGEN_V4_PART __m512 opgen_logsigmoid_of(const OpgenHalf *h) {
    return _mm512_sub_ps(_mm512_min_ps(_mm512_setzero_ps(), h->x), opgen_interval_power(h, &opgen_log1p_exp_intervals, 3, 2));
}
OPGEN_HALF_V4(softplus_f16, opgen_share_of(h, times, &opgen_log1p_exp_intervals), opgen_softplus_of(h))
OPGEN_HALF_V4(logsigmoid_f16, opgen_share_of(h, times, &opgen_log1p_exp_intervals), opgen_logsigmoid_of(h))

/* See opgen_log_parts; half of 1/32 at the most from the middle, the square does. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
OPGEN_V4_PART void opgen_logarithm_front(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    const __m512 m = _mm512_getmant_ps(h->x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan), e = _mm512_getexp_ps(h->x);
    h->n = _mm512_mask_add_ps(e, _mm512_cmp_ps_mask(m, opgen_all(1), _CMP_LT_OQ), e, opgen_all(1));
    opgen_interval_front(h, m, 32);
}
#pragma GCC diagnostic pop
OPGEN_V4_PART __m512 opgen_logarithm_back(const OpgenHalf *h, const float (*row)[32], float of_2) {
    return _mm512_fmadd_ps(h->n, opgen_all(of_2), opgen_interval_back(h, row, 2));
}
OPGEN_HALF_V4(log, opgen_logarithm_front(h, times), opgen_logarithm_back(h, opgen_log_intervals, 0x1.62e43p-1f))
OPGEN_HALF_V4(log2, opgen_logarithm_front(h, times), opgen_logarithm_back(h, opgen_log2_intervals, 1))
OPGEN_HALF_V4(log10, opgen_logarithm_front(h, times), opgen_logarithm_back(h, opgen_log10_intervals, 0x1.344136p-2f))

/* By an estimate of 14 bits and one step of Newton's. The square root of 0 and of infinity is what it is of, that is the quotient of 1
 * by it the estimate. 0x0e: 0, -0, infinity. */
OPGEN_V4_PART void opgen_root_front(OpgenHalf *h, float times) {
    opgen_take_times(h, times);
    h->r = _mm512_rsqrt14_ps(h->x);
    h->w = _mm512_mul_ps(h->x, h->r);
    h->n = _mm512_mul_ps(opgen_all(0.5f), h->r);
}
OPGEN_V4_PART __m512 opgen_root_back(const OpgenHalf *h) {
    const __m512 root = _mm512_fmadd_ps(_mm512_fnmadd_ps(h->w, h->w, h->x), h->n, h->w);
    return _mm512_mask_mov_ps(root, _mm512_fpclass_ps_mask(h->x, 0x0e), h->x);
}
OPGEN_V4_PART __m512 opgen_one_over_root_back(const OpgenHalf *h) {
    const __m512 root = _mm512_fmadd_ps(_mm512_fnmadd_ps(h->w, h->r, opgen_all(1)), h->n, h->r);
    return _mm512_mask_mov_ps(root, _mm512_fpclass_ps_mask(h->x, 0x0e), h->r);
}
OPGEN_HALF_V4(sqrt, opgen_root_front(h, times), opgen_root_back(h))
OPGEN_HALF_V4(rsqrt, opgen_root_front(h, times), opgen_one_over_root_back(h))

#undef OPGEN_POWERS
#endif

/* The function that chooses, as in opgen_half.h. */
#if defined(OPGEN_X86)
#define OPGEN_INTERVALS_X86_V4(name)                                                                                   \
    if (level == 4) {                                                                                                  \
        opgen_##name##_half_v4(to, x, times, tiny);                                                                    \
        return;                                                                                                        \
    }
#define OPGEN_INTERVALS_X86(name)                                                                                      \
    OPGEN_INTERVALS_X86_V4(name)                                                                                       \
    if (level == 3) {                                                                                                  \
        opgen_##name##_half_v3(to, x, times, tiny);                                                                    \
        return;                                                                                                        \
    }
#else
#define OPGEN_INTERVALS_X86_V4(name)
#define OPGEN_INTERVALS_X86(name)
#endif
#define OPGEN_BY_INTERVALS(name, other) OPGEN_BY_INTERVALS_OR(name, OPGEN_INTERVALS_X86(name), other)
#define OPGEN_BY_INTERVALS_OR(name, choose, other)                                                                                \
    OPGEN_HALF_ALWAYS(name)                                                                                            \
    OPGEN_INLINE void opgen_##name##_half(float *to, const float *x, float times, bool tiny, int level) {              \
        (void)tiny, (void)level;                                                                                       \
        choose                                                                                                         \
        OPGEN_SIMD                                                                                                     \
        for (int i = 0; i < 64; i++) {                                                                                 \
            const float y = x[i] * times;                                                                              \
            to[i] = other;                                                                                             \
        }                                                                                                              \
    }
OPGEN_BY_INTERVALS(tanh, opgen_tanh_f32(y))
OPGEN_BY_INTERVALS(erf, opgen_erf_f32(y))
OPGEN_BY_INTERVALS(erfc_f16, opgen_erfc_f32(y))
OPGEN_BY_INTERVALS(gelu,
                   0.5f * y * (1 + opgen_erf_f32(y * 0.70710677f)))
OPGEN_BY_INTERVALS(gelu_tanh,
                   y / (1 + opgen_exp_f32(-2 * (0.7978846f * (y + 0.044715f * y * y * y)))))
OPGEN_HALF_FAR(gelu)
OPGEN_HALF_FAR(gelu_tanh)
OPGEN_BY_INTERVALS(softplus_f16, opgen_log1p_exp_f32(y))
OPGEN_BY_INTERVALS(logsigmoid_f16, -opgen_log1p_exp_f32(-y))
OPGEN_BY_INTERVALS(sinh_f16, opgen_sinh_f32(y))
OPGEN_BY_INTERVALS(cosh_f16, opgen_cosh_f32(y))
OPGEN_BY_INTERVALS(log, opgen_log_f32(y))
OPGEN_BY_INTERVALS(log2, opgen_log2_f32(y))
OPGEN_BY_INTERVALS(log10, opgen_log10_f32(y))
OPGEN_BY_INTERVALS(sqrt, sqrtf(y))
OPGEN_BY_INTERVALS(rsqrt, 1 / sqrtf(y))
/* By its series where the difference would have few bits left; what is 0 then has a sign. */
OPGEN_INLINE float opgen_tanhshrink_of_half(float y) {
    const float q = y * y, rest = 2.0f / 15 - q * (17.0f / 315 - q * (62.0f / 2835 - q * (1382.0f / 155925)));
    return fabsf(y) < 0.5f ? y * (q * (1.0f / 3 - q * rest)) : y - opgen_tanh_f32(y);
}
OPGEN_BY_INTERVALS_OR(tanhshrink, OPGEN_INTERVALS_X86_V4(tanhshrink), opgen_tanhshrink_of_half(y))
#undef OPGEN_HALF_FAR
#undef OPGEN_BY_INTERVALS
#undef OPGEN_BY_INTERVALS_OR
#undef OPGEN_INTERVALS_X86
#undef OPGEN_INTERVALS_X86_V4

#endif

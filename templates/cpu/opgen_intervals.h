/* opgen_intervals.h: functions of 64 floats at once whose results go into 16 bits, as those of opgen_half.h are, of a short
 * polynomial for each of 32 intervals: where one function is made of several others, that is less to compute than they are.
 * They are off by 2^-14 of the result at most, gelu by 2^-13, most of them by less than 2^-15, where f16 is rounded by 2^-12.
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

static const OpgenIntervals opgen_normal_intervals = {0x1.554p+2f, 0, 0x1.741742p+2f, {{0x1p-1f, 0x1.b3d4dp-2f, 0x1.6a499p-2f, 0x1.25b9bp-2f, 0x1.d0053p-3f, 0x1.64bedp-3f, 0x1.0ab97p-3f, 0x1.83923p-4f, 0x1.1172cp-4f, 0x1.767d5p-5f, 0x1.f17f7p-6f, 0x1.40683p-6f, 0x1.8fffap-7f, 0x1.e3cfep-8f, 0x1.1b64dp-8f, 0x1.41782p-9f, 0x1.61026p-10f, 0x1.772d1p-11f, 0x1.81d58p-12f, 0x1.7fe3cp-13f, 0x1.71794p-14f, 0x1.57ee2p-15f, 0x1.359b9p-16f, 0x1.0d7ecp-17f, 0x1.c59bdp-19f, 0x1.710f9p-20f, 0x1.22437p-21f, 0x1.b9539p-23f, 0x1.4445ap-24f, 0x1.cc8b7p-26f, 0x1.3c0dap-27f, 0}, {-0x1.32768p-4f, -0x1.2d1ecp-4f, -0x1.1da5p-4f, -0x1.05998p-4f, -0x1.ce984p-5f, -0x1.8ae04p-5f, -0x1.456cp-5f, -0x1.02e9cp-5f, -0x1.8dc18p-6f, -0x1.26f7cp-6f, -0x1.a65d8p-7f, -0x1.23f1p-7f, -0x1.85a2cp-8f, -0x1.f60dp-9f, -0x1.3844cp-9f, -0x1.77084p-10f, -0x1.b2d8p-11f, -0x1.e6c58p-12f, -0x1.07088p-12f, -0x1.1271cp-13f, -0x1.14744p-14f, -0x1.0cdbp-15f, -0x1.f8d6cp-17f, -0x1.c97a4p-18f, -0x1.9054p-19f, -0x1.52358p-20f, -0x1.13da4p-21f, -0x1.b26fp-23f, -0x1.4a43cp-24f, -0x1.e4cap-26f, -0x1.5782p-27f, 0}, {0x1.e171p-21f, 0x1.5201p-10f, 0x1.40e9p-9f, 0x1.b8bfp-9f, 0x1.03e2p-8f, 0x1.155ap-8f, 0x1.1258p-8f, 0x1.fd7fp-9f, 0x1.bf74p-9f, 0x1.7578p-9f, 0x1.293bp-9f, 0x1.c43cp-10f, 0x1.4968p-10f, 0x1.cc1ap-11f, 0x1.3468p-11f, 0x1.8d22p-12f, 0x1.eb8dp-13f, 0x1.248fp-13f, 0x1.4f12p-14f, 0x1.715ap-15f, 0x1.8804p-16f, 0x1.90b3p-17f, 0x1.8a85p-18f, 0x1.766p-19f, 0x1.5646p-20f, 0x1.2d98p-21f, 0x1.002cp-22f, 0x1.a38ap-24f, 0x1.4b3bp-25f, 0x1.f853p-27f, 0x1.723fp-28f, 0}, {0x1.c9dp-12f, 0x1.b41cp-12f, 0x1.6fbp-12f, 0x1.0cbp-12f, 0x1.2d28p-13f, 0x1.18cp-15f, -0x1.00d4p-14f, -0x1.18cp-13f, -0x1.7548p-13f, -0x1.98bcp-13f, -0x1.8de8p-13f, -0x1.63bp-13f, -0x1.281cp-13f, -0x1.cfa8p-14f, -0x1.57ecp-14f, -0x1.e408p-15f, -0x1.44bp-15f, -0x1.9fc8p-16f, -0x1.fd98p-17f, -0x1.2ad4p-17f, -0x1.501cp-18f, -0x1.6aacp-19f, -0x1.78b8p-20f, -0x1.7cc8p-21f, -0x1.6ce4p-22f, -0x1.504p-23f, -0x1.2a14p-24f, -0x1.fc6cp-26f, -0x1.a168p-27f, -0x1.49ecp-28f, -0x1.f63p-30f, 0}}};
static const OpgenIntervals opgen_normal_by_tanh_intervals = {0x1.698p+2f, 0, 0x1.5f3f62p+2f, {{0x1p-1f, 0x1.b80ddp-2f, 0x1.72552p-2f, 0x1.30da7p-2f, 0x1.ea812p-3f, 0x1.81557p-3f, 0x1.2760ap-3f, 0x1.b98c4p-4f, 0x1.418dap-4f, 0x1.c7f12p-5f, 0x1.3a676p-5f, 0x1.a54bcp-6f, 0x1.11ea4p-6f, 0x1.5929fp-7f, 0x1.a4d2bp-8f, 0x1.ef8acp-9f, 0x1.19439p-9f, 0x1.332bdp-10f, 0x1.420d1p-11f, 0x1.436f6p-12f, 0x1.36716p-13f, 0x1.1c1f2p-14f, 0x1.eebb3p-16f, 0x1.98c84p-17f, 0x1.3fcbcp-18f, 0x1.d8a04p-20f, 0x1.491a3p-21f, 0x1.aedd2p-23f, 0x1.0884p-24f, 0x1.2fdf6p-26f, 0x1.45d57p-28f, 0}, {-0x1.214bcp-4f, -0x1.1cc68p-4f, -0x1.0fa3cp-4f, -0x1.f6318p-5f, -0x1.c1e68p-5f, -0x1.86aep-5f, -0x1.48e38p-5f, -0x1.0c73cp-5f, -0x1.a8f3cp-6f, -0x1.4623p-6f, -0x1.e54fcp-7f, -0x1.5dea4p-7f, -0x1.e8a5cp-8f, -0x1.4a198p-8f, -0x1.aef4p-9f, -0x1.0f6b8p-9f, -0x1.494a8p-10f, -0x1.80098p-11f, -0x1.ada3cp-12f, -0x1.cc1p-13f, -0x1.d671p-14f, -0x1.ca4c4p-15f, -0x1.a8568p-16f, -0x1.7467cp-17f, -0x1.352e8p-18f, -0x1.e477p-20f, -0x1.654cp-21f, -0x1.eeec8p-23f, -0x1.41248p-24f, -0x1.85864p-26f, -0x1.b88b8p-28f, 0}, {0x1.bdb4p-21f, 0x1.1e93p-10f, 0x1.1114p-9f, 0x1.7a16p-9f, 0x1.c331p-9f, 0x1.e8efp-9f, 0x1.ed15p-9f, 0x1.d4b7p-9f, 0x1.a768p-9f, 0x1.6d55p-9f, 0x1.2e31p-9f, 0x1.e057p-10f, 0x1.6f5cp-10f, 0x1.0e83p-10f, 0x1.7f93p-11f, 0x1.05a7p-11f, 0x1.5713p-12f, 0x1.afa7p-13f, 0x1.0417p-13f, 0x1.2b94p-14f, 0x1.4911p-15f, 0x1.57ebp-16f, 0x1.552fp-17f, 0x1.4088p-18f, 0x1.1c84p-19f, 0x1.dbf3p-21f, 0x1.764ep-22f, 0x1.142p-23f, 0x1.7d43p-25f, 0x1.eb84p-27f, 0x1.2722p-28f, 0}, {0x1.82f8p-12f, 0x1.71d8p-12f, 0x1.3d7p-12f, 0x1.e18cp-13f, 0x1.2818p-13f, 0x1.b6bp-15f, -0x1.e89cp-16f, -0x1.833cp-14f, -0x1.1ba4p-13f, -0x1.49d4p-13f, -0x1.52ccp-13f, -0x1.3f24p-13f, -0x1.18fcp-13f, -0x1.d368p-14f, -0x1.71f8p-14f, -0x1.1714p-14f, -0x1.923cp-15f, -0x1.14b8p-15f, -0x1.6b7p-16f, -0x1.c654p-17f, -0x1.0e04p-17f, -0x1.3094p-18f, -0x1.4538p-19f, -0x1.4d04p-20f, -0x1.3ea8p-21f, -0x1.1d98p-22f, -0x1.e054p-24f, -0x1.7a28p-25f, -0x1.161p-26f, -0x1.7d24p-28f, -0x1.e5ccp-30f, 0}}};
static const OpgenIntervals opgen_erfc_intervals = {0x1.18ap+2f, -0x1.7b7eeap+1f, 0x1.06ba54p+2f, {{0x1p+0f, 0x1.7e7dap-1f, 0x1.09abfp-1f, 0x1.553fbp-2f, 0x1.937a4p-3f, 0x1.b58acp-4f, 0x1.b1ec2p-5f, 0x1.88a14p-6f, 0x1.43884p-7f, 0x1.e4d24p-9f, 0x1.49e53p-10f, 0x1.974d4p-12f, 0x1.c7d5p-14f, 0x1.ce1d6p-16f, 0x1.a81adp-18f, 0x1.602e7p-20f, 0x1.0883p-22f, 0x1.673cap-25f, 0, 0x1p+1f, 0x1.fff8ep+0f, 0x1.ffe69p+0f, 0x1.ffad8p+0f, 0x1.ff0d9p+0f, 0x1.fd78fp+0f, 0x1.f9dd8p+0f, 0x1.f270ap+0f, 0x1.e4a75p+0f, 0x1.cd90bp+0f, 0x1.aab01p+0f, 0x1.7b2a1p+0f, 0x1.40c13p+0f}, {-0x1.0784p-2f, -0x1.f4524p-3f, -0x1.ac0ap-3f, -0x1.4a054p-3f, -0x1.ca9e4p-4f, -0x1.1f2e4p-4f, -0x1.441f4p-5f, -0x1.49acp-6f, -0x1.2e3p-7f, -0x1.f33f8p-9f, -0x1.73a84p-10f, -0x1.f2abcp-12f, -0x1.2d7ccp-13f, -0x1.4882p-15f, -0x1.4295p-17f, -0x1.1d748p-19f, -0x1.c7444p-22f, -0x1.4729p-24f, 0, 0, -0x1.2d8d8p-13f, -0x1.f2bd8p-12f, -0x1.73afcp-10f, -0x1.f3444p-9f, -0x1.2e30cp-7f, -0x1.49acp-6f, -0x1.441fp-5f, -0x1.1f2d8p-4f, -0x1.ca9dcp-4f, -0x1.4a05p-3f, -0x1.ac0ap-3f, -0x1.f4524p-3f}, {0x1.0908p-22f, 0x1.a053p-7f, 0x1.6425p-6f, 0x1.9bfbp-6f, 0x1.7da8p-6f, 0x1.2abdp-6f, 0x1.9497p-7f, 0x1.e01fp-8f, 0x1.f6fep-9f, 0x1.d37ep-10f, 0x1.82bfp-11f, 0x1.1d78p-12f, 0x1.78acp-14f, 0x1.bc4fp-16f, 0x1.d5ep-18f, 0x1.bd85p-20f, 0x1.7afbp-22f, 0x1.2161p-24f, 0, 0, -0x1.73cep-14f, -0x1.26cep-12f, -0x1.7c49p-11f, -0x1.d035p-10f, -0x1.f70ap-9f, -0x1.e0cp-8f, -0x1.94a1p-7f, -0x1.2aabp-6f, -0x1.7d7ap-6f, -0x1.9becp-6f, -0x1.645ep-6f, -0x1.a04ep-7f}, {0x1.22fcp-8f, 0x1.ef9p-9f, 0x1.14f4p-9f, 0x1.8378p-13f, -0x1.4fp-10f, -0x1.fb1p-10f, -0x1.ec0cp-10f, -0x1.768p-10f, -0x1.db3p-11f, -0x1.0264p-11f, -0x1.e8b8p-13f, -0x1.9574p-14f, -0x1.28ep-15f, -0x1.8194p-17f, -0x1.bcep-19f, -0x1.c94p-21f, -0x1.a368p-23f, -0x1.57c4p-25f, 0, 0, -0x1.2674p-15f, -0x1.92c4p-14f, -0x1.e6ap-13f, -0x1.01acp-11f, -0x1.dafp-11f, -0x1.768cp-10f, -0x1.ec38p-10f, -0x1.fbf4p-10f, -0x1.503p-10f, 0x1.7e88p-13f, 0x1.14f8p-9f, 0x1.ef94p-9f}, {-0x1.59p-20f, -0x1.49ep-12f, -0x1.edbp-12f, -0x1.d8fp-12f, -0x1.18ap-12f, -0x1.0aep-14f, 0x1.4fcp-14f, 0x1.16p-13f, 0x1.f9bp-14f, 0x1.5b8p-14f, 0x1.876p-15f, 0x1.751p-16f, 0x1.32cp-17f, 0x1.c86p-19f, 0x1.212p-20f, 0x1.432p-22f, 0x1.4p-24f, 0x1.196p-26f, 0, 0, -0x1.c0cp-17f, 0x1.9cfp-17f, -0x1.8c1p-14f, -0x1.128p-13f, -0x1.f62p-14f, -0x1.8cbp-14f, -0x1.3ebp-14f, 0x1.a19p-15f, 0x1.e71p-13f, 0x1.ce8p-12f, 0x1.108p-11f, 0x1.47p-12f}}};
static const OpgenIntervals opgen_tanh_intervals = {0x1.5cap+2f, 0, 0x1.6c382cp+2f, {{0, 0x1.73cc9p-3f, 0x1.67efdp-2f, 0x1.008c3p-1f, 0x1.405b4p-1f, 0x1.7325dp-1f, 0x1.9a202p-1f, 0x1.b734cp-1f, 0x1.cc731p-1f, 0x1.dbbadp-1f, 0x1.e6996p-1f, 0x1.ee451p-1f, 0x1.f3a71p-1f, 0x1.f76a4p-1f, 0x1.fa09bp-1f, 0x1.fbdcdp-1f, 0x1.fd216p-1f, 0x1.fe02bp-1f, 0x1.fe9fp-1f, 0x1.ff0b6p-1f, 0x1.ff568p-1f, 0x1.ff8a9p-1f, 0x1.ffaeap-1f, 0x1.ffc7ap-1f, 0x1.ffd8fp-1f, 0x1.ffe4fp-1f, 0x1.ffed4p-1f, 0x1.fff3p-1f, 0x1.fff7p-1f, 0x1.fff9cp-1f, 0x1.fffbbp-1f, 0x1p+0f}, {0x1.77f8p-3f, 0x1.6b94cp-3f, 0x1.49854p-3f, 0x1.19938p-3f, 0x1.c98fp-4f, 0x1.64cf8p-4f, 0x1.0d764p-4f, 0x1.8d3acp-5f, 0x1.1f96cp-5f, 0x1.9b0bcp-6f, 0x1.23084p-6f, 0x1.996a8p-7f, 0x1.1ea54p-7f, 0x1.9013cp-8f, 0x1.16918p-8f, 0x1.835p-9f, 0x1.0cf5cp-9f, 0x1.7542cp-10f, 0x1.02dep-10f, 0x1.66ee8p-11f, 0x1.f18dp-12f, 0x1.58cap-12f, 0x1.ddce4p-13f, 0x1.4b0ap-13f, 0x1.caafp-14f, 0x1.3dc28p-14f, 0x1.b840cp-15f, 0x1.30fap-15f, 0x1.a6874p-16f, 0x1.24b14p-16f, 0x1.95808p-17f, 0}, {-0x1.0fbep-18f, -0x1.81b5p-8f, -0x1.52aap-7f, -0x1.9cf7p-7f, -0x1.a37bp-7f, -0x1.7b4fp-7f, -0x1.3ce9p-7f, -0x1.f4bbp-8f, -0x1.7c48p-8f, -0x1.18dcp-8f, -0x1.96fcp-9f, -0x1.233ep-9f, -0x1.9c78p-10f, -0x1.218ep-10f, -0x1.957ap-11f, -0x1.1a9p-11f, -0x1.88bap-12f, -0x1.1118p-12f, -0x1.7cbep-13f, -0x1.0821p-13f, -0x1.6e8ep-14f, -0x1.fb46p-15f, -0x1.584fp-15f, -0x1.dc19p-16f, -0x1.40dp-16f, -0x1.b72fp-17f, -0x1.29c6p-17f, -0x1.6d6p-18f, -0x1.128ap-18f, -0x1.f9c2p-20f, -0x1.392ep-19f, 0}, {-0x1.0c68p-9f, -0x1.d8d4p-10f, -0x1.2cdcp-10f, -0x1.995cp-12f, 0x1.bd5p-13f, 0x1.2728p-11f, 0x1.6584p-11f, 0x1.5884p-11f, 0x1.26e8p-11f, 0x1.d608p-12f, 0x1.6648p-12f, 0x1.087cp-12f, 0x1.7ef4p-13f, 0x1.11dp-13f, 0x1.82d4p-14f, 0x1.1054p-14f, 0x1.7ce8p-15f, 0x1.09a4p-15f, 0x1.71ap-16f, 0x1.01p-16f, 0x1.64cp-17f, 0x1.efbp-18f, 0x1.5768p-18f, 0x1.dc4cp-19f, 0x1.4ap-19f, 0x1.c958p-20f, 0x1.3ce4p-20f, 0x1.b74p-21f, 0x1.3044p-21f, 0x1.a578p-22f, 0x1.240cp-22f, 0}}};
static const OpgenIntervals opgen_tanhshrink_intervals = {0x1.7ecp+2f, 0, 0x1.4bbf2p+2f, {{0x1.8p+1f, 0x1.80b71p+1f, 0x1.82daap+1f, 0x1.86656p+1f, 0x1.8b4fp+1f, 0x1.918c2p+1f, 0x1.990eep+1f, 0x1.a1c73p+1f, 0x1.aba37p+1f, 0x1.b690ep+1f, 0x1.c27c3p+1f, 0x1.cf51bp+1f, 0x1.dcfep+1f, 0x1.eb6e4p+1f, 0x1.fa903p+1f, 0x1.05296p+2f, 0x1.0d52fp+2f, 0x1.15bd4p+2f, 0x1.1e619p+2f, 0x1.2739ap+2f, 0x1.303fcp+2f, 0x1.396eep+2f, 0x1.42c28p+2f, 0x1.4c369p+2f, 0x1.55c78p+2f, 0x1.5f721p+2f, 0x1.69336p+2f, 0x1.73092p+2f, 0x1.7cf0fp+2f, 0x1.86e91p+2f, 0x1.90efap+2f, 0x1.8p+2f}, {0x1.9d8d4p-22f, 0x1.6dcf4p-7f, 0x1.6c0b8p-6f, 0x1.0ee4cp-5f, 0x1.6548p-5f, 0x1.b87fp-5f, 0x1.03f9cp-4f, 0x1.2998cp-4f, 0x1.4cefp-4f, 0x1.6de18p-4f, 0x1.8c61cp-4f, 0x1.a870cp-4f, 0x1.c2198p-4f, 0x1.d9704p-4f, 0x1.ee914p-4f, 0x1.00cecp-3f, 0x1.095dcp-3f, 0x1.11068p-3f, 0x1.17df8p-3f, 0x1.1dfbp-3f, 0x1.236a4p-3f, 0x1.283fcp-3f, 0x1.2c8ccp-3f, 0x1.305f4p-3f, 0x1.33c44p-3f, 0x1.36cb4p-3f, 0x1.397c4p-3f, 0x1.3be28p-3f, 0x1.3e07cp-3f, 0x1.3ff2cp-3f, 0x1.41a98p-3f, 0}, {0x1.6e5ap-8f, 0x1.6cddp-8f, 0x1.675bp-8f, 0x1.5f2fp-8f, 0x1.53dap-8f, 0x1.45efp-8f, 0x1.35a1p-8f, 0x1.23dfp-8f, 0x1.1125p-8f, 0x1.fbfap-9f, 0x1.d45bp-9f, 0x1.adb1p-9f, 0x1.87f3p-9f, 0x1.6319p-9f, 0x1.415fp-9f, 0x1.2122p-9f, 0x1.025dp-9f, 0x1.cfb2p-10f, 0x1.9d38p-10f, 0x1.6e9ap-10f, 0x1.46c5p-10f, 0x1.248cp-10f, 0x1.04efp-10f, 0x1.d0e4p-11f, 0x1.98a4p-11f, 0x1.6924p-11f, 0x1.488cp-11f, 0x1.1fb6p-11f, 0x1.0653p-11f, 0x1.c7fdp-12f, 0x1.9e6fp-12f, 0}}};
static const OpgenIntervals opgen_erf_intervals = {0x1.456p+3f, 0, 0x1.863ebep+1f, {{0, 0x1.c5167p-4f, 0x1.c0c12p-3f, 0x1.4b45cp-2f, 0x1.b0268p-2f, 0x1.06c3ap-1f, 0x1.3127dp-1f, 0x1.56e88p-1f, 0x1.77e32p-1f, 0x1.9425p-1f, 0x1.abe4cp-1f, 0x1.bf78bp-1f, 0x1.cf4d5p-1f, 0x1.dbdbap-1f, 0x1.e5a04p-1f, 0x1.ed147p-1f, 0x1.f2a8bp-1f, 0x1.f6c14p-1f, 0x1.f9b45p-1f, 0x1.fbc9bp-1f, 0x1.fd3b4p-1f, 0x1.fe366p-1f, 0x1.feddcp-1f, 0x1.ff4b4p-1f, 0x1.ff917p-1f, 0x1.ffbd9p-1f, 0x1.ffd8dp-1f, 0x1.ffe95p-1f, 0x1.fff32p-1f, 0x1.fff8dp-1f, 0x1.fffc1p-1f, 0x1p+0f}, {0x1.c68c8p-4f, 0x1.c22c8p-4f, 0x1.b54c8p-4f, 0x1.a0a74p-4f, 0x1.8560cp-4f, 0x1.64ea4p-4f, 0x1.40e44p-4f, 0x1.1af9cp-4f, 0x1.e985p-5f, 0x1.9f4cp-5f, 0x1.5994p-5f, 0x1.1a0ep-5f, 0x1.c398p-6f, 0x1.62984p-6f, 0x1.11188p-6f, 0x1.9c98cp-7f, 0x1.31b5p-7f, 0x1.bc56cp-8f, 0x1.3cbb8p-8f, 0x1.bae48p-9f, 0x1.2fb84p-9f, 0x1.98948p-10f, 0x1.0d8e4p-10f, 0x1.5cdcp-11f, 0x1.bad7cp-12f, 0x1.13b04p-12f, 0x1.50adcp-13f, 0x1.9348cp-14f, 0x1.d9cfcp-15f, 0x1.1101p-15f, 0x1.34934p-16f, 0}, {0x1.0332p-20f, -0x1.1658p-10f, -0x1.0e6cp-9f, -0x1.824bp-9f, -0x1.e18ep-9f, -0x1.13cap-8f, -0x1.29bap-8f, -0x1.3226p-8f, -0x1.2eddp-8f, -0x1.20efp-8f, -0x1.0b52p-8f, -0x1.e012p-9f, -0x1.a309p-9f, -0x1.648bp-9f, -0x1.27ddp-9f, -0x1.df3cp-10f, -0x1.7b14p-10f, -0x1.24c5p-10f, -0x1.b901p-11f, -0x1.45b2p-11f, -0x1.d7ep-12f, -0x1.4d41p-12f, -0x1.c9efp-13f, -0x1.3b4ap-13f, -0x1.a28dp-14f, -0x1.097fp-14f, -0x1.51cbp-15f, -0x1.acdbp-16f, -0x1.1f4ep-16f, -0x1.54d7p-17f, -0x1.92cbp-18f, 0}, {-0x1.78ecp-12f, -0x1.6c6cp-12f, -0x1.4d1p-12f, -0x1.1b58p-12f, -0x1.bd6cp-13f, -0x1.300cp-13f, -0x1.44bp-14f, -0x1.7b7cp-17f, 0x1.7d0cp-15f, 0x1.8414p-14f, 0x1.0a58p-13f, 0x1.3778p-13f, 0x1.4cap-13f, 0x1.4bcp-13f, 0x1.3a4cp-13f, 0x1.1d64p-13f, 0x1.f2b4p-14f, 0x1.a5p-14f, 0x1.5844p-14f, 0x1.118p-14f, 0x1.a684p-15f, 0x1.3d98p-15f, 0x1.d1b4p-16f, 0x1.4cacp-16f, 0x1.d014p-17f, 0x1.3bfp-17f, 0x1.a444p-18f, 0x1.1128p-18f, 0x1.5b18p-19f, 0x1.af3cp-20f, 0x1.05fcp-20f, 0}}};
static const OpgenIntervals opgen_log1p_exp_intervals = {0x1.c28p+0f, 0, 0x1.19db1p+4f, {{0x1.62e44p-1f, 0x1.cba07p-2f, 0x1.1d056p-2f, 0x1.561ep-3f, 0x1.918a1p-4f, 0x1.d0924p-5f, 0x1.0a691p-5f, 0x1.2ff91p-6f, 0x1.59caap-7f, 0x1.88af6p-8f, 0x1.bd7fbp-9f, 0x1.f921ep-10f, 0x1.1e487p-10f, 0x1.44712p-11f, 0x1.6fa65p-12f, 0x1.a0965p-13f, 0x1.d806p-14f, 0x1.0b69fp-14f, 0x1.2efd5p-15f, 0x1.574cp-16f, 0x1.84f71p-17f, 0x1.b8b53p-18f, 0x1.f3553p-19f, 0x1.1ae0dp-19f, 0x1.4082p-20f, 0x1.6b249p-21f, 0x1.9b731p-22f, 0x1.d22e9p-23f, 0x1.0819p-23f, 0x1.2b3a9p-24f, 0x1.53088p-25f, 0x1p-30f}, {-0x1.22f9p-2f, -0x1.a4dep-3f, -0x1.1ac1cp-3f, -0x1.66174p-4f, -0x1.b2b98p-5f, -0x1.00ab4p-5f, -0x1.29ef8p-6f, -0x1.56514p-7f, -0x1.86f88p-8f, -0x1.bd00cp-9f, -0x1.f9824p-10f, -0x1.1ecccp-10f, -0x1.4539p-11f, -0x1.70a88p-12f, -0x1.a1cfcp-13f, -0x1.d976p-14f, -0x1.0c3ecp-14f, -0x1.2feep-15f, -0x1.58594p-16f, -0x1.86294p-17f, -0x1.ba10cp-18f, -0x1.f4df8p-19f, -0x1.1bc08p-19f, -0x1.417f4p-20f, -0x1.6c438p-21f, -0x1.9cb88p-22f, -0x1.d39f4p-23f, -0x1.08e9cp-23f, -0x1.2c274p-24f, -0x1.54148p-25f, -0x1.8151cp-26f, 0}, {0x1.4c58p-5f, 0x1.309p-5f, 0x1.e639p-6f, 0x1.58dbp-6f, 0x1.c161p-7f, 0x1.14e3p-7f, 0x1.498ap-8f, 0x1.8026p-9f, 0x1.ba6ap-10f, 0x1.f9f3p-11f, 0x1.2026p-11f, 0x1.4775p-12f, 0x1.73a5p-13f, 0x1.a57fp-14f, 0x1.ddd3p-15f, 0x1.0ec8p-15f, 0x1.32dap-16f, 0x1.5baep-17f, 0x1.8ap-18f, 0x1.be6dp-19f, 0x1.f9d2p-20f, 0x1.1e8ep-20f, 0x1.44aep-21f, 0x1.6fdep-22f, 0x1.a0cdp-23f, 0x1.d841p-24f, 0x1.0b89p-24f, 0x1.2f2p-25f, 0x1.5771p-26f, 0x1.8521p-27f, 0x1.b8e5p-28f, 0}, {-0x1.3374p-11f, -0x1.005p-9f, -0x1.7914p-9f, -0x1.6718p-9f, -0x1.125cp-9f, -0x1.71dp-10f, -0x1.ce9cp-11f, -0x1.1574p-11f, -0x1.44b4p-12f, -0x1.76d8p-13f, -0x1.ad28p-14f, -0x1.e8fcp-15f, -0x1.15fp-15f, -0x1.3b98p-16f, -0x1.65ep-17f, -0x1.95d8p-18f, -0x1.cbdcp-19f, -0x1.05acp-19f, -0x1.2a44p-20f, -0x1.51f8p-21f, -0x1.7ef8p-22f, -0x1.b1e8p-23f, -0x1.eb84p-24f, -0x1.168cp-24f, -0x1.3bap-25f, -0x1.658p-26f, -0x1.9518p-27f, -0x1.cb0cp-28f, -0x1.04p-28f, -0x1.26a4p-29f, -0x1.4dccp-30f, 0}}};
static const OpgenIntervals opgen_sinh_intervals = {0x1.4b4p+1f, 0, 0x1.7f52e2p+3f, {{0, 0x1.959b7p-2f, 0x1.b4449p-1f, 0x1.6fd82p+0f, 0x1.1e955p+1f, 0x1.b0924p+1f, 0x1.41fa8p+2f, 0x1.dc598p+2f, 0x1.5f5e5p+3f, 0x1.02d77p+4f, 0x1.7d21bp+4f, 0x1.18858p+5f, 0x1.9ce32p+5f, 0x1.2fd66p+6f, 0x1.bf2aap+6f, 0x1.490cdp+7f, 0x1.e4439p+7f, 0x1.64586p+8f, 0x1.06375p+9f, 0x1.81e71p+9f, 0x1.1bf73p+10f, 0x1.a1e93p+10f, 0x1.3384dp+11f, 0x1.c492fp+11f, 0x1.4d069p+12f, 0x1.ea1cbp+12f, 0x1.68a5ep+13f, 0x1.0961cp+14f, 0x1.868fbp+14f, 0x1.1f64dp+15f, 0x1.a6f4cp+15f, 0x1p+17f}, {0x1.8bb08p-2f, 0x1.a99b8p-2f, 0x1.03ee8p-1f, 0x1.5a5b8p-1f, 0x1.e5244p-1f, 0x1.5ca38p+0f, 0x1.fb6ap+0f, 0x1.73744p+1f, 0x1.10adcp+2f, 0x1.90da4p+2f, 0x1.26d08p+3f, 0x1.b1c7p+3f, 0x1.3f28cp+4f, 0x1.d5adcp+4f, 0x1.599a8p+5f, 0x1.fc9e8p+5f, 0x1.7644p+6f, 0x1.13668p+7f, 0x1.954dcp+7f, 0x1.2a3e8p+8f, 0x1.b6eccp+8f, 0x1.42fb4p+9f, 0x1.db54cp+9f, 0x1.5dc54p+10f, 0x1.0160cp+11f, 0x1.7ac7cp+11f, 0x1.16bap+12f, 0x1.9a324p+12f, 0x1.2dd7cp+13f, 0x1.bc394p+13f, 0x1.46e18p+14f, 0}, {-0x1.6355p-17f, 0x1.e603p-6f, 0x1.056p-4f, 0x1.b8c6p-4f, 0x1.5767p-3f, 0x1.032bp-2f, 0x1.81d3p-2f, 0x1.1d64p-1f, 0x1.a507p-1f, 0x1.362bp+0f, 0x1.c8b3p+0f, 0x1.5021p+1f, 0x1.eebfp+1f, 0x1.6c13p+2f, 0x1.0be9p+3f, 0x1.8a49p+3f, 0x1.2223p+4f, 0x1.ab03p+4f, 0x1.3a35p+5f, 0x1.ce68p+5f, 0x1.5443p+6f, 0x1.f4c3p+6f, 0x1.707cp+7f, 0x1.0f26p+8f, 0x1.8f0ap+8f, 0x1.25a4p+9f, 0x1.b025p+9f, 0x1.3e01p+10f, 0x1.d4p+10f, 0x1.585dp+11f, 0x1.facfp+11f, 0}, {0x1.3c58p-7f, 0x1.523p-7f, 0x1.9d2cp-7f, 0x1.134p-6f, 0x1.8234p-6f, 0x1.1568p-5f, 0x1.93e4p-5f, 0x1.273p-4f, 0x1.b154p-4f, 0x1.3efp-3f, 0x1.d53p-3f, 0x1.58cp-2f, 0x1.fb5p-2f, 0x1.75ap-1f, 0x1.12f8p+0f, 0x1.947cp+0f, 0x1.297cp+1f, 0x1.b67p+1f, 0x1.42a4p+2f, 0x1.da2cp+2f, 0x1.5cdcp+3f, 0x1.00cp+4f, 0x1.79cp+4f, 0x1.161p+5f, 0x1.9934p+5f, 0x1.2d54p+6f, 0x1.baf4p+6f, 0x1.4698p+7f, 0x1.e05cp+7f, 0x1.610cp+8f, 0x1.03ccp+9f, 0}}};
static const OpgenIntervals opgen_cosh_intervals = {0x1.4b4p+1f, 0, 0x1.7f52e2p+3f, {{0x1.fffffp-1f, 0x1.13598p+0f, 0x1.50545p+0f, 0x1.c0282p+0f, 0x1.39de8p+1f, 0x1.c31cap+1f, 0x1.48471p+2f, 0x1.e0a13p+2f, 0x1.60d29p+3f, 0x1.0355fp+4f, 0x1.7d77ap+4f, 0x1.18a2bp+5f, 0x1.9cf6fp+5f, 0x1.2fdd2p+6f, 0x1.bf2f4p+6f, 0x1.490e6p+7f, 0x1.e444ap+7f, 0x1.6458cp+8f, 0x1.06377p+9f, 0x1.81e72p+9f, 0x1.1bf73p+10f, 0x1.a1e93p+10f, 0x1.3384dp+11f, 0x1.c492fp+11f, 0x1.4d069p+12f, 0x1.ea1cbp+12f, 0x1.68a5ep+13f, 0x1.0961cp+14f, 0x1.868fbp+14f, 0x1.1f64dp+15f, 0x1.a6f4cp+15f, 0x1p+17f}, {0x1.f8388p-16f, 0x1.3979p-3f, 0x1.512b4p-2f, 0x1.1c49cp-1f, 0x1.baf88p-1f, 0x1.4e5p+0f, 0x1.f1ae8p+0f, 0x1.70254p+1f, 0x1.0f8ep+2f, 0x1.90174p+2f, 0x1.268ep+3f, 0x1.b199cp+3f, 0x1.3f19p+4f, 0x1.d5a3cp+4f, 0x1.59978p+5f, 0x1.fc9c8p+5f, 0x1.76434p+6f, 0x1.13668p+7f, 0x1.954dcp+7f, 0x1.2a3e8p+8f, 0x1.b6ebcp+8f, 0x1.42fbp+9f, 0x1.db54cp+9f, 0x1.5dc54p+10f, 0x1.0160cp+11f, 0x1.7ac7cp+11f, 0x1.16bap+12f, 0x1.9a324p+12f, 0x1.2dd7cp+13f, 0x1.bc394p+13f, 0x1.46e18p+14f, 0}, {0x1.3095p-4f, 0x1.49fp-4f, 0x1.9303p-4f, 0x1.0c81p-3f, 0x1.7817p-3f, 0x1.0e45p-2f, 0x1.895cp-2f, 0x1.1ff5p-1f, 0x1.a6c6p-1f, 0x1.36bfp+0f, 0x1.c919p+0f, 0x1.5044p+1f, 0x1.eedbp+1f, 0x1.6c1cp+2f, 0x1.0bebp+3f, 0x1.8a4cp+3f, 0x1.2223p+4f, 0x1.ab01p+4f, 0x1.3a37p+5f, 0x1.ce6ap+5f, 0x1.5444p+6f, 0x1.f4c4p+6f, 0x1.707cp+7f, 0x1.0f26p+8f, 0x1.8f0bp+8f, 0x1.25a4p+9f, 0x1.b025p+9f, 0x1.3e01p+10f, 0x1.d4p+10f, 0x1.585dp+11f, 0x1.facfp+11f, 0}, {0x1.ed6cp-11f, 0x1.f25p-9f, 0x1.0bfp-7f, 0x1.c3ccp-7f, 0x1.601cp-6f, 0x1.09a8p-5f, 0x1.8b84p-5f, 0x1.24acp-4f, 0x1.af94p-4f, 0x1.3df8p-3f, 0x1.d4d4p-3f, 0x1.58acp-2f, 0x1.fbep-2f, 0x1.756cp-1f, 0x1.12b4p+0f, 0x1.945p+0f, 0x1.2974p+1f, 0x1.b604p+1f, 0x1.42acp+2f, 0x1.da14p+2f, 0x1.5d58p+3f, 0x1.00ep+4f, 0x1.79cp+4f, 0x1.161p+5f, 0x1.993cp+5f, 0x1.2d54p+6f, 0x1.baf4p+6f, 0x1.4698p+7f, 0x1.e05cp+7f, 0x1.610cp+8f, 0x1.03ccp+9f, 0}}};

/* Of m from 3/4 to 3/2 in widths of 1/32, numbered modulo 32. */
static const float opgen_log_intervals[3][32] = {{0, 0x1.f82a6p-6f, 0x1.f0a33p-5f, 0x1.6f0d3p-4f, 0x1.e2708p-4f, 0x1.29553p-3f, 0x1.5ff31p-3f, 0x1.9525bp-3f, 0x1.c8ff8p-3f, 0x1.fb919p-3f, 0x1.1675dp-2f, 0x1.2e8e3p-2f, 0x1.4618cp-2f, 0x1.5d1bep-2f, 0x1.739d8p-2f, 0x1.89a34p-2f, 0x1.9f324p-2f, 0, 0, 0, 0, 0, 0, 0, -0x1.26962p-2f, -0x1.f991dp-3f, -0x1.a93eep-3f, -0x1.5bf41p-3f, -0x1.1178fp-3f, -0x1.9336p-4f, -0x1.0859ap-4f, -0x1.04164p-5f}, {0x1.0002cp-5f, 0x1.f0834p-6f, 0x1.e1e88p-6f, 0x1.d4234p-6f, 0x1.c722p-6f, 0x1.bad4cp-6f, 0x1.af2dp-6f, 0x1.a41e8p-6f, 0x1.999dcp-6f, 0x1.8f9fcp-6f, 0x1.861b8p-6f, 0x1.7d09p-6f, 0x1.746p-6f, 0x1.6c198p-6f, 0x1.642f4p-6f, 0x1.5c9a8p-6f, 0x1.5554cp-6f, 0, 0, 0, 0, 0, 0, 0, 0x1.554fcp-5f, 0x1.47b68p-5f, 0x1.3b1bp-5f, 0x1.2f6fp-5f, 0x1.24984p-5f, 0x1.1a81p-5f, 0x1.1115cp-5f, 0x1.08464p-5f}, {-0x1.0003p-11f, -0x1.e2d4p-12f, -0x1.c625p-12f, -0x1.ac53p-12f, -0x1.94d7p-12f, -0x1.7f11p-12f, -0x1.6b77p-12f, -0x1.58fap-12f, -0x1.47ecp-12f, -0x1.384cp-12f, -0x1.299ap-12f, -0x1.1bdep-12f, -0x1.0f1fp-12f, -0x1.0342p-12f, -0x1.efbbp-13f, -0x1.dbb1p-13f, -0x1.cadap-13f, 0, 0, 0, 0, 0, 0, 0, -0x1.be5ap-11f, -0x1.a339p-11f, -0x1.838cp-11f, -0x1.6759p-11f, -0x1.4e2ap-11f, -0x1.3755p-11f, -0x1.22ebp-11f, -0x1.0ffcp-11f}};
static const float opgen_log2_intervals[3][32] = {{0, 0x1.6badbp-5f, 0x1.663f9p-4f, 0x1.08c59p-3f, 0x1.5c01bp-3f, 0x1.acf5ep-3f, 0x1.fbc17p-3f, 0x1.24408p-2f, 0x1.49a78p-2f, 0x1.6e222p-2f, 0x1.91bbbp-2f, 0x1.b47ecp-2f, 0x1.d6754p-2f, 0x1.f7a85p-2f, 0x1.0c105p-1f, 0x1.1bf31p-1f, 0x1.2b803p-1f, 0, 0, 0, 0, 0, 0, 0, -0x1.a8ff9p-2f, -0x1.6cb1p-2f, -0x1.32bffp-2f, -0x1.f5fd9p-3f, -0x1.8a899p-3f, -0x1.22dafp-3f, -0x1.7d607p-4f, -0x1.7739ep-5f}, {0x1.71584p-5f, 0x1.66288p-5f, 0x1.5b9f8p-5f, 0x1.51b0cp-5f, 0x1.484fp-5f, 0x1.3f6f4p-5f, 0x1.37074p-5f, 0x1.2f0d4p-5f, 0x1.27798p-5f, 0x1.20448p-5f, 0x1.19674p-5f, 0x1.12dcp-5f, 0x1.0c9ccp-5f, 0x1.06a44p-5f, 0x1.00eecp-5f, 0x1.f6ee4p-6f, 0x1.ec65cp-6f, 0, 0, 0, 0, 0, 0, 0, 0x1.ec67p-5f, 0x1.d8cap-5f, 0x1.c69ap-5f, 0x1.b5c3p-5f, 0x1.a62p-5f, 0x1.9791p-5f, 0x1.89facp-5f, 0x1.7d448p-5f}, {-0x1.715cp-11f, -0x1.5c44p-11f, -0x1.47a7p-11f, -0x1.34f8p-11f, -0x1.242p-11f, -0x1.144dp-11f, -0x1.0614p-11f, -0x1.f1cp-12f, -0x1.d88ep-12f, -0x1.c23fp-12f, -0x1.ad55p-12f, -0x1.992dp-12f, -0x1.86efp-12f, -0x1.752cp-12f, -0x1.657fp-12f, -0x1.5633p-12f, -0x1.4fefp-12f, 0, 0, 0, 0, 0, 0, 0, -0x1.41a6p-10f, -0x1.2e62p-10f, -0x1.17abp-10f, -0x1.034ep-10f, -0x1.e201p-11f, -0x1.c137p-11f, -0x1.a3a9p-11f, -0x1.8869p-11f}};
static const float opgen_log10_intervals[3][32] = {{0, 0x1.b5e9ap-7f, 0x1.af5fbp-6f, 0x1.3ed12p-5f, 0x1.a30aap-5f, 0x1.02429p-4f, 0x1.31b3p-4f, 0x1.5fe8p-4f, 0x1.8cf18p-4f, 0x1.b8de5p-4f, 0x1.e3bc2p-4f, 0x1.06cbdp-3f, 0x1.1b3e7p-3f, 0x1.2f3b7p-3f, 0x1.42c7fp-3f, 0x1.55e8cp-3f, 0x1.68a29p-3f, 0, 0, 0, 0, 0, 0, 0, -0x1.ffbfbp-4f, -0x1.b721dp-4f, -0x1.715d1p-4f, -0x1.2e3a8p-4f, -0x1.db12p-5f, -0x1.5e397p-5f, -0x1.cb393p-6f, -0x1.c3d13p-7f}, {0x1.bcbc4p-7f, 0x1.af44p-7f, 0x1.a2948p-7f, 0x1.969e8p-7f, 0x1.8b52cp-7f, 0x1.80a34p-7f, 0x1.7683cp-7f, 0x1.6ce94p-7f, 0x1.63c98p-7f, 0x1.5b1cp-7f, 0x1.52d8p-7f, 0x1.4af64p-7f, 0x1.4370cp-7f, 0x1.3c408p-7f, 0x1.35604p-7f, 0x1.2ecb4p-7f, 0x1.28804p-7f, 0, 0, 0, 0, 0, 0, 0, 0x1.28728p-6f, 0x1.1ca5cp-6f, 0x1.11b28p-6f, 0x1.078fp-6f, 0x1.fc4ap-7f, 0x1.eac24p-7f, 0x1.da66p-7f, 0x1.cb17cp-7f}, {-0x1.bcc1p-13f, -0x1.a364p-13f, -0x1.8a74p-13f, -0x1.740ap-13f, -0x1.5f8fp-13f, -0x1.4cdfp-13f, -0x1.3b3ep-13f, -0x1.2b46p-13f, -0x1.1c92p-13f, -0x1.0f0bp-13f, -0x1.025ep-13f, -0x1.ebddp-14f, -0x1.d647p-14f, -0x1.c2d1p-14f, -0x1.af93p-14f, -0x1.9b9dp-14f, -0x1.885p-14f, 0, 0, 0, 0, 0, 0, 0, -0x1.827ap-12f, -0x1.6c3dp-12f, -0x1.50bcp-12f, -0x1.3819p-12f, -0x1.2233p-12f, -0x1.0e91p-12f, -0x1.f93ap-13f, -0x1.d89bp-13f}};

#if defined(__clang__)
#define OPGEN_POWERS _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define OPGEN_POWERS _Pragma("GCC unroll 4")
#endif

/* Of v, which is from `least` to `most` or NaN: its interval's number in the low bits of w, how far it is from the middle in r. */
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

/* Of x and of |x|; of what is not a number and something else vminps and vmaxps give the second. */
OPGEN_V4_PART void opgen_between(OpgenHalf *h, float times, const OpgenIntervals *of) {
    opgen_take_times(h, times);
    opgen_interval_front(h, _mm512_min_ps(opgen_all(of->most), _mm512_max_ps(opgen_all(of->least), h->x)), of->scale);
}
OPGEN_V4_PART void opgen_size_of(OpgenHalf *h, float times, const OpgenIntervals *of) {
    opgen_take_times(h, times);
    opgen_interval_front(h, _mm512_min_ps(opgen_all(of->most), _mm512_abs_ps(h->x)), of->scale);
}

/* f(|x|) with the sign of x; f(|x|). */
OPGEN_V4_PART __m512 opgen_odd(const OpgenHalf *h, const OpgenIntervals *of) {
    return opgen_signed(opgen_interval_back(h, of->row, 3), h->x);
}
OPGEN_V4_PART __m512 opgen_even(const OpgenHalf *h, const OpgenIntervals *of) { return opgen_interval_back(h, of->row, 3); }
OPGEN_HALF_V4(tanh, opgen_size_of(h, times, &opgen_tanh_intervals), opgen_odd(h, &opgen_tanh_intervals))
OPGEN_HALF_V4(erf, opgen_size_of(h, times, &opgen_erf_intervals), opgen_odd(h, &opgen_erf_intervals))
OPGEN_HALF_V4(sinh_f16, opgen_size_of(h, times, &opgen_sinh_intervals), opgen_odd(h, &opgen_sinh_intervals))
OPGEN_HALF_V4(cosh_f16, opgen_size_of(h, times, &opgen_cosh_intervals), opgen_even(h, &opgen_cosh_intervals))
OPGEN_HALF_V4(erfc_f16, opgen_between(h, times, &opgen_erfc_intervals), opgen_interval_back(h, opgen_erfc_intervals.row, 4))

/* |x|, and -|x|, up to `most`, of which a number stays where x is none: one step, for functions that x is a part of later. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
OPGEN_V4_PART __m512 opgen_size_up_to(__m512 x, float most) { return _mm512_range_ps(x, opgen_all(most), 2 | 2 << 2); }
OPGEN_V4_PART __m512 opgen_less_size_up_to(__m512 x, float most) { return _mm512_range_ps(x, opgen_all(most), 2 | 3 << 2); }
#pragma GCC diagnostic pop

/* x, or -0 where it is negative, and beside that, negative, |x| times the probability of what is further from 0 on x's side of it: of infinity that
 * times `most`, 0, of minus infinity not a number. Of two zeros vminps and vmaxps give the second. */
OPGEN_V4_PART void opgen_normal_front(OpgenHalf *h, float times, const OpgenIntervals *of) {
    opgen_take_times(h, times);
    opgen_interval_front(h, opgen_size_up_to(h->x, of->most), of->scale);
}
OPGEN_V4_PART __m512 opgen_normal_product(const OpgenHalf *h, const OpgenIntervals *of) {
    const __m512 beyond = opgen_interval_back(h, of->row, 3);
    const __m512 less = _mm512_min_ps(opgen_less_size_up_to(h->x, of->most), h->x);
    return _mm512_fmadd_ps(less, beyond, _mm512_max_ps(opgen_all(-0.0f), h->x));
}
OPGEN_HALF_V4(gelu, opgen_normal_front(h, times, &opgen_normal_intervals), opgen_normal_product(h, &opgen_normal_intervals))
OPGEN_HALF_V4(gelu_tanh, opgen_normal_front(h, times, &opgen_normal_by_tanh_intervals),
              opgen_normal_product(h, &opgen_normal_by_tanh_intervals))

OPGEN_V4_PART void opgen_beside_size_of(OpgenHalf *h, float times, const OpgenIntervals *of) {
    opgen_take_times(h, times);
    opgen_interval_front(h, opgen_size_up_to(h->x, of->most), of->scale);
}

/* x * q / (q + d) of q = x * x, which cancels nowhere; beyond 5 the tangent is 1. */
OPGEN_V4_PART __m512 opgen_tanhshrink_of(const OpgenHalf *h) {
    const __m512 d = opgen_interval_back(h, opgen_tanhshrink_intervals.row, 2), q = _mm512_mul_ps(h->x, h->x);
    const __mmask16 far = _mm512_cmp_ps_mask(q, opgen_all(25), _CMP_GT_OQ);
    const __m512 p = _mm512_mul_ps(_mm512_mul_ps(h->x, q), _mm512_rcp14_ps(_mm512_add_ps(q, d)));
    return _mm512_mask_sub_ps(p, far, h->x, opgen_signed(opgen_all(1), h->x));
}
OPGEN_HALF_V4(tanhshrink, opgen_beside_size_of(h, times, &opgen_tanhshrink_intervals), opgen_tanhshrink_of(h))

/* max(x, 0) + log(1 + exp(-|x|)), and what -x has of that, negative. */
OPGEN_V4_PART __m512 opgen_softplus_of(const OpgenHalf *h) {
    return _mm512_add_ps(_mm512_max_ps(_mm512_setzero_ps(), h->x), opgen_even(h, &opgen_log1p_exp_intervals));
}
OPGEN_V4_PART __m512 opgen_logsigmoid_of(const OpgenHalf *h) {
    return _mm512_sub_ps(_mm512_min_ps(_mm512_setzero_ps(), h->x), opgen_even(h, &opgen_log1p_exp_intervals));
}
OPGEN_HALF_V4(softplus_f16, opgen_beside_size_of(h, times, &opgen_log1p_exp_intervals), opgen_softplus_of(h))
OPGEN_HALF_V4(logsigmoid_f16, opgen_beside_size_of(h, times, &opgen_log1p_exp_intervals), opgen_logsigmoid_of(h))

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
#undef OPGEN_BY_INTERVALS
#undef OPGEN_BY_INTERVALS_OR
#undef OPGEN_INTERVALS_X86
#undef OPGEN_INTERVALS_X86_V4

#endif

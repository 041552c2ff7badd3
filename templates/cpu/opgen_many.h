/* opgen_many.h: functions of many floats, in the place of them or elsewhere, for processors that look up 16 of 32
 * entries of a table by one instruction and have exponents of their own (x86-64-v4): a short polynomial for each of 32
 * intervals, where opgen_exp.h has one long for all. x86-64-v3 has some of them in its own way (opgen_many_v3.h).
 * Elsewhere they are the functions of opgen_exp.h. Special values are the same; how far off they may be is in
 * README.md.
 *
 * `level` is what opgen_kernel.h says, a constant where these are called. tests/cpu/fit_math.py makes the tables.
 */
#ifndef OPGEN_MANY_H
#define OPGEN_MANY_H

#include "opgen_exp.h"
#include "opgen_kernel.h"
#include "opgen_many_more_v3.h"
#include "opgen_many_v3.h"

#if defined(OPGEN_X86)
#include <immintrin.h>

/* Of each interval: the function in its middle, and coefficients of the distance from there, lowest power first. The first
 * interval begins at 0. Intervals of erf are 1/8 wide; in its first one the polynomial is that of erf(x) - x. */
static const float opgen_erf_table[6][32] = {
    {0, 0x1.1f5e1ap-3f, 0x1.1af54ep-2f, 0x1.9dd0d2p-2f, 0x1.0a7ef6p-1f, 0x1.3f196ep-1f, 0x1.6c1c98p-1f, 0x1.91724ap-1f, 0x1.af767ap-1f, 0x1.c6dad2p-1f, 0x1.d8865ep-1f, 0x1.e5768cp-1f, 0x1.eea556p-1f, 0x1.f4f694p-1f, 0x1.f92d08p-1f, 0x1.fbe61ep-1f, 0x1.fd9ae2p-1f, 0x1.fea422p-1f, 0x1.ff4048p-1f, 0x1.ff996p-1f, 0x1.ffcaa8p-1f, 0x1.ffe514p-1f, 0x1.fff2dp-1f, 0x1.fff9bap-1f, 0x1.fffd1ap-1f, 0x1.fffeb4p-1f, 0x1.ffff7p-1f, 0x1.ffffc4p-1f, 0x1.ffffe8p-1f, 0x1.fffff6p-1f, 0x1.fffffcp-1f, 0x1.fffffep-1f},
    {0x1.06eba8p-3f, 0x1.1c62fap+0f, 0x1.0f5d16p+0f, 0x1.f5f0ccp-1f, 0x1.c1efcap-1f, 0x1.86e96ap-1f, 0x1.492e44p-1f, 0x1.0cab62p-1f, 0x1.a911fp-2f, 0x1.45e99cp-2f, 0x1.e4653p-3f, 0x1.5ce596p-3f, 0x1.e72372p-4f, 0x1.499d48p-4f, 0x1.b0553p-5f, 0x1.12ceb2p-5f, 0x1.529bap-6f, 0x1.94624ep-7f, 0x1.d4143cp-8f, 0x1.06918ap-8f, 0x1.1d8316p-9f, 0x1.2ce898p-10f, 0x1.3360cep-11f, 0x1.30539p-12f, 0x1.2408eap-13f, 0x1.0f9e1cp-14f, 0x1.e9b5eap-16f, 0x1.abe0ap-17f, 0x1.6a5972p-18f, 0x1.296a7p-19f, 0x1.d9371ep-21f, 0x1.6ce1aap-22f},
    {0x1.0b37eep-21f, -0x1.1c6136p-3f, -0x1.0f5be8p-2f, -0x1.786ecap-2f, -0x1.c1f396p-2f, -0x1.e8a6dcp-2f, -0x1.edcfb6p-2f, -0x1.d636c8p-2f, -0x1.a90ab4p-2f, -0x1.6e9ebp-2f, -0x1.2ec5bcp-2f, -0x1.dfb45ep-3f, -0x1.6d6c8p-3f, -0x1.0bd908p-3f, -0x1.7a6ab4p-4f, -0x1.016606p-4f, -0x1.52fa58p-5f, -0x1.ae1af2p-6f, -0x1.07eb06p-6f, -0x1.35e502p-7f, -0x1.6110c4p-8f, -0x1.851274p-9f, -0x1.ab9f62p-10f, -0x1.ad3606p-11f, -0x1.850c16p-12f, -0x1.b28ae2p-13f, -0x1.ee6fc8p-14f, -0x1.9d8fb4p-14f, -0x1.3e54fcp-14f, -0x1.1deda8p-19f, 0x1.09aaa4p-17f, 0x1.1a73e2p-15f},
    {-0x1.8131ccp-2f, -0x1.6f4f9p-2f, -0x1.3c947ap-2f, -0x1.e0e112p-3f, -0x1.2bfa14p-3f, -0x1.c84796p-5f, 0x1.b61b16p-6f, 0x1.7c8994p-4f, 0x1.1b693cp-3f, 0x1.4cb636p-3f, 0x1.5719f6p-3f, 0x1.4374fep-3f, 0x1.1c294ap-3f, 0x1.d660dap-4f, 0x1.714808p-4f, 0x1.1440acp-4f, 0x1.8b0788p-5f, 0x1.0ea466p-5f, 0x1.63eda6p-6f, 0x1.c1ef5ep-7f, 0x1.119f1p-7f, 0x1.408092p-8f, 0x1.69cdfep-9f, 0x1.89e134p-10f, 0x1.9db73ep-11f, 0x1.a3725ep-12f, 0x1.9aa32ap-13f, 0x1.845054p-14f, 0x1.62cb94p-15f, 0x1.394a7cp-16f, 0x1.0b698p-17f, 0x1.b95de2p-19f},
    {0x1.1091a6p-10f, 0x1.158902p-4f, 0x1.015fb6p-3f, 0x1.49259cp-3f, 0x1.7e2192p-3f, 0x1.6f3e52p-3f, 0x1.49042ap-3f, 0x1.f7a192p-4f, 0x1.fd0cfcp-5f, 0x1.4976b2p-6f, 0x1.109218p-12f, -0x1.165fe4p-5f, -0x1.251c1ep-5f, -0x1.71e2c4p-5f, -0x1.4978ccp-5f, -0x1.d18586p-5f, -0x1.76f3d2p-6f, -0x1.3d9092p-6f, -0x1.328976p-7f, -0x1.cb2faep-6f, -0x1.821f5ap-6f, -0x1.14a11ep-6f, 0x1.a1f912p-10f, -0x1.83c532p-8f, -0x1.aa334ap-7f, 0x1.6370d2p-11f, 0x1.6f2f32p-8f, 0x1.cd3f1p-7f, 0x1.dbb732p-7f, -0x1.942794p-10f, -0x1.7a3fecp-9f, -0x1.2593a8p-7f},
    {0x1.ab592ap-4f, 0x1.927a0ap-4f, 0x1.3a8d8ap-4f, 0x1.d54c1ep-6f, 0x1.6b7f6ap-7f, -0x1.61cf32p-6f, -0x1.561bb6p-5f, -0x1.f7f7b8p-5f, -0x1.2a7378p-4f, -0x1.021e9p-4f, -0x1.75d0e8p-5f, -0x1.f9f07cp-6f, -0x1.d45628p-7f, -0x1.b5e6ap-10f, 0x1.c1a57cp-8f, 0x1.5e74e8p-7f, 0x1.b7fe58p-7f, 0x1.9a4a1ap-7f, 0x1.603ab2p-7f, 0x1.0f0394p-7f, 0x1.8e6fe4p-8f, 0x1.13c82ep-8f, 0x1.6a9366p-9f, 0x1.c1d6aep-10f, 0x1.0ad154p-10f, 0x1.2f852cp-11f, 0x1.4a5db2p-12f, 0x1.592eecp-13f, 0x1.5a144p-14f, 0x1.4d878ap-15f, 0x1.35c36ep-16f, 0x1.14ed44p-17f}};
/* The same in intervals of 0.29, and before that a float near the middle of which the function is almost a float itself: that is where the distance
 * is from. */
static const float opgen_tanh_table[8][32] = {
    {0, 0x1.28f4cap-2f, 0x1.28f6cep-1f, 0x1.bd6fd6p-1f, 0x1.28f4aap+0f, 0x1.73338p+0f, 0x1.bd703p+0f, 0x1.03d888p+1f,
     0x1.28f5a6p+1f, 0x1.4e13d8p+1f, 0x1.7333bap+1f, 0x1.985342p+1f, 0x1.bd71c6p+1f, 0x1.e29088p+1f, 0x1.03d838p+2f,
     0x1.166784p+2f, 0x1.28f6bap+2f, 0x1.3b860ep+2f, 0x1.4e151ep+2f, 0x1.60a566p+2f, 0x1.7331a6p+2f, 0x1.85c41ep+2f,
     0x1.98537ap+2f, 0x1.aadfbap+2f, 0x1.bd7232p+2f, 0x1.cffe72p+2f, 0x1.e290eap+2f, 0x1.f52046p+2f, 0x1.03d57cp+3f,
     0x1.0d1d2ap+3f, 0x1.1664d8p+3f, 0x1.1fac86p+3f},
    {0, 0x1.20e70ep-2f, 0x1.0b9b9p-1f, 0x1.671a1ap-1f, 0x1.a45eap-1f, 0x1.ca986p-1f, 0x1.e16548p-1f, 0x1.eea358p-1f,
     0x1.f6347ep-1f, 0x1.fa7e12p-1f, 0x1.fce8c4p-1f, 0x1.fe446cp-1f, 0x1.ff0774p-1f, 0x1.ff74c8p-1f, 0x1.ffb20ap-1f,
     0x1.ffd458p-1f, 0x1.ffe78ep-1f, 0x1.fff25p-1f, 0x1.fff856p-1f, 0x1.fffbb6p-1f, 0x1.fffd98p-1f, 0x1.fffea8p-1f,
     0x1.ffff4p-1f, 0x1.ffff94p-1f, 0x1.ffffc4p-1f, 0x1.ffffdep-1f, 0x1.ffffeep-1f, 0x1.fffff6p-1f, 0x1.fffffap-1f,
     0x1.fffffcp-1f, 0x1.fffffep-1f, 0x1.fffffep-1f},
    {0x1p+0f, 0x1.d73eeap-1f, 0x1.742112p-1f, 0x1.0422e4p-1f, 0x1.4db96p-2f, 0x1.94f4dcp-3f, 0x1.db08fep-4f,
     0x1.1114cp-4f, 0x1.3670b8p-5f, 0x1.5e962cp-6f, 0x1.8a6c5p-7f, 0x1.bad3dcp-8f, 0x1.f09f5ap-9f, 0x1.164a26p-9f,
     0x1.37c042p-10f, 0x1.5d311ep-11f, 0x1.87169ep-12f, 0x1.b5fa24p-13f, 0x1.ea7c56p-14f, 0x1.129708p-14f,
     0x1.3395a6p-15f, 0x1.584faap-16f, 0x1.81763ep-17f, 0x1.aff1e4p-18f, 0x1.e33a14p-19f, 0x1.0eb998p-19f,
     0x1.2deb66p-20f, 0x1.51e2dcp-21f, 0x1.7bc178p-22f, 0x1.9bebbap-23f, 0x1.d73c8p-24f, 0x1.c667aep-25f},
    {-0x1.5acd5cp-24f, -0x1.09e806p-2f, -0x1.8500a4p-2f, -0x1.6ce776p-2f, -0x1.11ffbep-2f, -0x1.6ab78cp-3f,
     -0x1.bea3e8p-4f, -0x1.07d2bep-4f, -0x1.30804ep-5f, -0x1.5ad0a8p-6f, -0x1.880ad6p-7f, -0x1.b9594ap-8f,
     -0x1.efafe8p-9f, -0x1.1601b6p-9f, -0x1.379162p-10f, -0x1.5d15ap-11f, -0x1.86efaap-12f, -0x1.b5eb12p-13f,
     -0x1.ea76fp-14f, -0x1.3e9494p-14f, -0x1.2092bap-16f, -0x1.ea1a7ap-16f, -0x1.0abf0ap-15f, -0x1.9a6968p-18f,
     -0x1.f0a2b4p-17f, 0x1.d3756ep-20f, -0x1.a8166p-16f, -0x1.0ee53p-16f, 0x1.277644p-20f, 0x1.1c7376p-16f,
     0x1.c5f288p-19f, 0x1.98670ep-16f},
    {-0x1.555342p-2f, -0x1.de48ccp-3f, -0x1.66333cp-5f, 0x1.4a078cp-4f, 0x1.c6e362p-4f, 0x1.7bcc34p-4f, 0x1.05992p-4f,
     0x1.47b3f2p-5f, 0x1.86654ep-6f, 0x1.c47202p-7f, 0x1.0232fap-7f, 0x1.243a6ep-8f, 0x1.49324ap-9f, 0x1.71e0dap-10f,
     0x1.9eede6p-11f, 0x1.d11ed2p-12f, 0x1.0493dcp-12f, 0x1.23e3c6p-13f, 0x1.46ee1ap-14f, 0x1.7254ap-15f,
     0x1.a9cff8p-16f, 0x1.d927e6p-17f, 0x1.21e21ep-17f, 0x1.20ffa6p-18f, 0x1.8ab18ep-19f, 0x1.99a4bep-20f,
     0x1.00f416p-19f, 0x1.3966a2p-20f, 0x1.94027ep-22f, 0x1.df01e8p-20f, 0x1.b8d9fep-22f, 0x1.4133d6p-19f},
    {-0x1.0915f4p-12f, 0x1.3828fp-3f, 0x1.32283p-3f, 0x1.fe306p-5f, -0x1.048d66p-9f, -0x1.897fbp-6f, -0x1.845736p-6f,
     -0x1.18413ap-6f, -0x1.67ead6p-7f, -0x1.b0e26p-8f, -0x1.f7bb48p-9f, -0x1.1b4058p-9f, -0x1.45139cp-10f,
     -0x1.69f802p-11f, -0x1.9ccfbp-12f, -0x1.cbfb0ap-13f, -0x1.1872f6p-13f, -0x1.2717d8p-14f, -0x1.44ee16p-15f,
     0x1.56dc38p-10f, -0x1.452446p-9f, 0x1.1ef864p-10f, 0x1.50f4aap-9f, -0x1.674adp-15f, 0x1.73de96p-10f,
     -0x1.f474fp-12f, 0x1.913d08p-9f, 0x1.01c8b8p-9f, -0x1.8315f4p-13f, -0x1.1d0d78p-9f, -0x1.d06f74p-12f,
     -0x1.958ecap-9f},
    {0x1.184caep-3f, 0x1.c3a192p-5f, -0x1.7be6bcp-5f, -0x1.e2aecp-5f, -0x1.ceddb6p-6f, -0x1.4f8a24p-8f,
     0x1.cdbcc6p-9f, 0x1.3346fap-8f, 0x1.dfdf52p-9f, 0x1.3b6c44p-9f, 0x1.806252p-10f, 0x1.c0701p-11f, 0x1.026ad2p-11f,
     0x1.233f24p-12f, 0x1.499dc8p-13f, 0x1.73e558p-14f, 0x1.a198bp-15f, 0x1.d48764p-16f, 0x1.065c76p-16f,
     -0x1.003588p-16f, -0x1.4bb3dep-15f, -0x1.20072ep-16f, -0x1.794d84p-15f, 0x1.0f7774p-23f, -0x1.a5ec7cp-16f,
     -0x1.177f28p-17f, -0x1.cdffd6p-15f, -0x1.28cdc4p-15f, -0x1.bbdd94p-18f, -0x1.495cdap-14f, -0x1.0c323ap-16f,
     -0x1.d4ec4ep-14f},
    {-0x1.70ac86p-6f, -0x1.214e86p-4f, -0x1.163892p-5f, 0x1.945a7ap-7f, 0x1.22b3dp-6f, 0x1.1a46eap-7f, 0x1.1c852cp-9f,
     -0x1.40be9ep-9f, -0x1.6fc4a6p-11f, -0x1.30efaep-11f, -0x1.e7c024p-12f, -0x1.824afp-10f, -0x1.73819ap-12f,
     -0x1.ece758p-12f, -0x1.63a788p-14f, -0x1.99bf9ep-14f, 0x1.2c7218p-12f, 0x1.0957e2p-16f, -0x1.a276dap-17f,
     -0x1.5949c2p-5f, 0x1.4074dap-4f, -0x1.1e0682p-5f, -0x1.4e404ap-4f, 0x1.51f934p-10f, -0x1.70a59p-5f,
     0x1.eeff3p-7f, -0x1.8d78f2p-4f, -0x1.feb892p-5f, 0x1.7f29f6p-8f, 0x1.1a565ap-4f, 0x1.cbfc9cp-7f, 0x1.91b444p-4f},
};

/* 2^(i / 16), and the same less 1 for i from -8 to 7, what is negative behind the others. */
static const float opgen_power_table[2][16] = {
    {0x1p+0f, 0x1.0b5586p+0f, 0x1.172b84p+0f, 0x1.2387a6p+0f, 0x1.306fep+0f, 0x1.3dea64p+0f, 0x1.4bfdaep+0f,
     0x1.5ab07ep+0f, 0x1.6a09e6p+0f, 0x1.7a1148p+0f, 0x1.8ace54p+0f, 0x1.9c4918p+0f, 0x1.ae89fap+0f, 0x1.c199bep+0f,
     0x1.d5818ep+0f, 0x1.ea4afap+0f},
    {0, 0x1.6ab0dap-5f, 0x1.72b83cp-4f, 0x1.1c3d38p-3f, 0x1.837f06p-3f, 0x1.ef5326p-3f, 0x1.2ff6b6p-2f, 0x1.6ac1f8p-2f,
     -0x1.2bec34p-2f, -0x1.0bdd72p-2f, -0x1.d4c6bp-3f, -0x1.8edbap-3f, -0x1.45d81ap-3f, -0x1.f33212p-4f,
     -0x1.53f392p-4f, -0x1.5b505ep-5f},
};

/* For m from 3/4 to 3/2, in 1/32 around i / 32 at place i modulo 32: a float near 32 / i whose logarithms are almost floats, and
 * those, negative: natural, and to base 2. */
static const float opgen_log_table[3][32] = {
    {0x1p+0f, 0x1.f07664p-1f, 0x1.e1e1a6p-1f, 0x1.d426a2p-1f, 0x1.c726e6p-1f, 0x1.bacf3cp-1f, 0x1.af317ap-1f,
     0x1.a422aep-1f, 0x1.998a06p-1f, 0x1.8f91ccp-1f, 0x1.861aaep-1f, 0x1.7d0934p-1f, 0x1.746c64p-1f, 0x1.6c1d2ap-1f,
     0x1.6427d4p-1f, 0x1.5c8fd4p-1f, 0x1.5545b6p-1f, 0, 0, 0, 0, 0, 0, 0, 0x1.5545c8p+0f, 0x1.47a4e8p+0f,
     0x1.3b0b1ap+0f, 0x1.2f77ep+0f, 0x1.24959p+0f, 0x1.1a711ap+0f, 0x1.110616p+0f, 0x1.084544p+0f},
    {0, 0x1.f8e6cep-6f, 0x1.f0a706p-5f, 0x1.6ebb2p-4f, 0x1.e21262p-4f, 0x1.2956bap-3f, 0x1.5fc804p-3f,
     0x1.94fc9ap-3f, 0x1.c94d6p-3f, 0x1.fbc652p-3f, 0x1.166fc2p-2f, 0x1.2e857p-2f, 0x1.45eeaap-2f, 0x1.5d09d6p-2f,
     0x1.73aafep-2f, 0x1.89bcbap-2f, 0x1.9f611ep-2f, 0, 0, 0, 0, 0, 0, 0, -0x1.266778p-2f, -0x1.f9587p-3f,
     -0x1.a906fcp-3f, -0x1.5c5d2cp-3f, -0x1.118fd8p-3f, -0x1.929ddcp-4f, -0x1.07b4d2p-4f, -0x1.047914p-5f},
    {0, 0x1.6c35a2p-5f, 0x1.66424ep-4f, 0x1.088a5cp-3f, 0x1.5bbdc6p-3f, 0x1.acf81cp-3f, 0x1.fb835ep-3f,
     0x1.2422dcp-2f, 0x1.49dfb4p-2f, 0x1.6e4832p-2f, 0x1.91b2f4p-2f, 0x1.b47226p-2f, 0x1.d6388cp-2f, 0x1.f78e56p-2f,
     0x1.0c1a0cp-1f, 0x1.1c0578p-1f, 0x1.2ba204p-1f, 0, 0, 0, 0, 0, 0, 0, -0x1.a8bc46p-2f, -0x1.6c879ap-2f,
     -0x1.3297a6p-2f, -0x1.f6953cp-3f, -0x1.8aaa98p-3f, -0x1.226d3p-3f, -0x1.7c72a4p-4f, -0x1.77c876p-5f},
};
/* The same to base 10, of other floats. */
static const float opgen_log10_table[2][32] = {{0x1p+0f, 0x1.f07ab2p-1f, 0x1.e1e656p-1f, 0x1.d41778p-1f, 0x1.c71772p-1f, 0x1.bad0c6p-1f, 0x1.af2afcp-1f, 0x1.a414d8p-1f, 0x1.99987p-1f, 0x1.8fa428p-1f, 0x1.86156ep-1f, 0x1.7d08c4p-1f, 0x1.745beep-1f, 0x1.6c0a5cp-1f, 0x1.641da8p-1f, 0x1.5c91eap-1f, 0x1.554aa4p-1f, 0, 0, 0, 0, 0, 0, 0, 0x1.55616ep+0f, 0x1.47a1a8p+0f, 0x1.3b164ap+0f, 0x1.2f69cep+0f, 0x1.249496p+0f, 0x1.1a8274p+0f, 0x1.11086ep+0f, 0x1.0833e6p+0f}, {0, 0x1.b611e8p-7f, 0x1.af1ddp-6f, 0x1.3efd18p-5f, 0x1.a331b2p-5f, 0x1.023db4p-4f, 0x1.31a872p-4f, 0x1.5ffefp-4f, 0x1.8cf69p-4f, 0x1.b8ba6ep-4f, 0x1.e3c99p-4f, 0x1.06c546p-3f, 0x1.1b4138p-3f, 0x1.2f59b2p-3f, 0x1.42ed08p-3f, 0x1.55f99ap-3f, 0x1.68be66p-3f, 0, 0, 0, 0, 0, 0, 0, -0x1.fffeccp-4f, -0x1.b6de5ap-4f, -0x1.716bb6p-4f, -0x1.2e434cp-4f, -0x1.db2de6p-5f, -0x1.5e8fe2p-5f, -0x1.ca57eap-6f, -0x1.c0d58ep-7f}};
/* For sums of 1 and i / 31: about what 1 is divided by them, and the logarithm of that, negative. */
static const float opgen_log1p_exp_table[2][32] = {
    {0x1p+0f, 0x1.eff42p-1f, 0x1.e0f1cep-1f, 0x1.d2d5aap-1f, 0x1.c57914p-1f, 0x1.b8dfacp-1f, 0x1.acf76ep-1f,
     0x1.a1b172p-1f, 0x1.96eb86p-1f, 0x1.8cd918p-1f, 0x1.8321b2p-1f, 0x1.79e7a8p-1f, 0x1.712746p-1f, 0x1.68bc32p-1f,
     0x1.60bde6p-1f, 0x1.58fe2p-1f, 0x1.51ab7ap-1f, 0x1.4ab10cp-1f, 0x1.43e584p-1f, 0x1.3d6992p-1f, 0x1.37404p-1f,
     0x1.3136bep-1f, 0x1.2b85eep-1f, 0x1.25eec8p-1f, 0x1.2090e2p-1f, 0x1.1b7774p-1f, 0x1.1672d6p-1f, 0x1.11b5c4p-1f,
     0x1.0d1364p-1f, 0x1.088a0ap-1f, 0x1.042d8p-1f, 0x1.00040cp-1f},
    {0, 0x1.04d9fcp-5f, 0x1.004c2cp-4f, 0x1.7a4386p-4f, 0x1.f13592p-4f, 0x1.324fbcp-3f, 0x1.6a6288p-3f,
     0x1.a0ed46p-3f, 0x1.d67124p-3f, 0x1.04e2cp-2f, 0x1.1e44f2p-2f, 0x1.36f86cp-2f, 0x1.4ef688p-2f, 0x1.6695cp-2f,
     0x1.7d87cap-2f, 0x1.9446d4p-2f, 0x1.aa3f06p-2f, 0x1.bfa138p-2f, 0x1.d4e3dcp-2f, 0x1.e99906p-2f, 0x1.fdaba2p-2f,
     0x1.08dd1ep-1f, 0x1.128002p-1f, 0x1.1c2582p-1f, 0x1.2594dp-1f, 0x1.2eb5bcp-1f, 0x1.37dacep-1f, 0x1.40a48cp-1f,
     0x1.4962c6p-1f, 0x1.521772p-1f, 0x1.5a9a74p-1f, 0x1.62dc18p-1f},
};

/* exp(x * x) times the complement of erf: coefficients of the distance from the middle, lowest power first, of the 8 intervals that 1 + x has for each
 * exponent from 0 on, numbered by the lowest bits of that and the highest ones of the fraction. */
static const float opgen_erfcx_table[5][32] = {{0x1.9531ep-2f, 0x1.5f88f6p-2f, 0x1.3583f6p-2f, 0x1.13e574p-2f, 0x1.f0fd28p-3f, 0x1.c3987ep-3f, 0x1.9d7738p-3f, 0x1.7d0a5ep-3f, 0x1.54a7ap-3f, 0x1.2a2af2p-3f, 0x1.08e62cp-3f, 0x1.dc603ap-4f, 0x1.b096fap-4f, 0x1.8c1404p-4f, 0x1.6d2f82p-4f, 0x1.52b80ep-4f, 0x1.31743p-4f, 0x1.0e078p-4f, 0x1.e3db9cp-5f, 0x1.b634a6p-5f, 0, 0, 0, 0, 0x1.ddcd36p-1f, 0x1.a36bbcp-1f, 0x1.73c18ap-1f, 0x1.4c630ep-1f, 0x1.2b84fp-1f, 0x1.0fce4ep-1f, 0x1.f0724p-2f, 0x1.c7f814p-2f}, {-0x1.e78ac8p-3f, -0x1.797a36p-3f, -0x1.2b11cap-3f, -0x1.e3655ep-4f, -0x1.8d6f74p-4f, -0x1.4baeaep-4f, -0x1.18737ap-4f, -0x1.dfc02p-5f, -0x1.82a7cep-5f, -0x1.2aa612p-5f, -0x1.da3946p-6f, -0x1.811478p-6f, -0x1.3e981ap-6f, -0x1.0bc46cp-6f, -0x1.c82c14p-7f, -0x1.8914eap-7f, -0x1.4043fap-7f, -0x1.f57c52p-8f, -0x1.93105ap-8f, -0x1.4ae8bcp-8f, 0, 0, 0, 0, -0x1.030094p+0f, -0x1.a4727ap-1f, -0x1.5961e8p-1f, -0x1.1ee43cp-1f, -0x1.e18ab6p-2f, -0x1.97fe7cp-2f, -0x1.5cbc24p-2f, -0x1.2c84bp-2f}, {0x1.05e7dcp-3f, 0x1.7010f2p-4f, 0x1.0a16aep-4f, 0x1.8a703p-5f, 0x1.2adf16p-5f, 0x1.cdbdd6p-6f, 0x1.6b08bap-6f, 0x1.21ca42p-6f, 0x1.a7eefp-7f, 0x1.22ef1ap-7f, 0x1.9efc58p-8f, 0x1.317c9ep-8f, 0x1.cdf16p-9f, 0x1.653b1cp-9f, 0x1.199662p-9f, 0x1.c38644p-10f, 0x1.4d0596p-10f, 0x1.cea38ap-11f, 0x1.4dfc4ep-11f, 0x1.f18fe2p-12f, 0, 0, 0, 0, 0x1.bd6c26p-1f, 0x1.5494e4p-1f, 0x1.07d26ep-1f, 0x1.9dc832p-2f, 0x1.48316ep-2f, 0x1.0725eep-2f, 0x1.aa3256p-3f, 0x1.5c711ep-3f}, {-0x1.0225cep-4f, -0x1.4cc7ap-5f, -0x1.bb27cap-6f, -0x1.2fa98ap-6f, -0x1.aac17ep-7f, -0x1.32fe3cp-7f, -0x1.c309a6p-8f, -0x1.51719cp-8f, -0x1.c48356p-9f, -0x1.154aa2p-9f, -0x1.64592p-10f, -0x1.dd61fcp-11f, -0x1.4a5eb2p-11f, -0x1.d70402p-12f, -0x1.58261p-12f, -0x1.010c0cp-12f, -0x1.592b5cp-13f, -0x1.a9af76p-14f, -0x1.142e28p-14f, -0x1.752fd4p-15f, 0, 0, 0, 0, -0x1.47559cp-1f, -0x1.dc1d1ep-2f, -0x1.5f15e4p-2f, -0x1.06112ap-2f, -0x1.8c3f5ep-3f, -0x1.2efcb8p-3f, -0x1.d4c5e6p-4f, -0x1.6dfb3cp-4f}, {0x1.d537c2p-6f, 0x1.1a0054p-6f, 0x1.597bdp-7f, 0x1.b8d89cp-8f, 0x1.1bfb4cp-8f, 0x1.984896p-9f, 0x1.f161cp-10f, 0x1.602518p-10f, 0x1.d1a502p-11f, 0x1.019ddap-11f, 0x1.27a312p-12f, 0x1.6ce712p-13f, 0x1.c73104p-14f, 0x1.28841p-14f, 0x1.c8828p-15f, 0x1.44d8dep-15f, 0x1.624b2p-16f, 0x1.82af42p-17f, 0x1.c5e8dap-18f, 0x1.1b7e8ep-18f, 0, 0, 0, 0, 0x1.aaa388p-2f, 0x1.2a07a6p-2f, 0x1.a3b26ep-3f, 0x1.1accb6p-3f, 0x1.9f413p-4f, 0x1.20c562p-4f, 0x1.d97eaap-5f, 0x1.772ea6p-5f}};

/* As that of tanh: what gelu is x times of, less 1/2, and that of gelu by tanh, in intervals of 0.18. The last value is 1/2. */
#define OPGEN_GELU_MOST 0x1.652046p+2f
static const float opgen_gelu_table[6][32] = {
    {0, 0x1.70a374p-3f, 0x1.70a516p-2f, 0x1.147c4ap-1f, 0x1.70a274p-1f, 0x1.cccbap-1f, 0x1.147ad8p+0f, 0x1.42903cp+0f, 0x1.70a302p+0f, 0x1.9eb7a4p+0f, 0x1.cccb5ap+0f, 0x1.fae002p+0f, 0x1.147a92p+1f, 0x1.2b854ap+1f, 0x1.4290dep+1f, 0x1.599822p+1f, 0x1.70a3dp+1f, 0x1.87aeecp+1f, 0x1.9eb8acp+1f, 0x1.b5c1c8p+1f, 0x1.cccc7ap+1f, 0x1.e3d77cp+1f, 0x1.fae2d6p+1f, 0x1.08f434p+2f, 0x1.147954p+2f, 0x1.200036p+2f, 0x1.2b86acp+2f, 0x1.3708bp+2f, 0x1.428dcep+2f, 0x1.4e1608p+2f, 0x1.599b28p+2f, 0x1.652046p+2f},
    {0, 0x1.248ce4p-4f, 0x1.1fe778p-3f, 0x1.a4ab7ap-3f, 0x1.0e936cp-2f, 0x1.43851ep-2f, 0x1.70912cp-2f, 0x1.95acfep-2f, 0x1.b3441cp-2f, 0x1.ca1eb4p-2f, 0x1.db34ap-2f, 0x1.e7931ep-2f, 0x1.f03e78p-2f, 0x1.f6207ap-2f, 0x1.f9fe02p-2f, 0x1.fc7308p-2f, 0x1.fdf6c2p-2f, 0x1.feddeap-2f, 0x1.ff6356p-2f, 0x1.ffadeap-2f, 0x1.ffd64ap-2f, 0x1.ffeb72p-2f, 0x1.fff62ep-2f, 0x1.fffb72p-2f, 0x1.fffdf4p-2f, 0x1.ffff1cp-2f, 0x1.ffffap-2f, 0x1.ffffd8p-2f, 0x1.fffffp-2f, 0x1.fffffap-2f, 0x1.fffffep-2f, 0x1p-1f},
    {0x1.98845p-2f, 0x1.91f3bep-2f, 0x1.7ee238p-2f, 0x1.61176cp-2f, 0x1.3b3dfap-2f, 0x1.10793ap-2f, 0x1.c7feaep-3f, 0x1.7164eap-3f, 0x1.21b72ep-3f, 0x1.b7f17p-4f, 0x1.43649ep-4f, 0x1.cc4538p-5f, 0x1.3d17dcp-5f, 0x1.a6f942p-6f, 0x1.111758p-6f, 0x1.55838ep-7f, 0x1.9d512cp-8f, 0x1.e449a2p-9f, 0x1.12b612p-9f, 0x1.2dbe9ap-10f, 0x1.40d1cap-11f, 0x1.4a3622p-12f, 0x1.4908aep-13f, 0x1.3da15p-14f, 0x1.28ace4p-15f, 0x1.0c2282p-16f, 0x1.d543cap-18f, 0x1.8de12cp-19f, 0x1.465dc6p-20f, 0x1.03356ap-21f, 0x1.8d412p-23f, 0x1.1f22acp-24f},
    {0x1.59abbap-18f, -0x1.21671ep-5f, -0x1.13addcp-4f, -0x1.7d589cp-4f, -0x1.c5f106p-4f, -0x1.ea727p-4f, -0x1.ec794ap-4f, -0x1.d170e8p-4f, -0x1.a12fbep-4f, -0x1.6459f4p-4f, -0x1.230cd6p-4f, -0x1.c7a9d4p-5f, -0x1.567596p-5f, -0x1.eee178p-6f, -0x1.581a9cp-6f, -0x1.cd090ap-7f, -0x1.2996dcp-7f, -0x1.727c12p-8f, -0x1.bd098p-9f, -0x1.01fe36p-9f, -0x1.20bde6p-10f, -0x1.380de2p-11f, -0x1.4bc8ap-12f, -0x1.4423aep-13f, -0x1.32716p-14f, -0x1.2daa5p-15f, -0x1.4767d6p-16f, 0x1.95a2b2p-20f, 0x1.41c876p-19f, -0x1.545cacp-20f, -0x1.0983b4p-18f, -0x1.949ff8p-17f},
    {-0x1.110af4p-4f, -0x1.02ea9ap-4f, -0x1.bbc786p-5f, -0x1.4d294cp-5f, -0x1.94d47ep-6f, -0x1.14f8dcp-7f, 0x1.916f96p-8f, 0x1.2067eap-6f, 0x1.9db762p-6f, 0x1.db8c58p-6f, 0x1.e2455cp-6f, 0x1.bfa5d8p-6f, 0x1.8345a2p-6f, 0x1.3b83d8p-6f, 0x1.e743b4p-7f, 0x1.66583cp-7f, 0x1.f7403cp-8f, 0x1.523f2p-8f, 0x1.b402b2p-9f, 0x1.0dd6p-9f, 0x1.40fd18p-10f, 0x1.6f5d4ap-11f, 0x1.939694p-12f, 0x1.ac72e8p-13f, 0x1.b680e4p-14f, 0x1.b16254p-15f, 0x1.9c662cp-16f, 0x1.8689fap-17f, 0x1.5f281ep-18f, 0x1.1cf80ep-19f, 0x1.173554p-20f, 0x1.e60e6ep-21f},
    {0x1.23101p-9f, 0x1.1cf3aap-7f, 0x1.06fb92p-6f, 0x1.57cbf8p-6f, 0x1.76deaap-6f, 0x1.658652p-6f, 0x1.2cb7c6p-6f, 0x1.b5ca7p-7f, 0x1.01ec64p-7f, 0x1.6674e4p-9f, -0x1.6f5fc8p-10f, -0x1.164f1ap-8f, -0x1.7b497cp-8f, -0x1.97b8dcp-8f, -0x1.7f2c8cp-8f, -0x1.49bc2p-8f, -0x1.069c3ap-8f, -0x1.8945ep-9f, -0x1.1655ecp-9f, -0x1.765f94p-10f, -0x1.e00d9cp-11f, -0x1.2677fcp-11f, 0x1.863e66p-12f, -0x1.d86122p-12f, -0x1.0a2cbep-11f, -0x1.b3a314p-15f, 0x1.7b8132p-12f, -0x1.1d318ap-10f, -0x1.6470f8p-11f, -0x1.c6dfecp-20f, 0x1.bdeeaep-12f, 0x1.7fbfdp-10f}};
static const float opgen_gelu_tanh_table[6][32] = {
    {0, 0x1.70a296p-3f, 0x1.70a3fap-2f, 0x1.147a4cp-1f, 0x1.70a364p-1f, 0x1.cccd9p-1f, 0x1.147a78p+0f, 0x1.42906cp+0f, 0x1.70a256p+0f, 0x1.9eb9d4p+0f, 0x1.cccd1ep+0f, 0x1.fae2d4p+0f, 0x1.147b92p+1f, 0x1.2b83b6p+1f, 0x1.42909cp+1f, 0x1.59984cp+1f, 0x1.70a292p+1f, 0x1.87ad12p+1f, 0x1.9eb99ap+1f, 0x1.b5c32ep+1f, 0x1.cccbep+1f, 0x1.e3d898p+1f, 0x1.fae2d6p+1f, 0x1.08f43ep+2f, 0x1.147b22p+2f, 0x1.20018ep+2f, 0x1.2b839p+2f, 0x1.3708bp+2f, 0x1.4290eap+2f, 0x1.4e1608p+2f, 0x1.599b28p+2f, 0x1.652046p+2f},
    {0, 0x1.248a3ep-4f, 0x1.1fdf4ap-3f, 0x1.a492aap-3f, 0x1.0e7df2p-2f, 0x1.4363f4p-2f, 0x1.70652ap-2f, 0x1.957e46p-2f, 0x1.b31a14p-2f, 0x1.ca0348p-2f, 0x1.db2b96p-2f, 0x1.e79e6ep-2f, 0x1.f05b36p-2f, 0x1.f648e6p-2f, 0x1.fa2c68p-2f, 0x1.fca0fep-2f, 0x1.fe1f9ap-2f, 0x1.feff38p-2f, 0x1.ff7c88p-2f, 0x1.ffbfa4p-2f, 0x1.ffe1f4p-2f, 0x1.fff2aap-2f, 0x1.fffa62p-2f, 0x1.fffdc2p-2f, 0x1.ffff28p-2f, 0x1.ffffb4p-2f, 0x1.ffffe6p-2f, 0x1.fffff8p-2f, 0x1.fffffep-2f, 0x1p-1f, 0x1p-1f, 0x1p-1f},
    {0x1.98845p-2f, 0x1.91ebb2p-2f, 0x1.7ec5ap-2f, 0x1.60e3ap-2f, 0x1.3afa12p-2f, 0x1.103888p-2f, 0x1.c7b35p-3f, 0x1.716e06p-3f, 0x1.2221e4p-3f, 0x1.b95c98p-4f, 0x1.45223p-4f, 0x1.cfa352p-5f, 0x1.3fbe7p-5f, 0x1.aa2a18p-6f, 0x1.11ee1ap-6f, 0x1.535cc2p-7f, 0x1.9424aep-8f, 0x1.cdc4e6p-9f, 0x1.f8f99ep-10f, 0x1.07c72cp-10f, 0x1.06930ep-11f, 0x1.f08fc2p-13f, 0x1.bd391p-14f, 0x1.79b5f8p-15f, 0x1.2de026p-16f, 0x1.c5f812p-18f, 0x1.40c94ep-19f, 0x1.a840e4p-21f, 0x1.0496d4p-22f, 0x1.2529e6p-24f, 0x1.3997ap-26f, 0x1.36eb52p-28f},
    {0x1.5b9908p-18f, -0x1.22bfb6p-5f, -0x1.14b99cp-4f, -0x1.7e44p-4f, -0x1.c63d88p-4f, -0x1.e9cde6p-4f, -0x1.eaec2cp-4f, -0x1.cf5e52p-4f, -0x1.9f3154p-4f, -0x1.62fd5p-4f, -0x1.22ad32p-4f, -0x1.c8e5ap-5f, -0x1.5922aap-5f, -0x1.f577aep-6f, -0x1.5e2686p-6f, -0x1.d5e37ap-7f, -0x1.2e6af4p-7f, -0x1.74c96p-8f, -0x1.b71ab4p-9f, -0x1.ed533cp-10f, -0x1.07a67ep-10f, -0x1.0bd668p-11f, -0x1.05e0fep-12f, -0x1.d15a06p-14f, -0x1.8cf78p-15f, -0x1.c87d2ep-16f, -0x1.5e4a6cp-22f, -0x1.1c0502p-19f, -0x1.76dd58p-18f, -0x1.40931cp-17f, -0x1.459392p-19f, -0x1.32df9ap-21f},
    {-0x1.12660ep-4f, -0x1.03f594p-4f, -0x1.bc5148p-5f, -0x1.4bba56p-5f, -0x1.8e9e92p-6f, -0x1.06838p-7f, 0x1.a7f6d6p-8f, 0x1.22329ap-6f, 0x1.9adc36p-6f, 0x1.d52ac4p-6f, 0x1.da8fecp-6f, 0x1.b90bdap-6f, 0x1.7f77d6p-6f, 0x1.3b06b8p-6f, 0x1.eb9b26p-7f, 0x1.6d7f16p-7f, 0x1.031526p-7f, 0x1.5e2196p-8f, 0x1.c27e7p-9f, 0x1.13992ep-9f, 0x1.3fea1cp-10f, 0x1.5e6828p-11f, 0x1.6b4ebp-12f, 0x1.647772p-13f, 0x1.4755f4p-14f, 0x1.1aff6p-15f, 0x1.cd4b92p-17f, 0x1.53bbf8p-18f, 0x1.0b0522p-19f, 0x1.0ec5a6p-20f, 0x1.2fe028p-22f, 0x1.3d3a0ep-24f},
    {0x1.280742p-9f, 0x1.234572p-7f, 0x1.0c371cp-6f, 0x1.5d6e4ap-6f, 0x1.7a50acp-6f, 0x1.655ddep-6f, 0x1.28a71p-6f, 0x1.a9979ep-7f, 0x1.ec5246p-8f, 0x1.4a5574p-9f, -0x1.707568p-10f, -0x1.0a81cep-8f, -0x1.695e32p-8f, -0x1.863006p-8f, -0x1.743dfep-8f, -0x1.45425p-8f, -0x1.08cc04p-8f, -0x1.94ef8p-9f, -0x1.23389cp-9f, -0x1.8bef36p-10f, -0x1.fb2b96p-11f, -0x1.eb643ap-12f, 0x1.2a238p-12f, -0x1.70ce1ap-13f, -0x1.70402cp-14f, 0x1.ff1c96p-11f, -0x1.c1310cp-11f, -0x1.cb5648p-15f, 0x1.32f6c4p-11f, 0x1.2cc004p-10f, 0x1.307272p-12f, 0x1.1dee52p-14f}};
/* log(1 + exp(-x)) of what is not negative, in intervals of 1/2. */
#define OPGEN_LOG1P_EXP_MOST 15.75f
static const float opgen_log1p_exp_below_table[6][32] = {
    {0x1.62e43p-1f, 0x1.e5747p-2f, 0x1.40c7acp-2f, 0x1.9c7e9p-3f, 0x1.03f2d6p-3f, 0x1.4321e2p-4f, 0x1.8e071p-5f, 0x1.e76e4cp-6f, 0x1.295e5p-6f, 0x1.6a0334p-7f, 0x1.b818dap-8f, 0x1.0b48ecp-8f, 0x1.447e36p-9f, 0x1.89d254p-10f, 0x1.dddef4p-11f, 0x1.21e534p-11f, 0x1.5fb2f6p-12f, 0x1.aaa924p-13f, 0x1.02cb0cp-13f, 0x1.39f088p-14f, 0x1.7cd564p-15f, 0x1.cdfa86p-16f, 0x1.1834a8p-16f, 0x1.53e866p-17f, 0x1.9c547p-18f, 0x1.f42e96p-19f, 0x1.2f603ep-19f, 0x1.700386p-20f, 0x1.be6c64p-21f, 0x1.0ec5p-21f, 0x1.4875c6p-22f, 0x1.8e7136p-23f},
    {-0x1.00000cp-1f, -0x1.829a06p-2f, -0x1.136562p-2f, -0x1.759b82p-3f, -0x1.e84154p-4f, -0x1.36b712p-4f, -0x1.848344p-5f, -0x1.e04068p-6f, -0x1.26afa2p-6f, -0x1.680528p-7f, -0x1.b69f66p-8f, -0x1.0abd94p-8f, -0x1.441778p-9f, -0x1.8986a2p-10f, -0x1.dda738p-11f, -0x1.21d0bp-11f, -0x1.5fa3dcp-12f, -0x1.aa9e08p-13f, -0x1.02c6f6p-13f, -0x1.39ed86p-14f, -0x1.7cd32ep-15f, -0x1.cdf8e6p-16f, -0x1.18340ep-16f, -0x1.53e7f6p-17f, -0x1.9c541cp-18f, -0x1.f42e58p-19f, -0x1.2f6028p-19f, -0x1.700376p-20f, -0x1.be6c56p-21f, -0x1.0ec4fcp-21f, -0x1.4875c2p-22f, -0x1.8e7134p-23f},
    {0x1.0005b8p-3f, 0x1.e14918p-4f, 0x1.92a95ap-4f, 0x1.31748cp-4f, 0x1.ae0cccp-5f, 0x1.1f2518p-5f, 0x1.721622p-6f, 0x1.d22cd8p-7f, 0x1.216342p-7f, 0x1.640fa8p-8f, 0x1.b3af94p-9f, 0x1.09a7bep-9f, 0x1.43495ep-10f, 0x1.88eefap-11f, 0x1.dd37f6p-12f, 0x1.21a814p-12f, 0x1.5f8594p-13f, 0x1.aa8674p-14f, 0x1.02be6ap-14f, 0x1.39e75cp-15f, 0x1.7ccef2p-16f, 0x1.cdf48cp-17f, 0x1.183352p-17f, 0x1.53e72p-18f, 0x1.9c5382p-19f, 0x1.f42df6p-20f, 0x1.2f5edcp-20f, 0x1.700388p-21f, 0x1.be6b8cp-22f, 0x1.0ec3f6p-22f, 0x1.487614p-23f, 0x1.8e7074p-24f},
    {-0x1.e75feap-14f, -0x1.3a4d7p-7f, -0x1.f02e9ep-7f, -0x1.02b0f2p-6f, -0x1.b4ae8cp-7f, -0x1.44c4a2p-7f, -0x1.bea47ap-8f, -0x1.2490ecp-8f, -0x1.73f98p-9f, -0x1.d04ff4p-10f, -0x1.1e939p-10f, -0x1.5f5472p-11f, -0x1.ace8dap-12f, -0x1.052c8p-12f, -0x1.3d9264p-13f, -0x1.81cb82p-14f, -0x1.d464fp-15f, -0x1.1c3ac2p-15f, -0x1.58e86p-16f, -0x1.a27b76p-17f, -0x1.fbb4e8p-18f, -0x1.33f244p-18f, -0x1.759a38p-19f, -0x1.c533p-20f, -0x1.12e36cp-20f, -0x1.4d7598p-21f, -0x1.947b42p-22f, -0x1.eab116p-23f, -0x1.299ecep-23f, -0x1.6902a8p-24f, -0x1.b5f676p-25f, -0x1.099f04p-25f},
    {-0x1.350dcap-8f, -0x1.05da7p-8f, -0x1.833e7p-10f, 0x1.4a3ed2p-11f, 0x1.a84f34p-10f, 0x1.baca5ap-10f, 0x1.67c4fep-10f, 0x1.01c6fep-10f, 0x1.58dd22p-11f, 0x1.bd5d4p-12f, 0x1.177f54p-12f, 0x1.5a2582p-13f, 0x1.aa75f2p-14f, 0x1.0450cap-14f, 0x1.3cfb26p-15f, 0x1.8151c8p-16f, 0x1.d4cfb8p-17f, 0x1.1d4658p-17f, 0x1.59c634p-18f, 0x1.a35caep-19f, 0x1.fc784p-20f, 0x1.35191cp-20f, 0x1.75e0c4p-21f, 0x1.c611a2p-22f, 0x1.136c94p-22f, 0x1.4e1864p-23f, 0x1.96751ep-24f, 0x1.eb806ep-25f, 0x1.2a8c0ap-25f, 0x1.6ac3b2p-26f, 0x1.b6844cp-27f, 0x1.0a7efp-27f},
    {-0x1.4cbbe4p-11f, 0x1.beae66p-11f, 0x1.0ab1e8p-10f, 0x1.4d72fap-11f, 0x1.59370ap-13f, -0x1.4e70d4p-14f, -0x1.478302p-13f, -0x1.327a7p-13f, -0x1.d0c3a2p-14f, -0x1.457d84p-14f, -0x1.a3d328p-15f, -0x1.09f21cp-15f, -0x1.50839cp-16f, -0x1.9956e8p-17f, -0x1.f401fp-18f, -0x1.2f5fb4p-18f, -0x1.730fc4p-19f, -0x1.ca981ap-20f, -0x1.13b87ep-20f, -0x1.4d7822p-21f, -0x1.93e72ap-22f, -0x1.f217d6p-23f, -0x1.274eeap-23f, -0x1.695fb6p-24f, -0x1.b4f584p-25f, -0x1.090e6p-25f, -0x1.4814f6p-26f, -0x1.86885p-27f, -0x1.da8cd2p-28f, -0x1.24dbccp-28f, -0x1.5b042cp-29f, -0x1.ac85a2p-30f}};

/* 0.2411 * 2^(i / 16) as bits, less i in those that a sum of 16ths has it in; and what is added to a square. */
static const int32_t opgen_part_table[16] = {0x3e76e633, 0x3e78ea4a, 0x3e769f6d, 0x3e749540, 0x3e72cea2, 0x3e714e8e,
                                             0x3e701826, 0x3e6f2eac, 0x3e6e9588, 0x3e6e5049, 0x3e6e62a4, 0x3e6ed07d,
                                             0x3e6f9dde, 0x3e70cf03, 0x3e726857, 0x3e746e77};
#define OPGEN_PART_MORE 0x1.0a5f52p+1f

OPGEN_V4 static inline __m512 opgen_look(const float *row, __m512i at) {
    return _mm512_permutex2var_ps(_mm512_loadu_ps(row), at, _mm512_loadu_ps(row + 16));
}

OPGEN_V4 static inline __m512 opgen_signed(__m512 size, __m512 sign) {
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(size), _mm512_castps_si512(sign),
                                                         _mm512_set1_epi32(INT32_MIN), 0xd8));
}

/* 16 of them, without the sign of x. Adding 1.5 * 2^23 times their width leaves an interval's number in the low bits of z where the width is a
 * power of two. a is |x|, r the distance. Of what is not a number the polynomial is not one. */
OPGEN_V4 static inline __m512 opgen_of_table(__m512 r, __m512 z, const float (*table)[32], int powers, bool near, __m512 a) {
    const __m512i at = _mm512_castps_si512(z);
    __m512 value = opgen_look(table[0], at), p = opgen_look(table[powers], at);
    if (near) value = _mm512_mask_mov_ps(value, _mm512_testn_epi32_mask(at, _mm512_set1_epi32(31)), a);
    for (int i = powers - 1; i >= 1; i--)
        p = _mm512_fmadd_ps(p, r, opgen_look(table[i], at));
    return _mm512_fmadd_ps(p, r, value);
}
OPGEN_V4 static inline __m512 opgen_stepped(__m512 x, const float (*table)[32], int powers, float width, float most, bool near) {
    const __m512 a = _mm512_min_ps(_mm512_set1_ps(most), _mm512_abs_ps(x)), round = _mm512_set1_ps(0x1.8p23f * width);
    const __m512 z = _mm512_add_ps(a, round), r = _mm512_sub_ps(a, _mm512_sub_ps(z, round));
    return opgen_of_table(r, z, table, powers, near, a);
}
/* Where it is none, where the distance is from is looked up. */
OPGEN_V4 static inline __m512 opgen_tabled(__m512 x, const float (*table)[32], int powers, float scale, float most) {
    const __m512 a = _mm512_min_ps(_mm512_set1_ps(most), _mm512_abs_ps(x));
    const __m512 z = _mm512_fmadd_ps(a, _mm512_set1_ps(scale), _mm512_set1_ps(0x1.8p23f));
    return opgen_of_table(_mm512_sub_ps(a, opgen_look(table[0], _mm512_castps_si512(z))), z, table + 1, powers, false, a);
}

#define OPGEN_ALL(x) _mm512_set1_ps(x)

/* What exp and expm1 have in common: x is n * log(2) and r, n a multiple of 1/16 that is added to 1.5 * 2^19 in z, so that
 * the low bits of z are which one of 16 it is. */
OPGEN_V4 static inline __m512 opgen_reduced(__m512 x, __m512 *z) {
    *z = _mm512_fmadd_ps(x, OPGEN_ALL(0x1.715476p+0f), OPGEN_ALL(0x1.8p19f));
    const __m512 n = _mm512_sub_ps(*z, OPGEN_ALL(0x1.8p19f));
    return _mm512_fnmadd_ps(n, OPGEN_ALL(0x1.7f7d1cp-20f), _mm512_fnmadd_ps(n, OPGEN_ALL(0x1.62e4p-1f), x));
}

/* Of x up to 89. Of what is less than `least` it is 0, and not computed: vscalefps takes fifty times as long where something
 * underflows. */
OPGEN_V4 static inline __m512 opgen_exp_below_16(__m512 x, float least) {
    const __mmask16 some = _mm512_cmp_ps_mask(x, OPGEN_ALL(least), _CMP_NLT_UQ);
    __m512 z;
    const __m512 r = opgen_reduced(x, &z), n = _mm512_sub_ps(z, OPGEN_ALL(0x1.8p19f));
    const __m512 part = _mm512_permutexvar_ps(_mm512_castps_si512(z), _mm512_loadu_ps(opgen_power_table[0]));
    __m512 p = _mm512_fmadd_ps(r, OPGEN_ALL(0x1.55559ap-3f), OPGEN_ALL(0x1.00021ep-1f));
    p = _mm512_fmadd_ps(p, r, OPGEN_ALL(1));
    return _mm512_maskz_scalef_ps(some, _mm512_fmadd_ps(p, _mm512_mul_ps(r, part), part), n);
}

OPGEN_V4 static inline __m512 opgen_exp_16(__m512 x, float least) {
    return opgen_exp_below_16(_mm512_min_ps(OPGEN_ALL(89), x), least);
}

/* half * (1 + t) * exp(r) - 1/2, where half is half a power of two, so that it is in range, and t what is left of 2^n, less 1: 0
 * near 0. */
OPGEN_V4 static inline __m512 opgen_expm1_16(__m512 x) {
    __m512 z;
    const __m512 r = opgen_reduced(_mm512_min_ps(OPGEN_ALL(89), _mm512_max_ps(OPGEN_ALL(-30), x)), &z);
    const __m512 t = _mm512_permutexvar_ps(_mm512_castps_si512(z), _mm512_loadu_ps(opgen_power_table[1]));
    const __m512 half = _mm512_scalef_ps(OPGEN_ALL(0.5f), _mm512_sub_ps(z, OPGEN_ALL(0x1.8p19f - 0.5f)));
    __m512 p = _mm512_fmadd_ps(r, OPGEN_ALL(0x1.555634p-5f), OPGEN_ALL(0x1.555708p-3f));
    p = _mm512_fmadd_ps(p, r, OPGEN_ALL(0.5f));
    p = _mm512_fmadd_ps(p, _mm512_mul_ps(r, r), r);
    p = _mm512_fmadd_ps(p, _mm512_fmadd_ps(half, t, half), _mm512_fmadd_ps(half, t, _mm512_sub_ps(half, OPGEN_ALL(0.5f))));
    return opgen_signed(_mm512_add_ps(p, p), x);
}

/* What gcc's header makes of these two without optimisation converts a mask's sign. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
/* x is m * 2^e, m from 3/4 to 3/2, and m is 1 / of times 1 + r: gives the logarithm of 1 / of, from the tables of both. */
OPGEN_V4 static inline __m512 opgen_log_parts(__m512 x, const float *ofs, const float *logs, __m512 *e, __m512 *of, __m512 *r) {
    const __m512 m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan), up = _mm512_getexp_ps(x);
    *e = _mm512_mask_add_ps(up, _mm512_cmp_ps_mask(m, OPGEN_ALL(1), _CMP_LT_OQ), up, OPGEN_ALL(1));
    const __m512i at = _mm512_castps_si512(_mm512_fmadd_ps(m, OPGEN_ALL(32), OPGEN_ALL(0x1.8p23f)));
    *of = opgen_look(ofs, at);
    *r = _mm512_fmsub_ps(m, *of, OPGEN_ALL(1));
    return opgen_look(logs, at);
}
#pragma GCC diagnostic pop

/* From the least on, so that one rounding counts; a product of r and the polynomial first, since the square of r could be
 * subnormal. */
OPGEN_V4 static inline __m512 opgen_log_sum(__m512 e, __m512 r, __m512 log) {
    __m512 p = _mm512_fmadd_ps(r, OPGEN_ALL(-0x1.00099p-2f), OPGEN_ALL(0x1.555feep-2f));
    p = _mm512_mul_ps(_mm512_fmadd_ps(p, r, OPGEN_ALL(-0.5f)), r);
    return _mm512_fmadd_ps(e, OPGEN_ALL(0x1.62e43p-1f), _mm512_add_ps(log, _mm512_fmadd_ps(p, r, r)));
}

OPGEN_V4 static inline __m512 opgen_log_16(__m512 x) {
    __m512 e, of, r;
    const __m512 log = opgen_log_parts(x, opgen_log_table[0], opgen_log_table[1], &e, &of, &r);
    return opgen_log_sum(e, r, log);
}

/* The factor of r is two floats. */
OPGEN_V4 static inline __m512 opgen_log2_16(__m512 x) {
    __m512 e, of, r;
    const __m512 log = opgen_log_parts(x, opgen_log_table[0], opgen_log_table[2], &e, &of, &r);
    __m512 p = _mm512_fmadd_ps(r, OPGEN_ALL(-0x1.716c98p-2f), OPGEN_ALL(0x1.ec7fe2p-2f));
    p = _mm512_mul_ps(_mm512_fmadd_ps(p, r, OPGEN_ALL(-0x1.715476p-1f)), r);
    p = _mm512_fmadd_ps(p, r, _mm512_mul_ps(r, OPGEN_ALL(0x1.4ae0cp-26f)));
    return _mm512_add_ps(e, _mm512_add_ps(log, _mm512_fmadd_ps(r, OPGEN_ALL(0x1.715476p+0f), p)));
}

/* Of a power of ten it is a whole number: e times the first part of log10(2) is exact, and what is added to it is right to more
 * than that sum is rounded to. */
OPGEN_V4 static inline __m512 opgen_log10_16(__m512 x) {
    __m512 e, of, r;
    const __m512 log = opgen_log_parts(x, opgen_log10_table[0], opgen_log10_table[1], &e, &of, &r);
    __m512 p = _mm512_fmadd_ps(r, OPGEN_ALL(-0x1.bcb22ap-4f), OPGEN_ALL(0x1.2883ap-3f));
    p = _mm512_mul_ps(_mm512_fmadd_ps(p, r, OPGEN_ALL(-0x1.bcb7b2p-3f)), r);
    p = _mm512_fmadd_ps(p, r, _mm512_mul_ps(r, OPGEN_ALL(-0x1.5b235ep-27f)));
    p = _mm512_fmadd_ps(e, OPGEN_ALL(0x1.3509f8p-18f), _mm512_fmadd_ps(r, OPGEN_ALL(0x1.bcb7b2p-2f), p));
    return _mm512_fmadd_ps(e, OPGEN_ALL(0x1.344p-2f), _mm512_add_ps(log, p));
}

/* Half of exp(|x|), and what 1/4 divided by it adds or takes away; a sine below 1 by a polynomial. */
OPGEN_V4 static inline __m512 opgen_hyperbolic_16(__m512 x, bool sine) {
    const __m512 a = _mm512_abs_ps(x), one = OPGEN_ALL(1);
    __m512 z;
    const __m512 r = opgen_reduced(_mm512_min_ps(OPGEN_ALL(90), a), &z), n = _mm512_sub_ps(z, OPGEN_ALL(0x1.8p19f + 1));
    const __m512 part = _mm512_permutexvar_ps(_mm512_castps_si512(z), _mm512_loadu_ps(opgen_power_table[0]));
    __m512 p = _mm512_fmadd_ps(r, OPGEN_ALL(0x1.55559ap-3f), OPGEN_ALL(0x1.00021ep-1f));
    p = _mm512_fmadd_ps(p, r, one);
    const __m512 half = _mm512_scalef_ps(_mm512_fmadd_ps(p, _mm512_mul_ps(r, part), part), n);
    /* So large that nothing is left of the quotient, and not infinite. */
    const __m512 by = _mm512_min_ps(OPGEN_ALL(0x1p30f), half), estimate = _mm512_rcp14_ps(by);
    const __m512 quotient = _mm512_fmadd_ps(_mm512_fnmadd_ps(by, estimate, one), estimate, estimate);
    if (!sine) return _mm512_fmadd_ps(quotient, OPGEN_ALL(0.25f), half);
    const __m512 q = _mm512_mul_ps(a, a);
    __m512 s = _mm512_fmadd_ps(q, OPGEN_ALL(0x1.756cb4p-19f), OPGEN_ALL(0x1.a022bap-13f));
    s = _mm512_fmadd_ps(s, q, OPGEN_ALL(0x1.1110ep-7f));
    s = _mm512_fmadd_ps(s, q, OPGEN_ALL(0x1.555556p-3f));
    s = _mm512_fmadd_ps(_mm512_mul_ps(a, q), s, a);
    const __m512 far = _mm512_fnmadd_ps(quotient, OPGEN_ALL(0.25f), half);
    return opgen_signed(_mm512_mask_mov_ps(far, _mm512_cmp_ps_mask(a, one, _CMP_LT_OQ), s), x);
}

/* By an estimate of 14 bits and one step of Newton's, which has no answer where that is 0 or infinite. */
OPGEN_V4 static inline __m512 opgen_rsqrt_16(__m512 x) {
    const __m512 estimate = _mm512_rsqrt14_ps(x), half = _mm512_mul_ps(OPGEN_ALL(0.5f), estimate);
    const __m512 left = _mm512_fnmadd_ps(_mm512_mul_ps(x, estimate), estimate, OPGEN_ALL(1));
    /* 0x0e: 0, -0, infinity */
    return _mm512_mask_mov_ps(_mm512_fmadd_ps(left, half, estimate), _mm512_fpclass_ps_mask(x, 0x0e), estimate);
}

/* What 1 + x rounds away comes back in r, which would be no number where the sum is 0 or infinite. The sign is that of x: of a zero,
 * too. */
OPGEN_V4 static inline __m512 opgen_log1p_16(__m512 x) {
    __m512 e, of, r;
    const __m512 one = OPGEN_ALL(1), sum = _mm512_add_ps(x, one), log = opgen_log_parts(sum, opgen_log_table[0], opgen_log_table[1], &e, &of, &r);
    const __m512 lost = _mm512_sub_ps(_mm512_min_ps(x, one), _mm512_sub_ps(sum, _mm512_max_ps(x, one)));
    const __m512 scaled = _mm512_scalef_ps(of, _mm512_sub_ps(_mm512_setzero_ps(), e));
    const __m512 sure = _mm512_fmadd_ps(lost, scaled, r);
    r = _mm512_mask_mov_ps(r, _mm512_cmp_ps_mask(sure, sure, _CMP_ORD_Q), sure);
    return opgen_signed(opgen_log_sum(e, r, log), x);
}

/* The exponential of what is not positive, t, and the logarithm of 1 + t: what is left of that beside a table's entry is
 * t * of + (of - 1), rounded once. */
OPGEN_V4 static inline __m512 opgen_log1p_exp_16(__m512 x) {
    const __m512 t = opgen_exp_below_16(_mm512_or_ps(x, OPGEN_ALL(-0.0f)), -104);
    const __m512i at = _mm512_castps_si512(_mm512_fmadd_ps(t, OPGEN_ALL(31), OPGEN_ALL(0x1.8p23f)));
    const __m512 of = opgen_look(opgen_log1p_exp_table[0], at), log = opgen_look(opgen_log1p_exp_table[1], at);
    const __m512 r = _mm512_fmadd_ps(t, of, _mm512_sub_ps(of, OPGEN_ALL(1)));
    __m512 p = _mm512_fmadd_ps(r, OPGEN_ALL(-0x1.000a36p-2f), OPGEN_ALL(0x1.5560a6p-2f));
    p = _mm512_mul_ps(_mm512_fmadd_ps(p, r, OPGEN_ALL(-0.5f)), r);
    return _mm512_add_ps(_mm512_max_ps(_mm512_setzero_ps(), x), _mm512_add_ps(log, _mm512_fmadd_ps(p, r, r)));
}

/* w / (w + 2), where w is (exp(x) + 1)^2 - 1: by an estimate of the quotient and what that leaves, of w + 2 as it is before it is
 * rounded. */
OPGEN_V4 static inline __m512 opgen_tanh_log1p_exp_16(__m512 x) {
    const __m512 two = OPGEN_ALL(2), e = opgen_exp_below_16(_mm512_min_ps(OPGEN_ALL(20), x), -104);
    const __m512 w = _mm512_fmadd_ps(e, e, _mm512_add_ps(e, e)), estimate = _mm512_rcp14_ps(_mm512_add_ps(w, two));
    const __m512 q = _mm512_mul_ps(w, estimate);
    return _mm512_fmadd_ps(_mm512_fnmadd_ps(q, two, _mm512_fnmadd_ps(q, w, w)), estimate, q);
}

OPGEN_V4 static inline __m512 opgen_gelu_16(__m512 x, const float (*table)[32]) {
    return _mm512_mul_ps(x, _mm512_add_ps(OPGEN_ALL(0.5f), opgen_signed(opgen_tabled(x, table, 4, 1 / 0.18f, OPGEN_GELU_MOST), x)));
}

/* log(1 + exp(-|x|)), for |x| up to OPGEN_LOG1P_EXP_MOST; of what is greater it is as small beside x. */
OPGEN_V4 static inline __m512 opgen_log1p_exp_below_16(__m512 x) {
    return opgen_stepped(x, opgen_log1p_exp_below_table, 5, 0.5f, OPGEN_LOG1P_EXP_MOST, false);
}

/* See opgen_tanh_log1p_exp_16. For |x| up to 20 a power of two is added to an exponent, and the sum that is divided by is
 * rounded first. */
#define OPGEN_MISH_MOST 20.0f
OPGEN_V4 static inline __m512 opgen_mish_near_16(__m512 x) {
    const __m512i places = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i table = _mm512_sub_epi32(_mm512_loadu_si512(opgen_power_table[0]), _mm512_slli_epi32(places, 19));
    __m512 z;
    const __m512 r = opgen_reduced(x, &z);
    const __m512i at = _mm512_castps_si512(z), up = _mm512_slli_epi32(at, 19);
    const __m512 part = _mm512_castsi512_ps(_mm512_add_epi32(_mm512_permutexvar_epi32(at, table), up));
    __m512 p = _mm512_fmadd_ps(r, OPGEN_ALL(0x1.55559ap-3f), OPGEN_ALL(0x1.00021ep-1f));
    p = _mm512_fmadd_ps(p, r, OPGEN_ALL(1));
    const __m512 e = _mm512_fmadd_ps(p, _mm512_mul_ps(r, part), part), w = _mm512_fmadd_ps(e, e, _mm512_add_ps(e, e));
    const __m512 by = _mm512_add_ps(w, OPGEN_ALL(2)), estimate = _mm512_rcp14_ps(by), q = _mm512_mul_ps(w, estimate);
    return _mm512_mul_ps(x, _mm512_fmadd_ps(_mm512_fnmadd_ps(by, estimate, OPGEN_ALL(1)), q, q));
}

/* exp(-x * x) times what a table has; of a negative number 2 less that. -x * x is n * log(2) and r, n a multiple of 1/16 as in opgen_reduced: the product
 * of n and the first part of log(2) is exact, and the square is not rounded before that is taken from it. */
OPGEN_V4 static inline __m512 opgen_erfc_16(__m512 x) {
    const __m512 a = _mm512_min_ps(OPGEN_ALL(10.3f), _mm512_abs_ps(x)), square = _mm512_mul_ps(a, a), one = OPGEN_ALL(1);
    const __m512i bits = _mm512_castps_si512(_mm512_add_ps(a, one)), at = _mm512_srli_epi32(bits, 20);
    const __m512i middle = _mm512_or_si512(_mm512_and_si512(bits, _mm512_set1_epi32(-(1 << 20))), _mm512_set1_epi32(1 << 19));
    const __m512 d = _mm512_sub_ps(a, _mm512_sub_ps(_mm512_castsi512_ps(middle), one));
    __m512 scaled = opgen_look(opgen_erfcx_table[4], at);
    for (int i = 3; i >= 0; i--)
        scaled = _mm512_fmadd_ps(scaled, d, opgen_look(opgen_erfcx_table[i], at));
    const __mmask16 some = _mm512_cmp_ps_mask(square, OPGEN_ALL(104), _CMP_NGT_UQ);
    const __m512 z = _mm512_fnmadd_ps(square, OPGEN_ALL(0x1.715476p+0f), OPGEN_ALL(0x1.8p19f)), n = _mm512_sub_ps(z, OPGEN_ALL(0x1.8p19f));
    const __m512 left = _mm512_fnmsub_ps(a, a, _mm512_mul_ps(n, OPGEN_ALL(0x1.62cp-1f))), r = _mm512_fnmadd_ps(n, OPGEN_ALL(0x1.217f7ep-12f), left);
    const __m512 part = _mm512_permutexvar_ps(_mm512_castps_si512(z), _mm512_loadu_ps(opgen_power_table[0]));
    __m512 p = _mm512_fmadd_ps(r, OPGEN_ALL(0x1.55559ap-3f), OPGEN_ALL(0x1.00021ep-1f));
    p = _mm512_fmadd_ps(p, r, one);
    p = _mm512_mul_ps(_mm512_fmadd_ps(p, _mm512_mul_ps(r, part), part), scaled);
    const __m512 far = _mm512_maskz_scalef_ps(some, p, n);
    return _mm512_mask_sub_ps(far, _mm512_movepi32_mask(_mm512_castps_si512(x)), OPGEN_ALL(2), far);
}

/* 2^x is 2^n times 2^r, n a multiple of 1/16; see opgen_exp_16. */
OPGEN_V4 static inline __m512 opgen_exp2_16(__m512 x) {
    const __mmask16 some = _mm512_cmp_ps_mask(x, OPGEN_ALL(-150), _CMP_NLT_UQ);
    const __m512 c = _mm512_min_ps(OPGEN_ALL(129), x), z = _mm512_add_ps(c, OPGEN_ALL(0x1.8p19f));
    const __m512 n = _mm512_sub_ps(z, OPGEN_ALL(0x1.8p19f)), r = _mm512_sub_ps(c, n);
    const __m512 part = _mm512_permutexvar_ps(_mm512_castps_si512(z), _mm512_loadu_ps(opgen_power_table[0]));
    __m512 p = _mm512_fmadd_ps(r, OPGEN_ALL(0x1.c6acdap-5f), OPGEN_ALL(0x1.ebfff6p-3f));
    p = _mm512_fmadd_ps(p, r, OPGEN_ALL(0x1.62e43p-1f));
    return _mm512_maskz_scalef_ps(some, _mm512_fmadd_ps(p, _mm512_mul_ps(r, part), part), n);
}

/* Up to 16 of what is left. */
OPGEN_V4 static inline __mmask16 opgen_some(int64_t left) { return (__mmask16)(left >= 16 ? 0xffffu : (1u << left) - 1); }

/* The function of n, of that of 16; and of a multiple of 16, stored past the cache. */
#define OPGEN_MANY_V4(name, of_16)                                                                                     \
    OPGEN_V4 static inline void opgen_##name##_many_v4(float *to, const float *x, int64_t n) {                         \
        int64_t i = 0;                                                                                                 \
        for (; i + 16 <= n; i += 16) {                                                                                 \
            const __m512 v = _mm512_loadu_ps(x + i);                                                                   \
            _mm512_storeu_ps(to + i, of_16);                                                                           \
        }                                                                                                              \
        if (i < n) {                                                                                                   \
            const __m512 v = _mm512_maskz_loadu_ps(opgen_some(n - i), x + i);                                          \
            _mm512_mask_storeu_ps(to + i, opgen_some(n - i), of_16);                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_##name##_past_v4(float *to, const float *x, int64_t n, int64_t ahead) {          \
        for (int64_t i = 0; i < n; i += 16) {                                                                          \
            opgen_ask_for(x + i, ahead);                                                                               \
            const __m512 v = _mm512_loadu_ps(x + i);                                                                   \
            _mm512_stream_ps(to + i, of_16);                                                                           \
        }                                                                                                              \
    }

/* The greater one of two, without y's sign: x where y is not a number, for vmaxps gives the second of such. */
OPGEN_V4 static inline __m512 opgen_greater_size(__m512 x, __m512 y) { return _mm512_max_ps(_mm512_abs_ps(y), x); }

/* Whether none of n is further from 0. */
OPGEN_V4 static inline bool opgen_all_near(const float *x, int64_t n, float most) {
    __m512 greatest = _mm512_setzero_ps();
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        greatest = opgen_greater_size(greatest, _mm512_loadu_ps(x + i));
    if (i < n) greatest = opgen_greater_size(greatest, _mm512_maskz_loadu_ps(opgen_some(n - i), x + i));
    return _mm512_cmp_ps_mask(greatest, OPGEN_ALL(most), _CMP_GT_OQ) == 0;
}

/* What is computed in a shorter way near 0, and in the other way where one of 128 is further off, and one of 32 among them. They are
 * looked at before: what is far would underflow in the shorter way, and that takes some processors a hundred cycles. */
#define OPGEN_NEAR_V4(name, most, of_16)                                                                               \
    OPGEN_MANY_V4(name##_near, of_16)                                                                                  \
    OPGEN_V4 static inline void opgen_##name##_many_v4(float *to, const float *x, int64_t n) {                         \
        for (int64_t i = 0, end; i < n; i = end) {                                                                     \
            end = opgen_min(i + 128, n);                                                                               \
            if (opgen_all_near(x + i, end - i, most)) {                                                                \
                opgen_##name##_near_many_v4(to + i, x + i, end - i);                                                   \
                continue;                                                                                              \
            }                                                                                                          \
            for (int64_t k = i; k < end; k += 32) {                                                                    \
                const int64_t some = opgen_min(32, end - k);                                                           \
                if (opgen_all_near(x + k, some, most))                                                                 \
                    opgen_##name##_near_many_v4(to + k, x + k, some);                                                  \
                else                                                                                                   \
                    opgen_##name##_far_many_v4(to + k, x + k, some);                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_##name##_past_v4(float *to, const float *x, int64_t n, int64_t ahead) {          \
        for (int64_t i = 0, some; i < n; i += some) {                                                                  \
            some = opgen_min(128, n - i);                                                                              \
            if (opgen_all_near(x + i, some, most)) {                                                                   \
                opgen_##name##_near_past_v4(to + i, x + i, some, ahead);                                               \
                continue;                                                                                              \
            }                                                                                                          \
            float any[128];                                                                                            \
            opgen_##name##_many_v4(any, x + i, some);                                                                  \
            for (int64_t k = 0; k < some; k += 16) {                                                                   \
                opgen_ask_for(x + i + k, ahead);                                                                       \
                _mm512_stream_ps(to + i + k, _mm512_loadu_ps(any + k));                                                \
            }                                                                                                          \
        }                                                                                                              \
    }

OPGEN_MANY_V4(exp, opgen_exp_16(v, -104))
OPGEN_MANY_V4(exp_beside_1, opgen_exp_16(v, -87))
OPGEN_MANY_V4(expm1, opgen_expm1_16(v))
OPGEN_MANY_V4(log, opgen_log_16(v))
OPGEN_MANY_V4(log1p, opgen_log1p_16(v))
OPGEN_MANY_V4(sigmoid, _mm512_div_ps(OPGEN_ALL(1), _mm512_add_ps(OPGEN_ALL(1), opgen_exp_16(_mm512_sub_ps(OPGEN_ALL(-0.0f), v), -87))))
OPGEN_MANY_V4(silu, _mm512_div_ps(v, _mm512_add_ps(OPGEN_ALL(1), opgen_exp_16(_mm512_sub_ps(OPGEN_ALL(-0.0f), v), -87))))
OPGEN_MANY_V4(erf, opgen_signed(opgen_stepped(v, opgen_erf_table, 5, 0.125f, 3.93f, true), v))
OPGEN_MANY_V4(tanh, opgen_signed(opgen_tabled(v, opgen_tanh_table, 6, 1 / 0.29f, 9.13f), v))
OPGEN_MANY_V4(exp2, opgen_exp2_16(v))
OPGEN_MANY_V4(log2, opgen_log2_16(v))
OPGEN_MANY_V4(log10, opgen_log10_16(v))
OPGEN_MANY_V4(sinh, opgen_hyperbolic_16(v, true))
OPGEN_MANY_V4(cosh, opgen_hyperbolic_16(v, false))
OPGEN_MANY_V4(rsqrt, opgen_rsqrt_16(v))
OPGEN_MANY_V4(erfc, opgen_erfc_16(v))
OPGEN_MANY_V4(log1p_exp, opgen_log1p_exp_16(v))
OPGEN_MANY_V4(tanh_log1p_exp, opgen_tanh_log1p_exp_16(v))
OPGEN_MANY_V4(gelu, opgen_gelu_16(v, opgen_gelu_table))
OPGEN_MANY_V4(gelu_tanh, opgen_gelu_16(v, opgen_gelu_tanh_table))
OPGEN_MANY_V4(mish_far, _mm512_mul_ps(v, opgen_tanh_log1p_exp_16(v)))
OPGEN_NEAR_V4(mish, OPGEN_MISH_MOST, opgen_mish_near_16(v))
OPGEN_MANY_V4(softplus_far, opgen_log1p_exp_16(v))
OPGEN_NEAR_V4(softplus, OPGEN_LOG1P_EXP_MOST, _mm512_add_ps(_mm512_max_ps(_mm512_setzero_ps(), v), opgen_log1p_exp_below_16(v)))
OPGEN_MANY_V4(logsigmoid_far, _mm512_sub_ps(OPGEN_ALL(-0.0f), opgen_log1p_exp_16(_mm512_sub_ps(_mm512_setzero_ps(), v))))
OPGEN_NEAR_V4(logsigmoid, OPGEN_LOG1P_EXP_MOST, _mm512_sub_ps(_mm512_min_ps(_mm512_setzero_ps(), v), opgen_log1p_exp_below_16(v)))
#endif

#if defined(OPGEN_X86)
#define OPGEN_MANY_CHOOSE(name)                                                                                        \
    if (level == 4) {                                                                                                  \
        opgen_##name##_many_v4(to, x, n);                                                                              \
        return;                                                                                                        \
    }
#define OPGEN_MANY_CHOOSE_V3(name)                                                                                     \
    if (level == 3) {                                                                                                  \
        opgen_##name##_many_v3(to, x, n);                                                                              \
        return;                                                                                                        \
    }
#define OPGEN_PAST_CHOOSE_V4(name)                                                                                     \
    if (level == 4 && to != x && (ahead != 0 || opgen_takes_turns()) && (uintptr_t)to % 64 == 0 && n % 16 == 0) {      \
        opgen_##name##_past_v4(to, x, n, ahead);                                                                       \
        return n;                                                                                                      \
    }
#define OPGEN_PAST_CHOOSE_V3(name)                                                                                     \
    if (level == 3 && to != x && (uintptr_t)to % 32 == 0) {                                                            \
        opgen_##name##_past_v3(to, x, n / OPGEN_SOME * OPGEN_SOME, ahead);                                             \
        return n / OPGEN_SOME * OPGEN_SOME;                                                                            \
    }
#else
#define OPGEN_MANY_CHOOSE(name)
#define OPGEN_MANY_CHOOSE_V3(name)
#define OPGEN_PAST_CHOOSE_V4(name)
#define OPGEN_PAST_CHOOSE_V3(name)
#endif
/* name_many, and name_past, which stores past the cache and says how many, where that is faster than by way of a block: of
 * vectors of 64 bytes, which are lines, on Intel's processors. What is `ahead` bytes further on it asks for where that is
 * not 0. */
#define OPGEN_MANY_OF(name, choose_v3, past_v3)                                                                        \
    OPGEN_INLINE void opgen_##name##_many(float *to, const float *x, int64_t n, int level) {                           \
        (void)level;                                                                                                   \
        OPGEN_MANY_CHOOSE(name)                                                                                        \
        choose_v3                                                                                                      \
        OPGEN_SIMD                                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                                                \
            to[i] = opgen_##name##_f32(x[i]);                                                                          \
    }                                                                                                                  \
    OPGEN_INLINE int64_t opgen_##name##_past(float *to, const float *x, int64_t n, int64_t ahead, int level) {         \
        (void)to, (void)x, (void)n, (void)ahead, (void)level;                                                          \
        OPGEN_PAST_CHOOSE_V4(name)                                                                                     \
        past_v3                                                                                                        \
        return 0;                                                                                                      \
    }
#define OPGEN_MANY_BOTH(name) OPGEN_MANY_OF(name, OPGEN_MANY_CHOOSE_V3(name), OPGEN_PAST_CHOOSE_V3(name))
#define OPGEN_MANY(name) OPGEN_MANY_OF(name, , )
OPGEN_MANY_BOTH(exp)
OPGEN_MANY_BOTH(exp_beside_1)
OPGEN_MANY_BOTH(sigmoid)
OPGEN_MANY_BOTH(silu)
OPGEN_MANY_BOTH(log)
OPGEN_MANY_BOTH(erf)
OPGEN_MANY_BOTH(tanh)
OPGEN_MANY_BOTH(exp2)
OPGEN_MANY_BOTH(log2)
OPGEN_MANY_BOTH(log1p_exp)
OPGEN_MANY_BOTH(tanh_log1p_exp)
OPGEN_MANY_BOTH(gelu)
OPGEN_MANY_BOTH(gelu_tanh)
OPGEN_MANY_BOTH(mish)
OPGEN_MANY_BOTH(softplus)
OPGEN_MANY_BOTH(logsigmoid)
OPGEN_MANY_BOTH(expm1)
OPGEN_MANY_BOTH(log1p)
OPGEN_MANY(log10)
OPGEN_MANY_BOTH(sinh)
OPGEN_MANY_BOTH(cosh)
OPGEN_MANY(rsqrt)
OPGEN_MANY(erfc)

#endif

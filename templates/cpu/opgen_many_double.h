/* opgen_many_double.h: functions of many doubles, as opgen_many.h has them of floats: in intrinsics of x86-64-v4, which
 * looks up one of 16 entries of a table by one instruction and has exponents of its own. Elsewhere, and what has no such
 * form here, they are loops over the functions of opgen_double.h and its neighbours. Special values are the same; how far
 * off they may be is in README.md. tests/cpu/fit_double.py makes the tables and the coefficients.
 */
#ifndef OPGEN_MANY_DOUBLE_H
#define OPGEN_MANY_DOUBLE_H

#include "opgen_double.h"
#include "opgen_double_hyperbolic.h"
#include "opgen_kernel.h"

#if defined(OPGEN_X86)
#include <immintrin.h>

/* 2^(i / 16), and the same less 1 for i from -8 to 7, what is negative behind the others. */
static const double opgen_powers_f64[2][16] = {
    {0x1p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0, 0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0, 0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f09p+0, 0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0},
    {0, 0x1.6ab0d9f3121ecp-5, 0x1.72b83c7d517aep-4, 0x1.1c3d373ab11c3p-3, 0x1.837f0518db8a9p-3, 0x1.ef5326091a112p-3, 0x1.2ff6b54d8a89cp-2, 0x1.6ac1f752150a5p-2, -0x1.2bec333018867p-2, -0x1.0bdd71829fcf2p-2, -0x1.d4c6af7557c93p-3, -0x1.8edb9f5703dcp-3, -0x1.45d819a94b14bp-3, -0x1.f332113d56b1fp-4, -0x1.53f391822dbc7p-4, -0x1.5b505d5b6f268p-5},
};

/* For m from 3/4 to 3/2, in 1/16 around i / 16 at place i modulo 16: a number of 51 bits near 16 / i whose logarithms are
 * almost doubles, and those, negative: natural, to base 2 and to base 10. */
static const double opgen_logs_f64[4][16] = {
    {0x1p+0, 0x1.e1e1e1e1e1e24p-1, 0x1.c71c71c71de38p-1, 0x1.af286bca1c698p-1, 0x1.9999999998228p-1, 0x1.86186186183bp-1, 0x1.745d1745d1744p-1, 0x1.642c8590b211cp-1, 0x1.5555555553ecp-1, 0, 0, 0, 0x1.5555555553de4p+0, 0x1.3b13b13b15284p+0, 0x1.24924924924ap+0, 0x1.111111111111p+0},
    {0, 0x1.f0a30c0116242p-5, 0x1.e27076e2a22eep-4, 0x1.5ff3070a72482p-3, 0x1.c8ff7c79b0f5ap-3, 0x1.1675cababac6p-2, 0x1.4618bc21c5ec7p-2, 0x1.739d7f6bbd0d6p-2, 0x1.9f323ecbfdc0cp-2, 0, 0, 0, -0x1.269621134953ep-2, -0x1.a93ed3c8b723dp-3, -0x1.1178e8227e4dcp-3, -0x1.08598b59e39f7p-4},
    {0, 0x1.663f6fac912cep-4, 0x1.5c01a39fb4083p-3, 0x1.fbc16b901c77p-3, 0x1.49a784bcd7019p-2, 0x1.91bba891f2027p-2, 0x1.d6753e032ea16p-2, 0x1.0c10500d63b3cp-1, 0x1.2b803473fabbp-1, 0, 0, 0, -0x1.a8ff97180a4e8p-2, -0x1.32bfee3715c4ep-2, -0x1.8a8980abfbdbdp-3, -0x1.7d60496cfbb35p-4},
    {0, 0x1.af5f92b00e5b9p-6, 0x1.a30a9d6093b46p-5, 0x1.31b3055c41067p-4, 0x1.8cf183886adddp-4, 0x1.e3bc1ab0e24f9p-4, 0x1.1b3e71ec94f7fp-3, 0x1.42c7e7fe3fcb6p-3, 0x1.68a288b60f2d5p-3, 0, 0, 0, -0x1.ffbfc2bbbfdd7p-4, -0x1.715d0ce36ff5p-4, -0x1.db11ed766ac9bp-5, -0x1.cb38fccd8bfcp-6},
};

/* Doubles near 15 / (15 + i) whose logarithms are almost doubles, and those, negative. */
static const double opgen_log1p_logs_f64[2][16] = {
    {0x1p+0, 0x1.e000000000001p-1, 0x1.c3c3c3c3c4216p-1, 0x1.aaaaaaaaaaaadp-1, 0x1.9435e50d79a0bp-1, 0x1.7ffffffffffffp-1, 0x1.6db6db6db6db6p-1, 0x1.5d1745d174ba6p-1, 0x1.4de9bd37a752ap-1, 0x1.40000000005dap-1, 0x1.3333333332d57p-1, 0x1.2762762762186p-1, 0x1.1c71c71c7224dp-1, 0x1.1249249248c72p-1, 0x1.08d3dcb08d3d8p-1, 0x1p-1},
    {0, 0x1.08598b59e39fep-4, 0x1.005588ad35b27p-3, 0x1.7565011e4966bp-3, 0x1.e41fccb76934ap-3, 0x1.269621134db95p-2, 0x1.588c2d9133492p-2, 0x1.882f1ef83dc2ap-2, 0x1.b5b3e24234c9p-2, 0x1.e148a1a271414p-2, 0x1.058aefa811e16p-1, 0x1.199fac68b54ep-1, 0x1.2cf25fad8e739p-1, 0x1.3f912752412f8p-1, 0x1.5188a4a02d808p-1, 0x1.62e42fefa39efp-1},
};

/* Of erf in 8 intervals: |x| * (SLOPE - LESS * |x|) is where, rounded. A number in each, erf of that, which is almost a double, and what the powers
 * of the difference are multiplied by. */
#define OPGEN_ERF_MOST 5.93
#define OPGEN_ERF_SLOPE 1.71
#define OPGEN_ERF_LESS 0.0752
static const double opgen_erf_f64_table[16][8] = {
    {0, 0x1.35ce80de4f0c2p-1, 0x1.3dffeede502eap+0, 0x1.ec1ea8d11c1afp+0, 0x1.53ef9856fbd96p+1, 0x1.ba8d029f038fbp+1, 0x1.167b4528e0138p+2, 0x1.5851a5744b6fp+2},
    {0, 0x1.3738598b86905p-1, 0x1.d791c29087cbap-1, 0x1.fca4b73e3b0d7p-1, 0x1.ffe95a19b12c1p-1, 0x1.ffffde16141e1p-1, 0x1.fffffff97eb37p-1, 0x1.fffffffffff06p-1},
    {0x1.20dd750429b6dp+0, 0x1.909a703902f7fp-1, 0x1.edeb928b7533ep-3, 0x1.cb2de864c1176p-6, 0x1.ff9da68f88b07p-11, 0x1.e742a52edca93p-18, 0x1.d048c3a6cde57p-28, 0x1.55b2c95592b8bp-42},
    {0x1.c3e5609769b68p-48, -0x1.e4cd8f6438373p-2, -0x1.32c53f7dcc224p-2, -0x1.b9599c6809225p-5, -0x1.53ae4c1901ab8p-9, -0x1.a52abaf33c4fep-16, -0x1.f90e97bc70dacp-26, -0x1.cb178137eb162p-40},
    {-0x1.812746b03af7p-2, -0x1.1e0241368a5bbp-4, 0x1.5772ba4541a3cp-3, 0x1.e91666b191d4dp-5, 0x1.1762942578edcp-8, 0x1.d11510dd38f24p-15, 0x1.6499d6879238dp-24, 0x1.94f3565f227d4p-38},
    {0x1.79f5b7e0b71a4p-35, 0x1.6e77a2bd9c84bp-3, -0x1.1996d13d3e08ap-8, -0x1.42faf17469784p-5, -0x1.3a5ff8c890f76p-8, -0x1.6ee661489c735p-14, -0x1.6edf6df09bf89p-23, -0x1.07d52bf524d36p-36},
    {0x1.ce2f21424d7cp-4, -0x1.6e608531afca4p-6, -0x1.8aa6027d5b8b6p-5, 0x1.968042503ceb1p-7, 0x1.f44a28dbf73c3p-9, 0x1.b5a6547deecap-14, 0x1.24872837caf14p-22, 0x1.0ba212ebabc46p-35},
    {0x1.d223b7c79133dp-26, -0x1.61f32cb78b0eap-5, 0x1.599732255a677p-6, 0x1.5022fb5abe0c6p-9, -0x1.1336f889da648p-9, -0x1.968a77c25bb6fp-14, -0x1.776044d1e371p-22, -0x1.b48e691053642p-35},
    {-0x1.b82e617dd6c8fp-6, 0x1.a33bae7a2db1fp-7, 0x1.0518bdc13afe2p-8, -0x1.1de1c6f621246p-8, 0x1.66d97b98683bcp-11, 0x1.2964c4da3955p-14, 0x1.8d05a25712a4ap-22, 0x1.3558314151a65p-34},
    {0x1.ad2cc331825cdp-19, 0x1.dfef2ba353da2p-8, -0x1.794d9fb511d4dp-8, 0x1.95812a0de9c0ap-10, -0x1.2d7a740cbcc66p-18, -0x1.53e04a138baedp-15, -0x1.5f6c1233c7ad9p-22, -0x1.91b3e69ef313ap-34},
    {0x1.550d5003b5d58p-8, -0x1.c72200c4bfa7p-9, 0x1.ab0acef1c3f08p-11, 0x1.890a9185bdcb5p-13, -0x1.118d14c0c7f3p-13, 0x1.22f638200e801p-16, 0x1.06a489cfb06e9p-22, 0x1.823bd103c6f38p-34},
    {0x1.69abc4f4a9199p-14, -0x1.ce456489cd09cp-11, 0x1.ae848ecbe1abep-11, -0x1.6bea87bef0fcep-12, 0x1.25f27b5e8edb1p-14, -0x1.41730519e4fb3p-18, -0x1.4c7cc13e48cf5p-23, -0x1.9f92d1fed691ep-35},
    {-0x1.228e4cf2dfca2p-10, 0x1.5c715ddf0b14fp-11, -0x1.4dc9fed3d05d3p-12, 0x1.7b7bca852742bp-14, -0x1.a26cd629c3ab4p-17, 0x1.71b65e7e97fdap-23, 0x1.6183789d92343p-24, 0x1.fb598f132a9b7p-35},
    {0x1.f9f9ba6050d1cp-12, 0x1.18253e4c913d5p-14, -0x1.eb1c4069bd503p-15, 0x1.8c2a573dd32f8p-16, -0x1.56d05d8833d93p-18, 0x1.5231efb76dcc1p-21, -0x1.341be8d516856p-25, -0x1.e58ba3684dcfdp-34},
    {-0x1.b01adb494e284p-12, -0x1.914b560b2891ep-14, 0x1.c0dc68f99d09p-15, -0x1.3cf145e121f0ap-16, 0x1.f46da8f818adfp-19, -0x1.7dd18d313576dp-22, 0x1.b7db2bc8e0d9dp-27, 0x1.4b3e8c10a7ce5p-35},
    {0x1.06b5125f81a66p-12, -0x1.3de7e54200fc3p-20, -0x1.b9740e99bf115p-20, 0x1.090ac1d5d148dp-19, -0x1.765036e9f1f3dp-21, 0x1.66dad6639f3f5p-24, -0x1.dad1a84b8c46ep-29, 0x1.5a58b98bdf7ebp-35},
};

/* The same in 8 intervals around multiples of 1/2, without where they are. */
#define OPGEN_ERF_NEAR 3.74
static const double opgen_erf_near_f64_table[14][8] = {
    {0, 0x1.0a7ef5c18edd2p-1, 0x1.af767a741088bp-1, 0x1.eea5557137aep-1, 0x1.fd9ae142795e3p-1, 0x1.ffcaa8f4c9beap-1, 0x1.fffd1ac4135f9p-1, 0x1.ffffe710d565ep-1},
    {0x1.20dd750429b6dp+0, 0x1.c1efca49a5013p-1, 0x1.a911f096fbc24p-2, 0x1.e723726b824aap-4, 0x1.529b9e8cf9a1fp-6, 0x1.1d83170fbf6f6p-9, 0x1.2408e9ba33292p-13, 0x1.6a597219a93c6p-18},
    {0x1.cc0c5ccacd3c4p-48, -0x1.c1efca49a4ec8p-2, -0x1.a911f096fbdc5p-2, -0x1.6d5a95d0a1ca3p-3, -0x1.529b9e8cf95a5p-5, -0x1.64e3dcd3a9695p-8, -0x1.b60d5e96df7fep-12, -0x1.3d0e43d035065p-16},
    {-0x1.812746b03b14ep-2, -0x1.2bf531866ed69p-3, 0x1.1b614b0f52e23p-3, 0x1.1c2a02beb698cp-3, 0x1.8b0ae3a47884p-5, 0x1.119da0c46cfd4p-7, 0x1.9db74b1d1d15bp-11, 0x1.62ccea63cb67cp-15},
    {0x1.8c40aa4fd1fb7p-35, 0x1.76f27de7e568p-3, 0x1.1b614b0fabecdp-4, -0x1.6d5a95d0a9949p-5, -0x1.1a2c5975923d1p-5, -0x1.1a89b97e60731p-7, -0x1.11c85b2c657ddp-10, -0x1.1c0772e20ac0bp-14},
    {0x1.ce2f213d0636dp-4, 0x1.dfeeb5b2be3d4p-8, -0x1.1b614b0fb89b5p-4, -0x1.e723726ade11ep-7, 0x1.ace7404c52e41p-7, 0x1.90e81283b8082p-8, 0x1.0a7b5546f3ebbp-10, 0x1.586bafc99aa26p-14},
    {0x1.ebeba0ca16e17p-26, -0x1.99f13af3abae7p-5, 0x1.2e45a37258868p-8, 0x1.3ca3d74c2edb5p-6, 0x1.e1935f33c1ecdp-12, -0x1.6ecdbe2b278bfp-9, -0x1.82f22fa4c9a87p-11, -0x1.46151538c767ap-14},
    {-0x1.b82e71a550ac3p-6, 0x1.623c5de6d5c85p-8, 0x1.f096fe323c332p-7, -0x1.36d73aae71719p-8, -0x1.bae0abcf1c1d4p-9, 0x1.1c610c6815565p-11, 0x1.998b477aefe1cp-12, 0x1.e827fb0d16a44p-15},
    {0x1.b297dc94db22cp-19, 0x1.493d24d307117p-7, -0x1.3910f13c010a8p-8, -0x1.35ae9079b048ep-9, 0x1.a11446883990cp-10, 0x1.11541b0c7979bp-12, -0x1.1aa87bbb8d933p-13, -0x1.1f6bce9155c37p-15},
    {0x1.551a56e23ee8ap-8, -0x1.1c1563b02f1adp-9, -0x1.ee319849767bbp-10, 0x1.c0382fb331ec4p-10, -0x1.a46a5d224b15fp-15, -0x1.0671a8068e21ep-12, 0x1.d2a4afac55abbp-17, 0x1.01352049886f3p-16},
    {0x1.3e8bc96648e96p-14, -0x1.9b55d8f6e7f94p-10, 0x1.41583ee8aecccp-10, -0x1.84ccb3140e027p-14, -0x1.139df6ba34bbdp-12, 0x1.4ab6240d31e34p-14, 0x1.071a093b24ac5p-16, -0x1.33fdbf9f332bbp-18},
    {-0x1.12cee711003fdp-10, 0x1.048641ae0d1p-11, 0x1.677f7a8e96e0cp-14, -0x1.0ad762bee11a9p-12, 0x1.b3241afe49359p-14, 0x1.59b2030cd77cp-18, -0x1.6a4b08a7f1d22p-17, 0x1.dd9d721a5ab4dp-22},
    {0x1.2dab5983a59fp-12, 0x1.92b30174087fep-13, -0x1.98a1757bbd4fbp-13, 0x1.39fd96ca7c629p-14, 0x1.8f35e24f612f8p-18, -0x1.df45875430f77p-17, 0x1.6397884ad3128p-19, 0x1.b07815613becp-23},
    {-0x1.2d090e632b9c8p-14, -0x1.5643ad752b475p-14, 0x1.1f3290896628ep-16, 0x1.3108d1531d767p-16, -0x1.0cd25c5d57c01p-16, 0x1.30ad6fa455574p-18, 0x1.5b1640f77d1bfp-23, -0x1.4537d4960a3a6p-22},
};

/* The same of log(1 + exp(-x)), around 0 to 7. */
static const double opgen_log1p_exp_f64_table[14][8] = {
    {0x1.62e42fefa39efp-1, 0x1.40c7abfbec124p-2, 0x1.03f2d54301d49p-3, 0x1.8e070fc045701p-5, 0x1.295e50b53b654p-6, 0x1.b818da245a728p-8, 0x1.447e35674b30ep-9, 0x1.dddef4e20532bp-11},
    {-0x1.fffffffffff9dp-2, -0x1.136561454ba89p-2, -0x1.e84152bac31bp-4, -0x1.848343c905446p-5, -0x1.26afa1e43c2c3p-6, -0x1.b69f67d638f8ep-8, -0x1.4417772fa800fp-9, -0x1.dda738adf1189p-11},
    {0x1.fffffffff92eap-4, 0x1.92a946fa34628p-4, 0x1.ae0dc0f990c7ap-5, 0x1.72165282c6f34p-6, 0x1.2162c262e04d3p-7, 0x1.b3afe1fba5cafp-9, 0x1.434a517bbc612p-10, 0x1.dd37d19b22acbp-12},
    {0x1.c0e5f6b2ab546p-37, -0x1.f0345691fd28fp-7, -0x1.b4b3ade970808p-7, -0x1.bea5214ef649fp-8, -0x1.73f7c3a66fec8p-9, -0x1.1e91ee5da0ddp-10, -0x1.acec0d0de3a2p-12, -0x1.3d90cf9da7099p-13},
    {-0x1.5555565a205c8p-8, -0x1.81d97b83d2becp-10, 0x1.a85d22eb380bdp-10, 0x1.67b1f6914c95fp-10, 0x1.58f4ff0ef87f3p-11, 0x1.16df44871b746p-12, 0x1.a8acaf7d867adp-14, 0x1.3c6869dfcdd8cp-15},
    {0x1.7ac1cc3b217bbp-29, 0x1.0dce0b02a7e9dp-10, 0x1.6b3a77b3b0559p-13, -0x1.47373dec5f5fcp-13, -0x1.d5015ce46a201p-14, -0x1.a5eef9c7111fp-15, -0x1.4cfb3f2b979aap-16, -0x1.f68e226d56e1p-18},
    {0x1.6c110f206e68p-12, -0x1.29574bfa10891p-14, -0x1.f9cd0129c553p-14, -0x1.d0d1a832a043dp-18, 0x1.a1ca3e267ea32p-17, 0x1.f358ea3eaa921p-18, 0x1.aa1a9ecb5dec9p-19, 0x1.4a1f44f13f64dp-20},
    {0x1.e1010e35317fp-24, -0x1.d7bfcc555fb3fp-15, 0x1.624fffe72140fp-16, 0x1.09ab8ed1b5d18p-17, -0x1.7d3ce504d0c52p-23, -0x1.af1b9aa9199cap-21, -0x1.bea40cf28c898p-22, -0x1.6e19cf737501p-23},
    {-0x1.c102759b74711p-16, 0x1.d49a686e5a28bp-17, 0x1.3f931e0205d09p-20, -0x1.03e4f535401cap-19, -0x1.56f8cca55b6d3p-22, 0x1.4cffa889f8bd8p-25, 0x1.6f7f9a80a52a3p-25, 0x1.57e49bf4bf954p-26},
    {0x1.1a2c95084f5bp-20, 0x1.d27b4cd5a416ap-20, -0x1.904dd261e43f5p-20, 0x1.d9951491753a2p-23, 0x1.90ff7bdfa9b76p-24, 0x1.1cbeaca528de6p-27, -0x1.7c00248f6eb3ap-29, -0x1.0a9de11893e2ep-29},
    {0x1.43d3781a9321fp-22, -0x1.60f1245a9f321p-20, 0x1.55fb8e9f7c362p-22, 0x1.47fe59ae477d6p-26, -0x1.1446958d6eac9p-26, -0x1.a095b3ba4fc92p-29, -0x1.c8529d8cb4178p-34, 0x1.2f7643d31d548p-33},
    {0x1.184553e65420fp-19, 0x1.7d8691c993d54p-24, 0x1.3b2b7e2de441ep-28, -0x1.030ffb7d02aep-26, 0x1.adabc0103655ep-30, 0x1.468d0250d3f27p-31, 0x1.4514ba1c8c418p-34, -0x1.66c97085ecfb1p-39},
    {-0x1.aa2bd5fa4f187p-20, 0x1.64c04e332d349p-24, -0x1.5e495bddc0af8p-26, 0x1.e2000608c3ae5p-29, 0x1.943025901490ap-34, -0x1.70d8bb7f744b4p-34, -0x1.1b6e5da7212c8p-36, -0x1.80426d3d447e2p-40},
    {0x1.d8386ad9a6006p-22, -0x1.54c86110f4f31p-26, 0x1.4e14839e9e40ep-28, -0x1.8008dac968332p-32, -0x1.496f89fd8180fp-34, 0x1.163fc9f7f8283p-37, 0x1.61e8cbaafd4e5p-39, 0x1.20a477aa24a25p-42},
};

#define OPGEN_DOUBLES(x) _mm512_set1_pd(x)

/* Up to 8 of what is left. */
OPGEN_V4 static inline __mmask8 opgen_some_f64(int64_t left) {
    return (__mmask8)(left >= 8 ? 0xffu : left <= 0 ? 0 : (1u << left) - 1);
}

OPGEN_V4 static inline __m512d opgen_look_f64(const double *row, __m512i at) {
    return _mm512_permutex2var_pd(_mm512_loadu_pd(row), at, _mm512_loadu_pd(row + 8));
}

/* The same of 8 entries. */
OPGEN_V4 static inline __m512d opgen_look_8_f64(const double *row, __m512i at) {
    return _mm512_permutexvar_pd(at, _mm512_loadu_pd(row));
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

/* So many times exp(x) - 1, `times` 1/2 or less, of x from -40 to where that is in range: some * (1 + t) * (exp(r) - 1) and what some * (1 + t)
 * is more than `times`, where `some` is so many times a power of two, and t what is left of 2^n, less 1: 0 near 0. */
OPGEN_V4 static inline __m512d opgen_some_expm1_8(__m512d x, double times) {
    __m512d z, n;
    const __m512d r = opgen_reduced_f64(x, &z, &n), t = opgen_look_f64(opgen_powers_f64[1], _mm512_castpd_si512(z));
    const __m512d some = _mm512_scalef_pd(OPGEN_DOUBLES(times), _mm512_add_pd(n, OPGEN_DOUBLES(0.5)));
    const __m512d p = _mm512_mul_pd(opgen_expm1_by_8(r), r);
    return _mm512_fmadd_pd(p, _mm512_fmadd_pd(some, t, some), _mm512_fmadd_pd(some, t, _mm512_sub_pd(some, OPGEN_DOUBLES(times))));
}

OPGEN_V4 static inline __m512d opgen_expm1_8(__m512d x) {
    const __m512d half = opgen_some_expm1_8(_mm512_min_pd(OPGEN_DOUBLES(710), _mm512_max_pd(OPGEN_DOUBLES(-40), x)), 0.5);
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

/* Half of exp(|x|), and what 1/4 divided by it adds. */
OPGEN_V4 static inline __m512d opgen_cosh_8(__m512d x) {
    __m512d z, n;
    const __m512d r = opgen_reduced_f64(_mm512_min_pd(OPGEN_DOUBLES(711), _mm512_abs_pd(x)), &z, &n);
    const __m512d part = opgen_look_f64(opgen_powers_f64[0], _mm512_castpd_si512(z));
    const __m512d all = _mm512_fmadd_pd(opgen_expm1_by_8(r), _mm512_mul_pd(r, part), part);
    const __m512d half = _mm512_scalef_pd(all, _mm512_sub_pd(n, OPGEN_DOUBLES(1)));
    return _mm512_add_pd(half, _mm512_div_pd(OPGEN_DOUBLES(0.25), _mm512_min_pd(OPGEN_DOUBLES(0x1p60), half)));
}

/* Of a quarter of e = exp(|x|) - 1: twice that, and half of e / (e + 1). */
OPGEN_V4 static inline __m512d opgen_sinh_8(__m512d x, __m512d quarter) {
    const __m512d up = _mm512_fmadd_pd(_mm512_min_pd(OPGEN_DOUBLES(0x1p60), quarter), OPGEN_DOUBLES(4), OPGEN_DOUBLES(1));
    const __m512d half = _mm512_add_pd(quarter, _mm512_div_pd(quarter, up));
    return opgen_signed_f64(_mm512_add_pd(half, half), x);
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

/* e log(2), `log`, r and what log(1 + r) is more than that, `less`. */
OPGEN_V4 static inline __m512d opgen_log_sum_8(__m512d e, __m512d r, __m512d log, __m512d less) {
    const __m512d high = _mm512_fmadd_pd(e, OPGEN_DOUBLES(0x1.62e42fefa39efp-1), log);
    const __m512d low = _mm512_fmadd_pd(e, OPGEN_DOUBLES(0x1.abc9e3b39803fp-56), less);
    return _mm512_add_pd(high, _mm512_add_pd(low, r));
}

OPGEN_V4 static inline __m512d opgen_log_8(__m512d x) {
    __m512d e, of;
    __m512i at;
    const __m512d r = opgen_log_parts_8(x, &e, &of, &at);
    return opgen_log_sum_8(e, r, opgen_look_f64(opgen_logs_f64[1], at), opgen_log1p_less_8(r));
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

/* By an estimate of 14 bits and four terms of what is missing, (1 - left)^(-1/2): see opgen_rsqrt_16. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
OPGEN_V4 static inline __m512d opgen_rsqrt_8(__m512d x) {
    const __m512d estimate = _mm512_rsqrt14_pd(x), left = _mm512_fnmadd_pd(_mm512_mul_pd(x, estimate), estimate, OPGEN_DOUBLES(1));
    __m512d p = _mm512_fmadd_pd(left, OPGEN_DOUBLES(0.3125), OPGEN_DOUBLES(0.375));
    p = _mm512_fmadd_pd(p, left, OPGEN_DOUBLES(0.5));
    const __m512d root = _mm512_fmadd_pd(p, _mm512_mul_pd(left, estimate), estimate);
    /* 0x0e: 0, -0, infinity */
    return _mm512_mask_mov_pd(root, _mm512_fpclass_pd_mask(x, 0x0e), estimate);
}
#pragma GCC diagnostic pop

/* Whether one of the bits of four vectors, without sign, is more than those of a number. */
OPGEN_V4_PART bool opgen_one_is_more(const __m512i *bits, double most) {
    const __m512i first = _mm512_max_epu64(bits[0], bits[1]), second = _mm512_max_epu64(bits[2], bits[3]);
    return _mm512_cmpgt_epu64_mask(_mm512_max_epu64(first, second), _mm512_castpd_si512(OPGEN_DOUBLES(most))) != 0;
}

OPGEN_V4 static inline __m512d opgen_negative_8(__m512d x) { return _mm512_xor_pd(x, OPGEN_DOUBLES(-0.0)); }

/* x w / (w + 2), where w is (e + 1)^2 - 1. */
OPGEN_V4 static inline __m512d opgen_mish_8(__m512d x, __m512d e) {
    const __m512d w = _mm512_fmadd_pd(e, e, _mm512_add_pd(e, e));
    return _mm512_mul_pd(x, _mm512_div_pd(w, _mm512_add_pd(w, OPGEN_DOUBLES(2))));
}

/* ---- by polynomials of intervals. Of four vectors, r from where `at` says: the value there and what so many powers of r are multiplied by, rows of
 * a table, in two halves, each of which waits half as long. The first power counts most, and is added last but one. */
OPGEN_V4_PART void opgen_of_intervals_32(__m512d *y, const __m512d *r, const __m512i *at, const double (*table)[8], int powers) {
    __m512d q[4], one[4], other[4];
    OPGEN_ALL_OF(4) {
        q[i] = _mm512_mul_pd(r[i], r[i]);
        one[i] = opgen_look_8_f64(table[powers], at[i]);
        other[i] = opgen_look_8_f64(table[powers - 1], at[i]);
    }
    OPGEN_UNROLLED
    for (int k = powers - 2; k >= 3; k -= 2) {
        OPGEN_ALL_OF(4) one[i] = _mm512_fmadd_pd(one[i], q[i], opgen_look_8_f64(table[k], at[i]));
        OPGEN_ALL_OF(4) other[i] = _mm512_fmadd_pd(other[i], q[i], opgen_look_8_f64(table[k - 1], at[i]));
    }
    const bool even = powers % 2 == 0;
    OPGEN_ALL_OF(4) {
        if (even) one[i] = _mm512_fmadd_pd(one[i], q[i], opgen_look_8_f64(table[2], at[i]));
        const __m512d more = even ? _mm512_fmadd_pd(other[i], r[i], one[i]) : _mm512_fmadd_pd(one[i], r[i], other[i]);
        const __m512d first = _mm512_fmadd_pd(opgen_look_8_f64(table[1], at[i]), r[i], opgen_look_8_f64(table[0], at[i]));
        y[i] = _mm512_fmadd_pd(more, q[i], first);
    }
}

/* erf of |x|, where one is not near. */
OPGEN_V4 __attribute__((noinline)) static void opgen_erf_far_32(__m512d *y, const __m512d *x) {
    __m512d r[4];
    __m512i at[4];
    OPGEN_ALL_OF(4) {
        const __m512d a = _mm512_min_pd(OPGEN_DOUBLES(OPGEN_ERF_MOST), _mm512_abs_pd(x[i]));
        const __m512d slope = _mm512_fnmadd_pd(a, OPGEN_DOUBLES(OPGEN_ERF_LESS), OPGEN_DOUBLES(OPGEN_ERF_SLOPE));
        at[i] = _mm512_castpd_si512(_mm512_fmadd_pd(a, slope, OPGEN_DOUBLES(0x1.8p52)));
        r[i] = _mm512_sub_pd(a, opgen_look_8_f64(opgen_erf_f64_table[0], at[i]));
    }
    opgen_of_intervals_32(y, r, at, opgen_erf_f64_table + 1, 14);
}

/* erf, or gelu, which is x / 2 and so many times erf(x / sqrt(2)) of that. */
OPGEN_V4_PART void opgen_erf_of_32(__m512d *v, bool gelu) {
    __m512d x[4], r[4], y[4];
    __m512i at[4];
    OPGEN_ALL_OF(4) {
        x[i] = gelu ? _mm512_mul_pd(v[i], OPGEN_DOUBLES(0.7071067811865476)) : v[i];
        at[i] = _mm512_castpd_si512(_mm512_abs_pd(x[i]));
    }
    if (opgen_one_is_more(at, OPGEN_ERF_NEAR)) {
        opgen_erf_far_32(y, x);
    } else {
        OPGEN_ALL_OF(4) {
            const __m512d a = _mm512_abs_pd(x[i]), z = _mm512_add_pd(a, OPGEN_DOUBLES(0x1.8p51));
            r[i] = _mm512_sub_pd(a, _mm512_sub_pd(z, OPGEN_DOUBLES(0x1.8p51)));
            at[i] = _mm512_castpd_si512(z);
        }
        opgen_of_intervals_32(y, r, at, opgen_erf_near_f64_table, 13);
    }
    OPGEN_ALL_OF(4) {
        const __m512d e = opgen_signed_f64(y[i], v[i]), half = _mm512_mul_pd(v[i], OPGEN_DOUBLES(0.5));
        v[i] = gelu ? _mm512_fmadd_pd(half, e, half) : e;
    }
}

/* erfc of |x| up to 26, where it is a normal number: exp(-x^2), the square as two doubles, times a quotient of two polynomials, as
 * opgen_erfc_f64 has it; of a negative number 2 less that. */
OPGEN_V4 __attribute__((noinline)) static void opgen_erfc_far_32(__m512d *v) {
    double any[32];
    OPGEN_ALL_OF(4) _mm512_storeu_pd(any + 8 * i, v[i]);
    OPGEN_SIMD
    for (int k = 0; k < 32; k++)
        any[k] = opgen_erfc_f64(any[k]);
    OPGEN_ALL_OF(4) v[i] = _mm512_loadu_pd(any + 8 * i);
}
OPGEN_V4_PART void opgen_erfc_of_32(__m512d *v) {
    const __m512d one = OPGEN_DOUBLES(1), turn = OPGEN_DOUBLES(0x1.8p48);
    __m512d quotient[4], power[4];
    __m512i bits[4];
    OPGEN_ALL_OF(4) bits[i] = _mm512_castpd_si512(_mm512_abs_pd(v[i]));
    if (opgen_one_is_more(bits, 26)) {
        opgen_erfc_far_32(v);
        return;
    }
    OPGEN_ALL_OF(4) {
        const __m512d a = _mm512_abs_pd(v[i]), y = _mm512_mul_pd(a, a);
        __m512d up = _mm512_fmadd_pd(OPGEN_DOUBLES(0x1.d6d5e7de42bc6p-17), y, OPGEN_DOUBLES(0x1.b921b893d914p-9));
        up = _mm512_fmadd_pd(up, y, OPGEN_DOUBLES(0x1.cf155201dc7aap-4));
        up = _mm512_fmadd_pd(up, y, OPGEN_DOUBLES(0x1.0d346c97d915ap+0));
        up = _mm512_fmadd_pd(up, y, OPGEN_DOUBLES(0x1.5b409617f018dp+1));
        __m512d up_odd = _mm512_fmadd_pd(OPGEN_DOUBLES(0x1.457494e07f3d7p-12), y, OPGEN_DOUBLES(0x1.7d7f23ece641fp-6));
        up_odd = _mm512_fmadd_pd(up_odd, y, OPGEN_DOUBLES(0x1.9ab3217f8a9eep-2));
        up_odd = _mm512_fmadd_pd(up_odd, y, OPGEN_DOUBLES(0x1.01eb04af149ecp+1));
        up_odd = _mm512_fmadd_pd(up_odd, y, OPGEN_DOUBLES(0x1.2b71e0e99a35ep+1));
        __m512d down = _mm512_fmadd_pd(OPGEN_DOUBLES(0x1.206d65dd39d49p-11), y, OPGEN_DOUBLES(0x1.54588f2c006c9p-5));
        down = _mm512_fmadd_pd(down, y, OPGEN_DOUBLES(0x1.7665d0fa4dd25p-1));
        down = _mm512_fmadd_pd(down, y, OPGEN_DOUBLES(0x1.f417599a6b1e1p+1));
        down = _mm512_fmadd_pd(down, y, OPGEN_DOUBLES(0x1.680ea05e0ff07p+2));
        __m512d down_odd = _mm512_fmadd_pd(OPGEN_DOUBLES(0x1.a14464877e8d5p-16), y, OPGEN_DOUBLES(0x1.87c1fe366a0a8p-8));
        down_odd = _mm512_fmadd_pd(down_odd, y, OPGEN_DOUBLES(0x1.a07ad9dfe90bbp-3));
        down_odd = _mm512_fmadd_pd(down_odd, y, OPGEN_DOUBLES(0x1.f60c184b63254p+0));
        down_odd = _mm512_fmadd_pd(down_odd, y, OPGEN_DOUBLES(0x1.69720b1687103p+2));
        down_odd = _mm512_fmadd_pd(down_odd, y, OPGEN_DOUBLES(0x1.bbe09b6baf115p+1));
        quotient[i] = _mm512_div_pd(_mm512_fmadd_pd(y, up, _mm512_fmadd_pd(a, up_odd, one)), _mm512_fmadd_pd(y, down, _mm512_fmadd_pd(a, down_odd, one)));
    }
    OPGEN_ALL_OF(4) {
        const __m512d a = _mm512_abs_pd(v[i]);
        __m512d square = _mm512_mul_pd(a, a);
        OPGEN_COMPUTED(square);
        const __m512d lost = _mm512_fmsub_pd(a, a, square), z = _mm512_fnmadd_pd(square, OPGEN_DOUBLES(0x1.71547652b82fep+0), turn), n = _mm512_sub_pd(z, turn);
        __m512d r = _mm512_fnmsub_pd(n, OPGEN_DOUBLES(0x1.62e42fefa39efp-1), square);
        r = _mm512_sub_pd(_mm512_fnmadd_pd(n, OPGEN_DOUBLES(0x1.abc9e3b39803fp-56), r), lost);
        const __m512d part = opgen_look_f64(opgen_powers_f64[0], _mm512_castpd_si512(z));
        power[i] = _mm512_scalef_pd(_mm512_fmadd_pd(opgen_expm1_by_8(r), _mm512_mul_pd(r, part), part), n);
    }
    OPGEN_ALL_OF(4) {
        const __m512d size = _mm512_mul_pd(quotient[i], power[i]);
        v[i] = _mm512_mask_sub_pd(size, _mm512_movepi64_mask(_mm512_castpd_si512(v[i])), OPGEN_DOUBLES(2), size);
    }
}

/* softplus, or where `minus` logsigmoid, which is less that of -x. */
#define OPGEN_LOG1P_EXP_MOST_F64 7.49
OPGEN_V4_PART void opgen_softplus_of_32(__m512d *v, bool minus) {
    __m512d r[4], y[4];
    __m512i at[4];
    OPGEN_ALL_OF(4) at[i] = _mm512_castpd_si512(_mm512_abs_pd(v[i]));
    if (opgen_one_is_more(at, OPGEN_LOG1P_EXP_MOST_F64)) {
        OPGEN_ALL_OF(4) {
            const __m512d x = minus ? opgen_negative_8(v[i]) : v[i], e = opgen_exp_of_less_8(x);
            v[i] = minus ? opgen_negative_8(opgen_log1p_exp_8(x, e)) : opgen_softplus_8(x, e);
        }
        return;
    }
    OPGEN_ALL_OF(4) {
        const __m512d a = _mm512_abs_pd(v[i]), z = _mm512_add_pd(a, OPGEN_DOUBLES(0x1.8p52));
        r[i] = _mm512_sub_pd(a, _mm512_sub_pd(z, OPGEN_DOUBLES(0x1.8p52)));
        at[i] = _mm512_castpd_si512(z);
    }
    opgen_of_intervals_32(y, r, at, opgen_log1p_exp_f64_table, 13);
    OPGEN_ALL_OF(4) {
        const __m512d zero = _mm512_setzero_pd();
        v[i] = minus ? _mm512_sub_pd(_mm512_min_pd(zero, v[i]), y[i]) : _mm512_add_pd(_mm512_max_pd(zero, v[i]), y[i]);
    }
}

/* ---- The functions of n, of those of 8, and of a multiple of 8, stored past the cache: see OPGEN_MANY_V4. */

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
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_##name##_f64_past_v4(double *to, const double *x, int64_t n, int64_t ahead) {    \
        for (int64_t i = 0; i < n; i += 8) {                                                                           \
            opgen_ask_for(x + i, ahead);                                                                               \
            const __m512d v = _mm512_loadu_pd(x + i);                                                                  \
            _mm512_stream_pd(to + i, of_8);                                                                            \
        }                                                                                                              \
    }

/* In two parts, the second of four vectors, t of the first and v, behind the first of those: what waits for one has the other
 * beside it. */
#define OPGEN_DOUBLES_TWO_V4(name, first, second)                                                                      \
    OPGEN_V4_PART void opgen_##name##_f64_32(double *to, const double *x, int64_t ahead, bool past) {                  \
        __m512d parts[4];                                                                                              \
        for (int k = 0; k < 4; k++) {                                                                                  \
            const __m512d v = _mm512_loadu_pd(x + 8 * k);                                                              \
            parts[k] = first;                                                                                          \
        }                                                                                                              \
        for (int k = 0; k < 4; k++) {                                                                                  \
            const __m512d v = _mm512_loadu_pd(x + 8 * k), t = parts[k];                                                \
            (void)v;                                                                                                   \
            opgen_ask_for(x + 8 * k, ahead);                                                                           \
            opgen_put_v4(to + 8 * k, (opgen_line_v4)_mm512_castpd_si512(second), past);                                \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_##name##_f64_many_v4(double *to, const double *x, int64_t n) {                   \
        int64_t i = 0;                                                                                                 \
        for (; i + 32 <= n; i += 32)                                                                                   \
            opgen_##name##_f64_32(to + i, x + i, 0, false);                                                            \
        for (; i < n; i += 8) {                                                                                        \
            const __m512d v = _mm512_maskz_loadu_pd(opgen_some_f64(n - i), x + i), t = first;                          \
            _mm512_mask_storeu_pd(to + i, opgen_some_f64(n - i), second);                                              \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_##name##_f64_past_v4(double *to, const double *x, int64_t n, int64_t ahead) {    \
        int64_t i = 0;                                                                                                 \
        for (; i + 32 <= n; i += 32)                                                                                   \
            opgen_##name##_f64_32(to + i, x + i, ahead, true);                                                         \
        opgen_##name##_f64_many_v4(to + i, x + i, n - i);                                                              \
    }

/* Whether none of n is further from 0. */
OPGEN_V4 static inline bool opgen_all_near_f64(const double *x, int64_t n, double most) {
    __m512d greatest = _mm512_setzero_pd();
    for (int64_t i = 0; i < n; i += 8)
        greatest = _mm512_max_pd(_mm512_abs_pd(_mm512_maskz_loadu_pd(opgen_some_f64(n - i), x + i)), greatest);
    return _mm512_cmp_pd_mask(greatest, OPGEN_DOUBLES(most), _CMP_GT_OQ) == 0;
}

/* Of four vectors at once, v, which this replaces. */
#define OPGEN_DOUBLES_FOUR_V4(name, of_32)                                                                             \
    OPGEN_V4 static inline void opgen_##name##_f64_many_v4(double *to, const double *x, int64_t n) {                   \
        int64_t i = 0;                                                                                                 \
        for (__m512d v[4]; i < n; i += 32) {                                                                           \
            for (int k = 0; k < 4; k++)                                                                                \
                v[k] = _mm512_maskz_loadu_pd(opgen_some_f64(n - i - 8 * k), x + i + 8 * k);                            \
            of_32;                                                                                                     \
            for (int k = 0; k < 4; k++)                                                                                \
                _mm512_mask_storeu_pd(to + i + 8 * k, opgen_some_f64(n - i - 8 * k), v[k]);                            \
        }                                                                                                              \
    }                                                                                                                  \
    OPGEN_V4 static inline void opgen_##name##_f64_past_v4(double *to, const double *x, int64_t n, int64_t ahead) {    \
        int64_t i = 0;                                                                                                 \
        for (__m512d v[4]; i + 32 <= n; i += 32) {                                                                     \
            for (int k = 0; k < 4; k++) {                                                                              \
                opgen_ask_for(x + i + 8 * k, ahead);                                                                   \
                v[k] = _mm512_loadu_pd(x + i + 8 * k);                                                                 \
            }                                                                                                          \
            of_32;                                                                                                     \
            for (int k = 0; k < 4; k++)                                                                                \
                _mm512_stream_pd(to + i + 8 * k, v[k]);                                                                \
        }                                                                                                              \
        opgen_##name##_f64_many_v4(to + i, x + i, n - i);                                                              \
    }

OPGEN_DOUBLES_V4(exp, opgen_exp_8(v, -746))
OPGEN_DOUBLES_TWO_V4(sigmoid, opgen_exp_8(opgen_negative_8(v), -708), _mm512_div_pd(OPGEN_DOUBLES(1), _mm512_add_pd(OPGEN_DOUBLES(1), t)))
OPGEN_DOUBLES_TWO_V4(silu, opgen_exp_8(opgen_negative_8(v), -708), _mm512_div_pd(v, _mm512_add_pd(OPGEN_DOUBLES(1), t)))
OPGEN_DOUBLES_FOUR_V4(softplus, opgen_softplus_of_32(v, false))
OPGEN_DOUBLES_FOUR_V4(logsigmoid, opgen_softplus_of_32(v, true))
OPGEN_DOUBLES_TWO_V4(mish, opgen_exp_below_8(_mm512_min_pd(OPGEN_DOUBLES(40), v), -746), opgen_mish_8(v, t))
OPGEN_DOUBLES_TWO_V4(tanh, opgen_some_expm1_8(opgen_twice_8(v), 0.5), opgen_tanh_8(v, t))
OPGEN_DOUBLES_TWO_V4(tanhshrink, opgen_some_expm1_8(opgen_twice_8(v), 0.5), _mm512_sub_pd(v, opgen_tanh_8(v, t)))
OPGEN_DOUBLES_V4(exp2, opgen_exp2_8(v))
OPGEN_DOUBLES_V4(rsqrt, opgen_rsqrt_8(v))
OPGEN_DOUBLES_V4(expm1, opgen_expm1_8(v))
OPGEN_DOUBLES_V4(log, opgen_log_8(v))
OPGEN_DOUBLES_V4(log2, opgen_log2_8(v))
OPGEN_DOUBLES_V4(log10, opgen_log10_8(v))
OPGEN_DOUBLES_TWO_V4(sinh, opgen_some_expm1_8(_mm512_min_pd(OPGEN_DOUBLES(710.5), _mm512_abs_pd(v)), 0.25), opgen_sinh_8(v, t))
OPGEN_DOUBLES_V4(cosh, opgen_cosh_8(v))
OPGEN_DOUBLES_FOUR_V4(erf, opgen_erf_of_32(v, false))
OPGEN_DOUBLES_FOUR_V4(gelu, opgen_erf_of_32(v, true))
OPGEN_DOUBLES_FOUR_V4(erfc, opgen_erfc_of_32(v))

#define OPGEN_DOUBLES_CHOOSE(name)                                                                                     \
    if (level == 4) {                                                                                                  \
        opgen_##name##_f64_many_v4(to, x, n);                                                                          \
        return;                                                                                                        \
    }
#define OPGEN_DOUBLES_PAST_CHOOSE(name)                                                                                \
    if (level == 4 && to != x && (ahead != 0 || opgen_takes_turns()) && (uintptr_t)to % 64 == 0) {                     \
        opgen_##name##_f64_past_v4(to, x, n / 8 * 8, ahead);                                                           \
        return n / 8 * 8;                                                                                              \
    }
#else
#define OPGEN_DOUBLES_CHOOSE(name)
#define OPGEN_DOUBLES_PAST_CHOOSE(name)
#endif

/* name_many, and name_past, which stores past the cache and says how many: see OPGEN_MANY_OF. */
#define OPGEN_DOUBLES_PAST(name)                                                                                       \
    OPGEN_INLINE int64_t opgen_##name##_f64_past(double *to, const double *x, int64_t n, int64_t ahead, int level) {   \
        (void)to, (void)x, (void)n, (void)ahead, (void)level;                                                          \
        OPGEN_DOUBLES_PAST_CHOOSE(name)                                                                                \
        return 0;                                                                                                      \
    }
#define OPGEN_DOUBLES_OF(name, one)                                                                                    \
    OPGEN_INLINE void opgen_##name##_f64_many(double *to, const double *x, int64_t n, int level) {                     \
        (void)level;                                                                                                   \
        OPGEN_DOUBLES_CHOOSE(name)                                                                                     \
        OPGEN_SIMD                                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                                                \
            to[i] = one;                                                                                               \
    }                                                                                                                  \
    OPGEN_DOUBLES_PAST(name)
#define OPGEN_DOUBLES_BOTH(name) OPGEN_DOUBLES_OF(name, opgen_##name##_f64(x[i]))

OPGEN_DOUBLES_BOTH(exp)
OPGEN_DOUBLES_BOTH(exp2)
OPGEN_DOUBLES_BOTH(expm1)
OPGEN_DOUBLES_BOTH(rsqrt)
OPGEN_DOUBLES_BOTH(log)
OPGEN_DOUBLES_BOTH(log2)
OPGEN_DOUBLES_BOTH(log10)
OPGEN_DOUBLES_BOTH(tanh)
OPGEN_DOUBLES_OF(tanhshrink, x[i] - opgen_tanh_f64(x[i]))
OPGEN_DOUBLES_BOTH(sinh)
OPGEN_DOUBLES_BOTH(cosh)
OPGEN_DOUBLES_BOTH(erf)
OPGEN_DOUBLES_BOTH(erfc)
OPGEN_DOUBLES_OF(sigmoid, 1.0 / (1.0 + opgen_exp_f64(-x[i])))
OPGEN_DOUBLES_OF(silu, x[i] / (1.0 + opgen_exp_f64(-x[i])))
OPGEN_DOUBLES_OF(gelu, 0.5 * x[i] * (1.0 + opgen_erf_f64(x[i] * 0.7071067811865476)))
OPGEN_DOUBLES_OF(softplus, x[i] > 20.0 ? x[i] : opgen_log1p_f64(opgen_exp_f64(x[i])))
OPGEN_DOUBLES_OF(logsigmoid, x[i] < -40.0 ? x[i] : -opgen_log1p_f64(opgen_exp_f64(-x[i])))
OPGEN_DOUBLES_OF(mish, x[i] * opgen_tanh_f64(opgen_log1p_f64(opgen_exp_f64(x[i]))))

#endif

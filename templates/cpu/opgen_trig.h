/* opgen_trig.h: sine, cosine, tangent and their inverses of floats, for every float, without a branch, a table or a
 * call, so that compilers vectorise loops that call them. C11 and C++17. Computed in double; see opgen_exp.h.
 */
#ifndef OPGEN_TRIG_H
#define OPGEN_TRIG_H

#include "opgen_math.h"

#define OPGEN_PI 0x1.921fb54442d18p+1
#define OPGEN_HALF_PI 0x1.921fb54442d18p+0

typedef struct OpgenAngle {
    double rest;       /* from -pi/4 to pi/4 */
    uint64_t quarters; /* modulo 4 */
} OpgenAngle;

/* What is left of v when multiples of 4 are taken away: adding 1.5 * 2^54 rounds to them. */
OPGEN_INLINE double opgen_turn(double v) { return v - ((v + 0x1.8p54) - 0x1.8p54); }

/* x, which is not negative, in quarters of a turn, and what is left after a whole number of them. 2/pi is a sum of
 * parts of 29 bits: the product of each with a float is exact, and only what is left of multiples of 4 counts; a sum is
 * exact as long as it is large. From 2^76 on the first product is a multiple of 4, and too large for its remainder to
 * be found that way. */
OPGEN_INLINE OpgenAngle opgen_angle(double x) {
    const double t0 = opgen_turn(x * (x < 0x1p76 ? 0x1.45f306ep-1 : 0)), t1 = opgen_turn(x * -0x1.b1bbeacp-32);
    const double t2 = opgen_turn(x * -0x1.603d8a8p-60), t3 = opgen_turn(x * -0x1.705659p-91);
    const double t4 = opgen_turn(x * -0x1.1f924ecp-119), t5 = x * 0x1.5993c439041fep-148;
    const double v = (t0 + t1) + ((t2 + t3) + (t4 + t5));
    const double rounded = v + 0x1.8p52;
    const OpgenAngle angle = {(v - (rounded - 0x1.8p52)) * OPGEN_HALF_PI, opgen_bits64(rounded)};
    return angle;
}

/* Sine and cosine of what is left; q is its square. */
OPGEN_INLINE double opgen_sin_near(double r, double q) {
    double p = -0x1.9943e0518ep-13;
    p = p * q + 0x1.11073afb0ap-7;
    p = p * q - 0x1.5555452684p-3;
    return r + r * q * p;
}

OPGEN_INLINE double opgen_cos_near(double q) {
    double p = 0x1.99169cc7acp-16;
    p = p * q - 0x1.6c07f1575ep-10;
    p = p * q + 0x1.55553c785ap-5;
    p = p * q - 0x1.ffffffcb82p-2;
    return 1 + q * p;
}

/* The sine of |x| and so many quarters more: sine or cosine of what is left, either sign. In float, which costs less.
 */
OPGEN_INLINE uint32_t opgen_sine(float x, uint32_t more) {
    const OpgenAngle angle = opgen_angle(fabs((double)x));
    const float r = (float)angle.rest, q = r * r;
    float s = -0x1.995408p-13f;
    s = s * q + 0x1.110778p-7f;
    s = s * q - 0x1.555546p-3f;
    float c = 0x1.99e80cp-16f;
    c = c * q - 0x1.6c0c28p-10f;
    c = c * q + 0x1.55554ap-5f;
    c = c * q - 0.5f;
    const uint32_t quarters = (uint32_t)angle.quarters + more, odd = 0 - (quarters & 1);
    const uint32_t size = (opgen_bits(r + r * q * s) & ~odd) | (opgen_bits(1 + q * c) & odd);
    return size ^ ((quarters & 2) << 30);
}

OPGEN_INLINE float opgen_sin_f32(float x) { return opgen_float(opgen_sine(x, 0) ^ (opgen_bits(x) & 0x80000000u)); }
OPGEN_INLINE float opgen_cos_f32(float x) { return opgen_float(opgen_sine(x, 1)); }

/* s / c, or -c / s in odd quarters */
OPGEN_INLINE float opgen_tan_f32(float x) {
    const OpgenAngle angle = opgen_angle(fabs((double)x));
    const double q = angle.rest * angle.rest, s = opgen_sin_near(angle.rest, q), c = opgen_cos_near(q);
    const uint64_t odd = 0 - (angle.quarters & 1), swapped = (opgen_bits64(s) ^ opgen_bits64(c)) & odd;
    const double up = opgen_double(opgen_bits64(s) ^ swapped), down = opgen_double(opgen_bits64(c) ^ swapped);
    const float t = (float)(up / opgen_double(opgen_bits64(down) ^ (odd << 63)));
    return opgen_float(opgen_bits(t) ^ (opgen_bits(x) & 0x80000000u));
}

/* The arc sine of x, where q is x * x and at most 1/4 */
OPGEN_INLINE double opgen_asin_near(double x, double q) {
    double p = 0x1.3355b0d0acp-5;
    p = p * q + 0x1.d91fd659ap-7;
    p = p * q + 0x1.04919da6dcp-5;
    p = p * q + 0x1.6caed28b0ap-5;
    p = p * q + 0x1.33387c99e6p-4;
    p = p * q + 0x1.55554c5fb8p-3;
    return x + x * q * p;
}

/* Beyond 1/2 by the half angle: asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)). The root of x * x is x. The second time the
 * bits are asked: where gcc knows that one condition decides twice it may write both ways in full. */
OPGEN_INLINE float opgen_asin_f32(float x) {
    const double a = fabs((double)x), q = a > 0.5 ? (1 - a) * 0.5 : a * a, r = opgen_asin_near(sqrt(q), q);
    const bool far = (opgen_bits(x) & 0x7fffffffu) > 0x3f000000u;
    return copysignf((float)(far ? OPGEN_HALF_PI - 2 * r : r), x);
}

OPGEN_INLINE float opgen_acos_f32(float x) {
    const double a = fabs((double)x);
    const bool far = a > 0.5;
    const double q = far ? (1 - a) * 0.5 : a * a, r = copysign(opgen_asin_near(sqrt(q), q), x);
    return (float)(far ? (x < 0 ? OPGEN_PI : 0) + 2 * r : OPGEN_HALF_PI - r);
}

/* The arc tangent of t from 0 to 1 */
OPGEN_INLINE double opgen_atan_near(double t) {
    const double q = t * t;
    double p = 0x1.23f932d83ap-10;
    p = p * q - 0x1.df970d462ap-8;
    p = p * q + 0x1.714b1c04d4p-6;
    p = p * q - 0x1.6e19a13298p-5;
    p = p * q + 0x1.1422c7626cp-4;
    p = p * q - 0x1.68e6fe42c8p-4;
    p = p * q + 0x1.c4f1e16a3cp-4;
    p = p * q - 0x1.247373813ep-3;
    p = p * q + 0x1.9997e030c4p-3;
    p = p * q - 0x1.5555510406p-2;
    return t + t * q * p;
}

OPGEN_INLINE float opgen_atan_f32(float x) {
    const double a = fabs((double)x);
    const bool far = a > 1;
    const double r = opgen_atan_near((far ? 1 : a) / (far ? a : 1));
    return copysignf((float)(far ? OPGEN_HALF_PI - r : r), x);
}

/* Infinities become numbers that are to each other and to floats as infinities are. What is chosen where the greater one is 0 is added to it:
 * by ?: it would be a jump, of which gcc 13 makes no vectors. */
OPGEN_INLINE float opgen_atan2_f32(float y, float x) {
    const double a = fabs((double)x), b = fabs((double)y);
    const double c = a > 0x1p1000 ? 0x1p1000 : a, d = b > 0x1p1000 ? 0x1p1000 : b;
    const bool far = d > c;
    const double low = far ? c : d, high = far ? d : c, t = opgen_atan_near(low / (high + (high == 0)));
    const double r = far ? OPGEN_HALF_PI - t : t, from = (double)(opgen_bits(x) >> 31) * OPGEN_PI;
    return (float)copysign(fabs(from - r), y);
}

#undef OPGEN_PI
#undef OPGEN_HALF_PI

#endif

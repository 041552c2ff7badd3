/* values.c: the elements of tensors as numbers. */
#include "command/values.h"

#include <math.h>

/* ---- one element --------------------------------------------------------------------------------------------------
 */

static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31  ? fraction != 0 ? (double)NAN : (double)INFINITY
                   : exponent == 0 ? ldexp(fraction, -24)
                                   : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 != 0 ? -value : value;
}

static double brain_value(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return (double)value;
}

#define READ(T)                                                                                                        \
    T value;                                                                                                           \
    memcpy(&value, (const char *)data + at * sizeof value, sizeof value)

static uint64_t unsigned_at(OpgenDtype dtype, const void *data, size_t at) {
    switch (opgen_dtype_size(dtype)) {
    case 1: {
        READ(uint8_t);
        return value;
    }
    case 2: {
        READ(uint16_t);
        return value;
    }
    case 4: {
        READ(uint32_t);
        return value;
    }
    default: {
        READ(uint64_t);
        return value;
    }
    }
}

static int64_t signed_at(OpgenDtype dtype, const void *data, size_t at) {
    unsigned unused = 64 - 8 * (unsigned)opgen_dtype_size(dtype);
    uint64_t bits = unsigned_at(dtype, data, at) << unused;
    int64_t value;
    memcpy(&value, &bits, sizeof value);
    return value >> unused;
}

typedef enum Family { UNSIGNED, SIGNED, FLOATING } Family;

static Family family_of(OpgenDtype dtype) {
    switch (dtype) {
    case OPGEN_I8:
    case OPGEN_I16:
    case OPGEN_I32:
    case OPGEN_I64:
        return SIGNED;
    case OPGEN_F16:
    case OPGEN_BF16:
    case OPGEN_F32:
    case OPGEN_F64:
        return FLOATING;
    default:
        return UNSIGNED;
    }
}

static double float_at(OpgenDtype dtype, const void *data, size_t at) {
    if (dtype == OPGEN_F16) return half_value((uint16_t)unsigned_at(dtype, data, at));
    if (dtype == OPGEN_BF16) return brain_value((uint16_t)unsigned_at(dtype, data, at));
    if (dtype == OPGEN_F32) {
        READ(float);
        return (double)value;
    }
    READ(double);
    return value;
}

double value_get(OpgenDtype dtype, const void *data, size_t at) {
    Family family = family_of(dtype);
    return family == FLOATING ? float_at(dtype, data, at)
           : family == SIGNED ? (double)signed_at(dtype, data, at)
                              : (double)unsigned_at(dtype, data, at);
}

int value_digits(OpgenDtype dtype) { return dtype == OPGEN_F64 ? 17 : 9; }

void value_print(Buf *out, OpgenDtype dtype, const void *data, size_t at, int digits, bool quoted) {
    Family family = family_of(dtype);
    if (dtype == OPGEN_BOOL) {
        buf_add(out, unsigned_at(dtype, data, at) != 0 ? S("true") : S("false"));
    } else if (family == UNSIGNED) {
        buf_format(out, "%llu", (unsigned long long)unsigned_at(dtype, data, at));
    } else if (family == SIGNED) {
        buf_int(out, signed_at(dtype, data, at));
    } else {
        double value = float_at(dtype, data, at);
        const char *quote = quoted && !isfinite(value) ? "\"" : "";
        if (isnan(value)) /* whatever its sign */
            buf_format(out, "%snan%s", quote, quote);
        else
            buf_format(out, "%s%.*g%s", quote, digits, value, quote);
    }
}

/* ---- at random ----------------------------------------------------------------------------------------------------
 */

/* SplitMix64. */
static uint64_t next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A value that has few enough bits is a half exactly. */
static uint16_t half_of(double value) {
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* 0.5 <= fraction < 1 */
    uint16_t sign = value < 0 ? 0x8000 : 0;
    if (fraction == 0) return 0;
    if (exponent < -13) return (uint16_t)(sign | (uint16_t)ldexp(fraction, exponent + 24));
    return (uint16_t)(sign | (uint16_t)(((exponent + 14) << 10) + ((int)ldexp(fraction, 11) - 1024)));
}

static void put_float(OpgenDtype dtype, void *data, size_t at, uint64_t bits, double scale) {
    /* 53 bits from -1 to 1; halves have 11 and brain floats 8, so that no rounding is theirs. */
    int keep = dtype == OPGEN_F16 ? 10 : dtype == OPGEN_BF16 ? 7 : 52;
    double value = ldexp((double)(bits >> (63 - keep)), -keep) - 1;
    if (dtype == OPGEN_F64) {
        value *= scale;
        memcpy((char *)data + at * sizeof value, &value, sizeof value);
        return;
    }
    int exponent;
    frexp(scale, &exponent);
    if (dtype == OPGEN_F32) {
        float narrow = (float)(value * scale);
        memcpy((char *)data + at * sizeof narrow, &narrow, sizeof narrow);
        return;
    }
    value = ldexp(value, exponent - 1); /* the power of two below the scale */
    float narrow = (float)value;
    uint32_t wide;
    memcpy(&wide, &narrow, sizeof wide);
    uint16_t short_bits = dtype == OPGEN_F16 ? half_of(value) : (uint16_t)(wide >> 16);
    memcpy((char *)data + at * sizeof short_bits, &short_bits, sizeof short_bits);
}

static void put_integer(OpgenDtype dtype, void *data, size_t at, uint64_t value) {
    size_t size = opgen_dtype_size(dtype);
    unsigned char bytes[8];
    uint8_t one = (uint8_t)value;
    uint16_t two = (uint16_t)value;
    uint32_t four = (uint32_t)value;
    memcpy(bytes,
           size == 1   ? (void *)&one
           : size == 2 ? (void *)&two
           : size == 4 ? (void *)&four
                       : (void *)&value,
           size);
    memcpy((char *)data + at * size, bytes, size);
}

void values_random(OpgenDtype dtype, void *data, size_t n, uint64_t seed, const char *name, double scale,
                   uint64_t limit) {
    uint64_t state = UINT64_C(0xcbf29ce484222325); /* by its name, so that one more tensor changes no other */
    for (; *name != '\0'; name++)
        state = (state ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    state += seed * UINT64_C(0xd1342543de82ef95);
    if (dtype == OPGEN_BOOL || limit == 0) limit = 2;
    for (size_t i = 0; i < n; i++) {
        if (family_of(dtype) == FLOATING)
            put_float(dtype, data, i, next(&state), scale);
        else
            put_integer(dtype, data, i, (next(&state) >> 11) % limit);
    }
}

/* ---- all of them --------------------------------------------------------------------------------------------------
 */

ValueFacts values_facts(OpgenDtype dtype, const void *data, size_t n) {
    ValueFacts facts = {.n = n, .least = n, .greatest = n};
    double low = 0, high = 0, sum = 0, lost = 0;
    size_t finite = 0;
    for (size_t i = 0; i < n; i++) {
        double value = value_get(dtype, data, i);
        if (isnan(value)) {
            facts.nans++;
            continue;
        }
        if (facts.least == n || value < low) low = value, facts.least = i;
        if (facts.greatest == n || value > high) high = value, facts.greatest = i;
        if (isinf(value)) {
            facts.infs++;
            continue;
        }
        finite++;
        /* What the sum loses is kept beside it. */
        double added = value - lost, total = sum + added;
        lost = (total - sum) - added;
        sum = total;
    }
    facts.mean = finite > 0 ? sum / (double)finite : (double)NAN;
    return facts;
}

ValueDifference values_compare(OpgenDtype dtype, const void *a, const void *b, size_t n, double rtol, double atol) {
    ValueDifference difference = {0};
    bool exact = family_of(dtype) != FLOATING;
    double worst = -1;
    for (size_t i = 0; i < n; i++) {
        double x = value_get(dtype, a, i), y = value_get(dtype, b, i);
        /* 64 bits are more than a double tells apart. */
        bool same = exact ? unsigned_at(dtype, a, i) == unsigned_at(dtype, b, i) : x == y || (isnan(x) && isnan(y));
        if (same) continue;
        bool bounded = isfinite(x) && isfinite(y);
        double off = bounded ? fabs(x - y) : (double)INFINITY, allowed = exact ? 0 : atol + rtol * fabs(y);
        if (off > difference.max_abs) difference.max_abs = off;
        if (y != 0 && off / fabs(y) > difference.max_rel) difference.max_rel = off / fabs(y);
        bool wrong = exact || !bounded || off > allowed;
        difference.wrong += wrong;
        double grade = wrong && allowed == 0 ? (double)INFINITY : off / allowed;
        if (grade > worst) worst = grade, difference.worst = i;
    }
    return difference;
}

double values_smallness(OpgenDtype dtype, const void *data, size_t n) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        double x = value_get(dtype, data, i);
        if (!isfinite(x)) continue;
        sum += x < -1 || x > 1 ? 1 : x * x;
        count++;
    }
    return count > 0 ? sqrt(sum / (double)count) : 0;
}

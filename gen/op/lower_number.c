/* lower_number.c: numbers that stand in bodies, and how they are written once they have a type.
 *
 * A float is written with as few digits as give the same value of its type; for f32 that is the value rounded once from
 * the double that the text or attribute holds. Only what IEEE defines to the last bit is computed here: anything else
 * would make generated text depend on the machine that generates it.
 */
#include "op/lower_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "template/value/value.h"

static double as_float(Number n) {
    switch (n.kind) {
    case NUM_BIG:
        return (double)n.as.big;
    case NUM_FLOAT:
        return n.as.f;
    default:
        return (double)n.as.i;
    }
}

Number low_number_float(double f) { return (Number){.kind = NUM_FLOAT, .as.f = f}; }

bool low_number_fold(Str op, const Number *operands, uint32_t n, Number *out) {
    /* Integers stay with rules, which know what to do when they leave 64 bits. */
    bool any_float = false;
    for (uint32_t i = 0; i < n; i++)
        any_float = any_float || operands[i].kind == NUM_FLOAT;
    double a = as_float(operands[0]), b = n > 1 ? as_float(operands[1]) : 0;
    if (str_eq(op, S("sqrt")) && n == 1) {
        *out = low_number_float(sqrt(a));
        return true;
    }
    if (str_eq(op, S("neg")) && operands[0].kind == NUM_INT && operands[0].as.i != INT64_MIN) {
        *out = (Number){.kind = NUM_INT, .as.i = -operands[0].as.i};
        return true;
    }
    if (str_eq(op, S("neg")) && operands[0].kind == NUM_BIG && operands[0].as.big == (uint64_t)1 << 63) {
        *out = (Number){.kind = NUM_INT, .as.i = INT64_MIN};
        return true;
    }
    if (!any_float) return false;
    if (str_eq(op, S("neg")))
        a = -a;
    else if (str_eq(op, S("+")))
        a += b;
    else if (str_eq(op, S("-")))
        a -= b;
    else if (str_eq(op, S("*")))
        a *= b;
    else if (str_eq(op, S("/")) && b != 0)
        a /= b;
    else
        return false;
    *out = low_number_float(a);
    return true;
}

/* Whether it is the same as a double. */
static bool is_double(Number n) {
    const int64_t most = (int64_t)1 << 53;
    return n.kind == NUM_FLOAT ? !isnan(n.as.f) : n.kind != NUM_BIG && n.as.i >= -most && n.as.i <= most;
}

int low_number_compare(Op op, Number a, Number b) {
    if (!is_double(a) || !is_double(b)) return -1;
    double x = as_float(a), y = as_float(b);
    switch (op) {
    case OP_LT:
        return x < y;
    case OP_LE:
        return x <= y;
    case OP_GT:
        return x > y;
    case OP_GE:
        return x >= y;
    case OP_EQ:
        return x == y;
    case OP_NE:
        return x != y;
    default:
        return -1;
    }
}

void low_number_print(Buf *out, Number n) {
    switch (n.kind) {
    case NUM_BOOL:
        buf_add(out, n.as.i ? S("true") : S("false"));
        return;
    case NUM_INT:
        buf_int(out, n.as.i);
        return;
    case NUM_BIG:
        buf_format(out, "%llu", (unsigned long long)n.as.big);
        return;
    case NUM_FLOAT:
        float_repr(out, n.as.f);
    }
}

bool low_number_of_text(Str text, Number *out) {
    if (str_eq(text, S("true")) || str_eq(text, S("false"))) {
        *out = (Number){.kind = NUM_BOOL, .as.i = text.p[0] == 't'};
        return true;
    }
    Str digits = text;
    if (digits.n > 0 && digits.p[0] == '-') digits = str_sub(digits, 1, digits.n);
    bool negative = digits.n < text.n;
    if (str_eq(digits, S("inf")) || str_eq(digits, S("nan"))) {
        *out = low_number_float(digits.p[0] == 'i' ? (negative ? -INFINITY : INFINITY) : NAN);
        return true;
    }
    uint64_t whole = 0;
    size_t i = 0;
    for (; i < digits.n && digits.p[i] >= '0' && digits.p[i] <= '9'; i++) {
        uint64_t digit = (uint64_t)(digits.p[i] - '0');
        if (whole > (UINT64_MAX - digit) / 10) return false;
        whole = whole * 10 + digit;
    }
    if (i == 0) return false;
    if (i == digits.n) {
        if (whole <= INT64_MAX)
            *out = (Number){.kind = NUM_INT, .as.i = negative ? -(int64_t)whole : (int64_t)whole};
        else if (negative && whole == (uint64_t)1 << 63)
            *out = (Number){.kind = NUM_INT, .as.i = INT64_MIN};
        else if (negative)
            return false;
        else
            *out = (Number){.kind = NUM_BIG, .as.big = whole};
        return true;
    }
    char buffer[64];
    if (text.n >= sizeof buffer) return false;
    memcpy(buffer, text.p, text.n);
    buffer[text.n] = '\0';
    char *end;
    double f = strtod(buffer, &end);
    if (end != buffer + text.n) return false;
    *out = low_number_float(f);
    return true;
}

/* The shortest decimal that reads back as this float. */
static void print_f32(Buf *out, float f) {
    char text[32];
    for (int digits = 0; digits < 9; digits++) {
        snprintf(text, sizeof text, "%.*e", digits, (double)f);
        if (strtof(text, NULL) == f) break;
    }
    /* Nine digits go through a double unchanged. */
    float_repr(out, strtod(text, NULL));
}

static bool float_digits(Buf *out, double f, Dtype type, bool *negative, const char **special) {
    *negative = signbit(f) && !isnan(f);
    double size = fabs(f);
    if (type == DT_F32) size = (double)(float)size;
    if (isnan(f) || isinf(size)) {
        *special = isnan(f) ? "nan" : "inf";
        return isnan(f) || isinf(f);
    }
    if (type == DT_F32)
        print_f32(out, (float)size);
    else
        float_repr(out, size);
    return true;
}

bool low_number_digits(Arena *arena, Number n, Dtype type, Str *digits, bool *negative, const char **special) {
    *special = NULL;
    *negative = false;
    Buf buf;
    buf_init(&buf, arena);
    if (type == DT_BOOL) {
        *digits = as_float(n) != 0 ? S("true") : S("false");
        return true;
    }
    if (dtype_is_float(type)) {
        bool held = float_digits(&buf, as_float(n), type, negative, special);
        *digits = buf_str(&buf);
        return held;
    }
    uint64_t size;
    if (n.kind == NUM_BIG) {
        size = n.as.big;
    } else if (n.kind == NUM_FLOAT) {
        double whole = trunc(n.as.f);
        if (!(fabs(whole) < 0x1p64)) return false; /* NaN as well */
        *negative = whole < 0;
        size = (uint64_t)fabs(whole);
    } else {
        *negative = n.as.i < 0;
        size = *negative ? -(uint64_t)n.as.i : (uint64_t)n.as.i;
    }
    unsigned bits = 8 * dtype_size(type);
    uint64_t most = dtype_is_signed(type) ? ((uint64_t)1 << (bits - 1)) - !*negative : UINT64_MAX >> (64 - bits);
    if (size > most || (*negative && !dtype_is_signed(type))) return false;
    buf_format(&buf, "%llu", (unsigned long long)size);
    *digits = buf_str(&buf);
    return true;
}

bool lower_number_fits(Arena *arena, Str text, Dtype type) {
    Number number;
    Str digits;
    bool negative;
    const char *special;
    return low_number_of_text(text, &number) &&
           low_number_digits(arena, number, dtype_compute(type), &digits, &negative, &special);
}

/* By way of f32, as all conversions to the short floats are. */
static double rounded(double f, Dtype type) {
    int digits = type == DT_F16 ? 11 : 8, least = type == DT_F16 ? -24 : -133, exponent;
    f = (double)(float)f;
    if (f == 0 || !isfinite(f)) return f;
    frexp(f, &exponent);
    int unit = exponent - digits > least ? exponent - digits : least;
    f = ldexp(rint(ldexp(f, -unit)), unit);
    bool beyond = type == DT_F16 ? fabs(f) > 65504 : isinf((float)f);
    return beyond ? copysign(INFINITY, f) : f;
}

Str lower_number_rounded(Arena *arena, Str text, Dtype type) {
    Number number;
    if ((type != DT_F16 && type != DT_BF16) || !low_number_of_text(text, &number)) return text;
    Buf out;
    buf_init(&out, arena);
    float_repr(&out, rounded(as_float(number), type));
    return buf_str(&out);
}

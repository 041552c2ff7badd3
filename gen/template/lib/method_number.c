/* method_number.c: the methods of int and float, and the way from a value and a name to its method. */
#include "template/lib/lib.h"
#include "template/lib/method.h"

#include "template/value/big.h"

#include <math.h>
#include <stdlib.h>

static Value plain_int(Value v) { return v.kind == V_BOOL ? val_int(v.as.b) : v; }

static METHOD(int_conjugate) { return plain_int(a[0]); }
static METHOD(int_as_integer_ratio) { return val_pair(run, plain_int(a[0]), val_int(1)); }

static METHOD(int_bit_count) {
    BigNum num;
    big_open(&num, a[0]);
    int64_t n = 0;
    for (uint32_t i = 0; i < num.n; i++)
        n += __builtin_popcountll(num.p[i]);
    return val_int(n);
}

static METHOD(int_bit_length) {
    BigNum num;
    big_open(&num, a[0]);
    if (num.n == 0) return val_int(0);
    return val_int((int64_t)num.n * BIG_LIMB_BITS - __builtin_clzll(num.p[num.n - 1]));
}

static METHOD(float_conjugate) { return a[0]; }
static METHOD(float_is_integer) { return val_bool(isfinite(a[0].as.f) && floor(a[0].as.f) == a[0].as.f); }

/* A mantissa below 2^53 times 2 to the exponent; odd, or zero. */
static METHOD(float_as_integer_ratio) {
    double f = a[0].as.f;
    if (!isfinite(f)) run_fail(run, "float.as_integer_ratio: %s is no ratio", isnan(f) ? "NaN" : "infinity");
    int exponent;
    int64_t mantissa = (int64_t)ldexp(frexp(f, &exponent), 53);
    exponent -= 53;
    if (mantissa == 0) return val_pair(run, val_int(0), val_int(1));
    int twos = __builtin_ctzll((unsigned long long)mantissa);
    mantissa /= (int64_t)1 << twos;
    exponent += twos;
    Value power = val_binary(run, OP_POW, val_int(2), val_int(abs(exponent)));
    if (exponent < 0) return val_pair(run, val_int(mantissa), power);
    return val_pair(run, val_binary(run, OP_MUL, val_int(mantissa), power), val_int(1));
}

static METHOD(float_hex) {
    double f = a[0].as.f;
    if (isnan(f)) return VS("nan");
    const char *sign = signbit(f) ? "-" : "";
    if (isinf(f)) return val_format(run, "%sinf", sign);
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (f == 0) return val_format(run, "%s0x0.0p+0", sign);
    /* Numbers too small for a leading 1 have the smallest exponent and a 0. */
    return val_format(run, "%s0x%d.%013llxp%+d", sign, exponent != 0, (unsigned long long)fraction,
                      exponent == 0 ? -1022 : exponent - 1023);
}

static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

static bool same_word(Str s, const char *word) {
    for (size_t i = 0; i < s.n; i++)
        if (word[i] == '\0' || (s.p[i] | 32) != word[i]) return false;
    return word[s.n] == '\0';
}

/* [0x] digits [. digits] [p exponent], at least one digit. */
static bool is_hex_float(Str s) {
    size_t i = 0, digits = 0;
    if (s.n >= 2 && s.p[0] == '0' && (s.p[1] | 32) == 'x') i = 2;
    for (; i < s.n && is_hex(s.p[i]); i++)
        digits++;
    if (i < s.n && s.p[i] == '.')
        for (i++; i < s.n && is_hex(s.p[i]); i++)
            digits++;
    if (digits == 0) return false;
    if (i < s.n && (s.p[i] | 32) == 'p') {
        i++;
        if (i < s.n && (s.p[i] == '+' || s.p[i] == '-')) i++;
        size_t from = i;
        while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
            i++;
        if (i == from) return false;
    }
    return i == s.n;
}

static METHOD(float_fromhex) {
    Str s = str_trim(text_arg(run, a[1], "float.fromhex", "string")), number = s;
    bool negative = s.n != 0 && s.p[0] == '-';
    if (negative || (s.n != 0 && s.p[0] == '+')) number = str_sub(s, 1, s.n);
    double f;
    if (same_word(number, "inf") || same_word(number, "infinity")) {
        f = HUGE_VAL;
    } else if (same_word(number, "nan")) {
        f = NAN;
    } else if (is_hex_float(number)) {
        bool prefixed = number.n >= 2 && (number.p[1] | 32) == 'x';
        Str text = str_format(run->arena, "0x%S", prefixed ? str_sub(number, 2, number.n) : number);
        f = strtod(str_to_c(run->arena, text), NULL);
        if (isinf(f)) run_fail(run, "float.fromhex: %Q is too large for a float", s);
    } else {
        run_fail(run, "float.fromhex: %Q is not a number in hexadecimal", s);
    }
    return val_float(negative ? -f : f);
}

static const Native int_methods[] = {
    {"as_integer_ratio", int_as_integer_ratio, ""},
    {"bit_count", int_bit_count, ""},
    {"bit_length", int_bit_length, ""},
    {"conjugate", int_conjugate, ""},
};

static const Native float_methods[] = {
    {"as_integer_ratio", float_as_integer_ratio, ""},
    {"conjugate", float_conjugate, ""},
    {"fromhex", float_fromhex, "string /"},
    {"hex", float_hex, ""},
    {"is_integer", float_is_integer, ""},
};

bool val_find_method(Value v, Name name, const Native **native) {
    Str s = name_str(name);
    switch ((ValueKind)v.kind) {
    case V_STR:
        *native = method_of_str(s, (v.flags & VAL_SAFE) != 0);
        break;
    case V_LIST:
        *native = method_of_list(s);
        break;
    case V_TUPLE:
        *native = method_of_tuple(s);
        break;
    case V_DICT:
        *native = method_of_dict(s);
        break;
    case V_RANGE:
        *native = method_of_range(s);
        break;
    case V_BOOL:
    case V_INT:
    case V_BIG:
        *native = method_find(METHOD_TABLE(int_methods), s);
        break;
    case V_FLOAT:
        *native = method_find(METHOD_TABLE(float_methods), s);
        break;
    default:
        *native = NULL;
        break;
    }
    return *native != NULL;
}

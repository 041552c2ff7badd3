/* filter_number.c: filters that make numbers or change them: abs, float, int, round, filesizeformat. */
#include "template/lib/lib.h"

#include <math.h>
#include <stdlib.h>

BUILTIN(filter_abs) {
    Value v = a[0];
    if (!val_is_number(v)) lib_wrong(run, "filter \"abs\"", "the value", "a number", v);
    if (v.kind == V_FLOAT) return val_float(fabs(v.as.f));
    if (val_order(run, v, val_int(0), OP_LT) < 0) return val_unary(run, OP_NEG, v);
    return v.kind == V_BOOL ? val_int(v.as.b) : v;
}

BUILTIN(filter_float) {
    Value v = a[0];
    double f;
    if (v.kind == V_UNDEFINED) run_fail_undefined(run, v);
    if (val_is_number(v)) return val_float(val_to_double(run, v));
    if (v.kind == V_STR && lib_parse_float(run, val_text(v), &f)) return val_float(f);
    return lib_given(a[1]) ? a[1] : val_float(0);
}

/* ---- int */

static int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

/* The base that a prefix names; 0 where there is none. */
static int prefix_base(Str s) {
    if (s.n < 2 || s.p[0] != '0') return 0;
    char c = (char)(s.p[1] | 0x20);
    return c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 0;
}

#define MOST_DIGITS 4300 /* Python's limit too: reading more takes time that is quadratic in their number */

/* Python reads any number of digits of a base that is a power of two, and no more than so many of another. */
static bool too_many_digits(Run *run, int64_t base) {
    if ((base & (base - 1)) == 0)
        run_fail(run, "filter \"int\": a number of more than %d digits is more than this filter reads", MOST_DIGITS);
    return false;
}

/* int(text, base) in Python's grammar: spaces around, a sign, a prefix, '_' between digits. */
static bool parse_int(Run *run, Str s, int64_t base, Value *out) {
    if (base != 0 && (base < 2 || base > 36)) return false;
    s = lib_number_text(run, s);
    bool negative = s.n > 0 && s.p[0] == '-', zeros_only = false;
    if (s.n > 0 && (s.p[0] == '-' || s.p[0] == '+')) s = str_sub(s, 1, s.n);
    int prefix = prefix_base(s);
    if (prefix != 0 && (base == 0 || base == prefix)) {
        s = str_sub(s, 2, s.n);
        base = prefix;
        if (s.n > 0 && s.p[0] == '_') s = str_sub(s, 1, s.n);
    } else if (base == 0) {
        base = 10;
        zeros_only = s.n > 0 && s.p[0] == '0';
    }
    if (s.n > 2 * MOST_DIGITS) return too_many_digits(run, base);
    if (s.n == 0 || s.p[0] == '_' || s.p[s.n - 1] == '_') return false;
    Value total = val_int(0);
    int64_t part = 0, scale = 1; /* digits are gathered as far as 64 bits hold them */
    size_t digits = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '_' && s.p[i - 1] != '_') continue;
        int digit = digit_value(s.p[i]);
        if (digit >= base || (zeros_only && digit != 0)) return false;
        if (++digits > MOST_DIGITS) return too_many_digits(run, base);
        part = part * base + digit;
        scale *= base;
        if (scale > INT64_MAX / base / base || i + 1 == s.n) {
            total = val_binary(run, OP_ADD, val_binary(run, OP_MUL, total, val_int(scale)), val_int(part));
            part = 0;
            scale = 1;
        }
    }
    *out = negative ? val_unary(run, OP_NEG, total) : total;
    return true;
}

BUILTIN(filter_int) {
    const char *who = "filter \"int\"";
    Value v = a[0], result, otherwise = lib_given(a[1]) ? a[1] : val_int(0);
    double f;
    if (v.kind == V_UNDEFINED) run_fail_undefined(run, v);
    if (v.kind == V_BOOL) return val_int(v.as.b);
    if (val_is_int(v)) return v;
    if (v.kind == V_STR) {
        /* a base that is none makes every text fail, and then it is read as a float */
        int64_t base = !lib_given(a[2]) ? 10 : a[2].kind == V_INT ? a[2].as.i : 1;
        if (parse_int(run, val_text(v), base, &result)) return result;
        if (!lib_parse_float(run, val_text(v), &f)) return otherwise;
    } else if (v.kind == V_FLOAT) {
        f = v.as.f;
    } else {
        return otherwise;
    }
    if (isnan(f)) return otherwise;
    if (isinf(f)) run_fail(run, "%s: infinity has no integer", who);
    return val_of_double_int(run, f);
}

/* ---- round */

/* What is written behind the sign, without one; the C library prints exactly, half to even. */
static double read_rounded(Run *run, Str text, bool negative) {
    double f = strtod(text.p, NULL);
    if (isinf(f)) run_fail(run, "filter \"round\": the rounded number is larger than a float can be");
    return negative ? -f : f;
}

/* To a multiple of 10^places, places > 0: as many of the leading digits as stay are printed. */
static double round_left(Run *run, double f, int64_t places) {
    double size = fabs(f);
    Str whole = str_format(run->arena, "%.0f", trunc(size));
    int64_t keep = (int64_t)whole.n - places;
    if (keep < 0 || size < 1) return copysign(0.0, f);
    if (keep == 0) { /* nothing stays: 0, or the power of ten above where more than half of it is there */
        bool more = size > trunc(size);
        for (size_t i = 1; i < whole.n; i++)
            more |= whole.p[i] != '0';
        if (whole.p[0] < '5' || (whole.p[0] == '5' && !more)) return copysign(0.0, f);
        return read_rounded(run, str_format(run->arena, "1e%d%c", (int)places, '\0'), signbit(f));
    }
    return read_rounded(run, str_format(run->arena, "%.*e%c", (int)keep - 1, size, '\0'), signbit(f));
}

static double round_float(Run *run, double f, int64_t precision) {
    if (!isfinite(f) || precision > 323) return f;
    if (precision < -308) return copysign(0.0, f);
    if (precision < 0) return round_left(run, f, -precision);
    return read_rounded(run, str_format(run->arena, "%.*f%c", (int)precision, fabs(f), '\0'), signbit(f));
}

/* Half to even, as integers only: v - (v mod 10^places), and perhaps one 10^places more. */
static Value round_int(Run *run, Value v, int64_t precision) {
    if (v.kind == V_BOOL) v = val_int(v.as.b);
    if (precision >= 0) return v;
    if (precision < -MOST_DIGITS) return val_int(0);
    Value step = val_binary(run, OP_POW, val_int(10), val_int(-precision));
    Value times = val_binary(run, OP_FLOORDIV, v, step), rest = val_binary(run, OP_MOD, v, step);
    int order = val_order(run, val_binary(run, OP_MUL, rest, val_int(2)), step, OP_LT);
    bool odd = val_truth(run, val_binary(run, OP_MOD, times, val_int(2)));
    if (order > 0 || (order == 0 && odd)) times = val_binary(run, OP_ADD, times, val_int(1));
    return val_binary(run, OP_MUL, times, step);
}

static Value whole(Run *run, Value v, bool ceiling) {
    if (v.kind != V_FLOAT) return v;
    if (!isfinite(v.as.f)) run_fail(run, "filter \"round\": %s has no integer", isnan(v.as.f) ? "nan" : "infinity");
    return val_of_double_int(run, ceiling ? ceil(v.as.f) : floor(v.as.f));
}

BUILTIN(filter_round) {
    const char *who = "filter \"round\"";
    Value v = a[0];
    Str method = lib_given(a[2]) ? lib_wants_str(run, who, "method", a[2]) : S("common");
    bool ceiling = str_eq(method, S("ceil")), common = str_eq(method, S("common"));
    if (!ceiling && !common && !str_eq(method, S("floor")))
        run_fail(run, "%s: method must be \"common\", \"ceil\" or \"floor\", not %Q", who, method);
    if (!val_is_number(v)) lib_wrong(run, who, "the value", "a number", v);
    if (common && a[1].kind == V_NONE) /* round(x, None): to an integer */
        return v.kind == V_FLOAT ? whole(run, val_float(rint(v.as.f)), false) : round_int(run, v, 0);
    int64_t precision = lib_int_or(run, who, "precision", a[1], 0);
    if (common)
        return v.kind == V_FLOAT ? val_float(round_float(run, v.as.f, precision)) : round_int(run, v, precision);
    Value step = val_binary(run, OP_POW, val_int(10), val_int(precision));
    return val_binary(run, OP_DIV, whole(run, val_binary(run, OP_MUL, v, step), ceiling), step);
}

/* ---- filesizeformat */

BUILTIN(filter_filesizeformat) {
    static const char *const letters[] = {"k", "M", "G", "T", "P", "E", "Z", "Y"};
    const char *who = "filter \"filesizeformat\"";
    double bytes;
    if (val_is_number(a[0]))
        bytes = val_to_double(run, a[0]);
    else if (a[0].kind != V_STR)
        lib_wrong(run, who, "the value", "a number", a[0]);
    else if (!lib_parse_float(run, val_text(a[0]), &bytes))
        run_fail(run, "%s: the value must be a number, not %Q", who, val_text(a[0]));
    bool binary = lib_flag(run, a[1], false);
    double base = binary ? 1024 : 1000, unit = base;
    if (bytes == 1) return VS("1 Byte");
    if (bytes < base) {
        if (isinf(bytes)) run_fail(run, "%s: minus infinity is no size", who);
        Buf out;
        buf_init(&out, run->arena);
        val_print(run, &out, val_of_double_int(run, bytes));
        buf_add(&out, S(" Bytes"));
        return text_take(run, &out, 0);
    }
    size_t i = 0;
    for (;; i++) {
        /* powers of 1000 are exact as far as 10^22; the double next to 10^24 lies below it */
        static const double decimal[] = {1e6, 1e9, 1e12, 1e15, 1e18, 1e21, 1e24, 1e27};
        unit = binary ? unit * 1024 : decimal[i];
        if (bytes < unit || (!binary && i == 6 && bytes == unit) || i == 7) break;
    }
    const char *prefix = binary ? (i == 0 ? "K" : letters[i]) : letters[i];
    return val_format(run, "%.1f %s%sB", base * bytes / unit, prefix, binary ? "i" : "");
}

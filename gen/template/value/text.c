/* text.c: arguments, positions, padding and digits for everything that makes text: text_percent.c, text_format.c and
 * the methods of str. What is wrong with an argument is said here, so it is said everywhere in the same words. */
#include "template/value/text.h"

#include "template/value/big.h"
#include "template/value/inner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

Value text_take(Run *run, Buf *buf, unsigned flags) {
    if (buf->n == 0) return (Value){.kind = V_STR, .flags = (uint8_t)flags, .as.s = ""};
    if (buf->cap != buf->n) buf->p = arena_resize(buf->arena, buf->p, buf->cap, buf->n);
    Value v = val_str(run, buf_str(buf));
    v.flags = (uint8_t)flags;
    if (buf->n >= ARENA_LARGE) run->fresh = v.as.s;
    return v;
}

/* ---- arguments */

NORETURN static void fail_type(Run *run, Value v, const char *who, const char *what, const char *wanted) {
    if (run_undefined_fails(run, v)) run_fail_undefined(run, v);
    run_fail(run, "%s: \"%s\" must be %s, not %s", who, what, wanted, val_type_name(v));
}

Str text_arg(Run *run, Value v, const char *who, const char *what) {
    if (v.kind != V_STR) fail_type(run, v, who, what, "a str");
    return val_text(v);
}

int64_t text_arg_int(Run *run, Value v, const char *who, const char *what) {
    if (is_small(v)) return small(v);
    if (v.kind != V_BIG) fail_type(run, v, who, what, "an int");
    run_fail(run, "%s: \"%s\" is an int of more than 64 bits", who, what);
}

int64_t text_arg_index(Run *run, Value v, const char *who, const char *what, int64_t otherwise) {
    if (v.kind == V_MISSING || v.kind == V_NONE) return otherwise;
    if (is_small(v)) return small(v);
    if (v.kind != V_BIG) fail_type(run, v, who, what, "an int or none");
    return big_sign(v) < 0 ? INT64_MIN : INT64_MAX;
}

void text_arg_range(Run *run, Value start, Value stop, const char *who, int64_t n, int64_t *from, int64_t *to) {
    *from = text_arg_index(run, start, who, "start", 0);
    *to = text_arg_index(run, stop, who, "stop", n);
    if (*to > n) *to = n;
    if (*to < 0) *to = *to < -n ? 0 : *to + n;
    if (*from < 0) *from = *from < -n ? 0 : *from + n;
}

/* ---- positions and padding */

size_t text_offset(Str s, size_t index) {
    size_t i = 0;
    for (; i < s.n; i++) {
        if (((unsigned char)s.p[i] & 0xc0) == 0x80) continue;
        if (index == 0) return i;
        index--;
    }
    return i;
}

void text_fill(Buf *out, uint32_t code, size_t n) {
    char bytes[4];
    unsigned size = str_encode(code, bytes);
    if (size == 1) {
        buf_fill(out, bytes[0], n);
        return;
    }
    if (n == 0) return;
    char *to = buf_room(out, mem_times(n, size));
    for (size_t i = 0; i < n; i++, to += size)
        memcpy(to, bytes, size);
    out->n += n * size;
}

void text_pad(Buf *out, Str s, uint32_t code, size_t before, size_t after) {
    text_fill(out, code, before);
    buf_add(out, s);
    text_fill(out, code, after);
}

void text_ascii(Buf *out, Str repr) {
    for (size_t i = 0; i < repr.n;) {
        unsigned size;
        uint32_t c = str_decode(repr.p + i, repr.p + repr.n, &size);
        if (c < 0x80)
            buf_char(out, (char)c);
        else
            buf_format(out, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
        i += size;
    }
}

/* ---- numbers */

bool text_is_negative(Value integer) { return big_sign(integer) < 0; }

void text_digits(Buf *out, Value integer, unsigned base) {
    size_t from = out->n;
    if (base == 10 && is_small(integer))
        buf_int(out, small(integer));
    else
        big_print(out, integer, (int)base);
    if (out->n > from && out->p[from] == '-') {
        memmove(out->p + from, out->p + from + 1, out->n - from - 1);
        out->n--;
    }
}

/* No double has more digits than this behind the point, or in all: what is asked beyond them is zeros. */
enum { FRACTION_MOST = 1074, DIGITS_MOST = 767, PRINTED_MOST = 320 + FRACTION_MOST };

static void add_exponent(Buf *out, int exponent) {
    buf_char(out, 'e');
    buf_char(out, exponent < 0 ? '-' : '+');
    unsigned e = (unsigned)abs(exponent);
    if (e < 10) buf_char(out, '0');
    buf_int(out, (int64_t)e);
}

static void float_fixed(Buf *out, double f, int precision, bool alternate) {
    char text[PRINTED_MOST];
    int kept = precision < FRACTION_MOST ? precision : FRACTION_MOST;
    int n = snprintf(text, sizeof text, alternate ? "%#.*f" : "%.*f", kept, f);
    buf_add(out, str(text, (size_t)n));
    buf_fill(out, '0', (size_t)(precision - kept));
}

/* `count` significant digits without the point, and the power of ten of the first. */
static size_t significant(char digits[PRINTED_MOST], double f, int count, int *exponent) {
    char text[PRINTED_MOST];
    snprintf(text, sizeof text, "%.*e", count - 1, f);
    size_t n = 0;
    const char *p = text;
    for (; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9') digits[n++] = *p;
    *exponent = (int)strtol(p + 1, NULL, 10);
    return n;
}

static void float_scientific(Buf *out, double f, int precision, bool alternate) {
    char digits[PRINTED_MOST];
    int exponent, kept = precision < DIGITS_MOST ? precision : DIGITS_MOST;
    size_t n = significant(digits, f, kept + 1, &exponent);
    buf_char(out, digits[0]);
    if (precision > 0 || alternate) buf_char(out, '.');
    buf_add(out, str(digits + 1, n - 1));
    buf_fill(out, '0', (size_t)(precision - kept));
    add_exponent(out, exponent);
}

static void float_general(Buf *out, double f, int precision, bool alternate, bool point) {
    char digits[PRINTED_MOST];
    if (precision == 0) precision = 1;
    int exponent, kept = precision < DIGITS_MOST ? precision : DIGITS_MOST;
    size_t n = significant(digits, f, kept, &exponent), zeros = (size_t)(precision - kept);
    if (!alternate) {
        while (n > 1 && digits[n - 1] == '0')
            n--;
        zeros = 0;
    }
    if (exponent < -4 || exponent >= precision - point) {
        buf_char(out, digits[0]);
        if (n > 1 || alternate) buf_char(out, '.');
        buf_add(out, str(digits + 1, n - 1));
        buf_fill(out, '0', zeros);
        add_exponent(out, exponent);
        return;
    }
    size_t whole = exponent < 0 ? 0 : (size_t)exponent + 1; /* digits before the point */
    if (whole == 0) buf_char(out, '0');
    buf_add(out, str(digits, n < whole ? n : whole));
    if (n < whole) {
        size_t filled = whole - n;
        buf_fill(out, '0', filled);
        zeros = zeros > filled ? zeros - filled : 0;
    }
    if (n > whole || alternate || point) buf_char(out, '.');
    if (exponent < 0) buf_fill(out, '0', (size_t)(-exponent - 1));
    if (n > whole)
        buf_add(out, str(digits + whole, n - whole));
    else if (point && zeros == 0)
        buf_char(out, '0');
    buf_fill(out, '0', zeros);
}

void text_float(Buf *out, double f, char type, int precision, bool alternate, bool point) {
    if (isnan(f)) {
        buf_add(out, S("nan"));
        return;
    }
    if (signbit(f)) buf_char(out, '-'), f = -f;
    if (isinf(f))
        buf_add(out, S("inf"));
    else if (type == 'f')
        float_fixed(out, f, precision, alternate);
    else if (type == 'e')
        float_scientific(out, f, precision, alternate);
    else
        float_general(out, f, precision, alternate, point);
}

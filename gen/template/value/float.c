/* float.c: the shortest text that reads back as the same double, laid out as Python's repr does.
 *
 * Most numbers of a template have few digits, and for those one multiplication finds the digits: if f * 10^k rounds to
 * an integer of at most 15 digits that divides back to f, there is no shorter text. The rest is tried with 15, 16 and
 * 17 digits in the C library's exact conversion. */
#include "template/value/inner.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

/* 1e-4 <= f < 1e15; false where it has more digits than can be found so. */
static bool print_short(Buf *out, double f) {
    for (unsigned k = 1; k < sizeof powers / sizeof powers[0]; k++) {
        double scaled = f * powers[k];
        if (scaled >= 1e15) return false;
        uint64_t digits = (uint64_t)(scaled + 0.5);
        if ((double)digits / powers[k] != f) continue;
        /* The quotient is exactly rounded, since both are exact doubles; so this text reads back as f. */
        uint64_t unit = (uint64_t)powers[k];
        print_int(out, (int64_t)(digits / unit));
        char *to = buf_room(out, k + 1);
        uint64_t fraction = digits % unit;
        for (unsigned i = k; i > 0; i--, fraction /= 10)
            to[i] = (char)('0' + fraction % 10);
        to[0] = '.';
        out->n += k + 1;
        return true;
    }
    return false;
}

/* A decimal of `count` digits that reads back as f, in text; false if there is none. */
static bool with_digits(double f, int count, char text[40]) {
    snprintf(text, 40, "%.*e", count - 1, f);
    if (count >= DBL_DECIMAL_DIG || strtod(text, NULL) == f) return true;
    int exponent;
    if (frexp(f, &exponent) != 0.5) return false;
    /* Below a power of two doubles are twice as dense as above it: the nearest decimal can be too far below while the
     * next one above is not. */
    char *digit = strchr(text, 'e') - 1;
    if (*digit == '9') return false; /* would end in 0, so it was tried with fewer digits */
    ++*digit;
    return strtod(text, NULL) == f;
}

/* f as 0.digits * 10^point; returns how many digits. Fewer than `count` are known not to do. */
static size_t shortest_digits(double f, int count, char digits[DBL_DECIMAL_DIG], int *point) {
    char text[40];
    for (; !with_digits(f, count, text); count++) {
    }
    size_t n = 0;
    const char *p = text;
    for (; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9') digits[n++] = *p; /* skips the decimal point, whatever the locale has for it */
    *point = atoi(p + 1) + 1;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    return n;
}

static void print_exponent(Buf *out, int exponent) {
    buf_add(out, exponent < 0 ? S("e-") : S("e+"));
    if (exponent < 0) exponent = -exponent;
    if (exponent < 10) buf_char(out, '0');
    print_int(out, exponent);
}

void float_repr(Buf *out, double f) {
    if (isnan(f)) {
        buf_add(out, S("nan"));
        return;
    }
    if (signbit(f)) {
        buf_char(out, '-');
        f = -f;
    }
    if (isinf(f)) {
        buf_add(out, S("inf"));
        return;
    }
    if (f < 1e15 && f == (double)(int64_t)f) {
        print_int(out, (int64_t)f);
        buf_add(out, S(".0"));
        return;
    }
    /* Below the normal range doubles have fewer bits, so fewer than 15 digits may already do. */
    int count = f < DBL_MIN ? 1 : DBL_DIG;
    if (f >= 1e-4 && f < 1e15) {
        if (print_short(out, f)) return;
        count = DBL_DIG + 1;
    }

    char digits[DBL_DECIMAL_DIG];
    int point;
    size_t n = shortest_digits(f, count, digits, &point);
    if (point > 16 || point < -3) {
        buf_char(out, digits[0]);
        if (n > 1) {
            buf_char(out, '.');
            buf_add(out, str(digits + 1, n - 1));
        }
        print_exponent(out, point - 1);
    } else if (point <= 0) {
        buf_add(out, S("0."));
        buf_fill(out, '0', (size_t)-point);
        buf_add(out, str(digits, n));
    } else if ((size_t)point >= n) {
        buf_add(out, str(digits, n));
        buf_fill(out, '0', (size_t)point - n);
        buf_add(out, S(".0"));
    } else {
        buf_add(out, str(digits, (size_t)point));
        buf_char(out, '.');
        buf_add(out, str(digits + point, n - (size_t)point));
    }
}

/* float.c: the shortest text that reads back as the same double, laid out as Python's repr does.
 *
 * Most numbers of a template have few digits, and for those one multiplication finds the digits: if f * 10^k rounds to
 * an integer that divides back to f, there is no shorter text. shortest.c has the digits of the rest. */
#include "template/value/inner.h"

#include <math.h>

/* "00" to "99", one after the other. */
static const char pairs[201] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546"
    "4748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293"
    "949596979899";

/* Of a number below 10^18. */
static unsigned count_digits(uint64_t number) {
    static const uint64_t powers[] = {0,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000,
                                      100000000000,
                                      1000000000000,
                                      10000000000000,
                                      100000000000000,
                                      1000000000000000,
                                      10000000000000000,
                                      100000000000000000,
                                      1000000000000000000};
    unsigned bits = 64 - (unsigned)__builtin_clzll(number | 1);
    unsigned least = bits * 1233 >> 12; /* log10(2) is 1233 / 4096 */
    return least + (number >= powers[least]);
}

static inline void put_pair(char *to, uint32_t pair) { memcpy(to, pairs + 2 * pair, 2); }

/* Eight digits at once: no division waits for another one. */
static inline void put_eight(char *to, uint32_t number) {
    uint32_t high = number / 10000, low = number % 10000;
    put_pair(to, high / 100), put_pair(to + 2, high % 100);
    put_pair(to + 4, low / 100), put_pair(to + 6, low % 100);
}

/* The last n digits. */
static inline void put_digits(char *to, uint64_t number, unsigned n) {
    char *p = to + n;
    for (; n >= 8; n -= 8, number /= 100000000)
        put_eight(p -= 8, (uint32_t)(number % 100000000));
    uint32_t rest = (uint32_t)number;
    for (; n >= 2; n -= 2, rest /= 100)
        put_pair(p -= 2, rest % 100);
    if (n == 1) p[-1] = (char)('0' + rest % 10);
}

static char *put_text(char *to, const char *text, size_t n) {
    memcpy(to, text, n);
    return to + n;
}

/* 1e-4 <= f < 1e15; NULL where it has more digits behind the point than are tried. */
static char *put_short(char *to, double f) {
    enum { TRIED = 3 };
    static const double powers[] = {1e0, 1e1, 1e2, 1e3};
    static const uint32_t units[] = {1, 10, 100, 1000};
    for (unsigned k = 1; k <= TRIED; k++) {
        double scaled = f * powers[k];
        if (scaled >= 1e15) return NULL;
        uint64_t digits = (uint64_t)(scaled + 0.5);
        /* The quotient is exactly rounded, since both are exact doubles; so such a text reads back as f. */
        if ((double)digits / powers[k] != f) continue;
        uint64_t whole = digits / units[k];
        unsigned n = count_digits(whole);
        put_digits(to, whole, n);
        to[n] = '.';
        put_digits(to + n + 1, digits % units[k], k);
        return to + n + 1 + k;
    }
    return NULL;
}

/* d.ddde+xx */
static char *put_scientific(char *to, uint64_t digits, unsigned n, int exponent) {
    put_digits(to + 1, digits, n);
    to[0] = to[1];
    to[1] = '.';
    to += n == 1 ? 1 : n + 1;
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent), width = size < 100 ? 2 : 3;
    put_digits(to, size, width);
    return to + width;
}

/* 0.digits * 10^point */
static char *put_plain(char *to, uint64_t digits, unsigned n, int point) {
    if (point <= 0) {
        to = put_text(to, "0.000", (size_t)(2 - point));
        put_digits(to, digits, n);
        return to + n;
    }
    put_digits(to, digits, n);
    if ((unsigned)point < n) {
        memmove(to + point + 1, to + point, n - (unsigned)point);
        to[point] = '.';
        return to + n + 1;
    }
    for (to += n; n < (unsigned)point; n++)
        *to++ = '0';
    return put_text(to, ".0", 2);
}

char *float_write(char *to, double f) {
    if (isnan(f)) return put_text(to, "nan", 3);
    if (signbit(f)) {
        *to++ = '-';
        f = -f;
    }
    if (isinf(f)) return put_text(to, "inf", 3);
    if (f < 1e15 && f == (double)(int64_t)f) {
        unsigned n = count_digits((uint64_t)f);
        put_digits(to, (uint64_t)f, n);
        return put_text(to + n, ".0", 2);
    }
    if (f >= 1e-4 && f < 1e15) {
        char *end = put_short(to, f);
        if (end != NULL) return end;
    }
    int exponent;
    uint64_t digits = float_shortest(f, &exponent);
    for (; digits % 10 == 0; digits /= 10)
        exponent++;
    unsigned n = count_digits(digits);
    int point = exponent + (int)n;
    return point > 16 || point < -3 ? put_scientific(to, digits, n, point - 1) : put_plain(to, digits, n, point);
}

void float_repr(Buf *out, double f) { out->n = (size_t)(float_write(buf_room(out, FLOAT_ROOM), f) - out->p); }

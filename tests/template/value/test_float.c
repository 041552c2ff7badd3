/* test_float.c: floats and integers as text, against what the C library reads and prints.
 *
 * The shortest text of a double is found again here in the slow way: with more and more digits, until what they say
 * reads back as it. Numbers are drawn from each way of writing that float.c knows, from a fixed seed. */
#include "value_test.h"

#include "template/value/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed = 0x2545f4914f6cdd1du;

static uint64_t draw(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}

static uint64_t below(uint64_t n) { return draw() % n; }
static double unit(void) { return (double)(draw() >> 11) * 0x1p-53; }

static double of_bits(uint64_t bits) {
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* The digits and the power of ten before the first of them, with as few digits as read back as f > 0. Below a power of
 * two its neighbour is nearer than above, so that the next number above may do where the nearest one does not. */
static int slow_digits(double f, char digits[20]) {
    for (int n = 1;; n++) {
        char shown[40];
        snprintf(shown, sizeof shown, "%.*e", n - 1, f);
        char *e = strchr(shown, 'e');
        int exponent = atoi(e + 1);
        for (int up = 0; up < 2; up++) {
            if (strtod(shown, NULL) == f) {
                digits[0] = shown[0];
                if (n > 1) memcpy(digits + 1, shown + 2, (size_t)n - 1);
                digits[n] = '\0';
                return exponent;
            }
            char *last = e - 1;
            if (*last == '9') break; /* never the one that is wanted: it ends in 0 */
            ++*last;
        }
        assert_true(n < 18);
    }
}

/* As Python's repr lays it out. */
static void slow_repr(double f, char text[64]) {
    if (isnan(f)) {
        strcpy(text, "nan");
        return;
    }
    char digits[20], *to = text;
    if (signbit(f)) *to++ = '-';
    f = fabs(f);
    if (isinf(f) || f == 0) {
        strcpy(to, isinf(f) ? "inf" : "0.0");
        return;
    }
    int exponent = slow_digits(f, digits), n = (int)strlen(digits);
    if (exponent < -4 || exponent >= 16)
        sprintf(to, "%c%s%se%c%02d", digits[0], n > 1 ? "." : "", digits + 1, exponent < 0 ? '-' : '+', abs(exponent));
    else if (exponent < 0)
        sprintf(to, "0.%.*s%s", -1 - exponent, "000", digits);
    else if (n <= exponent + 1)
        sprintf(to, "%s%.*s.0", digits, exponent + 1 - n, "0000000000000000");
    else
        sprintf(to, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
}

enum { AROUND = 16 };

static void expect_float(double f) {
    char room[AROUND + FLOAT_ROOM + AROUND], wanted[64];
    memset(room, 0x7e, sizeof room);
    char *end = float_write(room + AROUND, f);
    slow_repr(f, wanted);
    const size_t n = (size_t)(end - room) - AROUND;
    if (n != strlen(wanted) || memcmp(room + AROUND, wanted, n) != 0)
        fail_msg("%a is %s, not %.*s", f, wanted, (int)n, room + AROUND);
    for (size_t i = 0; i < AROUND; i++)
        if (room[i] != 0x7e || room[AROUND + FLOAT_ROOM + i] != 0x7e) fail_msg("%a is written past its room", f);
}

static void expect_both(double f) {
    expect_float(f);
    expect_float(-f);
}

static void special(void **state) {
    (void)state;
    expect_both(0);
    expect_both(INFINITY);
    expect_float(NAN);
    expect_float(-(double)NAN);
    expect_both(5e-324);
    expect_both(0x1.fffffffffffffp1023);
    expect_both(0x1p-1022);
    expect_both(0x0.fffffffffffffp-1022);
}

/* Powers of two and of ten, and their neighbours: each exponent there is. */
static void edges(void **state) {
    (void)state;
    for (uint64_t exponent = 0; exponent < 2047; exponent++) {
        static const uint64_t fractions[] = {0, 1, 2, ((uint64_t)1 << 52) - 1, (uint64_t)1 << 51};
        for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++)
            expect_both(of_bits(exponent << 52 | fractions[i]));
    }
    for (int exponent = -323; exponent <= 308; exponent++) {
        char shown[16];
        snprintf(shown, sizeof shown, "1e%d", exponent);
        const double ten = strtod(shown, NULL);
        expect_both(ten);
        expect_both(nextafter(ten, 0));
        expect_both(nextafter(ten, INFINITY));
    }
}

static void any_bits(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++)
        expect_float(of_bits(draw()));
    for (int i = 0; i < 3000; i++)
        expect_float(of_bits(draw() >> (12 + below(52)))); /* no larger than a subnormal */
}

/* Each place that the point can have, with all digits that there are. */
static void all_digits(void **state) {
    (void)state;
    double size = 1e-8;
    for (int place = 0; place < 28; place++, size *= 10)
        for (int i = 0; i < 600; i++)
            expect_both(size * (1 + 9 * unit()));
}

/* Texts with few digits are found in another way, and so are those next to them. */
static void few_digits(void **state) {
    (void)state;
    double unit_of = 1;
    for (int behind = 0; behind < 12; behind++, unit_of *= 10) {
        uint64_t most = 10;
        for (int n = 1; n < 16; n++, most *= 10) {
            for (int i = 0; i < 60; i++) {
                const double f = (double)below(most) / unit_of;
                expect_both(f);
                expect_float(nextafter(f, INFINITY));
                expect_float(nextafter(f, 0));
            }
        }
    }
}

/* Halves of an integer and the like lie exactly between two texts. */
static void ties(void **state) {
    (void)state;
    for (int i = 0; i < 8000; i++)
        expect_float((double)(draw() >> (11 + below(40))) * ldexp(1, -(int)below(60)));
    for (int i = 0; i < 8000; i++)
        expect_float(ldexp((double)(draw() >> (44 + below(20))), (int)below(2000) - 1000));
}

static void expect_int(int64_t i) {
    char room[AROUND + DIGITS_ROOM + AROUND], wanted[32];
    memset(room, 0x7e, sizeof room);
    char *end = digits_write_int(room + AROUND, i);
    const size_t n = (size_t)(end - room) - AROUND;
    snprintf(wanted, sizeof wanted, "%lld", (long long)i);
    if (n != strlen(wanted) || memcmp(room + AROUND, wanted, n) != 0)
        fail_msg("%s is written %.*s", wanted, (int)n, room + AROUND);
    for (size_t k = 0; k < AROUND; k++)
        if (room[k] != 0x7e || room[AROUND + DIGITS_ROOM + k] != 0x7e) fail_msg("%s is written past its room", wanted);
}

static void integers(void **state) {
    (void)state;
    for (int64_t i = -20000; i <= 20000; i++)
        expect_int(i);
    int64_t size = 1;
    for (int digits = 1; digits <= 19; digits++) {
        for (int64_t i = -3; i <= 3; i++)
            expect_int(size + i), expect_int(-size + i);
        for (int i = 0; i < 2000; i++) {
            const int64_t number = (int64_t)(draw() >> 1) % size;
            expect_int(number), expect_int(-number);
        }
        if (digits < 19) size *= 10;
    }
    for (int i = 0; i < 20000; i++)
        expect_int((int64_t)draw());
    expect_int(INT64_MAX);
    expect_int(INT64_MIN);
}

/* What the tables and products of digits.h are made for: every number. */
static void digit_words(void **state) {
    (void)state;
    char wanted[16], got[24];
    for (uint32_t i = 0; i < 1000000; i++) {
        const DigitWord word = digits_word(i);
        digits_store_8(got, word.text);
        got[word.n] = '\0';
        snprintf(wanted, sizeof wanted, "%u", i);
        assert_string_equal(got, wanted);
    }
    for (uint32_t i = 0; i < 100000000; i += 1 + (uint32_t)below(199)) {
        digits_store_8(got, digits_eight(i) | DIGITS_ZEROS);
        sixteen_store(got + 8, sixteen_text(digits_sixteen(99999999 - i, i)));
        got[8 + 8] = '\0';
        char both[40];
        snprintf(both, sizeof both, "%08u%08u", i, 99999999 - i);
        if (memcmp(got, both, 16) != 0) fail_msg("%s is written %s", both, got);
        const Sixteen digits = digits_sixteen(i, 0);
        uint32_t used = 0;
        for (unsigned k = 0; k < 8; k++)
            used |= (uint32_t)(both[k] != '0') << k;
        assert_int_equal(sixteen_used(digits), used);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special),    cmocka_unit_test(edges),       cmocka_unit_test(any_bits),
        cmocka_unit_test(all_digits), cmocka_unit_test(few_digits),  cmocka_unit_test(ties),
        cmocka_unit_test(integers),   cmocka_unit_test(digit_words),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* test_str.c: text with a length, UTF-8, distances, formatting and quoting. */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static Arena arena;

static int clean(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

#define assert_str(got, want)                                                                                          \
    do {                                                                                                               \
        Str got_ = (got);                                                                                              \
        assert_string_equal(str_to_c(&arena, got_), (want));                                                           \
        assert_int_equal(got_.n, sizeof(want) - 1);                                                                    \
    } while (0)

static void comparing(void **state) {
    (void)state;
    assert_true(str_eq(S("a\0b"), str("a\0b", 3)));
    assert_false(str_eq(S("a\0b"), S("a\0c")));
    assert_true(str_eq(str(NULL, 0), S("")));
    assert_true(str_cmp(S("a"), S("b")) < 0 && str_cmp(S("ab"), S("a")) > 0 && str_cmp(S("a"), S("a")) == 0);
    assert_true(str_cmp(S("\xc3\xa9"), S("z")) > 0);
    assert_true(str_cmp(str(NULL, 0), S("a")) < 0);
    assert_true(str_starts(S("abc"), S("ab")) && !str_starts(S("a"), S("ab")) && str_starts(S("a"), S("")));
    assert_true(str_ends(S("abc"), S("bc")) && !str_ends(S("c"), S("bc")) && str_ends(str(NULL, 0), S("")));
    assert_true(str_hash(S("abc")) == str_hash(str("abcd", 3)) && str_hash(S("abc")) != str_hash(S("abd")));
    assert_true(str_hash(S("a")) != str_hash(S("a\0")) && str_hash(S("12345678")) != str_hash(S("12345678\0")));
}

static void searching(void **state) {
    (void)state;
    assert_int_equal(str_find(S("hello"), S("lo")), 3);
    assert_true(str_find(S("hello"), S("low")) == STR_NONE && str_find(S("lo"), S("hello")) == STR_NONE);
    assert_int_equal(str_find(S("x"), S("")), 0);
    assert_int_equal(str_find_char(S("a\0b"), 'b'), 2);
    assert_true(str_find_char(str(NULL, 0), 'x') == STR_NONE);
    assert_str(str_sub(S("hello"), 1, 3), "el");
    assert_str(str_sub(S("hello"), 3, 99), "lo");
    assert_str(str_sub(S("hello"), 9, 2), "");
    assert_str(str_trim(S(" \t\n a b \r\v\f")), "a b");
    assert_str(str_trim(S("  ")), "");
    assert_str(str_copy(&arena, S("a\0b")), "a\0b");
}

static void utf8(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int bad; /* -1: valid */
    } cases[] = {
        {"", -1},
        {"plain ascii text of some length", -1},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", -1},
        {"ab\xff", 2},
        {"\x80", 0},
        {"12345678\xc3", 8},
        {"\xc0\x80", 0},
        {"\xc1\xbf", 0},
        {"\xe0\x9f\xbf", 0},
        {"\xe0\xa0\x80", -1},
        {"\xed\x9f\xbf", -1},
        {"\xed\xa0\x80", 0},
        {"\xf0\x8f\xbf\xbf", 0},
        {"\xf0\x90\x80\x80", -1},
        {"\xf4\x8f\xbf\xbf", -1},
        {"\xf4\x90\x80\x80", 0},
        {"\xf5\x80\x80\x80", 0},
        {"\xe2\x82", 0},
        {"\xf0\x9f\x98x", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t bad = str_invalid_utf8(str_c(cases[i].text));
        assert_true(bad == (size_t)cases[i].bad);
    }
    /* Every code point there and back. */
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        if (code >= 0xd800 && code <= 0xdfff) continue;
        char bytes[4];
        unsigned n = str_encode(code, bytes), size;
        if (str_decode(bytes, bytes + n, &size) != code || size != n || str_invalid_utf8(str(bytes, n)) != STR_NONE)
            fail_msg("U+%04X", (unsigned)code);
    }
    unsigned size;
    Str half = S("\xe2\x82");
    assert_int_equal(str_decode(half.p, half.p + half.n, &size), 0xfffd);
    assert_int_equal(size, 1);
    assert_int_equal(str_count(S("h\xc3\xa9\xf0\x9f\x98\x80!")), 4);
}

/* The textbook recurrence over the whole matrix, to hold the banded one to. */
static unsigned plain_distance(Str a, Str b) {
    unsigned d[16][16];
    for (unsigned i = 0; i <= a.n; i++)
        for (unsigned j = 0; j <= b.n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            unsigned cost = d[i - 1][j - 1] + (a.p[i - 1] != b.p[j - 1]);
            if (d[i - 1][j] + 1 < cost) cost = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < cost) cost = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1] && d[i - 2][j - 2] + 1 < cost)
                cost = d[i - 2][j - 2] + 1;
            d[i][j] = cost;
        }
    return d[a.n][b.n];
}

static void distances(void **state) {
    (void)state;
    assert_int_equal(str_distance(S("bais"), S("bias"), 3), 1);
    assert_int_equal(str_distance(S("kitten"), S("sitting"), 3), 3);
    assert_int_equal(str_distance(S("kitten"), S("sitting"), 2), 3);
    assert_int_equal(str_distance(S(""), S(""), 0), 0);
    assert_int_equal(str_distance(S("same"), S("same"), 0), 0);
    srand(1);
    for (int round = 0; round < 20000; round++) {
        char a[12], b[12];
        Str x = {a, (size_t)rand() % 12}, y = {b, (size_t)rand() % 12};
        for (size_t i = 0; i < 12; i++)
            a[i] = (char)('a' + rand() % 3), b[i] = (char)('a' + rand() % 3);
        unsigned most = (unsigned)rand() % 8, want = plain_distance(x, y);
        assert_int_equal(str_distance(x, y, most), want <= most ? want : most + 1);
    }
    char *lots = arena_alloc(&arena, 1 << 20);
    memset(lots, 'x', 1 << 20);
    assert_int_equal(str_distance(str(lots, 1 << 20), str(lots, (1 << 20) - 2), 4), 2);
}

static void formatting(void **state) {
    (void)state;
    assert_str(str_format(&arena, "%S|%10S|%-10S|%.2S|%*S", S("h\xc3\xa9llo"), S("ab\xc3\xa9"), S("ab"),
                          S("\xc3\xa9\xc3\xa9\xc3\xa9"), 4, S("x")),
               "h\xc3\xa9llo|       ab\xc3\xa9|ab        |\xc3\xa9\xc3\xa9|   x");
    assert_str(str_format(&arena, "%d|%5d|%-5d|%05u|%+d|%lld|%llu|%ld|%zu|%jd|%td", -5, 42, 42, 7u, 3, -9000000000LL,
                          18446744073709551615ULL, 5L, (size_t)77, (intmax_t)-1, (ptrdiff_t)9),
               "-5|   42|42   |00007|+3|-9000000000|18446744073709551615|5|77|-1|9");
    assert_str(str_format(&arena, "%s|%8s|%.3s|%.*s|%c|%-3c|%%|%x|%#X|%o", "cstr", "right", "cut it", 2, "precision",
                          'z', 'y', 255u, 255u, 8u),
               "cstr|   right|cut|pr|z|y  |%|ff|0XFF|10");
    assert_str(str_format(&arena, "%g|%.2f|%e|%*.*f|%.60f", 1.5, 2.25, 1e10, 8, 3, 3.14159, 1.0 / 3),
               "1.5|2.25|1.000000e+10|   3.142|0.333333333333333314829616256247390992939472198486328125000000");
    assert_str(str_format(&arena, "%*d|", -5, 1), "1    |");
    assert_str(str_format(&arena, "no conversion"), "no conversion");
    assert_str(str_format(&arena, "%S", S("")), "");
    assert_str(str_format(&arena, "%Q %.3Q %8Q|", S("a\"\\\n\t\r\x01\x7f\xff\xc3\xa9\xc2\x85"), S("abcdef"), S("ab")),
               "\"a\\\"\\\\\\n\\t\\r\\x01\\x7f\\xff\xc3\xa9\\u0085\" \"abc\"... \"ab\"    |");
}

/* A value longer than the room that is left is printed again, and once only. */
static void formatting_past_the_room(void **state) {
    (void)state;
    Buf buf;
    buf_init(&buf, &arena);
    for (int i = 0; i < 1000; i++)
        buf_format(&buf, "%d,%.*f;", i, i % 90, 0.5);
    Str s = buf_str(&buf);
    for (int i = 0; i < 1000; i++) {
        char want[200];
        size_t n = (size_t)snprintf(want, sizeof want, "%d,%.*f;", i, i % 90, 0.5);
        assert_true(s.n >= n && memcmp(s.p, want, n) == 0);
        s = str_sub(s, n, s.n);
    }
    assert_int_equal(s.n, 0);
}

static void a_buffer_collects(void **state) {
    (void)state;
    Buf buf;
    buf_init(&buf, &arena);
    buf_add(&buf, S(""));
    buf_add(&buf, str(NULL, 0));
    buf_int(&buf, INT64_MIN);
    buf_char(&buf, ' ');
    buf_int(&buf, INT64_MAX);
    buf_char(&buf, ' ');
    buf_int(&buf, 0);
    buf_fill(&buf, '-', 3);
    buf_code(&buf, 0x20ac);
    assert_str(buf_str(&buf), "-9223372036854775808 9223372036854775807 0---\xe2\x82\xac");
    buf_init(&buf, &arena);
    for (int i = 0; i < 300000; i++)
        buf_char(&buf, (char)('a' + i % 26));
    assert_int_equal(buf.n, 300000);
    for (int i = 0; i < 300000; i++)
        assert_int_equal(buf.p[i], 'a' + i % 26);
}

static void quoting_for_json(void **state) {
    (void)state;
    Buf buf;
    buf_init(&buf, &arena);
    buf_json(&buf, S("a\"\\/\b\f\n\r\t\x01\x1f\x7f\xc3\xa9\xff"
                     "b"));
    assert_str(buf_str(&buf), "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\xc3\xa9\xef\xbf\xbd"
                              "b\"");
    buf_init(&buf, &arena);
    buf_json(&buf, str(NULL, 0));
    assert_str(buf_str(&buf), "\"\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparing),
        cmocka_unit_test(searching),
        cmocka_unit_test(utf8),
        cmocka_unit_test(distances),
        cmocka_unit_test(formatting),
        cmocka_unit_test(formatting_past_the_room),
        cmocka_unit_test(a_buffer_collects),
        cmocka_unit_test(quoting_for_json),
    };
    return cmocka_run_group_tests(tests, NULL, clean);
}

/* test_marked.c: words that a text has against a plain search, letter by letter; marks filled in; blank lines. */
#include "emit/marked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static Arena arena;

static const char *const some[] = {"x", "x0", "x1", "y", "m", "size_0", "workspace", "_", "X0", "x00", "fault", "n1"};
enum { SOME = sizeof some / sizeof *some };

/* Whether the text has the word, by looking at every place. */
static bool has_plainly(Str text, Str word) {
    for (size_t i = 0; i + word.n <= text.n; i++) {
        if (!str_eq(str_sub(text, i, i + word.n), word)) continue;
        bool begins = i == 0 || !marked_is_word(text.p[i - 1]);
        bool ends = i + word.n == text.n || !marked_is_word(text.p[i + word.n]);
        if (begins && ends && (i == 0 || text.p[i - 1] != '\001')) return true;
    }
    return false;
}

/* Texts of every length around those that are looked at in one step, of the letters that words are made of. */
static void finds_what_a_plain_search_finds(void **state) {
    (void)state;
    static const char letters[] = "xXy01mn_se f(*,\n\001U@`[{/:\177\200\337\372\377";
    int found = 0, missed = 0;
    srand(5);
    for (size_t n = 0; n < 400; n++) {
        char *p = malloc(n + 1); /* of just this length: a sanitizer sees who reads past it */
        for (size_t i = 0; i < n; i++)
            p[i] = letters[(size_t)rand() % (sizeof letters - 1)];
        for (int put = 0; put < 3; put++) {
            Str word = str_c(some[rand() % SOME]);
            if (word.n < n) memcpy(p + (size_t)rand() % (n - word.n), word.p, word.n);
        }
        Words words;
        words_init(&words, &arena);
        for (int i = 0; i < SOME; i++)
            words_ask(&words, str_c(some[i]));
        words_look(&words, str(p, n));
        for (int i = 0; i < SOME; i++) {
            bool want = has_plainly(str(p, n), str_c(some[i]));
            assert_int_equal(words_has(&words, str_c(some[i])), want);
            found += want, missed += !want;
        }
        assert_false(words_has(&words, S("never")));
        free(p);
    }
    assert_true(found > 500 && missed > 500);
}

static void fills_marks(void **state) {
    (void)state;
    Str text = S("void \001U(\001P) { \001U_of(\001N); }\001");
    Str filled = marked_fill(&arena, text, S("f"), S("int a"), S("a"));
    assert_true(str_eq(filled, S("void f(int a) { f_of(a); }\001")));
    assert_true(str_eq(marked_fill(&arena, S(""), S("f"), S(""), S("")), S("")));
}

static Str tidied(Str text) {
    Buf out;
    buf_init(&out, &arena);
    buf_add(&out, S("first\n"));
    marked_tidy(text, &out);
    return str_sub(buf_str(&out), 6, out.n);
}

static void leaves_one_blank_line(void **state) {
    (void)state;
    assert_true(str_eq(tidied(S("\n \na  \n\t\n\n  b\t\nc")), S("a\n\n  b\nc\n")));
    assert_true(str_eq(tidied(S("a\n\n \n")), S("a\n")));
    assert_true(str_eq(tidied(S(" \n\n")), S("")));
    assert_true(str_eq(tidied(S("")), S("")));
}

static int leave(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_a_plain_search_finds),
        cmocka_unit_test(fills_marks),
        cmocka_unit_test(leaves_one_blank_line),
    };
    return cmocka_run_group_tests(tests, NULL, leave);
}

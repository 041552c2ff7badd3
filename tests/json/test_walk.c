/* test_walk.c: parts of JSON texts found by walking over them: strings with quotes and backslashes, brackets in
 * strings, what ends too early. Each text is of just its length, so that a sanitizer sees who reads past it. */
#include "json/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* Where a walk over one value of the text ends; -1: it says that there is none. */
static long skipped(const char *text) {
    size_t n = strlen(text);
    char *copy = malloc(n + (n == 0));
    memcpy(copy, text, n);
    JsonWalk walk = {copy, copy + n};
    long end = json_walk_skip(&walk) ? (long)(walk.p - copy) : -1;
    free(copy);
    return end;
}

static void skips_values(void **state) {
    (void)state;
    static const struct {
        const char *text;
        long end;
    } cases[] = {
        {"12,", 2},
        {" true }", 5},
        {"\"a\\\"b\\\\\", 1", 8},
        {"\"\\\\\\\"\\\\\"", 8},
        {"{\"a]\": [1, {\"b\": \"}\"}], \"c\\\"}\": 2} ,", 34},
        {"[[], [\"[\"]]]", 11},
        {"[", -1},
        {"{\"a\": [}", -1},
        {"\"a\\\"", -1},
        {"[\"a]", -1},
        {"", -1},
        {" ", -1},
        {",", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(skipped(cases[i].text), cases[i].end);
}

static void names_keys_and_strings(void **state) {
    (void)state;
    const char *text = " { \"one\" : 1,\n\t\"two\": {\"x\": []}, \"th\\u0072ee\":\"\" } ";
    JsonWalk walk = {text, text + strlen(text)};
    Str name;
    assert_true(json_walk_take(&walk, '{'));
    assert_true(json_walk_key(&walk, true, &name) && str_eq(name, S("one")) && json_walk_skip(&walk));
    assert_true(json_walk_key(&walk, false, &name) && str_eq(name, S("two")) && json_walk_skip(&walk));
    assert_true(json_walk_key(&walk, false, &name));
    assert_int_equal(name.n, 0); /* it has an escape */
    assert_true(json_walk_string(&walk, &name));
    assert_int_equal(name.n, 0);
    assert_false(json_walk_key(&walk, false, &name));
    assert_true(json_walk_take(&walk, '}'));
    assert_int_equal(json_walk_next(&walk), '\0');
    assert_false(json_walk_take(&walk, '}'));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skips_values),
        cmocka_unit_test(names_keys_and_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

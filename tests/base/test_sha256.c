/* test_sha256.c: the hash against the examples of FIPS 180-4, and against sha256sum at every length around a block. */
#include "base/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static Arena arena;

static void assert_hash(Str bytes, const char *want) {
    assert_string_equal(str_to_c(&arena, sha256_of(&arena, bytes)), want);
}

static void hashes_the_examples(void **state) {
    (void)state;
    assert_hash(S(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_hash(S("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_hash(S("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_hash(
        S("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
          "nopqrstu"),
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    char *million = arena_alloc(&arena, 1000000);
    memset(million, 'a', 1000000);
    assert_hash(str(million, 1000000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Added in pieces of every size, the hash is that of the whole. */
static void pieces_make_no_difference(void **state) {
    (void)state;
    char text[200];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 7);
    const char *whole = str_to_c(&arena, sha256_of(&arena, str(text, sizeof text)));
    for (size_t size = 1; size <= sizeof text; size++) {
        Sha256 sha;
        char digits[SHA256_DIGITS + 1] = {0};
        sha256_init(&sha);
        for (size_t i = 0; i < sizeof text; i += size)
            sha256_add(&sha, str(text + i, i + size < sizeof text ? size : sizeof text - i));
        sha256_end(&sha, digits);
        assert_string_equal(digits, whole);
    }
}

static void agrees_with_sha256sum(void **state) {
    (void)state;
    FILE *sums =
        popen("cd \"$(mktemp -d)\" && for n in $(seq 0 140); do head -c $n /dev/zero | tr '\\0' x > $n; done && "
              "sha256sum $(seq 0 140); rm -rf \"$PWD\"",
              "r");
    assert_non_null(sums);
    char text[140], line[200];
    memset(text, 'x', sizeof text);
    size_t n = 0;
    for (; fgets(line, sizeof line, sums) != NULL; n++) {
        line[SHA256_DIGITS] = '\0';
        assert_hash(str(text, n), line);
    }
    assert_int_equal(pclose(sums), 0);
    assert_int_equal(n, 141);
}

static int leave(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_the_examples),
        cmocka_unit_test(pieces_make_no_difference),
        cmocka_unit_test(agrees_with_sha256sum),
    };
    return cmocka_run_group_tests(tests, NULL, leave);
}

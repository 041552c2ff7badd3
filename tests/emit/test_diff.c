/* test_diff.c: unified diffs, against what is pinned, against diff(1), and by applying them. */
#include "output_case.h"

#include "emit/output_plan.h"

#include <time.h>

static Str diff(Str old_text, Str new_text) {
    Buf out;
    buf_init(&out, &arena);
    diff_unified(&arena, S("a"), S("b"), old_text, new_text, &out);
    return buf_str(&out);
}

static void assert_diff(const char *old_text, const char *new_text, const char *want) {
    assert_text(diff(str_c(old_text), str_c(new_text)), want);
}

static void pinned(void **state) {
    (void)state;
    assert_diff("", "", "");
    assert_diff("1\n", "1\n", "");
    assert_diff("", "1\n2\n", "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+1\n+2\n");
    assert_diff("1\n2\n", "", "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-1\n-2\n");
    assert_diff("1", "1\n", "--- a\n+++ b\n@@ -1 +1 @@\n-1\n\\ No newline at end of file\n+1\n");
    assert_diff("1\n", "1", "--- a\n+++ b\n@@ -1 +1 @@\n-1\n+1\n\\ No newline at end of file\n");
    assert_diff("1\n2", "0\n2", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-1\n+0\n 2\n\\ No newline at end of file\n");
    assert_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nnew\n5\n6\n7\n8\n9\n",
                "--- a\n+++ b\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n");
    /* Six equal lines between two changes join their hunks, seven do not. */
    assert_diff("x\n1\n2\n3\n4\n5\n6\nx\n", "y\n1\n2\n3\n4\n5\n6\ny\n",
                "--- a\n+++ b\n@@ -1,8 +1,8 @@\n-x\n+y\n 1\n 2\n 3\n 4\n 5\n 6\n-x\n+y\n");
    assert_diff("x\n1\n2\n3\n4\n5\n6\n7\nx\n", "y\n1\n2\n3\n4\n5\n6\n7\ny\n",
                "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-x\n+y\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-x\n+y\n");
    assert_text(diff(S("a\0b\n"), S("c\n")), "Binary files a and b differ\n");
    Buf out;
    buf_init(&out, &arena);
    diff_unified(&arena, S("with blank"), S(""), S("1\n"), S(""), &out);
    assert_text(buf_str(&out), "--- with blank\t\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n");
}

static Str take_line(Str *rest) {
    size_t end = str_find_char(*rest, '\n');
    Str line = str_sub(*rest, 0, end == STR_NONE ? rest->n : end + 1);
    *rest = str_sub(*rest, line.n, rest->n);
    return line;
}

static unsigned long number(Str *s, const char *before) {
    size_t at = str_find(*s, str_c(before));
    assert_true(at != STR_NONE);
    char *end;
    unsigned long n = strtoul(str_to_c(&arena, str_sub(*s, at + strlen(before), s->n)), &end, 10);
    return n;
}

/* Applies a diff as patch would, strictly: every line has to be where the diff says. */
static Str apply(Str text, Str patch, size_t *changes) {
    Buf out;
    buf_init(&out, &arena);
    unsigned long at = 1;
    *changes = 0;
    if (patch.n == 0) return text;
    assert_text(take_line(&patch), "--- a\n");
    assert_text(take_line(&patch), "+++ b\n");
    while (patch.n > 0) {
        Str head = take_line(&patch);
        assert_true(str_starts(head, S("@@ -")));
        unsigned long from = number(&head, "@@ -");
        bool none = str_find(str_sub(head, 0, str_find_char(head, '+')), S(",0 ")) != STR_NONE;
        for (from += none; at < from; at++)
            buf_add(&out, take_line(&text));
        while (patch.n > 0 && patch.p[0] != '@') {
            Str line = take_line(&patch);
            char sign = line.p[0];
            line = str_sub(line, 1, line.n);
            if (str_starts(patch, S("\\"))) {
                take_line(&patch);
                line.n--;
            }
            *changes += sign != ' ';
            if (sign != '+') {
                assert_text(take_line(&text), str_to_c(&arena, line));
                at++;
            }
            if (sign != '-') buf_add(&out, line);
        }
    }
    buf_add(&out, text);
    return buf_str(&out);
}

static Str random_text(Str from, unsigned kinds, unsigned lines) {
    Buf out;
    buf_init(&out, &arena);
    if (from.p == NULL) {
        for (unsigned i = 0; i < lines; i++)
            buf_format(&out, "%d\n", rand() % (int)kinds);
    }
    while (from.n > 0) { /* another text near to it */
        Str line = take_line(&from);
        int draw = rand() % 12;
        if (draw == 0) buf_format(&out, "%d\n", rand() % (int)kinds);
        if (draw != 1) buf_add(&out, line);
        if (draw == 2) buf_add(&out, line);
    }
    if (out.n > 0 && rand() % 4 == 0) out.n--;
    return buf_str(&out);
}

static void random_texts(void **state) {
    (void)state;
    srand(7);
    for (int round = 0; round < 3000; round++) {
        ArenaMark mark = arena_mark(&arena);
        unsigned kinds = 1 + (unsigned)rand() % 40;
        Str one = random_text((Str){0}, kinds, (unsigned)rand() % 60);
        Str other = random_text(round % 3 == 0 ? (Str){0} : one, kinds, (unsigned)rand() % 60);
        size_t changes;
        Str got = apply(one, diff(one, other), &changes);
        assert_true(str_eq(got, other));
        if (round % 20 == 0) { /* none is shorter */
            put("a", one);
            put("b", other);
            FILE *lines = popen("diff --minimal -U0 a b | tail -n +3 | grep -c '^[-+]'", "r");
            unsigned long least = 9999;
            assert_int_equal(fscanf(lines, "%lu", &least), 1);
            pclose(lines);
            assert_int_equal(changes, least);
        }
        arena_reset(&arena, mark);
    }
}

/* What would take for ever is not the shortest any more, but it comes, and it is right. */
static void large_texts(void **state) {
    (void)state;
    enum { LINES = 300000 };
    clock_t start = clock();
    for (int alike = 0; alike < 3; alike++) {
        Buf one, other;
        buf_init(&one, &arena);
        buf_init(&other, &arena);
        srand(11);
        for (int i = 0; i < LINES; i++) {
            if (alike == 0) buf_format(&one, "%d\n", i), buf_format(&other, "other %d\n", i);
            if (alike == 1) buf_format(&one, "%d\n", rand() % 50), buf_format(&other, "%d\n", rand() % 50);
            if (alike == 2)
                buf_format(&one, "%d\n", i % 1000), buf_format(&other, "%d\n", i % 997 == 0 ? -1 : i % 1000);
        }
        size_t changes;
        Str got = apply(buf_str(&one), diff(buf_str(&one), buf_str(&other)), &changes);
        assert_true(str_eq(got, buf_str(&other)));
        if (alike == 2) assert_int_equal(changes, 2 * ((LINES + 996) / 997));
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("%.1f s\n", seconds);
    assert_true(seconds < 60);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {TEST(pinned), TEST(random_texts), TEST(large_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

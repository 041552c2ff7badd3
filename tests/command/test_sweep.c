/* test_sweep.c: opgen in one process, with each of its requests for memory refused in turn.
 *
 * Whatever is refused, the run ends with status 2 and says that memory was the reason, standard output and the file
 * stay empty, and the next run works. The sanitizer under which this is built sees what would leak.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"

static char folder[] = "/tmp/opgen-sweep-XXXXXX";

static void put(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The text of a small file; "" if it is not there. */
static const char *get(const char *name, char text[4096]) {
    FILE *file = fopen(name, "r");
    size_t n = file == NULL ? 0 : fread(text, 1, 4095, file);
    text[n] = '\0';
    if (file != NULL) fclose(file);
    return text;
}

static int run(char **argv) {
    int argc = 0;
    while (argv[argc] != NULL)
        argc++;
    fflush(stdout);
    fflush(stderr);
    static const char *const names[] = {"out", "err"};
    int streams[2];
    for (int i = 0; i < 2; i++) {
        int fd = open(names[i], O_WRONLY | O_CREAT | O_TRUNC, 0666);
        streams[i] = dup(STDOUT_FILENO + i);
        assert_true(fd >= 0 && streams[i] >= 0 && dup2(fd, STDOUT_FILENO + i) >= 0);
        close(fd);
    }
    int next = open("/dev/null", O_RDONLY);
    close(next);
    int status = command_main(argc, argv);
    int after = open("/dev/null", O_RDONLY);
    close(after);
    for (int i = 0; i < 2; i++) {
        assert_true(dup2(streams[i], STDOUT_FILENO + i) >= 0);
        close(streams[i]);
    }
    assert_int_equal(after, next); /* no descriptor was left open */
    return status;
}

static void sweep(char **argv, int wanted, const char *out, const char *file) {
    char text[4096];
    remove("file");
    uint64_t before = mem_requests();
    assert_int_equal(run(argv), wanted);
    uint64_t requests = mem_requests() - before;
    assert_true(requests > 0);
    assert_string_equal(get("out", text), out);
    assert_string_equal(get("file", text), file);
    for (uint64_t n = 1; n <= requests; n++) {
        remove("file");
        mem_fail_at(n);
        int status = run(argv);
        mem_fail_at(0);
        assert_int_equal(status, STATUS_CANNOT);
        assert_non_null(strstr(get("err", text), "memory"));
        assert_string_equal(get("out", text), "");
        assert_string_equal(get("file", text), "");
    }
    assert_int_equal(run(argv), wanted);
    assert_string_equal(get("out", text), out);
}
#define SWEEP(wanted, out, file, ...) sweep((char *[]){"opgen", __VA_ARGS__, NULL}, wanted, out, file)

static void renders(void **state) {
    (void)state;
    SWEEP(STATUS_DONE, "<1><2><3>x=0,1,2\nabc", "", "render", "good.j2", "data.json", "--set", "name=abc");
}

static void renders_to_a_file(void **state) {
    (void)state;
    SWEEP(STATUS_DONE, "", "<1><2><3>x=0,1,2\nabc", "render", "good.j2", "data.json", "--set=name=abc", "-o", "file");
}

static void renders_much(void **state) {
    (void)state;
    put("much.j2", "{% set s = namespace(t='') %}{% for i in range(3000) %}{% set s.t = s.t ~ i %}{% endfor %}"
                   "{% set l = [] %}{% for i in range(5000) %}{% do l.append({'k': i, i: [i] * 9}) %}{% endfor %}"
                   "{{ (s.t * 20)[:9] }}{{ l | map(attribute='k') | sum }}{{ (l | string)[:1] }}");
    SWEEP(STATUS_DONE, "01234567812497500[", "", "render", "much.j2");
}

static void reports(void **state) {
    (void)state;
    SWEEP(STATUS_CANNOT, "", "", "render", "bad.j2", "bad.json", "-o", "file");
    SWEEP(STATUS_CANNOT, "", "", "render", "undefined.j2", "--diagnostics=sarif");
    SWEEP(STATUS_CANNOT, "", "", "render", "--undefinde=strict", "--max-depth=x");
}

static void lints(void **state) {
    (void)state;
    SWEEP(STATUS_DONE, "", "", "lint", "ops", "good.j2", "-I", ".");
    SWEEP(STATUS_NEGATIVE,
          "wrong.json:1:75: error[E021]: there is no \"z\" in a map's expression\n"
          "    1 | {\"op\": \"f\", \"kind\": \"map\", \"inputs\": [\"x\"], \"expr\": \"x if 'a' == \"a\" else z  \"}\n"
          "      |                                                                           ^\n",
          "", "lint", "wrong.json", "ops");
    SWEEP(STATUS_DONE, "twice   map  x  the double\ntwice_  map  x  twice, in place\n", "", "list", "ops", "-I", "ops");
    SWEEP(STATUS_CANNOT, "", "", "show", "op", "twcie", "-I", "ops");
}

static void helps(void **state) {
    (void)state;
    char text[4096];
    for (int i = 0; i < CMD_COUNT; i++) {
        char *argv[] = {"opgen", "help", (char *)(uintptr_t)command_rows[i].name, NULL};
        assert_int_equal(run(argv), STATUS_DONE);
        assert_true(strlen(get("out", text)) > 100);
        mem_fail_at(1);
        assert_int_equal(run(argv), STATUS_CANNOT);
        mem_fail_at(0);
        assert_string_equal(get("out", text), "");
    }
}

static int make_folder(void **state) {
    (void)state;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) return -1;
    put("good.j2", "{% from 'part.j2' import m %}{% for i in list %}{{ m(i) }}{% endfor %}"
                   "{% include 'part.j2' %}\n{{ name | lower | replace('q', 'w') }}");
    put("part.j2", "{% macro m(i) %}<{{ i }}>{% endmacro %}x={{ range(3) | join(',') }}");
    put("data.json", "{\"list\": [1, 2, 3], \"name\": \"\", \"deep\": {\"er\": [null, 1.5, 123456789012345678901]}}");
    put("bad.j2", "{% if %}\n{{ 1 + }}\n{% endfor %}\n{{ x | nofilter }}");
    put("bad.json", "{\"a\": 1, \"a\": 2, [}");
    put("undefined.j2", "{{ name }}");
    put("wrong.json",
        "{\"op\": \"f\", \"kind\": \"map\", \"inputs\": [\"x\"], \"expr\": \"x if 'a' == \\\"a\\\" else z\"}");
    if (mkdir("ops", 0777) != 0) return -1;
    put("ops/twice.json", "{\"op\": \"twice\", \"doc\": \"the double\", \"kind\": \"map\", \"inputs\": [\"x\"], "
                          "\"in_place\": true, \"expr\": \"x * 2\"}");
    /* Not opgen's own operators: each of them would be read as often as requests are refused. */
    return setenv("OPGEN_DATA", "nothing", 1);
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"good.j2",      "part.j2",        "data.json", "bad.j2", "bad.json",
                                        "undefined.j2", "much.j2",        "out",       "err",    "file",
                                        "wrong.json",   "ops/twice.json", "ops"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(names[i]);
    /* Anything else, a temporary file above all, keeps the folder from going. */
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renders),      cmocka_unit_test(renders_to_a_file),
        cmocka_unit_test(renders_much), cmocka_unit_test(reports),
        cmocka_unit_test(helps),        cmocka_unit_test(lints),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

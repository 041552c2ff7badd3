/* test_sweep.c: opgen in one process, with each of its requests for memory refused in turn, and each of its changes of
 * the disk.
 *
 * Whatever is refused, the run ends with status 2 and says that memory was the reason, standard output and the file
 * stay empty, and the next run works. A folder of generated files is never in a state that the next run does not
 * understand. The sanitizer under which this is built sees what would leak.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_temp.h"
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
    SWEEP(STATUS_DONE, "less    map  x  the half\ntwice   map  x  the double\ntwice_  map  x  twice, in place\n", "",
          "list", "ops", "-I", "ops");
    SWEEP(STATUS_CANNOT, "", "", "show", "op", "twcie", "-I", "ops");
}

/* ---- generate */
static void looks_at_models(void **state) {
    (void)state;
    SWEEP(STATUS_DONE, "model net\ndim n 1..9\ninput x f32(n,)\ny f32(n,) = twice(x=x)\noutput y\n", "", "graph",
          "net.json", "-I", "ops");
}

static bool has_temporaries(const char *path) {
    DIR *dir = opendir(path);
    bool found = false;
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
        found = found || strncmp(entry->d_name, FILE_TEMP_PREFIX, strlen(FILE_TEMP_PREFIX)) == 0;
    if (dir != NULL) closedir(dir);
    return found;
}

/* Runs generate with nth(n) for n from 1 on, until nothing is refused any more; `why` is then in the message. Between
 * two refusals the folder goes from one of two models to the other, or stays missing. */
static void sweep_generate(void (*nth)(uint64_t), const char *why, bool anew) {
    char *one[] = {"opgen", "generate", "net.json", "-o",      "gen",   "-I",
                   "ops",   "--prune",  "-MD",      "--stamp", "stamp", NULL};
    char *other[] = {"opgen", "generate", "other.json", "-o", "gen", "-I", "ops", "--prune", NULL};
    char *check[] = {"opgen", "check", "net.json", "-o", "gen", "-I", "ops", NULL};
    char *check_other[] = {"opgen", "check", "other.json", "-o", "gen", "-I", "ops", NULL};
    char text[4096];
    int status = STATUS_CANNOT;
    for (uint64_t n = 1; status != STATUS_DONE; n++) {
        remove("stamp");
        remove("gen/net.d");
        assert_int_equal(anew ? system("rm -rf gen") : run(other), 0);
        nth(n);
        status = run(one);
        nth(0);
        assert_string_equal(get("out", text), "");
        if (status != STATUS_DONE) {
            assert_int_equal(status, STATUS_CANNOT);
            assert_non_null(strstr(get("err", text), why));
            assert_int_equal(access("stamp", F_OK), -1); /* which says that all is done */
        }
        assert_false(has_temporaries("gen/net") || has_temporaries("gen") || has_temporaries("."));
        /* What is there now is known to the next run, of either model; that of the other one comes anyway. */
        if (!anew && n % 8 != 0) continue;
        assert_int_equal(run(n % 2 == 0 ? one : other), STATUS_DONE);
        assert_int_equal(run(n % 2 == 0 ? check : check_other), STATUS_DONE);
    }
    assert_int_equal(system("rm -r gen stamp"), 0);
}

static void generates_without_memory(void **state) {
    (void)state;
    sweep_generate(mem_fail_at, "memory", false);
}

static void generates_on_a_broken_disk(void **state) {
    (void)state;
    sweep_generate(file_fail_at, "cannot write", true);
    sweep_generate(file_fail_at, "cannot ", false);
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
    char runtime[PATH_MAX], templates[PATH_MAX];
    if (realpath("runtime", runtime) == NULL || realpath("templates", templates) == NULL) return -1;
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
    put("net.json", "{\"opgen\": 1, \"name\": \"net\", \"dims\": {\"n\": {\"max\": 9}},"
                    " \"inputs\": {\"x\": {\"dtype\": \"f32\", \"shape\": [\"n\"]}},"
                    " \"nodes\": [{\"op\": \"twice\", \"in\": \"x\", \"out\": \"y\"}], \"outputs\": [\"y\"]}");
    put("other.json", "{\"opgen\": 1, \"name\": \"net\", \"dims\": {\"n\": {\"max\": 9}},"
                      " \"inputs\": {\"x\": {\"dtype\": \"f32\", \"shape\": [\"n\"]}},"
                      " \"nodes\": [{\"op\": \"less\", \"in\": \"x\", \"out\": \"y\"}], \"outputs\": [\"y\"]}");
    put("ops/less.json",
        "{\"op\": \"less\", \"doc\": \"the half\", \"kind\": \"map\", \"inputs\": [\"x\"], \"expr\": \"x / 2\"}");
    /* Not opgen's own operators: each of them would be read as often as requests are refused. */
    if (mkdir("data", 0777) != 0 || symlink(runtime, "data/runtime") != 0 || symlink(templates, "data/templates") != 0)
        return -1;
    return setenv("OPGEN_DATA", "data", 1);
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {
        "good.j2",       "part.j2", "data.json", "bad.j2",     "bad.json",     "undefined.j2",
        "much.j2",       "out",     "err",       "file",       "wrong.json",   "ops/twice.json",
        "ops/less.json", "ops",     "net.json",  "other.json", "data/runtime", "data/templates",
        "data"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(names[i]);
    /* Anything else, a temporary file above all, keeps the folder from going. */
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renders),
        cmocka_unit_test(renders_to_a_file),
        cmocka_unit_test(renders_much),
        cmocka_unit_test(reports),
        cmocka_unit_test(helps),
        cmocka_unit_test(lints),
        cmocka_unit_test(looks_at_models),
        cmocka_unit_test(generates_without_memory),
        cmocka_unit_test(generates_on_a_broken_disk),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

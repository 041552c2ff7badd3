/* output_case.h: a folder to generate into, and short ways to say what is in it; for tests/emit. */
#ifndef OPGEN_TESTS_OUTPUT_CASE_H
#define OPGEN_TESTS_OUTPUT_CASE_H

#include "emit/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* Each test runs in an empty folder of its own, as its working directory. */
static Arena arena;
static Diags diags;
static FileSet set;
static char work[] = "/tmp/opgen-test-XXXXXX";

static inline int enter(void **state) {
    (void)state;
    memcpy(work + sizeof work - 7, "XXXXXX", 6);
    arena_init(&arena);
    diags_init(&diags, &arena);
    fileset_init(&set, &arena);
    umask(022);
    return mkdtemp(work) == NULL || chdir(work) != 0 || chmod(".", 0755) != 0;
}

static inline void shell(const char *command) { assert_int_equal(system(command), 0); }

static inline int leave(void **state) {
    (void)state;
    mem_fail_at(0);
    arena_free(&arena);
    char command[100];
    snprintf(command, sizeof command, "umount -q %s/full 2>/dev/null; rm -rf %s", work, work);
    return chdir("/") != 0 || system(command) != 0;
}

static inline void put(const char *path, Str bytes) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(file_write_all(fd, bytes), 0);
    close(fd);
}

static inline Str get(const char *path) {
    Str got = S("");
    Diags found;
    diags_init(&found, &arena);
    if (!file_read(&arena, str_c(path), span(NULL, 0, 0), &found, &got)) return S("(none)");
    return got;
}

static inline void assert_text(Str got, const char *want) { assert_string_equal(str_to_c(&arena, got), want); }
static inline void assert_bytes(const char *path, const char *want) { assert_text(get(path), want); }
static inline bool exists(const char *path) { return access(path, F_OK) == 0; }

/* Names in a folder, hidden ones too. */
static inline int count_entries(const char *path) {
    DIR *dir = opendir(path);
    assert_non_null(dir);
    int n = 0;
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n - 2;
}

static inline void assert_said(const char *want) {
    Buf out;
    buf_init(&out, &arena);
    diags_render(&diags, DIAG_TEXT, false, &out);
    assert_text(buf_str(&out), want);
    diags_init(&diags, &arena);
}

static inline void new_set(void) { fileset_init(&set, &arena); }
static inline void add(const char *path, const char *bytes) {
    assert_true(fileset_add(&set, str_c(path), str_c(bytes)));
}

/* ---- the commands on the set, into out/ */
static inline Output output(void) {
    static const OutputInput input = {{"model.json", 10}, {"model.json", 10}, {"", 0}};
    static OutputInput hashed;
    hashed = input;
    hashed.sha256 = S("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    static const OutputSection section = {{"calls", 5}, {"3", 1}};
    return (Output){S("out"), &set, &hashed, 1, &section, 1};
}

static OutputResult result;

static inline bool generate_with(OutputOptions options) {
    Output it = output();
    return output_generate(&arena, &it, 1, &options, &diags, &result);
}
static inline bool generate(void) { return generate_with((OutputOptions){0}); }
static inline bool force(void) { return generate_with((OutputOptions){.force = true}); }
static inline bool prune(void) { return generate_with((OutputOptions){.prune = true}); }

/* Nothing to be done, nothing to be said, and nothing in the folder but what belongs there. */
static inline void assert_generated(uint32_t written, uint32_t removed) {
    assert_int_equal(result.written, written);
    assert_int_equal(result.removed, removed);
    assert_said("");
}

static bool fresh;
static inline Str check_with(bool diff, bool can) {
    Output it = output();
    Buf report;
    buf_init(&report, &arena);
    assert_int_equal(output_check(&arena, &it, 1, diff, &diags, &report, &fresh), can);
    return buf_str(&report);
}
static inline void assert_check(const char *want) {
    assert_text(check_with(false, true), want);
    assert_int_equal(fresh, *want == '\0');
    assert_said("");
}

#endif

/* ahead.c: what compilers read of <immintrin.h>, 90000 lines and half of gcc's time for a kernel of functions, read
 * once for all sources with the same options: gcc and clang keep what they made of a header, and begin with that. The
 * object is the same, byte for byte (tests/command/test_cc.py); where there would be something else in it, debug
 * information, nothing is done here. What is kept lies in the folder OPGEN_TEST_SHARED, which is gone at the end of the
 * tests.
 */
#include "remember.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Options that say nothing of what is in a header of the compiler's own: how many of the words they are. */
static int not_asked(const char *word) {
    static const char *const with_value[] = {"-o", "-MF", "-MT", "-MQ", "-I", "-L", "-l"};
    for (size_t i = 0; i < sizeof with_value / sizeof *with_value; i++)
        if (strcmp(word, with_value[i]) == 0) return 2;
    static const char *const begins[] = {"-M", "-I", "-L", "-l", "-W", "-DOPGEN_", "-fopt-info"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(word, begins[i], strlen(begins[i])) == 0) return 1;
    return strcmp(word, "-c") == 0 || strcmp(word, "-S") == 0 || strcmp(word, "-shared") == 0 ||
           strcmp(word, "-fsyntax-only") == 0;
}

static bool is_called(const Command *command, const char *name) {
    const char *base = strrchr(command->compiler, '/');
    return base != NULL && strcmp(base + 1, name) == 0;
}

/* One C source that names no standard of the C library before it includes anything, and wants rules of its own files at
 * most. */
bool ahead_fits(const Command *command) {
    /* clang's rules would have the header in them. */
    if ((!is_called(command, "gcc") && (!is_called(command, "clang") || command->rules.n > 0)) ||
        getenv("OPGEN_TEST_SHARED") == NULL || command->debug || command->language || command->sources.n != 1 ||
        command->inputs.n > 0 || !str_ends(command->sources.items[0], S(".c")))
        return false;
    for (int i = 1; i < command->argc; i++)
        if (command->argv[i][0] == '@' || strcmp(command->argv[i], "-MD") == 0 ||
            strcmp(command->argv[i], "-include") == 0)
            return false;
    Str text;
    return file_bytes(command->arena, str_to_c(command->arena, command->sources.items[0]), &text) &&
           str_find(text, S("_SOURCE")) == STR_NONE;
}

/* The header, once: whoever comes later finds the same file, with the times that clang looks at. */
static bool write_header(Arena *arena, const char *header) {
    const char *new = path_of(arena, "%s.%d", header, (int)getpid());
    bool good = write_file(new, S("#include <immintrin.h>\n"), 0666) && (link(new, header) == 0 || errno == EEXIST);
    unlink(new);
    return good;
}

bool ahead_of(const Command *command, Str read, const char *words[2]) {
    Arena *arena = command->arena;
    const char *shared = getenv("OPGEN_TEST_SHARED");
    if (shared == NULL || str_find(read, S("/immintrin.h")) == STR_NONE) return false;
    VEC(char *) argv = {0};
    Sha256 sha;
    sha256_init(&sha);
    for (int i = 0; i < command->argc; i++) {
        char *word = command->argv[i];
        int skipped = not_asked(word);
        if (skipped > 0 || str_eq(str_c(word), command->sources.items[0])) {
            i += skipped == 2;
            continue;
        }
        *VEC_PUSH(arena, &argv) = word;
        sha256_add(&sha, str(word, strlen(word) + 1));
    }
    char digits[SHA256_DIGITS];
    sha256_end(&sha, digits);
    const char *folder = path_of(arena, "%s/ahead", shared);
    mkdir(folder, 0777);
    folder = path_of(arena, "%s/%S", folder, str(digits, 16));
    mkdir(folder, 0777);
    /* gcc is told of the header, and finds beside it what it made of that; clang is told of what it made. */
    const bool gcc = is_called(command, "gcc");
    const char *header = path_of(arena, "%s/intrinsics.h", folder);
    const char *made = path_of(arena, gcc ? "%s.gch" : "%s.pch", header);
    words[0] = gcc ? "-include" : "-include-pch", words[1] = gcc ? header : made;
    struct stat state;
    if (stat(made, &state) == 0) return true;
    if (!write_header(arena, header)) return false;
    const char *new = path_of(arena, "%s.%d", made, (int)getpid());
    const char *more[] = {"-x", "c-header", header, "-o", new};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        *VEC_PUSH(arena, &argv) = (char *)(uintptr_t)more[i];
    *VEC_PUSH(arena, &argv) = NULL;
    Result result;
    bool good = call(arena, argv.items, &result) && result.status == 0 && rename(new, made) == 0;
    unlink(new);
    return good;
}

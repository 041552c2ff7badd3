/* identity.c: what a compiler is: what it says of its version, and the programs and libraries that take part.
 *
 * Reading all of them takes longer than compiling something small, so it is written down together with the state of
 * each, and done again when one of them changes. */
#include "remember.h"

#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

Str state_of(Arena *arena, const char *path) {
    struct stat state;
    if (stat(path, &state) != 0) return (Str){NULL, 0};
    return str_format(arena, "%lld:%lld.%09ld:%lld.%09ld:%llu", (long long)state.st_size,
                      (long long)state.st_mtim.tv_sec, state.st_mtim.tv_nsec, (long long)state.st_ctim.tv_sec,
                      state.st_ctim.tv_nsec, (unsigned long long)state.st_ino);
}

static Str said_by(Arena *arena, const char *program, const char *argument) {
    char *argv[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)argument, NULL};
    Result result;
    if (!call(arena, argv, &result) || result.status != 0) return (Str){NULL, 0};
    return result.out;
}

/* Files that take part: their states, and what is in them. */
typedef struct Identity {
    Buf states;
    Sha256 sha;
} Identity;

static void add_file(Identity *identity, Str path) {
    Arena *arena = identity->states.arena;
    path = str_trim(path);
    if (path.n == 0 || path.p[0] != '/') return;
    const char *name = str_to_c(arena, path);
    Str state = state_of(arena, name), bytes;
    if (state.n == 0 || !file_bytes(arena, name, &bytes)) return;
    buf_format(&identity->states, "%S %S\n", state, path);
    sha256_add(&identity->sha, bytes);
}

static void add_folder(Identity *identity, const char *folder) {
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.')
            add_file(identity, str_format(identity->states.arena, "%s/%s", folder, entry->d_name));
    if (dir != NULL) closedir(dir);
}

/* A program and the libraries that it is linked with. */
static void add_program(Identity *identity, Str path) {
    Arena *arena = identity->states.arena;
    add_file(identity, path);
    Str left = said_by(arena, "/usr/bin/ldd", str_to_c(arena, path));
    while (left.n > 0) {
        size_t end = str_find_char(left, '\n');
        Str line = str_sub(left, 0, end == STR_NONE ? left.n : end);
        left = str_sub(left, line.n < left.n ? line.n + 1 : line.n, left.n);
        size_t from = str_find_char(line, '/'), to = str_find(line, S(" ("));
        if (from != STR_NONE && to != STR_NONE && from < to) add_file(identity, str_sub(line, from, to));
    }
}

/* The programs that it calls, as it names them. */
static void add_called(Identity *identity, const char *compiler) {
    static const char *const names[] = {"cc1", "cc1plus", "as", "ld", "collect2", "liblto_plugin.so"};
    Arena *arena = identity->states.arena;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Str said = str_trim(said_by(arena, compiler, path_of(arena, "-print-prog-name=%s", names[i])));
        if (said.n > 0 && said.p[0] != '/') said = str_format(arena, "/usr/bin/%S", said);
        if (said.n > 0 && access(str_to_c(arena, said), R_OK) == 0) add_program(identity, said);
    }
}

/* nvcc: what lies beside it, and the compiler of the host. */
static void add_cuda(Identity *identity, const char *compiler) {
    Arena *arena = identity->states.arena;
    const char *folder = str_to_c(arena, str_sub(str_c(compiler), 0, (size_t)(strrchr(compiler, '/') - compiler)));
    add_folder(identity, folder);
    add_folder(identity, path_of(arena, "%s/../nvvm/bin", folder));
    add_folder(identity, path_of(arena, "%s/../nvvm/libdevice", folder));
    static const char *const hosts[] = {"/usr/bin/gcc", "/usr/bin/g++"};
    for (size_t i = 0; i < 2; i++) {
        if (access(hosts[i], X_OK) != 0) continue;
        add_program(identity, str_c(hosts[i]));
        add_called(identity, hosts[i]);
    }
}

/* hipcc: whichever of the compilers it calls, and with which files of any package. */
static void add_hip(Identity *identity) {
    static const char *const patterns[] = {"/usr/lib/llvm-*/bin/clang", "/opt/rocm*/llvm/bin/clang", "/opt/rocm*/bin/*",
                                           "/usr/bin/hipconfig", "/var/lib/dpkg/status"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        if (glob(patterns[i], 0, NULL, &found) != 0) continue;
        for (size_t k = 0; k < found.gl_pathc; k++)
            add_program(identity, str_c(found.gl_pathv[k]));
        globfree(&found);
    }
}

/* Lines of state and path. */
static bool states_same(Arena *arena, Str text) {
    while (text.n > 0) {
        size_t end = str_find_char(text, '\n'), space = str_find_char(text, ' ');
        if (end == STR_NONE || space == STR_NONE || space > end) return false;
        Str state = state_of(arena, str_to_c(arena, str_sub(text, space + 1, end)));
        if (!str_eq(state, str_sub(text, 0, space))) return false;
        text = str_sub(text, end + 1, text.n);
    }
    return true;
}

Str identity_of(const Command *command, Str top) {
    Arena *arena = command->arena;
    const char *compiler = command->compiler;
    char *real = realpath(compiler, NULL);
    if (real == NULL) return (Str){NULL, 0};
    const char *program = str_to_c(arena, str_c(real));
    free(real);
    const char *memo = path_of(arena, "%S/identity-%S", top, str_sub(sha256_of(arena, str_c(program)), 0, 16));
    Str known;
    if (file_bytes(arena, memo, &known) && known.n > SHA256_DIGITS + 1 &&
        states_same(arena, str_sub(known, SHA256_DIGITS + 1, known.n)))
        return str_sub(known, 0, SHA256_DIGITS);
    Str version = said_by(arena, compiler, "--version");
    if (version.n == 0) return version;
    Identity identity;
    buf_init(&identity.states, arena);
    sha256_init(&identity.sha);
    sha256_add(&identity.sha, version);
    add_program(&identity, str_c(program));
    add_called(&identity, compiler);
    if (command->cuda) add_cuda(&identity, program);
    if (command->hip) add_hip(&identity);
    char digits[SHA256_DIGITS];
    sha256_end(&identity.sha, digits);
    Str text = str_format(arena, "%S\n%S", str(digits, SHA256_DIGITS), buf_str(&identity.states));
    mkdir(str_to_c(arena, top), 0777);
    const char *new = path_of(arena, "%s.%d", memo, (int)getpid());
    if (!write_file(new, text, 0666) || rename(new, memo) != 0) unlink(new);
    return str_sub(text, 0, SHA256_DIGITS);
}

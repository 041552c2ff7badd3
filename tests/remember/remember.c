/* remember.c: a compiler that remembers what it made.
 *
 *     remember gcc -O2 -c -o kernel.o kernel.c     in the place of gcc
 *     gcc -O2 -c -o kernel.o kernel.c              the same, where `gcc` is a link to this program, first on PATH
 *     remember --clean                             throws away what is old
 *
 * What is tested is what the code does: it is run each time. Only the way from the same sources to the same object is
 * not gone again. The same are: every byte of every file that the compiler and the linker read, that no file came to be
 * which they would have read instead, every argument but the name after -o, the bytes of the compiler and of what it
 * calls, the variables that they obey, the folder if it is written into what is made (-g), and for -march=native the
 * processor. Files below /usr may be told by their times and inode, all others are read. Only what succeeded is kept,
 * and what the compiler said is said again. What is not understood here is left to the compiler. What is made anew may
 * begin with a header that the compiler has read before (ahead.c).
 *
 * Results lie in the folder test-cache beside the folder of this program; OPGEN_TEST_CACHE names another one, or is
 * `off`. OPGEN_TEST_CACHE_LOG names a file to which each call is added: `hit`, `miss` or `none`, the milliseconds of
 * the processor that a miss took, the folder, the call.
 */
#include "remember.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile pid_t child;

static void pass_on(int number) {
    if (child > 0) kill(child, number);
}

/* ---- calls */

static void drain(Arena *arena, const int from[2], Result *result) {
    Buf said[2];
    struct pollfd wait[2];
    int open = 2;
    for (int i = 0; i < 2; i++) {
        buf_init(&said[i], arena);
        wait[i] = (struct pollfd){from[i], POLLIN, 0};
    }
    while (open > 0) {
        if (poll(wait, 2, -1) < 0) continue; /* a signal */
        for (int i = 0; i < 2; i++) {
            if (wait[i].fd < 0 || wait[i].revents == 0) continue;
            ssize_t n = read(wait[i].fd, buf_room(&said[i], 4096), 4096);
            if (n > 0) said[i].n += (size_t)n;
            if (n == 0 || (n < 0 && errno != EINTR)) {
                close(wait[i].fd);
                wait[i].fd = -1;
                open--;
            }
        }
    }
    result->out = buf_str(&said[0]);
    result->err = buf_str(&said[1]);
}

bool call(Arena *arena, char **argv, Result *result) {
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0) return false;
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]), close(out[1]);
        return false;
    }
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(out[1], 1);
        dup2(err[1], 2);
        execv(argv[0], argv);
        _exit(127);
    }
    close(out[1]);
    close(err[1]);
    if (child < 0) {
        close(out[0]), close(err[0]);
        return false;
    }
    drain(arena, (int[2]){out[0], err[0]}, result);
    while (waitpid(child, &result->status, 0) < 0 && errno == EINTR)
        continue;
    child = 0;
    return true;
}

static void say(const Result *result) {
    for (int i = 0; i < 2; i++) {
        Str text = i == 0 ? result->out : result->err;
        while (text.n > 0) {
            ssize_t n = write(1 + i, text.p, text.n);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) break;
            text = str_sub(text, (size_t)n, text.n);
        }
    }
}

static int ended(const Result *result) {
    say(result);
    if (WIFEXITED(result->status)) return WEXITSTATUS(result->status);
    signal(WTERMSIG(result->status), SIG_DFL);
    raise(WTERMSIG(result->status));
    return 1;
}

/* ---- the compiler that is meant */

static bool is_this(const char *path) {
    struct stat own, other;
    return stat("/proc/self/exe", &own) == 0 && stat(path, &other) == 0 && own.st_ino == other.st_ino &&
           own.st_dev == other.st_dev;
}

/* The first in some folders that is not this program. NULL if there is none. */
static const char *search(Arena *arena, Str folders, const char *name) {
    while (folders.p != NULL) {
        size_t end = str_find_char(folders, ':');
        Str folder = end == STR_NONE ? folders : str_sub(folders, 0, end);
        folders = end == STR_NONE ? (Str){NULL, 0} : str_sub(folders, end + 1, folders.n);
        const char *path = path_of(arena, "%S/%s", folder.n == 0 ? S(".") : folder, name);
        struct stat state;
        if (stat(path, &state) == 0 && S_ISREG(state.st_mode) && access(path, X_OK) == 0 && !is_this(path)) return path;
    }
    return NULL;
}

/* By PATH; who links a compiler into a folder of his own and has nothing else on PATH gets the system's. */
static const char *find_compiler(Arena *arena, const char *name) {
    if (strchr(name, '/') != NULL && !is_this(name)) return name;
    const char *base = strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
    const char *path = getenv("PATH"), *found = path != NULL ? search(arena, str_c(path), base) : NULL;
    return found != NULL ? found : search(arena, S("/usr/local/bin:/usr/bin:/bin"), base);
}

static Str cache_folder(Arena *arena) {
    const char *named = getenv("OPGEN_TEST_CACHE");
    if (named != NULL && *named != '\0') return strcmp(named, "off") == 0 ? (Str){NULL, 0} : str_c(named);
    char own[4096];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own);
    for (int up = 0; up < 2 && n > 0; up++)
        while (n > 0 && own[--n] != '/')
            continue;
    return n > 0 ? str_format(arena, "%S/test-cache", str(own, (size_t)n)) : (Str){NULL, 0};
}

/* With what those it has waited for took so far: the compiler, and what that called. */
static void log_call(const Command *command, const char *what) {
    const char *path = getenv("OPGEN_TEST_CACHE_LOG");
    if (path == NULL) return;
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    int64_t took =
        (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
    Buf line;
    buf_init(&line, command->arena);
    char folder[4096];
    buf_format(&line, "%s\t%d\t%s\t%s", what, (int)took, getcwd(folder, sizeof folder) != NULL ? folder : "?",
               command->compiler);
    for (int i = 1; i < command->argc; i++)
        buf_format(&line, " %s", command->argv[i]);
    buf_char(&line, '\n');
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return;
    if (write(fd, line.p, line.n) < 0) fprintf(stderr, "%s: %s\n", path, strerror(errno));
    close(fd);
}

/* ---- the key */

/* What compilers, linkers and what they call read from the environment. */
static const char *const variables[] = {
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "LD_RUN_PATH",
    "LD_LIBRARY_PATH",
    "GCC_EXEC_PREFIX",
    "LDEMULATION",
    "SOURCE_DATE_EPOCH",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "GCC_COLORS",
    "GNUTARGET",
    "LD_OPTIONS",
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
    "COLLECT_NAMES",
    "LD_BIND_NOW",
    "ASAN_OPTIONS",
    "CUDA_INC_PATH",
    "HIP_PATH",
    "ROCM_PATH",
    "HIP_CLANG_PATH",
    "DEVICE_LIB_PATH",
    "HIP_DEVICE_LIB_PATH",
    "HIP_PLATFORM",
    "HIP_COMPILER",
    "HIP_RUNTIME",
    "CUDA_PATH",
    "HIPCC_COMPILE_FLAGS_APPEND",
    "HIPCC_LINK_FLAGS_APPEND",
    "MACOSX_DEPLOYMENT_TARGET",
};
/* What makes a compiler do or write something that is not seen here. */
static const char *const refused[] = {"LD_PRELOAD",        "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES",
                                      "CC_PRINT_HEADERS",  "CC_PRINT_OPTIONS",    "CCC_OVERRIDE_OPTIONS",
                                      "GCC_COMPARE_DEBUG", "CCC_ADD_ARGS"};

static void add(Sha256 *sha, Str text) {
    uint64_t n = text.n;
    sha256_add(sha, str((const char *)&n, sizeof n));
    sha256_add(sha, text);
}

static bool add_files(Sha256 *sha, Arena *arena, const Strs *files) {
    for (uint32_t i = 0; i < files->n; i++) {
        Str digest = digest_of(arena, str_to_c(arena, files->items[i]));
        if (digest.n == 0) return false;
        add(sha, digest);
    }
    return true;
}

/* Where what was made is kept; empty if it is not. */
static Str place_of(const Command *command, Str top) {
    Arena *arena = command->arena;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (getenv(refused[i]) != NULL) return (Str){NULL, 0};
    Sha256 sha;
    sha256_init(&sha);
    Str identity = identity_of(command, top);
    if (identity.n == 0) return identity;
    add(&sha, identity);
    add(&sha, str_c(command->compiler)); /* clang++ is the same file as clang */
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        add(&sha, str_c(getenv(variables[i]) != NULL ? getenv(variables[i]) : "-"));
    for (uint32_t i = 0; i < command->words.n; i++)
        /* What is written is the same under any name, but for rules that have it as their target. */
        if (i == 0 || command->rules.n > 0 || !str_eq(command->words.items[i - 1], S("-o")))
            add(&sha, command->words.items[i]);
    if (!add_files(&sha, arena, &command->sources) || !add_files(&sha, arena, &command->inputs)) return (Str){NULL, 0};
    char folder[4096];
    if (command->debug) add(&sha, str_c(getcwd(folder, sizeof folder) != NULL ? folder : "?"));
    Str processor = {"", 0};
    if (command->native && !file_bytes(arena, "/proc/cpuinfo", &processor)) return (Str){NULL, 0};
    while (processor.n > 0) { /* but not how fast it is just now */
        size_t end = str_find_char(processor, '\n');
        Str line = str_sub(processor, 0, end == STR_NONE ? processor.n : end);
        processor = str_sub(processor, line.n < processor.n ? line.n + 1 : line.n, processor.n);
        if (line.n == 0) break;
        if (str_starts(line, S("model")) || str_starts(line, S("cpu family")) || str_starts(line, S("vendor")) ||
            str_starts(line, S("flags")) || str_starts(line, S("stepping")) || str_starts(line, S("CPU ")) ||
            str_starts(line, S("Features")))
            add(&sha, line);
    }
    char digits[SHA256_DIGITS];
    sha256_end(&sha, digits);
    return str_format(arena, "%S/%S/%S", top, str(digits, 2), str(digits, SHA256_DIGITS));
}

/* ---- making it */

static bool is_about_rules(const char *word) {
    return strncmp(word, "-M", 2) == 0 && strcmp(word, "-MF") != 0 && strcmp(word, "-MT") != 0 &&
           strcmp(word, "-MQ") != 0;
}

/* What the sources include, asked for by itself: several sources, or rules that somebody else wants. */
static Str ask_what_is_read(const Command *command) {
    VEC(char *) argv = {0};
    for (int i = 0; i < command->argc; i++) {
        const char *word = command->argv[i];
        if (strcmp(word, "-o") == 0 || strcmp(word, "-MF") == 0 || strcmp(word, "-MT") == 0 || strcmp(word, "-MQ") == 0)
            i++;
        else if (!is_about_rules(word) && strcmp(word, "-c") != 0 && strcmp(word, "-S") != 0 &&
                 strcmp(word, "-fsyntax-only") != 0)
            *VEC_PUSH(command->arena, &argv) = command->argv[i];
    }
    *VEC_PUSH(command->arena, &argv) = (char *)(uintptr_t) "-M";
    *VEC_PUSH(command->arena, &argv) = NULL;
    Result result;
    if (!call(command->arena, argv.items, &result) || result.status != 0) return (Str){NULL, 0};
    return result.out;
}

static Str read_and_remove(Arena *arena, const char *path) {
    Str text;
    bool there = file_bytes(arena, path, &text);
    unlink(path);
    return there ? text : (Str){NULL, 0};
}

/* Runs the compiler, and keeps what it made. */
static int make(const Command *command, Str place) {
    Arena *arena = command->arena;
    const char *base = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    const char *read = path_of(arena, "%s/remember-%d.read", base, (int)getpid());
    const char *linked = path_of(arena, "%s/remember-%d.linked", base, (int)getpid());
    bool along = command->sources.n == 1 && command->rules.n == 0;
    VEC(char *) argv = {0};
    for (int i = 0; i < command->argc; i++)
        *VEC_PUSH(arena, &argv) = command->argv[i];
    /* What it reads has to be known before, without the header that takes the place of some of it. */
    Str asked = ahead_fits(command) ? ask_what_is_read(command) : S("");
    const char *ahead[2];
    if (ahead_of(command, asked, ahead)) {
        for (int i = 0; i < 2; i++)
            *VEC_PUSH(arena, &argv) = (char *)(uintptr_t)ahead[i];
        along = false;
    }
    const char *more[] = {"-MD", "-MF", read, "-MT", "x"};
    for (size_t i = 0; i < 5 && along; i++)
        *VEC_PUSH(arena, &argv) = (char *)(uintptr_t)more[i];
    if (command->links) *VEC_PUSH(arena, &argv) = (char *)(uintptr_t)path_of(arena, "-Wl,--dependency-file=%s", linked);
    *VEC_PUSH(arena, &argv) = NULL;
    struct timespec since;
    clock_gettime(CLOCK_REALTIME, &since);
    Result result;
    if (!call(arena, argv.items, &result)) {
        execv(command->compiler, command->argv);
        return 127;
    }
    Str rules = read_and_remove(arena, read), libraries = read_and_remove(arena, linked);
    if (result.status != 0) { /* it may have been our arguments */
        log_call(command, "miss");
        if (WIFEXITED(result.status)) execv(command->compiler, command->argv);
        return ended(&result);
    }
    if (command->sources.n > 0 && rules.n == 0) rules = asked.n > 0 ? asked : ask_what_is_read(command);
    if ((command->sources.n == 0 || rules.n > 0) && (!command->links || libraries.n > 0)) {
        Str parts = parts_text(command, rules, libraries, since);
        if (parts.n > 0 && str_eq(place, place_of(command, str_sub(place, 0, place.n - SHA256_DIGITS - 4))))
            kept_add(command, place, parts, &result);
    }
    log_call(command, "miss");
    return ended(&result);
}

int main(int argc, char **argv) {
    static Arena arena;
    arena_init(&arena);
    Command command = {.arena = &arena};
    const char *base = strrchr(argv[0], '/') != NULL ? strrchr(argv[0], '/') + 1 : argv[0];
    Str top = cache_folder(&arena);
    bool named = strcmp(base, "remember") == 0;
    if (named && argc == 2 && strcmp(argv[1], "--clean") == 0) {
        if (top.n > 0) kept_clean(&arena, top);
        return 0;
    }
    if (named && argc < 2) {
        fprintf(stderr, "usage: remember COMPILER ARGUMENT...\n       remember --clean\n");
        return 2;
    }
    const char *name = named ? argv[1] : argv[0];
    command.compiler = find_compiler(&arena, name);
    if (command.compiler == NULL) {
        fprintf(stderr, "%s: there is no such program\n", name);
        return 127;
    }
    command.argv = argv + (named ? 1 : 0);
    command.argc = argc - (named ? 1 : 0);
    command.argv[0] = (char *)(uintptr_t)command.compiler;
    Str place = top.n > 0 && command_read(&command) ? place_of(&command, top) : (Str){NULL, 0};
    Result result;
    if (place.n == 0) {
        log_call(&command, "none");
        execv(command.compiler, command.argv);
        fprintf(stderr, "%s: %s\n", command.compiler, strerror(errno));
        return 127;
    }
    struct sigaction action = {.sa_handler = pass_on};
    for (int i = 0; i < 3; i++)
        sigaction((int[]){SIGINT, SIGTERM, SIGHUP}[i], &action, NULL);
    if (kept_take(&command, place, &result)) {
        log_call(&command, "hit");
        return ended(&result);
    }
    return make(&command, place);
}

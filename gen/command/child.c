/* child.c: running another program to its end and keeping what it says.
 *
 * The pipe is read until the program is gone, not until the pipe is closed: a compiler's cache may leave a server
 * behind that keeps it open for hours.
 */
#include "command/child.h"

#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Ours, but for what a make above us tells its own makes, and with messages in the language that we read. */
static char **environment(Arena *arena) {
    static const char *const left_out[] = {
        "MAKEFLAGS=", "MFLAGS=", "MAKELEVEL=", "MAKEOVERRIDES=", "LC_ALL=", "LANGUAGE="};
    size_t n = 0, kept = 0;
    while (environ != NULL && environ[n] != NULL)
        n++;
    char **all = ARENA_ARRAY(arena, char *, n + 2);
    for (size_t i = 0; i < n; i++) {
        bool keep = true;
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
            keep = keep && strncmp(environ[i], left_out[k], strlen(left_out[k])) != 0;
        if (keep) all[kept++] = environ[i];
    }
    static char language[] = "LC_ALL=C.UTF-8";
    all[kept] = language;
    return all;
}

/* 0 or an errno. The signals that end us are held back until it is known whom they have to end as well. */
static int start(const Child *child, char **env, int output, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t how;
    sigset_t ending, before, usual;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawnattr_init(&how);
    if (error == 0) {
        sigprocmask(SIG_BLOCK, &ending, &before);
        posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        posix_spawnattr_setpgroup(&how, 0);
        posix_spawnattr_setsigdefault(&how, &usual);
        posix_spawnattr_setsigmask(&how, &before);
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        for (int fd = STDOUT_FILENO; error == 0 && fd <= STDERR_FILENO; fd++)
            error = posix_spawn_file_actions_adddup2(&actions, output, fd);
        /* The arguments are only read; the declaration is older than const. */
        if (error == 0)
            error =
                posix_spawnp(pid, child->arguments[0], &actions, &how, (char *const *)(uintptr_t)child->arguments, env);
        if (error == 0) process_child(*pid);
        sigprocmask(SIG_SETMASK, &before, NULL);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Those of the text that are complete and were not told yet; at the end, what is left. */
static void tell_lines(const Child *child, Str text, size_t *told, bool end) {
    while (child->line != NULL && *told < text.n) {
        Str rest = str_sub(text, *told, text.n);
        size_t line = str_find_char(rest, '\n');
        if (line == STR_NONE && !end) return;
        *told += line == STR_NONE ? rest.n : line + 1;
        child->line(child->user, line == STR_NONE ? rest : str_sub(rest, 0, line));
    }
}

/* Whether it has ended; *status is then the exit's. */
static bool has_ended(pid_t pid, bool wait, int *status) {
    int how;
    pid_t ended;
    do {
        ended = waitpid(pid, &how, wait ? 0 : WNOHANG);
    } while (ended < 0 && errno == EINTR);
    if (ended == 0) return false;
    *status = ended < 0 ? 127 : WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    return true;
}

static void follow(const Child *child, pid_t pid, int input, Buf *text, ChildEnd *end) {
    enum { TICK_MS = 100, PIECE = 16 << 10 };
    int64_t until = now_ms() + child->wait_ms;
    size_t told = 0;
    bool ended = false, open = true;
    while (open) {
        int ready = poll(&(struct pollfd){.fd = input, .events = POLLIN}, 1, TICK_MS);
        if (ready > 0) {
            ssize_t n = read(input, buf_room(text, PIECE), PIECE);
            if (n > 0) text->n += (size_t)n;
            open = n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
            tell_lines(child, buf_str(text), &told, false);
        } else if (ready == 0) {
            open = !ended; /* it was gone a tick ago, and nothing came since */
            ended = ended || has_ended(pid, false, &end->status);
        }
        if (child->wait_ms > 0 && now_ms() > until && !ended) {
            process_child(0);
            process_end_child(pid, SIGTERM);
            end->late = true;
            end->status = 128 + SIGTERM;
            return;
        }
    }
    tell_lines(child, buf_str(text), &told, true);
    if (!ended) has_ended(pid, true, &end->status);
    process_child(0);
}

ChildEnd child_run(Arena *arena, const Child *child) {
    ChildEnd end = {0};
    Buf text;
    buf_init(&text, arena);
    char **env = environment(arena);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return (ChildEnd){.error = errno};
    pid_t pid = 0;
    end.error = start(child, env, ends[1], &pid);
    close(ends[1]);
    if (end.error != 0) {
        close(ends[0]);
        return end;
    }
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        process_child(0);
        process_end_child(pid, SIGTERM);
        close(ends[0]);
        mem_fail(trap.why, trap.wanted);
    }
    follow(child, pid, ends[0], &text, &end);
    mem_untrap(&trap);
    close(ends[0]);
    end.output = buf_str(&text);
    return end;
}

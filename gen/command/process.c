/* process.c: what opgen sets for its whole process before it starts, and what a signal has to know of a run. */
#include "command/command.h"

#include "command/child.h"
#include "command/constant.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

/* What is to be ended and cleared before a signal ends the process. */
static volatile sig_atomic_t the_child, line_is_drawn;

void process_child(pid_t pid) { the_child = pid; }

void process_line(bool drawn) { line_is_drawn = drawn; }

/* The child's whole group: a make has compilers below it. They are given time to remove what they began; a make tells
 * its own to end and waits for them. */
void process_end_child(pid_t pid, int signal) {
    enum { STEP_MS = 10, WAIT_MS = 3000 };
    kill(-pid, signal);
    for (int waited = 0; waited < WAIT_MS; waited += STEP_MS) {
        pid_t ended = waitpid(pid, NULL, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR)) break;
        nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
    }
    kill(-pid, SIGKILL); /* what of the group is left */
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static void on_interrupt(int signal) {
    file_interrupted();
    if (the_child > 0) process_end_child(the_child, signal == SIGHUP ? SIGTERM : signal);
    constant_interrupted();
    if (line_is_drawn) (void)file_write_all(STDERR_FILENO, S("\r\x1b[K"));
    if (signal == SIGINT) _exit(STATUS_INTERRUPTED);
    /* The others end the process as they would have without us; the handler was reset when it was called. */
    raise(signal);
}

#ifndef SANITIZED
static void on_crash(int signal) {
    (void)signal;
    file_interrupted();
    (void)file_write_all(STDERR_FILENO, S("opgen: this is a bug in opgen: it crashed; no output was kept\n"));
    _exit(STATUS_BUG);
}
#endif

static void handle(int signal, void (*handler)(int), int flags) {
    struct sigaction old, action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    /* What the caller chose to ignore (nohup, a shell's background jobs) stays ignored. */
    if (sigaction(signal, NULL, &old) == 0 && old.sa_handler == SIG_IGN) return;
    sigaction(signal, &action, NULL);
}

/* A standard stream that is closed would be the number of the next file opened, and what is meant for the stream
 * would go there. The null device is opened the wrong way round in its place, so that using it fails. */
static void fill_closed_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) continue;
        if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) return;
    }
}

void process_prepare(void) {
    fill_closed_streams();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is then an error of the write */
    handle(SIGINT, on_interrupt, 0);
    handle(SIGTERM, on_interrupt, (int)SA_RESETHAND);
    handle(SIGHUP, on_interrupt, (int)SA_RESETHAND);
#ifndef SANITIZED
    /* A stack that ran over has no room for the handler, so it gets one of its own. */
    static char stack[32 << 10];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
        handle(crashes[i], on_crash, (int)(SA_RESETHAND | SA_ONSTACK));
    }
#endif
}

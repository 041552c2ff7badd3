/* process.c: what opgen sets for its whole process before it starts. */
#include "command/command.h"

#include "base/file.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

static void on_interrupt(int signal) {
    file_interrupted();
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

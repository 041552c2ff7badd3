/* fail_call.c: preloaded before the C library, lets one call that changes the disk fail; for test_broken_disk.sh.
 *
 * FAIL_AT counts such calls from 1 on, FAIL_ERRNO is what the one that fails gives, and FAIL_LOG a file to which a line
 * is added for it. A write that fails has written half, a close that fails has closed. Standard error is not counted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 4096 };
static bool written[MOST]; /* descriptors that were opened to be written */

static bool fails(const char *call, const char *path) {
    static long calls;
    const char *at = getenv("FAIL_AT"), *log = getenv("FAIL_LOG");
    if (at == NULL || ++calls != atol(at)) return false;
    char line[4200];
    int n = snprintf(line, sizeof line, "%s %s\n", call, path);
    long fd = log == NULL ? -1 : syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0) {
        (void)syscall(SYS_write, fd, line, n);
        (void)syscall(SYS_close, fd);
    }
    errno = getenv("FAIL_ERRNO") != NULL ? atoi(getenv("FAIL_ERRNO")) : EIO;
    return true;
}

static int open_at(int at, const char *path, int flags, mode_t mode) {
    bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
    if (writes && fails("open", path)) return -1;
    int fd = (int)syscall(SYS_openat, at, path, flags, mode);
    if (fd >= 0 && fd < MOST) written[fd] = writes;
    return fd;
}

#define MODE(flags, mode)                                                                                              \
    mode_t mode = 0;                                                                                                   \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                             \
        va_list args;                                                                                                  \
        va_start(args, flags);                                                                                         \
        mode = va_arg(args, mode_t);                                                                                   \
        va_end(args);                                                                                                  \
    }

#undef open
#undef open64
#undef openat
#undef openat64
int open(const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_at(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_at(at, path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t n) {
    if (fd == 2 || !fails("write", "")) return (ssize_t)syscall(SYS_write, fd, bytes, n);
    int error = errno;
    (void)syscall(SYS_write, fd, bytes, n / 2);
    errno = error;
    return -1;
}

int close(int fd) {
    bool counts = fd >= 0 && fd < MOST && written[fd];
    if (counts) written[fd] = false;
    int status = (int)syscall(SYS_close, fd);
    return counts && fails("close", "") ? -1 : status;
}

/* A duplicate is what is closed to see whether the bytes arrived. */
#undef fcntl
#undef fcntl64
static int control(int fd, int what, long value) {
    int result = (int)syscall(SYS_fcntl, fd, what, value);
    if ((what == F_DUPFD || what == F_DUPFD_CLOEXEC) && result >= 0 && result < MOST && fd < MOST) {
        written[result] = written[fd];
        written[fd] = false;
    }
    return result;
}
#define CONTROL                                                                                                        \
    va_list args;                                                                                                      \
    va_start(args, what);                                                                                              \
    long value = va_arg(args, long);                                                                                   \
    va_end(args);                                                                                                      \
    return control(fd, what, value);
int fcntl(int fd, int what, ...) { CONTROL }
int fcntl64(int fd, int what, ...) { CONTROL }

int mkdirat(int at, const char *path, mode_t mode) {
    return fails("mkdir", path) ? -1 : (int)syscall(SYS_mkdirat, at, path, mode);
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int renameat2(int from_at, const char *from, int at, const char *path, unsigned flags) {
    return fails("rename", path) ? -1 : (int)syscall(SYS_renameat2, from_at, from, at, path, flags);
}
int renameat(int from_at, const char *from, int at, const char *path) { return renameat2(from_at, from, at, path, 0); }
int rename(const char *from, const char *path) { return renameat2(AT_FDCWD, from, AT_FDCWD, path, 0); }

int unlinkat(int at, const char *path, int flags) {
    return fails("unlink", path) ? -1 : (int)syscall(SYS_unlinkat, at, path, flags);
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int fchmod(int fd, mode_t mode) { return fails("fchmod", "") ? -1 : (int)syscall(SYS_fchmod, fd, mode); }
int fsync(int fd) { return fails("fsync", "") ? -1 : (int)syscall(SYS_fsync, fd); }
int futimens(int fd, const struct timespec times[2]) {
    return fails("futimens", "") ? -1 : (int)syscall(SYS_utimensat, fd, NULL, times, 0);
}

/* place.c: a file put beside another: the weights beside a library.
 *
 * By a hard link, for weights are large; by a copy where there can be none. Whoever reads the old one sees it whole
 * until the new one has its name. Copies are made by the kernel where it can.
 */
#include "command/command.h"

#include "base/file.h"
#include "base/file_temp.h"
#include "base/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const Span nowhere = {NULL, 0, 0};

/* Whether two open files have the same bytes. */
static bool same_bytes(int a, int b) {
    enum { PIECE = 32 << 10 };
    char x[PIECE], y[PIECE];
    for (off_t at = 0;;) {
        ssize_t n = pread(a, x, sizeof x, at), m;
        if (n < 0) return false;
        if (n == 0) return true;
        for (ssize_t got = 0; got < n; got += m) {
            m = pread(b, y + got, (size_t)(n - got), at + got);
            if (m <= 0) return false;
        }
        if (memcmp(x, y, (size_t)n) != 0) return false;
        at += n;
    }
}

/* Whether `to` has what `from` has: is it, or is as large and has the same bytes. */
static bool is_placed(int from, const struct stat *about, const char *to) {
    struct stat there;
    if (lstat(to, &there) != 0 || !S_ISREG(there.st_mode)) return false;
    if (there.st_dev == about->st_dev && there.st_ino == about->st_ino) return true;
    if (there.st_size != about->st_size) return false;
    int fd = open(to, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return false;
    bool same = same_bytes(from, fd);
    close(fd);
    return same;
}

static int copy_bytes(int from, int to) {
    enum { PIECE = 64 << 10, GULP = 1 << 30 };
    while (true) {
        ssize_t n = copy_file_range(from, NULL, to, NULL, GULP, 0);
        if (n == 0) return 0;
        if (n < 0 && errno != EINTR) break;
    }
    char piece[PIECE];
    off_t at = lseek(to, 0, SEEK_CUR);
    for (;;) {
        ssize_t n = pread(from, piece, sizeof piece, at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return 0;
        int error = file_write_all(to, str(piece, (size_t)n));
        if (error != 0) return error;
        at += n;
    }
}

static int copy(int from, const char *temp) {
    int to = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (to < 0) return errno;
    int error = copy_bytes(from, to);
    if (close(to) != 0 && error == 0) error = errno;
    if (error != 0) unlink(temp);
    return error;
}

/* 0 or an errno. `temp` is a name beside `to`. */
static int place(int from, const char *from_path, const char *to, const char *temp) {
    unlink(temp); /* of a run that was killed */
    int error = linkat(AT_FDCWD, from_path, AT_FDCWD, temp, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    if (error != 0) error = copy(from, temp);
    if (error != 0) return error;
    if (rename(temp, to) == 0) return 0;
    error = errno;
    unlink(temp);
    return error;
}

bool file_place(Arena *arena, Str from, Str to, Diags *diags) {
    const char *from_c = str_to_c(arena, from), *to_c = str_to_c(arena, to);
    const char *temp = str_to_c(arena, str_format(arena, "%S.new", to));
    const char *above = str_to_c(arena, path_folder(to));
    struct stat about;
    int fd = open(from_c, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    int error = fd < 0 || fstat(fd, &about) != 0 ? errno : 0;
    if (error == 0 && !S_ISREG(about.st_mode)) error = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
    const char *what = "read";
    Str which = from;
    if (error == 0 && !is_placed(fd, &about, to_c)) {
        int folder = *above == '\0' ? -1 : target_open(above, true);
        if (folder >= 0) close(folder);
        error = place(fd, from_c, to_c, temp);
        what = "write";
        which = to;
    }
    if (fd >= 0) close(fd);
    if (error == 0) return true;
    Diag *diag = diag_error(diags, E_IO, nowhere, "cannot %s the weights %Q: %s", what, which, strerror(error));
    if (error == ENOENT && str_eq(which, from)) diag_hint(diags, diag, "the model names them, relative to its folder");
    return false;
}

/* file.c: reading whole files.
 *
 * Anything that can be read is taken: files, pipes, devices. How large it is, is known only when it
 * has been read, so nothing here trusts what stat says. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_error(Diags *diags, Span from, Str path, int error) {
    Diag *diag = diag_error(diags, E_IO, from, "cannot read %Q: %s", path, strerror(error));
    if (error == ENOENT) diag_hint(diags, diag, "is the name right, and the folder it is relative to?");
    if (error == ELOOP) diag_hint(diags, diag, "a symbolic link leads back to itself");
    return false;
}

/* Reads to the end; 0, an errno, or -1 when it is more than opgen takes. expected: the size that the system told, 0:
 * none. It is the end if a read that asked for more got just that. */
static int read_all(int fd, Buf *buf, size_t expected) {
    for (;;) {
        char *room = buf_room(buf, buf->cap - buf->n > 0 ? 1 : 64 << 10);
        ssize_t n = read(fd, room, buf->cap - buf->n);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return 0;
        buf->n += (size_t)n;
        if (buf->n > FILE_MOST_BYTES) return -1;
        if ((size_t)n == expected && buf->n == expected && buf->cap > expected) return 0;
    }
}

/* The same, without losing the descriptor when memory ends; closes it, unless it is standard input. */
static int read_and_close(int fd, Buf *buf, size_t expected) {
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        if (fd != STDIN_FILENO) close(fd);
        mem_fail(trap.why, trap.wanted);
    }
    buf_grow(buf, expected + 1); /* one more, to see the end without growing */
    int error = read_all(fd, buf, expected);
    mem_untrap(&trap);
    if (fd != STDIN_FILENO) close(fd);
    return error;
}

static bool too_large(Diags *diags, Span from, Str path) {
    diag_error(diags, E_TOO_LARGE, from, "%Q is larger than the %zu MiB that opgen reads", path, FILE_MOST_BYTES >> 20);
    return false;
}

bool file_read(Arena *arena, Str path, Span from, Diags *diags, Str *bytes) {
    bool standard = str_eq(path, S("-"));
    if (str_find_char(path, '\0') != STR_NONE) {
        diag_error(diags, E_IO, from, "cannot read %Q: a path has no NUL byte", path);
        return false;
    }
    const char *name = str_to_c(arena, path);
    Buf buf;
    buf_init(&buf, arena);
    int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return read_error(diags, from, path, errno);
    struct stat about;
    size_t expected = 0;
    int error = fstat(fd, &about) != 0 ? errno : 0;
    if (error == 0 && S_ISDIR(about.st_mode)) error = EISDIR;
    if (error == 0 && S_ISREG(about.st_mode) && about.st_size > 0) expected = (size_t)about.st_size;
    if (error != 0 || expected > FILE_MOST_BYTES) {
        if (!standard) close(fd);
        return error != 0 ? read_error(diags, from, path, error) : too_large(diags, from, path);
    }
    error = read_and_close(fd, &buf, expected);
    if (error < 0) return too_large(diags, from, path);
    if (error > 0) return read_error(diags, from, path, error);
    *bytes = buf_str(&buf);
    return true;
}

bool file_check_text(Source *source, Diags *diags) {
    Str text = source->text;
    size_t bad = str_invalid_utf8(text);
    size_t nul = str_find_char(bad == STR_NONE ? text : str_sub(text, 0, bad), '\0');
    if (nul == STR_NONE && bad == STR_NONE) return true;
    size_t at = nul != STR_NONE ? nul : bad;
    Diag *diag = nul != STR_NONE
                     ? diag_error(diags, E_ENCODING, span(source, at, at + 1), "text has a NUL byte")
                     : diag_error(diags, E_ENCODING, span(source, at, at + 1), "text is not valid UTF-8: byte 0x%02x",
                                  (unsigned)(unsigned char)text.p[at]);
    if (str_starts(text, S("\xff\xfe")) || str_starts(text, S("\xfe\xff")) || (at == 1 && text.p[1] == '\0'))
        diag_hint(diags, diag, "this looks like UTF-16: save it as UTF-8");
    else
        diag_hint(diags, diag, nul != STR_NONE ? "is this a text file?" : "save the file as UTF-8");
    return false;
}

Source *file_read_text(Arena *arena, Str path, Span from, Diags *diags) {
    Str text;
    if (!file_read(arena, path, from, diags, &text)) return NULL;
    Source *source = source_new(arena, str_eq(path, S("-")) ? S("<stdin>") : str_copy(arena, path), text);
    return file_check_text(source, diags) ? source : NULL;
}

int file_write_all(int fd, Str bytes) {
    while (bytes.n > 0) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return ENOSPC; /* a device that takes nothing and says nothing */
        bytes = str_sub(bytes, (size_t)n, bytes.n);
    }
    return 0;
}

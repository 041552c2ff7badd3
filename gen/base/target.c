/* target.c: see target.h. Every step down is an openat of one name that must be a folder and no link, so there is no
 * moment between a look and a use in which a link could slip in. */
#include "base/target.h"

#include "base/file.h"
#include "base/file_temp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool target_holds(Str path) {
    if (path.n == 0 || str_find_char(path, '\0') != STR_NONE) return false;
    for (size_t from = 0; from <= path.n;) {
        size_t slash = str_find_char(str_sub(path, from, path.n), '/');
        size_t to = slash == STR_NONE ? path.n : from + slash;
        Str part = str_sub(path, from, to);
        if (part.n == 0 || str_eq(part, S(".")) || str_eq(part, S(".."))) return false;
        from = to + 1;
    }
    return true;
}

/* ---- into a folder ------------------------------------------------------------------------------------------------
 */

static int make_folder(int at, const char *name) {
    if (file_refused(ENOSPC)) return ENOSPC;
    return mkdirat(at, name, 0777) == 0 || errno == EEXIST ? 0 : errno;
}

/* Copies the path's first part, NUL-terminated. False: it is longer than any name can be. */
static bool first_part(const char *path, const char *end, char part[NAME_MAX + 1]) {
    size_t n = (size_t)(end - path);
    if (n > NAME_MAX) return false;
    memcpy(part, path, n);
    part[n] = '\0';
    return true;
}

/* One step down. make: makes what is missing. */
static int step(int at, const char *part, int flags, bool make) {
    int next = openat(at, part, flags | O_DIRECTORY | O_CLOEXEC);
    if (next >= 0 || errno != ENOENT || !make) return next;
    int error = make_folder(at, part);
    if (error == 0) return openat(at, part, flags | O_DIRECTORY | O_CLOEXEC);
    errno = error;
    return -1;
}

int target_open(const char *path, bool make) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 || errno != ENOENT || !make) return fd;
    int at = AT_FDCWD;
    if (*path == '/') at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    while (at != -1) {
        while (*path == '/')
            path++;
        const char *end = strchrnul(path, '/'), *rest = end;
        while (*rest == '/')
            rest++;
        char part[NAME_MAX + 1];
        bool last = *rest == '\0';
        int next = -1;
        if (first_part(path, end, part))
            next = step(at, part, last ? O_RDONLY : O_PATH, true);
        else
            errno = ENAMETOOLONG;
        target_leave(AT_FDCWD, at);
        if (last) return next;
        at = next;
        path = rest;
    }
    return -1;
}

int target_enter(int folder, const char *path, bool make, const char **name) {
    int at = folder;
    for (const char *slash; at != -1 && (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        char part[NAME_MAX + 1];
        int next = -1;
        if (first_part(path, slash, part))
            next = step(at, part, O_PATH | O_NOFOLLOW, make);
        else
            errno = ENAMETOOLONG;
        target_leave(folder, at);
        at = next;
    }
    *name = path;
    return at;
}

void target_leave(int folder, int entered) {
    int error = errno;
    if (entered != folder && entered >= 0) close(entered);
    errno = error;
}

int target_lock(int folder, bool shared, unsigned wait_ms) {
    enum { PAUSE_MS = 5 };
    for (unsigned waited = 0;; waited += PAUSE_MS) {
        if (flock(folder, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0) return 0;
        if (errno != EINTR && errno != EWOULDBLOCK) return errno;
        if (waited >= wait_ms) return EWOULDBLOCK;
        nanosleep(&(struct timespec){0, PAUSE_MS * 1000000L}, NULL);
    }
}

/* ---- what stands there --------------------------------------------------------------------------------------------
 */

static int open_file(int folder, const char *path) {
    const char *name;
    int at = target_enter(folder, path, false, &name);
    if (at == -1) return -1;
    int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    target_leave(folder, at);
    return fd;
}

static TargetKind kind_of(mode_t mode) {
    return S_ISREG(mode) ? TARGET_FILE : S_ISDIR(mode) ? TARGET_FOLDER : S_ISLNK(mode) ? TARGET_LINK : TARGET_OTHER;
}

/* Without opening it: to open a device may do something. */
static TargetEntry look(int folder, const char *path, size_t *size) {
    const char *name;
    int at = target_enter(folder, path, false, &name);
    struct stat about;
    int error = at == -1 || fstatat(at, name, &about, AT_SYMLINK_NOFOLLOW) != 0 ? errno : 0;
    target_leave(folder, at);
    if (error == ENOENT) return (TargetEntry){.kind = TARGET_NOTHING, .no_folder = at == -1};
    if (error == ENOTDIR || error == ELOOP) return (TargetEntry){.kind = TARGET_BLOCKED};
    if (error != 0) return (TargetEntry){.kind = TARGET_CLOSED, .error = error};
    *size = (size_t)about.st_size;
    return (TargetEntry){.kind = kind_of(about.st_mode)};
}

/* The next piece of a file: bytes, 0 at the end, -1 with errno. */
static ssize_t read_piece(int fd, char *piece, size_t n) {
    ssize_t got;
    do
        got = read(fd, piece, n);
    while (got < 0 && errno == EINTR);
    return got;
}

enum { PIECE = 32 << 10 };

/* 1: the same, 0: not, -1: errno. */
static int is_same(int fd, Str bytes) {
    char piece[PIECE];
    for (;;) {
        ssize_t n = read_piece(fd, piece, sizeof piece);
        if (n < 0) return -1;
        if (n == 0) return bytes.n == 0;
        if ((size_t)n > bytes.n || memcmp(piece, bytes.p, (size_t)n) != 0) return 0;
        bytes = str_sub(bytes, (size_t)n, bytes.n);
    }
}

static int hash_file(int fd, char digits[SHA256_DIGITS]) {
    char piece[PIECE];
    Sha256 sha;
    sha256_init(&sha);
    ssize_t n = lseek(fd, 0, SEEK_SET);
    while (n >= 0 && (n = read_piece(fd, piece, sizeof piece)) > 0)
        sha256_add(&sha, str(piece, (size_t)n));
    sha256_end(&sha, digits);
    return n < 0 ? errno : 0;
}

TargetEntry target_compare(int folder, const char *path, const Str *bytes) {
    size_t size = 0;
    TargetEntry entry = look(folder, path, &size);
    if (entry.kind != TARGET_FILE) return entry;
    int fd = open_file(folder, path);
    if (fd < 0) return (TargetEntry){.kind = TARGET_CLOSED, .error = errno};
    int same = bytes != NULL && size == bytes->n ? is_same(fd, *bytes) : 0;
    entry.same = same > 0;
    if (same < 0)
        entry.error = errno;
    else if (same == 0)
        entry.error = hash_file(fd, entry.sha256);
    if (entry.error != 0) entry.kind = TARGET_CLOSED;
    close(fd);
    return entry;
}

int target_read(Arena *arena, int folder, const char *path, Str *bytes) {
    int fd = open_file(folder, path);
    if (fd < 0) return errno;
    struct stat about;
    int error = fstat(fd, &about) != 0 ? errno : !S_ISREG(about.st_mode) ? EINVAL : 0;
    if (error == 0 && (size_t)about.st_size > FILE_MOST_BYTES) error = EFBIG;
    if (error != 0) {
        close(fd);
        return error;
    }
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        close(fd);
        mem_fail(trap.why, trap.wanted);
    }
    size_t room = (size_t)about.st_size;
    char *p = arena_alloc(arena, room + 1);
    mem_untrap(&trap);
    size_t n = 0;
    ssize_t got = 1;
    while (n < room && (got = read_piece(fd, p + n, room - n)) > 0)
        n += (size_t)got;
    error = got < 0 ? errno : 0;
    close(fd);
    *bytes = str(p, n);
    return error;
}

/* ---- removing -----------------------------------------------------------------------------------------------------
 */

void target_tidy(int folder, const char *path) {
    const char *name = strrchr(path, '/');
    while (name != NULL) {
        char above[PATH_MAX];
        size_t n = (size_t)(name - path);
        if (n >= sizeof above) return; /* they may stay: they are empty */
        memcpy(above, path, n);
        above[n] = '\0';
        const char *last;
        int at = target_enter(folder, above, false, &last);
        bool removed = at != -1 && unlinkat(at, last, AT_REMOVEDIR) == 0;
        target_leave(folder, at);
        if (!removed) return;
        name = last == above ? NULL : path + (last - above) - 1;
    }
}

/* Whether a temporary file is left over: a file of ours, under one name, whose lock nobody has. Removes it. */
static bool clean_file(int at, const char *name) {
    int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return false;
    struct stat about;
    bool removed = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink == 1 &&
                   about.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 && unlinkat(at, name, 0) == 0;
    close(fd);
    return removed;
}

unsigned target_clean(int folder) {
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (dir == NULL) {
        if (fd >= 0) close(fd);
        return 0;
    }
    unsigned removed = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        removed += file_temp_is_one(str_c(entry->d_name)) && clean_file(fd, entry->d_name);
    closedir(dir);
    return removed;
}

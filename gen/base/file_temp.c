/* file_temp.c: see file_temp.h. What is made here and not renamed is in `temporaries`, which a signal handler walks:
 * it is changed by single atomic stores, and a file is in it before it is made. */
#include "base/file_temp.h"

#include "base/file.h"
#include "base/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static _Atomic(FileTemp *) temporaries; /* those that exist now, in the order in which they were made */
static FileTemp *newest;

static uint64_t operations, fail_at;

void file_fail_at(uint64_t nth) { fail_at = nth == 0 ? 0 : operations + nth; }
uint64_t file_operations(void) { return operations; }

bool file_refused(int error) {
    if (++operations != fail_at) return false;
    errno = error;
    return true;
}

/* Whether its temporary name may still stand for a file. Between a rename and what is noted of it, it may not. */
static bool may_exist(const FileTemp *temp) {
    return temp->state != FILE_TEMP_NEW && temp->state != FILE_TEMP_REPLACED;
}

void file_interrupted(void) {
    for (FileTemp *temp = atomic_load(&temporaries); temp != NULL; temp = atomic_load(&temp->next)) {
        if (may_exist(temp)) unlinkat(temp->folder, temp->name, 0);
        if (temp->held >= 0) close(temp->held);
        temp->held = -1;
    }
    atomic_store(&temporaries, NULL);
}

static bool is_drawn(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool file_temp_is_one(Str name) {
    size_t n = sizeof FILE_TEMP_PREFIX - 1;
    if (name.n != n + FILE_TEMP_DRAWN || !str_starts(name, S(FILE_TEMP_PREFIX))) return false;
    while (n < name.n && is_drawn(name.p[n]))
        n++;
    return n == name.n;
}

FileTemp *file_temp_new(Arena *arena, int folder, Str path, Str shown, Str bytes, FileTempHold hold) {
    FileTemp *temp = ARENA_NEW(arena, FileTemp);
    const char *target = str_to_c(arena, path);
    /* A link stays a link: what it leads to is replaced. */
    char real[PATH_MAX];
    struct stat about;
    if (folder == AT_FDCWD && lstat(target, &about) == 0 && S_ISLNK(about.st_mode) && realpath(target, real) != NULL)
        target = str_to_c(arena, str_c(real));
    const char *slash = folder == AT_FDCWD ? strrchr(target, '/') : NULL;
    Str above = str(target, slash == NULL ? 0 : (size_t)(slash - target) + 1);
    const char *kind = hold == FILE_TEMP_BARE ? "set-" : "";
    Str name = str_format(arena, "%S" FILE_TEMP_PREFIX "%sXXXXXX", above, kind); /* drawn when it is made */
    temp->name = arena_alloc(arena, name.n + 1);
    memcpy(temp->name, name.p, name.n);
    temp->name[name.n] = '\0';
    temp->folder = folder;
    temp->target = target;
    temp->shown = shown;
    temp->bytes = bytes;
    temp->hold = hold;
    temp->held = -1;
    return temp;
}

/* Makes the folders above path; changes path on the way, and back. 0 or an errno. */
static int make_parents(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int error = mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : errno;
        struct stat about;
        /* On a read-only disk, and above folders one may not look into, a folder that is there is good enough. */
        if (error != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode)) error = 0;
        *slash = '/';
        if (error != 0) return error;
    }
    return 0;
}

/* The lock of a file that was just made. False: it was cleaned away before it could be held. */
static bool take_hold(int fd) {
    struct stat about;
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
        continue;
    return fstat(fd, &about) != 0 || about.st_nlink > 0; /* without locks nobody cleans either */
}

/* The system is asked for as many random bytes as it hands out without fail, which is enough for some dozens. */
static bool draw(char *drawn) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    static unsigned char random[252];
    static size_t used = sizeof random;
    if (used == sizeof random) {
        if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return false;
        used = 0;
    }
    for (int i = 0; i < FILE_TEMP_DRAWN; i++)
        drawn[i] = letters[random[used++] % (sizeof letters - 1)];
    return true;
}
_Static_assert(252 % FILE_TEMP_DRAWN == 0, "names are drawn whole");

/* A new file of that name but for the last six letters. The descriptor, or -1 with errno. */
static int make_temporary(int at, char *name, bool hold) {
    char *drawn = name + strlen(name) - FILE_TEMP_DRAWN;
    if (file_refused(ENOSPC)) return -1;
    for (int attempt = 0; attempt < 100; attempt++) {
        if (!draw(drawn)) return -1;
        int fd = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0666);
        if (fd >= 0 && (!hold || take_hold(fd))) return fd;
        int error = fd >= 0 ? EEXIST : errno;
        if (fd >= 0) close(fd);
        memcpy(drawn, "XXXXXX", FILE_TEMP_DRAWN); /* a file of the name that was drawn is somebody else's */
        errno = error;
        if (error != EEXIST) return -1;
    }
    return -1;
}

/* The bytes and the mode into a new file. 0 or an errno. */
static int fill(FileTemp *temp, int fd, const struct stat *old) {
    if (old != NULL) {
        /* Who may read and run it stays as it was. To give a file away needs rights that are mostly not there. */
        if (old->st_uid != geteuid() && fchown(fd, old->st_uid, old->st_gid) != 0) errno = 0;
        if (fchmod(fd, old->st_mode & 0777) != 0) return errno;
    }
    if (file_refused(ENOSPC)) {
        (void)file_write_all(fd, str_sub(temp->bytes, 0, temp->bytes.n / 2)); /* as a disk that fills up */
        return ENOSPC;
    }
    return file_write_all(fd, temp->bytes);
}

/* The folder of the target, and the target's name in it. */
static int enter(const FileTemp *temp, bool make, const char **target) {
    if (temp->folder != AT_FDCWD) return target_enter(temp->folder, temp->target, make, target);
    *target = temp->target;
    return AT_FDCWD;
}

/* What will be replaced. 0 or an errno. */
static int look(const FileTemp *temp, struct stat *old, bool *replaces) {
    const char *target;
    int at = enter(temp, true, &target);
    if (at == -1) return errno;
    *replaces = fstatat(at, target, old, temp->folder == AT_FDCWD ? 0 : AT_SYMLINK_NOFOLLOW) == 0;
    target_leave(temp->folder, at);
    return *replaces && S_ISDIR(old->st_mode) ? EISDIR : 0;
}

/* Into the list: before there is a file, for a signal may come right behind the system's making of it. */
static void list(FileTemp *temp) {
    if (atomic_load(&temporaries) == NULL)
        atomic_store(&temporaries, temp);
    else
        atomic_store(&newest->next, temp);
    newest = temp;
}

int file_temp_write(FileTemp *temp) {
    int error = temp->folder == AT_FDCWD ? make_parents(temp->name) : 0;
    if (error != 0) return error;
    struct stat old;
    bool replaces = false;
    error = look(temp, &old, &replaces);
    if (error != 0) return error;
    list(temp);
    int fd = make_temporary(temp->folder, temp->name, temp->hold == FILE_TEMP_HELD);
    if (fd < 0) return errno;
    error = fill(temp, fd, replaces && S_ISREG(old.st_mode) ? &old : NULL);
    if (error == 0 && temp->hold == FILE_TEMP_HELD) {
        temp->held = fd;
        fd = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* to be closed: some disks say only then that they are full */
        if (fd < 0) return errno;
    }
    if (error == 0 && file_refused(EIO)) error = EIO;
    if (close(fd) != 0 && error == 0) error = errno;
    return error;
}

int file_temp_rename(FileTemp *temp) {
    const char *target;
    int at = enter(temp, false, &target);
    if (at == -1) return errno;
    int error = file_refused(EIO) || renameat(temp->folder, temp->name, at, target) != 0 ? errno : 0;
    target_leave(temp->folder, at);
    if (error != 0) return error;
    atomic_store(&temporaries, atomic_load(&temp->next));
    if (temp->held >= 0) close(temp->held);
    temp->held = -1;
    return 0;
}

/* ---- into place, and back -----------------------------------------------------------------------------------------
 */

/* A file that may be kept under a temporary name: one that target_clean would remove if we were killed. */
static bool can_be_kept(int at, const char *name, bool *there) {
    struct stat about;
    *there = fstatat(at, name, &about, AT_SYMLINK_NOFOLLOW) == 0;
    return *there && S_ISREG(about.st_mode) && about.st_nlink == 1 && about.st_uid == geteuid();
}

int file_temp_swap(FileTemp *temp) {
    const char *target;
    int at = enter(temp, false, &target);
    if (at == -1) return errno;
    bool there, refused = file_refused(EIO), kept = can_be_kept(at, target, &there);
    int error = refused ? EIO : 0;
    if (error == 0 && kept && renameat2(temp->folder, temp->name, at, target, RENAME_EXCHANGE) == 0)
        temp->state = FILE_TEMP_SWAPPED;
    else if (error == 0 && renameat(temp->folder, temp->name, at, target) == 0)
        temp->state = there ? FILE_TEMP_REPLACED : FILE_TEMP_NEW;
    else if (error == 0)
        error = errno;
    target_leave(temp->folder, at);
    return error;
}

int file_temp_take(FileTemp *temp) {
    const char *target;
    int at = enter(temp, false, &target);
    if (at == -1) return errno == ENOENT ? 0 : errno;
    bool there, refused = file_refused(EIO), kept = can_be_kept(at, target, &there);
    int error = refused ? EIO : 0;
    list(temp);
    char *drawn = temp->name + strlen(temp->name) - FILE_TEMP_DRAWN;
    if (error == 0 && kept && draw(drawn) && renameat2(at, target, temp->folder, temp->name, RENAME_NOREPLACE) == 0)
        temp->state = FILE_TEMP_TAKEN;
    else
        memcpy(drawn, "XXXXXX", FILE_TEMP_DRAWN); /* a file of the name that was drawn is somebody else's */
    if (temp->state == FILE_TEMP_TAKEN)
        error = 0;
    else if (error == 0 && there && unlinkat(at, target, 0) != 0)
        error = errno;
    else if (error == 0 && there)
        temp->state = FILE_TEMP_REPLACED;
    target_leave(temp->folder, at);
    return error;
}

bool file_temp_undo(FileTemp *temp) {
    if (temp->state == FILE_TEMP_WAITS) return true;
    const char *target;
    int at = enter(temp, false, &target);
    bool done = at != -1;
    if (done && temp->state == FILE_TEMP_NEW) done = unlinkat(at, target, 0) == 0;
    if (done && temp->state == FILE_TEMP_SWAPPED)
        done = renameat2(temp->folder, temp->name, at, target, RENAME_EXCHANGE) == 0;
    if (done && temp->state == FILE_TEMP_TAKEN) done = renameat(temp->folder, temp->name, at, target) == 0;
    if (temp->state == FILE_TEMP_REPLACED) done = false;
    if (at != -1) target_leave(temp->folder, at);
    if (done) temp->state = FILE_TEMP_WAITS;
    return done;
}

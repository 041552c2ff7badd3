/* file_set.c: bringing files on the disk to the bytes that a run decided.
 *
 * Writing has two halves. In the first every file that differs is written, whole, under a temporary
 * name in its own folder; a full disk shows here, and nothing has changed yet. In the second each is renamed,
 * which takes no space. The temporary files are in a list until they are renamed, so that every way out,
 * a failed request for memory and a signal among them, removes them. One thread writes files at a time. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct TempFile TempFile;
struct TempFile {
    _Atomic(TempFile *) next;
    char *name;         /* beside the target; its six last letters are drawn when it is made */
    const char *target; /* links followed */
    Str shown;          /* the path for messages */
    Str bytes;
};

static _Atomic(TempFile *) temporaries; /* those that exist now, in the order in which they were made */
static TempFile *newest;

void file_interrupted(void) {
    for (TempFile *temp = atomic_load(&temporaries); temp != NULL; temp = atomic_load(&temp->next))
        unlink(temp->name);
    atomic_store(&temporaries, NULL);
}

void fileset_init(FileSet *set, Arena *arena) {
    *set = (FileSet){.arena = arena};
    names_init(&set->paths, arena);
}

/* Relative, and of named parts only. */
static bool stays_inside(Str path) {
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

bool fileset_add(FileSet *set, Str path, Str bytes) {
    if (!stays_inside(path) || names_find(&set->paths, path) != NULL) return false;
    Str kept = name_str(names_get(&set->paths, path));
    *VEC_PUSH(set->arena, &set->files) = (FileEntry){kept, bytes};
    return true;
}

static Str join(Arena *arena, Str folder, Str path) {
    if (folder.n == 0 || str_eq(folder, S("."))) return str_copy(arena, path);
    return str_format(arena, str_ends(folder, S("/")) ? "%S%S" : "%S/%S", folder, path);
}

static FileState compare(const char *path, Str bytes) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return errno == ENOENT || errno == ENOTDIR ? FILE_MISSING : FILE_UNREADABLE;
    struct stat about;
    FileState state = FILE_SAME;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        state = FILE_UNREADABLE;
    else if ((size_t)about.st_size != bytes.n)
        state = FILE_DIFFERENT;
    char piece[16 << 10];
    while (state == FILE_SAME) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) state = FILE_UNREADABLE;
        if (n <= 0) break;
        if ((size_t)n > bytes.n || memcmp(piece, bytes.p, (size_t)n) != 0) state = FILE_DIFFERENT;
        bytes = str_sub(bytes, (size_t)n, bytes.n);
    }
    if (state == FILE_SAME && bytes.n > 0) state = FILE_DIFFERENT;
    close(fd);
    return state;
}

FileState fileset_compare(const FileSet *set, size_t i, Str folder) {
    FileEntry file = set->files.items[i];
    return compare(str_to_c(set->arena, join(set->arena, folder, file.path)), file.bytes);
}

static bool write_error(Diags *diags, Str path, int error) {
    Diag *diag = diag_error(diags, E_IO, span(NULL, 0, 0), "cannot write %Q: %s", path, strerror(error));
    if (error == EACCES || error == EROFS) diag_hint(diags, diag, "a file is replaced, so its folder must be writable");
    if (error == ENOTDIR) diag_hint(diags, diag, "a part of the path is a file");
    if (error == EISDIR) diag_hint(diags, diag, "a folder is in the way");
    return false;
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

/* A new file of that name but for the last six letters. The descriptor, or -1 with errno. */
static int make_temporary(char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char *drawn = name + strlen(name) - 6;
    for (int attempt = 0; attempt < 100; attempt++) {
        unsigned char random[6];
        if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return -1;
        for (int i = 0; i < 6; i++)
            drawn[i] = letters[random[i] % (sizeof letters - 1)];
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
        if (fd >= 0) return fd;
        int error = errno;
        memcpy(drawn, "XXXXXX", 6); /* a file of the name that was drawn is somebody else's */
        errno = error;
        if (error != EEXIST) return -1;
    }
    return -1;
}

/* Writes the bytes beside the target. 0 or an errno; what was made is in the list either way. */
static int write_temporary(TempFile *temp) {
    int error = make_parents(temp->name);
    if (error != 0) return error;
    struct stat old;
    bool replaces = stat(temp->target, &old) == 0;
    if (replaces && S_ISDIR(old.st_mode)) return EISDIR;
    /* Into the list first: a signal may come right behind the system's making of the file. */
    if (atomic_load(&temporaries) == NULL)
        atomic_store(&temporaries, temp);
    else
        atomic_store(&newest->next, temp);
    newest = temp;
    int fd = make_temporary(temp->name);
    if (fd < 0) return errno;
    if (replaces) {
        /* Who may read and run it stays as it was. To give a file away needs rights that are mostly not there. */
        if (old.st_uid != geteuid() && fchown(fd, old.st_uid, old.st_gid) != 0) errno = 0;
        if (fchmod(fd, old.st_mode & 0777) != 0) error = errno;
    }
    if (error == 0) error = file_write_all(fd, temp->bytes);
    if (close(fd) != 0 && error == 0) error = errno;
    return error;
}

/* Devices and pipes are written to as they are. */
static int write_in_place(const char *path, Str bytes) {
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return errno;
    int error = file_write_all(fd, bytes);
    if (close(fd) != 0 && error == 0) error = errno;
    return error;
}

static TempFile *plan(Arena *arena, Str path, Str bytes) {
    TempFile *temp = ARENA_NEW(arena, TempFile);
    const char *target = str_to_c(arena, path);
    /* A link stays a link: what it leads to is replaced. */
    char real[PATH_MAX];
    struct stat about;
    if (lstat(target, &about) == 0 && S_ISLNK(about.st_mode) && realpath(target, real) != NULL)
        target = str_to_c(arena, str_c(real));
    Str whole = str_c(target);
    const char *slash = strrchr(target, '/');
    Str folder = slash == NULL ? S("") : str_sub(whole, 0, (size_t)(slash - target) + 1);
    Str name = str_format(arena, "%S.opgen-XXXXXX", folder);
    temp->name = arena_alloc(arena, name.n + 1);
    memcpy(temp->name, name.p, name.n);
    temp->name[name.n] = '\0';
    temp->target = target;
    temp->shown = path;
    temp->bytes = bytes;
    return temp;
}

/* Both halves for n files, without a request for memory between the first file made and the last renamed.
 * *failed is the file that could not be written. 0 or an errno. */
static int write_all(TempFile **plans, size_t n, size_t *renamed, TempFile **failed) {
    int error = 0;
    for (size_t i = 0; error == 0 && i < n; i++) {
        *failed = plans[i];
        error = write_temporary(plans[i]);
    }
    /* In the order of the set, so that what is added last (a manifest, say) speaks of files that are there. */
    for (size_t i = 0; error == 0 && i < n; i++) {
        *failed = plans[i];
        if (rename(plans[i]->name, plans[i]->target) != 0) {
            error = errno;
            break;
        }
        atomic_store(&temporaries, atomic_load(&plans[i]->next));
        ++*renamed;
    }
    file_interrupted(); /* none are left when all went well */
    return error;
}

bool fileset_write(const FileSet *set, Str folder, Diags *diags, size_t *written) {
    Arena *arena = set->arena;
    TempFile **plans = ARENA_ARRAY(arena, TempFile *, set->files.n);
    size_t n = 0;
    *written = 0;
    for (uint32_t i = 0; i < set->files.n; i++) {
        FileEntry file = set->files.items[i];
        Str path = join(arena, folder, file.path);
        if (compare(str_to_c(arena, path), file.bytes) != FILE_SAME) plans[n++] = plan(arena, path, file.bytes);
    }
    TempFile *failed = NULL;
    int error = write_all(plans, n, written, &failed);
    return error == 0 || write_error(diags, failed->shown, error);
}

bool file_write_if_changed(Arena *arena, Str path, Str bytes, Diags *diags, bool *changed) {
    *changed = false;
    if (path.n == 0 || str_find_char(path, '\0') != STR_NONE || str_ends(path, S("/"))) {
        diag_error(diags, E_IO, span(NULL, 0, 0), "cannot write %Q: that is not the path of a file", path);
        return false;
    }
    const char *name = str_to_c(arena, path);
    struct stat about;
    int error;
    if (stat(name, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) {
        error = write_in_place(name, bytes);
        *changed = error == 0;
    } else {
        if (compare(name, bytes) == FILE_SAME) return true;
        TempFile *temp = plan(arena, path, bytes), *failed = temp;
        size_t renamed = 0;
        error = write_all(&temp, 1, &renamed, &failed);
        *changed = renamed == 1;
    }
    return error == 0 || write_error(diags, path, error);
}

/* file_set.c: bringing files on the disk to the bytes that a run decided, by way of temporary files (file_temp.h). */
#include "base/file.h"

#include "base/file_temp.h"
#include "base/target.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void fileset_init(FileSet *set, Arena *arena) {
    *set = (FileSet){.arena = arena};
    names_init(&set->paths, arena);
}

bool fileset_add(FileSet *set, Str path, Str bytes) {
    if (!target_holds(path) || names_find(&set->paths, path) != NULL) return false;
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

/* Devices and pipes are written to as they are. */
static int write_in_place(const char *path, Str bytes) {
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return errno;
    int error = file_write_all(fd, bytes);
    if (close(fd) != 0 && error == 0) error = errno;
    return error;
}

/* Both halves for n files, without a request for memory between the first file made and the last renamed.
 * *failed is the file that could not be written. 0 or an errno. */
static int write_all(FileTemp **plans, size_t n, size_t *renamed, FileTemp **failed) {
    int error = 0;
    for (size_t i = 0; error == 0 && i < n; i++) {
        *failed = plans[i];
        error = file_temp_write(plans[i]);
    }
    /* In the order of the set, so that what is added last (a manifest, say) speaks of files that are there. */
    for (size_t i = 0; error == 0 && i < n; i++) {
        *failed = plans[i];
        error = file_temp_rename(plans[i]);
        if (error == 0) ++*renamed;
    }
    file_interrupted(); /* none are left when all went well */
    return error;
}

bool fileset_write(const FileSet *set, Str folder, Diags *diags, size_t *written) {
    Arena *arena = set->arena;
    FileTemp **plans = ARENA_ARRAY(arena, FileTemp *, set->files.n);
    size_t n = 0;
    *written = 0;
    for (uint32_t i = 0; i < set->files.n; i++) {
        FileEntry file = set->files.items[i];
        Str path = join(arena, folder, file.path);
        if (compare(str_to_c(arena, path), file.bytes) != FILE_SAME)
            plans[n++] = file_temp_new(arena, AT_FDCWD, path, path, file.bytes, FILE_TEMP_BARE);
    }
    FileTemp *failed = NULL;
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
        FileTemp *temp = file_temp_new(arena, AT_FDCWD, path, path, bytes, FILE_TEMP_HELD), *failed = temp;
        size_t renamed = 0;
        error = write_all(&temp, 1, &renamed, &failed);
        *changed = renamed == 1;
    }
    return error == 0 || write_error(diags, path, error);
}

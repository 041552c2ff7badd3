/* kept.c: what was made, in folders TOP/XX/KEY/e-NAME: `parts` (parts.c), `made`, `rules`, `out`, `err`.
 *
 * The key is of the call and its sources; which headers these include is seen in `parts`, so one key may have several.
 * An entry gets its name when it is complete. When it was last asked for is the time of its `parts`. */
#include "remember.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST ((int64_t)1536 << 20) /* bytes of all entries */
enum { ENTRIES = 128, KEPT = 14 * 86400, HOUR = 3600 };

const char *path_of(Arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str path = str_vformat(arena, format, args);
    va_end(args);
    return str_to_c(arena, path);
}

bool write_file(const char *path, Str bytes, unsigned mode) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (fd < 0) return false;
    ssize_t n = 1;
    while (bytes.n > 0 && n > 0) {
        n = write(fd, bytes.p, bytes.n);
        if (n > 0) bytes = str_sub(bytes, (size_t)n, bytes.n);
    }
    return (close(fd) == 0) & (bytes.n == 0);
}

/* A new file, with the rights that a compiler gives its own. */
static bool copy_file(const char *from, const char *to) {
    struct stat state;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0) return false;
    bool good = fstat(in, &state) == 0;
    if (good) unlink(to);
    int out = good ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (state.st_mode & 0100) != 0 ? 0777 : 0666) : -1;
    good = out >= 0;
    for (off_t left = good ? state.st_size : 0; left > 0 && good;) {
        ssize_t n = sendfile(out, in, NULL, (size_t)left);
        good = n > 0;
        left -= n;
    }
    close(in);
    if (out >= 0) good = (close(out) == 0) && good;
    return good;
}

static void remove_entry(Arena *arena, const char *path) {
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(path_of(arena, "%s/%s", path, entry->d_name));
    if (dir != NULL) closedir(dir);
    rmdir(path);
}

/* The names in a folder that begin so. */
static Strs names_in(Arena *arena, const char *path, const char *start) {
    Strs names = {0};
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, start, strlen(start)) == 0)
            *VEC_PUSH(arena, &names) = str_copy(arena, str_c(entry->d_name));
    if (dir != NULL) closedir(dir);
    return names;
}

static bool take(const Command *command, const char *entry, Result *result) {
    Arena *arena = command->arena;
    Str parts;
    const char *path = path_of(arena, "%s/parts", entry);
    if (!file_bytes(arena, path, &parts) || !parts_same(arena, parts)) return false;
    *result = (Result){0, {"", 0}, {"", 0}};
    (void)!file_bytes(arena, path_of(arena, "%s/out", entry), &result->out);
    (void)!file_bytes(arena, path_of(arena, "%s/err", entry), &result->err);
    if (command->made.n > 0 && !copy_file(path_of(arena, "%s/made", entry), str_to_c(arena, command->made)))
        return false;
    if (command->rules.n > 0 && !copy_file(path_of(arena, "%s/rules", entry), str_to_c(arena, command->rules)))
        return false;
    utimensat(AT_FDCWD, path, NULL, 0);
    return true;
}

bool kept_take(const Command *command, Str place, Result *result) {
    const char *folder = str_to_c(command->arena, place);
    Strs names = names_in(command->arena, folder, "e-");
    for (uint32_t i = 0; i < names.n; i++)
        if (take(command, path_of(command->arena, "%s/%S", folder, names.items[i]), result)) return true;
    return false;
}

static bool fill(const Command *command, const char *entry, Str parts, const Result *result) {
    Arena *arena = command->arena;
    if (command->made.n > 0 && !copy_file(str_to_c(arena, command->made), path_of(arena, "%s/made", entry)))
        return false;
    if (command->rules.n > 0 && !copy_file(str_to_c(arena, command->rules), path_of(arena, "%s/rules", entry)))
        return false;
    if (result->out.n > 0 && !write_file(path_of(arena, "%s/out", entry), result->out, 0666)) return false;
    if (result->err.n > 0 && !write_file(path_of(arena, "%s/err", entry), result->err, 0666)) return false;
    return write_file(path_of(arena, "%s/parts", entry), parts, 0666);
}

static void make_folders(Arena *arena, Str path) {
    for (size_t at = 1; at <= path.n; at++)
        if (at == path.n || path.p[at] == '/') mkdir(str_to_c(arena, str_sub(path, 0, at)), 0777);
}

/* That there is no room for it is no error. */
void kept_add(const Command *command, Str place, Str parts, const Result *result) {
    Arena *arena = command->arena;
    make_folders(arena, place);
    const char *folder = str_to_c(arena, place);
    Strs names = names_in(arena, folder, "e-");
    if (names.n >= ENTRIES) remove_entry(arena, path_of(arena, "%s/%S", folder, names.items[0]));
    char *new = (char *)(uintptr_t)path_of(arena, "%s/n-XXXXXX", folder);
    if (mkdtemp(new) == NULL) return;
    const char *name = path_of(arena, "%s/e-%s", folder, new + strlen(new) - 6);
    if (!fill(command, new, parts, result) || rename(new, name) != 0) remove_entry(arena, new);
}

/* ---- what is old */

typedef struct Entry {
    time_t used;
    int64_t size;
    const char *path;
} Entry;

static int newer(const void *a, const void *b) {
    time_t one = ((const Entry *)a)->used, other = ((const Entry *)b)->used;
    return one < other ? 1 : one > other ? -1 : 0;
}

static bool look(Arena *arena, const char *path, Entry *entry) {
    struct stat state;
    if (lstat(path, &state) != 0) return false;
    *entry = (Entry){0, 0, path};
    if (!S_ISDIR(state.st_mode)) return true; /* nothing that is written here */
    /* One that is not complete is somebody's, or was. */
    if (strstr(path, "/n-") != NULL && state.st_mtim.tv_sec > time(NULL) - HOUR) entry->used = time(NULL);
    Strs names = names_in(arena, path, "");
    for (uint32_t i = 0; i < names.n; i++) {
        if (lstat(path_of(arena, "%s/%S", path, names.items[i]), &state) != 0) continue;
        entry->size += state.st_blocks * 512;
        if (str_eq(names.items[i], S("parts")) && strstr(path, "/e-") != NULL) entry->used = state.st_mtim.tv_sec;
    }
    return true;
}

void kept_clean(Arena *arena, Str top) {
    VEC(Entry) entries = {0};
    const char *folder = str_to_c(arena, top);
    Strs twos = names_in(arena, folder, "");
    for (uint32_t i = 0; i < twos.n; i++) {
        const char *two = path_of(arena, "%s/%S", folder, twos.items[i]);
        Strs keys = twos.items[i].n == 2 ? names_in(arena, two, "") : (Strs){0};
        for (uint32_t k = 0; k < keys.n; k++) {
            const char *key = path_of(arena, "%s/%S", two, keys.items[k]);
            Strs names = names_in(arena, key, "");
            for (uint32_t n = 0; n < names.n; n++) {
                Entry entry;
                if (look(arena, path_of(arena, "%s/%S", key, names.items[n]), &entry))
                    *VEC_PUSH(arena, &entries) = entry;
            }
            rmdir(key); /* if it is empty */
        }
    }
    int64_t room = MOST;
    if (entries.n > 0) qsort(entries.items, entries.n, sizeof *entries.items, newer);
    for (uint32_t i = 0; i < entries.n; i++) {
        room -= entries.items[i].size;
        if (room >= 0 && entries.items[i].used >= time(NULL) - KEPT) continue;
        unlink(entries.items[i].path);
        remove_entry(arena, entries.items[i].path);
    }
}

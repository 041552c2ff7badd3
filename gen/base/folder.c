/* folder.c: what is in a folder, in one order on every machine. */
#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

Str path_join(Arena *arena, Str folder, Str name) {
    if (folder.n == 0 || str_eq(folder, S("."))) return name;
    return str_format(arena, str_ends(folder, S("/")) ? "%S%S" : "%S/%S", folder, name);
}

bool folder_exists(Arena *arena, Str path) {
    struct stat about;
    return stat(str_to_c(arena, path), &about) == 0 && S_ISDIR(about.st_mode);
}

static void take_entries(Arena *arena, DIR *dir, FolderEntries *entries) {
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.') continue;
        bool is_folder = entry->d_type == DT_DIR, is_file = entry->d_type == DT_REG;
        if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) { /* some disks do not say */
            struct stat about;
            if (fstatat(dirfd(dir), entry->d_name, &about, 0) != 0) continue;
            is_folder = S_ISDIR(about.st_mode), is_file = S_ISREG(about.st_mode);
        }
        if (!is_folder && !is_file) continue;
        *VEC_PUSH(arena, entries) = (FolderEntry){str_copy(arena, str_c(entry->d_name)), is_folder};
    }
}

/* The folder is closed on every way out. */
static void take_guarded(Arena *arena, DIR *dir, FolderEntries *entries) {
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        closedir(dir);
        mem_fail(trap.why, trap.wanted);
    }
    take_entries(arena, dir, entries);
    mem_untrap(&trap);
    closedir(dir);
}

static void sort(FolderEntry *items, FolderEntry *room, uint32_t n) {
    if (n < 2) return;
    uint32_t half = n / 2;
    sort(items, room, half);
    sort(items + half, room, n - half);
    memcpy(room, items, half * sizeof *items);
    for (uint32_t i = 0, j = half, to = 0; i < half;)
        items[to++] = j < n && str_cmp(items[j].name, room[i].name) < 0 ? items[j++] : room[i++];
}

bool folder_list(Arena *arena, Str path, Span from, Diags *diags, FolderEntries *entries) {
    const char *name = str_to_c(arena, path);
    DIR *dir = opendir(name);
    int error = errno;
    if (dir == NULL) {
        diag_error(diags, E_IO, from, "cannot read the folder %S: %s", path, strerror(error));
        return false;
    }
    take_guarded(arena, dir, entries);
    if (entries->n > 0) sort(entries->items, ARENA_ARRAY(arena, FolderEntry, entries->n), entries->n);
    return true;
}

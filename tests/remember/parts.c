/* parts.c: the files that making something has read, as lines of text, and whether they are all what they were.
 *
 *     f STATE DIGEST PATH    below /usr: its state does, and if that is another one, its bytes
 *     c DIGEST PATH          its bytes
 *     a PATH                 is not there: it would be read in the place of another
 */
#include "remember.h"

#include "base/map.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool file_bytes(Arena *arena, const char *path, Str *bytes) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    struct stat state;
    Buf text;
    buf_init(&text, arena);
    ssize_t n = fstat(fd, &state) == 0 && S_ISDIR(state.st_mode) ? -1 : 1;
    while (n > 0) { /* files of /proc have no size */
        size_t room = state.st_size > (off_t)text.n ? (size_t)state.st_size - text.n + 1 : 4096;
        n = read(fd, buf_room(&text, room), room);
        if (n > 0) text.n += (size_t)n;
    }
    close(fd);
    *bytes = text.n > 0 ? buf_str(&text) : S("");
    return n == 0;
}

Str digest_of(Arena *arena, const char *path) {
    Str bytes;
    return file_bytes(arena, path, &bytes) ? sha256_of(arena, bytes) : (Str){NULL, 0};
}

static bool is_system(Str path) { return str_starts(path, S("/usr/")) || str_starts(path, S("/lib")); }

/* ---- rules of make */

/* What the rules' targets depend on, each once. */
static void read_rules(Arena *arena, Names *seen, Str text, Strs *files) {
    bool target = true;
    for (size_t at = 0; at < text.n;) {
        Buf word;
        buf_init(&word, arena);
        for (; at < text.n; at++) {
            char c = text.p[at], next = at + 1 < text.n ? text.p[at + 1] : '\n';
            if (c == ' ' || c == '\n' || (c == '\\' && next == '\n')) break;
            if ((c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$')) c = next, at++;
            buf_char(&word, c);
        }
        Str name = buf_str(&word);
        if (target) {
            target = name.n == 0 || name.p[name.n - 1] != ':';
        } else if (name.n > 0 && names_find(seen, name) == NULL) {
            names_get(seen, name);
            *VEC_PUSH(arena, files) = name;
        }
        for (; at < text.n && (text.p[at] == ' ' || text.p[at] == '\n' || text.p[at] == '\\'); at++)
            if (text.p[at] == '\n' && text.p[at - 1] != '\\') target = true;
    }
}

/* ---- what is not there */

static Str folder_of(Str path) {
    size_t n = path.n;
    while (n > 0 && path.p[n - 1] != '/')
        n--;
    return str_sub(path, 0, n > 1 ? n - 1 : n);
}

static bool within(Str path, Str folder, Str *rest) {
    if (folder.n == 0 || str_eq(folder, S("."))) {
        *rest = path;
        return path.p[0] != '/';
    }
    if (!str_starts(path, folder) || path.n <= folder.n + 1 || path.p[folder.n] != '/') return false;
    *rest = str_sub(path, folder.n + 1, path.n);
    return true;
}

typedef struct Absent {
    Names seen;
    Buf *text;
} Absent;

static void absent_add(Absent *absent, Str folder, Str name) {
    Arena *arena = absent->text->arena;
    Str path = folder.n == 0 ? name : str_format(arena, "%S/%S", folder, name);
    if (names_find(&absent->seen, path) != NULL) return;
    names_get(&absent->seen, path);
    if (access(str_to_c(arena, path), F_OK) != 0) buf_format(absent->text, "a %S\n", path);
}

/* A header found in one folder might come to be in another that is looked into as well. */
static void absent_headers(Absent *absent, const Strs *folders, Str file) {
    Str rest;
    if (is_system(file)) {
        size_t from = str_find(file, S("/include/"));
        rest = from == STR_NONE ? S("") : str_sub(file, from + 9, file.n);
        while (rest.n > 0) {
            for (uint32_t k = 0; k < folders->n; k++)
                absent_add(absent, folders->items[k], rest);
            absent_add(absent, S("/usr/local/include"), rest);
            size_t slash = str_find_char(rest, '/');
            rest = slash == STR_NONE ? S("") : str_sub(rest, slash + 1, rest.n);
        }
        return;
    }
    for (uint32_t i = 0; i < folders->n; i++)
        for (uint32_t k = 0; k < folders->n && within(file, folders->items[i], &rest); k++)
            if (k != i) absent_add(absent, folders->items[k], rest);
}

static void absent_libraries(Absent *absent, const Command *command) {
    for (uint32_t i = 0; i <= command->places.n; i++)
        for (uint32_t k = 0; k < command->libs.n; k++)
            for (int form = 0; form < 2; form++)
                absent_add(absent, i < command->places.n ? command->places.items[i] : S("/usr/local/lib"),
                           str_format(command->arena, "lib%S.%s", command->libs.items[k], form == 0 ? "so" : "a"));
}

static void add_folder(Arena *arena, Names *seen, Strs *folders, Str folder) {
    if (str_eq(folder, S("."))) folder = S("");
    if (names_find(seen, folder) != NULL) return;
    names_get(seen, folder);
    *VEC_PUSH(arena, folders) = folder;
}

/* ---- the text */

/* Whether a text makes of itself what it is not, or has what is not told read: the time, other files. */
static bool is_fickle(Str text) {
    static const char *const words[] = {"__DATE__", "__TIME", "incbin", "#embed", "__has_include"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_find(text, str_c(words[i])) != STR_NONE) return true;
    return false;
}

static bool add_part(Buf *text, Str file, bool read, struct timespec since) {
    Arena *arena = text->arena;
    const char *path = str_to_c(arena, file);
    struct stat state;
    Str bytes;
    if (stat(path, &state) != 0) return !read; /* an object that the compiler has made on its way */
    if (state.st_ctim.tv_sec > since.tv_sec ||
        (state.st_ctim.tv_sec == since.tv_sec && state.st_ctim.tv_nsec > since.tv_nsec))
        return false; /* nobody knows which of its texts was read */
    if (str_find_char(file, '\n') != STR_NONE || !file_bytes(arena, path, &bytes)) return false;
    if (is_system(file)) {
        buf_format(text, "f %S %S %S\n", state_of(arena, path), sha256_of(arena, bytes), file);
        return true;
    }
    buf_format(text, "c %S %S\n", sha256_of(arena, bytes), file);
    return !read || !is_fickle(bytes);
}

Str parts_text(const Command *command, Str read, Str linked, struct timespec since) {
    Arena *arena = command->arena;
    Names seen, known;
    names_init(&seen, arena);
    names_init(&known, arena);
    Strs files = {0}, libraries = {0}, folders = {0};
    read_rules(arena, &seen, read, &files);
    read_rules(arena, &seen, linked, &libraries);
    Buf text;
    buf_init(&text, arena);
    for (uint32_t i = 0; i < command->folders.n; i++)
        add_folder(arena, &known, &folders, command->folders.items[i]);
    for (int system = 0; system < 2; system++) { /* what differs most often comes first */
        for (uint32_t i = 0; i < files.n; i++) {
            if (is_system(files.items[i]) != (system == 1)) continue;
            if (!add_part(&text, files.items[i], true, since)) return (Str){NULL, 0};
            if (system == 0) add_folder(arena, &known, &folders, folder_of(files.items[i]));
        }
    }
    for (uint32_t i = 0; i < libraries.n; i++)
        if (!add_part(&text, libraries.items[i], false, since)) return (Str){NULL, 0};
    Absent absent = {.text = &text};
    names_init(&absent.seen, arena);
    for (uint32_t i = 0; i < files.n; i++)
        absent_headers(&absent, &folders, files.items[i]);
    absent_libraries(&absent, command);
    return buf_str(&text);
}

static bool part_same(Arena *arena, Str line) {
    char kind = line.n > 2 ? line.p[0] : '?';
    line = str_sub(line, 2, line.n);
    if (kind == 'a') return access(str_to_c(arena, line), F_OK) != 0;
    Str words[2] = {{NULL, 0}, {NULL, 0}};
    for (int i = kind == 'f' ? 0 : 1; i < 2; i++) {
        size_t end = str_find_char(line, ' ');
        if (end == STR_NONE) return false;
        words[i] = str_sub(line, 0, end);
        line = str_sub(line, end + 1, line.n);
    }
    const char *path = str_to_c(arena, line);
    if (kind == 'f' && str_eq(words[0], state_of(arena, path))) return true;
    return str_eq(words[1], digest_of(arena, path));
}

bool parts_same(Arena *arena, Str text) {
    while (text.n > 0) {
        size_t end = str_find_char(text, '\n');
        if (end == STR_NONE || !part_same(arena, str_sub(text, 0, end))) return false;
        text = str_sub(text, end + 1, text.n);
    }
    return true;
}

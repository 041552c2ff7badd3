/* data.c: where opgen's own operators and templates are, and reading all operators that there are.
 *
 * The tool may stand in build/ of its repository, in bin/ of a bundle or of a prefix: its data are looked for from its
 * own place, so that what is copied or moved as a whole goes on working. OPGEN_DATA names another folder.
 */
#include "command/command.h"

#include "base/folder.h"
#include "op/rewrite.h"

#include <stdlib.h>
#include <unistd.h>

Str path_folder(Str path) {
    while (path.n > 0 && path.p[path.n - 1] != '/')
        path.n--;
    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    return path;
}

Str path_last(Str path) {
    size_t from = path.n;
    while (from > 0 && path.p[from - 1] != '/')
        from--;
    return str_sub(path, from, path.n);
}

bool file_exists(Arena *arena, Str path) { return access(str_to_c(arena, path), F_OK) == 0; }

static Str own_folder(Arena *arena) {
    enum { MOST = 4096 };
    char *path = arena_alloc(arena, MOST);
    ssize_t n = readlink("/proc/self/exe", path, MOST);
    if (n <= 0 || n == MOST) return S("");
    while (n > 0 && path[n - 1] != '/')
        n--;
    return str(path, (size_t)n);
}

/* "/usr/bin/../share/opgen" is shown as "/usr/share/opgen". */
static Str above(Str folder) {
    for (int i = 0; i < 2; i++) {
        while (folder.n > 0 && (folder.p[folder.n - 1] == '/') == (i == 0))
            folder.n--;
    }
    return folder;
}

Str command_data(Command *command, const char *name) {
    static const char *const places[] = {"", "share/opgen/"};
    Arena *arena = command->arena;
    const char *set = getenv("OPGEN_DATA");
    if (set != NULL && *set != '\0') {
        Str path = path_join(arena, str_c(set), str_c(name));
        return folder_exists(arena, path) ? path : S("");
    }
    Str folder = above(own_folder(arena));
    if (folder.n == 0) return S("");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        Str path = str_format(arena, "%S%s%s", folder, places[i], name);
        if (folder_exists(arena, path)) return path;
    }
    return S("");
}

void command_check_includes(Command *command) {
    const OptionValue *include = &command->options.values[OPT_INCLUDE];
    for (uint32_t i = 0; i < include->all.n; i++) {
        if (folder_exists(command->arena, include->all.items[i])) continue;
        diag_error(&command->diags, E_IO, span(NULL, 0, 0), "cannot use -I %S: it is not a folder",
                   include->all.items[i]);
    }
}

void command_roots(Command *command, Folders *roots) {
    const OptionValue *include = &command->options.values[OPT_INCLUDE];
    command_check_includes(command);
    for (uint32_t i = 0; i < include->all.n; i++) {
        if (folder_exists(command->arena, include->all.items[i]))
            *VEC_PUSH(command->arena, roots) = include->all.items[i];
    }
    Str own = command_data(command, "templates");
    if (own.n > 0) *VEC_PUSH(command->arena, roots) = own;
}

/* Into its place of those that are there already. */
static void insert(Arena *arena, Folders *names, Str name) {
    uint32_t at = names->n;
    while (at > 0 && str_cmp(names->items[at - 1], name) > 0)
        at--;
    if (at > 0 && str_eq(names->items[at - 1], name)) return;
    (void)VEC_PUSH(arena, names);
    memmove(&names->items[at + 1], &names->items[at], (names->n - 1 - at) * sizeof *names->items);
    names->items[at] = name;
}

/* Folders of the roots that have a file of this name, sorted, each once. */
static void folders_with(Command *command, const Folders *roots, const char *file, Folders *names) {
    for (uint32_t i = 0; i < roots->n; i++) {
        FolderEntries entries = {0};
        if (!folder_list(command->arena, roots->items[i], span(NULL, 0, 0), &command->diags, &entries)) continue;
        for (uint32_t k = 0; k < entries.n; k++) {
            Str name = entries.items[k].name;
            Str path = str_format(command->arena, "%S/%S/%s", roots->items[i], name, file);
            if (file_exists(command->arena, path)) insert(command->arena, names, name);
        }
    }
}

void command_backends(Command *command, const Folders *roots, Folders *names) {
    folders_with(command, roots, "backend.json", names);
}

void command_profiles(Command *command, const Folders *roots, Folders *names) {
    folders_with(command, roots, "profile.json", names);
}

bool command_operators(Command *command, Names *names, OpTable *table, bool all) {
    const OptionValue *include = &command->options.values[OPT_INCLUDE];
    Diags *diags = &command->diags;
    uint32_t errors = diags->errors;
    optable_init(table, command->arena, names);
    Str own = command_data(command, "opdefs");
    if (own.n > 0 && all)
        optable_read_folder(table, own, diags);
    else if (own.n > 0)
        optable_shelve_folder(table, own, diags);
    command_check_includes(command);
    for (uint32_t i = 0; i < include->all.n; i++)
        rewrites_add_folder(table, path_join(command->arena, include->all.items[i], S("rewrites")), false);
    if (own.n > 0) rewrites_add_folder(table, path_join(command->arena, own, S("rewrites")), true);
    for (uint32_t i = include->all.n; i-- > 0;) {
        if (folder_exists(command->arena, include->all.items[i]))
            optable_read_folder(table, include->all.items[i], diags);
    }
    if (diags->errors != errors) return false;
    return optable_check(table, NULL, 0, diags);
}

/* program.c: finding programs. */
#include "command/program.h"

#include "base/folder.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(Arena *arena, Str path) {
    struct stat about;
    const char *c = str_to_c(arena, path);
    return stat(c, &about) == 0 && S_ISREG(about.st_mode) && access(c, X_OK) == 0;
}

Str program_find(Arena *arena, Str name, const Json *places, bool *hidden) {
    const char *set = getenv("PATH");
    Str rest = str_c(set == NULL ? "/usr/bin:/bin" : set);
    *hidden = false;
    while (rest.n > 0) {
        size_t colon = str_find_char(rest, ':');
        Str path = path_join(arena, colon == STR_NONE ? rest : str_sub(rest, 0, colon), name);
        rest = colon == STR_NONE ? S("") : str_sub(rest, colon + 1, rest.n);
        if (is_program(arena, path)) return path;
    }
    /* Where their makers put them, which is often not in PATH. */
    for (uint32_t i = 0; places != NULL && places->kind == JSON_ARRAY && i < places->as.array.n; i++) {
        if (places->as.array.items[i].kind != JSON_STRING) continue;
        Str path = path_join(arena, places->as.array.items[i].as.s, name);
        if (!is_program(arena, path)) continue;
        *hidden = true;
        return path;
    }
    return S("");
}

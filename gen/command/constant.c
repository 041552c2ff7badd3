/* constant.c: a program that computes a model's constants: compiled, run and gone.
 *
 * All of it happens in a folder of its own below TMPDIR, which an interrupt removes as well. Only the system's compiler
 * is used, and nothing of it is kept.
 */
#include "command/constant.h"

#include "command/child.h"

#include "base/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static const Span nowhere = {NULL, 0, 0};

enum { SOURCE, PROGRAM, READ, MADE, FILES };
static const char *const names[FILES] = {"constant.c", "constant", "read", "made"};

/* What an interrupt removes: in memory of the command, which is there as long as they are. NULL: there is nothing. */
static char *volatile folder;
static char *files[FILES];

void constant_interrupted(void) {
    if (folder == NULL) return;
    for (int i = 0; i < FILES; i++)
        unlink(files[i]);
    rmdir(folder);
    folder = NULL;
}

/* All memory is there before the folder is. */
static bool begin(Command *command) {
    Arena *arena = command->arena;
    const char *set = getenv("TMPDIR");
    Str path = path_join(arena, str_c(set == NULL || *set == '\0' ? "/tmp" : set), S("opgen-constant-XXXXXX"));
    char *made = arena_copy(arena, str_to_c(arena, path), path.n + 1);
    for (int i = 0; i < FILES; i++) {
        Str file = path_join(arena, path, str_c(names[i]));
        files[i] = arena_copy(arena, str_to_c(arena, file), file.n + 1);
    }
    if (mkdtemp(made) == NULL) {
        diag_error(&command->diags, E_IO, nowhere, "cannot make a folder %Q: %s", path, strerror(errno));
        return false;
    }
    for (int i = 0; i < FILES; i++)
        memcpy(files[i], made, path.n);
    folder = made;
    return true;
}

/* What it takes to have no constants computed. */
static void hint(Command *command, Diag *diag) {
    if (command->options.values[OPT_FREEZE].given)
        diag_hint(&command->diags, diag, "without --freeze a library computes them when it gets its weights");
    else
        diag_hint(&command->diags, diag, "with --without fold runs compute what does not depend on inputs");
}

/* The first line of what a compiler said that has an error; else the first. */
static Str first_error(Str text) {
    size_t at = str_find(text, S("error:"));
    if (at == STR_NONE) at = 0;
    while (at > 0 && text.p[at - 1] != '\n')
        at--;
    text = str_sub(text, at, text.n);
    size_t end = str_find_char(text, '\n');
    return str_trim(end == STR_NONE ? text : str_sub(text, 0, end));
}

static bool compile(Command *command, Str compiler, const Json *flags) {
    Arena *arena = command->arena;
    VEC(const char *) arguments = {0};
    *VEC_PUSH(arena, &arguments) = str_to_c(arena, compiler);
    for (uint32_t i = 0; flags != NULL && i < flags->as.array.n; i++)
        *VEC_PUSH(arena, &arguments) = str_to_c(arena, flags->as.array.items[i].as.s);
    *VEC_PUSH(arena, &arguments) = "-o";
    *VEC_PUSH(arena, &arguments) = files[PROGRAM];
    *VEC_PUSH(arena, &arguments) = files[SOURCE];
    *VEC_PUSH(arena, &arguments) = "-lm";
    *VEC_PUSH(arena, &arguments) = NULL;
    command_progress(command, "computing constants");
    ChildEnd end = child_run(arena, &(Child){.arguments = arguments.items});
    command_progress_end(command);
    if (end.error == 0 && end.status == 0) return true;
    Diag *diag;
    if (end.error != 0)
        diag = diag_error(&command->diags, E_IO, nowhere, "constants cannot be computed: %S cannot be run: %s",
                          compiler, strerror(end.error));
    else
        diag = diag_error(&command->diags, E_IO, nowhere, "constants cannot be computed: %S ended with %d: %S",
                          compiler, end.status, first_error(end.output));
    hint(command, diag);
    return false;
}

static bool execute(Command *command) {
    const char *arguments[] = {files[PROGRAM], files[READ], files[MADE], NULL};
    ChildEnd end = child_run(command->arena, &(Child){.arguments = arguments});
    if (end.error == 0 && end.status == 0) return true;
    Diag *diag = diag_error(&command->diags, E_IO, nowhere, "constants cannot be computed: their program %s%S",
                            end.error != 0 ? strerror(end.error) : "ended with an error: ", str_trim(end.output));
    hint(command, diag);
    return false;
}

static bool compute(Command *command, Str program, Str compiler, const Json *flags, Str read, size_t size, Str *made) {
    Arena *arena = command->arena;
    Diags *diags = &command->diags;
    bool changed;
    if (!file_write_if_changed(arena, str_c(files[SOURCE]), program, diags, &changed) ||
        !file_write_if_changed(arena, str_c(files[READ]), read, diags, &changed) ||
        !compile(command, compiler, flags) || !execute(command) ||
        !file_read(arena, str_c(files[MADE]), nowhere, diags, made))
        return false;
    if (made->n == size) return true;
    diag_error(diags, E_IO, nowhere, "constants cannot be computed: %zu bytes of %zu were made", made->n, size);
    return false;
}

bool constant_compute(void *user, Str program, Str compiler, const Json *flags, Str read, size_t size, Str *made) {
    Command *command = user;
    if (!begin(command)) return false;
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        constant_interrupted();
        mem_fail(trap.why, trap.wanted);
    }
    bool good = compute(command, program, compiler, flags, read, size, made);
    mem_untrap(&trap);
    constant_interrupted();
    return good;
}

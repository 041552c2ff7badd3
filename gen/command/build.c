/* build.c: make in a model's folder, and what it says.
 *
 * make tells before each target that it is about to make it (--trace) and keeps what a target says together (-O), so
 * the output is a list of blocks: a mark, the commands, their messages. From the marks of a rehearsal (-n) it is known
 * how many there will be. Of a build that fails those blocks are shown that failed, with the command in front.
 */
#include "command/build.h"

#include "command/arch.h"
#include "command/child.h"
#include "command/program.h"

#include "base/folder.h"
#include "base/target.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const Span nowhere = {NULL, 0, 0};

typedef VEC(const char *) Arguments;

typedef struct Build {
    Command *command;
    Arena *arena;
    Str name, folder;
    uint32_t done, total;
} Build;

/* ---- what make is told --------------------------------------------------------------------------------------------
 */

static unsigned processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return (unsigned)CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

static void add(Build *build, Arguments *arguments, const char *format, ...) {
    va_list args;
    va_start(args, format);
    *VEC_PUSH(build->arena, arguments) = str_to_c(build->arena, str_vformat(build->arena, format, args));
    va_end(args);
}

static Str text_of(const Json *json) { return json != NULL && json->kind == JSON_STRING ? json->as.s : S(""); }

/* Of those that the model's Makefile names at its top. A $ in the value is no sign of make's. */
static void add_variable(Build *build, Arguments *arguments, Str name, Str value) {
    Buf out;
    buf_init(&out, build->arena);
    for (size_t i = 0; i < value.n; i++) {
        buf_char(&out, value.p[i]);
        if (value.p[i] == '$') buf_char(&out, '$');
    }
    add(build, arguments, "%S=%S", name, buf_str(&out));
}

/* The backend's compiler, where it is in none of PATH's folders and nobody names another. */
static void add_hidden_compiler(Build *build, Arguments *arguments, const Backend *backend, Str variable) {
    if (variable.n == 0 || getenv(str_to_c(build->arena, variable)) != NULL) return;
    bool hidden;
    Str path = program_find(build->arena, text_of(backend_compiler(backend, S("command"))),
                            backend_compiler(backend, S("places")), &hidden);
    if (hidden) add_variable(build, arguments, variable, path);
}

/* The flags besides of a library that others are compared with. */
static Str reference_flags(Build *build, const Backend *backend) {
    const Json *words = backend_compiler(backend, S("reference"));
    Buf out;
    buf_init(&out, build->arena);
    for (uint32_t i = 0; words != NULL && i < words->as.array.n; i++) {
        if (i > 0) buf_char(&out, ' ');
        buf_add(&out, words->as.array.items[i].as.s);
    }
    return buf_str(&out);
}

static Arguments make_arguments(Build *build, const Models *models, const ModelFiles *model,
                                const BuildOptions *options) {
    const OptionValue *values = build->command->options.values;
    const Backend *backend = model->files.plan.backend;
    const char *make = getenv("MAKE");
    Arguments arguments = {0};
    add(build, &arguments, "%s", make != NULL && *make != '\0' ? make : "make");
    add(build, &arguments, "-C");
    add(build, &arguments, "%S", options->folder);
    add(build, &arguments, "--no-print-directory");
    add(build, &arguments, "--trace");
    add(build, &arguments, "V=1"); /* commands alone, not what stands for them */
    Str variable = text_of(backend_compiler(backend, S("variable")));
    if (values[OPT_CC].given && !options->reference)
        add_variable(build, &arguments, variable.n > 0 ? variable : S("CC"), values[OPT_CC].text);
    else
        add_hidden_compiler(build, &arguments, backend, variable);
    if (values[OPT_LAUNCHER].given) add_variable(build, &arguments, S("LAUNCHER"), values[OPT_LAUNCHER].text);
    /* All of them, whatever the environment holds under these names. */
    add(build, &arguments, "BUILD=.");
    add_variable(build, &arguments, S("ARCH"), options->reference ? S("") : arch_text(models));
    add_variable(build, &arguments, S("OPENMP"), options->threads ? S("1") : S(""));
    if (options->reference) add_variable(build, &arguments, S("CFLAGS"), reference_flags(build, backend));
    add(build, &arguments, "shared");
    return arguments;
}

/* ---- what it says -------------------------------------------------------------------------------------------------
 */

/* "Makefile:12: update target 'k.o' due to: k.c", "Makefile:12: target 'k.o' does not exist" */
static bool is_mark(Str line, Str *target) {
    size_t at = str_find(line, S(": update target '"));
    size_t from = at + sizeof ": update target '" - 1;
    if (at == STR_NONE) {
        at = str_find(line, S(": target '"));
        from = at + sizeof ": target '" - 1;
        if (at == STR_NONE || !str_ends(line, S("' does not exist"))) return false;
    }
    if (at == 0 || line.p[at - 1] < '0' || line.p[at - 1] > '9') return false;
    Str rest = str_sub(line, from, line.n);
    size_t end = str_find_char(rest, '\'');
    if (end == STR_NONE) return false;
    *target = str_sub(rest, 0, end);
    return true;
}

/* What somebody waits for: the others are done at once, and some of them each time. */
static bool is_step_target(Str target) { return str_ends(target, S(".o")) || str_ends(target, S(".so")); }

static bool is_step(Str line, Str *target) { return is_mark(line, target) && is_step_target(*target); }

static void on_line(void *user, Str line) {
    Build *build = user;
    Str target;
    if (!is_step(line, &target)) return;
    build->done++;
    command_progress(build->command, "%S: %u of %u: %S", build->name, (unsigned)build->done, (unsigned)build->total,
                     target);
}

static void count_line(void *user, Str line) {
    Build *build = user;
    Str target;
    if (is_step(line, &target)) build->total++;
}

static Str next_line(Str *text) {
    size_t end = str_find_char(*text, '\n');
    Str line = end == STR_NONE ? *text : str_sub(*text, 0, end);
    *text = end == STR_NONE ? S("") : str_sub(*text, end + 1, text->n);
    return line;
}

/* "make: *** [Makefile:12: k.o] Error 1"; that a program is not there is make's to say, too, and is kept. */
static bool is_of_make(Str line) {
    return (str_starts(line, S("make: ")) || str_starts(line, S("make["))) && str_find(line, S(" *** ")) != STR_NONE;
}

typedef struct Block {
    Str target; /* empty: what make says before the first */
    bool failed;
    Buf text; /* commands and their messages, without what make says itself */
} Block;

/* The next block of what make printed; false: there is none. */
static bool next_block(Arena *arena, Str *rest, Str *target, Block *block) {
    if (rest->n == 0 && target->n == 0) return false;
    *block = (Block){.target = *target};
    buf_init(&block->text, arena);
    *target = S("");
    while (rest->n > 0) {
        Str line = next_line(rest);
        if (is_mark(line, target)) break;
        if (is_of_make(line))
            block->failed = block->failed || str_find(line, S("*** [")) != STR_NONE;
        else if (line.n > 0)
            buf_format(&block->text, "%S\n", line);
    }
    return true;
}

/* The blocks that failed; everything if none did: then make itself could not work. */
static Str failed_blocks(Arena *arena, Str text) {
    Buf out;
    Block block;
    Str rest = text, target = S("");
    buf_init(&out, arena);
    while (next_block(arena, &rest, &target, &block)) {
        if (block.failed) buf_add(&out, buf_str(&block.text));
    }
    return out.n > 0 ? buf_str(&out) : text;
}

/* The compiler's commands and what it says. */
static Str step_blocks(Arena *arena, Str text) {
    Buf out;
    Block block;
    Str rest = text, target = S("");
    buf_init(&out, arena);
    while (next_block(arena, &rest, &target, &block)) {
        if (is_step_target(block.target) || block.failed) buf_add(&out, buf_str(&block.text));
    }
    return buf_str(&out);
}

/* As much of it as can be read. */
static Str cut(Arena *arena, Str text) {
    enum { MOST_LINES = 60 };
    Str rest = text;
    uint32_t n = 0, left = 0;
    for (; rest.n > 0 && n < MOST_LINES; n++)
        next_line(&rest);
    size_t shown = text.n - rest.n;
    for (; rest.n > 0; left++)
        next_line(&rest);
    if (left == 0) return text;
    return str_format(arena, "%S... and %u more lines; --verbose shows all of them\n", str_sub(text, 0, shown),
                      (unsigned)left);
}

/* What failed, as text for people; for programs in the finding itself. */
static bool build_failed(Build *build, const char *make, const ChildEnd *end) {
    Command *command = build->command;
    Diags *diags = &command->diags;
    if (end->error != 0) {
        Diag *diag = diag_error(diags, E_BUILD, nowhere, "cannot run %s: %s", make, strerror(end->error));
        diag_hint(diags, diag, "see: opgen doctor");
        return false;
    }
    Str said = failed_blocks(build->arena, end->output);
    bool people = command->options.values[OPT_DIAGNOSTICS].choice == DIAG_TEXT;
    bool verbose = command->options.values[OPT_VERBOSE].given > 0;
    if (people && !verbose) {
        Str shown = cut(build->arena, said);
        (void)file_write_all(STDERR_FILENO, shown);
        if (shown.n > 0 && !str_ends(shown, S("\n"))) (void)file_write_all(STDERR_FILENO, S("\n"));
    }
    Diag *diag = diag_error(diags, E_BUILD, nowhere, "%S cannot be built in %Q: make ended with status %d", build->name,
                            build->folder, end->status);
    bool missing =
        str_find(said, S("No such file or directory")) != STR_NONE || str_find(said, S("not found")) != STR_NONE;
    if (!people)
        diag_hint(diags, diag, "%S", str_trim(cut(build->arena, said)));
    else if (missing)
        diag_hint(diags, diag, "opgen doctor tells what is missing");
    return false;
}

static bool is_newer(Build *build, Str file, Str than) {
    struct stat a, b;
    if (stat(str_to_c(build->arena, path_join(build->arena, build->folder, file)), &a) != 0) return false;
    if (stat(str_to_c(build->arena, path_join(build->arena, build->folder, than)), &b) != 0) return true;
    return a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec
                                                : a.st_mtim.tv_nsec > b.st_mtim.tv_nsec;
}

/* How many steps there will be, for the progress alone. The file that has the flags is looked at in each run, and make
 * counts what depends on it as if it would change; so it is brought up to date before, and told to be left alone. */
static void rehearse(Build *build, Arguments arguments) {
    static const char flags[] = "obj/flags";
    Arguments first = {0}, all = {0};
    for (uint32_t i = 0; i < arguments.n; i++) {
        if (i + 1 < arguments.n) *VEC_PUSH(build->arena, &first) = arguments.items[i]; /* the goal is the last */
        *VEC_PUSH(build->arena, &all) = arguments.items[i];
    }
    add(build, &first, flags);
    *VEC_PUSH(build->arena, &first) = NULL;
    child_run(build->arena, &(Child){.arguments = first.items});
    add(build, &all, "-n");
    if (!is_newer(build, str_c(flags), str_format(build->arena, "lib%S.so", build->name)))
        add(build, &all, "--old-file=%s", flags);
    *VEC_PUSH(build->arena, &all) = NULL;
    child_run(build->arena, &(Child){.arguments = all.items, .line = count_line, .user = build});
}

static bool run_make(Build *build, const Models *models, const ModelFiles *model, const BuildOptions *options) {
    const OptionValue *values = build->command->options.values;
    Arguments arguments = make_arguments(build, models, model, options);
    if (isatty(STDERR_FILENO)) rehearse(build, arguments);
    add(build, &arguments, "-Otarget");
    add(build, &arguments, "-j%u", values[OPT_JOBS].given ? (unsigned)values[OPT_JOBS].number : processors());
    *VEC_PUSH(build->arena, &arguments) = NULL;
    ChildEnd end = child_run(build->arena, &(Child){.arguments = arguments.items, .line = on_line, .user = build});
    command_progress_end(build->command);
    if (values[OPT_VERBOSE].given && values[OPT_DIAGNOSTICS].choice == DIAG_TEXT)
        (void)file_write_all(STDERR_FILENO, step_blocks(build->arena, end.output));
    if (end.error != 0 || end.status != 0) return build_failed(build, arguments.items[0], &end);
    return true;
}

/* ---- the library --------------------------------------------------------------------------------------------------
 */

static bool build_locked(Build *build, const Models *models, const ModelFiles *model, const BuildOptions *options,
                         Str *library) {
    Command *command = build->command;
    if (!run_make(build, models, model, options)) return false;
    *library = path_join(command->arena, options->folder, str_format(command->arena, "lib%S.so", build->name));
    if (!file_exists(command->arena, *library)) {
        diag_error(&command->diags, E_BUILD, nowhere, "make did not make %Q", *library);
        return false;
    }
    if (build->done > 0) command_note(command, "%S: built in %S", build->name, options->folder);
    /* What is embedded, or frozen, or read from elsewhere, needs no file here. */
    const OptionValue *values = command->options.values;
    if (model->weights.n == 0 || values[OPT_EMBED_WEIGHTS].given || values[OPT_FREEZE].given ||
        values[OPT_WEIGHTS].given)
        return true;
    Str beside = path_join(command->arena, options->folder, model->graph->weights);
    return file_place(command->arena, model->weights, beside, &command->diags);
}

/* Two makes in one folder would write each other's objects: they take turns. Where there are no locks they do not. */
bool build_model(Models *models, const ModelFiles *model, const BuildOptions *options, Str *library) {
    enum { WAIT_MS = 3600 * 1000 };
    Command *command = models->command;
    Build build = {
        .command = command, .arena = command->arena, .name = name_str(model->graph->name), .folder = options->folder};
    int folder = target_open(str_to_c(command->arena, path_join(command->arena, options->folder, S("obj"))), true);
    if (folder >= 0 && target_lock(folder, false, 0) == EWOULDBLOCK) {
        command_progress(command, "%S: waiting for another opgen that builds in %S", build.name, build.folder);
        (void)target_lock(folder, false, WAIT_MS);
        command_progress_end(command);
    }
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        if (folder >= 0) close(folder);
        mem_fail(trap.why, trap.wanted);
    }
    bool good = build_locked(&build, models, model, options, library);
    mem_untrap(&trap);
    if (folder >= 0) close(folder);
    return good;
}

/* A library whose weights it would not take is not built. Those that are embedded are looked at when they are. */
static bool check_weights(Models *models) {
    const OptionValue *values = models->command->options.values;
    bool good = true;
    for (uint32_t i = 0; i < models->items.n; i++) {
        const ModelFiles *model = &models->items.items[i];
        if (model->weights.n == 0 || values[OPT_EMBED_WEIGHTS].given || values[OPT_WEIGHTS].given) continue;
        good = emit_check_weights(models->command->arena, model->graph, model->weights) && good;
    }
    return good;
}

bool build_all(Models *models, bool threads, Str *libraries) {
    Command *command = models->command;
    const OptionValue *values = command->options.values;
    OutputOptions how = {.force = values[OPT_FORCE].given > 0, .prune = true};
    if (str_eq(values[OPT_FOLDER].text, S("-"))) {
        diag_error(&command->diags, E_USAGE, nowhere, "-o - is for generate");
        return false;
    }
    if (!arch_choose(models, values[OPT_BACKEND].text) || !check_weights(models) ||
        !models_emit(models, values[OPT_BACKEND].text) || !models_write(models, values[OPT_FOLDER].text, &how))
        return false;
    bool good = true;
    for (uint32_t i = 0; i < models->items.n; i++) {
        ModelFiles *model = &models->items.items[i];
        BuildOptions options = {.folder = models_folder(models, model, values[OPT_FOLDER].text), .threads = threads};
        good = build_model(models, model, &options, &libraries[i]) && good;
    }
    return good;
}

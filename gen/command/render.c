/* render.c: `opgen render`, the template engine alone.
 *
 * Template and data are read and judged both before anything is rendered, so that one run names the errors of
 * either. The text is complete before the first byte of it is written: what fails leaves no half of a file.
 */
#include "command/command.h"

#include "base/file.h"
#include "base/folder.h"
#include "template/template.h"
#include "template/value/run.h"

#include <errno.h>
#include <sys/stat.h>

static EngineOptions engine_options(const Options *options) {
    const OptionValue *values = options->values;
    return (EngineOptions){
        .syntax = {.trim_blocks = values[OPT_TRIM_BLOCKS].given > 0,
                   .lstrip_blocks = values[OPT_LSTRIP_BLOCKS].given > 0,
                   .keep_trailing_newline = values[OPT_KEEP_TRAILING_NEWLINE].given > 0},
        .undefined = (UndefinedMode)values[OPT_UNDEFINED].choice,
        .limits = {.loops = values[OPT_MAX_LOOPS].number,
                   .output = (size_t)values[OPT_MAX_OUTPUT].number,
                   .memory = (size_t)values[OPT_MAX_MEMORY].number,
                   .depth = (uint32_t)values[OPT_MAX_DEPTH].number},
    };
}

/* A template's own verdict on its data, by the name that templates elsewhere have for it. */
static Value raise_exception(Run *run, const Value *a, void *user) {
    (void)user;
    run_fail_as(run, E_RENDER, S(""), "%S", val_text(val_to_str(run, a[0])));
}

/* The template's file: what the operand says, or else what it says in a folder of -I or among opgen's own templates:
 * models/bert.json.j2. */
static Str find_template(Command *command, Str path) {
    Arena *arena = command->arena;
    const OptionValue *include = &command->options.values[OPT_INCLUDE];
    struct stat about;
    if (path.n == 0 || path.p[0] == '/' || str_eq(path, S("-")) || stat(str_to_c(arena, path), &about) == 0)
        return path;
    for (uint32_t i = 0; i <= include->all.n; i++) {
        Str folder = i < include->all.n ? include->all.items[i] : command_data(command, "templates");
        Str there = path_join(arena, folder, path);
        if (folder.n > 0 && stat(str_to_c(arena, there), &about) == 0) return there;
    }
    return path;
}

/* The folders of -I, the template's own, and opgen's templates. A folder that is not there is a slip that is better
 * told at once than as a template that cannot be found. */
static void add_roots(Command *command, Engine *engine, Str template) {
    const OptionValue *include = &command->options.values[OPT_INCLUDE];
    for (uint32_t i = 0; i < include->all.n; i++) {
        Str folder = include->all.items[i];
        struct stat about;
        int error = stat(str_to_c(command->arena, folder), &about) != 0 ? errno : S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
        if (error == 0)
            engine_add_root(engine, folder);
        else
            diag_error(&command->diags, E_IO, span(NULL, 0, 0), "cannot use -I %S: %s", folder, strerror(error));
    }
    if (!str_eq(template, S("-"))) {
        Str own = path_folder(template);
        engine_add_root(engine, own.n == 0 ? S(".") : own);
    }
    Str ours = command_data(command, "templates");
    if (ours.n > 0) engine_add_root(engine, ours);
}

/* The data as a dict: V_MISSING when none was given, and after adding findings. */
static Value read_data(Command *command, Names *names) {
    if (command->options.operand_count < 2) return val_missing();
    Source *source = file_read_text(command->arena, command->options.operands[1], span(NULL, 0, 0), &command->diags);
    if (source == NULL) return val_missing();
    Json *json = json_parse(command->arena, names, source, &command->diags);
    if (json == NULL) return val_missing();
    if (json->kind != JSON_OBJECT) {
        Diag *diag = diag_error(&command->diags, E_JSON_TYPE, span(source, json->from, json->to),
                                "the data of a template is an object, but this is %s", json_kind_name(json->kind));
        diag_hint(&command->diags, diag, "put it into one: {\"data\": ...}");
        return val_missing();
    }
    return val_of_json(command->arena, json);
}

/* The variables of --set, over those of the data. */
static Value add_variables(Command *command, Names *names, Value data) {
    const OptionValue *set = &command->options.values[OPT_SET];
    if (set->all.n == 0) return data;
    if (data.kind == V_MISSING) data = val_dict(dict_new(command->arena, set->all.n));
    for (uint32_t i = 0; i < set->all.n; i++) {
        Str pair = set->all.items[i];
        size_t equals = str_find_char(pair, '=');
        Name name = names_get(names, str_sub(pair, 0, equals));
        dict_set_in(command->arena, data.as.dict, val_name(name),
                    val_str_lit(pair.p + equals + 1, pair.n - equals - 1));
    }
    return data;
}

static void write_text(Command *command, Str text) {
    const OptionValue *output = &command->options.values[OPT_OUTPUT];
    bool changed;
    if (!output->given || str_eq(output->text, S("-")))
        command_print(command, text);
    else
        file_write_if_changed(command->arena, output->text, text, &command->diags, &changed);
}

void command_render(Command *command) {
    const Options *options = &command->options;
    Diags *diags = &command->diags;
    Str path = options->operands[0];
    if (options->operand_count == 2 && str_eq(path, S("-")) && str_eq(options->operands[1], S("-"))) {
        diag_error(diags, E_USAGE, span(NULL, 0, 0), "TEMPLATE and DATA cannot both be read from standard input");
        return;
    }
    Names names;
    names_init(&names, command->arena);
    EngineOptions how = engine_options(options);
    Engine *engine = engine_new(command->arena, &names, diags, &how);
    engine_add_function(engine, "raise_exception", raise_exception, "message", NULL);
    path = find_template(command, path);
    add_roots(command, engine, path);
    Source *source = file_read_text(command->arena, path, span(NULL, 0, 0), diags);
    Template *template = source == NULL ? NULL : engine_compile(engine, source);
    Value data = add_variables(command, &names, read_data(command, &names));
    if (template == NULL || diags->errors > 0) return;
    Str text;
    if (engine_render(engine, template, data, command->arena, &text)) write_text(command, text);
}

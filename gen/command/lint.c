/* lint.c: `opgen lint`, the check of what people write: operators, rules over them, templates, models.
 *
 * All files are read before anything is judged as a whole, so that an operator may name one that another file has, and
 * a model those of all. What
 * is wrong in the files is the answer and goes to standard output; what keeps lint from looking goes the way of all
 * errors.
 */
#include "command/models.h"

#include "base/file.h"
#include "base/folder.h"
#include "graph/graph.h"
#include "op/rewrite.h"
#include "template/template.h"

#include <errno.h>
#include <sys/stat.h>

typedef struct LintFile {
    Str path;
    Source *source; /* NULL: cannot be read */
} LintFile;

typedef struct Lint {
    Command *command;
    Arena *arena;
    Names names;
    Map seen; /* files and folders by device and number, so that links lead nowhere twice */
    VEC(LintFile) files;
    VEC(Str) folders; /* still to be looked through */
    VEC(Str) roots;   /* of templates */
    VEC(Source *) models;
    OpTable table;
    Diags found;
} Lint;

static void keep(Diags *to, Diag *diag) {
    uint32_t most = to->most == 0 ? 100 : to->most;
    uint32_t *count = diag->level == DIAG_ERROR ? &to->errors : &to->warnings;
    if (++*count <= most) *VEC_PUSH(to->arena, &to->items) = diag;
}

/* What is about the file's text is an answer; that it cannot be read is not. */
static void keep_all(Lint *lint, const Diags *from) {
    for (uint32_t i = 0; i < from->items.n; i++) {
        Diag *diag = from->items.items[i];
        bool cannot = diag->code == E_IO || diag->code == E_TOO_LARGE;
        keep(cannot ? &lint->command->diags : &lint->found, diag);
    }
}

/* ---- which files */

/* Whether this one comes for the first time. */
static bool is_new(Lint *lint, const struct stat *about) {
    Str key =
        str_format(lint->arena, "%llx:%llx", (unsigned long long)about->st_dev, (unsigned long long)about->st_ino);
    Name name = names_get(&lint->names, key);
    return map_set(&lint->seen, name, lint) == NULL;
}

static bool is_template(Str path) {
    return str_ends(path, S(".j2")) || str_ends(path, S(".jinja")) || str_ends(path, S(".jinja2"));
}

/* The path in a message that it cannot be used; false. */
static bool cannot_read(Lint *lint, Str path, int error) {
    diag_error(&lint->command->diags, E_IO, span(NULL, 0, 0), "cannot read %S: %s", path, strerror(error));
    return false;
}

static bool look_at(Lint *lint, Str path, struct stat *about) {
    if (stat(str_to_c(lint->arena, path), about) == 0) return true;
    return cannot_read(lint, path, errno);
}

static void add_file(Lint *lint, Str path) {
    Diags diags;
    diags_init(&diags, lint->arena);
    LintFile file = {.path = path, .source = file_read_text(lint->arena, path, span(NULL, 0, 0), &diags)};
    keep_all(lint, &diags);
    *VEC_PUSH(lint->arena, &lint->files) = file;
}

static void add_folder(Lint *lint, Str path) {
    FolderEntries entries = {0};
    if (!folder_list(lint->arena, path, span(NULL, 0, 0), &lint->command->diags, &entries)) return;
    uint32_t below = lint->folders.n;
    for (uint32_t i = 0; i < entries.n; i++) {
        Str inner = path_join(lint->arena, path, entries.items[i].name);
        struct stat about;
        bool wanted = entries.items[i].is_folder || str_ends(inner, S(".json")) || is_template(inner);
        if (!wanted || !look_at(lint, inner, &about) || !is_new(lint, &about)) continue;
        if (entries.items[i].is_folder)
            *VEC_PUSH(lint->arena, &lint->folders) = inner;
        else
            add_file(lint, inner);
    }
    /* Those found here go on top of the stack, the first of them topmost. */
    for (uint32_t i = below, k = lint->folders.n; k > 0 && i < --k; i++) {
        Str other = lint->folders.items[i];
        lint->folders.items[i] = lint->folders.items[k];
        lint->folders.items[k] = other;
    }
}

static void add_path(Lint *lint, Str path) {
    struct stat about;
    if (!look_at(lint, path, &about) || !is_new(lint, &about)) return;
    if (!S_ISDIR(about.st_mode)) {
        add_file(lint, path);
        return;
    }
    *VEC_PUSH(lint->arena, &lint->roots) = path;
    *VEC_PUSH(lint->arena, &lint->folders) = path;
    while (lint->folders.n > 0)
        add_folder(lint, lint->folders.items[--lint->folders.n]);
}

/* ---- what is in them */

/* Operators that the linted ones may name: those of this folder that are not linted themselves. Mistakes in them are
 * not asked for. */
static void read_others(Lint *lint, Str folder) {
    FolderEntries entries = {0};
    Diags unasked;
    diags_init(&unasked, lint->arena);
    if (!folder_list(lint->arena, folder, span(NULL, 0, 0), &unasked, &entries)) return;
    optable_layer(&lint->table);
    for (uint32_t i = 0; i < entries.n; i++) {
        Str path = path_join(lint->arena, folder, entries.items[i].name);
        struct stat about;
        if (entries.items[i].is_folder || !str_ends(path, S(".json")) || str_ends(path, S(".schema.json"))) continue;
        if (stat(str_to_c(lint->arena, path), &about) != 0 || !is_new(lint, &about)) continue;
        Source *source = file_read_text(lint->arena, path, span(NULL, 0, 0), &unasked);
        if (source != NULL) optable_read(&lint->table, source, &unasked);
    }
    optable_layer(&lint->table);
}

static bool is_operators(const Json *json) {
    return json->kind == JSON_OBJECT && (json_get(json, S("op")) != NULL || json_get(json, S("ops")) != NULL);
}

static bool is_rules(const Json *json) {
    return json->kind == JSON_OBJECT && (json_get(json, S("rewrite")) != NULL || json_get(json, S("rewrites")) != NULL);
}

static bool is_model(const Json *json) {
    return json->kind == JSON_OBJECT && (json_get(json, S("opgen")) != NULL || json_get(json, S("nodes")) != NULL);
}

static void read_json(Lint *lint, const LintFile *file) {
    Diags diags; /* of what is read further on they come once more */
    diags_init(&diags, lint->arena);
    const Json *json = json_parse_lenient(lint->arena, &lint->names, file->source, &diags);
    if (json == NULL || (!is_operators(json) && !is_rules(json) && !is_model(json))) {
        keep_all(lint, &diags);
        return;
    }
    if (is_operators(json)) optable_read(&lint->table, file->source, &lint->found);
    if (is_rules(json)) rewrites_read(&lint->table, file->source, &lint->found);
    if (is_model(json)) *VEC_PUSH(lint->arena, &lint->models) = file->source;
}

/* What a template file is named for is not needed: an ending, or a tag in a text that is no JSON. */
static bool is_json(const LintFile *file) {
    if (is_template(file->path)) return false;
    if (str_ends(file->path, S(".json"))) return true;
    Str text = str_trim(file->source->text);
    return text.n > 0 && (text.p[0] == '[' || (text.p[0] == '{' && (text.n < 2 || strchr("%{#", text.p[1]) == NULL)));
}

/* Findings of the table as a whole that stand in a linted file. */
static void check_table(Lint *lint) {
    Diags all;
    diags_init(&all, lint->arena);
    all.most = 200; /* more than are shown, as some may stand in files that are not linted */
    optable_check(&lint->table, lint->roots.items, lint->roots.n, &all);
    for (uint32_t i = 0; i < all.items.n; i++) {
        Diag *diag = all.items.items[i];
        if (diag->span.source == NULL) keep(&lint->command->diags, diag);
        for (uint32_t k = 0; diag->span.source != NULL && k < lint->files.n; k++) {
            const Source *source = lint->files.items[k].source;
            if (source == NULL || !str_eq(source->name, diag->span.source->name)) continue;
            keep(&lint->found, diag);
            break;
        }
    }
    if (all.errors > all.items.n) lint->found.errors += all.errors - all.items.n;
}

static void lint_model(Lint *lint, Source *source) {
    const Graph *graph = graph_read(lint->arena, &lint->names, &lint->table, source, &lint->found);
    if (graph != NULL) models_check_weights(lint->arena, source->name, graph, &lint->found);
}

void command_lint(Command *command) {
    Lint lint = {.command = command, .arena = command->arena};
    const Options *options = &command->options;
    const OptionValue *include = &options->values[OPT_INCLUDE];
    names_init(&lint.names, command->arena);
    map_init(&lint.seen, command->arena);
    diags_init(&lint.found, command->arena);
    optable_init(&lint.table, command->arena, &lint.names);
    command_check_includes(command);
    Str operators = command_data(command, "opdefs"), templates = command_data(command, "templates");

    for (uint32_t i = 0; i < options->operand_count; i++)
        add_path(&lint, options->operands[i]);
    if (options->operand_count == 0 && operators.n > 0) add_path(&lint, operators);
    if (options->operand_count == 0 && templates.n > 0) add_path(&lint, templates);
    if (options->operand_count == 0 && operators.n == 0 && templates.n == 0) {
        Diag *diag = diag_error(&command->diags, E_USAGE, span(NULL, 0, 0),
                                "lint was given no PATH, and opgen's own files are not found");
        diag_hint(&command->diags, diag, "name the files to check");
    }
    if (operators.n > 0) read_others(&lint, operators);
    for (uint32_t i = 0; i < include->all.n; i++) {
        read_others(&lint, include->all.items[i]);
        *VEC_PUSH(command->arena, &lint.roots) = include->all.items[i];
    }
    if (templates.n > 0) *VEC_PUSH(command->arena, &lint.roots) = templates;

    EngineOptions how = {.undefined = UNDEFINED_STRICT};
    Engine *engine = engine_new(command->arena, &lint.names, &lint.found, &how);
    for (uint32_t i = 0; i < lint.files.n; i++) {
        const LintFile *file = &lint.files.items[i];
        if (file->source == NULL) continue;
        if (is_json(file))
            read_json(&lint, file);
        else
            engine_compile(engine, file->source);
    }
    check_table(&lint);
    rewrites_check(&lint.table, &lint.found);
    for (uint32_t i = 0; i < lint.models.n; i++)
        lint_model(&lint, lint.models.items[i]);
    command_print_findings(command, &lint.found);
    command->negative = lint.found.errors > 0;
}

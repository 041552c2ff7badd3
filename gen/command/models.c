/* models.c: from operands to file sets: operators and models read, graphs built, files emitted, inputs collected. */
#include "command/models.h"

#include "command/constant.h"

#include "base/folder.h"
#include "op/rewrite.h"

#include <limits.h>
#include <stdlib.h>

static const Span nowhere = {NULL, 0, 0};

/* ---- what the files are made from ---------------------------------------------------------------------------------
 */

static void add_input(Arena *arena, ModelFiles *model, Str path, Str name, Str text) {
    *VEC_PUSH(arena, &model->inputs) = (OutputInput){path, name, sha256_of(arena, text)};
}

/* The operator's own text, for the others of its file change nothing here; a build that looks at times has to look at
 * the file. An in-place form is in the text of its base. Those that a node was expanded from count as well. Each is
 * looked at once: `seen` is those of this model. */
static void add_operators(Models *models, ModelFiles *model, const Node *node, Map *seen) {
    Arena *arena = models->command->arena;
    for (; node != NULL; node = node->origin) {
        const OpDef *op = node->op->base != NULL ? node->op->base : node->op;
        if (op->source == NULL || map_set(seen, op->name, op->source) != NULL) continue;
        Str name = str_format(arena, "opdefs/%S#%S", path_last(op->source->name), name_str(op->name));
        add_input(arena, model, op->source->name, name, str_sub(op->source->text, op->json->from, op->json->to));
    }
}

/* What passes made of the model: rules that fired, and operators that they brought in. Of a project's own rules all
 * files, since one that did nothing may do something once it is changed. */
static void add_rewrites(Models *models, ModelFiles *model) {
    Arena *arena = models->command->arena;
    uint32_t n;
    const OpDef **fired = rewrites_fired(&models->table, arena, &n);
    for (uint32_t i = 0; i < n; i++) {
        const OpDef *rule = fired[i];
        map_set(&model->seen, rule->name, rule->source);
        Str name = str_format(arena, "opdefs/rewrites/%S#%S", path_last(rule->source->name),
                              str_sub(name_str(rule->name), S("rewrite:").n, rule->name->n));
        add_input(arena, model, rule->source->name, name,
                  str_sub(rule->source->text, rule->json->from, rule->json->to));
    }
    for (uint32_t i = 0; i < model->graph->nodes.n; i++)
        add_operators(models, model, model->graph->nodes.items[i], &model->seen);
    Source **files = rewrites_files(&models->table, arena, &n);
    for (uint32_t i = 0; i < n; i++)
        add_input(arena, model, files[i]->name, str_format(arena, "rewrites/%S", path_last(files[i]->name)),
                  files[i]->text);
}

/* ---- models -------------------------------------------------------------------------------------------------------
 */

/* The path without links; empty: there is no such file. */
static Str real_path(Arena *arena, Str path) {
    char *room = arena_alloc(arena, PATH_MAX);
    return realpath(str_to_c(arena, path), room) == NULL ? S("") : str_c(room);
}

static bool is_within(Str path, Str folder) {
    while (folder.n > 0 && folder.p[folder.n - 1] == '/')
        folder.n--;
    return str_starts(path, folder) && path.n > folder.n && path.p[folder.n] == '/';
}

/* A model that is a link itself may lie among links to the files of another folder: that folder is as good. */
void models_check_weights(Arena *arena, Str path, const Graph *graph, Diags *diags) {
    if (graph->weights.n == 0) return;
    Str folder = path_folder(path);
    Str real = real_path(arena, path_join(arena, folder, graph->weights));
    Str here = real_path(arena, folder.n == 0 ? S(".") : folder), there = path_folder(real_path(arena, path));
    if (real.n == 0 || is_within(real, here) || (there.n > 0 && is_within(real, there))) return;
    Diag *diag = diag_error(diags, E_OUTSIDE, graph->weights_at,
                            "\"weights\" is a file in the model's folder, but %Q leads out of it by a symbolic link",
                            graph->weights);
    diag_hint(diags, diag, "copy the file into the model's folder");
}

/* Who builds for two models that are told apart by A and a alone has variables of make that are not. */
static bool same_but_for_case(Str a, Str b) {
    bool same = a.n == b.n;
    for (size_t i = 0; same && i < a.n; i++)
        same = (a.p[i] | 0x20) == (b.p[i] | 0x20);
    return same;
}

static void add_model(Models *models, Str path, Source *source) {
    Arena *arena = models->command->arena;
    Diags *diags = &models->command->diags;
    Graph *graph = graph_read(arena, &models->names, &models->table, source, diags);
    if (graph == NULL) return;
    models_check_weights(arena, path, graph, diags);
    Str named = name_str(graph->name);
    for (uint32_t i = 0; i < models->items.n; i++) {
        const ModelFiles *other = &models->items.items[i];
        Str others = name_str(other->graph->name);
        if (!same_but_for_case(named, others)) continue;
        Diag *diag = str_eq(named, others)
                         ? diag_error(diags, E_DUPLICATE, span(source, 0, 0), "two models are named %Q", named)
                         : diag_error(diags, E_DUPLICATE, span(source, 0, 0),
                                      "the models %Q and %Q differ in upper and lower case alone", others, named);
        diag_note(diags, diag, span(other->graph->source, 0, 0), "the other one");
        return;
    }
    ModelFiles model = {.path = path, .graph = graph};
    if (graph->weights.n > 0) model.weights = path_join(arena, path_folder(path), graph->weights);
    bool piped = str_eq(path, S("-"));
    /* What comes by a pipe is called what its file would be, so that the files are the same. */
    Str name = piped ? str_format(arena, "%S.json", name_str(graph->name)) : path_last(path);
    add_input(arena, &model, piped ? S("") : path, name, source->text);
    map_init(&model.seen, arena);
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        add_operators(models, &model, graph->nodes.items[i], &model.seen);
    *VEC_PUSH(arena, &models->items) = model;
}

bool models_read(Command *command, Models *models) {
    const Options *options = &command->options;
    Diags *diags = &command->diags;
    uint32_t errors = diags->errors;
    *models = (Models){.command = command};
    names_init(&models->names, command->arena);
    bool known = command_operators(command, &models->names, &models->table, false);
    if (known && models->table.ops.n == 0 && models->table.shelf == NULL) {
        Diag *diag = diag_error(diags, E_IO, nowhere, "there are no operators: opgen's own are not found");
        diag_hint(diags, diag, "set OPGEN_DATA to the folder that holds opdefs, templates and runtime");
        known = false;
    }
    command_roots(command, &models->roots);
    for (uint32_t i = 0; i < options->operand_count; i++) {
        Str path = options->operands[i];
        bool again = false;
        for (uint32_t k = 0; k < i; k++)
            again = again || str_eq(path, options->operands[k]);
        if (again) continue;
        Source *source = file_read_text(command->arena, path, nowhere, diags);
        if (source != NULL && known) add_model(models, path, source);
    }
    if (diags->errors == errors) models_check_names(models);
    return diags->errors == errors;
}

/* ---- the files ----------------------------------------------------------------------------------------------------
 */

PassSet models_without(const Command *command) {
    const OptionValue *value = &command->options.values[OPT_WITHOUT];
    PassSet set = 0;
    for (uint32_t i = 0; i < value->all.n; i++)
        set |= PASS_BIT(pass_find(value->all.items[i]));
    return set;
}

/* Each name of --use is a candidate of some operator of some model. */
static bool check_use(const Models *models) {
    Command *command = models->command;
    const OptionValue *use = &command->options.values[OPT_USE];
    if (use->all.n == 0) return true;
    Names names;
    Map found;
    names_init(&names, command->arena);
    map_init(&found, command->arena);
    for (uint32_t i = 0; i < models->items.n; i++) {
        const Graph *graph = models->items.items[i].graph;
        for (uint32_t k = 0; k < graph->nodes.n; k++) {
            const OpDef *op = graph->nodes.items[k]->op;
            for (uint32_t c = 0; c < op->candidates.n; c++)
                map_set(&found, names_get(&names, name_str(op->candidates.items[c])), (void *)(uintptr_t)op);
        }
    }
    bool good = true;
    for (uint32_t i = 0; i < use->all.n; i++) {
        if (map_get(&found, names_get(&names, use->all.items[i])) != NULL) continue;
        Diag *diag = diag_error(&command->diags, E_USAGE, nowhere, "--use %S: no operator here has that candidate",
                                use->all.items[i]);
        Str *all = ARENA_ARRAY(command->arena, Str, found.n + 1);
        for (uint32_t k = 0; k < found.n; k++)
            all[k] = name_str(found.entries[k].key);
        if (!diag_suggest(&command->diags, diag, use->all.items[i], all, found.n) && found.n > 0)
            diag_hint(&command->diags, diag, "there is: %S", all[0]);
        good = false;
    }
    return good;
}

bool models_emit(Models *models, Str backend) {
    Command *command = models->command;
    if (!check_use(models)) return false;
    Arena *arena = command->arena;
    Str runtime = command_data(command, "runtime");
    if (runtime.n == 0) {
        Diag *diag = diag_error(&command->diags, E_IO, nowhere, "the runtime's sources are not found");
        diag_hint(&command->diags, diag, "set OPGEN_DATA to the folder that holds opdefs, templates and runtime");
        return false;
    }
    bool embed = command->options.values[OPT_EMBED_WEIGHTS].given > 0;
    bool good = true;
    for (uint32_t i = 0; i < models->items.n; i++) {
        ModelFiles *model = &models->items.items[i];
        EmitOptions options = {.roots = models->roots.items,
                               .root_count = models->roots.n,
                               .runtime = runtime,
                               .backend = backend,
                               .archs = models->archs.items,
                               .arch_count = models->plain ? 0 : models->archs.n,
                               .profile = models->plain ? S("") : command->options.values[OPT_PROFILE].text,
                               .single = command->options.values[OPT_SINGLE].given > 0,
                               .compute = command->options.command == CMD_OUTPUTS ? NULL : constant_compute,
                               .compute_user = command,
                               .version = S(OPGEN_VERSION),
                               .without = models->plain ? PASS_ALL : models_without(command),
                               .use = command->options.values[OPT_USE].all.items,
                               .use_count = models->plain ? 0 : command->options.values[OPT_USE].all.n,
                               .model_name = model->inputs.items[0].name,
                               .embed = embed && model->weights.n > 0,
                               .freeze = command->options.values[OPT_FREEZE].given > 0,
                               .constants = S("embedded"),
                               .weights = model->weights,
                               .seen = models->seen,
                               .seen_user = models->seen_user};
        model->files = (EmitResult){0};
        if (!emit_model(arena, model->graph, &options, &model->files)) {
            good = false;
            continue;
        }
        if (!(options.without & PASS_BIT(PASS_REWRITE))) add_rewrites(models, model);
        for (uint32_t k = 0; k < model->files.inputs.n; k++)
            *VEC_PUSH(arena, &model->inputs) = model->files.inputs.items[k];
    }
    return good;
}

Str models_folder(const Models *models, const ModelFiles *model, Str folder) {
    Arena *arena = models->command->arena;
    return path_join(arena, folder, str_format(arena, "%S%S", name_str(model->graph->name), models->suffix));
}

Output *models_outputs(const Models *models, Str folder) {
    Arena *arena = models->command->arena;
    Output *outputs = ARENA_ARRAY(arena, Output, models->items.n);
    for (uint32_t i = 0; i < models->items.n; i++) {
        const ModelFiles *model = &models->items.items[i];
        outputs[i] = (Output){.folder = models_folder(models, model, folder),
                              .set = &model->files.set,
                              .inputs = model->inputs.items,
                              .input_count = model->inputs.n,
                              .sections = model->files.sections.items,
                              .section_count = model->files.sections.n};
    }
    return outputs;
}

static Str plural(Arena *arena, uint32_t n, const char *what) {
    return str_format(arena, "%u %s%s", (unsigned)n, what, n == 1 ? "" : "s");
}

/* `mlp: 12 files written, 3 unchanged`; nothing where nothing was done. */
static void note_written(const Models *models, const OutputResult *result) {
    Command *command = models->command;
    Arena *arena = command->arena;
    bool asked = command->options.values[OPT_VERBOSE].given > 0;
    if (!asked && result->written + result->removed + result->manifests == 0) return;
    Str name =
        models->items.n == 1 ? name_str(models->items.items[0].graph->name) : plural(arena, models->items.n, "model");
    Str removed = result->removed == 0 ? S("") : str_format(arena, ", %u removed", (unsigned)result->removed);
    command_note(command, "%S: %S written, %u unchanged%S", name, plural(arena, result->written, "file"),
                 (unsigned)result->same, removed);
}

bool models_write(Models *models, Str folder, const OutputOptions *options) {
    Command *command = models->command;
    OutputResult result;
    Output *outputs = models_outputs(models, folder);
    if (!output_generate(command->arena, outputs, models->items.n, options, &command->diags, &result)) return false;
    note_written(models, &result);
    return true;
}

/* models.c: from operands to file sets: operators and models read, graphs built, files emitted, inputs collected. */
#include "command/models.h"

#include "base/folder.h"

static const Span nowhere = {NULL, 0, 0};

/* ---- what the files are made from ---------------------------------------------------------------------------------
 */

static void add_input(Arena *arena, ModelFiles *model, Str path, Str name, Str text) {
    for (uint32_t i = 0; i < model->inputs.n; i++) {
        if (str_eq(model->inputs.items[i].path, path)) return;
    }
    *VEC_PUSH(arena, &model->inputs) = (OutputInput){path, name, sha256_of(arena, text)};
}

/* The file that an operator is from; an in-place form is from that of its base. Those that a node was expanded from
 * count as well. A file is looked at once: `seen` is those of this model. */
static void add_operator_files(Models *models, ModelFiles *model, const Node *node, Map *seen) {
    Arena *arena = models->command->arena;
    for (; node != NULL; node = node->origin) {
        Source *source = node->op->source;
        if (source == NULL) continue;
        if (map_set(seen, names_get(&models->names, source->name), source) != NULL) continue;
        add_input(arena, model, source->name, str_format(arena, "opdefs/%S", path_last(source->name)), source->text);
    }
}

static void add_model(Models *models, Str path, Source *source) {
    Arena *arena = models->command->arena;
    Diags *diags = &models->command->diags;
    Graph *graph = graph_read(arena, &models->names, &models->table, source, diags);
    if (graph == NULL) return;
    for (uint32_t i = 0; i < models->items.n; i++) {
        const ModelFiles *other = &models->items.items[i];
        if (other->graph->name != graph->name) continue;
        Diag *diag =
            diag_error(diags, E_DUPLICATE, span(source, 0, 0), "two models are named %Q", name_str(graph->name));
        diag_note(diags, diag, span(other->graph->source, 0, 0), "the other one");
        return;
    }
    ModelFiles model = {.path = path, .graph = graph};
    if (graph->weights.n > 0) model.weights = path_join(arena, path_folder(path), graph->weights);
    bool piped = str_eq(path, S("-"));
    /* What comes by a pipe is called what its file would be, so that the files are the same. */
    Str name = piped ? str_format(arena, "%S.json", name_str(graph->name)) : path_last(path);
    add_input(arena, &model, piped ? S("") : path, name, source->text);
    Map seen;
    map_init(&seen, arena);
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        add_operator_files(models, &model, graph->nodes.items[i], &seen);
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
    return diags->errors == errors;
}

/* ---- the files ----------------------------------------------------------------------------------------------------
 */

bool models_emit(Models *models, Str backend) {
    Command *command = models->command;
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
                               .version = S(OPGEN_VERSION),
                               .apart = models->apart || command->options.values[OPT_WITHOUT].given > 0,
                               .model_name = model->inputs.items[0].name,
                               .embed = embed && model->weights.n > 0,
                               .weights = model->weights};
        model->files = (EmitResult){0};
        if (!emit_model(arena, model->graph, &options, &model->files)) {
            good = false;
            continue;
        }
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

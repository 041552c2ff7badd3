/* clash.c: names of two models' headers and build files that would be the same.
 *
 * Each model's names begin with its own, so that many models go into one program. But what the model `a` calls its
 * input `model` is what the model `a_input` calls itself: a_input_model.
 */
#include "command/models.h"

typedef struct Clash {
    Models *models;
    Names names;
    Map owner; /* name -> the model that has it */
    const ModelFiles *model;
    bool found;
} Clash;

static void add(Clash *clash, Str name) {
    Diags *diags = &clash->models->command->diags;
    const ModelFiles *other = map_set(&clash->owner, names_get(&clash->names, name), (void *)(uintptr_t)clash->model);
    if (other == NULL || other == clash->model || clash->found) return;
    Diag *diag = diag_error(diags, E_DUPLICATE, span(clash->model->graph->source, 0, 0),
                            "the models %Q and %Q would both have %S in what is generated for them",
                            name_str(other->graph->name), name_str(clash->model->graph->name), name);
    diag_note(diags, diag, span(other->graph->source, 0, 0), "the other one");
    diag_hint(diags, diag, "give one of them another name: they could not be in one program");
    clash->found = true; /* one is enough: another name mends all */
}

/* NAME_input_x and the like. */
static void add_each(Clash *clash, const char *what, Tensor *const *tensors, const Name *names, uint32_t n) {
    Str model = name_str(clash->model->graph->name);
    Arena *arena = clash->models->command->arena;
    for (uint32_t i = 0; i < n; i++)
        add(clash, str_format(arena, "%S_%s_%S", model, what, name_str(names != NULL ? names[i] : tensors[i]->name)));
    add(clash, str_format(arena, "%S_%ss", model, what));
}

static void add_model(Clash *clash) {
    static const char *const own[] = {"model", "create", "run", "free", "shapes", "infer_shapes"};
    static const char *const made[] = {"DIR",    "SOURCES", "RUNTIME_SOURCES", "HEADERS", "CPPFLAGS",
                                       "CFLAGS", "THREADS", "LDLIBS",          "OPENMP",  "ARCH"};
    Arena *arena = clash->models->command->arena;
    const Graph *graph = clash->model->graph;
    Str model = name_str(graph->name);
    add_each(clash, "input", graph->inputs.items, NULL, graph->inputs.n);
    add_each(clash, "output", NULL, graph->output_names.items, graph->output_names.n);
    add_each(clash, "param", graph->params.items, NULL, graph->params.n);
    for (uint32_t i = 0; i < graph->dims.n; i++) {
        Str dim = name_str(graph->dims.items[i].name);
        add(clash, str_format(arena, "%S_dim_%S", model, dim));
        add(clash, str_format(arena, "%S_min_%S", model, dim));
        add(clash, str_format(arena, "%S_max_%S", model, dim));
    }
    add(clash, str_format(arena, "%S_dims", model));
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        add(clash, str_format(arena, "%S_%s", model, own[i]));
    /* Variables of make and CMake are in capitals. */
    char *upper = arena_copy(arena, model.p, model.n);
    for (size_t i = 0; i < model.n; i++)
        if (upper[i] >= 'a' && upper[i] <= 'z') upper[i] = (char)(upper[i] - 'a' + 'A');
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        add(clash, str_format(arena, "%S_%s", str(upper, model.n), made[i]));
}

void models_check_names(Models *models) {
    if (models->items.n < 2) return;
    Clash clash = {.models = models};
    names_init(&clash.names, models->command->arena);
    map_init(&clash.owner, models->command->arena);
    for (uint32_t i = 0; i < models->items.n; i++) {
        clash.model = &models->items.items[i];
        clash.found = false;
        add_model(&clash);
    }
}

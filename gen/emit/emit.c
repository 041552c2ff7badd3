/* emit.c: the way from a graph to the files of its library.
 *
 * Groups, functions, places, the arena; then every file in an order in which each can be written: the functions'
 * own, weights, what is copied, and last the driver, the header and the build files, which name the others.
 */
#include "emit/driver.h"

#include "base/folder.h"

/* ---- templates */
static Engine *new_engine(EmitContext *context) {
    const EngineOptions how = {.syntax = {.trim_blocks = true, .lstrip_blocks = true}};
    Engine *engine = engine_new(context->arena, context->graph->names, context->graph->diags, &how);
    for (uint32_t i = 0; i < context->options->root_count; i++)
        engine_add_root(engine, context->options->roots[i]);
    driver_functions(engine);
    return engine;
}

static bool render(EmitContext *context, Engine *engine, Template *template, Value data, Str path) {
    Str text;
    if (template == NULL || !engine_render(engine, template, data, context->arena, &text)) return false;
    if (text.n == 0 || text.p[text.n - 1] != '\n') text = str_format(context->arena, "%S\n", text);
    return emit_add(context, path, text);
}

/* What does not depend on the backend: templates/model/NAME. */
static bool render_common(EmitContext *context, Engine *engine, const char *name, Value data, Str path) {
    Str file = str_format(context->arena, "model/%s.j2", name);
    return render(context, engine, engine_load(engine, file, span(NULL, 0, 0)), data, path);
}

static bool render_driver(EmitContext *context, Engine *engine, Value data, Str path) {
    Template *template = emit_template(engine, context->arena, context->backend, S("driver"), span(NULL, 0, 0));
    return render(context, engine, template, data, path);
}

/* ---- files */
static bool add_functions(EmitContext *context, const Plan *plan) {
    bool good = true;
    for (uint32_t i = 0; i < plan->functions.n; i++) {
        const Function *function = plan->functions.items[i];
        *VEC_PUSH(context->arena, &context->files.sources) = function->file;
        good &= emit_add(context, function->file, function->text);
    }
    return good;
}

static bool add_files(EmitContext *context, Engine *engine, Plan *plan) {
    Arena *arena = context->arena;
    Str name = name_str(context->graph->name);
    Str driver = str_format(arena, "%S%S", name, context->backend->ext), header = str_format(arena, "%S.h", name);
    *VEC_PUSH(arena, &context->files.sources) = driver;
    *VEC_PUSH(arena, &context->files.headers) = header;
    const Str *embedded;
    bool good = add_functions(context, plan);
    good &= emit_weights(context, &embedded);
    good &= emit_copies(context);
    if (!good) return false;
    Value data = driver_data(arena, plan, context->options, embedded, &context->files);
    good &= render_driver(context, engine, data, driver);
    good &= render_common(context, engine, "model.h", data, header);
    good &= render_common(context, engine, "models.c", data, str_format(arena, "%S_models.c", name));
    good &= render_common(context, engine, "Makefile", data, S("Makefile"));
    good &= render_common(context, engine, "model.mk", data, str_format(arena, "%S.mk", name));
    good &= render_common(context, engine, "CMakeLists.txt", data, S("CMakeLists.txt"));
    good &= render_common(context, engine, "gitattributes", data, S(".gitattributes"));
    return good;
}

static void add_inputs(EmitContext *context, const Engine *engine) {
    for (const Backend *at = context->backend; at != NULL; at = at->parent)
        emit_template_input(context, at->source);
    uint32_t n;
    const Source *const *files = engine_files(engine, &n);
    for (uint32_t i = 0; i < n; i++)
        emit_template_input(context, files[i]);
}

bool emit_model(Arena *arena, Graph *graph, const EmitOptions *options, EmitResult *result) {
    *result = (EmitResult){.set.arena = NULL};
    fileset_init(&result->set, arena);
    EmitContext context = {.arena = arena, .graph = graph, .options = options, .result = result};
    context.backend = backend_read(arena, graph->names, options->roots, options->root_count, options->backend,
                                   span(NULL, 0, 0), graph->diags);
    if (context.backend == NULL) return false;
    context.costs = costs_begin(arena, graph);
    if (!passes_run(graph, options->without, options->seen, options->seen_user)) return false;
    Groups *groups = ARENA_NEW(arena, Groups);
    passes_group(arena, graph, options->without, groups);
    if (options->seen != NULL) options->seen(options->seen_user, PASS_FUSE, graph, 0);
    Plan *plan = &result->plan;
    *plan = (Plan){.arena = arena,
                   .graph = graph,
                   .groups = groups,
                   .backend = context.backend,
                   .use = options->use,
                   .use_count = options->use_count};
    Engine *engine = new_engine(&context);
    if (!plan_check_arch(plan) || !plan_functions(plan, engine) || !plan_places(plan)) return false;
    plan_arena(plan);
    if (!add_files(&context, engine, plan)) return false;
    add_inputs(&context, engine);
    emit_sections(&context, plan);
    return true;
}

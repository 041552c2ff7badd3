/* emit.c: the way from a graph to the files of its library.
 *
 * Groups, functions, places, the arena; then every file in an order in which each can be written: the functions'
 * own, weights, what is copied, and last the driver, the header and the build files, which name the others.
 */
#include "emit/profile.h"

#include "base/folder.h"

/* ---- templates */
Engine *emit_engine(EmitContext *context) {
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
static bool render_common(EmitContext *context, Engine *engine, Str name, Value data, Str path) {
    return render(context, engine, engine_load(engine, name, span(NULL, 0, 0)), data, path);
}

static bool render_driver(EmitContext *context, Engine *engine, Value data, Str path) {
    Template *template = emit_template(engine, context->arena, context->backend, S("driver"), span(NULL, 0, 0));
    return render(context, engine, template, data, path);
}

/* ---- files */

/* What the backend adds to the runtime: its file; empty: nothing. */
static Str device_file(EmitContext *context) {
    const Json *name = backend_get(context->backend, S("runtime"));
    if (name == NULL || name->kind != JSON_STRING) return S("");
    return str_format(context->arena, "opgen_%S%S", name_str(context->backend->name), context->backend->ext);
}

static bool render_device(EmitContext *context, Engine *engine, Value data, Str path) {
    Str name = backend_get(context->backend, S("runtime"))->as.s;
    Template *template = emit_template(engine, context->arena, context->backend, name, span(NULL, 0, 0));
    return render(context, engine, template, data, path);
}

/* Those that stand beside the driver and the functions, in the order in which they are written. */
static const ProfileFile *common_files(EmitContext *context, uint32_t *n) {
    Arena *arena = context->arena;
    Str name = name_str(context->graph->name);
    const ProfileFile own[] = {
        {S("model/model.h.j2"), str_format(arena, "%S.h", name)},
        {S("model/models.c.j2"), str_format(arena, "%S_models.c", name)},
        {S("model/Makefile.j2"), S("Makefile")},
        {S("model/model.mk.j2"), str_format(arena, "%S.mk", name)},
        {S("model/CMakeLists.txt.j2"), S("CMakeLists.txt")},
        {S("model/pc.in.j2"), str_format(arena, "%S.pc.in", name)},
        {S("model/Config.cmake.j2"), str_format(arena, "%SConfig.cmake", name)},
        {S("model/gitattributes.j2"), S(".gitattributes")},
    };
    *n = context->profile != NULL ? context->profile->files.n : sizeof own / sizeof *own;
    return context->profile != NULL ? context->profile->files.items : arena_copy(arena, own, sizeof own);
}

static bool add_files(EmitContext *context, Engine *engine, Plan *plan, const Str *embedded) {
    Arena *arena = context->arena;
    Str name = name_str(context->graph->name);
    Str driver = str_format(arena, "%S%S", name, context->backend->ext), header = str_format(arena, "%S.h", name);
    *VEC_PUSH(arena, &context->files.sources) = driver;
    *VEC_PUSH(arena, &context->files.headers) = header;
    if (!emit_functions(context, plan) || !emit_copies(context)) return false;
    Str device = device_file(context);
    if (device.n > 0) *VEC_PUSH(arena, &context->files.runtime_sources) = device;
    Value data = driver_data(arena, plan, context->costs, context->options, embedded, &context->files);
    if (context->profile != NULL) profile_data(context, plan, data);
    context->into = &context->result->set;
    bool good = render_driver(context, engine, data, driver);
    if (device.n > 0) good &= render_device(context, engine, data, device);
    uint32_t n;
    const ProfileFile *files = common_files(context, &n);
    for (uint32_t i = 0; i < n; i++)
        good &= render_common(context, engine, files[i].template, data, files[i].path);
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

/* Of a backend that others have in common there is no compiler to write for. */
static bool is_whole(const Backend *backend, const EmitOptions *options, Diags *diags) {
    if (backend_compiler(backend, S("command")) != NULL) return true;
    Diag *diag = diag_error(diags, E_USAGE, span(NULL, 0, 0),
                            "the backend %Q is what several have in common, and none by itself", options->backend);
    diag_hint(diags, diag, "opgen list backends shows those that name it as their parent");
    return false;
}

static const Backend *read_backend(Arena *arena, Graph *graph, const EmitOptions *options) {
    const Span nowhere = span(NULL, 0, 0);
    const Backend *backend = options->profile.n == 0
                                 ? backend_read(arena, graph->names, options->roots, options->root_count,
                                                options->backend, nowhere, graph->diags)
                                 : backend_read_profile(arena, graph->names, options->roots, options->root_count,
                                                        options->profile, options->backend, nowhere, graph->diags);
    return backend != NULL && is_whole(backend, options, graph->diags) ? backend : NULL;
}

bool emit_model(Arena *arena, Graph *graph, const EmitOptions *options, EmitResult *result) {
    *result = (EmitResult){.set.arena = NULL};
    fileset_init(&result->set, arena);
    EmitContext context = {.arena = arena, .graph = graph, .options = options, .result = result};
    context.backend = read_backend(arena, graph, options);
    if (context.backend == NULL || !profile_begin(&context)) return false;
    context.costs = costs_begin(arena, graph);
    if (!passes_run(graph, options->without, options->seen, options->seen_user)) return false;
    if (context.profile != NULL && context.profile->folds) fold_now_mark(graph);
    if (options->freeze && !emit_freeze(&context)) return false;
    Groups *groups = ARENA_NEW(arena, Groups);
    Engine *engine = emit_engine(&context);
    if (!emit_groups(&context, engine, groups)) return false;
    if (options->seen != NULL) options->seen(options->seen_user, PASS_FUSE, graph, 0);
    Plan *plan = &result->plan;
    *plan = (Plan){.arena = arena,
                   .graph = graph,
                   .groups = groups,
                   .backend = context.backend,
                   .use = options->use,
                   .use_count = options->use_count,
                   .archs = options->archs,
                   .arch_count = options->arch_count};
    const Str *embedded;
    if (!plan_check_arch(plan) || !plan_functions(plan, engine) || !plan_places(plan)) return false;
    plan_arena(plan);
    if (!emit_weights(&context, &embedded) || (embedded == NULL && !emit_frozen_file(&context))) return false;
    if (context.profile != NULL && context.profile->folds && !fold_now(&context, engine, plan)) return false;
    if (!add_files(&context, engine, plan, embedded)) return false;
    add_inputs(&context, engine);
    emit_sections(&context, plan);
    return true;
}

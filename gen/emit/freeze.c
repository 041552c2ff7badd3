/* freeze.c: what depends on weights alone, computed while generating, and weights from then on.
 *
 * A library computes it when it gets a set of weights (pass/fold.c says why). Who says that the weights are those at
 * hand, and stay so, need not wait for that, nor keep what only it was made of: the results take the place of the nodes
 * that make them, as params, and params that nobody reads any more are gone. Nothing behind this file knows of it, for
 * what is left is a model as any other, with weights of its own.
 *
 * They are computed by the profile of the CPU whose programs compute constants (fold_now.c), whatever the backend is,
 * and to the same bits on every machine. What cannot be promised that stays for the library to compute.
 */
#include "emit/profile.h"

/* What goes from the graph of constants to the model's. */
typedef struct Freezing {
    EmitContext *context;
    Graph *constants;      /* the same graph, read once more, of which only the constant nodes stay */
    bool *constant;        /* by Node.number of both, as long as they are the same */
    VEC(uint32_t) results; /* by Tensor.number of both: what others read of the constant nodes */
    Str *weights;          /* by param: the bytes of the file */
} Freezing;

static bool is_read_elsewhere(const Freezing *freezing, const Tensor *tensor) {
    bool elsewhere = tensor->output;
    for (uint32_t u = 0; u < tensor->uses.n && !elsewhere; u++)
        elsewhere = !freezing->constant[tensor->uses.items[u].node->number];
    return elsewhere;
}

static void find_results(Freezing *freezing) {
    const Graph *graph = freezing->context->graph;
    for (uint32_t i = 0; i < graph->tensors.n; i++) {
        const Tensor *tensor = graph->tensors.items[i];
        if (tensor->producer == NULL || !freezing->constant[tensor->producer->number]) continue;
        if (is_read_elsewhere(freezing, tensor)) *VEC_PUSH(freezing->context->arena, &freezing->results) = i;
    }
}

/* The model's graph once more: passes do the same each time. What is to be said of the model was said. */
static bool read_again(Freezing *freezing) {
    EmitContext *context = freezing->context;
    Graph *graph = context->graph;
    Diags *quiet = ARENA_NEW(context->arena, Diags);
    diags_init(quiet, context->arena);
    Graph *again = graph_read(context->arena, graph->names, graph->ops, graph->source, quiet);
    bool same = again != NULL && passes_run(again, context->options->without, NULL, NULL) &&
                again->nodes.n == graph->nodes.n && again->tensors.n == graph->tensors.n;
    for (uint32_t i = 0; same && i < graph->nodes.n; i++)
        same = again->nodes.items[i]->op == graph->nodes.items[i]->op;
    if (!same) {
        diag_error(graph->diags, E_BROKEN_GRAPH, span(graph->source, 0, 0), "the model is read another way each time");
        return false;
    }
    again->diags = again->rules.diags = graph->diags;
    fold_now_mark(again);
    freezing->constants = again;
    freezing->constant = ARENA_ARRAY(context->arena, bool, (size_t)graph->nodes.n + 1);
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        freezing->constant[i] = again->nodes.items[i]->constant;
    return true;
}

/* ---- computing */

/* The bytes of an output of the graph of constants: of what was computed, or, where it is a view of a param, of that.
 */
static Str bytes_of(const Freezing *freezing, const Plan *plan, const Profile *profile, const Tensor *tensor) {
    TensorPlace place = plan->places[tensor->number];
    int64_t offset = 0, size = dtype_size(tensor->type.dtype), dim;
    if (place.offset != NULL) sym_is_int(place.offset, &offset);
    offset *= size;
    for (uint32_t d = 0; d < tensor->type.shape.rank; d++)
        size *= sym_is_int(tensor->type.shape.dims[d], &dim) ? dim : 0;
    Str from = profile->folded;
    if (place.kind == PLACE_PARAM)
        from = freezing->weights[place.at];
    else
        offset += plan->folded.items[place.at].offset;
    return str_sub(from, (size_t)offset, (size_t)(offset + size));
}

/* By result. NULL after adding findings. */
static Str *compute(Freezing *freezing) {
    EmitContext *context = freezing->context;
    Arena *arena = context->arena;
    Graph *graph = freezing->constants;
    graph_keep(graph, freezing->constant, freezing->results.items, freezing->results.n);
    EmitOptions options = *context->options;
    EmitResult result = {.set.arena = NULL};
    fileset_init(&result.set, arena);
    options.profile = options.constants;
    options.single = true;
    EmitContext inner = {.arena = arena, .graph = graph, .options = &options, .result = &result};
    inner.backend = backend_read_profile(arena, graph->names, options.roots, options.root_count, options.profile, S(""),
                                         span(NULL, 0, 0), graph->diags);
    if (inner.backend == NULL || !profile_begin(&inner)) return NULL;
    inner.profile->weights = freezing->weights;
    inner.profile->folds = true;
    inner.costs = costs_begin(arena, graph);
    Groups *groups = ARENA_NEW(arena, Groups);
    passes_group(arena, graph, options.without, false, groups);
    Plan plan = {.arena = arena, .graph = graph, .groups = groups, .backend = inner.backend};
    Engine *engine = emit_engine(&inner);
    if (!plan_functions(&plan, engine) || !plan_places(&plan)) return NULL;
    plan_arena(&plan);
    if (!fold_now(&inner, engine, &plan)) return NULL;
    Str *bytes = ARENA_ARRAY(arena, Str, (size_t)freezing->results.n + 1);
    for (uint32_t i = 0; i < freezing->results.n; i++)
        bytes[i] = bytes_of(freezing, &plan, inner.profile, graph->outputs.items[i]);
    return bytes;
}

/* ---- what becomes of the model */

static void replace(Freezing *freezing, const Str *bytes) {
    EmitContext *context = freezing->context;
    Graph *graph = context->graph;
    const uint32_t given = graph->params.n, n = freezing->results.n;
    Tensor **results = ARENA_ARRAY(context->arena, Tensor *, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++)
        results[i] = graph->tensors.items[freezing->results.items[i]];
    Tensor **params = ARENA_ARRAY(context->arena, Tensor *, (size_t)given + n + 1);
    Str *all = ARENA_ARRAY(context->arena, Str, (size_t)given + n + 1);
    for (uint32_t i = 0; i < given; i++)
        params[i] = graph->params.items[i], all[i] = freezing->weights[i];
    for (uint32_t i = 0; i < n; i++)
        params[given + i] = graph_put_param(graph, results[i]), all[given + i] = bytes[i];
    for (uint32_t i = graph->nodes.n; i-- > 0;)
        if (freezing->constant[i]) graph_remove(graph, graph->nodes.items[i]);
    graph_sort(graph);
    graph_drop_params(graph);
    context->frozen = ARENA_ARRAY(context->arena, Str, (size_t)given + n + 1);
    for (uint32_t i = 0, k = 0; i < given + n && k < graph->params.n; i++)
        if (graph->params.items[k] == params[i]) context->frozen[k++] = all[i];
}

bool emit_freeze(EmitContext *context) {
    Freezing freezing = {.context = context};
    freezing.weights = context->graph->params.n == 0 ? ARENA_ARRAY(context->arena, Str, 1)
                                                     : emit_read_weights(context, "freeze", "frozen");
    if (freezing.weights == NULL || !read_again(&freezing)) return false;
    find_results(&freezing);
    const Str *bytes = freezing.results.n == 0 ? NULL : compute(&freezing);
    if (freezing.results.n > 0 && bytes == NULL) return false;
    replace(&freezing, bytes);
    return true;
}

/* fold_now.c: what does not depend on inputs, computed while generating.
 *
 * A library computes it when it is loaded (pass/fold.c says why). Where there is no loading, and flash is cheaper than
 * memory, the results are data like weights. They are made by the code that would compute them otherwise: its functions
 * and calls become a program, which is compiled and run. What is generated has to be the same on every machine, so the
 * program is compiled to do each operation of IEEE 754 by itself, in the order of the text; a profile's functions look
 * at no processor. Only functions of doubles are the C library's, which are not the same to the last bit everywhere:
 * nodes that compute in f64 are left to runs.
 */
#include "emit/profile.h"

/* ---- what is left to runs */
static bool is_exact(const Node *node) {
    if (node->op->kind == KIND_VIEW) return true;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++)
            if (node->inputs[i][k]->type.dtype == DT_F64) return false;
    for (uint32_t k = 0; k < node->output_n; k++)
        if (node->outputs[k] != NULL && node->outputs[k]->type.dtype == DT_F64) return false;
    return true;
}

/* Nodes stand behind those that they read. */
void fold_now_mark(Graph *graph) {
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        Node *node = graph->nodes.items[i];
        node->constant = node->constant && is_exact(node);
        for (uint32_t k = 0; k < node->op->inputs.n; k++)
            for (uint32_t m = 0; m < node->counts[k]; m++) {
                const Node *from = node->inputs[k][m]->producer;
                if (from != NULL && !from->constant) node->constant = false;
            }
    }
}

/* ---- the program */
/* Its place among the plan's, which are sorted. */
static uint32_t place_of(const Plan *plan, const Function *function) {
    uint32_t low = 0, high = plan->functions.n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (str_cmp(plan->functions.items[middle]->uri, function->uri) > 0)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* The plan with those functions alone that these calls share. */
static Plan *plan_with(Arena *arena, const Plan *plan, const Plan *calls) {
    Plan *part = ARENA_NEW(arena, Plan);
    *part = *plan;
    part->functions.items = NULL;
    part->functions.n = part->functions.cap = 0;
    for (uint32_t i = 0; i < plan->functions.n; i++)
        plan->functions.items[i]->calls = 0;
    for (uint32_t c = 0; c < calls->calls.n; c++) {
        const Function *function = calls->calls.items[c].function;
        if (function != NULL) plan->functions.items[place_of(plan, function)]->calls++;
    }
    for (uint32_t i = 0; i < plan->functions.n; i++)
        if (plan->functions.items[i]->calls > 0) *VEC_PUSH(arena, &part->functions) = plan->functions.items[i];
    return part;
}

/* The weights that it reads, one behind the other, each at a multiple of 64 bytes. */
static Str weights_read(EmitContext *context, Dict *all) {
    Buf bytes;
    List *places = list_new(context->arena, context->graph->params.n + 1);
    buf_init(&bytes, context->arena);
    for (uint32_t i = 0; i < context->graph->params.n; i++) {
        buf_fill(&bytes, '\0', (64 - bytes.n % 64) % 64);
        list_push(context->arena, places, val_int((int64_t)bytes.n));
        buf_add(&bytes, context->profile->weights[i]);
    }
    dict_set_in(context->arena, all, VS("weights_at"), val_list(places));
    dict_set_in(context->arena, all, VS("weights_bytes"), val_int((int64_t)bytes.n));
    return buf_str(&bytes);
}

static bool program_of(EmitContext *context, Engine *engine, Plan *plan, Str *program, Str *weights) {
    Arena *arena = context->arena;
    EmitResult result = {.set.arena = NULL};
    FileSet parts;
    EmitContext inner = *context;
    Profile profile = *context->profile;
    EmitOptions options = *context->options;
    fileset_init(&parts, arena);
    options.single = true;
    inner.into = &parts, inner.result = &result, inner.options = &options, inner.profile = &profile;
    inner.files = (DriverFiles){0};
    Plan *part = plan_with(arena, plan, plan->fold);
    part->calls.n = 0;
    if (!emit_functions(&inner, part) || !emit_copies(&inner)) return false;
    profile.weights = NULL; /* they come as bytes */
    fileset_init(&profile.parts, arena);
    profile.parts = parts;
    Value data = driver_data(arena, part, inner.costs, &options, NULL, &inner.files);
    profile_data(&inner, part, data);
    *weights = weights_read(context, data.as.dict);
    Template *template = emit_template(engine, arena, inner.backend, profile.fold, span(NULL, 0, 0));
    return template != NULL && engine_render(engine, template, data, arena, program);
}

static Str text_of(const Json *value) { return value != NULL && value->kind == JSON_STRING ? value->as.s : S(""); }

static bool compute(EmitContext *context, Engine *engine, Plan *plan) {
    const EmitOptions *options = context->options;
    const size_t size = (size_t)plan->folded_bytes;
    Str program, weights, *made = &context->profile->folded;
    if (options->compute == NULL) { /* only the names of files are asked for */
        *made = str(arena_zalloc(context->arena, size), size);
        return true;
    }
    return program_of(context, engine, plan, &program, &weights) &&
           options->compute(options->compute_user, program, text_of(backend_compiler(context->backend, S("command"))),
                            backend_compiler(context->backend, S("constant")), weights, size, made);
}

bool fold_now(EmitContext *context, Engine *engine, Plan *plan) {
    if (plan->fold == NULL) return true;
    if (!compute(context, engine, plan)) return false;
    *plan = *plan_with(context->arena, plan, plan);
    plan->fold = NULL;
    return true;
}

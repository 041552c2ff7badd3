/* emit_sections.c: what the manifest says of a model beyond its files: functions and who shares them, dims, memory. */
#include "emit/profile.h"

static void add_section(EmitContext *context, Str name, const Buf *json) {
    *VEC_PUSH(context->arena, &context->result->sections) = (OutputSection){name, buf_str(json)};
}

static void add_call_nodes(Buf *out, const Call *call, bool *first) {
    for (uint32_t i = 0; i < call->group->nodes.n; i++) {
        const Node *node = call->group->nodes.items[i];
        for (uint32_t k = 0; k < node->output_n; k++) {
            if (node->outputs[k] == NULL) continue;
            if (!*first) buf_add(out, S(", "));
            json_quote(out, name_str(node->outputs[k]->name));
            *first = false;
            break;
        }
    }
}

/* Those of fold, then those of runs. */
static const Call **all_calls(EmitContext *context, const Plan *plan, uint32_t *n) {
    uint32_t folds = plan->fold == NULL ? 0 : plan->fold->calls.n;
    const Call **calls = ARENA_ARRAY(context->arena, const Call *, (size_t)folds + plan->calls.n + 1);
    for (uint32_t c = 0; c < folds; c++)
        calls[c] = &plan->fold->calls.items[c];
    for (uint32_t c = 0; c < plan->calls.n; c++)
        calls[folds + c] = &plan->calls.items[c];
    *n = folds + plan->calls.n;
    return calls;
}

/* Calls in lists, one a function: `next` leads from each to the next of the same function. */
static void add_functions(EmitContext *context, const Plan *plan) {
    Arena *arena = context->arena;
    Buf out;
    buf_init(&out, arena);
    Names keys;
    names_init(&keys, arena);
    Map numbers;
    map_init(&numbers, arena);
    for (uint32_t i = 0; i < plan->functions.n; i++)
        map_set(&numbers, names_get(&keys, plan->functions.items[i]->uri), (void *)(uintptr_t)(i + 1));
    uint32_t *first_call = ARENA_ARRAY(arena, uint32_t, (size_t)plan->functions.n + 1);
    uint32_t n;
    const Call *const *calls = all_calls(context, plan, &n);
    uint32_t *next = ARENA_ARRAY(arena, uint32_t, (size_t)n + 1);
    for (uint32_t c = n; c-- > 0;) {
        const Call *call = calls[c];
        if (call->function == NULL || call->group == NULL) continue;
        uintptr_t f = (uintptr_t)map_get(&numbers, names_get(&keys, call->function->uri));
        if (f == 0) continue;
        next[c] = first_call[f - 1];
        first_call[f - 1] = c + 1;
    }
    buf_char(&out, '[');
    for (uint32_t i = 0; i < plan->functions.n; i++) {
        const Function *function = plan->functions.items[i];
        bool first = true;
        buf_add(&out, i == 0 ? S("\n    {\"uri\": ") : S(",\n    {\"uri\": "));
        json_quote(&out, function->uri);
        buf_add(&out, S(", \"file\": "));
        json_quote(&out, function->file);
        buf_add(&out, S(", \"nodes\": ["));
        Cost apart = {0, 0}, whole = {0, 0};
        for (uint32_t c = first_call[i]; c != 0; c = next[c - 1]) {
            add_call_nodes(&out, calls[c - 1], &first);
            cost_add(&apart, costs_apart(context->costs, calls[c - 1]));
            cost_add(&whole, costs_call(context->costs, calls[c - 1]));
        }
        buf_format(&out, "], \"bytes\": {\"before\": %lld, \"after\": %lld}, \"flops\": %lld}", (long long)apart.bytes,
                   (long long)whole.bytes, (long long)whole.flops);
    }
    buf_add(&out, plan->functions.n == 0 ? S("]") : S("\n  ]"));
    add_section(context, S("functions"), &out);
}

/* The dims that sizes are given for. */
static void add_planned(Buf *out, const Plan *plan) {
    if (plan->planned_dims.n > 0) buf_add(out, S(", \"for\": {"));
    for (uint32_t i = 0; i < plan->planned_dims.n; i++) {
        if (i > 0) buf_add(out, S(", "));
        json_quote(out, name_str(plan->graph->dims.items[i].name));
        buf_format(out, ": %lld", (long long)plan->planned_dims.items[i]);
    }
    if (plan->planned_dims.n > 0) buf_char(out, '}');
}

static void add_arena(EmitContext *context, const Plan *plan) {
    Buf out;
    buf_init(&out, context->arena);
    buf_format(&out, "{\"bytes\": %lld, \"slots\": %u", (long long)plan->arena_planned, (unsigned)plan->slots.n);
    add_planned(&out, plan);
    buf_char(&out, '}');
    add_section(context, S("arena"), &out);
}

/* Of the graph as it was read, each operator by itself, and of what a run calls. */
static void add_costs(EmitContext *context, const Plan *plan) {
    Buf out;
    buf_init(&out, context->arena);
    Cost before = costs_before(context->costs), after = {0, 0};
    for (uint32_t c = 0; c < plan->calls.n; c++)
        cost_add(&after, costs_call(context->costs, &plan->calls.items[c]));
    buf_format(&out, "{\"bytes\": {\"before\": %lld, \"after\": %lld}, ", (long long)before.bytes,
               (long long)after.bytes);
    buf_format(&out, "\"flops\": {\"before\": %lld, \"after\": %lld}", (long long)before.flops, (long long)after.flops);
    add_planned(&out, plan);
    buf_char(&out, '}');
    add_section(context, S("costs"), &out);
}

/* Params that were computed with and are gone, and how many params are left. Nothing where nothing was frozen. */
static void add_frozen(EmitContext *context) {
    const Graph *graph = context->graph;
    if (context->frozen == NULL) return;
    Buf out;
    buf_init(&out, context->arena);
    buf_add(&out, S("{\"params\": ["));
    for (uint32_t i = 0; i < graph->frozen.n; i++) {
        if (i > 0) buf_add(&out, S(", "));
        json_quote(&out, name_str(graph->frozen.items[i]));
    }
    buf_format(&out, "], \"left\": %u}", (unsigned)graph->params.n);
    add_section(context, S("frozen"), &out);
}

/* What is computed once for a set of weights: the nodes, and what that costs in memory. Nothing: {"calls": 0, ...}. */
static void add_folded(EmitContext *context, const Plan *plan) {
    Buf out;
    bool first = true;
    uint32_t folds = plan->fold == NULL ? 0 : plan->fold->calls.n;
    buf_init(&out, context->arena);
    buf_format(&out, "{\"calls\": %u, \"bytes\": %lld, \"arena\": %lld, \"nodes\": [", (unsigned)folds,
               (long long)plan->folded_bytes, plan->fold == NULL ? 0 : (long long)plan->fold->arena_planned);
    for (uint32_t c = 0; c < folds; c++)
        add_call_nodes(&out, &plan->fold->calls.items[c], &first);
    buf_add(&out, S("], \"kept\": {"));
    for (uint32_t i = 0; i < plan->folded.n; i++) {
        if (i > 0) buf_add(&out, S(", "));
        json_quote(&out, name_str(plan->folded.items[i].tensor->name));
        buf_format(&out, ": %lld", (long long)plan->folded.items[i].bytes);
    }
    buf_add(&out, S("}}"));
    add_section(context, S("folded"), &out);
}

static void add_profile(EmitContext *context) {
    Buf out;
    buf_init(&out, context->arena);
    buf_add(&out, S("{\"name\": "));
    json_quote(&out, context->options->profile);
    buf_format(&out, ", \"single\": %s, \"constants\": %lld, \"memory\": %lld}",
               context->options->single ? "true" : "false", (long long)context->profile->constant_bytes,
               (long long)context->profile->memory_bytes);
    add_section(context, S("profile"), &out);
}

void emit_sections(EmitContext *context, const Plan *plan) {
    const Graph *graph = plan->graph;
    Buf name, dims, calls;
    buf_init(&name, context->arena);
    buf_init(&dims, context->arena);
    buf_init(&calls, context->arena);
    json_quote(&name, name_str(graph->name));
    add_section(context, S("model"), &name);
    name.p = NULL, name.n = name.cap = 0;
    json_quote(&name, name_str(plan->backend->name));
    add_section(context, S("backend"), &name);
    buf_char(&dims, '{');
    for (uint32_t i = 0; i < graph->dims.n; i++) {
        if (i > 0) buf_add(&dims, S(", "));
        json_quote(&dims, name_str(graph->dims.items[i].name));
        buf_format(&dims, ": {\"min\": %lld, \"max\": %lld}", (long long)graph->dims.items[i].min,
                   (long long)graph->dims.items[i].max);
    }
    buf_char(&dims, '}');
    add_section(context, S("dims"), &dims);
    buf_format(&calls, "%u", (unsigned)plan->calls.n);
    add_section(context, S("calls"), &calls);
    add_arena(context, plan);
    if (context->profile != NULL) add_profile(context);
    add_folded(context, plan);
    add_frozen(context);
    costs_size(context->costs, plan);
    add_costs(context, plan);
    add_functions(context, plan);
}

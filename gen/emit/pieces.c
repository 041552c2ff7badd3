/* pieces.c: weights put together of several, which kernels read where their pieces lie.
 *
 * What the pass "wide" joins reads weights as one matrix, put together of theirs, and the pass "fold" marks that to be
 * computed once for a set of weights. That takes as long as copying them, and as much memory. A template may do
 * without: it says through which of its holes, and along which dim of it, it reads rows behind a pointer to the first
 * element, wherever that points (its block PIECES). So where a view takes whole rows of params, all who read it are
 * such kernels and the rows are what they read along, the mark is taken away, and the view becomes a part of the
 * kernels. What is small is better one piece of memory, and stays as it is.
 *
 * Nothing is ever put together in each run: a view that became no part of its readers has its mark again.
 */
#include "emit/profile.h"

#include "op/view.h"
#include "pass/pass.h"

enum { LEAST_BYTES = 64 << 10, LEAST_ROW = 64 }; /* of all that is put together, of a row */

typedef struct Pieces {
    EmitContext *context;
    Engine *engine;
    Map said; /* kernel -> a Str: what its template's block says; empty: it has none */
} Pieces;

/* ---- what templates say */
static Str said_by(Pieces *pieces, const OpDef *op) {
    EmitContext *context = pieces->context;
    Graph *graph = context->graph;
    Name kernel = plan_kernel(context->options->use, context->options->use_count, op);
    const Str *known = map_get(&pieces->said, kernel);
    if (known != NULL) return *known;
    Str *said = ARENA_NEW(context->arena, Str);
    map_set(&pieces->said, kernel, said);
    Name block = names_get(graph->names, S("PIECES"));
    Template *template =
        emit_template(pieces->engine, context->arena, context->backend, name_str(kernel), op->kernel_at);
    if (template == NULL || !template_has_block(template, block)) return *said;
    /* A template may be a part of another one's text, where its block is to say nothing. */
    Dict *asked = dict_new(context->arena, 1);
    dict_set_in(context->arena, asked, val_str_lit("pieces", 6), val_bool(true));
    if (engine_render_block(pieces->engine, template, block, val_dict(asked), context->arena, said))
        *said = str_trim(*said);
    return *said;
}

/* The dim of this hole that the kernel reads along, wherever rows lie. "b 1" says: of b the dim 1. */
static bool reads_rows(Pieces *pieces, const OpDef *op, Name hole, uint32_t *along) {
    Str said = said_by(pieces, op), name = name_str(hole);
    if (said.n != name.n + 2 || !str_starts(said, name) || said.p[name.n] != ' ') return false;
    *along = (uint32_t)(said.p[name.n + 1] - '0');
    return *along < 10;
}

/* ---- rules */
static SymRef some_position(Graph *graph, const char *kind, uint32_t d, SymRef size) {
    return sym_index(&graph->syms, names_get(graph->names, str_format(graph->arena, "%%%s%u", kind, (unsigned)d)),
                     size);
}

/* Whether it changes along this position. */
static bool depends(Graph *graph, SymRef a, SymRef position) {
    Map none;
    map_init(&none, graph->arena);
    if (position->kind != SYM_VAR) return true;
    map_set(&none, position->name, (void *)(uintptr_t)sym_int(&graph->syms, 0));
    return sym_replace(&graph->syms, a, &none) != a;
}

/* Whether a position alone stands last in an index. */
static bool is_last(Graph *graph, const SymRef *index, uint32_t rank, SymRef position) {
    if (rank == 0 || index[rank - 1] != position) return false;
    for (uint32_t d = 0; d + 1 < rank; d++)
        if (depends(graph, index[d], position)) return false;
    return true;
}

/* Rows of params are rows of the view's result. */
static bool moves_rows(Graph *graph, const Node *view) {
    const OpDef *op = view->op;
    const Tensor *result = view->outputs[0];
    uint32_t rank = result->type.shape.rank, parts = 0;
    SymRef *at = ARENA_ARRAY(graph->arena, SymRef, rank + 1);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        if (i >= op->indices.n || op->indices.items[i].value.expr == NULL) return false;
        for (uint32_t k = 0; k < view->counts[i]; k++, parts++)
            if (view->inputs[i][k]->role != TENSOR_PARAM || view->inputs[i][k]->type.dtype != result->type.dtype)
                return false;
    }
    if (rank == 0 || parts < 2 || op->fill.expr != NULL) return false;
    for (uint32_t d = 0; d < rank; d++)
        at[d] = some_position(graph, "v", d, result->type.shape.dims[d]);
    RuleCall call = graph_call(graph, view);
    ViewSources sources;
    if (!view_sources(&graph->rules, &call, &result->type, 0, at, &sources) || sources.n == 0) return false;
    for (uint32_t i = 0; i < sources.n; i++) {
        const ViewSource *source = &sources.items[i];
        const Tensor *part = view->inputs[source->input][source->item];
        if (depends(graph, source->valid, at[rank - 1])) return false;
        if (!is_last(graph, source->index, part->type.shape.rank, at[rank - 1])) return false;
    }
    return true;
}

/* A scope with the sizes that the kernel's holes are said in. */
static const RuleScope *sizes_scope(Graph *graph, const RuleCall *call) {
    const RuleScope *scope = rule_scope(&graph->rules, call, NULL);
    for (uint32_t i = 0; i < call->op->sizes.n; i++) {
        RuleScope *size = ARENA_NEW(graph->arena, RuleScope);
        *size = (RuleScope){(RuleScope *)(uintptr_t)scope, call->op->sizes.items[i].name, {.kind = RULE_NONE}};
        if (!rule_eval(&graph->rules, &call->op->sizes.items[i].value, scope, &size->value)) return NULL;
        scope = size;
    }
    return scope;
}

/* What the kernel goes along is the last dim of what it reads through this hole. */
static bool goes_along(Graph *graph, const Node *kernel, const OpHole *hole, uint32_t along, uint32_t rank) {
    RuleCall call = graph_call(graph, kernel);
    const RuleScope *scope = sizes_scope(graph, &call);
    RuleValue shape, index;
    if (scope == NULL || hole->shape.expr == NULL || hole->index.expr == NULL) return false;
    if (!rule_eval(&graph->rules, &hole->shape, scope, &shape) || shape.kind != RULE_LIST) return false;
    RuleValue *items = ARENA_ARRAY(graph->arena, RuleValue, shape.as.list.n + 1);
    for (uint32_t d = 0; d < shape.as.list.n; d++) {
        if (shape.as.list.items[d].kind != RULE_INT) return false;
        items[d] = (RuleValue){.kind = RULE_INT, .as.i = some_position(graph, "h", d, shape.as.list.items[d].as.i)};
    }
    RuleScope i = {(RuleScope *)(uintptr_t)scope,
                   names_get(graph->names, S("i")),
                   {.kind = RULE_LIST, .as.list = {items, shape.as.list.n}}};
    if (along >= shape.as.list.n || !rule_eval(&graph->rules, &hole->index, &i, &index)) return false;
    if (index.kind != RULE_LIST || index.as.list.n != rank) return false;
    SymRef *at = ARENA_ARRAY(graph->arena, SymRef, rank + 1);
    for (uint32_t d = 0; d < rank; d++) {
        if (index.as.list.items[d].kind != RULE_INT) return false;
        at[d] = index.as.list.items[d].as.i;
    }
    return is_last(graph, at, rank, items[along].as.i);
}

/* ---- which views */
static bool reads_pieces(Pieces *pieces, const Use *use, const Tensor *tensor) {
    const Node *node = use->node;
    uint32_t along;
    if (node->constant || node->op->kind != KIND_KERNEL || node->op->inputs.items[use->input].list) return false;
    Name input = node->op->inputs.items[use->input].name;
    for (uint32_t i = 0; i < node->op->holes.n; i++) {
        const OpHole *hole = &node->op->holes.items[i];
        if (hole->of != input) continue;
        return reads_rows(pieces, node->op, hole->name, &along) &&
               goes_along(pieces->context->graph, node, hole, along, tensor->type.shape.rank);
    }
    return false;
}

static bool is_large(const Tensor *tensor) {
    int64_t size, bytes = dtype_size(tensor->type.dtype), row = bytes;
    for (uint32_t d = 0; d < tensor->type.shape.rank; d++) {
        if (!sym_is_int(tensor->type.shape.dims[d], &size) || __builtin_mul_overflow(bytes, size, &bytes)) return false;
        if (d + 1 == tensor->type.shape.rank) row *= size;
    }
    return bytes > LEAST_BYTES && row >= LEAST_ROW;
}

static bool stays_apart(Pieces *pieces, const Node *node) {
    if (!node->constant || node->op->kind != KIND_VIEW || node->output_n != 1 || node->outputs[0] == NULL) return false;
    const Tensor *result = node->outputs[0];
    if (result->output || result->uses.n == 0 || !is_large(result)) return false;
    if (!moves_rows(pieces->context->graph, node)) return false;
    for (uint32_t u = 0; u < result->uses.n; u++)
        if (!reads_pieces(pieces, &result->uses.items[u], result)) return false;
    return true;
}

/* ---- taking marks away, and giving them back */
typedef VEC(Node *) NodeList;

static void take_marks(Pieces *pieces, NodeList *taken) {
    Graph *graph = pieces->context->graph;
    Diags quiet, *loud = graph->rules.diags;
    diags_init(&quiet, graph->arena);
    graph->rules.diags = &quiet; /* a rule without an answer: it stays as it is */
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        if (stays_apart(pieces, graph->nodes.items[i])) *VEC_PUSH(graph->arena, taken) = graph->nodes.items[i];
        sym_clear_fault(&graph->syms);
    }
    graph->rules.diags = loud;
    for (uint32_t i = 0; i < taken->n; i++)
        taken->items[i]->constant = false;
}

/* Whether the node is part of a group without being part of a kernel that reads it. */
static bool is_by_itself(const Group *group, const Node *node) {
    bool there = false;
    for (uint32_t i = 0; i < group->nodes.n; i++)
        there |= group->nodes.items[i] == node;
    for (uint32_t u = 0; there && u < node->outputs[0]->uses.n; u++)
        if (node->outputs[0]->uses.items[u].node == group->anchor) return false;
    return there;
}

static bool give_back(const NodeList *taken, const Groups *groups) {
    bool any = false;
    for (uint32_t i = 0; i < taken->n; i++)
        for (uint32_t g = 0; g < groups->items.n && !taken->items[i]->constant; g++)
            if (is_by_itself(groups->items.items[g], taken->items[i])) taken->items[i]->constant = any = true;
    return any;
}

static void group(EmitContext *context, Groups *groups) {
    passes_group(context->arena, context->graph, context->options->without, backend_lookups_check(context->backend),
                 groups);
}

bool emit_groups(EmitContext *context, Engine *engine, Groups *groups) {
    uint32_t errors = context->graph->diags->errors;
    Pieces pieces = {.context = context, .engine = engine};
    NodeList taken = {NULL, 0, 0};
    map_init(&pieces.said, context->arena);
    /* What is computed while generating costs nothing later. */
    if (context->profile == NULL || !context->profile->folds) take_marks(&pieces, &taken);
    group(context, groups);
    while (give_back(&taken, groups))
        group(context, groups);
    return context->graph->diags->errors == errors;
}

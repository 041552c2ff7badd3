/* graph_change.c: making and changing graphs: tensors, nodes, uses, outputs.
 *
 * Every use knows where it stands among its tensor's uses, so entering and leaving take no search however many readers
 * a tensor has. For the same reason removing leaves a hole in the list of nodes, which graph_sort closes.
 */
#include "graph/inner.h"

void graph_init(Graph *graph, Arena *arena, Names *names, const OpTable *ops, Source *source, Diags *diags) {
    *graph = (Graph){.arena = arena, .names = names, .ops = ops, .diags = diags, .source = source};
    syms_init(&graph->syms, arena);
    graph->rules = (Rules){.arena = arena, .names = names, .syms = &graph->syms, .diags = diags};
    map_init(&graph->names_taken, arena);
    graph->name = names_get(names, S(""));
    graph->weights = S("");
}

/* ---- names */

void graph_take_name(Graph *graph, Name name) {
    if (map_get(&graph->names_taken, name) == NULL) map_set(&graph->names_taken, name, (void *)(uintptr_t)1);
}

static bool may_be_new(const Graph *graph, Name name) {
    return map_get(&graph->names_taken, name) == NULL && reserved_why(name_str(name)) == NULL;
}

Name graph_new_name(Graph *graph, Str base) {
    while (base.n > 0 && base.p[base.n - 1] == '_')
        base.n--;
    if (base.n == 0) base = S("t");
    Name name = names_get(graph->names, base);
    uintptr_t made = (uintptr_t)map_get(&graph->names_taken, name);
    Name tried = name;
    while (!may_be_new(graph, tried)) {
        tried = names_get(graph->names,
                          str_format(graph->arena, "%S_%llu", base, (unsigned long long)(made == 0 ? 1 : made)));
        made = made == 0 ? 2 : made + 1;
    }
    if (tried != name) map_set(&graph->names_taken, name, (void *)made);
    graph_take_name(graph, tried);
    return tried;
}

/* ---- tensors */

Tensor *graph_make_tensor(Graph *graph, Name name, TensorRole role, RuleTensor type, Span place) {
    Tensor *tensor = ARENA_NEW(graph->arena, Tensor);
    *tensor = (Tensor){.name = name, .role = role, .number = graph->tensors.n, .type = type, .place = place};
    tensor->key = name_str(name);
    *VEC_PUSH(graph->arena, &graph->tensors) = tensor;
    if (role == TENSOR_INPUT) *VEC_PUSH(graph->arena, &graph->inputs) = tensor;
    if (role == TENSOR_PARAM) *VEC_PUSH(graph->arena, &graph->params) = tensor;
    return tensor;
}

Tensor *graph_tensor(Graph *graph, Name name, TensorRole role, RuleTensor type, Span place) {
    if (name == NULL || map_get(&graph->names_taken, name) != NULL)
        name = graph_new_name(graph, name == NULL ? S("t") : name_str(name));
    else
        graph_take_name(graph, name);
    return graph_make_tensor(graph, name, role, type, place);
}

void graph_add_output(Graph *graph, Tensor *tensor, Name name) {
    *VEC_PUSH(graph->arena, &graph->outputs) = tensor;
    *VEC_PUSH(graph->arena, &graph->output_names) = name;
    *VEC_PUSH(graph->arena, &graph->output_next) = tensor->output_at;
    tensor->output_at = graph->outputs.n;
    tensor->output = true;
}

/* ---- uses */

static void enter_use(Graph *graph, Node *node, uint32_t input, uint32_t item) {
    Tensor *tensor = node->inputs[input][item];
    node->use_at[input][item] = tensor->uses.n;
    *VEC_PUSH(graph->arena, &tensor->uses) = (Use){node, input, item};
}

/* The last use takes the place of the one that goes. */
static void leave_use(const Node *node, uint32_t input, uint32_t item) {
    Tensor *tensor = node->inputs[input][item];
    uint32_t at = node->use_at[input][item];
    Use last = VEC_LAST(&tensor->uses);
    tensor->uses.items[at] = last;
    last.node->use_at[last.input][last.item] = at;
    tensor->uses.n--;
}

/* ---- nodes */

static uint32_t sum(const uint32_t *counts, uint32_t n) {
    uint32_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += counts[i];
    return all;
}

/* All that a node reads stands in one row, which inputs[i] point into. */
void graph_set_counts(Graph *graph, Node *node, const uint32_t *counts) {
    uint32_t n = node->op->inputs.n, all = sum(counts, n);
    Tensor **tensors = ARENA_ARRAY(graph->arena, Tensor *, all);
    uint32_t *use_at = ARENA_ARRAY(graph->arena, uint32_t, all);
    for (uint32_t i = 0; i < n; i++) {
        node->counts[i] = counts[i];
        node->inputs[i] = tensors;
        node->use_at[i] = use_at;
        tensors += counts[i];
        use_at += counts[i];
    }
}

void graph_set_output_counts(Graph *graph, Node *node, const uint32_t *counts) {
    node->output_n = sum(counts, node->op->outputs.n);
    node->outputs = ARENA_ARRAY(graph->arena, Tensor *, node->output_n);
    for (uint32_t i = 0; i < node->op->outputs.n; i++)
        node->output_counts[i] = counts[i];
}

Node *graph_new_node(Graph *graph, const OpDef *op, const uint32_t *counts, const uint32_t *output_counts, Span place) {
    Arena *arena = graph->arena;
    Node *node = ARENA_NEW(arena, Node);
    node->op = op;
    node->place = place;
    node->number = UINT32_MAX;
    if (op == NULL) return node;
    node->inputs = ARENA_ARRAY(arena, Tensor **, op->inputs.n);
    node->use_at = ARENA_ARRAY(arena, uint32_t *, op->inputs.n);
    node->counts = ARENA_ARRAY(arena, uint32_t, op->inputs.n);
    node->output_counts = ARENA_ARRAY(arena, uint32_t, op->outputs.n);
    node->attrs = ARENA_ARRAY(arena, RuleValue, op->attrs.n);
    node->types = ARENA_ARRAY(arena, Dtype, op->types.n);
    if (counts != NULL) graph_set_counts(graph, node, counts);
    if (output_counts != NULL) graph_set_output_counts(graph, node, output_counts);
    return node;
}

void graph_add_node(Graph *graph, Node *node) {
    node->number = graph->nodes.n;
    *VEC_PUSH(graph->arena, &graph->nodes) = node;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++)
            enter_use(graph, node, i, k);
    for (uint32_t i = 0; i < node->output_n; i++) {
        if (node->outputs[i] == NULL) continue;
        node->outputs[i]->producer = node;
        node->outputs[i]->index = i;
    }
}

Node *graph_node(Graph *graph, const OpDef *op, Tensor ***inputs, const uint32_t *counts, const RuleValue *attrs,
                 Tensor **outputs, Span place) {
    Node *node = graph_new_node(graph, op, counts, NULL, place);
    for (uint32_t i = 0; i < op->inputs.n; i++)
        for (uint32_t k = 0; k < counts[i]; k++)
            node->inputs[i][k] = inputs[i][k];
    for (uint32_t i = 0; i < op->attrs.n; i++)
        node->attrs[i] = attrs[i];
    RuleTensor *types = graph_infer_types(graph, node);
    if (types == NULL) return NULL;
    for (uint32_t i = 0; i < node->output_n; i++) {
        node->outputs[i] = outputs == NULL ? NULL : outputs[i];
        if (node->outputs[i] == NULL)
            node->outputs[i] =
                graph_make_tensor(graph, graph_new_name(graph, name_str(op->name)), TENSOR_RESULT, types[i], place);
    }
    graph_add_node(graph, node);
    return node;
}

bool graph_compose(Graph *graph, const OpDef *op, Tensor ***inputs, const uint32_t *counts, const RuleValue *attrs,
                   Tensor *const *outputs, uint32_t output_n, Span place) {
    Node *node = graph_new_node(graph, op, counts, NULL, place);
    for (uint32_t i = 0; i < op->inputs.n; i++)
        for (uint32_t k = 0; k < counts[i]; k++)
            node->inputs[i][k] = inputs[i][k];
    for (uint32_t i = 0; i < op->attrs.n; i++)
        node->attrs[i] = attrs[i];
    if (graph_infer_types(graph, node) == NULL) return false;
    if (node->output_n != output_n) {
        diag_error(graph->diags, E_MISMATCH, place, "op %Q makes %u tensors in the place of %u", name_str(op->name),
                   (unsigned)node->output_n, (unsigned)output_n);
        return false;
    }
    RuleTensor *types = ARENA_ARRAY(graph->arena, RuleTensor, output_n + 1);
    for (uint32_t k = 0; k < output_n; k++) {
        node->outputs[k] = outputs[k];
        types[k] = outputs[k]->type;
    }
    if (!graph_expand(graph, node)) return false;
    for (uint32_t k = 0; k < output_n; k++)
        outputs[k]->type = types[k];
    return true;
}

/* The places of `old` among the outputs go to `with`. */
static void replace_output(Graph *graph, Tensor *old, Tensor *with) {
    uint32_t first = old->output_at, last = first;
    for (uint32_t at = first; at != 0; at = graph->output_next.items[at - 1]) {
        graph->outputs.items[at - 1] = with;
        last = at;
    }
    graph->output_next.items[last - 1] = with->output_at;
    with->output_at = first;
    old->output_at = 0;
    old->output = false;
    if (!with->output && with->role == TENSOR_RESULT) {
        Name name = old->name;
        old->name = with->name;
        with->name = name;
    }
    with->output = true;
}

void graph_replace(Graph *graph, Tensor *old, Tensor *with) {
    if (old == with) return;
    for (uint32_t i = 0; i < old->uses.n; i++) {
        Use use = old->uses.items[i];
        use.node->inputs[use.input][use.item] = with;
        use.node->use_at[use.input][use.item] = with->uses.n;
        *VEC_PUSH(graph->arena, &with->uses) = use;
    }
    old->uses.n = 0;
    if (old->output) replace_output(graph, old, with);
}

void graph_remove(Graph *graph, Node *node) {
    if (node->number == UINT32_MAX) return;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++)
            leave_use(node, i, k);
    for (uint32_t i = 0; i < node->output_n; i++)
        if (node->outputs[i] != NULL) node->outputs[i]->producer = NULL;
    graph->nodes.items[node->number] = NULL;
    node->number = UINT32_MAX;
}

/* model_build.c: from what a model declares to the graph: order, types and shapes, and what only the whole can tell.
 *
 * A node that has failed makes tensors without a type, and what reads one of these is left out in silence: its
 * mistakes, if it has any, are told when the first one is mended.
 */
#include "graph/model.h"

/* ---- what is changed in place */

/* Who changes a tensor, as far as nodes are understood. */
static void check_change(Model *model, const Node *node, const Tensor *tensor, const Node **by) {
    Str op = name_str(node->op->name), name = name_str(tensor->name);
    Diag *diag = NULL;
    if (tensor->role == TENSOR_PARAM) {
        diag = diag_error(model->diags, E_BAD_VALUE, node->place,
                          "op %Q changes %Q, which is a param: all runs share it", op, name);
    } else if (tensor->output) {
        diag = diag_error(model->diags, E_BAD_VALUE, node->place, "op %Q changes %Q, which is an output", op, name);
        diag_hint(model->diags, diag, "make what it makes the output");
        return;
    } else if (by[tensor->number] != NULL) {
        diag = diag_error(model->diags, E_DUPLICATE, node->place, "op %Q changes %Q, which another node changes, too",
                          op, name);
        diag_hint(model->diags, diag, "let one of them take what the other makes");
        diag_note(model->diags, diag, by[tensor->number]->place, "here");
        return;
    }
    by[tensor->number] = node;
    if (diag != NULL && str_ends(op, S("_"))) diag_hint(model->diags, diag, "the op without the _ makes a new tensor");
}

static void check_changes(Model *model) {
    const Node **by = NULL;
    for (uint32_t i = 0; i < model->nodes.n; i++) {
        const ModelNode *at = &model->nodes.items[i];
        const Node *node = at->node;
        if (at->failed || node->op->mutates.n == 0) continue;
        if (by == NULL) by = ARENA_ARRAY(model->scratch, const Node *, model->graph->tensors.n);
        for (uint32_t k = 0; k < node->op->inputs.n; k++) {
            if (!graph_mutates(node->op, k)) continue;
            for (uint32_t m = 0; m < node->counts[k]; m++)
                check_change(model, node, node->inputs[k][m], by);
        }
    }
}

/* ---- order */

static void on_cycle(void *user, uint32_t at) { ((Model *)user)->nodes.items[at].failed = true; }

/* The nodes in an order in which they can be computed; those on a circle or behind one are not among them. */
static uint32_t *sort_nodes(Model *model, uint32_t *n) {
    uint32_t all = model->nodes.n;
    Reads *reads = ARENA_ARRAY(model->scratch, Reads, all);
    for (uint32_t i = 0; i < all; i++) {
        const ModelNode *at = &model->nodes.items[i];
        reads[i] = (Reads){at->node, at->reads, at->read_n, !at->failed};
    }
    OrderEdges edges = {0};
    graph_edges(model->scratch, reads, all, model->graph->tensors.n, &edges);
    uint32_t *order = ARENA_ARRAY(model->scratch, uint32_t, all);
    *n = order_sort(model->scratch, all, &edges, order);
    if (*n < all) graph_tell_cycles(model->scratch, model->diags, reads, all, &edges, on_cycle, model);
    return order;
}

/* ---- types and shapes */

static bool has_types(const ModelNode *at) {
    for (uint32_t i = 0; i < at->read_n; i++)
        if (at->reads[i]->type.dtype == NO_TYPE) return false;
    return true;
}

static void infer(Model *model, ModelNode *at) {
    if (at->failed || !has_types(at)) return;
    Node *node = at->node;
    if (graph_expand(model->graph, node)) return;
    for (uint32_t i = 0; i < node->output_n; i++)
        if (node->outputs[i] != NULL) node->outputs[i]->type.dtype = NO_TYPE;
}

static Str shown_shape(Model *model, RuleShape shape) {
    Buf out;
    buf_init(&out, model->scratch);
    rule_print_shape(&out, shape);
    return buf_str(&out);
}

static void check_stated(Model *model, const Stated *stated) {
    const Tensor *tensor = stated->tensor;
    Graph *graph = model->graph;
    Str name = name_str(tensor->name);
    if (tensor->type.dtype == NO_TYPE) return;
    if (stated->dtype_json != NULL && stated->dtype != tensor->type.dtype)
        model_error(model, stated->dtype_json, E_MISMATCH, "%Q is stated to be %s, but is %s", name,
                    dtype_name(stated->dtype), dtype_name(tensor->type.dtype));
    if (stated->shape_json == NULL) return;
    SymRef condition;
    int same = graph_same_shape(graph, stated->shape, tensor->type.shape, &condition);
    if (same > 0) return;
    Str said = shown_shape(model, stated->shape), is = shown_shape(model, tensor->type.shape);
    if (same == 0) {
        Diag *diag = model_error(model, stated->shape_json, E_MISMATCH, "%Q is stated to have the shape %S, but has %S",
                                 name, said, is);
        diag_note(model->diags, diag, tensor->producer->place, "from this node");
    } else {
        Str text = str_format(model->arena, "%Q is stated to have the shape %S, but has %S", name, said, is);
        *VEC_PUSH(model->arena, &graph->checks) = (RuleCheck){condition, text};
    }
}

/* ---- what only the whole tells */

/* A run learns named dims from the shapes of its inputs. */
static void check_dims(Model *model) {
    const Graph *graph = model->graph;
    Map told;
    map_init(&told, model->scratch);
    for (uint32_t i = 0; i < graph->inputs.n; i++) {
        RuleShape shape = graph->inputs.items[i]->type.shape;
        for (uint32_t k = 0; k < shape.rank; k++)
            if (shape.dims[k]->kind == SYM_VAR) map_set(&told, shape.dims[k]->name, graph->inputs.items[i]);
    }
    for (uint32_t i = 0; i < graph->dims.n; i++) {
        const GraphDim *dim = &graph->dims.items[i];
        bool used = i < model->dim_used.n && model->dim_used.items[i];
        if (!used) {
            diag_add(model->diags, DIAG_WARNING, E_UNUSED, dim->place, "dim %Q is not used", name_str(dim->name));
        } else if (dim->min != dim->max && map_get(&told, dim->name) == NULL) {
            Diag *diag = diag_error(model->diags, E_MISSING, dim->place, "no input tells a run what dim %Q is",
                                    name_str(dim->name));
            diag_hint(model->diags, diag, "an input has to have it, by its name alone, in its shape");
        }
    }
}

/* The plain input that an operator in place works on a copy of; NULL: there is none. */
static const Tensor *copied_input(const Node *node) {
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; graph_mutates(node->op, i) && k < node->counts[i]; k++)
            if (node->inputs[i][k]->role == TENSOR_INPUT) return node->inputs[i][k];
    return NULL;
}

static void warn_unused_node(Model *model, const Node *node, Tensor *const *states) {
    if (graph_changes_state(node, states)) return;
    for (uint32_t k = 0; k < node->output_n; k++)
        if (node->outputs[k] != NULL && (node->outputs[k]->uses.n > 0 || node->outputs[k]->output)) return;
    Diag *diag = diag_add(model->diags, DIAG_WARNING, E_UNUSED, node->place, "nothing uses what this node makes");
    const Tensor *copied = copied_input(node);
    if (copied != NULL)
        diag_hint(model->diags, diag, "it changes a copy of input %Q; with \"mutable\": true runs change the input",
                  name_str(copied->name));
}

static void warn_unchanged(Model *model, Tensor *const *states) {
    const Graph *graph = model->graph;
    if (states == NULL) return;
    bool *changed = ARENA_ARRAY(model->scratch, bool, graph->tensors.n);
    for (uint32_t i = 0; i < graph->tensors.n; i++)
        if (states[i] != NULL && states[i]->number != i) changed[states[i]->number] = true;
    for (uint32_t i = 0; i < graph->inputs.n; i++) {
        const Tensor *input = graph->inputs.items[i];
        if (input->is_mutable && input->uses.n > 0 && !changed[input->number])
            diag_add(model->diags, DIAG_WARNING, E_UNUSED, input->place, "input %Q is mutable, but nothing changes it",
                     name_str(input->name));
    }
}

static void warn_unused(Model *model) {
    const Graph *graph = model->graph;
    Tensor **states = graph_states(model->scratch, graph);
    for (uint32_t i = 0; i < graph->tensors.n; i++) {
        const Tensor *tensor = graph->tensors.items[i];
        if (tensor->role == TENSOR_RESULT || tensor->uses.n > 0) continue;
        diag_add(model->diags, DIAG_WARNING, E_UNUSED, tensor->place, "%s %Q is not used",
                 tensor->role == TENSOR_INPUT ? "input" : "param", name_str(tensor->name));
    }
    for (uint32_t i = 0; i < model->nodes.n; i++)
        warn_unused_node(model, model->nodes.items[i].node, states);
    warn_unchanged(model, states);
}

/* The same condition of many nodes is checked once. */
static void unite_checks(Model *model) {
    Graph *graph = model->graph;
    bool *seen = ARENA_ARRAY(model->scratch, bool, graph->syms.all.n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < graph->checks.n; i++) {
        RuleCheck check = graph->checks.items[i];
        if (seen[check.condition->id]) continue;
        seen[check.condition->id] = true;
        graph->checks.items[n++] = check;
    }
    graph->checks.n = n;
}

void model_build(Model *model) {
    Graph *graph = model->graph;
    uint32_t n;
    check_changes(model);
    const uint32_t *order = sort_nodes(model, &n);
    for (uint32_t i = 0; i < n; i++)
        infer(model, &model->nodes.items[order[i]]);
    for (uint32_t i = 0; i < model->stated.n; i++)
        check_stated(model, &model->stated.items[i]);
    if (model->diags->errors > model->errors) return;
    check_dims(model);
    warn_unused(model);
    unite_checks(model);
    /* What a composite is made of may change in place what a node between them reads. */
    if (!graph_try_sort(graph)) {
        Diag *diag = diag_error(model->diags, E_CYCLE, span(model->source, 0, 1),
                                "the operators within its composites change in place what others still read");
        diag_hint(model->diags, diag, "their opdefs have to name it in \"mutates\"");
    }
}

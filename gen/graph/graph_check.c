/* graph_check.c: whether everything that a graph says twice agrees: what changes have to keep.
 *
 * What is found wrong here is a mistake of opgen's, never of a model; the findings are for whoever wrote the pass.
 */
#include "graph/inner.h"

typedef struct Check {
    const Graph *graph;
    Diags *diags;
    bool good;
} Check;

static void wrong(Check *check, Span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_vadd(check->diags, DIAG_ERROR, E_BROKEN_GRAPH, at, format, args);
    va_end(args);
    check->good = false;
}

static bool has_tensor(const Graph *graph, const Tensor *tensor) {
    return tensor->number < graph->tensors.n && graph->tensors.items[tensor->number] == tensor;
}

static bool has_node(const Graph *graph, const Node *node) {
    return node->number < graph->nodes.n && graph->nodes.items[node->number] == node;
}

static void check_input(Check *check, const Node *node, uint32_t input, uint32_t item) {
    const Tensor *tensor = node->inputs[input][item];
    Str op = name_str(node->op->name);
    if (tensor == NULL) {
        wrong(check, node->place, "%S has no tensor where it reads one", op);
        return;
    }
    Str name = name_str(tensor->name);
    if (!has_tensor(check->graph, tensor))
        wrong(check, node->place, "%S reads %Q, which is not in the graph", op, name);
    uint32_t at = node->use_at[input][item];
    const Use *use = at < tensor->uses.n ? &tensor->uses.items[at] : NULL;
    if (use == NULL || use->node != node || use->input != input || use->item != item)
        wrong(check, node->place, "%S reads %Q, which does not know of it", op, name);
    if (tensor->producer != NULL && tensor->producer->number >= node->number)
        wrong(check, node->place, "%S reads %Q before it is made", op, name);
    if (!graph_mutates(node->op, input)) return;
    for (uint32_t i = 0; i < tensor->uses.n; i++) {
        const Node *other = tensor->uses.items[i].node;
        if (other != node && other->number >= node->number)
            wrong(check, node->place, "%S changes %Q before %S reads it", op, name, name_str(other->op->name));
    }
}

static void check_node(Check *check, const Node *node, uint32_t i) {
    if (node->number != i) wrong(check, node->place, "node %u has the number %u", (unsigned)i, (unsigned)node->number);
    for (uint32_t k = 0; k < node->op->inputs.n; k++)
        for (uint32_t m = 0; m < node->counts[k]; m++)
            check_input(check, node, k, m);
    uint32_t all = 0;
    for (uint32_t k = 0; k < node->op->outputs.n; k++)
        all += node->output_counts[k];
    if (all != node->output_n) wrong(check, node->place, "%S counts its results in two ways", name_str(node->op->name));
    for (uint32_t k = 0; k < node->output_n; k++) {
        const Tensor *tensor = node->outputs[k];
        if (tensor == NULL) continue;
        if (!has_tensor(check->graph, tensor))
            wrong(check, node->place, "%Q is made but not in the graph", name_str(tensor->name));
        if (tensor->producer != node || tensor->index != k || tensor->role != TENSOR_RESULT)
            wrong(check, node->place, "%Q does not know who makes it", name_str(tensor->name));
    }
}

static void check_tensor(Check *check, const Tensor *tensor, uint32_t i) {
    Str name = name_str(tensor->name);
    if (tensor->number != i)
        wrong(check, tensor->place, "tensor %Q is %u and has the number %u", name, (unsigned)i,
              (unsigned)tensor->number);
    if (tensor->type.dtype >= DT_COUNT || tensor->type.shape.rank > RULE_MOST_RANK)
        wrong(check, tensor->place, "%Q has no type", name);
    if (tensor->role == TENSOR_RESULT ? tensor->producer == NULL || !has_node(check->graph, tensor->producer)
                                      : tensor->producer != NULL)
        wrong(check, tensor->place, "%Q has no right producer", name);
    for (uint32_t k = 0; k < tensor->uses.n; k++) {
        Use use = tensor->uses.items[k];
        bool right = has_node(check->graph, use.node) && use.input < use.node->op->inputs.n &&
                     use.item < use.node->counts[use.input] && use.node->inputs[use.input][use.item] == tensor &&
                     use.node->use_at[use.input][use.item] == k;
        if (!right) wrong(check, tensor->place, "%Q is said to be read where it is not", name);
    }
}

static void check_outputs(Check *check) {
    const Graph *graph = check->graph;
    if (graph->outputs.n != graph->output_names.n || graph->outputs.n != graph->output_next.n)
        wrong(check, (Span){0}, "there are not as many outputs as names of outputs");
    uint32_t listed = 0;
    for (uint32_t i = 0; i < graph->outputs.n; i++) {
        const Tensor *tensor = graph->outputs.items[i];
        if (!tensor->output || !has_tensor(graph, tensor))
            wrong(check, tensor->place, "%Q is an output and does not know it", name_str(tensor->name));
    }
    for (uint32_t i = 0; i < graph->tensors.n; i++) {
        const Tensor *tensor = graph->tensors.items[i];
        if (tensor->output != (tensor->output_at != 0))
            wrong(check, tensor->place, "%Q is an output at no place", name_str(tensor->name));
        for (uint32_t at = tensor->output_at; at != 0 && at <= graph->outputs.n && listed <= graph->outputs.n;
             listed++) {
            if (graph->outputs.items[at - 1] != tensor)
                wrong(check, tensor->place, "%Q is an output where it is not", name_str(tensor->name));
            at = graph->output_next.items[at - 1];
        }
    }
    if (listed != graph->outputs.n) wrong(check, (Span){0}, "an output has no way to its place");
}

static void check_roles(Check *check, Tensor *const *tensors, uint32_t n, TensorRole role) {
    for (uint32_t i = 0; i < n; i++)
        if (tensors[i]->role != role || !has_tensor(check->graph, tensors[i]))
            wrong(check, tensors[i]->place, "%Q is in a list of what it is not", name_str(tensors[i]->name));
}

bool graph_check(const Graph *graph, Diags *diags) {
    Check check = {graph, diags, true};
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        if (graph->nodes.items[i] == NULL)
            wrong(&check, (Span){0}, "node %u was removed, and the graph not sorted since", (unsigned)i);
        else
            check_node(&check, graph->nodes.items[i], i);
    }
    for (uint32_t i = 0; i < graph->tensors.n; i++)
        check_tensor(&check, graph->tensors.items[i], i);
    check_roles(&check, graph->inputs.items, graph->inputs.n, TENSOR_INPUT);
    check_roles(&check, graph->params.items, graph->params.n, TENSOR_PARAM);
    check_outputs(&check);
    return check.good;
}

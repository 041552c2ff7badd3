/* graph_sort.c: the order in which a graph can be computed.
 *
 * A tensor has one value. Where an operator changes its input in place, what reads that input reads it as it was, so it
 * has to stand before; the changed value is the operator's result.
 */
#include "graph/inner.h"

bool graph_mutates(const OpDef *op, uint32_t input) {
    for (uint32_t i = 0; i < op->mutates.n; i++)
        if (op->mutates.items[i] == op->inputs.items[input].name) return true;
    return false;
}

/* The input that the operator's result of this number takes the place of: the first result that of the first input that
 * is changed, and so on. NULL: of none. */
static const Tensor *changed_by(const Node *node, uint32_t result) {
    const OpDef *op = node->op;
    if (result >= op->mutates.n) return NULL;
    for (uint32_t i = 0; i < op->inputs.n; i++)
        if (op->inputs.items[i].name == op->mutates.items[result] && node->counts[i] == 1) return node->inputs[i][0];
    return NULL;
}

Tensor **graph_states(Arena *scratch, const Graph *graph) {
    bool any = false;
    for (uint32_t i = 0; i < graph->inputs.n; i++)
        any |= graph->inputs.items[i]->is_mutable;
    if (!any) return NULL;
    Tensor **states = ARENA_ARRAY(scratch, Tensor *, (size_t)graph->tensors.n + 1);
    for (uint32_t i = 0; i < graph->inputs.n; i++)
        if (graph->inputs.items[i]->is_mutable) states[graph->inputs.items[i]->number] = graph->inputs.items[i];
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const Node *node = graph->nodes.items[i];
        for (uint32_t k = 0; node != NULL && k < node->output_n; k++) {
            const Tensor *from = changed_by(node, k);
            if (node->outputs[k] != NULL && from != NULL) states[node->outputs[k]->number] = states[from->number];
        }
    }
    return states;
}

bool graph_changes_state(const Node *node, Tensor *const *states) {
    if (states == NULL || node->op->mutates.n == 0) return false;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; graph_mutates(node->op, i) && k < node->counts[i]; k++)
            if (states[node->inputs[i][k]->number] != NULL) return true;
    return false;
}

Reads graph_reads(const Node *node) {
    Reads reads = {.node = node, .understood = true};
    if (node->op->inputs.n == 0) return reads;
    reads.tensors = node->inputs[0]; /* the rest stands behind */
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        reads.n += node->counts[i];
    return reads;
}

/* For each tensor who changes it; NULL if nothing is changed. */
static const Node **find_changes(Arena *scratch, const Reads *reads, uint32_t n, uint32_t tensor_count) {
    const Node **by = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const Node *node = reads[i].node;
        if (!reads[i].understood || node->op->mutates.n == 0) continue;
        if (by == NULL) by = ARENA_ARRAY(scratch, const Node *, tensor_count);
        for (uint32_t k = 0; k < node->op->inputs.n; k++) {
            if (!graph_mutates(node->op, k)) continue;
            for (uint32_t m = 0; m < node->counts[k]; m++)
                by[node->inputs[k][m]->number] = node;
        }
    }
    return by;
}

void graph_edges(Arena *scratch, const Reads *reads, uint32_t n, uint32_t tensor_count, OrderEdges *edges) {
    const Node **changed = find_changes(scratch, reads, n, tensor_count);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < reads[i].n; k++) {
            const Tensor *tensor = reads[i].tensors[k];
            if (tensor->producer != NULL) *VEC_PUSH(scratch, edges) = (OrderEdge){tensor->producer->number, i};
            const Node *by = changed == NULL ? NULL : changed[tensor->number];
            if (by != NULL && by != reads[i].node) *VEC_PUSH(scratch, edges) = (OrderEdge){i, by->number};
        }
    }
}

/* ---- cycles */

enum { SHOWN_OF_CYCLE = 8 };

typedef struct Telling {
    Arena *scratch;
    Diags *diags;
    const Reads *reads;
    void (*hit)(void *user, uint32_t at);
    void *user;
} Telling;

/* What a node is called: by the first result that has a name. */
static Str shown_node(Arena *scratch, const Node *node) {
    for (uint32_t i = 0; i < node->output_n; i++)
        if (node->outputs[i] != NULL) return str_format(scratch, "%Q", name_str(node->outputs[i]->name));
    return node->op == NULL ? S("?") : str_format(scratch, "a %S", name_str(node->op->name));
}

static bool reads_result(const Reads *reads, const Node *of) {
    for (uint32_t i = 0; i < reads->n; i++)
        if (reads->tensors[i]->producer == of) return true;
    return false;
}

/* Where a node has to come before one that it does not feed, it is because that one changes what it reads. */
static void hint_change(const Telling *telling, Diag *diag, const uint32_t *cycle, uint32_t length) {
    for (uint32_t i = 0; i < length; i++) {
        const Reads *before = &telling->reads[cycle[i]], *after = &telling->reads[cycle[(i + 1) % length]];
        if (reads_result(after, before->node)) continue;
        diag_hint(telling->diags, diag, "%S changes what %S reads, which so has to come first; read %S instead",
                  shown_node(telling->scratch, after->node), shown_node(telling->scratch, before->node),
                  shown_node(telling->scratch, after->node));
        return;
    }
}

static void tell(void *user, const uint32_t *cycle, uint32_t length) {
    const Telling *telling = user;
    const Node *first = telling->reads[cycle[0]].node;
    Diag *diag;
    if (length == 1) {
        diag = diag_error(telling->diags, E_CYCLE, first->place, "this node reads what it makes itself: %S",
                          shown_node(telling->scratch, first));
    } else {
        Buf names;
        buf_init(&names, telling->scratch);
        for (uint32_t i = 0; i < length && i < SHOWN_OF_CYCLE; i++)
            buf_format(&names, i == 0 ? "%S" : " -> %S", shown_node(telling->scratch, telling->reads[cycle[i]].node));
        if (length > SHOWN_OF_CYCLE)
            buf_format(&names, " and %u more", (unsigned)(length - SHOWN_OF_CYCLE));
        else
            buf_format(&names, " -> %S", shown_node(telling->scratch, first));
        diag = diag_error(telling->diags, E_CYCLE, first->place, "nodes wait for each other in a circle: %S",
                          buf_str(&names));
        hint_change(telling, diag, cycle, length);
    }
    for (uint32_t i = 0; telling->hit != NULL && i < length; i++)
        telling->hit(telling->user, cycle[i]);
}

void graph_tell_cycles(Arena *scratch, Diags *diags, const Reads *reads, uint32_t n, const OrderEdges *edges,
                       void (*hit)(void *user, uint32_t at), void *user) {
    Telling telling = {scratch, diags, reads, hit, user};
    order_cycles(scratch, n, edges, tell, &telling);
}

/* ---- sorting a graph */

/* Holes and what nodes that are gone made. */
static void compact(Graph *graph) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        Node *node = graph->nodes.items[i];
        if (node == NULL) continue;
        node->number = n;
        graph->nodes.items[n++] = node;
    }
    graph->nodes.n = n;
    n = 0;
    for (uint32_t i = 0; i < graph->tensors.n; i++) {
        Tensor *tensor = graph->tensors.items[i];
        if (tensor->role == TENSOR_RESULT && tensor->producer == NULL && tensor->uses.n == 0 && !tensor->output)
            continue;
        tensor->number = n;
        graph->tensors.items[n++] = tensor;
    }
    graph->tensors.n = n;
}

typedef struct Sorting {
    Graph *graph;
    bool done;
} Sorting;

static void sort(Arena *scratch, void *data) {
    Sorting *sorting = data;
    Graph *graph = sorting->graph;
    uint32_t n = graph->nodes.n;
    Reads *reads = ARENA_ARRAY(scratch, Reads, n);
    for (uint32_t i = 0; i < n; i++)
        reads[i] = graph_reads(graph->nodes.items[i]);
    OrderEdges edges = {0};
    graph_edges(scratch, reads, n, graph->tensors.n, &edges);
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, n);
    sorting->done = order_sort(scratch, n, &edges, order) == n;
    if (!sorting->done) return;
    Node **nodes = arena_copy(scratch, graph->nodes.items, n * sizeof *nodes);
    for (uint32_t i = 0; i < n; i++) {
        graph->nodes.items[i] = nodes[order[i]];
        graph->nodes.items[i]->number = i;
    }
}

bool graph_try_sort(Graph *graph) {
    Sorting sorting = {.graph = graph};
    compact(graph);
    arena_with_scratch(graph->arena, sort, &sorting);
    return sorting.done;
}

void graph_sort(Graph *graph) { (void)graph_try_sort(graph); }

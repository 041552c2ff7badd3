/* divide.c: the pass that makes a view with several results several views with one each: parts that a tensor is split
 * into are read where they are needed, each by itself, and those that lie in memory as they are need no code at all.
 */
#include "pass/inner.h"

enum { DIVIDE_MOST = 64 }; /* results; a node with more is left as it is, since each of the new ones knows of all */

static uint32_t count_read(const Node *node) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < node->output_n; k++)
        n += node->outputs[k] != NULL && (node->outputs[k]->output || node->outputs[k]->uses.n > 0);
    return n;
}

/* The result stays the tensor that it is, and is made by a node that names nothing else. */
static bool take_result(Graph *graph, const Node *node, uint32_t k) {
    Tensor *result = node->outputs[k];
    Node *own = graph_node(graph, node->op, node->inputs, node->counts, node->attrs, NULL, node->place);
    if (own == NULL) return false;
    for (uint32_t i = 0; i < own->output_n; i++) {
        own->outputs[i]->producer = NULL;
        own->outputs[i] = NULL;
    }
    own->outputs[k] = result;
    own->origin = node->origin;
    result->producer = own;
    return true;
}

bool pass_divide(Graph *graph, uint32_t *changes) {
    uint32_t n = graph->nodes.n;
    for (uint32_t i = 0; i < n; i++) {
        Node *node = graph->nodes.items[i];
        if (node == NULL || node->op->kind != KIND_VIEW || node->op->mutates.n > 0) continue;
        if (node->output_n < 2 || node->output_n > DIVIDE_MOST || count_read(node) < 2) continue;
        for (uint32_t k = 0; k < node->output_n; k++)
            if (node->outputs[k] != NULL && !take_result(graph, node, k)) return false;
        /* graph_remove leaves the results alone: they have other producers by now. */
        for (uint32_t k = 0; k < node->output_n; k++)
            node->outputs[k] = NULL;
        graph_remove(graph, node);
        ++*changes;
    }
    return true;
}

/* dead.c: the pass that removes nodes whose results nobody reads.
 *
 * From the last node to the first, so that what only a removed node read goes in the same turn.
 */
#include "pass/inner.h"

bool node_is_dead(const Node *node) {
    if (node->op->mutates.n > 0) return false;
    for (uint32_t k = 0; k < node->output_n; k++)
        if (node->outputs[k] != NULL && (node->outputs[k]->output || node->outputs[k]->uses.n > 0)) return false;
    return true;
}

bool pass_dead(Graph *graph, uint32_t *changes) {
    for (uint32_t i = graph->nodes.n; i-- > 0;) {
        Node *node = graph->nodes.items[i];
        if (node == NULL || !node_is_dead(node)) continue;
        graph_remove(graph, node);
        ++*changes;
    }
    return true;
}

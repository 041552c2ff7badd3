/* dead.c: the pass that removes nodes whose results nobody reads.
 *
 * From the last node to the first, so that what only a removed node read goes in the same turn. What an operator in
 * place does to a mutable input is seen by whoever calls the library, and stays; what it does to anything else is seen
 * by those who read its result.
 */
#include "pass/inner.h"

static bool is_unread(const Node *node) {
    for (uint32_t k = 0; k < node->output_n; k++)
        if (node->outputs[k] != NULL && (node->outputs[k]->output || node->outputs[k]->uses.n > 0)) return false;
    return true;
}

bool node_is_dead(const Node *node) { return node->op->mutates.n == 0 && is_unread(node); }

typedef struct Dead {
    Graph *graph;
    uint32_t *changes;
} Dead;

static void remove_dead(Arena *scratch, void *data) {
    const Dead *dead = data;
    Graph *graph = dead->graph;
    Tensor **states = graph_states(scratch, graph);
    for (uint32_t i = graph->nodes.n; i-- > 0;) {
        Node *node = graph->nodes.items[i];
        if (node == NULL || !is_unread(node) || graph_changes_state(node, states)) continue;
        graph_remove(graph, node);
        ++*dead->changes;
    }
}

bool pass_dead(Graph *graph, uint32_t *changes) {
    Dead dead = {graph, changes};
    arena_with_scratch(graph->arena, remove_dead, &dead);
    return true;
}

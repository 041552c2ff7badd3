/* tensors.c: what several passes want to know of all tensors at once, by Tensor.number. */
#include "pass/inner.h"

bool *changed_tensors(Arena *scratch, const Graph *graph, uint32_t room) {
    bool *changed = ARENA_ARRAY(scratch, bool, room);
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const Node *node = graph->nodes.items[i];
        if (node == NULL) continue;
        for (uint32_t k = 0; node->op->mutates.n > 0 && k < node->op->inputs.n; k++)
            for (uint32_t t = 0; graph_mutates(node->op, k) && t < node->counts[k]; t++)
                changed[node->inputs[k][t]->number] = true;
    }
    return changed;
}

bool *constant_tensors(Arena *scratch, const Graph *graph) {
    bool *constant = ARENA_ARRAY(scratch, bool, graph->tensors.n + 1);
    for (uint32_t i = 0; i < graph->params.n; i++)
        constant[graph->params.items[i]->number] = true;
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const Node *node = graph->nodes.items[i];
        if (node == NULL) continue;
        bool all = node->op->mutates.n == 0;
        for (uint32_t k = 0; k < node->op->inputs.n; k++)
            for (uint32_t j = 0; j < node->counts[k]; j++)
                all = all && constant[node->inputs[k][j]->number];
        for (uint32_t k = 0; k < node->output_n; k++)
            if (node->outputs[k] != NULL) constant[node->outputs[k]->number] = all;
    }
    return constant;
}

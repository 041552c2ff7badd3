/* same.c: the pass that computes once what several nodes compute alike: the same operator with the same attributes over
 * the same tensors.
 *
 * In the graph's order, so that of two chains that are alike the second goes whole, node after node.
 */
#include "pass/inner.h"

/* What an operator takes the place of is not for others to read. */
static bool may_share(const Node *node, const bool *changed) {
    if (node->op->mutates.n > 0) return false;
    for (uint32_t k = 0; k < node->output_n; k++)
        if (node->outputs[k] != NULL && changed[node->outputs[k]->number]) return false;
    return true;
}

/* All that the node's results depend on. */
static void print_key(Buf *key, const Node *node) {
    buf_format(key, "%S", name_str(node->op->name));
    for (uint32_t k = 0; k < node->op->attrs.n; k++) {
        buf_char(key, ',');
        rule_print(key, &node->attrs[k]);
    }
    for (uint32_t i = 0; i < node->op->inputs.n; i++) {
        buf_char(key, '|');
        if (graph_scalar(node, i) != NULL) buf_add(key, node->scalars[i].text);
        for (uint32_t k = 0; k < node->counts[i]; k++)
            buf_format(key, "%u ", (unsigned)node->inputs[i][k]->number);
    }
}

/* What reads the one's results reads the other's from now on. */
static void merge(Graph *graph, Node *first, Node *again) {
    for (uint32_t k = 0; k < again->output_n; k++) {
        Tensor *tensor = again->outputs[k];
        if (tensor == NULL) continue;
        if (first->outputs[k] != NULL) {
            graph_replace(graph, tensor, first->outputs[k]);
            continue;
        }
        again->outputs[k] = NULL;
        first->outputs[k] = tensor;
        tensor->producer = first;
    }
    graph_remove(graph, again);
}

typedef struct Search {
    Graph *graph;
    uint32_t *changes;
} Search;

static void search(Arena *scratch, void *data) {
    const Search *search = data;
    Graph *graph = search->graph;
    const bool *changed = changed_tensors(scratch, graph, graph->tensors.n + 1);
    Names keys;
    Map seen;
    names_init(&keys, scratch);
    map_init(&seen, scratch);
    Buf text;
    buf_init(&text, scratch);
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        Node *node = graph->nodes.items[i];
        if (node == NULL || !may_share(node, changed)) continue;
        text.n = 0;
        print_key(&text, node);
        Name key = names_get(&keys, buf_str(&text));
        Node *first = map_get(&seen, key);
        if (first == NULL) {
            map_set(&seen, key, node);
            continue;
        }
        if (first->output_n != node->output_n) continue;
        merge(graph, first, node);
        ++*search->changes;
    }
}

bool pass_same(Graph *graph, uint32_t *changes) {
    Search given = {graph, changes};
    arena_with_scratch(graph->arena, search, &given);
    return true;
}

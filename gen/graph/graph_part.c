/* graph_part.c: a part of a graph by itself, and params that nobody reads any more. */
#include "graph/inner.h"

static void clear_outputs(Graph *graph) {
    for (uint32_t i = 0; i < graph->outputs.n; i++) {
        graph->outputs.items[i]->output = false;
        graph->outputs.items[i]->output_at = 0;
    }
    graph->outputs.n = graph->output_names.n = graph->output_next.n = 0;
}

void graph_keep(Graph *graph, const bool *keep, const uint32_t *outputs, uint32_t n) {
    clear_outputs(graph);
    for (uint32_t i = 0; i < n; i++) {
        Tensor *tensor = graph->tensors.items[outputs[i]];
        graph_add_output(graph, tensor, tensor->name);
    }
    for (uint32_t i = graph->nodes.n; i-- > 0;)
        if (!keep[i]) graph_remove(graph, graph->nodes.items[i]);
    graph->checks.n = 0; /* of dims, which nothing here has */
    graph_sort(graph);
}

void graph_drop_params(Graph *graph) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < graph->params.n; i++) {
        Tensor *param = graph->params.items[i];
        if (param->uses.n > 0 || param->output) {
            graph->params.items[n++] = param;
            continue;
        }
        graph->tensors.items[param->number] = NULL;
        *VEC_PUSH(graph->arena, &graph->frozen) = param->name;
    }
    graph->params.n = n;
    n = 0;
    for (uint32_t i = 0; i < graph->tensors.n; i++) {
        Tensor *tensor = graph->tensors.items[i];
        if (tensor == NULL) continue;
        tensor->number = n;
        graph->tensors.items[n++] = tensor;
    }
    graph->tensors.n = n;
}

Tensor *graph_put_param(Graph *graph, Tensor *old) {
    Tensor *param = graph_tensor(graph, NULL, TENSOR_PARAM, old->type, old->place);
    Name name = param->name;
    graph_replace(graph, old, param);
    param->name = old->name;
    param->key = name_str(param->name);
    old->name = name;
    return param;
}

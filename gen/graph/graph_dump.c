/* graph_dump.c: a graph as text, a line for each thing in it, for tests and for whoever looks at what a pass did.
 *
 *     model mlp
 *     dim batch 1..256
 *     input x f16(batch, 784)
 *     param w f16(512, 784)
 *     h f16(batch, 512) = linear(input=x, weight=w)
 *     y f16(batch, 512) = gelu(input=h; approximate="tanh")
 *     output y
 */
#include "graph/inner.h"

static void dump_tensor(Buf *out, const Tensor *tensor) {
    if (tensor == NULL) {
        buf_char(out, '_');
        return;
    }
    buf_format(out, "%S %s", name_str(tensor->name), dtype_name(tensor->type.dtype));
    rule_print_shape(out, tensor->type.shape);
}

static void dump_text(Buf *out, const RuleValue *value) {
    if (value->kind == RULE_TEXT)
        buf_quoted(out, value->as.s);
    else
        rule_print(out, value);
}

void graph_dump_node(const Node *node, Buf *out) {
    const OpDef *op = node->op;
    for (uint32_t i = 0; i < node->output_n; i++) {
        if (i > 0) buf_add(out, S(", "));
        dump_tensor(out, node->outputs[i]);
    }
    buf_format(out, " = %S(", name_str(op->name));
    const char *between = "";
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        bool list = op->inputs.items[i].list;
        if (graph_scalar(node, i) != NULL) {
            buf_format(out, "%s%S=%S", between, name_str(op->inputs.items[i].name), node->scalars[i].text);
            between = ", ";
        }
        if (node->counts[i] == 0) continue;
        buf_format(out, "%s%S=%s", between, name_str(op->inputs.items[i].name), list ? "[" : "");
        for (uint32_t k = 0; k < node->counts[i]; k++)
            buf_format(out, k == 0 ? "%S" : ", %S", name_str(node->inputs[i][k]->name));
        if (list) buf_char(out, ']');
        between = ", ";
    }
    between = *between == '\0' ? "" : "; ";
    for (uint32_t i = 0; i < op->attrs.n; i++) {
        buf_format(out, "%s%S=", between, name_str(op->attrs.items[i].name));
        dump_text(out, &node->attrs[i]);
        between = ", ";
    }
    buf_add(out, S(")\n"));
}

static void dump_all(Buf *out, const char *what, Tensor *const *tensors, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        buf_format(out, "%s ", what);
        dump_tensor(out, tensors[i]);
        if (tensors[i]->is_mutable) buf_add(out, S(" mutable"));
        if (tensors[i]->role == TENSOR_PARAM && !str_eq(tensors[i]->key, name_str(tensors[i]->name))) {
            buf_add(out, S(" key "));
            buf_quoted(out, tensors[i]->key);
        }
        buf_char(out, '\n');
    }
}

void graph_dump(const Graph *graph, Buf *out) {
    buf_format(out, "model %S\n", name_str(graph->name));
    for (uint32_t i = 0; i < graph->dims.n; i++) {
        const GraphDim *dim = &graph->dims.items[i];
        buf_format(out, "dim %S %lld..%lld\n", name_str(dim->name), (long long)dim->min, (long long)dim->max);
    }
    dump_all(out, "input", graph->inputs.items, graph->inputs.n);
    dump_all(out, "param", graph->params.items, graph->params.n);
    if (graph->weights.n > 0) buf_format(out, "weights %S\n", graph->weights);
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        if (graph->nodes.items[i] != NULL) graph_dump_node(graph->nodes.items[i], out);
    for (uint32_t i = 0; i < graph->checks.n; i++) {
        buf_add(out, S("check "));
        sym_print(out, graph->checks.items[i].condition);
        buf_char(out, '\n');
    }
    for (uint32_t i = 0; i < graph->outputs.n; i++) {
        Str name = name_str(graph->output_names.items[i]), tensor = name_str(graph->outputs.items[i]->name);
        buf_format(out, str_eq(name, tensor) ? "output %S\n" : "output %S = %S\n", name, tensor);
    }
}

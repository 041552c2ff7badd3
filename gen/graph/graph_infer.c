/* graph_infer.c: types and shapes of what a node makes, and the checks on them that no single operator can make. */
#include "graph/inner.h"

/* ---- attributes */

/* An integer in the place of a float stays one, so that x * 2 of integers is an integer. */
static void fit_single(AttrType type, RuleValue *value) {
    Dtype dtype;
    if (type == ATTR_DTYPE && value->kind == RULE_TEXT && dtype_parse(value->as.s, &dtype))
        *value = (RuleValue){.kind = RULE_DTYPE, .as = {.dtype = dtype}};
}

RuleValue graph_attr_value(Graph *graph, const OpAttr *attr, const Json *json) {
    RuleValue value = rule_of_json(&graph->rules, json);
    if (attr->type != ATTR_LIST) fit_single(attr->type, &value);
    for (uint32_t i = 0; attr->type == ATTR_LIST && value.kind == RULE_LIST && i < value.as.list.n; i++)
        fit_single(attr->of, &value.as.list.items[i]);
    return value;
}

static bool fits_single(const OpAttr *attr, AttrType type, RuleValue *value) {
    fit_single(type, value);
    switch (type) {
    case ATTR_INT:
        return value->kind == RULE_INT;
    case ATTR_FLOAT:
        return value->kind == RULE_FLOAT || value->kind == RULE_INT;
    case ATTR_BOOL:
        return value->kind == RULE_BOOL;
    case ATTR_STRING:
        return value->kind == RULE_TEXT;
    case ATTR_ENUM:
        for (uint32_t i = 0; value->kind == RULE_TEXT && i < attr->values->as.array.n; i++)
            if (str_eq(attr->values->as.array.items[i].as.s, value->as.s)) return true;
        return false;
    case ATTR_DTYPE:
        return value->kind == RULE_DTYPE;
    case ATTR_LIST:
        break;
    }
    return false;
}

bool graph_attr_fits(Graph *graph, const OpAttr *attr, RuleValue *value) {
    if (value->kind == RULE_NONE) return attr->fallback != NULL && attr->fallback->kind == JSON_NULL;
    if (attr->type != ATTR_LIST) return fits_single(attr, attr->type, value);
    if (value->kind == RULE_TEXT && attr->values != NULL && attr->of != ATTR_ENUM)
        return fits_single(attr, ATTR_ENUM, value);
    uint32_t len = attr->len == 0 ? 1 : attr->len;
    bool alone = value->kind != RULE_LIST, spread = attr->spread && (alone || (value->as.list.n == 1 && attr->len > 1));
    if (alone && !spread) return false;
    if (spread) {
        RuleValue one = alone ? *value : value->as.list.items[0];
        value->kind = RULE_LIST;
        value->as.list.n = len;
        value->as.list.items = ARENA_ARRAY(graph->arena, RuleValue, len);
        for (uint32_t i = 0; i < len; i++)
            value->as.list.items[i] = one;
    } else {
        value->as.list.items = arena_copy(graph->arena, value->as.list.items, value->as.list.n * sizeof(RuleValue));
    }
    for (uint32_t i = 0; i < value->as.list.n; i++)
        if (!fits_single(attr, attr->of, &value->as.list.items[i])) return false;
    return attr->len == 0 || value->as.list.n == attr->len;
}

/* ---- shapes */

bool graph_fits(Graph *graph, Str name, const RuleTensor *type, Span place) {
    int64_t bytes = dtype_size(type->dtype);
    bool empty = false, large = false;
    for (uint32_t i = 0; i < type->shape.rank; i++) {
        SymRef dim = type->shape.dims[i];
        if (dim->high < 0) {
            Buf shape;
            buf_init(&shape, graph->arena);
            rule_print_shape(&shape, type->shape);
            diag_error(graph->diags, E_BAD_VALUE, place, "%Q has the shape %S, and a size is not negative", name,
                       buf_str(&shape));
            return false;
        }
        if (dim->low <= 0)
            empty = true;
        else if (__builtin_mul_overflow(bytes, dim->low, &bytes))
            large = true;
    }
    if (empty || !large) return true;
    Buf shape;
    buf_init(&shape, graph->arena);
    rule_print_shape(&shape, type->shape);
    diag_error(graph->diags, E_TOO_LARGE, place, "%Q has the shape %S, which is more than 2^63 bytes", name,
               buf_str(&shape));
    return false;
}

int graph_same_shape(Graph *graph, RuleShape a, RuleShape b, SymRef *condition) {
    if (a.rank != b.rank) return 0;
    SymRef all = sym_int(&graph->syms, 1);
    int same = 1;
    for (uint32_t i = 0; i < a.rank; i++) {
        if (a.dims[i] == b.dims[i]) continue;
        SymRef equal = sym_eq(&graph->syms, a.dims[i], b.dims[i]);
        int truth = sym_truth(equal);
        if (truth == 0) return 0;
        if (truth < 0) same = -1;
        all = sym_and(&graph->syms, all, equal);
    }
    *condition = all;
    return same;
}

/* ---- nodes */

/* Numbers are there, as tensors without dims. */
static const uint32_t *counts_with_numbers(Arena *arena, const Node *node) {
    if (node->scalars == NULL) return node->counts;
    uint32_t *counts = arena_copy(arena, node->counts, node->op->inputs.n * sizeof(uint32_t));
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        if (graph_scalar(node, i) != NULL) counts[i] = 1;
    return counts;
}

RuleCall graph_call(Graph *graph, const Node *node) {
    const OpDef *op = node->op;
    RuleCall call = {.op = op, .attrs = node->attrs, .node = node->place, .checks = &graph->checks};
    call.counts = counts_with_numbers(graph->arena, node);
    call.scalars = node->scalars;
    uint32_t all = 0;
    for (uint32_t i = 0; i < op->inputs.n; i++)
        all += call.counts[i];
    const RuleTensor **inputs = ARENA_ARRAY(graph->arena, const RuleTensor *, op->inputs.n);
    RuleTensor *types = ARENA_ARRAY(graph->arena, RuleTensor, all);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        inputs[i] = types;
        for (uint32_t k = 0; k < node->counts[i]; k++)
            *types++ = node->inputs[i][k]->type;
        if (graph_scalar(node, i) != NULL) (types++)->dtype = node->scalars[i].dtype;
    }
    call.inputs = inputs;
    return call;
}

/* How many tensors there are is known only now: what the model names has to be as many. */
static bool settle_counts(Graph *graph, Node *node, const uint32_t *counts) {
    const OpDef *op = node->op;
    if (node->outputs == NULL) {
        graph_set_output_counts(graph, node, counts);
        return true;
    }
    for (uint32_t i = 0; i < op->outputs.n; i++) {
        if (node->output_counts[i] == counts[i]) continue;
        Diag *diag = diag_error(graph->diags, E_MISMATCH, node->place,
                                "op %Q makes %u tensor%s here, but \"out\" has %u", name_str(op->name),
                                (unsigned)counts[i], counts[i] == 1 ? "" : "s", (unsigned)node->output_counts[i]);
        diag_hint(graph->diags, diag, "null stands for one that needs no name");
        return false;
    }
    return true;
}

RuleTensor *graph_infer_types(Graph *graph, Node *node) {
    const OpDef *op = node->op;
    RuleCall call = graph_call(graph, node);
    uint32_t *counts = ARENA_ARRAY(graph->arena, uint32_t, op->outputs.n);
    if (!rule_output_counts(&graph->rules, &call, counts) || !settle_counts(graph, node, counts)) return NULL;
    RuleTensor *types = ARENA_ARRAY(graph->arena, RuleTensor, node->output_n);
    return rule_infer(&graph->rules, &call, types, node->types) ? types : NULL;
}

bool graph_infer(Graph *graph, Node *node) {
    const RuleTensor *types = graph_infer_types(graph, node);
    if (types == NULL) return false;
    bool good = true;
    for (uint32_t i = 0; i < node->output_n; i++) {
        Tensor *tensor = node->outputs[i];
        if (tensor == NULL) continue;
        if (!graph_fits(graph, name_str(tensor->name), &types[i], tensor->place))
            good = false;
        else
            tensor->type = types[i];
    }
    return good;
}

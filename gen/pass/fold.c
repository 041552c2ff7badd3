/* fold.c: the pass that marks what need not be computed in every run, for it depends on params and literals alone.
 *
 * Marked nodes form a part of the graph that reads nothing but params and itself. What others read of it is kept with
 * the weights. That has to be worth its memory: what is as cheap to compute where it is read as to read is kept only
 * while it is small, or no larger than what it is made of, so that no broadcast and no decoding of packed weights
 * becomes a tensor in memory. Numbers out of nothing (full, zeros) stay literals in whatever reads them.
 *
 * Of weights that are only put together the mark may be taken away again, where it is known which kernels read them
 * (emit/pieces.c).
 */
#include "pass/inner.h"
#include "pass/weight.h"

enum { KEPT_LIGHT = 64 << 10, KEPT_HEAVY = 4 << 20 }; /* bytes of a result that are kept in any case */
#define MOST_BYTES (INT64_C(1) << 40)                 /* of anything that is looked at at all */

typedef struct Fold {
    Graph *graph;
    bool *known;     /* by Node.number: the same in every run */
    int64_t *bytes;  /* by Tensor.number; -1: a size depends on a dim, or it is beyond MOST_BYTES */
    int64_t *source; /* by Tensor.number: how many bytes of params it is made of, at most its own */
    uint32_t *heavy; /* by Tensor.number: the weight of computing an element from what it is made of */
} Fold;

/* ---- what is known */
static int64_t bytes_of(const Tensor *tensor) {
    int64_t bytes = dtype_size(tensor->type.dtype), size;
    bool empty = false;
    for (uint32_t d = 0; d < tensor->type.shape.rank; d++) {
        if (!sym_is_int(tensor->type.shape.dims[d], &size)) return -1;
        empty |= size == 0;
    }
    for (uint32_t d = 0; d < tensor->type.shape.rank && !empty; d++) {
        sym_is_int(tensor->type.shape.dims[d], &size);
        if (size > MOST_BYTES / bytes) return -1;
        bytes *= size;
    }
    return empty ? 0 : bytes;
}

/* Lists are of numbers, so there is no depth to speak of; RULE_TENSOR is no attribute. */
static bool is_fixed(const RuleValue *value) {
    int64_t number;
    if (value->kind == RULE_INT || value->kind == RULE_BOOL) return sym_is_int(value->as.i, &number);
    for (uint32_t i = 0; value->kind == RULE_LIST && i < value->as.list.n; i++)
        if (!is_fixed(&value->as.list.items[i])) return false;
    return value->kind != RULE_TENSOR;
}

static bool is_known_tensor(const Fold *fold, const Tensor *tensor) {
    if (fold->bytes[tensor->number] < 0) return false;
    return tensor->role == TENSOR_PARAM || (tensor->producer != NULL && fold->known[tensor->producer->number]);
}

static bool is_known(const Fold *fold, const Node *node) {
    const OpDef *op = node->op;
    if (op->mutates.n > 0) return false;
    for (uint32_t i = 0; i < op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++)
            if (!is_known_tensor(fold, node->inputs[i][k])) return false;
    for (uint32_t k = 0; k < node->output_n; k++)
        if (node->outputs[k] != NULL && fold->bytes[node->outputs[k]->number] < 0) return false;
    for (uint32_t a = 0; a < op->attrs.n; a++)
        if (!is_fixed(&node->attrs[a])) return false;
    return true;
}

/* A reduction and a kernel are never computed twice for want of memory. */
static uint32_t weight_of(const Node *node) {
    if (node->op->kind == KIND_VIEW) return 0;
    return node->op->kind == KIND_MAP ? map_weight(node->op) : WEIGHT_LIGHT + 1;
}

static void find_known(Fold *fold) {
    Graph *graph = fold->graph;
    for (uint32_t i = 0; i < graph->tensors.n; i++) {
        const Tensor *tensor = graph->tensors.items[i];
        fold->bytes[i] = bytes_of(tensor);
        if (tensor->role == TENSOR_PARAM) fold->source[i] = fold->bytes[i];
    }
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        Node *node = graph->nodes.items[i];
        node->constant = false;
        fold->known[i] = is_known(fold, node);
        if (!fold->known[i]) continue;
        int64_t source = 0;
        uint32_t heavy = 0;
        for (uint32_t k = 0; k < node->op->inputs.n; k++)
            for (uint32_t m = 0; m < node->counts[k]; m++) {
                uint32_t from = node->inputs[k][m]->number;
                if (source < MOST_BYTES) source += fold->source[from];
                if (heavy < fold->heavy[from]) heavy = fold->heavy[from];
            }
        heavy += weight_of(node);
        for (uint32_t k = 0; k < node->output_n; k++) {
            if (node->outputs[k] == NULL) continue;
            uint32_t to = node->outputs[k]->number;
            fold->source[to] = source < fold->bytes[to] ? source : fold->bytes[to];
            fold->heavy[to] = heavy < UINT32_MAX / 2 ? heavy : UINT32_MAX / 2;
        }
    }
}

/* ---- what of it is worth it */

/* Numbers out of nothing are written where they are read. */
static bool is_literal(const Node *node) {
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        if (node->counts[i] > 0) return false;
    return weight_of(node) <= WEIGHT_LIGHT;
}

/* Whether to keep its results for those who read them in each run. */
static bool is_worth_it(const Fold *fold, const Node *node) {
    if (is_literal(node)) return false;
    int64_t source = 0;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++)
            if (source < MOST_BYTES) source += fold->source[node->inputs[i][k]->number];
    for (uint32_t k = 0; k < node->output_n; k++) {
        if (node->outputs[k] == NULL) continue;
        uint32_t number = node->outputs[k]->number;
        int64_t kept = fold->heavy[number] > WEIGHT_LIGHT ? KEPT_HEAVY : KEPT_LIGHT;
        if (fold->bytes[number] > kept && fold->bytes[number] > source) return false;
    }
    return true;
}

/* Readers stand behind, so what they are is decided already. What a marked node reads is there when that is computed,
 * however large it is. */
static bool is_constant(const Fold *fold, const Node *node) {
    bool within = false, outside = false;
    for (uint32_t k = 0; k < node->output_n; k++) {
        const Tensor *tensor = node->outputs[k];
        if (tensor == NULL) continue;
        outside |= tensor->output;
        for (uint32_t u = 0; u < tensor->uses.n; u++) {
            bool constant = tensor->uses.items[u].node->constant;
            within |= constant;
            outside |= !constant;
        }
    }
    return within || (outside && is_worth_it(fold, node));
}

static void mark(Arena *scratch, void *data) {
    Fold *fold = data;
    Graph *graph = fold->graph;
    fold->known = ARENA_ARRAY(scratch, bool, (size_t)graph->nodes.n + 1);
    fold->bytes = ARENA_ARRAY(scratch, int64_t, (size_t)graph->tensors.n + 1);
    fold->source = ARENA_ARRAY(scratch, int64_t, (size_t)graph->tensors.n + 1);
    fold->heavy = ARENA_ARRAY(scratch, uint32_t, (size_t)graph->tensors.n + 1);
    find_known(fold);
    for (uint32_t i = graph->nodes.n; i-- > 0;)
        graph->nodes.items[i]->constant = fold->known[i] && is_constant(fold, graph->nodes.items[i]);
}

bool pass_fold(Graph *graph, uint32_t *changes) {
    Fold fold = {.graph = graph};
    arena_with_scratch(graph->arena, mark, &fold);
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        *changes += graph->nodes.items[i]->constant;
    return true;
}

/* wide.c: the pass that does the work of several nodes over one input at once: three linear layers that read the same
 * tensor become one that is as wide as all of them.
 *
 * Which operators can be joined, and by which operator, is their opdefs' to say ("parallel"). What is taken of each
 * node must be weights: kernels read them where they lie, or, where a backend's cannot, they are put together once,
 * when they are loaded (emit/pieces.c). Large ones are left apart: a product of that size keeps a machine busy by
 * itself, and a copy of them costs memory.
 */
#include "pass/inner.h"

enum { WIDE_MOST_NODES = 16 };
static const int64_t wide_most_bytes = (int64_t)16 << 20; /* of what is taken, of all nodes together */

typedef struct Wide {
    Graph *graph;
    Arena *scratch;
    bool *constant; /* by Tensor.number: the same for every run */
    uint32_t *changes;
} Wide;

/* Which input of the node goes to this input of the operator for several; UINT32_MAX: none. */
static uint32_t taken(const OpDef *op, Name into) {
    for (uint32_t i = 0; i < op->parallel_in.n; i++) {
        if (op->parallel_in.items[i].into != into) continue;
        for (uint32_t k = 0; k < op->inputs.n; k++)
            if (op->inputs.items[k].name == op->parallel_in.items[i].from) return k;
    }
    return UINT32_MAX;
}

/* The node's inputs that are collected are constant and small; whether there are any. *bytes: how large. */
static bool may_collect(const Wide *wide, const Node *node, const OpDef *all, int64_t *bytes) {
    bool any = false;
    *bytes = 0;
    for (uint32_t i = 0; i < all->inputs.n; i++) {
        if (!all->inputs.items[i].list) continue;
        uint32_t input = taken(node->op, all->inputs.items[i].name);
        if (input == UINT32_MAX || node->counts[input] == 0) continue;
        const Tensor *tensor = node->inputs[input][0];
        int64_t size = (int64_t)dtype_size(tensor->type.dtype), dim;
        for (uint32_t d = 0; d < tensor->type.shape.rank; d++)
            if (!sym_is_int(tensor->type.shape.dims[d], &dim) || __builtin_mul_overflow(size, dim, &size)) return false;
        if (!wide->constant[tensor->number] || __builtin_add_overflow(*bytes, size, bytes)) return false;
        any = true;
    }
    return any && *bytes <= wide_most_bytes;
}

/* Nodes with the same key differ only in what is collected. Dtypes and all sizes of that but the first belong to it. */
static void print_key(Buf *key, const Node *node, const OpDef *all) {
    buf_format(key, "%S", name_str(node->op->name));
    for (uint32_t k = 0; k < node->op->attrs.n; k++) {
        buf_char(key, ',');
        rule_print(key, &node->attrs[k]);
    }
    for (uint32_t i = 0; i < all->inputs.n; i++) {
        uint32_t input = taken(node->op, all->inputs.items[i].name);
        buf_char(key, '|');
        if (input == UINT32_MAX || node->counts[input] == 0) continue;
        const Tensor *tensor = node->inputs[input][0];
        if (!all->inputs.items[i].list) {
            buf_format(key, "%u", (unsigned)tensor->number);
            continue;
        }
        buf_format(key, "%s %u:", dtype_name(tensor->type.dtype), (unsigned)tensor->type.shape.rank);
        for (uint32_t d = 1; d < tensor->type.shape.rank; d++) {
            buf_char(key, ' ');
            sym_print(key, tensor->type.shape.dims[d]);
        }
    }
}

typedef struct Bunch {
    VEC(Node *) nodes;
    int64_t bytes;
} Bunch;

/* Its result is a part of another from then on, which is read where it is; an output would have to be copied. */
static bool is_plain(const Node *node) {
    bool plain = node->output_n == 1 && node->outputs[0] != NULL && !node->outputs[0]->output;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        plain = plain && !node->op->inputs.items[i].list;
    return plain;
}

/* Whether the operator for all takes them: it may want more than the key says. Nobody is told where it does not. */
static bool fits(Wide *wide, const OpDef *all, Tensor ***inputs, const uint32_t *counts, uint32_t n) {
    Graph *graph = wide->graph;
    RuleCall call = {.op = all, .counts = counts};
    const RuleTensor **types = ARENA_ARRAY(wide->scratch, const RuleTensor *, all->inputs.n + 1);
    for (uint32_t i = 0; i < all->inputs.n; i++) {
        RuleTensor *list = ARENA_ARRAY(wide->scratch, RuleTensor, counts[i] + 1);
        for (uint32_t k = 0; k < counts[i]; k++)
            list[k] = inputs[i][k]->type;
        types[i] = list;
    }
    RuleChecks checks = {NULL, 0, 0};
    call.inputs = types, call.checks = &checks;
    Diags quiet, *loud = graph->rules.diags;
    diags_init(&quiet, wide->scratch);
    graph->rules.diags = &quiet;
    uint32_t *made = ARENA_ARRAY(wide->scratch, uint32_t, all->outputs.n + 1);
    bool good = rule_output_counts(&graph->rules, &call, made) && made[0] == n;
    RuleTensor *outputs = ARENA_ARRAY(wide->scratch, RuleTensor, n + 1);
    good = good && rule_infer(&graph->rules, &call, outputs, ARENA_ARRAY(wide->scratch, Dtype, all->types.n + 1));
    graph->rules.diags = loud;
    sym_clear_fault(&graph->syms);
    return good && checks.n == 0;
}

static bool join(Wide *wide, const Bunch *bunch) {
    Graph *graph = wide->graph;
    Node *first = bunch->nodes.items[0];
    const OpDef *all = optable_get(graph->ops, first->op->parallel);
    uint32_t n = bunch->nodes.n;
    Tensor ***inputs = ARENA_ARRAY(wide->scratch, Tensor **, all->inputs.n + 1);
    Tensor **outputs = ARENA_ARRAY(wide->scratch, Tensor *, n + 1);
    uint32_t *counts = ARENA_ARRAY(wide->scratch, uint32_t, all->inputs.n + 1);
    for (uint32_t i = 0; i < all->inputs.n; i++) {
        uint32_t input = taken(first->op, all->inputs.items[i].name);
        if (input == UINT32_MAX || first->counts[input] == 0) continue;
        counts[i] = all->inputs.items[i].list ? n : 1;
        inputs[i] = ARENA_ARRAY(wide->scratch, Tensor *, counts[i] + 1);
        for (uint32_t k = 0; k < counts[i]; k++)
            inputs[i][k] = bunch->nodes.items[k]->inputs[input][0];
    }
    /* Attributes are those of the node; an operator with others of its own has defaults for them. */
    if (all->attrs.n > 0 || !fits(wide, all, inputs, counts, n)) return true;
    for (uint32_t k = 0; k < n; k++) {
        outputs[k] = bunch->nodes.items[k]->outputs[0];
        graph_remove(graph, bunch->nodes.items[k]);
    }
    *wide->changes += n;
    return graph_compose(graph, all, inputs, counts, NULL, outputs, n, first->place);
}

/* Nodes of one key in the order of the graph, as many at once as are not too many or too large. */
static bool join_all(Wide *wide) {
    const Graph *graph = wide->graph;
    Names keys;
    Map bunches;
    Buf text;
    names_init(&keys, wide->scratch);
    map_init(&bunches, wide->scratch);
    buf_init(&text, wide->scratch);
    uint32_t n = graph->nodes.n;
    VEC(Bunch *) ready = {0};
    for (uint32_t i = 0; i < n; i++) {
        Node *node = graph->nodes.items[i];
        if (node == NULL || node->op->parallel == NULL || !is_plain(node)) continue;
        const OpDef *all = optable_get(graph->ops, node->op->parallel);
        int64_t bytes;
        if (all == NULL || node->op->attrs.n > 0 || !may_collect(wide, node, all, &bytes)) continue;
        text.n = 0;
        print_key(&text, node, all);
        Name key = names_get(&keys, buf_str(&text));
        Bunch *bunch = map_get(&bunches, key);
        if (bunch == NULL || bunch->nodes.n == WIDE_MOST_NODES || bunch->bytes + bytes > wide_most_bytes) {
            bunch = ARENA_NEW(wide->scratch, Bunch);
            map_set(&bunches, key, bunch);
            *VEC_PUSH(wide->scratch, &ready) = bunch;
        }
        *VEC_PUSH(wide->scratch, &bunch->nodes) = node;
        bunch->bytes += bytes;
    }
    for (uint32_t i = 0; i < ready.n; i++)
        if (ready.items[i]->nodes.n > 1 && !join(wide, ready.items[i])) return false;
    return true;
}

typedef struct Given {
    Graph *graph;
    uint32_t *changes;
    bool good;
} Given;

static void run(Arena *scratch, void *data) {
    Given *given = data;
    Wide wide = {.graph = given->graph, .scratch = scratch, .changes = given->changes};
    wide.constant = constant_tensors(scratch, wide.graph);
    given->good = join_all(&wide);
}

bool pass_wide(Graph *graph, uint32_t *changes) {
    Given given = {graph, changes, true};
    arena_with_scratch(graph->arena, run, &given);
    return given.good;
}

/* cost.c: bytes moved and operations, counted from tensors' sizes and from what opdefs say.
 *
 * The graph as it was read is looked at before passes change it, when the sizes that memory is planned for are not
 * known yet; so what is kept are tensors and expressions. Each Sym is evaluated once.
 */
#include "emit/cost.h"

#include "pass/weight.h"

/* Operations of one node: an expression of the opdef's, or so many for each element of a tensor. */
typedef struct Work {
    SymRef bytes; /* that it moves, as the opdef says; NULL: its tensors as they are */
    SymRef flops; /* NULL: weight * elements of over */
    const Tensor *over;
    uint32_t weight;
} Work;

struct Costs {
    Arena *arena;
    Graph *graph;
    VEC(const Tensor *) moved; /* by nodes whose opdefs say nothing of it */
    VEC(Work) work;
    Map dims;
    int64_t *values; /* by Sym.id */
    bool *known;
    uint32_t room;
    /* By Node.number and Tensor.number, once passes are done; NULL: not asked yet. */
    const Work **work_at;
    SymRef *sized;
};

static int64_t plus(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

static int64_t times(int64_t a, int64_t b) { return b != 0 && a > INT64_MAX / b ? INT64_MAX : a * b; }

void cost_add(Cost *sum, Cost cost) {
    sum->bytes = plus(sum->bytes, cost.bytes);
    sum->flops = plus(sum->flops, cost.flops);
}

/* ---- what a node does ---------------------------------------------------------------------------------------------
 */

static bool types_of(Graph *graph, const Node *node, RuleCall *call, RuleTensor *outputs) {
    bool named = true;
    for (uint32_t k = 0; k < node->output_n; k++) {
        named = named && node->outputs[k] != NULL;
        if (named) outputs[k] = node->outputs[k]->type;
    }
    call->checks = ARENA_NEW(graph->arena, RuleChecks); /* entered when the model was read */
    return named || rule_infer(&graph->rules, call, outputs, ARENA_ARRAY(graph->arena, Dtype, node->op->types.n + 1));
}

/* What the opdef says; NULL: nothing, or nothing that is a size. */
static SymRef said(Graph *graph, const Node *node, Str what) {
    const NamedExprs *cost = &node->op->cost;
    uint32_t i = 0;
    while (i < cost->n && !str_eq(name_str(cost->items[i].name), what))
        i++;
    if (i == cost->n) return NULL;
    Diags quiet, *loud = graph->rules.diags;
    diags_init(&quiet, graph->arena);
    graph->rules.diags = &quiet;
    sym_clear_fault(&graph->syms);
    RuleCall call = graph_call(graph, node);
    RuleTensor *outputs = ARENA_ARRAY(graph->arena, RuleTensor, node->output_n + 1);
    RuleValue value = {.kind = RULE_NONE};
    bool good = types_of(graph, node, &call, outputs) &&
                rule_eval(&graph->rules, &cost->items[i].value, rule_scope(&graph->rules, &call, outputs), &value);
    good = good && value.kind == RULE_INT && !graph->syms.overflow;
    sym_clear_fault(&graph->syms);
    graph->rules.diags = loud;
    return good ? value.as.i : NULL;
}

static const Tensor *first_result(const Node *node) {
    for (uint32_t k = 0; k < node->output_n; k++)
        if (node->outputs[k] != NULL) return node->outputs[k];
    return NULL;
}

static const Tensor *first_input(const Node *node) {
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        if (node->counts[i] > 0) return node->inputs[i][0];
    return NULL;
}

static Work work_of(Graph *graph, const Node *node) {
    Work work = {.bytes = said(graph, node, S("bytes")), .flops = said(graph, node, S("flops"))};
    if (work.flops != NULL) return work;
    const Tensor *result = first_result(node), *input = first_input(node);
    switch (node->op->kind) {
    case KIND_VIEW:
        return work;
    case KIND_MAP:
        work.over = result, work.weight = map_weight(node->op);
        return work;
    case KIND_REDUCE:
        work.over = input != NULL ? input : result, work.weight = reduce_weight(node->op);
        return work;
    default:
        work.over = result, work.weight = 1;
        return work;
    }
}

/* What of an input's is moved: of one that a view takes elements of where data say, no more than what becomes of it. */
static const Tensor *moved_of(const Node *node, uint32_t input, uint32_t item) {
    const NamedExprs *rules = &node->op->indices;
    bool data = false;
    for (uint32_t i = 0; i < rules->n; i++)
        data |= rules->items[i].value.expr == NULL;
    bool taken = data && rules->items[input].value.expr != NULL && node->output_n == 1 && node->outputs[0] != NULL;
    return taken ? node->outputs[0] : node->inputs[input][item];
}

/* The same of a tensor that a group reads, if but one of its nodes does. */
static const Tensor *moved_by(const Group *group, const Tensor *tensor) {
    const Tensor *moved = tensor;
    uint32_t times = 0;
    for (uint32_t n = 0; n < group->nodes.n; n++) {
        const Node *node = group->nodes.items[n];
        for (uint32_t i = 0; i < node->op->inputs.n; i++)
            for (uint32_t k = 0; k < node->counts[i]; k++)
                if (node->inputs[i][k] == tensor) moved = moved_of(node, i, k), times++;
    }
    return times == 1 ? moved : tensor;
}

/* Every tensor that the node reads, as often as it reads it, and all that it makes. */
typedef void Each(void *user, const Tensor *tensor);

static void each_tensor(const Node *node, Each *each, void *user) {
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++)
            each(user, moved_of(node, i, k));
    for (uint32_t k = 0; k < node->output_n; k++)
        if (node->outputs[k] != NULL) each(user, node->outputs[k]);
}

static void keep_tensor(void *user, const Tensor *tensor) {
    Costs *costs = user;
    *VEC_PUSH(costs->arena, &costs->moved) = tensor;
}

Costs *costs_begin(Arena *arena, Graph *graph) {
    Costs *costs = ARENA_NEW(arena, Costs);
    costs->arena = arena;
    costs->graph = graph;
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const Node *node = graph->nodes.items[i];
        if (node == NULL) continue;
        Work work = work_of(graph, node);
        if (work.bytes == NULL) each_tensor(node, keep_tensor, costs);
        *VEC_PUSH(arena, &costs->work) = work;
    }
    return costs;
}

/* ---- sizes --------------------------------------------------------------------------------------------------------
 */

void costs_size(Costs *costs, const Plan *plan) {
    map_init(&costs->dims, costs->arena);
    for (uint32_t i = 0; i < plan->planned_dims.n; i++)
        map_set(&costs->dims, plan->graph->dims.items[i].name, &plan->planned_dims.items[i]);
    costs->room = plan->graph->syms.all.n;
    costs->values = ARENA_ARRAY(costs->arena, int64_t, (size_t)costs->room + 1);
    costs->known = ARENA_ARRAY(costs->arena, bool, (size_t)costs->room + 1);
}

/* What has no value, or none that fits, is larger than all others. */
static int64_t evaluate(const Costs *costs, SymRef size) {
    int64_t value;
    if (sym_is_int(size, &value)) return value < 0 ? 0 : value;
    bool kept = size->id < costs->room;
    if (kept && costs->known[size->id]) return costs->values[size->id];
    if (!sym_value(size, &costs->dims, &value)) value = INT64_MAX;
    if (value < 0) value = 0;
    if (kept) costs->values[size->id] = value, costs->known[size->id] = true;
    return value;
}

static int64_t elements(const Costs *costs, const Tensor *tensor) {
    int64_t count = 1;
    RuleShape shape = tensor->type.shape;
    bool empty = false;
    for (uint32_t d = 0; d < shape.rank; d++) {
        int64_t size = evaluate(costs, shape.dims[d]);
        empty = empty || size == 0; /* the others may be as large as they like then */
        count = times(count, size);
    }
    return empty ? 0 : count;
}

static int64_t bytes_of(const Costs *costs, const Tensor *tensor) {
    return times(elements(costs, tensor), (int64_t)dtype_size(tensor->type.dtype));
}

static int64_t flops_of(const Costs *costs, const Work *work) {
    if (work->flops != NULL) return evaluate(costs, work->flops);
    return work->over == NULL ? 0 : times(elements(costs, work->over), work->weight);
}

/* ---- sums ---------------------------------------------------------------------------------------------------------
 */

Cost costs_before(const Costs *costs) {
    Cost sum = {0, 0};
    for (uint32_t i = 0; i < costs->moved.n; i++)
        sum.bytes = plus(sum.bytes, bytes_of(costs, costs->moved.items[i]));
    for (uint32_t i = 0; i < costs->work.n; i++) {
        const Work *work = &costs->work.items[i];
        if (work->bytes != NULL) sum.bytes = plus(sum.bytes, evaluate(costs, work->bytes));
        sum.flops = plus(sum.flops, flops_of(costs, work));
    }
    return sum;
}

typedef struct Adding {
    const Costs *costs;
    int64_t bytes;
} Adding;

static void add_tensor(void *user, const Tensor *tensor) {
    Adding *adding = user;
    adding->bytes = plus(adding->bytes, bytes_of(adding->costs, tensor));
}

/* Several ask of each node of the groups, and what opdefs say takes a while to work out. */
static const Work *work_at(Costs *costs, const Node *node) {
    if (costs->work_at == NULL)
        costs->work_at = ARENA_ARRAY(costs->arena, const Work *, (size_t)costs->graph->nodes.n + 1);
    if (costs->work_at[node->number] == NULL) {
        Work *work = ARENA_NEW(costs->arena, Work);
        *work = work_of(costs->graph, node);
        costs->work_at[node->number] = work;
    }
    return costs->work_at[node->number];
}

/* Whether some opdef of the group's says what it moves; most say nothing. */
static bool any_says(Costs *costs, const Group *group) {
    for (uint32_t i = 0; i < group->nodes.n; i++)
        if (work_at(costs, group->nodes.items[i])->bytes != NULL) return true;
    return false;
}

static bool touches(const Node *node, const Tensor *tensor) {
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++)
            if (node->inputs[i][k] == tensor) return true;
    for (uint32_t k = 0; k < node->output_n; k++)
        if (node->outputs[k] == tensor) return true;
    return false;
}

/* Whether a tensor is one that such nodes alone have to do with: what of it is moved is in what they say. */
static bool is_said(Costs *costs, const Group *group, const Tensor *tensor) {
    bool any = false;
    for (uint32_t i = 0; i < group->nodes.n; i++) {
        const Node *node = group->nodes.items[i];
        if (!touches(node, tensor)) continue;
        if (work_at(costs, node)->bytes == NULL) return false;
        any = true;
    }
    return any;
}

static int64_t flops_of_nodes(Costs *costs, const Group *group) {
    int64_t flops = 0;
    for (uint32_t i = 0; i < group->nodes.n; i++)
        flops = plus(flops, flops_of(costs, work_at(costs, group->nodes.items[i])));
    return flops;
}

Cost costs_apart(Costs *costs, const Call *call) {
    if (call->group == NULL) return costs_call(costs, call);
    Adding adding = {costs, 0};
    for (uint32_t i = 0; i < call->group->nodes.n; i++) {
        const Work *work = work_at(costs, call->group->nodes.items[i]);
        if (work->bytes != NULL)
            adding.bytes = plus(adding.bytes, evaluate(costs, work->bytes));
        else
            each_tensor(call->group->nodes.items[i], add_tensor, &adding);
    }
    return (Cost){adding.bytes, flops_of_nodes(costs, call->group)};
}

Cost costs_call(Costs *costs, const Call *call) {
    if (call->group == NULL) return (Cost){times(2, bytes_of(costs, call->copied)), 0};
    Adding adding = {costs, 0};
    bool some = any_says(costs, call->group);
    for (uint32_t i = 0; some && i < call->group->nodes.n; i++) {
        const Work *work = work_at(costs, call->group->nodes.items[i]);
        if (work->bytes != NULL) adding.bytes = plus(adding.bytes, evaluate(costs, work->bytes));
    }
    for (uint32_t i = 0; i < call->args.n; i++) {
        const Tensor *tensor = call->args.items[i].tensor;
        if (tensor != NULL && !(some && is_said(costs, call->group, tensor)))
            add_tensor(&adding, moved_by(call->group, tensor));
    }
    return (Cost){adding.bytes, flops_of_nodes(costs, call->group)};
}

/* ---- expressions --------------------------------------------------------------------------------------------------
 */

static SymRef count_of(Costs *costs, const Tensor *tensor) {
    Syms *syms = &costs->graph->syms;
    SymRef count = sym_int(syms, 1);
    for (uint32_t d = 0; d < tensor->type.shape.rank; d++)
        count = sym_mul(syms, count, tensor->type.shape.dims[d]);
    return count;
}

static SymRef bytes_sized(Costs *costs, const Tensor *tensor) {
    Syms *syms = &costs->graph->syms;
    if (costs->sized == NULL) costs->sized = ARENA_ARRAY(costs->arena, SymRef, (size_t)costs->graph->tensors.n + 1);
    SymRef *sized = &costs->sized[tensor->number];
    if (*sized != NULL) return *sized;
    SymRef bytes = sym_mul(syms, count_of(costs, tensor), sym_int(syms, dtype_size(tensor->type.dtype)));
    if (!syms->overflow) *sized = bytes; /* whoever asks again is told again */
    return bytes;
}

static SymRef flops_sized(Costs *costs, const Group *group) {
    Syms *syms = &costs->graph->syms;
    SymRef sum = sym_int(syms, 0);
    for (uint32_t i = 0; i < group->nodes.n && !syms->overflow; i++) {
        const Work *work = work_at(costs, group->nodes.items[i]);
        if (work->flops != NULL)
            sum = sym_add(syms, sum, work->flops);
        else if (work->over != NULL)
            sum = sym_add(syms, sum, sym_mul(syms, count_of(costs, work->over), sym_int(syms, work->weight)));
    }
    return sum;
}

void costs_sizes(Costs *costs, const Call *call, SymRef *bytes, SymRef *flops) {
    Syms *syms = &costs->graph->syms;
    sym_clear_fault(syms);
    *bytes = sym_int(syms, 0);
    if (call->group == NULL) *bytes = sym_mul(syms, bytes_sized(costs, call->copied), sym_int(syms, 2));
    bool some = call->group != NULL && any_says(costs, call->group);
    for (uint32_t i = 0; some && i < call->group->nodes.n; i++) {
        const Work *work = work_at(costs, call->group->nodes.items[i]);
        if (work->bytes != NULL) *bytes = sym_add(syms, *bytes, work->bytes);
    }
    for (uint32_t i = 0; call->group != NULL && i < call->args.n; i++) {
        const Tensor *tensor = call->args.items[i].tensor;
        if (tensor != NULL && !(some && is_said(costs, call->group, tensor)))
            *bytes = sym_add(syms, *bytes, bytes_sized(costs, moved_by(call->group, tensor)));
    }
    if (syms->overflow) *bytes = NULL;
    sym_clear_fault(syms);
    *flops = call->group == NULL ? sym_int(syms, 0) : flops_sized(costs, call->group);
    if (syms->overflow) *flops = NULL;
    sym_clear_fault(syms);
}

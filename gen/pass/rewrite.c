/* rewrite.c: the pass that puts some operators in the place of others, by the rules of opdefs/rewrites and of projects.
 *
 * Each node is held against the rules whose last node is of its operator. Where one matches, its steps are put behind
 * all nodes, as a composite's are; only if they make what they are to replace, dtype for dtype and size for size, their
 * results take its place, and otherwise they are taken away again. What a rule makes is seen by the rules of nodes
 * behind it at once, and is looked at itself in another round. Rules may undo each other, so there are only so many.
 */
#include "pass/rewrite.h"

enum { REWRITE_MOST_ROUNDS = 12 };

static bool same_type(const RuleTensor *a, const RuleTensor *b) {
    bool same = a->dtype == b->dtype && a->shape.rank == b->shape.rank;
    for (uint32_t d = 0; same && d < a->shape.rank; d++)
        same = a->shape.dims[d] == b->shape.dims[d];
    return same;
}

/* ---- firing */

/* Where a graph ends, to take away what was put behind it. */
typedef struct End {
    uint32_t nodes, tensors, checks;
} End;

static void cut(Graph *graph, End end) {
    for (uint32_t i = graph->nodes.n; i-- > end.nodes;)
        if (graph->nodes.items[i] != NULL) graph_remove(graph, graph->nodes.items[i]);
    graph->nodes.n = end.nodes;
    graph->tensors.n = end.tensors;
    graph->checks.n = end.checks;
}

/* What the node that makes it says, whatever type the tensor was given. */
static bool makes_type(Rewriting *on, const Tensor *tensor, const RuleTensor *type) {
    const Node *node = tensor->producer;
    if (node == NULL) return false;
    RuleChecks checks = {NULL, 0, 0};
    RuleCall call = graph_call(on->graph, node);
    call.checks = &checks;
    RuleTensor *types = ARENA_ARRAY(on->scratch, RuleTensor, node->output_n + 1);
    return rule_infer(&on->rules, &call, types, ARENA_ARRAY(on->scratch, Dtype, node->op->types.n + 1)) &&
           same_type(&types[tensor->index], type);
}

static void exchange_names(Tensor *a, Tensor *b) {
    Name name = a->name;
    a->name = b->name;
    b->name = name;
}

/* Puts the steps behind all nodes; made: their results. Whether they make what they are to replace. */
static bool make(Match *match, Tensor **made) {
    Rewriting *on = match->on;
    Graph *graph = on->graph;
    const Rewrite *rewrite = match->rewrite;
    const OpDef *op = rewrite->made;
    const Node *last = match->nodes[rewrite->nodes.n - 1];
    Tensor ***inputs = ARENA_ARRAY(on->scratch, Tensor **, op->inputs.n + 1);
    for (uint32_t i = 0; i < op->inputs.n; i++)
        inputs[i] = &match->tensors[rewrite->made_from.items[i]];
    for (uint32_t i = 0; i < op->outputs.n; i++) {
        const Tensor *old = match->tensors[rewrite->made_to.items[i]];
        if (old == NULL) return false; /* a result that the model does not name: nobody would have its type */
        made[i] = graph_tensor(graph, old->name, TENSOR_RESULT, old->type, old->place);
    }
    /* What lies between is called after what is replaced. */
    for (uint32_t i = 0; i < op->outputs.n; i++)
        exchange_names(made[i], match->tensors[rewrite->made_to.items[i]]);
    uint32_t checks = graph->checks.n;
    Diags *loud = graph->diags, *loud_rules = graph->rules.diags;
    graph->diags = graph->rules.diags = on->rules.diags;
    bool good = graph_compose(graph, op, inputs, match->call.counts, match->values, made, op->outputs.n, last->place);
    graph->diags = loud, graph->rules.diags = loud_rules;
    sym_clear_fault(&graph->syms);
    for (uint32_t i = 0; i < op->outputs.n; i++)
        exchange_names(made[i], match->tensors[rewrite->made_to.items[i]]);
    for (uint32_t i = 0; i < op->outputs.n && good; i++)
        good = makes_type(on, made[i], &match->tensors[rewrite->made_to.items[i]]->type);
    return good && graph->checks.n == checks;
}

static bool fire(Match *match, uint32_t *changes) {
    Rewriting *on = match->on;
    Graph *graph = on->graph;
    const Rewrite *rewrite = match->rewrite;
    for (uint32_t i = 0; i < rewrite->gives.n; i++) {
        const Tensor *result = match->tensors[rewrite->gives.items[i].result];
        const Tensor *tensor = match->tensors[rewrite->gives.items[i].tensor];
        if (result != NULL && !same_type(&result->type, &tensor->type)) return false;
    }
    End end = {graph->nodes.n, graph->tensors.n, graph->checks.n};
    Tensor **made = ARENA_ARRAY(on->scratch, Tensor *, rewrite->made->outputs.n + 1);
    if (rewrite->made->outputs.n > 0 && !make(match, made)) {
        cut(graph, end);
        return false;
    }
    for (uint32_t i = 0; i < rewrite->made->outputs.n; i++)
        tensor_give_way(graph, match->tensors[rewrite->made_to.items[i]], made[i]);
    for (uint32_t i = 0; i < rewrite->gives.n; i++) {
        Tensor *result = match->tensors[rewrite->gives.items[i].result];
        if (result != NULL) graph_replace(graph, result, match->tensors[rewrite->gives.items[i].tensor]);
    }
    node_drop(on->scratch, graph, match->nodes[rewrite->nodes.n - 1], changes);
    return true;
}

/* ---- all of it */

typedef struct Round {
    Graph *graph;
    Map *present; /* operators that the graph has, or had */
    uint32_t *changes;
    uint32_t fired, most;
    bool good;
} Round;

static bool are_present(const Round *round, const RewritePart *part) {
    uint32_t n;
    const Name *ops = rewrite_operators(part, &n);
    for (uint32_t i = 0; i < n; i++)
        if (map_get(round->present, ops[i]) == NULL) return false;
    return true;
}

static void note_present(Round *round, uint32_t from) {
    const Graph *graph = round->graph;
    for (uint32_t i = from; i < graph->nodes.n; i++)
        if (graph->nodes.items[i] != NULL) {
            Name name = graph->nodes.items[i]->op->name;
            if (map_get(round->present, name) != NULL) continue;
            map_set(round->present, name, round);
            round->good &= rewrites_want(graph->ops, name, graph->diags);
        }
}

/* Whether a rule fired. */
static bool try_rules(Round *round, Rewriting *on, Node *node) {
    Graph *graph = round->graph;
    const RewriteParts *parts = rewrites_of(graph->ops, node->op->name);
    for (uint32_t i = 0; parts != NULL && i < parts->n; i++) {
        RewritePart *part = parts->items[i];
        if (!are_present(round, part)) continue;
        uint32_t errors = graph->diags->errors, end = graph->nodes.n;
        Rewrite *rewrite = rewrite_get(graph->ops, part, graph->diags);
        round->good &= graph->diags->errors == errors;
        if (rewrite == NULL) continue;
        Match match;
        bool fired = rewrite_matches(on, rewrite, node, &match) && fire(&match, round->changes);
        sym_clear_fault(&graph->syms);
        if (!fired) continue;
        rewrite->fired++;
        round->fired++;
        note_present(round, end);
        return true;
    }
    return false;
}

static void run_round(Arena *scratch, void *data) {
    Round *round = data;
    Graph *graph = round->graph;
    Rewriting on = {.graph = graph, .scratch = scratch, .known = graph->tensors.n};
    on.constant = constant_tensors(scratch, graph);
    on.changed = changed_tensors(scratch, graph, graph->tensors.n + 1);
    ArenaMark mark = arena_mark(scratch);
    uint32_t n = graph->nodes.n;
    for (uint32_t i = 0; i < n && round->fired < round->most; i++) {
        if (graph->nodes.items[i] == NULL) continue;
        if (rewrites_of(graph->ops, graph->nodes.items[i]->op->name) == NULL) continue;
        arena_reset(scratch, mark);
        Diags quiet;
        diags_init(&quiet, scratch);
        on.rules = (Rules){.arena = scratch, .names = graph->names, .syms = &graph->syms, .diags = &quiet};
        try_rules(round, &on, graph->nodes.items[i]);
    }
}

static void run(Arena *scratch, void *data) {
    Round *round = data;
    Map present;
    map_init(&present, scratch);
    round->present = &present;
    note_present(round, 0);
    for (uint32_t i = 0; i < REWRITE_MOST_ROUNDS && round->good; i++) {
        uint32_t before = round->fired;
        arena_with_scratch(scratch, run_round, round);
        if (round->fired == before) return;
        graph_sort(round->graph);
    }
}

bool pass_rewrite(Graph *graph, uint32_t *changes) {
    if (graph->ops->rewrites == NULL) return true;
    rewrites_reset(graph->ops);
    if (!rewrites_load(graph->ops, graph->diags)) return false;
    Round round = {.graph = graph, .changes = changes, .most = 4 * graph->nodes.n + 16, .good = true};
    arena_with_scratch(graph->arena, run, &round);
    return round.good;
}

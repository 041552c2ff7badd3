/* group.c: which nodes become one function.
 *
 * Nodes are looked at from the last to the first. A map or view all of whose readers are in groups joins them, and is
 * computed where it is read; so chains, trees and diamonds become one function, and nothing that joins can be on a
 * circle, because nobody else waits for it. A node with a template of its own begins a group, or joins the group of
 * maps and views that go over its result, each element once: they become the last thing that it does.
 */
#include "pass/inner.h"

#include "op/view.h"
#include "pass/weight.h"

enum { GROUP_MOST_NODES = 24, GROUP_MOST_READS = 12, GROUP_MOST_READERS = 4 };

typedef VEC(Group *) GroupList;

typedef struct Joining {
    Arena *arena;
    Graph *graph;
    Groups *groups;
    GroupList *of; /* by Node.number: the groups that compute it; none: it is an alias */
    bool *often;   /* by Node.number: its elements are asked for more than once */
    Arena *scratch;
    bool lookups_check;
    uint32_t *weight; /* by Node.number, of maps, plus 1; 0: not asked for yet */
    uint32_t *heavy; /* by Node.number: the weight of what is computed anew each time, up to what asks more than once */
    const Node **changer; /* by Tensor.number, of mutable inputs: who changes it in place; NULL: nobody does */
    ViewMemory *moves;    /* by view_key: a bool, what moves_each said */
} Joining;

static uint32_t weight_of(Joining *joining, const Node *node) {
    uint32_t *weight = &joining->weight[node->number];
    if (*weight == 0) *weight = node_weight(joining->graph, node, joining->scratch) + 1;
    return *weight - 1;
}

static bool is_heading(const Node *node) { return node->op->kind != KIND_MAP && node->op->kind != KIND_VIEW; }

/* What changes its input does it where the model says, and not where the result is read. */
static bool stays_alone(const Node *node) { return node->op->mutates.n > 0; }

static const Tensor *memory_of(const Joining *joining, const Tensor *tensor) {
    const Tensor *of = joining->groups->aliases[tensor->number].of;
    return of == NULL ? tensor : of;
}

static void find_changers(Joining *joining, Tensor *const *states) {
    const Graph *graph = joining->graph;
    for (uint32_t i = 0; i < graph->nodes.n && states != NULL; i++) {
        const Node *node = graph->nodes.items[i];
        for (uint32_t k = 0; graph_changes_state(node, states) && k < node->op->inputs.n; k++)
            for (uint32_t t = 0; graph_mutates(node->op, k) && t < node->counts[k]; t++)
                joining->changer[memory_of(joining, node->inputs[k][t])->number] = node;
    }
}

/* What the node reads is still what it was when the group is called, which is where its last node stands. Else whoever
 * changes it would have to leave it alone, and it would be copied back: nothing, for a step of the way, but much for
 * what is kept from run to run. */
static bool is_in_time(const Joining *joining, const Node *node, const Group *group) {
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++) {
            const Node *changer = joining->changer[memory_of(joining, node->inputs[i][k])->number];
            if (changer != NULL && changer->number <= group->nodes.items[0]->number) return false;
        }
    return true;
}

/* In front of an operator in place there may be only what is no part of what it changes; and kernels alone know how to
 * read that. */
static bool may_feed_change(const Node *node, const Node *changer) {
    if (changer->op->kind != KIND_KERNEL) return false;
    for (uint32_t k = 0; k < changer->op->inputs.n; k++)
        for (uint32_t t = 0; graph_mutates(changer->op, k) && t < changer->counts[k]; t++)
            if (changer->inputs[k][t]->producer == node) return false;
    return true;
}

static bool has_group(const GroupList *list, const Group *group) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->items[i] == group) return true;
    return false;
}

/* The groups of all who read the node's results; none, where there are too many, or somebody is in none. *kept: the
 * results are the model's outputs, too. */
static GroupList readers(const Joining *joining, const Node *node, bool *kept) {
    *kept = false;
    GroupList all = {NULL, 0, 0};
    const GroupList nobody = {NULL, 0, 0};
    for (uint32_t k = 0; k < node->output_n; k++) {
        const Tensor *tensor = node->outputs[k];
        if (tensor == NULL) continue;
        *kept |= tensor->output;
        for (uint32_t u = 0; u < tensor->uses.n; u++) {
            const GroupList *of = &joining->of[tensor->uses.items[u].node->number];
            if (of->n == 0) return nobody;
            for (uint32_t g = 0; g < of->n; g++) {
                if (has_group(&all, of->items[g])) continue;
                if (all.n == GROUP_MOST_READERS) return nobody;
                *VEC_PUSH(joining->arena, &all) = of->items[g];
            }
        }
    }
    return all;
}

static uint32_t count_reads(const Node *node) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        n += node->counts[i];
    return n;
}

/* The one result that the model names; NULL: there are several, or none. */
static Tensor *sole_result(const Node *node) {
    Tensor *sole = NULL;
    for (uint32_t k = 0; k < node->output_n; k++) {
        if (node->outputs[k] == NULL) continue;
        if (sole != NULL) return NULL;
        sole = node->outputs[k];
    }
    return sole;
}

static SymRef element_count(Syms *syms, const Tensor *tensor) {
    SymRef n = sym_int(syms, 1);
    for (uint32_t d = 0; d < tensor->type.shape.rank; d++)
        n = sym_mul(syms, n, tensor->type.shape.dims[d]);
    return n;
}

/* A view whose rules take positions of data: which element is read how often is not known. */
static bool is_lookup(const Node *view) {
    for (uint32_t i = 0; i < view->op->indices.n; i++)
        if (view->op->indices.items[i].value.expr == NULL) return true;
    return false;
}

/* A view that has no more elements than what it reads: it asks for none of them again and again. */
static bool asks_once(Graph *graph, const Node *view) {
    Syms *syms = &graph->syms;
    const Tensor *result = sole_result(view);
    if (result == NULL || is_lookup(view)) return false;
    SymRef all = sym_int(syms, 0);
    for (uint32_t i = 0; i < view->op->inputs.n; i++)
        for (uint32_t k = 0; k < view->counts[i]; k++)
            all = sym_add(syms, all, element_count(syms, view->inputs[i][k]));
    bool once = sym_truth(sym_le(syms, element_count(syms, result), all)) == 1 && !syms->overflow;
    sym_clear_fault(syms);
    return once;
}

/* The shape that a node's function goes over: of its result, or of what a reduction reads. */
static const RuleShape *goes_over(const Node *node) {
    if (node->op->kind == KIND_REDUCE && node->counts[0] > 0) return &node->inputs[0][0]->type.shape;
    for (uint32_t k = 0; k < node->output_n; k++)
        if (node->outputs[k] != NULL) return &node->outputs[k]->type.shape;
    return NULL;
}

/* A map that may end the run, which a view asks where to look, in a function that does nothing but look up; the only
 * one in it, so that its call says which it was. */
static bool may_check(const Joining *joining, const Tensor *found, const Group *group) {
    if (!joining->lookups_check || group->anchor != NULL || found->uses.n != 1) return false;
    const Node *by = found->uses.items[0].node;
    if (by->op->kind != KIND_VIEW || !is_lookup(by)) return false;
    for (uint32_t i = 0; i < group->nodes.n; i++)
        if (group->nodes.items[i]->op->fails) return false;
    return true;
}

/* A map or view in front of a group. What is read more often than once an element is to be light. */
static bool may_lead(Joining *joining, const Node *node, const Group *group) {
    const Tensor *tensor = sole_result(node);
    if (tensor == NULL || (node->op->fails && !may_check(joining, tensor, group))) return false;
    uint32_t weight = node->op->kind == KIND_MAP && !node->op->fails ? weight_of(joining, node) : 0;
    uint32_t reads = count_reads(node);
    for (uint32_t i = 0; i < group->nodes.n; i++)
        reads += count_reads(group->nodes.items[i]);
    if (group->nodes.n >= GROUP_MOST_NODES || reads > GROUP_MOST_READS + group->nodes.n) return false;
    for (uint32_t u = 0; u < tensor->uses.n; u++) {
        const Node *by = tensor->uses.items[u].node;
        if (by->op->kind == KIND_KERNEL && weight > WEIGHT_LIGHT) return false;
        if (by->op->kind == KIND_KERNEL && by->op->inputs.items[tensor->uses.items[u].input].list) return false;
        const RuleShape *over = goes_over(by);
        bool once = by->op->kind == KIND_VIEW
                        ? asks_once(joining->graph, by)
                        : over != NULL && rule_same_shape(*over, tensor->type.shape) && by->op->kind != KIND_KERNEL;
        bool again = group->anchor != NULL && group->anchor->op->kind == KIND_REDUCE && tensor->uses.n > 1;
        bool often = !once || again || joining->often[by->number];
        uint32_t there = (joining->often[by->number] ? joining->heavy[by->number] : 0) + weight;
        if (often && there > WEIGHT_LIGHT) return false;
        joining->often[node->number] |= often;
        if (often && joining->heavy[node->number] < there) joining->heavy[node->number] = there;
    }
    return true;
}

/* How a tensor of a group follows from the anchor's result: element by element, moved by the views up to this one. */
typedef struct Step {
    const Tensor *tensor;
    const Node *moved; /* NULL: not moved at all */
} Step;

typedef VEC(Step) Steps;

static const Step *find_step(const Steps *steps, const Tensor *tensor) {
    for (uint32_t i = 0; i < steps->n; i++)
        if (steps->items[i].tensor == tensor) return &steps->items[i];
    return NULL;
}

/* A view that moves every element of its input to a place of its own. */
static bool find_moves_each(Graph *graph, const Node *view, const Tensor *result) {
    RuleCall call = graph_call(graph, view);
    const RuleTensor *input = call.op->inputs.n == 1 && call.counts[0] == 1 ? &call.inputs[0][0] : NULL;
    if (input == NULL) return false;
    SymRef *index = ARENA_ARRAY(graph->arena, SymRef, input->shape.rank + 1);
    SymRef *at = ARENA_ARRAY(graph->arena, SymRef, result->type.shape.rank + 1);
    for (uint32_t d = 0; d < input->shape.rank; d++)
        index[d] = sym_index(&graph->syms, names_get(graph->names, str_format(graph->arena, "%%%u", (unsigned)d)),
                             input->shape.dims[d]);
    return view_inverse(&graph->rules, &call, &result->type, 0, index, at);
}

static bool moves_each(const Joining *joining, const Node *view) {
    static bool answers[2] = {false, true};
    const Tensor *result = sole_result(view);
    if (result == NULL || result != view->outputs[0] || view->output_n != 1) return false;
    Name key = view_key(joining->moves, view);
    const bool *known = map_get(&joining->moves->answers, key);
    if (known != NULL) return *known;
    bool moves = find_moves_each(joining->graph, view, result);
    map_set(&joining->moves->answers, key, &answers[moves]);
    return moves;
}

/* The node as part of what follows the anchor: whatever it reads of that must have come the same way. *follows: it does
 * read of that. over: what maps may go over again, or NULL. */
static bool may_follow(const Joining *joining, const Node *node, const Steps *steps, const RuleShape *over,
                       bool *follows, const Node **moved) {
    *follows = false;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++) {
            const Step *step = find_step(steps, node->inputs[i][k]);
            if (step == NULL) continue;
            if (*follows && step->moved != *moved) return false;
            *follows = true;
            *moved = step->moved;
            if (node->op->kind != KIND_MAP) continue;
            for (uint32_t o = 0; o < node->output_n; o++) {
                if (node->outputs[o] == NULL) return false;
                RuleShape shape = node->outputs[o]->type.shape;
                if (!rule_same_shape(shape, step->tensor->type.shape) &&
                    (over == NULL || !rule_same_shape(shape, *over)))
                    return false;
            }
        }
    if (!*follows || node->op->kind == KIND_MAP) return true;
    *moved = node;
    return moves_each(joining, node);
}

/* What a reduction makes lies along what it goes over: each of its elements belongs to the row that it was made of, as
 * operands broadcast. */
static bool lies_along(const RuleShape *made, const RuleShape *over, const bool *reduced) {
    if (made->rank > over->rank) return false;
    for (uint32_t d = 0; d < over->rank; d++) {
        int64_t size;
        bool there = d + made->rank >= over->rank;
        SymRef own = there ? made->dims[d + made->rank - over->rank] : NULL;
        if (reduced[d] ? there && !(sym_is_int(own, &size) && size == 1) : !there || own != over->dims[d]) return false;
    }
    return true;
}

/* The shape that maps behind a reduction may go over once more; NULL: they go over what it makes, and read nothing
 * else. */
static const RuleShape *goes_again(const Joining *joining, const Node *node, RuleShape *over) {
    if (node->op->kind != KIND_REDUCE) return NULL;
    RuleCall call = graph_call(joining->graph, node);
    bool reduced[RULE_MOST_RANK];
    if (!rule_reduced(&joining->graph->rules, &call, over, reduced)) return NULL;
    return lies_along(&node->outputs[0]->type.shape, over, reduced) ? over : NULL;
}

/* A reduction or kernel whose result a group of maps and views goes over without any other use of it. What follows a
 * reduction is not moved; where the rows that it was made of can be told, it may go over these again. */
static bool may_head(const Joining *joining, const Node *node, const Group *group) {
    if (group->anchor != NULL || node->output_n != 1 || node->outputs[0] == NULL) return false;
    if (group->nodes.n >= GROUP_MOST_NODES) return false;
    bool folds = node->op->kind == KIND_REDUCE;
    RuleShape shape;
    const RuleShape *over = goes_again(joining, node, &shape);
    Steps steps = {NULL, 0, 0};
    *VEC_PUSH(joining->arena, &steps) = (Step){node->outputs[0], NULL};
    for (uint32_t i = group->nodes.n; i-- > 0;) {
        const Node *other = group->nodes.items[i], *moved = NULL;
        bool follows;
        if (stays_alone(other) || !may_follow(joining, other, &steps, over, &follows, &moved)) return false;
        if (!follows && sole_result(other) != NULL && sole_result(other)->output) return false;
        if (folds && (moved != NULL || (!follows && over == NULL))) return false;
        for (uint32_t k = 0; follows && k < other->output_n; k++)
            if (other->outputs[k] != NULL) *VEC_PUSH(joining->arena, &steps) = (Step){other->outputs[k], moved};
    }
    if (!folds || over != NULL) return true;
    for (uint32_t i = 0; i < group->nodes.n; i++) {
        const Node *other = group->nodes.items[i];
        for (uint32_t k = 0; k < other->op->inputs.n; k++)
            for (uint32_t j = 0; j < other->counts[k]; j++)
                if (find_step(&steps, other->inputs[k][j]) == NULL) return false;
    }
    return true;
}

/* Computing the node again needs nothing else to be kept for it: what it reads is in memory, or is as light itself. */
static bool is_light_again(Joining *joining, const Node *node, uint32_t depth) {
    if (sole_result(node) == NULL || stays_alone(node) || is_heading(node)) return false;
    if (node->op->kind == KIND_MAP && weight_of(joining, node) > WEIGHT_LIGHT) return false;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++) {
            const Tensor *tensor = node->inputs[i][k];
            if (tensor->producer == NULL || tensor->output || tensor->uses.n > 1) continue;
            if (is_heading(tensor->producer)) return false; /* the node is better the last thing that one does */
            if (depth == 0 || !is_light_again(joining, tensor->producer, depth - 1)) return false;
        }
    return true;
}

static SymRef byte_count(Syms *syms, const Tensor *tensor) {
    return sym_mul(syms, element_count(syms, tensor), sym_int(syms, (int64_t)dtype_size(tensor->type.dtype)));
}

/* Whether computing the node once for each reader moves fewer bytes than writing its result and reading it again. */
static bool is_cheap_again(Joining *joining, const Node *node, uint32_t reader_n) {
    enum { MOST_DEPTH = 3 };
    Syms *syms = &joining->graph->syms;
    if (!is_light_again(joining, node, MOST_DEPTH)) return false;
    if (node->op->kind == KIND_VIEW) return asks_once(joining->graph, node);
    SymRef read = sym_int(syms, 0), kept = byte_count(syms, sole_result(node));
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++)
            read = sym_add(syms, read, byte_count(syms, node->inputs[i][k]));
    read = sym_mul(syms, read, sym_int(syms, (int64_t)reader_n - 1));
    kept = sym_mul(syms, kept, sym_int(syms, (int64_t)reader_n + 1));
    bool cheap = sym_truth(sym_le(syms, read, kept)) == 1 && !syms->overflow;
    sym_clear_fault(syms);
    return cheap;
}

/* What a node goes over, element by element or moving each, that nobody else reads and that is as large in memory;
 * NULL: there is no such. */
static const Tensor *goes_on(const Joining *joining, const Node *node) {
    const Tensor *result = sole_result(node);
    if (result == NULL || stays_alone(node) || is_heading(node) || node->op->fails) return NULL;
    if (node->op->kind == KIND_VIEW && !moves_each(joining, node)) return NULL;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++) {
            const Tensor *tensor = node->inputs[i][k];
            if (tensor->producer == NULL || tensor->output || tensor->uses.n != 1) continue;
            if (node->op->kind == KIND_VIEW) return tensor;
            if (rule_same_shape(tensor->type.shape, result->type.shape) &&
                dtype_size(result->type.dtype) <= dtype_size(tensor->type.dtype))
                return tensor;
        }
    return NULL;
}

/* The last thing that a kernel does: what these nodes in a row make of its result, and nobody else reads. There each
 * element is computed once and put where it belongs; a kernel that reads it might ask for it several times. */
static bool is_last_of_kernel(const Joining *joining, const Node *node) {
    enum { MOST_NODES = 8 };
    for (uint32_t i = 0; i < MOST_NODES; i++) {
        const Tensor *tensor = goes_on(joining, node);
        if (tensor == NULL) return false;
        node = tensor->producer;
        if (node->op->kind == KIND_KERNEL && !stays_alone(node))
            return sole_result(node) == tensor && node->output_n == 1;
    }
    return false;
}

/* What is constant is computed with what is; numbers out of nothing may stand anywhere. */
static bool same_time(const Node *node, const Group *group) {
    return node->constant == group->constant || (node->constant && count_reads(node) == 0);
}

/* A map that others want to see as well, written beside what its reader writes. */
static bool may_be_kept(const Node *node, const Group *group) {
    const Tensor *result = sole_result(node), *root = sole_result(group->nodes.items[0]);
    bool maps = group->anchor == NULL && node->op->kind == KIND_MAP && result != NULL && root != NULL;
    for (uint32_t i = 0; i < group->nodes.n; i++)
        maps = maps && group->nodes.items[i]->op->kind == KIND_MAP;
    return maps && rule_same_shape(result->type.shape, root->type.shape);
}

static bool may_join(Joining *joining, const Node *node, const GroupList *groups, bool kept) {
    if (groups->n == 0 || stays_alone(node)) return false;
    if (kept && (groups->n > 1 || (!is_heading(node) && !may_be_kept(node, groups->items[0])))) return false;
    for (uint32_t g = 0; g < groups->n; g++) {
        const Node *root = groups->items[g]->nodes.items[0];
        if (stays_alone(root) && !may_feed_change(node, root)) return false;
        if (!same_time(node, groups->items[g]) || !is_in_time(joining, node, groups->items[g])) return false;
    }
    if (is_heading(node)) return groups->n == 1 && may_head(joining, node, groups->items[0]);
    for (uint32_t g = 0; g < groups->n; g++) {
        const Group *group = groups->items[g];
        if (!may_lead(joining, node, group)) return false;
        bool asks = group->anchor != NULL && (node->op->kind == KIND_VIEW || group->anchor->op->kind == KIND_KERNEL);
        if (asks && is_last_of_kernel(joining, node)) return false;
    }
    return groups->n == 1 || is_cheap_again(joining, node, groups->n);
}

static void join(Joining *joining, Node *node) {
    bool kept;
    GroupList groups = readers(joining, node, &kept);
    if (!may_join(joining, node, &groups, kept)) {
        groups.n = 0;
        *VEC_PUSH(joining->arena, &groups) = ARENA_NEW(joining->arena, Group);
        groups.items[0]->constant = node->constant;
        joining->heavy[node->number] = 0, joining->often[node->number] = false;
    }
    for (uint32_t g = 0; g < groups.n; g++) {
        Group *group = groups.items[g];
        if (is_heading(node)) group->anchor = node;
        *VEC_PUSH(joining->arena, &group->nodes) = node; /* the last first, until all are there */
    }
    joining->of[node->number] = groups;
}

/* ---- an alias between nodes that could be one function is better a part of it */

/* Up to what makes the memory, through other aliases. */
static const Node *maker(const Node *alias, const bool *is_alias) {
    const Node *at = alias;
    for (;;) {
        const Tensor *tensor = at->inputs[0][0];
        if (tensor->output || tensor->uses.n != 1 || tensor->producer == NULL) return NULL;
        at = tensor->producer;
        if (stays_alone(at)) return NULL;
        if (!is_alias[at->number]) return sole_result(at) != NULL ? at : NULL;
    }
}

static void join_alias(Joining *joining, Node *node, const bool *is_alias) {
    const Node *made = maker(node, is_alias);
    if (made == NULL || sole_result(node) == NULL) return;
    bool kept;
    GroupList groups = readers(joining, node, &kept);
    if (kept || groups.n != 1 || !may_join(joining, node, &groups, kept)) return;
    Group *group = groups.items[0];
    if (is_heading(made) && (group->anchor != NULL || made->op->kind == KIND_REDUCE)) return;
    if (made->op->kind == KIND_MAP && weight_of(joining, made) > WEIGHT_LIGHT && group->anchor != NULL) return;
    *VEC_PUSH(joining->arena, &group->nodes) = node;
    joining->of[node->number] = groups;
    joining->groups->aliases[sole_result(node)->number] = (Alias){NULL, NULL};
}

/* ---- what a group reads and writes */
static void add_read(Arena *arena, Group *group, Tensor *tensor) {
    for (uint32_t i = 0; i < group->reads.n; i++)
        if (group->reads.items[i] == tensor) return;
    *VEC_PUSH(arena, &group->reads) = tensor;
}

static bool is_wanted(const Joining *joining, const Tensor *tensor) {
    if (tensor->output || tensor->uses.n == 0) return true;
    const GroupList *own = &joining->of[tensor->producer->number];
    for (uint32_t u = 0; u < tensor->uses.n; u++) {
        const GroupList *of = &joining->of[tensor->uses.items[u].node->number];
        if (of->n == 0) return true;
        for (uint32_t g = 0; g < of->n; g++)
            if (!has_group(own, of->items[g])) return true;
    }
    return false;
}

/* A view with several results writes those of one shape together, and the others by themselves. */
static void split_writes(Joining *joining, Group *group) {
    Arena *arena = joining->arena;
    for (Group *at = group; at->writes.n > 1;) {
        Group *rest = ARENA_NEW(arena, Group);
        *rest = *at;
        rest->writes.items = NULL, rest->writes.n = rest->writes.cap = 0;
        uint32_t kept = 1;
        for (uint32_t i = 1; i < at->writes.n; i++) {
            Tensor *tensor = at->writes.items[i];
            if (rule_same_shape(tensor->type.shape, at->writes.items[0]->type.shape))
                at->writes.items[kept++] = tensor;
            else
                *VEC_PUSH(arena, &rest->writes) = tensor;
        }
        at->writes.n = kept;
        if (rest->writes.n == 0) return;
        *VEC_PUSH(arena, &joining->groups->items) = rest;
        at = rest;
    }
}

static void finish(Joining *joining, Group *group) {
    Arena *arena = joining->arena;
    for (uint32_t i = 0, k = group->nodes.n; i + 1 < k; i++) {
        Node *node = group->nodes.items[i];
        group->nodes.items[i] = group->nodes.items[--k];
        group->nodes.items[k] = node;
    }
    for (uint32_t m = 0; m < group->nodes.n; m++) {
        Node *node = group->nodes.items[m];
        for (uint32_t i = 0; i < node->op->inputs.n; i++)
            for (uint32_t k = 0; k < node->counts[i]; k++) {
                Tensor *tensor = node->inputs[i][k];
                if (tensor->producer == NULL || !has_group(&joining->of[tensor->producer->number], group))
                    add_read(arena, group, tensor);
            }
        for (uint32_t k = 0; k < node->output_n; k++)
            if (node->outputs[k] != NULL && is_wanted(joining, node->outputs[k]))
                *VEC_PUSH(arena, &group->writes) = node->outputs[k];
    }
}

static void finish_at(Joining *joining, const Node *node) {
    const GroupList *list = &joining->of[node->number];
    for (uint32_t g = 0; g < list->n; g++) {
        Group *group = list->items[g];
        if (group->nodes.items[0] != node) continue;
        finish(joining, group);
        *VEC_PUSH(joining->arena, &joining->groups->items) = group;
        if (group->nodes.items[group->nodes.n - 1]->op->kind == KIND_VIEW) split_writes(joining, group);
    }
}

typedef struct Given {
    Arena *arena, *scratch;
    Graph *graph;
    bool fuse, lookups_check;
    Groups *groups;
} Given;

static void group_remembering(Arena *remembered, void *data) {
    Given *given = data;
    Arena *scratch = given->scratch;
    Arena *arena = given->arena;
    Graph *graph = given->graph;
    Groups *groups = given->groups;
    uint32_t n = graph->nodes.n;
    ViewMemory memory;
    view_memory_init(&memory, remembered);
    Joining joining = {.arena = arena, .scratch = scratch, .graph = graph, .groups = groups, .moves = &memory};
    joining.lookups_check = given->lookups_check;
    joining.of = ARENA_ARRAY(arena, GroupList, n + 1);
    joining.weight = ARENA_ARRAY(arena, uint32_t, n + 1);
    joining.often = ARENA_ARRAY(arena, bool, n + 1);
    joining.heavy = ARENA_ARRAY(arena, uint32_t, n + 1);
    joining.changer = ARENA_ARRAY(arena, const Node *, graph->tensors.n + 1);
    bool *is_alias = ARENA_ARRAY(arena, bool, n + 1);
    /* What rules make on the way is not needed when they were answered. */
    Arena *rules_arena = graph->rules.arena;
    graph->rules.arena = scratch;
    ArenaMark mark = arena_mark(scratch);
    for (uint32_t i = 0; i < n; i++) {
        view_memory_trim(&memory);
        is_alias[i] = group_alias(graph, graph->nodes.items[i], &memory, groups);
        arena_reset(scratch, mark);
    }
    arena_reset(remembered, memory.mark);
    view_memory_init(&memory, remembered);
    find_changers(&joining, graph_states(arena, graph));
    for (uint32_t i = n; i-- > 0;) {
        Node *node = graph->nodes.items[i];
        arena_reset(scratch, mark);
        view_memory_trim(&memory);
        if (is_alias[i]) {
            if (given->fuse) join_alias(&joining, node, is_alias);
            continue;
        }
        if (given->fuse) {
            join(&joining, node);
        } else {
            Group *group = ARENA_NEW(arena, Group);
            group->constant = node->constant;
            if (is_heading(node)) group->anchor = node;
            *VEC_PUSH(arena, &group->nodes) = node;
            *VEC_PUSH(arena, &joining.of[node->number]) = group;
        }
    }
    graph->rules.arena = rules_arena;
    /* A group is called where the last of its nodes stands: all that it reads is there, and nobody waits for it sooner.
     */
    for (uint32_t i = 0; i < n; i++)
        finish_at(&joining, graph->nodes.items[i]);
}

static void group_with(Arena *scratch, void *data) {
    Given *given = data;
    given->scratch = scratch;
    arena_with_scratch(scratch, group_remembering, data);
}

void group_nodes(Arena *arena, Graph *graph, bool fuse, bool lookups_check, Groups *groups) {
    *groups = (Groups){.arena = arena, .aliases = ARENA_ARRAY(arena, Alias, graph->tensors.n + 1)};
    Given given = {arena, NULL, graph, fuse, lookups_check, groups};
    arena_with_scratch(arena, group_with, &given);
}

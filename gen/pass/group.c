/* group.c: which nodes become one function, and views that are only another way to look at memory.
 *
 * Whether a view needs code is asked of its index rule alone: if the element at place p of the result is, for every p,
 * the element at place p + c of the input, the two share memory. So reshapes, squeezes, slices of the first dim and
 * whatever a user's own operator does alike cost nothing, and no operator is known here by name.
 */
#include "pass/group.h"

#include "op/view.h"
#include "pass/weight.h"

static Name index_name(Graph *graph, uint32_t d) {
    return names_get(graph->names, str_format(graph->arena, "%%%u", (unsigned)d));
}

/* Where the one input's memory has the elements of output n, from which element on; NULL: not in this order. */
static SymRef offset_of(Graph *graph, const RuleCall *call, const RuleTensor *outputs, uint32_t n) {
    Syms *syms = &graph->syms;
    RuleShape shape = outputs[n].shape;
    SymRef *at = ARENA_ARRAY(graph->arena, SymRef, shape.rank + 1);
    for (uint32_t d = 0; d < shape.rank; d++)
        at[d] = sym_index(syms, index_name(graph, d), shape.dims[d]);
    ViewSources sources;
    if (!view_sources(&graph->rules, call, outputs, n, at, &sources)) return NULL;
    if (sources.n != 1 || sym_truth(sources.items[0].valid) != 1) return NULL;
    const ViewSource *source = &sources.items[0];
    if (call->inputs[source->input][source->item].dtype != outputs[n].dtype) return NULL;
    SymRef from = sym_ravel(syms, source->index, call->inputs[source->input][source->item].shape);
    SymRef offset = sym_sub(syms, from, sym_ravel(syms, at, shape));
    return syms->overflow || sym_has_index(offset) ? NULL : offset;
}

/* Of all results, those included that the model does not name. */
static bool types_of(Graph *graph, const Node *node, RuleCall *call, RuleTensor *outputs) {
    bool named = true;
    for (uint32_t k = 0; k < node->output_n; k++) {
        named = named && node->outputs[k] != NULL;
        if (named) outputs[k] = node->outputs[k]->type;
    }
    RuleChecks known = {NULL, 0, 0}; /* entered when the model was read */
    call->checks = &known;
    return named || rule_infer(&graph->rules, call, outputs, ARENA_ARRAY(graph->arena, Dtype, node->op->types.n + 1));
}

/* Makes the node's results aliases of its input; false: at least one of them needs code. */
static bool is_alias(Graph *graph, const Node *node, Groups *groups) {
    const OpDef *op = node->op;
    if (op->kind != KIND_VIEW || op->inputs.n != 1 || node->counts[0] != 1) return false;
    Tensor *input = node->inputs[0][0];
    RuleCall call = graph_call(graph, node);
    RuleTensor *outputs = ARENA_ARRAY(graph->arena, RuleTensor, node->output_n + 1);
    if (!types_of(graph, node, &call, outputs)) return false;
    SymRef *offsets = ARENA_ARRAY(graph->arena, SymRef, node->output_n + 1);
    for (uint32_t k = 0; k < node->output_n; k++) {
        /* A rule that cannot be answered here is for whoever writes the code to complain about. */
        Diags quiet, *loud = graph->rules.diags;
        diags_init(&quiet, graph->arena);
        graph->rules.diags = &quiet;
        sym_clear_fault(&graph->syms);
        offsets[k] = node->outputs[k] == NULL ? sym_int(&graph->syms, 0) : offset_of(graph, &call, outputs, k);
        graph->rules.diags = loud;
        sym_clear_fault(&graph->syms);
        if (offsets[k] == NULL) return false;
    }
    Alias of = groups->aliases[input->number];
    for (uint32_t k = 0; k < node->output_n; k++) {
        if (node->outputs[k] == NULL) continue;
        SymRef offset = of.of == NULL ? offsets[k] : sym_add(&graph->syms, of.offset, offsets[k]);
        groups->aliases[node->outputs[k]->number] = (Alias){of.of == NULL ? input : of.of, offset};
    }
    return true;
}

/* ---- who joins whom

 * Nodes are looked at from the last to the first. A map or view all of whose readers are in one group joins it, and is
 * computed where it is read; so chains, trees and diamonds become one function, and nothing that joins can be on a
 * circle, because nobody else waits for it. A node with a template of its own begins a group, or joins the group of
 * maps that go over its result element by element: they become the last thing that it does.
 */
enum { GROUP_MOST_NODES = 24, GROUP_MOST_READS = 12 };

typedef struct Joining {
    Arena *arena;
    Graph *graph;
    Groups *groups;
    Group **of;      /* by Node.number */
    bool *often;     /* by Node.number: its elements are asked for more than once */
    uint32_t *heavy; /* by Node.number: the weight of what is computed anew each time, up to what asks more than once */
} Joining;

static bool same_shape(RuleShape a, RuleShape b) {
    bool same = a.rank == b.rank;
    for (uint32_t d = 0; same && d < a.rank; d++)
        same = a.dims[d] == b.dims[d];
    return same;
}

static bool is_heading(const Node *node) { return node->op->kind != KIND_MAP && node->op->kind != KIND_VIEW; }

/* What changes its input does it where the model says, and not where the result is read. */
static bool stays_alone(const Node *node) { return node->op->mutates.n > 0; }

/* The one group of all who read the node's results; NULL: there are several, or none, or others need the results. */
static Group *reader(const Joining *joining, const Node *node) {
    Group *group = NULL;
    for (uint32_t k = 0; k < node->output_n; k++) {
        const Tensor *tensor = node->outputs[k];
        if (tensor == NULL) continue;
        if (tensor->output) return NULL;
        for (uint32_t u = 0; u < tensor->uses.n; u++) {
            Group *of = joining->of[tensor->uses.items[u].node->number];
            if (of == NULL || (group != NULL && group != of)) return NULL;
            group = of;
        }
    }
    return group;
}

static uint32_t count_reads(const Node *node) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        n += node->counts[i];
    return n;
}

static bool has_lists(const Node *node) {
    bool lists = node->op->outputs.items[0].count.expr != NULL;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        lists |= node->op->inputs.items[i].list;
    return lists;
}

/* The shape that a node's function goes over: of its result, or of what a reduction reads. */
static const RuleShape *goes_over(const Node *node) {
    if (node->op->kind == KIND_REDUCE && node->counts[0] > 0) return &node->inputs[0][0]->type.shape;
    for (uint32_t k = 0; k < node->output_n; k++)
        if (node->outputs[k] != NULL) return &node->outputs[k]->type.shape;
    return NULL;
}

/* A map or view in front of a group. What is read more often than once an element is to be light. */
static bool may_lead(const Joining *joining, const Node *node, const Group *group) {
    if (has_lists(node) || node->output_n != 1 || node->outputs[0] == NULL) return false;
    uint32_t weight = node->op->kind == KIND_MAP ? map_weight(node->op) : 0, reads = count_reads(node);
    for (uint32_t i = 0; i < group->nodes.n; i++)
        reads += count_reads(group->nodes.items[i]);
    if (group->nodes.n >= GROUP_MOST_NODES || reads > GROUP_MOST_READS + group->nodes.n) return false;
    const Tensor *tensor = node->outputs[0];
    for (uint32_t u = 0; u < tensor->uses.n; u++) {
        const Node *by = tensor->uses.items[u].node;
        if (by->op->kind == KIND_KERNEL && weight > WEIGHT_LIGHT) return false;
        if (by->op->kind == KIND_KERNEL && by->op->inputs.items[tensor->uses.items[u].input].list) return false;
        const RuleShape *over = goes_over(by);
        bool once = over != NULL && same_shape(*over, tensor->type.shape) && by->op->kind != KIND_KERNEL;
        bool often = !once || joining->often[by->number];
        uint32_t there = (joining->often[by->number] ? joining->heavy[by->number] : 0) + weight;
        if (often && there > WEIGHT_LIGHT) return false;
        joining->often[node->number] |= often;
        if (often && joining->heavy[node->number] < there) joining->heavy[node->number] = there;
    }
    /* A reduction goes over dims that nothing tells apart; a view before it would be asked for each of them. */
    if (group->anchor != NULL && group->anchor->op->kind == KIND_REDUCE && node->op->kind == KIND_VIEW) return false;
    return true;
}

/* What follows a reduction goes over the dims that it keeps; what else were read there would have others. */
static bool reads_only(const Group *group, const Tensor *tensor) {
    for (uint32_t m = 0; m < group->nodes.n; m++) {
        const Node *node = group->nodes.items[m];
        for (uint32_t i = 0; i < node->op->inputs.n; i++)
            for (uint32_t k = 0; k < node->counts[i]; k++) {
                const Tensor *input = node->inputs[i][k];
                bool within = input == tensor;
                for (uint32_t o = 0; o < group->nodes.n && !within; o++)
                    within = input->producer == group->nodes.items[o];
                if (!within) return false;
            }
    }
    return true;
}

/* A reduction or kernel whose result a group of maps goes over, element by element, without any other use of it. */
static bool may_head(const Node *node, const Group *group) {
    if (group->anchor != NULL || node->output_n != 1 || node->outputs[0] == NULL) return false;
    const Tensor *tensor = node->outputs[0];
    for (uint32_t i = 0; i < group->nodes.n; i++) {
        const Node *other = group->nodes.items[i];
        if (other->op->kind != KIND_MAP || stays_alone(other)) return false;
        for (uint32_t k = 0; k < other->output_n; k++)
            if (other->outputs[k] == NULL || !same_shape(other->outputs[k]->type.shape, tensor->type.shape))
                return false;
    }
    return group->nodes.n < GROUP_MOST_NODES && (node->op->kind != KIND_REDUCE || reads_only(group, tensor));
}

static void join(Joining *joining, Node *node) {
    Group *group = stays_alone(node) ? NULL : reader(joining, node);
    if (group != NULL && stays_alone(group->nodes.items[0])) group = NULL;
    if (group != NULL && !(is_heading(node) ? may_head(node, group) : may_lead(joining, node, group))) group = NULL;
    if (group == NULL) {
        group = ARENA_NEW(joining->arena, Group);
        joining->heavy[node->number] = 0, joining->often[node->number] = false;
    }
    if (is_heading(node)) group->anchor = node;
    *VEC_PUSH(joining->arena, &group->nodes) = node; /* the last first, until all are there */
    joining->of[node->number] = group;
}

/* ---- what a group reads and writes */
static void add_read(Arena *arena, Group *group, Tensor *tensor) {
    for (uint32_t i = 0; i < group->reads.n; i++)
        if (group->reads.items[i] == tensor) return;
    *VEC_PUSH(arena, &group->reads) = tensor;
}

static bool is_wanted(const Joining *joining, const Group *group, const Tensor *tensor) {
    if (tensor->output || tensor->uses.n == 0) return true;
    for (uint32_t u = 0; u < tensor->uses.n; u++)
        if (joining->of[tensor->uses.items[u].node->number] != group) return true;
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
            if (same_shape(tensor->type.shape, at->writes.items[0]->type.shape))
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
                if (tensor->producer == NULL || joining->of[tensor->producer->number] != group)
                    add_read(arena, group, tensor);
            }
        for (uint32_t k = 0; k < node->output_n; k++)
            if (node->outputs[k] != NULL && is_wanted(joining, group, node->outputs[k]))
                *VEC_PUSH(arena, &group->writes) = node->outputs[k];
    }
}

void group_nodes(Arena *arena, Graph *graph, bool fuse, Groups *groups) {
    *groups = (Groups){.arena = arena, .aliases = ARENA_ARRAY(arena, Alias, graph->tensors.n + 1)};
    uint32_t n = graph->nodes.n;
    Joining joining = {.arena = arena, .graph = graph, .groups = groups, .of = ARENA_ARRAY(arena, Group *, n + 1)};
    joining.often = ARENA_ARRAY(arena, bool, n + 1);
    joining.heavy = ARENA_ARRAY(arena, uint32_t, n + 1);
    bool *alias = ARENA_ARRAY(arena, bool, n + 1);
    for (uint32_t i = 0; i < n; i++)
        alias[i] = is_alias(graph, graph->nodes.items[i], groups);
    for (uint32_t i = n; i-- > 0;) {
        Node *node = graph->nodes.items[i];
        if (alias[i]) continue;
        if (fuse) {
            join(&joining, node);
        } else {
            Group *group = ARENA_NEW(arena, Group);
            if (is_heading(node)) group->anchor = node;
            *VEC_PUSH(arena, &group->nodes) = node;
            joining.of[node->number] = group;
        }
    }
    /* A group is called where the last of its nodes stands: all that it reads is there, and nobody waits for it sooner.
     */
    for (uint32_t i = 0; i < n; i++) {
        Group *group = joining.of[graph->nodes.items[i]->number];
        if (group == NULL || group->nodes.items[0] != graph->nodes.items[i]) continue;
        finish(&joining, group);
        *VEC_PUSH(arena, &groups->items) = group;
        if (group->nodes.items[group->nodes.n - 1]->op->kind == KIND_VIEW) split_writes(&joining, group);
    }
}

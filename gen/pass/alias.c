/* alias.c: views that need no code: whose elements lie in their input's memory in their own order.
 *
 * Whether a view is one is asked of its index rule alone: if the element at place p of the result is, for every p, the
 * element at place p + c of the input, the two share memory. So reshapes, squeezes, slices of the first dim and
 * whatever a user's own operator does alike cost nothing, and no operator is known here by name.
 */
#include "pass/inner.h"

#include "op/view.h"

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

/* The offsets of all results; NULL: at least one of them needs code. */
static SymRef *offsets_of(Graph *graph, const Node *node, Arena *arena) {
    RuleCall call = graph_call(graph, node);
    RuleTensor *outputs = ARENA_ARRAY(graph->rules.arena, RuleTensor, node->output_n + 1);
    if (!types_of(graph, node, &call, outputs)) return NULL;
    SymRef *offsets = ARENA_ARRAY(arena, SymRef, node->output_n + 1);
    for (uint32_t k = 0; k < node->output_n; k++) {
        /* A rule that cannot be answered here is for whoever writes the code to complain about. */
        Diags quiet, *loud = graph->rules.diags;
        diags_init(&quiet, graph->arena);
        graph->rules.diags = &quiet;
        sym_clear_fault(&graph->syms);
        offsets[k] = node->outputs[k] == NULL ? sym_int(&graph->syms, 0) : offset_of(graph, &call, outputs, k);
        graph->rules.diags = loud;
        sym_clear_fault(&graph->syms);
        if (offsets[k] == NULL) return NULL;
    }
    return offsets;
}

bool group_alias(Graph *graph, const Node *node, ViewMemory *memory, Groups *groups) {
    const OpDef *op = node->op;
    if (op->kind != KIND_VIEW || op->inputs.n != 1 || node->counts[0] != 1) return false;
    static SymRef none[1];
    Tensor *input = node->inputs[0][0];
    Name key = view_key(memory, node);
    SymRef *offsets = map_get(&memory->answers, key);
    if (offsets == NULL) {
        offsets = offsets_of(graph, node, memory->arena);
        map_set(&memory->answers, key, offsets == NULL ? none : offsets);
    }
    if (offsets == NULL || offsets == none) return false;
    Alias of = groups->aliases[input->number];
    for (uint32_t k = 0; k < node->output_n; k++) {
        if (node->outputs[k] == NULL) continue;
        SymRef offset = of.of == NULL ? offsets[k] : sym_add(&graph->syms, of.offset, offsets[k]);
        groups->aliases[node->outputs[k]->number] = (Alias){of.of == NULL ? input : of.of, offset};
    }
    return true;
}

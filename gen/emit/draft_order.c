/* draft_order.c: in which order a reduction behind views goes over its dims: so that the innermost loop walks through
 * memory in its own order, whatever views turned round before.
 */
#include "emit/draft.h"

/* Where in memory the element of a tensor stands, followed through the first input of each map; NULL: not told. */
static SymRef memory_place(Draft *draft, uint32_t tensor, const SymRef *index) {
    for (;;) {
        const DraftTensor *of = &draft->tensors.items[tensor];
        if (of->read) return sym_ravel(&draft->syms, index, of->type.shape);
        const DraftNode *node = &draft->nodes.items[of->by];
        if (node->node->op->kind == KIND_VIEW) {
            ViewSources sources;
            if (!view_sources(&draft->rules, &node->call, node->outputs, of->output, index, &sources) || sources.n == 0)
                return NULL;
            tensor = node->inputs[sources.items[0].input][sources.items[0].item];
            index = sources.items[0].index;
            continue;
        }
        uint32_t next = UINT32_MAX, rank = of->type.shape.rank;
        for (uint32_t i = 0; i < node->node->op->inputs.n && next == UINT32_MAX; i++)
            if (node->node->counts[i] > 0 && draft->tensors.items[node->inputs[i][0]].type.shape.rank == rank)
                next = node->inputs[i][0];
        if (next == UINT32_MAX) return NULL;
        index = draft_broadcast(draft, &draft->tensors.items[next].type.shape, index, rank);
        tensor = next;
    }
}

/* The dim along which neighbours are neighbours in memory; `rank`: none, or it cannot be told. */
static uint32_t nearest_dim(Draft *draft) {
    uint32_t rank = draft->sketch->over.rank;
    const DraftNode *anchor = draft->anchor;
    RuleShape shape = draft->tensors.items[anchor->inputs[0][0]].type.shape;
    SymRef *index = ARENA_ARRAY(draft->arena, SymRef, rank + 1), one = sym_int(&draft->syms, 1);
    Name *names = ARENA_ARRAY(draft->arena, Name, rank + 1);
    for (uint32_t d = 0; d < rank; d++) {
        names[d] = names_get(draft->plan->graph->names, str_format(draft->arena, "%%over%u", (unsigned)d));
        index[d] = sym_index(&draft->syms, names[d], shape.dims[d]);
    }
    SymRef place = memory_place(draft, anchor->inputs[0][0], index);
    for (uint32_t d = rank; place != NULL && d-- > 0;) {
        Map with;
        map_init(&with, draft->arena);
        map_set(&with, names[d], (void *)(uintptr_t)sym_add(&draft->syms, index[d], one));
        if (sym_sub(&draft->syms, sym_replace(&draft->syms, place, &with), place) == one) return d;
    }
    return rank;
}

void draft_order_dims(Draft *draft, uint32_t *order) {
    uint32_t rank = draft->sketch->over.rank;
    for (uint32_t d = 0; d < rank; d++)
        order[d] = d;
    bool views = false;
    for (uint32_t i = 0; i < draft->nodes.n; i++)
        views |= draft->nodes.items[i].node->op->kind == KIND_VIEW;
    if (!views || draft->tensors.items[draft->anchor->inputs[0][0]].type.shape.rank != rank) return;
    Diags quiet, *loud = draft->rules.diags;
    diags_init(&quiet, draft->arena);
    draft->rules.diags = &quiet;
    bool before = draft->syms.overflow;
    uint32_t inner = nearest_dim(draft);
    draft->rules.diags = loud;
    if (!before) sym_clear_fault(&draft->syms);
    /* Dims that are reduced keep their order, which positions among them are counted in. */
    for (uint32_t d = inner + 1; d < rank; d++)
        if (draft->sketch->reduced[inner] && draft->sketch->reduced[d]) return;
    if (inner >= rank) return;
    for (uint32_t d = inner; d + 1 < rank; d++)
        order[d] = d + 1;
    order[rank - 1] = inner;
}

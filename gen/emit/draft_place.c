/* draft_place.c: where elements of a tensor of a group lie, for code that reads many in a row.
 *
 * A pointer to the first of them is enough where the others follow one by one. What is in memory has one; what views
 * only move is looked for where they take it from; and of a view that puts several tensors together it is the pointer
 * into one of them, which is then chosen once a row and not once an element. Anything that is computed has none.
 */
#include "emit/draft.h"

/* An item of the index is a position that may be anywhere in its dim while questions are asked, and `from` in the code.
 */
typedef struct Row {
    Draft *draft;
    SymRef along, from;
    Map none, begin; /* the variable's name -> 0, and -> from */
} Row;

static SymRef at_none(Row *row, SymRef a) { return sym_replace(&row->draft->syms, a, &row->none); }

static Str at_begin(Row *row, SymRef a) {
    return draft_sym(row->draft, sym_replace(&row->draft->syms, a, &row->begin));
}

/* In memory: one position further along is one element further. */
static bool read_place(Row *row, uint32_t tensor, const SymRef *index, Str *out) {
    Draft *draft = row->draft;
    const DraftTensor *of = &draft->tensors.items[tensor];
    SymRef at = sym_ravel(&draft->syms, index, of->type.shape);
    if (sym_sub(&draft->syms, at, at_none(row, at)) != row->along) return false;
    *out = str_format(draft->arena, "&%S[%S]", of->name, at_begin(row, at));
    return true;
}

static bool find_place(Row *row, uint32_t tensor, const SymRef *index, uint32_t depth, Str *out);

/* A view asks for elements of its input as they are: without positions out of data, and with nothing to fill in. */
static bool view_place(Row *row, const DraftNode *node, uint32_t wanted, const SymRef *index, uint32_t depth,
                       Str *out) {
    Draft *draft = row->draft;
    const OpDef *op = node->node->op;
    ViewSources sources;
    for (uint32_t i = 0; i < op->inputs.n; i++)
        if (i >= op->indices.n || op->indices.items[i].value.expr == NULL) return false;
    if (!view_sources(&draft->rules, &node->call, node->outputs, wanted, index, &sources) || sources.n == 0)
        return false;
    bool always = sym_truth(sources.items[sources.n - 1].valid) == 1;
    if (op->fill.expr != NULL && !always) return false;
    for (uint32_t i = sources.n; i-- > 0;) {
        const ViewSource *source = &sources.items[i];
        uint32_t from = node->inputs[source->input][source->item];
        Str here;
        if (draft->tensors.items[from].type.dtype != node->outputs[wanted].dtype) return false;
        if (!find_place(row, from, source->index, depth - 1, &here)) return false;
        if (i + 1 == sources.n) { /* of the last one nobody needs to ask */
            *out = here;
            continue;
        }
        if (at_none(row, source->valid) != source->valid) return false; /* it would be another one on the way */
        *out = str_format(draft->arena, "%S ? %S : %S", at_begin(row, source->valid), here, *out);
    }
    if (sources.n > 1) *out = str_format(draft->arena, "(%S)", *out);
    return true;
}

static bool find_place(Row *row, uint32_t tensor, const SymRef *index, uint32_t depth, Str *out) {
    const DraftTensor *of = &row->draft->tensors.items[tensor];
    if (of->read) return read_place(row, tensor, index, out);
    DraftNode *node = &row->draft->nodes.items[of->by];
    if (depth == 0 || node->node->op->kind != KIND_VIEW) return false;
    return view_place(row, node, of->output, index, depth, out);
}

bool draft_place(Draft *draft, uint32_t tensor, const SymRef *index, SymRef along, SymRef from, Str *out) {
    enum { MOST_VIEWS = 8 };
    Row row = {.draft = draft, .along = along, .from = from};
    if (draft->syms.overflow || along->kind != SYM_VAR) return false;
    map_init(&row.none, draft->arena);
    map_init(&row.begin, draft->arena);
    map_set(&row.none, along->name, (void *)(uintptr_t)sym_int(&draft->syms, 0));
    map_set(&row.begin, along->name, (void *)(uintptr_t)from);
    Diags quiet, *loud = draft->rules.diags;
    diags_init(&quiet, draft->arena);
    draft->rules.diags = &quiet; /* a rule without an answer: it has no place */
    bool good = find_place(&row, tensor, index, MOST_VIEWS, out) && !draft->syms.overflow;
    draft->rules.diags = loud;
    sym_clear_fault(&draft->syms);
    return good;
}

/* place.c: where each tensor lies at run time.
 *
 * Tensors share memory where the graph allows: views that need no code lie in what they look at, and the result of an
 * in-place operator lies in the input that it changes, and the result of a map in an input that nobody reads
 * afterwards. What shares memory is a block, known by the tensor that began it. A block is an input's, a param's, an
 * output's, or a slot of the arena. Whatever has to be in two places is copied behind the last call: an output whose
 * value lies elsewhere, and the value of a mutable input that an operator had to change while others still wanted to
 * see it as it was. Any other input is the caller's alone, and nothing is ever written there.
 *
 * What is computed once for a set of weights and read in each run is kept with the weights, and nothing is ever written
 * over it: an output that is such a value is copied. What only leads there lies in an arena of its own.
 */
#include "emit/plan.h"

#define NO_CALL UINT32_MAX
#define NO_TENSOR UINT32_MAX
#define MOST_SLOT (INT64_C(1) << 46) /* bytes of a slot whose place has to be a number: as arena.c has it */

typedef struct Placer {
    Plan *plan;
    Arena *arena;
    Graph *graph;
    uint32_t *block;        /* by tensor: the tensor that its block is known by */
    SymRef *offset;         /* by tensor: elements behind the beginning of its block; NULL: none */
    uint32_t *view_of;      /* by tensor: what it is a view of before operators in place are looked at, or itself */
    uint32_t *last_read;    /* by that: the last call that reads any of its views, plus one; 0: none */
    bool *kept;             /* by that: it, or a view of it, is an output of the model */
    uint32_t *changes;      /* by tensor: the input that has to have its value in the end, or NO_TENSOR */
    uint32_t *written_back; /* by input: the tensor that has its value in the end and lies elsewhere, or NO_TENSOR */
    bool good;
} Placer;

static uint32_t *numbers(Arena *arena, size_t n, uint32_t all) {
    uint32_t *made = ARENA_ARRAY(arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++)
        made[i] = all;
    return made;
}

static SymRef plus(Placer *placer, SymRef a, SymRef b) {
    int64_t number;
    if (a == NULL)
        a = b;
    else if (b != NULL)
        a = sym_add(&placer->graph->syms, a, b);
    return a != NULL && sym_is_int(a, &number) && number == 0 ? NULL : a;
}

/* ---- sizes */
static bool fits(Placer *placer, Span at, Str what, Str name) {
    Syms *syms = &placer->graph->syms;
    if (!syms->overflow) return true;
    diag_error(placer->graph->diags, E_TOO_LARGE, at,
               syms->fault == SYM_TOO_LARGE ? "%S %Q is too large: its bytes do not fit 64 bits"
                                            : "%S %Q has a size that is too long an expression",
               what, name);
    sym_clear_fault(syms);
    return false;
}

static SymRef element_count(Placer *placer, const Tensor *tensor) {
    Syms *syms = &placer->graph->syms;
    int64_t number;
    /* A dim of 0 first: others may be as large as they like then. */
    for (uint32_t d = 0; d < tensor->type.shape.rank; d++)
        if (sym_is_int(tensor->type.shape.dims[d], &number) && number == 0) return tensor->type.shape.dims[d];
    SymRef count = sym_int(syms, 1);
    for (uint32_t d = 0; d < tensor->type.shape.rank; d++)
        count = sym_mul(syms, count, tensor->type.shape.dims[d]);
    return count;
}

/* Its memory is the weights': not for runs to write. */
static bool is_kept_with_weights(const Tensor *tensor) {
    return tensor->role == TENSOR_PARAM || (tensor->producer != NULL && tensor->producer->constant);
}

static bool same_size(Placer *placer, const Tensor *a, const Tensor *b) {
    Syms *syms = &placer->graph->syms;
    sym_clear_fault(syms);
    bool same = a->type.dtype == b->type.dtype && element_count(placer, a) == element_count(placer, b);
    same = same && !syms->overflow;
    sym_clear_fault(syms);
    return same;
}

static SymRef byte_count(Placer *placer, const Tensor *tensor) {
    Syms *syms = &placer->graph->syms;
    return sym_mul(syms, element_count(placer, tensor), sym_int(syms, dtype_size(tensor->type.dtype)));
}

static void begin(Placer *placer, Plan *plan) {
    Graph *graph = plan->graph;
    Arena *arena = plan->arena;
    uint32_t n = graph->tensors.n;
    *placer = (Placer){.plan = plan, .arena = arena, .graph = graph, .good = true};
    placer->block = numbers(arena, n, 0);
    placer->view_of = numbers(arena, n, 0);
    placer->last_read = numbers(arena, n, 0);
    placer->changes = numbers(arena, n, NO_TENSOR);
    placer->written_back = numbers(arena, n, NO_TENSOR);
    placer->offset = ARENA_ARRAY(arena, SymRef, n + 1);
    placer->kept = ARENA_ARRAY(arena, bool, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const Tensor *of = plan->groups->aliases[i].of;
        placer->view_of[i] = placer->block[i] = of == NULL ? i : of->number;
        placer->offset[i] = of == NULL ? NULL : plus(placer, plan->groups->aliases[i].offset, NULL);
    }
    for (uint32_t i = 0; i < graph->inputs.n; i++)
        if (graph->inputs.items[i]->is_mutable)
            placer->changes[graph->inputs.items[i]->number] = graph->inputs.items[i]->number;
    for (uint32_t i = 0; i < graph->outputs.n; i++)
        placer->kept[placer->view_of[graph->outputs.items[i]->number]] = true;
    for (uint32_t c = 0; c < plan->calls.n; c++) {
        const Call *call = &plan->calls.items[c];
        for (uint32_t i = 0; i < call->args.n; i++)
            if (call->args.items[i].kind == ARG_READ)
                placer->last_read[placer->view_of[call->args.items[i].tensor->number]] = c + 1;
    }
}

/* ---- operators in place */

/* Whether anything but the node itself that is computed with it looks at the tensor, which it may do at any place. */
static bool others_read(const Placer *placer, const Group *group, const Node *node, uint32_t source) {
    for (uint32_t g = 0; g < group->nodes.n; g++) {
        const Node *other = group->nodes.items[g];
        for (uint32_t i = 0; other != node && i < other->op->inputs.n; i++)
            for (uint32_t k = 0; k < other->counts[i]; k++)
                if (placer->view_of[other->inputs[i][k]->number] == source) return true;
    }
    return false;
}

/* Whether the result may lie where the input does: nobody asks for the old value any more, and the operator itself does
 * not read it at other places than it has just written. */
static bool may_share(Placer *placer, uint32_t c, const Node *node, const Tensor *from, const Tensor *result) {
    uint32_t source = placer->view_of[from->number];
    const Tensor *block = placer->graph->tensors.items[source];
    if (others_read(placer, placer->plan->calls.items[c].group, node, source)) return false;
    if (is_kept_with_weights(block) || (block->role == TENSOR_INPUT && !block->is_mutable)) return false;
    /* A view of an input is no input, so the input stays as it is; and so does what becomes its value. */
    if (from->number != source && placer->changes[source] != NO_TENSOR) return false;
    if (placer->last_read[source] > c + 1 || placer->kept[source] || !same_size(placer, from, result)) return false;
    uint32_t times = 0;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++) {
            const Tensor *read = node->inputs[i][k];
            if (placer->view_of[read->number] != source) continue;
            if (read != from) return false;
            times++;
        }
    /* A map reads each element where it writes it; what a kernel does with a second look is not known. */
    return times == 1 || node->op->kind == KIND_MAP;
}

static void place_result(Placer *placer, uint32_t c, const Node *node, const Tensor *from, const Tensor *result) {
    uint32_t input = placer->changes[from->number];
    placer->changes[result->number] = input;
    if (may_share(placer, c, node, from, result)) {
        uint32_t source = placer->view_of[from->number];
        placer->block[result->number] = placer->block[source];
        placer->offset[result->number] = source == from->number
                                             ? placer->offset[source]
                                             : plus(placer, placer->offset[source], placer->offset[from->number]);
    }
    if (input != NO_TENSOR)
        placer->written_back[input] = placer->block[result->number] == input ? NO_TENSOR : result->number;
}

/* Whether the group is maps alone, of which those that read `from` go over what it writes: then each element of `from`
 * is read where its place is written, and before. */
static bool reads_where_it_writes(const Group *group, const Tensor *from, const Tensor *result) {
    for (uint32_t g = 0; g < group->nodes.n; g++) {
        const Node *node = group->nodes.items[g];
        if (node->op->kind != KIND_MAP || node->op->mutates.n > 0) return false;
        bool reads = false;
        for (uint32_t i = 0; i < node->op->inputs.n; i++)
            for (uint32_t k = 0; k < node->counts[i]; k++)
                reads |= node->inputs[i][k] == from;
        for (uint32_t k = 0; reads && k < node->output_n; k++)
            if (node->outputs[k] == NULL || !rule_same_shape(node->outputs[k]->type.shape, result->type.shape))
                return false;
    }
    return rule_same_shape(from->type.shape, result->type.shape);
}

/* Whether what is read may go with this call: a step of the way whose last reader it is. */
static bool dies_here(const Placer *placer, uint32_t c, const Tensor *from) {
    const Call *call = &placer->plan->calls.items[c];
    uint32_t source = placer->view_of[from->number];
    const Tensor *tensor = placer->graph->tensors.items[source];
    if (tensor->role != TENSOR_RESULT || is_kept_with_weights(tensor)) return false;
    if (placer->changes[source] != NO_TENSOR || placer->kept[source] || placer->last_read[source] > c + 1) return false;
    for (uint32_t i = 0; i < call->args.n; i++) {
        const Tensor *other = call->args.items[i].tensor;
        if (other != NULL && other != from && placer->view_of[other->number] == source) return false;
    }
    return true;
}

/* The one result of a call of maps lies where one of its inputs was. */
static void take_place(Placer *placer, uint32_t c) {
    const Call *call = &placer->plan->calls.items[c];
    const Tensor *result = NULL;
    for (uint32_t i = 0; i < call->args.n; i++) {
        if (call->args.items[i].kind != ARG_WRITE) continue;
        if (result != NULL) return;
        result = call->args.items[i].tensor;
    }
    if (result == NULL || call->group == NULL || placer->block[result->number] != result->number) return;
    for (uint32_t i = 0; i < call->args.n; i++) {
        const Arg *arg = &call->args.items[i];
        if (arg->kind != ARG_READ) continue;
        uint32_t source = placer->view_of[arg->tensor->number];
        if (!dies_here(placer, c, arg->tensor) || !reads_where_it_writes(call->group, arg->tensor, result)) continue;
        if (!same_size(placer, placer->graph->tensors.items[source], result)) continue;
        placer->block[result->number] = placer->block[source];
        placer->offset[result->number] = placer->offset[source];
        return;
    }
}

/* The first result takes the place of the first input that is changed, and so on. */
static void place_in_place(Placer *placer) {
    for (uint32_t c = 0; c < placer->plan->calls.n; c++) {
        const Group *group = placer->plan->calls.items[c].group;
        for (uint32_t g = 0; group != NULL && g < group->nodes.n; g++) {
            const Node *node = group->nodes.items[g];
            const OpDef *op = node->op;
            for (uint32_t m = 0; m < op->mutates.n && m < node->output_n; m++)
                for (uint32_t i = 0; i < op->inputs.n; i++)
                    if (op->inputs.items[i].name == op->mutates.items[m] && node->counts[i] == 1 &&
                        node->outputs[m] != NULL)
                        place_result(placer, c, node, node->inputs[i][0], node->outputs[m]);
        }
        take_place(placer, c);
    }
    /* Views of results: their blocks are known now. */
    for (uint32_t i = 0; i < placer->graph->tensors.n; i++) {
        uint32_t of = placer->view_of[i];
        if (of == i || placer->block[of] == of) continue;
        placer->block[i] = placer->block[of];
        placer->offset[i] = plus(placer, placer->offset[of], placer->offset[i]);
    }
}

/* ---- outputs */
static TensorPlace place_of(const Placer *placer, const Tensor *tensor) {
    TensorPlace place = placer->plan->places[placer->block[tensor->number]];
    place.offset = placer->offset[tensor->number];
    return place;
}

static void add_copy(Placer *placer, const Tensor *tensor, TensorPlace to) {
    Syms *syms = &placer->graph->syms;
    sym_clear_fault(syms);
    SymRef bytes = byte_count(placer, tensor);
    *VEC_PUSH(placer->arena, &placer->plan->calls) = (Call){.copied = tensor, .to = to, .bytes = bytes};
    placer->good &= fits(placer, tensor->place, S("tensor"), name_str(tensor->name));
}

static void place_outputs(Placer *placer) {
    Graph *graph = placer->graph;
    for (uint32_t k = 0; k < graph->outputs.n; k++) {
        const Tensor *tensor = graph->outputs.items[k];
        const Tensor *block = graph->tensors.items[placer->block[tensor->number]];
        TensorPlace *place = &placer->plan->places[block->number], here = {PLACE_OUTPUT, k, NULL};
        if (place->kind == PLACE_NONE && placer->offset[tensor->number] == NULL && same_size(placer, block, tensor))
            *place = here;
        else
            add_copy(placer, tensor, here);
    }
    for (uint32_t i = 0; i < graph->inputs.n; i++) {
        uint32_t with = placer->written_back[graph->inputs.items[i]->number];
        if (with != NO_TENSOR) add_copy(placer, graph->tensors.items[with], (TensorPlace){PLACE_INPUT, i, NULL});
    }
}

/* ---- slots */
static SymRef rounded_up(Syms *syms, SymRef bytes) {
    SymRef unit = sym_int(syms, 64);
    return sym_mul(syms, sym_floordiv(syms, sym_add(syms, bytes, sym_int(syms, 63)), unit), unit);
}

/* plan: whose calls and slots they are, here and below: those of runs or those of fold. */
static uint32_t add_slot(Placer *placer, Plan *plan, SymRef bytes, uint32_t first, uint32_t last) {
    *VEC_PUSH(plan->arena, &plan->slots) =
        (Slot){.bytes = rounded_up(&placer->graph->syms, bytes), .first = first, .last = last};
    return plan->slots.n - 1;
}

static void use(Placer *placer, Plan *plan, const Tensor *tensor, uint32_t c) {
    Graph *graph = placer->graph;
    const Tensor *block = graph->tensors.items[placer->block[tensor->number]];
    TensorPlace *place = &placer->plan->places[block->number];
    if (place->kind == PLACE_SLOT) {
        plan->slots.items[place->at].last = c;
        return;
    }
    if (place->kind != PLACE_NONE) return;
    sym_clear_fault(&graph->syms);
    *place = (TensorPlace){PLACE_SLOT, add_slot(placer, plan, byte_count(placer, block), c, c), NULL};
    placer->good &= fits(placer, block->place, S("tensor"), name_str(block->name));
}

static void add_slots(Placer *placer, Plan *plan) {
    for (uint32_t c = 0; c < plan->calls.n; c++) {
        Call *call = &plan->calls.items[c];
        for (uint32_t i = 0; i < call->args.n; i++)
            if (call->args.items[i].tensor != NULL) use(placer, plan, call->args.items[i].tensor, c);
        if (call->copied != NULL) use(placer, plan, call->copied, c);
        if (call->workspace == NULL) continue;
        sym_clear_fault(&placer->graph->syms);
        call->workspace_slot = add_slot(placer, plan, call->workspace, c, c);
        Span at = call->group != NULL ? call->group->nodes.items[0]->place : (Span){0};
        placer->good &= fits(placer, at, S("the workspace of"), call->function != NULL ? call->function->uri : S(""));
    }
}

/* ---- what is kept with the weights */
static void keep(Placer *placer, const Tensor *tensor) {
    Plan *plan = placer->plan;
    const Tensor *block = placer->graph->tensors.items[placer->view_of[tensor->number]];
    TensorPlace *place = &plan->places[block->number];
    if (place->kind != PLACE_NONE || !is_kept_with_weights(block)) return;
    int64_t bytes = 0;
    sym_clear_fault(&placer->graph->syms);
    sym_is_int(byte_count(placer, block), &bytes); /* the pass marks only what has such a size */
    *place = (TensorPlace){PLACE_FOLDED, plan->folded.n, NULL};
    *VEC_PUSH(plan->arena, &plan->folded) = (Folded){block, plan->folded_bytes, bytes};
    plan->folded_bytes += (bytes + 63) / 64 * 64;
}

static void keep_folded(Placer *placer) {
    const Plan *plan = placer->plan;
    for (uint32_t c = 0; c < plan->calls.n; c++)
        for (uint32_t i = 0; i < plan->calls.items[c].args.n; i++)
            if (plan->calls.items[c].args.items[i].kind == ARG_READ)
                keep(placer, plan->calls.items[c].args.items[i].tensor);
    for (uint32_t i = 0; i < placer->graph->outputs.n; i++)
        keep(placer, placer->graph->outputs.items[i]);
}

/* Offsets in the arena of fold are numbers. */
static void check_fold_slots(Placer *placer) {
    const Plan *fold = placer->plan->fold;
    for (uint32_t i = 0; i < fold->slots.n; i++) {
        int64_t bytes;
        const Slot *slot = &fold->slots.items[i];
        if (sym_is_int(slot->bytes, &bytes) && bytes <= MOST_SLOT) continue;
        const Node *node = fold->calls.items[slot->first].group->nodes.items[0];
        diag_error(placer->graph->diags, E_TOO_LARGE, node->place,
                   "what op %Q needs to be computed once for a set of weights is too large", name_str(node->op->name));
        placer->good = false;
    }
}

bool plan_places(Plan *plan) {
    Placer placer;
    Graph *graph = plan->graph;
    plan->places = ARENA_ARRAY(plan->arena, TensorPlace, graph->tensors.n + 1);
    begin(&placer, plan);
    for (uint32_t i = 0; i < graph->inputs.n; i++)
        plan->places[graph->inputs.items[i]->number] = (TensorPlace){PLACE_INPUT, i, NULL};
    for (uint32_t i = 0; i < graph->params.n; i++)
        plan->places[graph->params.items[i]->number] = (TensorPlace){PLACE_PARAM, i, NULL};
    if (plan->fold != NULL) keep_folded(&placer);
    place_in_place(&placer);
    place_outputs(&placer);
    add_slots(&placer, plan);
    if (plan->fold != NULL) {
        plan->fold->places = plan->places;
        plan->fold->folded = plan->folded;
        add_slots(&placer, plan->fold);
        check_fold_slots(&placer);
    }
    for (uint32_t i = 0; i < graph->tensors.n; i++)
        if (placer.block[i] != i) plan->places[i] = place_of(&placer, graph->tensors.items[i]);
    for (uint32_t c = 0; c < plan->calls.n; c++) {
        Call *call = &plan->calls.items[c];
        if (call->copied != NULL) call->from = plan->places[call->copied->number];
    }
    return placer.good;
}

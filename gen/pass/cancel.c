/* cancel.c: the pass that removes what a chain of views and conversions does and undoes.
 *
 * A view is followed upwards, its index rules put into each other: where the element at every position is, whatever the
 * sizes, the one at the same position of a tensor further up, that tensor is read in its stead. So go two transposes,
 * a reshape and the way back, a slice of everything. A map goes whose expression, once attributes are known, is its
 * input and nothing else: a clone, a cast to the dtype that it has. Of two conversions the first is passed over where
 * its dtype holds every value of the one before.
 */
#include "pass/inner.h"

#include "op/view.h"

enum { CANCEL_MOST_VIEWS = 16, CANCEL_MOST_STEPS = 64, CANCEL_MOST_PLACES = 4096 };

/* Whether two places in a dim were found to be the same. */
typedef struct Told {
    SymRef index, at, size;
    bool same;
} Told;

typedef struct Cancel {
    Graph *graph;
    Arena *scratch; /* what is asked of one node; emptied before the next */
    Arena *remembered;
    uint32_t *changes;
    bool *changed; /* by Tensor.number: something takes its place, so it is not for others to read */
    Rules rules;   /* the graph's, in scratch, and nobody hears of what cannot be answered */
    Diags quiet;
    ViewMemory *steps; /* by view_key_at: a StepUp */
    Name *kinds; /* by Node.number: view_key of a view; NULL: not asked for yet. With room for nodes that are made */
    ViewMemory all_kinds;
    Told *told; /* what was asked last, each where its hash puts it, in so many places */
    uint32_t places;
} Cancel;

/* Where a view reads a position. */
typedef struct StepUp {
    uint32_t input, item;
    SymRef *index; /* NULL: of several tensors, or not at every position, or it cannot be told */
} StepUp;

void node_drop(Arena *scratch, Graph *graph, Node *node, uint32_t *changes) {
    VEC(Node *) left = {0};
    *VEC_PUSH(scratch, &left) = node;
    while (left.n > 0) {
        node = left.items[--left.n];
        if (node->number == UINT32_MAX || !node_is_dead(node)) continue;
        graph_remove(graph, node);
        ++*changes;
        for (uint32_t i = 0; i < node->op->inputs.n; i++)
            for (uint32_t k = 0; k < node->counts[i]; k++) {
                const Tensor *read = node->inputs[i][k];
                if (read->producer != NULL && read->uses.n == 0) *VEC_PUSH(scratch, &left) = read->producer;
            }
    }
}

void tensor_give_way(Graph *graph, Tensor *old, Tensor *with) {
    bool named = old->output && !with->output && with->role == TENSOR_RESULT;
    graph_replace(graph, old, with);
    if (named) return; /* graph_replace did */
    Name name = old->name;
    old->name = with->name;
    with->name = name;
}

/* ---- a node as rules see it */

static RuleCall call_of(Cancel *cancel, const Node *node) {
    const OpDef *op = node->op;
    RuleCall call = {.op = op, .counts = node->counts, .attrs = node->attrs, .node = node->place};
    const RuleTensor **inputs = ARENA_ARRAY(cancel->scratch, const RuleTensor *, op->inputs.n + 1);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        RuleTensor *types = ARENA_ARRAY(cancel->scratch, RuleTensor, node->counts[i] + 1);
        for (uint32_t k = 0; k < node->counts[i]; k++)
            types[k] = node->inputs[i][k]->type;
        inputs[i] = types;
    }
    call.inputs = inputs;
    return call;
}

static bool same_type(const Tensor *a, const Tensor *b) {
    return a->type.dtype == b->type.dtype && rule_same_shape(a->type.shape, b->type.shape);
}

/* ---- views */

static bool is_view(const Tensor *tensor) {
    const Node *node = tensor->producer;
    return node != NULL && node->op->kind == KIND_VIEW && node->op->mutates.n == 0;
}

/* The tensor that a view reads, if it can read but one. */
static const Tensor *only_input(const Node *node) {
    const Tensor *only = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->counts[i]; k++, n++)
            only = node->inputs[i][k];
    return n == 1 ? only : NULL;
}

/* Whether any tensor above is of this one's type: what is to be known before rules are asked. */
static bool may_undo(const Tensor *tensor) {
    const Tensor *at = tensor;
    for (uint32_t i = 0; i < CANCEL_MOST_VIEWS && is_view(at); i++) {
        at = only_input(at->producer);
        if (at == NULL || same_type(at, tensor)) return true;
    }
    return false;
}

static StepUp find_step_up(Cancel *cancel, const Tensor *tensor, const SymRef *at) {
    const Node *node = tensor->producer;
    const StepUp none = {0, 0, NULL};
    RuleCall call = call_of(cancel, node);
    RuleTensor *outputs = ARENA_ARRAY(cancel->scratch, RuleTensor, node->output_n + 1);
    outputs[tensor->index] = tensor->type;
    ViewSources sources;
    sym_clear_fault(&cancel->graph->syms);
    if (!view_sources(&cancel->rules, &call, outputs, tensor->index, at, &sources)) return none;
    if (cancel->graph->syms.overflow || sources.n != 1 || sym_truth(sources.items[0].valid) != 1) return none;
    const ViewSource *source = &sources.items[0];
    const Tensor *read = node->inputs[source->input][source->item];
    if (read->type.dtype != tensor->type.dtype) return none;
    const uint32_t rank = read->type.shape.rank;
    SymRef *index = ARENA_ARRAY(cancel->steps->arena, SymRef, rank + 1);
    if (rank > 0) memcpy(index, source->index, rank * sizeof *index);
    return (StepUp){source->input, source->item, index};
}

/* Where the view that makes the tensor reads the element `at`. */
static bool step_up(Cancel *cancel, Tensor **tensor, const SymRef **at) {
    const Node *node = (*tensor)->producer;
    Name *kind = &cancel->kinds[node->number];
    if (*kind == NULL) *kind = view_key(&cancel->all_kinds, node);
    Name key = view_key_at(cancel->steps, *kind, (*tensor)->index, *at, (*tensor)->type.shape.rank);
    const StepUp *step = map_get(&cancel->steps->answers, key);
    if (step == NULL) {
        StepUp *found = ARENA_NEW(cancel->steps->arena, StepUp);
        *found = find_step_up(cancel, *tensor, *at);
        map_set(&cancel->steps->answers, key, found);
        step = found;
    }
    if (step->index == NULL) return false;
    *tensor = node->inputs[step->input][step->item];
    *at = step->index;
    return true;
}

/* What broadcasts where it has to says so even where it need not: 0 if the size is 1. */
static bool is_same_place(Syms *syms, SymRef index, SymRef at, SymRef size) {
    if (index == at || sym_truth(sym_eq(syms, index, at)) == 1) return true;
    return index == sym_select(syms, sym_eq(syms, size, sym_int(syms, 1)), sym_int(syms, 0), at);
}

static bool is_identity(Cancel *cancel, const SymRef *index, const SymRef *at, RuleShape shape) {
    Syms *syms = &cancel->graph->syms;
    for (uint32_t d = 0; d < shape.rank; d++) {
        uintptr_t mixed = ((uintptr_t)index[d] * 31 + (uintptr_t)at[d]) * 31 + (uintptr_t)shape.dims[d];
        Told *told = &cancel->told[(mixed >> 4) % cancel->places];
        if (told->index != index[d] || told->at != at[d] || told->size != shape.dims[d]) {
            bool same = is_same_place(syms, index[d], at[d], shape.dims[d]);
            if (syms->overflow) return false;
            *told = (Told){index[d], at[d], shape.dims[d], same};
        }
        if (!told->same) return false;
    }
    return true;
}

/* What has the tensor's elements at the same places; NULL: no tensor above. */
static Tensor *viewed(Cancel *cancel, Tensor *tensor) {
    Graph *graph = cancel->graph;
    RuleShape shape = tensor->type.shape;
    SymRef *at = ARENA_ARRAY(cancel->scratch, SymRef, shape.rank + 1);
    for (uint32_t d = 0; d < shape.rank; d++)
        at[d] = sym_index(&graph->syms, names_get(graph->names, str_format(cancel->scratch, "%%%u", (unsigned)d)),
                          shape.dims[d]);
    Tensor *up = tensor;
    const SymRef *index = at;
    for (uint32_t i = 0; i < CANCEL_MOST_VIEWS && is_view(up); i++) {
        if (!step_up(cancel, &up, &index)) return NULL;
        if (same_type(up, tensor) && is_identity(cancel, index, at, shape)) return up;
    }
    return NULL;
}

/* ---- maps */

static int input_of(const OpDef *op, Name name) {
    for (uint32_t i = 0; i < op->inputs.n; i++)
        if (op->inputs.items[i].name == name) return (int)i;
    return -1;
}

/* Whether an expression asks for an element, which no rule knows. Of tensors it may ask for shapes and the like. */
typedef struct Asks {
    const OpDef *op;
    bool element;
} Asks;

static bool is_call_of(const Expr *e, const char *function) {
    return e->kind == X_CALL && e->as.call.a->kind == X_NAME &&
           str_eq(name_str(e->as.call.a->as.name), str_c(function));
}

static void look_for_element(void *user, const Expr *e) {
    Asks *asks = user;
    if (e->kind == X_ATTR && e->as.attr.a->kind == X_NAME) return;
    if (is_call_of(e, "is_none") && e->as.call.args.n == 1 && e->as.call.args.args[0]->kind == X_NAME) return;
    if (e->kind == X_NAME && input_of(asks->op, e->as.name) >= 0) asks->element = true;
    for (uint32_t i = 0; e->kind == X_NAME && i < asks->op->let.n; i++)
        if (asks->op->let.items[i].name == e->as.name) asks->element = true;
    ast_each(e, look_for_element, user);
}

bool rule_of_elements(Rules *rules, const OpDef *op, const OpExpr *of, const Expr *e, const RuleScope *scope,
                      RuleValue *value) {
    Asks asks = {op, false};
    look_for_element(&asks, e);
    OpExpr expr = {(Expr *)(uintptr_t)e, of->source};
    return !asks.element && rule_eval(rules, &expr, scope, value);
}

/* 1, 0, or -1 where it is not known. */
static int decided(const RuleValue *value) {
    switch (value->kind) {
    case RULE_NONE:
        return 0;
    case RULE_BOOL:
    case RULE_INT:
        return sym_truth(value->as.i);
    default:
        return -1;
    }
}

/* A function that leaves elements of this dtype as they are. */
static bool leaves(const Expr *e, Dtype dtype) {
    static const char *const rounding[] = {"ceil", "floor", "round", "trunc"};
    if (is_call_of(e, "float")) return dtype_is_float(dtype);
    for (size_t i = 0; i < sizeof rounding / sizeof *rounding; i++)
        if (is_call_of(e, rounding[i])) return dtype_is_int(dtype);
    return false;
}

/* Which input's elements make output k, with no more done to them than a conversion to its dtype; -1: none's. */
static int passed_on(Cancel *cancel, const RuleCall *call, const RuleTensor *output, uint32_t k) {
    const OpDef *op = call->op;
    const OpExpr *of = &op->body.items[k].value;
    const RuleScope *scope = NULL;
    Dtype target = output->dtype, through = DT_COUNT; /* what is converted to on the way */
    bool integers = false, floats = false;            /* what it takes for such */
    Expr *e = of->expr;
    for (uint32_t step = 0; step < CANCEL_MOST_STEPS && e != NULL; step++) {
        RuleValue value;
        if (e->kind == X_NAME) {
            int input = input_of(op, e->as.name);
            if (input >= 0) {
                if (op->inputs.items[input].list || call->counts[input] != 1) return -1;
                Dtype dtype = call->inputs[input][0].dtype;
                if ((integers && !dtype_is_int(dtype)) || (floats && !dtype_is_float(dtype))) return -1;
                if (through != DT_COUNT && through != dtype && through != target) return -1;
                return input;
            }
            const OpExpr *let = NULL;
            for (uint32_t i = 0; i < op->let.n; i++)
                if (op->let.items[i].name == e->as.name) let = &op->let.items[i].value;
            if (let == NULL) return -1;
            of = let, e = let->expr;
            continue;
        }
        if (scope == NULL) scope = rule_scope(&cancel->rules, call, NULL);
        if (e->kind == X_COND) {
            if (!rule_of_elements(&cancel->rules, op, of, e->as.cond.test, scope, &value) || decided(&value) < 0)
                return -1;
            e = decided(&value) ? e->as.cond.a : e->as.cond.b;
        } else if (is_call_of(e, "cast") && e->as.call.args.n == 2) {
            if (!rule_of_elements(&cancel->rules, op, of, e->as.call.args.args[1], scope, &value) ||
                value.kind != RULE_DTYPE)
                return -1;
            if (through != DT_COUNT && through != value.as.dtype) return -1;
            through = value.as.dtype;
            e = e->as.call.args.args[0];
        } else if (e->kind == X_CALL && e->as.call.args.n == 1 && (leaves(e, DT_I32) || leaves(e, DT_F32))) {
            integers |= leaves(e, DT_I32), floats |= leaves(e, DT_F32);
            e = e->as.call.args.args[0];
        } else {
            return -1;
        }
    }
    return -1;
}

/* The tensor whose elements, converted at most, are the node's result k; NULL: there is none of its shape. */
static Tensor *source_of(Cancel *cancel, const Node *node, uint32_t k) {
    if (node->op->kind != KIND_MAP || node->op->mutates.n > 0 || node->output_n != node->op->body.n) return NULL;
    if (node->scalars != NULL) return NULL;
    const Tensor *result = node->outputs[k];
    /* Most maps compute: that can be seen before anything is asked. */
    ExprKind kind = node->op->body.items[k].value.expr->kind;
    if (kind != X_NAME && kind != X_COND && kind != X_CALL) return NULL;
    RuleCall call = call_of(cancel, node);
    int input = passed_on(cancel, &call, &result->type, k);
    if (input < 0) return NULL;
    Tensor *source = node->inputs[input][0];
    if (!rule_same_shape(source->type.shape, result->type.shape)) return NULL;
    if (only_input(node) == source) return source;
    /* Among others it is computed as what all of them promote to. */
    const RuleScope *scope = rule_scope(&cancel->rules, &call, NULL);
    bool own = source->type.dtype == result->type.dtype &&
               rule_input_dtype(&cancel->rules, &call, (uint32_t)input, scope) == source->type.dtype;
    return own ? source : NULL;
}

/* ---- conversions */

/* Whether every value of the one is one of the other; of NaN, that it is one. */
static bool holds(Dtype middle, Dtype first) {
    static const unsigned digits[DT_COUNT] = {
        [DT_BOOL] = 1, [DT_U8] = 8,   [DT_I8] = 7,   [DT_U16] = 16, [DT_I16] = 15, [DT_U32] = 32, [DT_I32] = 31,
        [DT_U64] = 64, [DT_I64] = 63, [DT_F16] = 11, [DT_BF16] = 8, [DT_F32] = 24, [DT_F64] = 53};
    if (middle == first) return true;
    if (dtype_is_float(first)) return dtype_is_float(middle) && digits[middle] > digits[first] && middle >= DT_F32;
    if (middle == DT_BOOL) return false;
    if (dtype_is_int(middle) && dtype_is_signed(first) && !dtype_is_signed(middle)) return false;
    return digits[middle] >= digits[first];
}

/* Whether a -> middle -> last is what a -> last is. */
static bool may_pass_over(Dtype a, Dtype middle, Dtype last) {
    if (!holds(middle, a)) return false;
    if (!dtype_is_float(middle) || !dtype_is_int(last)) return true;
    /* What a float out of range becomes as an integer is the backend's, for each dtype that it computes in. */
    return dtype_is_float(a) ? dtype_compute(a) == dtype_compute(middle) : holds(last, a);
}

/* The same operator over the first tensor of the chain, where it means the same there. */
static bool convert_from(Cancel *cancel, const Node *node, Tensor *result, Tensor *first) {
    Graph *graph = cancel->graph;
    const OpDef *op = node->op;
    RuleTensor *types = ARENA_ARRAY(cancel->scratch, RuleTensor, node->output_n + 1);
    RuleChecks checks = {NULL, 0, 0};
    RuleCall call = call_of(cancel, node);
    if (only_input(node) == NULL || node->output_n != 1) return false;
    uint32_t input = 0;
    while (node->counts[input] == 0)
        input++;
    ((RuleTensor *)(uintptr_t)call.inputs[input])[0] = first->type; /* ours: made by call_of */
    call.checks = &checks;
    if (!rule_infer(&cancel->rules, &call, types, ARENA_ARRAY(cancel->scratch, Dtype, op->types.n + 1))) return false;
    if (checks.n > 0 || types[0].dtype != result->type.dtype || !rule_same_shape(types[0].shape, result->type.shape) ||
        passed_on(cancel, &call, &types[0], 0) != (int)input)
        return false;
    Tensor ***inputs = ARENA_ARRAY(cancel->scratch, Tensor **, op->inputs.n + 1);
    inputs[input] = &first;
    Node *direct = graph_node(graph, op, inputs, node->counts, node->attrs, NULL, node->place);
    if (direct == NULL) return false;
    direct->origin = node->origin;
    cancel->changed[direct->outputs[0]->number] = cancel->changed[result->number];
    tensor_give_way(graph, result, direct->outputs[0]);
    return true;
}

/* ---- all of it */

/* Reads `same` where the result was read. */
static bool pass_over(Cancel *cancel, Tensor *result, Tensor *same) {
    if (same == NULL || cancel->changed[result->number] || cancel->changed[same->number]) return false;
    graph_replace(cancel->graph, result, same);
    return true;
}

/* Whether nobody reads the node's result k any more. */
static bool look_at(Cancel *cancel, Node *node, uint32_t k) {
    Tensor *result = node->outputs[k];
    if (node->op->kind == KIND_VIEW)
        return is_view(result) && may_undo(result) && pass_over(cancel, result, viewed(cancel, result));
    Tensor *source = source_of(cancel, node, k);
    if (source == NULL) return false;
    Dtype dtype = result->type.dtype;
    if (source->type.dtype == dtype) return pass_over(cancel, result, source);
    Tensor *first = source->producer == NULL ? NULL : source_of(cancel, source->producer, source->index);
    if (first == NULL || cancel->changed[first->number]) return false;
    if (!may_pass_over(first->type.dtype, source->type.dtype, dtype)) return false;
    return first->type.dtype == dtype ? pass_over(cancel, result, first) : convert_from(cancel, node, result, first);
}

static void run(Arena *scratch, void *data) {
    Cancel *cancel = data;
    Graph *graph = cancel->graph;
    ViewMemory steps;
    view_memory_init(&steps, cancel->remembered);
    cancel->steps = &steps;
    cancel->scratch = scratch;
    cancel->places = graph->nodes.n < CANCEL_MOST_PLACES / 8 ? 8 * graph->nodes.n + 8 : CANCEL_MOST_PLACES;
    cancel->told = ARENA_ARRAY(scratch, Told, cancel->places);
    cancel->kinds = ARENA_ARRAY(scratch, Name, 2 * (size_t)graph->nodes.n + 1);  /* each may get another for itself */
    cancel->changed = changed_tensors(scratch, graph, 2 * graph->tensors.n + 1); /* each may get another for itself */
    ArenaMark mark = arena_mark(scratch);
    uint32_t n = graph->nodes.n;
    for (uint32_t i = 0; i < n; i++) {
        Node *node = graph->nodes.items[i];
        if (node == NULL || (node->op->kind != KIND_VIEW && node->op->kind != KIND_MAP)) continue;
        arena_reset(scratch, mark);
        view_memory_trim(cancel->steps);
        diags_init(&cancel->quiet, scratch);
        cancel->rules = (Rules){.arena = scratch, .names = graph->names, .syms = &graph->syms, .diags = &cancel->quiet};
        bool less = false;
        for (uint32_t k = 0; k < node->output_n; k++)
            if (node->outputs[k] != NULL && (node->outputs[k]->uses.n > 0 || node->outputs[k]->output))
                less |= look_at(cancel, node, k);
        if (less) node_drop(scratch, graph, node, cancel->changes);
        sym_clear_fault(&graph->syms);
    }
}

static void run_with_steps(Arena *remembered, void *data) {
    Cancel *cancel = data;
    cancel->remembered = remembered;
    arena_with_scratch(remembered, run, data);
}

static void run_with_kinds(Arena *remembered, void *data) {
    Cancel *cancel = data;
    view_memory_init(&cancel->all_kinds, remembered);
    arena_with_scratch(remembered, run_with_steps, data);
}

bool pass_cancel(Graph *graph, uint32_t *changes) {
    Cancel cancel = {.graph = graph, .changes = changes};
    arena_with_scratch(graph->arena, run_with_kinds, &cancel);
    return true;
}

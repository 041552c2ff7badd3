/* draft.c: a group with its sizes as variables: tensors, nodes, sizes, holes, and what the loops go over. */
#include "emit/draft.h"

static Name make_name(Draft *draft, const char *format, uint32_t i) {
    return names_get(draft->plan->graph->names, str_format(draft->arena, format, (unsigned)i));
}

/* A size may be 0 where the model lets it, and what is 2 or more is never 1. */
static SymRef class_var(Draft *draft, Name name, SymRef model) {
    int64_t low = model->low >= 2 ? 2 : model->low >= 1 ? 1 : 0;
    return sym_var(&draft->syms, name, low, (int64_t)1 << 40);
}

static SymRef class_sym(Draft *draft, int32_t class) {
    if (class < 0) return sym_int(&draft->syms, class == CLASS_ONE);
    return draft->class_vars[class];
}

static RuleShape shape_of(Draft *draft, const DraftShape *shape) {
    RuleShape out = {ARENA_ARRAY(draft->arena, SymRef, shape->rank + 1), shape->rank};
    for (uint32_t d = 0; d < shape->rank; d++)
        out.dims[d] = class_sym(draft, shape->classes[d]);
    return out;
}

/* What templates declare has names of its own, among which a model's could be. */
Name draft_dim_name(Plan *plan, Name dim) {
    return names_get(plan->graph->names, str_format(plan->arena, "dim_%S", name_str(dim)));
}

/* In the model's own terms: its named dims are the variables, and come as arguments. */
static void exact_dims(Draft *draft, Map *with) {
    map_init(with, draft->arena);
    Graph *graph = draft->plan->graph;
    for (uint32_t i = 0; i < graph->dims.n; i++) {
        const GraphDim *dim = &graph->dims.items[i];
        map_set(with, dim->name,
                (void *)(uintptr_t)sym_var(&draft->syms, draft_dim_name(draft->plan, dim->name), dim->min, dim->max));
    }
}

static void begin_syms(Draft *draft, Name *names) {
    syms_init(&draft->syms, draft->arena);
    Graph *graph = draft->plan->graph;
    draft->rules = (Rules){.arena = draft->arena, .names = graph->names, .syms = &draft->syms, .diags = graph->diags};
    uint32_t n = draft->sketch->model.n;
    draft->class_names = names;
    draft->class_vars = ARENA_ARRAY(draft->arena, SymRef, n + 1);
    if (draft->sketch->exact) exact_dims(draft, &draft->dim_vars);
    for (uint32_t i = 0; i < n; i++)
        draft->class_vars[i] = draft->sketch->exact
                                   ? sym_replace(&draft->syms, draft->sketch->model.items[i], &draft->dim_vars)
                                   : class_var(draft, names[i], draft->sketch->model.items[i]);
}

/* ---- tensors and nodes */
static uint32_t find_tensor(const Draft *draft, const Tensor *tensor) {
    for (uint32_t i = 0; i < draft->tensors.n; i++)
        if (draft->tensors.items[i].tensor == tensor) return i;
    return UINT32_MAX;
}

static RuleShape over_shape(Draft *draft, bool kept_alone) {
    const DraftShape *over = &draft->sketch->over;
    RuleShape shape = {ARENA_ARRAY(draft->arena, SymRef, over->rank + 1), 0};
    for (uint32_t d = 0; d < over->rank; d++)
        if (!kept_alone || !draft->sketch->reduced[d]) shape.dims[shape.rank++] = class_sym(draft, over->classes[d]);
    return shape;
}

/* The same with the size 1 in the place of what is reduced. */
static RuleShape along_shape(Draft *draft) {
    RuleShape shape = over_shape(draft, false);
    for (uint32_t d = 0; d < shape.rank; d++)
        if (draft->sketch->reduced[d]) shape.dims[d] = sym_int(&draft->syms, 1);
    return shape;
}

/* The shape of what an operator makes whose opdef says it (arange, full): the last of the dims that are gone over,
 * which it broadcasts to. Where these were merged nobody asks for positions in it. */
static RuleShape own_part(Draft *draft, const Node *node) {
    RuleShape over = over_shape(draft, false);
    const Tensor *made = node->outputs[0];
    if (draft->sketch->merged || made == NULL || made->type.shape.rank > over.rank) return over;
    RuleShape shape = {over.dims + (over.rank - made->type.shape.rank), made->type.shape.rank};
    for (uint32_t d = 0; d < shape.rank; d++) {
        int64_t size;
        if (sym_is_int(made->type.shape.dims[d], &size) && size == 1) shape.dims[d] = sym_int(&draft->syms, 1);
    }
    return shape;
}

static bool infer_map(Draft *draft, const Node *node, const RuleCall *call, RuleTensor *outputs) {
    RuleShape *shapes = ARENA_ARRAY(draft->arena, RuleShape, node->op->inputs.n + 1), shape = over_shape(draft, false);
    uint32_t n = 0, wrong;
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        if (call->counts[i] > 0 && call->inputs[i][0].dtype != DT_COUNT) shapes[n++] = call->inputs[i][0].shape;
    bool own = node->op->outputs.items[0].shape.expr != NULL || node->op->outputs.items[0].rank.expr != NULL;
    if ((draft->sketch->form == FORM_VIEW || draft->sketch->form == FORM_KERNEL) && own)
        return rule_infer(&draft->rules, call, outputs, node->types);
    bool fits = own || n == 0 || rule_broadcast(&draft->rules, shapes, n, &shape, &wrong);
    if (own) shape = own_part(draft, node);
    for (uint32_t k = 0; k < node->output_n; k++) {
        Dtype dtype = node->outputs[k] != NULL ? node->outputs[k]->type.dtype : DT_COUNT;
        outputs[k] = (RuleTensor){dtype, shape};
    }
    return fits;
}

static bool infer_node(Draft *draft, const Node *node, RuleCall *call, RuleTensor *outputs) {
    RuleChecks checks = {NULL, 0, 0}; /* the graph has them */
    call->checks = &checks;
    Dtype *types = ARENA_ARRAY(draft->arena, Dtype, node->op->types.n + 1);
    bool good = true;
    if (node->op->kind == KIND_MAP) {
        good = infer_map(draft, node, call, outputs);
    } else if (node->op->kind == KIND_REDUCE && draft->sketch->form == FORM_REDUCE) {
        for (uint32_t k = 0; k < node->output_n; k++)
            outputs[k] = (RuleTensor){node->outputs[k] != NULL ? node->outputs[k]->type.dtype : DT_COUNT,
                                      draft->sketch->along ? along_shape(draft) : over_shape(draft, true)};
    } else {
        good = rule_infer(&draft->rules, call, outputs, types);
    }
    call->checks = NULL;
    return good && !draft->syms.overflow;
}

/* What of an attribute is an integer belongs to the graph's Syms, and becomes one of others. */
static bool attr_in(Arena *arena, Syms *syms, const Map *with, const RuleValue *from, RuleValue *to) {
    *to = *from;
    int64_t number;
    switch (from->kind) {
    case RULE_INT:
    case RULE_BOOL:
        if (sym_is_int(from->as.i, &number)) {
            to->as.i = sym_int(syms, number);
            return true;
        }
        if (with != NULL) to->as.i = sym_replace(syms, from->as.i, with);
        return with != NULL;
    case RULE_LIST:
        to->as.list.items = ARENA_ARRAY(arena, RuleValue, from->as.list.n + 1);
        for (uint32_t i = 0; i < from->as.list.n; i++)
            if (!attr_in(arena, syms, with, &from->as.list.items[i], &to->as.list.items[i])) return false;
        return true;
    default:
        return true;
    }
}

const RuleValue *draft_attrs(Arena *arena, Syms *syms, const Map *with, const Node *node) {
    uint32_t n = node->op->attrs.n;
    RuleValue *attrs = ARENA_ARRAY(arena, RuleValue, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (!attr_in(arena, syms, with, &node->attrs[i], &attrs[i])) return NULL;
    return attrs;
}

static bool add_node(Draft *draft, const Node *node) {
    const OpDef *op = node->op;
    DraftNode *made = VEC_PUSH(draft->arena, &draft->nodes);
    *made = (DraftNode){.node = node};
    const RuleTensor **inputs = ARENA_ARRAY(draft->arena, const RuleTensor *, op->inputs.n + 1);
    made->inputs = ARENA_ARRAY(draft->arena, uint32_t *, op->inputs.n + 1);
    uint32_t *counts = ARENA_ARRAY(draft->arena, uint32_t, op->inputs.n + 1);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        RuleTensor *types = ARENA_ARRAY(draft->arena, RuleTensor, node->counts[i] + 1);
        const RuleScalar *scalar = graph_scalar(node, i);
        counts[i] = scalar != NULL ? 1 : node->counts[i];
        if (scalar != NULL) types[0].dtype = scalar->dtype;
        made->inputs[i] = ARENA_ARRAY(draft->arena, uint32_t, node->counts[i] + 1);
        for (uint32_t k = 0; k < node->counts[i]; k++) {
            made->inputs[i][k] = find_tensor(draft, node->inputs[i][k]);
            types[k] = draft->tensors.items[made->inputs[i][k]].type;
        }
        inputs[i] = types;
    }
    const RuleValue *attrs =
        draft_attrs(draft->arena, &draft->syms, draft->sketch->exact ? &draft->dim_vars : NULL, node);
    if (attrs == NULL) return false;
    made->call = (RuleCall){.op = op, .inputs = inputs, .counts = counts, .attrs = attrs, .node = node->place};
    made->call.scalars = node->scalars;
    made->call.types = node->types; /* ranks, on which they depend, are not kept here */
    made->outputs = ARENA_ARRAY(draft->arena, RuleTensor, node->output_n + 1);
    made->results = ARENA_ARRAY(draft->arena, uint32_t, node->output_n + 1);
    if (!infer_node(draft, node, &made->call, made->outputs)) return false;
    made->scope = rule_scope(&draft->rules, &made->call, made->outputs);
    for (uint32_t k = 0; k < node->output_n; k++) {
        made->results[k] = draft->tensors.n;
        DraftTensor *tensor = VEC_PUSH(draft->arena, &draft->tensors);
        *tensor =
            (DraftTensor){.tensor = node->outputs[k], .type = made->outputs[k], .by = draft->nodes.n - 1, .output = k};
    }
    return true;
}

static bool add_nodes(Draft *draft) {
    const Group *group = draft->group;
    draft->tensors.n = draft->nodes.n = draft->writes.n = 0;
    for (uint32_t i = 0; i < group->reads.n; i++) {
        RuleTensor type = {group->reads.items[i]->type.dtype, shape_of(draft, &draft->sketch->reads[i])};
        *VEC_PUSH(draft->arena, &draft->tensors) = (DraftTensor){
            .tensor = group->reads.items[i], .type = type, .name = name_str(make_name(draft, "x%u", i)), .read = true};
    }
    for (uint32_t i = 0; i < group->nodes.n; i++)
        if (!add_node(draft, group->nodes.items[i])) return false;
    for (uint32_t i = 0; i < draft->nodes.n; i++)
        if (draft->nodes.items[i].node == group->anchor) draft->anchor = &draft->nodes.items[i];
    for (uint32_t i = 0; i < group->writes.n; i++) {
        uint32_t tensor = find_tensor(draft, group->writes.items[i]);
        draft->tensors.items[tensor].name = name_str(make_name(draft, "y%u", i));
        *VEC_PUSH(draft->arena, &draft->writes) = tensor;
    }
    return true;
}

/* ---- sizes and holes of a kernel */
static bool add_sizes(Draft *draft) {
    DraftNode *anchor = draft->anchor;
    const OpDef *op = anchor->node->op;
    draft->sizes.n = 0;
    for (uint32_t i = 0; i < op->sizes.n; i++) {
        RuleValue value;
        if (!rule_eval(&draft->rules, &op->sizes.items[i].value, anchor->scope, &value)) return false;
        if (value.kind != RULE_INT && value.kind != RULE_BOOL) {
            const OpExpr *expr = &op->sizes.items[i].value;
            diag_error(draft->rules.diags, E_RULE, span(expr->source, expr->expr->from, expr->expr->to),
                       "a size is an integer");
            return false;
        }
        *VEC_PUSH(draft->arena, &draft->sizes) = (DraftSize){op->sizes.items[i].name, value.as.i, S("")};
        RuleScope *scope = ARENA_NEW(draft->arena, RuleScope);
        *scope = (RuleScope){(RuleScope *)(uintptr_t)anchor->scope, op->sizes.items[i].name, value};
        anchor->scope = scope;
    }
    return true;
}

/* Variables that a size is take its name. False: none did. */
static bool rename_classes(Draft *draft, Name *names) {
    bool renamed = false;
    uint32_t n = draft->sketch->model.n;
    bool *taken = ARENA_ARRAY(draft->arena, bool, n + 1);
    for (uint32_t i = 0; i < draft->sizes.n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            if (draft->class_vars[k] != draft->sizes.items[i].value || taken[k]) continue;
            names[k] = draft->sizes.items[i].name;
            taken[k] = renamed = true;
            break;
        }
    }
    return renamed;
}

static bool shape_from(Draft *draft, const OpExpr *expr, const RuleScope *scope, RuleShape *out) {
    RuleValue value;
    if (!rule_eval(&draft->rules, expr, scope, &value)) return false;
    bool good = value.kind == RULE_LIST;
    *out = (RuleShape){NULL, good ? value.as.list.n : 0};
    out->dims = ARENA_ARRAY(draft->arena, SymRef, out->rank + 1);
    for (uint32_t i = 0; good && i < out->rank; i++) {
        good = value.as.list.items[i].kind == RULE_INT || value.as.list.items[i].kind == RULE_BOOL;
        if (good) out->dims[i] = value.as.list.items[i].as.i;
    }
    if (!good)
        diag_error(draft->rules.diags, E_RULE, span(expr->source, expr->expr->from, expr->expr->to),
                   "this is a list of integers");
    return good;
}

static uint32_t tensor_named(const Draft *draft, Name name) {
    const DraftNode *anchor = draft->anchor;
    const OpDef *op = anchor->node->op;
    for (uint32_t i = 0; i < op->inputs.n; i++)
        if (op->inputs.items[i].name == name && !op->inputs.items[i].list)
            return anchor->node->counts[i] > 0 ? anchor->inputs[i][0] : UINT32_MAX;
    uint32_t at = 0;
    for (uint32_t i = 0; i < op->outputs.n; at += anchor->node->output_counts[i], i++)
        if (op->outputs.items[i].name == name && op->outputs.items[i].count.expr == NULL) return anchor->results[at];
    return UINT32_MAX;
}

static bool add_holes(Draft *draft) {
    const OpDef *op = draft->anchor->node->op;
    for (uint32_t i = 0; i < op->holes.n; i++) {
        const OpHole *of = &op->holes.items[i];
        uint32_t tensor = tensor_named(draft, of->of);
        if (tensor == UINT32_MAX) continue; /* an input that is left out */
        DraftHole hole = {of->name, tensor, draft->tensors.items[tensor].type.shape, of};
        if (of->shape.expr != NULL && !shape_from(draft, &of->shape, draft->anchor->scope, &hole.shape)) return false;
        if (of->shape.expr == NULL && of->index.expr == NULL) hole.of = NULL;
        *VEC_PUSH(draft->arena, &draft->holes) = hole;
    }
    return true;
}

/* ---- what loops go over */
static Str size_text(Draft *draft, SymRef size) {
    for (uint32_t i = 0; i < draft->sizes.n; i++)
        if (draft->sizes.items[i].value == size && draft->sizes.items[i].text.n > 0) return draft->sizes.items[i].text;
    return draft_sym(draft, size);
}

static void add_dim(Draft *draft, SymRef size) {
    *VEC_PUSH(draft->arena, &draft->dims) = (DraftSize){NULL, size, size_text(draft, size)};
}

static void add_dims(Draft *draft) {
    SymRef one = sym_int(&draft->syms, 1);
    if (draft->sketch->form == FORM_VIEW || draft->sketch->form == FORM_MAP) {
        RuleShape shape = draft->sketch->form == FORM_MAP ? over_shape(draft, false)
                                                          : draft->tensors.items[draft->writes.items[0]].type.shape;
        for (uint32_t d = 0; d < shape.rank; d++)
            add_dim(draft, shape.dims[d]);
        if (shape.rank == 0) add_dim(draft, one);
        return;
    }
    const DraftSketch *sketch = draft->sketch;
    draft->dim_reduced = ARENA_ARRAY(draft->arena, bool, sketch->over.rank + 1);
    draft->dim_of = ARENA_ARRAY(draft->arena, uint32_t, sketch->over.rank + 1);
    uint32_t *order = ARENA_ARRAY(draft->arena, uint32_t, sketch->over.rank + 1);
    draft_order_dims(draft, order);
    for (uint32_t i = 0; i < sketch->over.rank; i++) {
        uint32_t d = order[i];
        SymRef size = class_sym(draft, sketch->over.classes[d]);
        bool next = i > 0 && order[i - 1] + 1 == d && !sketch->own_dims;
        if (next && sketch->reduced[d] == sketch->reduced[d - 1]) {
            DraftSize *last = &draft->dims.items[draft->dims.n - 1];
            last->value = sym_mul(&draft->syms, last->value, size);
            last->text = size_text(draft, last->value);
        } else {
            draft->dim_reduced[draft->dims.n] = sketch->reduced[d];
            add_dim(draft, size);
        }
        draft->dim_of[d] = draft->dims.n - 1;
    }
}

/* What has a size of its own along a dim that is reduced is made in a second turn. */
static void find_again(Draft *draft) {
    draft->again = ARENA_ARRAY(draft->arena, bool, draft->tensors.n + 1);
    if (!draft->sketch->along) return;
    uint32_t rank = draft->sketch->over.rank;
    for (uint32_t i = 0; i < draft->tensors.n; i++) {
        RuleShape shape = draft->tensors.items[i].type.shape;
        for (uint32_t d = 0; d < rank && shape.rank == rank; d++)
            draft->again[i] |= draft->sketch->reduced[d] && shape.dims[d] != sym_int(&draft->syms, 1);
    }
}

/* ---- whether elements are only moved, so that they need no conversion to compute in; positions are not moved, and
 * integers are computed in what they are in memory */
static bool computes_integers(const Draft *draft, const DraftNode *node) {
    bool whole = true;
    for (uint32_t k = 0; k < node->node->output_n; k++)
        whole = whole && dtype_is_int(draft->tensors.items[node->results[k]].type.dtype);
    for (uint32_t k = 0; k < node->node->op->inputs.n; k++)
        for (uint32_t j = 0; j < node->node->counts[k]; j++)
            whole = whole && dtype_is_int(draft->tensors.items[node->inputs[k][j]].type.dtype);
    return whole;
}

static bool only_moves(const Draft *draft) {
    if (draft->sketch->form != FORM_VIEW) return false;
    Dtype dtype = draft->tensors.items[draft->writes.items[0]].type.dtype;
    bool *moved = ARENA_ARRAY(draft->arena, bool, draft->tensors.n + 1);
    for (uint32_t i = 0; i < draft->writes.n; i++)
        moved[draft->writes.items[i]] = true;
    for (uint32_t i = draft->nodes.n; i-- > 0;) {
        const DraftNode *node = &draft->nodes.items[i];
        const OpDef *op = node->node->op;
        bool wanted = false;
        for (uint32_t k = 0; k < node->node->output_n; k++)
            wanted |= moved[node->results[k]];
        if (op->kind != KIND_VIEW && (wanted || !computes_integers(draft, node))) return false;
        for (uint32_t k = 0; wanted && k < op->inputs.n; k++)
            for (uint32_t j = 0; j < node->node->counts[k]; j++)
                moved[node->inputs[k][j]] |= op->indices.items[k].value.expr != NULL;
    }
    for (uint32_t i = 0; i < draft->tensors.n; i++)
        if (moved[i] && draft->tensors.items[i].type.dtype != dtype) return false;
    return true;
}

static bool make(Draft *draft) {
    Name *names = ARENA_ARRAY(draft->arena, Name, draft->sketch->model.n + 1);
    for (uint32_t i = 0; i < draft->sketch->model.n; i++)
        names[i] = make_name(draft, "n%u", i);
    for (int round = 0; round < 2; round++) {
        Diags *diags = draft->rules.diags;
        begin_syms(draft, names);
        draft->rules.diags = diags;
        if (!add_nodes(draft)) return false;
        if (draft->sketch->form != FORM_KERNEL) break;
        if (!add_sizes(draft)) return false;
        if (draft->sketch->exact || !rename_classes(draft, names)) break;
    }
    for (uint32_t i = 0; i < draft->sizes.n; i++) {
        DraftSize *size = &draft->sizes.items[i];
        int64_t number;
        size->text = sym_is_int(size->value, &number) || size->value->kind == SYM_VAR ? draft_sym(draft, size->value)
                                                                                      : name_str(size->name);
    }
    if (draft->sketch->form == FORM_KERNEL) return draft_can_follow(draft) && add_holes(draft);
    add_dims(draft);
    find_again(draft);
    draft->raw = only_moves(draft);
    return true;
}

bool draft_make(Draft *draft) {
    Diags quiet;
    diags_init(&quiet, draft->arena);
    Diags *loud = draft->plan->graph->diags;
    draft->rules.diags = draft->sketch->exact ? loud : &quiet;
    bool good = make(draft) && !draft->syms.overflow;
    draft->rules.diags = loud;
    return good;
}

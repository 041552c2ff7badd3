/* draft_shape.c: what a group looks like when sizes and names are taken away.
 *
 * Sizes become classes, numbered in the order in which the group's tensors have them. Maps and reductions go over one
 * shape, of which each dim is a class of its own: what broadcasts along a dim is seen by the operand's 1 there. Dims
 * side by side that every operand has, or has not, alike are one dim, so that a map over (8, 16, 32) and one over (64,)
 * are the same function. Views and kernels keep their tensors' dims; of a view equal sizes are one class, of a kernel
 * each dim is one, but where the operator itself requires two to be equal.
 */
#include "emit/draft.h"

/* ---- whether a body asks for positions or shapes, which merging dims would change */
typedef struct Look {
    Name index;
    bool found;
} Look;

static void look(void *user, const Expr *e) {
    Look *at = user;
    if (e->kind == X_NAME && e->as.name == at->index) at->found = true;
    if (e->kind == X_ATTR) {
        Str name = name_str(e->as.attr.name);
        if (str_eq(name, S("shape")) || str_eq(name, S("rank")) || str_eq(name, S("numel"))) at->found = true;
    }
    ast_each(e, look, user);
}

static bool asks_in(Look *at, const NamedExprs *list) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->items[i].value.expr != NULL) look(at, list->items[i].value.expr);
    return at->found;
}

static bool asks_shape(Plan *plan, const OpDef *op) {
    Look at = {names_get(plan->graph->names, S("index")), false};
    return asks_in(&at, &op->let) || asks_in(&at, &op->body) || asks_in(&at, &op->element) || asks_in(&at, &op->init) ||
           asks_in(&at, &op->combine) || asks_in(&at, &op->finish);
}

/* ---- classes */
static bool is_number(SymRef a, int64_t number) {
    int64_t i;
    return sym_is_int(a, &i) && i == number;
}

static int32_t new_class(Plan *plan, DraftSketch *sketch, SymRef size) {
    if (is_number(size, 1)) return CLASS_ONE;
    if (is_number(size, 0)) return CLASS_ZERO;
    *VEC_PUSH(plan->arena, &sketch->model) = size;
    return (int32_t)sketch->model.n - 1;
}

static int32_t same_class(Plan *plan, DraftSketch *sketch, SymRef size) {
    for (uint32_t i = 0; i < sketch->model.n; i++)
        if (sketch->model.items[i] == size) return (int32_t)i;
    return new_class(plan, sketch, size);
}

static DraftShape shape_room(Plan *plan, uint32_t rank) {
    return (DraftShape){ARENA_ARRAY(plan->arena, int32_t, rank + 1), rank};
}

/* ---- maps and reductions */

/* Whether the tensor has an element of its own for each place of this dim, counted as in a shape of so many dims. */
static bool varies(const RuleShape *shape, uint32_t dim, uint32_t rank) {
    return dim + shape->rank >= rank && !is_number(shape->dims[dim + shape->rank - rank], 1);
}

static bool alike(const Group *group, const RuleShape *over, const bool *reduced, uint32_t a, uint32_t b) {
    if (reduced != NULL && reduced[a] != reduced[b]) return false;
    for (uint32_t i = 0; i < group->reads.n; i++) {
        const RuleShape *shape = &group->reads.items[i]->type.shape;
        if (varies(shape, a, over->rank) != varies(shape, b, over->rank)) return false;
    }
    return true;
}

static void sketch_over(Plan *plan, const Group *group, const RuleShape *over, const bool *reduced,
                        DraftSketch *sketch) {
    Syms *syms = &plan->graph->syms;
    uint32_t rank = over->rank;
    sketch->over = shape_room(plan, rank);
    sketch->over.rank = 0;
    if (reduced != NULL) sketch->reduced = ARENA_ARRAY(plan->arena, bool, rank + 1);
    uint32_t *first = ARENA_ARRAY(plan->arena, uint32_t, rank + 1); /* of those that became one dim, the first */
    uint32_t n = 0;
    for (uint32_t d = 0; d < rank;) {
        if (sketch->merged && is_number(over->dims[d], 1)) {
            d++;
            continue;
        }
        SymRef size = over->dims[d];
        uint32_t last = d, next = d + 1;
        for (; sketch->merged && next < rank; next++) {
            if (is_number(over->dims[next], 1)) continue;
            if (!alike(group, over, reduced, last, next)) break;
            size = sym_mul(syms, size, over->dims[next]), last = next;
        }
        first[n] = d;
        if (reduced != NULL) sketch->reduced[n] = reduced[d];
        sketch->over.classes[n++] = sketch->exact ? same_class(plan, sketch, size) : new_class(plan, sketch, size);
        d = sketch->merged ? next : d + 1;
    }
    sketch->over.rank = n;
    for (uint32_t i = 0; i < group->reads.n; i++) {
        const RuleShape *shape = &group->reads.items[i]->type.shape;
        uint32_t own = sketch->merged ? n : shape->rank;
        sketch->reads[i] = shape_room(plan, own);
        for (uint32_t d = 0; d < own; d++) {
            uint32_t at = d + n - own; /* without merging every dim of `over` is there */
            bool here = varies(shape, first[at], rank);
            sketch->reads[i].classes[d] = here ? sketch->over.classes[at] : CLASS_ONE;
        }
    }
}

static void asks_any(Plan *plan, const Group *group, DraftSketch *sketch) {
    for (uint32_t i = 0; i < group->nodes.n && sketch->merged; i++)
        if (asks_shape(plan, group->nodes.items[i]->op)) sketch->merged = false;
}

static bool sketch_map(Plan *plan, const Group *group, DraftSketch *sketch) {
    sketch->merged = !sketch->exact;
    asks_any(plan, group, sketch);
    sketch_over(plan, group, &group->writes.items[0]->type.shape, NULL, sketch);
    return true;
}

static DraftShape own_shape(Plan *plan, const RuleShape *shape, DraftSketch *sketch) {
    DraftShape own = shape_room(plan, shape->rank);
    for (uint32_t d = 0; d < shape->rank; d++)
        own.classes[d] = same_class(plan, sketch, shape->dims[d]);
    return own;
}

static bool has_views(const Group *group) {
    bool views = false;
    for (uint32_t i = 0; i < group->nodes.n; i++)
        views |= group->nodes.items[i]->op->kind == KIND_VIEW;
    return views;
}

/* Whether something behind the reduction reads more than what it makes, or goes over its dims once more. */
static bool follows_along(const Group *group, const RuleShape *over) {
    const Node *anchor = group->anchor;
    const Tensor *made = anchor->outputs[0];
    if (anchor->output_n != 1 || made == NULL) return false;
    bool behind = false;
    for (uint32_t i = 0; i < group->nodes.n; i++) {
        const Node *node = group->nodes.items[i];
        if (node == anchor) behind = true;
        if (!behind || node == anchor) continue;
        for (uint32_t k = 0; k < node->op->inputs.n; k++)
            for (uint32_t j = 0; j < node->counts[k]; j++) {
                const Node *by = node->inputs[k][j]->producer;
                bool within = false;
                for (uint32_t m = 0; m < group->nodes.n; m++)
                    within |= group->nodes.items[m] == by;
                if (!within) return true;
            }
        for (uint32_t k = 0; k < node->output_n; k++)
            if (node->outputs[k] != NULL && node->outputs[k]->type.shape.rank == over->rank &&
                made->type.shape.rank != over->rank)
                return true;
        if (node->output_n > 0 && node->outputs[0] != NULL)
            for (uint32_t d = 0; d < made->type.shape.rank; d++)
                if (node->outputs[0]->type.shape.rank != made->type.shape.rank ||
                    node->outputs[0]->type.shape.dims[d] != made->type.shape.dims[d])
                    return true;
    }
    return false;
}

static bool sketch_reduce(Plan *plan, const Group *group, DraftSketch *sketch) {
    RuleCall call = graph_call(plan->graph, group->anchor);
    RuleShape shape;
    bool reduced[RULE_MOST_RANK];
    if (!rule_reduced(&plan->graph->rules, &call, &shape, reduced)) return false;
    sketch->along = follows_along(group, &shape);
    if (has_views(group)) {
        sketch->own_dims = true;
        for (uint32_t i = 0; i < group->reads.n; i++)
            sketch->reads[i] = own_shape(plan, &group->reads.items[i]->type.shape, sketch);
        sketch->over = own_shape(plan, &shape, sketch);
        sketch->reduced = arena_copy(plan->arena, reduced, (shape.rank + 1) * sizeof *reduced);
        return true;
    }
    sketch->merged = !sketch->exact;
    asks_any(plan, group, sketch);
    sketch_over(plan, group, &shape, reduced, sketch);
    return true;
}

/* ---- kernels: which dims an operator requires to be equal */
typedef struct Unify {
    Plan *plan;
    DraftSketch *sketch;
    int32_t *root;
    Rules *rules;
    const RuleScope *scope;
    SymRef *vars; /* one a class */
} Unify;

static int32_t class_of(const Unify *u, SymRef a) {
    for (uint32_t i = 0; i < u->sketch->model.n; i++)
        if (u->vars[i] == a) return (int32_t)i;
    return -1;
}

static void unify_pair(Unify *u, SymRef a, SymRef b) {
    int32_t x = class_of(u, a), y = class_of(u, b);
    if (x < 0 || y < 0 || u->sketch->model.items[x] != u->sketch->model.items[y]) return;
    while (u->root[x] != x)
        x = u->root[x];
    while (u->root[y] != y)
        y = u->root[y];
    if (x < y) u->root[y] = x;
    if (y < x) u->root[x] = y;
}

static bool quietly(Unify *u, Source *source, Expr *expr, RuleValue *value) {
    OpExpr one = {expr, source};
    return rule_eval(u->rules, &one, u->scope, value);
}

/* Equations at the top of a requirement, and joined by `and`. Of a disjunction nothing is known. */
static void unify_in(Unify *u, Source *source, Expr *e) {
    if (e->kind == X_BINARY && e->op == OP_AND) {
        unify_in(u, source, e->as.pair.a);
        unify_in(u, source, e->as.pair.b);
        return;
    }
    if (e->kind == X_BINARY && e->op == OP_OR) { /* is_none(weight) or weight.shape == ... */
        RuleValue first;
        if (quietly(u, source, e->as.pair.a, &first) && first.kind == RULE_BOOL && sym_truth(first.as.i) == 0)
            unify_in(u, source, e->as.pair.b);
        return;
    }
    if (e->kind != X_COMPARE || e->as.compare.n != 1 || e->as.compare.steps[0].op != OP_EQ) return;
    RuleValue a, b;
    if (!quietly(u, source, e->as.compare.a, &a) || !quietly(u, source, e->as.compare.steps[0].to, &b)) return;
    if (a.kind == RULE_INT && b.kind == RULE_INT) unify_pair(u, a.as.i, b.as.i);
    if (a.kind != RULE_LIST || b.kind != RULE_LIST || a.as.list.n != b.as.list.n) return;
    for (uint32_t i = 0; i < a.as.list.n; i++)
        if (a.as.list.items[i].kind == RULE_INT && b.as.list.items[i].kind == RULE_INT)
            unify_pair(u, a.as.list.items[i].as.i, b.as.list.items[i].as.i);
}

static void unify(Plan *plan, const Group *group, DraftSketch *sketch) {
    Syms syms;
    Diags quiet;
    syms_init(&syms, plan->arena);
    diags_init(&quiet, plan->arena);
    Rules rules = {.arena = plan->arena, .names = plan->graph->names, .syms = &syms, .diags = &quiet};
    Unify u = {.plan = plan, .sketch = sketch, .rules = &rules};
    uint32_t n = sketch->model.n;
    u.root = ARENA_ARRAY(plan->arena, int32_t, n + 1);
    u.vars = ARENA_ARRAY(plan->arena, SymRef, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        u.root[i] = (int32_t)i;
        u.vars[i] = sym_var(&syms, names_get(plan->graph->names, str_format(plan->arena, "n%u", (unsigned)i)), 2,
                            (int64_t)1 << 40);
    }
    RuleCall call = graph_call(plan->graph, group->anchor);
    RuleTensor *types = ARENA_ARRAY(plan->arena, RuleTensor, group->reads.n + 1);
    const RuleTensor **inputs = ARENA_ARRAY(plan->arena, const RuleTensor *, call.op->inputs.n + 1);
    for (uint32_t i = 0; i < group->reads.n; i++) {
        const DraftShape *shape = &sketch->reads[i];
        types[i] = (RuleTensor){group->reads.items[i]->type.dtype,
                                {ARENA_ARRAY(plan->arena, SymRef, shape->rank + 1), shape->rank}};
        for (uint32_t d = 0; d < shape->rank; d++)
            types[i].shape.dims[d] =
                shape->classes[d] < 0 ? sym_int(&syms, shape->classes[d] == CLASS_ONE) : u.vars[shape->classes[d]];
    }
    for (uint32_t i = 0; i < call.op->inputs.n; i++) {
        RuleTensor *list = ARENA_ARRAY(plan->arena, RuleTensor, call.counts[i] + 1);
        for (uint32_t k = 0; k < call.counts[i]; k++)
            for (uint32_t r = 0; r < group->reads.n; r++)
                if (group->reads.items[r] == group->anchor->inputs[i][k]) list[k] = types[r];
        inputs[i] = list;
    }
    call.inputs = inputs;
    call.attrs = draft_attrs(plan->arena, &syms, NULL, group->anchor);
    if (call.attrs == NULL) return;
    u.scope = rule_scope(&rules, &call, NULL);
    for (uint32_t i = 0; i < call.op->requires.n; i++)
        unify_in(&u, call.op->requires.items[i].that.source, call.op->requires.items[i].that.expr);
    for (uint32_t i = 0; i < group->reads.n; i++) {
        for (uint32_t d = 0; d < sketch->reads[i].rank; d++) {
            int32_t *class = &sketch->reads[i].classes[d];
            while (*class >= 0 && u.root[*class] != *class)
                *class = u.root[*class];
        }
    }
}

bool sketch_make(Plan *plan, const Group *group, bool exact, DraftSketch *sketch) {
    *sketch = (DraftSketch){.exact = exact, .reads = ARENA_ARRAY(plan->arena, DraftShape, group->reads.n + 1)};
    sketch->form = group->anchor == NULL                    ? (has_views(group) ? FORM_VIEW : FORM_MAP)
                   : group->anchor->op->kind == KIND_REDUCE ? FORM_REDUCE
                                                            : FORM_KERNEL;
    if (sketch->form == FORM_MAP) return sketch_map(plan, group, sketch);
    if (sketch->form == FORM_REDUCE) return sketch_reduce(plan, group, sketch);
    bool apart = sketch->form == FORM_KERNEL && !exact && group->nodes.n == 1;
    for (uint32_t i = 0; i < group->reads.n; i++) {
        const RuleShape *shape = &group->reads.items[i]->type.shape;
        sketch->reads[i] = shape_room(plan, shape->rank);
        for (uint32_t d = 0; d < shape->rank; d++)
            sketch->reads[i].classes[d] =
                apart ? new_class(plan, sketch, shape->dims[d]) : same_class(plan, sketch, shape->dims[d]);
    }
    if (apart) unify(plan, group, sketch);
    return true;
}

/* ---- the key */
static void key_shape(Buf *key, const DraftShape *shape) {
    buf_char(key, '(');
    for (uint32_t d = 0; d < shape->rank; d++)
        buf_format(key, "%d,", (int)shape->classes[d]);
    buf_char(key, ')');
}

static int64_t lowest(SymRef size) { return size->low >= 2 ? 2 : size->low >= 1 ? 1 : 0; }

Str sketch_key(Plan *plan, const Group *group, const DraftSketch *sketch) {
    Buf key;
    buf_init(&key, plan->arena);
    buf_format(&key, "%d%d%d%d;", (int)sketch->form, sketch->exact, sketch->merged, sketch->along);
    for (uint32_t i = 0; i < group->reads.n; i++) {
        buf_format(&key, "x%s", dtype_name(group->reads.items[i]->type.dtype));
        key_shape(&key, &sketch->reads[i]);
    }
    key_shape(&key, &sketch->over);
    for (uint32_t d = 0; sketch->reduced != NULL && d < sketch->over.rank; d++)
        buf_char(&key, sketch->reduced[d] ? 'r' : 'k');
    for (uint32_t i = 0; i < sketch->model.n; i++) {
        if (sketch->exact) {
            buf_char(&key, '=');
            sym_print(&key, sketch->model.items[i]);
        }
        buf_format(&key, "%d", (int)lowest(sketch->model.items[i]));
    }
    for (uint32_t i = 0; i < group->nodes.n; i++) {
        const Node *node = group->nodes.items[i];
        buf_format(&key, ";%S", name_str(node->op->name));
        for (uint32_t k = 0; k < node->op->attrs.n; k++) {
            buf_char(&key, ',');
            rule_print(&key, &node->attrs[k]);
        }
        for (uint32_t k = 0; k < node->op->inputs.n; k++) {
            buf_char(&key, '|');
            if (graph_scalar(node, k) != NULL) buf_add(&key, node->scalars[k].text);
            for (uint32_t j = 0; j < node->counts[k]; j++) {
                const Tensor *tensor = node->inputs[k][j];
                for (uint32_t r = 0; r < group->reads.n; r++)
                    if (group->reads.items[r] == tensor) buf_format(&key, "x%u", (unsigned)r);
                for (uint32_t m = 0; m < i; m++)
                    if (group->nodes.items[m] == tensor->producer)
                        buf_format(&key, "m%u.%u", (unsigned)m, (unsigned)tensor->index);
            }
        }
        for (uint32_t k = 0; k < node->output_n; k++) {
            buf_char(&key, '>');
            if (node->outputs[k] == NULL) continue;
            buf_add(&key, str_c(dtype_name(node->outputs[k]->type.dtype)));
            for (uint32_t w = 0; w < group->writes.n; w++)
                if (group->writes.items[w] == node->outputs[k]) buf_format(&key, "y%u", (unsigned)w);
        }
    }
    return buf_str(&key);
}

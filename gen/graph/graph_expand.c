/* graph_expand.c: composites as the operators that they are made of.
 *
 * A step of a composite may be a composite itself. The way down is a list of frames, not recursion, and what one node
 * may expand to is limited, so that a few lines of opdefs that double each other end in a finding and not in all the
 * memory.
 */
#include "graph/inner.h"

enum { EXPAND_MOST_STEPS = 1 << 16 }; /* of one node of the model */

/* What a name within a composite stands for: one tensor, those of a list, or none where it was left out. */
typedef struct Flow {
    Tensor **tensors;
    uint32_t n;
} Flow;

typedef struct Frame {
    struct Frame *outer;
    Node *node;              /* the composite */
    const RuleTensor *types; /* of its results, as far as its own rules tell */
    const RuleScope *scope;
    uint32_t step;
    Map flows; /* name -> Flow */
} Frame;

typedef struct Expansion {
    Graph *graph;
    Frame *frame;
    uint32_t steps;
} Expansion;

static const OpStep *current_step(const Frame *frame) { return &frame->node->op->steps.items[frame->step]; }

/* Findings since `before` get the way to them. */
static void note_way(Expansion *x, uint32_t before) {
    Diags *diags = x->graph->diags;
    for (uint32_t i = before; i < diags->items.n; i++) {
        for (const Frame *frame = x->frame; frame != NULL; frame = frame->outer) {
            if (frame->step >= frame->node->op->steps.n) continue;
            diag_note(diags, diags->items.items[i], current_step(frame)->at, "in this step of op \"%s\"",
                      frame->node->op->name->p);
        }
    }
}

static void set_flow(Expansion *x, Frame *frame, Name name, Tensor **tensors, uint32_t n) {
    Flow *flow = ARENA_NEW(x->graph->arena, Flow);
    *flow = (Flow){tensors, n};
    map_set(&frame->flows, name, flow);
}

static bool enter(Expansion *x, Node *node) {
    Graph *graph = x->graph;
    const RuleTensor *types = graph_infer_types(graph, node);
    if (types == NULL) return false;
    Frame *frame = ARENA_NEW(graph->arena, Frame);
    *frame = (Frame){.outer = x->frame, .node = node, .types = types};
    RuleCall *call = ARENA_NEW(graph->arena, RuleCall);
    *call = graph_call(graph, node);
    frame->scope = rule_scope(&graph->rules, call, NULL);
    map_init(&frame->flows, graph->arena);
    for (uint32_t i = 0; i < node->op->inputs.n; i++)
        set_flow(x, frame, node->op->inputs.items[i].name, node->inputs[i], node->counts[i]);
    x->frame = frame;
    return true;
}

static Diag *step_error(Expansion *x, DiagCode code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = diag_vadd(x->graph->diags, DIAG_ERROR, code, x->frame->node->place, format, args);
    va_end(args);
    return diag;
}

static bool eval(Expansion *x, const OpExpr *expr, const char *what, RuleValue *value) {
    const Node *node = x->frame->node;
    Rules *rules = &x->graph->rules;
    RuleUse before = rules->use;
    rules->use = (RuleUse){.at = node->place, .what = what, .name = current_step(x->frame)->op, .op = node->op->name};
    bool good = rule_eval(rules, expr, x->frame->scope, value);
    rules->use = before;
    return good;
}

/* ---- the inputs of a step */

static const Flow *find_flow(const Frame *frame, Name name) {
    static const Flow none;
    const Flow *flow = map_get(&frame->flows, name);
    return flow == NULL ? &none : flow;
}

static Flow flow_of(Expansion *x, const Expr *e) {
    if (e->kind == X_NAME) return *find_flow(x->frame, e->as.name);
    Flow all = {NULL, 0};
    for (uint32_t i = 0; i < e->as.list.n; i++)
        all.n += find_flow(x->frame, e->as.list.items[i]->as.name)->n;
    all.tensors = ARENA_ARRAY(x->graph->arena, Tensor *, all.n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->as.list.n; i++) {
        const Flow *part = find_flow(x->frame, e->as.list.items[i]->as.name);
        for (uint32_t k = 0; k < part->n; k++)
            all.tensors[n++] = part->tensors[k];
    }
    return all;
}

/* What the step gives to an input of its operator: by name, or by place where it has none. */
static const NamedExpr *given_to(const OpStep *step, Name input, uint32_t place) {
    for (uint32_t i = 0; i < step->in.n; i++) {
        const NamedExpr *in = &step->in.items[i];
        if (in->name == NULL ? i == place : in->name == input) return in;
    }
    return NULL;
}

static bool step_inputs(Expansion *x, Node *node, const OpStep *step) {
    const OpDef *op = node->op;
    Flow *flows = ARENA_ARRAY(x->graph->arena, Flow, op->inputs.n);
    uint32_t *counts = ARENA_ARRAY(x->graph->arena, uint32_t, op->inputs.n);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const OpInput *input = &op->inputs.items[i];
        const NamedExpr *given = given_to(step, input->name, i);
        if (given != NULL && given->value.expr != NULL) flows[i] = flow_of(x, given->value.expr);
        counts[i] = flows[i].n;
        if (counts[i] == 0 && !input->optional) {
            step_error(x, E_MISSING, "op %Q needs input %Q, which is left out here", name_str(op->name),
                       name_str(input->name));
            return false;
        }
        if (counts[i] > 1 && !input->list) {
            step_error(x, E_BAD_VALUE, "input %Q of op %Q is one tensor, but gets %u", name_str(input->name),
                       name_str(op->name), (unsigned)counts[i]);
            return false;
        }
    }
    graph_set_counts(x->graph, node, counts);
    for (uint32_t i = 0; i < op->inputs.n; i++)
        for (uint32_t k = 0; k < counts[i]; k++)
            node->inputs[i][k] = flows[i].tensors[k];
    return true;
}

static bool step_attrs(Expansion *x, Node *node, const OpStep *step) {
    const OpDef *op = node->op;
    for (uint32_t i = 0; i < op->attrs.n; i++) {
        const OpAttr *attr = &op->attrs.items[i];
        const NamedExpr *given = NULL;
        for (uint32_t k = 0; k < step->attrs.n; k++)
            if (step->attrs.items[k].name == attr->name) given = &step->attrs.items[k];
        if (given != NULL && given->value.expr != NULL) {
            if (!eval(x, &given->value, "an attribute of step ", &node->attrs[i])) return false;
            if (graph_attr_fits(x->graph, attr, &node->attrs[i])) continue;
            Buf value;
            buf_init(&value, x->graph->arena);
            rule_print(&value, &node->attrs[i]);
            step_error(x, E_BAD_VALUE, "attribute %Q of op %Q cannot be %S", name_str(attr->name), name_str(op->name),
                       buf_str(&value));
            return false;
        }
        if (attr->fallback == NULL) {
            step_error(x, E_MISSING, "op %Q needs attribute %Q", name_str(op->name), name_str(attr->name));
            return false;
        }
        node->attrs[i] = graph_attr_value(x->graph, attr, attr->fallback);
    }
    return true;
}

/* ---- the results of a step */

static bool is_read(const OpDef *op, Name name) {
    for (uint32_t i = 0; i < op->steps.n; i++) {
        const OpStep *step = &op->steps.items[i];
        for (uint32_t k = 0; k < step->in.n; k++) {
            const Expr *e = step->in.items[k].value.expr;
            if (e == NULL) continue;
            if (e->kind == X_NAME && e->as.name == name) return true;
            for (uint32_t m = 0; e->kind == X_LIST && m < e->as.list.n; m++)
                if (e->as.list.items[m]->as.name == name) return true;
        }
    }
    return false;
}

/* The composite's results of this name; NULL if it is none of them. */
static Tensor **outer_results(const Node *composite, Name name, uint32_t *n) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < composite->op->outputs.n; i++) {
        *n = composite->output_counts[i];
        if (composite->op->outputs.items[i].name == name) return composite->outputs + at;
        at += *n;
    }
    return NULL;
}

/* Tensors of a composite's inside are called after what the model calls its result. */
static Str inner_name(Expansion *x, Name name) {
    for (const Frame *frame = x->frame; frame != NULL; frame = frame->outer)
        for (uint32_t i = 0; frame->outer == NULL && i < frame->node->output_n; i++)
            if (frame->node->outputs[i] != NULL)
                return str_format(x->graph->arena, "%S_%S", name_str(frame->node->outputs[i]->name), name_str(name));
    return name_str(name);
}

/* The tensors of one name that a step gives to results of its operator: node->outputs from `at` on, n of them. */
static bool name_results(Expansion *x, Node *node, Name name, uint32_t at, uint32_t n) {
    Graph *graph = x->graph;
    const Node *composite = x->frame->node;
    RuleTensor unknown = {.dtype = DT_COUNT};
    uint32_t wanted = 0;
    Tensor **outer = outer_results(composite, name, &wanted);
    if (outer != NULL && wanted != n) {
        step_error(x, E_MISMATCH, "op %Q makes %u of %Q, but op %Q wants %u", name_str(node->op->name), (unsigned)n,
                   name_str(name), name_str(composite->op->name), (unsigned)wanted);
        return false;
    }
    bool read = outer == NULL || is_read(composite->op, name);
    for (uint32_t k = 0; k < n; k++) {
        node->outputs[at + k] = outer == NULL ? NULL : outer[k];
        if (node->outputs[at + k] != NULL || !read) continue;
        Name fresh = graph_new_name(graph, inner_name(x, name));
        node->outputs[at + k] = graph_make_tensor(graph, fresh, TENSOR_RESULT, unknown, node->place);
    }
    set_flow(x, x->frame, name, node->outputs + at, n);
    return true;
}

static bool step_results(Expansion *x, Node *node, const OpStep *step) {
    Graph *graph = x->graph;
    const OpDef *op = node->op;
    RuleCall call = graph_call(graph, node);
    uint32_t *counts = ARENA_ARRAY(graph->arena, uint32_t, op->outputs.n);
    if (!rule_output_counts(&graph->rules, &call, counts)) return false;
    graph_set_output_counts(graph, node, counts);
    /* The results of an operator that makes a list have a name each, or one for all of them. */
    bool list = op->outputs.n == 1 && op->outputs.items[0].count.expr != NULL;
    if (list && step->out.n == 1) return name_results(x, node, step->out.items[0], 0, counts[0]);
    if (step->out.n > node->output_n || (list && step->out.n < node->output_n)) {
        step_error(x, E_MISMATCH, "op %Q makes %u tensor%s, but its step names %u", name_str(op->name),
                   (unsigned)node->output_n, node->output_n == 1 ? "" : "s", (unsigned)step->out.n);
        return false;
    }
    for (uint32_t i = 0; i < step->out.n; i++)
        if (!name_results(x, node, step->out.items[i], i, 1)) return false;
    return true;
}

/* ---- all of it */

static bool add(Expansion *x, Node *node) {
    Graph *graph = x->graph;
    if (graph->nodes.n >= GRAPH_MOST_NODES) {
        diag_error(graph->diags, E_TOO_LARGE, node->place,
                   "a model has at most %u operators, with what composites are made of", (unsigned)GRAPH_MOST_NODES);
        return false;
    }
    /* What is changed in place has a value afterwards, whether the model names it or not. */
    for (uint32_t k = 0; k < node->op->mutates.n && k < node->output_n; k++)
        if (node->outputs[k] == NULL)
            node->outputs[k] = graph_make_tensor(graph, graph_new_name(graph, inner_name(x, node->op->name)),
                                                 TENSOR_RESULT, (RuleTensor){.dtype = DT_COUNT}, node->place);
    if (!graph_infer(graph, node)) return false;
    graph_add_node(graph, node);
    return true;
}

static bool run_step(Expansion *x, const OpStep *step) {
    Graph *graph = x->graph;
    const Node *composite = x->frame->node;
    if (++x->steps > EXPAND_MOST_STEPS) {
        step_error(x, E_TOO_LARGE, "this node expands to more than %u steps", (unsigned)EXPAND_MOST_STEPS);
        return false;
    }
    if (step->when.expr != NULL) {
        RuleValue when;
        if (!eval(x, &step->when, "\"when\" of step ", &when)) return false;
        int truth = when.kind == RULE_BOOL || when.kind == RULE_INT ? sym_truth(when.as.i) : -1;
        if (truth < 0) {
            step_error(x, E_BAD_EXPRESSION,
                       "whether op %Q takes this step hangs on sizes that are known only at run time",
                       name_str(composite->op->name));
            return false;
        }
        if (truth == 0) {
            x->frame->step++;
            return true;
        }
    }
    const OpDef *op = optable_get(graph->ops, step->op);
    if (op == NULL) {
        step_error(x, E_UNKNOWN_NAME, "op %Q is made of op %Q, which there is not", name_str(composite->op->name),
                   name_str(step->op));
        return false;
    }
    Node *node = graph_new_node(graph, op, NULL, NULL, composite->place);
    node->origin = composite;
    if (!step_inputs(x, node, step) || !step_attrs(x, node, step) || !step_results(x, node, step)) return false;
    if (op->kind == KIND_COMPOSITE) return enter(x, node);
    if (!add(x, node)) return false;
    x->frame->step++;
    return true;
}

/* All steps are done: every result was made, and is what the composite's own rules say. */
static bool leave(Expansion *x) {
    Graph *graph = x->graph;
    Frame *frame = x->frame;
    const Node *node = frame->node;
    const OpDef *op = node->op;
    uint32_t at = 0;
    for (uint32_t i = 0; i < op->outputs.n; i++) {
        Name name = op->outputs.items[i].name;
        if (map_get(&frame->flows, name) == NULL) {
            step_error(x, E_MISSING, "op %Q does not make its output %Q here: no step that does is taken",
                       name_str(op->name), name_str(name));
            return false;
        }
        for (uint32_t k = 0; k < node->output_counts[i]; k++, at++) {
            const Tensor *made = node->outputs[at];
            const RuleTensor *said = &frame->types[at];
            SymRef same = NULL;
            if (made == NULL) continue;
            bool wrong = said->dtype != DT_COUNT && said->dtype != made->type.dtype;
            int shape =
                said->shape.rank == RULE_NO_RANK ? 1 : graph_same_shape(graph, said->shape, made->type.shape, &same);
            if (!wrong && shape > 0) continue;
            Buf shapes;
            buf_init(&shapes, graph->arena);
            buf_format(&shapes, "op %Q says that its output %Q is %s", name_str(op->name), name_str(name),
                       dtype_name(said->dtype));
            if (said->shape.rank != RULE_NO_RANK) rule_print_shape(&shapes, said->shape);
            buf_format(&shapes, ", but its steps make %s", dtype_name(made->type.dtype));
            rule_print_shape(&shapes, made->type.shape);
            if (wrong || shape == 0) {
                step_error(x, E_MISMATCH, "%S", buf_str(&shapes));
                return false;
            }
            *VEC_PUSH(graph->arena, &graph->checks) = (RuleCheck){same, buf_str(&shapes)};
        }
    }
    x->frame = frame->outer;
    if (x->frame != NULL) x->frame->step++;
    return true;
}

bool graph_expand(Graph *graph, Node *node) {
    Expansion x = {.graph = graph};
    if (node->op->kind != KIND_COMPOSITE) return add(&x, node);
    uint32_t before = graph->diags->items.n;
    bool good = enter(&x, node);
    while (good && x.frame != NULL)
        good = x.frame->step == x.frame->node->op->steps.n ? leave(&x) : run_step(&x, current_step(x.frame));
    if (!good) note_way(&x, before);
    return good;
}

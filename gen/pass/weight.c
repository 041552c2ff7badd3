/* weight.c: the weight of a map is counted from its expressions, so that no operator has to say it. */
#include "pass/weight.h"

typedef struct Scale {
    uint32_t weight;
    Rules *rules; /* NULL: nothing is known of a node, and all branches count */
    const RuleScope *scope;
    Source *source; /* of the expression that is being weighed */
} Scale;

/* Functions that are a few instructions on any machine; all others are taken for a dozen. */
static bool is_light(Str name) {
    static const char *const light[] = {
        "abs",   "bit_and", "bit_not",  "bit_or",  "bit_xor", "bool",    "cast",       "ceil",       "float",
        "floor", "int",     "is_float", "is_int",  "is_none", "isinf",   "isnan",      "isfinite",   "max",
        "min",   "round",   "trunc",    "highest", "lowest",  "largest", "shift_left", "shift_right"};
    for (size_t i = 0; i < sizeof light / sizeof *light; i++)
        if (str_eq(name, str_c(light[i]))) return true;
    return false;
}

/* The branch that is taken whatever the elements are; NULL: that hangs on them. */
static const Expr *taken_branch(const Scale *scale, const Expr *e) {
    OpExpr test = {e->as.cond.test, scale->source};
    RuleValue value;
    if (scale->rules == NULL || !rule_eval(scale->rules, &test, scale->scope, &value)) return NULL;
    int truth = value.kind == RULE_BOOL || value.kind == RULE_INT ? sym_truth(value.as.i) : -1;
    return truth < 0 ? NULL : truth == 1 ? e->as.cond.a : e->as.cond.b;
}

static void weigh(void *user, const Expr *e) {
    Scale *scale = user;
    const Expr *taken = e->kind == X_COND ? taken_branch(scale, e) : NULL;
    if (taken != NULL) {
        weigh(user, taken);
        return;
    }
    switch (e->kind) {
    case X_BINARY:
        scale->weight += e->op == OP_POW ? 10 : e->op == OP_DIV || e->op == OP_FLOORDIV || e->op == OP_MOD ? 4 : 1;
        break;
    case X_COMPARE:
    case X_COND:
    case X_UNARY:
        scale->weight++;
        break;
    case X_CALL: {
        const Expr *callee = e->as.call.a;
        Str name = callee != NULL && callee->kind == X_NAME ? name_str(callee->as.name) : S("");
        scale->weight += is_light(name) ? 1 : str_eq(name, S("sqrt")) || str_eq(name, S("rsqrt")) ? 4 : 10;
        break;
    }
    default:
        break;
    }
    ast_each(e, weigh, user);
}

static void weigh_all(Scale *scale, const NamedExprs *exprs) {
    for (uint32_t i = 0; i < exprs->n; i++)
        if (exprs->items[i].value.expr != NULL) {
            scale->source = exprs->items[i].value.source;
            weigh(scale, exprs->items[i].value.expr);
        }
}

uint32_t map_weight(const OpDef *op) {
    Scale scale = {0};
    weigh_all(&scale, &op->let);
    weigh_all(&scale, &op->body);
    return scale.weight;
}

static void look_for_choice(void *user, const Expr *e) {
    bool *found = user;
    *found |= e->kind == X_COND;
    ast_each(e, look_for_choice, user);
}

static bool has_choice(const OpDef *op) {
    bool found = false;
    for (uint32_t i = 0; i < op->let.n; i++)
        if (op->let.items[i].value.expr != NULL) look_for_choice(&found, op->let.items[i].value.expr);
    for (uint32_t i = 0; i < op->body.n; i++)
        if (op->body.items[i].value.expr != NULL) look_for_choice(&found, op->body.items[i].value.expr);
    return found;
}

uint32_t node_weight(const Graph *graph, const Node *node, Arena *scratch) {
    if (!has_choice(node->op)) return map_weight(node->op);
    ArenaMark mark = arena_mark(scratch);
    Graph own = *graph;
    Diags quiet;
    diags_init(&quiet, scratch);
    own.arena = scratch;
    Rules rules = graph->rules;
    rules.arena = scratch, rules.diags = &quiet;
    RuleCall call = graph_call(&own, node);
    Scale scale = {.rules = &rules, .scope = rule_scope(&rules, &call, NULL)};
    weigh_all(&scale, &node->op->let);
    weigh_all(&scale, &node->op->body);
    sym_clear_fault(rules.syms);
    arena_reset(scratch, mark);
    return scale.weight;
}

uint32_t reduce_weight(const OpDef *op) {
    Scale scale = {0};
    weigh_all(&scale, &op->let);
    weigh_all(&scale, &op->element);
    weigh_all(&scale, &op->combine);
    return scale.weight;
}

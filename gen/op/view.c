/* view.c: the rules of a view operator, asked for every dim of every tensor that it may read. */
#include "op/view.h"

static const RuleScope *with(Rules *rules, const RuleScope *outer, const char *name, RuleValue value) {
    RuleScope *scope = ARENA_NEW(rules->arena, RuleScope);
    *scope = (RuleScope){(RuleScope *)(uintptr_t)outer, names_get(rules->names, str_c(name)), value};
    return scope;
}

static RuleValue integer(Rules *rules, int64_t i) {
    return (RuleValue){.kind = RULE_INT, .as.i = sym_int(rules->syms, i)};
}

typedef struct Uses {
    Name name;
    bool found;
} Uses;

static void look_for(void *user, const Expr *e) {
    Uses *uses = user;
    if (e->kind == X_NAME && e->as.name == uses->name) uses->found = true;
    ast_each(e, look_for, user);
}

static bool uses_dim(Rules *rules, const OpExpr *expr) {
    Uses uses = {names_get(rules->names, S("d")), false};
    if (expr->expr != NULL) look_for(&uses, expr->expr);
    return uses.found;
}

/* An integer or a truth. */
static bool ask(Rules *rules, const OpExpr *expr, const RuleScope *scope, SymRef *out) {
    RuleValue value;
    if (!rule_eval(rules, expr, scope, &value)) return false;
    if (value.kind == RULE_INT || value.kind == RULE_BOOL) {
        *out = value.as.i;
        return true;
    }
    diag_error(rules->diags, E_RULE, span(expr->source, expr->expr->from, expr->expr->to),
               "a view's rule gives an integer or a condition");
    return false;
}

static bool source_at(Rules *rules, const OpExpr *index, const OpExpr *valid, const RuleScope *scope, RuleShape shape,
                      ViewSource *source) {
    bool each = uses_dim(rules, valid);
    source->valid = sym_int(rules->syms, 1);
    if (valid->expr != NULL && !each && !ask(rules, valid, scope, &source->valid)) return false;
    source->index = ARENA_ARRAY(rules->arena, SymRef, shape.rank + 1);
    for (uint32_t d = 0; d < shape.rank; d++) {
        const RuleScope *dim = with(rules, scope, "d", integer(rules, d));
        SymRef holds;
        if (each) {
            if (!ask(rules, valid, dim, &holds)) return false;
            source->valid = sym_and(rules->syms, source->valid, holds);
        }
        if (!ask(rules, index, dim, &source->index[d])) return false;
    }
    return true;
}

bool view_sources(Rules *rules, const RuleCall *call, const RuleTensor *outputs, uint32_t n, const SymRef *at,
                  ViewSources *out) {
    const OpDef *op = call->op;
    const OpOutput *output = &op->outputs.items[0]; /* a view has one, or one list */
    uint32_t rank = outputs[n].shape.rank, most = 0;
    RuleValue *items = ARENA_ARRAY(rules->arena, RuleValue, rank + 1);
    for (uint32_t d = 0; d < rank; d++)
        items[d] = (RuleValue){.kind = RULE_INT, .as.i = at[d]};
    const RuleScope *scope = rule_scope(rules, call, NULL);
    scope = with(rules, scope, "n", integer(rules, n));
    scope = with(rules, scope, output->name->p, (RuleValue){.kind = RULE_TENSOR, .as.tensor = &outputs[n]});
    scope = with(rules, scope, "i", (RuleValue){.kind = RULE_LIST, .as.list = {items, rank}});
    for (uint32_t i = 0; i < op->inputs.n; i++)
        most += call->counts[i];
    *out = (ViewSources){ARENA_ARRAY(rules->arena, ViewSource, most + 1), 0};
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        if (i >= op->indices.n) break;
        for (uint32_t k = 0; k < call->counts[i]; k++) {
            if (call->inputs[i][k].dtype == DT_COUNT) continue;
            ViewSource *source = &out->items[out->n];
            source->input = i, source->item = k;
            const RuleScope *here = op->inputs.items[i].list ? with(rules, scope, "k", integer(rules, k)) : scope;
            if (!source_at(rules, &op->indices.items[i].value, &op->valids.items[i].value, here,
                           call->inputs[i][k].shape, source))
                return false;
            int truth = sym_truth(source->valid);
            if (truth == 0) continue;
            out->n++;
            if (truth == 1) return true;
        }
    }
    return true;
}

SymRef sym_ravel(Syms *syms, const SymRef *index, RuleShape shape) {
    SymRef place = sym_int(syms, 0);
    for (uint32_t d = 0; d < shape.rank; d++)
        place = sym_add(syms, sym_mul(syms, place, shape.dims[d]), index[d]);
    return place;
}

void sym_unravel(Syms *syms, SymRef place, RuleShape shape, SymRef *index) {
    int64_t size;
    bool empty = false; /* there is no position, and nothing may be divided by */
    for (uint32_t d = 0; d < shape.rank; d++)
        empty |= sym_is_int(shape.dims[d], &size) && size == 0;
    for (uint32_t d = shape.rank; d-- > 0;) {
        if (empty) {
            index[d] = sym_int(syms, 0);
            continue;
        }
        index[d] = d == 0 ? place : sym_mod(syms, place, shape.dims[d]);
        if (d > 0) place = sym_floordiv(syms, place, shape.dims[d]);
    }
}

bool sym_has_index(SymRef a) {
    if (a->kind == SYM_VAR) return a->a != NULL;
    for (uint32_t i = 0; i < a->n; i++)
        if (sym_has_index(a->terms[i].atom)) return true;
    if (a->kind == SYM_SUM || a->kind == SYM_PRODUCT) return false;
    return sym_has_index(a->a) || (a->b != NULL && sym_has_index(a->b)) || (a->c != NULL && sym_has_index(a->c));
}

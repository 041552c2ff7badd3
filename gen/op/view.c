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
        if (op->indices.items[i].value.expr == NULL) continue; /* its elements are positions in others */
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

/* ---- the other way */

/* The one input that a view reads, all of it. */
static const RuleTensor *only_input(const RuleCall *call) {
    const RuleTensor *only = NULL;
    for (uint32_t i = 0; i < call->op->inputs.n; i++)
        for (uint32_t k = 0; k < call->counts[i]; k++) {
            if (only != NULL) return NULL;
            only = &call->inputs[i][k];
        }
    return only;
}

static SymRef size_of(Syms *syms, RuleShape shape) {
    SymRef size = sym_int(syms, 1);
    for (uint32_t d = 0; d < shape.rank; d++)
        size = sym_mul(syms, size, shape.dims[d]);
    return size;
}

/* Where `a` is `place` plus or minus something that has no position in it: the place for a value of it. */
static SymRef solve(Syms *syms, SymRef a, SymRef place, SymRef value) {
    SymRef rest = sym_sub(syms, a, place);
    if (!sym_has_index(rest)) return sym_sub(syms, value, rest);
    rest = sym_add(syms, a, place);
    return sym_has_index(rest) ? NULL : sym_sub(syms, rest, value);
}

/* Whether reading the view at `at` gives just the element at `index`. */
static bool leads_to(Rules *rules, const RuleCall *call, const RuleTensor *outputs, uint32_t n, const SymRef *at,
                     const SymRef *index, uint32_t rank) {
    ViewSources sources;
    if (!view_sources(rules, call, outputs, n, at, &sources) || sources.n != 1) return false;
    bool same = sym_truth(sources.items[0].valid) == 1;
    for (uint32_t d = 0; same && d < rank; d++)
        same = sources.items[0].index[d] == index[d];
    return same && !rules->syms->overflow;
}

/* Dims that go their own way each: moved, turned round, new ones of size 1. */
static bool invert_dims(Rules *rules, const RuleCall *call, const RuleTensor *outputs, uint32_t n, const SymRef *index,
                        SymRef *at) {
    Syms *syms = rules->syms;
    RuleShape shape = outputs[n].shape;
    const RuleTensor *input = only_input(call);
    SymRef *places = ARENA_ARRAY(rules->arena, SymRef, shape.rank + 1);
    for (uint32_t d = 0; d < shape.rank; d++) {
        int64_t size;
        bool one = sym_is_int(shape.dims[d], &size) && size == 1;
        places[d] = one ? sym_int(syms, 0)
                        : sym_index(syms, names_get(rules->names, str_format(rules->arena, "%%to%u", (unsigned)d)),
                                    shape.dims[d]);
        at[d] = one ? places[d] : NULL;
    }
    ViewSources sources;
    if (!view_sources(rules, call, outputs, n, places, &sources) || sources.n != 1) return false;
    for (uint32_t d = 0; d < input->shape.rank; d++)
        for (uint32_t e = 0; e < shape.rank; e++)
            if (at[e] == NULL) at[e] = solve(syms, sources.items[0].index[d], places[e], index[d]);
    for (uint32_t e = 0; e < shape.rank; e++)
        if (at[e] == NULL) return false;
    return leads_to(rules, call, outputs, n, at, index, input->shape.rank);
}

static bool invert(Rules *rules, const RuleCall *call, const RuleTensor *outputs, uint32_t n, const SymRef *index,
                   SymRef *at) {
    const RuleTensor *input = only_input(call);
    RuleShape shape = outputs[n].shape;
    if (input == NULL || size_of(rules->syms, input->shape) != size_of(rules->syms, shape)) return false;
    if (invert_dims(rules, call, outputs, n, index, at)) return true;
    /* The same elements in their order, in another shape. */
    sym_clear_fault(rules->syms);
    sym_unravel(rules->syms, sym_ravel(rules->syms, index, input->shape), shape, at);
    return leads_to(rules, call, outputs, n, at, index, input->shape.rank);
}

bool view_inverse(Rules *rules, const RuleCall *call, const RuleTensor *outputs, uint32_t n, const SymRef *index,
                  SymRef *at) {
    Diags quiet, *loud = rules->diags;
    diags_init(&quiet, rules->arena);
    rules->diags = &quiet;
    bool before = rules->syms->overflow, good = invert(rules, call, outputs, n, index, at);
    rules->diags = loud;
    if (!before) sym_clear_fault(rules->syms);
    return good;
}

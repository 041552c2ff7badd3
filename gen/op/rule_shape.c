/* rule_shape.c: shapes: what several broadcast to, what an output's rule gives.
 *
 * Two sizes go together where they are the same Sym, or one of them is the number 1. A size that is only a name may
 * well be 1 when the model runs, but then what is generated would differ; so two names are a mistake of the model,
 * which is told that they could differ.
 */
#include "op/rule_internal.h"

/* ---- broadcast */
static bool is_one(SymRef size) {
    int64_t i;
    return sym_is_int(size, &i) && i == 1;
}

static bool same_size(Rules *rules, SymRef a, SymRef b) {
    if (a == b) return true;
    bool same = sym_truth(sym_eq(rules->syms, a, b)) == 1;
    if (rules->syms->overflow) sym_clear_fault(rules->syms); /* a difference too large to be written is one */
    return same;
}

bool rule_broadcast(Rules *rules, const RuleShape *shapes, uint32_t n, RuleShape *out, uint32_t *wrong) {
    *out = (RuleShape){NULL, 0};
    *wrong = 0;
    for (uint32_t i = 0; i < n; i++)
        if (shapes[i].rank > out->rank) out->rank = shapes[i].rank;
    out->dims = ARENA_ARRAY(rules->arena, SymRef, out->rank + 1);
    for (uint32_t k = 1; k <= out->rank; k++) {
        SymRef size = NULL;
        for (uint32_t i = 0; i < n; i++) {
            if (k > shapes[i].rank) continue;
            SymRef other = shapes[i].dims[shapes[i].rank - k];
            if (size == NULL || is_one(size)) {
                size = other;
            } else if (!is_one(other) && !same_size(rules, size, other)) {
                *wrong = k;
                return false;
            }
        }
        out->dims[out->rank - k] = size;
    }
    return true;
}

static void add_shape(Buf *out, const RuleShape *shapes, const Str *names, uint32_t i) {
    if (names != NULL) buf_format(out, "%S ", names[i]);
    rule_print_shape(out, shapes[i]);
}

Diag *rule_say_broadcast(Rules *rules, Span at, const RuleShape *shapes, const Str *names, uint32_t n, uint32_t wrong) {
    Arena *arena = rules->diags->arena;
    uint32_t first = n, second = n; /* the first two that do not go together there */
    for (uint32_t i = 0; i < n && second == n; i++) {
        if (wrong > shapes[i].rank || is_one(shapes[i].dims[shapes[i].rank - wrong])) continue;
        if (first == n)
            first = i;
        else if (!same_size(rules, shapes[i].dims[shapes[i].rank - wrong],
                            shapes[first].dims[shapes[first].rank - wrong]))
            second = i;
    }
    SymRef a = shapes[first].dims[shapes[first].rank - wrong], b = shapes[second].dims[shapes[second].rank - wrong];
    Buf both, size_a, size_b;
    buf_init(&both, arena), buf_init(&size_a, arena), buf_init(&size_b, arena);
    add_shape(&both, shapes, names, first);
    buf_add(&both, S(" and "));
    add_shape(&both, shapes, names, second);
    sym_print(&size_a, a), sym_print(&size_b, b);
    bool could = sym_truth(sym_eq(rules->syms, a, b)) < 0;
    sym_clear_fault(rules->syms);
    Diag *diag =
        diag_error(rules->diags, E_INPUT_SHAPE, at, "shapes %S do not broadcast: dim -%u is %S and %S%s",
                   buf_str(&both), wrong, buf_str(&size_a), buf_str(&size_b), could ? ", which could differ" : "");
    if (could && a->kind == SYM_VAR && b->kind == SYM_VAR)
        diag_hint(rules->diags, diag, "if they are always equal, give both the same name");
    else if (could)
        diag_hint(rules->diags, diag, "sizes that are always equal are written with the same names");
    return diag;
}

/* ---- an output's shape */
static bool take_size(const Eval *eval, const Expr *e, const RuleValue *value, uint32_t k, SymRef *size) {
    if (value->kind != RULE_INT) {
        rule_error(eval, e, "a size is an integer, but dim %u is %s", k, rule_kind_name(value->kind));
        return false;
    }
    *size = value->as.i;
    if (value->as.i->high >= 0) return true;
    Buf text;
    buf_init(&text, eval->rules->diags->arena);
    sym_print(&text, value->as.i);
    rule_error_at(eval, E_INPUT_SHAPE, e->from, e->to, "a size cannot be negative, but dim %u is %S", k,
                  buf_str(&text));
    return false;
}

static bool check_rank(const Eval *eval, const Expr *e, int64_t rank) {
    if (rank >= 0 && rank <= RULE_MOST_RANK) return true;
    rule_error_at(eval, E_INPUT_SHAPE, e->from, e->to, "a tensor has from 0 to %d dims, but here %lld", RULE_MOST_RANK,
                  (long long)rank);
    return false;
}

static bool whole_shape(Rules *rules, const OpExpr *expr, const RuleScope *scope, RuleShape *out) {
    Eval eval;
    RuleValue value;
    if (!rule_eval_in(rules, expr, scope, &value, &eval)) return false;
    if (value.kind != RULE_LIST) {
        rule_error(&eval, expr->expr, "a shape is a list of sizes, but this is %s", rule_kind_name(value.kind));
        return false;
    }
    if (!check_rank(&eval, expr->expr, value.as.list.n)) return false;
    out->rank = value.as.list.n;
    out->dims = ARENA_ARRAY(rules->arena, SymRef, out->rank + 1);
    for (uint32_t k = 0; k < out->rank; k++)
        if (!take_size(&eval, expr->expr, &value.as.list.items[k], k, &out->dims[k])) return false;
    return true;
}

static bool shape_by_dims(Rules *rules, const OpOutput *output, const RuleScope *scope, RuleShape *out) {
    Eval eval;
    RuleValue value;
    int64_t rank;
    if (!rule_eval_in(rules, &output->rank, scope, &value, &eval)) return false;
    if (!rule_known(&eval, output->rank.expr, &value, "a rank", &rank)) return false;
    if (!check_rank(&eval, output->rank.expr, rank)) return false;
    out->rank = (uint32_t)rank;
    out->dims = ARENA_ARRAY(rules->arena, SymRef, out->rank + 1);
    /* A scope only adds to what is around it, so that the outer one may stay const for everybody else. */
    RuleScope inner = {(RuleScope *)(uintptr_t)scope, names_get(rules->names, S("k")), {.kind = RULE_NONE}};
    for (uint32_t k = 0; k < out->rank; k++) {
        inner.value = rule_int(sym_int(rules->syms, k));
        if (!rule_eval_in(rules, &output->dim, &inner, &value, &eval)) return false;
        if (!take_size(&eval, output->dim.expr, &value, k, &out->dims[k])) return false;
    }
    return true;
}

bool rule_shape(Rules *rules, const OpOutput *output, const RuleScope *scope, RuleShape *out) {
    *out = (RuleShape){NULL, RULE_NO_RANK};
    if (output->shape.expr != NULL) return whole_shape(rules, &output->shape, scope, out);
    return output->rank.expr == NULL || shape_by_dims(rules, output, scope, out);
}

bool rule_same_shape(RuleShape a, RuleShape b) {
    bool same = a.rank == b.rank;
    for (uint32_t d = 0; same && d < a.rank; d++)
        same = a.dims[d] == b.dims[d];
    return same;
}

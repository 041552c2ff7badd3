/* rule_functions.c: functions over lists, numbers and dtypes.
 *
 * What is computed of a list's items is what the operators make of them, one after the other, so that a sum of sizes is
 * symbolic where they are. Order is asked where a list is sorted; there sizes have to be comparable. */
#include "op/rule_internal.h"

#include <math.h>

/* ---- lists */
bool rule_call_len(RuleCallArgs *call, RuleValue *out) {
    const RuleValue *a = &call->args[0];
    if (a->kind != RULE_LIST && a->kind != RULE_TEXT) return rule_call_wrong(call, 0, "a list or text");
    *out = rule_int(rule_call_number(call, a->kind == RULE_LIST ? a->as.list.n : (int64_t)str_count(a->as.s)));
    return true;
}

static bool fold(RuleCallArgs *call, Op op, int64_t first, RuleValue *out) {
    if (!rule_call_list_at(call, 0) || !rule_spend(call->eval, call->e, call->args[0].as.list.n)) return false;
    const RuleValue *list = &call->args[0];
    *out = rule_int(rule_call_number(call, first));
    Expr node = {.kind = X_BINARY, .op = op}; /* so that what a sum says of its items has their list's place */
    node.from = node.at = call->at[0]->from, node.to = node.at_to = call->at[0]->to;
    for (uint32_t i = 0; i < list->as.list.n; i++) {
        const RuleValue *item = &list->as.list.items[i];
        if (!rule_is_number(item)) {
            rule_error(call->eval, call->at[0], "%S wants numbers, but item %u is %s", call->name, i,
                       rule_kind_name(item->kind));
            return false;
        }
        RuleValue so_far = *out;
        if (!rule_binary(call->eval, &node, op, &so_far, item, out)) return false;
    }
    return true;
}

bool rule_call_sum(RuleCallArgs *call, RuleValue *out) { return fold(call, OP_ADD, 0, out); }
bool rule_call_prod(RuleCallArgs *call, RuleValue *out) { return fold(call, OP_MUL, 1, out); }

/* The lesser or greater of two numbers. */
static bool extreme_of(RuleCallArgs *call, const Expr *at, bool least, const RuleValue *a, const RuleValue *b,
                       RuleValue *out) {
    Syms *syms = call->eval->rules->syms;
    if (rule_is_integer(a) && rule_is_integer(b)) {
        *out = rule_int(least ? sym_min(syms, a->as.i, b->as.i) : sym_max(syms, a->as.i, b->as.i));
        return rule_fits(call->eval, at);
    }
    bool nan_a = a->kind == RULE_FLOAT && isnan(a->as.f), nan_b = b->kind == RULE_FLOAT && isnan(b->as.f);
    if (nan_a || nan_b) {
        *out = nan_a ? *a : *b;
        return true;
    }
    SymRef less = rule_less(call->eval, at, a, b);
    if (less == NULL) return false;
    if (sym_truth(less) < 0) return rule_undecided(call->eval, at, less);
    *out = least == (sym_truth(less) == 1) ? *a : *b;
    return true;
}

static bool extreme(RuleCallArgs *call, bool least, RuleValue *out) {
    const RuleValue *items = call->args;
    uint32_t n = call->n;
    bool of_list = n == 1 && items[0].kind == RULE_LIST;
    if (of_list) n = items[0].as.list.n, items = items[0].as.list.items;
    if (n == 0) {
        rule_error(call->eval, call->at[0], "%S of a list without items", call->name);
        return false;
    }
    if (!of_list && n == 1) return rule_call_wrong(call, 0, "a list, or several numbers");
    if (!rule_spend(call->eval, call->e, n)) return false;
    *out = items[0];
    for (uint32_t i = 1; i < n; i++) {
        RuleValue so_far = *out;
        if (!extreme_of(call, of_list ? call->at[0] : call->at[i], least, &so_far, &items[i], out)) return false;
    }
    return true;
}

bool rule_call_min(RuleCallArgs *call, RuleValue *out) { return extreme(call, true, out); }
bool rule_call_max(RuleCallArgs *call, RuleValue *out) { return extreme(call, false, out); }

bool rule_call_range(RuleCallArgs *call, RuleValue *out) {
    int64_t from = 0, to = 0, by = 1;
    const char *what = "range's bound";
    if (!rule_known(call->eval, call->at[0], &call->args[0], what, call->n == 1 ? &to : &from)) return false;
    if (call->n > 1 && !rule_known(call->eval, call->at[1], &call->args[1], what, &to)) return false;
    if (call->n > 2 && !rule_known(call->eval, call->at[2], &call->args[2], "range's step", &by)) return false;
    if (by == 0) {
        rule_error(call->eval, call->at[2], "range cannot go in steps of 0");
        return false;
    }
    uint64_t span_of =
        by > 0 ? (to > from ? (uint64_t)to - (uint64_t)from : 0) : (from > to ? (uint64_t)from - (uint64_t)to : 0);
    uint64_t step = by > 0 ? (uint64_t)by : 0 - (uint64_t)by, n = span_of / step + (span_of % step != 0);
    RuleValue *items = rule_room(call->eval, call->e, n);
    if (items == NULL) return false;
    for (uint64_t i = 0; i < n; i++)
        items[i] = rule_int(rule_call_number(call, (int64_t)((uint64_t)from + i * (uint64_t)by)));
    *out = rule_list(items, (uint32_t)n);
    return rule_fits(call->eval, call->e);
}

static bool item_at(RuleCallArgs *call, int64_t i, RuleValue *out) {
    RuleValue at = rule_int(rule_call_number(call, i));
    Expr node = {.kind = X_ITEM, .from = call->e->from, .to = call->e->to};
    node.as.pair.a = node.as.pair.b = (Expr *)(uintptr_t)call->at[0]; /* for their places only */
    return rule_item(call->eval, &node, &call->args[0], &at, out);
}

bool rule_call_first(RuleCallArgs *call, RuleValue *out) { return item_at(call, 0, out); }
bool rule_call_last(RuleCallArgs *call, RuleValue *out) { return item_at(call, -1, out); }

bool rule_call_list(RuleCallArgs *call, RuleValue *out) {
    *out = call->args[0];
    return rule_call_list_at(call, 0);
}

bool rule_call_reverse(RuleCallArgs *call, RuleValue *out) {
    if (!rule_call_list_at(call, 0)) return false;
    uint32_t n = call->args[0].as.list.n;
    RuleValue *items = rule_room(call->eval, call->e, n);
    if (items == NULL) return false;
    for (uint32_t i = 0; i < n; i++)
        items[i] = call->args[0].as.list.items[n - 1 - i];
    *out = rule_list(items, n);
    return true;
}

/* Merges runs of `size` from one array into the other. */
static bool merge_runs(RuleCallArgs *call, const RuleValue *from, RuleValue *to, uint32_t n, uint32_t size) {
    for (uint64_t begin = 0; begin < n; begin += 2 * (uint64_t)size) {
        uint64_t middle = begin + size < n ? begin + size : n,
                 end = begin + 2 * (uint64_t)size < n ? begin + 2 * (uint64_t)size : n;
        for (uint64_t i = begin, j = middle, k = begin; k < end; k++) {
            bool right = i == middle;
            if (!right && j < end) {
                SymRef less = rule_less(call->eval, call->at[0], &from[j], &from[i]);
                if (less == NULL) return false;
                if (sym_truth(less) < 0) return rule_undecided(call->eval, call->at[0], less);
                right = sym_truth(less) == 1;
            }
            to[k] = from[right ? j++ : i++];
        }
    }
    return true;
}

bool rule_call_sort(RuleCallArgs *call, RuleValue *out) {
    if (!rule_call_list_at(call, 0)) return false;
    uint32_t n = call->args[0].as.list.n;
    RuleValue *items = rule_room(call->eval, call->e, n), *other = rule_room(call->eval, call->e, n);
    if (items == NULL || other == NULL) return false;
    if (n > 0) memcpy(items, call->args[0].as.list.items, n * sizeof *items);
    for (uint32_t size = 1; size < n; size *= 2) {
        if (!merge_runs(call, items, other, n, size)) return false;
        RuleValue *swap = items;
        items = other, other = swap;
    }
    *out = rule_list(items, n);
    return true;
}

/* ---- numbers */
bool rule_call_abs(RuleCallArgs *call, RuleValue *out) {
    const RuleValue *a = &call->args[0];
    Syms *syms = call->eval->rules->syms;
    if (a->kind == RULE_FLOAT) {
        *out = rule_float(fabs(a->as.f));
        return true;
    }
    if (!rule_is_integer(a)) return rule_call_wrong(call, 0, "a number");
    *out = rule_int(a->as.i->low >= 0 ? a->as.i
                                      : sym_max(syms, a->as.i, sym_sub(syms, rule_call_number(call, 0), a->as.i)));
    return rule_fits(call->eval, call->e);
}

bool rule_call_int(RuleCallArgs *call, RuleValue *out) {
    const RuleValue *a = &call->args[0];
    if (rule_is_integer(a)) {
        *out = rule_int(a->as.i);
        return true;
    }
    if (a->kind != RULE_FLOAT) return rule_call_wrong(call, 0, "a number");
    double whole = trunc(a->as.f);
    if (!(whole >= -0x1p63 && whole < 0x1p63)) {
        rule_error(call->eval, call->at[0], "this number does not fit 64 bits");
        return false;
    }
    *out = rule_int(rule_call_number(call, (int64_t)whole));
    return true;
}

bool rule_call_bool(RuleCallArgs *call, RuleValue *out) {
    *out = rule_bool(rule_truth(call->eval->rules, &call->args[0]));
    return rule_fits(call->eval, call->e);
}

/* ---- dtypes */
static bool dtype_of(const RuleCallArgs *call, uint32_t i, Dtype *dtype) {
    const RuleValue *a = &call->args[i];
    if (a->kind == RULE_DTYPE) {
        *dtype = a->as.dtype;
        return true;
    }
    return (a->kind == RULE_TEXT && dtype_parse(a->as.s, dtype)) || rule_call_wrong(call, i, "a dtype");
}

bool rule_call_to_float(RuleCallArgs *call, RuleValue *out) {
    Dtype dtype;
    if (!dtype_of(call, 0, &dtype)) return false;
    *out = rule_dtype(dtype_to_float(dtype));
    return true;
}

bool rule_call_float(RuleCallArgs *call, RuleValue *out) {
    const RuleValue *a = &call->args[0];
    if (!rule_is_number(a)) {
        Diag *diag =
            rule_error(call->eval, call->at[0], "float wants a number here, but this is %s", rule_kind_name(a->kind));
        if (a->kind == RULE_DTYPE)
            diag_hint(call->eval->rules->diags, diag, "of dtypes the function is called to_float");
        return false;
    }
    double f;
    if (!rule_double(call->eval, call->at[0], a, &f)) return false;
    *out = rule_float(f);
    return true;
}

bool rule_call_is_float(RuleCallArgs *call, RuleValue *out) {
    Dtype dtype;
    if (!dtype_of(call, 0, &dtype)) return false;
    *out = rule_bool(rule_call_number(call, dtype_is_float(dtype)));
    return true;
}

bool rule_call_is_int(RuleCallArgs *call, RuleValue *out) {
    Dtype dtype;
    if (!dtype_of(call, 0, &dtype)) return false;
    *out = rule_bool(rule_call_number(call, dtype_is_int(dtype)));
    return true;
}

bool rule_call_promote(RuleCallArgs *call, RuleValue *out) {
    Dtype all = DT_COUNT, dtype;
    for (uint32_t i = 0; i < call->n; i++) {
        if (!dtype_of(call, i, &dtype)) return false;
        all = dtype_promote(all, dtype);
    }
    *out = rule_dtype(all);
    return true;
}

bool rule_call_is_none(RuleCallArgs *call, RuleValue *out) {
    *out = rule_bool(rule_call_number(call, call->args[0].kind == RULE_NONE));
    return true;
}

/* order.c: ==, <, in and `is` between values of any kind. Nothing here allocates.
 *
 * What holds other values is compared by recursion to VAL_MOST_DEPTH levels. Lists that share their parts can be far
 * larger than the memory they take, so going into a list within a list counts as iterations of a loop. */
#include "template/value/inner.h"

#include "template/value/big.h"

#include <math.h>

bool val_same(Value a, Value b) {
    if (a.kind != b.kind) return false;
    switch ((ValueKind)a.kind) {
    case V_MISSING:
    case V_NONE:
        return true;
    case V_BOOL:
        return a.as.b == b.as.b;
    case V_INT:
        return a.as.i == b.as.i;
    case V_BIG:
        return big_order(a, b) == 0;
    case V_FLOAT:
        return memcmp(&a.as.f, &b.as.f, sizeof a.as.f) == 0;
    case V_STR:
        return ((a.flags ^ b.flags) & VAL_SAFE) == 0 && str_eq(val_text(a), val_text(b));
    case V_METHOD:
    case V_FUNC:
        return a.as.bound == b.as.bound;
    default:
        return a.as.object == b.as.object; /* all of them are pointers */
    }
}

static bool equal_at(Run *run, Value a, Value b, unsigned depth);

/* As elements: what is the same is equal, even a NaN or a list that holds itself. */
static bool equal_items(Run *run, Value a, Value b, unsigned depth) {
    if (a.kind == V_STR && b.kind == V_STR) return str_eq(val_text(a), val_text(b));
    return val_same(a, b) || equal_at(run, a, b, depth);
}

static void enter(Run *run, unsigned depth, uint32_t elements) {
    if (depth >= VAL_MOST_DEPTH) fail_depth(run, "compared");
    if (depth > 0) run_spend(run, elements);
}

static bool equal_lists(Run *run, const List *a, const List *b, unsigned depth) {
    if (a->n != b->n) return false;
    enter(run, depth, a->n);
    for (uint32_t i = 0; i < a->n; i++)
        if (!equal_items(run, a->items[i], b->items[i], depth + 1)) return false;
    return true;
}

static bool equal_dicts(Run *run, const Dict *a, const Dict *b, unsigned depth) {
    if (a->live != b->live) return false;
    enter(run, depth, a->live);
    for (uint32_t i = dict_next(a, 0); i < a->used; i = dict_next(a, i + 1)) {
        const Value *other = dict_find(run, b, a->entries[i].key);
        if (other == NULL || !equal_items(run, a->entries[i].value, *other, depth + 1)) return false;
    }
    return true;
}

/* keys() and items() compare as sets. */
static bool equal_views(Run *run, const View *a, const View *b, unsigned depth) {
    if (a->kind == VIEW_VALUES || b->kind != a->kind) return a == b;
    if (a->kind == VIEW_ITEMS) return equal_dicts(run, a->dict, b->dict, depth);
    if (a->dict->live != b->dict->live) return false;
    const Dict *dict = a->dict;
    for (uint32_t i = dict_next(dict, 0); i < dict->used; i = dict_next(dict, i + 1))
        if (dict_find(run, b->dict, dict->entries[i].key) == NULL) return false;
    return true;
}

static bool equal_ranges(const Range *a, const Range *b) {
    return a->n == b->n && (a->n == 0 || (a->start == b->start && (a->n == 1 || a->step == b->step)));
}

static bool equal_at(Run *run, Value a, Value b, unsigned depth) {
    if (a.kind == V_UNDEFINED || b.kind == V_UNDEFINED) {
        if (run_undefined_fails(run, a)) run_fail_undefined(run, a);
        if (run_undefined_fails(run, b)) run_fail_undefined(run, b);
        return a.kind == b.kind;
    }
    if (val_is_number(a) && val_is_number(b)) return number_order(a, b) == 0;
    if (a.kind != b.kind) return false;
    switch (a.kind) {
    case V_STR:
        return str_eq(val_text(a), val_text(b));
    case V_LIST:
    case V_TUPLE:
        return equal_lists(run, a.as.list, b.as.list, depth);
    case V_DICT:
        return equal_dicts(run, a.as.dict, b.as.dict, depth);
    case V_RANGE:
        return equal_ranges(a.as.range, b.as.range);
    case V_VIEW:
        return equal_views(run, a.as.view, b.as.view, depth);
    case V_METHOD:
    case V_FUNC:
        return a.as.bound->native == b.as.bound->native && a.as.bound->user == b.as.bound->user &&
               val_same(a.as.bound->self, b.as.bound->self);
    default:
        return val_same(a, b);
    }
}

bool val_equal(Run *run, Value a, Value b) {
    if (a.kind == V_STR && b.kind == V_STR) return str_eq(val_text(a), val_text(b));
    if (a.kind == V_INT && b.kind == V_INT) return a.as.i == b.as.i;
    return equal_at(run, a, b, 0);
}

NORETURN static void fail_order(Run *run, Value a, Value b, Op op) {
    if (a.kind == V_UNDEFINED) run_fail_undefined(run, a);
    if (b.kind == V_UNDEFINED) run_fail_undefined(run, b);
    run_fail(run, "cannot compare %s with %s using %s", val_type_name(a), val_type_name(b), op_text(op));
}

static int order_at(Run *run, Value a, Value b, Op op, unsigned depth) {
    if (a.kind == V_STR && b.kind == V_STR) {
        int order = str_cmp(val_text(a), val_text(b));
        return (order > 0) - (order < 0); /* 2 would mean that they have no order */
    }
    if (val_is_number(a) && val_is_number(b)) return number_order(a, b);
    if (!is_sequence(a) || a.kind != b.kind) fail_order(run, a, b, op);
    const List *x = a.as.list, *y = b.as.list;
    uint32_t n = x->n < y->n ? x->n : y->n;
    enter(run, depth, n);
    for (uint32_t i = 0; i < n; i++)
        if (!equal_items(run, x->items[i], y->items[i], depth + 1))
            return order_at(run, x->items[i], y->items[i], op, depth + 1);
    return (x->n > y->n) - (x->n < y->n);
}

int val_order(Run *run, Value a, Value b, Op op) {
    if (a.kind == V_INT && b.kind == V_INT) return (a.as.i > b.as.i) - (a.as.i < b.as.i);
    return order_at(run, a, b, op, 0);
}

bool val_compare(Run *run, Op op, Value a, Value b) {
    switch (op) {
    case OP_EQ:
        return val_equal(run, a, b);
    case OP_NE:
        return !val_equal(run, a, b);
    case OP_IN:
        return val_contains(run, b, a);
    case OP_NOT_IN:
        return !val_contains(run, b, a);
    default:
        break;
    }
    int order = val_order(run, a, b, op);
    if (order == 2) return false;
    return op == OP_LT ? order < 0 : op == OP_LE ? order <= 0 : op == OP_GT ? order > 0 : order >= 0;
}

/* ---- in */

/* Going through a long list is cheap, but not free: 64 elements count as one iteration. */
static bool in_items(Run *run, const Value *items, uint32_t n, Value item) {
    run_spend(run, n / 64);
    for (uint32_t i = 0; i < n; i++)
        if (equal_items(run, items[i], item, 0)) return true;
    return false;
}

static bool in_range(Run *run, const Range *range, Value item) {
    if (item.kind == V_FLOAT && item.as.f == trunc(item.as.f) && fabs(item.as.f) < 0x1p63)
        item = val_int((int64_t)item.as.f);
    if (range->n > 0 && run_undefined_fails(run, item)) run_fail_undefined(run, item);
    if (!is_small(item) || range->n == 0) return false;
    int64_t i = small(item), last = range_at(range, range->n - 1);
    if (range->step > 0 ? i < range->start || i > last : i > range->start || i < last) return false;
    uint64_t distance = range->step > 0 ? (uint64_t)i - (uint64_t)range->start : (uint64_t)range->start - (uint64_t)i;
    uint64_t step = range->step > 0 ? (uint64_t)range->step : 0 - (uint64_t)range->step;
    return distance % step == 0;
}

static bool in_view(Run *run, const View *view, Value item) {
    const Dict *dict = view->dict;
    if (view->kind == VIEW_KEYS) return dict_find(run, dict, item) != NULL;
    if (view->kind == VIEW_ITEMS) {
        if (item.kind != V_TUPLE || item.as.list->n != 2) return false;
        const Value *value = dict_find(run, dict, item.as.list->items[0]);
        return value != NULL && equal_items(run, *value, item.as.list->items[1], 0);
    }
    run_spend(run, dict->live / 64);
    for (uint32_t i = dict_next(dict, 0); i < dict->used; i = dict_next(dict, i + 1))
        if (equal_items(run, dict->entries[i].value, item, 0)) return true;
    return false;
}

static bool in_iterator(Run *run, Value container, Value item) {
    ValueIter it;
    Value v;
    val_iter(run, &it, container);
    while (val_next(run, &it, &v)) {
        run_spend(run, 1);
        if (equal_items(run, v, item, 0)) return true;
    }
    return false;
}

bool val_contains(Run *run, Value container, Value item) {
    switch (container.kind) {
    case V_STR:
        if (item.kind == V_STR) return str_find(val_text(container), val_text(item)) != STR_NONE;
        if (item.kind == V_UNDEFINED) run_fail_undefined(run, item);
        run_fail(run, "cannot look for %s in str: only a str can be in it", val_type_name(item));
    case V_LIST:
    case V_TUPLE:
        return in_items(run, container.as.list->items, container.as.list->n, item);
    case V_DICT:
        return dict_find(run, container.as.dict, item) != NULL;
    case V_RANGE:
        return in_range(run, container.as.range, item);
    case V_VIEW:
        return in_view(run, container.as.view, item);
    case V_UNDEFINED:
        if (run_undefined_fails(run, container)) run_fail_undefined(run, container);
        return false;
    default:
        if (val_can_iter(container)) return in_iterator(run, container, item);
        run_fail(run, "cannot look for something in %s: it holds no elements", val_type_name(container));
    }
}

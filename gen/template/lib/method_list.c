/* method_list.c: the methods of lists, tuples and ranges. Those that change a list tell the run (run_changed), since
 * what is put in may be younger than the list. Growth is bounded by the run's memory. */
#include "template/lib/lib.h"
#include "template/lib/method.h"

/* The place of an item that is equal; -1 if there is none. */
static int64_t place_of(Run *run, const List *list, Value item, int64_t from, int64_t to) {
    for (int64_t i = from; i < to && i < list->n; i++)
        if (method_same(run, list->items[i], item)) return i;
    return -1;
}

static Value index_of(Run *run, const Value *a, const char *who) {
    const List *list = a[0].as.list;
    int64_t from, to;
    for (int i = 2; i < 4; i++)
        if (a[i].kind == V_NONE)
            run_fail(run, "%s: \"%s\" must be an int, not NoneType", who, i == 2 ? "start" : "stop");
    text_arg_range(run, a[2], a[3], who, list->n, &from, &to);
    int64_t at = place_of(run, list, a[1], from, to);
    if (at >= 0) return val_int(at);
    Buf shown;
    buf_init(&shown, run->error_arena);
    val_repr(run, &shown, a[1]);
    run_fail(run, "%s: %.60S is not in it", who, buf_str(&shown));
}

static Value count_of(Run *run, const List *list, Value item) {
    int64_t n = 0;
    for (uint32_t i = 0; i < list->n; i++)
        n += method_same(run, list->items[i], item);
    return val_int(n);
}

static void take_out(Run *run, List *list, uint32_t at) {
    memmove(list->items + at, list->items + at + 1, (list->n - at - 1) * sizeof *list->items);
    list->n--;
    run_changed(run);
}

static METHOD(list_append) {
    list_push(run->arena, a[0].as.list, a[1]);
    run_changed(run);
    return val_none();
}

static METHOD(list_clear) {
    a[0].as.list->n = 0;
    run_changed(run);
    return val_none();
}

static METHOD(list_copy) { return val_list(val_to_list(run, a[0])); }
static METHOD(list_count) { return count_of(run, a[0].as.list, a[1]); }
static METHOD(tuple_count) { return count_of(run, a[0].as.list, a[1]); }
static METHOD(list_index) { return index_of(run, a, "list.index"); }
static METHOD(tuple_index) { return index_of(run, a, "tuple.index"); }

static METHOD(list_extend) {
    /* Copied first: it may be the list itself, or something that looks at it. */
    const List *more = val_to_list(run, a[1]);
    for (uint32_t i = 0; i < more->n; i++)
        list_push(run->arena, a[0].as.list, more->items[i]);
    run_changed(run);
    return val_none();
}

static METHOD(list_insert) {
    List *list = a[0].as.list;
    if (a[1].kind == V_NONE) run_fail(run, "list.insert: \"index\" must be an int, not NoneType");
    int64_t n = list->n, at = text_arg_index(run, a[1], "list.insert", "index", 0);
    if (at < 0) at = at < -n ? 0 : at + n;
    if (at > n) at = n;
    list_push(run->arena, list, a[2]);
    memmove(list->items + at + 1, list->items + at, (size_t)(n - at) * sizeof *list->items);
    list->items[at] = a[2];
    run_changed(run);
    return val_none();
}

static METHOD(list_pop) {
    List *list = a[0].as.list;
    int64_t at = a[1].kind == V_MISSING ? -1 : text_arg_int(run, a[1], "list.pop", "index");
    if (list->n == 0) run_fail(run, "list.pop: the list is empty");
    if (at < -(int64_t)list->n || at >= list->n)
        run_fail(run, "list.pop: there is no place %lld in a list of %u", (long long)at, list->n);
    if (at < 0) at += list->n;
    Value item = list->items[at];
    take_out(run, list, (uint32_t)at);
    return item;
}

static METHOD(list_remove) {
    int64_t at = place_of(run, a[0].as.list, a[1], 0, INT64_MAX);
    if (at < 0) {
        Buf shown;
        buf_init(&shown, run->error_arena);
        val_repr(run, &shown, a[1]);
        run_fail(run, "list.remove: %.60S is not in it", buf_str(&shown));
    }
    take_out(run, a[0].as.list, (uint32_t)at);
    return val_none();
}

static METHOD(list_reverse) {
    List *list = a[0].as.list;
    for (uint32_t i = 0, k = list->n; i + 1 < k; i++) {
        Value v = list->items[i];
        list->items[i] = list->items[--k];
        list->items[k] = v;
    }
    run_changed(run);
    return val_none();
}

static METHOD(list_sort) {
    if (method_given(a[1]))
        run_fail_as(run, E_RENDER, S("the filter |sort takes attribute=\"name\""),
                    "list.sort: \"key\" must be none, not %s", val_type_name(a[1]));
    List *list = a[0].as.list;
    bool backwards = a[2].kind != V_MISSING && text_arg_int(run, a[2], "list.sort", "reverse") != 0;
    ArenaMark mark = arena_mark(run->arena);
    SortItem *items = ARENA_ARRAY(run->arena, SortItem, list->n);
    for (uint32_t i = 0; i < list->n; i++)
        items[i] = (SortItem){list->items[i], list->items[i]};
    lib_sort(run, items, list->n, SORT_PLAIN, backwards);
    for (uint32_t i = 0; i < list->n; i++)
        list->items[i] = items[i].value;
    arena_reset(run->arena, mark);
    run_changed(run);
    return val_none();
}

static const Native list_methods[] = {
    {"append", list_append, "object /"},
    {"clear", list_clear, ""},
    {"copy", list_copy, ""},
    {"count", list_count, "value /"},
    {"extend", list_extend, "iterable /"},
    {"index", list_index, "value start? stop? /"},
    {"insert", list_insert, "index object /"},
    {"pop", list_pop, "index? /"},
    {"remove", list_remove, "value /"},
    {"reverse", list_reverse, ""},
    {"sort", list_sort, "* key? reverse?"},
};

static const Native tuple_methods[] = {
    {"count", tuple_count, "value /"},
    {"index", tuple_index, "value start? stop? /"},
};

const Native *method_of_list(Str name) { return method_find(METHOD_TABLE(list_methods), name); }
const Native *method_of_tuple(Str name) { return method_find(METHOD_TABLE(tuple_methods), name); }

/* ---- ranges: nothing is gone through, the place is computed */

static int64_t range_place(Run *run, const Range *range, Value v) {
    if (!val_is_number(v) || !val_contains(run, VAL(V_RANGE, range, (Range *)(uintptr_t)range), v)) return -1;
    double f = v.kind == V_FLOAT ? v.as.f : 0; /* one that equals an element */
    int64_t i = v.kind == V_FLOAT ? (int64_t)f : v.kind == V_BOOL ? v.as.b : v.as.i;
    return (int64_t)(range->step > 0 ? ((uint64_t)i - (uint64_t)range->start) / (uint64_t)range->step
                                     : ((uint64_t)range->start - (uint64_t)i) / (0 - (uint64_t)range->step));
}

static METHOD(range_count) { return val_int(range_place(run, a[0].as.range, a[1]) >= 0); }

static METHOD(range_index) {
    int64_t at = range_place(run, a[0].as.range, a[1]);
    if (at >= 0) return val_int(at);
    Buf shown;
    buf_init(&shown, run->error_arena);
    val_repr(run, &shown, a[1]);
    run_fail(run, "range.index: %.60S is not in it", buf_str(&shown));
}

static const Native range_methods[] = {
    {"count", range_count, "value /"},
    {"index", range_index, "value /"},
};

const Native *method_of_range(Str name) { return method_find(METHOD_TABLE(range_methods), name); }

/* filter_list.c: filters that take a list, or anything that can be gone through, apart and put it together again.
 *
 * What Jinja gives as a generator is a V_ONESHOT here: it can be gone through once and has no length, but all
 * its elements are made at once. */
#include "template/lib/lib.h"

BUILTIN(filter_length) { return val_int(val_length(run, a[0])); }
BUILTIN(filter_list) { return val_list(val_to_list(run, a[0])); }

BUILTIN(filter_first) {
    ValueIter it;
    Value item;
    val_iter(run, &it, a[0]);
    if (val_next(run, &it, &item)) return item;
    return val_undefined_hint(run, S("there is no first item: the sequence is empty"));
}

/* What Python's reversed() takes: not iterators, which know no end. Strict undefined values fail in val_length. */
static bool is_reversible(Run *run, Value v, int64_t *n) {
    if (v.kind == V_ONESHOT || v.kind == V_OBJECT || v.kind == V_STR) return false;
    if (v.kind == V_UNDEFINED) {
        *n = val_length(run, v);
        return true;
    }
    return val_has_length(run, v, n);
}

static Value last_char(Value text) {
    const char *p = text.as.s + text.n - 1;
    while (p > text.as.s && ((unsigned char)*p & 0xC0) == 0x80)
        p--;
    Value v = val_str_lit(p, (size_t)(text.as.s + text.n - p));
    v.flags = text.flags & VAL_SAFE;
    return v;
}

BUILTIN(filter_last) {
    Value v = a[0];
    int64_t n;
    if (v.kind == V_STR && v.n > 0) return last_char(v);
    if (v.kind == V_STR)
        n = 0;
    else if (!is_reversible(run, v, &n))
        lib_wrong(run, "filter \"last\"", "the value", "a list (put |list before it)", v);
    if (n == 0) return val_undefined_hint(run, S("there is no last item: the sequence is empty"));
    if (v.kind == V_LIST || v.kind == V_TUPLE) return v.as.list->items[n - 1];
    if (v.kind == V_RANGE) return val_get_item(run, v, val_int(n - 1));
    ValueIter it;
    Value item = val_none();
    val_iter(run, &it, v);
    while (val_next(run, &it, &item))
        run_spend(run, 1);
    return item;
}

/* splitmix64 with a fixed beginning: the same template and data give the same text, on every machine. */
static uint64_t next_random(Run *run) {
    uint64_t z = run->random += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Not random at all: it picks by a fixed sequence, because generated sources must not change from run to run. */
BUILTIN(filter_random) {
    Value v = a[0];
    if (v.kind != V_LIST && v.kind != V_TUPLE && v.kind != V_STR && v.kind != V_RANGE)
        lib_wrong(run, "filter \"random\"", "the value", "a list or text", v);
    int64_t n = val_length(run, v);
    if (n == 0) return val_undefined_hint(run, S("there is no random item: the sequence is empty"));
    return val_get_item(run, v, val_int((int64_t)(next_random(run) % (uint64_t)n)));
}

static Value reversed_text(Run *run, Value v) {
    Buf out;
    buf_init(&out, run->arena);
    buf_room(&out, v.n);
    for (const char *end = v.as.s + v.n; end > v.as.s;) {
        const char *p = end - 1;
        while (p > v.as.s && ((unsigned char)*p & 0xC0) == 0x80)
            p--;
        buf_add(&out, str(p, (size_t)(end - p)));
        end = p;
    }
    return text_take(run, &out, v.flags & VAL_SAFE);
}

BUILTIN(filter_reverse) {
    Value v = a[0];
    int64_t n;
    if (v.kind == V_STR) return reversed_text(run, v);
    bool reversible = is_reversible(run, v, &n);
    if (!reversible && !val_can_iter(v))
        lib_wrong(run, "filter \"reverse\"", "the value", "something to go through", v);
    List *list = val_to_list(run, v);
    run_spend(run, list->n);
    for (uint32_t i = 0, j = list->n; i + 1 < j; i++) {
        Value keep = list->items[i];
        list->items[i] = list->items[--j];
        list->items[j] = keep;
    }
    return reversible ? val_oneshot(run, "reverse", list) : val_list(list);
}

/* How long a row is: 2.0 is as good as 2, because templates divide; what no number of items can equal is -1. */
static int64_t row_length(Run *run, Value v) {
    if (v.kind == V_FLOAT)
        return v.as.f >= 0 && v.as.f < 9e15 && v.as.f == (double)(int64_t)v.as.f ? (int64_t)v.as.f : -1;
    if (v.kind == V_BIG) return val_order(run, v, val_int(0), OP_LT) < 0 ? -1 : INT64_MAX;
    return lib_int(run, "filter \"batch\"", "linecount", v);
}

static void fill_row(Run *run, const char *who, List *row, int64_t length, Value with) {
    if (!lib_some(with) || row->n >= length) return;
    lib_room(run, who, (uint64_t)length, sizeof(Value));
    for (int64_t i = length - row->n; i > 0; i--)
        list_push(run->arena, row, with);
}

BUILTIN(filter_batch) {
    int64_t length = row_length(run, a[1]);
    List *rows = list_new(run->arena, 0), *row = list_new(run->arena, 0);
    ValueIter it;
    Value item;
    val_iter(run, &it, a[0]);
    while (val_next(run, &it, &item)) {
        if (row->n == length) {
            list_push(run->arena, rows, val_list(row));
            row = list_new(run->arena, (uint32_t)(length < 64 ? length : 64));
        }
        list_push(run->arena, row, item);
    }
    if (row->n > 0) {
        fill_row(run, "filter \"batch\"", row, length, a[2]);
        list_push(run->arena, rows, val_list(row));
    }
    return val_oneshot(run, "batch", rows);
}

BUILTIN(filter_slice) {
    const char *who = "filter \"slice\"";
    List *all = val_to_list(run, a[0]);
    int64_t slices = lib_int(run, who, "slices", a[1]);
    if (slices == 0) run_fail(run, "%s: slices must not be 0", who);
    List *out = list_new(run->arena, 0);
    if (slices < 0) return val_oneshot(run, "slice", out);
    lib_room(run, who, (uint64_t)slices, sizeof(Value) + sizeof(List));
    int64_t each = all->n / slices, longer = all->n % slices, at = 0;
    for (int64_t i = 0; i < slices; i++) {
        int64_t n = each + (i < longer ? 1 : 0);
        List *part = list_new(run->arena, (uint32_t)n);
        for (int64_t k = 0; k < n; k++)
            list_push(run->arena, part, all->items[at++]);
        if (i >= longer && lib_some(a[2])) list_push(run->arena, part, a[2]);
        list_push(run->arena, out, val_list(part));
    }
    return val_oneshot(run, "slice", out);
}

/* ---- join */

static Value join_plain(Run *run, Value over, const AttrPath *path, Str separator) {
    Buf out;
    buf_init(&out, run->arena);
    ValueIter it;
    Value item;
    val_iter(run, &it, over);
    for (bool first = true; val_next(run, &it, &item); first = false) {
        run_spend(run, 1);
        if (!first) buf_add(&out, separator);
        if (path->n > 0) item = lib_path_get(run, path, item);
        if (item.kind == V_STR)
            buf_add(&out, val_text(item));
        else
            val_print(run, &out, item);
    }
    return text_take(run, &out, 0);
}

/* With autoescape on, one safe text among the items or as the separator makes all of it safe, the rest escaped. */
static Value join_escaped(Run *run, Value over, const AttrPath *path, Value separator) {
    List *items = val_to_list(run, over);
    bool safe = lib_has_html(run, separator);
    for (uint32_t i = 0; i < items->n; i++) {
        Value item = lib_path_get(run, path, items->items[i]);
        safe |= lib_has_html(run, item);
        items->items[i] = val_to_str(run, item);
    }
    Buf out;
    buf_init(&out, run->arena);
    separator = val_to_str(run, separator);
    if (safe) separator = text_escape(run, separator);
    for (uint32_t i = 0; i < items->n; i++) {
        if (i > 0) buf_add(&out, val_text(separator));
        buf_add(&out, val_text(safe ? text_escape(run, items->items[i]) : items->items[i]));
    }
    return text_take(run, &out, safe ? VAL_SAFE : 0);
}

BUILTIN(filter_join) {
    AttrPath path;
    lib_path(run, &path, "filter \"join\"", a[2], val_missing(), false);
    Value separator = lib_given(a[1]) ? a[1] : VS("");
    if (run->autoescape) return join_escaped(run, a[0], &path, separator);
    return join_plain(run, a[0], &path, lib_str(run, separator));
}

/* The pairs of a dict; nothing for what is undefined, which is what sets it apart from .items(). */
BUILTIN(filter_items) {
    if (a[0].kind == V_DICT) return val_oneshot_items(run, "items", a[0].as.dict);
    if (a[0].kind != V_UNDEFINED) lib_wrong(run, "filter \"items\"", "the value", "a dict", a[0]);
    return val_oneshot(run, "items", list_new(run->arena, 0));
}

/* filter_sort.c: filters that order, group or add up: sort, unique, groupby, dictsort, min, max, sum.
 *
 * One merge sort serves them all. It goes from runs of one to runs of the whole, so nothing recurses, equal
 * elements keep their order, and what is sorted already costs one comparison an element. */
#include "template/lib/lib.h"

static int any_order(Run *run, Value x, Value y);

/* Whether x must stand before y. */
static bool less(Run *run, SortKeys keys, Value x, Value y) {
    if (keys == SORT_ANY) return any_order(run, x, y) < 0;
    bool scalars = (x.kind == V_STR && y.kind == V_STR) || (val_is_number(x) && val_is_number(y));
    if (keys == SORT_LISTS && !scalars && (val_same(x, y) || val_equal(run, x, y))) return false;
    return val_order(run, x, y, OP_LT) < 0;
}

static void merge(Run *run, SortItem *to, const SortItem *left, uint32_t left_n, uint32_t right_n, SortKeys keys,
                  bool reverse) {
    const SortItem *right = left + left_n, *left_end = right, *right_end = right + right_n;
#define RIGHT_FIRST(x, y) (reverse ? less(run, keys, (x).key, (y).key) : less(run, keys, (y).key, (x).key))
    if (right_n == 0 || !RIGHT_FIRST(left_end[-1], *right)) {
        memcpy(to, left, ((size_t)left_n + right_n) * sizeof *to);
        return;
    }
    while (left < left_end && right < right_end)
        *to++ = RIGHT_FIRST(*left, *right) ? *right++ : *left++;
#undef RIGHT_FIRST
    while (left < left_end)
        *to++ = *left++;
    while (right < right_end)
        *to++ = *right++;
}

void lib_sort(Run *run, SortItem *items, uint32_t n, SortKeys keys, bool reverse) {
    if (n < 2) return;
    SortItem *from = items, *to = ARENA_ARRAY(run->arena, SortItem, n);
    for (uint64_t width = 1; width < n; width *= 2) {
        run_spend(run, n);
        for (uint64_t at = 0; at < n; at += 2 * width) {
            uint64_t left = n - at < width ? n - at : width, right = n - at - left < width ? n - at - left : width;
            merge(run, to + at, from + at, (uint32_t)left, (uint32_t)right, keys, reverse);
        }
        SortItem *keep = from;
        from = to, to = keep;
    }
    if (from != items) memcpy(items, from, n * sizeof *items);
}

/* What can be ordered without an error: numbers, and texts. Other keys stand by the names of their types. */
static int any_order(Run *run, Value x, Value y) {
    if ((val_is_number(x) && val_is_number(y)) || (x.kind == V_STR && y.kind == V_STR)) {
        int order = val_order(run, x, y, OP_LT);
        return order == 2 ? 0 : order;
    }
    if (x.kind != V_TUPLE || y.kind != V_TUPLE) return strcmp(val_type_name(x), val_type_name(y));
    const List *p = x.as.list, *q = y.as.list;
    for (uint32_t i = 0; i < p->n && i < q->n; i++) {
        Value u = p->items[i], v = q->items[i];
        bool nested = u.kind == V_TUPLE || v.kind == V_TUPLE; /* tuples within keys: left as they came */
        int order = nested ? 0 : any_order(run, u, v);
        if (order != 0) return order;
    }
    return (p->n > q->n) - (p->n < q->n);
}

SortItem *lib_sort_items(Run *run, const Dict *dict, SortKeys keys) {
    SortItem *items = ARENA_ARRAY(run->arena, SortItem, dict->live);
    uint32_t n = 0;
    for (uint32_t i = dict_next(dict, 0); i < dict->used; i = dict_next(dict, i + 1))
        items[n++] = (SortItem){dict->entries[i].key, dict->entries[i].value};
    lib_sort(run, items, n, keys, false);
    return items;
}

/* ---- sort */

/* "a,b.c": one path for each; the key is then a list, which Python compares element by element. */
typedef struct Paths {
    AttrPath *items;
    uint32_t n;
} Paths;

static Paths read_paths(Run *run, const char *who, Value attribute, bool ignore_case) {
    Paths paths = {0};
    if (attribute.kind != V_STR) {
        paths.items = ARENA_NEW(run->arena, AttrPath);
        lib_path(run, &paths.items[paths.n++], who, attribute, val_missing(), ignore_case);
        return paths;
    }
    Str rest = val_text(attribute);
    uint32_t n = 1;
    for (size_t i = 0; i < rest.n; i++)
        n += rest.p[i] == ',';
    paths.items = ARENA_ARRAY(run->arena, AttrPath, n);
    for (;;) {
        size_t comma = str_find_char(rest, ',');
        Value part = val_str(run, comma == STR_NONE ? rest : str_sub(rest, 0, comma));
        lib_path(run, &paths.items[paths.n++], who, part, val_missing(), ignore_case);
        if (comma == STR_NONE) return paths;
        rest = str_sub(rest, comma + 1, rest.n);
    }
}

static Value paths_key(Run *run, const Paths *paths, Value item) {
    if (paths->n == 1) return lib_path_get(run, &paths->items[0], item);
    List *key = list_new(run->arena, paths->n);
    for (uint32_t i = 0; i < paths->n; i++)
        list_push(run->arena, key, lib_path_get(run, &paths->items[i], item));
    return val_list(key);
}

BUILTIN(filter_sort) {
    bool ignore_case = !lib_flag(run, a[2], false);
    Paths paths = read_paths(run, "filter \"sort\"", a[3], ignore_case);
    List *list = val_to_list(run, a[0]);
    SortItem *items = ARENA_ARRAY(run->arena, SortItem, list->n);
    for (uint32_t i = 0; i < list->n; i++)
        items[i] = (SortItem){paths_key(run, &paths, list->items[i]), list->items[i]};
    lib_sort(run, items, list->n, SORT_LISTS, lib_flag(run, a[1], false));
    for (uint32_t i = 0; i < list->n; i++)
        list->items[i] = items[i].value;
    return val_list(list);
}

BUILTIN(filter_dictsort) {
    const char *who = "filter \"dictsort\"";
    if (a[0].kind != V_DICT) lib_wrong(run, who, "the value", "a dict", a[0]);
    bool sensitive = lib_flag(run, a[1], false);
    Str by = lib_given(a[2]) ? lib_wants_str(run, who, "by", a[2]) : S("key");
    bool by_value = str_eq(by, S("value"));
    if (!by_value && !str_eq(by, S("key"))) run_fail(run, "%s: by must be \"key\" or \"value\", not %Q", who, by);
    const Dict *dict = a[0].as.dict;
    SortItem *items = ARENA_ARRAY(run->arena, SortItem, dict->live);
    uint32_t n = 0;
    for (uint32_t i = dict_next(dict, 0); i < dict->used; i = dict_next(dict, i + 1)) {
        const DictEntry *entry = &dict->entries[i];
        Value key = by_value ? entry->value : entry->key;
        if (!sensitive) key = lib_lower_if_text(run, key);
        items[n++] = (SortItem){key, val_pair(run, entry->key, entry->value)};
    }
    lib_sort(run, items, n, SORT_PLAIN, lib_flag(run, a[3], false));
    List *out = list_new(run->arena, n);
    for (uint32_t i = 0; i < n; i++)
        list_push(run->arena, out, items[i].value);
    return val_list(out);
}

/* ---- unique, groupby */

BUILTIN(filter_unique) {
    AttrPath path;
    lib_path(run, &path, "filter \"unique\"", a[2], val_missing(), !lib_flag(run, a[1], false));
    Dict *seen = dict_new(run->arena, 0);
    List *out = list_new(run->arena, 0);
    ValueIter it;
    Value item;
    val_iter(run, &it, a[0]);
    while (val_next(run, &it, &item)) {
        run_spend(run, 1);
        Value key = lib_path_get(run, &path, item);
        if (dict_find(run, seen, key) != NULL) continue;
        dict_set(run, seen, key, val_none());
        list_push(run->arena, out, item);
    }
    return val_oneshot(run, "unique", out);
}

/* A group prints, unpacks and compares as the tuple that it is, and has .grouper and .list by its mark. */
static Value new_group(Run *run, Value grouper, List *members) {
    Value group = val_pair(run, grouper, val_list(members));
    group.flags |= VAL_GROUP;
    return group;
}

BUILTIN(filter_groupby) {
    const char *who = "filter \"groupby\"";
    bool ignore_case = !lib_flag(run, a[3], false);
    AttrPath path, real;
    lib_path(run, &path, who, a[1], a[2], ignore_case);
    lib_path(run, &real, who, a[1], a[2], false);
    List *list = val_to_list(run, a[0]);
    SortItem *items = ARENA_ARRAY(run->arena, SortItem, list->n);
    for (uint32_t i = 0; i < list->n; i++)
        items[i] = (SortItem){lib_path_get(run, &path, list->items[i]), list->items[i]};
    lib_sort(run, items, list->n, SORT_PLAIN, false);
    List *out = list_new(run->arena, 0);
    for (uint32_t i = 0, next; i < list->n; i = next) {
        List *members = list_new(run->arena, 0);
        for (next = i; next < list->n; next++) {
            Value x = items[i].key, y = items[next].key;
            if (next > i && !val_same(x, y) && !val_equal(run, x, y)) break;
            list_push(run->arena, members, items[next].value);
        }
        /* the name of a group is the first one's, in its own case */
        Value grouper = ignore_case ? lib_path_get(run, &real, items[i].value) : items[i].key;
        list_push(run->arena, out, new_group(run, grouper, members));
    }
    return val_list(out);
}

/* ---- min, max, sum */

static Value extreme(Run *run, const Value *a, const char *who, bool most) {
    AttrPath path;
    lib_path(run, &path, who, a[2], val_missing(), !lib_flag(run, a[1], false));
    ValueIter it;
    Value item, best, best_key;
    val_iter(run, &it, a[0]);
    if (!val_next(run, &it, &best))
        return val_undefined_hint(run, most ? S("there is no largest item: the sequence is empty")
                                            : S("there is no smallest item: the sequence is empty"));
    best_key = lib_path_get(run, &path, best);
    while (val_next(run, &it, &item)) {
        run_spend(run, 1);
        Value key = lib_path_get(run, &path, item);
        int order = val_order(run, key, best_key, most ? OP_GT : OP_LT);
        if (order == 2 || (most ? order <= 0 : order >= 0)) continue;
        best = item;
        best_key = key;
    }
    return best;
}

BUILTIN(filter_min) { return extreme(run, a, "filter \"min\"", false); }
BUILTIN(filter_max) { return extreme(run, a, "filter \"max\"", true); }

BUILTIN(filter_sum) {
    const char *who = "filter \"sum\"";
    AttrPath path;
    lib_path(run, &path, who, a[1], val_missing(), false);
    Value total = lib_given(a[2]) ? a[2] : val_int(0), item;
    if (total.kind == V_STR) run_fail(run, "%s adds numbers or lists; texts are put together by |join", who);
    List *all = NULL; /* lists are added in place: a new one each time would be quadratic */
    if (total.kind == V_LIST) total = val_list(all = val_to_list(run, total));
    ValueIter it;
    val_iter(run, &it, a[0]);
    while (val_next(run, &it, &item)) {
        run_spend(run, 1);
        item = lib_path_get(run, &path, item);
        if (all != NULL && item.kind == V_LIST) {
            const List *more = item.as.list;
            for (uint32_t i = 0; i < more->n; i++)
                list_push(run->arena, all, more->items[i]);
        } else {
            total = val_binary(run, OP_ADD, total, item);
            all = NULL;
        }
    }
    return total;
}

/* method_dict.c: the methods of dicts. keys, values and items give views, which follow the dict. Those that change it
 * tell the run (run_changed). */
#include "template/lib/method.h"

static Value view(Run *run, Value self, ViewKind kind) {
    View *view = ARENA_NEW(run->arena, View);
    *view = (View){self.as.dict, kind};
    return VAL(V_VIEW, view, view);
}

static METHOD(dict_method_keys) { return view(run, a[0], VIEW_KEYS); }
static METHOD(dict_method_values) { return view(run, a[0], VIEW_VALUES); }
static METHOD(dict_method_items) { return view(run, a[0], VIEW_ITEMS); }
static METHOD(dict_method_copy) { return val_dict(dict_copy(run->arena, a[0].as.dict)); }

static METHOD(dict_method_clear) {
    dict_clear(a[0].as.dict);
    run_changed(run);
    return val_none();
}

static METHOD(dict_method_get) {
    const Value *found = dict_find(run, a[0].as.dict, a[1]);
    return found != NULL ? *found : a[2].kind == V_MISSING ? val_none() : a[2];
}

static METHOD(dict_method_setdefault) {
    const Value *found = dict_find(run, a[0].as.dict, a[1]);
    if (found != NULL) return *found;
    Value v = a[2].kind == V_MISSING ? val_none() : a[2];
    dict_set(run, a[0].as.dict, a[1], v);
    run_changed(run);
    return v;
}

static METHOD(dict_method_pop) {
    Value removed;
    if (a[0].as.dict->live != 0 && dict_remove(run, a[0].as.dict, a[1], &removed)) {
        run_changed(run);
        return removed;
    }
    if (a[2].kind != V_MISSING) return a[2];
    Buf shown;
    buf_init(&shown, run->error_arena);
    val_repr(run, &shown, a[1]);
    run_fail_as(run, E_RENDER, S("a second argument is given back instead"), "dict.pop: there is no key %.60S",
                buf_str(&shown));
}

static METHOD(dict_method_popitem) {
    Dict *dict = a[0].as.dict;
    if (dict->live == 0) run_fail(run, "dict.popitem: the dict is empty");
    uint32_t last = dict->used;
    do
        last--;
    while (dict->entries[last].key.kind == V_MISSING);
    Value pair = val_pair(run, dict->entries[last].key, dict->entries[last].value), removed;
    dict_remove(run, dict, pair.as.list->items[0], &removed);
    run_changed(run);
    return pair;
}

/* One element of what update is given: a key and a value, in anything that has two items. */
static void set_pair(Run *run, Dict *dict, Value pair, uint64_t place) {
    if (pair.kind != V_TUPLE && pair.kind != V_LIST) {
        if (!val_can_iter(pair))
            run_fail(run, "dict.update: item %llu must be a key and a value, not %s", (unsigned long long)place,
                     val_type_name(pair));
        pair = val_list(val_to_list(run, pair));
    }
    const List *list = pair.as.list;
    if (list->n != 2)
        run_fail(run, "dict.update: item %llu must be a key and a value, but has %u items", (unsigned long long)place,
                 list->n);
    dict_set(run, dict, list->items[0], list->items[1]);
}

static void set_all(Run *run, Dict *dict, Value from) {
    if (from.kind == V_DICT) {
        const Dict *other = from.as.dict;
        if (other == dict) return;
        for (uint32_t i = dict_next(other, 0); i < other->used; i = dict_next(other, i + 1))
            dict_set(run, dict, other->entries[i].key, other->entries[i].value);
        return;
    }
    /* A view of the dict itself gives only what is there already. */
    ValueIter it;
    val_iter(run, &it, from);
    Value pair;
    for (uint64_t i = 0; val_next(run, &it, &pair); i++)
        set_pair(run, dict, pair, i);
}

static METHOD(dict_method_update) {
    const List *args = a[1].as.list;
    if (args->n > 1)
        run_fail(run, "dict.update: takes one dict or list of pairs, but %u arguments were given", args->n);
    run_changed(run); /* first, since it may fail half done */
    if (args->n == 1) set_all(run, a[0].as.dict, args->items[0]);
    set_all(run, a[0].as.dict, a[2]);
    return val_none();
}

static METHOD(dict_method_fromkeys) {
    Dict *dict = dict_new(run->arena, 0);
    ValueIter it;
    val_iter(run, &it, a[1]);
    Value key;
    while (val_next(run, &it, &key))
        dict_set(run, dict, key, a[2].kind == V_MISSING ? val_none() : a[2]);
    return val_dict(dict);
}

static const Native dict_methods[] = {
    {"clear", dict_method_clear, ""},
    {"copy", dict_method_copy, ""},
    {"fromkeys", dict_method_fromkeys, "iterable value? /"},
    {"get", dict_method_get, "key default? /"},
    {"items", dict_method_items, ""},
    {"keys", dict_method_keys, ""},
    {"pop", dict_method_pop, "key default? /"},
    {"popitem", dict_method_popitem, ""},
    {"setdefault", dict_method_setdefault, "key default? /"},
    {"update", dict_method_update, "*args **kwargs"},
    {"values", dict_method_values, ""},
};

const Native *method_of_dict(Str name) { return method_find(METHOD_TABLE(dict_methods), name); }

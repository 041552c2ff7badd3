/* filter_select.c: filters that look at, test or change each element: map, select, reject, and those that look at
 * one attribute of it. And `attr` and `default`, which choose one value. */
#include "template/lib/lib.h"

#include <stddef.h>

BUILTIN(filter_default) {
    if (a[0].kind == V_UNDEFINED || (lib_flag(run, a[2], false) && !val_truth(run, a[0])))
        return lib_given(a[1]) ? a[1] : VS("");
    return a[0];
}

/* A text as a name for this question alone, where none is known: names are never freed, and a template could ask for
 * any number of them. */
static Name name_of(Run *run, Str s) {
    Name known = names_find(run->names, s);
    if (known != NULL) return known;
    NameText *name = arena_alloc(run->arena, offsetof(NameText, p) + s.n + 1);
    name->hash = str_hash(s);
    name->n = (uint32_t)s.n;
    memcpy(name->p, s.p, s.n);
    name->p[s.n] = '\0';
    return name;
}

/* An attribute only, never an item: {"keys": 1}|attr("keys") is the method. */
BUILTIN(filter_attr) {
    Name name = name_of(run, lib_wants_str(run, "filter \"attr\"", "name", a[1]));
    Value v = a[0], found;
    const Native *method;
    if (v.kind == V_OBJECT) {
        const Class *class = v.as.object->class;
        if (class->get != NULL && class->get(run, v.as.object, name, &found)) return found;
        return val_undefined(run, v, a[1]);
    }
    if (v.kind == V_DICT && !val_find_method(v, name, &method)) return val_undefined(run, v, a[1]);
    return val_get_attr(run, v, name);
}

/* ---- calling a filter or test by name, with the arguments that are left */

typedef struct Call {
    const Native *native; /* NULL: the element's own truth */
    const Value *args;
    uint32_t n;
    Name *names;
    Value *values;
    uint32_t keywords;
} Call;

static const List *positional(Value args) {
    static const List none = {NULL, 0, 0};
    return args.kind == V_TUPLE ? args.as.list : &none;
}

static void take_arguments(Run *run, Call *call, const List *args, uint32_t skip, Value keywords) {
    call->args = args->items + skip;
    call->n = args->n - skip;
    if (keywords.kind != V_DICT || keywords.as.dict->live == 0) return;
    const Dict *dict = keywords.as.dict;
    call->names = ARENA_ARRAY(run->arena, Name, dict->live);
    call->values = ARENA_ARRAY(run->arena, Value, dict->live);
    for (uint32_t i = dict_next(dict, 0); i < dict->used; i = dict_next(dict, i + 1)) {
        call->names[call->keywords] = names_get(run->names, val_text(dict->entries[i].key));
        call->values[call->keywords++] = dict->entries[i].value;
    }
}

static Value call_with(Run *run, const Call *call, Value item) {
    return native_call(run, call->native, NULL, item, call->args, call->n, call->names, call->values, call->keywords);
}

/* ---- map */

static Value keyword(Run *run, Value keywords, Str name) {
    if (keywords.kind != V_DICT) return val_missing();
    Value *found = dict_find_name(keywords.as.dict, names_get(run->names, name));
    return found == NULL ? val_missing() : *found;
}

static Value map_attribute(Run *run, Value over, Value keywords) {
    const char *who = "filter \"map\"";
    Value attribute = keyword(run, keywords, S("attribute")), otherwise = keyword(run, keywords, S("default"));
    const Dict *dict = keywords.as.dict;
    for (uint32_t i = dict_next(dict, 0); i < dict->used; i = dict_next(dict, i + 1)) {
        Str key = val_text(dict->entries[i].key);
        if (!str_eq(key, S("attribute")) && !str_eq(key, S("default")))
            run_fail(run, "%s has no parameter %Q beside attribute and default", who, key);
    }
    AttrPath path;
    lib_path(run, &path, who, attribute, otherwise, false);
    List *out = list_new(run->arena, 0);
    ValueIter it;
    Value item;
    val_iter(run, &it, over);
    while (val_next(run, &it, &item))
        list_push(run->arena, out, lib_path_get(run, &path, item));
    return val_oneshot(run, "map", out);
}

BUILTIN(filter_map) {
    const List *args = positional(a[1]);
    if (!val_truth(run, a[0])) return val_oneshot(run, "map", list_new(run->arena, 0));
    if (args->n == 0 && lib_given(keyword(run, a[2], S("attribute")))) return map_attribute(run, a[0], a[2]);
    if (args->n == 0) run_fail(run, "filter \"map\" wants the name of a filter, or attribute=");
    Call call = {.native = lib_named_filter(run, "filter \"map\"", args->items[0])};
    take_arguments(run, &call, args, 1, a[2]);
    List *out = list_new(run->arena, 0);
    ValueIter it;
    Value item;
    val_iter(run, &it, a[0]);
    while (val_next(run, &it, &item))
        list_push(run->arena, out, call_with(run, &call, item));
    return val_oneshot(run, "map", out);
}

/* ---- select, reject, selectattr, rejectattr */

static Value choose(Run *run, const Value *a, const char *name, bool wanted, bool attribute) {
    Str who = str_format(run->arena, "filter \"%s\"%c", name, '\0');
    const List *args = positional(a[1]);
    List *out = list_new(run->arena, 0);
    if (!val_truth(run, a[0])) return val_oneshot(run, name, out);
    AttrPath path = {0};
    uint32_t at = 0;
    if (attribute) {
        if (args->n == 0) run_fail(run, "%s wants the name of an attribute", who.p);
        lib_path(run, &path, who.p, args->items[0], val_missing(), false);
        at = 1;
    }
    Call call = {0};
    if (at < args->n) {
        call.native = lib_named_test(run, who.p, args->items[at]);
        take_arguments(run, &call, args, at + 1, a[2]);
    }
    ValueIter it;
    Value item;
    val_iter(run, &it, a[0]);
    while (val_next(run, &it, &item)) {
        run_spend(run, 1);
        Value about = lib_path_get(run, &path, item);
        if (call.native != NULL) about = call_with(run, &call, about);
        if (val_truth(run, about) == wanted) list_push(run->arena, out, item);
    }
    return val_oneshot(run, name, out);
}

BUILTIN(filter_select) { return choose(run, a, "select", true, false); }
BUILTIN(filter_reject) { return choose(run, a, "reject", false, false); }
BUILTIN(filter_selectattr) { return choose(run, a, "selectattr", true, true); }
BUILTIN(filter_rejectattr) { return choose(run, a, "rejectattr", false, true); }

/* globals.c: the functions that every template can call: range, dict, namespace, cycler, joiner.
 *
 * namespace, cycler and joiner make objects that remember something, so each is a class with its own behaviour. */
#include "template/lib/lib.h"

/* ---- range */

static int64_t range_argument(Run *run, const char *what, Value v) { return lib_int(run, "range", what, v); }

/* Refused at once where it is longer than all loops together may be, because it could only end in that error. */
BUILTIN(global_range) {
    int64_t start = 0, stop, step = 1;
    if (lib_given(a[1])) {
        start = range_argument(run, "start", a[0]);
        stop = range_argument(run, "stop", a[1]);
    } else {
        stop = range_argument(run, "stop", a[0]);
    }
    if (lib_given(a[2])) step = range_argument(run, "step", a[2]);
    if (step == 0) run_fail(run, "range: step must not be 0");
    uint64_t n = 0;
    if (step > 0 && start < stop) n = ((uint64_t)stop - (uint64_t)start - 1) / (uint64_t)step + 1;
    if (step < 0 && start > stop) n = ((uint64_t)start - (uint64_t)stop - 1) / (0 - (uint64_t)step) + 1;
    uint64_t most = run->limits.loops != 0 ? run->limits.loops : 100000000;
    if (n > most || n > INT64_MAX)
        run_fail_as(run, E_LIMIT, S("--max-loops sets another limit"),
                    "range has %llu elements, more than the limit of %llu loop iterations", (unsigned long long)n,
                    (unsigned long long)most);
    Range *range = ARENA_NEW(run->arena, Range);
    *range = (Range){.start = start, .step = step, .n = (int64_t)n, .stop = stop};
    return VAL(V_RANGE, range, range);
}

/* ---- dict */

static void add_pairs(Run *run, const char *who, Dict *dict, Value from) {
    if (from.kind == V_DICT) {
        const Dict *other = from.as.dict;
        for (uint32_t i = dict_next(other, 0); i < other->used; i = dict_next(other, i + 1))
            dict_set(run, dict, other->entries[i].key, other->entries[i].value);
        return;
    }
    if (from.kind == V_UNDEFINED) run_fail_undefined(run, from); /* Python asks it for its keys, which no mode allows */
    ValueIter it;
    Value item;
    val_iter(run, &it, from);
    while (val_next(run, &it, &item)) {
        if (!val_can_iter(item)) lib_wrong(run, who, "each element", "a pair", item);
        const List *pair = item.kind == V_TUPLE ? item.as.list : val_to_list(run, item);
        if (pair->n != 2) run_fail(run, "%s: each element must be a pair, not %u values", who, pair->n);
        dict_set(run, dict, pair->items[0], pair->items[1]);
    }
}

static Dict *dict_of_arguments(Run *run, const char *who, const Value *a) {
    Dict *dict = dict_new(run->arena, 0);
    if (a[0].kind == V_TUPLE && a[0].as.list->n > 1)
        run_fail(run, "%s takes at most 1 argument by position, not %u", who, a[0].as.list->n);
    if (a[0].kind == V_TUPLE && a[0].as.list->n == 1) add_pairs(run, who, dict, a[0].as.list->items[0]);
    if (a[1].kind == V_DICT) add_pairs(run, who, dict, a[1]);
    return dict;
}

BUILTIN(global_dict) { return val_dict(dict_of_arguments(run, "dict", a)); }

/* ---- namespace: a dict whose entries are attributes, and the one thing that `set` can change from within a loop */

typedef struct Namespace {
    Object object;
    Dict *attributes;
} Namespace;

static bool namespace_get(Run *run, Object *object, Name name, Value *out) {
    (void)run;
    Value *found = dict_find_name(((Namespace *)object)->attributes, name);
    if (found != NULL) *out = *found;
    return found != NULL;
}

static void namespace_set(Run *run, Object *object, Name name, Value value) {
    dict_set(run, ((Namespace *)object)->attributes, val_name(name), value);
    run_changed(run);
}

static void namespace_print(Run *run, Object *object, Buf *out) {
    buf_add(out, S("<Namespace "));
    val_repr(run, out, val_dict(((Namespace *)object)->attributes));
    buf_char(out, '>');
}

static const Class namespace_class = {
    .name = "namespace", .get = namespace_get, .set = namespace_set, .print = namespace_print};

BUILTIN(global_namespace) {
    Namespace *namespace = ARENA_NEW(run->arena, Namespace);
    *namespace = (Namespace){{&namespace_class}, dict_of_arguments(run, "namespace", a)};
    return val_object(&namespace->object);
}

/* ---- cycler */

typedef struct Cycler {
    Object object;
    Value items; /* a tuple, not empty */
    uint32_t at;
} Cycler;

static Value cycler_current(const Cycler *cycler) { return cycler->items.as.list->items[cycler->at]; }

/* Moving on puts nothing into the cycler, so what a loop's iteration allocated may still go: no run_changed. */
static BUILTIN(cycler_next) {
    Cycler *cycler = (Cycler *)a[0].as.object;
    Value current = cycler_current(cycler);
    cycler->at = (cycler->at + 1) % cycler->items.as.list->n;
    return current;
}

static BUILTIN(cycler_reset) {
    ((Cycler *)a[0].as.object)->at = 0;
    return val_none();
}

static bool cycler_get(Run *run, Object *object, Name name, Value *out) {
    static const Native next = {"next", cycler_next, ""}, reset = {"reset", cycler_reset, ""};
    Cycler *cycler = (Cycler *)object;
    Str attribute = name_str(name);
    if (str_eq(attribute, S("current"))) {
        *out = cycler_current(cycler);
    } else if (str_eq(attribute, S("items"))) {
        *out = cycler->items;
    } else if (str_eq(attribute, S("pos"))) {
        *out = val_int(cycler->at);
    } else if (str_eq(attribute, S("next")) || str_eq(attribute, S("reset"))) {
        Bound *bound = ARENA_NEW(run->arena, Bound);
        *bound = (Bound){.native = attribute.p[0] == 'n' ? &next : &reset, .self = val_object(object)};
        *out = VAL(V_METHOD, bound, bound);
    } else {
        return false;
    }
    return true;
}

static void cycler_print(Run *run, Object *object, Buf *out) {
    (void)run, (void)object;
    buf_add(out, S("<cycler>"));
}

static const Class cycler_class = {.name = "cycler", .get = cycler_get, .print = cycler_print};

BUILTIN(global_cycler) {
    if (a[0].kind != V_TUPLE || a[0].as.list->n == 0) run_fail(run, "cycler wants at least one item");
    Cycler *cycler = ARENA_NEW(run->arena, Cycler);
    *cycler = (Cycler){.object = {&cycler_class}, .items = a[0]};
    return val_object(&cycler->object);
}

/* ---- joiner: nothing the first time it is called, then its separator */

typedef struct Joiner {
    Object object;
    Value separator;
    bool used;
} Joiner;

static Value joiner_call(Run *run, Object *object, const Value *args, uint32_t n, const Name *keywords,
                         const Value *keyword_values, uint32_t keyword_count) {
    (void)args, (void)keywords, (void)keyword_values;
    if (n + keyword_count > 0) run_fail(run, "a joiner takes no arguments, not %u", n + keyword_count);
    Joiner *joiner = (Joiner *)object;
    Value out = joiner->used ? joiner->separator : VS("");
    joiner->used = true;
    return out;
}

static bool joiner_get(Run *run, Object *object, Name name, Value *out) {
    (void)run;
    Joiner *joiner = (Joiner *)object;
    if (str_eq(name_str(name), S("sep")))
        *out = joiner->separator;
    else if (str_eq(name_str(name), S("used")))
        *out = val_bool(joiner->used);
    else
        return false;
    return true;
}

static void joiner_print(Run *run, Object *object, Buf *out) {
    (void)run, (void)object;
    buf_add(out, S("<joiner>"));
}

static const Class joiner_class = {.name = "joiner", .get = joiner_get, .print = joiner_print, .call = joiner_call};

BUILTIN(global_joiner) {
    Joiner *joiner = ARENA_NEW(run->arena, Joiner);
    *joiner = (Joiner){.object = {&joiner_class}, .separator = lib_given(a[0]) ? a[0] : VS(", ")};
    return val_object(&joiner->object);
}

/* iter.c: how long a value is, whether it counts as true, and going through its elements. */
#include "template/value/inner.h"

bool val_has_length(Run *run, Value v, int64_t *n) {
    switch (v.kind) {
    case V_STR:
        *n = (int64_t)str_count(val_text(v));
        return true;
    case V_LIST:
    case V_TUPLE:
        *n = v.as.list->n;
        return true;
    case V_DICT:
        *n = v.as.dict->live;
        return true;
    case V_RANGE:
        *n = v.as.range->n;
        return true;
    case V_VIEW:
        *n = v.as.view->dict->live;
        return true;
    case V_UNDEFINED:
        if (run_undefined_fails(run, v)) run_fail_undefined(run, v);
        *n = 0;
        return true;
    case V_OBJECT:
        return v.as.object->class->length != NULL && v.as.object->class->length(run, v.as.object, n);
    default:
        return false;
    }
}

int64_t val_length(Run *run, Value v) {
    int64_t n;
    if (val_has_length(run, v, &n)) return n;
    if (v.kind == V_ONESHOT)
        run_fail_as(run, E_RENDER, S("|list makes a list of it"),
                    "what %s gives has no length: its elements come one by one", v.as.oneshot->name);
    run_fail(run, "%s has no length", val_type_name(v));
}

bool val_truth(Run *run, Value v) {
    int64_t n;
    switch (v.kind) {
    case V_BOOL:
        return v.as.b;
    case V_INT:
        return v.as.i != 0;
    case V_FLOAT:
        return v.as.f != 0;
    case V_STR:
        return v.n != 0;
    case V_LIST:
    case V_TUPLE:
        return v.as.list->n != 0;
    case V_DICT:
        return v.as.dict->live != 0;
    case V_MISSING:
    case V_NONE:
        return false;
    case V_RANGE:
    case V_VIEW:
    case V_UNDEFINED:
    case V_OBJECT:
        return !val_has_length(run, v, &n) || n != 0;
    default:
        return true;
    }
}

bool val_can_iter(Value v) {
    switch (v.kind) {
    case V_STR:
    case V_LIST:
    case V_TUPLE:
    case V_DICT:
    case V_RANGE:
    case V_VIEW:
    case V_ONESHOT:
    case V_UNDEFINED:
        return true;
    case V_OBJECT:
        return v.as.object->class->next != NULL;
    default:
        return false;
    }
}

void val_iter(Run *run, ValueIter *it, Value v) {
    *it = (ValueIter){.over = v};
    switch (v.kind) {
    case V_DICT:
        it->number = v.as.dict->live;
        return;
    case V_VIEW:
        it->number = v.as.view->dict->live;
        return;
    case V_UNDEFINED:
        if (run_undefined_fails(run, v)) run_fail_undefined(run, v);
        return;
    case V_RANGE:
        if (run->limits.loops != 0 && (uint64_t)v.as.range->n > run->limits.loops)
            run_fail_as(run, E_LIMIT, S(""), "a range of %jd elements is longer than the limit of %ju iterations",
                        (intmax_t)v.as.range->n, (uintmax_t)run->limits.loops);
        return;
    default:
        if (!val_can_iter(v))
            run_fail_as(run, E_RENDER, v.kind == V_METHOD ? method_hint(run, v) : S(""),
                        "cannot go through %s: it holds no elements", val_type_name(v));
    }
}

/* The next entry of a dict, whose size must not have changed since: its entries may have moved. */
static const DictEntry *next_entry(Run *run, ValueIter *it, const Dict *dict) {
    if (it->number != dict->live)
        run_fail_as(run, E_RENDER, S("go through a list of its keys: |list"),
                    "the dict changed its size while a loop goes through it");
    uint32_t i = dict_next(dict, it->at);
    if (i >= dict->used) return NULL;
    it->at = i + 1;
    return &dict->entries[i];
}

bool val_next(Run *run, ValueIter *it, Value *out) {
    Value v = it->over;
    switch (v.kind) {
    case V_LIST:
    case V_TUPLE:
        if (it->at >= v.as.list->n) return false;
        *out = v.as.list->items[it->at++];
        return true;
    case V_RANGE:
        if (it->number >= v.as.range->n) return false;
        *out = val_int(range_at(v.as.range, it->number++));
        return true;
    case V_STR: {
        if (it->at >= v.n) return false;
        size_t end = text_skip(val_text(v), it->at, 1);
        *out = val_str_lit(v.as.s + it->at, end - it->at);
        it->at = (uint32_t)end;
        return true;
    }
    case V_DICT: {
        const DictEntry *entry = next_entry(run, it, v.as.dict);
        if (entry != NULL) *out = entry->key;
        return entry != NULL;
    }
    case V_VIEW: {
        const DictEntry *entry = next_entry(run, it, v.as.view->dict);
        if (entry == NULL) return false;
        ViewKind kind = v.as.view->kind;
        *out = kind == VIEW_KEYS     ? entry->key
               : kind == VIEW_VALUES ? entry->value
                                     : val_pair(run, entry->key, entry->value);
        return true;
    }
    case V_ONESHOT: {
        OneShot *oneshot = v.as.oneshot;
        if (oneshot->dict != NULL) {
            uint32_t i = dict_next(oneshot->dict, oneshot->next);
            oneshot->next = i;
            if (i >= oneshot->dict->used) return false;
            oneshot->next = i + 1;
            *out = val_pair(run, oneshot->dict->entries[i].key, oneshot->dict->entries[i].value);
            return true;
        }
        if (oneshot->next >= oneshot->list.n) return false;
        *out = oneshot->list.items[oneshot->next++];
        return true;
    }
    case V_OBJECT:
        return v.as.object->class->next(run, v.as.object, out);
    default:
        return false;
    }
}

static uint64_t oneshot_left(const OneShot *oneshot) {
    return (oneshot->dict != NULL ? oneshot->dict->used : oneshot->list.n) - oneshot->next;
}

List *val_to_list(Run *run, Value v) {
    if (is_sequence(v)) {
        List *list = list_new(run->arena, v.as.list->n);
        if (v.as.list->n != 0) memcpy(list->items, v.as.list->items, v.as.list->n * sizeof(Value));
        list->n = v.as.list->n;
        return list;
    }
    ValueIter it;
    val_iter(run, &it, v);
    uint64_t n = v.kind == V_RANGE     ? (uint64_t)v.as.range->n
                 : v.kind == V_DICT    ? v.as.dict->live
                 : v.kind == V_VIEW    ? v.as.view->dict->live
                 : v.kind == V_ONESHOT ? oneshot_left(v.as.oneshot)
                 : v.kind == V_STR     ? str_count(val_text(v))
                                       : 0;
    if (n > LIST_MOST) fail_list_size(run, n);
    List *list = list_new(run->arena, (uint32_t)n);
    Value item;
    while (val_next(run, &it, &item)) {
        if (list->n >= n) run_spend(run, 1); /* nobody knows how many more there are */
        list_push(run->arena, list, item);
    }
    return list;
}

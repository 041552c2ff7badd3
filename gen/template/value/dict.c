/* dict.c: dicts, which keep the order of insertion, and what a key is.
 *
 * Up to 8 entries are searched one after the other by their hashes; beyond that an index of a power of two, at most
 * two thirds full, holds the numbers of entries (from 1). A removed entry stays, without its key, until there is no
 * room for a new one, so positions only change when an entry is added. */
#include "template/value/inner.h"

#include "template/value/big.h"

#include <math.h>
#include <stddef.h>

enum { DICT_SMALL = 8 };
#define DICT_MOST (LIST_MOST / 2) /* so that the index has fewer than 2^32 slots */

/* ---- keys. Numbers that are equal have the same hash whatever their kind: 1, 1.0 and True. */

static uint64_t hash_bytes(const void *p, size_t n) { return str_hash(str(p, n)); }
static uint64_t hash_int(int64_t i) { return hash_bytes(&i, sizeof i); }
static uint64_t combine(uint64_t a, uint64_t b) { return (a ^ b) * 0x9e3779b97f4a7c15u + (a >> 29); }

/* The sign and the length keep the limbs of 2^64 - 1 apart from the 64 bits of -1. */
static uint64_t hash_limbs(const mp_limb_t *p, size_t n, bool negative) {
    return combine(hash_bytes(p, n * sizeof *p), n * 2 + negative);
}

static uint64_t hash_double(double f) {
    if (f == trunc(f) && !isinf(f)) {
        if (f >= -0x1p63 && f < 0x1p63) return hash_int((int64_t)f);
        mp_limb_t limbs[BIG_DOUBLE_LIMBS];
        return hash_limbs(limbs, big_of_double(f, limbs), f < 0);
    }
    return combine(hash_bytes(&f, sizeof f), 1); /* the bits of a fraction could be those of an integer */
}

static inline uint64_t hash_text(Value v) {
    if (v.flags & VAL_INTERNED) return ((const NameText *)(const void *)(v.as.s - offsetof(NameText, p)))->hash;
    return str_hash(val_text(v));
}

static bool hash_at(Run *run, Value key, unsigned depth, uint64_t *hash) {
    switch ((ValueKind)key.kind) {
    case V_STR:
        *hash = hash_text(key);
        return true;
    case V_BOOL:
    case V_INT:
        *hash = hash_int(small(key));
        return true;
    case V_BIG:
        *hash = hash_limbs(key.as.big->limbs, key.as.big->n, key.as.big->negative);
        return true;
    case V_FLOAT:
        *hash = hash_double(key.as.f);
        return true;
    case V_MISSING:
    case V_NONE:
        *hash = hash_int(key.kind);
        return true;
    case V_UNDEFINED: /* where they may be used at all, they are all equal */
        if (run_undefined_fails(run, key)) run_fail_undefined(run, key);
        *hash = hash_int(key.kind);
        return true;
    case V_TUPLE: {
        if (depth >= VAL_MOST_DEPTH) fail_depth(run, "hashed");
        const List *list = key.as.list;
        if (depth > 0)
            run_spend(run, list->n); /* a tuple that holds another twice, and that one again, is long to go through */
        *hash = list->n;
        for (uint32_t i = 0; i < list->n; i++) {
            uint64_t item;
            if (!hash_at(run, list->items[i], depth + 1, &item)) return false;
            *hash = combine(*hash, item);
        }
        return true;
    }
    case V_RANGE: { /* equal ranges have equal elements */
        const Range *range = key.as.range;
        *hash = combine(hash_int(range->n), 7);
        if (range->n > 0) *hash = combine(*hash, hash_int(range->start));
        if (range->n > 1) *hash = combine(*hash, hash_int(range->step));
        return true;
    }
    case V_VIEW:
        if (key.as.view->kind != VIEW_VALUES) return false;
        *hash = hash_bytes(&key.as.view, sizeof key.as.view);
        return true;
    case V_ONESHOT:
    case V_FUNC:
    case V_METHOD:
    case V_OBJECT:
        *hash = hash_bytes(&key.as.object, sizeof key.as.object);
        return true;
    case V_LIST:
    case V_DICT:
        return false;
    }
    return false;
}

bool try_hash(Run *run, Value key, uint64_t *hash) { return hash_at(run, key, 0, hash); }

uint64_t val_hash(Run *run, Value key) {
    uint64_t hash;
    if (!hash_at(run, key, 0, &hash))
        run_fail(run, "%s cannot be used as a key%s", val_type_name(key),
                 key.kind == V_TUPLE ? ": it holds a list or a dict" : "");
    return hash;
}

static bool same_key(Run *run, Value a, Value b) {
    if (a.kind == V_STR || b.kind == V_STR) {
        if (a.kind != b.kind || a.n != b.n) return false;
        return a.as.s == b.as.s || (a.n != 0 && memcmp(a.as.s, b.as.s, a.n) == 0) || a.n == 0;
    }
    return val_same(a, b) || val_equal(run, a, b);
}

/* ---- the table */

Dict *dict_new(Arena *arena, uint32_t cap) {
    Dict *dict = ARENA_NEW(arena, Dict);
    if (cap == 0) return dict;
    if (cap > DICT_MOST) mem_fail(MEM_LIMIT, SIZE_MAX);
    dict->entries = arena_alloc(arena, mem_times(cap, sizeof(DictEntry)));
    dict->cap = cap;
    if (cap > DICT_SMALL) {
        uint32_t n = 16;
        while (n - n / 3 < cap)
            n *= 2;
        dict->index = ARENA_ARRAY(arena, uint32_t, n);
        dict->index_cap = n;
    }
    return dict;
}

/* An empty slot for an entry that the index does not have yet. */
static void index_add(Dict *dict, uint32_t entry) {
    uint32_t mask = dict->index_cap - 1, i = (uint32_t)dict->entries[entry].hash & mask;
    while (dict->index[i] != 0)
        i = (i + 1) & mask;
    dict->index[i] = entry + 1;
}

static DictEntry *find(Run *run, const Dict *dict, Value key, uint64_t hash) {
    if (dict->index == NULL) {
        for (uint32_t i = 0; i < dict->used; i++) {
            DictEntry *entry = &dict->entries[i];
            if (entry->hash == hash && entry->key.kind != V_MISSING && same_key(run, entry->key, key)) return entry;
        }
        return NULL;
    }
    uint32_t mask = dict->index_cap - 1;
    for (uint32_t i = (uint32_t)hash & mask; dict->index[i] != 0; i = (i + 1) & mask) {
        DictEntry *entry = &dict->entries[dict->index[i] - 1];
        if (entry->hash == hash && entry->key.kind != V_MISSING && same_key(run, entry->key, key)) return entry;
    }
    return NULL;
}

Value *dict_find(Run *run, const Dict *dict, Value key) {
    if (dict->live == 0 && key.kind == V_STR) return NULL;
    DictEntry *entry = find(run, dict, key, val_hash(run, key));
    return entry == NULL ? NULL : &entry->value;
}

static inline bool is_name(const DictEntry *entry, Name name) {
    if (entry->hash != name->hash || entry->key.kind != V_STR) return false;
    return entry->key.as.s == name->p || (entry->key.n == name->n && memcmp(entry->key.as.s, name->p, name->n) == 0);
}

Value *dict_find_name(const Dict *dict, Name name) {
    if (dict->index == NULL) {
        for (uint32_t i = 0; i < dict->used; i++)
            if (is_name(&dict->entries[i], name)) return &dict->entries[i].value;
        return NULL;
    }
    uint32_t mask = dict->index_cap - 1;
    for (uint32_t i = (uint32_t)name->hash & mask; dict->index[i] != 0; i = (i + 1) & mask) {
        DictEntry *entry = &dict->entries[dict->index[i] - 1];
        if (is_name(entry, name)) return &entry->value;
    }
    return NULL;
}

/* Appends the entries of `from` that were not removed; `to` may be the same dict, emptied. */
static void take_entries(Dict *to, const DictEntry *from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (from[i].key.kind == V_MISSING) continue;
        to->entries[to->used] = from[i];
        if (to->index != NULL) index_add(to, to->used);
        to->used++;
    }
    to->live = to->used;
}

/* Makes room for one more entry: in place where a quarter was removed, else in a place twice as large. */
static void make_room(Arena *arena, Dict *dict) {
    uint32_t used = dict->used;
    if (used - dict->live > used / 4) {
        dict_clear(dict);
        take_entries(dict, dict->entries, used);
        return;
    }
    if (dict->live >= DICT_MOST) mem_fail(MEM_LIMIT, SIZE_MAX);
    uint32_t cap = dict->live < DICT_SMALL / 2 ? DICT_SMALL : dict->live < DICT_MOST / 2 ? dict->live * 2 : DICT_MOST;
    Dict *moved = dict_new(arena, cap);
    take_entries(moved, dict->entries, used);
    *dict = *moved;
}

static void add_entry(Arena *arena, Dict *dict, Value key, uint64_t hash, Value value) {
    if (dict->used == dict->cap) make_room(arena, dict);
    dict->entries[dict->used] = (DictEntry){key, value, hash};
    if (dict->index != NULL) index_add(dict, dict->used);
    dict->used++;
    dict->live++;
}

void dict_set(Run *run, Dict *dict, Value key, Value value) {
    uint64_t hash = val_hash(run, key);
    DictEntry *entry = find(run, dict, key, hash);
    if (entry != NULL)
        entry->value = value;
    else
        add_entry(run->arena, dict, key, hash, value);
}

void dict_set_in(Arena *arena, Dict *dict, Value string_key, Value value) {
    uint64_t hash = hash_text(string_key);
    DictEntry *entry = find(NULL, dict, string_key, hash); /* a string is compared without a run */
    if (entry != NULL)
        entry->value = value;
    else
        add_entry(arena, dict, string_key, hash, value);
}

bool dict_remove(Run *run, Dict *dict, Value key, Value *removed) {
    DictEntry *entry = find(run, dict, key, val_hash(run, key));
    if (entry == NULL) return false;
    if (removed != NULL) *removed = entry->value;
    entry->key = val_missing();
    dict->live--;
    if (dict->live == 0) dict_clear(dict);
    return true;
}

void dict_clear(Dict *dict) {
    if (dict->index != NULL) memset(dict->index, 0, dict->index_cap * sizeof *dict->index);
    dict->used = dict->live = 0;
}

Dict *dict_copy(Arena *arena, const Dict *dict) {
    Dict *copy = dict_new(arena, dict->live);
    take_entries(copy, dict->entries, dict->used);
    return copy;
}

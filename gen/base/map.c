/* map.c: interned names and the map from them.
 *
 * Both are open addressing with linear probing in tables of a power of two, at most two thirds full.
 * A map of up to 8 entries has no table: comparing that many pointers is faster than hashing into one. */
#include "base/map.h"

enum { MAP_SMALL = 8 };

void names_init(Names *names, Arena *arena) { *names = (Names){arena, NULL, 0, 0}; }

/* The slot where the text is, or where it would go. */
static uint32_t name_slot(const Names *names, Str s, uint64_t hash) {
    uint32_t mask = names->cap - 1, i = (uint32_t)hash & mask;
    for (; names->table[i] != NULL; i = (i + 1) & mask) {
        Name name = names->table[i];
        if (name->hash == hash && name->n == s.n && memcmp(name->p, s.p, s.n) == 0) break;
    }
    return i;
}

static void names_grow(Names *names) {
    if (names->cap > UINT32_MAX / 2) mem_fail(MEM_SYSTEM, SIZE_MAX);
    uint32_t cap = names->cap == 0 ? 64 : names->cap * 2, mask = cap - 1;
    Name *table = ARENA_ARRAY(names->arena, Name, cap);
    for (uint32_t i = 0; i < names->cap; i++) {
        if (names->table[i] == NULL) continue;
        uint32_t j = (uint32_t)names->table[i]->hash & mask;
        while (table[j] != NULL)
            j = (j + 1) & mask;
        table[j] = names->table[i];
    }
    names->table = table;
    names->cap = cap;
}

Name names_find(const Names *names, Str s) {
    if (names->n == 0) return NULL;
    if (s.p == NULL) s = S("");
    return names->table[name_slot(names, s, str_hash(s))];
}

Name names_get(Names *names, Str s) {
    if (s.n >= UINT32_MAX) mem_fail(MEM_SYSTEM, s.n);
    if (s.p == NULL) s = S("");
    if (names->n >= names->cap - names->cap / 3) names_grow(names);
    uint64_t hash = str_hash(s);
    uint32_t slot = name_slot(names, s, hash);
    if (names->table[slot] != NULL) return names->table[slot];
    NameText *name = arena_alloc(names->arena, offsetof(NameText, p) + s.n + 1);
    name->hash = hash;
    name->n = (uint32_t)s.n;
    memcpy(name->p, s.p, s.n);
    name->p[s.n] = '\0';
    names->table[slot] = name;
    names->n++;
    return name;
}

void map_init(Map *map, Arena *arena) { *map = (Map){arena, NULL, NULL, 0, 0, 0}; }

/* The slot of the index that holds the key's entry (counted from 1), or the empty one where it would go. */
static uint32_t map_slot(const Map *map, Name key) {
    uint32_t mask = map->index_cap - 1, i = (uint32_t)key->hash & mask;
    while (map->index[i] != 0 && map->entries[map->index[i] - 1].key != key)
        i = (i + 1) & mask;
    return i;
}

static MapEntry *map_find(const Map *map, Name key) {
    if (map->index == NULL) {
        for (uint32_t i = 0; i < map->n; i++)
            if (map->entries[i].key == key) return &map->entries[i];
        return NULL;
    }
    uint32_t at = map->index[map_slot(map, key)];
    return at == 0 ? NULL : &map->entries[at - 1];
}

void *map_get(const Map *map, Name key) {
    MapEntry *entry = map_find(map, key);
    return entry == NULL ? NULL : entry->value;
}

static void map_grow(Map *map) {
    if (map->cap > UINT32_MAX / 4) mem_fail(MEM_SYSTEM, SIZE_MAX);
    uint32_t cap = map->cap == 0 ? MAP_SMALL : map->cap * 2;
    /* The index first: whichever request fails, the map is whole. */
    uint32_t *index = cap == MAP_SMALL ? NULL : ARENA_ARRAY(map->arena, uint32_t, (size_t)cap * 2);
    map->entries =
        arena_resize(map->arena, map->entries, map->cap * sizeof(MapEntry), mem_times(cap, sizeof(MapEntry)));
    map->cap = cap;
    if (index == NULL) return;
    map->index = index;
    map->index_cap = cap * 2;
    for (uint32_t i = 0; i < map->n; i++)
        index[map_slot(map, map->entries[i].key)] = i + 1;
}

void *map_set(Map *map, Name key, void *value) {
    MapEntry *entry = map_find(map, key);
    if (entry != NULL) {
        void *was = entry->value;
        entry->value = value;
        return was;
    }
    if (map->n == map->cap) map_grow(map);
    map->entries[map->n] = (MapEntry){key, value};
    map->n++;
    if (map->index != NULL) map->index[map_slot(map, key)] = map->n;
    return NULL;
}

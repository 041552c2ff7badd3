/* map.h: interned names, and a hash map from them.
 *
 * A Name is text that exists once in its Names, so equal names are equal pointers; it keeps its
 * hash. A Map goes from names to pointers and remembers the order in which they came.
 */
#ifndef OPGEN_BASE_MAP_H
#define OPGEN_BASE_MAP_H

#include "str.h"

typedef struct NameText {
    uint64_t hash;
    uint32_t n;
    char p[]; /* NUL-terminated as well */
} NameText;
typedef const NameText *Name;

typedef struct Names {
    Arena *arena;
    Name *table;
    uint32_t n, cap;
} Names;

void names_init(Names *names, Arena *arena);
Name names_get(Names *names, Str s);        /* makes it if it is new */
Name names_find(const Names *names, Str s); /* NULL if it is not there */
static inline Str name_str(Name name) { return (Str){name->p, name->n}; }

typedef struct MapEntry {
    Name key;
    void *value;
} MapEntry;

typedef struct Map {
    Arena *arena;
    MapEntry *entries; /* in the order of insertion; n of them */
    uint32_t *index;
    uint32_t n, cap, index_cap;
} Map;

void map_init(Map *map, Arena *arena);
void *map_get(const Map *map, Name key);        /* NULL if it is not there */
void *map_set(Map *map, Name key, void *value); /* what was there before, or NULL */

#endif

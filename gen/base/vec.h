/* vec.h: a growing array in an arena, of any type: `VEC(Node) nodes;`, zero to begin with. */
#ifndef OPGEN_BASE_VEC_H
#define OPGEN_BASE_VEC_H

#include "arena.h"

#define VEC(T)                                                                                                         \
    struct {                                                                                                           \
        T *items;                                                                                                      \
        uint32_t n, cap;                                                                                               \
    }

/* Room for one more, then the place of it: *VEC_PUSH(&arena, &nodes) = node; */
#define VEC_PUSH(arena, v)                                                                                             \
    ((v)->n == (v)->cap ? (void)((v)->items = vec_grow((arena), (v)->items, &(v)->cap, sizeof *(v)->items)) : (void)0, \
     &(v)->items[(v)->n++])
#define VEC_LAST(v) ((v)->items[(v)->n - 1])

void *vec_grow(Arena *arena, void *items, uint32_t *cap, size_t size);

#endif

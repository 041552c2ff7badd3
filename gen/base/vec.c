/* vec.c: growth of the arrays of vec.h. Doubling keeps the copies few; the newest block of an arena
 * and large blocks grow in place. */
#include "base/vec.h"

void *vec_grow(Arena *arena, void *items, uint32_t *cap, size_t size) {
    uint32_t old = *cap, grown = old == 0 ? 8 : old * 2;
    if (old > UINT32_MAX / 2) {
        if (old == UINT32_MAX) mem_fail(MEM_SYSTEM, SIZE_MAX);
        grown = UINT32_MAX;
    }
    void *p = arena_resize(arena, items, (size_t)old * size, mem_times(grown, size));
    *cap = grown;
    return p;
}

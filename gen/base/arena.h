/* arena.h: memory that is freed all at once.
 *
 * One arena a run, one an output file, and so on; whoever makes it frees it. Blocks are aligned
 * to 16 bytes when they are 16 bytes or more, to 8 otherwise. Large blocks are the system's own
 * and grow in place where it can move pages instead of bytes.
 *
 * arena_mark and arena_reset give back everything allocated in between; a block that was there
 * before the mark and was grown since must not be reset over (grow those in an arena of their own).
 */
#ifndef OPGEN_BASE_ARENA_H
#define OPGEN_BASE_ARENA_H

#include "mem.h"

typedef struct Arena Arena;
typedef struct ArenaChunk ArenaChunk;
typedef struct ArenaLarge ArenaLarge;

typedef struct ArenaMark {
    ArenaChunk *chunk;
    char *next;
    ArenaLarge *large;
} ArenaMark;

struct Arena {
    char *next, *end; /* the free part of the current chunk */
    ArenaChunk *chunk;
    ArenaLarge *large;
    size_t held, limit; /* bytes taken from the system; limit 0: none */
};

void arena_init(Arena *arena); /* takes no memory yet, so it cannot fail */
void arena_free(Arena *arena); /* the arena may be used again afterwards */

enum { ARENA_LARGE = 64 << 10 }; /* blocks of this size and more are the system's own */

void *arena_alloc_slow(Arena *arena, size_t n);
static inline void *arena_alloc(Arena *arena, size_t n) {
    size_t align = n >= 16 ? 15 : 7;
    char *p = (char *)(((uintptr_t)arena->next + align) & ~(uintptr_t)align);
    if (n >= ARENA_LARGE || arena->next == NULL || p > arena->end || n > (size_t)(arena->end - p))
        return arena_alloc_slow(arena, n);
    arena->next = p + n;
    return p;
}
void *arena_zalloc(Arena *arena, size_t n);
/* Grows (or shrinks) a block: in place when it is the newest or a large one, else by a copy. */
void *arena_resize(Arena *arena, void *p, size_t old, size_t n);
void *arena_copy(Arena *arena, const void *p, size_t n);

#define ARENA_NEW(arena, T) ((T *)arena_zalloc((arena), sizeof(T)))
#define ARENA_ARRAY(arena, T, n) ((T *)arena_zalloc((arena), mem_times((n), sizeof(T))))

static inline ArenaMark arena_mark(const Arena *arena) {
    ArenaMark mark = {arena->chunk, arena->next, arena->large};
    return mark;
}
void arena_reset_slow(Arena *arena, ArenaMark mark);
static inline void arena_reset(Arena *arena, ArenaMark mark) {
    if (arena->chunk == mark.chunk && arena->large == mark.large)
        arena->next = mark.next;
    else
        arena_reset_slow(arena, mark);
}

/* An arena for the time of the call, freed on every way out; with the limit of `like`. */
void arena_with_scratch(const Arena *like, void (*work)(Arena *scratch, void *data), void *data);

#endif

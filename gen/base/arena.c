/* arena.c: chunks that small blocks are cut from, and large blocks of the system's own.
 *
 * Chunks double from 16 KiB to 1 MiB, or half of what the arena has, so that a short run takes little and a long
 * one asks seldom.
 * A block of 64 KiB or more is large: it gets a header in a list of its own, and growing it is the
 * system's realloc, which moves pages and not bytes. What is large is told from the size alone, so
 * blocks need no header in a chunk. */
#include "base/arena.h"

#include <stdatomic.h>
#include <string.h>

enum { CHUNK_FIRST = 16 << 10, CHUNK_MOST = 1 << 20, CHUNK_SHARE = 2 };

struct ArenaChunk {
    ArenaChunk *before;
    ArenaChunk *spare; /* an empty chunk kept for next time; only the current chunk has one */
    size_t size;       /* with this header */
    size_t unused_;    /* keeps blocks at 16 bytes */
};

struct ArenaLarge {
    ArenaLarge *before, *after; /* older and newer */
    size_t size;                /* without this header */
    size_t unused_;
};

_Static_assert(sizeof(ArenaChunk) % 16 == 0 && sizeof(ArenaLarge) % 16 == 0, "blocks follow headers at 16 bytes");

/* ---- chunks that were given back wait here for the next arena, so that what is done again and again does not ask the
 * system each time, which would hand out pages that it has to clear. Not where a sanitizer watches: it would see no use
 * after free. */

#if defined(__SANITIZE_ADDRESS__)
enum { POOL_MOST = 0 };
#elif defined(__has_feature)
enum { POOL_MOST = __has_feature(address_sanitizer) ? 0 : 4 << 20 };
#else
enum { POOL_MOST = 4 << 20 };
#endif

static _Thread_local struct {
    ArenaChunk *first;
    size_t held;
} pool;

/* ---- the first chunks that are not small lie in large pages: a fault and a page to clear in the place of hundreds,
 * which is a tenth of what a short run takes. So many a process, for the thread that is first; what needs more takes
 * long, and has larger chunks. */
enum { STARTER_LEAST = 128 << 10, STARTER_PAGES = 4 };

static struct {
    _Atomic bool taken;
    _Atomic(char *) pages[STARTER_PAGES]; /* NULL: not there yet */
    unsigned n;                           /* for its thread alone, as below */
    size_t used;                          /* of the last one */
} starter;

static _Thread_local bool has_starter;

static bool is_of_starter(const ArenaChunk *chunk) {
    const uintptr_t at = (uintptr_t)chunk;
    for (size_t i = 0; i < STARTER_PAGES; i++) {
        const uintptr_t from = (uintptr_t)atomic_load(&starter.pages[i]);
        if (from != 0 && at >= from && at < from + MEM_LARGE_PAGE) return true;
    }
    return false;
}

/* NULL: not from there. */
static ArenaChunk *chunk_of_starter(size_t size) {
    if (POOL_MOST == 0 || size < STARTER_LEAST || size > MEM_LARGE_PAGE || size % 16 != 0) return NULL;
    if (!has_starter && atomic_exchange(&starter.taken, true)) return NULL;
    has_starter = true;
    if (starter.n == 0 || size > MEM_LARGE_PAGE - starter.used) {
        if (starter.n == STARTER_PAGES) return NULL;
        atomic_store(&starter.pages[starter.n], mem_large_page());
        starter.n++;
        starter.used = 0;
    }
    ArenaChunk *chunk = (ArenaChunk *)(void *)(atomic_load(&starter.pages[starter.n - 1]) + starter.used);
    starter.used += size;
    return chunk;
}

static void chunk_free(ArenaChunk *chunk) {
    if (chunk == NULL) return;
    if (pool.held + chunk->size > POOL_MOST && !is_of_starter(chunk)) {
        mem_free(chunk);
        return;
    }
    chunk->before = pool.first;
    pool.first = chunk;
    pool.held += chunk->size;
}

/* Of at least this size, and not much more. */
static ArenaChunk *chunk_new(size_t size) {
    bool exact = size % CHUNK_FIRST != 0; /* the rest of a limit: not a byte more */
    for (ArenaChunk **at = &pool.first; *at != NULL; at = &(*at)->before) {
        ArenaChunk *chunk = *at;
        if (chunk->size < size || chunk->size > (exact ? size : 2 * size)) continue;
        *at = chunk->before;
        pool.held -= chunk->size;
        return chunk;
    }
    ArenaChunk *chunk = chunk_of_starter(size);
    if (chunk == NULL) chunk = mem_alloc(size);
    chunk->size = size;
    return chunk;
}

void arena_init(Arena *arena) { *arena = (Arena){0}; }

void arena_free(Arena *arena) {
    for (ArenaChunk *chunk = arena->chunk; chunk != NULL;) {
        ArenaChunk *before = chunk->before;
        chunk_free(chunk->spare);
        chunk_free(chunk);
        chunk = before;
    }
    for (ArenaLarge *large = arena->large; large != NULL;) {
        ArenaLarge *before = large->before;
        mem_free(large);
        large = before;
    }
    size_t limit = arena->limit;
    arena_init(arena);
    arena->limit = limit;
}

static void drop_chunk(Arena *arena, ArenaChunk *chunk) {
    if (chunk == NULL) return;
    arena->held -= chunk->size;
    chunk_free(chunk);
}

static bool past_limit(const Arena *arena, size_t more) {
    return arena->limit != 0 && (more > arena->limit || arena->held > arena->limit - more);
}

/* Fails when `more` bytes would pass the limit, even without the spare chunk. */
static void check_limit(Arena *arena, size_t more) {
    if (!past_limit(arena, more)) return;
    if (arena->chunk != NULL) {
        drop_chunk(arena, arena->chunk->spare);
        arena->chunk->spare = NULL;
    }
    if (past_limit(arena, more)) mem_fail(MEM_LIMIT, more);
}

static size_t with_header(size_t n, size_t header) {
    if (n > SIZE_MAX - header) mem_fail(MEM_SYSTEM, n);
    return n + header;
}

static void *alloc_large(Arena *arena, size_t n) {
    size_t size = with_header(n, sizeof(ArenaLarge));
    check_limit(arena, size);
    ArenaLarge *large = mem_alloc(size);
    *large = (ArenaLarge){arena->large, NULL, n, 0};
    if (arena->large != NULL) arena->large->after = large;
    arena->large = large;
    arena->held += size;
    return large + 1;
}

/* Makes an empty chunk the current one. */
static void enter_chunk(Arena *arena, ArenaChunk *chunk) {
    arena->chunk = chunk;
    arena->next = (char *)(chunk + 1);
    arena->end = (char *)chunk + chunk->size;
}

static void new_chunk(Arena *arena, size_t n) {
    ArenaChunk *last = arena->chunk;
    size_t need = n + sizeof(ArenaChunk);
    if (last != NULL && last->spare != NULL) {
        ArenaChunk *spare = last->spare;
        last->spare = NULL;
        if (spare->size >= need) {
            spare->before = last;
            enter_chunk(arena, spare);
            return;
        }
        drop_chunk(arena, spare);
    }
    size_t size = last == NULL ? CHUNK_FIRST : last->size * 2;
    size_t most = arena->held / CHUNK_SHARE > CHUNK_MOST ? arena->held / CHUNK_SHARE : CHUNK_MOST;
    if (size > most) size = most / CHUNK_FIRST * CHUNK_FIRST;
    if (size < need) size = need;
    if (arena->limit != 0) {
        /* The last chunk before the limit is as small as it must be. */
        check_limit(arena, need);
        if (size > arena->limit - arena->held) size = arena->limit - arena->held;
    }
    ArenaChunk *chunk = chunk_new(size);
    *chunk = (ArenaChunk){last, NULL, chunk->size, 0};
    arena->held += chunk->size;
    enter_chunk(arena, chunk);
}

void *arena_alloc_slow(Arena *arena, size_t n) {
    if (n >= ARENA_LARGE) return alloc_large(arena, n);
    new_chunk(arena, n);
    char *p = arena->next; /* right behind the header, so aligned */
    arena->next = p + n;
    return p;
}

void *arena_zalloc(Arena *arena, size_t n) {
    void *p = arena_alloc(arena, n);
    if (n != 0) memset(p, 0, n);
    return p;
}

void *arena_copy(Arena *arena, const void *p, size_t n) {
    void *q = arena_alloc(arena, n);
    if (n != 0) memcpy(q, p, n);
    return q;
}

static void *resize_large(Arena *arena, void *p, size_t n) {
    ArenaLarge *large = (ArenaLarge *)p - 1;
    size_t size = with_header(n, sizeof(ArenaLarge));
    if (n > large->size) check_limit(arena, n - large->size);
    ArenaLarge *moved = mem_resize(large, size);
    arena->held = arena->held - moved->size + n;
    moved->size = n;
    if (moved->before != NULL) moved->before->after = moved;
    if (moved->after != NULL)
        moved->after->before = moved;
    else
        arena->large = moved;
    return moved + 1;
}

void *arena_resize(Arena *arena, void *p, size_t old, size_t n) {
    if (p == NULL) return arena_alloc(arena, n);
    if (old >= ARENA_LARGE) {
        /* One that shrinks below what counts as large stays where it is, and is copied when it grows again. */
        return n >= ARENA_LARGE ? resize_large(arena, p, n) : p;
    }
    bool newest = (char *)p + old == arena->next;
    bool aligned = n < 16 || ((uintptr_t)p & 15) == 0;
    if (newest && aligned && n < ARENA_LARGE && n <= (size_t)(arena->end - (char *)p)) {
        arena->next = (char *)p + n;
        return p;
    }
    if (n <= old) return p;
    void *q = arena_alloc(arena, n);
    if (old != 0) memcpy(q, p, old);
    return q;
}

void arena_reset_slow(Arena *arena, ArenaMark mark) {
    while (arena->large != mark.large) {
        ArenaLarge *large = arena->large;
        arena->large = large->before;
        if (arena->large != NULL) arena->large->after = NULL;
        arena->held -= large->size + sizeof *large;
        mem_free(large);
    }
    if (arena->chunk == mark.chunk) {
        arena->next = mark.next;
        return;
    }
    /* Of the later chunks the newest, which is the largest, is kept: a loop that needs one more chunk in
     * each round does not take it from the system each time. */
    ArenaChunk *kept = NULL;
    while (arena->chunk != mark.chunk) {
        ArenaChunk *chunk = arena->chunk;
        arena->chunk = chunk->before;
        drop_chunk(arena, chunk->spare);
        chunk->spare = NULL;
        if (kept == NULL)
            kept = chunk;
        else
            drop_chunk(arena, chunk);
    }
    kept->before = NULL;
    if (arena->chunk == NULL) {
        enter_chunk(arena, kept);
        return;
    }
    drop_chunk(arena, arena->chunk->spare);
    arena->chunk->spare = kept;
    arena->next = mark.next;
    arena->end = (char *)arena->chunk + arena->chunk->size;
}

void arena_with_scratch(const Arena *like, void (*work)(Arena *scratch, void *data), void *data) {
    Arena scratch;
    arena_init(&scratch);
    scratch.limit = like->limit;
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        arena_free(&scratch);
        mem_fail(trap.why, trap.wanted);
    }
    work(&scratch, data);
    mem_untrap(&trap);
    arena_free(&scratch);
}

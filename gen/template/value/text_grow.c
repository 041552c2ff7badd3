/* text_grow.c: text put behind text. A template that builds one in a loop, as in {% set ns.s = ns.s ~ x %}, would copy
 * it all in each round and keep every copy, since what a namespace holds cannot be given back with the iteration. So
 * when a text is seen to become longer again and again, it gets a block with room behind it, and what comes next is
 * written there: texts never change, so the shorter ones before it can share the bytes. */
#include "template/value/inner.h"

enum {
    GROWN_OFTEN = 4,
    GROWN_ROOM = 4, /* a block has room for so many times the text */
};

static char *put_together(char *p, Value left, Str rest) {
    memcpy(p, left.as.s, left.n);
    if (rest.n != 0) memcpy(p + left.n, rest.p, rest.n);
    return p;
}

/* A block that stays until the rendering ends, counted as the values are; NULL where they need the memory. */
static char *lasting_block(Run *run, size_t least, size_t *size) {
    Arena *arena = run->arena;
    if (arena->limit != 0) {
        const size_t left = arena->limit > arena->held ? (arena->limit - arena->held) / 2 : 0;
        if (*size > left) *size = left;
        if (*size < least) return NULL;
        arena->limit -= *size;
    }
    return arena_alloc(run->lasting, *size);
}

static TextGrowth *find_growth(Run *run, const char *end) {
    for (unsigned i = 0; i < TEXTS_GROWING; i++)
        if (run->growing[i].end == end) return &run->growing[i];
    return NULL;
}

/* Whether it is the text of an earlier round. Within one, nothing older is changed between two of these. */
static bool grows_again(const Run *run, TextGrowth *growth) {
    if (growth->changes == run->changes) return false;
    growth->changes = run->changes;
    return ++growth->times >= GROWN_OFTEN;
}

static char *append(Run *run, Value left, Str rest) {
    const size_t n = left.n + rest.n;
    const char *end = left.as.s + left.n;
    TextGrowth *growth = find_growth(run, end);
    const bool has_block = growth != NULL && growth->block_end != NULL;
    if (has_block && (size_t)(growth->block_end - end) >= rest.n) {
        if (rest.n != 0) memcpy(growth->end, rest.p, rest.n);
        growth->end += rest.n;
        return growth->end - n;
    }
    if (growth == NULL) {
        growth = &run->growing[run->growing_next++ % TEXTS_GROWING];
        *growth = (TextGrowth){.changes = run->changes};
    }
    if (has_block || grows_again(run, growth)) {
        size_t size = n * GROWN_ROOM;
        char *block = lasting_block(run, n, &size);
        growth->block_end = block != NULL ? block + size : NULL;
        if (block != NULL) {
            growth->end = block + n;
            return put_together(block, left, rest);
        }
    }
    char *p = put_together(arena_alloc(run->arena, n), left, rest);
    growth->end = p + n;
    if (n >= ARENA_LARGE) run->fresh = p;
    return p;
}

Value text_append(Run *run, Value left, Str rest, unsigned flags) {
    const uint64_t n = (uint64_t)left.n + rest.n;
    if (n > TEXT_MOST) fail_text_size(run, n);
    Value text = {.kind = V_STR, .flags = (uint8_t)flags, .n = (uint32_t)n, .as.s = ""};
    if (left.n >= TEXT_LONG && run->lasting != NULL)
        text.as.s = append(run, left, rest);
    else if (n != 0)
        text.as.s = put_together(arena_alloc(run->arena, n), left, rest);
    return text;
}

Value run_settle_slowly(Run *run, RunMark mark, Value v) {
    Arena *arena = run->arena;
    char *const next = arena->next;
    /* Not where a new chunk was begun. */
    if (run->changes != mark.changes || mark.next <= (char *)arena->chunk || mark.next >= next) return v;
    const ArenaMark back = {arena->chunk, mark.next, arena->large};
    if (v.kind != V_STR) {
        if (v.kind == V_NONE || v.kind == V_BOOL || v.kind == V_INT || v.kind == V_FLOAT) arena_reset(arena, back);
        return v;
    }
    const char *from = v.as.s;
    if ((uintptr_t)from < (uintptr_t)mark.next || (uintptr_t)from >= (uintptr_t)next) {
        arena_reset(arena, back); /* an older text, a part of one, or a long one */
        return v;
    }
    if (from < mark.next + 16 && from + v.n == next) return v;
    arena_reset(arena, back);
    char *to = arena_alloc(arena, v.n);
    if (to == from) return v;
    memmove(to, from, v.n);
    TextGrowth *growth = find_growth(run, from + v.n);
    if (growth != NULL && growth->block_end == NULL) growth->end = to + v.n;
    v.as.s = to;
    return v;
}

/* arena_stack.c: slots on top of each other, in an order.
 *
 * Seen over time, what has been stacked so far has a skyline: at each call one slot is topmost. It changes only at some
 * calls; those are kept as bits in words, and in words of words above them, so that the next one is found in a few
 * steps. A new slot lies on those that are topmost while it is in use, and takes their place. Each call that it takes
 * from the skyline was put there once, so that all of it takes n log n, and the lists of what lies on what are
 * short: of all that is below, the topmost alone.
 */
#include "emit/arena.h"

#define NOTHING UINT32_MAX
enum { LEVELS = 6 }; /* 64^6 calls and more than there can be */

typedef struct Skyline {
    uint64_t *bits[LEVELS];
    uint32_t *top; /* where the bit of level 0 is set: the slot, or NOTHING */
    uint32_t n;
} Skyline;

static void skyline_set(Skyline *line, uint32_t at) {
    for (uint32_t level = 0; level < LEVELS; level++, at >>= 6)
        line->bits[level][at >> 6] |= UINT64_C(1) << (at & 63);
}

static void skyline_clear(Skyline *line, uint32_t at) {
    for (uint32_t level = 0; level < LEVELS; level++, at >>= 6) {
        line->bits[level][at >> 6] &= ~(UINT64_C(1) << (at & 63));
        if (line->bits[level][at >> 6] != 0) return;
    }
}

static bool skyline_has(const Skyline *line, uint32_t at) { return line->bits[0][at >> 6] >> (at & 63) & 1; }

/* The first change at or after `at`; line->n if there is none. */
static uint32_t skyline_next(const Skyline *line, uint32_t at) {
    uint32_t level = 0;
    for (; level < LEVELS; level++, at = (at >> 6) + 1) {
        if (at >> 6 > (uint64_t)line->n >> (6 * (level + 1))) return line->n;
        uint64_t word = line->bits[level][at >> 6] >> (at & 63);
        if (word == 0) continue;
        at += (uint32_t)__builtin_ctzll(word);
        while (level-- > 0)
            at = at << 6 | (uint32_t)__builtin_ctzll(line->bits[level][at]);
        return at;
    }
    return line->n;
}

/* The last change at or before `at`; 0 always is one. */
static uint32_t skyline_before(const Skyline *line, uint32_t at) {
    for (uint32_t level = 0; level < LEVELS; level++) {
        uint64_t word = line->bits[level][at >> 6] << (63 - (at & 63));
        if (word != 0) {
            at -= (uint32_t)__builtin_clzll(word);
            while (level-- > 0)
                at = at << 6 | (63 - (uint32_t)__builtin_clzll(line->bits[level][at]));
            return at;
        }
        if (at >> 6 == 0) return 0;
        at = (at >> 6) - 1;
    }
    return 0;
}

static void skyline_init(Skyline *line, Arena *arena, uint32_t n) {
    line->n = n;
    for (uint32_t level = 0, bits = n; level < LEVELS; level++, bits >>= 6)
        line->bits[level] = ARENA_ARRAY(arena, uint64_t, (bits >> 6) + 1);
    line->top = ARENA_ARRAY(arena, uint32_t, (size_t)n + 1);
    line->top[0] = NOTHING;
    skyline_set(line, 0);
}

static void skyline_split(Skyline *line, uint32_t at) {
    if (at >= line->n || skyline_has(line, at)) return;
    line->top[at] = line->top[skyline_before(line, at)];
    skyline_set(line, at);
}

int64_t arena_stack(Arena *arena, Slot *slots, const uint32_t *order, uint32_t n, int64_t most, bool on) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < n; i++)
        if (slots[order[i]].last >= end) end = slots[order[i]].last + 1;
    Skyline line;
    skyline_init(&line, arena, end);
    int64_t *ends = ARENA_ARRAY(arena, int64_t, (size_t)n + 1), highest = 0;
    uint32_t *place =
        ARENA_ARRAY(arena, uint32_t, (size_t)n + 1); /* of what is topmost: where it stands in the order */
    uint32_t *seen = ARENA_ARRAY(arena, uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i < n && highest <= most; i++) {
        Slot *slot = &slots[order[i]];
        place[i] = order[i];
        skyline_split(&line, slot->first);
        skyline_split(&line, slot->last + 1);
        int64_t base = 0;
        for (uint32_t at = slot->first; at <= slot->last;) {
            uint32_t top = line.top[at], next = skyline_next(&line, at + 1);
            if (top != NOTHING && seen[top] != i + 1) {
                seen[top] = i + 1;
                if (ends[top] > base) base = ends[top];
                if (on) *VEC_PUSH(arena, &slot->on) = place[top];
            }
            if (at != slot->first) skyline_clear(&line, at);
            at = next;
        }
        line.top[slot->first] = i;
        ends[i] = base + slot->planned;
        if (ends[i] > highest) highest = ends[i];
        if (on) slot->offset = base;
    }
    return highest;
}

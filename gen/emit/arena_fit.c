/* arena_fit.c: slots into gaps.
 *
 * Who comes later in the order may come to lie below who was there: between two others there may be room. Slots that
 * are in use at the same time are found in a tree over the slots sorted by their first call, which knows for each of
 * its parts the last call of those in it that have their place already.
 */
#include "emit/arena.h"

#include <stdlib.h>

typedef struct Block {
    int64_t offset, end;
    uint32_t slot;
} Block;

typedef struct Fit {
    const Slot *slots;
    uint32_t n, leaves; /* a power of two */
    uint32_t *by_first; /* slots, sorted */
    uint32_t *leaf_of;  /* by slot */
    uint32_t *last;     /* the tree: 1 is its root; one more than the last call, 0: nobody */
    int64_t *offset;    /* by slot */
    Block *found;
} Fit;

typedef struct Key {
    uint32_t first, slot;
} Key;

static int by_key(const void *a, const void *b) {
    const Key *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->slot < y->slot ? -1 : 1;
}

static int by_offset(const void *a, const void *b) {
    const Block *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return x->slot < y->slot ? -1 : 1;
}

static void begin(Fit *fit, Arena *arena, const Slot *slots, const uint32_t *order, uint32_t n) {
    uint32_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        if (order[i] >= all) all = order[i] + 1;
    *fit = (Fit){.slots = slots, .n = n, .leaves = 1};
    while (fit->leaves < n)
        fit->leaves *= 2;
    fit->by_first = ARENA_ARRAY(arena, uint32_t, (size_t)n + 1);
    fit->leaf_of = ARENA_ARRAY(arena, uint32_t, (size_t)all + 1);
    fit->last = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)fit->leaves);
    fit->offset = ARENA_ARRAY(arena, int64_t, (size_t)all + 1);
    fit->found = ARENA_ARRAY(arena, Block, (size_t)n + 1);
    Key *keys = ARENA_ARRAY(arena, Key, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++)
        keys[i] = (Key){slots[order[i]].first, order[i]};
    qsort(keys, n, sizeof *keys, by_key);
    for (uint32_t i = 0; i < n; i++) {
        fit->by_first[i] = keys[i].slot;
        fit->leaf_of[keys[i].slot] = fit->leaves + i;
    }
}

/* Those that have their place and are in use at a time when this slot is. */
static uint32_t find(Fit *fit, const Slot *slot) {
    uint32_t stack[80], depth = 0, found = 0;
    stack[depth++] = 1;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        if (fit->last[at] <= slot->first) continue;
        if (at < fit->leaves) {
            /* The right part only if its leftmost slot begins in time. */
            uint32_t right = 2 * at + 1, leftmost = right;
            while (leftmost < fit->leaves)
                leftmost *= 2;
            leftmost -= fit->leaves;
            if (leftmost < fit->n && fit->slots[fit->by_first[leftmost]].first <= slot->last) stack[depth++] = right;
            stack[depth++] = 2 * at;
            continue;
        }
        uint32_t other = fit->by_first[at - fit->leaves];
        if (fit->slots[other].first > slot->last) continue;
        fit->found[found++] = (Block){fit->offset[other], fit->offset[other] + fit->slots[other].planned, other};
    }
    return found;
}

static int64_t smallest_gap(const Fit *fit, uint32_t found, int64_t size) {
    int64_t end = 0, best = -1, waste = INT64_MAX;
    for (uint32_t i = 0; i < found; i++) {
        int64_t gap = fit->found[i].offset - end;
        if (gap >= size && gap - size < waste) best = end, waste = gap - size;
        if (fit->found[i].end > end) end = fit->found[i].end;
    }
    return best >= 0 ? best : end;
}

int64_t arena_fit(Arena *arena, const Slot *slots, uint32_t *order, uint32_t n, int64_t most, uint32_t *top) {
    Fit fit;
    begin(&fit, arena, slots, order, n);
    int64_t highest = 0;
    Block *blocks = ARENA_ARRAY(arena, Block, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const Slot *slot = &slots[order[i]];
        uint32_t found = find(&fit, slot);
        if (found > 1) qsort(fit.found, found, sizeof *fit.found, by_offset);
        int64_t offset = smallest_gap(&fit, found, slot->planned);
        fit.offset[order[i]] = offset;
        blocks[i] = (Block){offset, offset + slot->planned, order[i]};
        if (blocks[i].end > highest) {
            highest = blocks[i].end;
            if (top != NULL) *top = order[i];
        }
        if (highest > most) return INT64_MAX;
        for (uint32_t at = fit.leaf_of[order[i]]; at > 0 && fit.last[at] <= slot->last; at /= 2)
            fit.last[at] = slot->last + 1;
    }
    qsort(blocks, n, sizeof *blocks, by_offset);
    for (uint32_t i = 0; i < n; i++)
        order[i] = blocks[i].slot;
    return highest;
}

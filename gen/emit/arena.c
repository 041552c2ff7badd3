/* arena.c: what lies where in the arena.
 *
 * Finding the best layout is as hard as packing boxes. Some orders of the slots are good starts: the large ones first,
 * the long-lived ones first. Each is tried, and the lowest layout is made better as long as that goes on: what sticks
 * out at the top is laid down first the next time. How much is tried depends on how many pairs of slots are in use at
 * the same time, so that large models take no longer than their nodes do.
 *
 * The layout is for the planned dims. What holds for all dims is the order: which of two slots that are in use at the
 * same time is below the other.
 */
#include "emit/arena.h"

#include <stdlib.h>

enum {
    UNIT = 64, /* bytes that every slot is a multiple of */
    MODEST = 1024,
    PAIRS_ALL = 200000,    /* up to so many pairs: every order */
    PAIRS_FIT = 16000000,  /* up to so many: gaps are looked for at all */
    WORK_BETTER = 4000000, /* pairs that making it better looks at */
    MOST_ROUNDS = 200,
};
#define MOST_BYTES (INT64_C(1) << 46) /* of a slot */
#define MOST_ALL (INT64_C(1) << 62)

/* ---- sizes */

/* False: some size is beyond all machines. */
static bool evaluate(Plan *plan, int64_t most_dim) {
    Graph *graph = plan->graph;
    Map values;
    map_init(&values, plan->arena);
    plan->planned_dims.n = 0;
    for (uint32_t i = 0; i < graph->dims.n; i++) {
        const GraphDim *dim = &graph->dims.items[i];
        int64_t value = dim->max < most_dim ? dim->max : most_dim < dim->min ? dim->min : most_dim;
        *VEC_PUSH(plan->arena, &plan->planned_dims) = value;
    }
    for (uint32_t i = 0; i < graph->dims.n; i++)
        map_set(&values, graph->dims.items[i].name, &plan->planned_dims.items[i]);
    bool good = true;
    int64_t all = 0;
    for (uint32_t i = 0; i < plan->slots.n; i++) {
        Slot *slot = &plan->slots.items[i];
        /* What is empty, or has no size that can be told, has to lie somewhere all the same. */
        bool told = sym_value(slot->bytes, &values, &slot->planned);
        bool large = !told || slot->planned > MOST_BYTES || slot->planned > MOST_ALL - all;
        good &= !large;
        if (large || slot->planned < UNIT) slot->planned = UNIT;
        all += slot->planned;
    }
    return good;
}

static void plan_sizes(Plan *plan) {
    bool good = evaluate(plan, INT64_MAX);
    for (int64_t dim = MODEST; !good && dim >= 1; dim /= 8)
        good = evaluate(plan, dim);
}

/* ---- orders */
typedef struct Key {
    int64_t first, second;
    uint32_t slot;
} Key;

static int by_key(const void *a, const void *b) {
    const Key *x = a, *y = b;
    if (x->first != y->first) return x->first > y->first ? -1 : 1;
    if (x->second != y->second) return x->second > y->second ? -1 : 1;
    return x->slot < y->slot ? -1 : 1;
}

typedef enum Start { LARGE_FIRST, AREA_FIRST, LONG_FIRST, EARLY_FIRST, STARTS } Start;

typedef struct Search {
    Plan *plan;
    Arena scratch;
    uint32_t *slots, n; /* those that have a size at all */
    Key *keys;
    uint32_t *order, *best;
    int64_t best_bytes, least; /* no layout can be below this */
    uint64_t pairs;
} Search;

static void order_by(Search *search, Start start) {
    for (uint32_t i = 0; i < search->n; i++) {
        const Slot *slot = &search->plan->slots.items[search->slots[i]];
        int64_t length = (int64_t)slot->last - slot->first + 1, size = slot->planned;
        Key *key = &search->keys[i];
        key->slot = search->slots[i];
        key->first = start == LARGE_FIRST ? size : start == LONG_FIRST ? length : -(int64_t)slot->first;
        /* Sizes are below 2^46; the area is for comparing alone. */
        if (start == AREA_FIRST) key->first = size / UNIT > INT64_MAX / length ? INT64_MAX : size / UNIT * length;
        key->second = start == LARGE_FIRST ? length : size;
    }
    qsort(search->keys, search->n, sizeof *search->keys, by_key);
    for (uint32_t i = 0; i < search->n; i++)
        search->order[i] = search->keys[i].slot;
}

static void keep(Search *search, int64_t bytes) {
    if (bytes >= search->best_bytes) return;
    search->best_bytes = bytes;
    memcpy(search->best, search->order, search->n * sizeof *search->order);
}

static void try_stack(Search *search) {
    ArenaMark mark = arena_mark(&search->scratch);
    keep(search,
         arena_stack(&search->scratch, search->plan->slots.items, search->order, search->n, search->best_bytes, false));
    arena_reset(&search->scratch, mark);
}

static void try_fit(Search *search) {
    ArenaMark mark = arena_mark(&search->scratch);
    keep(search, arena_fit(&search->scratch, search->plan->slots.items, search->order, search->n,
                           search->best_bytes - 1, NULL));
    arena_reset(&search->scratch, mark);
}

/* Who ends highest is laid down first the next time. An order that has led to nothing is left after some rounds. */
static void make_better(Search *search) {
    uint64_t cost = search->pairs + search->n + 1, rounds = WORK_BETTER / cost;
    if (rounds > MOST_ROUNDS) rounds = MOST_ROUNDS;
    uint32_t *turn = ARENA_ARRAY(&search->scratch, uint32_t, (size_t)search->n + 1);
    for (int start = LARGE_FIRST; start <= LONG_FIRST; start++) {
        order_by(search, (Start)start);
        memcpy(turn, search->order, search->n * sizeof *turn);
        for (uint64_t round = 0; round < rounds / 3 && search->best_bytes > search->least; round++) {
            ArenaMark mark = arena_mark(&search->scratch);
            memcpy(search->order, turn, search->n * sizeof *turn);
            uint32_t top = 0, at = 0;
            keep(search,
                 arena_fit(&search->scratch, search->plan->slots.items, search->order, search->n, INT64_MAX, &top));
            while (turn[at] != top)
                at++;
            memmove(turn + 1, turn, at * sizeof *turn);
            turn[0] = top;
            arena_reset(&search->scratch, mark);
        }
    }
}

/* ---- what is alive together */
static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* How many pairs of slots are in use at the same time: for each that begins, those that have begun and not ended. */
static uint64_t count_pairs(Search *search) {
    uint32_t n = search->n, ended = 0;
    uint32_t *firsts = ARENA_ARRAY(&search->scratch, uint32_t, (size_t)n + 1);
    uint32_t *lasts = ARENA_ARRAY(&search->scratch, uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        firsts[i] = search->plan->slots.items[search->slots[i]].first;
        lasts[i] = search->plan->slots.items[search->slots[i]].last;
    }
    qsort(firsts, n, sizeof *firsts, by_number);
    qsort(lasts, n, sizeof *lasts, by_number);
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < n; i++) {
        while (lasts[ended] < firsts[i])
            ended++;
        pairs += i - ended;
    }
    return pairs;
}

/* The largest sum of what is in use at one call: no layout is smaller. */
static int64_t largest_sum(Search *search) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < search->n; i++) {
        const Slot *slot = &search->plan->slots.items[search->slots[i]];
        if (slot->last >= end) end = slot->last + 1;
    }
    int64_t *change = ARENA_ARRAY(&search->scratch, int64_t, (size_t)end + 1), sum = 0, most = 0;
    for (uint32_t i = 0; i < search->n; i++) {
        const Slot *slot = &search->plan->slots.items[search->slots[i]];
        change[slot->first] += slot->planned;
        change[slot->last + 1] -= slot->planned;
    }
    for (uint32_t i = 0; i < end; i++) {
        sum += change[i];
        if (sum > most) most = sum;
    }
    return most;
}

static void search_layout(Search *search) {
    search->pairs = count_pairs(search);
    search->least = largest_sum(search);
    search->best_bytes = INT64_MAX;
    for (int start = LARGE_FIRST; start < STARTS && search->best_bytes > search->least; start++) {
        order_by(search, (Start)start);
        try_stack(search);
    }
    for (int start = LARGE_FIRST; start < STARTS && search->pairs <= PAIRS_FIT; start++) {
        if (search->best_bytes == search->least || (start > LARGE_FIRST && search->pairs > PAIRS_ALL)) break;
        order_by(search, (Start)start);
        try_fit(search);
    }
    if (search->best_bytes > search->least && search->pairs <= PAIRS_ALL) make_better(search);
}

static void plan_one(Plan *plan) {
    Search search = {.plan = plan};
    plan_sizes(plan);
    MemTrap trap;
    arena_init(&search.scratch);
    search.scratch.limit = plan->arena->limit;
    if (MEM_TRAP(&trap)) {
        arena_free(&search.scratch);
        mem_fail(trap.why, trap.wanted);
    }
    uint32_t all = plan->slots.n;
    search.slots = ARENA_ARRAY(&search.scratch, uint32_t, (size_t)all + 1);
    search.order = ARENA_ARRAY(&search.scratch, uint32_t, (size_t)all + 1);
    search.best = ARENA_ARRAY(&search.scratch, uint32_t, (size_t)all + 1);
    search.keys = ARENA_ARRAY(&search.scratch, Key, (size_t)all + 1);
    for (uint32_t i = 0; i < all; i++) {
        int64_t bytes;
        if (sym_is_int(plan->slots.items[i].bytes, &bytes) && bytes == 0)
            plan->slots.items[i].planned = 0; /* nothing is ever there */
        else
            search.slots[search.n++] = i;
    }
    search_layout(&search);
    plan->arena_planned =
        search.n == 0 ? 0 : arena_stack(plan->arena, plan->slots.items, search.best, search.n, INT64_MAX, true);
    mem_untrap(&trap);
    arena_free(&search.scratch);
}

void plan_arena(Plan *plan) {
    plan_one(plan);
    if (plan->fold != NULL) plan_one(plan->fold);
}

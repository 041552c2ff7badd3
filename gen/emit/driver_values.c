/* driver_values.c: what a run works out from its dims before anything is computed.
 *
 * Sizes that are expressions are worked out once and known by a number, and so are the offsets in the arena where they
 * depend on dims. Slots that lie on the same things have the same offset, so that a chain of a thousand layers has as
 * many offsets as a chain of three. Where no dim has a say in the arena, offsets are numbers in the code.
 */
#include "emit/driver.h"

#include <stdlib.h>

/* ---- sizes */
/* The arena's loop asks by number, whatever the size is. */
static uint32_t enter_any(Plan *plan, DriverValues *values, SymRef size) {
    if (values->size_at[size->id] == 0) {
        *VEC_PUSH(plan->arena, &values->sizes) = size;
        values->size_at[size->id] = values->sizes.n;
        values->unsafe |= !size_is_safe(size);
    }
    return values->size_at[size->id] - 1;
}

static void enter(Plan *plan, DriverValues *values, SymRef size) {
    int64_t number;
    if (size != NULL && !sym_is_int(size, &number) && size->kind != SYM_VAR) enter_any(plan, values, size);
}

static void enter_calls(Plan *plan, DriverValues *values) {
    for (uint32_t c = 0; c < plan->calls.n; c++) {
        const Call *call = &plan->calls.items[c];
        for (uint32_t i = 0; i < call->args.n; i++) {
            const Arg *arg = &call->args.items[i];
            if (arg->kind == ARG_SIZE) enter(plan, values, arg->size);
            if (arg->tensor != NULL) enter(plan, values, plan->places[arg->tensor->number].offset);
        }
        if (call->function == NULL) {
            enter(plan, values, call->bytes);
            enter(plan, values, call->from.offset);
            enter(plan, values, call->to.offset);
        }
    }
}

/* ---- the arena */
typedef struct Pair {
    uint32_t offset, size;
} Pair;

static int by_pair(const void *a, const void *b) {
    const Pair *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return x->size < y->size ? -1 : x->size > y->size;
}

static uint32_t unique(Pair *pairs, uint32_t n) {
    uint32_t kept = 0;
    qsort(pairs, n, sizeof *pairs, by_pair);
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || by_pair(&pairs[kept - 1], &pairs[i]) != 0) pairs[kept++] = pairs[i];
    return kept;
}

static void write_pairs(DriverValues *values, const Pair *pairs, uint32_t n, uint32_t *ends) {
    for (uint32_t i = 0; i < n; i++)
        buf_format(&values->on, "%s{%u, %u},",
                   *ends + i == 0         ? "    "
                   : (*ends + i) % 8 == 0 ? "\n    "
                                          : " ",
                   (unsigned)pairs[i].offset, (unsigned)pairs[i].size);
    *ends += n;
    buf_format(&values->on_ends, "%s%u,",
               values->offsets == 0        ? "    "
               : values->offsets % 16 == 0 ? "\n    "
                                           : " ",
               (unsigned)*ends);
}

typedef struct Rank {
    int64_t offset;
    uint32_t slot;
} Rank;

static int by_rank(const void *a, const void *b) {
    const Rank *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Slots from the lowest up, so that what one lies on has its number already. */
static void number_offsets(Plan *plan, DriverValues *values, Arena *scratch) {
    uint32_t n = plan->slots.n, ends = 0, tops = 0;
    Rank *ranks = ARENA_ARRAY(scratch, Rank, (size_t)n + 1);
    bool *covered = ARENA_ARRAY(scratch, bool, (size_t)n + 1);
    Pair *pairs = ARENA_ARRAY(scratch, Pair, (size_t)n + 1);
    Names keys;
    Map known;
    names_init(&keys, scratch);
    map_init(&known, scratch);
    for (uint32_t i = 0; i < n; i++)
        ranks[i] = (Rank){plan->slots.items[i].offset, i};
    qsort(ranks, n, sizeof *ranks, by_rank);
    for (uint32_t r = 0; r < n; r++) {
        const Slot *slot = &plan->slots.items[ranks[r].slot];
        uint32_t m = 0;
        for (uint32_t i = 0; i < slot->on.n; i++) {
            uint32_t below = slot->on.items[i];
            covered[below] = true;
            pairs[m++] = (Pair){values->offset_of[below], enter_any(plan, values, plan->slots.items[below].bytes)};
        }
        m = unique(pairs, m);
        Name key = names_get(&keys, str((const char *)pairs, m * sizeof *pairs));
        uintptr_t number = (uintptr_t)map_get(&known, key);
        if (number == 0) {
            write_pairs(values, pairs, m, &ends);
            number = ++values->offsets;
            map_set(&known, key, (void *)number);
        }
        values->offset_of[ranks[r].slot] = (uint32_t)number - 1;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!covered[i])
            pairs[tops++] = (Pair){values->offset_of[i], enter_any(plan, values, plan->slots.items[i].bytes)};
    write_pairs(values, pairs, unique(pairs, tops), &ends);
}

void driver_values(Plan *plan, DriverValues *values) {
    Arena *arena = plan->arena;
    *values = (DriverValues){.fixed = true, .size_room = plan->graph->syms.all.n};
    values->size_at = ARENA_ARRAY(arena, uint32_t, (size_t)values->size_room + 1);
    buf_init(&values->on, arena);
    buf_init(&values->on_ends, arena);
    for (uint32_t i = 0; i < plan->slots.n; i++) {
        int64_t bytes;
        const Slot *slot = &plan->slots.items[i];
        values->fixed &= sym_is_int(slot->bytes, &bytes) && (bytes == slot->planned || bytes == 0);
    }
    enter_calls(plan, values);
    if (values->fixed) return;
    values->offset_of = ARENA_ARRAY(arena, uint32_t, (size_t)plan->slots.n + 1);
    Arena scratch;
    MemTrap trap;
    arena_init(&scratch);
    scratch.limit = arena->limit;
    if (MEM_TRAP(&trap)) {
        arena_free(&scratch);
        mem_fail(trap.why, trap.wanted);
    }
    number_offsets(plan, values, &scratch);
    mem_untrap(&trap);
    arena_free(&scratch);
}

void driver_size(const Plan *plan, const DriverValues *values, SymRef size, bool *used, Buf *out) {
    int64_t number;
    if (sym_is_int(size, &number)) {
        buf_int(out, number);
    } else if (size->kind == SYM_VAR) {
        size_dims(plan->graph, size, used);
        buf_format(out, DIM_PREFIX "%S", name_str(size->name));
    } else {
        buf_format(out, "values[%u]", (unsigned)(values->size_at[size->id] - 1));
    }
}

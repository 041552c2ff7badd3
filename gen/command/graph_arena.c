/* graph_arena.c: what lies in the arena of a plan, from call to call. */
#include "command/graph_arena.h"

#include <stdlib.h>

typedef struct Named {
    uint32_t first, last;
    bool used;
} Named;

static void name_in(Named *ranges, const Tensor *tensor, uint32_t call) {
    Named *range = &ranges[tensor->number];
    if (!range->used) range->first = call;
    range->used = true;
    range->last = call;
}

/* The calls that name each tensor. */
static Named *find_ranges(Arena *arena, const Plan *plan) {
    Named *ranges = ARENA_ARRAY(arena, Named, (size_t)plan->graph->tensors.n + 1);
    for (uint32_t c = 0; c < plan->calls.n; c++) {
        const Call *call = &plan->calls.items[c];
        for (uint32_t i = 0; i < call->args.n; i++)
            if (call->args.items[i].tensor != NULL) name_in(ranges, call->args.items[i].tensor, c);
        if (call->copied != NULL) name_in(ranges, call->copied, c);
    }
    return ranges;
}

static int by_first(const void *a, const void *b) {
    const ArenaTensor *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->tensor == NULL || y->tensor == NULL) return (x->tensor == NULL) - (y->tensor == NULL);
    return x->tensor->number < y->tensor->number ? -1 : x->tensor->number > y->tensor->number;
}

static void find_tensors(ArenaUse *use) {
    const Plan *plan = use->plan;
    const Graph *graph = plan->graph;
    Named *ranges = find_ranges(use->arena, plan);
    for (uint32_t i = 0; i < graph->tensors.n; i++) {
        const Tensor *tensor = graph->tensors.items[i];
        TensorPlace place = plan->places[i];
        if (place.kind != PLACE_SLOT || !ranges[i].used) continue;
        ArenaHow how = plan->groups->aliases[i].of != NULL ? ARENA_ALIAS : ARENA_OWN;
        *VEC_PUSH(use->arena, &use->slots[place.at].tensors) =
            (ArenaTensor){how, tensor, NULL, ranges[i].first, ranges[i].last};
    }
    for (uint32_t c = 0; c < plan->calls.n; c++) {
        const Call *call = &plan->calls.items[c];
        if (call->workspace == NULL) continue;
        *VEC_PUSH(use->arena, &use->slots[call->workspace_slot].tensors) =
            (ArenaTensor){ARENA_WORKSPACE, NULL, call, c, c};
    }
    for (uint32_t s = 0; s < plan->slots.n; s++) {
        ArenaSlot *slot = &use->slots[s];
        if (slot->tensors.n > 1) qsort(slot->tensors.items, slot->tensors.n, sizeof *slot->tensors.items, by_first);
        bool owned = false;
        for (uint32_t i = 0; i < slot->tensors.n; i++) {
            ArenaTensor *tensor = &slot->tensors.items[i];
            if (tensor->how != ARENA_OWN) continue;
            if (owned) tensor->how = ARENA_IN_PLACE;
            owned = true;
        }
    }
}

static void find_lives(ArenaUse *use) {
    const Plan *plan = use->plan;
    use->calls = plan->calls.n;
    use->lives = ARENA_ARRAY(use->arena, int64_t, (size_t)use->calls + 2);
    for (uint32_t s = 0; s < plan->slots.n; s++) {
        use->lives[plan->slots.items[s].first] += plan->slots.items[s].planned;
        use->lives[plan->slots.items[s].last + 1] -= plan->slots.items[s].planned;
    }
    for (uint32_t c = 0; c < use->calls; c++) {
        if (c > 0) use->lives[c] += use->lives[c - 1];
        if (use->lives[c] > use->most) use->most = use->lives[c], use->most_at = c;
    }
}

void arena_use(Arena *arena, const Plan *plan, ArenaUse *use) {
    *use = (ArenaUse){.arena = arena, .plan = plan};
    use->slots = ARENA_ARRAY(arena, ArenaSlot, (size_t)plan->slots.n + 1);
    for (uint32_t s = 0; s < plan->slots.n; s++)
        use->slots[s].slot = &plan->slots.items[s];
    find_tensors(use);
    find_lives(use);
}

double arena_above(const ArenaUse *use) {
    return use->most == 0 ? 0 : 100.0 * (double)(use->plan->arena_planned - use->most) / (double)use->most;
}

Str arena_name(Arena *arena, const ArenaTensor *tensor) {
    if (tensor->tensor != NULL) return name_str(tensor->tensor->name);
    return str_format(arena, "workspace of %S", arena_call(arena, tensor->call));
}

Str arena_for(const ArenaUse *use) {
    Buf out;
    buf_init(&out, use->arena);
    for (uint32_t i = 0; i < use->plan->planned_dims.n; i++)
        buf_format(&out, "%s%S=%lld", i == 0 ? "" : ", ", name_str(use->plan->graph->dims.items[i].name),
                   (long long)use->plan->planned_dims.items[i]);
    return buf_str(&out);
}

Str arena_call(Arena *arena, const Call *call) {
    if (call->function != NULL) return call->function->uri;
    return str_format(arena, "copy of %S", name_str(call->copied->name));
}

Str arena_size(Arena *arena, int64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double amount = (double)bytes;
    unsigned unit = 0;
    while (amount >= 1024 && unit + 1 < sizeof units / sizeof *units)
        amount /= 1024, unit++;
    return unit == 0 ? str_format(arena, "%lld B", (long long)bytes)
                     : str_format(arena, "%.2f %s", amount, units[unit]);
}

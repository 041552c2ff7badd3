/* graph_arena.h: what lies in the arena of a plan, from call to call: what the text and the picture of it have in
 * common. */
#ifndef OPGEN_COMMAND_GRAPH_ARENA_H
#define OPGEN_COMMAND_GRAPH_ARENA_H

#include "emit/plan.h"

typedef enum ArenaHow {
    ARENA_OWN,      /* it began the slot */
    ARENA_IN_PLACE, /* it lies where another one was, whose value it takes the place of */
    ARENA_ALIAS,    /* a view: another way to look at what is there */
    ARENA_WORKSPACE /* of a call; no tensor */
} ArenaHow;

typedef struct ArenaTensor {
    ArenaHow how;
    const Tensor *tensor; /* NULL: workspace */
    const Call *call;     /* workspace: whose */
    uint32_t first, last; /* the calls that name it */
} ArenaTensor;

typedef struct ArenaSlot {
    const Slot *slot;
    VEC(ArenaTensor) tensors; /* by their first call */
} ArenaSlot;

typedef struct ArenaUse {
    Arena *arena;
    const Plan *plan;
    ArenaSlot *slots; /* as in the plan */
    uint32_t calls;
    int64_t *lives; /* by call: the sum of what is in use */
    int64_t most;   /* the largest of these */
    uint32_t most_at;
} ArenaUse;

void arena_use(Arena *arena, const Plan *plan, ArenaUse *use);
double arena_above(const ArenaUse *use);                 /* per cent of `most` that the arena is larger */
Str arena_name(Arena *arena, const ArenaTensor *tensor); /* h, workspace */
Str arena_for(const ArenaUse *use);                      /* "batch=8, length=128"; empty: no dims */
Str arena_call(Arena *arena, const Call *call);          /* the function's name, or what is copied */
Str arena_size(Arena *arena, int64_t bytes);             /* 3.25 MiB */
static inline const char *arena_how(ArenaHow how) {
    static const char *const words[] = {"own", "in place", "alias", "workspace"};
    return words[how];
}

#endif

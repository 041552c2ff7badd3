/* cost.h: what a model costs, in bytes moved and in operations, before and after nodes become functions. README.md says
 * how they are counted. For emit*.c alone. */
#ifndef OPGEN_EMIT_COST_H
#define OPGEN_EMIT_COST_H

#include "emit/plan.h"

typedef struct Cost {
    int64_t bytes, flops; /* INT64_MAX: that or more */
} Cost;

typedef struct Costs Costs;

/* Looks at a graph as it was read: each operator by itself. */
Costs *costs_begin(Arena *arena, Graph *graph);
/* Its sizes are those of the plan's dims from now on. */
void costs_size(Costs *costs, const Plan *plan);
Cost costs_before(const Costs *costs); /* of all that costs_begin saw */
/* A call: what its nodes would move by themselves, and what it moves. A copy: twice what is copied. */
Cost costs_apart(Costs *costs, const Call *call);
Cost costs_call(Costs *costs, const Call *call);
/* What costs_call gives, for any dims; NULL: no expression that is short enough. No costs_size comes before. */
void costs_sizes(Costs *costs, const Call *call, SymRef *bytes, SymRef *flops);
void cost_add(Cost *sum, Cost cost);

#endif

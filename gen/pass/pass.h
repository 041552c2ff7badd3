/* pass.h: what is done to a graph before it is written: one table of passes, in their order.
 *
 * A pass changes the graph through graph.h and keeps its meaning: every output has the same elements as before, within
 * what rounding in another order makes of floats. It knows operators by what their opdefs say and never by their names.
 * One file a pass, n log n at most, no recursion on the graph's depth. Each has a name by which `--without` leaves it
 * out, so a wrong or slow library can be traced to the pass that made it so.
 */
#ifndef OPGEN_PASS_PASS_H
#define OPGEN_PASS_PASS_H

#include "pass/group.h"

/* In the order in which they run. Those behind PASS_GRAPHS change no graph: they decide how later stages look at it. */
typedef enum PassId {
    PASS_DEAD,    /* dead.c */
    PASS_SAME,    /* same.c */
    PASS_CANCEL,  /* cancel.c */
    PASS_REWRITE, /* rewrite.c */
    PASS_WIDE,    /* wide.c */
    PASS_DIVIDE,  /* divide.c */
    PASS_FOLD,    /* fold.c; the last, since it asks what the nodes read that are there in the end */
    PASS_GRAPHS,
    PASS_FUSE = PASS_GRAPHS, /* group.c */
    PASS_BESIDE,             /* beside.c */
    PASS_COUNT,
} PassId;

typedef struct Pass {
    const char *name;
    const char *doc; /* a sentence, without its full stop */
    /* Adds to *changes what it did, counted in nodes; the graph need not be sorted afterwards. False after adding
     * findings. NULL: changes no graph. */
    bool (*run)(Graph *graph, uint32_t *changes);
} Pass;

extern const Pass passes[PASS_COUNT];
extern const char pass_names[]; /* in the table's order, parted by '|', for the table of options */

typedef uint32_t PassSet; /* a bit for each */
#define PASS_BIT(id) (1u << (id))
#define PASS_ALL (PASS_BIT(PASS_COUNT) - 1)

/* PASS_COUNT: there is none of this name. */
PassId pass_find(Str name);

/* After each pass, whether it changed anything or not. */
typedef void PassSeen(void *user, PassId pass, const Graph *graph, uint32_t changes);

/* Runs all but those of `without`; afterwards the graph is sorted. False after adding findings. seen: NULL: nobody
 * wants to know. */
bool passes_run(Graph *graph, PassSet without, PassSeen *seen, void *user);

/* What becomes one function of a graph that passes_run has left. lookups_check: as group_nodes has it. */
void passes_group(Arena *arena, Graph *graph, PassSet without, bool lookups_check, Groups *groups);

#endif

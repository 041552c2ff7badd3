/* pass.c: the table of passes, and running it. */
#include "pass/inner.h"

const Pass passes[PASS_COUNT] = {
    [PASS_DEAD] = {"dead", "Remove nodes whose results nobody reads", pass_dead},
    [PASS_SAME] = {"same", "Compute once what several nodes compute alike", pass_same},
    [PASS_CANCEL] = {"cancel", "Remove views and conversions that undo each other or do nothing", pass_cancel},
    [PASS_REWRITE] = {"rewrite", "Put better operators in the place of some, by the rules of opdefs/rewrites",
                      pass_rewrite},
    [PASS_WIDE] = {"wide", "Do the work of several nodes over one input at once, where only their weights differ",
                   pass_wide},
    [PASS_DIVIDE] = {"divide", "Look at each result of a view by itself", pass_divide},
    [PASS_FOLD] = {"fold", "Compute once for a set of weights what depends on weights and literals alone", pass_fold},
    [PASS_FUSE] = {"fuse", "Make one function of neighbours: maps and views where their values are read or stored",
                   NULL},
    [PASS_BESIDE] = {"beside", "Make one function of small ones over the same shape that do not wait for each other",
                     NULL},
};

const char pass_names[] = "dead|same|cancel|rewrite|wide|divide|fold|fuse|beside";

PassId pass_find(Str name) {
    PassId id = 0;
    while (id < PASS_COUNT && !str_eq(name, str_c(passes[id].name)))
        id++;
    return id;
}

bool passes_run(Graph *graph, PassSet without, PassSeen *seen, void *user) {
    for (PassId id = 0; id < PASS_GRAPHS; id++) {
        if (without & PASS_BIT(id)) continue;
        if (id == PASS_WIDE && (without & PASS_BIT(PASS_FOLD)))
            continue; /* weights would be put together in each run */
        uint32_t changes = 0;
        if (!passes[id].run(graph, &changes)) return false;
        if (changes > 0) graph_sort(graph);
        if (seen != NULL) seen(user, id, graph, changes);
    }
    return true;
}

void passes_group(Arena *arena, Graph *graph, PassSet without, bool lookups_check, Groups *groups) {
    bool fuse = !(without & PASS_BIT(PASS_FUSE));
    group_nodes(arena, graph, fuse, lookups_check, groups);
    if (fuse && !(without & PASS_BIT(PASS_BESIDE))) group_beside(arena, graph, groups);
}

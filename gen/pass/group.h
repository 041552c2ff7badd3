/* group.h: which nodes of a graph become one function.
 *
 * A group is what one call computes: at most one node that has a template of its own (its anchor: a reduction or a
 * kernel), and maps and views around it whose results nobody outside needs, or which the call writes as well. A group
 * of maps and views alone has no anchor. Groups stand in an order in which they can be called. Views that are only
 * another way to look at memory that is there already are in no group.
 */
#ifndef OPGEN_PASS_GROUP_H
#define OPGEN_PASS_GROUP_H

#include "graph/graph.h"

typedef struct Group {
    Node *anchor;      /* NULL: maps and views alone */
    VEC(Node *) nodes; /* in the graph's order, the anchor among them */
    bool constant;     /* its nodes are, so it is called once for a set of weights and not in each run */
    /* What it reads and what it writes that others see: in the order in which its nodes name them, each once. */
    VEC(Tensor *) reads, writes;
} Group;

/* A view that needs no code: its result's elements lie in `of`'s memory in their own order, `offset` elements behind
 * its beginning. `of` is no alias itself. */
typedef struct Alias {
    Tensor *of; /* NULL: the tensor has memory of its own */
    SymRef offset;
} Alias;

typedef struct Groups {
    Arena *arena;
    VEC(Group *) items;
    Alias *aliases; /* by Tensor.number */
} Groups;

/* The graph is sorted (graph_sort) and is not changed. fuse: nodes join where they can; otherwise each is a group.
 * lookups_check: a map that may end the run joins the maps and views that look up what it found; where not, each such
 * map is by itself, since a check in a loop keeps processors from taking several elements at once. */
void group_nodes(Arena *arena, Graph *graph, bool fuse, bool lookups_check, Groups *groups);

#endif

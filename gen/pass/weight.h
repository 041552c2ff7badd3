/* weight.h: how much an element of a map costs, for the question whether to compute it again or to keep it. */
#ifndef OPGEN_PASS_WEIGHT_H
#define OPGEN_PASS_WEIGHT_H

#include "graph/graph.h"

enum { WEIGHT_LIGHT = 8 }; /* at most this: as cheap as reading a value that was kept */

/* Of all of a map's expressions together: about one for an addition, ten for a transcendental function. */
uint32_t map_weight(const OpDef *op);
/* The same for one node: of a choice that its types and attributes decide, the branch that is taken. What is made on
 * the way is gone from the scratch arena afterwards. */
uint32_t node_weight(const Graph *graph, const Node *node, Arena *scratch);
/* The same of what a reduction does with each element. */
uint32_t reduce_weight(const OpDef *op);

#endif

/* order.h: sorting by what has to come first; knows only numbers, so that graphs of any make can use it.
 *
 * Things are 0 to n - 1. An edge says that `before` has to stand before `after`. Nothing here recurses; sorting takes
 * n log n, finding cycles is linear.
 */
#ifndef OPGEN_GRAPH_ORDER_H
#define OPGEN_GRAPH_ORDER_H

#include "base/vec.h"

typedef struct OrderEdge {
    uint32_t before, after;
} OrderEdge;

typedef VEC(OrderEdge) OrderEdges;

/* Of all orders that keep to the edges the one that stays nearest to 0, 1, 2, ...: what may stand next is the smallest
 * that can. Gives how many have a place in `out`; the rest is on a cycle or behind one. */
uint32_t order_sort(Arena *scratch, uint32_t n, const OrderEdges *edges, uint32_t *out);

/* Calls `found` with a cycle of each knot (things that all come before each other), each of the cycle before the next
 * one and the last before the first. A cycle begins with its smallest. */
typedef void (*OrderFound)(void *user, const uint32_t *cycle, uint32_t length);
void order_cycles(Arena *scratch, uint32_t n, const OrderEdges *edges, OrderFound found, void *user);

#endif

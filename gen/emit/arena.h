/* arena.h: what the files that lay out the arena share; for arena*.c alone.
 *
 * An order of the slots says everything: each lies on top of those that stand before it in the order and are in use at
 * the same time. Orders are tried out with sizes as they are for the planned dims.
 */
#ifndef OPGEN_EMIT_ARENA_H
#define OPGEN_EMIT_ARENA_H

#include "emit/plan.h"

/* ---- arena_stack.c: slots in an order, each as low as those before it let it. Returns the bytes of all; more than
 * `most` is not looked into. `on`: the slots' lists and offsets are set as well. */
int64_t arena_stack(Arena *arena, Slot *slots, const uint32_t *order, uint32_t n, int64_t most, bool on);

/* ---- arena_fit.c: slots in an order, each into the smallest gap that it fits. `order` becomes one for arena_stack
 * that needs no more. Returns the bytes of all, or INT64_MAX where they are more than `most`. *top gets a slot that
 * ends highest; it may be NULL. */
int64_t arena_fit(Arena *arena, const Slot *slots, uint32_t *order, uint32_t n, int64_t most, uint32_t *top);

#endif

/* order.c: a stable topological order, and the cycles where there is none.
 *
 * Sorting takes the smallest of what can come next from a heap. Knots are Tarjan's strongly connected components with a
 * stack of its own instead of recursion; within a knot a walk along edges must come back to where it was, and
 * that is the cycle which is shown.
 */
#include "graph/order.h"

/* Edges by where they begin: those of i are to[first[i]] ... to[first[i + 1] - 1]. */
typedef struct Adjacency {
    uint32_t *first, *to;
} Adjacency;

static Adjacency adjacency(Arena *scratch, uint32_t n, const OrderEdges *edges, bool backwards) {
    Adjacency a = {ARENA_ARRAY(scratch, uint32_t, (size_t)n + 2), ARENA_ARRAY(scratch, uint32_t, edges->n)};
    for (uint32_t i = 0; i < edges->n; i++) {
        OrderEdge edge = edges->items[i];
        a.first[(size_t)(backwards ? edge.after : edge.before) + 2]++;
    }
    for (uint32_t i = 0; i < n; i++)
        a.first[i + 2] += a.first[i + 1];
    /* first[i + 1] is where the next edge of i goes; when all have gone, it is where those of i end. */
    for (uint32_t i = 0; i < edges->n; i++) {
        OrderEdge edge = edges->items[i];
        uint32_t at = a.first[(size_t)(backwards ? edge.after : edge.before) + 1]++;
        a.to[at] = backwards ? edge.before : edge.after;
    }
    return a;
}

/* ---- a heap of numbers, the smallest on top */

typedef struct Heap {
    uint32_t *items, n;
} Heap;

static void heap_push(Heap *heap, uint32_t item) {
    uint32_t at = heap->n++;
    for (; at > 0 && heap->items[(at - 1) / 2] > item; at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = item;
}

static uint32_t heap_pop(Heap *heap) {
    uint32_t top = heap->items[0], last = heap->items[--heap->n], at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= heap->n) break;
        if (child + 1 < heap->n && heap->items[child + 1] < heap->items[child]) child++;
        if (heap->items[child] >= last) break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = last;
    return top;
}

static bool in_order(const OrderEdges *edges) {
    for (uint32_t i = 0; i < edges->n; i++)
        if (edges->items[i].before >= edges->items[i].after) return false;
    return true;
}

uint32_t order_sort(Arena *scratch, uint32_t n, const OrderEdges *edges, uint32_t *out) {
    if (in_order(edges)) {
        for (uint32_t i = 0; i < n; i++)
            out[i] = i;
        return n;
    }
    Adjacency after = adjacency(scratch, n, edges, false);
    uint32_t *waits = ARENA_ARRAY(scratch, uint32_t, n); /* for so many edges */
    Heap ready = {ARENA_ARRAY(scratch, uint32_t, n), 0};
    for (uint32_t i = 0; i < edges->n; i++)
        waits[edges->items[i].after]++;
    for (uint32_t i = 0; i < n; i++)
        if (waits[i] == 0) heap_push(&ready, i);
    uint32_t done = 0;
    while (ready.n > 0) {
        uint32_t next = heap_pop(&ready);
        out[done++] = next;
        for (uint32_t i = after.first[next]; i < after.first[next + 1]; i++)
            if (--waits[after.to[i]] == 0) heap_push(&ready, after.to[i]);
    }
    return done;
}

/* ---- cycles */

typedef struct Knots {
    Adjacency
        before; /* what has to come before each: cycles are told from what is made to what it is made of, then turned */
    uint32_t *index; /* when it was reached, from 1; 0: not yet */
    uint32_t *low;
    uint32_t *knot; /* which it belongs to, from 1; 0: not known yet */
    uint32_t *edge; /* the next edge to follow */
    uint32_t *path; /* from the root of this walk to where it is */
    uint32_t *open; /* reached, and in no knot yet */
    uint32_t reached, knots, path_n, open_n;
} Knots;

static void enter(Knots *k, uint32_t i) {
    k->index[i] = k->low[i] = ++k->reached;
    k->edge[i] = k->before.first[i];
    k->path[k->path_n++] = i;
    k->open[k->open_n++] = i;
}

/* One step: along an edge, or back. Gives the size of a knot that was closed, whose members then stand at open[open_n];
 * 0: none. */
static uint32_t step(Knots *k) {
    uint32_t i = k->path[k->path_n - 1];
    if (k->edge[i] < k->before.first[i + 1]) {
        uint32_t to = k->before.to[k->edge[i]++];
        if (k->index[to] == 0)
            enter(k, to);
        else if (k->knot[to] == 0 && k->index[to] < k->low[i])
            k->low[i] = k->index[to];
        return 0;
    }
    k->path_n--;
    if (k->path_n > 0) {
        uint32_t back = k->path[k->path_n - 1];
        if (k->low[i] < k->low[back]) k->low[back] = k->low[i];
    }
    if (k->low[i] != k->index[i]) return 0;
    uint32_t size = 0;
    k->knots++;
    do {
        size++;
        k->knot[k->open[--k->open_n]] = k->knots;
    } while (k->open[k->open_n] != i);
    return size;
}

static bool has_loop(const Knots *k, uint32_t i) {
    for (uint32_t e = k->before.first[i]; e < k->before.first[i + 1]; e++)
        if (k->before.to[e] == i) return true;
    return false;
}

/* Walks back from the smallest member, always within the knot, until it meets its own track. `track` has room for the
 * knot, `seen` (zero for its members) says where on the track each stands, from 1. */
static void find_cycle(const Knots *k, uint32_t at, uint32_t *track, uint32_t *seen, OrderFound found, void *user) {
    uint32_t n = 0, knot = k->knot[at];
    while (seen[at] == 0) {
        track[n] = at;
        seen[at] = ++n;
        uint32_t e = k->before.first[at];
        while (k->knot[k->before.to[e]] != knot)
            e++;
        at = k->before.to[e];
    }
    uint32_t *cycle = track + seen[at] - 1, length = n - seen[at] + 1, smallest = 0;
    for (uint32_t a = 0, b = length - 1; a < b; a++, b--) { /* turned: each before the next */
        uint32_t x = cycle[a];
        cycle[a] = cycle[b], cycle[b] = x;
    }
    for (uint32_t i = 1; i < length; i++)
        if (cycle[i] < cycle[smallest]) smallest = i;
    /* Begin with the smallest: what stands before it goes behind the rest. */
    uint32_t *turned = track + n;
    for (uint32_t i = 0; i < length; i++)
        turned[i] = cycle[(smallest + i) % length];
    found(user, turned, length);
}

void order_cycles(Arena *scratch, uint32_t n, const OrderEdges *edges, OrderFound found, void *user) {
    Knots k = {.before = adjacency(scratch, n, edges, true)};
    k.index = ARENA_ARRAY(scratch, uint32_t, n);
    k.low = ARENA_ARRAY(scratch, uint32_t, n);
    k.knot = ARENA_ARRAY(scratch, uint32_t, n);
    k.edge = ARENA_ARRAY(scratch, uint32_t, n);
    k.path = ARENA_ARRAY(scratch, uint32_t, n);
    k.open = ARENA_ARRAY(scratch, uint32_t, n);
    uint32_t *track = ARENA_ARRAY(scratch, uint32_t, 2 * (size_t)n), *seen = ARENA_ARRAY(scratch, uint32_t, n);
    for (uint32_t root = 0; root < n; root++) {
        if (k.index[root] == 0) enter(&k, root);
        while (k.path_n > 0) {
            uint32_t size = step(&k);
            const uint32_t *members = k.open + k.open_n;
            if (size == 0 || (size == 1 && !has_loop(&k, members[0]))) continue;
            uint32_t smallest = members[0];
            for (uint32_t i = 1; i < size; i++)
                if (members[i] < smallest) smallest = members[i];
            find_cycle(&k, smallest, track, seen, found, user);
        }
    }
}

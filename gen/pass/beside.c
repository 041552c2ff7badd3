/* beside.c: small groups of maps that do not wait for each other become one function.
 *
 * A call costs more than a few thousand elements do, above all where it is a launch on a GPU. Of groups over the same
 * shape the earlier waits for the later, which it can do as long as nobody in between reads what it makes or changes
 * what it reads. One walk over the groups; nothing is compared with everything.
 */
#include "pass/inner.h"

enum { BESIDE_MOST_ELEMENTS = 1 << 16, BESIDE_MOST_WRITES = 8, BESIDE_MOST_NODES = 24, BESIDE_MOST_READS = 16 };

typedef struct Beside {
    Arena *arena;
    const Groups *groups;
    Map waiting;     /* shape, printed -> the last Group that goes over it and may still wait */
    uint32_t *place; /* by Tensor.number: of the group that makes it, from 1 */
    bool *late;      /* by place: somebody has read what the group makes */
    Names keys;
} Beside;

/* Maps alone, over one shape of not many elements. */
static bool is_small(const Group *group) {
    if (group->anchor != NULL || group->writes.n == 0 || group->writes.n > BESIDE_MOST_WRITES) return false;
    for (uint32_t i = 0; i < group->nodes.n; i++) {
        const OpDef *op = group->nodes.items[i]->op;
        if (op->kind != KIND_MAP || op->mutates.n > 0 || op->fails) return false; /* its call says where it failed */
    }
    int64_t most = 1;
    RuleShape shape = group->writes.items[0]->type.shape;
    for (uint32_t d = 0; d < shape.rank; d++)
        if (__builtin_mul_overflow(most, shape.dims[d]->high, &most)) return false;
    return most <= BESIDE_MOST_ELEMENTS;
}

static Name key_of(Beside *beside, const Group *group) {
    Buf text;
    buf_init(&text, beside->arena);
    RuleShape shape = group->writes.items[0]->type.shape;
    buf_format(&text, "%d", group->constant);
    for (uint32_t d = 0; d < shape.rank; d++) {
        buf_char(&text, ',');
        sym_print(&text, shape.dims[d]);
    }
    return names_get(&beside->keys, buf_str(&text));
}

static bool is_new_read(const Group *group, const Tensor *tensor) {
    for (uint32_t i = 0; i < group->reads.n; i++)
        if (group->reads.items[i] == tensor) return false;
    return true;
}

/* Light nodes may be in several groups. */
static bool is_new_node(const Group *group, const Node *node) {
    for (uint32_t i = 0; i < group->nodes.n; i++)
        if (group->nodes.items[i] == node) return false;
    return true;
}

static bool fit(const Group *first, const Group *group) {
    uint32_t reads = group->reads.n;
    for (uint32_t i = 0; i < first->reads.n; i++)
        reads += is_new_read(group, first->reads.items[i]);
    return reads <= BESIDE_MOST_READS && first->nodes.n + group->nodes.n <= BESIDE_MOST_NODES &&
           first->writes.n + group->writes.n <= BESIDE_MOST_WRITES;
}

/* The first one's nodes, reads and writes go before the group's own. */
static void merge(Beside *beside, const Group *first, Group *group) {
    Group both = {.constant = group->constant};
    for (uint32_t half = 0; half < 2; half++) {
        const Group *of = half == 0 ? first : group;
        for (uint32_t i = 0; i < of->nodes.n; i++)
            if (is_new_node(&both, of->nodes.items[i])) *VEC_PUSH(beside->arena, &both.nodes) = of->nodes.items[i];
        for (uint32_t i = 0; i < of->reads.n; i++)
            if (is_new_read(&both, of->reads.items[i])) *VEC_PUSH(beside->arena, &both.reads) = of->reads.items[i];
        for (uint32_t i = 0; i < of->writes.n; i++)
            *VEC_PUSH(beside->arena, &both.writes) = of->writes.items[i];
    }
    *group = both;
}

/* Whoever made what is read here cannot wait any longer. */
static void stop_waiting(Beside *beside, const Group *group) {
    for (uint32_t i = 0; i < group->reads.n; i++) {
        const Tensor *tensor = group->reads.items[i], *memory = beside->groups->aliases[tensor->number].of;
        beside->late[beside->place[(memory != NULL ? memory : tensor)->number]] = true;
    }
}

static void note_writes(Beside *beside, const Group *group, uint32_t at) {
    for (uint32_t w = 0; w < group->writes.n; w++)
        beside->place[group->writes.items[w]->number] = at;
}

void group_beside(Arena *arena, const Graph *graph, Groups *groups) {
    Beside beside = {.arena = arena, .groups = groups};
    beside.place = ARENA_ARRAY(arena, uint32_t, graph->tensors.n + 1);
    beside.late = ARENA_ARRAY(arena, bool, groups->items.n + 1);
    names_init(&beside.keys, arena);
    map_init(&beside.waiting, arena);
    uint32_t since = 0; /* what stands before the last group that changes its input does not wait */
    for (uint32_t i = 0; i < groups->items.n; i++) {
        Group *group = groups->items.items[i];
        stop_waiting(&beside, group);
        for (uint32_t m = 0; m < group->nodes.n; m++)
            if (group->nodes.items[m]->op->mutates.n > 0) since = i;
        note_writes(&beside, group, i + 1);
        if (!is_small(group)) continue;
        Name key = key_of(&beside, group);
        uintptr_t before = (uintptr_t)map_get(&beside.waiting, key);
        if (before != 0 && before - 1 >= since && !beside.late[before] && fit(groups->items.items[before - 1], group)) {
            Group *first = groups->items.items[before - 1];
            merge(&beside, first, group);
            note_writes(&beside, group, i + 1);
            groups->items.items[before - 1] = NULL;
        }
        map_set(&beside.waiting, key, (void *)(uintptr_t)(i + 1));
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < groups->items.n; i++)
        if (groups->items.items[i] != NULL) groups->items.items[kept++] = groups->items.items[i];
    groups->items.n = kept;
}

/* list.c: lists, tuples and the one-shot iterators that hold a list. */
#include "template/value/inner.h"

List *list_new(Arena *arena, uint32_t cap) {
    List *list = arena_alloc(arena, sizeof *list);
    *list = (List){cap == 0 ? NULL : arena_alloc(arena, mem_times(cap, sizeof(Value))), 0, cap};
    return list;
}

void list_push(Arena *arena, List *list, Value v) {
    if (list->n == list->cap) {
        if (list->cap >= LIST_MOST) mem_fail(MEM_LIMIT, SIZE_MAX);
        uint32_t cap = list->cap < 4 ? 8 : list->cap < LIST_MOST / 2 ? list->cap * 2 : LIST_MOST;
        list->items = arena_resize(arena, list->items, list->cap * sizeof(Value), mem_times(cap, sizeof(Value)));
        list->cap = cap;
    }
    list->items[list->n++] = v;
}

Value val_pair(Run *run, Value a, Value b) {
    struct {
        List list;
        Value items[2];
    } *pair = arena_alloc(run->arena, sizeof *pair);
    pair->list = (List){pair->items, 2, 2};
    pair->items[0] = a;
    pair->items[1] = b;
    return val_tuple(&pair->list);
}

Value val_oneshot(Run *run, const char *name, List *list) {
    OneShot *oneshot = arena_alloc(run->arena, sizeof *oneshot);
    *oneshot = (OneShot){*list, 0, name, NULL};
    return VAL(V_ONESHOT, oneshot, oneshot);
}

Value val_oneshot_items(Run *run, const char *name, const Dict *dict) {
    OneShot *oneshot = arena_alloc(run->arena, sizeof *oneshot);
    *oneshot = (OneShot){{0}, 0, name, dict};
    return VAL(V_ONESHOT, oneshot, oneshot);
}

/* loop.c: the state of a for loop, and the `loop` variable that templates see. A list, a range and a dict's items are
 * gone through in place; where a template uses `loop`, anything else is made a list first, so that its length and its
 * neighbours are known. */
#include "template/vm/vm.h"

/* A dict or a view of one, whose entries can be read where they are: its items only as two variables, as there are no
 * pairs in it. */
static bool in_place(const LoopSite *site, Value v) {
    bool two = site->value != CODE_NO_SLOT;
    if (v.kind == V_DICT) return !two;
    if (v.kind == V_ONESHOT) return two && v.as.oneshot->dict != NULL;
    return v.kind == V_VIEW && two == (v.as.view->kind == VIEW_ITEMS);
}

static void go_through(LoopState *loop, Value v) {
    if (v.kind == V_DICT) {
        loop->dict = v.as.dict;
        loop->view = VIEW_KEYS;
    } else if (v.kind == V_VIEW) {
        loop->dict = v.as.view->dict;
        loop->view = v.as.view->kind;
    } else {
        loop->oneshot = v.as.oneshot;
        loop->dict = loop->oneshot->dict;
        loop->view = VIEW_ITEMS;
        loop->at = loop->oneshot->next;
    }
}

LoopState *loop_new(Vm *vm, const VmFrame *frame, const LoopSite *site, Value iterable) {
    Run *run = &vm->run;
    LoopState *loop = arena_alloc(&vm->values, sizeof *loop);
    loop->head.class = &class_loop;
    loop->last_changed = val_missing();
    loop->ran = false;
    loop->at = 0, loop->number = 0;
    loop->oneshot = NULL;
    loop->kept = (List){NULL, 0, 0};
    loop->depth = 0;
    loop->function = NULL;
    bool extended = site->object != CODE_NO_SLOT;
    if (iterable.kind == V_LIST || iterable.kind == V_TUPLE) {
        loop->mode = LOOP_OVER_LIST;
        loop->list = iterable.as.list;
    } else if (iterable.kind == V_RANGE) {
        loop->mode = LOOP_OVER_RANGE;
        loop->range = iterable.as.range;
    } else if (extended) {
        loop->mode = LOOP_OVER_LIST;
        loop->list = val_to_list(run, iterable);
    } else if (in_place(site, iterable)) {
        loop->mode = LOOP_OVER_DICT;
        go_through(loop, iterable);
        loop->dict_size = loop->dict->live;
    } else {
        loop->mode = LOOP_OVER_ITER;
        val_iter(run, &loop->iter, iterable);
    }
    if (extended) {
        loop->depth = frame->loop_depth;
        if (site->recursive) {
            loop->function = frame->function;
            loop->env = frame->env->up;
            loop->context = frame->context;
        }
    }
    loop->changes = run->changes;
    loop->mark = arena_mark(&vm->values);
    return loop;
}

/* What vm.c does not do itself: ranges and iterators. */
bool loop_next_slow(Vm *vm, LoopState *loop, Value *item) {
    if (loop->mode == LOOP_OVER_RANGE) {
        const Range *range = loop->range;
        if (loop->number >= range->n) return false;
        *item = val_int(range->start + loop->number * range->step);
        loop->number++;
        return true;
    }
    return val_next(&vm->run, &loop->iter, item);
}

void vm_unpack(Run *run, Value v, uint32_t n, Value *out) {
    if (v.kind == V_LIST || v.kind == V_TUPLE) {
        const List *list = v.as.list;
        if (list->n != n) run_fail(run, "cannot unpack a %s of %u into %u names", val_type_name(v), list->n, n);
        if (n > 0) memcpy(out, list->items, n * sizeof *out);
        return;
    }
    ValueIter it;
    Value item;
    uint32_t i = 0;
    if (run_undefined_fails(run, v)) run_fail_undefined(run, v);
    if (!val_can_iter(v)) run_fail(run, "cannot unpack a %s into %u names", val_type_name(v), n);
    for (val_iter(run, &it, v); val_next(run, &it, &item); i++) {
        if (i >= n) run_fail(run, "cannot unpack more than %u values of a %s into %u names", n, val_type_name(v), n);
        out[i] = item;
    }
    if (i < n) run_fail(run, "cannot unpack a %s of %u into %u names", val_type_name(v), i, n);
}

/* ---- loop.index and the rest */

static int64_t items_so_far(const LoopState *loop) {
    return loop->mode == LOOP_OVER_RANGE ? loop->number : (int64_t)loop->at;
}

static int64_t items_in_all(const LoopState *loop) {
    return loop->mode == LOOP_OVER_RANGE ? loop->range->n : (int64_t)loop->list->n;
}

/* The item at a place counted from 0, or an undefined that says why not. */
static Value item_at(Run *run, const LoopState *loop, int64_t at, const char *hint) {
    if (at < 0 || at >= items_in_all(loop)) return val_undefined_hint(run, str_c(hint));
    if (loop->mode == LOOP_OVER_RANGE) return val_int(loop->range->start + at * loop->range->step);
    return loop->list->items[at];
}

static LoopState *state_of(Value v) { return (LoopState *)(void *)v.as.object; }

/* a: loop, the values. Goes round through them with the loop. */
static Value loop_cycle(Run *run, const Value *a, void *user) {
    (void)user;
    const List *values = a[1].as.list;
    if (values->n == 0) run_fail(run, "loop.cycle needs at least one value");
    return values->items[(uint64_t)(items_so_far(state_of(a[0])) - 1) % values->n];
}

/* True if the values differ from those of the last call, or at the first. */
static Value loop_changed(Run *run, const Value *a, void *user) {
    (void)user;
    LoopState *loop = state_of(a[0]);
    if (loop->last_changed.kind != V_MISSING && val_equal(run, loop->last_changed, a[1])) return val_bool(false);
    loop->last_changed = a[1];
    run_changed(run);
    return val_bool(true);
}

static const Native native_cycle = {"loop.cycle", loop_cycle, "*values"};
static const Native native_changed = {"loop.changed", loop_changed, "*values"};

static Value bind(Run *run, const Native *native, Object *self) {
    Bound *bound = arena_zalloc(run->arena, sizeof *bound);
    *bound = (Bound){native, NULL, val_object(self)};
    return VAL(V_METHOD, bound, bound);
}

static bool loop_get(Run *run, Object *object, Name name, Value *out) {
    const LoopState *loop = (const LoopState *)(const void *)object;
    int64_t so_far = items_so_far(loop), all = items_in_all(loop);
    Str s = name_str(name);
    if (str_eq(s, S("index")))
        *out = val_int(so_far);
    else if (str_eq(s, S("index0")))
        *out = val_int(so_far - 1);
    else if (str_eq(s, S("first")))
        *out = val_bool(so_far == 1);
    else if (str_eq(s, S("last")))
        *out = val_bool(so_far >= all);
    else if (str_eq(s, S("length")))
        *out = val_int(all);
    else if (str_eq(s, S("revindex")))
        *out = val_int(all - so_far + 1);
    else if (str_eq(s, S("revindex0")))
        *out = val_int(all - so_far);
    else if (str_eq(s, S("depth")))
        *out = val_int((int64_t)loop->depth + 1);
    else if (str_eq(s, S("depth0")))
        *out = val_int(loop->depth);
    else if (str_eq(s, S("previtem")))
        *out = item_at(run, loop, so_far - 2, "there is no item before the first of a loop");
    else if (str_eq(s, S("nextitem")))
        *out = item_at(run, loop, so_far, "there is no item behind the last of a loop");
    else if (str_eq(s, S("cycle")))
        *out = bind(run, &native_cycle, object);
    else if (str_eq(s, S("changed")))
        *out = bind(run, &native_changed, object);
    else
        return false;
    return true;
}

static void loop_print(Run *run, Object *object, Buf *out) {
    (void)run;
    const LoopState *loop = (const LoopState *)(const void *)object;
    buf_format(out, "<LoopContext %lld/%lld>", (long long)items_so_far(loop), (long long)items_in_all(loop));
}

static bool loop_length(Run *run, Object *object, int64_t *n) {
    (void)run;
    *n = items_in_all((const LoopState *)(const void *)object);
    return true;
}

static Value loop_call(Run *run, Object *object, const Value *args, uint32_t n, const Name *keywords,
                       const Value *keyword_values, uint32_t keyword_count) {
    (void)object, (void)args, (void)n, (void)keywords, (void)keyword_values, (void)keyword_count;
    run_fail(run, "loop() can be called only by a template");
}

/* Going through `loop` itself takes the items that are left, each with the loop, as in Jinja. */
static bool loop_next(Run *run, Object *object, Value *out) {
    LoopState *loop = (LoopState *)(void *)object;
    Value item = item_at(run, loop, items_so_far(loop), "");
    if (items_so_far(loop) >= items_in_all(loop)) return false;
    if (loop->mode == LOOP_OVER_RANGE)
        loop->number++;
    else
        loop->at++;
    *out = val_pair(run, item, val_object(object));
    return true;
}

const Class class_loop = {
    .name = "loop", .get = loop_get, .print = loop_print, .length = loop_length, .next = loop_next, .call = loop_call};

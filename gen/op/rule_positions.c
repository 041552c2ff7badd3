/* rule_positions.c: functions over shapes: broadcasting, positions in them, dims that may count from the end.
 *
 * These are what view operators are written with. ravel and unravel undo each other: what one makes of symbolic sizes,
 * the other takes apart again, by what Syms know of positions within sizes. */
#include "op/rule_internal.h"

/* ---- shapes and positions */
bool rule_call_shape(const RuleCallArgs *call, uint32_t i, const char *wanted, RuleShape *shape) {
    const RuleValue *a = &call->args[i];
    if (a->kind != RULE_LIST) return rule_call_wrong(call, i, wanted);
    shape->rank = a->as.list.n;
    shape->dims = ARENA_ARRAY(call->eval->rules->arena, SymRef, shape->rank + 1);
    for (uint32_t k = 0; k < shape->rank; k++) {
        const RuleValue *item = &a->as.list.items[k];
        if (!rule_is_integer(item)) {
            rule_error(call->eval, call->at[i], "%S wants %s here, but item %u is %s", call->name, wanted, k,
                       rule_kind_name(item->kind));
            return false;
        }
        shape->dims[k] = item->as.i;
    }
    return rule_spend(call->eval, call->at[i], shape->rank);
}

bool rule_call_broadcast(RuleCallArgs *call, RuleValue *out) {
    Rules *rules = call->eval->rules;
    RuleShape *shapes = ARENA_ARRAY(rules->arena, RuleShape, call->n), result;
    for (uint32_t i = 0; i < call->n; i++)
        if (!rule_call_shape(call, i, "a shape", &shapes[i])) return false;
    uint32_t where;
    if (rule_broadcast(rules, shapes, call->n, &result, &where)) {
        *out = rule_shape_value(rules, result);
        return true;
    }
    Span at = span(call->eval->source, call->e->from, call->e->to);
    rule_note_use(rules, rule_say_broadcast(rules, at, shapes, NULL, call->n, where));
    return false;
}

/* A size that is only a name is as wide as what it broadcasts to, as rule_broadcast has it. */
bool rule_call_broadcast_index(RuleCallArgs *call, RuleValue *out) {
    RuleShape index, shape;
    if (!rule_call_shape(call, 0, "an index, a list of integers", &index) ||
        !rule_call_shape(call, 1, "a shape", &shape))
        return false;
    if (shape.rank > index.rank) {
        rule_error(call->eval, call->e, "a shape of %u dims does not broadcast to what has an index of %u", shape.rank,
                   index.rank);
        return false;
    }
    RuleValue *items = rule_room(call->eval, call->e, shape.rank);
    if (items == NULL) return false;
    for (uint32_t k = 0; k < shape.rank; k++) {
        bool one = shape.dims[k] == rule_call_number(call, 1);
        items[k] = rule_int(one ? rule_call_number(call, 0) : index.dims[index.rank - shape.rank + k]);
    }
    *out = rule_list(items, shape.rank);
    return true;
}

/* An element of data as a position. Nothing is known of it but its range, so no two are equal, unless whoever writes
 * code says so. */
bool rule_call_element(RuleCallArgs *call, RuleValue *out) {
    Rules *rules = call->eval->rules;
    RuleShape at;
    if (call->args[0].kind != RULE_TENSOR) return rule_call_wrong(call, 0, "an input");
    const RuleTensor *index = call->args[0].as.tensor;
    if (!rule_call_shape(call, 1, "a position, a list of integers", &at)) return false;
    if (!rule_is_integer(&call->args[2])) return rule_call_wrong(call, 2, "a size");
    if (!dtype_is_int(index->dtype)) {
        rule_error(call->eval, call->at[0], "positions are integers, and these are %s", dtype_name(index->dtype));
        return false;
    }
    if (at.rank != index->shape.rank) {
        rule_error(call->eval, call->at[1], "a position of %u dims in a tensor of %u", at.rank, index->shape.rank);
        return false;
    }
    SymRef size = call->args[2].as.i, position;
    if (rules->element == NULL)
        position =
            sym_index(rules->syms,
                      names_get(rules->names, str_format(rules->arena, "%%e%u", (unsigned)rules->syms->all.n)), size);
    else if (!rules->element(rules->element_user, index, at.dims, size, &position))
        return false;
    *out = rule_int(position);
    return rule_fits(call->eval, call->e);
}

static bool same_length(const RuleCallArgs *call, uint32_t a, uint32_t b) {
    if (a == b) return true;
    rule_error(call->eval, call->e, "%S wants an index and a shape of the same length, but these are %u and %u",
               call->name, a, b);
    return false;
}

bool rule_call_ravel(RuleCallArgs *call, RuleValue *out) {
    Syms *syms = call->eval->rules->syms;
    RuleShape index, shape;
    if (!rule_call_shape(call, 0, "an index, a list of integers", &index) ||
        !rule_call_shape(call, 1, "a shape", &shape))
        return false;
    if (!same_length(call, index.rank, shape.rank)) return false;
    SymRef at = rule_call_number(call, 0);
    for (uint32_t i = 0; i < shape.rank; i++)
        at = sym_add(syms, sym_mul(syms, at, shape.dims[i]), index.dims[i]);
    *out = rule_int(at);
    return rule_fits(call->eval, call->e);
}

bool rule_call_unravel(RuleCallArgs *call, RuleValue *out) {
    Syms *syms = call->eval->rules->syms;
    RuleShape shape;
    if (!rule_is_integer(&call->args[0])) return rule_call_wrong(call, 0, "a position, an integer");
    if (!rule_call_shape(call, 1, "a shape", &shape)) return false;
    RuleValue *items = rule_room(call->eval, call->e, shape.rank);
    if (items == NULL) return false;
    SymRef at = call->args[0].as.i;
    bool empty = false; /* a size of 0: there is no position, and nothing may be divided by */
    for (uint32_t i = 0; i < shape.rank; i++)
        empty |= shape.dims[i] == rule_call_number(call, 0);
    for (uint32_t i = shape.rank; i-- > 0;) {
        if (empty)
            items[i] = rule_int(rule_call_number(call, 0));
        else /* the first has no other to be the rest of */
            items[i] = rule_int(i == 0 ? at : sym_mod(syms, at, shape.dims[i]));
        if (i > 0 && !empty) at = sym_floordiv(syms, at, shape.dims[i]);
    }
    *out = rule_list(items, shape.rank);
    return rule_fits(call->eval, call->e);
}

/* ---- dims that may count from the end */

/* A tensor without dims takes 0 and -1 all the same, as in PyTorch. */
static Str wrap_dim(Arena *arena, const RuleValue *dim, uint32_t rank, int64_t *wrapped) {
    int64_t i;
    if (!rule_is_integer(dim))
        return str_format(arena, "a dim is an integer, but this is %s", rule_kind_name(dim->kind));
    if (!sym_is_int(dim->as.i, &i)) {
        Buf text;
        buf_init(&text, arena);
        sym_print(&text, dim->as.i);
        return str_format(arena, "a dim has to be a number, but %S is known only when the model runs", buf_str(&text));
    }
    int64_t n = rank > 0 ? rank : 1;
    *wrapped = i < 0 ? i + n : i;
    if (*wrapped >= 0 && *wrapped < n) return S("");
    return str_format(arena, "there is no dim %lld: of rank %u, dims are %lld to %lld", (long long)i, rank,
                      (long long)-n, (long long)n - 1);
}

Str rule_named_dims(Arena *arena, const RuleValue *dim, uint32_t rank, bool *named) {
    memset(named, dim->kind == RULE_NONE, rank);
    if (dim->kind == RULE_NONE) return S("");
    uint32_t n = dim->kind == RULE_LIST ? dim->as.list.n : 1;
    const RuleValue *items = dim->kind == RULE_LIST ? dim->as.list.items : dim;
    bool of_scalar = false;
    for (uint32_t i = 0; i < n; i++) {
        int64_t wrapped;
        Str why = wrap_dim(arena, &items[i], rank, &wrapped);
        if (why.n > 0) return why;
        bool *place = rank == 0 ? &of_scalar : &named[wrapped];
        if (*place) return str_format(arena, "dim %lld is named twice", (long long)wrapped);
        *place = true;
    }
    return S("");
}

static bool rank_of(const RuleCallArgs *call, uint32_t i, uint32_t *rank) {
    int64_t n;
    if (!rule_known(call->eval, call->at[i], &call->args[i], "a rank", &n)) return false;
    *rank = (uint32_t)n;
    if (n >= 0 && n <= RULE_MOST_RANK) return true;
    rule_error(call->eval, call->at[i], "a rank is from 0 to %d, but this is %lld", RULE_MOST_RANK, (long long)n);
    return false;
}

bool rule_call_wrap(RuleCallArgs *call, RuleValue *out) {
    uint32_t rank;
    int64_t wrapped;
    if (!rank_of(call, 1, &rank)) return false;
    Str why = wrap_dim(call->eval->rules->diags->arena, &call->args[0], rank, &wrapped);
    if (why.n > 0) {
        rule_error(call->eval, call->at[0], "%S", why);
        return false;
    }
    *out = rule_int(rule_call_number(call, wrapped));
    return true;
}

bool rule_call_wrap_dims(RuleCallArgs *call, RuleValue *out) {
    uint32_t rank, n = 0;
    bool named[RULE_MOST_RANK + 1];
    if (!rank_of(call, 1, &rank)) return false;
    Str why = rule_named_dims(call->eval->rules->diags->arena, &call->args[0], rank, named);
    if (why.n > 0) {
        rule_error(call->eval, call->at[0], "%S", why);
        return false;
    }
    RuleValue *items = rule_room(call->eval, call->e, rank);
    if (items == NULL) return false;
    for (uint32_t i = 0; i < rank; i++)
        if (named[i]) items[n++] = rule_int(rule_call_number(call, i));
    *out = rule_list(items, n);
    return true;
}

bool rule_call_sizes(RuleCallArgs *call, RuleValue *out) {
    if (!rule_call_list_at(call, 0)) return false;
    uint32_t n = call->args[0].as.list.n;
    RuleValue *items = rule_room(call->eval, call->e, n);
    if (items == NULL) return false;
    for (uint32_t i = 0; i < n; i++) {
        const RuleValue *tensor = &call->args[0].as.list.items[i];
        if (tensor->kind != RULE_TENSOR || tensor->as.tensor->shape.rank == RULE_NO_RANK) {
            rule_error(call->eval, call->at[0], "sizes wants tensors, but item %u is %s", i,
                       rule_kind_name(tensor->kind));
            return false;
        }
        int64_t dim;
        RuleShape shape = tensor->as.tensor->shape;
        Str why = wrap_dim(call->eval->rules->diags->arena, &call->args[1], shape.rank, &dim);
        if (why.n > 0 || shape.rank == 0) {
            if (why.n == 0) why = S("there is no dim");
            rule_error(call->eval, call->at[1], "%S (tensor %u of the list)", why, i);
            return false;
        }
        items[i] = rule_int(shape.dims[dim]);
    }
    *out = rule_list(items, n);
    return true;
}

/* Which of n places a list names. */
static bool positions_of(RuleCallArgs *call, uint32_t i, uint64_t n, bool **named) {
    if (!rule_call_list_at(call, i) || !rule_spend(call->eval, call->e, n)) return false;
    const RuleValue *positions = &call->args[i];
    *named = ARENA_ARRAY(call->eval->rules->arena, bool, n + 1);
    for (uint32_t k = 0; k < positions->as.list.n; k++) {
        int64_t at;
        if (!rule_known(call->eval, call->at[i], &positions->as.list.items[k], "a position", &at)) return false;
        if (at < 0 || (uint64_t)at >= n) {
            rule_error(call->eval, call->at[i], "there is no position %lld among %llu", (long long)at,
                       (unsigned long long)n);
            return false;
        }
        if ((*named)[at]) {
            rule_error(call->eval, call->at[i], "position %lld is named twice", (long long)at);
            return false;
        }
        (*named)[at] = true;
    }
    return true;
}

bool rule_call_drop(RuleCallArgs *call, RuleValue *out) {
    bool *dropped;
    if (!rule_call_list_at(call, 0) || !positions_of(call, 1, call->args[0].as.list.n, &dropped)) return false;
    uint32_t n = call->args[0].as.list.n, kept = 0;
    RuleValue *items = rule_room(call->eval, call->e, n);
    if (items == NULL) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!dropped[i]) items[kept++] = call->args[0].as.list.items[i];
    *out = rule_list(items, kept);
    return true;
}

bool rule_call_pick(RuleCallArgs *call, RuleValue *out) {
    if (!rule_call_list_at(call, 0) || !rule_call_list_at(call, 1)) return false;
    const RuleValue *list = &call->args[0], *positions = &call->args[1];
    uint32_t n = positions->as.list.n;
    RuleValue *items = rule_room(call->eval, call->e, n);
    if (items == NULL) return false;
    for (uint32_t k = 0; k < n; k++) {
        int64_t at;
        if (!rule_known(call->eval, call->at[1], &positions->as.list.items[k], "a position", &at)) return false;
        if (at < 0 || at >= (int64_t)list->as.list.n) {
            rule_error(call->eval, call->at[1], "there is no position %lld among %u", (long long)at, list->as.list.n);
            return false;
        }
        items[k] = list->as.list.items[at];
    }
    *out = rule_list(items, n);
    return true;
}

bool rule_call_insert(RuleCallArgs *call, RuleValue *out) {
    bool *is_new;
    if (!rule_call_list_at(call, 0) || !rule_call_list_at(call, 1)) return false;
    uint64_t n = (uint64_t)call->args[0].as.list.n + call->args[1].as.list.n;
    RuleValue *items = rule_room(call->eval, call->e, n);
    if (items == NULL || !positions_of(call, 1, n, &is_new)) return false;
    uint32_t at = 0;
    for (uint64_t i = 0; i < n; i++)
        items[i] = is_new[i] ? call->args[2] : call->args[0].as.list.items[at++];
    *out = rule_list(items, (uint32_t)n);
    return true;
}

/* A size that is only a name is none, though it may be 1 when the model runs: the rank must not depend on it. */
bool rule_call_ones(RuleCallArgs *call, RuleValue *out) {
    RuleShape shape;
    bool named[RULE_MOST_RANK + 1];
    if (!rule_call_shape(call, 0, "a shape", &shape)) return false;
    if (shape.rank > RULE_MOST_RANK) {
        rule_error(call->eval, call->at[0], "a shape has at most %d dims, but this has %u", RULE_MOST_RANK, shape.rank);
        return false;
    }
    Str why = rule_named_dims(call->eval->rules->diags->arena, &call->args[1], shape.rank, named);
    if (why.n > 0) {
        rule_error(call->eval, call->at[1], "%S", why);
        return false;
    }
    RuleValue *items = rule_room(call->eval, call->e, shape.rank);
    if (items == NULL) return false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < shape.rank; i++)
        if (named[i] && shape.dims[i] == rule_call_number(call, 1)) items[n++] = rule_int(rule_call_number(call, i));
    *out = rule_list(items, n);
    return true;
}

bool rule_call_fits(RuleCallArgs *call, RuleValue *out) {
    Syms *syms = call->eval->rules->syms;
    RuleShape shape, other;
    if (!rule_call_shape(call, 0, "a shape", &shape) || !rule_call_shape(call, 1, "a shape", &other)) return false;
    int64_t dim = -1;
    if (call->args[2].kind != RULE_NONE) {
        Str why = wrap_dim(call->eval->rules->diags->arena, &call->args[2], shape.rank, &dim);
        if (why.n > 0) {
            rule_error(call->eval, call->at[2], "%S", why);
            return false;
        }
    }
    SymRef fits = rule_call_number(call, shape.rank == other.rank);
    for (uint32_t i = 0; i < shape.rank && shape.rank == other.rank; i++)
        if ((int64_t)i != dim) fits = sym_and(syms, fits, sym_le(syms, shape.dims[i], other.dims[i]));
    *out = rule_bool(fits);
    return rule_fits(call->eval, call->e);
}

bool rule_call_alike(RuleCallArgs *call, RuleValue *out) {
    Syms *syms = call->eval->rules->syms;
    int64_t but = -1;
    SymRef all = rule_call_number(call, 1);
    const RuleValue *list = &call->args[0];
    if (!rule_call_list_at(call, 0)) return false;
    for (uint32_t i = 0; i < list->as.list.n; i++) {
        const RuleValue *a = &list->as.list.items[0], *b = &list->as.list.items[i];
        if (b->kind != RULE_TENSOR || b->as.tensor->shape.rank == RULE_NO_RANK) {
            rule_error(call->eval, call->at[0], "alike wants tensors, but item %u is %s", i, rule_kind_name(b->kind));
            return false;
        }
        RuleShape x = a->as.tensor->shape, y = b->as.tensor->shape;
        if (i == 0 && call->args[1].kind != RULE_NONE) {
            Str why = wrap_dim(call->eval->rules->diags->arena, &call->args[1], x.rank, &but);
            if (why.n > 0) {
                rule_error(call->eval, call->at[1], "%S", why);
                return false;
            }
        }
        if (!rule_spend(call->eval, call->e, y.rank)) return false;
        if (x.rank != y.rank) all = rule_call_number(call, 0);
        for (uint32_t k = 0; k < x.rank && x.rank == y.rank; k++)
            if (k != but) all = sym_and(syms, all, sym_eq(syms, x.dims[k], y.dims[k]));
    }
    *out = rule_bool(all);
    return rule_fits(call->eval, call->e);
}

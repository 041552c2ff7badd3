/* driver_watch.c: the table of a model's calls, for who watches runs: which nodes a call stands for, what it moves and
 * computes, where its results lie.
 *
 * Whatever depends on dims is one of the model's numbers, which are worked out by a function that ordinary runs do not
 * call. Equal ones are there once, and so are the sizes of equal shapes, for there may be 100,000 calls.
 */
#include "emit/driver.h"

enum { MOST_OPERATORS = 6, MOST_NODES = 4 };

typedef struct Watch {
    Arena *arena;
    const Plan *plan; /* whose calls are being written: the runs' or the fold's */
    const DriverValues *values;
    Graph *graph;
    Costs *costs;
    Buf calls, results;
    uint32_t call_n, result_n;
    VEC(SymRef) numbers;  /* NULL: one that is not known */
    VEC(uint32_t) number; /* by Sym.id: which of the numbers it is, from 1 */
    Names shapes;
    Map sizes_of; /* where the sizes of such a shape begin, from 1 */
} Watch;

/* ---- numbers */
static uint32_t *place_of(Watch *watch, SymRef a) {
    while (watch->number.n <= a->id)
        *VEC_PUSH(watch->arena, &watch->number) = 0;
    return &watch->number.items[a->id];
}

static int64_t number_of(Watch *watch, SymRef a) {
    if (a == NULL) return -1;
    uint32_t *place = place_of(watch, a);
    if (*place == 0) {
        *VEC_PUSH(watch->arena, &watch->numbers) = a;
        *place = watch->numbers.n;
    }
    return (int64_t)*place - 1;
}

/* In a row, so that no single number of before can stand for one of them. */
static int64_t sizes_of(Watch *watch, RuleShape shape) {
    if (shape.rank == 0) return 0;
    uint32_t *ids = ARENA_ARRAY(watch->arena, uint32_t, shape.rank);
    for (uint32_t d = 0; d < shape.rank; d++)
        ids[d] = shape.dims[d]->id;
    Name key = names_get(&watch->shapes, str((const char *)ids, shape.rank * sizeof *ids));
    uintptr_t at = (uintptr_t)map_get(&watch->sizes_of, key);
    if (at != 0) return (int64_t)at - 1;
    at = watch->numbers.n + 1u;
    map_set(&watch->sizes_of, key, (void *)at);
    for (uint32_t d = 0; d < shape.rank; d++) {
        *VEC_PUSH(watch->arena, &watch->numbers) = shape.dims[d];
        uint32_t *place = place_of(watch, shape.dims[d]);
        if (*place == 0) *place = watch->numbers.n;
    }
    return (int64_t)at - 1;
}

/* ---- results */
typedef enum Memory { AT_INPUT, AT_PARAM, AT_OUTPUT, AT_FOLDED, AT_ARENA } Memory; /* as OpgenPlace has them */

typedef struct Where {
    Memory place;
    uint32_t at;
    int64_t offset, value;
} Where;

static Where slot_at(const Watch *watch, uint32_t at) {
    const DriverValues *values = watch->values;
    const Slot *slot = &watch->plan->slots.items[at];
    if (values->fixed) return (Where){AT_ARENA, 0, slot->offset, -1};
    return (Where){AT_ARENA, 0, 0, slot->on.n > 0 ? values->sizes.n + (int64_t)values->offset_of[at] : -1};
}

static bool where(const Watch *watch, TensorPlace place, Where *found) {
    switch (place.kind) {
    case PLACE_SLOT:
        *found = slot_at(watch, place.at);
        return true;
    case PLACE_FOLDED:
        *found = (Where){AT_FOLDED, 0, watch->plan->folded.items[place.at].offset, -1};
        return true;
    case PLACE_INPUT:
        *found = (Where){AT_INPUT, place.at, 0, -1};
        return true;
    case PLACE_OUTPUT:
        *found = (Where){AT_OUTPUT, place.at, 0, -1};
        return true;
    default:
        return false; /* it has no memory of its own, or none that a call writes */
    }
}

static bool add_result(Watch *watch, const Tensor *tensor, TensorPlace place) {
    Syms *syms = &watch->graph->syms;
    Where found;
    if (!where(watch, place, &found)) return false;
    int64_t behind = 0, number = -1;
    if (place.offset != NULL) {
        sym_clear_fault(syms);
        SymRef bytes = sym_mul(syms, place.offset, sym_int(syms, dtype_size(tensor->type.dtype)));
        if (syms->overflow) return false;
        if (!sym_is_int(bytes, &behind)) number = number_of(watch, bytes);
    }
    buf_format(&watch->results, "{\"%S\",%d,%u,%lld,%d,%u,%lld,%lld,%lld},\n", name_str(tensor->name),
               (int)tensor->type.dtype, (unsigned)tensor->type.shape.rank,
               (long long)sizes_of(watch, tensor->type.shape), (int)found.place, (unsigned)found.at,
               (long long)found.value, (long long)number, (long long)(found.offset + behind));
    watch->result_n++;
    return true;
}

static uint32_t add_results(Watch *watch, const Call *call) {
    uint32_t before = watch->result_n;
    if (call->group == NULL) add_result(watch, call->copied, call->to);
    for (uint32_t i = 0; call->group != NULL && i < call->args.n; i++) {
        const Tensor *tensor = call->args.items[i].tensor;
        if (call->args.items[i].kind == ARG_WRITE) add_result(watch, tensor, watch->plan->places[tensor->number]);
    }
    return watch->result_n - before;
}

/* ---- calls */
static const Tensor *first_result(const Node *node) {
    for (uint32_t k = 0; k < node->output_n; k++)
        if (node->outputs[k] != NULL) return node->outputs[k];
    return NULL;
}

/* Views are told where there is nothing else. */
static void add_operators(Buf *out, const Group *group) {
    uint32_t n = 0;
    for (int views = 0; views < 2 && n == 0; views++)
        for (uint32_t i = 0; i < group->nodes.n && n <= MOST_OPERATORS; i++) {
            const OpDef *op = group->nodes.items[i]->op;
            if ((op->kind == KIND_VIEW) != (views == 1)) continue;
            buf_add(out, n > 0 ? S(", ") : S(""));
            buf_add(out, n++ < MOST_OPERATORS ? name_str(op->name) : S("..."));
        }
}

static void add_nodes(Buf *out, const Group *group) {
    for (uint32_t i = 0, n = 0; i < group->nodes.n && n <= MOST_NODES; i++) {
        const Tensor *made = first_result(group->nodes.items[i]);
        if (made == NULL) continue;
        buf_add(out, n > 0 ? S(", ") : S(""));
        buf_add(out, n++ < MOST_NODES ? name_str(made->name) : S("..."));
    }
}

static void add_call(Watch *watch, const Call *call) {
    Buf *out = &watch->calls;
    uint32_t first = watch->result_n, n = add_results(watch, call);
    SymRef bytes, flops;
    costs_sizes(watch->costs, call, &bytes, &flops);
    buf_add(out, S("{\""));
    if (call->group == NULL) {
        buf_format(out, "copy\",\"copy\",\"%S", name_str(call->copied->name));
    } else {
        buf_format(out, "%S\",\"", call->function->uri);
        add_operators(out, call->group);
        buf_add(out, S("\",\""));
        add_nodes(out, call->group);
    }
    int64_t moved = number_of(watch, bytes), computed = number_of(watch, flops);
    buf_format(out, "\",%u,%u,%lld,%lld},\n", (unsigned)first, (unsigned)n, (long long)moved, (long long)computed);
    watch->call_n++;
}

static void add_calls(Watch *watch, const Plan *plan, const DriverValues *values) {
    watch->plan = plan;
    watch->values = values;
    for (uint32_t c = 0; c < plan->calls.n; c++)
        add_call(watch, &plan->calls.items[c]);
}

/* ---- as templates see it */
static Value text(Buf *buf) {
    Str s = buf_str(buf);
    return val_str_lit(s.p, s.n);
}

static void put(Watch *watch, Dict *dict, const char *name, Value value) {
    dict_set_in(watch->arena, dict, val_str_lit(name, strlen(name)), value);
}

/* Those that are known as they are, the others by lines that set them. */
static void put_numbers(Watch *watch, Dict *dict) {
    Buf known, lines, dims;
    bool *used = ARENA_ARRAY(watch->arena, bool, (size_t)watch->graph->dims.n + 1);
    buf_init(&known, watch->arena);
    buf_init(&lines, watch->arena);
    buf_init(&dims, watch->arena);
    for (uint32_t i = 0; i < watch->numbers.n; i++) {
        SymRef size = watch->numbers.items[i];
        int64_t number = 0;
        bool is_known = sym_is_int(size, &number);
        buf_format(&known, "%s%lld,", i == 0 ? "    " : i % 12 == 0 ? "\n    " : " ", (long long)number);
        if (is_known) continue;
        size_dims(watch->graph, size, used);
        buf_format(&lines, "    numbers[%u] = ", (unsigned)i);
        size_print(&lines, size);
        buf_add(&lines, S(";\n"));
    }
    size_declare_dims(&dims, watch->graph, used, S("dims"));
    put(watch, dict, "count", val_int(watch->numbers.n));
    put(watch, dict, "known", text(&known));
    put(watch, dict, "lines", text(&lines));
    put(watch, dict, "dims", text(&dims));
}

Value driver_watch(Arena *arena, Plan *plan, const DriverValues *values, Costs *costs) {
    const DriverValues fixed = {.fixed = true};
    Watch watch = {.arena = arena, .graph = plan->graph, .costs = costs};
    buf_init(&watch.calls, arena);
    buf_init(&watch.results, arena);
    names_init(&watch.shapes, arena);
    map_init(&watch.sizes_of, arena);
    Dict *dict = dict_new(arena, 16);
    add_calls(&watch, plan, values);
    put(&watch, dict, "run_calls", val_int(watch.call_n));
    if (plan->fold != NULL) add_calls(&watch, plan->fold, &fixed);
    put(&watch, dict, "fold_calls", val_int(watch.call_n - plan->calls.n));
    put(&watch, dict, "calls", text(&watch.calls));
    put(&watch, dict, "results", text(&watch.results));
    put(&watch, dict, "result_count", val_int(watch.result_n));
    put_numbers(&watch, dict);
    return val_dict(dict);
}

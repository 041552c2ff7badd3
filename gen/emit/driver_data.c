/* driver_data.c: a model as templates see it; templates/model/README.md has the names. */
#include "emit/driver.h"

typedef struct Data {
    Arena *arena;
    const Plan *plan;
    const Graph *graph;
    List *axes;  /* of all tensors; equal shapes are there once */
    Names keys;  /* shapes as text */
    Map axes_of; /* where the axes of such a shape begin, from 1 */
    Buf known;   /* sizes of all axes, 0 where they depend on dims */
    Buf lines;   /* assignments of those that do */
    bool *dims;  /* that these use */
    uint32_t sizes;
} Data;

static Value text(Str s) { return val_str_lit(s.p, s.n); }

static void put(Data *data, Dict *dict, const char *name, Value value) {
    dict_set_in(data->arena, dict, text(str_c(name)), value);
}

/* ---- the backend */
static Dict *backend_data(Data *data) {
    const Backend *chain[16];
    uint32_t n = 0;
    for (const Backend *at = data->plan->backend; at != NULL && n < 16; at = at->parent)
        chain[n++] = at;
    Dict *all = dict_new(data->arena, 16);
    while (n-- > 0) {
        const Json *json = chain[n]->json;
        for (uint32_t i = 0; i < json->as.object.n; i++)
            dict_set_in(data->arena, all, val_name(json->as.object.members[i].key),
                        val_of_json(data->arena, &json->as.object.members[i].value));
    }
    put(data, all, "name", val_name(data->plan->backend->name));
    return all;
}

/* ---- tensors */
static uint32_t dim_number(const Graph *graph, SymRef size) {
    uint32_t i = 0;
    while (i < graph->dims.n && graph->dims.items[i].name != size->name)
        i++;
    return i;
}

static Str size_text(Data *data, SymRef size) {
    Buf out;
    buf_init(&out, data->arena);
    sym_print(&out, size);
    return buf_str(&out);
}

static Value axis_data(Data *data, SymRef size) {
    Dict *axis = dict_new(data->arena, 3);
    int64_t number = 0, dim = -2;
    if (sym_is_int(size, &number))
        dim = -1;
    else if (size->kind == SYM_VAR)
        dim = dim_number(data->graph, size);
    put(data, axis, "dim", val_int(dim));
    put(data, axis, "size", val_int(number));
    put(data, axis, "text", text(size_text(data, size)));
    return val_dict(axis);
}

static int64_t axes_data(Data *data, RuleShape shape, Str shown) {
    Name key = names_get(&data->keys, shown);
    uintptr_t at = (uintptr_t)map_get(&data->axes_of, key);
    if (at != 0) return (int64_t)at - 1;
    at = data->axes->n + 1u;
    map_set(&data->axes_of, key, (void *)at);
    for (uint32_t d = 0; d < shape.rank; d++)
        list_push(data->arena, data->axes, axis_data(data, shape.dims[d]));
    return (int64_t)at - 1;
}

static void add_size(Data *data, SymRef size) {
    int64_t number = 0;
    uint32_t at = data->sizes++;
    bool known = sym_is_int(size, &number);
    buf_format(&data->known, "%s%lld,", at == 0 ? "    " : at % 12 == 0 ? "\n    " : " ", (long long)number);
    if (known) return;
    size_dims(data->graph, size, data->dims);
    bool safe = size_is_safe(size);
    buf_format(&data->lines, safe ? "    sizes[%u] = " : "    if ((sizes[%u] = ", (unsigned)at);
    size_print(&data->lines, size);
    buf_add(&data->lines, safe ? S(";\n") : S(") == OPGEN_NO_SIZE) return -1;\n"));
}

static Value tensor_data(Data *data, Name name, const Tensor *tensor, Str embedded) {
    Arena *arena = data->arena;
    RuleShape shape = tensor->type.shape;
    Buf shown;
    buf_init(&shown, arena);
    rule_print_shape(&shown, shape);
    Str dtype = str_c(dtype_name(tensor->type.dtype));
    char *upper = arena_copy(arena, dtype.p, dtype.n);
    for (size_t i = 0; i < dtype.n; i++)
        if (upper[i] >= 'a' && upper[i] <= 'z') upper[i] = (char)(upper[i] - 'a' + 'A');
    Dict *dict = dict_new(arena, 16);
    put(data, dict, "name", val_name(name));
    put(data, dict, "dtype", text(dtype));
    put(data, dict, "enum", text(str_format(arena, "OPGEN_%S", str(upper, dtype.n))));
    put(data, dict, "rank", val_int(shape.rank));
    put(data, dict, "shape", text(buf_str(&shown)));
    put(data, dict, "axes_at", val_int(axes_data(data, shape, buf_str(&shown))));
    put(data, dict, "embedded", embedded.n > 0 ? text(embedded) : val_none());
    put(data, dict, "changed", val_bool(tensor->is_mutable));
    bool keyed = tensor->role == TENSOR_PARAM && !str_eq(tensor->key, name_str(tensor->name));
    put(data, dict, "key", keyed ? text(driver_literal(arena, tensor->key)) : val_none());
    for (uint32_t d = 0; d < shape.rank; d++)
        add_size(data, shape.dims[d]);
    return val_dict(dict);
}

static void put_tensors(Data *data, Dict *all, const Str *embedded) {
    const Graph *graph = data->graph;
    Arena *arena = data->arena;
    List *inputs = list_new(arena, graph->inputs.n + 1), *outputs = list_new(arena, graph->outputs.n + 1);
    List *params = list_new(arena, graph->params.n + 1);
    for (uint32_t i = 0; i < graph->inputs.n; i++)
        list_push(arena, inputs, tensor_data(data, graph->inputs.items[i]->name, graph->inputs.items[i], S("")));
    for (uint32_t i = 0; i < graph->outputs.n; i++)
        list_push(arena, outputs, tensor_data(data, graph->output_names.items[i], graph->outputs.items[i], S("")));
    for (uint32_t i = 0; i < graph->params.n; i++)
        list_push(arena, params,
                  tensor_data(data, graph->params.items[i]->name, graph->params.items[i],
                              embedded == NULL ? S("") : embedded[i]));
    put(data, all, "inputs", val_list(inputs));
    put(data, all, "outputs", val_list(outputs));
    put(data, all, "params", val_list(params));
    put(data, all, "axes", val_list(data->axes));
}

/* ---- functions of dims */
static Str dims_text(Data *data, const bool *used) {
    Buf out;
    buf_init(&out, data->arena);
    size_declare_dims(&out, data->graph, used, S("dims"));
    return buf_str(&out);
}

static void put_shapes(Data *data, Dict *all) {
    Dict *shapes = dict_new(data->arena, 4);
    put(data, shapes, "count", val_int(data->sizes));
    put(data, shapes, "known", text(buf_str(&data->known)));
    put(data, shapes, "lines", text(buf_str(&data->lines)));
    put(data, shapes, "dims", text(dims_text(data, data->dims)));
    put(data, all, "shapes", val_dict(shapes));
}

static void put_checks(Data *data, Dict *all) {
    const Graph *graph = data->graph;
    Buf lines;
    bool *used = ARENA_ARRAY(data->arena, bool, (size_t)graph->dims.n + 1);
    buf_init(&lines, data->arena);
    for (uint32_t i = 0; i < graph->checks.n; i++) {
        const RuleCheck *check = &graph->checks.items[i];
        bool safe = size_is_safe(check->condition);
        size_dims(graph, check->condition, used);
        buf_add(&lines, safe ? S("    if (!(") : S("    if ("));
        size_print(&lines, check->condition);
        buf_format(&lines, safe ? ")) return %S;\n" : " != 1) return %S;\n",
                   driver_literal(data->arena, check->otherwise));
    }
    Dict *checks = dict_new(data->arena, 2);
    put(data, checks, "lines", text(buf_str(&lines)));
    put(data, checks, "dims", text(dims_text(data, used)));
    put(data, all, "checks", val_dict(checks));
}

static void put_values(Data *data, Dict *all, const DriverValues *values) {
    const Graph *graph = data->graph;
    Buf lines;
    bool *used = ARENA_ARRAY(data->arena, bool, (size_t)graph->dims.n + 1);
    buf_init(&lines, data->arena);
    for (uint32_t i = 0; i < values->sizes.n; i++) {
        size_dims(graph, values->sizes.items[i], used);
        buf_format(&lines, "    values[%u] = ", (unsigned)i);
        size_print(&lines, values->sizes.items[i]);
        buf_add(&lines, S(";\n"));
    }
    uint32_t count = values->sizes.n + (values->fixed ? 0 : values->offsets + 1);
    Dict *dict = dict_new(data->arena, 12);
    put(data, dict, "count", val_int(count));
    put(data, dict, "sizes", val_int(values->sizes.n));
    put(data, dict, "lines", text(buf_str(&lines)));
    put(data, dict, "dims", text(dims_text(data, used)));
    put(data, dict, "unsafe", val_bool(values->unsafe));
    put(data, dict, "fixed", val_bool(values->fixed));
    put(data, dict, "bytes", val_int(data->plan->arena_planned));
    put(data, dict, "offsets", val_int(values->offsets));
    put(data, dict, "on", text(buf_str(&values->on)));
    put(data, dict, "on_ends", text(buf_str(&values->on_ends)));
    put(data, all, "values", val_dict(dict));
}

/* ---- the rest */
static void put_dims(Data *data, Dict *all) {
    const Graph *graph = data->graph;
    List *dims = list_new(data->arena, graph->dims.n + 1);
    for (uint32_t i = 0; i < graph->dims.n; i++) {
        Dict *dim = dict_new(data->arena, 3);
        put(data, dim, "name", val_name(graph->dims.items[i].name));
        put(data, dim, "min", val_int(graph->dims.items[i].min));
        put(data, dim, "max", val_int(graph->dims.items[i].max));
        list_push(data->arena, dims, val_dict(dim));
    }
    put(data, all, "dims", val_list(dims));
}

static void put_functions(Data *data, Dict *all, const DriverValues *values) {
    const Plan *plan = data->plan;
    Buf decls;
    buf_init(&decls, data->arena);
    for (uint32_t i = 0; i < plan->functions.n; i++)
        buf_format(&decls, "%S\n", plan->functions.items[i]->decl);
    bool copies = false;
    for (uint32_t i = 0; i < plan->calls.n; i++)
        copies |= plan->calls.items[i].function == NULL;
    put(data, all, "decls", text(buf_str(&decls)));
    put(data, all, "calls", val_list(driver_calls(data->arena, plan, values, "run", 0)));
    put(data, all, "copies", val_bool(copies));
}

/* By number, each once. */
static Value params_read(Data *data, const Plan *fold) {
    bool *read = ARENA_ARRAY(data->arena, bool, (size_t)data->graph->params.n + 1);
    for (uint32_t c = 0; c < fold->calls.n; c++)
        for (uint32_t i = 0; i < fold->calls.items[c].args.n; i++) {
            const Arg *arg = &fold->calls.items[c].args.items[i];
            if (arg->tensor == NULL) continue;
            TensorPlace place = fold->places[arg->tensor->number];
            if (place.kind == PLACE_PARAM) read[place.at] = true;
        }
    List *names = list_new(data->arena, 4);
    for (uint32_t i = 0; i < data->graph->params.n; i++)
        if (read[i]) list_push(data->arena, names, val_name(data->graph->params.items[i]->name));
    return val_list(names);
}

static void put_fold(Data *data, Dict *all) {
    const Plan *fold = data->plan->fold;
    if (fold == NULL) {
        put(data, all, "fold", val_none());
        return;
    }
    const DriverValues values = {.fixed = true};
    Dict *dict = dict_new(data->arena, 4);
    put(data, dict, "calls", val_list(driver_calls(data->arena, fold, &values, "fold", data->plan->calls.n)));
    put(data, dict, "params", params_read(data, fold));
    put(data, dict, "bytes", val_int(data->plan->folded_bytes));
    put(data, dict, "arena", val_int(fold->arena_planned));
    put(data, all, "fold", val_dict(dict));
}

static Value texts(Data *data, const Str *items, uint32_t n) {
    List *list = list_new(data->arena, n + 1);
    for (uint32_t i = 0; i < n; i++)
        list_push(data->arena, list, text(items[i]));
    return val_list(list);
}

static void put_files(Data *data, Dict *all, const DriverFiles *files) {
    Dict *dict = dict_new(data->arena, 4);
    put(data, dict, "sources", texts(data, files->sources.items, files->sources.n));
    put(data, dict, "headers", texts(data, files->headers.items, files->headers.n));
    put(data, dict, "runtime_sources", texts(data, files->runtime_sources.items, files->runtime_sources.n));
    put(data, dict, "runtime_headers", texts(data, files->runtime_headers.items, files->runtime_headers.n));
    put(data, all, "files", val_dict(dict));
    put(data, all, "libraries", texts(data, data->plan->libraries.items, data->plan->libraries.n));
}

/* A path that Make, CMake and shells read as it is. */
static bool is_plain(Str path) {
    bool plain = path.n > 0;
    for (size_t i = 0; i < path.n; i++) {
        char c = path.p[i];
        plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                          c == '.' || c == '/' || (c == '-' && i > 0));
    }
    return plain;
}

Value driver_data(Arena *arena, Plan *plan, Costs *costs, const EmitOptions *options, const Str *embedded,
                  const DriverFiles *files) {
    Data data = {.arena = arena, .plan = plan, .graph = plan->graph, .axes = list_new(arena, 16)};
    names_init(&data.keys, arena);
    map_init(&data.axes_of, arena);
    buf_init(&data.known, arena);
    buf_init(&data.lines, arena);
    data.dims = ARENA_ARRAY(arena, bool, (size_t)plan->graph->dims.n + 1);
    DriverValues values;
    driver_values(plan, &values);
    Dict *all = dict_new(arena, 32);
    Str from = driver_comment(arena, options->model_name);
    put(&data, all, "name", val_name(plan->graph->name));
    put(&data, all, "version", text(options->version));
    put(&data, all, "first",
        text(str_format(arena, "Generated by opgen %S from %S: do not edit.", options->version, from)));
    put(&data, all, "backend", val_dict(backend_data(&data)));
    bool loads = embedded == NULL && plan->graph->weights.n > 0;
    put(&data, all, "weights", loads ? text(plan->graph->weights) : val_none());
    put(&data, all, "weights_plain", loads && is_plain(plan->graph->weights) ? text(plan->graph->weights) : val_none());
    List *frozen = list_new(arena, plan->graph->frozen.n + 1);
    for (uint32_t i = 0; i < plan->graph->frozen.n; i++)
        list_push(arena, frozen, val_name(plan->graph->frozen.items[i]));
    put(&data, all, "frozen", val_list(frozen));
    put_dims(&data, all);
    put_tensors(&data, all, embedded);
    put_shapes(&data, all);
    put_checks(&data, all);
    put_values(&data, all, &values);
    put_functions(&data, all, &values);
    put_fold(&data, all);
    put(&data, all, "watch", driver_watch(arena, plan, &values, costs));
    put_files(&data, all, files);
    return val_dict(all);
}

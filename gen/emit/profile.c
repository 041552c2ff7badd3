/* profile.c: what is special where code is generated for a profile: which files there are, arrays in the place of a
 * file of weights, and what only a machine without memory to spare wants to know.
 *
 * A profile is known by its name alone; "profile" of its profile.json says which templates of templates/model become
 * which files, what of the runtime goes along, and whether constants are computed while generating. Whatever else is
 * special about it is in its templates.
 */
#include "emit/profile.h"

static Value text(Str s) { return val_str_lit(s.p, s.n); }

static void put(Arena *arena, Dict *dict, const char *name, Value value) {
    dict_set_in(arena, dict, text(str_c(name)), value);
}

/* ---- the facts */
static Str filled(Arena *arena, Str path, Str name) {
    const Str place = S("{name}");
    size_t at = str_find(path, place);
    if (at == STR_NONE) return path;
    return str_format(arena, "%S%S%S", str_sub(path, 0, at), name, str_sub(path, at + place.n, path.n));
}

bool profile_begin(EmitContext *context) {
    Arena *arena = context->arena;
    const Json *facts = json_get(context->backend->json, S("profile"));
    context->into = &context->result->set;
    if (context->options->profile.n == 0) return true;
    Profile *profile = ARENA_NEW(arena, Profile);
    context->profile = profile;
    const Json *files = json_get(facts, context->options->single ? S("single") : S("files"));
    if (files == NULL && context->options->single) {
        diag_error(context->graph->diags, E_USAGE, span(NULL, 0, 0), "the profile %Q has no form in a single file",
                   context->options->profile);
        return false;
    }
    Str name = name_str(context->graph->name);
    for (uint32_t i = 0; files != NULL && i < files->as.object.n; i++) {
        const JsonMember *member = &files->as.object.members[i];
        if (member->value.kind != JSON_STRING) {
            diag_error(context->graph->diags, E_JSON_TYPE,
                       span(context->backend->source, member->value.from, member->value.to),
                       "%Q is the name of a file, but this is %s", name_str(member->key),
                       json_kind_name(member->value.kind));
            return false;
        }
        *VEC_PUSH(arena, &profile->files) = (ProfileFile){str_format(arena, "model/%S.j2", name_str(member->key)),
                                                          filled(arena, member->value.as.s, name)};
    }
    profile->runtime = json_get(facts, S("runtime"));
    const Json *fold = json_get(facts, S("fold"));
    if (fold != NULL && fold->kind == JSON_STRING) profile->fold = fold->as.s;
    /* Weights that a user hands in are not known before he does. */
    profile->folds = profile->fold.n > 0 && (context->options->embed || context->graph->params.n == 0);
    if (!context->options->single) return true;
    fileset_init(&profile->parts, arena);
    context->into = &profile->parts;
    return true;
}

bool profile_wants(const EmitContext *context, Str name) {
    const Json *runtime = context->profile->runtime;
    for (uint32_t i = 0; runtime != NULL && i < runtime->as.array.n; i++)
        if (str_eq(runtime->as.array.items[i].as.s, name)) return true;
    return false;
}

/* ---- tensors */
static int64_t elements(const RuleTensor *type, const Map *dims) {
    int64_t product = 1, size;
    for (uint32_t d = 0; d < type->shape.rank; d++) {
        if (!sym_value(type->shape.dims[d], dims, &size) || size < 0) return -1;
        if (size > 0 && product > INT64_MAX / size) return -1;
        product *= size;
    }
    return product;
}

/* Beside what every driver sees: how C calls an element, and how many there are for the largest dims. */
static void add_types(EmitContext *context, const Plan *plan, List *list, Tensor *const *tensors, const Map *dims) {
    for (uint32_t i = 0; i < list->n; i++) {
        Dict *dict = list->items[i].as.dict;
        const RuleTensor *type = &tensors[i]->type;
        int64_t size, count = elements(type, dims);
        bool fixed = true;
        for (uint32_t d = 0; d < type->shape.rank; d++)
            fixed = fixed && sym_is_int(type->shape.dims[d], &size);
        put(context->arena, dict, "type", text(plan->backend->types[type->dtype].name));
        put(context->arena, dict, "bytes", val_int(dtype_size(type->dtype)));
        put(context->arena, dict, "most", count < 0 ? val_none() : val_int(count));
        put(context->arena, dict, "fixed", val_bool(fixed));
    }
}

/* A member that driver_data put there. */
static Value member(const Dict *all, const char *name) {
    uint32_t i = dict_next(all, 0);
    while (!str_eq(val_text(all->entries[i].key), str_c(name)))
        i = dict_next(all, i + 1);
    return all->entries[i].value;
}

static List *list_of(const Dict *all, const char *name) { return member(all, name).as.list; }

/* ---- arrays */

/* Elements as an initialiser; nothing has an element all the same, for C has no array of none. */
static Value array_data(EmitContext *context, const Plan *plan, Str name, const RuleTensor *type, Str bytes,
                        int64_t offset) {
    Arena *arena = context->arena;
    Dict *array = dict_new(arena, 8);
    uint32_t size = dtype_size(type->dtype);
    Buf out;
    buf_init(&out, arena);
    if (bytes.n == 0) bytes = str("\0\0\0\0\0\0\0\0", size);
    context->profile->constant_bytes += (int64_t)bytes.n;
    array_print(&out, type->dtype, bytes);
    put(arena, array, "name", text(name));
    put(arena, array, "type", text(plan->backend->types[type->dtype].name));
    put(arena, array, "count", val_int((int64_t)(bytes.n / size)));
    put(arena, array, "bytes", val_int((int64_t)bytes.n));
    put(arena, array, "offset", val_int(offset));
    put(arena, array, "text", text(buf_str(&out)));
    return val_dict(array);
}

/* Which params the calls of runs read: others are of no use once constants are computed. */
static bool *params_read(EmitContext *context, const Plan *plan) {
    bool *read = ARENA_ARRAY(context->arena, bool, (size_t)context->graph->params.n + 1);
    for (uint32_t c = 0; c < plan->calls.n; c++) {
        const Call *call = &plan->calls.items[c];
        for (uint32_t i = 0; i < call->args.n; i++) {
            if (call->args.items[i].tensor == NULL) continue;
            TensorPlace place = plan->places[call->args.items[i].tensor->number];
            if (place.kind == PLACE_PARAM) read[place.at] = true;
        }
        if (call->copied != NULL && call->from.kind == PLACE_PARAM) read[call->from.at] = true;
    }
    return read;
}

static void put_arrays(EmitContext *context, const Plan *plan, Dict *all) {
    Arena *arena = context->arena;
    const Graph *graph = context->graph;
    const Profile *profile = context->profile;
    const bool *read = params_read(context, plan);
    List *arrays = list_new(arena, graph->params.n + 1), *folded = list_new(arena, plan->folded.n + 1);
    List *params = list_of(all, "params");
    for (uint32_t i = 0; i < graph->params.n; i++) {
        bool wanted = read[i] || (plan->fold != NULL && profile->folded.n == 0);
        put(arena, params->items[i].as.dict, "read", val_bool(wanted));
        if (profile->weights == NULL || !wanted) continue;
        const Tensor *param = graph->params.items[i];
        list_push(arena, arrays,
                  array_data(context, plan, name_str(param->name), &param->type, profile->weights[i], 0));
    }
    for (uint32_t i = 0; i < plan->folded.n && profile->folded.n > 0; i++) {
        const Folded *kept = &plan->folded.items[i];
        if (kept->bytes == 0) continue; /* others begin where it does */
        Str bytes = str_sub(profile->folded, (size_t)kept->offset, (size_t)(kept->offset + kept->bytes));
        list_push(arena, folded,
                  array_data(context, plan, name_str(kept->tensor->name), &kept->tensor->type, bytes, kept->offset));
    }
    put(arena, all, "arrays", val_list(arrays));
    put(arena, all, "folded", val_list(folded));
}

/* ---- shapes */

/* Statements that put the sizes of outputs that depend on dims where `shape_NAME` says, or leave. */
static void put_shapes(EmitContext *context, Dict *all, const List *outputs) {
    Graph *graph = context->graph;
    Buf out;
    int64_t number;
    buf_init(&out, context->arena);
    for (uint32_t i = 0; i < outputs->n; i++) {
        RuleShape shape = graph->outputs.items[i]->type.shape;
        bool fixed = true;
        for (uint32_t d = 0; d < shape.rank; d++)
            fixed = fixed && sym_is_int(shape.dims[d], &number);
        for (uint32_t d = 0; d < shape.rank && !fixed; d++) {
            bool safe = size_is_safe(shape.dims[d]);
            buf_format(&out, safe ? "    shape_%S[%u] = " : "    if ((shape_%S[%u] = ",
                       name_str(graph->output_names.items[i]), (unsigned)d);
            size_print(&out, shape.dims[d]);
            if (!safe)
                buf_format(&out, ") == OPGEN_NO_SIZE) return %S_bad_size;\n", name_str(graph->name));
            else
                buf_add(&out, S(";\n"));
        }
    }
    put(context->arena, all, "shape_lines", text(buf_str(&out)));
}

void profile_data(EmitContext *context, const Plan *plan, Value data) {
    Arena *arena = context->arena;
    Graph *graph = context->graph;
    Dict *all = data.as.dict;
    Map dims;
    int64_t *most = ARENA_ARRAY(arena, int64_t, (size_t)graph->dims.n + 1);
    bool largest = true;
    map_init(&dims, arena);
    for (uint32_t i = 0; i < graph->dims.n; i++) {
        most[i] = graph->dims.items[i].max;
        largest &= plan->planned_dims.items[i] == most[i];
        map_set(&dims, graph->dims.items[i].name, &most[i]);
    }
    add_types(context, plan, list_of(all, "inputs"), graph->inputs.items, &dims);
    add_types(context, plan, list_of(all, "outputs"), graph->outputs.items, &dims);
    add_types(context, plan, list_of(all, "params"), graph->params.items, &dims);
    put_shapes(context, all, list_of(all, "outputs"));
    put_arrays(context, plan, all);
    put(arena, all, "embeds", val_bool(context->profile->weights != NULL));
    /* Numbers that depend on dims lie in front of the arena, which begins at a multiple of 64. */
    int64_t values = (member(member(all, "values").as.dict, "count").as.i * 8 + 63) / 64 * 64;
    context->profile->memory_bytes = values + plan->arena_planned;
    put(arena, all, "values_bytes", val_int(values));
    put(arena, all, "arena", val_int(plan->arena_planned));
    put(arena, all, "memory_bytes", val_int(context->profile->memory_bytes));
    put(arena, all, "constant_bytes", val_int(context->profile->constant_bytes));
    put(arena, all, "is_largest", val_bool(largest));
    put(arena, all, "single",
        context->options->single ? val_dict(single_data(context, plan, &context->profile->parts)) : val_none());
}

/* model_read.c: a model file as declarations: its head, inputs, params, what it states of results, and its outputs.
 *
 * graph_read is here as well: it leads through the rounds that model.h tells of.
 */
#include "graph/model.h"

static const char *const key_texts[KEY_COUNT] = {
    "opgen", "name",  "dims",  "inputs", "params", "weights", "tensors", "nodes", "outputs", "min",
    "max",   "dtype", "shape", "op",     "in",     "out",     "attrs",   "doc",   "mutable", "key",
};

/* ---- the head */

static void read_version(Model *model, const Json *root, const JsonMember *member) {
    if (member == NULL) {
        Diag *diag = diag_error(model->diags, E_MISSING, span(model->source, root->from, root->from + 1),
                                "a model says which version of the format it has");
        diag_hint(model->diags, diag, "write \"opgen\": %d", MODEL_VERSION);
        return;
    }
    const Json *value = &member->value;
    if (!model_want(model, value, JSON_INT, "opgen", "the version of the format, an integer")) return;
    if (value->as.i != MODEL_VERSION)
        model_error(model, value, E_BAD_VALUE, "this opgen reads models of version %d, but this is version %lld",
                    MODEL_VERSION, (long long)value->as.i);
}

static void read_name(Model *model, const Json *root, const JsonMember *member) {
    if (member == NULL) {
        Diag *diag =
            diag_error(model->diags, E_MISSING, span(model->source, root->from, root->from + 1), "a model has a name");
        diag_hint(model->diags, diag, "write \"name\": \"mlp\"; generated files and functions are called so");
        return;
    }
    const Json *value = &member->value;
    if (!model_want(model, value, JSON_STRING, "name", "the name of the model, a string")) return;
    model->graph->name = model_name(model, value->as.s, value->from, value->to, "a model");
    model_check_name(model, value);
}

/* The path without what does nothing in it: "./a//b" is "a/b". NULL or a reason why it cannot be. */
static const char *clean_path(Arena *arena, Str path, Str *clean) {
    if (path.n == 0) return "is empty";
    if (path.p[0] == '/') return "is absolute";
    Buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < path.n;) {
        size_t to = i;
        for (; to < path.n && path.p[to] != '/'; to++)
            if ((unsigned char)path.p[to] < ' ' || path.p[to] == 0x7f) return "has a control character";
        Str part = str_sub(path, i, to);
        i = to + 1;
        if (str_eq(part, S(".."))) return "leaves it with \"..\"";
        if (part.n == 0 || str_eq(part, S("."))) continue;
        if (out.n > 0) buf_char(&out, '/');
        buf_add(&out, part);
    }
    if (out.n == 0 || path.p[path.n - 1] == '/' || str_ends(path, S("/."))) return "names a folder";
    *clean = buf_str(&out);
    return NULL;
}

static void read_weights(Model *model, const JsonMember *member) {
    if (member == NULL) return;
    const Json *value = &member->value;
    if (!model_want(model, value, JSON_STRING, "weights", "the path of a safetensors file, a string")) return;
    model->graph->weights_at = span(model->source, value->from, value->to);
    const char *why = clean_path(model->arena, value->as.s, &model->graph->weights);
    if (why == NULL) return;
    Diag *diag = model_error(model, value, E_OUTSIDE, "\"weights\" is a file in the model's folder, but %Q %s",
                             value->as.s, why);
    diag_hint(model->diags, diag, "write a path from the model's folder on: \"mlp.safetensors\"");
}

/* ---- tensors */

static bool read_dtype(Model *model, const Json *value, Dtype *dtype) {
    /* As an attribute of that type, so that it is told in the same words. */
    OpAttr attr = {.name = model->keys[KEY_DTYPE], .type = ATTR_DTYPE, .required = true};
    Json checked;
    return opattr_value(model->scratch, &attr, model->source, value, model->diags, &checked) &&
           dtype_parse(value->as.s, dtype);
}

/* "mutable" of an input: whether a run may write into it. */
static bool read_mutable(Model *model, const JsonMember *member) {
    if (member == NULL) return false;
    const Json *value = &member->value;
    return model_want(model, value, JSON_BOOL, "mutable", "true or false: whether a run may change the input") &&
           value->as.b;
}

/* "key" of a param: any text that a file of weights may have. */
static Str read_key(Model *model, const JsonMember *member, Str name) {
    if (member == NULL) return name;
    const Json *value = &member->value;
    if (!model_want(model, value, JSON_STRING, "key", "the param's name in weights files, a string")) return name;
    const char *why = value->as.s.n == 0 ? "it is empty" : NULL;
    for (size_t i = 0; i < value->as.s.n && why == NULL; i++)
        if ((unsigned char)value->as.s.p[i] < ' ' || value->as.s.p[i] == 0x7f) why = "it has a control character";
    if (why != NULL)
        model_error(model, value, E_BAD_VALUE, "%Q cannot be the key of %Q in weights files: %s", value->as.s, name,
                    why);
    return value->as.s;
}

/* {"dtype": ..., "shape": [...]}, and what only an input or a param has. Without a finding only if it is whole. */
static bool read_type(Model *model, const JsonMember *member, TensorRole role, Str name, Tensor *made) {
    const char *what = role == TENSOR_INPUT ? "an input" : "a param";
    RuleTensor *type = &made->type;
    Fields fields;
    unsigned own = role == TENSOR_INPUT ? KEY(MUTABLE) : KEY(KEY);
    if (!model_fields(model, &member->value, what, KEY(DTYPE) | KEY(SHAPE) | KEY(DOC) | own, &fields)) return false;
    made->is_mutable = read_mutable(model, fields.of[KEY_MUTABLE]);
    if (role == TENSOR_PARAM) made->key = read_key(model, fields.of[KEY_KEY], name);
    bool good = true;
    static const ModelKey needed[] = {KEY_DTYPE, KEY_SHAPE};
    for (int i = 0; i < 2; i++) {
        if (fields.of[needed[i]] != NULL) continue;
        Diag *diag = diag_error(model->diags, E_MISSING, span(model->source, member->from, member->to), "%Q has no %Q",
                                name, name_str(model->keys[needed[i]]));
        diag_hint(model->diags, diag, "write {\"dtype\": \"f32\", \"shape\": [1, 784]}");
        good = false;
    }
    if (fields.of[KEY_DTYPE] != NULL) good = read_dtype(model, &fields.of[KEY_DTYPE]->value, &type->dtype) && good;
    if (fields.of[KEY_SHAPE] != NULL)
        good = model_shape(model, &fields.of[KEY_SHAPE]->value, what, &type->shape) && good;
    return good;
}

/* The library is loaded with params of one size. */
static bool has_fixed_shape(Model *model, const Json *shape, const RuleTensor *type) {
    for (uint32_t i = 0; i < type->shape.rank; i++) {
        int64_t size;
        if (sym_is_int(type->shape.dims[i], &size)) continue;
        Diag *diag = model_error(model, &shape->as.array.items[i], E_BAD_VALUE,
                                 "a param has a fixed shape, but this dim varies");
        diag_hint(model->diags, diag, "write a number, or give the dim one: \"dims\": {\"hidden\": 512}");
        return false;
    }
    return true;
}

static void read_tensors(Model *model, const JsonMember *list, TensorRole role) {
    if (list == NULL) return;
    const Json *value = &list->value;
    bool input = role == TENSOR_INPUT;
    const char *what = input ? "an input" : "a param";
    if (!model_want(model, value, JSON_OBJECT, input ? "inputs" : "params",
                    input ? "an object of inputs" : "an object of params"))
        return;
    for (uint32_t i = 0; i < value->as.object.n; i++) {
        const JsonMember *member = &value->as.object.members[i];
        Name name = model_name(model, name_str(member->key), member->from, member->to, what);
        Span place = span(model->source, member->from, member->to);
        Tensor made = {.type = {.dtype = NO_TYPE}};
        bool fresh = model_is_new(model, name, place, what);
        bool good = read_type(model, member, role, name_str(name), &made);
        if (good && !input) good = has_fixed_shape(model, json_get(&member->value, S("shape")), &made.type);
        if (good) good = graph_fits(model->graph, name_str(name), &made.type, place);
        if (!good) made.type.dtype = NO_TYPE;
        if (!fresh) continue;
        Tensor *tensor = graph_tensor(model->graph, name, role, made.type, place);
        tensor->is_mutable = made.is_mutable;
        tensor->key = made.key;
        map_set(&model->tensors, name, tensor);
    }
}

/* What the file states of results, for model_build to compare. */
static void read_stated(Model *model, const JsonMember *list) {
    if (list == NULL) return;
    const Json *value = &list->value;
    if (!model_want(model, value, JSON_OBJECT, "tensors", "an object of results")) return;
    for (uint32_t i = 0; i < value->as.object.n; i++) {
        const JsonMember *member = &value->as.object.members[i];
        Tensor *tensor = map_get(&model->tensors, member->key);
        Span at = span(model->source, member->from, member->to);
        if (tensor == NULL) {
            Diag *diag = diag_error(model->diags, E_UNKNOWN_NAME, at, "no node makes %Q", name_str(member->key));
            model_suggest_tensor(model, diag, name_str(member->key));
        } else if (tensor->role != TENSOR_RESULT) {
            diag_error(model->diags, E_DUPLICATE, at, "%Q is %s, and its type stands there", name_str(member->key),
                       model_role_name(tensor));
        }
        Fields fields;
        if (!model_fields(model, &member->value, "what is stated of a result", KEY(DTYPE) | KEY(SHAPE) | KEY(DOC),
                          &fields))
            continue;
        const JsonMember *dtype = fields.of[KEY_DTYPE], *shape = fields.of[KEY_SHAPE];
        Stated stated = {.tensor = tensor, .dtype = NO_TYPE};
        if (dtype != NULL && read_dtype(model, &dtype->value, &stated.dtype)) stated.dtype_json = &dtype->value;
        if (shape != NULL && model_shape(model, &shape->value, "a result", &stated.shape))
            stated.shape_json = &shape->value;
        if (tensor != NULL && tensor->role == TENSOR_RESULT) *VEC_PUSH(model->scratch, &model->stated) = stated;
    }
}

/* ---- outputs */

static void read_output(Model *model, const Json *value) {
    if (value->kind != JSON_STRING) {
        model_error(model, value, E_JSON_TYPE, "an output is the name of a result, but this is %s",
                    json_kind_name(value->kind));
        return;
    }
    Name name = names_find(model->names, value->as.s);
    Tensor *tensor = name == NULL ? NULL : map_get(&model->tensors, name);
    Diag *diag;
    if (tensor == NULL) {
        diag = model_error(model, value, E_UNKNOWN_NAME, "no node makes %Q", value->as.s);
        model_suggest_tensor(model, diag, value->as.s);
    } else if (tensor->output) {
        model_error(model, value, E_DUPLICATE, "%Q is an output twice", value->as.s);
    } else if (tensor->role != TENSOR_RESULT) {
        diag = model_error(model, value, E_BAD_VALUE, "an output is the result of a node, but %Q is %s", value->as.s,
                           model_role_name(tensor));
        diag_hint(model->diags, diag, "to hand it on, copy it: {\"op\": \"clone\", \"in\": %Q, \"out\": ...}",
                  value->as.s);
    } else {
        graph_add_output(model->graph, tensor, name);
    }
}

static void read_outputs(Model *model, const Json *root, const JsonMember *list) {
    if (list == NULL) {
        Diag *diag =
            diag_error(model->diags, E_MISSING, span(model->source, root->from, root->from + 1), "a model has outputs");
        diag_hint(model->diags, diag, "write \"outputs\": [\"y\"]");
        return;
    }
    const Json *value = &list->value;
    if (!model_want(model, value, JSON_ARRAY, "outputs", "an array of names of results")) return;
    if (value->as.array.n == 0) model_error(model, value, E_BAD_VALUE, "a model has at least one output");
    for (uint32_t i = 0; i < value->as.array.n; i++)
        read_output(model, &value->as.array.items[i]);
}

/* ---- all of it */

static void read_root(Model *model, const Json *root) {
    Fields fields;
    unsigned known = KEY(OPGEN) | KEY(NAME) | KEY(DOC) | KEY(DIMS) | KEY(INPUTS) | KEY(PARAMS) | KEY(WEIGHTS) |
                     KEY(TENSORS) | KEY(NODES) | KEY(OUTPUTS);
    if (!model_fields(model, root, "a model", known, &fields)) return;
    read_version(model, root, fields.of[KEY_OPGEN]);
    read_name(model, root, fields.of[KEY_NAME]);
    read_weights(model, fields.of[KEY_WEIGHTS]);
    if (fields.of[KEY_DIMS] != NULL) model_read_dims(model, &fields.of[KEY_DIMS]->value);
    read_tensors(model, fields.of[KEY_INPUTS], TENSOR_INPUT);
    read_tensors(model, fields.of[KEY_PARAMS], TENSOR_PARAM);
    if (fields.of[KEY_NODES] != NULL) {
        model_read_nodes(model, &fields.of[KEY_NODES]->value);
    } else {
        Diag *diag =
            diag_error(model->diags, E_MISSING, span(model->source, root->from, root->from + 1), "a model has nodes");
        diag_hint(model->diags, diag, "write \"nodes\": [{\"op\": \"relu\", \"in\": \"x\", \"out\": \"y\"}]");
    }
    read_stated(model, fields.of[KEY_TENSORS]);
    /* Without nodes no output is the result of one: that was told. */
    if (fields.of[KEY_NODES] != NULL || fields.of[KEY_OUTPUTS] == NULL)
        read_outputs(model, root, fields.of[KEY_OUTPUTS]);
    model_link_nodes(model);
    model_build(model);
}

static Graph *read_model(Arena *arena, Arena *scratch, Names *names, const OpTable *ops, Source *source, Diags *diags) {
    uint32_t errors = diags->errors;
    const Json *root = json_parse_lenient(arena, names, source, diags);
    if (root == NULL) return NULL;
    Graph *graph = ARENA_NEW(arena, Graph);
    graph_init(graph, arena, names, ops, source, diags);
    Model model = {
        .graph = graph, .scratch = scratch, .arena = arena, .names = names, .diags = diags, .source = source};
    model.errors = errors;
    map_init(&model.dims, scratch);
    map_init(&model.tensors, scratch);
    for (int i = 0; i < KEY_COUNT; i++)
        model.keys[i] = names_get(names, str_c(key_texts[i]));
    read_root(&model, root);
    return diags->errors == errors ? graph : NULL;
}

typedef struct Reading {
    Arena *arena;
    Names *names;
    const OpTable *ops;
    Source *source;
    Diags *diags;
    Graph *graph;
} Reading;

static void read_with(Arena *scratch, void *data) {
    Reading *r = data;
    r->graph = read_model(r->arena, scratch, r->names, r->ops, r->source, r->diags);
}

Graph *graph_read(Arena *arena, Names *names, const OpTable *ops, Source *source, Diags *diags) {
    Reading reading = {arena, names, ops, source, diags, NULL};
    arena_with_scratch(arena, read_with, &reading);
    return reading.graph;
}

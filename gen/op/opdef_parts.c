/* opdef_parts.c: what operators of every kind have: type variables, inputs, outputs, requirements, mutated inputs.
 *
 * The names come first, all of them, and only then the expressions, so that an expression may use what stands behind it
 * in the file.
 */
#include "op/opdef_inner.h"

static const OpScope input_type = {
    .what = "the type of an input", .see = SEE_TYPES | IS_TYPE, .extra = NULL, .first = NULL};
static const OpScope requirement = {
    .what = "a requirement", .see = SEE_INPUTS | SEE_ATTRS | SEE_TYPES, .extra = NULL, .first = NULL};

/* ---- type variables */

static bool read_set(OpRead *read, const Json *value, DtypeSet *set) {
    if (value->kind != JSON_STRING) {
        op_error(read, value, E_JSON_TYPE, "a dtype is named by a string, but this is %s", json_kind_name(value->kind));
        return false;
    }
    if (dtype_set_parse(value->as.s, set)) return true;
    Diag *diag = op_error(read, value, E_UNKNOWN_NAME, "there is no dtype or group of dtypes %Q", value->as.s);
    Str names[DT_COUNT + 3];
    size_t n = 0;
    for (unsigned i = 0; i < DT_COUNT; i++)
        names[n++] = str_c(dtype_name((Dtype)i));
    names[n++] = S("float");
    names[n++] = S("int");
    names[n++] = S("any");
    if (!diag_suggest(read->diags, diag, value->as.s, names, n))
        diag_hint(read->diags, diag,
                  "there are bool, u8 to u64, i8 to i64, f16, bf16, f32, f64, and the groups float, int, any");
    return false;
}

static void read_type_variable(OpRead *read, const JsonMember *member) {
    OpType type = {.name = op_name(read, name_str(member->key), member->from, member->to, "a type variable"), .set = 0};
    Dtype dtype;
    DtypeSet group;
    if (type.name != NULL &&
        (dtype_parse(name_str(type.name), &dtype) || dtype_set_parse(name_str(type.name), &group))) {
        diag_error(read->diags, E_BAD_NAME, span(read->source, member->from, member->to),
                   "%Q cannot be the name of a type variable: it is a dtype or a group of them", name_str(type.name));
        type.name = NULL;
    }
    const Json *value = &member->value;
    if (value->kind == JSON_ARRAY) {
        for (uint32_t i = 0; i < value->as.array.n; i++) {
            DtypeSet set = 0;
            const Json *item = &value->as.array.items[i];
            if (!read_set(read, item, &set)) continue;
            if ((type.set & set) == set) op_error(read, item, E_DUPLICATE, "%Q is in this list already", item->as.s);
            type.set |= set;
        }
        if (value->as.array.n == 0)
            op_error(read, value, E_BAD_VALUE, "the type variable %Q can be no dtype at all", name_str(member->key));
    } else if (value->kind == JSON_STRING) {
        read_set(read, value, &type.set);
    } else {
        Diag *diag = op_error(read, value, E_JSON_TYPE,
                              "a type variable is a dtype, a group, or an array of them, but this is %s",
                              json_kind_name(value->kind));
        diag_hint(read->diags, diag, "write \"float\" or [\"f32\", \"f16\"]");
    }
    if (type.name != NULL) *VEC_PUSH(read->arena, &read->op->types) = type;
}

void op_read_types(OpRead *read) {
    const Json *types = op_get(read->json, "types");
    if (types != NULL && op_want(read, types, JSON_OBJECT, "types", "an object of type variables")) {
        for (uint32_t i = 0; i < types->as.object.n; i++)
            read_type_variable(read, &types->as.object.members[i]);
        if (types->as.object.n == 0) op_error(read, types, E_BAD_VALUE, "\"types\" names no type variable");
    }
    if (read->op->types.n > 0) return;
    OpType any = {.name = names_get(read->names, S("T")), .set = 0};
    dtype_set_parse(S("float"), &any.set);
    *VEC_PUSH(read->arena, &read->op->types) = any;
}

/* ---- inputs */

static void read_input(OpRead *read, const Json *value) {
    OpDef *op = read->op;
    OpInput input = {.doc = S("")};
    const Json *name = value;
    if (value->kind == JSON_OBJECT) {
        op_keys(read, value, "an input", "name type optional list doc");
        name = op_get(value, "name");
        if (name == NULL) op_error(read, value, E_MISSING, "this input has no \"name\"");
        op_expr_member(read, value, "type", &input_type, &input.type);
        input.optional = op_flag(read, value, "optional");
        input.list = op_flag(read, value, "list");
        input.doc = op_string(read, value, "doc", "a string");
    } else if (value->kind != JSON_STRING) {
        op_error(read, value, E_JSON_TYPE, "an input is a name or an object, but this is %s",
                 json_kind_name(value->kind));
        return;
    }
    if (name == NULL) return;
    input.name = op_name_of(read, name, "an input");
    if (input.name == NULL) return;
    if (op_find_input(op, input.name)) {
        op_error(read, name, E_DUPLICATE, "the input %Q is there already", name_str(input.name));
        return;
    }
    if (input.type.expr == NULL) input.type = op_first_type(read);
    *VEC_PUSH(read->arena, &op->inputs) = input;
}

void op_read_inputs(OpRead *read) {
    const Json *inputs = op_get(read->json, "inputs");
    if (inputs == NULL) return;
    if (!op_want(read, inputs, JSON_ARRAY, "inputs", "an array of inputs")) return;
    for (uint32_t i = 0; i < inputs->as.array.n; i++)
        read_input(read, &inputs->as.array.items[i]);
}

/* ---- outputs */

static const Json *output_objects(const OpRead *read, uint32_t *n) {
    const Json *outputs = op_get(read->json, "outputs");
    *n = outputs != NULL && outputs->kind == JSON_ARRAY ? outputs->as.array.n : 0;
    return *n == 0 ? NULL : outputs->as.array.items;
}

bool op_takes_nothing(const OpRead *read) {
    const Json *inputs = op_get(read->json, "inputs");
    return inputs != NULL && inputs->kind == JSON_ARRAY && inputs->as.array.n == 0;
}

bool op_output_has(const OpRead *read, uint32_t output, const char *key) {
    uint32_t n;
    const Json *items = output_objects(read, &n);
    return output < n && op_get(&items[output], key) != NULL;
}

static Name output_name(OpRead *read, const Json *value) {
    const Json *name = value;
    if (value->kind == JSON_OBJECT) {
        op_keys(read, value, "an output", "name type shape count doc");
        name = op_get(value, "name");
        if (name == NULL) op_error(read, value, E_MISSING, "this output has no \"name\"");
    } else if (value->kind != JSON_STRING) {
        op_error(read, value, E_JSON_TYPE, "an output is a name or an object, but this is %s",
                 json_kind_name(value->kind));
        return NULL;
    }
    if (name == NULL) return NULL;
    Name found = op_name_of(read, name, "an output");
    if (found == NULL) return NULL;
    const OpDef *op = read->op;
    const char *as = op_find_output(op, found)  ? "an output"
                     : op_find_input(op, found) ? "an input"
                     : op_find_attr(op, found)  ? "an attribute"
                                                : NULL;
    if (as == NULL) return found;
    op_error(read, name, E_DUPLICATE, "%Q is %s already", name_str(found), as);
    return NULL;
}

void op_read_outputs(OpRead *read) {
    OpDef *op = read->op;
    const Json *outputs = op_get(read->json, "outputs");
    uint32_t n;
    const Json *items = output_objects(read, &n);
    if (outputs != NULL && op_want(read, outputs, JSON_ARRAY, "outputs", "an array of outputs") && n == 0)
        op_error(read, outputs, E_BAD_VALUE, "an operator has an output");
    for (uint32_t i = 0; i < n; i++) {
        Name name = output_name(read, &items[i]);
        /* One that is wrong keeps its place, so that the others are checked as they are meant. */
        OpOutput output = {.name = name == NULL ? names_get(read->names, S("")) : name, .doc = S("")};
        *VEC_PUSH(read->arena, &op->outputs) = output;
    }
    if (outputs != NULL) return;
    Name y = names_get(read->names, S("y"));
    *VEC_PUSH(read->arena, &op->outputs) = (OpOutput){.name = y, .doc = S("")};
    if (op_find_input(op, y) == NULL && op_find_attr(op, y) == NULL) return;
    Diag *diag = diag_error(
        read->diags, E_DUPLICATE, span(read->source, op->from, op->to),
        "the output is called \"y\" where \"outputs\" is not given, and \"y\" is an input or attribute already");
    diag_hint(read->diags, diag, "write \"outputs\": [\"...\"]");
}

static void read_shape(OpRead *read, const Json *value, OpOutput *output, bool many) {
    unsigned see = SEE_INPUTS | SEE_ATTRS | SEE_TYPES;
    OpScope shape = {.what = "a shape", .see = see | IS_LIST, .extra = many ? "n" : NULL, .first = NULL};
    OpScope rank = {.what = "a rank", .see = see, .extra = many ? "n" : NULL, .first = NULL};
    OpScope size = {.what = "the size of dim k", .see = see, .extra = many ? "k n" : "k", .first = NULL};
    if (value->kind != JSON_OBJECT) {
        op_expr(read, value, &shape, &output->shape);
        return;
    }
    op_keys(read, value, "a shape by dims", "rank dim");
    static const char *const keys[] = {"rank", "dim"};
    for (int i = 0; i < 2; i++) {
        if (op_get(value, keys[i]) == NULL) op_error(read, value, E_MISSING, "this shape has no \"%s\"", keys[i]);
    }
    op_expr_member(read, value, "rank", &rank, &output->rank);
    op_expr_member(read, value, "dim", &size, &output->dim);
}

void op_read_output_types(OpRead *read) {
    OpDef *op = read->op;
    uint32_t n;
    const Json *items = output_objects(read, &n);
    for (uint32_t i = 0; i < op->outputs.n; i++) {
        OpOutput *output = &op->outputs.items[i];
        if (i < n && items[i].kind == JSON_OBJECT) {
            const Json *value = &items[i], *shape = op_get(value, "shape");
            bool many = op_get(value, "count") != NULL;
            OpScope type = {.what = "the type of an output",
                            .see = SEE_INPUTS | SEE_ATTRS | SEE_TYPES | IS_TYPE,
                            .extra = many ? "n" : NULL,
                            .first = NULL};
            OpScope count = {
                .what = "a count", .see = SEE_INPUTS | SEE_ATTRS | SEE_TYPES, .extra = NULL, .first = NULL};
            op_expr_member(read, value, "count", &count, &output->count);
            if (many && op->outputs.n > 1)
                op_error(read, op_get(value, "count"), E_BAD_VALUE,
                         "an output of several tensors is the operator's only one");
            op_expr_member(read, value, "type", &type, &output->type);
            if (shape != NULL) read_shape(read, shape, output, many);
            output->doc = op_string(read, value, "doc", "a string");
            if (op_get(value, "type") != NULL) continue;
        }
        output->type = op_first_type(read);
        if (!op_takes_nothing(read)) continue;
        Diag *diag = diag_error(read->diags, E_MISSING, span(read->source, op->from, op->to),
                                "the type of the output %Q is not known: there is no input that tells what %S is",
                                name_str(output->name), name_str(op->types.items[0].name));
        diag_hint(read->diags, diag, "write \"type\" into the output");
    }
}

/* ---- requirements, and inputs that are changed */

void op_read_requires(OpRead *read) {
    const Json *requires = op_get(read->json, "require");
    if (requires == NULL || !op_want(read, requires, JSON_ARRAY, "require", "an array of requirements")) return;
    for (uint32_t i = 0; i < requires->as.array.n; i++) {
        const Json *value = &requires->as.array.items[i];
        if (value->kind != JSON_OBJECT) {
            Diag *diag = op_error(read, value, E_JSON_TYPE, "a requirement is an object, but this is %s",
                                  json_kind_name(value->kind));
            diag_hint(read->diags, diag, "write {\"that\": \"...\", \"else\": \"...\"}");
            continue;
        }
        op_keys(read, value, "a requirement", "that else");
        static const char *const keys[] = {"that", "else"};
        for (int k = 0; k < 2; k++) {
            if (op_get(value, keys[k]) == NULL)
                op_error(read, value, E_MISSING, "this requirement has no \"%s\"", keys[k]);
        }
        OpRequire require = {.otherwise = op_string(read, value, "else", "a message")};
        bool good = op_expr_member(read, value, "that", &requirement, &require.that);
        const Json *otherwise = op_get(value, "else");
        if (otherwise != NULL && otherwise->kind == JSON_STRING) {
            if (otherwise->as.s.n == 0)
                op_error(read, otherwise, E_BAD_VALUE, "the message is empty");
            else
                op_message(read, otherwise, &requirement);
        }
        if (good && require.that.expr != NULL) *VEC_PUSH(read->arena, &read->op->requires) = require;
    }
}

void op_read_mutates(OpRead *read) {
    OpDef *op = read->op;
    if (op->name->n == 0) return; /* what it means depends on the name */
    const Json *mutates = op_get(read->json, "mutates");
    bool named = str_ends(name_str(op->name), S("_"));
    if (mutates != NULL && op_want(read, mutates, JSON_ARRAY, "mutates", "an array of inputs' names")) {
        for (uint32_t i = 0; i < mutates->as.array.n; i++) {
            const Json *value = &mutates->as.array.items[i];
            if (value->kind != JSON_STRING) {
                op_error(read, value, E_JSON_TYPE, "what is changed is an input's name, but this is %s",
                         json_kind_name(value->kind));
                continue;
            }
            Name name = names_get(read->names, value->as.s);
            if (op_find_input(op, name)) {
                *VEC_PUSH(read->arena, &op->mutates) = name;
                continue;
            }
            Diag *diag = op_error(read, value, E_UNKNOWN_NAME, "there is no input %Q", value->as.s);
            Str *names = ARENA_ARRAY(read->arena, Str, op->inputs.n);
            for (uint32_t k = 0; k < op->inputs.n; k++)
                names[k] = name_str(op->inputs.items[k].name);
            diag_suggest(read->diags, diag, value->as.s, names, op->inputs.n);
        }
        if (mutates->as.array.n == 0) op_error(read, mutates, E_BAD_VALUE, "\"mutates\" names no input");
    }
    if (mutates != NULL && !named) {
        Diag *diag = diag_error(read->diags, E_BAD_NAME, span(read->source, op->from, op->to),
                                "%Q changes an input, and the name of such an operator ends in _", name_str(op->name));
        diag_hint(read->diags, diag, "call it \"%S_\"", name_str(op->name));
    }
    if (mutates == NULL && named) {
        Diag *diag = diag_error(read->diags, E_BAD_NAME, span(read->source, op->from, op->to),
                                "%Q ends in _, which says that it changes an input, but it has no \"mutates\"",
                                name_str(op->name));
        if (op->inputs.n > 0)
            diag_hint(read->diags, diag, "write \"mutates\": [%Q]", name_str(op->inputs.items[0].name));
    }
}

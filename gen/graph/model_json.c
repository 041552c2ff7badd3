/* model_json.c: JSON values as models have them.
 *
 * The small checks that every part of the reader makes: is it of this kind, are its keys known, may this be a name, is
 * the name free. Each says what was wanted and what was got, and the reader goes on.
 */
#include "graph/model.h"

Diag *model_error(Model *model, const Json *at, DiagCode code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = diag_vadd(model->diags, DIAG_ERROR, code, span(model->source, at->from, at->to), format, args);
    va_end(args);
    return diag;
}

bool model_want(Model *model, const Json *got, JsonKind kind, const char *key, const char *wanted) {
    if (got->kind == kind) return true;
    model_error(model, got, E_JSON_TYPE, "\"%s\" is %s, but this is %s", key, wanted, json_kind_name(got->kind));
    return false;
}

static void unknown_key(Model *model, const JsonMember *member, const char *what, unsigned known) {
    Str names[KEY_COUNT];
    size_t n = 0;
    Buf all;
    buf_init(&all, model->scratch);
    for (unsigned key = 0; key < KEY_COUNT; key++) {
        if (!(known & (1u << key))) continue;
        names[n++] = name_str(model->keys[key]);
        buf_format(&all, n == 1 ? "%S" : ", %S", name_str(model->keys[key]));
    }
    Str key = name_str(member->key);
    Diag *diag = diag_error(model->diags, E_UNKNOWN_KEY, span(model->source, member->from, member->to),
                            "%s has no key %Q", what, key);
    if (!diag_suggest(model->diags, diag, key, names, n))
        diag_hint(model->diags, diag, "its keys are: %S", buf_str(&all));
}

bool model_fields(Model *model, const Json *object, const char *what, unsigned known, Fields *fields) {
    *fields = (Fields){{NULL}};
    if (object->kind != JSON_OBJECT) {
        model_error(model, object, E_JSON_TYPE, "%s is an object, but this is %s", what, json_kind_name(object->kind));
        return false;
    }
    for (uint32_t i = 0; i < object->as.object.n; i++) {
        const JsonMember *member = &object->as.object.members[i];
        unsigned key = 0;
        while (key < KEY_COUNT && (model->keys[key] != member->key || !(known & (1u << key))))
            key++;
        if (key < KEY_COUNT)
            fields->of[key] = member;
        else
            unknown_key(model, member, what, known);
    }
    if (fields->of[KEY_DOC] != NULL) model_want(model, &fields->of[KEY_DOC]->value, JSON_STRING, "doc", "a string");
    return true;
}

/* ---- names */

Name model_name(Model *model, Str text, uint32_t from, uint32_t to, const char *what) {
    enum { MOST = 200 }; /* with what is added to it a file's name may have 255 */
    Span at = span(model->source, from, to);
    const char *why;
    if (text.n > MOST) {
        diag_error(model->diags, E_BAD_NAME, at, "%.30Q cannot be the name of %s: a name has at most %d letters", text,
                   what, MOST);
    } else if (!is_identifier(text)) {
        Diag *diag = diag_error(model->diags, E_BAD_NAME, at, "%Q cannot be the name of %s", text, what);
        diag_hint(model->diags, diag, "a name is letters, digits and single _, and begins with a letter");
    } else if ((why = reserved_why(text)) != NULL) {
        Diag *diag = diag_error(model->diags, E_BAD_NAME, at, "%Q cannot be the name of %s: it is %s", text, what, why);
        diag_hint(model->diags, diag, "names stand in the generated sources");
    }
    return names_get(model->names, text);
}

const char *model_role_name(const Tensor *tensor) {
    switch (tensor->role) {
    case TENSOR_INPUT:
        return "an input";
    case TENSOR_PARAM:
        return "a param";
    case TENSOR_RESULT:
        break;
    }
    return "the result of a node";
}

bool model_is_new(Model *model, Name name, Span at, const char *what) {
    const Tensor *tensor = map_get(&model->tensors, name);
    uintptr_t dim = (uintptr_t)map_get(&model->dims, name);
    if (tensor == NULL && dim == 0) return true;
    Diag *diag = diag_error(model->diags, E_DUPLICATE, at, "%Q cannot name %s, because it names %s", name_str(name),
                            what, dim != 0 ? "a dim" : model_role_name(tensor));
    Span there = dim != 0 ? model->graph->dims.items[dim - 1].place : tensor->place;
    if (there.source != NULL) diag_note(model->diags, diag, there, "here");
    return false;
}

/* ---- suggestions. A finding that is not kept (its text is empty then) needs none. */

void model_suggest_tensor(Model *model, Diag *diag, Str wrong) {
    if (diag->text.p == NULL) return;
    if (model->tensor_names.n == 0) {
        for (uint32_t i = 0; i < model->tensors.n; i++)
            *VEC_PUSH(model->scratch, &model->tensor_names) = name_str(model->tensors.entries[i].key);
    }
    diag_suggest(model->diags, diag, wrong, model->tensor_names.items, model->tensor_names.n);
}

void model_suggest_dim(Model *model, Diag *diag, Str wrong) {
    if (diag->text.p == NULL) return;
    Str *names = ARENA_ARRAY(model->scratch, Str, model->dims.n);
    for (uint32_t i = 0; i < model->dims.n; i++)
        names[i] = name_str(model->dims.entries[i].key);
    diag_suggest(model->diags, diag, wrong, names, model->dims.n);
}

void model_suggest_op(Model *model, Diag *diag, Str wrong) {
    if (diag->text.p == NULL) return;
    if (model->op_names.n == 0)
        model->op_names.items = optable_names(model->graph->ops, model->scratch, &model->op_names.n);
    diag_suggest(model->diags, diag, wrong, model->op_names.items, model->op_names.n);
}

/* model_attrs.c: the attributes of a node, checked against the opdef and completed with its defaults.
 *
 * Where an attribute takes an integer, a model may write a dim: `"shape": ["2*batch", -1]`. The opdef's check knows
 * nothing of dims, so it gets a number in its place, and the dim is put into what comes out.
 */
#include "graph/model.h"

static bool takes_dims(const OpAttr *attr) {
    return attr->type == ATTR_INT || (attr->type == ATTR_LIST && attr->of == ATTR_INT);
}

static bool has_dim(const Json *given) {
    if (given->kind == JSON_STRING) return true;
    for (uint32_t i = 0; given->kind == JSON_ARRAY && i < given->as.array.n; i++)
        if (given->as.array.items[i].kind == JSON_STRING) return true;
    return false;
}

/* A word that may stand in the place of a list; any other text is an expression over dims. */
static bool is_word(const OpAttr *attr, const Json *given) {
    if (!opattr_is_word(attr, given)) return false;
    for (uint32_t i = 0; i < attr->values->as.array.n; i++)
        if (str_eq(attr->values->as.array.items[i].as.s, given->as.s)) return true;
    return false;
}

static Json number_for(const Json *text) {
    return (Json){.kind = JSON_INT, .from = text->from, .to = text->to, .as = {.i = 1}};
}

/* One with dims in it. */
static bool read_with_dims(Model *model, const OpAttr *attr, const Json *given, RuleValue *out) {
    Json numbers = *given, checked;
    uint32_t n = given->kind == JSON_ARRAY ? given->as.array.n : 1;
    const Json *items = given->kind == JSON_ARRAY ? given->as.array.items : given;
    SymRef *dims = ARENA_ARRAY(model->scratch, SymRef, n);
    bool good = true;
    if (given->kind == JSON_ARRAY) numbers.as.array.items = ARENA_ARRAY(model->scratch, Json, n);
    for (uint32_t i = 0; i < n; i++) {
        Json *number = given->kind == JSON_ARRAY ? &numbers.as.array.items[i] : &numbers;
        *number = items[i];
        if (items[i].kind != JSON_STRING) continue;
        *number = number_for(&items[i]);
        good = model_expression(model, &items[i], &dims[i]) && good;
    }
    if (!opattr_value(model->arena, attr, model->source, &numbers, model->diags, &checked) || !good) return false;
    *out = rule_of_json(&model->graph->rules, &checked);
    if (out->kind == RULE_INT) out->as.i = dims[0];
    for (uint32_t i = 0; out->kind == RULE_LIST && i < out->as.list.n; i++) {
        SymRef dim = dims[n == 1 ? 0 : i]; /* one that is spread stands for all */
        if (dim != NULL) out->as.list.items[i].as.i = dim;
    }
    return true;
}

static bool read_attr(Model *model, const OpAttr *attr, const Json *given, RuleValue *out) {
    if (takes_dims(attr) && has_dim(given) && !is_word(attr, given)) return read_with_dims(model, attr, given, out);
    Json checked;
    if (!opattr_value(model->arena, attr, model->source, given, model->diags, &checked)) return false;
    *out = graph_attr_value(model->graph, attr, &checked);
    return true;
}

static void unknown_attr(Model *model, const OpDef *op, const JsonMember *member) {
    Diag *diag = diag_error(model->diags, E_UNKNOWN_NAME, span(model->source, member->from, member->to),
                            "op %Q has no attribute %Q", name_str(op->name), name_str(member->key));
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        if (op->inputs.items[i].name != member->key) continue;
        diag_hint(model->diags, diag, "it is an input: write it into \"in\"");
        return;
    }
    Str *names = ARENA_ARRAY(model->scratch, Str, op->attrs.n);
    Buf all;
    buf_init(&all, model->scratch);
    for (uint32_t i = 0; i < op->attrs.n; i++) {
        names[i] = name_str(op->attrs.items[i].name);
        buf_format(&all, i == 0 ? "%S" : ", %S", names[i]);
    }
    if (diag_suggest(model->diags, diag, name_str(member->key), names, op->attrs.n)) return;
    if (op->attrs.n == 0)
        diag_hint(model->diags, diag, "it has none");
    else
        diag_hint(model->diags, diag, "there are: %S", buf_str(&all));
}

bool model_attrs(Model *model, ModelNode *at) {
    Node *node = at->node;
    const OpDef *op = node->op;
    bool good = true;
    const Json *given = at->attrs;
    bool *set = ARENA_ARRAY(model->scratch, bool, op->attrs.n);
    if (given != NULL && !model_want(model, given, JSON_OBJECT, "attrs", "an object of attributes")) return false;
    for (uint32_t k = 0; given != NULL && k < given->as.object.n; k++) {
        const JsonMember *member = &given->as.object.members[k];
        uint32_t i = 0;
        while (i < op->attrs.n && op->attrs.items[i].name != member->key)
            i++;
        if (i == op->attrs.n) {
            unknown_attr(model, op, member);
            good = false;
            continue;
        }
        set[i] = true;
        if (!read_attr(model, &op->attrs.items[i], &member->value, &node->attrs[i])) good = false;
    }
    for (uint32_t i = 0; i < op->attrs.n; i++) {
        const OpAttr *attr = &op->attrs.items[i];
        if (set[i]) continue;
        if (!attr->required) {
            node->attrs[i] = graph_attr_value(model->graph, attr, attr->fallback);
            continue;
        }
        diag_error(model->diags, E_MISSING, node->place, "op %Q needs attribute %Q", name_str(op->name),
                   name_str(attr->name));
        good = false;
    }
    return good;
}

/* model_nodes.c: the nodes of a model: which operator, what goes in, what comes out.
 *
 * "in" and "out" have the same forms: a name, an array in the opdef's order, or an object by the opdef's names; null
 * leaves one out. They are taken apart here into slots, one for each input or output of the operator, once for names
 * that are made and, after all of them are known, once for names that are read. A map takes a number or a truth where
 * it takes a tensor: it becomes a literal in the map's code, so no other kind of operator does.
 */
#include "graph/model.h"

#include "template/value/value.h"

typedef struct Slot {
    const Json *value; /* NULL: not given */
    const Json *items; /* the names, which may be null */
    uint32_t n;
    bool number; /* instead of a name: the value */
} Slot;

/* One side of an operator. */
typedef struct Side {
    const OpDef *op;
    bool in;
    const char *what; /* "input" */
    uint32_t n;
} Side;

static Side side_of(const OpDef *op, bool in) {
    return (Side){op, in, in ? "input" : "output", in ? op->inputs.n : op->outputs.n};
}

static Name slot_name(const Side *side, uint32_t i) {
    return side->in ? side->op->inputs.items[i].name : side->op->outputs.items[i].name;
}

static bool slot_is_list(const Side *side, uint32_t i) {
    return side->in ? side->op->inputs.items[i].list : side->op->outputs.items[i].count.expr != NULL;
}

static bool is_name_or_null(const Json *value) { return value->kind == JSON_STRING || value->kind == JSON_NULL; }

static bool is_number(const Json *value) {
    return value->kind == JSON_BOOL || value->kind == JSON_INT || value->kind == JSON_BIGINT ||
           value->kind == JSON_FLOAT;
}

static Str shown_slot(Model *model, const Side *side, uint32_t i) {
    return str_format(model->scratch, "%s %Q of op %Q", side->what, name_str(slot_name(side, i)),
                      name_str(side->op->name));
}

/* A number where it cannot be. */
static void say_no_number(Model *model, const Side *side, uint32_t i, const Json *value) {
    Diag *diag = model_error(model, value, E_JSON_TYPE, "%S is a tensor, named by a string, but this is %s",
                             shown_slot(model, side, i), json_kind_name(value->kind));
    if (side->op->kind != KIND_MAP)
        diag_hint(model->diags, diag, "only operators that go element by element take numbers: those of kind map");
    else if (graph_mutates(side->op, i))
        diag_hint(model->diags, diag, "the op writes into it");
}

static bool fill_slot(Model *model, const Side *side, uint32_t i, const Json *value, Slot *slot) {
    *slot = (Slot){.value = value};
    if (value->kind == JSON_NULL) return true;
    if (value->kind == JSON_STRING) {
        slot->items = value, slot->n = 1;
        return true;
    }
    if (side->in && !slot_is_list(side, i) && is_number(value)) {
        slot->number = side->op->kind == KIND_MAP && !graph_mutates(side->op, i);
        if (!slot->number) say_no_number(model, side, i, value);
        return slot->number;
    }
    if (value->kind != JSON_ARRAY || !slot_is_list(side, i)) {
        model_error(model, value, E_JSON_TYPE,
                    slot_is_list(side, i) ? "%S is a name or an array of names, but this is %s"
                                          : "%S is one tensor, named by a string, but this is %s",
                    shown_slot(model, side, i), json_kind_name(value->kind));
        return false;
    }
    slot->items = value->as.array.items, slot->n = value->as.array.n;
    bool good = true;
    for (uint32_t k = 0; k < slot->n; k++) {
        if (slot->items[k].kind == JSON_STRING || (slot->items[k].kind == JSON_NULL && !side->in)) continue;
        model_error(model, &slot->items[k], E_JSON_TYPE, "%S is a list of names, but this is %s",
                    shown_slot(model, side, i), json_kind_name(slot->items[k].kind));
        good = false;
    }
    return good;
}

static bool surplus(Model *model, const Side *side, const Json *at, uint32_t got) {
    Str name = name_str(side->op->name);
    if (side->n == 0)
        model_error(model, at, E_BAD_VALUE, "op %Q has no %ss", name, side->what);
    else
        model_error(model, at, E_BAD_VALUE, "op %Q has %u %s%s, but this is number %u", name, (unsigned)side->n,
                    side->what, side->n == 1 ? "" : "s", (unsigned)got);
    return false;
}

/* No slot of this name: perhaps it is another one, or an attribute. */
static void unknown_slot(Model *model, const Side *side, const JsonMember *member) {
    const OpDef *op = side->op;
    Str *names = ARENA_ARRAY(model->scratch, Str, side->n);
    for (uint32_t i = 0; i < side->n; i++)
        names[i] = name_str(slot_name(side, i));
    Diag *diag = diag_error(model->diags, E_UNKNOWN_NAME, span(model->source, member->from, member->to),
                            "op %Q has no %s %Q", name_str(op->name), side->what, name_str(member->key));
    for (uint32_t i = 0; side->in && i < op->attrs.n; i++) {
        if (op->attrs.items[i].name != member->key) continue;
        diag_hint(model->diags, diag, "it is an attribute: write it into \"attrs\"");
        return;
    }
    if (!diag_suggest(model->diags, diag, name_str(member->key), names, side->n) && side->n == 1)
        diag_hint(model->diags, diag, "its only %s is %Q", side->what, names[0]);
}

static bool fill_by_name(Model *model, const Side *side, const Json *given, Slot *slots) {
    bool good = true;
    for (uint32_t k = 0; k < given->as.object.n; k++) {
        const JsonMember *member = &given->as.object.members[k];
        uint32_t i = 0;
        while (i < side->n && slot_name(side, i) != member->key)
            i++;
        if (i == side->n) {
            unknown_slot(model, side, member);
            good = false;
        } else if (!fill_slot(model, side, i, &member->value, &slots[i])) {
            good = false;
        }
    }
    return good;
}

static bool fill_by_place(Model *model, const Side *side, const Json *given, Slot *slots) {
    uint32_t n = given->as.array.n;
    /* The only one is a list: its names may stand in the array itself. */
    bool flat = side->n == 1 && slot_is_list(side, 0);
    for (uint32_t i = 0; i < n && flat; i++)
        flat = is_name_or_null(&given->as.array.items[i]);
    if (flat) return fill_slot(model, side, 0, given, &slots[0]);
    bool good = true;
    for (uint32_t i = 0; i < n; i++) {
        const Json *item = &given->as.array.items[i];
        if (i >= side->n) return surplus(model, side, item, i + 1);
        good = fill_slot(model, side, i, item, &slots[i]) && good;
    }
    return good;
}

/* False after findings; what could be understood is in the slots all the same. */
static bool fill_slots(Model *model, const Side *side, const Json *given, Slot *slots) {
    if (given == NULL) return true;
    switch (given->kind) {
    case JSON_STRING:
        return side->n > 0 ? fill_slot(model, side, 0, given, &slots[0]) : surplus(model, side, given, 1);
    case JSON_ARRAY:
        return fill_by_place(model, side, given, slots);
    case JSON_OBJECT:
        return fill_by_name(model, side, given, slots);
    default:
        break;
    }
    model_error(model, given, E_JSON_TYPE, "\"%s\" is a name, an array of names or an object of names, but this is %s",
                side->in ? "in" : "out", json_kind_name(given->kind));
    return false;
}

/* Every name in it, whatever they stand for: of a node whose operator is not known, or behind a finding. */
typedef VEC(const Json *) Strings;

static void all_strings(Model *model, const Json *given, Strings *out) {
    if (given == NULL) return;
    uint32_t n = given->kind == JSON_ARRAY ? given->as.array.n : given->kind == JSON_OBJECT ? given->as.object.n : 0;
    if (given->kind == JSON_STRING) *VEC_PUSH(model->scratch, out) = given;
    for (uint32_t i = 0; i < n; i++) {
        const Json *item = given->kind == JSON_ARRAY ? &given->as.array.items[i] : &given->as.object.members[i].value;
        if (item->kind == JSON_STRING) *VEC_PUSH(model->scratch, out) = item;
        for (uint32_t k = 0; item->kind == JSON_ARRAY && k < item->as.array.n; k++)
            if (item->as.array.items[k].kind == JSON_STRING) *VEC_PUSH(model->scratch, out) = &item->as.array.items[k];
    }
}

/* ---- what nodes make */

/* A name that is taken gets a finding, and the node a result that nobody can name. */
static Tensor *declare(Model *model, const Json *text) {
    Name name = model_name(model, text->as.s, text->from, text->to, "a result");
    Span at = span(model->source, text->from, text->to);
    RuleTensor type = {.dtype = NO_TYPE};
    bool fresh = model_is_new(model, name, at, "the result of a node");
    Tensor *tensor = graph_tensor(model->graph, name, TENSOR_RESULT, type, at);
    if (!fresh) return tensor;
    map_set(&model->tensors, name, tensor);
    return tensor;
}

/* Whatever is named is declared, so that those who read it are not blamed. */
static void declare_loosely(Model *model, const Json *out) {
    Strings strings = {0};
    all_strings(model, out, &strings);
    for (uint32_t i = 0; i < strings.n; i++)
        declare(model, strings.items[i]);
}

/* Makes the node itself, without inputs yet. NULL after findings. */
static Node *declare_results(Model *model, const OpDef *op, const Json *out, Span at) {
    Side side = side_of(op, false);
    Slot *slots = ARENA_ARRAY(model->scratch, Slot, side.n);
    uint32_t *counts = ARENA_ARRAY(model->scratch, uint32_t, side.n);
    if (out == NULL) {
        Diag *diag = diag_error(model->diags, E_MISSING, at, "this node has no \"out\"");
        diag_hint(model->diags, diag, "name what it makes: \"out\": \"y\"");
        return NULL;
    }
    if (!fill_slots(model, &side, out, slots)) return NULL;
    for (uint32_t i = 0; i < side.n; i++)
        counts[i] = slot_is_list(&side, i) ? slots[i].n : 1;
    Node *node = graph_new_node(model->graph, op, NULL, counts, at);
    uint32_t k = 0;
    for (uint32_t i = 0; i < side.n; k += counts[i], i++)
        for (uint32_t j = 0; j < slots[i].n; j++)
            if (slots[i].items[j].kind == JSON_STRING) node->outputs[k + j] = declare(model, &slots[i].items[j]);
    return node;
}

static const OpDef *find_op(Model *model, const Json *json, const JsonMember *member) {
    if (member == NULL) {
        diag_error(model->diags, E_MISSING, span(model->source, json->from, json->from + 1), "this node has no \"op\"");
        return NULL;
    }
    const Json *value = &member->value;
    if (!model_want(model, value, JSON_STRING, "op", "the name of an operator")) return NULL;
    Name name = names_get(model->names, value->as.s);
    const OpDef *op = optable_get(model->graph->ops, name);
    if (op != NULL) return op;
    Diag *diag = model_error(model, value, E_UNKNOWN_NAME, "there is no op %Q", value->as.s);
    model_suggest_op(model, diag, value->as.s);
    return NULL;
}

static void read_node(Model *model, const Json *json) {
    Fields fields;
    if (!model_fields(model, json, "a node", KEY(OP) | KEY(IN) | KEY(OUT) | KEY(ATTRS) | KEY(DOC), &fields)) return;
    const OpDef *op = find_op(model, json, fields.of[KEY_OP]);
    const JsonMember *in = fields.of[KEY_IN], *out = fields.of[KEY_OUT], *attrs = fields.of[KEY_ATTRS];
    ModelNode at = {.in = in == NULL ? NULL : &in->value, .attrs = attrs == NULL ? NULL : &attrs->value};
    Span place = fields.of[KEY_OP] == NULL
                     ? span(model->source, json->from, json->from + 1)
                     : span(model->source, fields.of[KEY_OP]->value.from, fields.of[KEY_OP]->value.to);
    uint32_t before = model->graph->tensors.n;
    if (op != NULL) at.node = declare_results(model, op, out == NULL ? NULL : &out->value, place);
    if (at.node == NULL) {
        at.failed = true;
        at.node = graph_new_node(model->graph, op, NULL, NULL, place);
        declare_loosely(model, out == NULL ? NULL : &out->value);
        at.node->output_n = model->graph->tensors.n - before; /* for findings to name it by */
        at.node->outputs =
            arena_copy(model->arena, model->graph->tensors.items + before, at.node->output_n * sizeof(Tensor *));
    }
    for (uint32_t i = before; i < model->graph->tensors.n; i++)
        model->graph->tensors.items[i]->producer = at.node;
    at.node->number = model->nodes.n;
    *VEC_PUSH(model->scratch, &model->nodes) = at;
}

void model_read_nodes(Model *model, const Json *nodes) {
    if (!model_want(model, nodes, JSON_ARRAY, "nodes", "an array of nodes")) return;
    for (uint32_t i = 0; i < nodes->as.array.n; i++)
        read_node(model, &nodes->as.array.items[i]);
}

/* ---- what nodes read */

static Tensor *resolve(Model *model, const Json *text) {
    Name name = names_find(model->names, text->as.s);
    Tensor *tensor = name == NULL ? NULL : map_get(&model->tensors, name);
    if (tensor != NULL) return tensor;
    if (name != NULL && map_get(&model->dims, name) != NULL) {
        model_error(model, text, E_UNKNOWN_NAME, "%Q is a dim, not a tensor", text->as.s);
        return NULL;
    }
    Diag *diag = model_error(model, text, E_UNKNOWN_NAME, "nothing declares or makes %Q", text->as.s);
    model_suggest_tensor(model, diag, text->as.s);
    return NULL;
}

static void link_loosely(Model *model, ModelNode *at) {
    Strings strings = {0};
    all_strings(model, at->in, &strings);
    at->reads = ARENA_ARRAY(model->scratch, Tensor *, strings.n);
    for (uint32_t i = 0; i < strings.n; i++) {
        Tensor *tensor = resolve(model, strings.items[i]);
        if (tensor != NULL) at->reads[at->read_n++] = tensor;
    }
}

static RuleScalar scalar_of(Model *model, const Json *value) {
    RuleScalar scalar = {.dtype = DT_I64, .at = span(model->source, value->from, value->to)};
    Buf text;
    buf_init(&text, model->arena);
    if (value->kind == JSON_BOOL) {
        buf_add(&text, value->as.b ? S("true") : S("false"));
        scalar.dtype = DT_BOOL;
    } else if (value->kind == JSON_FLOAT) {
        float_repr(&text, value->as.f);
        scalar.dtype = DT_F32;
    } else if (value->kind == JSON_INT) {
        buf_int(&text, value->as.i);
    } else {
        buf_add(&text, value->as.s);
    }
    scalar.text = buf_str(&text);
    return scalar;
}

/* Numbers alone have no shape and no dtype of their own: something is a tensor. */
static bool take_numbers(Model *model, const ModelNode *at, const Slot *slots) {
    const OpDef *op = at->node->op;
    const Json *first = NULL;
    uint32_t tensors = 0;
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        tensors += slots[i].n;
        if (!slots[i].number) continue;
        if (first == NULL) at->node->scalars = ARENA_ARRAY(model->arena, RuleScalar, op->inputs.n);
        if (first == NULL) first = slots[i].value;
        at->node->scalars[i] = scalar_of(model, slots[i].value);
    }
    if (first == NULL || tensors > 0) return true;
    model_error(model, first, E_MISSING, "at least one input of op %Q has to be a tensor", name_str(op->name));
    return false;
}

static bool has_all(Model *model, const ModelNode *at, const Slot *slots) {
    const OpDef *op = at->node->op;
    bool good = true;
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const OpInput *input = &op->inputs.items[i];
        if (slots[i].n > 0 || slots[i].number || input->optional) continue;
        bool empty = slots[i].value != NULL && slots[i].value->kind == JSON_ARRAY;
        Span place =
            slots[i].value == NULL ? at->node->place : span(model->source, slots[i].value->from, slots[i].value->to);
        diag_error(model->diags, E_MISSING, place,
                   empty ? "op %Q takes at least one tensor as input %Q" : "op %Q needs input %Q", name_str(op->name),
                   name_str(input->name));
        good = false;
    }
    return good;
}

static void link_inputs(Model *model, ModelNode *at) {
    Node *node = at->node;
    Side side = side_of(node->op, true);
    Slot *slots = ARENA_ARRAY(model->scratch, Slot, side.n);
    bool good = fill_slots(model, &side, at->in, slots);
    if (!good) {
        link_loosely(model, at);
        at->failed = true;
        return;
    }
    if (!has_all(model, at, slots) || !take_numbers(model, at, slots)) at->failed = true;
    uint32_t *counts = ARENA_ARRAY(model->scratch, uint32_t, side.n), all = 0;
    for (uint32_t i = 0; i < side.n; i++)
        all += counts[i] = slots[i].n;
    graph_set_counts(model->graph, node, counts);
    at->reads = ARENA_ARRAY(model->scratch, Tensor *, all);
    for (uint32_t i = 0; i < side.n; i++) {
        for (uint32_t k = 0; k < slots[i].n; k++) {
            Tensor *tensor = resolve(model, &slots[i].items[k]);
            node->inputs[i][k] = tensor;
            if (tensor == NULL) at->failed = true;
            if (tensor != NULL) at->reads[at->read_n++] = tensor;
        }
    }
}

void model_link_nodes(Model *model) {
    for (uint32_t i = 0; i < model->nodes.n; i++) {
        ModelNode *at = &model->nodes.items[i];
        if (at->node->op == NULL) {
            link_loosely(model, at);
            continue;
        }
        link_inputs(model, at);
        if (!model_attrs(model, at)) at->failed = true;
    }
}

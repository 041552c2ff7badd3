/* rewrite_match.c: whether a rule matches at a node.
 *
 * From the rule's last node to its first: each feeds one that stands behind it, so that when it is its turn the node of
 * the graph that it has to be is known. Only where operands may be exchanged there are two ways, and the second is
 * taken where the first leads nowhere. A rule has few nodes, so what is tried is bounded whatever the graph is.
 */
#include "pass/rewrite.h"

#include <math.h>
#include <stdlib.h>

/* ---- numbers */

/* What every element of the tensor is: of a map without tensors whose expression is a rule. */
static bool tensor_number(Match *match, const Tensor *tensor, RuleValue *value) {
    Rewriting *on = match->on;
    const Node *node = tensor->producer;
    if (node == NULL || node->op->kind != KIND_MAP || node->op->mutates.n > 0 || node->scalars != NULL) return false;
    if (node->output_n != node->op->body.n) return false;
    RuleCall call = graph_call(on->graph, node);
    const OpExpr *body = &node->op->body.items[tensor->index].value;
    return rule_of_elements(&on->rules, node->op, body, body->expr, rule_scope(&on->rules, &call, NULL), value) &&
           (value->kind == RULE_FLOAT || (value->kind == RULE_INT && sym_is_int(value->as.i, &(int64_t){0})));
}

/* A number of the model's text. */
static bool scalar_number(Match *match, const RuleScalar *scalar, RuleValue *value) {
    Syms *syms = &match->on->graph->syms;
    char *end;
    const char *text = str_to_c(match->on->scratch, scalar->text);
    if (scalar->dtype == DT_I64) {
        *value = (RuleValue){.kind = RULE_INT, .as.i = sym_int(syms, strtoll(text, &end, 10))};
    } else if (scalar->dtype == DT_F32) {
        *value = (RuleValue){.kind = RULE_FLOAT, .as.f = strtod(text, &end)};
    } else {
        return false;
    }
    return *end == '\0';
}

static double as_double(const RuleValue *value) {
    int64_t i = 0;
    if (value->kind == RULE_FLOAT) return value->as.f;
    return sym_is_int(value->as.i, &i) ? (double)i : 0;
}

/* A number that binary floats hold is meant exactly, with its sign; any other as the dtype rounds it. */
static bool is_number(double got, double wanted, Dtype dtype) {
    if (wanted * 1024 == floor(wanted * 1024)) return got == wanted && signbit(got) == signbit(wanted);
    double off = dtype == DT_BF16 ? 0x1p-8 : dtype == DT_F16 ? 0x1p-11 : 1e-6;
    return fabs(got - wanted) <= off * fabs(wanted);
}

/* ---- values */

static bool same_value(const RuleValue *a, const RuleValue *b) {
    bool numbers = (a->kind == RULE_INT || a->kind == RULE_FLOAT) && (b->kind == RULE_INT || b->kind == RULE_FLOAT);
    int64_t i;
    Dtype dtype;
    if (numbers && a->kind == b->kind && a->kind == RULE_INT) return a->as.i == b->as.i;
    if (numbers)
        return (a->kind == RULE_FLOAT || sym_is_int(a->as.i, &i)) &&
               (b->kind == RULE_FLOAT || sym_is_int(b->as.i, &i)) && as_double(a) == as_double(b);
    if (a->kind == RULE_TEXT && b->kind == RULE_DTYPE) return dtype_parse(a->as.s, &dtype) && dtype == b->as.dtype;
    if (b->kind == RULE_TEXT && a->kind == RULE_DTYPE) return dtype_parse(b->as.s, &dtype) && dtype == a->as.dtype;
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case RULE_NONE:
        return true;
    case RULE_BOOL:
        return a->as.i == b->as.i;
    case RULE_TEXT:
        return str_eq(a->as.s, b->as.s);
    case RULE_DTYPE:
        return a->as.dtype == b->as.dtype;
    case RULE_LIST:
        break;
    default:
        return false;
    }
    bool same = a->as.list.n == b->as.list.n; /* lists of attributes hold no lists */
    for (uint32_t k = 0; same && k < a->as.list.n; k++)
        same = a->as.list.items[k].kind != RULE_LIST && same_value(&a->as.list.items[k], &b->as.list.items[k]);
    return same;
}

static bool bind_value(Match *match, uint32_t at, RuleValue value) {
    if (match->valued[at]) return same_value(&match->values[at], &value);
    match->values[at] = value;
    match->valued[at] = true;
    return true;
}

/* ---- what a node reads */

static bool bind_tensor(Match *match, uint32_t at, Tensor *tensor) {
    const RewriteTensor *named = &match->rewrite->tensors.items[at];
    if (match->left_out[at]) return false;
    if (match->tensors[at] != NULL) return match->tensors[at] == tensor;
    if (named->node != REWRITE_NONE) {
        Node *node = tensor->producer, **known = &match->nodes[named->node];
        if (node == NULL || node->op != match->rewrite->nodes.items[named->node].op) return false;
        if (tensor->index != named->output || (*known != NULL && *known != node)) return false;
        *known = node;
    }
    match->tensors[at] = tensor;
    return true;
}

static bool bind_input(Match *match, const Node *node, const RewriteInput *input, uint32_t at) {
    const RuleScalar *scalar = graph_scalar(node, at);
    RuleValue value;
    switch (input->take) {
    case TAKE_NOTHING:
        return scalar == NULL && node->counts[at] == 0;
    case TAKE_NUMBER:
    case TAKE_NAMED_NUMBER:
        if (scalar != NULL ? !scalar_number(match, scalar, &value)
                           : node->counts[at] != 1 || !tensor_number(match, node->inputs[at][0], &value))
            return false;
        if (input->take == TAKE_NAMED_NUMBER) return bind_value(match, input->attr, value);
        return is_number(as_double(&value), input->number, scalar != NULL ? DT_F32 : node->inputs[at][0]->type.dtype);
    case TAKE_TENSORS:
        break;
    }
    if (scalar != NULL) return false;
    if (node->counts[at] == 0 && input->n == 1 && match->rewrite->tensors.items[input->tensors[0]].optional) {
        match->left_out[input->tensors[0]] = true;
        return match->tensors[input->tensors[0]] == NULL;
    }
    if (node->counts[at] != input->n) return false;
    for (uint32_t k = 0; k < input->n; k++)
        if (!bind_tensor(match, input->tensors[k], node->inputs[at][k])) return false;
    return true;
}

static bool bind_inputs(Match *match, const Node *node, const RewriteNode *wanted, bool exchanged) {
    uint32_t said = 0;
    for (uint32_t i = 0; i < wanted->in.n; i++) {
        const RewriteInput *input = &wanted->in.items[i];
        uint32_t at = exchanged && input->at < 2 ? 1 - input->at : input->at;
        if (!bind_input(match, node, input, at)) return false;
        said++;
    }
    /* What the rule does not speak of is left out. */
    for (uint32_t i = 0; said < node->op->inputs.n && i < node->op->inputs.n; i++) {
        bool spoken = false;
        for (uint32_t k = 0; k < wanted->in.n; k++)
            spoken |= wanted->in.items[k].at == i;
        if (!spoken && (node->counts[i] > 0 || graph_scalar(node, i) != NULL)) return false;
    }
    return true;
}

/* ---- what is asked once all nodes are known */

static bool default_of(Match *match, const OpAttr *attr, RuleValue *value) {
    if (attr->fallback == NULL) return false;
    *value = rule_of_json(&match->on->rules, attr->fallback);
    return true;
}

static bool check_attrs(Match *match, bool names) {
    const Rewrite *rewrite = match->rewrite;
    for (uint32_t i = 0; i < rewrite->nodes.n; i++) {
        const RewriteNode *wanted = &rewrite->nodes.items[i];
        const Node *node = match->nodes[i];
        for (uint32_t k = 0; k < wanted->attrs.n; k++) {
            const RewriteAttr *attr = &wanted->attrs.items[k];
            if (attr->any) continue;
            if (names && attr->bind != REWRITE_NONE && !bind_value(match, (uint32_t)attr->bind, node->attrs[attr->at]))
                return false;
            if (names || attr->bind != REWRITE_NONE) continue;
            RuleValue value;
            const RuleScope *scope = rule_scope(&match->on->rules, &match->call, NULL);
            if (!rule_eval(&match->on->rules, &attr->value, scope, &value)) return false;
            if (!same_value(&value, &node->attrs[attr->at])) return false;
        }
        for (uint32_t k = 0; names && k < node->op->attrs.n; k++) {
            bool spoken = false;
            for (uint32_t m = 0; m < wanted->attrs.n; m++)
                spoken |= wanted->attrs.items[m].at == k;
            RuleValue value;
            if (spoken) continue;
            if (!default_of(match, &node->op->attrs.items[k], &value) || !same_value(&value, &node->attrs[k]))
                return false;
        }
    }
    return true;
}

/* The rule's composite over what was found. */
static void make_call(Match *match) {
    const Rewrite *rewrite = match->rewrite;
    Arena *scratch = match->on->scratch;
    const OpDef *made = rewrite->made;
    const RuleTensor **inputs = ARENA_ARRAY(scratch, const RuleTensor *, made->inputs.n + 1);
    uint32_t *counts = ARENA_ARRAY(scratch, uint32_t, made->inputs.n + 1);
    for (uint32_t i = 0; i < made->inputs.n; i++) {
        const Tensor *tensor = match->tensors[rewrite->made_from.items[i]];
        counts[i] = tensor != NULL;
        inputs[i] = tensor != NULL ? &tensor->type : NULL;
    }
    match->call = (RuleCall){.op = made, .inputs = inputs, .counts = counts, .attrs = match->values};
}

static bool is_matched(const Match *match, const Node *node) {
    for (uint32_t i = 0; i < match->rewrite->nodes.n; i++)
        if (match->nodes[i] == node) return true;
    return false;
}

/* Nobody else reads what a node makes that is to go. */
static bool is_ours(const Match *match, const Node *node) {
    for (uint32_t k = 0; k < node->output_n; k++) {
        const Tensor *tensor = node->outputs[k];
        if (tensor == NULL) continue;
        if (tensor->output) return false;
        for (uint32_t u = 0; u < tensor->uses.n; u++)
            if (!is_matched(match, tensor->uses.items[u].node)) return false;
    }
    return true;
}

/* Every result of the last node that somebody wants has a name, by which it is replaced. */
static bool has_names(const RewriteNode *wanted, const Node *node) {
    for (uint32_t k = 0; k < node->output_n; k++) {
        const Tensor *tensor = node->outputs[k];
        bool named = k < wanted->out.n && wanted->out.items[k] != REWRITE_NONE;
        if (!named && tensor != NULL && (tensor->output || tensor->uses.n > 0)) return false;
    }
    return true;
}

static bool check_all(Match *match) {
    const Rewrite *rewrite = match->rewrite;
    Rewriting *on = match->on;
    uint32_t last = rewrite->nodes.n - 1;
    for (uint32_t i = 0; i < last; i++)
        if (!rewrite->nodes.items[i].shared && !is_ours(match, match->nodes[i])) return false;
    if (!has_names(&rewrite->nodes.items[last], match->nodes[last])) return false;
    for (uint32_t i = 0; i < rewrite->tensors.n; i++) {
        const Tensor *tensor = match->tensors[i];
        if (tensor == NULL) continue;
        if (tensor->number < on->known && on->changed[tensor->number]) return false;
        if (rewrite->tensors.items[i].constant && !(tensor->number < on->known && on->constant[tensor->number]))
            return false;
    }
    if (!check_attrs(match, true)) return false;
    make_call(match);
    if (!check_attrs(match, false)) return false;
    if (rewrite->when.expr == NULL) return true;
    RuleValue when;
    const RuleScope *scope = rule_scope(&on->rules, &match->call, NULL);
    return rule_eval(&on->rules, &rewrite->when, scope, &when) && (when.kind == RULE_BOOL || when.kind == RULE_INT) &&
           sym_truth(when.as.i) == 1;
}

/* ---- the way through the rule's nodes */

static Match copy_of(const Match *match) {
    const Rewrite *rewrite = match->rewrite;
    Arena *scratch = match->on->scratch;
    Match copy = *match;
    copy.nodes = arena_copy(scratch, match->nodes, rewrite->nodes.n * sizeof *match->nodes);
    copy.tensors = arena_copy(scratch, match->tensors, rewrite->tensors.n * sizeof *match->tensors);
    copy.left_out = arena_copy(scratch, match->left_out, rewrite->tensors.n * sizeof *match->left_out);
    copy.values = arena_copy(scratch, match->values, rewrite->made->attrs.n * sizeof *match->values);
    copy.valued = arena_copy(scratch, match->valued, rewrite->made->attrs.n * sizeof *match->valued);
    return copy;
}

/* Nodes from `left` - 1 down; as deep as the rule has nodes, of which there are at most REWRITE_MOST_NODES. */
static bool match_nodes(Match *match, uint32_t left) {
    if (left == 0) return check_all(match);
    const RewriteNode *wanted = &match->rewrite->nodes.items[left - 1];
    const Node *node = match->nodes[left - 1];
    if (node == NULL) return false;
    Match other = {0};
    if (wanted->any_order) other = copy_of(match);
    if (bind_inputs(match, node, wanted, false) && match_nodes(match, left - 1)) return true;
    if (!wanted->any_order) return false;
    *match = other;
    return bind_inputs(match, node, wanted, true) && match_nodes(match, left - 1);
}

bool rewrite_matches(Rewriting *on, const Rewrite *rewrite, Node *node, Match *match) {
    Arena *scratch = on->scratch;
    const RewriteNode *last = &VEC_LAST(&rewrite->nodes);
    *match = (Match){.on = on, .rewrite = rewrite};
    match->nodes = ARENA_ARRAY(scratch, Node *, rewrite->nodes.n + 1);
    match->tensors = ARENA_ARRAY(scratch, Tensor *, rewrite->tensors.n + 1);
    match->left_out = ARENA_ARRAY(scratch, bool, rewrite->tensors.n + 1);
    match->values = ARENA_ARRAY(scratch, RuleValue, rewrite->made->attrs.n + 1);
    match->valued = ARENA_ARRAY(scratch, bool, rewrite->made->attrs.n + 1);
    match->nodes[rewrite->nodes.n - 1] = node;
    for (uint32_t k = 0; k < last->out.n && k < node->output_n; k++)
        if (last->out.items[k] != REWRITE_NONE) match->tensors[last->out.items[k]] = node->outputs[k];
    return match_nodes(match, rewrite->nodes.n);
}

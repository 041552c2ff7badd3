/* opdef_extras.c: what an operator may have besides its meaning: gradients, costs, candidates, backends, tests. */
#include "op/opdef_inner.h"

static void read_grad(OpRead *read) {
    OpDef *op = read->op;
    const Json *grad = op_get(read->json, "grad");
    if (grad == NULL || !op_want(read, grad, JSON_OBJECT, "grad", "an object of inputs and expressions")) return;
    /* Of a map it is a body; of the others, operators applied to tensors. */
    unsigned see = SEE_INPUTS | SEE_ATTRS | SEE_OUTPUTS | SEE_TYPES | SEE_LET | SEE_GRADS | IS_BODY;
    OpScope scope = {
        .what = "a gradient", .see = op->kind == KIND_MAP ? see : see | SEE_OPS, .extra = NULL, .first = NULL};
    /* The output itself is an element here, as dy is. */
    Buf outputs;
    buf_init(&outputs, read->arena);
    for (uint32_t i = 0; i < op->outputs.n; i++)
        buf_format(&outputs, i == 0 ? "%S" : " %S", name_str(op->outputs.items[i].name));
    if (op->kind == KIND_MAP) buf_add(&outputs, S(" index"));
    buf_char(&outputs, '\0');
    scope.extra = outputs.p;
    for (uint32_t i = 0; i < grad->as.object.n; i++) {
        const JsonMember *member = &grad->as.object.members[i];
        NamedExpr part = {.name = member->key, .value = {0}};
        if (op_find_input(op, member->key)) {
            op_expr(read, &member->value, &scope, &part.value);
            *VEC_PUSH(read->arena, &op->grad) = part;
            continue;
        }
        Diag *diag = diag_error(read->diags, E_UNKNOWN_NAME, span(read->source, member->from, member->to),
                                "there is no input %Q to have a gradient", name_str(member->key));
        Str *names = ARENA_ARRAY(read->arena, Str, op->inputs.n);
        for (uint32_t k = 0; k < op->inputs.n; k++)
            names[k] = name_str(op->inputs.items[k].name);
        diag_suggest(read->diags, diag, name_str(member->key), names, op->inputs.n);
    }
}

static void read_cost(OpRead *read) {
    const Json *cost = op_get(read->json, "cost");
    if (cost == NULL || !op_want(read, cost, JSON_OBJECT, "cost", "an object")) return;
    op_keys(read, cost, "a cost", "flops bytes");
    OpScope scope = {
        .what = "a cost", .see = SEE_INPUTS | SEE_ATTRS | SEE_OUTPUTS | SEE_TYPES, .extra = NULL, .first = NULL};
    for (uint32_t i = 0; i < cost->as.object.n; i++) {
        const JsonMember *member = &cost->as.object.members[i];
        if (!op_list_has("flops bytes", name_str(member->key))) continue;
        NamedExpr part = {.name = member->key, .value = {0}};
        op_expr(read, &member->value, &scope, &part.value);
        *VEC_PUSH(read->arena, &read->op->cost) = part;
    }
}

static void read_candidates(OpRead *read) {
    OpDef *op = read->op;
    const Json *candidates = op_get(read->json, "candidates");
    if (candidates == NULL || !op_want(read, candidates, JSON_ARRAY, "candidates", "an array of names")) return;
    for (uint32_t i = 0; i < candidates->as.array.n; i++) {
        const Json *value = &candidates->as.array.items[i];
        Name name = op_name_of(read, value, "a candidate");
        if (name == NULL) continue;
        bool twice = false;
        for (uint32_t k = 0; k < op->candidates.n; k++)
            twice = twice || op->candidates.items[k] == name;
        if (twice)
            op_error(read, value, E_DUPLICATE, "the candidate %Q is listed twice", name_str(name));
        else
            *VEC_PUSH(read->arena, &op->candidates) = name;
    }
}

/* ["cpu", "cuda"], or {"cuda": ["sm_90"], "cpu": []}: a backend with no architectures is meant with all of them. */
static void read_arch(OpRead *read) {
    const Json *arch = op_get(read->json, "arch");
    if (arch == NULL) return;
    read->op->arch = arch;
    if (arch->kind == JSON_ARRAY) {
        if (arch->as.array.n == 0) op_error(read, arch, E_BAD_VALUE, "an operator is for some backend");
        for (uint32_t i = 0; i < arch->as.array.n; i++)
            op_name_of(read, &arch->as.array.items[i], "a backend");
        return;
    }
    if (!op_want(read, arch, JSON_OBJECT, "arch", "an array of backends, or an object of their architectures")) return;
    if (arch->as.object.n == 0) op_error(read, arch, E_BAD_VALUE, "an operator is for some backend");
    for (uint32_t i = 0; i < arch->as.object.n; i++) {
        const JsonMember *member = &arch->as.object.members[i];
        op_name(read, name_str(member->key), member->from, member->to, "a backend");
        const Json *list = &member->value;
        if (list->kind != JSON_ARRAY) {
            op_error(read, list, E_JSON_TYPE, "the architectures of a backend are an array, but this is %s",
                     json_kind_name(list->kind));
            continue;
        }
        for (uint32_t k = 0; k < list->as.array.n; k++) {
            if (list->as.array.items[k].kind == JSON_STRING && list->as.array.items[k].as.s.n > 0) continue;
            op_error(read, &list->as.array.items[k], E_JSON_TYPE,
                     "an architecture is named by a string, as in \"sm_90\"");
        }
    }
}

/* {"op": "linears", "in": {"input": "input", "weights": "weight"}}; the other operator is looked at by optable_check.
 */
static void read_parallel(OpRead *read) {
    OpDef *op = read->op;
    const Json *parallel = op_get(read->json, "parallel");
    if (parallel == NULL || !op_want(read, parallel, JSON_OBJECT, "parallel", "an object")) return;
    op_keys(read, parallel, "what does several of an operator's nodes", "op in");
    const Json *name = op_get(parallel, "op"), *in = op_get(parallel, "in");
    if (name == NULL || in == NULL) {
        op_error(read, parallel, E_MISSING, "\"parallel\" wants \"op\", an operator, and \"in\", what its inputs take");
        return;
    }
    if (op->outputs.n != 1 || op->mutates.n > 0)
        op_error(read, parallel, E_BAD_VALUE, "only an operator with one output that changes no input can be done so");
    op->parallel = op_name_of(read, name, "an operator");
    op->parallel_at = span(read->source, name->from, name->to);
    if (!op_want(read, in, JSON_OBJECT, "in", "an object of inputs")) return;
    for (uint32_t i = 0; i < in->as.object.n; i++) {
        const JsonMember *member = &in->as.object.members[i];
        Name from = op_name_of(read, &member->value, "an input");
        if (from == NULL) continue;
        if (op_find_input(op, from) == NULL)
            op_error(read, &member->value, E_UNKNOWN_NAME, "there is no input %Q to take", name_str(from));
        *VEC_PUSH(read->arena, &op->parallel_in) = (OpTake){member->key, from};
    }
}

/* ---- tests */

/* [2, 3], or for an input that is a list [[2, 3], [2, 4]]. */
static void check_shape(OpRead *read, const Json *shape, bool list) {
    if (shape->kind != JSON_ARRAY) {
        op_error(read, shape, E_JSON_TYPE, "a shape in a test is an array of sizes, but this is %s",
                 json_kind_name(shape->kind));
        return;
    }
    for (uint32_t i = 0; i < shape->as.array.n; i++) {
        const Json *size = &shape->as.array.items[i];
        if (list)
            check_shape(read, size, false);
        else if (size->kind != JSON_INT || size->as.i < 0)
            op_error(read, size, E_BAD_VALUE, "a size in a test is an integer from 0 on");
    }
}

static void check_shapes(OpRead *read, const JsonMember *member) {
    const OpDef *op = read->op;
    const Json *shapes = &member->value;
    if (!op_want(read, shapes, JSON_OBJECT, "shapes", "an object of inputs and their shapes")) return;
    for (uint32_t i = 0; i < shapes->as.object.n; i++) {
        const JsonMember *shape = &shapes->as.object.members[i];
        const OpInput *input = op_find_input(op, shape->key);
        if (input != NULL) {
            check_shape(read, &shape->value, input->list);
            continue;
        }
        Diag *diag = diag_error(read->diags, E_UNKNOWN_NAME, span(read->source, shape->from, shape->to),
                                "there is no input %Q", name_str(shape->key));
        Str *names = ARENA_ARRAY(read->arena, Str, op->inputs.n);
        for (uint32_t k = 0; k < op->inputs.n; k++)
            names[k] = name_str(op->inputs.items[k].name);
        diag_suggest(read->diags, diag, name_str(shape->key), names, op->inputs.n);
    }
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const OpInput *input = &op->inputs.items[i];
        if (input->optional || op_get(shapes, input->name->p) != NULL) continue;
        diag_error(read->diags, E_MISSING, span(read->source, member->from, member->to),
                   "this test has no shape for the input %Q", name_str(input->name));
    }
}

static void check_test_attrs(OpRead *read, const JsonMember *member, const Json *test) {
    const OpDef *op = read->op;
    const Json *attrs = member == NULL ? NULL : &member->value;
    if (attrs != NULL && !op_want(read, attrs, JSON_OBJECT, "attrs", "an object of attributes")) return;
    for (uint32_t i = 0; attrs != NULL && i < attrs->as.object.n; i++) {
        const JsonMember *value = &attrs->as.object.members[i];
        const OpAttr *attr = op_find_attr(op, value->key);
        Json given;
        if (attr != NULL) {
            opattr_value(read->arena, attr, read->source, &value->value, read->diags, &given);
            continue;
        }
        Diag *diag = diag_error(read->diags, E_UNKNOWN_NAME, span(read->source, value->from, value->to),
                                "there is no attribute %Q", name_str(value->key));
        Str *names = ARENA_ARRAY(read->arena, Str, op->attrs.n);
        for (uint32_t k = 0; k < op->attrs.n; k++)
            names[k] = name_str(op->attrs.items[k].name);
        diag_suggest(read->diags, diag, name_str(value->key), names, op->attrs.n);
    }
    for (uint32_t i = 0; i < op->attrs.n; i++) {
        const OpAttr *attr = &op->attrs.items[i];
        if (!attr->required || (attrs != NULL && op_get(attrs, attr->name->p) != NULL)) continue;
        op_error(read, test, E_MISSING, "this test does not give the attribute %Q, which has no default",
                 name_str(attr->name));
    }
}

static bool is_dtype(const Json *value) {
    Dtype dtype;
    return value->kind == JSON_STRING && dtype_parse(value->as.s, &dtype);
}

/* A number for all dtypes, or {"f16": 1e-3}. */
static void check_tolerance(OpRead *read, const Json *value) {
    bool number = value->kind == JSON_FLOAT || value->kind == JSON_INT;
    if (!number && !op_want(read, value, JSON_OBJECT, "tolerance", "a number, or an object of dtypes and numbers"))
        return;
    uint32_t n = number ? 1 : value->as.object.n;
    for (uint32_t i = 0; i < n; i++) {
        const Json *limit = number ? value : &value->as.object.members[i].value;
        bool good = (limit->kind == JSON_FLOAT && limit->as.f >= 0) || (limit->kind == JSON_INT && limit->as.i >= 0);
        if (!good) op_error(read, limit, E_BAD_VALUE, "a tolerance is a number from 0 on");
        Dtype dtype;
        if (number || dtype_parse(name_str(value->as.object.members[i].key), &dtype)) continue;
        const JsonMember *member = &value->as.object.members[i];
        diag_error(read->diags, E_UNKNOWN_NAME, span(read->source, member->from, member->to), "there is no dtype %Q",
                   name_str(member->key));
    }
}

static void check_test(OpRead *read, const Json *test) {
    if (test->kind != JSON_OBJECT) {
        op_error(read, test, E_JSON_TYPE, "a test is an object, but this is %s", json_kind_name(test->kind));
        return;
    }
    op_keys(read, test, "a test", "shapes attrs dtypes tolerance reference doc");
    const JsonMember *shapes = op_member(test, "shapes");
    if (shapes != NULL)
        check_shapes(read, shapes);
    else if (read->op->inputs.n > 0)
        op_error(read, test, E_MISSING, "this test has no \"shapes\"");
    check_test_attrs(read, op_member(test, "attrs"), test);
    const Json *dtypes = op_get(test, "dtypes"), *tolerance = op_get(test, "tolerance");
    if (dtypes != NULL && op_want(read, dtypes, JSON_ARRAY, "dtypes", "an array of dtypes")) {
        for (uint32_t i = 0; i < dtypes->as.array.n; i++) {
            if (is_dtype(&dtypes->as.array.items[i])) continue;
            op_error(read, &dtypes->as.array.items[i], E_BAD_VALUE, "this is not the name of a dtype");
        }
    }
    if (tolerance != NULL) check_tolerance(read, tolerance);
    op_string(read, test, "reference", "an expression of Python in a string");
}

static void read_tests(OpRead *read) {
    const Json *tests = op_get(read->json, "tests");
    if (tests == NULL || !op_want(read, tests, JSON_ARRAY, "tests", "an array of tests")) return;
    read->op->tests = tests;
    for (uint32_t i = 0; i < tests->as.array.n; i++)
        check_test(read, &tests->as.array.items[i]);
}

void op_read_extras(OpRead *read) {
    read_grad(read);
    read_cost(read);
    read_candidates(read);
    read_arch(read);
    read_parallel(read);
    read_tests(read);
}

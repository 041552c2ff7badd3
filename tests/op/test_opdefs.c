/* test_opdefs.c: the operators of opdefs/: all of them can be read, and the rules of each give the shapes, dtypes and,
 * of views, the elements that PyTorch gives (opdefs_reference.json, made by opdefs_reference.py).
 */
#include "op/rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static Arena arena;
static Names names;
static Diags diags;
static OpTable table;
static Syms syms;
static Rules rules;

static const char *said(void) {
    Buf out;
    buf_init(&out, &arena);
    diags_render(&diags, DIAG_TEXT, false, &out);
    return str_to_c(&arena, buf_str(&out));
}

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    names_init(&names, &arena);
    diags_init(&diags, &arena);
    syms_init(&syms, &arena);
    optable_init(&table, &arena, &names);
    rules = (Rules){&arena, &names, &syms, &diags, {.what = NULL}};
    if (optable_read_folder(&table, S("opdefs"), &diags) && optable_check(&table, NULL, 0, &diags)) return 0;
    print_error("%s", said());
    return -1;
}

static int tear_down(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

/* ---- one case of an operator as a call */

static Dtype dtype_of(Str name) {
    Dtype dtype = DT_COUNT;
    assert_true(dtype_parse(name, &dtype));
    return dtype;
}

static RuleTensor tensor_of(Dtype dtype, const Json *sizes) {
    RuleTensor tensor = {dtype, {ARENA_ARRAY(&arena, SymRef, sizes->as.array.n + 1), sizes->as.array.n}};
    for (uint32_t i = 0; i < tensor.shape.rank; i++)
        tensor.shape.dims[i] = sym_int(&syms, sizes->as.array.items[i].as.i);
    return tensor;
}

static bool is_variable(const OpDef *op, const OpExpr *type) {
    for (uint32_t i = 0; i < op->types.n; i++) {
        if (type->expr->kind == X_NAME && type->expr->as.name == op->types.items[i].name) return true;
    }
    return false;
}

static RuleValue attr_of(const OpAttr *attr, Source *source, const Json *given) {
    Json value;
    if (given == NULL) {
        assert_non_null(attr->fallback);
        value = *attr->fallback;
    } else {
        assert_true(opattr_value(&arena, attr, source, given, &diags, &value));
    }
    if (attr->type == ATTR_DTYPE && value.kind == JSON_STRING)
        return (RuleValue){.kind = RULE_DTYPE, .as.dtype = dtype_of(value.as.s)};
    return rule_of_json(&rules, &value);
}

static RuleCall call_of(const OpDef *op, const Json *test, Dtype dtype) {
    const Json *shapes = json_get(test, S("shapes")), *attrs = json_get(test, S("attrs"));
    const RuleTensor **inputs = ARENA_ARRAY(&arena, const RuleTensor *, op->inputs.n + 1);
    uint32_t *counts = ARENA_ARRAY(&arena, uint32_t, op->inputs.n + 1);
    RuleValue *values = ARENA_ARRAY(&arena, RuleValue, op->attrs.n + 1);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const OpInput *input = &op->inputs.items[i];
        const Json *shape = shapes == NULL ? NULL : json_get(shapes, name_str(input->name));
        if (shape == NULL) continue;
        Dtype own = is_variable(op, &input->type) ? dtype : dtype_of(name_str(input->type.expr->as.name));
        counts[i] = input->list ? shape->as.array.n : 1;
        RuleTensor *tensors = ARENA_ARRAY(&arena, RuleTensor, counts[i]);
        for (uint32_t k = 0; k < counts[i]; k++)
            tensors[k] = tensor_of(own, input->list ? &shape->as.array.items[k] : shape);
        inputs[i] = tensors;
    }
    for (uint32_t i = 0; i < op->attrs.n; i++)
        values[i] = attr_of(&op->attrs.items[i], op->source,
                            attrs == NULL ? NULL : json_get(attrs, name_str(op->attrs.items[i].name)));
    return (RuleCall){.op = op, .inputs = inputs, .counts = counts, .attrs = values};
}

/* ---- views */

static const RuleScope *with(const RuleScope *outer, const char *name, RuleValue value) {
    RuleScope *scope = ARENA_NEW(&arena, RuleScope);
    *scope = (RuleScope){(RuleScope *)(uintptr_t)outer, names_get(&names, str_c(name)), value};
    return scope;
}

static RuleValue number(int64_t i) { return (RuleValue){.kind = RULE_INT, .as.i = sym_int(&syms, i)}; }

static int64_t eval(const OpExpr *expr, const RuleScope *scope) {
    RuleValue value;
    int64_t i = 0;
    if (!rule_eval(&rules, expr, scope, &value)) fail_msg("%s", said());
    assert_true(value.kind == RULE_INT || value.kind == RULE_BOOL);
    assert_true(sym_is_int(value.as.i, &i));
    return i;
}

static int64_t size_of(const RuleShape *shape, uint32_t dim) {
    int64_t size = 0;
    assert_true(sym_is_int(shape->dims[dim], &size));
    return size;
}

/* Whether an expression has the name anywhere. */
typedef struct Uses {
    Name name;
    bool found;
} Uses;

static void look_for(void *user, const Expr *e) {
    Uses *uses = user;
    if (e->kind == X_NAME && e->as.name == uses->name) uses->found = true;
    ast_each(e, look_for, user);
}

/* The number of the element that the view reads at this position, counted through all tensors; -1: none. */
static int64_t source_of(const RuleCall *call, const RuleScope *scope) {
    const OpDef *op = call->op;
    int64_t before = 0;
    for (uint32_t k = 0; k < call->counts[0]; k++) {
        const RuleShape *shape = &call->inputs[0][k].shape;
        const RuleScope *here = with(scope, "k", number(k));
        bool valid = true;
        int64_t at = 0, elements = 1;
        Uses uses = {names_get(&names, S("d")), false};
        if (op->valid.expr != NULL) look_for(&uses, op->valid.expr);
        if (op->valid.expr != NULL && !uses.found) valid = eval(&op->valid, here) != 0;
        for (uint32_t d = 0; d < shape->rank; d++) {
            const RuleScope *dim = with(here, "d", number(d));
            if (uses.found) valid = valid && eval(&op->valid, dim) != 0;
            if (!valid) break;
            int64_t index = eval(&op->index, dim), size = size_of(shape, d);
            if (index < 0 || index >= size)
                fail_msg("%s reads index %lld of %lld in dim %u", op->name->p, (long long)index, (long long)size,
                         (unsigned)d);
            at = at * size + index;
        }
        if (valid) return before + at;
        for (uint32_t d = 0; d < shape->rank; d++)
            elements *= size_of(shape, d);
        before += elements;
    }
    return -1;
}

static void check_view(const RuleCall *call, const RuleTensor *outputs, uint32_t n, const Json *from) {
    assert_int_equal(from->as.array.n, n);
    for (uint32_t output = 0; output < n; output++) {
        const RuleShape *shape = &outputs[output].shape;
        const Json *wanted = &from->as.array.items[output];
        /* y is this output; n is its number. */
        const RuleScope *scope = with(with(rule_scope(&rules, call, NULL), "n", number(output)), "y",
                                      (RuleValue){.kind = RULE_TENSOR, .as.tensor = &outputs[output]});
        int64_t *position = ARENA_ARRAY(&arena, int64_t, shape->rank + 1);
        for (uint32_t element = 0; element < wanted->as.array.n; element++) {
            int64_t rest = element;
            for (uint32_t d = shape->rank; d-- > 0;) {
                position[d] = rest % size_of(shape, d);
                rest /= size_of(shape, d);
            }
            assert_int_equal(rest, 0);
            RuleValue *items = ARENA_ARRAY(&arena, RuleValue, shape->rank + 1);
            for (uint32_t d = 0; d < shape->rank; d++)
                items[d] = number(position[d]);
            RuleValue i = {.kind = RULE_LIST, .as.list = {items, shape->rank}};
            int64_t got = source_of(call, with(scope, "i", i)), right = wanted->as.array.items[element].as.i;
            if (got != right)
                fail_msg("%s: element %u of output %u is read from %lld, not %lld", call->op->name->p,
                         (unsigned)element, (unsigned)output, (long long)got, (long long)right);
        }
    }
}

/* ---- all cases */

static void check_case(const Json *answer) {
    Name name = names_get(&names, json_get(answer, S("op"))->as.s);
    const OpDef *op = optable_get(&table, name);
    assert_non_null(op);
    const Json *test = &op->tests->as.array.items[json_get(answer, S("case"))->as.i];
    RuleCall call = call_of(op, test, dtype_of(json_get(answer, S("dtype"))->as.s));
    uint32_t *counts = ARENA_ARRAY(&arena, uint32_t, op->outputs.n), n = 0;
    if (!rule_output_counts(&rules, &call, counts)) fail_msg("%s: %s", name->p, said());
    for (uint32_t i = 0; i < op->outputs.n; i++)
        n += counts[i];
    const Json *wanted = json_get(answer, S("outputs"));
    if (n != wanted->as.array.n)
        fail_msg("%s has %u outputs, not %u", name->p, (unsigned)n, (unsigned)wanted->as.array.n);
    RuleTensor *outputs = ARENA_ARRAY(&arena, RuleTensor, n);
    Dtype *types = ARENA_ARRAY(&arena, Dtype, op->types.n);
    if (!rule_infer(&rules, &call, outputs, types)) fail_msg("%s: %s", name->p, said());
    for (uint32_t i = 0; i < n; i++) {
        const Json *output = &wanted->as.array.items[i];
        if (outputs[i].shape.rank == RULE_NO_RANK) continue; /* a composite's, which its steps tell */
        Dtype dtype = dtype_of(json_get(output, S("dtype"))->as.s);
        if (outputs[i].dtype != dtype)
            fail_msg("%s of %s gives %s, not %s", name->p, str_to_c(&arena, json_get(answer, S("dtype"))->as.s),
                     dtype_name(outputs[i].dtype), dtype_name(dtype));
        RuleShape right = tensor_of(dtype, json_get(output, S("shape"))).shape;
        bool same = right.rank == outputs[i].shape.rank;
        for (uint32_t d = 0; same && d < right.rank; d++)
            same = right.dims[d] == outputs[i].shape.dims[d];
        if (same) continue;
        Buf got;
        buf_init(&got, &arena);
        rule_print_shape(&got, outputs[i].shape);
        fail_msg("%s: output %u has shape %s", name->p, (unsigned)i, str_to_c(&arena, buf_str(&got)));
    }
    const Json *from = json_get(answer, S("from"));
    if (from != NULL) check_view(&call, outputs, n, from);
}

static void gives_what_pytorch_gives(void **state) {
    (void)state;
    Source *source = file_read_text(&arena, S("tests/op/opdefs_reference.json"), span(NULL, 0, 0), &diags);
    assert_non_null(source);
    const Json *answers = json_parse(&arena, &names, source, &diags);
    assert_non_null(answers);
    Map met;
    map_init(&met, &arena);
    for (uint32_t i = 0; i < answers->as.array.n; i++) {
        check_case(&answers->as.array.items[i]);
        map_set(&met, names_get(&names, json_get(&answers->as.array.items[i], S("op"))->as.s), &met);
    }
    /* Every operator has a case, but for the in-place forms, which have those of what they are forms of. */
    for (uint32_t i = 0; i < table.ops.n; i++) {
        const OpDef *op = table.ops.entries[i].value;
        if (op->base == NULL && map_get(&met, op->name) == NULL)
            fail_msg("no answer for %s: run opdefs_reference.py", op->name->p);
    }
}

/* What the help and the list show. */
static void says_what_it_is(void **state) {
    (void)state;
    assert_true(table.ops.n > 200);
    for (uint32_t i = 0; i < table.ops.n; i++) {
        const OpDef *op = table.ops.entries[i].value;
        if (op->doc.n == 0) fail_msg("%s has no doc", op->name->p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_what_pytorch_gives), cmocka_unit_test(says_what_it_is)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

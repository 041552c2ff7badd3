/* test_opdefs.c: the operators of opdefs/: all of them can be read, and the rules of each give the shapes, dtypes and,
 * of views, the elements that PyTorch gives (opdefs_reference.json, made by opdefs_reference.py). The holes of a kernel
 * lie within their tensors and fill its outputs, and products of matrices that are taken through them are PyTorch's.
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
    rules = (Rules){.arena = &arena, .names = &names, .syms = &syms, .diags = &diags};
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

/* Positions are i64 where the case is of another dtype. */
static Dtype variable_dtype(const OpDef *op, const OpExpr *type, Dtype dtype) {
    for (uint32_t i = 0; i < op->types.n; i++)
        if (type->expr->as.name == op->types.items[i].name && !(op->types.items[i].set >> dtype & 1)) return DT_I64;
    return dtype;
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
        Dtype own = is_variable(op, &input->type) ? variable_dtype(op, &input->type, dtype)
                                                  : dtype_of(name_str(input->type.expr->as.name));
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

/* Positions out of data: elements are numbered from 1000, through all inputs, and taken modulo the size. */
static bool numbered(void *user, const RuleTensor *index, const SymRef *at, SymRef size, SymRef *out) {
    const RuleCall *call = user;
    int64_t first = 1000, place = 0, most = 0, i = 0;
    for (uint32_t k = 0; k < call->op->inputs.n && call->inputs[k] != index; k++) {
        int64_t elements = call->counts[k];
        for (uint32_t d = 0; call->counts[k] > 0 && d < call->inputs[k][0].shape.rank; d++)
            elements *= size_of(&call->inputs[k][0].shape, d);
        first += elements;
    }
    for (uint32_t d = 0; d < index->shape.rank; d++) {
        assert_true(sym_is_int(at[d], &i));
        place = place * size_of(&index->shape, d) + i;
    }
    assert_true(sym_is_int(size, &most));
    *out = sym_int(&syms, (first + place) % most);
    return true;
}

static void check_view(const RuleCall *call, const RuleTensor *outputs, uint32_t n, const Json *from) {
    assert_int_equal(from->as.array.n, n);
    rules.element = numbered, rules.element_user = (void *)(uintptr_t)call;
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

/* ---- holes */

/* A hole of one case: for each index of the template, in order, the element's place in the tensor. */
typedef struct Hole {
    const OpHole *hole;
    bool there;
    uint32_t input; /* which one it is of; the number of inputs: an output */
    RuleShape shape;
    int64_t n;
    int64_t *place;
} Hole;

static int64_t elements_of(const RuleShape *shape) {
    int64_t n = 1;
    for (uint32_t d = 0; d < shape->rank; d++)
        n *= size_of(shape, d);
    return n;
}

static RuleValue eval_list(const OpDef *op, const OpExpr *expr, const RuleScope *scope) {
    RuleValue value;
    if (!rule_eval(&rules, expr, scope, &value)) fail_msg("%s: %s", op->name->p, said());
    assert_int_equal(value.kind, RULE_LIST);
    return value;
}

static const RuleTensor *tensor_behind(const RuleCall *call, const RuleTensor *outputs, Hole *hole) {
    const OpDef *op = call->op;
    for (hole->input = 0; hole->input < op->inputs.n; hole->input++) {
        if (op->inputs.items[hole->input].name != hole->hole->of) continue;
        return call->counts[hole->input] == 0 ? NULL : &call->inputs[hole->input][0];
    }
    for (uint32_t i = 0; i < op->outputs.n; i++)
        if (op->outputs.items[i].name == hole->hole->of) return &outputs[i];
    fail_msg("%s: hole %s is of nothing", op->name->p, hole->hole->name->p);
    return NULL;
}

static int64_t place_of(const RuleCall *call, const Hole *hole, const RuleShape *tensor, const RuleScope *scope,
                        int64_t element) {
    RuleValue *items = ARENA_ARRAY(&arena, RuleValue, hole->shape.rank + 1);
    int64_t rest = element, place = 0;
    for (uint32_t d = hole->shape.rank; d-- > 0;) {
        items[d] = number(rest % size_of(&hole->shape, d));
        rest /= size_of(&hole->shape, d);
    }
    if (hole->hole->index.expr == NULL) return element;
    RuleValue i = {.kind = RULE_LIST, .as.list = {items, hole->shape.rank}};
    RuleValue index = eval_list(call->op, &hole->hole->index, with(scope, "i", i));
    if (index.as.list.n != tensor->rank)
        fail_msg("%s: hole %s has an index of %u for %u dims", call->op->name->p, hole->hole->name->p,
                 (unsigned)index.as.list.n, (unsigned)tensor->rank);
    for (uint32_t d = 0; d < tensor->rank; d++) {
        int64_t at = -1, size = size_of(tensor, d);
        assert_true(sym_is_int(index.as.list.items[d].as.i, &at));
        if (at < 0 || at >= size)
            fail_msg("%s: hole %s has index %lld of %lld in dim %u", call->op->name->p, hole->hole->name->p,
                     (long long)at, (long long)size, (unsigned)d);
        place = place * size + at;
    }
    return place;
}

static Hole make_hole(const RuleCall *call, const OpHole *of, const RuleTensor *outputs, const RuleScope *scope) {
    Hole hole = {.hole = of};
    const RuleTensor *tensor = tensor_behind(call, outputs, &hole);
    if (tensor == NULL) return hole;
    hole.there = true;
    hole.shape = tensor->shape;
    if (of->shape.expr != NULL) {
        RuleValue shape = eval_list(call->op, &of->shape, scope);
        hole.shape.rank = shape.as.list.n;
        hole.shape.dims = ARENA_ARRAY(&arena, SymRef, hole.shape.rank + 1);
        for (uint32_t d = 0; d < hole.shape.rank; d++)
            hole.shape.dims[d] = shape.as.list.items[d].as.i;
    }
    hole.n = elements_of(&hole.shape);
    bool is_output = hole.input == call->op->inputs.n, in_order = of->index.expr == NULL;
    if (((is_output && call->op->mutates.n == 0) || in_order) && hole.n != elements_of(&tensor->shape))
        fail_msg("%s: hole %s is of %lld elements, its tensor of %lld", call->op->name->p, of->name->p,
                 (long long)hole.n, (long long)elements_of(&tensor->shape));
    hole.place = ARENA_ARRAY(&arena, int64_t, (size_t)hole.n + 1);
    bool *met = ARENA_ARRAY(&arena, bool, (size_t)elements_of(&tensor->shape) + 1);
    for (int64_t k = 0; k < hole.n; k++) {
        hole.place[k] = place_of(call, &hole, &tensor->shape, scope, k);
        if (!is_output) continue;
        if (met[hole.place[k]])
            fail_msg("%s: hole %s is written twice at %lld", call->op->name->p, of->name->p, (long long)hole.place[k]);
        met[hole.place[k]] = true;
    }
    return hole;
}

static const Hole *hole_named(const OpDef *op, const Hole *holes, const char *name) {
    for (uint32_t i = 0; i < op->holes.n; i++)
        if (str_eq(name_str(holes[i].hole->name), str_c(name))) return holes[i].there ? &holes[i] : NULL;
    return NULL;
}

/* Elements of inputs are numbered from 1, through all that are there. */
static double element(const RuleCall *call, const Hole *hole, int64_t k) {
    int64_t first = 1;
    for (uint32_t i = 0; i < hole->input; i++)
        if (call->counts[i] > 0) first += elements_of(&call->inputs[i][0].shape);
    return (double)(first + hole->place[k]);
}

static double scale_of(const RuleCall *call, const char *name) {
    for (uint32_t i = 0; i < call->op->attrs.n; i++) {
        int64_t whole;
        if (!str_eq(name_str(call->op->attrs.items[i].name), str_c(name))) continue;
        if (call->attrs[i].kind == RULE_FLOAT) return call->attrs[i].as.f;
        assert_true(sym_is_int(call->attrs[i].as.i, &whole));
        return (double)whole;
    }
    return 1;
}

/* y[batch, m, n] = alpha * sum(a[batch, m, k] * b[batch, k, n]) + beta * c[batch, m, n] */
static void check_product(const RuleCall *call, const Hole *holes, const Json *values) {
    const Hole *a = hole_named(call->op, holes, "a"), *b = hole_named(call->op, holes, "b"),
               *c = hole_named(call->op, holes, "c"), *y = hole_named(call->op, holes, "y");
    assert_true(a != NULL && b != NULL && y != NULL);
    assert_true(a->shape.rank == 3 && b->shape.rank == 3 && y->shape.rank == 3 && (c == NULL || c->shape.rank == 3));
    int64_t batches = size_of(&a->shape, 0), rows = size_of(&a->shape, 1), inner = size_of(&a->shape, 2),
            columns = size_of(&b->shape, 2);
    assert_true(size_of(&b->shape, 0) == batches && size_of(&b->shape, 1) == inner);
    assert_true(size_of(&y->shape, 0) == batches && size_of(&y->shape, 1) == rows && size_of(&y->shape, 2) == columns);
    assert_true(c == NULL || c->n == y->n);
    assert_int_equal(values->as.array.n, y->n);
    for (int64_t at = 0; at < y->n; at++) {
        int64_t column = at % columns, row = at / columns % rows, batch = at / columns / rows;
        double sum = 0;
        for (int64_t k = 0; k < inner; k++)
            sum += element(call, a, (batch * rows + row) * inner + k) *
                   element(call, b, (batch * inner + k) * columns + column);
        sum *= scale_of(call, "alpha");
        if (c != NULL) sum += scale_of(call, "beta") * element(call, c, at);
        double right = values->as.array.items[y->place[at]].as.f;
        if (sum != right)
            fail_msg("%s: element %lld is %g, not %g", call->op->name->p, (long long)y->place[at], sum, right);
    }
}

static void check_kernel(const RuleCall *call, const RuleTensor *outputs, const Json *values) {
    const OpDef *op = call->op;
    const RuleScope *scope = rule_scope(&rules, call, outputs);
    for (uint32_t i = 0; i < op->sizes.n; i++) {
        RuleValue size = number(eval(&op->sizes.items[i].value, scope));
        scope = with(scope, op->sizes.items[i].name->p, size);
    }
    Hole *holes = ARENA_ARRAY(&arena, Hole, op->holes.n + 1);
    for (uint32_t i = 0; i < op->holes.n; i++)
        holes[i] = make_hole(call, &op->holes.items[i], outputs, scope);
    if (values != NULL) check_product(call, holes, &values->as.array.items[0]);
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
    if (op->kind == KIND_KERNEL) check_kernel(&call, outputs, json_get(answer, S("values")));
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

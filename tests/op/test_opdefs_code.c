/* test_opdefs_code.c: every body of every operator of opdefs/ can be written by the CPU backend, for each dtype that it
 * takes and with the attributes of each of its cases: maps with their names of let, reductions and kernels that fold
 * from init to finish.
 */
#include "op/backend.h"

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
static const Backend *backend;

static const char *said(void) {
    Buf out;
    buf_init(&out, &arena);
    diags_render(&diags, DIAG_TEXT, false, &out);
    return str_to_c(&arena, buf_str(&out));
}

static Name name_of(const char *text) { return names_get(&names, str_c(text)); }

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    names_init(&names, &arena);
    diags_init(&diags, &arena);
    syms_init(&syms, &arena);
    optable_init(&table, &arena, &names);
    rules = (Rules){.arena = &arena, .names = &names, .syms = &syms, .diags = &diags};
    Str root = S("templates");
    backend = backend_read(&arena, &names, &root, 1, S("cpu"), span(NULL, 0, 0), &diags);
    if (backend != NULL && optable_read_folder(&table, S("opdefs"), &diags)) return 0;
    print_error("%s", said());
    return -1;
}

static int tear_down(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

/* ---- one operator with one dtype and the attributes of one case */

typedef struct Writing {
    const OpDef *op;
    const RuleScope *scope;
    Dtype *types; /* of its type variables */
    VEC(LowerName) names;
    unsigned *written;
} Writing;

static const RuleScope *with(const RuleScope *outer, Name name, RuleValue value) {
    RuleScope *scope = ARENA_NEW(&arena, RuleScope);
    *scope = (RuleScope){(RuleScope *)(uintptr_t)outer, name, value};
    return scope;
}

static void add_name(Writing *body, Name name, Str text, Dtype type) {
    *VEC_PUSH(&arena, &body->names) = (LowerName){name, {text, dtype_compute(type), false}};
}

static Lowered lower(Writing *body, const OpExpr *expr, const char *what) {
    Lower how = {.arena = &arena, .diags = &diags, .rules = &rules, .scope = body->scope};
    backend_lower(backend, &how);
    Lowered out;
    if (!lower_expr(&how, expr, body->names.items, body->names.n, &out))
        fail_msg("%s of %s: %s", what, body->op->name->p, said());
    assert_true(out.text.n > 0);
    ++*body->written;
    return out;
}

static Dtype dtype_value(const OpExpr *expr, const RuleScope *scope) {
    RuleValue value;
    if (!rule_eval(&rules, expr, scope, &value)) fail_msg("%s", said());
    assert_int_equal(value.kind, RULE_DTYPE);
    return value.as.dtype;
}

static void lower_converted(Writing *body, const OpExpr *expr, const char *what, Dtype type) {
    Lowered out = lower(body, expr, what);
    Lower how = {.arena = &arena, .diags = &diags, .rules = &rules, .scope = body->scope};
    backend_lower(backend, &how);
    uint32_t errors = diags.errors;
    lower_convert(&how, out, dtype_compute(type));
    if (diags.errors != errors) fail_msg("%s of %s: %s", what, body->op->name->p, said());
}

static void write_let(Writing *body) {
    for (uint32_t i = 0; i < body->op->let.n; i++) {
        Lowered out = lower(body, &body->op->let.items[i].value, "let");
        add_name(body, body->op->let.items[i].name, name_str(body->op->let.items[i].name), out.type);
    }
}

static void write_map(Writing *body) {
    const OpDef *op = body->op;
    write_let(body);
    for (uint32_t i = 0; i < op->body.n; i++)
        lower_converted(body, &op->body.items[i].value, "expr", dtype_value(&op->outputs.items[i].type, body->scope));
}

static void write_reduce(Writing *body) {
    const OpDef *op = body->op;
    uint32_t inputs = body->names.n;
    add_name(body, name_of("at"), S("at"), DT_I64);
    write_let(body);
    for (uint32_t i = 0; i < op->acc.n; i++) {
        Dtype type = dtype_value(&op->acc.items[i].value, body->scope);
        lower_converted(body, &op->init.items[i].value, "init", type);
        lower_converted(body, &op->element.items[i].value, "map", type);
    }
    body->names.n = 0;
    for (uint32_t i = 0; i < op->acc.n; i++) {
        Dtype type = dtype_value(&op->acc.items[i].value, body->scope);
        for (int side = 0; side < 2; side++) {
            const char *letter = side == 0 ? "a" : "b";
            Str own =
                op->acc.n == 1 ? str_c(letter) : str_format(&arena, "%s.%S", letter, name_str(op->acc.items[i].name));
            add_name(body, names_get(&names, own), own, type);
        }
    }
    for (uint32_t i = 0; i < op->acc.n; i++)
        lower_converted(body, &op->combine.items[i].value, "combine",
                        dtype_value(&op->acc.items[i].value, body->scope));
    body->names.n = 0;
    for (uint32_t i = 0; i < op->acc.n; i++)
        add_name(body, op->acc.items[i].name, name_str(op->acc.items[i].name),
                 dtype_value(&op->acc.items[i].value, body->scope));
    body->scope = with(body->scope, name_of("count"),
                       (RuleValue){.kind = RULE_INT, .as.i = sym_var(&syms, name_of("count"), 0, 1 << 30)});
    for (uint32_t i = 0; i < op->finish.n; i++)
        lower_converted(body, &op->finish.items[i].value, "finish",
                        dtype_value(&op->outputs.items[i].type, body->scope));
    body->names.n = inputs;
}

/* ---- all of them */

static RuleValue attr_of(const OpDef *op, const OpAttr *attr, const Json *test) {
    const Json *attrs = json_get(test, S("attrs")),
               *given = attrs == NULL ? NULL : json_get(attrs, name_str(attr->name));
    Json value = {.kind = JSON_NULL};
    Dtype dtype;
    if (given != NULL)
        assert_true(opattr_value(&arena, attr, op->source, given, &diags, &value));
    else
        value = *attr->fallback;
    if (attr->type == ATTR_DTYPE && value.kind == JSON_STRING && dtype_parse(value.as.s, &dtype))
        return (RuleValue){.kind = RULE_DTYPE, .as.dtype = dtype};
    return rule_of_json(&rules, &value);
}

/* Sizes are named from the last dim on, so that tensors of any ranks broadcast. */
static RuleTensor *tensor_of(Dtype dtype, uint32_t rank) {
    RuleTensor *tensor = ARENA_NEW(&arena, RuleTensor);
    *tensor = (RuleTensor){dtype, {ARENA_ARRAY(&arena, SymRef, rank + 1), rank}};
    for (uint32_t d = 0; d < rank; d++)
        tensor->shape.dims[d] = sym_var(&syms, names_get(&names, str_format(&arena, "n%u", rank - d)), 1, 1 << 20);
    return tensor;
}

/* Requirements say which dtypes go with these attributes, beyond the set. */
static bool meets_requirements(const OpDef *op, const RuleScope *scope) {
    for (uint32_t i = 0; i < op->requires.n; i++) {
        RuleValue value;
        if (!rule_eval(&rules, &op->requires.items[i].that, scope, &value)) fail_msg("%s", said());
        if (value.kind == RULE_BOOL && sym_truth(value.as.i) == 0) return false;
    }
    return true;
}

static void write_one(const OpDef *op, const Json *test, Dtype dtype, bool leave_out, unsigned *written) {
    const uint32_t most = 3;
    Writing body = {.op = op, .scope = NULL, .types = ARENA_ARRAY(&arena, Dtype, op->types.n), .written = written};
    for (uint32_t i = 0; i < op->types.n; i++)
        body.scope = with(body.scope, op->types.items[i].name, (RuleValue){.kind = RULE_DTYPE, .as.dtype = dtype});
    for (uint32_t i = 0; i < op->attrs.n; i++)
        body.scope = with(body.scope, op->attrs.items[i].name, attr_of(op, &op->attrs.items[i], test));
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const OpInput *input = &op->inputs.items[i];
        if (input->optional && leave_out) {
            body.scope = with(body.scope, input->name, (RuleValue){.kind = RULE_NONE});
            continue;
        }
        Dtype own = dtype_value(&input->type, body.scope);
        const Json *shapes = json_get(test, S("shapes")),
                   *shape = shapes == NULL ? NULL : json_get(shapes, name_str(input->name));
        uint32_t rank = shape == NULL ? most : shape->as.array.n;
        body.scope = with(body.scope, input->name, (RuleValue){.kind = RULE_TENSOR, .as.tensor = tensor_of(own, rank)});
        add_name(&body, input->name, name_str(input->name), own);
    }
    if (!meets_requirements(op, body.scope)) return;
    RuleValue *items = ARENA_ARRAY(&arena, RuleValue, most);
    for (uint32_t d = 0; d < most; d++)
        items[d] = (RuleValue){.kind = RULE_INT,
                               .as.i = sym_var(&syms, names_get(&names, str_format(&arena, "i%u", d)), 0, 1 << 20)};
    body.scope = with(body.scope, name_of("index"), (RuleValue){.kind = RULE_LIST, .as.list = {items, most}});
    if (op->kind == KIND_MAP)
        write_map(&body);
    else
        write_reduce(&body);
}

/* A case that names dtypes has attributes for such: for floats, for signed integers. */
static bool is_meant(const Json *test, Dtype dtype) {
    const Json *dtypes = json_get(test, S("dtypes"));
    for (uint32_t i = 0; dtypes != NULL && i < dtypes->as.array.n; i++) {
        Dtype named = DT_COUNT;
        assert_true(dtype_parse(dtypes->as.array.items[i].as.s, &named));
        if (dtype_is_float(named) == dtype_is_float(dtype) && dtype_is_signed(named) == dtype_is_signed(dtype))
            return true;
    }
    return dtypes == NULL;
}

static void writes_every_body(void **state) {
    (void)state;
    unsigned written = 0;
    for (uint32_t i = 0; i < table.ops.n; i++) {
        const OpDef *op = table.ops.entries[i].value;
        if (op->kind != KIND_MAP && op->acc.n == 0) continue;
        unsigned before = written;
        for (uint32_t k = 0; k < op->tests->as.array.n; k++) {
            for (Dtype dtype = 0; dtype < DT_COUNT; dtype++) {
                if (!(op->types.items[0].set >> dtype & 1) || !is_meant(&op->tests->as.array.items[k], dtype)) continue;
                write_one(op, &op->tests->as.array.items[k], dtype, false, &written);
                write_one(op, &op->tests->as.array.items[k], dtype, true, &written);
            }
        }
        if (written == before) fail_msg("%s is not written for any dtype", op->name->p);
    }
    assert_true(written > 4000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(writes_every_body)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

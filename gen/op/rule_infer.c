/* rule_infer.c: one use of an operator: from the types and shapes of its inputs to those of its outputs.
 *
 * Types come first, because everything else may ask for them; then the requirements, whose messages are made for people
 * who use the operator; only then the outputs, whose rules may rely on the requirements. Findings that are the model's
 * are shown where the operator is used, those of a rule within the rule, with a note where it is used.
 */
#include "op/rule_internal.h"

#include "op/lower.h"
#include "template/syntax/parse.h"

static RuleUse use_of(const RuleCall *call, const char *what, Name name) {
    return (RuleUse){call->node, what, name, call->op->name};
}

/* The tensors of a declared input that are there. */
static uint32_t tensors_of(const RuleCall *call, uint32_t input, const RuleTensor **tensors) {
    *tensors = call->inputs[input];
    if (call->op->inputs.items[input].list) return call->counts[input];
    return call->counts[input] > 0 && (*tensors)[0].dtype != DT_COUNT;
}

/* The number that stands in the place of an input; NULL: it is none. */
static const RuleScalar *scalar_of(const RuleCall *call, uint32_t input) {
    return call->scalars != NULL && call->scalars[input].text.n > 0 ? &call->scalars[input] : NULL;
}

/* ---- type variables */
static int variable_of(const OpDef *op, const OpExpr *type) {
    if (type->expr == NULL) return op->types.n > 0 ? 0 : -1;
    if (type->expr->kind != X_NAME) return -1;
    for (uint32_t i = 0; i < op->types.n; i++)
        if (op->types.items[i].name == type->expr->as.name) return (int)i;
    return -1;
}

static int category(Dtype dtype) { return dtype == DT_COUNT ? -1 : dtype_is_float(dtype) ? 2 : dtype_is_int(dtype); }

/* What counts more, and what counts only where it is of a higher category. */
static Dtype combine(Dtype more, Dtype less) {
    if (more == DT_COUNT) return less;
    return category(less) > category(more) ? dtype_promote(more, less) : more;
}

static Dtype promoted(const RuleCall *call, int variable) {
    const OpDef *op = call->op;
    if (call->types != NULL) return call->types[variable];
    bool ranks = op->kind == KIND_MAP || op->kind == KIND_COMPOSITE;
    Dtype with_dims = DT_COUNT, without = DT_COUNT, numbers = DT_COUNT;
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        if (variable_of(op, &op->inputs.items[i].type) != variable) continue;
        const RuleTensor *tensors;
        uint32_t n = tensors_of(call, i, &tensors);
        for (uint32_t k = 0; k < n; k++) {
            Dtype *of = scalar_of(call, i) != NULL            ? &numbers
                        : ranks && tensors[k].shape.rank == 0 ? &without
                                                              : &with_dims;
            *of = dtype_promote(*of, tensors[k].dtype);
        }
    }
    return combine(with_dims, combine(without, numbers));
}

static bool in_set(DtypeSet set, Dtype dtype) { return dtype < DT_COUNT && (set >> dtype & 1) != 0; }

/* Of a variable that no input tells. */
static Dtype only_choice(DtypeSet set) {
    for (unsigned i = 0; i < DT_COUNT; i++)
        if (set == (DtypeSet)1 << i) return (Dtype)i;
    return in_set(set, DT_F32) ? DT_F32 : DT_COUNT;
}

static void bind_types(const RuleCall *call, Dtype *types) {
    for (uint32_t i = 0; i < call->op->types.n; i++) {
        types[i] = promoted(call, (int)i);
        if (types[i] == DT_COUNT) types[i] = only_choice(call->op->types.items[i].set);
    }
}

static Str set_text(Arena *arena, DtypeSet set) {
    Buf out;
    buf_init(&out, arena);
    unsigned left = (unsigned)__builtin_popcount(set);
    for (unsigned i = 0; i < DT_COUNT; i++) {
        if (!in_set(set, (Dtype)i)) continue;
        buf_add(&out, str_c(dtype_name((Dtype)i)));
        left--;
        if (left > 0) buf_add(&out, left == 1 ? S(" or ") : S(", "));
    }
    return buf_str(&out);
}

/* "x", or "tensors[2]" of a list. */
static Str input_text(const Rules *rules, const RuleCall *call, uint32_t input, uint32_t k) {
    const OpInput *declared = &call->op->inputs.items[input];
    if (!declared->list) return name_str(declared->name);
    return str_format(rules->diags->arena, "%S[%u]", name_str(declared->name), k);
}

static void say_type(const Rules *rules, const RuleCall *call, Str input, Dtype got, DtypeSet wanted) {
    Diag *diag = diag_error(rules->diags, E_INPUT_TYPE, call->node, "%S has dtype %s, but %S takes %S", input,
                            dtype_name(got), name_str(call->op->name), set_text(rules->diags->arena, wanted));
    if (wanted & (wanted - 1))
        diag_hint(rules->diags, diag, "cast it first");
    else
        diag_hint(rules->diags, diag, "cast it to %S first", set_text(rules->diags->arena, wanted));
}

/* Which input is at fault: one that the operator does not take at all, or else that they do not go together. */
static void say_promoted(Rules *rules, const RuleCall *call, uint32_t variable, Dtype got) {
    const OpDef *op = call->op;
    Arena *arena = rules->diags->arena;
    DtypeSet set = op->types.items[variable].set;
    Buf all;
    buf_init(&all, arena);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        if (variable_of(op, &op->inputs.items[i].type) != (int)variable) continue;
        const RuleTensor *tensors;
        uint32_t n = tensors_of(call, i, &tensors);
        if (scalar_of(call, i) != NULL) n = 0;
        for (uint32_t k = 0; k < n; k++) {
            Str input = input_text(rules, call, i, k);
            if (!in_set(set, tensors[k].dtype)) {
                say_type(rules, call, input, tensors[k].dtype, set);
                return;
            }
            buf_format(&all, "%s%S (%s)", all.n > 0 ? ", " : "", input, dtype_name(tensors[k].dtype));
        }
    }
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const RuleScalar *scalar = scalar_of(call, i);
        if (scalar == NULL || variable_of(op, &op->inputs.items[i].type) != (int)variable) continue;
        if (in_set(set, scalar->dtype) || category(scalar->dtype) < category(got)) continue;
        Diag *diag =
            diag_error(rules->diags, E_INPUT_TYPE, scalar->at, "%S makes %s of %S, but %S takes %S", scalar->text,
                       dtype_name(got), name_str(op->inputs.items[i].name), name_str(op->name), set_text(arena, set));
        if (all.n > 0) diag_hint(rules->diags, diag, "the tensors are %S", buf_str(&all));
        return;
    }
    diag_error(rules->diags, E_INPUT_TYPE, call->node, "%S together are %s, but %S takes %S", buf_str(&all),
               dtype_name(got), name_str(op->name), set_text(arena, set));
}

static bool check_types(Rules *rules, const RuleCall *call, const Dtype *types) {
    bool good = true;
    for (uint32_t i = 0; i < call->op->types.n; i++) {
        if (types[i] == DT_COUNT || in_set(call->op->types.items[i].set, types[i])) continue;
        say_promoted(rules, call, i, types[i]);
        good = false;
    }
    return good;
}

/* A number that its dtype does not hold, or that is of a higher category. */
static bool check_scalar(Rules *rules, const RuleCall *call, uint32_t input, Dtype wanted) {
    const RuleScalar *scalar = scalar_of(call, input);
    bool fits = category(scalar->dtype) <= category(wanted);
    if (fits && lower_number_fits(rules->arena, scalar->text, wanted)) return true;
    diag_error(rules->diags, fits ? E_BAD_VALUE : E_INPUT_TYPE, scalar->at,
               fits ? "%S of %S is %s here, which does not hold %S" : "%S of %S is %s, which %S is not",
               name_str(call->op->inputs.items[input].name), name_str(call->op->name), dtype_name(wanted),
               scalar->text);
    return false;
}

static bool check_scalars(Rules *rules, const RuleCall *call, const Dtype *types) {
    bool good = true;
    for (uint32_t i = 0; i < call->op->inputs.n; i++) {
        int variable = variable_of(call->op, &call->op->inputs.items[i].type);
        if (scalar_of(call, i) == NULL || variable < 0 || types[variable] == DT_COUNT) continue;
        good = check_scalar(rules, call, i, types[variable]) && good;
    }
    return good;
}

/* ---- what rules see */
static RuleScope *add(Rules *rules, RuleScope *outer, Name name, RuleValue value) {
    RuleScope *scope = ARENA_NEW(rules->arena, RuleScope);
    *scope = (RuleScope){outer, name, value};
    return scope;
}

static RuleValue tensor_value(const RuleTensor *tensor) {
    return (RuleValue){.kind = RULE_TENSOR, .as.tensor = tensor};
}

static RuleValue tensor_list(Rules *rules, const RuleTensor *tensors, uint32_t n) {
    RuleValue *items = ARENA_ARRAY(rules->arena, RuleValue, n + 1);
    for (uint32_t k = 0; k < n; k++)
        items[k] = tensor_value(&tensors[k]);
    return rule_list(items, n);
}

static RuleScope *add_types(Rules *rules, const RuleCall *call, const Dtype *types) {
    RuleScope *scope = NULL;
    for (uint32_t i = 0; i < call->op->types.n; i++)
        if (types[i] != DT_COUNT) scope = add(rules, scope, call->op->types.items[i].name, rule_dtype(types[i]));
    return scope;
}

/* Attributes that name dtypes are dtypes to rules, however they were given. */
static RuleValue attr_value(const OpAttr *attr, RuleValue value) {
    Dtype dtype;
    if (attr->type == ATTR_DTYPE && value.kind == RULE_TEXT && dtype_parse(value.as.s, &dtype))
        return rule_dtype(dtype);
    return value;
}

static RuleScope *make_scope(Rules *rules, const RuleCall *call, const Dtype *types) {
    RuleScope *scope = add_types(rules, call, types);
    for (uint32_t i = 0; i < call->op->attrs.n; i++)
        scope = add(rules, scope, call->op->attrs.items[i].name, attr_value(&call->op->attrs.items[i], call->attrs[i]));
    for (uint32_t i = 0; i < call->op->inputs.n; i++) {
        const RuleTensor *tensors;
        uint32_t n = tensors_of(call, i, &tensors);
        RuleValue value = {.kind = RULE_NONE};
        if (call->op->inputs.items[i].list && (n > 0 || !call->op->inputs.items[i].optional))
            value = tensor_list(rules, tensors, n);
        else if (n > 0)
            value = tensor_value(tensors);
        scope = add(rules, scope, call->op->inputs.items[i].name, value);
    }
    return scope;
}

const RuleScope *rule_scope(Rules *rules, const RuleCall *call, const RuleTensor *outputs) {
    const OpDef *op = call->op;
    Dtype *types = ARENA_ARRAY(rules->arena, Dtype, op->types.n + 1);
    bind_types(call, types);
    RuleScope *scope = make_scope(rules, call, types);
    uint32_t at = 0;
    for (uint32_t i = 0; outputs != NULL && i < op->outputs.n; i++) {
        uint32_t n = 1;
        if (op->outputs.items[i].count.expr != NULL && !rule_output_counts(rules, call, &n)) return scope;
        RuleValue value =
            op->outputs.items[i].count.expr != NULL ? tensor_list(rules, outputs + at, n) : tensor_value(outputs + at);
        scope = add(rules, scope, op->outputs.items[i].name, value);
        at += n;
    }
    return scope;
}

/* ---- types that are no variable */
static bool eval_type(Rules *rules, const OpExpr *type, const RuleScope *scope, Dtype *dtype) {
    Eval eval;
    RuleValue value;
    if (!rule_eval_in(rules, type, scope, &value, &eval)) return false;
    if (value.kind == RULE_DTYPE) {
        *dtype = value.as.dtype;
        return true;
    }
    if (value.kind == RULE_TEXT && dtype_parse(value.as.s, dtype)) return true;
    rule_error(&eval, type->expr, "this is a dtype, but here it is %s", rule_kind_name(value.kind));
    return false;
}

/* Inputs whose type is given: one dtype, or what a rule makes of the variables. */
static bool check_fixed_types(Rules *rules, const RuleCall *call, const RuleScope *scope) {
    const OpDef *op = call->op;
    bool good = true;
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const OpInput *input = &op->inputs.items[i];
        const RuleTensor *tensors;
        uint32_t n = tensors_of(call, i, &tensors);
        if (n == 0 || input->type.expr == NULL || variable_of(op, &input->type) >= 0) continue;
        Dtype wanted;
        rules->use = use_of(call, "the type of ", input->name);
        if (!eval_type(rules, &input->type, scope, &wanted)) return false;
        if (scalar_of(call, i) != NULL) {
            good = check_scalar(rules, call, i, wanted) && good;
            continue;
        }
        for (uint32_t k = 0; k < n; k++) {
            if (tensors[k].dtype == wanted) continue;
            say_type(rules, call, input_text(rules, call, i, k), tensors[k].dtype, (DtypeSet)1 << wanted);
            good = false;
        }
    }
    return good;
}

Dtype rule_input_dtype(Rules *rules, const RuleCall *call, uint32_t input, const RuleScope *scope) {
    const OpExpr *type = &call->op->inputs.items[input].type;
    int variable = variable_of(call->op, type);
    if (variable >= 0) return promoted(call, variable);
    if (scalar_of(call, input) == NULL) return call->inputs[input][0].dtype;
    Dtype dtype;
    RuleUse before = rules->use;
    rules->use = use_of(call, "the type of ", call->op->inputs.items[input].name);
    bool good = type->expr != NULL && eval_type(rules, type, scope, &dtype);
    rules->use = before;
    return good ? dtype : DT_COUNT;
}

/* ---- requirements */

/* The message: text with {{ expressions }}, which are rules as any other. An empty Str where one of them fails; the
 * finding is then about the requirement itself. */
static Str message(Rules *rules, const OpRequire *require, const RuleScope *scope) {
    Diags aside;
    diags_init(&aside, rules->arena);
    SyntaxOptions options = {.keep_trailing_newline = true};
    Source *source = source_new(rules->arena, S("message"), require->otherwise);
    TemplateAst *ast = parse_template(rules->arena, rules->names, source, &options, &aside);
    if (ast == NULL) return S("");
    Buf out;
    buf_init(&out, rules->diags->arena);
    Rules within = *rules;
    within.diags = &aside;
    for (uint32_t i = 0; i < ast->body.n; i++) {
        const Stmt *stmt = ast->body.items[i];
        if (stmt->kind == S_TEXT) buf_add(&out, stmt->as.text);
        if (stmt->kind != S_EMIT) continue;
        OpExpr expr = {stmt->as.expr, source};
        RuleValue value;
        if (!rule_eval(&within, &expr, scope, &value)) return S("");
        rule_print(&out, &value);
    }
    return buf_str(&out);
}

static Str expr_text(const OpExpr *expr) { return str_sub(expr->source->text, expr->expr->from, expr->expr->to); }

static bool check_requirement(Rules *rules, const RuleCall *call, const OpRequire *require, const RuleScope *scope) {
    RuleValue value;
    rules->use = use_of(call, "a requirement", NULL);
    if (!rule_eval(rules, &require->that, scope, &value)) return false;
    SymRef holds = rule_truth(rules, &value);
    int truth = sym_truth(holds);
    if (truth == 1) return true;
    Str text = message(rules, require, scope);
    if (text.n == 0)
        text = str_format(rules->diags->arena, "%S requires: %S", name_str(call->op->name), expr_text(&require->that));
    if (truth < 0 && call->checks != NULL) {
        *VEC_PUSH(rules->arena, call->checks) = (RuleCheck){holds, str_copy(rules->arena, text)};
        return true;
    }
    Diag *diag = diag_error(rules->diags, E_INPUT_SHAPE, call->node, "%S", text);
    if (truth < 0) {
        Buf condition;
        buf_init(&condition, rules->diags->arena);
        sym_print(&condition, holds);
        diag_hint(rules->diags, diag, "they could differ: it takes %S", buf_str(&condition));
    }
    Span that = span(require->that.source, require->that.expr->from, require->that.expr->to);
    diag_note(rules->diags, diag, that, "%Q requires this", name_str(call->op->name));
    return false;
}

/* ---- shapes that no rule gives */
static bool broadcast_inputs(Rules *rules, const RuleCall *call, RuleShape *out) {
    const OpDef *op = call->op;
    uint32_t n = 0, total = 0, wrong;
    for (uint32_t i = 0; i < op->inputs.n; i++)
        total += call->counts[i];
    RuleShape *shapes = ARENA_ARRAY(rules->arena, RuleShape, total + 1);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const RuleTensor *tensors;
        uint32_t count = tensors_of(call, i, &tensors);
        for (uint32_t k = 0; k < count; k++)
            shapes[n++] = tensors[k].shape;
    }
    if (rule_broadcast(rules, shapes, n, out, &wrong)) return true;
    Str *names = ARENA_ARRAY(rules->arena, Str, n);
    n = 0;
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const RuleTensor *tensors;
        uint32_t count = tensors_of(call, i, &tensors);
        for (uint32_t k = 0; k < count; k++)
            names[n++] = input_text(rules, call, i, k);
    }
    rule_say_broadcast(rules, call->node, shapes, names, n, wrong);
    return false;
}

static const RuleValue *attr_of(Rules *rules, const RuleCall *call, Str wanted) {
    Name name = names_find(rules->names, wanted);
    for (uint32_t i = 0; name != NULL && i < call->op->attrs.n; i++)
        if (call->op->attrs.items[i].name == name) return &call->attrs[i];
    return NULL;
}

static bool reduced_in(Rules *rules, const RuleCall *call, const RuleScope *scope, RuleShape *shape, bool *reduced) {
    if (!broadcast_inputs(rules, call, shape)) return false;
    RuleValue dim = {.kind = RULE_NONE};
    Eval eval = {.rules = NULL};
    const OpExpr *over = &call->op->over;
    if (over->expr != NULL) {
        rules->use = use_of(call, "the dims", NULL);
        if (!rule_eval_in(rules, over, scope, &dim, &eval)) return false;
    } else {
        const RuleValue *given = attr_of(rules, call, S("dim"));
        if (given != NULL) dim = *given;
        if (dim.kind == RULE_LIST && dim.as.list.n == 0) dim.kind = RULE_NONE; /* all of them, as in PyTorch */
    }
    Str why = rule_named_dims(rules->diags->arena, &dim, shape->rank, reduced);
    if (why.n == 0) return true;
    if (eval.rules != NULL)
        rule_error(&eval, over->expr, "%S", why);
    else
        diag_error(rules->diags, E_INPUT_SHAPE, call->node, "attribute \"dim\" of %S: %S", name_str(call->op->name),
                   why);
    return false;
}

bool rule_reduced(Rules *rules, const RuleCall *call, RuleShape *shape, bool *reduced) {
    RuleUse before = rules->use;
    bool good = reduced_in(rules, call, rule_scope(rules, call, NULL), shape, reduced);
    rules->use = before;
    return good;
}

static bool reduced_shape(Rules *rules, const RuleCall *call, const RuleScope *scope, RuleShape *out) {
    RuleShape shape;
    bool reduced[RULE_MOST_RANK];
    if (!reduced_in(rules, call, scope, &shape, reduced)) return false;
    const RuleValue *keep = attr_of(rules, call, S("keepdim"));
    bool keeps = keep != NULL && sym_truth(rule_truth(rules, keep)) == 1;
    out->rank = 0;
    out->dims = ARENA_ARRAY(rules->arena, SymRef, shape.rank + 1);
    for (uint32_t k = 0; k < shape.rank; k++) {
        if (!reduced[k])
            out->dims[out->rank++] = shape.dims[k];
        else if (keeps)
            out->dims[out->rank++] = sym_int(rules->syms, 1);
    }
    return true;
}

static bool default_shape(Rules *rules, const RuleCall *call, const RuleScope *scope, RuleShape *out) {
    *out = (RuleShape){NULL, RULE_NO_RANK};
    const RuleTensor *tensors;
    switch (call->op->kind) {
    case KIND_MAP:
        return broadcast_inputs(rules, call, out);
    case KIND_REDUCE:
        return reduced_shape(rules, call, scope, out);
    case KIND_KERNEL:
        for (uint32_t i = 0; i < call->op->inputs.n; i++) {
            if (tensors_of(call, i, &tensors) == 0) continue;
            *out = tensors[0].shape;
            return true;
        }
        break;
    case KIND_VIEW:
        break;
    case KIND_COMPOSITE:
        return true;
    }
    Diag *diag = diag_error(rules->diags, E_RULE, call->node, "the shape of what %S gives is not known",
                            name_str(call->op->name));
    diag_note(rules->diags, diag, span(call->op->source, call->op->from, call->op->to),
              "its outputs have no \"shape\"");
    return false;
}

/* ---- outputs */
static bool count_of(Rules *rules, const RuleCall *call, const OpOutput *output, const RuleScope *scope,
                     uint32_t *count) {
    *count = 1;
    if (output->count.expr == NULL) return true;
    Eval eval;
    RuleValue value;
    int64_t n;
    rules->use = use_of(call, "the count of ", output->name);
    if (!rule_eval_in(rules, &output->count, scope, &value, &eval)) return false;
    if (!rule_known(&eval, output->count.expr, &value, "how many tensors there are", &n)) return false;
    *count = (uint32_t)n;
    if (n >= 0 && n <= RULE_MOST_ITEMS) return true;
    rule_error(&eval, output->count.expr, "from 0 to %d tensors may come out of it, but here %lld", RULE_MOST_ITEMS,
               (long long)n);
    return false;
}

bool rule_output_counts(Rules *rules, const RuleCall *call, uint32_t *counts) {
    const RuleScope *scope = NULL;
    RuleUse before = rules->use;
    bool good = true;
    for (uint32_t i = 0; i < call->op->outputs.n; i++) {
        if (scope == NULL && call->op->outputs.items[i].count.expr != NULL) scope = rule_scope(rules, call, NULL);
        good &= count_of(rules, call, &call->op->outputs.items[i], scope, &counts[i]);
    }
    rules->use = before;
    return good;
}

static bool infer_output(Rules *rules, const RuleCall *call, const OpOutput *output, const RuleScope *scope,
                         RuleTensor *out) {
    int variable = variable_of(call->op, &output->type);
    out->dtype = DT_COUNT;
    rules->use = use_of(call, "the type of ", output->name);
    if (output->type.expr != NULL && !eval_type(rules, &output->type, scope, &out->dtype)) return false;
    if (output->type.expr == NULL && variable >= 0) out->dtype = promoted(call, variable);
    if (output->shape.expr == NULL && output->rank.expr == NULL) return default_shape(rules, call, scope, &out->shape);
    rules->use = use_of(call, "the shape of ", output->name);
    return rule_shape(rules, output, scope, &out->shape);
}

static bool infer_outputs(Rules *rules, const RuleCall *call, RuleScope *scope, RuleTensor *outputs) {
    const OpDef *op = call->op;
    uint32_t at = 0;
    for (uint32_t i = 0; i < op->outputs.n; i++) {
        const OpOutput *output = &op->outputs.items[i];
        uint32_t n;
        if (!count_of(rules, call, output, scope, &n)) return false;
        bool is_list = output->count.expr != NULL;
        RuleScope inner = {scope, is_list ? names_get(rules->names, S("n")) : NULL, {.kind = RULE_NONE}};
        for (uint32_t k = 0; k < n; k++) {
            inner.value = rule_int(sym_int(rules->syms, k));
            if (!infer_output(rules, call, output, is_list ? &inner : scope, &outputs[at++])) return false;
        }
    }
    return true;
}

static bool infer(Rules *rules, const RuleCall *call, RuleTensor *outputs, Dtype *types) {
    bind_types(call, types);
    if (!check_types(rules, call, types) || !check_scalars(rules, call, types)) return false;
    RuleScope *scope = make_scope(rules, call, types);
    if (!check_fixed_types(rules, call, scope)) return false;
    bool good = true;
    for (uint32_t i = 0; i < call->op->requires.n; i++)
        good &= check_requirement(rules, call, &call->op->requires.items[i], scope);
    return good && infer_outputs(rules, call, scope, outputs);
}

bool rule_infer(Rules *rules, const RuleCall *call, RuleTensor *outputs, Dtype *types) {
    RuleUse before = rules->use;
    bool good = infer(rules, call, outputs, types);
    rules->use = before;
    return good;
}

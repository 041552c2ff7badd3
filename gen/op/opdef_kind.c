/* opdef_kind.c: what operators of one kind have: bodies, index rules, accumulators, steps. */
#include "op/opdef_inner.h"

enum { BODY = SEE_INPUTS | SEE_ATTRS | SEE_OUTPUTS | SEE_TYPES | SEE_LET | IS_BODY };

static Name *output_names(OpRead *read) {
    const OpDef *op = read->op;
    Name *names = ARENA_ARRAY(read->arena, Name, op->outputs.n);
    for (uint32_t i = 0; i < op->outputs.n; i++)
        names[i] = op->outputs.items[i].name;
    return names;
}

static Name *input_names(OpRead *read) {
    const OpDef *op = read->op;
    Name *names = ARENA_ARRAY(read->arena, Name, op->inputs.n);
    for (uint32_t i = 0; i < op->inputs.n; i++)
        names[i] = op->inputs.items[i].name;
    return names;
}

/* Names that a scope has of itself hide those of inputs and attributes: no operator may have both. */
static void no_clash(OpRead *read, const char *words, const char *where) {
    const OpDef *op = read->op;
    size_t n;
    Str *list = op_words(read->arena, words, &n);
    for (size_t i = 0; i < n; i++) {
        Name name = names_find(read->names, list[i]);
        if (name == NULL) continue;
        const char *as = op_find_input(op, name) ? "an input" : op_find_attr(op, name) ? "an attribute" : NULL;
        if (as == NULL) continue;
        diag_error(read->diags, E_BAD_NAME, span(read->source, op->from, op->to),
                   "%Q is %s of this operator, but in %s it means something else", list[i], as, where);
    }
}

/* A name of let or of an accumulator: new, and of nothing else. NULL after a finding. */
static Name new_name(OpRead *read, const JsonMember *member, const char *what) {
    OpDef *op = read->op;
    Name name = op_name(read, name_str(member->key), member->from, member->to, what);
    if (name == NULL) return NULL;
    const char *as = op_find_input(op, name)    ? "an input"
                     : op_find_attr(op, name)   ? "an attribute"
                     : op_find_output(op, name) ? "an output"
                                                : NULL;
    if (as == NULL) return name;
    diag_error(read->diags, E_DUPLICATE, span(read->source, member->from, member->to), "%Q is %s already",
               name_str(name), as);
    return NULL;
}

static void read_let(OpRead *read, const char *extra) {
    OpDef *op = read->op;
    const Json *let = op_get(read->json, "let");
    if (let == NULL || !op_want(read, let, JSON_OBJECT, "let", "an object of names and expressions")) return;
    for (uint32_t i = 0; i < let->as.object.n; i++) {
        const JsonMember *member = &let->as.object.members[i];
        Name name = new_name(read, member, "what \"let\" names");
        OpScope scope = {.what = "\"let\"", .see = BODY, .extra = extra, .first = name};
        NamedExpr part = {.name = name, .value = {0}};
        op_expr(read, &member->value, &scope, &part.value);
        if (name != NULL) *VEC_PUSH(read->arena, &op->let) = part;
    }
}

/* ---- map */

/* position(...) ends the run where it finds none. */
static void look_for_failing(void *user, const Expr *e) {
    bool *fails = user;
    if (e == NULL) return;
    const Expr *callee = e->kind == X_CALL ? e->as.call.a : NULL;
    *fails |= callee != NULL && callee->kind == X_NAME && str_eq(name_str(callee->as.name), S("position"));
    ast_each(e, look_for_failing, user);
}

static void read_map(OpRead *read) {
    OpDef *op = read->op;
    no_clash(read, "index", "a map's expressions");
    read_let(read, "index");
    const JsonMember *expr = op_member(read->json, "expr");
    OpScope scope = {.what = "a map's expression", .see = BODY, .extra = "index", .first = NULL};
    if (expr != NULL) op_named(read, expr, "an output", output_names(read), op->outputs.n, true, &scope, &op->body);
    for (uint32_t i = 0; i < op->let.n; i++)
        look_for_failing(&op->fails, op->let.items[i].value.expr);
    for (uint32_t i = 0; i < op->body.n; i++)
        look_for_failing(&op->fails, op->body.items[i].value.expr);
    for (uint32_t i = 0; op_takes_nothing(read) && i < op->outputs.n; i++) {
        if (op_output_has(read, i, "shape")) continue;
        Diag *diag = diag_error(read->diags, E_MISSING, span(read->source, op->from, op->to),
                                "the shape of the output %Q is not known: there is no input that has one",
                                name_str(op->outputs.items[i].name));
        diag_hint(read->diags, diag, "write \"shape\" into the output");
    }
}

/* ---- view */

/* Whether an index rule takes positions of this input. */
typedef struct Taken {
    Name name;
    bool found;
} Taken;

static void look_for_taken(void *user, const Expr *e) {
    Taken *taken = user;
    const Expr *callee = e->kind == X_CALL ? e->as.call.a : NULL;
    if (callee != NULL && callee->kind == X_NAME && str_eq(name_str(callee->as.name), S("element")) &&
        e->as.call.args.n > 0) {
        const Expr *of = e->as.call.args.args[0];
        if (of->kind == X_NAME && of->as.name == taken->name) taken->found = true;
    }
    ast_each(e, look_for_taken, user);
}

/* Each input has an index rule, or positions are taken of it: element(index, ...). */
static void check_indexed(OpRead *read, const JsonMember *member) {
    OpDef *op = read->op;
    for (uint32_t i = 0; i < op->indices.n; i++) {
        if (op->indices.items[i].value.expr != NULL) continue;
        Taken taken = {op->inputs.items[i].name, false};
        for (uint32_t k = 0; k < op->indices.n; k++)
            if (op->indices.items[k].value.expr != NULL) look_for_taken(&taken, op->indices.items[k].value.expr);
        if (taken.found) continue;
        Diag *diag = diag_error(read->diags, E_MISSING, span(read->source, member->from, member->to),
                                "\"index\" says nothing of the input %Q", name_str(taken.name));
        diag_hint(read->diags, diag, "say where it is read, or take positions of it: element(%S, i, size)",
                  name_str(taken.name));
    }
}

static void read_view(OpRead *read) {
    OpDef *op = read->op;
    bool lists = false, many = false, shapes = true;
    for (uint32_t i = 0; i < op->inputs.n; i++)
        lists = lists || op->inputs.items[i].list;
    for (uint32_t i = 0; i < op->outputs.n; i++) {
        many = many || op_output_has(read, i, "count");
        shapes = shapes && op_output_has(read, i, "shape");
    }
    const char *dim = lists ? (many ? "d i k n" : "d i k") : (many ? "d i n" : "d i");
    no_clash(read, dim, "a view's rules");
    unsigned see = SEE_INPUTS | SEE_ATTRS | SEE_OUTPUTS | SEE_TYPES;
    OpScope index = {.what = "an index rule", .see = see | SEE_ELEMENTS, .extra = dim, .first = NULL};
    OpScope valid = {.what = "\"valid\"", .see = see, .extra = dim, .first = NULL};
    OpScope fill = {.what = "\"fill\"", .see = SEE_ATTRS | SEE_TYPES | IS_BODY, .extra = NULL, .first = NULL};
    if (op_takes_nothing(read))
        diag_error(read->diags, E_MISSING, span(read->source, op->from, op->to), "a view has an input, but %S has none",
                   op_shown(read));
    if (op->outputs.n > 1) {
        diag_error(read->diags, E_BAD_VALUE, span(read->source, op->from, op->to),
                   "a view has one output, but %S has %u", op_shown(read), (unsigned)op->outputs.n);
        return;
    }
    if (!shapes) {
        Diag *diag = diag_error(read->diags, E_MISSING, span(read->source, op->from, op->to),
                                "a view says the shape of its output, but that of %Q is not said",
                                name_str(op->outputs.items[0].name));
        diag_hint(read->diags, diag, "write \"outputs\": [{\"name\": %Q, \"shape\": \"...\"}]",
                  name_str(op->outputs.items[0].name));
    }
    const JsonMember *member = op_member(read->json, "index");
    if (member != NULL && op->inputs.n > 0) {
        op_named(read, member, "an input", input_names(read), op->inputs.n, false, &index, &op->indices);
        if (op->indices.n > 0) op->index = op->indices.items[0].value;
        check_indexed(read, member);
    }
    member = op_member(read->json, "valid");
    if (member != NULL && op->inputs.n > 0)
        op_named(read, member, "an input", input_names(read), op->inputs.n, false, &valid, &op->valids);
    for (uint32_t i = 0; member == NULL && i < op->inputs.n; i++)
        *VEC_PUSH(read->arena, &op->valids) = (NamedExpr){.name = op->inputs.items[i].name, .value = {0}};
    if (op->valids.n > 0) op->valid = op->valids.items[0].value;
    const Json *filling = op_get(read->json, "fill");
    op_expr_member(read, read->json, "fill", &fill, &op->fill);
    if (filling != NULL && member == NULL)
        op_error(read, filling, E_MISSING, "\"fill\" stands where \"valid\" is false, but there is no \"valid\"");
    if (filling == NULL && member != NULL && op->inputs.n == 1 && !op->inputs.items[0].list) {
        Diag *diag = op_error(read, &member->value, E_MISSING,
                              "\"valid\" leaves places without an element, but there is no \"fill\"");
        diag_hint(read->diags, diag, "write \"fill\": \"0\"");
    }
}

/* ---- reduce */

static void read_accumulators(OpRead *read) {
    OpDef *op = read->op;
    const Json *acc = op_get(read->json, "acc");
    OpScope type = {.what = "the type of an accumulator",
                    .see = SEE_INPUTS | SEE_ATTRS | SEE_TYPES | IS_TYPE,
                    .extra = NULL,
                    .first = NULL};
    if (acc != NULL && op_want(read, acc, JSON_OBJECT, "acc", "an object of accumulators and their types")) {
        for (uint32_t i = 0; i < acc->as.object.n; i++) {
            const JsonMember *member = &acc->as.object.members[i];
            NamedExpr part = {.name = new_name(read, member, "an accumulator"), .value = {0}};
            op_expr(read, &member->value, &type, &part.value);
            if (part.name != NULL) *VEC_PUSH(read->arena, &op->acc) = part;
        }
        if (acc->as.object.n == 0) op_error(read, acc, E_BAD_VALUE, "\"acc\" names no accumulator");
    }
    if (op->acc.n > 0) return;
    NamedExpr single = {.name = names_get(read->names, S("acc")), .value = op->outputs.items[0].type};
    *VEC_PUSH(read->arena, &op->acc) = single;
}

/* What elements go into, and how: of a reduction, and of a kernel that folds as a scan does. */
static void read_accumulation(OpRead *read) {
    OpDef *op = read->op;
    no_clash(read, "a at b count", "a reduction's expressions");
    read_let(read, "at");
    read_accumulators(read);
    Name *acc = ARENA_ARRAY(read->arena, Name, op->acc.n);
    for (uint32_t i = 0; i < op->acc.n; i++)
        acc[i] = op->acc.items[i].name;
    unsigned fixed = SEE_ATTRS | SEE_TYPES | IS_BODY;
    OpScope init = {.what = "\"init\"", .see = fixed, .extra = NULL, .first = NULL};
    OpScope element = {.what = "a reduction's \"map\"", .see = BODY, .extra = "at", .first = NULL};
    OpScope combine = {.what = "\"combine\"", .see = fixed | SEE_PAIR, .extra = NULL, .first = NULL};
    OpScope finish = {.what = "\"finish\"", .see = fixed | SEE_ACC, .extra = "count", .first = NULL};
    const struct {
        const char *key;
        const OpScope *scope;
        NamedExprs *to;
    } parts[] = {{"init", &init, &op->init}, {"map", &element, &op->element}, {"combine", &combine, &op->combine}};
    for (int i = 0; i < 3; i++) {
        const JsonMember *member = op_member(read->json, parts[i].key);
        if (member != NULL) op_named(read, member, "an accumulator", acc, op->acc.n, true, parts[i].scope, parts[i].to);
    }
    if (op_get(read->json, "map") == NULL && (op->inputs.n != 1 || op->acc.n != 1)) {
        diag_error(read->diags, E_MISSING, span(read->source, op->from, op->to),
                   "%S has no \"map\", which may be left out only where one input goes into one accumulator",
                   op_shown(read));
    } else if (op_get(read->json, "map") == NULL) {
        OpExpr self =
            op_own_expr(read, S("<the map of a reduction that has none>"), name_str(op->inputs.items[0].name));
        *VEC_PUSH(read->arena, &op->element) = (NamedExpr){.name = acc[0], .value = self};
    }
    const JsonMember *member = op_member(read->json, "finish");
    if (member != NULL) {
        op_named(read, member, "an output", output_names(read), op->outputs.n, true, &finish, &op->finish);
    } else if (op->acc.n == op->outputs.n) {
        for (uint32_t i = 0; i < op->acc.n; i++) {
            OpExpr self = op_own_expr(read, S("<the finish of a reduction that has none>"), name_str(acc[i]));
            *VEC_PUSH(read->arena, &op->finish) = (NamedExpr){.name = op->outputs.items[i].name, .value = self};
        }
    } else {
        diag_error(read->diags, E_MISSING, span(read->source, op->from, op->to),
                   "%S has no \"finish\", but %u accumulator%s for %u output%s", op_shown(read), (unsigned)op->acc.n,
                   op->acc.n == 1 ? "" : "s", (unsigned)op->outputs.n, op->outputs.n == 1 ? "" : "s");
    }
}

static void read_reduce(OpRead *read) {
    OpDef *op = read->op;
    OpScope over = {.what = "\"over\"", .see = SEE_INPUTS | SEE_ATTRS | IS_LIST, .extra = NULL, .first = NULL};
    read_accumulation(read);
    op_expr_member(read, read->json, "over", &over, &op->over);
    Name dim = names_find(read->names, S("dim"));
    if (op_get(read->json, "over") == NULL && (dim == NULL || op_find_attr(op, dim) == NULL)) {
        Diag *diag = diag_error(read->diags, E_MISSING, span(read->source, op->from, op->to),
                                "%S does not say which dims it reduces", op_shown(read));
        diag_hint(read->diags, diag, "give it an attribute \"dim\", or \"over\": \"range(x.rank)\"");
    }
}

/* ---- kernel */

/* A template may be one that folds elements, and then the operator says how. */
static void read_kernel_parts(OpRead *read) {
    static const char *const parts[] = {"init", "combine", "map", "acc", "finish", "let"};
    bool folds = op_get(read->json, "combine") != NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const JsonMember *member = op_member(read->json, parts[i]);
        if (folds || member == NULL) continue;
        diag_error(read->diags, E_MISSING, span(read->source, member->from, member->to),
                   "a kernel that has \"%s\" folds elements, and needs \"combine\" as well", parts[i]);
    }
    if (folds && op_get(read->json, "init") == NULL)
        diag_error(read->diags, E_MISSING, span(read->source, read->op->from, read->op->to),
                   "%S has \"combine\", but no \"init\"", op_shown(read));
    if (folds) read_accumulation(read);
}

static void read_kernel(OpRead *read) {
    OpDef *op = read->op;
    const Json *kernel = op_get(read->json, "kernel");
    read_kernel_parts(read);
    op_read_sizes(read);
    op_read_holes(read);
    if (kernel == NULL || !op_want(read, kernel, JSON_STRING, "kernel", "the name of a template")) return;
    Str name = kernel->as.s;
    if (!is_identifier(name)) {
        Diag *diag = op_error(read, kernel, E_BAD_NAME, "%Q is not the name of a kernel template", name);
        diag_hint(read->diags, diag, "a template is named without its folder and ending: \"gemm\"");
        return;
    }
    op->kernel = names_get(read->names, name);
    op->kernel_at = span(read->source, kernel->from, kernel->to);
}

/* ---- composite */

static const OpScope step_inputs = {
    .what = "a step", .see = SEE_INPUTS | SEE_STEPS | IS_GRAPH, .extra = NULL, .first = NULL};
static const OpScope step_rules = {
    .what = "a step's rule", .see = SEE_INPUTS | SEE_ATTRS | SEE_TYPES, .extra = NULL, .first = NULL};

/* What goes into one input of a step: a name, or a list of names, which may be a JSON array as well. */
static OpExpr read_flow(OpRead *read, const Json *value) {
    OpExpr flow = {0};
    if (value->kind != JSON_ARRAY) {
        op_expr(read, value, &step_inputs, &flow);
        return flow;
    }
    uint32_t n = value->as.array.n;
    Expr *list = ARENA_NEW(read->arena, Expr);
    *list = (Expr){
        .kind = X_LIST, .height = 2, .from = value->from, .to = value->to, .at = value->from, .at_to = value->from + 1};
    list->as.list.items = ARENA_ARRAY(read->arena, Expr *, n);
    for (uint32_t i = 0; i < n; i++) {
        OpExpr item = {0};
        if (op_expr(read, &value->as.array.items[i], &step_inputs, &item))
            list->as.list.items[list->as.list.n++] = item.expr;
    }
    return (OpExpr){list, read->source};
}

static void read_step_inputs(OpRead *read, const Json *in, OpStep *step) {
    if (in->kind == JSON_OBJECT) {
        for (uint32_t i = 0; i < in->as.object.n; i++) {
            const JsonMember *member = &in->as.object.members[i];
            *VEC_PUSH(read->arena, &step->in) =
                (NamedExpr){.name = member->key, .value = read_flow(read, &member->value)};
        }
    } else if (in->kind == JSON_ARRAY) {
        for (uint32_t i = 0; i < in->as.array.n; i++)
            *VEC_PUSH(read->arena, &step->in) =
                (NamedExpr){.name = NULL, .value = read_flow(read, &in->as.array.items[i])};
    } else if (in->kind == JSON_STRING) {
        *VEC_PUSH(read->arena, &step->in) = (NamedExpr){.name = NULL, .value = read_flow(read, in)};
    } else {
        op_wrong_type(read, in, "in", "an object, an array or a name");
    }
}

static void read_step_output(OpRead *read, const Json *value, OpStep *step) {
    OpDef *op = read->op;
    Name name = op_name_of(read, value, "what a step makes");
    if (name == NULL) return;
    const char *as = op_find_input(op, name) ? "an input" : op_find_attr(op, name) ? "an attribute" : NULL;
    for (uint32_t i = 0; i < op->steps.n && as == NULL; i++) {
        const OpStep *before = &op->steps.items[i];
        for (uint32_t k = 0; k < before->out.n; k++) {
            /* Steps that are alternatives to each other may make the same. */
            if (before->out.items[k] == name && (before->when.expr == NULL || step->when.expr == NULL))
                as = "made by a step";
        }
    }
    if (as != NULL)
        op_error(read, value, E_DUPLICATE, "%Q is %s already", name_str(name), as);
    else
        *VEC_PUSH(read->arena, &step->out) = name;
}

static void read_step(OpRead *read, const Json *value) {
    OpStep step = {0};
    if (value->kind != JSON_OBJECT) {
        Diag *diag =
            op_error(read, value, E_JSON_TYPE, "a step is an object, but this is %s", json_kind_name(value->kind));
        diag_hint(read->diags, diag, "write {\"op\": \"...\", \"in\": [...], \"out\": \"...\"}");
        return;
    }
    op_keys(read, value, "a step", "op in out attrs when doc");
    static const char *const keys[] = {"op", "in", "out"};
    for (int i = 0; i < 3; i++) {
        if (op_get(value, keys[i]) == NULL) op_error(read, value, E_MISSING, "this step has no \"%s\"", keys[i]);
    }
    const Json *name = op_get(value, "op"), *in = op_get(value, "in"), *out = op_get(value, "out"),
               *attrs = op_get(value, "attrs");
    if (name != NULL && op_want(read, name, JSON_STRING, "op", "the name of an operator")) {
        step.op = names_get(read->names, name->as.s);
        step.at = span(read->source, name->from, name->to);
    }
    op_expr_member(read, value, "when", &step_rules, &step.when);
    if (in != NULL) read_step_inputs(read, in, &step);
    if (out != NULL && out->kind == JSON_ARRAY) {
        for (uint32_t i = 0; i < out->as.array.n; i++)
            read_step_output(read, &out->as.array.items[i], &step);
    } else if (out != NULL) {
        read_step_output(read, out, &step);
    }
    if (attrs != NULL && op_want(read, attrs, JSON_OBJECT, "attrs", "an object of attributes and expressions")) {
        for (uint32_t i = 0; i < attrs->as.object.n; i++) {
            const JsonMember *member = &attrs->as.object.members[i];
            NamedExpr attr = {.name = member->key, .value = {0}};
            op_expr(read, &member->value, &step_rules, &attr.value);
            *VEC_PUSH(read->arena, &step.attrs) = attr;
        }
    }
    *VEC_PUSH(read->arena, &read->op->steps) = step;
}

static void read_composite(OpRead *read) {
    OpDef *op = read->op;
    const Json *steps = op_get(read->json, "steps");
    if (steps == NULL || !op_want(read, steps, JSON_ARRAY, "steps", "an array of steps")) return;
    if (steps->as.array.n == 0) op_error(read, steps, E_BAD_VALUE, "a composite has a step");
    for (uint32_t i = 0; i < steps->as.array.n; i++)
        read_step(read, &steps->as.array.items[i]);
    for (uint32_t i = 0; i < op->outputs.n; i++) {
        Name output = op->outputs.items[i].name;
        bool made = output->n == 0;
        for (uint32_t k = 0; k < op->steps.n; k++) {
            for (uint32_t m = 0; m < op->steps.items[k].out.n; m++)
                made = made || op->steps.items[k].out.items[m] == output;
        }
        if (made) continue;
        Diag *diag = op_error(read, steps, E_MISSING, "no step makes the output %Q", name_str(output));
        diag_hint(read->diags, diag, "write \"out\": %Q into the last one", name_str(output));
    }
}

void op_read_kind(OpRead *read) {
    static void (*const readers[])(OpRead *) = {read_map, read_view, read_reduce, read_kernel, read_composite};
    readers[read->op->kind](read);
}

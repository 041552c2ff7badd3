/* native_fold.c: the parts of an operator that folds elements, as its template asks for them: accumulators, what an
 * element contributes, two made one, the result. Reductions have them, and kernels whose opdefs do (scans).
 */
#include "emit/draft.h"

#include "template/value/run.h"

static Draft *draft_of(void *user) { return ((Natives *)user)->draft; }
static Str text_of(Run *run, Draft *draft, Value v) { return str_copy(draft->arena, val_text(val_to_str(run, v))); }

static const OpDef *folding(Run *run, Draft *draft, const char *what) {
    const OpDef *op = draft->anchor != NULL ? draft->anchor->node->op : NULL;
    if (op == NULL || op->combine.n == 0) run_fail(run, "%s is for operators that fold elements", what);
    return op;
}

/* "s_%[l]" for the accumulator acc: s_acc[l]. */
static Str pattern(Draft *draft, Str text, Name acc) {
    Buf out;
    buf_init(&out, draft->arena);
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '%')
            buf_add(&out, name_str(acc));
        else
            buf_char(&out, text.p[i]);
    }
    return buf_str(&out);
}

static bool acc_types(Draft *draft) {
    if (draft->acc_types != NULL) return true;
    const OpDef *op = draft->anchor->node->op;
    Dtype *types = ARENA_ARRAY(draft->arena, Dtype, op->acc.n + 1);
    for (uint32_t i = 0; i < op->acc.n; i++) {
        RuleValue value;
        if (!rule_eval(&draft->rules, &op->acc.items[i].value, draft->anchor->scope, &value)) return false;
        if (value.kind != RULE_DTYPE) return false;
        types[i] = dtype_compute(value.as.dtype);
    }
    draft->acc_types = types;
    return true;
}

static bool lower_as(Lower *lower, const OpExpr *expr, const LowerName *names, uint32_t n, Dtype type, Lowered *out) {
    uint32_t errors = lower->diags->errors;
    if (!lower_expr(lower, expr, names, n, out)) return false;
    *out = lower_convert(lower, *out, type);
    return lower->diags->errors == errors;
}

/* ---- what an element contributes */

/* The index in the shape that is gone over, of one of the loops. */
static SymRef *over_index(Draft *draft, const SymRef *loops) {
    uint32_t rank = draft->sketch->over.rank;
    SymRef *index = ARENA_ARRAY(draft->arena, SymRef, rank + 1);
    for (uint32_t first = 0; first < rank;) {
        uint32_t loop = draft->dim_of[first], next = first;
        while (next < rank && draft->dim_of[next] == loop)
            next++;
        RuleShape part = {ARENA_ARRAY(draft->arena, SymRef, next - first), next - first};
        for (uint32_t d = first; d < next; d++) {
            int32_t class = draft->sketch->over.classes[d];
            part.dims[d - first] = class < 0 ? sym_int(&draft->syms, class == CLASS_ONE) : draft->class_vars[class];
        }
        sym_unravel(&draft->syms, loops[loop], part, index + first);
        first = next;
    }
    return index;
}

static const DraftHole *hole_for(const Draft *draft, Name tensor) {
    for (uint32_t i = 0; i < draft->holes.n; i++)
        if (draft->holes.items[i].of == NULL ? draft->holes.items[i].name == tensor
                                             : draft->holes.items[i].of->of == tensor)
            return &draft->holes.items[i];
    return NULL;
}

static bool inputs(Run *run, Draft *draft, Value list, LowerName *names, uint32_t *n) {
    DraftNode *anchor = draft->anchor;
    if (draft->sketch->form == FORM_REDUCE) {
        const SymRef *loops = native_dims_index(run, draft, list, "element()");
        return draft_inputs(draft, anchor, over_index(draft, loops), draft->sketch->over.rank, names, n);
    }
    const OpDef *op = anchor->node->op;
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const DraftHole *hole = hole_for(draft, op->inputs.items[i].name);
        if (anchor->node->counts[i] == 0 || hole == NULL) continue;
        const SymRef *index = native_index(run, draft, list, hole->shape.dims, hole->shape.rank, "element()");
        LowerName *name = &names[(*n)++];
        name->name = op->inputs.items[i].name;
        if (!draft_value(draft, hole->tensor, native_hole_index(run, draft, hole, index), &name->value)) return false;
    }
    return true;
}

static Value element(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    if (draft->sketch->form == FORM_MAP || draft->sketch->form == FORM_VIEW)
        return native_map_element(run, draft, a[0]);
    const OpDef *op = folding(run, draft, "element()");
    if (a[1].kind == V_MISSING || a[2].kind == V_MISSING)
        run_fail(run, "element() of a reduction wants an index, at and into");
    Graph *graph = draft->plan->graph;
    LowerName *names = ARENA_ARRAY(draft->arena, LowerName, op->inputs.n + op->let.n + 2);
    uint32_t n = 0;
    Buf out;
    buf_init(&out, draft->arena);
    draft_begin(draft, &out);
    bool good = acc_types(draft) && inputs(run, draft, a[0], names, &n);
    names[n++] = (LowerName){names_get(graph->names, S("at")), {text_of(run, draft, a[1]), DT_I64, false}};
    Lower lower = draft_lower(draft, draft->anchor->scope);
    for (uint32_t i = 0; i < op->let.n && good; i++, n++) {
        names[n].name = op->let.items[i].name;
        good = lower_expr(&lower, &op->let.items[i].value, names, n, &names[n].value);
    }
    Str into = text_of(run, draft, a[2]);
    for (uint32_t i = 0; i < op->acc.n && good; i++) {
        Lowered value;
        good = lower_as(&lower, &op->element.items[i].value, names, n, draft->acc_types[i], &value);
        if (good) draft_declare(draft, pattern(draft, into, op->acc.items[i].name), value);
    }
    draft_end(draft);
    if (!good) native_give_up(run, draft);
    return val_str(run, draft_without_unused(draft, buf_str(&out)));
}

/* ---- two made one */
static Value combine(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    const OpDef *op = folding(run, draft, "combine()");
    Graph *graph = draft->plan->graph;
    Str into = text_of(run, draft, a[0]), sides[2] = {text_of(run, draft, a[1]), text_of(run, draft, a[2])};
    LowerName *names = ARENA_ARRAY(draft->arena, LowerName, 2 * op->acc.n + 1);
    uint32_t n = 0;
    bool good = acc_types(draft);
    for (uint32_t i = 0; i < op->acc.n && good; i++) {
        Name acc = op->acc.items[i].name;
        for (int side = 0; side < 2; side++) {
            const char *letter = side == 0 ? "a" : "b";
            Str own = op->acc.n == 1 ? str_c(letter) : str_format(draft->arena, "%s.%S", letter, name_str(acc));
            names[n++] = (LowerName){names_get(graph->names, own),
                                     {pattern(draft, sides[side], acc), draft->acc_types[i], false}};
        }
    }
    Buf out;
    buf_init(&out, draft->arena);
    draft_begin(draft, &out);
    Lower lower = draft_lower(draft, draft->anchor->scope);
    Lowered *values = ARENA_ARRAY(draft->arena, Lowered, op->acc.n + 1);
    for (uint32_t i = 0; i < op->acc.n && good; i++) {
        good = lower_as(&lower, &op->combine.items[i].value, names, n, draft->acc_types[i], &values[i]);
        if (good && op->acc.n > 1)
            values[i] = draft_declare(draft, S(""), values[i]); /* all are read before one is set */
    }
    for (uint32_t i = 0; i < op->acc.n && good; i++) {
        if (out.n > 0) buf_char(&out, '\n');
        buf_format(&out, "%S = %S;", pattern(draft, into, op->acc.items[i].name), lower_bare(values[i].text));
    }
    draft_end(draft);
    if (!good) native_give_up(run, draft);
    return val_str(run, draft_without_unused(draft, buf_str(&out)));
}

/* ---- the result */
static const SymRef *output_index(Run *run, Draft *draft, uint32_t k, Value list) {
    DraftNode *anchor = draft->anchor;
    if (draft->sketch->form != FORM_REDUCE) {
        const DraftHole *hole = hole_for(draft, anchor->node->op->outputs.items[k].name);
        if (hole == NULL) run_fail(run, "output %u has no hole", (unsigned)k);
        const SymRef *index = native_index(run, draft, list, hole->shape.dims, hole->shape.rank, "finish()");
        return native_hole_index(run, draft, hole, index);
    }
    uint32_t n = 0, kept = 0;
    SymRef *sizes = ARENA_ARRAY(draft->arena, SymRef, draft->dims.n + 1);
    for (uint32_t i = 0; i < draft->dims.n; i++)
        if (!draft->dim_reduced[i]) sizes[n++] = draft->dims.items[i].value;
    const SymRef *given = native_index(run, draft, list, sizes, n, "finish()");
    SymRef *loops = ARENA_ARRAY(draft->arena, SymRef, draft->dims.n + 1);
    for (uint32_t i = 0, g = 0; i < draft->dims.n; i++)
        loops[i] = draft->dim_reduced[i] ? sym_int(&draft->syms, 0) : given[g++];
    SymRef *over = over_index(draft, loops), *own = ARENA_ARRAY(draft->arena, SymRef, draft->sketch->over.rank + 1);
    for (uint32_t d = 0; d < draft->sketch->over.rank; d++) {
        if (!draft->sketch->reduced[d])
            own[kept++] = over[d];
        else if (draft->sketch->along)
            own[kept++] = sym_int(&draft->syms, 0);
    }
    return own;
}

/* What the operator's `finish` says, in the types to compute in: one an output that the model names. */
static bool finished(Draft *draft, Str acc, Str count, Lowered *values) {
    const OpDef *op = draft->anchor->node->op;
    Graph *graph = draft->plan->graph;
    DraftNode *anchor = draft->anchor;
    LowerName *names = ARENA_ARRAY(draft->arena, LowerName, op->acc.n + 1);
    if (!acc_types(draft)) return false;
    for (uint32_t i = 0; i < op->acc.n; i++)
        names[i] = (LowerName){op->acc.items[i].name,
                               {pattern(draft, acc, op->acc.items[i].name), draft->acc_types[i], false}};
    RuleScope scope = {(RuleScope *)(uintptr_t)anchor->scope,
                       names_get(graph->names, S("count")),
                       {.kind = RULE_INT, .as.i = draft_index(draft, count, sym_int(&draft->syms, (int64_t)1 << 62))}};
    Lower lower = draft_lower(draft, &scope);
    for (uint32_t k = 0; k < op->finish.n; k++)
        if (draft->tensors.items[anchor->results[k]].tensor != NULL &&
            !lower_as(&lower, &op->finish.items[k].value, names, op->acc.n, anchor->outputs[k].dtype, &values[k]))
            return false;
    return true;
}

static Value finish(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    const OpDef *op = folding(run, draft, "finish()");
    DraftNode *anchor = draft->anchor;
    Str acc = text_of(run, draft, a[1]), count = text_of(run, draft, a[2]);
    Buf out, stores;
    buf_init(&out, draft->arena);
    buf_init(&stores, draft->arena);
    draft_begin(draft, &out);
    Lowered *values = ARENA_ARRAY(draft->arena, Lowered, op->finish.n + 1);
    bool good = finished(draft, acc, count, values);
    for (uint32_t k = 0; k < op->finish.n && good; k++) {
        uint32_t tensor = anchor->results[k];
        if (draft->tensors.items[tensor].tensor == NULL) continue;
        good = draft_output(draft, tensor, output_index(run, draft, k, a[0]), values[k], NULL, NULL, &stores);
    }
    draft_end(draft);
    if (!good) native_give_up(run, draft);
    if (out.n > 0) buf_char(&out, '\n');
    buf_add(&out, buf_str(&stores));
    return val_str(run, draft_without_unused(draft, buf_str(&out)));
}

/* The results for accumulators, under names of the template. */
static Value result(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    const OpDef *op = folding(run, draft, "result()");
    Str into = text_of(run, draft, a[2]);
    Buf out;
    buf_init(&out, draft->arena);
    draft_begin(draft, &out);
    Lowered *values = ARENA_ARRAY(draft->arena, Lowered, op->finish.n + 1);
    bool good = finished(draft, text_of(run, draft, a[0]), text_of(run, draft, a[1]), values);
    for (uint32_t k = 0; k < op->finish.n && good; k++)
        if (values[k].text.n > 0) draft_declare(draft, pattern(draft, into, op->finish.items[k].name), values[k]);
    draft_end(draft);
    if (!good) native_give_up(run, draft);
    return val_str(run, draft_without_unused(draft, buf_str(&out)));
}

/* What is made in a second turn, of one element of all that is gone over, the results having these names. */
static Value again(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    const OpDef *op = folding(run, draft, "again()");
    DraftNode *anchor = draft->anchor;
    if (!draft->sketch->along) run_fail(run, "again() is where data has `again`");
    const SymRef *index = over_index(draft, native_dims_index(run, draft, a[0], "again()"));
    SymRef *made = ARENA_ARRAY(draft->arena, SymRef, draft->sketch->over.rank + 1);
    for (uint32_t d = 0; d < draft->sketch->over.rank; d++)
        made[d] = draft->sketch->reduced[d] ? sym_int(&draft->syms, 0) : index[d];
    Str names = text_of(run, draft, a[1]);
    Buf out, stores;
    buf_init(&out, draft->arena);
    buf_init(&stores, draft->arena);
    draft_begin(draft, &out);
    for (uint32_t k = 0; k < op->finish.n; k++)
        draft_remember(
            draft, anchor->results[k], made,
            (Lowered){pattern(draft, names, op->finish.items[k].name), dtype_compute(anchor->outputs[k].dtype), false});
    bool good = true;
    for (uint32_t i = 0; i < draft->writes.n && good; i++) {
        uint32_t write = draft->writes.items[i];
        Lowered value;
        if (draft->again[write])
            good = draft_value(draft, write, index, &value) && draft_store(draft, write, index, value, S(""), &stores);
    }
    draft_end(draft);
    if (!good) native_give_up(run, draft);
    if (out.n > 0) buf_char(&out, '\n');
    buf_add(&out, buf_str(&stores));
    return val_str(run, draft_without_unused(draft, buf_str(&out)));
}

/* ---- data */
List *native_fold_results(Draft *draft) {
    const OpDef *op = draft->anchor->node->op;
    List *list = list_new(draft->arena, op->finish.n);
    for (uint32_t k = 0; k < op->finish.n; k++) {
        if (draft->tensors.items[draft->anchor->results[k]].tensor == NULL) continue;
        Dict *one = dict_new(draft->arena, 2);
        Str name = name_str(op->finish.items[k].name);
        Str type = str_c(dtype_name(dtype_compute(draft->anchor->outputs[k].dtype)));
        dict_set_in(draft->arena, one, VS("name"), val_str_lit(name.p, name.n));
        dict_set_in(draft->arena, one, VS("type"), val_str_lit(type.p, type.n));
        list_push(draft->arena, list, val_dict(one));
    }
    return list;
}

typedef struct Look {
    bool arithmetic;
} Look;

static void look(void *user, const Expr *e) {
    Look *at = user;
    if (e->kind == X_BINARY && e->op != OP_AND && e->op != OP_OR) at->arithmetic = true;
    ast_each(e, look, user);
}

bool native_fold_exact(Draft *draft) {
    const OpDef *op = draft->anchor->node->op;
    if (!acc_types(draft)) return false;
    for (uint32_t i = 0; i < op->acc.n; i++) {
        Look at = {false};
        look(&at, op->combine.items[i].value.expr);
        if (at.arithmetic && dtype_is_float(draft->acc_types[i])) return false;
    }
    return true;
}

List *native_fold_accs(Draft *draft) {
    const OpDef *op = draft->anchor->node->op;
    Arena *arena = draft->arena;
    if (!acc_types(draft)) return NULL;
    List *list = list_new(arena, op->acc.n);
    for (uint32_t i = 0; i < op->acc.n; i++) {
        Lower lower = draft_lower(draft, draft->anchor->scope);
        Lowered init;
        if (!lower_as(&lower, &op->init.items[i].value, NULL, 0, draft->acc_types[i], &init)) return NULL;
        Dict *acc = dict_new(arena, 4);
        Str type = str_c(dtype_name(draft->acc_types[i])), name = name_str(op->acc.items[i].name);
        dict_set_in(arena, acc, VS("name"), val_str_lit(name.p, name.n));
        dict_set_in(arena, acc, VS("type"), val_str_lit(type.p, type.n));
        dict_set_in(arena, acc, VS("init"), val_str_lit(init.text.p, init.text.n));
        list_push(arena, list, val_dict(acc));
    }
    return list;
}

void natives_add_fold(Natives *natives) {
    engine_add_function(natives->engine, "element", element, "index at? into?", natives);
    engine_add_function(natives->engine, "combine", combine, "into a b", natives);
    engine_add_function(natives->engine, "finish", finish, "index acc count", natives);
    engine_add_function(natives->engine, "result", result, "acc count into", natives);
    engine_add_function(natives->engine, "again", again, "index results", natives);
}

/* opdef_check.c: what can be said only when all operators are read: steps against the operators they name, cycles of
 * composites, and whether the templates of kernels are there. */
#include "op/opdef_inner.h"

#include "base/folder.h"

typedef struct Check {
    const OpTable *table;
    Arena *arena;
    Diags *diags;
} Check;

/* ---- steps */

static void unknown_operator(const Check *check, Span at, Name name) {
    Diag *diag = diag_error(check->diags, E_UNKNOWN_NAME, at, "there is no operator %Q", name_str(name));
    if (diag->text.p == NULL) return; /* one of too many: not shown, so nobody waits for the nearest name */
    uint32_t n;
    Str *names = optable_names(check->table, check->arena, &n);
    diag_suggest(check->diags, diag, name_str(name), names, n);
}

static Span place(const OpStep *step, const OpExpr *expr) {
    return expr->expr == NULL ? step->at : span(expr->source, expr->expr->from, expr->expr->to);
}

/* Inputs given by position get their names here. */
static void check_inputs(const Check *check, OpStep *step, const OpDef *inner) {
    for (uint32_t i = 0; i < step->in.n; i++) {
        NamedExpr *in = &step->in.items[i];
        Span at = place(step, &in->value);
        if (in->name == NULL && i >= inner->inputs.n) {
            diag_error(check->diags, E_BAD_VALUE, at, "%Q takes %u input%s, and this is number %u",
                       name_str(inner->name), (unsigned)inner->inputs.n, inner->inputs.n == 1 ? "" : "s",
                       (unsigned)i + 1);
            return;
        }
        if (in->name == NULL) in->name = inner->inputs.items[i].name;
        const OpInput *input = op_find_input(inner, in->name);
        if (input != NULL) {
            if (in->value.expr != NULL && (in->value.expr->kind == X_LIST) && !input->list)
                diag_error(check->diags, E_BAD_VALUE, at, "the input %Q of %Q is one tensor, not a list",
                           name_str(in->name), name_str(inner->name));
            continue;
        }
        Diag *diag = diag_error(check->diags, E_UNKNOWN_NAME, at, "%Q has no input %Q", name_str(inner->name),
                                name_str(in->name));
        Str *names = ARENA_ARRAY(check->arena, Str, inner->inputs.n);
        for (uint32_t k = 0; k < inner->inputs.n; k++)
            names[k] = name_str(inner->inputs.items[k].name);
        diag_suggest(check->diags, diag, name_str(in->name), names, inner->inputs.n);
    }
    for (uint32_t i = 0; i < inner->inputs.n; i++) {
        bool given = inner->inputs.items[i].optional;
        for (uint32_t k = 0; k < step->in.n; k++)
            given = given || step->in.items[k].name == inner->inputs.items[i].name;
        if (given) continue;
        diag_error(check->diags, E_MISSING, step->at, "this step does not give %Q its input %Q", name_str(inner->name),
                   name_str(inner->inputs.items[i].name));
    }
}

static void check_attrs(const Check *check, const OpStep *step, const OpDef *inner) {
    for (uint32_t i = 0; i < step->attrs.n; i++) {
        const NamedExpr *attr = &step->attrs.items[i];
        if (op_find_attr(inner, attr->name)) continue;
        Diag *diag = diag_error(check->diags, E_UNKNOWN_NAME, place(step, &attr->value), "%Q has no attribute %Q",
                                name_str(inner->name), name_str(attr->name));
        Str *names = ARENA_ARRAY(check->arena, Str, inner->attrs.n);
        for (uint32_t k = 0; k < inner->attrs.n; k++)
            names[k] = name_str(inner->attrs.items[k].name);
        diag_suggest(check->diags, diag, name_str(attr->name), names, inner->attrs.n);
    }
    for (uint32_t i = 0; i < inner->attrs.n; i++) {
        bool given = !inner->attrs.items[i].required;
        for (uint32_t k = 0; k < step->attrs.n; k++)
            given = given || step->attrs.items[k].name == inner->attrs.items[i].name;
        if (given) continue;
        diag_error(check->diags, E_MISSING, step->at,
                   "this step does not give %Q its attribute %Q, which has no default", name_str(inner->name),
                   name_str(inner->attrs.items[i].name));
    }
}

static void check_step(const Check *check, OpStep *step) {
    if (step->op == NULL) return;
    const OpDef *inner = optable_get(check->table, step->op);
    if (inner == NULL) {
        unknown_operator(check, step->at, step->op);
        return;
    }
    check_inputs(check, step, inner);
    check_attrs(check, step, inner);
    bool many = inner->outputs.n == 1 && inner->outputs.items[0].count.expr != NULL;
    if (many || step->out.n <= inner->outputs.n) return;
    diag_error(check->diags, E_BAD_VALUE, step->at, "%Q has %u output%s, but this step names %u", name_str(inner->name),
               (unsigned)inner->outputs.n, inner->outputs.n == 1 ? "" : "s", (unsigned)step->out.n);
}

/* Operators that the gradient of a kernel, view or composite calls. */
static void check_calls(const Check *check, const OpExpr *where, const Expr *e) {
    if (e == NULL) return;
    switch (e->kind) {
    case X_CALL:
        if (e->as.call.a->kind == X_NAME && !op_is_builtin(name_str(e->as.call.a->as.name)) &&
            optable_get(check->table, e->as.call.a->as.name) == NULL)
            unknown_operator(check, span(where->source, e->as.call.a->from, e->as.call.a->to), e->as.call.a->as.name);
        for (uint32_t i = 0; i < e->as.call.args.n; i++)
            check_calls(check, where, e->as.call.args.args[i]);
        return;
    case X_LIST:
        for (uint32_t i = 0; i < e->as.list.n; i++)
            check_calls(check, where, e->as.list.items[i]);
        return;
    case X_UNARY:
        check_calls(check, where, e->as.pair.a);
        return;
    case X_BINARY:
    case X_ITEM:
        check_calls(check, where, e->as.pair.a);
        check_calls(check, where, e->as.pair.b);
        return;
    case X_COND:
        check_calls(check, where, e->as.cond.test);
        check_calls(check, where, e->as.cond.a);
        check_calls(check, where, e->as.cond.b);
        return;
    case X_COMPARE:
        check_calls(check, where, e->as.compare.a);
        for (uint32_t i = 0; i < e->as.compare.n; i++)
            check_calls(check, where, e->as.compare.steps[i].to);
        return;
    default:
        return;
    }
}

/* ---- cycles */

typedef struct Visit {
    const OpDef *op;
    uint32_t next; /* step to look at */
} Visit;

typedef VEC(Visit) Path;

/* The way from the operator that the last step names, back to it. */
static void report_cycle(const Check *check, const Path *path, uint32_t begin) {
    const OpStep *step = &VEC_LAST(path).op->steps.items[VEC_LAST(path).next - 1];
    Diag *diag = diag_error(check->diags, E_CYCLE, step->at, "%Q is made of itself", name_str(step->op));
    for (uint32_t i = begin; i + 1 < path->n; i++) {
        const Visit *visit = &path->items[i];
        const OpStep *way = &visit->op->steps.items[visit->next - 1];
        diag_note(check->diags, diag, way->at, "%Q is a step of %Q", name_str(way->op), name_str(visit->op->name));
    }
}

/* Depth first with a path of its own, as chains of composites may be long. done: name -> operator that needs no further
 * look. */
static void check_cycles(const Check *check) {
    Map open, done;
    map_init(&open, check->arena);
    map_init(&done, check->arena);
    Path path = {0};
    const Map *ops = &check->table->ops;
    for (uint32_t i = 0; i < ops->n; i++) {
        const OpDef *root = ops->entries[i].value;
        if (map_get(&done, root->name) != NULL) continue;
        *VEC_PUSH(check->arena, &path) = (Visit){root, 0};
        map_set(&open, root->name, (void *)root->name);
        while (path.n > 0) {
            Visit *visit = &VEC_LAST(&path);
            if (visit->next == visit->op->steps.n) {
                map_set(&open, visit->op->name, NULL);
                map_set(&done, visit->op->name, (void *)visit->op->name);
                path.n--;
                continue;
            }
            Name name = visit->op->steps.items[visit->next++].op;
            const OpDef *inner = name == NULL ? NULL : optable_get(check->table, name);
            if (inner == NULL || map_get(&done, name) != NULL) continue;
            if (map_get(&open, name) != NULL) {
                uint32_t begin = 0;
                while (path.items[begin].op != inner)
                    begin++;
                report_cycle(check, &path, begin);
                continue;
            }
            map_set(&open, name, (void *)name);
            *VEC_PUSH(check->arena, &path) = (Visit){inner, 0};
        }
    }
}

/* ---- templates */

/* A kernel's template is <root>/<backend>/<kernel>.<ending>.j2: the part before its first dot, of a name with two. */
static void add_template(const Check *check, Str file, Map *found) {
    size_t dot = str_find_char(file, '.');
    if (!str_ends(file, S(".j2")) || dot == 0 || dot + S(".j2").n >= file.n) return;
    Name stem = names_get(check->table->names, str_sub(file, 0, dot));
    map_set(found, stem, (void *)(uintptr_t)stem);
}

static void find_templates(const Check *check, Str root, Map *found) {
    FolderEntries folders = {0}, files;
    if (!folder_list(check->arena, root, span(NULL, 0, 0), check->diags, &folders)) return;
    for (uint32_t i = 0; i < folders.n; i++) {
        Str folder = folders.items[i].name;
        if (!folders.items[i].is_folder || str_eq(folder, S("model"))) continue; /* that is no backend */
        files = (FolderEntries){0};
        if (!folder_list(check->arena, path_join(check->arena, root, folder), span(NULL, 0, 0), check->diags, &files))
            continue;
        for (uint32_t k = 0; k < files.n; k++)
            if (!files.items[k].is_folder) add_template(check, files.items[k].name, found);
    }
}

static void check_template(const Check *check, const Map *found, const OpDef *op, Name kernel) {
    if (map_get(found, kernel) != NULL) return;
    Diag *diag = diag_error(check->diags, E_TEMPLATE_NOT_FOUND, op->kernel_at, "there is no kernel template %Q",
                            name_str(kernel));
    Str *names = ARENA_ARRAY(check->arena, Str, found->n);
    for (uint32_t k = 0; k < found->n; k++)
        names[k] = name_str(found->entries[k].key);
    diag_suggest(check->diags, diag, name_str(kernel), names, found->n);
}

static void check_templates(const Check *check, const Str *roots, size_t n) {
    Map found;
    map_init(&found, check->arena);
    for (size_t i = 0; i < n; i++)
        find_templates(check, roots[i], &found);
    const Map *ops = &check->table->ops;
    for (uint32_t i = 0; i < ops->n; i++) {
        const OpDef *op = ops->entries[i].value;
        for (uint32_t k = 0; op->kernel != NULL && k <= op->candidates.n; k++)
            check_template(check, &found, op, k == 0 ? op->kernel : op->candidates.items[k - 1]);
    }
}

/* The operator that does several at once takes what there is, and leaves nothing out that it needs. */
static void check_parallel(const Check *check, const OpDef *op) {
    const OpDef *all = optable_get(check->table, op->parallel);
    if (all == NULL) {
        unknown_operator(check, op->parallel_at, op->parallel);
        return;
    }
    bool good = all->outputs.n == 1 && all->outputs.items[0].count.expr != NULL && all->mutates.n == 0;
    if (!good)
        diag_error(check->diags, E_BAD_VALUE, op->parallel_at, "%Q does not make a list, one result a node",
                   name_str(op->parallel));
    bool list = false;
    for (uint32_t i = 0; i < op->parallel_in.n; i++) {
        const OpInput *input = op_find_input(all, op->parallel_in.items[i].into);
        if (input == NULL)
            diag_error(check->diags, E_UNKNOWN_NAME, op->parallel_at, "%Q has no input %Q", name_str(op->parallel),
                       name_str(op->parallel_in.items[i].into));
        list |= input != NULL && input->list;
    }
    if (!list)
        diag_error(check->diags, E_BAD_VALUE, op->parallel_at,
                   "%Q takes nothing of each node: no input of it is a list", name_str(op->parallel));
}

void op_check_steps(const OpTable *table, OpDef *op, Diags *diags) {
    Check check = {.table = table, .arena = table->arena, .diags = diags};
    if (op->parallel != NULL) check_parallel(&check, op);
    for (uint32_t k = 0; k < op->steps.n; k++)
        check_step(&check, &op->steps.items[k]);
}

bool optable_check(const OpTable *table, const Str *template_roots, size_t n, Diags *diags) {
    uint32_t errors = diags->errors;
    Check check = {.table = table, .arena = table->arena, .diags = diags};
    for (uint32_t i = 0; i < table->ops.n; i++) {
        OpDef *op = table->ops.entries[i].value;
        op_check_steps(table, op, diags);
        for (uint32_t k = 0; k < op->grad.n && op->kind != KIND_MAP; k++)
            check_calls(&check, &op->grad.items[k].value, op->grad.items[k].value.expr);
    }
    check_cycles(&check);
    if (n > 0) check_templates(&check, template_roots, n);
    return diags->errors == errors;
}

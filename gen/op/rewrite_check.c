/* rewrite_check.c: a rule against the operators that it names: which input, attribute and result each name means.
 *
 * Steps are looked at as those of composites are. What only a graph tells, dtypes and shapes, is for the pass: a rule
 * whose steps make something else than what they replace does not fire.
 */
#include "op/rewrite_inner.h"

typedef struct Check {
    const OpTable *table;
    Arena *arena;
    Diags *diags;
    const Rewrite *rewrite;
} Check;

static Span place(const RewriteNode *node, uint32_t from, uint32_t to) { return span(node->at.source, from, to); }

static const OpDef *find_operator(const Check *check, const RewriteNode *node) {
    const OpDef *op = optable_get(check->table, node->name);
    if (op == NULL) {
        Diag *diag =
            diag_error(check->diags, E_UNKNOWN_NAME, node->at, "there is no operator %Q", name_str(node->name));
        uint32_t n;
        Str *names = optable_names(check->table, check->arena, &n);
        diag_suggest(check->diags, diag, name_str(node->name), names, n);
        return NULL;
    }
    if (op->kind == KIND_COMPOSITE) {
        Diag *diag =
            diag_error(check->diags, E_BAD_VALUE, node->at,
                       "%Q is a composite: there are its steps in a graph, and never itself", name_str(op->name));
        diag_hint(check->diags, diag, "match what it is made of");
        return NULL;
    }
    if (op->mutates.n > 0) {
        diag_error(check->diags, E_BAD_VALUE, node->at, "%Q changes its input, and so is not to be replaced",
                   name_str(op->name));
        return NULL;
    }
    return op;
}

/* ---- inputs */

static void unknown_input(const Check *check, const RewriteNode *node, const RewriteInput *input) {
    const OpDef *op = node->op;
    Diag *diag = diag_error(check->diags, E_UNKNOWN_NAME, place(node, input->from, input->to), "%Q has no input %Q",
                            name_str(op->name), name_str(input->name));
    Str *names = ARENA_ARRAY(check->arena, Str, op->inputs.n + 1);
    for (uint32_t i = 0; i < op->inputs.n; i++)
        names[i] = name_str(op->inputs.items[i].name);
    diag_suggest(check->diags, diag, name_str(input->name), names, op->inputs.n);
}

static void check_input(const Check *check, const RewriteNode *node, RewriteInput *input, uint32_t position) {
    const OpDef *op = node->op;
    if (input->name == NULL && position >= op->inputs.n) {
        diag_error(check->diags, E_BAD_VALUE, place(node, input->from, input->to),
                   "%Q takes %u input%s, and this is number %u", name_str(op->name), (unsigned)op->inputs.n,
                   op->inputs.n == 1 ? "" : "s", (unsigned)position + 1);
        return;
    }
    if (input->name == NULL) input->name = op->inputs.items[position].name;
    input->at = UINT32_MAX;
    for (uint32_t i = 0; i < op->inputs.n; i++)
        if (op->inputs.items[i].name == input->name) input->at = i;
    if (input->at == UINT32_MAX) {
        unknown_input(check, node, input);
        return;
    }
    const OpInput *declared = &op->inputs.items[input->at];
    const char *wrong = NULL;
    if (input->take == TAKE_NOTHING && !declared->optional)
        wrong = "the input %Q of %Q is never left out";
    else if ((input->take == TAKE_NUMBER || input->take == TAKE_NAMED_NUMBER) && declared->list)
        wrong = "the input %Q of %Q is a list of tensors, and no number";
    else if (input->take == TAKE_TENSORS && input->n != 1 && !declared->list)
        wrong = "the input %Q of %Q is one tensor";
    for (uint32_t k = 0; k < input->n && wrong == NULL; k++)
        if (check->rewrite->tensors.items[input->tensors[k]].optional && !declared->optional && input->n == 1)
            wrong = "the input %Q of %Q is never left out";
    if (wrong != NULL)
        diag_error(check->diags, E_BAD_VALUE, place(node, input->from, input->to), wrong, name_str(declared->name),
                   name_str(op->name));
}

static void check_inputs(const Check *check, RewriteNode *node) {
    const OpDef *op = node->op;
    for (uint32_t i = 0; i < node->in.n; i++)
        check_input(check, node, &node->in.items[i], i);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        uint32_t times = 0;
        for (uint32_t k = 0; k < node->in.n; k++)
            times += node->in.items[k].name == op->inputs.items[i].name;
        if (times == 0 && !op->inputs.items[i].optional)
            diag_error(check->diags, E_MISSING, node->at, "it is not said what the input %Q of %Q is",
                       name_str(op->inputs.items[i].name), name_str(op->name));
        if (times > 1)
            diag_error(check->diags, E_DUPLICATE, node->at, "the input %Q of %Q is given twice",
                       name_str(op->inputs.items[i].name), name_str(op->name));
    }
    if (!node->any_order) return;
    bool two = op->inputs.n >= 2;
    for (uint32_t i = 0; i < 2 && two; i++)
        two = !op->inputs.items[i].list && !op->inputs.items[i].optional;
    if (!two)
        diag_error(check->diags, E_BAD_VALUE, node->at, "%Q does not have two inputs that could be exchanged",
                   name_str(op->name));
}

/* ---- attributes, results */

static void check_attrs(const Check *check, RewriteNode *node) {
    const OpDef *op = node->op;
    for (uint32_t i = 0; i < node->attrs.n; i++) {
        RewriteAttr *attr = &node->attrs.items[i];
        attr->at = UINT32_MAX;
        for (uint32_t k = 0; k < op->attrs.n; k++)
            if (op->attrs.items[k].name == attr->name) attr->at = k;
        if (attr->at != UINT32_MAX) continue;
        Diag *diag = diag_error(check->diags, E_UNKNOWN_NAME, place(node, attr->from, attr->to),
                                "%Q has no attribute %Q", name_str(op->name), name_str(attr->name));
        Str *names = ARENA_ARRAY(check->arena, Str, op->attrs.n + 1);
        for (uint32_t k = 0; k < op->attrs.n; k++)
            names[k] = name_str(op->attrs.items[k].name);
        diag_suggest(check->diags, diag, name_str(attr->name), names, op->attrs.n);
    }
    for (uint32_t i = 0; i < op->attrs.n; i++) {
        bool said = !op->attrs.items[i].required;
        for (uint32_t k = 0; k < node->attrs.n; k++)
            said |= node->attrs.items[k].name == op->attrs.items[i].name;
        if (said) continue;
        Diag *diag = diag_error(check->diags, E_MISSING, node->at, "it is not said what the attribute %Q of %Q is",
                                name_str(op->attrs.items[i].name), name_str(op->name));
        diag_hint(check->diags, diag, "\"_\" stands for whatever it is");
    }
}

static void check_results(const Check *check, const RewriteNode *node, uint32_t number) {
    const OpDef *op = node->op;
    bool many = op->outputs.n == 1 && op->outputs.items[0].count.expr != NULL;
    if (!many && node->out.n > op->outputs.n)
        diag_error(check->diags, E_BAD_VALUE, node->at, "%Q has %u output%s, but %u are named", name_str(op->name),
                   (unsigned)op->outputs.n, op->outputs.n == 1 ? "" : "s", (unsigned)node->out.n);
    const Rewrite *rewrite = check->rewrite;
    bool read = number + 1 == rewrite->nodes.n;
    for (uint32_t i = number + 1; i < rewrite->nodes.n && !read; i++)
        for (uint32_t k = 0; k < rewrite->nodes.items[i].in.n; k++) {
            const RewriteInput *input = &rewrite->nodes.items[i].in.items[k];
            for (uint32_t t = 0; t < input->n; t++)
                read |= rewrite->tensors.items[input->tensors[t]].node == (int)number;
        }
    if (read) return;
    Diag *diag = diag_error(check->diags, E_BAD_VALUE, node->at, "no operator behind this one reads what it makes");
    diag_hint(check->diags, diag, "the last operator is looked for first, and from it those that feed it");
}

/* ---- names of values */

static void count_use(void *user, const Expr *e) {
    uint32_t *uses = ((uint32_t **)user)[0];
    const OpDef *made = ((const OpDef **)user)[1];
    for (uint32_t i = 0; e->kind == X_NAME && i < made->attrs.n; i++)
        uses[i] += made->attrs.items[i].name == e->as.name;
    ast_each(e, count_use, user);
}

/* A name that a value gets and nobody uses may be a dtype or value that is misspelt. */
static void check_values(const Check *check) {
    const Rewrite *rewrite = check->rewrite;
    const OpDef *made = rewrite->made;
    uint32_t *uses = ARENA_ARRAY(check->arena, uint32_t, made->attrs.n + 1);
    void *user[] = {uses, (void *)(uintptr_t)made};
    if (rewrite->when.expr != NULL) count_use(user, rewrite->when.expr);
    for (uint32_t i = 0; i < made->steps.n; i++) {
        const OpStep *step = &made->steps.items[i];
        if (step->when.expr != NULL) count_use(user, step->when.expr);
        for (uint32_t k = 0; k < step->attrs.n; k++)
            if (step->attrs.items[k].value.expr != NULL) count_use(user, step->attrs.items[k].value.expr);
    }
    for (uint32_t i = 0; i < rewrite->nodes.n; i++) {
        const RewriteNode *node = &rewrite->nodes.items[i];
        for (uint32_t k = 0; k < node->attrs.n; k++) {
            if (node->attrs.items[k].bind != REWRITE_NONE) uses[node->attrs.items[k].bind]++;
            if (node->attrs.items[k].value.expr != NULL) count_use(user, node->attrs.items[k].value.expr);
        }
    }
    for (uint32_t i = 0; i < rewrite->nodes.n; i++) {
        const RewriteNode *node = &rewrite->nodes.items[i];
        for (uint32_t k = 0; k < node->attrs.n; k++) {
            const RewriteAttr *attr = &node->attrs.items[k];
            if (attr->bind == REWRITE_NONE || uses[attr->bind] != 1) continue;
            Diag *diag = diag_error(check->diags, E_BAD_VALUE, place(node, attr->from, attr->to),
                                    "the value of %Q gets the name %Q, which nothing uses", name_str(attr->name),
                                    name_str(made->attrs.items[attr->bind].name));
            diag_hint(check->diags, diag, "\"_\" stands for any value; texts are quoted twice: \"'none'\"");
        }
    }
}

static void check_steps(const Check *check) {
    OpDef *made = check->rewrite->made;
    op_check_steps(check->table, made, check->diags);
    for (uint32_t i = 0; i < made->steps.n; i++) {
        const OpStep *step = &made->steps.items[i];
        const OpDef *op = step->op == NULL ? NULL : optable_get(check->table, step->op);
        if (op != NULL && op->mutates.n > 0)
            diag_error(check->diags, E_BAD_VALUE, step->at, "%Q changes its input, which others may read",
                       name_str(op->name));
    }
}

bool rewrite_check(const OpTable *table, Rewrite *rewrite, Diags *diags) {
    uint32_t errors = diags->errors;
    Check check = {table, table->arena, diags, rewrite};
    bool known = true;
    for (uint32_t i = 0; i < rewrite->nodes.n; i++) {
        RewriteNode *node = &rewrite->nodes.items[i];
        node->op = node->name == NULL ? NULL : find_operator(&check, node);
        known &= node->op != NULL;
        if (node->op == NULL) continue;
        check_inputs(&check, node);
        check_attrs(&check, node);
        check_results(&check, node, i);
    }
    check_steps(&check);
    if (known && !rewrite->broken && diags->errors == errors) check_values(&check);
    rewrite->good = !rewrite->broken && diags->errors == errors;
    return rewrite->good;
}

/* uses.c: does a piece of template mention `loop`, `caller`, `self`...? What it costs to provide such a variable is
 * paid only where it is used. Goes into everything but blocks, nested loops and macros included, in the order of the
 * text: a name that is set before it is read is the template's own. */
#include "template/code/symbols.h"

static void visit_expr(Uses *uses, const Expr *x);
static void visit_body(Uses *uses, const Body *body);

static void load(Uses *uses, Name name) {
    for (int i = 0; i < 3; i++)
        if (uses->names[i] == name && !uses->stored[i]) uses->found[i] = true;
}

static void store(Uses *uses, Name name) {
    for (int i = 0; i < 3; i++)
        if (uses->names[i] == name) uses->stored[i] = true;
}

static void visit_target(Uses *uses, const Expr *target) {
    if (target->kind == X_NAME)
        store(uses, target->as.name);
    else if (target->kind != X_NSREF)
        for (uint32_t i = 0; i < target->as.list.n; i++)
            visit_target(uses, target->as.list.items[i]);
}

static void visit_within(void *uses, const Expr *x) { visit_expr(uses, x); }

static void visit_expr(Uses *uses, const Expr *x) {
    if (x == NULL) return;
    if (x->kind == X_NAME)
        load(uses, x->as.name);
    else
        ast_each(x, visit_within, uses);
}

static void visit_params(Uses *uses, const Params *params) {
    for (uint32_t i = 0; i < params->n; i++)
        store(uses, params->names[i]);
    for (uint32_t i = 0; i < params->n; i++)
        visit_expr(uses, params->defaults[i]);
}

static void visit(Uses *uses, const Stmt *s) {
    switch (s->kind) {
    case S_TEXT:
    case S_BREAK:
    case S_CONTINUE:
        break;
    case S_EMIT:
    case S_DO:
    case S_EXTENDS:
        visit_expr(uses, s->as.expr);
        break;
    case S_FOR:
        visit_target(uses, s->as.loop.target);
        visit_expr(uses, s->as.loop.iter);
        visit_body(uses, &s->as.loop.body);
        visit_body(uses, &s->as.loop.otherwise);
        visit_expr(uses, s->as.loop.test);
        break;
    case S_IF:
        for (uint32_t i = 0; i < s->as.cond.n; i++) {
            visit_expr(uses, s->as.cond.branches[i].test);
            visit_body(uses, &s->as.cond.branches[i].body);
        }
        visit_body(uses, &s->as.cond.otherwise);
        break;
    case S_SET:
        visit_target(uses, s->as.set.target);
        visit_expr(uses, s->as.set.value);
        break;
    case S_SET_BLOCK:
        visit_target(uses, s->as.set_block.target);
        visit_expr(uses, s->as.set_block.filter);
        visit_body(uses, &s->as.set_block.body);
        break;
    case S_MACRO:
        visit_params(uses, &s->as.macro.params);
        visit_body(uses, &s->as.macro.body);
        break;
    case S_CALL_BLOCK:
        visit_expr(uses, s->as.macro.call);
        visit_params(uses, &s->as.macro.params);
        visit_body(uses, &s->as.macro.body);
        break;
    case S_FILTER_BLOCK:
        visit_body(uses, &s->as.filter_block.body);
        visit_expr(uses, s->as.filter_block.filter);
        break;
    case S_WITH:
        for (uint32_t i = 0; i < s->as.with.n; i++)
            visit_target(uses, s->as.with.targets[i]);
        for (uint32_t i = 0; i < s->as.with.n; i++)
            visit_expr(uses, s->as.with.values[i]);
        visit_body(uses, &s->as.with.body);
        break;
    case S_INCLUDE:
    case S_IMPORT:
    case S_FROM:
        visit_expr(uses, s->as.load.file);
        break;
    case S_BLOCK:
        uses->scoped_block |= s->as.block.scoped;
        break;
    case S_AUTOESCAPE:
        visit_expr(uses, s->as.autoescape.on);
        visit_body(uses, &s->as.autoescape.body);
        break;
    }
}

static void visit_body(Uses *uses, const Body *body) {
    for (uint32_t i = 0; i < body->n; i++)
        visit(uses, body->items[i]);
}

void uses_body(Uses *uses, const Body *body) { visit_body(uses, body); }

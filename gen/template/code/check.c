/* check.c: what can be said of a template that has errors of syntax already. It is not compiled, since parts of it are
 * missing; but a filter or test that does not exist is told all the same, so that one run names both. */
#include "template/code/compile.h"

typedef struct Check {
    Source *source;
    Diags *diags;
    bool soft; /* directly in an if: an unknown name is an error only when it is reached */
} Check;

static void check_body(const Check *check, const Body *body);

bool code_check_native(Source *source, const Expr *x, bool soft, Diags *diags) {
    bool filter = x->kind == X_FILTER;
    Str name = name_str(x->as.call.name);
    if ((filter ? lib_filter(name) : lib_test(name)) != NULL) return true;
    if (soft) return false;
    Diag *diag = diag_error(diags, E_TEMPLATE_NAME, span(source, x->at, x->at_to), "there is no %s named %Q",
                            filter ? "filter" : "test", name);
    const Str *known;
    size_t n = filter ? lib_filter_names(&known) : lib_test_names(&known);
    diag_suggest(diags, diag, name, known, n);
    return false;
}

static void check_expr(void *user, const Expr *x) {
    const Check *check = user;
    if (x->kind == X_FILTER || x->kind == X_TEST) {
        /* An empty name is one that could not be read. */
        if (x->as.call.name->n > 0) code_check_native(check->source, x, check->soft, check->diags);
    }
    if (x->kind == X_COND) {
        Check soft = *check;
        soft.soft = true;
        ast_each(x, check_expr, &soft);
    } else {
        ast_each(x, check_expr, user);
    }
}

static void check_one(const Check *check, const Expr *x) {
    Check copy = *check;
    if (x != NULL) check_expr(&copy, x);
}

static void check_params(const Check *check, const Params *params) {
    for (uint32_t i = 0; i < params->n; i++)
        check_one(check, params->defaults[i]);
}

static void check_if(const Check *check, const Stmt *s) {
    Check soft = *check;
    soft.soft = true;
    for (uint32_t i = 0; i < s->as.cond.n; i++) {
        check_one(&soft, s->as.cond.branches[i].test);
        check_body(&soft, &s->as.cond.branches[i].body);
    }
    check_body(&soft, &s->as.cond.otherwise);
}

static void check_stmt(const Check *check, const Stmt *s) {
    Check inner = *check;
    inner.soft = false;
    switch (s->kind) {
    case S_TEXT:
    case S_BREAK:
    case S_CONTINUE:
        break;
    case S_EMIT:
    case S_DO:
    case S_EXTENDS:
        check_one(check, s->as.expr);
        break;
    case S_FOR:
        check_one(check, s->as.loop.iter);
        check_one(&inner, s->as.loop.test);
        check_body(&inner, &s->as.loop.body);
        check_body(&inner, &s->as.loop.otherwise);
        break;
    case S_IF:
        check_if(check, s);
        break;
    case S_SET:
        check_one(check, s->as.set.value);
        break;
    case S_SET_BLOCK:
        check_one(&inner, s->as.set_block.filter);
        check_body(&inner, &s->as.set_block.body);
        break;
    case S_MACRO:
    case S_CALL_BLOCK:
        check_params(&inner, &s->as.macro.params);
        if (s->kind == S_CALL_BLOCK) check_one(check, s->as.macro.call);
        check_body(&inner, &s->as.macro.body);
        break;
    case S_FILTER_BLOCK:
        check_one(&inner, s->as.filter_block.filter);
        check_body(&inner, &s->as.filter_block.body);
        break;
    case S_WITH:
        for (uint32_t i = 0; i < s->as.with.n; i++)
            check_one(check, s->as.with.values[i]);
        check_body(&inner, &s->as.with.body);
        break;
    case S_INCLUDE:
    case S_IMPORT:
    case S_FROM:
        check_one(check, s->as.load.file);
        break;
    case S_BLOCK:
        check_body(&inner, &s->as.block.body);
        break;
    case S_AUTOESCAPE:
        check_one(&inner, s->as.autoescape.on);
        check_body(&inner, &s->as.autoescape.body);
        break;
    }
}

static void check_body(const Check *check, const Body *body) {
    for (uint32_t i = 0; i < body->n; i++)
        check_stmt(check, body->items[i]);
}

void code_check_names(const TemplateAst *ast, Diags *diags) {
    Check check = {ast->source, diags, false};
    check_body(&check, &ast->body);
}

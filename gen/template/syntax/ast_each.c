/* ast_each.c: going through a tree without knowing its kinds. */
#include "template/syntax/ast.h"

typedef struct Walk {
    void (*fn)(void *user, const Expr *within);
    void *user;
} Walk;

static void one(const Walk *walk, const Expr *x) {
    if (x != NULL) walk->fn(walk->user, x);
}

static void each_of(const Walk *walk, Expr *const *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        one(walk, items[i]);
}

static void each_arg(const Walk *walk, const CallArgs *args) {
    each_of(walk, args->args, args->n);
    for (uint32_t i = 0; i < args->keyword_count; i++)
        one(walk, args->keywords[i].value);
    one(walk, args->star);
    one(walk, args->star_star);
}

void ast_each(const Expr *x, void (*fn)(void *user, const Expr *within), void *user) {
    const Walk walk = {fn, user};
    switch (x->kind) {
    case X_CONST:
    case X_NAME:
    case X_NSREF:
        break;
    case X_LIST:
    case X_TUPLE:
    case X_DICT:
    case X_CONCAT:
        each_of(&walk, x->as.list.items, x->as.list.n);
        break;
    case X_UNARY:
        one(&walk, x->as.pair.a);
        break;
    case X_BINARY:
    case X_ITEM:
        one(&walk, x->as.pair.a);
        one(&walk, x->as.pair.b);
        break;
    case X_COMPARE:
        one(&walk, x->as.compare.a);
        for (uint32_t i = 0; i < x->as.compare.n; i++)
            one(&walk, x->as.compare.steps[i].to);
        break;
    case X_COND:
        one(&walk, x->as.cond.test);
        one(&walk, x->as.cond.a);
        one(&walk, x->as.cond.b);
        break;
    case X_ATTR:
        one(&walk, x->as.attr.a);
        break;
    case X_SLICE:
        one(&walk, x->as.slice.a);
        one(&walk, x->as.slice.start);
        one(&walk, x->as.slice.stop);
        one(&walk, x->as.slice.step);
        break;
    case X_CALL:
    case X_FILTER:
    case X_TEST:
        one(&walk, x->as.call.a);
        each_arg(&walk, &x->as.call.args);
        break;
    }
}

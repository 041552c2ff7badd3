/* weight.c: the weight of a map is counted from its expressions, so that no operator has to say it. */
#include "pass/weight.h"

typedef struct Scale {
    uint32_t weight;
} Scale;

/* Functions that are a few instructions on any machine; all others are taken for a dozen. */
static bool is_light(Str name) {
    static const char *const light[] = {
        "abs",   "bit_and", "bit_not",  "bit_or",  "bit_xor", "bool",    "cast",       "ceil",       "float",
        "floor", "int",     "is_float", "is_int",  "is_none", "isinf",   "isnan",      "isfinite",   "max",
        "min",   "round",   "trunc",    "highest", "lowest",  "largest", "shift_left", "shift_right"};
    for (size_t i = 0; i < sizeof light / sizeof *light; i++)
        if (str_eq(name, str_c(light[i]))) return true;
    return false;
}

static void weigh(void *user, const Expr *e) {
    Scale *scale = user;
    switch (e->kind) {
    case X_BINARY:
        scale->weight += e->op == OP_POW ? 10 : e->op == OP_DIV || e->op == OP_FLOORDIV || e->op == OP_MOD ? 4 : 1;
        break;
    case X_COMPARE:
    case X_COND:
    case X_UNARY:
        scale->weight++;
        break;
    case X_CALL: {
        const Expr *callee = e->as.call.a;
        Str name = callee != NULL && callee->kind == X_NAME ? name_str(callee->as.name) : S("");
        scale->weight += is_light(name) ? 1 : str_eq(name, S("sqrt")) || str_eq(name, S("rsqrt")) ? 4 : 10;
        break;
    }
    default:
        break;
    }
    ast_each(e, weigh, user);
}

static void weigh_all(Scale *scale, const NamedExprs *exprs) {
    for (uint32_t i = 0; i < exprs->n; i++)
        if (exprs->items[i].value.expr != NULL) weigh(scale, exprs->items[i].value.expr);
}

uint32_t map_weight(const OpDef *op) {
    Scale scale = {0};
    weigh_all(&scale, &op->let);
    weigh_all(&scale, &op->body);
    return scale.weight;
}

uint32_t reduce_weight(const OpDef *op) {
    Scale scale = {0};
    weigh_all(&scale, &op->let);
    weigh_all(&scale, &op->element);
    weigh_all(&scale, &op->combine);
    return scale.weight;
}

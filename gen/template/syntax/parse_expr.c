/* parse_expr.c: operators, from `a if b else c` down to `**`, and tuples.
 *
 * Binding is Jinja's, which differs from Python's in places: `**` binds to the left, a sign binds tighter than
 * `**`, `~` stands between `+` and `*`. Precedence climbing keeps one level of nesting to a few C frames, and
 * both the frames and the height of the tree that comes out are held to AST_MOST_HEIGHT. `~` gives one node
 * with many items, comparisons one chain; a row of any other operator is as high as it is long.
 */
#include "template/syntax/parse_internal.h"

/* From the weakest to the strongest. */
enum { LEVEL_NONE, LEVEL_OR, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_ADD, LEVEL_CONCAT, LEVEL_MUL, LEVEL_POW };

Expr *parse_node(Parser *p, ExprKind kind, uint32_t from, Token at) {
    /* Most nodes are names, literals and small operators: each has only its own part of the union. */
#define SIZE(part) (offsetof(Expr, as) + sizeof((Expr *)0)->as.part)
    static const uint8_t sizes[] = {
        [X_CONST] = SIZE(literal),   [X_NAME] = SIZE(name),   [X_NSREF] = SIZE(nsref), [X_LIST] = SIZE(list),
        [X_TUPLE] = SIZE(list),      [X_DICT] = SIZE(list),   [X_UNARY] = SIZE(pair),  [X_BINARY] = SIZE(pair),
        [X_COMPARE] = SIZE(compare), [X_CONCAT] = SIZE(list), [X_COND] = SIZE(cond),   [X_ATTR] = SIZE(attr),
        [X_ITEM] = SIZE(pair),       [X_SLICE] = SIZE(slice), [X_CALL] = SIZE(call),   [X_FILTER] = SIZE(call),
        [X_TEST] = SIZE(call),
    };
#undef SIZE
    Expr *e = arena_alloc(p->arena, sizes[kind]);
    memset(e, 0, sizes[kind]);
    e->kind = kind;
    e->height = 1;
    e->from = from;
    e->to = p->last.to;
    e->at = at.from;
    e->at_to = at.to;
    return e;
}

Expr *parse_done(Parser *p, Expr *e) {
    e->to = p->last.to;
    if (e->height > AST_MOST_HEIGHT) {
        parse_too_deep(p, e->at, e->at_to, "this expression is");
        return p->none;
    }
    return e;
}

bool parse_deeper(Parser *p, Token at) {
    if (p->depth + 1 < AST_MOST_HEIGHT) {
        p->depth++;
        return true;
    }
    parse_too_deep(p, at.from, at.to, "this expression is");
    return false;
}

static unsigned infix(Parser *p, Op *op) {
    switch (p->token.kind) {
    case T_ADD:
        return *op = OP_ADD, LEVEL_ADD;
    case T_SUB:
        return *op = OP_SUB, LEVEL_ADD;
    case T_MUL:
        return *op = OP_MUL, LEVEL_MUL;
    case T_DIV:
        return *op = OP_DIV, LEVEL_MUL;
    case T_FLOORDIV:
        return *op = OP_FLOORDIV, LEVEL_MUL;
    case T_MOD:
        return *op = OP_MOD, LEVEL_MUL;
    case T_POW:
        return *op = OP_POW, LEVEL_POW;
    case T_TILDE:
        return *op = OP_NONE, LEVEL_CONCAT;
    case T_EQ:
        return *op = OP_EQ, LEVEL_COMPARE;
    case T_NE:
        return *op = OP_NE, LEVEL_COMPARE;
    case T_LT:
        return *op = OP_LT, LEVEL_COMPARE;
    case T_LE:
        return *op = OP_LE, LEVEL_COMPARE;
    case T_GT:
        return *op = OP_GT, LEVEL_COMPARE;
    case T_GE:
        return *op = OP_GE, LEVEL_COMPARE;
    case T_NAME:
        break;
    default:
        return LEVEL_NONE;
    }
    switch (p->token.keyword) {
    case K_OR:
        return *op = OP_OR, LEVEL_OR;
    case K_AND:
        return *op = OP_AND, LEVEL_AND;
    case K_IN:
        return *op = OP_IN, LEVEL_COMPARE;
    case K_NOT:
        return *op = OP_NOT_IN, parse_peek(p).keyword == K_IN ? LEVEL_COMPARE : LEVEL_NONE;
    default:
        return LEVEL_NONE;
    }
}

static Expr *parse_binary(Parser *p, unsigned least);

static Expr *parse_compare(Parser *p, Expr *a, Op op) {
    Expr *e = parse_node(p, X_COMPARE, a->from, p->token);
    e->as.compare.a = a;
    parse_above(e, a);
    VEC(CompareStep) steps = {NULL, 0, 0};
    CompareStep first;
    for (uint32_t n = 0;; n++) {
        if (op == OP_NOT_IN) {
            parse_next(p);
            if (n == 0) e->at_to = p->token.to;
        }
        parse_next(p);
        CompareStep step = {op, parse_binary(p, LEVEL_ADD)};
        parse_above(e, step.to);
        bool more = infix(p, &op) == LEVEL_COMPARE;
        if (n == 0) first = step;
        if (n == 0 && more) *VEC_PUSH(p->arena, &steps) = first;
        if (n > 0) *VEC_PUSH(p->arena, &steps) = step;
        if (more) continue;
        e->as.compare.n = n + 1;
        e->as.compare.steps = n ? steps.items : arena_copy(p->arena, &first, sizeof first);
        return parse_done(p, e);
    }
}

static Expr *parse_concat(Parser *p, Expr *a) {
    Expr *e = parse_node(p, X_CONCAT, a->from, p->token);
    uint32_t base = p->stack.n;
    parse_push(p, a);
    parse_above(e, a);
    while (parse_skip(p, T_TILDE)) {
        Expr *item = parse_binary(p, LEVEL_MUL);
        parse_push(p, item);
        parse_above(e, item);
    }
    e->as.list.items = (Expr **)parse_take(p, base, &e->as.list.n);
    return parse_done(p, e);
}

static Expr *parse_binary(Parser *p, unsigned least) {
    Expr *left;
    if (least <= LEVEL_NOT && parse_at_keyword(p, K_NOT)) {
        Token at = p->token;
        if (!parse_deeper(p, at)) return p->none;
        parse_next(p);
        left = parse_node(p, X_UNARY, at.from, at);
        left->op = OP_NOT;
        left->as.pair.a = parse_binary(p, LEVEL_NOT);
        p->depth -= !p->stopped;
        parse_above(left, left->as.pair.a);
        left = parse_done(p, left);
    } else {
        left = parse_unary(p);
    }
    for (;;) {
        Op op = OP_NONE;
        unsigned level = infix(p, &op);
        if (level == LEVEL_NONE || level < least) return left;
        if (level == LEVEL_COMPARE) {
            left = parse_compare(p, left, op);
        } else if (level == LEVEL_CONCAT) {
            left = parse_concat(p, left);
        } else {
            Expr *e = parse_node(p, X_BINARY, left->from, p->token);
            parse_next(p);
            e->op = op;
            e->as.pair.a = left;
            e->as.pair.b = parse_binary(p, level + 1);
            parse_above(e, left);
            parse_above(e, e->as.pair.b);
            left = parse_done(p, e);
        }
    }
}

Expr *parse_expr_without_if(Parser *p) { return parse_binary(p, LEVEL_OR); }

Expr *parse_expr(Parser *p) {
    Expr *a = parse_binary(p, LEVEL_OR);
    while (parse_at_keyword(p, K_IF)) {
        Expr *e = parse_node(p, X_COND, a->from, p->token);
        Token at = p->token;
        parse_next(p);
        e->as.cond.a = a;
        e->as.cond.test = parse_binary(p, LEVEL_OR);
        parse_above(e, a);
        parse_above(e, e->as.cond.test);
        if (parse_at_keyword(p, K_ELSE) && parse_deeper(p, at)) {
            parse_next(p);
            e->as.cond.b = parse_expr(p);
            p->depth -= !p->stopped;
            parse_above(e, e->as.cond.b);
        }
        a = parse_done(p, e);
    }
    return a;
}

/* No word ends a tuple: {% for a, in b %} takes `in` for a name, as it is in Jinja. */
static bool tuple_ends(const Parser *p) {
    return parse_at(p, T_END) || parse_at(p, T_RPAREN) || parse_at(p, T_EOF) || p->stopped;
}

/* `open` is the parenthesis around it, if there is one: only then may a tuple be empty. */
static Expr *tuple(Parser *p, Expr *(*item)(Parser *), const Token *open) {
    uint32_t from = open ? open->from : p->token.from, base = p->stack.n;
    if (tuple_ends(p)) {
        if (!open) {
            parse_unexpected(p, "an expression");
            return p->none;
        }
        return parse_node(p, X_TUPLE, from, *open);
    }
    Expr *first = item(p);
    if (!parse_at(p, T_COMMA)) return first;
    Token at = open ? *open : p->token;
    parse_push(p, first);
    while (parse_skip(p, T_COMMA)) {
        if (tuple_ends(p)) break;
        parse_push(p, item(p));
    }
    Expr *e = parse_node(p, X_TUPLE, from, at);
    e->as.list.items = (Expr **)parse_take(p, base, &e->as.list.n);
    for (uint32_t i = 0; i < e->as.list.n; i++)
        parse_above(e, e->as.list.items[i]);
    return parse_done(p, e);
}

Expr *parse_tuple(Parser *p) { return tuple(p, parse_expr, NULL); }
Expr *parse_paren_tuple(Parser *p, Token open) { return tuple(p, parse_expr, &open); }
Expr *parse_tuple_without_if(Parser *p) { return tuple(p, parse_expr_without_if, NULL); }
Expr *parse_target_tuple(Parser *p) { return tuple(p, parse_primary, NULL); }

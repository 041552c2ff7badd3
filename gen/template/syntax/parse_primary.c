/* parse_primary.c: names, literals and brackets, and what binds to their right: .name, [item], (arguments),
 * |filter and `is test`.
 *
 * A filter or test takes everything to its left up to the nearest operator, a sign included (-1|abs is
 * (-1)|abs), and behind it no attribute or item can follow. A test takes one argument without parentheses.
 */
#include "template/syntax/parse_internal.h"

static const char OPERAND[] = "an expression";

static Expr *keyword_literal(Parser *p) {
    Token t = p->token;
    parse_next(p);
    Expr *e = parse_node(p, X_CONST, t.from, t);
    e->as.literal.kind = t.keyword == K_NULL ? LIT_NONE : LIT_BOOL;
    e->as.literal.as.b = t.keyword == K_TRUE;
    return e;
}

static Expr *parse_parenthesis(Parser *p) {
    Token open = p->token;
    parse_next(p);
    Expr *e = parse_paren_tuple(p, open);
    if (parse_expect_close(p, T_RPAREN, "\")\"", open)) {
        e->from = open.from;
        e->to = p->last.to;
    }
    return e;
}

static Expr *parse_list(Parser *p) {
    Token open = p->token;
    uint32_t base = p->stack.n;
    parse_next(p);
    while (!parse_at(p, T_RBRACKET) && !p->stopped) {
        parse_push(p, parse_expr(p));
        if (!parse_skip(p, T_COMMA)) break;
    }
    parse_expect_close(p, T_RBRACKET, "\",\" or \"]\"", open);
    Expr *e = parse_node(p, X_LIST, open.from, open);
    e->as.list.items = (Expr **)parse_take(p, base, &e->as.list.n);
    for (uint32_t i = 0; i < e->as.list.n; i++)
        parse_above(e, e->as.list.items[i]);
    return parse_done(p, e);
}

static Expr *parse_dict(Parser *p) {
    Token open = p->token;
    uint32_t base = p->stack.n;
    parse_next(p);
    while (!parse_at(p, T_RBRACE) && !p->stopped) {
        parse_push(p, parse_expr(p));
        parse_expect_close(p, T_COLON, "\":\"", open);
        parse_push(p, parse_expr(p));
        if (!parse_skip(p, T_COMMA)) break;
    }
    parse_expect_close(p, T_RBRACE, "\",\" or \"}\"", open);
    Expr *e = parse_node(p, X_DICT, open.from, open);
    e->as.list.items = (Expr **)parse_take(p, base, &e->as.list.n);
    for (uint32_t i = 0; i < e->as.list.n; i++)
        parse_above(e, e->as.list.items[i]);
    return parse_done(p, e);
}

Expr *parse_primary(Parser *p) {
    Token t = p->token;
    Expr *e;
    switch (t.kind) {
    case T_NAME:
        if (t.keyword >= K_TRUE) return keyword_literal(p);
        parse_next(p);
        e = parse_node(p, X_NAME, t.from, t);
        e->as.name = names_get(p->names, parse_text(p, t));
        return e;
    case T_STR:
        return parse_string(p);
    case T_INT:
    case T_FLOAT:
        return parse_number(p);
    case T_LPAREN:
    case T_LBRACKET:
    case T_LBRACE:
        if (!parse_deeper(p, t)) return p->none;
        e = t.kind == T_LPAREN ? parse_parenthesis(p) : t.kind == T_LBRACKET ? parse_list(p) : parse_dict(p);
        p->depth -= !p->stopped;
        return e;
    default:
        parse_unexpected(p, OPERAND);
        return p->none;
    }
}

/* --- arguments --- */

/* What may not stand behind what: positions, then *args, then only names, then **kwargs. */
static void check_order(Parser *p, const CallArgs *args, char kind) {
    const char *wrong = NULL;
    if (args->star_star)
        wrong = kind == '2' ? "a second \"**\" argument" : "an argument behind \"**\"";
    else if (kind == '1' && args->star)
        wrong = "a second \"*\" argument";
    else if (kind == 'p' && args->star)
        wrong = "an argument without a name behind \"*\"";
    else if (kind == 'p' && args->keyword_count)
        wrong = "an argument without a name behind one with a name";
    if (wrong) parse_error(p, p->token.from, p->token.to, "%s", wrong);
}

/* name=value, at the name; the '=' was seen. */
static KeywordArg parse_keyword(Parser *p, Seen *seen) {
    Token at = p->token;
    KeywordArg arg = {.from = at.from, .to = at.to, .name = parse_name(p, "a name")};
    parse_next(p);
    arg.value = parse_expr(p);
    const Token *before = parse_seen(p, seen, arg.name, at);
    if (before) {
        Diag *diag = parse_error(p, arg.from, arg.to, "argument %Q is given twice", name_str(arg.name));
        parse_note(p, diag, before->from, before->to, "the first one is here");
    }
    return arg;
}

static void above_args(Expr *e) {
    const CallArgs *args = &e->as.call.args;
    for (uint32_t i = 0; i < args->n; i++)
        parse_above(e, args->args[i]);
    for (uint32_t i = 0; i < args->keyword_count; i++)
        parse_above(e, args->keywords[i].value);
    if (args->star) parse_above(e, args->star);
    if (args->star_star) parse_above(e, args->star_star);
}

/* The arguments of e, at its '('. */
static void parse_args(Parser *p, Expr *e) {
    CallArgs *args = &e->as.call.args;
    Token open = p->token;
    if (!parse_deeper(p, open)) return;
    VEC(KeywordArg) keywords = {NULL, 0, 0};
    Seen seen;
    seen.n = 0;
    uint32_t base = p->stack.n;
    parse_next(p);
    while (!parse_at(p, T_RPAREN) && !p->stopped) {
        if (parse_at(p, T_MUL)) {
            check_order(p, args, '1');
            parse_next(p);
            args->star = parse_expr(p);
        } else if (parse_at(p, T_POW)) {
            check_order(p, args, '2');
            parse_next(p);
            args->star_star = parse_expr(p);
        } else if (parse_at(p, T_NAME) && parse_peek(p).kind == T_ASSIGN) {
            check_order(p, args, 'k');
            KeywordArg arg = parse_keyword(p, &seen);
            *VEC_PUSH(p->arena, &keywords) = arg;
            args->keyword_count = keywords.n;
        } else {
            check_order(p, args, 'p');
            parse_push(p, parse_expr(p));
        }
        if (!parse_skip(p, T_COMMA)) break;
    }
    parse_expect_close(p, T_RPAREN, "\",\" or \")\"", open);
    p->depth -= !p->stopped;
    args->args = (Expr **)parse_take(p, base, &args->n);
    args->keywords = keywords.items;
    args->keyword_count = keywords.n;
    above_args(e);
}

static Expr *parse_call(Parser *p, Expr *a) {
    Expr *e = parse_node(p, X_CALL, a->from, p->token);
    e->as.call.a = a;
    parse_above(e, a);
    parse_args(p, e);
    return parse_done(p, e);
}

/* --- .name and [item] --- */

/* One part of a subscript: an expression or, at a colon, a slice, which is of nothing yet. */
static Expr *parse_subscript_part(Parser *p, bool *slice) {
    Expr *start = NULL;
    uint32_t from = p->token.from;
    if (!parse_at(p, T_COLON)) {
        start = parse_expr(p);
        if (!parse_at(p, T_COLON)) return start;
    }
    Token colon = p->token;
    *slice = true;
    if (!parse_skip(p, T_COLON)) return p->none;
    Expr *e = parse_node(p, X_SLICE, from, colon);
    if (start) parse_above(e, e->as.slice.start = start);
    if (!parse_at(p, T_COLON) && !parse_at(p, T_COMMA) && !parse_at(p, T_RBRACKET))
        parse_above(e, e->as.slice.stop = parse_expr(p));
    if (parse_skip(p, T_COLON) && !parse_at(p, T_COMMA) && !parse_at(p, T_RBRACKET))
        parse_above(e, e->as.slice.step = parse_expr(p));
    return parse_done(p, e);
}

static Expr *parse_item(Parser *p, Expr *a) {
    Token open = p->token;
    if (!parse_deeper(p, open)) return p->none;
    uint32_t base = p->stack.n;
    bool several = true, slice = false;
    parse_next(p);
    if (!parse_at(p, T_RBRACKET)) {
        Expr *first = parse_subscript_part(p, &slice);
        several = parse_at(p, T_COMMA);
        parse_push(p, first);
        while (parse_skip(p, T_COMMA))
            parse_push(p, parse_subscript_part(p, &slice));
    }
    parse_expect_close(p, T_RBRACKET, "\"]\"", open);
    p->depth -= !p->stopped;
    uint32_t n;
    Expr **parts = (Expr **)parse_take(p, base, &n);
    if (!several && slice && !p->stopped) {
        Expr *e = parts[0];
        e->as.slice.a = a;
        e->from = a->from;
        e->at = open.from;
        e->at_to = open.to;
        parse_above(e, a);
        return parse_done(p, e);
    }
    Expr *e = parse_node(p, X_ITEM, a->from, open);
    e->as.pair.a = a;
    parse_above(e, a);
    if (several) {
        Expr *index = parse_node(p, X_TUPLE, open.from, open);
        index->as.list.items = parts;
        index->as.list.n = n;
        for (uint32_t i = 0; i < n; i++)
            parse_above(index, parts[i]);
        e->as.pair.b = parse_done(p, index);
    } else {
        e->as.pair.b = parts[0];
    }
    parse_above(e, e->as.pair.b);
    return parse_done(p, e);
}

static Expr *parse_attribute(Parser *p, Expr *a) {
    parse_next(p);
    Token t = p->token;
    Expr *e = p->none;
    if (t.kind == T_NAME) {
        parse_next(p);
        e = parse_node(p, X_ATTR, a->from, t);
        e->as.attr.a = a;
        e->as.attr.name = names_get(p->names, parse_text(p, t));
    } else if (t.kind == T_INT) {
        Expr *index = parse_number(p);
        e = parse_node(p, X_ITEM, a->from, t);
        e->as.pair.a = a;
        e->as.pair.b = index;
        parse_above(e, index);
    } else {
        parse_unexpected(p, "a name or a number behind \".\"");
        return e;
    }
    parse_above(e, a);
    return parse_done(p, e);
}

static Expr *parse_postfix(Parser *p, Expr *a) {
    for (;;) {
        if (parse_at(p, T_DOT))
            a = parse_attribute(p, a);
        else if (parse_at(p, T_LBRACKET))
            a = parse_item(p, a);
        else if (parse_at(p, T_LPAREN))
            a = parse_call(p, a);
        else
            return a;
    }
}

/* --- filters and tests --- */

/* A name with dots, as filters and tests may have. Its place goes to `at`. */
static Name parse_dotted(Parser *p, const char *wanted, Token *at) {
    *at = p->token;
    Name name = parse_name(p, wanted);
    if (!parse_at(p, T_DOT)) return name;
    Buf buf;
    buf_init(&buf, p->arena);
    buf_add(&buf, name_str(name));
    while (parse_skip(p, T_DOT)) {
        buf_char(&buf, '.');
        at->to = p->token.to;
        buf_add(&buf, name_str(parse_name(p, "a name behind \".\"")));
    }
    return names_get(p->names, buf_str(&buf));
}

Expr *parse_filters(Parser *p, Expr *inner, bool first) {
    while (first || parse_skip(p, T_PIPE)) {
        Token at;
        uint32_t from = inner ? inner->from : p->token.from;
        Name name = parse_dotted(p, "a filter's name", &at);
        Expr *e = parse_node(p, X_FILTER, from, at);
        e->as.call.a = inner;
        e->as.call.name = name;
        if (inner) parse_above(e, inner);
        if (parse_at(p, T_LPAREN)) parse_args(p, e);
        inner = parse_done(p, e);
        first = false;
    }
    return inner;
}

/* Can the current token begin the argument of a test that has no parentheses? Any name can but these three. */
static bool at_bare_argument(const Parser *p) {
    switch (p->token.kind) {
    case T_NAME:
        return p->token.keyword != K_ELSE && p->token.keyword != K_OR && p->token.keyword != K_AND;
    case T_STR:
    case T_INT:
    case T_FLOAT:
    case T_LBRACKET:
    case T_LBRACE:
        return true;
    default:
        return false;
    }
}

static Expr *parse_test(Parser *p, Expr *a) {
    Token is = p->token, at;
    parse_next(p);
    bool negated = parse_at_keyword(p, K_NOT);
    if (negated) {
        is.to = p->token.to;
        parse_next(p);
    }
    Name name = parse_dotted(p, "a test's name", &at);
    Expr *e = parse_node(p, X_TEST, a->from, at);
    e->as.call.a = a;
    e->as.call.name = name;
    parse_above(e, a);
    if (parse_at(p, T_LPAREN)) {
        parse_args(p, e);
    } else if (at_bare_argument(p)) {
        if (parse_at_keyword(p, K_IS)) {
            Diag *diag = parse_error(p, p->token.from, p->token.to, "a second \"is\" behind a test without arguments");
            parse_hint(p, diag, "join tests by \"and\"");
            parse_stop(p);
        }
        Expr *arg = parse_postfix(p, parse_primary(p));
        e->as.call.args.args = arena_copy(p->arena, &arg, sizeof arg);
        e->as.call.args.n = 1;
        parse_above(e, arg);
    }
    e = parse_done(p, e);
    if (!negated) return e;
    Expr *not = parse_node(p, X_UNARY, a->from, is);
    not ->op = OP_NOT;
    not ->as.pair.a = e;
    parse_above(not, e);
    return parse_done(p, not );
}

/* --- signs --- */

static Expr *parse_sign(Parser *p) {
    Token at = p->token;
    if (at.kind != T_SUB && at.kind != T_ADD) return parse_postfix(p, parse_primary(p));
    if (!parse_deeper(p, at)) return p->none;
    parse_next(p);
    Expr *e = parse_node(p, X_UNARY, at.from, at);
    e->op = at.kind == T_SUB ? OP_NEG : OP_POS;
    e->as.pair.a = parse_sign(p);
    p->depth -= !p->stopped;
    parse_above(e, e->as.pair.a);
    return parse_done(p, e);
}

Expr *parse_unary(Parser *p) {
    Expr *e = parse_sign(p);
    for (;;) {
        if (parse_at(p, T_PIPE))
            e = parse_filters(p, e, false);
        else if (parse_at_keyword(p, K_IS))
            e = parse_test(p, e);
        else if (parse_at(p, T_LPAREN))
            e = parse_call(p, e);
        else
            return e;
    }
}

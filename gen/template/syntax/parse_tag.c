/* parse_tag.c: the statements, one function each: head, bodies, end.
 *
 * A head that has an error is left at its end, and its bodies are read all the same, so that the block's end
 * finds its beginning and what stands inside is checked too. Where Jinja itself leaves a mistake to Python
 * (a break outside a loop, an argument given twice), it is reported here, since nobody comes after.
 */
#include "template/syntax/parse_internal.h"

#define CANNOT_ASSIGN "only a name, a tuple of names or an attribute of a namespace can be set"

static Stmt *new_stmt(Parser *p, StmtKind kind) {
    Stmt *stmt = parse_new_stmt(p, sizeof *stmt);
    stmt->kind = kind;
    return stmt;
}

/* The end of a tag; where it is, for the statement's place. */
uint32_t parse_head_end(Parser *p, bool colon) {
    if (colon) parse_skip(p, T_COLON);
    if (!parse_at(p, T_END)) parse_unexpected(p, "\"%}\"");
    uint32_t to = p->token.to;
    parse_recover(p);
    return to;
}

static void simple_end(Parser *p, Stmt *stmt) {
    stmt->to = parse_head_end(p, false);
    parse_push(p, stmt);
}

/* --- bodies --- */

static Open open_block(Parser *p, Tag tag, Tag end, Stmt *stmt, Open *outer) {
    stmt->to = parse_head_end(p, true);
    Open open = {.tag = tag, .end = end, .from = stmt->from, .to = stmt->to, .closers = TAG_BIT(end), .outer = outer};
    open.guessed = p->guess;
    p->guessed |= p->guess;
    p->guess = false;
    return open;
}

/* A body of `stmt`; true if it was ended by a tag of this block, whose name is taken then. */
static bool body_of(Parser *p, Stmt *stmt, Open *open, Body *body) {
    if (p->nesting + 1 >= AST_MOST_HEIGHT) {
        if (!p->cut_off) parse_too_deep(p, open->from, open->to, "this block is");
        /* Behind this nothing can be told right from wrong; the rest is left. */
        parse_recover(p);
        p->lex.pos = p->lex.end;
        p->cut_off = p->unwinding = true;
        p->closer = TAG_NONE;
        return false;
    }
    p->nesting++;
    *body = parse_body(p, open);
    p->nesting--;
    for (uint32_t i = 0; i < body->n; i++)
        if (stmt->height <= body->items[i]->height) stmt->height = body->items[i]->height + 1;
    return !p->unwinding;
}

/* The only body of a block, and the tail of its end. */
static void whole_body(Parser *p, Stmt *stmt, Open *open, Body *body) {
    if (body_of(p, stmt, open, body)) parse_head_end(p, false);
    parse_push(p, stmt);
}

/* Reads what stands behind an `else`. */
static void else_body(Parser *p, Stmt *stmt, Open *open, Body *body) {
    open->else_from = p->closer_token.from;
    open->else_to = p->closer_token.to;
    open->closers = TAG_BIT(open->end);
    parse_head_end(p, true);
    if (body_of(p, stmt, open, body)) parse_head_end(p, false);
}

/* --- targets --- */

static void check_target(Parser *p, const Expr *e) {
    const char *what = "an expression";
    switch (e->kind) {
    case X_NAME:
    case X_NSREF:
        return;
    case X_TUPLE:
        for (uint32_t i = 0; i < e->as.list.n; i++)
            check_target(p, e->as.list.items[i]);
        return;
    case X_CONST:
        what = "a literal";
        break;
    case X_LIST:
        what = "a list";
        break;
    case X_DICT:
        what = "a dict";
        break;
    default:
        break;
    }
    if (p->stopped) return;
    Diag *diag = parse_error(p, e->from, e->to, "cannot assign to %s", what);
    parse_hint(p, diag, CANNOT_ASSIGN);
}

static Expr *parse_target(Parser *p) {
    Expr *e = parse_target_tuple(p);
    check_target(p, e);
    return e;
}

/* A name that is given a value; not one of the literals. */
static Name parse_new_name(Parser *p, const char *wanted) {
    Token at = p->token;
    Name name = parse_name(p, wanted);
    if (at.kind == T_NAME && at.keyword >= K_TRUE)
        parse_error(p, at.from, at.to, "%Q is a literal and cannot be used as a name", name_str(name));
    return name;
}

/* --- set --- */

static Expr *parse_set_target(Parser *p) {
    if (!parse_at(p, T_NAME) || parse_peek(p).kind != T_DOT) return parse_target(p);
    Token at = p->token;
    Name name = parse_name(p, "a name");
    parse_next(p);
    Token attr_at = p->token;
    Name attr = parse_name(p, "a name behind \".\"");
    Expr *e = parse_node(p, X_NSREF, at.from, attr_at);
    e->as.nsref.name = name;
    e->as.nsref.attr = attr;
    return e;
}

static void parse_set(Parser *p, Open *outer) {
    Stmt *stmt = new_stmt(p, S_SET);
    Expr *target = parse_set_target(p);
    if (parse_skip(p, T_ASSIGN)) {
        stmt->as.set.target = target;
        stmt->as.set.value = parse_tuple(p);
        simple_end(p, stmt);
        return;
    }
    stmt->kind = S_SET_BLOCK;
    stmt->as.set_block.target = target;
    if (parse_at(p, T_PIPE)) stmt->as.set_block.filter = parse_filters(p, NULL, false);
    parse_skip(p, T_COLON);
    if (!parse_at(p, T_END)) {
        Diag *diag = parse_unexpected(p, "\"=\" or \"%}\"");
        if (p->stopped_at.kind == T_DOT || p->stopped_at.kind == T_LBRACKET || p->stopped_at.kind == T_COMMA)
            parse_hint(p, diag, CANNOT_ASSIGN);
    }
    bool stopped = p->stopped;
    Open open = open_block(p, TAG_SET, TAG_ENDSET, stmt, outer);
    /* Was a head with an error the beginning of a block? One with a "=" was not. */
    if (stopped && memchr(p->lex.text + stmt->from, '=', p->lex.pos - stmt->from)) {
        parse_push(p, stmt);
        return;
    }
    whole_body(p, stmt, &open, &stmt->as.set_block.body);
}

/* --- for, if --- */

static void parse_for(Parser *p, Open *outer) {
    Stmt *stmt = new_stmt(p, S_FOR);
    stmt->as.loop.target = parse_target(p);
    if (parse_at_keyword(p, K_IN))
        parse_next(p);
    else
        parse_unexpected(p, "\"in\"");
    stmt->as.loop.iter = parse_tuple_without_if(p);
    if (parse_at_keyword(p, K_IF)) {
        parse_next(p);
        stmt->as.loop.test = parse_expr(p);
    }
    stmt->as.loop.recursive = parse_skip_word(p, S("recursive"));
    Open open = open_block(p, TAG_FOR, TAG_ENDFOR, stmt, outer);
    open.closers |= TAG_BIT(TAG_ELSE);
    bool in_loop = p->in_loop;
    p->in_loop = true;
    bool ended = body_of(p, stmt, &open, &stmt->as.loop.body);
    p->in_loop = in_loop && !stmt->as.loop.recursive; /* a recursive loop is a function of its own */
    if (ended && p->closer == TAG_ELSE)
        else_body(p, stmt, &open, &stmt->as.loop.otherwise);
    else if (ended)
        parse_head_end(p, false);
    p->in_loop = in_loop;
    parse_push(p, stmt);
}

static void parse_if(Parser *p, Open *outer) {
    Stmt *stmt = new_stmt(p, S_IF);
    VEC(IfBranch) branches = {NULL, 0, 0};
    IfBranch first = {parse_tuple_without_if(p), {NULL, 0}};
    Open open = open_block(p, TAG_IF, TAG_ENDIF, stmt, outer);
    open.closers |= TAG_BIT(TAG_ELIF) | TAG_BIT(TAG_ELSE);
    bool ended = body_of(p, stmt, &open, &first.body);
    if (ended && p->closer == TAG_ELIF) *VEC_PUSH(p->arena, &branches) = first;
    while (ended && p->closer == TAG_ELIF) {
        IfBranch branch = {parse_tuple_without_if(p), {NULL, 0}};
        parse_head_end(p, true);
        ended = body_of(p, stmt, &open, &branch.body);
        *VEC_PUSH(p->arena, &branches) = branch;
    }
    stmt->as.cond.n = branches.n ? branches.n : 1;
    stmt->as.cond.branches = branches.n ? branches.items : arena_copy(p->arena, &first, sizeof first);
    if (ended && p->closer == TAG_ELSE)
        else_body(p, stmt, &open, &stmt->as.cond.otherwise);
    else if (ended)
        parse_head_end(p, false);
    parse_push(p, stmt);
}

/* --- macro, call --- */

static void parse_params(Parser *p, Params *params) {
    VEC(Name) names = {NULL, 0, 0};
    VEC(Expr *) defaults = {NULL, 0, 0};
    Seen seen;
    seen.n = 0;
    Token open = p->token;
    bool defaulted = false;
    if (!parse_expect(p, T_LPAREN, "\"(\"")) return;
    while (!parse_at(p, T_RPAREN) && !p->stopped) {
        Token at = p->token;
        Name name = parse_new_name(p, "a parameter's name");
        Expr *value = NULL;
        if (parse_skip(p, T_ASSIGN)) {
            value = parse_expr(p);
            defaulted = true;
        } else if (defaulted) {
            parse_error(p, at.from, at.to, "parameter %Q has no default but stands behind one that has",
                        name_str(name));
        }
        const Token *before = parse_seen(p, &seen, name, at);
        if (before) {
            Diag *diag = parse_error(p, at.from, at.to, "two parameters are named %Q", name_str(name));
            parse_note(p, diag, before->from, before->to, "the first one is here");
        }
        *VEC_PUSH(p->arena, &names) = name;
        *VEC_PUSH(p->arena, &defaults) = value;
        if (!parse_at(p, T_COMMA)) break;
        parse_next(p);
        if (parse_at(p, T_RPAREN)) parse_unexpected(p, "a parameter's name");
    }
    parse_expect_close(p, T_RPAREN, "\",\" or \")\"", open);
    *params = (Params){names.items, defaults.items, names.n};
}

static void function_body(Parser *p, Stmt *stmt, Open *open, Body *body) {
    bool in_loop = p->in_loop;
    p->in_loop = false;
    whole_body(p, stmt, open, body);
    p->in_loop = in_loop;
}

static void parse_macro(Parser *p, Open *outer) {
    Stmt *stmt = new_stmt(p, S_MACRO);
    stmt->as.macro.name = parse_new_name(p, "a macro's name");
    parse_params(p, &stmt->as.macro.params);
    Open open = open_block(p, TAG_MACRO, TAG_ENDMACRO, stmt, outer);
    function_body(p, stmt, &open, &stmt->as.macro.body);
}

static void parse_call_block(Parser *p, Open *outer) {
    Stmt *stmt = new_stmt(p, S_CALL_BLOCK);
    if (parse_at(p, T_LPAREN)) parse_params(p, &stmt->as.macro.params);
    Expr *call = parse_expr(p);
    if (call->kind != X_CALL && !p->stopped)
        parse_error(p, call->from, call->to, "\"call\" needs a call, as in {%% call f() %%}");
    stmt->as.macro.call = call;
    Open open = open_block(p, TAG_CALL, TAG_ENDCALL, stmt, outer);
    function_body(p, stmt, &open, &stmt->as.macro.body);
}

/* --- filter, with, autoescape --- */

static void parse_filter_block(Parser *p, Open *outer) {
    Stmt *stmt = new_stmt(p, S_FILTER_BLOCK);
    stmt->as.filter_block.filter = parse_filters(p, NULL, true);
    Open open = open_block(p, TAG_FILTER, TAG_ENDFILTER, stmt, outer);
    whole_body(p, stmt, &open, &stmt->as.filter_block.body);
}

static void parse_with(Parser *p, Open *outer) {
    Stmt *stmt = new_stmt(p, S_WITH);
    VEC(Expr *) targets = {NULL, 0, 0};
    VEC(Expr *) values = {NULL, 0, 0};
    while (!parse_at(p, T_END) && !p->stopped) {
        if (targets.n && !parse_expect(p, T_COMMA, "\",\" or \"%}\"")) break;
        *VEC_PUSH(p->arena, &targets) = parse_target(p);
        parse_expect(p, T_ASSIGN, "\"=\"");
        *VEC_PUSH(p->arena, &values) = parse_expr(p);
    }
    stmt->as.with.targets = targets.items;
    stmt->as.with.values = values.items;
    stmt->as.with.n = targets.n;
    Open open = open_block(p, TAG_WITH, TAG_ENDWITH, stmt, outer);
    whole_body(p, stmt, &open, &stmt->as.with.body);
}

static void parse_autoescape(Parser *p, Open *outer) {
    Stmt *stmt = new_stmt(p, S_AUTOESCAPE);
    stmt->as.autoescape.on = parse_expr(p);
    Open open = open_block(p, TAG_AUTOESCAPE, TAG_ENDAUTOESCAPE, stmt, outer);
    whole_body(p, stmt, &open, &stmt->as.autoescape.body);
}

/* --- block, extends --- */

static void check_required(Parser *p, const Stmt *stmt) {
    for (uint32_t i = 0; i < stmt->as.block.body.n; i++) {
        const Stmt *inside = stmt->as.block.body.items[i];
        if (inside->kind == S_TEXT && lex_all_space(inside->as.text)) continue;
        Diag *diag =
            parse_error(p, inside->from, inside->to, "a required block may hold only white space and comments");
        parse_note(p, diag, stmt->from, stmt->to, "the \"block\" that is required");
        return;
    }
}

static void parse_block(Parser *p, Open *outer) {
    Stmt *stmt = new_stmt(p, S_BLOCK);
    Token *at = arena_copy(p->arena, &p->token, sizeof p->token);
    bool named = parse_at(p, T_NAME);
    Name name = stmt->as.block.name = parse_name(p, "a block's name");
    if (parse_at(p, T_SUB)) {
        Diag *diag = parse_error(p, p->token.from, p->token.to, "a block's name cannot have a hyphen");
        parse_hint(p, diag, "use \"_\"");
        parse_stop(p);
    }
    stmt->as.block.scoped = parse_skip_word(p, S("scoped"));
    stmt->as.block.required = parse_skip_word(p, S("required"));
    if (parse_token_is(p, p->token, S("scoped"))) {
        Diag *diag = parse_unexpected(p, "\"%}\"");
        parse_hint(p, diag, "\"scoped\" stands before \"required\"");
    }
    if (named && !p->stopped) {
        Token *first = map_get(&p->blocks, name);
        if (first) {
            Diag *diag = parse_error(p, at->from, at->to, "there are two blocks named %Q", name_str(name));
            parse_note(p, diag, first->from, first->to, "the first one is here");
        } else {
            map_set(&p->blocks, name, at);
        }
    }
    Open open = open_block(p, TAG_BLOCK, TAG_ENDBLOCK, stmt, outer);
    bool in_loop = p->in_loop;
    p->in_loop = false;
    bool ended = body_of(p, stmt, &open, &stmt->as.block.body);
    p->in_loop = in_loop;
    if (stmt->as.block.required && ended) check_required(p, stmt);
    if (ended) {
        if (named && !parse_skip_word(p, name_str(name)) && parse_at(p, T_NAME)) {
            Diag *diag = parse_unexpected(p, str_to_c(p->arena, str_format(p->arena, "%Q or \"%%}\"", name_str(name))));
            parse_note(p, diag, open.from, open.to, "the \"block\" that is open here");
        }
        parse_head_end(p, false);
    }
    parse_push(p, stmt);
}

static void parse_extends(Parser *p) {
    Stmt *stmt = new_stmt(p, S_EXTENDS);
    stmt->as.expr = parse_expr(p);
    simple_end(p, stmt);
}

/* --- include, import, from --- */

/* `with context` or `without context`; leaves *with as it is if there is neither. */
static bool parse_context(Parser *p, bool *with) {
    bool on = parse_token_is(p, p->token, S("with"));
    if (!on && !parse_token_is(p, p->token, S("without"))) return false;
    if (!parse_token_is(p, parse_peek(p), S("context"))) return false;
    *with = on;
    parse_next(p);
    parse_next(p);
    return true;
}

static void parse_include(Parser *p) {
    Stmt *stmt = new_stmt(p, S_INCLUDE);
    stmt->as.load.file = parse_expr(p);
    if (parse_token_is(p, p->token, S("ignore")) && parse_token_is(p, parse_peek(p), S("missing"))) {
        stmt->as.load.ignore_missing = true;
        parse_next(p);
        parse_next(p);
    }
    stmt->as.load.with_context = true;
    parse_context(p, &stmt->as.load.with_context);
    simple_end(p, stmt);
}

static void parse_import(Parser *p) {
    Stmt *stmt = new_stmt(p, S_IMPORT);
    stmt->as.load.file = parse_expr(p);
    if (!parse_skip_word(p, S("as"))) parse_unexpected(p, "\"as\"");
    stmt->as.load.target = parse_new_name(p, "a name");
    parse_context(p, &stmt->as.load.with_context);
    simple_end(p, stmt);
}

static void parse_from(Parser *p) {
    Stmt *stmt = new_stmt(p, S_FROM);
    VEC(ImportedName) names = {NULL, 0, 0};
    stmt->as.load.file = parse_expr(p);
    if (!parse_skip_word(p, S("import"))) parse_unexpected(p, "\"import\"");
    while (!p->stopped) {
        if (parse_context(p, &stmt->as.load.with_context)) break;
        ImportedName imported = {.from = p->token.from, .to = p->token.to};
        imported.name = imported.alias = parse_new_name(p, "a name to import");
        if (imported.name->n && imported.name->p[0] == '_')
            parse_error(p, imported.from, imported.to,
                        "names that begin with \"_\" are private and cannot be imported");
        if (parse_skip_word(p, S("as"))) imported.alias = parse_new_name(p, "a name");
        *VEC_PUSH(p->arena, &names) = imported;
        if (parse_context(p, &stmt->as.load.with_context) || !parse_skip(p, T_COMMA)) break;
    }
    stmt->as.load.names = names.items;
    stmt->as.load.n = names.n;
    simple_end(p, stmt);
}

/* --- do, print, break, continue --- */

static void parse_do(Parser *p) {
    Stmt *stmt = new_stmt(p, S_DO);
    stmt->as.expr = parse_tuple(p);
    simple_end(p, stmt);
}

/* {% print a, b %} is {{ a }}{{ b }}. */
static void parse_print(Parser *p) {
    uint32_t base = p->stack.n, n = 0;
    while (!parse_at(p, T_END) && !p->stopped) {
        if (n && !parse_expect(p, T_COMMA, "\",\" or \"%}\"")) break;
        Stmt *stmt = new_stmt(p, S_EMIT);
        stmt->as.expr = parse_expr(p);
        parse_push(p, stmt);
        n++;
    }
    uint32_t to = parse_head_end(p, false);
    for (uint32_t i = 0; i < n; i++)
        ((Stmt *)p->stack.items[base + i])->to = to;
}

static void parse_jump(Parser *p, Tag tag) {
    Stmt *stmt = new_stmt(p, tag == TAG_BREAK ? S_BREAK : S_CONTINUE);
    if (!p->in_loop && !p->stopped) parse_error(p, p->last.from, p->last.to, "%Q outside a loop", tag_name(tag));
    simple_end(p, stmt);
}

void parse_tag(Parser *p, Tag tag, Open *outer) {
    switch (tag) {
    case TAG_IF:
        parse_if(p, outer);
        break;
    case TAG_FOR:
        parse_for(p, outer);
        break;
    case TAG_SET:
        parse_set(p, outer);
        break;
    case TAG_BLOCK:
        parse_block(p, outer);
        break;
    case TAG_MACRO:
        parse_macro(p, outer);
        break;
    case TAG_CALL:
        parse_call_block(p, outer);
        break;
    case TAG_FILTER:
        parse_filter_block(p, outer);
        break;
    case TAG_WITH:
        parse_with(p, outer);
        break;
    case TAG_AUTOESCAPE:
        parse_autoescape(p, outer);
        break;
    case TAG_INCLUDE:
        parse_include(p);
        break;
    case TAG_IMPORT:
        parse_import(p);
        break;
    case TAG_FROM:
        parse_from(p);
        break;
    case TAG_EXTENDS:
        parse_extends(p);
        break;
    case TAG_DO:
        parse_do(p);
        break;
    case TAG_PRINT:
        parse_print(p);
        break;
    default:
        parse_jump(p, tag);
        break;
    }
}

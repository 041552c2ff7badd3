/* parse.c: the two entrances of the parser, and how it reports errors and goes on after them.
 *
 * An error names what was wanted and what was got, at the place of what was got; what opened the thing
 * that is not closed is a note. Mistakes that people bring from other languages ("&&", "?:", "=") get the
 * mend as a hint. After an error the rest of the tag is skipped, so that one mistake gives one message.
 */
#include "template/syntax/parse_internal.h"

static Span place(const Parser *p, uint32_t from, uint32_t to) { return span(p->source, from, to); }

Token parse_peek(Parser *p) {
    if (!p->has_ahead) lex_token(&p->lex, &p->ahead), p->has_ahead = true;
    return p->ahead;
}

bool parse_token_is(const Parser *p, Token t, Str word) { return t.kind == T_NAME && str_eq(parse_text(p, t), word); }

bool parse_skip_word(Parser *p, Str word) {
    if (!parse_token_is(p, p->token, word)) return false;
    parse_next(p);
    return true;
}

Name parse_name(Parser *p, const char *wanted) {
    if (!parse_at(p, T_NAME)) {
        parse_unexpected(p, wanted);
        return names_get(p->names, S(""));
    }
    Name name = names_get(p->names, parse_text(p, p->token));
    parse_next(p);
    return name;
}

bool parse_expect(Parser *p, TokenKind kind, const char *wanted) {
    if (parse_skip(p, kind)) return true;
    parse_unexpected(p, wanted);
    return false;
}

bool parse_expect_close(Parser *p, TokenKind kind, const char *wanted, Token open) {
    if (parse_skip(p, kind)) return true;
    Diag *diag = parse_unexpected(p, wanted);
    parse_note(p, diag, open.from, open.to, "the %Q that is open here", parse_text(p, open));
    return false;
}

Diag *parse_error(Parser *p, uint32_t from, uint32_t to, const char *format, ...) {
    if (p->stopped) return NULL;
    va_list args;
    va_start(args, format);
    Diag *diag = diag_vadd(p->diags, DIAG_ERROR, E_TEMPLATE_SYNTAX, place(p, from, to), format, args);
    va_end(args);
    p->failed = true;
    return diag;
}

void parse_note(Parser *p, Diag *diag, uint32_t from, uint32_t to, const char *format, ...) {
    if (diag == NULL) return;
    va_list args;
    va_start(args, format);
    Str text = str_vformat(p->arena, format, args);
    va_end(args);
    diag_note(p->diags, diag, place(p, from, to), "%S", text);
}

void parse_hint(Parser *p, Diag *diag, const char *format, ...) {
    if (diag == NULL) return;
    va_list args;
    va_start(args, format);
    Str text = str_vformat(p->arena, format, args);
    va_end(args);
    diag_hint(p->diags, diag, "%S", text);
}

void parse_stop(Parser *p) {
    if (p->stopped) return;
    p->stopped = true;
    p->stopped_at = p->token;
    p->token = (Token){.kind = T_STOPPED, .from = p->token.from, .to = p->token.from};
}

/* To behind the tag in which an error stands. */
void parse_recover(Parser *p) {
    if (!p->stopped) return;
    Token at = p->stopped_at;
    p->stopped = p->has_ahead = false;
    p->depth = 0;
    p->token = at;
    switch (at.kind) {
    case T_END:
        break; /* the lexer is behind it already */
    case T_EOF:
        break;
    case T_WRONG_END:
        p->lex.pos = at.to;
        break;
    case T_OPENER:
        p->lex.pos = at.from;
        break;
    default:
        if (!lex_leave(&p->lex, at.to)) p->cut_off = true;
    }
}

void parse_too_deep(Parser *p, uint32_t from, uint32_t to, const char *what) {
    if (p->stopped) return;
    diag_error(p->diags, E_TEMPLATE_DEPTH, place(p, from, to), "%s nested more than %d levels deep", what,
               AST_MOST_HEIGHT);
    p->failed = true;
    parse_stop(p);
}

const char *parse_tag_end_text(const Parser *p) {
    return p->lex.mode == LEX_STATEMENT ? "\"%}\"" : p->lex.mode == LEX_PRINT ? "\"}}\"" : "the end of the expression";
}

/* The current token as a message names it. */
static Str got(Parser *p) {
    Token t = p->token;
    Str text = parse_text(p, t);
    if (t.kind == T_END && p->lex.mode == LEX_EXPRESSION) return S("the end of the expression");
    if (t.kind == T_STR) {
        bool shown = text.n <= 40 && str_find_char(text, '\n') == STR_NONE && !t.escaped;
        return shown ? str_format(p->arena, "the string %S", text) : S("a string");
    }
    if (text.n > 60) return S("a long name or number");
    return str_format(p->arena, "%Q", text);
}

/* Mistakes whose mend is known by the token alone. */
static void hint_for(Parser *p, Diag *diag, bool wanted_operand) {
    Token t = p->token, last = p->last;
    switch (t.kind) {
    case T_ASSIGN:
        if (!wanted_operand) parse_hint(p, diag, "\"==\" compares");
        return;
    case T_PIPE:
        if (last.kind == T_PIPE && last.to == t.from) parse_hint(p, diag, "\"or\" is what \"||\" means elsewhere");
        return;
    case T_DOT:
    case T_LBRACKET:
        if (!wanted_operand && (last.kind == T_NAME || last.kind == T_RPAREN) && p->lex.mode != LEX_STATEMENT)
            parse_hint(p, diag, "put parentheses around the filter or test to go on from its result");
        return;
    default:
        break;
    }
    if (!wanted_operand && last.kind == T_NAME && last.keyword != K_NONE && last.keyword < K_TRUE) {
        Str word = parse_text(p, last);
        if (last.keyword == K_NOT)
            parse_hint(p, diag, "\"not\" was read as a name here: write (not ...) behind an operator");
        else
            parse_hint(p, diag, "%Q was read as a name here; parentheses make clear what is meant", word);
    }
}

static Diag *bad_character(Parser *p) {
    static const struct {
        const char *wrong, *mend;
    } mends[] = {
        {"&", "\"and\" is what \"&&\" means elsewhere"},
        {"!", "\"not\" is what \"!\" means elsewhere"},
        {"?", "write \"a if test else b\""},
        {"\xe2\x80\x9c", "strings stand in \" or '"},
        {"\xe2\x80\x9d", "strings stand in \" or '"},
        {"\xe2\x80\x98", "strings stand in \" or '"},
        {"\xe2\x80\x99", "strings stand in \" or '"},
        {"`", "strings stand in \" or '"},
        {"^", "\"**\" is the power operator"},
        {"$", "names stand here without a \"$\""},
    };
    Str text = parse_text(p, p->token);
    Diag *diag = parse_error(p, p->token.from, p->token.to, "unexpected character %Q", text);
    for (size_t i = 0; i < sizeof mends / sizeof *mends; i++)
        if (str_eq(text, str_c(mends[i].wrong))) parse_hint(p, diag, "%s", mends[i].mend);
    return diag;
}

Diag *parse_unexpected(Parser *p, const char *wanted) {
    if (p->stopped) return NULL;
    Token t = p->token;
    Str opener = p->lex.mode == LEX_STATEMENT ? S("{%") : S("{{");
    const char *end = parse_tag_end_text(p);
    Diag *diag;
    switch (t.kind) {
    case T_BAD_CHAR:
        diag = bad_character(p);
        break;
    case T_BAD_STRING:
        diag = parse_error(p, t.from, t.to, "the string that begins here is never closed");
        break;
    case T_EOF:
        diag = parse_error(p, p->tag_from, p->tag_to, "the tag that begins here is never closed: %s is missing", end);
        p->cut_off = true;
        break;
    case T_OPENER:
    case T_WRONG_END:
        diag = parse_error(p, t.from, t.to, "expected %s, got %S", end, got(p));
        parse_note(p, diag, p->tag_from, p->tag_to, "the %Q that is open here", opener);
        break;
    default:
        diag = parse_error(p, t.from, t.to, "expected %s, got %S", wanted, got(p));
        hint_for(p, diag, wanted[0] == 'a'); /* an expression, a name, ... */
    }
    /* A missing quote makes a string that reaches to the next one: show where it began. */
    if (p->last.kind == T_STR && t.kind != T_EOF && p->lex.mode != LEX_EXPRESSION) {
        Str before = parse_text(p, p->last), closing = p->lex.mode == LEX_STATEMENT ? S("%}") : S("}}");
        if (str_find(before, closing) != STR_NONE)
            parse_note(p, diag, p->last.from, p->last.from + 1,
                       "the string that begins here holds %Q: is its closing quote missing?", closing);
    }
    parse_stop(p);
    return diag;
}

const Token *parse_seen(Parser *p, Seen *seen, Name name, Token at) {
    const uint32_t few = sizeof seen->few / sizeof *seen->few;
    for (uint32_t i = 0; i < seen->n && i < few; i++)
        if (seen->few[i].name == name) return &seen->few[i].at;
    if (seen->n < few) {
        seen->few[seen->n].name = name;
        seen->few[seen->n++].at = at;
        return NULL;
    }
    if (seen->n++ == few) map_init(&seen->many, p->arena);
    const Token *before = map_get(&seen->many, name);
    if (before == NULL) map_set(&seen->many, name, arena_copy(p->arena, &at, sizeof at));
    return before;
}

void **parse_take(Parser *p, uint32_t base, uint32_t *n) {
    *n = p->stack.n - base;
    p->stack.n = base;
    if (*n == 0) return NULL;
    return arena_copy(p->arena, p->stack.items + base, *n * sizeof(void *));
}

static void init(Parser *p, Arena *arena, Names *names, Source *source, Diags *diags) {
    *p = (Parser){.arena = arena, .names = names, .source = source, .diags = diags};
    p->none = ARENA_NEW(arena, Expr);
    p->none->height = 1;
    map_init(&p->blocks, arena);
    map_init(&p->unknown, arena);
}

TemplateAst *parse_template_partly(Arena *arena, Names *names, Source *source, const SyntaxOptions *options,
                                   Diags *diags, bool *whole) {
    Parser p;
    init(&p, arena, names, source, diags);
    Str text = source->text.n ? source->text : S("");
    lex_template(&p.lex, text, options);
    TemplateAst *ast = ARENA_NEW(arena, TemplateAst);
    ast->source = source;
    ast->body = parse_body(&p, NULL);
    *whole = !p.failed;
    return ast;
}

TemplateAst *parse_template(Arena *arena, Names *names, Source *source, const SyntaxOptions *options, Diags *diags) {
    bool whole;
    TemplateAst *ast = parse_template_partly(arena, names, source, options, diags, &whole);
    return whole ? ast : NULL;
}

Expr *parse_expression(Arena *arena, Names *names, Source *source, uint32_t from, uint32_t to, Diags *diags) {
    Parser p;
    init(&p, arena, names, source, diags);
    Str text = source->text.n ? source->text : S("");
    lex_expression(&p.lex, text, from, to);
    parse_next(&p);
    p.last = (Token){.kind = T_END};
    Expr *e = parse_tuple(&p);
    if (!parse_at(&p, T_END)) parse_unexpected(&p, "the end of the expression");
    return p.failed ? NULL : e;
}

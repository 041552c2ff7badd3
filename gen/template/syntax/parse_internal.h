/* parse_internal.h: what the halves of the parser share.
 *
 * An error puts the parser into a state in which the current token is T_STOPPED, which fits nowhere. All
 * that is under way then ends by itself, says nothing more, and gives back nodes that nobody will look at;
 * at the end of the tag parse_recover goes on behind it. So no function returns NULL and none checks for it.
 * One rule keeps this sound: parse_next is called only on a token that was recognised.
 */
#ifndef OPGEN_TEMPLATE_PARSE_INTERNAL_H
#define OPGEN_TEMPLATE_PARSE_INTERNAL_H

#include "base/vec.h"
#include "template/syntax/lex.h"

typedef enum Tag {
    TAG_NONE,
    TAG_IF,
    TAG_ENDIF,
    TAG_FOR,
    TAG_ENDFOR,
    TAG_SET,
    TAG_ELSE,
    TAG_ELIF,
    TAG_BLOCK,
    TAG_ENDBLOCK,
    TAG_MACRO,
    TAG_ENDMACRO,
    TAG_ENDSET,
    TAG_INCLUDE,
    TAG_IMPORT,
    TAG_FROM,
    TAG_EXTENDS,
    TAG_WITH,
    TAG_ENDWITH,
    TAG_CALL,
    TAG_ENDCALL,
    TAG_FILTER,
    TAG_ENDFILTER,
    TAG_DO,
    TAG_BREAK,
    TAG_CONTINUE,
    TAG_AUTOESCAPE,
    TAG_ENDAUTOESCAPE,
    TAG_PRINT,
    TAG_RAW, /* only in error messages: the lexer takes those that are well formed */
    TAG_ENDRAW,
    TAG_COUNT
} Tag;
#define TAG_BIT(tag) ((uint64_t)1 << (tag))

/* A block whose end is still to come; they are a list through the C stack. */
typedef struct Open {
    Tag tag, end;
    uint32_t from, to;           /* its opening tag */
    uint64_t closers;            /* the tags that end the body being read, as TAG_BITs */
    uint32_t else_from, else_to; /* the else that was there already; else_to is 0 if none was */
    bool stray;                  /* an end that fits nothing was reported in it: its own is not missed then */
    bool guessed;                /* its tag was misspelled, or meant something else altogether */
    struct Open *outer;
} Open;

typedef struct Parser {
    Arena *arena;
    Names *names;
    Source *source;
    Diags *diags;
    Lexer lex;
    Token token, last, ahead; /* the current one, the one before, and the one behind if it was asked for */
    bool has_ahead;
    bool failed;  /* there was an error */
    bool stopped; /* there was one in this tag */
    bool cut_off; /* the rest of the template was skipped, so that what it lacks is no error */
    Token stopped_at;
    uint32_t depth;    /* of the expression being read */
    uint32_t nesting;  /* of blocks */
    Expr *none;        /* what stands for an expression that could not be read */
    VEC(void *) stack; /* items of the lists being read; the finished list is copied from its top */

    /* statements */
    uint32_t tag_from, tag_to; /* the opening delimiter of the current tag */
    bool in_loop;
    Tag closer; /* the tag that ended a body; its name is taken, its tail is not */
    Token closer_token;
    bool unwinding;      /* it belongs to a block further out */
    bool guess, guessed; /* this tag is what a misspelled one was taken for; any tag was */
    uint64_t forgiven; /* ends of blocks that another block's end closed: they may come without an error, as TAG_BITs */
    Map blocks;        /* name to the place of the first block of that name */
    Map unknown;       /* tags that do not exist: their ends are not reported again */
} Parser;

/* --- parse.c: tokens and errors --- */
static inline void parse_next(Parser *p) {
    p->last = p->token;
    if (p->has_ahead)
        p->token = p->ahead, p->has_ahead = false;
    else
        lex_token(&p->lex, &p->token);
}
Token parse_peek(Parser *p); /* the token behind the current one, which must not be the tag's end */
static inline bool parse_at(const Parser *p, TokenKind kind) { return p->token.kind == kind; }
static inline bool parse_at_keyword(const Parser *p, Keyword keyword) { return p->token.keyword == keyword; }
static inline bool parse_skip(Parser *p, TokenKind kind) {
    if (p->token.kind != kind) return false;
    parse_next(p);
    return true;
}
static inline Str parse_text(const Parser *p, Token t) { return str(p->lex.text + t.from, t.to - t.from); }
bool parse_token_is(const Parser *p, Token t, Str word); /* a T_NAME of this text */
bool parse_skip_word(Parser *p, Str word);
Name parse_name(Parser *p, const char *wanted); /* the name at the current token; an error if there is none */
bool parse_expect(Parser *p, TokenKind kind, const char *wanted);
/* The same for a closing bracket: the error shows where the opening one is. */
bool parse_expect_close(Parser *p, TokenKind kind, const char *wanted, Token open);

/* An error that does not disturb the reading of the rest; NULL if the tag is being left already. */
Diag *parse_error(Parser *p, uint32_t from, uint32_t to, const char *format, ...);
/* The current token is not what was wanted: reported once, then the tag is left. May be NULL. */
Diag *parse_unexpected(Parser *p, const char *wanted);
void parse_stop(Parser *p);
void parse_recover(Parser *p);
void parse_too_deep(Parser *p, uint32_t from, uint32_t to, const char *what);
void parse_note(Parser *p, Diag *diag, uint32_t from, uint32_t to, const char *format, ...);
void parse_hint(Parser *p, Diag *diag, const char *format, ...);
const char *parse_tag_end_text(const Parser *p); /* "\"%}\"", ... as it is named in messages */

/* The names of one list, where none may stand twice. n is 0 to begin with; many go into a map. */
typedef struct Seen {
    uint32_t n;
    struct {
        Name name;
        Token at;
    } few[8];
    Map many;
} Seen;
/* Where the name stood before; NULL, and it is remembered, if it did not. */
const Token *parse_seen(Parser *p, Seen *seen, Name name, Token at);

/* The items above `base`, copied into the arena; the stack is cut there. */
void **parse_take(Parser *p, uint32_t base, uint32_t *n);
static inline void parse_push(Parser *p, void *item) { *VEC_PUSH(p->arena, &p->stack) = item; }

/* --- parse_literal.c --- */
Expr *parse_number(Parser *p);
Expr *parse_string(Parser *p);

/* --- parse_expr.c: operators --- */
Expr *parse_node(Parser *p, ExprKind kind, uint32_t from, Token at);
static inline void parse_above(Expr *e, const Expr *child) {
    if (e->height <= child->height) e->height = child->height + 1;
}
/* Sets the end, checks the height. */
Expr *parse_done(Parser *p, Expr *e);
/* One level further in. False after an error: do not go on. */
bool parse_deeper(Parser *p, Token at);
Expr *parse_expr(Parser *p);
Expr *parse_expr_without_if(Parser *p); /* where an `if` behind the expression means something else */

Expr *parse_tuple(Parser *p); /* a, b without parentheses */
Expr *parse_tuple_without_if(Parser *p);
Expr *parse_target_tuple(Parser *p); /* names, literals and brackets only: among them what may be assigned to */

/* --- parse_primary.c: names, literals, brackets, and what binds to their right --- */
Expr *parse_unary(Parser *p);
Expr *parse_primary(Parser *p);
Expr *parse_paren_tuple(Parser *p, Token open);
Expr *parse_filters(Parser *p, Expr *inner, bool first); /* |a|b; first: the '|' before the first was taken */

/* --- parse_stmt.c --- */
/* A statement with only the part of its union that its kind has. */
#define PARSE_STMT(p, part) parse_new_stmt((p), offsetof(Stmt, as) + sizeof((Stmt *)0)->as.part)
Stmt *parse_new_stmt(Parser *p, size_t size);
Body parse_body(Parser *p, Open *open);

/* --- parse_tag.c: one function a statement --- */
void parse_tag(Parser *p, Tag tag, Open *outer);
Str tag_name(Tag tag);
uint32_t parse_head_end(Parser *p, bool colon);

#endif

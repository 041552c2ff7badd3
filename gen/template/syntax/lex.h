/* lex.h: from bytes to tokens, on demand.
 *
 * A template is text with tags in it. lex_text takes the text up to the next tag, with white space
 * around tags already taken away as the signs and options say; comments and raw blocks are settled
 * there as well. Inside a tag lex_token gives one token at a time. Tokens are offsets into the source;
 * nothing is copied or allocated here, and literals are read only when the parser wants their value.
 */
#ifndef OPGEN_TEMPLATE_LEX_H
#define OPGEN_TEMPLATE_LEX_H

#include "template/syntax/parse.h"

typedef enum TokenKind {
    T_END, /* the end of the tag, or of the expression that stands alone */
    T_EOF, /* the template ends inside a tag */
    T_NAME,
    T_STR,
    T_INT,
    T_FLOAT,
    T_ADD,
    T_SUB,
    T_MUL,
    T_DIV,
    T_FLOORDIV,
    T_MOD,
    T_POW,
    T_TILDE,
    T_EQ,
    T_NE,
    T_LT,
    T_LE,
    T_GT,
    T_GE,
    T_ASSIGN,
    T_DOT,
    T_COLON,
    T_PIPE,
    T_COMMA,
    T_SEMICOLON,
    T_LPAREN,
    T_RPAREN,
    T_LBRACKET,
    T_RBRACKET,
    T_LBRACE,
    T_RBRACE,
    T_OPENER,     /* "{%" or "{#" inside a tag, where it can only mean that the tag was not closed */
    T_WRONG_END,  /* "%}" in {{ or "}}" in {% */
    T_BAD_CHAR,   /* a character that no token begins with */
    T_BAD_STRING, /* a quote whose partner is missing */
    T_STOPPED,    /* what the parser sees from an error on until the end of the tag: fits nowhere */
} TokenKind;

/* Names that are operators or literals in some places. Everywhere else they are names like any other. */
typedef enum Keyword { K_NONE, K_IF, K_ELSE, K_OR, K_AND, K_NOT, K_IN, K_IS, K_TRUE, K_FALSE, K_NULL } Keyword;

typedef struct Token {
    uint8_t kind;    /* a TokenKind */
    uint8_t keyword; /* T_NAME: a Keyword */
    bool escaped;    /* T_STR: has a backslash or a carriage return, so its value is not its text */
    uint32_t from, to;
} Token;

typedef enum LexMode { LEX_STATEMENT, LEX_PRINT, LEX_EXPRESSION } LexMode;

typedef struct Lexer {
    const char *text;
    uint32_t pos, end;
    LexMode mode;
    SyntaxOptions options;
    bool has_return;    /* the source has a '\r' somewhere, so texts may need their line ends changed */
    bool at_line_start; /* what was taken last ended in a line break */
    uint32_t open_count;
    char open[AST_MOST_HEIGHT + 2]; /* brackets that are open, so that "}}" can close two dicts */
} Lexer;

typedef enum PieceKind {
    PIECE_END,
    PIECE_STATEMENT, /* behind the text stands {%, and the lexer stands behind that */
    PIECE_PRINT,     /* {{ */
    PIECE_COMMENT,   /* a comment, which was skipped */
    PIECE_RAW,       /* a raw block, which was skipped; its text is in raw_from, raw_to */
    PIECE_OPEN_COMMENT,
    PIECE_OPEN_RAW, /* without an end: the rest of the template was skipped */
} PieceKind;

typedef struct Piece {
    PieceKind kind;
    uint32_t from, to;         /* the text */
    uint32_t tag_from, tag_to; /* "{%", "{%-", "{#", ...; the whole opening tag of a raw block */
    uint32_t raw_from, raw_to;
} Piece;

void lex_template(Lexer *lex, Str text, const SyntaxOptions *options);
void lex_expression(Lexer *lex, Str text, uint32_t from, uint32_t to);
void lex_text(Lexer *lex, Piece *piece);
void lex_token(Lexer *lex, Token *token);
/* Leaves a tag in which something is wrong: from `from` on to behind its end, or to where another tag begins.
 * False if there is neither, and the template is used up. */
bool lex_leave(Lexer *lex, uint32_t from);

/* The bytes of the white space character that begins at p, 0 if none does: what Python calls white space. */
unsigned lex_space(const char *p, const char *end);
bool lex_all_space(Str s);

#endif

/* lex.c: the tokens inside a tag.
 *
 * The end of a tag is a token too, and taking it takes the white space behind it, so that the parser goes
 * from tag to text without a thought. "}}" ends a print tag unless a dict is the innermost thing open; a
 * "%}" always ends its statement, since no expression has a '%' before a '}'. That makes the end of a tag
 * with an unclosed bracket visible, where it is best reported. Numbers and names are split exactly where
 * Jinja's patterns split them: "1.e5" is 1 . e5, and behind a '.' there are no floats, so a.1.2 works.
 */
#include "template/syntax/lex.h"

#include <unictype.h>

enum { C_OTHER, C_SPACE, C_NAME, C_DIGIT, C_QUOTE, C_HIGH };

static const uint8_t classes[256] = {
    ['\t'] = C_SPACE,       ['\n'] = C_SPACE,         ['\v'] = C_SPACE, ['\f'] = C_SPACE,        ['\r'] = C_SPACE,
    [' '] = C_SPACE,        [0x1c] = C_SPACE,         [0x1d] = C_SPACE, [0x1e] = C_SPACE,        [0x1f] = C_SPACE,
    ['a' ... 'z'] = C_NAME, ['A' ... 'Z'] = C_NAME,   ['_'] = C_NAME,   ['0' ... '9'] = C_DIGIT, ['"'] = C_QUOTE,
    ['\''] = C_QUOTE,       [0x80 ... 0xff] = C_HIGH,
};

static unsigned class_of(char c) { return classes[(unsigned char)c]; }

/* Field by field into its place: a struct put together and then copied at once makes the processor wait. */
static void set(const Lexer *lex, Token *t, TokenKind kind, const char *from, const char *to) {
    t->kind = (uint8_t)kind;
    t->keyword = K_NONE;
    t->escaped = false;
    t->from = (uint32_t)(from - lex->text);
    t->to = (uint32_t)(to - lex->text);
}

static Keyword keyword(const char *p, size_t n) {
    switch (n) {
    case 2:
        if (p[0] == 'i') return p[1] == 'f' ? K_IF : p[1] == 'n' ? K_IN : p[1] == 's' ? K_IS : K_NONE;
        return p[0] == 'o' && p[1] == 'r' ? K_OR : K_NONE;
    case 3:
        return memcmp(p, "and", 3) == 0 ? K_AND : memcmp(p, "not", 3) == 0 ? K_NOT : K_NONE;
    case 4:
        if (memcmp(p, "else", 4) == 0) return K_ELSE;
        if (memcmp(p + 1, "rue", 3) == 0) return p[0] == 't' || p[0] == 'T' ? K_TRUE : K_NONE;
        if (memcmp(p + 1, "one", 3) == 0) return p[0] == 'n' || p[0] == 'N' ? K_NULL : K_NONE;
        return K_NONE;
    case 5:
        return memcmp(p + 1, "alse", 4) == 0 && (p[0] == 'f' || p[0] == 'F') ? K_FALSE : K_NONE;
    default:
        return K_NONE;
    }
}

/* p stands behind the first character of a name. */
static void name_token(const Lexer *lex, Token *t, const char *from, const char *p, const char *end) {
    for (;;) {
        while (p < end && (class_of(*p) == C_NAME || class_of(*p) == C_DIGIT))
            p++;
        if (p == end || class_of(*p) != C_HIGH) break;
        unsigned size;
        if (!uc_is_property_xid_continue(str_decode(p, end, &size))) break;
        p += size;
    }
    set(lex, t, T_NAME, from, p);
    t->keyword = (uint8_t)keyword(from, (size_t)(p - from));
}

static bool digit_of(char c, unsigned base) {
    if (base == 16) return class_of(c) == C_DIGIT || ((c | 32) >= 'a' && (c | 32) <= 'f');
    return c >= '0' && c < (char)('0' + base);
}

/* Behind (_?digit)*, from p. */
static const char *digits(const char *p, const char *end, unsigned base) {
    for (;;) {
        if (p < end && digit_of(*p, base))
            p++;
        else if (end - p >= 2 && *p == '_' && digit_of(p[1], base))
            p += 2;
        else
            return p;
    }
}

/* Where the number that begins here ends. */
static const char *number_end(const Lexer *lex, const char *from, const char *end, TokenKind *kind) {
    const char *whole = digits(from, end, 10);
    *kind = T_FLOAT;
    if (from == lex->text || from[-1] != '.') {
        const char *p = whole;
        if (end - p >= 2 && *p == '.' && class_of(p[1]) == C_DIGIT) p = digits(p + 1, end, 10);
        if (end - p >= 2 && (*p | 32) == 'e') {
            const char *exponent = p[1] == '+' || p[1] == '-' ? p + 2 : p + 1;
            if (exponent < end && class_of(*exponent) == C_DIGIT) p = digits(exponent, end, 10);
        }
        if (p != whole) return p;
    }
    *kind = T_INT;
    if (*from != '0') return whole;
    if (end - from >= 3) {
        int letter = from[1] | 32;
        unsigned base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
        const char *p = base ? digits(from + 2, end, base) : from + 2;
        if (p != from + 2) return p;
    }
    return digits(from, end, 1); /* 0, 00, 0_0: no other number begins with a 0 */
}

static void string_token(const Lexer *lex, Token *t, const char *from, const char *end) {
    bool escaped = false;
    for (const char *p = from + 1; p < end; p++) {
        if (*p == *from) {
            set(lex, t, T_STR, from, p + 1);
            t->escaped = escaped;
            return;
        }
        if (*p == '\\') p++, escaped = true;
        if (p < end && *p == '\r') escaped = true;
    }
    set(lex, t, T_BAD_STRING, from, from + 1);
}

/* p stands behind the closing characters. */
static void end_token(Lexer *lex, Token *t, const char *from, const char *p, const char *end, bool take_space) {
    set(lex, t, T_END, from, p);
    if (take_space) {
        for (unsigned n; (n = lex_space(p, end)) != 0;)
            p += n;
    } else if (lex->options.trim_blocks && lex->mode == LEX_STATEMENT && *from != '+') {
        if (p < end && *p == '\r') p++;
        if (p < end && *p == '\n' && (p[-1] == '\r' || p[-1] == '}')) p++;
    }
    lex->pos = (uint32_t)(p - lex->text);
    lex->at_line_start = p[-1] == '\n' || p[-1] == '\r';
}

static bool in_dict(const Lexer *lex) {
    return lex->open_count > 0 && lex->open_count <= sizeof lex->open && lex->open[lex->open_count - 1] == '{';
}

static void opened(Lexer *lex, char bracket) {
    if (lex->open_count < sizeof lex->open) lex->open[lex->open_count] = bracket;
    lex->open_count++;
}

static void closed(Lexer *lex) {
    if (lex->open_count) lex->open_count--;
}

/* The end of the tag if it stands at p, or the end that belongs to the other kind of tag. */
static bool tag_end(Lexer *lex, const char *p, const char *end, Token *t) {
    const char *q = *p == '-' || (*p == '+' && lex->mode == LEX_STATEMENT) ? p + 1 : p;
    if (end - q < 2 || q[1] != '}') return false;
    if (q[0] == '%') {
        if (lex->mode == LEX_STATEMENT)
            end_token(lex, t, p, q + 2, end, *p == '-');
        else if (q == p)
            set(lex, t, T_WRONG_END, p, q + 2);
        else
            return false;
        return true;
    }
    if (q[0] != '}' || in_dict(lex)) return false;
    if (lex->mode == LEX_PRINT)
        end_token(lex, t, p, q + 2, end, *p == '-');
    else if (q == p)
        set(lex, t, T_WRONG_END, p, q + 2);
    else
        return false;
    return true;
}

static TokenKind operator_at(Lexer *lex, const char *p, const char *end, unsigned *n) {
    char next = p + 1 < end ? p[1] : '\0';
    *n = 1;
    switch (*p) {
    case '+':
        return T_ADD;
    case '-':
        return T_SUB;
    case '*':
        return next == '*' ? (*n = 2, T_POW) : T_MUL;
    case '/':
        return next == '/' ? (*n = 2, T_FLOORDIV) : T_DIV;
    case '%':
        return T_MOD;
    case '~':
        return T_TILDE;
    case '=':
        return next == '=' ? (*n = 2, T_EQ) : T_ASSIGN;
    case '!':
        return next == '=' ? (*n = 2, T_NE) : T_BAD_CHAR;
    case '<':
        return next == '=' ? (*n = 2, T_LE) : T_LT;
    case '>':
        return next == '=' ? (*n = 2, T_GE) : T_GT;
    case '.':
        return T_DOT;
    case ':':
        return T_COLON;
    case '|':
        return T_PIPE;
    case ',':
        return T_COMMA;
    case ';':
        return T_SEMICOLON;
    case '(':
        return opened(lex, '('), T_LPAREN;
    case '[':
        return opened(lex, '['), T_LBRACKET;
    case '{':
        if (lex->mode != LEX_EXPRESSION && (next == '%' || next == '#')) return *n = 2, T_OPENER;
        return opened(lex, '{'), T_LBRACE;
    case ')':
        return closed(lex), T_RPAREN;
    case ']':
        return closed(lex), T_RBRACKET;
    case '}':
        return closed(lex), T_RBRACE;
    default:
        return T_BAD_CHAR;
    }
}

void lex_token(Lexer *lex, Token *t) {
    const char *p = lex->text + lex->pos, *end = lex->text + lex->end;
    unsigned class = C_OTHER;
    for (; p < end; p++) {
        class = class_of(*p);
        if (class == C_SPACE) continue;
        unsigned n = class == C_HIGH ? lex_space(p, end) : 0;
        if (n == 0) break;
        p += n - 1;
    }
    if (p >= end) {
        lex->pos = lex->end;
        set(lex, t, lex->mode == LEX_EXPRESSION ? T_END : T_EOF, end, end);
        return;
    }
    unsigned n = 1;
    TokenKind kind;
    switch (class) {
    case C_NAME:
        name_token(lex, t, p, p + 1, end);
        break;
    case C_DIGIT: {
        const char *to = number_end(lex, p, end, &kind);
        set(lex, t, kind, p, to);
        break;
    }
    case C_QUOTE:
        string_token(lex, t, p, end);
        break;
    case C_HIGH:
        if (uc_is_property_xid_start(str_decode(p, end, &n)))
            name_token(lex, t, p, p + n, end);
        else
            set(lex, t, T_BAD_CHAR, p, p + n);
        break;
    default:
        if (lex->mode != LEX_EXPRESSION && tag_end(lex, p, end, t)) {
            if (t->kind == T_WRONG_END) lex->pos = t->to;
            return;
        }
        kind = operator_at(lex, p, end, &n);
        set(lex, t, kind, p, p + n);
    }
    lex->pos = t->to;
}

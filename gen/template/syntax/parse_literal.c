/* parse_literal.c: what numbers and strings mean.
 *
 * Both are Python's. An integer that does not fit 64 bits keeps its digits for whoever can compute with it.
 * A string without escapes is a piece of the source; strings that stand side by side are one string. An
 * escape that Python does not know stays as it is written, backslash and all.
 */
#include "template/syntax/parse_internal.h"

#include <stdlib.h>
#include <uniname.h>

static Expr *literal(Parser *p, LiteralKind kind, Token t) {
    Expr *e = parse_node(p, X_CONST, t.from, t);
    e->as.literal.kind = kind;
    return e;
}

static int digit(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

static Str without_underscores(Parser *p, Str text) {
    if (str_find_char(text, '_') == STR_NONE) return text;
    Buf buf;
    buf_init(&buf, p->arena);
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != '_') buf_char(&buf, text.p[i]);
    return buf_str(&buf);
}

/* Up to 19 digits and a small power of ten give the nearest double in one operation; the rest is strtod's. */
static double float_value(Parser *p, Str text) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t mantissa = 0;
    unsigned point = 0;
    bool seen = false, simple = text.n <= 16;
    for (size_t i = 0; i < text.n && simple; i++) {
        if (text.p[i] == '.')
            seen = true;
        else if (text.p[i] < '0' || text.p[i] > '9')
            simple = false;
        else
            mantissa = mantissa * 10 + (uint64_t)(text.p[i] - '0'), point += seen;
    }
    if (simple && mantissa < (uint64_t)1 << 53) return (double)mantissa / powers[point];
    return strtod(str_to_c(p->arena, text), NULL); /* no locale is ever set, so '.' is the point */
}

Expr *parse_number(Parser *p) {
    Token t = p->token;
    parse_next(p);
    Str text = without_underscores(p, parse_text(p, t));
    if (t.kind == T_FLOAT) {
        Expr *e = literal(p, LIT_FLOAT, t);
        e->as.literal.as.f = float_value(p, text);
        return e;
    }
    int letter = text.n > 1 ? text.p[1] | 32 : 0;
    unsigned base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
    uint64_t value = 0;
    for (size_t i = base == 10 ? 0 : 2; i < text.n; i++) {
        uint64_t d = (uint64_t)digit(text.p[i]);
        if (value > ((uint64_t)INT64_MAX - d) / base) {
            Expr *e = literal(p, LIT_BIGINT, t);
            if (base != 10 && (text.p[1] & 32) == 0) { /* 0X: the letter is promised to be small */
                char *small = arena_copy(p->arena, text.p, text.n);
                small[1] = (char)letter;
                text.p = small;
            }
            e->as.literal.as.s = text;
            return e;
        }
        value = value * base + d;
    }
    Expr *e = literal(p, LIT_INT, t);
    e->as.literal.as.i = (int64_t)value;
    return e;
}

/* An error at [from, to) of the string's text; the string is read on. */
static void bad_escape(Parser *p, const char *from, const char *to, const char *what) {
    parse_error(p, (uint32_t)(from - p->lex.text), (uint32_t)(to - p->lex.text), "%s", what);
}

/* \xHH, \uHHHH, \UHHHHHHHH: q stands behind the letter. Gives where to go on. */
static const char *hex_escape(Parser *p, Buf *buf, const char *from, const char *q, const char *end, int n) {
    uint32_t code = 0;
    int i = 0;
    for (; i < n && q < end; i++, q++) {
        char c = *q;
        if (!((c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f'))) break;
        code = code << 4 | (uint32_t)digit(c);
    }
    if (i < n)
        bad_escape(p, from, q,
                   n == 2   ? "\"\\x\" needs two hexadecimal digits"
                   : n == 4 ? "\"\\u\" needs four hexadecimal digits"
                            : "\"\\U\" needs eight hexadecimal digits");
    else if (code > 0x10ffff)
        bad_escape(p, from, q, "there is no character with this number");
    else if (code >= 0xd800 && code <= 0xdfff)
        bad_escape(p, from, q, "half a surrogate pair is no character: write it as \"\\U\" and eight digits");
    else
        buf_code(buf, code);
    return q;
}

/* \N{NAME} */
static const char *named_escape(Parser *p, Buf *buf, const char *from, const char *q, const char *end) {
    const char *close = q < end && *q == '{' ? memchr(q, '}', (size_t)(end - q)) : NULL;
    if (close == NULL) {
        bad_escape(p, from, q, "\"\\N\" needs the name of a character in braces");
        return q;
    }
    Str name = str(q + 1, (size_t)(close - q - 1));
    ucs4_t code =
        name.n > 0 && name.n < UNINAME_MAX ? unicode_name_character(str_to_c(p->arena, name)) : UNINAME_INVALID;
    if (code == UNINAME_INVALID)
        bad_escape(p, from, close + 1, "there is no character of this name");
    else
        buf_code(buf, code);
    return close + 1;
}

/* Adds the value of what stands between the quotes. */
static void unescape(Parser *p, Buf *buf, const char *q, const char *end) {
    while (q < end) {
        const char *from = q;
        char c = *q++;
        if (c == '\r') {
            if (q < end && *q == '\n') q++;
            buf_char(buf, '\n');
            continue;
        }
        if (c != '\\') {
            buf_char(buf, c);
            continue;
        }
        c = *q++; /* there is one: a backslash never stands before the closing quote */
        switch (c) {
        case '\r':
            if (q < end && *q == '\n') q++;
            break;
        case '\n':
            break; /* the line goes on */
        case '\\':
        case '\'':
        case '"':
            buf_char(buf, c);
            break;
        case 'a':
            buf_char(buf, '\a');
            break;
        case 'b':
            buf_char(buf, '\b');
            break;
        case 'f':
            buf_char(buf, '\f');
            break;
        case 'n':
            buf_char(buf, '\n');
            break;
        case 'r':
            buf_char(buf, '\r');
            break;
        case 't':
            buf_char(buf, '\t');
            break;
        case 'v':
            buf_char(buf, '\v');
            break;
        case 'x':
            q = hex_escape(p, buf, from, q, end, 2);
            break;
        case 'u':
            q = hex_escape(p, buf, from, q, end, 4);
            break;
        case 'U':
            q = hex_escape(p, buf, from, q, end, 8);
            break;
        case 'N':
            q = named_escape(p, buf, from, q, end);
            break;
        default:
            if (c < '0' || c > '7') {
                buf_char(buf, '\\');
                buf_char(buf, c);
                break;
            }
            uint32_t code = (uint32_t)(c - '0');
            for (int i = 0; i < 2 && q < end && *q >= '0' && *q <= '7'; i++)
                code = code << 3 | (uint32_t)(*q++ - '0');
            buf_code(buf, code);
        }
    }
}

Expr *parse_string(Parser *p) {
    Token t = p->token;
    parse_next(p);
    Expr *e = literal(p, LIT_STR, t);
    const char *text = p->lex.text;
    if (!t.escaped && !parse_at(p, T_STR)) {
        e->as.literal.as.s = str(text + t.from + 1, t.to - t.from - 2);
        return e;
    }
    Buf buf;
    buf_init(&buf, p->arena);
    for (;;) {
        if (t.escaped)
            unescape(p, &buf, text + t.from + 1, text + t.to - 1);
        else
            buf_add(&buf, str(text + t.from + 1, t.to - t.from - 2));
        if (!parse_at(p, T_STR)) break;
        t = p->token;
        parse_next(p);
    }
    e->as.literal.as.s = buf.n ? buf_str(&buf) : S("");
    e->to = e->at_to = t.to;
    return e;
}

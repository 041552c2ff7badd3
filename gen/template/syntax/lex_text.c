/* lex_text.c: the text between tags, and what the tags around it do to it.
 *
 * White space is taken as Jinja takes it: a '-' at a tag's edge takes all white space on that side, line
 * breaks too; trim_blocks takes the one line break behind a statement or comment; lstrip_blocks takes the
 * blanks between the start of a line and a statement or comment; a '+' turns either off. Print tags know
 * only '-'. Raw blocks and comments never reach the parser, so their ends are looked for here.
 * The search is memchr for '{', since most bytes of a template are text.
 */
#include "template/syntax/lex.h"

unsigned lex_space(const char *p, const char *end) {
    if (p >= end) return 0;
    unsigned char c = (unsigned char)*p;
    if (c < 0x80) return (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= ' ') ? 1 : 0;
    if (end - p < 2) return 0;
    unsigned char d = (unsigned char)p[1];
    if (c == 0xc2) return d == 0x85 || d == 0xa0 ? 2 : 0;
    if (end - p < 3) return 0;
    unsigned char e = (unsigned char)p[2];
    if (c == 0xe1) return d == 0x9a && e == 0x80 ? 3 : 0; /* U+1680 */
    if (c == 0xe3) return d == 0x80 && e == 0x80 ? 3 : 0; /* U+3000 */
    if (c != 0xe2) return 0;
    if (d == 0x80) return (e >= 0x80 && e <= 0x8a) || e == 0xa8 || e == 0xa9 || e == 0xaf ? 3 : 0;
    return d == 0x81 && e == 0x9f ? 3 : 0; /* U+205F */
}

static const char *skip_space(const char *p, const char *end) {
    for (unsigned n; (n = lex_space(p, end)) != 0;)
        p += n;
    return p;
}

static const char *skip_space_back(const char *from, const char *p) {
    while (p > from) {
        if (lex_space(p - 1, p) == 1)
            p--;
        else if (p - from >= 2 && lex_space(p - 2, p) == 2)
            p -= 2;
        else if (p - from >= 3 && lex_space(p - 3, p) == 3)
            p -= 3;
        else
            break;
    }
    return p;
}

bool lex_all_space(Str s) { return s.n == 0 || skip_space(s.p, s.p + s.n) == s.p + s.n; }

static const char *skip_newline(const char *p, const char *end) {
    if (p < end && *p == '\n') return p + 1;
    if (p < end && *p == '\r') return p + 1 < end && p[1] == '\n' ? p + 2 : p + 1;
    return p;
}

static bool has(const char *p, const char *end, const char *word, size_t n) {
    return (size_t)(end - p) >= n && memcmp(p, word, n) == 0;
}

void lex_template(Lexer *lex, Str text, const SyntaxOptions *options) {
    *lex = (Lexer){.text = text.p, .end = (uint32_t)text.n, .options = *options, .at_line_start = true};
    lex->has_return = text.n && memchr(text.p, '\r', text.n) != NULL;
    /* One line break at the end of the file is the file's, not the template's. */
    if (!options->keep_trailing_newline && lex->end) {
        char last = text.p[lex->end - 1];
        if (last == '\n' || last == '\r') lex->end--;
        if (last == '\n' && lex->end && text.p[lex->end - 1] == '\r') lex->end--;
    }
}

void lex_expression(Lexer *lex, Str text, uint32_t from, uint32_t to) {
    *lex = (Lexer){.text = text.p, .pos = from, .end = to, .mode = LEX_EXPRESSION};
}

/* Where the text [from, p) ends when a tag with this sign stands behind it. */
static const char *text_end(const Lexer *lex, const char *from, const char *p, char sign, bool print) {
    if (sign == '-') return skip_space_back(from, p);
    if (sign == '+' || !lex->options.lstrip_blocks || print) return p;
    const char *line = p;
    while (line > from && line[-1] != '\n' && line[-1] != '\r')
        line--;
    if (line == from && !lex->at_line_start) return p;
    return skip_space(line, p) == p ? line : p;
}

/* Behind "%}" or "#}" with its sign before it, and the white space that goes with it; NULL if it is not here. */
static const char *tag_end(const Lexer *lex, const char *p, const char *end, char closer, bool plus, bool trim) {
    char sign = 0;
    if (p < end && (*p == '-' || (*p == '+' && plus))) sign = *p++;
    if (end - p < 2 || p[0] != closer || p[1] != '}') return NULL;
    p += 2;
    if (sign == '-') return skip_space(p, end);
    return sign == 0 && trim && lex->options.trim_blocks ? skip_newline(p, end) : p;
}

static uint32_t offset(const Lexer *lex, const char *p) { return (uint32_t)(p - lex->text); }

static void moved_to(Lexer *lex, const char *p) {
    lex->pos = offset(lex, p);
    lex->at_line_start = p[-1] == '\n' || p[-1] == '\r';
}

/* p stands behind "{#" and its sign. The sign of the end may not be the one of the beginning ("{#-#}"). */
static bool skip_comment(Lexer *lex, const char *p) {
    const char *end = lex->text + lex->end, *start = p;
    for (; (p = memchr(p, '#', (size_t)(end - p))) != NULL; p++) {
        if (p + 1 == end || p[1] != '}') continue;
        const char *closer = p > start && (p[-1] == '-' || p[-1] == '+') ? p - 1 : p;
        moved_to(lex, tag_end(lex, closer, end, '#', true, true));
        return true;
    }
    return false;
}

/* p stands behind the opening tag of a raw block. */
static bool skip_raw(Lexer *lex, Piece *piece, const char *p) {
    const char *end = lex->text + lex->end, *start = p;
    moved_to(lex, p);
    for (; (p = memchr(p, '{', (size_t)(end - p))) != NULL; p++) {
        if (end - p < 2 || p[1] != '%') continue;
        const char *q = p + 2;
        char sign = q < end && (*q == '-' || *q == '+') ? *q++ : '\0';
        q = skip_space(q, end);
        if (!has(q, end, "endraw", 6)) continue;
        q = tag_end(lex, skip_space(q + 6, end), end, '%', true, true);
        if (q == NULL) continue;
        piece->raw_from = offset(lex, start);
        piece->raw_to = offset(lex, text_end(lex, start, p, sign, false));
        moved_to(lex, q);
        return true;
    }
    return false;
}

void lex_text(Lexer *lex, Piece *piece) {
    const char *from = lex->text + lex->pos, *end = lex->text + lex->end, *p = from;
    *piece = (Piece){.kind = PIECE_END, .from = lex->pos, .to = lex->end, .tag_from = lex->end, .tag_to = lex->end};
    for (;; p++) {
        if (p < end) p = memchr(p, '{', (size_t)(end - p));
        if (p == NULL || end - p < 2) {
            lex->pos = lex->end;
            return;
        }
        if (p[1] == '{' || p[1] == '%' || p[1] == '#') break;
    }
    const char *q = p + 2;
    char sign = q < end && (*q == '-' || *q == '+') ? *q++ : '\0';
    piece->to = offset(lex, text_end(lex, from, p, sign, p[1] == '{'));
    piece->tag_from = offset(lex, p);
    piece->tag_to = lex->pos = offset(lex, q);
    lex->open_count = 0;
    if (p[1] == '{') {
        piece->kind = PIECE_PRINT;
        lex->mode = LEX_PRINT;
    } else if (p[1] == '#') {
        piece->kind = skip_comment(lex, q) ? PIECE_COMMENT : PIECE_OPEN_COMMENT;
        if (piece->kind == PIECE_OPEN_COMMENT) lex->pos = lex->end;
    } else {
        piece->kind = PIECE_STATEMENT;
        lex->mode = LEX_STATEMENT;
        const char *word = skip_space(q, end);
        if (!has(word, end, "raw", 3)) return;
        /* "raw" is no tag of the parser: it begins a raw block only in exactly this form. */
        const char *inside = tag_end(lex, skip_space(word + 3, end), end, '%', false, false);
        if (inside == NULL) return;
        const char *shown = inside;
        while (shown[-1] != '}')
            shown--; /* without the white space that "-%}" takes */
        piece->tag_to = offset(lex, shown);
        piece->kind = skip_raw(lex, piece, inside) ? PIECE_RAW : PIECE_OPEN_RAW;
        if (piece->kind == PIECE_OPEN_RAW) lex->pos = lex->end;
    }
}

bool lex_leave(Lexer *lex, uint32_t from) {
    const char *p = lex->text + from, *end = lex->text + lex->end;
    const char *unpaired_until[2] = {p, p}; /* so that quotes without a partner are looked at once a line */
    uint32_t braces = 0;
    bool found = false;
    for (uint32_t i = 0; i < lex->open_count && i < sizeof lex->open; i++)
        braces += lex->open[i] == '{';
    lex->open_count = 0;
    for (; p < end; p++) {
        char next = p + 1 < end ? p[1] : '\0';
        if (*p == '"' || *p == '\'') {
            bool single = *p == '\'';
            if (p < unpaired_until[single]) continue;
            const char *q = p + 1;
            while (q < end && *q != *p && *q != '\n')
                q += *q == '\\' && q + 1 < end ? 2 : 1;
            if (q < end && *q == *p)
                p = q;
            else
                unpaired_until[single] = q;
        } else if (*p == '{') {
            found = next == '{' || next == '%' || next == '#';
            if (found) break;
            braces++;
        } else if (*p == '%' && next == '}' && lex->mode == LEX_STATEMENT) {
            found = true;
            p += 2;
            break;
        } else if (*p == '}' && lex->mode == LEX_PRINT) {
            if (braces) {
                braces--;
            } else if (next == '}') {
                found = true;
                p += 2;
                break;
            }
        }
    }
    lex->pos = p < end ? offset(lex, p) : lex->end;
    lex->at_line_start = false;
    return found;
}

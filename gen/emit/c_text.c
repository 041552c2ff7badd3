/* c_text.c: tokens of C, and which names a source has for itself.
 *
 * Not a parser: it follows brackets, and looks at where in a declaration a word stands. That is enough for the names of
 * functions, tables, types and enumerators, however they are written; what it takes for a name and is none, such as a
 * macro of somebody else's in the place of one, is renamed wherever the source has it, or not at all.
 */
#include "emit/c_text.h"

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* ---- tokens */
static size_t behind_comment(Str text, size_t at) {
    bool whole = text.p[at + 1] == '*';
    at += 2;
    while (at < text.n &&
           (whole ? !(text.p[at] == '*' && at + 1 < text.n && text.p[at + 1] == '/') : text.p[at] != '\n'))
        at++;
    return whole ? (at + 2 < text.n ? at + 2 : text.n) : at;
}

static bool begins_comment(Str text, size_t at) {
    return text.p[at] == '/' && at + 1 < text.n && (text.p[at + 1] == '*' || text.p[at + 1] == '/');
}

static size_t behind_literal(Str text, size_t at) {
    char quote = text.p[at++];
    while (at < text.n && text.p[at] != quote && text.p[at] != '\n')
        at += text.p[at] == '\\' && at + 1 < text.n ? 2 : 1;
    return at < text.n ? at + 1 : at;
}

static size_t behind_line(Str text, size_t at) {
    while (at < text.n && text.p[at] != '\n') {
        if (begins_comment(text, at))
            at = behind_comment(text, at);
        else
            at += text.p[at] == '\\' && at + 1 < text.n ? 2 : 1;
    }
    return at < text.n ? at : text.n;
}

CKind c_token(Str text, size_t *at, bool *line, Str *token) {
    size_t from = *at, end = from;
    if (from >= text.n) return C_END;
    CKind kind = C_OTHER;
    char c = text.p[from];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || begins_comment(text, from)) {
        kind = C_SPACE;
        while (end < text.n) {
            c = text.p[end];
            if (c == '\n')
                *line = true;
            else if (begins_comment(text, end)) {
                end = behind_comment(text, end);
                continue;
            } else if (c != ' ' && c != '\t' && c != '\r')
                break;
            end++;
        }
    } else if (c == '#' && *line) {
        kind = C_LINE;
        end = behind_line(text, from);
    } else if (is_letter(c)) {
        kind = C_WORD;
        while (end < text.n && (is_letter(text.p[end]) || is_digit(text.p[end])))
            end++;
    } else if (is_digit(c)) {
        while (end < text.n && (is_letter(text.p[end]) || is_digit(text.p[end]) || text.p[end] == '.' ||
                                ((text.p[end] == '+' || text.p[end] == '-') &&
                                 (text.p[end - 1] == 'e' || text.p[end - 1] == 'E' || text.p[end - 1] == 'p'))))
            end++;
    } else if (c == '"' || c == '\'') {
        end = behind_literal(text, from);
    } else {
        end++;
    }
    if (kind != C_SPACE) *line = false;
    *token = str_sub(text, from, end);
    *at = end;
    return kind;
}

Str c_next_word(Str text, size_t *at, bool *line) {
    Str token;
    CKind kind;
    for (size_t from = *at; (kind = c_token(text, at, line, &token)) != C_END; from = *at) {
        if (kind == C_WORD) return token;
        if (kind == C_LINE) *at = from + 1; /* behind its '#' */
    }
    return S("");
}

/* ---- the preprocessor */

/* What follows `#WORD`; false: this line is another one. */
static bool directive(Str line, Str word, Str *rest) {
    line = str_trim(str_sub(line, 1, line.n));
    if (!str_starts(line, word) || line.n == word.n) return false;
    char c = line.p[word.n];
    *rest = str_trim(str_sub(line, word.n, line.n));
    return !is_letter(c) && !is_digit(c);
}

static Str first_word(Str text) {
    size_t n = 0;
    while (n < text.n && (is_letter(text.p[n]) || is_digit(text.p[n])))
        n++;
    return str_sub(text, 0, n);
}

Str c_defined(Str line, bool *empty) {
    Str rest;
    if (!directive(line, S("define"), &rest)) return S("");
    Str name = first_word(rest);
    *empty = rest.n == name.n;
    return name;
}

bool c_asks_for(Str line, Str name) {
    Str rest;
    return directive(line, S("ifndef"), &rest) && str_eq(first_word(rest), name);
}

Str c_included(Str line) {
    Str rest;
    if (!directive(line, S("include"), &rest) || rest.n < 3) return S("");
    size_t end = str_find_char(str_sub(rest, 1, rest.n), rest.p[0] == '<' ? '>' : '"');
    return end == STR_NONE ? S("") : str_sub(rest, 0, end + 2);
}

/* ---- names */
typedef struct Reader {
    Names *declared;
    unsigned braces, parens;
    unsigned words;   /* of the declaration, so far */
    bool named;       /* a function has its name */
    bool type;        /* `typedef` */
    bool foreign;     /* `extern` */
    bool initialiser; /* behind '=' */
    bool enumerators; /* the braces are an enum's */
    Str last;         /* the token before; empty: the declaration begins */
    bool last_is_word;
} Reader;

static void fresh(Reader *reader) {
    Names *declared = reader->declared;
    *reader = (Reader){.declared = declared};
}

static bool is_aggregate(Str word) {
    return str_eq(word, S("struct")) || str_eq(word, S("union")) || str_eq(word, S("enum"));
}

static void declare(Reader *reader, Str name) {
    /* What begins with '_' is the compiler's. */
    if (name.n > 0 && name.p[0] != '_' && !reader->foreign) names_get(reader->declared, name);
}

static void read_word(Reader *reader, Str word) {
    if (str_eq(word, S("typedef"))) reader->type = true;
    if (str_eq(word, S("extern"))) reader->foreign = true;
    if (str_eq(word, S("enum"))) reader->enumerators = true;
    if (reader->last_is_word && is_aggregate(reader->last)) declare(reader, word);
    reader->words++;
}

static void read_sign(Reader *reader, Str sign) {
    char c = sign.p[0];
    bool at_name = reader->last_is_word && !reader->initialiser && !reader->named;
    if (c == '(') {
        if (at_name && !reader->type && reader->last.p[0] != '_') declare(reader, reader->last), reader->named = true;
        reader->parens++;
    } else if (c == '[' || c == '=' || c == ',' || c == ';') {
        if (at_name && (reader->words > 1 || reader->type)) declare(reader, reader->last);
        if (c == '=') reader->initialiser = true;
        if (c == ',') reader->initialiser = false;
        if (c == ';') fresh(reader);
    }
}

/* typedef float v4 __attribute__((vector_size(16))); */
static bool is_attribute(Str word) { return str_starts(word, S("__attribute")); }

static void read_token(Reader *reader, CKind kind, Str token) {
    char c = token.p[0];
    if (c == '{' && kind == C_OTHER) {
        reader->braces++;
    } else if (c == '}' && kind == C_OTHER) {
        reader->braces--;
        bool function = reader->braces == 0 && reader->named && !reader->initialiser;
        if (function) {
            fresh(reader);
            return;
        }
    } else if (reader->braces > 0) {
        bool first = reader->last.n == 1 && (reader->last.p[0] == '{' || reader->last.p[0] == ',');
        if (reader->enumerators && reader->braces == 1 && kind == C_WORD && first) declare(reader, token);
    } else if (reader->parens > 0) {
        if (c == '(') reader->parens++;
        if (c == ')') reader->parens--;
    } else if (kind == C_WORD && is_attribute(token)) {
        if (reader->type && reader->last_is_word) declare(reader, reader->last);
    } else if (kind == C_WORD) {
        read_word(reader, token);
    } else {
        read_sign(reader, token);
        if (c == ';') return;
    }
    reader->last = token;
    reader->last_is_word = kind == C_WORD;
}

void c_own_names(Str text, Names *declared, Names *macros) {
    Reader reader = {.declared = declared};
    Str token, before = S("");
    bool line = true, empty;
    CKind kind;
    for (size_t at = 0; (kind = c_token(text, &at, &line, &token)) != C_END;) {
        if (kind == C_SPACE) continue;
        if (kind != C_LINE) {
            read_token(&reader, kind, token);
            continue;
        }
        Str name = c_defined(token, &empty);
        if (name.n > 0 && (empty || before.n == 0 || !c_asks_for(before, name))) names_get(macros, name);
        before = token;
    }
}

static void add_renamed(Buf *out, Str word, const Names *names, Str prefix) {
    if (names_find(names, word) != NULL) buf_format(out, "%S_", prefix);
    buf_add(out, word);
}

/* Words of a line of the preprocessor. */
static void rename_line(Buf *out, Str line, const Names *names, Str prefix) {
    bool at_line = false;
    Str token;
    CKind kind;
    for (size_t at = 0; (kind = c_token(line, &at, &at_line, &token)) != C_END; at_line = false) {
        if (kind == C_WORD)
            add_renamed(out, token, names, prefix);
        else
            buf_add(out, token);
    }
}

void c_rename(Buf *out, Str text, const Names *names, Str prefix) {
    Str token;
    bool line = true;
    CKind kind;
    for (size_t at = 0; (kind = c_token(text, &at, &line, &token)) != C_END;) {
        if (kind == C_WORD)
            add_renamed(out, token, names, prefix);
        else if (kind == C_LINE)
            rename_line(out, token, names, prefix);
        else
            buf_add(out, token);
    }
}

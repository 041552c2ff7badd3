/* lower_text.c: putting texts of C into texts of C, with the parentheses that are needed and no more.
 *
 * A text is never parsed into a tree: how tightly its outermost operator binds says everything. Where it is not sure
 * whether something is a cast or a parenthesis, a template argument or a comparison, the looser of both is taken, so
 * that the worst is a pair of parentheses too many.
 *
 * Beyond what the language asks for, operands get parentheses where compilers warn without: `&&` within `||`, sums
 * within shifts, anything within bit operators, comparisons within comparisons.
 */
#include "op/lower_internal.h"

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

typedef enum TokenIs { TOKEN_OPERAND, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_MEMBER, TOKEN_OPERATOR, TOKEN_END } TokenIs;

typedef struct TextToken {
    TokenIs is;
    size_t from, to;
    unsigned level; /* TOKEN_OPERATOR: as a binary operator; 0: it is none */
} TextToken;

static const struct {
    const char *text;
    unsigned level;
} operators[] = {
    /* longer ones first */
    {"<<=", LEVEL_ASSIGN},
    {">>=", LEVEL_ASSIGN},
    {"<<", LEVEL_SHIFT},
    {">>", LEVEL_SHIFT},
    {"<=", LEVEL_ORDER},
    {">=", LEVEL_ORDER},
    {"==", LEVEL_EQUAL},
    {"!=", LEVEL_EQUAL},
    {"&&", LEVEL_LOGIC_AND},
    {"||", LEVEL_LOGIC_OR},
    {"+=", LEVEL_ASSIGN},
    {"-=", LEVEL_ASSIGN},
    {"*=", LEVEL_ASSIGN},
    {"/=", LEVEL_ASSIGN},
    {"%=", LEVEL_ASSIGN},
    {"&=", LEVEL_ASSIGN},
    {"|=", LEVEL_ASSIGN},
    {"^=", LEVEL_ASSIGN},
    {"++", 0},
    {"--", 0},
    {"<", LEVEL_ORDER},
    {">", LEVEL_ORDER},
    {"+", LEVEL_ADD},
    {"-", LEVEL_ADD},
    {"*", LEVEL_MUL},
    {"/", LEVEL_MUL},
    {"%", LEVEL_MUL},
    {"&", LEVEL_BIT_AND},
    {"|", LEVEL_BIT_OR},
    {"^", LEVEL_BIT_XOR},
    {"?", LEVEL_CHOICE},
    {":", LEVEL_CHOICE},
    {"=", LEVEL_ASSIGN},
    {",", LEVEL_COMMA},
    {"!", 0},
    {"~", 0},
};

static size_t end_of_quoted(Str text, size_t i) {
    char quote = text.p[i++];
    while (i < text.n && text.p[i] != quote)
        i += text.p[i] == '\\' ? 2 : 1;
    return i < text.n ? i + 1 : text.n;
}

/* A number with its suffix: the signs in 1e-5 and 0x1p+3 belong to it. */
static size_t end_of_number(Str text, size_t i) {
    bool hex = i + 1 < text.n && text.p[i] == '0' && (text.p[i + 1] | 32) == 'x';
    for (; i < text.n; i++) {
        char c = text.p[i];
        if (is_word(c) || c == '.') continue;
        char before = (char)(text.p[i - 1] | 32);
        if ((c == '+' || c == '-') && before == (hex ? 'p' : 'e')) continue;
        break;
    }
    return i;
}

static TextToken next_token(Str text, size_t i) {
    while (i < text.n && (text.p[i] == ' ' || text.p[i] == '\n' || text.p[i] == '\t'))
        i++;
    TextToken token = {TOKEN_END, i, i, 0};
    if (i >= text.n) return token;
    char c = text.p[i];
    token.to = i + 1;
    if (is_digit(c) || (c == '.' && i + 1 < text.n && is_digit(text.p[i + 1]))) {
        token.is = TOKEN_OPERAND;
        token.to = end_of_number(text, i);
    } else if (is_word(c)) {
        token.is = TOKEN_OPERAND;
        while (token.to < text.n && is_word(text.p[token.to]))
            token.to++;
    } else if (c == '"' || c == '\'') {
        token.is = TOKEN_OPERAND;
        token.to = end_of_quoted(text, i);
    } else if (c == '{') { /* the place of an operand */
        token.is = TOKEN_OPERAND;
        while (token.to < text.n && text.p[token.to - 1] != '}')
            token.to++;
    } else if (c == '(' || c == '[') {
        token.is = TOKEN_OPEN;
    } else if (c == ')' || c == ']') {
        token.is = TOKEN_CLOSE;
    } else if (c == '.' || (c == '-' && i + 1 < text.n && text.p[i + 1] == '>')) {
        token.is = TOKEN_MEMBER;
        token.to = i + (c == '.' ? 1 : 2);
    } else if (c == ':' && i + 1 < text.n && text.p[i + 1] == ':') {
        token.is = TOKEN_MEMBER;
        token.to = i + 2;
    } else {
        token.is = TOKEN_OPERATOR;
        for (size_t k = 0; k < sizeof operators / sizeof operators[0]; k++) {
            Str op = str_c(operators[k].text);
            if (!str_starts(str_sub(text, i, text.n), op)) continue;
            token.to = i + op.n;
            token.level = operators[k].level;
            break;
        }
    }
    return token;
}

/* Behind the bracket that closes the one at `open`; the end of the text if none does. */
static size_t behind_bracket(Str text, size_t open) {
    uint32_t depth = 0;
    for (size_t i = open;;) {
        TextToken token = next_token(text, i);
        if (token.is == TOKEN_END) return text.n;
        depth += token.is == TOKEN_OPEN;
        if (token.is == TOKEN_CLOSE && --depth == 0) return token.to;
        i = token.to;
    }
}

unsigned low_text_level(Str text) {
    unsigned level = LEVEL_PRIMARY;
    enum { NOTHING, WORD, GROUP } before = NOTHING;
    for (size_t i = 0;;) {
        TextToken token = next_token(text, i);
        if (token.is == TOKEN_END) return level;
        i = token.to;
        unsigned here = LEVEL_PRIMARY;
        switch (token.is) {
        case TOKEN_OPERAND:
            if (before != NOTHING) here = LEVEL_UNARY; /* (float)x, sizeof x */
            before = WORD;
            break;
        case TOKEN_OPEN:
            i = behind_bracket(text, token.from);
            if (text.p[token.from] == '(' && before == GROUP) here = LEVEL_UNARY; /* (float)(x) */
            before = before == NOTHING && text.p[token.from] == '(' ? GROUP : WORD;
            break;
        case TOKEN_MEMBER:
            before = NOTHING;
            break;
        case TOKEN_OPERATOR:
            here = before == NOTHING || token.level == 0 ? LEVEL_UNARY : token.level;
            before = NOTHING;
            break;
        case TOKEN_CLOSE:
        case TOKEN_END:
            return LEVEL_COMMA; /* brackets that do not match: only parentheses around it all can help */
        }
        if (here < level) level = here;
    }
}

bool low_text_is_plain(Str text) {
    if (text.n == 0) return false;
    TextToken token = next_token(text, 0);
    return token.is == TOKEN_OPERAND && token.from == 0 && token.to == text.n;
}

Str lower_bare(Str text) {
    while (text.n >= 2 && text.p[0] == '(' && behind_bracket(text, 0) == text.n) {
        Str inner = str_sub(text, 1, text.n - 1);
        if (low_text_level(inner) == LEVEL_COMMA) break; /* a comma would part arguments */
        text = inner;
    }
    return text;
}

/* Whether an operand of this level may stand beside a binary operator. */
static bool stands_beside(unsigned op, unsigned operand, bool left) {
    if (operand >= LEVEL_UNARY) return true;
    switch (op) {
    case LEVEL_COMMA:
        return operand > LEVEL_COMMA;
    case LEVEL_ASSIGN:
        return !left && operand >= LEVEL_ASSIGN;
    case LEVEL_LOGIC_OR:
        return operand > LEVEL_LOGIC_AND || (left && operand == op);
    case LEVEL_BIT_OR:
    case LEVEL_BIT_XOR:
    case LEVEL_BIT_AND:
        return left && operand == op;
    case LEVEL_EQUAL:
    case LEVEL_ORDER:
        return operand > LEVEL_ORDER;
    case LEVEL_SHIFT:
        return operand > LEVEL_ADD;
    default:
        return operand > op || (left && operand == op);
    }
}

/* What stands before and behind the place of an operand. */
typedef struct Neighbours {
    TextToken before, behind;
    bool prefix; /* `before` is a unary operator, or a cast */
    bool has_before;
} Neighbours;

static bool fits(Str text, const Neighbours *at, const TextOperand *operand) {
    unsigned level = operand->level;
    if (at->prefix) {
        if (level < LEVEL_UNARY) return false;
        char last = text.p[at->before.to - 1];
        if ((last == '-' || last == '+') && operand->text.n > 0 && operand->text.p[0] == last)
            return false; /* - -x, not --x */
    } else if (at->has_before && at->before.is == TOKEN_OPERATOR) {
        char c = text.p[at->before.from];
        if (c == '?'   ? level < LEVEL_CHOICE
            : c == ':' ? level < LEVEL_CHOICE
                       : !stands_beside(at->before.level, level, false))
            return false;
    }
    const TextToken *behind = &at->behind;
    if (behind->is == TOKEN_MEMBER || behind->is == TOKEN_OPEN) return level == LEVEL_PRIMARY;
    /* !a == b is right, and looks wrong. */
    bool compared = behind->is == TOKEN_OPERATOR && (behind->level == LEVEL_EQUAL || behind->level == LEVEL_ORDER);
    if (compared && level == LEVEL_UNARY && operand->text.p[0] == '!') return false;
    if (behind->is == TOKEN_OPERATOR) {
        if (behind->level == 0) return level == LEVEL_PRIMARY; /* x++ */
        char c = text.p[behind->from];
        if (c == '?') return level > LEVEL_CHOICE;
        if (c == ':') return level >= LEVEL_CHOICE;
        return stands_beside(behind->level, level, true);
    }
    return level > LEVEL_COMMA;
}

/* {0} to {9} and nothing else. */
static bool is_place(Str text, TextToken token) {
    return token.is == TOKEN_OPERAND && token.to - token.from == 3 && text.p[token.from] == '{' &&
           is_digit(text.p[token.from + 1]);
}

uint32_t low_text_operands(Str text) {
    uint32_t most = 0;
    for (size_t i = 0;;) {
        TextToken token = next_token(text, i);
        if (token.is == TOKEN_END) return most;
        if (is_place(text, token)) {
            uint32_t number = (uint32_t)(text.p[token.from + 1] - '0') + 1;
            if (number > most) most = number;
        }
        i = token.to;
    }
}

Str low_text_fill(Arena *arena, Str text, const TextOperand *operands, uint32_t n, unsigned *level) {
    Buf buf;
    buf_init(&buf, arena);
    Neighbours at = {.has_before = false};
    /* A group is a cast when an operand follows it; one behind a word is a call's, and nothing follows that. */
    bool operand_before = false;
    size_t copied = 0;
    *level = low_text_level(text);
    for (size_t i = 0;;) {
        TextToken token = next_token(text, i);
        if (token.is == TOKEN_END) break;
        i = token.to;
        if (is_place(text, token) && (uint32_t)(text.p[token.from + 1] - '0') < n) {
            const TextOperand *operand = &operands[text.p[token.from + 1] - '0'];
            at.behind = next_token(text, i);
            at.prefix =
                at.has_before && at.before.is != TOKEN_OPEN && (at.before.is != TOKEN_OPERATOR || !operand_before);
            bool bare = fits(text, &at, operand);
            buf_add(&buf, str_sub(text, copied, token.from));
            if (!bare) buf_char(&buf, '(');
            buf_add(&buf, operand->text);
            if (!bare) buf_char(&buf, ')');
            copied = i;
            /* The operand is all there is: the text binds as tightly as it does. */
            if (bare && token.from == 0 && i == text.n) *level = operand->level;
        }
        /* For an operator remember whether something stood before it: then it is a binary one. */
        if (token.is != TOKEN_OPERATOR) operand_before = false;
        if (token.is == TOKEN_OPERATOR)
            operand_before =
                at.has_before && at.before.is != TOKEN_OPERATOR && at.before.is != TOKEN_OPEN && token.level != 0;
        at.before = token;
        at.has_before = true;
    }
    buf_add(&buf, str_sub(text, copied, text.n));
    return buf_str(&buf);
}

Str low_text_operand(Arena *arena, Str text, unsigned level) {
    bool sign = text.n > 0 && (text.p[0] == '-' || text.p[0] == '+');
    return level < LEVEL_UNARY || sign ? str_format(arena, "(%S)", text) : text;
}

/* unicode.c: Python's view of characters by way of libunistring.
 *
 * libunistring 1.0 and Python 3.11 both follow Unicode 14, and agree but for the ideographs that mean numbers, which
 * are listed here. Case is mapped a code point at a time into a buffer on the stack, so libunistring
 * allocates nothing that lives on; the one mapping that looks around itself, the final sigma, is done here. */
#include "template/value/unicode.h"

#include <unicase.h>
#include <unictype.h>

/* ---- kinds of ASCII characters, in one table */
enum { A_LOWER = 1, A_UPPER = 2, A_DIGIT = 4, A_SPACE = 8, A_WORD = 16 };

static const unsigned char ascii[128] = {
    ['\t'] = A_SPACE, ['\n'] = A_SPACE, ['\v'] = A_SPACE, ['\f'] = A_SPACE, ['\r'] = A_SPACE, [0x1c] = A_SPACE,
    [0x1d] = A_SPACE, [0x1e] = A_SPACE, [0x1f] = A_SPACE, [' '] = A_SPACE,
#define DIGIT(c) [c] = A_DIGIT
    DIGIT('0'),       DIGIT('1'),       DIGIT('2'),       DIGIT('3'),       DIGIT('4'),       DIGIT('5'),
    DIGIT('6'),       DIGIT('7'),       DIGIT('8'),       DIGIT('9'),
#define LETTER(c) [c] = A_LOWER, [(c)-32] = A_UPPER
    LETTER('a'),      LETTER('b'),      LETTER('c'),      LETTER('d'),      LETTER('e'),      LETTER('f'),
    LETTER('g'),      LETTER('h'),      LETTER('i'),      LETTER('j'),      LETTER('k'),      LETTER('l'),
    LETTER('m'),      LETTER('n'),      LETTER('o'),      LETTER('p'),      LETTER('q'),      LETTER('r'),
    LETTER('s'),      LETTER('t'),      LETTER('u'),      LETTER('v'),      LETTER('w'),      LETTER('x'),
    LETTER('y'),      LETTER('z'),      ['_'] = A_WORD,
};

static bool ascii_is(uint32_t c, int kinds) { return (ascii[c] & kinds) != 0; }

bool unicode_is_alpha(uint32_t c) {
    if (c < 0x80) return ascii_is(c, A_LOWER | A_UPPER);
    return uc_is_general_category_withtable(c, UC_CATEGORY_MASK_L);
}

int unicode_decimal(uint32_t c) {
    if (c < 0x80) return ascii_is(c, A_DIGIT) ? (int)c - '0' : -1;
    return uc_decimal_value(c);
}

bool unicode_is_digit(uint32_t c) {
    if (c < 0x80) return ascii_is(c, A_DIGIT);
    return uc_digit_value(c) >= 0;
}

/* Ideographs with a value in the Unihan database, which libunistring leaves out. In order. */
static const uint32_t numerals[] = {
    0x3405,  0x3483,  0x382a,  0x3b4d,  0x4e00,  0x4e03,  0x4e07,  0x4e09,  0x4e5d,  0x4e8c,  0x4e94,  0x4e96,  0x4ebf,
    0x4ec0,  0x4edf,  0x4ee8,  0x4f0d,  0x4f70,  0x5104,  0x5146,  0x5169,  0x516b,  0x516d,  0x5341,  0x5343,  0x5344,
    0x5345,  0x534c,  0x53c1,  0x53c2,  0x53c3,  0x53c4,  0x56db,  0x58f1,  0x58f9,  0x5e7a,  0x5efe,  0x5eff,  0x5f0c,
    0x5f0d,  0x5f0e,  0x5f10,  0x62fe,  0x634c,  0x67d2,  0x6f06,  0x7396,  0x767e,  0x8086,  0x842c,  0x8cae,  0x8cb3,
    0x8d30,  0x9621,  0x9646,  0x964c,  0x9678,  0x96f6,  0x20001, 0x20064, 0x200e2, 0x20121, 0x2092a, 0x20983, 0x2098c,
    0x2099c, 0x20aea, 0x20afd, 0x20b19, 0x22390, 0x22998, 0x23b1b, 0x2626d,
};

bool unicode_is_numeric(uint32_t c) {
    if (c < 0x80) return ascii_is(c, A_DIGIT);
    if (uc_numeric_value(c).denominator != 0) return true;
    size_t from = 0, to = sizeof numerals / sizeof *numerals;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (numerals[middle] == c) return true;
        if (numerals[middle] < c)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

bool unicode_is_space(uint32_t c) {
    if (c < 0x80) return ascii_is(c, A_SPACE);
    return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
           c == 0x202f || c == 0x205f || c == 0x3000;
}

bool unicode_is_line_break(uint32_t c) {
    return (c >= '\n' && c <= '\r') || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool unicode_is_printable(uint32_t c) {
    if (c < 0x80) return c >= ' ' && c != 0x7f;
    return !uc_is_general_category_withtable(c, UC_CATEGORY_MASK_C | UC_CATEGORY_MASK_Z);
}

bool unicode_is_lower(uint32_t c) {
    if (c < 0x80) return ascii_is(c, A_LOWER);
    return uc_is_property(c, UC_PROPERTY_LOWERCASE);
}

bool unicode_is_upper(uint32_t c) {
    if (c < 0x80) return ascii_is(c, A_UPPER);
    return uc_is_property(c, UC_PROPERTY_UPPERCASE);
}

bool unicode_is_title(uint32_t c) { return c >= 0x80 && uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Lt); }

bool unicode_is_cased(uint32_t c) {
    if (c < 0x80) return ascii_is(c, A_LOWER | A_UPPER);
    return uc_is_property(c, UC_PROPERTY_CASED);
}

bool unicode_starts_identifier(uint32_t c) {
    if (c < 0x80) return ascii_is(c, A_LOWER | A_UPPER | A_WORD);
    return uc_is_property(c, UC_PROPERTY_XID_START);
}

bool unicode_continues_identifier(uint32_t c) {
    if (c < 0x80) return ascii_is(c, A_LOWER | A_UPPER | A_WORD | A_DIGIT);
    return uc_is_property(c, UC_PROPERTY_XID_CONTINUE);
}

bool unicode_is_ascii(Str s) {
    size_t i = 0;
    for (; s.n - i >= 8; i += 8) {
        uint64_t word;
        memcpy(&word, s.p + i, 8);
        if ((word & 0x8080808080808080u) != 0) return false;
    }
    for (; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 0x80) return false;
    return true;
}

/* ---- case */

typedef uint32_t *Mapping(const uint32_t *s, size_t n, const char *language, uninorm_t nf, uint32_t *to,
                          size_t *length);
enum { CODES_MOST = 8 }; /* no code point becomes more than three */

static size_t map_code(uint32_t c, Mapping *mapping, uint32_t to[CODES_MOST]) {
    size_t n = CODES_MOST;
    /* NULL: it takes memory for itself while it works (for titles only), and got none. */
    if (mapping(&c, 1, NULL, NULL, to, &n) == NULL) mem_fail(MEM_SYSTEM, sizeof(uint32_t) * CODES_MOST);
    return n;
}

static void add_mapped(Buf *out, uint32_t c, Mapping *mapping) {
    uint32_t to[CODES_MOST];
    size_t n = map_code(c, mapping, to);
    for (size_t i = 0; i < n; i++)
        buf_code(out, to[i]);
}

static void add_upper(Buf *out, uint32_t c) {
    if (c < 0x80)
        buf_char(out, (char)(ascii_is(c, A_LOWER) ? c - 32 : c));
    else
        add_mapped(out, c, u32_toupper);
}

/* The capital that begins a word: where upper case is a single letter, title case is one too and in the simple table.
 */
static void add_title(Buf *out, uint32_t c) {
    if (c < 0x80) {
        add_upper(out, c);
        return;
    }
    uint32_t upper[CODES_MOST];
    if (map_code(c, u32_toupper, upper) == 1)
        buf_code(out, uc_totitle(c));
    else
        add_mapped(out, c, u32_totitle);
}

static bool is_ignorable(uint32_t c) { return uc_is_property(c, UC_PROPERTY_CASE_IGNORABLE); }

/* What the final sigma needs to know of its neighbours. The text is gone through once, from the front, so what stands
 * before is kept on the way; what stands behind is looked for, and kept as long as the text in between is ignorable. */
typedef struct Lower {
    Str s;
    bool before;        /* the last character that is not ignorable is a cased letter */
    bool after;         /* the first one from after_until on is */
    size_t after_until; /* up to here there is nothing but ignorable characters */
} Lower;

static bool sigma_is_final(Lower *lower, size_t end) {
    if (!lower->before) return false;
    if (end > lower->after_until) {
        lower->after = false;
        for (; end < lower->s.n;) {
            unsigned size;
            uint32_t c = str_decode(lower->s.p + end, lower->s.p + lower->s.n, &size);
            if (!is_ignorable(c)) {
                lower->after = unicode_is_cased(c);
                break;
            }
            end += size;
        }
        lower->after_until = end;
    }
    return !lower->after;
}

static void add_lower(Buf *out, Lower *lower, uint32_t c, size_t end) {
    if (c < 0x80)
        buf_char(out, (char)(ascii_is(c, A_UPPER) ? c + 32 : c));
    else if (c == 0x3a3)
        buf_code(out, sigma_is_final(lower, end) ? 0x3c2 : 0x3c3);
    else
        add_mapped(out, c, u32_tolower);
}

static void map_ascii(char *to, Str s, UnicodeCase what) {
    bool in_word = false;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i], kind = ascii[c];
        bool up = what == UNICODE_UPPER || (what == UNICODE_SWAP && (kind & A_LOWER) != 0) ||
                  (what == UNICODE_TITLE && !in_word) || (what == UNICODE_CAPITALIZE && i == 0);
        if (up)
            to[i] = (char)((kind & A_LOWER) != 0 ? c - 32 : c);
        else
            to[i] = (char)((kind & A_UPPER) != 0 ? c + 32 : c);
        in_word = (kind & (A_LOWER | A_UPPER)) != 0;
    }
}

void unicode_map(Buf *out, Str s, UnicodeCase to) {
    if (s.n == 0) return;
    char *room = buf_room(out, s.n);
    if (unicode_is_ascii(s)) {
        map_ascii(room, s, to);
        out->n += s.n;
        return;
    }
    Lower lower = {.s = s};
    bool in_word = false;
    for (size_t i = 0; i < s.n;) {
        unsigned size;
        uint32_t c = str_decode(s.p + i, s.p + s.n, &size);
        switch (to) {
        case UNICODE_UPPER:
            add_upper(out, c);
            break;
        case UNICODE_LOWER:
            add_lower(out, &lower, c, i + size);
            break;
        case UNICODE_FOLD:
            if (c < 0x80)
                add_lower(out, &lower, c, i + size);
            else
                add_mapped(out, c, u32_casefold);
            break;
        case UNICODE_TITLE:
            if (in_word)
                add_lower(out, &lower, c, i + size);
            else
                add_title(out, c);
            in_word = unicode_is_cased(c);
            break;
        case UNICODE_CAPITALIZE:
            if (i > 0)
                add_lower(out, &lower, c, i + size);
            else
                add_title(out, c);
            break;
        case UNICODE_SWAP:
            if (unicode_is_upper(c))
                add_lower(out, &lower, c, i + size);
            else if (unicode_is_lower(c))
                add_upper(out, c);
            else
                buf_code(out, c);
            break;
        }
        i += size;
        if (!is_ignorable(c)) lower.before = unicode_is_cased(c);
    }
}

/* scan_token.c: strings, numbers and words of JSON, each checked to its last character.
 *
 * Numbers get their value here, from their own text, because cJSON has only doubles: integers exactly, or
 * as digits where 64 bits do not hold them; the rest by strtod, in the C locale whatever the program's is. */
#include "scan.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

/* ---- strings ---- */

/* Four hexadecimal digits at p, or -1. */
static int32_t hex4(const char *p, const char *end) {
    if (end - p < 4) return -1;
    int32_t code = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return -1;
        code = code << 4 | digit;
    }
    return code;
}

/* \uXXXX at scan->p, which stands on the backslash. */
static void scan_unicode(JsonScan *scan) {
    const char *from = scan->p;
    int32_t code = hex4(from + 2, scan->end);
    if (code < 0) {
        scan->p += 2;
        Diag *diag = json_fault(scan, E_JSON_SYNTAX, from, scan->p, "expected four hexadecimal digits after \\u");
        diag_hint(scan->diags, diag, "as in \\u00e9");
        return;
    }
    scan->p += 6;
    if (code == 0) {
        json_fault(scan, E_ENCODING, from, scan->p, "a string holds a NUL character (\\u0000)");
    } else if (code >= 0xdc00 && code <= 0xdfff) {
        json_fault(scan, E_ENCODING, from, scan->p, "%S is the second half of a surrogate pair without the first",
                   str(from, 6));
    } else if (code >= 0xd800 && code <= 0xdbff) {
        bool pair = scan->end - scan->p >= 6 && scan->p[0] == '\\' && scan->p[1] == 'u';
        int32_t low = pair ? hex4(scan->p + 2, scan->end) : -1;
        if (low >= 0xdc00 && low <= 0xdfff)
            scan->p += 6;
        else
            json_fault(scan, E_ENCODING, from, scan->p, "%S is the first half of a surrogate pair without the second",
                       str(from, 6));
    }
}

static void scan_escape(JsonScan *scan) {
    const char *from = scan->p;
    char c = from[1];
    if (c == 'u') {
        scan_unicode(scan);
        return;
    }
    if (c != '\0' && strchr("\"\\/bfnrt", c) != NULL) {
        scan->p += 2;
        return;
    }
    unsigned size;
    str_decode(from + 1, scan->end, &size);
    scan->p += 1 + size;
    if ((unsigned char)c < 0x20) scan->p = from + 1; /* reported as the control character that it is */
    Diag *diag = json_fault(scan, E_JSON_SYNTAX, from, scan->p, "%S is not an escape that JSON knows",
                            str(from, (size_t)(scan->p - from)));
    if (c == '\'')
        diag_hint(scan->diags, diag, "a single quote needs none");
    else
        diag_hint(scan->diags, diag, "a backslash is written \\\\");
}

bool json_scan_string(JsonScan *scan, bool *escaped) {
    const char *from = scan->p++;
    *escaped = false;
    for (;;) {
        const char *p = scan->p;
        while (p < scan->end && (unsigned char)*p >= 0x20 && *p != '"' && *p != '\\')
            p++;
        scan->p = p;
        if (p == scan->end || (*p == '\\' && p + 1 == scan->end)) {
            json_fault(scan, E_JSON_SYNTAX, from, from + 1, "this string is not closed: the text ends before its '\"'");
            return false;
        }
        if (*p == '"') {
            scan->p++;
            return true;
        }
        if (*p == '\\') {
            *escaped = true;
            scan_escape(scan);
        } else if (*p == '\n' || *p == '\r') {
            Diag *diag = json_fault(scan, E_JSON_SYNTAX, from, p, "this string is not closed on its line");
            diag_hint(scan->diags, diag, "a line break in a string is written \\n");
            return false;
        } else {
            scan->p++;
            Diag *diag = json_fault(scan, E_JSON_SYNTAX, p, p + 1, "a string holds the control character U+%04X",
                                    (unsigned)(unsigned char)*p);
            if (*p == '\t')
                diag_hint(scan->diags, diag, "write it \\t");
            else
                diag_hint(scan->diags, diag, "write it \\u%04x", (unsigned)(unsigned char)*p);
        }
    }
}

/* ---- numbers ---- */

static bool is_digit(const JsonScan *scan, const char *p) { return p < scan->end && *p >= '0' && *p <= '9'; }

static const char *skip_digits(const JsonScan *scan, const char *p) {
    while (is_digit(scan, p))
        p++;
    return p;
}

/* Numbers may have any length; a message shows the beginning. */
static Str shortened(JsonScan *scan, const char *from, const char *to) {
    Str text = str(from, (size_t)(to - from));
    return text.n <= 40 ? text : str_format(scan->diags->arena, "%.40S...", text);
}

/* What is meant as a number, to its end; reads as null, since no value is certain. */
static void bad_number(JsonScan *scan, const char *what, const char *hint) {
    const char *from = scan->p, *to = from + 1;
    while (to < scan->end && (json_is_word(*to) || *to == '.' || ((*to == '+' || *to == '-') && (to[-1] | 32) == 'e')))
        to++;
    scan->p = to;
    Diag *diag =
        json_fault(scan, E_JSON_SYNTAX, from, to, "%S is not a number in JSON: %s", shortened(scan, from, to), what);
    if (hint != NULL) diag_hint(scan->diags, diag, "%s", hint);
    json_mark(scan, from, JSON_NULL);
}

static void set_integer(JsonScan *scan, const char *from) {
    JsonMark *mark = json_mark(scan, from, JSON_INT);
    bool negative = *from == '-';
    int64_t value = 0;
    for (const char *p = from + negative; p < scan->p; p++) {
        int digit = *p - '0';
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, negative ? -digit : digit, &value)) {
            mark->kind = JSON_BIGINT;
            size_t digits = (size_t)(scan->p - from) - negative;
            if (digits <= JSON_MOST_DIGITS) return;
            mark->kind = JSON_NULL;
            Diag *diag = json_fault(scan, E_JSON_NUMBER, from, scan->p, "the number %S has %zu digits",
                                    shortened(scan, from, scan->p), digits);
            diag_hint(scan->diags, diag, "an integer has at most %d", JSON_MOST_DIGITS);
            return;
        }
    }
    mark->as.i = value;
}

static void set_float(JsonScan *scan, const char *from) {
    static locale_t c_locale;
    if (c_locale == (locale_t)0)
        c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* the C locale is static: no memory */
    JsonMark *mark = json_mark(scan, from, JSON_FLOAT);
    /* strtod wants an end to the text. Few numbers are longer than the space here; those that are go to the arena. */
    char space[64];
    size_t n = (size_t)(scan->p - from);
    ArenaMark before = arena_mark(scan->arena);
    char *copy = n < sizeof space ? space : arena_alloc(scan->arena, n + 1);
    memcpy(copy, from, n);
    copy[n] = '\0';
    mark->as.f = strtod_l(copy, NULL, c_locale);
    arena_reset(scan->arena, before);
    if (isinf(mark->as.f)) {
        Diag *diag = json_fault(scan, E_JSON_NUMBER, from, scan->p, "the number %S is out of range",
                                shortened(scan, from, scan->p));
        diag_hint(scan->diags, diag, "the largest is about 1.8e308");
    }
}

bool json_scan_number(JsonScan *scan) {
    const char *from = scan->p, *p = from;
    if (*p == '+' || *p == '.') {
        bool plus = *p == '+';
        if (plus ? !is_digit(scan, p + 1) && !(p + 1 < scan->end && json_is_word(p[1])) : !is_digit(scan, p + 1)) {
            const char *to;
            Str got = json_got(scan, &to);
            json_fault(scan, E_JSON_SYNTAX, from, to, "expected a value, got %S", got);
            return false;
        }
        bad_number(scan, plus ? "a sign is only '-'" : "a digit stands before '.'",
                   plus ? "remove the '+'" : "write 0 before it");
        return true;
    }
    if (*p == '-') p++;
    if (p < scan->end && !is_digit(scan, p) && json_is_word(*p)) return json_scan_word(scan, "a value"); /* -Infinity */
    const char *digits = p;
    p = skip_digits(scan, p);
    const char *wrong = NULL, *hint = NULL;
    bool whole = true;
    if (p == digits) {
        wrong = "a digit stands after '-'";
    } else if (*digits == '0' && p > digits + 1) {
        wrong = "it begins with 0";
        hint = "remove the zeros in front";
    } else if (p < scan->end && *p == '.') {
        whole = false;
        const char *fraction = ++p;
        p = skip_digits(scan, p);
        if (p == fraction) wrong = "a digit stands after '.'";
    }
    if (wrong == NULL && p < scan->end && (*p == 'e' || *p == 'E')) {
        whole = false;
        p++;
        if (p < scan->end && (*p == '+' || *p == '-')) p++;
        const char *exponent = p;
        p = skip_digits(scan, p);
        if (p == exponent) wrong = "a digit stands in the exponent";
    }
    if (wrong == NULL && p < scan->end && (json_is_word(*p) || *p == '.')) {
        bool hexadecimal = *digits == '0' && p == digits + 1 && (*p | 32) == 'x';
        wrong = hexadecimal ? "there are only decimal ones" : "it ends in other characters";
    }
    if (wrong != NULL) {
        bad_number(scan, wrong, hint);
        return true;
    }
    scan->p = p;
    if (p - from > JSON_NUMBER_MOST) scan->long_numbers = true;
    if (whole)
        set_integer(scan, from);
    else
        set_float(scan, from);
    return true;
}

/* ---- words ---- */

/* Text in single quotes that ends on its line: what was meant is clear. */
bool json_scan_single(JsonScan *scan, const char *wanted) {
    const char *from = scan->p, *p = from + 1;
    while (p < scan->end && *p != '\'' && *p != '\n')
        p += *p == '\\' && p + 1 < scan->end ? 2 : 1;
    bool closed = p < scan->end && *p == '\'';
    const char *to = closed ? p + 1 : from + 1;
    Diag *diag = json_fault(scan, E_JSON_SYNTAX, from, to, "expected %s, got a single quote", wanted);
    diag_hint(scan->diags, diag, "JSON has only double quotes");
    scan->p = to;
    return closed;
}

bool json_scan_word(JsonScan *scan, const char *wanted) {
    const char *from = scan->p, *p = from;
    if (*p == '\'') {
        if (!json_scan_single(scan, wanted)) return false;
        json_mark(scan, from, JSON_NULL);
        return true;
    }
    if (*p == '-') p++;
    while (p < scan->end && json_is_word(*p))
        p++;
    scan->p = p;
    Str word = str(from, (size_t)(p - from));
    if (str_eq(word, S("true")) || str_eq(word, S("false"))) {
        json_mark(scan, from, JSON_BOOL)->as.b = *from == 't';
        return true;
    }
    json_mark(scan, from, JSON_NULL);
    if (str_eq(word, S("null"))) return true;

    static const struct {
        Str wrong;
        const char *right; /* NULL: not a number that JSON has */
    } known[] = {
        {{"True", 4}, "true"},      {{"TRUE", 4}, "true"},   {{"False", 5}, "false"},  {{"FALSE", 5}, "false"},
        {{"None", 4}, "null"},      {{"NULL", 4}, "null"},   {{"Null", 4}, "null"},    {{"nil", 3}, "null"},
        {{"undefined", 9}, "null"}, {{"NaN", 3}, NULL},      {{"nan", 3}, NULL},       {{"-NaN", 4}, NULL},
        {{"-nan", 4}, NULL},        {{"Infinity", 8}, NULL}, {{"-Infinity", 9}, NULL}, {{"inf", 3}, NULL},
        {{"-inf", 4}, NULL},        {{"Inf", 3}, NULL},      {{"-Inf", 4}, NULL},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!str_eq(word, known[i].wrong)) continue;
        Diag *diag;
        if (known[i].right == NULL) {
            diag = json_fault(scan, E_JSON_SYNTAX, from, p, "JSON has no %S: its numbers are finite", word);
            diag_hint(scan->diags, diag, "write null, or a string");
        } else {
            diag = json_fault(scan, E_JSON_SYNTAX, from, p, "expected %s, got %Q", wanted, word);
            diag_hint(scan->diags, diag, "JSON writes it %s", known[i].right);
        }
        return true;
    }
    Diag *diag = json_fault(scan, E_JSON_SYNTAX, from, p, "expected %s, got %.40Q", wanted, word);
    static const Str words[] = {{"true", 4}, {"false", 5}, {"null", 4}};
    for (size_t i = 0; i < 3; i++) {
        if (str_distance(word, words[i], 1) > 1) continue;
        diag_hint(scan->diags, diag, "did you mean %S?", words[i]);
        return true;
    }
    diag_hint(scan->diags, diag, "a string stands in double quotes");
    return true;
}

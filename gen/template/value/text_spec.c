/* text_spec.c: format(value, spec), the part of str.format behind the ":".
 *
 *     [[fill]align][sign][z][#][0][width][, or _][.precision][type]
 *
 * Reading it is the same for all types; what is allowed depends on the type, as in Python. Numbers are laid out from
 * a sign, a prefix, digits in groups and what is behind them. */
#include "template/value/text.h"

#include "template/value/inner.h"

#include <math.h>

typedef struct Spec {
    Str text; /* all of it, for errors */
    uint32_t fill;
    char align; /* '<', '>', '^', '=' */
    char sign;  /* '\0', '-', '+', ' ' */
    bool no_negative_zero, alternate;
    int64_t width;     /* -1: none */
    char separator;    /* '\0', ',', '_' */
    int64_t precision; /* -1: none */
    uint32_t type;     /* 0: none */
} Spec;

NORETURN static void fail_spec(Run *run, const Spec *spec, const char *why, const char *type) {
    run_fail(run, "format: in %Q for %s, %s", spec->text, type, why);
}

typedef struct Reader {
    Str s;
    size_t at;
} Reader;

static uint32_t peek(const Reader *reader, unsigned *size) {
    *size = 0;
    return reader->at == reader->s.n ? 0 : str_decode(reader->s.p + reader->at, reader->s.p + reader->s.n, size);
}

static bool take(Reader *reader, char c) {
    if (reader->at == reader->s.n || reader->s.p[reader->at] != c) return false;
    reader->at++;
    return true;
}

static bool is_align(uint32_t c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

/* -1 where there is no digit. */
static int64_t take_number(Run *run, Reader *reader, const Spec *spec) {
    int64_t n = -1;
    for (;;) {
        unsigned size;
        uint32_t c = peek(reader, &size);
        int digit = size == 0 ? -1 : unicode_decimal(c);
        if (digit < 0) return n;
        n = (n < 0 ? 0 : n) * 10 + digit;
        if (n > TEXT_MOST_WIDTH)
            run_fail_as(run, E_LIMIT, S(""), "format: in %Q, a width or precision is more than %d", spec->text,
                        TEXT_MOST_WIDTH);
        reader->at += size;
    }
}

static void take_align(Reader *reader, Spec *spec, bool *filled, bool *aligned) {
    unsigned size, behind;
    uint32_t first = peek(reader, &size);
    if (size == 0) return;
    Reader next = {reader->s, reader->at + size};
    uint32_t second = peek(&next, &behind);
    if (behind != 0 && is_align(second)) {
        spec->fill = first;
        *filled = true;
        reader->at += size;
        first = second;
    }
    if (!is_align(first)) return;
    spec->align = (char)first;
    *aligned = true;
    reader->at++;
}

static void read_spec(Run *run, Str text, char align, const char *type, Spec *spec) {
    *spec = (Spec){.text = text, .fill = ' ', .align = align, .precision = -1};
    Reader reader = {text, 0};
    bool filled = false, aligned = false;
    take_align(&reader, spec, &filled, &aligned);
    if (take(&reader, '+'))
        spec->sign = '+';
    else if (take(&reader, '-'))
        spec->sign = '-';
    else if (take(&reader, ' '))
        spec->sign = ' ';
    spec->no_negative_zero = take(&reader, 'z');
    spec->alternate = take(&reader, '#');
    if (!filled && take(&reader, '0')) {
        spec->fill = '0';
        if (!aligned && align == '>') spec->align = '=';
    }
    spec->width = take_number(run, &reader, spec);
    if (take(&reader, ',')) spec->separator = ',';
    if (take(&reader, '_')) {
        if (spec->separator != '\0') fail_spec(run, spec, "\",\" and \"_\" cannot both be", type);
        spec->separator = '_';
    }
    if (spec->separator == '_' && take(&reader, ',')) fail_spec(run, spec, "\",\" and \"_\" cannot both be", type);
    if (take(&reader, '.')) {
        spec->precision = take_number(run, &reader, spec);
        if (spec->precision < 0) fail_spec(run, spec, "the precision behind \".\" is missing", type);
    }
    unsigned size;
    spec->type = peek(&reader, &size);
    if (reader.at + size != text.n) fail_spec(run, spec, "the parts are not understood or not in their order", type);
}

/* The separator goes with types that are numbers; of those to the base 2, 8 and 16 only "_". */
static void check_separator(Run *run, const Spec *spec, uint32_t type, const char *name) {
    if (spec->separator == '\0') return;
    bool decimal = type == 0 || (type < 0x80 && memchr("defgEGF%", (int)type, 8) != NULL);
    bool other = type < 0x80 && type != 0 && memchr("boxX", (int)type, 4) != NULL;
    if (!decimal && !(other && spec->separator == '_'))
        fail_spec(run, spec, "the type does not go with \",\" or \"_\"", name);
}

NORETURN static void fail_type_letter(Run *run, const Spec *spec, const char *name) {
    char bytes[4];
    run_fail(run, "format: there is no type \"%S\" for %s", str(bytes, str_encode(spec->type, bytes)), name);
}

/* ---- text */

static Value format_text(Run *run, Str s, Str text) {
    Spec spec;
    read_spec(run, text, '<', "str", &spec);
    check_separator(run, &spec, spec.type == 0 ? 's' : spec.type, "str");
    if (spec.type != 0 && spec.type != 's') fail_type_letter(run, &spec, "str");
    if (spec.sign != '\0') fail_spec(run, &spec, "a sign is for numbers only", "str");
    if (spec.no_negative_zero) fail_spec(run, &spec, "\"z\" is for floats only", "str");
    if (spec.alternate) fail_spec(run, &spec, "\"#\" is for numbers only", "str");
    if (spec.align == '=') fail_spec(run, &spec, "\"=\" is for numbers only", "str");
    if (spec.precision >= 0 && (uint64_t)spec.precision < s.n)
        s = str_sub(s, 0, text_offset(s, (size_t)spec.precision));
    size_t n = str_count(s), pad = spec.width > 0 && (size_t)spec.width > n ? (size_t)spec.width - n : 0;
    size_t before = spec.align == '>' ? pad : spec.align == '^' ? pad / 2 : 0;
    Buf out;
    buf_init(&out, run->arena);
    text_pad(&out, s, spec.fill, before, pad - before);
    return text_take(run, &out, 0);
}

/* ---- numbers */

typedef struct Parts {
    bool negative;
    Str prefix;
    Str digits; /* ASCII, those that are grouped */
    Str rest;   /* point, fraction, exponent, '%'; or a character, or "inf" */
} Parts;

/* How many digits, zeros in front and separators take together, if they shall be at least `least`. */
static size_t grouped_length(size_t digits, int64_t least, size_t group) {
    if (digits == 0) return 0;
    size_t n = digits + (group == 0 ? 0 : (digits - 1) / group);
    if (least <= 0 || (size_t)least <= n) return n;
    /* A separator cannot be the first, so where it would be, one zero more stands before it. */
    size_t wanted = (size_t)least;
    return group != 0 && wanted % (group + 1) == 0 ? wanted + 1 : wanted;
}

static void add_grouped(Buf *out, Str digits, size_t length, size_t group, char separator) {
    char *to = buf_room(out, length);
    size_t left = digits.n;
    for (size_t i = 0; i < length; i++) { /* from the last */
        bool between = group != 0 && i % (group + 1) == group;
        to[length - 1 - i] = between ? separator : left > 0 ? digits.p[--left] : '0';
    }
    out->n += length;
}

static Value lay_out(Run *run, const Spec *spec, const Parts *parts) {
    char sign = parts->negative ? '-' : spec->sign == '+' || spec->sign == ' ' ? spec->sign : '\0';
    size_t group = spec->separator == '\0'                                                              ? 0
                   : spec->type < 0x80 && spec->type != 0 && memchr("boxX", (int)spec->type, 4) != NULL ? 4
                                                                                                        : 3;
    size_t fixed = (sign != '\0') + parts->prefix.n + str_count(parts->rest);
    int64_t least = spec->fill == '0' && spec->align == '=' ? spec->width - (int64_t)fixed : 0;
    size_t length = grouped_length(parts->digits.n, least, group);
    size_t pad = spec->width > 0 && (size_t)spec->width > fixed + length ? (size_t)spec->width - fixed - length : 0;
    size_t before = spec->align == '>' ? pad : spec->align == '^' ? pad / 2 : 0;
    size_t inside = spec->align == '=' ? pad : 0;
    Buf out;
    buf_init(&out, run->arena);
    text_fill(&out, spec->fill, before);
    if (sign != '\0') buf_char(&out, sign);
    buf_add(&out, parts->prefix);
    text_fill(&out, spec->fill, inside);
    if (length != 0) add_grouped(&out, parts->digits, length, group, spec->separator);
    buf_add(&out, parts->rest);
    text_fill(&out, spec->fill, pad - before - inside);
    return text_take(run, &out, 0);
}

static void upper_ascii(Buf *buf) {
    for (size_t i = 0; i < buf->n; i++)
        if (buf->p[i] >= 'a' && buf->p[i] <= 'z') buf->p[i] = (char)(buf->p[i] - 32);
}

/* Whether the digits are zeros only, whatever the exponent: a zero, or what rounding made one. */
static bool shows_zero(Str s) {
    for (size_t i = 0; i < s.n && s.p[i] != 'e' && s.p[i] != 'E'; i++)
        if (s.p[i] >= '1' && s.p[i] <= '9') return false;
    return true;
}

/* repr() has a point or an exponent; '#' wants the point in any case. */
static void shortest(Buf *text, double f, bool alternate) {
    float_repr(text, f);
    if (!alternate || !isfinite(f) || str_find_char(buf_str(text), '.') != STR_NONE) return;
    size_t at = str_find_char(buf_str(text), 'e');
    buf_char(text, '.');
    memmove(text->p + at + 1, text->p + at, text->n - 1 - at);
    text->p[at] = '.';
}

static Value format_double(Run *run, const Spec *spec, double f, const char *name) {
    Buf text;
    buf_init(&text, run->arena);
    char type = spec->type < 0x80 ? (char)spec->type : '?';
    bool is_upper = type == 'E' || type == 'F' || type == 'G';
    int precision = spec->precision < 0 ? 6 : (int)spec->precision;
    switch (type) {
    case '\0':
        if (spec->precision < 0)
            shortest(&text, f, spec->alternate);
        else
            text_float(&text, f, 'g', precision, spec->alternate, true);
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        text_float(&text, f, (char)(type | 32), precision, spec->alternate, false);
        break;
    case 'n':
        text_float(&text, f, 'g', precision, spec->alternate, false);
        break;
    case '%':
        text_float(&text, f * 100, 'f', precision, spec->alternate, false);
        buf_char(&text, '%');
        break;
    default:
        fail_type_letter(run, spec, name);
    }
    if (is_upper) upper_ascii(&text);
    Str s = buf_str(&text);
    Parts parts = {.negative = s.p[0] == '-', .prefix = S("")};
    s = str_sub(s, parts.negative, s.n);
    if (parts.negative && spec->no_negative_zero && isfinite(f) && shows_zero(s)) parts.negative = false;
    size_t n = 0;
    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    parts.digits = str_sub(s, 0, n);
    parts.rest = str_sub(s, n, s.n);
    return lay_out(run, spec, &parts);
}

static Value format_character(Run *run, const Spec *spec, Value v) {
    if (spec->sign != '\0') fail_spec(run, spec, "a sign does not go with the type \"c\"", "int");
    if (spec->alternate) fail_spec(run, spec, "\"#\" does not go with the type \"c\"", "int");
    int64_t code = is_small(v) ? small(v) : -1;
    if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        fail_spec(run, spec, "\"c\" wants the number of a character, from 0 to 0x10ffff and not a surrogate", "int");
    char bytes[4];
    Parts parts = {.prefix = S(""), .digits = S(""), .rest = str(bytes, str_encode((uint32_t)code, bytes))};
    return lay_out(run, spec, &parts);
}

static Value format_integer(Run *run, Value v, Str text) {
    const char *name = val_type_name(v);
    Spec spec;
    read_spec(run, text, '>', name, &spec);
    check_separator(run, &spec, spec.type, name);
    if (spec.type < 0x80 && spec.type != 0 && memchr("eEfFgG%", (int)spec.type, 7) != NULL)
        return format_double(run, &spec, val_to_double(run, v), name);
    if (spec.type >= 0x80 || (spec.type != 0 && memchr("bcdoxXn", (int)spec.type, 7) == NULL))
        fail_type_letter(run, &spec, name);
    if (spec.precision >= 0) fail_spec(run, &spec, "an int takes no precision", name);
    if (spec.no_negative_zero) fail_spec(run, &spec, "\"z\" is for floats only", name);
    if (spec.type == 'c') return format_character(run, &spec, v);
    unsigned base = spec.type == 'b' ? 2 : spec.type == 'o' ? 8 : spec.type == 'x' || spec.type == 'X' ? 16 : 10;
    Buf digits;
    buf_init(&digits, run->arena);
    text_digits(&digits, v, base);
    Parts parts = {.negative = text_is_negative(v), .prefix = S(""), .rest = S("")};
    if (spec.type == 'X') upper_ascii(&digits);
    if (spec.alternate && base != 10)
        parts.prefix = base == 2 ? S("0b") : base == 8 ? S("0o") : spec.type == 'X' ? S("0X") : S("0x");
    parts.digits = buf_str(&digits);
    return lay_out(run, &spec, &parts);
}

static Value format_float(Run *run, double f, Str text) {
    Spec spec;
    read_spec(run, text, '>', "float", &spec);
    check_separator(run, &spec, spec.type, "float");
    return format_double(run, &spec, f, "float");
}

Value text_format_one(Run *run, Value v, Str spec) {
    if (spec.n != 0) {
        switch ((ValueKind)v.kind) {
        case V_STR:
            return format_text(run, val_text(v), spec);
        case V_BOOL:
        case V_INT:
        case V_BIG:
            return format_integer(run, v, spec);
        case V_FLOAT:
            return format_float(run, v.as.f, spec);
        case V_UNDEFINED:
            if (run_undefined_fails(run, v)) run_fail_undefined(run, v);
            /* fall through */
        default:
            run_fail_as(run, E_RENDER, S("convert it first, as in \"{!s:>10}\""),
                        "format: %s takes no specification, and there is %Q", val_type_name(v), spec);
        }
    }
    v = val_to_str(run, v);
    v.flags &= (uint8_t)~VAL_SAFE;
    return v;
}

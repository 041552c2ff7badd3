/* lib_text.c: what the builtins for text share: lines, words, case, and numbers written as text. */
#include "template/lib/lib.h"
#include "template/lib/method.h"

#include <math.h>
#include <stdlib.h>

Str lib_str(Run *run, Value v) { return val_text(val_to_str(run, v)); }

Value lib_plain(Value text) {
    text.flags &= (uint8_t)~VAL_SAFE;
    return text;
}

Value lib_method(Run *run, Value text, unsigned method, const Value *args, uint32_t n) {
    return native_call(run, method_str_at(method), NULL, text, args, n, NULL, NULL, 0);
}

/* Most keys are lower case ASCII already: those cost nothing. */
Value lib_lower_if_text(Run *run, Value v) {
    if (v.kind != V_STR) return v;
    Str s = val_text(v);
    size_t i = 0;
    while (i < s.n && (unsigned char)s.p[i] < 0x80 && !(s.p[i] >= 'A' && s.p[i] <= 'Z'))
        i++;
    if (i == s.n) return v;
    Buf buf;
    buf_init(&buf, run->arena);
    unicode_map(&buf, s, UNICODE_LOWER);
    return text_take(run, &buf, v.flags & VAL_SAFE);
}

bool lib_next_line(Str s, size_t *at, Str *line, size_t *breaks) {
    /* Bytes that neither break a line nor begin a character that may. */
    static const bool is_plain[256] = {['\t'] = true, [' ' ... '~'] = true};
    if (*at >= s.n) return false;
    const char *p = s.p + *at, *end = s.p + s.n;
    for (;;) {
        while (p < end && is_plain[(unsigned char)*p])
            p++;
        if (p == end) break;
        unsigned size;
        uint32_t c = str_decode(p, end, &size);
        if (unicode_is_line_break(c)) {
            if (c == '\r' && p + 1 < end && p[1] == '\n') size = 2;
            *line = str(s.p + *at, (size_t)(p - s.p) - *at);
            *breaks = size;
            *at = (size_t)(p - s.p) + size;
            return true;
        }
        p += size;
    }
    *line = str_sub(s, *at, s.n);
    *breaks = 0;
    *at = s.n;
    return true;
}

/* Underscores may stand between digits, nowhere else. */
static bool add_float_char(Buf *out, Str s, size_t i) {
    char c = s.p[i];
    if (c != '_') {
        buf_char(out, c);
        return true;
    }
    return i > 0 && i + 1 < s.n && s.p[i - 1] >= '0' && s.p[i - 1] <= '9' && s.p[i + 1] >= '0' && s.p[i + 1] <= '9';
}

static Str trim_unicode(Str s) {
    const char *p = s.p, *end = s.p + s.n;
    unsigned size;
    while (p < end && unicode_is_space(str_decode(p, end, &size)))
        p += size;
    while (p < end) {
        const char *last = end - 1;
        while (last > p && ((unsigned char)*last & 0xC0) == 0x80)
            last--;
        if (!unicode_is_space(str_decode(last, end, &size))) break;
        end = last;
    }
    return str(p, (size_t)(end - p));
}

/* Without spaces around it, and with the decimal digits of other scripts as ASCII; other characters stay. */
Str lib_number_text(Run *run, Str text) {
    text = trim_unicode(text);
    if (unicode_is_ascii(text)) return text;
    Buf buf;
    buf_init(&buf, run->arena);
    for (const char *p = text.p, *end = text.p + text.n; p < end;) {
        unsigned size;
        uint32_t c = str_decode(p, end, &size);
        int digit = c < 0x80 ? -1 : unicode_decimal(c);
        if (digit >= 0)
            buf_char(&buf, (char)('0' + digit));
        else
            buf_add(&buf, str(p, size));
        p += size;
    }
    return buf_str(&buf);
}

/* strtod takes more than Python does (hexadecimal, "nan(...)"), so letters are looked at first. */
bool lib_parse_float(Run *run, Str text, double *number) {
    text = lib_number_text(run, text);
    Buf buf;
    buf_init(&buf, run->arena);
    size_t from = text.n > 0 && (text.p[0] == '+' || text.p[0] == '-') ? 1 : 0;
    if (from == text.n) return false;
    Str word = str_sub(text, from, text.n);
    static const Str words[] = {{"inf", 3}, {"infinity", 8}, {"nan", 3}};
    for (size_t k = 0; k < 3; k++) {
        if (word.n != words[k].n) continue;
        size_t i = 0;
        while (i < word.n && (word.p[i] | 0x20) == words[k].p[i])
            i++;
        if (i < word.n) continue;
        double f = k == 2 ? (double)NAN : (double)INFINITY;
        *number = text.p[0] == '-' ? -f : f;
        return true;
    }
    for (size_t i = 0; i < text.n; i++) {
        if (memchr("0123456789+-.eE_", text.p[i], 16) == NULL) return false;
        if (!add_float_char(&buf, text, i)) return false;
    }
    size_t n = buf.n;
    buf_char(&buf, '\0');
    char *stop;
    *number = strtod(buf.p, &stop);
    return stop == buf.p + n;
}

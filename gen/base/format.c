/* format.c: printf for text that carries its length, and text in quotes.
 *
 * The format is walked here; each conversion of the C library's is handed to snprintf with an
 * argument of the type it names, so widths and flags mean what they always mean. %S and %Q
 * take a Str, with a width and a precision in code points. */
#include "base/str.h"

#include <stdio.h>

typedef struct Conversion {
    char text[32]; /* flags and length modifier with width and precision as '*', for snprintf */
    bool left;
    int width, precision; /* -1: not given */
    char length[3];
    char letter;
} Conversion;

static const char *read_number(const char *p, va_list *args, int *number) {
    if (*p == '*') {
        *number = va_arg(*args, int);
        return p + 1;
    }
    for (*number = 0; *p >= '0' && *p <= '9'; p++)
        if (*number < 1 << 20) *number = *number * 10 + (*p - '0');
    return p;
}

/* Reads what follows '%'; the formats are opgen's own, so what is not understood is a bug, and shows as text. */
static const char *read_conversion(const char *p, va_list *args, Conversion *c) {
    *c = (Conversion){.width = -1, .precision = -1};
    size_t n = 0;
    c->text[n++] = '%';
    for (; *p != '\0' && strchr("-+ #0", *p) != NULL; p++) {
        c->left |= *p == '-';
        if (n < 8) c->text[n++] = *p;
    }
    if (*p == '*' || (*p >= '1' && *p <= '9')) p = read_number(p, args, &c->width);
    if (c->width < -1) {
        c->left = true;
        if (n < 9) c->text[n++] = '-';
        c->width = c->width == INT32_MIN ? -1 : -c->width;
    }
    if (*p == '.') p = read_number(p + 1, args, &c->precision);
    if (c->width >= 0) c->text[n++] = '*';
    if (c->precision >= 0) c->text[n++] = '.', c->text[n++] = '*';
    for (size_t k = 0; k < 2 && *p != '\0' && strchr("hljztL", *p) != NULL; k++, p++) {
        c->length[k] = *p;
        c->text[n++] = *p;
    }
    c->letter = *p;
    c->text[n++] = *p;
    return *p == '\0' ? p : p + 1;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the format is put together above */

/* One value by the C library, which says how much room it wants where there was too little. */
#define PRINT(argument)                                                                                                \
    do {                                                                                                               \
        __typeof__(argument) value = (argument);                                                                       \
        for (;;) {                                                                                                     \
            size_t room = buf->cap - buf->n;                                                                           \
            char *to = buf->p == NULL ? NULL : buf->p + buf->n;                                                        \
            int n = c->width >= 0 && c->precision >= 0 ? snprintf(to, room, c->text, c->width, c->precision, value)    \
                    : c->width >= 0                    ? snprintf(to, room, c->text, c->width, value)                  \
                    : c->precision >= 0                ? snprintf(to, room, c->text, c->precision, value)              \
                                                       : snprintf(to, room, c->text, value);                                          \
            if (n < 0) return false;                                                                                   \
            if ((size_t)n < room) {                                                                                    \
                buf->n += (size_t)n;                                                                                   \
                return true;                                                                                           \
            }                                                                                                          \
            buf_grow(buf, (size_t)n + 1);                                                                              \
        }                                                                                                              \
    } while (0)

static void add_padded(Buf *buf, const Conversion *c, Str s) {
    if (c->width <= 0) {
        buf_add(buf, s);
        return;
    }
    size_t count = str_count(s);
    size_t pad = (size_t)c->width > count ? (size_t)c->width - count : 0;
    if (!c->left) buf_fill(buf, ' ', pad);
    buf_add(buf, s);
    if (c->left) buf_fill(buf, ' ', pad);
}

/* The first `most` code points. */
static Str cut(Str s, int most) {
    if (most < 0) return s;
    size_t i = 0;
    for (int n = 0; n < most && i < s.n; n++) {
        unsigned size;
        str_decode(s.p + i, s.p + s.n, &size);
        i += size;
    }
    return str_sub(s, 0, i);
}

static bool print_integer(Buf *buf, const Conversion *c, va_list *args) {
    bool is_signed = c->letter == 'd' || c->letter == 'i';
    switch (c->length[0]) {
    case 'l':
        if (c->length[1] == 'l') {
            if (is_signed) PRINT(va_arg(*args, long long));
            PRINT(va_arg(*args, unsigned long long));
        }
        if (is_signed) PRINT(va_arg(*args, long));
        PRINT(va_arg(*args, unsigned long));
    case 'j':
        PRINT(va_arg(*args, intmax_t));
    case 'z':
        PRINT(va_arg(*args, size_t));
    case 't':
        PRINT(va_arg(*args, ptrdiff_t));
    default:
        if (is_signed) PRINT(va_arg(*args, int));
        PRINT(va_arg(*args, unsigned));
    }
}

/* False when there is no such conversion. */
static bool print(Buf *buf, const Conversion *c, va_list *args) {
    switch (c->letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        return print_integer(buf, c, args);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        if (c->length[0] == 'L') PRINT(va_arg(*args, long double));
        PRINT(va_arg(*args, double));
    case 'p':
        PRINT(va_arg(*args, void *));
    case 'c': {
        char byte = (char)va_arg(*args, int);
        add_padded(buf, c, str(&byte, 1));
        return true;
    }
    case 's': {
        /* With a precision the text need not be terminated, and the precision counts bytes. */
        const char *p = va_arg(*args, const char *);
        if (p == NULL) p = "(null)";
        add_padded(buf, c, str(p, c->precision >= 0 ? strnlen(p, (size_t)c->precision) : strlen(p)));
        return true;
    }
    case 'S':
        add_padded(buf, c, cut(va_arg(*args, Str), c->precision));
        return true;
    case 'Q': {
        Str s = va_arg(*args, Str), shown = cut(s, c->precision);
        size_t start = buf->n;
        buf_quoted(buf, shown);
        if (shown.n < s.n) buf_add(buf, S("..."));
        size_t count = str_count(str(buf->p + start, buf->n - start));
        if (c->width >= 0 && (size_t)c->width > count) buf_fill(buf, ' ', (size_t)c->width - count);
        return true;
    }
    default:
        return false;
    }
}

void buf_vformat(Buf *buf, const char *format, va_list given) {
    /* A va_list that is a parameter may be an array that has become a pointer; a copy is of the real type. */
    va_list args;
    va_copy(args, given);
    for (const char *p = format;;) {
        const char *percent = strchrnul(p, '%');
        buf_add(buf, str(p, (size_t)(percent - p)));
        if (*percent == '\0') break;
        if (percent[1] == '%') {
            buf_char(buf, '%');
            p = percent + 2;
            continue;
        }
        Conversion c;
        p = read_conversion(percent + 1, &args, &c);
        if (!print(buf, &c, &args)) {
            /* The arguments behind it cannot be read any more. */
            buf_add(buf, str_c(percent));
            break;
        }
    }
    va_end(args);
}

void buf_format(Buf *buf, const char *format, ...) {
    va_list args;
    va_start(args, format);
    buf_vformat(buf, format, args);
    va_end(args);
}

Str str_vformat(Arena *arena, const char *format, va_list args) {
    Buf buf;
    buf_init(&buf, arena);
    buf_vformat(&buf, format, args);
    if (buf.n == 0) return S("");
    buf.p = arena_resize(arena, buf.p, buf.cap, buf.n); /* gives back what was not used */
    return buf_str(&buf);
}

Str str_format(Arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str s = str_vformat(arena, format, args);
    va_end(args);
    return s;
}

static const char hex[] = "0123456789abcdef";

void buf_quoted(Buf *buf, Str s) {
    buf_char(buf, '"');
    for (size_t i = 0; i < s.n;) {
        unsigned size;
        unsigned char c = (unsigned char)s.p[i];
        uint32_t code = str_decode(s.p + i, s.p + s.n, &size);
        if (c == '"' || c == '\\') {
            buf_char(buf, '\\'), buf_char(buf, (char)c);
        } else if (c == '\n' || c == '\t' || c == '\r') {
            buf_char(buf, '\\'), buf_char(buf, c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
        } else if (c < 0x20 || c == 0x7f || (c >= 0x80 && size == 1)) {
            buf_add(buf, S("\\x")), buf_char(buf, hex[c >> 4]), buf_char(buf, hex[c & 15]);
        } else if (code >= 0x80 && code < 0xa0) {
            buf_format(buf, "\\u%04x", (unsigned)code);
        } else {
            buf_add(buf, str(s.p + i, size));
        }
        i += size;
    }
    buf_char(buf, '"');
}

void buf_json(Buf *buf, Str s) {
    buf_char(buf, '"');
    for (size_t i = 0; i < s.n;) {
        size_t from = i;
        while (i < s.n && (unsigned char)s.p[i] >= 0x20 && (unsigned char)s.p[i] < 0x80 && s.p[i] != '"' &&
               s.p[i] != '\\')
            i++;
        buf_add(buf, str(s.p + from, i - from));
        if (i == s.n) break;
        unsigned size;
        uint32_t code = str_decode(s.p + i, s.p + s.n, &size);
        static const char short_form[] = "\bb\ff\nn\rr\tt\"\"\\\\";
        const char *found = code < 0x80 ? memchr(short_form, (int)code, sizeof short_form - 1) : NULL;
        if (found != NULL && (found - short_form) % 2 == 0)
            buf_char(buf, '\\'), buf_char(buf, found[1]);
        else if (code < 0x20)
            buf_format(buf, "\\u%04x", (unsigned)code);
        else
            buf_code(buf, code); /* what is not valid UTF-8 becomes U+FFFD, since JSON can hold nothing else */
        i += size;
    }
    buf_char(buf, '"');
}

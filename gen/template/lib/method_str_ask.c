/* method_str_ask.c: the methods of str that say what a text is made of (isalpha and its like), and those that change
 * its case. An empty text is nothing but printable and ASCII. */
#include "template/lib/method.h"

typedef bool Predicate(uint32_t c);

/* Whether there are characters, and all of them are so. */
static Value all(Value self, Predicate *is) {
    Str s = val_text(self);
    for (size_t i = 0; i < s.n;) {
        unsigned size;
        if (!is(str_decode(s.p + i, s.p + s.n, &size))) return val_bool(false);
        i += size;
    }
    return val_bool(s.n != 0);
}

static bool is_decimal(uint32_t c) { return unicode_decimal(c) >= 0; }
static bool is_alnum(uint32_t c) { return unicode_is_alpha(c) || unicode_is_numeric(c); }

METHOD(method_str_isalnum) { return all(a[0], is_alnum); }
METHOD(method_str_isalpha) { return all(a[0], unicode_is_alpha); }
METHOD(method_str_isascii) { return val_bool(unicode_is_ascii(val_text(a[0]))); }
METHOD(method_str_isdecimal) { return all(a[0], is_decimal); }
METHOD(method_str_isdigit) { return all(a[0], unicode_is_digit); }
METHOD(method_str_isnumeric) { return all(a[0], unicode_is_numeric); }
METHOD(method_str_isspace) { return all(a[0], unicode_is_space); }
METHOD(method_str_isprintable) { return val_bool(a[0].n == 0 || all(a[0], unicode_is_printable).as.b); }

METHOD(method_str_isidentifier) {
    Str s = val_text(a[0]);
    if (s.n == 0) return val_bool(false);
    unsigned size;
    if (!unicode_starts_identifier(str_decode(s.p, s.p + s.n, &size))) return val_bool(false);
    Value rest = method_part(a[0], str_sub(s, size, s.n));
    return val_bool(rest.n == 0 || all(rest, unicode_continues_identifier).as.b);
}

/* Letters of one case only, and at least one. */
static Value all_of_case(Value self, Predicate *is, Predicate *is_other) {
    Str s = val_text(self);
    bool any = false;
    for (size_t i = 0; i < s.n;) {
        unsigned size;
        uint32_t c = str_decode(s.p + i, s.p + s.n, &size);
        if (is_other(c) || unicode_is_title(c)) return val_bool(false);
        any |= is(c);
        i += size;
    }
    return val_bool(any);
}

METHOD(method_str_islower) { return all_of_case(a[0], unicode_is_lower, unicode_is_upper); }
METHOD(method_str_isupper) { return all_of_case(a[0], unicode_is_upper, unicode_is_lower); }

METHOD(method_str_istitle) {
    Str s = val_text(a[0]);
    bool any = false, in_word = false;
    for (size_t i = 0; i < s.n;) {
        unsigned size;
        uint32_t c = str_decode(s.p + i, s.p + s.n, &size);
        bool opens = unicode_is_upper(c) || unicode_is_title(c), goes_on = !opens && unicode_is_lower(c);
        if ((opens && in_word) || (goes_on && !in_word)) return val_bool(false);
        in_word = opens || goes_on;
        any |= in_word;
        i += size;
    }
    return val_bool(any);
}

static Value mapped(Run *run, Value self, UnicodeCase to, unsigned flags) {
    Buf out;
    buf_init(&out, run->arena);
    unicode_map(&out, val_text(self), to);
    return text_take(run, &out, flags);
}

METHOD(method_str_capitalize) { return mapped(run, a[0], UNICODE_CAPITALIZE, a[0].flags & VAL_SAFE); }
METHOD(method_str_lower) { return mapped(run, a[0], UNICODE_LOWER, a[0].flags & VAL_SAFE); }
METHOD(method_str_swapcase) { return mapped(run, a[0], UNICODE_SWAP, a[0].flags & VAL_SAFE); }
METHOD(method_str_title) { return mapped(run, a[0], UNICODE_TITLE, a[0].flags & VAL_SAFE); }
METHOD(method_str_upper) { return mapped(run, a[0], UNICODE_UPPER, a[0].flags & VAL_SAFE); }
METHOD(method_str_casefold) { return mapped(run, a[0], UNICODE_FOLD, 0); } /* markupsafe leaves it out */

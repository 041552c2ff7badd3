/* filter_html.c: filters for HTML and addresses: escape, striptags, xmlattr, urlencode. urlize has a file of its own.
 */
#include "template/lib/lib.h"

BUILTIN(filter_escape) { return text_escape(run, a[0]); }
BUILTIN(filter_forceescape) { return text_escape(run, lib_plain(val_to_str(run, a[0]))); }

/* ---- striptags: comments out, tags out, runs of white space to one space, then named characters decoded */

/* Everything from `open` to the next `close` goes. Where no `close` follows, none will: so one pass is enough. */
static Str without(Run *run, Str s, Str open, Str close) {
    Buf out;
    buf_init(&out, run->arena);
    buf_room(&out, s.n);
    for (;;) {
        size_t from = str_find(s, open);
        if (from == STR_NONE) break;
        Str behind = str_sub(s, from + open.n, s.n);
        size_t to = str_find(behind, close);
        if (to == STR_NONE) break;
        buf_add(&out, str_sub(s, 0, from));
        s = str_sub(behind, to + close.n, behind.n);
    }
    buf_add(&out, s);
    return buf_str(&out);
}

static Str single_spaces(Run *run, Str s) {
    Buf out;
    buf_init(&out, run->arena);
    buf_room(&out, s.n);
    bool space = false;
    for (const char *p = s.p, *end = s.p + s.n; p < end;) {
        unsigned size;
        if (unicode_is_space(str_decode(p, end, &size))) {
            space = true;
        } else {
            if (space && out.n > 0) buf_char(&out, ' ');
            space = false;
            buf_add(&out, str(p, size));
        }
        p += size;
    }
    return buf_str(&out);
}

static bool is_hex(char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

/* What HTML makes of a number: the old Windows characters, nothing for what is none, else the code point. */
static void add_code(Buf *out, uint32_t code) {
    static const uint16_t windows[32] = {0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                         0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
                                         0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                         0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};
    if (code >= 0x80 && code <= 0x9f)
        code = windows[code - 0x80];
    else if (code == 0 || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
        code = 0xfffd;
    else if ((code < 0x20 && code != '\t' && code != '\n' && code != '\f' && code != '\r') || code == 0x7f ||
             (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) == 0xfffe)
        return;
    buf_code(out, code);
}

/* A number behind "&#": how many bytes it takes, 0 if there is none. */
static size_t decode_number(Buf *out, Str s) {
    bool hex = s.n > 0 && (s.p[0] | 0x20) == 'x';
    size_t from = hex ? 1 : 0, i = from;
    uint32_t code = 0;
    for (; i < s.n && (hex ? is_hex(s.p[i]) : s.p[i] >= '0' && s.p[i] <= '9'); i++) {
        uint32_t digit = s.p[i] <= '9' ? (uint32_t)(s.p[i] - '0') : (uint32_t)((s.p[i] | 0x20) - 'a' + 10);
        if (code <= 0x10ffff) code = code * (hex ? 16 : 10) + digit;
    }
    if (i == from) return 0;
    add_code(out, code);
    return i < s.n && s.p[i] == ';' ? i + 1 : i;
}

/* A name behind '&', or the longest part of it that is one. */
static size_t decode_name(Buf *out, Str s) {
    size_t n = 0;
    for (unsigned count = 0, size; n < s.n && count < 32 && strchr("\t\n\f <&#;", s.p[n]) == NULL; count++, n += size)
        (void)str_decode(s.p + n, s.p + s.n, &size);
    if (n == 0) return 0;
    size_t whole = n < s.n && s.p[n] == ';' ? n + 1 : n;
    for (size_t k = whole; k > 1; k--) {
        Str text = lib_entity(str_sub(s, 0, k));
        if (text.n == 0) continue;
        buf_add(out, text);
        return k;
    }
    return 0;
}

Value lib_unescape(Run *run, Str s) {
    Buf out;
    buf_init(&out, run->arena);
    buf_room(&out, s.n);
    for (;;) {
        size_t at = str_find_char(s, '&');
        if (at == STR_NONE) break;
        buf_add(&out, str_sub(s, 0, at));
        s = str_sub(s, at + 1, s.n);
        size_t used = s.n > 0 && s.p[0] == '#' ? decode_number(&out, str_sub(s, 1, s.n)) : 0;
        if (used > 0)
            used++;
        else
            used = decode_name(&out, s);
        if (used == 0) buf_char(&out, '&');
        s = str_sub(s, used, s.n);
    }
    buf_add(&out, s);
    return text_take(run, &out, 0);
}

BUILTIN(filter_striptags) {
    Str s = lib_str(run, a[0]);
    s = without(run, s, S("<!--"), S("-->"));
    s = without(run, s, S("<"), S(">"));
    return lib_unescape(run, single_spaces(run, s));
}

/* ---- xmlattr */

BUILTIN(filter_xmlattr) {
    const char *who = "filter \"xmlattr\"";
    if (a[0].kind != V_DICT) lib_wrong(run, who, "the value", "a dict", a[0]);
    const Dict *dict = a[0].as.dict;
    Buf out;
    buf_init(&out, run->arena);
    for (uint32_t i = dict_next(dict, 0); i < dict->used; i = dict_next(dict, i + 1)) {
        Value value = dict->entries[i].value;
        if (value.kind == V_NONE || value.kind == V_UNDEFINED) continue;
        Str key = lib_wants_str(run, who, "each key", dict->entries[i].key);
        for (size_t k = 0; k < key.n; k++)
            if (strchr(" \t\n\r\f\v/>=", key.p[k]) != NULL)
                run_fail(run, "%s: %Q cannot be an attribute's name, because of the %Q in it", who, key,
                         str(key.p + k, 1));
        if (out.n > 0 || lib_flag(run, a[1], true)) buf_char(&out, ' ');
        buf_add(&out, val_text(text_escape(run, dict->entries[i].key)));
        buf_add(&out, S("=\""));
        buf_add(&out, val_text(text_escape(run, value)));
        buf_char(&out, '"');
    }
    return text_take(run, &out, run->autoescape ? VAL_SAFE : 0);
}

/* ---- urlencode */

static void quote_url(Buf *out, Str s, bool query) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                     c == '.' || c == '-' || c == '~' || (c == '/' && !query);
        if (plain)
            buf_char(out, c);
        else if (c == ' ' && query)
            buf_char(out, '+');
        else
            buf_format(out, "%%%02X", (unsigned)(unsigned char)c);
    }
}

static void add_query(Run *run, Buf *out, Value key, Value value, bool first) {
    if (!first) buf_char(out, '&');
    quote_url(out, lib_str(run, key), true);
    buf_char(out, '=');
    quote_url(out, lib_str(run, value), true);
}

/* A text is part of a path; a dict, or pairs, are a query. */
BUILTIN(filter_urlencode) {
    const char *who = "filter \"urlencode\"";
    Value v = a[0], item;
    Buf out;
    buf_init(&out, run->arena);
    if (v.kind == V_DICT) {
        const Dict *dict = v.as.dict;
        bool first = true;
        for (uint32_t i = dict_next(dict, 0); i < dict->used; i = dict_next(dict, i + 1), first = false)
            add_query(run, &out, dict->entries[i].key, dict->entries[i].value, first);
    } else if (v.kind == V_STR || (v.kind != V_UNDEFINED && !val_can_iter(v))) {
        quote_url(&out, lib_str(run, v), false);
    } else {
        ValueIter it;
        val_iter(run, &it, v);
        for (bool first = true; val_next(run, &it, &item); first = false) {
            if (!val_can_iter(item)) lib_wrong(run, who, "each element", "a pair", item);
            const List *pair = item.kind == V_TUPLE ? item.as.list : val_to_list(run, item);
            if (pair->n != 2) run_fail(run, "%s: each element must be a pair, not %u values", who, pair->n);
            add_query(run, &out, pair->items[0], pair->items[1], first);
        }
    }
    return text_take(run, &out, 0);
}

/* method_str_change.c: the methods of str that give a changed text: replace, strip and its halves, removeprefix and
 * -suffix, translate with maketrans; and those that only a safe text has: striptags, unescape, escape. */
#include "template/lib/lib.h"
#include "template/lib/method.h"

/* ---- replace */

/* `new` before each character and at the end. */
static void replace_nothing(Buf *out, Str s, Str new, int64_t most) {
    size_t i = 0;
    for (; most != 0; most--) {
        buf_add(out, new);
        if (i == s.n) return;
        unsigned size;
        str_decode(s.p + i, s.p + s.n, &size);
        buf_add(out, str(s.p + i, size));
        i += size;
    }
    buf_add(out, str_sub(s, i, s.n));
}

METHOD(method_str_replace) {
    static const char who[] = "str.replace";
    Str s = val_text(a[0]);
    Str old = text_arg(run, method_escaped(run, a[0], a[1]), who, "old");
    Str new = text_arg(run, method_escaped(run, a[0], a[2]), who, "new");
    int64_t most = a[3].kind == V_MISSING ? -1 : text_arg_int(run, a[3], who, "count");
    Buf out;
    buf_init(&out, run->arena);
    if (old.n == 0) {
        replace_nothing(&out, s, new, most);
        return text_take(run, &out, a[0].flags & VAL_SAFE);
    }
    size_t at = most == 0 ? STR_NONE : str_find(s, old);
    if (at == STR_NONE) return method_part(a[0], s);
    for (; at != STR_NONE; at = --most == 0 ? STR_NONE : str_find(s, old)) {
        buf_add(&out, str_sub(s, 0, at));
        buf_add(&out, new);
        s = str_sub(s, at + old.n, s.n);
    }
    buf_add(&out, s);
    return text_take(run, &out, a[0].flags & VAL_SAFE);
}

/* ---- strip */

/* Which characters are taken off: white space, or those of a text. A long text of them is made a bitmap, so that the
 * time does not grow with its length times that of self. */
typedef struct CharSet {
    bool spaces;
    bool ascii[128];
    Str others;     /* those past ASCII */
    uint8_t *codes; /* a bit for each code point, or NULL */
} CharSet;

static void charset_init(Run *run, CharSet *set, Str chars) {
    enum { SHORT = 64, CODES = 0x110000 };
    memset(set, 0, sizeof *set);
    set->others = chars;
    bool has_others = !unicode_is_ascii(chars);
    if (has_others && chars.n > SHORT) set->codes = arena_zalloc(run->arena, CODES / 8);
    for (size_t i = 0; i < chars.n;) {
        unsigned size;
        uint32_t c = str_decode(chars.p + i, chars.p + chars.n, &size);
        if (c < 0x80)
            set->ascii[c] = true;
        else if (set->codes != NULL)
            set->codes[c / 8] |= (uint8_t)(1u << c % 8);
        i += size;
    }
    if (!has_others) set->others = S("");
}

static bool charset_has(const CharSet *set, uint32_t c, const char *bytes, unsigned size) {
    if (set->spaces) return unicode_is_space(c);
    if (c < 0x80) return set->ascii[c];
    if (set->codes != NULL) return (set->codes[c / 8] >> c % 8 & 1) != 0;
    return str_find(set->others, str(bytes, size)) != STR_NONE;
}

static Value strip(Run *run, const Value *a, const char *who, bool front, bool back) {
    CharSet set;
    ArenaMark mark = arena_mark(run->arena);
    if (method_given(a[1]))
        charset_init(run, &set, text_arg(run, method_escaped(run, a[0], a[1]), who, "chars"));
    else
        set.spaces = true;
    Str s = val_text(a[0]);
    size_t from = 0, to = s.n;
    while (front && from < to) {
        unsigned size;
        uint32_t c = str_decode(s.p + from, s.p + s.n, &size);
        if (!charset_has(&set, c, s.p + from, size)) break;
        from += size;
    }
    while (back && to > from) {
        size_t last = to - 1;
        while (last > from && ((unsigned char)s.p[last] & 0xc0) == 0x80)
            last--;
        unsigned size;
        uint32_t c = str_decode(s.p + last, s.p + s.n, &size);
        if (!charset_has(&set, c, s.p + last, size)) break;
        to = last;
    }
    arena_reset(run->arena, mark);
    return method_part(a[0], str_sub(s, from, to));
}

METHOD(method_str_strip) { return strip(run, a, "str.strip", true, true); }
METHOD(method_str_lstrip) { return strip(run, a, "str.lstrip", true, false); }
METHOD(method_str_rstrip) { return strip(run, a, "str.rstrip", false, true); }

/* markupsafe leaves these two out: what they give is not marked safe. */
METHOD(method_str_removeprefix) {
    Str s = val_text(a[0]), prefix = text_arg(run, a[1], "str.removeprefix", "prefix");
    Value plain = {.kind = V_STR};
    return method_part(plain, str_starts(s, prefix) ? str_sub(s, prefix.n, s.n) : s);
}

METHOD(method_str_removesuffix) {
    Str s = val_text(a[0]), suffix = text_arg(run, a[1], "str.removesuffix", "suffix");
    Value plain = {.kind = V_STR};
    return method_part(plain, str_ends(s, suffix) ? str_sub(s, 0, s.n - suffix.n) : s);
}

/* ---- translate */

/* What the table says of a code point; V_MISSING: nothing. */
static Value translation(Run *run, Value table, uint32_t c) {
    if (table.kind == V_DICT) {
        Value *found = dict_find(run, table.as.dict, val_int(c));
        return found == NULL ? val_missing() : *found;
    }
    if (table.kind == V_STR) {
        size_t at = text_offset(val_text(table), c);
        if (at == table.n) return val_missing();
        unsigned size;
        return val_int(str_decode(table.as.s + at, table.as.s + table.n, &size));
    }
    return c < table.as.list->n ? table.as.list->items[c] : val_missing();
}

METHOD(method_str_translate) {
    if (a[0].n == 0) return a[0];
    Value table = method_escaped(run, a[0], a[1]);
    if (table.kind != V_DICT && table.kind != V_STR && table.kind != V_LIST && table.kind != V_TUPLE) {
        if (run_undefined_fails(run, table)) run_fail_undefined(run, table);
        run_fail_as(run, E_RENDER, S("str.maketrans makes a table"), "str.translate: \"table\" must be a dict, not %s",
                    val_type_name(table));
    }
    Str s = val_text(a[0]);
    Buf out;
    buf_init(&out, run->arena);
    for (size_t i = 0; i < s.n;) {
        unsigned size;
        uint32_t c = str_decode(s.p + i, s.p + s.n, &size);
        Value to = translation(run, table, c);
        if (to.kind == V_MISSING)
            buf_add(&out, str(s.p + i, size));
        else if (to.kind == V_STR)
            buf_add(&out, val_text(to));
        else if (to.kind != V_NONE) {
            int64_t code = to.kind == V_INT ? to.as.i : to.kind == V_BOOL ? to.as.b : -1;
            if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
                run_fail(run, "str.translate: the table must give none, a str or the number of a character, not %s",
                         to.kind == V_INT || to.kind == V_BIG ? "just any number" : val_type_name(to));
            buf_code(&out, (uint32_t)code);
        }
        i += size;
    }
    return text_take(run, &out, a[0].flags & VAL_SAFE);
}

/* Calls for each character of x, with that of y at the same place. */
static void map_characters(Run *run, Dict *table, Str x, Str y) {
    for (size_t i = 0, k = 0; i < x.n;) {
        unsigned from_size, to_size = 0;
        uint32_t from = str_decode(x.p + i, x.p + x.n, &from_size);
        Value to = y.n == 0 ? val_none() : val_int(str_decode(y.p + k, y.p + y.n, &to_size));
        dict_set(run, table, val_int(from), to);
        i += from_size, k += to_size;
    }
}

METHOD(method_str_maketrans) {
    static const char who[] = "str.maketrans";
    Dict *table = dict_new(run->arena, 0);
    if (a[2].kind != V_MISSING) {
        Str x = text_arg(run, a[1], who, "x"), y = text_arg(run, a[2], who, "y");
        if (str_count(x) != str_count(y))
            run_fail(run, "%s: \"x\" has %zu characters and \"y\" %zu; they must be as many", who, str_count(x),
                     str_count(y));
        map_characters(run, table, x, y);
        if (a[3].kind != V_MISSING) map_characters(run, table, text_arg(run, a[3], who, "z"), S(""));
        return val_dict(table);
    }
    if (a[1].kind != V_DICT) run_fail(run, "%s: \"x\" alone must be a dict, not %s", who, val_type_name(a[1]));
    const Dict *from = a[1].as.dict;
    for (uint32_t i = dict_next(from, 0); i < from->used; i = dict_next(from, i + 1)) {
        Value key = from->entries[i].key;
        if (key.kind == V_STR) {
            if (str_count(val_text(key)) != 1)
                run_fail(run, "%s: the key %Q must be one character", who, val_text(key));
            unsigned size;
            key = val_int(str_decode(key.as.s, key.as.s + key.n, &size));
        } else if (!val_is_int(key)) {
            run_fail(run, "%s: a key must be a character or its number, not %s", who, val_type_name(key));
        }
        dict_set(run, table, key, from->entries[i].value);
    }
    return val_dict(table);
}

/* ---- only of a safe text */

METHOD(method_markup_striptags) { return filter_striptags(run, a, user); }
METHOD(method_markup_unescape) { return lib_unescape(run, val_text(a[0])); }
METHOD(method_markup_escape) { return text_escape(run, a[1]); }

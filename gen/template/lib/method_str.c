/* method_str.c: the table of str's methods, and those that search, pad and format. Splitting and replacing are in
 * method_str_split.c and method_str_change.c, questions and case in method_str_ask.c. */
#include "template/lib/method.h"

#define ROW(name, params) {#name, method_str_##name, params},
static const Native str_methods[] = {STR_METHODS(ROW)};

static const Native markup_methods[] = {
    {"escape", method_markup_escape, "s"},
    {"striptags", method_markup_striptags, ""},
    {"unescape", method_markup_unescape, ""},
};

const Native *method_find(MethodTable table, Str name) {
    size_t from = 0, to = table.n;
    while (from < to) {
        size_t middle = (from + to) / 2;
        int order = str_cmp(name, str_c(table.methods[middle].name));
        if (order == 0) return &table.methods[middle];
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}

const Native *method_str_at(unsigned place) { return &str_methods[place]; }

const Native *method_of_str(Str name, bool safe) {
    const Native *found = method_find(METHOD_TABLE(str_methods), name);
    return found == NULL && safe ? method_find(METHOD_TABLE(markup_methods), name) : found;
}

/* ---- searching */

/* A long needle is looked for in reversed copies, forwards, because that takes time in proportion to the text whatever
 * it is made of; a short one simply at each place. */
void backward_init(Backward *search, Run *run, Str s, Str needle) {
    enum { SHORT = 16 };
    *search = (Backward){s, needle, needle.n > SHORT && needle.n <= s.n};
    if (!search->reversed) return;
    char *text = arena_alloc(run->arena, s.n), *word = arena_alloc(run->arena, needle.n);
    for (size_t i = 0; i < s.n; i++)
        text[i] = s.p[s.n - 1 - i];
    for (size_t i = 0; i < needle.n; i++)
        word[i] = needle.p[needle.n - 1 - i];
    search->s.p = text;
    search->needle.p = word;
}

size_t backward_find(const Backward *search, size_t end) {
    Str s = search->s, needle = search->needle;
    if (needle.n > end) return STR_NONE;
    if (search->reversed) {
        size_t at = str_find(str_sub(s, s.n - end, s.n), needle);
        return at == STR_NONE ? STR_NONE : end - at - needle.n;
    }
    if (needle.n == 0) return end;
    for (size_t last = end - needle.n + 1; last > 0;) {
        const char *p = memrchr(s.p, needle.p[0], last);
        if (p == NULL) return STR_NONE;
        last = (size_t)(p - s.p);
        if (memcmp(p, needle.p, needle.n) == 0) return last;
    }
    return STR_NONE;
}

/* The part of self between start and stop. */
typedef struct Window {
    Str s;
    int64_t from; /* code points before it */
    bool outside; /* start lies behind stop: not even an empty text is found */
} Window;

static Window window(Run *run, const Value *a, const char *who) {
    Str s = val_text(a[0]);
    if (!method_given(a[2]) && !method_given(a[3])) return (Window){s, 0, false};
    bool ascii = unicode_is_ascii(s);
    int64_t n = (int64_t)(ascii ? s.n : str_count(s)), from, to;
    text_arg_range(run, a[2], a[3], who, n, &from, &to);
    if (from > to) return (Window){S(""), from, true};
    if (ascii) return (Window){str_sub(s, (size_t)from, (size_t)to), from, false};
    size_t start = text_offset(s, (size_t)from);
    Str rest = str_sub(s, start, s.n);
    return (Window){str_sub(rest, 0, text_offset(rest, (size_t)(to - from))), from, false};
}

/* The place of a[1], or -1. */
static int64_t find(Run *run, const Value *a, const char *who, bool last) {
    Str needle = text_arg(run, a[1], who, "sub");
    Window w = window(run, a, who);
    if (w.outside) return -1;
    size_t at;
    if (last) {
        ArenaMark mark = arena_mark(run->arena);
        Backward search;
        backward_init(&search, run, w.s, needle);
        at = backward_find(&search, w.s.n);
        arena_reset(run->arena, mark);
    } else {
        at = str_find(w.s, needle);
    }
    return at == STR_NONE ? -1 : w.from + (int64_t)str_count(str_sub(w.s, 0, at));
}

static Value index_of(Run *run, const Value *a, const char *who, bool last) {
    int64_t at = find(run, a, who, last);
    if (at < 0) run_fail(run, "%s: %.40Q is not in the text", who, val_text(a[1]));
    return val_int(at);
}

METHOD(method_str_find) { return val_int(find(run, a, "str.find", false)); }
METHOD(method_str_rfind) { return val_int(find(run, a, "str.rfind", true)); }
METHOD(method_str_index) { return index_of(run, a, "str.index", false); }
METHOD(method_str_rindex) { return index_of(run, a, "str.rindex", true); }

METHOD(method_str_count) {
    Str needle = text_arg(run, a[1], "str.count", "sub");
    Window w = window(run, a, "str.count");
    if (w.outside) return val_int(0);
    if (needle.n == 0) return val_int((int64_t)str_count(w.s) + 1);
    int64_t n = 0;
    for (size_t at; (at = str_find(w.s, needle)) != STR_NONE; n++)
        w.s = str_sub(w.s, at + needle.n, w.s.n);
    return val_int(n);
}

static Value begins_or_ends(Run *run, const Value *a, const char *who, const char *what, bool (*test)(Str, Str)) {
    const Value *wanted = &a[1];
    uint32_t n = 1;
    if (a[1].kind == V_TUPLE) wanted = a[1].as.list->items, n = a[1].as.list->n;
    Window w = window(run, a, who);
    for (uint32_t i = 0; i < n; i++) {
        if (wanted[i].kind != V_STR && a[1].kind == V_TUPLE)
            run_fail(run, "%s: \"%s\" must be a str or a tuple of them, and item %u is %s", who, what, i,
                     val_type_name(wanted[i]));
        if (test(w.s, text_arg(run, wanted[i], who, what)) && !w.outside) return val_bool(true);
    }
    return val_bool(false);
}

METHOD(method_str_startswith) { return begins_or_ends(run, a, "str.startswith", "prefix", str_starts); }
METHOD(method_str_endswith) { return begins_or_ends(run, a, "str.endswith", "suffix", str_ends); }

/* ---- padding */

/* A width that fits; how many characters of padding it asks for. */
static size_t padding(Run *run, Value self, Value width, const char *who) {
    int64_t wanted = text_arg_int(run, width, who, "width");
    if (wanted > TEXT_MOST_WIDTH)
        run_fail_as(run, E_LIMIT, S(""), "%s: a width of %lld is more than %d", who, (long long)wanted,
                    TEXT_MOST_WIDTH);
    int64_t n = (int64_t)str_count(val_text(self));
    return wanted > n ? (size_t)(wanted - n) : 0;
}

typedef enum Side { SIDE_LEFT, SIDE_CENTER, SIDE_RIGHT } Side;

static Value justify(Run *run, const Value *a, const char *who, Side side) {
    size_t pad = padding(run, a[0], a[1], who);
    uint32_t fill = ' ';
    if (a[2].kind != V_MISSING) {
        Str s = text_arg(run, method_escaped(run, a[0], a[2]), who, "fillchar");
        unsigned size = 0;
        if (s.n != 0) fill = str_decode(s.p, s.p + s.n, &size);
        if (s.n == 0 || size != s.n)
            run_fail(run, "%s: \"fillchar\" must be one character, not %zu", who, str_count(s));
    }
    if (pad == 0) return method_part(a[0], val_text(a[0]));
    /* Where padding is odd, Python puts the one more to the left if the width is odd. */
    size_t width = pad + str_count(val_text(a[0]));
    size_t before = side == SIDE_LEFT ? 0 : side == SIDE_RIGHT ? pad : pad / 2 + (pad & width & 1);
    Buf out;
    buf_init(&out, run->arena);
    text_pad(&out, val_text(a[0]), fill, before, pad - before);
    return text_take(run, &out, a[0].flags & VAL_SAFE);
}

METHOD(method_str_ljust) { return justify(run, a, "str.ljust", SIDE_LEFT); }
METHOD(method_str_center) { return justify(run, a, "str.center", SIDE_CENTER); }
METHOD(method_str_rjust) { return justify(run, a, "str.rjust", SIDE_RIGHT); }

METHOD(method_str_zfill) {
    size_t pad = padding(run, a[0], a[1], "str.zfill");
    Str s = val_text(a[0]);
    if (pad == 0) return method_part(a[0], s);
    size_t sign = s.n != 0 && (s.p[0] == '+' || s.p[0] == '-');
    Buf out;
    buf_init(&out, run->arena);
    buf_add(&out, str_sub(s, 0, sign));
    buf_fill(&out, '0', pad);
    buf_add(&out, str_sub(s, sign, s.n));
    return text_take(run, &out, a[0].flags & VAL_SAFE);
}

METHOD(method_str_expandtabs) {
    int64_t tab = a[1].kind == V_MISSING ? 8 : text_arg_int(run, a[1], "str.expandtabs", "tabsize");
    if (tab > TEXT_MOST_WIDTH)
        run_fail_as(run, E_LIMIT, S(""), "str.expandtabs: a tabsize of %lld is more than %d", (long long)tab,
                    TEXT_MOST_WIDTH);
    Str s = val_text(a[0]);
    Buf out;
    buf_init(&out, run->arena);
    int64_t column = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '\t') {
            if (tab <= 0) continue;
            int64_t n = tab - column % tab;
            buf_fill(&out, ' ', (size_t)n);
            column += n;
            continue;
        }
        buf_char(&out, c);
        if (c == '\n' || c == '\r')
            column = 0;
        else
            column += ((unsigned char)c & 0xc0) != 0x80;
    }
    return text_take(run, &out, a[0].flags & VAL_SAFE);
}

/* ---- formatting */

METHOD(method_str_format) { return text_format(run, a[0], a[1].as.list, a[2].as.dict); }

METHOD(method_str_format_map) {
    if (a[1].kind != V_DICT) run_fail(run, "str.format_map: \"mapping\" must be a dict, not %s", val_type_name(a[1]));
    Value plain = a[0]; /* markupsafe leaves it out, so a safe text formats as any other */
    plain.flags = 0;
    return text_format(run, plain, NULL, a[1].as.dict);
}

METHOD(method_str_encode) {
    run_fail_as(run, E_RENDER, S("text is written as UTF-8 in any case"),
                "str.encode: templates have no bytes, only text");
}

/* filter_text.c: filters that change text: case, space around and between, length.
 *
 * Positions and widths count code points, as Python's do. Most keep the mark that a text is safe, because Jinja's
 * Markup does; where Jinja makes a plain text of it, so does this. */
#include "template/lib/lib.h"
#include "template/lib/method.h"

static Value mapped(Run *run, Value v, UnicodeCase to) {
    v = val_to_str(run, v);
    Buf out;
    buf_init(&out, run->arena);
    unicode_map(&out, val_text(v), to);
    return text_take(run, &out, v.flags & VAL_SAFE);
}

BUILTIN(filter_upper) { return mapped(run, a[0], UNICODE_UPPER); }
BUILTIN(filter_lower) { return mapped(run, a[0], UNICODE_LOWER); }
BUILTIN(filter_capitalize) { return mapped(run, a[0], UNICODE_CAPITALIZE); }
BUILTIN(filter_string) { return val_to_str(run, a[0]); }

BUILTIN(filter_safe) {
    Value v = val_to_str(run, a[0]);
    v.flags |= VAL_SAFE;
    return v;
}

/* A word begins behind white space, '-' or an opening bracket; an apostrophe begins none (unlike str.title). */
BUILTIN(filter_title) {
    Str s = lib_str(run, a[0]);
    Buf out;
    buf_init(&out, run->arena);
    const char *p = s.p, *end = s.p + s.n;
    while (p < end) {
        const char *word = p;
        bool between = false;
        unsigned size = 0, first = 0;
        for (; p < end; p += size) {
            uint32_t c = str_decode(p, end, &size);
            bool opens = c == '-' || c == '(' || c == '{' || c == '[' || c == '<' || unicode_is_space(c);
            if (p == word)
                between = opens, first = size;
            else if (opens != between)
                break;
        }
        unicode_map(&out, str(word, first), UNICODE_UPPER);
        unicode_map(&out, str(word + first, (size_t)(p - word) - first), UNICODE_LOWER);
    }
    return text_take(run, &out, 0);
}

BUILTIN(filter_trim) {
    Value chars = a[1];
    if (lib_some(chars) && chars.kind != V_STR) lib_wrong(run, "filter \"trim\"", "chars", "a string", chars);
    return lib_method(run, val_to_str(run, a[0]), STR_METHOD_strip, &chars, lib_some(chars) ? 1 : 0);
}

BUILTIN(filter_center) {
    const char *who = "filter \"center\"";
    Value v = val_to_str(run, a[0]);
    int64_t width = lib_int_or(run, who, "width", a[1], 80), length = (int64_t)str_count(val_text(v));
    if (width <= length) return v;
    lib_room(run, who, (uint64_t)width, 1);
    int64_t pad = width - length, before = pad / 2 + (pad & width & 1);
    Buf out;
    buf_init(&out, run->arena);
    text_pad(&out, val_text(v), ' ', (size_t)before, (size_t)(pad - before));
    return text_take(run, &out, v.flags & VAL_SAFE);
}

BUILTIN(filter_wordcount) {
    Str s = lib_str(run, a[0]);
    int64_t words = 0;
    bool inside = false;
    for (const char *p = s.p, *end = s.p + s.n; p < end;) {
        unsigned size;
        bool word = lib_is_word(str_decode(p, end, &size));
        words += word && !inside;
        inside = word;
        p += size;
    }
    return val_int(words);
}

BUILTIN(filter_format) {
    bool keywords = a[2].kind == V_DICT && a[2].as.dict->live > 0;
    if (keywords && a[1].kind == V_TUPLE && a[1].as.list->n > 0)
        run_fail(run, "filter \"format\" takes values by position or by name, not both");
    Value args = keywords ? a[2] : lib_given(a[1]) ? a[1] : val_tuple(list_new(run->arena, 0));
    return text_percent(run, val_to_str(run, a[0]), args);
}

BUILTIN(filter_replace) {
    Value s = a[0], old = a[1], new = a[2];
    int64_t count = lib_some(a[3]) ? lib_int(run, "filter \"replace\"", "count", a[3]) : -1;
    bool escape = lib_has_html(run, old) || (lib_has_html(run, new) && !lib_has_html(run, s));
    s = val_to_str(run, s);
    old = val_to_str(run, old);
    new = val_to_str(run, new);
    if (!run->autoescape) {
        s = lib_plain(s);
        old = lib_plain(old);
        new = lib_plain(new);
    } else if (escape) {
        s = text_escape(run, s);
    }
    Value args[] = {old, new, val_int(count)};
    return lib_method(run, s, STR_METHOD_replace, args, 3);
}

/* ---- truncate */

BUILTIN(filter_truncate) {
    const char *who = "filter \"truncate\"";
    int64_t length = lib_int_or(run, who, "length", a[1], 255);
    Value end = lib_given(a[3]) ? a[3] : VS("...");
    int64_t end_length = (int64_t)str_count(lib_wants_str(run, who, "end", end));
    int64_t leeway = lib_some(a[4]) ? lib_int(run, who, "leeway", a[4]) : 5;
    if (length < end_length)
        run_fail(run, "%s: length must be at least that of the end, %lld, not %lld", who, (long long)end_length,
                 (long long)length);
    if (leeway < 0) run_fail(run, "%s: leeway must not be negative, but is %lld", who, (long long)leeway);
    Value v = a[0];
    int64_t has = val_length(run, v);
    if (has <= length || has - length <= leeway) return v;
    if (v.kind != V_STR) lib_wrong(run, who, "the value", "a string", v);
    Str s = val_text(v);
    s.n = text_offset(s, (size_t)(length - end_length));
    if (!lib_flag(run, a[2], false)) {
        const char *space = memrchr(s.p, ' ', s.n);
        if (space != NULL) s.n = (size_t)(space - s.p);
    }
    Value cut = val_str(run, s);
    cut.flags |= v.flags & VAL_SAFE;
    return val_binary(run, OP_ADD, cut, end);
}

/* ---- indent */

/* A plain text that is indented by a safe one: the indention stays, the lines are escaped. */
static void add_line(Run *run, Buf *out, Str line, bool escape) {
    if (escape)
        buf_add(out, val_text(text_escape(run, val_str(run, line))));
    else
        buf_add(out, line);
}

BUILTIN(filter_indent) {
    const char *who = "filter \"indent\"";
    Value v = a[0], by = a[1];
    Str s = lib_wants_str(run, who, "the value", v), indention;
    bool first = lib_flag(run, a[2], false), blank = lib_flag(run, a[3], false), safe = lib_is_safe(v);
    bool escape = lib_is_safe(by) && !safe; /* Markup + text escapes the text */
    if (by.kind == V_STR) {
        indention = val_text(by);
    } else {
        int64_t width = lib_int_or(run, who, "width", by, 4);
        if (width < 0) width = 0;
        lib_room(run, who, (uint64_t)width, 1);
        Buf spaces;
        buf_init(&spaces, run->arena);
        buf_fill(&spaces, ' ', (size_t)width);
        indention = buf_str(&spaces);
    }
    Buf out;
    buf_init(&out, run->arena);
    buf_room(&out, s.n + indention.n);
    if (first && !(escape && !blank)) buf_add(&out, indention);
    size_t at = 0, breaks = 1;
    Str line;
    for (bool rest = false; breaks > 0; rest = true) { /* behind the last line break stands one more line */
        if (!lib_next_line(s, &at, &line, &breaks)) line = S(""), breaks = 0;
        if (breaks == 1 && at == s.n && s.p[at - 1] == '\r')
            breaks = 0; /* Jinja's own '\n' makes one break of the two */
        if (rest) buf_char(&out, '\n');
        if (rest && (blank || line.n > 0)) buf_add(&out, indention);
        add_line(run, &out, line, escape && (blank || (rest && line.n > 0)));
        run_spend(run, 1);
    }
    if (!escape) return text_take(run, &out, safe ? VAL_SAFE : 0);
    if (blank) return text_take(run, &out, VAL_SAFE);
    Value text = text_take(run, &out, 0);
    if (!first) return text;
    by.flags |= VAL_SAFE;
    return val_binary(run, OP_ADD, by, text);
}

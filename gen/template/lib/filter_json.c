/* filter_json.c: tojson, a value as JSON that can stand in HTML.
 *
 * The text is that of Python's json.dumps with sorted keys and everything beyond ASCII as \u, and then <, >, & and '
 * as \u as well; the result is safe. Containers are kept on a stack of frames, so depth costs no C stack. */
#include "template/lib/lib.h"

#include <math.h>

typedef struct Frame {
    const void *container;
    const List *list;      /* of a list */
    const SortItem *items; /* of a dict, sorted */
    uint32_t n, at;
} Frame;

typedef struct Writer {
    Run *run;
    Buf *out;
    bool pretty;
    Str indent; /* one step of it */
    Inside inside;
    VEC(Frame) frames;
} Writer;

static void write_unit(Buf *out, uint32_t unit) { buf_format(out, "\\u%04x", unit); }

static void write_string(Buf *out, Str s) {
    buf_char(out, '"');
    for (const char *p = s.p, *end = s.p + s.n; p < end;) {
        const char *plain = p;
        while (p < end && *p >= ' ' && *p < 0x7f && strchr("\"\\<>&'", *p) == NULL)
            p++;
        buf_add(out, str(plain, (size_t)(p - plain)));
        if (p == end) break;
        unsigned size;
        uint32_t c = str_decode(p, end, &size);
        p += size;
        static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
        const char *known = c < 0x80 && c != 0 ? strchr(escaped, (int)c) : NULL;
        if (known != NULL) {
            buf_char(out, '\\');
            buf_char(out, letters[known - escaped]);
        } else if (c >= 0x10000) {
            write_unit(out, 0xd800 + ((c - 0x10000) >> 10));
            write_unit(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
        } else {
            write_unit(out, c);
        }
    }
    buf_char(out, '"');
}

static void write_float(Buf *out, double f) {
    if (isnan(f))
        buf_add(out, S("NaN"));
    else if (isinf(f))
        buf_add(out, f < 0 ? S("-Infinity") : S("Infinity"));
    else
        float_repr(out, f);
}

/* Numbers, true, false, null; false for anything else. */
static bool write_atom(Writer *w, Value v) {
    if (v.kind == V_NONE)
        buf_add(w->out, S("null"));
    else if (v.kind == V_BOOL)
        buf_add(w->out, v.as.b ? S("true") : S("false"));
    else if (v.kind == V_FLOAT)
        write_float(w->out, v.as.f);
    else if (val_is_int(v))
        val_repr(w->run, w->out, v);
    else
        return false;
    return true;
}

static void write_key(Writer *w, Value key) {
    if (key.kind == V_STR) {
        write_string(w->out, val_text(key));
        return;
    }
    buf_char(w->out, '"');
    if (!write_atom(w, key))
        lib_wrong(w->run, "filter \"tojson\"", "a key", "a string, a number, a boolean or none", key);
    buf_char(w->out, '"');
}

static void new_line(Writer *w) {
    if (!w->pretty) return;
    buf_char(w->out, '\n');
    for (uint32_t i = 0; i < w->frames.n; i++)
        buf_add(w->out, w->indent);
}

static void open_container(Writer *w, const void *container, Frame frame) {
    frame.container = container;
    if (!lib_enter(w->run, &w->inside, container))
        run_fail(w->run, "filter \"tojson\": a %s contains itself", frame.list != NULL ? "list" : "dict");
    *VEC_PUSH(w->run->arena, &w->frames) = frame;
    buf_char(w->out, frame.list != NULL ? '[' : '{');
    new_line(w);
}

/* A value, or the beginning of one: what it contains is written by the loop in filter_tojson. */
static void write_value(Writer *w, Value v) {
    if (write_atom(w, v)) return;
    if (v.kind == V_STR) {
        write_string(w->out, val_text(v));
    } else if (v.kind == V_LIST || v.kind == V_TUPLE) {
        if (v.as.list->n == 0)
            buf_add(w->out, S("[]"));
        else
            open_container(w, v.as.list, (Frame){.list = v.as.list, .n = v.as.list->n});
    } else if (v.kind == V_DICT) {
        const Dict *dict = v.as.dict;
        if (dict->live == 0)
            buf_add(w->out, S("{}"));
        else
            open_container(w, dict, (Frame){.items = lib_sort_items(w->run, dict, SORT_PLAIN), .n = dict->live});
    } else if (v.kind == V_UNDEFINED) {
        run_fail_undefined(w->run, v);
    } else {
        run_fail(w->run, "filter \"tojson\": a value of type %s cannot be written as JSON", val_type_name(v));
    }
}

BUILTIN(filter_tojson) {
    Buf out, indent;
    buf_init(&out, run->arena);
    buf_init(&indent, run->arena);
    Writer w = {.run = run, .out = &out, .pretty = lib_some(a[1])};
    if (w.pretty && a[1].kind == V_STR) { /* whatever it is, the escapes go over it too */
        w.indent = val_text(a[1]);
        for (size_t i = 0; i < w.indent.n; i++)
            if (strchr("<>&'", w.indent.p[i]) != NULL)
                write_unit(&indent, (unsigned char)w.indent.p[i]);
            else
                buf_char(&indent, w.indent.p[i]);
        w.indent = buf_str(&indent);
    } else if (w.pretty) {
        int64_t width = lib_int(run, "filter \"tojson\"", "indent", a[1]);
        lib_room(run, "filter \"tojson\"", width > 0 ? (uint64_t)width : 0, 1);
        buf_fill(&indent, ' ', width > 0 ? (size_t)width : 0);
        w.indent = buf_str(&indent);
    }
    write_value(&w, a[0]);
    while (w.frames.n > 0) {
        Frame *frame = &VEC_LAST(&w.frames);
        run_spend(run, 1);
        if (frame->at == frame->n) {
            lib_leave(run, &w.inside, frame->container);
            bool list = frame->list != NULL;
            w.frames.n--;
            new_line(&w);
            buf_char(&out, list ? ']' : '}');
            continue;
        }
        if (frame->at > 0) {
            buf_add(&out, w.pretty ? S(",") : S(", "));
            new_line(&w);
        }
        uint32_t i = frame->at++; /* write_value may move the frames */
        if (frame->list != NULL) {
            write_value(&w, frame->list->items[i]);
        } else {
            const SortItem *item = &frame->items[i];
            write_key(&w, item->key);
            buf_add(&out, S(": "));
            write_value(&w, item->value);
        }
    }
    return text_take(run, &out, VAL_SAFE);
}

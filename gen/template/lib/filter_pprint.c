/* filter_pprint.c: pprint, a value as Python's pprint.pformat lays it out in 80 columns.
 *
 * What fits into the rest of the line is written in one piece, with the keys of dicts sorted; what does not is opened
 * up, one element a line. Whether it fits is found by writing it and giving up where the line ends, so depth is
 * bounded by the line and nothing is written twice in full; what is opened up lies on a stack of frames. */
#include "template/lib/lib.h"

enum { WIDTH = 80 };

typedef struct Frame {
    Value value;
    const SortItem *items; /* of a dict, sorted */
    uint32_t n, at;
    int64_t indent, allowance; /* of its elements; allowance: what must follow the last one on its line */
} Frame;

typedef struct Printer {
    Run *run;
    Buf *out;
    Inside inside;
    VEC(Frame) frames;
} Printer;

static bool is_list(Value v) { return v.kind == V_LIST || (v.kind == V_TUPLE && (v.flags & VAL_GROUP) == 0); }
static bool is_plain_text(Value v) { return v.kind == V_STR && (v.flags & VAL_SAFE) == 0; }

static void add_recursion(Buf *out, Value v) { buf_format(out, "<Recursion on %s>", val_type_name(v)); }

static const void *container_of(Value v) { return v.kind == V_DICT ? (const void *)v.as.dict : v.as.list; }

/* ---- on one line */

/* Writes v to out unless that takes more than `most` code points, which it then leaves half written. */
static bool add_within(Printer *p, Buf *out, Value v, int64_t *most) {
    size_t from = out->n;
    bool list = is_list(v);
    if ((list && v.as.list->n > 0) || (v.kind == V_DICT && v.as.dict->live > 0)) {
        uint32_t n = list ? v.as.list->n : v.as.dict->live;
        if (lib_is_inside(p->run, &p->inside, container_of(v))) {
            add_recursion(out, v);
        } else {
            if ((*most -= 2) < 0 || n > *most) return false;
            const SortItem *items = list ? NULL : lib_sort_items(p->run, v.as.dict, SORT_ANY);
            lib_enter(p->run, &p->inside, container_of(v));
            bool fits = true;
            buf_char(out, v.kind == V_LIST ? '[' : v.kind == V_TUPLE ? '(' : '{');
            for (uint32_t i = 0; i < n && fits; i++) {
                if (i > 0) buf_add(out, S(", "));
                if (i > 0) *most -= 2;
                if (list) {
                    fits = add_within(p, out, v.as.list->items[i], most);
                } else {
                    fits = add_within(p, out, items[i].key, most);
                    buf_add(out, S(": "));
                    *most -= 2;
                    fits = fits && add_within(p, out, items[i].value, most);
                }
            }
            if (v.kind == V_TUPLE && n == 1) {
                buf_char(out, ',');
                *most -= 1;
            }
            buf_char(out, v.kind == V_LIST ? ']' : v.kind == V_TUPLE ? ')' : '}');
            lib_leave(p->run, &p->inside, container_of(v));
            return fits && *most >= 0;
        }
    } else {
        if (v.kind == V_STR && (int64_t)v.n / 4 > *most) return false;
        val_repr(p->run, out, v);
    }
    *most -= (int64_t)str_count(str(out->p + from, out->n - from));
    return *most >= 0;
}

/* ---- text, over several lines */

static Str repr_of(Printer *p, Str s) {
    Buf buf;
    buf_init(&buf, p->run->arena);
    val_repr(p->run, &buf, val_str(p->run, s));
    return buf_str(&buf);
}

/* Only measured: what that takes from the arena goes back. */
static bool fits(Printer *p, Str s, int64_t width) {
    if ((int64_t)s.n / 4 > width) return false;
    ArenaMark mark = arena_mark(p->run->arena);
    bool fits = (int64_t)str_count(repr_of(p, s)) <= width;
    arena_reset(p->run->arena, mark);
    return fits;
}

static void push_chunk(Printer *p, List *chunks, Str text) {
    list_push(p->run->arena, chunks, val_str(p->run, repr_of(p, text)));
}

/* The words of one line, each with the white space behind it, as many to a piece as fit. */
static void split_words(Printer *p, List *chunks, Str line, int64_t width, int64_t last_width) {
    size_t from = 0, at = 0; /* the piece so far is [from, at) */
    while (at < line.n) {
        size_t end = at;
        bool space = false;
        for (unsigned size; end < line.n; end += size) {
            bool is = unicode_is_space(str_decode(line.p + end, line.p + line.n, &size));
            if (space && !is) break;
            space = is;
        }
        if (at > from && !fits(p, str_sub(line, from, end), end == line.n ? last_width : width)) {
            push_chunk(p, chunks, str_sub(line, from, at));
            from = at;
        }
        at = end;
    }
    if (at > from) push_chunk(p, chunks, str_sub(line, from, at));
}

static void add_text(Printer *p, Str s, int64_t indent, int64_t allowance, bool top) {
    if (top) indent++, allowance++;
    List *chunks = list_new(p->run->arena, 0);
    int64_t width = WIDTH - indent;
    size_t at = 0, breaks;
    Str line;
    while (lib_next_line(s, &at, &line, &breaks)) {
        line.n += breaks;
        int64_t last_width = at == s.n ? width - allowance : width;
        if (fits(p, line, last_width))
            push_chunk(p, chunks, line);
        else
            split_words(p, chunks, line, width, last_width);
    }
    if (chunks->n == 1) top = false; /* one piece needs no brackets */
    if (top) buf_char(p->out, '(');
    for (uint32_t i = 0; i < chunks->n; i++) {
        if (i > 0) {
            buf_char(p->out, '\n');
            buf_fill(p->out, ' ', (size_t)indent);
        }
        buf_add(p->out, val_text(chunks->items[i]));
    }
    if (top) buf_char(p->out, ')');
}

/* ---- opened up */

static void add_value(Printer *p, Value v, int64_t indent, int64_t allowance) {
    bool container = is_list(v) || v.kind == V_DICT;
    if (container && lib_is_inside(p->run, &p->inside, container_of(v))) {
        add_recursion(p->out, v);
        return;
    }
    size_t from = p->out->n;
    int64_t most = WIDTH - indent - allowance;
    uint32_t n = is_list(v) ? v.as.list->n : v.kind == V_DICT ? v.as.dict->live : 0;
    bool can_open = n > 0 || (is_plain_text(v) && v.n > 0);
    if (!can_open) val_repr(p->run, p->out, v);
    if (!can_open || add_within(p, p->out, v, &most)) return;
    p->out->n = from;
    if (v.kind == V_STR) {
        add_text(p, val_text(v), indent, allowance, p->frames.n == 0);
        return;
    }
    lib_enter(p->run, &p->inside, container_of(v));
    buf_char(p->out, v.kind == V_LIST ? '[' : v.kind == V_TUPLE ? '(' : '{');
    *VEC_PUSH(p->run->arena, &p->frames) = (Frame){
        .value = v,
        .items = v.kind == V_DICT ? lib_sort_items(p->run, v.as.dict, SORT_ANY) : NULL,
        .n = n,
        .indent = indent + 1,
        .allowance = allowance + (v.kind == V_TUPLE && n == 1 ? 2 : 1),
    };
}

static void end_frame(Printer *p, const Frame *frame) {
    Value v = frame->value;
    lib_leave(p->run, &p->inside, container_of(v));
    if (v.kind == V_TUPLE && frame->n == 1) buf_char(p->out, ',');
    buf_char(p->out, v.kind == V_LIST ? ']' : v.kind == V_TUPLE ? ')' : '}');
}

BUILTIN(filter_pprint) {
    Buf out;
    buf_init(&out, run->arena);
    Printer p = {.run = run, .out = &out};
    add_value(&p, a[0], 0, 0);
    while (p.frames.n > 0) {
        Frame *frame = &VEC_LAST(&p.frames);
        run_spend(run, 1);
        if (frame->at == frame->n) {
            end_frame(&p, frame);
            p.frames.n--;
            continue;
        }
        if (frame->at > 0) {
            buf_add(&out, S(",\n"));
            buf_fill(&out, ' ', (size_t)frame->indent);
        }
        uint32_t i = frame->at++; /* add_value may move the frames */
        int64_t indent = frame->indent, allowance = frame->at == frame->n ? frame->allowance : 1;
        if (frame->items == NULL) {
            add_value(&p, frame->value.as.list->items[i], indent, allowance);
            continue;
        }
        size_t from = out.n;
        int64_t any = INT64_MAX / 2;
        const SortItem *item = &frame->items[i];
        (void)add_within(&p, &out, item->key, &any);
        buf_add(&out, S(": "));
        indent += (int64_t)str_count(str(out.p + from, out.n - from));
        add_value(&p, item->value, indent, allowance);
    }
    return text_take(run, &out, 0);
}

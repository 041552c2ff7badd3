/* print.c: values as text, as Python's str() and repr() give it.
 *
 * Lists within lists recurse up to VAL_MOST_DEPTH levels. The containers that are being printed form a chain through
 * the C stack, whose head is in the Run, so that one that holds itself is found (it prints as "[...]"), also through an
 * object that prints what it holds. */
#include "template/value/inner.h"

#include "template/value/big.h"
#include "template/value/digits.h"
#include "template/value/text.h"
#include "template/value/unicode.h"

typedef struct Printing {
    const void *container;
    struct Printing *outer;
    unsigned depth;
} Printing;

void print_int(Buf *out, int64_t i) { out->n = (size_t)(digits_write_int(buf_room(out, DIGITS_ROOM), i) - out->p); }

static void repr_text(Buf *out, Str s) {
    char quote = str_find_char(s, '\'') != STR_NONE && str_find_char(s, '"') == STR_NONE ? '"' : '\'';
    buf_char(out, quote);
    for (size_t i = 0; i < s.n;) {
        size_t from = i;
        while (i < s.n && s.p[i] >= ' ' && s.p[i] < 0x7f && s.p[i] != quote && s.p[i] != '\\')
            i++;
        buf_add(out, str(s.p + from, i - from));
        if (i == s.n) break;
        unsigned size;
        uint32_t code = str_decode(s.p + i, s.p + s.n, &size);
        if (code == '\\' || code == (unsigned char)quote)
            buf_char(out, '\\'), buf_char(out, (char)code);
        else if (code == '\n' || code == '\r' || code == '\t')
            buf_char(out, '\\'), buf_char(out, code == '\n' ? 'n' : code == '\r' ? 'r' : 't');
        else if (code >= 0x80 && unicode_is_printable(code))
            buf_add(out, str(s.p + i, size));
        else
            buf_format(out, code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)code);
        i += size;
    }
    buf_char(out, quote);
}

static void repr_list(Run *run, Buf *out, const List *list) {
    for (uint32_t i = 0; i < list->n; i++) {
        if (i > 0) buf_add(out, S(", "));
        val_repr(run, out, list->items[i]);
    }
}

static void repr_entries(Run *run, Buf *out, const Dict *dict, const char *before, const char *between,
                         const char *after) {
    uint32_t first = dict_next(dict, 0);
    for (uint32_t i = first; i < dict->used; i = dict_next(dict, i + 1)) {
        if (i > first) buf_add(out, S(", "));
        buf_add(out, str_c(before));
        if (between != NULL) {
            val_repr(run, out, dict->entries[i].key);
            buf_add(out, str_c(between));
        }
        val_repr(run, out, dict->entries[i].value);
        buf_add(out, str_c(after));
    }
}

static void repr_keys(Run *run, Buf *out, const Dict *dict) {
    uint32_t first = dict_next(dict, 0);
    for (uint32_t i = first; i < dict->used; i = dict_next(dict, i + 1)) {
        if (i > first) buf_add(out, S(", "));
        val_repr(run, out, dict->entries[i].key);
    }
}

static void repr_contents(Run *run, Buf *out, Value v) {
    switch (v.kind) {
    case V_LIST:
        buf_char(out, '[');
        repr_list(run, out, v.as.list);
        buf_char(out, ']');
        return;
    case V_TUPLE:
        buf_char(out, '(');
        repr_list(run, out, v.as.list);
        buf_add(out, v.as.list->n == 1 ? S(",)") : S(")"));
        return;
    case V_DICT:
        buf_char(out, '{');
        repr_entries(run, out, v.as.dict, "", ": ", "");
        buf_char(out, '}');
        return;
    case V_VIEW:
        buf_add(out, str_c(val_type_name(v)));
        buf_add(out, S("(["));
        switch (v.as.view->kind) {
        case VIEW_KEYS:
            repr_keys(run, out, v.as.view->dict);
            break;
        case VIEW_VALUES:
            repr_entries(run, out, v.as.view->dict, "", NULL, "");
            break;
        case VIEW_ITEMS:
            repr_entries(run, out, v.as.view->dict, "(", ", ", ")");
            break;
        }
        buf_add(out, S("])"));
        return;
    default:
        v.as.object->class->print(run, v.as.object, out);
    }
}

/* What stands for a value within itself. */
static Str itself(Value v) {
    switch (v.kind) {
    case V_LIST:
        return S("[...]");
    case V_TUPLE:
        return S("(...)");
    case V_DICT:
        return S("{...}");
    default:
        return S("...");
    }
}

static bool repr_flat(Buf *out, Value v) {
    const size_t most = val_flat_room(v);
    if (most == 0) return false;
    char *end = val_write_flat(buf_room(out, most), v);
    if (end == NULL) return false;
    out->n = (size_t)(end - out->p);
    return true;
}

static void repr_container(Run *run, Buf *out, Value v) {
    /* Kinds of views share no address with what they show, so the pointer tells which value it is. */
    Printing printing = {v.as.object, run->printing, 0};
    for (const Printing *outer = run->printing; outer != NULL; outer = outer->outer) {
        if (outer->container == printing.container) {
            buf_add(out, itself(v));
            return;
        }
    }
    if (run->printing != NULL) printing.depth = run->printing->depth + 1;
    if (printing.depth >= VAL_MOST_DEPTH) fail_depth(run, "printed");
    /* A list that holds another twice, which holds a third twice, and so on, is short and takes for ever. */
    if (printing.depth > 0) run_spend(run, 1 + printing.depth / 12);
    if (repr_flat(out, v)) return;
    run->printing = &printing;
    repr_contents(run, out, v);
    run->printing = printing.outer;
}

static void repr_range(Buf *out, const Range *range) {
    buf_add(out, S("range("));
    print_int(out, range->start);
    buf_add(out, S(", "));
    print_int(out, range->stop);
    if (range->step != 1) {
        buf_add(out, S(", "));
        print_int(out, range->step);
    }
    buf_char(out, ')');
}

void val_repr(Run *run, Buf *out, Value v) {
    switch ((ValueKind)v.kind) {
    case V_MISSING:
        run_fail(run, "a value that is missing cannot be printed");
    case V_UNDEFINED:
        buf_add(out, S("Undefined"));
        return;
    case V_NONE:
        buf_add(out, S("None"));
        return;
    case V_BOOL:
        buf_add(out, v.as.b ? S("True") : S("False"));
        return;
    case V_INT:
        print_int(out, v.as.i);
        return;
    case V_BIG:
        big_print(out, v, 10);
        return;
    case V_FLOAT:
        float_repr(out, v.as.f);
        return;
    case V_STR:
        if (v.flags & VAL_SAFE) buf_add(out, S("Markup("));
        repr_text(out, val_text(v));
        if (v.flags & VAL_SAFE) buf_char(out, ')');
        return;
    case V_LIST:
    case V_TUPLE:
    case V_DICT:
    case V_VIEW:
        repr_container(run, out, v);
        return;
    case V_RANGE:
        repr_range(out, v.as.range);
        return;
    case V_ONESHOT:
        run_fail_as(run, E_RENDER, S("|list makes a list of it"),
                    "what %s gives cannot be printed: its elements come one by one", v.as.oneshot->name);
    case V_FUNC:
    case V_METHOD:
        run_fail_as(run, E_RENDER, method_hint(run, v), "the %s %s cannot be printed", val_type_name(v),
                    v.as.bound->native->name);
    case V_OBJECT:
        if (v.as.object->class->print == NULL) run_fail(run, "%s cannot be printed", val_type_name(v));
        repr_container(run, out, v);
        return;
    }
}

void val_print(Run *run, Buf *out, Value v) {
    switch (v.kind) {
    case V_STR:
        buf_add(out, val_text(v));
        return;
    case V_INT:
        print_int(out, v.as.i);
        return;
    case V_UNDEFINED:
        if (run_undefined_fails(run, v)) run_fail_undefined(run, v);
        return;
    default:
        val_repr(run, out, v);
        return;
    }
}

Value val_to_str(Run *run, Value v) {
    if (v.kind == V_STR) return v;
    if (v.kind == V_INT || v.kind == V_FLOAT) { /* short, so that many of them take little */
        char text[FLOAT_ROOM];
        const char *end = v.kind == V_INT ? digits_write_int(text, v.as.i) : float_write(text, v.as.f);
        return val_str(run, str_copy(run->arena, str(text, (size_t)(end - text))));
    }
    Buf buf;
    buf_init(&buf, run->arena);
    val_print(run, &buf, v);
    return text_take(run, &buf, 0);
}

/* write.c: putting out text and values. Most of a rendering's time goes here, a few bytes at a time, so short texts and
 * numbers are copied without a call, and a loop whose body only writes is run as one. */
#include "template/vm/vm.h"

#include "template/value/digits.h"

NORETURN static void too_much(Vm *vm) {
    run_fail_as(&vm->run, E_LIMIT, S("--max-output sets another limit"), "the output is larger than %llu bytes",
                (unsigned long long)vm->run.limits.output);
}

void vm_check_output(Vm *vm) {
    if (vm->out.n > vm->run.limits.output) too_much(vm);
}

/* No further than the limit at first, so that what goes past it comes here again. */
static void grow(Vm *vm, size_t n) {
    enum { PAST = 4096 };
    vm_check_output(vm);
    Buf *out = &vm->out;
    const size_t most = vm->run.limits.output + PAST;
    if (most - out->n < n) too_much(vm); /* the memory is not even asked for */
    if (out->cap >= most || out->cap < most / 2) {
        buf_grow(out, n);
    } else {
        out->p = arena_resize(out->arena, out->p, out->cap, most);
        out->cap = most;
    }
}

static inline char *out_room(Vm *vm, size_t n) {
    if (__builtin_expect(vm->out.cap - vm->out.n < n, 0)) grow(vm, n);
    return vm->out.p + vm->out.n;
}

static inline char *copy_short(char *to, const char *from, size_t n) {
    if (n >= 8 && n <= 16) {
        uint64_t head, tail;
        memcpy(&head, from, 8), memcpy(&tail, from + n - 8, 8);
        memcpy(to, &head, 8), memcpy(to + n - 8, &tail, 8);
    } else if (n < 8) {
        if (n >= 4) {
            uint32_t head, tail;
            memcpy(&head, from, 4), memcpy(&tail, from + n - 4, 4);
            memcpy(to, &head, 4), memcpy(to + n - 4, &tail, 4);
        } else if (n > 0) {
            to[0] = from[0], to[n / 2] = from[n / 2], to[n - 1] = from[n - 1];
        }
    } else if (n <= 32) {
        char head[16], tail[16];
        memcpy(head, from, 16), memcpy(tail, from + n - 16, 16);
        memcpy(to, head, 16), memcpy(to + n - 16, tail, 16);
    } else if (n <= 64) {
        char head[32], tail[32];
        memcpy(head, from, 32), memcpy(tail, from + n - 32, 32);
        memcpy(to, head, 32), memcpy(to + n - 32, tail, 32);
    } else {
        memcpy(to, from, n);
    }
    return to + n;
}

static void __attribute__((noinline)) write_text_grown(Vm *vm, Str text) {
    grow(vm, text.n);
    memcpy(vm->out.p + vm->out.n, text.p, text.n);
    vm->out.n += text.n;
}

void vm_write_text(Vm *vm, Str text) {
    if (__builtin_expect(vm->out.cap - vm->out.n < text.n, 0)) {
        write_text_grown(vm, text);
        return;
    }
    char *to = vm->out.p + vm->out.n;
    vm->out.n += text.n;
    copy_short(to, text.p, text.n);
}

/* What an imported template wrote is markup, as macros' results are. */
static Value escaped(Vm *vm, Value v) {
    return v.kind == V_OBJECT && v.as.object->class == &class_module ? v : text_escape(&vm->run, v);
}

void vm_write(Vm *vm, Value v, bool raw) {
    if (!raw && vm->run.autoescape) v = escaped(vm, v);
    if (v.kind == V_STR) {
        vm_write_text(vm, val_text(v));
    } else if (v.kind == V_INT) {
        char *to = out_room(vm, DIGITS_ROOM);
        vm->out.n += (size_t)(digits_write_int(to, v.as.i) - to);
    } else {
        val_print(&vm->run, &vm->out, v);
        vm_check_output(vm);
    }
}

/* The characters that |e replaces. */
static const bool is_special[256] = {['&'] = true, ['<'] = true, ['>'] = true, ['\''] = true, ['"'] = true};

/* What each byte becomes under |e: eight bytes are copied and the length of what they say is kept. */
typedef struct Escape {
    char text[7];
    uint8_t n;
} Escape;
static Escape escapes[256];

__attribute__((constructor)) static void fill_escapes(void) {
    static const struct {
        char byte;
        const char *text;
    } specials[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'\'', "&#39;"}, {'"', "&#34;"}};
    for (unsigned c = 0; c < 256; c++)
        escapes[c].text[0] = (char)c, escapes[c].n = 1;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        Escape *escape = &escapes[(unsigned char)specials[i].byte];
        escape->n = (uint8_t)strlen(specials[i].text);
        memcpy(escape->text, specials[i].text, escape->n);
    }
}

enum {
    ESCAPE_WHOLE = 256,
    ESCAPED_BYTE = 5
}; /* texts up to this are escaped as they are copied; the most a byte becomes */

/* Needs room for ESCAPED_BYTE times n bytes and a few more. No branch depends on what the text is. */
static char *copy_escaped(char *to, const char *from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const Escape *escape = &escapes[(unsigned char)from[i]];
        memcpy(to, escape, sizeof *escape);
        to += escape->n;
    }
    return to;
}

static inline bool is_plain(const char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (is_special[(unsigned char)p[i]]) return false;
    return true;
}

/* A scalar that is written as it is, whatever the escaping. */
static inline bool is_direct(const Value *v, bool escape) {
    if (v->kind == V_STR) return !escape || (v->flags & VAL_SAFE) || is_plain(v->as.s, v->n);
    return v->kind == V_INT || v->kind == V_FLOAT || v->kind == V_BOOL || v->kind == V_NONE;
}

/* What such a value needs at the most, and its writing. */
enum { SCALAR_ROOM = FLOAT_ROOM };
_Static_assert((int)SCALAR_ROOM >= (int)DIGITS_ROOM, "numbers fit");

static inline size_t direct_size(const Value *v) { return v->kind == V_STR ? v->n : SCALAR_ROOM; }

static inline char *write_direct(char *to, const Value *v) {
    if (v->kind == V_STR) return copy_short(to, v->as.s, v->n);
    if (v->kind == V_INT) return digits_write_int(to, v->as.i);
    return v->kind == V_FLOAT ? float_write(to, v->as.f) : constant_write(to, v);
}

void vm_write_escaped(Vm *vm, Value v) { vm_write(vm, is_direct(&v, true) ? v : escaped(vm, v), true); }

void vm_write_span(Vm *vm, const TextSpan *pair, const Value *v) {
    bool escape = pair->escape || vm->run.autoescape;
    if (__builtin_expect(is_direct(v, escape), 1)) {
        char *to = out_room(vm, pair->before.n + pair->after.n + direct_size(v));
        to = copy_short(to, pair->before.p, pair->before.n);
        to = write_direct(to, v);
        to = copy_short(to, pair->after.p, pair->after.n);
        vm->out.n = (size_t)(to - vm->out.p);
        return;
    }
    vm_write_text(vm, pair->before);
    vm_write(vm, escape ? escaped(vm, *v) : *v, true);
    vm_write_text(vm, pair->after);
}

/* Nobody else has the text. So it is copied from its end on, and what was copied is given back meanwhile. */
Value vm_write_fresh(Vm *vm, const Insn *next, Value v) {
    enum { PIECE = 1 << 20 };
    if (v.kind != V_STR || v.as.s != vm->run.fresh || v.n < PIECE || next->op != I_EMIT) return v;
    if (vm->run.autoescape && next->a == 0 && (v.flags & VAL_SAFE) == 0) return v;
    char *to = out_room(vm, v.n);
    vm->out.n += v.n;
    vm->run.fresh = NULL;
    char *from = (char *)(uintptr_t)v.as.s; /* its block, which is no constant */
    for (size_t left = v.n; left > 0;) {
        const size_t n = left < PIECE ? left : PIECE, rest = left - n;
        memcpy(to + rest, from + rest, n);
        if (rest >= ARENA_LARGE) from = arena_resize(&vm->values, from, left, rest);
        left = rest;
    }
    return VS("");
}

bool vm_write_join(Vm *vm, const Insn *next, const Value *a) {
    Run *run = &vm->run;
    if (next->op != I_EMIT || run->autoescape || a[2].kind != V_MISSING) return false;
    const Str separator = a[1].kind == V_MISSING ? S("") : val_text(val_to_str(run, a[1]));
    ValueIter it;
    Value item;
    val_iter(run, &it, a[0]);
    for (bool first = true; val_next(run, &it, &item); first = false) {
        run_spend(run, 1);
        if (!first) vm_write_text(vm, separator);
        vm_write(vm, item, true);
    }
    return true;
}

/* ---- loops that only write */

enum { BRIEF = 16, PIECES_MOST = 8 };
_Static_assert(BRIEF == sizeof((TextSpan *)0)->before_bytes, "a short text is copied whole");

/* A value of the body and the texts as far as the next value, which behind the last one is the first one of the next
 * item. From one item to the next it is `stride` away, 0 if it is the same for all. */
typedef struct Piece {
    const char *value;
    size_t stride;
    bool escape;
    size_t after_n, n;          /* of its own text, and of both */
    const char *after, *before; /* its own, and the next one's */
} Piece;

/* The loop's items, where they lie in a row in memory: a list, or the entries of a dict nothing was removed from. */
typedef struct Row {
    const char *first;
    size_t stride, target, value; /* from one to the next; where in it the loop variables are */
    uint32_t n;
} Row;

/* Where the output goes on, and where the item began. Up to `last` there is room for a scalar and the texts around it.
 * All of them move when the output grows. The text of `lead` bytes before the item may yet be taken back. */
typedef struct OutPlace {
    char *to, *last, *item;
    size_t lead;
} OutPlace;

enum { PIECE_ROOM = SCALAR_ROOM + 2 * BRIEF };

/* For n bytes more than PIECE_ROOM. */
static OutPlace __attribute__((noinline)) grow_at(Vm *vm, OutPlace at, size_t n) {
    const size_t begun = (size_t)(at.to - at.item);
    vm->out.n = (size_t)(at.to - vm->out.p) - at.lead;
    grow(vm, n + PIECE_ROOM + at.lead);
    char *to = vm->out.p + vm->out.n + at.lead;
    return (OutPlace){to, vm->out.p + vm->out.cap - PIECE_ROOM, to - begun, at.lead};
}

/* A value, if it needs nothing but copying; false if it needs more. */
static inline __attribute__((always_inline)) bool write_value(Vm *vm, OutPlace *at, const Value *v, bool escape) {
    const unsigned kind = v->kind;
    if (kind == V_INT) {
        if (__builtin_expect(at->to > at->last, 0)) *at = grow_at(vm, *at, 0);
        at->to = digits_write_int(at->to, v->as.i);
    } else if (kind == V_STR) {
        const bool copied = !escape || (v->flags & VAL_SAFE);
        const size_t size = v->n, most = copied ? size : size * ESCAPED_BYTE;
        if (!copied && size > ESCAPE_WHOLE) return false;
        if (__builtin_expect(at->last - at->to < (ptrdiff_t)most, 0)) *at = grow_at(vm, *at, most);
        at->to = copied ? copy_short(at->to, v->as.s, size) : copy_escaped(at->to, v->as.s, size);
    } else if (kind == V_FLOAT || kind == V_BOOL || kind == V_NONE) {
        if (__builtin_expect(at->to > at->last, 0)) *at = grow_at(vm, *at, 0);
        at->to = kind == V_FLOAT ? float_write(at->to, v->as.f) : constant_write(at->to, v);
    } else {
        const size_t most = escape && kind != V_BIG ? 0 : val_flat_room(*v);
        if (most == 0) return false;
        if (at->last - at->to < (ptrdiff_t)most) *at = grow_at(vm, *at, most);
        char *end = val_write_flat(at->to, *v);
        if (end == NULL) return false;
        at->to = end;
    }
    return true;
}

/* What is before the next item is before the first one too. */
static inline OutPlace begin_rows(Vm *vm, const char before[BRIEF], size_t n) {
    char *to = out_room(vm, PIECE_ROOM);
    memcpy(to, before, BRIEF);
    return (OutPlace){to + n, vm->out.p + vm->out.cap - PIECE_ROOM, to + n, n};
}

static inline __attribute__((always_inline)) void write_around(OutPlace *at, const char after[BRIEF], size_t after_n,
                                                               const char before[BRIEF], size_t n) {
    memcpy(at->to, after, BRIEF);
    memcpy(at->to + after_n, before, BRIEF);
    at->to += n;
}

/* Writes items while they need nothing but copying; how many. An item is written whole or left to the body. All that
 * the bytes written might otherwise be thought to change stays in registers, as far as there are enough. */
static __attribute__((noinline, hot)) uint32_t write_one(Vm *vm, const TextSpan *span, const char *value, size_t stride,
                                                         uint32_t n, bool escape) {
    char after[BRIEF], before[BRIEF];
    memcpy(after, span->after_bytes, BRIEF), memcpy(before, span->before_bytes, BRIEF);
    const size_t after_n = span->after.n, text_n = after_n + span->before.n;
    OutPlace at = begin_rows(vm, before, span->before.n);
    uint32_t left = n;
    for (; left > 0; left--, value += stride) {
        if (!write_value(vm, &at, (const Value *)(const void *)value, escape)) break;
        write_around(&at, after, after_n, before, text_n);
    }
    vm->out.n = (size_t)(at.to - vm->out.p) - at.lead;
    return n - left;
}

static __attribute__((noinline, hot)) uint32_t write_two(Vm *vm, OutPlace at, const Piece *pieces, uint32_t n) {
    const Piece first = pieces[0], second = pieces[1];
    const char *key = first.value, *value = second.value;
    uint32_t left = n;
    for (; left > 0; left--, key += first.stride, value += second.stride) {
        if (!write_value(vm, &at, (const Value *)(const void *)key, first.escape)) break;
        write_around(&at, first.after, first.after_n, first.before, first.n);
        if (!write_value(vm, &at, (const Value *)(const void *)value, second.escape)) break;
        write_around(&at, second.after, second.after_n, second.before, second.n);
        at.item = at.to;
    }
    vm->out.n = (size_t)(at.item - vm->out.p) - at.lead;
    return n - left;
}

static __attribute__((noinline, hot)) uint32_t write_several(Vm *vm, OutPlace at, Piece *pieces, uint32_t piece_count,
                                                             uint32_t n) {
    uint32_t left = n;
    for (; left > 0; left--) {
        uint32_t i = 0;
        for (; i < piece_count; i++) {
            Piece *piece = &pieces[i];
            if (!write_value(vm, &at, (const Value *)(const void *)piece->value, piece->escape)) break;
            piece->value += piece->stride;
            write_around(&at, piece->after, piece->after_n, piece->before, piece->n);
        }
        if (i < piece_count) break;
        at.item = at.to;
    }
    vm->out.n = (size_t)(at.item - vm->out.p) - at.lead;
    return n - left;
}

static bool entries_row(const LoopSite *site, const Dict *dict, ViewKind view, uint32_t from, Row *row) {
    if (dict->used != dict->live || (view == VIEW_ITEMS) != (site->value != CODE_NO_SLOT)) return false;
    if (from == dict->used) return false; /* an empty one has no entries to point at */
    size_t key = offsetof(DictEntry, key), value = offsetof(DictEntry, value);
    *row = (Row){(const char *)(dict->entries + from), sizeof(DictEntry), view == VIEW_VALUES ? value : key, value,
                 dict->used - from};
    return true;
}

static bool find_row(const LoopSite *site, Value v, Row *row) {
    switch (v.kind) {
    case V_LIST:
    case V_TUPLE:
        if (site->value != CODE_NO_SLOT) return false;
        *row = (Row){(const char *)v.as.list->items, sizeof(Value), 0, 0, v.as.list->n};
        return true;
    case V_DICT:
        return entries_row(site, v.as.dict, VIEW_KEYS, 0, row);
    case V_VIEW:
        return entries_row(site, v.as.view->dict, v.as.view->kind, 0, row);
    case V_ONESHOT: {
        const OneShot *oneshot = v.as.oneshot;
        return oneshot->dict != NULL && entries_row(site, oneshot->dict, VIEW_ITEMS, oneshot->next, row);
    }
    default:
        return false;
    }
}

/* False where a text is not brief. */
static bool find_pieces(Vm *vm, const VmFrame *frame, const LoopSite *site, const Row *row, Piece *pieces) {
    const Insn *body = frame->function->insns + site->body;
    const TextSpan *spans = frame->function->code->spans.items, *span = &spans[body[0].c];
    for (uint32_t i = 0; i < site->spans; i++) {
        const TextSpan *next = &spans[body[i + 1 < site->spans ? i + 1 : 0].c];
        if (!span->brief) return false;
        /* Of two loop variables of one name the second counts. */
        const bool second = span->slot == site->value, first = span->slot == site->target;
        pieces[i] = (Piece){.value = row->first + (second ? row->value : row->target),
                            .stride = row->stride,
                            .escape = span->escape || vm->run.autoescape,
                            .after_n = span->after.n,
                            .n = span->after.n + next->before.n,
                            .after = span->after_bytes,
                            .before = next->before_bytes};
        if (!first && !second) {
            pieces[i].value = (const char *)&frame->env->slots[span->slot];
            pieces[i].stride = 0;
        }
        span = next;
    }
    return true;
}

static __attribute__((noinline)) uint32_t write_pieces(Vm *vm, const VmFrame *frame, const LoopSite *site,
                                                       const Row *row) {
    Piece pieces[PIECES_MOST];
    if (site->spans > PIECES_MOST || !find_pieces(vm, frame, site, row, pieces)) return 0;
    const Piece *last = &pieces[site->spans - 1];
    const OutPlace at = begin_rows(vm, last->before, last->n - last->after_n);
    if (site->spans == 2) return write_two(vm, at, pieces, row->n);
    return write_several(vm, at, pieces, site->spans, row->n);
}

uint32_t vm_write_loop(Vm *vm, VmFrame *frame, const LoopSite *site, Value v, bool *done) {
    Row row;
    *done = false;
    if (site->object != CODE_NO_SLOT || !find_row(site, v, &row) || row.n == 0) return 0;
    if (row.n > vm->run.loops_left) return 0; /* the limit is reached within: item by item, to the place */
    const TextSpan *span = &frame->function->code->spans.items[frame->function->insns[site->body].c];
    uint32_t written;
    if (site->spans == 1 && span->slot == site->target && site->value == CODE_NO_SLOT && span->brief)
        written = write_one(vm, span, row.first + row.target, row.stride, row.n, span->escape || vm->run.autoescape);
    else
        written = write_pieces(vm, frame, site, &row);
    run_spend(&vm->run, written);
    if (v.kind == V_ONESHOT) v.as.oneshot->next += written;
    *done = written == row.n;
    return written; /* what stopped it is the body's to write */
}

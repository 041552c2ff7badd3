/* write.c: putting out text and values. Most of a rendering's time goes here, a few bytes at a time, so short texts and
 * numbers are copied without a call, and a loop whose body only writes is run as one. */
#include "template/vm/vm.h"

#define INT_ROOM 20 /* the longest int64 */

void vm_check_output(Vm *vm) {
    if (vm->out.n > vm->run.limits.output)
        run_fail_as(&vm->run, E_LIMIT, S("--max-output sets another limit"), "the output is larger than %llu bytes",
                    (unsigned long long)vm->run.limits.output);
}

static void grow(Vm *vm, size_t n) {
    vm_check_output(vm);
    buf_grow(&vm->out, n);
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
    } else {
        memcpy(to, from, n);
    }
    return to + n;
}

static const char digit_pairs[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
    "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
    "9899";

static char *write_long_int(char *to, uint64_t u) {
    char digits[INT_ROOM];
    char *p = digits + sizeof digits;
    for (; u >= 100; u /= 100)
        memcpy(p -= 2, digit_pairs + u % 100 * 2, 2);
    if (u >= 10)
        *--p = digit_pairs[u * 2 + 1], *--p = digit_pairs[u * 2];
    else
        *--p = (char)('0' + u);
    return copy_short(to, p, (size_t)(digits + sizeof digits - p));
}

/* Into at least INT_ROOM bytes; the end of what was written. */
static inline __attribute__((always_inline)) char *write_int(char *to, int64_t i) {
    uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    if (i < 0) *to++ = '-';
    if (u < 10000) {
        const uint32_t high = (uint32_t)u / 100, low = (uint32_t)u % 100;
        if (high >= 10) {
            memcpy(to, digit_pairs + high * 2, 2), memcpy(to + 2, digit_pairs + low * 2, 2);
            return to + 4;
        }
        if (high > 0) {
            to[0] = (char)('0' + high), memcpy(to + 1, digit_pairs + low * 2, 2);
            return to + 3;
        }
        if (low >= 10) {
            memcpy(to, digit_pairs + low * 2, 2);
            return to + 2;
        }
        *to = (char)('0' + low);
        return to + 1;
    }
    return write_long_int(to, u);
}

void vm_write_text(Vm *vm, Str text) {
    copy_short(out_room(vm, text.n), text.p, text.n);
    vm->out.n += text.n;
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
        char *to = out_room(vm, INT_ROOM);
        vm->out.n += (size_t)(write_int(to, v.as.i) - to);
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
_Static_assert((int)SCALAR_ROOM >= (int)INT_ROOM, "numbers fit");

static inline size_t direct_size(const Value *v) { return v->kind == V_STR ? v->n : SCALAR_ROOM; }

static char *write_scalar(char *to, const Value *v) {
    if (v->kind == V_FLOAT) return float_write(to, v->as.f);
    Str text = v->kind == V_NONE ? S("None") : v->as.b ? S("True") : S("False");
    return copy_short(to, text.p, text.n);
}

static inline char *write_direct(char *to, const Value *v) {
    if (v->kind == V_STR) return copy_short(to, v->as.s, v->n);
    return v->kind == V_INT ? write_int(to, v->as.i) : write_scalar(to, v);
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

/* ---- loops that only write */

enum { BRIEF = 16, PIECES_MOST = 8 };
_Static_assert(BRIEF == sizeof((TextSpan *)0)->before_bytes, "a short text is copied whole");

/* One text, value, text of the body: the value lies so far into each item, or is the same for all. */
typedef struct Piece {
    const TextSpan *span;
    const Value *fixed;
    size_t offset;
    bool escape;
} Piece;

/* The loop's items, where they lie in a row in memory: a list, or the entries of a dict nothing was removed from. */
typedef struct Row {
    const char *first;
    size_t stride, target, value; /* from one to the next; where in it the loop variables are */
    uint32_t n;
} Row;

/* What the next bytes need at the most; the end of what there is room for may move. */
static inline char *row_room(Vm *vm, char *to, char **end, size_t n) {
    if (__builtin_expect((size_t)(*end - to) >= n, 1)) return to;
    vm->out.n = (size_t)(to - vm->out.p);
    grow(vm, n);
    *end = vm->out.p + vm->out.cap;
    return vm->out.p + vm->out.n;
}

/* A short text, a value, a short text, if the value needs nothing but copying; NULL if it needs more. */
static inline __attribute__((always_inline)) char *write_piece(Vm *vm, char *to, char **end, const Value *v,
                                                               bool escape, const char before[BRIEF], size_t before_n,
                                                               const char after[BRIEF], size_t after_n) {
    const unsigned kind = v->kind;
    if (kind == V_INT) {
        const int64_t i = v->as.i;
        to = row_room(vm, to, end, INT_ROOM + 2 * BRIEF);
        memcpy(to, before, BRIEF);
        to = write_int(to + before_n, i);
    } else if (kind == V_STR) {
        const size_t n = v->n;
        const char *const text = v->as.s;
        const bool copied = !escape || (v->flags & VAL_SAFE);
        if (!copied && n > ESCAPE_WHOLE) return NULL;
        to = row_room(vm, to, end, (copied ? n : n * ESCAPED_BYTE) + 3 * BRIEF);
        memcpy(to, before, BRIEF);
        to = copied ? copy_short(to + before_n, text, n) : copy_escaped(to + before_n, text, n);
    } else {
        if (!is_direct(v, escape)) return NULL;
        to = row_room(vm, to, end, SCALAR_ROOM + 2 * BRIEF);
        memcpy(to, before, BRIEF);
        to = write_scalar(to + before_n, v);
    }
    memcpy(to, after, BRIEF);
    return to + after_n;
}

/* Writes items while they need nothing but copying; how many. All that the bytes written might otherwise be thought to
 * change stays in registers. */
static uint32_t write_items(Vm *vm, const Piece *piece, const Row *row) {
    char before[BRIEF], after[BRIEF];
    memcpy(before, piece->span->before_bytes, BRIEF), memcpy(after, piece->span->after_bytes, BRIEF);
    const size_t before_n = piece->span->before.n, after_n = piece->span->after.n, stride = row->stride;
    const bool escape = piece->escape;
    const char *const first = row->first + piece->offset, *const last = first + row->n * stride;
    char *to = vm->out.p + vm->out.n, *end = vm->out.p + vm->out.cap;
    const char *at = first;
    for (; at < last; at += stride) {
        const Value *v = (const Value *)(const void *)at;
        char *next = write_piece(vm, to, &end, v, escape, before, before_n, after, after_n);
        if (next == NULL) break;
        to = next;
    }
    vm->out.n = (size_t)(to - vm->out.p);
    return (uint32_t)((size_t)(at - first) / stride);
}

/* The same for several pieces an item. An item is written whole or left to the body. */
static uint32_t write_rows(Vm *vm, const Piece *pieces, uint32_t piece_count, const Row *row) {
    const char *const first = row->first;
    const size_t stride = row->stride;
    const uint32_t n = row->n;
    char *to = vm->out.p + vm->out.n, *end = vm->out.p + vm->out.cap;
    uint32_t i = 0;
    for (; i < n; i++) {
        size_t done = (size_t)(to - vm->out.p);
        uint32_t j = 0;
        for (; j < piece_count; j++) {
            const Piece *piece = &pieces[j];
            const TextSpan *span = piece->span;
            const Value *v = piece->fixed;
            if (v == NULL) v = (const Value *)(const void *)(first + i * stride + piece->offset);
            char *next = write_piece(vm, to, &end, v, piece->escape, span->before_bytes, span->before.n,
                                     span->after_bytes, span->after.n);
            if (next == NULL) break;
            to = next;
        }
        if (j == piece_count) continue;
        to = vm->out.p + done;
        break;
    }
    vm->out.n = (size_t)(to - vm->out.p);
    return i;
}

static bool entries_row(const LoopSite *site, const Dict *dict, ViewKind view, uint32_t from, Row *row) {
    if (dict->used != dict->live || (view == VIEW_ITEMS) != (site->value != CODE_NO_SLOT)) return false;
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

uint32_t vm_write_loop(Vm *vm, VmFrame *frame, const LoopSite *site, Value v, bool *done) {
    Row row;
    Piece pieces[PIECES_MOST];
    *done = false;
    if (site->object != CODE_NO_SLOT || site->spans > PIECES_MOST || !find_row(site, v, &row) || row.n == 0) return 0;
    if (row.n > vm->run.loops_left) return 0; /* the limit is reached within: item by item, to the place */
    const Insn *body = frame->function->insns + site->body;
    for (uint32_t i = 0; i < site->spans; i++) {
        const TextSpan *span = &frame->function->code->spans.items[body[i].c];
        if (!span->brief) return 0;
        /* Of two loop variables of one name the second counts. */
        bool second = span->slot == site->value, first = span->slot == site->target;
        pieces[i] = (Piece){span, first || second ? NULL : &frame->env->slots[span->slot],
                            second ? row.value : row.target, span->escape || vm->run.autoescape};
    }
    uint32_t written = site->spans == 1 && pieces[0].fixed == NULL ? write_items(vm, pieces, &row)
                                                                   : write_rows(vm, pieces, site->spans, &row);
    run_spend(&vm->run, written);
    if (v.kind == V_ONESHOT) v.as.oneshot->next += written;
    *done = written == row.n;
    return written; /* what stopped it is the body's to write */
}

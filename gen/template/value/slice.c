/* slice.c: x[start:stop:step] of texts, lists, tuples and ranges. Bounds past the ends are cut as Python cuts them;
 * texts are sliced by code point, and with a step of 1 the slice is a piece of the text itself. */
#include "template/value/inner.h"

#include "template/value/big.h"

typedef struct Slice {
    int64_t start, stop, step; /* cut to the length; -1 is in front of the first */
    int64_t n;                 /* elements */
} Slice;

/* An integer, or the nearest that 64 bits hold: bounds are cut to the length anyway. */
static int64_t bound(Run *run, Value v) {
    if (is_small(v)) return small(v);
    if (v.kind == V_BIG) return big_sign(v) < 0 ? INT64_MIN : INT64_MAX;
    if (v.kind == V_UNDEFINED) run_fail_undefined(run, v);
    run_fail(run, "the bounds of a slice must be integers or left out, not %s", val_type_name(v));
}

static int64_t cut(int64_t i, int64_t least, int64_t most, int64_t n) {
    if (i < 0) i += n;
    return i < least ? least : i > most ? most : i;
}

static Slice slice_of(Run *run, int64_t n, Value start, Value stop, Value step) {
    Slice slice = {.step = step.kind == V_NONE ? 1 : bound(run, step)};
    if (slice.step == 0) run_fail(run, "the step of a slice must not be zero");
    if (slice.step == INT64_MIN) slice.step = -INT64_MAX; /* so that it can be negated; no list is so long */
    bool back = slice.step < 0;
    int64_t least = back ? -1 : 0, most = back ? n - 1 : n;
    slice.start = start.kind == V_NONE ? (back ? most : least) : cut(bound(run, start), least, most, n);
    slice.stop = stop.kind == V_NONE ? (back ? least : most) : cut(bound(run, stop), least, most, n);
    if (!back && slice.start < slice.stop) slice.n = (slice.stop - slice.start - 1) / slice.step + 1;
    if (back && slice.start > slice.stop) slice.n = (slice.start - slice.stop - 1) / -slice.step + 1;
    return slice;
}

static size_t skip_back(Str s, size_t at, uint64_t count) {
    for (; count > 0 && at > 0; count--) {
        do
            at--;
        while (at > 0 && ((unsigned char)s.p[at] & 0xc0) == 0x80);
    }
    return at;
}

static Value text_slice(Run *run, Value v, Value start, Value stop, Value step) {
    Str s = val_text(v);
    bool ascii = text_is_ascii(s);
    Slice slice = slice_of(run, (int64_t)(ascii ? s.n : str_count(s)), start, stop, step);
    Value result = {.kind = V_STR, .flags = v.flags & VAL_SAFE, .as.s = ""};
    if (slice.n == 0) return result;
    size_t at = ascii ? (size_t)slice.start : text_skip(s, 0, (uint64_t)slice.start);
    if (slice.step == 1) {
        size_t end = ascii ? at + (size_t)slice.n : text_skip(s, at, (uint64_t)slice.n);
        if (at == 0 && end == s.n) return v;
        result.as.s = s.p + at;
        result.n = (uint32_t)(end - at);
        return result;
    }
    Buf buf;
    buf_init(&buf, run->arena);
    buf_room(&buf, (size_t)slice.n);
    for (int64_t i = 0; i < slice.n; i++) {
        size_t end = ascii ? at + 1 : text_skip(s, at, 1);
        buf_add(&buf, str(s.p + at, end - at));
        if (i + 1 == slice.n) break;
        if (ascii)
            at = (size_t)((int64_t)at + slice.step);
        else
            at = slice.step > 0 ? text_skip(s, at, (uint64_t)slice.step) : skip_back(s, at, (uint64_t)-slice.step);
    }
    result.as.s = buf.p;
    result.n = (uint32_t)buf.n;
    return result;
}

static Value list_slice(Run *run, Value v, Value start, Value stop, Value step) {
    const List *from = v.as.list;
    Slice slice = slice_of(run, from->n, start, stop, step);
    List *list = list_new(run->arena, (uint32_t)slice.n);
    for (int64_t i = 0; i < slice.n; i++)
        list->items[i] = from->items[slice.start + i * slice.step];
    list->n = (uint32_t)slice.n;
    v.as.list = list;
    v.flags = 0;
    return v;
}

/* A range again, whose stop is where the slice's own end would be, as in Python. */
static Value range_slice(Run *run, const Range *from, Value start, Value stop, Value step) {
    Slice slice = slice_of(run, from->n, start, stop, step);
    Range *range = arena_alloc(run->arena, sizeof *range);
    range->n = slice.n;
    int64_t first, last;
    bool too_large = __builtin_mul_overflow(slice.start, from->step, &first) ||
                     __builtin_add_overflow(first, from->start, &range->start) ||
                     __builtin_mul_overflow(slice.stop, from->step, &last) ||
                     __builtin_add_overflow(last, from->start, &range->stop) ||
                     __builtin_mul_overflow(slice.step, from->step, &range->step);
    if (too_large) run_fail_as(run, E_LIMIT, S(""), "the slice of a range has bounds that do not fit 64 bits");
    return VAL(V_RANGE, range, range);
}

Value val_get_slice(Run *run, Value v, Value start, Value stop, Value step) {
    switch (v.kind) {
    case V_STR:
        return text_slice(run, v, start, stop, step);
    case V_LIST:
    case V_TUPLE:
        return list_slice(run, v, start, stop, step);
    case V_RANGE:
        return range_slice(run, v.as.range, start, stop, step);
    case V_UNDEFINED:
        if (run->undefined == UNDEFINED_CHAINABLE && !(v.flags & VAL_LENIENT)) return v;
        run_fail_undefined(run, v);
    case V_ONESHOT:
        run_fail_as(run, E_RENDER, S("|list makes a list of it"), "what %s gives cannot be sliced", v.as.oneshot->name);
    default:
        run_fail(run, "cannot slice %s", val_type_name(v));
    }
}

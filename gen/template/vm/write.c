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
    if (n > 32) {
        memcpy(to, from, n);
    } else if (n >= 16) {
        char head[16], tail[16];
        memcpy(head, from, 16), memcpy(tail, from + n - 16, 16);
        memcpy(to, head, 16), memcpy(to + n - 16, tail, 16);
    } else if (n >= 8) {
        uint64_t head, tail;
        memcpy(&head, from, 8), memcpy(&tail, from + n - 8, 8);
        memcpy(to, &head, 8), memcpy(to + n - 8, &tail, 8);
    } else if (n >= 4) {
        uint32_t head, tail;
        memcpy(&head, from, 4), memcpy(&tail, from + n - 4, 4);
        memcpy(to, &head, 4), memcpy(to + n - 4, &tail, 4);
    } else if (n > 0) {
        to[0] = from[0], to[n / 2] = from[n / 2], to[n - 1] = from[n - 1];
    }
    return to + n;
}

static const char digit_pairs[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
    "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
    "9899";

/* Into at least INT_ROOM bytes; the end of what was written. */
static inline char *write_int(char *to, int64_t i) {
    uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    if (i < 0) *to++ = '-';
    if (u < 100) {
        if (u >= 10) *to++ = digit_pairs[u * 2];
        *to++ = digit_pairs[u * 2 + 1];
        return to;
    }
    if (u < 10000) {
        uint32_t high = (uint32_t)u / 100, low = (uint32_t)u % 100;
        if (high >= 10) *to++ = digit_pairs[high * 2];
        *to++ = digit_pairs[high * 2 + 1];
        memcpy(to, digit_pairs + low * 2, 2);
        return to + 2;
    }
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

static inline bool is_plain(const char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (is_special[(unsigned char)p[i]]) return false;
    return true;
}

/* Written as it is, whatever the escaping. */
static inline bool is_direct(const Value *v, bool escape) {
    if (v->kind == V_INT) return true;
    return v->kind == V_STR && (!escape || (v->flags & VAL_SAFE) || is_plain(v->as.s, v->n));
}

void vm_write_escaped(Vm *vm, Value v) { vm_write(vm, is_direct(&v, true) ? v : escaped(vm, v), true); }

void vm_write_span(Vm *vm, const TextSpan *pair, const Value *v) {
    bool escape = pair->escape || vm->run.autoescape;
    if (__builtin_expect(is_direct(v, escape), 1)) {
        char *to = out_room(vm, pair->before.n + pair->after.n + (v->kind == V_STR ? v->n : INT_ROOM));
        to = copy_short(to, pair->before.p, pair->before.n);
        to = v->kind == V_STR ? copy_short(to, v->as.s, v->n) : write_int(to, v->as.i);
        to = copy_short(to, pair->after.p, pair->after.n);
        vm->out.n = (size_t)(to - vm->out.p);
        return;
    }
    vm_write_text(vm, pair->before);
    vm_write(vm, escape ? escaped(vm, *v) : *v, true);
    vm_write_text(vm, pair->after);
}

/* ---- loops that only write */

/* Writes items while they need nothing but copying; how many. stride: bytes from one to the next. The short texts
 * around them stay in registers. */
static uint32_t write_items(Vm *vm, const TextSpan *pair, const char *first, size_t stride, uint32_t n) {
    bool escape = pair->escape || vm->run.autoescape;
    enum { BRIEF = sizeof pair->before_bytes };
    char before[BRIEF], after[BRIEF];
    memcpy(before, pair->before_bytes, BRIEF), memcpy(after, pair->after_bytes, BRIEF);
    size_t before_n = pair->before.n, after_n = pair->after.n;
    char *to = vm->out.p + vm->out.n, *end = vm->out.p + vm->out.cap;
    uint32_t i = 0;
    for (; i < n; i++) {
        const Value *v = (const Value *)(const void *)(first + i * stride);
        if (!is_direct(v, escape)) break;
        size_t value_n = v->kind == V_STR ? v->n : INT_ROOM;
        if (__builtin_expect((size_t)(end - to) < value_n + 2 * BRIEF, 0)) {
            vm->out.n = (size_t)(to - vm->out.p);
            grow(vm, value_n + 2 * BRIEF);
            to = vm->out.p + vm->out.n, end = vm->out.p + vm->out.cap;
        }
        memcpy(to, before, BRIEF);
        to += before_n;
        to = v->kind == V_STR ? copy_short(to, v->as.s, v->n) : write_int(to, v->as.i);
        memcpy(to, after, BRIEF);
        to += after_n;
    }
    vm->out.n = (size_t)(to - vm->out.p);
    return i;
}

/* Where the loop's items lie in a row in memory: a list, or the keys or values of a dict nothing was removed from. */
static bool items_in_row(const LoopSite *site, const TextSpan *pair, const LoopState *loop, const char **first,
                         size_t *stride, uint32_t *n) {
    if (!pair->brief) return false;
    if (loop->mode == LOOP_OVER_LIST && site->value == CODE_NO_SLOT && pair->slot == site->target) {
        *n = loop->list->n - loop->at;
        *first = (const char *)(loop->list->items + loop->at), *stride = sizeof(Value);
        return true;
    }
    if (loop->mode != LOOP_OVER_DICT || loop->dict->used != loop->dict->live || loop->dict->live != loop->dict_size)
        return false;
    if (pair->slot != site->target && pair->slot != site->value) return false;
    bool key = loop->view == VIEW_KEYS || (loop->view == VIEW_ITEMS && pair->slot != site->value);
    const DictEntry *entry = loop->dict->entries + loop->at;
    *n = loop->dict->used - loop->at;
    *first = (const char *)(key ? &entry->key : &entry->value), *stride = sizeof *entry;
    return true;
}

bool vm_write_loop(Vm *vm, VmFrame *frame, const LoopSite *site, LoopState *loop) {
    if (site->spans != 1) return false;
    const char *first;
    size_t stride;
    uint32_t n;
    const Code *code = frame->function->code;
    const TextSpan *pair = &code->spans.items[frame->function->insns[site->body].c];
    if (!items_in_row(site, pair, loop, &first, &stride, &n) || n == 0) return false;
    if (n > vm->run.loops_left) return false; /* the limit is reached within: item by item, to the place */
    uint32_t written = write_items(vm, pair, first, stride, n);
    run_spend(&vm->run, written);
    loop->at += written;
    if (loop->oneshot != NULL) loop->oneshot->next = loop->at;
    return written == n; /* what stopped it is the body's to write */
}

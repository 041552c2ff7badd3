/* binary.c: + - * / // % ** for every kind of value. Numbers go to number.c, % on text to text_percent; what is left is
 * joining and repeating texts, lists and tuples. Safe text stays safe: what is added to it is escaped first. */
#include "template/value/inner.h"

#include "template/value/big.h"

void fail_text_size(Run *run, uint64_t bytes) {
    run_fail_as(run, E_LIMIT, S(""), "a text of %ju bytes is longer than the limit of 4 GiB", (uintmax_t)bytes);
}

void fail_list_size(Run *run, uint64_t elements) {
    run_fail_as(run, E_LIMIT, S(""), "a list of %ju elements is longer than the limit of %ju", (uintmax_t)elements,
                (uintmax_t)LIST_MOST);
}

void fail_operands(Run *run, Op op, Value a, Value b) {
    bool joins = op == OP_ADD && (a.kind == V_STR) != (b.kind == V_STR);
    run_fail_as(run, E_RENDER, joins ? S("~ joins values of any kind as text") : S(""), "cannot use %s on %s and %s",
                op_text(op), val_type_name(a), val_type_name(b));
}

static Value add_texts(Run *run, Value a, Value b) {
    if ((a.flags | b.flags) & VAL_SAFE) {
        a = text_escape(run, a);
        b = text_escape(run, b);
    }
    if (a.n == 0) return b;
    if (b.n == 0) return a;
    return text_append(run, a, val_text(b), a.flags & VAL_SAFE);
}

static Value add_lists(Run *run, Value a, Value b) {
    const List *x = a.as.list, *y = b.as.list;
    uint64_t n = (uint64_t)x->n + y->n;
    if (n > LIST_MOST) fail_list_size(run, n);
    List *sum = list_new(run->arena, (uint32_t)n);
    if (x->n != 0) memcpy(sum->items, x->items, x->n * sizeof(Value));
    if (y->n != 0) memcpy(sum->items + x->n, y->items, y->n * sizeof(Value));
    sum->n = (uint32_t)n;
    a.as.list = sum;
    a.flags = 0;
    return a;
}

/* Copies the first `size` bytes of p over the rest of n, in pieces that double. */
static void fill(char *p, size_t size, size_t n) {
    for (size_t done = size; done < n;) {
        size_t piece = done < n - done ? done : n - done;
        memcpy(p + done, p, piece);
        done += piece;
    }
}

static Value repeat(Run *run, Value sequence, Value times) {
    uint32_t length = sequence.kind == V_STR ? sequence.n : sequence.as.list->n;
    if (times.kind == V_BIG && big_sign(times) > 0)
        run_fail_as(run, E_LIMIT, S(""), "%s cannot be repeated so often: the number does not fit 64 bits",
                    val_type_name(sequence));
    uint64_t count = times.kind == V_BIG || small(times) < 0 ? 0 : (uint64_t)small(times), n;
    if (__builtin_mul_overflow(count, (uint64_t)length, &n)) n = UINT64_MAX;
    if (sequence.kind == V_STR) {
        if (n > TEXT_MOST) fail_text_size(run, n);
        if (count == 1) return sequence;
        Value text = {.kind = V_STR, .flags = sequence.flags & VAL_SAFE, .n = (uint32_t)n, .as.s = ""};
        if (n == 0) return text;
        char *p = arena_alloc(run->arena, n);
        memcpy(p, sequence.as.s, length);
        fill(p, length, n);
        text.as.s = p;
        if (n >= ARENA_LARGE) run->fresh = p;
        return text;
    }
    if (n > LIST_MOST) fail_list_size(run, n);
    List *list = list_new(run->arena, (uint32_t)n);
    list->n = (uint32_t)n;
    if (n != 0) {
        memcpy(list->items, sequence.as.list->items, length * sizeof(Value));
        fill((char *)list->items, length * sizeof(Value), n * sizeof(Value));
    }
    sequence.as.list = list;
    sequence.flags = 0;
    return sequence;
}

Value val_binary(Run *run, Op op, Value a, Value b) {
    if (val_is_number(a) && val_is_number(b)) return number_binary(run, op, a, b);
    if (op == OP_MOD && a.kind == V_STR) return text_percent(run, a, b);
    if (a.kind == V_UNDEFINED) run_fail_undefined(run, a);
    if (b.kind == V_UNDEFINED) run_fail_undefined(run, b);
    if (op == OP_ADD && a.kind == b.kind) {
        if (a.kind == V_STR) return add_texts(run, a, b);
        if (is_sequence(a)) return add_lists(run, a, b);
    }
    if (op == OP_MUL) {
        if ((a.kind == V_STR || is_sequence(a)) && val_is_int(b)) return repeat(run, a, b);
        if (val_is_int(a) && (b.kind == V_STR || is_sequence(b))) return repeat(run, b, a);
    }
    fail_operands(run, op, a, b);
}

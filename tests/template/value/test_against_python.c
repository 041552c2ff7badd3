/* test_against_python.c: numbers, slices and the printing of texts against Python itself.
 *
 * Random operands of every size are computed with here; operands and results go, numbers as bits, to
 * against_python.py, which computes the same and compares. The numbers are seeded, so each run tests the same ones. */
#include "value_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { OPERATIONS = 150000, REPRS = 300000 };

static uint64_t random_state = 0x2545f4914f6cdd1d;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x9e3779b97f4a7c15u;
}

static uint64_t random_below(uint64_t n) { return (random_bits() >> 11) % n; }

static double double_of(uint64_t bits) {
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static Value random_integer(void) {
    switch (random_below(6)) {
    case 0:
        return val_int((int64_t)random_below(7) - 3);
    case 1:
        return val_int((int64_t)random_bits() >> random_below(63));
    case 2: { /* next to a power of two */
        Value power = val_binary(&run, OP_POW, val_int(2), val_int((int64_t)random_below(1100)));
        Value near = val_binary(&run, OP_ADD, power, val_int((int64_t)random_below(5) - 2));
        return random_below(2) ? near : val_unary(&run, OP_NEG, near);
    }
    case 3:
        return val_bool(random_below(2) != 0);
    default: {
        mp_limb_t limbs[80];
        size_t n = 1 + random_below(random_below(20) == 0 ? 80 : 5);
        for (size_t i = 0; i < n; i++)
            limbs[i] = random_below(8) == 0 ? 0 : random_below(8) == 0 ? ~(mp_limb_t)0 : random_bits();
        limbs[n - 1] >>= random_below(64);
        return big_make(&run, limbs, n, random_below(2) != 0);
    }
    }
}

static Value random_float(void) {
    static const double special[] = {0.0,       -0.0, 1,      -1,     0.5,     2,      3,     INFINITY,
                                     -INFINITY, NAN,  0x1p53, 0x1p63, -0x1p63, 0x1p64, 1e308, 5e-324};
    switch (random_below(5)) {
    case 0:
        return val_float(special[random_below(sizeof special / sizeof special[0])]);
    case 1:
        return val_float((double)((int64_t)random_below(2001) - 1000) / 8);
    case 2:
        return val_float((double)((int64_t)random_bits() >> random_below(63)));
    case 3:
        return val_float(ldexp((double)(random_bits() >> 11), (int)random_below(200) - 150));
    default:
        return val_float(double_of(random_bits()));
    }
}

static Value random_number(void) { return random_below(3) == 0 ? random_float() : random_integer(); }

static void write_value(Buf *out, Value v) {
    if (v.kind == V_FLOAT) {
        uint64_t bits;
        memcpy(&bits, &v.as.f, sizeof bits);
        buf_format(out, "f%016jx", (uintmax_t)bits);
    } else {
        buf_char(out, v.kind == V_BOOL ? 'b' : 'i');
        big_print(out, v, 16);
    }
}

/* a op b, or "error". */
static void write_binary(Buf *out, Op op, Value a, Value b) {
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        assert_int_equal(trap.why, MEM_THROWN);
        buf_format(out, "error %S", run.error);
        return;
    }
    Value result = val_binary(&run, op, a, b);
    mem_untrap(&trap);
    write_value(out, result);
}

static Op random_op(void) {
    static const Op ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_FLOORDIV, OP_MOD, OP_POW};
    return ops[random_below(sizeof ops / sizeof ops[0])];
}

static const char *op_sign(Op op) {
    static const char *const signs[] = {[OP_ADD] = "+",       [OP_SUB] = "-", [OP_MUL] = "*", [OP_DIV] = "/",
                                        [OP_FLOORDIV] = "//", [OP_MOD] = "%", [OP_POW] = "**"};
    return signs[op];
}

static void write_operation(Buf *out) {
    Op op = random_op();
    Value a = random_number(), b = random_number();
    if (random_below(20) == 0) b = a;
    if (random_below(10) == 0) /* so that they may be equal though of different kinds */
        b = a.kind == V_FLOAT && !isnan(a.as.f) && !isinf(a.as.f)    ? val_of_double_int(&run, trunc(a.as.f))
            : val_is_int(a) && (a.kind != V_BIG || a.as.big->n < 16) ? val_float(val_to_double(&run, a))
                                                                     : b;
    if (op == OP_POW && random_below(4) != 0) b = val_int((int64_t)random_below(40) - 10);
    buf_add(out, str_c(op_sign(op)));
    buf_char(out, '\t'), write_value(out, a);
    buf_char(out, '\t'), write_value(out, b);
    buf_char(out, '\t'), write_binary(out, op, a, b);
    buf_format(out, "\t%d\t%d\t", number_order(a, b), val_hash(&run, a) == val_hash(&run, b));
    val_repr(&run, out, a);
    buf_char(out, '\n');
}

static void write_repr(Buf *out, double f) {
    buf_add(out, S("repr\t"));
    write_value(out, val_float(f));
    buf_char(out, '\t');
    float_repr(out, f);
    buf_char(out, '\n');
}

/* Bits of every kind, few decimals, sums of them, powers of two with their neighbours, and the smallest. */
static double random_for_repr(uint64_t i) {
    switch (i % 6) {
    case 0:
        return (double)random_below(1000000) / (double[]){10, 100, 1000, 1e6, 1e9}[random_below(5)];
    case 1:
        return (double)random_below(1000) / 10 + (double)random_below(1000) / 1000;
    case 2:
        return nextafter(ldexp(1, (int)random_below(2098) - 1074), (double)random_below(3) * 1e308);
    case 3:
        return ldexp((double)random_below(1 << 20), -1074);
    case 4:
        return (double)(random_bits() >> 11) / (double)(1 + random_below(1000));
    default:
        return double_of(random_bits());
    }
}

/* 64 code points in one text; surrogates are not part of any. */
static void write_text(Buf *out, uint32_t from) {
    Buf characters;
    buf_init(&characters, &arena);
    for (uint32_t code = from; code < from + 64; code++)
        if (code < 0xd800 || code > 0xdfff) buf_code(&characters, code);
    buf_format(out, "text\t%u\t", from);
    val_repr(&run, out, val_str(&run, buf_str(&characters)));
    buf_char(out, '\n');
}

enum { BOUND_NONE = 9, STEP_MOST = 4 };

static Value slice_bound(int i) { return i == BOUND_NONE ? val_none() : val_int(i); }

/* Every slice of a list, a range and two texts, one of them beyond ASCII. */
static void write_slices(Buf *out, uint32_t n) {
    Buf ascii, wide;
    buf_init(&ascii, &arena), buf_init(&wide, &arena);
    List *list = list_new(&arena, n);
    for (uint32_t i = 0; i < n; i++) {
        list_push(&arena, list, val_int(i));
        buf_char(&ascii, (char)('a' + i));
        buf_code(&wide, (uint32_t[]){'a', 0xe9, 0x4e2d, 0x1f600}[i % 4] + i);
    }
    Value values[] = {val_list(list), range_of(3, 3 + 2 * (int64_t)n, 2, n), val_str(&run, buf_str(&ascii)),
                      val_str(&run, buf_str(&wide))};
    for (int start = -8; start <= BOUND_NONE; start++)
        for (int stop = -8; stop <= BOUND_NONE; stop++)
            for (int step = -STEP_MOST; step <= STEP_MOST; step++) {
                if (step == 0) continue;
                buf_format(out, "slice\t%u\t%d\t%d\t%d", n, start, stop, step);
                for (size_t i = 0; i < 4; i++) {
                    buf_char(out, '\t');
                    val_repr(&run, out,
                             val_get_slice(&run, values[i], slice_bound(start), slice_bound(stop), val_int(step)));
                }
                buf_char(out, '\n');
            }
}

/* Writes with `write` for every number below n. */
static void write_all(FILE *file, int n, void (*write)(Buf *out, int i)) {
    for (int i = 0; i < n; i++) {
        ArenaMark mark = arena_mark(&arena);
        Buf lines;
        buf_init(&lines, &arena);
        write(&lines, i);
        assert_int_equal(fwrite(lines.p, 1, lines.n, file), lines.n);
        arena_reset(&arena, mark);
        if (i % 1000 == 0) arena_free(&error_arena);
    }
}

static void operation(Buf *out, int i) {
    (void)i;
    write_operation(out);
}
static void random_repr(Buf *out, int i) { write_repr(out, random_for_repr((uint64_t)i)); }
static void power_of_two(Buf *out, int i) { write_repr(out, ldexp(1, i - 1074)); }
static void texts(Buf *out, int i) { write_text(out, (uint32_t)i * 64); }
static void slices(Buf *out, int i) { write_slices(out, (uint32_t)i); }

static void as_python(void **state) {
    (void)state;
    const char *folder = getenv("TMPDIR");
    const char *path =
        str_to_c(&arena, str_format(&arena, "%s/opgen-values-%ld", folder != NULL ? folder : "/tmp", (long)getpid()));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    write_all(file, OPERATIONS, operation);
    write_all(file, REPRS, random_repr);
    write_all(file, 2098, power_of_two);
    write_all(file, 0x110000 / 64, texts);
    write_all(file, 7, slices);
    assert_int_equal(fclose(file), 0);
    const char *command =
        str_to_c(&arena, str_format(&arena, "/usr/bin/python3 tests/template/value/against_python.py '%s'", path));
    int status = system(command);
    remove(path);
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {CASE(as_python)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_sym.c: symbolic integers. What must come out the same does, what is printed reads well, nothing grows without
 * bound, and random expressions have the values that Python gives them: computed here directly, by Python from the
 * printed text, and by a compiler from the printed C. */
#include "op/sym.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static Arena arena;
static Names names;
static Syms syms;
static SymRef n, m, batch, free_k;

static Name name_of(const char *c) { return names_get(&names, str_c(c)); }
static SymRef num(int64_t i) { return sym_int(&syms, i); }
static SymRef var(const char *c, int64_t low, int64_t high) { return sym_var(&syms, name_of(c), low, high); }
static SymRef position(const char *c, SymRef size) { return sym_index(&syms, name_of(c), size); }

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    names_init(&names, &arena);
    syms_init(&syms, &arena);
    n = var("n", 1, INT64_MAX), m = var("m", 1, INT64_MAX), batch = var("batch", 1, 256);
    free_k = var("k", INT64_MIN, INT64_MAX);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

#define ADD(a, b) sym_add(&syms, a, b)
#define SUB(a, b) sym_sub(&syms, a, b)
#define MUL(a, b) sym_mul(&syms, a, b)
#define DIV(a, b) sym_floordiv(&syms, a, b)
#define MOD(a, b) sym_mod(&syms, a, b)
#define MIN(a, b) sym_min(&syms, a, b)
#define MAX(a, b) sym_max(&syms, a, b)
#define LT(a, b) sym_lt(&syms, a, b)
#define LE(a, b) sym_le(&syms, a, b)
#define EQ(a, b) sym_eq(&syms, a, b)
#define NOT(a) sym_not(&syms, a)
#define AND(a, b) sym_and(&syms, a, b)
#define OR(a, b) sym_or(&syms, a, b)
#define SELECT(c, a, b) sym_select(&syms, c, a, b)

static const char *text(SymRef a) {
    Buf buf;
    buf_init(&buf, &arena);
    sym_print(&buf, a);
    return str_to_c(&arena, buf_str(&buf));
}

static const char *text_c(SymRef a) {
    Buf buf;
    buf_init(&buf, &arena);
    sym_print_c(&buf, a, S("d->"));
    return str_to_c(&arena, buf_str(&buf));
}

#define SAME(a, b)                                                                                                     \
    do {                                                                                                               \
        SymRef got_ = (a), wanted_ = (b);                                                                              \
        if (got_ != wanted_) fail_msg("%s is %s, not %s", #a, text(got_), text(wanted_));                              \
        assert_false(syms.overflow);                                                                                   \
    } while (0)

static void polynomials_have_one_form(void **state) {
    (void)state;
    SymRef a = var("a", INT64_MIN, INT64_MAX), b = var("b", INT64_MIN, INT64_MAX);
    SAME(MUL(ADD(a, b), num(2)), ADD(MUL(num(2), a), MUL(num(2), b)));
    SAME(MUL(ADD(a, b), SUB(a, b)), SUB(MUL(a, a), MUL(b, b)));
    SAME(SUB(ADD(a, b), b), a);
    SAME(SUB(a, a), num(0));
    SAME(MUL(MUL(a, b), n), MUL(n, MUL(b, a)));
    SAME(ADD(a, ADD(b, num(3))), ADD(ADD(num(1), b), ADD(a, num(2))));
    SAME(MUL(a, num(0)), num(0));
    SAME(var("a", INT64_MIN, INT64_MAX), a);
    assert_ptr_not_equal(position("i", n), position("i", m));
    SymRef c = LT(a, b);
    SAME(MUL(c, c), c);
}

static void divisions_are_taken_out(void **state) {
    (void)state;
    SAME(DIV(MUL(num(4), n), num(4)), n);
    SAME(DIV(MUL(batch, num(784)), num(784)), batch);
    SAME(MOD(MUL(batch, num(784)), num(784)), num(0));
    SAME(DIV(n, num(1)), n);
    SAME(MOD(n, num(1)), num(0));
    SAME(DIV(n, num(-1)), SUB(num(0), n));
    SAME(DIV(n, n), num(1));
    SAME(MOD(n, n), num(0));
    SAME(DIV(MUL(n, m), m), n);
    SAME(DIV(ADD(MUL(n, m), MUL(num(3), m)), m), ADD(n, num(3)));
    SAME(DIV(MUL(MUL(n, m), num(6)), MUL(m, num(2))), MUL(n, num(3)));
    SAME(DIV(MUL(num(6), n), num(4)), ADD(n, DIV(n, num(2))));
    SAME(DIV(ADD(MUL(num(4), n), num(3)), num(8)), DIV(n, num(2)));
    SAME(MOD(ADD(MUL(num(4), n), num(3)), num(8)), ADD(MUL(num(4), MOD(n, num(2))), num(3)));
    SAME(DIV(ADD(n, num(7)), num(4)), ADD(DIV(ADD(n, num(3)), num(4)), num(1)));
    SAME(DIV(DIV(n, num(3)), num(5)), DIV(n, num(15)));
    SAME(DIV(DIV(n, m), num(5)), DIV(n, MUL(m, num(5))));
    SAME(DIV(ADD(DIV(n, num(3)), num(2)), num(5)), DIV(ADD(n, num(6)), num(15)));
    SAME(MOD(MOD(n, num(12)), num(4)), MOD(n, num(4)));
    SAME(DIV(MOD(n, num(12)), num(4)), MOD(DIV(n, num(4)), num(3)));
    SAME(ADD(MUL(DIV(free_k, num(5)), num(5)), MOD(free_k, num(5))), free_k);
    SAME(SUB(free_k, MUL(DIV(free_k, num(5)), num(5))), MOD(free_k, num(5)));
    SAME(SUB(free_k, MOD(free_k, num(5))), MUL(DIV(free_k, num(5)), num(5)));
    SAME(DIV(SUB(n, MOD(n, num(4))), num(4)), DIV(n, num(4)));
    SAME(DIV(free_k, num(-3)), DIV(SUB(num(0), free_k), num(3)));
    SymRef next = ADD(n, num(1)); /* by a sum: (m + (n + 1)*k) // (n + 1) */
    SAME(DIV(ADD(position("i", next), MUL(next, free_k)), next), free_k);
    SAME(MOD(ADD(position("i", next), MUL(next, free_k)), next), position("i", next));
}

static void positions_are_smaller_than_sizes(void **state) {
    (void)state;
    SymRef i = position("i", n), j = position("j", m), four = position("t", num(4));
    SAME(MOD(ADD(i, MUL(n, j)), n), i);
    SAME(DIV(ADD(i, MUL(n, j)), n), j);
    SAME(DIV(i, n), num(0));
    SAME(MOD(SUB(i, n), n), i);
    SAME(DIV(SUB(i, n), n), num(-1));
    SAME(DIV(ADD(four, MUL(num(4), j)), num(8)), DIV(j, num(2)));
    SAME(MOD(ADD(four, MUL(num(4), j)), num(8)), ADD(four, MUL(num(4), MOD(j, num(2)))));
    SAME(DIV(ADD(i, MUL(n, free_k)), MUL(n, m)), DIV(free_k, m));
    SAME(MOD(ADD(i, MUL(n, free_k)), MUL(n, m)), ADD(i, MUL(n, MOD(free_k, m))));
    SAME(LT(i, n), num(1));
    SAME(LT(ADD(i, MUL(n, j)), MUL(n, m)), num(1));
    SAME(LE(num(0), i), num(1));
    SAME(EQ(i, n), num(0));
    SAME(LT(MOD(free_k, n), n), num(1));
    SAME(LE(MUL(DIV(free_k, num(4)), num(4)), free_k), num(1));
    SAME(LT(DIV(position("p", MUL(n, m)), m), n), num(1));
    SAME(position("one", num(1)), num(0));
}

/* A position split up over one shape and put together over another gives the indices again. */
static SymRef ravel(const SymRef *index, const SymRef *shape, unsigned rank) {
    SymRef at = num(0);
    for (unsigned k = 0; k < rank; k++)
        at = ADD(MUL(at, shape[k]), index[k]);
    return at;
}

static void unravel(SymRef at, const SymRef *shape, unsigned rank, SymRef *index) {
    for (unsigned k = rank; k-- > 0;) {
        index[k] = k == 0 ? at : MOD(at, shape[k]);
        at = DIV(at, shape[k]);
    }
}

static void flattened_indices_come_back(void **state) {
    (void)state;
    SymRef h = var("h", 1, 4096), w = var("w", 1, INT64_MAX), c = num(3);
    SymRef shape[4] = {batch, h, w, c}, index[4], again[4];
    static const char *const index_names[4] = {"i0", "i1", "i2", "i3"};
    for (unsigned k = 0; k < 4; k++)
        index[k] = position(index_names[k], shape[k]);
    SymRef at = ravel(index, shape, 4);
    unravel(at, shape, 4, again);
    for (unsigned k = 0; k < 4; k++)
        SAME(again[k], index[k]);
    SymRef flat = MUL(MUL(batch, h), MUL(w, c)), p = position("p", flat);
    unravel(p, shape, 4, again);
    SAME(ravel(again, shape, 4), p);
    SAME(LT(again[0], batch), num(1));
    /* through (batch*h, w*c) and back */
    SymRef two[2] = {MUL(batch, h), MUL(w, c)}, both[2];
    unravel(at, two, 2, both);
    SAME(both[0], ADD(MUL(index[0], h), index[1]));
    SAME(both[1], ADD(MUL(index[2], num(3)), index[3]));
    unravel(ravel(both, two, 2), shape, 4, again);
    for (unsigned k = 0; k < 4; k++)
        SAME(again[k], index[k]);
}

static void minima_and_maxima(void **state) {
    (void)state;
    SAME(MIN(n, ADD(n, num(1))), n);
    SAME(MAX(n, ADD(n, num(1))), ADD(n, num(1)));
    SAME(MIN(n, n), n);
    SAME(MIN(MIN(n, m), n), MIN(m, n));
    SAME(MIN(MIN(n, m), batch), MIN(batch, MIN(m, n)));
    SAME(MIN(ADD(n, num(3)), ADD(m, num(3))), ADD(MIN(n, m), num(3)));
    SAME(MIN(batch, num(256)), batch);
    SAME(MIN(batch, num(1)), num(1));
    SAME(MAX(n, num(1)), n);
    SAME(MAX(MAX(n, num(7)), num(9)), MAX(n, num(9)));
    SAME(LE(MIN(n, m), m), num(1));
    SAME(LE(n, MAX(m, n)), num(1));
    SAME(MIN(MAX(free_k, num(0)), num(0)), num(0));
}

static void conditions(void **state) {
    (void)state;
    SAME(NOT(NOT(LT(n, m))), LT(n, m));
    SAME(NOT(LT(n, m)), LE(m, n));
    SAME(LT(MUL(num(2), n), num(7)), LT(n, num(4)));
    SAME(LT(num(7), MUL(num(2), n)), LE(num(4), n));
    SAME(EQ(MUL(num(2), n), MUL(num(2), m)), EQ(m, n));
    SAME(EQ(MUL(num(2), n), num(7)), num(0));
    SAME(EQ(ADD(n, num(1)), n), num(0));
    SAME(EQ(batch, num(0)), num(0));
    SAME(AND(LT(n, m), LT(m, free_k)), AND(LT(m, free_k), LT(n, m)));
    SAME(OR(LT(n, m), LT(m, free_k)), OR(LT(m, free_k), LT(n, m)));
    SAME(AND(LT(n, m), LE(m, n)), num(0));
    SAME(OR(LT(n, m), LE(m, n)), num(1));
    SAME(AND(LT(n, m), num(1)), LT(n, m));
    SAME(SELECT(LT(n, m), num(1), num(0)), LT(n, m));
    SAME(SELECT(LT(n, m), n, n), n);
    SAME(SELECT(LE(m, n), n, m), SELECT(LT(n, m), m, n));
    SAME(SELECT(LT(n, m), SELECT(LT(n, m), n, m), batch), SELECT(LT(n, m), n, batch));
    assert_int_equal(sym_truth(LT(n, m)), -1);
    assert_int_equal(sym_truth(LT(num(0), batch)), 1);
    assert_int_equal(sym_truth(free_k), -1);
    assert_int_equal(sym_truth(n), 1);
}

static void replacing_simplifies(void **state) {
    (void)state;
    Map with;
    map_init(&with, &arena);
    SymRef i = position("i", n), j = position("j", m), p = var("p", 0, INT64_MAX);
    map_set(&with, name_of("p"), (void *)(uintptr_t)ADD(MUL(j, n), i));
    SAME(sym_replace(&syms, ADD(DIV(p, n), MUL(MOD(p, n), num(10))), &with), ADD(j, MUL(i, num(10))));
    SAME(sym_replace(&syms, MUL(MUL(p, p), num(3)), &with), MUL(num(3), MUL(ADD(MUL(j, n), i), ADD(MUL(j, n), i))));
    /* What is not chosen any more is not asked: m // n for n = 0. */
    SymRef size = var("size", 0, INT64_MAX);
    map_set(&with, name_of("size"), (void *)(uintptr_t)num(0));
    SAME(sym_replace(&syms, SELECT(EQ(size, num(0)), num(5), DIV(m, size)), &with), num(5));
    SAME(sym_replace(&syms, AND(LT(num(0), size), LT(DIV(m, size), free_k)), &with), num(0));
}

static void expect(SymRef a, const char *wanted, const char *wanted_c) {
    assert_string_equal(text(a), wanted);
    assert_string_equal(text_c(a), wanted_c);
}

static void printing(void **state) {
    (void)state;
    expect(num(-3), "-3", "-3");
    expect(num(INT64_MIN), "-9223372036854775808", "(-9223372036854775807 - 1)");
    expect(ADD(MUL(num(2), batch), num(1)), "2*batch + 1", "2*d->batch + 1");
    expect(SUB(m, n), "m - n", "d->m - d->n");
    expect(SUB(num(5), n), "5 - n", "5 - d->n");
    expect(SUB(num(-5), n), "-n - 5", "-d->n - 5");
    expect(MUL(MUL(n, n), m), "n*n*m", "d->n*d->n*d->m");
    expect(DIV(ADD(n, num(3)), num(4)), "(n + 3)//4", "(d->n + 3) / 4");
    expect(DIV(free_k, num(4)), "k//4", "opgen_floordiv(d->k, 4)");
    expect(MOD(n, m), "n % m", "d->n % d->m");
    expect(SUB(m, DIV(n, num(2))), "m - n//2", "d->m - d->n / 2");
    expect(SUB(num(-1), DIV(n, num(2))), "-(n//2) - 1", "-(d->n / 2) - 1");
    expect(MUL(m, DIV(n, num(2))), "m*(n//2)", "d->m*(d->n / 2)");
    expect(DIV(n, MUL(m, num(2))), "n//(2*m)", "d->n / (2*d->m)");
    expect(MIN(ADD(n, num(1)), m), "min(m, n + 1)", "opgen_min(d->m, d->n + 1)");
    expect(LT(n, m), "n < m", "d->n < d->m");
    expect(LE(n, m), "n <= m", "d->n <= d->m");
    expect(LT(ADD(n, num(1)), m), "n + 1 < m", "d->n + 1 < d->m");
    expect(LE(free_k, num(4)), "k <= 4", "d->k <= 4");
    expect(LT(num(4), free_k), "k > 4", "d->k > 4");
    expect(EQ(n, num(4)), "n == 4", "d->n == 4");
    expect(NOT(EQ(n, m)), "n != m", "d->n != d->m");
    expect(AND(LT(n, m), LT(m, free_k)), "n < m and m < k", "d->n < d->m && d->m < d->k");
    expect(OR(LT(n, m), LT(m, free_k)), "n < m or m < k", "d->n < d->m || d->m < d->k");
    expect(SELECT(LT(n, m), n, batch), "batch if m <= n else n", "(d->m <= d->n ? d->batch : d->n)");
    expect(MUL(num(3), LT(m, n)), "3*(m < n)", "3*(int64_t)(d->m < d->n)");
    expect(ADD(MOD(n, num(2)), num(1)), "n % 2 + 1", "d->n % 2 + 1");
}

static void what_does_not_fit_is_told(void **state) {
    (void)state;
    SymRef big = num(INT64_MAX);
    sym_add(&syms, big, num(1));
    assert_true(syms.overflow && syms.fault == SYM_TOO_LARGE);
    sym_clear_fault(&syms);
    assert_false(syms.overflow);
    MUL(MUL(n, num(1 << 30)), num(INT64_C(1) << 40));
    assert_true(syms.overflow && syms.fault == SYM_TOO_LARGE);
    sym_clear_fault(&syms);
    SymRef large = var("large", INT64_C(1) << 40, INT64_MAX); /* its square cannot fit, however small it is */
    MUL(large, large);
    assert_true(syms.overflow && syms.fault == SYM_TOO_LARGE);
    sym_clear_fault(&syms);
    DIV(n, num(0));
    assert_true(syms.overflow && syms.fault == SYM_DIVIDED_BY_ZERO);
    sym_clear_fault(&syms);
    MOD(n, num(0));
    assert_true(syms.overflow && syms.fault == SYM_DIVIDED_BY_ZERO);
    sym_clear_fault(&syms);
    SymRef power = free_k;
    for (int i = 0; i < 100 && !syms.overflow; i++)
        power = MUL(power, free_k);
    assert_true(syms.overflow && syms.fault == SYM_TOO_MANY);
    sym_clear_fault(&syms);
    SAME(DIV(num(-7), num(2)), num(-4));
    SAME(MOD(num(-7), num(2)), num(1));
    SAME(MOD(num(7), num(-2)), num(-1));
    SAME(MOD(num(INT64_MIN), num(INT64_MAX)), num(INT64_MAX - 1));
    SAME(MOD(num(1), num(INT64_MIN)), num(INT64_MIN + 1));
    SAME(DIV(num(INT64_MIN), num(INT64_MIN)), num(1));
    /* at the edge, where a constant rounded down would leave 64 bits */
    SymRef edge = ADD(MUL(num(6), free_k), num(INT64_MIN + 1));
    assert_string_equal(text(MOD(ADD(free_k, num(INT64_MIN + 1)), num(3))), "(k + 2) % 3");
    DIV(edge, num(9)), MOD(edge, num(9)), DIV(edge, MUL(num(6), n)), LT(edge, num(7)), EQ(edge, num(9));
    sym_clear_fault(&syms);
}

static void nothing_grows_without_end(void **state) {
    (void)state;
    SymRef a = n; /* twice as large as a tree each time */
    for (int i = 0; i < 200 && !syms.overflow; i++)
        a = ADD(DIV(a, num(3)), MOD(a, ADD(m, num(i))));
    assert_true(syms.overflow && syms.fault == SYM_TOO_MANY);
    sym_clear_fault(&syms);
    a = n; /* higher and higher */
    for (int i = 0; i < 1000 && !syms.overflow; i++)
        a = DIV(ADD(a, m), ADD(MUL(num(2), free_k), num(i)));
    assert_true(syms.overflow && syms.fault == SYM_TOO_MANY);
    sym_clear_fault(&syms);
    a = num(1); /* more and more terms */
    for (int i = 0; i < 60 && !syms.overflow; i++)
        a = MUL(a, ADD(var(str_to_c(&arena, str_format(&arena, "v%d", i)), 0, 10), num(1)));
    assert_true(syms.overflow && syms.fault == SYM_TOO_MANY);
    sym_clear_fault(&syms);
    Syms few;
    syms_init(&few, &arena);
    few.most = 100;
    for (int i = 0; i < 200; i++)
        sym_int(&few, i);
    assert_true(few.overflow && few.fault == SYM_TOO_MANY);
    assert_int_equal(few.all.n, 100);
}

/* ---- random expressions */
enum { CASES = 100000, ROUNDS = 4, VARIABLES = 8, TO_PYTHON = 6000, TO_C = 1500 };

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t random_below(uint64_t below) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state * 0x2545f4914f6cdd1d >> 20) % below;
}

static const struct {
    const char *name;
    int64_t low, high;
    int size; /* of a position: a variable's number */
} variables[VARIABLES] = {{"n", 1, 12, -1}, {"m", 1, 6, -1},   {"z", -7, 7, -1},
                          {"k", 0, 5, -1},  {"b", 1, 256, -1}, {"s", 0, INT64_C(1) << 31, -1},
                          {"i", 0, 0, 0},   {"j", 0, 0, 1}};

typedef enum TreeKind {
    NUMBER,
    VARIABLE,
    PLUS,
    MINUS,
    TIMES,
    DIVIDE,
    REST,
    LEAST,
    MOST,
    LESS,
    EQUAL,
    BOTH,
    CHOICE
} TreeKind;

typedef struct Tree {
    TreeKind kind;
    int64_t number;
    struct Tree *a, *b, *c;
} Tree;

static Tree *random_tree(int depth) {
    Tree *tree = ARENA_NEW(&arena, Tree);
    if (depth == 0 || random_below(5) == 0) {
        tree->kind = random_below(3) == 0 ? NUMBER : VARIABLE;
        static const int64_t numbers[] = {0, 1, -1, 2, 3, 4, 6, 8, 12, 5, 7, -2, -3, 784, 1 << 20, -8};
        tree->number = tree->kind == NUMBER ? numbers[random_below(16)] : (int64_t)random_below(VARIABLES);
        return tree;
    }
    static const TreeKind kinds[] = {PLUS,   PLUS, PLUS, MINUS, MINUS, TIMES, TIMES, TIMES, DIVIDE, DIVIDE,
                                     DIVIDE, REST, REST, REST,  LEAST, MOST,  LESS,  EQUAL, BOTH,   CHOICE};
    tree->kind = kinds[random_below(20)];
    tree->a = random_tree(depth - 1);
    tree->b = random_tree(depth - 1);
    if (tree->kind == CHOICE) tree->c = random_tree(depth - 1);
    return tree;
}

static SymRef sym_of(const Tree *tree, const SymRef *vars) {
    if (tree->kind == NUMBER) return num(tree->number);
    if (tree->kind == VARIABLE) return vars[tree->number];
    SymRef a = sym_of(tree->a, vars), b = sym_of(tree->b, vars);
    switch (tree->kind) {
    case PLUS:
        return ADD(a, b);
    case MINUS:
        return SUB(a, b);
    case TIMES:
        return MUL(a, b);
    case DIVIDE:
        return DIV(a, b);
    case REST:
        return MOD(a, b);
    case LEAST:
        return MIN(a, b);
    case MOST:
        return MAX(a, b);
    case LESS:
        return LT(a, b);
    case EQUAL:
        return EQ(a, b);
    case BOTH:
        return AND(a, b);
    default:
        return SELECT(sym_of(tree->c, vars), a, b);
    }
}

/* False: divides by zero or leaves 64 bits. Everything is computed, so that what a Sym may leave out is asked too. */
static bool value_of(const Tree *tree, const int64_t *values, int64_t *out) {
    int64_t a, b, c = 0;
    if (tree->kind == NUMBER || tree->kind == VARIABLE) {
        *out = tree->kind == NUMBER ? tree->number : values[tree->number];
        return true;
    }
    if (!value_of(tree->a, values, &a) || !value_of(tree->b, values, &b)) return false;
    if (tree->c != NULL && !value_of(tree->c, values, &c)) return false;
    switch (tree->kind) {
    case PLUS:
        return !__builtin_add_overflow(a, b, out);
    case MINUS:
        return !__builtin_sub_overflow(a, b, out);
    case TIMES:
        return !__builtin_mul_overflow(a, b, out);
    case DIVIDE:
    case REST: {
        if (b == 0 || (a == INT64_MIN && b == -1)) return false;
        int64_t rest = a % b;
        if (rest != 0 && (rest < 0) != (b < 0)) rest += b; /* Python's: the sign of the divisor */
        *out = tree->kind == REST ? rest : (a - rest) / b;
        return true;
    }
    case LEAST:
        *out = a < b ? a : b;
        return true;
    case MOST:
        *out = a > b ? a : b;
        return true;
    case LESS:
        *out = a < b;
        return true;
    case EQUAL:
        *out = a == b;
        return true;
    case BOTH:
        *out = a != 0 && b != 0;
        return true;
    default:
        *out = c != 0 ? a : b;
        return true;
    }
}

static void random_values(int64_t *values) {
    for (int v = 0; v < VARIABLES; v++) {
        int64_t low = variables[v].low, high = variables[v].high;
        if (variables[v].size >= 0) low = 0, high = values[variables[v].size] - 1;
        uint64_t kinds = random_below(4);
        values[v] = kinds == 0 ? low : kinds == 1 ? high : low + (int64_t)random_below((uint64_t)(high - low) + 1);
    }
}

static void make_variables(SymRef *vars) {
    for (int v = 0; v < VARIABLES; v++)
        vars[v] = variables[v].size >= 0 ? position(variables[v].name, vars[variables[v].size])
                                         : var(variables[v].name, variables[v].low, variables[v].high);
}

static void random_expressions_keep_their_values(void **state) {
    (void)state;
    uint64_t compared = 0, left_out = 0;
    SymRef vars[VARIABLES];
    make_variables(vars);
    int64_t values[VARIABLES];
    Map map;
    map_init(&map, &arena);
    for (int v = 0; v < VARIABLES; v++)
        map_set(&map, name_of(variables[v].name), &values[v]);
    for (int i = 0; i < CASES; i++) {
        if (i % 5000 == 0) { /* Syms made before change the order of terms: begin anew from time to time */
            syms_init(&syms, &arena);
            make_variables(vars);
        }
        Tree *tree = random_tree(2 + (int)random_below(4));
        sym_clear_fault(&syms);
        SymRef sym = sym_of(tree, vars);
        bool fault = syms.overflow;
        for (int round = 0; round < ROUNDS; round++) {
            random_values(values);
            int64_t wanted, got;
            if (!value_of(tree, values, &wanted)) continue;
            if (fault) { /* a fault may be in a part that does not matter, never in a small sum */
                left_out++;
                continue;
            }
            if (!sym_value(sym, &map, &got)) {
                left_out++; /* a sum of parts may leave 64 bits where the whole does not */
                continue;
            }
            if (got != wanted)
                fail_msg("case %d: %s is %lld, not %lld, for n=%lld m=%lld z=%lld k=%lld b=%lld s=%lld i=%lld j=%lld",
                         i, text(sym), (long long)got, (long long)wanted, (long long)values[0], (long long)values[1],
                         (long long)values[2], (long long)values[3], (long long)values[4], (long long)values[5],
                         (long long)values[6], (long long)values[7]);
            if (got < sym->low || got > sym->high)
                fail_msg("case %d: %s is %lld, outside of %lld .. %lld", i, text(sym), (long long)got,
                         (long long)sym->low, (long long)sym->high);
            compared++;
        }
    }
    print_message("           %llu values compared, %llu left out\n", (unsigned long long)compared,
                  (unsigned long long)left_out);
    assert_true(compared > CASES * 2 && left_out < compared / 100);
}

/* ---- what is printed, read by Python and by a C compiler */
static void print_tree(Buf *out, const Tree *tree) {
    static const char *const between[] = {"", "", " + ", " - ", "*", "//", " % ", ", ", ", ", " < ", " == ", "", ""};
    switch (tree->kind) {
    case NUMBER:
        buf_format(out, "(%lld)", (long long)tree->number);
        return;
    case VARIABLE:
        buf_add(out, str_c(variables[tree->number].name));
        return;
    case BOTH: /* of truths, as sym_and takes it; both are asked */
        buf_add(out, S("bool(bool("));
        print_tree(out, tree->a);
        buf_add(out, S(") & bool("));
        print_tree(out, tree->b);
        buf_add(out, S("))"));
        return;
    case CHOICE: /* all three are asked, as in value_of */
        buf_add(out, S("choice("));
        print_tree(out, tree->c);
        buf_add(out, S(", "));
        print_tree(out, tree->a);
        buf_add(out, S(", "));
        print_tree(out, tree->b);
        buf_char(out, ')');
        return;
    default:
        buf_add(out, tree->kind == LEAST ? S("min(") : tree->kind == MOST ? S("max(") : S("("));
        print_tree(out, tree->a);
        buf_add(out, str_c(between[tree->kind]));
        print_tree(out, tree->b);
        buf_char(out, ')');
    }
}

static const char *make_folder(void) {
    char *folder = arena_copy(&arena, "/tmp/opgen-sym-XXXXXX", sizeof "/tmp/opgen-sym-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static void write_file(const char *folder, const char *name, const Buf *text_of) {
    FILE *file = fopen(str_to_c(&arena, str_format(&arena, "%s/%s", folder, name)), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text_of->p, 1, text_of->n, file), text_of->n);
    assert_int_equal(fclose(file), 0);
}

static void run_there(const char *folder, const char *command) {
    int status = system(str_to_c(&arena, str_format(&arena, "cd %s && %s", folder, command)));
    assert_int_equal(status, 0);
    assert_int_equal(system(str_to_c(&arena, str_format(&arena, "rm -r %s", folder))), 0);
}

static void print_values(Buf *out, const int64_t *values, const char *before) {
    for (int v = 0; v < VARIABLES; v++)
        buf_format(out, "%s%s%s=%lld", v ? ", " : "", before, variables[v].name, (long long)values[v]);
}

static void python_reads_what_is_printed(void **state) {
    (void)state;
    SymRef vars[VARIABLES];
    make_variables(vars);
    Buf out;
    buf_init(&out, &arena);
    buf_add(&out, S("def choice(c, a, b): return a if c else b\ncases = [\n"));
    for (int i = 0; i < TO_PYTHON; i++) {
        Tree *tree = random_tree(2 + (int)random_below(3));
        sym_clear_fault(&syms);
        SymRef sym = sym_of(tree, vars);
        if (syms.overflow) continue;
        int64_t values[VARIABLES], ignored;
        random_values(values);
        if (!value_of(tree, values, &ignored)) continue;
        buf_add(&out, S("('''"));
        print_tree(&out, tree);
        buf_add(&out, S("''', '''"));
        sym_print(&out, sym);
        buf_add(&out, S("''', dict("));
        print_values(&out, values, "");
        buf_add(&out, S(")),\n"));
    }
    buf_add(&out, S("]\nassert len(cases) > 2000, len(cases)\n"
                    "for tree, printed, values in cases:\n"
                    "    wanted = eval(tree, dict(values, choice=choice))\n"
                    "    assert eval(printed, dict(values)) == wanted, (tree, printed, values, wanted)\n"));
    const char *folder = make_folder();
    write_file(folder, "cases.py", &out);
    run_there(folder, "python3 cases.py");
}

static void a_compiler_reads_what_is_printed(void **state) {
    (void)state;
    SymRef vars[VARIABLES];
    make_variables(vars);
    Buf out;
    buf_init(&out, &arena);
    buf_add(
        &out,
        S("#include <stdint.h>\n#include <stdio.h>\n"
          "static inline int64_t opgen_floordiv(int64_t a, int64_t b) {\n"
          "  if (b == 0) return 0;\n  int64_t q = a / b;\n  return q - (a % b != 0 && (a < 0) != (b < 0));\n}\n"
          "static inline int64_t opgen_mod(int64_t a, int64_t b) {\n"
          "  if (b == 0) return 0;\n  int64_t r = a % b;\n  return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n}\n"
          "static inline int64_t opgen_min(int64_t a, int64_t b) { return a < b ? a : b; }\n"
          "static inline int64_t opgen_max(int64_t a, int64_t b) { return a > b ? a : b; }\n"
          "static int check(int number, int64_t got, int64_t wanted) {\n"
          "  if (got != wanted) printf(\"case %d: %lld, not %lld\\n\", number, (long long)got, (long long)wanted);\n"
          "  return got != wanted;\n}\n"));
    int cases = 0;
    for (int i = 0; i < TO_C; i++) {
        Tree *tree = random_tree(2 + (int)random_below(3));
        sym_clear_fault(&syms);
        SymRef sym = sym_of(tree, vars);
        int64_t values[VARIABLES], wanted;
        random_values(values);
        if (syms.overflow || !value_of(tree, values, &wanted) || wanted == INT64_MIN) continue;
        buf_format(&out,
                   "static int case_%d(int64_t d_n, int64_t d_m, int64_t d_z, int64_t d_k, int64_t d_b, int64_t d_s, "
                   "int64_t d_i, int64_t d_j) {\n  (void)d_n, (void)d_m, (void)d_z, (void)d_k, (void)d_b, (void)d_s, "
                   "(void)d_i, (void)d_j;\n  return check(%d, ",
                   cases, cases);
        sym_print_c(&out, sym, S("d_"));
        buf_format(&out, ", INT64_C(%lld));\n}\nstatic int run_%d(void) { return case_%d(", (long long)wanted, cases,
                   cases);
        for (int v = 0; v < VARIABLES; v++)
            buf_format(&out, "%s%lld", v ? ", " : "", (long long)values[v]);
        buf_add(&out, S("); }\n"));
        cases++;
    }
    assert_true(cases > TO_C / 3);
    buf_add(&out, S("int main(void) {\n  int wrong = 0;\n"));
    for (int i = 0; i < cases; i++)
        buf_format(&out, "  wrong += run_%d();\n", i);
    buf_add(&out, S("  return wrong != 0;\n}\n"));
    const char *folder = make_folder();
    write_file(folder, "cases.c", &out);
    run_there(folder, "${CC:-cc} -std=c11 -O0 -Wall -Wextra -Wno-parentheses -Werror -fsanitize=undefined "
                      "-fno-sanitize-recover=undefined cases.c -o cases && ./cases");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(polynomials_have_one_form),
        CASE(divisions_are_taken_out),
        CASE(positions_are_smaller_than_sizes),
        CASE(flattened_indices_come_back),
        CASE(minima_and_maxima),
        CASE(conditions),
        CASE(replacing_simplifies),
        CASE(printing),
        CASE(what_does_not_fit_is_told),
        CASE(nothing_grows_without_end),
        CASE(random_expressions_keep_their_values),
        CASE(python_reads_what_is_printed),
        CASE(a_compiler_reads_what_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_order.c: ==, <, in, +, * and iteration of everything that is not a number. */
#include "value_test.h"

#include <math.h>

static bool equal(Value a, Value b) {
    bool there = val_equal(&run, a, b);
    assert_int_equal(there, val_equal(&run, b, a));
    return there;
}
static bool less(Value a, Value b) { return val_compare(&run, OP_LT, a, b); }
static bool in(Value item, Value container) { return val_compare(&run, OP_IN, item, container); }

static void equality(void **state) {
    (void)state;
    assert_true(equal(val_bool(true), val_float(1)));
    assert_false(equal(text("1"), val_int(1)));
    assert_false(equal(LIST(val_int(1)), TUPLE(val_int(1))));
    assert_true(equal(LIST(val_int(1), text("a")), LIST(val_float(1), name_value("a"))));
    assert_false(equal(LIST(val_int(1)), LIST(val_int(1), val_int(2))));
    assert_false(equal(val_float(NAN), val_float(NAN)));
    assert_true(equal(range_of(0, 3, 2, 2), range_of(0, 4, 2, 2)));
    assert_true(equal(range_of(0, 0, 1, 0), range_of(2, 1, 5, 0)));
    assert_false(equal(val_none(), val_bool(false)));
    Value a = val_dict(dict_new(&arena, 0)), b = val_dict(dict_new(&arena, 0));
    dict_set(&run, a.as.dict, text("x"), val_int(1)), dict_set(&run, a.as.dict, text("y"), LIST(val_int(2)));
    dict_set(&run, b.as.dict, text("y"), LIST(val_float(2))), dict_set(&run, b.as.dict, text("x"), val_bool(true));
    assert_true(equal(a, b)); /* whatever the order */
    assert_true(equal(view_of(a, VIEW_KEYS), view_of(b, VIEW_KEYS)));
    assert_true(equal(view_of(a, VIEW_ITEMS), view_of(b, VIEW_ITEMS)));
    assert_false(equal(view_of(a, VIEW_VALUES), view_of(a, VIEW_VALUES)));
    dict_set(&run, b.as.dict, text("x"), val_int(2));
    assert_false(equal(a, b));
    Value itself = LIST(val_int(1));
    list_push(&arena, itself.as.list, itself);
    assert_true(equal(itself, itself) && equal(LIST(itself), LIST(itself)));
}

static void order(void **state) {
    (void)state;
    assert_true(less(text("a"), text("b")) && less(text("a"), text("aa")) && less(text("Z"), text("\u00e9")));
    assert_true(less(LIST(val_int(1), val_int(2)), LIST(val_int(1), val_int(3))));
    assert_true(less(LIST(val_int(1)), LIST(val_int(1), text("x"))));
    assert_true(less(TUPLE(LIST(val_int(1))), TUPLE(LIST(val_int(2)))));
    assert_false(val_compare(&run, OP_LE, val_float(NAN), val_float(1)) ||
                 val_compare(&run, OP_GE, val_float(NAN), val_float(1)));
    assert_true(val_compare(&run, OP_GE, val_int(2), val_float(2)));
    EXPECT_FAIL(less(val_int(1), text("a")), "cannot compare int with str using <", "");
    EXPECT_FAIL(val_compare(&run, OP_GE, val_none(), val_int(1)), "cannot compare NoneType with int using >=", "");
    EXPECT_FAIL(less(LIST(val_int(1)), LIST(text("a"))), "cannot compare int with str using <", "");
    EXPECT_FAIL(less(LIST(val_int(1)), TUPLE(val_int(1))), "cannot compare list with tuple using <", "");
    EXPECT_FAIL(less(val_dict(dict_new(&arena, 0)), val_dict(dict_new(&arena, 0))),
                "cannot compare dict with dict using <", "");
}

/* Two trees of 2^60 leaves in 60 lists each: the loop limit ends it. A chain of 100,000: the depth limit does. */
static void hostile(void **state) {
    (void)state;
    Value a = LIST(val_int(1)), b = LIST(val_int(1)), c = TUPLE(val_int(1));
    for (int i = 0; i < 60; i++)
        a = LIST(a, a), b = LIST(b, b), c = TUPLE(c, c);
    EXPECT_FAIL(val_equal(&run, a, b), "the loops of this rendering went past the limit of 100000 iterations",
                "--max-loops sets another limit");
    assert_int_equal(run.error_code, E_LIMIT);
    EXPECT_FAIL(val_hash(&run, c), "the loops of this rendering went past the limit of 100000 iterations",
                "--max-loops sets another limit");
    run.loops_left = run.limits.loops;
    for (int i = 0; i < 2000; i++)
        a = LIST(a), b = LIST(b), c = TUPLE(c);
    EXPECT_FAIL(val_equal(&run, a, b), "a value is nested too deeply to be compared: the limit is 1000 levels", "");
    EXPECT_FAIL(val_order(&run, a, b, OP_LT), "a value is nested too deeply to be compared: the limit is 1000 levels",
                "");
    EXPECT_FAIL(val_hash(&run, c), "a value is nested too deeply to be hashed: the limit is 1000 levels", "");
}

static void membership(void **state) {
    (void)state;
    assert_true(in(text("ell"), text("hello")) && in(text(""), text("")) && !in(text("x"), text("hello")));
    assert_true(in(val_float(2), LIST(val_int(1), val_int(2))) && !in(val_int(3), TUPLE(val_int(1))));
    Value dict = val_dict(dict_new(&arena, 0));
    dict_set(&run, dict.as.dict, text("a"), val_int(1));
    assert_true(in(text("a"), dict) && !in(val_int(1), dict) && in(text("a"), view_of(dict, VIEW_KEYS)));
    assert_true(in(val_int(1), view_of(dict, VIEW_VALUES)) &&
                in(TUPLE(text("a"), val_int(1)), view_of(dict, VIEW_ITEMS)));
    assert_false(in(TUPLE(text("a"), val_int(2)), view_of(dict, VIEW_ITEMS)));
    Value range = range_of(INT64_MAX - 5, INT64_MIN, -3, 6148914691236517203);
    assert_true(in(val_int(INT64_MAX - 5), range) && in(val_int(INT64_MAX - 8), range) &&
                !in(val_int(INT64_MAX - 6), range));
    assert_true(in(val_float(4), range_of(0, 10, 2, 5)) && !in(val_float(4.5), range_of(0, 10, 2, 5)));
    assert_true(in(val_bool(true), range_of(0, 10, 1, 10)) && !in(text("1"), range_of(0, 10, 1, 10)));
    Value oneshot = val_oneshot(&run, "map", LIST(val_int(1), val_int(2), val_int(3)).as.list);
    assert_true(in(val_int(2), oneshot) && !in(val_int(1), oneshot)); /* what was gone through is gone */
    EXPECT_FAIL(in(val_int(1), text("a")), "cannot look for int in str: only a str can be in it", "");
    EXPECT_FAIL(in(val_int(1), val_int(1)), "cannot look for something in int: it holds no elements", "");
    EXPECT_FAIL(in(LIST(val_int(1)), dict), "list cannot be used as a key", "");
}

static Value add(Value a, Value b) { return val_binary(&run, OP_ADD, a, b); }
static Value times(Value a, Value b) { return val_binary(&run, OP_MUL, a, b); }

static void joining(void **state) {
    (void)state;
    expect_repr(add(text("a"), text("b")), "'ab'");
    expect_repr(add(LIST(val_int(1)), LIST(val_int(2))), "[1, 2]");
    expect_repr(add(TUPLE(val_int(1)), TUPLE(val_int(2))), "(1, 2)");
    expect_repr(times(text("ab"), val_int(3)), "'ababab'");
    expect_repr(times(val_int(2), LIST(val_int(1), val_int(2))), "[1, 2, 1, 2]");
    expect_repr(times(val_bool(true), TUPLE(val_int(1))), "(1,)");
    expect_repr(times(text("ab"), val_int(-1)), "''");
    expect_repr(times(text("ab"), integer("-99999999999999999999")), "''");
    Value safe = text("<b>");
    safe.flags |= VAL_SAFE;
    expect_repr(add(safe, text("<i>")), "Markup('<b>&lt;i&gt;')");
    expect_repr(add(text("<i>"), safe), "Markup('&lt;i&gt;<b>')");
    expect_repr(times(safe, val_int(2)), "Markup('<b><b>')");
    EXPECT_FAIL(add(text("a"), val_int(1)), "cannot use + on str and int", "~ joins values of any kind as text");
    EXPECT_FAIL(add(LIST(val_int(1)), TUPLE(val_int(1))), "cannot use + on list and tuple", "");
    EXPECT_FAIL(val_binary(&run, OP_SUB, val_none(), val_int(1)), "cannot use - on NoneType and int", "");
    EXPECT_FAIL(times(text("a"), val_float(2)), "cannot use * on str and float", "");
    EXPECT_FAIL(times(text("abc"), val_int(1000000000000)),
                "a text of 3000000000000 bytes is longer than the limit of 4 GiB", "");
    EXPECT_FAIL(times(text("abc"), val_int(INT64_MAX)),
                "a text of 18446744073709551615 bytes is longer than the limit of 4 GiB", "");
    EXPECT_FAIL(times(LIST(val_int(1)), val_int((int64_t)1 << 40)),
                "a list of 1099511627776 elements is longer than the limit of 2147483648", "");
    EXPECT_FAIL(times(text("a"), integer("99999999999999999999")),
                "str cannot be repeated so often: the number does not fit 64 bits", "");
    EXPECT_FAIL(val_unary(&run, OP_NEG, text("a")), "cannot use unary - on str", "");
}

static void numbers_that_fail(void **state) {
    (void)state;
    EXPECT_FAIL(val_binary(&run, OP_DIV, val_int(1), val_int(0)), "division by zero", "");
    EXPECT_FAIL(val_binary(&run, OP_FLOORDIV, integer("99999999999999999999"), val_bool(false)), "division by zero",
                "");
    EXPECT_FAIL(val_binary(&run, OP_MOD, val_float(1), val_float(-0.0)), "modulo by zero", "");
    EXPECT_FAIL(val_binary(&run, OP_POW, val_int(0), val_int(-1)), "zero cannot be raised to a negative power", "");
    EXPECT_FAIL(val_binary(&run, OP_POW, val_int(-8), val_float(0.5)),
                "a negative number raised to a fractional power is complex, which there is no type for", "");
    EXPECT_FAIL(val_binary(&run, OP_POW, val_float(10), val_int(400)), "the result of ** is too large for a float", "");
    EXPECT_FAIL(val_binary(&run, OP_POW, val_int(10), val_int(100000)),
                "an integer would need more than 16384 bits (4932 digits), which is the limit", "");
    EXPECT_FAIL(val_binary(&run, OP_ADD, val_binary(&run, OP_POW, val_int(10), val_int(400)), val_float(1)),
                "an integer is too large to be converted to float", "");
    Buf digits;
    buf_init(&digits, &arena);
    buf_fill(&digits, '9', 5000);
    EXPECT_FAIL(val_integer(&run, buf_str(&digits)),
                "an integer of 5000 digits is larger than 16384 bits (4932 digits), which is the limit", "");
    expect_repr(val_binary(&run, OP_POW, val_int(2), val_int(-2)), "0.25");
    assert_int_equal(val_binary(&run, OP_POW, val_int(-2), val_int(16383)).as.big->n, BIG_MOST_LIMBS);
    EXPECT_FAIL(val_binary(&run, OP_POW, val_int(2), val_int(16384)),
                "an integer would need more than 16384 bits (4932 digits), which is the limit", "");
    EXPECT_FAIL(val_arg_int(&run, text("x"), "count"), "\"count\" must be an integer, not str", "");
    EXPECT_FAIL(val_arg_int(&run, integer("99999999999999999999"), "count"),
                "the integer given as \"count\" does not fit 64 bits", "");
    EXPECT_FAIL(val_of_double_int(&run, INFINITY), "inf cannot be converted to an integer", "");
    expect_repr(val_of_double_int(&run, -1e30), "-1000000000000000019884624838656");
}

static void iteration(void **state) {
    (void)state;
    ValueIter it;
    Value v, list = LIST(val_int(1));
    val_iter(&run, &it, list);
    for (int i = 1; val_next(&run, &it, &v); i++) { /* what is appended meanwhile is seen */
        assert_int_equal(v.as.i, i);
        if (i < 20) list_push(&arena, list.as.list, val_int(i + 1));
    }
    assert_int_equal(list.as.list->n, 20);
    expect_repr(val_list(val_to_list(&run, text("a\u00e9\U0001f600"))), "['a', '\u00e9', '\U0001f600']");
    expect_repr(val_list(val_to_list(&run, range_of(5, 0, -2, 3))), "[5, 3, 1]");
    assert_int_equal(val_length(&run, text("a\u00e9\U0001f600")), 3);
    Value oneshot = val_oneshot(&run, "map", LIST(val_int(1), val_int(2)).as.list);
    assert_true(val_truth(&run, oneshot));
    expect_repr(val_list(val_to_list(&run, oneshot)), "[1, 2]");
    expect_repr(val_list(val_to_list(&run, oneshot)), "[]");
    EXPECT_FAIL(val_length(&run, oneshot), "what map gives has no length: its elements come one by one",
                "|list makes a list of it");
    EXPECT_FAIL(val_iter(&run, &it, val_int(3)), "cannot go through int: it holds no elements", "");
    EXPECT_FAIL(val_length(&run, val_int(3)), "int has no length", "");
    assert_false(val_truth(&run, range_of(0, 0, 1, 0)) || val_truth(&run, val_float(0)) || val_truth(&run, text("")));
    assert_true(val_truth(&run, val_float(NAN)) && val_truth(&run, integer("99999999999999999999")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(equality),          CASE(order),     CASE(hostile), CASE(membership), CASE(joining),
        CASE(numbers_that_fail), CASE(iteration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

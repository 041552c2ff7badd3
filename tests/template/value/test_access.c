/* test_access.c: attributes, items and slices, and what is said of those that are not there. */
#include "value_test.h"

static Value attr(Value v, const char *name) { return val_get_attr(&run, v, names_get(&names, str_c(name))); }
static Value item(Value v, Value key) { return val_get_item(&run, v, key); }
static Value slice(Value v, int start, int stop, int step) {
    return val_get_slice(&run, v, val_int(start), val_int(stop), val_int(step));
}

static Value sample(void) {
    Value dict = val_dict(dict_new(&arena, 0));
    dict_set(&run, dict.as.dict, name_value("name"), text("x"));
    dict_set(&run, dict.as.dict, name_value("items"), val_int(3));
    return dict;
}

static void dicts(void **state) {
    (void)state;
    Value dict = sample();
    expect_repr(attr(dict, "name"), "'x'");
    expect_repr(item(dict, text("name")), "'x'");
    expect_repr(item(dict, text("items")), "3");
    assert_int_equal(attr(dict, "items").kind, V_METHOD);
    assert_null(dict_find_attr(dict.as.dict, names_get(&names, S("items"))));
    assert_non_null(dict_find_attr(dict.as.dict, names_get(&names, S("name"))));
    ValueIter it;
    EXPECT_FAIL(val_iter(&run, &it, attr(dict, "items")), "cannot go through method: it holds no elements",
                "it is called as items(); the key of that name is [\"items\"]");
    assert_int_equal(item(val_dict(dict_new(&arena, 0)), text("items")).kind, V_METHOD);
    assert_int_equal(item(dict, LIST(val_int(1))).kind, V_UNDEFINED);
    EXPECT_FAIL(val_to_str(&run, attr(dict, "nmae")), "a dict has no key or attribute \"nmae\"",
                "did you mean \"name\"?");
    EXPECT_FAIL(val_to_str(&run, item(dict, text("zzzzzz"))), "a dict has no key or attribute \"zzzzzz\"", "");
    EXPECT_FAIL(val_to_str(&run, item(dict, val_int(5))), "a dict has no key 5", "");
    EXPECT_FAIL(item(dict, val_undefined(&run, val_missing(), text("k"))), "\"k\" is not defined", "");
    uint32_t known = names.n;
    for (int i = 0; i < 100; i++)
        item(dict, val_format(&run, "no such key %d", i));
    assert_int_equal(names.n, known); /* asking leaves no names behind */
}

static void lists(void **state) {
    (void)state;
    Value list = LIST(val_int(10), val_int(20), val_int(30));
    expect_repr(item(list, val_int(0)), "10");
    expect_repr(item(list, val_int(-1)), "30");
    expect_repr(item(list, val_bool(true)), "20");
    EXPECT_FAIL(val_to_str(&run, item(list, val_int(3))), "list index 3 is out of range: it has 3 elements", "");
    EXPECT_FAIL(val_to_str(&run, item(list, val_int(-4))), "list index -4 is out of range: it has 3 elements", "");
    EXPECT_FAIL(val_to_str(&run, item(list, integer("99999999999999999999"))),
                "list index 99999999999999999999 is out of range: it has 3 elements", "");
    EXPECT_FAIL(val_to_str(&run, item(list, val_float(1))), "a list cannot be indexed with 1.0", "");
    EXPECT_FAIL(val_to_str(&run, item(list, text("a"))), "a list has no attribute \"a\"", "");
    EXPECT_FAIL(val_to_str(&run, item(val_tuple(list_new(&arena, 0)), val_int(0))),
                "tuple index 0 is out of range: it is empty", "");
    EXPECT_FAIL(val_to_str(&run, attr(val_int(5), "size")), "an int has no attribute \"size\"", "");
    EXPECT_FAIL(val_to_str(&run, attr(val_none(), "size")), "None has no attribute \"size\"", "");
    EXPECT_FAIL(val_to_str(&run, item(val_none(), val_int(1))), "None has no elements, so none at 1", "");
    EXPECT_FAIL(val_to_str(&run, item(list, val_undefined(&run, val_missing(), text("i")))), "\"i\" is not defined",
                "");
    expect_repr(slice(list, 1, 3, 1), "[20, 30]");
    expect_repr(slice(list, -2, 100, 1), "[20, 30]");
    expect_repr(slice(list, 2, -100, -1), "[30, 20, 10]");
    expect_repr(slice(list, 2, 0, -2), "[30]");
    expect_repr(slice(list, 2, 1, 1), "[]");
    expect_repr(val_get_slice(&run, list, val_none(), val_none(), val_int(-1)), "[30, 20, 10]");
    expect_repr(
        val_get_slice(&run, list, integer("-99999999999999999999"), integer("99999999999999999999"), val_int(2)),
        "[10, 30]");
    expect_repr(val_get_slice(&run, TUPLE(val_int(1), val_int(2)), val_int(1), val_none(), val_none()), "(2,)");
    EXPECT_FAIL(slice(list, 0, 1, 0), "the step of a slice must not be zero", "");
    EXPECT_FAIL(val_get_slice(&run, list, text("a"), val_none(), val_none()),
                "the bounds of a slice must be integers or left out, not str", "");
    EXPECT_FAIL(slice(val_int(1), 0, 1, 1), "cannot slice int", "");
}

static void texts(void **state) {
    (void)state;
    Value ascii = text("hello world"), wide = text("h\u00e9l\u4e2d\U0001f600o, wide enough");
    expect_repr(item(ascii, val_int(1)), "'e'");
    expect_repr(item(ascii, val_int(-1)), "'d'");
    expect_repr(item(wide, val_int(4)), "'\U0001f600'");
    expect_repr(item(wide, val_int(-14)), "'o'");
    expect_repr(item(wide, val_int(5)), "'o'");
    assert_int_equal(item(wide, val_int(18)).kind == V_STR, 1);
    EXPECT_FAIL(val_to_str(&run, item(text("\u00e9"), val_int(1))), "str index 1 is out of range: it has 1 character",
                "");
    expect_repr(slice(ascii, 2, 5, 1), "'llo'");
    expect_repr(slice(ascii, 10, 0, -3), "'dooe'");
    expect_repr(slice(wide, 1, 5, 1), "'\u00e9l\u4e2d\U0001f600'");
    expect_repr(slice(wide, 0, 6, 2), "'hl\U0001f600'");
    expect_repr(slice(wide, 5, 0, -1), "'o\U0001f600\u4e2dl\u00e9'");
    expect_repr(val_get_slice(&run, text("\u00e9a"), val_none(), val_none(), val_int(-1)), "'a\u00e9'");
    Value safe = text("<b>");
    safe.flags |= VAL_SAFE;
    expect_repr(slice(safe, 0, 2, 1), "Markup('<b')");
    expect_repr(item(safe, val_int(1)), "Markup('b')");
}

static void ranges(void **state) {
    (void)state;
    Value range = range_of(0, 10, 1, 10), large = range_of(0, 1000000000000000000, 1, 1000000000000000000);
    expect_repr(item(range, val_int(-2)), "8");
    expect_repr(item(large, val_int(-1)), "999999999999999999");
    expect_repr(slice(range, 2, 5, 1), "range(2, 5)");
    expect_repr(val_get_slice(&run, range, val_none(), val_none(), val_int(-1)), "range(9, -1, -1)");
    expect_repr(slice(range, 5, 2, 1), "range(5, 2)");
    expect_repr(slice(range, 1, 9, 3), "range(1, 9, 3)");
    expect_repr(slice(range_of(10, 0, -3, 4), 1, 3, 1), "range(7, 1, -3)");
    expect_repr(attr(range, "stop"), "10");
    EXPECT_FAIL(val_to_str(&run, item(range, val_int(10))), "range index 10 is out of range: it has 10 elements", "");
    EXPECT_FAIL(val_to_list(&run, large),
                "a range of 1000000000000000000 elements is longer than the limit of 100000 iterations", "");
}

static Str suggest(Run *r, Str wrong) {
    (void)r;
    return str_eq(wrong, S("itesm")) ? S("items") : S("");
}

static void undefined(void **state) {
    (void)state;
    Value v = val_undefined(&run, val_missing(), text("itesm"));
    run.suggest = suggest;
    EXPECT_FAIL(val_truth(&run, v), "\"itesm\" is not defined", "did you mean \"items\"?");
    EXPECT_FAIL(attr(v, "x"), "\"itesm\" is not defined", "did you mean \"items\"?");
    EXPECT_FAIL(val_equal(&run, v, val_int(1)), "\"itesm\" is not defined", "did you mean \"items\"?");
    EXPECT_FAIL(val_length(&run, v), "\"itesm\" is not defined", "did you mean \"items\"?");
    EXPECT_FAIL(val_to_list(&run, v), "\"itesm\" is not defined", "did you mean \"items\"?");
    EXPECT_FAIL(val_binary(&run, OP_ADD, val_int(1), v), "\"itesm\" is not defined", "did you mean \"items\"?");
    assert_int_equal(run.error_code, E_UNDEFINED);
    EXPECT_FAIL(val_unary(&run, OP_NEG, val_undefined_hint(&run, S("parameter 'a' was not given"))),
                "parameter 'a' was not given", "");
    run.undefined = UNDEFINED_LENIENT;
    assert_false(val_truth(&run, v));
    assert_int_equal(val_length(&run, v), 0);
    assert_int_equal(val_to_list(&run, v)->n, 0);
    assert_true(val_equal(&run, v, val_undefined(&run, val_none(), text("other"))));
    assert_false(val_equal(&run, v, val_none()));
    expect_print(v, "");
    EXPECT_FAIL(attr(v, "x"), "\"itesm\" is not defined", "did you mean \"items\"?");
    EXPECT_FAIL(item(v, val_int(0)), "\"itesm\" is not defined", "did you mean \"items\"?");
    EXPECT_FAIL(val_order(&run, v, val_int(0), OP_LT), "\"itesm\" is not defined", "did you mean \"items\"?");
    run.undefined = UNDEFINED_CHAINABLE;
    assert_true(val_same(attr(v, "x"), v));
    assert_true(val_same(item(v, val_int(0)), v));
    assert_true(val_same(slice(v, 0, 1, 1), v));
    EXPECT_FAIL(val_binary(&run, OP_MUL, v, val_int(2)), "\"itesm\" is not defined", "did you mean \"items\"?");
}

int main(void) {
    const struct CMUnitTest tests[] = {CASE(dicts), CASE(lists), CASE(texts), CASE(ranges), CASE(undefined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

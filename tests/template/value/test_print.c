/* test_print.c: str() and repr() of every kind of value, as Python 3.11 writes them. */
#include "value_test.h"

#include <math.h>

static void scalars(void **state) {
    (void)state;
    expect_repr(val_none(), "None");
    expect_repr(val_bool(true), "True");
    expect_repr(val_bool(false), "False");
    expect_repr(val_int(0), "0");
    expect_repr(val_int(7), "7");
    expect_repr(val_int(-10), "-10");
    expect_repr(val_int(12345), "12345");
    expect_repr(val_int(INT64_MAX), "9223372036854775807");
    expect_repr(val_int(INT64_MIN), "-9223372036854775808");
    expect_repr(integer("123456789012345678901234567890"), "123456789012345678901234567890");
    expect_repr(integer("-9223372036854775809"), "-9223372036854775809");
    assert_int_equal(integer("9223372036854775807").kind, V_INT);
    assert_int_equal(integer("-9223372036854775808").kind, V_INT);
    assert_int_equal(integer("9223372036854775808").kind, V_BIG);
    expect_repr(integer("0xFFffFFffFFffFFffFF"), "4722366482869645213695");
    expect_repr(integer("0b101"), "5");
    expect_repr(integer("0o17"), "15");
    expect_repr(integer("0000"), "0");
    expect_repr(val_size(&run, UINT64_MAX), "18446744073709551615");
}

static void floats(void **state) {
    (void)state;
    const struct {
        double f;
        const char *text;
    } cases[] = {
        {1, "1.0"},
        {-0.0, "-0.0"},
        {0.1, "0.1"},
        {1e-6, "1e-06"},
        {0.0001, "0.0001"},
        {0.00012, "0.00012"},
        {1e16, "1e+16"},
        {1e15, "1000000000000000.0"},
        {9999999999999998, "9999999999999998.0"},
        {123456.789, "123456.789"},
        {5e-324, "5e-324"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e22, "1e+22"},
        {1.5e300, "1.5e+300"},
        {1e-100, "1e-100"},
        {2e-5, "2e-05"},
        {1234567890123456.7, "1234567890123456.8"},
        {0x1p-44, "5.684341886080802e-14"},
        {1e100, "1e+100"},
        {-2.5, "-2.5"},
        {100, "100.0"},
        {0.5, "0.5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_repr(val_float(cases[i].f), cases[i].text);
}

static void texts(void **state) {
    (void)state;
    expect_repr(text("a"), "'a'");
    expect_repr(text("it's"), "\"it's\"");
    expect_repr(text("'\""), "'\\'\"'");
    expect_repr(text("\"q\""), "'\"q\"'");
    expect_repr(text("a\\b\n\r\t\x01\x7f"), "'a\\\\b\\n\\r\\t\\x01\\x7f'");
    expect_repr(text("h\u00e9 \u4e2d \U0001f600"), "'h\u00e9 \u4e2d \U0001f600'");
    expect_repr(text("\xc2\x85\u00a0\u00ad\u200b\u2028\ufeff\U000e0001\U0010ffff"),
                "'\\x85\\xa0\\xad\\u200b\\u2028\\ufeff\\U000e0001\\U0010ffff'");
    Value safe = text("<b>");
    safe.flags |= VAL_SAFE;
    expect_repr(safe, "Markup('<b>')");
    expect_print(safe, "<b>");
    expect_print(text("it's"), "it's");
}

static void containers(void **state) {
    (void)state;
    expect_repr(LIST(val_int(1), text("a"), val_float(2), val_none()), "[1, 'a', 2.0, None]");
    expect_repr(val_list(list_new(&arena, 0)), "[]");
    expect_repr(val_tuple(list_new(&arena, 0)), "()");
    expect_repr(TUPLE(val_int(1)), "(1,)");
    expect_repr(TUPLE(val_int(1), LIST(val_bool(true))), "(1, [True])");
    Value dict = val_dict(dict_new(&arena, 0));
    expect_repr(dict, "{}");
    dict_set(&run, dict.as.dict, text("a"), val_int(1));
    dict_set(&run, dict.as.dict, val_int(2), LIST(text("x")));
    expect_print(dict, "{'a': 1, 2: ['x']}");
    expect_repr(view_of(dict, VIEW_KEYS), "dict_keys(['a', 2])");
    expect_repr(view_of(dict, VIEW_VALUES), "dict_values([1, ['x']])");
    expect_repr(view_of(dict, VIEW_ITEMS), "dict_items([('a', 1), (2, ['x'])])");
    expect_repr(range_of(0, 3, 1, 3), "range(0, 3)");
    expect_repr(range_of(5, -5, -2, 5), "range(5, -5, -2)");
    run.undefined = UNDEFINED_LENIENT;
    expect_repr(LIST(val_undefined(&run, val_missing(), text("x"))), "[Undefined]");
    expect_print(val_undefined(&run, val_missing(), text("x")), "");
}

static void in_itself(void **state) {
    (void)state;
    Value list = LIST(val_int(1));
    list_push(&arena, list.as.list, list);
    expect_repr(list, "[1, [...]]");
    Value dict = val_dict(dict_new(&arena, 0));
    dict_set(&run, dict.as.dict, text("d"), dict);
    dict_set(&run, dict.as.dict, text("l"), list);
    expect_repr(dict, "{'d': {...}, 'l': [1, [...]]}");
    expect_repr(LIST(list, list), "[[1, [...]], [1, [...]]]");
    Value tuple = TUPLE(LIST(val_int(0)));
    tuple.as.list->items[0].as.list->items[0] = tuple;
    expect_repr(tuple, "([(...)],)");
}

static void too_deep(void **state) {
    (void)state;
    Value v = LIST(val_int(1));
    for (int i = 1; i < VAL_MOST_DEPTH; i++)
        v = LIST(v);
    Value text_of_it = val_to_str(&run, v);
    assert_int_equal(text_of_it.n, 2 * VAL_MOST_DEPTH + 1);
    for (int i = 0; i < 100000; i++)
        v = LIST(v);
    EXPECT_FAIL(val_to_str(&run, v), "a value is nested too deeply to be printed: the limit is 1000 levels", "");
    expect_repr(LIST(val_int(1)), "[1]"); /* a failure leaves nothing behind */
}

static Value nothing(Run *r, const Value *a, void *user) {
    (void)r, (void)a, (void)user;
    return val_none();
}

static void not_printable(void **state) {
    (void)state;
    EXPECT_FAIL(val_to_str(&run, val_oneshot(&run, "map", list_new(&arena, 0))),
                "what map gives cannot be printed: its elements come one by one", "|list makes a list of it");
    Native native = {"range", nothing, ""};
    Bound bound = {&native, NULL, val_missing()};
    EXPECT_FAIL(val_to_str(&run, VAL(V_FUNC, bound, &bound)), "the function range cannot be printed",
                "it is called as range()");
    EXPECT_FAIL(val_to_str(&run, val_undefined(&run, val_missing(), text("x"))), "\"x\" is not defined", "");
}

/* An object that prints the dict it keeps, as a namespace does. */
typedef struct Keeper {
    Object object;
    Value dict;
} Keeper;

static void print_keeper(Run *r, Object *object, Buf *out) {
    buf_add(out, S("<Keeper "));
    val_repr(r, out, ((Keeper *)object)->dict);
    buf_add(out, S(">"));
}

static void objects(void **state) {
    (void)state;
    static const Class class = {.name = "keeper", .print = print_keeper}, silent = {.name = "macro"};
    Keeper keeper = {{&class}, val_dict(dict_new(&arena, 0))};
    dict_set(&run, keeper.dict.as.dict, text("me"), val_object(&keeper.object));
    expect_repr(val_object(&keeper.object), "<Keeper {'me': ...}>");
    Object object = {&silent};
    EXPECT_FAIL(val_to_str(&run, val_object(&object)), "macro cannot be printed", "");
}

static void json(void **state) {
    (void)state;
    Json inner[] = {{.kind = JSON_INT, .as.i = 1}, {.kind = JSON_STRING, .as.s = S("x")}};
    JsonMember members[] = {
        {.key = names_get(&names, S("a")), .value = {.kind = JSON_ARRAY, .as.array = {inner, 2}}},
        {.key = names_get(&names, S("b")), .value = {.kind = JSON_OBJECT}},
        {.key = names_get(&names, S("c")), .value = {.kind = JSON_BIGINT, .as.s = S("-18446744073709551616")}},
        {.key = names_get(&names, S("d")), .value = {.kind = JSON_NULL}},
        {.key = names_get(&names, S("e")), .value = {.kind = JSON_FLOAT, .as.f = 0.5}},
        {.key = names_get(&names, S("f")), .value = {.kind = JSON_BOOL, .as.b = true}},
    };
    Json object = {.kind = JSON_OBJECT, .as.object = {members, 6}};
    Json outer[] = {object, object};
    Json array = {.kind = JSON_ARRAY, .as.array = {outer, 2}};
    expect_repr(val_of_json(&arena, &array),
                "[{'a': [1, 'x'], 'b': {}, 'c': -18446744073709551616, 'd': None, 'e': 0.5, 'f': True}, "
                "{'a': [1, 'x'], 'b': {}, 'c': -18446744073709551616, 'd': None, 'e': 0.5, 'f': True}]");
    assert_non_null(dict_find_name(val_of_json(&arena, &object).as.dict, names_get(&names, S("e"))));

    /* As deep as hand-made data may be: no recursion. */
    enum { DEEP = 100000 };
    Json *chain = ARENA_ARRAY(&arena, Json, DEEP);
    for (uint32_t i = 0; i < DEEP; i++) {
        chain[i].kind = JSON_ARRAY;
        if (i > 0) chain[i].as.array.items = &chain[i - 1], chain[i].as.array.n = 1;
    }
    Value v = val_of_json(&arena, &chain[DEEP - 1]);
    for (int i = 1; i < DEEP; i++)
        v = v.as.list->items[0];
    assert_int_equal(v.as.list->n, 0);

    Buf digits;
    buf_init(&digits, &arena);
    buf_fill(&digits, '9', 5000);
    Json large = {.kind = JSON_BIGINT, .as.s = buf_str(&digits)};
    Value undefined = val_of_json(&arena, &large);
    EXPECT_FAIL(val_to_str(&run, undefined),
                "an integer of the data has 5000 digits, which is more than the limit of 4932", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(scalars),  CASE(floats),        CASE(texts),   CASE(containers), CASE(in_itself),
        CASE(too_deep), CASE(not_printable), CASE(objects), CASE(json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_dict.c: dicts with keys of every kind, growing, shrinking and being gone through meanwhile. */
#include "value_test.h"

static void keys_of_all_kinds(void **state) {
    (void)state;
    Dict *dict = dict_new(&arena, 0);
    dict_set(&run, dict, val_int(1), text("one"));
    assert_non_null(dict_find(&run, dict, val_bool(true)));
    assert_non_null(dict_find(&run, dict, val_float(1)));
    dict_set(&run, dict, val_bool(true), text("true"));
    expect_repr(val_dict(dict), "{1: 'true'}"); /* the key stays the first one */
    dict_set(&run, dict, TUPLE(val_int(1), text("a")), val_int(2));
    assert_non_null(dict_find(&run, dict, TUPLE(val_float(1), name_value("a"))));
    assert_null(dict_find(&run, dict, TUPLE(val_int(1))));
    dict_set(&run, dict, val_none(), val_int(3));
    assert_int_equal(dict_find(&run, dict, val_none())->as.i, 3);
    dict_set(&run, dict, integer("18446744073709551616"), val_int(4));
    assert_int_equal(dict_find(&run, dict, val_float(0x1p64))->as.i, 4);
    dict_set(&run, dict, range_of(0, 3, 1, 3), val_int(5));
    assert_int_equal(dict_find(&run, dict, range_of(0, 3, 1, 3))->as.i, 5);
    Value safe = text("x");
    safe.flags |= VAL_SAFE;
    dict_set(&run, dict, safe, val_int(6));
    assert_int_equal(dict_find(&run, dict, text("x"))->as.i, 6);
    assert_int_equal(dict_find_name(dict, names_get(&names, S("x")))->as.i, 6);
    EXPECT_FAIL(dict_set(&run, dict, LIST(val_int(1)), val_none()), "list cannot be used as a key", "");
    EXPECT_FAIL(dict_find(&run, dict, val_dict(dict)), "dict cannot be used as a key", "");
    EXPECT_FAIL(dict_find(&run, dict, TUPLE(LIST(val_int(1)))),
                "tuple cannot be used as a key: it holds a list or a dict", "");
    EXPECT_FAIL(dict_find(&run, dict, val_undefined(&run, val_missing(), text("k"))), "\"k\" is not defined", "");
}

static void many(void **state) {
    (void)state;
    enum { MANY = 5000 };
    Dict *dict = dict_new(&arena, 0);
    for (int i = 0; i < MANY; i++) {
        dict_set(&run, dict, val_int(i), val_int(-i));
        dict_set_in(&arena, dict, val_format(&run, "k%d", i), val_int(i));
    }
    assert_int_equal(dict->live, 2 * MANY);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(dict_find(&run, dict, val_int(i))->as.i, -i);
        assert_int_equal(dict_find_name(dict, names_get(&names, val_text(val_format(&run, "k%d", i))))->as.i, i);
    }
    assert_null(dict_find(&run, dict, val_int(MANY)));
    assert_null(dict_find_name(dict, names_get(&names, S("k"))));
    for (int i = 0; i < MANY; i += 2) {
        Value removed;
        assert_true(dict_remove(&run, dict, val_int(i), &removed));
        assert_int_equal(removed.as.i, -i);
        assert_false(dict_remove(&run, dict, val_int(i), NULL));
    }
    assert_int_equal(dict->live, MANY + MANY / 2);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(dict_find(&run, dict, val_int(i)) != NULL, i % 2);
    Dict *copy = dict_copy(&arena, dict);
    assert_true(val_equal(&run, val_dict(copy), val_dict(dict)));
    assert_int_equal(copy->used, copy->live);
    dict_clear(dict);
    assert_int_equal(dict->live, 0);
    assert_null(dict_find(&run, dict, val_int(1)));
    dict_set(&run, dict, val_int(1), val_int(2));
    assert_int_equal(dict_find(&run, dict, val_int(1))->as.i, 2);
    assert_int_equal(copy->live, MANY + MANY / 2);
}

/* A queue of keys takes no more memory however many go through it. */
static void queue(void **state) {
    (void)state;
    Dict *dict = dict_new(&arena, 0);
    for (int i = 0; i < 20; i++)
        dict_set(&run, dict, val_int(i), val_int(i));
    size_t held = 0;
    for (int i = 20; i < 50000; i++) {
        assert_true(dict_remove(&run, dict, val_int(i - 20), NULL));
        dict_set(&run, dict, val_int(i), val_int(i));
        if (i == 1000) held = arena.held;
    }
    assert_int_equal(arena.held, held);
    assert_int_equal(dict->live, 20);
    uint32_t first = dict_next(dict, 0);
    assert_int_equal(dict->entries[first].key.as.i, 49980);
}

static void gone_through(void **state) {
    (void)state;
    Value dict = val_dict(dict_new(&arena, 0));
    dict_set(&run, dict.as.dict, text("a"), val_int(1));
    dict_set(&run, dict.as.dict, text("b"), val_int(2));
    ValueIter it;
    Value v;
    val_iter(&run, &it, dict);
    assert_true(val_next(&run, &it, &v));
    expect_repr(v, "'a'");
    dict_set(&run, dict.as.dict, text("b"), val_int(3)); /* a new value is no new size */
    assert_true(val_next(&run, &it, &v));
    expect_repr(v, "'b'");
    assert_false(val_next(&run, &it, &v));
    val_iter(&run, &it, view_of(dict, VIEW_ITEMS));
    assert_true(val_next(&run, &it, &v));
    expect_repr(v, "('a', 1)");
    dict_set(&run, dict.as.dict, text("c"), val_int(3));
    EXPECT_FAIL(val_next(&run, &it, &v), "the dict changed its size while a loop goes through it",
                "go through a list of its keys: |list");
    expect_repr(val_list(val_to_list(&run, view_of(dict, VIEW_VALUES))), "[1, 3, 3]");
    assert_true(dict_remove(&run, dict.as.dict, text("a"), NULL));
    expect_repr(val_list(val_to_list(&run, dict)), "['b', 'c']");
}

int main(void) {
    const struct CMUnitTest tests[] = {CASE(keys_of_all_kinds), CASE(many), CASE(queue), CASE(gone_through)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

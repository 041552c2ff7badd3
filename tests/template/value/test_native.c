/* test_native.c: arguments given to functions of C by position and by name. */
#include "value_test.h"

/* Gives back what it was given, as a list with None for what was left out. */
static Value collect(Run *r, const Value *a, void *user) {
    List *list = list_new(r->arena, 0);
    for (uint32_t i = 0; i < *(const uint32_t *)user; i++)
        list_push(r->arena, list, a[i].kind == V_MISSING ? val_none() : a[i]);
    return val_list(list);
}

/* count is how many values the function reads; keywords: "name" and value in turns in kw. */
static Value call(const char *params, uint32_t count, Value self, uint32_t n, const Value *args, uint32_t kn,
                  const Value *kw) {
    Native native = {"replace", collect, params};
    Name keywords[8];
    Value values[8];
    for (uint32_t i = 0; i < kn / 2; i++) {
        keywords[i] = names_get(&names, val_text(kw[2 * i]));
        values[i] = kw[2 * i + 1];
    }
    return native_call(&run, &native, &count, self, args, n, keywords, values, kn / 2);
}
#define NONE 0, NULL

static void bound(void **state) {
    (void)state;
    Value self = text("s");
    expect_repr(call("", 1, self, NONE, NONE), "['s']");
    expect_repr(call("old new count?", 4, self, ITEMS(val_int(1), val_int(2)), NONE), "['s', 1, 2, None]");
    expect_repr(
        call("old new count?", 4, self, ITEMS(val_int(1)), ITEMS(text("count"), val_int(3), text("new"), val_int(2))),
        "['s', 1, 2, 3]");
    expect_repr(call("old new", 2, val_missing(), NONE, ITEMS(text("new"), val_int(2), text("old"), val_int(1))),
                "[1, 2]");
    expect_repr(call("a *args **kwargs", 3, val_missing(), ITEMS(val_int(1), val_int(2), val_int(3)),
                     ITEMS(text("z"), val_int(9))),
                "[1, (2, 3), {'z': 9}]");
    expect_repr(call("*args key? **kwargs", 3, val_missing(), NONE, ITEMS(text("key"), val_int(1))), "[(), 1, {}]");
    expect_repr(call("*args key?", 2, val_missing(), ITEMS(val_int(1), val_int(2)), NONE), "[(1, 2), None]");
    expect_repr(
        call("a? b? c? d? e? f? g? h? i? j? k? l? m? n? o? p? q? r?", 19, self, ITEMS(val_int(1)),
             ITEMS(text("r"), val_int(2))),
        "['s', 1, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, 2]");
}

static void by_place_or_name(void **state) {
    (void)state;
    Value self = text("s");
    expect_repr(call("old new count? /", 4, self, ITEMS(val_int(1), val_int(2)), NONE), "['s', 1, 2, None]");
    expect_repr(
        call("a / b * c", 3, val_missing(), ITEMS(val_int(1)), ITEMS(text("c"), val_int(3), text("b"), val_int(2))),
        "[1, 2, 3]");
    expect_repr(call("a / **kwargs", 2, val_missing(), ITEMS(val_int(1)), ITEMS(text("a"), val_int(3))),
                "[1, {'a': 3}]");
    EXPECT_FAIL(call("old new count? /", 4, self, ITEMS(val_int(1), val_int(2)), ITEMS(text("count"), val_int(3))),
                "replace() takes its argument \"count\" by place, not by name", "");
    EXPECT_FAIL(call("a * b", 2, val_missing(), ITEMS(val_int(1), val_int(2)), NONE),
                "replace() takes 1 argument by place, but 2 were given", "");
    EXPECT_FAIL(call("a * b", 2, val_missing(), ITEMS(val_int(1)), NONE), "replace() is missing its argument \"b\"",
                "");
}

static void refused(void **state) {
    (void)state;
    Value self = text("s");
    EXPECT_FAIL(call("old new count?", 4, self, ITEMS(val_int(1)), NONE), "replace() is missing its argument \"new\"",
                "");
    EXPECT_FAIL(call("old new count?", 4, self, NONE, NONE), "replace() is missing its arguments \"old\", \"new\"", "");
    EXPECT_FAIL(call("old new count?", 4, self, ITEMS(val_int(1), val_int(2), val_int(3), val_int(4)), NONE),
                "replace() takes at most 3 arguments, but 4 were given", "");
    EXPECT_FAIL(call("", 1, self, ITEMS(val_int(1)), NONE), "replace() takes no arguments, but 1 was given", "");
    EXPECT_FAIL(call("old", 1, self, ITEMS(val_int(1), val_int(2)), NONE),
                "replace() takes 1 argument, but 2 were given", "");
    EXPECT_FAIL(call("old new count?", 4, self, ITEMS(val_int(1), val_int(2)), ITEMS(text("cuont"), val_int(1))),
                "replace() has no argument \"cuont\"", "did you mean \"count\"?");
    EXPECT_FAIL(call("old new", 4, self, ITEMS(val_int(1), val_int(2)), ITEMS(text("width"), val_int(1))),
                "replace() has no argument \"width\"", "it has: old, new");
    EXPECT_FAIL(call("old new", 4, self, ITEMS(val_int(1)), ITEMS(text("old"), val_int(1))),
                "replace() got its argument \"old\" twice", "");
    EXPECT_FAIL(call("**kwargs", 1, val_missing(), NONE, ITEMS(text("a"), val_int(1), text("a"), val_int(2))),
                "replace() got its argument \"a\" twice", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {CASE(bound), CASE(by_place_or_name), CASE(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

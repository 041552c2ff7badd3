/* value_test.h: a run to test values in, and what is often asked of it. */
#ifndef OPGEN_TESTS_VALUE_TEST_H
#define OPGEN_TESTS_VALUE_TEST_H

#include "template/value/inner.h"
#include "template/value/big.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static Arena arena, error_arena;
static Names names;
static Run run;

static int set_up(void **state) {
    (void)state;
    arena_init(&arena), arena_init(&error_arena);
    names_init(&names, &error_arena);
    run = (Run){.arena = &arena, .names = &names, .error_arena = &error_arena};
    run.limits = (TemplateLimits){.loops = 100000, .output = 1 << 30, .memory = 1 << 30, .depth = 200};
    run.loops_left = run.limits.loops;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arena_free(&arena), arena_free(&error_arena);
    return 0;
}

static inline Value text(const char *c) { return val_str(&run, str_c(c)); }
static inline Value name_value(const char *c) { return val_name(names_get(&names, str_c(c))); }
static inline Value integer(const char *digits) { return val_integer(&run, str_c(digits)); }

/* Not inlined: in a function that catches failures its locals would look as if a jump could spoil them. */
__attribute__((noinline, unused)) static Value list_of(ValueKind kind, uint32_t n, const Value *items) {
    List *list = list_new(&arena, n);
    for (uint32_t i = 0; i < n; i++)
        list_push(&arena, list, items[i]);
    return kind == V_TUPLE ? val_tuple(list) : val_list(list);
}
#define ITEMS(...)                                                                                                     \
    sizeof((Value[]){__VA_ARGS__}) / sizeof(Value), (Value[]) { __VA_ARGS__ }
#define LIST(...) list_of(V_LIST, ITEMS(__VA_ARGS__))
#define TUPLE(...) list_of(V_TUPLE, ITEMS(__VA_ARGS__))

static inline Value range_of(int64_t start, int64_t stop, int64_t step, int64_t n) {
    Range *range = ARENA_NEW(&arena, Range);
    *range = (Range){.start = start, .step = step, .n = n, .stop = stop};
    return VAL(V_RANGE, range, range);
}

static inline Value view_of(Value dict, ViewKind kind) {
    View *view = ARENA_NEW(&arena, View);
    *view = (View){dict.as.dict, kind};
    return VAL(V_VIEW, view, view);
}

static inline void expect_text(Str got, const char *wanted) {
    assert_string_equal(str_to_c(&error_arena, got), wanted);
}

static inline void expect_repr(Value v, const char *wanted) {
    Buf buf;
    buf_init(&buf, &arena);
    val_repr(&run, &buf, v);
    expect_text(buf_str(&buf), wanted);
}

static inline void expect_print(Value v, const char *wanted) { expect_text(val_text(val_to_str(&run, v)), wanted); }

/* The expression fails with this text and hint. */
#define EXPECT_FAIL(expression, wanted, wanted_hint)                                                                   \
    do {                                                                                                               \
        MemTrap trap;                                                                                                  \
        if (MEM_TRAP(&trap)) {                                                                                         \
            assert_int_equal(trap.why, MEM_THROWN);                                                                    \
        } else {                                                                                                       \
            (void)(expression);                                                                                        \
            mem_untrap(&trap);                                                                                         \
            fail_msg("%s did not fail with: %s", #expression, wanted);                                                 \
        }                                                                                                              \
        expect_text(run.error, wanted);                                                                                \
        expect_text(run.error_hint, wanted_hint);                                                                      \
    } while (0)

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif

/* test_map.c: names that exist once, and maps that remember their order. */
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void equal_names_are_one(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    Names names;
    names_init(&names, &arena);
    assert_null(names_find(&names, S("x")));
    Name x = names_get(&names, S("x"));
    assert_ptr_equal(names_get(&names, S("x")), x);
    assert_ptr_equal(names_find(&names, str("xy", 1)), x);
    assert_ptr_not_equal(names_get(&names, S("x\0")), x);
    assert_string_equal(x->p, "x");
    assert_true(str_eq(name_str(x), S("x")) && x->hash == str_hash(S("x")));
    Name empty = names_get(&names, str(NULL, 0));
    assert_ptr_equal(names_get(&names, S("")), empty);
    assert_int_equal(names.n, 3);
    Name many[5000];
    for (int i = 0; i < 5000; i++)
        many[i] = names_get(&names, str_format(&arena, "name %d", i));
    for (int i = 0; i < 5000; i++)
        assert_ptr_equal(names_find(&names, str_format(&arena, "name %d", i)), many[i]);
    assert_null(names_find(&names, S("name 5000")));
    assert_int_equal(names.n, 5003);
    arena_free(&arena);
}

static void a_map_of(uint32_t n) {
    Arena arena;
    arena_init(&arena);
    Names names;
    names_init(&names, &arena);
    Map map;
    map_init(&map, &arena);
    static int values[2000];
    for (uint32_t i = 0; i < n; i++) {
        Name key = names_get(&names, str_format(&arena, "%u", (unsigned)(i * 7919 % 1999)));
        assert_null(map_get(&map, key));
        assert_null(map_set(&map, key, &values[i]));
        assert_ptr_equal(map_get(&map, key), &values[i]);
    }
    assert_int_equal(map.n, n);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(str_eq(name_str(map.entries[i].key), str_format(&arena, "%u", (unsigned)(i * 7919 % 1999))));
        assert_ptr_equal(map_set(&map, map.entries[i].key, &values[1999 - i]), &values[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        assert_ptr_equal(map_get(&map, map.entries[i].key), &values[1999 - i]);
    assert_int_equal(map.n, n);
    assert_null(map_get(&map, names_get(&names, S("another"))));
    arena_free(&arena);
}

static void maps_of_all_sizes(void **state) {
    (void)state;
    static const uint32_t sizes[] = {0, 1, 7, 8, 9, 16, 17, 33, 1000, 1999};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        a_map_of(sizes[i]);
}

/* Whichever request fails, what was in the map is still there and it can be used on. */
static void a_map_survives_a_failed_request(void **state) {
    (void)state;
    static Arena arena;
    static Names names;
    static Map map;
    static uint32_t done;
    volatile uint64_t nth = 1;
    for (volatile bool failed = true; failed; nth++) {
        failed = false;
        arena_init(&arena);
        names_init(&names, &arena);
        map_init(&map, &arena);
        static int value;
        MemTrap trap;
        done = 0;
        mem_fail_at(nth);
        if (MEM_TRAP(&trap)) {
            failed = true;
        } else {
            for (; done < 9000; done++)
                map_set(&map, names_get(&names, str_format(&arena, "%u", (unsigned)done)), &value);
            mem_untrap(&trap);
        }
        mem_fail_at(0);
        assert_int_equal(map.n, done);
        for (uint32_t i = 0; i < done; i++)
            assert_ptr_equal(map_get(&map, names_find(&names, str_format(&arena, "%u", (unsigned)i))), &value);
        map_set(&map, names_get(&names, S("on")), &value);
        assert_ptr_equal(map_get(&map, names_find(&names, S("on"))), &value);
        arena_free(&arena);
    }
    assert_true(nth > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_names_are_one),
        cmocka_unit_test(maps_of_all_sizes),
        cmocka_unit_test(a_map_survives_a_failed_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

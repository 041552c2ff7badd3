/* test_arena.c: alignment, growth, marks with large blocks, limits, and arrays in an arena. */
#include "base/arena.h"
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { BIG = 100 << 10 };

static void blocks_are_aligned_and_apart(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    unsigned char *blocks[400];
    for (size_t i = 0; i < 400; i++) {
        blocks[i] = arena_alloc(&arena, i * 7);
        assert_int_equal((uintptr_t)blocks[i] % (i * 7 >= 16 ? 16 : 8), 0);
        memset(blocks[i], (int)(i & 255), i * 7);
    }
    for (size_t i = 0; i < 400; i++)
        for (size_t k = 0; k < i * 7; k++)
            assert_int_equal(blocks[i][k], i & 255);
    const char *zeros = arena_zalloc(&arena, 5000);
    for (size_t i = 0; i < 5000; i++)
        assert_int_equal(zeros[i], 0);
    assert_string_equal(arena_copy(&arena, "copied", 7), "copied");
    arena_free(&arena);
    assert_int_equal(arena.held, 0);
    assert_non_null(arena_alloc(&arena, 1)); /* it may be used again */
    arena_free(&arena);
}

static void the_newest_block_grows_in_place(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    char *p = arena_alloc(&arena, 32);
    memset(p, 'x', 32);
    assert_ptr_equal(arena_resize(&arena, p, 32, 1000), p);
    assert_ptr_equal(arena_resize(&arena, p, 1000, 100), p);
    char *other = arena_alloc(&arena, 16);
    assert_ptr_equal(other, p + 112); /* what was given back is used */
    char *moved = arena_resize(&arena, p, 100, 200);
    assert_ptr_not_equal(moved, p);
    assert_memory_equal(moved, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 32);
    assert_ptr_equal(arena_resize(&arena, p, 100, 50), p);
    arena_free(&arena);
}

/* From nothing to 16 MiB and back, through every way a block can be kept. */
static void a_block_grows_from_small_to_large(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    unsigned char *p = NULL;
    size_t n = 0;
    for (size_t to = 1; to <= 16 << 20; to = to * 3 / 2 + 1) {
        p = arena_resize(&arena, p, n, to);
        for (size_t i = 0; i < n; i += 61)
            assert_int_equal(p[i], (unsigned char)(i * 7));
        for (size_t i = (n + 60) / 61 * 61; i < to; i += 61)
            p[i] = (unsigned char)(i * 7);
        n = to;
        if (to % 2 == 0) arena_alloc(&arena, 24); /* so that it is not always the newest */
    }
    for (size_t i = 0; i < n; i += 61)
        assert_int_equal(p[i], (unsigned char)(i * 7));
    unsigned char *q = arena_resize(&arena, p, n, BIG);
    q = arena_resize(&arena, q, BIG, 1000);
    q = arena_resize(&arena, q, 1000, 2 * BIG);
    for (size_t i = 0; i < 1000; i += 61)
        assert_int_equal(q[i], (unsigned char)(i * 7));
    arena_free(&arena);
}

/* Large blocks stay large ones even when a chunk has room for them. */
static void a_large_block_never_lies_in_a_chunk(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    for (int i = 0; i < 100; i++)
        arena_alloc(&arena, 60000); /* until chunks have their full size */
    char *p = arena_alloc(&arena, ARENA_LARGE);
    memset(p, 'a', ARENA_LARGE);
    p = arena_resize(&arena, p, ARENA_LARGE, 8 * ARENA_LARGE);
    assert_int_equal(p[ARENA_LARGE - 1], 'a');
    arena_free(&arena);
}

static void reset_gives_back_what_came_after_the_mark(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    char *before = arena_alloc(&arena, 100);
    char *large = arena_alloc(&arena, BIG);
    memcpy(before, "before", 7);
    memset(large, 'l', BIG);
    size_t held = arena.held;
    ArenaMark mark = arena_mark(&arena);
    char *first = arena_alloc(&arena, 100);
    arena_reset(&arena, mark);
    assert_ptr_equal(arena_alloc(&arena, 100), first);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 200; i++)
            memset(arena_alloc(&arena, 10000), 'c', 10000);
        for (int i = 0; i < 5; i++) {
            char *p = arena_alloc(&arena, BIG);
            memset(arena_resize(&arena, p, BIG, 3 * BIG), 'd', 3 * BIG);
        }
        assert_true(arena.held > held + 5 * 3 * BIG + 200 * 10000);
        arena_reset(&arena, mark);
        assert_true(arena.held <= held + (1 << 20)); /* one chunk is kept for the next round */
        assert_ptr_equal(arena_alloc(&arena, 100), first);
    }
    assert_string_equal(before, "before");
    for (int i = 0; i < BIG; i++)
        assert_int_equal(large[i], 'l');
    arena_free(&arena);
}

static void reset_to_the_very_beginning(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    ArenaMark mark = arena_mark(&arena);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 100; i++)
            memset(arena_alloc(&arena, 5000), 'x', 5000);
        memset(arena_alloc(&arena, BIG), 'y', BIG);
        arena_reset(&arena, mark);
        assert_true(arena.held <= 1 << 20);
    }
    arena_free(&arena);
}

/* A loop that needs one more chunk each time takes it from the system once. */
static void a_spare_chunk_is_kept(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    arena_alloc(&arena, 16000);
    ArenaMark mark = arena_mark(&arena);
    uint64_t requests = mem_requests();
    for (int i = 0; i < 1000; i++) {
        arena_alloc(&arena, 2000);
        arena_reset(&arena, mark);
    }
    assert_int_equal(mem_requests() - requests, 1);
    /* One that does not fit the spare chunk gets another. */
    memset(arena_alloc(&arena, 60000), 'x', 60000);
    arena_free(&arena);
}

static void the_limit_holds(void **state) {
    (void)state;
    static Arena arena;
    arena_init(&arena);
    arena.limit = 200000;
    MemTrap trap;
    static size_t got;
    got = 0;
    if (!MEM_TRAP(&trap)) {
        for (;;) {
            arena_alloc(&arena, 1000);
            got += 1000;
        }
    }
    assert_int_equal(trap.why, MEM_LIMIT);
    assert_true(got > 180000 && got <= 200000);
    assert_true(arena.held <= 200000);
    arena_free(&arena);
    assert_int_equal(arena.limit, 200000);
    static char *large;
    large = arena_alloc(&arena, BIG);
    if (!MEM_TRAP(&trap)) {
        arena_resize(&arena, large, BIG, 3 * BIG);
        fail_msg("that is over the limit");
    }
    assert_int_equal(trap.why, MEM_LIMIT);
    if (!MEM_TRAP(&trap)) {
        arena_alloc(&arena, SIZE_MAX - 5);
        fail_msg("nobody has that much");
    }
    arena_free(&arena);
}

static void a_spare_chunk_makes_way_for_a_large_block(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    arena.limit = 180000;
    arena_alloc(&arena, 16000);
    ArenaMark mark = arena_mark(&arena);
    for (int i = 0; i < 9; i++)
        arena_alloc(&arena, 10000);
    arena_reset(&arena, mark);
    assert_true(arena.held + 150000 > arena.limit);
    assert_non_null(arena_alloc(&arena, 150000));
    arena_free(&arena);
}

static void arrays_grow(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    VEC(uint32_t) one = {0};
    VEC(struct {
        char name[24];
        int i;
    })
    two = {0};
    for (uint32_t i = 0; i < 100000; i++) {
        *VEC_PUSH(&arena, &one) = i * 3;
        VEC_PUSH(&arena, &two)->i = (int)i;
        assert_int_equal(VEC_LAST(&one), i * 3);
    }
    assert_int_equal(one.n, 100000);
    for (uint32_t i = 0; i < 100000; i++)
        assert_true(one.items[i] == i * 3 && two.items[i].i == (int)i);
    uint32_t cap = UINT32_MAX;
    MemTrap trap;
    if (!MEM_TRAP(&trap)) {
        vec_grow(&arena, one.items, &cap, 4);
        fail_msg("no array is larger");
    }
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_apart),
        cmocka_unit_test(the_newest_block_grows_in_place),
        cmocka_unit_test(a_block_grows_from_small_to_large),
        cmocka_unit_test(a_large_block_never_lies_in_a_chunk),
        cmocka_unit_test(reset_gives_back_what_came_after_the_mark),
        cmocka_unit_test(reset_to_the_very_beginning),
        cmocka_unit_test(a_spare_chunk_is_kept),
        cmocka_unit_test(the_limit_holds),
        cmocka_unit_test(a_spare_chunk_makes_way_for_a_large_block),
        cmocka_unit_test(arrays_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

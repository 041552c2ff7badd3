/* test_mem.c: traps, sizes that overflow, and requests that are made to fail. */
#include "base/mem.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void nth_request_fails(void **state) {
    (void)state;
    for (volatile uint64_t nth = 1; nth <= 3; nth++) {
        volatile uint64_t done = 0;
        void *volatile blocks[3] = {NULL, NULL, NULL};
        MemTrap trap;
        mem_fail_at(nth);
        if (MEM_TRAP(&trap)) {
            assert_int_equal(trap.why, MEM_SYSTEM);
            assert_int_equal(trap.wanted, 10 + done);
            assert_int_equal(done, nth - 1);
        } else {
            for (; done < 3; done++)
                blocks[done] = mem_alloc(10 + done);
            fail_msg("request %d did not fail", (int)nth);
        }
        for (int i = 0; i < 3; i++)
            mem_free(blocks[i]);
    }
    mem_fail_at(0);
}

static void turned_off_it_does_not_fail(void **state) {
    (void)state;
    mem_fail_at(1);
    mem_fail_at(0);
    uint64_t before = mem_requests();
    void *p = mem_resize(mem_alloc(0), 100);
    memset(p, 1, 100);
    mem_free(p);
    assert_int_equal(mem_requests() - before, 2);
}

static void traps_nest(void **state) {
    (void)state;
    MemTrap outer, inner;
    volatile int stage = 0;
    if (MEM_TRAP(&outer)) {
        assert_int_equal(stage, 2);
        assert_int_equal(outer.why, MEM_LIMIT);
        assert_int_equal(outer.wanted, 77);
        return;
    }
    if (MEM_TRAP(&inner)) {
        assert_int_equal(stage, 1);
        assert_int_equal(inner.why, MEM_THROWN);
        stage = 2;
        mem_fail(MEM_LIMIT, 77);
    }
    stage = 1;
    mem_throw();
}

static void an_inner_trap_that_is_taken_off_is_gone(void **state) {
    (void)state;
    MemTrap outer, inner;
    volatile bool reached = false;
    if (MEM_TRAP(&outer)) {
        assert_true(reached);
        return;
    }
    if (MEM_TRAP(&inner)) fail_msg("the inner trap was taken off");
    mem_untrap(&inner);
    reached = true;
    mem_throw();
}

static void sizes_that_cannot_be(void **state) {
    (void)state;
    assert_int_equal(mem_times(3, 5), 15);
    MemTrap trap;
    if (!MEM_TRAP(&trap)) {
        mem_times(SIZE_MAX / 2, 3);
        fail_msg("the product overflows");
    }
    assert_int_equal(trap.why, MEM_SYSTEM);
    if (!MEM_TRAP(&trap)) {
        mem_free(mem_alloc(SIZE_MAX));
        fail_msg("nobody has that much");
    }
    assert_int_equal(trap.why, MEM_SYSTEM);
    assert_true(trap.wanted == SIZE_MAX);
}

static void without_a_trap_it_says_so_and_aborts(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        mem_fail(MEM_SYSTEM, 42);
    }
    close(ends[1]);
    char said[200];
    ssize_t n = read(ends[0], said, sizeof said - 1);
    close(ends[0]);
    assert_true(n > 0);
    said[n] = '\0';
    assert_string_equal(said, "opgen: out of memory (42 bytes wanted) and no handler\n");
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nth_request_fails),    cmocka_unit_test(turned_off_it_does_not_fail),
        cmocka_unit_test(traps_nest),           cmocka_unit_test(an_inner_trap_that_is_taken_off_is_gone),
        cmocka_unit_test(sizes_that_cannot_be), cmocka_unit_test(without_a_trap_it_says_so_and_aborts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_output_fail.c: generate when something fails, when it is killed, and when there are two of it. Whatever happens,
 * each file is the old one or the new one, and the next run has nothing against what it finds. */
#include "output_case.h"

#include "base/file_temp.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void cleans_up_after_a_killed_run(void **state) {
    (void)state;
    add("a", "1");
    shell(
        "mkdir out && cd out && touch .opgen-abc123 .opgen-held00 .opgen-ABC123 .opgen-abc12 .opgen-abc1234 "
        "opgen-abc123 && "
        "touch two && ln two .opgen-linked && ln -s two .opgen-symlin && mkdir .opgen-folder && touch .opgen-two000 && "
        "ln .opgen-two000 other");
    int held = open("out/.opgen-held00", O_RDONLY);
    assert_int_equal(flock(held, LOCK_EX), 0);
    assert_true(generate());
    assert_false(exists("out/.opgen-abc123"));
    assert_int_equal(count_entries("out"), 13); /* all but one, and a and the manifest */
    close(held);
    assert_true(generate());
    assert_false(exists("out/.opgen-held00"));
    assert_int_equal(count_entries("out"), 12);
}

static void waits_for_another_run(void **state) {
    (void)state;
    add("a", "1");
    assert_true(generate());
    int held = open("out", O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(held, LOCK_EX), 0);
    new_set();
    add("a", "2");
    assert_false(generate_with((OutputOptions){.wait_ms = 50}));
    assert_said("opgen: error[E002]: cannot write into \"out\": another opgen has been writing there for 1 s\n"
                "  hint: wait for it, or end it\n");
    assert_bytes("out/a", "1");
    close(held);
    /* One that ends in time is waited for; that it is killed lets go of the lock as well. */
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        held = open("out", O_RDONLY | O_DIRECTORY);
        bool locked = flock(held, LOCK_EX) == 0 && write(ready[1], "r", 1) == 1;
        usleep(100000);
        if (locked) kill(getpid(), SIGKILL);
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    Output it = output();
    Buf report;
    buf_init(&report, &arena);
    assert_true(output_check(&arena, &it, 1, false, &diags, &report, &fresh)); /* waits too */
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    close(ready[0]);
    close(ready[1]);
    assert_true(generate());
    assert_bytes("out/a", "2");
}

/* ---- when something fails -----------------------------------------------------------------------------------------
 */

/* Two states of a folder, each other's next: every verdict is on the way from one to the other. */
static void model(bool second) {
    static char lots[20000];
    memset(lots, second ? 'y' : 'x', sizeof lots - 1);
    new_set();
    add("same", "s");
    add("changes", second ? "2" : "1");
    add("sub/changes", lots);
    add(second ? "new/second" : "old/first", second ? "two" : "one");
}

static void assert_old_or_new(const char *path, const char *one, const char *other) {
    Str got = get(path);
    bool good = str_eq(got, str_c(one)) || str_eq(got, str_c(other));
    if (!good) print_message("%s is %s\n", path, str_to_c(&arena, str_sub(got, 0, got.n < 50 ? got.n : 50)));
    assert_true(good);
}

static void assert_no_half(void) {
    assert_old_or_new("out/changes", "1", "2");
    assert_bytes("out/same", "s");
    Str lots = get("out/sub/changes");
    assert_int_equal(lots.n, 19999);
    for (size_t i = 1; i < lots.n; i++)
        assert_int_equal(lots.p[i], lots.p[0]);
    assert_old_or_new("out/old/first", "one", "(none)");
    assert_old_or_new("out/new/second", "two", "(none)");
    Str manifest = get("out/opgen.manifest.json");
    assert_true(str_ends(manifest, S("\n}\n")));
}

static int descriptors(void) {
    int next = dup(0);
    close(next);
    return next;
}

static void each_operation_fails(void **state) {
    (void)state;
    uint64_t n = 1;
    for (bool failed = true; failed; n++) {
        shell("rm -rf out");
        model(false);
        assert_true(generate());
        model(true);
        int before = descriptors();
        uint64_t from = file_operations();
        file_fail_at(n);
        bool done = prune();
        failed = file_operations() - from >= n;
        file_fail_at(0);
        assert_int_equal(descriptors(), before);
        assert_int_equal(done, !failed);
        assert_int_equal(diags.errors, failed);
        if (failed) assert_int_equal(diags.items.items[0]->code, E_IO);
        diags_init(&diags, &arena);
        /* All is as it was before, or all is done. */
        model(failed ? false : true);
        assert_check("");
        assert_int_equal(count_entries("out"), 5);
        assert_no_half();
        shell("! ls -A out | grep -q ^.opgen-");
        /* The next run, of either model, has nothing against what it finds. */
        model(n % 2 == 0);
        assert_true(prune());
        assert_said("");
        assert_check("");
        assert_int_equal(count_entries("out"), 5);
    }
    assert_true(n > 20);
}

static void each_request_for_memory_fails(void **state) {
    (void)state;
    volatile bool failed = true;
    volatile uint64_t n = 1;
    for (; failed; n++) {
        shell("rm -rf out");
        model(false);
        assert_true(generate());
        model(true);
        static Arena room;
        arena_init(&room);
        Diags found;
        diags_init(&found, &room);
        int before = descriptors();
        MemTrap trap;
        failed = false;
        mem_fail_at(n);
        if (MEM_TRAP(&trap)) {
            failed = true;
        } else {
            Output it = output();
            Buf report;
            bool is_fresh;
            buf_init(&report, &room);
            assert_true(output_check(&room, &it, 1, true, &found, &report, &is_fresh) && !is_fresh);
            assert_true(output_generate(&room, &it, 1, &(OutputOptions){.prune = true}, &found, &result));
            Str rule;
            uint32_t count;
            const Str *targets = output_targets(&room, &it, 1, &count);
            assert_true(output_depfile(&room, targets, count, targets, 0, true, &found, &rule));
            mem_untrap(&trap);
        }
        mem_fail_at(0);
        arena_free(&room);
        assert_int_equal(descriptors(), before);
        assert_no_half();
        shell("! ls -A out | grep -q ^.opgen-");
        assert_true(prune());
        assert_check("");
    }
    assert_true(n > 3);
}

static void a_full_disk_changes_nothing(void **state) {
    (void)state;
    model(false);
    assert_true(generate());
    model(true);
    struct rlimit before, small = {5000, 5000};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool done = prune();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(done);
    assert_said("opgen: error[E002]: cannot write \"out/sub/changes\": File too large\n");
    model(false);
    assert_check("");
    assert_int_equal(count_entries("out"), 5);
}

/* skipped where a test may not mount a file system */
static void a_disk_that_is_really_full(void **state) {
    (void)state;
    shell("mkdir full");
    if (mount("opgen-test", "full", "tmpfs", 0, "size=128k") != 0) skip();
    model(false);
    Output it = output();
    it.folder = S("full/out");
    OutputOptions options = {.prune = true};
    assert_true(output_generate(&arena, &it, 1, &options, &diags, &result));
    shell("head -c 200000 /dev/zero > full/fill 2>/dev/null; true");
    model(true);
    assert_false(output_generate(&arena, &it, 1, &options, &diags, &result));
    assert_said("opgen: error[E002]: cannot write \"full/out/opgen.manifest.json\": No space left on device\n"
                "  hint: nothing was lost: make room and run it again\n");
    assert_bytes("full/out/changes", "1");
    model(false);
    Buf report;
    buf_init(&report, &arena);
    assert_true(output_check(&arena, &it, 1, false, &diags, &report, &fresh) && fresh);
    shell("rm full/fill");
    model(true);
    assert_true(output_generate(&arena, &it, 1, &options, &diags, &result));
    assert_bytes("full/out/changes", "2");
    shell("test $(ls -A full/out | wc -l) = 5");
    shell("umount full");
}

/* ---- killed, and two at once --------------------------------------------------------------------------------------
 */

/* One of many models: what is in it and which files there are differ. */
static void random_model(unsigned seed) {
    new_set();
    for (unsigned i = 0; i < 12; i++) {
        unsigned draw = seed * 2654435761u + i * 40503u;
        draw ^= draw >> 13;
        if (draw % 3 == 0) continue;
        Str path = str_format(&arena, i % 4 == 0 ? "sub%u/f%u" : "f%.0u%u", i % 4 == 0 ? draw % 2 : 0, i);
        Str bytes = str_format(&arena, "%u of %u\n", i, draw % 5);
        assert_true(fileset_add(&set, path, bytes));
    }
}

static void killed_at_any_moment(void **state) {
    (void)state;
    /* On a machine that is busy with other things it takes more of them until each moment has been met. */
    enum { ROUNDS = 200, MOST = 5000 };
    unsigned in_the_middle = 0, with_temporaries = 0, round = 0;
    srand(20);
    for (; round < ROUNDS || (round < MOST && (in_the_middle == 0 || with_temporaries == 0)); round++) {
        ArenaMark mark = arena_mark(&arena);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            for (unsigned i = 0;; i++) {
                random_model(round * 1000 + i);
                if (!prune()) _exit(1);
            }
        }
        usleep(1000 + (unsigned)rand() % 15000);
        assert_int_equal(kill(child, SIGKILL), 0);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        if (exists("out")) {
            in_the_middle += str_find(get("out/opgen.manifest.json"), S("\"unfinished\": true")) != STR_NONE;
            with_temporaries += system("ls -A out | grep -q ^.opgen-") == 0;
        }
        random_model(round * 7 + 3);
        if (!prune()) assert_said("");
        assert_said("");
        assert_check("");
        shell("test -z \"$(find out -name '.opgen-*')\"");
        for (uint32_t i = 0; i < set.files.n; i++) {
            Str path = str_format(&arena, "out/%S", set.files.items[i].path);
            assert_true(str_eq(get(str_to_c(&arena, path)), set.files.items[i].bytes));
        }
        arena_reset(&arena, mark);
        diags_init(&diags, &arena);
        new_set();
    }
    print_message("killed %u times: %u between the manifests, %u with temporary files\n", round, in_the_middle,
                  with_temporaries);
    assert_true(in_the_middle > 0 && with_temporaries > 0);
}

static pid_t start(int gate, unsigned seed) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child != 0) return child;
    char byte;
    random_model(seed);
    if (read(gate, &byte, 1) != 1) _exit(2);
    bool done = true;
    for (int i = 0; done && i < 3; i++) {
        done = prune();
        if (done) random_model(seed);
    }
    _exit(done && diags.errors == 0 ? 0 : 1);
}

static void two_at_once(void **state) {
    (void)state;
    for (unsigned round = 0; round < 100; round++) {
        if (round % 10 == 0) shell("rm -rf out");
        ArenaMark mark = arena_mark(&arena);
        int gate[2];
        assert_int_equal(pipe(gate), 0);
        pid_t children[2] = {start(gate[0], round * 2), start(gate[0], round * 2 + 1)};
        assert_int_equal(write(gate[1], "go", 2), 2);
        for (int i = 0; i < 2; i++) {
            int status;
            assert_int_equal(waitpid(children[i], &status, 0), children[i]);
            assert_true(WIFEXITED(status));
            assert_int_equal(WEXITSTATUS(status), 0);
        }
        close(gate[0]);
        close(gate[1]);
        /* What is there is one of the two, whole. */
        random_model(round * 2);
        check_with(false, true);
        if (!fresh) {
            random_model(round * 2 + 1);
            assert_check("");
        }
        shell("test -z \"$(find out -name '.opgen-*')\"");
        arena_reset(&arena, mark);
        diags_init(&diags, &arena);
        new_set();
    }
}

/* Single files, written beside the set's without its lock, are not taken for leavings. */
static void a_single_file_beside(void **state) {
    (void)state;
    add("a", "1");
    assert_true(generate());
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool done = true, changed;
        for (int i = 0; done && i < 2000; i++)
            done = file_write_if_changed(&arena, S("out/single"), i % 2 == 0 ? S("0") : S("1"), &diags, &changed) &&
                   changed;
        _exit(done ? 0 : 1);
    }
    int status;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0)
        assert_true(generate());
    assert_true(ended == child && WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(count_entries("out"), 3);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {
        TEST(cleans_up_after_a_killed_run), TEST(waits_for_another_run),
        TEST(each_operation_fails),         TEST(each_request_for_memory_fails),
        TEST(a_full_disk_changes_nothing),  TEST(a_disk_that_is_really_full),
        TEST(killed_at_any_moment),         TEST(two_at_once),
        TEST(a_single_file_beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

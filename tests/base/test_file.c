/* test_file.c: reading, and writing that leaves the old file or the new one and nothing else. */
#include "base/file.h"

#include <setjmp.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* Each test runs in an empty folder of its own, as its working directory. */
static Arena arena;
static Diags diags;
static char folder[] = "/tmp/opgen-test-XXXXXX";

static int enter(void **state) {
    (void)state;
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    arena_init(&arena);
    diags_init(&diags, &arena);
    umask(022);
    return mkdtemp(folder) == NULL || chdir(folder) != 0 || chmod(".", 0755) != 0;
}

static int leave(void **state) {
    (void)state;
    mem_fail_at(0);
    arena_free(&arena);
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") != 0 || system(command) != 0;
}

static void put(const char *path, Str bytes) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(file_write_all(fd, bytes), 0);
    close(fd);
}

static void assert_bytes(const char *path, Str bytes) {
    Str got;
    assert_true(file_read(&arena, str_c(path), span(NULL, 0, 0), &diags, &got));
    assert_true(str_eq(got, bytes));
}

/* Names in a folder, hidden ones too. */
static int count_entries(const char *path) {
    DIR *dir = opendir(path);
    assert_non_null(dir);
    int n = 0;
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n - 2;
}

static void assert_said(const char *want) {
    Buf out;
    buf_init(&out, &arena);
    diags_render(&diags, DIAG_TEXT, false, &out);
    assert_string_equal(str_to_c(&arena, buf_str(&out)), want);
    diags_init(&diags, &arena);
}

static Source *read_text(const char *path) { return file_read_text(&arena, str_c(path), span(NULL, 0, 0), &diags); }

static void reads_what_is_there(void **state) {
    (void)state;
    char *lots = arena_alloc(&arena, 3000001);
    memset(lots, 'x', 3000001);
    Str cases[] = {S(""), S("a\n"), S("bytes \0 \xff"), str(lots, 65536), str(lots, 3000001)};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put("f", cases[i]);
        assert_bytes("f", cases[i]);
    }
    put("text", S("h\xc3\xa9\n"));
    Source *source = read_text("text");
    assert_true(source != NULL && str_eq(source->text, S("h\xc3\xa9\n")) && str_eq(source->name, S("text")));
    assert_int_equal(diags.errors, 0);
}

static void reads_pipes_and_standard_input(void **state) {
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = open("pipe", O_WRONLY);
        bool sent = true;
        for (int i = 0; i < 30; i++)
            sent = sent && file_write_all(fd, S("0123456789abcdef")) == 0;
        _exit(sent ? 0 : 1);
    }
    Source *source = read_text("pipe");
    assert_true(source != NULL && source->text.n == 480);
    int status, ends[2], saved = dup(STDIN_FILENO);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(file_write_all(ends[1], S("piped")), 0);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    source = read_text("-");
    assert_true(source != NULL && str_eq(source->text, S("piped")) && str_eq(source->name, S("<stdin>")));
    dup2(saved, STDIN_FILENO);
    close(saved);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
}

static void says_why_it_cannot_read(void **state) {
    (void)state;
    assert_null(read_text("nothing"));
    assert_said("opgen: error[E002]: cannot read \"nothing\": No such file or directory\n"
                "  hint: is the name right, and the folder it is relative to?\n");
    assert_null(read_text("."));
    assert_said("opgen: error[E002]: cannot read \".\": Is a directory\n");
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_null(read_text("loop"));
    assert_said("opgen: error[E002]: cannot read \"loop\": Too many levels of symbolic links\n"
                "  hint: a symbolic link leads back to itself\n");
    assert_null(file_read_text(&arena, S("a\0b"), span(NULL, 0, 0), &diags));
    assert_said("opgen: error[E002]: cannot read \"a\\x00b\": a path has no NUL byte\n");
    /* The place that asked for the file is shown. */
    Source *model = source_new(&arena, S("model.json"), S("{\"weights\": \"w\"}"));
    assert_null(file_read_text(&arena, S("w"), span(model, 12, 15), &diags));
    assert_said("model.json:1:13: error[E002]: cannot read \"w\": No such file or directory\n"
                "    1 | {\"weights\": \"w\"}\n"
                "      |             ^~~ is the name right, and the folder it is relative to?\n");
    int fd = open("huge", O_WRONLY | O_CREAT, 0644);
    assert_int_equal(ftruncate(fd, ((off_t)1 << 30) + 1), 0);
    close(fd);
    assert_null(read_text("huge"));
    assert_said("opgen: error[E005]: \"huge\" is larger than the 1024 MiB that opgen reads\n");
}

static void tells_where_text_is_not_utf8(void **state) {
    (void)state;
    put("f", S("one\ntw\xc3\xa9 \xff!\n"));
    assert_null(read_text("f"));
    assert_said("f:2:5: error[E004]: text is not valid UTF-8: byte 0xff\n"
                "    2 | tw\xc3\xa9 \xef\xbf\xbd!\n"
                "      |     ^ save the file as UTF-8\n");
    put("f", S("a\r\nb\0c\xff"));
    assert_null(read_text("f"));
    assert_said("f:2:2: error[E004]: text has a NUL byte\n"
                "    2 | b\xe2\x90\x80"
                "c\xef\xbf\xbd\n"
                "      |  ^ is this a text file?\n");
    put("f", S("\xff\xfe{\0"));
    assert_null(read_text("f"));
    assert_said("f:1:1: error[E004]: text is not valid UTF-8: byte 0xff\n"
                "    1 | \xef\xbf\xbd\xef\xbf\xbd{\xe2\x90\x80\n"
                "      | ^ this looks like UTF-16: save it as UTF-8\n");
    put("f", S("\xef\xbb\xbfok"));
    assert_non_null(read_text("f"));
}

/* As another user where the tests run as root, to whom no folder is read-only. */
static void without_rights(void **state) {
    (void)state;
    put("secret", S("s"));
    assert_int_equal(mkdir("closed", 0755), 0);
    put("closed/f", S("old"));
    assert_int_equal(chmod("secret", 0000), 0);
    assert_int_equal(chmod("closed", 0555), 0);
    bool root = geteuid() == 0;
    if (root) assert_int_equal(seteuid(65534), 0);
    bool changed = true;
    Source *secret = read_text("secret");
    bool written = file_write_if_changed(&arena, S("closed/f"), S("new"), &diags, &changed);
    bool same = file_write_if_changed(&arena, S("closed/f"), S("old"), &diags, &changed);
    FileSet set;
    fileset_init(&set, &arena);
    fileset_add(&set, S("sub/g"), S("new"));
    size_t n = 9;
    bool set_written = fileset_write(&set, S("closed"), &diags, &n);
    if (root) assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod("closed", 0755), 0);
    assert_null(secret);
    assert_false(written);
    assert_true(same && !changed); /* nothing to write, so no right is needed */
    assert_false(set_written);
    assert_int_equal(n, 0);
    assert_said("opgen: error[E002]: cannot read \"secret\": Permission denied\n"
                "opgen: error[E002]: cannot write \"closed/f\": Permission denied\n"
                "  hint: a file is replaced, so its folder must be writable\n"
                "opgen: error[E002]: cannot write \"closed/sub/g\": Permission denied\n"
                "  hint: a file is replaced, so its folder must be writable\n");
    assert_bytes("closed/f", S("old"));
    assert_int_equal(count_entries("closed"), 1);
}

static void writes_only_what_changed(void **state) {
    (void)state;
    bool changed = false;
    assert_true(file_write_if_changed(&arena, S("a/b/c.txt"), S("one"), &diags, &changed) && changed);
    assert_bytes("a/b/c.txt", S("one"));
    struct stat about;
    assert_int_equal(stat("a/b/c.txt", &about), 0);
    assert_int_equal(about.st_mode & 0777, 0644);
    const struct timespec past[2] = {{1000, 5}, {1000, 5}};
    assert_int_equal(utimensat(AT_FDCWD, "a/b/c.txt", past, 0), 0);
    assert_true(file_write_if_changed(&arena, S("a/b/c.txt"), S("one"), &diags, &changed) && !changed);
    assert_int_equal(stat("a/b/c.txt", &about), 0);
    assert_true(about.st_mtim.tv_sec == 1000 && about.st_mtim.tv_nsec == 5);
    /* Another byte, or one less, is another file; its mode stays. */
    assert_int_equal(chmod("a/b/c.txt", 0751), 0);
    static const char *const texts[] = {"onE", "on", "", "one two"};
    for (size_t i = 0; i < 4; i++) {
        assert_true(file_write_if_changed(&arena, S("a/b/c.txt"), str_c(texts[i]), &diags, &changed) && changed);
        assert_bytes("a/b/c.txt", str_c(texts[i]));
    }
    assert_int_equal(stat("a/b/c.txt", &about), 0);
    assert_int_equal(about.st_mode & 07777, 0751);
    assert_true(about.st_mtim.tv_sec > 1000);
    umask(027);
    assert_true(file_write_if_changed(&arena, S("private"), S("x"), &diags, &changed));
    assert_int_equal(stat("private", &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(count_entries("a/b"), 1);
}

static void links_devices_and_pipes_stay(void **state) {
    (void)state;
    bool changed;
    assert_int_equal(mkdir("d", 0755), 0);
    put("d/real", S("old"));
    assert_int_equal(symlink("d/real", "link"), 0);
    assert_true(file_write_if_changed(&arena, S("link"), S("new"), &diags, &changed) && changed);
    struct stat about;
    assert_true(lstat("link", &about) == 0 && S_ISLNK(about.st_mode));
    assert_bytes("d/real", S("new"));
    assert_int_equal(count_entries("d"), 1);
    assert_true(file_write_if_changed(&arena, S("/dev/null"), S("x"), &diags, &changed) && changed);
    assert_true(stat("/dev/null", &about) == 0 && S_ISCHR(about.st_mode));
    assert_false(file_write_if_changed(&arena, S("/dev/full"), S("x"), &diags, &changed) || changed);
    assert_said("opgen: error[E002]: cannot write \"/dev/full\": No space left on device\n");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    int fd = open("pipe", O_RDWR);
    assert_true(file_write_if_changed(&arena, S("pipe"), S("through"), &diags, &changed));
    char got[7];
    assert_int_equal(read(fd, got, sizeof got), 7);
    assert_memory_equal(got, "through", 7);
    close(fd);
}

static void says_why_it_cannot_write(void **state) {
    (void)state;
    bool changed;
    put("file", S("x"));
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_false(file_write_if_changed(&arena, S("file/under"), S("x"), &diags, &changed));
    assert_said(
        "opgen: error[E002]: cannot write \"file/under\": Not a directory\n  hint: a part of the path is a file\n");
    assert_false(file_write_if_changed(&arena, S("folder"), S("x"), &diags, &changed));
    assert_said("opgen: error[E002]: cannot write \"folder\": Is a directory\n  hint: a folder is in the way\n");
    assert_false(file_write_if_changed(&arena, S("new/"), S("x"), &diags, &changed));
    assert_said("opgen: error[E002]: cannot write \"new/\": that is not the path of a file\n");
    assert_false(file_write_if_changed(&arena, S("a\0b"), S("x"), &diags, &changed));
    assert_said("opgen: error[E002]: cannot write \"a\\x00b\": that is not the path of a file\n");
    assert_int_equal(count_entries("."), 2);
    assert_int_equal(count_entries("folder"), 0);
}

static void a_set_takes_paths_inside_it(void **state) {
    (void)state;
    FileSet set;
    fileset_init(&set, &arena);
    static const char *const wrong[] = {"", "/abs", "../up", "a/../b", "a//b", "./a", "a/.", "a/", ".."};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(fileset_add(&set, str_c(wrong[i]), S("")));
    assert_false(fileset_add(&set, S("a\0b"), S("")));
    assert_true(fileset_add(&set, S("a"), S("1")) && fileset_add(&set, S("b/..c"), S("2")));
    assert_false(fileset_add(&set, S("a"), S("3")));
    assert_int_equal(set.files.n, 2);
}

static void a_set_is_compared_and_written(void **state) {
    (void)state;
    FileSet set;
    fileset_init(&set, &arena);
    assert_true(fileset_add(&set, S("a"), S("1")) && fileset_add(&set, S("sub/b"), S("22")) &&
                fileset_add(&set, S("c"), S("")));
    size_t n;
    assert_int_equal(fileset_compare(&set, 1, S("out")), FILE_MISSING);
    assert_true(fileset_write(&set, S("out"), &diags, &n));
    assert_int_equal(n, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(fileset_compare(&set, i, S("out/")), FILE_SAME);
    assert_true(fileset_write(&set, S("out"), &diags, &n));
    assert_int_equal(n, 0);
    put("out/a", S("2"));
    assert_int_equal(unlink("out/c"), 0);
    assert_int_equal(mkdir("out/c", 0755), 0);
    assert_int_equal(fileset_compare(&set, 0, S("out")), FILE_DIFFERENT);
    assert_int_equal(fileset_compare(&set, 2, S("out")), FILE_UNREADABLE);
    /* One cannot be written, so none is. */
    assert_false(fileset_write(&set, S("out"), &diags, &n));
    assert_int_equal(n, 0);
    assert_said("opgen: error[E002]: cannot write \"out/c\": Is a directory\n  hint: a folder is in the way\n");
    assert_bytes("out/a", S("2"));
    assert_int_equal(count_entries("out"), 3);
    assert_int_equal(rmdir("out/c"), 0);
    assert_true(fileset_write(&set, S("out"), &diags, &n));
    assert_int_equal(n, 2);
    assert_bytes("out/a", S("1"));
    assert_bytes("out/sub/b", S("22"));
}

/* A limit on the size of files stands for the full disk: the third file breaks off in its middle. */
static void a_full_disk_changes_nothing(void **state) {
    (void)state;
    char *lots = arena_alloc(&arena, 100000);
    memset(lots, 'x', 100000);
    put("out", S("x"));
    assert_int_equal(unlink("out"), 0);
    assert_int_equal(mkdir("out", 0755), 0);
    put("out/a", S("old a"));
    FileSet set;
    fileset_init(&set, &arena);
    fileset_add(&set, S("a"), S("new a"));
    fileset_add(&set, S("b"), S("new b"));
    fileset_add(&set, S("c"), str(lots, 100000));
    struct rlimit before, small = {5000, 5000};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    size_t n = 9;
    bool written = fileset_write(&set, S("out"), &diags, &n);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(written);
    assert_int_equal(n, 0);
    assert_said("opgen: error[E002]: cannot write \"out/c\": File too large\n");
    assert_bytes("out/a", S("old a"));
    assert_int_equal(count_entries("out"), 1);
}

/* Uses up the current chunk, so that what comes next asks the system. */
static void use_up(Arena *room) {
    while (room->end - room->next >= 32)
        arena_alloc(room, 16);
}

/* Each request in turn fails: the file is the old one or the new one, and nothing else is left. */
static void a_failed_request_leaves_nothing(void **state) {
    (void)state;
    volatile bool failed = true;
    volatile uint64_t nth = 1;
    for (; failed; nth++) {
        put("f", S("old"));
        static Arena room;
        arena_init(&room);
        Diags found;
        diags_init(&found, &room);
        FileSet set;
        size_t n;
        MemTrap trap;
        failed = false;
        int before = dup(0);
        close(before);
        mem_fail_at(nth);
        if (MEM_TRAP(&trap)) {
            failed = true;
        } else {
            fileset_init(&set, &room);
            fileset_add(&set, S("f"), S("new"));
            Str old;
            use_up(&room);
            assert_true(file_read(&room, S("f"), span(NULL, 0, 0), &found, &old));
            use_up(&room);
            assert_true(fileset_write(&set, S("."), &found, &n));
            use_up(&room);
            assert_null(file_read_text(&room, S("gone"), span(NULL, 0, 0), &found));
            mem_untrap(&trap);
        }
        mem_fail_at(0);
        arena_free(&room);
        int after = dup(0);
        close(after);
        assert_int_equal(before, after); /* no descriptor was left open */
        assert_int_equal(count_entries("."), 1);
        if (!failed) assert_bytes("f", S("new"));
    }
    assert_true(nth > 4);
}

/* A signal at whatever moment: what is half written has no name afterwards. */
static void interrupted(int number) {
    (void)number;
    file_interrupted();
    _exit(130);
}

static void a_signal_removes_temporary_files(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGALRM, interrupted);
        alarm(1);
        char *lots = malloc(1 << 20);
        memset(lots, 'x', 1 << 20);
        for (unsigned round = 0;; round++) {
            size_t n;
            FileSet set;
            fileset_init(&set, &arena);
            lots[0] = (char)('a' + round % 26);
            fileset_add(&set, S("a"), str(lots, 1 << 20));
            fileset_add(&set, S("b"), str(lots, 1 << 20));
            if (!fileset_write(&set, S("out"), &diags, &n)) _exit(1);
        }
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 130);
    assert_int_equal(count_entries("out"), 2);
    Str a;
    assert_true(file_read(&arena, S("out/a"), span(NULL, 0, 0), &diags, &a));
    assert_int_equal(a.n, 1 << 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_what_is_there, enter, leave),
        cmocka_unit_test_setup_teardown(reads_pipes_and_standard_input, enter, leave),
        cmocka_unit_test_setup_teardown(says_why_it_cannot_read, enter, leave),
        cmocka_unit_test_setup_teardown(tells_where_text_is_not_utf8, enter, leave),
        cmocka_unit_test_setup_teardown(without_rights, enter, leave),
        cmocka_unit_test_setup_teardown(writes_only_what_changed, enter, leave),
        cmocka_unit_test_setup_teardown(links_devices_and_pipes_stay, enter, leave),
        cmocka_unit_test_setup_teardown(says_why_it_cannot_write, enter, leave),
        cmocka_unit_test_setup_teardown(a_set_takes_paths_inside_it, enter, leave),
        cmocka_unit_test_setup_teardown(a_set_is_compared_and_written, enter, leave),
        cmocka_unit_test_setup_teardown(a_full_disk_changes_nothing, enter, leave),
        cmocka_unit_test_setup_teardown(a_failed_request_leaves_nothing, enter, leave),
        cmocka_unit_test_setup_teardown(a_signal_removes_temporary_files, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_output.c: generate and check. What a file is said to be, whose it is, and what is done to it. */
#include "output_case.h"

static struct timespec mtime(const char *path) {
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mtim;
}

static void make_old(const char *path) {
    const struct timespec past[2] = {{1000, 5}, {1000, 5}};
    assert_int_equal(utimensat(AT_FDCWD, path, past, AT_SYMLINK_NOFOLLOW), 0);
}

static bool is_old(const char *path) { return mtime(path).tv_sec == 1000 && mtime(path).tv_nsec == 5; }

static void writes_the_set_and_its_manifest(void **state) {
    (void)state;
    add("b.c", "int b;\n");
    add("a.c", "abc");
    add("sub/k.h", "");
    assert_true(generate());
    assert_generated(3, 0);
    assert_bytes("out/b.c", "int b;\n");
    assert_bytes("out/sub/k.h", "");
    assert_bytes(
        "out/opgen.manifest.json",
        "{\"opgen\": 1, \"generated\": \"by opgen: what is changed here is lost\",\n"
        "  \"files\": [\n"
        "    {\"path\": \"a.c\", \"sha256\": \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"},\n"
        "    {\"path\": \"b.c\", \"sha256\": \"9f0576e20ec48d16fa8aac96a27e3c83a0b019fc9bc7abd1accd44287c157381\"},\n"
        "    {\"path\": \"sub/k.h\", \"sha256\": "
        "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}\n"
        "  ],\n"
        "  \"inputs\": [\n"
        "    {\"path\": \"model.json\", \"sha256\": "
        "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}\n"
        "  ],\n"
        "  \"calls\": 3\n"
        "}\n");
    shell("cd out && sha256sum b.c | grep -q ^9f0576e20ec48d16fa8aac96a27e3c83a0b019fc9bc7abd1accd44287c157381 && "
          "/usr/bin/python3 -m json.tool opgen.manifest.json > /dev/null");
    assert_int_equal(count_entries("out"), 4);
    assert_check("");
}

static void writes_only_what_changed(void **state) {
    (void)state;
    add("a", "1");
    add("sub/b", "2");
    assert_true(generate());
    static const char *const paths[] = {"out/a", "out/sub/b", "out/opgen.manifest.json", "out", "out/sub"};
    for (size_t i = 0; i < 5; i++)
        make_old(paths[i]);
    assert_true(generate());
    assert_generated(0, 0);
    assert_int_equal(result.manifests, 0);
    for (size_t i = 0; i < 5; i++)
        assert_true(is_old(paths[i]));
    new_set();
    add("a", "1");
    add("sub/b", "3");
    assert_int_equal(chmod("out/sub/b", 0600), 0);
    assert_true(generate());
    assert_generated(1, 0);
    assert_true(is_old("out/a"));
    assert_false(is_old("out/sub/b") || is_old("out/opgen.manifest.json"));
    assert_bytes("out/sub/b", "3");
    struct stat about;
    assert_true(stat("out/sub/b", &about) == 0 && (about.st_mode & 0777) == 0600);
    /* Another input alone: the manifest alone. */
    static const OutputInput inputs[] = {
        {{"m", 1}, {"m", 1}, {"cd", 2}}, {{"l", 1}, {"l", 1}, {"ab", 2}}, {{"x", 1}, {"m", 1}, {"cd", 2}}};
    Output other = output();
    other.inputs = inputs;
    other.input_count = 3;
    make_old("out/sub/b");
    assert_true(output_generate(&arena, &other, 1, &(OutputOptions){0}, &diags, &result));
    assert_true(result.written == 0 && result.manifests == 1 && is_old("out/sub/b"));
    assert_true(str_find(get("out/opgen.manifest.json"), S("[\n    {\"path\": \"l\", \"sha256\": \"ab\"},\n    "
                                                           "{\"path\": \"m\", \"sha256\": \"cd\"}\n  ]")) != STR_NONE);
}

static void names_every_file_that_is_not_its_own(void **state) {
    (void)state;
    add("edited", "1");
    add("mine", "1");
    add("stale", "1");
    shell("mkdir out && echo mine > out/mine && ln -s /etc/hostname out/link && ln -s . out/folder");
    assert_false(generate());
    assert_said("opgen: error[E006]: cannot write \"out/mine\": it is there, and opgen did not write it\n"
                "  hint: move it away or choose another folder; --force overwrites it\n");
    assert_int_equal(count_entries("out"), 3);
    shell("rm out/mine");
    assert_true(generate());
    assert_generated(3, 0);
    shell("echo by hand >> out/edited && echo new > out/new");
    new_set();
    add("edited", "2");
    add("link", "2");
    add("mine", "2");
    add("new", "2");
    add("stale", "2");
    add("folder/x", "2");
    assert_false(force()); /* what stands on the way cannot be forced */
    assert_said("opgen: error[E002]: cannot write \"out/folder/x\": Not a directory\n"
                "  hint: a part of the path is a file or a symbolic link\n");
    set.files.n--;
    assert_false(generate());
    assert_said(
        "opgen: error[E006]: cannot write \"out/edited\": it was edited since opgen wrote it\n"
        "  hint: make the change in the model or a template; --force overwrites it\n"
        "opgen: error[E006]: cannot write \"out/link\": a symbolic link stands there, which opgen did not make\n"
        "  hint: remove the link; --force replaces it, and not what it leads to\n"
        "opgen: error[E006]: cannot write \"out/new\": it is there, and opgen did not write it\n"
        "  hint: move it away or choose another folder; --force overwrites it\n");
    /* None of the others was written either. */
    assert_bytes("out/edited", "1by hand\n");
    assert_bytes("out/new", "new\n");
    assert_bytes("out/stale", "1");
    assert_check(
        "out/edited: edited by hand\nout/link: a symbolic link\nout/mine: stale\nout/new: not written by opgen\n"
        "out/stale: stale\nout/opgen.manifest.json: stale\n");
    Str host = get("/etc/hostname");
    assert_true(force());
    assert_generated(5, 0);
    assert_bytes("out/link", "2");
    assert_true(str_eq(get("/etc/hostname"), host));
    assert_check("");
}

/* What has the bytes already is taken over; after a lost manifest that is everything. */
static void takes_over_what_is_the_same(void **state) {
    (void)state;
    add("a", "1");
    add("b", "2");
    assert_true(generate());
    shell("rm out/opgen.manifest.json");
    make_old("out/a");
    assert_check("out/opgen.manifest.json: missing\n");
    assert_true(generate());
    assert_generated(0, 0);
    assert_true(is_old("out/a"));
    assert_check("");
    /* An edit that is what would be written is none. */
    new_set();
    add("a", "by hand");
    add("b", "2");
    put("out/a", S("by hand"));
    assert_true(generate());
    assert_generated(0, 0);
    assert_check("");
}

static void a_manifest_that_is_none(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"<<<<<<< HEAD\n{}", "line 1: expected a value, found \"<\""},
        {"[]", "it is not what opgen writes"},
        {"{\"opgen\": 1}", "it is not what opgen writes"},
        {"{\"opgen\": 2, \"files\": []}", "it was written by a newer opgen"},
        {"{\"opgen\": 1, \"files\": [{\"path\": \"../x\", \"sha256\": "
         "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}]}",
         "it is not what opgen writes"},
        {"{\"opgen\": 1, \"files\": [{\"path\": \"x\", \"sha256\": \"abc\"}]}", "it is not what opgen writes"},
    };
    add("a", "1");
    assert_true(generate());
    new_set();
    add("a", "2");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("out/opgen.manifest.json", str_c(cases[i][0]));
        assert_false(prune());
        assert_int_equal(diags.errors, 2);
        Str why = diags.items.items[1]->text;
        if (i > 0)
            assert_text(
                why, str_to_c(&arena, str_format(&arena, "cannot write \"out/opgen.manifest.json\": %s", cases[i][1])));
        else
            assert_true(str_starts(why, S("cannot write \"out/opgen.manifest.json\": line 1: ")));
        diags_init(&diags, &arena);
        assert_bytes("out/a", "1");
        Str report = check_with(false, true);
        assert_true(!fresh && str_find(report, S("out/opgen.manifest.json: not what opgen wrote: ")) != STR_NONE);
    }
    assert_true(force());
    assert_generated(1, 0);
    assert_check("");
    shell("rm out/opgen.manifest.json && mkdir out/opgen.manifest.json");
    assert_false(force());
    assert_said("opgen: error[E002]: cannot write \"out/opgen.manifest.json\": Is a directory\n");
    assert_check("out/opgen.manifest.json: no file\n");
}

static void prunes_what_is_left_over(void **state) {
    (void)state;
    add("a", "1");
    add("old", "1");
    add("sub/deep/old", "1");
    add("kept/old", "1");
    assert_true(generate());
    shell("echo mine > out/kept/mine");
    new_set();
    add("a", "1");
    assert_check("out/kept/old: left over\nout/old: left over\nout/sub/deep/old: left over\n"
                 "out/opgen.manifest.json: stale\n");
    for (int i = 0; i < 2; i++) { /* and they are not forgotten */
        assert_true(generate());
        assert_said("opgen: warning[E007]: \"out/kept/old\" is left over from an earlier run\n"
                    "  hint: --prune removes it\n"
                    "opgen: warning[E007]: \"out/old\" is left over from an earlier run\n"
                    "  hint: --prune removes it\n"
                    "opgen: warning[E007]: \"out/sub/deep/old\" is left over from an earlier run\n"
                    "  hint: --prune removes it\n");
        assert_int_equal(result.manifests, i == 0);
    }
    assert_check("out/kept/old: left over\nout/old: left over\nout/sub/deep/old: left over\n");
    put("out/old", S("by hand"));
    assert_check("out/kept/old: left over\nout/old: left over, and edited by hand\nout/sub/deep/old: left over\n");
    assert_false(prune());
    assert_said("opgen: error[E006]: cannot remove \"out/old\": it was edited since opgen wrote it\n"
                "  hint: keep it under another name; --force removes it\n");
    assert_true(exists("out/sub/deep/old"));
    put("out/old", S("1"));
    assert_true(prune());
    assert_generated(0, 3);
    assert_false(exists("out/old") || exists("out/sub") || exists("out/kept/old"));
    assert_true(exists("out/kept/mine"));
    assert_check("");
    /* One that was wanted, is left over and is wanted again is still opgen's; edited, --force takes it away. */
    add("again", "1");
    assert_true(generate());
    new_set();
    assert_true(generate());
    diags_init(&diags, &arena);
    add("again", "2");
    assert_true(generate());
    assert_true(result.written == 1);
    diags_init(&diags, &arena);
    put("out/again", S("by hand"));
    new_set();
    assert_true(generate_with((OutputOptions){.prune = true, .force = true}));
    assert_generated(0, 2);
    assert_check("");
    assert_int_equal(count_entries("out"), 2); /* kept/, the manifest */
}

/* What leads out of the folder is not followed, whoever put it there. */
static void stays_in_its_folder(void **state) {
    (void)state;
    add("sub/a", "1");
    assert_true(generate());
    shell("mkdir else && mv out/sub else && ln -s ../else/sub out/sub");
    new_set();
    add("sub/a", "2");
    assert_false(force());
    assert_said("opgen: error[E002]: cannot write \"out/sub/a\": Not a directory\n"
                "  hint: a part of the path is a file or a symbolic link\n");
    assert_check("out/sub/a: a part of its path is a file or a symbolic link\nout/opgen.manifest.json: stale\n");
    new_set();
    assert_true(generate_with((OutputOptions){.prune = true, .force = true}));
    assert_bytes("else/sub/a", "1");
    assert_int_equal(count_entries("else/sub"), 1);
    /* The folder itself may be a link. */
    shell("mv out real && ln -s real out");
    add("b", "1");
    assert_true(generate());
    assert_bytes("real/b", "1");
    /* And paths that no set should have. */
    static const char *const wrong[] = {
        "opgen.manifest.json", ".opgen-abc123", "x/.opgen-abc123", "a\nb", "a\xff", "b/c"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        add(wrong[i], "1");
        diags_init(&diags, &arena);
        assert_false(generate());
        assert_int_equal(diags.errors, 1);
        assert_int_equal(diags.items.items[0]->code, E_IO);
        set.files.n--;
    }
    assert_int_equal(count_entries("real"), 3);
}

static void what_stands_in_the_way(void **state) {
    (void)state;
    shell("mkdir -p out/folder && mkfifo out/pipe && echo x > out/file && echo x > plain");
    add("folder", "1");
    add("pipe", "1");
    add("file/under", "1");
    assert_false(force());
    assert_said("opgen: error[E002]: cannot write \"out/file/under\": Not a directory\n"
                "  hint: a part of the path is a file or a symbolic link\n"
                "opgen: error[E002]: cannot write \"out/folder\": Is a directory\n"
                "opgen: error[E002]: cannot write \"out/pipe\": File exists\n");
    assert_check(
        "out/file/under: a part of its path is a file or a symbolic link\nout/folder: a folder is in its place\n"
        "out/pipe: no file\nout/opgen.manifest.json: missing\n");
    Output it = output();
    it.folder = S("plain");
    assert_false(output_generate(&arena, &it, 1, &(OutputOptions){0}, &diags, &result));
    assert_said("opgen: error[E002]: cannot write into \"plain\": Not a directory\n"
                "  hint: a part of the path is a file or a symbolic link\n");
    Buf report;
    buf_init(&report, &arena);
    assert_false(output_check(&arena, &it, 1, false, &diags, &report, &fresh));
    assert_said("opgen: error[E002]: cannot read \"plain\": Not a directory\n");
    assert_bytes("plain", "x\n");
}

/* As another user where the tests run as root, to whom no folder is read-only. */
static void in_a_folder_that_is_read_only(void **state) {
    (void)state;
    add("a", "1");
    add("secret", "1");
    add("gone", "1");
    assert_true(generate());
    new_set();
    add("a", "2");
    add("secret", "1");
    shell("echo x > out/other && ln -s a out/link && chmod 0 out/secret && chmod 555 out");
    make_old("out");
    bool root = geteuid() == 0;
    if (root) assert_int_equal(seteuid(65534), 0);
    bool written = generate();
    Diags said = diags;
    diags_init(&diags, &arena);
    Str report = check_with(false, false);
    if (root) assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod("out/secret", 0644), 0);
    assert_text(report, "out/a: stale\nout/gone: left over\nout/opgen.manifest.json: stale\n");
    assert_said("opgen: error[E002]: cannot read \"out/secret\": Permission denied\n");
    diags = said;
    assert_false(written);
    assert_said("opgen: error[E002]: cannot read \"out/secret\": Permission denied\n"
                "opgen: warning[E007]: \"out/gone\" is left over from an earlier run\n"
                "  hint: --prune removes it\n");
    if (root) assert_int_equal(seteuid(65534), 0);
    report = check_with(true, true);
    written = generate();
    if (root) assert_int_equal(seteuid(0), 0);
    assert_false(written || fresh);
    assert_true(str_starts(report, S("out/a: stale\n--- out/a\n+++ out/a\n@@ -1 +1 @@\n-1\n\\ No newline")));
    assert_said("opgen: warning[E007]: \"out/gone\" is left over from an earlier run\n"
                "  hint: --prune removes it\n"
                "opgen: error[E002]: cannot write \"out/opgen.manifest.json\": Permission denied\n"
                "  hint: files are replaced, so their folder must be writable\n");
    assert_true(is_old("out"));
    assert_int_equal(chmod("out", 0755), 0);
    assert_int_equal(count_entries("out"), 6);
    /* Where nothing is to be written, no right to write is needed. */
    assert_true(prune());
    shell("chmod 555 out");
    if (root) assert_int_equal(seteuid(65534), 0);
    written = generate();
    if (root) assert_int_equal(seteuid(0), 0);
    assert_true(written);
    shell("chmod 755 out");
}

static void check_of_nothing(void **state) {
    (void)state;
    add("a", "1\n2");
    assert_check("out/a: missing\nout/opgen.manifest.json: missing\n");
    assert_false(exists("out"));
    Str report = check_with(true, true);
    assert_true(str_starts(report, S("out/a: missing\n--- /dev/null\n+++ out/a\n@@ -0,0 +1,2 @@\n+1\n+2\n"
                                     "\\ No newline at end of file\nout/opgen.manifest.json: missing\n")));
}

/* What check shows, patch turns into what generate writes, without the manifest's help. */
static void a_diff_can_be_applied(void **state) {
    (void)state;
    add("new name", "n\n");
    add("changed", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    add("gone", "g\n");
    assert_true(generate());
    shell("rm 'out/new name'");
    new_set();
    add("new name", "n\n");
    add("changed", "1\n2\n3\n4\n5\nsix\n7\n8\n9\n");
    Str report = check_with(true, true);
    assert_true(
        str_starts(report, S("out/changed: stale\n--- out/changed\n+++ out/changed\n@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-6\n"
                             "+six\n 7\n 8\n 9\nout/new name: missing\n--- /dev/null\n+++ out/new name\t\n"
                             "@@ -0,0 +1 @@\n+n\nout/gone: left over\n--- out/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n"
                             "-g\nout/opgen.manifest.json: stale\n--- out/opgen")));
    assert_false(fresh);
}

static void two_models(void **state) {
    (void)state;
    add("a", "1");
    FileSet second;
    fileset_init(&second, &arena);
    assert_true(fileset_add(&second, S("a"), S("2")));
    Output outputs[2] = {output(), output()};
    outputs[0].folder = S("gen/one");
    outputs[1].folder = S("gen/two/");
    outputs[1].set = &second;
    OutputOptions options = {0};
    shell("mkdir -p gen/two && echo mine > gen/two/a");
    assert_false(output_generate(&arena, outputs, 2, &options, &diags, &result));
    assert_said("opgen: error[E006]: cannot write \"gen/two/a\": it is there, and opgen did not write it\n"
                "  hint: move it away or choose another folder; --force overwrites it\n");
    assert_false(exists("gen/one")); /* made for nothing, and gone again */
    shell("rm gen/two/a");
    assert_true(output_generate(&arena, outputs, 2, &options, &diags, &result));
    assert_int_equal(result.written, 2);
    assert_int_equal(result.manifests, 2);
    assert_bytes("gen/one/a", "1");
    assert_bytes("gen/two/a", "2");
    Buf out;
    buf_init(&out, &arena);
    assert_true(output_check(&arena, outputs, 2, true, &diags, &out, &fresh) && fresh);
    output_paths(&arena, outputs, 2, &out);
    assert_text(buf_str(&out), "gen/one/a\ngen/one/opgen.manifest.json\ngen/two/a\ngen/two/opgen.manifest.json\n");
    outputs[1].folder = S("gen/../gen/one");
    assert_false(output_generate(&arena, outputs, 2, &options, &diags, &result));
    assert_int_equal(diags.errors, 1);
    assert_true(str_starts(diags.items.items[0]->text, S("two models would be written into one folder: ")));
}

static void a_stream(void **state) {
    (void)state;
    Buf out;
    buf_init(&out, &arena);
    add("b.c", "int b;");
    output_stream(&arena, &set, &out);
    assert_text(buf_str(&out), "int b;");
    add("a.c", "int a;\n");
    add("e.c", "");
    out.n = 0;
    output_stream(&arena, &set, &out);
    assert_text(buf_str(&out), "// ==> a.c <==\nint a;\n// ==> b.c <==\nint b;\n// ==> e.c <==\n");
}

static void a_stamp(void **state) {
    (void)state;
    assert_true(output_stamp(&arena, S("d/e/stamp"), &diags));
    assert_bytes("d/e/stamp", "");
    put("d/e/stamp", S("somebody's\n"));
    make_old("d/e/stamp");
    assert_true(output_stamp(&arena, S("d/e/stamp"), &diags));
    assert_false(is_old("d/e/stamp"));
    assert_bytes("d/e/stamp", "somebody's\n");
    assert_false(output_stamp(&arena, S("d"), &diags));
    assert_said("opgen: error[E002]: cannot touch the stamp \"d\": Is a directory\n");
    assert_false(output_stamp(&arena, S("d/e/stamp/x"), &diags));
    assert_said("opgen: error[E002]: cannot touch the stamp \"d/e/stamp/x\": Not a directory\n");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {
        TEST(writes_the_set_and_its_manifest),
        TEST(writes_only_what_changed),
        TEST(names_every_file_that_is_not_its_own),
        TEST(takes_over_what_is_the_same),
        TEST(a_manifest_that_is_none),
        TEST(prunes_what_is_left_over),
        TEST(stays_in_its_folder),
        TEST(what_stands_in_the_way),
        TEST(in_a_folder_that_is_read_only),
        TEST(check_of_nothing),
        TEST(a_diff_can_be_applied),
        TEST(two_models),
        TEST(a_stream),
        TEST(a_stamp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_depfile.c: the rule as it is written, and as Make and Ninja take it: both are run on it. */
#include "output_case.h"

#include <time.h>

static bool depfile(const Str *targets, uint32_t n, const Str *inputs, uint32_t m, bool phony, Str *text) {
    return output_depfile(&arena, targets, n, inputs, m, phony, &diags, text);
}

static void pinned(void **state) {
    (void)state;
    const Str targets[] = {S("gen/a.c"), S("gen/a.h"), S("gen/a.c")};
    const Str inputs[] = {S("model.json"), S("/opt/ops/x.json"), S("model.json"), S("gen/a.h")};
    Str text;
    assert_true(depfile(targets, 3, inputs, 4, false, &text));
    assert_text(text, "gen/a.c gen/a.h: \\\n  model.json \\\n  /opt/ops/x.json\n");
    assert_true(depfile(targets, 1, inputs, 3, true, &text));
    assert_text(text, "gen/a.c: \\\n  model.json \\\n  /opt/ops/x.json\n\nmodel.json:\n\n/opt/ops/x.json:\n");
    assert_true(depfile(targets, 1, inputs, 0, true, &text));
    assert_text(text, "gen/a.c:\n");
    const Str odd[] = {S("a b"),  S("a\\ b"), S("a#b"),    S("a$b"),     S("a:b"),
                       S("a\\b"), S("~a"),    S(".PHONY"), S("\xc3\xa9")};
    assert_true(depfile(targets, 1, odd, 9, false, &text));
    assert_text(text,
                "gen/a.c: \\\n  a\\ b \\\n  a\\\\\\ b \\\n  a\\#b \\\n  a$$b \\\n  a\\:b \\\n  a\\b \\\n  ./~a \\\n"
                "  .PHONY \\\n  \xc3\xa9\n");
}

static void names_that_cannot_be_said(void **state) {
    (void)state;
    const Str target = S("a%b"),
              inputs[] = {S("x\ny"), S("x;y"),  S("x=y"), S("x|y"),  S("x\\"),   S("x\\#"),  S("x\\:"),
                          S("x "),   S("x(y)"), S(""),    S("x\ty"), S("fine%"), S(".PHONY")};
    Str text = S("untouched");
    assert_false(depfile(&target, 1, inputs, 13, false, &text));
    assert_int_equal(diags.errors, 12);
    assert_text(diags.items.items[0]->text,
                "cannot name \"a%b\" in a depfile: it has a percent sign, and Make would misread it");
    assert_text(diags.items.items[1]->text,
                "cannot name \"x\\ny\" in a depfile: it has a control character, and Make would misread it");
    diags_init(&diags, &arena);
    assert_false(depfile(inputs, 0, inputs + 11, 2, true, &text)); /* with -MP inputs are targets too */
    assert_int_equal(diags.errors, 2);
    assert_text(text, "untouched");
}

/* Names that Make takes. Ninja (1.11) stumbles over quotes and wildcards in any form, so it gets the others. */
static const char *const both[] = {"plain",  "a b",    "a  b",      "a#b",   "#",       "a$b",     "$(x)y",
                                   "a:b",    "c:/d",   "a\\b",      "a\\ b", "a\\\\ b", "a[b]",    "~a",
                                   "é",      "a,b",    "a!b",       "a{b}",  "@a",      "-a",      "+a",
                                   "a(b).j", "define", "include x", ".d",    "$$",      "a/b c/#d"};
static const char *const make_alone[] = {"a'b", "a\"b", "a&b", "a*b", "a?b", "a`b", "a<b", "%"};

static void make_folder_of(const char *path) {
    setenv("ITS_PATH", path, 1);
    shell("mkdir -p \"./$(dirname \"./$ITS_PATH\")\" && touch \"./$ITS_PATH\"");
}

static void set_time(const char *path, time_t seconds) {
    const struct timespec times[2] = {{seconds, 0}, {seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Whether make, asked for the target, finds that it has to be made. */
static bool make_builds(const char *target) {
    put("Makefile", S("include dep.d\n%:\n\t@touch built\n"));
    setenv("ITS_PATH", target, 1);
    shell("rm -f built; make -rR --no-print-directory -- \"$ITS_PATH\" > log 2>&1 || { cat log; exit 1; }");
    return exists("built");
}

static void try_make(const char *name, bool as_target, bool phony) {
    const char *target = as_target ? name : "T", *input = as_target ? "I" : name;
    if (strchr(name, '%') != NULL && (as_target || phony)) return;
    make_folder_of(target);
    make_folder_of(input);
    set_time(target, 1000);
    set_time(input, 2000);
    Str text, t = str_c(target), i = str_c(input);
    assert_true(depfile(&t, 1, &i, 1, phony, &text));
    put("dep.d", text);
    bool built = make_builds(target);
    set_time(input, 500);
    bool again = make_builds(target);
    if (!built || again) print_message("make, %s as %s: %d %d\n", name, as_target ? "target" : "input", built, again);
    assert_true(built && !again);
    if (phony) { /* an input that is gone is no error */
        assert_int_equal(unlink(input), 0);
        assert_true(make_builds(target));
    }
    shell("find . -mindepth 1 -delete");
}

static void make_takes_it(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        for (int as = 0; as < 4; as++)
            try_make(both[i], as & 1, as & 2);
    for (size_t i = 0; i < sizeof make_alone / sizeof *make_alone; i++)
        for (int as = 0; as < 3; as++)
            try_make(make_alone[i], as & 1, as & 2);
}

static void add_for_ninja(Buf *out, const char *name) {
    for (; *name != '\0'; name++) {
        if (*name == '$' || *name == ' ' || *name == ':') buf_char(out, '$');
        buf_char(out, *name);
    }
}

static int ninja_builds(void) {
    shell("rm -f built; ninja > log 2>&1 || { cat log; exit 1; }");
    return exists("built");
}

static void try_ninja(const char *name, bool as_target, bool phony) {
    const char *target = as_target ? name : "T", *input = as_target ? "I" : name;
    make_folder_of(input);
    Str text, t[] = {str_c(target), S("second")}, i = str_c(input);
    assert_true(depfile(t, 2, &i, 1, phony, &text));
    put("dep.saved", text);
    Buf file;
    buf_init(&file, &arena);
    buf_add(&file, S("rule g\n  command = sh gen.sh\n  depfile = dep.d\n  deps = gcc\n  restat = 1\nbuild "));
    add_for_ninja(&file, target);
    buf_add(&file, S(" second: g\n"));
    put("build.ninja", buf_str(&file));
    make_folder_of(target);
    setenv("ITS_PATH", target, 1);
    put("gen.sh", S("touch \"./$ITS_PATH\" second built; cp dep.saved dep.d\n"));
    bool first = ninja_builds(), again = ninja_builds();
    set_time(input, 4000000000);
    bool changed = ninja_builds();
    if (!first || again || !changed)
        print_message("ninja, %s as %s: %d %d %d\n", name, as_target ? "target" : "input", first, again, changed);
    assert_true(first && !again && changed);
    shell("find . -mindepth 1 -delete");
}

static void ninja_takes_it(void **state) {
    (void)state;
    if (system("ninja --version > /dev/null 2>&1") != 0) skip();
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        for (int as = 0; as < 4; as++)
            try_ninja(both[i], as & 1, as & 2);
}

/* What make does, a line each: "generated", "compiled". */
static void assert_make(const char *want) {
    shell("make -s a.o > said 2>&1 || { cat said; exit 1; }");
    assert_bytes("said", want);
}

/* The whole of it: a Makefile that hangs generating on a stamp. Files whose bytes stay are not built again. */
static void a_makefile_with_a_stamp(void **state) {
    (void)state;
    add("a.c", "a");
    put("model.json", S("{}"));
    assert_true(generate());
    Output it = output();
    uint32_t n;
    const Str *targets = output_targets(&arena, &it, 1, &n);
    assert_int_equal(n, 2);
    assert_text(targets[0], "out/a.c");
    assert_text(targets[1], "out/opgen.manifest.json");
    Str text, stamp = S("gen.stamp"), input = S("model.json");
    assert_true(depfile(&stamp, 1, &input, 1, true, &text));
    put("gen.d", text);
    assert_true(output_stamp(&arena, stamp, &diags));
    put("Makefile", S("a.o: out/a.c; @touch a.o; echo compiled\nout/a.c: gen.stamp ;\n"
                      "gen.stamp: ; @touch gen.stamp; echo generated\n-include gen.d\n"));
    static const char *const paths[] = {"model.json", "out/a.c", "out/opgen.manifest.json", "gen.stamp"};
    for (time_t i = 0; i < 4; i++)
        set_time(paths[i], 1000 + i);
    assert_make("compiled\n");
    assert_make("");
    set_time("a.o", 2000);
    set_time("model.json", 3000);
    assert_make("generated\n");
    /* generate leaves the file's time as it was, and the stamp alone has a new one */
    assert_true(generate() && output_stamp(&arena, stamp, &diags));
    assert_make("");
    new_set();
    add("a.c", "b");
    set_time("gen.stamp", 2000);
    assert_true(generate() && output_stamp(&arena, stamp, &diags));
    assert_make("compiled\n");
    assert_int_equal(unlink("model.json"), 0); /* renamed, say: the phony rule keeps make going */
    assert_make("generated\n");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {TEST(pinned), TEST(names_that_cannot_be_said), TEST(make_takes_it),
                                       TEST(ninja_takes_it), TEST(a_makefile_with_a_stamp)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

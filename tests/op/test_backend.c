/* test_backend.c: reading backend.json and its parents', and what is said of mistakes in them. */
#include "op/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static Arena arena;
static Names names;
static Diags diags;
static Str root;

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    names_init(&names, &arena);
    diags_init(&diags, &arena);
    const char *folder = getenv("TMPDIR");
    char *path = arena_copy(&arena, "", 1);
    Str template = str_format(&arena, "%s/backend.XXXXXX", folder != NULL ? folder : "/tmp");
    path = arena_copy(&arena, str_to_c(&arena, template), template.n + 1);
    assert_non_null(mkdtemp(path));
    root = str_c(path);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    Str command = str_format(&arena, "rm -r '%S'", root);
    int status = system(str_to_c(&arena, command));
    arena_free(&arena);
    return status;
}

static void write_backend(const char *name, const char *text) {
    Str folder = str_format(&arena, "%S/%s", root, name);
    assert_int_equal(mkdir(str_to_c(&arena, folder), 0777), 0);
    bool changed;
    assert_true(
        file_write_if_changed(&arena, str_format(&arena, "%S/backend.json", folder), str_c(text), &diags, &changed));
}

static const Backend *read_backend(const char *name) {
    diags_init(&diags, &arena);
    return backend_read(&arena, &names, &root, 1, str_c(name), (Span){NULL, 0, 0}, &diags);
}

/* The findings without the folder in front; their excerpts left out. */
static Str findings(void) {
    Buf all, out;
    buf_init(&all, &arena);
    buf_init(&out, &arena);
    diags_render(&diags, DIAG_TEXT, false, &all);
    Str rest = buf_str(&all);
    while (rest.n > 0) {
        size_t end = str_find_char(rest, '\n');
        Str line = str_sub(rest, 0, end == STR_NONE ? rest.n : end);
        rest = str_sub(rest, end == STR_NONE ? rest.n : end + 1, rest.n);
        if (str_starts(line, root)) line = str_sub(line, root.n + 1, line.n);
        size_t caret = str_find(line, S("^"));
        if (str_starts(line, S(" "))) {
            /* Of the excerpt only the hint behind the caret. */
            if (caret == STR_NONE) continue;
            line = str_sub(line, caret, line.n);
            while (line.n > 0 && (line.p[0] == '^' || line.p[0] == '~' || line.p[0] == ' '))
                line = str_sub(line, 1, line.n);
            if (line.n == 0) continue;
            buf_format(&out, "  %S\n", line);
        } else {
            buf_format(&out, "%S\n", line);
        }
    }
    return buf_str(&out);
}

static void expect_findings(const char *wanted) { assert_string_equal(str_to_c(&arena, findings()), wanted); }

static void expect_function(const Backend *backend, const char *name, Dtype type, const char *text, Dtype result) {
    LowerFunction function;
    bool found = backend_function((void *)(uintptr_t)backend, str_c(name), type, &function);
    assert_int_equal(found, text != NULL);
    if (!found) return;
    assert_string_equal(str_to_c(&arena, function.text), text);
    assert_int_equal(function.result, result);
}

static void groups_and_types(void **state) {
    (void)state;
    write_backend(
        "a",
        "{\"name\": \"a\", \"ext\": \".c\",\n"
        " \"types\": {\"f32\": \"float\", \"i32\": \"int\", \"u8\": \"unsigned char\", \"bool\": {\"name\": \"char\", "
        "\"compute\": \"bool\", \"load\": \"{0} != 0\", \"store\": \"(char){0}\"}},\n"
        " \"functions\": {\"f\": {\"i32\": \"i({0})\", \"any\": \"any_{type}(({c}){0})\", \"int\": \"int({0})\"},\n"
        "   \"g\": \"g({0})\", \"h\": {\"result\": \"bool\", \"float\": \"h({0})\", \"int\": {\"text\": \"hi({0})\", "
        "\"result\": \"i32\", \"operand\": \"f32\"}}}}");
    const Backend *backend = read_backend("a");
    expect_findings("");
    assert_non_null(backend);
    expect_function(backend, "f", DT_I32, "i({0})", DT_I32);
    expect_function(backend, "f", DT_U8, "int({0})", DT_U8);
    expect_function(backend, "f", DT_F32, "any_f32((float){0})", DT_F32);
    expect_function(backend, "f", DT_BOOL, "any_bool((bool){0})", DT_BOOL);
    expect_function(backend, "f", DT_F64, NULL, DT_F64); /* it has no such type */
    expect_function(backend, "g", DT_F32, "g({0})", DT_F32);
    expect_function(backend, "h", DT_F32, "h({0})", DT_BOOL);
    expect_function(backend, "h", DT_I32, "hi({0})", DT_I32);
    expect_function(backend, "h", DT_BOOL, NULL, DT_BOOL);
    expect_function(backend, "nothing", DT_F32, NULL, DT_F32);
    LowerFunction function;
    assert_true(backend_function((void *)(uintptr_t)backend, S("h"), DT_U8, &function));
    assert_int_equal(function.operand, DT_F32);
    assert_string_equal(str_to_c(&arena, backend_load(backend, &arena, DT_BOOL, S("x[i]"))), "(x[i] != 0)");
    assert_string_equal(str_to_c(&arena, backend_store(backend, &arena, DT_BOOL, S("(a < b)"))), "(char)(a < b)");
    assert_string_equal(str_to_c(&arena, backend_load(backend, &arena, DT_F32, S("x[i]"))), "x[i]");
    assert_string_equal(str_to_c(&arena, backend_compute_name(backend, DT_F16)), "float");
    assert_string_equal(str_to_c(&arena, backend_compute_name(backend, DT_BOOL)), "bool");
    assert_int_equal(backend->function_count, 3);
}

static void children_override(void **state) {
    (void)state;
    write_backend("base",
                  "{\"name\": \"base\", \"ext\": \".c\", \"doc\": \"the base\", \"headers\": [\"<math.h>\"], "
                  "\"used_headers\": [],\n"
                  " \"compiler\": {\"command\": \"cc\", \"flags\": [\"-O2\"]},\n"
                  " \"types\": {\"f32\": \"float\", \"f64\": \"double\"},\n"
                  " \"functions\": {\"exp\": {\"f32\": \"expf({0})\", \"f64\": \"exp({0})\"}, \"erf\": \"erf({0})\"}}");
    write_backend("mid", "{\"name\": \"mid\", \"parent\": \"base\", \"ext\": \".cu\", \"functions\": {\"exp\": "
                         "{\"f32\": \"__expf({0})\"}}}");
    write_backend("leaf",
                  "{\"name\": \"leaf\", \"parent\": \"mid\", \"compiler\": {\"command\": \"leafcc\"},\n"
                  " \"functions\": {\"erf\": null, \"exp\": {\"f64\": null}, \"own\": {\"f32\": \"own({0})\"}}}");
    const Backend *leaf = read_backend("leaf");
    expect_findings("");
    assert_non_null(leaf);
    expect_function(leaf, "exp", DT_F32, "__expf({0})", DT_F32);
    expect_function(leaf, "exp", DT_F64, NULL, DT_F64);
    expect_function(leaf, "erf", DT_F32, NULL, DT_F32);
    expect_function(leaf, "own", DT_F32, "own({0})", DT_F32);
    expect_function(leaf->parent, "exp", DT_F64, "exp({0})", DT_F64);
    expect_function(leaf->parent->parent, "exp", DT_F32, "expf({0})", DT_F32);
    assert_string_equal(str_to_c(&arena, leaf->ext), ".cu");
    assert_string_equal(str_to_c(&arena, backend_compiler(leaf, S("command"))->as.s), "leafcc");
    assert_int_equal(backend_compiler(leaf, S("flags"))->as.array.n, 1);
    assert_null(backend_compiler(leaf, S("threads")));
    assert_int_equal(backend_get(leaf, S("headers"))->as.array.n, 1);
    assert_int_equal(backend_get(leaf, S("used_headers"))->as.array.n, 0);
    assert_null(backend_get(leaf, S("limits")));
}

static void every_mistake_at_once(void **state) {
    (void)state;
    write_backend(
        "bad",
        "{\"name\": \"good\",\n"
        " \"extt\": \".c\",\n"
        " \"headers\": [\"a\", 1],\n"
        " \"compiler\": {\"comand\": \"cc\", \"flags\": \"-O2\"},\n"
        " \"types\": {\"f31\": \"float\", \"f32\": 3, \"f64\": {\"load\": \"{1x}\"}, \"i8\": {\"nmae\": \"a\"}},\n"
        " \"functions\": {\"a\": 1,\n"
        "   \"b\": {\"flaot\": \"x\"},\n"
        "   \"c\": {\"f16\": \"x\"},\n"
        "   \"d\": {\"f32\": 1},\n"
        "   \"e\": {\"f32\": \"{x}\"},\n"
        "   \"f\": {\"f32\": {\"txt\": \"x\"}},\n"
        "   \"g\": {\"result\": \"f16\", \"any\": \"x\"}}}");
    assert_null(read_backend("bad"));
    expect_findings(
        "bad/backend.json:1:1: error[E022]: a backend needs an \"ext\", the end of its sources' names: \".c\"\n"
        "bad/backend.json:1:10: error[E024]: this backend lies in the folder \"bad\"; that is its name\n"
        "bad/backend.json:2:2: error[E020]: a backend has no key \"extt\"\n"
        "  did you mean \"ext\"?\n"
        "bad/backend.json:3:19: error[E014]: \"headers\" is an array of strings, but this is an integer\n"
        "bad/backend.json:4:15: error[E020]: \"compiler\" has no key \"comand\"\n"
        "  did you mean \"command\"?\n"
        "bad/backend.json:4:40: error[E014]: \"flags\" is an array, but this is a string\n"
        "bad/backend.json:5:12: error[E020]: \"types\" has no key \"f31\"\n"
        "  did you mean \"f32\"?\n"
        "bad/backend.json:5:35: error[E014]: a type is a name, or an object with one, but this is an integer\n"
        "bad/backend.json:5:45: error[E022]: a type needs a \"name\": what it is called in code\n"
        "bad/backend.json:5:54: error[E025]: \"{1x}\" is no place of a text\n"
        "  {0} is the value\n"
        "bad/backend.json:5:69: error[E022]: a type needs a \"name\": what it is called in code\n"
        "bad/backend.json:5:70: error[E020]: a type has no key \"nmae\"\n"
        "  did you mean \"name\"?\n"
        "bad/backend.json:6:21: error[E014]: a function is a text, or an object of texts by type, but this is an "
        "integer\n"
        "bad/backend.json:7:10: error[E020]: a function has no key \"flaot\"\n"
        "  did you mean \"float\"?\n"
        "bad/backend.json:8:10: error[E025]: nothing is computed in f16\n"
        "  it is computed in f32, and rounded where it is stored\n"
        "bad/backend.json:9:17: error[E014]: \"f32\" is a string, but this is an integer\n"
        "bad/backend.json:10:17: error[E025]: \"{x}\" is no place of a text\n"
        "  {0}, {1}, ... are the operands, {type} the dtype, {c} its name in code\n"
        "bad/backend.json:11:17: error[E022]: a function needs a \"text\": what is written for it\n"
        "bad/backend.json:11:18: error[E020]: a function's text has no key \"txt\"\n"
        "  did you mean \"text\"?\n"
        "bad/backend.json:12:20: error[E025]: \"f16\" is no type that is computed in\n"
        "  bool, i8 to u64, f32, f64\n");
}

static void parents_that_are_wrong(void **state) {
    (void)state;
    write_backend("one", "{\"name\": \"one\", \"ext\": \".c\", \"parent\": \"two\"}");
    write_backend("two", "{\"name\": \"two\", \"ext\": \".c\", \"parent\": \"one\"}");
    write_backend("three", "{\"name\": \"three\", \"ext\": \".c\", \"parent\": \"on\"}");
    write_backend("four", "{\"name\": \"four\", \"ext\": \".c\", \"parent\": \"../one\"}");
    write_backend("five", "[1]");
    write_backend("six", "{\"name\": \"six\", \"ext\": \"c/d\", \"parent\": null}");
    assert_null(read_backend("one"));
    expect_findings("two/backend.json:1:40: error[E026]: the backend \"one\" is made a parent of itself\n");
    assert_null(read_backend("three"));
    assert_true(
        str_starts(findings(), S("three/backend.json:1:42: error[E021]: there is no backend \"on\"\n  looked for ")));
    assert_null(read_backend("four"));
    expect_findings("four/backend.json:1:41: error[E021]: there is no backend \"../one\"\n"
                    "  a backend is named by letters, digits and \"_\", as its folder is\n");
    assert_null(read_backend("five"));
    expect_findings("five/backend.json:1:1: error[E014]: a backend is an object, but this is an array\n");
    assert_null(read_backend("six"));
    expect_findings(
        "six/backend.json:1:24: error[E025]: \"c/d\" is no end of a file's name; it begins with a point: \".c\"\n");
    assert_null(read_backend("thre"));
    expect_findings("opgen: error[E021]: there is no backend \"thre\"\n");
}

int main(void) {
#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(groups_and_types),
        CASE(children_override),
        CASE(every_mistake_at_once),
        CASE(parents_that_are_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

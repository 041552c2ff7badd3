/* test_headers.c: which headers a function includes: always some, others where it has a name of theirs. */
#include "output_case.h"

#include "emit/headers.h"

static Names names;
static Syms syms;

/* The plan of an empty model for the backend `leaf`, whose headers lie beside it or beside its parent. */
static bool begin(Headers *headers, const char *used) {
    shell("mkdir -p base leaf");
    put("base/backend.json", str_format(&arena,
                                        "{\"name\": \"base\", \"ext\": \".c\", \"headers\": [\"<math.h>\"],\n"
                                        " \"used_headers\": [%s]}",
                                        used));
    put("leaf/backend.json", S("{\"name\": \"leaf\", \"parent\": \"base\"}"));
    put("base/one.h",
        S("#ifndef ONE_H\n#define ONE_H\n#define ONE 1\nstatic inline int one(int x) { return x; }\n#endif\n"));
    put("leaf/two.h", S("#include \"one.h\"\ntypedef float two_t;\nstatic inline two_t two(int x) { return one(x); }\n"
                        "static inline int one(int x);\n"));
    names_init(&names, &arena);
    syms_init(&syms, &arena);
    static Str root = {".", 1};
    static Graph graph;
    graph = (Graph){.arena = &arena, .diags = &diags, .names = &names};
    static Plan plan;
    plan = (Plan){.arena = &arena, .graph = &graph};
    plan.backend = backend_read(&arena, &names, &root, 1, S("leaf"), span(NULL, 0, 0), &diags);
    assert_non_null(plan.backend);
    EngineOptions options = {.syntax = {.trim_blocks = true}};
    Engine *engine = engine_new(&arena, &names, &diags, &options);
    engine_add_root(engine, root);
    bool good = headers_begin(headers, &plan, engine);
    uint32_t files;
    engine_files(engine, &files);
    if (good) assert_int_equal(files, headers->n); /* what is generated depends on them */
    return good;
}

static void assert_included(const Headers *headers, const char *text, const char *want) {
    Buf out;
    buf_init(&out, &arena);
    headers_write(headers, str_c(text), &out);
    assert_text(buf_str(&out), want);
}

static void what_is_used(void **state) {
    (void)state;
    Headers headers;
    assert_true(begin(&headers, "\"\\\"one.h\\\"\", \"\\\"two.h\\\"\""));
    const char *always = "#include <math.h>\n", *one = "#include <math.h>\n#include \"one.h\"\n",
               *two = "#include <math.h>\n#include \"two.h\"\n",
               *both = "#include <math.h>\n#include \"one.h\"\n#include \"two.h\"\n";
    assert_included(&headers, "", always);
    assert_included(&headers, "int f(int x) { return x + 1; }", always);
    assert_included(&headers, "int f(int x) { return one(x); }", one); /* of the first that declares it */
    assert_included(&headers, "two_t f(int x) { return two(x); }", two);
    assert_included(&headers, "int f(int x) { return two(ONE); }", both);
    assert_included(&headers, "#define AGAIN \\\n  one(1)\n", one);
    assert_included(&headers, "int f(int x) { return x; } // one(x)\n/* two(x) */ const char *s = \"one\";", always);
    assert_included(&headers, "int f(int x) { return ones(x) + x.two_to; }", always);
    assert_said("");
}

static void none_of_it(void **state) {
    (void)state;
    Headers headers;
    assert_true(begin(&headers, ""));
    assert_included(&headers, "one(two())", "#include <math.h>\n");
}

static void what_is_not_there(void **state) {
    (void)state;
    Headers headers;
    assert_false(begin(&headers, "\"\\\"one.h\\\"\", \"\\\"three.h\\\"\""));
    assert_said("./base/backend.json:2:32: error[E022]: the backend \"leaf\" has no file \"three.h\"\n"
                "    2 |  \"used_headers\": [\"\\\"one.h\\\"\", \"\\\"three.h\\\"\"]}\n"
                "      |                                ^~~~~~~~~~~~~ these lie beside its templates; "
                "what is found elsewhere belongs into \"headers\"\n");
    assert_false(begin(&headers, "\"<stdio.h>\""));
    assert_said("./base/backend.json:2:19: error[E014]: <stdio.h> is not in quotes of its own\n"
                "    2 |  \"used_headers\": [\"<stdio.h>\"]}\n"
                "      |                   ^~~~~~~~~~~ as #include has it: \"\\\"opgen_exp.h\\\"\"; "
                "what is in <> belongs into \"headers\"\n");
    assert_false(begin(&headers, "\"one.h\""));
    assert_said("./base/backend.json:2:19: error[E014]: one.h is not in quotes of its own\n"
                "    2 |  \"used_headers\": [\"one.h\"]}\n"
                "      |                   ^~~~~~~ as #include has it: \"\\\"opgen_exp.h\\\"\"; "
                "what is in <> belongs into \"headers\"\n");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {TEST(what_is_used), TEST(none_of_it), TEST(what_is_not_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_opdef.c: reading operators: every mistake pinned whole (opdef_errors.txt), and what is in an operator once it is
 * read. */
#include "op/opdef.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static Arena arena;
static Names names;
static Diags diags;
static OpTable table;

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    names_init(&names, &arena);
    diags_init(&diags, &arena);
    optable_init(&table, &arena, &names);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

static bool read_text(Str text) { return optable_read(&table, source_new(&arena, S("text"), text), &diags); }

static const char *said(void) {
    Buf out;
    buf_init(&out, &arena);
    diags_render(&diags, DIAG_TEXT, false, &out);
    return str_to_c(&arena, buf_str(&out));
}

static const OpDef *get(const char *name) { return optable_get(&table, names_get(&names, str_c(name))); }

/* The only operator of a text in which nothing is wrong. */
static const OpDef *read_one(const char *text) {
    if (!read_text(str_c(text))) fail_msg("%s\n%s", text, said());
    assert_int_equal(diags.items.n, 0);
    return table.ops.entries[0].value;
}

static void is_text(Str got, const char *wanted) { assert_string_equal(str_to_c(&arena, got), wanted); }

static void is_expr(const OpExpr *expr, const char *wanted) {
    assert_non_null(expr->expr);
    is_text(str_sub(expr->source->text, expr->expr->from, expr->expr->to), wanted);
}

/* ---- mistakes */

/* The piece of a text up to the mark, which both are left behind in *rest. */
static Str take(Str *rest, Str mark) {
    size_t at = str_find(*rest, mark);
    Str piece = str_sub(*rest, 0, at == STR_NONE ? rest->n : at);
    *rest = at == STR_NONE ? S("") : str_sub(*rest, at + mark.n, rest->n);
    return piece;
}

static void mistakes(void **state) {
    (void)state;
    Diags none;
    diags_init(&none, &arena);
    Str rest = S("\n");
    Source *file = file_read_text(&arena, S("tests/op/opdef_errors.txt"), span(NULL, 0, 0), &none);
    assert_non_null(file);
    rest = file->text;
    take(&rest, S("\n=== "));
    unsigned cases = 0;
    while (rest.n > 0) {
        Str record = take(&rest, S("\n=== "));
        Str title = take(&record, S("\n")), text = take(&record, S("\n---\n"));
        Str wanted = str_trim(record);
        diags_init(&diags, &arena);
        optable_init(&table, &arena, &names);
        bool good = read_text(text);
        bool whole = str_eq(title, S("the whole"));
        assert_int_equal(good, whole);
        if (whole) assert_false(optable_check(&table, NULL, 0, &diags));
        const char *got = said();
        if (!str_eq(str_trim(str_c(got)), wanted))
            fail_msg("%s\nsays\n%s\nnot\n%s", str_to_c(&arena, text), got, str_to_c(&arena, wanted));
        cases++;
    }
    assert_true(cases > 150);
}

/* A file of which something is wrong gives what is right in it. */
static void keeps_what_is_right(void **state) {
    (void)state;
    assert_false(read_text(S("{\"ops\": [{\"op\": \"f\", \"kind\": \"map\", \"inputs\": [\"x\"], \"expr\": \"x\"}, "
                             "{\"op\": \"g\", \"kind\": \"map\", \"inputs\": [\"x\"], \"expr\": \"z\"}]}")));
    assert_non_null(get("f"));
    assert_null(get("g"));
}

/* ---- what was read */

static void fills_in(void **state) {
    (void)state;
    const OpDef *op =
        read_one("{\"op\": \"f\", \"kind\": \"map\", \"inputs\": [\"x\", {\"name\": \"m\", \"type\": \"bool\", "
                 "\"optional\": true}], \"expr\": \"x\"}");
    is_text(name_str(op->name), "f");
    assert_int_equal(op->kind, KIND_MAP);
    assert_int_equal(op->inputs.n, 2);
    is_expr(&op->inputs.items[0].type, "T");
    is_expr(&op->inputs.items[1].type, "bool");
    assert_true(op->inputs.items[1].optional);
    assert_int_equal(op->outputs.n, 1);
    is_text(name_str(op->outputs.items[0].name), "y");
    is_expr(&op->outputs.items[0].type, "T");
    assert_null(op->outputs.items[0].shape.expr);
    DtypeSet floats;
    assert_true(dtype_set_parse(S("float"), &floats));
    assert_int_equal(op->types.n, 1);
    assert_int_equal(op->types.items[0].set, floats);
    is_expr(&op->body.items[0].value, "x");
}

static void reads_attributes(void **state) {
    (void)state;
    const OpDef *op = read_one("{\"op\": \"f\", \"kind\": \"map\", \"inputs\": [\"x\"], \"expr\": \"x\", \"attrs\": {"
                               "\"a\": {\"type\": \"int\"}, \"b\": {\"type\": \"float\", \"default\": \"-inf\"}, "
                               "\"c\": {\"type\": \"list\", \"spread\": true, \"len\": 2, \"default\": 3}, "
                               "\"d\": {\"type\": \"dtype\", \"default\": null}, \"e\": {\"type\": \"list\", \"of\": "
                               "\"float\", \"default\": [1, 2.5]}}}");
    assert_int_equal(op->attrs.n, 5);
    assert_true(op->attrs.items[0].required);
    assert_null(op->attrs.items[0].fallback);
    assert_false(op->attrs.items[1].required);
    assert_int_equal(op->attrs.items[1].fallback->kind, JSON_FLOAT);
    assert_true(op->attrs.items[1].fallback->as.f < -1e308);
    const Json *spread = op->attrs.items[2].fallback;
    assert_int_equal(spread->kind, JSON_ARRAY);
    assert_int_equal(spread->as.array.n, 2);
    assert_int_equal(spread->as.array.items[1].as.i, 3);
    assert_int_equal(op->attrs.items[3].fallback->kind, JSON_NULL);
    assert_int_equal(op->attrs.items[4].of, ATTR_FLOAT);
    assert_int_equal(op->attrs.items[4].fallback->as.array.n, 2);
}

/* What a model gives: the same check, at the model's place. */
static void checks_values(void **state) {
    (void)state;
    const OpDef *op = read_one("{\"op\": \"f\", \"kind\": \"map\", \"inputs\": [\"x\"], \"expr\": \"x\", \"attrs\": {"
                               "\"s\": {\"type\": \"list\", \"spread\": true}, \"n\": {\"type\": \"int\", \"default\": "
                               "null}, \"i\": {\"type\": \"int\"}}}");
    const struct {
        uint32_t attr;
        const char *text;
        bool good;
    } cases[] = {{0, "[1, 2, 3]", true}, {0, "4", true},  {0, "\"4\"", false}, {0, "[1.5]", false}, {0, "null", false},
                 {1, "null", true},      {1, "-7", true}, {1, "7.0", false},   {2, "null", false},  {2, "true", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Source *source = source_new(&arena, S("model"), str_c(cases[i].text));
        const Json *given = json_parse(&arena, &names, source, &diags);
        Json value;
        uint32_t before = diags.errors;
        assert_int_equal(opattr_value(&arena, &op->attrs.items[cases[i].attr], source, given, &diags, &value),
                         cases[i].good);
        assert_int_equal(diags.errors - before, !cases[i].good);
        if (cases[i].good && cases[i].attr == 0) assert_int_equal(value.kind, JSON_ARRAY);
    }
}

static void completes_reductions(void **state) {
    (void)state;
    const OpDef *op = read_one("{\"op\": \"f\", \"kind\": \"reduce\", \"inputs\": [\"x\"], \"outputs\": [{\"name\": "
                               "\"y\", \"type\": \"i64\"}], "
                               "\"over\": \"[0]\", \"init\": 0, \"combine\": \"a + b\"}");
    assert_int_equal(op->acc.n, 1);
    is_text(name_str(op->acc.items[0].name), "acc");
    is_expr(&op->acc.items[0].value, "i64");
    is_expr(&op->init.items[0].value, "0");
    is_expr(&op->element.items[0].value, "x");
    is_expr(&op->combine.items[0].value, "a + b");
    is_expr(&op->finish.items[0].value, "acc");
    is_expr(&op->over, "[0]");
}

/* In the order of the declarations, whatever that of the object is. */
static void orders_parts(void **state) {
    (void)state;
    const OpDef *op = read_one("{\"op\": \"f\", \"kind\": \"map\", \"inputs\": [\"x\"], \"outputs\": [\"p\", \"q\"], "
                               "\"expr\": {\"q\": \"x * 2\", \"p\": \"x\"}}");
    is_text(name_str(op->body.items[0].name), "p");
    is_expr(&op->body.items[0].value, "x");
    is_expr(&op->body.items[1].value, "x * 2");
}

static void reads_views_of_several(void **state) {
    (void)state;
    const OpDef *op = read_one("{\"op\": \"f\", \"kind\": \"view\", \"inputs\": [\"x\", \"z\"], \"outputs\": "
                               "[{\"name\": \"y\", \"shape\": \"x.shape\"}], "
                               "\"index\": {\"z\": \"d\", \"x\": \"i[d]\"}, \"valid\": {\"x\": \"i[0] > 1\"}}");
    is_expr(&op->index, "i[d]");
    is_expr(&op->valid, "i[0] > 1");
    assert_int_equal(op->indices.n, 2);
    is_expr(&op->indices.items[1].value, "d");
    assert_int_equal(op->valids.n, 2);
    assert_null(op->valids.items[1].value.expr);
}

static void is_hole(const OpHole *hole, const char *name, const char *of, const char *shape, const char *index) {
    is_text(name_str(hole->name), name);
    is_text(name_str(hole->of), of);
    assert_int_equal(hole->shape.expr != NULL, shape != NULL);
    assert_int_equal(hole->index.expr != NULL, index != NULL);
    if (shape != NULL) is_expr(&hole->shape, shape);
    if (index != NULL) is_expr(&hole->index, index);
}

static void reads_sizes_and_holes(void **state) {
    (void)state;
    const OpDef *op = read_one("{\"op\": \"f\", \"kind\": \"kernel\", \"kernel\": \"k\", \"inputs\": [\"x\", \"w\", "
                               "{\"name\": \"ys\", \"list\": true}, {\"name\": \"bias\", \"optional\": true}], "
                               "\"sizes\": {\"m\": \"x.shape[0]\", \"n\": 1, \"k\": \"m * n + y.rank\"}, "
                               "\"holes\": {\"b\": {\"of\": \"w\", \"shape\": \"[k, m]\", \"index\": \"i[::-1]\"}, "
                               "\"y\": {\"shape\": \"[m]\"}, \"t\": {\"of\": \"w\"}}}");
    assert_int_equal(op->sizes.n, 3);
    is_text(name_str(op->sizes.items[1].name), "n");
    is_expr(&op->sizes.items[1].value, "1");
    is_expr(&op->sizes.items[2].value, "m * n + y.rank");
    /* What is written, in its order; then what is not, of single tensors that no hole is of. */
    assert_int_equal(op->holes.n, 5);
    is_hole(&op->holes.items[0], "b", "w", "[k, m]", "i[::-1]");
    is_hole(&op->holes.items[1], "y", "y", "[m]", NULL);
    is_hole(&op->holes.items[2], "t", "w", NULL, NULL);
    is_hole(&op->holes.items[3], "x", "x", NULL, NULL);
    is_hole(&op->holes.items[4], "bias", "bias", NULL, NULL);
}

/* An operator that says nothing of holes has one a tensor; of other kinds there are none. */
static void has_holes_of_its_own(void **state) {
    (void)state;
    assert_true(read_text(S("{\"ops\": [{\"op\": \"f\", \"kind\": \"kernel\", \"kernel\": \"k\", \"inputs\": [\"x\"], "
                            "\"outputs\": [\"p\", \"q\"]}, "
                            "{\"op\": \"g\", \"kind\": \"map\", \"inputs\": [\"x\"], \"expr\": \"x\"}]}")));
    const OpDef *op = get("f");
    assert_int_equal(op->sizes.n, 0);
    assert_int_equal(op->holes.n, 3);
    is_hole(&op->holes.items[0], "x", "x", NULL, NULL);
    is_hole(&op->holes.items[1], "p", "p", NULL, NULL);
    is_hole(&op->holes.items[2], "q", "q", NULL, NULL);
    assert_int_equal(get("g")->holes.n, 0);
}

static void makes_in_place_forms(void **state) {
    (void)state;
    assert_true(read_text(
        S("{\"op\": \"add\", \"kind\": \"map\", \"inputs\": [\"x\", \"z\"], \"in_place\": true, \"expr\": \"x + z\", "
          "\"outputs\": [{\"name\": \"y\", \"type\": \"to_float(T)\"}]}")));
    const OpDef *op = get("add"), *form = get("add_");
    assert_non_null(form);
    assert_ptr_equal(form->base, op);
    assert_int_equal(op->mutates.n, 0);
    assert_int_equal(form->mutates.n, 1);
    is_text(name_str(form->mutates.items[0]), "x");
    is_expr(&form->outputs.items[0].type, "x.dtype");
    is_expr(&form->outputs.items[0].shape, "x.shape");
    is_expr(&op->outputs.items[0].type, "to_float(T)");
    assert_int_equal(form->requires.n, 2);
    is_expr(&form->requires.items[0].that, "broadcast(x.shape, z.shape) == x.shape");
    is_expr(&form->body.items[0].value, "x + z");
}

static void fills_in_steps(void **state) {
    (void)state;
    assert_true(read_text(S("{\"ops\": [{\"op\": \"g\", \"kind\": \"composite\", \"inputs\": [\"x\", \"z\"], "
                            "\"attrs\": {\"p\": {\"type\": \"int\"}}, "
                            "\"steps\": [{\"op\": \"h\", \"in\": [\"z\", [\"x\", \"z\"]], \"attrs\": {\"k\": \"p + "
                            "1\"}, \"out\": \"y\", \"when\": \"p > 0\"}]},"
                            "{\"op\": \"h\", \"kind\": \"map\", \"inputs\": [\"one\", {\"name\": \"many\", \"list\": "
                            "true}], \"attrs\": {\"k\": {\"type\": \"int\"}}, "
                            "\"expr\": \"one\"}]}")));
    assert_true(optable_check(&table, NULL, 0, &diags));
    const OpStep *step = &get("g")->steps.items[0];
    is_text(name_str(step->in.items[0].name), "one");
    is_text(name_str(step->in.items[1].name), "many");
    assert_int_equal(step->in.items[1].value.expr->kind, X_LIST);
    assert_int_equal(step->in.items[1].value.expr->as.list.n, 2);
    is_expr(&step->attrs.items[0].value, "p + 1");
    is_expr(&step->when, "p > 0");
}

/* Expressions behind escapes are what the string says, and their places are those of the file. */
static void reads_escapes(void **state) {
    (void)state;
    const char *text = "{\"op\": \"f\", \"kind\": \"map\", \"inputs\": [\"x\"],\n"
                       " \"expr\": \"x if \\\"\\u0061\\\" == 'a'\\n else -x\"}";
    const OpDef *op = read_one(text);
    const OpExpr *body = &op->body.items[0].value;
    is_expr(body, "x if \"a\" == 'a'  else -x");
    assert_int_equal(body->expr->kind, X_COND);
    Place place = source_place(&arena, body->source, body->expr->from);
    assert_int_equal(place.line, 2);
    assert_int_equal(place.column, 11);
    is_text(body->source->name, "text");
    assert_int_equal(body->source->text.n, strlen(text));
}

/* ---- files, layers, templates */

static char folder[] = "/tmp/opgen-opdef-XXXXXX";

static void put(const char *name, const char *text) {
    FILE *file = fopen(str_to_c(&arena, str_format(&arena, "%s/%s", folder, name)), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *name) {
    assert_int_equal(mkdir(str_to_c(&arena, str_format(&arena, "%s/%s", folder, name)), 0777), 0);
}

static void reads_folders(void **state) {
    (void)state;
    assert_non_null(mkdtemp(folder));
    put("b.json", "{\"op\": \"f\", \"doc\": \"second\", \"kind\": \"map\", \"inputs\": [\"x\"], \"expr\": \"x\"}");
    put("a.json", "{\"op\": \"e\", \"kind\": \"kernel\", \"inputs\": [\"x\"], \"kernel\": \"gem\"}");
    put("some.schema.json", "no JSON");
    put("README.md", "no JSON");
    assert_true(
        read_text(S("{\"op\": \"f\", \"doc\": \"first\", \"kind\": \"map\", \"inputs\": [\"x\"], \"expr\": \"x\"}")));
    assert_true(optable_read_folder(&table, str_c(folder), &diags));
    is_text(get("f")->doc, "second");
    is_text(name_str(table.ops.entries[0].key), "f");
    is_text(name_str(table.ops.entries[1].key), "e");
    assert_false(read_text(S("{\"op\": \"e\", \"kind\": \"map\"}")));
    assert_true(read_text(S("{\"op\": \"e\", \"kind\": \"kernel\", \"inputs\": [\"x\"], \"kernel\": \"gemm\"}")));
    assert_false(read_text(S("{\"op\": \"e\", \"kind\": \"kernel\", \"inputs\": [\"x\"], \"kernel\": \"gemm\"}")));
    static const char *const files[] = {"a.json", "b.json", "some.schema.json", "README.md"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(str_to_c(&arena, str_format(&arena, "%s/%s", folder, files[i])));
    assert_int_equal(rmdir(folder), 0);
    diags_init(&diags, &arena);
    assert_false(optable_read_folder(&table, str_c(folder), &diags));
    assert_int_equal(diags.items.items[0]->code, E_IO);
}

/* <root>/<backend>/<kernel>.<ending>.j2, and nowhere else. */
static void looks_for_templates(void **state) {
    (void)state;
    strcpy(folder, "/tmp/opgen-opdef-XXXXXX");
    assert_non_null(mkdtemp(folder));
    static const char *const folders[] = {"model", "cpu", "cpu/deeper", "gpu"};
    static const char *const files[] = {"gemm.c.j2", "model/gemm.c.j2", "cpu/gemm.j2", "cpu/gemm.c",
                                        "cpu/deeper/gemm.c.j2"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        make_folder(folders[i]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put(files[i], "");
    Str root = str_c(folder);
    assert_true(read_text(S("{\"op\": \"d\", \"kind\": \"kernel\", \"inputs\": [\"x\"], \"kernel\": \"gemm\"}")));
    assert_true(optable_check(&table, NULL, 0, &diags));
    assert_false(optable_check(&table, &root, 1, &diags));
    diags_init(&diags, &arena);
    put("gpu/gemms.cuh.j2", "");
    assert_false(optable_check(&table, &root, 1, &diags));
    assert_string_equal(
        said(), "text:1:58: error[E053]: there is no kernel template \"gemm\"\n"
                "    1 | {\"op\": \"d\", \"kind\": \"kernel\", \"inputs\": [\"x\"], \"kernel\": \"gemm\"}\n"
                "      |                                                          ^~~~~~ did you mean \"gemms\"?\n");
    put("gpu/gemm.cuh.j2", "");
    diags_init(&diags, &arena);
    assert_true(optable_check(&table, &root, 1, &diags));
    static const char *const more[] = {"gpu/gemms.cuh.j2", "gpu/gemm.cuh.j2"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(str_to_c(&arena, str_format(&arena, "%s/%s", folder, files[i])));
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        unlink(str_to_c(&arena, str_format(&arena, "%s/%s", folder, more[i])));
    for (size_t i = sizeof folders / sizeof *folders; i-- > 0;)
        assert_int_equal(rmdir(str_to_c(&arena, str_format(&arena, "%s/%s", folder, folders[i]))), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* A chain of composites as long as one likes, and one that bites its tail. */
static void follows_long_chains(void **state) {
    (void)state;
    enum { LENGTH = 20000 };
    for (int bitten = 0; bitten < 2; bitten++) {
        Buf text;
        buf_init(&text, &arena);
        optable_init(&table, &arena, &names);
        diags_init(&diags, &arena);
        buf_add(&text, S("{\"ops\": [{\"op\": \"neg\", \"kind\": \"map\", \"inputs\": [\"x\"], \"expr\": \"-x\"}"));
        for (int i = 0; i < LENGTH; i++) {
            Str next = i + 1 < LENGTH ? str_format(&arena, "c%d", i + 1) : bitten ? S("c7") : S("neg");
            buf_format(&text,
                       ",\n{\"op\": \"c%d\", \"kind\": \"composite\", \"inputs\": [\"x\"], \"steps\": [{\"op\": %Q, "
                       "\"in\": [\"x\"], \"out\": \"y\"}]}",
                       i, next);
        }
        buf_add(&text, S("]}"));
        assert_true(read_text(buf_str(&text)));
        assert_int_equal(optable_check(&table, NULL, 0, &diags), !bitten);
        assert_int_equal(diags.errors, bitten);
    }
}

static void knows_names(void **state) {
    (void)state;
    static const char *const wrong[] = {"int",    "class", "restrict", "NULL",    "threadIdx", "main",
                                        "size_t", "None",  "opgen",    "opgen_x", "constexpr"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(reserved_why(str_c(wrong[i])));
    static const char *const right[] = {"input", "min",   "max", "index", "add_", "T",
                                        "dim",   "value", "eps", "Int",   "int3"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        assert_null(reserved_why(str_c(right[i])));
    assert_true(is_identifier(S("a")) && is_identifier(S("A_1")) && is_identifier(S("add_")));
    assert_false(is_identifier(S("")) || is_identifier(S("_a")) || is_identifier(S("1a")) || is_identifier(S("a__b")) ||
                 is_identifier(S("a-b")) || is_identifier(S("\xc3\xa9")));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(mistakes),
        TEST(keeps_what_is_right),
        TEST(fills_in),
        TEST(reads_attributes),
        TEST(checks_values),
        TEST(orders_parts),
        TEST(completes_reductions),
        TEST(reads_views_of_several),
        TEST(reads_sizes_and_holes),
        TEST(has_holes_of_its_own),
        TEST(makes_in_place_forms),
        TEST(fills_in_steps),
        TEST(reads_escapes),
        TEST(reads_folders),
        TEST(looks_for_templates),
        TEST(follows_long_chains),
        TEST(knows_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

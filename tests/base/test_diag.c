/* test_diag.c: places, order, and the four formats, pinned whole. */
#include "base/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static Arena arena;
static Diags diags;

static int start(void **state) {
    (void)state;
    arena_init(&arena);
    diags_init(&diags, &arena);
    return 0;
}

static int stop(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

static const char *rendered(DiagFormat format, bool color) {
    Buf out;
    buf_init(&out, &arena);
    diags_render(&diags, format, color, &out);
    return str_to_c(&arena, buf_str(&out));
}

#define assert_text(want) assert_string_equal(rendered(DIAG_TEXT, false), (want))

static Source *source(const char *name, Str text) { return source_new(&arena, str_c(name), text); }

static void assert_place(Source *s, uint32_t offset, uint32_t line, uint32_t column) {
    Place place = source_place(&arena, s, offset);
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
}

static void places(void **state) {
    (void)state;
    Source *s = source("f", S("ab\n\xc3\xa9\xf0\x9f\x98\x80x\r\n\nlast\rcr"));
    assert_place(s, 0, 1, 1);
    assert_place(s, 2, 1, 3);
    assert_place(s, 3, 2, 1);
    assert_place(s, 5, 2, 2);
    assert_place(s, 9, 2, 3);
    assert_place(s, 10, 2, 4);
    assert_place(s, 12, 3, 1);
    assert_place(s, 13, 4, 1);
    assert_place(s, 18, 5, 1);
    assert_place(s, 20, 5, 3);
    assert_place(s, 9999, 5, 3);
    static const char *const lines[] = {"", "ab", "\xc3\xa9\xf0\x9f\x98\x80x", "", "last", "cr", ""};
    for (uint32_t i = 0; i < 7; i++)
        assert_true(str_eq(source_line(&arena, s, i), str_c(lines[i])));
    s = source("f", S(""));
    assert_place(s, 0, 1, 1);
    s = source("f", S("a\n"));
    assert_place(s, 2, 2, 1); /* the end of a text that ends its last line */
    assert_true(str_eq(source_line(&arena, s, 2), S("")));
    s = source("f", S("\n\n\n"));
    assert_place(s, 3, 4, 1);
    s = source("f", S("\xef\xbb\xbf"
                      "ab"));
    assert_place(s, 3, 1, 1);
    assert_place(s, 4, 1, 2);
}

static void as_the_design_shows_it(void **state) {
    (void)state;
    Str text = S("\n\n\n\n\n\n\n\n\n\n\n\n\n"
                 "    {\"op\": \"linear\", \"in\": {\"input\": \"x\", \"weight\": \"w1\", \"bais\": \"b1\"}, \"out\": "
                 "\"h\"},\n");
    Source *model = source("model.json", text);
    size_t at = str_find(text, S("\"bais\""));
    Diag *diag =
        diag_error(&diags, E_JSON_TYPE, span(model, at, at + 6), "op %Q has no input %Q", S("linear"), S("bais"));
    const Str candidates[] = {S("input"), S("weight"), S("bias")};
    assert_true(diag_suggest(&diags, diag, S("bais"), candidates, 3));
    diag_note(&diags, diag, span(model, 2, 3), "included from here");
    assert_text("model.json:14:59: error[E014]: op \"linear\" has no input \"bais\"\n"
                "   14 |     {\"op\": \"linear\", \"in\": {\"input\": \"x\", \"weight\": \"w1\", \"bais\": \"b1\"}, "
                "\"out\": \"h\"},\n"
                "      |                                                           ^~~~~~ did you mean \"bias\"?\n"
                "model.json:3:1: note: included from here\n");
}

static void without_a_place(void **state) {
    (void)state;
    Diag *diag = diag_error(&diags, E_IO, span(NULL, 0, 0), "cannot read %Q", S("x"));
    diag_hint(&diags, diag, "is it there?");
    diag_note(&diags, diag, span(NULL, 0, 0), "asked for on the command line");
    diag_add(&diags, DIAG_WARNING, E_USAGE, span(NULL, 0, 0), "nothing to do");
    diag = diag_error(&diags, E_ENCODING, span(source("empty", S("")), 0, 0), "nothing in it");
    diag_hint(&diags, diag, "write something");
    assert_text("opgen: error[E002]: cannot read \"x\"\n"
                "  hint: is it there?\n"
                "opgen: note: asked for on the command line\n"
                "opgen: warning[E001]: nothing to do\n"
                "empty:1:1: error[E004]: nothing in it\n"
                "  hint: write something\n");
}

static void carets_stand_under_what_they_mean(void **state) {
    (void)state;
    Source *s = source("f", S("\tx\ty = 1\n\xe4\xb8\xad\xe6\x96\x87 e\xcc\x81 \xf0\x9f\x98\x80 bad\nab  \x1b[31m\x01 "
                              "\xe2\x80\xae\xff here\nend\n"));
    diag_error(&diags, E_USAGE, span(s, 3, 4), "behind tabs");
    diag_error(&diags, E_USAGE, span(s, 1, 4), "over a tab");
    size_t bad = str_find(s->text, S("bad")), here = str_find(s->text, S("here")), end = str_find(s->text, S("end"));
    diag_error(&diags, E_USAGE, span(s, bad, bad + 3), "behind wide characters");
    diag_error(&diags, E_USAGE, span(s, here, here + 4), "behind control characters");
    diag_error(&diags, E_USAGE, span(s, end + 1, s->text.n), "over the end of the line");
    diag_error(&diags, E_USAGE, span(s, end + 3, end + 3), "at the end of the line");
    diag_error(&diags, E_USAGE, span(s, s->text.n, s->text.n), "at the end of the text");
    assert_text("f:1:2: error[E001]: over a tab\n"
                "    1 |     x   y = 1\n"
                "      |     ^~~~~\n"
                "f:1:4: error[E001]: behind tabs\n"
                "    1 |     x   y = 1\n"
                "      |         ^\n"
                "f:2:9: error[E001]: behind wide characters\n"
                "    2 | \xe4\xb8\xad\xe6\x96\x87 e\xcc\x81 \xf0\x9f\x98\x80 bad\n"
                "      |           ^~~\n"
                "f:3:15: error[E001]: behind control characters\n"
                "    3 | ab  \xe2\x90\x9b[31m\xe2\x90\x81 \xef\xbf\xbd\xef\xbf\xbd here\n"
                "      |               ^~~~\n"
                "f:4:2: error[E001]: over the end of the line\n"
                "    4 | end\n"
                "      |  ^~\n"
                "f:4:4: error[E001]: at the end of the line\n"
                "    4 | end\n"
                "      |    ^\n"
                "f:5:1: error[E001]: at the end of the text\n"
                "    5 |\n"
                "      | ^\n");
}

static void messages_are_harmless(void **state) {
    (void)state;
    diag_error(&diags, E_USAGE, span(source("a\x1b[2J\nb", S("x")), 0, 1), "%S",
               S("two\nlines\t\x1b[31m \xff \xc2\x9b \xe2\x80\xae \xc3\xa9"));
    assert_text("a\\x1b[2J\\nb:1:1: error[E001]: two\\nlines \\x1b[31m \\xff \\u009b \\u202e \xc3\xa9\n"
                "    1 | x\n"
                "      | ^\n");
}

static void long_lines_are_cut_around_the_caret(void **state) {
    (void)state;
    Buf line;
    buf_init(&line, &arena);
    for (int i = 0; i < 100000; i++)
        buf_format(&line, "%04d,", i % 10000);
    Str text = buf_str(&line);
    Source *s = source("f", text);
    diag_error(&diags, E_USAGE, span(s, 0, 4), "first");
    diag_error(&diags, E_USAGE, span(s, 250000, 250004), "middle");
    diag_error(&diags, E_USAGE, span(s, 260000, 400000), "long");
    diag_error(&diags, E_USAGE, span(s, text.n - 1, text.n), "last");
    assert_text("f:1:1: error[E001]: first\n"
                "    1 | "
                "0000,0001,0002,0003,0004,0005,0006,0007,0008,0009,0010,0011,0012,0013,0014,0015,0016,0017,0018,0019,"
                "0020,0021,0022,0023,0024,"
                "0025,0026,0027,...\n"
                "      | ^~~~\n"
                "f:1:250001: error[E001]: middle\n"
                "    1 | "
                "...9988,9989,9990,9991,9992,9993,9994,9995,9996,9997,9998,9999,0000,0001,0002,0003,0004,0005,0006,"
                "0007,0008,0009,0010,0011,"
                "0012,0013,0014,00...\n"
                "      |                                                                ^~~~\n"
                "f:1:260001: error[E001]: long\n"
                "    1 | "
                "...1988,1989,1990,1991,1992,1993,1994,1995,1996,1997,1998,1999,2000,2001,2002,2003,2004,2005,2006,"
                "2007,2008,2009,2010,2011,"
                "2012,2013,2014,20...\n"
                "      |                                                                "
                "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "f:1:500000: error[E001]: last\n"
                "    1 | ...,9988,9989,9990,9991,9992,9993,9994,9995,9996,9997,9998,9999,\n"
                "      |                                                                ^\n");
}

static void a_line_of_160_columns_is_whole(void **state) {
    (void)state;
    char line[161];
    memset(line, 'x', sizeof line);
    diag_error(&diags, E_USAGE, span(source("a", str(line, 160)), 159, 160), "whole");
    diag_error(&diags, E_USAGE, span(source("b", str(line, 161)), 160, 161), "cut");
    assert_text(str_to_c(&arena, str_format(&arena,
                                            "a:1:160: error[E001]: whole\n    1 | %S\n      |%160s^\nb:1:161: "
                                            "error[E001]: cut\n    1 | ...%S\n      |%64s^\n",
                                            str(line, 160), "", str(line, 61), "")));
}

static void large_line_numbers_widen_the_gutter(void **state) {
    (void)state;
    Buf text;
    buf_init(&text, &arena);
    buf_fill(&text, '\n', 1234567);
    buf_add(&text, S("here"));
    diag_error(&diags, E_USAGE, span(source("f", buf_str(&text)), 1234567, 1234571), "far down");
    assert_text("f:1234568:1: error[E001]: far down\n"
                "1234568 | here\n"
                "        | ^~~~\n");
}

static void shown_in_order_and_once(void **state) {
    (void)state;
    Source *a = source("a", S("one\ntwo\n")), *b = source("b", S("three\n")), *again = source("a", a->text);
    diag_error(&diags, E_USAGE, span(b, 0, 5), "third");
    diag_error(&diags, E_USAGE, span(a, 4, 7), "second");
    diag_error(&diags, E_USAGE, span(a, 0, 3), "first");
    diag_error(&diags, E_USAGE, span(again, 4, 7), "second");
    diag_error(&diags, E_USAGE, span(a, 4, 7), "second again");
    diag_error(&diags, E_IO, span(NULL, 0, 0), "without a place");
    diag_error(&diags, E_USAGE, span(a, 4, 7), "second");
    assert_int_equal(diags.errors, 7);
    assert_text("opgen: error[E002]: without a place\n"
                "a:1:1: error[E001]: first\n    1 | one\n      | ^~~\n"
                "a:2:1: error[E001]: second\n    2 | two\n      | ^~~\n"
                "a:2:1: error[E001]: second again\n    2 | two\n      | ^~~\n"
                "b:1:1: error[E001]: third\n    1 | three\n      | ^~~~~\n");
}

static void long_chains_of_notes_are_shortened(void **state) {
    (void)state;
    Source *s = source("f", S("x\ny\n"));
    Diag *diag = diag_error(&diags, E_LIMIT, span(NULL, 0, 0), "too deep");
    for (int i = 0; i < 12; i++)
        diag_note(&diags, diag, span(s, 2, 3), "note %d", i);
    Buf want;
    buf_init(&want, &arena);
    buf_add(&want, S("opgen: error[E062]: too deep\n"));
    for (int i = 0; i < 12; i++)
        buf_format(&want, "f:2:1: note: note %d\n", i);
    assert_text(str_to_c(&arena, buf_str(&want)));
    for (int i = 12; i < 1000; i++)
        diag_note(&diags, diag, span(s, 2, 3), "note %d", i);
    assert_text("opgen: error[E062]: too deep\n"
                "f:2:1: note: note 0\nf:2:1: note: note 1\nf:2:1: note: note 2\n"
                "f:2:1: note: note 3\nf:2:1: note: note 4\nf:2:1: note: note 5\n"
                "  ... 990 more notes like these are left out ...\n"
                "f:2:1: note: note 996\nf:2:1: note: note 997\nf:2:1: note: note 998\nf:2:1: note: note 999\n");
}

static void only_so_many_are_kept(void **state) {
    (void)state;
    diags.most = 2;
    Source *s = source("f", S("x"));
    for (int i = 0; i < 5; i++) {
        Diag *diag = diag_error(&diags, E_USAGE, span(s, 0, 1), "error %d", i);
        diag_hint(&diags, diag, "hint %d", i);
        diag_note(&diags, diag, span(s, 0, 1), "note %d", i);
    }
    assert_int_equal(diags.errors, 5);
    assert_text("f:1:1: error[E001]: error 0\n    1 | x\n      | ^ hint 0\nf:1:1: note: note 0\n"
                "f:1:1: error[E001]: error 1\n    1 | x\n      | ^ hint 1\nf:1:1: note: note 1\n"
                "opgen: 3 more errors are not shown\n");
    for (int i = 0; i < 3; i++)
        diag_add(&diags, DIAG_WARNING, E_USAGE, span(NULL, 0, 0), "warning %d", i);
    assert_non_null(strstr(rendered(DIAG_TEXT, false), "\nopgen: 3 more errors and 1 more warning are not shown\n"));
    assert_non_null(strstr(rendered(DIAG_GITHUB, false),
                           "\n::notice title=opgen::3 more errors and 1 more warning are not shown\n"));
    assert_non_null(strstr(rendered(DIAG_SARIF, false),
                           "\"properties\": {\"leftOut\": \"3 more errors and 1 more warning are not shown\"}"));
    assert_non_null(strstr(rendered(DIAG_JSON, false),
                           "{\"level\": \"note\", \"code\": null, \"name\": null, \"message\": \"3 more errors and "));
}

static void suggestions(void **state) {
    (void)state;
    const Str known[] = {S("relu"), S("gelu"), S("softmax"), S("log_softmax"), S("dim"), S("T"), S("elu"), S("silu")};
    static const struct {
        const char *wrong, *hint; /* "": none is near */
    } cases[] = {
        {"rleu", "did you mean \"relu\"?"},
        {"gely", "did you mean \"gelu\"?"},
        {"sofmax", "did you mean \"softmax\"?"},
        {"SoftMax", "did you mean \"softmax\"?"},
        {"dmi", "did you mean \"dim\"?"},
        {"t", "did you mean \"T\"?"},
        {"x", ""},
        {"conv", ""},
        {"", ""},
        {"logsoftmax", "did you mean \"log_softmax\"?"},
        {"slu", "did you mean \"silu\"?"}, /* elu is as near */
        {"ely", "did you mean \"elu\"?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Diag *diag = diag_error(&diags, E_USAGE, span(NULL, 0, 0), "no");
        assert_int_equal(diag_suggest(&diags, diag, str_c(cases[i].wrong), known, sizeof known / sizeof *known),
                         cases[i].hint[0] != '\0');
        assert_string_equal(str_to_c(&arena, diag->hint), cases[i].hint);
    }
}

static void in_colour(void **state) {
    (void)state;
    Diag *diag = diag_error(&diags, E_USAGE, span(source("f", S("x")), 0, 1), "no");
    diag_note(&diags, diag, diag->span, "here");
    diag_add(&diags, DIAG_WARNING, E_USAGE, span(NULL, 0, 0), "hm");
    assert_string_equal(rendered(DIAG_TEXT, true), "\x1b[1mopgen:\x1b[0m \x1b[1;33mwarning[E001]:\x1b[0m hm\n"
                                                   "\x1b[1mf:1:1:\x1b[0m \x1b[1;31merror[E001]:\x1b[0m no\n"
                                                   "\x1b[34m    1 |\x1b[0m x\n"
                                                   "      \x1b[34m|\x1b[0m \x1b[1;31m^\x1b[0m\n"
                                                   "\x1b[1mf:1:1:\x1b[0m \x1b[1;36mnote:\x1b[0m here\n");
}

static void make_two(void) {
    Source *s = source("a b,c:d%.json", S("one\ntw\xc3\xa9 three\n"));
    Diag *diag = diag_error(&diags, E_JSON_TYPE, span(s, 9, 14), "100%% \"wrong\"\nand long");
    diag_hint(&diags, diag, "mend it");
    diag_note(&diags, diag, span(s, 0, 3), "from here");
    diag_note(&diags, diag, span(NULL, 0, 0), "and there");
    diag_add(&diags, DIAG_WARNING, E_IO, span(NULL, 0, 0), "no place");
}

static void as_json(void **state) {
    (void)state;
    assert_string_equal(rendered(DIAG_JSON, false), "[]\n");
    make_two();
    assert_string_equal(
        rendered(DIAG_JSON, false),
        "[\n"
        "  {\"level\": \"warning\", \"code\": \"E002\", \"name\": \"io\", \"message\": \"no place\", \"hint\": \"\",\n"
        "   \"file\": null, \"line\": null, \"column\": null, \"end_line\": null, \"end_column\": null,\n"
        "   \"notes\": []},\n"
        "  {\"level\": \"error\", \"code\": \"E014\", \"name\": \"json-type\", \"message\": \"100% \\\"wrong\\\"\\nand "
        "long\", \"hint\": \"mend it\",\n"
        "   \"file\": \"a b,c:d%.json\", \"line\": 2, \"column\": 5, \"end_line\": 2, \"end_column\": 10,\n"
        "   \"notes\": [\n"
        "     {\"file\": \"a b,c:d%.json\", \"line\": 1, \"column\": 1, \"end_line\": 1, \"end_column\": 4, "
        "\"message\": \"from here\"},\n"
        "     {\"file\": null, \"line\": null, \"column\": null, \"end_line\": null, \"end_column\": null, "
        "\"message\": \"and there\"}]}\n"
        "]\n");
}

static void as_github(void **state) {
    (void)state;
    assert_string_equal(rendered(DIAG_GITHUB, false), "");
    make_two();
    assert_string_equal(
        rendered(DIAG_GITHUB, false),
        "::warning title=E002 a file cannot be read or written::no place\n"
        "::error file=a b%2Cc%3Ad%25.json,line=2,col=5,endLine=2,endColumn=10,title=E014 a JSON value has the wrong "
        "type::100%25 \"wrong\"\\nand long%0Ahint: mend it%0Aa b,c:d%25.json:1:1: note: from here%0Anote: and there\n");
}

static void as_sarif(void **state) {
    (void)state;
    make_two();
    const char *log = rendered(DIAG_SARIF, false);
    const char *rules = strstr(log, "{\"id\": \"E001\""), *after = strstr(log, "]}},\n");
    assert_true(rules != NULL && after != NULL);
    assert_true(
        str_eq(str(log, (size_t)(rules - log)), S("{\"version\": \"2.1.0\",\n"
                                                  " \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
                                                  " \"runs\": [{\n"
                                                  "   \"tool\": {\"driver\": {\"name\": \"opgen\", \"rules\": [\n"
                                                  "        ")));
    assert_non_null(strstr(log, "\n        {\"id\": \"E002\", \"name\": \"io\", \"shortDescription\": {\"text\": \"a "
                                "file cannot be read or written\"}},\n"));
    /* ruleIndex counts in the table of codes, which grows. */
    int index_io = 0, index_type = 0, at = 0;
#define DIAG(number, name, summary) (number == 2 ? (index_io = at) : 0), (number == 14 ? (index_type = at) : 0), at++,
    (void)(
#include "base/diag_codes.h"
        0);
#undef DIAG
    assert_string_equal(
        after,
        str_to_c(
            &arena,
            str_format(&arena,
                       "]}},\n   \"columnKind\": \"unicodeCodePoints\",\n   \"results\": [\n"
                       "    {\"ruleId\": \"E002\", \"ruleIndex\": %d, \"level\": \"warning\", \"message\": {\"text\": "
                       "\"no place\"}},\n"
                       "    {\"ruleId\": \"E014\", \"ruleIndex\": %d, \"level\": \"error\", \"message\": {\"text\": "
                       "\"100%% \\\"wrong\\\"\\nand long (mend it)\"},\n"
                       "     \"locations\": [{\"physicalLocation\": {\"artifactLocation\": {\"uri\": "
                       "\"a%%20b,c%%3Ad%%25.json\"}, "
                       "\"region\": {\"startLine\": 2, \"startColumn\": 5, \"endLine\": 2, \"endColumn\": 10}}}],\n"
                       "     \"relatedLocations\": [\n"
                       "       {\"id\": 1, \"physicalLocation\": {\"artifactLocation\": {\"uri\": "
                       "\"a%%20b,c%%3Ad%%25.json\"}, "
                       "\"region\": {\"startLine\": 1, \"startColumn\": 1, \"endLine\": 1, \"endColumn\": 4}}, "
                       "\"message\": {\"text\": \"from here\"}},\n"
                       "       {\"id\": 2, \"message\": {\"text\": \"and there\"}}]}]}]}\n",
                       index_io, index_type)));
}

static void an_absolute_path_in_sarif(void **state) {
    (void)state;
    diag_error(&diags, E_USAGE, span(source("/tmp/x y", S("x")), 0, 1), "no");
    assert_non_null(strstr(rendered(DIAG_SARIF, false), "\"uri\": \"file:///tmp/x%20y\""));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(places),
        TEST(as_the_design_shows_it),
        TEST(without_a_place),
        TEST(carets_stand_under_what_they_mean),
        TEST(messages_are_harmless),
        TEST(long_lines_are_cut_around_the_caret),
        TEST(a_line_of_160_columns_is_whole),
        TEST(large_line_numbers_widen_the_gutter),
        TEST(shown_in_order_and_once),
        TEST(long_chains_of_notes_are_shortened),
        TEST(only_so_many_are_kept),
        TEST(suggestions),
        TEST(in_colour),
        TEST(as_json),
        TEST(as_github),
        TEST(as_sarif),
        TEST(an_absolute_path_in_sarif),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

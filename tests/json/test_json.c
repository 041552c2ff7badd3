/* test_json.c: values, their places, and what becomes of the traps in cJSON: long integers, long numbers,
 * keys that differ in case, escapes, depth, and memory that ends in the middle. */
#include "json/json.h"

#include <setjmp.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static Arena arena;
static Names names;
static Diags diags;

static int start(void **state) {
    (void)state;
    arena_init(&arena);
    names_init(&names, &arena);
    diags_init(&diags, &arena);
    return 0;
}

static int stop(void **state) {
    (void)state;
    mem_fail_at(0);
    arena_free(&arena);
    return 0;
}

static Json *parse_bytes(Str text) {
    Json *value = json_parse(&arena, &names, source_new(&arena, S("text"), text), &diags);
    if (value == NULL) {
        Buf out;
        buf_init(&out, &arena);
        diags_render(&diags, DIAG_TEXT, false, &out);
        fail_msg("%s", str_to_c(&arena, buf_str(&out)));
    }
    return value;
}

static Json *parse(const char *text) { return parse_bytes(str_c(text)); }

static void scalars(void **state) {
    (void)state;
    assert_int_equal(parse("null")->kind, JSON_NULL);
    Json *value = parse(" true\n");
    assert_true(value->kind == JSON_BOOL && value->as.b && value->from == 1 && value->to == 5);
    value = parse("false");
    assert_true(value->kind == JSON_BOOL && !value->as.b);
    value = parse("\"\"");
    assert_true(value->kind == JSON_STRING && value->as.s.n == 0);
    value = parse("\xef\xbb\xbf \"x\"");
    assert_true(str_eq(value->as.s, S("x")) && value->from == 4);
    assert_int_equal(parse("[]")->as.array.n, 0);
    assert_int_equal(parse("{ }")->as.object.n, 0);
}

static void integers_keep_every_digit(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } fits[] = {{"0", 0},
                {"-0", 0},
                {"7", 7},
                {"-12", -12},
                {"9007199254740993", 9007199254740993},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN}};
    for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++) {
        Json *value = parse(fits[i].text);
        assert_int_equal(value->kind, JSON_INT);
        assert_true(value->as.i == fits[i].value);
    }
    static const char *const large[] = {
        "9223372036854775808", "-9223372036854775809", "18446744073709551616",
        "123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"};
    for (size_t i = 0; i < 4; i++) {
        Json *value = parse(str_to_c(&arena, str_format(&arena, "[%s, 1]", large[i])))->as.array.items;
        assert_int_equal(value[0].kind, JSON_BIGINT);
        assert_true(str_eq(value[0].as.s, str_c(large[i])));
        assert_true(value[1].kind == JSON_INT && value[1].as.i == 1);
    }
}

static void floats(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0.0", 0},
        {"1.5", 1.5},
        {"-2.25e2", -225},
        {"1E5", 1e5},
        {"1e-5", 1e-5},
        {"1e+3", 1000},
        {"0.1", 0.1},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"5e-324", 5e-324},
        {"1e-999", 0},
        {"3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798",
         M_PI},
        {"0.00000000000000000000000000000000000000000000000000000000000000000000000000000001e80", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Json *value = parse(cases[i].text);
        assert_int_equal(value->kind, JSON_FLOAT);
        assert_true(value->as.f == cases[i].value);
    }
    assert_true(signbit(parse("-0.0")->as.f));
    /* Longer than what strtod gets a copy of on the stack, and larger than a chunk of the arena. */
    Buf text;
    buf_init(&text, &arena);
    buf_add(&text, S("[1."));
    buf_fill(&text, '0', 200000);
    buf_add(&text, S("1e3, 2]"));
    Json *value = parse_bytes(buf_str(&text))->as.array.items;
    assert_true(value[0].as.f == 1000 && value[1].as.i == 2);
}

static void strings(void **state) {
    (void)state;
    static const struct {
        const char *text, *value;
    } cases[] = {{"\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\"", "a\"\\/\b\f\n\r\tz"},
                 {"\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac"},
                 {"\"\\ud83d\\ude00\\uDBFF\\uDFFF\"", "\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"},
                 {"\"\xc3\xa9\xf0\x9f\x98\x80\x7f\"", "\xc3\xa9\xf0\x9f\x98\x80\x7f"},
                 {"\"\\u0001\"", "\x01"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Json *value = parse(cases[i].text);
        assert_int_equal(value->kind, JSON_STRING);
        assert_true(str_eq(value->as.s, str_c(cases[i].value)));
    }
}

static void objects_keep_order_case_and_places(void **state) {
    (void)state;
    Json *object = parse("{ \"b\": [1, {}],\n  \"B\" : null, \"\": \"x\",\"\\u0061\\ud83d\\ude00\": -1.5 }");
    assert_int_equal(object->as.object.n, 4);
    const JsonMember *members = object->as.object.members;
    assert_ptr_equal(members[0].key, names_find(&names, S("b")));
    assert_ptr_equal(members[1].key, names_find(&names, S("B")));
    assert_true(str_eq(name_str(members[2].key), S("")));
    assert_true(str_eq(name_str(members[3].key), S("a\xf0\x9f\x98\x80")));
    static const uint32_t places[4][4] = {{2, 5, 7, 14}, {18, 21, 24, 28}, {30, 32, 34, 37}, {38, 58, 60, 64}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(members[i].from, places[i][0]);
        assert_int_equal(members[i].to, places[i][1]);
        assert_int_equal(members[i].value.from, places[i][2]);
        assert_int_equal(members[i].value.to, places[i][3]);
    }
    assert_int_equal(object->to, 66);
    const Json *array = json_get(object, S("b"));
    assert_true(array->kind == JSON_ARRAY && array->as.array.n == 2);
    assert_true(array->as.array.items[1].kind == JSON_OBJECT && array->as.array.items[1].from == 11);
    assert_int_equal(json_get(object, S("B"))->kind, JSON_NULL);
    assert_null(json_get(object, S("c")));
    assert_null(json_get(array, S("b")));
}

static void as_deep_as_allowed(void **state) {
    (void)state;
    Buf text;
    buf_init(&text, &arena);
    for (int i = 0; i < JSON_MOST_DEPTH / 2; i++)
        buf_add(&text, S("{\"a\":["));
    buf_char(&text, '7');
    for (int i = 0; i < JSON_MOST_DEPTH / 2; i++)
        buf_add(&text, S("]}"));
    const Json *value = parse_bytes(buf_str(&text));
    for (int i = 0; i < JSON_MOST_DEPTH / 2; i++)
        value = json_get(value, S("a"))->as.array.items;
    assert_int_equal(value->as.i, 7);
}

static void many_values(void **state) {
    (void)state;
    Buf text;
    buf_init(&text, &arena);
    for (int i = 0; i < 100000; i++)
        buf_format(&text, "%s{\"id\": %d, \"k%d\": [\"%d\", {}]}", i == 0 ? "[" : ",\n", i, i % 777, i);
    buf_char(&text, ']');
    Json *array = parse_bytes(buf_str(&text));
    assert_int_equal(array->as.array.n, 100000);
    for (int i = 0; i < 100000; i += 37) {
        const Json *object = &array->as.array.items[i];
        assert_int_equal(json_get(object, S("id"))->as.i, i);
        const JsonMember *member = &object->as.object.members[1];
        assert_true(str_eq(name_str(member->key), str_format(&arena, "k%d", i % 777)));
        assert_true(str_eq(member->value.as.array.items[0].as.s, str_format(&arena, "%d", i)));
    }
}

/* Parses with the nth request failing; whether it did. */
static bool fails(Str text, uint32_t errors, uint64_t nth) {
    static Arena room;
    static Names own;
    static Diags found;
    arena_init(&room);
    MemTrap trap;
    mem_fail_at(nth);
    if (MEM_TRAP(&trap)) {
        assert_int_equal(trap.why, MEM_SYSTEM);
        arena_free(&room);
        return true;
    }
    names_init(&own, &room);
    diags_init(&found, &room);
    Json *value = json_parse(&room, &own, source_new(&room, S("text"), text), &found);
    assert_true((value != NULL) == (errors == 0) && found.errors == errors);
    mem_untrap(&trap);
    mem_fail_at(0);
    arena_free(&room);
    return false;
}

/* A text that has all there is, without and with mistakes, with each request for memory failing in turn. */
static void every_request_can_fail(void **state) {
    (void)state;
    Buf text;
    buf_init(&text, &arena);
    buf_add(&text, S("{\"\\u00e9\": [1, 2.5, \"\\n\", true, null, {\"x\": "
                     "123456789012345678901234567890123456789012345678901234567890123456789}]"));
    for (int i = 0; i < 3000; i++)
        buf_format(&text, ", \"key %d\": {\"a\": \"some text %d\", \"b\": [1, 2, 3]}", i, i);
    Str begun = buf_str(&text);
    Str whole = str_format(&arena, "%S}", begun), wrong = str_format(&arena, "%S, \"key 1\": 01}", begun);
    for (int round = 0; round < 2; round++) {
        uint64_t nth = 1;
        for (bool failed = true; failed; nth++)
            failed = fails(round == 0 ? whole : wrong, round == 0 ? 0 : 2, nth);
        assert_true(nth > 15);
    }
}

static void the_limit_of_the_arena_holds(void **state) {
    (void)state;
    Buf text;
    buf_init(&text, &arena);
    buf_add(&text, S("[0"));
    for (int i = 0; i < 100000; i++)
        buf_add(&text, S(",{}"));
    buf_char(&text, ']');
    static Arena room;
    arena_init(&room);
    room.limit = 1 << 20;
    MemTrap trap;
    if (!MEM_TRAP(&trap)) {
        json_parse(&room, &names, source_new(&room, S("text"), buf_str(&text)), &diags);
        fail_msg("that takes more than a MiB");
    }
    assert_int_equal(trap.why, MEM_LIMIT);
    arena_free(&room);
}

/* What opgen writes as JSON it can read, and it has the shape that readers rely on. */
static void findings_are_json(void **state) {
    (void)state;
    Source *source = source_new(&arena, S("a \"b\"\xff.json"), S("one\ntwo \xff\n"));
    Diag *diag = diag_error(&diags, E_JSON_TYPE, span(source, 4, 7), "wrong: \"%S\"", S("\x01\xff\xe2\x80\xa8"));
    diag_hint(&diags, diag, "mend\tit");
    diag_note(&diags, diag, span(source, 0, 3), "here");
    diag_note(&diags, diag, span(NULL, 0, 0), "there");
    diag_add(&diags, DIAG_WARNING, E_IO, span(NULL, 0, 0), "hm");
    Buf out;
    buf_init(&out, &arena);
    diags_render(&diags, DIAG_JSON, false, &out);
    Diags none;
    diags_init(&none, &arena);
    Json *list = json_parse(&arena, &names, source_new(&arena, S("list"), buf_str(&out)), &none);
    assert_true(list != NULL && list->kind == JSON_ARRAY && list->as.array.n == 2);
    static const char *const members[] = {"level", "code",   "name",     "message",    "hint", "file",
                                          "line",  "column", "end_line", "end_column", "notes"};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(list->as.array.items[i].as.object.n, 11);
        for (size_t k = 0; k < 11; k++)
            assert_non_null(json_get(&list->as.array.items[i], str_c(members[k])));
    }
    assert_int_equal(json_get(&list->as.array.items[1], S("notes"))->as.array.n, 2);

    buf_init(&out, &arena);
    diags_render(&diags, DIAG_SARIF, false, &out);
    Json *log = json_parse(&arena, &names, source_new(&arena, S("log"), buf_str(&out)), &none);
    assert_non_null(log);
    assert_true(str_eq(json_get(log, S("version"))->as.s, S("2.1.0")));
    const Json *run = json_get(log, S("runs"))->as.array.items;
    const Json *rules = json_get(json_get(json_get(run, S("tool")), S("driver")), S("rules"));
    const Json *results = json_get(run, S("results"));
    assert_int_equal(results->as.array.n, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const Json *result = &results->as.array.items[i];
        int64_t rule = json_get(result, S("ruleIndex"))->as.i;
        assert_true(rule >= 0 && rule < rules->as.array.n);
        assert_true(str_eq(json_get(&rules->as.array.items[rule], S("id"))->as.s, json_get(result, S("ruleId"))->as.s));
        assert_non_null(json_get(json_get(result, S("message")), S("text")));
    }
    const Json *where =
        json_get(&json_get(&results->as.array.items[1], S("locations"))->as.array.items[0], S("physicalLocation"));
    assert_true(str_eq(json_get(json_get(where, S("artifactLocation")), S("uri"))->as.s, S("a%20%22b%22%FF.json")));
    assert_int_equal(json_get(json_get(where, S("region")), S("endColumn"))->as.i, 4);
    assert_int_equal(json_get(&results->as.array.items[1], S("relatedLocations"))->as.array.n, 2);
    assert_int_equal(none.errors, 0);
}

static void kinds_have_names(void **state) {
    (void)state;
    assert_string_equal(json_kind_name(JSON_NULL), "null");
    assert_string_equal(json_kind_name(JSON_BOOL), "true or false");
    assert_string_equal(json_kind_name(JSON_INT), "an integer");
    assert_string_equal(json_kind_name(JSON_BIGINT), "an integer");
    assert_string_equal(json_kind_name(JSON_FLOAT), "a number");
    assert_string_equal(json_kind_name(JSON_STRING), "a string");
    assert_string_equal(json_kind_name(JSON_ARRAY), "an array");
    assert_string_equal(json_kind_name(JSON_OBJECT), "an object");
    Buf out;
    buf_init(&out, &arena);
    json_quote(&out, S("a\"b"));
    assert_true(str_eq(buf_str(&out), S("\"a\\\"b\"")));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(scalars),
        TEST(integers_keep_every_digit),
        TEST(floats),
        TEST(strings),
        TEST(objects_keep_order_case_and_places),
        TEST(as_deep_as_allowed),
        TEST(many_values),
        TEST(every_request_can_fail),
        TEST(the_limit_of_the_arena_holds),
        TEST(findings_are_json),
        TEST(kinds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

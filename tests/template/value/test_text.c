/* test_text.c: %, str.format, escaping and the methods of values.
 *
 * What they give is compared with Python and markupsafe themselves, over random formats, values and arguments and over
 * every character there is (text_cases.py makes the cases); what they say when they fail, and what the run is told, is
 * pinned here. */
#include "value_test.h"

#include "template/value/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static Value safe(const char *c) {
    Value v = text(c);
    v.flags |= VAL_SAFE;
    return v;
}

static Value call(Value self, const char *name, uint32_t n, const Value *args) {
    const Native *method;
    if (!val_find_method(self, names_get(&names, str_c(name)), &method)) fail_msg("there is no method %s", name);
    return native_call(&run, method, NULL, self, args, n, NULL, NULL, 0);
}
#define CALL(self, name, ...) call((self), (name), ITEMS(__VA_ARGS__))

static Value format(const char *form, uint32_t n, const Value *args) {
    Value tuple = list_of(V_TUPLE, n, args);
    return text_format(&run, text(form), tuple.as.list, dict_new(&arena, 0));
}
#define FORMAT(form, ...) format((form), ITEMS(__VA_ARGS__))
#define PERCENT(form, ...) text_percent(&run, text(form), TUPLE(__VA_ARGS__))

/* ---- against Python */

/* A value as text_cases.py writes it. */
static Value decoded(Value v) {
    if (v.kind == V_LIST) {
        List *list = list_new(&arena, v.as.list->n);
        for (uint32_t i = 0; i < v.as.list->n; i++)
            list_push(&arena, list, decoded(v.as.list->items[i]));
        return val_list(list);
    }
    if (v.kind != V_DICT) return v;
    assert_int_equal(v.as.dict->live, 1);
    DictEntry only = v.as.dict->entries[0];
    Str kind = val_text(only.key);
    if (str_eq(kind, S("safe"))) {
        only.value.flags |= VAL_SAFE;
        return only.value;
    }
    if (str_eq(kind, S("int"))) return val_integer(&run, val_text(only.value));
    if (str_eq(kind, S("float"))) return val_float(strtod(str_to_c(&arena, val_text(only.value)), NULL));
    if (str_eq(kind, S("tuple"))) return val_tuple(decoded(only.value).as.list);
    assert_true(str_eq(kind, S("dict")));
    Dict *dict = dict_new(&arena, 0);
    const List *pairs = only.value.as.list;
    for (uint32_t i = 0; i < pairs->n; i++) {
        const Value *pair = decoded(pairs->items[i]).as.list->items;
        dict_set(&run, dict, pair[0], pair[1]);
    }
    return val_dict(dict);
}

/* Keyword arguments are a JSON object, since their names are text. */
static Dict *keywords_of(Value object) {
    Dict *dict = dict_new(&arena, 0);
    for (uint32_t i = 0; i < object.as.dict->used; i++)
        dict_set(&run, dict, object.as.dict->entries[i].key, decoded(object.as.dict->entries[i].value));
    return dict;
}

static Value call_with_keywords(Value self, Str name, const List *args, const Dict *keywords) {
    enum { MOST = 8 };
    const Native *method;
    if (!val_find_method(self, names_get(&names, name), &method)) fail_msg("there is no method %.*s", STR_ARG(name));
    Name given[MOST];
    Value values[MOST];
    assert_true(keywords->used <= MOST);
    for (uint32_t i = 0; i < keywords->used; i++) {
        given[i] = names_get(&names, val_text(keywords->entries[i].key));
        values[i] = keywords->entries[i].value;
    }
    return native_call(&run, method, NULL, self, args->items, args->n, given, values, keywords->used);
}

static Str repr(Value v) {
    Buf buf;
    buf_init(&buf, &arena);
    val_repr(&run, &buf, v);
    return buf_str(&buf);
}

static void expect_result(Value wanted, Value got) {
    if (wanted.kind == V_NONE) fail_msg("it did not fail, but gave %s", str_to_c(&arena, repr(got)));
    assert_string_equal(str_to_c(&arena, repr(got)), str_to_c(&arena, val_text(wanted)));
}

static void expect_bit(uint32_t c, int64_t bits, unsigned bit, bool got) {
    if ((bits >> bit & 1) != got) fail_msg("of U+%04X predicate %u is wrong", c, bit);
}

static void expect_block(Str s, const Value *mapped, const Value *predicates) {
    static const UnicodeCase cases[] = {UNICODE_UPPER, UNICODE_LOWER, UNICODE_TITLE, UNICODE_FOLD, UNICODE_SWAP};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Buf buf;
        buf_init(&buf, &arena);
        unicode_map(&buf, s, cases[i]);
        Str wanted = mapped[i].kind == V_NONE ? s : val_text(mapped[i]);
        if (!str_eq(buf_str(&buf), wanted))
            fail_msg("case %zu: %.*s gave %.*s", i, STR_ARG(wanted), STR_ARG(buf_str(&buf)));
    }
    for (size_t i = 0, k = 0; i < s.n; k++) {
        unsigned size;
        uint32_t c = str_decode(s.p + i, s.p + s.n, &size);
        int64_t bits = predicates[k].as.i;
        expect_bit(c, bits, 0, unicode_is_alpha(c));
        expect_bit(c, bits, 1, unicode_decimal(c) >= 0);
        expect_bit(c, bits, 2, unicode_is_digit(c));
        expect_bit(c, bits, 3, unicode_is_numeric(c));
        expect_bit(c, bits, 4, unicode_is_space(c));
        expect_bit(c, bits, 5, unicode_is_printable(c));
        expect_bit(c, bits, 6, unicode_starts_identifier(c));
        expect_bit(c, bits, 7, unicode_continues_identifier(c));
        expect_bit(c, bits, 8, unicode_is_lower(c));
        expect_bit(c, bits, 9, unicode_is_upper(c) && !unicode_is_title(c));
        expect_bit(c, bits, 10, unicode_is_upper(c) || unicode_is_title(c));
        i += size + 1; /* and the "|" */
    }
}

static void perform(const Value *part) {
    Str kind = val_text(part[0]);
    if (str_eq(kind, S("percent"))) {
        expect_result(part[3], text_percent(&run, decoded(part[1]), decoded(part[2])));
    } else if (str_eq(kind, S("format"))) {
        List *args = decoded(part[2]).as.list;
        expect_result(part[4], text_format(&run, decoded(part[1]), args, keywords_of(part[3])));
    } else if (str_eq(kind, S("one"))) {
        expect_result(part[3], text_format_one(&run, decoded(part[1]), val_text(part[2])));
    } else if (str_eq(kind, S("escape"))) {
        expect_result(part[2], text_escape(&run, decoded(part[1])));
    } else if (str_eq(kind, S("method"))) {
        Value self = decoded(part[1]);
        expect_result(part[5],
                      call_with_keywords(self, val_text(part[2]), decoded(part[3]).as.list, keywords_of(part[4])));
        expect_result(part[6], self);
    } else {
        assert_true(str_eq(kind, S("unicode")));
        expect_block(val_text(part[1]), part[2].as.list->items, part[3].as.list->items);
    }
}

/* One line of text_cases.py. Failing is right where Python fails. */
static void perform_line(Str line) {
    Arena own;
    arena_init(&own);
    Diags diags;
    diags_init(&diags, &own);
    Json *json = json_parse(&own, &names, source_new(&own, S("case"), line), &diags);
    assert_non_null(json);
    Value case_ = val_of_json(&arena, json);
    const Value *part = case_.as.list->items;
    const Value *last = &part[case_.as.list->n - 1];
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        if (trap.why != MEM_THROWN || last->kind != V_NONE)
            fail_msg("%.*s failed: %.*s", STR_ARG(line), STR_ARG(run.error));
    } else {
        perform(part);
        mem_untrap(&trap);
    }
    arena_free(&own);
}

static void as_python(void **state) {
    (void)state;
    FILE *cases = popen("/usr/bin/python3 tests/template/value/text_cases.py 1 20000", "r");
    assert_non_null(cases);
    char *line = NULL;
    size_t room = 0, lines = 0;
    for (ssize_t n; (n = getline(&line, &room, cases)) > 0; lines++) {
        perform_line(str(line, (size_t)n));
        tear_down(NULL);
        set_up(NULL);
        run.undefined = UNDEFINED_LENIENT;
    }
    free(line);
    assert_int_equal(pclose(cases), 0);
    assert_true(lines > 20000);
}

/* ---- what a format says when it fails */

static void percent_errors(void **state) {
    (void)state;
    EXPECT_FAIL(PERCENT("%s %s", val_int(1)), "%: not enough values for the format; there are 1", "");
    EXPECT_FAIL(text_percent(&run, text("%s %s"), val_int(1)), "%: not enough values for the format; there is 1", "");
    EXPECT_FAIL(PERCENT("%s", val_int(1), val_int(2)), "%: the format takes 1 of 2 values", "");
    EXPECT_FAIL(text_percent(&run, text("x"), val_int(2)), "%: the format takes no value, and there is one", "");
    EXPECT_FAIL(PERCENT("%d", text("x")), "%: \"%d\" wants a number, not str", "");
    EXPECT_FAIL(PERCENT("%x", val_float(1)), "%: \"%x\" wants an int, not float", "");
    EXPECT_FAIL(PERCENT("%d", val_float((double)INFINITY)), "%: \"%d\" cannot take infinity", "");
    EXPECT_FAIL(PERCENT("%c", text("ab")), "%: \"%c\" wants an int or one character, not 2", "");
    EXPECT_FAIL(PERCENT("%y", val_int(1)), "%: there is no conversion \"%y\"", "\"%%\" is the sign itself");
    EXPECT_FAIL(PERCENT("%5.1%", val_int(1)), "%: there is no conversion \"%%\"", "\"%%\" is the sign itself");
    EXPECT_FAIL(PERCENT("100%", val_int(1)), "%: the format ends within a \"%\"; \"%%\" is the sign itself", "");
    EXPECT_FAIL(PERCENT("%(a)s", val_int(1)), "%: \"%(a)\" wants a dict, not tuple", "");
    EXPECT_FAIL(text_percent(&run, text("%(a)s"), val_dict(dict_new(&arena, 0))), "%: the dict has no key \"a\"", "");
    EXPECT_FAIL(PERCENT("%99999999999d", val_int(1)), "%: the width is more than 2147483647", "");
    EXPECT_FAIL(PERCENT("%.*f", val_int(INT64_MAX), val_int(1)),
                "%: a precision of 9223372036854775807 is more than 2147483647", "");
    EXPECT_FAIL(PERCENT("%*d", val_float(1), val_int(1)), "%: \"*\" wants an int for the width, not float", "");
}

static void format_errors(void **state) {
    (void)state;
    EXPECT_FAIL(FORMAT("{} {0}", val_int(1)),
                "str.format: \"{}\" and \"{0}\" cannot be mixed: number all fields or none", "");
    EXPECT_FAIL(FORMAT("{1}", val_int(1)), "str.format: the format asks for value {1}, but 1 is given", "");
    EXPECT_FAIL(FORMAT("{x}", val_int(1)), "str.format: no value is named \"x\"", "");
    EXPECT_FAIL(FORMAT("{", val_int(1)), "str.format: a single \"{\" in the format; write \"{{\" for the sign itself",
                "");
    EXPECT_FAIL(FORMAT("{0", val_int(1)), "str.format: a \"{\" is not closed", "write \"{{\" for the sign itself");
    EXPECT_FAIL(FORMAT("{0!x}", val_int(1)), "str.format: there is no conversion \"!x\"; there are !s, !r and !a", "");
    EXPECT_FAIL(FORMAT("{0.a}", val_dict(dict_new(&arena, 0))), "str.format: a dict has no attribute \"a\"",
                "write \"[a]\" for the dict's element");
    EXPECT_FAIL(FORMAT("{0[9]}", LIST(val_int(1))), "str.format: [9] is past the end of a list of 1", "");
    EXPECT_FAIL(FORMAT("{0[a]}", LIST(val_int(1))), "str.format: \"[a]\" is not a number, and a list has only places",
                "");
    EXPECT_FAIL(FORMAT("{0:{0:{0}}}", val_int(1)), "str.format: fields are nested too deeply", "");
    EXPECT_FAIL(FORMAT("{0:>10}", val_none()), "format: NoneType takes no specification, and there is \">10\"",
                "convert it first, as in \"{!s:>10}\"");
    EXPECT_FAIL(FORMAT("{0:d}", val_float(1)), "format: there is no type \"d\" for float", "");
    EXPECT_FAIL(FORMAT("{0:.3}", val_int(1)), "format: in \".3\" for int, an int takes no precision", "");
    EXPECT_FAIL(FORMAT("{0:+}", text("x")), "format: in \"+\" for str, a sign is for numbers only", "");
    EXPECT_FAIL(FORMAT("{0:99999999999}", val_int(1)),
                "format: in \"99999999999\", a width or precision is more than 2147483647", "");
}

/* A width that may be asked for but not be had ends at the arena's limit, before anything is filled. */
__attribute__((noinline)) static MemWhy why_not(const char *form) {
    MemTrap trap;
    if (MEM_TRAP(&trap)) return trap.why;
    text_percent(&run, text(form), val_int(1));
    mem_untrap(&trap);
    return MEM_OK;
}

static void width_past_memory(void **state) {
    (void)state;
    arena.limit = 1 << 20;
    assert_int_equal(why_not("%2000d"), MEM_OK);
    assert_int_equal(why_not("%2000000000d"), MEM_LIMIT);
    assert_int_equal(why_not("%.2000000000f"), MEM_LIMIT);
    assert_int_equal(why_not("%-2000000000s"), MEM_LIMIT);
    assert_int_equal(why_not("%.2000000000x"), MEM_LIMIT);
}

static void undefined_values(void **state) {
    (void)state;
    Value missing = val_undefined(&run, val_missing(), text("who"));
    EXPECT_FAIL(PERCENT("%s", missing), "\"who\" is not defined", "");
    EXPECT_FAIL(PERCENT("%d", missing), "\"who\" is not defined", "");
    EXPECT_FAIL(FORMAT("{}", missing), "\"who\" is not defined", "");
    EXPECT_FAIL(FORMAT("{:5}", missing), "\"who\" is not defined", "");
    EXPECT_FAIL(CALL(text("a"), "replace", text("a"), missing), "\"who\" is not defined", "");
    EXPECT_FAIL(CALL(text(","), "join", LIST(text("a"), missing)), "\"who\" is not defined", "");
    EXPECT_FAIL(text_escape(&run, missing), "\"who\" is not defined", "");
    run.undefined = UNDEFINED_LENIENT;
    expect_repr(PERCENT("<%s>", missing), "'<>'");
    expect_repr(FORMAT("<{}>", missing), "'<>'");
    expect_repr(text_escape(&run, missing), "Markup('')");
}

/* ---- methods */

static void method_errors(void **state) {
    (void)state;
    Value s = text("abc");
    EXPECT_FAIL(CALL(s, "center", text("x")), "str.center: \"width\" must be an int, not str", "");
    EXPECT_FAIL(CALL(s, "center", val_int(9), text("--")), "str.center: \"fillchar\" must be one character, not 2", "");
    EXPECT_FAIL(CALL(s, "ljust", val_int(1), val_int(2)), "str.ljust: \"fillchar\" must be a str, not int", "");
    EXPECT_FAIL(CALL(s, "rjust", val_int(3000000000)), "str.rjust: a width of 3000000000 is more than 2147483647", "");
    EXPECT_FAIL(CALL(s, "zfill", integer("99999999999999999999")),
                "str.zfill: \"width\" is an int of more than 64 bits", "");
    EXPECT_FAIL(CALL(s, "find", val_int(1)), "str.find: \"sub\" must be a str, not int", "");
    EXPECT_FAIL(CALL(s, "find", text("a"), val_float(1)), "str.find: \"start\" must be an int or none, not float", "");
    EXPECT_FAIL(CALL(s, "index", text("x")), "str.index: \"x\" is not in the text", "");
    EXPECT_FAIL(CALL(s, "split", text("")), "str.split: \"sep\" is empty", "|list gives the characters");
    EXPECT_FAIL(CALL(s, "join", LIST(text("a"), val_int(1))), "str.join: item 1 must be a str, not int",
                "the filter |join takes values of any type");
    EXPECT_FAIL(CALL(s, "startswith", TUPLE(text("x"), val_int(1))),
                "str.startswith: \"prefix\" must be a str or a tuple of them, and item 1 is int", "");
    EXPECT_FAIL(CALL(s, "encode", text("utf-8")), "str.encode: templates have no bytes, only text",
                "text is written as UTF-8 in any case");
    EXPECT_FAIL(CALL(LIST(val_int(1)), "pop", val_int(4)), "list.pop: there is no place 4 in a list of 1", "");
    EXPECT_FAIL(CALL(LIST(val_int(1)), "remove", text("x")), "list.remove: 'x' is not in it", "");
    EXPECT_FAIL(CALL(val_dict(dict_new(&arena, 0)), "pop", text("x")), "dict.pop: there is no key 'x'",
                "a second argument is given back instead");
    EXPECT_FAIL(CALL(val_dict(dict_new(&arena, 0)), "update", LIST(val_int(1))),
                "dict.update: item 0 must be a key and a value, not int", "");
    EXPECT_FAIL(call(val_float((double)NAN), "as_integer_ratio", 0, NULL), "float.as_integer_ratio: NaN is no ratio",
                "");
}

/* Whoever changes a list or dict must say so; asking must not. */
static void changes_are_told(void **state) {
    (void)state;
    Value list = LIST(val_int(2), val_int(1)), dict = val_dict(dict_new(&arena, 0));
    struct {
        Value self;
        const char *name;
        Value args[2];
        uint32_t n, changes;
    } calls[] = {
        {list, "append", {val_int(3)}, 1, 1},
        {list, "insert", {val_int(0), val_int(3)}, 2, 1},
        {list, "extend", {list}, 1, 1},
        {list, "sort", {val_none()}, 0, 1},
        {list, "reverse", {val_none()}, 0, 1},
        {list, "index", {val_int(1)}, 1, 0},
        {list, "copy", {val_none()}, 0, 0},
        {list, "remove", {val_int(1)}, 1, 1},
        {list, "pop", {val_none()}, 0, 1},
        {list, "clear", {val_none()}, 0, 1},
        {dict, "setdefault", {val_int(1), val_int(2)}, 2, 1},
        {dict, "setdefault", {val_int(1), val_int(3)}, 2, 0},
        {dict, "get", {val_int(1)}, 1, 0},
        {dict, "items", {val_none()}, 0, 0},
        {dict, "update", {dict}, 1, 1},
        {dict, "pop", {val_int(9), val_none()}, 2, 0},
        {dict, "pop", {val_int(1)}, 1, 1},
        {dict, "setdefault", {val_int(1), val_int(2)}, 2, 1},
        {dict, "popitem", {val_none()}, 0, 1},
        {dict, "clear", {val_none()}, 0, 1},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        uint64_t before = run.changes;
        call(calls[i].self, calls[i].name, calls[i].n, calls[i].args);
        if (run.changes - before != calls[i].changes)
            fail_msg("call %zu, %s, told of %d changes", i, calls[i].name, (int)(run.changes - before));
    }
}

/* What a safe text gives is safe, and what is put into it is escaped. */
static void safe_texts(void **state) {
    (void)state;
    expect_repr(call(safe("<b>"), "upper", 0, NULL), "Markup('<B>')");
    expect_repr(CALL(safe("x"), "replace", text("x"), text("<")), "Markup('&lt;')");
    expect_repr(CALL(safe(", "), "join", LIST(text("<"), safe("<"), val_int(1))), "Markup('&lt;, <, 1')");
    expect_repr(text_percent(&run, safe("<i>%s</i>%r"), TUPLE(text("&"), text("<"))),
                "Markup('<i>&amp;</i>&#39;&lt;&#39;')");
    expect_repr(call(safe("&lt;b&gt; <b>x</b>  y<!-- z -->"), "striptags", 0, NULL), "'<b> x y'");
    expect_repr(call(safe("&lt;&#60;&amp;lt;"), "unescape", 0, NULL), "'<<&lt;'");
    Value one = TUPLE(val_int(1), text("<"));
    Dict *none = dict_new(&arena, 0);
    expect_repr(text_format(&run, safe("{}{0.real}"), one.as.list, none), "Markup('11')");
    EXPECT_FAIL(text_format(&run, safe("{[0]}"), one.as.list, none), "str.format: no value is named \"\"", "");
    expect_repr(text_escape(&run, text("<a href=\"x\">'&'</a>")),
                "Markup('&lt;a href=&#34;x&#34;&gt;&#39;&amp;&#39;&lt;/a&gt;')");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(as_python),        CASE(percent_errors), CASE(format_errors),    CASE(width_past_memory),
        CASE(undefined_values), CASE(method_errors),  CASE(changes_are_told), CASE(safe_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

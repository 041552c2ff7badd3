/* test_tables.c: the tables of builtins against Jinja2's own: every name, every parameter, the order that look-up
 * relies on, and HTML's named characters against Python's. */
#include "template/lib/lib.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* What a Python program prints, one call of `line` for each line. */
static size_t ask_python(Arena *arena, const char *program, void (*line)(Arena *arena, Str line)) {
    const char *python = getenv("PYTHON");
    const char *command =
        str_format(arena, "%s -c '%s'%c", python != NULL ? python : "/usr/bin/python3", program, '\0').p;
    FILE *out = popen(command, "r");
    assert_non_null(out);
    char *text = NULL;
    size_t room = 0, lines = 0;
    for (ssize_t n; (n = getline(&text, &room, out)) > 0; lines++) {
        assert_int_equal(text[n - 1], '\n');
        line(arena, str(text, (size_t)n - 1));
    }
    free(text);
    assert_int_equal(pclose(out), 0);
    return lines;
}

static void is_sorted(const Str *names, size_t n) {
    for (size_t i = 1; i < n; i++)
        assert_true(str_cmp(names[i - 1], names[i]) < 0);
}

static void every_name_is_found(void **state) {
    (void)state;
    const Str *names;
    size_t n = lib_filter_names(&names);
    assert_true(n > 50);
    is_sorted(names, n);
    for (size_t i = 0; i < n; i++)
        assert_true(str_eq(str_c(lib_filter(names[i])->name), names[i]));
    n = lib_test_names(&names);
    assert_true(n > 35);
    is_sorted(names, n);
    for (size_t i = 0; i < n; i++)
        assert_true(str_eq(str_c(lib_test(names[i])->name), names[i]));
    n = lib_global_names(&names);
    assert_int_equal(n, 5);
    is_sorted(names, n);
    for (size_t i = 0; i < n; i++)
        assert_true(str_eq(str_c(lib_global(names[i])->name), names[i]));
    static const Str none[] = {{"", 0}, {"ab", 2}, {"abss", 4}, {"zzz", 3}, {"!", 1}, {"lipsum", 6}};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_null(lib_filter(none[i]));
        assert_null(lib_test(none[i]));
        assert_null(lib_global(none[i]));
    }
}

/* "filter batch linecount fill_with?", or no parameters but a '-' where Python does not tell them. */
static void same_parameters(Arena *arena, Str line) {
    size_t space = str_find_char(line, ' ');
    assert_true(space != STR_NONE);
    Str kind = str_sub(line, 0, space), rest = str_sub(line, space + 1, line.n);
    space = str_find_char(rest, ' ');
    Str name = space == STR_NONE ? rest : str_sub(rest, 0, space);
    Str params = space == STR_NONE ? S("") : str_sub(rest, space + 1, rest.n);
    const Native *native = str_eq(kind, S("filter")) ? lib_filter(name) : lib_test(name);
    if (native == NULL) fail_msg("there is no %.*s", STR_ARG(line));
    if (str_eq(params, S("-"))) return;
    assert_string_equal(native->params, str_to_c(arena, params));
}

static void names_and_parameters_are_jinjas(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    size_t lines =
        ask_python(&arena,
                   "import inspect\n"
                   "from jinja2.defaults import DEFAULT_FILTERS, DEFAULT_TESTS\n"
                   "for kind, table in ((\"filter\", DEFAULT_FILTERS), (\"test\", DEFAULT_TESTS)):\n"
                   "    for name, function in table.items():\n"
                   "        if not inspect.isfunction(function):\n"
                   "            print(kind, name, \"-\")\n"
                   "            continue\n"
                   "        params = list(inspect.signature(function).parameters.values())\n"
                   "        skip = 1 + (params[0].name in (\"context\", \"eval_ctx\", \"environment\", \"env\"))\n"
                   "        texts = [\"*\" * (p.kind == p.VAR_POSITIONAL) + \"**\" * (p.kind == p.VAR_KEYWORD)\n"
                   "                 + p.name + \"?\" * (p.default is not p.empty) for p in params[skip:]]\n"
                   "        print(kind, name, *texts)\n",
                   same_parameters);
    const Str *names;
    assert_int_equal(lines, lib_filter_names(&names) + lib_test_names(&names)); /* and none that Jinja has not */
    arena_free(&arena);
}

static void same_entity(Arena *arena, Str line) {
    (void)arena;
    size_t space = str_find_char(line, ' ');
    Str text = lib_entity(str_sub(line, 0, space)), hex = str_sub(line, space + 1, line.n);
    assert_int_equal(text.n * 2, hex.n);
    for (size_t i = 0; i < text.n; i++) {
        char digits[3] = {hex.p[2 * i], hex.p[2 * i + 1], '\0'};
        assert_int_equal((unsigned char)text.p[i], strtoul(digits, NULL, 16));
    }
}

static void entities_are_the_standards(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    for (size_t i = 1; i < lib_entity_count(); i++)
        assert_true(str_cmp(lib_entity_name(i - 1), lib_entity_name(i)) < 0);
    size_t lines = ask_python(&arena,
                              "from html.entities import html5\n"
                              "for name, text in html5.items(): print(name, text.encode().hex())\n",
                              same_entity);
    assert_int_equal(lines, lib_entity_count());
    assert_int_equal(lib_entity(S("nosuch;")).n, 0);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_found),
        cmocka_unit_test(names_and_parameters_are_jinjas),
        cmocka_unit_test(entities_are_the_standards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

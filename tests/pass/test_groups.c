/* test_groups.c: which nodes become one function, after all passes.
 *
 * Each case of groups.txt is a model (== what it shows), and behind -- a line a group in the order of the calls: the
 * operators in it, then what it writes; "prepare" in front where it is called once for a set of weights. With
 * OPGEN_WRITE=1 the file is written anew, to be read before it is kept. A word behind "without" in the title names a
 * pass that is left out.
 */
#include "pass/pass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static const char *const path = "tests/pass/groups.txt";

static void print_groups(Buf *out, const Groups *groups) {
    for (uint32_t i = 0; i < groups->items.n; i++) {
        const Group *group = groups->items.items[i];
        buf_add(out, group->constant ? S("prepare ") : S(""));
        for (uint32_t k = 0; k < group->nodes.n; k++)
            buf_format(out, "%s%S", k == 0 ? "" : " ", name_str(group->nodes.items[k]->op->name));
        for (uint32_t k = 0; k < group->writes.n; k++)
            buf_format(out, "%s%S", k == 0 ? " > " : ", ", name_str(group->writes.items[k]->name));
        buf_char(out, '\n');
    }
}

static PassSet left_out(Str title) {
    PassSet without = 0;
    for (PassId id = 0; id < PASS_COUNT; id++) {
        char words[64];
        snprintf(words, sizeof words, "without %s", passes[id].name);
        if (str_find(title, str_c(words)) != STR_NONE) without |= PASS_BIT(id);
    }
    return without;
}

static Str run_case(Arena *keep, Str title, Str model) {
    Arena arena;
    Names names;
    Diags diags;
    OpTable table;
    arena_init(&arena);
    names_init(&names, &arena);
    diags_init(&diags, &arena);
    optable_init(&table, &arena, &names);
    if (!optable_shelve_folder(&table, S("opdefs"), &diags)) fail_msg("opdefs cannot be read");
    Buf out;
    buf_init(&out, keep);
    Graph *graph = graph_read(&arena, &names, &table, source_new(&arena, S("model.json"), model), &diags);
    if (graph != NULL && passes_run(graph, left_out(title), NULL, NULL)) {
        Groups groups;
        passes_group(&arena, graph, left_out(title), str_find(title, S("lookups check")) != STR_NONE, &groups);
        print_groups(&out, &groups);
    }
    diags_render(&diags, DIAG_TEXT, false, &out);
    arena_free(&arena);
    return buf_str(&out);
}

static void groups(void **state) {
    (void)state;
    Arena arena;
    Diags diags;
    arena_init(&arena);
    diags_init(&diags, &arena);
    Str text;
    assert_true(file_read(&arena, str_c(path), span(NULL, 0, 0), &diags, &text));
    Buf all;
    buf_init(&all, &arena);
    unsigned cases = 0, wrong = 0;
    while (text.n > 0) {
        size_t title_end = str_find_char(text, '\n'), middle = str_find(text, S("\n--\n"));
        if (!str_starts(text, S("== ")) || middle == STR_NONE) fail_msg("groups.txt: a case begins with == and has --");
        Str title = str_sub(text, 0, title_end), model = str_sub(text, title_end + 1, middle + 1);
        Str rest = str_sub(text, middle + 4, text.n);
        size_t next = str_starts(rest, S("== ")) ? 0 : str_find(rest, S("\n== "));
        Str wanted = next == 0 ? S("") : str_sub(rest, 0, next == STR_NONE ? rest.n : next + 1);
        Str got = run_case(&arena, title, model);
        cases++;
        if (!str_eq(wanted, got)) {
            wrong++;
            print_message("%.*s\nwanted:\n%.*sgot:\n%.*s", (int)title_end, text.p, (int)wanted.n, wanted.p, (int)got.n,
                          got.p);
        }
        buf_format(&all, "%S--\n%S", str_sub(text, 0, middle + 1), got);
        text = str_sub(rest, wanted.n, rest.n);
    }
    bool changed;
    if (getenv("OPGEN_WRITE") != NULL) file_write_if_changed(&arena, str_c(path), buf_str(&all), &diags, &changed);
    assert_true(cases > 15);
    assert_int_equal(getenv("OPGEN_WRITE") != NULL ? 0 : wrong, 0);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

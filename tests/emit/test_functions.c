/* test_functions.c: which nodes become one function, which calls share one, and what stands in the holes.
 *
 * Each case is a model, and the text that its functions and calls come to with the small templates of
 * tests/emit/templates, whose texts are no C but show every part: functions.txt, in the order of the cases. With
 * OPGEN_WRITE=1 the file is written anew, to be read before it is kept.
 */
#include "emit/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static const char *const files[] = {"tests/emit/functions.txt"};

typedef struct World {
    Arena arena;
    Names names;
    Diags diags;
    OpTable table;
} World;

static void world_init(World *world) {
    arena_init(&world->arena);
    names_init(&world->names, &world->arena);
    diags_init(&world->diags, &world->arena);
    optable_init(&world->table, &world->arena, &world->names);
    Source *source = file_read_text(&world->arena, S("tests/emit/ops.json"), span(NULL, 0, 0), &world->diags);
    if (!optable_read_folder(&world->table, S("opdefs"), &world->diags)) fail_msg("opdefs cannot be read");
    optable_layer(&world->table);
    if (source == NULL || !optable_read(&world->table, source, &world->diags)) fail_msg("ops.json cannot be read");
}

static void print_call(Buf *out, Arena *arena, const Call *call) {
    buf_add(out, call->function->before);
    for (uint32_t k = 0; k < call->args.n; k++) {
        const Arg *arg = &call->args.items[k];
        buf_add(out, k > 0 ? S(", ") : S(""));
        if (arg->kind == ARG_SIZE)
            sym_print(out, arg->size);
        else if (arg->tensor != NULL)
            buf_format(out, "%S%S", arg->text, name_str(arg->tensor->name));
        else
            buf_add(out, arg->kind == ARG_WORKSPACE ? S("workspace of ") : arg->text);
        if (arg->kind == ARG_WORKSPACE) sym_print(out, call->workspace);
    }
    buf_format(out, "%S\n", call->function->after);
    (void)arena;
}

/* Without the lines that all functions have, and the numbers of hashes, which say nothing to a reader. */
static void print_function(Buf *out, const Function *function) {
    Str text = function->text;
    while (text.n > 0) {
        size_t end = str_find_char(text, '\n');
        if (end == STR_NONE) end = text.n;
        Str line = str_sub(text, 0, end);
        if (line.n > 0 && !str_starts(line, S("#include")) && !str_starts(line, S("/* Generated")))
            buf_format(out, "    %S\n", line);
        text = str_sub(text, end < text.n ? end + 1 : end, text.n);
    }
}

static Str without_hashes(Arena *arena, Str text) {
    Buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < text.n; i++) {
        size_t digits = 0;
        if (text.p[i] == '_')
            while (i + 1 + digits < text.n && strchr("0123456789abcdef", text.p[i + 1 + digits]) != NULL)
                digits++;
        buf_char(&out, text.p[i]);
        bool ends = i + 9 >= text.n || strchr("( ;.,\n", text.p[i + 9]) != NULL;
        if (digits == 8 && ends) buf_char(&out, '#'), i += 8;
    }
    return buf_str(&out);
}

static Str run_case(Arena *keep, Str model) {
    World *world = malloc(sizeof *world);
    assert_non_null(world);
    world_init(world);
    Arena *arena = &world->arena;
    Buf out;
    buf_init(&out, arena);
    Graph *graph =
        graph_read(arena, &world->names, &world->table, source_new(arena, S("model.json"), model), &world->diags);
    Str roots[] = {S("tests/emit/templates"), S("templates")};
    const Backend *backend =
        backend_read(arena, &world->names, roots + 1, 1, S("cpu"), span(NULL, 0, 0), &world->diags);
    if (graph != NULL && backend != NULL) {
        Groups groups;
        group_nodes(arena, graph, str_find(model, S("\"doc\": \"apart\"")) == STR_NONE, false, &groups);
        Plan plan = {.arena = arena, .graph = graph, .groups = &groups, .backend = backend};
        EngineOptions options = {.syntax = {.trim_blocks = true, .lstrip_blocks = true}};
        Engine *engine = engine_new(arena, &world->names, &world->diags, &options);
        engine_add_root(engine, roots[0]);
        engine_add_root(engine, roots[1]);
        plan_functions(&plan, engine);
        for (uint32_t i = 0; i < plan.functions.n; i++)
            print_function(&out, plan.functions.items[i]);
        for (uint32_t i = 0; i < plan.calls.n; i++)
            print_call(&out, arena, &plan.calls.items[i]);
    }
    diags_render(&world->diags, DIAG_TEXT, false, &out);
    Str text = without_hashes(keep, buf_str(&out));
    arena_free(arena);
    free(world);
    return text;
}

/* Cases stand behind lines "== what it shows", their results behind "--". */
static void functions(void **state) {
    (void)state;
    Arena arena;
    Diags diags;
    arena_init(&arena);
    diags_init(&diags, &arena);
    Str text;
    assert_true(file_read(&arena, str_c(files[0]), span(NULL, 0, 0), &diags, &text));
    Buf all;
    buf_init(&all, &arena);
    unsigned cases = 0, wrong = 0;
    while (text.n > 0) {
        size_t title_end = str_find_char(text, '\n'), middle = str_find(text, S("\n--\n"));
        if (!str_starts(text, S("== ")) || middle == STR_NONE)
            fail_msg("functions.txt: a case begins with == and has --");
        Str model = str_sub(text, title_end + 1, middle + 1), rest = str_sub(text, middle + 4, text.n);
        size_t next = str_starts(rest, S("== ")) ? 0 : str_find(rest, S("\n== "));
        Str wanted = next == 0 ? S("") : str_sub(rest, 0, next == STR_NONE ? rest.n : next + 1);
        Str got = run_case(&arena, model);
        cases++;
        if (!str_eq(wanted, got)) {
            wrong++;
            print_message("%.*s\nwanted:\n%.*sgot:\n%.*s", (int)title_end, text.p, (int)wanted.n, wanted.p, (int)got.n,
                          got.p);
        }
        buf_format(&all, "%S--\n%S", str_sub(text, 0, middle + 1), got);
        text = str_sub(rest, wanted.n, rest.n);
    }
    const char *write = getenv("OPGEN_WRITE");
    bool changed;
    if (write != NULL && write[0] == '1')
        assert_true(file_write_if_changed(&arena, str_c(files[0]), buf_str(&all), &diags, &changed));
    else if (wrong > 0)
        fail_msg("%u of %u cases", wrong, cases);
    assert_true(cases >= 20);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_alloc_sweep.c: what happens when memory runs out, at every place where it can.
 *
 * A set of fixtures that between them use every part of the engine is rendered with the first request for memory
 * failing, then the second, and so on until a rendering needs no more requests than that. Each failure must be clean:
 * it is reported by a finding, or caught by the trap around an engine that could not even be made; no text comes out;
 * the arena gives back everything (the leak sanitizer looks on); and afterwards the same case renders as if nothing had
 * been.
 *
 * The engine takes memory in large chunks, so that few requests are made of the system. To reach more places, chunks
 * are not made smaller: the sweep covers exactly the requests that a real run makes.
 */
#include "case.h"

/* Parts of the paths of the fixtures that are swept. */
static const char *const swept[] = {
    "fixtures/for/recursive.txt",
    "fixtures/macro/varargs_and_kwargs.txt",
    "fixtures/call/with_several_arguments_and_default.txt",
    "fixtures/include/nested.txt",
    "fixtures/import/with_context.txt",
    "fixtures/extends/four_levels.txt",
    "fixtures/extends/scoped_super.txt",
    "fixtures/set/namespace_holds_list.txt",
    "fixtures/filters/pprint_long.txt",
    "fixtures/filters/tojson_indent.txt",
    "fixtures/filters/groupby_names.txt",
    "fixtures/filters/wordwrap.txt",
    "fixtures/filters/urlize.txt",
    "fixtures/printing/nested_deep.txt",
    "fixtures/numbers/integers_beyond_64_bits.txt",
    "fixtures/methods/str_format_spec.txt",
    "fixtures/strings/from_json_escapes.txt",
    "fixtures/autoescape/join_escapes.txt",
    "fixtures/do/list_methods.txt",
    "errors/render/error_in_four_levels.txt",
    "errors/syntax/several_errors_in_one_file.txt",
    "errors/undefined/suggestion.txt",
    "errors/limits/macro_recursion.txt",
    "errors/load/include_missing.txt",
};

/* Needs more memory than one chunk at every stage: a long template, a long text, a large list, deep data. */
static void make_large(Arena *arena, Case *c) {
    Buf text, expected;
    buf_init(&text, arena);
    buf_init(&expected, arena);
    for (int i = 0; i < 400; i++) {
        buf_format(&text, "{%% set v%d = %d %%}{%% if v%d is even %%}{{ 'x' * 300 }}{%% endif %%}", i, i, i);
        if (i % 2 == 0) buf_fill(&expected, 'x', 300);
    }
    buf_add(&text, S("{% set l = range(5000)|map('string')|list %}{% set s %}{{ l|join(',') }}{% endset %}{{ s|length "
                     "}}{{ data|length }}"));
    buf_add(&expected, S("238892000"));
    *c =
        (Case){.path = S("a large case"), .text = buf_str(&text), .expected = buf_str(&expected), .has_expected = true};
    Buf data;
    buf_init(&data, arena);
    buf_add(&data, S("{\"data\": ["));
    for (int i = 0; i < 2000; i++)
        buf_format(&data, "%s{\"n\": %d, \"s\": \"text %d\"}", i > 0 ? "," : "", i, i);
    buf_add(&data, S("]}"));
    c->data = buf_str(&data);
}

typedef struct Sweep {
    unsigned passed, failed;
    uint64_t requests;
} Sweep;

static void complain(Sweep *sweep, const Case *c, uint64_t nth, const char *why, Str text) {
    sweep->failed++;
    printf("FAILED: %.*s, request %llu fails: %s\n", STR_ARG(c->path), (unsigned long long)nth, why);
    if (text.n > 0) printf("    %.*s\n", (int)(text.n < 2000 ? text.n : 2000), text.p);
}

/* One rendering with the nth request failing. False when it needed fewer than that. */
static bool with_failure(Sweep *sweep, const Case *c, uint64_t nth) {
    Arena arena, out;
    arena_init(&arena);
    arena_init(&out);
    uint64_t before = mem_requests();
    mem_fail_at(nth);
    MemTrap trap;
    const char *why = NULL;
    Str text = {"", 0};
    bool trapped = false;
    if (MEM_TRAP(&trap)) {
        trapped = true;
        if (trap.why != MEM_SYSTEM) why = "the trap tells of something else";
    } else {
        CaseResult result = case_render(&arena, &out, c, 1);
        mem_untrap(&trap);
        text = result.text;
        bool reached = mem_requests() - before >= nth;
        bool as_ever = result.odd == NULL && result.ok == c->has_expected &&
                       str_eq(text, c->has_expected ? c->expected : c->error);
        if (!reached && !as_ever) why = "no request failed, and yet the result is another";
        if (reached && result.odd != NULL) why = result.odd;
        if (reached && result.odd == NULL && result.ok) why = "a request failed, and yet it renders";
        if (reached && result.odd == NULL && !result.ok && str_find(text, S("memory")) == STR_NONE)
            why = "the finding does not speak of memory";
    }
    mem_fail_at(0);
    uint64_t made = mem_requests() - before;
    if (why != NULL)
        complain(sweep, c, nth, why, trapped ? S("") : text);
    else
        sweep->passed++;
    arena_free(&out);
    arena_free(&arena);
    return made >= nth;
}

static void sweep_case(Sweep *sweep, const Case *c) {
    uint64_t nth = 1;
    while (with_failure(sweep, c, nth)) {
        nth++;
        if (nth > 100000) {
            complain(sweep, c, nth, "there is no end of requests", S(""));
            return;
        }
    }
    sweep->requests += nth - 1;
}

int main(void) {
    Sweep sweep = {0, 0, 0};
    Arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof swept / sizeof swept[0]; i++) {
        Diags diags;
        diags_init(&diags, &arena);
        Str path = str_format(&arena, "tests/template/%s", swept[i]);
        Str bytes;
        Case c;
        if (!file_read(&arena, path, span(NULL, 0, 0), &diags, &bytes) || !case_parse(&arena, path, bytes, &c)) {
            sweep.failed++;
            printf("FAILED: %.*s cannot be read\n", STR_ARG(path));
            continue;
        }
        sweep_case(&sweep, &c);
    }
    Case large;
    make_large(&arena, &large);
    sweep_case(&sweep, &large);
    arena_free(&arena);
    printf("%llu requests for memory failed in turn\n", (unsigned long long)sweep.requests);
    printf("%u passed, %u failed, 0 skipped\n", sweep.passed, sweep.failed);
    return sweep.failed > 0 || sweep.passed == 0;
}

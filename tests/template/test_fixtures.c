/* test_fixtures.c: renders every fixture and compares it with what the fixture says.
 *
 *     test_fixtures [NAME...]     all of them, or those whose path has a NAME; run from the repository's top folder
 *     test_fixtures --batch       cases from standard input, one JSON object a line; answers one a line, in their order
 *
 * A case of fixtures/ must give the expected text; a case of errors/ must fail with exactly the findings it pins. Each
 * is rendered twice by one engine, and the second time must be as the first. The batch mode is what the Python tests
 * use, so that they need no process a case: {"template": "...", "files": {...}, "data": {...}, "options": {...}} is
 * answered with {"ok": true, "text": "..."}, where text holds the findings if ok is false.
 */
#include "case.h"

/* ---- showing what differs ---- */

static size_t line_end(Str s, size_t from) {
    const char *end = s.n > from ? memchr(s.p + from, '\n', s.n - from) : NULL;
    return end == NULL ? s.n : (size_t)(end - s.p);
}

static void show_lines(char mark, Str s, size_t from, size_t to) {
    while (from <= to) {
        size_t end = line_end(s, from);
        if (end > to) end = to;
        printf("    %c %.*s\n", mark, (int)(end - from), s.p + from);
        from = end + 1;
    }
}

/* The lines that both begin and both end with are left out. */
static void show_difference(Str wanted, Str got) {
    size_t start = 0, same = 0;
    while (same < wanted.n && same < got.n && wanted.p[same] == got.p[same])
        if (wanted.p[same++] == '\n') start = same;
    size_t a = wanted.n, b = got.n;
    while (a > start && b > start && wanted.p[a - 1] == got.p[b - 1])
        a--, b--;
    a = line_end(wanted, a);
    b = line_end(got, b);
    if (start > 0) printf("    ...\n");
    show_lines('-', wanted, start, a);
    show_lines('+', got, start, b);
    if (a < wanted.n) printf("    ...\n");
}

/* ---- the fixtures ---- */

/* A sanitizer ends the program at once: what was printed so far, and where it was, are told all the same. */
static Str current;
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void say_where(void) {
    if (current.n > 0) printf("FAILED: %.*s: it ended the program\n", STR_ARG(current));
    fflush(stdout);
}

typedef struct Count {
    unsigned passed, failed;
} Count;

static void fail(Count *count, Str path, const char *why) {
    count->failed++;
    printf("FAILED: %.*s: %s\n", STR_ARG(path), why);
}

static void judge(Count *count, const Case *c, CaseResult result) {
    if (result.odd != NULL)
        fail(count, c->path, result.odd);
    else if (c->has_expected == c->has_error)
        fail(count, c->path, "it needs one of the sections expected and error");
    else if (c->has_expected && !result.ok)
        fail(count, c->path, "it fails");
    else if (c->has_error && result.ok)
        fail(count, c->path, "it renders, and should fail");
    else if (!str_eq(result.text, c->has_error ? c->error : c->expected))
        fail(count, c->path, "the text differs");
    else {
        count->passed++;
        return;
    }
    show_difference(c->has_error ? c->error : c->expected, result.text);
}

static void run_one(Count *count, Str path) {
    current = path;
    Arena arena, out;
    arena_init(&arena);
    arena_init(&out);
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        fail(count, path, "memory ran out outside of a rendering");
    } else {
        Diags diags;
        diags_init(&diags, &arena);
        Str bytes;
        Case c;
        if (!file_read(&arena, path, span(NULL, 0, 0), &diags, &bytes))
            fail(count, path, "it cannot be read");
        else if (!case_parse(&arena, path, bytes, &c))
            fail(count, path, "it is not a fixture");
        else
            judge(count, &c, case_render(&arena, &out, &c, 2));
        mem_untrap(&trap);
    }
    arena_free(&out);
    arena_free(&arena);
}

static bool is_wanted(Str path, char **names, int n) {
    for (int i = 0; i < n; i++)
        if (str_find(path, str_c(names[i])) != STR_NONE) return true;
    return n == 0;
}

static int run_fixtures(char **names, int n) {
    Arena arena;
    arena_init(&arena);
    if (__sanitizer_set_death_callback != NULL) __sanitizer_set_death_callback(say_where);
    CasePaths paths = {NULL, 0, 0};
    Count count = {0, 0};
    if (!case_find(&arena, "tests/template/fixtures", &paths) || !case_find(&arena, "tests/template/errors", &paths)) {
        printf("cannot go through tests/template: %s\n", strerror(errno));
        count.failed++;
    }
    for (uint32_t i = 0; i < paths.n; i++)
        if (is_wanted(paths.items[i], names, n)) run_one(&count, paths.items[i]);
    arena_free(&arena);
    printf("%u passed, %u failed, 0 skipped\n", count.passed, count.failed);
    return count.failed > 0 || count.passed == 0;
}

/* ---- the batch ---- */

static CaseResult render_request(Arena *arena, Arena *out, Str line) {
    Names names;
    Diags diags;
    names_init(&names, arena);
    diags_init(&diags, arena);
    const Json *request = json_parse(arena, &names, source_new(arena, S("request"), line), &diags);
    const Json *template = request == NULL ? NULL : json_get(request, S("template"));
    if (template == NULL || template->kind != JSON_STRING) {
        Buf findings;
        buf_init(&findings, arena);
        diags_render(&diags, DIAG_TEXT, false, &findings);
        return (CaseResult){false, buf_str(&findings), "the request is not understood"};
    }
    EngineOptions how = case_engine_options(json_get(request, S("options")));
    Engine *engine = engine_new(arena, &names, &diags, &how);
    const Json *files = json_get(request, S("files"));
    for (uint32_t i = 0; files != NULL && i < files->as.object.n; i++)
        engine_add_text(engine, name_str(files->as.object.members[i].key), files->as.object.members[i].value.as.s);
    engine_add_text(engine, str_c(CASE_MAIN), template->as.s);
    return case_run(engine, arena, out, &diags, json_get(request, S("data")), 1);
}

static void answer(Arena *arena, CaseResult result) {
    Buf out;
    buf_init(&out, arena);
    buf_add(&out, result.ok ? S("{\"ok\": true, \"text\": ") : S("{\"ok\": false, \"text\": "));
    buf_json(&out, result.text);
    if (result.odd != NULL) {
        buf_add(&out, S(", \"odd\": "));
        buf_json(&out, str_c(result.odd));
    }
    buf_add(&out, S("}\n"));
    fwrite(out.p, 1, out.n, stdout);
    fflush(stdout);
}

static int run_batch(void) {
    char *line = NULL;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
        Arena arena, out;
        arena_init(&arena);
        arena_init(&out);
        MemTrap trap;
        if (MEM_TRAP(&trap)) {
            printf("{\"ok\": false, \"text\": \"\", \"odd\": \"memory ran out outside of a rendering\"}\n");
        } else {
            answer(&arena, render_request(&arena, &out, str(line, (size_t)n)));
            mem_untrap(&trap);
        }
        arena_free(&out);
        arena_free(&arena);
    }
    free(line);
    return ferror(stdout) || ferror(stdin);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--batch") == 0) return run_batch();
    return run_fixtures(argv + 1, argc - 1);
}

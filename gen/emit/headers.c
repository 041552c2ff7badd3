/* headers.c: which headers a function includes. */
#include "emit/headers.h"

#include "emit/c_text.h"

/* `"opgen_exp.h"`, from a file beside the templates of the backend or of its nearest parent. NULL after a finding. */
static const Source *read_header(const Plan *plan, Engine *engine, Str line, Span from) {
    Arena *arena = plan->arena;
    Diags *diags = plan->graph->diags;
    VEC(Str) paths = {NULL, 0, 0};
    const Source *source = NULL;
    bool quoted = line.n > 2 && line.p[0] == '"' && line.p[line.n - 1] == '"';
    for (const Backend *at = plan->backend; at != NULL && quoted; at = at->parent)
        *VEC_PUSH(arena, &paths) = str_format(arena, "%S/%S", name_str(at->name), str_sub(line, 1, line.n - 1));
    if (quoted && !engine_read_first(engine, paths.items, paths.n, from, &source)) return NULL;
    if (source != NULL) return source;
    Diag *diag = quoted ? diag_error(diags, E_MISSING, from, "the backend %Q has no file %S",
                                     name_str(plan->backend->name), line)
                        : diag_error(diags, E_JSON_TYPE, from, "%S is not in quotes of its own", line);
    diag_hint(diags, diag,
              quoted ? "these lie beside its templates; what is found elsewhere belongs into \"headers\""
                     : "as #include has it: \"\\\"opgen_exp.h\\\"\"; what is in <> belongs into \"headers\"");
    return NULL;
}

static void add_names(Headers *headers, const Source *source, Str *line) {
    Names declared, macros;
    names_init(&declared, headers->arena);
    names_init(&macros, headers->arena);
    c_own_names(source->text, &declared, &macros);
    const Names *both[] = {&declared, &macros};
    for (size_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < both[k]->cap; i++) {
            if (both[k]->table[i] == NULL) continue;
            Name name = names_get(&headers->names, name_str(both[k]->table[i]));
            if (map_get(&headers->owners, name) == NULL) map_set(&headers->owners, name, line);
        }
}

bool headers_begin(Headers *headers, Plan *plan, Engine *engine) {
    Arena *arena = plan->arena;
    *headers = (Headers){.arena = arena};
    names_init(&headers->names, arena);
    map_init(&headers->owners, arena);
    Buf always;
    buf_init(&always, arena);
    const Json *list = backend_get(plan->backend, S("headers"));
    for (uint32_t i = 0; list != NULL && i < list->as.array.n; i++) /* texts, as the reader of backends saw to */
        buf_format(&always, "#include %S\n", list->as.array.items[i].as.s);
    headers->always = buf_str(&always);
    const Backend *of = plan->backend;
    while (of != NULL && json_get(of->json, S("used_headers")) == NULL)
        of = of->parent;
    if (of == NULL) return true;
    list = json_get(of->json, S("used_headers"));
    headers->used = ARENA_ARRAY(arena, Str, (size_t)list->as.array.n + 1);
    for (uint32_t i = 0; i < list->as.array.n; i++) {
        const Json *item = &list->as.array.items[i];
        const Source *source = read_header(plan, engine, item->as.s, span(of->source, item->from, item->to));
        if (source == NULL) return false;
        Str *line = &headers->used[headers->n++];
        *line = str_format(arena, "#include %S\n", item->as.s);
        add_names(headers, source, line);
    }
    return true;
}

void headers_write(const Headers *headers, Str text, Buf *out) {
    bool *used = ARENA_ARRAY(headers->arena, bool, (size_t)headers->n + 1), line = true;
    Str word;
    for (size_t at = 0; (word = c_next_word(text, &at, &line)).n > 0;) {
        Name name = names_find(&headers->names, word);
        const Str *owner = name != NULL ? map_get(&headers->owners, name) : NULL;
        if (owner != NULL) used[owner - headers->used] = true;
    }
    buf_add(out, headers->always);
    for (uint32_t i = 0; i < headers->n; i++)
        if (used[i]) buf_add(out, headers->used[i]);
}

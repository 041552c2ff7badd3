/* single.c: a model's sources as parts of one file.
 *
 * Functions were written for files of their own: what each has for itself (helpers, types, macros) is known to others
 * by the same names. So names get the function's before theirs, and macros end with it. Functions of the model become
 * static by a declaration before the first; headers that go along stand once, each behind those that it includes.
 */
#include "emit/c_text.h"
#include "emit/profile.h"

static Value text(Str s) { return val_str_lit(s.p, s.n); }

/* `"opgen_math.h"` among the parts: which. */
static const FileEntry *part_of(const FileSet *parts, Str quoted) {
    if (quoted.n < 3 || quoted.p[0] != '"') return NULL;
    Str name = str_sub(quoted, 1, quoted.n - 1);
    for (uint32_t i = 0; i < parts->files.n; i++)
        if (str_eq(parts->files.items[i].path, name)) return &parts->files.items[i];
    return NULL;
}

/* Without lines that include a part, or what `known` has. */
static Str without_includes(Arena *arena, const FileSet *parts, const Names *known, Str from) {
    Buf out;
    buf_init(&out, arena);
    Str token;
    bool line = true;
    CKind kind;
    for (size_t at = 0; (kind = c_token(from, &at, &line, &token)) != C_END;) {
        Str included = kind == C_LINE ? c_included(token) : S("");
        bool there = included.n > 0 &&
                     (part_of(parts, included) != NULL || (known != NULL && names_find(known, included) != NULL));
        if (!there) buf_add(&out, token);
        if (there && at < from.n && from.p[at] == '\n') at++;
        if (there) line = true;
    }
    return buf_str(&out);
}

/* Whether all parts that it includes stand already. */
static bool is_ready(const FileSet *parts, Str from, const bool *done) {
    Str token;
    bool line = true;
    CKind kind;
    for (size_t at = 0; (kind = c_token(from, &at, &line, &token)) != C_END;) {
        const FileEntry *part = kind == C_LINE ? part_of(parts, c_included(token)) : NULL;
        if (part != NULL && !done[part - parts->files.items]) return false;
    }
    return true;
}

/* Headers of the runtime stand behind the others, as they do where a driver includes them. */
static Str headers_of(EmitContext *context, const FileSet *parts) {
    Arena *arena = context->arena;
    Buf out;
    buf_init(&out, arena);
    bool *done = ARENA_ARRAY(arena, bool, (size_t)parts->files.n + 1);
    for (uint32_t turn = 0; turn < 2; turn++)
        for (bool some = true; some;) {
            some = false;
            for (uint32_t i = 0; i < parts->files.n; i++) {
                const FileEntry *part = &parts->files.items[i];
                bool wanted = str_ends(part->path, S(".h")) && profile_wants(context, part->path) == (turn == 1);
                if (done[i] || !wanted || !is_ready(parts, part->bytes, done)) continue;
                buf_format(&out, "%s%S", out.n > 0 ? "\n" : "", without_includes(arena, parts, NULL, part->bytes));
                done[i] = some = true;
            }
        }
    return buf_str(&out);
}

static Str function_of(Arena *arena, const FileSet *parts, const Names *known, const Function *function) {
    Names declared, macros;
    Buf out;
    names_init(&declared, arena);
    names_init(&macros, arena);
    buf_init(&out, arena);
    Str whole = without_includes(arena, parts, known, function->text);
    c_own_names(whole, &declared, &macros);
    Names own;
    names_init(&own, arena);
    for (uint32_t i = 0; i < declared.cap; i++)
        if (declared.table[i] != NULL && !str_starts(name_str(declared.table[i]), function->uri))
            names_get(&own, name_str(declared.table[i]));
    c_rename(&out, whole, &own, function->uri);
    /* In the order of the text, which is the same on every machine. */
    Str token;
    bool line = true, empty;
    CKind kind;
    Names ended;
    names_init(&ended, arena);
    for (size_t at = 0; (kind = c_token(whole, &at, &line, &token)) != C_END;) {
        Str name = kind == C_LINE ? c_defined(token, &empty) : S("");
        if (name.n == 0 || names_find(&macros, name) == NULL || names_find(&ended, name) != NULL) continue;
        names_get(&ended, name);
        buf_add(&out, S("#undef "));
        if (names_find(&own, name) != NULL) buf_format(&out, "%S_", function->uri);
        buf_format(&out, "%S\n", name);
    }
    return buf_str(&out);
}

Dict *single_data(EmitContext *context, const Plan *plan, const FileSet *parts) {
    Arena *arena = context->arena;
    Names known;
    Buf declarations, functions;
    names_init(&known, arena);
    buf_init(&declarations, arena);
    buf_init(&functions, arena);
    const Json *headers = backend_get(context->backend, S("headers"));
    for (uint32_t i = 0; headers != NULL && i < headers->as.array.n; i++)
        names_get(&known, headers->as.array.items[i].as.s);
    for (uint32_t i = 0; i < plan->functions.n; i++) {
        const Function *function = plan->functions.items[i];
        if (function->calls == 0) continue;
        buf_format(&declarations, "static %S\n", function->decl);
        buf_format(&functions, "%s%S", functions.n > 0 ? "\n" : "", function_of(arena, parts, &known, function));
    }
    Dict *single = dict_new(arena, 4);
    dict_set_in(arena, single, VS("headers"), text(headers_of(context, parts)));
    dict_set_in(arena, single, VS("declarations"), text(buf_str(&declarations)));
    dict_set_in(arena, single, VS("functions"), text(buf_str(&functions)));
    return single;
}

/* engine.c: finding, compiling and keeping templates. A name is looked up among the texts handed in, then below each
 * folder in turn; nothing outside those folders is ever opened, whichever way a name or a link points. */
#include "template/engine.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

Engine *engine_new(Arena *arena, Names *names, Diags *diags, const EngineOptions *options) {
    Engine *engine = ARENA_NEW(arena, Engine);
    engine->arena = arena;
    engine->names = names;
    engine->diags = diags;
    engine->options = *options;
    map_init(&engine->templates, arena);
    map_init(&engine->texts, arena);
    map_init(&engine->globals, arena);
    return engine;
}

void engine_add_root(Engine *engine, Str folder) {
    *VEC_PUSH(engine->arena, &engine->roots) = str_copy(engine->arena, folder);
}

void engine_add_text(Engine *engine, Str name, Str text) {
    Name key = names_get(engine->names, name);
    map_set(&engine->texts, key, source_new(engine->arena, name_str(key), str_copy(engine->arena, text)));
}

static void add_global(Engine *engine, Name name, const Native *native, void *user) {
    Bound *bound = ARENA_NEW(engine->arena, Bound);
    *bound = (Bound){native, user, val_missing()};
    Value *v = ARENA_NEW(engine->arena, Value);
    *v = VAL(V_FUNC, bound, bound);
    map_set(&engine->globals, name, v);
}

void engine_add_function(Engine *engine, const char *name, NativeFn fn, const char *params, void *user) {
    Native *native = ARENA_NEW(engine->arena, Native);
    *native = (Native){name, fn, params};
    add_global(engine, names_get(engine->names, str_c(name)), native, user);
}

const Value *engine_global(Engine *engine, Name name) {
    const Value *v = map_get(&engine->globals, name);
    if (v != NULL) return v;
    const Native *native = lib_global(name_str(name));
    if (native == NULL) return NULL;
    add_global(engine, name, native, NULL);
    return map_get(&engine->globals, name);
}

Template *engine_compile(Engine *engine, Source *source) {
    bool whole;
    TemplateAst *ast =
        parse_template_partly(engine->arena, engine->names, source, &engine->options.syntax, engine->diags, &whole);
    if (!whole) {
        code_check_names(ast, engine->diags);
        return NULL;
    }
    Code *code = code_compile(engine->arena, engine->names, ast, engine->options.autoescape, engine->diags);
    if (code == NULL) return NULL;
    Template *template = ARENA_NEW(engine->arena, Template);
    *template = (Template){names_get(engine->names, source->name), code, 0};
    return template;
}

/* ---- files */

/* Parts between '/', none of them "..": what a template name may be. */
static bool stays_below(Str name) {
    if (name.n == 0 || name.p[0] == '/') return false;
    for (size_t i = 0; i <= name.n;) {
        size_t end = i;
        while (end < name.n && name.p[end] != '/')
            end++;
        if (end - i == 2 && name.p[i] == '.' && name.p[i + 1] == '.') return false;
        i = end + 1;
    }
    return true;
}

/* The real path, links followed; empty if there is no such file. realpath's own buffer is on the stack, so nothing is
 * left to free. */
static Str real_path(Arena *arena, Str path) {
    char found[PATH_MAX];
    if (realpath(str_to_c(arena, path), found) == NULL) return S("");
    return str_copy(arena, str_c(found));
}

/* Whether a part of the path behind its first `from` bytes is a symbolic link, or cannot be looked at. */
static bool has_link(Arena *arena, Str path, size_t from) {
    char *c = arena_copy(arena, str_to_c(arena, path), path.n + 1);
    for (size_t i = from; i <= path.n; i++) {
        if (c[i] != '/' && c[i] != '\0') continue;
        const char kept = c[i];
        struct stat info;
        c[i] = '\0';
        if (i > from && (lstat(c, &info) != 0 || S_ISLNK(info.st_mode))) return true;
        c[i] = kept;
    }
    return false;
}

static bool is_below(Str path, Str folder) {
    if (!str_starts(path, folder)) return false;
    return folder.n == 1 || (path.n > folder.n && path.p[folder.n] == '/');
}

static LoadStatus say_outside(Engine *engine, Str name, Span from, const char *why) {
    Diag *diag = diag_error(engine->diags, E_TEMPLATE_OUTSIDE, from, "template %Q %s", name, why);
    diag_hint(engine->diags, diag, "name it relative to a template folder; -I DIR adds one");
    return LOAD_BAD;
}

static LoadStatus find_file(Engine *engine, Str name, Span from, Source **source) {
    Arena *arena = engine->arena;
    if (name.n > 0 && name.p[0] == '/') return say_outside(engine, name, from, "has an absolute path");
    if (name.n > 0 && !stays_below(name))
        return say_outside(engine, name, from, "leaves the template folders with \"..\"");
    if (str_find_char(name, '\0') != STR_NONE) return say_outside(engine, name, from, "has a NUL byte in its name");
    if (name.n == 0) return LOAD_MISSING;
    for (uint32_t i = 0; i < engine->roots.n; i++) {
        Str root = engine->roots.items[i];
        Str path = str_eq(root, S(".")) || root.n == 0
                       ? name
                       : str_format(arena, str_ends(root, S("/")) ? "%S%S" : "%S/%S", root, name);
        struct stat info;
        if (stat(str_to_c(arena, path), &info) != 0) {
            if (errno == ENOENT || errno == ENOTDIR) continue;
            *source = file_read_text(arena, path, from, engine->diags); /* to say why not */
            return *source != NULL ? LOAD_FOUND : LOAD_BAD;
        }
        if (!S_ISREG(info.st_mode)) continue; /* a folder, or a pipe that nobody may ever write to, is no template */
        Str real = has_link(arena, path, path.n - name.n) ? real_path(arena, path) : S("");
        if (real.n > 0 && !is_below(real, real_path(arena, root.n == 0 ? S(".") : root)))
            return say_outside(engine, name, from, "is a link that leads out of the template folders");
        *source = file_read_text(arena, path, from, engine->diags);
        return *source != NULL ? LOAD_FOUND : LOAD_BAD;
    }
    return LOAD_MISSING;
}

LoadStatus engine_find(Engine *engine, Str name, Span from, Template **template) {
    Name key = names_get(engine->names, name);
    *template = map_get(&engine->templates, key);
    if (*template != NULL) return LOAD_FOUND;
    Source *source = map_get(&engine->texts, key);
    if (source == NULL) {
        LoadStatus status = find_file(engine, name, from, &source);
        if (status != LOAD_FOUND) return status;
        *VEC_PUSH(engine->arena, &engine->files) = source;
    }
    *template = engine_compile(engine, source);
    if (*template == NULL) return LOAD_BAD;
    (*template)->name = key;
    map_set(&engine->templates, key, *template);
    return LOAD_FOUND;
}

void engine_say_missing(Engine *engine, const Str *names, size_t n, Span from) {
    Buf list;
    buf_init(&list, engine->diags->arena);
    for (size_t i = 0; i < n; i++)
        buf_format(&list, "%s%Q", i == 0 ? "" : i + 1 < n ? ", " : " or ", names[i]);
    Diag *diag = diag_error(engine->diags, E_TEMPLATE_NOT_FOUND, from, "there is no template %S", buf_str(&list));
    Buf where;
    buf_init(&where, engine->diags->arena);
    for (uint32_t i = 0; i < engine->roots.n; i++)
        buf_format(&where, "%s%S", i == 0 ? "" : ", ", engine->roots.items[i]);
    if (engine->roots.n > 0)
        diag_hint(engine->diags, diag, "looked in %S", buf_str(&where));
    else
        diag_hint(engine->diags, diag, "there are no template folders; -I DIR adds one");
}

Template *engine_load_first(Engine *engine, const Str *names, size_t n, Span from) {
    for (size_t i = 0; i < n; i++) {
        Template *template = NULL;
        LoadStatus status = engine_find(engine, names[i], from, &template);
        if (status != LOAD_MISSING) return status == LOAD_FOUND ? template : NULL;
    }
    engine_say_missing(engine, names, n, from);
    return NULL;
}

Template *engine_load(Engine *engine, Str name, Span from) {
    Template *template = NULL;
    LoadStatus status = engine_find(engine, name, from, &template);
    if (status == LOAD_MISSING) engine_say_missing(engine, &name, 1, from);
    return status == LOAD_FOUND ? template : NULL;
}

bool engine_read_first(Engine *engine, const Str *names, size_t n, Span from, const Source **source) {
    *source = NULL;
    for (size_t i = 0; i < n; i++) {
        Source *found = NULL;
        LoadStatus status = find_file(engine, names[i], from, &found);
        if (status == LOAD_MISSING) continue;
        if (status == LOAD_BAD) return false;
        *VEC_PUSH(engine->arena, &engine->files) = found;
        *source = found;
        return true;
    }
    return true;
}

const Source *const *engine_files(const Engine *engine, uint32_t *n) {
    *n = engine->files.n;
    return engine->files.items;
}

bool template_has_block(const Template *template, Name block) { return code_block(template->code, block) != NULL; }

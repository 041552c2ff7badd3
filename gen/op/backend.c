/* backend.c: finding backend.json and its parents', and the parts of it that are not tables. */
#include "op/backend_internal.h"

#include <dirent.h>
#include <unistd.h>

/* A chain of parents is short; one that is longer goes in a circle. */
enum { MOST_PARENTS = 8 };

/* ---- findings */

Diag *backend_error(BackendRead *read, const Json *at, DiagCode code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = diag_vadd(read->diags, DIAG_ERROR, code, span(read->source, at->from, at->to), format, args);
    va_end(args);
    read->failed = true;
    return diag;
}

bool backend_want(BackendRead *read, const Json *got, JsonKind kind, Str key) {
    if (got->kind == kind) return true;
    backend_error(read, got, E_JSON_TYPE, "%Q is %s, but this is %s", key, json_kind_name(kind),
                  json_kind_name(got->kind));
    return false;
}

void backend_unknown(BackendRead *read, const JsonMember *member, const char *of, const Str *known, size_t n) {
    Str key = name_str(member->key);
    Diag *diag = diag_error(read->diags, E_UNKNOWN_KEY, span(read->source, member->from, member->to),
                            "%s has no key %Q", of, key);
    read->failed = true;
    if (!diag_suggest(read->diags, diag, key, known, n) && n <= 12) {
        Buf buf;
        buf_init(&buf, read->arena);
        for (size_t i = 0; i < n; i++)
            buf_format(&buf, "%s%S", i ? ", " : "", known[i]);
        diag_hint(read->diags, diag, "it has: %S", buf_str(&buf));
    }
}

/* ---- the keys of the file. What is only handed on to templates and to those who run compilers is checked for its
 * kind. */

typedef struct BackendKey {
    Str key;
    JsonKind kind;
    bool words; /* an array of strings */
} BackendKey;

static const BackendKey keys[] = {
    {{"name", 4}, JSON_STRING, false},         {{"doc", 3}, JSON_STRING, false},
    {{"parent", 6}, JSON_STRING, false},       {{"ext", 3}, JSON_STRING, false},
    {{"prefix", 6}, JSON_STRING, false},       {{"headers", 7}, JSON_ARRAY, true},
    {{"used_headers", 12}, JSON_ARRAY, true}, /* of its folder: included by what uses a name of theirs */
    {{"compiler", 8}, JSON_OBJECT, false},     {{"types", 5}, JSON_OBJECT, false},
    {{"functions", 9}, JSON_OBJECT, false},    {{"intrinsics", 10}, JSON_OBJECT, false},
    {{"arch", 4}, JSON_OBJECT, false},         {{"limits", 6}, JSON_OBJECT, false},
    {{"libraries", 9}, JSON_ARRAY, true},      {{"warp_sizes", 10}, JSON_ARRAY, false},
    {{"lookups_check", 13}, JSON_BOOL, false}, /* functions that look elements up may check where (group_nodes) */
    {{"call", 4}, JSON_OBJECT, false},         /* what every function gets beside its own: see call_keys */
    {{"runtime", 7}, JSON_STRING, false}, /* the template of what it adds to the runtime: opgen_NAME with its "ext" */
    {{"device", 6}, JSON_OBJECT, false},  /* what runs it, and how that is found */
    {{"profile", 7}, JSON_OBJECT, false}, /* of profile.json alone: see profile_keys */
};
static const BackendKey profile_keys[] = {
    {{"files", 5}, JSON_OBJECT, false},  /* template of templates/model: file, "{name}.h" */
    {{"single", 6}, JSON_OBJECT, false}, /* the same where all sources are one file; left out: that cannot be */
    {{"runtime", 7}, JSON_ARRAY, true},  /* files of the runtime that are copied */
    {{"fold", 4}, JSON_STRING, false},   /* the template of a program that computes constants while generating */
};
static const BackendKey call_keys[] = {
    {{"params", 6}, JSON_ARRAY, true}, /* "int threads" */
    {{"args", 4}, JSON_ARRAY, true},   /* "run->threads", one each */
    {{"fault", 5}, JSON_ARRAY, true},  /* of functions that may fail alone: "int64_t *fault", "run->fault" */
};
static const BackendKey compiler_keys[] = {
    {{"command", 7}, JSON_STRING, false},  /* what is run */
    {{"variable", 8}, JSON_STRING, false}, /* the environment variable that says otherwise */
    {{"flags", 5}, JSON_ARRAY, true},      /* for each source */
    {{"warnings", 8}, JSON_ARRAY, true},   /* that generated sources are clean under */
    {{"shared", 6}, JSON_ARRAY, true},     /* for code and linking of a shared library */
    {{"reference", 9}, JSON_ARRAY, true},  /* besides, for what other libraries are compared with: no vectors */
    {{"constant", 8}, JSON_ARRAY, true},   /* for a program that computes constants: to the same bits everywhere */
    {{"libraries", 9}, JSON_ARRAY, true},  /* at the end of linking */
    {{"threads", 7}, JSON_ARRAY, true},    /* where threads are asked for */
    {{"arch", 4}, JSON_STRING, false},     /* the flag for an architecture, {0}; {1}: without "arch"."prefix" */
    {{"places", 6}, JSON_ARRAY, true},     /* folders where it is when it is not in PATH */
    {{"cmake", 5}, JSON_STRING, false},    /* the language that it compiles, as CMake says it */
    {{"response", 8}, JSON_STRING, false}, /* before a file of arguments, where that is not "@" */
    {{"archs", 5}, JSON_STRING, false},    /* the flag besides where there are several, {0} of them */
    {{"host", 4}, JSON_ARRAY, true},       /* the flags besides for the driver, which has no kernels */
    {{"group", 5}, JSON_INT, false},       /* so many bytes of functions are one source, about */
};

static void check_keys(BackendRead *read, const Json *object, const char *of, const BackendKey *known, size_t n) {
    for (uint32_t i = 0; i < object->as.object.n; i++) {
        const JsonMember *member = &object->as.object.members[i];
        Str key = name_str(member->key);
        const BackendKey *found = NULL;
        for (size_t k = 0; k < n && found == NULL; k++)
            if (str_eq(known[k].key, key)) found = &known[k];
        if (found == NULL) {
            Str *names = ARENA_ARRAY(read->arena, Str, n);
            for (size_t k = 0; k < n; k++)
                names[k] = known[k].key;
            backend_unknown(read, member, of, names, n);
            continue;
        }
        if (str_eq(key, S("parent")) && member->value.kind == JSON_NULL) continue;
        if (!backend_want(read, &member->value, found->kind, key) || !found->words) continue;
        for (uint32_t k = 0; k < member->value.as.array.n; k++)
            if (member->value.as.array.items[k].kind != JSON_STRING)
                backend_error(read, &member->value.as.array.items[k], E_JSON_TYPE,
                              "%Q is an array of strings, but this is %s", key,
                              json_kind_name(member->value.as.array.items[k].kind));
    }
}

static Str text_of(const Json *object, Str key) {
    const Json *value = json_get(object, key);
    return value != NULL && value->kind == JSON_STRING ? value->as.s : S("");
}

/* ---- the file */

static bool is_folder_name(Str name) {
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
              (c == '-' && i > 0)))
            return false;
    }
    return name.n > 0;
}

static Str path_of(const BackendRead *read, Str root, Str name) {
    return str_format(read->arena, "%S/%S/%s.json", root, name, read->what);
}

static bool exists(Arena *arena, Str path) { return access(str_to_c(arena, path), F_OK) == 0; }

/* The folders of a root, as far as `room` bytes reach, each with a NUL; returns how many bytes all of them take. */
static size_t folders(const char *root, char *to, size_t room) {
    DIR *dir = opendir(root);
    if (dir == NULL) return 0;
    size_t used = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        size_t n = strlen(entry->d_name) + 1;
        if (used + n <= room) memcpy(to + used, entry->d_name, n);
        used += n;
    }
    closedir(dir);
    return used;
}

static void no_backend(BackendRead *read, const Str *roots, size_t n, Str name, Span from) {
    Arena *arena = read->arena;
    Diag *diag = diag_error(read->diags, E_UNKNOWN_NAME, from, "there is no %s %Q", read->what, name);
    if (!is_folder_name(name)) {
        diag_hint(read->diags, diag, "a %s is named by letters, digits and \"_\", as its folder is", read->what);
        return;
    }
    VEC(Str) known = {NULL, 0, 0};
    for (size_t i = 0; i < n; i++) {
        const char *root = str_to_c(arena, roots[i]);
        size_t room = folders(root, NULL, 0);
        if (room == 0) continue;
        char *text = arena_zalloc(arena, room);
        folders(root, text, room);
        for (size_t at = 0; at < room && text[at] != '\0'; at += strlen(text + at) + 1) {
            Str folder = str_c(text + at);
            if (is_folder_name(folder) && exists(arena, path_of(read, roots[i], folder)))
                *VEC_PUSH(arena, &known) = folder;
        }
    }
    if (diag_suggest(read->diags, diag, name, known.items, known.n)) return;
    Buf buf;
    buf_init(&buf, arena);
    for (size_t i = 0; i < n; i++)
        buf_format(&buf, "%s%S", i ? ", " : "", path_of(read, roots[i], name));
    diag_hint(read->diags, diag, "looked for %S", buf_str(&buf));
}

/* One file, without its parent's. */
static bool read_file(BackendRead *read, const Str *roots, size_t n, Str name, Span from) {
    Str path = S("");
    for (size_t i = 0; i < n && path.n == 0 && is_folder_name(name); i++)
        if (exists(read->arena, path_of(read, roots[i], name))) path = path_of(read, roots[i], name);
    if (path.n == 0) {
        no_backend(read, roots, n, name, from);
        return false;
    }
    read->source = file_read_text(read->arena, path, from, read->diags);
    if (read->source == NULL) return false;
    Json *json = json_parse(read->arena, read->names, read->source, read->diags);
    if (json == NULL) return false;
    Backend *backend = ARENA_NEW(read->arena, Backend);
    read->backend = backend;
    backend->name = names_get(read->names, name);
    backend->names = read->names;
    backend->source = read->source;
    backend->json = json;
    map_init(&backend->functions, read->arena);
    if (json->kind != JSON_OBJECT) {
        backend_error(read, json, E_JSON_TYPE, "a backend is an object, but this is %s", json_kind_name(json->kind));
        return false;
    }
    check_keys(read, json, "a backend", keys, sizeof keys / sizeof keys[0]);
    const Json *own = json_get(json, S("name"));
    if (own == NULL)
        backend_error(read, json, E_MISSING, "a backend needs a \"name\", that of its folder: %Q", name);
    else if (own->kind == JSON_STRING && !str_eq(own->as.s, name))
        backend_error(read, own, E_BAD_NAME, "this backend lies in the folder %Q; that is its name", name);
    const Json *compiler = json_get(json, S("compiler"));
    if (compiler != NULL && compiler->kind == JSON_OBJECT)
        check_keys(read, compiler, "\"compiler\"", compiler_keys, sizeof compiler_keys / sizeof compiler_keys[0]);
    const Json *call = json_get(json, S("call"));
    if (call != NULL && call->kind == JSON_OBJECT)
        check_keys(read, call, "\"call\"", call_keys, sizeof call_keys / sizeof call_keys[0]);
    const Json *profile = json_get(json, S("profile"));
    if (profile != NULL && profile->kind == JSON_OBJECT)
        check_keys(read, profile, "\"profile\"", profile_keys, sizeof profile_keys / sizeof profile_keys[0]);
    return true;
}

/* What the parent has and the child does not say. */
static void inherit(BackendRead *read, Backend *backend, const Backend *parent) {
    backend->parent = parent;
    backend->ext = text_of(backend->json, S("ext"));
    backend->doc = text_of(backend->json, S("doc"));
    if (parent == NULL) return;
    if (backend->ext.n == 0) backend->ext = parent->ext;
    memcpy(backend->types, parent->types, sizeof backend->types);
    for (uint32_t i = 0; i < parent->functions.n; i++) {
        const MapEntry *entry = &parent->functions.entries[i];
        map_set(&backend->functions, entry->key, arena_copy(read->arena, entry->value, sizeof(BackendFunction)));
    }
}

static void check_whole(BackendRead *read, const Backend *backend) {
    if (backend->ext.n == 0)
        backend_error(read, backend->json, E_MISSING,
                      "a backend needs an \"ext\", the end of its sources' names: \".c\"");
    else if (backend->ext.p[0] != '.' || str_find_char(backend->ext, '/') != STR_NONE)
        backend_error(read, json_get(backend->json, S("ext")) ? json_get(backend->json, S("ext")) : backend->json,
                      E_BAD_VALUE, "%Q is no end of a file's name; it begins with a point: \".c\"", backend->ext);
}

/* read->what: which file the first one is read from; its parents are backends. */
static Backend *read_chain(BackendRead read, const Str *roots, size_t n, Str name, Span from) {
    Arena *arena = read.arena;
    Backend *chain[MOST_PARENTS];
    bool failed = false;
    uint32_t count = 0;
    for (;;) {
        if (!read_file(&read, roots, n, name, from)) return NULL;
        failed = failed || read.failed;
        chain[count++] = read.backend;
        read.what = "backend";
        const Json *parent = json_get(read.backend->json, S("parent"));
        if (parent == NULL || parent->kind != JSON_STRING) break;
        name = parent->as.s;
        from = span(read.source, parent->from, parent->to);
        for (uint32_t i = 0; i < count; i++)
            if (str_eq(name_str(chain[i]->name), name)) {
                backend_error(&read, parent, E_CYCLE, "the backend %Q is made a parent of itself", name);
                return NULL;
            }
        if (count == MOST_PARENTS) {
            backend_error(&read, parent, E_CYCLE, "a backend has more than %d parents", MOST_PARENTS - 1);
            return NULL;
        }
    }
    /* The eldest first: each begins with its parent's tables. */
    for (uint32_t i = count; i-- > 0;) {
        Backend *backend = chain[i];
        read.backend = backend;
        read.source = backend->source;
        inherit(&read, backend, i + 1 < count ? chain[i + 1] : NULL);
        const Json *types = json_get(backend->json, S("types")), *functions = json_get(backend->json, S("functions"));
        if (types != NULL && types->kind == JSON_OBJECT) backend_read_types(&read, types);
        if (functions != NULL && functions->kind == JSON_OBJECT) backend_read_functions(&read, functions);
    }
    check_whole(&read, chain[0]);
    if (failed || read.failed) return NULL;
    Backend *backend = chain[0];
    backend->function_count = backend->functions.n;
    backend->function_names = ARENA_ARRAY(arena, Str, backend->functions.n);
    for (uint32_t i = 0; i < backend->functions.n; i++)
        backend->function_names[i] = name_str(backend->functions.entries[i].key);
    return backend;
}

const Backend *backend_read(Arena *arena, Names *names, const Str *roots, size_t n, Str name, Span from, Diags *diags) {
    return read_chain((BackendRead){.arena = arena, .names = names, .diags = diags, .what = "backend"}, roots, n, name,
                      from);
}

const Backend *backend_read_profile(Arena *arena, Names *names, const Str *roots, size_t n, Str name, Str of, Span from,
                                    Diags *diags) {
    BackendRead read = {.arena = arena, .names = names, .diags = diags, .what = "profile"};
    const Backend *backend = read_chain(read, roots, n, name, from);
    if (backend == NULL) return NULL;
    read.source = backend->source;
    if (json_get(backend->json, S("profile")) == NULL) {
        backend_error(&read, backend->json, E_MISSING, "a profile needs a \"profile\": what is generated for it");
        return NULL;
    }
    const Backend *at = backend->parent;
    while (at != NULL && !str_eq(name_str(at->name), of))
        at = at->parent;
    if (at != NULL || of.n == 0) return backend;
    Diag *diag = diag_error(diags, E_USAGE, from, "the profile %Q is not one of the backend %Q", name, of);
    if (backend->parent != NULL) diag_hint(diags, diag, "it is one of %S", name_str(backend->parent->name));
    return NULL;
}

/* ---- asking it */

const Json *backend_get(const Backend *backend, Str key) {
    for (; backend != NULL; backend = backend->parent) {
        const Json *value = json_get(backend->json, key);
        if (value != NULL) return value;
    }
    return NULL;
}

const Json *backend_compiler(const Backend *backend, Str key) {
    for (; backend != NULL; backend = backend->parent) {
        const Json *compiler = json_get(backend->json, S("compiler"));
        const Json *value = compiler != NULL ? json_get(compiler, key) : NULL;
        if (value != NULL) return value;
    }
    return NULL;
}

bool backend_lookups_check(const Backend *backend) {
    const Json *said = backend_get(backend, S("lookups_check"));
    return said != NULL && said->as.b;
}

bool backend_function(void *user, Str name, Dtype type, LowerFunction *out) {
    const Backend *backend = user;
    Name key = names_find(backend->names, name);
    const BackendFunction *function = key != NULL ? map_get(&backend->functions, key) : NULL;
    if (function == NULL || !(function->has >> type & 1)) return false;
    *out = function->by[type];
    return true;
}

void backend_lower(const Backend *backend, Lower *lower) {
    lower->function = backend_function;
    lower->user = (void *)(uintptr_t)backend; /* only read */
    lower->functions = backend->function_names;
    lower->function_count = backend->function_count;
}

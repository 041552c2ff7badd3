/* arch.c: --arch against what a backend knows.
 *
 * A backend whose compiler names what it compiles for lists these names ("arch" of its backend.json: known, default,
 * their prefix, and the program that prints what devices there are). They are looked at before anything is generated,
 * for operators may be for some of them alone. For others the text is the compiler's to understand.
 */
#include "command/arch.h"

#include "command/child.h"

enum { WAIT_MS = 20000 };

static const Span nowhere = {NULL, 0, 0};

static Str text_of(const Json *json) { return json != NULL && json->kind == JSON_STRING ? json->as.s : S(""); }

static bool is_array(const Json *json) { return json != NULL && json->kind == JSON_ARRAY; }

static void add(Models *models, Str name) {
    for (uint32_t i = 0; i < models->archs.n; i++)
        if (str_eq(models->archs.items[i], name)) return;
    *VEC_PUSH(models->command->arena, &models->archs) = name;
}

static bool is_known(const Json *known, Str name) {
    for (uint32_t i = 0; is_array(known) && i < known->as.array.n; i++)
        if (str_eq(text_of(&known->as.array.items[i]), name)) return true;
    return !is_array(known);
}

/* "9.0" and "sm_90" are sm_90. */
static Str name_of(Arena *arena, Str line, Str prefix) {
    Buf out;
    buf_init(&out, arena);
    line = str_trim(line);
    if (str_starts(line, prefix)) line = str_sub(line, prefix.n, line.n);
    buf_add(&out, prefix);
    for (size_t i = 0; i < line.n && line.p[i] != ' ' && line.p[i] != ':'; i++)
        if (line.p[i] != '.') buf_char(&out, line.p[i]);
    return buf_str(&out);
}

static bool add_native(Models *models, const Json *arch, Str backend) {
    Command *command = models->command;
    Arena *arena = command->arena;
    const Json *program = json_get(arch, S("native"));
    VEC(const char *) arguments = {0};
    for (uint32_t i = 0; is_array(program) && i < program->as.array.n; i++)
        *VEC_PUSH(arena, &arguments) = str_to_c(arena, text_of(&program->as.array.items[i]));
    uint32_t before = models->archs.n;
    if (arguments.n > 0) {
        *VEC_PUSH(arena, &arguments) = NULL;
        ChildEnd end = child_run(arena, &(Child){.arguments = arguments.items, .wait_ms = WAIT_MS});
        Str rest = end.error == 0 && end.status == 0 ? end.output : S("");
        while (rest.n > 0) {
            size_t line = str_find_char(rest, '\n');
            Str name =
                name_of(arena, line == STR_NONE ? rest : str_sub(rest, 0, line), text_of(json_get(arch, S("prefix"))));
            rest = line == STR_NONE ? S("") : str_sub(rest, line + 1, rest.n);
            if (is_known(json_get(arch, S("known")), name)) add(models, name);
        }
    }
    if (models->archs.n > before) return true;
    Diag *diag = diag_error(&command->diags, E_USAGE, nowhere,
                            "--arch native: there is no device of the backend %Q here", backend);
    if (arguments.n > 0) diag_hint(&command->diags, diag, "%s names none that is known", arguments.items[0]);
    return false;
}

static bool add_given(Models *models, const Json *arch, Str name, Str backend) {
    Command *command = models->command;
    const Json *known = json_get(arch, S("known"));
    if (is_known(known, name)) {
        add(models, name);
        return true;
    }
    Str *names = ARENA_ARRAY(command->arena, Str, known->as.array.n + 1);
    Buf all;
    buf_init(&all, command->arena);
    for (uint32_t i = 0; i < known->as.array.n; i++) {
        names[i] = text_of(&known->as.array.items[i]);
        buf_format(&all, i == 0 ? "%S" : " %S", names[i]);
    }
    Diag *diag = diag_error(&command->diags, E_USAGE, nowhere, "--arch: the backend %Q knows no %Q", backend, name);
    diag_suggest(&command->diags, diag, name, names, known->as.array.n);
    diag_hint(&command->diags, diag, "it knows: %S, and native for what is here", buf_str(&all));
    return false;
}

bool arch_choose(Models *models, Str name) {
    Command *command = models->command;
    const OptionValue *given = &command->options.values[OPT_ARCH];
    models->archs.n = 0;
    const Backend *backend = backend_read(command->arena, &models->names, models->roots.items, models->roots.n, name,
                                          nowhere, &command->diags);
    if (backend == NULL) return false;
    const Json *arch = backend_get(backend, S("arch"));
    if (arch == NULL || arch->kind != JSON_OBJECT) return true;
    const Json *initial = json_get(arch, S("default"));
    for (uint32_t i = 0; !given->given && is_array(initial) && i < initial->as.array.n; i++)
        add(models, text_of(&initial->as.array.items[i]));
    bool good = true;
    for (Str rest = given->given ? given->text : S(""); rest.n > 0;) {
        size_t comma = str_find_char(rest, ',');
        Str one = str_trim(comma == STR_NONE ? rest : str_sub(rest, 0, comma));
        rest = comma == STR_NONE ? S("") : str_sub(rest, comma + 1, rest.n);
        if (one.n == 0) continue;
        good = (str_eq(one, S("native")) ? add_native(models, arch, name) : add_given(models, arch, one, name)) && good;
    }
    return good;
}

Str arch_text(const Models *models) {
    if (models->archs.n == 0) return models->command->options.values[OPT_ARCH].text;
    Buf out;
    buf_init(&out, models->command->arena);
    for (uint32_t i = 0; i < models->archs.n; i++)
        buf_format(&out, i == 0 ? "%S" : ",%S", models->archs.items[i]);
    return buf_str(&out);
}

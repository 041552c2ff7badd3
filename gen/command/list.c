/* list.c: `opgen list`, what operators, backends, profiles, templates and kernels there are. */
#include "command/rows.h"

#include "base/folder.h"
#include "op/backend.h"
#include "pass/pass.h"

/* ---- operators */

/* "x, weight, bias?, tensors..." */
static Str inputs_of(Arena *arena, const OpDef *op) {
    Buf out;
    buf_init(&out, arena);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const OpInput *input = &op->inputs.items[i];
        buf_format(&out, i == 0 ? "%S%s%s" : ", %S%s%s", name_str(input->name), input->list ? "..." : "",
                   input->optional ? "?" : "");
    }
    return buf_str(&out);
}

static void list_operators(Command *command) {
    static const char *const titles[] = {"name", "kind", "inputs", "doc"};
    Names names;
    OpTable table;
    names_init(&names, command->arena);
    if (!command_operators(command, &names, &table, true)) return;
    Rows rows = {0};
    for (uint32_t i = 0; i < table.ops.n; i++) {
        const OpDef *op = table.ops.entries[i].value;
        Str doc = op->base == NULL ? op->doc : str_format(command->arena, "%S, in place", name_str(op->base->name));
        *VEC_PUSH(command->arena, &rows) =
            (Row){{name_str(op->name), str_c(op_kind_name(op->kind)), inputs_of(command->arena, op), doc}};
    }
    rows_sort(command->arena, &rows);
    rows_print(command, &rows, 4, titles);
}

/* ---- templates */

enum { TEMPLATE_DEPTH = 4 };

static void add_templates(Command *command, Str root, Str below, unsigned depth, Rows *rows) {
    FolderEntries entries = {0};
    Str folder = path_join(command->arena, root, below);
    if (below.n == 0) folder = root;
    if (!folder_list(command->arena, folder, span(NULL, 0, 0), &command->diags, &entries)) return;
    for (uint32_t i = 0; i < entries.n; i++) {
        Str name = entries.items[i].name, path = path_join(command->arena, below, name);
        if (entries.items[i].is_folder && depth > 1) {
            add_templates(command, root, path, depth - 1, rows);
        } else if (!entries.items[i].is_folder && str_ends(name, S(".j2"))) {
            size_t slash = str_find_char(path, '/');
            Str backend = slash == STR_NONE ? S("") : str_sub(path, 0, slash);
            Str stem = str_sub(path, slash == STR_NONE ? 0 : slash + 1, path.n - (sizeof ".j2" - 1));
            *VEC_PUSH(command->arena, rows) = (Row){{stem, backend, path_join(command->arena, root, path), S("")}};
        }
    }
}

static void list_templates(Command *command) {
    static const char *const titles[] = {"name", "backend", "path"};
    Rows rows = {0};
    Folders roots = {0};
    command_roots(command, &roots);
    for (uint32_t i = 0; i < roots.n; i++)
        add_templates(command, roots.items[i], S(""), TEMPLATE_DEPTH, &rows);
    if (command->diags.errors > 0) return;
    rows_sort(command->arena, &rows);
    rows_print(command, &rows, 3, titles);
}

/* ---- backends */

static Str text_of(const Json *json) { return json != NULL && json->kind == JSON_STRING ? json->as.s : S(""); }

typedef VEC(const Backend *) Backends;

/* Those that can be read; what is wrong with others is told. */
static void read_backends(Command *command, Names *names, Backends *backends) {
    Folders roots = {0}, found = {0};
    command_roots(command, &roots);
    command_backends(command, &roots, &found);
    for (uint32_t i = 0; i < found.n; i++) {
        const Backend *backend = backend_read(command->arena, names, roots.items, roots.n, found.items[i],
                                              span(NULL, 0, 0), &command->diags);
        if (backend != NULL) *VEC_PUSH(command->arena, backends) = backend;
    }
}

static void list_backends(Command *command) {
    static const char *const titles[] = {"name", "parent", "ext", "compiler", "doc"};
    Names names;
    Backends backends = {0};
    Rows rows = {0};
    names_init(&names, command->arena);
    read_backends(command, &names, &backends);
    for (uint32_t i = 0; i < backends.n; i++) {
        const Backend *backend = backends.items[i];
        Str parent = backend->parent == NULL ? S("-") : name_str(backend->parent->name);
        Str compiler = text_of(backend_compiler(backend, S("command")));
        *VEC_PUSH(command->arena, &rows) =
            (Row){{name_str(backend->name), parent, backend->ext, compiler.n == 0 ? S("-") : compiler, backend->doc}};
    }
    if (command->diags.errors == 0) rows_print(command, &rows, 5, titles);
}

static void list_profiles(Command *command) {
    static const char *const titles[] = {"name", "backend", "doc"};
    Names names;
    Folders roots = {0}, found = {0};
    Rows rows = {0};
    names_init(&names, command->arena);
    command_roots(command, &roots);
    command_profiles(command, &roots, &found);
    for (uint32_t i = 0; i < found.n; i++) {
        const Backend *profile = backend_read_profile(command->arena, &names, roots.items, roots.n, found.items[i],
                                                      S(""), span(NULL, 0, 0), &command->diags);
        if (profile == NULL) continue;
        Str backend = profile->parent == NULL ? S("-") : name_str(profile->parent->name);
        *VEC_PUSH(command->arena, &rows) = (Row){{name_str(profile->name), backend, profile->doc, S("")}};
    }
    if (command->diags.errors == 0) rows_print(command, &rows, 3, titles);
}

/* ---- kernels */

typedef struct Kernel {
    Buf operators;
    bool any;
} Kernel;

static Kernel *kernel_get(Command *command, Map *kernels, Name name) {
    Kernel *kernel = map_get(kernels, name);
    if (kernel != NULL) return kernel;
    kernel = ARENA_NEW(command->arena, Kernel);
    buf_init(&kernel->operators, command->arena);
    map_set(kernels, name, kernel);
    return kernel;
}

/* The backends that have a template of this name, their own or a parent's. */
static Str backends_of(Command *command, const Folders *roots, const Backends *backends, Str name) {
    Arena *arena = command->arena;
    Buf out;
    buf_init(&out, arena);
    for (uint32_t i = 0; i < backends->n; i++) {
        const Backend *backend = backends->items[i];
        bool has = false;
        for (const Backend *at = backend; at != NULL && !has; at = at->parent) {
            for (uint32_t k = 0; k < roots->n && !has; k++)
                has = file_exists(
                    arena, str_format(arena, "%S/%S/%S%S.j2", roots->items[k], name_str(at->name), name, backend->ext));
        }
        if (has) buf_format(&out, out.n > 0 ? ", %S" : "%S", name_str(backend->name));
    }
    return out.n > 0 ? buf_str(&out) : S("none");
}

static void list_kernels(Command *command) {
    static const char *const titles[] = {"name", "backends", "operators"};
    Names names;
    OpTable table;
    Map kernels;
    Backends backends = {0};
    Folders roots = {0};
    Rows rows = {0};
    names_init(&names, command->arena);
    map_init(&kernels, command->arena);
    if (!command_operators(command, &names, &table, true)) return;
    read_backends(command, &names, &backends);
    command_roots(command, &roots);
    for (uint32_t i = 0; i < table.ops.n; i++) {
        const OpDef *op = table.ops.entries[i].value;
        if (op->kind != KIND_KERNEL || op->kernel == NULL) continue;
        for (uint32_t k = 0; k <= op->candidates.n; k++) {
            Kernel *kernel = kernel_get(command, &kernels, k == 0 ? op->kernel : op->candidates.items[k - 1]);
            if (kernel->any) buf_add(&kernel->operators, S(", "));
            buf_format(&kernel->operators, k == 0 ? "%S" : "%S (--use)", name_str(op->name));
            kernel->any = true;
        }
    }
    /* What maps and reductions are made with has its name from the kind. */
    for (OpKind kind = KIND_MAP; kind <= KIND_REDUCE; kind++) {
        if (kind == KIND_VIEW) continue;
        Kernel *kernel = kernel_get(command, &kernels, names_get(&names, str_c(op_kind_name(kind))));
        buf_format(&kernel->operators, "%severy %s", kernel->any ? ", " : "", op_kind_name(kind));
    }
    for (uint32_t i = 0; i < kernels.n; i++) {
        Str name = name_str(kernels.entries[i].key);
        const Kernel *kernel = kernels.entries[i].value;
        *VEC_PUSH(command->arena, &rows) =
            (Row){{name, backends_of(command, &roots, &backends, name), buf_str(&kernel->operators)}};
    }
    if (command->diags.errors > 0) return;
    rows_sort(command->arena, &rows);
    rows_print(command, &rows, 3, titles);
}

static void list_passes(Command *command) {
    static const char *const titles[] = {"name", "what it does"};
    Rows rows = {0};
    for (PassId id = 0; id < PASS_COUNT; id++)
        *VEC_PUSH(command->arena, &rows) = (Row){{str_c(passes[id].name), str_c(passes[id].doc)}};
    rows_print(command, &rows, 2, titles);
}

void command_list(Command *command) {
    static void (*const lists[])(Command *) = {list_operators, list_backends, list_profiles,
                                               list_templates, list_kernels,  list_passes};
    const char *what = command_rows[CMD_LIST].operands[0].values;
    uint32_t i = 0;
    while (!str_eq(option_choice(what, i), command->options.operands[0]))
        i++;
    lists[i](command);
}

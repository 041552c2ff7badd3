/* driver_case.h: a model as a folder of sources, and that as a library; for the tests of drivers. */
#ifndef OPGEN_TESTS_DRIVER_CASE_H
#define OPGEN_TESTS_DRIVER_CASE_H

#include "emit/emit.h"

#include <opgen_model.h>

#include <setjmp.h>
#include <stdarg.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct World {
    Arena arena;
    Diags diags;
    Names names;
    OpTable ops;
    EmitOptions options;
    EmitResult result;
    Str roots[2];
    char folder[200];
    void *library;
} World;

static inline Str world_findings(World *world) {
    Buf out;
    buf_init(&out, &world->arena);
    diags_render(&world->diags, DIAG_TEXT, false, &out);
    buf_char(&out, '\0');
    return buf_str(&out);
}

static inline void world_init(World *world) {
    memset(world, 0, sizeof *world);
    /* What the make around the tests says is not for those that are called here. */
    static const char *const of_make[] = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CFLAGS", "CPPFLAGS", "LDFLAGS"};
    for (size_t i = 0; i < sizeof of_make / sizeof *of_make; i++)
        unsetenv(of_make[i]);
    arena_init(&world->arena);
    diags_init(&world->diags, &world->arena);
    names_init(&world->names, &world->arena);
    optable_init(&world->ops, &world->arena, &world->names);
    assert_true(optable_read_folder(&world->ops, S("opdefs"), &world->diags));
    optable_layer(&world->ops);
    Source *more = file_read_text(&world->arena, S("tests/emit/driver_ops.json"), span(NULL, 0, 0), &world->diags);
    if (more == NULL || !optable_read(&world->ops, more, &world->diags)) fail_msg("%s", world_findings(world).p);
    world->roots[0] = S("tests/emit/plain");
    world->roots[1] = S("templates");
    world->options = (EmitOptions){.roots = world->roots,
                                   .root_count = 2,
                                   .runtime = S("runtime"),
                                   .backend = S("cpu"),
                                   .version = S("0.0.0"),
                                   .model_name = S("model.json")};
    const char *top = getenv("TMPDIR");
    /* The same name each time, if it is free: objects with debug information have it in them. */
    static int number;
    if (top == NULL || strlen(top) > 150) top = "/tmp";
    snprintf(world->folder, sizeof world->folder, "%s/world-%d", top, number++);
    if (mkdir(world->folder, 0700) == 0) return;
    snprintf(world->folder, sizeof world->folder, "%s/opgen-XXXXXX", top);
    assert_non_null(mkdtemp(world->folder));
}

static inline void world_shell(World *world, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str command = str_vformat(&world->arena, format, args);
    va_end(args);
    Str whole = str_format(&world->arena, "(%S) >%s/log 2>&1 || { cat %s/log; exit 1; }", command, world->folder,
                           world->folder);
    if (system(str_to_c(&world->arena, whole)) != 0) fail_msg("failed: %.*s", STR_ARG(command));
}

static inline void world_free(World *world) {
    char command[250];
    if (world->library != NULL) dlclose(world->library);
    snprintf(command, sizeof command, "rm -rf '%s'", world->folder);
    assert_int_equal(system(command), 0);
    arena_free(&world->arena);
}

/* Texts of JSON in tests have ' for ". */
static inline Str world_quotes(World *world, Str text) {
    char *made = arena_copy(&world->arena, text.p, text.n);
    for (size_t i = 0; i < text.n; i++)
        if (made[i] == '\'') made[i] = '"';
    return str(made, text.n);
}

static inline Graph *world_read(World *world, Str model) {
    model = world_quotes(world, model);
    Graph *graph = graph_read(&world->arena, &world->names, &world->ops,
                              source_new(&world->arena, S("model.json"), model), &world->diags);
    if (graph == NULL) fail_msg("%s\n%.*s", world_findings(world).p, STR_ARG(model));
    return graph;
}

static inline void world_write(World *world) {
    size_t written;
    Str folder = str_format(&world->arena, "%s/out", world->folder);
    if (!fileset_write(&world->result.set, folder, &world->diags, &written)) fail_msg("%s", world_findings(world).p);
}

static inline Str world_file(World *world, const char *name) {
    for (uint32_t i = 0; i < world->result.set.files.n; i++)
        if (str_eq(world->result.set.files.items[i].path, str_c(name))) return world->result.set.files.items[i].bytes;
    fail_msg("there is no %s", name);
    return S("");
}

static inline void world_emit(World *world, Graph *graph) {
    if (!emit_model(&world->arena, graph, &world->options, &world->result)) fail_msg("%s", world_findings(world).p);
    world_write(world);
}

/* The driver and functions alone, without the runtime: quick to compile, not compiled again where nothing changed, and
 * called by the test itself. */
#define WORLD_SANITIZE "-fsanitize=address,undefined -fno-sanitize-recover=undefined"
static inline const OpgenModel *world_load_as(World *world, const char *name, const char *flags) {
    const char *cc = getenv("CC");
    world_shell(world,
                "cd %s/out && %s -std=c11 -O0 -g -Wall -Wextra -Wconversion -Wshadow "
                "-Wpedantic -Werror -Wno-overlength-strings %s "
                "-fPIC -shared -o ../lib.so %s.c "
                "$(ls k_*.c %s_weights_*.c 2>/dev/null) -lm",
                world->folder, cc != NULL ? cc : "cc", flags, name, name);
    world->library = dlopen(str_to_c(&world->arena, str_format(&world->arena, "%s/lib.so", world->folder)), RTLD_NOW);
    if (world->library == NULL) fail_msg("%s", dlerror());
    const OpgenModel *model =
        dlsym(world->library, str_to_c(&world->arena, str_format(&world->arena, "%s_model", name)));
    assert_non_null(model);
    return model;
}

static inline const OpgenModel *world_load(World *world, const char *name) {
    return world_load_as(world, name, WORLD_SANITIZE);
}

/* Memory of the very size, filled with what no result may come from. */
static inline void *world_memory(int64_t bytes) {
    void *memory = NULL;
    assert_true(bytes >= 0);
    assert_int_equal(posix_memalign(&memory, 64, (size_t)bytes + (bytes == 0)), 0);
    memset(memory, 0xff, (size_t)bytes);
    return memory;
}

/* What the model computes once for these params; for free. */
static inline void *world_fold(const OpgenModel *model, const void *const *params) {
    void *folded = world_memory(model->folded_bytes), *arena = world_memory(model->fold_arena_bytes);
    OpgenRun run = {.params = params, .arena = arena, .folded = folded, .threads = 1};
    if (model->fold != NULL) assert_int_equal(model->fold(&run), 0);
    free(arena);
    return folded;
}

/* One run, after fold. */
static inline void world_run(const OpgenModel *model, const void *const *inputs, const void *const *params,
                             void *const *outputs, const int64_t *dims) {
    int64_t *values = calloc((size_t)model->value_count + 1, sizeof *values);
    int64_t bytes = model->prepare(dims, values);
    assert_true(bytes >= 0 && bytes % 64 == 0);
    void *arena = world_memory(bytes), *folded = world_fold(model, params);
    OpgenRun run = {.inputs = inputs,
                    .params = params,
                    .outputs = outputs,
                    .arena = arena,
                    .folded = folded,
                    .dims = dims,
                    .values = values,
                    .threads = 1};
    assert_int_equal(model->run(&run), 0);
    free(arena);
    free(folded);
    free(values);
}

#endif

/* test_driver_build: a generated folder as others use it: with make, with CMake, in a Makefile of their own, moved
 * elsewhere; its header from C and from C++; its library linked and opened, alone and with another model's. */
#include "driver_case.h"

static const char gate[] =
    "{'opgen': 1, 'name': 'gate', 'dims': {'batch': {'min': 0, 'max': 64}}, 'inputs': {'x': {'dtype': 'f32', 'shape': "
    "['batch', 3]}, 'inputs': {'dtype': 'f32', 'shape': ['batch', 3]}}, 'params': {'w': {'dtype': 'f32', 'shape': "
    "[3]}}, "
    "'weights': 'gate.safetensors', 'nodes': [{'op': 'add', 'in': ['x', 'w'], 'out': 'a'}, {'op': 'twice', 'in': 'a', "
    "'out': 'b'}, {'op': 'mul', 'in': ['b', 'inputs'], 'out': 'y'}], 'outputs': ['y']}";
static const char other[] =
    "{'opgen': 1, 'name': 'other', 'inputs': {'x': {'dtype': 'f32', 'shape': [3]}, 's': {'dtype': 'f32', 'shape': "
    "[]}}, "
    "'nodes': [{'op': 'twice', 'in': 'x', 'out': 'a'}, {'op': 'add', 'in': ['a', 's'], 'out': 'y'}], 'outputs': ['y']}";

/* C11 and C++17 alike. */
static const char program[] =
    "#include \"gate.h\"\n"
    "#ifdef WITH_OTHER\n#include \"other.h\"\n#endif\n"
    "#include <stdio.h>\n"
    "#define MUST(what) do { if (!(what)) { printf(\"line %d: %s\\n\", __LINE__, opgen_last_error()); return 1; } } "
    "while (0)\n"
    "int main(int count, char **args) {\n"
    "    OpgenInstance *model;\n"
    "    float x_data[6] = {1, 2, 3, 4, 5, 6}, c_data[6] = {1, 1, 1, 2, 2, 2}, w_data[3] = {10, 20, 30}, y_data[6];\n"
    "    int64_t shape[2] = {2, 3}, three[1] = {3};\n"
    "    DLTensor x = opgen_tensor(x_data, OPGEN_F32, 2, shape), c = opgen_tensor(c_data, OPGEN_F32, 2, shape);\n"
    "    DLTensor y = opgen_tensor(y_data, OPGEN_F32, 2, shape), w = opgen_tensor(w_data, OPGEN_F32, 1, three);\n"
    "    OpgenOptions options = opgen_options();\n"
    "    const char *names[1] = {gate_model.params[gate_param_w].name};\n"
    "    options.no_weights = 1;\n"
    "    MUST(gate_inputs == 2 && gate_input_inputs == 1 && gate_outputs == 1 && gate_params == 1 && gate_dims == 1);\n"
    "    MUST(gate_max_batch == 64 && gate_min_batch == 0);\n"
    "    if (count > 1) {\n"
    "        OpgenLibrary *library;\n"
    "        MUST(!opgen_open(args[1], &library) && opgen_model_count(library) == 1);\n"
    "        MUST(!opgen_create(opgen_library_find(library, \"gate\"), &options, &model));\n"
    "    } else {\n"
    "        MUST(!gate_create(&options, &model));\n"
    "    }\n"
    "    MUST(gate_run(model, &x, &c, &y, NULL) == OPGEN_NO_WEIGHTS);\n"
    "    MUST(!opgen_weights_replace(model, names, &w, 1));\n"
    "    MUST(gate_run(model, &x, NULL, &y, NULL) == OPGEN_BAD_ARGUMENT);\n"
    "    MUST(!gate_run(model, &x, &c, &y, NULL));\n"
    "    for (int i = 0; i < 6; i++) MUST(y_data[i] == 2 * (x_data[i] + w_data[i % 3]) * c_data[i]);\n"
    "    MUST(!gate_free(model));\n"
    "#ifdef WITH_OTHER\n"
    "    float s_data[1] = {7};\n"
    "    DLTensor one = opgen_tensor(x_data, OPGEN_F32, 1, three), s = opgen_tensor(s_data, OPGEN_F32, 0, NULL);\n"
    "    DLTensor out = opgen_tensor(y_data, OPGEN_F32, 1, three);\n"
    "    MUST(!other_create(NULL, &model) && !other_run(model, &one, &s, &out, NULL) && !other_free(model));\n"
    "    for (int i = 0; i < 3; i++) MUST(y_data[i] == 2 * x_data[i] + 7);\n"
    "#endif\n"
    "    printf(\"arch '%s'\\n\", gate_model.arch);\n"
    "    return 0;\n"
    "}\n";

#define STRICT "-Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror"

static void write_text(World *world, const char *name, Str text) {
    bool changed;
    Str path = str_format(&world->arena, "%s/%s", world->folder, name);
    assert_true(file_write_if_changed(&world->arena, path, text, &world->diags, &changed));
}

/* gate in "a folder", other in other/. */
static void begin(World *world) {
    world_init(world);
    setenv("ARCH", "someone's", 1);
    setenv("BUILD", "/nowhere", 1);
    world_emit(world, world_read(world, str_c(gate)));
    world_shell(world, "mv %s/out '%s/a folder'", world->folder, world->folder);
    memset(&world->result, 0, sizeof world->result);
    world_emit(world, world_read(world, str_c(other)));
    world_shell(world, "mv %s/out %s/other", world->folder, world->folder);
    write_text(world, "use.c", str_c(program));
    world_shell(world, "cp %s/use.c %s/use.cc", world->folder, world->folder);
}

static void log_has(World *world, const char *text, bool wanted) {
    Str log;
    assert_true(file_read(&world->arena, str_format(&world->arena, "%s/log", world->folder), span(NULL, 0, 0),
                          &world->diags, &log));
    if ((str_find(log, str_c(text)) != STR_NONE) != wanted)
        fail_msg("%s \"%s\":\n%.*s", wanted ? "has not" : "has", text, STR_ARG(log));
}

static bool is_there(const char *program_name) {
    char command[100];
    snprintf(command, sizeof command, "command -v %s >/dev/null", program_name);
    return system(command) == 0;
}

/* ---- make */
static void with_make(void **state) {
    (void)state;
    World world;
    begin(&world);
    const char *at = world.folder;
    world_shell(&world, "make -C '%s/a folder' -j2 CFLAGS='-O0 " STRICT "'", at);
    log_has(&world, "  CC    gate.c", true);
    world_shell(&world, "make -C '%s/a folder' CFLAGS='-O0 " STRICT "'", at);
    log_has(&world, "  CC ", false);
    log_has(&world, "  LINK", false);
    world_shell(&world, "touch '%s/a folder/gate.h' && make -C '%s/a folder' CFLAGS='-O0 " STRICT "'", at, at);
    log_has(&world, "  CC    gate.c", true);
    log_has(&world, "  CC    opgen_run.c", false);
    log_has(&world, "  LINK  libgate.so", true);
    log_has(&world, "  AR    libgate.a", true);
    world_shell(&world, "make -C %s/other static CFLAGS=-O0", at);
    /* The header from C and C++, the archive and the shared library; both models in one program. */
    world_shell(&world,
                "cd %s && cc -std=c11 -D_GNU_SOURCE " STRICT
                " -fsanitize=address,undefined -DWITH_OTHER -I'a folder' -Iother use.c "
                "'a folder/libgate.a' other/libother.a -o both -lpthread -ldl -lm && ./both",
                at);
    log_has(&world, "arch ''", true);
    world_shell(&world,
                "cd %s && c++ -std=c++17 " STRICT " -DWITH_OTHER -I'a folder' -Iother use.cc 'a folder/libgate.a' "
                "other/libother.a -o both -lpthread -ldl -lm && ./both",
                at);
    world_shell(&world,
                "cd %s && cc -std=c11 -D_GNU_SOURCE -I'a folder' use.c -L'a folder' -lgate -Wl,-rpath,'%s/a folder' -o "
                "shared && ./shared && ./shared 'a folder/libgate.so'",
                at, at);
    if (is_there("clang++"))
        world_shell(&world,
                    "clang++ -std=c++17 " STRICT " -I'%s/a folder' -fsyntax-only %s/use.cc && clang -std=c11 " STRICT
                    " -I'%s/a folder' -fsyntax-only -D_GNU_SOURCE %s/use.c",
                    at, at, at, at);
    /* What is exported is the runtime's own and the model. */
    world_shell(&world,
                "nm -D --defined-only '%s/a folder/libgate.so' | awk '{ print $3 }' | grep -v '^opgen_' > %s/names; "
                "echo gate_model | cmp - %s/names",
                at, at, at);
    world_shell(&world,
                "make -C '%s/a folder' clean && test ! -e '%s/a folder/obj' && test ! -e '%s/a folder/libgate.so'", at,
                at, at);
    world_free(&world);
}

/* Threads, one processor, another folder, another compiler; the folder moved. */
static void with_make_options(void **state) {
    (void)state;
    World world;
    begin(&world);
    const char *at = world.folder;
    world_shell(&world,
                "make -C '%s/a folder' -j2 V=1 OPENMP=1 ARCH=native BUILD=%s/made CFLAGS=-O0 shared && test ! -e '%s/a "
                "folder/obj' && test ! -e %s/made/libgate.a",
                at, at, at, at);
    log_has(&world, "-fopenmp", true);
    log_has(&world, "-march=native", true);
    world_shell(
        &world,
        "cd %s && cc -std=c11 -D_GNU_SOURCE -I'a folder' use.c -Lmade -lgate -Wl,-rpath,%s/made -o shared && ./shared",
        at, at);
    log_has(&world, "arch 'native'", true);
    /* Other flags: all of it again. */
    world_shell(&world, "make -C '%s/a folder' -j2 BUILD=%s/made CFLAGS=-O0 shared", at, at);
    log_has(&world, "  CC    opgen_run.c", true);
    world_shell(&world,
                "mv %s/other %s/moved && make -f %s/moved/Makefile -j2 CFLAGS=-O0 && test -e %s/moved/libother.so", at,
                at, at, at);
    if (is_there("clang")) {
        world_shell(&world, "make -C %s/moved -j2 CC=clang CFLAGS='-O0 -Wall -Wextra -Wconversion -Wshadow -Werror'",
                    at);
        log_has(&world, "  CC    other.c", true);
    }
    world_free(&world);
}

/* ---- a Makefile of somebody's own */
static void with_a_makefile(void **state) {
    (void)state;
    World world;
    begin(&world);
    const char *at = world.folder;
    world_shell(&world, "mkdir %s/app && mv '%s/a folder' %s/app/gen && mv %s/other %s/app/more", at, at, at, at, at);
    write_text(&world, "app/Makefile",
               S("include gen/gate.mk\ninclude more/other.mk\n"
                 "sources := $(GATE_SOURCES) $(filter-out $(addprefix %/,$(notdir $(GATE_SOURCES))),$(OTHER_SOURCES)) "
                 "$(GATE_RUNTIME_SOURCES)\n"
                 "use: ../use.c $(sources) $(GATE_HEADERS)\n"
                 "\t$(CC) -D_GNU_SOURCE $(GATE_CPPFLAGS) $(OTHER_CPPFLAGS) $(GATE_CFLAGS) -O0 -DWITH_OTHER -o $@ $< "
                 "$(sources) $(GATE_LDLIBS)\n"));
    world_shell(&world, "cd %s/app && make && ./use", at);
    world_free(&world);
}

/* ---- CMake */
static void with_cmake(void **state) {
    (void)state;
    if (!is_there("cmake")) {
        print_message("skipped: there is no cmake\n");
        skip();
    }
    World world;
    begin(&world);
    const char *at = world.folder;
    write_text(&world, "CMakeLists.txt",
               S("cmake_minimum_required(VERSION 3.16)\nproject(app LANGUAGES C)\nadd_subdirectory(\"a folder\" gate)\n"
                 "add_executable(use use.c)\ntarget_compile_definitions(use PRIVATE _GNU_SOURCE)\n"
                 "target_link_libraries(use PRIVATE gate)\n"));
    for (int shared = 0; shared < 2; shared++) {
        world_shell(&world,
                    "cd %s && cmake -S . -B made%d -DCMAKE_C_FLAGS=-O0 -DBUILD_SHARED_LIBS=%d -DGATE_OPENMP=%d "
                    "-DGATE_ARCH=%s && cmake "
                    "--build made%d -j2 && ./made%d/use",
                    at, shared, shared, shared, shared ? "native" : "", shared, shared);
        log_has(&world, shared ? "arch 'native'" : "arch ''", true);
    }
    world_shell(&world, "cd %s && ./made1/use made1/gate/libgate.so", at);
    world_shell(&world,
                "cd %s && cmake -S other -B alone -DCMAKE_C_FLAGS=-O0 -DCMAKE_INSTALL_PREFIX=%s/there && cmake --build "
                "alone -j2 && "
                "cmake --install alone && test -e there/lib/libother.a && test -e there/include/other/other.h",
                at, at);
    world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_make),
        cmocka_unit_test(with_make_options),
        cmocka_unit_test(with_a_makefile),
        cmocka_unit_test(with_cmake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

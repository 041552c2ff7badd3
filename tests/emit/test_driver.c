/* test_driver: what is generated around functions: places, copies, checks, sizes, weights, headers; compiled and run.
 * test_driver_random does so for what nobody thought of, test_driver_build for the build files. */
#include "driver_case.h"

#include "json/json.h"

static TensorPlace place_of(const World *world, const char *name) {
    const Plan *plan = &world->result.plan;
    for (uint32_t i = 0; i < plan->graph->tensors.n; i++)
        if (strcmp(plan->graph->tensors.items[i]->name->p, name) == 0) return plan->places[i];
    fail_msg("there is no tensor %s", name);
    return plan->places[0];
}

static uint32_t copies(const World *world) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < world->result.plan.calls.n; i++)
        n += world->result.plan.calls.items[i].function == NULL;
    return n;
}

static bool has(Str text, const char *part) { return str_find(text, str_c(part)) != STR_NONE; }

#define SMALL "'inputs': {'x': {'dtype': 'f32', 'shape': [4]}}, "

/* ---- operators in place */
static void in_place(void **state) {
    (void)state;
    World world;
    world_init(&world);
    world.options.without = PASS_ALL;
    /* x is changed and is the output; a, r and z take each other's place, which is the output's; x2, of which v is
     * another look, stays. */
    world_emit(
        &world,
        world_read(&world,
                   S("{'opgen': 1, 'name': 'place', 'inputs': {'x': {'dtype': 'f32', 'shape': [4], 'mutable': true}, "
                     "'x2': {'dtype': 'f32', 'shape': [4], 'mutable': true}}, 'nodes': [{'op': 'relu_', 'in': 'x', "
                     "'out': 'y'}, {'op': 'add', 'in': "
                     "['x2', 'y'], 'out': 'a'}, {'op': 'relu_', 'in': 'a', 'out': 'r'}, {'op': 'mul', 'in': ['r', "
                     "'r'], 'out': 'z'}, {'op': 'reshape', 'in': 'x2', 'out': 'v', 'attrs': {'shape': [2, 2]}}, {'op': "
                     "'add_', 'in': ['v', 'v'], 'out': 'w'}], 'outputs': ['y', 'z', 'w']}")));
    assert_int_equal(place_of(&world, "y").kind, PLACE_INPUT);
    assert_int_equal(place_of(&world, "z").kind, PLACE_OUTPUT);
    assert_int_equal(place_of(&world, "a").kind, PLACE_OUTPUT);
    assert_int_equal(place_of(&world, "r").kind, PLACE_OUTPUT);
    assert_int_equal(place_of(&world, "a").at, place_of(&world, "z").at);
    assert_int_equal(place_of(&world, "r").at, place_of(&world, "z").at);
    assert_int_equal(place_of(&world, "w").kind, PLACE_OUTPUT);
    assert_int_equal(copies(&world), 1); /* y, which lies in x */
    assert_int_equal(world.result.plan.slots.n, 0);
    const OpgenModel *model = world_load(&world, "place");
    float x[] = {-1, 2, -3, 4}, x2[] = {10, -20, 30, -40}, y[4], z[4], w[4];
    world_run(model, (const void *[]){x, x2}, NULL, (void *[]){y, z, w}, NULL);
    for (int i = 0; i < 4; i++) {
        float wanted[] = {0, 2, 0, 4}, old[] = {10, -20, 30, -40}, sum = old[i] + wanted[i];
        assert_true(x[i] == wanted[i] && y[i] == wanted[i] && x2[i] == old[i]);
        assert_true(z[i] == (sum > 0 ? sum * sum : 0) && w[i] == 2 * old[i]);
    }
    world_free(&world);
}

/* A map's result takes the place of what it reads last, at the same offset; not of what is read later, broadcast, read
 * at other places, of another type, an output, or the caller's. */
static void places_of_what_dies(void **state) {
    (void)state;
    World world;
    world_init(&world);
    world.options.without = PASS_ALL;
    world_emit(
        &world,
        world_read(
            &world,
            S("{'opgen': 1, 'name': 'dying', 'dims': {'n': {'min': 1, 'max': 8}}, 'inputs': {'x': {'dtype': 'f32', "
              "'shape': ['n', 4]}, 'row': {'dtype': 'f32', 'shape': [4]}}, 'nodes': ["
              "{'op': 'mul', 'in': ['x', 'x'], 'out': 'a'}, {'op': 'reshape', 'in': 'a', 'out': 'flat', 'attrs': "
              "{'shape': ['4 * n']}}, {'op': 'relu', 'in': 'flat', 'out': 'b'}, " /* through a view, in a's place */
              "{'op': 'twice', 'in': 'b', 'out': 'c'}, "                          /* a kernel reads where it likes */
              "{'op': 'relu', 'in': 'row', 'out': 'r'}, {'op': 'add', 'in': ['x', 'r'], 'out': 'd'}, " /* broadcast */
              "{'op': 'relu', 'in': 'd', 'out': 'e'}, {'op': 'add', 'in': ['d', 'e'], 'out': 'f'}, "   /* d lives on */
              "{'op': 'twice', 'in': 'f', 'out': 'g'}], 'outputs': ['c', 'g', 'e']}")));
    assert_int_equal(place_of(&world, "a").kind, PLACE_SLOT);
    assert_int_equal(place_of(&world, "b").kind, PLACE_SLOT);
    assert_int_equal(place_of(&world, "b").at, place_of(&world, "a").at);
    assert_null(place_of(&world, "b").offset);
    assert_int_equal(place_of(&world, "c").kind, PLACE_OUTPUT);
    assert_int_equal(place_of(&world, "r").kind, PLACE_SLOT);
    assert_int_equal(place_of(&world, "d").kind, PLACE_SLOT);
    assert_int_not_equal(place_of(&world, "d").at, place_of(&world, "r").at);
    assert_int_equal(place_of(&world, "e").kind, PLACE_OUTPUT);
    assert_int_equal(place_of(&world, "f").kind, PLACE_SLOT);
    assert_int_equal(place_of(&world, "f").at, place_of(&world, "d").at);
    assert_int_equal(copies(&world), 0);
    const OpgenModel *model = world_load(&world, "dying");
    float x[12], row[] = {1, -2, 3, -4}, c[12], g[12], e[12];
    for (int i = 0; i < 12; i++)
        x[i] = (float)(i - 6), c[i] = g[i] = e[i] = -12345;
    world_run(model, (const void *[]){x, row}, NULL, (void *[]){c, g, e}, (int64_t[]){3});
    for (int i = 0; i < 12; i++) {
        float d = x[i] + (row[i % 4] > 0 ? row[i % 4] : 0), positive = d > 0 ? d : 0;
        assert_true(c[i] == 2 * x[i] * x[i] && e[i] == positive && g[i] == 2 * (d + positive));
    }
    world_free(&world);
}

/* What an operator in place would read after it has written it. */
static void in_place_and_read_elsewhere(void **state) {
    (void)state;
    World world;
    world_init(&world);
    world.options.without = PASS_ALL;
    world_emit(
        &world,
        world_read(
            &world,
            S("{'opgen': 1, 'name': 'hazard', 'inputs': {'x': {'dtype': 'f32', 'shape': [3, 2], 'mutable': true}, 'u': "
              "{'dtype': 'f32', 'shape': [5], 'mutable': true}}, 'nodes': [{'op': 'slice', 'in': 'x', 'out': 'row', "
              "'attrs': {'end': 1}}, {'op': 'add_', "
              "'in': ['x', 'row'], 'out': 'y'}, {'op': 'mul', 'in': ['y', 'y'], 'out': 'z'}, {'op': 'mirror_', 'in': "
              "['u', 'u'], 'out': 'm'}, {'op': 'mul', 'in': ['m', 'm'], 'out': 'n'}], 'outputs': ['z', 'n']}")));
    assert_int_equal(place_of(&world, "y").kind, PLACE_SLOT);
    assert_int_equal(copies(&world), 2);
    const OpgenModel *model = world_load(&world, "hazard");
    float x[] = {1, 2, 3, 4, 5, 6}, u[] = {1, 10, 100, 1000, 10000}, z[6], n[5];
    world_run(model, (const void *[]){x, u}, NULL, (void *[]){z, n}, NULL);
    for (int i = 0; i < 6; i++) {
        float sum = (float)(i + 1 + (i % 2 + 1));
        assert_true(x[i] == sum && z[i] == sum * sum);
    }
    for (int i = 0; i < 5; i++) {
        const float powers[] = {1, 10, 100, 1000, 10000};
        float sum = powers[i] + powers[4 - i];
        assert_true(u[i] == sum && n[i] == sum * sum);
    }
    world_free(&world);
}

/* ---- outputs that are something else as well: what passes may leave behind */
static void outputs_twice(void **state) {
    (void)state;
    World world;
    world_init(&world);
    Graph *graph = world_read(
        &world, S("{'opgen': 1, 'name': 'twin', 'dims': {'n': {'min': 0, 'max': 9}}, 'inputs': {'x': {'dtype': 'f32', "
                  "'shape': ['n', 2]}}, 'params': {'w': {'dtype': 'f32', 'shape': [2]}}, 'nodes': [{'op': 'add', 'in': "
                  "['x', 'w'], 'out': 'a'}, {'op': 'clone', 'in': 'x', 'out': 'b'}, {'op': 'clone', 'in': 'w', 'out': "
                  "'c'}, {'op': 'clone', 'in': 'a', 'out': 'd'}, {'op': 'reshape', 'in': 'a', 'out': 'e', 'attrs': "
                  "{'shape': ['2 * n']}}], 'outputs': ['a', 'b', 'c', 'd', 'e']}"));
    for (uint32_t i = 1; i < 4; i++) { /* as a pass that finds clones needless would */
        Node *clone = graph->outputs.items[i]->producer;
        graph_replace(graph, clone->outputs[0], clone->inputs[0][0]);
        graph_remove(graph, clone);
    }
    graph_sort(graph);
    assert_true(graph_check(graph, &world.diags));
    world_emit(&world, graph);
    assert_int_equal(copies(&world), 4);
    assert_int_equal(world.result.plan.slots.n, 0);
    const OpgenModel *model = world_load(&world, "twin");
    float x[] = {1, 2, 3, 4, 5, 6}, w[] = {10, 20}, a[6], b[6], c[2], d[6], e[6];
    world_run(model, (const void *[]){x}, (const void *[]){w}, (void *[]){a, b, c, d, e}, (int64_t[]){3});
    for (int i = 0; i < 6; i++)
        assert_true(a[i] == x[i] + w[i % 2] && b[i] == x[i] && c[i % 2] == w[i % 2] && d[i] == a[i] && e[i] == a[i]);
    world_run(model, (const void *[]){x}, (const void *[]){w}, (void *[]){a, b, c, d, e}, (int64_t[]){0});
    assert_string_equal(model->outputs[3].name, "d");
    world_free(&world);
}

/* ---- requirements that only some dims meet */
static void checks(void **state) {
    (void)state;
    World world;
    world_init(&world);
    world_emit(&world,
               world_read(&world, S("{'opgen': 1, 'name': 'ask', 'dims': {'n': {'min': 0, 'max': 99}}, 'inputs': {'x': "
                                    "{'dtype': 'f32', 'shape': ['n']}}, 'nodes': [{'op': 'halves', 'in': 'x', 'out': "
                                    "'h'}, {'op': 'relu', 'in': 'h', 'out': 'y'}], 'outputs': ['y']}")));
    const OpgenModel *model = world_load(&world, "ask");
    int64_t sizes[2];
    for (int64_t n = 0; n < 99; n++) {
        const char *unmet = model->check(&n);
        if (n % 2 == 0)
            assert_null(unmet);
        else
            assert_string_equal(unmet, "\"n\" has no half\\ ?\?/ * /");
        assert_int_equal(model->shapes(&n, sizes), 0);
        assert_true(sizes[0] == n && sizes[1] == n / 2);
    }
    world_free(&world);
}

/* ---- sizes that may not fit */
static void sizes_beyond_64_bits(void **state) {
    (void)state;
    World world;
    world_init(&world);
    world_emit(&world,
               world_read(&world,
                          S("{'opgen': 1, 'name': 'wide', 'dims': {'n': {'min': 0, 'max': 1099511627776}, 'm': {'max': "
                            "1099511627776}}, 'inputs': {'x': {'dtype': 'f32', 'shape': ['n', 'm', 3]}}, 'nodes': "
                            "[{'op': 'twice', 'in': 'x', 'out': 'a'}, {'op': 'twice', 'in': 'a', 'out': 'b'}, {'op': "
                            "'reshape', 'in': 'b', 'out': 'y', 'attrs': {'shape': ['3*n*m']}}], 'outputs': ['y']}")));
    const OpgenModel *model = world_load(&world, "wide");
    assert_true(model->value_count > 0);
    int64_t *values = calloc((size_t)model->value_count, sizeof *values), sizes[4];
    assert_non_null(values);
    uint64_t seed = 1;
    unsigned fit = 0, beyond = 0;
    for (int i = 0; i < 3000; i++) {
        int64_t dims[2];
        for (int k = 0; k < 2; k++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            dims[k] = 1 + (int64_t)((seed >> 24) >> (seed >> 13 & 31));
        }
        if (i % 50 == 0) dims[0] = 0;
        __int128 row = (__int128)3 * dims[0] * dims[1], bytes = (4 * row + 63) / 64 * 64;
        assert_int_equal(model->shapes(dims, sizes), row <= INT64_MAX ? 0 : -1);
        if (row <= INT64_MAX) assert_true(sizes[3] == (int64_t)row);
        /* a and a workspace at the same time; then the workspace alone, b being the output. */
        int64_t got = model->prepare(dims, values);
        assert_true(got == (2 * bytes <= INT64_MAX ? (int64_t)(2 * bytes) : -1));
        got < 0 ? beyond++ : fit++;
    }
    assert_true(fit > 300 && beyond > 300);
    free(values);
    world_free(&world);
}

/* ---- weights in the library */
static Str safetensors(World *world, Str header, const void *data, size_t n) {
    Buf bytes;
    header = world_quotes(world, header);
    buf_init(&bytes, &world->arena);
    for (unsigned i = 0; i < 8; i++)
        buf_char(&bytes, (char)(header.n >> (8 * i)));
    buf_add(&bytes, header);
    buf_add(&bytes, str(data, n));
    Str path = str_format(&world->arena, "%s/some.safetensors", world->folder);
    bool changed;
    assert_true(file_write_if_changed(&world->arena, path, buf_str(&bytes), &world->diags, &changed));
    return path;
}

static const char embed_model[] =
    "{'opgen': 1, 'name': 'inside', 'inputs': {'x': {'dtype': 'f32', 'shape': [3]}}, 'params': {'w': {'dtype': 'f32', "
    "'shape': [3]}, 'nil': {'dtype': 'f32', 'shape': [0]}, 'b': {'dtype': 'f32', 'shape': [1]}}, 'weights': "
    "'some.safetensors', 'nodes': [{'op': 'mul', 'in': ['x', 'w'], 'out': 'h'}, {'op': 'add', 'in': ['h', 'b'], 'out': "
    "'y'}, {'op': 'clone', 'in': 'nil', 'out': 'z'}], 'outputs': ['y', 'z']}";

static void embedded_weights(void **state) {
    (void)state;
    World world;
    world_init(&world);
    const float data[] = {7, 1, -2, 0x1.23456p-7f};
    world.options.embed = true;
    world.options.weights =
        safetensors(&world,
                    S("{'b':{'dtype':'F32','shape':[1],'data_offsets':[0,4]},'w':{'dtype':'F32','shape':[3],'data_"
                      "offsets':[4,16]},'nil':{'dtype':'F32','shape':[0],'data_offsets':[16,16]}}"),
                    data, sizeof data);
    world_emit(&world, world_read(&world, str_c(embed_model)));
    const OpgenModel *model = world_load(&world, "inside");
    assert_null(model->weights);
    bool named = false;
    for (uint32_t i = 0; i < world.result.inputs.n; i++)
        named |= str_eq(world.result.inputs.items[i].name, S("some.safetensors"));
    assert_true(named);
    const void *params[3];
    for (int i = 0; i < 3; i++) {
        params[i] = model->params[i].embedded;
        assert_true(params[i] != NULL && (uintptr_t)params[i] % 64 == 0);
    }
    assert_memory_equal(params[0], data + 1, 12);
    assert_memory_equal(params[2], data, 4);
    float x[] = {1, 2, 3}, y[3], z[1];
    world_run(model, (const void *[]){x}, params, (void *[]){y, z}, NULL);
    for (int i = 0; i < 3; i++)
        assert_true(y[i] == x[i] * data[1 + i] + data[0]);
    world_free(&world);
    /* Not embedded: the library says which file. */
    world_init(&world);
    world_emit(&world, world_read(&world, str_c(embed_model)));
    model = world_load(&world, "inside");
    assert_string_equal(model->weights, "some.safetensors");
    assert_null(model->params[0].embedded);
    world_free(&world);
}

/* Larger than a file is to be, and many that share one. */
static void weights_in_several_files(void **state) {
    (void)state;
    enum { LARGE = 400000, SMALL_ONES = 40, EACH = 20000 };
    World world;
    world_init(&world);
    float *data = malloc((LARGE + SMALL_ONES * EACH) * sizeof *data);
    assert_non_null(data);
    for (int i = 0; i < LARGE + SMALL_ONES * EACH; i++)
        data[i] = (float)i * 0.37f;
    Buf model, header;
    buf_init(&model, &world.arena), buf_init(&header, &world.arena);
    buf_add(&model, S("{'opgen': 1, 'name': 'heavy', " SMALL "'params': {"));
    buf_char(&header, '{');
    for (int i = 0, at = 0; i <= SMALL_ONES; i++) {
        int n = i == 0 ? LARGE : EACH;
        buf_format(&model, "%s'w%d': {'dtype': 'f32', 'shape': [%d]}", i == 0 ? "" : ", ", i, n);
        buf_format(&header, "%s'w%d':{'dtype':'F32','shape':[%d],'data_offsets':[%d,%d]}", i == 0 ? "" : ",", i, n,
                   4 * at, 4 * (at + n));
        at += n;
    }
    buf_add(&model, S("}, 'nodes': [{'op': 'relu', 'in': 'x', 'out': 'y'}], 'outputs': ['y']}"));
    buf_char(&header, '}');
    world.options.embed = true;
    world.options.weights = safetensors(&world, buf_str(&header), data, (LARGE + SMALL_ONES * EACH) * sizeof *data);
    world_emit(&world, world_read(&world, buf_str(&model)));
    uint32_t files = 0;
    for (uint32_t i = 0; i < world.result.set.files.n; i++) {
        Str path = world.result.set.files.items[i].path;
        files += str_starts(path, S("heavy_weights_")) && str_ends(path, S(".c"));
    }
    assert_true(files >= 4 && files <= 6);
    const OpgenModel *made = world_load(&world, "heavy");
    for (int i = 0, at = 0; i <= SMALL_ONES; at += i == 0 ? LARGE : EACH, i++)
        assert_memory_equal(made->params[i].embedded, data + at, i == 0 ? LARGE * 4 : EACH * 4);
    free(data);
    world_free(&world);
}

static void emit_fails(const char *model, const char *weights, const char *first, const char *second) {
    World world;
    world_init(&world);
    const float data[] = {1, 2, 3, 4};
    if (weights != NULL) {
        world.options.embed = true;
        if (*weights != '\0') world.options.weights = safetensors(&world, str_c(weights), data, sizeof data);
    }
    Graph *graph = world_read(&world, str_c(model));
    assert_false(emit_model(&world.arena, graph, &world.options, &world.result));
    Str findings = world_findings(&world);
    if (!has(findings, first) || !has(findings, second)) fail_msg("%s\nhas not: %s, %s", findings.p, first, second);
    world_free(&world);
}

static void what_cannot_be_generated(void **state) {
    (void)state;
    emit_fails(embed_model, "{'w':{'dtype':'F32','shape':[4],'data_offsets':[0,16]}}",
               "param \"w\" cannot be embedded: the model wants f32 (3,), the weights have F32 (4,)",
               "param \"b\" cannot be embedded: the weights have no tensor of this name");
    emit_fails(embed_model, "{'w':{'dtype':'I32','shape':[3],'data_offsets':[0,12]}}", "some.safetensors", "");
    emit_fails(embed_model, "", "there are no weights to embed", "weights");
    emit_fails("{'opgen': 1, 'name': 'some', " SMALL
               "'nodes': [{'op': 'lost', 'in': 'x', 'out': 'y'}, {'op': 'halves', 'in': 'y', "
               "'out': 'z'}], 'outputs': ['z']}",
               NULL, "there is no template \"cpu/nowhere.c.j2\"", "");
    emit_fails(
        "{'opgen': 1, 'name': 'some', 'dims': {'n': {'min': 0}}, 'inputs': {'x': {'dtype': 'f32', 'shape': "
        "[4611686018427387904, 0]}, "
        "'z': {'dtype': 'f32', 'shape': ['n', 4611686018427387904]}}, 'nodes': [{'op': 'relu', 'in': 'x', 'out': 'a'}, "
        "{'op': 'twice', 'in': 'z', 'out': 'b'}, {'op': 'twice', 'in': 'b', 'out': 'c'}], 'outputs': ['a', 'c']}",
        NULL, "is too large: its bytes do not fit 64 bits", "");
}

/* ---- the same bytes, and whose names they are made of */
static void the_same_bytes(void **state) {
    (void)state;
    static const char model[] = "{'opgen': 1, 'name': 'same', 'dims': {'n': {'min': 1, 'max': 64}}, 'inputs': {'x': "
                                "{'dtype': 'f32', 'shape': ['n', 8]}}, 'nodes': [{'op': 'twice', 'in': 'x', 'out': "
                                "'a'}, {'op': 'relu', 'in': 'a', 'out': 'y'}], 'outputs': ['y']}";
    World one, two;
    world_init(&one), world_init(&two);
    char here[1000];
    assert_non_null(getcwd(here, sizeof here));
    two.roots[0] = str_format(&two.arena, "%s/tests/emit/plain/", here);
    two.roots[1] = str_format(&two.arena, "%s/templates", here);
    two.options.runtime = str_format(&two.arena, "%s/runtime/", here);
    world_emit(&one, world_read(&one, str_c(model)));
    world_emit(&two, world_read(&two, str_c(model)));
    assert_int_equal(one.result.set.files.n, two.result.set.files.n);
    for (uint32_t i = 0; i < one.result.set.files.n; i++) {
        FileEntry *a = &one.result.set.files.items[i], *b = &two.result.set.files.items[i];
        assert_true(str_eq(a->path, b->path) && str_eq(a->bytes, b->bytes));
        size_t line = str_find_char(a->bytes, '\n');
        if (!has(str_sub(a->bytes, 0, line), "Generated by opgen")) fail_msg("first line of %.*s", STR_ARG(a->path));
        assert_false(has(a->bytes, here));
    }
    assert_int_equal(one.result.inputs.n, two.result.inputs.n);
    bool map = false, backend = false, runtime = false;
    for (uint32_t i = 0; i < one.result.inputs.n; i++) {
        OutputInput *a = &one.result.inputs.items[i], *b = &two.result.inputs.items[i];
        assert_true(str_eq(a->name, b->name) && str_eq(a->sha256, b->sha256));
        map |= str_eq(a->name, S("templates/cpu/twice.c.j2"));
        backend |= str_eq(a->name, S("templates/cpu/backend.json"));
        runtime |= str_eq(a->name, S("runtime/opgen_rt.c"));
    }
    assert_true(map && backend && runtime);
    for (uint32_t i = 0; i < one.result.sections.n; i++)
        assert_true(str_eq(one.result.sections.items[i].json, two.result.sections.items[i].json));
    world_free(&one), world_free(&two);
}

/* ---- the manifest's sections are JSON */
static void sections(void **state) {
    (void)state;
    World world;
    world_init(&world);
    world.options.without = PASS_ALL;
    world_emit(
        &world,
        world_read(&world,
                   S("{'opgen': 1, 'name': 'told', 'dims': {'n': {'min': 1, 'max': 64}}, 'inputs': {'x': {'dtype': "
                     "'f32', 'shape': ['n', 16]}}, 'nodes': [{'op': 'relu', 'in': 'x', 'out': 'a'}, {'op': 'twice', "
                     "'in': 'a', 'out': 'b'}, {'op': 'relu', 'in': 'b', 'out': 'y'}], 'outputs': ['y']}")));
    Buf text;
    buf_init(&text, &world.arena);
    buf_char(&text, '{');
    for (uint32_t i = 0; i < world.result.sections.n; i++)
        buf_format(&text, "%s\"%S\": %S", i == 0 ? "" : ", ", world.result.sections.items[i].name,
                   world.result.sections.items[i].json);
    buf_char(&text, '}');
    Json *json =
        json_parse(&world.arena, &world.names, source_new(&world.arena, S("sections"), buf_str(&text)), &world.diags);
    if (json == NULL) fail_msg("%s", world_findings(&world).p);
    assert_int_equal(json_get(json, S("calls"))->as.i, 3);
    /* a and the workspace of b: 64 * 16 * 4 bytes each; b lies where y is */
    assert_int_equal(json_get(json_get(json, S("arena")), S("bytes"))->as.i, 2 * 4096);
    assert_int_equal(json_get(json_get(json, S("arena")), S("slots"))->as.i, 2);
    /* Each of three reads 4096 bytes and writes as many. */
    const Json *costs = json_get(json, S("costs")), *moved = json_get(costs, S("bytes"));
    assert_int_equal(json_get(moved, S("before"))->as.i, 6 * 4096);
    assert_int_equal(json_get(moved, S("after"))->as.i, 6 * 4096);
    assert_int_equal(json_get(json_get(costs, S("for")), S("n"))->as.i, 64);
    int64_t bytes = 0, flops = 0;
    for (uint32_t i = 0; i < json_get(json, S("functions"))->as.array.n; i++) {
        const Json *function = &json_get(json, S("functions"))->as.array.items[i];
        assert_int_equal(json_get(json_get(function, S("bytes")), S("before"))->as.i,
                         json_get(json_get(function, S("bytes")), S("after"))->as.i);
        bytes += json_get(json_get(function, S("bytes")), S("after"))->as.i;
        flops += json_get(function, S("flops"))->as.i;
    }
    assert_int_equal(bytes, 6 * 4096);
    assert_true(flops > 0);
    assert_int_equal(json_get(json_get(costs, S("flops")), S("before"))->as.i, flops);
    assert_int_equal(json_get(json_get(costs, S("flops")), S("after"))->as.i, flops);
    const Json *functions = json_get(json, S("functions"));
    assert_int_equal(functions->as.array.n, 2);
    const Json *relu = &functions->as.array.items[0], *nodes = json_get(relu, S("nodes"));
    assert_true(str_starts(json_get(relu, S("uri"))->as.s, S("relu_f32_")));
    assert_int_equal(nodes->as.array.n, 2);
    assert_true(str_eq(nodes->as.array.items[0].as.s, S("a")) && str_eq(nodes->as.array.items[1].as.s, S("y")));
    world_file(&world, "told.c");
    world_free(&world);
}

/* ---- anybody's names */
static void names_of_files(void **state) {
    (void)state;
    World world;
    world_init(&world);
    world.options.model_name = S("a*/ int x; /*\n#error \\\n.json");
    world_emit(
        &world,
        world_read(&world,
                   S("{'opgen': 1, 'name': 'odd', 'inputs': {'inputs': {'dtype': 'f32', 'shape': [4]}, 'instance': "
                     "{'dtype': 'f32', 'shape': [4]}}, 'params': {'run': {'dtype': 'f32', 'shape': [4]}}, 'weights': "
                     "'we\\\\ig\\'h?\?/ts.safetensors', 'nodes': [{'op': 'add', 'in': ['inputs', 'instance'], 'out': "
                     "'arena'}, {'op': 'add', 'in': ['arena', 'run'], 'out': 'values'}], 'outputs': ['values']}")));
    const OpgenModel *model = world_load(&world, "odd");
    assert_string_equal(model->weights, "we\\ig\"h?\?/ts.safetensors");
    float x[] = {1, 2, 3, 4}, y[4];
    world_run(model, (const void *[]){x, x}, (const void *[]){x}, (void *[]){y}, NULL);
    assert_true(y[3] == 12);
    world_free(&world);
}

/* ---- many calls */
static void ten_thousand(void **state) {
    (void)state;
    enum { MANY = 10000 };
    World world;
    world_init(&world);
    world.options.without = PASS_ALL;
    Buf model;
    buf_init(&model, &world.arena);
    buf_add(&model, S("{'opgen': 1, 'name': 'chain', 'dims': {'n': {}}, 'inputs': {'t0': {'dtype': 'f32', 'shape': "
                      "['n', 8]}, 's': {'dtype': 'f32', 'shape': [1]}}, 'nodes': ["));
    for (int i = 0; i < MANY; i++)
        buf_format(&model, "%s{'op': 'add', 'in': ['t%d', 's'], 'out': 't%d'}", i == 0 ? "" : ",\n", i, i + 1);
    buf_format(&model, "], 'outputs': ['t%d']}", MANY);
    Graph *graph = world_read(&world, buf_str(&model));
    clock_t start = clock();
    world_emit(&world, graph);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("%d calls: %.2f s (with sanitizers), %zu MB\n", (int)MANY, seconds, world.arena.held >> 20);
    assert_true(seconds < 20 && world.arena.held < (size_t)200 << 20);
    assert_int_equal(world.result.plan.functions.n, 1);
    /* Sanitizers would take a minute for so many calls, which are all alike. */
    const OpgenModel *made = world_load_as(&world, "chain", "");
    assert_true(made->value_count < 8); /* as few offsets as a short chain has */
    float t[16], s = 0.5f, y[16];
    for (int i = 0; i < 16; i++)
        t[i] = (float)i;
    world_run(made, (const void *[]){t, &s}, NULL, (void *[]){y}, (int64_t[]){2});
    for (int i = 0; i < 16; i++)
        assert_true(y[i] == (float)i + MANY / 2);
    world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_place),
        cmocka_unit_test(places_of_what_dies),
        cmocka_unit_test(in_place_and_read_elsewhere),
        cmocka_unit_test(outputs_twice),
        cmocka_unit_test(checks),
        cmocka_unit_test(sizes_beyond_64_bits),
        cmocka_unit_test(embedded_weights),
        cmocka_unit_test(weights_in_several_files),
        cmocka_unit_test(what_cannot_be_generated),
        cmocka_unit_test(the_same_bytes),
        cmocka_unit_test(sections),
        cmocka_unit_test(names_of_files),
        cmocka_unit_test(ten_thousand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

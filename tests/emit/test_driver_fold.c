/* test_driver_fold: what is computed once for a set of weights: where it lies, what runs read of it, what the manifest
 * says; compiled and run, by itself and in instances of the runtime. */
#include "driver_case.h"

#include "json/json.h"

#include <opgen.h>

static TensorPlace place_of(const World *world, const char *name) {
    const Plan *plan = &world->result.plan;
    for (uint32_t i = 0; i < plan->graph->tensors.n; i++)
        if (strcmp(plan->graph->tensors.items[i]->name->p, name) == 0) return plan->places[i];
    fail_msg("there is no tensor %s", name);
    return plan->places[0];
}

static uint32_t copies(const Plan *plan) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->calls.n; i++)
        n += plan->calls.items[i].function == NULL;
    return n;
}

static const Json *section(World *world, const char *name) {
    const EmitResult *result = &world->result;
    for (uint32_t i = 0; i < result->sections.n; i++) {
        if (!str_eq(result->sections.items[i].name, str_c(name))) continue;
        Source *source = source_new(&world->arena, S("section"), result->sections.items[i].json);
        return json_parse(&world->arena, &world->names, source, &world->diags);
    }
    fail_msg("there is no section %s", name);
    return NULL;
}

/* p and q, by way of k (fold has an arena of its own, for workspaces at least); part, a piece of q behind its
 * beginning, is no code. */
#define MODEL                                                                                                          \
    "{'opgen': 1, 'name': 'kept', 'dims': {'n': {'min': 0, 'max': 9}}, 'inputs': {'x': {'dtype': 'f32', 'shape': "     \
    "['n', 3]}}, 'params': {'w': {'dtype': 'f32', 'shape': [4, 3]}, 'b': {'dtype': 'f32', 'shape': [3]}, 'g': "        \
    "{'dtype': 'f32', 'shape': [3]}}, 'nodes': [{'op': 'mul', 'in': ['w', 'b'], 'out': 'm'}, {'op': 'twice', 'in': "   \
    "'m', 'out': 'k'}, {'op': 'twice', 'in': 'b', 'out': 'p'}, {'op': 'add', 'in': ['k', 'p'], 'out': 'q'}, {'op': "   \
    "'slice', 'in': 'q', 'attrs': {'start': 2, 'end': 3}, 'out': 'part'}, {'op': 'mul', 'in': ['x', 'part'], 'out': "  \
    "'h'}, {'op': 'add', 'in': ['h', 'g'], 'out': 'i'}, {'op': 'add', 'in': ['i', 'p'], 'out': 'y'}, {'op': "          \
    "'reshape', 'in': 'w', 'attrs': {'shape': [12]}, 'out': 'v'}], 'outputs': ['y', 'q', 'v']}"

static const float weights[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, bias[] = {0.5f, -1, 4},
                   gain[] = {100, 200, 300};

static bool right(const float *x, int64_t n, const float *w, const float *b, const float *g, const float *y,
                  const float *q, const float *v) {
    bool good = true;
    for (int i = 0; i < 12; i++)
        good &= v[i] == w[i] && q[i] == 2 * w[i] * b[i % 3] + 2 * b[i % 3];
    for (int64_t i = 0; i < n * 3; i++)
        good &= y[i] == x[i] * q[6 + i % 3] + g[i % 3] + 2 * b[i % 3];
    return good;
}

static void where_it_lies(void **state) {
    (void)state;
    const float x[] = {1, -2, 3, 4, 5, -6};
    for (int fuse = 0; fuse < 2; fuse++) {
        World world;
        world_init(&world);
        world.options.without = fuse ? 0 : PASS_BIT(PASS_FUSE);
        world_emit(&world, world_read(&world, S(MODEL)));
        const Plan *plan = &world.result.plan;
        assert_non_null(plan->fold);
        assert_int_equal(place_of(&world, "p").kind, PLACE_FOLDED);
        assert_int_equal(place_of(&world, "q").kind, PLACE_FOLDED);
        assert_int_equal(place_of(&world, "part").kind, PLACE_FOLDED);
        assert_int_equal(place_of(&world, "v").kind, PLACE_PARAM);
        int64_t number;
        assert_true(sym_is_int(place_of(&world, "part").offset, &number) && number == 6);
        assert_int_equal(plan->folded.n, 2);
        assert_int_equal(plan->folded_bytes, 128);
        assert_int_equal(copies(plan), 2); /* q and v */
        assert_true(plan->fold->slots.n >= 2 && plan->fold->arena_planned >= (fuse ? 64 : 128) &&
                    copies(plan->fold) == 0);
        if (fuse) assert_int_equal(plan->slots.n, 0);
        const OpgenModel *model = world_load(&world, "kept");
        assert_non_null(model->fold);
        assert_int_equal(model->folded_bytes, 128);
        assert_int_equal(model->fold_arena_bytes, plan->fold->arena_planned);
        assert_int_equal(model->fold_param_count, 2);
        assert_true(model->fold_params[0] == 0 && model->fold_params[1] == 1);
        for (int64_t n = 0; n <= 2; n++) {
            float y[6], q[12], v[12];
            memset(y, 0xff, sizeof y), memset(q, 0xff, sizeof q), memset(v, 0xff, sizeof v);
            world_run(model, (const void *[]){x}, (const void *[]){weights, bias, gain}, (void *[]){y, q, v}, &n);
            assert_true(right(x, n, weights, bias, gain, y, q, v));
        }
        const Json *folded = section(&world, "folded");
        assert_int_equal(json_get(folded, S("bytes"))->as.i, 128);
        assert_int_equal(json_get(folded, S("arena"))->as.i, plan->fold->arena_planned);
        assert_int_equal(json_get(folded, S("calls"))->as.i, plan->fold->calls.n);
        assert_int_equal(json_get(folded, S("nodes"))->as.array.n, 4);
        assert_int_equal(json_get(json_get(folded, S("kept")), S("q"))->as.i, 48);
        world_free(&world);
    }
}

static void left_out(void **state) {
    (void)state;
    World world;
    world_init(&world);
    world.options.without = PASS_BIT(PASS_FOLD);
    world_emit(&world, world_read(&world, S(MODEL)));
    assert_null(world.result.plan.fold);
    assert_int_equal(world.result.plan.folded_bytes, 0);
    assert_int_equal(json_get(section(&world, "folded"), S("calls"))->as.i, 0);
    const OpgenModel *model = world_load(&world, "kept");
    assert_null(model->fold);
    const float x[] = {1, -2, 3};
    float y[3], q[12], v[12];
    world_run(model, (const void *[]){x}, (const void *[]){weights, bias, gain}, (void *[]){y, q, v}, (int64_t[]){1});
    assert_true(right(x, 1, weights, bias, gain, y, q, v));
    world_free(&world);
}

/* An operator in place gets a copy of what is kept: it is the same in the next run. */
static void not_changed_in_place(void **state) {
    (void)state;
    World world;
    world_init(&world);
    world_emit(&world,
               world_read(&world, S("{'opgen': 1, 'name': 'stays', 'inputs': {'x': {'dtype': 'f32', 'shape': [4]}}, "
                                    "'params': {'w': {'dtype': 'f32', 'shape': [4]}}, 'nodes': [{'op': 'twice', 'in': "
                                    "'w', 'out': 'k'}, {'op': 'add_', 'in': ['k', 'x'], 'out': 'y'}, {'op': 'twice', "
                                    "'in': 'y', 'out': 'z'}], 'outputs': ['z']}")));
    assert_int_equal(place_of(&world, "k").kind, PLACE_FOLDED);
    assert_int_not_equal(place_of(&world, "y").kind, PLACE_FOLDED);
    const OpgenModel *model = world_load(&world, "stays");
    float w[] = {1, 2, 3, 4}, x[] = {10, 20, 30, 40}, *folded = world_fold(model, (const void *[]){w});
    int64_t *values = calloc((size_t)model->value_count + 1, sizeof *values);
    void *arena = world_memory(model->prepare(NULL, values));
    for (int again = 0; again < 3; again++) {
        float z[] = {-1, -1, -1, -1};
        OpgenRun run = {.inputs = (const void *[]){x},
                        .params = (const void *[]){w},
                        .outputs = (void *[]){z},
                        .arena = arena,
                        .folded = folded,
                        .values = values,
                        .threads = 1};
        assert_int_equal(model->run(&run), 0);
        for (int i = 0; i < 4; i++)
            assert_true(z[i] == 2 * (2 * w[i] + x[i]) && folded[i] == 2 * w[i]);
    }
    free(values);
    free(arena);
    free(folded);
    world_free(&world);
}

/* Neither params nor inputs: all of it is there when the instance is. */
static void constants_alone(void **state) {
    (void)state;
    World world;
    world_init(&world);
    world_emit(&world,
               world_read(&world, S("{'opgen': 1, 'name': 'alone', 'inputs': {}, 'nodes': [{'op': 'full', 'attrs': "
                                    "{'size': [2, 3], 'fill_value': 2.5}, 'out': 'f'}, {'op': 'twice', 'in': 'f', "
                                    "'out': 'y'}], 'outputs': ['y', 'f']}")));
    assert_int_equal(place_of(&world, "y").kind, PLACE_FOLDED);
    const OpgenModel *model = world_load(&world, "alone");
    assert_int_equal(model->param_count, 0);
    OpgenInstance *instance;
    if (opgen_create(model, NULL, &instance)) fail_msg("%s", opgen_last_error());
    for (int again = 0; again < 2; again++) {
        float y[6], f[6];
        int64_t shape[] = {2, 3};
        memset(y, 0xff, sizeof y), memset(f, 0xff, sizeof f);
        DLTensor outputs[] = {opgen_tensor(y, OPGEN_F32, 2, shape), opgen_tensor(f, OPGEN_F32, 2, shape)};
        assert_int_equal(opgen_run(instance, NULL, 0, outputs, 2, NULL), OPGEN_OK);
        for (int i = 0; i < 6; i++)
            assert_true(y[i] == 5 && f[i] == 2.5f);
    }
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    world_free(&world);
}

static void replaced_while_there(void **state) {
    (void)state;
    World world;
    world_init(&world);
    world_emit(&world, world_read(&world, S(MODEL)));
    const OpgenModel *model = world_load(&world, "kept");
    OpgenOptions options = opgen_options();
    options.no_weights = 1;
    OpgenInstance *instance;
    if (opgen_create(model, &options, &instance)) fail_msg("%s", opgen_last_error());
    float w[12], b[3], g[3], x[] = {1, -2, 3, 4, 5, -6};
    memcpy(w, weights, sizeof w), memcpy(b, bias, sizeof b), memcpy(g, gain, sizeof g);
    const char *names[] = {"w", "b", "g"};
    int64_t four_3[] = {4, 3}, two_3[] = {2, 3}, three[] = {3}, twelve[] = {12};
    DLTensor params[] = {opgen_tensor(w, OPGEN_F32, 2, four_3), opgen_tensor(b, OPGEN_F32, 1, three),
                         opgen_tensor(g, OPGEN_F32, 1, three)};
    assert_int_equal(opgen_weights_replace(instance, names, params, 3), OPGEN_OK);
    for (int turn = 0; turn < 6; turn++) {
        float y[6], q[12], v[12];
        memset(y, 0xff, sizeof y), memset(q, 0xff, sizeof q), memset(v, 0xff, sizeof v);
        DLTensor input = opgen_tensor(x, OPGEN_F32, 2, two_3),
                 outputs[] = {opgen_tensor(y, OPGEN_F32, 2, two_3), opgen_tensor(q, OPGEN_F32, 2, four_3),
                              opgen_tensor(v, OPGEN_F32, 1, twelve)};
        assert_int_equal(opgen_run(instance, &input, 1, outputs, 3, NULL), OPGEN_OK);
        assert_true(right(x, 2, w, b, g, y, q, v));
        float *changed = turn % 3 == 0 ? w : turn % 3 == 1 ? b : g;
        for (int i = 0; i < 3; i++)
            changed[i] = (float)(turn + i) - 2;
        assert_int_equal(opgen_weights_replace(instance, &names[turn % 3], &params[turn % 3], 1), OPGEN_OK);
    }
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_it_lies),        cmocka_unit_test(left_out),
        cmocka_unit_test(not_changed_in_place), cmocka_unit_test(constants_alone),
        cmocka_unit_test(replaced_while_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

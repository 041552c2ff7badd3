/* test_run.c: runs of a hand-written model: values, every check that comes before a run, the pool of contexts, handles.
 * After whatever failed, the model must still give the right values. */
#include "running.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static void sizes_from_none_to_many(void **state) {
    (void)state;
    OpgenInstance *instance = make_affine();
    for (int64_t batch = 0; batch < 40; batch++)
        runs_right(instance, batch);
    runs_right(instance, 1024);
    runs_right(instance, 1);
    assert_int_equal(opgen_trim(instance), OPGEN_OK);
    runs_right(instance, 7);
    assert_ptr_equal(opgen_model(instance), &affine);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void tensors_by_name(void **state) {
    (void)state;
    OpgenInstance *instance = make_affine();
    Tensors all;
    make_tensors(&all, 5);
    OpgenNamed inputs[] = {{"e", all.inputs[2]}, {"x", all.inputs[0]}, {"s", all.inputs[1]}};
    OpgenNamed outputs[] = {{"t", all.outputs[1]}, {"y", all.outputs[0]}};
    assert_int_equal(opgen_run_named(instance, inputs, 3, outputs, 2, NULL), OPGEN_OK);
    assert_true(outputs_right(&all, w, b));
    inputs[1].name = "X";
    failed(instance, opgen_run_named(instance, inputs, 3, outputs, 2, NULL), OPGEN_BAD_NAME, "no input \"X\"",
           "did you mean \"x\"?");
    inputs[1].name = "e";
    failed(instance, opgen_run_named(instance, inputs, 3, outputs, 2, NULL), OPGEN_BAD_NAME, "input \"e\"",
           "given twice");
    inputs[1].name = NULL;
    failed(instance, opgen_run_named(instance, inputs, 3, outputs, 2, NULL), OPGEN_BAD_ARGUMENT, "input 1", "NULL");
    inputs[1].name = "x";
    outputs[0].name = "q";
    failed(instance, opgen_run_named(instance, inputs, 3, outputs, 2, NULL), OPGEN_BAD_NAME, "no output \"q\"", "");
    failed(instance, opgen_run_named(instance, inputs, 2, outputs, 2, NULL), OPGEN_BAD_ARGUMENT,
           "wanted 3 inputs, got 2", "");
    free_tensors(&all);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void counts_and_nulls(void **state) {
    (void)state;
    OpgenInstance *instance = make_affine();
    Tensors all;
    make_tensors(&all, 3);
    failed(instance, opgen_run(NULL, all.inputs, 3, all.outputs, 2, NULL), OPGEN_BAD_ARGUMENT, "instance is NULL", "");
    failed(instance, opgen_run(instance, all.inputs, 2, all.outputs, 2, NULL), OPGEN_BAD_ARGUMENT, "3 inputs, got 2",
           "\"e\"");
    failed(instance, opgen_run(instance, all.inputs, 4, all.outputs, 2, NULL), OPGEN_BAD_ARGUMENT, "3 inputs, got 4",
           "");
    failed(instance, opgen_run(instance, all.inputs, -1, all.outputs, 2, NULL), OPGEN_BAD_ARGUMENT, "3 inputs, got -1",
           "");
    failed(instance, opgen_run(instance, all.inputs, 3, all.outputs, 1, NULL), OPGEN_BAD_ARGUMENT, "2 outputs, got 1",
           "\"t\"");
    failed(instance, opgen_run(instance, NULL, 3, all.outputs, 2, NULL), OPGEN_BAD_ARGUMENT, "list of inputs", "NULL");
    failed(instance, opgen_run(instance, all.inputs, 3, NULL, 2, NULL), OPGEN_BAD_ARGUMENT, "list of outputs", "NULL");
    all.inputs[0].data = NULL;
    failed(instance, run(instance, &all), OPGEN_BAD_ARGUMENT, "input \"x\": its data is NULL", "48 bytes");
    all.inputs[0].data = all.x;
    all.outputs[1].data = NULL;
    failed(instance, run(instance, &all), OPGEN_BAD_ARGUMENT, "output \"t\": its data is NULL", "");
    all.outputs[1].data = all.t;
    all.inputs[1].shape = NULL;
    failed(instance, run(instance, &all), OPGEN_BAD_ARGUMENT, "input \"s\"", "shape is NULL");
    free_tensors(&all);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void shapes_and_dtypes(void **state) {
    (void)state;
    OpgenInstance *instance = make_affine();
    Tensors all;
    make_tensors(&all, 3);
    all.inputs[0].ndim = 1;
    failed(instance, run(instance, &all), OPGEN_BAD_SHAPE, "input \"x\": wanted f32 (batch, 4), got f32 (3,)",
           "2 axes, got 1");
    all.inputs[0].ndim = -7;
    failed(instance, run(instance, &all), OPGEN_BAD_SHAPE, "input \"x\"", "rank -7");
    all.inputs[0].ndim = 2;
    all.inputs[0].dtype = opgen_dl_dtype(OPGEN_F16);
    failed(instance, run(instance, &all), OPGEN_BAD_DTYPE, "wanted f32 (batch, 4), got f16 (3, 4)", "dtypes differ");
    all.inputs[0].dtype.lanes = 4;
    failed(instance, run(instance, &all), OPGEN_BAD_DTYPE, "4 lanes", "");
    all.inputs[0].dtype = opgen_dl_dtype(OPGEN_F32);
    all.by_4[1] = 5;
    failed(instance, run(instance, &all), OPGEN_BAD_SHAPE, "got f32 (3, 5)", "axis 1 is 5, not 4");
    all.by_4[1] = -4;
    failed(instance, run(instance, &all), OPGEN_BAD_SHAPE, "axis 1 is negative", "");
    all.by_4[1] = COLUMNS;
    all.by_4[0] = 2000;
    failed(instance, run(instance, &all), OPGEN_BAD_SHAPE, "batch goes from 0 to 1024", "(2000, 4)");
    all.by_4[0] = INT64_MAX;
    failed(instance, run(instance, &all), OPGEN_BAD_SHAPE, "batch goes from 0 to 1024", "");
    all.by_4[0] = 3;
    int64_t two = 2;
    all.inputs[1].shape = &two;
    failed(instance, run(instance, &all), OPGEN_BAD_SHAPE, "input \"s\": wanted f32 (batch,), got f32 (2,)",
           "batch is 3 by input \"x\"");
    all.inputs[1].shape = &all.batch;
    all.twice = 5;
    failed(instance, run(instance, &all), OPGEN_BAD_SHAPE, "input \"e\": wanted i64 (2*batch,), got i64 (5,)",
           "2*batch is 6");
    all.twice = 6;
    all.odd = 8;
    failed(instance, run(instance, &all), OPGEN_BAD_SHAPE, "output \"t\": wanted i64 (2*batch + 1,), got i64 (8,)",
           "is 7");
    all.odd = 7;
    int64_t small[] = {2, COLUMNS};
    all.outputs[0].shape = small;
    failed(instance, run(instance, &all), OPGEN_BAD_SHAPE, "output \"y\"", "batch is 3 by input \"x\"");
    free_tensors(&all);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void layouts_and_devices(void **state) {
    (void)state;
    OpgenInstance *instance = make_affine();
    Tensors all;
    make_tensors(&all, 3);
    int64_t right[] = {4, 1}, columns_first[] = {1, 3}, single[] = {77, 1};
    all.inputs[0].strides = right;
    assert_int_equal(run(instance, &all), OPGEN_OK);
    assert_true(outputs_right(&all, w, b));
    all.inputs[0].strides = columns_first;
    failed(instance, run(instance, &all), OPGEN_BAD_LAYOUT, "input \"x\": wanted contiguous", "strides (1, 3)");
    all.inputs[0].strides = NULL;
    all.inputs[0].data = (char *)all.x + 2;
    failed(instance, run(instance, &all), OPGEN_BAD_LAYOUT, "input \"x\"",
           "multiple of 4 bytes, got an address 2 beyond");
    all.inputs[0].data = all.x;
    all.inputs[0].byte_offset = 3;
    failed(instance, run(instance, &all), OPGEN_BAD_LAYOUT, "input \"x\"", "3 beyond");
    all.inputs[0].byte_offset = UINT64_MAX - 8;
    failed(instance, run(instance, &all), OPGEN_BAD_LAYOUT, "input \"x\"", "byte_offset");
    all.inputs[0].byte_offset = 0;
    all.inputs[0].data = (void *)((uintptr_t)all.x - 16);
    all.inputs[0].byte_offset = 16;
    assert_int_equal(run(instance, &all), OPGEN_OK);
    assert_true(outputs_right(&all, w, b));
    all.inputs[0].data = all.x;
    all.inputs[0].byte_offset = 0;
    all.inputs[1].device.device_type = kDLCUDA;
    failed(instance, run(instance, &all), OPGEN_BAD_DEVICE, "input \"s\": wanted on CPU", "got on CUDA");
    all.inputs[1].device.device_type = kDLCUDAHost; /* pinned host memory is host memory */
    assert_int_equal(run(instance, &all), OPGEN_OK);
    all.inputs[1].device.device_type = kDLCPU;
    all.outputs[0].data = all.x;
    failed(instance, run(instance, &all), OPGEN_BAD_LAYOUT, "output \"y\" overlaps input \"x\"", "");
    all.outputs[0].data = (char *)all.x - 44;
    failed(instance, run(instance, &all), OPGEN_BAD_LAYOUT, "output \"y\" overlaps input \"x\"", "");
    all.outputs[0].data = (char *)all.t - 40; /* its last 8 bytes are t's first */
    failed(instance, run(instance, &all), OPGEN_BAD_LAYOUT, "output \"t\" overlaps output \"y\"", "");
    all.outputs[0].data = all.y; /* outputs are held to the same */
    memset(all.y, 0x55, 3 * COLUMNS * sizeof *all.y);
    all.outputs[0].strides = columns_first;
    failed(instance, run(instance, &all), OPGEN_BAD_LAYOUT, "output \"y\": wanted contiguous", "strides (1, 3)");
    all.outputs[0].strides = NULL;
    all.outputs[1].byte_offset = 4;
    failed(instance, run(instance, &all), OPGEN_BAD_LAYOUT, "output \"t\": wanted i64 at a multiple of 8",
           "4 beyond one");
    all.outputs[1].byte_offset = 0;
    all.outputs[1].device.device_type = kDLCUDA;
    failed(instance, run(instance, &all), OPGEN_BAD_DEVICE, "output \"t\": wanted on CPU", "got on CUDA");
    all.outputs[1].device.device_type = kDLCPU;
    all.outputs[0].dtype = opgen_dl_dtype(OPGEN_BF16);
    failed(instance, run(instance, &all), OPGEN_BAD_DTYPE, "output \"y\": wanted f32 (batch, 4), got bf16 (3, 4)", "");
    all.outputs[0].dtype = opgen_dl_dtype(OPGEN_F32);
    for (int64_t i = 0; i < 3 * COLUMNS; i++)
        assert_true(memcmp(&all.y[i], "\x55\x55\x55\x55", 4) == 0); /* nothing was written */
    assert_int_equal(run(instance, &all), OPGEN_OK);
    assert_true(outputs_right(&all, w, b));
    free_tensors(&all);
    make_tensors(&all, 1); /* an axis of one element may have any stride */
    all.inputs[0].strides = single;
    assert_int_equal(run(instance, &all), OPGEN_OK);
    free_tensors(&all);
    make_tensors(&all, 0); /* no elements: no data */
    all.inputs[0].data = all.inputs[1].data = all.inputs[2].data = all.outputs[0].data = NULL;
    assert_int_equal(run(instance, &all), OPGEN_OK);
    assert_true(outputs_right(&all, w, b));
    free_tensors(&all);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static int huge_shapes(const int64_t *dims, int64_t *sizes) { return dims[0] > 1000 ? -1 : affine_shapes(dims, sizes); }
static int64_t huge_arena(const int64_t *dims, int64_t *values) {
    return dims[0] > 900 ? -1 : dims[0] > 800 ? INT64_MAX / 2 : affine_prepare(dims, values);
}

/* What no machine has is not asked from the C library: the sanitizer ends a program that does. */
static void *modest_alloc(void *context, size_t size, size_t align) {
    (void)context;
    void *block;
    return size < 1 << 20 && posix_memalign(&block, align < sizeof(void *) ? sizeof(void *) : align, size) == 0 ? block
                                                                                                                : NULL;
}

static void modest_free(void *context, void *block, size_t size) {
    (void)context;
    (void)size;
    free(block);
}

static void sizes_that_do_not_fit(void **state) {
    (void)state;
    OpgenModel model = affine;
    model.shapes = huge_shapes;
    model.prepare = huge_arena;
    OpgenOptions options = opgen_options();
    options.allocator = (OpgenAllocator){modest_alloc, modest_free, NULL};
    OpgenInstance *instance = make(&model, &options);
    give_weights(instance);
    Tensors all;
    make_tensors(&all, 1001);
    failed(instance, run(instance, &all), OPGEN_BAD_SHAPE, "does not fit 64 bits", "batch=1001");
    free_tensors(&all);
    make_tensors(&all, 901);
    failed(instance, run(instance, &all), OPGEN_BAD_SHAPE, "its memory", "64 bits");
    free_tensors(&all);
    make_tensors(&all, 801);
    failed(instance, run(instance, &all), OPGEN_NO_MEMORY, "4611686018427387903 bytes", "");
    free_tensors(&all);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

/* What operators ask of sizes is told with the dims that do not meet it, by runs and by opgen_infer_shapes alike. */
static void unmet_requirements(void **state) {
    (void)state;
    OpgenInstance *instance = make(&affine, NULL);
    give_weights(instance);
    Tensors all;
    make_tensors(&all, 777);
    failed(instance, run(instance, &all), OPGEN_BAD_SHAPE, "affine: a batch of 777 cannot be halved with batch=777",
           "");
    failed(instance, opgen_infer_shapes(instance, all.inputs, 3, all.outputs, 2), OPGEN_BAD_SHAPE, "cannot be halved",
           "");
    for (int64_t i = 0; i < 777 * COLUMNS; i++)
        assert_true(memcmp(&all.y[i], "\x55\x55\x55\x55", 4) == 0); /* nothing was computed */
    free_tensors(&all);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void inferred_shapes(void **state) {
    (void)state;
    OpgenInstance *instance = make(&affine, NULL); /* no weights are needed for it */
    Tensors all;
    make_tensors(&all, 6);
    for (int i = 0; i < 3; i++)
        all.inputs[i].data = NULL; /* nor data */
    int64_t room[2][4] = {{0}};
    DLTensor outputs[2] = {opgen_tensor(all.y, OPGEN_BOOL, 4, room[0]), opgen_tensor(all.t, OPGEN_BOOL, 1, room[1])};
    assert_int_equal(opgen_infer_shapes(instance, all.inputs, 3, outputs, 2), OPGEN_OK);
    assert_int_equal(outputs[0].ndim, 2);
    assert_int_equal(room[0][0], 6);
    assert_int_equal(room[0][1], COLUMNS);
    assert_int_equal(room[1][0], 13);
    assert_int_equal(outputs[1].dtype.bits, 64);
    assert_ptr_equal(outputs[0].data, all.y);
    outputs[0].ndim = 1;
    failed(NULL, opgen_infer_shapes(instance, all.inputs, 3, outputs, 2), OPGEN_BAD_ARGUMENT, "output \"y\"",
           "room for 2 sizes, got room for 1");
    outputs[0].ndim = 2;
    failed(NULL, opgen_infer_shapes(instance, all.inputs, 3, outputs, 1), OPGEN_BAD_ARGUMENT, "2 outputs, got 1", "");
    all.twice++;
    failed(NULL, opgen_infer_shapes(instance, all.inputs, 3, outputs, 2), OPGEN_BAD_SHAPE, "input \"e\"",
           "2*batch is 12");
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    free_tensors(&all);
}

static void the_run_functions_own_status(void **state) {
    (void)state;
    OpgenInstance *instance = make_affine();
    Tensors all;
    make_tensors(&all, 2);
    affine_status = 1234;
    int status = run(instance, &all);
    affine_status = 0;
    failed(instance, status, 1234, "affine: its run function returned 1234", "");
    free_tensors(&all);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void handles(void **state) {
    (void)state;
    assert_int_equal(opgen_free(NULL), OPGEN_OK);
    OpgenInstance *instance = make_affine(), *others[300];
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    failed(NULL, opgen_free(instance), OPGEN_BAD_ARGUMENT, "freed before", "");
    Tensors all;
    make_tensors(&all, 2);
    failed(NULL, run(instance, &all), OPGEN_BAD_ARGUMENT, "opgen_run", "freed before");
    failed(NULL, opgen_weights_load(instance, "x"), OPGEN_BAD_ARGUMENT, "freed before", "");
    assert_null(opgen_model(instance));
    OpgenInstance *next = make_affine(); /* the handle that was freed is not soon another's */
    assert_ptr_not_equal(next, instance);
    failed(next, opgen_free(instance), OPGEN_BAD_ARGUMENT, "freed before", "");
    for (int i = 0; i < 300; i++) {
        others[i] = make(&fixed, NULL);
        for (int k = 0; k < i; k++)
            assert_ptr_not_equal(others[i], others[k]);
    }
    for (int i = 0; i < 300; i++)
        assert_int_equal(opgen_free(others[i]), OPGEN_OK);
    runs_right(next, 4);
    assert_int_equal(opgen_free(next), OPGEN_OK);
    free_tensors(&all);
}

/* ---- the pool ---- */

/* A run that waits inside of the model until it is let go. */
static atomic_int inside, let_go;

static int slow_run(const OpgenRun *given) {
    atomic_fetch_add(&inside, 1);
    while (!atomic_load(&let_go))
        usleep(100);
    atomic_fetch_sub(&inside, 1);
    return affine_run(given);
}

static void *one_run(void *instance) {
    Tensors all;
    make_tensors(&all, 2);
    int status = run(instance, &all);
    bool right = status == OPGEN_OK && outputs_right(&all, w, b);
    free_tensors(&all);
    return right ? instance : NULL;
}

static void wait_inside(int count) {
    while (atomic_load(&inside) != count)
        usleep(100);
}

static void a_full_pool_is_busy_or_waits(void **state) {
    (void)state;
    OpgenModel model = affine;
    model.run = slow_run;
    for (int busy = 0; busy < 2; busy++) {
        OpgenOptions options = opgen_options();
        options.contexts = 2;
        options.busy = busy;
        OpgenInstance *instance = make(&model, &options);
        give_weights(instance);
        pthread_t threads[3];
        atomic_store(&let_go, 0);
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, one_run, instance), 0);
        wait_inside(2);
        failed(NULL, opgen_free(instance), OPGEN_BUSY, "opgen_free", "2 calls are");
        give_weights(instance); /* swaps do not wait for runs */
        Tensors all;
        make_tensors(&all, 2);
        int64_t shapes[2][2];
        DLTensor inferred[] = {opgen_tensor(NULL, OPGEN_F32, 2, shapes[0]),
                               opgen_tensor(NULL, OPGEN_I64, 1, shapes[1])};
        assert_int_equal(opgen_infer_shapes(instance, all.inputs, 3, inferred, 2), OPGEN_OK); /* nor does this */
        if (busy) {
            failed(NULL, run(instance, &all), OPGEN_BUSY, "all 2 contexts", "");
        } else {
            assert_int_equal(pthread_create(&threads[2], NULL, one_run, instance), 0);
            usleep(20000);
            assert_int_equal(atomic_load(&inside), 2);
        }
        atomic_store(&let_go, 1);
        for (int i = 0; i < (busy ? 2 : 3); i++) {
            void *right;
            assert_int_equal(pthread_join(threads[i], &right), 0);
            assert_non_null(right);
        }
        assert_int_equal(run(instance, &all), OPGEN_OK);
        free_tensors(&all);
        assert_int_equal(opgen_free(instance), OPGEN_OK);
    }
}

static void *read_error(void *unused) {
    (void)unused;
    char before = opgen_last_error()[0];
    opgen_run(NULL, NULL, 0, NULL, 0, NULL);
    return before == '\0' && strstr(opgen_last_error(), "instance is NULL") ? &let_go : NULL;
}

static void each_thread_has_its_error(void **state) {
    (void)state;
    opgen_close((OpgenLibrary *)(void *)&let_go);
    char *mine = strdup(opgen_last_error());
    assert_non_null(strstr(mine, "not open"));
    pthread_t thread;
    void *right;
    assert_int_equal(pthread_create(&thread, NULL, read_error, NULL), 0);
    assert_int_equal(pthread_join(thread, &right), 0);
    assert_non_null(right);
    assert_string_equal(opgen_last_error(), mine);
    free(mine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_from_none_to_many),
        cmocka_unit_test(tensors_by_name),
        cmocka_unit_test(counts_and_nulls),
        cmocka_unit_test(shapes_and_dtypes),
        cmocka_unit_test(layouts_and_devices),
        cmocka_unit_test(sizes_that_do_not_fit),
        cmocka_unit_test(unmet_requirements),
        cmocka_unit_test(inferred_shapes),
        cmocka_unit_test(the_run_functions_own_status),
        cmocka_unit_test(handles),
        cmocka_unit_test(a_full_pool_is_busy_or_waits),
        cmocka_unit_test(each_thread_has_its_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

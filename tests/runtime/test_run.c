/* test_run.c: runs of a hand-written model: values, every check that comes before a run, the pool of contexts, handles,
 * memory that is not there, devices with streams. After whatever failed, the model must still give the right values. */
#include "model.h"

#include "opgen_device.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include <cmocka.h>

static const float w[COLUMNS] = {1, 2, 3, 4}, b[COLUMNS] = {10, 20, 30, 40};

static void give_weights(OpgenInstance *instance) {
    int64_t four = COLUMNS;
    const char *names[] = {"w", "b"};
    DLTensor tensors[] = {opgen_tensor((void *)(uintptr_t)w, OPGEN_F32, 1, &four),
                          opgen_tensor((void *)(uintptr_t)b, OPGEN_F32, 1, &four)};
    assert_int_equal(opgen_weights_replace(instance, names, tensors, 2), OPGEN_OK);
}

static OpgenInstance *make(const OpgenModel *model, const OpgenOptions *options) {
    OpgenInstance *instance;
    if (opgen_create(model, options, &instance)) fail_msg("%s", opgen_last_error());
    return instance;
}

static OpgenInstance *make_affine(void) {
    OpgenInstance *instance = make(&affine, NULL);
    give_weights(instance);
    return instance;
}

static int run(OpgenInstance *instance, const Tensors *all) {
    return opgen_run(instance, all->inputs, 3, all->outputs, 2, NULL);
}

static void runs_right(OpgenInstance *instance, int64_t batch) {
    Tensors all;
    make_tensors(&all, batch);
    if (run(instance, &all)) fail_msg("%s", opgen_last_error());
    assert_true(outputs_right(&all, w, b));
    free_tensors(&all);
}

/* The call failed with this status, the text has these parts, and the model still works. */
static void failed(OpgenInstance *instance, int got, int wanted, const char *first, const char *second) {
    if (got != wanted || !strstr(opgen_last_error(), first) || !strstr(opgen_last_error(), second))
        fail_msg("status %d (wanted %d): %s (wanted: %s ... %s)", got, wanted, opgen_last_error(), first, second);
    if (instance) runs_right(instance, 3);
}

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

/* ---- memory ---- */

typedef struct Memory {
    long calls, fail_at; /* the call that fails; 0: none */
    long swept;          /* how many calls there are to fail */
    long blocks;
    size_t bytes;
} Memory;

static void *counted_alloc(void *context, size_t size, size_t align) {
    Memory *memory = context;
    if (size == 0 || align == 0 || (align & (align - 1)) != 0) abort();
    if (++memory->calls == memory->fail_at) return NULL;
    void *block;
    if (posix_memalign(&block, align < sizeof(void *) ? sizeof(void *) : align, size) != 0) return NULL;
    memset(block, 0xA5, size);
    memory->blocks++;
    memory->bytes += size;
    return block;
}

static void counted_free(void *context, void *block, size_t size) {
    Memory *memory = context;
    memory->blocks--;
    memory->bytes -= size;
    free(block);
}

static int all_of_it(Memory *memory, const char *path) {
    OpgenOptions options = opgen_options();
    options.allocator = (OpgenAllocator){counted_alloc, counted_free, memory};
    options.contexts = 2;
    options.weights = path;
    OpgenInstance *instance;
    int status = opgen_create(&affine, &options, &instance);
    if (status) {
        assert_null(instance);
        return status;
    }
    Tensors all;
    make_tensors(&all, 3);
    int64_t four = COLUMNS, shapes[2][2];
    const char *name = "w";
    DLTensor replacement = opgen_tensor((void *)(uintptr_t)w, OPGEN_F32, 1, &four);
    DLTensor inferred[] = {opgen_tensor(NULL, OPGEN_F32, 2, shapes[0]), opgen_tensor(NULL, OPGEN_I64, 1, shapes[1])};
    int worst = OPGEN_OK, failures = 0;
    for (int round = 0; round < 2; round++) {
        const int statuses[] = {run(instance, &all), opgen_weights_replace(instance, &name, &replacement, 1),
                                opgen_weights_load(instance, path),
                                opgen_infer_shapes(instance, all.inputs, 3, inferred, 2)};
        for (int i = 0; i < 4; i++) {
            if (!statuses[i]) continue;
            worst = statuses[i];
            failures++;
        }
        if (!statuses[0]) assert_true(outputs_right(&all, w, b));
    }
    assert_in_range(failures, 0, 1); /* what comes after the one that failed goes well */
    memory->swept = memory->calls;
    memory->fail_at = 0;
    runs_right(instance, 9);
    free_tensors(&all);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    return worst;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    char *path = temporary("sweep.safetensors");
    float data[] = {1, 2, 3, 4, 10, 20, 30, 40};
    write_stored(path,
                 "{\"w\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]},\"b\":{\"dtype\":\"F32\",\"shape\":["
                 "4],\"data_offsets\":[16,32]}}",
                 data, sizeof data);
    Memory memory = {0};
    assert_int_equal(all_of_it(&memory, path), OPGEN_OK);
    assert_int_equal(memory.blocks, 0);
    assert_int_equal(memory.bytes, 0);
    long calls = memory.swept;
    assert_in_range(calls, 20, 200);
    for (long i = 1; i <= calls; i++) {
        memory = (Memory){.fail_at = i};
        assert_int_equal(all_of_it(&memory, path), OPGEN_NO_MEMORY);
        assert_int_equal(memory.blocks, 0);
        assert_int_equal(memory.bytes, 0);
    }
    free(path);
}

static void *crooked_alloc(void *context, size_t size, size_t align) {
    (void)context;
    (void)align;
    return (char *)malloc(size + 1) + 1;
}

static void crooked_free(void *context, void *block, size_t size) {
    (void)context;
    (void)size;
    free((char *)block - 1);
}

/* ---- what opgen_create refuses ---- */

static void bad_models_and_options(void **state) {
    (void)state;
    OpgenInstance *instance;
    failed(NULL, opgen_create(NULL, NULL, &instance), OPGEN_BAD_ARGUMENT, "NULL", "");
    failed(NULL, opgen_create(&affine, NULL, NULL), OPGEN_BAD_ARGUMENT, "NULL", "");
    OpgenModel model = affine;
    model.abi = OPGEN_ABI + 1;
    failed(NULL, opgen_create(&model, NULL, &instance), OPGEN_BAD_ABI, "generate it again", "");
    assert_null(instance);
    model = affine;
    model.backend = "cuda";
    failed(NULL, opgen_create(&model, NULL, &instance), OPGEN_BAD_DEVICE, "backend \"cuda\"", "");
    model = affine;
    model.run = NULL;
    failed(NULL, opgen_create(&model, NULL, &instance), OPGEN_BAD_ARGUMENT, "broken", "");
    model = affine;
    model.dim_count = 0; /* axes name one */
    failed(NULL, opgen_create(&model, NULL, &instance), OPGEN_BAD_ARGUMENT, "input 0", "");
    OpgenOptions options = opgen_options();
    options.contexts = -1;
    failed(NULL, opgen_create(&affine, &options, &instance), OPGEN_BAD_ARGUMENT, "contexts is -1", "");
    options = opgen_options();
    options.threads = -1;
    failed(NULL, opgen_create(&affine, &options, &instance), OPGEN_BAD_ARGUMENT, "threads is -1", "");
    options = opgen_options();
    options.size += 8;
    failed(NULL, opgen_create(&affine, &options, &instance), OPGEN_BAD_ARGUMENT, "opgen_options()", "");
    options = opgen_options();
    options.allocator.alloc = counted_alloc;
    failed(NULL, opgen_create(&affine, &options, &instance), OPGEN_BAD_ARGUMENT, "only one of", "");
    options.allocator = (OpgenAllocator){crooked_alloc, crooked_free, NULL};
    failed(NULL, opgen_create(&affine, &options, &instance), OPGEN_NO_MEMORY, "multiple of", "");
    options = opgen_options();
    options.size = offsetof(OpgenOptions, weights); /* an older header */
    options.contexts = 3;
    instance = make(&affine, &options);
    give_weights(instance);
    runs_right(instance, 2);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void looking_at_a_model(void **state) {
    (void)state;
    assert_int_equal(opgen_find_input(&affine, "e"), 2);
    assert_int_equal(opgen_find_output(&affine, "t"), 1);
    assert_int_equal(opgen_find_param(&affine, "b"), 1);
    assert_int_equal(opgen_find_dim(&affine, "batch"), 0);
    assert_int_equal(opgen_find_dim(&affine, "bacth"), -1);
    assert_non_null(strstr(opgen_last_error(), "did you mean \"batch\"?"));
    assert_int_equal(opgen_find_param(&affine, NULL), -1);
    char text[64], brief[12];
    assert_int_equal(opgen_describe(&affine, &affine.outputs[1], text, sizeof text),
                     (int)strlen("t: i64 (2*batch + 1,)"));
    assert_string_equal(text, "t: i64 (2*batch + 1,)");
    assert_int_equal(opgen_describe(&affine, &affine.outputs[1], brief, sizeof brief),
                     (int)strlen("t: i64 (2*batch + 1,)"));
    assert_string_equal(brief, "t: i64 (...");
    assert_int_equal(opgen_describe(&affine, &affine.outputs[1], NULL, 0), (int)strlen("t: i64 (2*batch + 1,)"));
    int64_t min, max;
    opgen_axis_range(&affine, &batch_by_4[0], &min, &max);
    assert_true(min == 0 && max == 1024);
    opgen_axis_range(&affine, &batch_by_4[1], &min, &max);
    assert_true(min == 4 && max == 4);
    for (int i = OPGEN_BOOL; i <= OPGEN_F64; i++) {
        OpgenDtype dtype;
        assert_int_equal(opgen_dtype_of(opgen_dl_dtype((OpgenDtype)i), &dtype), 0);
        assert_int_equal(dtype, i);
        assert_int_equal(opgen_dl_dtype((OpgenDtype)i).bits, opgen_dtype_size((OpgenDtype)i) * 8);
    }
    int64_t large[] = {INT64_MAX / 4, 2, 1}, none[] = {INT64_MAX, INT64_MAX, 0};
    assert_int_equal(opgen_shape_bytes(OPGEN_F32, 2, large), -1);
    assert_int_equal(opgen_shape_bytes(OPGEN_U8, 2, large), INT64_MAX / 4 * 2);
    assert_int_equal(opgen_shape_bytes(OPGEN_F32, 3, none), 0);
    for (int i = OPGEN_OK; i <= OPGEN_DEVICE_FAILED; i++)
        assert_true(strlen(opgen_status_text(i)) > 0);
    assert_non_null(opgen_status_text(-1));
}

static void nan_is_found(void **state) {
    (void)state;
    setenv("OPGEN_CHECK", "nan", 1);
    OpgenInstance *instance = make_affine();
    unsetenv("OPGEN_CHECK");
    Tensors all;
    make_tensors(&all, 5);
    uint32_t bits = 0x7fc00000;
    memcpy(&all.x[9], &bits, 4);
    failed(instance, run(instance, &all), OPGEN_FOUND_NAN, "input \"x\" has a NaN at (2, 1)", "");
    /* inf - inf: of a model without a table of calls, what comes out is looked at */
    all.x[9] = INFINITY, all.s[2] = -INFINITY;
    failed(instance, run(instance, &all), OPGEN_FOUND_NAN, "output \"y\"", "NaN at (2, 1)");
    free_tensors(&all);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

/* ---- a device with streams: host memory under another name, that counts what is done with it ---- */

static struct {
    long blocks, events, recorded, waited, synchronized, uploads;
    bool fail_alloc;
} streams;

static int streamed_alloc(int32_t id, size_t size, size_t align, void **memory) {
    if (streams.fail_alloc || id != 1) return 2;
    streams.blocks++;
    return posix_memalign(memory, align, size);
}
static void streamed_free(int32_t id, void *memory, size_t size) {
    (void)id;
    (void)size;
    streams.blocks--;
    free(memory);
}
static int streamed_copy(int32_t id, void *to, const void *from, size_t size, OpgenCopy way, void *stream) {
    (void)id;
    (void)stream;
    streams.uploads += way == OPGEN_TO_DEVICE;
    memcpy(to, from, size);
    return 0;
}
static const char *streamed_error(int error) { return error == 2 ? "the device is full" : "?"; }
static int streamed_synchronize(int32_t id, void *stream) {
    (void)id;
    (void)stream;
    return 0;
}
static int streamed_event_new(int32_t id, void **event) {
    (void)id;
    streams.events++;
    *event = malloc(1);
    return 0;
}
static void streamed_event_free(int32_t id, void *event) {
    (void)id;
    streams.events--;
    free(event);
}
static int streamed_record(int32_t id, void *event, void *stream) {
    (void)id;
    (void)event;
    (void)stream;
    streams.recorded++;
    return 0;
}
static int streamed_wait(int32_t id, void *event, void *stream) {
    (void)id;
    (void)event;
    (void)stream;
    streams.waited++;
    return 0;
}
static int streamed_event_synchronize(int32_t id, void *event) {
    (void)id;
    (void)event;
    streams.synchronized++;
    return 0;
}

static void a_device_with_streams(void **state) {
    (void)state;
    const OpgenDevice device = {
        .abi = OPGEN_ABI,
        .name = "streamed",
        .dl_device = kDLExtDev,
        .host = 0,
        .alloc = streamed_alloc,
        .free = streamed_free,
        .copy = streamed_copy,
        .error_text = streamed_error,
        .synchronize = streamed_synchronize,
        .event_new = streamed_event_new,
        .event_free = streamed_event_free,
        .event_record = streamed_record,
        .event_wait = streamed_wait,
        .event_synchronize = streamed_event_synchronize,
    };
    OpgenModel model = affine;
    OpgenOptions options = opgen_options();
    options.device = &device;
    options.device_id = 1;
    OpgenInstance *instance;
    failed(NULL, opgen_create(&affine, &options, &instance), OPGEN_BAD_DEVICE, "\"cpu\"", "\"streamed\"");
    model.backend = "streamed";
    instance = make(&model, &options);
    give_weights(instance);
    assert_int_equal(streams.uploads, 2);
    Tensors all;
    make_tensors(&all, 3);
    failed(NULL, run(instance, &all), OPGEN_BAD_DEVICE, "input \"x\"", "extension device 1, got on CPU 0");
    for (int i = 0; i < 5; i++)
        (i < 3 ? &all.inputs[i] : &all.outputs[i - 3])->device = (DLDevice){kDLExtDev, 1};
    assert_int_equal(run(instance, &all), OPGEN_OK);
    assert_true(outputs_right(&all, w, b));
    assert_int_equal(streams.recorded, 1);
    assert_int_equal(streams.waited, 0);
    assert_int_equal(run(instance, &all), OPGEN_OK);
    assert_int_equal(streams.waited, 1);
    assert_int_equal(streams.synchronized, 0);
    long before = streams.blocks;
    give_weights(instance); /* the old weights stay until the run that uses them is known to be over */
    assert_int_equal(streams.blocks, before + 2);
    assert_int_equal(run(instance, &all), OPGEN_OK);
    assert_true(outputs_right(&all, w, b));
    assert_int_equal(streams.synchronized, 1);
    assert_int_equal(streams.blocks, before);
    free_tensors(&all);
    make_tensors(&all, 100);
    for (int i = 0; i < 5; i++)
        (i < 3 ? &all.inputs[i] : &all.outputs[i - 3])->device = (DLDevice){kDLExtDev, 1};
    streams.fail_alloc = true;
    failed(NULL, run(instance, &all), OPGEN_NO_MEMORY, "the device is full", "1600 bytes");
    streams.fail_alloc = false;
    assert_int_equal(run(instance, &all), OPGEN_OK);
    assert_true(outputs_right(&all, w, b));
    free_tensors(&all);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    assert_int_equal(streams.blocks, 0);
    assert_int_equal(streams.events, 0);
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
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(bad_models_and_options),
        cmocka_unit_test(looking_at_a_model),
        cmocka_unit_test(nan_is_found),
        cmocka_unit_test(a_device_with_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

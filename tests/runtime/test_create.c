/* test_create.c: what instances are made with: memory that is not there, descriptions and options that are wrong,
 * checks that the environment asks for, devices with streams. After whatever failed, the model must still give the
 * right values. */
#include "running.h"

#include "opgen_device.h"

#include <math.h>
#include <unistd.h>

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
        cmocka_unit_test(every_allocation_may_fail), cmocka_unit_test(bad_models_and_options),
        cmocka_unit_test(looking_at_a_model),        cmocka_unit_test(nan_is_found),
        cmocka_unit_test(a_device_with_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

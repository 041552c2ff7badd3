/* What kernels of a device find in their own time, an index that is no position: who is told of it, when, and that the
 * instance works as before. The device's memory is the host's; its kernels are done when somebody waits for an event.
 */
#include "running.h"

#include "opgen_device.h"

static struct {
    bool bad, slow, refuses; /* the next run finds something; it does so when it is waited for; no shared memory */
    int64_t *late;           /* where it will */
    int runs, shared;
    int64_t *told; /* OpgenRun.fault of the last run */
} seen;

static int fake_alloc(int32_t device, size_t size, size_t align, void **memory) {
    (void)device;
    return posix_memalign(memory, align < 64 ? 64 : align, size);
}
static void fake_free(int32_t device, void *memory, size_t size) { (void)device, (void)size, free(memory); }
static int fake_copy(int32_t device, void *to, const void *from, size_t size, OpgenCopy way, void *stream) {
    (void)device, (void)way, (void)stream;
    memcpy(to, from, size);
    return 0;
}
static const char *fake_text(int error) { return (void)error, "no such memory"; }
static int fake_event_new(int32_t device, void **event) { return (void)device, *event = malloc(1), 0; }
static void fake_event_free(int32_t device, void *event) { (void)device, free(event); }
static int fake_event(int32_t device, void *event, void *stream) { return (void)device, (void)event, (void)stream, 0; }

static void find(int64_t *fault) {
    const int64_t found[4] = {9, 7, 1, 1};
    memcpy(fault, found, sizeof found);
}

static int wait_for(int32_t device, void *what) {
    (void)device, (void)what;
    if (seen.late) find(seen.late);
    seen.late = NULL;
    return 0;
}

static int shared_new(int32_t device, size_t size, void **memory) {
    *memory = NULL;
    if (seen.refuses) return 3;
    seen.shared++;
    int error = fake_alloc(device, size, 64, memory);
    if (!error) memset(*memory, 0xa5, size); /* it is nobody's promise that it is clear */
    return error;
}

static void shared_free(int32_t device, void *memory) {
    (void)device;
    seen.shared--;
    free(memory);
}

static OpgenDevice make_device(void) {
    OpgenDevice device = {.abi = OPGEN_ABI, .name = "fake", .dl_device = kDLExtDev, .alloc = fake_alloc};
    device.free = fake_free;
    device.copy = fake_copy;
    device.error_text = fake_text;
    device.synchronize = wait_for;
    device.event_new = fake_event_new;
    device.event_free = fake_event_free;
    device.event_record = device.event_wait = fake_event;
    device.event_synchronize = wait_for;
    device.shared_new = shared_new;
    device.shared_free = shared_free;
    return device;
}

static int fake_run(const OpgenRun *run) {
    seen.runs++;
    seen.told = run->fault;
    if (seen.bad && seen.slow)
        seen.late = run->fault;
    else if (seen.bad)
        find(run->fault);
    return affine_run(run);
}

static OpgenDevice device;
static OpgenModel model;

static OpgenInstance *make_fake(int32_t contexts) {
    static const OpgenCall calls[] = {{"f", "mul", "h", 0, 0, -1, -1}, {"g", "embedding", "e_rows", 0, 0, -1, -1}};
    memset(&seen, 0, sizeof seen);
    device = make_device();
    model = affine;
    model.backend = "fake";
    model.run = fake_run;
    model.calls = calls;
    model.call_count = 2;
    OpgenOptions options = opgen_options();
    options.device = &device;
    options.contexts = contexts;
    OpgenInstance *instance = make(&model, &options);
    give_weights(instance);
    return instance;
}

static void on_device(Tensors *all) {
    make_tensors(all, 4);
    for (int i = 0; i < 3; i++)
        all->inputs[i].device.device_type = kDLExtDev;
    for (int i = 0; i < 2; i++)
        all->outputs[i].device.device_type = kDLExtDev;
}

static void is_right(OpgenInstance *instance, Tensors *all) {
    if (run(instance, all)) fail_msg("%s", opgen_last_error());
    if (opgen_wait(instance)) fail_msg("%s", opgen_last_error());
    assert_true(outputs_right(all, w, b));
}

static void runs_bad(OpgenInstance *instance, Tensors *all, bool slow) {
    seen.bad = true;
    seen.slow = slow;
    assert_int_equal(run(instance, all), OPGEN_OK);
    seen.bad = false;
}

static const char text[] = "affine: node \"e_rows\": position 9 is beyond the 7 that there are";

static void test_wait(void **state) {
    (void)state;
    OpgenInstance *instance = make_fake(1);
    Tensors all;
    on_device(&all);
    is_right(instance, &all);
    for (int slow = 0; slow < 2; slow++) {
        runs_bad(instance, &all, slow != 0);
        failed(NULL, opgen_wait(instance), OPGEN_BAD_INDEX, text, "");
        assert_null(strstr(opgen_last_error(), "earlier"));
        assert_int_equal(opgen_wait(instance), OPGEN_OK);
        is_right(instance, &all);
    }
    assert_int_equal(opgen_wait(NULL), OPGEN_BAD_ARGUMENT);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    assert_int_equal(seen.shared, 0);
    free_tensors(&all);
}

static void test_next(void **state) {
    (void)state;
    OpgenInstance *instance = make_fake(1);
    Tensors all;
    on_device(&all);
    runs_bad(instance, &all, false);
    int before = seen.runs;
    failed(NULL, run(instance, &all), OPGEN_BAD_INDEX, text, "an earlier run found it, and this one was not begun");
    assert_int_equal(seen.runs, before);
    is_right(instance, &all);
    /* One that is under way says nothing yet, and the run behind it is begun. */
    runs_bad(instance, &all, true);
    assert_int_equal(run(instance, &all), OPGEN_OK);
    assert_int_equal(seen.runs, before + 3);
    failed(NULL, opgen_wait(instance), OPGEN_BAD_INDEX, text, "");
    is_right(instance, &all);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    free_tensors(&all);
}

/* A run that is watched returns when it is done, and is told itself. */
static void test_watched(void **state) {
    (void)state;
    OpgenInstance *instance = make_fake(3);
    Tensors all;
    on_device(&all);
    assert_int_equal(opgen_profile_start(instance), OPGEN_OK);
    seen.bad = seen.slow = true;
    failed(NULL, run(instance, &all), OPGEN_BAD_INDEX, text, "");
    seen.bad = false;
    is_right(instance, &all);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    assert_int_equal(seen.shared, 0);
    free_tensors(&all);
}

static int fold(const OpgenRun *run) {
    if (seen.bad) find(run->fault);
    return 0;
}

static void test_fold(void **state) {
    (void)state;
    OpgenInstance *instance = make_fake(1);
    Tensors all;
    on_device(&all);
    is_right(instance, &all);
    OpgenModel folding = model;
    folding.fold = fold;
    OpgenOptions options = opgen_options();
    options.device = &device;
    OpgenInstance *other = make(&folding, &options);
    int64_t four = COLUMNS;
    const char *names[] = {"w", "b"};
    DLTensor tensors[] = {opgen_tensor((void *)(uintptr_t)w, OPGEN_F32, 1, &four),
                          opgen_tensor((void *)(uintptr_t)b, OPGEN_F32, 1, &four)};
    seen.bad = true;
    failed(NULL, opgen_weights_replace(other, names, tensors, 2), OPGEN_BAD_INDEX, text, "");
    seen.bad = false;
    assert_int_equal(opgen_weights_replace(other, names, tensors, 2), OPGEN_OK);
    is_right(other, &all);
    assert_int_equal(opgen_free(other), OPGEN_OK);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    assert_int_equal(seen.shared, 0);
    free_tensors(&all);
}

static void test_none(void **state) {
    (void)state;
    OpgenInstance *instance = make_fake(1);
    Tensors all;
    on_device(&all);
    is_right(instance, &all);
    assert_non_null(seen.told);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    /* A device without such memory: kernels are told that nobody listens. */
    device.shared_new = NULL;
    OpgenOptions options = opgen_options();
    options.device = &device;
    instance = make(&model, &options);
    give_weights(instance);
    is_right(instance, &all);
    assert_null(seen.told);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    /* And one that has none left. */
    device.shared_new = shared_new;
    seen.refuses = true;
    failed(NULL, opgen_create(&model, &options, &instance), OPGEN_DEVICE_FAILED, "memory that it shares with the host",
           "no such memory");
    assert_null(instance);
    free_tensors(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait), cmocka_unit_test(test_next), cmocka_unit_test(test_watched),
        cmocka_unit_test(test_fold), cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

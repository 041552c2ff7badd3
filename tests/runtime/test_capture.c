/* Runs on a device with graphs: which are captured and launched, what happens when they are many, and what a device
 * says before anything runs. The device's memory is the host's; a graph is a run whose addresses are kept. */
#include "running.h"

#include "opgen_device.h"

enum { MOST_GRAPHS = 64, KEPT = 8 };

typedef struct Graph {
    const void *inputs[KEPT], *params[KEPT];
    void *outputs[KEPT], *arena;
    int64_t dims[KEPT], values[KEPT];
} Graph;

static struct {
    int eager, captured, launched, live, most_live;
    bool capturing_caller, foreign, refuses_capture;
    int launch_error, entered, left, streams;
    const char *unfit;
    Graph *now; /* that is being captured */
} seen;

static char capture_stream, own_stream, other_stream; /* the last is another device's */

static int fake_alloc(int32_t device, size_t size, size_t align, void **memory) {
    (void)device;
    return posix_memalign(memory, align < 64 ? 64 : align, size);
}

static void fake_free(int32_t device, void *memory, size_t size) {
    (void)device, (void)size;
    free(memory);
}

static int fake_copy(int32_t device, void *to, const void *from, size_t size, OpgenCopy way, void *stream) {
    (void)device, (void)way, (void)stream;
    memcpy(to, from, size);
    return 0;
}

static const char *fake_text(int error) { return error == 7 ? "fakeLaunch: out of luck" : "some error"; }
static int fake_synchronize(int32_t device, void *stream) { return (void)device, (void)stream, 0; }
static int fake_event_new(int32_t device, void **event) { return (void)device, *event = malloc(1), 0; }
static void fake_event_free(int32_t device, void *event) { (void)device, free(event); }
static int fake_event(int32_t device, void *event, void *stream) { return (void)device, (void)event, (void)stream, 0; }
static int fake_event_record(int32_t device, void *event, void *stream) {
    return (void)device, (void)event, stream == &other_stream ? 7 : 0;
}
static int fake_event_synchronize(int32_t device, void *event) { return (void)device, (void)event, 0; }
static int fake_enter(int32_t device, int32_t *before) { return (void)device, *before = 5, seen.entered++, 0; }

static int fake_leave(int32_t before) {
    int error = seen.launch_error;
    seen.left += before == 5;
    seen.launch_error = 0;
    return error;
}

static int fake_fits(int32_t device, const char *arch, char *why, size_t size) {
    (void)device;
    snprintf(why, size, "%s%s", seen.unfit ? seen.unfit : "", seen.unfit ? arch : "");
    return 0;
}

static int fake_owns(int32_t device, const void *memory, int *answer) {
    return (void)device, (void)memory, *answer = !seen.foreign, 0;
}

static int fake_look(int32_t device, void *stream, OpgenStream *about) {
    return (void)device, (void)stream, *about = (OpgenStream){.captured = seen.capturing_caller}, 0;
}

static int fake_stream_new(int32_t device, void **stream) {
    (void)device;
    seen.streams++;
    *stream = &capture_stream;
    return 0;
}

static void fake_stream_free(int32_t device, void *stream) {
    (void)device;
    assert_ptr_equal(stream, &capture_stream);
    seen.streams--;
}

static int fake_begin(int32_t device, void *stream) {
    (void)device;
    assert_ptr_equal(stream, &capture_stream);
    if (seen.refuses_capture) return 9;
    seen.now = calloc(1, sizeof *seen.now);
    return 0;
}

static int fake_end(int32_t device, void *stream, void **graph, size_t *nodes) {
    (void)device;
    assert_ptr_equal(stream, &capture_stream);
    *graph = seen.now;
    *nodes = 1;
    seen.now = NULL;
    if (++seen.live > seen.most_live) seen.most_live = seen.live;
    return 0;
}

static int fake_launch(int32_t device, void *graph, void *stream, void *event) {
    (void)device, (void)event;
    const Graph *kept = graph;
    const OpgenRun again = {.inputs = kept->inputs,
                            .params = kept->params,
                            .outputs = kept->outputs,
                            .arena = kept->arena,
                            .dims = kept->dims,
                            .values = kept->values,
                            .stream = stream};
    seen.launched++;
    return affine_run(&again);
}

static void fake_graph_free(int32_t device, void *graph) {
    (void)device;
    seen.live--;
    free(graph);
}

static int fake_run(const OpgenRun *run) {
    if (run->stream != &capture_stream) {
        seen.eager++;
        return affine_run(run);
    }
    seen.captured++;
    memcpy(seen.now->inputs, run->inputs, 3 * sizeof *run->inputs);
    memcpy(seen.now->params, run->params, 2 * sizeof *run->params);
    memcpy(seen.now->outputs, run->outputs, 2 * sizeof *run->outputs);
    memcpy(seen.now->dims, run->dims, sizeof *run->dims);
    memcpy(seen.now->values, run->values, 2 * sizeof *run->values);
    seen.now->arena = run->arena;
    return 0;
}

static const OpgenDevice device = {.abi = OPGEN_ABI,
                                   .name = "fake",
                                   .dl_device = kDLExtDev,
                                   .alloc = fake_alloc,
                                   .free = fake_free,
                                   .copy = fake_copy,
                                   .error_text = fake_text,
                                   .synchronize = fake_synchronize,
                                   .event_new = fake_event_new,
                                   .event_free = fake_event_free,
                                   .event_record = fake_event_record,
                                   .event_wait = fake_event,
                                   .event_synchronize = fake_event_synchronize,
                                   .enter = fake_enter,
                                   .leave = fake_leave,
                                   .fits = fake_fits,
                                   .owns = fake_owns,
                                   .stream_look = fake_look,
                                   .stream_new = fake_stream_new,
                                   .stream_free = fake_stream_free,
                                   .capture_begin = fake_begin,
                                   .capture_end = fake_end,
                                   .graph_launch = fake_launch,
                                   .graph_free = fake_graph_free};

static OpgenInstance *make_fake(OpgenModel *model) {
    memset(&seen, 0, sizeof seen);
    *model = affine;
    model->backend = "fake";
    model->arch = "fake_1";
    model->run = fake_run;
    OpgenOptions options = opgen_options();
    options.device = &device;
    OpgenInstance *instance = make(model, &options);
    give_weights(instance);
    return instance;
}

static void on_device(Tensors *all, int64_t batch) {
    make_tensors(all, batch);
    for (int i = 0; i < 3; i++)
        all->inputs[i].device.device_type = kDLExtDev;
    for (int i = 0; i < 2; i++)
        all->outputs[i].device.device_type = kDLExtDev;
}

/* Outputs are poisoned by outputs_right. */
static void run_again(OpgenInstance *instance, Tensors *all) {
    if (run(instance, all)) fail_msg("%s", opgen_last_error());
    assert_true(outputs_right(all, w, b));
}

static void test_again(void **state) {
    (void)state;
    OpgenModel model;
    OpgenInstance *instance = make_fake(&model);
    Tensors some, others;
    on_device(&some, 4);
    on_device(&others, 9);
    for (int i = 0; i < 4; i++)
        run_again(instance, &some);
    assert_int_equal(seen.eager, 1);
    assert_int_equal(seen.captured, 1);
    assert_int_equal(seen.launched, 3);
    run_again(instance, &others); /* a greater arena: graphs with the old one are of no use */
    assert_int_equal(seen.eager, 2);
    run_again(instance, &others);
    run_again(instance, &others);
    assert_int_equal(seen.eager, 2);
    assert_int_equal(seen.captured, 2);
    assert_int_equal(seen.launched, 5);
    give_weights(instance); /* copies in other memory */
    run_again(instance, &others);
    assert_int_equal(seen.eager, 3);
    assert_int_equal(seen.entered, seen.left);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    assert_int_equal(seen.live, 0);
    free_tensors(&some);
    free_tensors(&others);
}

static void test_many(void **state) {
    (void)state;
    OpgenModel model;
    OpgenInstance *instance = make_fake(&model);
    Tensors all[MOST_GRAPHS];
    for (int i = 0; i < MOST_GRAPHS; i++)
        on_device(&all[i], MOST_GRAPHS - i);
    for (int i = 0; i < MOST_GRAPHS; i++)
        for (int k = 0; k < 2; k++)
            run_again(instance, &all[i]);
    assert_int_equal(seen.captured, MOST_GRAPHS);
    assert_true(seen.most_live <= 16);
    run_again(instance, &all[MOST_GRAPHS - 1]); /* still there */
    assert_int_equal(seen.eager, MOST_GRAPHS);
    run_again(instance, &all[0]); /* gone */
    assert_int_equal(seen.eager, MOST_GRAPHS + 1);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    assert_int_equal(seen.live, 0);
    for (int i = 0; i < MOST_GRAPHS; i++)
        free_tensors(&all[i]);
}

/* Nothing is begun in a stream of another device, and those of one's own are asked about once. */
static void test_streams(void **state) {
    (void)state;
    OpgenModel model;
    OpgenInstance *instance = make_fake(&model);
    Tensors all;
    on_device(&all, 3);
    for (int i = 0; i < 4; i++) {
        void *stream = i % 2 ? (void *)&own_stream : (void *)&other_stream;
        int status = opgen_run(instance, all.inputs, 3, all.outputs, 2, stream);
        if (i % 2)
            assert_int_equal(status, OPGEN_OK);
        else
            failed(NULL, status, OPGEN_DEVICE_FAILED, "affine: looking at the stream failed",
                   "fakeLaunch: out of luck");
        assert_int_equal(seen.eager + seen.launched, (i + 1) / 2);
    }
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    free_tensors(&all);
}

static void test_refused(void **state) {
    (void)state;
    OpgenModel model;
    OpgenInstance *instance = make_fake(&model);
    Tensors all;
    on_device(&all, 3);
    seen.capturing_caller = true;
    failed(NULL, run(instance, &all), OPGEN_BAD_ARGUMENT, "affine: the stream is being captured", "");
    seen.capturing_caller = false;
    seen.foreign = true;
    failed(NULL, run(instance, &all), OPGEN_BAD_DEVICE, "input \"x\": its memory is not that of fake device 0", "");
    seen.foreign = false;
    seen.launch_error = 7;
    failed(NULL, run(instance, &all), OPGEN_DEVICE_FAILED, "affine: ", "fakeLaunch: out of luck");
    seen.refuses_capture = true; /* then it goes on call by call */
    for (int i = 0; i < 3; i++)
        run_again(instance, &all);
    assert_int_equal(seen.captured, 0);
    seen.refuses_capture = false;
    run_again(instance, &all);
    assert_int_equal(seen.captured, 1);
    assert_int_equal(seen.streams, 0);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    free_tensors(&all);
}

static void test_without(void **state) {
    (void)state;
    OpgenModel model;
    setenv("OPGEN_GRAPHS", "0", 1);
    OpgenInstance *instance = make_fake(&model);
    Tensors all;
    on_device(&all, 3);
    for (int i = 0; i < 3; i++)
        run_again(instance, &all);
    assert_int_equal(seen.captured, 0);
    assert_int_equal(seen.eager, 3);
    unsetenv("OPGEN_GRAPHS");
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    free_tensors(&all);
}

static void test_unfit(void **state) {
    (void)state;
    OpgenModel model;
    assert_int_equal(opgen_free(make_fake(&model)), OPGEN_OK);
    seen.unfit = "the device is fake_2, and it was compiled for ";
    OpgenOptions options = opgen_options();
    options.device = &device;
    OpgenInstance *instance;
    failed(NULL, opgen_create(&model, &options, &instance), OPGEN_BAD_DEVICE, "affine: the device is fake_2",
           "compiled for fake_1");
    assert_null(instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_again),   cmocka_unit_test(test_many),    cmocka_unit_test(test_streams),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_without), cmocka_unit_test(test_unfit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

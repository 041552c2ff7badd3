/* Runs that are replayed as graphs: what is asked of the device for each, in which order, in which stream; that a graph
 * of nothing is not launched; and weights that are swapped meanwhile.
 *
 * The device writes down what it is asked: "look", "wait", "call" (the run function), "launch" and "record", and behind
 * it the name of the stream. Its memory is the host's. Of an event it keeps the stream.
 */
#include "running.h"

#include <pthread.h>
#include <stdatomic.h>

#include "opgen_device.h"

typedef struct Stream {
    char name;
    uint64_t id;
} Stream;

static struct {
    char done[512];
    bool quiet, ids, captured, foreign; /* nothing is written down; streams have ids; in a capture; of another device */
    size_t nodes;                       /* of what is captured */
    int launch_error, record_error, synchronized;
    int64_t *told; /* OpgenRun.fault of the last run */
    atomic_int blocks, graphs, streams, events, faults;
} seen;

static Stream zero = {'0', 1}, first = {'a', 7}, second = {'b', 9}, capturing = {'x', 99};

static Stream *of(void *stream) { return stream ? stream : &zero; }

static void wrote(const char *what, void *stream) {
    if (seen.quiet) return;
    size_t length = strlen(seen.done);
    snprintf(seen.done + length, sizeof seen.done - length, "%s%s:%c", length > 0 ? " " : "", what, of(stream)->name);
}

/* What was done since the last time. */
static void did(const char *wanted) {
    assert_string_equal(seen.done, wanted);
    seen.done[0] = '\0';
}

static int fake_alloc(int32_t device, size_t size, size_t align, void **memory) {
    (void)device;
    seen.blocks++;
    return posix_memalign(memory, align < 64 ? 64 : align, size);
}
static void fake_free(int32_t device, void *memory, size_t size) {
    (void)device, (void)size;
    seen.blocks--;
    free(memory);
}
static int fake_copy(int32_t device, void *to, const void *from, size_t size, OpgenCopy way, void *stream) {
    (void)device, (void)way, (void)stream;
    memcpy(to, from, size);
    return 0;
}
static const char *fake_text(int error) { return error == 7 ? "fake: out of luck" : "some error"; }
static int fake_synchronize(int32_t device, void *stream) {
    (void)device, (void)stream;
    if (!seen.quiet) seen.synchronized++;
    return 0;
}
static int fake_event_new(int32_t device, void **event) {
    (void)device;
    seen.events++;
    return (*event = calloc(1, sizeof(Stream *))) ? 0 : 1;
}
static void fake_event_free(int32_t device, void *event) {
    (void)device;
    seen.events--;
    free(event);
}
static int fake_record(int32_t device, void *event, void *stream) {
    (void)device;
    wrote("record", stream);
    if (seen.foreign || seen.record_error) return 7;
    *(Stream **)event = of(stream);
    return 0;
}
static int fake_wait(int32_t device, void *event, void *stream) {
    (void)device;
    wrote("wait", stream);
    return *(Stream **)event ? 0 : 5; /* for one that was never recorded */
}
static int fake_event_synchronize(int32_t device, void *event) {
    (void)device;
    wrote("settle", *(Stream **)event);
    return 0;
}
static int fake_look(int32_t device, void *stream, OpgenStream *about) {
    (void)device;
    wrote("look", stream);
    *about = (OpgenStream){.captured = seen.captured, .known = seen.ids, .id = seen.ids ? of(stream)->id : 0};
    return 0;
}
static int fake_stream_new(int32_t device, void **stream) {
    (void)device;
    seen.streams++;
    *stream = &capturing;
    return 0;
}
static void fake_stream_free(int32_t device, void *stream) { (void)device, (void)stream, seen.streams--; }
static int fake_begin(int32_t device, void *stream) { return (void)device, (void)stream, 0; }

/* A graph has the numbers of the run that is captured, which is the thread's last. */
typedef struct Graph {
    const void *inputs[3], *params[2];
    void *outputs[2], *arena;
    int64_t dims[1], values[2];
} Graph;
static _Thread_local Graph *now;

static int fake_end(int32_t device, void *stream, void **graph, size_t *nodes) {
    (void)device, (void)stream;
    seen.graphs++;
    *graph = now;
    *nodes = seen.nodes;
    now = NULL;
    return 0;
}
static int fake_launch(int32_t device, void *graph, void *stream, void *event) {
    const Graph *g = graph;
    const OpgenRun again = {.inputs = g->inputs,
                            .params = g->params,
                            .outputs = g->outputs,
                            .arena = g->arena,
                            .dims = g->dims,
                            .values = g->values};
    wrote("launch", stream);
    if (seen.launch_error) return seen.launch_error;
    affine_run(&again);
    return event ? fake_record(device, event, stream) : 0;
}
static void fake_graph_free(int32_t device, void *graph) {
    (void)device;
    seen.graphs--;
    free(graph);
}

static int fake_run(const OpgenRun *run) {
    if (run->stream != &capturing) {
        wrote("call", run->stream);
        if (!seen.quiet) seen.told = run->fault;
        return affine_run(run);
    }
    now = calloc(1, sizeof *now);
    memcpy(now->inputs, run->inputs, sizeof now->inputs);
    memcpy(now->params, run->params, sizeof now->params);
    memcpy(now->outputs, run->outputs, sizeof now->outputs);
    memcpy(now->dims, run->dims, sizeof now->dims);
    memcpy(now->values, run->values, sizeof now->values);
    now->arena = run->arena;
    return 0;
}

static int shared_new(int32_t device, size_t size, void **memory) {
    seen.faults++;
    return fake_alloc(device, size, 64, memory);
}
static void shared_free(int32_t device, void *memory) {
    seen.faults--;
    fake_free(device, memory, 0);
}

static OpgenDevice device;
static OpgenModel model;

static const OpgenCall calls[] = {{"f", "mul", "h", 0, 0, -1, -1}, {"g", "embedding", "rows", 0, 0, -1, -1}};

static OpgenInstance *make_fake(bool ids, int32_t contexts) {
    memset(&seen, 0, sizeof seen);
    seen.ids = ids;
    seen.nodes = 1;
    device = (OpgenDevice){.abi = OPGEN_ABI, .name = "fake", .dl_device = kDLExtDev, .alloc = fake_alloc};
    device.free = fake_free;
    device.copy = fake_copy;
    device.error_text = fake_text;
    device.synchronize = fake_synchronize;
    device.event_new = fake_event_new;
    device.event_free = fake_event_free;
    device.event_record = fake_record;
    device.event_wait = fake_wait;
    device.event_synchronize = fake_event_synchronize;
    device.stream_look = fake_look;
    device.stream_new = fake_stream_new;
    device.stream_free = fake_stream_free;
    device.capture_begin = fake_begin;
    device.capture_end = fake_end;
    device.graph_launch = fake_launch;
    device.graph_free = fake_graph_free;
    device.shared_new = shared_new;
    device.shared_free = shared_free;
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
    seen.synchronized = 0; /* of the copies */
    return instance;
}

static void end(OpgenInstance *instance, Tensors *all) {
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    assert_int_equal(seen.blocks, 0);
    assert_int_equal(seen.graphs, 0);
    assert_int_equal(seen.streams, 0);
    assert_int_equal(seen.events, 0);
    assert_int_equal(seen.faults, 0);
    free_tensors(all);
}

static void on_device(Tensors *all, int64_t batch) {
    make_tensors(all, batch);
    for (int i = 0; i < 5; i++)
        (i < 3 ? &all->inputs[i] : &all->outputs[i - 3])->device.device_type = kDLExtDev;
}

static int run_in(OpgenInstance *instance, const Tensors *all, Stream *stream) {
    return opgen_run(instance, all->inputs, 3, all->outputs, 2, stream);
}

/* A run that goes well, and what was asked for it. */
static void goes(OpgenInstance *instance, Tensors *all, Stream *stream, const char *wanted) {
    if (run_in(instance, all, stream)) fail_msg("%s", opgen_last_error());
    assert_true(outputs_right(all, w, b));
    did(wanted);
}

static void one_stream(void **state) {
    (void)state;
    OpgenInstance *instance = make_fake(true, 1);
    Tensors all;
    on_device(&all, 4);
    goes(instance, &all, NULL, "look:0 call:0 record:0");
    for (int i = 0; i < 3; i++)
        goes(instance, &all, NULL, "look:0 launch:0 record:0");
    /* One of the caller's is looked at by an event once. */
    goes(instance, &all, &first, "look:a wait:a record:a launch:a record:a");
    for (int i = 0; i < 3; i++)
        goes(instance, &all, &first, "look:a launch:a record:a");
    end(instance, &all);
}

static void two_streams(void **state) {
    (void)state;
    OpgenInstance *instance = make_fake(true, 1);
    Tensors all;
    on_device(&all, 4);
    goes(instance, &all, &first, "look:a record:a call:a record:a");
    goes(instance, &all, &second, "look:b wait:b record:b launch:b record:b");
    for (int i = 0; i < 3; i++) { /* each waits for the other, and is known */
        goes(instance, &all, &first, "look:a wait:a launch:a record:a");
        goes(instance, &all, &second, "look:b wait:b launch:b record:b");
    }
    goes(instance, &all, NULL, "look:0 wait:0 launch:0 record:0");
    end(instance, &all);
}

/* The handle of a destroyed stream is another one's: it waits, and is looked at, for it may be another device's. */
static void same_handle(void **state) {
    (void)state;
    OpgenInstance *instance = make_fake(true, 1);
    Tensors all;
    on_device(&all, 4);
    Stream again = {'c', 20};
    goes(instance, &all, &again, "look:c record:c call:c record:c");
    goes(instance, &all, &again, "look:c launch:c record:c");
    again.id = 21;
    goes(instance, &all, &again, "look:c wait:c record:c launch:c record:c");
    again.id = 22;
    seen.foreign = true;
    failed(NULL, run_in(instance, &all, &again), OPGEN_DEVICE_FAILED, "affine: looking at the stream failed",
           "fake: out of luck");
    did("look:c wait:c record:c");
    seen.foreign = false;
    again.id = 21;
    goes(instance, &all, &again, "look:c launch:c record:c");
    end(instance, &all);
}

/* Where streams have no ids each run waits for the last one. */
static void without_ids(void **state) {
    (void)state;
    OpgenInstance *instance = make_fake(false, 1);
    Tensors all;
    on_device(&all, 4);
    goes(instance, &all, NULL, "look:0 call:0 record:0");
    goes(instance, &all, NULL, "look:0 wait:0 launch:0 record:0");
    goes(instance, &all, NULL, "look:0 wait:0 launch:0 record:0");
    goes(instance, &all, &first, "look:a wait:a record:a wait:a launch:a record:a");
    goes(instance, &all, &first, "look:a wait:a launch:a record:a");
    assert_int_equal(opgen_wait(instance), OPGEN_OK);
    did("settle:a");
    goes(instance, &all, &first, "look:a launch:a record:a"); /* there is nothing to wait for */
    end(instance, &all);
    /* And where the device tells nothing of them. */
    instance = make_fake(false, 1);
    device.stream_look = NULL;
    on_device(&all, 4);
    goes(instance, &all, NULL, "call:0 record:0");
    goes(instance, &all, NULL, "wait:0 launch:0 record:0");
    end(instance, &all);
}

/* Another run than the last, whose graph has something in it, is behind that one as before. */
static void nothing(void **state) {
    (void)state;
    OpgenInstance *instance = make_fake(true, 1);
    Tensors all, other;
    on_device(&all, 4);
    on_device(&other, 4);
    goes(instance, &other, NULL, "look:0 call:0 record:0");
    goes(instance, &other, NULL, "look:0 launch:0 record:0");
    goes(instance, &all, NULL, "look:0 call:0 record:0");
    seen.nodes = 0;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run_in(instance, &all, NULL), OPGEN_OK);
        did(i == 0 ? "look:0" : ""); /* the last run again asks the device for nothing */
    }
    assert_int_equal(seen.graphs, 1);
    assert_int_equal(((unsigned char *)all.y)[0], 0x55); /* nothing was done in another way */
    goes(instance, &other, &second, "look:b wait:b record:b launch:b record:b");
    /* In another stream it waits for nothing; that the stream is the device's is seen once, behind what is under way.
     */
    assert_int_equal(run_in(instance, &all, &first), OPGEN_OK);
    did("look:a wait:a record:a");
    assert_int_equal(run_in(instance, &all, &first), OPGEN_OK);
    assert_int_equal(run_in(instance, &all, NULL), OPGEN_OK);
    seen.captured = true;
    assert_int_equal(run_in(instance, &all, &first), OPGEN_OK);
    seen.captured = false;
    did("");
    goes(instance, &other, &second, "look:b wait:b launch:b record:b");
    /* All is checked as ever. */
    seen.captured = true;
    failed(NULL, run_in(instance, &all, &first), OPGEN_BAD_ARGUMENT, "affine: the stream is being captured", "");
    seen.captured = false;
    all.batch = 5;
    failed(NULL, run_in(instance, &all, &first), OPGEN_BAD_SHAPE, "affine: ", "batch is 4");
    all.batch = 4;
    did("look:a");
    free_tensors(&other);
    end(instance, &all);
}

/* A set of weights is there as long as a run that launched something may use it, and no longer. */
static void swaps(void **state) {
    (void)state;
    OpgenInstance *instance = make_fake(true, 1);
    Tensors all;
    on_device(&all, 4);
    goes(instance, &all, NULL, "look:0 call:0 record:0");
    goes(instance, &all, NULL, "look:0 launch:0 record:0");
    int before = seen.blocks;
    give_weights(instance);
    assert_int_equal(seen.blocks, before + 2);
    goes(instance, &all, NULL, "look:0 settle:0 call:0 record:0"); /* other addresses, and the last of the old ones */
    assert_int_equal(seen.blocks, before);
    assert_int_equal(opgen_wait(instance), OPGEN_OK);
    did("settle:0");
    seen.nodes = 0;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run_in(instance, &all, NULL), OPGEN_OK);
        did(i == 0 ? "look:0" : "");
        assert_int_equal(seen.blocks, before);
    }
    give_weights(instance); /* the runs of nothing hold none of the old ones */
    assert_int_equal(seen.blocks, before);
    seen.nodes = 1;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run_in(instance, &all, NULL), OPGEN_OK);
        assert_true(outputs_right(&all, w, b));
    }
    end(instance, &all);
}

/* What kernels found is told to the next run, though it would do nothing. */
static void faults(void **state) {
    (void)state;
    static const int64_t found[4] = {9, 7, 1, 1};
    OpgenInstance *instance = make_fake(true, 1);
    Tensors all, other;
    on_device(&all, 4);
    on_device(&other, 4);
    goes(instance, &all, NULL, "look:0 call:0 record:0");
    seen.nodes = 0;
    assert_int_equal(run_in(instance, &all, NULL), OPGEN_OK);
    did("look:0");
    goes(instance, &other, NULL, "look:0 call:0 record:0");
    memcpy(seen.told, found, sizeof found);
    failed(NULL, run_in(instance, &all, NULL), OPGEN_BAD_INDEX, "node \"rows\": position 9 is beyond the 7",
           "an earlier run found it, and this one was not begun");
    did("look:0 settle:0");
    assert_int_equal(run_in(instance, &all, NULL), OPGEN_OK);
    did("look:0");
    memcpy(seen.told, found, sizeof found); /* and where nothing is asked of the stream */
    failed(NULL, run_in(instance, &all, NULL), OPGEN_BAD_INDEX, "node \"rows\": position 9 is beyond the 7",
           "an earlier run found it, and this one was not begun");
    assert_int_equal(run_in(instance, &all, NULL), OPGEN_OK);
    did("");
    free_tensors(&other);
    end(instance, &all);
}

/* A launch that fails, and an event that cannot be recorded: the run behind either is ordered all the same. */
static void failures(void **state) {
    (void)state;
    OpgenInstance *instance = make_fake(true, 1);
    Tensors all;
    on_device(&all, 4);
    goes(instance, &all, NULL, "look:0 call:0 record:0");
    seen.launch_error = 7;
    failed(NULL, run_in(instance, &all, NULL), OPGEN_DEVICE_FAILED, "affine: launching its graph failed",
           "fake: out of luck");
    did("look:0 launch:0 record:0");
    seen.launch_error = 0;
    goes(instance, &all, NULL, "look:0 launch:0 record:0");
    assert_int_equal(seen.synchronized, 0);
    seen.record_error = 7;
    failed(NULL, run_in(instance, &all, NULL), OPGEN_DEVICE_FAILED, "affine: launching its graph failed",
           "fake: out of luck");
    assert_int_equal(seen.synchronized, 1); /* nothing is under way then */
    did("look:0 launch:0 record:0 record:0");
    seen.record_error = 0;
    goes(instance, &all, NULL, "look:0 launch:0 record:0");
    end(instance, &all);
}

/* ---- many threads, each with a stream and tensors of its own, while weights are swapped ---- */

enum { THREADS = 6, RUNS = 400 };
static OpgenInstance *shared;

static void *runs(void *number) {
    Stream own = {'t', 100 + (uint64_t)(uintptr_t)number};
    Tensors all;
    intptr_t wrong = 0;
    on_device(&all, 1 + (int64_t)(uintptr_t)number % 3);
    for (int i = 0; i < RUNS; i++)
        wrong += run_in(shared, &all, i % 5 == 4 ? NULL : &own) != OPGEN_OK || !outputs_right(&all, w, b);
    free_tensors(&all);
    return (void *)wrong; /* NOLINT: a number */
}

static void threads(void **state) {
    (void)state;
    Tensors all;
    shared = make_fake(true, 3);
    seen.quiet = true;
    on_device(&all, 2);
    pthread_t them[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&them[i], NULL, runs, (void *)i), 0);
    for (int i = 0; i < 50; i++)
        give_weights(shared);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(them[i], &wrong);
        assert_null(wrong);
    }
    end(shared, &all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_stream),  cmocka_unit_test(two_streams), cmocka_unit_test(same_handle),
        cmocka_unit_test(without_ids), cmocka_unit_test(nothing),     cmocka_unit_test(swaps),
        cmocka_unit_test(faults),      cmocka_unit_test(failures),    cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

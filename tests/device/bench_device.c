/* bench_device.c: how long a run of a model takes on its device.
 *
 *     bench_device LIBRARY MODEL [SIZES [REPEATS [INTEGERS]]]
 *
 *     bench_device LIBRARY MODEL launch [SIZE]
 *
 * SIZES: what all dims of the model are, several with commas between: each is measured, and has a line. REPEATS: runs
 * of a batch; 0, as many as take 20 ms, so that beginning and end are no part of it to speak of. INTEGERS: those of
 * inputs are less than that (100). Inputs are random; runs take turns among sets of tensors where these are small, so
 * that caches nearer than the last hold little of what is read next. A batch of runs is timed from the first launch to
 * the end of the last; printed are the median and the best batch's time of a run, in nanoseconds, and the bytes of
 * inputs, params and outputs together. "launch": what a run whose graph is there costs the calling thread, beside the
 * launch of such a graph, of a model without params, a batch of each in turns: the medians, in nanoseconds, of the runs
 * and of the launches, and who launched: a function of the vendor's library, or the device's table where that library
 * is not found. A line for the default stream, and one for another. SIZE: what all dims are (0).
 */
#include "opgen_device.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 9, PIECE = 1 << 22, MOST_SETS = 4, LARGE = 1 << 28 };
static const OpgenDevice *device;
static uint32_t integers = 100;

static void need(int status, const char *what) {
    if (status == OPGEN_OK) return;
    fprintf(stderr, "%s: %s: %s\n", what, opgen_status_text(status), opgen_last_error());
    exit(1);
}

static void tried(int error, const char *what) {
    if (error == 0) return;
    fprintf(stderr, "%s: %s\n", what, device->error_text(error));
    exit(1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Floats between -2 and 2, small integers, truths. */
static void random_bytes(unsigned char *to, size_t bytes, OpgenDtype dtype, uint64_t *state) {
    size_t size = opgen_dtype_size(dtype);
    for (size_t i = 0; i + size <= bytes; i += size) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        uint32_t r = (uint32_t)(*state >> 33);
        float f = (float)(r & 0xffffff) / 4194304.0f - 2.0f;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        double d = (double)f;
        uint64_t whole = dtype == OPGEN_BOOL ? r & 1 : r % integers;
        uint16_t half = (uint16_t)((bits >> 16 & 0x8000) |
                                   ((bits & 0x7fffffff) < 0x38800000 ? 0 : (((bits & 0x7fffffff) - 0x38000000) >> 13)));
        uint16_t brain = (uint16_t)(bits >> 16);
        const void *from = dtype == OPGEN_F32    ? (const void *)&f
                           : dtype == OPGEN_F64  ? (const void *)&d
                           : dtype == OPGEN_F16  ? (const void *)&half
                           : dtype == OPGEN_BF16 ? (const void *)&brain
                                                 : (const void *)&whole;
        memcpy(to + i, from, size);
    }
}

static void settle(void) {
    if (!device->host) tried(device->synchronize(0, NULL), "synchronize");
}

static void *tensor(OpgenDtype dtype, int64_t bytes, bool fill, uint64_t *state) {
    static unsigned char piece[PIECE];
    void *memory;
    tried(device->alloc(0, (size_t)bytes + 1, 256, &memory), "alloc");
    if (!fill) return memory;
    random_bytes(piece, PIECE, dtype, state);
    for (int64_t at = 0; at < bytes; at += PIECE)
        tried(device->copy(0, (char *)memory + at, piece, (size_t)(bytes - at < PIECE ? bytes - at : PIECE),
                           OPGEN_TO_DEVICE, NULL),
              "copy");
    settle();
    return memory;
}

static int by_value(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : 1; }

static void *many(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (memory) return memory;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

/* Shapes of inputs, outputs and params, one behind the other, where all dims are `size`; -1: as large as they may be.
 */
static int64_t *shapes_of(const OpgenModel *model, int64_t size) {
    int64_t axes = 0;
    for (int32_t i = 0; i < model->input_count; i++)
        axes += model->inputs[i].rank;
    for (int32_t i = 0; i < model->output_count; i++)
        axes += model->outputs[i].rank;
    for (int32_t i = 0; i < model->param_count; i++)
        axes += model->params[i].rank;
    int64_t *dims = many((size_t)model->dim_count, sizeof *dims), *shapes = many((size_t)axes, sizeof *shapes);
    for (int32_t i = 0; i < model->dim_count; i++)
        dims[i] = size >= 0 ? size : model->dims[i].max;
    if (model->shapes(dims, shapes) != 0) {
        fprintf(stderr, "%lld: no size of the model\n", (long long)size);
        exit(1);
    }
    free(dims);
    return shapes;
}

/* Random weights, which `size` has no part in. */
static int64_t fill_params(const OpgenModel *model, OpgenInstance *instance) {
    uint64_t state = 2;
    int64_t *shapes = shapes_of(model, -1), *shape = shapes, all = 0;
    for (int32_t i = 0; i < model->input_count; i++)
        shape += model->inputs[i].rank;
    for (int32_t i = 0; i < model->output_count; i++)
        shape += model->outputs[i].rank;
    for (int32_t i = 0; i < model->param_count; i++) {
        const OpgenTensor *about = &model->params[i];
        int64_t bytes = opgen_shape_bytes(about->dtype, about->rank, shape);
        unsigned char *host = many((size_t)bytes, 1);
        random_bytes(host, (size_t)bytes, about->dtype, &state);
        DLTensor t = opgen_tensor(host, about->dtype, about->rank, shape);
        need(opgen_weights_replace(instance, &about->name, &t, 1), about->name);
        all += bytes;
        free(host);
        shape += about->rank;
    }
    free(shapes);
    return all;
}

/* One size of all dims: its tensors, its runs, its line. */
static void measure(const OpgenModel *model, OpgenInstance *instance, int64_t size, int repeats, int64_t bytes) {
    int32_t n_in = model->input_count, n_out = model->output_count;
    int64_t *shapes = shapes_of(model, size), *shape = shapes;
    for (int32_t i = 0; i < n_in + n_out; i++) {
        const OpgenTensor *about = i < n_in ? &model->inputs[i] : &model->outputs[i - n_in];
        bytes += opgen_shape_bytes(about->dtype, about->rank, shape);
        shape += about->rank;
    }
    int sets = bytes < LARGE ? MOST_SETS : 1;
    DLTensor *all = many((size_t)sets * (size_t)(n_in + n_out), sizeof *all);
    uint64_t state = 1;
    shape = shapes;
    for (int32_t i = 0; i < n_in + n_out; i++) {
        const OpgenTensor *about = i < n_in ? &model->inputs[i] : &model->outputs[i - n_in];
        int64_t n = opgen_shape_bytes(about->dtype, about->rank, shape);
        for (int s = 0; s < sets; s++) {
            DLTensor *t = &all[(size_t)s * (size_t)(n_in + n_out) + (size_t)i];
            *t = opgen_tensor(tensor(about->dtype, n, i < n_in, &state), about->dtype, about->rank, shape);
            t->device.device_type = (DLDeviceType)device->dl_device;
        }
        shape += about->rank;
    }
    double times[BATCHES];
    bool ask = repeats < 1;
    if (ask) repeats = 20;
    for (int batch = -2; batch < BATCHES; batch++) {
        double start = now();
        for (int k = 0; k < repeats; k++) {
            DLTensor *t = &all[(size_t)(k % sets) * (size_t)(n_in + n_out)];
            need(opgen_run(instance, t, n_in, t + n_in, n_out, NULL), "run");
        }
        settle();
        double time = (now() - start) / repeats;
        if (batch >= 0) times[batch] = time;
        if (batch == -1 && ask) repeats = time > 1e6 ? 20 : (int)(2e7 / time);
    }
    qsort(times, BATCHES, sizeof *times, by_value);
    printf("%.0f %.0f %lld\n", times[BATCHES / 2], times[0], (long long)bytes);
    fflush(stdout);
    shape = shapes;
    for (int32_t i = 0; i < n_in + n_out; i++) {
        const OpgenTensor *about = i < n_in ? &model->inputs[i] : &model->outputs[i - n_in];
        int64_t n = opgen_shape_bytes(about->dtype, about->rank, shape);
        for (int s = 0; s < sets; s++)
            device->free(0, all[(size_t)s * (size_t)(n_in + n_out) + (size_t)i].data, (size_t)n + 1);
        shape += about->rank;
    }
    free(all);
    free(shapes);
}

/* ---- runs beside launches */

typedef int Launch(void *graph, void *stream);

/* The vendors' own, to which the device's table adds a look at the thread's device. */
static Launch *find_launch(const char *backend, const char **name) {
    static const struct {
        const char *backend, *library, *name;
    } all[] = {{"cuda", "libcuda.so.1", "cuGraphLaunch"},
               {"hip", "libamdhip64.so", "hipGraphLaunch"},
               {"musa", "libmusart.so", "musaGraphLaunch"}};
    *name = "table";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *library = strcmp(backend, all[i].backend) == 0 ? dlopen(all[i].library, RTLD_NOW | RTLD_LOCAL) : NULL;
        void *found = library ? dlsym(library, all[i].name) : NULL;
        if (!found) continue;
        Launch *launch;
        memcpy(&launch, &found, sizeof launch);
        *name = all[i].name;
        return launch;
    }
    return NULL;
}

/* What a run of these tensors launches, as a graph of its own. */
static void *captured(const OpgenModel *model, const DLTensor *tensors, int64_t size) {
    int32_t n_in = model->input_count, n_out = model->output_count, before;
    int64_t *dims = many((size_t)model->dim_count, sizeof *dims);
    int64_t *values = many((size_t)model->value_count, sizeof *values);
    void **addresses = many((size_t)(n_in + n_out), sizeof *addresses), *stream, *graph;
    for (int32_t i = 0; i < model->dim_count; i++)
        dims[i] = size;
    for (int32_t i = 0; i < n_in + n_out; i++)
        addresses[i] = tensors[i].data;
    OpgenRun run = {.inputs = (const void *const *)addresses, .outputs = addresses + n_in, .dims = dims};
    int64_t arena = model->prepare(dims, values);
    size_t nodes;
    tried(device->alloc(0, (size_t)arena + 1, 256, &run.arena), "alloc");
    run.values = values;
    tried(device->stream_new(0, &stream), "stream_new");
    tried(device->capture_begin(0, stream), "capture_begin");
    tried(device->enter(0, &before), "enter");
    run.stream = stream;
    need(model->run(&run), "run");
    tried(device->leave(before), "leave");
    tried(device->capture_end(0, stream, &graph, &nodes), "capture_end");
    device->stream_free(0, stream);
    free(dims);
    free(values);
    free(addresses);
    return graph;
}

/* The time is the calling thread's: batches are so small that the device's queue holds them, and are waited for outside
 * of it. */
static void measure_launch(OpgenInstance *instance, const OpgenModel *model, const DLTensor *tensors, void *graph,
                           void *stream) {
    enum { RUNS = 200, TURNS = 41 };
    const char *name;
    Launch *launch = find_launch(model->backend, &name);
    int32_t n_in = model->input_count, n_out = model->output_count;
    double own[TURNS], runs[TURNS];
    for (int turn = -2; turn < TURNS; turn++) {
        double start = now();
        for (int k = 0; k < RUNS; k++)
            tried(launch ? launch(graph, stream) : device->graph_launch(0, graph, stream, NULL), name);
        double time = now() - start;
        tried(device->synchronize(0, stream), "synchronize");
        if (turn >= 0) own[turn] = time / RUNS;
        start = now();
        for (int k = 0; k < RUNS; k++)
            need(opgen_run(instance, tensors, n_in, tensors + n_in, n_out, stream), "run");
        time = now() - start;
        tried(device->synchronize(0, stream), "synchronize");
        if (turn >= 0) runs[turn] = time / RUNS;
    }
    qsort(own, TURNS, sizeof *own, by_value);
    qsort(runs, TURNS, sizeof *runs, by_value);
    printf("%.0f %.0f %s\n", runs[TURNS / 2], own[TURNS / 2], name);
}

static int measure_launches(OpgenInstance *instance, const OpgenModel *model, int64_t size) {
    int32_t n_in = model->input_count, n_out = model->output_count;
    if (!device->graph_launch) return fprintf(stderr, "%s has no graphs\n", model->backend), 1;
    if (model->param_count > 0) return fprintf(stderr, "%s has params\n", model->name), 1;
    int64_t *shapes = shapes_of(model, size), *shape = shapes;
    DLTensor *all = many((size_t)(n_in + n_out), sizeof *all);
    uint64_t state = 1;
    for (int32_t i = 0; i < n_in + n_out; i++) {
        const OpgenTensor *about = i < n_in ? &model->inputs[i] : &model->outputs[i - n_in];
        int64_t bytes = opgen_shape_bytes(about->dtype, about->rank, shape);
        all[i] = opgen_tensor(tensor(about->dtype, bytes, i < n_in, &state), about->dtype, about->rank, shape);
        all[i].device.device_type = (DLDeviceType)device->dl_device;
        shape += about->rank;
    }
    void *graph = captured(model, all, size), *stream;
    tried(device->stream_new(0, &stream), "stream_new");
    measure_launch(instance, model, all, graph, NULL);
    measure_launch(instance, model, all, graph, stream);
    need(opgen_free(instance), "free");
    device->stream_free(0, stream);
    device->graph_free(0, graph);
    free(all);
    free(shapes);
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 3) return fprintf(stderr, "usage: bench_device LIBRARY MODEL [SIZES [REPEATS [INTEGERS]]]\n"), 2;
    const char *list = argc > 3 ? argv[3] : "0";
    int repeats = argc > 4 ? atoi(argv[4]) : 0;
    if (argc > 5) integers = (uint32_t)atoi(argv[5]);
    OpgenLibrary *library;
    need(opgen_open(argv[1], &library), argv[1]);
    const OpgenModel *model = opgen_library_find(library, argv[2]);
    if (!model) return fprintf(stderr, "%s\n", opgen_last_error()), 1;
    char symbol[80];
    snprintf(symbol, sizeof symbol, "opgen_device_%s", model->backend);
    void *handle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    device = handle ? dlsym(handle, symbol) : NULL;
    if (!device) return fprintf(stderr, "%s: no device\n", argv[1]), 1;
    OpgenOptions options = opgen_options();
    options.no_weights = 1;
    OpgenInstance *instance;
    need(opgen_create(model, &options, &instance), argv[2]);
    if (strcmp(list, "launch") == 0) return measure_launches(instance, model, argc > 4 ? atoi(argv[4]) : 0);
    int64_t bytes = fill_params(model, instance);
    for (char *end; *list; list = *end ? end + 1 : end) {
        int64_t size = strtoll(list, &end, 10);
        measure(model, instance, size > 0 ? size : -1, repeats, bytes);
    }
    need(opgen_free(instance), "free");
    return 0;
}

/* bench_device.c: how long a run of a model takes on its device, tensors of fixed sizes.
 *
 *     bench_device LIBRARY MODEL [SETS [REPEATS]]
 *
 * Inputs are random; runs take turns among SETS sets of tensors, so that caches hold none of what is read next. A batch
 * of runs is timed from the first launch to the end of the last; printed are the median and the best batch's time of a
 * run, in nanoseconds, and the bytes of inputs, params and outputs together.
 */
#include "opgen_device.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 9, PIECE = 1 << 22 };
static const OpgenDevice *device;

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
        uint64_t whole = dtype == OPGEN_BOOL ? r & 1 : r % 100;
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
    tried(device->synchronize(0, NULL), "copy");
    return memory;
}

static int by_value(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : 1; }

int main(int argc, char **argv) {
    if (argc < 3) return fprintf(stderr, "usage: bench_device LIBRARY MODEL [SETS [REPEATS]]\n"), 2;
    int sets = argc > 3 ? atoi(argv[3]) : 1, repeats = argc > 4 ? atoi(argv[4]) : 20;
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
    int32_t n_in = model->input_count, n_out = model->output_count;
    DLTensor *all = calloc((size_t)sets * (size_t)(n_in + n_out) + 1, sizeof *all);
    int64_t axes = 0, bytes = 0;
    for (int32_t i = 0; i < n_in + n_out + model->param_count; i++)
        axes += (i < n_in           ? model->inputs[i]
                 : i < n_in + n_out ? model->outputs[i - n_in]
                                    : model->params[i - n_in - n_out])
                    .rank;
    int64_t *sizes = calloc((size_t)axes + 1, sizeof *sizes), dims[64];
    for (int32_t i = 0; i < model->dim_count && i < 64; i++)
        dims[i] = model->dims[i].max;
    if (model->shapes(dims, sizes) != 0) return 1;
    uint64_t state = 1;
    int64_t *size = sizes;
    for (int32_t i = 0; i < n_in + n_out; i++) {
        const OpgenTensor *about = i < n_in ? &model->inputs[i] : &model->outputs[i - n_in];
        int64_t n = opgen_shape_bytes(about->dtype, about->rank, size);
        bytes += n;
        for (int s = 0; s < sets; s++) {
            DLTensor *t = &all[(size_t)s * (size_t)(n_in + n_out) + (size_t)i];
            *t = opgen_tensor(tensor(about->dtype, n, i < n_in, &state), about->dtype, about->rank, size);
            t->device.device_type = (DLDeviceType)device->dl_device;
        }
        size += about->rank;
    }
    for (int32_t i = 0; i < model->param_count; i++) {
        const OpgenTensor *about = &model->params[i];
        int64_t n = opgen_shape_bytes(about->dtype, about->rank, size);
        unsigned char *host = calloc(1, (size_t)n + 1);
        random_bytes(host, (size_t)n, about->dtype, &state);
        DLTensor t = opgen_tensor(host, about->dtype, about->rank, size);
        need(opgen_weights_replace(instance, &about->name, &t, 1), about->name);
        bytes += n;
        free(host);
        size += about->rank;
    }
    double times[BATCHES];
    for (int batch = -2; batch < BATCHES; batch++) {
        double start = now();
        for (int k = 0; k < repeats; k++) {
            DLTensor *t = &all[(size_t)(k % sets) * (size_t)(n_in + n_out)];
            need(opgen_run(instance, t, n_in, t + n_in, n_out, NULL), "run");
        }
        tried(device->synchronize(0, NULL), "run");
        if (batch >= 0) times[batch] = (now() - start) / repeats;
    }
    qsort(times, BATCHES, sizeof *times, by_value);
    printf("%.0f %.0f %lld\n", times[BATCHES / 2], times[0], (long long)bytes);
    need(opgen_free(instance), "free");
    return 0;
}

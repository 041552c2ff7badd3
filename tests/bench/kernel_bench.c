/* kernel_bench.c: models of one operator under a clock, each beside what the memory of this machine does at best.
 *
 *     kernel_bench THREADS LIBRARY copy|read|cached DIM=SIZE... [LIBRARY copy|read|cached DIM=SIZE...]...
 *
 * Runs the first model of each library with its dims at these sizes, inputs random. Beside it, in turns, so that both
 * see the same machine: copy, a memcpy of 256 MiB, and a sum over as many floats for what a model reads more than it
 * writes; read, such a sum alone; cached, nothing: sizes are small, and the model is run again and again. The best of
 * each counts. Prints a line a library:
 *
 *     MODEL microseconds GB/s GB/s-of-the-comparison ratio GB/s-of-memcpy
 *
 * where the bytes moved are those of the model's inputs and outputs. Times are of the day where there are several
 * threads, otherwise the processor's for the calling one, which others on the machine disturb less.
 */
#include "opgen.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { ROUNDS = 11, MOST_TENSORS = 16, MOST_RANK = 16, MOST_DIMS = 16, SUM_LANES = 128 };
static const size_t compared_bytes = (size_t)256 << 20;
static int threads = 1;

static double now(void) {
    struct timespec t;
    clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "kernel_bench: %s\n", what);
    exit(2);
}

static void *room(size_t bytes) {
    void *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096 + 4096);
    need(p != NULL, "no memory");
    return p;
}

static uint32_t next(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }

/* Numbers around 1, of integers bytes as they come. */
static void fill(void *to, OpgenDtype dtype, size_t bytes) {
    uint32_t state = 1;
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)to)[i] = (uint8_t)(next(&state) >> 24);
    if (dtype == OPGEN_F32)
        for (size_t i = 0; i < bytes / 4; i++)
            ((float *)to)[i] = (float)(next(&state) >> 8) * 0x1p-24f;
    if (dtype == OPGEN_F64)
        for (size_t i = 0; i < bytes / 8; i++)
            ((double *)to)[i] = (double)next(&state) * 0x1p-32;
    if (dtype == OPGEN_F16)
        for (size_t i = 0; i < bytes / 2; i++)
            ((uint16_t *)to)[i] = (uint16_t)(0x3800u + (next(&state) >> 22));
    if (dtype == OPGEN_BF16)
        for (size_t i = 0; i < bytes / 2; i++)
            ((uint16_t *)to)[i] = (uint16_t)(0x3f00u + (next(&state) >> 25));
}

/* ---- what models are compared with */
static char *copy_to, *copy_from;
static volatile float sum_of;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
static float
sum(const float *x, size_t n, bool asks) {
    float lanes[SUM_LANES] = {0}, total = 0;
    for (size_t i = 0; i < n; i += SUM_LANES) {
        for (size_t k = 0; asks && k < SUM_LANES; k += 16)
            __builtin_prefetch(x + i + k + 1024);
        for (size_t k = 0; k < SUM_LANES; k++)
            lanes[k] += x[i + k];
    }
    for (size_t k = 0; k < SUM_LANES; k++)
        total += lanes[k];
    return total;
}

/* Each thread a part, as a model's threads have. */
static double compare(bool copy) {
    /* A sum that asks for what comes, and then one that leaves that to the processor: some are a sixth slower with the
     * one, others with the other. */
    static bool asks;
    asks = !asks;
    double begin = now();
    size_t part = compared_bytes / (size_t)threads / 4096 * 4096;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) if (threads > 1)
#endif
    for (int t = 0; t < threads; t++) {
        if (copy)
            memcpy(copy_to + (size_t)t * part, copy_from + (size_t)t * part, part);
        else
            sum_of = sum((const float *)(copy_from + (size_t)t * part), part / sizeof(float), asks);
    }
    return now() - begin;
}

/* ---- one model */
typedef struct Bound {
    DLTensor tensors[MOST_TENSORS];
    int64_t shapes[MOST_TENSORS][MOST_RANK];
    size_t bytes;
} Bound;

static int64_t axis_size(const OpgenModel *model, const OpgenAxis *axis, char **dims, int dim_count) {
    int64_t min, max;
    opgen_axis_range(model, axis, &min, &max);
    if (min == max) return min;
    need(axis->dim >= 0, "a size of the model is not a dim");
    const char *name = model->dims[axis->dim].name;
    for (int i = 0; i < dim_count; i++) {
        size_t n = strcspn(dims[i], "=");
        if (strncmp(dims[i], name, n) == 0 && name[n] == '\0') return strtoll(dims[i] + n + 1, NULL, 10);
    }
    need(false, "a dim has no size");
    return 0;
}

static void bind_input(Bound *bound, const OpgenModel *model, int32_t i, char **dims, int dim_count) {
    const OpgenTensor *tensor = &model->inputs[i];
    for (int32_t d = 0; d < tensor->rank; d++)
        bound->shapes[i][d] = axis_size(model, &tensor->axes[d], dims, dim_count);
    int64_t bytes = opgen_shape_bytes(tensor->dtype, tensor->rank, bound->shapes[i]);
    need(bytes > 0, "a shape is empty or too large");
    void *data = room((size_t)bytes);
    fill(data, tensor->dtype, (size_t)bytes);
    bound->tensors[i] = opgen_tensor(data, tensor->dtype, tensor->rank, bound->shapes[i]);
    bound->bytes += (size_t)bytes;
}

/* The seconds that memory takes for so many bytes, of what 256 MiB take. What is written more than is read counts as
 * half of a copy. */
static double beside(size_t in, size_t out, double copied, double summed) {
    if (out > in) return (double)(in + out) / 2 * copied / (double)compared_bytes;
    const size_t both = out;
    return ((double)both * copied + (double)(in - both) * summed) / (double)compared_bytes;
}

static void measure(const char *path, const char *kind, char **dims, int dim_count) {
    const bool copy = strcmp(kind, "copy") == 0, cached = strcmp(kind, "cached") == 0;
    OpgenLibrary *library;
    need(opgen_open(path, &library) == OPGEN_OK, opgen_last_error());
    const OpgenModel *model = opgen_library_model(library, 0);
    OpgenOptions options = opgen_options();
    OpgenInstance *instance;
    options.threads = threads;
    need(opgen_create(model, &options, &instance) == OPGEN_OK, opgen_last_error());
    static Bound in, out;
    in.bytes = out.bytes = 0;
    need(model->input_count <= MOST_TENSORS && model->output_count <= MOST_TENSORS, "too many tensors");
    for (int32_t i = 0; i < model->input_count; i++)
        bind_input(&in, model, i, dims, dim_count);
    for (int32_t i = 0; i < model->output_count; i++) {
        out.tensors[i].shape = out.shapes[i];
        out.tensors[i].ndim = model->outputs[i].rank;
    }
    need(opgen_infer_shapes(instance, in.tensors, model->input_count, out.tensors, model->output_count) == OPGEN_OK,
         opgen_last_error());
    for (int32_t i = 0; i < model->output_count; i++) {
        int64_t bytes = opgen_shape_bytes(model->outputs[i].dtype, model->outputs[i].rank, out.shapes[i]);
        out.tensors[i].data = memset(room((size_t)bytes), 0xa5, (size_t)bytes);
        out.bytes += (size_t)bytes;
    }
    double best = 1e9, copied = 1e9, summed = 1e9;
    const int times = cached ? 1 + (int)(((size_t)64 << 20) / (in.bytes + out.bytes)) : 1;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        int status = OPGEN_OK;
        for (int i = 0; i < times && status == OPGEN_OK; i++)
            status = opgen_run(instance, in.tensors, model->input_count, out.tensors, model->output_count, NULL);
        double t = (now() - begin) / times;
        need(status == OPGEN_OK, opgen_last_error());
        if (t < best) best = t;
        t = copy ? compare(true) : 1e9;
        if (t < copied) copied = t;
        t = !cached && (!copy || in.bytes > out.bytes) ? compare(false) : 1e9;
        if (t < summed) summed = t;
    }
    const double bytes = (double)(in.bytes + out.bytes), rate = bytes / best * 1e-9;
    const double peer = cached ? rate
                        : copy ? bytes / beside(in.bytes, out.bytes, copied, summed) * 1e-9
                               : (double)compared_bytes / summed * 1e-9;
    printf("%s %.1f %.2f %.2f %.3f %.2f\n", model->name, best * 1e6, rate, peer, rate / peer,
           2 * (double)compared_bytes / copied * 1e-9);
    fflush(stdout);
    for (int32_t i = 0; i < model->input_count; i++)
        free(in.tensors[i].data);
    for (int32_t i = 0; i < model->output_count; i++)
        free(out.tensors[i].data);
    opgen_free(instance);
    opgen_close(library);
}

int main(int argc, char **argv) {
    need(argc >= 4 && (threads = atoi(argv[1])) > 0,
         "usage: kernel_bench THREADS LIBRARY copy|read|cached DIM=SIZE...");
    copy_to = room(compared_bytes), copy_from = room(compared_bytes);
    fill(copy_from, OPGEN_F32, compared_bytes);
    memset(copy_to, 0, compared_bytes);
    for (int i = 2; i + 1 < argc;) {
        int dims = i + 2, end = dims;
        while (end < argc && strchr(argv[end], '=') != NULL && strchr(argv[end], '/') == NULL)
            end++;
        measure(argv[i], argv[i + 1], argv + dims, end - dims);
        i = end;
    }
    return 0;
}

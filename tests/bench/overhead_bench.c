/* overhead_bench.c: what a run costs beside its kernels, and what loading costs.
 *
 *     overhead_bench run LIBRARY                        nanoseconds a run on zeros: alone, profiled, in two threads
 *     overhead_bench load LIBRARY                       milliseconds that opgen_open and opgen_create take, once
 *     overhead_bench month LIBRARY WEIGHTS RUNS SWAPS   memory and descriptors before and after; 1 if there are more
 *
 * Of runs the best of some rounds, for other programs run beside it. A load is slower the first time in a process than
 * ever after, when there is memory to be used again; so of loads there is one, and who wants several starts as many
 * processes.
 */
#include "opgen.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 32, RANK = 8, ROUNDS = 9 };

typedef struct Bench {
    OpgenInstance *instance;
    DLTensor inputs[MOST], outputs[MOST];
    int32_t input_count, output_count;
    int64_t shapes[2 * MOST][RANK];
    double each; /* nanoseconds */
} Bench;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void require(int status) {
    if (!status) return;
    fprintf(stderr, "%s\n", opgen_last_error());
    exit(1);
}

static void zeros(DLTensor *tensor, const OpgenTensor *about, int64_t *shape) {
    size_t bytes = (size_t)opgen_shape_bytes(about->dtype, about->rank, shape);
    void *memory = NULL;
    if (posix_memalign(&memory, 64, bytes + 1)) exit(1);
    memset(memory, 0, bytes);
    *tensor = opgen_tensor(memory, about->dtype, about->rank, shape);
}

static void prepare(Bench *bench, const OpgenModel *model, OpgenInstance *instance) {
    *bench = (Bench){.instance = instance, .input_count = model->input_count, .output_count = model->output_count};
    if (model->input_count > MOST || model->output_count > MOST) exit(1);
    for (int32_t i = 0; i < model->input_count; i++) {
        const OpgenTensor *about = &model->inputs[i];
        for (int32_t k = 0; k < about->rank; k++) {
            const OpgenAxis *axis = &about->axes[k];
            bench->shapes[i][k] = axis->dim >= 0 ? model->dims[axis->dim].min : axis->size;
        }
        zeros(&bench->inputs[i], about, bench->shapes[i]);
    }
    for (int32_t i = 0; i < model->output_count; i++)
        bench->outputs[i] = opgen_tensor(NULL, OPGEN_F32, RANK, bench->shapes[MOST + i]);
    require(opgen_infer_shapes(instance, bench->inputs, bench->input_count, bench->outputs, bench->output_count));
    for (int32_t i = 0; i < model->output_count; i++)
        zeros(&bench->outputs[i], &model->outputs[i], bench->shapes[MOST + i]);
}

static void run(Bench *bench) {
    require(opgen_run(bench->instance, bench->inputs, bench->input_count, bench->outputs, bench->output_count, NULL));
}

static double best_of_runs(Bench *bench, long runs) {
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        for (long i = 0; i < runs; i++)
            run(bench);
        double each = (now() - begin) / (double)runs;
        if (each < best) best = each;
    }
    return best * 1e9;
}

static void *in_a_thread(void *given) {
    Bench *bench = given;
    bench->each = best_of_runs(bench, 20000);
    return NULL;
}

static void bench_runs(const OpgenModel *model) {
    OpgenOptions options = opgen_options();
    options.contexts = 2;
    OpgenInstance *instance;
    static Bench benches[2];
    require(opgen_create(model, &options, &instance));
    for (int i = 0; i < 2; i++)
        prepare(&benches[i], model, instance);
    printf("run %.0f ns", best_of_runs(&benches[0], 20000));
    require(opgen_profile_start(instance));
    printf(", profiled %.0f ns", best_of_runs(&benches[0], 20000));
    require(opgen_profile_stop(instance));
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, in_a_thread, &benches[i])) exit(1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf(", each of two threads %.0f ns\n", benches[0].each);
    require(opgen_free(instance));
}

static void bench_load(const OpgenModel *model, double opened) {
    OpgenInstance *instance;
    double begin = now();
    require(opgen_create(model, NULL, &instance));
    printf("open %.3f ms, load %.3f ms, %lld bytes computed\n", opened * 1e3, (now() - begin) * 1e3,
           (long long)model->folded_bytes);
    require(opgen_free(instance));
}

/* ---- as long as a month */

static long resident(void) {
    long pages = 0, all = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2) exit(1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static long descriptors(void) {
    long n = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) exit(1);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n - 3; /* ".", "..", and its own */
}

static int bench_month(const OpgenModel *model, const char *weights, long runs, long swaps) {
    OpgenOptions options = opgen_options();
    options.weights = weights;
    OpgenInstance *instance, *other;
    static Bench bench;
    require(opgen_create(model, &options, &instance));
    prepare(&bench, model, instance);
    for (int i = 0; i < 100; i++) {
        run(&bench);
        require(opgen_weights_load(instance, weights));
    }
    long memory = resident(), files = descriptors();
    for (long i = 0; i < runs; i++)
        run(&bench);
    for (long i = 0; i < swaps; i++) {
        require(opgen_weights_load(instance, weights));
        run(&bench);
        bench.inputs[0].ndim = -1; /* and what fails costs nothing either */
        if (!opgen_run(instance, bench.inputs, bench.input_count, bench.outputs, bench.output_count, NULL)) exit(1);
        bench.inputs[0].ndim = model->inputs[0].rank;
        if (opgen_weights_load(instance, "/nowhere") == OPGEN_OK) exit(1);
        if (i % 10 == 0) {
            require(opgen_create(model, &options, &other));
            require(opgen_free(other));
        }
    }
    long after = resident(), files_after = descriptors();
    printf("%ld runs, %ld swaps: resident %ld kB, then %ld kB; descriptors %ld, then %ld\n", runs, swaps, memory, after,
           files, files_after);
    require(opgen_free(instance));
    return after - memory > 512 || files_after != files;
}

int main(int argc, char **argv) {
    OpgenLibrary *library;
    if (argc < 3) return 2;
    double begin = now();
    require(opgen_open(argv[2], &library));
    double opened = now() - begin;
    const OpgenModel *model = opgen_library_model(library, 0);
    int status = 0;
    if (strcmp(argv[1], "run") == 0)
        bench_runs(model);
    else if (strcmp(argv[1], "load") == 0)
        bench_load(model, opened);
    else if (strcmp(argv[1], "month") == 0 && argc == 6)
        status = bench_month(model, argv[3], strtol(argv[4], NULL, 10), strtol(argv[5], NULL, 10));
    else
        status = 2;
    require(opgen_close(library));
    return status;
}

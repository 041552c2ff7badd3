/* stress.c: threads that run, swap weights in each way, fail on purpose, trim, ask for shapes, profile, and create and
 * free instances, all at once, for as many seconds as the argument says. Each swap gives both params one value, so a
 * run that saw a mixture shows; so does what is computed once for a set of weights. Built by test_threads.sh with
 * ThreadSanitizer. */
#include "folding.h"
#include "watched.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { THREADS = 16, CONTEXTS = 5 };

static OpgenInstance *shared;
static char *files[2];
static atomic_int stop;
static atomic_long runs, swaps, busy, refused, wrong, profiles;

static void expect(int good, const char *what) {
    if (good) return;
    atomic_fetch_add(&wrong, 1);
    fprintf(stderr, "%s: %s\n", what, opgen_last_error());
}

static const char *const names[] = {"w", "b"};

static void swap(unsigned turn) {
    int64_t four = COLUMNS;
    float value[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        value[i] = (float)(turn % 7 + 1);
    DLTensor tensors[] = {opgen_tensor(value, OPGEN_F32, 1, &four), opgen_tensor(value, OPGEN_F32, 1, &four)};
    expect(opgen_weights_replace(shared, names, tensors, 2) == OPGEN_OK, "replace");
    atomic_fetch_add(&swaps, 1);
}

/* y = x * w + b + s with w = b = v: whatever v is, all of y tell the same. */
static void check_run(Tensors *all) {
    int status = opgen_run(shared, all->inputs, 3, all->outputs, 2, NULL);
    if (status == OPGEN_BUSY) {
        atomic_fetch_add(&busy, 1);
        return;
    }
    expect(status == OPGEN_OK, "run");
    if (status) return;
    float v[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        v[i] = all->y[0]; /* x[0] is 0 and s[0] is 0 */
    expect(v[0] >= 1 && v[0] <= 9 && outputs_right(all, v, v), "values");
    atomic_fetch_add(&runs, 1);
}

static void fail_on_purpose(Tensors *all, unsigned turn) {
    DLTensor inputs[3];
    memcpy(inputs, all->inputs, sizeof inputs);
    inputs[turn % 3].data = NULL;
    int status = opgen_run(shared, inputs, 3, all->outputs, 2, NULL);
    expect(status == OPGEN_BAD_ARGUMENT || status == OPGEN_BUSY, "a null pointer");
    expect(opgen_run(shared, inputs, 2, all->outputs, 2, NULL) == OPGEN_BAD_ARGUMENT &&
               strstr(opgen_last_error(), "wanted 3 inputs"),
           "a count");
    expect(opgen_weights_load(shared, "/nowhere") == OPGEN_BAD_FILE && strstr(opgen_last_error(), "/nowhere"),
           "no file");
    atomic_fetch_add(&refused, 1);
}

static void one_of_my_own(Tensors *all) {
    OpgenOptions options = opgen_options();
    options.weights = files[0];
    OpgenInstance *mine;
    expect(opgen_create(&affine, &options, &mine) == OPGEN_OK, "create");
    float eight[] = {8, 8, 8, 8};
    expect(opgen_run(mine, all->inputs, 3, all->outputs, 2, NULL) == OPGEN_OK && outputs_right(all, eight, eight),
           "a run of one's own");
    expect(opgen_free(mine) == OPGEN_OK, "free");
    expect(opgen_free(mine) == OPGEN_BAD_ARGUMENT, "free twice");
}

static void *work(void *given) {
    unsigned thread = (unsigned)(uintptr_t)given, turn = thread * 1000;
    Tensors all;
    make_tensors(&all, 3 + thread);
    int64_t shapes[2][2];
    while (!atomic_load(&stop)) {
        turn++;
        switch (thread < 8 ? 0 : thread % 8) {
        case 1:
            swap(turn);
            break;
        case 2:
            expect(opgen_weights_load(shared, files[turn % 2]) == OPGEN_OK, "load");
            atomic_fetch_add(&swaps, 1);
            break;
        case 3: {
            DLTensor inferred[] = {opgen_tensor(NULL, OPGEN_F32, 2, shapes[0]),
                                   opgen_tensor(NULL, OPGEN_I64, 1, shapes[1])};
            expect(opgen_infer_shapes(shared, all.inputs, 3, inferred, 2) == OPGEN_OK && shapes[1][0] == all.odd,
                   "shapes");
            expect(opgen_trim(shared) == OPGEN_OK, "trim");
            break;
        }
        case 4:
            one_of_my_own(&all);
            break;
        case 5:
            fail_on_purpose(&all, turn);
            break;
        default:
            break;
        }
        check_run(&all);
    }
    free_tensors(&all);
    return NULL;
}

/* ---- what is computed once for a set of weights ---- */

static char *folding_files[2];

/* w = b = v, so f = 3 v and g = v * v; c is anybody's, but one value. */
static void check_folding_run(Folding *all) {
    int status = run_folding(shared, all);
    expect(status == OPGEN_OK, "run");
    if (status) return;
    float v = 1, w[COLUMNS], c[COLUMNS];
    while (v < 10 && all->z[0] != v * v)
        v++;
    for (int i = 0; i < COLUMNS; i++)
        w[i] = v, c[i] = all->y[0] - all->x[0] * 3 * v;
    expect(v < 10 && c[0] >= 1 && c[0] <= 9 && folding_right(all, w, w, c), "values");
    atomic_fetch_add(&runs, 1);
}

static void *work_folding(void *given) {
    unsigned thread = (unsigned)(uintptr_t)given, turn = thread * 1000;
    static const char *const all_names[] = {"w", "b", "c"};
    Folding all;
    make_folding(&all);
    while (!atomic_load(&stop)) {
        turn++;
        float value[COLUMNS];
        int64_t four = COLUMNS;
        for (int i = 0; i < COLUMNS; i++)
            value[i] = (float)(turn % 7 + 1);
        DLTensor tensor = opgen_tensor(value, OPGEN_F32, 1, &four), tensors[] = {tensor, tensor, tensor};
        if (thread == 0)
            expect(opgen_weights_replace(shared, all_names, tensors, 3) == OPGEN_OK, "replace all");
        else if (thread == 1)
            expect(opgen_weights_replace(shared, all_names + 2, tensors, 1) == OPGEN_OK, "replace c");
        else if (thread == 2)
            expect(opgen_weights_load(shared, folding_files[turn % 2]) == OPGEN_OK, "load");
        atomic_fetch_add(&swaps, thread < 3);
        check_folding_run(&all);
    }
    return NULL;
}

/* ---- runs that are watched, while profiles begin, end and are read ---- */

static void profile(unsigned turn) {
    OpgenTimes all, calls[3];
    char text[300];
    size_t length;
    if (turn % 4 == 0) expect(opgen_profile_start(shared) == OPGEN_OK, "profile");
    if (turn % 16 == 3) expect(opgen_profile_stop(shared) == OPGEN_OK, "end of a profile");
    int status = opgen_profile_get(shared, &all, calls, 3);
    expect(status == OPGEN_OK || status == OPGEN_BAD_ARGUMENT, "what was profiled");
    if (!status) expect(all.count == calls[0].count && all.count == calls[2].count, "whole runs");
    status = opgen_profile_text(shared, (int)(turn % 2), text, sizeof text, &length);
    expect(status == OPGEN_OK || status == OPGEN_BAD_ARGUMENT, "as text");
    atomic_fetch_add(&profiles, 1);
}

static void *work_watched(void *given) {
    unsigned thread = (unsigned)(uintptr_t)given, turn = thread * 1000;
    Watched all;
    make_watched(&all, 3 + thread);
    while (!atomic_load(&stop)) {
        turn++;
        if (thread < 2) profile(turn);
        if (thread == 2) expect(give_watched(shared, turn % 2 ? 9 : 16, turn % 2 ? 3 : 4) == OPGEN_OK, "replace");
        if (thread == 3) expect(give_watched(shared, -1, 0) == OPGEN_FOUND_NAN, "a NaN in weights");
        if (thread == 4) all.x[3] = turn % 2 ? -1 : 9;
        int status = run_watched(shared, &all);
        bool bad = thread == 4 && turn % 2;
        expect(status == (bad ? OPGEN_FOUND_NAN : OPGEN_OK), "run");
        float root = all.t[0] == 0 && all.y[0] == 3 ? 3 : 4;
        if (!status && thread != 4) expect(watched_right(&all, root, root), "values");
        atomic_fetch_add(&runs, 1);
    }
    return NULL;
}

static void run_threads(void *(*what)(void *), long milliseconds) {
    pthread_t threads[THREADS];
    atomic_store(&stop, 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, what, (void *)i)) abort();
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
    atomic_store(&stop, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void stress_folding(long milliseconds) {
    for (int i = 0; i < 2; i++) {
        float data[3 * COLUMNS];
        for (int k = 0; k < 3 * COLUMNS; k++)
            data[k] = (float)(8 + i);
        folding_files[i] = temporary(i ? "folding_nine.safetensors" : "folding_eight.safetensors");
        write_folding(folding_files[i], data);
    }
    OpgenOptions options = opgen_options();
    options.contexts = CONTEXTS;
    options.weights = folding_files[0];
    if (opgen_create(&folding, &options, &shared)) abort();
    run_threads(work_folding, milliseconds);
    expect(opgen_free(shared) == OPGEN_OK, "free at the end");
    free(folding_files[0]);
    free(folding_files[1]);
}

static void stress_watched(long milliseconds) {
    OpgenOptions options = opgen_options();
    options.contexts = CONTEXTS;
    setenv("OPGEN_CHECK", "nan", 1);
    if (opgen_create(&watched, &options, &shared) || give_watched(shared, 9, 3)) abort();
    unsetenv("OPGEN_CHECK");
    run_threads(work_watched, milliseconds);
    expect(opgen_free(shared) == OPGEN_OK, "free at the end");
}

static void stress(int when_full, long milliseconds) {
    OpgenOptions options = opgen_options();
    options.contexts = CONTEXTS;
    options.busy = when_full;
    options.weights = files[0];
    if (opgen_create(&affine, &options, &shared)) abort();
    run_threads(work, milliseconds);
    expect(opgen_free(shared) == OPGEN_OK, "free at the end");
}

int main(int count, char **arguments) {
    double seconds = count > 1 ? strtod(arguments[1], NULL) : 2;
    for (int i = 0; i < 2; i++) {
        float data[2 * COLUMNS];
        for (int k = 0; k < 2 * COLUMNS; k++)
            data[k] = (float)(8 + i);
        files[i] = temporary(i ? "nine.safetensors" : "eight.safetensors");
        /* filled up, so that the data are aligned and mapped */
        char header[200];
        int length = snprintf(header, sizeof header,
                              "{\"w\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]},"
                              "\"b\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[16,32]}}");
        for (; length % 8 != 0; length++)
            memcpy(header + length, " ", 2);
        write_stored(files[i], header, data, sizeof data);
    }
    stress(0, (long)(seconds * 300));
    stress(1, (long)(seconds * 300));
    long before = atomic_load(&runs);
    stress_folding((long)(seconds * 200));
    stress_watched((long)(seconds * 200));
    printf("%ld runs, %ld swaps, %ld times busy, %ld refusals, %ld folds, %ld profiles, %ld wrong\n",
           atomic_load(&runs), atomic_load(&swaps), atomic_load(&busy), atomic_load(&refused),
           atomic_load(&folding_calls), atomic_load(&profiles), atomic_load(&wrong));
    if (atomic_load(&profiles) < 5) return 1;
    if (atomic_load(&runs) - before < 50 || atomic_load(&folding_calls) < 10) return 1;
    if (atomic_load(&runs) < 100 || atomic_load(&swaps) < 20 || atomic_load(&refused) < 5 || atomic_load(&busy) < 1)
        return 1;
    free(files[0]);
    free(files[1]);
    return atomic_load(&wrong) != 0;
}

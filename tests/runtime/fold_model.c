/* fold_model.c: a generated model with much to be computed once for a set of weights, in a program that replaces its
 * weights by name, one after the other and all at once, loads files, and runs meanwhile. test_fold_model.sh has the
 * model and builds this with sanitizers.
 *
 * wt = transposed w * s; y = x wt + b / 2; e = exp(b / 2); r = -b changed in place by b / 2, in each run anew; t = a
 * table of no params.
 */
#include "kept.h"

#include "model.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { ROWS = 3, IN = 8, OUT = 4, THREADS = 6 };

typedef struct Params {
    float w[OUT * IN], s[IN], b[OUT];
} Params;

typedef struct Results {
    float y[ROWS * OUT], e[OUT], r[OUT], t[IN];
} Results;

static float x[ROWS * IN];
static OpgenInstance *shared;
static atomic_int stop, wrong;
static atomic_long runs, swaps;

static void must(bool good, const char *what) {
    if (good) return;
    atomic_store(&wrong, 1);
    fprintf(stderr, "%s: %s\n", what, opgen_last_error());
}

static float random_value(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(int)(*seed >> 40) / (float)(1 << 22) - 2;
}

static void make_params(Params *params, uint64_t seed) {
    for (int i = 0; i < OUT * IN; i++)
        params->w[i] = random_value(&seed);
    for (int i = 0; i < IN; i++)
        params->s[i] = random_value(&seed);
    for (int i = 0; i < OUT; i++)
        params->b[i] = random_value(&seed);
}

static bool close_to(float got, double wanted) { return fabs((double)got - wanted) <= 1e-4 * (1 + fabs(wanted)); }

static bool right(const Results *results, const Params *params) {
    bool good = true;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < OUT; k++) {
            double sum = (double)params->b[k] / 2;
            for (int j = 0; j < IN; j++)
                sum += (double)x[i * IN + j] * (double)(params->w[k * IN + j] * params->s[j]);
            good &= close_to(results->y[i * OUT + k], sum);
        }
    for (int k = 0; k < OUT; k++) {
        good &= close_to(results->e[k], exp((double)params->b[k] / 2));
        good &= close_to(results->r[k], -(double)params->b[k] / 2);
    }
    for (int i = 0; i < IN; i++)
        good &= close_to(results->t[i], sin((double)i));
    return good;
}

static int run(Results *results) {
    int64_t x_shape[] = {ROWS, IN}, y_shape[] = {ROWS, OUT}, out[] = {OUT}, in[] = {IN};
    memset(results, 0xff, sizeof *results);
    DLTensor input = opgen_tensor(x, OPGEN_F32, 2, x_shape);
    DLTensor outputs[kept_outputs];
    outputs[kept_output_y] = opgen_tensor(results->y, OPGEN_F32, 2, y_shape);
    outputs[kept_output_e] = opgen_tensor(results->e, OPGEN_F32, 1, out);
    outputs[kept_output_r] = opgen_tensor(results->r, OPGEN_F32, 1, out);
    outputs[kept_output_t] = opgen_tensor(results->t, OPGEN_F32, 1, in);
    return opgen_run(shared, &input, 1, outputs, kept_outputs, NULL);
}

static int replace(Params *params, int first, int count) {
    static const char *const names[] = {"w", "s", "b"};
    int64_t w_shape[] = {OUT, IN}, in[] = {IN}, out[] = {OUT};
    DLTensor tensors[] = {opgen_tensor(params->w, OPGEN_F32, 2, w_shape), opgen_tensor(params->s, OPGEN_F32, 1, in),
                          opgen_tensor(params->b, OPGEN_F32, 1, out)};
    return opgen_weights_replace(shared, names + first, tensors + first, count);
}

static void write_params(const char *path, const Params *params) {
    char header[300];
    int length = snprintf(header, sizeof header,
                          "{\"w\":{\"dtype\":\"F32\",\"shape\":[4,8],\"data_offsets\":[0,128]},"
                          "\"s\":{\"dtype\":\"F32\",\"shape\":[8],\"data_offsets\":[128,160]},"
                          "\"b\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[160,176]}}");
    for (; length % 8 != 0; length++)
        memcpy(header + length, " ", 2);
    write_stored(path, header, params, sizeof *params);
}

static void one_after_the_other(void) {
    Params params, next;
    Results results;
    make_params(&params, 1);
    must(run(&results) == OPGEN_OK && right(&results, &params), "the first run");
    must(run(&results) == OPGEN_OK && right(&results, &params), "the second run");
    for (int i = 0; i < 9; i++) {
        make_params(&next, (uint64_t)i + 100);
        if (i % 3 == 0) memcpy(params.w, next.w, sizeof params.w);
        if (i % 3 == 1) memcpy(params.s, next.s, sizeof params.s);
        if (i % 3 == 2) memcpy(params.b, next.b, sizeof params.b);
        must(replace(&params, i % 3, 1) == OPGEN_OK, "replacing one");
        for (int again = 0; again < 2; again++)
            must(run(&results) == OPGEN_OK && right(&results, &params), "a run after replacing one");
    }
}

enum { SETS = 4 };
static Params sets[SETS];
static char *files[SETS];

static void *work(void *given) {
    uintptr_t thread = (uintptr_t)given;
    Results results;
    for (uintptr_t turn = 0; !atomic_load(&stop); turn++) {
        uintptr_t at = (turn + thread) % SETS;
        if (thread == 0) must(replace(&sets[at], 0, 3) == OPGEN_OK, "replacing all");
        if (thread == 1) must(opgen_weights_load(shared, files[at]) == OPGEN_OK, "loading");
        atomic_fetch_add(&swaps, thread < 2);
        must(run(&results) == OPGEN_OK, "a run");
        bool found = false;
        for (int i = 0; i < SETS; i++)
            found |= right(&results, &sets[i]);
        must(found, "a mixture of weights");
        atomic_fetch_add(&runs, 1);
    }
    return NULL;
}

static void all_at_once(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < SETS; i++) {
        char name[40];
        make_params(&sets[i], (uint64_t)i + 1000);
        snprintf(name, sizeof name, "set%d.safetensors", i);
        write_params(files[i] = temporary(name), &sets[i]);
    }
    must(replace(&sets[0], 0, 3) == OPGEN_OK, "replacing all");
    for (uintptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i)) abort();
    struct timespec time = {1, 500000000};
    nanosleep(&time, NULL);
    atomic_store(&stop, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SETS; i++)
        free(files[i]);
}

/* Its argument: where it writes the first weights and ends, or nothing. */
int main(int count, char **arguments) {
    Params params;
    make_params(&params, 1);
    if (count > 1) {
        write_params(arguments[1], &params);
        return 0;
    }
    uint64_t seed = 7;
    for (int i = 0; i < ROWS * IN; i++)
        x[i] = random_value(&seed);
    OpgenOptions options = opgen_options();
    options.contexts = 3;
    if (kept_create(&options, &shared)) must(false, "create");
    if (atomic_load(&wrong)) return 1;
    one_after_the_other();
    all_at_once();
    must(kept_free(shared) == OPGEN_OK, "free");
    printf("%ld runs, %ld swaps\n", atomic_load(&runs), atomic_load(&swaps));
    return atomic_load(&wrong) || atomic_load(&runs) < 20 || atomic_load(&swaps) < 10;
}

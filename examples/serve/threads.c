/* threads.c: what a service does: eight threads serve from one instance with four contexts, while another swaps the
 * weights under them. Each answer is that of one set of weights, whole; a profile says what it took. */
#include <mlp.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 8, ROWS = 4 };

static OpgenInstance *mlp;
static float answers[2][ROWS * 10]; /* of the weights as they are in the file, and of those with b2 turned round */
static atomic_long served[2], wrong;
static atomic_int stop;

static int answer(float *y) {
    static const float scale = 1.0f / 64;
    float x[ROWS * 64], logits[ROWS * 10];
    for (int i = 0; i < ROWS * 64; i++)
        x[i] = (float)(i % 97) * scale;
    int64_t x_shape[] = {ROWS, 64}, y_shape[] = {ROWS, 10};
    DLTensor in = opgen_tensor(x, OPGEN_F32, 2, x_shape), out = opgen_tensor(y, OPGEN_F32, 2, y_shape),
             out_logits = opgen_tensor(logits, OPGEN_F32, 2, y_shape);
    return mlp_run(mlp, &in, &out, &out_logits, NULL);
}

static void *serve(void *nothing) {
    (void)nothing;
    while (!atomic_load(&stop)) {
        float y[ROWS * 10];
        int status = answer(y);
        int which = memcmp(y, answers[0], sizeof y) == 0 ? 0 : memcmp(y, answers[1], sizeof y) == 0 ? 1 : -1;
        if (status || which < 0) {
            atomic_fetch_add(&wrong, 1);
            fprintf(stderr, "%s\n", status ? opgen_last_error() : "an answer of no set of weights");
        } else {
            atomic_fetch_add(&served[which], 1);
        }
    }
    return NULL;
}

/* The last bias, or what was turned round of it. The file's own comes back by loading the file. */
static int swap(const char *weights, int turned) {
    if (!turned) return opgen_weights_load(mlp, weights);
    float b2[10];
    int64_t ten = 10;
    for (int i = 0; i < 10; i++)
        b2[i] = (float)i - 4.5f;
    const char *names[] = {"b2"};
    DLTensor tensor = opgen_tensor(b2, OPGEN_F32, 1, &ten);
    return opgen_weights_replace(mlp, names, &tensor, 1);
}

static int fail(void) {
    fprintf(stderr, "%s\n", opgen_last_error());
    return 1;
}

int main(int argc, char **argv) {
    OpgenOptions options = opgen_options();
    pthread_t threads[THREADS];
    long swaps = 0;
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: %s WEIGHTS.safetensors [SECONDS]\n", argv[0]);
        return 2;
    }
    double seconds = argc == 3 ? strtod(argv[2], NULL) : 1;
    options.contexts = 4; /* fewer than threads: the others wait for their turn */
    options.weights = argv[1];
    if (mlp_create(&options, &mlp) || answer(answers[0]) || swap(argv[1], 1) || answer(answers[1])) return fail();
    if (opgen_profile_start(mlp)) return fail();
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, serve, NULL)) return 1;
    struct timespec begin, now, pause = {0, 1000000};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        if (swap(argv[1], (int)(swaps++ % 2))) return fail();
        nanosleep(&pause, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) * 1e-9 < seconds);
    atomic_store(&stop, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    OpgenTimes runs;
    if (opgen_profile_get(mlp, &runs, NULL, 0) || mlp_free(mlp)) return fail();
    printf("threads: %ld answers of one set, %ld of the other, %ld of none; %ld swaps; %.1f us a run\n",
           atomic_load(&served[0]), atomic_load(&served[1]), atomic_load(&wrong), swaps,
           runs.count > 0 ? runs.seconds * 1e6 / (double)runs.count : 0);
    return atomic_load(&wrong) != 0 || runs.count != atomic_load(&served[0]) + atomic_load(&served[1]);
}

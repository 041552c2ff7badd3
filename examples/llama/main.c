/* main.c: tokens out of a Llama: prompts of different lengths go in at once, then each row token by token, always the
 * likeliest. What comes out is compared with what transformers generates for each prompt by itself.
 *
 * The caches are this program's memory. A run puts the keys and values of its tokens into them, behind those that
 * `lengths` says are there; nothing else has to be kept from one run to the next.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llama.h"
#include "opgen_npy.h"

enum { STEPS = 64, CAPACITY = 96, MOST_BATCH = 8 };

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static OpgenArray read(const char *folder, const char *name) {
    char path[4096];
    OpgenArray array;
    if (snprintf(path, sizeof path, "%s/%s.npy", folder, name) >= (int)sizeof path) fail("the path is too long");
    if (opgen_npy_read(path, NULL, &array) != 0) fail(opgen_last_error());
    return array;
}

/* All inputs that runs change are caches: (batch, heads, capacity, head_dim). */
static void make_caches(DLTensor *inputs, int64_t (*shapes)[4], int64_t batch) {
    for (int i = 0; i < llama_inputs; i++) {
        const OpgenTensor *about = &llama_model.inputs[i];
        if (!about->changed) continue;
        int64_t sizes[4] = {batch, about->axes[1].size, CAPACITY, about->axes[3].size};
        memcpy(shapes[i], sizes, sizeof sizes);
        void *memory = malloc((size_t)(batch * sizes[1] * sizes[2] * sizes[3]) * opgen_dtype_size(about->dtype));
        if (!memory) fail("no memory for the caches");
        inputs[i] = opgen_tensor(memory, about->dtype, 4, shapes[i]);
    }
}

int main(int argc, char **argv) {
    if (argc != 2) fail("usage: generate FOLDER");
    OpgenArray prompts = read(argv[1], "prompts"), wanted = read(argv[1], "expected_tokens"),
               wanted_logits = read(argv[1], "expected_logits");
    OpgenInstance *llama;
    if (llama_create(NULL, &llama) != 0) fail(opgen_last_error());

    int64_t batch = prompts.shape[0], longest = prompts.shape[1], vocab = wanted_logits.shape[2];
    if (batch > MOST_BATCH) fail("too many prompts");
    int64_t *tokens = malloc((size_t)(batch * longest) * sizeof *tokens);
    float *logits = malloc((size_t)(batch * vocab) * sizeof *logits);
    int64_t lengths[MOST_BATCH] = {0}, last[MOST_BATCH], now[MOST_BATCH];
    if (!tokens || !logits) fail("no memory");

    int64_t tokens_shape[2] = {batch, longest}, row_shape[1] = {batch}, logits_shape[2] = {batch, vocab};
    static int64_t shapes[llama_inputs][4];
    DLTensor inputs[llama_inputs];
    make_caches(inputs, shapes, batch);
    inputs[llama_input_tokens] = opgen_tensor(tokens, OPGEN_I64, 2, tokens_shape);
    inputs[llama_input_lengths] = opgen_tensor(lengths, OPGEN_I64, 1, row_shape);
    inputs[llama_input_last] = opgen_tensor(last, OPGEN_I64, 1, row_shape);
    DLTensor output = opgen_tensor(logits, OPGEN_F32, 2, logits_shape);

    /* The prompts, each from its beginning, padded at its end with anything. */
    for (int64_t b = 0; b < batch; b++) {
        const int64_t *row = (const int64_t *)prompts.data + b * longest;
        now[b] = 0;
        for (int64_t t = 0; t < longest; t++) {
            tokens[b * longest + t] = row[t] < 0 ? 0 : row[t];
            now[b] += row[t] >= 0;
        }
        last[b] = now[b] - 1;
    }
    int wrong = 0;
    double difference = 0;
    for (int step = 0; step < STEPS; step++) {
        if (opgen_run(llama, inputs, llama_inputs, &output, 1, NULL) != 0) fail(opgen_last_error());
        for (int64_t b = 0; b < batch; b++) {
            const float *got = logits + b * vocab,
                        *want = (const float *)wanted_logits.data + (b * STEPS + step) * vocab;
            int64_t best = 0;
            for (int64_t i = 0; i < vocab; i++) {
                double off = fabs((double)got[i] - (double)want[i]);
                if (!(off <= difference)) difference = off; /* a NaN as well */
                if (got[i] > got[best]) best = i;
            }
            wrong += best != ((const int64_t *)wanted.data)[b * STEPS + step];
            lengths[b] += now[b];
            tokens[b] = best;
            now[b] = 1;
            last[b] = 0;
            if (b == 0) printf("%lld%s", (long long)best, step + 1 < STEPS ? " " : "\n");
        }
        tokens_shape[1] = 1;
    }
    printf("%lld rows of %d tokens: %d are not those of transformers; logits differ by at most %.1e\n",
           (long long)batch, STEPS, wrong, difference);
    for (int i = 0; i < llama_inputs; i++)
        if (llama_model.inputs[i].changed) free(inputs[i].data);
    free(tokens);
    free(logits);
    opgen_array_free(&prompts);
    opgen_array_free(&wanted);
    opgen_array_free(&wanted_logits);
    llama_free(llama);
    return wrong > 0 || !(difference < 1e-3);
}

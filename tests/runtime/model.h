/* model.h: a model as generated code would be, written by hand, and what the runtime's tests share.
 *
 * affine: x (batch, 4), s (batch,), e (2*batch,) i64; params w (4,), b (4,); y (batch, 4) = x * w + b + s, made in the
 * arena first, so that a wrong arena shows; t (2*batch + 1,) i64: the running sums of e, and batch. scaled: x (n,),
 * param w (n,); y (n,) = x * w: a param whose size is a dim. fixed: no input; y (4,) = w, embedded.
 */
#ifndef OPGEN_TESTS_MODEL_H
#define OPGEN_TESTS_MODEL_H

#include "opgen.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4 };

/* What the next run returns instead of 0. */
static int affine_status;

static const OpgenDim affine_dims[] = {{"batch", 0, 1024}};
static const OpgenAxis batch_by_4[] = {{0, 0, "batch"}, {-1, COLUMNS, "4"}}, batch_axis[] = {{0, 0, "batch"}};
static const OpgenAxis twice_axis[] = {{-2, 0, "2*batch"}}, odd_axis[] = {{-2, 0, "2*batch + 1"}},
                       four_axis[] = {{-1, COLUMNS, "4"}};
static const OpgenTensor affine_inputs[] = {{"x", OPGEN_F32, 2, batch_by_4, NULL, NULL, 0},
                                            {"s", OPGEN_F32, 1, batch_axis, NULL, NULL, 0},
                                            {"e", OPGEN_I64, 1, twice_axis, NULL, NULL, 0}};
static const OpgenTensor affine_outputs[] = {{"y", OPGEN_F32, 2, batch_by_4, NULL, NULL, 0},
                                             {"t", OPGEN_I64, 1, odd_axis, NULL, NULL, 0}};
static const OpgenTensor affine_params[] = {{"w", OPGEN_F32, 1, four_axis, NULL, NULL, 0},
                                            {"b", OPGEN_F32, 1, four_axis, NULL, NULL, 0}};

static inline int affine_shapes(const int64_t *dims, int64_t *sizes) {
    int64_t twice, odd;
    if (__builtin_mul_overflow(dims[0], 2, &twice) || __builtin_add_overflow(twice, 1, &odd)) return -1;
    const int64_t all[] = {dims[0], COLUMNS, dims[0], twice, dims[0], COLUMNS, odd, COLUMNS, COLUMNS};
    memcpy(sizes, all, sizeof all);
    return 0;
}

static inline const char *affine_check(const int64_t *dims) {
    return dims[0] == 777 ? "a batch of 777 cannot be halved" : NULL;
}

static inline int64_t affine_prepare(const int64_t *dims, int64_t *values) {
    values[0] = dims[0] * COLUMNS;
    values[1] = 2 * dims[0];
    return values[0] * 4;
}

static inline int affine_run(const OpgenRun *run) {
    const float *x = run->inputs[0], *s = run->inputs[1], *w = run->params[0], *b = run->params[1];
    const int64_t *e = run->inputs[2];
    float *y = run->outputs[0], *made = run->arena;
    int64_t *t = run->outputs[1], sum = 0, batch = run->dims[0];
    if ((uintptr_t)run->arena % 64 != 0) return 77;
    if (affine_status) return affine_status;
    for (int64_t i = 0; i < batch; i++)
        for (int64_t k = 0; k < COLUMNS; k++)
            made[i * COLUMNS + k] = x[i * COLUMNS + k] * w[k] + b[k] + s[i];
    for (int64_t i = 0; i < run->values[0]; i++)
        y[i] = made[i];
    for (int64_t i = 0; i < run->values[1]; i++)
        t[i] = sum += e[i];
    t[2 * batch] = batch;
    return 0;
}

static const OpgenModel affine = {.abi = OPGEN_ABI,
                                  .name = "affine",
                                  .backend = "cpu",
                                  .arch = "",
                                  .dim_count = 1,
                                  .input_count = 3,
                                  .output_count = 2,
                                  .param_count = 2,
                                  .dims = affine_dims,
                                  .inputs = affine_inputs,
                                  .outputs = affine_outputs,
                                  .params = affine_params,
                                  .shapes = affine_shapes,
                                  .check = affine_check,
                                  .value_count = 2,
                                  .prepare = affine_prepare,
                                  .run = affine_run};

static const OpgenDim scaled_dims[] = {{"n", 0, 100}};
static const OpgenAxis n_axis[] = {{0, 0, "n"}};
static const OpgenTensor scaled_input = {"x", OPGEN_F32, 1, n_axis, NULL, NULL, 0},
                         scaled_output = {"y", OPGEN_F32, 1, n_axis, NULL, NULL, 0},
                         scaled_param = {"w", OPGEN_F32, 1, n_axis, NULL, NULL, 0};

static inline int scaled_shapes(const int64_t *dims, int64_t *sizes) {
    sizes[0] = sizes[1] = sizes[2] = dims[0];
    return 0;
}

static inline int64_t no_arena(const int64_t *dims, int64_t *values) {
    (void)dims;
    (void)values;
    return 0;
}

static inline int scaled_run(const OpgenRun *run) {
    for (int64_t i = 0; i < run->dims[0]; i++)
        ((float *)run->outputs[0])[i] = ((const float *)run->inputs[0])[i] * ((const float *)run->params[0])[i];
    return 0;
}

static const OpgenModel scaled = {.abi = OPGEN_ABI,
                                  .name = "scaled",
                                  .backend = "cpu",
                                  .arch = "",
                                  .dim_count = 1,
                                  .input_count = 1,
                                  .output_count = 1,
                                  .param_count = 1,
                                  .dims = scaled_dims,
                                  .inputs = &scaled_input,
                                  .outputs = &scaled_output,
                                  .params = &scaled_param,
                                  .shapes = scaled_shapes,
                                  .prepare = no_arena,
                                  .run = scaled_run};

static const float fixed_data[COLUMNS] = {5, 6, 7, 8};
static const OpgenTensor fixed_output = {"y", OPGEN_F32, 1, four_axis, NULL, NULL, 0},
                         fixed_param = {"w", OPGEN_F32, 1, four_axis, fixed_data, NULL, 0};

static inline int fixed_shapes(const int64_t *dims, int64_t *sizes) {
    (void)dims;
    sizes[0] = sizes[1] = COLUMNS;
    return 0;
}

static inline int fixed_run(const OpgenRun *run) {
    memcpy(run->outputs[0], run->params[0], sizeof fixed_data);
    return 0;
}

static const OpgenModel fixed = {.abi = OPGEN_ABI,
                                 .name = "fixed",
                                 .backend = "cpu",
                                 .arch = "",
                                 .output_count = 1,
                                 .param_count = 1,
                                 .outputs = &fixed_output,
                                 .params = &fixed_param,
                                 .shapes = fixed_shapes,
                                 .prepare = no_arena,
                                 .run = fixed_run};

/* ---- tensors of the affine model ---- */

typedef struct Tensors {
    int64_t batch, twice, odd, by_4[2];
    float *x, *s, *y;
    int64_t *e, *t;
    DLTensor inputs[3], outputs[2];
} Tensors;

static inline void *filled(size_t bytes) {
    void *memory = malloc(bytes + 1);
    memset(memory, 0x55, bytes + 1);
    return memory;
}

static inline void make_tensors(Tensors *all, int64_t batch) {
    *all = (Tensors){.batch = batch, .twice = 2 * batch, .odd = 2 * batch + 1, .by_4 = {batch, COLUMNS}};
    all->x = filled((size_t)batch * COLUMNS * 4);
    all->s = filled((size_t)batch * 4);
    all->y = filled((size_t)batch * COLUMNS * 4);
    all->e = filled((size_t)batch * 16);
    all->t = filled((size_t)batch * 16 + 8);
    for (int64_t i = 0; i < batch * COLUMNS; i++)
        all->x[i] = (float)i;
    for (int64_t i = 0; i < batch; i++)
        all->s[i] = (float)(i * 100);
    for (int64_t i = 0; i < 2 * batch; i++)
        all->e[i] = i;
    all->inputs[0] = opgen_tensor(all->x, OPGEN_F32, 2, all->by_4);
    all->inputs[1] = opgen_tensor(all->s, OPGEN_F32, 1, &all->batch);
    all->inputs[2] = opgen_tensor(all->e, OPGEN_I64, 1, &all->twice);
    all->outputs[0] = opgen_tensor(all->y, OPGEN_F32, 2, all->by_4);
    all->outputs[1] = opgen_tensor(all->t, OPGEN_I64, 1, &all->odd);
}

static inline void free_tensors(Tensors *all) {
    free(all->x);
    free(all->s);
    free(all->y);
    free(all->e);
    free(all->t);
}

/* Whether outputs are what they should be with these params; the outputs are poisoned for the next time. */
static inline bool outputs_right(Tensors *all, const float *w, const float *b) {
    bool right = all->t[2 * all->batch] == all->batch;
    for (int64_t i = 0; i < all->batch * COLUMNS; i++)
        right &= all->y[i] == (float)i * w[i % COLUMNS] + b[i % COLUMNS] + (float)(i / COLUMNS * 100);
    for (int64_t i = 0; i < 2 * all->batch; i++)
        right &= all->t[i] == i * (i + 1) / 2;
    memset(all->y, 0x55, (size_t)all->batch * COLUMNS * 4);
    memset(all->t, 0x55, (size_t)all->odd * 8);
    return right;
}

/* ---- files ---- */

static inline void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) abort();
}

/* A path in the folder that the test runner removes; from malloc. */
static inline char *temporary(const char *name) {
    const char *folder = getenv("TMPDIR");
    size_t size = strlen(folder ? folder : "/tmp") + strlen(name) + 2;
    char *path = malloc(size);
    snprintf(path, size, "%s/%s", folder ? folder : "/tmp", name);
    return path;
}

/* A safetensors file of this header and data, from malloc. */
static inline unsigned char *stored(const char *header, const void *data, size_t data_size, size_t *size) {
    size_t length = strlen(header);
    unsigned char *bytes = malloc(8 + length + data_size + 1);
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)((uint64_t)length >> (8 * i));
    memcpy(bytes + 8, header, length);
    if (data_size > 0) memcpy(bytes + 8 + length, data, data_size);
    *size = 8 + length + data_size;
    return bytes;
}

static inline void write_stored(const char *path, const char *header, const void *data, size_t data_size) {
    size_t size;
    unsigned char *bytes = stored(header, data, data_size, &size);
    write_file(path, bytes, size);
    free(bytes);
}

#endif

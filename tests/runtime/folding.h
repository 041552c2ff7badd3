/* folding.h: models with something to be computed once for a set of weights, written by hand as generated code would
 * be.
 *
 * folding: x (n, 4); params w, b, c (4,) f32; fold makes f = 2 * w + b, by way of its arena, and g = w * b, 64 bytes
 * behind; y (n, 4) = x * f + c, z (4,) = g. c is not fold's to read. table: no params; t (4,) = 1, 2, 4, 8, which fold
 * makes.
 */
#ifndef OPGEN_TESTS_FOLDING_H
#define OPGEN_TESTS_FOLDING_H

#include "model.h"

#include <stdatomic.h>

static atomic_long folding_calls;
static atomic_int folding_status; /* what the next folds return instead of 0 */

static const OpgenDim folding_dims[] = {{"n", 0, 64}};
static const OpgenAxis n_by_4[] = {{0, 0, "n"}, {-1, COLUMNS, "4"}};
static const OpgenTensor folding_input = {"x", OPGEN_F32, 2, n_by_4, NULL, NULL, 0};
static const OpgenTensor folding_outputs[] = {{"y", OPGEN_F32, 2, n_by_4, NULL, NULL, 0},
                                              {"z", OPGEN_F32, 1, four_axis, NULL, NULL, 0}};
static const OpgenTensor folding_params[] = {{"w", OPGEN_F32, 1, four_axis, NULL, NULL, 0},
                                             {"b", OPGEN_F32, 1, four_axis, NULL, NULL, 0},
                                             {"c", OPGEN_F32, 1, four_axis, NULL, NULL, 0}};
static const int32_t folding_reads[] = {0, 1};

static inline int folding_shapes(const int64_t *dims, int64_t *sizes) {
    const int64_t all[] = {dims[0], COLUMNS, dims[0], COLUMNS, COLUMNS, COLUMNS, COLUMNS, COLUMNS};
    memcpy(sizes, all, sizeof all);
    return 0;
}

static inline int folding_fold(const OpgenRun *run) {
    const float *w = run->params[0], *b = run->params[1];
    float *made = run->arena, *f = run->folded, *g = f + 16;
    atomic_fetch_add(&folding_calls, 1);
    if ((uintptr_t)run->arena % 64 != 0 || (uintptr_t)run->folded % 64 != 0) return 77;
    if (run->inputs || run->outputs || run->dims || run->values || run->threads < 1) return 78;
    for (int i = 0; i < COLUMNS; i++)
        made[i] = 2 * w[i], g[i] = w[i] * b[i];
    if (atomic_load(&folding_status)) return atomic_load(&folding_status);
    for (int i = 0; i < COLUMNS; i++)
        f[i] = made[i] + b[i];
    return 0;
}

static inline int folding_run(const OpgenRun *run) {
    const float *x = run->inputs[0], *c = run->params[2], *f = run->folded, *g = f + 16;
    float *y = run->outputs[0];
    for (int64_t i = 0; i < run->dims[0] * COLUMNS; i++)
        y[i] = x[i] * f[i % COLUMNS] + c[i % COLUMNS];
    memcpy(run->outputs[1], g, COLUMNS * sizeof *g);
    return 0;
}

static const OpgenModel folding = {.abi = OPGEN_ABI,
                                   .name = "folding",
                                   .backend = "cpu",
                                   .arch = "",
                                   .dim_count = 1,
                                   .input_count = 1,
                                   .output_count = 2,
                                   .param_count = 3,
                                   .dims = folding_dims,
                                   .inputs = &folding_input,
                                   .outputs = folding_outputs,
                                   .params = folding_params,
                                   .shapes = folding_shapes,
                                   .prepare = no_arena,
                                   .run = folding_run,
                                   .fold = folding_fold,
                                   .folded_bytes = 128,
                                   .fold_arena_bytes = 64,
                                   .fold_param_count = 2,
                                   .fold_params = folding_reads};

static const OpgenTensor table_output = {"t", OPGEN_F32, 1, four_axis, NULL, NULL, 0};

static inline int table_shapes(const int64_t *dims, int64_t *sizes) {
    (void)dims;
    sizes[0] = COLUMNS;
    return 0;
}

static inline int table_fold(const OpgenRun *run) {
    atomic_fetch_add(&folding_calls, 1);
    for (int i = 0; i < COLUMNS; i++)
        ((float *)run->folded)[i] = (float)(1 << i);
    return 0;
}

static inline int table_run(const OpgenRun *run) {
    memcpy(run->outputs[0], run->folded, COLUMNS * sizeof(float));
    return 0;
}

static const OpgenModel table = {.abi = OPGEN_ABI,
                                 .name = "table",
                                 .backend = "cpu",
                                 .arch = "",
                                 .output_count = 1,
                                 .outputs = &table_output,
                                 .shapes = table_shapes,
                                 .prepare = no_arena,
                                 .run = table_run,
                                 .fold = table_fold,
                                 .folded_bytes = 64};

/* ---- runs of folding ---- */

enum { FOLDING_ROWS = 5 };

typedef struct Folding {
    int64_t y_shape[2], z_shape[1];
    float x[FOLDING_ROWS * COLUMNS], y[FOLDING_ROWS * COLUMNS], z[COLUMNS];
    DLTensor input, outputs[2];
} Folding;

static inline void make_folding(Folding *all) {
    *all = (Folding){.y_shape = {FOLDING_ROWS, COLUMNS}, .z_shape = {COLUMNS}};
    for (int i = 0; i < FOLDING_ROWS * COLUMNS; i++)
        all->x[i] = (float)(i - 7);
    all->input = opgen_tensor(all->x, OPGEN_F32, 2, all->y_shape);
    all->outputs[0] = opgen_tensor(all->y, OPGEN_F32, 2, all->y_shape);
    all->outputs[1] = opgen_tensor(all->z, OPGEN_F32, 1, all->z_shape);
}

static inline int run_folding(OpgenInstance *instance, Folding *all) {
    memset(all->y, 0x55, sizeof all->y);
    memset(all->z, 0x55, sizeof all->z);
    return opgen_run(instance, &all->input, 1, all->outputs, 2, NULL);
}

static inline bool folding_right(const Folding *all, const float *w, const float *b, const float *c) {
    bool right = true;
    for (int i = 0; i < FOLDING_ROWS * COLUMNS; i++)
        right &= all->y[i] == all->x[i] * (2 * w[i % COLUMNS] + b[i % COLUMNS]) + c[i % COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        right &= all->z[i] == w[i] * b[i];
    return right;
}

/* The three params as a file, filled up so that they are aligned and mapped. */
static inline void write_folding(const char *path, const float *values) {
    char header[300];
    int length = snprintf(header, sizeof header,
                          "{\"w\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]},"
                          "\"b\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[16,32]},"
                          "\"c\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[32,48]}}");
    for (; length % 8 != 0; length++)
        memcpy(header + length, " ", 2);
    write_stored(path, header, values, 3 * COLUMNS * sizeof *values);
}

#endif

/* watched.h: a model with a table of calls, written by hand as generated code would be.
 *
 * watched: x (n, 4), params w (4,), c (4,) f32. fold makes s = sqrt(w). Calls: 0 makes r = sqrt(x) in the arena; 1
 * makes y (n, 4) = r * s + c, behind which lies d (n, 4) = r - s in the arena, both of one function; 2 counts: t (n,)
 * i64. 3 is fold's.
 */
#ifndef OPGEN_TESTS_WATCHED_H
#define OPGEN_TESTS_WATCHED_H

#include "model.h"

#include <math.h>

static const OpgenDim watched_dims[] = {{"n", 0, 64}};
static const OpgenAxis watched_by_4[] = {{0, 0, "n"}, {-1, COLUMNS, "4"}}, watched_n[] = {{0, 0, "n"}};
static const OpgenTensor watched_input = {.name = "x", .dtype = OPGEN_F32, .rank = 2, .axes = watched_by_4};
static const OpgenTensor watched_outputs[] = {{.name = "y", .dtype = OPGEN_F32, .rank = 2, .axes = watched_by_4},
                                              {.name = "t", .dtype = OPGEN_I64, .rank = 1, .axes = watched_n}};
static const OpgenTensor watched_params[] = {{.name = "w", .dtype = OPGEN_F32, .rank = 1, .axes = four_axis},
                                             {.name = "c", .dtype = OPGEN_F32, .rank = 1, .axes = four_axis}};
static const int32_t watched_folds[] = {0};

static inline int watched_shapes(const int64_t *dims, int64_t *sizes) {
    const int64_t all[] = {dims[0], COLUMNS, dims[0], COLUMNS, dims[0], COLUMNS, COLUMNS};
    memcpy(sizes, all, sizeof all);
    return 0;
}

/* values: where d begins in the arena, and the arena's bytes. */
static inline int64_t watched_prepare(const int64_t *dims, int64_t *values) {
    values[0] = (dims[0] * COLUMNS * 4 + 63) / 64 * 64;
    return 2 * values[0];
}

static inline void watched_numbers(const int64_t *dims, int64_t *numbers) {
    const int64_t n = dims[0];
    const int64_t all[] = {n, COLUMNS, 32 * n, 4 * n, 48 * n + 32, 12 * n, COLUMNS, 32, 8 * n};
    memcpy(numbers, all, sizeof all);
}

static const OpgenResult watched_results[] = {{"r", OPGEN_F32, 2, 0, OPGEN_AT_ARENA, 0, -1, -1, 0},
                                              {"y", OPGEN_F32, 2, 0, OPGEN_AT_OUTPUT, 0, -1, -1, 0},
                                              {"d", OPGEN_F32, 2, 0, OPGEN_AT_ARENA, 0, 0, -1, 0},
                                              {"t", OPGEN_I64, 1, 0, OPGEN_AT_OUTPUT, 1, -1, -1, 0},
                                              {"s", OPGEN_F32, 1, 6, OPGEN_AT_FOLDED, 0, -1, -1, 64}};
static const OpgenCall watched_calls[] = {{"sqrt_f32_1", "sqrt", "r", 0, 1, 2, 3},
                                          {"both_f32_2", "mul, add, sub", "p, y, d", 1, 2, 4, 5},
                                          {"count_i64_3", "count", "t", 3, 1, 8, -1},
                                          {"sqrt_f32_1", "sqrt", "s", 4, 1, 7, 1}};

static inline void watched_seen(const OpgenRun *run, int32_t call) {
    if (run->seen) run->seen(run, call);
}

static inline int watched_fold(const OpgenRun *run) {
    const float *w = run->params[0];
    float *s = (float *)run->folded + 16;
    for (int i = 0; i < COLUMNS; i++)
        s[i] = sqrtf(w[i]);
    watched_seen(run, 3);
    return 0;
}

static inline int watched_run(const OpgenRun *run) {
    const int64_t n = run->dims[0] * COLUMNS;
    const float *x = run->inputs[0], *c = run->params[1], *s = (const float *)run->folded + 16;
    float *r = run->arena, *y = run->outputs[0], *d = (float *)(void *)((char *)run->arena + run->values[0]);
    int64_t *t = run->outputs[1];
    for (int64_t i = 0; i < n; i++)
        r[i] = sqrtf(x[i]);
    watched_seen(run, 0);
    for (int64_t i = 0; i < n; i++)
        y[i] = r[i] * s[i % COLUMNS] + c[i % COLUMNS], d[i] = r[i] - s[i % COLUMNS];
    watched_seen(run, 1);
    for (int64_t i = 0; i < run->dims[0]; i++)
        t[i] = i;
    watched_seen(run, 2);
    return 0;
}

static const OpgenModel watched = {.abi = OPGEN_ABI,
                                   .name = "watched",
                                   .backend = "cpu",
                                   .arch = "",
                                   .dim_count = 1,
                                   .input_count = 1,
                                   .output_count = 2,
                                   .param_count = 2,
                                   .dims = watched_dims,
                                   .inputs = &watched_input,
                                   .outputs = watched_outputs,
                                   .params = watched_params,
                                   .shapes = watched_shapes,
                                   .value_count = 1,
                                   .prepare = watched_prepare,
                                   .run = watched_run,
                                   .fold = watched_fold,
                                   .folded_bytes = 128,
                                   .fold_param_count = 1,
                                   .fold_params = watched_folds,
                                   .call_count = 3,
                                   .fold_call_count = 1,
                                   .calls = watched_calls,
                                   .result_count = 5,
                                   .results = watched_results,
                                   .number_count = 9,
                                   .numbers = watched_numbers};

/* ---- its tensors */
typedef struct Watched {
    int64_t n, by_4[2];
    float x[64 * COLUMNS], y[64 * COLUMNS];
    int64_t t[64];
    DLTensor input, outputs[2];
} Watched;

static inline void make_watched(Watched *all, int64_t n) {
    *all = (Watched){.n = n, .by_4 = {n, COLUMNS}};
    for (int64_t i = 0; i < n * COLUMNS; i++)
        all->x[i] = (float)(i * i);
    memset(all->y, 0x55, sizeof all->y);
    memset(all->t, 0x55, sizeof all->t);
    all->input = opgen_tensor(all->x, OPGEN_F32, 2, all->by_4);
    all->outputs[0] = opgen_tensor(all->y, OPGEN_F32, 2, all->by_4);
    all->outputs[1] = opgen_tensor(all->t, OPGEN_I64, 1, &all->n);
}

static inline int run_watched(OpgenInstance *instance, Watched *all) {
    return opgen_run(instance, &all->input, 1, all->outputs, 2, NULL);
}

/* With w = root * root and this c. */
static inline bool watched_right(Watched *all, float root, float c) {
    bool right = true;
    for (int64_t i = 0; i < all->n * COLUMNS; i++)
        right &= all->y[i] == (float)i * root + c;
    for (int64_t i = 0; i < all->n; i++)
        right &= all->t[i] == i;
    memset(all->y, 0x55, sizeof all->y);
    memset(all->t, 0x55, sizeof all->t);
    return right;
}

static inline int give_watched(OpgenInstance *instance, float w, float c) {
    int64_t four = COLUMNS;
    float ws[COLUMNS] = {w, w, w, w}, cs[COLUMNS] = {c, c, c, c};
    const char *names[] = {"w", "c"};
    DLTensor tensors[] = {opgen_tensor(ws, OPGEN_F32, 1, &four), opgen_tensor(cs, OPGEN_F32, 1, &four)};
    return opgen_weights_replace(instance, names, tensors, 2);
}

#endif

/* running.h: an instance of the affine model with known weights, and what it must give, for tests of runs. */
#ifndef OPGEN_TESTS_RUNNING_H
#define OPGEN_TESTS_RUNNING_H

#include "model.h"

#include <cmocka.h>

static const float w[COLUMNS] = {1, 2, 3, 4}, b[COLUMNS] = {10, 20, 30, 40};

static inline void give_weights(OpgenInstance *instance) {
    int64_t four = COLUMNS;
    const char *names[] = {"w", "b"};
    DLTensor tensors[] = {opgen_tensor((void *)(uintptr_t)w, OPGEN_F32, 1, &four),
                          opgen_tensor((void *)(uintptr_t)b, OPGEN_F32, 1, &four)};
    assert_int_equal(opgen_weights_replace(instance, names, tensors, 2), OPGEN_OK);
}

static inline OpgenInstance *make(const OpgenModel *model, const OpgenOptions *options) {
    OpgenInstance *instance;
    if (opgen_create(model, options, &instance)) fail_msg("%s", opgen_last_error());
    return instance;
}

static inline OpgenInstance *make_affine(void) {
    OpgenInstance *instance = make(&affine, NULL);
    give_weights(instance);
    return instance;
}

static inline int run(OpgenInstance *instance, const Tensors *all) {
    return opgen_run(instance, all->inputs, 3, all->outputs, 2, NULL);
}

static inline void runs_right(OpgenInstance *instance, int64_t batch) {
    Tensors all;
    make_tensors(&all, batch);
    if (run(instance, &all)) fail_msg("%s", opgen_last_error());
    assert_true(outputs_right(&all, w, b));
    free_tensors(&all);
}

/* The call failed with this status, the text has these parts, and the model still works. */
static inline void failed(OpgenInstance *instance, int got, int wanted, const char *first, const char *second) {
    if (got != wanted || !strstr(opgen_last_error(), first) || !strstr(opgen_last_error(), second))
        fail_msg("status %d (wanted %d): %s (wanted: %s ... %s)", got, wanted, opgen_last_error(), first, second);
    if (instance) runs_right(instance, 3);
}

#endif

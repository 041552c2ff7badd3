/* library.c: the models of model.h as a generated library exports them, for test_library.sh. `named` is affine with a
 * weights file of its own. */
#include "model.h"

extern const OpgenModel named_model;
const OpgenModel named_model = {.abi = OPGEN_ABI + WRONG_ABI,
                                .name = "named",
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
                                .weights = "named.safetensors",
                                .shapes = affine_shapes,
                                .check = affine_check,
                                .value_count = 2,
                                .prepare = affine_prepare,
                                .run = affine_run};

extern const OpgenModel *const opgen_models[];
const OpgenModel *const opgen_models[] = {&named_model, &fixed, &scaled, NULL};

/* open.c: a program that knows no model when it is built: a library is loaded, and its model is looked at and run on
 * zeros. The program has the runtime, of which one is as good as another; models come with libraries. */
#include <opgen.h>

#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, opgen_last_error());
    return 1;
}

/* Memory for a tensor of this shape, zeros. */
static DLTensor zeros(const OpgenTensor *about, int64_t *shape) {
    int64_t bytes = opgen_shape_bytes(about->dtype, about->rank, shape);
    return opgen_tensor(calloc(1, bytes > 0 ? (size_t)bytes : 1), about->dtype, about->rank, shape);
}

static int run(const OpgenModel *model) {
    enum { MOST = 16, RANK = 8 };
    static int64_t dims[MOST], shapes[2 * MOST][RANK];
    DLTensor inputs[MOST], outputs[MOST];
    OpgenInstance *instance;
    if (model->input_count > MOST || model->output_count > MOST || model->dim_count > MOST) return 1;
    if (opgen_create(model, NULL, &instance)) return fail("create");
    for (int32_t i = 0; i < model->dim_count; i++)
        dims[i] = model->dims[i].min > 0 ? model->dims[i].min : 1;
    for (int32_t i = 0; i < model->input_count; i++) {
        const OpgenTensor *about = &model->inputs[i];
        char text[200];
        opgen_describe(model, about, text, sizeof text);
        printf("open: input %s\n", text);
        for (int32_t k = 0; k < about->rank; k++)
            shapes[i][k] = about->axes[k].dim >= 0 ? dims[about->axes[k].dim] : about->axes[k].size;
        inputs[i] = zeros(about, shapes[i]);
    }
    for (int32_t i = 0; i < model->output_count; i++)
        outputs[i] = opgen_tensor(NULL, model->outputs[i].dtype, RANK, shapes[MOST + i]);
    int status = opgen_infer_shapes(instance, inputs, model->input_count, outputs, model->output_count);
    for (int32_t i = 0; i < model->output_count && !status; i++)
        outputs[i] = zeros(&model->outputs[i], shapes[MOST + i]);
    if (!status) status = opgen_run(instance, inputs, model->input_count, outputs, model->output_count, NULL);
    for (int32_t i = 0; i < model->output_count && !status; i++)
        printf("open: output %s has %lld bytes, the first value is %.4f\n", model->outputs[i].name,
               (long long)opgen_shape_bytes(model->outputs[i].dtype, outputs[i].ndim, outputs[i].shape),
               (double)*(float *)outputs[i].data);
    if (status) fail("run");
    for (int32_t i = 0; i < model->input_count; i++)
        free(inputs[i].data);
    for (int32_t i = 0; i < model->output_count; i++)
        free(outputs[i].data);
    opgen_free(instance);
    return status ? 1 : 0;
}

int main(int argc, char **argv) {
    OpgenLibrary *library;
    if (argc != 2) {
        fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
        return 2;
    }
    if (opgen_open(argv[1], &library)) return fail("open");
    int status = 0;
    for (int32_t i = 0; i < opgen_model_count(library) && !status; i++) {
        printf("open: model %s\n", opgen_model_name(library, i));
        status = run(opgen_library_model(library, i));
    }
    if (opgen_close(library)) return fail("close");
    return status;
}

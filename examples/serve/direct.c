/* direct.c: a C program that links the library: one instance, weights beside the library, one run. */
#include <mlp.h>

#include <stdio.h>

int main(void) {
    OpgenInstance *mlp;
    if (mlp_create(NULL, &mlp)) {
        fprintf(stderr, "%s\n", opgen_last_error());
        return 1;
    }
    static float x[64], y[10], logits[10];
    for (int i = 0; i < 64; i++)
        x[i] = (float)i / 64;
    int64_t x_shape[] = {1, 64}, y_shape[] = {1, 10};
    DLTensor in = opgen_tensor(x, OPGEN_F32, 2, x_shape), out = opgen_tensor(y, OPGEN_F32, 2, y_shape),
             out_logits = opgen_tensor(logits, OPGEN_F32, 2, y_shape);
    int status = mlp_run(mlp, &in, &out, &out_logits, NULL);
    if (status) {
        fprintf(stderr, "%s\n", opgen_last_error());
    } else {
        int best = 0;
        for (int i = 1; i < 10; i++)
            if (y[i] > y[best]) best = i;
        printf("direct: class %d with %.4f\n", best, (double)y[best]);
    }
    /* What a caller gets wrong is a status and a text, and the instance works as before. */
    x_shape[1] = 63;
    if (!status && mlp_run(mlp, &in, &out, &out_logits, NULL) == OPGEN_BAD_SHAPE)
        printf("direct: refused: %s\n", opgen_last_error());
    mlp_free(mlp);
    return status ? 1 : 0;
}

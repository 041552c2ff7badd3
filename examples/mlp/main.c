/* main.c: a program that links the library of mlp: weights from a file, a batch of two, the likeliest class of each. */
#include <stdio.h>

#include "mlp.h"

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s WEIGHTS.safetensors\n", argv[0]);
        return 2;
    }
    OpgenOptions options = opgen_options();
    options.weights = argv[1];
    OpgenInstance *mlp;
    if (mlp_create(&options, &mlp) != 0) {
        fprintf(stderr, "%s\n", opgen_last_error());
        return 1;
    }
    static float x[2][64], y[2][10], logits[2][10];
    for (int i = 0; i < 64; i++)
        x[0][i] = (float)i / 64, x[1][i] = i % 2 ? 1 : -1;
    int64_t x_shape[] = {2, 64}, y_shape[] = {2, 10};
    DLTensor in_x = opgen_tensor(x, OPGEN_F32, 2, x_shape), out_y = opgen_tensor(y, OPGEN_F32, 2, y_shape),
             out_logits = opgen_tensor(logits, OPGEN_F32, 2, y_shape);
    if (mlp_run(mlp, &in_x, &out_y, &out_logits, NULL) != 0) {
        fprintf(stderr, "%s\n", opgen_last_error());
        mlp_free(mlp);
        return 1;
    }
    for (int row = 0; row < 2; row++) {
        int best = 0;
        for (int i = 1; i < 10; i++)
            if (y[row][i] > y[row][best]) best = i;
        printf("row %d: class %d with %.3f\n", row, best, (double)y[row][best]);
    }
    mlp_free(mlp);
    return 0;
}

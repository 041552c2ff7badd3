/* main.c: a program that uses generated sources as its own. It knows the model's header and nothing else. */
#include <math.h>
#include <stdio.h>

#include "distance.h"

enum { POINTS = 5 };

int main(void) {
    static float x[POINTS][3] = {{0, 0, 0}, {1, 1, 1}, {9, 0, 0}, {2, 2, 2.5f}, {-4, 3, 0}};
    float centres[8][3], far[POINTS];
    int64_t which[POINTS];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            centres[i][k] = (float)i;

    int64_t x_shape[] = {POINTS, 3}, centres_shape[] = {8, 3}, y_shape[] = {POINTS};
    DLTensor in_x = opgen_tensor(x, OPGEN_F32, 2, x_shape),
             in_centres = opgen_tensor(centres, OPGEN_F32, 2, centres_shape);
    DLTensor out_far = opgen_tensor(far, OPGEN_F32, 1, y_shape), out_which = opgen_tensor(which, OPGEN_I64, 1, y_shape);
    OpgenInstance *model;
    if (distance_create(NULL, &model) != 0 ||
        distance_run(model, &in_x, &in_centres, &out_far, &out_which, NULL) != 0) {
        fprintf(stderr, "%s\n", opgen_last_error());
        return 1;
    }
    int wrong = 0;
    for (int p = 0; p < POINTS; p++) {
        double best = INFINITY;
        int64_t nearest = 0;
        for (int i = 0; i < 8; i++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += ((double)x[p][k] - i) * ((double)x[p][k] - i);
            if (sum < best) best = sum, nearest = i;
        }
        printf("point %d: %.3f from centre %d\n", p, (double)far[p], (int)which[p]);
        wrong += !(fabs((double)far[p] - sqrt(best)) < 1e-5) || which[p] != nearest;
    }
    distance_free(model);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

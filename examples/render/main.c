/* main.c: calls the functions that opgen rendered for the CPU, shows a few results and checks all of them. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

int add_f32(float *y, const float *a, const float *b, int64_t n);
int add_i32(int32_t *y, const int32_t *a, const int32_t *b, int64_t n);

enum { N = 1000, SHOWN = 4 };

int main(void) {
    static float fy[N], fa[N], fb[N];
    static int32_t iy[N], ia[N], ib[N];
    for (int i = 0; i < N; i++) {
        fa[i] = (float)i * 0.25f;
        fb[i] = (float)(N - i);
        fy[i] = -1.0f; /* not what any sum gives */
        ia[i] = i * i;
        ib[i] = -i;
        iy[i] = -1;
    }
    if (add_f32(fy, fa, fb, N) != 0 || add_i32(iy, ia, ib, N) != 0) return 1;

    for (int i = 1; i <= SHOWN; i++) {
        printf("add_f32: %6.2f + %7.2f = %7.2f      add_i32: %3" PRId32 " + %3" PRId32 " = %3" PRId32 "\n",
               (double)fa[i], (double)fb[i], (double)fy[i], ia[i], ib[i], iy[i]);
    }
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        /* Quarters up to a thousand are exact in float, so the sums are known without adding floats. */
        wrong += fy[i] != (float)(4 * N - 3 * i) * 0.25f;
        wrong += iy[i] != i * (i - 1);
    }
    printf("%d values checked, %d wrong\n", 2 * N, wrong);
    return wrong != 0;
}

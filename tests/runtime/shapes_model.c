/* shapes_model.c: one library for the whole range of its dims: the shapes that it tells are those that runs take, for
 * the least, the largest and odd sizes, and what cannot be is refused with what was wanted and what was got.
 * test_shapes.sh has the model and builds this.
 *
 * y = x in pairs; s = the sum of x over its last dim, plus m; whole = the sum of all; half = x in rows of 6, for which
 * batch * length has to be even.
 */
#include "ranges.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong;

static void must(int good, const char *what, int64_t batch, int64_t length) {
    if (good) return;
    wrong = 1;
    fprintf(stderr, "%s at batch %lld, length %lld: %s\n", what, (long long)batch, (long long)length,
            opgen_last_error());
}

static void refuses(int got, int wanted, const char *text) {
    if (got == wanted && strcmp(opgen_last_error(), text) == 0) return;
    wrong = 1;
    fprintf(stderr, "wanted %d, got %d\nwanted: %s\ngot:    %s\n", wanted, got, text, opgen_last_error());
}

static int same(const int64_t *a, const int64_t *b, int n) { return memcmp(a, b, (size_t)n * sizeof *a) == 0; }

static float *poisoned(int64_t n) {
    float *made = malloc((size_t)(n + 1) * sizeof *made);
    if (made == NULL) abort();
    for (int64_t i = 0; i < n; i++)
        made[i] = NAN;
    return made;
}

/* A run with the shapes that were told, all of whose elements are what they have to be. */
static void run(OpgenInstance *model, int64_t batch, int64_t length) {
    int64_t x_shape[] = {batch, length, 3}, m_shape[] = {batch, length}, y[2], s[2], half[2], again[3][2];
    float *x_data = poisoned(batch * length * 3), *m_data = poisoned(batch * length), whole_data = NAN;
    DLTensor x = opgen_tensor(x_data, OPGEN_F32, 3, x_shape), m = opgen_tensor(m_data, OPGEN_F32, 2, m_shape);
    must(ranges_shapes(batch, length, y, s, half) == OPGEN_OK, "shapes", batch, length);
    must(ranges_infer_shapes(model, &x, &m, again[0], again[1], again[2]) == OPGEN_OK, "infer", batch, length);
    must(same(y, again[0], 2) && same(s, again[1], 2) && same(half, again[2], 2), "both ways", batch, length);
    must(y[0] == batch && y[1] == 3 * length && s[0] == batch && s[1] == length, "sizes", batch, length);
    must(half[0] == batch * length / 2 && half[1] == 6, "half", batch, length);
    float *y_data = poisoned(y[0] * y[1]), *s_data = poisoned(s[0] * s[1]), *h_data = poisoned(half[0] * half[1]);
    DLTensor y_out = opgen_tensor(y_data, OPGEN_F32, 2, y), s_out = opgen_tensor(s_data, OPGEN_F32, 2, s),
             w_out = opgen_tensor(&whole_data, OPGEN_F32, 0, NULL), h_out = opgen_tensor(h_data, OPGEN_F32, 2, half);
    double sum = 0;
    for (int64_t i = 0; i < batch * length * 3; i++)
        x_data[i] = (float)(i % 7 - 3), sum += x_data[i];
    for (int64_t i = 0; i < batch * length; i++)
        m_data[i] = (float)(i % 5);
    must(ranges_run(model, &x, &m, &y_out, &s_out, &w_out, &h_out, NULL) == OPGEN_OK, "run", batch, length);
    int good = fabs(sum - whole_data) < 1e-3;
    for (int64_t i = 0; i < batch * length * 3; i++)
        good = good && y_data[i] == 2 * x_data[i] && h_data[i] == x_data[i];
    for (int64_t i = 0; i < batch * length; i++)
        good = good && s_data[i] == x_data[3 * i] + x_data[3 * i + 1] + x_data[3 * i + 2] + m_data[i];
    must(good, "values", batch, length);
    free(x_data), free(m_data), free(y_data), free(s_data), free(h_data);
}

static void refusals(OpgenInstance *model) {
    int64_t y[2] = {-1, -1}, s[2], half[2];
    refuses(ranges_shapes(0, 4, y, s, half), OPGEN_BAD_SHAPE, "ranges: dim \"batch\": wanted 1 to 9, got 0");
    refuses(ranges_shapes(10, 4, y, s, half), OPGEN_BAD_SHAPE, "ranges: dim \"batch\": wanted 1 to 9, got 10");
    refuses(ranges_shapes(2, 1, y, s, half), OPGEN_BAD_SHAPE, "ranges: dim \"length\": wanted 2 to 33, got 1");
    refuses(ranges_shapes(2, INT64_MIN, y, s, half), OPGEN_BAD_SHAPE,
            "ranges: dim \"length\": wanted 2 to 33, got -9223372036854775808");
    refuses(
        ranges_shapes(3, 5, y, s, half), OPGEN_BAD_SHAPE,
        "ranges: 3*batch*length elements of shape [batch, length, 3] do not make the shape [batch*length//2, 6] with "
        "batch=3, length=5");
    must(y[0] == -1 && y[1] == -1, "left alone", 3, 5);
    const int64_t dims[] = {2, 4};
    DLTensor none[4];
    refuses(opgen_shapes_of_dims(&ranges_model, dims, 1, none, 4), OPGEN_BAD_ARGUMENT,
            "opgen_shapes_of_dims: ranges: wanted 2 dims and 4 outputs, got 1 and 4");
    refuses(opgen_shapes_of_dims(&ranges_model, NULL, 2, none, 4), OPGEN_BAD_ARGUMENT,
            "opgen_shapes_of_dims: ranges: a list is NULL");
    refuses(opgen_shapes_of_dims(NULL, dims, 2, none, 4), OPGEN_BAD_ARGUMENT,
            "opgen_shapes_of_dims: the model is NULL");
    for (int i = 0; i < 4; i++)
        none[i] = opgen_tensor(NULL, OPGEN_F32, 1, y);
    refuses(opgen_shapes_of_dims(&ranges_model, dims, 2, none, 4), OPGEN_BAD_ARGUMENT,
            "opgen_shapes_of_dims: ranges: output \"y\": wanted room for 2 sizes, got room for 1");

    static float data[10 * 34 * 3];
    int64_t x_shape[] = {2, 4, 3}, m_shape[] = {2, 5};
    DLTensor x = opgen_tensor(data, OPGEN_F32, 3, x_shape), m = opgen_tensor(data, OPGEN_F32, 2, m_shape);
    refuses(ranges_infer_shapes(model, &x, &m, y, s, half), OPGEN_BAD_SHAPE,
            "ranges: input \"m\": wanted f32 (batch, length), got f32 (2, 5): length is 4 by input \"x\"");
    DLTensor out = opgen_tensor(data, OPGEN_F32, 0, NULL);
    refuses(ranges_run(model, &x, &m, &out, &out, &out, &out, NULL), OPGEN_BAD_SHAPE,
            "ranges: input \"m\": wanted f32 (batch, length), got f32 (2, 5): length is 4 by input \"x\"");
    x_shape[1] = m_shape[1] = 34;
    refuses(ranges_run(model, &x, &m, &out, &out, &out, &out, NULL), OPGEN_BAD_SHAPE,
            "ranges: input \"x\": wanted f32 (batch, length, 3), got f32 (2, 34, 3): length goes from 2 to 33");
    refuses(ranges_infer_shapes(model, NULL, &m, y, s, half), OPGEN_BAD_ARGUMENT, "ranges: the list of inputs is NULL");
}

int main(void) {
    OpgenInstance *model;
    must(ranges_create(NULL, &model) == OPGEN_OK, "create", 0, 0);
    if (wrong) return 1;
    static const int64_t batches[] = {ranges_min_batch, 2, 4, 7, ranges_max_batch};
    static const int64_t lengths[] = {ranges_min_length, 3, 5, 8, 17, 32, ranges_max_length};
    int runs = 0;
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            if (batches[i] * lengths[k] % 2 == 0) run(model, batches[i], lengths[k]), runs++;
    refusals(model);
    must(ranges_free(model) == OPGEN_OK, "free", 0, 0);
    printf("%d runs\n", runs);
    return wrong;
}

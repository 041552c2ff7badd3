/* test_array.c: elements as initialisers of C: a compiler makes the same bytes of them, and the text is what is pinned.
 */
#include "output_case.h"

#include "emit/profile.h"

#include <math.h>

static Str printed(Dtype dtype, const void *bytes, size_t n) {
    Buf out;
    buf_init(&out, &arena);
    array_print(&out, dtype, str(bytes, n));
    return buf_str(&out);
}

#define assert_array(dtype, want, ...)                                                                                 \
    do {                                                                                                               \
        const __VA_ARGS__;                                                                                             \
        assert_text(printed(dtype, values, sizeof values), want);                                                      \
    } while (0)

static void pinned(void **state) {
    (void)state;
    assert_array(DT_F32, "    0x1p0f, -0x1.8p0f, 0.0f, -0.0f, INFINITY, -INFINITY, 0x0.000002p-126f, 0x1.fffffep127f\n",
                 float values[] = {1, -1.5f, 0, -0.0f, INFINITY, -INFINITY, 0x1p-149f, 0x1.fffffep127f});
    assert_array(DT_F32, "    NAN, 0x1.99999ap-4f, -0x0.8p-126f\n", float values[] = {NAN, 0.1f, -0x1p-127f});
    assert_array(DT_F64, "    0x1.999999999999ap-4, -0x0.0000000000001p-1022, -0.0, 0x1.fffffffffffffp1023\n",
                 double values[] = {0.1, -0x1p-1074, -0.0, 0x1.fffffffffffffp1023});
    assert_array(DT_I8, "    -128, 127, 0, -1\n", int8_t values[] = {-128, 127, 0, -1});
    assert_array(DT_I32, "    (-2147483647 - 1), 2147483647\n", int32_t values[] = {INT32_MIN, INT32_MAX});
    assert_array(DT_I64, "    (-9223372036854775807 - 1), -5, 9223372036854775807\n",
                 int64_t values[] = {INT64_MIN, -5, INT64_MAX});
    assert_array(DT_U8, "    0, 255\n", uint8_t values[] = {0, 255});
    assert_array(DT_U64, "    18446744073709551615u\n", uint64_t values[] = {UINT64_MAX});
    assert_array(DT_BOOL, "    1, 0\n", uint8_t values[] = {1, 0});
    assert_array(DT_F16, "    0x3c00, 0xfe00\n", uint16_t values[] = {0x3c00, 0xfe00});
    assert_array(DT_U8, "    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,\n    13\n",
                 uint8_t values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13});
}

/* Floats of all exponents, read back by C's own reader. */
static void read_back(void **state) {
    (void)state;
    uint64_t bits = 1;
    for (int i = 0; i < 200000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        uint32_t half = (uint32_t)(bits >> 32);
        float f, g;
        double d, e;
        memcpy(&f, &half, sizeof f);
        memcpy(&d, &bits, sizeof d);
        ArenaMark mark = arena_mark(&arena);
        g = strtof(str_to_c(&arena, str_trim(printed(DT_F32, &f, sizeof f))), NULL);
        e = strtod(str_to_c(&arena, str_trim(printed(DT_F64, &d, sizeof d))), NULL);
        assert_true(isnan(f) ? isnan(g) : memcmp(&f, &g, sizeof f) == 0);
        assert_true(isnan(d) ? isnan(e) : memcmp(&d, &e, sizeof d) == 0);
        arena_reset(&arena, mark);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {TEST(pinned), TEST(read_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

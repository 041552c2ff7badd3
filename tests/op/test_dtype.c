/* test_dtype.c: the table of element types, and how they mix. The expected table is written out as PyTorch documents
 * its lattice (torch.promote_types); the unsigned types above 8 bits, which it leaves out, stand as NumPy has them. */
#include "op/dtype.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char *const order[DT_COUNT] = {"bool", "u8",  "i8",  "u16",  "i16", "u32", "i32",
                                            "u64",  "i64", "f16", "bf16", "f32", "f64"};

static const char *const promoted[DT_COUNT][DT_COUNT] = {
    /*          bool    u8      i8      u16     i16     u32     i32     u64     i64     f16     bf16    f32    f64 */
    /* bool */ {"bool", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "bf16", "f32", "f64"},
    /* u8   */ {"u8", "u8", "i16", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "bf16", "f32", "f64"},
    /* i8   */ {"i8", "i16", "i8", "i32", "i16", "i64", "i32", "f64", "i64", "f16", "bf16", "f32", "f64"},
    /* u16  */ {"u16", "u16", "i32", "u16", "i32", "u32", "i32", "u64", "i64", "f16", "bf16", "f32", "f64"},
    /* i16  */ {"i16", "i16", "i16", "i32", "i16", "i64", "i32", "f64", "i64", "f16", "bf16", "f32", "f64"},
    /* u32  */ {"u32", "u32", "i64", "u32", "i64", "u32", "i64", "u64", "i64", "f16", "bf16", "f32", "f64"},
    /* i32  */ {"i32", "i32", "i32", "i32", "i32", "i64", "i32", "f64", "i64", "f16", "bf16", "f32", "f64"},
    /* u64  */ {"u64", "u64", "f64", "u64", "f64", "u64", "f64", "u64", "f64", "f16", "bf16", "f32", "f64"},
    /* i64  */ {"i64", "i64", "i64", "i64", "i64", "i64", "i64", "f64", "i64", "f16", "bf16", "f32", "f64"},
    /* f16  */ {"f16", "f16", "f16", "f16", "f16", "f16", "f16", "f16", "f16", "f16", "f32", "f32", "f64"},
    /* bf16 */ {"bf16", "bf16", "bf16", "bf16", "bf16", "bf16", "bf16", "bf16", "bf16", "f32", "bf16", "f32", "f64"},
    /* f32  */ {"f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f64"},
    /* f64  */ {"f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64"},
};

static void promotion(void **state) {
    (void)state;
    for (int i = 0; i < DT_COUNT; i++) {
        for (int k = 0; k < DT_COUNT; k++) {
            Dtype a, b;
            assert_true(dtype_parse(str_c(order[i]), &a));
            assert_true(dtype_parse(str_c(order[k]), &b));
            assert_string_equal(dtype_name(dtype_promote(a, b)), promoted[i][k]);
        }
    }
    assert_int_equal(dtype_promote(DT_COUNT, DT_I8), DT_I8);
    assert_int_equal(dtype_promote(DT_I8, DT_COUNT), DT_I8);
    assert_int_equal(dtype_promote(DT_COUNT, DT_COUNT), DT_COUNT);
}

static void each_type(void **state) {
    (void)state;
    static const unsigned sizes[DT_COUNT] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
    for (unsigned i = 0; i < DT_COUNT; i++) {
        Dtype dtype;
        assert_true(dtype_parse(str_c(dtype_name((Dtype)i)), &dtype));
        assert_int_equal(dtype, i);
        char kind = dtype_name(dtype)[0];
        bool is_float = dtype == DT_F16 || dtype == DT_BF16 || dtype == DT_F32 || dtype == DT_F64;
        assert_int_equal(dtype_size(dtype), sizes[i]);
        assert_int_equal(dtype_is_float(dtype), is_float);
        assert_int_equal(dtype_is_int(dtype), !is_float && dtype != DT_BOOL);
        assert_int_equal(dtype_is_signed(dtype), is_float || kind == 'i');
        assert_int_equal(dtype_to_float(dtype), is_float ? dtype : DT_F32);
        assert_int_equal(dtype_compute(dtype), dtype == DT_F16 || dtype == DT_BF16 ? DT_F32 : dtype);
    }
    assert_int_equal(dtype_size(DT_COUNT), 0);
    Dtype none;
    assert_false(dtype_parse(S("f8"), &none) || dtype_parse(S(""), &none) || dtype_parse(S("float"), &none));
}

static void sets(void **state) {
    (void)state;
    DtypeSet set;
    assert_true(dtype_set_parse(S("float"), &set));
    assert_int_equal(set, 1u << DT_F16 | 1u << DT_BF16 | 1u << DT_F32 | 1u << DT_F64);
    assert_true(dtype_set_parse(S("int"), &set));
    assert_int_equal(set, 1u << DT_U8 | 1u << DT_I8 | 1u << DT_U16 | 1u << DT_I16 | 1u << DT_U32 | 1u << DT_I32 |
                              1u << DT_U64 | 1u << DT_I64);
    assert_true(dtype_set_parse(S("bool"), &set));
    assert_int_equal(set, 1u << DT_BOOL);
    assert_true(dtype_set_parse(S("any"), &set));
    assert_int_equal(set, (1u << DT_COUNT) - 1);
    assert_true(dtype_set_parse(S("bf16"), &set));
    assert_int_equal(set, 1u << DT_BF16);
    assert_false(dtype_set_parse(S("number"), &set) || dtype_set_parse(S(""), &set));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promotion),
        cmocka_unit_test(each_type),
        cmocka_unit_test(sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

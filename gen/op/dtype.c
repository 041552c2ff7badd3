/* dtype.c: what is known of each element type, as one table, and how two of them mix.
 *
 * Promotion is PyTorch's lattice: the higher of the categories bool, integer, float decides, and within a category the
 * smallest type that holds both. PyTorch leaves the unsigned types above 8 bits out of it; they follow the same rule,
 * as they do in NumPy. What no integer holds (u64 with a signed type) becomes f64, as there, and not a signed type that
 * would read large values as negative ones.
 */
#include "op/dtype.h"

typedef enum Category { BOOLEAN, INTEGER, FLOAT } Category;

static const struct {
    const char *name;
    Category category;
    uint8_t size;
    bool is_signed;
} dtypes[DT_COUNT] = {
    [DT_BOOL] = {"bool", BOOLEAN, 1, false}, [DT_U8] = {"u8", INTEGER, 1, false},
    [DT_I8] = {"i8", INTEGER, 1, true},      [DT_U16] = {"u16", INTEGER, 2, false},
    [DT_I16] = {"i16", INTEGER, 2, true},    [DT_U32] = {"u32", INTEGER, 4, false},
    [DT_I32] = {"i32", INTEGER, 4, true},    [DT_U64] = {"u64", INTEGER, 8, false},
    [DT_I64] = {"i64", INTEGER, 8, true},    [DT_F16] = {"f16", FLOAT, 2, true},
    [DT_BF16] = {"bf16", FLOAT, 2, true},    [DT_F32] = {"f32", FLOAT, 4, true},
    [DT_F64] = {"f64", FLOAT, 8, true},
};

const char *dtype_name(Dtype dtype) { return dtype < DT_COUNT ? dtypes[dtype].name : "none"; }

bool dtype_parse(Str name, Dtype *dtype) {
    for (unsigned i = 0; i < DT_COUNT; i++) {
        if (!str_eq(name, str_c(dtypes[i].name))) continue;
        *dtype = (Dtype)i;
        return true;
    }
    return false;
}

bool dtype_set_parse(Str name, DtypeSet *set) {
    Dtype one;
    if (dtype_parse(name, &one)) {
        *set = (DtypeSet)1 << one;
        return true;
    }
    bool is_any = str_eq(name, S("any")), is_float = str_eq(name, S("float")), is_int = str_eq(name, S("int"));
    if (!is_any && !is_float && !is_int) return false;
    *set = 0;
    for (unsigned i = 0; i < DT_COUNT; i++)
        if (is_any || dtypes[i].category == (is_float ? FLOAT : INTEGER)) *set |= (DtypeSet)1 << i;
    return true;
}

unsigned dtype_size(Dtype dtype) { return dtype < DT_COUNT ? dtypes[dtype].size : 0; }
bool dtype_is_float(Dtype dtype) { return dtype < DT_COUNT && dtypes[dtype].category == FLOAT; }
bool dtype_is_int(Dtype dtype) { return dtype < DT_COUNT && dtypes[dtype].category == INTEGER; }
bool dtype_is_signed(Dtype dtype) { return dtype < DT_COUNT && dtypes[dtype].is_signed; }

static Dtype signed_of_size(unsigned size) {
    return size == 1 ? DT_I8 : size == 2 ? DT_I16 : size == 4 ? DT_I32 : size == 8 ? DT_I64 : DT_F64;
}

static Dtype promote_ints(Dtype a, Dtype b) {
    unsigned size_a = dtypes[a].size, size_b = dtypes[b].size;
    if (dtypes[a].is_signed == dtypes[b].is_signed) return size_a >= size_b ? a : b;
    Dtype with_sign = dtypes[a].is_signed ? a : b, without = with_sign == a ? b : a;
    if (dtypes[with_sign].size > dtypes[without].size) return with_sign;
    return signed_of_size(2u * dtypes[without].size);
}

Dtype dtype_promote(Dtype a, Dtype b) {
    if (a == b || b >= DT_COUNT) return a;
    if (a >= DT_COUNT) return b;
    if (dtypes[a].category != dtypes[b].category) return dtypes[a].category > dtypes[b].category ? a : b;
    if (dtypes[a].category == INTEGER) return promote_ints(a, b);
    if (dtypes[a].size == dtypes[b].size) return DT_F32; /* f16 with bf16: neither holds the other */
    return dtypes[a].size > dtypes[b].size ? a : b;
}

Dtype dtype_to_float(Dtype dtype) { return dtype_is_float(dtype) ? dtype : DT_F32; }
Dtype dtype_compute(Dtype dtype) { return dtype == DT_F16 || dtype == DT_BF16 ? DT_F32 : dtype; }

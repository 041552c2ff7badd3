/* sym_value.c: Syms with something in the place of their variables: numbers, or other Syms. */
#include "op/sym_internal.h"

/* ---- numbers */
static bool value_of_terms(SymRef a, const Map *values, int64_t *out) {
    __int128 sum = a->constant;
    for (uint32_t i = 0; i < a->n; i++) {
        int64_t value;
        if (!sym_value(a->terms[i].atom, values, &value)) return false;
        if (__builtin_add_overflow(sum, (__int128)value * a->terms[i].coefficient, &sum)) return false;
    }
    if (sum < INT64_MIN || sum > INT64_MAX) return false;
    *out = (int64_t)sum;
    return true;
}

static bool value_of_product(SymRef a, const Map *values, int64_t *out) {
    int64_t product = 1, value;
    bool fits = true, zero = false;
    for (uint32_t i = 0; i < a->n; i++) {
        if (!sym_value(a->terms[i].atom, values, &value)) return false;
        zero |= value == 0;
        for (int64_t power = a->terms[i].coefficient; power > 0 && fits; power--)
            fits = !__builtin_mul_overflow(product, value, &product);
    }
    *out = zero ? 0 : product;
    return zero || fits;
}

static bool value_of_division(SymRef a, int64_t x, int64_t y, int64_t *out) {
    if (y == 0) return false;
    if (y == -1) {
        if (a->kind == SYM_FLOORDIV && x == INT64_MIN) return false;
        *out = a->kind == SYM_MOD ? 0 : -x;
        return true;
    }
    *out = a->kind == SYM_FLOORDIV ? sym_floor(x, y) : sym_rest(x, y);
    return true;
}

bool sym_value(SymRef a, const Map *values, int64_t *out) {
    int64_t x, y;
    switch (a->kind) {
    case SYM_SUM:
        return value_of_terms(a, values, out);
    case SYM_PRODUCT:
        return value_of_product(a, values, out);
    case SYM_VAR: {
        const int64_t *value = map_get(values, a->name);
        if (value != NULL) *out = *value;
        return value != NULL;
    }
    case SYM_SELECT:
        if (!sym_value(a->c, values, &x)) return false;
        return sym_value(x != 0 ? a->a : a->b, values, out);
    default:
        break;
    }
    if (!sym_value(a->a, values, &x) || !sym_value(a->b, values, &y)) return false;
    switch (a->kind) {
    case SYM_MIN:
        *out = x < y ? x : y;
        return true;
    case SYM_MAX:
        *out = x > y ? x : y;
        return true;
    case SYM_LT:
        *out = x < y;
        return true;
    case SYM_EQ:
        *out = x == y;
        return true;
    default:
        return value_of_division(a, x, y, out);
    }
}

/* ---- other Syms: everything is made anew, so that what is simpler now comes out simpler */
static SymRef replace_terms(Syms *syms, SymRef a, const Map *with) {
    SymRef sum = sym_int(syms, a->constant);
    for (uint32_t i = 0; i < a->n; i++)
        sum = sym_add_times(syms, sum, a->terms[i].coefficient, sym_replace(syms, a->terms[i].atom, with));
    return sum;
}

static SymRef replace_factors(Syms *syms, SymRef a, const Map *with) {
    SymRef product = sym_int(syms, 1);
    for (uint32_t i = 0; i < a->n; i++) {
        SymRef factor = sym_replace(syms, a->terms[i].atom, with);
        for (int64_t power = a->terms[i].coefficient; power > 0; power--)
            product = sym_mul(syms, product, factor);
    }
    return product;
}

SymRef sym_replace(Syms *syms, SymRef a, const Map *with) {
    switch (a->kind) {
    case SYM_SUM:
        return a->n == 0 ? a : replace_terms(syms, a, with);
    case SYM_PRODUCT:
        return replace_factors(syms, a, with);
    case SYM_VAR: {
        SymRef other = map_get(with, a->name);
        return other != NULL ? other : a;
    }
    default:
        break;
    }
    SymRef c = a->c == NULL ? NULL : sym_replace(syms, a->c, with);
    int truth = c == NULL ? -1 : sym_truth(c);
    if (truth >= 0) return sym_replace(syms, truth ? a->a : a->b, with); /* the other may not even be possible now */
    SymRef x = sym_replace(syms, a->a, with), y = sym_replace(syms, a->b, with);
    switch (a->kind) {
    case SYM_FLOORDIV:
        return sym_floordiv(syms, x, y);
    case SYM_MOD:
        return sym_mod(syms, x, y);
    case SYM_MIN:
        return sym_min(syms, x, y);
    case SYM_MAX:
        return sym_max(syms, x, y);
    case SYM_LT:
        return sym_lt(syms, x, y);
    case SYM_EQ:
        return sym_eq(syms, x, y);
    default:
        return sym_select(syms, c, x, y);
    }
}

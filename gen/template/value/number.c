/* number.c: arithmetic and order of bools, integers and floats, with Python's results.
 *
 * Integers of 64 bits are computed here and go over to big.c when they overflow. Integers and floats are compared
 * exactly, also where a double cannot hold the integer. */
#include "template/value/inner.h"

#include "template/value/big.h"

#include <math.h>

#define EXACT_DOUBLE ((int64_t)1 << 53) /* integers up to here are doubles as they are */

Value val_size(Run *run, uint64_t n) {
    if (n <= INT64_MAX) return val_int((int64_t)n);
    mp_limb_t limb = n;
    return big_make(run, &limb, 1, false);
}

Value val_integer(Run *run, Str digits) {
    Value v;
    if (!big_parse(run->arena, digits, &v))
        run_fail_as(run, E_LIMIT, S(""),
                    "an integer of %zu digits is larger than %d bits (%d digits), which is the limit", digits.n,
                    BIG_MOST_BITS, BIG_MOST_DIGITS);
    return v;
}

double val_to_double(Run *run, Value number) {
    switch (number.kind) {
    case V_BOOL:
    case V_INT:
        return (double)small(number);
    case V_FLOAT:
        return number.as.f;
    case V_BIG: {
        double f;
        if (!big_ratio(number, val_int(1), &f)) run_fail(run, "an integer is too large to be converted to float");
        return f;
    }
    case V_UNDEFINED:
        run_fail_undefined(run, number);
    default:
        run_fail(run, "a number is needed, not %s", val_type_name(number));
    }
}

Value val_of_double_int(Run *run, double whole) {
    if (isnan(whole)) run_fail(run, "nan cannot be converted to an integer");
    if (isinf(whole)) run_fail(run, "inf cannot be converted to an integer");
    if (fabs(whole) < 0x1p63) return val_int((int64_t)whole);
    mp_limb_t limbs[BIG_DOUBLE_LIMBS];
    return big_make(run, limbs, big_of_double(whole, limbs), whole < 0);
}

int64_t val_arg_int(Run *run, Value v, const char *what) {
    if (is_small(v)) return small(v);
    if (v.kind == V_UNDEFINED) run_fail_undefined(run, v);
    if (v.kind == V_BIG) run_fail(run, "the integer given as \"%s\" does not fit 64 bits", what);
    run_fail(run, "\"%s\" must be an integer, not %s", what, val_type_name(v));
}

static int order_int_double(int64_t i, double f) {
    if (f >= 0x1p63) return -1;
    if (f < -0x1p63) return 1;
    int64_t whole = (int64_t)f; /* towards zero */
    if (i != whole) return i < whole ? -1 : 1;
    double fraction = f - (double)whole; /* a double with a fraction has a whole part that is a double too */
    return fraction > 0 ? -1 : fraction < 0;
}

int number_order(Value a, Value b) {
    if (a.kind == V_FLOAT && b.kind == V_FLOAT) {
        if (isnan(a.as.f) || isnan(b.as.f)) return 2;
        return (a.as.f > b.as.f) - (a.as.f < b.as.f);
    }
    if (a.kind == V_FLOAT) {
        int order = number_order(b, a);
        return order == 2 ? 2 : -order;
    }
    if (b.kind == V_FLOAT) {
        if (isnan(b.as.f)) return 2;
        return a.kind == V_BIG ? big_order_double(a, b.as.f) : order_int_double(small(a), b.as.f);
    }
    if (a.kind == V_BIG || b.kind == V_BIG) return big_order(a, b);
    return (small(a) > small(b)) - (small(a) < small(b));
}

NORETURN static void fail_zero(Run *run, Op op) { run_fail(run, op == OP_MOD ? "modulo by zero" : "division by zero"); }

static double float_pow(Run *run, double x, double y) {
    if (x == 0 && y < 0 && !isinf(y)) run_fail(run, "zero cannot be raised to a negative power");
    if (x < 0 && !isinf(x) && !isinf(y) && !isnan(y) && y != floor(y))
        run_fail(run, "a negative number raised to a fractional power is complex, which there is no type for");
    double f = pow(x, y);
    if (isinf(f) && !isinf(x) && !isinf(y)) run_fail(run, "the result of ** is too large for a float");
    return f;
}

/* fmod is exact; the quotient is made to agree with it, so that x == x // y * y + x % y as closely as can be. */
static double float_divmod(double x, double y, double *remainder) {
    double mod = fmod(x, y), quotient = (x - mod) / y;
    if (mod != 0) {
        if ((y < 0) != (mod < 0)) {
            mod += y;
            quotient -= 1;
        }
    } else {
        mod = copysign(0.0, y);
    }
    *remainder = mod;
    if (quotient == 0) return copysign(0.0, x / y);
    double whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
}

static Value float_binary(Run *run, Op op, double x, double y) {
    double remainder;
    if (y == 0 && (op == OP_DIV || op == OP_FLOORDIV || op == OP_MOD)) fail_zero(run, op);
    switch (op) {
    case OP_ADD:
        return val_float(x + y);
    case OP_SUB:
        return val_float(x - y);
    case OP_MUL:
        return val_float(x * y);
    case OP_DIV:
        return val_float(x / y);
    case OP_FLOORDIV:
        return val_float(float_divmod(x, y, &remainder));
    case OP_MOD:
        float_divmod(x, y, &remainder);
        return val_float(remainder);
    default:
        return val_float(float_pow(run, x, y));
    }
}

static Value true_divide(Run *run, Value a, Value b) {
    bool exact = is_small(a) && is_small(b) && small(a) <= EXACT_DOUBLE && small(a) >= -EXACT_DOUBLE &&
                 small(b) <= EXACT_DOUBLE && small(b) >= -EXACT_DOUBLE;
    if (exact) return val_float((double)small(a) / (double)small(b));
    double f;
    if (!big_ratio(a, b, &f)) run_fail(run, "the result of / is too large for a float; // gives an integer");
    return val_float(f);
}

static Value int_pow(Run *run, Value a, Value b) {
    if (big_sign(b) >= 0) return big_pow(run, a, b);
    return val_float(float_pow(run, val_to_double(run, a), val_to_double(run, b)));
}

static Value int_binary(Run *run, Op op, Value a, Value b) {
    bool divides = op == OP_DIV || op == OP_FLOORDIV || op == OP_MOD;
    if (divides && is_small(b) && small(b) == 0) fail_zero(run, op);
    if (op == OP_DIV) return true_divide(run, a, b);
    if (op == OP_POW) return int_pow(run, a, b);
    if (is_small(a) && is_small(b)) {
        int64_t x = small(a), y = small(b), result;
        switch (op) {
        case OP_ADD:
            if (!__builtin_add_overflow(x, y, &result)) return val_int(result);
            break;
        case OP_SUB:
            if (!__builtin_sub_overflow(x, y, &result)) return val_int(result);
            break;
        case OP_MUL:
            if (!__builtin_mul_overflow(x, y, &result)) return val_int(result);
            break;
        case OP_FLOORDIV:
            if (y == -1) break; /* the one quotient that may not fit */
            return val_int(x / y - (x % y != 0 && (x % y < 0) != (y < 0)));
        default: /* OP_MOD */
            if (y == -1) return val_int(0);
            return val_int(x % y != 0 && (x % y < 0) != (y < 0) ? x % y + y : x % y);
        }
    }
    switch (op) {
    case OP_ADD:
        return big_add(run, a, b);
    case OP_SUB:
        return big_sub(run, a, b);
    case OP_MUL:
        return big_mul(run, a, b);
    case OP_FLOORDIV:
        return big_floordiv(run, a, b);
    default:
        return big_mod(run, a, b);
    }
}

Value number_binary(Run *run, Op op, Value a, Value b) {
    if (a.kind != V_FLOAT && b.kind != V_FLOAT) return int_binary(run, op, a, b);
    return float_binary(run, op, val_to_double(run, a), val_to_double(run, b));
}

Value val_unary(Run *run, Op op, Value a) {
    if (a.kind == V_FLOAT) return val_float(op == OP_NEG ? -a.as.f : a.as.f);
    if (val_is_int(a)) {
        if (op == OP_POS) return is_small(a) ? val_int(small(a)) : a;
        return int_binary(run, OP_SUB, val_int(0), a);
    }
    if (a.kind == V_UNDEFINED) run_fail_undefined(run, a);
    run_fail(run, "cannot use unary %s on %s", op == OP_NEG ? "-" : "+", val_type_name(a));
}

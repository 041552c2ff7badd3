/* tests.c: what stands behind `is`. Tests of a value's kind never fail; those that compute with it do as their
 * operator does. */
#include "template/lib/lib.h"
#include "template/lib/method.h"

BUILTIN(istest_defined) { return val_bool(a[0].kind != V_UNDEFINED); }
BUILTIN(istest_undefined) { return val_bool(a[0].kind == V_UNDEFINED); }
BUILTIN(istest_none) { return val_bool(a[0].kind == V_NONE); }
BUILTIN(istest_boolean) { return val_bool(a[0].kind == V_BOOL); }
BUILTIN(istest_true) { return val_bool(a[0].kind == V_BOOL && a[0].as.b); }
BUILTIN(istest_false) { return val_bool(a[0].kind == V_BOOL && !a[0].as.b); }
BUILTIN(istest_integer) { return val_bool(a[0].kind == V_INT || a[0].kind == V_BIG); }
BUILTIN(istest_float) { return val_bool(a[0].kind == V_FLOAT); }
BUILTIN(istest_number) { return val_bool(val_is_number(a[0])); }
BUILTIN(istest_string) { return val_bool(a[0].kind == V_STR); }
BUILTIN(istest_mapping) { return val_bool(a[0].kind == V_DICT); }
BUILTIN(istest_sameas) { return val_bool(val_same(a[0], a[1])); }

/* Jinja's undefined values say that they can be called, and then fail; so the test does not fail for them. */
BUILTIN(istest_callable) { return val_bool(a[0].kind == V_UNDEFINED || val_is_callable(a[0])); }

BUILTIN(istest_escaped) { return val_bool(lib_has_html(run, a[0])); }

BUILTIN(istest_iterable) {
    if (run_undefined_fails(run, a[0])) run_fail_undefined(run, a[0]);
    return val_bool(val_can_iter(a[0]));
}

/* What has a length and items: not views and iterators. */
BUILTIN(istest_sequence) {
    switch ((ValueKind)a[0].kind) {
    case V_STR:
    case V_LIST:
    case V_TUPLE:
    case V_DICT:
    case V_RANGE:
        return val_bool(true);
    case V_UNDEFINED:
        return val_bool(!run_undefined_fails(run, a[0]));
    case V_OBJECT: {
        const Class *class = a[0].as.object->class;
        return val_bool(class->length != NULL && class->item != NULL);
    }
    default:
        return val_bool(false);
    }
}

/* ---- text */

static Value ask_text(Run *run, Value v, unsigned method) {
    Value text = lib_plain(val_to_str(run, v));
    return lib_method(run, text, method, NULL, 0);
}

BUILTIN(istest_lower) { return ask_text(run, a[0], STR_METHOD_islower); }
BUILTIN(istest_upper) { return ask_text(run, a[0], STR_METHOD_isupper); }
BUILTIN(istest_filter) { return val_bool(a[0].kind == V_STR && lib_filter(val_text(a[0])) != NULL); }
BUILTIN(istest_test) { return val_bool(a[0].kind == V_STR && lib_test(val_text(a[0])) != NULL); }

/* ---- numbers */

static bool remainder_is(Run *run, const char *who, Value v, Value by, int64_t wanted) {
    if (!val_is_number(v)) lib_wrong(run, who, "the value", "a number", v);
    if (!val_is_number(by)) lib_wrong(run, who, "num", "a number", by);
    if (v.kind == V_INT && by.kind == V_INT && by.as.i == 2) return (v.as.i & 1) == wanted;
    return val_equal(run, val_binary(run, OP_MOD, v, by), val_int(wanted));
}

BUILTIN(istest_odd) { return val_bool(remainder_is(run, "test \"odd\"", a[0], val_int(2), 1)); }
BUILTIN(istest_even) { return val_bool(remainder_is(run, "test \"even\"", a[0], val_int(2), 0)); }
BUILTIN(istest_divisibleby) { return val_bool(remainder_is(run, "test \"divisibleby\"", a[0], a[1], 0)); }

/* ---- comparing */

BUILTIN(istest_eq) { return val_bool(val_compare(run, OP_EQ, a[0], a[1])); }
BUILTIN(istest_ne) { return val_bool(val_compare(run, OP_NE, a[0], a[1])); }
BUILTIN(istest_lt) { return val_bool(val_compare(run, OP_LT, a[0], a[1])); }
BUILTIN(istest_le) { return val_bool(val_compare(run, OP_LE, a[0], a[1])); }
BUILTIN(istest_gt) { return val_bool(val_compare(run, OP_GT, a[0], a[1])); }
BUILTIN(istest_ge) { return val_bool(val_compare(run, OP_GE, a[0], a[1])); }
BUILTIN(istest_in) { return val_bool(val_contains(run, a[1], a[0])); }

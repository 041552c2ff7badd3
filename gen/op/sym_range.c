/* sym_range.c: bounds of what is computed, from the bounds of what it is computed of.
 *
 * The least and the greatest int64_t stand for "no bound". Bounds are computed in 128 bits; one that leaves 64 becomes
 * no bound, and a range that lies outside of 64 bits as a whole is marked as such: nothing can come of it but an
 * overflow.
 */
#include "op/sym_internal.h"

typedef __int128 Wide;

static const Wide wide_low = INT64_MIN, wide_high = INT64_MAX;

int64_t sym_floor(int64_t a, int64_t b) {
    int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

int64_t sym_rest(int64_t a, int64_t b) {
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static SymRange bounds(Wide low, Wide high) {
    SymRange range = {0, 0, low > wide_high || high < wide_low};
    range.low = low < wide_low ? INT64_MIN : low > wide_high ? INT64_MAX : (int64_t)low;
    range.high = high > wide_high ? INT64_MAX : high < wide_low ? INT64_MIN : (int64_t)high;
    return range;
}

SymRange sym_range_add(SymRange a, SymRange b) {
    /* No bound stays none: far enough outside that no sum of two comes back. */
    Wide low = a.low == INT64_MIN || b.low == INT64_MIN ? wide_low * 4 : (Wide)a.low + b.low;
    Wide high = a.high == INT64_MAX || b.high == INT64_MAX ? wide_high * 4 : (Wide)a.high + b.high;
    SymRange range = bounds(low, high);
    range.none |= a.none || b.none;
    return range;
}

static Wide times(int64_t a, int64_t b) {
    if (a == 0 || b == 0) return 0;
    if (a == INT64_MIN || a == INT64_MAX || b == INT64_MIN || b == INT64_MAX)
        return (a < 0) == (b < 0) ? wide_high * 4 : wide_low * 4;
    return (Wide)a * b;
}

SymRange sym_range_mul(SymRange a, SymRange b) {
    /* A range of one number, which may be the last of all, is exact. */
    Wide corners[4] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)};
    if (a.low == a.high && b.low == b.high) {
        Wide exact = (Wide)a.low * b.low;
        SymRange range = bounds(exact, exact);
        range.none |= a.none || b.none;
        return range;
    }
    Wide low = corners[0], high = corners[0];
    for (unsigned i = 1; i < 4; i++) {
        if (corners[i] < low) low = corners[i];
        if (corners[i] > high) high = corners[i];
    }
    SymRange range = bounds(low, high);
    range.none |= a.none || b.none;
    return range;
}

SymRange sym_range_power(SymRange a, int64_t power) {
    if (power % 2 == 0 && a.low < 0) { /* as of the absolute value */
        int64_t low = a.low == INT64_MIN ? INT64_MAX : -a.low, high = a.high;
        if (high < 0) {
            a.high = low;
            a.low = -high;
        } else {
            a.high = high == INT64_MAX || low > high ? (low > high ? low : high) : high;
            a.low = 0;
        }
    }
    SymRange result = {1, 1, false};
    for (int64_t i = 0; i < power; i++)
        result = sym_range_mul(result, a);
    return result;
}

/* Into the range the quotients of a's bounds by one divisor, which is not 0. */
static void add_quotients(SymRange a, int64_t by, bool endless, Wide *low, Wide *high) {
    for (unsigned i = 0; i < 2; i++) {
        int64_t x = i ? a.high : a.low;
        Wide q;
        if (x == INT64_MIN || x == INT64_MAX)
            q = (x < 0) == (by < 0) ? wide_high * 4 : wide_low * 4;
        else if (endless)
            q = x != 0 && (x < 0) != (by < 0) ? -1 : 0;
        else
            q = by == -1 ? -(Wide)x : sym_floor(x, by);
        if (q < *low) *low = q;
        if (q > *high) *high = q;
    }
}

SymRange sym_range_floordiv(SymRange a, SymRange b) {
    Wide low = wide_high * 4, high = wide_low * 4;
    if (b.high > 0) {
        add_quotients(a, b.low > 0 ? b.low : 1, false, &low, &high);
        add_quotients(a, b.high, b.high == INT64_MAX, &low, &high);
    }
    if (b.low < 0) {
        add_quotients(a, b.high < 0 ? b.high : -1, false, &low, &high);
        add_quotients(a, b.low, b.low == INT64_MIN, &low, &high);
    }
    if (low > high) return (SymRange){INT64_MIN, INT64_MAX, false}; /* the divisor is 0 */
    SymRange range = bounds(low, high);
    range.none = false;
    return range;
}

SymRange sym_range_mod(SymRange a, SymRange b) {
    SymRange range = {0, 0, false};
    if (b.high > 0) {
        range.high = b.high == INT64_MAX ? INT64_MAX : b.high - 1;
        if (b.low >= 0 && a.low >= 0 && a.high < range.high) range.high = a.high;
    }
    if (b.low < 0) {
        range.low = b.low == INT64_MIN ? INT64_MIN : b.low + 1;
        if (b.high <= 0 && a.high <= 0 && a.low > range.low) range.low = a.low;
    }
    return range;
}

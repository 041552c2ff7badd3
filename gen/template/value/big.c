/* big.c: arithmetic on integers of more than 64 bits, over GMP's mpn_ functions.
 *
 * Operands are opened as limbs where they are, results are made in arrays on the stack, and only the result's own
 * limbs go into the arena. Signs, rounding towards minus infinity and the nearest double are done here, since mpn_
 * knows magnitudes alone. */
#include "template/value/big.h"

#include "template/value/digits.h"
#include "template/value/run.h"

#include <float.h>
#include <math.h>

__extension__ typedef unsigned __int128 Wide;

_Static_assert(GMP_NUMB_BITS == BIG_LIMB_BITS, "limbs use all of their bits");

void big_open(BigNum *num, Value integer) {
    if (integer.kind == V_BIG) {
        const Big *big = integer.as.big;
        num->p = big->limbs;
        num->n = big->n;
        num->negative = big->negative;
        return;
    }
    int64_t i = integer.kind == V_BOOL ? integer.as.b : integer.as.i;
    num->negative = i < 0;
    num->own = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    num->n = i != 0;
    num->p = &num->own;
}

static size_t trim(const mp_limb_t *p, size_t n) {
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n;
}

static size_t bit_length(const mp_limb_t *p, size_t n) {
    return n == 0 ? 0 : n * BIG_LIMB_BITS - (size_t)__builtin_clzl(p[n - 1]);
}

/* False past BIG_MOST_BITS. */
static bool make_in(Arena *arena, const mp_limb_t *p, size_t n, bool negative, Value *out) {
    n = trim(p, n);
    if (n == 0 || (n == 1 && p[0] <= (uint64_t)INT64_MAX + negative)) {
        uint64_t limb = n == 0 ? 0 : p[0];
        *out = val_int((int64_t)(negative ? 0 - limb : limb));
        return true;
    }
    if (n > BIG_MOST_LIMBS) return false;
    Big *big = arena_alloc(arena, sizeof *big + n * sizeof *p);
    big->n = (uint32_t)n;
    big->negative = negative;
    mpn_copyi(big->limbs, p, (mp_size_t)n);
    *out = VAL(V_BIG, big, big);
    return true;
}

NORETURN static void fail_bits(Run *run) {
    run_fail_as(run, E_LIMIT, S(""), "an integer would need more than %d bits (%d digits), which is the limit",
                BIG_MOST_BITS, BIG_MOST_DIGITS);
}

Value big_make(Run *run, const mp_limb_t *limbs, size_t n, bool negative) {
    Value v;
    if (!make_in(run->arena, limbs, n, negative, &v)) fail_bits(run);
    return v;
}

static unsigned char digit_of(char c) {
    if (c <= '9') return (unsigned char)(c - '0');
    return (unsigned char)((c | 0x20) - 'a' + 10);
}

bool big_parse(Arena *arena, Str digits, Value *out) {
    size_t at = 0;
    int base = 10;
    bool negative = digits.n > 0 && digits.p[0] == '-';
    if (negative) at++;
    if (digits.n - at > 2 && digits.p[at] == '0') {
        char c = digits.p[at + 1] | 0x20;
        base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
        if (base != 10) at += 2;
    }
    while (at < digits.n && digits.p[at] == '0')
        at++;
    size_t n = digits.n - at;
    size_t most = base == 10   ? BIG_MOST_DIGITS + 1
                  : base == 16 ? BIG_MOST_BITS / 4
                  : base == 8  ? BIG_MOST_BITS / 3 + 1
                               : BIG_MOST_BITS;
    if (n > most) return false;
    unsigned char values[BIG_MOST_BITS];
    mp_limb_t limbs[BIG_MOST_LIMBS + 4];
    for (size_t i = 0; i < n; i++)
        values[i] = digit_of(digits.p[at + i]);
    size_t limb_count = n == 0 ? 0 : (size_t)mpn_set_str(limbs, values, n, base);
    return make_in(arena, limbs, limb_count, negative, out);
}

char *big_write_short(char *to, const Big *big) {
    const uint64_t low_size = 1000000000000000000; /* 10^18 */
    const Wide number = (Wide)(big->n > 1 ? big->limbs[1] : 0) << 64 | big->limbs[0], high = number / low_size;
    if (big->n > BIG_SHORT_LIMBS || high > INT64_MAX) return NULL;
    const uint64_t low = (uint64_t)(number - high * low_size), eight = 100000000;
    if (big->negative) *to++ = '-';
    to = digits_write_int(to, (int64_t)high);
    digits_store_4(to, digits_three[low / (eight * eight)] >> 8);
    sixteen_store(to + 2, sixteen_text(digits_sixteen((uint32_t)(low / eight % eight), (uint32_t)(low % eight))));
    return to + 18;
}

void big_print(Buf *out, Value integer, int base) {
    if (base == 10 && integer.kind == V_BIG) {
        char *end = big_write_short(buf_room(out, BIG_SHORT_ROOM), integer.as.big);
        if (end != NULL) {
            out->n = (size_t)(end - out->p);
            return;
        }
    }
    BigNum num;
    big_open(&num, integer);
    if (num.n == 0) {
        buf_char(out, '0');
        return;
    }
    mp_limb_t limbs[BIG_MOST_LIMBS + 1]; /* mpn_get_str overwrites what it prints */
    unsigned char digits[BIG_MOST_BITS + 2];
    mpn_copyi(limbs, num.p, num.n);
    size_t n = mpn_get_str(digits, base, limbs, num.n), at = 0;
    while (at + 1 < n && digits[at] == 0)
        at++;
    if (num.negative) buf_char(out, '-');
    char *to = buf_room(out, n - at);
    for (; at < n; at++, out->n++)
        *to++ = "0123456789abcdefghijklmnopqrstuvwxyz"[digits[at]];
}

static int order_limbs(const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn) {
    if (an != bn) return an < bn ? -1 : 1;
    return an == 0 ? 0 : mpn_cmp(a, b, (mp_size_t)an);
}

/* a + b, where b counts as having the sign b_negative. */
static Value add_signed(Run *run, const BigNum *a, const BigNum *b, bool b_negative) {
    mp_limb_t sum[BIG_MOST_LIMBS + 1];
    bool negative = a->negative, opposite = negative != b_negative;
    if (order_limbs(a->p, a->n, b->p, b->n) < 0) { /* the larger magnitude first: its sign is the result's */
        const BigNum *larger = b;
        b = a, a = larger;
        negative = b_negative;
    }
    if (b->n == 0) return big_make(run, a->p, a->n, negative);
    if (opposite)
        sum[a->n] = 0, mpn_sub(sum, a->p, a->n, b->p, b->n);
    else
        sum[a->n] = mpn_add(sum, a->p, a->n, b->p, b->n);
    return big_make(run, sum, a->n + 1, negative);
}

Value big_add(Run *run, Value a, Value b) {
    BigNum x, y;
    big_open(&x, a), big_open(&y, b);
    return add_signed(run, &x, &y, y.negative);
}

Value big_sub(Run *run, Value a, Value b) {
    BigNum x, y;
    big_open(&x, a), big_open(&y, b);
    return add_signed(run, &x, &y, !y.negative);
}

/* Of magnitudes; returns the product's limbs. mpn_mul wants the longer one first. */
static size_t multiply(mp_limb_t *product, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn) {
    if (an == 0 || bn == 0) return 0;
    if (an >= bn)
        mpn_mul(product, a, (mp_size_t)an, b, (mp_size_t)bn);
    else
        mpn_mul(product, b, (mp_size_t)bn, a, (mp_size_t)an);
    return trim(product, an + bn);
}

Value big_mul(Run *run, Value a, Value b) {
    BigNum x, y;
    mp_limb_t product[2 * BIG_MOST_LIMBS];
    big_open(&x, a), big_open(&y, b);
    return big_make(run, product, multiply(product, x.p, x.n, y.p, y.n), x.negative != y.negative);
}

/* Rounds towards minus infinity, so the remainder has the sign of b. */
static Value divide(Run *run, Value a, Value b, bool want_remainder) {
    BigNum x, y;
    big_open(&x, a), big_open(&y, b);
    mp_limb_t quotient[BIG_MOST_LIMBS + 2], remainder[BIG_MOST_LIMBS + 1];
    size_t qn = 0, rn = x.n;
    if (x.n >= y.n) {
        mpn_tdiv_qr(quotient, remainder, 0, x.p, x.n, y.p, y.n);
        qn = x.n - y.n + 1;
        rn = y.n;
    } else if (x.n != 0) {
        mpn_copyi(remainder, x.p, x.n);
    }
    rn = trim(remainder, rn);
    bool opposite = x.negative != y.negative;
    if (want_remainder) {
        if (rn == 0 || !opposite) return big_make(run, remainder, rn, y.negative);
        mp_limb_t rest[BIG_MOST_LIMBS + 1];
        mpn_sub(rest, y.p, y.n, remainder, (mp_size_t)rn);
        return big_make(run, rest, y.n, y.negative);
    }
    if (rn != 0 && opposite) {
        quotient[qn] = qn == 0 ? 1 : mpn_add_1(quotient, quotient, (mp_size_t)qn, 1);
        qn++;
    }
    return big_make(run, quotient, qn, opposite);
}

Value big_floordiv(Run *run, Value a, Value b) { return divide(run, a, b, false); }
Value big_mod(Run *run, Value a, Value b) { return divide(run, a, b, true); }

Value big_pow(Run *run, Value a, Value b) {
    BigNum base, power;
    big_open(&base, a), big_open(&power, b);
    bool odd = power.n != 0 && (power.p[0] & 1) != 0, negative = base.negative && odd;
    if (power.n == 0) return val_int(1);
    if (base.n == 0) return val_int(0);
    size_t bits = bit_length(base.p, base.n) - 1; /* the base is at least 2 to this */
    if (bits == 0) return val_int(negative ? -1 : 1);
    if (power.n > 1 || power.p[0] > BIG_MOST_BITS / bits) fail_bits(run);
    /* Squares from the power's highest bit down. Nothing on the way is larger than the result, which is less than
     * 2 to (bits + 1) * power, so at most twice the limit. */
    mp_limb_t now[2 * BIG_MOST_LIMBS + 4], next[2 * BIG_MOST_LIMBS + 4];
    size_t n = base.n;
    mpn_copyi(now, base.p, (mp_size_t)n);
    for (int bit = 62 - __builtin_clzl(power.p[0]); bit >= 0; bit--) {
        mpn_sqr(next, now, (mp_size_t)n);
        n = trim(next, 2 * n);
        if (power.p[0] >> bit & 1)
            n = multiply(now, next, n, base.p, base.n);
        else
            mpn_copyi(now, next, (mp_size_t)n);
    }
    return big_make(run, now, n, negative);
}

int big_sign(Value integer) {
    BigNum num;
    big_open(&num, integer);
    return num.n == 0 ? 0 : num.negative ? -1 : 1;
}

int big_order(Value a, Value b) {
    BigNum x, y;
    big_open(&x, a), big_open(&y, b);
    if (x.negative != y.negative) return x.negative ? -1 : 1;
    int order = order_limbs(x.p, x.n, y.p, y.n);
    return x.negative ? -order : order;
}

/* p << bits into `to`; returns the limbs written, the highest of which may be 0. */
static size_t shift_left(mp_limb_t *to, const mp_limb_t *p, size_t n, size_t bits) {
    size_t limbs = bits / BIG_LIMB_BITS;
    unsigned rest = (unsigned)(bits % BIG_LIMB_BITS);
    for (size_t i = 0; i < limbs; i++)
        to[i] = 0;
    if (rest == 0) {
        mpn_copyi(to + limbs, p, (mp_size_t)n);
        return limbs + n;
    }
    to[limbs + n] = mpn_lshift(to + limbs, p, (mp_size_t)n, rest);
    return limbs + n + 1;
}

size_t big_of_double(double f, mp_limb_t limbs[BIG_DOUBLE_LIMBS]) {
    int exponent;
    double fraction = frexp(fabs(trunc(f)), &exponent);
    if (fraction == 0) return 0;
    mp_limb_t mantissa = (mp_limb_t)ldexp(fraction, DBL_MANT_DIG);
    exponent -= DBL_MANT_DIG;
    if (exponent <= 0) {
        limbs[0] = mantissa >> -exponent; /* whole, so only zeros are dropped */
        return 1;
    }
    mp_limb_t shifted[BIG_DOUBLE_LIMBS + 2];
    size_t n = trim(shifted, shift_left(shifted, &mantissa, 1, (size_t)exponent));
    mpn_copyi(limbs, shifted, (mp_size_t)n);
    return n;
}

int big_order_double(Value a, double f) {
    BigNum num;
    big_open(&num, a);
    if (isinf(f)) return f > 0 ? -1 : 1;
    bool negative = f < 0;
    if (num.n == 0) return f > 0 ? -1 : negative;
    if (num.negative != negative) return num.negative ? -1 : 1;
    mp_limb_t limbs[BIG_DOUBLE_LIMBS];
    size_t n = big_of_double(f, limbs);
    int order = order_limbs(num.p, num.n, limbs, n);
    if (order == 0 && trunc(f) != f) order = -1; /* the magnitude of f is a fraction larger */
    return negative ? -order : order;
}

/* The quotient is taken to 66 or 67 bits, which is more than a double has, and what is dropped is only asked whether
 * it is less than half, half, or more. */
bool big_ratio(Value a, Value b, double *out) {
    enum { WANTED = 66, LIMBS = BIG_MOST_LIMBS + 4 };
    BigNum x, y;
    big_open(&x, a), big_open(&y, b);
    bool negative = x.negative != y.negative;
    *out = negative ? -0.0 : 0.0;
    if (x.n == 0) return true;
    mp_limb_t shifted[LIMBS], quotient[LIMBS], remainder[LIMBS];
    long shift = (long)bit_length(y.p, y.n) + WANTED - (long)bit_length(x.p, x.n);
    const mp_limb_t *num = x.p, *den = y.p;
    size_t nn = x.n, dn = y.n;
    if (shift > 0)
        nn = trim(shifted, shift_left(shifted, num, nn, (size_t)shift)), num = shifted;
    else if (shift < 0)
        dn = trim(shifted, shift_left(shifted, den, dn, (size_t)-shift)), den = shifted;
    mpn_tdiv_qr(quotient, remainder, 0, num, (mp_size_t)nn, den, (mp_size_t)dn);
    size_t qn = trim(quotient, nn - dn + 1);
    Wide q = quotient[0] | (Wide)(qn > 1 ? quotient[1] : 0) << 64;
    bool inexact = trim(remainder, dn) != 0;

    /* 2^(exponent - 1) <= the result < 2^exponent; below the normal range there are fewer bits. */
    long bits = (long)bit_length(quotient, qn), exponent = bits - shift, kept = DBL_MANT_DIG;
    if (exponent > DBL_MAX_EXP) return false;
    if (exponent < DBL_MIN_EXP) kept -= DBL_MIN_EXP - exponent;
    if (kept < 0) return true;
    long drop = bits - kept;
    Wide mantissa = q >> drop, rest = q & (((Wide)1 << drop) - 1), half = (Wide)1 << (drop - 1);
    if (rest > half || (rest == half && (inexact || (mantissa & 1) != 0))) mantissa++;
    double f = ldexp((double)(uint64_t)mantissa, (int)(drop - shift));
    *out = negative ? -f : f;
    return !isinf(f);
}

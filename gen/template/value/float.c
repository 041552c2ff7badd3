/* float.c: the shortest text that reads back as the same double, laid out as Python's repr does.
 *
 * Most numbers of a template have few digits, and for those one multiplication finds the digits: if f * 10^9 rounds to
 * an integer that divides back to f, its digits are those of f.
 *
 * Let any other double be c * 2^q, and 10^k the least power of ten above 2^q, which is the distance to its neighbours.
 * What reads back as it, half of that distance to both sides, holds at most one multiple of 10^k; if it holds one, that
 * is the number, and otherwise the multiple of 10^(k-1) next to the double. So the double is divided by 10^k once, to
 * 64 bits behind the point, and those bits say which. Where they are too near to a limit to say, and below a power of
 * two, where the neighbours are not equally far, shortest.c has the answer.
 *
 * How many digits there are is as good as random, so no branch depends on it: all that there can be are stored in whole
 * words, and how many of them count is reckoned afterwards. */
#include "template/value/float.h"

#include "template/value/digits.h"
#include "template/value/inner.h"

#include <math.h>

/* False where it is not sure. */
static inline bool find_shortest(double f, Decimal *decimal) {
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    const uint64_t fraction = bits & (((uint64_t)1 << FRACTION_BITS) - 1);
    const int biased = (int)(bits >> FRACTION_BITS), q = biased - EXPONENT_BIAS;
    const int k = log10_of_2(q) + 1;
    const FloatPower *power = &float_powers[-k - POWER_LEAST];
    const uint64_t power_high = atomic_load_explicit(&power->high, memory_order_acquire);
    const uint64_t power_low = atomic_load_explicit(&power->low, memory_order_relaxed);
    if (__builtin_expect(fraction == 0 || biased == 0, 0)) return false;

    /* f / 10^k, and half of 2^q / 10^k: 2^(scale - 4) is that to within a factor of 2, so 1 <= scale <= 4. */
    const int scale = q + log2_of_10(-k) + 5;
    const uint64_t c = (fraction | (uint64_t)1 << FRACTION_BITS) << scale;
    const Wide product = (Wide)power_high * c + (uint64_t)((Wide)power_low * c >> 64);
    const uint64_t whole = (uint64_t)(product >> 64), behind = (uint64_t)product;
    const uint64_t half = power_high << (scale - 1), below = behind - half, above = behind + half;
    const Wide ten = (Wide)behind * 10;

    /* The power is too large by less than 2 in its last bit, and what is behind that of `half` is missing: so `behind`
     * is wrong by less than 1, and `half` by no more than 8. Without a power, both are 0. */
    if (__builtin_expect(below + 16 <= 32 || above + 16 <= 32 || (uint64_t)ten - INT64_MAX + 16 <= 32, 0)) return false;
    const uint64_t is_up = above < behind, is_between = below < 0 - 2 * half;
    const uint64_t digit = (uint64_t)(ten >> 64) + ((uint64_t)ten >> 63);
    *decimal = (Decimal){whole + is_up, (uint32_t)digit & (0 - (uint32_t)is_between), k + 16};
    return true;
}

static char *put_text(char *to, const char *text, size_t n) {
    memcpy(to, text, n);
    return to + n;
}

/* The digits d0 d1 d2 ... as text. */
typedef struct Text {
    Sixteen sixteen; /* begins with so many zeros before d0: */
    uint64_t extra;  /* 0 or 1 */
    char last;
    uint32_t used; /* which of the seventeen are no zeros, a bit each */
} Text;

static inline __attribute__((always_inline)) Text as_text(Decimal decimal) {
    enum { EIGHT = 100000000 };
    const uint64_t high = decimal.digits / EIGHT;
    const Sixteen sixteen = digits_sixteen((uint32_t)high, (uint32_t)(decimal.digits - high * EIGHT));
    const uint64_t extra = (high - EIGHT / 10) >> 63;
    const uint32_t used = sixteen_used(sixteen) | (decimal.last + 15) / 16 << 16;
    return (Text){sixteen_text(sixteen), extra, (char)('0' + decimal.last), used};
}

/* Without the zeros behind. */
static inline size_t count_digits(uint32_t used, uint64_t extra) {
    return (31 ^ (unsigned)__builtin_clz(used)) + 1 - extra;
}

/* e+xx */
static char *put_exponent(char *to, int exponent) {
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    const uint32_t three = digits_three[exponent < 0 ? -exponent : exponent];
    const unsigned skipped = digits_zeros(three) > 0; /* two digits at least */
    digits_store_4(to, three >> 8 * skipped);
    return to + 3 - skipped;
}

/* Of a word, what stays before a point that is put into it, and the point. */
static const struct {
    uint64_t before, point;
} pointed[] = {
#define POINTED(at)                                                                                                    \
    { ((uint64_t)1 << 8 * (at)) - 1, (uint64_t)'.' << 8 * (at) }
    POINTED(0), POINTED(1), POINTED(2), POINTED(3), POINTED(4), POINTED(5), POINTED(6), POINTED(7),
#undef POINTED
};

/* d.ddd, with up to 7 digits before the point. Where it ends is the caller's to know. */
static inline void put_pointed(char *to, Text text, uint64_t point) {
    char *rest = to + 1 - text.extra;
    sixteen_store(rest, text.sixteen);
    rest[16] = text.last;
    const uint64_t word = sixteen_high(text.sixteen) >> 8 * text.extra, before = word & pointed[point].before;
    digits_store_8(to, before | pointed[point].point | (word ^ before) << 8);
}

/* With 8 to 16 of them. */
static char *__attribute__((noinline)) put_large(char *to, Text text, uint64_t point) {
    char digits[40];
    memset(digits, '0', sizeof digits);
    sixteen_store(digits, text.sixteen);
    digits[16] = text.last;
    memcpy(to, digits + text.extra, 16);
    to[point] = '.';
    memcpy(to + point + 1, digits + text.extra + point, 10); /* 17 - 8 digits and a 0 */
    const size_t count = count_digits(text.used, text.extra);
    return to + 1 + (count > point + 1 ? count : point + 1);
}

static inline __attribute__((always_inline)) char *put_decimal(char *to, Decimal decimal) {
    const Text text = as_text(decimal);
    const int64_t point = decimal.point - (int64_t)text.extra;
    if (__builtin_expect(point >= 1 && point <= 7, 1)) {
        put_pointed(to, text, (uint64_t)point);
        /* A digit behind the point, whatever it is. */
        return to + 1 + count_digits(text.used | (uint32_t)1 << decimal.point, text.extra);
    }
    if (point > 7 && point <= 16) return put_large(to, text, (uint64_t)point);
    const size_t count = count_digits(text.used, text.extra);
    if (point <= 0 && point >= -3) {
        memcpy(to, "0.000000", 8);
        to += 2 - point;
        const char before = point == 0 ? '.' : '0';
        sixteen_store(to - text.extra, text.sixteen);
        to[16 - text.extra] = text.last;
        to[-1] = before;
        return to + count;
    }
    put_pointed(to, text, 1);
    return put_exponent(to + (count == 1 ? 1 : count + 1), (int)point - 1);
}

/* Not inlined, so that the other ways need no registers of these. */
static char *__attribute__((noinline)) put_slowly(char *to, double f) {
    return isinf(f) ? put_text(to, "inf", 3) : put_decimal(to, float_shortest(f));
}

static char *__attribute__((noinline)) put_any(char *to, double f) {
    Decimal decimal;
    return find_shortest(f, &decimal) ? put_decimal(to, decimal) : put_slowly(to, f);
}

/* Up to nine digits behind the point, by threes. */
static inline char *put_short(char *to, uint64_t billionths) {
    const uint32_t whole = (uint32_t)(billionths / 1000000000);
    const uint32_t behind = (uint32_t)(billionths - (uint64_t)whole * 1000000000);
    const uint32_t first = behind / 1000000, rest = behind - first * 1000000;
    const uint32_t three = digits_three[first];
    const DigitWord word = digits_word(whole);
    digits_store_8(to, word.text);
    to += word.n;
    *to = '.';
    digits_store_4(to + 1, three);
    if (rest == 0) return to + 1 + digits_kept(three);
    const uint32_t second = digits_three[rest / 1000], third = digits_three[rest % 1000];
    digits_store_4(to + 4, second);
    digits_store_4(to + 7, third);
    return to + (rest % 1000 == 0 ? 4 + digits_kept(second) : 7 + digits_kept(third));
}

char *float_write(char *to, double f) {
    char *const start = to;
    *to = '-';
    to += signbit(f) != 0;
    f = fabs(f);
    if (f < 1e15) {
        const int64_t whole = (int64_t)f;
        if ((double)whole == f) return put_text(digits_write_int(to, whole), ".0", 2);
        if (f < 1e6) {
            /* The quotient is exactly rounded, since both are exact doubles: such a text reads back as f. Of texts with
             * no more than 15 digits only one does. */
            const int64_t billionths = (int64_t)(f * 1e9 + 0.5);
            const bool is_plain = billionths >= 100000; /* 1e-4 */
            if ((double)billionths / 1e9 == f && is_plain) return put_short(to, (uint64_t)billionths);
        }
    } else if (isnan(f)) {
        return put_text(start, "nan", 3);
    }
    return put_any(to, f);
}

void float_repr(Buf *out, double f) { out->n = (size_t)(float_write(buf_room(out, FLOAT_ROOM), f) - out->p); }

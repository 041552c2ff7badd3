/* digits.c: the table behind digits.h, and integers of any length. */
#include "template/value/digits.h"

uint32_t digits_three[1000];

__attribute__((constructor)) static void fill_three(void) {
    uint32_t *three = digits_three;
    for (uint32_t i = 0; i < 10; i++)
        for (uint32_t j = 0; j < 10; j++)
            for (uint32_t k = 0; k < 10; k++) {
                uint32_t zeros = i > 0 ? 0 : j > 0 ? 1 : 2, kept = k > 0 ? 3 : j > 0 ? 2 : 1;
                *three++ = ('0' + i) | ('0' + j) << 8 | ('0' + k) << 16 | zeros << 24 | kept << 28;
            }
}

/* Below 10^8, without zeros in front. */
static inline size_t write_up_to_eight(char *to, uint32_t number) {
    const uint64_t digits = digits_eight(number);
    const unsigned zeros = (unsigned)__builtin_ctzll(digits | (uint64_t)1 << 56) / 8;
    digits_store_8(to, (digits | DIGITS_ZEROS) >> 8 * zeros);
    return 8 - zeros;
}

char *digits_write_long(char *to, int64_t i) {
    enum { MILLION = 1000000, EIGHT = 100000000, NINE = 1000000000 };
    const uint64_t number = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    *to = '-';
    to += i < 0;
    if (number < NINE) {
        const uint32_t high = (uint32_t)number / MILLION, low = (uint32_t)number - high * MILLION;
        const DigitWord word = digits_word(high);
        digits_store_4(to, (uint32_t)word.text);
        digits_store_4(to + word.n, digits_three[low / 1000]);
        digits_store_4(to + word.n + 3, digits_three[low % 1000]);
        return to + word.n + 6;
    }
    uint64_t high = number / EIGHT;
    const uint32_t low = (uint32_t)(number - high * EIGHT);
    if (high < EIGHT) {
        to += write_up_to_eight(to, (uint32_t)high);
        digits_store_8(to, digits_eight(low) | DIGITS_ZEROS);
        return to + 8;
    }
    const uint32_t first = (uint32_t)(high / EIGHT); /* no more than 1844 */
    high -= (uint64_t)first * EIGHT;
    const DigitWord word = digits_word(first);
    digits_store_4(to, (uint32_t)word.text);
    sixteen_store(to + word.n, sixteen_text(digits_sixteen((uint32_t)high, low)));
    return to + word.n + 16;
}

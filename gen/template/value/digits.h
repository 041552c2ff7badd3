/* digits.h: decimal digits by several at once, without a branch for each. What writes numbers shares it.
 *
 * Whole words are stored, so there must be room for a few bytes more than what is written.
 */
#ifndef OPGEN_TEMPLATE_VALUE_DIGITS_H
#define OPGEN_TEMPLATE_VALUE_DIGITS_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The first character of a word is its lowest byte. */
static inline void digits_store_8(char *to, uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(to, &word, 8);
}

static inline void digits_store_4(char *to, uint32_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    memcpy(to, &word, 4);
}

#define DIGITS_ZEROS 0x3030303030303030u /* "00000000" */

/* Eight digits as bytes of 0 to 9. Each step parts the numbers of all lanes in two; for numbers so small the products
 * give their quotients exactly. */
static inline uint64_t digits_eight(uint32_t number) {
    const uint32_t high = number / 10000;
    const uint64_t fours = high | (uint64_t)(number - high * 10000) << 32;
    const uint64_t hundreds = (fours * 5243 >> 19) & 0x0000007f0000007fu;
    const uint64_t twos = (fours << 16) - hundreds * (100 * 65536 - 1);
    const uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000fu;
    return (twos << 8) - tens * (10 * 256 - 1);
}

/* ---- sixteen digits, from two numbers below 10^8 */

#ifdef __SSE2__
typedef __m128i Sixteen;

/* The same steps as those of digits_eight. */
static inline Sixteen digits_sixteen(uint32_t high, uint32_t low) {
    const Sixteen eights = _mm_unpacklo_epi64(_mm_cvtsi32_si128((int)high), _mm_cvtsi32_si128((int)low));
    const Sixteen thousands = _mm_srli_epi64(_mm_mul_epu32(eights, _mm_set1_epi64x(0xd1b71759)), 45);
    const Sixteen below = _mm_sub_epi64(eights, _mm_mul_epu32(thousands, _mm_set1_epi64x(10000)));
    const Sixteen fours = _mm_or_si128(thousands, _mm_slli_epi64(below, 32));
    const Sixteen hundreds = _mm_srli_epi16(_mm_mulhi_epu16(fours, _mm_set1_epi16(5243)), 3);
    const Sixteen rest = _mm_sub_epi16(fours, _mm_madd_epi16(hundreds, _mm_set1_epi16(100)));
    const Sixteen twos = _mm_or_si128(hundreds, _mm_slli_epi32(rest, 16));
    /* What is cut off from the tenth is the other digit's. */
    const Sixteen tens = _mm_mulhi_epu16(twos, _mm_set1_epi16(6554));
    const Sixteen ones = _mm_mulhi_epu16(_mm_mullo_epi16(twos, _mm_set1_epi16(6554)), _mm_set1_epi16(10));
    return _mm_or_si128(tens, _mm_slli_epi16(ones, 8));
}

/* One bit for each that is no zero, the first one lowest. */
static inline uint32_t sixteen_used(Sixteen digits) {
    return (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(digits, _mm_setzero_si128()));
}

static inline Sixteen sixteen_text(Sixteen digits) { return _mm_or_si128(digits, _mm_set1_epi8('0')); }
static inline void sixteen_store(char *to, Sixteen text) { _mm_storeu_si128((__m128i *)(void *)to, text); }
static inline uint64_t sixteen_high(Sixteen text) { return (uint64_t)_mm_cvtsi128_si64(text); }
#else
typedef struct Sixteen {
    uint64_t high, low;
} Sixteen;

static inline Sixteen digits_sixteen(uint32_t high, uint32_t low) {
    return (Sixteen){digits_eight(high), digits_eight(low)};
}

/* Byte i's lowest bit comes to bit 56 + i. */
static inline uint32_t digits_used(uint64_t digits) {
    const uint64_t some = (digits + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
    return (uint32_t)(some * 0x0102040810204080u >> 56);
}

static inline uint32_t sixteen_used(Sixteen digits) { return digits_used(digits.high) | digits_used(digits.low) << 8; }

static inline Sixteen sixteen_text(Sixteen digits) {
    return (Sixteen){digits.high | DIGITS_ZEROS, digits.low | DIGITS_ZEROS};
}
static inline void sixteen_store(char *to, Sixteen text) {
    digits_store_8(to, text.high), digits_store_8(to + 8, text.low);
}
static inline uint64_t sixteen_high(Sixteen text) { return text.high; }
#endif

/* ---- up to three digits, by a table */

/* "000" to "999" as a word, and above it how much of that is to be written: */
extern uint32_t digits_three[1000];
static inline unsigned digits_zeros(uint32_t three) { return three >> 24 & 15; } /* zeros in front, at most 2 */
static inline unsigned digits_kept(uint32_t three) { return three >> 28; }       /* without zeros behind, at least 1 */

/* A number below 10^6 as a word without zeros in front, and how many digits it has. Behind them the word holds
 * anything.
 */
typedef struct DigitWord {
    uint64_t text;
    size_t n;
} DigitWord;

static inline __attribute__((always_inline)) DigitWord digits_word(uint32_t number) {
    if (number < 1000) {
        const uint32_t three = digits_three[number];
        const unsigned zeros = digits_zeros(three);
        return (DigitWord){three >> 8 * zeros, 3 - zeros};
    }
    const uint32_t thousands = number / 1000;
    const uint64_t high = digits_three[thousands], low = digits_three[number - thousands * 1000];
    const unsigned zeros = digits_zeros((uint32_t)high);
    return (DigitWord){((high & 0xffffff) | low << 24) >> 8 * zeros, 6 - zeros};
}

/* Into DIGITS_ROOM bytes; where it ends. Up to a million the branches say how many digits there are: most integers of a
 * template are as long as the one before, and then what comes next need not wait for the digits. */
enum { DIGITS_ROOM = 24, DIGITS_LONG = 1000000 };
char *digits_write_long(char *to, int64_t i); /* of DIGITS_LONG and more, or less than -DIGITS_LONG */
static inline __attribute__((always_inline)) char *digits_write_int(char *to, int64_t i) {
    if (i < 0 && i > -DIGITS_LONG) {
        *to++ = '-';
        i = -i;
    }
    if ((uint64_t)i >= DIGITS_LONG) return digits_write_long(to, i);
    const uint32_t number = (uint32_t)i;
    if (number >= 1000) {
        const uint32_t high = number / 1000, low = digits_three[number - high * 1000];
        if (high < 10) {
            *to++ = (char)('0' + high);
        } else {
            const size_t skipped = high < 100;
            digits_store_4(to, digits_three[high] >> 8 * skipped);
            to += 3 - skipped;
        }
        digits_store_4(to, low);
        return to + 3;
    }
    const uint32_t three = digits_three[number];
    if (number >= 100) {
        digits_store_4(to, three);
        return to + 3;
    }
    if (number >= 10) {
        digits_store_4(to, three >> 8);
        return to + 2;
    }
    *to = (char)('0' + number);
    return to + 1;
}

#endif

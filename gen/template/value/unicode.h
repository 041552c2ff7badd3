/* unicode.h: what a character is and how its case changes, as Python sees it (Unicode 14).
 *
 * A thin layer over libunistring with ASCII answered at once. The predicates take one code point; what str.isalpha()
 * and its like make of a whole text is made of them in lib/method_str_ask.c.
 */
#ifndef OPGEN_TEMPLATE_UNICODE_H
#define OPGEN_TEMPLATE_UNICODE_H

#include "base/str.h"

bool unicode_is_alpha(uint32_t c);
bool unicode_is_numeric(uint32_t c); /* also fractions, Roman numerals, the ideographs of numbers */
bool unicode_is_digit(uint32_t c);   /* also superscripts */
int unicode_decimal(uint32_t c);     /* 0 to 9; -1: not a decimal digit of any script */
bool unicode_is_space(uint32_t c);
bool unicode_is_line_break(uint32_t c);
bool unicode_is_printable(uint32_t c); /* what repr() writes as it is */
bool unicode_is_lower(uint32_t c);
bool unicode_is_upper(uint32_t c);
bool unicode_is_title(uint32_t c); /* one code point that is an upper case letter followed by a lower case one */
bool unicode_is_cased(uint32_t c);
bool unicode_starts_identifier(uint32_t c);
bool unicode_continues_identifier(uint32_t c);

bool unicode_is_ascii(Str s);

typedef enum UnicodeCase {
    UNICODE_LOWER,
    UNICODE_UPPER,
    UNICODE_FOLD,       /* for comparing without regard to case */
    UNICODE_TITLE,      /* the first letter of every word */
    UNICODE_CAPITALIZE, /* the first letter, everything behind it lower */
    UNICODE_SWAP,
} UnicodeCase;

/* The text in another case; one letter can become up to three. `out` must not hold s. */
void unicode_map(Buf *out, Str s, UnicodeCase to);

#endif

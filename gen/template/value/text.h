/* text.h: what the functions that make text share: arguments checked, positions counted in code points, and the
 * finished string.
 *
 * `who` is how an error names the function ("str.center"), `what` its parameter.
 */
#ifndef OPGEN_TEMPLATE_TEXT_H
#define OPGEN_TEMPLATE_TEXT_H

#include "template/value/run.h"
#include "template/value/unicode.h"

#define TEXT_MOST_WIDTH INT32_MAX /* the largest width or precision that is taken */

/* The buffer's bytes as a string; what was not used goes back to the arena. flags: 0 or VAL_SAFE. */
Value text_take(Run *run, Buf *buf, unsigned flags);

Str text_arg(Run *run, Value v, const char *who, const char *what);         /* a str, else an error */
int64_t text_arg_int(Run *run, Value v, const char *who, const char *what); /* an int or bool that fits 64 bits */
/* As Python's slices take them: None or nothing is `otherwise`, what does not fit 64 bits becomes the nearest that
 * does. */
int64_t text_arg_index(Run *run, Value v, const char *who, const char *what, int64_t otherwise);
/* The same for `start` and `stop` of something n long: negative ones count from the end. start may stay above n. */
void text_arg_range(Run *run, Value start, Value stop, const char *who, int64_t n, int64_t *from, int64_t *to);

size_t text_offset(Str s, size_t index); /* the byte at which code point `index` begins; s.n past the end */
void text_fill(Buf *out, uint32_t code, size_t n);
/* s, with `code` before and behind it. */
void text_pad(Buf *out, Str s, uint32_t code, size_t before, size_t after);

void text_ascii(Buf *out, Str repr); /* what ascii() makes of a repr(): \x, \u and \U for what is not ASCII */
void text_digits(Buf *out, Value integer, unsigned base); /* without sign or prefix; base 2, 8, 10, 16 */
bool text_is_negative(Value integer);

/* A finite or infinite float or NaN as 'e', 'f' or 'g' (lower case) with this precision, as Python's format does
 * it. alternate: '#'. point: at least one digit behind the point, unless there is an exponent. */
void text_float(Buf *out, double f, char type, int precision, bool alternate, bool point);

#endif

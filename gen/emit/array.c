/* array.c: elements of a tensor as an initialiser of C.
 *
 * Every element is written as what it is, not as bytes, so that the array has the elements' own type and means the same
 * on a machine that orders bytes the other way. Floats are hexadecimal: exact, short, and quick to write. Of a NaN all
 * that stays is that it is one.
 */
#include "emit/profile.h"

enum { IN_LINE = 12 };

static uint64_t word_at(Str bytes, size_t at, uint32_t size) {
    uint64_t word = 0;
    for (uint32_t i = 0; i < size; i++)
        word |= (uint64_t)(unsigned char)bytes.p[at + i] << (8 * i);
    return word;
}

/* What stands behind the point, without zeros at its end. */
static void add_digits(Buf *out, uint64_t fraction, unsigned digits) {
    static const char names[] = "0123456789abcdef";
    unsigned shift = 4 * digits;
    while (fraction != 0 && shift > 0) {
        shift -= 4;
        buf_char(out, names[fraction >> shift & 15]);
        fraction &= ((uint64_t)1 << shift) - 1;
    }
}

/* The bits of a float with so many bits of fraction (rounded up to whole digits) and of exponent. */
static void add_float(Buf *out, uint64_t bits, unsigned fraction_bits, unsigned exponent_bits, bool is_double) {
    const uint64_t most = ((uint64_t)1 << exponent_bits) - 1, exponent = bits >> fraction_bits & most;
    const int bias = (int)(most / 2);
    const unsigned digits = (fraction_bits + 3) / 4;
    const uint64_t fraction = (bits & (((uint64_t)1 << fraction_bits) - 1)) << (4 * digits - fraction_bits);
    if (bits >> (fraction_bits + exponent_bits) & 1) buf_char(out, '-');
    if (exponent == most) {
        buf_add(out, fraction == 0 ? S("INFINITY") : S("NAN"));
        return;
    }
    if (exponent == 0 && fraction == 0) {
        buf_add(out, is_double ? S("0.0") : S("0.0f"));
        return;
    }
    buf_add(out, exponent == 0 ? S("0x0") : S("0x1"));
    if (fraction != 0) buf_char(out, '.');
    add_digits(out, fraction, digits);
    buf_char(out, 'p');
    buf_int(out, (exponent == 0 ? 1 : (int64_t)exponent) - bias);
    if (!is_double) buf_char(out, 'f');
}

static void add_signed(Buf *out, uint64_t word, uint32_t size) {
    const unsigned unused = 64 - 8 * size;
    const int64_t value = (int64_t)(word << unused) >> unused;
    if (size >= 4 && word == (uint64_t)1 << (8 * size - 1)) /* C has no literal for the least number */
        buf_format(out, "(-%lld - 1)", (long long)-(value + 1));
    else
        buf_int(out, value);
}

static void add_element(Buf *out, Dtype dtype, uint64_t word, uint32_t size) {
    switch (dtype) {
    case DT_F32:
        add_float(out, word, 23, 8, false);
        return;
    case DT_F64:
        add_float(out, word, 52, 11, true);
        return;
    case DT_F16:
    case DT_BF16:
        buf_format(out, "0x%04x", (unsigned)word);
        return;
    case DT_I8:
    case DT_I16:
    case DT_I32:
    case DT_I64:
        add_signed(out, word, size);
        return;
    default:
        buf_format(out, size >= 4 ? "%lluu" : "%llu", (unsigned long long)word);
    }
}

void array_print(Buf *out, Dtype dtype, Str bytes) {
    const uint32_t size = dtype_size(dtype);
    for (size_t at = 0, n = 0; at + size <= bytes.n; at += size, n++) {
        buf_add(out, n == 0 ? S("    ") : n % IN_LINE == 0 ? S(",\n    ") : S(", "));
        add_element(out, dtype, word_at(bytes, at, size), size);
    }
    buf_char(out, '\n');
}

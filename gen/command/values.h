/* values.h: the elements of tensors as numbers: read, made at random, described, compared. Host memory. */
#ifndef OPGEN_COMMAND_VALUES_H
#define OPGEN_COMMAND_VALUES_H

#include "base/str.h"

#include <opgen.h>

double value_get(OpgenDtype dtype, const void *data, size_t at);
/* Integers with all digits; floats with as many as `digits` says. nan, inf and -inf are these words, in quotes if
 * asked for. */
void value_print(Buf *out, OpgenDtype dtype, const void *data, size_t at, int digits, bool quoted);
int value_digits(OpgenDtype dtype); /* from which the same float is read, be it as f32 or f64 */

/* Fills a tensor: floats from -scale to scale, integers from 0 to below `limit`, booleans. The same for the same seed
 * and name, on every machine. */
void values_random(OpgenDtype dtype, void *data, size_t n, uint64_t seed, const char *name, double scale,
                   uint64_t limit);

typedef struct ValueFacts {
    size_t n, nans, infs;
    size_t least, greatest; /* where they are, NaN aside; n: nowhere */
    double mean;            /* of all that are finite */
} ValueFacts;

ValueFacts values_facts(OpgenDtype dtype, const void *data, size_t n);

typedef struct ValueDifference {
    size_t wrong; /* elements that are not near enough */
    size_t worst; /* where the difference is greatest, by its tolerance */
    double max_abs, max_rel;
} ValueDifference;

/* |a - b| <= atol + rtol * |b|; integers and booleans are equal or not. NaN is near NaN alone, an infinity itself. */
ValueDifference values_compare(OpgenDtype dtype, const void *a, const void *b, size_t n, double rtol, double atol);

/* How large floating values are where they are small: the root of their mean square, those above 1 taken as 1. Not
 * finite ones are left out; 0 if there are no others. */
double values_smallness(OpgenDtype dtype, const void *data, size_t n);

#endif

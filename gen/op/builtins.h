/* builtins.h: the functions and constants of opdef expressions, as one list; no include guard, because it is included
 * once for each table made of it. BUILTIN(name, least, most, where, what it gives); most -1: any number of arguments.
 *
 * IN_RULE: over attributes, shapes and dtypes, decided before code is generated. IN_BODY: over elements, in generated
 * code. IN_BOTH: a rule where its arguments are rules. A body may use rule functions on what is known to rules. Whoever
 * adds a line here adds it to the table in opdefs/README.md, which a test compares with this list, and teaches it to
 * rule.c or to the backends.
 */
BUILTIN(abs, 1, 1, IN_BOTH, "the absolute value; of the least signed integer itself")
BUILTIN(acos, 1, 1, IN_BODY, "the arc cosine")
BUILTIN(acosh, 1, 1, IN_BODY, "the inverse hyperbolic cosine")
BUILTIN(
    alike, 2, 2, IN_RULE,
    "alike(tensors, dim): whether all tensors of a list have the same shape, but for this dim; none: without exception")
BUILTIN(asin, 1, 1, IN_BODY, "the arc sine")
BUILTIN(asinh, 1, 1, IN_BODY, "the inverse hyperbolic sine")
BUILTIN(atan, 1, 1, IN_BODY, "the arc tangent")
BUILTIN(atan2, 2, 2, IN_BODY, "the angle of the point (b, a)")
BUILTIN(atanh, 1, 1, IN_BODY, "the inverse hyperbolic tangent")
BUILTIN(bit_and, 2, 2, IN_BODY, "bitwise and; of booleans the logical one")
BUILTIN(bit_not, 1, 1, IN_BODY, "all bits turned; of a boolean the logical not")
BUILTIN(bit_or, 2, 2, IN_BODY, "bitwise or; of booleans the logical one")
BUILTIN(bit_xor, 2, 2, IN_BODY, "bitwise exclusive or; of booleans the logical one")
BUILTIN(bool, 1, 1, IN_BOTH, "whether it is not zero; NaN is true")
BUILTIN(broadcast, 1, -1, IN_RULE, "the shape that these shapes broadcast to")
BUILTIN(
    broadcast_index, 2, 2, IN_RULE,
    "broadcast_index(index, shape): the index in a tensor of this shape that an index in what it broadcasts to means")
BUILTIN(cast, 2, 2, IN_BODY, "the first argument as the dtype that is the second")
BUILTIN(ceil, 1, 1, IN_BODY, "rounded up; an integer as it is")
BUILTIN(cos, 1, 1, IN_BODY, "the cosine")
BUILTIN(cosh, 1, 1, IN_BODY, "the hyperbolic cosine")
BUILTIN(drop, 2, 2, IN_RULE, "drop(list, positions): the list without what stands at these positions")
BUILTIN(
    einsum, 3, 3, IN_RULE,
    "einsum(equation, shape, shape): seven lists, the sizes of the dims that both operands and the result have, the "
    "first and the result, the second and the result, and the rest; then where the dims of the first, the second "
    "and the result stand among these")
BUILTIN(
    element, 3, 3, IN_RULE,
    "element(index, position, size): in a view's index alone: the element at this position of an input of integers, "
    "which says where in a dim of this size to read; beyond its ends the nearest that there is")
BUILTIN(erf, 1, 1, IN_BODY, "the error function")
BUILTIN(erfc, 1, 1, IN_BODY, "1 - erf, without loss for large arguments")
BUILTIN(exp, 1, 1, IN_BODY, "e to this power")
BUILTIN(exp2, 1, 1, IN_BODY, "2 to this power")
BUILTIN(expm1, 1, 1, IN_BODY, "exp - 1, without loss near zero")
BUILTIN(fits, 3, 3, IN_RULE,
        "fits(shape, other, dim): whether both have as many dims and no size of the first is greater than that of the "
        "second, but for this dim; none: without exception")
BUILTIN(float, 1, 1, IN_BOTH, "as a float: f32, or itself if it is one")
BUILTIN(floor, 1, 1, IN_BODY, "rounded down; an integer as it is")
BUILTIN(fmod, 2, 2, IN_BODY, "the remainder with the sign of the first; % has that of the second")
BUILTIN(highest, 1, 1, IN_BODY, "what no value of this dtype is above: infinity, the greatest integer, true")
BUILTIN(hypot, 2, 2, IN_BODY, "the root of the sum of squares, without overflow between")
BUILTIN(insert, 3, 3, IN_RULE,
        "insert(list, positions, value): the list with the value put in so that it stands at these positions")
BUILTIN(int, 1, 1, IN_BOTH, "as i64, rounded towards zero")
BUILTIN(is_float, 1, 1, IN_RULE, "whether a dtype is f16, bf16, f32 or f64")
BUILTIN(is_int, 1, 1, IN_RULE, "whether a dtype is a signed or unsigned integer; bool is none")
BUILTIN(is_none, 1, 1, IN_RULE, "whether an attribute is None, or an optional input is left out")
BUILTIN(isfinite, 1, 1, IN_BODY, "whether it is neither infinite nor NaN; true for integers")
BUILTIN(isinf, 1, 1, IN_BODY, "whether it is infinite")
BUILTIN(isnan, 1, 1, IN_BODY, "whether it is NaN")
BUILTIN(largest, 1, 1, IN_BODY, "the greatest finite value of this dtype")
BUILTIN(len, 1, 1, IN_RULE, "how long a list or text is")
BUILTIN(log, 1, 1, IN_BODY, "the natural logarithm")
BUILTIN(log10, 1, 1, IN_BODY, "the logarithm to base 10")
BUILTIN(log1p, 1, 1, IN_BODY, "log(1 + x), without loss near zero")
BUILTIN(log2, 1, 1, IN_BODY, "the logarithm to base 2")
BUILTIN(lowest, 1, 1, IN_BODY, "what no value of this dtype is below: -infinity, the least integer, false")
BUILTIN(max, 1, -1, IN_BOTH, "the greatest; NaN if any is NaN; in rules also of a list")
BUILTIN(min, 1, -1, IN_BOTH, "the least; NaN if any is NaN; in rules also of a list")
BUILTIN(ones, 2, 2, IN_RULE,
        "ones(shape, dim): the positions of the sizes 1 among those that dim names, as wrap_dims has it")
BUILTIN(pick, 2, 2, IN_RULE, "pick(list, positions): what stands at these positions of the list, one after the other")
BUILTIN(position, 2, 2, IN_BODY,
        "the first argument, an integer, if it is at least 0 and below the second; otherwise 0, and the run fails")
BUILTIN(prod, 1, 1, IN_RULE, "the product of a list; 1 if it is empty")
BUILTIN(promote, 1, -1, IN_RULE, "the dtype that these dtypes promote to")
BUILTIN(range, 1, 3, IN_RULE, "the list of integers from, up to and not with, in steps of")
BUILTIN(ravel, 2, 2, IN_RULE, "ravel(index, shape): the place of an element in row-major order")
BUILTIN(round, 1, 1, IN_BODY, "rounded to the nearest, halves to even; an integer as it is")
BUILTIN(rsqrt, 1, 1, IN_BODY, "1 / sqrt")
BUILTIN(shift_left, 2, 2, IN_BODY, "shifted left; 0 where the distance is negative or as wide as the type")
BUILTIN(shift_right, 2, 2, IN_BODY,
        "shifted right, signed integers with their sign; distances beyond the type shift everything out")
BUILTIN(sin, 1, 1, IN_BODY, "the sine")
BUILTIN(sinh, 1, 1, IN_BODY, "the hyperbolic sine")
BUILTIN(sizes, 2, 2, IN_RULE, "sizes(tensors, dim): the size of each tensor of a list in this dim")
BUILTIN(sqrt, 1, 1, IN_BODY, "the square root")
BUILTIN(sum, 1, 1, IN_RULE, "the sum of a list; 0 if it is empty")
BUILTIN(tan, 1, 1, IN_BODY, "the tangent")
BUILTIN(tanh, 1, 1, IN_BODY, "the hyperbolic tangent")
BUILTIN(to_float, 1, 1, IN_RULE, "a float dtype itself, f32 for any other")
BUILTIN(trunc, 1, 1, IN_BODY, "rounded towards zero; an integer as it is")
BUILTIN(unravel, 2, 2, IN_RULE, "unravel(position, shape): the index of the element at a place in row-major order")
BUILTIN(wrap, 2, 2, IN_RULE, "wrap(dim, rank): a dim that may count from the end, from 0; out of range is an error")
BUILTIN(wrap_dims, 2, 2, IN_RULE,
        "wrap_dims(dim, rank): what a dim, a list of dims or none for all of them names: from 0, ascending; one twice "
        "is an error")
#ifdef CONSTANT
CONSTANT(inf, "infinity")
CONSTANT(nan, "not a number")
CONSTANT(pi, "3.14159...")
#endif

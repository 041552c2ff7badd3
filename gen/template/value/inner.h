/* inner.h: what the files of value/ know of each other and nobody else needs.
 */
#ifndef OPGEN_TEMPLATE_VALUE_INNER_H
#define OPGEN_TEMPLATE_VALUE_INNER_H

#include "template/value/run.h"

/* Values within values that are printed, compared and hashed; the C stack bounds it. Data cannot be nested so deeply
 * (JSON_MOST_DEPTH), only what a template builds in a loop. */
enum { VAL_MOST_DEPTH = 1000 };
/* Elements of a list or dict, so that positions fit everywhere. */
#define LIST_MOST ((uint32_t)1 << 31)
#define TEXT_MOST ((uint64_t)UINT32_MAX)

NORETURN void fail_depth(Run *run, const char *doing); /* doing: "printed" */
NORETURN void fail_text_size(Run *run, uint64_t bytes);
NORETURN void fail_list_size(Run *run, uint64_t elements);
NORETURN void fail_operands(Run *run, Op op, Value a, Value b);

/* V_INT or V_BOOL as a number. */
static inline bool is_small(Value v) { return v.kind == V_INT || v.kind == V_BOOL; }
static inline int64_t small(Value v) { return v.kind == V_BOOL ? v.as.b : v.as.i; }
static inline bool is_sequence(Value v) { return v.kind == V_LIST || v.kind == V_TUPLE; }

/* False where a value cannot be a key; strict undefined values fail. */
bool try_hash(Run *run, Value key, uint64_t *hash);
/* Of two numbers: -1, 0, 1, or 2 where one is NaN. Exact between integers and floats. */
int number_order(Value a, Value b);
Value number_binary(Run *run, Op op, Value a, Value b);
/* start + i * step, which is an element. */
static inline int64_t range_at(const Range *range, int64_t i) {
    return (int64_t)((uint64_t)range->start + (uint64_t)i * (uint64_t)range->step);
}
Str method_hint(Run *run, Value v); /* for a function or method that was used as if it were its result */
void print_int(Buf *out, int64_t i);
bool text_is_ascii(Str s);
size_t text_skip(Str s, size_t at, uint64_t count); /* offset of the code point `count` behind offset at, or s.n */

#endif

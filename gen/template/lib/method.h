/* method.h: what the files of methods share: the tables, and reading self.
 *
 * A method is a Native whose a[0] is the value it is called on. Methods of str are many, so they are listed here once;
 * the list declares them and makes the table in method_str.c. It is in order of the names, because look-up is by
 * bisection.
 */
#ifndef OPGEN_TEMPLATE_METHOD_H
#define OPGEN_TEMPLATE_METHOD_H

#include "template/value/text.h"

#define METHOD(name)                                                                                                   \
    Value name(Run *run __attribute__((unused)), const Value *a __attribute__((unused)),                               \
               void *user __attribute__((unused)))

/* Name and parameters, as in value.h. */
#define STR_METHODS(M)                                                                                                 \
    M(capitalize, "")                                                                                                  \
    M(casefold, "")                                                                                                    \
    M(center, "width fillchar? /")                                                                                     \
    M(count, "sub start? stop? /")                                                                                     \
    M(encode, "encoding? errors?")                                                                                     \
    M(endswith, "suffix start? stop? /")                                                                               \
    M(expandtabs, "tabsize?")                                                                                          \
    M(find, "sub start? stop? /")                                                                                      \
    M(format, "*args **kwargs")                                                                                        \
    M(format_map, "mapping /")                                                                                         \
    M(index, "sub start? stop? /")                                                                                     \
    M(isalnum, "")                                                                                                     \
    M(isalpha, "")                                                                                                     \
    M(isascii, "")                                                                                                     \
    M(isdecimal, "")                                                                                                   \
    M(isdigit, "")                                                                                                     \
    M(isidentifier, "")                                                                                                \
    M(islower, "")                                                                                                     \
    M(isnumeric, "")                                                                                                   \
    M(isprintable, "")                                                                                                 \
    M(isspace, "")                                                                                                     \
    M(istitle, "")                                                                                                     \
    M(isupper, "")                                                                                                     \
    M(join, "iterable /")                                                                                              \
    M(ljust, "width fillchar? /")                                                                                      \
    M(lower, "")                                                                                                       \
    M(lstrip, "chars? /")                                                                                              \
    M(maketrans, "x y? z? /")                                                                                          \
    M(partition, "sep /")                                                                                              \
    M(removeprefix, "prefix /")                                                                                        \
    M(removesuffix, "suffix /")                                                                                        \
    M(replace, "old new count? /")                                                                                     \
    M(rfind, "sub start? stop? /")                                                                                     \
    M(rindex, "sub start? stop? /")                                                                                    \
    M(rjust, "width fillchar? /")                                                                                      \
    M(rpartition, "sep /")                                                                                             \
    M(rsplit, "sep? maxsplit?")                                                                                        \
    M(rstrip, "chars? /")                                                                                              \
    M(split, "sep? maxsplit?")                                                                                         \
    M(splitlines, "keepends?")                                                                                         \
    M(startswith, "prefix start? stop? /")                                                                             \
    M(strip, "chars? /")                                                                                               \
    M(swapcase, "")                                                                                                    \
    M(title, "")                                                                                                       \
    M(translate, "table /")                                                                                            \
    M(upper, "")                                                                                                       \
    M(zfill, "width /")

/* Their places in the table, for builtins that call one: STR_METHOD_replace. */
#define METHOD_PLACE(name, params) STR_METHOD_##name,
enum { STR_METHODS(METHOD_PLACE) STR_METHOD_COUNT };
#undef METHOD_PLACE
const Native *method_str_at(unsigned place);

#define DECLARE_METHOD(name, params) METHOD(method_str_##name);
STR_METHODS(DECLARE_METHOD)
#undef DECLARE_METHOD

METHOD(method_markup_escape);
METHOD(method_markup_striptags);
METHOD(method_markup_unescape);

/* NULL if there is none of that name. */
const Native *method_of_str(Str name, bool safe);
const Native *method_of_list(Str name);
const Native *method_of_tuple(Str name);
const Native *method_of_range(Str name);
const Native *method_of_dict(Str name);

typedef struct MethodTable {
    const Native *methods;
    size_t n;
} MethodTable;
#define METHOD_TABLE(array) ((MethodTable){(array), sizeof(array) / sizeof *(array)})
const Native *method_find(MethodTable table, Str name); /* the table is in order */

/* What is left of self: safe if self is. The bytes are shared. */
static inline Value method_part(Value self, Str s) {
    return (Value){.kind = V_STR, .flags = self.flags & VAL_SAFE, .n = (uint32_t)s.n, .as.s = s.n == 0 ? "" : s.p};
}
/* An argument of a method of self: a safe text escapes its arguments. */
static inline Value method_escaped(Run *run, Value self, Value argument) {
    return (self.flags & VAL_SAFE) != 0 && argument.kind == V_STR ? text_escape(run, argument) : argument;
}
static inline bool method_given(Value v) { return v.kind != V_MISSING && v.kind != V_NONE; }
static inline bool method_same(Run *run, Value a, Value b) { return val_same(a, b) || val_equal(run, a, b); }

/* Searching from the end. */
typedef struct Backward {
    Str s, needle;
    bool reversed; /* both are reversed copies */
} Backward;
void backward_init(Backward *search, Run *run, Str s, Str needle);
size_t backward_find(const Backward *search, size_t end); /* the last place that ends at or before `end`; STR_NONE */

#endif

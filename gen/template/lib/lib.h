/* lib.h: what the files of this room share: reading arguments, limits, attribute paths, sorting.
 *
 * A builtin is written `BUILTIN(filter_name) { ... }`. a[0] is the subject, a[1] on the parameters as builtins.h
 * lists them; one that was left out is V_MISSING. Undefined values take care of themselves as long as they are
 * used through the functions of value.h; who looks at a kind directly calls lib_wrong for what does not fit.
 */
#ifndef OPGEN_TEMPLATE_LIB_H
#define OPGEN_TEMPLATE_LIB_H

#include "template/value/text.h"

#define BUILTIN(name) Value name(Run *run __attribute__((unused)), const Value *a, void *user __attribute__((unused)))
#define FILTER(name, function, params) BUILTIN(function);
#define TEST FILTER
#define GLOBAL FILTER
#include "template/lib/builtins.h"
#undef FILTER
#undef TEST
#undef GLOBAL

/* ---- arguments. `who` is what the error begins with: "filter \"batch\"". */
static inline bool lib_given(Value v) { return v.kind != V_MISSING; }
static inline bool lib_some(Value v) { return v.kind != V_MISSING && v.kind != V_NONE; } /* given, and not none */
static inline bool lib_is_safe(Value v) { return v.kind == V_STR && (v.flags & VAL_SAFE) != 0; }
/* Whether Python's value has __html__: safe text, and what is undefined where that may be chained. */
static inline bool lib_has_html(const Run *run, Value v) {
    return lib_is_safe(v) || (v.kind == V_UNDEFINED && run->undefined == UNDEFINED_CHAINABLE);
}
/* `who: what must be wanted, not <type of got>`; an undefined value fails as such. */
NORETURN void lib_wrong(Run *run, const char *who, const char *what, const char *wanted, Value got);
int64_t lib_int(Run *run, const char *who, const char *what, Value v);
int64_t lib_int_or(Run *run, const char *who, const char *what, Value v, int64_t otherwise);
bool lib_flag(Run *run, Value v, bool otherwise);
Str lib_wants_str(Run *run, const char *who, const char *what, Value v);
/* Fails, naming the limit, if n things of that size cannot be had. */
void lib_room(Run *run, const char *who, uint64_t n, size_t size);

/* ---- text */
Str lib_str(Run *run, Value v); /* str(v) */
Value lib_plain(Value text);    /* without the mark that it is safe */
/* text.method(args), for a text: lib_method(run, text, STR_METHOD_replace, args, 3). */
Value lib_method(Run *run, Value text, unsigned method, const Value *args, uint32_t n);
Value lib_lower_if_text(Run *run, Value v);  /* what "ignore case" compares; other values as they are */
static inline bool lib_is_word(uint32_t c) { /* \w */
    return c == '_' || unicode_is_alpha(c) || unicode_is_numeric(c);
}
/* The next line of s from *at, as Python's splitlines cuts them; false at the end. *breaks: its line break's bytes. */
bool lib_next_line(Str s, size_t *at, Str *line, size_t *breaks);
/* Trimmed, and with decimal digits of any script as ASCII: how Python reads numbers. */
Str lib_number_text(Run *run, Str text);
/* float(text) in Python's grammar; false if it is none. */
bool lib_parse_float(Run *run, Str text, double *number);

/* ---- attribute paths: "a.b.0" */
typedef struct AttrPath {
    Value *parts;
    uint32_t n;
    Value otherwise; /* for what is undefined; V_MISSING: leave it so */
    bool ignore_case;
} AttrPath;
void lib_path(Run *run, AttrPath *path, const char *who, Value attribute, Value otherwise, bool ignore_case);
Value lib_path_get(Run *run, const AttrPath *path, Value item);

/* ---- sorting: stable, without recursion */
typedef struct SortItem {
    Value key, value;
} SortItem;
typedef enum SortKeys {
    SORT_PLAIN, /* a < b */
    SORT_LISTS, /* [a] < [b], which asks first whether they are equal: so two that are need no order */
    SORT_ANY,   /* never fails: what has no order is ordered by its type's name */
} SortKeys;
void lib_sort(Run *run, SortItem *items, uint32_t n, SortKeys keys, bool reverse);
SortItem *lib_sort_items(Run *run, const Dict *dict, SortKeys keys); /* value: the entry's; live of them */

/* ---- the containers that one is inside of, to notice one that contains itself */
typedef struct Inside {
    Dict *set;
} Inside;
bool lib_enter(Run *run, Inside *inside, const void *container); /* false: is in it already */
bool lib_is_inside(Run *run, const Inside *inside, const void *container);
void lib_leave(Run *run, Inside *inside, const void *container);

/* ---- HTML's named characters (entities.c): the text for "amp;" or "amp"; an empty Str if there is none */
Str lib_entity(Str name);
Value lib_unescape(Run *run, Str s); /* numbered and named characters as themselves: html.unescape */
size_t lib_entity_count(void);
Str lib_entity_name(size_t i);

/* A filter or test by a name given as a value; fails with "did you mean". */
const Native *lib_named_filter(Run *run, const char *who, Value name);
const Native *lib_named_test(Run *run, const char *who, Value name);

#endif

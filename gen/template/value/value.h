/* value.h: the values that templates compute with, and what can be done with them.
 *
 * A Value is 16 bytes and passed by copy; what does not fit lies in the arena of the Run (run.h) and is
 * never freed singly. The kinds and their behaviour are Python's, because that is what Jinja's templates
 * rely on: values print as Python prints them, compare, slice, add and fail as there. Every function that can
 * fail takes the Run and does not return when it does (run_fail).
 */
#ifndef OPGEN_TEMPLATE_VALUE_H
#define OPGEN_TEMPLATE_VALUE_H

#include "json/json.h"
#include "template/syntax/ast.h"

typedef struct Run Run;
typedef struct Value Value;
typedef struct List List;
typedef struct Dict Dict;
typedef struct Big Big;
typedef struct Range Range;
typedef struct OneShot OneShot;
typedef struct View View;
typedef struct Undefined Undefined;
typedef struct Bound Bound;
typedef struct Native Native;
typedef struct Object Object;

typedef enum ValueKind {
    V_MISSING,   /* no value at all: an argument that was not given, a slot not yet set. Templates never see it */
    V_UNDEFINED, /* Jinja's Undefined */
    V_NONE,
    V_BOOL,
    V_INT, /* 64 bits */
    V_BIG, /* an integer that does not fit 64 bits, never one that does */
    V_FLOAT,
    V_STR,
    V_LIST,
    V_TUPLE, /* a List that does not change */
    V_DICT,
    V_RANGE,
    V_VIEW,    /* dict.keys(), .values(), .items() */
    V_ONESHOT, /* an iterator: what map, select, batch, dict iteration and reverse give; can be gone through once */
    V_FUNC,    /* a function of C: Bound without a self */
    V_METHOD,  /* a method of a value: Bound */
    V_OBJECT,  /* namespace, macro, loop, ...: behaviour in its class */
} ValueKind;

enum {
    VAL_SAFE = 1,     /* V_STR: Markup, not to be escaped again */
    VAL_LENIENT = 4,  /* V_UNDEFINED: behaves as in UNDEFINED_LENIENT whatever the mode (`x if y` without an else) */
    VAL_INTERNED = 2, /* V_STR: s is the text of a Name of this run's Names, so pointers can be compared */
    VAL_GROUP = 4,    /* V_TUPLE of two: what groupby gives, whose parts are also .grouper and .list */
};

struct Value {
    uint8_t kind;
    uint8_t flags;
    uint16_t unused;
    uint32_t n; /* V_STR: bytes */
    union {
        bool b;
        int64_t i;
        double f;
        const char *s;
        Big *big;
        List *list; /* V_LIST, V_TUPLE */
        Dict *dict;
        Range *range;
        View *view;
        OneShot *oneshot;
        Undefined *undefined;
        Bound *bound;
        Object *object;
    } as;
};

struct List {
    Value *items;
    uint32_t n, cap;
};

typedef struct DictEntry {
    Value key, value; /* key.kind is V_MISSING where an entry was removed */
    uint64_t hash;
} DictEntry;

struct Dict { /* keeps the order of insertion */
    DictEntry *entries;
    uint32_t *index;    /* NULL while small */
    uint32_t used, cap; /* entries, removed ones included */
    uint32_t live;
    uint32_t index_cap;
};

struct Range {
    int64_t start, step;
    int64_t n;    /* elements */
    int64_t stop; /* as given, for printing */
};

typedef enum ViewKind { VIEW_KEYS, VIEW_VALUES, VIEW_ITEMS } ViewKind;
struct View {
    Dict *dict;
    ViewKind kind;
};

struct OneShot {
    List list;
    uint32_t next;
    const char *name; /* what it came from, for errors: "map" */
    const Dict *dict; /* its items instead of the list: pairs are made when they are asked for. Or NULL */
};

/* Why a value is undefined; the text of the error is made of this. */
struct Undefined {
    Value object; /* V_MISSING, or what was asked */
    Value key;    /* the name, attribute or index (V_MISSING if hint says it all) */
    Str hint;     /* a whole sentence instead, or empty */
};

/* A function written in C. `params` names its parameters after the subject, parted by blanks: "old new count?"; '?'
 * marks one that may be left out (it comes as V_MISSING), "*args" and "**kwargs" collect the rest in a tuple and a
 * dict. As in Python, those before a "/" are given by place only, those behind a "*" by name only; neither takes up a
 * place in a. a[0] is the subject of a filter, test or method, a[1] on the parameters; for a function a[0] is the first
 * parameter. */
typedef Value (*NativeFn)(Run *run, const Value *a, void *user);
struct Native {
    const char *name;
    NativeFn fn;
    const char *params;
};

struct Bound {
    const Native *native;
    void *user;
    Value self; /* V_MISSING for a V_FUNC */
};

/* Behaviour of a V_OBJECT. A member left NULL is what such a value cannot do. */
typedef struct Class {
    const char *name;                                              /* in errors: "namespace", "macro" */
    bool (*get)(Run *run, Object *object, Name name, Value *out);  /* attribute; false: has none */
    void (*set)(Run *run, Object *object, Name name, Value value); /* {% set ns.x = ... %} */
    void (*print)(Run *run, Object *object, Buf *out);
    Value (*call)(Run *run, Object *object, const Value *args, uint32_t n, const Name *keywords,
                  const Value *keyword_values, uint32_t keyword_count); /* from C; macros are called by the VM itself */
    bool (*length)(Run *run, Object *object, int64_t *n);
    bool (*item)(Run *run, Object *object, Value key, Value *out);
    bool (*next)(Run *run, Object *object, Value *out); /* an iterator of its own */
} Class;

struct Object {
    const Class *class;
};

/* ---- making values */
#define VAL(kind_, member, x) ((Value){.kind = (kind_), .as.member = (x)})
static inline Value val_missing(void) { return (Value){.kind = V_MISSING}; }
static inline Value val_none(void) { return (Value){.kind = V_NONE}; }
static inline Value val_bool(bool b) { return VAL(V_BOOL, b, b); }
static inline Value val_int(int64_t i) { return VAL(V_INT, i, i); }
static inline Value val_float(double f) { return VAL(V_FLOAT, f, f); }
static inline Value val_name(Name name) {
    return (Value){.kind = V_STR, .flags = VAL_INTERNED, .n = name->n, .as.s = name->p};
}
static inline Value val_list(List *list) { return VAL(V_LIST, list, list); }
static inline Value val_tuple(List *list) { return VAL(V_TUPLE, list, list); }
static inline Value val_dict(Dict *dict) { return VAL(V_DICT, dict, dict); }
static inline Value val_object(Object *object) { return VAL(V_OBJECT, object, object); }
/* Text that already lives long enough (in the run's arena, the template, a literal). Fails past 4 GiB. */
Value val_str(Run *run, Str s);
static inline Value val_str_lit(const char *literal, size_t n) {
    return (Value){.kind = V_STR, .n = (uint32_t)n, .as.s = literal};
}
#define VS(literal) val_str_lit("" literal, sizeof(literal) - 1)
Value val_format(Run *run, const char *format, ...); /* a new string, str_format's conversions */
Value val_integer(Run *run, Str digits); /* of any size; digits checked already; 0x, 0o, 0b prefixes; may have '-' */
Value val_size(Run *run, uint64_t n);
Value val_of_literal(Run *run, const Literal *literal);
/* A tree of JSON as values; no Run yet (it is what a run starts from). No recursion. */
Value val_of_json(Arena *arena, const Json *json);

static inline bool val_is(Value v, ValueKind kind) { return v.kind == kind; }
static inline Str val_text(Value v) { return (Str){v.as.s, v.n}; } /* of a V_STR */
static inline bool val_is_int(Value v) { return v.kind == V_INT || v.kind == V_BIG || v.kind == V_BOOL; }
static inline bool val_is_number(Value v) { return val_is_int(v) || v.kind == V_FLOAT; }
static inline bool val_is_callable(Value v) {
    return v.kind == V_FUNC || v.kind == V_METHOD || (v.kind == V_OBJECT && v.as.object->class->call != NULL);
}
const char *val_type_name(Value v); /* Python's: "int", "str", "NoneType", "list", "Undefined", ... */

/* ---- lists, tuples, dicts */
List *list_new(Arena *arena, uint32_t cap);
void list_push(Arena *arena, List *list, Value v); /* for a list being made; one that templates see: run_changed too */
Value val_pair(Run *run, Value a, Value b);        /* a tuple of two */
Dict *dict_new(Arena *arena, uint32_t cap);
uint64_t val_hash(Run *run, Value key); /* fails for what cannot be a key: a list, a dict */
Value *dict_find(Run *run, const Dict *dict, Value key);
Value *dict_find_name(const Dict *dict, Name name); /* the fast way for a key that is a Name of this run */
Value *dict_find_attr(const Dict *dict,
                      Name name); /* the same for d.name: NULL where a method of dicts has that name */
void dict_set(Run *run, Dict *dict, Value key, Value value);
void dict_set_in(Arena *arena, Dict *dict, Value string_key, Value value); /* without a Run; string keys only */
bool dict_remove(Run *run, Dict *dict, Value key, Value *removed);
void dict_clear(Dict *dict);
Dict *dict_copy(Arena *arena, const Dict *dict);
/* for (uint32_t i = dict_next(d, 0); i < d->used; i = dict_next(d, i + 1)) d->entries[i]... */
static inline uint32_t dict_next(const Dict *dict, uint32_t i) {
    while (i < dict->used && dict->entries[i].key.kind == V_MISSING)
        i++;
    return i;
}

/* ---- what every value can be asked */
bool val_truth(Run *run, Value v);
void val_print(Run *run, Buf *out, Value v); /* as str() */
void val_repr(Run *run, Buf *out, Value v);  /* as repr(); a value that holds itself too; 1000 levels deep at most */
Value val_to_str(Run *run, Value v);         /* a V_STR; v itself if it is one */
#define FLOAT_ROOM 32
char *float_write(char *to, double f);                         /* the same into FLOAT_ROOM bytes; where it ends */
static inline char *constant_write(char *to, const Value *v) { /* True, False, None, into 8 bytes */
    static const char texts[3][8] = {"False", "True", "None"};
    static const uint8_t sizes[3] = {5, 4, 4};
    const unsigned which = v->kind == V_NONE ? 2 : v->as.b;
    memcpy(to, texts[which], 8);
    return to + sizes[which];
}
/* A list, tuple or dict of a few scalars, or a V_BIG: the bytes that its repr needs at the most, 0 if it is none of
 * these; and the repr into so many bytes, NULL if val_repr must write it. */
size_t val_flat_room(Value v);
char *val_write_flat(char *to, Value v);
void float_repr(Buf *out, double f); /* shortest text that reads back the same, as Python writes it */
bool val_equal(Run *run, Value a, Value b);
bool val_same(Value a, Value b); /* `is`: identity */
int val_order(Run *run, Value a, Value b,
              Op op); /* <0, 0, >0 (2: unordered, NaN); fails where Python does. op is for the error's text */
bool val_compare(Run *run, Op op, Value a, Value b); /* OP_EQ to OP_NOT_IN */
bool val_contains(Run *run, Value container, Value item);
Value val_binary(Run *run, Op op, Value a, Value b); /* OP_ADD to OP_POW */
Value val_unary(Run *run, Op op, Value a);           /* OP_NEG, OP_POS */
int64_t val_length(Run *run, Value v);               /* len(); fails where there is none */
bool val_has_length(Run *run, Value v, int64_t *n);

/* ---- numbers, as arguments (fail with the parameter's name in the error) */
int64_t val_arg_int(Run *run, Value v, const char *what);
double val_to_double(Run *run, Value number);
Value val_of_double_int(Run *run, double whole); /* int(f) */

/* ---- access: Jinja's environment.getattr and getitem. What is not there is a V_UNDEFINED that knows why. */
Value val_get_attr(Run *run, Value v, Name name);
Value val_get_item(Run *run, Value v, Value key);
Value val_get_slice(Run *run, Value v, Value start, Value stop, Value step); /* V_NONE where left out */
bool val_find_method(Value v, Name name, const Native **native);             /* of str, list, tuple, dict, int, float */
Value val_undefined(Run *run, Value object, Value key);
Value val_undefined_hint(Run *run, Str hint);

/* ---- going through a value */
typedef struct ValueIter {
    Value over;
    uint32_t at;
    int64_t number;
} ValueIter;
void val_iter(Run *run, ValueIter *it, Value v); /* fails if v cannot be gone through */
bool val_can_iter(Value v);
bool val_next(Run *run, ValueIter *it, Value *out);
List *val_to_list(Run *run, Value v); /* a new list */
Value val_oneshot(Run *run, const char *name, List *list);
Value val_oneshot_items(Run *run, const char *name, const Dict *dict);

/* ---- text */
/* left and rest as one text, in time and memory for the rest where left is long and that is done again and again. */
enum { TEXT_LONG = 1024 };
Value text_append(Run *run, Value left, Str rest, unsigned flags);
Value text_escape(Run *run, Value v); /* markupsafe.escape: & < > ' " and the result is safe; a safe text as it is */
Value text_percent(Run *run, Value format, Value args);                /* format % args */
Value text_format(Run *run, Value format, List *args, Dict *keywords); /* str.format */
Value text_format_one(Run *run, Value v, Str spec);                    /* format(v, spec) */

/* ---- calling a function of C with arguments as a template gives them. self: V_MISSING for a function. */
Value native_call(Run *run, const Native *native, void *user, Value self, const Value *args, uint32_t n,
                  const Name *keywords, const Value *keyword_values, uint32_t keyword_count);

#endif

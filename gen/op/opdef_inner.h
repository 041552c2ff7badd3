/* opdef_inner.h: what the files of the opdef reader share; for opdef*.c only. */
#ifndef OPGEN_OP_OPDEF_INNER_H
#define OPGEN_OP_OPDEF_INNER_H

#include "op/opdef.h"

/* One operator being read. */
typedef struct OpRead {
    Arena *arena;
    Names *names;
    Diags *diags;
    Source *source;
    Source **decoded; /* of the whole file, see op_expr; *decoded is made when first needed */
    OpDef *op;
    const Json *json; /* the operator's object */
} OpRead;

/* ---- opdef_json.c: JSON values as the format wants them. What returns NULL or false has added a finding. */
Diag *op_error(OpRead *read, const Json *at, DiagCode code, const char *format, ...);
/* `"inputs" is an array of inputs, but this is a string`. */
Diag *op_wrong_type(OpRead *read, const Json *got, const char *key, const char *wanted);
bool op_want(OpRead *read, const Json *got, JsonKind kind, const char *key, const char *wanted);
/* The member, or NULL without a finding if it is not there. */
const JsonMember *op_member(const Json *object, const char *key);
const Json *op_get(const Json *object, const char *key);
/* The string of a member; empty if it is not there or (after a finding) is none. */
Str op_string(OpRead *read, const Json *object, const char *key, const char *wanted);
bool op_flag(OpRead *read, const Json *object, const char *key); /* a boolean that is false where it is not there */
/* Findings for keys that are not in the list (parted by blanks); `what` is "an input". */
void op_keys(OpRead *read, const Json *object, const char *what, const char *known);
bool op_list_has(const char *words, Str word);
/* The words of such a list, for diag_suggest. */
Str *op_words(Arena *arena, const char *words, size_t *n);
/* A name that may stand in generated code; `what` is "an input". NULL after a finding. */
Name op_name(OpRead *read, Str text, uint32_t from, uint32_t to, const char *what);
Name op_name_of(OpRead *read, const Json *text, const char *what);

/* ---- opdef_expr.c: texts as expressions, and the names in them */
enum {
    SEE_INPUTS = 1 << 0,
    SEE_ATTRS = 1 << 1,
    SEE_OUTPUTS = 1 << 2,
    SEE_TYPES = 1 << 3,
    SEE_LET = 1 << 4,
    SEE_ACC = 1 << 5,   /* the accumulators' names */
    SEE_PAIR = 1 << 6,  /* a and b, each with the accumulators as attributes if there are several */
    SEE_GRADS = 1 << 7, /* d<output> */
    SEE_STEPS = 1 << 8, /* outputs of the steps read so far */
    SEE_OPS = 1 << 9,   /* calls name operators, which optable_check looks up */
    IS_BODY = 1 << 10,  /* over elements: inputs are scalars, body functions may be called */
    IS_TYPE = 1 << 11,  /* gives a dtype */
    IS_GRAPH = 1 << 12, /* names tensors, nothing else */
    IS_LIST = 1 << 13,  /* gives a list */
    SEE_SIZES = 1 << 14,
    SEE_ELEMENTS = 1 << 15, /* element(input, position, size) may be called */
};

typedef struct OpScope {
    const char *what;  /* "a shape" */
    unsigned see;      /* of the above */
    const char *extra; /* further names, parted by blanks; NULL: none */
    Name first;        /* of let: the names before this one alone; NULL: all */
} OpScope;

bool op_expr(OpRead *read, const Json *value, const OpScope *scope, OpExpr *out);
/* A member that is an expression; nothing is done if it is not there. */
bool op_expr_member(OpRead *read, const Json *object, const char *key, const OpScope *scope, OpExpr *out);
/* The template of a requirement's "else": text with {{ expressions }}. */
void op_message(OpRead *read, const Json *value, const OpScope *scope);
/* One expression for each wanted name, in their order: an object with these names, or the expression itself where one
 * is wanted. `all`: each must be there (otherwise what is missing has a NULL expr). `what` is "an output" */
void op_named(OpRead *read, const JsonMember *member, const char *what, const Name *wanted, uint32_t n, bool all,
              const OpScope *scope, NamedExprs *out);
/* The name of the first type variable. */
OpExpr op_first_type(OpRead *read);
/* An expression of opgen's own, shown under `name`. */
OpExpr op_own_expr(OpRead *read, Str name, Str text);

/* ---- opdef_names.c */
/* False after findings. The expression's places count from `shift` in the source. */
bool op_check_names(OpRead *read, const OpScope *scope, Source *source, uint32_t shift, const Expr *e);
bool op_is_builtin(Str name); /* a function of rules or bodies */
/* What the operator declares under this name: "an input"; NULL: nothing. */
const char *op_declared_as(const OpRead *read, Name name);
const OpInput *op_find_input(const OpDef *op, Name name);
const OpOutput *op_find_output(const OpDef *op, Name name);
const OpAttr *op_find_attr(const OpDef *op, Name name);

/* ---- opdef_parts.c: what every kind has: inputs, outputs, attributes, types, requirements. Names first, then what
 * uses them. */
void op_read_types(OpRead *read);
void op_read_inputs(OpRead *read);
void op_read_attrs(OpRead *read);
void op_read_outputs(OpRead *read);
void op_read_output_types(OpRead *read); /* and shapes: after all names are known */
void op_read_requires(OpRead *read);
void op_read_mutates(OpRead *read);
bool op_takes_nothing(const OpRead *read);                                /* "inputs" is an empty array */
bool op_output_has(const OpRead *read, uint32_t output, const char *key); /* whether the file says so, rightly or not */

/* ---- opdef_extras.c: grad, cost, candidates, arch, tests */
void op_read_extras(OpRead *read);

/* ---- opdef_holes.c: sizes and holes of a kernel */
void op_read_sizes(OpRead *read);
void op_read_holes(OpRead *read); /* after the sizes */

/* ---- opdef_shelf.c */
/* NULL: it is not there. */
const OpDef *op_shelf_get(const OpTable *table, Name name);
/* Adds the names to the list, which has room for op_shelf_count. */
uint32_t op_shelf_count(const OpTable *table);
void op_shelf_names(const OpTable *table, Str *names);

/* ---- opdef_check.c */
/* The steps of one operator. */
void op_check_steps(const OpTable *table, OpDef *op, Diags *diags);

/* ---- opdef_kind.c: what one kind has */
void op_read_kind(OpRead *read);

/* ---- opdef_read.c */
Str op_shown(const OpRead *read); /* its name in quotes, as it is called in messages */
/* One operator. NULL after adding findings. */
OpDef *op_read(OpRead *read);
/* Its in-place form, named with a _ behind; NULL: it asks for none. */
OpDef *op_read_in_place(OpRead *read, const OpDef *op);

#endif

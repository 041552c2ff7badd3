/* opdef.h: operators as their JSON describes them, checked.
 *
 * Reading finds every mistake of a file at its place; what is read is complete: defaults are filled in, expressions are
 * parsed, names in them are known. The reference for authors is opdefs/README.md, the JSON Schema
 * opdefs/opdef.schema.json.
 */
#ifndef OPGEN_OP_OPDEF_H
#define OPGEN_OP_OPDEF_H

#include "json/json.h"
#include "op/dtype.h"
#include "template/syntax/ast.h"

typedef enum OpKind { KIND_MAP, KIND_VIEW, KIND_REDUCE, KIND_KERNEL, KIND_COMPOSITE } OpKind;

/* An expression of the JSON text: its tree, and a Source of its own so that errors in it are shown where it stands. */
typedef struct OpExpr {
    Expr *expr; /* NULL: not given */
    Source *source;
} OpExpr;

typedef struct NamedExpr {
    Name name;
    OpExpr value;
} NamedExpr;

typedef VEC(NamedExpr) NamedExprs;

typedef struct OpInput {
    Name name;
    OpExpr type; /* over type variables: T, bool, float(T) */
    bool optional;
    bool list; /* takes any number of tensors */
    Str doc;
} OpInput;

typedef struct OpOutput {
    Name name;
    OpExpr type;
    OpExpr shape;     /* a list */
    OpExpr rank, dim; /* or: this many dims, and dim number k */
    OpExpr count; /* so many tensors, number n of which has that type and shape; not given: one, and it is no list */
    Str doc;
} OpOutput;

typedef enum AttrType { ATTR_INT, ATTR_FLOAT, ATTR_BOOL, ATTR_STRING, ATTR_ENUM, ATTR_DTYPE, ATTR_LIST } AttrType;

typedef struct OpAttr {
    Name name;
    AttrType type;
    AttrType of;          /* ATTR_LIST: of what; a single one stands for a list of one where `spread` says so */
    bool spread;          /* one value is taken for all: kernel_size=3 */
    uint32_t len;         /* ATTR_LIST: this many; 0: any number */
    bool required;        /* no default */
    const Json *fallback; /* the default, as opattr_value gives it; JSON_NULL: none. NULL: required */
    const Json *values;   /* ATTR_ENUM; ATTR_LIST of anything else: words that may stand in the list's place */
    Str doc;
} OpAttr;

typedef struct OpType {
    Name name; /* T */
    DtypeSet set;
} OpType;

typedef struct OpRequire {
    OpExpr that;
    Str otherwise; /* a template over inputs and attrs */
} OpRequire;

/* One operator of a composite's graph: as a node of a model. */
typedef struct OpStep {
    Name op;
    Span at; /* where the operator is named */
    /* By the inner operator's input names, which optable_check fills in where they were given by position; values name
     * inputs and steps' outputs, or are lists of such names. */
    NamedExprs in;
    VEC(Name) out;
    NamedExprs attrs;
    OpExpr when; /* left out if this is false */
} OpStep;

/* An input of another operator, and where it comes from. */
typedef struct OpTake {
    Name into, from;
} OpTake;

/* What a kernel template reads or writes through: a tensor, as the template indexes it. */
typedef struct OpHole {
    Name name;
    Name of;      /* the input or output behind it */
    OpExpr shape; /* a list: the ranges of the template's index. NULL: the tensor's shape */
    OpExpr
        index; /* a list: the tensor's index for the template's, which is `i`. NULL: the same elements in their order */
} OpHole;

typedef struct OpDef OpDef;

struct OpDef {
    Name name;
    OpKind kind;
    Str doc;
    Source *source;
    uint32_t from, to; /* where it is named */
    uint32_t layer;    /* of the table, see optable_layer */
    const OpDef *base; /* the in-place form of this one, made by its "in_place"; NULL: written out */
    const Json *json;  /* the whole of it, for what templates and later stages want to see */
    VEC(OpInput) inputs;
    VEC(OpOutput) outputs;
    VEC(OpAttr) attrs;
    VEC(OpType) types;
    VEC(OpRequire) requires;
    VEC(Name) mutates;  /* inputs that are changed in place */
    bool fails;         /* a map whose expressions may end a run: position(...) */
    NamedExprs let;     /* map, reduce: names for what is used more than once, in order */
    NamedExprs body;    /* map: an expression an output */
    OpExpr index;       /* view: position d of the (first) input read by output position i */
    OpExpr valid, fill; /* view: where there is an input element at all, and what stands where not */
    /* view: the same for each input, in their order; of an input that is a list, k is the number of the tensor. A NULL
     * valid means everywhere; where several are valid, the first is read. */
    NamedExprs indices, valids;
    /* reduce; acc: name and type of each accumulator, at least one; finish: an expression an output */
    NamedExprs acc, init, element, combine, finish;
    OpExpr over; /* reduce: the list of dims; NULL: the attributes dim and keepdim say it */
    Name kernel;
    Span kernel_at;
    NamedExprs sizes;  /* kernel: integers by which the template's loops go, each may use those before it */
    VEC(OpHole) holes; /* kernel: one a tensor of the same name, where the opdef says nothing */
    VEC(OpStep) steps;
    NamedExprs grad;
    NamedExprs cost;
    VEC(Name) candidates;
    /* The operator that does the work of several such nodes at once, a result each: NULL: there is none. parallel_in:
     * for each of its inputs which of this one's it takes, of each node where it is a list. */
    Name parallel;
    Span parallel_at;
    VEC(OpTake) parallel_in;
    const Json *arch, *tests;
};

typedef struct OpShelf OpShelf;
typedef struct RewriteTable RewriteTable;

typedef struct OpTable {
    Arena *arena;
    Names *names;
    Map ops; /* name -> OpDef, in the order of reading; those of the shelf are not among them */
    uint32_t layer;
    OpShelf *shelf;         /* NULL: there is none */
    RewriteTable *rewrites; /* rules over operators, see rewrite.h; NULL: there are none */
} OpTable;

void optable_init(OpTable *table, Arena *arena, Names *names);
/* Adds the operators of one file: one object, or {"ops": [...]}. False after adding findings; what was right is added
 * all the same. */
bool optable_read(OpTable *table, Source *source, Diags *diags);
/* All *.json of a folder, sorted by name; opdef.schema.json aside. A later folder's operator of the same name replaces
 * an earlier one's. */
bool optable_read_folder(OpTable *table, Str folder, Diags *diags);
/* The same, but an operator is read when it is first asked for, which is what takes time where a model names three of
 * hundreds. Mistakes in others are not found: for opgen's own folder, whose files are checked by lint. Once a table,
 * and before other folders are read. Findings come later, so diags must live as long as the table. */
bool optable_shelve_folder(OpTable *table, Str folder, Diags *diags);
/* What is read from now on may replace operators read before; within a layer a name comes once. A folder is a layer of
 * its own. */
void optable_layer(OpTable *table);
const OpDef *optable_get(const OpTable *table, Name name);
/* The names of all operators, for suggestions. */
Str *optable_names(const OpTable *table, Arena *arena, uint32_t *n);
/* After all are read: steps of composites name operators that exist, without cycles; kernels' templates exist below one
 * of the roots. */
bool optable_check(const OpTable *table, const Str *template_roots, size_t n, Diags *diags);

/* ---- attributes, as opdefs and models give them */
/* Checks a value against the attribute and puts it into the form that rules get: a single value in the place of a
 * spread list is a list (of `len`, or of one), and "inf", "-inf" and "nan" in the place of a float are floats. False
 * after adding findings. */
bool opattr_value(Arena *arena, const OpAttr *attr, Source *source, const Json *given, Diags *diags, Json *value);
/* Whether it is a text in the place of a list, of which one of the attribute's words is expected. */
bool opattr_is_word(const OpAttr *attr, const Json *given);
const char *opattr_type_name(AttrType type); /* "int" */

/* ---- names */
/* NULL: the name may stand in generated code of any backend. Otherwise what it is instead: "a keyword of C". */
const char *reserved_why(Str name);
bool is_identifier(Str name); /* ASCII letters, digits and single _, beginning with a letter */
const char *op_kind_name(OpKind kind);

#endif

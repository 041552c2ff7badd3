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
    Str doc;
} OpOutput;

typedef enum AttrType { ATTR_INT, ATTR_FLOAT, ATTR_BOOL, ATTR_STRING, ATTR_ENUM, ATTR_DTYPE, ATTR_LIST } AttrType;

typedef struct OpAttr {
    Name name;
    AttrType type;
    AttrType of;          /* ATTR_LIST: of what; a single one stands for a list of one where `spread` says so */
    bool spread;          /* one value is taken for all: kernel_size=3 */
    bool required;        /* no default */
    const Json *fallback; /* the default; JSON_NULL: none */
    const Json *values;   /* ATTR_ENUM */
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
    NamedExprs in; /* by the inner operator's input names; values name inputs and steps' outputs */
    VEC(Name) out;
    NamedExprs attrs;
    OpExpr when; /* left out if this is false */
} OpStep;

typedef struct OpDef {
    Name name;
    OpKind kind;
    Str doc;
    Source *source;
    const Json *json; /* the whole of it, for what templates and later stages want to see */
    VEC(OpInput) inputs;
    VEC(OpOutput) outputs;
    VEC(OpAttr) attrs;
    VEC(OpType) types;
    VEC(OpRequire) requires;
    VEC(Name) mutates;  /* inputs that are changed in place */
    NamedExprs let;     /* map, reduce: names for what is used more than once, in order */
    NamedExprs body;    /* map: an expression an output */
    OpExpr index;       /* view: position d of the input read by output position i */
    OpExpr valid, fill; /* view: where there is an input element at all, and what stands where not */
    NamedExprs acc, init, element, combine, finish; /* reduce; acc: name and type of each accumulator */
    Name kernel;
    VEC(OpStep) steps;
    NamedExprs grad;
    NamedExprs cost;
    VEC(Name) candidates;
    const Json *arch, *tests;
} OpDef;

typedef struct OpTable {
    Arena *arena;
    Names *names;
    Map ops; /* name -> OpDef, in the order of reading */
} OpTable;

void optable_init(OpTable *table, Arena *arena, Names *names);
/* Adds the operators of one file: one object, or {"ops": [...]}. False after adding findings; what was right is added
 * all the same. */
bool optable_read(OpTable *table, Source *source, Diags *diags);
/* All *.json of a folder, sorted by name; opdef.schema.json aside. A later folder's operator of the same name replaces
 * an earlier one's. */
bool optable_read_folder(OpTable *table, Str folder, Diags *diags);
const OpDef *optable_get(const OpTable *table, Name name);
/* After all are read: steps of composites name operators that exist, without cycles; kernels' templates exist below one
 * of the roots. */
bool optable_check(const OpTable *table, const Str *template_roots, size_t n, Diags *diags);

#endif

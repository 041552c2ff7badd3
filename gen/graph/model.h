/* model.h: what the files of the model reader share; for model_*.c only.
 *
 * Reading goes in rounds, so that every mistake is told and none is told twice: all that the file declares; then what
 * each node reads; then the order; then, in that order, types and shapes. What a round could not make sense of is
 * marked, and later rounds leave alone what hangs on it.
 */
#ifndef OPGEN_GRAPH_MODEL_H
#define OPGEN_GRAPH_MODEL_H

#include "graph/graph.h"
#include "graph/inner.h"

enum { MODEL_VERSION = 1 };
#define MODEL_MOST_DIM (INT64_C(1) << 62)
#define MODEL_MOST_DIM_DEFAULT INT64_C(2147483647) /* of a named dim that says no max */

typedef enum ModelKey {
    KEY_OPGEN,
    KEY_NAME,
    KEY_DIMS,
    KEY_INPUTS,
    KEY_PARAMS,
    KEY_WEIGHTS,
    KEY_TENSORS,
    KEY_NODES,
    KEY_OUTPUTS,
    KEY_MIN,
    KEY_MAX,
    KEY_DTYPE,
    KEY_SHAPE,
    KEY_OP,
    KEY_IN,
    KEY_OUT,
    KEY_ATTRS,
    KEY_DOC,
    KEY_MUTABLE,
    KEY_KEY,
    KEY_COUNT,
} ModelKey;
#define KEY(key) (1u << KEY_##key)

/* The members of an object, by key; NULL for what is not there. */
typedef struct Fields {
    const JsonMember *of[KEY_COUNT];
} Fields;

/* A node as the model has it. */
typedef struct ModelNode {
    Node *node; /* its op is NULL if there is no such operator */
    const Json *in, *attrs;
    Tensor **reads; /* all that could be made sense of, also where the node has failed */
    uint32_t read_n;
    bool failed; /* a finding says why */
} ModelNode;

/* What the model states of a result: NULL and no dtype where it does not. */
typedef struct Stated {
    Tensor *tensor;
    const Json *dtype_json, *shape_json;
    Dtype dtype;
    RuleShape shape;
} Stated;

typedef struct Model {
    Graph *graph;
    Arena *scratch; /* thrown away when the model is read */
    Arena *arena;   /* these four are the graph's */
    Names *names;
    Diags *diags;
    Source *source;
    Name keys[KEY_COUNT];
    Map dims;    /* name -> its place in Graph.dims, from 1 */
    Map tensors; /* name -> Tensor */
    VEC(ModelNode) nodes;
    VEC(Stated) stated;
    VEC(bool) dim_used;
    uint32_t errors;   /* that there were before */
    VEC(Str) op_names; /* for suggestions; made when first needed */
    VEC(Str) tensor_names;
    Source *decoded; /* the text, with the strings that have escapes written out; made when first needed */
} Model;

/* ---- model_json.c: JSON values as models have them. What returns NULL or false has added a finding. */
Diag *model_error(Model *model, const Json *at, DiagCode code, const char *format, ...);
/* `"inputs" is an object, but this is a string` */
bool model_want(Model *model, const Json *got, JsonKind kind, const char *key, const char *wanted);
/* Members at their places; a finding for each that is not known. `what` is "a dim". False if it is no object. */
bool model_fields(Model *model, const Json *object, const char *what, unsigned known, Fields *fields);
/* Findings for a name that cannot stand in generated code; `what` is "a dim". The name is interned either way. */
Name model_name(Model *model, Str text, uint32_t from, uint32_t to, const char *what);
/* A finding if the name is declared already. */
bool model_is_new(Model *model, Name name, Span at, const char *what);
/* did you mean, from dims, tensors or operators */
void model_suggest_tensor(Model *model, Diag *diag, Str wrong);
void model_suggest_dim(Model *model, Diag *diag, Str wrong);
void model_suggest_op(Model *model, Diag *diag, Str wrong);
const char *model_role_name(const Tensor *tensor); /* "an input" */

/* ---- model_reserved.c */
void model_check_name(Model *model, const Json *value); /* a string, the name of the model */

/* ---- model_dims.c: numbers, names and expressions of names */
void model_read_dims(Model *model, const Json *dims);
/* An integer, of any sign: for an attribute. */
bool model_expression(Model *model, const Json *value, SymRef *out);
bool model_shape(Model *model, const Json *value, const char *of, RuleShape *out);

/* ---- model_nodes.c, model_attrs.c */
void model_read_nodes(Model *model, const Json *nodes); /* operators, and the names of results */
void model_link_nodes(Model *model);                    /* inputs and attributes: after all names are known */
bool model_attrs(Model *model, ModelNode *at);          /* false after findings */

/* ---- model_build.c: from what was declared to the graph */
void model_build(Model *model);

/* What failed has this dtype, as long as the model is read. */
#define NO_TYPE DT_COUNT

#endif

/* graph.h: a model as a graph of operators, checked and with every shape and type known.
 *
 * Reading a model finds every mistake of the file at its place. What comes out is in an order in which it can be
 * computed, composites are expanded, attributes are complete. Later stages change the graph only through the functions
 * below, which keep producers and uses in step. Nothing here recurses on the depth of the graph, and nothing takes more
 * than n log n.
 */
#ifndef OPGEN_GRAPH_GRAPH_H
#define OPGEN_GRAPH_GRAPH_H

#include "op/opdef.h"
#include "op/rule.h"

typedef struct Tensor Tensor;
typedef struct Node Node;

typedef enum TensorRole {
    TENSOR_INPUT,
    TENSOR_PARAM,  /* weights: known when the library is loaded */
    TENSOR_RESULT, /* of a node */
} TensorRole;

/* One place where a tensor is read. */
typedef struct Use {
    Node *node;
    uint32_t input, item; /* which declared input, and which of its tensors where it is a list */
} Use;

struct Tensor {
    Name name;
    TensorRole role;
    bool output;     /* of the model, too */
    bool is_mutable; /* TENSOR_INPUT: operators in place write into the caller's memory */
    Str key;         /* TENSOR_PARAM: what weights files call it */
    uint32_t number;
    RuleTensor type; /* dtype and shape */
    Node *producer;  /* TENSOR_RESULT */
    uint32_t index;  /* which of its outputs */
    VEC(Use) uses;
    Span place;
    uint32_t output_at; /* for graph_*.c: its first place among the outputs, from 1; 0: none */
};

struct Node {
    const OpDef *op;
    uint32_t number;  /* position in Graph.nodes */
    Tensor ***inputs; /* for each declared input counts[i] tensors; one that is left out, or a number, has 0 */
    uint32_t *counts;
    RuleScalar *scalars; /* for each declared input the number in its place; NULL: none of them is a number */
    /* One a declared output; NULL where the model does not name it. Of an output that is a list (its opdef has a count)
     * output_counts[k] tensors stand in a row; of any other output this is 1. */
    Tensor **outputs;
    uint32_t *output_counts;
    uint32_t output_n;  /* of all together */
    RuleValue *attrs;   /* one a declared attribute */
    Dtype *types;       /* one a type variable */
    const Node *origin; /* the composite that it was expanded from, or NULL */
    bool
        constant; /* its results are the same in every run, and are computed once for a set of weights: the pass fold */
    Span place;
    uint32_t **use_at; /* for graph_*.c: where in inputs[i][k]->uses this use stands */
};

typedef struct GraphDim {
    Name name;
    int64_t min, max;
    SymRef sym;
    Span place;
} GraphDim;

typedef struct Graph {
    Arena *arena;
    Names *names;
    const OpTable *ops;
    Diags *diags;
    Syms syms;
    Rules rules;
    Source *source;
    Name name;
    VEC(GraphDim) dims;
    VEC(Tensor *) tensors; /* all, in the order of making */
    VEC(Tensor *) inputs, params, outputs;
    /* What the outputs are called outside. After changes an output may be an input, a param, or the same tensor as
     * another one; its name stays. */
    VEC(Name) output_names;
    VEC(Node *) nodes; /* each behind those whose results it reads; otherwise in the order of the model */
    RuleChecks checks; /* requirements of nodes that only some sizes meet, each once: for the run, before anything is
                          computed */
    Str weights;       /* file name, relative to the model's folder and within it; empty if there is none */
    Span weights_at;   /* where the model says so */
    VEC(Name) frozen;  /* params that were computed with and are gone */
    /* For graph_*.c: name -> how many names were made from it; and for each output, from 1, the next place of the same
     * tensor. */
    Map names_taken;
    VEC(uint32_t) output_next;
} Graph;

/* NULL after adding findings: unknown keys, operators, inputs and attributes (with the nearest name), duplicates, names
 * that are no C identifiers or are keywords, undeclared names, cycles, wrong dtypes, ranks and shapes, stated shapes
 * that differ from what is inferred, dims that are negative, fractional, undeclared or too large, weights outside the
 * model's folder. */
Graph *graph_read(Arena *arena, Names *names, const OpTable *ops, Source *source, Diags *diags);

/* A node as the rules see it. */
RuleCall graph_call(Graph *graph, const Node *node);
/* Whether the operator changes this input in place. */
bool graph_mutates(const OpDef *op, uint32_t input);
/* For each Tensor.number the mutable input whose memory has this value once the tensor's producer has run: of such an
 * input itself, and of what operators in place make of it, one after the other. NULL for all others; the whole NULL
 * where no input is mutable. The graph is sorted, but may have holes. */
Tensor **graph_states(Arena *scratch, const Graph *graph);
/* Whether the node writes into a mutable input. */
bool graph_changes_state(const Node *node, Tensor *const *states);
/* The number in the place of an input; NULL: it is a tensor, or left out. */
static inline const RuleScalar *graph_scalar(const Node *node, uint32_t input) {
    return node->scalars != NULL && node->scalars[input].text.n > 0 ? &node->scalars[input] : NULL;
}

/* ---- changing it */
/* A name that something has already gets a number behind; NULL: one is made. */
Tensor *graph_tensor(Graph *graph, Name name, TensorRole role, RuleTensor type, Span place);
/* Adds a node behind all others, whose inputs are tensors; its inputs' uses are entered, its results' types inferred.
 * Outputs that are NULL are made, with names from the operator's; so are all where `outputs` is NULL, which an operator
 * whose output is a list needs. Attributes must be complete. NULL after findings, with nothing added: inputs that the
 * operator does not take.
 */
Node *graph_node(Graph *graph, const OpDef *op, Tensor ***inputs, const uint32_t *counts, const RuleValue *attrs,
                 Tensor **outputs, Span place);
/* The same, where the operator may be a composite: what it is made of is added. The results are these tensors, whose
 * producers are gone and whose types stay; so many as the operator makes. */
bool graph_compose(Graph *graph, const OpDef *op, Tensor ***inputs, const uint32_t *counts, const RuleValue *attrs,
                   Tensor *const *outputs, uint32_t output_n, Span place);
/* Every use, and the place among the outputs. What becomes an output and is an unnamed step of the way takes its name.
 */
void graph_replace(Graph *graph, Tensor *old, Tensor *with);
/* One whose results nobody uses. Its place in Graph.nodes is NULL until graph_sort, so that positions stay. */
void graph_remove(Graph *graph, Node *node);
/* ---- graph_part.c: of a sorted graph */
/* Leaves nothing but the nodes for which `keep` says so, by number, and what they read, which nobody else makes. The
 * outputs are these tensors, by number, under their own names. */
void graph_keep(Graph *graph, const bool *keep, const uint32_t *outputs, uint32_t n);
/* A param of its name in the place of a tensor that a node makes. */
Tensor *graph_put_param(Graph *graph, Tensor *old);
/* Those go that nothing reads, into Graph.frozen. */
void graph_drop_params(Graph *graph);

/* After changes: order and numbers; what was removed is gone from nodes and tensors. */
void graph_sort(Graph *graph);
/* True if producers, uses, order and numbers agree; for tests and after each pass in debug runs. */
bool graph_check(const Graph *graph, Diags *diags);
/* The graph as text, a line a node, for tests and --passes. */
void graph_dump(const Graph *graph, Buf *out);
void graph_dump_node(const Node *node, Buf *out);

#endif

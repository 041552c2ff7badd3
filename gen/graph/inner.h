/* inner.h: what the files of this folder share; not for other stages. */
#ifndef OPGEN_GRAPH_INNER_H
#define OPGEN_GRAPH_INNER_H

#include "graph/graph.h"
#include "graph/order.h"

#define GRAPH_MOST_NODES (UINT32_C(1) << 22) /* with all that composites expand to */

/* ---- graph_change.c */
void graph_init(Graph *graph, Arena *arena, Names *names, const OpTable *ops, Source *source, Diags *diags);
/* Says that the name has a bearer: of dims. */
void graph_take_name(Graph *graph, Name name);
/* A name that nothing has yet: this one, or with a number behind. */
Name graph_new_name(Graph *graph, Str base);
/* As graph_tensor, with a name from graph_new_name. */
Tensor *graph_make_tensor(Graph *graph, Name name, TensorRole role, RuleTensor type, Span place);
/* A node in no list, its outputs NULL. counts and output_counts: as in Node; NULL: all 0. */
Node *graph_new_node(Graph *graph, const OpDef *op, const uint32_t *counts, const uint32_t *output_counts, Span place);
void graph_set_counts(Graph *graph, Node *node, const uint32_t *counts);
void graph_set_output_counts(Graph *graph, Node *node, const uint32_t *counts);
/* Puts it behind all others, enters its uses, and makes it its results' producer. */
void graph_add_node(Graph *graph, Node *node);
void graph_add_output(Graph *graph, Tensor *tensor, Name name);

/* ---- graph_infer.c */
/* From inputs and attributes to the types of results and type variables; node->outputs gets room, or has to have the
 * right number. NULL after findings. */
RuleTensor *graph_infer_types(Graph *graph, Node *node);
/* The same, and puts them into the results. */
bool graph_infer(Graph *graph, Node *node);
/* A checked JSON value in the form that rules want for this attribute. */
RuleValue graph_attr_value(Graph *graph, const OpAttr *attr, const Json *json);
/* What an expression gave, in that form; false if it is no value of the attribute. */
bool graph_attr_fits(Graph *graph, const OpAttr *attr, RuleValue *value);
/* A finding for a size that is negative, or larger than any memory. */
bool graph_fits(Graph *graph, Str name, const RuleTensor *type, Span place);
/* Whether two shapes are the same: 1, 0, or -1 where that hangs on sizes, and *condition is then what has to hold. */
int graph_same_shape(Graph *graph, RuleShape a, RuleShape b, SymRef *condition);

/* ---- graph_expand.c */
/* Adds the node, or, where it is a composite, what it is made of, all with types. False after findings. */
bool graph_expand(Graph *graph, Node *node);

/* ---- graph_sort.c */
/* A node and all that it reads; a node that is not understood mutates nothing. */
typedef struct Reads {
    const Node *node;
    Tensor *const *tensors;
    uint32_t n;
    bool understood;
} Reads;
/* All that a node reads, in the order of its inputs. */
Reads graph_reads(const Node *node);
/* What has to stand before what, as numbers of nodes: results before their readers, and readers before whoever changes
 * what they read. Numbers of nodes must be their positions. */
void graph_edges(Arena *scratch, const Reads *reads, uint32_t n, uint32_t tensor_count, OrderEdges *edges);
/* A finding for each circle; `hit` is called for what is on one. */
void graph_tell_cycles(Arena *scratch, Diags *diags, const Reads *reads, uint32_t n, const OrderEdges *edges,
                       void (*hit)(void *user, uint32_t at), void *user);
/* False if there is no order; nothing is changed then but numbers. */
bool graph_try_sort(Graph *graph);

#endif

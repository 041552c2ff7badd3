/* inner.h: what the files of this folder share; not for other stages. */
#ifndef OPGEN_PASS_INNER_H
#define OPGEN_PASS_INNER_H

#include "pass/group.h"
#include "pass/pass.h"

/* The passes of the table in pass.c, each in the file of its name. */
bool pass_dead(Graph *graph, uint32_t *changes);
bool pass_same(Graph *graph, uint32_t *changes);
bool pass_cancel(Graph *graph, uint32_t *changes);
bool pass_rewrite(Graph *graph, uint32_t *changes);
bool pass_wide(Graph *graph, uint32_t *changes);
bool pass_divide(Graph *graph, uint32_t *changes);
bool pass_fold(Graph *graph, uint32_t *changes);

/* Nobody outside the node sees that it is gone: no result of it is read or an output, and it is no operator in place.
 */
bool node_is_dead(const Node *node);

/* ---- tensors.c: by Tensor.number, for those that there are when it is asked */
/* An operator takes its place, so it is not for others to read. With room for so many. */
bool *changed_tensors(Arena *scratch, const Graph *graph, uint32_t room);
/* Computed from params alone, or from nothing. */
bool *constant_tensors(Arena *scratch, const Graph *graph);

/* ---- cancel.c: for passes that put one tensor in the place of another */
/* Removes the node if it is dead, and what only it read. */
void node_drop(Arena *scratch, Graph *graph, Node *node, uint32_t *changes);
/* As graph_replace, for a result that was made to take the place of another: it takes its name as well. */
void tensor_give_way(Graph *graph, Tensor *old, Tensor *with);
/* Evaluates a part of a map's expression that asks for no element. False where it does, and where no rule answers. */
bool rule_of_elements(Rules *rules, const OpDef *op, const OpExpr *of, const Expr *e, const RuleScope *scope,
                      RuleValue *value);

/* ---- view_key.c: what was asked of a view and will be asked again of others like it */
typedef struct ViewMemory {
    Arena *arena; /* nobody else's */
    ArenaMark mark;
    Names keys;
    Map answers; /* key -> whatever who asks keeps in `arena` */
    Buf text;
    size_t bytes; /* of keys */
} ViewMemory;
void view_memory_init(ViewMemory *memory, Arena *arena);
/* Forgets all of it where it has become large: between questions, when no answer is held. */
void view_memory_trim(ViewMemory *memory);
/* All that the rules of a node depend on. */
Name view_key(ViewMemory *memory, const Node *node);
/* The same, for a question about one of its outputs at a position of so many Syms. kind: a view_key. */
Name view_key_at(ViewMemory *memory, Name kind, uint32_t output, const SymRef *at, uint32_t rank);

/* alias.c: makes the node's results aliases of its input; false: at least one of them needs code. */
bool group_alias(Graph *graph, const Node *node, ViewMemory *memory, Groups *groups);

/* beside.c: after group_nodes; the list of groups becomes shorter. */
void group_beside(Arena *arena, const Graph *graph, Groups *groups);

#endif

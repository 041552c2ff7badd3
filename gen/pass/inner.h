/* inner.h: what the files of this folder share; not for other stages. */
#ifndef OPGEN_PASS_INNER_H
#define OPGEN_PASS_INNER_H

#include "pass/pass.h"

/* The passes of the table in pass.c, each in the file of its name. */
bool pass_dead(Graph *graph, uint32_t *changes);
bool pass_same(Graph *graph, uint32_t *changes);

/* Nobody outside the node sees that it is gone: no result of it is read or an output, and it changes no input. */
bool node_is_dead(const Node *node);

#endif

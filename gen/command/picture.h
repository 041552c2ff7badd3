/* picture.h: a graph as a picture that a browser shows. */
#ifndef OPGEN_COMMAND_PICTURE_H
#define OPGEN_COMMAND_PICTURE_H

#include "graph/graph.h"

/* SVG: a box a node, with its operator, attributes and params; a box an input and an output; wires with the tensors'
 * names, types and shapes. The same text on every machine. */
void picture_of_graph(Arena *arena, const Graph *graph, Buf *out);

#endif

/* picture.h: a graph as a picture that a browser shows. */
#ifndef OPGEN_COMMAND_PICTURE_H
#define OPGEN_COMMAND_PICTURE_H

#include "command/graph_arena.h"

/* SVG: a box a node, with its operator, attributes and params; a box an input and an output; wires with the tensors'
 * names, types and shapes. The same text on every machine. */
void picture_of_graph(Arena *arena, const Graph *graph, Buf *out);
Str picture_title(Arena *arena, const Graph *graph); /* net: n 1..100 */

/* ---- picture_stages.c: what passes make of a graph, one stage below the other */
typedef struct Stages Stages;
Stages *stages_new(Arena *arena);
/* `title` is a word or two, `text` what is said behind it. graph: as it is now, for it may change afterwards; NULL: as
 * it was before. */
void stages_add(Stages *stages, Str title, Str text, const Graph *graph);
/* The last one: the nodes of a function in one frame. */
void stages_add_groups(Stages *stages, Str title, Str text, const Plan *plan);
void stages_write(const Stages *stages, Str title, Buf *out);

/* ---- picture_memory.c: the arena over time */
void picture_of_memory(Arena *arena, const ArenaUse *use, Buf *out);

#endif

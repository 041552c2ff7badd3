/* graph.h: the parts of `opgen graph`; for graph*.c alone. */
#ifndef OPGEN_COMMAND_GRAPH_H
#define OPGEN_COMMAND_GRAPH_H

#include "command/models.h"
#include "command/picture.h"

/* What the passes make of the first model, and its memory: as text, as a picture or as JSON, as the options say. False
 * after adding findings. */
bool graph_passes(Command *command, Models *models, Buf *out);
bool graph_memory(Command *command, Models *models, Buf *out);

#endif

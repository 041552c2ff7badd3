/* replay.h: `opgen run --replay`: a run that OPGEN_LOG=4 wrote to a folder is done again, and what comes out is held
 * against what came out then, bit by bit. */
#ifndef OPGEN_COMMAND_REPLAY_H
#define OPGEN_COMMAND_REPLAY_H

#include "command/session.h"

/* Dims, inputs and the weights' file as they were, but for what was given otherwise. Before the instance is made; does
 * nothing where there is no --replay. False after adding findings. */
bool replay_given(Session *session);
/* Params that no file had. After the instance was made. */
bool replay_weights(Session *session);
/* A line for each output; the command is negative where one is not the same. */
void replay_compare(Buf *out, Session *session);

#endif

/* verify.h: results of one library compared with those of another, for the commands that do. */
#ifndef OPGEN_COMMAND_VERIFY_H
#define OPGEN_COMMAND_VERIFY_H

#include "command/session.h"

typedef struct Verify Verify;

/* The CPU's sources in a folder of their own beside the other's, nothing fused or vectorised, and their library. False
 * after adding findings. */
bool verify_reference(Command *command, Str *library);

/* Two sessions that are set up, of models with the same inputs and outputs. */
Verify *verify_new(Session *tested, Session *reference);
/* Runs both on the same random inputs, of sizes as session_prepare chooses them, and keeps what comes out of it: the
 * command's verdict is negative where something differs. False after adding findings. Sizes that do not go together are
 * noted, and nothing is run. */
bool verify_case(Verify *verify, SessionSizes sizes, int64_t most);
/* A finding where nothing was compared; false then. */
bool verify_compared(Verify *verify);
/* A line each output and size, or JSON. */
void verify_print(Verify *verify);

#endif

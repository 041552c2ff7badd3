/* command.h: opgen's command line as a function, and what its commands have in common.
 *
 * command_main does one run from arguments to exit status and leaves nothing behind, so that a test can call it any
 * number of times in one process. What belongs to the process as a whole, signals above all, is process_prepare's.
 */
#ifndef OPGEN_COMMAND_COMMAND_H
#define OPGEN_COMMAND_COMMAND_H

#include "command/options.h"

typedef enum ExitStatus {
    STATUS_DONE = 0,
    STATUS_CANNOT = 2, /* bad input, usage, input and output, memory */
    STATUS_BUG = 70,
    STATUS_INTERRUPTED = 130,
} ExitStatus;

int command_main(int argc, char **argv);

/* Signals: a closed pipe is an error of write, an interrupt removes temporary files and ends with 130, a crash is
 * reported as a bug with 70. Standard streams that were closed are made unusable, so that no file takes their place. */
void process_prepare(void);

/* ---- for the commands */
typedef struct Command {
    Arena *arena;
    Options options;
    Diags diags;
} Command;

/* All of it to standard output; false after adding a finding. */
bool command_print(Command *command, Str text);

/* Each does its work and adds what goes wrong to the findings, which decide about the exit status. */
void command_render(Command *command);
void command_help(Command *command);
void command_completion(Command *command);

#endif

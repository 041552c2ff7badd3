/* child.h: other programs that a command runs: make above all, and compilers that are asked for their version.
 *
 * A child is started without a shell, in a process group of its own, with nothing to read. What it writes to either of
 * its streams comes as one text. An interrupt of opgen ends the whole group.
 */
#ifndef OPGEN_COMMAND_CHILD_H
#define OPGEN_COMMAND_CHILD_H

#include "base/str.h"

#include <sys/types.h>

typedef struct Child {
    const char *const *arguments; /* NULL at the end; the first is the program, looked for in PATH */
    unsigned wait_ms;             /* it is ended when it takes longer; 0: never */
    /* Called with each line when it is there, without its break; NULL: nobody wants to know. */
    void (*line)(void *user, Str line);
    void *user;
} Child;

typedef struct ChildEnd {
    int error;  /* errno: it could not be started */
    int status; /* of its exit; 128 and the signal's number if it was ended by one */
    bool late;  /* it was ended because it took too long */
    Str output;
} ChildEnd;

ChildEnd child_run(Arena *arena, const Child *child);

/* ---- process.c: what a signal has to know */
void process_child(pid_t pid); /* the leader of the group to end; 0: none */
void process_end_child(pid_t pid, int signal);
void process_line(bool drawn); /* a line that is written over stands on the terminal */

#endif

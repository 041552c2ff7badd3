/* program.h: programs that a command wants to run: where they are. */
#ifndef OPGEN_COMMAND_PROGRAM_H
#define OPGEN_COMMAND_PROGRAM_H

#include "op/backend.h"

/* The path of the program of this name in PATH, or else in one of the folders `places`, an array of strings or NULL;
 * *hidden: it is in one of these. Empty: it is in none. */
Str program_find(Arena *arena, Str name, const Json *places, bool *hidden);

#endif

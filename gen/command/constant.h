/* constant.h: a model's constants, computed while generating: by EmitOptions.compute. */
#ifndef OPGEN_COMMAND_CONSTANT_H
#define OPGEN_COMMAND_CONSTANT_H

#include "command/command.h"
#include "emit/emit.h"

/* user: the Command. */
EmitCompute constant_compute;

/* ---- process.c: what a signal has to know */
void constant_interrupted(void);

#endif

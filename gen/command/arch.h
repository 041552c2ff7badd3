/* arch.h: the architectures that a library is built for. */
#ifndef OPGEN_COMMAND_ARCH_H
#define OPGEN_COMMAND_ARCH_H

#include "command/models.h"

/* Sets models->archs: what --arch names for this backend, native being what is here, or else the backend's own choice;
 * none where the backend does not say which there are. False after adding findings. */
bool arch_choose(Models *models, Str backend);
/* The same as make is told: "sm_80,sm_90". What --arch says, where the backend does not say which there are. */
Str arch_text(const Models *models);

#endif

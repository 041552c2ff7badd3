/* build.h: from a model's sources to its library, by make; for compile, run, verify and bench. */
#ifndef OPGEN_COMMAND_BUILD_H
#define OPGEN_COMMAND_BUILD_H

#include "command/models.h"

typedef struct BuildOptions {
    Str folder;     /* where the model's sources are */
    bool threads;   /* runs can use several */
    bool reference; /* without optimisation, for comparing */
} BuildOptions;

/* Runs make in the folder; *library is the path of what it made. The weights' file that the model names lies beside it
 * then. False after adding findings. */
bool build_model(Models *models, const ModelFiles *model, const BuildOptions *options, Str *library);

/* Generates and builds the models of the command line in -o; their libraries' paths, in order. */
bool build_all(Models *models, bool threads, Str *libraries);

#endif

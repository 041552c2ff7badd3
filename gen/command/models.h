/* models.h: the models of a command line, and the files that are generated for them.
 *
 * generate, check, outputs, compile, run, verify and bench all come here for their file sets, so that what one of them
 * writes is what another compares or builds.
 */
#ifndef OPGEN_COMMAND_MODELS_H
#define OPGEN_COMMAND_MODELS_H

#include "command/command.h"
#include "emit/emit.h"

typedef struct ModelFiles {
    Str path; /* as it was given; "-" is standard input */
    Graph *graph;
    Str weights; /* the path of the file that the model names; empty: none */
    EmitResult files;
    VEC(OutputInput) inputs; /* model, operators, and what was read to make the files */
    Map seen;                /* operators that are among them */
} ModelFiles;

typedef struct Models {
    Command *command;
    Names names;
    OpTable table;
    Folders roots;  /* of templates */
    Str suffix;     /* of the models' folders */
    VEC(Str) archs; /* that a library is to be built for; none: nobody says, or the compiler is to understand it */
    bool plain;     /* no passes: each operator is a function of its own */
    PassSeen *seen; /* of EmitOptions */
    void *seen_user;
    VEC(ModelFiles) items;
} Models;

/* A finding if the file that the model at this path names for its weights is not in the model's folder: a symbolic link
 * led out of it. A file that is not there is in no other folder. */
void models_check_weights(Arena *arena, Str path, const Graph *graph, Diags *diags);
/* clash.c: findings where what is generated for two of them would have the same names. */
void models_check_names(Models *models);
/* What --without says. */
PassSet models_without(const Command *command);
/* The operands as graphs. False after adding findings of all of them. */
bool models_read(Command *command, Models *models);
/* Their files for a backend. A graph is used up by it. False after adding findings. */
bool models_emit(Models *models, Str backend);
Str models_folder(const Models *models, const ModelFiles *model, Str folder); /* FOLDER/NAME */
/* One an item, in these. */
Output *models_outputs(const Models *models, Str folder);
/* What generate does with them; what was written is noted. False after adding findings. */
bool models_write(Models *models, Str folder, const OutputOptions *options);

#endif

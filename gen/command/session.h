/* session.h: a library that is loaded, and one of its models on the way through runs: dims, tensors, results.
 *
 * What the runtime reports becomes findings. A session holds things that no arena has (the library, an instance, device
 * memory), so whoever opens one closes it on every way out.
 */
#ifndef OPGEN_COMMAND_SESSION_H
#define OPGEN_COMMAND_SESSION_H

#include "command/command.h"

#include <opgen_device.h>
#include <opgen_npy.h>

typedef struct SessionTensor {
    const OpgenTensor *about;
    int64_t *shape;
    size_t n, bytes;
    void *data;        /* host memory */
    Str from;          /* the file of an input that was read */
    const void *first; /* what was read, where runs change `data` */
    void *copy;        /* device memory, during a run */
} SessionTensor;

typedef enum SessionSizes { SIZES_LEAST, SIZES_BETWEEN, SIZES_GREATEST } SessionSizes;

typedef struct Session {
    Command *command;
    Str path;
    OpgenLibrary *library;
    OpgenInstance *instance;
    const OpgenModel *model;
    const OpgenDevice *device; /* NULL: the library has none of its own, and memory is the host's */
    void *handle;              /* the library once more, for the device */
    bool random_weights;
    Str weights;     /* their file, where a run that is replayed had one and --weights does not say it */
    int32_t threads; /* in the same way; 0: nobody says */
    int64_t *given;  /* by dim; -1: nobody says */
    int64_t *dims;   /* of the next run */
    int64_t *sizes;  /* of all axes with them */
    SessionTensor *inputs, *outputs;
    SessionTensor **results; /* what a run makes: all outputs, then the inputs that it changes */
    int32_t result_count;
    uint64_t seed;
    uint64_t weights_limit; /* that weights were made with */
    uint64_t *limits; /* by input, and last of all random params: their integers are below that; 0: nobody has looked */
    VEC(OpgenArray) arrays; /* read from files */
    VEC(OpgenArrays) archives;
} Session;

/* Whether the file begins as shared libraries do. */
bool session_is_library(Arena *arena, Str path);
/* `model` names one of several; empty: the only one. False after adding findings; to be closed all the same. */
bool session_open(Command *command, Str path, Str model, Session *session);
/* session_given.c: --dim, --in, --weights, --threads as they were given. Weights that nothing names are made at random,
 * and that is said. */
bool session_set_up(Session *session);
/* Reads a .npy file for an input; dims of its axes are known then. */
bool session_read_input(Session *session, int32_t at, Str path);
/* Dims that nobody gave are chosen: the least are 1 rather than 0, and the greatest no more than what `most` bytes of
 * tensors hold. Inputs that were not read are made at random; all are as before a first run. False: these dims do not
 * go together; `why` says it, or where that is NULL a finding. */
bool session_prepare(Session *session, SessionSizes sizes, uint64_t seed, int64_t most, Str *why);
/* Outputs are filled with bytes that are NaN in floats before. */
bool session_run(Session *session);
/* The first run of a session that is prepared. Random integers may be positions of something, and nobody says of what:
 * where they lead beyond it, those of each input become as large as they can be. */
bool session_run_first(Session *session);
/* Inputs as before a first run, with integers as large as in the other session, which is of the same model. */
bool session_draw_as(Session *session, const Session *other);
void session_close(Session *session);

/* The index of a name among inputs or outputs, or -1 after adding a finding with the nearest one. */
int32_t session_find(Session *session, const OpgenTensor *tensors, int32_t count, const char *what, Str name);
bool session_error(Session *session);                         /* the runtime's last error as a finding; false */
Str session_shape(Arena *arena, const SessionTensor *tensor); /* "(2, 3)" */
Str session_dims(const Session *session);                     /* those that can be chosen: "batch=8, n=3" */

#endif

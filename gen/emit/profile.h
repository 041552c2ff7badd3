/* profile.h: what the files share that generate for a profile; for profile.c, array.c, single.c, fold_now.c and emit*.c
 * alone.
 */
#ifndef OPGEN_EMIT_PROFILE_H
#define OPGEN_EMIT_PROFILE_H

#include "emit/driver.h"

typedef struct ProfileFile {
    Str template, path; /* "model/embedded.h.j2", "mlp.h" */
} ProfileFile;

struct Profile {
    VEC(ProfileFile) files; /* beside the driver and the functions */
    const Json *runtime;    /* names of the runtime's files that go along */
    Str fold;               /* template of a program; empty: constants are not computed while generating */
    bool folds;             /* they are, for this model */
    Str *weights;           /* by param: its bytes; NULL: the user hands them in */
    Str folded;             /* what was computed, as Plan.folded has it; empty: nothing */
    FileSet parts;          /* what becomes a part of a single file */
    int64_t constant_bytes; /* of weights and of what was computed, as arrays */
    int64_t memory_bytes;   /* that a run needs, for the largest dims: values, and the arena behind them */
};

/* ---- profile.c: the facts; false after adding findings. Sets EmitContext.into for any code. */
bool profile_begin(EmitContext *context);
/* Whether this file of the runtime goes along. */
bool profile_wants(const EmitContext *context, Str name);
/* Adds to what driver_data gave. */
void profile_data(EmitContext *context, const Plan *plan, Value data);

/* ---- array.c: elements as an initialiser of C, the same on all machines. bytes: little-endian, of whole elements */
void array_print(Buf *out, Dtype dtype, Str bytes);

/* ---- single.c: parts of one file, as texts: headers, declarations, functions */
Dict *single_data(EmitContext *context, const Plan *plan, const FileSet *parts);

/* ---- fold_now.c: leaves to runs what other machines would compute to other bits; before groups are made */
void fold_now_mark(Graph *graph);
/* Computes what does not depend on inputs into Profile.folded. False after adding findings. */
bool fold_now(EmitContext *context, Engine *engine, Plan *plan);

#endif

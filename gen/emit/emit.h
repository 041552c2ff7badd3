/* emit.h: a model as the files that are generated for it: graph in, file set out.
 *
 * The door of this stage for commands. Every byte is decided here; what becomes of the files is output.h's.
 */
#ifndef OPGEN_EMIT_EMIT_H
#define OPGEN_EMIT_EMIT_H

#include "emit/output.h"
#include "emit/plan.h"
#include "pass/pass.h"

/* Builds a C program with this compiler and these flags and runs it with two paths, what it reads and what it writes.
 * *made is that file, whose size is known. False after adding findings. */
typedef bool EmitCompute(void *user, Str program, Str compiler, const Json *flags, Str read, size_t size, Str *made);

typedef struct EmitOptions {
    const Str *roots; /* folders of templates, in the order in which they are asked; each has one folder a backend */
    uint32_t root_count;
    Str runtime;      /* the folder of the runtime's sources */
    Str backend;      /* "cpu" */
    const Str *archs; /* the architectures that it will be built for; none: nobody says */
    uint32_t arch_count;
    Str profile;     /* a form of it, "embedded"; empty: none */
    bool single;     /* of a profile: all sources in one file */
    Str version;     /* of opgen, for the first lines of files: "0.1.0" */
    PassSet without; /* passes to leave out */
    const Str *use;  /* candidates among kernel templates to take where an operator has them */
    uint32_t use_count;
    Str model_name; /* as the manifest names the model's file: relative to nothing of this machine */
    bool embed;     /* weights as data in the library */
    bool freeze;    /* what depends on weights alone is computed now, and is weights */
    Str constants;  /* the profile whose programs compute it */
    Str weights;    /* the weights' file, to embed it: path on this machine */
    EmitCompute *compute;
    void *compute_user;
    /* After each pass that ran, and with PASS_FUSE when groups are made; NULL: nobody wants to know. */
    PassSeen *seen;
    void *seen_user;
} EmitOptions;

/* What was read on the way and decides about the files: templates, backend.json, runtime sources. For manifest and
 * depfile; the caller adds the model and the opdefs. */
typedef struct EmitResult {
    FileSet set;
    VEC(OutputInput) inputs;
    VEC(OutputSection) sections; /* functions, calls, arena, costs: for the manifest */
    Plan plan;
} EmitResult;

/* Whether the file has every param of the model as the model wants it; no more of it is read than its header. False
 * after adding findings to the graph's Diags. */
bool emit_check_weights(Arena *arena, const Graph *graph, Str path);

/* False after adding findings to the graph's Diags. */
bool emit_model(Arena *arena, Graph *graph, const EmitOptions *options, EmitResult *result);

#endif

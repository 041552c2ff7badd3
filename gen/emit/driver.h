/* driver.h: what the files that make the driver share; for driver*.c and emit*.c alone.
 *
 * The driver is a template's text around pieces that are made here: lists of what the model has, sizes as C, and the
 * calls, which are so many that no template goes through them.
 */
#ifndef OPGEN_EMIT_DRIVER_H
#define OPGEN_EMIT_DRIVER_H

#include "emit/cost.h"
#include "emit/emit.h"

/* ---- driver_size.c: sizes as C. Named dims are variables: dim_batch. */
#define DIM_PREFIX "dim_"
/* Whether no part of it leaves 64 bits or is divided by zero, whatever the dims are within their ranges. */
bool size_is_safe(SymRef a);
/* Plain C where it is safe; elsewhere calls of opgen_try_*, OPGEN_NO_SIZE being what does not fit. */
void size_print(Buf *out, SymRef a);
/* Adds the named dims that are in it to a set, which has one flag a dim of the graph. */
void size_dims(const Graph *graph, SymRef a, bool *used);
/* `    const int64_t dim_batch = FROM[0];`, a line for each. */
void size_declare_dims(Buf *out, const Graph *graph, const bool *used, Str from);

/* ---- driver_values.c: numbers that a run makes of its dims: OpgenRun.values */
typedef struct DriverValues {
    VEC(SymRef) sizes; /* the first values: what is neither a number nor a dim */
    uint32_t *size_at; /* by Sym.id: its place there, from 1 */
    uint32_t size_room;
    bool fixed;          /* all of the arena is known now: offsets are numbers */
    uint32_t *offset_of; /* by slot: which of the offsets; not fixed */
    uint32_t offsets;    /* the values behind the sizes, and behind them the bytes of the whole arena */
    Buf on;              /* `{offset, size}, ` for each that an offset lies on; the last is what the whole lies on */
    Buf on_ends;         /* for each offset how many of these there are up to its own */
    bool unsafe;         /* some size may not fit */
} DriverValues;

void driver_values(Plan *plan, DriverValues *values);
/* How a size is written in a call: a number, a dim, or values[3]. used: as size_dims. */
void driver_size(const Plan *plan, const DriverValues *values, SymRef size, bool *used, Buf *out);

/* ---- driver_calls.c: the calls, so many in a piece that compilers are quick with each: {"name": "run_0", "text"},
 * with this name before the number. plan: the model's, or the fold's of it. Behind each stands `seen(run, NUMBER);`,
 * the first having this number. */
List *driver_calls(Arena *arena, const Plan *plan, const DriverValues *values, const char *name, uint32_t first);
/* ---- driver_watch.c: the table of calls and of what they make, those of fold behind the others, in that order. */
Value driver_watch(Arena *arena, Plan *plan, const DriverValues *values, Costs *costs);

/* ---- driver_data.c: what templates see of a model */
typedef struct DriverFiles {
    VEC(Str) sources, headers; /* the model's own, as they are in the set */
    VEC(Str) runtime_sources, runtime_headers;
} DriverFiles;
/* embedded: by param, where its bytes are: `mlp_weights_0 + 128`; NULL: they are not in the library. */
Value driver_data(Arena *arena, Plan *plan, Costs *costs, const EmitOptions *options, const Str *embedded,
                  const DriverFiles *files);
/* ---- driver_text.c: anybody's text as a literal of C, and as it can stand in a comment of C, Make or CMake; to
 * templates c_string(text) and comment(text). */
Str driver_literal(Arena *arena, Str text);
Str driver_comment(Arena *arena, Str text);
void driver_functions(Engine *engine);

/* ---- emit_files.c: what is copied into the set: headers of the backend, the runtime */
typedef struct Profile Profile;
typedef struct EmitContext {
    Arena *arena;
    Graph *graph;
    const EmitOptions *options;
    const Backend *backend;
    EmitResult *result;
    DriverFiles files;
    Costs *costs;
    Profile *profile; /* NULL: none */
    Str *frozen;      /* by param: its bytes, where what depends on weights alone was computed; NULL: it was not */
    FileSet *into;    /* where emit_add adds */
} EmitContext;
void emit_input(EmitContext *context, Str path, Str name, Str bytes); /* name: the same on every machine */
void emit_template_input(EmitContext *context, const Source *source);
/* False after adding findings. */
bool emit_add(EmitContext *context, Str path, Str bytes);
bool emit_copies(EmitContext *context);
/* ---- pieces.c: passes_group; first the mark of what is constant is taken from weights put together that kernels read
 * where they lie. False after adding findings: of templates. */
bool emit_groups(EmitContext *context, Engine *engine, Groups *groups);

/* ---- emit_units.c: the functions' files, and which of them are compiled together. False after adding findings. */
bool emit_functions(EmitContext *context, const Plan *plan);

/* ---- emit_weights.c: the weights' bytes as sources, or Profile.weights. *embedded: as driver_data has it. False after
 * adding findings. */
bool emit_weights(EmitContext *context, const Str **embedded);
/* By param: its bytes in the model's file of weights. For messages, what is done with them: "embed", "embedded". NULL
 * after adding findings. */
Str *emit_read_weights(EmitContext *context, const char *act, const char *done);

/* ---- emit.c: one that is asked for this model's templates */
Engine *emit_engine(EmitContext *context);

/* ---- freeze.c: after passes, before groups are made: computes what depends on weights alone, puts params in its
 * place, and sets EmitContext.frozen. False after adding findings. */
bool emit_freeze(EmitContext *context);
/* ---- freeze_file.c: the params' bytes as a file of the set, which the model then names. False after adding findings.
 */
bool emit_frozen_file(EmitContext *context);

/* ---- emit_sections.c: what the manifest says of the model */
void emit_sections(EmitContext *context, const Plan *plan);

#endif

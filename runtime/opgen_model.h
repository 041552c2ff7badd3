/* opgen_model.h: what generated code tells the runtime about a model. One OpgenModel a model; opgen.h is what users
 * see.
 *
 * Generated code is a set of constants and one run function. The runtime checks shapes, finds memory and weights, and
 * calls it with everything in place; the run function calls kernels in order and allocates nothing. What depends on
 * weights alone is computed by another function, `fold`, once for each set of weights. The layout below is the ABI
 * between a library and a runtime: `abi` is checked at load, and a change of any struct here raises OPGEN_ABI.
 */
#ifndef OPGEN_MODEL_H
#define OPGEN_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OPGEN_ABI 4

/* Element types, in the order of opgen's own. */
typedef enum OpgenDtype {
    OPGEN_BOOL,
    OPGEN_U8,
    OPGEN_I8,
    OPGEN_U16,
    OPGEN_I16,
    OPGEN_U32,
    OPGEN_I32,
    OPGEN_U64,
    OPGEN_I64,
    OPGEN_F16,
    OPGEN_BF16,
    OPGEN_F32,
    OPGEN_F64
} OpgenDtype;

/* A size that the user chooses at run time, within bounds. */
typedef struct OpgenDim {
    const char *name;
    int64_t min, max;
} OpgenDim;

/* One axis of a tensor: a constant, a named dim, or an expression that `shapes` computes. */
typedef struct OpgenAxis {
    int32_t dim; /* index into dims; -1: size; -2: an expression of dims */
    int64_t size;
    const char *text; /* as the model says it, for messages: "2*batch + 1" */
} OpgenAxis;

typedef struct OpgenTensor {
    const char *name;
    OpgenDtype dtype;
    int32_t rank;
    const OpgenAxis *axes;
    /* params only: where the bytes are in the embedded weights; embedded NULL and the name is looked up in the weights
     * file */
    const void *embedded;
    const char *key; /* params only: what weights files call it; NULL: its name */
    int32_t changed; /* inputs only: 1: a run writes into the caller's memory of it */
} OpgenTensor;

/* What one call of the run function gets. All pointers are valid and aligned to the element type; arena and folded to
 * 64 bytes. `fold` gets the same, without inputs, outputs, dims and values, and with an arena of its own. */
typedef struct OpgenRun {
    const void *const *inputs; /* in the order of the model's inputs; contiguous; those that are changed are written */
    const void *const *params;
    void *const *outputs;
    void *arena;
    void *folded;          /* what `fold` made of these params, which alone writes there; NULL where there is no fold */
    const int64_t *dims;   /* values, in the order of `dims` */
    const int64_t *values; /* what `prepare` made of them; host memory, as dims is */
    void *stream;          /* of the backend; NULL on the CPU */
    int32_t threads;       /* CPU: at most this many; 1: the calling thread only */
    /* Called after each call, with its number in OpgenModel.calls; NULL in ordinary runs. On a device the call's work
     * is in the stream then, and not done; a run with it is not captured into a graph. */
    void (*seen)(const struct OpgenRun *run, int32_t call);
    void *watcher; /* whatever `seen` wants */
    /* Where calls say why the run cannot go on, of which it then returns OPGEN_BAD_INDEX: 1, an integer that is no
     * position, the size that it is beyond, and the call's number. 0s before the run. Kernels of a device, which return
     * before they are done, say it in another order and in their own time: the integer, the size, 1, the call's number;
     * NULL: nobody listens. */
    int64_t *fault;
} OpgenRun;

/* ---- the table of calls, for who watches runs: profiles, dumps, looks for NaN. Nothing of it is read in others. */

/* Where something lies: OpgenRun has the list or memory of this name. */
typedef enum OpgenPlace { OPGEN_AT_INPUT, OPGEN_AT_PARAM, OPGEN_AT_OUTPUT, OPGEN_AT_FOLDED, OPGEN_AT_ARENA } OpgenPlace;

/* A tensor that a call makes. It begins `offset` bytes behind that of its place, and behind that the bytes that two
 * tables say, where they say any. */
typedef struct OpgenResult {
    const char *name;
    int32_t dtype;         /* OpgenDtype */
    int32_t rank, sizes;   /* its sizes are so many of the numbers, from this one on */
    int32_t place;         /* OpgenPlace */
    int32_t at;            /* which input, param or output */
    int32_t value, number; /* OpgenRun.values[value] and numbers[number] are added to the offset; -1: nothing is */
    int64_t offset;
} OpgenResult;

typedef struct OpgenCall {
    const char *function;         /* as the generated code names it; "copy" */
    const char *operators;        /* "linear, gelu": the model's nodes that it stands for, */
    const char *nodes;            /* "h, y": and their names; the first of them where they are many */
    int32_t result, result_count; /* so many of the results, from this one on */
    int32_t bytes, flops;         /* what it moves and computes: which of the numbers; -1: not known */
} OpgenCall;

typedef struct OpgenModel {
    int32_t abi;
    const char *name;
    const char *backend; /* "cpu" */
    const char *arch;    /* what it was compiled for; "" for any */
    int32_t dim_count, input_count, output_count, param_count;
    const OpgenDim *dims;
    const OpgenTensor *inputs, *outputs, *params;
    const char *weights; /* file name beside the library or the model, or NULL */
    /* The sizes of all axes of inputs, then outputs, then params, one after the other. 0, or -1 when they do not fit 64
     * bits or are negative. */
    int (*shapes)(const int64_t *dims, int64_t *sizes);
    /* What the operators ask of sizes: NULL, or the first thing that these dims do not meet, as a sentence. Asked
     * before `shapes`; dims are within their ranges. NULL itself where nothing is asked. */
    const char *(*check)(const int64_t *dims);
    /* Everything else that depends on dims alone, made before each run for OpgenRun.values, which has room for
     * value_count numbers: offsets in the arena and operands of kernels. The bytes of the arena; -1 as above. */
    int32_t value_count;
    int64_t (*prepare)(const int64_t *dims, int64_t *values);
    /* 0, or a status that the runtime passes on. */
    int (*run)(const OpgenRun *run);
    /* What is the same in every run with one set of weights: called when a set is complete, before any run sees it; a
     * status as above. NULL: there is nothing. Makes folded_bytes, which stay as long as the set, with fold_arena_bytes
     * that go afterwards. It reads these params and no others. */
    int (*fold)(const OpgenRun *run);
    int64_t folded_bytes, fold_arena_bytes;
    int32_t fold_param_count;
    const int32_t *fold_params;
    /* What `run` calls, in order, and behind that what `fold` calls; both 0: there is no table, and `seen` is not
     * called. */
    int32_t call_count, fold_call_count;
    const OpgenCall *calls;
    int32_t result_count;
    const OpgenResult *results;
    /* What the table names by number: sizes, bytes, flops. Made of dims, though of those that fold's calls name any
     * dims make the same; OPGEN_NO_SIZE: what does not fit 64 bits. */
    int32_t number_count;
    void (*numbers)(const int64_t *dims, int64_t *numbers);
    /* Names of params that were computed with when the code was made, and are gone; NULL ends them. NULL: there are
     * none. For who asks for one of them. */
    const char *const *frozen;
} OpgenModel;

/* Every generated library exports its models under this name: a list that ends with NULL. */
#define OPGEN_MODELS_SYMBOL "opgen_models"

#ifdef __cplusplus
}
#endif

#endif

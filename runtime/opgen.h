/* opgen.h: running the models that opgen generates, from C11 or C++17.
 *
 *     OpgenLibrary *library;                             // or link the library and name its OpgenModel directly
 *     opgen_open("libmlp.so", &library);
 *     OpgenOptions options = opgen_options();
 *     OpgenInstance *mlp;
 *     opgen_create(opgen_library_model(library, 0), &options, &mlp);
 *     DLTensor x = opgen_tensor(x_data, OPGEN_F32, 2, (int64_t[]){8, 784}), y = ...;
 *     if (opgen_run(mlp, &x, 1, &y, 1, NULL)) fprintf(stderr, "%s\n", opgen_last_error());
 *     opgen_free(mlp);
 *     opgen_close(library);
 *
 * Every function that can fail returns a status, OPGEN_OK being 0, and leaves a text for opgen_last_error(). A failed
 * call changes nothing: what it was called on works as before. All functions may be called from any thread at any time,
 * but for what opgen_free and opgen_close say. Nothing here prints, but for OPGEN_LOG, and nothing ends the program.
 *
 * Environment, read by opgen_create: OPGEN_LOG=1 names each run on stderr, 2 adds shapes, 3 adds least, greatest and
 * mean value and counts of NaN and infinity, 4 writes inputs, outputs and what each call makes to .npy files in a
 * folder of its own in OPGEN_DUMP (the working folder), which `opgen run --replay` takes. OPGEN_CHECK=nan: a run in
 * which a NaN comes in or comes up fails, and the text names the node and the tensor that had it first.
 * OPGEN_PROFILE=FILE: a profile from the beginning, which opgen_free writes to FILE as a trace.
 *
 * A process that forks: the child may make no call but exec and _exit on what the parent opened, since locks may be
 * held by threads that it does not have; what it opens itself is its own. Fork first, then create.
 */
#ifndef OPGEN_H
#define OPGEN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "opgen_dlpack.h"
#include "opgen_model.h"

#ifndef OPGEN_API
#if defined(__GNUC__)
#define OPGEN_API __attribute__((visibility("default")))
#else
#define OPGEN_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call says. Values are part of the ABI; a model's own run function may return others, which are passed on. */
typedef enum OpgenStatus {
    OPGEN_OK = 0,
    OPGEN_BAD_ARGUMENT = 1, /* a null pointer, a wrong count, a handle that was freed, an option out of range */
    OPGEN_BAD_NAME = 2,     /* there is no such input, output, param or model */
    OPGEN_BAD_DTYPE = 3,
    OPGEN_BAD_SHAPE = 4,  /* rank, a size, a dim out of range, same-named dims that differ, sizes beyond 64 bits */
    OPGEN_BAD_DEVICE = 5, /* a tensor on another device, or a backend that is not there */
    OPGEN_BAD_LAYOUT = 6, /* strides, alignment, byte_offset, overlap */
    OPGEN_NO_MEMORY = 7,
    OPGEN_NO_WEIGHTS = 8,     /* a run before all weights are there */
    OPGEN_BAD_FILE = 9,       /* cannot be opened or read, or was changed while mapped */
    OPGEN_BAD_FORMAT = 10,    /* a file that is not what it claims to be */
    OPGEN_BUSY = 11,          /* all contexts are taken; or still running, still open */
    OPGEN_BAD_ABI = 12,       /* model and runtime were made for each other's other versions */
    OPGEN_FOUND_NAN = 13,     /* OPGEN_CHECK=nan */
    OPGEN_DEVICE_FAILED = 14, /* the device's own error; its text is in the message */
    OPGEN_BAD_INDEX = 15      /* an integer in an input, or computed, is no position in the tensor that it leads into */
} OpgenStatus;

/* The text of this thread's last failed call; "" before the first. Valid until this thread's next failing call. Never
 * NULL. */
OPGEN_API const char *opgen_last_error(void);

/* A status as a word ("bad shape"); never NULL. */
OPGEN_API const char *opgen_status_text(int status);

/* ---- libraries
 * ------------------------------------------------------------------------------------------------------------------------
 */

typedef struct OpgenLibrary OpgenLibrary;

/* Loads a generated library and checks that it was made for this runtime. `path` as for dlopen; a path without a slash
 * is looked up in the working folder first. *library is NULL after a failure. */
OPGEN_API int opgen_open(const char *path, OpgenLibrary **library);

/* Unloads it. OPGEN_BUSY while instances of its models exist. NULL is fine; closing twice is an error, not a crash. */
OPGEN_API int opgen_close(OpgenLibrary *library);

/* How many models it has; 0 for NULL. */
OPGEN_API int32_t opgen_model_count(const OpgenLibrary *library);

/* The name of one; NULL, with a text, when `index` is out of range. Valid until opgen_close. */
OPGEN_API const char *opgen_model_name(const OpgenLibrary *library, int32_t index);

/* One of its models, for opgen_create and to look at. NULL, with a text, when `index` is out of range. Valid until
 * opgen_close. */
OPGEN_API const OpgenModel *opgen_library_model(const OpgenLibrary *library, int32_t index);

/* The model of that name; NULL, with a text that has the nearest name. */
OPGEN_API const OpgenModel *opgen_library_find(const OpgenLibrary *library, const char *name);

/* ---- instances
 * ------------------------------------------------------------------------------------------------------------------------
 */

typedef struct OpgenInstance OpgenInstance;
typedef struct OpgenDevice OpgenDevice; /* opgen_device.h; users need not know */

/* Memory from the caller. `alloc` returns `size` bytes (never 0) at a multiple of `align` (a power of two), or NULL;
 * `free` gets what `alloc` gave, with its size. Both may be called from any thread, at once, and `context` is passed to
 * them. */
typedef struct OpgenAllocator {
    void *(*alloc)(void *context, size_t size, size_t align);
    void (*free)(void *context, void *memory, size_t size);
    void *context;
} OpgenAllocator;

/* How an instance is to be. Start from opgen_options(), so that what is added later has its default. */
typedef struct OpgenOptions {
    size_t size;      /* of this struct, set by opgen_options() */
    int32_t contexts; /* runs that can go on at once; 0: 1 */
    int32_t busy;     /* when all contexts are taken: 0 waits for one, 1 returns OPGEN_BUSY */
    int32_t threads;  /* a run on the CPU uses at most this many; 0: 1, the calling thread only */
    int32_t device_id;
    /* A safetensors file. NULL: the file that the model names, in the folder of the library or program that the model
     * is in; if it names none, what is embedded. */
    const char *weights;
    int32_t no_weights;   /* 1: load no file now; opgen_weights_load or opgen_weights_replace come later */
    int32_t copy_weights; /* 1: read the file into memory instead of mapping it, so that it may be changed or truncated
                             meanwhile */
    OpgenAllocator allocator; /* all memory of the instance; zeros: the C library's */
    /* Memory on the device: arenas and weights. Zeros: `allocator` where the device is the CPU, elsewhere the device's
     * own. */
    OpgenAllocator device_allocator;
    const OpgenDevice *device; /* NULL: the one that the model's backend names */
} OpgenOptions;

static inline OpgenOptions opgen_options(void) {
    OpgenOptions options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    return options;
}

/* Makes an instance of a model: contexts, and the weights unless options say otherwise, with what is computed from them
 * alone (see opgen_weights_load). `options` may be NULL. *instance is NULL after a failure. The model and its library
 * must stay as long as the instance. */
OPGEN_API int opgen_create(const OpgenModel *model, const OpgenOptions *options, OpgenInstance **instance);

/* Gives back everything. OPGEN_BUSY, and nothing happens, while runs or other calls on it go on. NULL is fine; freeing
 * twice, or any call with a freed instance, is an error, not a crash. */
OPGEN_API int opgen_free(OpgenInstance *instance);

/* The model that it is an instance of; NULL, with a text, if it was freed. */
OPGEN_API const OpgenModel *opgen_model(OpgenInstance *instance);

/* Gives the arenas of contexts that are not running back to the allocator; they come again when needed. */
OPGEN_API int opgen_trim(OpgenInstance *instance);

/* ---- running
 * --------------------------------------------------------------------------------------------------------------------------
 */

/* Runs the model. Tensors are in the model's order. A DLTensor has no word on how much memory is behind its data: that
 * it is as much as its shape says is the caller's to know, everything else is checked. Everything is checked before
 * anything runs: counts, null pointers, dtype, device, rank, sizes, ranges of dims, same-named dims, contiguity,
 * alignment, and that no output, and no input that the run changes (OpgenTensor.changed), overlaps any other tensor.
 * Such an input is the caller's state, a cache of keys for one: it is written in place, the rest of the inputs is only
 * read. Of two runs at once each needs its own. After a run that failed in its run function (not in a check) what it
 * holds is not known. On a GPU the call returns when the work is in `stream`; on the CPU when it is done, and `stream`
 * is not looked at. */
OPGEN_API int opgen_run(OpgenInstance *instance, const DLTensor *inputs, int32_t input_count, const DLTensor *outputs,
                        int32_t output_count, void *stream);

/* Waits until the work of all runs that have returned is done, and says what was found since that could not be said
 * then: OPGEN_BAD_INDEX where an integer in a run on a GPU was no position. Such a run goes on with the nearest
 * position that there is, and what it gave is of no use. Who does not ask is told by a later run that takes the same
 * context, when the work is done: it fails with what was found, and does nothing. On the CPU there is nothing to wait
 * for. */
OPGEN_API int opgen_wait(OpgenInstance *instance);

typedef struct OpgenNamed {
    const char *name;
    DLTensor tensor;
} OpgenNamed;

/* As opgen_run, with the tensors in any order, by name. */
OPGEN_API int opgen_run_named(OpgenInstance *instance, const OpgenNamed *inputs, int32_t input_count,
                              const OpgenNamed *outputs, int32_t output_count, void *stream);

/* The outputs' shapes for inputs of these shapes. Of the inputs only dtype, ndim and shape are read. Each output's
 * `shape` points to room for `ndim` sizes; on return shape, ndim, dtype, device, strides (NULL) and byte_offset (0) are
 * as opgen_run wants them; data is left alone. */
OPGEN_API int opgen_infer_shapes(OpgenInstance *instance, const DLTensor *inputs, int32_t input_count,
                                 DLTensor *outputs, int32_t output_count);

/* The outputs' shapes for these sizes of the model's dims, in its order: for who has no input yet and no instance.
 * `outputs` as above, but for the device, which is left alone. OPGEN_BAD_SHAPE, with the text of a run, where a size is
 * outside its dim's range or is not what some operator can take. */
OPGEN_API int opgen_shapes_of_dims(const OpgenModel *model, const int64_t *dims, int32_t dim_count, DLTensor *outputs,
                                   int32_t output_count);

/* ---- weights
 * --------------------------------------------------------------------------------------------------------------------------
 */

/* Loads a safetensors file. All params that are not embedded must be in it, with the model's dtype and shape; those
 * that are embedded are replaced if they are in it; what else is in it is left alone. Runs that have begun end with the
 * old weights, those that begin later have the new, none a mixture. The file stays mapped (see copy_weights); a run
 * after it was truncated or written to fails with OPGEN_BAD_FILE.
 *
 * What the model computes from weights alone is computed here, with options.threads, and not in runs: the call may take
 * as long as that does, and the memory of the results (OpgenModel.folded_bytes, from the device's allocator) is held as
 * long as the weights. Runs go on meanwhile, with the old ones. If it cannot be computed, nothing changes. */
OPGEN_API int opgen_weights_load(OpgenInstance *instance, const char *path);

/* Replaces params by name, or by what weights files call them: copies of `tensors`, which are contiguous in host
 * memory, all at once as above. Nothing is computed again where none of them has a part in it. */
OPGEN_API int opgen_weights_replace(OpgenInstance *instance, const char *const *names, const DLTensor *tensors,
                                    int32_t count);

/* ---- profiles
 * --------------------------------------------------------------------------------------------------------------------------
 */

/* What was measured of one thing, added up. */
typedef struct OpgenTimes {
    int64_t count;
    double seconds, least, greatest;
    double bytes, flops; /* moved and computed, of all together; negative: not known. Of runs 0 */
} OpgenTimes;

/* Measures runs from now on, and each of their calls; what was measured before is forgotten. Runs that go on meanwhile
 * are not in it. A measured run takes some ten nanoseconds more a call; on a device times are the device's own where it
 * has timers, and the run returns when its work is done. */
OPGEN_API int opgen_profile_start(OpgenInstance *instance);

/* Measures no more runs. What was measured stays, to be read. */
OPGEN_API int opgen_profile_stop(OpgenInstance *instance);

/* What was measured up to now. `runs` may be NULL. `calls` has room for the first `call_count` of OpgenModel.calls;
 * what these are, the model says. */
OPGEN_API int opgen_profile_get(OpgenInstance *instance, OpgenTimes *runs, OpgenTimes *calls, int32_t call_count);

/* JSON: sums, by call. Trace: the same, and the last 262,144 runs and calls with their time, as chrome://tracing and
 * Perfetto open it; contexts are its threads. */
enum { OPGEN_PROFILE_JSON, OPGEN_PROFILE_TRACE };

/* As text, cut to `size` with its NUL; *length is that of the whole, which runs that go on may change until the next
 * call. */
OPGEN_API int opgen_profile_text(OpgenInstance *instance, int format, char *text, size_t size, size_t *length);

/* Into a file, which gets its name when it is complete. */
OPGEN_API int opgen_profile_write(OpgenInstance *instance, int format, const char *path);

/* ---- looking at a model
 * --------------------------------------------------------------------------------------------------------------- */
/* OpgenModel (opgen_model.h) has it all: counts, names, dtypes, axes, dims with their ranges. These find things in it.
 */

/* The index of the input, output, param or dim of that name; -1, with a text that has the nearest name. A param is
 * found by what weights files call it (OpgenTensor.key), too, where none has that name. */
OPGEN_API int32_t opgen_find_input(const OpgenModel *model, const char *name);
OPGEN_API int32_t opgen_find_output(const OpgenModel *model, const char *name);
OPGEN_API int32_t opgen_find_param(const OpgenModel *model, const char *name);
OPGEN_API int32_t opgen_find_dim(const OpgenModel *model, const char *name);

/* Writes a tensor as the model says it, "x: f32 (batch, 784)", cut to `size` with its NUL; returns the length of the
 * whole as snprintf does. */
OPGEN_API int opgen_describe(const OpgenModel *model, const OpgenTensor *tensor, char *text, size_t size);

/* The least and greatest size of an axis: a constant twice, a dim's range; for an expression 0 and INT64_MAX, as only a
 * run knows. */
OPGEN_API void opgen_axis_range(const OpgenModel *model, const OpgenAxis *axis, int64_t *min, int64_t *max);

/* ---- dtypes and tensors
 * --------------------------------------------------------------------------------------------------------------- */

/* "f32", and so on; "?" for what is no dtype. */
OPGEN_API const char *opgen_dtype_name(OpgenDtype dtype);

/* Bytes of one element; 0 for what is no dtype. */
OPGEN_API size_t opgen_dtype_size(OpgenDtype dtype);

/* As DLPack says it, and back; opgen_dtype_of returns 0, or -1 where opgen has no such type. */
OPGEN_API DLDataType opgen_dl_dtype(OpgenDtype dtype);
OPGEN_API int opgen_dtype_of(DLDataType type, OpgenDtype *dtype);

/* The bytes of a tensor of that shape; -1 when a size is negative or the product does not fit. */
OPGEN_API int64_t opgen_shape_bytes(OpgenDtype dtype, int32_t rank, const int64_t *shape);

/* A contiguous tensor in host memory. `shape` is kept, not copied. */
static inline DLTensor opgen_tensor(void *data, OpgenDtype dtype, int32_t rank, int64_t *shape) {
    DLTensor tensor;
    memset(&tensor, 0, sizeof tensor);
    tensor.data = data;
    tensor.device.device_type = kDLCPU;
    tensor.ndim = rank;
    tensor.dtype = opgen_dl_dtype(dtype);
    tensor.shape = shape;
    return tensor;
}

#ifdef __cplusplus
}
#endif

#endif

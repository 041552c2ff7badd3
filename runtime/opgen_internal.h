/* opgen_internal.h: what the runtime's own files share. Nothing here is for users; nothing here is exported.
 *
 * opgen_base.c: errors, names, dtypes, memory. opgen_check.c: tensors against the model. opgen_weights.c: sets of
 * weights. opgen_log.c, opgen_dump.c: OPGEN_LOG. opgen_watch.c: runs that are watched. opgen_profile.c: profiles.
 * opgen_open.c: libraries. opgen_rt.c: instances. opgen_run.c: runs. opgen_capture.c: calls of generated code.
 */
#ifndef OPGEN_INTERNAL_H
#define OPGEN_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "opgen_device.h"

#if defined(__GNUC__)
#define OPGEN_LOCAL __attribute__((visibility("hidden")))
#define OPGEN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define OPGEN_LOCAL
#define OPGEN_PRINTF(text, first)
#endif

enum { OPGEN_MAX_RANK = 64, OPGEN_ARENA_ALIGN = 64 };

/* ---- base ---- */

/* Sets the thread's text and returns `status`, so that `return opgen_fail(...)` is one line. */
OPGEN_LOCAL int opgen_fail(int status, const char *format, ...) OPGEN_PRINTF(2, 3);

/* The text for what a model's function, which `what` names, returned; fault is the run's, or NULL. Returns the status.
 */
OPGEN_LOCAL int opgen_run_failed(const OpgenModel *model, int status, const int64_t *fault, const char *what);

/* Memory at a multiple of `align`; a size of 0 gives a pointer as well. NULL, with OPGEN_NO_MEMORY's text, when there
 * is none. */
OPGEN_LOCAL void *opgen_get(const OpgenAllocator *allocator, size_t size, size_t align);
OPGEN_LOCAL void *opgen_get_zeros(const OpgenAllocator *allocator, size_t count, size_t size);
OPGEN_LOCAL void opgen_give(const OpgenAllocator *allocator, void *memory, size_t size);
OPGEN_LOCAL OpgenAllocator opgen_allocator_or_default(const OpgenAllocator *allocator);

/* Text that is cut, with "...", where it does not fit. */
typedef struct OpgenText {
    char *text;
    size_t room, length;
    size_t total; /* as it would be without the cut */
} OpgenText;
OPGEN_LOCAL void opgen_add(OpgenText *text, const char *format, ...) OPGEN_PRINTF(2, 3);
OPGEN_LOCAL void opgen_add_shape(OpgenText *text, int32_t rank, const int64_t *shape);

/* The last part of a path that is too long for a message. */
OPGEN_LOCAL const char *opgen_tail(const char *path);

/* `, did you mean "w1"?` for the nearest of `count` names, or "" when none is near. */
typedef const char *OpgenNameAt(const void *list, int32_t index);
OPGEN_LOCAL const char *opgen_suggest(char *room, size_t size, const char *name, const void *list, int32_t count,
                                      OpgenNameAt *at);
OPGEN_LOCAL const char *opgen_tensor_name_at(const void *tensors, int32_t index);

/* a * b and a + b of what is not negative; false when the result does not fit. */
OPGEN_LOCAL bool opgen_multiply(int64_t a, int64_t b, int64_t *product);

/* ---- files ---- */

/* Reads `size` bytes at `offset`: OPGEN_OK, or OPGEN_BAD_FILE with a text that has the path. */
OPGEN_LOCAL int opgen_read_at(int fd, const char *path, void *to, size_t size, uint64_t offset);

/* ---- weights ---- */

/* Memory that sets share: a mapped file, or a copy of one tensor. */
typedef struct OpgenHold OpgenHold;

/* All of a model's params at one time. Never changed once an instance has it; the last who lets go of it frees it. */
typedef struct OpgenSet {
    atomic_int refs;
    unsigned long number; /* which no other set of the process has, or ever had */
    int32_t missing;      /* how many params have no value yet */
    int32_t first_missing;
    int32_t file_count;
    bool sized;          /* some param has a size that is no constant, so runs compare */
    const void **params; /* as OpgenRun has them */
    OpgenHold **holds;   /* one a param; NULL: embedded or missing */
    OpgenHold **files;   /* the distinct mapped ones among them */
    OpgenHold *folded;   /* what the model's fold made of them; NULL: nothing, or not yet */
    int64_t *sizes;      /* of all axes of the params */
} OpgenSet;

typedef struct OpgenBody OpgenBody;
OPGEN_LOCAL int opgen_set_first(OpgenBody *body, OpgenSet **set); /* what is embedded */
OPGEN_LOCAL int opgen_set_load(OpgenBody *body, const OpgenSet *base, const char *path, OpgenSet **set);
OPGEN_LOCAL int opgen_set_replace(OpgenBody *body, const OpgenSet *base, const char *const *names,
                                  const DLTensor *tensors, int32_t count, OpgenSet **set);
/* Computes what depends on the params alone, if all are there and it is not known yet; what `base` has is shared where
 * it would be the same. Before anybody else sees the set. base may be NULL. */
OPGEN_LOCAL int opgen_set_fold(const OpgenBody *body, OpgenSet *set, const OpgenSet *base);
OPGEN_LOCAL void *opgen_set_folded(const OpgenSet *set); /* OpgenRun.folded */
OPGEN_LOCAL void opgen_set_release(OpgenBody *body, OpgenSet *set);
OPGEN_LOCAL int opgen_set_ready(const OpgenBody *body,
                                const OpgenSet *set); /* complete, and its files are as they were */
OPGEN_LOCAL const char *opgen_set_file(const OpgenSet *set, int32_t param); /* that it was read from; NULL: none */

/* ---- instances ---- */

typedef struct OpgenProfile OpgenProfile;

typedef struct OpgenContext {
    struct OpgenContext *next; /* in the pool */
    int32_t number;            /* from 1 */
    void *arena;
    size_t arena_size;
    int64_t *dims, *sizes, *values;
    int32_t *bound_by; /* which tensor gave each dim its value, for messages */
    const void **inputs;
    void **outputs;
    size_t *bytes;                  /* of inputs, then of outputs */
    DLTensor *in_order;             /* opgen_run_named's tensors */
    OpgenSet *set;                  /* devices with streams: of the last run, which may still be going on */
    void *event;                    /* the end of the last run, of those that launched something */
    OpgenStream event_in;           /* where it was recorded; not known: nowhere, or in a stream without an id */
    OpgenStream event_before;       /* and before that */
    void *stream;                   /* the last without an id that was seen to be one of the device's; NULL: none */
    struct OpgenCaptures *captures; /* devices with graphs: of its runs; NULL: none yet */
    int64_t *fault;                 /* OpgenRun.fault of kernels; NULL: the device has no memory for it */
} OpgenContext;

struct OpgenBody {
    const OpgenModel *model;
    const OpgenDevice *device;
    int32_t device_id, threads;
    bool busy, copy_weights, check_nan;
    int log;
    char *dump;                      /* the folder of dumps, from `memory`, or NULL */
    _Atomic(OpgenProfile *) profile; /* NULL until one is started */
    char *trace;                     /* the file of OPGEN_PROFILE, from `memory`, or NULL */
    size_t trace_size;
    OpgenAllocator memory, device_memory;
    OpgenLibrary *library;
    int32_t context_count, input_axes, output_axes, param_axes;
    void *shared; /* of the device, for what its kernels find: OPGEN_FAULT_BYTES a context; NULL: none */
};

OPGEN_LOCAL int opgen_device_fail(const OpgenBody *body, const char *what, int error);
OPGEN_LOCAL void *opgen_device_get(const OpgenBody *body, size_t size);
OPGEN_LOCAL void opgen_device_give(const OpgenBody *body, void *memory, size_t size);

/* The body with its locks. */
typedef struct OpgenFull {
    OpgenBody body;          /* first, so that the other files see it alone */
    pthread_mutex_t lock;    /* of the pool and of `set` */
    pthread_cond_t returned; /* a context came back */
    pthread_mutex_t writing; /* one swap at a time, since each begins with what the last one left */
    OpgenSet *set;
    OpgenContext *pool;
    bool locks;
} OpgenFull;

OPGEN_LOCAL size_t opgen_context_size(const OpgenBody *body);
OPGEN_LOCAL OpgenContext *opgen_new_context(const OpgenBody *body);
/* Waits until the device is done with what the context's last run used. */
OPGEN_LOCAL int opgen_settle(OpgenFull *full, OpgenContext *context);
/* What kernels left in their memory, which is as new afterwards. They are done. */
OPGEN_LOCAL int opgen_fault_found(const OpgenModel *model, int64_t *fault);
enum { OPGEN_FAULT_BYTES = 64 };
/* Begins and ends a call; NULL, with a text, when the handle is no instance. */
OPGEN_LOCAL OpgenFull *opgen_enter(OpgenInstance *instance, const char *where);
OPGEN_LOCAL void opgen_leave(OpgenInstance *instance);

/* ---- calls of generated code ---- */

/* Graphs of earlier runs, for when they come again. */
typedef struct OpgenCaptures OpgenCaptures;
/* How the model's run function is called. */
typedef struct OpgenWay {
    void *graph;  /* that is launched instead; NULL: it is called itself */
    bool nothing; /* not at all: it launches nothing */
} OpgenWay;
/* Before a run that nobody watches: whether it is one of earlier ones, with weights that have this number, and what is
 * known of those; *captures begins as NULL. A status, with its text. */
OPGEN_LOCAL int opgen_find_way(const OpgenBody *body, OpgenCaptures **captures, const OpgenRun *run, unsigned long set,
                               OpgenWay *way);
/* Whether a run is the last one again, and that one launched nothing. */
OPGEN_LOCAL bool opgen_was_nothing(const OpgenBody *body, OpgenCaptures *captures, const OpgenRun *run,
                                   unsigned long set);
/* A status, with its text. Behind a graph that was launched the event, which may be NULL, is recorded. */
OPGEN_LOCAL int opgen_call(const OpgenBody *body, const OpgenRun *run, OpgenWay way, void *event);
OPGEN_LOCAL void opgen_captures_free(const OpgenBody *body, OpgenCaptures *captures);
/* A function of the model, which `what` names, on its device. */
OPGEN_LOCAL int opgen_device_call(const OpgenBody *body, int (*function)(const OpgenRun *run), const OpgenRun *run,
                                  const char *what);

/* ---- checks ---- */

/* Where checks put what they find: dims, then sizes as OpgenModel.shapes has them. */
typedef struct OpgenBinding {
    int64_t *dims, *sizes;
    int32_t *bound_by;
} OpgenBinding;

/* A model's description: that its ABI is ours and that what the runtime follows in it is in range. */
OPGEN_LOCAL int opgen_check_model(const OpgenModel *model, const char *where);
OPGEN_LOCAL int32_t opgen_axis_count(const OpgenTensor *tensors, int32_t count);

/* Dtypes, ranks and sizes. `outputs` NULL: only the inputs are given. */
OPGEN_LOCAL int opgen_check_shapes(const OpgenBody *body, const OpgenSet *set, const DLTensor *inputs,
                                   const DLTensor *outputs, OpgenBinding binding);
/* Whether each output has room for its sizes; and what shapes they have, `sizes` being those of all their axes. */
OPGEN_LOCAL int opgen_room_for(const OpgenModel *model, const char *where, const DLTensor *outputs);
OPGEN_LOCAL void opgen_give_shapes(const OpgenModel *model, const int64_t *sizes, DLTensor *outputs);
/* Kernels get a valid pointer for a tensor of no elements as well: this one. */
extern OPGEN_LOCAL char opgen_nothing[OPGEN_ARENA_ALIGN];
/* Pointers, devices, strides, alignment and overlap, of tensors whose shapes are right. */
OPGEN_LOCAL int opgen_check_memory(const OpgenBody *body, const DLTensor *inputs, const DLTensor *outputs,
                                   OpgenContext *context);
/* One tensor's dtype, rank and constant sizes against the model; `role` is "input", "output" or "param". `dims`
 * (INT64_MIN where unknown) take values, may be NULL. */
OPGEN_LOCAL int opgen_check_tensor(const OpgenModel *model, const char *role, const OpgenTensor *wanted,
                                   OpgenDtype dtype, int32_t rank, const int64_t *shape, const char *where);
/* Contiguous, and aligned to its element; *data is its first byte. `where` begins the message. */
OPGEN_LOCAL int opgen_check_layout(const char *where, const char *role, const char *name, OpgenDtype dtype,
                                   const DLTensor *tensor, const void **data, size_t *bytes);

/* ---- log ---- */

/* What is logged of one run. */
typedef struct OpgenLog {
    unsigned long run; /* its number; 0: nothing is logged */
    char *folder;      /* of its dump; NULL: none */
    size_t folder_size;
} OpgenLog;

OPGEN_LOCAL int opgen_log_start(OpgenBody *body);
OPGEN_LOCAL void opgen_log_tensors(const OpgenBody *body, const OpgenLog *log, const char *role,
                                   const OpgenTensor *tensors, int32_t count, const int64_t *sizes,
                                   const void *const *data, void *stream);
/* A tensor's bytes where the host can read them; *copy is to be given back if it is not NULL. NULL, with a text: not
 * possible. */
OPGEN_LOCAL const void *opgen_on_host(const OpgenBody *body, const void *data, size_t bytes, void *stream, void **copy);
OPGEN_LOCAL bool opgen_is_nan(OpgenDtype dtype, const void *data, size_t at);

/* opgen_dump.c: makes the folder of a run and tells there what the run was given beside inputs; writes a tensor. */
OPGEN_LOCAL void opgen_dump_begin(const OpgenBody *body, OpgenLog *log, const OpgenSet *set, const int64_t *dims,
                                  void *stream);
OPGEN_LOCAL void opgen_dump_tensor(const OpgenBody *body, const OpgenLog *log, const char *role, const char *name,
                                   OpgenDtype dtype, int32_t rank, const int64_t *sizes, const void *host);
OPGEN_LOCAL void opgen_dump_end(const OpgenBody *body, OpgenLog *log);

/* ---- runs that are watched, call by call ---- */

typedef struct OpgenSpan {
    uint64_t begin, end; /* nanoseconds */
} OpgenSpan;

/* One run, or one call of fold. */
typedef struct OpgenWatch {
    const OpgenBody *body;
    const OpgenLog *log; /* calls are dumped to its folder; NULL: none */
    uint32_t profile;    /* the profile that it is for; 0: none */
    bool folds, nan;
    int32_t first, count; /* the calls that it has, in the model's table */
    int32_t seen;         /* how many of them were timed */
    int64_t *numbers;     /* OpgenModel.numbers for its dims */
    OpgenSpan *times;     /* by call */
    void **timers;        /* of the device, one more than calls; NULL: the host's clock */
    int32_t timer_count;
    uint64_t begin, last, end;
    int32_t nan_call, nan_result; /* where the first NaN was seen; -1: nowhere */
    size_t nan_at;
    int status; /* of timers */
    char *room;
} OpgenWatch;

/* Whether what the table of calls names is there. */
OPGEN_LOCAL int opgen_check_calls(const OpgenModel *model);
/* Between these two a run function is called with `run`, in which watch_begin puts what tells of calls. watch_end gives
 * the run's status, which becomes another one where what was watched for has happened. */
OPGEN_LOCAL int opgen_watch_begin(OpgenWatch *watch, const OpgenBody *body, OpgenRun *run, const OpgenLog *log,
                                  bool folds);
OPGEN_LOCAL int opgen_watch_end(OpgenWatch *watch, const OpgenRun *run, int32_t context, int status);
/* The first of these tensors that has a NaN; those without data have none. */
OPGEN_LOCAL int opgen_check_nan(const OpgenBody *body, const char *role, const OpgenTensor *tensors, int32_t count,
                                const int64_t *sizes, const void *const *data, void *stream);
OPGEN_LOCAL uint64_t opgen_now(void);

/* ---- profiles ---- */

OPGEN_LOCAL uint32_t opgen_profile_on(const OpgenBody *body); /* which is going on; 0: none */
OPGEN_LOCAL void opgen_profile_add(const OpgenWatch *watch, int32_t context);
/* OPGEN_PROFILE, when an instance is made and when it is freed. */
OPGEN_LOCAL int opgen_profile_begin(OpgenBody *body);
OPGEN_LOCAL void opgen_profile_end(OpgenBody *body);

/* ---- libraries ---- */

/* The open library that a model is in, kept open until it is released; NULL when it is linked. */
OPGEN_LOCAL OpgenLibrary *opgen_library_hold(const OpgenModel *model);
OPGEN_LOCAL void opgen_library_release(OpgenLibrary *library);
OPGEN_LOCAL const OpgenDevice *opgen_library_device(OpgenLibrary *library, const char *backend);
/* `file` in the folder of the library or program that has the model; from `memory`, with its size in *size. NULL: no
 * memory. */
OPGEN_LOCAL char *opgen_beside(const OpgenModel *model, const char *file, const OpgenAllocator *memory, size_t *size);

#endif

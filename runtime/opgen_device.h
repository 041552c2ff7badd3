/* opgen_device.h: what a backend is to the runtime: one table of functions, in one file (opgen_cpu.c is the CPU's).
 *
 * A library for another backend exports its table as opgen_device_<backend>, where opgen_open finds it; a program that
 * links such a library hands it to opgen_create in its options. All functions return 0 or the device's own error code,
 * which error_text explains.
 */
#ifndef OPGEN_DEVICE_H
#define OPGEN_DEVICE_H

#include "opgen.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum OpgenCopy { OPGEN_TO_DEVICE, OPGEN_TO_HOST, OPGEN_ON_DEVICE } OpgenCopy;

/* What a run asks of the caller's stream. Handles do not tell streams apart: that of a destroyed one is given out
 * again, and some mean another stream in each thread. */
typedef struct OpgenStream {
    int32_t captured; /* 1: what is launched into it is kept for a graph, and not done */
    int32_t known;    /* 1: no other stream of the process has this id, or ever had; 0: there is none */
    uint64_t id;
} OpgenStream;

struct OpgenDevice {
    int32_t abi;       /* OPGEN_ABI */
    const char *name;  /* as OpgenModel.backend: "cpu" */
    int32_t dl_device; /* the DLDeviceType that its tensors have */
    int32_t host;      /* 1: its memory is the host's, and work is done when a call returns; the functions after
                          `error_text` may be NULL, and are not called */
    int (*alloc)(int32_t device_id, size_t size, size_t align, void **memory);
    void (*free)(int32_t device_id, void *memory, size_t size);
    int (*copy)(int32_t device_id, void *to, const void *from, size_t size, OpgenCopy way, void *stream);
    const char *(*error_text)(int error);
    /* Until all work in the stream is done. */
    int (*synchronize)(int32_t device_id, void *stream);
    /* Events order the runs of one context after each other when they come in different streams. */
    int (*event_new)(int32_t device_id, void **event);
    void (*event_free)(int32_t device_id, void *event);
    int (*event_record)(int32_t device_id, void *event, void *stream);
    int (*event_wait)(int32_t device_id, void *event, void *stream); /* the stream waits */
    int (*event_synchronize)(int32_t device_id, void *event);        /* the calling thread waits */

    /* ---- around calls of generated code: what the thread launches goes to this device, and it is on the one that it
     * was on afterwards. leave: the first error of what was launched since. */
    int (*enter)(int32_t device_id, int32_t *before);
    int (*leave)(int32_t before);
    /* Whether the device is there and can run what was compiled for `arch` (OpgenModel.arch): `why` is empty, or says
     * why not, naming both. */
    int (*fits)(int32_t device_id, const char *arch, char *why, size_t size);
    /* Whether the memory at an address is this device's, or one that it shares. */
    int (*owns)(int32_t device_id, const void *memory, int *answer);
    /* Whether the device answers everything with the same error from now on, in this process. */
    int (*lost)(int32_t device_id);

    /* ---- streams. stream_look: before anything else is done with one of the caller's; NULL: none of them is captured,
     * and none has an id. stream_new: one that waits for no other. */
    int (*stream_look)(int32_t device_id, void *stream, OpgenStream *about);
    int (*stream_new)(int32_t device_id, void **stream);
    void (*stream_free)(int32_t device_id, void *stream);

    /* ---- graphs: what is launched into a stream between begin and end is not done but kept, to be launched as one.
     * capture_end ends that whatever happens. nodes: how much was kept; of 0, the launch does nothing. graph_launch
     * records the event behind the graph, which is one call less than event_record; NULL: none; after an error it may
     * not be recorded. graph_launch NULL: the device has none of these. */
    int (*capture_begin)(int32_t device_id, void *stream);
    int (*capture_end)(int32_t device_id, void *stream, void **graph, size_t *nodes);
    int (*graph_launch)(int32_t device_id, void *graph, void *stream, void *event);
    void (*graph_free)(int32_t device_id, void *graph);

    /* ---- times, for profiles; NULL: each call is waited for. A timer is an event (recorded and freed as one) that
     * knows when it was reached: the seconds from the first to the second, both of which were. */
    int (*timer_new)(int32_t device_id, void **timer);
    int (*timer_read)(int32_t device_id, void *first, void *second, double *seconds);

    /* ---- memory of the host's that the device writes into at the same address, for what kernels find: an index that
     * is no position. NULL: there is none, and nobody is told of such an index. */
    int (*shared_new)(int32_t device_id, size_t size, void **memory);
    void (*shared_free)(int32_t device_id, void *memory);
};

extern OPGEN_API const OpgenDevice opgen_device_cpu;

#ifdef __cplusplus
}
#endif

#endif

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

struct OpgenDevice {
    int32_t abi;       /* OPGEN_ABI */
    const char *name;  /* as OpgenModel.backend: "cpu" */
    int32_t dl_device; /* the DLDeviceType that its tensors have */
    int32_t host; /* 1: its memory is the host's, and work is done when a call returns; the functions after `copy` may
                     be NULL */
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
};

extern OPGEN_API const OpgenDevice opgen_device_cpu;

#ifdef __cplusplus
}
#endif

#endif

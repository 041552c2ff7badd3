/* opgen_cpu.c: the CPU as a device. Its memory is the host's and its work is done when a call returns, so there are no
 * streams or events. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_device.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/* What is large comes in large pages where the system gives some: a page fault for each 4 KiB of it takes longer than
 * all else that is done with weights when they are loaded. */
enum { LARGE = 4 << 20, LARGE_PAGE = 2 << 20 };

static int cpu_alloc(int32_t device_id, size_t size, size_t align, void **memory) {
    (void)device_id;
    *memory = NULL;
    if (size >= LARGE && align < LARGE_PAGE) align = LARGE_PAGE;
    int error = posix_memalign(memory, align < sizeof(void *) ? sizeof(void *) : align, size == 0 ? 1 : size);
#ifdef MADV_HUGEPAGE
    if (!error && size >= LARGE) (void)madvise(*memory, size / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
    return error;
}

static void cpu_free(int32_t device_id, void *memory, size_t size) {
    (void)device_id;
    (void)size;
    free(memory);
}

static int cpu_copy(int32_t device_id, void *to, const void *from, size_t size, OpgenCopy way, void *stream) {
    (void)device_id;
    (void)way;
    (void)stream;
    if (size > 0) memcpy(to, from, size);
    return 0;
}

static const char *cpu_error_text(int error) {
    return error == ENOMEM ? "out of memory" : error == EINVAL ? "the alignment is no power of two" : "unknown error";
}

const OpgenDevice opgen_device_cpu = {
    .abi = OPGEN_ABI,
    .name = "cpu",
    .dl_device = kDLCPU,
    .host = 1,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .copy = cpu_copy,
    .error_text = cpu_error_text,
};

/* opgen_npy_internal.h: what opgen_npy.c and opgen_npz.c share. */
#ifndef OPGEN_NPY_INTERNAL_H
#define OPGEN_NPY_INTERNAL_H

#include "opgen_internal.h"
#include "opgen_npy.h"

#include <stdio.h>

/* Room for any header that is written: 64 sizes of 20 characters, and the rest. */
enum { OPGEN_NPY_HEADER = 2048 };

/* A file that gets its name when it is complete. The first error is kept, and told at the end. */
typedef struct OpgenOut {
    const char *path;
    FILE *file;
    int error;
    char temporary[4096 + 64];
} OpgenOut;

OPGEN_LOCAL int opgen_out_open(OpgenOut *out, const char *path);
OPGEN_LOCAL void opgen_out_write(OpgenOut *out, const void *bytes, size_t size);
OPGEN_LOCAL int opgen_out_close(OpgenOut *out);
OPGEN_LOCAL int opgen_read_file(const char *path, const OpgenAllocator *memory, void **bytes, size_t *size);

/* Writes a header into `header` and returns its length, a multiple of 64. */
OPGEN_LOCAL size_t opgen_npy_header(char *header, size_t room, OpgenDtype dtype, int32_t rank, const int64_t *shape);

#endif

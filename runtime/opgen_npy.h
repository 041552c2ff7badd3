/* opgen_npy.h: NumPy's files: .npy, one array, and .npz, a ZIP archive of such files.
 *
 * Read: .npy 1.0, 2.0 and 3.0; both byte orders; C and Fortran order, which becomes C order; archives whose members are
 * stored. Written: .npy 1.0 and stored archives. bf16, which NumPy does not have, is "V2", as ml_dtypes writes it.
 */
#ifndef OPGEN_NPY_H
#define OPGEN_NPY_H

#include "opgen.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OPGEN_ARRAY_MAX_RANK 64

/* An array in memory of its own: contiguous, C order, this machine's byte order, aligned to 64 bytes. */
typedef struct OpgenArray {
    char *name; /* in an archive, without ".npy"; else NULL */
    OpgenDtype dtype;
    int32_t rank;
    int64_t shape[OPGEN_ARRAY_MAX_RANK];
    void *data;
    size_t size; /* bytes */
    OpgenAllocator memory;
} OpgenArray;

typedef struct OpgenArrays {
    int32_t count;
    OpgenArray *arrays; /* in the archive's order; names are distinct */
    size_t room;
    OpgenAllocator memory;
} OpgenArrays;

/* Reads a .npy file. `memory` NULL: the C library's. */
OPGEN_API int opgen_npy_read(const char *path, const OpgenAllocator *memory, OpgenArray *array);

/* The same from bytes; `path` is for messages. Bytes after the array are an error. */
OPGEN_API int opgen_npy_parse(const char *path, const void *bytes, size_t size, const OpgenAllocator *memory,
                              OpgenArray *array);
OPGEN_API void opgen_array_free(OpgenArray *array);

/* The array as a DLTensor in host memory; it stays the array's. */
OPGEN_API DLTensor opgen_array_tensor(OpgenArray *array);

/* Reads all arrays of a .npz file. */
OPGEN_API int opgen_npz_read(const char *path, const OpgenAllocator *memory, OpgenArrays *arrays);
OPGEN_API int opgen_npz_parse(const char *path, const void *bytes, size_t size, const OpgenAllocator *memory,
                              OpgenArrays *arrays);
OPGEN_API void opgen_arrays_free(OpgenArrays *arrays);

/* Writes a file, which is whole or not there: it gets its name when it is complete. */
OPGEN_API int opgen_npy_write(const char *path, OpgenDtype dtype, int32_t rank, const int64_t *shape, const void *data);

/* As OpgenNamed: contiguous tensors in host memory. */
OPGEN_API int opgen_npz_write(const char *path, const OpgenNamed *tensors, int32_t count);

#ifdef __cplusplus
}
#endif

#endif

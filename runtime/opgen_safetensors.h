/* opgen_safetensors.h: the header of a safetensors file, read and held against the file's size.
 *
 * The format: 8 bytes with the length n of the header, little-endian; n bytes of JSON, {"name": {"dtype", "shape",
 * "data_offsets"}}; then the tensors' bytes. What opgen_safetensors_parse accepts can be used without a further look:
 * names are distinct, each tensor's bytes are as many as its dtype and shape say, all are inside the file, and together
 * they cover it with no hole and no overlap.
 */
#ifndef OPGEN_SAFETENSORS_H
#define OPGEN_SAFETENSORS_H

#include "opgen.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Longer headers are refused, as the format's own library does. */
#define OPGEN_SAFETENSORS_MAX_HEADER 100000000

typedef struct OpgenStored {
    const char *name;
    const char *dtype_text; /* as the file says it: "F32" */
    int32_t dtype;          /* an OpgenDtype, or -1 for what the format has and opgen has not: "F8_E4M3" */
    int32_t rank;
    const int64_t *shape;
    uint64_t begin, size; /* bytes; begin counts from the start of the file */
} OpgenStored;

typedef struct OpgenSafetensors {
    int32_t count;
    OpgenStored *tensors; /* sorted by name */
    /* what opgen_safetensors_free gives back */
    OpgenAllocator memory;
    char *text;
    size_t text_size, tensor_room, shape_room;
    int64_t *shapes;
} OpgenSafetensors;

/* Reads the header out of the first `size` bytes of a file of `file_size` bytes; `size` may end after the header.
 * `path` is for messages, `memory` NULL for the C library's. */
OPGEN_API int opgen_safetensors_parse(const char *path, const void *bytes, size_t size, uint64_t file_size,
                                      const OpgenAllocator *memory, OpgenSafetensors *file);

/* The same from an open file, of which no more than the header is read. */
OPGEN_API int opgen_safetensors_read(const char *path, int fd, uint64_t file_size, const OpgenAllocator *memory,
                                     OpgenSafetensors *file);

/* The tensor of that name, or NULL. */
OPGEN_API const OpgenStored *opgen_safetensors_find(const OpgenSafetensors *file, const char *name);

OPGEN_API void opgen_safetensors_free(OpgenSafetensors *file);

#ifdef __cplusplus
}
#endif

#endif

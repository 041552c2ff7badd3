/* fuzz_npy.c: any bytes as a .npy file and as a .npz archive. They are arrays or there is a text; an array has as many
 * bytes as it says, and, written and read again, is the same. */
#include "opgen_npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void require(int condition) {
    if (!condition) abort();
}

static void check(OpgenArray *array) {
    require(array->rank >= 0 && array->rank <= OPGEN_ARRAY_MAX_RANK && (uintptr_t)array->data % 64 == 0);
    require(opgen_shape_bytes(array->dtype, array->rank, array->shape) == (int64_t)array->size);
    volatile unsigned char last = array->size > 0 ? ((unsigned char *)array->data)[array->size - 1] : 0;
    (void)last;
}

static void write_and_read(OpgenArrays *arrays) {
    static char path[64];
    if (!path[0]) snprintf(path, sizeof path, "/tmp/opgen-fuzz-npy-%ld.npz", (long)getpid());
    OpgenNamed *named = calloc((size_t)arrays->count + 1, sizeof *named);
    require(named != NULL);
    for (int32_t i = 0; i < arrays->count; i++) {
        named[i].name = arrays->arrays[i].name;
        named[i].tensor = opgen_array_tensor(&arrays->arrays[i]);
    }
    OpgenArrays again;
    if (opgen_npz_write(path, named, arrays->count) == OPGEN_OK) {
        require(opgen_npz_read(path, NULL, &again) == OPGEN_OK && again.count == arrays->count);
        for (int32_t i = 0; i < again.count; i++) {
            OpgenArray *a = &arrays->arrays[i], *b = &again.arrays[i];
            require(strcmp(a->name, b->name) == 0 && a->dtype == b->dtype && a->rank == b->rank && a->size == b->size);
            require(memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0);
            require(a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
        }
        opgen_arrays_free(&again);
    }
    unlink(path);
    free(named);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    OpgenArray array;
    if (opgen_npy_parse("fuzz", bytes, size, NULL, &array) == OPGEN_OK) {
        check(&array);
        opgen_array_free(&array);
    } else {
        require(opgen_last_error()[0] != '\0' && array.data == NULL);
    }
    OpgenArrays arrays;
    if (opgen_npz_parse("fuzz", bytes, size, NULL, &arrays) == OPGEN_OK) {
        for (int32_t i = 0; i < arrays.count; i++)
            check(&arrays.arrays[i]);
        write_and_read(&arrays);
        opgen_arrays_free(&arrays);
    } else {
        require(arrays.count == 0 && arrays.arrays == NULL);
    }
    return 0;
}

/* copy_arrays.c: reads arrays and writes them again, for test_numpy.py: IN OUT, each .npy or .npz by its name's end. */
#include "opgen_npy.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(void) {
    fprintf(stderr, "%s\n", opgen_last_error());
    return 1;
}

static int is_archive(const char *path) { return strlen(path) > 4 && strcmp(path + strlen(path) - 4, ".npz") == 0; }

int main(int count, char **arguments) {
    if (count != 3) return 2;
    if (!is_archive(arguments[1])) {
        OpgenArray array;
        if (opgen_npy_read(arguments[1], NULL, &array)) return fail();
        if (opgen_npy_write(arguments[2], array.dtype, array.rank, array.shape, array.data)) return fail();
        opgen_array_free(&array);
        return 0;
    }
    OpgenArrays arrays;
    if (opgen_npz_read(arguments[1], NULL, &arrays)) return fail();
    OpgenNamed *named = calloc((size_t)arrays.count + 1, sizeof *named);
    if (!named) return 2;
    for (int32_t i = 0; i < arrays.count; i++) {
        named[i].name = arrays.arrays[i].name;
        named[i].tensor = opgen_array_tensor(&arrays.arrays[i]);
    }
    if (opgen_npz_write(arguments[2], named, arrays.count)) return fail();
    free(named);
    opgen_arrays_free(&arrays);
    return 0;
}

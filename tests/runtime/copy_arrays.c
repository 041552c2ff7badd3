/* copy_arrays.c: reads arrays and writes them again, for test_numpy.py: IN OUT, each .npy or .npz by its name's end.
 *
 * Many, one after the other: standard input has lines of IN and OUT with a tab between, and each is answered by one
 * line, "0 " or "1 " and what was wrong. What all of them leave behind the sanitizer says at the end. */
#include "opgen_npy.h"

#include <stdio.h>
#include <stdlib.h>

static int is_archive(const char *path) { return strlen(path) > 4 && strcmp(path + strlen(path) - 4, ".npz") == 0; }

static int copy_array(const char *from, const char *to) {
    OpgenArray array;
    if (opgen_npy_read(from, NULL, &array)) return 1;
    int status = opgen_npy_write(to, array.dtype, array.rank, array.shape, array.data);
    opgen_array_free(&array);
    return status != 0;
}

static int copy_archive(const char *from, const char *to) {
    OpgenArrays arrays;
    if (opgen_npz_read(from, NULL, &arrays)) return 1;
    OpgenNamed *named = calloc((size_t)arrays.count + 1, sizeof *named);
    if (!named) abort();
    for (int32_t i = 0; i < arrays.count; i++) {
        named[i].name = arrays.arrays[i].name;
        named[i].tensor = opgen_array_tensor(&arrays.arrays[i]);
    }
    int status = opgen_npz_write(to, named, arrays.count);
    free(named);
    opgen_arrays_free(&arrays);
    return status != 0;
}

int main(void) {
    char line[8192];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        char *to = strchr(line, '\t');
        if (!to) return 2;
        *to++ = '\0';
        int status = is_archive(line) ? copy_archive(line, to) : copy_array(line, to);
        printf("%d %s\n", status, status ? opgen_last_error() : "");
        fflush(stdout);
    }
    return 0;
}

/* test_npy.c: .npy and .npz in and out, without NumPy (test_numpy.py holds them against NumPy itself): headers as the
 * format's description has them, each way in which one can be wrong, archives cut and changed at every byte. */
#include "model.h"

#include "opgen_npy.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* A .npy of version 1.0 (or 2.0, 3.0) with this dict and data. */
static unsigned char *npy(int version, const char *dict, const void *data, size_t data_size, size_t *size) {
    size_t length = strlen(dict), start = version == 1 ? 10 : 12;
    unsigned char *bytes = malloc(start + length + data_size + 1);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)version;
    bytes[7] = 0;
    for (size_t i = 8; i < start; i++)
        bytes[i] = (unsigned char)(length >> (8 * (i - 8)));
    memcpy(bytes + start, dict, length);
    if (data_size > 0) memcpy(bytes + start + length, data, data_size);
    *size = start + length + data_size;
    return bytes;
}

static int parse(int version, const char *dict, const void *data, size_t data_size, OpgenArray *array) {
    size_t size;
    unsigned char *bytes = npy(version, dict, data, data_size, &size);
    int status = opgen_npy_parse("some.npy", bytes, size, NULL, array);
    free(bytes);
    return status;
}

static void good_files(void **state) {
    (void)state;
    static const int16_t data[] = {1, 2, 3, 4, 5, 6};
    static const char *const dicts[] = {
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }          \n",
        "{\"shape\":(2,3),\"descr\":\"<i2\",\"fortran_order\":False}",
        "{'descr': '=i2', 'fortran_order': False, 'shape': (2L, 3L,)}\n",
        "{'descr': 'i2', 'fortran_order': False, 'shape': (2, 3)}",
    };
    OpgenArray array;
    for (int version = 1; version <= 3; version++) {
        for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++) {
            if (parse(version, dicts[i], data, sizeof data, &array)) fail_msg("%s", opgen_last_error());
            assert_int_equal(array.dtype, OPGEN_I16);
            assert_int_equal(array.rank, 2);
            assert_int_equal(array.shape[0], 2);
            assert_int_equal(array.shape[1], 3);
            assert_int_equal((uintptr_t)array.data % 64, 0);
            assert_memory_equal(array.data, data, sizeof data);
            DLTensor tensor = opgen_array_tensor(&array);
            assert_ptr_equal(tensor.data, array.data);
            opgen_array_free(&array);
        }
    }
    static const int16_t columns[] = {1, 4, 2, 5, 3, 6}, swapped[] = {0x0100, 0x0200, 0x0300, 0x0400, 0x0500, 0x0600};
    assert_int_equal(
        parse(1, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3)}", columns, sizeof columns, &array),
        OPGEN_OK);
    assert_memory_equal(array.data, data, sizeof data);
    opgen_array_free(&array);
    assert_int_equal(
        parse(1, "{'descr': '>i2', 'fortran_order': False, 'shape': (6,)}", swapped, sizeof swapped, &array), OPGEN_OK);
    assert_memory_equal(array.data, data, sizeof data);
    opgen_array_free(&array);
    assert_int_equal(parse(1, "{'descr': '|b1', 'fortran_order': False, 'shape': ()}", data, 1, &array), OPGEN_OK);
    assert_int_equal(array.dtype, OPGEN_BOOL);
    assert_int_equal(array.rank, 0);
    opgen_array_free(&array);
    assert_int_equal(
        parse(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (0, 9223372036854775807)}", data, 0, &array),
        OPGEN_OK);
    assert_int_equal(array.size, 0);
    opgen_array_free(&array);
    opgen_array_free(&array);
}

static void bad_files(void **state) {
    (void)state;
#define REST "'fortran_order': False, 'shape': (2,)}"
    static const struct {
        const char *dict;
        size_t data;
        int status;
        const char *wanted;
    } cases[] = {
        {"", 0, OPGEN_BAD_FORMAT, "byte 10: bad .npy header: wanted a dict"},
        {"[]", 0, OPGEN_BAD_FORMAT, "wanted a dict"},
        {"{", 0, OPGEN_BAD_FORMAT, "wanted a string"},
        {"{}", 0, OPGEN_BAD_FORMAT, "is missing"},
        {"{'descr': '<f4', 'fortran_order': False}", 0, OPGEN_BAD_FORMAT, "is missing"},
        {"{'descr': '<f4', 'descr': '<f4', " REST, 8, OPGEN_BAD_FORMAT, "a key twice"},
        {"{'more': 1, 'descr': '<f4', " REST, 8, OPGEN_BAD_FORMAT, "a key other than"},
        {"{'descr': '<f4' " REST, 8, OPGEN_BAD_FORMAT, "wanted a comma between keys"},
        {"{'descr' '<f4', " REST, 8, OPGEN_BAD_FORMAT, "wanted \":\""},
        {"{'descr': '<f4, ", 8, OPGEN_BAD_FORMAT, "a string that does not end"},
        {"{'descr': '\\x3cf4', " REST, 8, OPGEN_BAD_FORMAT, "an escape"},
        {"{'descr': [('a', '<f4')], " REST, 8, OPGEN_BAD_FORMAT, "records are more than opgen has"},
        {"{'descr': '<c8', " REST, 16, OPGEN_BAD_DTYPE, "no dtype for NumPy's \"<c8\""},
        {"{'descr': '|O', " REST, 16, OPGEN_BAD_DTYPE, "\"|O\""},
        {"{'descr': '<U5', " REST, 40, OPGEN_BAD_DTYPE, "\"<U5\""},
        {"{'descr': '', " REST, 40, OPGEN_BAD_DTYPE, "\"\""},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", 8, OPGEN_BAD_FORMAT, "wanted True or False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 2}", 8, OPGEN_BAD_FORMAT, "wanted a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", 8, OPGEN_BAD_FORMAT, "wanted a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 2)}", 8, OPGEN_BAD_FORMAT, "a comma between sizes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", 8, OPGEN_BAD_FORMAT, "wanted a size"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", 8, OPGEN_BAD_FORMAT, "wanted a size"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2.,)}", 8, OPGEN_BAD_FORMAT, "a comma between sizes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", 8, OPGEN_BAD_FORMAT,
         "beyond 2^63 - 1"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}", 8, OPGEN_BAD_FORMAT,
         "does not fit 64 bits"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 8, OPGEN_BAD_FORMAT,
         "does not fit 64 bits"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2", 8, OPGEN_BAD_FORMAT, "a comma between sizes"},
        {"{'descr': '<f4', " REST "x", 8, OPGEN_BAD_FORMAT, "text after the dict"},
        {"{'descr': '<f4', " REST, 7, OPGEN_BAD_FORMAT, "f32 (2,) takes 8 bytes, and the file has 7: it was cut short"},
        {"{'descr': '<f4', " REST, 9, OPGEN_BAD_FORMAT, "something after the array"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': "
         "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1,1,1,1,1,1,1,1)}",
         4, OPGEN_BAD_FORMAT, "more than 64 axes"},
    };
    static const char data[64];
    OpgenArray array;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status = parse(1, cases[i].dict, data, cases[i].data, &array);
        if (status != cases[i].status || !strstr(opgen_last_error(), cases[i].wanted) ||
            !strstr(opgen_last_error(), "some.npy: "))
            fail_msg("%s: status %d: %s (wanted: %s)", cases[i].dict, status, opgen_last_error(), cases[i].wanted);
        assert_null(array.data);
    }
    assert_int_equal(parse(4, "{}", data, 0, &array), OPGEN_BAD_FORMAT);
    assert_non_null(strstr(opgen_last_error(), "version 4.0"));
    size_t size;
    for (int version = 1; version <= 3; version++) {
        unsigned char *bytes = npy(version, "{'descr': '<f4', " REST, data, 8, &size);
        for (size_t cut = 0; cut < size; cut++)
            assert_int_equal(opgen_npy_parse("x", bytes, cut, NULL, &array), OPGEN_BAD_FORMAT);
        free(bytes);
    }
}

static int visible_files(const char *folder) {
    int count = 0;
    DIR *open = opendir(folder);
    for (struct dirent *entry; (entry = readdir(open));)
        count += entry->d_name[0] != '.';
    closedir(open);
    return count;
}

static void written_and_read(void **state) {
    (void)state;
    char *folder = temporary("written"), path[4200];
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(path, sizeof path, "%s/a.npy", folder);
    unsigned char data[24 * 8];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 37);
    static const int64_t shapes[][4] = {{24}, {4, 6}, {2, 1, 3, 4}, {0, 7}};
    static const int32_t ranks[] = {1, 2, 4, 2};
    for (int dtype = OPGEN_BOOL; dtype <= OPGEN_F64; dtype++) {
        for (int i = 0; i < 4; i++) {
            OpgenArray array;
            if (opgen_npy_write(path, (OpgenDtype)dtype, ranks[i], shapes[i], data)) fail_msg("%s", opgen_last_error());
            struct stat info;
            assert_int_equal(stat(path, &info), 0);
            assert_int_equal(((size_t)info.st_size - (i < 3 ? 24 * opgen_dtype_size((OpgenDtype)dtype) : 0)) % 64, 0);
            if (opgen_npy_read(path, NULL, &array)) fail_msg("%s", opgen_last_error());
            assert_int_equal(array.dtype, dtype);
            assert_int_equal(array.rank, ranks[i]);
            assert_memory_equal(array.shape, shapes[i], (size_t)ranks[i] * 8);
            assert_memory_equal(array.data, data, array.size);
            opgen_array_free(&array);
        }
    }
    OpgenArray array;
    assert_int_equal(opgen_npy_write(path, OPGEN_F32, 0, NULL, data), OPGEN_OK);
    assert_int_equal(opgen_npy_read(path, NULL, &array), OPGEN_OK);
    assert_int_equal(array.rank, 0);
    opgen_array_free(&array);
    int64_t negative = -1;
    assert_int_equal(opgen_npy_write(path, OPGEN_F32, 1, &negative, data), OPGEN_BAD_ARGUMENT);
    assert_int_equal(opgen_npy_write(NULL, OPGEN_F32, 0, NULL, data), OPGEN_BAD_ARGUMENT);
    assert_int_equal(opgen_npy_read("/nowhere/a.npy", NULL, &array), OPGEN_BAD_FILE);
    assert_int_equal(opgen_npy_read("/", NULL, &array), OPGEN_BAD_FILE);
    assert_int_equal(opgen_npy_write("/nowhere/a.npy", OPGEN_F32, 0, NULL, data), OPGEN_BAD_FILE);
    assert_int_equal(opgen_npy_write(folder, OPGEN_F32, 0, NULL, data), OPGEN_BAD_FILE); /* a folder has that name */
    assert_int_equal(opgen_npy_write("/dev/null", OPGEN_F32, 0, NULL, data), OPGEN_OK);
    if (access("/dev/full", W_OK) == 0)
        assert_int_equal(opgen_npy_write("/dev/full", OPGEN_F32, 1, &shapes[0][0], data), OPGEN_BAD_FILE);
    assert_int_equal(visible_files(folder), 1); /* nothing temporary is left */
    unlink(path);
    rmdir(folder);
    free(folder);
}

static unsigned char *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = malloc(1 << 16);
    *size = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

static void archives(void **state) {
    (void)state;
    char *path = temporary("some.npz");
    float x[] = {1, 2, 3, 4, 5, 6};
    int64_t x_shape[] = {2, 3}, ids_shape[] = {2}, ids[] = {7, -7}, none[] = {0};
    OpgenNamed tensors[] = {{"x", opgen_tensor(x, OPGEN_F32, 2, x_shape)},
                            {"token ids/0", opgen_tensor(ids, OPGEN_I64, 1, ids_shape)},
                            {"none", opgen_tensor(NULL, OPGEN_U8, 1, none)}};
    OpgenArrays arrays;
    assert_int_equal(opgen_npz_write(path, NULL, 0), OPGEN_OK);
    /* An archive without members does not begin as one with members does; NumPy reads it, and so should this. */
    assert_int_equal(opgen_npz_read(path, NULL, &arrays), OPGEN_OK);
    assert_int_equal(arrays.count, 0);
    opgen_arrays_free(&arrays);
    if (opgen_npz_write(path, tensors, 3)) fail_msg("%s", opgen_last_error());
    if (opgen_npz_read(path, NULL, &arrays)) fail_msg("%s", opgen_last_error());
    assert_int_equal(arrays.count, 3);
    assert_string_equal(arrays.arrays[0].name, "x");
    assert_memory_equal(arrays.arrays[0].data, x, sizeof x);
    assert_string_equal(arrays.arrays[1].name, "token ids/0");
    assert_memory_equal(arrays.arrays[1].data, ids, sizeof ids);
    assert_int_equal(arrays.arrays[2].shape[0], 0);
    opgen_arrays_free(&arrays);
    tensors[2].name = "x";
    assert_int_equal(opgen_npz_write(path, tensors, 3), OPGEN_BAD_NAME);
    tensors[2].name = NULL;
    assert_int_equal(opgen_npz_write(path, tensors, 3), OPGEN_BAD_ARGUMENT);
    int64_t strides[] = {1, 2};
    tensors[0].tensor.strides = strides;
    assert_int_equal(opgen_npz_write(path, tensors, 2), OPGEN_BAD_LAYOUT);

    size_t size;
    unsigned char *bytes = read_all(path, &size);
    for (size_t cut = 0; cut < size; cut++)
        assert_int_equal(opgen_npz_parse("x", bytes, cut, NULL, &arrays), OPGEN_BAD_FORMAT);
    /* Every bit turned: it is read as it was, or refused. What is not read (dates, versions, attributes) may change. */
    for (size_t i = 0; i < size * 8; i++) {
        bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        if (opgen_npz_parse("x", bytes, size, NULL, &arrays) == OPGEN_OK) {
            assert_int_equal(arrays.count, 3);
            assert_memory_equal(arrays.arrays[0].data, x, sizeof x);
            assert_memory_equal(arrays.arrays[1].data, ids, sizeof ids);
            opgen_arrays_free(&arrays);
        }
        bytes[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    /* A comment at the end of the archive is passed over. */
    bytes[size - 2] = 5;
    memcpy(bytes + size, "hello", 5);
    assert_int_equal(opgen_npz_parse("x", bytes, size + 5, NULL, &arrays), OPGEN_OK);
    opgen_arrays_free(&arrays);
    free(bytes);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(good_files), cmocka_unit_test(bad_files),
                                       cmocka_unit_test(written_and_read), cmocka_unit_test(archives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

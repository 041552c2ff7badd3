/* opgen_npy.c: NumPy's .npy: its header, which is a Python dict of three keys, and its data; and files that are whole
 * or not there.
 *
 * opgen_npz.c packs them into archives.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_npy.h"
#include "opgen_internal.h"
#include "opgen_npy_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the header ---------------------------------------------------------------------------------------------------
 */

typedef struct Header {
    const char *path;
    const char *text;
    size_t at, size, start; /* start: where the text is in the file */
    OpgenDtype dtype;
    bool swapped, fortran;
    int32_t rank;
    int64_t shape[OPGEN_ARRAY_MAX_RANK];
} Header;

static int bad(const Header *h, const char *what) {
    return opgen_fail(OPGEN_BAD_FORMAT, "%s: byte %zu: bad .npy header: %s", opgen_tail(h->path), h->start + h->at,
                      what);
}

static char peek(Header *h) {
    while (h->at < h->size &&
           (h->text[h->at] == ' ' || h->text[h->at] == '\t' || h->text[h->at] == '\n' || h->text[h->at] == '\r'))
        h->at++;
    return h->at < h->size ? h->text[h->at] : '\0';
}

static bool take(Header *h, char mark) {
    if (peek(h) != mark) return false;
    h->at++;
    return true;
}

/* A quoted word without escapes; what NumPy writes has none. */
static int read_word(Header *h, const char **word, size_t *length) {
    char quote = peek(h);
    if (quote != '\'' && quote != '"')
        return bad(h, quote == '[' ? "records are more than opgen has" : "wanted a string");
    h->at++;
    *word = h->text + h->at;
    while (h->at < h->size && h->text[h->at] != quote) {
        if (h->text[h->at] == '\\' || (unsigned char)h->text[h->at] < 0x20)
            return bad(h, "an escape or control character");
        h->at++;
    }
    if (h->at >= h->size) return bad(h, "a string that does not end");
    *length = (size_t)(h->text + h->at - *word);
    h->at++;
    return OPGEN_OK;
}

static int host_order(void) {
    const union {
        uint16_t number;
        unsigned char first;
    } order = {1};
    return order.first ? '<' : '>';
}

static int read_descr(Header *h) {
    static const struct {
        const char *text;
        OpgenDtype dtype;
    } kinds[] = {{"b1", OPGEN_BOOL}, {"u1", OPGEN_U8},  {"i1", OPGEN_I8},  {"u2", OPGEN_U16}, {"i2", OPGEN_I16},
                 {"u4", OPGEN_U32},  {"i4", OPGEN_I32}, {"u8", OPGEN_U64}, {"i8", OPGEN_I64}, {"f2", OPGEN_F16},
                 {"f4", OPGEN_F32},  {"f8", OPGEN_F64}, {"V2", OPGEN_BF16}};
    const char *word;
    size_t length;
    int status = read_word(h, &word, &length);
    if (status) return status;
    const char *whole = word;
    size_t whole_length = length;
    char order = '=';
    if (length > 0 && strchr("<>|=", word[0]) && word[0]) {
        order = word[0];
        word++;
        length--;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (length != 2 || memcmp(word, kinds[i].text, 2) != 0) continue;
        h->dtype = kinds[i].dtype;
        h->swapped = (order == '<' || order == '>') && order != host_order() && opgen_dtype_size(h->dtype) > 1;
        return OPGEN_OK;
    }
    return opgen_fail(OPGEN_BAD_DTYPE, "%s: opgen has no dtype for NumPy's \"%.*s\"", opgen_tail(h->path),
                      whole_length > 40 ? 40 : (int)whole_length, whole);
}

static int read_bool(Header *h, bool *value) {
    peek(h);
    size_t left = h->size - h->at;
    *value = left >= 4 && memcmp(h->text + h->at, "True", 4) == 0;
    if (!*value && (left < 5 || memcmp(h->text + h->at, "False", 5) != 0)) return bad(h, "wanted True or False");
    h->at += *value ? 4 : 5;
    return OPGEN_OK;
}

static int read_shape(Header *h) {
    if (!take(h, '(')) return bad(h, "wanted a tuple");
    bool comma = true; /* what is between two sizes, or before the first */
    while (!take(h, ')')) {
        if (!comma) return bad(h, "wanted a comma between sizes");
        if (h->rank == OPGEN_ARRAY_MAX_RANK) return bad(h, "more than 64 axes");
        int64_t size = 0;
        size_t start = h->at;
        for (; h->at < h->size && h->text[h->at] >= '0' && h->text[h->at] <= '9'; h->at++) {
            int digit = h->text[h->at] - '0';
            if (size > (INT64_MAX - digit) / 10) return bad(h, "a size beyond 2^63 - 1");
            size = size * 10 + digit;
        }
        if (h->at == start) return bad(h, "wanted a size");
        if (h->at < h->size && h->text[h->at] == 'L') h->at++; /* Python 2 wrote long integers so */
        h->shape[h->rank++] = size;
        comma = take(h, ',');
    }
    return h->rank == 1 && !comma ? bad(h, "wanted a tuple") : OPGEN_OK;
}

static int read_dict(Header *h) {
    enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
    int seen = 0, status = OPGEN_OK;
    if (!take(h, '{')) return bad(h, "wanted a dict");
    bool comma = true;
    while (!take(h, '}')) {
        const char *key;
        size_t length;
        if (!comma) return bad(h, "wanted a comma between keys");
        if ((status = read_word(h, &key, &length))) return status;
        int which = length == 5 && memcmp(key, "descr", 5) == 0             ? DESCR
                    : length == 13 && memcmp(key, "fortran_order", 13) == 0 ? ORDER
                    : length == 5 && memcmp(key, "shape", 5) == 0           ? SHAPE
                                                                            : 0;
        if (which == 0 || (seen & which))
            return bad(h, which == 0 ? "a key other than descr, fortran_order and shape" : "a key twice");
        if (!take(h, ':')) return bad(h, "wanted \":\"");
        seen |= which;
        status = which == DESCR ? read_descr(h) : which == ORDER ? read_bool(h, &h->fortran) : read_shape(h);
        if (status) return status;
        comma = take(h, ',');
    }
    if (seen != (DESCR | ORDER | SHAPE)) return bad(h, "descr, fortran_order or shape is missing");
    return peek(h) == '\0' && h->at == h->size ? OPGEN_OK : bad(h, "text after the dict");
}

/* The bytes before the text, and the text. */
static int read_header(const unsigned char *bytes, size_t size, Header *h) {
    if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return opgen_fail(OPGEN_BAD_FORMAT, "%s: is no .npy file: it does not begin with \\x93NUMPY and a version",
                          opgen_tail(h->path));
    int major = bytes[6], minor = bytes[7];
    if (major < 1 || major > 3 || minor != 0) {
        return opgen_fail(OPGEN_BAD_FORMAT, "%s: is a .npy file of version %d.%d; opgen reads 1.0, 2.0 and 3.0",
                          opgen_tail(h->path), major, minor);
    }
    h->start = major == 1 ? 10 : 12;
    uint64_t length = (uint64_t)bytes[8] | (uint64_t)bytes[9] << 8;
    if (major > 1 && size >= 12) length |= (uint64_t)bytes[10] << 16 | (uint64_t)bytes[11] << 24;
    if (size < h->start || length > size - h->start) {
        return opgen_fail(OPGEN_BAD_FORMAT,
                          "%s: its header says that it has %llu bytes, and the file ends before: it was cut short",
                          opgen_tail(h->path), (unsigned long long)length);
    }
    h->text = (const char *)bytes + h->start;
    h->size = (size_t)length;
    return read_dict(h);
}

/* ---- data ---------------------------------------------------------------------------------------------------------
 */

static void swap_bytes(char *data, size_t size, size_t element) {
    for (size_t i = 0; i < size; i += element) {
        for (size_t a = 0, b = element - 1; a < b; a++, b--) {
            char kept = data[i + a];
            data[i + a] = data[i + b];
            data[i + b] = kept;
        }
    }
}

/* From first axis fastest to last axis fastest: follows the result, with the place in the source beside it. */
static void from_fortran(char *to, const char *from, const Header *h, size_t count) {
    size_t element = opgen_dtype_size(h->dtype), step[OPGEN_ARRAY_MAX_RANK], place = 0;
    int64_t index[OPGEN_ARRAY_MAX_RANK] = {0};
    for (int32_t i = 0; i < h->rank; i++)
        step[i] = i == 0 ? element : step[i - 1] * (size_t)h->shape[i - 1];
    for (size_t at = 0; at < count; at++) {
        memcpy(to + at * element, from + place, element);
        for (int32_t i = h->rank - 1; i >= 0; i--) {
            place += step[i];
            if (++index[i] < h->shape[i]) break;
            place -= step[i] * (size_t)h->shape[i];
            index[i] = 0;
        }
    }
}

int opgen_npy_parse(const char *path, const void *bytes, size_t size, const OpgenAllocator *memory, OpgenArray *array) {
    memset(array, 0, sizeof *array);
    Header h = {.path = path};
    int status = read_header(bytes, size, &h);
    if (status) return status;
    int64_t wanted = opgen_shape_bytes(h.dtype, h.rank, h.shape);
    size_t begin = h.start + h.size, got = size - begin;
    if (wanted < 0 || (uint64_t)wanted != got) {
        char room[200];
        OpgenText text = {room, sizeof room, 0, 0};
        opgen_add_shape(&text, h.rank, h.shape);
        if (wanted < 0)
            return opgen_fail(OPGEN_BAD_FORMAT, "%s: %s %s does not fit 64 bits", opgen_tail(path),
                              opgen_dtype_name(h.dtype), room);
        return opgen_fail(OPGEN_BAD_FORMAT, "%s: %s %s takes %lld bytes, and the file has %zu: %s", opgen_tail(path),
                          opgen_dtype_name(h.dtype), room, (long long)wanted, got,
                          got < (uint64_t)wanted ? "it was cut short" : "there is something after the array");
    }
    array->memory = opgen_allocator_or_default(memory);
    array->dtype = h.dtype;
    array->rank = h.rank;
    memcpy(array->shape, h.shape, sizeof h.shape);
    array->size = got;
    array->data = opgen_get(&array->memory, got, OPGEN_ARENA_ALIGN);
    if (!array->data) {
        memset(array, 0, sizeof *array);
        return OPGEN_NO_MEMORY;
    }
    size_t element = opgen_dtype_size(h.dtype);
    const char *data = (const char *)bytes + begin;
    if (h.fortran && h.rank > 1) {
        from_fortran(array->data, data, &h, got / element);
    } else if (got > 0) {
        memcpy(array->data, data, got);
    }
    if (h.swapped) swap_bytes(array->data, got, element);
    return OPGEN_OK;
}

void opgen_array_free(OpgenArray *array) {
    if (array->memory.free) {
        opgen_give(&array->memory, array->data, array->size);
        if (array->name) opgen_give(&array->memory, array->name, strlen(array->name) + 1);
    }
    memset(array, 0, sizeof *array);
}

DLTensor opgen_array_tensor(OpgenArray *array) {
    return opgen_tensor(array->data, array->dtype, array->rank, array->shape);
}

/* ---- files --------------------------------------------------------------------------------------------------------
 */

int opgen_read_file(const char *path, const OpgenAllocator *memory, void **bytes, size_t *size) {
    *bytes = NULL;
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &info) != 0) {
        int status = opgen_fail(OPGEN_BAD_FILE, "%s: cannot be opened: %s", opgen_tail(path), strerror(errno));
        if (fd >= 0) close(fd);
        return status;
    }
    int status = OPGEN_OK;
    if (!S_ISREG(info.st_mode)) status = opgen_fail(OPGEN_BAD_FILE, "%s: is no regular file", opgen_tail(path));
    *size = (size_t)info.st_size;
    if (!status && !(*bytes = opgen_get(memory, *size, OPGEN_ARENA_ALIGN))) status = OPGEN_NO_MEMORY;
    if (!status && (status = opgen_read_at(fd, path, *bytes, *size, 0))) {
        opgen_give(memory, *bytes, *size);
        *bytes = NULL;
    }
    close(fd);
    return status;
}

int opgen_npy_read(const char *path, const OpgenAllocator *memory, OpgenArray *array) {
    memset(array, 0, sizeof *array);
    if (!path) return opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_npy_read: path is NULL");
    OpgenAllocator used = opgen_allocator_or_default(memory);
    void *bytes;
    size_t size;
    int status = opgen_read_file(path, &used, &bytes, &size);
    if (status) return status;
    status = opgen_npy_parse(path, bytes, size, memory, array);
    opgen_give(&used, bytes, size);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------------------------------
 */

int opgen_out_open(OpgenOut *out, const char *path) {
    static atomic_uint serial;
    struct stat info;
    memset(out, 0, sizeof *out);
    out->path = path;
    /* A pipe or a device is written as it is; a file is made beside its name. */
    bool direct = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    int length = snprintf(out->temporary, sizeof out->temporary, "%s.%ld-%u.tmp", path, (long)getpid(),
                          atomic_fetch_add(&serial, 1));
    if (length >= (int)sizeof out->temporary)
        return opgen_fail(OPGEN_BAD_FILE, "%s: the path is too long", opgen_tail(path));
    if (direct) out->temporary[0] = '\0';
    int fd = open(direct ? path : out->temporary,
                  direct ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 && !(out->file = fdopen(fd, "wb"))) close(fd);
    if (!out->file) {
        if (fd >= 0 && !direct) unlink(out->temporary);
        return opgen_fail(OPGEN_BAD_FILE, "%s: cannot be written: %s", opgen_tail(path), strerror(errno));
    }
    return OPGEN_OK;
}

void opgen_out_write(OpgenOut *out, const void *bytes, size_t size) {
    if (size > 0 && !out->error && fwrite(bytes, 1, size, out->file) != size) out->error = errno ? errno : EIO;
}

int opgen_out_close(OpgenOut *out) {
    errno = 0;
    if (fclose(out->file) != 0 && !out->error) out->error = errno ? errno : EIO;
    if (!out->error && out->temporary[0] && rename(out->temporary, out->path) != 0) out->error = errno;
    if (!out->error) return OPGEN_OK;
    if (out->temporary[0]) unlink(out->temporary);
    return opgen_fail(OPGEN_BAD_FILE, "%s: cannot be written: %s", opgen_tail(out->path), strerror(out->error));
}

size_t opgen_npy_header(char *header, size_t room, OpgenDtype dtype, int32_t rank, const int64_t *shape) {
    static const char kinds[] = "buiuiuiuifVff"; /* in the order of OpgenDtype */
    OpgenText text = {header, room, 10, 10};
    size_t element = opgen_dtype_size(dtype);
    opgen_add(&text, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': ", element == 1 ? '|' : host_order(),
              kinds[dtype], element);
    opgen_add_shape(&text, rank, shape);
    opgen_add(&text, ", }");
    while (text.length % 64 != 63)
        opgen_add(&text, " ");
    opgen_add(&text, "\n");
    memcpy(header, "\x93NUMPY\x01\0", 8);
    header[8] = (char)((text.length - 10) & 255);
    header[9] = (char)((text.length - 10) >> 8);
    return text.length;
}

int opgen_npy_write(const char *path, OpgenDtype dtype, int32_t rank, const int64_t *shape, const void *data) {
    char header[OPGEN_NPY_HEADER];
    if (!path || rank < 0 || rank > OPGEN_ARRAY_MAX_RANK || (rank > 0 && !shape))
        return opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_npy_write: %s",
                          !path ? "path is NULL" : "the shape is NULL or its rank is out of range");
    int64_t bytes = opgen_shape_bytes(dtype, rank, shape);
    if (bytes < 0 || (bytes > 0 && !data)) {
        return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: %s", opgen_tail(path),
                          bytes < 0 ? "a size is negative, or they do not fit 64 bits" : "its data is NULL");
    }
    OpgenOut out;
    int status = opgen_out_open(&out, path);
    if (status) return status;
    opgen_out_write(&out, header, opgen_npy_header(header, sizeof header, dtype, rank, shape));
    opgen_out_write(&out, data, (size_t)bytes);
    return opgen_out_close(&out);
}

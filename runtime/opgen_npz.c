/* opgen_npz.c: NumPy's .npz, a ZIP archive of .npy files. Members are stored; compressed ones, which would take zlib,
 * are refused by name.
 *
 * The archive is read by its directory at the end, as NumPy does. Every offset and length is held against the file
 * before it is followed, and each member against its checksum.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_npy_internal.h"

enum { LOCAL_SIZE = 30, CENTRAL_SIZE = 46, END_SIZE = 22, END64_SIZE = 56, LOCATOR_SIZE = 20 };

/* ---- numbers and checksums ----------------------------------------------------------------------------------------
 */

static uint64_t number(const unsigned char *bytes, int size) {
    uint64_t value = 0;
    for (int i = size - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static void put_number(unsigned char **to, uint64_t value, int size) {
    for (int i = 0; i < size; i++)
        *(*to)++ = (unsigned char)(value >> (8 * i));
}

/* CRC-32 as ZIP has it, four bits at a time. */
static uint32_t checksum(uint32_t sum, const void *bytes, size_t size) {
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const unsigned char *at = bytes;
    sum = ~sum;
    for (size_t i = 0; i < size; i++) {
        sum ^= at[i];
        sum = sum >> 4 ^ table[sum & 15];
        sum = sum >> 4 ^ table[sum & 15];
    }
    return ~sum;
}

/* ---- reading ------------------------------------------------------------------------------------------------------
 */

typedef struct Archive {
    const char *path;
    const unsigned char *bytes;
    size_t size;
    uint64_t count, begin, end; /* of the directory */
} Archive;

static int bad(const Archive *a, const char *what) {
    return opgen_fail(OPGEN_BAD_FORMAT, "%s: bad .npz archive: %s", opgen_tail(a->path), what);
}

/* The record at the end of the archive, before a comment of up to 65535 bytes. */
static int find_directory(Archive *a) {
    if (a->size < END_SIZE || memcmp(a->bytes, "PK", 2) != 0) return bad(a, "it is no ZIP archive, or was cut short");
    size_t at = a->size - END_SIZE, last = at > 65535 ? at - 65535 : 0;
    while (number(a->bytes + at, 4) != 0x06054b50 || number(a->bytes + at + 20, 2) != a->size - at - END_SIZE) {
        if (at == last) return bad(a, "it has no directory at its end: it was cut short");
        at--;
    }
    const unsigned char *end = a->bytes + at;
    a->count = number(end + 10, 2);
    uint64_t size = number(end + 12, 4);
    a->begin = number(end + 16, 4);
    a->end = at;
    if (at >= LOCATOR_SIZE && number(end - LOCATOR_SIZE, 4) == 0x07064b50) {
        uint64_t place = number(end - LOCATOR_SIZE + 8, 8);
        if (at < LOCATOR_SIZE + END64_SIZE || place > at - LOCATOR_SIZE - END64_SIZE ||
            number(a->bytes + place, 4) != 0x06064b50)
            return bad(a, "its 64-bit directory is not where it should be");
        a->count = number(a->bytes + place + 32, 8);
        size = number(a->bytes + place + 40, 8);
        a->begin = number(a->bytes + place + 48, 8);
        a->end = place;
    }
    if (a->begin > a->end || size != a->end - a->begin) return bad(a, "its directory is not where it should be");
    if (a->count > size / CENTRAL_SIZE) return bad(a, "its directory has fewer members than it says");
    return OPGEN_OK;
}

typedef struct Member {
    const char *name;
    size_t name_length;
    unsigned flags, method;
    uint32_t sum;
    uint64_t packed, size, offset;
} Member;

/* Sizes of 64 bits are in an extra field, those that the directory gives as all ones, in this order. */
static bool read_extra(const unsigned char *extra, size_t size, Member *m) {
    uint64_t *wanted[] = {&m->size, &m->packed, &m->offset};
    while (size >= 4) {
        size_t length = (size_t)number(extra + 2, 2);
        if (length > size - 4) return false;
        const unsigned char *at = extra + 4;
        size_t left = length;
        for (int i = 0; number(extra, 2) == 1 && i < 3; i++) {
            if (*wanted[i] != 0xffffffff) continue;
            if (left < 8) return false;
            *wanted[i] = number(at, 8);
            at += 8;
            left -= 8;
        }
        extra += 4 + length;
        size -= 4 + length;
    }
    return true;
}

static int next_member(const Archive *a, uint64_t *at, Member *m) {
    const unsigned char *entry = a->bytes + *at;
    uint64_t left = a->end - *at;
    if (left < CENTRAL_SIZE || number(entry, 4) != 0x02014b50) return bad(a, "its directory is broken");
    size_t name = (size_t)number(entry + 28, 2), extra = (size_t)number(entry + 30, 2),
           comment = (size_t)number(entry + 32, 2);
    if (left - CENTRAL_SIZE < name + extra + comment) return bad(a, "its directory is broken");
    *m = (Member){
        .name = (const char *)entry + CENTRAL_SIZE,
        .name_length = name,
        .flags = (unsigned)number(entry + 8, 2),
        .method = (unsigned)number(entry + 10, 2),
        .sum = (uint32_t)number(entry + 16, 4),
        .packed = number(entry + 20, 4),
        .size = number(entry + 24, 4),
        .offset = number(entry + 42, 4),
    };
    *at += CENTRAL_SIZE + name + extra + comment;
    return read_extra(entry + CENTRAL_SIZE + name, extra, m) ? OPGEN_OK : bad(a, "a member's extra field is broken");
}

/* Where a member's bytes are. */
static int find_bytes(const Archive *a, const Member *m, const unsigned char **bytes) {
    if (m->flags & 1) return bad(a, "a member is encrypted");
    if (m->method != 0) {
        return opgen_fail(OPGEN_BAD_FORMAT,
                          "%s: \"%.*s\" is compressed, and opgen reads what is stored: write it with numpy.savez, not "
                          "numpy.savez_compressed",
                          opgen_tail(a->path), (int)(m->name_length > 200 ? 200 : m->name_length), m->name);
    }
    if (m->packed != m->size) return bad(a, "a stored member has two sizes");
    if (m->offset > a->begin || a->begin - m->offset < LOCAL_SIZE || number(a->bytes + m->offset, 4) != 0x04034b50)
        return bad(a, "a member is not where the directory says");
    const unsigned char *local = a->bytes + m->offset;
    uint64_t skip = LOCAL_SIZE + number(local + 26, 2) + number(local + 28, 2), left = a->begin - m->offset;
    if (skip > left || m->size > left - skip) return bad(a, "a member goes beyond the directory");
    if (number(local + 26, 2) != m->name_length || memcmp(local + LOCAL_SIZE, m->name, m->name_length) != 0)
        return bad(a, "a member has two names");
    *bytes = local + skip;
    return checksum(0, *bytes, (size_t)m->size) == m->sum ? OPGEN_OK : bad(a, "a member's checksum is wrong");
}

static int add_member(const Archive *a, const Member *m, const OpgenAllocator *memory, OpgenArrays *arrays) {
    const unsigned char *bytes = NULL;
    int status = find_bytes(a, m, &bytes);
    if (status) return status;
    size_t length = m->name_length;
    if (length >= 4 && memcmp(m->name + length - 4, ".npy", 4) == 0) length -= 4;
    if (length == 0 || memchr(m->name, '\0', length)) return bad(a, "a member's name is empty or has a NUL");
    OpgenArray *array = &arrays->arrays[arrays->count];
    char *name = opgen_get(&arrays->memory, length + 1, 1);
    if (!name) return OPGEN_NO_MEMORY;
    memcpy(name, m->name, length);
    name[length] = '\0';
    for (int32_t i = 0; i < arrays->count && !status; i++) {
        if (strcmp(arrays->arrays[i].name, name) == 0)
            status = opgen_fail(OPGEN_BAD_FORMAT, "%s: \"%.200s\" is there twice", opgen_tail(a->path), name);
    }
    if (!status) {
        char where[1024];
        OpgenText text = {where, sizeof where, 0, 0};
        opgen_add(&text, "%s: %.200s", opgen_tail(a->path), name);
        status = opgen_npy_parse(where, bytes, (size_t)m->size, memory, array);
    }
    if (status) {
        opgen_give(&arrays->memory, name, length + 1);
        return status;
    }
    array->name = name;
    arrays->count++;
    return OPGEN_OK;
}

int opgen_npz_parse(const char *path, const void *bytes, size_t size, const OpgenAllocator *memory,
                    OpgenArrays *arrays) {
    memset(arrays, 0, sizeof *arrays);
    Archive archive = {.path = path, .bytes = bytes, .size = size};
    int status = find_directory(&archive);
    if (status) return status;
    if (archive.count > 65536) return bad(&archive, "more than 65536 members");
    arrays->memory = opgen_allocator_or_default(memory);
    arrays->room = (size_t)archive.count;
    arrays->arrays = opgen_get_zeros(&arrays->memory, arrays->room, sizeof *arrays->arrays);
    if (!arrays->arrays) status = OPGEN_NO_MEMORY;
    uint64_t at = archive.begin;
    for (uint64_t i = 0; i < archive.count && !status; i++) {
        Member member;
        status = next_member(&archive, &at, &member);
        if (!status) status = add_member(&archive, &member, memory, arrays);
    }
    if (!status && at != archive.end) status = bad(&archive, "its directory has more members than it says");
    if (status) opgen_arrays_free(arrays);
    return status;
}

int opgen_npz_read(const char *path, const OpgenAllocator *memory, OpgenArrays *arrays) {
    memset(arrays, 0, sizeof *arrays);
    if (!path) return opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_npz_read: path is NULL");
    OpgenAllocator used = opgen_allocator_or_default(memory);
    void *bytes;
    size_t size;
    int status = opgen_read_file(path, &used, &bytes, &size);
    if (status) return status;
    status = opgen_npz_parse(path, bytes, size, memory, arrays);
    opgen_give(&used, bytes, size);
    return status;
}

void opgen_arrays_free(OpgenArrays *arrays) {
    for (int32_t i = 0; i < arrays->count; i++)
        opgen_array_free(&arrays->arrays[i]);
    if (arrays->memory.free) opgen_give(&arrays->memory, arrays->arrays, arrays->room * sizeof *arrays->arrays);
    memset(arrays, 0, sizeof *arrays);
}

/* ---- writing ------------------------------------------------------------------------------------------------------
 */

/* What both headers of a member have: from the version that it takes to the length of its name. There is no date:
 * 1980-01-01. */
static void put_common(unsigned char **to, uint32_t sum, uint64_t size, size_t name) {
    put_number(to, 20, 2);
    put_number(to, 0x800, 2); /* names are UTF-8 */
    put_number(to, 0, 2);
    put_number(to, 0, 2);
    put_number(to, 1 << 5 | 1, 2);
    put_number(to, sum, 4);
    put_number(to, size, 4);
    put_number(to, size, 4);
    put_number(to, name, 2);
    put_number(to, 0, 2);
}

/* One member as .npy: its header and its data. */
static int prepare(const char *path, const OpgenNamed *named, char *header, size_t *header_size, const void **data,
                   size_t *bytes) {
    OpgenDtype dtype;
    const DLTensor *tensor = &named->tensor;
    size_t length = named->name ? strlen(named->name) : 0;
    if (length == 0 || length > 60000)
        return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: an array's name is NULL, empty or too long", opgen_tail(path));
    if (opgen_dtype_of(tensor->dtype, &dtype) != 0 || tensor->ndim < 0 || tensor->ndim > OPGEN_ARRAY_MAX_RANK ||
        (tensor->ndim > 0 && !tensor->shape) || opgen_shape_bytes(dtype, tensor->ndim, tensor->shape) < 0) {
        return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: array \"%.200s\": its dtype or shape is none that can be written",
                          opgen_tail(path), named->name);
    }
    *header_size = opgen_npy_header(header, OPGEN_NPY_HEADER, dtype, tensor->ndim, tensor->shape);
    return opgen_check_layout(path, "array", named->name, dtype, tensor, data, bytes);
}

int opgen_npz_write(const char *path, const OpgenNamed *tensors, int32_t count) {
    if (!path || count < 0 || count > 65534 || (count > 0 && !tensors))
        return opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_npz_write: %s",
                          !path ? "path is NULL" : "the list is NULL or its count out of range");
    /* Everything is looked at first: nothing is written of what cannot be written whole. */
    char header[OPGEN_NPY_HEADER];
    const void *data;
    size_t header_size, bytes;
    uint64_t total = END_SIZE;
    for (int32_t i = 0; i < count; i++) {
        int status = prepare(path, &tensors[i], header, &header_size, &data, &bytes);
        if (status) return status;
        total += LOCAL_SIZE + CENTRAL_SIZE + 2 * (strlen(tensors[i].name) + 4) + header_size + bytes;
        for (int32_t k = 0; k < i; k++) {
            if (strcmp(tensors[k].name, tensors[i].name) == 0)
                return opgen_fail(OPGEN_BAD_NAME, "%s: array \"%.200s\" is given twice", opgen_tail(path),
                                  tensors[i].name);
        }
        if (total >= 0xffffffff)
            return opgen_fail(OPGEN_BAD_ARGUMENT,
                              "%s: the arrays take more than the 4 GiB of an archive: write each to a .npy file",
                              opgen_tail(path));
    }
    OpgenOut out;
    int status = opgen_out_open(&out, path);
    if (status) return status;
    /* The directory repeats what was written before; it is made again from the tensors, so that nothing needs to be
     * kept. */
    uint64_t offset = 0, directory = 0;
    for (int directories = 0; directories < 2; directories++) {
        uint64_t place = 0;
        for (int32_t i = 0; i < count; i++) {
            unsigned char record[CENTRAL_SIZE], *to = record;
            if ((status = prepare(path, &tensors[i], header, &header_size, &data, &bytes))) break;
            uint32_t sum = checksum(checksum(0, header, header_size), data, bytes);
            size_t name = strlen(tensors[i].name) + 4;
            put_number(&to, directories ? 0x02014b50 : 0x04034b50, 4);
            if (directories) put_number(&to, 20, 2);
            put_common(&to, sum, header_size + bytes, name);
            if (directories) {
                put_number(&to, 0, 2);
                put_number(&to, 0, 2);
                put_number(&to, 0, 2);
                put_number(&to, 0, 4);
                put_number(&to, place, 4);
            }
            opgen_out_write(&out, record, (size_t)(to - record));
            opgen_out_write(&out, tensors[i].name, name - 4);
            opgen_out_write(&out, ".npy", 4);
            place += LOCAL_SIZE + name + header_size + bytes;
            if (directories) {
                directory += CENTRAL_SIZE + name;
            } else {
                opgen_out_write(&out, header, header_size);
                opgen_out_write(&out, data, bytes);
            }
        }
        offset = place;
    }
    unsigned char end[END_SIZE], *to = end;
    put_number(&to, 0x06054b50, 4);
    put_number(&to, 0, 2);
    put_number(&to, 0, 2);
    put_number(&to, (uint64_t)count, 2);
    put_number(&to, (uint64_t)count, 2);
    put_number(&to, directory, 4);
    put_number(&to, offset, 4);
    put_number(&to, 0, 2);
    opgen_out_write(&out, end, sizeof end);
    return opgen_out_close(&out);
}

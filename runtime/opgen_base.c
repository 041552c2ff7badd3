/* opgen_base.c: what every part of the runtime needs: the thread's error text, dtypes, memory from the caller, text
 * that is cut rather than overrun, the nearest name, reads that finish. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- errors -------------------------------------------------------------------------------------------------------
 */

/* A thread's text is in the thread's own storage: it needs no allocation, which may be what failed, and none to be
 * freed when the thread ends. */
static _Thread_local char last_error[2048];

const char *opgen_last_error(void) { return last_error; }

int opgen_fail(int status, const char *format, ...) {
    /* Made aside: an argument may be the old text. */
    char made[sizeof last_error];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(made, sizeof made, format, arguments);
    va_end(arguments);
    if (length < 0) made[0] = '\0';
    if (length >= (int)sizeof made) {
        size_t end = sizeof made - 4;
        while (end > 0 && ((unsigned char)made[end] & 0xC0) == 0x80)
            end--; /* no half characters */
        memcpy(made + end, "...", 4);
    }
    memcpy(last_error, made, sizeof made);
    return status;
}

const char *opgen_status_text(int status) {
    static const char *const texts[] = {"ok",         "bad argument", "bad name",      "bad dtype",
                                        "bad shape",  "bad device",   "bad layout",    "no memory",
                                        "no weights", "bad file",     "bad format",    "busy",
                                        "bad ABI",    "found NaN",    "device failed", "bad index"};
    return status >= 0 && (size_t)status < sizeof texts / sizeof *texts ? texts[status] : "the model's own status";
}

int opgen_run_failed(const OpgenModel *model, int status, const int64_t *fault, const char *what) {
    if (status != OPGEN_BAD_INDEX || !fault || fault[0] == 0)
        return opgen_fail(status, "%s: %s returned %d (%s)", model->name, what, status, opgen_status_text(status));
    int64_t calls = (int64_t)model->call_count + model->fold_call_count;
    bool named = model->calls && fault[3] >= 0 && fault[3] < calls;
    return opgen_fail(status, "%s: %s%s%sposition %" PRId64 " is beyond the %" PRId64 " that there are", model->name,
                      named ? "node \"" : "", named ? model->calls[fault[3]].nodes : "", named ? "\": " : "", fault[1],
                      fault[2]);
}

int opgen_fault_found(const OpgenModel *model, int64_t *fault) {
    if (!fault || ((volatile int64_t *)fault)[2] == 0) return OPGEN_OK;
    const int64_t found[4] = {1, fault[0], fault[1], fault[3]};
    memset(fault, 0, OPGEN_FAULT_BYTES);
    return opgen_run_failed(model, OPGEN_BAD_INDEX, found, "");
}

/* ---- dtypes -------------------------------------------------------------------------------------------------------
 */

/* DLPack's codes as numbers: an old dlpack.h lacks the newer names. */
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_BOOL = 6, DTYPES = OPGEN_F64 + 1 };

static const struct {
    const char *name;
    uint8_t code, bytes;
} dtypes[DTYPES] = {
    [OPGEN_BOOL] = {"bool", DL_BOOL, 1}, [OPGEN_U8] = {"u8", DL_UINT, 1},       [OPGEN_I8] = {"i8", DL_INT, 1},
    [OPGEN_U16] = {"u16", DL_UINT, 2},   [OPGEN_I16] = {"i16", DL_INT, 2},      [OPGEN_U32] = {"u32", DL_UINT, 4},
    [OPGEN_I32] = {"i32", DL_INT, 4},    [OPGEN_U64] = {"u64", DL_UINT, 8},     [OPGEN_I64] = {"i64", DL_INT, 8},
    [OPGEN_F16] = {"f16", DL_FLOAT, 2},  [OPGEN_BF16] = {"bf16", DL_BFLOAT, 2}, [OPGEN_F32] = {"f32", DL_FLOAT, 4},
    [OPGEN_F64] = {"f64", DL_FLOAT, 8},
};

static bool is_dtype(OpgenDtype dtype) { return (int)dtype >= 0 && (int)dtype < DTYPES; }

const char *opgen_dtype_name(OpgenDtype dtype) { return is_dtype(dtype) ? dtypes[dtype].name : "?"; }

size_t opgen_dtype_size(OpgenDtype dtype) { return is_dtype(dtype) ? dtypes[dtype].bytes : 0; }

DLDataType opgen_dl_dtype(OpgenDtype dtype) {
    DLDataType type = {0, 0, 0};
    if (!is_dtype(dtype)) return type;
    type.code = dtypes[dtype].code;
    type.bits = (uint8_t)(dtypes[dtype].bytes * 8);
    type.lanes = 1;
    return type;
}

int opgen_dtype_of(DLDataType type, OpgenDtype *dtype) {
    for (int i = 0; i < DTYPES; i++) {
        if (type.lanes == 1 && type.code == dtypes[i].code && type.bits == dtypes[i].bytes * 8) {
            *dtype = (OpgenDtype)i;
            return 0;
        }
    }
    return -1;
}

bool opgen_multiply(int64_t a, int64_t b, int64_t *product) {
    if (a < 0 || b < 0) return false;
    bool small = ((uint64_t)a | (uint64_t)b) >> 31 == 0; /* a division takes longer than all else of a check */
    if (!small && b > 0 && a > INT64_MAX / b) return false;
    *product = a * b;
    return true;
}

int64_t opgen_shape_bytes(OpgenDtype dtype, int32_t rank, const int64_t *shape) {
    int64_t bytes = (int64_t)opgen_dtype_size(dtype);
    if (bytes == 0 || rank < 0) return -1;
    bool empty = false;
    for (int32_t i = 0; i < rank; i++) {
        if (shape[i] < 0) return -1;
        empty |= shape[i] == 0;
    }
    if (empty) return 0; /* (2^40, 2^40, 0) has no elements, whatever the others are */
    for (int32_t i = 0; i < rank; i++)
        if (!opgen_multiply(bytes, shape[i], &bytes)) return -1;
    return (uint64_t)bytes > SIZE_MAX ? -1 : bytes;
}

/* ---- memory -------------------------------------------------------------------------------------------------------
 */

static void *library_alloc(void *context, size_t size, size_t align) {
    (void)context;
    void *memory = NULL;
    return posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size) == 0 ? memory : NULL;
}

static void library_free(void *context, void *memory, size_t size) {
    (void)context;
    (void)size;
    free(memory);
}

OpgenAllocator opgen_allocator_or_default(const OpgenAllocator *allocator) {
    if (allocator && allocator->alloc) return *allocator;
    return (OpgenAllocator){library_alloc, library_free, NULL};
}

void *opgen_get(const OpgenAllocator *allocator, size_t size, size_t align) {
    if (size == 0) size = 1;
    void *memory = allocator->alloc(allocator->context, size, align);
    if (!memory) {
        opgen_fail(OPGEN_NO_MEMORY, "out of memory: %zu bytes were asked for", size);
    } else if ((uintptr_t)memory % align != 0) {
        /* An allocator that does not align would show as a crash in some kernel. */
        allocator->free(allocator->context, memory, size);
        opgen_fail(OPGEN_NO_MEMORY, "the allocator's memory is not at a multiple of %zu bytes, as it was asked to be",
                   align);
        memory = NULL;
    }
    return memory;
}

void *opgen_get_zeros(const OpgenAllocator *allocator, size_t count, size_t size) {
    if (size > 0 && count > SIZE_MAX / size) {
        opgen_fail(OPGEN_NO_MEMORY, "out of memory: %zu times %zu bytes were asked for", count, size);
        return NULL;
    }
    void *memory = opgen_get(allocator, count * size, _Alignof(max_align_t));
    if (memory) memset(memory, 0, count * size);
    return memory;
}

void opgen_give(const OpgenAllocator *allocator, void *memory, size_t size) {
    if (memory) allocator->free(allocator->context, memory, size == 0 ? 1 : size);
}

int opgen_device_fail(const OpgenBody *body, const char *what, int error) {
    const char *text = body->device->error_text ? body->device->error_text(error) : NULL;
    bool lost = body->device->lost && body->device->lost(body->device_id);
    return opgen_fail(OPGEN_DEVICE_FAILED, "%s: %s failed: %s error %d: %s%s", body->model->name, what,
                      body->device->name, error, text ? text : "unknown",
                      lost ? "; the device does nothing more for this process: start it anew" : "");
}

void *opgen_device_get(const OpgenBody *body, size_t size) {
    if (size == 0) size = 1;
    if (body->device_memory.alloc) return opgen_get(&body->device_memory, size, OPGEN_ARENA_ALIGN);
    void *memory = NULL;
    int error = body->device->alloc(body->device_id, size, OPGEN_ARENA_ALIGN, &memory);
    if (!error && memory) return memory;
    const char *text = body->device->error_text ? body->device->error_text(error) : NULL;
    opgen_fail(OPGEN_NO_MEMORY, "%s: out of memory on %s %d: %zu bytes were asked for: %s", body->model->name,
               body->device->name, (int)body->device_id, size, text ? text : "unknown");
    return NULL;
}

void opgen_device_give(const OpgenBody *body, void *memory, size_t size) {
    if (!memory) return;
    if (body->device_memory.alloc) {
        opgen_give(&body->device_memory, memory, size);
    } else {
        body->device->free(body->device_id, memory, size == 0 ? 1 : size);
    }
}

/* ---- text ---------------------------------------------------------------------------------------------------------
 */

void opgen_add(OpgenText *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t room = text->room - text->length;
    int length = vsnprintf(room > 0 ? text->text + text->length : NULL, room, format, arguments);
    va_end(arguments);
    if (length <= 0) return;
    text->total += (size_t)length;
    if (room == 0) return;
    if ((size_t)length >= room) {
        text->length = text->room - 1;
        if (text->room >= 4) memcpy(text->text + text->room - 4, "...", 4);
    } else {
        text->length += (size_t)length;
    }
}

void opgen_add_shape(OpgenText *text, int32_t rank, const int64_t *shape) {
    opgen_add(text, "(");
    for (int32_t i = 0; i < rank; i++)
        opgen_add(text, "%s%lld", i > 0 ? ", " : "", (long long)shape[i]);
    opgen_add(text, rank == 1 ? ",)" : ")");
}

const char *opgen_tail(const char *path) {
    const size_t most = 400;
    size_t length = strlen(path);
    if (length <= most) return path;
    const char *tail = path + (length - most), *slash = strchr(tail, '/');
    return slash ? slash + 1 : tail;
}

/* ---- the nearest name ---------------------------------------------------------------------------------------------
 */

enum { NAME_ROOM = 64 };

/* How many letters are wrong, missing, too many or swapped; NAME_ROOM for names that are too long to compare. */
static size_t distance(const char *a, const char *b) {
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length >= NAME_ROOM || b_length >= NAME_ROOM) return NAME_ROOM;
    size_t rows[3][NAME_ROOM + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t k = 0; k <= b_length; k++) {
        last[k] = k;
        before[k] = k;
    }
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t k = 1; k <= b_length; k++) {
            size_t best = last[k - 1] + (a[i - 1] != b[k - 1]);
            if (last[k] + 1 < best) best = last[k] + 1;
            if (row[k - 1] + 1 < best) best = row[k - 1] + 1;
            bool swapped = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
            if (swapped && before[k - 2] + 1 < best) best = before[k - 2] + 1;
            row[k] = best;
        }
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[b_length];
}

const char *opgen_tensor_name_at(const void *tensors, int32_t index) {
    return ((const OpgenTensor *)tensors)[index].name;
}

const char *opgen_suggest(char *room, size_t size, const char *name, const void *list, int32_t count, OpgenNameAt *at) {
    size_t best = strlen(name) < 3 ? 2 : 3; /* farther is no likely slip */
    const char *nearest = NULL;
    for (int32_t i = 0; i < count; i++) {
        size_t far = distance(name, at(list, i));
        if (far < best) {
            best = far;
            nearest = at(list, i);
        }
    }
    room[0] = '\0';
    if (nearest) {
        snprintf(room, size, ", did you mean \"%s\"?", nearest);
    } else if (count == 1) {
        snprintf(room, size, ", there is only \"%.60s\"", at(list, 0));
    }
    return room;
}

/* ---- files --------------------------------------------------------------------------------------------------------
 */

int opgen_read_at(int fd, const char *path, void *to, size_t size, uint64_t offset) {
    size_t done = 0;
    while (done < size) {
        size_t part = size - done < ((size_t)1 << 30) ? size - done : (size_t)1 << 30;
        ssize_t got = pread(fd, (char *)to + done, part, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return opgen_fail(OPGEN_BAD_FILE, "%s: cannot be read: %s", opgen_tail(path), strerror(errno));
        if (got == 0) {
            return opgen_fail(OPGEN_BAD_FILE,
                              "%s: ends at byte %llu, where %zu more were wanted: it was cut short meanwhile",
                              opgen_tail(path), (unsigned long long)(offset + done), size - done);
        }
        done += (size_t)got;
    }
    return OPGEN_OK;
}

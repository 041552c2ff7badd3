/* run_device.c: runs a model of a library for a device on tensors from a file, and hands back what it makes.
 *
 *     run_device LIBRARY MODEL IN OUT [IN OUT]...      one instance, one run after the other
 *
 * Files are those of tests/ops/run_model.c. Each run is done four times, with other poison in the outputs: with all
 * tensors where vectors may lie, with inputs and then with outputs an element further on, and once more as the last,
 * which then is a graph that is launched. All have to give the same bits, NaN aside; behind and in front of each tensor
 * are bytes that nobody may write. An input that was changed, as operators in place do, is handed back as `NAME.after`.
 */
#include "opgen_device.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { GUARD = 192, PASSES = 4 };
static const int poison[PASSES] = {0xa5, 0x3c, 0x71, 0x96};
static const OpgenDevice *device;

typedef struct Given {
    char name[256];
    OpgenDtype dtype;
    int32_t rank;
    int64_t shape[64];
    const char *data;
    size_t size;
} Given;

/* A tensor with what lies around it: on the device, and as the host knows it. */
typedef struct Block {
    char *memory, *host;
    size_t size, front, all;
    int guard;
} Block;

static void fail(const char *what, const char *name) {
    fprintf(stderr, "%s: %s\n", name, what);
    exit(1);
}

static void need(int status, const char *what) {
    if (status == OPGEN_OK) return;
    fprintf(stderr, "%s: %s: %s\n", what, opgen_status_text(status), opgen_last_error());
    exit(1);
}

static void tried(int error, const char *what) {
    if (error != 0) fail(device->error_text(error), what);
}

static void *get(size_t size) {
    void *memory = calloc(1, size + 1);
    if (memory == NULL) abort();
    return memory;
}

/* ---- files */

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) fail("cannot be read", path);
    long end = ftell(file);
    rewind(file);
    char *bytes = get((size_t)end + 1);
    if (fread(bytes, 1, (size_t)end, file) != (size_t)end) fail("cannot be read", path);
    fclose(file);
    return bytes;
}

static OpgenDtype dtype_named(const char *name) {
    for (int dtype = OPGEN_BOOL; dtype <= OPGEN_F64; dtype++)
        if (strcmp(opgen_dtype_name((OpgenDtype)dtype), name) == 0) return (OpgenDtype)dtype;
    fail("no dtype", name);
    return OPGEN_BOOL;
}

static Given *read_given(const char *path, int32_t *count) {
    char *at = read_file(path);
    int32_t room = 0;
    for (const char *line = at; *line != '\n' && *line != '\0'; line = strchr(line, '\n') + 1)
        room++;
    Given *given = get((size_t)room * sizeof *given);
    for (int32_t i = 0; i < room; i++) {
        char dtype[16];
        int used;
        if (sscanf(at, "%255s %15s %d%n", given[i].name, dtype, &given[i].rank, &used) != 3) fail("bad line", path);
        given[i].dtype = dtype_named(dtype);
        at += used;
        for (int32_t d = 0; d < given[i].rank; d++)
            given[i].shape[d] = strtoll(at, &at, 10);
        at++;
    }
    at++;
    for (int32_t i = 0; i < room; i++) {
        given[i].data = at;
        given[i].size = (size_t)opgen_shape_bytes(given[i].dtype, given[i].rank, given[i].shape);
        at += given[i].size;
    }
    *count = room;
    return given;
}

static void write_head(FILE *file, const char *name, const char *more, const DLTensor *tensor) {
    OpgenDtype dtype = OPGEN_BOOL;
    need(opgen_dtype_of(tensor->dtype, &dtype), name);
    fprintf(file, "%s%s %s %d", name, more, opgen_dtype_name(dtype), tensor->ndim);
    for (int32_t d = 0; d < tensor->ndim; d++)
        fprintf(file, " %lld", (long long)tensor->shape[d]);
    fputc('\n', file);
}

/* ---- memory: one allocation for all, since there are thousands of tensors */

typedef struct Pool {
    char *memory;
    size_t used, size;
} Pool;

static size_t room_of(size_t size) { return (2 * GUARD + 64 + size + 255) / 256 * 256; }

static Block block_new(Pool *pool, size_t size, size_t shift, int guard) {
    Block block = {.size = size, .front = GUARD + shift, .all = room_of(size), .guard = guard};
    block.memory = pool->memory + pool->used;
    pool->used += block.all;
    if (pool->used > pool->size) abort();
    block.host = get(block.all);
    memset(block.host, guard, block.all);
    return block;
}

static char *data_of(const Block *block) { return block->host + block->front; }

static void block_check(const Block *block, const char *name) {
    for (size_t i = 0; i < block->all; i++) {
        if (i == block->front) i += block->size;
        if (i < block->all && block->host[i] != (char)block->guard)
            fail(i < block->front ? "written in front of" : "written behind", name);
    }
}

/* ---- runs */

static bool same_element(OpgenDtype dtype, const char *a, const char *b) {
    uint64_t bits[2] = {0, 0}, infinity = 0;
    size_t size = opgen_dtype_size(dtype);
    memcpy(&bits[0], a, size);
    memcpy(&bits[1], b, size);
    if (bits[0] == bits[1]) return true;
    if (dtype == OPGEN_F16) infinity = 0x7c00;
    if (dtype == OPGEN_BF16) infinity = 0x7f80;
    if (dtype == OPGEN_F32) infinity = 0x7f800000;
    if (dtype == OPGEN_F64) infinity = (uint64_t)0x7ff << 52;
    uint64_t magnitude = ((uint64_t)1 << (8 * size - 1)) - 1;
    return infinity != 0 && (bits[0] & magnitude) > infinity && (bits[1] & magnitude) > infinity;
}

static bool same(OpgenDtype dtype, const Block *a, const Block *b) {
    size_t size = opgen_dtype_size(dtype);
    for (size_t at = 0; at < a->size; at += size)
        if (!same_element(dtype, data_of(a) + at, data_of(b) + at)) return false;
    return true;
}

static void bring(const Block *blocks, int32_t n, OpgenCopy way) {
    for (int32_t i = 0; i < n; i++) {
        const Block *block = &blocks[i];
        tried(way == OPGEN_TO_DEVICE ? device->copy(0, block->memory, block->host, block->all, way, NULL)
                                     : device->copy(0, block->host, block->memory, block->all, way, NULL),
              "copy");
    }
    tried(device->synchronize(0, NULL), "synchronize");
}

static void set(DLTensor *tensor, const Block *block) {
    tensor->data = block->memory + block->front;
    tensor->device.device_type = (DLDeviceType)device->dl_device;
}

static void run(OpgenInstance *instance, const char *in, const char *out) {
    const OpgenModel *model = opgen_model(instance);
    const int32_t n_in = model->input_count, n_out = model->output_count;
    int32_t n_given;
    Given *given = read_given(in, &n_given);
    if (n_given != n_in) fail("does not have the inputs of the model", in);
    DLTensor *inputs = get((size_t)n_in * sizeof *inputs), *outputs = get((size_t)n_out * sizeof *outputs);
    Block *from = get((size_t)n_in * sizeof *from), *to[PASSES];
    const Given **of = get((size_t)n_in * sizeof *of);
    for (int32_t i = 0; i < n_in; i++) {
        for (int32_t k = 0; k < n_in && of[i] == NULL; k++) {
            int32_t at = (i + k) % n_in;
            if (strcmp(given[at].name, model->inputs[i].name) == 0) of[i] = &given[at];
        }
        if (of[i] == NULL) fail("is not among what is given", model->inputs[i].name);
        inputs[i] = opgen_tensor(NULL, of[i]->dtype, of[i]->rank, (int64_t *)(uintptr_t)of[i]->shape);
        inputs[i].device.device_type = (DLDeviceType)device->dl_device;
    }
    for (int32_t i = 0; i < n_out; i++) {
        outputs[i].ndim = model->outputs[i].rank;
        outputs[i].shape = get((size_t)outputs[i].ndim * sizeof(int64_t));
    }
    need(opgen_infer_shapes(instance, inputs, n_in, outputs, n_out), "infer shapes");
    Pool pool = {NULL, 0, 0};
    for (int32_t i = 0; i < n_in; i++)
        pool.size += room_of(of[i]->size);
    for (int32_t i = 0; i < n_out; i++)
        pool.size += room_of((size_t)opgen_shape_bytes(model->outputs[i].dtype, outputs[i].ndim, outputs[i].shape));
    void *memory;
    tried(device->alloc(0, pool.size + 1, 256, &memory), "alloc");
    pool.memory = memory;
    for (int pass = 0; pass < PASSES; pass++) {
        to[pass] = get((size_t)n_out * sizeof **to);
        pool.used = 0;
        for (int32_t i = 0; i < n_in; i++) {
            from[i] = block_new(&pool, of[i]->size, pass == 1 ? opgen_dtype_size(of[i]->dtype) : 0, 0x5b);
            memcpy(data_of(&from[i]), of[i]->data, of[i]->size);
            set(&inputs[i], &from[i]);
        }
        for (int32_t i = 0; i < n_out; i++) {
            OpgenDtype dtype = model->outputs[i].dtype;
            size_t bytes = (size_t)opgen_shape_bytes(dtype, outputs[i].ndim, outputs[i].shape);
            to[pass][i] = block_new(&pool, bytes, pass > 1 ? opgen_dtype_size(dtype) : 0, 0xc9);
            memset(data_of(&to[pass][i]), poison[pass], bytes);
            set(&outputs[i], &to[pass][i]);
        }
        bring(from, n_in, OPGEN_TO_DEVICE);
        bring(to[pass], n_out, OPGEN_TO_DEVICE);
        need(opgen_run(instance, inputs, n_in, outputs, n_out, NULL), "run");
        tried(device->synchronize(0, NULL), "the run");
        bring(from, n_in, OPGEN_TO_HOST);
        bring(to[pass], n_out, OPGEN_TO_HOST);
        for (int32_t i = 0; i < n_in; i++)
            block_check(&from[i], model->inputs[i].name);
        for (int32_t i = 0; i < n_out; i++)
            block_check(&to[pass][i], model->outputs[i].name);
    }
    device->free(0, memory, pool.size + 1);
    FILE *file = fopen(out, "wb");
    if (file == NULL) fail("cannot be written", out);
    for (int32_t i = 0; i < n_out; i++) {
        OpgenDtype dtype = model->outputs[i].dtype;
        bool steady = true;
        for (int pass = 1; pass < PASSES; pass++)
            steady &= same(dtype, &to[0][i], &to[pass][i]);
        write_head(file, model->outputs[i].name, steady ? "" : ".unsteady", &outputs[i]);
    }
    for (int32_t i = 0; i < n_in; i++)
        if (memcmp(data_of(&from[i]), of[i]->data, of[i]->size) != 0)
            write_head(file, model->inputs[i].name, ".after", &inputs[i]);
    fputc('\n', file);
    for (int32_t i = 0; i < n_out; i++)
        fwrite(data_of(&to[0][i]), 1, to[0][i].size, file);
    for (int32_t i = 0; i < n_in; i++)
        if (memcmp(data_of(&from[i]), of[i]->data, of[i]->size) != 0) fwrite(data_of(&from[i]), 1, of[i]->size, file);
    if (fclose(file) != 0) fail("cannot be written", out);
}

int main(int argc, char **argv) {
    if (argc < 5 || argc % 2 != 1) fail("usage: run_device LIBRARY MODEL IN OUT [IN OUT]...", argv[0]);
    OpgenLibrary *library;
    need(opgen_open(argv[1], &library), argv[1]);
    const OpgenModel *model = opgen_library_find(library, argv[2]);
    if (model == NULL) fail(opgen_last_error(), argv[2]);
    char symbol[80];
    snprintf(symbol, sizeof symbol, "opgen_device_%s", model->backend);
    void *handle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    device = handle == NULL ? NULL : dlsym(handle, symbol);
    if (device == NULL || device->host) fail("has no device of its own", argv[1]);
    OpgenInstance *instance;
    need(opgen_create(model, NULL, &instance), argv[2]);
    for (int i = 3; i + 1 < argc; i += 2)
        run(instance, argv[i], argv[i + 1]);
    need(opgen_free(instance), "free");
    dlclose(handle);
    need(opgen_close(library), "close");
    return 0;
}

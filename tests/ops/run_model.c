/* run_model.c: runs a model of a generated library on tensors from a file, and hands back what it makes.
 *
 *     run_model LIBRARY MODEL THREADS IN OUT [IN OUT]...      one instance, one run after the other
 *
 * A file of tensors is lines `name dtype rank size...`, an empty line, and then the bytes of all of them. Each run is
 * done three times, with outputs poisoned by other bytes: with outputs, then inputs, and then nothing an element
 * further on than where vectors may lie. All have to give the same bits, NaN aside. Behind and in front of each output
 * are bytes that nobody may write; an input that was changed, as operators in place do, is handed back as `NAME.after`.
 * The instance's memory is filled with ones, which are NaN and -1: nobody may count on zeros.
 */
#include "opgen.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* A sanitizer watches what lies around a block by itself, and better if nothing of ours does. */
#ifdef SANITIZED
#define GUARD 0
#else
#define GUARD 192
#endif

/* Around inputs and around outputs: a copy that goes too far must not write what is there. */
enum { AROUND_INPUT = 0x5b, AROUND_OUTPUT = 0xc9 };
static const int poison[3] = {0xa5, 0x3c, 0x71};

typedef struct Given {
    char name[256];
    OpgenDtype dtype;
    int32_t rank;
    int64_t shape[64];
    const char *data;
    size_t size;
} Given;

/* What a run allocates for itself, freed at its end: each block begins with the place of the one before. */
typedef struct Piece {
    struct Piece *before;
    max_align_t data[];
} Piece;
static Piece *pieces;

static void *get(size_t size) {
    Piece *piece = malloc(sizeof(Piece) + size);
    if (piece == NULL) abort();
    piece->before = pieces;
    pieces = piece;
    return piece->data;
}

static void release(void) {
    while (pieces != NULL) {
        Piece *piece = pieces;
        pieces = piece->before;
        free(piece);
    }
}

static void need(int status, const char *what) {
    if (status == OPGEN_OK) return;
    fprintf(stderr, "%s: %s: %s\n", what, opgen_status_text(status), opgen_last_error());
    exit(1);
}

static void fail(const char *what, const char *name) {
    fprintf(stderr, "%s: %s\n", name, what);
    exit(1);
}

/* ---- files */

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) fail("cannot be read", path);
    long end = ftell(file);
    rewind(file);
    char *bytes = get((size_t)end + 1);
    *size = fread(bytes, 1, (size_t)end, file);
    if (*size != (size_t)end) fail("cannot be read", path);
    bytes[*size] = '\0';
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
    size_t size;
    char *at = read_file(path, &size);
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

static size_t bytes_of(const DLTensor *tensor) {
    OpgenDtype dtype = OPGEN_BOOL;
    need(opgen_dtype_of(tensor->dtype, &dtype), "dtype");
    return (size_t)opgen_shape_bytes(dtype, tensor->ndim, tensor->shape);
}

/* ---- memory */

static void *alloc_dirty(void *context, size_t size, size_t align) {
    (void)context;
    void *memory = NULL;
    if (posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size) != 0) return NULL;
    return memset(memory, 0xff, size);
}

static void free_dirty(void *context, void *memory, size_t size) {
    (void)context, (void)size;
    free(memory);
}

typedef struct Block {
    char *memory, *data;
    size_t size, front;
    char guard;
} Block;

/* `shift`: so many bytes behind a multiple of 64. */
static Block block_new(size_t size, size_t shift, int guard) {
    Block block = {.size = size, .front = GUARD + shift, .guard = (char)guard};
    void *memory = NULL;
    size_t all = block.front + size + GUARD;
    if (posix_memalign(&memory, 64, all == 0 ? 1 : all) != 0) abort();
    block.memory = memory;
    block.data = block.memory + block.front;
    memset(block.memory, guard, block.front);
    memset(block.data + size, guard, GUARD);
    return block;
}

static void block_check(const Block *block, const char *name) {
    for (size_t i = 0; i < block->front; i++)
        if (block->memory[i] != block->guard) fail("written in front of", name);
    for (size_t i = 0; i < GUARD; i++)
        if (block->data[block->size + i] != block->guard) fail("written behind", name);
}

/* ---- runs */

/* Whether two elements are the same: bits, but for NaN, of which there are many. */
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
        if (!same_element(dtype, a->data + at, b->data + at)) return false;
    return true;
}

static size_t element_size(const OpgenTensor *tensor) { return opgen_dtype_size(tensor->dtype); }

static void run(OpgenInstance *instance, const char *in, const char *out) {
    const OpgenModel *model = opgen_model(instance);
    const int32_t n_in = model->input_count, n_out = model->output_count;
    int32_t n_given;
    Given *given = read_given(in, &n_given);
    if (n_given != n_in) fail("does not have the inputs of the model", in);
    DLTensor *inputs = get((size_t)n_in * sizeof *inputs), *outputs = get((size_t)n_out * sizeof *outputs);
    Block *from = get((size_t)n_in * sizeof *from), *to[3];
    for (int pass = 0; pass < 3; pass++)
        to[pass] = get((size_t)n_out * sizeof **to);
    const Given **of = get((size_t)n_in * sizeof *of);
    for (int32_t i = 0; i < n_in; i++) /* in the model's order, most likely */
        of[i] = strcmp(given[i].name, model->inputs[i].name) == 0 ? &given[i] : NULL;
    for (int32_t i = 0; i < n_in; i++) {
        for (int32_t k = 0; k < n_in && of[i] == NULL; k++)
            if (strcmp(given[k].name, model->inputs[i].name) == 0) of[i] = &given[k];
        if (of[i] == NULL) fail("is not among what is given", model->inputs[i].name);
    }
    for (int pass = 0; pass < 3; pass++) {
        for (int32_t i = 0; i < n_in; i++) {
            from[i] = block_new(of[i]->size, pass != 1 ? 0 : element_size(&model->inputs[i]), AROUND_INPUT);
            memcpy(from[i].data, of[i]->data, of[i]->size);
            inputs[i] = opgen_tensor(from[i].data, of[i]->dtype, of[i]->rank, (int64_t *)(uintptr_t)of[i]->shape);
        }
        for (int32_t i = 0; i < n_out; i++) {
            memset(&outputs[i], 0, sizeof outputs[i]);
            outputs[i].ndim = model->outputs[i].rank;
            outputs[i].shape = get((size_t)outputs[i].ndim * sizeof(int64_t));
        }
        need(opgen_infer_shapes(instance, inputs, n_in, outputs, n_out), "infer shapes");
        for (int32_t i = 0; i < n_out; i++) {
            to[pass][i] =
                block_new(bytes_of(&outputs[i]), pass == 0 ? element_size(&model->outputs[i]) : 0, AROUND_OUTPUT);
            memset(to[pass][i].data, poison[pass], to[pass][i].size);
            outputs[i].data = to[pass][i].data;
        }
        need(opgen_run(instance, inputs, n_in, outputs, n_out, NULL), "run");
        for (int32_t i = 0; i < n_in; i++)
            block_check(&from[i], model->inputs[i].name);
        for (int32_t i = 0; i < n_out; i++)
            block_check(&to[pass][i], model->outputs[i].name);
        if (pass == 2) break;
        for (int32_t i = 0; i < n_in; i++)
            free(from[i].memory);
    }
    FILE *file = fopen(out, "wb");
    if (file == NULL) fail("cannot be written", out);
    for (int32_t i = 0; i < n_out; i++) {
        const char *name = model->outputs[i].name;
        bool steady =
            same(model->outputs[i].dtype, &to[0][i], &to[1][i]) && same(model->outputs[i].dtype, &to[0][i], &to[2][i]);
        write_head(file, name, steady ? "" : ".unsteady", &outputs[i]);
    }
    for (int32_t i = 0; i < n_in; i++)
        if (memcmp(from[i].data, of[i]->data, of[i]->size) != 0)
            write_head(file, model->inputs[i].name, ".after", &inputs[i]);
    fputc('\n', file);
    for (int32_t i = 0; i < n_out; i++)
        fwrite(to[2][i].data, 1, to[2][i].size, file);
    for (int32_t i = 0; i < n_in; i++)
        if (memcmp(from[i].data, of[i]->data, of[i]->size) != 0) fwrite(from[i].data, 1, of[i]->size, file);
    if (fclose(file) != 0) fail("cannot be written", out);
    for (int32_t i = 0; i < n_in; i++)
        free(from[i].memory);
    for (int32_t i = 0; i < n_out; i++) {
        free(to[0][i].memory);
        free(to[1][i].memory);
        free(to[2][i].memory);
    }
    release();
}

int main(int argc, char **argv) {
    if (argc < 6 || argc % 2 != 0) fail("usage: run_model LIBRARY MODEL THREADS IN OUT [IN OUT]...", argv[0]);
    OpgenLibrary *library;
    need(opgen_open(argv[1], &library), argv[1]);
    OpgenOptions options = opgen_options();
    options.threads = (int32_t)strtol(argv[3], NULL, 10);
    options.allocator = (OpgenAllocator){alloc_dirty, free_dirty, NULL};
    OpgenInstance *instance;
    const OpgenModel *model = opgen_library_find(library, argv[2]);
    if (model == NULL) fail(opgen_last_error(), argv[2]);
    need(opgen_create(model, &options, &instance), argv[2]);
    for (int i = 4; i + 1 < argc; i += 2)
        run(instance, argv[i], argv[i + 1]);
    need(opgen_free(instance), "free");
    need(opgen_close(library), "close");
    return 0;
}

/* fuzz_safetensors.c: any bytes as a safetensors file. They are a table or there is a text; what a table names is
 * inside of the file, without hole or overlap, of the size that dtype and shape say, and is found by its name; all
 * memory comes back, when some of it is missing as well. */
#include "opgen_safetensors.h"

#include <stdlib.h>

static void require(int condition) {
    if (!condition) abort();
}

typedef struct Memory {
    long blocks, calls, fail_at;
} Memory;

static void *get(void *context, size_t size, size_t align) {
    Memory *memory = context;
    void *block = NULL;
    if (++memory->calls == memory->fail_at ||
        posix_memalign(&block, align < sizeof(void *) ? sizeof(void *) : align, size))
        return NULL;
    memory->blocks++;
    return block;
}

static void give(void *context, void *block, size_t size) {
    (void)size;
    ((Memory *)context)->blocks--;
    free(block);
}

static void check(const OpgenSafetensors *file, size_t size) {
    uint64_t sum = 0;
    for (int32_t i = 0; i < file->count; i++) {
        const OpgenStored *tensor = &file->tensors[i];
        require(tensor->begin <= size && tensor->size <= size - tensor->begin);
        require(tensor->dtype < 0 ||
                (uint64_t)opgen_shape_bytes((OpgenDtype)tensor->dtype, tensor->rank, tensor->shape) == tensor->size);
        require(opgen_safetensors_find(file, tensor->name) == tensor);
        require(i == 0 || strcmp(file->tensors[i - 1].name, tensor->name) < 0);
        sum += tensor->size;
    }
    require(sum <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Memory memory = {0};
    OpgenAllocator allocator = {get, give, &memory};
    OpgenSafetensors file;
    int status = opgen_safetensors_parse("fuzz", bytes, size, size, &allocator, &file);
    if (status) {
        require(opgen_last_error()[0] != '\0' && file.tensors == NULL);
    } else {
        check(&file, size);
        opgen_safetensors_free(&file);
    }
    require(memory.blocks == 0);
    long calls = memory.calls;
    for (long i = 1; i <= calls; i++) {
        memory = (Memory){.fail_at = i};
        require(opgen_safetensors_parse("fuzz", bytes, size, size, &allocator, &file) == OPGEN_NO_MEMORY);
        require(memory.blocks == 0);
    }
    return 0;
}

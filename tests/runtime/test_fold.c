/* test_fold.c: what is computed once for a set of weights: when, how often, with which weights, and what happens when
 * it cannot be. */
#include "folding.h"
#include "opgen_device.h"

#include <unistd.h>
#include <cmocka.h>

static const float first[] = {1, 2, 3, 4, 10, 20, 30, 40, 5, 6, 7, 8},
                   second[] = {-1, 0.5f, 8, 2, 7, 7, 7, 7, -3, -3, 0, 1};
static char *path, *other;

static void runs_with(OpgenInstance *instance, const float *w, const float *b, const float *c) {
    Folding all;
    make_folding(&all);
    for (int again = 0; again < 2; again++) {
        if (run_folding(instance, &all)) fail_msg("%s", opgen_last_error());
        assert_true(folding_right(&all, w, b, c));
    }
}

static void failed(int got, int wanted, const char *one, const char *two) {
    if (got != wanted || !strstr(opgen_last_error(), one) || !strstr(opgen_last_error(), two))
        fail_msg("status %d (wanted %d): %s (wanted: %s ... %s)", got, wanted, opgen_last_error(), one, two);
}

static int replace(OpgenInstance *instance, const char *name, const float *values) {
    int64_t four = COLUMNS;
    DLTensor tensor = opgen_tensor((void *)(uintptr_t)values, OPGEN_F32, 1, &four);
    return opgen_weights_replace(instance, &name, &tensor, 1);
}

static OpgenInstance *make(const OpgenModel *model, const OpgenOptions *options) {
    OpgenInstance *instance;
    if (opgen_create(model, options, &instance)) fail_msg("%s", opgen_last_error());
    return instance;
}

static long folds_since(long *before) {
    long now = atomic_load(&folding_calls), more = now - *before;
    *before = now;
    return more;
}

/* ---- with which weights ---- */

static void loaded_replaced_and_loaded_again(void **state) {
    (void)state;
    for (int copy = 0; copy < 2; copy++) {
        OpgenOptions options = opgen_options();
        options.weights = path;
        options.copy_weights = copy;
        long count = atomic_load(&folding_calls);
        write_folding(path, first);
        write_folding(other, second);
        OpgenInstance *instance = make(&folding, &options);
        assert_int_equal(folds_since(&count), 1);
        runs_with(instance, first, first + 4, first + 8);
        assert_int_equal(folds_since(&count), 0); /* runs do not */
        assert_int_equal(replace(instance, "w", second), OPGEN_OK);
        assert_int_equal(folds_since(&count), 1);
        runs_with(instance, second, first + 4, first + 8);
        assert_int_equal(replace(instance, "b", second + 4), OPGEN_OK);
        runs_with(instance, second, second + 4, first + 8);
        assert_int_equal(folds_since(&count), 1);
        assert_int_equal(opgen_weights_load(instance, path), OPGEN_OK);
        assert_int_equal(folds_since(&count), 1);
        runs_with(instance, first, first + 4, first + 8);
        assert_int_equal(opgen_weights_load(instance, other), OPGEN_OK);
        runs_with(instance, second, second + 4, second + 8);
        assert_int_equal(opgen_free(instance), OPGEN_OK);
    }
}

/* What fold does not read changes nothing of what it made, which outlives the set that it was made for. */
static void what_fold_does_not_read(void **state) {
    (void)state;
    OpgenOptions options = opgen_options();
    options.weights = path;
    write_folding(path, first);
    OpgenInstance *instance = make(&folding, &options);
    long count = atomic_load(&folding_calls);
    for (int i = 0; i < 5; i++) {
        const float *c = i % 2 ? first + 8 : second + 8;
        assert_int_equal(replace(instance, "c", c), OPGEN_OK);
        assert_int_equal(folds_since(&count), 0);
        runs_with(instance, first, first + 4, c);
    }
    assert_int_equal(opgen_weights_replace(instance, NULL, NULL, 0), OPGEN_OK);
    assert_int_equal(folds_since(&count), 0);
    assert_int_equal(replace(instance, "b", second), OPGEN_OK);
    assert_int_equal(folds_since(&count), 1);
    runs_with(instance, first, second, second + 8);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void when_all_are_there(void **state) {
    (void)state;
    OpgenOptions options = opgen_options();
    options.no_weights = 1;
    long count = atomic_load(&folding_calls);
    OpgenInstance *instance = make(&folding, &options);
    Folding all;
    make_folding(&all);
    assert_int_equal(replace(instance, "w", first), OPGEN_OK);
    assert_int_equal(replace(instance, "b", first + 4), OPGEN_OK);
    assert_int_equal(folds_since(&count), 0);
    failed(run_folding(instance, &all), OPGEN_NO_WEIGHTS, "param \"c\" has no value yet", "");
    assert_int_equal(replace(instance, "c", first + 8), OPGEN_OK);
    assert_int_equal(folds_since(&count), 1);
    runs_with(instance, first, first + 4, first + 8);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void without_params(void **state) {
    (void)state;
    for (int no_weights = 0; no_weights < 2; no_weights++) {
        OpgenOptions options = opgen_options();
        options.no_weights = no_weights;
        long count = atomic_load(&folding_calls);
        OpgenInstance *instance = make(&table, &options);
        assert_int_equal(folds_since(&count), 1);
        float t[COLUMNS] = {0};
        int64_t four = COLUMNS;
        DLTensor output = opgen_tensor(t, OPGEN_F32, 1, &four);
        for (int again = 0; again < 3; again++) {
            memset(t, 0x55, sizeof t);
            assert_int_equal(opgen_run(instance, NULL, 0, &output, 1, NULL), OPGEN_OK);
            for (int i = 0; i < COLUMNS; i++)
                assert_true(t[i] == (float)(1 << i));
            assert_int_equal(opgen_weights_replace(instance, NULL, NULL, 0), OPGEN_OK);
        }
        assert_int_equal(folds_since(&count), 0);
        assert_int_equal(opgen_free(instance), OPGEN_OK);
    }
}

static void embedded(void **state) {
    (void)state;
    OpgenTensor params[3];
    memcpy(params, folding_params, sizeof params);
    for (int i = 0; i < 3; i++)
        params[i].embedded = first + i * COLUMNS;
    OpgenModel model = folding;
    model.params = params;
    long count = atomic_load(&folding_calls);
    OpgenInstance *instance = make(&model, NULL);
    assert_int_equal(folds_since(&count), 1);
    runs_with(instance, first, first + 4, first + 8);
    assert_int_equal(replace(instance, "w", second), OPGEN_OK);
    runs_with(instance, second, first + 4, first + 8);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    OpgenOptions options = opgen_options();
    write_folding(other, second);
    options.weights = other;
    folds_since(&count);
    instance = make(&model, &options); /* not for what is embedded and nobody sees */
    assert_int_equal(folds_since(&count), 1);
    runs_with(instance, second, second + 4, second + 8);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    options = opgen_options();
    options.no_weights = 1;
    instance = make(&model, &options);
    runs_with(instance, first, first + 4, first + 8);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

/* ---- when it fails ---- */

static void folds_own_status(void **state) {
    (void)state;
    OpgenOptions options = opgen_options();
    options.weights = path;
    write_folding(path, first);
    write_folding(other, second);
    OpgenInstance *instance;
    atomic_store(&folding_status, OPGEN_DEVICE_FAILED);
    failed(opgen_create(&folding, &options, &instance), OPGEN_DEVICE_FAILED, "folding: computing what depends on",
           "returned");
    assert_null(instance);
    atomic_store(&folding_status, 0);
    instance = make(&folding, &options);
    atomic_store(&folding_status, OPGEN_DEVICE_FAILED);
    failed(opgen_weights_load(instance, other), OPGEN_DEVICE_FAILED, "folding:", "returned");
    failed(replace(instance, "w", second), OPGEN_DEVICE_FAILED, "folding:", "returned");
    runs_with(instance, first, first + 4, first + 8); /* the old weights stay */
    assert_int_equal(replace(instance, "c", second), OPGEN_OK);
    runs_with(instance, first, first + 4, second);
    atomic_store(&folding_status, 0);
    assert_int_equal(opgen_weights_load(instance, other), OPGEN_OK);
    runs_with(instance, second, second + 4, second + 8);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

/* Fold would read what is no longer there. */
static void cut_while_mapped(void **state) {
    (void)state;
    OpgenOptions options = opgen_options();
    options.weights = path;
    write_folding(path, first);
    OpgenInstance *instance = make(&folding, &options);
    assert_int_equal(truncate(path, 100), 0);
    long count = atomic_load(&folding_calls);
    failed(replace(instance, "w", second), OPGEN_BAD_FILE, "was changed while it was mapped", "");
    assert_int_equal(folds_since(&count), 0);
    write_folding(other, second);
    assert_int_equal(opgen_weights_load(instance, other), OPGEN_OK);
    runs_with(instance, second, second + 4, second + 8);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    write_folding(path, first);
}

typedef struct Memory {
    long calls, fail_at; /* the call that fails; 0: none */
    long blocks;
} Memory;

static void *counted_alloc(void *context, size_t size, size_t align) {
    Memory *memory = context;
    if (++memory->calls == memory->fail_at) return NULL;
    void *block;
    if (posix_memalign(&block, align < sizeof(void *) ? sizeof(void *) : align, size) != 0) return NULL;
    memset(block, 0xA5, size);
    memory->blocks++;
    return block;
}

static void counted_free(void *context, void *block, size_t size) {
    ((Memory *)context)->blocks--;
    memset(block, 0x5A, size); /* the size is what it was asked with, or ASan tells */
    free(block);
}

/* Of create, a replacement and a load; where one of them fails the weights are those from before. */
static int all_of_it(Memory *memory, long *swept) {
    OpgenOptions options = opgen_options();
    options.allocator = (OpgenAllocator){counted_alloc, counted_free, memory};
    options.weights = path;
    OpgenInstance *instance;
    int status = opgen_create(&folding, &options, &instance);
    if (status) return status;
    int replaced = replace(instance, "b", second + 4);
    runs_with(instance, first, replaced ? first + 4 : second + 4, first + 8);
    int loaded = opgen_weights_load(instance, other);
    const float *all = loaded ? first : second;
    runs_with(instance, all, loaded && replaced ? first + 4 : second + 4, all + 8);
    *swept = memory->calls;
    assert_true(!replaced || !loaded);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    return replaced ? replaced : loaded;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    write_folding(path, first);
    write_folding(other, second);
    Memory memory = {0};
    long calls = 0, ignored;
    assert_int_equal(all_of_it(&memory, &calls), OPGEN_OK);
    assert_int_equal(memory.blocks, 0);
    assert_in_range(calls, 12, 100);
    for (long i = 1; i <= calls; i++) {
        memory = (Memory){.fail_at = i};
        assert_int_equal(all_of_it(&memory, &ignored), OPGEN_NO_MEMORY);
        assert_int_equal(memory.blocks, 0);
    }
}

/* ---- a device with streams: host memory under another name ---- */

static long blocks, synchronized, folds_in_stream;
static int synchronize_error;

static int apart_alloc(int32_t id, size_t size, size_t align, void **memory) {
    (void)id;
    blocks++;
    return posix_memalign(memory, align, size);
}
static void apart_free(int32_t id, void *memory, size_t size) {
    (void)id;
    blocks--;
    memset(memory, 0x5A, size);
    free(memory);
}
static int apart_copy(int32_t id, void *to, const void *from, size_t size, OpgenCopy way, void *stream) {
    (void)id;
    (void)way;
    (void)stream;
    memcpy(to, from, size);
    return 0;
}
static int apart_synchronize(int32_t id, void *stream) {
    (void)id;
    (void)stream;
    synchronized++;
    bool fold = folds_in_stream > 0;
    folds_in_stream = 0;
    return fold ? synchronize_error : 0;
}

/* Its work is done when somebody waits for it. */
static int apart_fold(const OpgenRun *run) {
    folds_in_stream++;
    return folding_fold(run);
}

static void a_device_with_streams(void **state) {
    (void)state;
    const OpgenDevice device = {.abi = OPGEN_ABI,
                                .name = "apart",
                                .dl_device = kDLExtDev,
                                .alloc = apart_alloc,
                                .free = apart_free,
                                .copy = apart_copy,
                                .synchronize = apart_synchronize};
    OpgenModel model = folding;
    model.backend = "apart";
    model.fold = apart_fold;
    OpgenOptions options = opgen_options();
    options.device = &device;
    options.weights = path;
    write_folding(path, first);
    OpgenInstance *instance = make(&model, &options);
    assert_int_equal(folds_in_stream, 0); /* over before anybody runs */
    assert_int_equal(blocks, 3 + 1);      /* params and what is kept; the arena of fold is gone */
    synchronize_error = 9;
    failed(replace(instance, "w", second), OPGEN_DEVICE_FAILED, "folding: computing what depends on", "error 9");
    assert_int_equal(blocks, 3 + 1);
    synchronize_error = 0;
    Folding all;
    make_folding(&all);
    all.input.device = all.outputs[0].device = all.outputs[1].device = (DLDevice){kDLExtDev, 0};
    assert_int_equal(run_folding(instance, &all), OPGEN_OK);
    assert_true(folding_right(&all, first, first + 4, first + 8));
    assert_int_equal(replace(instance, "w", second), OPGEN_OK);
    assert_int_equal(run_folding(instance, &all), OPGEN_OK);
    assert_true(folding_right(&all, second, first + 4, first + 8));
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    assert_int_equal(blocks, 0);
}

static void broken_descriptions(void **state) {
    (void)state;
    static const int32_t outside[] = {0, 3}, negative[] = {-1};
    OpgenModel models[] = {folding, folding, folding, folding, folding, folding};
    models[0].folded_bytes = -1;
    models[1].fold_arena_bytes = -64;
    models[2].fold_params = NULL;
    models[3].fold_params = outside;
    models[4].fold_params = negative, models[4].fold_param_count = 1;
    models[5].fold_param_count = -1;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        OpgenInstance *instance;
        failed(opgen_create(&models[i], NULL, &instance), OPGEN_BAD_ARGUMENT, "model folding", "fold is broken");
        assert_null(instance);
    }
}

int main(void) {
    path = temporary("folding.safetensors");
    other = temporary("other.safetensors");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loaded_replaced_and_loaded_again),
        cmocka_unit_test(what_fold_does_not_read),
        cmocka_unit_test(when_all_are_there),
        cmocka_unit_test(without_params),
        cmocka_unit_test(embedded),
        cmocka_unit_test(folds_own_status),
        cmocka_unit_test(cut_while_mapped),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_device_with_streams),
        cmocka_unit_test(broken_descriptions),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    free(path);
    free(other);
    return failures;
}

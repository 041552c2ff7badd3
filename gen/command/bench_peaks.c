/* bench_peaks.c: what the machine can do, measured in the same process as what is held against it: a copy of memory
 * that no cache holds, and a product of two square matrices by a model of opgen's own for the same backend.
 */
#include "command/bench.h"

#include "command/build.h"

#include "base/file.h"
#include "base/folder.h"

#include <pthread.h>

enum { LEAST_COPIES = 5, MOST_COPIES = 20 };

/* ---- a copy -------------------------------------------------------------------------------------------------------
 */

/* What one of several threads copies, again and again. */
typedef struct Copier {
    pthread_t thread;
    char *to;
    const char *from;
    size_t size;
    bool runs;
} Copier;

static void *copy_part(void *user) {
    const Copier *copier = user;
    (void)opgen_device_cpu.copy(0, copier->to, copier->from, copier->size, OPGEN_ON_DEVICE, NULL);
    return NULL;
}

static double copy_once(Copier *copiers, int32_t count) {
    double begin = bench_now();
    for (int32_t i = 1; i < count; i++)
        copiers[i].runs = pthread_create(&copiers[i].thread, NULL, copy_part, &copiers[i]) == 0;
    copy_part(&copiers[0]);
    for (int32_t i = 1; i < count; i++) {
        if (copiers[i].runs)
            pthread_join(copiers[i].thread, NULL);
        else
            copy_part(&copiers[i]);
    }
    return bench_now() - begin;
}

/* By as many threads as runs have. */
static bool copy_on_host(Bench *bench, double budget, Samples *samples) {
    const size_t least = (size_t)64 << 20, most = (size_t)256 << 20;
    Arena *arena = bench->command->arena;
    size_t size = 4 * bench_cache();
    size = size < least ? least : size > most ? most : size;
    void *memory[2] = {NULL, NULL};
    int error = opgen_device_cpu.alloc(0, size, 64, &memory[0]);
    if (error == 0) error = opgen_device_cpu.alloc(0, size, 64, &memory[1]);
    if (error == 0) {
        int32_t count = bench->threads;
        Copier *copiers = ARENA_ARRAY(arena, Copier, (size_t)count);
        size_t each = (size / (size_t)count + 63) / 64 * 64;
        for (int32_t i = 0; i < count; i++) {
            size_t from = each * (size_t)i < size ? each * (size_t)i : size;
            copiers[i] = (Copier){.to = (char *)memory[0] + from, .from = (char *)memory[1] + from};
            copiers[i].size = size - from < each ? size - from : each;
        }
        memset(memory[0], 1, size);
        memset(memory[1], 2, size);
        double seconds[MOST_COPIES], begin = bench_now();
        int n = 0;
        (void)copy_once(copiers, count);
        while (n < LEAST_COPIES || (n < MOST_COPIES && bench_now() - begin < budget))
            seconds[n++] = copy_once(copiers, count);
        for (int i = 0; i < n; i++)
            *VEC_PUSH(arena, samples) = seconds[i];
        bench->copy_bytes = 2 * (double)size;
    }
    for (int i = 0; i < 2; i++)
        if (memory[i] != NULL) opgen_device_cpu.free(0, memory[i], size);
    return error == 0 || bench_device_error(bench, &opgen_device_cpu, "memory for a copy", error);
}

bool bench_copy(Bench *bench, double budget) {
    Samples samples = {0};
    command_progress(bench->command, "a copy of memory");
    if (bench->sides[0].session->device == NULL) {
        if (!copy_on_host(bench, budget, &samples)) return false;
    } else {
        double seconds;
        for (int i = 0; i <= MOST_COPIES; i++) { /* each takes a device far less than a millisecond */
            if (!bench_flush_time(bench, &bench->sides[0], &seconds)) return false;
            if (i > 0) *VEC_PUSH(bench->command->arena, &samples) = seconds;
        }
        bench->copy_bytes = 2 * (double)bench->flush.size;
    }
    bench->copy = bench_spread(bench->command->arena, &samples);
    return true;
}

/* ---- a matrix product ---------------------------------------------------------------------------------------------
 */

/* So large that it takes all that there is, and not longer than it has to: processors, devices, devices that are not
 * there but computed. */
static int64_t size_for(const Session *session) {
    return strcmp(session->model->backend, "cpu") == 0 ? 1024 : session->device == NULL ? 64 : 4096;
}

/* The library of y = x w^T, built beside the model's. */
static bool build_product(Bench *bench, Str *library) {
    Command *command = bench->command;
    Arena *arena = command->arena;
    const char *dtype = opgen_dtype_name(bench->dtype);
    int n = (int)bench->product_size;
    Str name = str_format(arena, "linear_%s_%d", dtype, n);
    Str folder = command->options.values[OPT_FOLDER].text, path = str_format(arena, "%S/%S.json", folder, name);
    Str text = str_format(arena,
                          "{\"opgen\": 1, \"name\": \"%S\",\n"
                          " \"inputs\": {\"x\": {\"dtype\": \"%s\", \"shape\": [%d, %d]},\n"
                          "            \"w\": {\"dtype\": \"%s\", \"shape\": [%d, %d]}},\n"
                          " \"nodes\": [{\"op\": \"linear\", \"in\": [\"x\", \"w\"], \"out\": \"y\"}],\n"
                          " \"outputs\": [\"y\"]}\n",
                          name, dtype, n, n, dtype, n, n);
    bool changed;
    if (!file_write_if_changed(arena, path, text, &command->diags, &changed)) return false;
    Models models;
    command->options.operands = ARENA_NEW(arena, Str);
    command->options.operands[0] = path;
    command->options.operand_count = 1;
    return models_read(command, &models) && build_all(&models, bench->threads > 1, library);
}

static bool time_product(Bench *bench, double budget, Session *session, BenchSide *side, Str library) {
    if (!session_open(bench->command, library, S(""), session) || !session_set_up(session) ||
        !session_prepare(session, SIZES_LEAST, 1, INT64_MAX, NULL) || !bench_begin(bench, side, session, S("linear")) ||
        !bench_whole(bench, side, 1, budget, 0))
        return false;
    double n = (double)bench->product_size;
    bench->product_flops = 2 * n * n * n;
    bench->product = bench_spread(bench->command->arena, &side->whole.samples);
    return true;
}

bool bench_product(Bench *bench, double budget) {
    Command *command = bench->command;
    Options kept = command->options;
    static const OptionId of_the_model[] = {OPT_DIM, OPT_IN, OPT_WEIGHTS, OPT_WITHOUT, OPT_USE, OPT_EMBED_WEIGHTS};
    for (size_t i = 0; i < sizeof of_the_model / sizeof *of_the_model; i++)
        command->options.values[of_the_model[i]] = (OptionValue){0};
    bench->product_size = size_for(bench->sides[0].session);
    Session *session = ARENA_NEW(command->arena, Session);
    BenchSide *side = ARENA_NEW(command->arena, BenchSide);
    session->command = command;
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        bench_end(bench, side);
        session_close(session);
        mem_fail(trap.why, trap.wanted);
    }
    Str library;
    bool good = build_product(bench, &library) && time_product(bench, budget, session, side, library);
    mem_untrap(&trap);
    bench_end(bench, side);
    session_close(session);
    command->options = kept;
    return good;
}

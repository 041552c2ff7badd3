/* bench_runs.c: runs that are timed: whose memory is not in a cache, warm otherwise, again and again until it is known
 * what they take.
 *
 * On the CPU a clock is read around each run, and runs take turns with so many sets of inputs and outputs that no cache
 * holds them. On a device events are recorded around each run, which is one graph, and in front of each a copy takes
 * the caches; meanwhile the host gets ahead, so that its own time is in none of them.
 */
#include "command/bench.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const Span nowhere = {NULL, 0, 0};

enum { ALIGN = 256, MOST_SETS = 1024, LEAST_RUNS = 3, WARM_RUNS = 3 };

double bench_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

size_t bench_cache(void) {
    enum { USUAL = 32 << 20 };
    long third = sysconf(_SC_LEVEL3_CACHE_SIZE), second = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return third > 0 ? (size_t)third : second > 0 ? (size_t)second : USUAL;
}

bool bench_device_error(Bench *bench, const OpgenDevice *device, const char *what, int error) {
    diag_error(&bench->command->diags, E_RUN, nowhere, "%s: %s", what,
               device->error_text != NULL ? device->error_text(error) : "the device failed");
    return false;
}

/* ---- memory -------------------------------------------------------------------------------------------------------
 */

static size_t bytes_of_set(const Session *session) {
    size_t bytes = 0;
    for (int32_t i = 0; i < session->model->input_count; i++)
        bytes += session->inputs[i].bytes;
    for (int32_t i = 0; i < session->model->output_count; i++)
        bytes += session->outputs[i].bytes;
    return bytes;
}

/* So many that twice the cache is between two runs with the same one, within what memory is worth it. */
static uint32_t sets_for(const Session *session) {
    const size_t most = (size_t)1 << 30;
    size_t bytes = bytes_of_set(session), wanted = 2 * bench_cache();
    if (session->device != NULL || bytes == 0) return 1;
    size_t n = (wanted + bytes - 1) / bytes + 1;
    if (n > most / bytes) n = most / bytes;
    return n > MOST_SETS ? MOST_SETS : n < 1 ? 1 : (uint32_t)n;
}

/* A copy of the session's tensors that stays; what is new there was written once. */
static bool make_tensors(Bench *bench, BenchSide *side, const SessionTensor *tensors, int32_t count, DLTensor *made) {
    for (int32_t i = 0; i < count; i++) {
        const SessionTensor *tensor = &tensors[i];
        void **memory = VEC_PUSH(bench->command->arena, &side->memory);
        *memory = NULL;
        int error = side->device->alloc(0, tensor->bytes == 0 ? 1 : tensor->bytes, ALIGN, memory);
        if (error == 0 && tensor->bytes > 0)
            error = side->device->copy(0, *memory, tensor->data, tensor->bytes, OPGEN_TO_DEVICE, NULL);
        if (error != 0) return bench_device_error(bench, side->device, "memory for what is timed", error);
        const OpgenTensor *about = tensor->about;
        made[i] = opgen_tensor(*memory, about->dtype, about->rank, tensor->shape);
        made[i].device.device_type = (DLDeviceType)side->device->dl_device;
    }
    return true;
}

static void list_parts(Bench *bench, BenchSide *side) {
    Arena *arena = bench->command->arena;
    const OpgenModel *model = side->session->model;
    Names names;
    Map at;
    names_init(&names, arena);
    map_init(&at, arena);
    side->part_of = ARENA_ARRAY(arena, uint32_t, (size_t)model->call_count + 1);
    side->calls = ARENA_ARRAY(arena, OpgenTimes, (size_t)model->call_count + 1);
    for (int32_t i = 0; i < model->call_count; i++) {
        Name key = names_get(&names, str_c(model->calls[i].operators));
        uintptr_t found = (uintptr_t)map_get(&at, key);
        if (found == 0) {
            *VEC_PUSH(arena, &side->parts) = (BenchPart){.name = name_str(key)};
            found = side->parts.n;
            map_set(&at, key, (void *)found);
        }
        side->part_of[i] = (uint32_t)found - 1;
        side->parts.items[found - 1].calls++;
    }
}

bool bench_begin(Bench *bench, BenchSide *side, Session *session, Str name) {
    Arena *arena = bench->command->arena;
    const OpgenModel *model = session->model;
    *side = (BenchSide){.session = session, .name = name, .whole.name = S("whole"), .whole.calls = 1};
    side->device = session->device != NULL ? session->device : &opgen_device_cpu;
    side->set_count = sets_for(session);
    side->inputs = ARENA_ARRAY(arena, DLTensor, (size_t)side->set_count * (size_t)model->input_count + 1);
    side->outputs = ARENA_ARRAY(arena, DLTensor, (size_t)side->set_count * (size_t)model->output_count + 1);
    for (uint32_t i = 0; i < side->set_count; i++)
        if (!make_tensors(bench, side, session->inputs, model->input_count,
                          side->inputs + (size_t)i * (size_t)model->input_count) ||
            !make_tensors(bench, side, session->outputs, model->output_count,
                          side->outputs + (size_t)i * (size_t)model->output_count))
            return false;
    bool timers = session->device != NULL && side->device->timer_new != NULL && side->device->timer_read != NULL;
    for (int i = 0; timers && i < 2; i++) {
        int error = side->device->timer_new(0, &side->timers[i]);
        if (error != 0) return bench_device_error(bench, side->device, "making a timer", error);
    }
    side->set_bytes = bytes_of_set(session);
    list_parts(bench, side);
    return true;
}

void bench_end(Bench *bench, BenchSide *side) {
    (void)bench;
    if (side->device == NULL) return;
    if (side->device->synchronize != NULL && side->session->device != NULL) (void)side->device->synchronize(0, NULL);
    for (uint32_t i = 0; i < side->memory.n; i++)
        if (side->memory.items[i] != NULL) side->device->free(0, side->memory.items[i], 0);
    for (int i = 0; i < 2; i++)
        if (side->timers[i] != NULL) side->device->event_free(0, side->timers[i]);
    *side = (BenchSide){0};
}

/* ---- caches -------------------------------------------------------------------------------------------------------
 */

bool bench_flush_new(Bench *bench, const OpgenDevice *device) {
    BenchFlush *flush = &bench->flush;
    if (device == NULL) return true;
    *flush = (BenchFlush){.device = device, .size = (size_t)256 << 20}; /* with its copy more than any cache has */
    int error = device->alloc(0, flush->size, ALIGN, &flush->from);
    if (error == 0) error = device->alloc(0, flush->size, ALIGN, &flush->to);
    return error == 0 || bench_device_error(bench, device, "memory to empty caches with", error);
}

void bench_flush_free(BenchFlush *flush) {
    if (flush->from != NULL) flush->device->free(0, flush->from, flush->size);
    if (flush->to != NULL) flush->device->free(0, flush->to, flush->size);
    *flush = (BenchFlush){0};
}

static int flush_caches(const Bench *bench, const BenchSide *side) {
    const BenchFlush *flush = &bench->flush;
    if (side->session->device == NULL) return 0;
    return flush->device->copy(0, flush->to, flush->from, flush->size, OPGEN_ON_DEVICE, NULL);
}

/* ---- one run ------------------------------------------------------------------------------------------------------
 */

static bool run_model(BenchSide *side) {
    const OpgenModel *model = side->session->model;
    uint32_t set = side->next;
    side->next = (set + 1) % side->set_count;
    return opgen_run(side->session->instance, side->inputs + (size_t)set * (size_t)model->input_count,
                     model->input_count, side->outputs + (size_t)set * (size_t)model->output_count, model->output_count,
                     NULL) == OPGEN_OK ||
           session_error(side->session);
}

/* Begins to time: on a device behind what is under way there. */
static int start(const BenchSide *side, double *from) {
    int error = 0;
    if (side->timers[1] != NULL)
        error = side->device->event_record(0, side->timers[0], NULL);
    else if (side->session->device != NULL && side->device->synchronize != NULL)
        error = side->device->synchronize(0, NULL);
    *from = bench_now();
    return error;
}

static int stop(const BenchSide *side, double from, double *seconds) {
    int error = 0;
    if (side->timers[1] != NULL) {
        error = side->device->event_record(0, side->timers[1], NULL);
        if (error == 0) error = side->device->event_synchronize(0, side->timers[1]);
        return error != 0 ? error : side->device->timer_read(0, side->timers[0], side->timers[1], seconds);
    }
    if (side->session->device != NULL && side->device->synchronize != NULL) error = side->device->synchronize(0, NULL);
    *seconds = bench_now() - from;
    return error;
}

static bool time_run(Bench *bench, BenchSide *side, double *seconds) {
    double from;
    int error = flush_caches(bench, side);
    if (error == 0) error = start(side, &from);
    if (error != 0) return bench_device_error(bench, side->device, "before a run", error);
    if (!run_model(side)) return false;
    error = stop(side, from, seconds);
    return error == 0 || bench_device_error(bench, side->device, "a run", error);
}

bool bench_flush_time(Bench *bench, BenchSide *side, double *seconds) {
    double from;
    int error = start(side, &from);
    if (error == 0) error = flush_caches(bench, side);
    if (error == 0) error = stop(side, from, seconds);
    return error == 0 || bench_device_error(bench, side->device, "a copy on the device", error);
}

static bool time_whole(Bench *bench, BenchSide *side) {
    double seconds;
    if (!time_run(bench, side, &seconds)) return false;
    *VEC_PUSH(bench->command->arena, &side->whole.samples) = seconds;
    return true;
}

/* A profile of this run alone, so that there is a sample of each part. */
static bool time_parts(Bench *bench, BenchSide *side) {
    OpgenInstance *instance = side->session->instance;
    int32_t count = side->session->model->call_count;
    int error = flush_caches(bench, side);
    if (error != 0) return bench_device_error(bench, side->device, "before a run", error);
    if (opgen_profile_start(instance) != OPGEN_OK) return session_error(side->session);
    if (!run_model(side)) return false;
    if (opgen_profile_get(instance, NULL, side->calls, count) != OPGEN_OK || opgen_profile_stop(instance) != OPGEN_OK)
        return session_error(side->session);
    for (uint32_t i = 0; i < side->parts.n; i++) {
        BenchPart *part = &side->parts.items[i];
        part->now = part->bytes = part->flops = 0;
    }
    side->whole.bytes = side->whole.flops = 0;
    for (int32_t i = 0; i < count; i++) {
        const OpgenTimes *call = &side->calls[i];
        BenchPart *sums[] = {&side->parts.items[side->part_of[i]], &side->whole};
        sums[0]->now += call->seconds;
        for (int k = 0; k < 2; k++) {
            sums[k]->bytes = sums[k]->bytes < 0 || call->bytes < 0 ? -1 : sums[k]->bytes + call->bytes;
            sums[k]->flops = sums[k]->flops < 0 || call->flops < 0 ? -1 : sums[k]->flops + call->flops;
        }
    }
    for (uint32_t i = 0; i < side->parts.n; i++)
        *VEC_PUSH(bench->command->arena, &side->parts.items[i].samples) = side->parts.items[i].now;
    return true;
}

/* ---- until it is known --------------------------------------------------------------------------------------------
 */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static Spread spread_of(Arena *arena, const double *samples, uint32_t n) {
    if (n == 0) return (Spread){0, 0, 0, 0};
    double *sorted = arena_copy(arena, samples, n * sizeof *samples);
    qsort(sorted, n, sizeof *sorted, by_size);
    double median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    return (Spread){median, sorted[0], sorted[n - 1], n};
}

Spread bench_spread(Arena *arena, const Samples *samples) { return spread_of(arena, samples->items, samples->n); }

/* Whether later runs take what earlier ones took. */
static bool is_steady(Arena *arena, const Samples *samples) {
    enum { FEW = 16 };
    uint32_t half = samples->n / 2;
    if (samples->n < FEW || samples->n % FEW != 0) return false;
    double first = spread_of(arena, samples->items, half).median;
    double second = spread_of(arena, samples->items + half, half).median;
    return fabs(first - second) <= 0.005 * second;
}

typedef bool TimeOnce(Bench *bench, BenchSide *side);

/* `samples` of the first side tell when it is enough. */
static bool take_samples(Bench *bench, BenchSide *sides, uint32_t count, double seconds, uint64_t repeat,
                         TimeOnce *once, const Samples *samples, const char *what) {
    double begin = bench_now(), told = begin;
    for (uint64_t n = 0;; n++) {
        double now = bench_now(), spent = now - begin;
        if (repeat > 0 && n >= repeat) break;
        if (repeat == 0 && n >= LEAST_RUNS && spent >= seconds) break;
        if (repeat == 0 && spent >= seconds / 4 && is_steady(bench->command->arena, samples)) break;
        if (now - told > 0.1) {
            told = now;
            command_progress(bench->command, "%s: %s, run %llu", sides[0].session->model->name, what,
                             (unsigned long long)n);
        }
        for (uint32_t i = 0; i < count; i++)
            if (!once(bench, &sides[i])) return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (opgen_wait(sides[i].session->instance) != OPGEN_OK) return session_error(sides[i].session);
    return true;
}

bool bench_whole(Bench *bench, BenchSide *sides, uint32_t count, double seconds, uint64_t repeat) {
    double unused;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < WARM_RUNS + sides[i].set_count - 1; k++)
            if (!time_run(bench, &sides[i], &unused)) return false;
    return take_samples(bench, sides, count, seconds, repeat, time_whole, &sides[0].whole.samples, "timing it");
}

bool bench_parts(Bench *bench, BenchSide *sides, uint32_t count, double seconds, uint64_t repeat) {
    Samples none = {0};
    for (uint32_t i = 0; i < count; i++) /* the first is slower, and is not kept */
        if (!time_parts(bench, &sides[i])) return false;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < sides[i].parts.n; k++)
            sides[i].parts.items[k].samples.n = 0;
    const Samples *first = sides[0].parts.n > 0 ? &sides[0].parts.items[0].samples : &none;
    return take_samples(bench, sides, count, seconds, repeat, time_parts, first, "timing its calls");
}

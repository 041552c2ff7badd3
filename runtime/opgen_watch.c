/* opgen_watch.c: runs that are watched call by call: for a profile, for OPGEN_CHECK=nan, for dumps.
 *
 * Generated code tells of each call by its number; the model's table says what the call stands for and where its
 * results lie. Runs that nobody watches have no part in this.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_internal.h"
#include "opgen_index.h"

#include <stdio.h>
#include <time.h>

uint64_t opgen_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- the table ----------------------------------------------------------------------------------------------------
 */

static bool is_number(const OpgenModel *model, int32_t at) { return at >= -1 && at < model->number_count; }

static bool is_result(const OpgenModel *model, const OpgenResult *result) {
    int32_t most = result->place == OPGEN_AT_INPUT    ? model->input_count
                   : result->place == OPGEN_AT_PARAM  ? model->param_count
                   : result->place == OPGEN_AT_OUTPUT ? model->output_count
                                                      : INT32_MAX;
    return result->name && opgen_dtype_size((OpgenDtype)result->dtype) > 0 && result->rank >= 0 &&
           result->rank <= OPGEN_MAX_RANK && result->sizes >= 0 &&
           (result->rank == 0 || result->sizes <= model->number_count - result->rank) &&
           result->place >= OPGEN_AT_INPUT && result->place <= OPGEN_AT_ARENA && result->at >= 0 && result->at < most &&
           result->value >= -1 && result->value < model->value_count && is_number(model, result->number) &&
           result->offset >= 0;
}

static bool is_call(const OpgenModel *model, const OpgenCall *call) {
    return call->function && call->operators && call->nodes && call->result >= 0 && call->result_count >= 0 &&
           call->result <= model->result_count - call->result_count && is_number(model, call->bytes) &&
           is_number(model, call->flops);
}

int opgen_check_calls(const OpgenModel *model) {
    int64_t calls = (int64_t)model->call_count + model->fold_call_count;
    bool good = model->call_count >= 0 && model->fold_call_count >= 0 && calls <= INT32_MAX &&
                (calls == 0 || model->calls) && model->result_count >= 0 &&
                (model->result_count == 0 || model->results) && model->number_count >= 0 &&
                (model->number_count == 0 || model->numbers);
    for (int32_t i = 0; good && i < model->result_count; i++)
        good = is_result(model, &model->results[i]);
    for (int64_t i = 0; good && i < calls; i++)
        good = is_call(model, &model->calls[i]);
    return good ? OPGEN_OK : opgen_fail(OPGEN_BAD_ARGUMENT, "model %s: its table of calls is broken", model->name);
}

/* ---- NaN ----------------------------------------------------------------------------------------------------------
 */

/* The first one's place; `count` where there is none. */
static size_t find_nan(OpgenDtype dtype, const void *data, size_t count) {
    size_t at = 0;
    while (at < count && !opgen_is_nan(dtype, data, at))
        at++;
    return at;
}

static void add_position(OpgenText *text, int32_t rank, const int64_t *sizes, size_t at) {
    int64_t index[OPGEN_MAX_RANK];
    for (int32_t k = rank - 1; k >= 0; k--) {
        index[k] = (int64_t)(at % (size_t)sizes[k]);
        at /= (size_t)sizes[k];
    }
    opgen_add_shape(text, rank, index);
}

static bool may_be_nan(OpgenDtype dtype) { return dtype >= OPGEN_F16; }

int opgen_check_nan(const OpgenBody *body, const char *role, const OpgenTensor *tensors, int32_t count,
                    const int64_t *sizes, const void *const *data, void *stream) {
    for (int32_t i = 0; i < count; i++) {
        const OpgenTensor *tensor = &tensors[i];
        const int64_t *shape = sizes;
        sizes += tensor->rank;
        int64_t bytes = opgen_shape_bytes(tensor->dtype, tensor->rank, shape);
        /* Of an input that is changed, a cache for one, only a part may be in use. */
        if (!may_be_nan(tensor->dtype) || bytes <= 0 || !data[i] || tensor->changed) continue;
        void *copy;
        const void *host = opgen_on_host(body, data[i], (size_t)bytes, stream, &copy);
        if (!host) return OPGEN_DEVICE_FAILED;
        size_t elements = (size_t)bytes / opgen_dtype_size(tensor->dtype);
        size_t at = find_nan(tensor->dtype, host, elements);
        opgen_give(&body->memory, copy, (size_t)bytes);
        if (at == elements) continue;
        char room[600];
        OpgenText text = {room, sizeof room, 0, 0};
        add_position(&text, tensor->rank, shape, at);
        return opgen_fail(OPGEN_FOUND_NAN, "%s: %s \"%.200s\" has a NaN at %s", body->model->name, role, tensor->name,
                          room);
    }
    return OPGEN_OK;
}

/* ---- results ------------------------------------------------------------------------------------------------------
 */

/* Its memory, and its bytes; NULL where it has none. */
static const char *memory_of(const OpgenWatch *watch, const OpgenRun *run, const OpgenResult *result, size_t *bytes) {
    const int64_t *numbers = watch->numbers;
    const char *base = result->place == OPGEN_AT_INPUT    ? run->inputs[result->at]
                       : result->place == OPGEN_AT_PARAM  ? run->params[result->at]
                       : result->place == OPGEN_AT_OUTPUT ? run->outputs[result->at]
                       : result->place == OPGEN_AT_FOLDED ? run->folded
                                                          : run->arena;
    int64_t offset = result->offset;
    if (result->value >= 0) offset += run->values[result->value];
    if (result->number >= 0) offset += numbers[result->number];
    int64_t size = opgen_shape_bytes((OpgenDtype)result->dtype, result->rank, numbers + result->sizes);
    *bytes = size > 0 ? (size_t)size : 0;
    return *bytes > 0 && base ? base + offset : NULL;
}

static void look_for_nan(OpgenWatch *watch, const OpgenRun *run, int32_t call) {
    const OpgenModel *model = watch->body->model;
    const OpgenCall *about = &model->calls[call];
    for (int32_t i = 0; i < about->result_count; i++) {
        const OpgenResult *result = &model->results[about->result + i];
        if (!may_be_nan((OpgenDtype)result->dtype) || result->place == OPGEN_AT_INPUT) continue;
        size_t bytes;
        const char *data = memory_of(watch, run, result, &bytes);
        void *copy = NULL;
        const void *host = data ? opgen_on_host(watch->body, data, bytes, run->stream, &copy) : NULL;
        size_t count = bytes / opgen_dtype_size((OpgenDtype)result->dtype);
        size_t at = host ? find_nan((OpgenDtype)result->dtype, host, count) : count;
        opgen_give(&watch->body->memory, copy, bytes);
        if (at == count) continue;
        watch->nan_call = call;
        watch->nan_result = about->result + i;
        watch->nan_at = at;
        return;
    }
}

static int nan_was_found(const OpgenWatch *watch) {
    const OpgenModel *model = watch->body->model;
    const OpgenCall *call = &model->calls[watch->nan_call];
    const OpgenResult *result = &model->results[watch->nan_result];
    char room[600];
    OpgenText text = {room, sizeof room, 0, 0};
    add_position(&text, result->rank, watch->numbers + result->sizes, watch->nan_at);
    return opgen_fail(OPGEN_FOUND_NAN,
                      "%s: node%s \"%.300s\" (%.300s): tensor \"%.200s\"%s has a NaN at %s, the first in %s",
                      model->name, strchr(call->nodes, ',') ? "s" : "", call->nodes, call->operators, result->name,
                      result->place == OPGEN_AT_OUTPUT ? ", an output," : "", room,
                      watch->folds ? "what is computed once for the weights" : "its run");
}

static void dump_results(const OpgenWatch *watch, const OpgenRun *run, int32_t call) {
    const OpgenModel *model = watch->body->model;
    const OpgenCall *about = &model->calls[call];
    for (int32_t i = 0; i < about->result_count; i++) {
        const OpgenResult *result = &model->results[about->result + i];
        char name[240];
        size_t bytes;
        const char *data = memory_of(watch, run, result, &bytes);
        void *copy;
        const void *host = data ? opgen_on_host(watch->body, data, bytes, run->stream, &copy) : NULL;
        if (!host) continue;
        snprintf(name, sizeof name, "%04d-%.200s", (int)call, result->name);
        opgen_dump_tensor(watch->body, watch->log, "nodes", name, (OpgenDtype)result->dtype, result->rank,
                          watch->numbers + result->sizes, host);
        opgen_give(&watch->body->memory, copy, bytes);
    }
}

/* ---- times --------------------------------------------------------------------------------------------------------
 */

/* Timers of the device are read at the end; without them, each call is waited for. */
static bool has_timers(const OpgenDevice *device) { return !device->host && device->timer_new && device->timer_read; }

static int new_timers(OpgenWatch *watch) {
    const OpgenBody *body = watch->body;
    for (; watch->timer_count <= watch->count; watch->timer_count++) {
        int error = body->device->timer_new(body->device_id, &watch->timers[watch->timer_count]);
        if (error) return opgen_device_fail(body, "making a timer", error);
    }
    return OPGEN_OK;
}

static int record_timer(const OpgenWatch *watch, const OpgenRun *run, int32_t at) {
    const OpgenBody *body = watch->body;
    int error = body->device->event_record(body->device_id, watch->timers[at], run->stream);
    return error ? opgen_device_fail(body, "recording a timer", error) : OPGEN_OK;
}

static void time_call(OpgenWatch *watch, const OpgenRun *run, int32_t at) {
    const OpgenDevice *device = watch->body->device;
    if (watch->timers) {
        int status = record_timer(watch, run, at + 1);
        if (status) watch->status = status;
        watch->seen = at + 1;
        return;
    }
    if (!device->host && device->synchronize) (void)device->synchronize(watch->body->device_id, run->stream);
    watch->times[at] = (OpgenSpan){watch->last, opgen_now()};
    watch->seen = at + 1;
}

/* The device's own times, put behind the moment at which the run began. */
static int read_timers(OpgenWatch *watch) {
    const OpgenBody *body = watch->body;
    double begin = 0;
    int error = body->device->event_synchronize(body->device_id, watch->timers[watch->seen]);
    for (int32_t i = 0; i < watch->seen && !error; i++) {
        double end = begin;
        error = body->device->timer_read(body->device_id, watch->timers[0], watch->timers[i + 1], &end);
        watch->times[i] = (OpgenSpan){watch->begin + (uint64_t)(begin * 1e9), watch->begin + (uint64_t)(end * 1e9)};
        begin = end;
    }
    if (!error) watch->end = watch->begin + (uint64_t)(begin * 1e9);
    return error ? opgen_device_fail(body, "reading its timers", error) : OPGEN_OK;
}

static void seen(const OpgenRun *run, int32_t call) {
    OpgenWatch *watch = run->watcher;
    int32_t at = call - watch->first;
    if (at < 0 || at >= watch->count) return;
    if (watch->profile) time_call(watch, run, at);
    if (watch->nan && watch->nan_call < 0) look_for_nan(watch, run, call);
    if (watch->log && watch->log->folder) dump_results(watch, run, call);
    watch->last = watch->nan || watch->log ? opgen_now() : watch->times ? watch->times[at].end : 0;
}

/* ---- one run ------------------------------------------------------------------------------------------------------
 */

static size_t room_for(const OpgenWatch *watch) {
    size_t calls = (size_t)watch->count, dims = (size_t)watch->body->model->dim_count;
    size_t numbers = (size_t)watch->body->model->number_count;
    return (dims + numbers) * sizeof(int64_t) + calls * sizeof(OpgenSpan) + (calls + 1) * sizeof(void *);
}

static void free_room(OpgenWatch *watch) {
    const OpgenBody *body = watch->body;
    for (int32_t i = 0; i < watch->timer_count; i++)
        body->device->event_free(body->device_id, watch->timers[i]);
    opgen_give(&body->memory, watch->room, room_for(watch));
    watch->room = NULL;
}

int opgen_watch_begin(OpgenWatch *watch, const OpgenBody *body, OpgenRun *run, const OpgenLog *log, bool folds) {
    const OpgenModel *model = body->model;
    *watch = (OpgenWatch){.body = body, .log = log, .folds = folds, .nan = body->check_nan, .nan_call = -1};
    watch->profile = opgen_profile_on(body);
    watch->first = folds ? model->call_count : 0;
    watch->count = folds ? model->fold_call_count : model->call_count;
    watch->room = opgen_get_zeros(&body->memory, 1, room_for(watch));
    if (!watch->room) return OPGEN_NO_MEMORY;
    char *next = watch->room;
    int64_t *least = (int64_t *)(void *)next; /* fold has no dims, and what its calls ask is the same for any */
    for (int32_t i = 0; i < model->dim_count; i++)
        least[i] = model->dims[i].min;
    next += (size_t)model->dim_count * sizeof(int64_t);
    watch->numbers = (int64_t *)(void *)next;
    next += (size_t)model->number_count * sizeof(int64_t);
    watch->times = (OpgenSpan *)(void *)next;
    next += (size_t)watch->count * sizeof(OpgenSpan);
    if (model->numbers) model->numbers(run->dims ? run->dims : least, watch->numbers);
    int status = OPGEN_OK;
    if (watch->profile && has_timers(body->device)) {
        watch->timers = (void **)(void *)next;
        status = new_timers(watch);
        if (!status) status = record_timer(watch, run, 0);
    }
    if (status) {
        free_room(watch);
        return status;
    }
    run->seen = watch->count > 0 ? seen : NULL;
    run->watcher = watch;
    watch->begin = watch->last = opgen_now();
    return OPGEN_OK;
}

int opgen_watch_end(OpgenWatch *watch, const OpgenRun *run, int32_t context, int status) {
    const OpgenBody *body = watch->body;
    bool good = !status;
    if (watch->profile) {
        if (!body->device->host && !watch->timers && body->device->synchronize)
            (void)body->device->synchronize(body->device_id, run->stream);
        watch->end = opgen_now();
        if (good && watch->timers) status = watch->status ? watch->status : read_timers(watch);
        if (good && !status) opgen_profile_add(watch, context);
    }
    if (good && watch->nan_call >= 0) status = nan_was_found(watch);
    free_room(watch);
    return status;
}

/* opgen_rt.c: instances of models, their contexts, and runs.
 *
 * What users hold is a handle: a small record that is never given back to the system, with a count of the calls that
 * are in it and a bit that says that it is closed. So a call with a freed instance finds that out, and freeing while a
 * run goes on is refused, at the price of one atomic addition a call. Behind it is the body, all of whose memory is the
 * caller's allocator's.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_internal.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- handles ------------------------------------------------------------------------------------------------------
 */

#define CLOSED 0x80000000u

struct OpgenInstance {
    _Atomic uint32_t calls; /* that are in it; CLOSED: none may come */
    OpgenInstance *next;    /* among the closed ones */
    OpgenFull *full;
};

/* Handles are used again in the order in which they were freed, and while FEW are left more are made, so that one that
 * was freed is not soon another's. */
enum { HANDLES = 256, FEW = 64 };
static OpgenInstance first_handles[HANDLES];
static OpgenInstance *oldest, *newest;
static int closed_count;
static bool handles_ready;
static pthread_mutex_t handles_lock = PTHREAD_MUTEX_INITIALIZER;

static void add_closed(OpgenInstance *handle) {
    handle->next = NULL;
    if (newest) {
        newest->next = handle;
    } else {
        oldest = handle;
    }
    newest = handle;
    closed_count++;
}

static void add_handles(OpgenInstance *handles) {
    for (int i = 0; i < HANDLES; i++) {
        atomic_init(&handles[i].calls, CLOSED);
        add_closed(&handles[i]);
    }
}

static OpgenInstance *new_handle(OpgenFull *full) {
    pthread_mutex_lock(&handles_lock);
    if (!handles_ready) {
        add_handles(first_handles);
        handles_ready = true;
    }
    if (closed_count < FEW) {
        OpgenInstance *more = calloc(HANDLES, sizeof *more); /* without it, the few that are left are used */
        if (more) add_handles(more);
    }
    OpgenInstance *handle = oldest;
    if (handle) {
        oldest = handle->next;
        if (!oldest) newest = NULL;
        closed_count--;
    }
    pthread_mutex_unlock(&handles_lock);
    if (!handle) {
        opgen_fail(OPGEN_NO_MEMORY, "out of memory: too many instances");
        return NULL;
    }
    handle->full = full;
    /* Not a store: a stray call with the old handle may just be counted in it. */
    atomic_fetch_and_explicit(&handle->calls, ~CLOSED, memory_order_release);
    return handle;
}

/* Begins a call; NULL, with a text, when the handle is no instance. */
OpgenFull *opgen_enter(OpgenInstance *instance, const char *where) {
    if (!instance) {
        opgen_fail(OPGEN_BAD_ARGUMENT, "%s: the instance is NULL", where);
        return NULL;
    }
    if ((atomic_fetch_add_explicit(&instance->calls, 1, memory_order_acquire) & CLOSED) == 0) return instance->full;
    atomic_fetch_sub_explicit(&instance->calls, 1, memory_order_release);
    opgen_fail(OPGEN_BAD_ARGUMENT, "%s: the instance was freed before", where);
    return NULL;
}

void opgen_leave(OpgenInstance *instance) { atomic_fetch_sub_explicit(&instance->calls, 1, memory_order_release); }

/* ---- the device ---------------------------------------------------------------------------------------------------
 */

static bool has_events(const OpgenDevice *device) {
    return device->event_new && device->event_free && device->event_record && device->event_wait &&
           device->event_synchronize;
}

/* ---- contexts -----------------------------------------------------------------------------------------------------
 */

/* One block: the context, then its lists, those of the largest elements first. */
size_t opgen_context_size(const OpgenBody *body) {
    const OpgenModel *model = body->model;
    size_t inputs = (size_t)model->input_count, outputs = (size_t)model->output_count, dims = (size_t)model->dim_count;
    size_t axes = (size_t)body->input_axes + (size_t)body->output_axes + (size_t)body->param_axes;
    return sizeof(OpgenContext) + (inputs + outputs) * (sizeof(DLTensor) + sizeof(void *) + sizeof(size_t)) +
           (dims + axes + (size_t)model->value_count) * sizeof(int64_t) + dims * sizeof(int32_t);
}

OpgenContext *opgen_new_context(const OpgenBody *body) {
    const OpgenModel *model = body->model;
    OpgenContext *context = opgen_get_zeros(&body->memory, 1, opgen_context_size(body));
    if (!context) return NULL;
    char *next = (char *)(context + 1);
    size_t inputs = (size_t)model->input_count, outputs = (size_t)model->output_count, dims = (size_t)model->dim_count;
    context->in_order = (DLTensor *)(void *)next;
    next += (inputs + outputs) * sizeof(DLTensor);
    context->inputs = (const void **)(void *)next;
    next += inputs * sizeof(void *);
    context->outputs = (void **)(void *)next;
    next += outputs * sizeof(void *);
    context->bytes = (size_t *)(void *)next;
    next += (inputs + outputs) * sizeof(size_t);
    context->dims = (int64_t *)(void *)next;
    next += dims * sizeof(int64_t);
    context->sizes = (int64_t *)(void *)next;
    next += ((size_t)body->input_axes + (size_t)body->output_axes + (size_t)body->param_axes) * sizeof(int64_t);
    context->values = (int64_t *)(void *)next;
    next += (size_t)model->value_count * sizeof(int64_t);
    context->bound_by = (int32_t *)(void *)next;
    return context;
}

/* Waits until the device is done with what the context's last run used. */
int opgen_settle(OpgenFull *full, OpgenContext *context) {
    OpgenBody *body = &full->body;
    int error = 0;
    if (context->set) {
        error = body->device->event_synchronize(body->device_id, context->event);
        opgen_set_release(body, context->set);
        context->set = NULL;
    }
    return error ? opgen_device_fail(body, "waiting for the last run", error) : OPGEN_OK;
}

static void free_context(OpgenFull *full, OpgenContext *context) {
    OpgenBody *body = &full->body;
    (void)opgen_settle(full, context); /* a device that has failed is done as well */
    opgen_captures_free(body, context->captures);
    if (context->event) body->device->event_free(body->device_id, context->event);
    opgen_device_give(body, context->arena, context->arena_size);
    opgen_give(&body->memory, context, opgen_context_size(body));
}

/* ---- create, free -------------------------------------------------------------------------------------------------
 */

static void free_full(OpgenFull *full) {
    OpgenBody *body = &full->body;
    for (OpgenContext *context = full->pool; context;) {
        OpgenContext *next = context->next;
        free_context(full, context);
        context = next;
    }
    opgen_set_release(body, full->set);
    if (body->shared) body->device->shared_free(body->device_id, body->shared);
    opgen_profile_end(body);
    if (full->locks) {
        pthread_mutex_destroy(&full->lock);
        pthread_mutex_destroy(&full->writing);
        pthread_cond_destroy(&full->returned);
    }
    opgen_library_release(body->library);
    OpgenAllocator memory = body->memory;
    if (body->dump) opgen_give(&memory, body->dump, strlen(body->dump) + 1);
    opgen_give(&memory, full, sizeof *full);
}

static int find_device(OpgenBody *body, const OpgenDevice *asked) {
    const OpgenModel *model = body->model;
    body->device = asked;
    if (!asked) body->device = opgen_library_device(body->library, model->backend);
    if (!body->device && strcmp(model->backend, opgen_device_cpu.name) == 0) body->device = &opgen_device_cpu;
    if (!body->device) {
        return opgen_fail(OPGEN_BAD_DEVICE,
                          "%s: it is for backend \"%.60s\", which is not there: give its device in the options",
                          model->name, model->backend);
    }
    if (body->device->abi != OPGEN_ABI) {
        return opgen_fail(OPGEN_BAD_ABI,
                          "%s: device \"%.60s\" was made for version %d of the runtime's ABI, and this runtime has %d",
                          model->name, asked ? "of the options" : model->backend, (int)body->device->abi, OPGEN_ABI);
    }
    if (strcmp(body->device->name, model->backend) != 0) {
        return opgen_fail(OPGEN_BAD_DEVICE, "%s: it is for backend \"%.60s\", and the device is \"%.60s\"", model->name,
                          model->backend, body->device->name);
    }
    char why[400] = "";
    int error =
        body->device->fits ? body->device->fits(body->device_id, model->arch ? model->arch : "", why, sizeof why) : 0;
    if (error) return opgen_device_fail(body, "looking at the device", error);
    return why[0] ? opgen_fail(OPGEN_BAD_DEVICE, "%s: %s", model->name, why) : OPGEN_OK;
}

static int check_options(const OpgenModel *model, const OpgenOptions *options) {
    if (options->contexts < 0 || options->contexts > 65536) {
        return opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_create: %s: contexts is %d, wanted 0 to 65536", model->name,
                          (int)options->contexts);
    }
    if (options->threads < 0) {
        return opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_create: %s: threads is %d, wanted 0 or more", model->name,
                          (int)options->threads);
    }
    if (!options->allocator.alloc != !options->allocator.free ||
        !options->device_allocator.alloc != !options->device_allocator.free)
        return opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_create: %s: an allocator has only one of alloc and free",
                          model->name);
    return OPGEN_OK;
}

/* The weights that the options ask for. */
static int find_weights(OpgenFull *full, const OpgenOptions *options) {
    OpgenBody *body = &full->body;
    const OpgenModel *model = body->model;
    int status = opgen_set_first(body, &full->set);
    if (status || options->no_weights) return status;
    size_t size = 0;
    char *beside = NULL;
    const char *path = options->weights;
    /* A file that the model names is for what is not embedded; asked for by the caller, it is read in any case. */
    if (!path && model->weights && full->set->missing > 0) {
        path = beside = opgen_beside(model, model->weights, &body->memory, &size);
        if (!path) return OPGEN_NO_MEMORY;
    }
    OpgenSet *loaded = NULL;
    if (path && !(status = opgen_set_load(body, full->set, path, &loaded))) {
        opgen_set_release(body, full->set);
        full->set = loaded;
    }
    if (status == OPGEN_BAD_FILE && beside) {
        opgen_fail(status,
                   "%s; it is the file that model %s names: put it there, or set weights or no_weights in the options",
                   opgen_last_error(), model->name);
    }
    opgen_give(&body->memory, beside, size);
    return status;
}

static int first_weights(OpgenFull *full, const OpgenOptions *options) {
    int status = find_weights(full, options);
    return status ? status : opgen_set_fold(&full->body, full->set, NULL);
}

static int fill(OpgenFull *full, const OpgenOptions *options) {
    OpgenBody *body = &full->body;
    int status = find_device(body, options->device);
    if (status) return status;
    if (options->device_allocator.alloc) {
        body->device_memory = options->device_allocator;
    } else if (body->device->host && options->allocator.alloc) {
        body->device_memory = options->allocator;
    }
    full->locks = pthread_mutex_init(&full->lock, NULL) == 0;
    if (full->locks && pthread_mutex_init(&full->writing, NULL) != 0) {
        pthread_mutex_destroy(&full->lock);
        full->locks = false;
    }
    if (full->locks && pthread_cond_init(&full->returned, NULL) != 0) {
        pthread_mutex_destroy(&full->lock);
        pthread_mutex_destroy(&full->writing);
        full->locks = false;
    }
    if (!full->locks) return opgen_fail(OPGEN_NO_MEMORY, "%s: a lock could not be made", body->model->name);
    for (int32_t i = 0; i < body->context_count; i++) {
        OpgenContext *context = opgen_new_context(body);
        if (!context) return OPGEN_NO_MEMORY;
        context->number = i + 1;
        context->next = full->pool;
        full->pool = context;
        int error = has_events(body->device) ? body->device->event_new(body->device_id, &context->event) : 0;
        if (error) return opgen_device_fail(body, "making an event", error);
    }
    if (body->device->shared_new && body->device->shared_free) {
        size_t size = (size_t)body->context_count * OPGEN_FAULT_BYTES;
        int error = body->device->shared_new(body->device_id, size, &body->shared);
        if (error) return opgen_device_fail(body, "memory that it shares with the host", error);
        memset(body->shared, 0, size);
        for (OpgenContext *context = full->pool; context; context = context->next)
            context->fault = (int64_t *)body->shared + (context->number - 1) * (OPGEN_FAULT_BYTES / 8);
    }
    return first_weights(full, options);
}

int opgen_create(const OpgenModel *model, const OpgenOptions *given, OpgenInstance **instance) {
    if (!instance) return opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_create: instance is NULL");
    *instance = NULL;
    int status = opgen_check_model(model, "opgen_create");
    if (!status) status = opgen_check_calls(model); /* not whenever somebody asks for shapes: they may be many */
    if (status) return status;
    OpgenOptions options = opgen_options();
    if (given) {
        /* A caller built against an older header has fewer fields; the others keep their defaults. */
        if (given->size == 0 || given->size > sizeof options) {
            return opgen_fail(OPGEN_BAD_ARGUMENT,
                              "opgen_create: %s: the options have size %zu, wanted %zu: begin with opgen_options()",
                              model->name, given->size, sizeof options);
        }
        memcpy(&options, given, given->size);
    }
    if ((status = check_options(model, &options))) return status;
    OpgenAllocator memory = opgen_allocator_or_default(&options.allocator);
    int32_t inputs = opgen_axis_count(model->inputs, model->input_count),
            outputs = opgen_axis_count(model->outputs, model->output_count);
    int32_t params = opgen_axis_count(model->params, model->param_count);
    if (inputs < 0 || outputs < 0 || params < 0 || (int64_t)inputs + outputs + params > INT32_MAX)
        return opgen_fail(OPGEN_BAD_ARGUMENT, "model %s: its description has too many axes", model->name);
    OpgenFull *full = opgen_get_zeros(&memory, 1, sizeof *full);
    if (!full) return OPGEN_NO_MEMORY;
    full->body = (OpgenBody){
        .model = model,
        .device_id = options.device_id,
        .threads = options.threads > 0 ? options.threads : 1,
        .busy = options.busy != 0,
        .copy_weights = options.copy_weights != 0,
        .memory = memory,
        .library = opgen_library_hold(model),
        .context_count = options.contexts > 0 ? options.contexts : 1,
        .input_axes = inputs,
        .output_axes = outputs,
        .param_axes = params,
    };
    status = opgen_log_start(&full->body);
    if (!status) status = opgen_profile_begin(&full->body);
    if (!status) status = fill(full, &options);
    if (!status && !(*instance = new_handle(full))) status = OPGEN_NO_MEMORY;
    if (status) free_full(full);
    return status;
}

int opgen_free(OpgenInstance *instance) {
    if (!instance) return OPGEN_OK;
    uint32_t none = 0;
    if (!atomic_compare_exchange_strong_explicit(&instance->calls, &none, CLOSED, memory_order_acq_rel,
                                                 memory_order_relaxed)) {
        if (none & CLOSED) return opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_free: the instance was freed before");
        return opgen_fail(OPGEN_BUSY,
                          "opgen_free: %u call%s with the instance still going on: free it when they have returned",
                          none, none == 1 ? " is" : "s are");
    }
    free_full(instance->full);
    instance->full = NULL;
    pthread_mutex_lock(&handles_lock);
    add_closed(instance);
    pthread_mutex_unlock(&handles_lock);
    return OPGEN_OK;
}

const OpgenModel *opgen_model(OpgenInstance *instance) {
    OpgenFull *full = opgen_enter(instance, "opgen_model");
    if (!full) return NULL;
    const OpgenModel *model = full->body.model;
    opgen_leave(instance);
    return model;
}

int opgen_trim(OpgenInstance *instance) {
    OpgenFull *full = opgen_enter(instance, "opgen_trim");
    if (!full) return OPGEN_BAD_ARGUMENT;
    int status = OPGEN_OK;
    pthread_mutex_lock(&full->lock);
    for (OpgenContext *context = full->pool; context; context = context->next) {
        int settled = opgen_settle(full, context);
        if (settled) status = settled;
        opgen_device_give(&full->body, context->arena, context->arena_size);
        context->arena = NULL;
        context->arena_size = 0;
    }
    pthread_mutex_unlock(&full->lock);
    opgen_leave(instance);
    return status;
}

int opgen_wait(OpgenInstance *instance) {
    OpgenFull *full = opgen_enter(instance, "opgen_wait");
    if (!full) return OPGEN_BAD_ARGUMENT;
    int status = OPGEN_OK;
    pthread_mutex_lock(&full->lock);
    for (OpgenContext *context = full->pool; context; context = context->next) {
        int settled = opgen_settle(full, context);
        if (!settled) settled = opgen_fault_found(full->body.model, context->fault);
        if (settled) status = settled;
    }
    pthread_mutex_unlock(&full->lock);
    opgen_leave(instance);
    return status;
}

/* ---- weights ------------------------------------------------------------------------------------------------------
 */

/* Begins a swap: the set that it starts from, which only another swap could change, and there is none. */
static OpgenSet *begin_swap(OpgenFull *full) {
    pthread_mutex_lock(&full->writing);
    return full->set;
}

/* What is made is seen by runs from now on, with all that depends on it; NULL: it could not be made, which is the
 * status. */
static int end_swap(OpgenFull *full, OpgenSet *made, int status) {
    OpgenSet *old = NULL;
    if (made && (status = opgen_set_fold(&full->body, made, full->set))) {
        opgen_set_release(&full->body, made);
    } else if (made) {
        pthread_mutex_lock(&full->lock);
        old = full->set;
        full->set = made;
        pthread_mutex_unlock(&full->lock);
    }
    pthread_mutex_unlock(&full->writing);
    opgen_set_release(&full->body, old);
    return status;
}

int opgen_weights_load(OpgenInstance *instance, const char *path) {
    OpgenFull *full = opgen_enter(instance, "opgen_weights_load");
    if (!full) return OPGEN_BAD_ARGUMENT;
    int status;
    if (!path) {
        status = opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_weights_load: %s: path is NULL", full->body.model->name);
    } else {
        OpgenSet *made, *base = begin_swap(full);
        status = opgen_set_load(&full->body, base, path, &made);
        status = end_swap(full, made, status);
    }
    opgen_leave(instance);
    return status;
}

int opgen_weights_replace(OpgenInstance *instance, const char *const *names, const DLTensor *tensors, int32_t count) {
    OpgenFull *full = opgen_enter(instance, "opgen_weights_replace");
    if (!full) return OPGEN_BAD_ARGUMENT;
    const char *name = full->body.model->name;
    int status = OPGEN_OK;
    if (count < 0 || (count > 0 && (!names || !tensors))) {
        status = opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_weights_replace: %s: %s", name,
                            count < 0 ? "count is negative"
                            : !names  ? "names is NULL"
                                      : "tensors is NULL");
    }
    for (int32_t i = 0; i < count && !status; i++)
        if (!names[i])
            status = opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_weights_replace: %s: name %d is NULL", name, (int)i);
    if (!status) {
        OpgenSet *made, *base = begin_swap(full);
        status = opgen_set_replace(&full->body, base, names, tensors, count, &made);
        status = end_swap(full, made, status);
    }
    opgen_leave(instance);
    return status;
}

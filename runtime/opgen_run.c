/* opgen_run.c: one run: a context from the pool, the checks, memory, the generated code, and everything back.
 *
 * A run takes a context and a reference to the present weights under one lock, and gives both back at its end, however
 * it ended.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_internal.h"

/* ---- contexts -----------------------------------------------------------------------------------------------------
 */

/* Takes a context and the present weights. */
static int take(OpgenFull *full, OpgenContext **context, OpgenSet **set) {
    int status = OPGEN_OK;
    pthread_mutex_lock(&full->lock);
    while (!full->pool && !full->body.busy)
        pthread_cond_wait(&full->returned, &full->lock);
    *context = full->pool;
    if (*context) {
        full->pool = (*context)->next;
        *set = full->set;
        atomic_fetch_add_explicit(&full->set->refs, 1, memory_order_relaxed);
    } else {
        status = OPGEN_BUSY;
    }
    pthread_mutex_unlock(&full->lock);
    if (status) {
        opgen_fail(status, "%s: busy: all %d contexts are running; try again, or create it with more",
                   full->body.model->name, (int)full->body.context_count);
    }
    return status;
}

static void put_back(OpgenFull *full, OpgenContext *context, OpgenSet *set) {
    pthread_mutex_lock(&full->lock);
    context->next = full->pool;
    full->pool = context;
    pthread_cond_signal(&full->returned);
    pthread_mutex_unlock(&full->lock);
    opgen_set_release(&full->body, set);
}

/* What the dims decide beside shapes, and an arena that is large enough. */
static int grow_arena(OpgenFull *full, OpgenContext *context) {
    OpgenBody *body = &full->body;
    int64_t wanted = body->model->prepare(context->dims, context->values);
    if (wanted < 0 || (uint64_t)wanted > SIZE_MAX)
        return opgen_fail(OPGEN_BAD_SHAPE, "%s: its memory for tensors of these sizes does not fit 64 bits",
                          body->model->name);
    if ((size_t)wanted <= context->arena_size) return OPGEN_OK;
    /* The old one goes first, so that both are not there at once; nothing may still be using it. */
    int status = opgen_settle(full, context);
    if (status) return status;
    opgen_device_give(body, context->arena, context->arena_size);
    context->arena_size = 0;
    context->arena = opgen_device_get(body, (size_t)wanted);
    if (!context->arena) return OPGEN_NO_MEMORY;
    context->arena_size = (size_t)wanted;
    return OPGEN_OK;
}

/* ---- runs ---------------------------------------------------------------------------------------------------------
 */

static int check_count(const OpgenModel *model, const char *role, const OpgenTensor *list, int32_t wanted,
                       const void *got, int32_t count) {
    if (count != wanted) {
        return opgen_fail(
            OPGEN_BAD_ARGUMENT, "%s: wanted %d %s%s, got %d%s%.200s%s", model->name, (int)wanted, role,
            wanted == 1 ? "" : "s", (int)count, count >= 0 && count < wanted ? ": the first that is missing is \"" : "",
            count >= 0 && count < wanted ? list[count].name : "", count >= 0 && count < wanted ? "\"" : "");
    }
    if (count > 0 && !got) return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: the list of %ss is NULL", model->name, role);
    return OPGEN_OK;
}

static int check_counts(const OpgenModel *model, const void *inputs, int32_t input_count, const void *outputs,
                        int32_t output_count) {
    int status = check_count(model, "input", model->inputs, model->input_count, inputs, input_count);
    if (!status) status = check_count(model, "output", model->outputs, model->output_count, outputs, output_count);
    return status;
}

/* What an earlier run's kernels found. Of a run that is under way they may not have said all. */
static int check_earlier(OpgenFull *full, OpgenContext *context) {
    if (!context->fault || ((volatile int64_t *)context->fault)[2] == 0) return OPGEN_OK;
    int status = opgen_settle(full, context);
    if (!status) status = opgen_fault_found(full->body.model, context->fault);
    return status ? opgen_fail(status, "%s; an earlier run found it, and this one was not begun", opgen_last_error())
                  : OPGEN_OK;
}

/* Before anything is asked of the stream that would spoil the caller's capture. */
static int look(const OpgenBody *body, void *stream, OpgenStream *about) {
    *about = (OpgenStream){.known = 0};
    int error = body->device->stream_look ? body->device->stream_look(body->device_id, stream, about) : 0;
    if (error) return opgen_device_fail(body, "looking at the stream", error);
    if (!about->captured) return OPGEN_OK;
    return opgen_fail(OPGEN_BAD_ARGUMENT,
                      "%s: the stream is being captured into a graph: a run makes its own; end the capture first",
                      body->model->name);
}

static bool is_same(const OpgenStream *a, const OpgenStream *b) { return a->known && b->known && a->id == b->id; }

static int wait_for_last(const OpgenBody *body, const OpgenContext *context, void *stream) {
    int error = context->set ? body->device->event_wait(body->device_id, context->event, stream) : 0;
    return error ? opgen_device_fail(body, "waiting for the last run", error) : OPGEN_OK;
}

/* Of the streams that were seen the last two are kept. */
static void recorded(OpgenContext *context, const OpgenStream *about) {
    if (is_same(about, &context->event_in)) return;
    context->event_before = context->event_in;
    context->event_in = *about;
}

static int record(const OpgenBody *body, OpgenContext *context, void *stream, const OpgenStream *about) {
    int error = body->device->event_record(body->device_id, context->event, stream);
    if (!error) recorded(context, about);
    return error;
}

/* Kernels that begin in a stream of another device would end that one's context. An event tells, which can be recorded
 * in streams of its own device alone; the stream waits for the last run first, so that the event is behind it still.
 * Where that was done before it is not done again. */
static int check_stream(const OpgenBody *body, OpgenContext *context, void *stream, const OpgenStream *about) {
    bool seen = is_same(about, &context->event_in) || is_same(about, &context->event_before);
    if (!about->known) seen = stream == context->stream;
    if (!stream || !context->event || seen) return OPGEN_OK;
    int status = wait_for_last(body, context, stream);
    if (status) return status;
    int error = record(body, context, stream, about);
    if (error) return opgen_device_fail(body, "looking at the stream", error);
    if (!about->known) context->stream = stream;
    return OPGEN_OK;
}

/* The arena is the last run's until its event, for which the stream waits, but where it is the same one; so are the
 * weights, which are let go when they have been swapped. */
static int order_streams(OpgenFull *full, OpgenContext *context, const OpgenSet *set, void *stream,
                         const OpgenStream *about, bool nothing) {
    bool waits = !nothing && !is_same(about, &context->event_in);
    int status = waits ? wait_for_last(&full->body, context, stream) : OPGEN_OK;
    return status || !context->set || context->set == set ? status : opgen_settle(full, context);
}

/* The generated code, and behind it the event, until which what was launched may use the set. */
static int call(OpgenBody *body, OpgenContext *context, OpgenSet *set, OpgenRun *run, OpgenWay way, const OpgenLog *log,
                const OpgenStream *about, bool watched) {
    OpgenWatch watch;
    int error = 0, status = watched ? opgen_watch_begin(&watch, body, run, log, false) : OPGEN_OK;
    if (status) return status;
    status = opgen_call(body, run, way, context->event);
    if (watched) status = opgen_watch_end(&watch, run, context->number, status);
    if (way.graph && !status)
        recorded(context, about);
    else if (context->event) /* after a failed run as well: a part of it may be under way */
        error = record(body, context, run->stream, about);
    if (context->event && !error && !context->set) {
        atomic_fetch_add_explicit(&set->refs, 1, memory_order_relaxed);
        context->set = set;
    }
    /* Without the event nothing could order the next run of this context after this one. */
    if (!body->device->host && (!context->event || error) && body->device->synchronize) {
        int waited = body->device->synchronize(body->device_id, run->stream);
        if (!error) error = waited;
    }
    if (status) return status;
    return error ? opgen_device_fail(body, "ending the run", error) : OPGEN_OK;
}

static OpgenRun make_run(const OpgenBody *body, const OpgenContext *context, const OpgenSet *set, void *stream) {
    return (OpgenRun){
        .inputs = context->inputs,
        .params = set->params,
        .outputs = context->outputs,
        .arena = context->arena ? context->arena : opgen_nothing,
        .folded = opgen_set_folded(set),
        .dims = context->dims,
        .values = context->values,
        .stream = stream,
        .threads = body->threads,
    };
}

/* The same as the last run, which had nothing to do, while nobody watches: nothing is asked of the stream, either. */
static bool is_nothing(const OpgenBody *body, const OpgenContext *context, const OpgenSet *set, void *stream) {
    if (!context->captures || body->log > 0 || body->check_nan || opgen_profile_on(body)) return false;
    const OpgenRun run = make_run(body, context, set, stream);
    return opgen_was_nothing(body, context->captures, &run, set->number);
}

/* Everything is known to be right: orders the streams, and calls the generated code. */
static int launch(OpgenFull *full, OpgenContext *context, OpgenSet *set, const OpgenLog *log, void *stream,
                  const OpgenStream *about) {
    OpgenBody *body = &full->body;
    const OpgenDevice *device = body->device;
    int earlier = check_earlier(full, context);
    if (earlier) return earlier;
    OpgenRun run = make_run(body, context, set, stream);
    int64_t fault[4] = {0};
    run.fault = context->fault ? context->fault : device->host ? fault : NULL;
    bool watched = body->check_nan || log->folder || opgen_profile_on(body);
    OpgenWay way = {.graph = NULL};
    int status = check_stream(body, context, stream, about);
    if (!status && !watched) status = opgen_find_way(body, &context->captures, &run, set->number, &way);
    if (!status) status = order_streams(full, context, set, stream, about, way.nothing);
    if (!status && !way.nothing) status = call(body, context, set, &run, way, log, about, watched);
    if (status || !context->fault || !(device->host || watched || !context->event)) return status;
    status = opgen_settle(full, context); /* who watches a run waits for it */
    return status ? status : opgen_fault_found(body->model, context->fault);
}

/* Before the run what it is given, and afterwards what it gave. */
static void log_inputs(const OpgenBody *body, OpgenLog *log, const OpgenContext *context, const OpgenSet *set,
                       void *stream) {
    static atomic_ulong runs; /* of all instances, so that no dump takes another's name */
    log->run = atomic_fetch_add_explicit(&runs, 1, memory_order_relaxed) + 1;
    if (body->dump) opgen_dump_begin(body, log, set, context->dims, stream);
    opgen_log_tensors(body, log, "inputs", body->model->inputs, body->model->input_count, context->sizes,
                      context->inputs, stream);
}

static void log_outputs(const OpgenBody *body, const OpgenLog *log, const OpgenContext *context, void *stream) {
    const OpgenModel *model = body->model;
    opgen_log_tensors(body, log, "outputs", model->outputs, model->output_count, context->sizes + body->input_axes,
                      (const void *const *)context->outputs, stream);
    const int64_t *sizes = context->sizes;
    for (int32_t i = 0; i < model->input_count; sizes += model->inputs[i++].rank)
        if (model->inputs[i].changed)
            opgen_log_tensors(body, log, "changed", &model->inputs[i], 1, sizes, &context->inputs[i], stream);
}

static int run_logged(OpgenFull *full, OpgenContext *context, OpgenSet *set, OpgenLog *log, void *stream,
                      const OpgenStream *about) {
    const OpgenBody *body = &full->body;
    const OpgenModel *model = body->model;
    if (body->log > 0) log_inputs(body, log, context, set, stream);
    int status = OPGEN_OK;
    if (body->check_nan)
        status =
            opgen_check_nan(body, "input", model->inputs, model->input_count, context->sizes, context->inputs, stream);
    if (!status) status = launch(full, context, set, log, stream, about);
    if (status) return status;
    if (body->log > 0) log_outputs(body, log, context, stream);
    /* Without a table of calls only what comes out can be looked at. */
    if (!body->check_nan || model->call_count > 0) return OPGEN_OK;
    return opgen_check_nan(body, "output", model->outputs, model->output_count, context->sizes + body->input_axes,
                           (const void *const *)context->outputs, stream);
}

static int run_checked(OpgenFull *full, OpgenContext *context, OpgenSet *set, const DLTensor *inputs,
                       const DLTensor *outputs, void *stream) {
    OpgenBody *body = &full->body;
    OpgenBinding binding = {context->dims, context->sizes, context->bound_by};
    int status = opgen_set_ready(body, set);
    if (!status) status = opgen_check_shapes(body, set, inputs, outputs, binding);
    if (!status) status = opgen_check_memory(body, inputs, outputs, context);
    if (!status && is_nothing(body, context, set, stream)) return check_earlier(full, context);
    OpgenStream about;
    if (!status) status = look(body, stream, &about);
    if (!status) status = grow_arena(full, context);
    if (status) return status;
    OpgenLog log = {0, NULL, 0};
    status = run_logged(full, context, set, &log, stream, &about);
    if (log.folder) opgen_dump_end(body, &log);
    return status;
}

int opgen_run(OpgenInstance *instance, const DLTensor *inputs, int32_t input_count, const DLTensor *outputs,
              int32_t output_count, void *stream) {
    OpgenFull *full = opgen_enter(instance, "opgen_run");
    if (!full) return OPGEN_BAD_ARGUMENT;
    OpgenContext *context;
    OpgenSet *set;
    int status = check_counts(full->body.model, inputs, input_count, outputs, output_count);
    if (!status && !(status = take(full, &context, &set))) {
        status = run_checked(full, context, set, inputs, outputs, stream);
        put_back(full, context, set);
    }
    opgen_leave(instance);
    return status;
}

/* Puts named tensors into the model's order. Since their count is right and no name comes twice, none is missing. */
static int order(const OpgenModel *model, const char *role, const OpgenTensor *wanted, const OpgenNamed *given,
                 int32_t count, DLTensor *in_order) {
    for (int32_t i = 0; i < count; i++) {
        const char *name = given[i].name;
        if (!name)
            return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: %s %d of the list: its name is NULL", model->name, role, (int)i);
        int32_t at = role[0] == 'i' ? opgen_find_input(model, name) : opgen_find_output(model, name);
        if (at < 0) return OPGEN_BAD_NAME;
        for (int32_t k = 0; k < i; k++) {
            if (strcmp(given[k].name, name) == 0)
                return opgen_fail(OPGEN_BAD_NAME, "%s: %s \"%.200s\" is given twice", model->name, role,
                                  wanted[at].name);
        }
        in_order[at] = given[i].tensor;
    }
    return OPGEN_OK;
}

int opgen_run_named(OpgenInstance *instance, const OpgenNamed *inputs, int32_t input_count, const OpgenNamed *outputs,
                    int32_t output_count, void *stream) {
    OpgenFull *full = opgen_enter(instance, "opgen_run_named");
    if (!full) return OPGEN_BAD_ARGUMENT;
    const OpgenModel *model = full->body.model;
    OpgenContext *context;
    OpgenSet *set;
    int status = check_counts(model, inputs, input_count, outputs, output_count);
    if (!status && !(status = take(full, &context, &set))) {
        DLTensor *in_order = context->in_order, *out_order = context->in_order + model->input_count;
        status = order(model, "input", model->inputs, inputs, input_count, in_order);
        if (!status) status = order(model, "output", model->outputs, outputs, output_count, out_order);
        if (!status) status = run_checked(full, context, set, in_order, out_order, stream);
        put_back(full, context, set);
    }
    opgen_leave(instance);
    return status;
}

int opgen_infer_shapes(OpgenInstance *instance, const DLTensor *inputs, int32_t input_count, DLTensor *outputs,
                       int32_t output_count) {
    OpgenFull *full = opgen_enter(instance, "opgen_infer_shapes");
    if (!full) return OPGEN_BAD_ARGUMENT;
    OpgenBody *body = &full->body;
    const OpgenModel *model = body->model;
    /* Not a context's memory: this answers while all of them are running. */
    OpgenContext *scratch = NULL;
    OpgenSet *set = NULL;
    int status = check_counts(model, inputs, input_count, outputs, output_count);
    if (!status) status = opgen_room_for(model, "opgen_infer_shapes", outputs);
    if (!status && !(scratch = opgen_new_context(body))) status = OPGEN_NO_MEMORY;
    if (!status) {
        pthread_mutex_lock(&full->lock);
        set = full->set;
        atomic_fetch_add_explicit(&set->refs, 1, memory_order_relaxed);
        pthread_mutex_unlock(&full->lock);
        OpgenBinding binding = {scratch->dims, scratch->sizes, scratch->bound_by};
        status = opgen_check_shapes(body, set, inputs, NULL, binding);
        opgen_set_release(body, set);
    }
    if (!status) opgen_give_shapes(model, scratch->sizes + body->input_axes, outputs);
    for (int32_t i = 0; i < model->output_count && !status; i++) {
        outputs[i].device.device_type = (DLDeviceType)body->device->dl_device;
        outputs[i].device.device_id = body->device_id;
        outputs[i].strides = NULL;
        outputs[i].byte_offset = 0;
    }
    opgen_give(&body->memory, scratch, opgen_context_size(body));
    opgen_leave(instance);
    return status;
}

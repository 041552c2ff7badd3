/* opgen_profile.c: what runs and their calls take: added up, and one by one for a picture of time.
 *
 * An instance has one profile from the first opgen_profile_start on. Runs measure by themselves and add what they
 * found at their end, under a lock that no run holds for longer. The last EVENTS of what was measured are kept one by
 * one; sums have all. OPGEN_PROFILE=FILE is a profile from the beginning, written when the instance is freed.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_npy_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIRST_EVENTS = 4096, EVENTS = 1 << 18, RUN = -1 };

typedef struct Event {
    uint64_t begin, nanoseconds;
    int32_t call; /* RUN: the run that they are in */
    int32_t context;
    int64_t bytes, flops; /* negative: not known */
} Event;

struct OpgenProfile {
    pthread_mutex_t lock;
    atomic_uint on;      /* which of the profiles that were started; 0: none is going on */
    uint32_t generation; /* of the last that was started */
    OpgenTimes runs, *calls;
    Event *events; /* from some time on the oldest gives way to the newest */
    size_t room;
    uint64_t added; /* events, ever */
    bool lost;      /* some for want of memory */
};

static int32_t calls_of(const OpgenModel *model) { return model->call_count + model->fold_call_count; }

/* ---- starting -----------------------------------------------------------------------------------------------------
 */

uint32_t opgen_profile_on(const OpgenBody *body) {
    OpgenProfile *profile = atomic_load_explicit(&body->profile, memory_order_acquire);
    return profile ? atomic_load_explicit(&profile->on, memory_order_relaxed) : 0;
}

static size_t profile_size(const OpgenBody *body) {
    return sizeof(OpgenProfile) + (size_t)calls_of(body->model) * sizeof(OpgenTimes);
}

static int make_profile(OpgenBody *body, OpgenProfile **made) {
    OpgenProfile *profile = opgen_get_zeros(&body->memory, 1, profile_size(body));
    *made = NULL;
    if (!profile) return OPGEN_NO_MEMORY;
    profile->calls = (OpgenTimes *)(void *)(profile + 1);
    if (pthread_mutex_init(&profile->lock, NULL) != 0) {
        opgen_give(&body->memory, profile, profile_size(body));
        return opgen_fail(OPGEN_NO_MEMORY, "%s: a lock could not be made", body->model->name);
    }
    *made = profile;
    return OPGEN_OK;
}

static void free_profile(OpgenBody *body, OpgenProfile *profile) {
    if (!profile) return;
    pthread_mutex_destroy(&profile->lock);
    opgen_give(&body->memory, profile->events, profile->room * sizeof *profile->events);
    opgen_give(&body->memory, profile, profile_size(body));
}

static int start(OpgenBody *body) {
    OpgenProfile *profile = atomic_load_explicit(&body->profile, memory_order_acquire);
    if (!profile) {
        OpgenProfile *made;
        int status = make_profile(body, &made);
        if (status) return status;
        if (atomic_compare_exchange_strong(&body->profile, &profile, made))
            profile = made;
        else
            free_profile(body, made); /* another thread was faster */
    }
    pthread_mutex_lock(&profile->lock);
    profile->runs = (OpgenTimes){0};
    memset(profile->calls, 0, (size_t)calls_of(body->model) * sizeof *profile->calls);
    profile->added = 0;
    profile->lost = false;
    if (++profile->generation == 0) profile->generation = 1;
    atomic_store_explicit(&profile->on, profile->generation, memory_order_relaxed);
    pthread_mutex_unlock(&profile->lock);
    return OPGEN_OK;
}

int opgen_profile_start(OpgenInstance *instance) {
    OpgenFull *full = opgen_enter(instance, "opgen_profile_start");
    if (!full) return OPGEN_BAD_ARGUMENT;
    int status = start(&full->body);
    opgen_leave(instance);
    return status;
}

int opgen_profile_stop(OpgenInstance *instance) {
    OpgenFull *full = opgen_enter(instance, "opgen_profile_stop");
    if (!full) return OPGEN_BAD_ARGUMENT;
    OpgenProfile *profile = atomic_load_explicit(&full->body.profile, memory_order_acquire);
    if (profile) atomic_store_explicit(&profile->on, 0, memory_order_relaxed);
    opgen_leave(instance);
    return OPGEN_OK;
}

/* ---- adding -------------------------------------------------------------------------------------------------------
 */

static void add_time(OpgenTimes *sum, uint64_t nanoseconds, int64_t bytes, int64_t flops) {
    double seconds = (double)nanoseconds * 1e-9;
    if (sum->count == 0 || seconds < sum->least) sum->least = seconds;
    if (sum->count == 0 || seconds > sum->greatest) sum->greatest = seconds;
    sum->seconds += seconds;
    sum->bytes = bytes < 0 || sum->bytes < 0 ? -1 : sum->bytes + (double)bytes;
    sum->flops = flops < 0 || sum->flops < 0 ? -1 : sum->flops + (double)flops;
    sum->count++;
}

/* Room for one more; false when there is none. */
static bool grow(const OpgenBody *body, OpgenProfile *profile) {
    if (profile->room == EVENTS || profile->added < profile->room) return true;
    size_t room = profile->room == 0 ? FIRST_EVENTS : 2 * profile->room;
    Event *events = opgen_get(&body->memory, room * sizeof *events, sizeof(uint64_t));
    if (!events) return profile->room > 0;
    if (profile->room > 0) memcpy(events, profile->events, profile->room * sizeof *events);
    opgen_give(&body->memory, profile->events, profile->room * sizeof *events);
    profile->events = events;
    profile->room = room;
    return true;
}

static void add_event(const OpgenBody *body, OpgenProfile *profile, const Event *event) {
    /* Once the oldest was given up there is no growing, for they are no longer in order. */
    if (profile->added <= profile->room && !grow(body, profile)) {
        profile->lost = true;
        return;
    }
    profile->events[profile->added++ % profile->room] = *event;
}

static int64_t number(const OpgenWatch *watch, int32_t at) { return at < 0 ? -1 : watch->numbers[at]; }

void opgen_profile_add(const OpgenWatch *watch, int32_t context) {
    const OpgenBody *body = watch->body;
    const OpgenModel *model = body->model;
    OpgenProfile *profile = atomic_load_explicit(&body->profile, memory_order_acquire);
    pthread_mutex_lock(&profile->lock);
    bool current = profile->generation == watch->profile; /* otherwise another was started meanwhile */
    Event run = {watch->begin, watch->end - watch->begin, RUN, context, -1, -1};
    if (current && !watch->folds) {
        add_time(&profile->runs, run.nanoseconds, 0, 0);
        add_event(body, profile, &run);
    }
    for (int32_t i = 0; i < watch->seen && current; i++) {
        const OpgenCall *call = &model->calls[watch->first + i];
        const OpgenSpan *times = &watch->times[i];
        Event event = {times->begin, times->end - times->begin,  watch->first + i,
                       context,      number(watch, call->bytes), number(watch, call->flops)};
        add_time(&profile->calls[watch->first + i], event.nanoseconds, event.bytes, event.flops);
        add_event(body, profile, &event);
    }
    pthread_mutex_unlock(&profile->lock);
}

/* ---- reading ------------------------------------------------------------------------------------------------------
 */

int opgen_profile_get(OpgenInstance *instance, OpgenTimes *runs, OpgenTimes *calls, int32_t call_count) {
    OpgenFull *full = opgen_enter(instance, "opgen_profile_get");
    if (!full) return OPGEN_BAD_ARGUMENT;
    const OpgenModel *model = full->body.model;
    OpgenProfile *profile = atomic_load_explicit(&full->body.profile, memory_order_acquire);
    int status = OPGEN_OK;
    if (!profile) {
        status = opgen_fail(OPGEN_BAD_ARGUMENT, "%s: no profile was started: opgen_profile_start", model->name);
    } else if (call_count < 0 || call_count > calls_of(model) || (call_count > 0 && !calls)) {
        status = opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_profile_get: %s: wanted 0 to %d calls, got %d%s", model->name,
                            (int)calls_of(model), (int)call_count, calls ? "" : " and no room for them");
    } else {
        pthread_mutex_lock(&profile->lock);
        if (runs) *runs = profile->runs;
        if (call_count > 0) memcpy(calls, profile->calls, (size_t)call_count * sizeof *calls);
        pthread_mutex_unlock(&profile->lock);
    }
    opgen_leave(instance);
    return status;
}

/* A profile as it is at one moment, so that runs do not wait until it is written. */
typedef struct Taken {
    OpgenProfile *profile;
    size_t count, first; /* of the events; where the oldest is */
} Taken;

static void free_taken(OpgenBody *body, Taken *taken) {
    free_profile(body, taken->profile);
    taken->profile = NULL;
}

static int take(OpgenBody *body, Taken *taken) {
    OpgenProfile *profile = atomic_load_explicit(&body->profile, memory_order_acquire), *copy;
    *taken = (Taken){NULL, 0, 0};
    if (!profile)
        return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: no profile was started: opgen_profile_start", body->model->name);
    int status = make_profile(body, &copy);
    if (status) return status;
    pthread_mutex_lock(&profile->lock);
    copy->events = opgen_get(&body->memory, profile->room * sizeof *copy->events, sizeof(uint64_t));
    if (copy->events) {
        copy->room = profile->room;
        copy->added = profile->added;
        copy->lost = profile->lost;
        copy->runs = profile->runs;
        memcpy(copy->calls, profile->calls, (size_t)calls_of(body->model) * sizeof *copy->calls);
        if (profile->room > 0) memcpy(copy->events, profile->events, profile->room * sizeof *copy->events);
    }
    pthread_mutex_unlock(&profile->lock);
    taken->profile = copy;
    if (!copy->events) {
        free_taken(body, taken);
        return OPGEN_NO_MEMORY;
    }
    taken->count = copy->added < copy->room ? (size_t)copy->added : copy->room;
    taken->first = taken->count < copy->room || copy->room == 0 ? 0 : (size_t)(copy->added % copy->room);
    return OPGEN_OK;
}

/* ---- writing ------------------------------------------------------------------------------------------------------
 */

/* Where text goes: a file, or memory as snprintf has it. */
typedef struct Sink {
    OpgenOut *out;
    OpgenText text;
} Sink;

static void add(Sink *sink, const char *format, ...) OPGEN_PRINTF(2, 3);
static void add(Sink *sink, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (sink->out) {
        if (vfprintf(sink->out->file, format, arguments) < 0 && !sink->out->error)
            sink->out->error = errno ? errno : EIO;
    } else {
        OpgenText *text = &sink->text;
        size_t room = text->room - text->length;
        int length = vsnprintf(room > 0 ? text->text + text->length : NULL, room, format, arguments);
        if (length > 0) text->total += (size_t)length;
        if (length > 0 && room > 0) text->length += (size_t)length < room ? (size_t)length : room - 1;
    }
    va_end(arguments);
}

/* Names of generated code are plain; those of a model that somebody wrote by hand need not be. */
static void add_string(Sink *sink, const char *text) {
    add(sink, "\"");
    while (*text) {
        size_t plain = 0;
        while (text[plain] && text[plain] != '"' && text[plain] != '\\' && (unsigned char)text[plain] >= ' ' &&
               plain < 1000)
            plain++;
        if (plain > 0) add(sink, "%.*s", (int)plain, text);
        text += plain;
        if (*text && (*text == '"' || *text == '\\' || (unsigned char)*text < ' '))
            add(sink, "\\u%04x", (unsigned char)*text++);
    }
    add(sink, "\"");
}

static void add_amount(Sink *sink, const char *name, double amount) {
    if (amount < 0)
        add(sink, ", \"%s\": null", name);
    else
        add(sink, ", \"%s\": %.0f", name, amount);
}

static void add_times(Sink *sink, const OpgenTimes *times) {
    add(sink, "\"count\": %lld, \"seconds\": %.9f, \"least\": %.9f, \"greatest\": %.9f", (long long)times->count,
        times->seconds, times->least, times->greatest);
}

static void add_calls(Sink *sink, const OpgenModel *model, const OpgenProfile *profile, int32_t first, int32_t count) {
    for (int32_t i = first; i < first + count; i++) {
        const OpgenCall *call = &model->calls[i];
        const OpgenTimes *times = &profile->calls[i];
        add(sink, "%s\n  {\"call\": %d, \"function\": ", i > first ? "," : "", (int)i);
        add_string(sink, call->function);
        add(sink, ", \"operators\": ");
        add_string(sink, call->operators);
        add(sink, ", \"nodes\": ");
        add_string(sink, call->nodes);
        add(sink, ", ");
        add_times(sink, times);
        add_amount(sink, "bytes", times->bytes);
        add_amount(sink, "flops", times->flops);
        add(sink, "}");
    }
}

static void add_summary(Sink *sink, const OpgenBody *body, const Taken *taken) {
    const OpgenModel *model = body->model;
    add(sink, "{\"model\": ");
    add_string(sink, model->name);
    add(sink, ", \"backend\": ");
    add_string(sink, model->backend);
    add(sink, ", \"arch\": ");
    add_string(sink, model->arch ? model->arch : "");
    add(sink, ", \"threads\": %d, \"runs\": {", (int)body->threads);
    add_times(sink, &taken->profile->runs);
    add(sink, "},\n \"calls\": [");
    add_calls(sink, model, taken->profile, 0, model->call_count);
    add(sink, "],\n \"fold\": [");
    add_calls(sink, model, taken->profile, model->call_count, model->fold_call_count);
    add(sink, "]}");
}

/* As chrome://tracing and Perfetto read it: microseconds, a thread for each context. */
static void add_event_text(Sink *sink, const OpgenModel *model, const Event *event) {
    add(sink, ",\n{\"ph\": \"X\", \"pid\": %ld, \"tid\": %d, \"ts\": %llu.%03u, \"dur\": %llu.%03u, \"name\": ",
        (long)getpid(), (int)event->context, (unsigned long long)(event->begin / 1000), (unsigned)(event->begin % 1000),
        (unsigned long long)(event->nanoseconds / 1000), (unsigned)(event->nanoseconds % 1000));
    if (event->call == RUN) {
        add_string(sink, model->name);
        add(sink, ", \"cat\": \"run\"}");
        return;
    }
    const OpgenCall *call = &model->calls[event->call];
    add_string(sink, call->operators);
    add(sink,
        ", \"cat\": \"%s\", \"args\": {\"call\": %d, \"function\": ", event->call < model->call_count ? "call" : "fold",
        (int)event->call);
    add_string(sink, call->function);
    add(sink, ", \"nodes\": ");
    add_string(sink, call->nodes);
    add_amount(sink, "bytes", (double)event->bytes);
    add_amount(sink, "flops", (double)event->flops);
    add(sink, "}}");
}

static void add_trace(Sink *sink, const OpgenBody *body, const Taken *taken) {
    const OpgenModel *model = body->model;
    add(sink,
        "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n{\"ph\": \"M\", \"pid\": %ld, \"name\": "
        "\"process_name\", \"args\": {\"name\": ",
        (long)getpid());
    add_string(sink, model->name);
    add(sink, "}}");
    for (int32_t i = 0; i <= body->context_count; i++) {
        add(sink, ",\n{\"ph\": \"M\", \"pid\": %ld, \"tid\": %d, \"name\": \"thread_name\", \"args\": {\"name\": ",
            (long)getpid(), (int)i);
        if (i == 0)
            add(sink, "\"weights\"}}");
        else
            add(sink, "\"context %d\"}}", (int)i);
    }
    for (size_t i = 0; i < taken->count; i++)
        add_event_text(sink, model, &taken->profile->events[(taken->first + i) % taken->profile->room]);
    add(sink, "],\n\"eventsLost\": %llu,\n\"opgen\": ",
        (unsigned long long)(taken->profile->added - taken->count) + taken->profile->lost);
    add_summary(sink, body, taken);
    add(sink, "}");
}

static void add_all(Sink *sink, const OpgenBody *body, const Taken *taken, int format) {
    if (format == OPGEN_PROFILE_TRACE)
        add_trace(sink, body, taken);
    else
        add_summary(sink, body, taken);
    add(sink, "\n");
}

static int check_format(const OpgenModel *model, const char *where, int format) {
    if (format == OPGEN_PROFILE_JSON || format == OPGEN_PROFILE_TRACE) return OPGEN_OK;
    return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: %s: there is no format %d", where, model->name, format);
}

int opgen_profile_text(OpgenInstance *instance, int format, char *text, size_t size, size_t *length) {
    OpgenFull *full = opgen_enter(instance, "opgen_profile_text");
    if (!full) return OPGEN_BAD_ARGUMENT;
    Taken taken = {0};
    int status = check_format(full->body.model, "opgen_profile_text", format);
    if (!status && ((size > 0 && !text) || !length))
        status = opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_profile_text: %s is NULL", length ? "text" : "length");
    if (!status) status = take(&full->body, &taken);
    if (!status) {
        Sink sink = {NULL, {text, size, 0, 0}};
        if (size > 0) text[0] = '\0';
        add_all(&sink, &full->body, &taken, format);
        *length = sink.text.total;
        free_taken(&full->body, &taken);
    }
    opgen_leave(instance);
    return status;
}

static int write_profile(OpgenBody *body, int format, const char *path) {
    Taken taken;
    OpgenOut out;
    int status = take(body, &taken);
    if (status) return status;
    if (!(status = opgen_out_open(&out, path))) {
        Sink sink = {&out, {NULL, 0, 0, 0}};
        add_all(&sink, body, &taken, format);
        status = opgen_out_close(&out);
    }
    free_taken(body, &taken);
    return status;
}

int opgen_profile_write(OpgenInstance *instance, int format, const char *path) {
    OpgenFull *full = opgen_enter(instance, "opgen_profile_write");
    if (!full) return OPGEN_BAD_ARGUMENT;
    int status = check_format(full->body.model, "opgen_profile_write", format);
    if (!status && !path) status = opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_profile_write: path is NULL");
    if (!status) status = write_profile(&full->body, format, path);
    opgen_leave(instance);
    return status;
}

/* ---- OPGEN_PROFILE ------------------------------------------------------------------------------------------------
 */

/* The first instance of the process has the name as it is, the others a number behind it: trace.json, trace-2.json. */
int opgen_profile_begin(OpgenBody *body) {
    static atomic_uint instances;
    const char *path = getenv("OPGEN_PROFILE");
    if (!path || !*path) return OPGEN_OK;
    unsigned which = atomic_fetch_add(&instances, 1) + 1;
    const char *slash = strrchr(path, '/'), *point = strrchr(slash ? slash : path, '.');
    char behind[16] = "";
    if (which > 1) snprintf(behind, sizeof behind, "-%u", which);
    size_t stem = point ? (size_t)(point - path) : strlen(path);
    body->trace_size = strlen(path) + strlen(behind) + 1;
    body->trace = opgen_get(&body->memory, body->trace_size, 1);
    if (!body->trace) return OPGEN_NO_MEMORY;
    snprintf(body->trace, body->trace_size, "%.*s%s%s", (int)stem, path, behind, path + stem);
    return start(body);
}

void opgen_profile_end(OpgenBody *body) {
    OpgenProfile *profile = atomic_load_explicit(&body->profile, memory_order_acquire);
    if (body->trace && profile && profile->runs.count > 0 && write_profile(body, OPGEN_PROFILE_TRACE, body->trace))
        fprintf(stderr, "opgen: OPGEN_PROFILE: %s\n", opgen_last_error());
    opgen_give(&body->memory, body->trace, body->trace_size);
    free_profile(body, profile);
}

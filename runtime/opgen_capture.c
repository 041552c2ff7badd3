/* opgen_capture.c: calls of a model's generated code, on devices as graphs where the same call comes again.
 *
 * Launching kernels one by one takes the host longer than many of them take the device. So a call whose sizes and
 * memory are those of an earlier one is captured into a graph, which is launched as a whole from then on. A graph holds
 * addresses, and nothing else that can change: a call is the same if its dims and all addresses are. The first one is
 * done kernel by kernel, since a caller who brings other memory each time would pay for graphs that are never used; the
 * second captures. A context keeps a few of them, and lets go of the one that was not used for the longest time.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_internal.h"

#include <stdlib.h>

enum { CAPTURED = 16 };

typedef struct Captured {
    uint64_t *key;     /* NULL: the place is free */
    unsigned long set; /* the number of the weights whose addresses these were when they were last compared */
    void *graph;       /* NULL: was called once */
    bool nothing;      /* its graph would have nothing in it */
    uint64_t used;     /* the number of the call */
} Captured;

struct OpgenCaptures {
    Captured items[CAPTURED];
    Captured *last; /* the one that was used last; NULL: none yet */
    uint64_t calls;
};

/* ---- keys --------------------------------------------------------------------------------------------------------
 */

/* A key is made of lists, the one of params behind all others. */
static size_t key_words(const OpgenModel *model) {
    return (size_t)model->dim_count + (size_t)model->input_count + (size_t)model->output_count +
           (size_t)model->param_count + 2;
}

static uint64_t *add_addresses(uint64_t *key, const void *const *addresses, int32_t count) {
    for (int32_t i = 0; i < count; i++)
        *key++ = (uint64_t)(uintptr_t)addresses[i];
    return key;
}

static void make_key(const OpgenModel *model, const OpgenRun *run, uint64_t *key) {
    for (int32_t i = 0; i < model->dim_count; i++)
        *key++ = (uint64_t)run->dims[i];
    key = add_addresses(key, run->inputs, model->input_count);
    key = add_addresses(key, (const void *const *)run->outputs, model->output_count);
    *key++ = (uint64_t)(uintptr_t)run->arena;
    *key++ = (uint64_t)(uintptr_t)run->folded;
    (void)add_addresses(key, run->params, model->param_count);
}

static const uint64_t *same_addresses(const uint64_t *key, const void *const *addresses, int32_t count) {
    for (int32_t i = 0; i < count; i++)
        if (key[i] != (uint64_t)(uintptr_t)addresses[i]) return NULL;
    return key + count;
}

/* Whether the call is this one. Weights of the same number are the same: their addresses are not looked at again. */
static bool is_same(const OpgenModel *model, const OpgenRun *run, unsigned long set, Captured *at) {
    const uint64_t *key = at->key;
    if (!key) return false;
    for (int32_t i = 0; i < model->dim_count; i++)
        if (*key++ != (uint64_t)run->dims[i]) return false;
    key = same_addresses(key, run->inputs, model->input_count);
    if (key) key = same_addresses(key, (const void *const *)run->outputs, model->output_count);
    if (!key || *key++ != (uint64_t)(uintptr_t)run->arena || *key++ != (uint64_t)(uintptr_t)run->folded) return false;
    if (at->set != set && !same_addresses(key, run->params, model->param_count)) return false;
    at->set = set;
    return true;
}

/* The call's place: its own, or the one that was not used for the longest time. */
static Captured *find(OpgenCaptures *captures, const OpgenModel *model, const OpgenRun *run, unsigned long set,
                      bool *known) {
    Captured *oldest = &captures->items[0];
    *known = captures->last && is_same(model, run, set, captures->last);
    if (*known) return captures->last;
    for (int i = 0; i < CAPTURED; i++) {
        Captured *at = &captures->items[i];
        *known = is_same(model, run, set, at);
        if (*known) return at;
        if (at->used < oldest->used) oldest = at;
    }
    return oldest;
}

static OpgenCaptures *new_captures(const OpgenBody *body) {
    const char *wanted = getenv("OPGEN_GRAPHS");
    if (wanted && strcmp(wanted, "0") == 0) return NULL;
    return opgen_get_zeros(&body->memory, 1, sizeof(OpgenCaptures));
}

void opgen_captures_free(const OpgenBody *body, OpgenCaptures *captures) {
    if (!captures) return;
    for (int i = 0; i < CAPTURED; i++) {
        Captured *at = &captures->items[i];
        if (at->graph) body->device->graph_free(body->device_id, at->graph);
        opgen_give(&body->memory, at->key, key_words(body->model) * sizeof *at->key);
    }
    opgen_give(&body->memory, captures, sizeof *captures);
}

/* ---- calls -------------------------------------------------------------------------------------------------------
 */

static int call(const OpgenBody *body, int (*function)(const OpgenRun *run), const OpgenRun *run, int *error) {
    const OpgenDevice *device = body->device;
    int32_t before = 0;
    *error = device->enter ? device->enter(body->device_id, &before) : 0;
    if (*error) return OPGEN_OK;
    int status = function(run);
    if (device->leave) *error = device->leave(before);
    return status;
}

int opgen_device_call(const OpgenBody *body, int (*function)(const OpgenRun *run), const OpgenRun *run,
                      const char *what) {
    int error, status = call(body, function, run, &error);
    if (status) return opgen_run_failed(body->model, status, run->fault, what);
    return error ? opgen_device_fail(body, what, error) : OPGEN_OK;
}

/* What the call launches into this stream. */
static void capture_in(const OpgenBody *body, OpgenRun run, void *stream, Captured *at) {
    const OpgenDevice *device = body->device;
    size_t nodes = 0;
    int error;
    run.stream = stream;
    if (device->capture_begin(body->device_id, stream)) return;
    int status = call(body, body->model->run, &run, &error);
    int ended = device->capture_end(body->device_id, stream, &at->graph, &nodes);
    bool good = status == OPGEN_OK && !error && !ended;
    at->nothing = good && nodes == 0;
    if (!at->graph || (good && !at->nothing)) return;
    device->graph_free(body->device_id, at->graph);
    at->graph = NULL;
}

/* Into a graph, in a stream of its own, because the caller's may be the default one. Where that does not go, nothing
 * has happened. */
static void capture(const OpgenBody *body, const OpgenRun *run, Captured *at) {
    void *stream = NULL;
    if (body->device->stream_new(body->device_id, &stream)) return;
    capture_in(body, *run, stream, at);
    body->device->stream_free(body->device_id, stream);
}

/* Memory that is the host's would end the device's context for the whole process. */
static int check_memory(const OpgenBody *body, const OpgenRun *run) {
    const OpgenModel *model = body->model;
    for (int32_t i = 0; body->device->owns && i < model->input_count + model->output_count; i++) {
        bool output = i >= model->input_count;
        int32_t at = output ? i - model->input_count : i;
        const OpgenTensor *tensor = output ? &model->outputs[at] : &model->inputs[at];
        const void *memory = output ? run->outputs[at] : run->inputs[at];
        if (memory == opgen_nothing) continue;
        int answer = 0, error = body->device->owns(body->device_id, memory, &answer);
        if (error) return opgen_device_fail(body, "looking at memory", error);
        if (answer) continue;
        return opgen_fail(OPGEN_BAD_DEVICE,
                          "%s: %s \"%.200s\": its memory is not that of %s device %d: copy it there first", model->name,
                          output ? "output" : "input", tensor->name, body->device->name, (int)body->device_id);
    }
    return OPGEN_OK;
}

/* A call that is none of those that are kept takes a place. */
static int put_in(const OpgenBody *body, const OpgenRun *run, unsigned long set, Captured *at) {
    int status = check_memory(body, run);
    if (status) return status;
    /* What was here may be under way still: the device frees it when it is done. */
    if (at->graph) body->device->graph_free(body->device_id, at->graph);
    at->graph = NULL;
    at->nothing = false;
    at->set = set;
    if (!at->key) at->key = opgen_get_zeros(&body->memory, key_words(body->model), sizeof *at->key);
    if (at->key) make_key(body->model, run, at->key);
    return OPGEN_OK;
}

bool opgen_was_nothing(const OpgenBody *body, OpgenCaptures *captures, const OpgenRun *run, unsigned long set) {
    return captures->last && captures->last->nothing && is_same(body->model, run, set, captures->last);
}

int opgen_find_way(const OpgenBody *body, OpgenCaptures **captures, const OpgenRun *run, unsigned long set,
                   OpgenWay *way) {
    *way = (OpgenWay){.graph = NULL};
    if (body->device->host || !body->device->graph_launch) return OPGEN_OK;
    OpgenCaptures *all = *captures ? *captures : (*captures = new_captures(body));
    if (!all) return OPGEN_OK;
    bool known;
    Captured *at = find(all, body->model, run, set, &known);
    int status = known ? OPGEN_OK : put_in(body, run, set, at);
    if (status) return status;
    at->used = ++all->calls;
    all->last = at;
    if (known && !at->graph && !at->nothing) capture(body, run, at);
    way->graph = at->graph;
    way->nothing = at->nothing;
    return OPGEN_OK;
}

int opgen_call(const OpgenBody *body, const OpgenRun *run, OpgenWay way, void *event) {
    if (!way.graph) return opgen_device_call(body, body->model->run, run, "its run function");
    int error = body->device->graph_launch(body->device_id, way.graph, run->stream, event);
    return error ? opgen_device_fail(body, "launching its graph", error) : OPGEN_OK;
}

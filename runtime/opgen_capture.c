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
    uint64_t *key; /* NULL: the place is free */
    void *graph;   /* NULL: was called once */
    uint64_t used; /* the number of the call */
} Captured;

struct OpgenCaptures {
    Captured items[CAPTURED];
    uint64_t *key; /* of the call that is looked for */
    size_t words;
    uint64_t calls;
};

/* ---- keys --------------------------------------------------------------------------------------------------------
 */

static size_t key_words(const OpgenModel *model) {
    return (size_t)model->dim_count + (size_t)model->input_count + (size_t)model->output_count +
           (size_t)model->param_count + 2;
}

static void make_key(const OpgenModel *model, const OpgenRun *run, uint64_t *key) {
    for (int32_t i = 0; i < model->dim_count; i++)
        *key++ = (uint64_t)run->dims[i];
    for (int32_t i = 0; i < model->input_count; i++)
        *key++ = (uint64_t)(uintptr_t)run->inputs[i];
    for (int32_t i = 0; i < model->output_count; i++)
        *key++ = (uint64_t)(uintptr_t)run->outputs[i];
    for (int32_t i = 0; i < model->param_count; i++)
        *key++ = (uint64_t)(uintptr_t)run->params[i];
    *key++ = (uint64_t)(uintptr_t)run->arena;
    *key++ = (uint64_t)(uintptr_t)run->folded;
}

/* The call's place: its own, or the one that was not used for the longest time. */
static Captured *find(OpgenCaptures *captures, bool *known) {
    Captured *oldest = &captures->items[0];
    for (int i = 0; i < CAPTURED; i++) {
        Captured *at = &captures->items[i];
        *known = at->key && memcmp(at->key, captures->key, captures->words * sizeof *at->key) == 0;
        if (*known) return at;
        if (at->used < oldest->used) oldest = at;
    }
    return oldest;
}

static OpgenCaptures *new_captures(const OpgenBody *body) {
    const char *wanted = getenv("OPGEN_GRAPHS");
    if (wanted && strcmp(wanted, "0") == 0) return NULL;
    OpgenCaptures *captures = opgen_get_zeros(&body->memory, 1, sizeof *captures);
    if (!captures) return NULL;
    captures->words = key_words(body->model);
    captures->key = opgen_get_zeros(&body->memory, captures->words, sizeof *captures->key);
    if (captures->key) return captures;
    opgen_give(&body->memory, captures, sizeof *captures);
    return NULL;
}

void opgen_captures_free(const OpgenBody *body, OpgenCaptures *captures) {
    if (!captures) return;
    for (int i = 0; i < CAPTURED; i++) {
        Captured *at = &captures->items[i];
        if (at->graph) body->device->graph_free(body->device_id, at->graph);
        opgen_give(&body->memory, at->key, captures->words * sizeof *at->key);
    }
    opgen_give(&body->memory, captures->key, captures->words * sizeof *captures->key);
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

/* Into a graph; NULL, and nothing else has happened, where that does not go. */
static void *capture(const OpgenBody *body, const OpgenRun *run) {
    const OpgenDevice *device = body->device;
    OpgenRun captured = *run;
    void *graph = NULL;
    int error;
    if (device->capture_begin(body->device_id, &captured.stream)) return NULL;
    int status = call(body, body->model->run, &captured, &error);
    int ended = device->capture_end(body->device_id, captured.stream, &graph);
    if (status == OPGEN_OK && !error && !ended) return graph;
    if (graph) device->graph_free(body->device_id, graph);
    return NULL;
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

int opgen_call(const OpgenBody *body, OpgenCaptures **captures, const OpgenRun *run) {
    const OpgenDevice *device = body->device;
    const OpgenModel *model = body->model;
    static const char what[] = "its run function";
    if (device->host || !device->graph_launch) return opgen_device_call(body, model->run, run, what);
    int error;
    if (!*captures) *captures = new_captures(body);
    if (!*captures || run->seen) return opgen_device_call(body, model->run, run, what);
    OpgenCaptures *all = *captures;
    bool known;
    make_key(model, run, all->key);
    Captured *at = find(all, &known);
    at->used = ++all->calls;
    if (known && !at->graph) at->graph = capture(body, run);
    if (known && at->graph) {
        error = device->graph_launch(body->device_id, at->graph, run->stream);
        return error ? opgen_device_fail(body, "launching its graph", error) : OPGEN_OK;
    }
    if (!known) {
        int status = check_memory(body, run);
        if (status) {
            at->used = 0;
            return status;
        }
        /* What was here may be under way still: the device frees it when it is done. */
        if (at->graph) device->graph_free(body->device_id, at->graph);
        at->graph = NULL;
        if (!at->key) at->key = opgen_get_zeros(&body->memory, all->words, sizeof *at->key);
        if (at->key) memcpy(at->key, all->key, all->words * sizeof *at->key);
    }
    return opgen_device_call(body, model->run, run, what);
}

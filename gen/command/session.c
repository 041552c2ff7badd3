/* session.c: a library that is loaded, and the runs of one of its models. What was given for them is session_given.c's.
 */
#include "command/session.h"

#include "command/values.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const Span nowhere = {NULL, 0, 0};

bool session_error(Session *session) {
    diag_error(&session->command->diags, E_RUN, nowhere, "%s", opgen_last_error());
    return false;
}

/* ---- opening ------------------------------------------------------------------------------------------------------
 */

static Str model_names(Session *session) {
    Buf out;
    buf_init(&out, session->command->arena);
    for (int32_t i = 0; i < opgen_model_count(session->library); i++)
        buf_format(&out, i > 0 ? ", %s" : "%s", opgen_model_name(session->library, i));
    return buf_str(&out);
}

static bool choose_model(Session *session, Str name) {
    Command *command = session->command;
    int32_t count = opgen_model_count(session->library);
    if (name.n > 0)
        session->model = opgen_library_find(session->library, str_to_c(command->arena, name));
    else if (count == 1)
        session->model = opgen_library_model(session->library, 0);
    if (session->model != NULL) return true;
    if (name.n > 0) return session_error(session);
    Diag *diag = diag_error(&command->diags, E_RUN, nowhere, "%S has %d models", session->path, (int)count);
    if (count > 0) diag_hint(&command->diags, diag, "choose one with --model: %S", model_names(session));
    return false;
}

static SessionTensor *make_tensors(Arena *arena, const OpgenTensor *about, int32_t count) {
    SessionTensor *tensors = ARENA_ARRAY(arena, SessionTensor, (size_t)count);
    for (int32_t i = 0; i < count; i++) {
        tensors[i].about = &about[i];
        tensors[i].shape = ARENA_ARRAY(arena, int64_t, (size_t)about[i].rank);
    }
    return tensors;
}

static size_t count_axes(const OpgenTensor *tensors, int32_t count) {
    size_t n = 0;
    for (int32_t i = 0; i < count; i++)
        n += (size_t)tensors[i].rank;
    return n;
}

static void list_results(Session *session) {
    const OpgenModel *model = session->model;
    session->results =
        ARENA_ARRAY(session->command->arena, SessionTensor *, (size_t)model->output_count + (size_t)model->input_count);
    for (int32_t i = 0; i < model->output_count; i++)
        session->results[session->result_count++] = &session->outputs[i];
    for (int32_t i = 0; i < model->input_count; i++)
        if (model->inputs[i].changed) session->results[session->result_count++] = &session->inputs[i];
}

/* A library that lost its end is mapped beyond it by the loader, which ends the process. Whether each segment is there;
 * what is no library at all is for the loader to say. */
static bool is_whole(const char *path) {
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return true;
    bool whole = true;
    if (fstat(fd, &about) == 0 && pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head &&
        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64) {
        for (unsigned i = 0; whole && i < head.e_phnum; i++) {
            off_t at = (off_t)(head.e_phoff + (Elf64_Off)i * sizeof segment);
            whole = pread(fd, &segment, sizeof segment, at) == (ssize_t)sizeof segment &&
                    (segment.p_type != PT_LOAD || (segment.p_offset <= (Elf64_Off)about.st_size &&
                                                   segment.p_filesz <= (Elf64_Off)about.st_size - segment.p_offset));
        }
    }
    close(fd);
    return whole;
}

bool session_is_library(Arena *arena, Str path) {
    char begin[4] = "";
    int fd = open(str_to_c(arena, path), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return false;
    ssize_t n = read(fd, begin, sizeof begin);
    close(fd);
    return n == (ssize_t)sizeof begin && memcmp(begin, "\177ELF", sizeof begin) == 0;
}

bool session_open(Command *command, Str path, Str model, Session *session) {
    Arena *arena = command->arena;
    const char *c = str_to_c(arena, path);
    *session = (Session){.command = command, .path = path};
    if (!is_whole(c)) {
        diag_error(&command->diags, E_RUN, nowhere, "%S is cut short: a part of the library is missing", path);
        return false;
    }
    if (opgen_open(c, &session->library) != OPGEN_OK) return session_error(session);
    if (!choose_model(session, model)) return false;
    const OpgenModel *about = session->model;
    session->inputs = make_tensors(arena, about->inputs, about->input_count);
    session->outputs = make_tensors(arena, about->outputs, about->output_count);
    list_results(session);
    session->limits = ARENA_ARRAY(arena, uint64_t, (size_t)about->input_count + 1);
    session->given = ARENA_ARRAY(arena, int64_t, (size_t)about->dim_count);
    session->dims = ARENA_ARRAY(arena, int64_t, (size_t)about->dim_count);
    for (int32_t i = 0; i < about->dim_count; i++)
        session->given[i] = -1;
    session->sizes =
        ARENA_ARRAY(arena, int64_t,
                    count_axes(about->inputs, about->input_count) + count_axes(about->outputs, about->output_count) +
                        count_axes(about->params, about->param_count));
    /* The same library again: the runtime's own handle is its own. */
    session->handle =
        dlopen(str_find_char(path, '/') == STR_NONE ? str_to_c(arena, str_format(arena, "./%S", path)) : c,
               RTLD_NOW | RTLD_LOCAL);
    Str symbol = str_format(arena, "opgen_device_%s", about->backend);
    if (session->handle != NULL) session->device = dlsym(session->handle, str_to_c(arena, symbol));
    if (session->device != NULL && session->device->host) session->device = NULL;
    return true;
}

void session_close(Session *session) {
    opgen_free(session->instance);
    for (uint32_t i = 0; i < session->arrays.n; i++)
        opgen_array_free(&session->arrays.items[i]);
    for (uint32_t i = 0; i < session->archives.n; i++)
        opgen_arrays_free(&session->archives.items[i]);
    if (session->handle != NULL) dlclose(session->handle);
    opgen_close(session->library);
    session->instance = NULL;
    session->library = NULL;
    session->handle = NULL;
}

/* ---- sizes --------------------------------------------------------------------------------------------------------
 */

static void choose_dims(Session *session, SessionSizes sizes, int64_t shrink) {
    for (int32_t i = 0; i < session->model->dim_count; i++) {
        const OpgenDim *dim = &session->model->dims[i];
        int64_t least = dim->min == 0 && dim->max > 0 ? 1 : dim->min;
        int64_t span = (dim->max - least) / shrink;
        session->dims[i] = session->given[i] >= 0   ? session->given[i]
                           : sizes == SIZES_LEAST   ? least
                           : sizes == SIZES_BETWEEN ? least + span / 3
                                                    : least + span;
    }
}

/* The shapes of all tensors from the dims; NULL, or what is wrong with these. */
static const char *find_shapes(Session *session, int64_t *bytes) {
    const OpgenModel *model = session->model;
    const char *unmet = model->check != NULL ? model->check(session->dims) : NULL;
    if (unmet != NULL) return unmet;
    if (model->shapes(session->dims, session->sizes) != 0) return "some size is negative or does not fit 64 bits";
    const int64_t *size = session->sizes;
    *bytes = 0;
    for (int32_t i = 0; i < model->input_count + model->output_count + model->param_count; i++) {
        int32_t output = i - model->input_count, param = output - model->output_count;
        const OpgenTensor *about = output < 0  ? &model->inputs[i]
                                   : param < 0 ? &model->outputs[output]
                                               : &model->params[param];
        int64_t n = opgen_shape_bytes(about->dtype, about->rank, size);
        if (n < 0 || n > INT64_MAX / 4 || (*bytes += n) > INT64_MAX / 2) return "some size is negative or too large";
        SessionTensor *tensor = output < 0 ? &session->inputs[i] : param < 0 ? &session->outputs[output] : NULL;
        for (int32_t k = 0; tensor != NULL && tensor->from.n == 0 && k < about->rank; k++)
            tensor->shape[k] = size[k];
        if (tensor != NULL) {
            tensor->bytes = (size_t)n;
            tensor->n = (size_t)n / opgen_dtype_size(about->dtype);
        }
        size += about->rank;
    }
    return NULL;
}

/* An input that was read has the shape that the dims give it: sizes that are expressions are known only now. */
static bool check_read(Session *session, Str *why) {
    const int64_t *size = session->sizes;
    for (int32_t i = 0; i < session->model->input_count; i++) {
        const SessionTensor *input = &session->inputs[i];
        for (int32_t k = 0; input->from.n > 0 && k < input->about->rank; k++) {
            if (input->shape[k] == size[k]) continue;
            *why = str_format(session->command->arena, "the input %s is %S in %S, but its axis %d (%s) is %lld",
                              input->about->name, session_shape(session->command->arena, input), input->from, (int)k,
                              input->about->axes[k].text, (long long)size[k]);
            return false;
        }
        size += input->about->rank;
    }
    return true;
}

/* The largest that are not too large: the span between least and greatest is halved until they go. */
static bool find_sizes(Session *session, SessionSizes sizes, int64_t most, Str *why) {
    int64_t shrink = 1;
    for (;;) {
        int64_t bytes = 0;
        choose_dims(session, sizes, shrink);
        const char *wrong = find_shapes(session, &bytes);
        if (wrong == NULL && bytes <= most) return true;
        if (sizes == SIZES_LEAST || shrink > INT64_MAX / 4) {
            if (wrong == NULL) return true;
            Str dims = session_dims(session);
            *why = str_format(session->command->arena, dims.n > 0 ? "%s with %S" : "%s%S", wrong, dims);
            return false;
        }
        shrink *= 2;
    }
}

/* ---- values -------------------------------------------------------------------------------------------------------
 */

static void *room_for(Session *session, size_t bytes) {
    enum { ALIGN = 64 };
    uintptr_t p = (uintptr_t)arena_alloc(session->command->arena, bytes + ALIGN);
    return (void *)((p + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
}

/* Integers may be positions: they are below every size of the model but those of 1. */
static uint64_t integer_limit(const Session *session) {
    enum { USUAL = 16 };
    const OpgenModel *model = session->model;
    uint64_t limit = USUAL;
    size_t n = count_axes(model->inputs, model->input_count) + count_axes(model->outputs, model->output_count) +
               count_axes(model->params, model->param_count);
    for (size_t i = 0; i < n; i++) {
        if (session->sizes[i] > 1 && (uint64_t)session->sizes[i] < limit) limit = (uint64_t)session->sizes[i];
    }
    return limit;
}

/* How many integers there are to choose from for an input, or for params: a limit for each stays until sizes change. */
static uint64_t limit_of(const Session *session, int32_t which) {
    return session->limits[which] > 0 ? session->limits[which] : integer_limit(session);
}

/* Params of two axes and more are made small, so that sums over their last axis stay near 1. */
static bool random_weights(Session *session, uint64_t seed) {
    const OpgenModel *model = session->model;
    Arena *arena = session->command->arena;
    const char **names = ARENA_ARRAY(arena, const char *, (size_t)model->param_count);
    DLTensor *tensors = ARENA_ARRAY(arena, DLTensor, (size_t)model->param_count);
    int64_t *size = session->sizes + count_axes(model->inputs, model->input_count) +
                    count_axes(model->outputs, model->output_count);
    int32_t n = 0;
    uint64_t limit = session->weights_limit = limit_of(session, model->input_count);
    for (int32_t i = 0; i < model->param_count; size += model->params[i++].rank) {
        const OpgenTensor *param = &model->params[i];
        if (param->embedded != NULL) continue;
        int64_t bytes = opgen_shape_bytes(param->dtype, param->rank, size);
        int64_t last = param->rank > 1 ? size[param->rank - 1] : 1;
        void *data = room_for(session, (size_t)bytes); /* copied by the instance */
        values_random(param->dtype, data, (size_t)bytes / opgen_dtype_size(param->dtype), seed, param->name,
                      last > 1 ? 1 / sqrt((double)last) : 1, limit);
        names[n] = param->name;
        tensors[n++] = opgen_tensor(data, param->dtype, param->rank, size);
    }
    return opgen_weights_replace(session->instance, names, tensors, n) == OPGEN_OK || session_error(session);
}

/* What an input begins a run with: what was read, or random numbers. */
static void fill_input(Session *session, int32_t at) {
    SessionTensor *input = &session->inputs[at];
    if (input->from.n == 0)
        values_random(input->about->dtype, input->data, input->n, session->seed, input->about->name, 1,
                      limit_of(session, at));
    else if (input->first != NULL)
        memcpy(input->data, input->first, input->bytes);
}

bool session_prepare(Session *session, SessionSizes sizes, uint64_t seed, int64_t most, Str *why) {
    Str reason = S("");
    if (!find_sizes(session, sizes, most, &reason) || !check_read(session, &reason)) {
        if (why != NULL)
            *why = reason;
        else
            diag_error(&session->command->diags, E_INPUT_SHAPE, nowhere, "%s: %S", session->model->name, reason);
        return false;
    }
    session->seed = seed;
    memset(session->limits, 0, ((size_t)session->model->input_count + 1) * sizeof *session->limits);
    for (int32_t i = 0; i < session->model->input_count; i++) {
        SessionTensor *input = &session->inputs[i];
        bool read = input->from.n > 0;
        if (read && !input->about->changed) continue;
        if (read && input->first == NULL) input->first = input->data;
        input->data = room_for(session, input->bytes);
        fill_input(session, i);
    }
    for (int32_t i = 0; i < session->model->output_count; i++)
        session->outputs[i].data = room_for(session, session->outputs[i].bytes);
    return !session->random_weights || random_weights(session, seed);
}

/* Everything that is random, or that a run changed, once more. */
static bool draw(Session *session) {
    for (int32_t i = 0; i < session->model->input_count; i++)
        fill_input(session, i);
    bool same = session->weights_limit == limit_of(session, session->model->input_count);
    return !session->random_weights || same || random_weights(session, session->seed);
}

bool session_draw_as(Session *session, const Session *other) {
    memcpy(session->limits, other->limits, ((size_t)session->model->input_count + 1) * sizeof *session->limits);
    return draw(session);
}

/* ---- running ------------------------------------------------------------------------------------------------------
 */

static bool device_error(Session *session, const char *what, int error) {
    diag_error(&session->command->diags, E_RUN, nowhere, "%s: %s: %s", session->model->name, what,
               session->device->error_text != NULL ? session->device->error_text(error) : "the device failed");
    return false;
}

/* Device memory for each tensor; inputs' bytes are brought there. */
static bool to_device(Session *session, SessionTensor *tensors, int32_t count, bool copy) {
    const OpgenDevice *device = session->device;
    for (int32_t i = 0; i < count; i++) {
        SessionTensor *tensor = &tensors[i];
        int error = device->alloc(0, tensor->bytes == 0 ? 1 : tensor->bytes, 256, &tensor->copy);
        if (error != 0) return device_error(session, "no memory on the device", error);
        if (copy && tensor->bytes > 0)
            error = device->copy(0, tensor->copy, tensor->data, tensor->bytes, OPGEN_TO_DEVICE, NULL);
        if (error != 0) return device_error(session, "copying to the device", error);
    }
    return true;
}

static bool from_device(Session *session) {
    const OpgenDevice *device = session->device;
    int error = device->synchronize != NULL ? device->synchronize(0, NULL) : 0;
    if (error != 0) return device_error(session, "the run", error);
    for (int32_t i = 0; error == 0 && i < session->result_count; i++) {
        SessionTensor *made = session->results[i];
        if (made->bytes > 0) error = device->copy(0, made->data, made->copy, made->bytes, OPGEN_TO_HOST, NULL);
    }
    if (error == 0 && device->synchronize != NULL) error = device->synchronize(0, NULL);
    return error == 0 || device_error(session, "copying from the device", error);
}

static void leave_device(Session *session, SessionTensor *tensors, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (tensors[i].copy != NULL)
            session->device->free(0, tensors[i].copy, tensors[i].bytes == 0 ? 1 : tensors[i].bytes);
        tensors[i].copy = NULL;
    }
}

static DLTensor *as_tensors(const Session *session, const SessionTensor *tensors, int32_t count) {
    DLTensor *made = ARENA_ARRAY(session->command->arena, DLTensor, (size_t)count);
    for (int32_t i = 0; i < count; i++) {
        const OpgenTensor *about = tensors[i].about;
        made[i] = opgen_tensor(tensors[i].copy != NULL ? tensors[i].copy : tensors[i].data, about->dtype, about->rank,
                               tensors[i].shape);
        if (session->device != NULL) made[i].device.device_type = (DLDeviceType)session->device->dl_device;
    }
    return made;
}

/* The runtime's status, of a run or of what it found, or -1 after a finding. */
static int run_once(Session *session) {
    const OpgenModel *model = session->model;
    for (int32_t i = 0; i < model->output_count; i++)
        memset(session->outputs[i].data, 0xff, session->outputs[i].bytes);
    int status = -1;
    bool good = session->device == NULL || (to_device(session, session->inputs, model->input_count, true) &&
                                            to_device(session, session->outputs, model->output_count, true));
    if (good) {
        DLTensor *inputs = as_tensors(session, session->inputs, model->input_count);
        DLTensor *outputs = as_tensors(session, session->outputs, model->output_count);
        status = opgen_run(session->instance, inputs, model->input_count, outputs, model->output_count, NULL);
        if (status == OPGEN_OK) status = opgen_wait(session->instance);
    }
    if (session->device == NULL) return status;
    if (good && status == OPGEN_OK && !from_device(session)) status = -1;
    leave_device(session, session->inputs, model->input_count);
    leave_device(session, session->outputs, model->output_count);
    return status;
}

bool session_run(Session *session) {
    int status = run_once(session);
    return status == OPGEN_OK || (status > 0 && session_error(session));
}

/* ---- integers that lead somewhere ---------------------------------------------------------------------------------
 */

enum { ALL_ZEROS = 1 };

static bool is_integer(OpgenDtype dtype) { return dtype != OPGEN_BOOL && dtype < OPGEN_F16; }

/* Whether there is an integer among what this limit is for that is ours to choose. */
static bool is_chosen(const Session *session, int32_t which) {
    const OpgenModel *model = session->model;
    if (which < model->input_count)
        return is_integer(session->inputs[which].about->dtype) && session->inputs[which].from.n == 0;
    bool any = false;
    for (int32_t i = 0; i < model->param_count; i++)
        any = any || (is_integer(model->params[i].dtype) && model->params[i].embedded == NULL);
    return any && session->random_weights;
}

/* The greatest limit with which a run goes on, as it does with the least; the last run was one with it. As run_once. */
static int raise_limit(Session *session, int32_t which) {
    for (uint64_t limit = integer_limit(session);; limit /= 2) {
        session->limits[which] = limit;
        int status = draw(session) ? run_once(session) : -1;
        if (status != OPGEN_BAD_INDEX || limit <= ALL_ZEROS) return status;
    }
}

bool session_run_first(Session *session) {
    int32_t count = session->model->input_count + 1, chosen = 0;
    int status = run_once(session);
    if (status == OPGEN_BAD_INDEX) {
        for (int32_t i = 0; i < count; i++)
            if (is_chosen(session, i)) session->limits[i] = ALL_ZEROS, chosen++;
        if (chosen > 0) status = draw(session) ? run_once(session) : -1;
        for (int32_t i = 0; i < count && status == OPGEN_OK; i++)
            if (is_chosen(session, i)) status = raise_limit(session, i);
    }
    return status == OPGEN_OK || (status > 0 && session_error(session));
}

/* ---- in words -----------------------------------------------------------------------------------------------------
 */

Str session_shape(Arena *arena, const SessionTensor *tensor) {
    Buf out;
    buf_init(&out, arena);
    buf_char(&out, '(');
    for (int32_t i = 0; i < tensor->about->rank; i++)
        buf_format(&out, i > 0 ? ", %lld" : "%lld", (long long)tensor->shape[i]);
    buf_add(&out, tensor->about->rank == 1 ? S(",)") : S(")"));
    return buf_str(&out);
}

Str session_dims(const Session *session) {
    Buf out;
    buf_init(&out, session->command->arena);
    for (int32_t i = 0; i < session->model->dim_count; i++) {
        const OpgenDim *dim = &session->model->dims[i];
        if (dim->min != dim->max)
            buf_format(&out, out.n > 0 ? ", %s=%lld" : "%s=%lld", dim->name, (long long)session->dims[i]);
    }
    return buf_str(&out);
}

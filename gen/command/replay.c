/* replay.c: the folder of a run as runtime/opgen_dump.c writes it, read. */
#include "command/replay.h"

#include "command/values.h"

#include "json/json.h"

#include <sys/stat.h>

static const Span nowhere = {NULL, 0, 0};

static bool is_file(Arena *arena, Str path) {
    struct stat about;
    return stat(str_to_c(arena, path), &about) == 0 && S_ISREG(about.st_mode);
}

/* A tensor's file, if the run had one. */
static bool find_file(Session *session, const char *role, const char *name, Str *path) {
    Arena *arena = session->command->arena;
    *path = str_format(arena, "%S/%s/%s.npy", session->command->options.values[OPT_REPLAY].text, role, name);
    return is_file(arena, *path);
}

/* ---- before the run -----------------------------------------------------------------------------------------------
 */

static bool take_dims(Session *session, const Json *dims, Str path) {
    const OpgenModel *model = session->model;
    for (int32_t i = 0; i < model->dim_count; i++) {
        const OpgenDim *dim = &model->dims[i];
        const Json *size = json_get(dims, str_c(dim->name));
        if (session->given[i] >= 0 || size == NULL || size->kind != JSON_INT) continue;
        if (size->as.i < dim->min || size->as.i > dim->max) {
            diag_error(&session->command->diags, E_BAD_VALUE, nowhere,
                       "the dim %s is a number from %lld to %lld, but in %S it is %lld", dim->name, (long long)dim->min,
                       (long long)dim->max, path, (long long)size->as.i);
            return false;
        }
        session->given[i] = size->as.i;
    }
    return true;
}

/* run.json; NULL after adding findings. */
static Json *read_about(Session *session, Str path) {
    Command *command = session->command;
    Diags *diags = &command->diags;
    Names *names = ARENA_NEW(command->arena, Names);
    names_init(names, command->arena);
    Source *source = file_read_text(command->arena, path, nowhere, diags);
    Json *json = source == NULL ? NULL : json_parse(command->arena, names, source, diags);
    if (json == NULL) return NULL;
    const Json *model = json->kind == JSON_OBJECT ? json_get(json, S("model")) : NULL;
    if (model == NULL || model->kind != JSON_STRING) {
        diag_error(diags, E_RUN, nowhere, "%S is no run that OPGEN_LOG=4 wrote", path);
        return NULL;
    }
    if (str_eq(model->as.s, str_c(session->model->name))) return json;
    diag_error(diags, E_RUN, nowhere, "%S is a run of %Q, not of %s", path, model->as.s, session->model->name);
    return NULL;
}

bool replay_given(Session *session) {
    Command *command = session->command;
    const OptionValue *values = command->options.values;
    if (!values[OPT_REPLAY].given) return true;
    Str path = str_format(command->arena, "%S/run.json", values[OPT_REPLAY].text), file;
    const Json *about = read_about(session, path);
    if (about == NULL) return false;
    for (int32_t i = 0; i < session->model->input_count; i++)
        if (session->inputs[i].from.n == 0 && find_file(session, "inputs", session->model->inputs[i].name, &file) &&
            !session_read_input(session, i, file))
            return false;
    const Json *dims = json_get(about, S("dims")), *weights = json_get(about, S("weights"));
    if (dims != NULL && dims->kind == JSON_OBJECT && !take_dims(session, dims, path)) return false;
    bool named = weights != NULL && weights->kind == JSON_STRING && !values[OPT_WEIGHTS].given;
    if (named && is_file(command->arena, weights->as.s)) session->weights = weights->as.s;
    const Json *threads = json_get(about, S("threads"));
    if (threads != NULL && threads->kind == JSON_INT && threads->as.i > 0 && threads->as.i <= 1024)
        session->threads = (int32_t)threads->as.i;
    return true;
}

bool replay_weights(Session *session) {
    Arena *arena = session->command->arena;
    const OpgenModel *model = session->model;
    if (!session->command->options.values[OPT_REPLAY].given) return true;
    const char **names = ARENA_ARRAY(arena, const char *, (size_t)model->param_count + 1);
    DLTensor *tensors = ARENA_ARRAY(arena, DLTensor, (size_t)model->param_count + 1);
    int32_t n = 0;
    bool missing = false;
    for (int32_t i = 0; i < model->param_count; i++) {
        Str path;
        if (!find_file(session, "params", model->params[i].name, &path)) {
            missing = missing || model->params[i].embedded == NULL;
            continue;
        }
        OpgenArray *array = VEC_PUSH(arena, &session->arrays);
        *array = (OpgenArray){0};
        if (opgen_npy_read(str_to_c(arena, path), NULL, array) != OPGEN_OK) {
            *array = (OpgenArray){0};
            return session_error(session);
        }
        /* the list of arrays may move, what is of one stays */
        int64_t *shape = ARENA_ARRAY(arena, int64_t, (size_t)array->rank + 1);
        memcpy(shape, array->shape, (size_t)array->rank * sizeof *shape);
        names[n] = model->params[i].name;
        tensors[n++] = opgen_tensor(array->data, array->dtype, array->rank, shape);
    }
    if (n == 0) return true;
    if (opgen_weights_replace(session->instance, names, tensors, n) != OPGEN_OK) return session_error(session);
    session->random_weights = session->random_weights && missing;
    return true;
}

/* ---- after the run ------------------------------------------------------------------------------------------------
 */

/* What is said of a result that had this array before; *same: every bit. */
static Str compare(Arena *arena, const SessionTensor *result, const OpgenArray *array, bool *same) {
    const OpgenTensor *about = result->about;
    *same = false;
    if (array->dtype != about->dtype || array->rank != about->rank ||
        memcmp(array->shape, result->shape, (size_t)array->rank * sizeof *array->shape) != 0) {
        SessionTensor then = {.about = &(OpgenTensor){.rank = array->rank},
                              .shape = (int64_t *)(uintptr_t)array->shape};
        return str_format(arena, "it was %s %S then", opgen_dtype_name(array->dtype), session_shape(arena, &then));
    }
    *same = result->bytes == 0 || memcmp(array->data, result->data, result->bytes) == 0;
    if (*same) return S("the same bits");
    size_t element = opgen_dtype_size(about->dtype), differ = 0;
    for (size_t i = 0; i < result->n; i++)
        differ += memcmp((const char *)array->data + i * element, (char *)result->data + i * element, element) != 0;
    ValueDifference difference = values_compare(about->dtype, result->data, array->data, result->n, 0, 0);
    return str_format(arena, "%zu of %zu values differ, by at most %.3g", differ, result->n, difference.max_abs);
}

void replay_compare(Buf *out, Session *session) {
    Command *command = session->command;
    if (!command->options.values[OPT_REPLAY].given) return;
    for (int32_t i = 0; i < session->result_count; i++) {
        const SessionTensor *result = session->results[i];
        OpgenArray array;
        Str path;
        if (!find_file(session, result->about->changed ? "changed" : "outputs", result->about->name, &path)) continue;
        if (opgen_npy_read(str_to_c(command->arena, path), NULL, &array) != OPGEN_OK) {
            session_error(session);
            continue;
        }
        bool same;
        buf_format(out, "replay: %s: %S\n", result->about->name, compare(command->arena, result, &array, &same));
        opgen_array_free(&array);
        command->negative = command->negative || !same;
    }
}

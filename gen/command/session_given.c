/* session_given.c: what was given for a run: sizes of dims, arrays for inputs, weights, threads. A slip is told by the
 * name that it is about, with the nearest one that there is.
 */
#include "command/session.h"

#include "command/replay.h"

#include <stdlib.h>

static const Span nowhere = {NULL, 0, 0};

/* The index of a name among tensors, or -1 after adding a finding with the nearest one. */
int32_t session_find(Session *session, const OpgenTensor *tensors, int32_t count, const char *what, Str name) {
    Arena *arena = session->command->arena;
    Str *names = ARENA_ARRAY(arena, Str, (size_t)count);
    for (int32_t i = 0; i < count; i++) {
        names[i] = str_c(tensors[i].name);
        if (str_eq(names[i], name)) return i;
    }
    Diags *diags = &session->command->diags;
    Diag *diag = diag_error(diags, E_UNKNOWN_NAME, nowhere, "%s has no %s %Q", session->model->name, what, name);
    if (diag_suggest(diags, diag, name, names, (size_t)count)) return -1;
    Buf all;
    buf_init(&all, arena);
    for (int32_t i = 0; i < count; i++)
        buf_format(&all, i > 0 ? ", %S" : "%S", names[i]);
    diag_hint(diags, diag, "%s: %S", count == 0 ? "it has none" : "there are", buf_str(&all));
    return -1;
}

static bool read_dim(Session *session, Str assignment) {
    Command *command = session->command;
    const OpgenModel *model = session->model;
    size_t equals = str_find_char(assignment, '=');
    Str name = str_sub(assignment, 0, equals), text = str_sub(assignment, equals + 1, assignment.n);
    Str *names = ARENA_ARRAY(command->arena, Str, (size_t)model->dim_count);
    int32_t found = -1;
    for (int32_t i = 0; i < model->dim_count; i++) {
        names[i] = str_c(model->dims[i].name);
        if (str_eq(names[i], name)) found = i;
    }
    if (found < 0) {
        Diag *diag =
            diag_error(&command->diags, E_UNKNOWN_NAME, nowhere, "%s has no dim %Q that is chosen", model->name, name);
        if (!diag_suggest(&command->diags, diag, name, names, (size_t)model->dim_count) && model->dim_count == 0)
            diag_hint(&command->diags, diag, "all its sizes are fixed");
        return false;
    }
    const OpgenDim *dim = &model->dims[found];
    char *end;
    const char *c = str_to_c(command->arena, text);
    long long size = strtoll(c, &end, 10);
    bool number = text.n > 0 && text.n < 19 && *end == '\0' && c[0] >= '0' && c[0] <= '9';
    if (!number || size < dim->min || size > dim->max) {
        diag_error(&command->diags, E_BAD_VALUE, nowhere, "the dim %s is a number from %lld to %lld, not %Q", dim->name,
                   (long long)dim->min, (long long)dim->max, text);
        return false;
    }
    session->given[found] = size;
    return true;
}

/* What numpy calls the dtype; empty: it has none. */
static const char *numpy_name(OpgenDtype dtype) {
    static const char *const names[] = {"bool",   "uint8", "int8",    "uint16", "int16",   "uint32", "int32",
                                        "uint64", "int64", "float16", "",       "float32", "float64"};
    return names[dtype];
}

/* The array becomes the input; dims of its axes are known then. */
static bool take_array(Session *session, int32_t at, const OpgenArray *array, Str path) {
    Command *command = session->command;
    SessionTensor *input = &session->inputs[at];
    const OpgenTensor *about = input->about;
    if (input->from.n > 0) {
        diag_error(&command->diags, E_USAGE, nowhere, "the input %s is given twice: %Q and %Q", about->name,
                   input->from, path);
        return false;
    }
    bool fits = array->dtype == about->dtype && array->rank == about->rank;
    for (int32_t i = 0; fits && i < about->rank; i++)
        fits = about->axes[i].dim != -1 || about->axes[i].size == array->shape[i];
    if (!fits) {
        int n = opgen_describe(session->model, about, NULL, 0);
        char *wanted = arena_alloc(command->arena, (size_t)n + 1);
        opgen_describe(session->model, about, wanted, (size_t)n + 1);
        SessionTensor got = {.about = &(OpgenTensor){.rank = array->rank}, .shape = (int64_t *)(uintptr_t)array->shape};
        Diag *diag =
            diag_error(&command->diags, E_INPUT_SHAPE, nowhere, "the input %s does not take %S: it holds %s %S", wanted,
                       path, opgen_dtype_name(array->dtype), session_shape(command->arena, &got));
        if (array->dtype != about->dtype && *numpy_name(about->dtype) != '\0')
            diag_hint(&command->diags, diag, "save it as that: numpy.save(file, array.astype(numpy.%s))",
                      numpy_name(about->dtype));
        return false;
    }
    for (int32_t i = 0; i < about->rank; i++) {
        int32_t dim = about->axes[i].dim;
        if (dim < 0) continue;
        const OpgenDim *range = &session->model->dims[dim];
        int64_t size = array->shape[i], known = session->given[dim];
        if (known >= 0 && known != size) {
            diag_error(&command->diags, E_INPUT_SHAPE, nowhere, "the dim %s is %lld, but in %S it is %lld", range->name,
                       (long long)known, path, (long long)size);
            return false;
        }
        if (size < range->min || size > range->max) {
            diag_error(&command->diags, E_INPUT_SHAPE, nowhere,
                       "the dim %s is a number from %lld to %lld, but in %S it is "
                       "%lld",
                       range->name, (long long)range->min, (long long)range->max, path, (long long)size);
            return false;
        }
        session->given[dim] = size;
    }
    input->data = array->data;
    input->from = path;
    memcpy(input->shape, array->shape, (size_t)about->rank * sizeof *input->shape);
    return true;
}

static OpgenArrays *read_archive(Session *session, Str path) {
    OpgenArrays *archive = VEC_PUSH(session->command->arena, &session->archives);
    *archive = (OpgenArrays){0};
    if (opgen_npz_read(str_to_c(session->command->arena, path), NULL, archive) == OPGEN_OK) return archive;
    *archive = (OpgenArrays){0};
    session_error(session);
    return NULL;
}

/* Every array of an archive; those that are named as an output may be there, too. */
static bool read_all(Session *session, Str path) {
    const OpgenModel *model = session->model;
    OpgenArrays *archive = read_archive(session, path);
    bool good = archive != NULL;
    for (int32_t i = 0; archive != NULL && i < archive->count; i++) {
        Str name = str_c(archive->arrays[i].name);
        bool output = false;
        for (int32_t k = 0; k < model->output_count; k++)
            output = output || str_eq(name, str_c(model->outputs[k].name));
        if (output) continue;
        int32_t at = session_find(session, model->inputs, model->input_count, "input", name);
        good = at >= 0 && take_array(session, at, &archive->arrays[i], path) && good;
    }
    return good;
}

static bool read_from_archive(Session *session, int32_t at, Str path, Str name) {
    Command *command = session->command;
    OpgenArrays *archive = read_archive(session, path);
    if (archive == NULL) return false;
    Str *names = ARENA_ARRAY(command->arena, Str, (size_t)archive->count);
    for (int32_t i = 0; i < archive->count; i++) {
        names[i] = str_c(archive->arrays[i].name);
        if (str_eq(names[i], name)) return take_array(session, at, &archive->arrays[i], path);
    }
    Diag *diag = diag_error(&command->diags, E_UNKNOWN_NAME, nowhere, "%S has no array %Q", path, name);
    diag_suggest(&command->diags, diag, name, names, (size_t)archive->count);
    return false;
}

bool session_read_input(Session *session, int32_t at, Str path) {
    OpgenArray *array = VEC_PUSH(session->command->arena, &session->arrays);
    *array = (OpgenArray){0};
    if (opgen_npy_read(str_to_c(session->command->arena, path), NULL, array) == OPGEN_OK)
        return take_array(session, at, array, path);
    *array = (OpgenArray){0};
    return session_error(session);
}

/* x=FILE.npy, x=FILE.npz:ARRAY (its name, if left out, is the input's), FILE.npz */
static bool read_input(Session *session, Str text) {
    Command *command = session->command;
    size_t equals = str_find_char(text, '=');
    if (equals == STR_NONE && str_ends(text, S(".npz"))) return read_all(session, text);
    if (equals == STR_NONE || equals == 0 || equals + 1 == text.n) {
        diag_error(&command->diags, E_USAGE, nowhere,
                   "--in takes NAME=FILE.npy, NAME=FILE.npz:ARRAY or FILE.npz, not %Q", text);
        return false;
    }
    Str name = str_sub(text, 0, equals), path = str_sub(text, equals + 1, text.n);
    int32_t at = session_find(session, session->model->inputs, session->model->input_count, "input", name);
    if (at < 0) return false;
    size_t archive = str_find(path, S(".npz:"));
    if (archive != STR_NONE)
        return read_from_archive(session, at, str_sub(path, 0, archive + 4), str_sub(path, archive + 5, path.n));
    if (str_ends(path, S(".npz"))) return read_from_archive(session, at, path, name);
    return session_read_input(session, at, path);
}

static bool has_weightless_params(const OpgenModel *model) {
    for (int32_t i = 0; i < model->param_count; i++) {
        if (model->params[i].embedded == NULL) return model->weights == NULL;
    }
    return false;
}

bool session_set_up(Session *session) {
    Command *command = session->command;
    const OptionValue *values = command->options.values;
    bool good = true;
    for (uint32_t i = 0; i < values[OPT_DIM].all.n; i++)
        good = read_dim(session, values[OPT_DIM].all.items[i]) && good;
    for (uint32_t i = 0; i < values[OPT_IN].all.n; i++)
        good = read_input(session, values[OPT_IN].all.items[i]) && good;
    if (!good || !replay_given(session)) return false;
    OpgenOptions options = opgen_options();
    options.threads = values[OPT_THREADS].given ? (int32_t)values[OPT_THREADS].number : session->threads;
    if (values[OPT_WEIGHTS].given) session->weights = values[OPT_WEIGHTS].text;
    if (session->weights.n > 0) options.weights = str_to_c(command->arena, session->weights);
    session->random_weights = session->weights.n == 0 && has_weightless_params(session->model);
    options.no_weights = session->random_weights;
    if (opgen_create(session->model, &options, &session->instance) != OPGEN_OK) return session_error(session);
    return replay_weights(session);
}

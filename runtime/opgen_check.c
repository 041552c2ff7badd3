/* opgen_check.c: what is given, held against what the model wants, before anything runs.
 *
 * Dims get their values from the sizes of inputs, then of params, then, if nothing else has them, of outputs. When all
 * are known, the model's own `shapes` gives every size there is, and every tensor is compared with it. A message names
 * the tensor, what the model says of it, what was given, and the one thing that differs.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_internal.h"

#include <stdio.h>

enum { UNBOUND = -1, SHAPE_ROOM = 320 };

int32_t opgen_axis_count(const OpgenTensor *tensors, int32_t count) {
    int64_t sum = 0;
    for (int32_t i = 0; i < count; i++)
        sum += tensors[i].rank;
    return sum > INT32_MAX ? -1 : (int32_t)sum;
}

/* ---- the description ----------------------------------------------------------------------------------------------
 */

static int check_list(const OpgenModel *model, const char *role, const OpgenTensor *tensors, int32_t count) {
    if (count < 0 || (count > 0 && !tensors))
        return opgen_fail(OPGEN_BAD_ARGUMENT, "model %s: its list of %ss is broken", model->name, role);
    for (int32_t i = 0; i < count; i++) {
        const OpgenTensor *tensor = &tensors[i];
        bool good = tensor->name && opgen_dtype_size(tensor->dtype) > 0 && tensor->rank >= 0 &&
                    tensor->rank <= OPGEN_MAX_RANK && (tensor->rank == 0 || tensor->axes);
        for (int32_t k = 0; good && k < tensor->rank; k++) {
            const OpgenAxis *axis = &tensor->axes[k];
            good = axis->dim >= -2 && axis->dim < model->dim_count && (axis->dim != -1 || axis->size >= 0);
        }
        if (!good)
            return opgen_fail(OPGEN_BAD_ARGUMENT, "model %s: its description of %s %d is broken", model->name, role,
                              (int)i);
    }
    return OPGEN_OK;
}

int opgen_check_model(const OpgenModel *model, const char *where) {
    if (!model) return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: the model is NULL", where);
    /* Nothing but `abi` has a known place before this holds. */
    if (model->abi != OPGEN_ABI) {
        return opgen_fail(
            OPGEN_BAD_ABI,
            "%s: the model was made for version %d of the runtime's ABI, and this runtime has %d: generate it again",
            where, (int)model->abi, OPGEN_ABI);
    }
    if (!model->name || !model->backend || !model->run || !model->shapes || !model->prepare || model->value_count < 0 ||
        model->dim_count < 0 || (model->dim_count > 0 && !model->dims))
        return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: the model's description is broken", where);
    bool folds = model->folded_bytes >= 0 && (uint64_t)model->folded_bytes <= SIZE_MAX &&
                 model->fold_arena_bytes >= 0 && (uint64_t)model->fold_arena_bytes <= SIZE_MAX &&
                 model->fold_param_count >= 0 && (model->fold_param_count == 0 || model->fold_params);
    for (int32_t i = 0; folds && i < model->fold_param_count; i++)
        folds = model->fold_params[i] >= 0 && model->fold_params[i] < model->param_count;
    if (model->fold && !folds)
        return opgen_fail(OPGEN_BAD_ARGUMENT, "model %s: its description of fold is broken", model->name);
    for (int32_t i = 0; i < model->dim_count; i++) {
        if (!model->dims[i].name || model->dims[i].min > model->dims[i].max)
            return opgen_fail(OPGEN_BAD_ARGUMENT, "model %s: its description of dim %d is broken", model->name, (int)i);
    }
    int status = check_list(model, "input", model->inputs, model->input_count);
    if (!status) status = check_list(model, "output", model->outputs, model->output_count);
    if (!status) status = check_list(model, "param", model->params, model->param_count);
    return status;
}

/* ---- messages -----------------------------------------------------------------------------------------------------
 */

static void add_axis(OpgenText *text, const OpgenModel *model, const OpgenAxis *axis) {
    if (axis->text) {
        opgen_add(text, "%s", axis->text);
    } else if (axis->dim >= 0) {
        opgen_add(text, "%s", model->dims[axis->dim].name);
    } else if (axis->dim == -1) {
        opgen_add(text, "%lld", (long long)axis->size);
    } else {
        opgen_add(text, "?");
    }
}

static void add_wanted(OpgenText *text, const OpgenModel *model, const OpgenTensor *tensor) {
    opgen_add(text, "%s (", opgen_dtype_name(tensor->dtype));
    for (int32_t i = 0; i < tensor->rank; i++) {
        if (i > 0) opgen_add(text, ", ");
        add_axis(text, model, &tensor->axes[i]);
    }
    opgen_add(text, tensor->rank == 1 ? ",)" : ")");
}

int opgen_describe(const OpgenModel *model, const OpgenTensor *tensor, char *text, size_t size) {
    OpgenText made = {text, size, 0, 0};
    if (size > 0) text[0] = '\0';
    opgen_add(&made, "%s: ", tensor->name);
    add_wanted(&made, model, tensor);
    return made.total > INT32_MAX ? INT32_MAX : (int)made.total;
}

void opgen_axis_range(const OpgenModel *model, const OpgenAxis *axis, int64_t *min, int64_t *max) {
    *min = axis->dim >= 0 ? model->dims[axis->dim].min : axis->dim == -1 ? axis->size : 0;
    *max = axis->dim >= 0 ? model->dims[axis->dim].max : axis->dim == -1 ? axis->size : INT64_MAX;
}

/* What a message needs to know of the tensor that is being looked at. */
typedef struct Subject {
    const OpgenModel *model;
    const char *where; /* the model's name, or a file's */
    const char *role;
    const OpgenTensor *wanted;
    DLDataType dtype;
    int32_t rank;
    const int64_t *shape;
} Subject;

static void add_dtype(OpgenText *text, DLDataType type) {
    OpgenDtype dtype;
    if (opgen_dtype_of(type, &dtype) == 0) {
        opgen_add(text, "%s ", opgen_dtype_name(dtype));
    } else {
        opgen_add(text, "DLPack type (code %d, %d bits, %d lanes) ", type.code, type.bits, type.lanes);
    }
}

static int mismatch(const Subject *s, int status, const char *why) {
    char wanted[SHAPE_ROOM], got[SHAPE_ROOM];
    OpgenText wanted_text = {wanted, sizeof wanted, 0, 0}, got_text = {got, sizeof got, 0, 0};
    add_wanted(&wanted_text, s->model, s->wanted);
    add_dtype(&got_text, s->dtype);
    if (s->rank < 0 || s->rank > OPGEN_MAX_RANK || (s->rank > 0 && !s->shape)) {
        opgen_add(&got_text, "of rank %d", (int)s->rank);
    } else {
        opgen_add_shape(&got_text, s->rank, s->shape);
    }
    return opgen_fail(status, "%s: %s \"%.200s\": wanted %s, got %s: %s", opgen_tail(s->where), s->role,
                      s->wanted->name, wanted, got, why);
}

/* ---- one tensor ---------------------------------------------------------------------------------------------------
 */

static int check_one(const Subject *s) {
    char why[160];
    DLDataType wanted = opgen_dl_dtype(s->wanted->dtype);
    if (s->dtype.code != wanted.code || s->dtype.bits != wanted.bits || s->dtype.lanes != wanted.lanes)
        return mismatch(s, OPGEN_BAD_DTYPE, "the dtypes differ");
    if (s->rank != s->wanted->rank) {
        snprintf(why, sizeof why, "wanted %d axes, got %d", (int)s->wanted->rank, (int)s->rank);
        return mismatch(s, OPGEN_BAD_SHAPE, why);
    }
    if (s->rank > 0 && !s->shape) return mismatch(s, OPGEN_BAD_ARGUMENT, "its shape is NULL");
    for (int32_t i = 0; i < s->rank; i++) {
        const OpgenAxis *axis = &s->wanted->axes[i];
        int64_t size = s->shape[i];
        if (size < 0) {
            snprintf(why, sizeof why, "axis %d is negative", (int)i);
            return mismatch(s, OPGEN_BAD_SHAPE, why);
        }
        if (axis->dim == -1 && size != axis->size) {
            snprintf(why, sizeof why, "axis %d is %lld, not %lld", (int)i, (long long)size, (long long)axis->size);
            return mismatch(s, OPGEN_BAD_SHAPE, why);
        }
        if (axis->dim >= 0) {
            const OpgenDim *dim = &s->model->dims[axis->dim];
            if (size < dim->min || size > dim->max) {
                snprintf(why, sizeof why, "%.60s goes from %lld to %lld", dim->name, (long long)dim->min,
                         (long long)dim->max);
                return mismatch(s, OPGEN_BAD_SHAPE, why);
            }
        }
    }
    if (opgen_shape_bytes(s->wanted->dtype, s->rank, s->shape) < 0)
        return mismatch(s, OPGEN_BAD_SHAPE, "its bytes do not fit 64 bits");
    return OPGEN_OK;
}

int opgen_check_tensor(const OpgenModel *model, const char *role, const OpgenTensor *wanted, OpgenDtype dtype,
                       int32_t rank, const int64_t *shape, const char *where) {
    Subject subject = {model, where, role, wanted, opgen_dl_dtype(dtype), rank, shape};
    return check_one(&subject);
}

/* ---- dims ---------------------------------------------------------------------------------------------------------
 */

static const char *bound_name(const OpgenModel *model, int32_t tensor, const char **role) {
    *role = tensor < model->input_count                        ? "input"
            : tensor < model->input_count + model->param_count ? "param"
                                                               : "output";
    if (tensor < model->input_count) return model->inputs[tensor].name;
    tensor -= model->input_count;
    return tensor < model->param_count ? model->params[tensor].name : model->outputs[tensor - model->param_count].name;
}

/* Gives the named dims of a tensor their value, or compares with the one that they have. `number` counts inputs,
 * params, outputs. */
static int bind(const Subject *s, int32_t number, OpgenBinding binding) {
    for (int32_t i = 0; i < s->rank; i++) {
        int32_t dim = s->wanted->axes[i].dim;
        if (dim < 0) continue;
        if (binding.bound_by[dim] == UNBOUND) {
            binding.dims[dim] = s->shape[i];
            binding.bound_by[dim] = number;
        } else if (binding.dims[dim] != s->shape[i]) {
            const char *role, *name = bound_name(s->model, binding.bound_by[dim], &role);
            char why[200];
            if (binding.bound_by[dim] == number) {
                snprintf(why, sizeof why, "%.60s is %lld and %lld", s->model->dims[dim].name,
                         (long long)binding.dims[dim], (long long)s->shape[i]);
            } else {
                snprintf(why, sizeof why, "%.60s is %lld by %s \"%.60s\"", s->model->dims[dim].name,
                         (long long)binding.dims[dim], role, name);
            }
            return mismatch(s, OPGEN_BAD_SHAPE, why);
        }
    }
    return OPGEN_OK;
}

/* After `shapes`: every axis as it gave it. Only expressions can still differ. */
static int compare(const Subject *s, const int64_t *sizes) {
    for (int32_t i = 0; i < s->rank; i++) {
        if (s->shape[i] == sizes[i]) continue;
        char why[200];
        OpgenText text = {why, sizeof why, 0, 0};
        opgen_add(&text, "axis %d is %lld, and ", (int)i, (long long)s->shape[i]);
        add_axis(&text, s->model, &s->wanted->axes[i]);
        opgen_add(&text, " is %lld", (long long)sizes[i]);
        return mismatch(s, OPGEN_BAD_SHAPE, why);
    }
    return OPGEN_OK;
}

static Subject of_tensor(const OpgenModel *model, const char *role, const OpgenTensor *wanted, const DLTensor *got) {
    return (Subject){model, model->name, role, wanted, got->dtype, got->ndim, got->shape};
}

/* Checks each of a list and binds its dims. */
static int take(const OpgenModel *model, const char *role, const OpgenTensor *wanted, const DLTensor *got,
                int32_t count, int32_t first, OpgenBinding binding) {
    for (int32_t i = 0; i < count; i++) {
        Subject subject = of_tensor(model, role, &wanted[i], &got[i]);
        int status = check_one(&subject);
        if (!status) status = bind(&subject, first + i, binding);
        if (status) return status;
    }
    return OPGEN_OK;
}

static int compare_list(const OpgenModel *model, const char *role, const OpgenTensor *wanted, const DLTensor *got,
                        int32_t count, const int64_t *sizes) {
    for (int32_t i = 0; i < count; i++) {
        Subject subject = of_tensor(model, role, &wanted[i], &got[i]);
        int status = compare(&subject, sizes);
        if (status) return status;
        sizes += wanted[i].rank;
    }
    return OPGEN_OK;
}

/* Params have had their dtype and constants checked when they came. `how` binds, or compares when `sizes` are known. */
static int params(const OpgenBody *body, const OpgenSet *set, const int64_t *sizes, OpgenBinding binding) {
    const OpgenModel *model = body->model;
    const int64_t *shape = set->sizes;
    for (int32_t i = 0; i < model->param_count; i++) {
        const OpgenTensor *wanted = &model->params[i];
        Subject subject = {model, model->name, "param", wanted, opgen_dl_dtype(wanted->dtype), wanted->rank, shape};
        int status = set->params[i] == NULL ? OPGEN_OK
                     : sizes                ? compare(&subject, sizes + (shape - set->sizes))
                                            : bind(&subject, model->input_count + i, binding);
        if (status) return status;
        shape += wanted->rank;
    }
    return OPGEN_OK;
}

/* What is wrong with the dims as a whole, and what they are. */
static int say_dims(const OpgenModel *model, const char *what, const int64_t *dims) {
    char room[SHAPE_ROOM] = "";
    OpgenText text = {room, sizeof room, 0, 0};
    for (int32_t i = 0; i < model->dim_count; i++)
        opgen_add(&text, "%s%s=%lld", i > 0 ? ", " : " with ", model->dims[i].name, (long long)dims[i]);
    return opgen_fail(OPGEN_BAD_SHAPE, "%s: %.1000s%s", model->name, what, room);
}

/* The sizes of all axes, for dims within their ranges. */
static int find_sizes(const OpgenModel *model, const int64_t *dims, int64_t *sizes, int64_t axes) {
    const char *unmet = model->check ? model->check(dims) : NULL;
    if (unmet) return say_dims(model, unmet, dims);
    bool good = model->shapes(dims, sizes) == 0;
    int64_t any = 0; /* negative as soon as one of them is */
    for (int64_t i = 0; good && i < axes; i++)
        any |= sizes[i];
    return good && any >= 0 ? OPGEN_OK : say_dims(model, "some size is negative or does not fit 64 bits", dims);
}

int opgen_check_shapes(const OpgenBody *body, const OpgenSet *set, const DLTensor *inputs, const DLTensor *outputs,
                       OpgenBinding binding) {
    const OpgenModel *model = body->model;
    for (int32_t i = 0; i < model->dim_count; i++)
        binding.bound_by[i] = UNBOUND;
    int status = take(model, "input", model->inputs, inputs, model->input_count, 0, binding);
    if (!status && set->sized) status = params(body, set, NULL, binding);
    if (!status && outputs)
        status = take(model, "output", model->outputs, outputs, model->output_count,
                      model->input_count + model->param_count, binding);
    if (status) return status;
    for (int32_t i = 0; i < model->dim_count; i++) {
        if (binding.bound_by[i] != UNBOUND) continue;
        if (model->dims[i].min != model->dims[i].max) {
            return opgen_fail(OPGEN_BAD_SHAPE,
                              "%s: nothing says how large dim \"%.200s\" is: it is no size of an input", model->name,
                              model->dims[i].name);
        }
        binding.dims[i] = model->dims[i].min;
    }
    int32_t axes = body->input_axes + body->output_axes + body->param_axes;
    status = find_sizes(model, binding.dims, binding.sizes, axes);
    if (!status) status = compare_list(model, "input", model->inputs, inputs, model->input_count, binding.sizes);
    if (!status && outputs)
        status = compare_list(model, "output", model->outputs, outputs, model->output_count,
                              binding.sizes + body->input_axes);
    if (!status && set->sized)
        status = params(body, set, binding.sizes + body->input_axes + body->output_axes, binding);
    return status;
}

/* ---- shapes without tensors ---------------------------------------------------------------------------------------
 */

int opgen_room_for(const OpgenModel *model, const char *where, const DLTensor *outputs) {
    for (int32_t i = 0; i < model->output_count; i++) {
        const OpgenTensor *wanted = &model->outputs[i];
        if (outputs[i].ndim >= wanted->rank && (wanted->rank == 0 || outputs[i].shape)) continue;
        return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: %s: output \"%.200s\": wanted room for %d sizes, got room for %d",
                          where, model->name, wanted->name, (int)wanted->rank,
                          outputs[i].shape ? (int)outputs[i].ndim : 0);
    }
    return OPGEN_OK;
}

void opgen_give_shapes(const OpgenModel *model, const int64_t *sizes, DLTensor *outputs) {
    for (int32_t i = 0; i < model->output_count; i++) {
        const OpgenTensor *wanted = &model->outputs[i];
        for (int32_t k = 0; k < wanted->rank; k++)
            outputs[i].shape[k] = sizes[k];
        sizes += wanted->rank;
        outputs[i].ndim = wanted->rank;
        outputs[i].dtype = opgen_dl_dtype(wanted->dtype);
        outputs[i].strides = NULL;
        outputs[i].byte_offset = 0;
    }
}

static int check_dims(const OpgenModel *model, const int64_t *dims) {
    for (int32_t i = 0; i < model->dim_count; i++) {
        const OpgenDim *dim = &model->dims[i];
        if (dims[i] >= dim->min && dims[i] <= dim->max) continue;
        return opgen_fail(OPGEN_BAD_SHAPE, "%s: dim \"%.200s\": wanted %lld to %lld, got %lld", model->name, dim->name,
                          (long long)dim->min, (long long)dim->max, (long long)dims[i]);
    }
    return OPGEN_OK;
}

int opgen_shapes_of_dims(const OpgenModel *model, const int64_t *dims, int32_t dim_count, DLTensor *outputs,
                         int32_t output_count) {
    static const char where[] = "opgen_shapes_of_dims";
    int status = opgen_check_model(model, where);
    if (status) return status;
    if (dim_count != model->dim_count || output_count != model->output_count) {
        return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: %s: wanted %d dims and %d outputs, got %d and %d", where,
                          model->name, (int)model->dim_count, (int)model->output_count, (int)dim_count,
                          (int)output_count);
    }
    if ((dim_count > 0 && !dims) || (output_count > 0 && !outputs))
        return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: %s: a list is NULL", where, model->name);
    status = opgen_room_for(model, where, outputs);
    if (!status) status = check_dims(model, dims);
    if (status) return status;
    int64_t axes = 0;
    int32_t inputs = opgen_axis_count(model->inputs, model->input_count);
    int32_t others[] = {inputs, opgen_axis_count(model->outputs, model->output_count),
                        opgen_axis_count(model->params, model->param_count)};
    for (int i = 0; i < 3; i++) {
        if (others[i] < 0) return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: %s has too many axes", where, model->name);
        axes += others[i];
    }
    OpgenAllocator memory = opgen_allocator_or_default(NULL);
    size_t bytes = (size_t)(axes + 1) * sizeof(int64_t);
    int64_t *sizes = opgen_get(&memory, bytes, sizeof *sizes);
    if (!sizes) return OPGEN_NO_MEMORY;
    status = find_sizes(model, dims, sizes, axes);
    if (!status) opgen_give_shapes(model, sizes + inputs, outputs);
    opgen_give(&memory, sizes, bytes);
    return status;
}

/* ---- memory -------------------------------------------------------------------------------------------------------
 */

static const char *device_name(int device) {
    static const char *const names[] = {
        "?",   "CPU",  "CUDA",      "CUDA host",        "OpenCL",       "?",      "?",      "Vulkan", "Metal",
        "VPI", "ROCm", "ROCm host", "extension device", "CUDA managed", "oneAPI", "WebGPU", "Hexagon"};
    return device >= 0 && (size_t)device < sizeof names / sizeof *names ? names[device] : "?";
}

/* The device's own memory; and what the CPU sees as its own, or a GPU as managed. DLPack's values as numbers, for old
 * dlpack.h. */
static bool device_fits(const OpgenBody *body, DLDevice got) {
    enum { CPU = 1, CUDA = 2, CUDA_HOST = 3, ROCM_HOST = 11, CUDA_MANAGED = 13 };
    int type = (int)got.device_type, wanted = (int)body->device->dl_device;
    if (body->device->host)
        return type == wanted || (wanted == CPU && (type == CUDA_HOST || type == ROCM_HOST || type == CUDA_MANAGED));
    return (type == wanted && got.device_id == body->device_id) || (wanted == CUDA && type == CUDA_MANAGED);
}

int opgen_check_layout(const char *where, const char *role, const char *name, OpgenDtype dtype, const DLTensor *tensor,
                       const void **data, size_t *bytes) {
    int64_t size = opgen_shape_bytes(dtype, tensor->ndim, tensor->shape);
    *bytes = (size_t)size;
    *data = NULL;
    if (size == 0) return OPGEN_OK;
    if (!tensor->data) {
        return opgen_fail(OPGEN_BAD_ARGUMENT, "%s: %s \"%.200s\": its data is NULL, where %lld bytes were wanted",
                          opgen_tail(where), role, name, (long long)size);
    }
    int64_t wanted = 1;
    for (int32_t i = tensor->ndim - 1; tensor->strides && i >= 0; i--) {
        if (tensor->shape[i] != 1 && tensor->strides[i] != wanted) {
            char room[SHAPE_ROOM];
            OpgenText text = {room, sizeof room, 0, 0};
            opgen_add(&text, "shape ");
            opgen_add_shape(&text, tensor->ndim, tensor->shape);
            opgen_add(&text, ", strides ");
            opgen_add_shape(&text, tensor->ndim, tensor->strides);
            return opgen_fail(OPGEN_BAD_LAYOUT,
                              "%s: %s \"%.200s\": wanted contiguous elements, got %s: axis %d has stride %lld, not "
                              "%lld; copy it first",
                              opgen_tail(where), role, name, room, (int)i, (long long)tensor->strides[i],
                              (long long)wanted);
        }
        wanted *= tensor->shape[i];
    }
    uintptr_t start = (uintptr_t)tensor->data;
    if (tensor->byte_offset > UINTPTR_MAX - start || (uintptr_t)size > UINTPTR_MAX - start - tensor->byte_offset) {
        return opgen_fail(OPGEN_BAD_LAYOUT, "%s: %s \"%.200s\": byte_offset %llu goes beyond the end of memory",
                          opgen_tail(where), role, name, (unsigned long long)tensor->byte_offset);
    }
    start += (uintptr_t)tensor->byte_offset;
    size_t element = opgen_dtype_size(dtype);
    if (start % element != 0) {
        return opgen_fail(OPGEN_BAD_LAYOUT,
                          "%s: %s \"%.200s\": wanted %s at a multiple of %zu bytes, got an address %zu beyond one",
                          opgen_tail(where), role, name, opgen_dtype_name(dtype), element, (size_t)(start % element));
    }
    *data = (const char *)tensor->data + tensor->byte_offset;
    return OPGEN_OK;
}

static int place(const OpgenBody *body, const char *role, const OpgenTensor *wanted, const DLTensor *got,
                 const void **data, size_t *bytes) {
    int status = opgen_check_layout(body->model->name, role, wanted->name, wanted->dtype, got, data, bytes);
    if (status || device_fits(body, got->device)) return status;
    return opgen_fail(OPGEN_BAD_DEVICE, "%s: %s \"%.200s\": wanted on %s %d, got on %s %d (DLPack device type %d)",
                      body->model->name, role, wanted->name, device_name(body->device->dl_device), (int)body->device_id,
                      device_name((int)got->device.device_type), (int)got->device.device_id,
                      (int)got->device.device_type);
}

static bool overlap(const void *a, size_t a_size, const void *b, size_t b_size) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a_size > 0 && b_size > 0 && (x < y ? y - x < a_size : x - y < b_size);
}

/* What a run writes into is not to be seen as another input. */
static int check_changed(const OpgenModel *model, const void *const *data, const size_t *bytes) {
    for (int32_t i = 0; i < model->input_count; i++) {
        if (!model->inputs[i].changed) continue;
        for (int32_t k = 0; k < model->input_count; k++) {
            if (k == i || !overlap(data[i], bytes[i], data[k], bytes[k])) continue;
            return opgen_fail(OPGEN_BAD_LAYOUT,
                              "%s: input \"%.200s\", which a run changes, overlaps input \"%.200s\" in memory; give "
                              "each its own",
                              model->name, model->inputs[i].name, model->inputs[k].name);
        }
    }
    return OPGEN_OK;
}

_Alignas(OPGEN_ARENA_ALIGN) char opgen_nothing[OPGEN_ARENA_ALIGN];

int opgen_check_memory(const OpgenBody *body, const DLTensor *inputs, const DLTensor *outputs, OpgenContext *context) {
    const OpgenModel *model = body->model;
    size_t *in_bytes = context->bytes, *out_bytes = in_bytes + model->input_count;
    for (int32_t i = 0; i < model->input_count; i++) {
        int status = place(body, "input", &model->inputs[i], &inputs[i], &context->inputs[i], &in_bytes[i]);
        if (status) return status;
    }
    int changed = check_changed(model, context->inputs, in_bytes);
    if (changed) return changed;
    for (int32_t i = 0; i < model->output_count; i++) {
        const void *data;
        int status = place(body, "output", &model->outputs[i], &outputs[i], &data, &out_bytes[i]);
        if (status) return status;
        context->outputs[i] = data ? (char *)outputs[i].data + outputs[i].byte_offset : NULL;
        const char *role = NULL, *name = NULL;
        for (int32_t k = 0; k < model->input_count && !role; k++)
            if (overlap(data, out_bytes[i], context->inputs[k], in_bytes[k]))
                role = "input", name = model->inputs[k].name;
        for (int32_t k = 0; k < i && !role; k++)
            if (overlap(data, out_bytes[i], context->outputs[k], out_bytes[k]))
                role = "output", name = model->outputs[k].name;
        if (role) {
            return opgen_fail(OPGEN_BAD_LAYOUT,
                              "%s: output \"%.200s\" overlaps %s \"%.200s\" in memory; give each its own", model->name,
                              model->outputs[i].name, role, name);
        }
        if (!data) context->outputs[i] = opgen_nothing;
    }
    for (int32_t i = 0; i < model->input_count; i++)
        if (!context->inputs[i]) context->inputs[i] = opgen_nothing;
    return OPGEN_OK;
}

/* ---- names --------------------------------------------------------------------------------------------------------
 */

static int32_t find(const OpgenModel *model, const char *role, const OpgenTensor *list, int32_t count,
                    const char *name) {
    if (!name) {
        opgen_fail(OPGEN_BAD_ARGUMENT, "%s: the name of the %s is NULL", model->name, role);
        return -1;
    }
    for (int32_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0) return i;
    char near[128];
    opgen_fail(OPGEN_BAD_NAME, "%s: there is no %s \"%.200s\"%s", model->name, role, name,
               opgen_suggest(near, sizeof near, name, list, count, opgen_tensor_name_at));
    return -1;
}

int32_t opgen_find_input(const OpgenModel *model, const char *name) {
    return find(model, "input", model->inputs, model->input_count, name);
}

int32_t opgen_find_output(const OpgenModel *model, const char *name) {
    return find(model, "output", model->outputs, model->output_count, name);
}

int32_t opgen_find_param(const OpgenModel *model, const char *name) {
    for (int32_t i = 0; name && i < model->param_count; i++)
        if (strcmp(model->params[i].name, name) == 0) return i;
    for (int32_t i = 0; name && i < model->param_count; i++)
        if (model->params[i].key && strcmp(model->params[i].key, name) == 0) return i;
    for (const char *const *frozen = model->frozen; name && frozen && *frozen; frozen++) {
        if (strcmp(*frozen, name) != 0) continue;
        opgen_fail(OPGEN_BAD_NAME,
                   "%s: param \"%.200s\" is frozen: what is made of it was computed when the code was "
                   "generated",
                   model->name, name);
        return -1;
    }
    return find(model, "param", model->params, model->param_count, name);
}

static const char *dim_name_at(const void *dims, int32_t index) { return ((const OpgenDim *)dims)[index].name; }

int32_t opgen_find_dim(const OpgenModel *model, const char *name) {
    for (int32_t i = 0; name && i < model->dim_count; i++)
        if (strcmp(model->dims[i].name, name) == 0) return i;
    char near[128] = "";
    opgen_fail(name ? OPGEN_BAD_NAME : OPGEN_BAD_ARGUMENT, "%s: there is no dim \"%.200s\"%s", model->name,
               name ? name : "NULL",
               name ? opgen_suggest(near, sizeof near, name, model->dims, model->dim_count, dim_name_at) : near);
    return -1;
}

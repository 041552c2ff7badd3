/* opgen_weights.c: sets of weights.
 *
 * A set is all params at one time, and what the model's fold makes of them. It never changes: replacing one param makes
 * a new set that shares the memory of the others, and a swap is one pointer. A run keeps the set that it began with
 * until it ends, and whoever lets go last frees. Memory is mapped from the file where the device is the host and the
 * file has it aligned, and copied elsewhere.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_internal.h"
#include "opgen_safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- holds --------------------------------------------------------------------------------------------------------
 */

struct OpgenHold {
    atomic_int refs;
    void *memory;
    size_t size;
    /* A mapped file stays open, so that a change shows before the pages are read. -1: a copy. */
    int fd;
    struct timespec changed;
    char *path;
    size_t path_size;
};

static OpgenHold *new_hold(const OpgenBody *body) {
    OpgenHold *hold = opgen_get_zeros(&body->memory, 1, sizeof *hold);
    if (!hold) return NULL;
    atomic_init(&hold->refs, 1);
    hold->fd = -1;
    return hold;
}

static OpgenHold *keep(OpgenHold *hold) {
    if (hold) atomic_fetch_add_explicit(&hold->refs, 1, memory_order_relaxed);
    return hold;
}

static void let_go(const OpgenBody *body, OpgenHold *hold) {
    if (!hold || atomic_fetch_sub_explicit(&hold->refs, 1, memory_order_acq_rel) != 1) return;
    if (hold->fd >= 0) {
        if (hold->memory) munmap(hold->memory, hold->size);
        close(hold->fd);
    } else if (hold->memory) {
        opgen_device_give(body, hold->memory, hold->size);
    }
    opgen_give(&body->memory, hold->path, hold->path_size);
    opgen_give(&body->memory, hold, sizeof *hold);
}

/* Memory on the device for one tensor. */
static int new_copy(const OpgenBody *body, size_t size, OpgenHold **hold) {
    *hold = new_hold(body);
    if (!*hold) return OPGEN_NO_MEMORY;
    (*hold)->size = size;
    (*hold)->memory = opgen_device_get(body, size);
    if ((*hold)->memory) return OPGEN_OK;
    let_go(body, *hold);
    *hold = NULL;
    return OPGEN_NO_MEMORY;
}

static int to_device(const OpgenBody *body, void *to, const void *from, size_t size) {
    const OpgenDevice *device = body->device;
    int error = device->copy(body->device_id, to, from, size, OPGEN_TO_DEVICE, NULL);
    if (!error && device->synchronize) error = device->synchronize(body->device_id, NULL);
    return error ? opgen_device_fail(body, "copying weights to the device", error) : OPGEN_OK;
}

/* ---- sets ---------------------------------------------------------------------------------------------------------
 */

/* One block: the set, then its lists. */
static size_t set_size(const OpgenBody *body) {
    size_t params = (size_t)body->model->param_count;
    return sizeof(OpgenSet) + params * (sizeof(void *) + 2 * sizeof(OpgenHold *)) +
           (size_t)body->param_axes * sizeof(int64_t);
}

static OpgenSet *new_set(const OpgenBody *body, const OpgenSet *base) {
    size_t params = (size_t)body->model->param_count;
    OpgenSet *set = opgen_get_zeros(&body->memory, 1, set_size(body));
    if (!set) return NULL;
    static atomic_ulong sets;
    set->number = atomic_fetch_add_explicit(&sets, 1, memory_order_relaxed) + 1;
    atomic_init(&set->refs, 1);
    char *next = (char *)(set + 1);
    set->sizes = (int64_t *)(void *)next;
    next += (size_t)body->param_axes * sizeof(int64_t);
    set->params = (const void **)(void *)next;
    next += params * sizeof(void *);
    set->holds = (OpgenHold **)(void *)next;
    next += params * sizeof(OpgenHold *);
    set->files = (OpgenHold **)(void *)next;
    for (size_t i = 0; base && i < params; i++) {
        set->params[i] = base->params[i];
        set->holds[i] = keep(base->holds[i]);
    }
    if (base && body->param_axes > 0) memcpy(set->sizes, base->sizes, (size_t)body->param_axes * sizeof(int64_t));
    return set;
}

/* Counts what runs want to know. */
static void finish(const OpgenBody *body, OpgenSet *set) {
    const OpgenModel *model = body->model;
    for (int32_t i = model->param_count - 1; i >= 0; i--) {
        if (!set->params[i]) {
            set->missing++;
            set->first_missing = i;
        }
        for (int32_t k = 0; k < model->params[i].rank; k++)
            set->sized |= model->params[i].axes[k].dim != -1;
        OpgenHold *hold = set->holds[i];
        if (!hold || hold->fd < 0) continue;
        int32_t at = 0;
        while (at < set->file_count && set->files[at] != hold)
            at++;
        if (at == set->file_count) set->files[set->file_count++] = hold;
    }
}

void opgen_set_release(OpgenBody *body, OpgenSet *set) {
    if (!set || atomic_fetch_sub_explicit(&set->refs, 1, memory_order_acq_rel) != 1) return;
    for (int32_t i = 0; i < body->model->param_count; i++)
        let_go(body, set->holds[i]);
    let_go(body, set->folded);
    opgen_give(&body->memory, set, set_size(body));
}

/* A param gets its value; the set takes over the hold. */
static void put(const OpgenBody *body, OpgenSet *set, int32_t param, OpgenHold *hold, const void *data,
                const int64_t *shape) {
    let_go(body, set->holds[param]);
    set->holds[param] = hold;
    set->params[param] = data;
    int64_t *sizes = set->sizes + opgen_axis_count(body->model->params, param);
    for (int32_t i = 0; i < body->model->params[param].rank; i++)
        sizes[i] = shape[i];
}

int opgen_set_ready(const OpgenBody *body, const OpgenSet *set) {
    const OpgenModel *model = body->model;
    if (set->missing > 0) {
        return opgen_fail(
            OPGEN_NO_WEIGHTS,
            "%s: param \"%.200s\"%s has no value yet: load a file with opgen_weights_load, or give it with "
            "opgen_weights_replace",
            model->name, model->params[set->first_missing].name, set->missing > 1 ? ", as others," : "");
    }
    for (int32_t i = 0; i < set->file_count; i++) {
        const OpgenHold *file = set->files[i];
        struct stat now;
        if (fstat(file->fd, &now) != 0 || (uint64_t)now.st_size != file->size ||
            now.st_mtim.tv_sec != file->changed.tv_sec || now.st_mtim.tv_nsec != file->changed.tv_nsec) {
            return opgen_fail(OPGEN_BAD_FILE,
                              "%s: %s was changed while it was mapped (it had %zu bytes, now %lld): load it again; to "
                              "replace a file that is in "
                              "use, write another and rename it, or set copy_weights",
                              model->name, opgen_tail(file->path), file->size, (long long)now.st_size);
        }
    }
    return OPGEN_OK;
}

const char *opgen_set_file(const OpgenSet *set, int32_t param) {
    return set->holds[param] ? set->holds[param]->path : NULL;
}

/* ---- what fold makes of them ---------------------------------------------------------------------------------------
 */

void *opgen_set_folded(const OpgenSet *set) { return set->folded ? set->folded->memory : NULL; }

/* Sets never change, so what fold read there for `base` has the same values here if it is the same memory. */
static bool folds_alike(const OpgenModel *model, const OpgenSet *set, const OpgenSet *base) {
    if (!base || !base->folded) return false;
    for (int32_t i = 0; i < model->fold_param_count; i++) {
        int32_t param = model->fold_params[i];
        if (set->params[param] != base->params[param] || set->holds[param] != base->holds[param]) return false;
    }
    return true;
}

static int call_fold(const OpgenBody *body, const OpgenSet *set, void *folded, void *arena, int64_t *shared) {
    const OpgenModel *model = body->model;
    int64_t fault[4] = {0};
    OpgenRun run = {.params = set->params, .arena = arena, .folded = folded, .threads = body->threads, .fault = shared};
    if (!shared && body->device->host) run.fault = fault;
    OpgenWatch watch;
    bool watched = body->check_nan || opgen_profile_on(body);
    int status = watched ? opgen_watch_begin(&watch, body, &run, NULL, true) : OPGEN_OK;
    if (status) return status;
    status =
        opgen_device_call(body, model->fold, &run, "computing what depends on its weights alone: its fold function");
    if (watched) status = opgen_watch_end(&watch, &run, 0, status);
    /* After a failure as well: what is under way there uses memory that is given back. */
    int error = body->device->synchronize ? body->device->synchronize(body->device_id, NULL) : 0;
    if (status) return status;
    if (error) return opgen_device_fail(body, "computing what depends on the weights alone", error);
    return opgen_fault_found(model, shared);
}

/* With memory for what kernels find. */
static int call_fold_told(const OpgenBody *body, const OpgenSet *set, void *folded, void *arena) {
    const OpgenDevice *device = body->device;
    void *shared = NULL;
    int error = 0;
    if (device->shared_new && device->shared_free)
        error = device->shared_new(body->device_id, OPGEN_FAULT_BYTES, &shared);
    if (error) return opgen_device_fail(body, "memory that it shares with the host", error);
    if (shared) memset(shared, 0, OPGEN_FAULT_BYTES);
    int status = call_fold(body, set, folded, arena, shared);
    if (shared) device->shared_free(body->device_id, shared);
    return status;
}

int opgen_set_fold(const OpgenBody *body, OpgenSet *set, const OpgenSet *base) {
    const OpgenModel *model = body->model;
    if (body->check_nan) { /* not in each run, since sets never change */
        int status = opgen_check_nan(body, "param", model->params, model->param_count, set->sizes, set->params, NULL);
        if (status) return status;
    }
    if (!model->fold || set->folded || set->missing > 0) return OPGEN_OK;
    if (folds_alike(model, set, base)) {
        set->folded = keep(base->folded);
        return OPGEN_OK;
    }
    OpgenHold *hold = NULL;
    void *arena = NULL;
    size_t arena_size = (size_t)model->fold_arena_bytes;
    int status = opgen_set_ready(body, set); /* what is mapped may have been cut since */
    if (!status) status = new_copy(body, (size_t)model->folded_bytes, &hold);
    if (!status && !(arena = opgen_device_get(body, arena_size))) status = OPGEN_NO_MEMORY;
    if (!status) status = call_fold_told(body, set, hold->memory, arena);
    opgen_device_give(body, arena, arena_size);
    if (status) {
        let_go(body, hold);
    } else {
        set->folded = hold;
    }
    return status;
}

/* ---- what is embedded ---------------------------------------------------------------------------------------------
 */

int opgen_set_first(OpgenBody *body, OpgenSet **out) {
    const OpgenModel *model = body->model;
    OpgenSet *set = new_set(body, NULL);
    *out = NULL;
    if (!set) return OPGEN_NO_MEMORY;
    int status = OPGEN_OK;
    for (int32_t i = 0; i < model->param_count && !status; i++) {
        const OpgenTensor *param = &model->params[i];
        if (!param->embedded) continue;
        int64_t shape[OPGEN_MAX_RANK];
        for (int32_t k = 0; k < param->rank; k++)
            shape[k] = param->axes[k].size; /* constants: what is embedded was there when the code was made */
        int64_t bytes = opgen_shape_bytes(param->dtype, param->rank, shape);
        if (bytes < 0) {
            status = opgen_fail(OPGEN_BAD_SHAPE, "%s: param \"%.200s\": its bytes do not fit 64 bits", model->name,
                                param->name);
        } else if (body->device->host) {
            put(body, set, i, NULL, param->embedded, shape);
        } else {
            OpgenHold *hold;
            if ((status = new_copy(body, (size_t)bytes, &hold))) break;
            put(body, set, i, hold, hold->memory, shape);
            status = to_device(body, hold->memory, param->embedded, (size_t)bytes);
        }
    }
    if (status) {
        opgen_set_release(body, set);
        return status;
    }
    finish(body, set);
    *out = set;
    return OPGEN_OK;
}

/* ---- from a file --------------------------------------------------------------------------------------------------
 */

typedef struct File {
    const char *path;
    int fd;
    struct stat info;
    OpgenHold *hold; /* the mapping, once one tensor is taken from it */
    OpgenSafetensors table;
} File;

static int open_file(const OpgenBody *body, const char *path, File *file) {
    memset(file, 0, sizeof *file);
    file->path = path;
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0 || fstat(file->fd, &file->info) != 0)
        return opgen_fail(OPGEN_BAD_FILE, "%s: cannot be opened: %s", opgen_tail(path), strerror(errno));
    if (!S_ISREG(file->info.st_mode)) return opgen_fail(OPGEN_BAD_FILE, "%s: is no regular file", opgen_tail(path));
    return opgen_safetensors_read(path, file->fd, (uint64_t)file->info.st_size, &body->memory, &file->table);
}

static void close_file(const OpgenBody *body, File *file) {
    opgen_safetensors_free(&file->table);
    let_go(body, file->hold); /* closes the file, if the hold has it */
    if (file->fd >= 0) close(file->fd);
}

/* Which file it is from, for messages and dumps. */
static int set_path(const OpgenBody *body, OpgenHold *hold, const char *path) {
    size_t size = strlen(path) + 1;
    hold->path = opgen_get(&body->memory, size, 1);
    if (!hold->path) return OPGEN_NO_MEMORY;
    hold->path_size = size;
    memcpy(hold->path, path, size);
    return OPGEN_OK;
}

/* The whole file, once. */
static int map_file(const OpgenBody *body, File *file) {
    if (file->hold) return OPGEN_OK;
    OpgenHold *hold = new_hold(body);
    if (!hold) return OPGEN_NO_MEMORY;
    if (set_path(body, hold, file->path)) {
        let_go(body, hold);
        return OPGEN_NO_MEMORY;
    }
    size_t size = (size_t)file->info.st_size;
    void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, file->fd, 0);
    if (memory == MAP_FAILED) {
        let_go(body, hold);
        return opgen_fail(OPGEN_BAD_FILE, "%s: cannot be mapped: %s; set copy_weights to read it instead",
                          opgen_tail(file->path), strerror(errno));
    }
    hold->memory = memory;
    hold->size = size;
    hold->changed = file->info.st_mtim;
    hold->fd = file->fd;
    file->fd = -1;
    file->hold = hold;
    return OPGEN_OK;
}

static int copy_stored(const OpgenBody *body, const File *file, const OpgenStored *stored, OpgenHold **out) {
    size_t size = (size_t)stored->size;
    int fd = file->hold ? file->hold->fd : file->fd;
    OpgenHold *hold;
    int status = new_copy(body, size, &hold);
    *out = NULL;
    if (!status) status = set_path(body, hold, file->path);
    if (status) {
        if (hold) let_go(body, hold);
        return status;
    }
    if (body->device->host) {
        status = opgen_read_at(fd, file->path, hold->memory, size, stored->begin);
    } else {
        void *staged = opgen_get(&body->memory, size, OPGEN_ARENA_ALIGN);
        status = staged ? opgen_read_at(fd, file->path, staged, size, stored->begin) : OPGEN_NO_MEMORY;
        if (!status && size > 0) status = to_device(body, hold->memory, staged, size);
        opgen_give(&body->memory, staged, size);
    }
    if (status) {
        let_go(body, hold);
    } else {
        *out = hold;
    }
    return status;
}

static const char *stored_name_at(const void *list, int32_t index) { return ((const OpgenStored *)list)[index].name; }

/* Whether the file has the param as the model wants it: *found, which is NULL where what is embedded will do. */
static int find_param(const OpgenBody *body, const File *file, int32_t index, const OpgenStored **found) {
    const OpgenTensor *param = &body->model->params[index];
    const char *key = param->key ? param->key : param->name;
    const OpgenStored *stored = opgen_safetensors_find(&file->table, key);
    *found = stored;
    if (!stored) {
        if (param->embedded) return OPGEN_OK;
        char near[128], as[240] = "";
        if (param->key) snprintf(as, sizeof as, " as param \"%.200s\"", param->name);
        return opgen_fail(
            OPGEN_BAD_NAME, "%s: has no tensor \"%.200s\", which model %s wants%s%s", opgen_tail(file->path), key,
            body->model->name, as,
            opgen_suggest(near, sizeof near, key, file->table.tensors, file->table.count, stored_name_at));
    }
    OpgenDtype dtype = stored->dtype < 0 ? OPGEN_BOOL : (OpgenDtype)stored->dtype;
    bool known = stored->dtype >= 0;
    if (!known) {
        return opgen_fail(OPGEN_BAD_DTYPE, "%s: tensor \"%.200s\": wanted %s, got %s, which opgen does not have",
                          opgen_tail(file->path), key, opgen_dtype_name(param->dtype), stored->dtype_text);
    }
    OpgenTensor wanted = *param; /* under the name that the file has for it */
    wanted.name = key;
    return opgen_check_tensor(body->model, "tensor", &wanted, dtype, stored->rank, stored->shape, file->path);
}

/* All that is wrong, so that nobody mends a file one tensor at a time. */
static int find_params(const OpgenBody *body, const File *file, const OpgenStored **found) {
    char all[1800] = "";
    OpgenText text = {all, sizeof all, 0, 0};
    size_t before = strlen(opgen_tail(file->path)) + 2; /* each text begins with the file */
    int32_t wrong = 0, told = 0;
    int status = OPGEN_OK;
    for (int32_t i = 0; i < body->model->param_count; i++) {
        int failed = find_param(body, file, i, &found[i]);
        if (!failed) continue;
        if (!status) status = failed;
        const char *why = opgen_last_error();
        bool fits = text.total + strlen(why) + 2 < sizeof all;
        if (wrong++ == 0 && fits)
            opgen_add(&text, "%s", why);
        else if (fits && told == wrong - 1)
            opgen_add(&text, "; %s", why + before);
        else
            continue;
        told++;
    }
    if (told < wrong && told > 0) return opgen_fail(status, "%s; and %d more", all, (int)(wrong - told));
    return wrong > 0 ? opgen_fail(status, "%s", told > 0 ? all : opgen_last_error()) : OPGEN_OK;
}

static int load_param(const OpgenBody *body, File *file, int32_t index, const OpgenStored *stored, OpgenSet *set) {
    if (!stored) return OPGEN_OK;
    int status = OPGEN_OK;
    OpgenHold *hold;
    bool mapped =
        body->device->host && !body->copy_weights && stored->begin % opgen_dtype_size((OpgenDtype)stored->dtype) == 0;
    if (mapped && (status = map_file(body, file)) == OPGEN_OK) {
        put(body, set, index, keep(file->hold), (char *)file->hold->memory + stored->begin, stored->shape);
    } else if (!mapped && (status = copy_stored(body, file, stored, &hold)) == OPGEN_OK) {
        put(body, set, index, hold, hold->memory, stored->shape);
    }
    return status;
}

int opgen_set_load(OpgenBody *body, const OpgenSet *base, const char *path, OpgenSet **out) {
    *out = NULL;
    File file;
    OpgenSet *set = NULL;
    int status = open_file(body, path, &file);
    if (!status && !(set = new_set(body, base))) status = OPGEN_NO_MEMORY;
    size_t params = (size_t)body->model->param_count;
    const OpgenStored **found = status ? NULL : opgen_get_zeros(&body->memory, params, sizeof *found);
    if (!status) status = found ? find_params(body, &file, found) : OPGEN_NO_MEMORY;
    for (int32_t i = 0; i < body->model->param_count && !status; i++)
        status = load_param(body, &file, i, found[i], set);
    opgen_give(&body->memory, found, params * sizeof *found);
    struct stat now;
    int fd = file.hold ? file.hold->fd : file.fd;
    if (!status && (fstat(fd, &now) != 0 || now.st_size != file.info.st_size ||
                    now.st_mtim.tv_sec != file.info.st_mtim.tv_sec || now.st_mtim.tv_nsec != file.info.st_mtim.tv_nsec))
        status = opgen_fail(OPGEN_BAD_FILE, "%s: was changed while it was read", opgen_tail(path));
    close_file(body, &file);
    if (status) {
        opgen_set_release(body, set);
        return status;
    }
    finish(body, set);
    *out = set;
    return OPGEN_OK;
}

/* ---- from memory --------------------------------------------------------------------------------------------------
 */

static int replace_one(const OpgenBody *body, OpgenSet *set, int32_t index, const DLTensor *tensor) {
    const OpgenModel *model = body->model;
    const OpgenTensor *param = &model->params[index];
    OpgenDtype dtype = OPGEN_BOOL;
    bool known = opgen_dtype_of(tensor->dtype, &dtype) == 0;
    if (!known) {
        return opgen_fail(OPGEN_BAD_DTYPE,
                          "%s: param \"%.200s\": wanted %s, got DLPack type (code %d, %d bits, %d lanes)", model->name,
                          param->name, opgen_dtype_name(param->dtype), tensor->dtype.code, tensor->dtype.bits,
                          tensor->dtype.lanes);
    }
    int status = opgen_check_tensor(model, "param", param, dtype, tensor->ndim, tensor->shape, model->name);
    const void *data;
    size_t bytes;
    if (!status) status = opgen_check_layout(model->name, "param", param->name, dtype, tensor, &data, &bytes);
    if (status) return status;
    enum { CPU = 1, CUDA_HOST = 3, ROCM_HOST = 11, CUDA_MANAGED = 13 }; /* as numbers, for old dlpack.h */
    int device = (int)tensor->device.device_type;
    if (device != CPU && device != CUDA_HOST && device != ROCM_HOST && device != CUDA_MANAGED) {
        return opgen_fail(OPGEN_BAD_DEVICE, "%s: param \"%.200s\": wanted in host memory, got DLPack device type %d",
                          model->name, param->name, device);
    }
    OpgenHold *hold;
    if ((status = new_copy(body, bytes, &hold))) return status;
    if (bytes > 0 && (status = to_device(body, hold->memory, data, bytes))) {
        let_go(body, hold);
        return status;
    }
    put(body, set, index, hold, hold->memory, tensor->shape);
    return OPGEN_OK;
}

int opgen_set_replace(OpgenBody *body, const OpgenSet *base, const char *const *names, const DLTensor *tensors,
                      int32_t count, OpgenSet **out) {
    *out = NULL;
    OpgenSet *set = new_set(body, base);
    if (!set) return OPGEN_NO_MEMORY;
    int status = OPGEN_OK;
    for (int32_t i = 0; i < count && !status; i++) {
        int32_t index = opgen_find_param(body->model, names[i]);
        /* What this call has given already is in memory of its own. */
        if (index >= 0 && set->holds[index] != (base ? base->holds[index] : NULL))
            status = opgen_fail(OPGEN_BAD_NAME, "%s: param \"%.200s\" is given twice", body->model->name, names[i]);
        if (!status) status = index < 0 ? OPGEN_BAD_NAME : replace_one(body, set, index, &tensors[i]);
    }
    if (status) {
        opgen_set_release(body, set);
        return status;
    }
    finish(body, set);
    *out = set;
    return OPGEN_OK;
}

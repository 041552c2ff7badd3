/* opgen_log.c: OPGEN_LOG and OPGEN_CHECK: what a run took and gave, on stderr or in files, and whether a NaN came out.
 *
 * Each line is written by one call, so that lines of several threads do not mix.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_internal.h"
#include "opgen_npy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- elements as numbers ------------------------------------------------------------------------------------------
 */

static double from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double half(uint16_t bits) {
    uint32_t exponent = (bits >> 10) & 31u, fraction = bits & 1023u;
    double value = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                   : exponent == 0 ? ldexp((double)fraction, -24)
                                   : ldexp((double)(fraction + 1024), (int)exponent - 25);
    return bits & 0x8000u ? -value : value;
}

#define ELEMENT(type)                                                                                                  \
    {                                                                                                                  \
        type value;                                                                                                    \
        memcpy(&value, (const char *)data + at * sizeof value, sizeof value);                                          \
        return (double)value;                                                                                          \
    }

static double element(const void *data, OpgenDtype dtype, size_t at) {
    uint16_t bits;
    switch (dtype) {
    case OPGEN_BOOL:
    case OPGEN_U8:
        ELEMENT(uint8_t)
    case OPGEN_I8:
        ELEMENT(int8_t)
    case OPGEN_U16:
        ELEMENT(uint16_t)
    case OPGEN_I16:
        ELEMENT(int16_t)
    case OPGEN_U32:
        ELEMENT(uint32_t)
    case OPGEN_I32:
        ELEMENT(int32_t)
    case OPGEN_U64:
        ELEMENT(uint64_t)
    case OPGEN_I64:
        ELEMENT(int64_t)
    case OPGEN_F16:
        memcpy(&bits, (const char *)data + at * 2, 2);
        return half(bits);
    case OPGEN_BF16:
        memcpy(&bits, (const char *)data + at * 2, 2);
        return from_bits((uint32_t)bits << 16);
    case OPGEN_F32:
        ELEMENT(float)
    case OPGEN_F64:
        ELEMENT(double)
    }
    return 0;
}

/* ---- host copies --------------------------------------------------------------------------------------------------
 */

/* A tensor's bytes where the host can read them; *copy is to be given back if it is not NULL. */
static const void *on_host(const OpgenBody *body, const void *data, size_t bytes, void *stream, void **copy) {
    *copy = NULL;
    if (body->device->host || bytes == 0) return data;
    void *memory = opgen_get(&body->memory, bytes, OPGEN_ARENA_ALIGN);
    if (!memory) return NULL;
    int error = body->device->copy(body->device_id, memory, data, bytes, OPGEN_TO_HOST, stream);
    if (!error && body->device->synchronize) error = body->device->synchronize(body->device_id, stream);
    if (error) {
        opgen_device_fail(body, "copying a tensor to the host", error);
        opgen_give(&body->memory, memory, bytes);
        return NULL;
    }
    *copy = memory;
    return memory;
}

/* ---- the log ------------------------------------------------------------------------------------------------------
 */

int opgen_log_start(OpgenBody *body) {
    const char *level = getenv("OPGEN_LOG"), *check = getenv("OPGEN_CHECK"), *dump = getenv("OPGEN_DUMP");
    body->log = level && level[0] >= '0' && level[0] <= '4' && level[1] == '\0' ? level[0] - '0' : 0;
    body->check_nan = check && strcmp(check, "nan") == 0;
    if (level && *level && body->log == 0 && strcmp(level, "0") != 0)
        fprintf(stderr, "opgen: OPGEN_LOG=%.40s is none of 0, 1, 2, 3, 4\n", level);
    if (check && *check && !body->check_nan)
        fprintf(stderr, "opgen: OPGEN_CHECK=%.40s is not nan, the only check there is\n", check);
    if (body->log < 4) return OPGEN_OK;
    /* A copy: the environment may be changed meanwhile. */
    if (!dump || !*dump) dump = ".";
    size_t size = strlen(dump) + 1;
    if ((body->dump = opgen_get(&body->memory, size, 1))) memcpy(body->dump, dump, size);
    return body->dump ? OPGEN_OK : OPGEN_NO_MEMORY;
}

static void add_statistics(OpgenText *text, OpgenDtype dtype, const void *data, size_t count) {
    double least = INFINITY, greatest = -INFINITY, sum = 0;
    size_t nans = 0, infinite = 0;
    for (size_t i = 0; i < count; i++) {
        double value = element(data, dtype, i);
        if (isnan(value)) {
            nans++;
        } else {
            if (value < least) least = value;
            if (value > greatest) greatest = value;
            if (isinf(value)) {
                infinite++;
            } else {
                sum += value;
            }
        }
    }
    if (count > nans) opgen_add(text, " least %.6g greatest %.6g", least, greatest);
    if (count > nans + infinite) opgen_add(text, " mean %.6g", sum / (double)(count - nans - infinite));
    if (nans > 0) opgen_add(text, " NaN %zu", nans);
    if (infinite > 0) opgen_add(text, " infinite %zu", infinite);
}

/* <folder>/<model>-<process>-<run>-<role>-<name>.npy; what a file name does not take becomes "_". */
static void dump(const OpgenBody *body, unsigned long run, const char *role, const OpgenTensor *tensor,
                 const int64_t *sizes, const void *data) {
    char path[2048];
    int start = snprintf(path, sizeof path, "%.1500s/", body->dump);
    if (start < 0 || start >= (int)sizeof path) return;
    snprintf(path + start, sizeof path - (size_t)start, "%.100s-%ld-%lu-%s-%.200s.npy", body->model->name,
             (long)getpid(), run, role, tensor->name);
    for (char *c = path + start; *c; c++) {
        bool plain =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("-_.", *c);
        if (!plain) *c = '_';
    }
    if (opgen_npy_write(path, tensor->dtype, tensor->rank, sizes, data))
        fprintf(stderr, "opgen: %s\n", opgen_last_error());
}

void opgen_log_tensors(const OpgenBody *body, unsigned long run, const char *role, const OpgenTensor *tensors,
                       int32_t count, const int64_t *sizes, const void *const *data, void *stream) {
    char line[4096];
    OpgenText text = {line, sizeof line, 0, 0};
    opgen_add(&text, "opgen: %s: run %lu: %s", body->model->name, run, role);
    for (int32_t i = 0; i < count; i++) {
        const OpgenTensor *tensor = &tensors[i];
        opgen_add(&text, "%s %s", i > 0 ? "," : "", tensor->name);
        if (body->log >= 2) {
            opgen_add(&text, " %s ", opgen_dtype_name(tensor->dtype));
            opgen_add_shape(&text, tensor->rank, sizes);
        }
        int64_t bytes = opgen_shape_bytes(tensor->dtype, tensor->rank, sizes);
        if (body->log >= 3 && bytes >= 0) {
            void *copy;
            const void *host = on_host(body, data[i], (size_t)bytes, stream, &copy);
            if (host) {
                add_statistics(&text, tensor->dtype, host, (size_t)bytes / opgen_dtype_size(tensor->dtype));
                if (body->log >= 4) dump(body, run, role, tensor, sizes, host);
            }
            opgen_give(&body->memory, copy, (size_t)bytes);
        }
        sizes += tensor->rank;
    }
    fprintf(stderr, "%s\n", line);
}

int opgen_check_nan(const OpgenBody *body, const int64_t *sizes, void *const *outputs, void *stream) {
    const OpgenModel *model = body->model;
    for (int32_t i = 0; i < model->output_count; i++) {
        const OpgenTensor *tensor = &model->outputs[i];
        const int64_t *shape = sizes;
        sizes += tensor->rank;
        int64_t bytes = opgen_shape_bytes(tensor->dtype, tensor->rank, shape);
        if (tensor->dtype < OPGEN_F16 || bytes <= 0) continue;
        void *copy;
        const void *host = on_host(body, outputs[i], (size_t)bytes, stream, &copy);
        if (!host) return OPGEN_DEVICE_FAILED;
        size_t count = (size_t)bytes / opgen_dtype_size(tensor->dtype), at = 0;
        while (at < count && !isnan(element(host, tensor->dtype, at)))
            at++;
        opgen_give(&body->memory, copy, (size_t)bytes);
        if (at == count) continue;
        char room[600];
        OpgenText text = {room, sizeof room, 0, 0};
        int64_t index[OPGEN_MAX_RANK];
        size_t rest = at;
        for (int32_t k = tensor->rank - 1; k >= 0; k--) {
            index[k] = (int64_t)(rest % (size_t)shape[k]);
            rest /= (size_t)shape[k];
        }
        opgen_add_shape(&text, tensor->rank, index);
        return opgen_fail(OPGEN_FOUND_NAN, "%s: output \"%.200s\" has a NaN at %s", model->name, tensor->name, room);
    }
    return OPGEN_OK;
}

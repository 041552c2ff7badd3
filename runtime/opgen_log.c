/* opgen_log.c: OPGEN_LOG: what a run took and gave, on stderr; opgen_dump.c has the files of its fourth level.
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

bool opgen_is_nan(OpgenDtype dtype, const void *data, size_t at) { return isnan(element(data, dtype, at)); }

/* ---- host copies --------------------------------------------------------------------------------------------------
 */

const void *opgen_on_host(const OpgenBody *body, const void *data, size_t bytes, void *stream, void **copy) {
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

void opgen_log_tensors(const OpgenBody *body, const OpgenLog *log, const char *role, const OpgenTensor *tensors,
                       int32_t count, const int64_t *sizes, const void *const *data, void *stream) {
    char line[4096];
    OpgenText text = {line, sizeof line, 0, 0};
    opgen_add(&text, "opgen: %s: run %lu: %s", body->model->name, log->run, role);
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
            const void *host = opgen_on_host(body, data[i], (size_t)bytes, stream, &copy);
            if (host) {
                add_statistics(&text, tensor->dtype, host, (size_t)bytes / opgen_dtype_size(tensor->dtype));
                if (log->folder)
                    opgen_dump_tensor(body, log, role, tensor->name, tensor->dtype, tensor->rank, sizes, host);
            }
            opgen_give(&body->memory, copy, (size_t)bytes);
        }
        sizes += tensor->rank;
    }
    fprintf(stderr, "%s\n", line);
}

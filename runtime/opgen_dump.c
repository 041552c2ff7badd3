/* opgen_dump.c: OPGEN_LOG=4: one folder a run, from which `opgen run --replay` does the run again.
 *
 *     DUMP/mlp-4711-1/run.json          model, dims, threads, the file that the weights are from
 *     DUMP/mlp-4711-1/inputs/x.npy      before the run; those that it changes are in changed/ as they are after it
 *     DUMP/mlp-4711-1/params/w1.npy     those that opgen_weights_replace gave: no file has them
 *     DUMP/mlp-4711-1/nodes/0005-h.npy  what calls left, in order
 *     DUMP/mlp-4711-1/outputs/y.npy
 *
 * What cannot be written is told on stderr and changes nothing for the run.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_npy_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void failed(const char *path, int error) {
    fprintf(stderr, "opgen: %s: cannot be written: %s\n", opgen_tail(path), strerror(error));
}

/* A path in memory of its own, with its size; NULL, which was told, when there is none. */
static char *join(const OpgenBody *body, size_t *size, const char *folder, const char *first, const char *second) {
    *size = strlen(folder) + strlen(first) + strlen(second) + 3;
    char *path = opgen_get(&body->memory, *size, 1);
    if (!path) {
        fprintf(stderr, "opgen: %s\n", opgen_last_error());
        return NULL;
    }
    snprintf(path, *size, "%s/%s%s%s", folder, first, *second ? "/" : "", second);
    return path;
}

/* What a file name does not take becomes "_". */
static void make_plain(char *name) {
    for (char *c = name; *c; c++) {
        bool plain =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("-_.", *c);
        if (!plain) *c = '_';
    }
}

/* A folder that nobody had before: processes of one number come one after the other, and in containers often. */
static char *new_folder(const OpgenBody *body, unsigned long run, size_t *size) {
    for (int again = 1;; again++) {
        char name[160], behind[24] = "";
        if (again > 1) snprintf(behind, sizeof behind, "-%d", again);
        snprintf(name, sizeof name, "%.90s-%ld-%lu%s", body->model->name, (long)getpid(), run, behind);
        make_plain(name);
        char *path = join(body, size, body->dump, name, "");
        if (!path || mkdir(path, 0777) == 0) return path;
        int error = errno;
        if (error != EEXIST || again == 10000) {
            failed(path, error);
            opgen_give(&body->memory, path, *size);
            return NULL;
        }
        opgen_give(&body->memory, path, *size);
    }
}

void opgen_dump_tensor(const OpgenBody *body, const OpgenLog *log, const char *role, const char *name, OpgenDtype dtype,
                       int32_t rank, const int64_t *sizes, const void *host) {
    char file[240];
    size_t size, folder_size;
    snprintf(file, sizeof file, "%.230s.npy", name);
    make_plain(file);
    char *folder = join(body, &folder_size, log->folder, role, "");
    char *path = folder ? join(body, &size, folder, file, "") : NULL;
    if (path) {
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            failed(folder, errno);
        else if (opgen_npy_write(path, dtype, rank, sizes, host))
            fprintf(stderr, "opgen: %s\n", opgen_last_error());
        opgen_give(&body->memory, path, size);
    }
    opgen_give(&body->memory, folder, folder_size);
}

/* ---- run.json -----------------------------------------------------------------------------------------------------
 */

static void add_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static void write_about(const OpgenBody *body, const OpgenLog *log, const int64_t *dims, const char *weights) {
    const OpgenModel *model = body->model;
    size_t size;
    OpgenOut out;
    char *path = join(body, &size, log->folder, "run.json", ""), *whole = weights ? realpath(weights, NULL) : NULL;
    if (path && opgen_out_open(&out, path)) {
        fprintf(stderr, "opgen: %s\n", opgen_last_error());
    } else if (path) {
        fprintf(out.file, "{\"model\": ");
        add_string(out.file, model->name);
        fprintf(out.file, ", \"backend\": ");
        add_string(out.file, model->backend);
        fprintf(out.file, ", \"dims\": {");
        for (int32_t i = 0; i < model->dim_count; i++) {
            fputs(i > 0 ? ", " : "", out.file);
            add_string(out.file, model->dims[i].name);
            fprintf(out.file, ": %lld", (long long)dims[i]);
        }
        fprintf(out.file, "}, \"threads\": %d, \"weights\": ", (int)body->threads);
        if (weights)
            add_string(out.file, whole ? whole : weights);
        else
            fputs("null", out.file);
        fputs("}\n", out.file);
        if (opgen_out_close(&out)) fprintf(stderr, "opgen: %s\n", opgen_last_error());
    }
    free(whole);
    opgen_give(&body->memory, path, size);
}

/* Params are told by their file; the first one's is the run's, and what is from memory or another file is written. */
static void write_params(const OpgenBody *body, const OpgenLog *log, const OpgenSet *set, const char *weights,
                         void *stream) {
    const OpgenModel *model = body->model;
    const int64_t *sizes = set->sizes;
    for (int32_t i = 0; i < model->param_count; sizes += model->params[i++].rank) {
        const OpgenTensor *param = &model->params[i];
        const char *from = opgen_set_file(set, i);
        if (set->params[i] == NULL || set->holds[i] == NULL || (from && weights && strcmp(from, weights) == 0))
            continue;
        int64_t bytes = opgen_shape_bytes(param->dtype, param->rank, sizes);
        void *copy;
        const void *host = opgen_on_host(body, set->params[i], (size_t)bytes, stream, &copy);
        if (host) opgen_dump_tensor(body, log, "params", param->name, param->dtype, param->rank, sizes, host);
        opgen_give(&body->memory, copy, (size_t)bytes);
    }
}

void opgen_dump_begin(const OpgenBody *body, OpgenLog *log, const OpgenSet *set, const int64_t *dims, void *stream) {
    const char *weights = NULL;
    for (int32_t i = 0; i < body->model->param_count && !weights; i++)
        weights = opgen_set_file(set, i);
    log->folder = new_folder(body, log->run, &log->folder_size);
    if (!log->folder) return;
    write_about(body, log, dims, weights);
    write_params(body, log, set, weights, stream);
}

void opgen_dump_end(const OpgenBody *body, OpgenLog *log) {
    opgen_give(&body->memory, log->folder, log->folder_size);
    log->folder = NULL;
}

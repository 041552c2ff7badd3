/* opgen_open.c: generated libraries that are loaded at run time, and where a model's files are.
 *
 * A library counts the instances of its models and is not closed under them. Closed ones are remembered for a while, so
 * that closing twice is noticed.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "opgen_internal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct OpgenLibrary {
    OpgenLibrary *next;
    void *handle; /* NULL: closed */
    const OpgenModel *const *models;
    int32_t count, instances;
};

enum { REMEMBERED = 64 };

/* Open ones, and closed ones from the last to the first. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static OpgenLibrary *open_ones, *closed_ones;

static bool is_open(const OpgenLibrary *library) {
    for (const OpgenLibrary *at = open_ones; at; at = at->next)
        if (at == library) return true;
    return false;
}

static int load(const char *path, void **handle, const OpgenModel *const **models, int32_t *count) {
    /* Whatever happens, the caller closes *handle if it is not NULL. dlerror's text may hold the path, which may be
     * long. */
    char here[4096];
    const char *tried = path;
    if (!strchr(path, '/') && access(path, R_OK) == 0 && snprintf(here, sizeof here, "./%s", path) < (int)sizeof here)
        tried = here;
    *handle = dlopen(tried, RTLD_NOW | RTLD_LOCAL);
    if (!*handle) return opgen_fail(OPGEN_BAD_FILE, "%s: cannot be loaded: %.600s", opgen_tail(path), dlerror());
    *models = (const OpgenModel *const *)dlsym(*handle, OPGEN_MODELS_SYMBOL);
    if (!*models)
        return opgen_fail(OPGEN_BAD_FORMAT, "%s: is no library that opgen made: it has no symbol %s", opgen_tail(path),
                          OPGEN_MODELS_SYMBOL);
    *count = 0;
    while ((*models)[*count] && *count < INT32_MAX) {
        int status = opgen_check_model((*models)[*count], opgen_tail(path));
        if (status) return status;
        ++*count;
    }
    return OPGEN_OK;
}

int opgen_open(const char *path, OpgenLibrary **library) {
    if (!library) return opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_open: library is NULL");
    *library = NULL;
    if (!path || !*path) return opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_open: path is %s", path ? "empty" : "NULL");
    OpgenLibrary *opened = calloc(1, sizeof *opened);
    if (!opened) return opgen_fail(OPGEN_NO_MEMORY, "%s: out of memory", opgen_tail(path));
    int status = load(path, &opened->handle, &opened->models, &opened->count);
    if (status) {
        if (opened->handle) dlclose(opened->handle);
        free(opened);
        return status;
    }
    pthread_mutex_lock(&lock);
    opened->next = open_ones;
    open_ones = opened;
    pthread_mutex_unlock(&lock);
    *library = opened;
    return OPGEN_OK;
}

/* Takes it out of the open ones; the last of the closed ones is forgotten when they are many. */
static void move_to_closed(OpgenLibrary *library) {
    OpgenLibrary **link = &open_ones;
    while (*link != library)
        link = &(*link)->next;
    *link = library->next;
    library->next = closed_ones;
    closed_ones = library;
    int count = 0;
    for (link = &closed_ones; *link && count < REMEMBERED; link = &(*link)->next)
        count++;
    free(*link);
    *link = NULL;
}

/* Threads of a run stay in the OpenMP library, waiting for the next one. It must not go with the last library that was
 * linked with it, so one that is there stays for the life of the process. */
static void keep_threads(void) {
    static const char *const names[] = {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *handle = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
        if (handle) dlclose(handle);
    }
}

int opgen_close(OpgenLibrary *library) {
    if (!library) return OPGEN_OK;
    int status = OPGEN_OK;
    void *handle = NULL;
    pthread_mutex_lock(&lock);
    if (!is_open(library)) {
        status = opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_close: the library is not open: it was closed before");
    } else if (library->instances > 0) {
        status = opgen_fail(OPGEN_BUSY, "opgen_close: %d instance%s of the library's models %s there: free them first",
                            (int)library->instances, library->instances == 1 ? "" : "s",
                            library->instances == 1 ? "is" : "are");
    } else {
        handle = library->handle;
        library->handle = NULL;
        library->models = NULL;
        library->count = 0;
        move_to_closed(library);
    }
    pthread_mutex_unlock(&lock);
    if (handle) keep_threads();
    if (handle) dlclose(handle); /* outside of the lock: it may run the library's own code */
    return status;
}

int32_t opgen_model_count(const OpgenLibrary *library) { return library ? library->count : 0; }

const OpgenModel *opgen_library_model(const OpgenLibrary *library, int32_t index) {
    if (library && index >= 0 && index < library->count) return library->models[index];
    opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_library_model: %s",
               library ? "there is no model of that index" : "library is NULL");
    return NULL;
}

const char *opgen_model_name(const OpgenLibrary *library, int32_t index) {
    const OpgenModel *model = opgen_library_model(library, index);
    return model ? model->name : NULL;
}

static const char *model_name_at(const void *list, int32_t index) {
    return ((const OpgenModel *const *)list)[index]->name;
}

const OpgenModel *opgen_library_find(const OpgenLibrary *library, const char *name) {
    if (!library || !name) {
        opgen_fail(OPGEN_BAD_ARGUMENT, "opgen_library_find: %s is NULL", library ? "name" : "library");
        return NULL;
    }
    for (int32_t i = 0; i < library->count; i++)
        if (strcmp(library->models[i]->name, name) == 0) return library->models[i];
    char near[128];
    opgen_fail(OPGEN_BAD_NAME, "the library has no model \"%.200s\"%s", name,
               opgen_suggest(near, sizeof near, name, library->models, library->count, model_name_at));
    return NULL;
}

OpgenLibrary *opgen_library_hold(const OpgenModel *model) {
    OpgenLibrary *found = NULL;
    pthread_mutex_lock(&lock);
    for (OpgenLibrary *at = open_ones; at && !found; at = at->next)
        for (int32_t i = 0; i < at->count && !found; i++)
            if (at->models[i] == model) found = at;
    if (found) found->instances++;
    pthread_mutex_unlock(&lock);
    return found;
}

void opgen_library_release(OpgenLibrary *library) {
    if (!library) return;
    pthread_mutex_lock(&lock);
    library->instances--;
    pthread_mutex_unlock(&lock);
}

const OpgenDevice *opgen_library_device(OpgenLibrary *library, const char *backend) {
    char symbol[64];
    if (!library || snprintf(symbol, sizeof symbol, "opgen_device_%s", backend) >= (int)sizeof symbol) return NULL;
    return (const OpgenDevice *)dlsym(library->handle, symbol);
}

char *opgen_beside(const OpgenModel *model, const char *file, const OpgenAllocator *memory, size_t *size) {
    Dl_info info;
    const char *folder = "", *slash = NULL;
    /* By its code: of its constants, a program that names them may have a copy. */
    if (file[0] != '/' && dladdr((const void *)(uintptr_t)model->run, &info) != 0 && info.dli_fname) {
        folder = info.dli_fname;
        slash = strrchr(folder, '/');
    }
    size_t length = slash ? (size_t)(slash - folder) + 1 : 0;
    *size = length + strlen(file) + 1;
    char *path = opgen_get(memory, *size, 1);
    if (!path) return NULL;
    memcpy(path, folder, length);
    memcpy(path + length, file, *size - length);
    return path;
}

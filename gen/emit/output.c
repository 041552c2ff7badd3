/* output.c: generate. What is planned is brought to the disk in the order that output.h gives reasons for.
 *
 * From the first temporary file to the last rename nothing is allocated; what has to be said is said afterwards. */
#include "emit/output_plan.h"

#include "base/file_temp.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USUAL_WAIT_MS = 60000 };

/* One output on its way to the disk. */
typedef struct Job {
    const Output *output;
    const char *folder_c;
    Str shown; /* the folder for messages */
    int folder;
    bool locked, made; /* made: the folder was not there */
    size_t kept;       /* so much of its path was */
    dev_t device;
    ino_t inode;
    Plan plan;
    FileTemp *between, *final; /* NULL: not written */
    FileTemp **files;          /* in the order of the plan; NULL: neither written nor removed */
} Job;

static Str name_of(Str folder) { return folder.n == 0 ? S(".") : folder; }

static bool io_error(Diags *diags, const char *what, Str path, int error) {
    Diag *diag = diag_error(diags, E_IO, NOWHERE, "cannot %s %Q: %s", what, path, strerror(error));
    bool reads = strcmp(what, "read") == 0;
    if (!reads && (error == EACCES || error == EROFS))
        diag_hint(diags, diag, "files are replaced, so their folder must be writable");
    if (error == ENOTDIR) diag_hint(diags, diag, "a part of the path is a file or a symbolic link");
    if (error == ENOSPC || error == EDQUOT) diag_hint(diags, diag, "nothing was lost: make room and run it again");
    return false;
}

/* ---- into the folders ---------------------------------------------------------------------------------------------
 */

static int by_inode(const void *a, const void *b) {
    const Job *x = *(Job *const *)a, *y = *(Job *const *)b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    return x->inode < y->inode ? -1 : x->inode > y->inode;
}

/* Of a path: up to and with the last folder that is there. */
static size_t how_much_is_there(const char *path) {
    char part[PATH_MAX];
    struct stat about;
    size_t there = 0;
    for (size_t i = 0; path[i] != '\0' && i + 2 < sizeof part; i++) {
        part[i] = path[i];
        part[i + 1] = '\0';
        if (path[i + 1] != '/' && path[i + 1] != '\0') continue;
        if (stat(part, &about) != 0) break;
        there = i + 1;
    }
    return there;
}

static int open_folder(Job *job) {
    struct stat about;
    job->folder = target_open(job->folder_c, false);
    job->made = job->folder < 0;
    if (job->made) job->kept = how_much_is_there(job->folder_c);
    if (job->made) job->folder = target_open(job->folder_c, true);
    if (job->folder < 0 || fstat(job->folder, &about) != 0) return errno;
    job->device = about.st_dev;
    job->inode = about.st_ino;
    return 0;
}

static bool was_replaced(const Job *job) {
    struct stat about;
    return stat(job->folder_c, &about) != 0 || about.st_dev != job->device || about.st_ino != job->inode;
}

/* The lock, on the folder that has the name when the lock is there. */
static bool lock_folder(Job *job, unsigned wait_ms, Diags *diags) {
    int error;
    for (;;) {
        error = target_lock(job->folder, false, wait_ms);
        if (error == EWOULDBLOCK) {
            Diag *diag =
                diag_error(diags, E_IO, NOWHERE, "cannot write into %Q: another opgen has been writing there for %u s",
                           job->shown, (wait_ms + 999) / 1000);
            diag_hint(diags, diag, "wait for it, or end it");
            return false;
        }
        job->locked = error == 0;
        if (!was_replaced(job)) return true;
        close(job->folder);
        job->folder = -1;
        error = open_folder(job);
        if (error != 0) return io_error(diags, "write into", job->shown, error);
    }
}

/* Every folder, in an order that is the same for everyone, so that no two runs wait for each other. */
static bool take_folders(Arena *arena, Job *jobs, uint32_t n, unsigned wait_ms, Diags *diags) {
    Job **order = ARENA_ARRAY(arena, Job *, n);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = &jobs[i];
        int error = open_folder(&jobs[i]);
        if (error != 0) return io_error(diags, "write into", jobs[i].shown, error);
    }
    qsort(order, n, sizeof *order, by_inode);
    for (uint32_t i = 1; i < n; i++) {
        if (by_inode(&order[i - 1], &order[i]) != 0) continue;
        Diag *diag =
            diag_error(diags, E_IO, NOWHERE, "two models would be written into one folder: %Q", order[i]->shown);
        diag_hint(diags, diag, "give each model a name or an output folder of its own");
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!lock_folder(order[i], wait_ms, diags)) return false;
    }
    return true;
}

/* ---- what is not ours ---------------------------------------------------------------------------------------------
 */

static void conflict(Diags *diags, const Plan *plan, const PlanFile *file) {
    const char *verb = file->left_over ? "remove" : "write";
    Str path = plan_path(plan, file->path);
    Diag *diag;
    if (file->now.kind == TARGET_LINK) {
        diag = diag_error(diags, E_NOT_OURS, NOWHERE,
                          "cannot write %Q: a symbolic link stands there, which opgen did not make", path);
        diag_hint(diags, diag, "remove the link; --force replaces it, and not what it leads to");
    } else if (file->verdict == OUTPUT_FOREIGN) {
        diag = diag_error(diags, E_NOT_OURS, NOWHERE, "cannot write %Q: it is there, and opgen did not write it", path);
        diag_hint(diags, diag, "move it away or choose another folder; --force overwrites it");
    } else {
        diag = diag_error(diags, E_NOT_OURS, NOWHERE, "cannot %s %Q: it was edited since opgen wrote it", verb, path);
        diag_hint(diags, diag,
                  file->left_over ? "keep it under another name; --force removes it"
                                  : "make the change in the model or a template; --force overwrites it");
    }
}

static void judge_file(Diags *diags, const Plan *plan, const PlanFile *file, const OutputOptions *options) {
    bool prunes = file->left_over && options->prune;
    switch (file->verdict) {
    case OUTPUT_SAME:
    case OUTPUT_STALE:
    case OUTPUT_MISSING:
        break;
    case OUTPUT_LEFT_OVER:
        if (prunes && file->edited && !options->force) conflict(diags, plan, file);
        if (!prunes) {
            Diag *diag = diag_add(diags, DIAG_WARNING, E_LEFT_OVER, NOWHERE, "%Q is left over from an earlier run",
                                  plan_path(plan, file->path));
            diag_hint(diags, diag, "--prune removes it");
        }
        break;
    case OUTPUT_EDITED:
    case OUTPUT_FOREIGN:
        if (!options->force) conflict(diags, plan, file);
        break;
    case OUTPUT_BLOCKED:
        io_error(diags, "write", plan_path(plan, file->path),
                 file->now.kind == TARGET_BLOCKED  ? ENOTDIR
                 : file->now.kind == TARGET_FOLDER ? EISDIR
                                                   : EEXIST);
        break;
    case OUTPUT_UNKNOWN:
        if (!options->force) io_error(diags, "read", plan_path(plan, file->path), file->now.error);
        break;
    }
}

static void judge_manifest(Diags *diags, const Plan *plan, const OutputOptions *options) {
    Str path = plan_path(plan, S(OUTPUT_MANIFEST));
    if (plan->manifest == OUTPUT_BLOCKED) {
        io_error(diags, "write", path, EISDIR);
    } else if (plan->manifest == OUTPUT_UNKNOWN) {
        if (!options->force) io_error(diags, "read", path, plan->manifest_error);
    } else if (plan->manifest == OUTPUT_EDITED && !options->force) {
        Diag *diag = diag_error(diags, E_NOT_OURS, NOWHERE, "cannot write %Q: %S", path, plan->manifest_why);
        diag_hint(diags, diag, "bring back the one that opgen wrote; --force writes it anew");
    }
}

/* ---- writing ------------------------------------------------------------------------------------------------------
 */

static bool is_written(const PlanFile *file) { return !file->left_over && file->verdict != OUTPUT_SAME; }

static FileTemp *temporary(const Job *job, Str path, Str bytes) {
    return file_temp_new(job->plan.arena, job->folder, path, plan_path(&job->plan, path), bytes, FILE_TEMP_LOCKED);
}

static void prepare(Job *job, bool prune) {
    const Plan *plan = &job->plan;
    bool changes = false;
    job->files = ARENA_ARRAY(plan->arena, FileTemp *, plan->files.n);
    for (uint32_t i = 0; i < plan->files.n; i++) {
        const PlanFile *file = &plan->files.items[i];
        if (is_written(file) || (file->left_over && prune)) job->files[i] = temporary(job, file->path, file->bytes);
        changes = changes || job->files[i] != NULL;
    }
    Str final = plan_manifest(plan, false, prune);
    if (changes) job->between = temporary(job, S(OUTPUT_MANIFEST), plan_manifest(plan, true, prune));
    if (changes || plan->manifest != OUTPUT_SAME) job->final = temporary(job, S(OUTPUT_MANIFEST), final);
}

/* What went wrong, kept until something can be allocated again. */
typedef struct Failure {
    int error;
    const char *what;
    Str path;
} Failure;

/* Does it to one; true when there is none. */
static bool each(FileTemp *temp, int (*act)(FileTemp *), Failure *failure) {
    if (temp == NULL) return true;
    *failure = (Failure){.error = act(temp), .what = "write", .path = temp->shown};
    return failure->error == 0;
}

static bool write_temporaries(const Job *job, Failure *failure) {
    if (!each(job->between, file_temp_write, failure)) return false;
    for (uint32_t i = 0; i < job->plan.files.n; i++) {
        if (job->plan.files.items[i].left_over) continue;
        if (!each(job->files[i], file_temp_write, failure)) return false;
    }
    return each(job->final, file_temp_write, failure);
}

static bool replace(const Job *job, OutputResult *result, Failure *failure) {
    if (!each(job->between, file_temp_swap, failure)) return false;
    for (uint32_t i = 0; i < job->plan.files.n; i++) {
        if (job->plan.files.items[i].left_over) continue;
        if (!each(job->files[i], file_temp_swap, failure)) return false;
        result->written += job->files[i] != NULL;
        result->same += job->files[i] == NULL;
    }
    for (uint32_t i = 0; i < job->plan.files.n; i++) {
        if (!job->plan.files.items[i].left_over || job->files[i] == NULL) continue;
        bool taken = each(job->files[i], file_temp_take, failure);
        failure->what = "remove";
        if (!taken) return false;
        result->removed++;
    }
    result->manifests += job->final != NULL;
    return each(job->final, file_temp_swap, failure);
}

/* Everything as it was, the last change first. Where something cannot be undone the manifest between stays, which knows
 * both what was and what is. */
static void undo(const Job *job) {
    bool all = job->final == NULL || file_temp_undo(job->final);
    for (uint32_t i = job->plan.files.n; i-- > 0;) {
        if (job->files[i] != NULL) all = file_temp_undo(job->files[i]) && all;
    }
    if (all && job->between != NULL) file_temp_undo(job->between);
}

/* The folders that are empty now. */
static void tidy(const Job *job) {
    for (uint32_t i = 0; i < job->plan.files.n; i++) {
        const PlanFile *file = &job->plan.files.items[i];
        if (file->left_over && job->files[i] != NULL) target_tidy(job->folder, file->c);
    }
}

/* Those that were made for files that did not come. */
static void remove_new_folders(const Job *job) {
    for (uint32_t i = 0; i < job->plan.files.n; i++) {
        const PlanFile *file = &job->plan.files.items[i];
        if (file->now.kind == TARGET_NOTHING && file->now.no_folder) target_tidy(job->folder, file->c);
    }
}

static bool generate(Arena *arena, Job *jobs, uint32_t n, const OutputOptions *options, Diags *diags,
                     OutputResult *result) {
    if (!take_folders(arena, jobs, n, options->wait_ms == 0 ? USUAL_WAIT_MS : options->wait_ms, diags)) return false;
    uint32_t errors = diags->errors;
    for (uint32_t i = 0; i < n; i++) {
        Plan *plan = &jobs[i].plan;
        if (!plan_make(arena, jobs[i].output, jobs[i].folder, diags, plan)) continue;
        if (jobs[i].locked) target_clean(jobs[i].folder); /* whoever left something there is gone */
        for (uint32_t k = 0; k < plan->files.n; k++)
            judge_file(diags, plan, &plan->files.items[k], options);
        judge_manifest(diags, plan, options);
    }
    if (diags->errors > errors) return false;
    for (uint32_t i = 0; i < n; i++)
        prepare(&jobs[i], options->prune);

    Failure failure = {0};
    bool done = true;
    for (uint32_t i = 0; done && i < n; i++)
        done = write_temporaries(&jobs[i], &failure);
    for (uint32_t i = 0; done && i < n; i++)
        done = replace(&jobs[i], result, &failure);
    for (uint32_t i = n; !done && i-- > 0;)
        undo(&jobs[i]);
    file_interrupted(); /* removes what is not wanted any more: the old ones, or the new ones */
    for (uint32_t i = 0; i < n; i++) {
        if (done)
            tidy(&jobs[i]);
        else
            remove_new_folders(&jobs[i]);
    }
    return done || io_error(diags, failure.what, failure.path, failure.error);
}

/* Those that were made for nothing go again, from the innermost on; one that has something in it cannot. */
static void remove_made(const Job *job) {
    char part[PATH_MAX];
    size_t n = strlen(job->folder_c);
    if (n >= sizeof part) return;
    memcpy(part, job->folder_c, n + 1);
    while (n > job->kept && (rmdir(part) == 0 || (errno != ENOTEMPTY && errno != EEXIST))) {
        while (n > 0 && part[n - 1] == '/')
            n--;
        while (n > 0 && part[n - 1] != '/')
            n--;
        while (n > 0 && part[n - 1] == '/')
            n--;
        part[n] = '\0';
    }
}

static void leave_folders(Job *jobs, uint32_t n, bool done) {
    for (uint32_t i = 0; i < n; i++) {
        if (!done && jobs[i].made) remove_made(&jobs[i]);
        if (jobs[i].folder >= 0) close(jobs[i].folder);
    }
}

bool output_generate(Arena *arena, const Output *outputs, uint32_t n, const OutputOptions *options, Diags *diags,
                     OutputResult *result) {
    *result = (OutputResult){0};
    Job *jobs = ARENA_ARRAY(arena, Job, n);
    for (uint32_t i = 0; i < n; i++) {
        Str shown = name_of(outputs[i].folder);
        jobs[i] = (Job){.output = &outputs[i], .folder_c = str_to_c(arena, shown), .shown = shown, .folder = -1};
    }
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        leave_folders(jobs, n, false);
        mem_fail(trap.why, trap.wanted);
    }
    bool done = generate(arena, jobs, n, options, diags, result);
    mem_untrap(&trap);
    leave_folders(jobs, n, done);
    return done;
}

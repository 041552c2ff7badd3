/* output_check.c: check, and what else is said about a set without writing it. */
#include "emit/output_plan.h"

#include <errno.h>
#include <unistd.h>

/* ---- check --------------------------------------------------------------------------------------------------------
 */

enum { CHECK_WAIT_MS = 60000 };

static const char *verdict_text(const PlanFile *file) {
    switch (file->verdict) {
    case OUTPUT_STALE:
        return "stale";
    case OUTPUT_MISSING:
        return "missing";
    case OUTPUT_LEFT_OVER:
        return file->edited ? "left over, and edited by hand" : "left over";
    case OUTPUT_EDITED:
        return "edited by hand";
    case OUTPUT_FOREIGN:
        return file->now.kind == TARGET_LINK ? "a symbolic link" : "not written by opgen";
    case OUTPUT_BLOCKED:
        return file->now.kind == TARGET_FOLDER    ? "a folder is in its place"
               : file->now.kind == TARGET_BLOCKED ? "a part of its path is a file or a symbolic link"
                                                  : "no file";
    case OUTPUT_SAME:
    case OUTPUT_UNKNOWN:
        break;
    }
    return NULL;
}

static bool cannot_read(const Plan *plan, Str path, int error, Diags *diags) {
    diag_error(diags, E_IO, NOWHERE, "cannot read %Q: %s", plan_path(plan, path), strerror(error));
    return false;
}

/* A line, and the diff from what is there to what would be. */
static bool report_file(const Plan *plan, const PlanFile *file, bool diff, Diags *diags, Buf *report) {
    const char *verdict = verdict_text(file);
    Str path = plan_path(plan, file->path);
    if (verdict != NULL) buf_format(report, "%S: %s\n", path, verdict);
    bool closed = file->verdict == OUTPUT_UNKNOWN || file->now.kind == TARGET_CLOSED;
    if (closed) return cannot_read(plan, file->path, file->now.error, diags);
    bool there = file->now.kind == TARGET_FILE;
    if (!diff || verdict == NULL || (!there && file->verdict != OUTPUT_MISSING)) return true;
    Str old = S("");
    int error = there ? target_read(plan->arena, plan->folder, file->c, &old) : 0;
    if (error != 0) return cannot_read(plan, file->path, error, diags);
    diff_unified(plan->arena, there ? path : S(""), file->left_over ? S("") : path, old, file->bytes, report);
    return true;
}

/* The diff leads to where nothing is left over: that of the manifest forgets the files that the others take away. */
static bool report_manifest(const Plan *plan, bool diff, Diags *diags, Buf *report) {
    Str path = plan_path(plan, S(OUTPUT_MANIFEST));
    OutputVerdict verdict = plan->manifest == OUTPUT_SAME ? OUTPUT_STALE : plan->manifest;
    if (verdict == OUTPUT_UNKNOWN) return cannot_read(plan, S(OUTPUT_MANIFEST), plan->manifest_error, diags);
    buf_format(report, "%S: ", path);
    if (verdict == OUTPUT_EDITED)
        buf_format(report, "not what opgen wrote: %S\n", plan->manifest_why);
    else
        buf_add(report, verdict == OUTPUT_STALE     ? S("stale\n")
                        : verdict == OUTPUT_MISSING ? S("missing\n")
                                                    : S("no file\n"));
    if (diff && verdict != OUTPUT_BLOCKED)
        diff_unified(plan->arena, verdict == OUTPUT_MISSING ? S("") : path, path, plan->manifest_old,
                     plan_manifest(plan, false, true), report);
    return true;
}

static bool has_left_over(const Plan *plan) {
    bool found = false;
    for (uint32_t i = 0; i < plan->files.n; i++)
        found = found || plan->files.items[i].left_over;
    return found;
}

static bool check(Plan *plan, const Output *output, int folder, bool diff, Diags *diags, Buf *report) {
    if (!plan_make(report->arena, output, folder, diags, plan)) return false;
    bool known = true;
    for (uint32_t i = 0; i < plan->files.n; i++)
        known = report_file(plan, &plan->files.items[i], diff, diags, report) && known;
    bool manifest = plan->manifest != OUTPUT_SAME || (diff && has_left_over(plan));
    if (manifest) known = report_manifest(plan, diff, diags, report) && known;
    return known;
}

static bool check_folder(Arena *arena, const Output *output, bool diff, Diags *diags, Buf *report) {
    Str shown = output->folder.n == 0 ? S(".") : output->folder;
    int folder = target_open(str_to_c(arena, shown), false);
    if (folder < 0 && errno != ENOENT) {
        diag_error(diags, E_IO, NOWHERE, "cannot read %Q: %s", shown, strerror(errno));
        return false;
    }
    Plan plan;
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        if (folder >= 0) close(folder);
        mem_fail(trap.why, trap.wanted);
    }
    /* So as not to see a generate in its middle. Where that cannot be had, what is there now is looked at. */
    if (folder >= 0) (void)target_lock(folder, true, CHECK_WAIT_MS);
    bool known = check(&plan, output, folder, diff, diags, report);
    mem_untrap(&trap);
    if (folder >= 0) close(folder);
    return known;
}

bool output_check(Arena *arena, const Output *outputs, uint32_t n, bool diff, Diags *diags, Buf *report, bool *fresh) {
    size_t before = report->n;
    bool known = true;
    for (uint32_t i = 0; i < n; i++)
        known = check_folder(arena, &outputs[i], diff, diags, report) && known;
    *fresh = known && report->n == before;
    return known;
}

/* ---- outputs, and -o - --------------------------------------------------------------------------------------------
 */

const Str *output_targets(Arena *arena, const Output *outputs, uint32_t n, uint32_t *count) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += outputs[i].set->files.n + 1;
    Str *targets = ARENA_ARRAY(arena, Str, total);
    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        PlanFile *files = plan_sorted(arena, outputs[i].set);
        for (uint32_t k = 0; k < outputs[i].set->files.n; k++)
            targets[(*count)++] = output_path(arena, outputs[i].folder, files[k].path);
        targets[(*count)++] = output_path(arena, outputs[i].folder, S(OUTPUT_MANIFEST));
    }
    return targets;
}

void output_paths(Arena *arena, const Output *outputs, uint32_t n, Buf *lines) {
    uint32_t count;
    const Str *targets = output_targets(arena, outputs, n, &count);
    for (uint32_t i = 0; i < count; i++)
        buf_format(lines, "%S\n", targets[i]);
}

void output_stream(Arena *arena, const FileSet *set, Buf *out) {
    PlanFile *files = plan_sorted(arena, set);
    for (uint32_t i = 0; i < set->files.n; i++) {
        Str bytes = files[i].bytes;
        if (set->files.n > 1) buf_format(out, "// ==> %S <==\n", files[i].path);
        buf_add(out, bytes);
        if (set->files.n > 1 && bytes.n > 0 && !str_ends(bytes, S("\n"))) buf_char(out, '\n');
    }
}

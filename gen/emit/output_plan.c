/* output_plan.c: each file of the set against the disk and against what the manifest says of it. */
#include "emit/output_plan.h"

#include "base/file_temp.h"

#include <errno.h>
#include <stdlib.h>

Str output_path(Arena *arena, Str folder, Str path) {
    if (folder.n == 0 || str_eq(folder, S("."))) return path;
    return str_format(arena, str_ends(folder, S("/")) ? "%S%S" : "%S/%S", folder, path);
}

Str plan_path(const Plan *plan, Str path) { return output_path(plan->arena, plan->output->folder, path); }

static int by_path(const void *a, const void *b) {
    return str_cmp(((const PlanFile *)a)->path, ((const PlanFile *)b)->path);
}

PlanFile *plan_sorted(Arena *arena, const FileSet *set) {
    PlanFile *files = ARENA_ARRAY(arena, PlanFile, set->files.n + 1);
    for (uint32_t i = 0; i < set->files.n; i++) {
        FileEntry file = set->files.items[i];
        files[i] = (PlanFile){.path = file.path, .c = str_to_c(arena, file.path), .bytes = file.bytes};
    }
    qsort(files, set->files.n, sizeof *files, by_path);
    return files;
}

/* Whether a file above it in the set is a folder for this one, or a part of the path is a name that opgen needs. */
static bool is_good(const FileSet *set, Str path) {
    if (!target_holds(path) || str_invalid_utf8(path) != STR_NONE || str_eq(path, S(OUTPUT_MANIFEST))) return false;
    for (size_t from = 0, i = 0; i <= path.n; i++) {
        if (i < path.n && ((unsigned char)path.p[i] < ' ' || path.p[i] == 0x7f)) return false;
        if (i < path.n && path.p[i] != '/') continue;
        if (file_temp_is_one(str_sub(path, from, i))) return false;
        if (i < path.n && names_find(&set->paths, str_sub(path, 0, i)) != NULL) return false;
        from = i + 1;
    }
    return true;
}

static bool is_known(const ManifestFile *known, const TargetEntry *now) {
    Str hash = str(now->sha256, SHA256_DIGITS);
    return known != NULL && (str_eq(hash, known->sha256) || str_eq(hash, known->was));
}

static OutputVerdict judge(const TargetEntry *now, const ManifestFile *known) {
    switch (now->kind) {
    case TARGET_NOTHING:
        return OUTPUT_MISSING;
    case TARGET_FILE:
        if (now->same) return OUTPUT_SAME;
        return is_known(known, now) ? OUTPUT_STALE : known != NULL ? OUTPUT_EDITED : OUTPUT_FOREIGN;
    case TARGET_LINK:
        return OUTPUT_FOREIGN;
    case TARGET_FOLDER:
    case TARGET_OTHER:
    case TARGET_BLOCKED:
        return OUTPUT_BLOCKED;
    case TARGET_CLOSED:
        break;
    }
    return OUTPUT_UNKNOWN;
}

static TargetEntry look(int folder, const char *path, const Str *bytes) {
    return folder < 0 ? (TargetEntry){.kind = TARGET_NOTHING} : target_compare(folder, path, bytes);
}

/* What earlier runs wrote, is still there and is no longer wanted. Where something that is no file has taken its
 * place, it is gone. */
static void find_left_over(Plan *plan, const Manifest *manifest) {
    const FileSet *set = plan->output->set;
    uint32_t from = plan->files.n;
    for (uint32_t i = 0; i < manifest->files.n; i++) {
        const ManifestFile *known = manifest->files.entries[i].value;
        if (names_find(&set->paths, known->path) != NULL) continue;
        PlanFile file = {.path = known->path, .c = str_to_c(plan->arena, known->path), .sha256 = known->sha256};
        file.was = known->was;
        file.now = look(plan->folder, file.c, NULL);
        if (file.now.kind != TARGET_FILE && file.now.kind != TARGET_CLOSED) continue;
        file.left_over = true;
        file.verdict = OUTPUT_LEFT_OVER;
        file.edited = file.now.kind != TARGET_FILE || !is_known(known, &file.now);
        *VEC_PUSH(plan->arena, &plan->files) = file;
    }
    if (plan->files.n > from) qsort(plan->files.items + from, plan->files.n - from, sizeof(PlanFile), by_path);
}

static void judge_manifest(Plan *plan, bool understood, Str text) {
    Str wanted = plan_manifest(plan, false, false);
    TargetEntry now = look(plan->folder, OUTPUT_MANIFEST, &wanted);
    plan->manifest = judge(&now, NULL);
    plan->manifest_error = now.error;
    if (plan->manifest == OUTPUT_FOREIGN) plan->manifest = understood ? OUTPUT_STALE : OUTPUT_EDITED;
    plan->manifest_old = text;
}

bool plan_make(Arena *arena, const Output *output, int folder, Diags *diags, Plan *plan) {
    const FileSet *set = output->set;
    *plan = (Plan){.arena = arena, .output = output, .folder = folder};
    bool good = true;
    for (uint32_t i = 0; i < set->files.n; i++) {
        Str path = set->files.items[i].path;
        if (is_good(set, path)) continue;
        diag_error(diags, E_IO, NOWHERE, "cannot write %Q: a generated file cannot have this path",
                   plan_path(plan, path));
        good = false;
    }
    if (!good) return false;
    Manifest manifest;
    bool understood = manifest_read(arena, folder, &manifest, &plan->manifest_why);
    plan->files.items = plan_sorted(arena, set);
    plan->files.n = plan->files.cap = set->files.n;
    for (uint32_t i = 0; i < set->files.n; i++) {
        PlanFile *file = &plan->files.items[i];
        Name name = names_find(&manifest.names, file->path);
        file->sha256 = sha256_of(arena, file->bytes);
        file->now = look(folder, file->c, &file->bytes);
        file->verdict = judge(&file->now, name == NULL ? NULL : map_get(&manifest.files, name));
    }
    find_left_over(plan, &manifest);
    judge_manifest(plan, understood, manifest.text);
    return true;
}

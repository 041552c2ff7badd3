/* output_manifest.c: opgen.manifest.json, read and made.
 *
 *     {"opgen": 1, "generated": "by opgen: what is changed here is lost",
 *       "unfinished": true,                                             while files are being changed
 *       "files": [{"path": "mlp.c", "sha256": "...", "was": "..."}],    was: the same
 *       "left_over": [{"path": "k_old.c", "sha256": "..."}],            of earlier runs, still there
 *       "inputs": [{"path": "model.json", "sha256": "..."}],
 *       ... and the sections of those who made the files }
 *
 * What is read from the disk may be anybody's text: a path that leads out of the folder makes it no manifest.
 */
#include "emit/output_plan.h"

#include "json/json.h"

#include <errno.h>
#include <stdlib.h>

enum { FORMAT = 1 }; /* the number behind "opgen" */

/* ---- reading ------------------------------------------------------------------------------------------------------
 */

static bool is_hash(Str s) {
    if (s.n != SHA256_DIGITS) return false;
    for (size_t i = 0; i < s.n; i++) {
        if (!(s.p[i] >= '0' && s.p[i] <= '9') && !(s.p[i] >= 'a' && s.p[i] <= 'f')) return false;
    }
    return true;
}

static Str text_of(const Json *object, Str key) {
    const Json *value = json_get(object, key);
    return value != NULL && value->kind == JSON_STRING ? value->as.s : S("");
}

/* The entries of one list. False: one of them is none. */
static bool read_files(Arena *arena, const Json *list, Manifest *manifest) {
    if (list == NULL) return true;
    if (list->kind != JSON_ARRAY) return false;
    for (uint32_t i = 0; i < list->as.array.n; i++) {
        const Json *item = &list->as.array.items[i];
        if (item->kind != JSON_OBJECT) return false;
        ManifestFile *file = ARENA_NEW(arena, ManifestFile);
        *file = (ManifestFile){text_of(item, S("path")), text_of(item, S("sha256")), text_of(item, S("was"))};
        bool good = target_holds(file->path) && is_hash(file->sha256) && (file->was.n == 0 || is_hash(file->was)) &&
                    !str_eq(file->path, S(OUTPUT_MANIFEST));
        if (!good || map_set(&manifest->files, names_get(&manifest->names, file->path), file) != NULL) return false;
    }
    return true;
}

static bool understand(Arena *arena, Manifest *manifest, Str *why) {
    Source *source = source_new(arena, S(OUTPUT_MANIFEST), manifest->text);
    Diags found; /* a text that is not JSON is one reason, and no finding of this run */
    diags_init(&found, arena);
    Json *json = file_check_text(source, &found) ? json_parse(arena, &manifest->names, source, &found) : NULL;
    if (json == NULL) {
        Place place = source_place(arena, source, found.items.items[0]->span.from);
        *why = str_format(arena, "line %u: %S", (unsigned)place.line, found.items.items[0]->text);
        return false;
    }
    const Json *format = json->kind == JSON_OBJECT ? json_get(json, S("opgen")) : NULL;
    *why = S("it is not what opgen writes");
    if (format == NULL || format->kind != JSON_INT || json_get(json, S("files")) == NULL) return false;
    if (format->as.i > FORMAT) *why = S("it was written by a newer opgen");
    return format->as.i == FORMAT && read_files(arena, json_get(json, S("files")), manifest) &&
           read_files(arena, json_get(json, S("left_over")), manifest);
}

bool manifest_read(Arena *arena, int folder, Manifest *manifest, Str *why) {
    *manifest = (Manifest){0};
    names_init(&manifest->names, arena);
    map_init(&manifest->files, arena);
    int error = folder < 0 ? ENOENT : target_read(arena, folder, OUTPUT_MANIFEST, &manifest->text);
    if (error == ENOENT) return true;
    if (error != 0)
        *why = error == ELOOP ? S("it is a symbolic link") : str_c(strerror(error));
    else
        manifest->exists = understand(arena, manifest, why);
    if (manifest->exists) return true;
    /* What was read of it says nothing. */
    map_init(&manifest->files, arena);
    return false;
}

/* ---- making -------------------------------------------------------------------------------------------------------
 */

static void add_file(Buf *out, bool first, Str path, Str sha256, Str was) {
    buf_add(out, first ? S("\n    {\"path\": ") : S(",\n    {\"path\": "));
    json_quote(out, path);
    buf_format(out, ", \"sha256\": \"%S\"", sha256);
    if (was.n > 0) buf_format(out, ", \"was\": \"%S\"", was);
    buf_char(out, '}');
}

static void add_set(Buf *out, const Plan *plan, bool between) {
    bool first = true;
    buf_add(out, S(",\n  \"files\": ["));
    for (uint32_t i = 0; i < plan->files.n; i++) {
        const PlanFile *file = &plan->files.items[i];
        if (file->left_over) continue;
        bool changes = between && file->now.kind == TARGET_FILE && !file->now.same;
        add_file(out, first, file->path, file->sha256, changes ? str(file->now.sha256, SHA256_DIGITS) : S(""));
        first = false;
    }
    buf_add(out, first ? S("]") : S("\n  ]"));
}

static void add_left_over(Buf *out, const Plan *plan, bool between, bool pruned) {
    bool first = true;
    for (uint32_t i = 0; i < plan->files.n && (between || !pruned); i++) {
        const PlanFile *file = &plan->files.items[i];
        if (!file->left_over) continue;
        if (first) buf_add(out, S(",\n  \"left_over\": ["));
        Str now = str(file->now.sha256, SHA256_DIGITS);
        if (!file->edited)
            add_file(out, first, file->path, now, S(""));
        else if (pruned && file->now.kind == TARGET_FILE)
            add_file(out, first, file->path, file->sha256, now); /* about to go all the same */
        else
            add_file(out, first, file->path, file->sha256, file->was);
        first = false;
    }
    if (!first) buf_add(out, S("\n  ]"));
}

static int by_name(const void *a, const void *b) {
    const OutputInput *x = a, *y = b;
    int order = str_cmp(x->name, y->name);
    return order != 0 ? order : str_cmp(x->sha256, y->sha256);
}

static void add_inputs(Buf *out, const Plan *plan) {
    const Output *output = plan->output;
    OutputInput *inputs = ARENA_ARRAY(plan->arena, OutputInput, output->input_count);
    if (output->input_count > 0) memcpy(inputs, output->inputs, output->input_count * sizeof *inputs);
    qsort(inputs, output->input_count, sizeof *inputs, by_name);
    buf_add(out, S(",\n  \"inputs\": ["));
    for (uint32_t i = 0; i < output->input_count; i++) {
        if (i > 0 && by_name(&inputs[i - 1], &inputs[i]) == 0) continue; /* read twice */
        add_file(out, i == 0, inputs[i].name, inputs[i].sha256, S(""));
    }
    buf_add(out, output->input_count == 0 ? S("]") : S("\n  ]"));
}

Str plan_manifest(const Plan *plan, bool between, bool pruned) {
    Buf out;
    buf_init(&out, plan->arena);
    buf_format(&out, "{\"opgen\": %d, \"generated\": \"by opgen: what is changed here is lost\"", FORMAT);
    if (between) buf_add(&out, S(",\n  \"unfinished\": true"));
    add_set(&out, plan, between);
    add_left_over(&out, plan, between, pruned);
    add_inputs(&out, plan);
    for (uint32_t i = 0; i < plan->output->section_count; i++) {
        buf_add(&out, S(",\n  "));
        json_quote(&out, plan->output->sections[i].name);
        buf_format(&out, ": %S", plan->output->sections[i].json);
    }
    buf_add(&out, S("\n}\n"));
    return buf_str(&out);
}

/* output.h: what becomes of a finished set of files: generate, check, outputs, depfile, stamp.
 *
 * A set and the folder it belongs in are one Output. generate brings the folder to the set; check says how far it is
 * from it; both follow from the same plan (output_plan.c), so they cannot disagree.
 *
 * WHOSE A FILE IS. Beside its files opgen keeps opgen.manifest.json, with the SHA-256 of each. A file is opgen's when
 * its hash is one that the manifest says. Any other file, not in the manifest or edited since, is its owner's:
 * it is neither overwritten nor removed without --force, and all such files are named before anything is written. A
 * file that already has the very bytes that would be written is opgen's from then on. A symbolic link is never opgen's;
 * none in the folder is followed, and --force replaces the link, not what it leads to.
 *
 * KILLED AT ANY MOMENT. A run changes the disk in this order, under the folder's lock:
 *
 *     1  temporary files: every byte that the run will write, both manifests included
 *     2  the manifest between is renamed into place: for each file that changes, the hash it has now ("was") and the
 *        one it will have; files that will be removed are still in it
 *     3  the files are renamed into place; files to be pruned are removed
 *     4  the final manifest is renamed into place
 *
 * A rename is done or not done. Killed before 2, nothing but temporary files is there, and the next run removes them:
 * it has the lock, so their writer is gone. Killed between 2 and 4, each file is the old one or the new one, the
 * manifest knows the hashes of both, and so the next run, of whatever model, takes each for opgen's own; what it finds
 * is the "was" of its own manifest between, so at most two hashes are ever kept for a file. A file that is missing is
 * never in the way. After 4 all is done. What was there keeps the name of a temporary file until then: where a disk
 * fails in 2 to 4, everything is put back, and nothing has changed (on disks that cannot swap two names, what a kill
 * leaves). Where no file is
 * changed or removed, the manifest between is left out; where nothing changes at all, nothing is written. This
 * holds against a process that ends, not against a machine that loses power: nothing is synced, as with a compiler.
 *
 * TWO AT ONCE in one folder take turns by flock on the folder itself (base/target.h): no lock file, nothing to clean
 * up. Who waits longer than OutputOptions says fails and says why. Where a file system has no such locks, runs do not
 * take turns, and temporary files are not cleaned away.
 */
#ifndef OPGEN_EMIT_OUTPUT_H
#define OPGEN_EMIT_OUTPUT_H

#include "base/file.h"
#include "base/sha256.h"

#define OUTPUT_MANIFEST "opgen.manifest.json"

typedef struct OutputInput {
    Str path;   /* as the depfile names it: how it was opened */
    Str name;   /* as the manifest names it: the same on every machine */
    Str sha256; /* sha256_of its bytes */
} OutputInput;

/* A member of the manifest that others know about: "functions", "calls", "arena", ... */
typedef struct OutputSection {
    Str name;
    Str json; /* JSON text; further lines are to be indented by four blanks or more */
} OutputSection;

typedef struct Output {
    Str folder; /* as the user named it; "" and "." are the working directory */
    const FileSet *set;
    const OutputInput *inputs;
    uint32_t input_count;
    const OutputSection *sections;
    uint32_t section_count;
} Output;

typedef struct OutputOptions {
    bool force;       /* files that are not opgen's are overwritten, and pruned if the manifest has them */
    bool prune;       /* files that the manifest has and the set has not are removed; otherwise each is a warning */
    unsigned wait_ms; /* for another run in the folder; 0: a minute */
} OutputOptions;

typedef struct OutputResult {
    uint32_t written, same, removed; /* files, without manifests */
    uint32_t manifests;              /* that were written */
} OutputResult;

/* Several outputs (of several models) are written as one: no conflict in any, or nothing is. False after adding
 * findings. */
bool output_generate(Arena *arena, const Output *outputs, uint32_t n, const OutputOptions *options, Diags *diags,
                     OutputResult *result);

/* Writes nothing. `report` gets a line `PATH: VERDICT` for each file that is not as it should be, in order; with diff,
 * a unified diff behind each (generate's change; `patch -p0` applies it). *fresh: there was none. False after adding
 * findings: it could not be said. */
bool output_check(Arena *arena, const Output *outputs, uint32_t n, bool diff, Diags *diags, Buf *report, bool *fresh);

/* The paths that generate would write, folder included, the manifest last. */
void output_paths(Arena *arena, const Output *outputs, uint32_t n, Buf *lines); /* one a line */
const Str *output_targets(Arena *arena, const Output *outputs, uint32_t n, uint32_t *count);

/* The set as one stream, for `-o -`: the file's bytes when there is one; otherwise each behind a line
 * `// ==> NAME <==`, with a line break added where a file does not end in one. No manifest: there is no folder. */
void output_stream(Arena *arena, const FileSet *set, Buf *out);

/* A rule for Make and Ninja: the targets, and what they are made from. phony (-MP): an empty rule for each input, so
 * that one that was deleted or renamed does not stop the build. The targets are those of -MT; without it the stamp, if
 * there is one; else output_targets, whose order is that of `opgen outputs`, for Ninja wants an edge's first output
 * first. False after adding a finding: a name that Make or Ninja cannot be told. */
bool output_depfile(Arena *arena, const Str *targets, uint32_t target_count, const Str *inputs, uint32_t input_count,
                    bool phony, Diags *diags, Str *text);

/* --stamp: the file is made if it is missing (empty), and its time is set to now, when everything else is written and
 * also when nothing had to be. Files keep their times while their bytes stay, so that what is built from them
 * is not built again; the stamp is what a Makefile hangs the generating on. What is in it is never changed. */
bool output_stamp(Arena *arena, Str path, Diags *diags);

#endif

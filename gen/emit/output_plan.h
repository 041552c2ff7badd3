/* output_plan.h: how a folder compares to the files that belong into it; for output*.c alone.
 *
 * The plan has every file of the set and every file that an earlier run left, with what is on the disk, whose it is and
 * the verdict; and the manifest's text as it would be written. Making it changes nothing.
 */
#ifndef OPGEN_EMIT_OUTPUT_PLAN_H
#define OPGEN_EMIT_OUTPUT_PLAN_H

#include "base/target.h"
#include "emit/output.h"

/* ---- the manifest on the disk */
typedef struct ManifestFile {
    Str path, sha256, was; /* hashes that are not there are empty */
} ManifestFile;

typedef struct Manifest {
    Map files; /* of ManifestFile, by Name in names */
    Names names;
    Str text;    /* as it is on the disk */
    bool exists; /* and was understood */
} Manifest;

/* Empty when there is none. False: there is something else of that name; *why says what. */
bool manifest_read(Arena *arena, int folder, Manifest *manifest, Str *why);

/* ---- the plan */
typedef enum OutputVerdict {
    OUTPUT_SAME,
    OUTPUT_STALE,     /* opgen's, of another time */
    OUTPUT_MISSING,   /* not there */
    OUTPUT_LEFT_OVER, /* opgen's, and no longer in the set */
    OUTPUT_EDITED,    /* in the manifest, with other bytes */
    OUTPUT_FOREIGN,   /* there, and not in the manifest */
    OUTPUT_BLOCKED,   /* something stands there that no file can replace */
    OUTPUT_UNKNOWN,   /* it cannot be read */
} OutputVerdict;

typedef struct PlanFile {
    Str path;        /* in the folder */
    const char *c;   /* the same for the system */
    Str bytes;       /* as they are to be; left over: none */
    Str sha256;      /* of them; left over: what the manifest says */
    Str was;         /* left over: the other hash that the manifest says */
    TargetEntry now; /* on the disk */
    OutputVerdict verdict;
    bool left_over; /* no longer in the set */
    bool edited;    /* left over: by hand as well */
} PlanFile;

typedef struct Plan {
    Arena *arena;
    const Output *output;
    int folder;             /* -1: there is none, and all is missing */
    VEC(PlanFile) files;    /* the set's by path, then those left over by path */
    OutputVerdict manifest; /* of the manifest itself */
    Str manifest_old;       /* as it is on the disk, if it could be read */
    Str manifest_why;       /* OUTPUT_EDITED: why it is none */
    int manifest_error;     /* OUTPUT_UNKNOWN */
} Plan;

/* False after adding a finding: a bug of who made the set. */
bool plan_make(Arena *arena, const Output *output, int folder, Diags *diags, Plan *plan);
/* The manifest's text. between: as it is while files are being changed. pruned: without the files left over. */
Str plan_manifest(const Plan *plan, bool between, bool pruned);
Str plan_path(const Plan *plan, Str path);               /* with the folder, for people and Make */
Str output_path(Arena *arena, Str folder, Str path);     /* the same */
PlanFile *plan_sorted(Arena *arena, const FileSet *set); /* the set's files by path: path, c and bytes */

#define NOWHERE span(NULL, 0, 0)

/* ---- the diff */
/* Nothing when the texts are equal. An empty name is /dev/null: a file that is made or removed. */
void diff_unified(Arena *arena, Str old_name, Str new_name, Str old_text, Str new_text, Buf *out);

#endif

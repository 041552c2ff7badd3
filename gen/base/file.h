/* file.h: reading files, and the set of files that a run wants to exist.
 *
 * Everything opgen writes is first decided, byte for byte, in a FileSet; only then is it compared
 * with the disk or written. A file is written to a temporary name beside it and renamed, so that at
 * any moment a reader sees the old text or the new one, and only when its bytes changed.
 */
#ifndef OPGEN_BASE_FILE_H
#define OPGEN_BASE_FILE_H

#include "diag.h"
#include "map.h"

#define FILE_MOST_BYTES ((size_t)1 << 30) /* inputs larger than this are refused */

/* Reads a whole file (or, for "-", standard input) into the arena and checks that it is UTF-8 without NUL.
 * NULL after adding a finding. `from` is the place that asked for it (may be empty). A byte order mark at
 * the beginning is text like any other and stays (it takes no column); json_parse skips it. */
Source *file_read_text(Arena *arena, Str path, Span from, Diags *diags);
/* False after adding a finding at the first byte that is not UTF-8, or is NUL. */
bool file_check_text(Source *source, Diags *diags);
/* The bytes as they are. False after adding a finding. */
bool file_read(Arena *arena, Str path, Span from, Diags *diags, Str *bytes);
/* Writes all bytes to a descriptor (retries on short writes); 0 or an errno. */
int file_write_all(int fd, Str bytes);

typedef struct FileEntry {
    Str path; /* relative to the set's folder, with '/' */
    Str bytes;
} FileEntry;

typedef struct FileSet {
    Arena *arena;
    VEC(FileEntry) files;
    Names paths; /* those in files, to find one that comes twice */
} FileSet;

typedef enum FileState { FILE_SAME, FILE_MISSING, FILE_DIFFERENT, FILE_UNREADABLE } FileState;

void fileset_init(FileSet *set, Arena *arena);
/* A path twice, or one that is absolute or leaves the folder, is a bug of the caller: false. */
bool fileset_add(FileSet *set, Str path, Str bytes);
FileState fileset_compare(const FileSet *set, size_t i, Str folder);
/* Writes what differs; *written counts. Every file or, when one cannot be written, none beyond those already
 * renamed; temporary files never stay. False after adding a finding. */
bool fileset_write(const FileSet *set, Str folder, Diags *diags, size_t *written);
/* One file: the same promises. A device or a pipe is written to, not replaced; a link stays a link. */
bool file_write_if_changed(Arena *arena, Str path, Str bytes, Diags *diags, bool *changed);
/* Removes the temporary files that exist right now; may be called from a signal handler that ends the program. */
void file_interrupted(void);

#endif

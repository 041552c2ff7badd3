/* folder.h: what is in a folder. */
#ifndef OPGEN_BASE_FOLDER_H
#define OPGEN_BASE_FOLDER_H

#include "diag.h"

typedef struct FolderEntry {
    Str name; /* without the folder's */
    bool is_folder;
} FolderEntry;

typedef VEC(FolderEntry) FolderEntries;

/* The folder's files and folders, sorted by name, links followed; hidden ones, and what is neither, left out. False
 * after adding a finding. */
bool folder_list(Arena *arena, Str path, Span from, Diags *diags, FolderEntries *entries);
bool folder_exists(Arena *arena, Str path);
Str path_join(Arena *arena, Str folder, Str name); /* "a/b"; the name alone where the folder is "" or "." */

#endif

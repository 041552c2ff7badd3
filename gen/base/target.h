/* target.h: a folder that opgen writes into, as a descriptor: nothing outside of it is touched.
 *
 * Paths are below the folder, relative and of named parts only (target_holds). On the way down no symbolic link is
 * followed: a link in the folder may lead anywhere, and what lies there is not ours. How the caller names the folder
 * itself is the caller's business, and links in that are followed.
 *
 * Nothing here allocates but target_read, because the caller holds the folder's descriptor. Errors are errno values.
 */
#ifndef OPGEN_BASE_TARGET_H
#define OPGEN_BASE_TARGET_H

#include "sha256.h"

bool target_holds(Str path); /* relative, and of named parts only */

/* The descriptor, or -1 with errno. make: it and those above it, where they are missing. */
int target_open(const char *path, bool make);

/* The lock is flock's, on the folder itself: it leaves no file, takes no right to write, and ends with its holder,
 * however that ends. Waits up to wait_ms for another one's: then EWOULDBLOCK. Any other error: there are no locks
 * here (some network file systems). It goes when the descriptor is closed. */
int target_lock(int folder, bool shared, unsigned wait_ms);

/* The folder that a path lies in, and the path's last part. `folder` itself, or a descriptor for target_leave;
 * -1 with errno: ENOTDIR if something on the way is no folder, a link for example. */
int target_enter(int folder, const char *path, bool make, const char **name);
void target_leave(int folder, int entered); /* errno stays */

typedef enum TargetKind {
    TARGET_NOTHING,
    TARGET_FILE,
    TARGET_FOLDER,
    TARGET_LINK,    /* a symbolic link, whatever it leads to */
    TARGET_OTHER,   /* a pipe, a device */
    TARGET_BLOCKED, /* something on the way to it is a file or a symbolic link */
    TARGET_CLOSED,  /* it cannot be read: error */
} TargetKind;

typedef struct TargetEntry {
    TargetKind kind;
    bool same;      /* a file of exactly these bytes */
    bool no_folder; /* TARGET_NOTHING: nor is the folder it would lie in */
    int error;
    char sha256[SHA256_DIGITS]; /* of a file that is not the same */
} TargetEntry;

TargetEntry target_compare(int folder, const char *path, const Str *bytes); /* bytes NULL: nothing is the same */
/* 0 or an errno; ELOOP for a link, EFBIG for more than FILE_MOST_BYTES. */
int target_read(Arena *arena, int folder, const char *path, Str *bytes);
/* Removes the folders above a path that are empty. */
void target_tidy(int folder, const char *path);

/* Removes what a writer that was killed left in it: files that have the name of a temporary one and that nobody holds.
 * For who has the lock. Returns how many. */
unsigned target_clean(int folder);

#endif

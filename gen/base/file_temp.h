/* file_temp.h: temporary files on their way to becoming others, for file_set.c and who replaces several files in an
 * order of their own (gen/emit).
 *
 * First all are written, whole, on the disk of the files that they will replace; a full disk shows here, and nothing
 * has changed yet. Then each is renamed, in the same order. Those that exist are in a list, so that every way out
 * removes them, a signal among them; only SIGKILL leaves them, and target_clean knows their names. Writing and renaming
 * allocate nothing. One thread writes files at a time.
 */
#ifndef OPGEN_BASE_FILE_TEMP_H
#define OPGEN_BASE_FILE_TEMP_H

#include "str.h"

#include <stdatomic.h>

#define FILE_TEMP_PREFIX ".opgen-"
enum { FILE_TEMP_DRAWN = 6 }; /* letters and digits behind the prefix */

typedef enum FileTempHold {
    FILE_TEMP_BARE,   /* goes by another name, which nobody cleans away */
    FILE_TEMP_LOCKED, /* its writer holds the lock of the folder */
    FILE_TEMP_HELD,   /* has a lock of its own until it is renamed: one descriptor */
} FileTempHold;

/* What became of one that several are put into place with, and can be undone. */
typedef enum FileTempState {
    FILE_TEMP_WAITS,
    FILE_TEMP_NEW,      /* nothing was in its place */
    FILE_TEMP_SWAPPED,  /* the temporary file is now what was there before */
    FILE_TEMP_TAKEN,    /* so is it, and nothing is there now */
    FILE_TEMP_REPLACED, /* what was there is gone: this disk cannot swap, or it was no file of ours */
} FileTempState;

typedef struct FileTemp FileTemp;
struct FileTemp {
    _Atomic(FileTemp *) next;
    int folder;         /* the paths are below this descriptor, no links followed; AT_FDCWD: any path */
    char *name;         /* in the folder, or beside the target; its last letters are drawn when it is made */
    const char *target; /* links followed where the path is any */
    Str shown;          /* the path for messages */
    Str bytes;
    FileTempHold hold;
    int held; /* the descriptor of the one that is held, or -1 */
    FileTempState state;
};

FileTemp *file_temp_new(Arena *arena, int folder, Str path, Str shown, Str bytes, FileTempHold hold);
/* Makes the folders above it as well. 0 or an errno. */
int file_temp_write(FileTemp *temp);
/* In the order in which they were written. 0 or an errno. */
int file_temp_rename(FileTemp *temp);
/* The same in two steps, for files below a descriptor: each is put into its place, or what is there is taken away (no
 * bytes are written before), and as long as file_interrupted has not thrown away what was there, all of it can be
 * undone. 0 or an errno; false: it is gone. */
int file_temp_swap(FileTemp *temp);
int file_temp_take(FileTemp *temp);
bool file_temp_undo(FileTemp *temp);
bool file_temp_is_one(Str name); /* whether a file's name is that of a temporary file that can be cleaned away */

/* For tests: the nth operation that changes the disk from now on (1 is the next) fails, as on a full or broken disk;
 * 0 turns it off. Whoever changes something asks first. */
void file_fail_at(uint64_t nth);
uint64_t file_operations(void);
bool file_refused(int error); /* with errno set to it */

#endif

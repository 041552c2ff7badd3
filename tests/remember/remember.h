/* remember.h: a compiler that remembers what it made, for tests that compile much generated code, most of it the same
 * as last time. remember.c says how it is called and what it promises. */
#ifndef REMEMBER_H
#define REMEMBER_H

#include "base/sha256.h"
#include "base/vec.h"

#include <time.h>

typedef VEC(Str) Strs;

/* A call of a compiler: what it is asked for, as far as it decides what is made. */
typedef struct Command {
    Arena *arena;
    const char *compiler; /* the program itself, not this one */
    char **argv;          /* as called; argv[0] is the compiler */
    int argc;
    Strs words;   /* without argv[0]; what files of arguments hold is in their place */
    Strs sources; /* to be compiled, */
    Strs inputs;  /* and to be linked */
    Strs folders; /* where headers are looked for, */
    Strs places;  /* and libraries, */
    Strs libs;    /* by these names */
    Str made;     /* what is written; empty if nothing is */
    Str rules;    /* the file of make's rules that is written as well; empty if none is */
    bool links, debug, native, cuda, hip, language;
} Command;

/* command.c: reads argv. False if this is not to be kept: it writes or reads more than is known here. */
bool command_read(Command *command);

/* identity.c: what a compiler is: its version, and the state of every program that takes part. Empty if it does not
 * tell. */
Str identity_of(const Command *command, Str top);
/* Size, times and inode as text; empty if there is no such file. */
Str state_of(Arena *arena, const char *path);

/* parts.c: the files that making something has read, and those that it would have read, were they there. */
Str parts_text(const Command *command, Str read, Str linked, struct timespec since); /* empty: not to be kept */
bool parts_same(Arena *arena, Str text);
bool file_bytes(Arena *arena, const char *path, Str *bytes);
Str digest_of(Arena *arena, const char *path); /* empty if it cannot be read */

/* kept.c: what was made, in a folder. */
typedef struct Result {
    int status; /* of wait */
    Str out, err;
} Result;
bool kept_take(const Command *command, Str place, Result *result);
void kept_add(const Command *command, Str place, Str parts, const Result *result);
void kept_clean(Arena *arena, Str top);
bool write_file(const char *path, Str bytes, unsigned mode);
const char *path_of(Arena *arena, const char *format, ...); /* as str_format */

/* ahead.c: the words that have the compiler begin with a header that it has read before, when the source reads the
 * files of these rules; false if there are none. Of commands that fit alone. */
bool ahead_fits(const Command *command);
bool ahead_of(const Command *command, Str read, const char *words[2]);

/* remember.c */
bool call(Arena *arena, char **argv, Result *result); /* false: it could not be started */

#endif

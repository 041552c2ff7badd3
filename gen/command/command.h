/* command.h: opgen's command line as a function, and what its commands have in common.
 *
 * command_main does one run from arguments to exit status and leaves nothing behind, so that a test can call it any
 * number of times in one process. What belongs to the process as a whole, signals above all, is process_prepare's.
 */
#ifndef OPGEN_COMMAND_COMMAND_H
#define OPGEN_COMMAND_COMMAND_H

#include "command/options.h"
#include "op/opdef.h"

typedef enum ExitStatus {
    STATUS_DONE = 0,
    STATUS_NEGATIVE = 1, /* what was checked is not as it should be */
    STATUS_CANNOT = 2,   /* bad input, usage, input and output, memory */
    STATUS_BUG = 70,
    STATUS_INTERRUPTED = 130,
} ExitStatus;

int command_main(int argc, char **argv);

/* Signals: a closed pipe is an error of write, an interrupt removes temporary files and ends with 130, a crash is
 * reported as a bug with 70. Standard streams that were closed are made unusable, so that no file takes their place. */
void process_prepare(void);

/* ---- for the commands */
typedef struct Command {
    Arena *arena;
    Options options;
    Diags diags;
    bool negative;   /* the verdict of a command that checks */
    bool line_drawn; /* progress.c: on the terminal */
} Command;

/* All of it to standard output; false after adding a finding. */
bool command_print(Command *command, Str text);

/* Findings that are what the command was asked for: to standard output, in the format asked for. */
void command_print_findings(Command *command, Diags *diags);

/* ---- progress.c: what is said on the way, on standard error, to people */
/* A line for who watches: a terminal, or --verbose. "opgen: " is put before it, a line break behind it. */
void command_note(Command *command, const char *format, ...);
/* A line that the next one is written over; on a terminal alone. */
void command_progress(Command *command, const char *format, ...);
void command_progress_end(Command *command);

/* ---- data.c: opgen's own operators and templates, and those of -I */
/* The folder of this name among opgen's data: beside the tool, above it, or in share/opgen. Empty: there is none. */
Str command_data(Command *command, const char *name);
/* Where templates are looked for, in order: the folders of -I, opgen's own. */
typedef VEC(Str) Folders;
void command_roots(Command *command, Folders *roots);
/* The names of the backends below them, sorted, each once. */
void command_backends(Command *command, const Folders *roots, Folders *names);
void command_profiles(Command *command, const Folders *roots, Folders *names);
/* The folders of -I; a finding for each that is none. */
void command_check_includes(Command *command);
/* All operators: opgen's own, then those of -I, whose operators replace others of the same name; then their check as a
 * whole. Not `all`: of opgen's own, those that are asked for. */
bool command_operators(Command *command, Names *names, OpTable *table, bool all);

/* ---- place.c */
/* `to` gets the bytes of `from`, unless it has them: by a link or a copy, at once. False after adding a finding. */
bool file_place(Arena *arena, Str from, Str to, Diags *diags);

Str path_folder(Str path); /* what a path has before its last '/'; empty: nothing */
Str path_last(Str path);   /* what it has behind it */
bool file_exists(Arena *arena, Str path);

/* Each does its work and adds what goes wrong to the findings, which decide about the exit status. */
void command_compile(Command *command);
void command_generate(Command *command);
void command_check(Command *command);
void command_outputs(Command *command);
void command_run(Command *command);
void command_verify(Command *command);
void command_bench(Command *command);
void command_graph(Command *command);
void command_doctor(Command *command);
void command_lint(Command *command);
void command_list(Command *command);
void command_show(Command *command);
void command_render(Command *command);
void command_help(Command *command);
void command_completion(Command *command);

#endif

/* options.h: what opgen can be asked on its command line, as one table.
 *
 * A command, its operands and its options are each one row. From these rows come the parser, --help, the manual
 * page and the completions of three shells, so that none of them can know an option that another does not. A new
 * option is one row here and one use of it in its command.
 */
#ifndef OPGEN_COMMAND_OPTIONS_H
#define OPGEN_COMMAND_OPTIONS_H

#include "base/diag.h"

#define OPGEN_VERSION "0.1.0"

typedef enum CommandId {
    CMD_NONE = -1, /* options alone: opgen --version */
    CMD_COMPILE,
    CMD_GENERATE,
    CMD_CHECK,
    CMD_OUTPUTS,
    CMD_RUN,
    CMD_VERIFY,
    CMD_BENCH,
    CMD_GRAPH,
    CMD_LINT,
    CMD_LIST,
    CMD_SHOW,
    CMD_RENDER,
    CMD_DOCTOR,
    CMD_HELP,
    CMD_COMPLETION,
    CMD_COUNT,
} CommandId;

/* What a value is: how it is checked, and what a shell offers for it. */
typedef enum ValueType {
    TAKES_NONE,
    TAKES_FILE,
    TAKES_FOLDER,
    TAKES_CHOICE,  /* one of `values` */
    TAKES_COMMAND, /* the name of a command */
    TAKES_NAME,    /* of an operator */
    TAKES_BACKEND, /* the name of one */
    TAKES_PROGRAM, /* a command of the system's */
    TAKES_TEXT,    /* any, but not nothing */
    TAKES_COUNT,   /* a number from 1 on */
    TAKES_SIZE,    /* bytes from 1 on, with K, M or G behind the number if wanted */
    TAKES_REAL,    /* a number that is not negative: 1e-5 */
    TAKES_PAIR,    /* NAME=VALUE, the name one that a template can use */
    TAKES_NAMED,   /* NAME=FILE, or a file that has names of its own */
} ValueType;

typedef enum OptionId {
    OPT_BACKEND,
    OPT_INCLUDE,
    OPT_OUTPUT, /* a file */
    OPT_FOLDER, /* the same letters: a folder */
    OPT_PROFILE,
    OPT_SINGLE,
    OPT_EMBED_WEIGHTS,
    OPT_FREEZE,
    OPT_WITHOUT,
    OPT_USE,
    OPT_FORCE,
    OPT_PRUNE,
    OPT_STAMP,
    OPT_DEPFILE,
    OPT_DEPFILE_FILE,
    OPT_DEPFILE_TARGET,
    OPT_DEPFILE_PHONY,
    OPT_DIFF,
    OPT_ARCH,
    OPT_OPENMP,
    OPT_CC,
    OPT_LAUNCHER,
    OPT_JOBS,
    OPT_IN,
    OPT_OUT,
    OPT_DIM,
    OPT_WEIGHTS,
    OPT_SEED,
    OPT_THREADS,
    OPT_MODEL,
    OPT_REPLAY,
    OPT_MEASURE, /* the same letters as OPT_PROFILE, which is generate's */
    OPT_TRACE,
    OPT_REPEAT,
    OPT_VS,
    OPT_TIME,
    OPT_RTOL,
    OPT_ATOL,
    OPT_PASSES,
    OPT_MEMORY,
    OPT_SVG,
    OPT_SET,
    OPT_UNDEFINED,
    OPT_TRIM_BLOCKS,
    OPT_LSTRIP_BLOCKS,
    OPT_KEEP_TRAILING_NEWLINE,
    OPT_MAX_LOOPS,
    OPT_MAX_OUTPUT,
    OPT_MAX_MEMORY,
    OPT_MAX_DEPTH,
    OPT_JSON,
    OPT_CSV,
    OPT_MAN,
    OPT_VERBOSE,
    OPT_DIAGNOSTICS,
    OPT_COLOR,
    OPT_HELP,
    OPT_VERSION,
    OPT_COUNT,
} OptionId;

typedef struct OptionRow {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    ValueType takes;
    const char *argument; /* what the value is called in help */
    const char *values;   /* TAKES_CHOICE: parted by '|' */
    const char *initial;  /* the default as shown; NULL: none to show */
    uint64_t most;        /* TAKES_COUNT, TAKES_SIZE */
    unsigned commands;    /* a bit for each command that takes it; OPTION_GLOBAL: every one, and none */
    bool repeats;
    const char *help; /* a sentence, without its full stop */
    bool one_dash;    /* the name goes with one dash, as the compiler's -MF */
} OptionRow;

#define OPTION_OF(command) (1u << (command))
#define OPTION_GLOBAL (~0u)

typedef struct OperandRow {
    const char *name;
    ValueType takes;
    const char *values;
    bool optional;
    const char *help;
    bool repeats; /* the last one: any number of them */
} OperandRow;

#define MOST_OPERANDS 2

typedef struct CommandRow {
    const char *name;
    const char *summary;                    /* one line */
    const char *text;                       /* a paragraph for its own help */
    OperandRow operands[MOST_OPERANDS + 1]; /* up to the first without a name */
    const char *example;
} CommandRow;

extern const OptionRow option_rows[OPT_COUNT];
extern const CommandRow command_rows[CMD_COUNT];
extern const char opgen_summary[]; /* what the tool is, in a line */

/* What a command line said. */
typedef struct OptionValue {
    uint32_t given;  /* how many times */
    Str text;        /* the last one; the default if not given */
    uint32_t choice; /* TAKES_CHOICE: which, from 0 */
    uint64_t number; /* TAKES_COUNT, TAKES_SIZE; 0 if not given */
    double real;     /* TAKES_REAL */
    VEC(Str) all;    /* in order */
} OptionValue;

typedef struct Options {
    CommandId command;
    OptionValue values[OPT_COUNT];
    Str *operands;
    uint32_t operand_count;
} Options;

/* Fills in the options; false after adding findings (all of them). Diagnostics and colour are valid even then. */
bool options_parse(Arena *arena, int argc, char **argv, Options *options, Diags *diags);

bool option_is_for(OptionId option, CommandId command); /* CMD_NONE: the options that need no command */
Str option_shown(Arena *arena, const OptionRow *row);   /* "--output", "-MF" */
Str option_choice(const char *values, uint32_t i);      /* empty past the last */
CommandId command_find(Str name);                       /* CMD_NONE if there is none */
bool command_suggest(Diags *diags, Diag *diag, Str wrong);

/* ---- what is made of the table */
void help_short(Buf *out);                                      /* opgen alone */
void help_top(Buf *out, unsigned width);                        /* opgen --help */
void help_command(Buf *out, CommandId command, unsigned width); /* opgen help COMMAND */
void help_man(Buf *out);                                        /* roff */
void completion_bash(Buf *out);
void completion_zsh(Buf *out);
void completion_fish(Buf *out);

#endif

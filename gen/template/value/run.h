/* run.h: one rendering in progress, as far as values and builtins need to know of it.
 *
 * The VM's own state begins with a Run. Memory: everything a template computes lies in `arena`, and the VM
 * gives back what an iteration of a loop (or a macro call) allocated when it ends, provided that nothing
 * allocated meanwhile was put into something older. So whoever changes an existing list, dict or object, by
 * a method or otherwise, calls run_changed. What a filter or method made besides its result goes when it returns.
 */
#ifndef OPGEN_TEMPLATE_RUN_H
#define OPGEN_TEMPLATE_RUN_H

#include "template/value/value.h"

typedef enum UndefinedMode {
    UNDEFINED_STRICT,    /* any use but a test for it is an error */
    UNDEFINED_LENIENT,   /* Jinja's default: empty text, empty list, false; its attributes are errors */
    UNDEFINED_CHAINABLE, /* as lenient, and its attributes are undefined in turn */
} UndefinedMode;

/* What an untrusted template may use. Each is named in the error that it causes. 0: the default. */
typedef struct TemplateLimits {
    uint64_t loops; /* iterations of all loops together, a call of a macro counting as eight; 100 million. Also the
                       longest range that can be gone through */
    size_t output;  /* bytes of output; 1 GiB */
    size_t memory;  /* bytes of values; 1 GiB */
    uint32_t depth; /* calls, includes, imports and blocks within each other; 1000 */
} TemplateLimits;

/* A text that others were put behind: text_grow.c. */
typedef struct TextGrowth {
    char *end;             /* of the longest one */
    const char *block_end; /* of its block, which has room for more and lasts; NULL: it is a text like others */
    uint64_t changes;      /* when it was made */
    uint32_t times;        /* so often was the text of an earlier round made longer */
} TextGrowth;
enum { TEXTS_GROWING = 4 }; /* at the same time */

struct Run {
    Arena *arena;
    Arena *lasting; /* what is allocated here stays until the rendering ends; NULL: there is none */
    Names *names;
    UndefinedMode undefined;
    TemplateLimits limits;
    uint64_t loops_left;
    uint64_t changes; /* see run_changed */
    bool autoescape;  /* of the code that runs now */
    uint64_t random;  /* state of the fixed sequence behind |random */
    /* the error in flight: set by run_fail, read by whoever catches the jump */
    DiagCode error_code;
    Str error, error_hint;
    Arena *error_arena; /* outlives the run's values */
    /* A variable whose name is near, for "did you mean"; empty if none is. May be NULL. */
    Str (*suggest)(Run *run, Str wrong);
    const char *fresh; /* a text with a block of its own, made since run_mark; or NULL. See vm_emit_fresh */
    TextGrowth growing[TEXTS_GROWING];
    uint32_t growing_next;
    struct Printing *printing; /* the containers that are being printed, innermost first: print.c */
};

/* Is this undefined, and may not be used? What an inline if without an else gives may, in every mode. */
static inline bool run_undefined_fails(const Run *run, Value v) {
    return v.kind == V_UNDEFINED && run->undefined == UNDEFINED_STRICT && !(v.flags & VAL_LENIENT);
}

static inline void run_changed(Run *run) { run->changes++; }

/* Around a builtin: what it allocated is given back, but its result, if that is a text or holds no memory and nothing
 * older was changed. The text may move. */
typedef struct RunMark {
    char *next;
    uint64_t changes;
} RunMark;
Value run_settle_slowly(Run *run, RunMark mark, Value v);
static inline RunMark run_mark(Run *run) {
    run->fresh = NULL;
    return (RunMark){run->arena->next, run->changes};
}
static inline Value run_settle(Run *run, RunMark mark, Value v) {
    return run->arena->next == mark.next ? v : run_settle_slowly(run, mark, v);
}

/* An error where the template stands now. Conversions as in str_format. */
NORETURN void run_fail(Run *run, const char *format, ...);
NORETURN void run_fail_as(Run *run, DiagCode code, Str hint, const char *format, ...);
NORETURN void run_fail_undefined(Run *run, Value undefined); /* with "did you mean", where one is near */
/* Takes n from the loop limit. For builtins that go through n elements without allocating. */
static inline void run_spend(Run *run, uint64_t n);
NORETURN void run_fail_loops(Run *run);
static inline void run_spend(Run *run, uint64_t n) {
    if (n > run->loops_left) run_fail_loops(run);
    run->loops_left -= n;
}

/* What is nearest to a word that was not found. */
typedef struct Nearest {
    Str wrong, best;
    unsigned distance; /* of best, or one more than is near */
} Nearest;
void nearest_init(Nearest *nearest, Str wrong);
void nearest_try(Nearest *nearest, Str candidate);
Str nearest_hint(const Nearest *nearest, Arena *arena); /* `did you mean "x"?`, or empty */

/* ---- the builtins' tables (template/lib). NULL if there is none of that name. */
const Native *lib_filter(Str name);
const Native *lib_test(Str name);
const Native *lib_global(Str name); /* range, dict, namespace, cycler, joiner */
/* All names of one table, for "did you mean" and for lists; returns how many. */
size_t lib_filter_names(const Str **names);
size_t lib_test_names(const Str **names);
size_t lib_global_names(const Str **names);

#endif

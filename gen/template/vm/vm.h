/* vm.h: the state of one rendering, for the files of this folder.
 *
 * vm.c runs instructions; write.c puts out text; call.c enters functions and binds arguments; loop.c is the state of a
 * loop and its `loop` variable; context.c is where names that are no local variables are found, with blocks and
 * imported modules; render.c begins and ends a rendering and turns a failure into a finding.
 *
 * Calls do not recurse in C: a frame is pushed and the one loop of vm_run goes on in it.
 */
#ifndef OPGEN_TEMPLATE_VM_H
#define OPGEN_TEMPLATE_VM_H

#include "template/engine.h"

typedef struct Vm Vm;

/* The variables and the operand stack of one activation. Macros keep it as their closure. */
typedef struct Env {
    struct Env *up;
    Value slots[];
} Env;

typedef struct BlockLevel { /* a block of this name, and behind it those it overrides */
    const Function *function;
    struct BlockLevel *super;
} BlockLevel;

typedef struct Context {
    struct Context *outer; /* where the including template looks, or NULL */
    Dict *vars;            /* set at the top level of the template */
    Map exported;          /* which of them an importer sees: name -> anything but NULL */
    Dict *locals;          /* what came along: the data, or the variables around an include. May be NULL */
    Map *blocks;           /* name -> BlockLevel; shared with derived contexts */
} Context;

typedef enum ReturnKind {
    RETURN_NOTHING, /* what it wrote stays where it is */
    RETURN_TEXT,    /* what it wrote is the result of the call */
    RETURN_MODULE,  /* an import: module->text gets it, and the module is the result */
} ReturnKind;

typedef struct Module {
    Object head;
    bool done; /* not while it is being imported */
    const Template *template;
    Context *context;
    Str text;
} Module;

typedef struct VmFrame {
    const Function *function;
    const Insn *pc;
    Env *env;
    Value *sp; /* the next free place of the operand stack */
    Context *context;
    Module *module;
    size_t out_start;
    ArenaMark mark;
    uint64_t changes;
    const BlockLevel *block; /* of a block: for super() */
    uint32_t loop_depth;
    uint8_t result; /* ReturnKind */
    bool escape_before;
    bool discard; /* include without context: the module is not wanted, only its text */
} VmFrame;

struct Vm {
    Run run; /* first: natives get a Run */
    Engine *engine;
    Arena values;      /* run.arena */
    Arena frame_arena; /* frames, which must stay when values are given back */
    Buf out;
    VEC(VmFrame) frames;
    Map modules;              /* imports without context are run once a rendering: template name -> module */
    bool setting_up;          /* the top level is run for what it sets and defines: its blocks are not */
    bool reported;            /* the error in flight is in the engine's findings already */
    VEC(const Insn *) failed; /* where errors were found already: the rendering goes on only to find more */
};

typedef struct MacroObject {
    Object head;
    const Function *function;
    Env *env;
    Context *context;
} MacroObject;

typedef struct BlockObject { /* self.name, super */
    Object head;
    Name name;
    const BlockLevel *level;
    Context *context;
} BlockObject;

typedef enum LoopMode { LOOP_OVER_LIST, LOOP_OVER_RANGE, LOOP_OVER_DICT, LOOP_OVER_ITER } LoopMode;

typedef struct LoopState {
    Object head; /* what templates see as `loop` */
    LoopMode mode;
    ViewKind view; /* dict: what of it; items only where they go straight into two variables */
    bool ran;
    uint32_t at;      /* list: next item; dict: next entry */
    const List *list; /* read at each step, because the body may append to it */
    const Dict *dict;
    uint32_t dict_size;
    OneShot *oneshot; /* what the dict's items came from, if it was |items: it is used up with the loop */
    const Range *range;
    int64_t number; /* range: items so far */
    ValueIter iter;
    ArenaMark mark; /* what lies behind it belongs to the current iteration */
    uint64_t changes;
    List kept;
    uint32_t depth;
    Value last_changed;       /* what loop.changed was told last */
    const Function *function; /* of a recursive loop, to call it again */
    Env *env;
    Context *context;
} LoopState;

extern const Class class_macro, class_module, class_block, class_self, class_loop;

static inline Vm *vm_of(Run *run) { return (Vm *)run; }

/* ---- vm.c */
void vm_run(Vm *vm); /* until the bottom frame ends */

/* ---- write.c */
void vm_check_output(Vm *vm); /* against its limit */
void vm_write(Vm *vm, Value v, bool raw);
void vm_write_escaped(Vm *vm, Value v);
void vm_write_text(Vm *vm, Str text);
/* What a filter or operator gives, if it goes straight to the output (next is the instruction behind it), is written
 * without being in memory twice; an empty text is left to write then. */
Value vm_write_fresh(Vm *vm, const Insn *next, Value v);
/* a[0]|join(a[1], a[2]) in the same way, never whole in memory. False, and nothing is done, where that cannot be. */
bool vm_write_join(Vm *vm, const Insn *next, const Value *a);
static inline Value vm_emit_fresh(Vm *vm, const Insn *next, Value v) {
    return __builtin_expect(vm->run.fresh == NULL, 1) ? v : vm_write_fresh(vm, next, v);
}
void vm_write_span(Vm *vm, const TextSpan *pair, const Value *v);
/* The first iterations of a loop over v that only writes: how many, and whether they were all. The rest goes item by
 * item. */
uint32_t vm_write_loop(Vm *vm, VmFrame *frame, const LoopSite *site, Value v, bool *done);

/* ---- call.c */
VmFrame *vm_push(Vm *vm, const Function *function, Env *up, Context *context, ReturnKind result);
void vm_push_block(Vm *vm, const BlockLevel *level, Context *context, ReturnKind result);
/* The callee and its arguments are on the frame's stack, laid out as the site says. A native's result replaces them;
 * for a template's function they are taken off, and a frame is pushed that leaves the result there. */
void vm_call(Vm *vm, const CallSite *site, bool attr);
void vm_call_filter(Vm *vm, const CallSite *site);

/* ---- loop.c */
LoopState *loop_new(Vm *vm, const VmFrame *frame, const LoopSite *site, Value iterable);
bool loop_next_slow(Vm *vm, LoopState *loop, Value *item);
void vm_unpack(Run *run, Value v, uint32_t n, Value *out);

/* ---- context.c */
Context *context_new(Vm *vm, Context *outer, Dict *locals);
Value context_find(Vm *vm, const Context *context, Name name); /* V_MISSING if there is none */
void context_add_blocks(Vm *vm, Context *context, const Code *code);
const BlockLevel *context_block(const Context *context, Name name);
Dict *context_locals(Vm *vm, const Locals *locals, const Env *env);
Value vm_undefined_name(Vm *vm, Name name);
void vm_block(Vm *vm, const BlockSite *site);
void vm_include(Vm *vm, const LoadSite *site, Value which);
void vm_import(Vm *vm, const LoadSite *site, Value which);
Value vm_module_get(Vm *vm, Value module, Name name);
Template *vm_load(Vm *vm, Value which, bool ignore_missing);
Value vm_self(Vm *vm, Context *context);
Value vm_super(Vm *vm, const VmFrame *frame);
Str vm_suggest(Run *run, Str wrong);

/* ---- render.c */
Span vm_span(const VmFrame *frame);
NORETURN void vm_fail_reported(Vm *vm);

#endif

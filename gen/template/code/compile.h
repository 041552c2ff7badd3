/* compile.h: what the compiler's files share. compile.c turns statements into code, compile_expr.c expressions,
 * compile_macro.c functions, emit.c puts instructions together. */
#ifndef OPGEN_TEMPLATE_COMPILE_H
#define OPGEN_TEMPLATE_COMPILE_H

#include "template/code/symbols.h"

typedef struct Compiler {
    Arena *arena;
    Names *names;
    Diags *diags;
    Code *code;
    Map name_index, attr_seen; /* name -> index + 1 in code->names */
    bool has_extends;          /* an extends stands anywhere in the template */
    bool known_extends;        /* one was compiled at the root: what follows at the top level is not shown */
    uint32_t extends;          /* how many were compiled */
    Map block_stmts;           /* name -> Stmt */
    VEC(const Stmt *) blocks;
    EscapeMode escape; /* of the region being compiled */
    Name n_loop, n_caller, n_kwargs, n_varargs, n_self, n_super;
} Compiler;

typedef enum OpenKind { OPEN_LOOP, OPEN_CAPTURE, OPEN_ESCAPE } OpenKind;

/* What is open in a function where a break or continue may leave it. */
typedef struct Open {
    OpenKind kind;
    uint16_t slot;        /* capture, escape */
    VEC(uint32_t) breaks; /* loop: jumps to mend */
    VEC(uint32_t) continues;
} Open;

struct Activation {
    Compiler *compiler;
    Function *function;
    struct Activation *outer;
    uint32_t depth;
    VEC(Insn) insns;
    VEC(CodePlace) places;
    uint32_t slots, stack, stack_most;
    uint32_t barrier; /* no instruction before this one may be merged with a later one: something jumps here */
    VEC(Open *) open;
    uint16_t parent; /* root: slot of the parent template */
};

typedef struct Frame {
    Symbols *symbols;
    bool toplevel, rootlevel; /* sets here are exported; nothing conditional around */
    bool soft;                /* in an if: an unknown filter is an error only when reached */
    bool check;               /* output depends on whether the template extends another */
} Frame;

/* ---- emit.c */
uint16_t activation_slot(Activation *a);
uint8_t activation_distance(const Activation *at, const Activation *owner);
uint32_t emit(Activation *a, Opcode op, unsigned arg_a, unsigned arg_b, uint32_t arg_c, uint32_t from, uint32_t to,
              int stack);
uint32_t emit_here(Activation *a); /* the next instruction's number, as the target of a jump */
void emit_mend(Activation *a, uint32_t at, uint32_t target);
uint32_t emit_const(Activation *a, Value v, uint32_t from, uint32_t to); /* pushes it */
void emit_text(Activation *a, Str text, uint32_t from, uint32_t to);
void emit_value(Activation *a, uint32_t from, uint32_t to); /* writes what is on top */
uint32_t code_name(Compiler *c, Name name);
uint32_t code_const(Compiler *c, Value v);
uint32_t code_attr(Compiler *c, Name name);
Activation *activation_new(Compiler *c, Activation *outer, FunctionKind kind, Name name, CodePlace place);
Function *activation_end(Activation *a, uint32_t from, uint32_t to);

/* ---- check.c */
/* Is there such a filter or test? Adds a finding if not, unless soft. */
bool code_check_native(Source *source, const Expr *x, bool soft, Diags *diags);

/* ---- compile_expr.c */
void compile_expr(Activation *a, const Frame *frame, const Expr *x);
void compile_store(Activation *a, const Frame *frame, const Expr *target); /* pops a value into names */
void compile_load(Activation *a, const Frame *frame, Name name, uint32_t from, uint32_t to);
/* A filter chain over a captured text: capture is the slot where it began. */
void compile_filter_block(Activation *a, const Frame *frame, const Expr *filter, uint16_t capture);
void compile_call_with_caller(Activation *a, const Frame *frame, const Expr *call, uint16_t caller);

/* ---- compile_macro.c */
void compile_macro(Activation *a, const Frame *frame, const Stmt *stmt); /* pushes it */
void compile_block_function(Compiler *c, const Stmt *stmt);
void compile_recursive_loop(Activation *a, const Frame *frame, const Stmt *stmt);
Ident *compile_special(Symbols *symbols, Name name, bool used, uint16_t *slot);

/* ---- compile.c */
void compile_body(Activation *a, const Frame *frame, const Body *body);
void compile_enter(Activation *a, const Symbols *symbols);
/* A loop whose iterable is on the stack. */
void compile_loop(Activation *a, const Frame *frame, const Stmt *stmt);

#endif

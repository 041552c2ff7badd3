/* code.h: a template as compact code, ready to run.
 *
 * The compiler (compile.c and its neighbours) turns a tree into Functions: one for the template itself, one for each
 * block, macro, call block and recursive loop. An activation of a function has an array of slots for its variables and,
 * behind them, its operand stack. Which variable is which slot is decided here and never looked up again; names are
 * looked up in the context once per activation, into a slot (OP RESOLVE).
 *
 * An instruction is 8 bytes: op, a, b, c. What does not fit stands in a table of the Code, at index c.
 */
#ifndef OPGEN_TEMPLATE_CODE_H
#define OPGEN_TEMPLATE_CODE_H

#include "template/syntax/ast.h"
#include "template/value/run.h"

/* X(name): what it does to the operand stack and the rest. "push" and "pop" speak of the operand stack. */
#define CODE_OPS(X)                                                                                                    \
    X(TEXT)           /* write texts[c] */                                                                             \
    X(EMIT)           /* pop, write */                                                                                 \
    X(EMIT_ESCAPED)   /* pop, write with HTML escaping: {{ x|e }} */                                                   \
    X(TEXT_SLOT_TEXT) /* spans[c]: write a text, a slot, a text */                                                     \
    X(CONST)          /* push consts[c] */                                                                             \
    X(SLOT)           /* push slot b, undefined names[c] if unset */                                                   \
    X(SLOT_UP)        /* the same of the function a levels out */                                                      \
    X(SLOT_ATTR)      /* push attrs[c] of slot b */                                                                    \
    X(STORE)          /* pop into slot b */                                                                            \
    X(RESOLVE)        /* slot b = names[c] of the context, unset if it has none */                                     \
    X(ALIAS)          /* slot b = slot c of the function a levels out */                                               \
    X(UNSET)          /* slot b = unset */                                                                             \
    X(EXPORT)         /* context variable names[c] = slot b; a: 1 visible to importers */                              \
    X(POP)                                                                                                             \
    X(LIST) /* pop c items, push a list */                                                                             \
    X(TUPLE)                                                                                                           \
    X(DICT)   /* pop c pairs */                                                                                        \
    X(CONCAT) /* pop c values, push them as one text */                                                                \
    X(UNARY)  /* a: Op */                                                                                              \
    X(NOT)                                                                                                             \
    X(BINARY)       /* a: Op */                                                                                        \
    X(COMPARE)      /* a: Op */                                                                                        \
    X(COMPARE_NEXT) /* a: Op; false: push it and jump to c; true: push the right side */                               \
    X(ATTR)         /* pop, push attrs[c] of it */                                                                     \
    X(ITEM)         /* pop key, pop value, push value[key] */                                                          \
    X(SLICE)        /* pop step, stop, start, value */                                                                 \
    X(JUMP)         /* to c */                                                                                         \
    X(JUMP_FALSE)   /* pop, to c if it is false */                                                                     \
    X(AND)          /* to c if the top is false, else pop */                                                           \
    X(OR)           /* to c if the top is true, else pop */                                                            \
    X(JUMP_SET)     /* to c if slot b of the function a levels out is set */                                           \
    X(NO_ELSE)      /* push the undefined of an inline if without else */                                              \
    X(UNDEFINED)    /* push an undefined with the sentence consts[c] */                                                \
    X(CALL)         /* calls[c]: pop arguments and callee, push the result */                                          \
    X(CALL_ATTR)    /* the same where the callee is an attribute of the value there */                                 \
    X(FILTER)       /* calls[c] with its native: pop arguments and subject */                                          \
    X(FILTER_FAST)  /* the same: natives[c], a values on the stack are its argument array */                           \
    X(FAIL)         /* the error consts[c], code b: a filter that does not exist, reached */                           \
    X(LOOP)         /* loops[c]: pop the iterable, go to its next */                                                   \
    X(NEXT)         /* loops[c]: next item into its slot, or onto the stack; on to its body, or fall through */        \
    X(KEEP)         /* loops[c]: pop the item into the list of those that passed */                                    \
    X(KEPT)         /* loops[c]: push that list */                                                                     \
    X(RAN)          /* loops[c]: the body came to its end once */                                                      \
    X(JUMP_RAN)     /* to b.. of loops[c] if it did */                                                                 \
    X(UNPACK)       /* pop, push its c items, first on top */                                                          \
    X(RECURSE)      /* functions[c] is a recursive loop: pop its iterable and run it */                                \
    X(MACRO)        /* push functions[c] as a macro */                                                                 \
    X(CAPTURE)      /* output from here on is collected; slot b keeps where it began */                                \
    X(CAPTURED)     /* push what was collected since slot b */                                                         \
    X(DROP)         /* throw it away */                                                                                \
    X(SET_ATTR)     /* pop namespace, pop value: names[c] of it */                                                     \
    X(BLOCK)        /* run blocks[c] */                                                                                \
    X(INCLUDE)      /* loads[c]: pop the file name(s) */                                                               \
    X(IMPORT)       /* loads[c]: pop the file name, push the module */                                                 \
    X(MODULE_GET)   /* push names[c] of the module on top, leaving it there */                                         \
    X(EXTENDS)      /* pop the file name; slot b gets the parent */                                                    \
    X(PARENT)       /* run the parent in slot b, if set */                                                             \
    X(ESCAPING)     /* pop: autoescape from now on; slot b keeps what it was */                                        \
    X(UNESCAPING)   /* autoescape as slot b says */                                                                    \
    X(END)

typedef enum Opcode {
#define X(name) I_##name,
    CODE_OPS(X)
#undef X
} Opcode;

typedef struct Insn {
    uint8_t op, a;
    uint16_t b;
    uint32_t c;
} Insn;

typedef struct CodePlace {
    uint32_t from, to;
} CodePlace;

/* An attribute, and where in a dict it was found last: rows of one shape have it at the same place. */
typedef struct AttrSite {
    Name name;
    uint32_t hint;
} AttrSite;

typedef struct CallSite {
    uint32_t n; /* positional arguments */
    uint32_t keyword_count;
    Name *keywords;
    bool star, star_star;
    const Native *native; /* filters and tests */
    AttrSite attr;        /* CALL_ATTR */
} CallSite;

typedef struct TextSpan {
    Str before, after;
    uint32_t name;
    uint16_t slot;
    bool escape; /* {{ x|e }} */
    bool brief;  /* both texts fit the next two, which can be copied whole */
    char before_bytes[16], after_bytes[16];
} TextSpan;

#define CODE_NO_SLOT 0xffff

typedef struct LoopSite {
    uint16_t state;      /* slot of the loop's state */
    uint16_t target;     /* slot of the loop variable, or CODE_NO_SLOT: onto the stack */
    uint16_t value;      /* for k, v in ...: slot of v, or CODE_NO_SLOT */
    uint16_t object;     /* slot of `loop`, or CODE_NO_SLOT */
    bool recursive;      /* the loop of a FUNCTION_LOOP, whose iterable is slot 0 */
    uint32_t next, body; /* where NEXT stands, and the body */
    uint32_t end;        /* behind the else part */
    uint32_t spans;      /* the body is so many TEXT_SLOT_TEXT and nothing else; 0 if it is not */
} LoopSite;

/* Which variables an included template or a scoped block sees: name and where it is. */
typedef struct LocalRef {
    Name name;
    uint16_t slot;
    uint8_t up;
} LocalRef;

typedef struct Locals {
    LocalRef *items;
    uint32_t n;
} Locals;

typedef struct BlockSite {
    Name name;
    bool scoped, required;
    Locals locals;
} BlockSite;

typedef struct LoadSite {
    bool ignore_missing, with_context;
    Locals locals;
} LoadSite;

/* Instructions from one to before the other. */
typedef struct CodeRange {
    uint32_t from, to;
} CodeRange;

typedef enum FunctionKind {
    FUNCTION_ROOT,
    FUNCTION_BLOCK,
    FUNCTION_MACRO,
    FUNCTION_CALLER,
    FUNCTION_LOOP
} FunctionKind;
typedef enum EscapeMode { ESCAPE_OFF, ESCAPE_ON, ESCAPE_INHERIT } EscapeMode;

typedef struct Code Code;
typedef struct Function {
    const Code *code;
    FunctionKind kind;
    EscapeMode escape;
    Name name; /* of a block or macro; NULL otherwise */
    Insn *insns;
    CodePlace *places; /* one for each instruction */
    uint32_t n;
    uint32_t slots, stack; /* sizes */
    CodePlace place;
    /* parameters are slots 0 to params - 1 */
    Name *params;
    uint32_t param_count;
    bool explicit_caller;             /* a parameter is named caller */
    uint16_t caller, kwargs, varargs; /* slots, CODE_NO_SLOT where the body does not use it */
    uint16_t self, super;             /* the same, of blocks and the root */
    VEC(CodeRange) emits;    /* the instructions of each {{ }}: after an error in one, the rest is looked at too */
    VEC(LocalRef) variables; /* all that have names, for "did you mean" */
} Function;

/* All that one template compiles to. */
struct Code {
    Source *source;
    Function *root;
    VEC(Function *) functions;
    VEC(Function *) blocks; /* the template's own, in order */
    VEC(Str) texts;
    VEC(Value) consts;
    VEC(Name) names;
    VEC(AttrSite) attrs;
    VEC(CallSite) calls;
    VEC(const Native *) natives;
    VEC(LoopSite) loops;
    VEC(TextSpan) spans;
    VEC(BlockSite) block_sites;
    VEC(LoadSite) loads;
};

/* NULL after adding findings. */
Code *code_compile(Arena *arena, Names *names, const TemplateAst *ast, bool autoescape, Diags *diags);
/* Only the findings that are sure in a template of which parts could not be understood. */
void code_check_names(const TemplateAst *ast, Diags *diags);
Function *code_block(const Code *code, Name name); /* NULL if it has none */

#endif

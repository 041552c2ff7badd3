/* symbols.h: which variable a name means at each place of a template, after Jinja's scoping rules.
 *
 * A Symbols is the scope of one frame: a template, block, macro, loop body, with block and so on. What is loaded or
 * stored in it is known before its code is made, because a name that is set anywhere in a frame is one variable
 * throughout it. An `if` opens no scope, but a variable that only some branches set falls back to what the name meant
 * outside: each branch is a layer over its frame (base), merged into it afterwards.
 */
#ifndef OPGEN_TEMPLATE_SYMBOLS_H
#define OPGEN_TEMPLATE_SYMBOLS_H

#include "template/code/code.h"

typedef struct Activation Activation; /* a function being compiled: compile.h */

/* A variable: a slot of a function. */
typedef struct Ident {
    Name name;
    Activation *owner;
    uint16_t slot;
} Ident;

typedef enum LoadKind {
    LOAD_PARAM,   /* set by whoever enters the frame */
    LOAD_RESOLVE, /* from the context */
    LOAD_ALIAS,   /* starts as a copy of an outer variable */
    LOAD_UNSET,
} LoadKind;

typedef struct Load {
    Ident *ident, *of;
    LoadKind kind;
} Load;

typedef struct Symbols {
    struct Symbols *parent, *base;
    Activation *owner;
    Arena *arena;
    Map refs;   /* name -> Ident, of this frame */
    Map loads;  /* name -> Load */
    Map stores; /* name -> itself */
    Map *idents;
} Symbols;

Symbols *symbols_new(Arena *arena, Activation *owner, Symbols *parent);
Ident *symbols_find(const Symbols *symbols, Name name); /* NULL if the name means nothing yet */
Load *symbols_find_load(const Symbols *symbols, const Ident *ident);
Ident *symbols_parameter(Symbols *symbols, Name name);
void symbols_adopt(Symbols *symbols, Name name, Ident *ident); /* a parameter that is another frame's variable */
void symbols_load(Symbols *symbols, Name name);
void symbols_store(Symbols *symbols, Name name);
/* All that is stored here and further out: what an include sees. */
Locals symbols_stores(Arena *arena, const Symbols *symbols, const Activation *at);

/* Enters what the statements (expressions) of a frame load and store. */
void symbols_body(Symbols *symbols, const Body *body);
void symbols_expr(Symbols *symbols, const Expr *expr);
void symbols_target(Symbols *symbols, const Expr *target, bool parameter);

/* ---- what a piece of template mentions (uses.c) */
typedef struct Uses {
    Name names[3];     /* looked for */
    bool found[3];     /* loaded before it was set */
    bool stored[3];    /* set */
    bool scoped_block; /* has a {% block x scoped %} */
} Uses;
void uses_body(Uses *uses, const Body *body);

#endif

/* engine.h: the inside of an Engine, for the VM, which loads templates while it runs. */
#ifndef OPGEN_TEMPLATE_ENGINE_H
#define OPGEN_TEMPLATE_ENGINE_H

#include "template/code/code.h"
#include "template/template.h"

struct Template {
    Name name;
    Code *code;
    size_t last_size; /* of its output: the next one is likely to be as long */
};

struct Engine {
    Arena *arena;
    Names *names;
    Diags *diags;
    EngineOptions options;
    Map templates; /* name -> Template, compiled */
    Map texts;     /* name -> Source, handed in */
    VEC(Str) roots;
    VEC(const Source *) files; /* read below the roots */
    Map globals;               /* name -> Value, functions handed in and those of lib/ that were asked for */
};

typedef enum LoadStatus { LOAD_FOUND, LOAD_MISSING, LOAD_BAD } LoadStatus;
/* As engine_load, but says nothing about a template that is missing. */
LoadStatus engine_find(Engine *engine, Str name, Span from, Template **template);
/* Adds the finding that none of them exists. */
void engine_say_missing(Engine *engine, const Str *names, size_t n, Span from);
const Value *engine_global(Engine *engine, Name name); /* NULL if there is none */

#endif

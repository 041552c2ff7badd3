/* compile_macro.c: what becomes a function of its own: macros, call blocks, blocks and recursive loops. */
#include "template/code/compile.h"

/* `self`, `super`, `caller` and their like: a parameter, if the body asks for it. */
Ident *compile_special(Symbols *symbols, Name name, bool used, uint16_t *slot) {
    if (!used) return NULL;
    Ident *ident = symbols_parameter(symbols, name);
    *slot = ident->slot;
    return ident;
}

static void compile_defaults(Activation *a, const Frame *frame, const Params *params, const Stmt *s) {
    Compiler *c = a->compiler;
    for (uint32_t i = 0; i < params->n; i++) {
        uint32_t given = emit(a, I_JUMP_SET, 0, i, 0, s->from, s->to, 0);
        if (params->defaults[i] != NULL) {
            compile_expr(a, frame, params->defaults[i]);
        } else {
            Str text = str_format(c->arena, "parameter %Q was not provided", name_str(params->names[i]));
            emit(a, I_UNDEFINED, 0, 0, code_const(c, val_str_lit(text.p, text.n)), s->from, s->to, 1);
        }
        emit(a, I_STORE, 0, i, 0, s->from, s->to, -1);
        emit_mend(a, given, emit_here(a));
    }
}

void compile_macro(Activation *outer, const Frame *frame, const Stmt *s) {
    Compiler *c = outer->compiler;
    const Params *params = &s->as.macro.params;
    Name name = s->kind == S_MACRO ? s->as.macro.name : NULL;
    Activation *a = activation_new(c, outer, s->kind == S_MACRO ? FUNCTION_MACRO : FUNCTION_CALLER, name,
                                   (CodePlace){s->from, s->to});
    Function *f = a->function;
    f->params = params->names;
    f->param_count = params->n;

    Symbols *symbols = symbols_new(c->arena, a, frame->symbols);
    Uses uses = {.names = {c->n_caller, c->n_kwargs, c->n_varargs}};
    uses_body(&uses, &s->as.macro.body);
    for (uint32_t i = 0; i < params->n; i++) {
        symbols_parameter(symbols, params->names[i]); /* slot i */
        for (uint32_t j = 0; j < i; j++)
            if (params->names[j] == params->names[i])
                diag_error(c->diags, E_TEMPLATE_SYNTAX, span(c->code->source, s->from, s->to),
                           "the parameter %Q is named twice", name_str(params->names[i]));
        if (params->names[i] == c->n_caller) {
            f->explicit_caller = true;
            if (uses.found[0] && params->defaults[i] == NULL)
                diag_error(c->diags, E_TEMPLATE_SYNTAX, span(c->code->source, s->from, s->to),
                           "the parameter \"caller\" needs a default: it is set only by a call block");
        }
        if (params->names[i] == c->n_kwargs) uses.found[1] = false;
        if (params->names[i] == c->n_varargs) uses.found[2] = false;
    }
    compile_special(symbols, c->n_caller, uses.found[0] && !f->explicit_caller, &f->caller);
    compile_special(symbols, c->n_kwargs, uses.found[1], &f->kwargs);
    compile_special(symbols, c->n_varargs, uses.found[2], &f->varargs);
    for (uint32_t i = 0; i < params->n; i++)
        if (params->defaults[i] != NULL) symbols_expr(symbols, params->defaults[i]);
    symbols_body(symbols, &s->as.macro.body);

    Frame inner = {.symbols = symbols};
    compile_enter(a, symbols);
    compile_defaults(a, &inner, params, s);
    compile_body(a, &inner, &s->as.macro.body);
    activation_end(a, s->from, s->to);
    emit(outer, I_MACRO, 0, 0, c->code->functions.n, s->from, s->to, 1);
    *VEC_PUSH(c->arena, &c->code->functions) = f;
}

void compile_block_function(Compiler *c, const Stmt *s) {
    Activation *a = activation_new(c, NULL, FUNCTION_BLOCK, s->as.block.name, (CodePlace){s->from, s->to});
    /* Not a child of the template's own scope: it sees the context, wherever the block is called from. */
    Symbols *symbols = symbols_new(c->arena, a, NULL);
    Uses uses = {.names = {c->n_self, c->n_super}};
    uses_body(&uses, &s->as.block.body);
    compile_special(symbols, c->n_self, uses.found[0], &a->function->self);
    compile_special(symbols, c->n_super, uses.found[1], &a->function->super);
    symbols_body(symbols, &s->as.block.body);
    Frame frame = {.symbols = symbols};
    compile_enter(a, symbols);
    compile_body(a, &frame, &s->as.block.body);
    *VEC_PUSH(c->arena, &c->code->blocks) = activation_end(a, s->from, s->to);
}

/* The iterable is on the outer stack; in the function it is slot 0. */
void compile_recursive_loop(Activation *outer, const Frame *frame, const Stmt *s) {
    Compiler *c = outer->compiler;
    Activation *a = activation_new(c, outer, FUNCTION_LOOP, NULL, (CodePlace){s->from, s->to});
    uint16_t iterable = activation_slot(a);
    const Expr *iter = s->as.loop.iter;
    emit(a, I_SLOT, 0, iterable, code_name(c, c->n_loop), iter->from, iter->to, 1);
    compile_loop(a, frame, s);
    activation_end(a, s->from, s->to);
    emit(outer, I_RECURSE, 0, 0, c->code->functions.n, iter->from, iter->to, -1);
    emit_here(outer);
    *VEC_PUSH(c->arena, &c->code->functions) = a->function;
}

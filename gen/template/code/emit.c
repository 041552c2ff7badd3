/* emit.c: putting instructions together: slots, jumps, tables, and the few merges that make output fast. */
#include "template/code/compile.h"

#define SLOTS_MOST 65000u

uint16_t activation_slot(Activation *a) {
    if (a->slots < SLOTS_MOST) return (uint16_t)a->slots++;
    if (a->slots == SLOTS_MOST) {
        a->slots++;
        CodePlace place = a->function->place;
        diag_error(a->compiler->diags, E_TEMPLATE_DEPTH, span(a->compiler->code->source, place.from, place.to),
                   "this part of the template has more than %u variables", SLOTS_MOST);
    }
    return SLOTS_MOST - 1;
}

uint8_t activation_distance(const Activation *at, const Activation *owner) {
    return (uint8_t)(at->depth - owner->depth); /* functions nest no deeper than the parser lets them */
}

uint32_t emit(Activation *a, Opcode op, unsigned arg_a, unsigned arg_b, uint32_t arg_c, uint32_t from, uint32_t to,
              int stack) {
    Arena *arena = a->compiler->arena;
    *VEC_PUSH(arena, &a->insns) = (Insn){(uint8_t)op, (uint8_t)arg_a, (uint16_t)arg_b, arg_c};
    *VEC_PUSH(arena, &a->places) = (CodePlace){from, to};
    a->stack = (uint32_t)((int)a->stack + stack);
    if (a->stack > a->stack_most) a->stack_most = a->stack;
    return a->insns.n - 1;
}

uint32_t emit_here(Activation *a) {
    a->barrier = a->insns.n;
    return a->insns.n;
}

void emit_mend(Activation *a, uint32_t at, uint32_t target) { a->insns.items[at].c = target; }

uint32_t code_name(Compiler *c, Name name) {
    uintptr_t known = (uintptr_t)map_get(&c->name_index, name);
    if (known != 0) return (uint32_t)(known - 1);
    *VEC_PUSH(c->arena, &c->code->names) = name;
    map_set(&c->name_index, name, (void *)(uintptr_t)c->code->names.n);
    return c->code->names.n - 1;
}

uint32_t code_const(Compiler *c, Value v) {
    *VEC_PUSH(c->arena, &c->code->consts) = v;
    return c->code->consts.n - 1;
}

uint32_t code_attr(Compiler *c, Name name) {
    *VEC_PUSH(c->arena, &c->code->attrs) = (AttrSite){name, UINT32_MAX};
    return c->code->attrs.n - 1;
}

uint32_t emit_const(Activation *a, Value v, uint32_t from, uint32_t to) {
    return emit(a, I_CONST, 0, 0, code_const(a->compiler, v), from, to, 1);
}

/* The last instruction, if it is this one and nothing jumps between it and the next. */
static Insn *last(Activation *a, Opcode op) {
    if (a->insns.n == 0 || a->barrier >= a->insns.n) return NULL;
    Insn *insn = &VEC_LAST(&a->insns);
    return insn->op == (uint8_t)op ? insn : NULL;
}

static void take_back(Activation *a) { a->insns.n--, a->places.n--; }

void emit_text(Activation *a, Str text, uint32_t from, uint32_t to) {
    Compiler *c = a->compiler;
    if (text.n == 0) return;
    Insn *insn = last(a, I_TEXT);
    if (insn != NULL) {
        Str *old = &c->code->texts.items[insn->c];
        if (old->p + old->n == text.p)
            old->n += text.n;
        else
            *old = str_format(c->arena, "%S%S", *old, text);
        return;
    }
    insn = last(a, I_TEXT_SLOT_TEXT);
    if (insn != NULL && c->code->spans.items[insn->c].after.n == 0) {
        c->code->spans.items[insn->c].after = text;
        return;
    }
    emit(a, I_TEXT, 0, 0, c->code->texts.n, from, to, 0);
    *VEC_PUSH(c->arena, &c->code->texts) = text;
}

static bool is_escape(const Compiler *c, const Insn *insn) {
    return insn->a == 1 && c->code->natives.items[insn->c] == lib_filter(S("e"));
}

/* A slot, perhaps through |e, and the text before it become one instruction; the text behind joins in emit_text. */
static bool emit_span(Activation *a) {
    Compiler *c = a->compiler;
    uint32_t n = a->insns.n;
    Insn *insn = last(a, I_FILTER_FAST);
    bool escape = insn != NULL && is_escape(c, insn);
    if (escape) {
        if (n < 2 || a->barrier >= n - 1 || insn[-1].op != I_SLOT) return false;
        take_back(a);
    }
    insn = last(a, I_SLOT);
    if (insn == NULL) return false;
    TextSpan pair = {.name = insn->c, .slot = insn->b, .escape = escape};
    CodePlace place = VEC_LAST(&a->places);
    take_back(a);
    a->stack--;
    insn = last(a, I_TEXT);
    if (insn != NULL) {
        pair.before = c->code->texts.items[insn->c];
        take_back(a);
    }
    emit(a, I_TEXT_SLOT_TEXT, 0, 0, c->code->spans.n, place.from, place.to, 0);
    *VEC_PUSH(c->arena, &c->code->spans) = pair;
    return true;
}

void emit_value(Activation *a, uint32_t from, uint32_t to) {
    if (emit_span(a)) return;
    Insn *insn = last(a, I_FILTER_FAST);
    if (insn != NULL && is_escape(a->compiler, insn)) {
        insn->op = I_EMIT_ESCAPED;
        a->stack--;
        return;
    }
    emit(a, I_EMIT, 0, 0, 0, from, to, -1);
}

Activation *activation_new(Compiler *c, Activation *outer, FunctionKind kind, Name name, CodePlace place) {
    Activation *a = ARENA_NEW(c->arena, Activation);
    a->compiler = c;
    a->outer = outer;
    a->depth = outer != NULL ? outer->depth + 1 : 0;
    a->parent = CODE_NO_SLOT;
    Function *f = a->function = ARENA_NEW(c->arena, Function);
    f->code = c->code;
    f->kind = kind;
    f->name = name;
    f->place = place;
    f->escape = c->escape;
    f->caller = f->kwargs = f->varargs = f->self = f->super = CODE_NO_SLOT;
    return a;
}

Function *activation_end(Activation *a, uint32_t from, uint32_t to) {
    emit(a, I_END, 0, 0, 0, from, to, 0);
    Function *f = a->function;
    f->insns = a->insns.items;
    f->places = a->places.items;
    f->n = a->insns.n;
    f->slots = a->slots;
    f->stack = a->stack_most;
    return f;
}

/* compile_expr.c: expressions into code. Each leaves its one value on the operand stack. */
#include "template/code/compile.h"

static Value literal_value(Activation *a, const Expr *x) {
    Compiler *c = a->compiler;
    const Literal *literal = &x->as.literal;
    /* As a Name it is found in dicts by its pointer. Long texts are no keys. */
    if (literal->kind == LIT_STR && literal->as.s.n <= 64) return val_name(names_get(c->names, literal->as.s));
    Run run = {.arena = c->arena, .names = c->names, .error_arena = c->arena};
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        if (trap.why != MEM_THROWN) mem_fail(trap.why, trap.wanted);
        diag_error(c->diags, E_TEMPLATE_SYNTAX, span(c->code->source, x->from, x->to), "%S", run.error);
        return val_none();
    }
    Value v = val_of_literal(&run, literal);
    mem_untrap(&trap);
    return v;
}

void compile_load(Activation *a, const Frame *frame, Name name, uint32_t from, uint32_t to) {
    const Ident *ident = symbols_find(frame->symbols, name);
    uint8_t up = activation_distance(a, ident->owner);
    emit(a, up == 0 ? I_SLOT : I_SLOT_UP, up, ident->slot, code_name(a->compiler, name), from, to, 1);
}

/* Pushes the arguments; the site is added to code->calls by the caller. extra: a slot that is passed as `caller`. */
static CallSite push_args(Activation *a, const Frame *frame, const CallArgs *args, uint16_t caller, const Expr *x) {
    Compiler *c = a->compiler;
    CallSite site = {.n = args->n, .star = args->star != NULL, .star_star = args->star_star != NULL};
    bool with_caller = caller != CODE_NO_SLOT;
    site.keyword_count = args->keyword_count + (with_caller ? 1 : 0);
    if (site.keyword_count > 0) site.keywords = ARENA_ARRAY(c->arena, Name, site.keyword_count);
    for (uint32_t i = 0; i < args->n; i++)
        compile_expr(a, frame, args->args[i]);
    for (uint32_t i = 0; i < args->keyword_count; i++) {
        compile_expr(a, frame, args->keywords[i].value);
        site.keywords[i] = args->keywords[i].name;
    }
    if (with_caller) {
        emit(a, I_SLOT, 0, caller, code_name(c, c->n_caller), x->at, x->at_to, 1);
        site.keywords[args->keyword_count] = c->n_caller;
    }
    if (args->star != NULL) compile_expr(a, frame, args->star);
    if (args->star_star != NULL) compile_expr(a, frame, args->star_star);
    return site;
}

static int site_values(const CallSite *site) {
    return (int)(site->n + site->keyword_count) + (site->star ? 1 : 0) + (site->star_star ? 1 : 0);
}

static uint32_t add_site(Compiler *c, CallSite site) {
    *VEC_PUSH(c->arena, &c->code->calls) = site;
    return c->code->calls.n - 1;
}

static void compile_call(Activation *a, const Frame *frame, const Expr *x, uint16_t caller) {
    Compiler *c = a->compiler;
    const Expr *callee = x->as.call.a;
    bool method = callee->kind == X_ATTR;
    compile_expr(a, frame, method ? callee->as.attr.a : callee);
    CallSite site = push_args(a, frame, &x->as.call.args, caller, x);
    if (method) site.attr = (AttrSite){callee->as.attr.name, UINT32_MAX};
    int values = site_values(&site);
    emit(a, method ? I_CALL_ATTR : I_CALL, 0, 0, add_site(c, site), method ? callee->at : x->from,
         method ? callee->at_to : x->to, -values);
}

void compile_call_with_caller(Activation *a, const Frame *frame, const Expr *call, uint16_t caller) {
    compile_call(a, frame, call, caller);
}

/* How many parameters a native has behind its subject, or -1 if they need binding. */
static int plain_params(const Native *native) {
    int n = 0;
    for (const char *p = native->params; *p != 0;) {
        if (*p == '*') return -1;
        n++;
        while (*p != 0 && *p != ' ')
            p++;
        while (*p == ' ')
            p++;
    }
    return n;
}

static uint32_t required_params(const Native *native) {
    uint32_t n = 0;
    for (const char *p = native->params; *p != 0;) {
        const char *end = p;
        while (*end != 0 && *end != ' ')
            end++;
        if (end[-1] != '?') n++;
        for (p = end; *p == ' ';)
            p++;
    }
    return n;
}

/* Behind the subject, which is on the stack: the arguments and the call of a filter or test. */
static void compile_native(Activation *a, const Frame *frame, const Expr *x) {
    Compiler *c = a->compiler;
    bool filter = x->kind == X_FILTER;
    Str name = name_str(x->as.call.name);
    const Native *native = filter ? lib_filter(name) : lib_test(name);
    const CallArgs *args = &x->as.call.args;
    const char *what = filter ? "filter" : "test";
    if (native == NULL) {
        CallSite site = push_args(a, frame, args, CODE_NO_SLOT, x);
        int values = site_values(&site);
        if (frame->soft) { /* Jinja lets a template ask for what another version of the engine has */
            Value text = val_str_lit(NULL, 0);
            Str s = str_format(c->arena, "there is no %s named %Q", what, name);
            text.as.s = s.p, text.n = (uint32_t)s.n;
            emit(a, I_FAIL, 0, E_TEMPLATE_NAME, code_const(c, text), x->at, x->at_to, -values);
            return;
        }
        code_check_native(c->code->source, x, false, c->diags);
        emit(a, I_POP, 0, 0, 0, x->at, x->at_to, -values);
        return;
    }
    int params = plain_params(native);
    bool plain = args->keyword_count == 0 && args->star == NULL && args->star_star == NULL;
    if (params >= 0 && params < 255 && plain && args->n <= (uint32_t)params && args->n >= required_params(native)) {
        for (uint32_t i = 0; i < args->n; i++)
            compile_expr(a, frame, args->args[i]);
        for (int i = (int)args->n; i < params; i++)
            emit_const(a, val_missing(), x->at, x->at_to);
        *VEC_PUSH(c->arena, &c->code->natives) = native;
        emit(a, I_FILTER_FAST, (unsigned)params + 1, 0, c->code->natives.n - 1, x->at, x->at_to, -params);
        return;
    }
    CallSite site = push_args(a, frame, args, CODE_NO_SLOT, x);
    site.native = native;
    int values = site_values(&site);
    emit(a, I_FILTER, 0, 0, add_site(c, site), x->at, x->at_to, -values);
}

void compile_filter_block(Activation *a, const Frame *frame, const Expr *filter, uint16_t capture) {
    if (filter == NULL) {
        emit(a, I_CAPTURED, 0, capture, 0, a->function->place.from, a->function->place.to, 1);
        return;
    }
    compile_filter_block(a, frame, filter->as.call.a, capture); /* height is bounded */
    compile_native(a, frame, filter);
}

static void compile_pair(Activation *a, const Frame *frame, const Expr *x) {
    compile_expr(a, frame, x->as.pair.a);
    if (x->op == OP_AND || x->op == OP_OR) {
        uint32_t jump = emit(a, x->op == OP_AND ? I_AND : I_OR, 0, 0, 0, x->as.pair.a->from, x->as.pair.a->to, -1);
        compile_expr(a, frame, x->as.pair.b);
        emit_mend(a, jump, emit_here(a));
        return;
    }
    compile_expr(a, frame, x->as.pair.b);
    emit(a, I_BINARY, x->op, 0, 0, x->at, x->at_to, -1);
}

static void compile_compare(Activation *a, const Frame *frame, const Expr *x) {
    VEC(uint32_t) jumps = {0};
    compile_expr(a, frame, x->as.compare.a);
    for (uint32_t i = 0; i < x->as.compare.n; i++) {
        const CompareStep *step = &x->as.compare.steps[i];
        compile_expr(a, frame, step->to);
        bool more = i + 1 < x->as.compare.n;
        uint32_t at = emit(a, more ? I_COMPARE_NEXT : I_COMPARE, step->op, 0, 0, x->at, x->at_to, -1);
        if (more) *VEC_PUSH(a->compiler->arena, &jumps) = at;
    }
    if (jumps.n > 0) {
        uint32_t end = emit_here(a);
        for (uint32_t i = 0; i < jumps.n; i++)
            emit_mend(a, jumps.items[i], end);
    }
}

static void compile_unary(Activation *a, const Frame *frame, const Expr *x) {
    const Expr *of = x->as.pair.a;
    if (x->op == OP_NEG && of->kind == X_CONST && of->as.literal.kind == LIT_INT) {
        emit_const(a, val_int(-of->as.literal.as.i), x->from, x->to); /* a literal is never the smallest int64 */
        return;
    }
    compile_expr(a, frame, of);
    emit(a, x->op == OP_NOT ? I_NOT : I_UNARY, x->op, 0, 0, x->at, x->at_to, 0);
}

static void compile_cond(Activation *a, const Frame *frame, const Expr *x) {
    Frame soft = *frame;
    soft.rootlevel = false;
    soft.soft = true;
    compile_expr(a, &soft, x->as.cond.test);
    uint32_t no = emit(a, I_JUMP_FALSE, 0, 0, 0, x->as.cond.test->from, x->as.cond.test->to, -1);
    emit_here(a);
    compile_expr(a, &soft, x->as.cond.a);
    uint32_t end = emit(a, I_JUMP, 0, 0, 0, x->from, x->to, -1);
    emit_mend(a, no, emit_here(a));
    if (x->as.cond.b != NULL)
        compile_expr(a, &soft, x->as.cond.b);
    else
        emit(a, I_NO_ELSE, 0, 0, 0, x->from, x->to, 1);
    emit_mend(a, end, emit_here(a));
}

static void compile_slice_part(Activation *a, const Frame *frame, const Expr *x, const Expr *whole) {
    if (x != NULL)
        compile_expr(a, frame, x);
    else
        emit_const(a, val_none(), whole->from, whole->to);
}

static void compile_attr(Activation *a, const Frame *frame, const Expr *x) {
    Compiler *c = a->compiler;
    const Expr *of = x->as.attr.a;
    uint32_t site = code_attr(c, x->as.attr.name);
    if (of->kind == X_NAME) {
        const Ident *ident = symbols_find(frame->symbols, of->as.name);
        if (ident->owner == a) {
            uint32_t name = code_name(c, of->as.name);
            if (name < 256) {
                emit(a, I_SLOT_ATTR, name, ident->slot, site, x->from, x->at_to, 1);
                return;
            }
        }
    }
    compile_expr(a, frame, of);
    emit(a, I_ATTR, 0, 0, site, x->at, x->at_to, 0);
}

void compile_expr(Activation *a, const Frame *frame, const Expr *x) {
    switch (x->kind) {
    case X_CONST:
        emit_const(a, literal_value(a, x), x->from, x->to);
        break;
    case X_NAME:
        compile_load(a, frame, x->as.name, x->from, x->to);
        break;
    case X_NSREF: /* only a target of set: compile_store */
        break;
    case X_LIST:
    case X_TUPLE:
    case X_CONCAT:
    case X_DICT: {
        uint32_t n = x->as.list.n;
        for (uint32_t i = 0; i < n; i++)
            compile_expr(a, frame, x->as.list.items[i]);
        Opcode op = x->kind == X_LIST ? I_LIST : x->kind == X_TUPLE ? I_TUPLE : x->kind == X_DICT ? I_DICT : I_CONCAT;
        emit(a, op, 0, 0, op == I_DICT ? n / 2 : n, x->from, x->to, 1 - (int)n);
        break;
    }
    case X_UNARY:
        compile_unary(a, frame, x);
        break;
    case X_BINARY:
        compile_pair(a, frame, x);
        break;
    case X_COMPARE:
        compile_compare(a, frame, x);
        break;
    case X_COND:
        compile_cond(a, frame, x);
        break;
    case X_ATTR:
        compile_attr(a, frame, x);
        break;
    case X_ITEM:
        compile_expr(a, frame, x->as.pair.a);
        compile_expr(a, frame, x->as.pair.b);
        emit(a, I_ITEM, 0, 0, 0, x->at, x->at_to, -1);
        break;
    case X_SLICE:
        if (x->as.slice.a == NULL) { /* one of several indices, x[1:, 2]: no value of a template has such elements */
            static const char why[] = "a slice cannot be one of several indices";
            emit(a, I_UNDEFINED, 0, 0, code_const(a->compiler, val_str_lit(why, sizeof why - 1)), x->from, x->to, 1);
            break;
        }
        compile_expr(a, frame, x->as.slice.a);
        compile_slice_part(a, frame, x->as.slice.start, x);
        compile_slice_part(a, frame, x->as.slice.stop, x);
        compile_slice_part(a, frame, x->as.slice.step, x);
        emit(a, I_SLICE, 0, 0, 0, x->at, x->at_to, -3);
        break;
    case X_CALL:
        compile_call(a, frame, x, CODE_NO_SLOT);
        break;
    case X_FILTER:
    case X_TEST:
        compile_expr(a, frame, x->as.call.a);
        compile_native(a, frame, x);
        break;
    }
}

static void store_name(Activation *a, const Frame *frame, Name name, const Expr *at) {
    const Ident *ident = symbols_find(frame->symbols, name);
    emit(a, I_STORE, 0, ident->slot, 0, at->from, at->to, -1);
    if (frame->toplevel)
        emit(a, I_EXPORT, name->n == 0 || name->p[0] != '_', ident->slot, code_name(a->compiler, name), at->from,
             at->to, 0);
}

void compile_store(Activation *a, const Frame *frame, const Expr *target) {
    switch (target->kind) {
    case X_NAME:
        store_name(a, frame, target->as.name, target);
        break;
    case X_NSREF:
        compile_load(a, frame, target->as.nsref.name, target->from, target->to);
        emit(a, I_SET_ATTR, 0, 0, code_name(a->compiler, target->as.nsref.attr), target->from, target->to, -2);
        break;
    default:
        emit(a, I_UNPACK, 0, 0, target->as.list.n, target->from, target->to, (int)target->as.list.n - 1);
        for (uint32_t i = 0; i < target->as.list.n; i++)
            compile_store(a, frame, target->as.list.items[i]);
    }
}

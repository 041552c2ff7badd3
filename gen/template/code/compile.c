/* compile.c: statements into code, and a whole template. What variables there are is symbols.h's business; what runs
 * the code is the VM's. Follows Jinja's compiler in what is shown, set and exported where. */
#include "template/code/compile.h"

static void compile_stmt(Activation *a, const Frame *frame, const Stmt *s);

static Frame frame_inner(const Frame *frame, Symbols *symbols) {
    return (Frame){.symbols = symbols, .check = frame->check};
}

static Frame frame_soft(const Frame *frame) {
    Frame soft = *frame;
    soft.rootlevel = false;
    soft.soft = true;
    return soft;
}

/* ---- entering a frame: its variables get what they begin with */

static void enter_load(Activation *a, const Load *load) {
    uint16_t slot = load->ident->slot;
    switch (load->kind) {
    case LOAD_PARAM:
        break;
    case LOAD_RESOLVE:
        emit(a, I_RESOLVE, 0, slot, code_name(a->compiler, load->ident->name), 0, 0, 0);
        break;
    case LOAD_ALIAS:
        emit(a, I_ALIAS, activation_distance(a, load->of->owner), slot, load->of->slot, 0, 0, 0);
        break;
    case LOAD_UNSET:
        emit(a, I_UNSET, 0, slot, 0, 0, 0, 0);
        break;
    }
}

void compile_enter(Activation *a, const Symbols *symbols) {
    for (uint32_t i = 0; i < symbols->loads.n; i++)
        enter_load(a, symbols->loads.entries[i].value);
}

/* A loop's body is entered at each iteration, but what it only reads of the context cannot change in between: that is
 * looked up once, before the loop. */
static bool is_steady(const Symbols *symbols, const Load *load) {
    return load->kind == LOAD_RESOLVE && map_get(&symbols->stores, load->ident->name) == NULL;
}

static void enter_steady(Activation *a, const Symbols *symbols, bool steady) {
    for (uint32_t i = 0; i < symbols->loads.n; i++) {
        const Load *load = symbols->loads.entries[i].value;
        if (is_steady(symbols, load) == steady) enter_load(a, load);
    }
}

/* ---- output, which a template that extends another shows only in blocks */

/* Jumps over what is not shown because there is a parent. UINT32_MAX: nothing to mend. */
static uint32_t check_output(Activation *a, const Frame *frame) {
    Compiler *c = a->compiler;
    if (!frame->check || c->extends == 0) return UINT32_MAX;
    Activation *root = a;
    while (root->outer != NULL)
        root = root->outer;
    return emit(a, I_JUMP_SET, activation_distance(a, root), root->parent, 0, 0, 0, 0);
}

static void end_check(Activation *a, uint32_t jump) {
    if (jump != UINT32_MAX) emit_mend(a, jump, emit_here(a));
}

static bool is_hidden(const Activation *a, const Frame *frame) { return frame->check && a->compiler->known_extends; }

static void compile_output(Activation *a, const Frame *frame, const Stmt *s) {
    if (is_hidden(a, frame)) return;
    uint32_t jump = check_output(a, frame);
    if (s->kind == S_TEXT) {
        emit_text(a, s->as.text, s->from, s->to);
    } else {
        const Expr *x = s->as.expr;
        uint32_t before = a->insns.n;
        compile_expr(a, frame, x);
        emit_value(a, x->from, x->to);
        /* A text before may have become part of it. */
        CodeRange range = {before < a->insns.n ? before : a->insns.n - 1, a->insns.n};
        *VEC_PUSH(a->compiler->arena, &a->function->emits) = range;
    }
    end_check(a, jump);
}

/* ---- loops */

static void push_open(Activation *a, OpenKind kind, uint16_t slot) {
    Open *open = ARENA_NEW(a->compiler->arena, Open);
    open->kind = kind;
    open->slot = slot;
    *VEC_PUSH(a->compiler->arena, &a->open) = open;
}

static void compile_leave(Activation *a, const Stmt *s) {
    for (uint32_t i = a->open.n; i-- > 0;) {
        Open *open = a->open.items[i];
        if (open->kind == OPEN_LOOP) {
            uint32_t jump = emit(a, I_JUMP, 0, 0, 0, s->from, s->to, 0);
            if (s->kind == S_BREAK)
                *VEC_PUSH(a->compiler->arena, &open->breaks) = jump;
            else
                *VEC_PUSH(a->compiler->arena, &open->continues) = jump;
            return;
        }
        emit(a, open->kind == OPEN_CAPTURE ? I_DROP : I_UNESCAPING, 0, open->slot, 0, s->from, s->to, 0);
    }
    diag_error(a->compiler->diags, E_TEMPLATE_SYNTAX, span(a->compiler->code->source, s->from, s->to),
               "%s outside of a loop", s->kind == S_BREAK ? "break" : "continue");
}

/* Adds a LoopSite and the LOOP instruction; the loop variables go straight into slots where the target is one or two
 * names. */
static uint32_t begin_loop(Activation *a, const Symbols *symbols, const Expr *target, uint16_t object, const Stmt *s) {
    Compiler *c = a->compiler;
    LoopSite site = {.state = activation_slot(a),
                     .target = CODE_NO_SLOT,
                     .value = CODE_NO_SLOT,
                     .object = object,
                     .recursive = object != CODE_NO_SLOT && s->as.loop.recursive};
    if (target != NULL && target->kind == X_NAME) {
        site.target = symbols_find(symbols, target->as.name)->slot;
    } else if (target != NULL && target->kind == X_TUPLE && target->as.list.n == 2 &&
               target->as.list.items[0]->kind == X_NAME && target->as.list.items[1]->kind == X_NAME) {
        site.target = symbols_find(symbols, target->as.list.items[0]->as.name)->slot;
        site.value = symbols_find(symbols, target->as.list.items[1]->as.name)->slot;
    }
    uint32_t number = c->code->loops.n;
    *VEC_PUSH(c->arena, &c->code->loops) = site;
    const Expr *iter = s->as.loop.iter;
    emit(a, I_LOOP, 0, 0, number, iter->from, iter->to, -1);
    c->code->loops.items[number].body = emit_here(a);
    return number;
}

/* The place where the next item is fetched: behind the body, so that one instruction goes round. */
static void end_loop(Activation *a, uint32_t number, const Stmt *s) {
    LoopSite *site = &a->compiler->code->loops.items[number];
    site->next = emit_here(a);
    uint32_t spans = 0;
    while (site->body + spans < site->next && a->insns.items[site->body + spans].op == I_TEXT_SLOT_TEXT)
        spans++;
    if (site->body + spans == site->next && site->target != CODE_NO_SLOT) site->spans = spans;
    const Expr *target = s->as.loop.target;
    emit(a, I_NEXT, 0, 0, number, target->from, target->to, 0);
    emit_here(a);
}

static void unpack_target(Activation *a, uint32_t number, const Frame *frame, const Expr *target) {
    if (a->compiler->code->loops.items[number].target != CODE_NO_SLOT) return;
    a->stack++; /* NEXT left the item there */
    if (a->stack > a->stack_most) a->stack_most = a->stack;
    compile_store(a, frame, target);
}

/* `for x in y if test` with a `loop` variable, which counts only what passes: the list of those first. Leaves it on the
 * stack. */
static void filter_first(Activation *a, const Frame *inner, const Frame *test, const Stmt *s) {
    enter_steady(a, test->symbols, true);
    uint32_t number = begin_loop(a, inner->symbols, NULL, CODE_NO_SLOT, s);
    uint16_t item = activation_slot(a);
    const Expr *target = s->as.loop.target;
    uint32_t name = code_name(a->compiler, a->compiler->n_loop);
    a->stack++;
    if (a->stack > a->stack_most) a->stack_most = a->stack;
    emit(a, I_STORE, 0, item, 0, target->from, target->to, -1);
    emit(a, I_SLOT, 0, item, name, target->from, target->to, 1);
    compile_store(a, inner, target);
    enter_steady(a, test->symbols, false);
    compile_expr(a, test, s->as.loop.test);
    uint32_t no = emit(a, I_JUMP_FALSE, 0, 0, 0, s->as.loop.test->from, s->as.loop.test->to, -1);
    emit(a, I_SLOT, 0, item, name, target->from, target->to, 1);
    emit(a, I_KEEP, 0, 0, number, target->from, target->to, -1);
    emit_mend(a, no, emit_here(a));
    end_loop(a, number, s);
    emit(a, I_KEPT, 0, 0, number, target->from, target->to, 1);
}

static bool names_loop(const Expr *target, Name loop) {
    if (target->kind == X_NAME) return target->as.name == loop;
    if (target->kind == X_NSREF) return false;
    for (uint32_t i = 0; i < target->as.list.n; i++)
        if (names_loop(target->as.list.items[i], loop)) return true;
    return false;
}

/* A target's variables, as parameters of another frame with the same slots. */
static void adopt_target(Symbols *symbols, const Symbols *from, const Expr *target) {
    if (target->kind == X_NAME)
        symbols_adopt(symbols, target->as.name, symbols_find(from, target->as.name));
    else if (target->kind != X_NSREF)
        for (uint32_t i = 0; i < target->as.list.n; i++)
            adopt_target(symbols, from, target->as.list.items[i]);
}

void compile_loop(Activation *a, const Frame *frame, const Stmt *s) {
    Compiler *c = a->compiler;
    const Expr *target = s->as.loop.target, *filter = s->as.loop.test;
    Uses uses = {.names = {c->n_loop}};
    uses_body(&uses, &s->as.loop.body);
    Uses other_uses = {.names = {c->n_loop}};
    uses_body(&other_uses, &s->as.loop.otherwise);
    if (uses.stored[0] || other_uses.stored[0] || names_loop(target, c->n_loop))
        diag_error(c->diags, E_TEMPLATE_SYNTAX, span(c->code->source, target->from, target->to),
                   "\"loop\" cannot be assigned to in a for: it is the loop's own variable");
    bool extended = s->as.loop.recursive || uses.found[0] || uses.scoped_block || other_uses.scoped_block;

    Symbols *symbols = symbols_new(c->arena, a, frame->symbols);
    uint16_t object = CODE_NO_SLOT;
    if (extended) object = symbols_parameter(symbols, c->n_loop)->slot;
    symbols_target(symbols, target, true);
    symbols_body(symbols, &s->as.loop.body);
    Frame inner = frame_inner(frame, symbols);
    Frame test = frame_inner(frame, NULL);
    if (filter != NULL) {
        test.symbols = symbols_new(c->arena, a, frame->symbols);
        adopt_target(test.symbols, symbols, target);
        symbols_expr(test.symbols, filter);
    }

    if (filter != NULL && extended) filter_first(a, &inner, &test, s);
    enter_steady(a, symbols, true);
    if (filter != NULL && !extended) enter_steady(a, test.symbols, true);
    uint32_t number = begin_loop(a, symbols, target, object, s);
    push_open(a, OPEN_LOOP, 0);
    Open *open = VEC_LAST(&a->open);
    unpack_target(a, number, &inner, target);
    if (filter != NULL && !extended) {
        enter_steady(a, test.symbols, false);
        compile_expr(a, &test, filter);
        uint32_t no = emit(a, I_JUMP_FALSE, 0, 0, 0, filter->from, filter->to, -1);
        *VEC_PUSH(c->arena, &open->continues) = no;
        emit_here(a);
    }
    enter_steady(a, symbols, false);
    compile_body(a, &inner, &s->as.loop.body);
    bool has_else = s->as.loop.otherwise.n > 0;
    if (has_else) emit(a, I_RAN, 0, 0, number, s->from, s->to, 0);
    a->open.n--;
    end_loop(a, number, s);
    for (uint32_t i = 0; i < open->continues.n; i++)
        emit_mend(a, open->continues.items[i], c->code->loops.items[number].next);
    for (uint32_t i = 0; i < open->breaks.n; i++)
        emit_mend(a, open->breaks.items[i], emit_here(a));
    if (has_else) {
        emit(a, I_JUMP_RAN, 0, 0, number, s->from, s->to, 0);
        Symbols *other = symbols_new(c->arena, a, frame->symbols);
        symbols_body(other, &s->as.loop.otherwise);
        Frame otherwise = frame_inner(frame, other);
        compile_enter(a, other);
        compile_body(a, &otherwise, &s->as.loop.otherwise);
        c->code->loops.items[number].end = emit_here(a);
    }
}

/* ---- the other statements */

static void compile_if(Activation *a, const Frame *frame, const Stmt *s) {
    Frame soft = frame_soft(frame);
    VEC(uint32_t) ends = {0};
    for (uint32_t i = 0; i < s->as.cond.n; i++) {
        const IfBranch *branch = &s->as.cond.branches[i];
        compile_expr(a, &soft, branch->test);
        uint32_t no = emit(a, I_JUMP_FALSE, 0, 0, 0, branch->test->from, branch->test->to, -1);
        emit_here(a);
        compile_body(a, &soft, &branch->body);
        bool more = i + 1 < s->as.cond.n || s->as.cond.otherwise.n > 0;
        if (more) *VEC_PUSH(a->compiler->arena, &ends) = emit(a, I_JUMP, 0, 0, 0, s->from, s->to, 0);
        emit_mend(a, no, emit_here(a));
    }
    compile_body(a, &soft, &s->as.cond.otherwise);
    uint32_t end = emit_here(a);
    for (uint32_t i = 0; i < ends.n; i++)
        emit_mend(a, ends.items[i], end);
}

/* Collects what a body writes; the slot says where it began. */
static uint16_t compile_capture(Activation *a, const Frame *inner, const Body *body, const Stmt *s) {
    uint16_t slot = activation_slot(a);
    compile_enter(a, inner->symbols);
    emit(a, I_CAPTURE, 0, slot, 0, s->from, s->to, 0);
    emit_here(a);
    push_open(a, OPEN_CAPTURE, slot);
    compile_body(a, inner, body);
    a->open.n--;
    emit_here(a);
    return slot;
}

static void compile_set_block(Activation *a, const Frame *frame, const Stmt *s) {
    Compiler *c = a->compiler;
    Symbols *symbols = symbols_new(c->arena, a, frame->symbols);
    symbols_body(symbols, &s->as.set_block.body);
    if (s->as.set_block.filter != NULL) symbols_expr(symbols, s->as.set_block.filter);
    Frame inner = frame_inner(frame, symbols);
    inner.check = false; /* it is collected, so it may stand at the top of a template that extends another */
    uint16_t slot = compile_capture(a, &inner, &s->as.set_block.body, s);
    compile_filter_block(a, &inner, s->as.set_block.filter, slot);
    compile_store(a, frame, s->as.set_block.target);
}

static void emit_raw(Activation *a, const Expr *x) { emit(a, I_EMIT, 1, 0, 0, x->from, x->to, -1); }

static void compile_filter_stmt(Activation *a, const Frame *frame, const Stmt *s) {
    Symbols *symbols = symbols_new(a->compiler->arena, a, frame->symbols);
    symbols_body(symbols, &s->as.filter_block.body);
    symbols_expr(symbols, s->as.filter_block.filter);
    Frame inner = frame_inner(frame, symbols);
    uint16_t slot = compile_capture(a, &inner, &s->as.filter_block.body, s);
    compile_filter_block(a, &inner, s->as.filter_block.filter, slot);
    emit_raw(a, s->as.filter_block.filter);
}

static void compile_with(Activation *a, const Frame *frame, const Stmt *s) {
    Symbols *symbols = symbols_new(a->compiler->arena, a, frame->symbols);
    for (uint32_t i = 0; i < s->as.with.n; i++)
        symbols_target(symbols, s->as.with.targets[i], false);
    symbols_body(symbols, &s->as.with.body);
    Frame inner = frame_inner(frame, symbols);
    compile_enter(a, symbols);
    for (uint32_t i = 0; i < s->as.with.n; i++) {
        compile_expr(a, frame, s->as.with.values[i]);
        compile_store(a, &inner, s->as.with.targets[i]);
    }
    compile_body(a, &inner, &s->as.with.body);
}

static void compile_autoescape(Activation *a, const Frame *frame, const Stmt *s) {
    Compiler *c = a->compiler;
    const Expr *on = s->as.autoescape.on;
    Symbols *symbols = symbols_new(c->arena, a, frame->symbols);
    symbols_expr(symbols, on);
    symbols_body(symbols, &s->as.autoescape.body);
    Frame inner = frame_inner(frame, symbols);
    compile_enter(a, symbols);
    uint16_t slot = activation_slot(a);
    EscapeMode before = c->escape;
    compile_expr(a, &inner, on);
    emit(a, I_ESCAPING, 0, slot, 0, on->from, on->to, -1);
    c->escape = on->kind == X_CONST && on->as.literal.kind == LIT_BOOL ? (on->as.literal.as.b ? ESCAPE_ON : ESCAPE_OFF)
                                                                       : ESCAPE_INHERIT;
    push_open(a, OPEN_ESCAPE, slot);
    compile_body(a, &inner, &s->as.autoescape.body);
    a->open.n--;
    c->escape = before;
    emit(a, I_UNESCAPING, 0, slot, 0, s->from, s->to, 0);
}

static void compile_block(Activation *a, const Frame *frame, const Stmt *s) {
    Compiler *c = a->compiler;
    *VEC_PUSH(c->arena, &c->blocks) = s;
    if (frame->toplevel && c->known_extends) return;
    uint32_t jump = UINT32_MAX;
    if (frame->toplevel && c->extends > 0) jump = emit(a, I_JUMP_SET, 0, a->parent, 0, s->from, s->to, 0);
    BlockSite site = {.name = s->as.block.name, .scoped = s->as.block.scoped, .required = s->as.block.required};
    if (site.scoped) site.locals = symbols_stores(c->arena, frame->symbols, a);
    emit(a, I_BLOCK, 0, 0, c->code->block_sites.n, s->from, s->to, 0);
    *VEC_PUSH(c->arena, &c->code->block_sites) = site;
    end_check(a, jump);
}

/* False: whatever follows in this body is never reached. */
static bool compile_extends(Activation *a, const Frame *frame, const Stmt *s) {
    Compiler *c = a->compiler;
    if (!frame->toplevel) {
        diag_error(c->diags, E_TEMPLATE_SYNTAX, span(c->code->source, s->from, s->to),
                   "extends must stand at the top level of a template, not within a loop, block or macro");
        return true;
    }
    if (c->extends > 0) {
        uint32_t fine = UINT32_MAX;
        if (!c->known_extends) {
            uint32_t bad = emit(a, I_JUMP_SET, 0, a->parent, 0, s->from, s->to, 0);
            fine = emit(a, I_JUMP, 0, 0, 0, s->from, s->to, 0);
            emit_mend(a, bad, emit_here(a));
        }
        static const char text[] = "this template extends another a second time";
        emit(a, I_FAIL, 0, E_RENDER, code_const(c, val_str_lit(text, sizeof text - 1)), s->from, s->to, 0);
        if (c->known_extends) return false;
        emit_mend(a, fine, emit_here(a));
    }
    compile_expr(a, frame, s->as.expr);
    emit(a, I_EXTENDS, 0, a->parent, 0, s->from, s->to, -1);
    if (frame->rootlevel) c->known_extends = true;
    c->extends++;
    return true;
}

static uint32_t add_load(Activation *a, const Frame *frame, const Stmt *s) {
    Compiler *c = a->compiler;
    LoadSite site = {.ignore_missing = s->as.load.ignore_missing, .with_context = s->as.load.with_context};
    if (site.with_context) site.locals = symbols_stores(c->arena, frame->symbols, a);
    *VEC_PUSH(c->arena, &c->code->loads) = site;
    return c->code->loads.n - 1;
}

static void store_import(Activation *a, const Frame *frame, Name name, const Stmt *s) {
    const Ident *ident = symbols_find(frame->symbols, name);
    emit(a, I_STORE, 0, ident->slot, 0, s->from, s->to, -1);
    if (frame->toplevel) emit(a, I_EXPORT, 0, ident->slot, code_name(a->compiler, name), s->from, s->to, 0);
}

static void compile_load_stmt(Activation *a, const Frame *frame, const Stmt *s) {
    const Expr *file = s->as.load.file;
    compile_expr(a, frame, file);
    uint32_t site = add_load(a, frame, s);
    if (s->kind == S_INCLUDE) {
        emit(a, I_INCLUDE, 0, 0, site, file->from, file->to, -1);
        emit_here(a);
        return;
    }
    emit(a, I_IMPORT, 0, 0, site, file->from, file->to, 0);
    if (s->kind == S_IMPORT) {
        store_import(a, frame, s->as.load.target, s);
        return;
    }
    for (uint32_t i = 0; i < s->as.load.n; i++) {
        const ImportedName *name = &s->as.load.names[i];
        emit(a, I_MODULE_GET, 0, 0, code_name(a->compiler, name->name), name->from, name->to, 1);
        store_import(a, frame, name->alias, s);
    }
    emit(a, I_POP, 0, 0, 0, s->from, s->to, -1);
}

static void compile_macro_stmt(Activation *a, const Frame *frame, const Stmt *s) {
    compile_macro(a, frame, s);
    Name name = s->as.macro.name;
    const Ident *ident = symbols_find(frame->symbols, name);
    emit(a, I_STORE, 0, ident->slot, 0, s->from, s->to, -1);
    if (frame->toplevel)
        emit(a, I_EXPORT, name->n == 0 || name->p[0] != '_', ident->slot, code_name(a->compiler, name), s->from, s->to,
             0);
}

static void compile_call_block(Activation *a, const Frame *frame, const Stmt *s) {
    uint16_t slot = activation_slot(a);
    compile_macro(a, frame, s);
    emit(a, I_STORE, 0, slot, 0, s->from, s->to, -1);
    compile_call_with_caller(a, frame, s->as.macro.call, slot);
    emit_raw(a, s->as.macro.call);
}

static void compile_stmt(Activation *a, const Frame *frame, const Stmt *s) {
    switch (s->kind) {
    case S_TEXT:
    case S_EMIT:
        compile_output(a, frame, s);
        break;
    case S_FOR:
        compile_expr(a, frame, s->as.loop.iter);
        if (s->as.loop.recursive)
            compile_recursive_loop(a, frame, s);
        else
            compile_loop(a, frame, s);
        break;
    case S_IF:
        compile_if(a, frame, s);
        break;
    case S_SET:
        compile_expr(a, frame, s->as.set.value);
        compile_store(a, frame, s->as.set.target);
        break;
    case S_SET_BLOCK:
        compile_set_block(a, frame, s);
        break;
    case S_MACRO:
        compile_macro_stmt(a, frame, s);
        break;
    case S_CALL_BLOCK:
        compile_call_block(a, frame, s);
        break;
    case S_FILTER_BLOCK:
        compile_filter_stmt(a, frame, s);
        break;
    case S_WITH:
        compile_with(a, frame, s);
        break;
    case S_INCLUDE:
    case S_IMPORT:
    case S_FROM:
        compile_load_stmt(a, frame, s);
        break;
    case S_BLOCK:
        compile_block(a, frame, s);
        break;
    case S_DO:
        compile_expr(a, frame, s->as.expr);
        emit(a, I_POP, 0, 0, 0, s->from, s->to, -1);
        break;
    case S_BREAK:
    case S_CONTINUE:
        compile_leave(a, s);
        break;
    case S_AUTOESCAPE:
        compile_autoescape(a, frame, s);
        break;
    case S_EXTENDS:
        break; /* compile_body */
    }
}

void compile_body(Activation *a, const Frame *frame, const Body *body) {
    for (uint32_t i = 0; i < body->n; i++) {
        if (body->items[i]->kind == S_EXTENDS) {
            if (!compile_extends(a, frame, body->items[i])) return;
        } else {
            compile_stmt(a, frame, body->items[i]);
        }
    }
}

/* Extends stands at the top level or in an if there; elsewhere it is an error, found when it is compiled. */
static bool has_extends(const Body *body) {
    for (uint32_t i = 0; i < body->n; i++) {
        const Stmt *s = body->items[i];
        if (s->kind == S_EXTENDS) return true;
        if (s->kind != S_IF) continue;
        for (uint32_t j = 0; j < s->as.cond.n; j++)
            if (has_extends(&s->as.cond.branches[j].body)) return true;
        if (has_extends(&s->as.cond.otherwise)) return true;
    }
    return false;
}

/* The texts are whole now: those that are short go into the span itself. */
static void finish_spans(Code *code) {
    for (uint32_t i = 0; i < code->spans.n; i++) {
        TextSpan *pair = &code->spans.items[i];
        pair->brief = pair->before.n <= sizeof pair->before_bytes && pair->after.n <= sizeof pair->after_bytes;
        if (!pair->brief) continue;
        if (pair->before.n > 0) memcpy(pair->before_bytes, pair->before.p, pair->before.n);
        if (pair->after.n > 0) memcpy(pair->after_bytes, pair->after.p, pair->after.n);
    }
}

Code *code_compile(Arena *arena, Names *names, const TemplateAst *ast, bool autoescape, Diags *diags) {
    Compiler c = {.arena = arena, .names = names, .diags = diags};
    uint32_t errors = diags->errors;
    c.code = ARENA_NEW(arena, Code);
    c.code->source = ast->source;
    c.escape = autoescape ? ESCAPE_ON : ESCAPE_OFF;
    c.n_loop = names_get(names, S("loop")), c.n_caller = names_get(names, S("caller"));
    c.n_kwargs = names_get(names, S("kwargs")), c.n_varargs = names_get(names, S("varargs"));
    c.n_self = names_get(names, S("self")), c.n_super = names_get(names, S("super"));
    map_init(&c.name_index, arena);
    c.has_extends = has_extends(&ast->body);

    uint32_t end = (uint32_t)ast->source->text.n;
    Activation *root = activation_new(&c, NULL, FUNCTION_ROOT, NULL, (CodePlace){0, 0});
    Symbols *symbols = symbols_new(arena, root, NULL);
    Uses uses = {.names = {c.n_self}};
    uses_body(&uses, &ast->body);
    compile_special(symbols, c.n_self, uses.found[0], &root->function->self);
    symbols_body(symbols, &ast->body);
    Frame frame = {.symbols = symbols, .toplevel = true, .rootlevel = true, .check = c.has_extends};
    if (c.has_extends) root->parent = activation_slot(root);
    compile_enter(root, symbols);
    compile_body(root, &frame, &ast->body);
    if (c.has_extends) emit(root, I_PARENT, 0, root->parent, 0, 0, 0, 0);
    c.code->root = activation_end(root, end, end);
    for (uint32_t i = 0; i < c.blocks.n; i++)
        compile_block_function(&c, c.blocks.items[i]);
    finish_spans(c.code);
    return diags->errors == errors ? c.code : NULL;
}

Function *code_block(const Code *code, Name name) {
    for (uint32_t i = 0; i < code->blocks.n; i++)
        if (code->blocks.items[i]->name == name) return code->blocks.items[i];
    return NULL;
}

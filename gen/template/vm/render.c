/* render.c: one rendering from beginning to end. Sets up the VM, runs it, and turns a failure into a finding that tells
 * where the template stood and how it came there. */
#include "template/vm/vm.h"

Span vm_span(const VmFrame *frame) {
    const Function *f = frame->function;
    size_t at = (size_t)(frame->pc - f->insns);
    return span(f->code->source, f->places[at].from, f->places[at].to);
}

void vm_fail_reported(Vm *vm) {
    vm->reported = true;
    mem_throw();
}

/* ---- findings */

/* How the frame above this one was entered. */
static Str entered_text(Arena *arena, const VmFrame *frame) {
    const Function *f = frame->function;
    switch (f->kind) {
    case FUNCTION_MACRO:
        return str_format(arena, "in macro %Q, called here", name_str(f->name));
    case FUNCTION_CALLER:
        return S("in the body of a call block, called here");
    case FUNCTION_BLOCK:
        return str_format(arena, "in block %Q, shown here", name_str(f->name));
    case FUNCTION_LOOP:
        return S("in a recursive loop, entered here");
    case FUNCTION_ROOT:
        break;
    }
    return str_format(arena, "in template %Q, loaded here", f->code->source->name);
}

static void add_notes(Vm *vm, Diag *diag, uint32_t innermost) {
    Diags *diags = vm->engine->diags;
    for (uint32_t i = innermost; i-- > 0;) {
        const VmFrame *inner = &vm->frames.items[i + 1];
        diag_note(diags, diag, vm_span(&vm->frames.items[i]), "%S", entered_text(diags->arena, inner));
    }
}

static void add_finding(Vm *vm, DiagCode code, Str text, Str hint) {
    Diags *diags = vm->engine->diags;
    Span at = vm->frames.n > 0 ? vm_span(&VEC_LAST(&vm->frames)) : (Span){0};
    Diag *diag = diag_error(diags, code, at, "%S", text);
    if (hint.n > 0) diag_hint(diags, diag, "%S", hint);
    if (vm->frames.n > 0) add_notes(vm, diag, vm->frames.n - 1);
}

static void report(Vm *vm, const MemTrap *trap, uint32_t before) {
    Diags *diags = vm->engine->diags;
    const TemplateLimits *limits = &vm->run.limits;
    if (trap->why == MEM_THROWN && vm->reported) {
        /* What failed was another template's loading: it says where, and the way there is told here. */
        for (uint32_t i = before; i < diags->items.n; i++) {
            Diag *diag = diags->items.items[i];
            Span here = vm_span(&VEC_LAST(&vm->frames));
            if (diag->span.source != here.source) diag_note(diags, diag, here, "loaded here");
            add_notes(vm, diag, vm->frames.n - 1);
        }
    } else if (trap->why == MEM_THROWN) {
        add_finding(vm, vm->run.error_code, vm->run.error, vm->run.error_hint);
    } else if (vm->out.n + trap->wanted > limits->output) {
        Str text = str_format(diags->arena, "the output is larger than %llu bytes", (unsigned long long)limits->output);
        add_finding(vm, E_LIMIT, text, S("--max-output sets another limit"));
    } else {
        Str text = str_format(diags->arena, "rendering needs more than %llu bytes of memory",
                              (unsigned long long)limits->memory);
        add_finding(vm, E_LIMIT, text, S("--max-memory sets another limit"));
    }
}

/* ---- the run */

static void set_limits(Run *run) {
    TemplateLimits *limits = &run->limits;
    if (limits->loops == 0) limits->loops = 100000000;
    if (limits->output == 0) limits->output = (size_t)1 << 30;
    if (limits->memory == 0) limits->memory = (size_t)1 << 30;
    if (limits->depth == 0) limits->depth = 1000;
    run->loops_left = limits->loops;
}

static void vm_init(Vm *vm, Engine *engine, Arena *out) {
    *vm = (Vm){.engine = engine};
    arena_init(&vm->values);
    arena_init(&vm->frame_arena);
    Run *run = &vm->run;
    run->arena = &vm->values;
    run->names = engine->names;
    run->undefined = engine->options.undefined;
    run->limits = engine->options.limits;
    run->autoescape = engine->options.autoescape;
    run->error_arena = engine->diags->arena;
    run->suggest = vm_suggest;
    set_limits(run);
    vm->values.limit = run->limits.memory;
    map_init(&vm->modules, &vm->values);
    buf_init(&vm->out, out);
}

static Context *root_context(Vm *vm, const Template *template, Value data) {
    Context *context = context_new(vm, NULL, data.kind == V_DICT ? data.as.dict : NULL);
    context_add_blocks(vm, context, template->code);
    return context;
}

typedef void (*RenderFn)(Vm *vm, const Template *template, Value data, Name block);

static void render_whole(Vm *vm, const Template *template, Value data, Name block) {
    (void)block;
    vm_push(vm, template->code->root, NULL, root_context(vm, template, data), RETURN_NOTHING);
    vm_run(vm);
}

/* The top level first, for what it sets, defines and extends; its output is not wanted. */
static void render_block(Vm *vm, const Template *template, Value data, Name block) {
    render_whole(vm, template, data, NULL);
    Context *context = vm->frames.items[0].context;
    vm->frames.n = 0;
    vm->out.n = 0;
    const BlockLevel *level = context_block(context, block);
    if (level == NULL) run_fail(&vm->run, "the template has no block %Q", name_str(block));
    vm_push_block(vm, level, context, RETURN_NOTHING);
    vm_run(vm);
}

static bool render(Engine *engine, Template *template, Value data, Name block, RenderFn fn, Arena *out, Str *text) {
    Vm vm;
    vm_init(&vm, engine, out);
    uint32_t before = engine->diags->items.n;
    size_t limit_before = out->limit;
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        out->limit = limit_before;
        MemWhy why = trap.why;
        vm.values.limit = 0;
        if (why != MEM_SYSTEM) {
            /* Telling the failure needs memory too, and may not leave the VM behind. */
            MemTrap telling;
            if (MEM_TRAP(&telling)) {
                arena_free(&vm.values);
                arena_free(&vm.frame_arena);
                mem_fail(telling.why, telling.wanted);
            }
            report(&vm, &trap, before);
            mem_untrap(&telling);
        }
        arena_free(&vm.values);
        arena_free(&vm.frame_arena);
        if (why == MEM_SYSTEM) mem_fail(trap.why, trap.wanted);
        return false;
    }
    /* The buffer grows by doubling: the limit on what it holds is vm.c's. */
    out->limit = out->held + 2 * vm.run.limits.output + 65536;
    if (template->last_size > 0) buf_room(&vm.out, template->last_size + 64);
    fn(&vm, template, data, block);
    mem_untrap(&trap);
    template->last_size = vm.out.n;
    out->limit = limit_before;
    *text = buf_str(&vm.out);
    arena_free(&vm.values);
    arena_free(&vm.frame_arena);
    return true;
}

bool engine_render(Engine *engine, Template *template, Value data, Arena *out, Str *text) {
    return render(engine, template, data, NULL, render_whole, out, text);
}

bool engine_render_block(Engine *engine, Template *template, Name block, Value data, Arena *out, Str *text) {
    return render(engine, template, data, block, render_block, out, text);
}

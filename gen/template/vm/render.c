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
    run->lasting = &vm->frame_arena;
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

/* ---- going on after an error, to find the others */

enum { FAILED_MOST = 20 };

static const CodeRange *find_emit(const VmFrame *frame) {
    const Function *f = frame->function;
    uint32_t at = (uint32_t)(frame->pc - f->insns), low = 0, high = f->emits.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->emits.items[middle].to <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->emits.n && f->emits.items[low].from <= at ? &f->emits.items[low] : NULL;
}

static bool is_new_failure(Vm *vm) {
    const Insn *pc = VEC_LAST(&vm->frames).pc;
    for (uint32_t i = 0; i < vm->failed.n; i++)
        if (vm->failed.items[i] == pc) return false;
    *VEC_PUSH(&vm->frame_arena, &vm->failed) = pc;
    return true;
}

/* An error within {{ }} leaves the template's own state as it was: it is told, and the rendering goes on behind it, its
 * output no longer wanted. Not after a limit, and not after an error in a tag, where what follows would suffer from it.
 */
static bool go_on(Vm *vm, const MemTrap *trap) {
    if (trap->why != MEM_THROWN || vm->reported) return false;
    if (vm->run.error_code != E_UNDEFINED && vm->run.error_code != E_RENDER) return false;
    if (vm->failed.n >= FAILED_MOST) return false;
    uint32_t i = vm->frames.n;
    const CodeRange *emit = NULL;
    while (i > 0 && emit == NULL)
        emit = find_emit(&vm->frames.items[--i]);
    if (emit == NULL) return false;
    if (is_new_failure(vm)) add_finding(vm, vm->run.error_code, vm->run.error, vm->run.error_hint);
    if (i + 1 < vm->frames.n) {
        const VmFrame *left = &vm->frames.items[i + 1];
        vm->run.autoescape = left->escape_before;
        vm->out.n = left->out_start;
    }
    vm->frames.n = i + 1;
    VmFrame *frame = &vm->frames.items[i];
    frame->pc = frame->function->insns + emit->to;
    frame->sp = frame->env->slots + frame->function->slots;
    return true;
}

/* ---- from beginning to end */

typedef struct Rendering {
    Vm vm;
    Template *template;
    Value data;
    Name block; /* NULL: the whole template */
    bool begun;
} Rendering;

static void run_whole(Rendering *r) {
    Vm *vm = &r->vm;
    buf_room(&vm->out, r->template->last_size + 64);
    vm_push(vm, r->template->code->root, NULL, root_context(vm, r->template, r->data), RETURN_NOTHING);
    r->begun = true;
    vm->setting_up = r->block != NULL;
    vm_run(vm);
    vm->setting_up = false;
    if (r->block == NULL) {
        vm_check_output(vm);
        return;
    }
    /* The top level was run for what it sets, defines and extends; its output is not wanted. */
    Context *context = vm->frames.items[0].context;
    const BlockLevel *level = context_block(context, r->block);
    if (level == NULL) run_fail(&vm->run, "the template has no block %Q", name_str(r->block));
    vm->frames.n = 0;
    vm->out.n = 0;
    vm_push_block(vm, level, context, RETURN_NOTHING);
    vm_run(vm);
    vm_check_output(vm);
}

/* In functions of their own, so that no local is changed between the setting of a trap and its jump. */
static bool run_guarded(Rendering *r, MemTrap *trap) {
    if (MEM_TRAP(trap)) return false;
    if (r->begun)
        vm_run(&r->vm);
    else
        run_whole(r);
    mem_untrap(trap);
    return true;
}

/* Telling a failure needs memory too: false if there was none. */
static bool tell_guarded(Rendering *r, const MemTrap *trap, uint32_t before, bool *again, MemTrap *telling) {
    if (MEM_TRAP(telling)) return false;
    *again = r->begun && go_on(&r->vm, trap);
    if (!*again) report(&r->vm, trap, before);
    mem_untrap(telling);
    return true;
}

static bool render(Engine *engine, Template *template, Value data, Name block, Arena *out, Str *text) {
    Rendering r = {.template = template, .data = data, .block = block};
    vm_init(&r.vm, engine, out);
    uint32_t before = engine->diags->items.n;
    size_t limit_before = out->limit;
    /* The buffer grows by doubling: the limit on what it holds is write.c's. */
    out->limit = out->held + 2 * r.vm.run.limits.output + 65536;
    MemTrap trap, telling;
    bool again = true, told = true;
    while (again) {
        again = false;
        if (run_guarded(&r, &trap)) break;
        if (trap.why == MEM_SYSTEM)
            told = false, telling = trap;
        else
            told = tell_guarded(&r, &trap, before, &again, &telling);
    }
    out->limit = limit_before;
    template->last_size = r.vm.out.n;
    *text = buf_str(&r.vm.out);
    arena_free(&r.vm.values);
    arena_free(&r.vm.frame_arena);
    if (!told) mem_fail(telling.why, telling.wanted);
    return engine->diags->items.n == before;
}

bool engine_render(Engine *engine, Template *template, Value data, Arena *out, Str *text) {
    return render(engine, template, data, NULL, out, text);
}

bool engine_render_block(Engine *engine, Template *template, Name block, Value data, Arena *out, Str *text) {
    return render(engine, template, data, block, out, text);
}

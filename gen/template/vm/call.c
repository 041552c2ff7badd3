/* call.c: entering functions, and binding what a call gives to what the callee takes. */
#include "template/vm/vm.h"

/* Macros that call each other can go on as long as loops, so calls count against the same limit. */
enum { CALL_COST = 8 };

VmFrame *vm_push(Vm *vm, const Function *function, Env *up, Context *context, ReturnKind result) {
    Run *run = &vm->run;
    if (vm->frames.n >= run->limits.depth)
        run_fail_as(run, E_LIMIT, S("--max-depth sets another limit"),
                    "calls, blocks, includes and imports are nested more than %u deep", run->limits.depth);
    if (vm->frames.n > 0) run_spend(run, CALL_COST);
    ArenaMark mark = arena_mark(&vm->values);
    uint32_t depth = 0;
    if (vm->frames.n > 0) depth = VEC_LAST(&vm->frames).loop_depth;
    size_t n = (size_t)function->slots + function->stack + 1;
    Env *env = arena_alloc(&vm->values, sizeof *env + n * sizeof(Value));
    env->up = up;
    for (uint32_t i = 0; i < function->slots; i++)
        env->slots[i] = val_missing();
    VmFrame *frame = VEC_PUSH(&vm->frame_arena, &vm->frames);
    *frame = (VmFrame){.function = function,
                       .pc = function->insns,
                       .env = env,
                       .sp = env->slots + function->slots,
                       .context = context,
                       .out_start = vm->out.n,
                       .mark = mark,
                       .changes = run->changes,
                       .loop_depth = function->kind == FUNCTION_LOOP ? depth : 0,
                       .result = (uint8_t)result,
                       .escape_before = run->autoescape};
    if (function->escape != ESCAPE_INHERIT) run->autoescape = function->escape == ESCAPE_ON;
    if (function->self != CODE_NO_SLOT) env->slots[function->self] = vm_self(vm, context);
    return frame;
}

void vm_push_block(Vm *vm, const BlockLevel *level, Context *context, ReturnKind result) {
    VmFrame *frame = vm_push(vm, level->function, NULL, context, result);
    frame->block = level;
    if (level->function->super != CODE_NO_SLOT) frame->env->slots[level->function->super] = vm_super(vm, frame);
}

/* The arguments of one call, stars taken apart. */
typedef struct Args {
    const Value *values;
    uint32_t n;
    const Name *keywords;
    const Value *keyword_values;
    uint32_t keyword_count;
} Args;

static void add_star_star(Vm *vm, Args *args, Value mapping) {
    Run *run = &vm->run;
    if (mapping.kind == V_UNDEFINED) run_fail_undefined(run, mapping);
    if (mapping.kind != V_DICT)
        run_fail(run, "what follows ** in a call must be a dict, not a %s", val_type_name(mapping));
    const Dict *dict = mapping.as.dict;
    uint32_t n = args->keyword_count;
    Name *names = ARENA_ARRAY(run->arena, Name, n + dict->live);
    Value *values = ARENA_ARRAY(run->arena, Value, n + dict->live);
    for (uint32_t i = 0; i < n; i++)
        names[i] = args->keywords[i], values[i] = args->keyword_values[i];
    for (uint32_t i = dict_next(dict, 0); i < dict->used; i = dict_next(dict, i + 1)) {
        Value key = dict->entries[i].key;
        if (key.kind != V_STR)
            run_fail(run, "the keys of the dict behind ** must be texts, not %s", val_type_name(key));
        Name name = names_get(run->names, val_text(key));
        for (uint32_t j = 0; j < n; j++)
            if (names[j] == name) run_fail(run, "the call gives a value for %Q twice", name_str(name));
        names[n] = name, values[n++] = dict->entries[i].value;
    }
    args->keywords = names, args->keyword_values = values, args->keyword_count = n;
}

/* The values of the call are the last ones on the stack. Returns where they begin. */
static Value *take_args(Vm *vm, const CallSite *site, Value *sp, Args *args) {
    Run *run = &vm->run;
    Value star_star = val_missing(), star = val_missing();
    if (site->star_star) star_star = *--sp;
    if (site->star) star = *--sp;
    sp -= site->n + site->keyword_count;
    *args = (Args){sp, site->n, site->keywords, sp + site->n, site->keyword_count};
    if (site->star) {
        List *all = list_new(run->arena, site->n);
        for (uint32_t i = 0; i < site->n; i++)
            list_push(run->arena, all, sp[i]);
        ValueIter it;
        Value item;
        for (val_iter(run, &it, star); val_next(run, &it, &item);)
            list_push(run->arena, all, item);
        args->values = all->items, args->n = all->n;
    }
    if (site->star_star) add_star_star(vm, args, star_star);
    return sp;
}

static Str function_name(const Function *f) { return f->name != NULL ? name_str(f->name) : S("caller"); }

static uint32_t find_param(const Function *f, Name name) {
    uint32_t i = 0;
    while (i < f->param_count && f->params[i] != name)
        i++;
    return i;
}

static void fail_keyword(Vm *vm, const Function *f, Name name) {
    Run *run = &vm->run;
    Nearest nearest;
    nearest_init(&nearest, name_str(name));
    for (uint32_t i = 0; i < f->param_count; i++)
        nearest_try(&nearest, name_str(f->params[i]));
    if (str_eq(name_str(name), S("caller")))
        run_fail_as(run, E_RENDER, S("only a macro that uses caller() can be used with a call block"),
                    "macro %Q does not use its caller", function_name(f));
    run_fail_as(run, E_RENDER, nearest_hint(&nearest, run->error_arena), "macro %Q has no parameter %Q",
                function_name(f), name_str(name));
}

static bool is_caller(const Vm *vm, Name name) {
    (void)vm;
    return str_eq(name_str(name), S("caller"));
}

/* Parameters by position, then by name; the rest goes to varargs and kwargs where the macro uses them. */
static void bind_macro(Vm *vm, Env *env, const Function *f, const Args *args) {
    Run *run = &vm->run;
    uint32_t n = args->n < f->param_count ? args->n : f->param_count;
    for (uint32_t i = 0; i < n; i++)
        env->slots[i] = args->values[i];
    Dict *rest = f->kwargs != CODE_NO_SLOT ? dict_new(run->arena, 0) : NULL;
    Value caller = val_missing();
    for (uint32_t i = 0; i < args->keyword_count; i++) {
        Name name = args->keywords[i];
        uint32_t at = find_param(f, name);
        if (at < n && rest == NULL)
            run_fail(run, "macro %Q got a value for its parameter %Q twice", function_name(f), name_str(name));
        if (at >= n && at < f->param_count)
            env->slots[at] = args->keyword_values[i];
        else if (f->caller != CODE_NO_SLOT && is_caller(vm, name))
            caller = args->keyword_values[i];
        else if (rest != NULL)
            dict_set(run, rest, val_name(name), args->keyword_values[i]);
        else
            fail_keyword(vm, f, name);
    }
    if (f->caller != CODE_NO_SLOT)
        env->slots[f->caller] =
            caller.kind != V_MISSING
                ? caller
                : val_undefined_hint(run, S("the macro was not used with a call block, so there is no caller"));
    if (rest != NULL) env->slots[f->kwargs] = val_dict(rest);
    if (f->varargs != CODE_NO_SLOT) {
        List *list = list_new(run->arena, args->n - n);
        for (uint32_t i = n; i < args->n; i++)
            list_push(run->arena, list, args->values[i]);
        env->slots[f->varargs] = val_tuple(list);
    } else if (args->n > n) {
        run_fail(run, "macro %Q takes %u argument%s, but %u were given", function_name(f), f->param_count,
                 f->param_count == 1 ? "" : "s", args->n);
    }
}

static void call_macro(Vm *vm, const MacroObject *macro, const Args *args) {
    const Function *f = macro->function;
    VmFrame *frame = vm_push(vm, f, macro->env, macro->context, RETURN_TEXT);
    Env *env = frame->env;
    /* An error of the arguments belongs to the call. */
    vm->frames.n--;
    bind_macro(vm, env, f, args);
    vm->frames.n++;
}

static void want_args(Vm *vm, const Args *args, uint32_t n, const char *what) {
    if (args->n != n || args->keyword_count != 0)
        run_fail(&vm->run, "%s takes %s, but %u were given", what,
                 n == 0 ? "no arguments" : "one argument, what to go through next", args->n + args->keyword_count);
}

static void call_loop(Vm *vm, const LoopState *loop, const Args *args) {
    if (loop->function == NULL)
        run_fail_as(&vm->run, E_RENDER, S("write {% for ... recursive %}"),
                    "loop() can be called only in a recursive loop");
    want_args(vm, args, 1, "loop()");
    Value iterable = args->values[0];
    VmFrame *frame = vm_push(vm, loop->function, loop->env, loop->context, RETURN_TEXT);
    frame->loop_depth = loop->depth + 1;
    frame->env->slots[0] = iterable;
}

static void call_object(Vm *vm, Object *object, const Args *args) {
    Run *run = &vm->run;
    const Class *class = object->class;
    if (class == &class_macro) {
        call_macro(vm, (const MacroObject *)(const void *)object, args);
    } else if (class == &class_loop) {
        call_loop(vm, (const LoopState *)(const void *)object, args);
    } else if (class == &class_block) {
        const BlockObject *block = (const BlockObject *)(const void *)object;
        want_args(vm, args, 0, "a block");
        if (block->level == NULL) run_fail(run, "there is no parent block %Q", name_str(block->name));
        vm_push_block(vm, block->level, block->context, RETURN_TEXT);
    } else if (class->call != NULL) {
        *VEC_LAST(&vm->frames).sp++ =
            class->call(run, object, args->values, args->n, args->keywords, args->keyword_values, args->keyword_count);
    } else {
        run_fail(run, "a %s cannot be called", class->name);
    }
}

static Value call_native(Vm *vm, const Native *native, void *user, Value self, const Args *args) {
    return native_call(&vm->run, native, user, self, args->values, args->n, args->keywords, args->keyword_values,
                       args->keyword_count);
}

/* A filter or method of this program. What others provide may keep what it made. */
static Value call_builtin(Vm *vm, const Native *native, Value self, const Args *args) {
    Run *run = &vm->run;
    const RunMark mark = run_mark(run);
    const Value v = run_settle(run, mark, call_native(vm, native, NULL, self, args));
    return vm_emit_fresh(vm, VEC_LAST(&vm->frames).pc + 1, v);
}

void vm_call(Vm *vm, const CallSite *site, bool attr) {
    Run *run = &vm->run;
    VmFrame *f = &VEC_LAST(&vm->frames);
    Args args;
    Value *base = take_args(vm, site, f->sp, &args) - 1;
    Value callee = *base;
    f->sp = base; /* the values stay where they are until something is pushed there: only results are */
    if (attr) {
        const Native *method;
        if (val_find_method(callee, site->attr.name, &method)) {
            *f->sp++ = call_builtin(vm, method, callee, &args);
            return;
        }
        callee = val_get_attr(run, callee, site->attr.name);
    }
    switch ((ValueKind)callee.kind) {
    case V_FUNC:
    case V_METHOD: {
        const Bound *bound = callee.as.bound;
        *f->sp++ = call_native(vm, bound->native, bound->user, bound->self, &args);
        break;
    }
    case V_OBJECT:
        call_object(vm, callee.as.object, &args);
        break;
    case V_UNDEFINED:
        run_fail_undefined(run, callee);
    default:
        run_fail(run, "a value of type %s cannot be called", val_type_name(callee));
    }
}

void vm_call_filter(Vm *vm, const CallSite *site) {
    VmFrame *f = &VEC_LAST(&vm->frames);
    Args args;
    Value *base = take_args(vm, site, f->sp, &args) - 1;
    Value result = call_builtin(vm, site->native, *base, &args);
    *base = result;
    f->sp = base + 1;
}

/* ---- macros as values */

static bool macro_get(Run *run, Object *object, Name name, Value *out) {
    const Function *f = ((const MacroObject *)(const void *)object)->function;
    Str s = name_str(name);
    if (str_eq(s, S("name"))) {
        *out = f->name != NULL ? val_name(f->name) : val_none();
    } else if (str_eq(s, S("arguments"))) {
        List *list = list_new(run->arena, f->param_count);
        for (uint32_t i = 0; i < f->param_count; i++)
            list_push(run->arena, list, val_name(f->params[i]));
        *out = val_tuple(list);
    } else if (str_eq(s, S("caller"))) {
        *out = val_bool(f->caller != CODE_NO_SLOT || f->explicit_caller);
    } else if (str_eq(s, S("catch_kwargs"))) {
        *out = val_bool(f->kwargs != CODE_NO_SLOT);
    } else if (str_eq(s, S("catch_varargs"))) {
        *out = val_bool(f->varargs != CODE_NO_SLOT);
    } else {
        return false;
    }
    return true;
}

static void macro_print(Run *run, Object *object, Buf *out) {
    (void)run;
    const Function *f = ((const MacroObject *)(const void *)object)->function;
    if (f->name != NULL)
        buf_format(out, "<Macro '%S'>", name_str(f->name));
    else
        buf_add(out, S("<Macro anonymous>"));
}

/* Only the VM can run a template's function; a builtin that is handed one cannot. Also says that such a value is
 * callable. */
static Value refuse_call(Run *run, Object *object, const Value *args, uint32_t n, const Name *keywords,
                         const Value *keyword_values, uint32_t keyword_count) {
    (void)args, (void)n, (void)keywords, (void)keyword_values, (void)keyword_count;
    run_fail(run, "a %s can be called only by a template", object->class->name);
}

const Class class_macro = {.name = "macro", .get = macro_get, .print = macro_print, .call = refuse_call};

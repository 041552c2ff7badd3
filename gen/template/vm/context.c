/* context.c: where a template finds what is not a variable of its own code: the data, what includes pass on, what was
 * set at the top level, functions; and the blocks, included and imported templates that it reaches by name. */
#include "template/vm/vm.h"

Context *context_new(Vm *vm, Context *outer, Dict *locals) {
    Arena *arena = vm->run.arena;
    Context *context = ARENA_NEW(arena, Context);
    context->outer = outer;
    context->vars = dict_new(arena, 0);
    context->locals = locals;
    map_init(&context->exported, arena);
    context->blocks = ARENA_NEW(arena, Map);
    map_init(context->blocks, arena);
    return context;
}

Value context_find(Vm *vm, const Context *context, Name name) {
    for (; context != NULL; context = context->outer) {
        const Value *found = dict_find_name(context->vars, name);
        if (found != NULL) return *found;
        if (context->locals != NULL) found = dict_find_name(context->locals, name);
        if (found != NULL) return *found;
    }
    const Value *global = engine_global(vm->engine, name);
    return global != NULL ? *global : val_missing();
}

/* A snapshot of what a template sees, for an import with context: what is set later does not change it. */
static Context *context_freeze(Vm *vm, const Context *context) {
    Context *copy = context_new(vm, context->outer, context->locals);
    copy->vars = dict_copy(vm->run.arena, context->vars);
    return copy;
}

void context_add_blocks(Vm *vm, Context *context, const Code *code) {
    for (uint32_t i = 0; i < code->blocks.n; i++) {
        const Function *function = code->blocks.items[i];
        BlockLevel *level = ARENA_NEW(vm->run.arena, BlockLevel);
        level->function = function;
        BlockLevel *first = map_get(context->blocks, function->name);
        if (first == NULL) {
            map_set(context->blocks, function->name, level);
        } else {
            while (first->super != NULL)
                first = first->super;
            first->super = level;
        }
    }
}

const BlockLevel *context_block(const Context *context, Name name) { return map_get(context->blocks, name); }

Dict *context_locals(Vm *vm, const Locals *locals, const Env *env) {
    if (locals->n == 0) return NULL;
    Dict *dict = dict_new(vm->run.arena, locals->n);
    for (uint32_t i = 0; i < locals->n; i++) {
        const LocalRef *ref = &locals->items[i];
        const Env *at = env;
        for (unsigned up = ref->up; up > 0; up--)
            at = at->up;
        Value v = at->slots[ref->slot];
        if (v.kind != V_MISSING) dict_set(&vm->run, dict, val_name(ref->name), v);
    }
    return dict;
}

Value vm_undefined_name(Vm *vm, Name name) { return val_undefined(&vm->run, val_missing(), val_name(name)); }

/* ---- blocks */

void vm_block(Vm *vm, const BlockSite *site) {
    VmFrame *f = &VEC_LAST(&vm->frames);
    const BlockLevel *level = context_block(f->context, site->name);
    if (level == NULL) run_fail(&vm->run, "there is no block %Q", name_str(site->name));
    if (site->required && level->super == NULL)
        run_fail_as(&vm->run, E_RENDER, S("a template that extends this one must define it"),
                    "the required block %Q is not defined", name_str(site->name));
    Context *context = f->context;
    if (site->scoped) {
        context = context_new(vm, f->context, context_locals(vm, &site->locals, f->env));
        context->blocks = f->context->blocks;
    }
    if (!vm->setting_up || vm->frames.n > 1) vm_push_block(vm, level, context, RETURN_NOTHING);
}

static Value block_object(Run *run, Name name, const BlockLevel *level, Context *context) {
    BlockObject *block = arena_zalloc(run->arena, sizeof *block);
    *block = (BlockObject){{&class_block}, name, level, context};
    return val_object(&block->head);
}

Value vm_super(Vm *vm, const VmFrame *frame) {
    const BlockLevel *super = frame->block->super;
    if (super == NULL)
        return val_undefined_hint(&vm->run, str_format(vm->run.arena, "there is no parent block %Q for super()",
                                                       name_str(frame->block->function->name)));
    return block_object(&vm->run, frame->block->function->name, super, frame->context);
}

/* super.super */
static bool block_get(Run *run, Object *object, Name name, Value *out) {
    const BlockObject *block = (const BlockObject *)(const void *)object;
    if (!str_eq(name_str(name), S("super"))) return false;
    if (block->level == NULL || block->level->super == NULL)
        *out = val_undefined_hint(
            run, str_format(run->arena, "there is no parent block %Q for super()", name_str(block->name)));
    else
        *out = block_object(run, block->name, block->level->super, block->context);
    return true;
}

static Value refuse_call(Run *run, Object *object, const Value *args, uint32_t n, const Name *keywords,
                         const Value *keyword_values, uint32_t keyword_count) {
    (void)object, (void)args, (void)n, (void)keywords, (void)keyword_values, (void)keyword_count;
    run_fail(run, "a block can be called only by a template");
}

const Class class_block = {.name = "block", .get = block_get, .call = refuse_call};

typedef struct SelfObject {
    Object head;
    Context *context;
} SelfObject;

Value vm_self(Vm *vm, Context *context) {
    SelfObject *self = ARENA_NEW(vm->run.arena, SelfObject);
    *self = (SelfObject){{&class_self}, context};
    return val_object(&self->head);
}

static bool self_get(Run *run, Object *object, Name name, Value *out) {
    Context *context = ((const SelfObject *)(const void *)object)->context;
    const BlockLevel *level = context_block(context, name);
    if (level == NULL) return false;
    *out = block_object(run, name, level, context);
    return true;
}

static bool self_item(Run *run, Object *object, Value key, Value *out) {
    if (key.kind != V_STR) return false;
    return self_get(run, object, names_get(run->names, val_text(key)), out);
}

const Class class_self = {.name = "template", .get = self_get, .item = self_item};

/* ---- other templates */

static void want_name(Run *run, Value v) {
    if (v.kind == V_UNDEFINED) run_fail_undefined(run, v);
    if (v.kind != V_STR) run_fail(run, "the name of a template must be a text, not a %s", val_type_name(v));
}

Template *vm_load(Vm *vm, Value which, bool ignore_missing) {
    Run *run = &vm->run;
    VEC(Str) names = {0};
    if (which.kind == V_LIST || which.kind == V_TUPLE) {
        for (uint32_t i = 0; i < which.as.list->n; i++) {
            want_name(run, which.as.list->items[i]);
            *VEC_PUSH(run->arena, &names) = val_text(which.as.list->items[i]);
        }
        if (names.n == 0 && !ignore_missing) run_fail(run, "the list of templates to choose from is empty");
    } else {
        want_name(run, which);
        *VEC_PUSH(run->arena, &names) = val_text(which);
    }
    Span from = vm_span(&VEC_LAST(&vm->frames));
    for (uint32_t i = 0; i < names.n; i++) {
        Template *template = NULL;
        LoadStatus status = engine_find(vm->engine, names.items[i], from, &template);
        if (status == LOAD_FOUND) return template;
        if (status == LOAD_BAD) vm_fail_reported(vm);
    }
    if (ignore_missing) return NULL;
    engine_say_missing(vm->engine, names.items, names.n, from);
    vm_fail_reported(vm);
}

/* A template without context is run once in a rendering, whoever includes or imports it. */
static bool push_module(Vm *vm, const Template *template, Context *context, bool cached) {
    VmFrame *f = &VEC_LAST(&vm->frames);
    Module *module = cached ? map_get(&vm->modules, template->name) : NULL;
    if (module != NULL && !module->done)
        run_fail_as(&vm->run, E_LIMIT, S("move what both need into a third template"),
                    "template %Q imports itself, directly or through others", name_str(template->name));
    if (module != NULL) {
        *f->sp++ = val_object(&module->head);
        return false;
    }
    module = ARENA_NEW(vm->run.arena, Module);
    *module = (Module){{&class_module}, false, template, context, S("")};
    if (cached) {
        map_set(&vm->modules, template->name, module);
        run_changed(&vm->run);
    }
    context_add_blocks(vm, context, template->code);
    vm_push(vm, template->code->root, NULL, context, RETURN_MODULE)->module = module;
    return true;
}

void vm_include(Vm *vm, const LoadSite *site, Value which) {
    const Template *template = vm_load(vm, which, site->ignore_missing);
    if (template == NULL) return;
    VmFrame *f = &VEC_LAST(&vm->frames);
    if (site->with_context) {
        Context *context = context_new(vm, f->context, context_locals(vm, &site->locals, f->env));
        context_add_blocks(vm, context, template->code);
        vm_push(vm, template->code->root, NULL, context, RETURN_NOTHING);
        return;
    }
    if (push_module(vm, template, context_new(vm, NULL, NULL), true)) {
        VEC_LAST(&vm->frames).discard = true;
        return;
    }
    f = &VEC_LAST(&vm->frames);
    f->sp--;
    vm_write(vm, val_str(&vm->run, ((const Module *)(const void *)f->sp->as.object)->text), true);
}

void vm_import(Vm *vm, const LoadSite *site, Value which) {
    const Template *template = vm_load(vm, which, false);
    const VmFrame *f = &VEC_LAST(&vm->frames);
    if (site->with_context) {
        Context *context = context_new(vm, context_freeze(vm, f->context), context_locals(vm, &site->locals, f->env));
        push_module(vm, template, context, false);
    } else {
        push_module(vm, template, context_new(vm, NULL, NULL), true);
    }
}

static bool module_get(Run *run, Object *object, Name name, Value *out) {
    (void)run;
    const Module *module = (const Module *)(const void *)object;
    if (map_get(&module->context->exported, name) == NULL) return false;
    *out = *dict_find_name(module->context->vars, name);
    return true;
}

static void module_print(Run *run, Object *object, Buf *out) {
    (void)run;
    buf_add(out, ((const Module *)(const void *)object)->text);
}

const Class class_module = {.name = "template", .get = module_get, .print = module_print};

Value vm_module_get(Vm *vm, Value v, Name name) {
    const Module *module = (const Module *)(const void *)v.as.object;
    Value out;
    if (module_get(&vm->run, v.as.object, name, &out)) return out;
    return val_undefined_hint(&vm->run, str_format(vm->run.arena, "the template %Q has nothing named %Q to import",
                                                   name_str(module->template->name), name_str(name)));
}

/* ---- "did you mean": the nearest name that the template could have used here */

static void try_dict(Nearest *nearest, const Dict *dict) {
    if (dict == NULL) return;
    for (uint32_t i = dict_next(dict, 0); i < dict->used; i = dict_next(dict, i + 1))
        if (dict->entries[i].key.kind == V_STR) nearest_try(nearest, val_text(dict->entries[i].key));
}

Str vm_suggest(Run *run, Str wrong) {
    const Vm *vm = vm_of(run);
    Nearest nearest;
    nearest_init(&nearest, wrong);
    const VmFrame *f = &VEC_LAST(&vm->frames);
    for (const Context *context = f->context; context != NULL; context = context->outer) {
        try_dict(&nearest, context->vars);
        try_dict(&nearest, context->locals);
    }
    const Function *function = f->function;
    for (uint32_t i = 0; i < function->variables.n; i++) {
        const LocalRef *variable = &function->variables.items[i];
        if (f->env->slots[variable->slot].kind != V_MISSING) nearest_try(&nearest, name_str(variable->name));
    }
    const Str *globals;
    size_t n = lib_global_names(&globals);
    for (size_t i = 0; i < n; i++)
        nearest_try(&nearest, globals[i]);
    return nearest.best;
}

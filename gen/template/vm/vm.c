/* vm.c: the loop that runs code. One function, because each instruction is a few lines and jumps to the next one; what
 * takes more than a few lines is in a function of its own. The frame's pc is kept up to date, so that a failure
 * anywhere knows where the template stood. */
#include "template/vm/vm.h"

#include "template/lib/lib.h"
#include "template/value/digits.h"

/* ---- instructions that take a few lines */

static Value get_attr(Vm *vm, AttrSite *site, Value v) {
    /* A row of the same shape as the last one has the key at the same place. Methods of dicts go first, as in Python.
     */
    if (v.kind == V_DICT && site->hint < v.as.dict->used) {
        const DictEntry *entry = &v.as.dict->entries[site->hint];
        if (entry->key.as.s == site->name->p && entry->key.kind == V_STR && (entry->key.flags & VAL_INTERNED))
            return entry->value;
    }
    if (v.kind == V_DICT) {
        const Value *found = dict_find_attr(v.as.dict, site->name);
        if (found != NULL) {
            site->hint =
                (uint32_t)((const DictEntry *)(const void *)((const char *)found - offsetof(DictEntry, value)) -
                           v.as.dict->entries);
            return *found;
        }
    }
    return val_get_attr(&vm->run, v, site->name);
}

static Value make_list(Vm *vm, const Value *items, uint32_t n) {
    List *list = list_new(vm->run.arena, n);
    if (n > 0) memcpy(list->items, items, n * sizeof *items);
    list->n = n;
    return val_list(list);
}

static Value make_dict(Vm *vm, const Value *items, uint32_t pairs) {
    Dict *dict = dict_new(vm->run.arena, pairs);
    for (uint32_t i = 0; i < pairs; i++)
        dict_set(&vm->run, dict, items[2 * i], items[2 * i + 1]);
    return val_dict(dict);
}

/* Texts and numbers, if they are short: they are written where the result stays. False if they are not. */
static bool concat_short(Run *run, const Value *items, uint32_t n, Value *text) {
    enum { SHORT = 4096 };
    size_t room = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (items[i].kind != V_STR && items[i].kind != V_INT && items[i].kind != V_FLOAT) return false;
        room += items[i].kind == V_STR ? items[i].n : FLOAT_ROOM;
        if (room > SHORT) return false;
    }
    char *p = arena_alloc(run->arena, room), *to = p;
    for (uint32_t i = 0; i < n; i++) {
        if (items[i].kind == V_STR)
            memcpy(to, items[i].as.s, items[i].n), to += items[i].n;
        else
            to = items[i].kind == V_INT ? digits_write_int(to, items[i].as.i) : float_write(to, items[i].as.f);
    }
    const size_t size = (size_t)(to - p);
    *text = (Value){.kind = V_STR, .n = (uint32_t)size, .as.s = arena_resize(run->arena, p, room, size)};
    return true;
}

/* a ~ b ~ c. With autoescape, as soon as one part is safe, the others are escaped. */
static Value concat(Vm *vm, const Value *items, uint32_t n) {
    Run *run = &vm->run;
    bool safe = false;
    if (run->autoescape)
        for (uint32_t i = 0; i < n; i++)
            safe |= items[i].kind == V_STR && (items[i].flags & VAL_SAFE);
    Value v;
    const unsigned flags = safe ? VAL_SAFE : 0;
    const bool appends = items[0].kind == V_STR && items[0].n >= TEXT_LONG && (items[0].flags & VAL_SAFE) >= flags;
    if (!safe && !appends && concat_short(run, items, n, &v)) return v;
    const RunMark mark = run_mark(run);
    Buf buf;
    buf_init(&buf, run->arena);
    for (uint32_t i = appends; i < n; i++)
        val_print(run, &buf, safe ? text_escape(run, items[i]) : items[i]);
    v = appends ? text_append(run, items[0], buf_str(&buf), flags) : text_take(run, &buf, flags);
    return run_settle(run, mark, v);
}

static Value run_filter(Vm *vm, const Insn *pc, const Native *filter, const Value *a) {
    Run *run = &vm->run;
    if (filter->fn == filter_join && vm_write_join(vm, pc + 1, a)) return VS("");
    const RunMark mark = run_mark(run);
    return vm_emit_fresh(vm, pc + 1, run_settle(run, mark, filter->fn(run, a, NULL)));
}

/* Of texts. */
static Value run_binary(Vm *vm, const Insn *pc, Value a, Value b) {
    Run *run = &vm->run;
    const RunMark mark = run_mark(run);
    return vm_emit_fresh(vm, pc + 1, run_settle(run, mark, val_binary(run, (Op)pc->a, a, b)));
}

/* After a long text was taken off the output: what is made of it needs the room. */
static void give_back_output(Vm *vm, size_t n) {
    enum { LONG = 1 << 20 };
    if (n < LONG) return;
    Buf *out = &vm->out;
    const size_t cap = out->n + ARENA_LARGE;
    out->p = arena_resize(out->arena, out->p, out->cap, cap);
    out->cap = cap;
}

static Value captured(Vm *vm, size_t start) {
    vm_check_output(vm);
    Value v = val_str(&vm->run, str_copy(vm->run.arena, str(vm->out.p + start, vm->out.n - start)));
    vm->out.n = start;
    give_back_output(vm, v.n);
    if (vm->run.autoescape) v.flags |= VAL_SAFE;
    return v;
}

static Value make_macro(Vm *vm, const VmFrame *frame, const Function *function) {
    MacroObject *macro = arena_alloc(vm->run.arena, sizeof *macro);
    *macro = (MacroObject){{&class_macro}, function, frame->env, frame->context};
    return val_object(&macro->head);
}

static void set_attr(Vm *vm, Value object, Name name, Value v) {
    if (object.kind == V_UNDEFINED) run_fail_undefined(&vm->run, object);
    if (object.kind != V_OBJECT || object.as.object->class->set == NULL)
        run_fail_as(&vm->run, E_RENDER, S("make it with {% set ns = namespace() %}"),
                    "attributes can be set on a namespace only, not on a %s", val_type_name(object));
    object.as.object->class->set(&vm->run, object.as.object, name, v);
    run_changed(&vm->run);
}

static void export(VmFrame *f, Vm *vm, Name name, Value v, bool visible) {
    dict_set(&vm->run, f->context->vars, val_name(name), v);
    map_set(&f->context->exported, name, visible ? f : NULL);
}

/* The values an iteration made are no longer needed, unless something older holds one of them. */
static inline void reclaim(Vm *vm, LoopState *loop) {
    if (vm->run.changes == loop->changes) {
        arena_reset(&vm->values, loop->mark);
    } else {
        loop->changes = vm->run.changes;
        loop->mark = arena_mark(&vm->values);
    }
}

static Value slot_undefined(Vm *vm, const Code *code, uint32_t name) {
    return vm_undefined_name(vm, code->names.items[name]);
}

/* The frame ends: what it wrote becomes the result, and the values it made go. False: it was the last. */
static bool end_frame(Vm *vm) {
    VmFrame *f = &VEC_LAST(&vm->frames);
    if (vm->frames.n == 1) return false;
    vm->run.autoescape = f->escape_before;
    Value result = val_missing();
    if (f->result == RETURN_TEXT) {
        if (vm->run.changes == f->changes) arena_reset(&vm->values, f->mark);
        result = captured(vm, f->out_start);
    } else if (f->result == RETURN_MODULE) {
        f->module->text = val_text(captured(vm, f->out_start));
        f->module->done = true;
        result = val_object(&f->module->head);
    }
    bool text_only = f->discard;
    vm->frames.n--;
    f = &VEC_LAST(&vm->frames);
    if (text_only)
        vm_write(vm, val_str(&vm->run, ((Module *)(void *)result.as.object)->text), true);
    else if (result.kind != V_MISSING)
        *f->sp++ = result;
    return true;
}

/* ---- the loop */

void vm_run(Vm *vm) {
    static const void *const labels[] = {
#define X(name) &&L_##name,
        CODE_OPS(X)
#undef X
    };
    Run *run = &vm->run;
    VmFrame *f;
    const Code *code;
    const TextSpan *spans; /* of the code, as are the next two: what the shortest instructions reach for */
    const LoopSite *loops;
    const Str *texts;
    const Insn *pc;
    Value *slots, *sp;

#define LOAD_FRAME()                                                                                                   \
    (f = &VEC_LAST(&vm->frames), code = f->function->code, pc = f->pc, slots = f->env->slots, sp = f->sp,              \
     spans = code->spans.items, loops = code->loops.items, texts = code->texts.items)
#define GO() goto *labels[(f->pc = pc)->op]
#define NEXT()                                                                                                         \
    do {                                                                                                               \
        pc++;                                                                                                          \
        GO();                                                                                                          \
    } while (0)
#define JUMP_TO(target)                                                                                                \
    do {                                                                                                               \
        pc = f->function->insns + (target);                                                                            \
        GO();                                                                                                          \
    } while (0)
/* Around what may push a frame. A frame's pc stays at its call while it waits, for errors; it goes on behind it. */
#define CALL_OUT(what)                                                                                                 \
    do {                                                                                                               \
        f->sp = sp;                                                                                                    \
        uint32_t depth = vm->frames.n;                                                                                 \
        what;                                                                                                          \
        LOAD_FRAME();                                                                                                  \
        if (vm->frames.n <= depth) pc++;                                                                               \
        GO();                                                                                                          \
    } while (0)

    LOAD_FRAME();
    GO();

L_TEXT:
    vm_write_text(vm, texts[pc->c]);
    NEXT();
L_EMIT:
    vm_write(vm, *--sp, pc->a != 0);
    NEXT();
L_EMIT_ESCAPED:
    vm_write_escaped(vm, *--sp);
    NEXT();
L_TEXT_SLOT_TEXT : {
    const TextSpan *pair = &spans[pc->c];
    const Value *v = &slots[pair->slot];
    if (__builtin_expect(v->kind == V_MISSING, 0)) {
        Value undefined = slot_undefined(vm, code, pair->name);
        vm_write_span(vm, pair, &undefined);
    } else {
        vm_write_span(vm, pair, v);
    }
    NEXT();
}
L_CONST:
    *sp++ = code->consts.items[pc->c];
    NEXT();
L_SLOT : {
    Value v = slots[pc->b];
    *sp++ = v.kind != V_MISSING ? v : slot_undefined(vm, code, pc->c);
    NEXT();
}
L_SLOT_UP : {
    const Env *env = f->env;
    for (unsigned i = pc->a; i > 0; i--)
        env = env->up;
    Value v = env->slots[pc->b];
    *sp++ = v.kind != V_MISSING ? v : slot_undefined(vm, code, pc->c);
    NEXT();
}
L_SLOT_ATTR : {
    Value v = slots[pc->b];
    if (v.kind == V_MISSING) v = slot_undefined(vm, code, pc->a);
    *sp++ = get_attr(vm, &code->attrs.items[pc->c], v);
    NEXT();
}
L_STORE:
    slots[pc->b] = *--sp;
    NEXT();
L_RESOLVE:
    slots[pc->b] = context_find(vm, f->context, code->names.items[pc->c]);
    NEXT();
L_ALIAS : {
    const Env *env = f->env;
    for (unsigned i = pc->a; i > 0; i--)
        env = env->up;
    slots[pc->b] = env->slots[pc->c];
    NEXT();
}
L_UNSET:
    slots[pc->b] = val_missing();
    NEXT();
L_EXPORT:
    export(f, vm, code->names.items[pc->c], slots[pc->b], pc->a != 0);
    NEXT();
L_POP:
    sp--;
    NEXT();
L_LIST:
    sp -= pc->c;
    *sp = make_list(vm, sp, pc->c);
    sp++;
    NEXT();
L_TUPLE:
    sp -= pc->c;
    *sp = make_list(vm, sp, pc->c);
    sp->kind = V_TUPLE;
    sp++;
    NEXT();
L_DICT:
    sp -= 2 * pc->c;
    *sp = make_dict(vm, sp, pc->c);
    sp++;
    NEXT();
L_CONCAT:
    sp -= pc->c;
    run->fresh = NULL;
    *sp = vm_emit_fresh(vm, pc + 1, concat(vm, sp, pc->c));
    sp++;
    NEXT();
L_UNARY:
    sp[-1] = val_unary(run, (Op)pc->a, sp[-1]);
    NEXT();
L_NOT:
    sp[-1] = val_bool(!val_truth(run, sp[-1]));
    NEXT();
L_BINARY : {
    Value a = sp[-2], b = sp[-1];
    int64_t i;
    sp--;
    if (a.kind == V_INT && b.kind == V_INT) {
        if (pc->a == OP_ADD && !__builtin_add_overflow(a.as.i, b.as.i, &i)) {
            sp[-1] = val_int(i);
            NEXT();
        }
        if (pc->a == OP_SUB && !__builtin_sub_overflow(a.as.i, b.as.i, &i)) {
            sp[-1] = val_int(i);
            NEXT();
        }
        if (pc->a == OP_MUL && !__builtin_mul_overflow(a.as.i, b.as.i, &i)) {
            sp[-1] = val_int(i);
            NEXT();
        }
    }
    sp[-1] = a.kind == V_STR ? run_binary(vm, pc, a, b) : val_binary(run, (Op)pc->a, a, b);
    NEXT();
}
L_COMPARE:
    sp--;
    sp[-1] = val_bool(val_compare(run, (Op)pc->a, sp[-1], sp[0]));
    NEXT();
L_COMPARE_NEXT:
    sp--;
    if (val_compare(run, (Op)pc->a, sp[-1], sp[0])) {
        sp[-1] = sp[0];
        NEXT();
    }
    sp[-1] = val_bool(false);
    JUMP_TO(pc->c);
L_ATTR:
    sp[-1] = get_attr(vm, &code->attrs.items[pc->c], sp[-1]);
    NEXT();
L_ITEM : {
    Value v = sp[-2], key = sp[-1];
    sp--;
    if (v.kind == V_LIST && key.kind == V_INT && key.as.i >= 0 && key.as.i < v.as.list->n)
        sp[-1] = v.as.list->items[key.as.i];
    else
        sp[-1] = val_get_item(run, v, key);
    NEXT();
}
L_SLICE:
    sp -= 3;
    sp[-1] = val_get_slice(run, sp[-1], sp[0], sp[1], sp[2]);
    NEXT();
L_JUMP:
    JUMP_TO(pc->c);
L_JUMP_FALSE : {
    Value v = *--sp;
    if (v.kind == V_BOOL ? v.as.b : val_truth(run, v)) NEXT();
    JUMP_TO(pc->c);
}
L_AND:
    if (!val_truth(run, sp[-1])) JUMP_TO(pc->c);
    sp--;
    NEXT();
L_OR:
    if (val_truth(run, sp[-1])) JUMP_TO(pc->c);
    sp--;
    NEXT();
L_JUMP_SET : {
    const Env *env = f->env;
    for (unsigned i = pc->a; i > 0; i--)
        env = env->up;
    if (env->slots[pc->b].kind != V_MISSING) JUMP_TO(pc->c);
    NEXT();
}
L_NO_ELSE : {
    Value v = val_undefined_hint(run, S("the inline if was false and has no else"));
    v.flags |= VAL_LENIENT; /* as in Jinja, whatever the mode */
    *sp++ = v;
    NEXT();
}
L_UNDEFINED:
    *sp++ = val_undefined_hint(run, val_text(code->consts.items[pc->c]));
    NEXT();
L_CALL:
    CALL_OUT(vm_call(vm, &code->calls.items[pc->c], false));
L_CALL_ATTR:
    CALL_OUT(vm_call(vm, &code->calls.items[pc->c], true));
L_FILTER:
    CALL_OUT(vm_call_filter(vm, &code->calls.items[pc->c]));
L_FILTER_FAST:
    sp -= pc->a;
    *sp = run_filter(vm, pc, code->natives.items[pc->c], sp);
    sp++;
    NEXT();
L_FAIL:
    run_fail_as(run, (DiagCode)pc->b, S(""), "%S", val_text(code->consts.items[pc->c]));
L_LOOP : {
    const LoopSite *site = &loops[pc->c];
    Value over = *--sp;
    uint32_t written = 0;
    if (site->spans > 0) {
        bool done;
        written = vm_write_loop(vm, f, site, over, &done);
        if (done) JUMP_TO(site->next + 1);
    }
    LoopState *loop = loop_new(vm, f, site, over);
    if (over.kind != V_ONESHOT) loop->at += written;
    slots[site->state] = val_object(&loop->head);
    if (site->object != CODE_NO_SLOT) slots[site->object] = slots[site->state];
    JUMP_TO(site->next);
}
L_NEXT : {
    const LoopSite *site = &loops[pc->c];
    LoopState *loop = (LoopState *)(void *)slots[site->state].as.object;
    Value item;
    reclaim(vm, loop);
    if (loop->mode == LOOP_OVER_LIST) {
        if (loop->at >= loop->list->n) NEXT();
        item = loop->list->items[loop->at++];
    } else if (loop->mode == LOOP_OVER_DICT) {
        const Dict *dict = loop->dict;
        uint32_t at = dict_next(dict, loop->at);
        if (dict->live != loop->dict_size) run_fail(run, "the dict changed its size while it was gone through");
        if (at >= dict->used) NEXT();
        loop->at = at + 1;
        if (loop->oneshot != NULL) loop->oneshot->next = loop->at;
        const DictEntry *entry = &dict->entries[at];
        if (loop->view == VIEW_ITEMS) {
            run_spend(run, 1);
            slots[site->target] = entry->key;
            slots[site->value] = entry->value;
            JUMP_TO(site->body);
        }
        item = loop->view == VIEW_KEYS ? entry->key : entry->value;
    } else if (!loop_next_slow(vm, loop, &item)) {
        NEXT();
    }
    run_spend(run, 1);
    if (site->target == CODE_NO_SLOT) {
        *sp++ = item;
    } else if (site->value == CODE_NO_SLOT) {
        slots[site->target] = item;
    } else {
        Value two[2];
        vm_unpack(run, item, 2, two);
        slots[site->target] = two[0];
        slots[site->value] = two[1];
    }
    JUMP_TO(site->body);
}
L_KEEP : {
    LoopState *loop = (LoopState *)(void *)slots[loops[pc->c].state].as.object;
    list_push(run->arena, &loop->kept, *--sp);
    run_changed(run);
    NEXT();
}
L_KEPT : {
    LoopState *loop = (LoopState *)(void *)slots[loops[pc->c].state].as.object;
    *sp++ = val_list(&loop->kept);
    NEXT();
}
L_RAN:
    ((LoopState *)(void *)slots[loops[pc->c].state].as.object)->ran = true;
    NEXT();
L_JUMP_RAN : {
    const LoopSite *site = &loops[pc->c];
    if (((LoopState *)(void *)slots[site->state].as.object)->ran) JUMP_TO(site->end);
    NEXT();
}
L_UNPACK : {
    uint32_t n = pc->c;
    Value v = *--sp;
    vm_unpack(run, v, n, sp);
    for (uint32_t i = 0; i < n / 2; i++) {
        Value other = sp[i];
        sp[i] = sp[n - 1 - i], sp[n - 1 - i] = other;
    }
    sp += n;
    NEXT();
}
L_RECURSE : {
    Value iterable = *--sp;
    CALL_OUT(vm_push(vm, code->functions.items[pc->c], f->env, f->context, RETURN_NOTHING)->env->slots[0] = iterable);
}
L_MACRO:
    *sp++ = make_macro(vm, f, code->functions.items[pc->c]);
    NEXT();
L_CAPTURE:
    slots[pc->b] = val_int((int64_t)vm->out.n);
    NEXT();
L_CAPTURED:
    *sp++ = captured(vm, (size_t)slots[pc->b].as.i);
    NEXT();
L_DROP:
    vm->out.n = (size_t)slots[pc->b].as.i;
    NEXT();
L_SET_ATTR:
    sp -= 2;
    set_attr(vm, sp[1], code->names.items[pc->c], sp[0]);
    NEXT();
L_BLOCK:
    CALL_OUT(vm_block(vm, &code->block_sites.items[pc->c]));
L_INCLUDE : {
    Value which = *--sp;
    CALL_OUT(vm_include(vm, &code->loads.items[pc->c], which));
}
L_IMPORT : {
    Value which = *--sp;
    CALL_OUT(vm_import(vm, &code->loads.items[pc->c], which));
}
L_MODULE_GET : {
    Value module = sp[-1];
    *sp++ = vm_module_get(vm, module, code->names.items[pc->c]);
    NEXT();
}
L_EXTENDS : {
    Template *parent = vm_load(vm, *--sp, false);
    context_add_blocks(vm, f->context, parent->code);
    slots[pc->b] = (Value){.kind = V_NONE, .as.object = (Object *)(void *)parent};
    NEXT();
}
L_PARENT : {
    Value parent = slots[pc->b];
    if (parent.kind == V_MISSING) NEXT();
    const Template *template = (const Template *)(void *)parent.as.object;
    CALL_OUT(vm_push(vm, template->code->root, NULL, f->context, RETURN_NOTHING));
}
L_ESCAPING:
    slots[pc->b] = val_bool(run->autoescape);
    run->autoescape = val_truth(run, *--sp);
    NEXT();
L_UNESCAPING:
    run->autoescape = slots[pc->b].as.b;
    NEXT();
L_END:
    if (!end_frame(vm)) return;
    LOAD_FRAME();
    NEXT();
}

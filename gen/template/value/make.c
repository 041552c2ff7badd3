/* make.c: values from texts, literals and JSON, and what every kind is called. */
#include "template/value/inner.h"

#include "template/value/big.h"

Value val_str(Run *run, Str s) {
    if (s.n > TEXT_MOST) fail_text_size(run, s.n);
    return (Value){.kind = V_STR, .n = (uint32_t)s.n, .as.s = s.n == 0 ? "" : s.p};
}

Value val_format(Run *run, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str s = str_vformat(run->arena, format, args);
    va_end(args);
    return val_str(run, s);
}

Value val_of_literal(Run *run, const Literal *literal) {
    switch (literal->kind) {
    case LIT_NONE:
        return val_none();
    case LIT_BOOL:
        return val_bool(literal->as.b);
    case LIT_INT:
        return val_int(literal->as.i);
    case LIT_BIGINT:
        return val_integer(run, literal->as.s);
    case LIT_FLOAT:
        return val_float(literal->as.f);
    case LIT_STR:
        return val_str(run, literal->as.s);
    }
    return val_none();
}

/* The text of a name as the engine's Names have it is not looked up here: only keys are names. */
static Value scalar_of_json(Arena *arena, const Json *json) {
    switch (json->kind) {
    case JSON_BOOL:
        return val_bool(json->as.b);
    case JSON_INT:
        return val_int(json->as.i);
    case JSON_FLOAT:
        return val_float(json->as.f);
    case JSON_STRING:
        return val_str_lit(json->as.s.n == 0 ? "" : json->as.s.p, json->as.s.n);
    case JSON_BIGINT: {
        Value v;
        if (big_parse(arena, json->as.s, &v)) return v;
        /* There is no run to fail in yet, so the value says what is wrong when it is used. */
        Undefined *undefined = ARENA_NEW(arena, Undefined);
        undefined->hint = str_format(arena, "an integer of the data has %zu digits, which is more than the limit of %d",
                                     json->as.s.n - (json->as.s.n > 0 && json->as.s.p[0] == '-'), BIG_MOST_DIGITS);
        return VAL(V_UNDEFINED, undefined, undefined);
    }
    default:
        return val_none();
    }
}

/* A container that is being filled. Its elements' places do not move: they were all made at once. */
typedef struct Filling {
    const Json *json;
    Value *items;       /* of a list */
    DictEntry *entries; /* of a dict */
    uint32_t next, n;
} Filling;

typedef struct Fillings {
    Filling *items;
    uint32_t n, cap;
} Fillings;

static bool is_container(const Json *json) { return json->kind == JSON_ARRAY || json->kind == JSON_OBJECT; }

/* An array or object with its scalars in place and None where a container will stand; pushed if it has any. */
static Value start_container(Arena *arena, Fillings *stack, const Json *json) {
    Filling filling = {.json = json};
    bool nested = false;
    Value v;
    if (json->kind == JSON_ARRAY) {
        uint32_t n = json->as.array.n;
        List *list = list_new(arena, n);
        for (uint32_t i = 0; i < n; i++) {
            const Json *item = &json->as.array.items[i];
            nested |= is_container(item);
            list->items[i] = scalar_of_json(arena, item);
        }
        list->n = filling.n = n;
        filling.items = list->items;
        v = val_list(list);
    } else {
        uint32_t n = json->as.object.n;
        Dict *dict = dict_new(arena, n);
        for (uint32_t i = 0; i < n; i++) {
            const JsonMember *member = &json->as.object.members[i];
            nested |= is_container(&member->value);
            dict_set_in(arena, dict, val_name(member->key), scalar_of_json(arena, &member->value));
        }
        filling.n = n;
        filling.entries = dict->entries;
        v = val_dict(dict);
    }
    if (nested) {
        if (stack->n == stack->cap) stack->items = vec_grow(arena, stack->items, &stack->cap, sizeof *stack->items);
        stack->items[stack->n++] = filling;
    }
    return v;
}

Value val_of_json(Arena *arena, const Json *json) {
    if (!is_container(json)) return scalar_of_json(arena, json);
    Fillings stack = {0};
    Value whole = start_container(arena, &stack, json);
    while (stack.n > 0) {
        Filling *filling = &stack.items[stack.n - 1];
        if (filling->next == filling->n) {
            stack.n--;
            continue;
        }
        uint32_t i = filling->next++;
        bool in_list = filling->items != NULL;
        const Json *child = in_list ? &filling->json->as.array.items[i] : &filling->json->as.object.members[i].value;
        if (!is_container(child)) continue;
        Value *to = in_list ? &filling->items[i] : &filling->entries[i].value; /* the stack may move below */
        *to = start_container(arena, &stack, child);
    }
    return whole;
}

const char *val_type_name(Value v) {
    switch ((ValueKind)v.kind) {
    case V_MISSING:
        return "missing";
    case V_UNDEFINED:
        return "Undefined";
    case V_NONE:
        return "NoneType";
    case V_BOOL:
        return "bool";
    case V_INT:
    case V_BIG:
        return "int";
    case V_FLOAT:
        return "float";
    case V_STR:
        return "str";
    case V_LIST:
        return "list";
    case V_TUPLE:
        return "tuple";
    case V_DICT:
        return "dict";
    case V_RANGE:
        return "range";
    case V_VIEW:
        return v.as.view->kind == VIEW_KEYS     ? "dict_keys"
               : v.as.view->kind == VIEW_VALUES ? "dict_values"
                                                : "dict_items";
    case V_ONESHOT:
        return "iterator";
    case V_FUNC:
        return "function";
    case V_METHOD:
        return "method";
    case V_OBJECT:
        return v.as.object->class->name;
    }
    return "value";
}

Value val_undefined(Run *run, Value object, Value key) {
    Undefined *undefined = arena_alloc(run->arena, sizeof *undefined);
    *undefined = (Undefined){.object = object, .key = key, .hint = {"", 0}};
    return VAL(V_UNDEFINED, undefined, undefined);
}

Value val_undefined_hint(Run *run, Str hint) {
    Undefined *undefined = arena_alloc(run->arena, sizeof *undefined);
    *undefined = (Undefined){.object = val_missing(), .key = val_missing(), .hint = hint};
    return VAL(V_UNDEFINED, undefined, undefined);
}

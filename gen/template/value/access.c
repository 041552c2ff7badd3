/* access.c: x.name and x[key], by Jinja's rules. The dot asks for an attribute or method first and for an item then,
 * the brackets the other way round. What is not there is undefined and remembers who was asked for what. */
#include "template/value/inner.h"

#include <stddef.h>

bool text_is_ascii(Str s) {
    size_t i = 0;
    uint64_t word;
    for (; s.n - i >= 8; i += 8) {
        memcpy(&word, s.p + i, 8);
        if (word & 0x8080808080808080u) return false;
    }
    for (; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 0x80) return false;
    return true;
}

static unsigned code_size(char lead) {
    unsigned char c = (unsigned char)lead;
    return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

size_t text_skip(Str s, size_t at, uint64_t count) {
    while (count > 0 && at < s.n) {
        uint64_t word;
        if (count >= 8 && s.n - at >= 8 && (memcpy(&word, s.p + at, 8), (word & 0x8080808080808080u) == 0))
            at += 8, count -= 8;
        else
            at += code_size(s.p[at]), count--;
    }
    return at < s.n ? at : s.n;
}

/* Only these names hide a key of the same name in `d.name`; asking the methods for every attribute would be slow. */
static bool is_dict_method(Name name) {
    enum { LONGEST = 10 };
    static const char *const methods[LONGEST + 1][2] = {
        [3] = {"get", "pop"},    [4] = {"copy", "keys"},   [5] = {"clear", "items"},    [6] = {"update", "values"},
        [7] = {"popitem", NULL}, [8] = {"fromkeys", NULL}, [10] = {"setdefault", NULL},
    };
    if (name->n > LONGEST) return false;
    for (size_t i = 0; i < 2; i++) {
        const char *known = methods[name->n][i];
        if (known != NULL && memcmp(known, name->p, name->n) == 0) return true;
    }
    return false;
}

Value *dict_find_attr(const Dict *dict, Name name) { return is_dict_method(name) ? NULL : dict_find_name(dict, name); }

Str method_hint(Run *run, Value v) {
    const char *name = v.as.bound->native->name;
    if (v.kind == V_METHOD && v.as.bound->self.kind == V_DICT &&
        dict_find(run, v.as.bound->self.as.dict, val_str(run, str_c(name))) != NULL)
        return str_format(run->error_arena, "it is called as %s(); the key of that name is [\"%s\"]", name, name);
    return str_format(run->error_arena, "it is called as %s()", name);
}

static bool method(Run *run, Value v, Name name, Value *out) {
    const Native *native;
    if (!val_find_method(v, name, &native)) return false;
    Bound *bound = arena_alloc(run->arena, sizeof *bound);
    *bound = (Bound){native, NULL, v};
    *out = VAL(V_METHOD, bound, bound);
    return true;
}

static bool name_is(Name name, Str s) { return str_eq(name_str(name), s); }

/* The attributes that are not methods: of Python's numbers and ranges, and of Jinja's groups. */
static bool data_attribute(Value v, Name name, Value *out) {
    if (v.kind == V_RANGE) {
        const Range *range = v.as.range;
        if (name_is(name, S("start")))
            *out = val_int(range->start);
        else if (name_is(name, S("stop")))
            *out = val_int(range->stop);
        else if (name_is(name, S("step")))
            *out = val_int(range->step);
        else
            return false;
        return true;
    }
    if (v.kind == V_TUPLE && (v.flags & VAL_GROUP) != 0) {
        bool grouper = name_is(name, S("grouper"));
        if (!grouper && !name_is(name, S("list"))) return false;
        *out = v.as.list->items[grouper ? 0 : 1];
        return true;
    }
    if (!val_is_number(v)) return false;
    bool integer = v.kind != V_FLOAT;
    if (name_is(name, S("real")) || (integer && name_is(name, S("numerator"))))
        *out = v.kind == V_BOOL ? val_int(v.as.b) : v;
    else if (name_is(name, S("imag")))
        *out = integer ? val_int(0) : val_float(0);
    else if (integer && name_is(name, S("denominator")))
        *out = val_int(1);
    else
        return false;
    return true;
}

/* What the dot finds before it asks for an item. */
static bool attribute(Run *run, Value v, Name name, Value *out) {
    if (v.kind == V_OBJECT) {
        const Class *class = v.as.object->class;
        return class->get != NULL && class->get(run, v.as.object, name, out);
    }
    return method(run, v, name, out) || data_attribute(v, name, out);
}

static bool object_item(Run *run, Value v, Value key, Value *out) {
    const Class *class = v.as.object->class;
    return class->item != NULL && class->item(run, v.as.object, key, out);
}

Value val_get_attr(Run *run, Value v, Name name) {
    Value found;
    if (v.kind == V_DICT) {
        const Value *value = dict_find_attr(v.as.dict, name);
        if (value != NULL) return *value;
        if (is_dict_method(name) && method(run, v, name, &found)) return found;
        return val_undefined(run, v, val_name(name));
    }
    if (v.kind == V_UNDEFINED) {
        if (run->undefined == UNDEFINED_CHAINABLE && !(v.flags & VAL_LENIENT)) return v;
        run_fail_undefined(run, v);
    }
    if (attribute(run, v, name, &found)) return found;
    if (v.kind == V_OBJECT && object_item(run, v, val_name(name), &found)) return found;
    return val_undefined(run, v, val_name(name));
}

/* True and the place from 0 on where the key is an integer within -n to n - 1. */
static bool position(Value key, int64_t n, int64_t *at) {
    if (!is_small(key)) return false;
    *at = small(key);
    if (*at < 0) *at += n;
    return *at >= 0 && *at < n;
}

static bool text_item(Value v, Value key, Value *out) {
    Str s = val_text(v);
    int64_t at;
    if (!is_small(key)) return false;
    if (small(key) >= 0) {
        at = small(key);
        if ((uint64_t)at >= s.n) return false;
    } else if (!position(key, (int64_t)str_count(s), &at)) {
        return false;
    }
    size_t from = text_skip(s, 0, (uint64_t)at);
    if (from >= s.n) return false;
    *out = v;
    out->flags = v.flags & VAL_SAFE;
    out->as.s = s.p + from;
    out->n = code_size(s.p[from]);
    return true;
}

static bool dict_item(Run *run, const Dict *dict, Value key, Value *out) {
    uint64_t hash;
    const Value *value;
    if (key.kind == V_STR && key.flags & VAL_INTERNED) {
        value = dict_find_name(dict, (Name)(const void *)(key.as.s - offsetof(NameText, p)));
    } else {
        if (key.kind != V_STR && !try_hash(run, key, &hash)) return false;
        value = dict_find(run, dict, key);
    }
    if (value == NULL) return false;
    *out = *value;
    return true;
}

static bool item(Run *run, Value v, Value key, Value *out) {
    int64_t at;
    switch (v.kind) {
    case V_DICT:
        return dict_item(run, v.as.dict, key, out);
    case V_LIST:
    case V_TUPLE:
        if (!position(key, v.as.list->n, &at)) return false;
        *out = v.as.list->items[at];
        return true;
    case V_STR:
        return text_item(v, key, out);
    case V_RANGE:
        if (!position(key, v.as.range->n, &at)) return false;
        *out = val_int(range_at(v.as.range, at));
        return true;
    case V_OBJECT:
        return object_item(run, v, key, out);
    default:
        return false;
    }
}

enum { LONGEST_ATTRIBUTE = 100 };

/* The name of a text, to ask for an attribute. One that is not among the run's Names is made for this question alone:
 * names are never freed, and a template could ask for any number of them. */
static Name name_of(Run *run, Str s) {
    Name known = names_find(run->names, s);
    if (known != NULL) return known;
    NameText *name = arena_alloc(run->arena, offsetof(NameText, p) + s.n + 1);
    name->hash = str_hash(s);
    name->n = (uint32_t)s.n;
    memcpy(name->p, s.p, s.n);
    name->p[s.n] = '\0';
    return name;
}

Value val_get_item(Run *run, Value v, Value key) {
    Value found;
    if (v.kind == V_UNDEFINED) {
        if (run->undefined == UNDEFINED_CHAINABLE && !(v.flags & VAL_LENIENT)) return v;
        run_fail_undefined(run, v);
    }
    if (item(run, v, key, &found)) return found;
    if (key.kind == V_STR && key.n <= LONGEST_ATTRIBUTE && v.kind != V_NONE) {
        if (attribute(run, v, name_of(run, val_text(key)), &found)) return found;
    }
    return val_undefined(run, v, key);
}

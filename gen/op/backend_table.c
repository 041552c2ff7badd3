/* backend_table.c: a backend's types and functions.
 *
 *     "types":     {"bf16": {"name": "opgen_bf16", "load": "opgen_f32_of_bf16({0})", "store":
 * "opgen_bf16_of_f32({0})"}} "functions": {"exp": {"f32": "expf({0})", "f64": "exp({0})"},
 *                   "<":   {"result": "bool", "any": "{0} < {1}"},
 *                   "//":  {"int": "opgen_floordiv_{type}({0}, {1})"}}
 *
 * A function's key is a compute type or a group of types; of two that have a type, the smaller group counts. In a text
 * {0}, {1} are the operands, {type} the type's name and {c} its name in the backend's language.
 */
#include "op/backend_internal.h"
#include "op/lower_internal.h"

static const Str places[] = {{"{type}", 6}, {"{c}", 3}};

/* Every place is one that will be filled. */
static bool check_text(BackendRead *read, const Json *value, bool names) {
    Str text = value->as.s;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '{') continue;
        Str rest = str_sub(text, i, text.n);
        if (rest.n >= 3 && rest.p[1] >= '0' && rest.p[1] <= '9' && rest.p[2] == '}') continue;
        if (names && (str_starts(rest, places[0]) || str_starts(rest, places[1]))) continue;
        size_t end = str_find_char(rest, '}');
        Diag *diag = backend_error(read, value, E_BAD_VALUE, "%Q is no place of a text",
                                   str_sub(rest, 0, end == STR_NONE ? 1 : end + 1));
        diag_hint(read->diags, diag,
                  names ? "{0}, {1}, ... are the operands, {type} the dtype, {c} its name in code"
                        : "{0} is the value");
        return false;
    }
    return true;
}

static Str fill_names(BackendRead *read, Str text, Dtype type) {
    Buf buf;
    buf_init(&buf, read->arena);
    for (size_t at; (at = str_find_char(text, '{')) != STR_NONE;) {
        buf_add(&buf, str_sub(text, 0, at));
        text = str_sub(text, at, text.n);
        bool dtype = str_starts(text, places[0]), code = str_starts(text, places[1]);
        if (dtype) buf_add(&buf, str_c(dtype_name(type)));
        if (code) buf_add(&buf, read->backend->types[type].compute);
        if (!dtype && !code) buf_char(&buf, '{');
        text = str_sub(text, dtype ? places[0].n : code ? places[1].n : 1, text.n);
    }
    buf_add(&buf, text);
    return buf_str(&buf);
}

/* ---- types */

static void read_type(BackendRead *read, const JsonMember *member, Dtype dtype) {
    static const Str known[] = {{"name", 4}, {"compute", 7}, {"load", 4}, {"store", 5}};
    BackendType *type = &read->backend->types[dtype];
    const Json *value = &member->value;
    if (value->kind == JSON_NULL) {
        *type = (BackendType){.name = S("")};
        return;
    }
    *type = (BackendType){.name = S(""), .load = S("{0}"), .store = S("{0}")};
    if (value->kind == JSON_STRING) {
        type->name = value->as.s;
    } else if (value->kind == JSON_OBJECT) {
        Str *parts[] = {&type->name, &type->compute, &type->load, &type->store};
        for (uint32_t i = 0; i < value->as.object.n; i++) {
            const JsonMember *part = &value->as.object.members[i];
            size_t k = 0;
            while (k < 4 && !str_eq(known[k], name_str(part->key)))
                k++;
            if (k == 4)
                backend_unknown(read, part, "a type", known, 4);
            else if (backend_want(read, &part->value, JSON_STRING, known[k]) &&
                     (k < 2 || check_text(read, &part->value, false)))
                *parts[k] = part->value.as.s;
        }
    } else {
        backend_error(read, value, E_JSON_TYPE, "a type is a name, or an object with one, but this is %s",
                      json_kind_name(value->kind));
        return;
    }
    if (type->compute.n == 0) type->compute = type->name;
    if (type->name.n == 0) backend_error(read, value, E_MISSING, "a type needs a \"name\": what it is called in code");
}

void backend_read_types(BackendRead *read, const Json *types) {
    Str known[DT_COUNT];
    for (Dtype type = 0; type < DT_COUNT; type++)
        known[type] = str_c(dtype_name(type));
    for (uint32_t i = 0; i < types->as.object.n; i++) {
        const JsonMember *member = &types->as.object.members[i];
        Dtype type;
        if (dtype_parse(name_str(member->key), &type))
            read_type(read, member, type);
        else
            backend_unknown(read, member, "\"types\"", known, DT_COUNT);
    }
}

/* ---- functions */

static DtypeSet compute_types(void) {
    DtypeSet set = 0;
    for (Dtype type = 0; type < DT_COUNT; type++)
        if (dtype_compute(type) == type) set |= (DtypeSet)1 << type;
    return set;
}

static unsigned size_of(DtypeSet set) {
    unsigned n = 0;
    for (; set != 0; set &= set - 1)
        n++;
    return n;
}

/* One text of a function, for the types of the set. */
typedef struct Entry {
    DtypeSet set;
    const Json *text;      /* JSON_NULL: takes away */
    Dtype result, operand; /* DT_COUNT: the type itself */
} Entry;

static void read_dtype(BackendRead *read, const Json *value, Str key, Dtype *out) {
    if (!backend_want(read, value, JSON_STRING, key)) return;
    if (!dtype_parse(value->as.s, out) || dtype_compute(*out) != *out) {
        Diag *diag = backend_error(read, value, E_BAD_VALUE, "%Q is no type that is computed in", value->as.s);
        diag_hint(read->diags, diag, "bool, i8 to u64, f32, f64");
        *out = DT_COUNT;
    }
}

/* {"text": ..., "result": ..., "operand": ...} */
static bool read_long_entry(BackendRead *read, const Json *value, Entry *entry) {
    static const Str known[] = {{"text", 4}, {"result", 6}, {"operand", 7}};
    for (uint32_t i = 0; i < value->as.object.n; i++) {
        const JsonMember *part = &value->as.object.members[i];
        Str key = name_str(part->key);
        if (str_eq(key, known[0]))
            entry->text = &part->value;
        else if (str_eq(key, known[1]))
            read_dtype(read, &part->value, key, &entry->result);
        else if (str_eq(key, known[2]))
            read_dtype(read, &part->value, key, &entry->operand);
        else
            backend_unknown(read, part, "a function's text", known, 3);
    }
    if (entry->text == NULL) {
        backend_error(read, value, E_MISSING, "a function needs a \"text\": what is written for it");
        return false;
    }
    return true;
}

static bool read_entry(BackendRead *read, const JsonMember *member, Dtype result, Entry *entry) {
    Str key = name_str(member->key);
    *entry = (Entry){.result = result, .operand = DT_COUNT};
    if (!dtype_set_parse(key, &entry->set)) {
        Str known[DT_COUNT + 5] = {S("any"), S("int"), S("float"), S("result"), S("bool")};
        for (Dtype type = 0; type < DT_COUNT; type++)
            known[5 + type] = str_c(dtype_name(type));
        backend_unknown(read, member, "a function", known, DT_COUNT + 5);
        return false;
    }
    if ((entry->set & compute_types()) == 0) {
        Diag *diag = diag_error(read->diags, E_BAD_VALUE, span(read->source, member->from, member->to),
                                "nothing is computed in %S", key);
        diag_hint(read->diags, diag, "it is computed in f32, and rounded where it is stored");
        read->failed = true;
        return false;
    }
    entry->set &= compute_types();
    const Json *value = &member->value;
    if (value->kind == JSON_OBJECT) {
        if (!read_long_entry(read, value, entry)) return false;
        value = entry->text;
    }
    entry->text = value;
    if (value->kind == JSON_NULL) return true;
    return backend_want(read, value, JSON_STRING, key) && check_text(read, value, true);
}

static void use_entry(BackendRead *read, BackendFunction *function, const Entry *entry) {
    for (Dtype type = 0; type < DT_COUNT; type++) {
        if (!(entry->set >> type & 1)) continue;
        DtypeSet bit = (DtypeSet)1 << type;
        if (entry->text->kind == JSON_NULL || read->backend->types[type].name.n == 0) {
            function->has &= ~bit;
            continue;
        }
        function->has |= bit;
        function->by[type] = (LowerFunction){
            .text = fill_names(read, entry->text->as.s, type),
            .result = entry->result == DT_COUNT ? type : entry->result,
            .operand = entry->operand == DT_COUNT ? type : entry->operand,
        };
    }
}

static void read_function(BackendRead *read, const JsonMember *member) {
    const Json *value = &member->value;
    BackendFunction *function = map_get(&read->backend->functions, member->key);
    if (function == NULL) {
        function = ARENA_NEW(read->arena, BackendFunction);
        map_set(&read->backend->functions, member->key, function);
    }
    if (value->kind == JSON_NULL) {
        function->has = 0;
        return;
    }
    if (value->kind == JSON_STRING) {
        Entry entry = {.set = compute_types(), .text = value, .result = DT_COUNT, .operand = DT_COUNT};
        if (check_text(read, value, true)) use_entry(read, function, &entry);
        return;
    }
    if (value->kind != JSON_OBJECT) {
        backend_error(read, value, E_JSON_TYPE, "a function is a text, or an object of texts by type, but this is %s",
                      json_kind_name(value->kind));
        return;
    }
    Dtype result = DT_COUNT;
    const Json *of_all = json_get(value, S("result"));
    if (of_all != NULL) read_dtype(read, of_all, S("result"), &result);
    VEC(Entry) entries = {NULL, 0, 0};
    for (uint32_t i = 0; i < value->as.object.n; i++) {
        Entry entry;
        if (str_eq(name_str(value->as.object.members[i].key), S("result"))) continue;
        if (!read_entry(read, &value->as.object.members[i], result, &entry)) continue;
        *VEC_PUSH(read->arena, &entries) = entry;
    }
    /* Large groups first, so that smaller ones go over them. There are at most as many sizes as types. */
    for (unsigned size = DT_COUNT; size > 0; size--)
        for (uint32_t i = 0; i < entries.n; i++)
            if (size_of(entries.items[i].set) == size) use_entry(read, function, &entries.items[i]);
}

void backend_read_functions(BackendRead *read, const Json *functions) {
    for (uint32_t i = 0; i < functions->as.object.n; i++)
        read_function(read, &functions->as.object.members[i]);
}

/* ---- memory */

static Str fill_one(Arena *arena, Str text, Str value) {
    Str bare = lower_bare(value);
    TextOperand operand = {bare, low_text_level(bare)};
    unsigned level;
    Str filled = low_text_fill(arena, text, &operand, 1, &level);
    return low_text_operand(arena, filled, level);
}

Str backend_load(const Backend *backend, Arena *arena, Dtype type, Str element) {
    return fill_one(arena, backend->types[type].load, element);
}

Str backend_store(const Backend *backend, Arena *arena, Dtype type, Str value) {
    return fill_one(arena, backend->types[type].store, value);
}

Str backend_compute_name(const Backend *backend, Dtype type) { return backend->types[dtype_compute(type)].compute; }

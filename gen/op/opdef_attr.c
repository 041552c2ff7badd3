/* opdef_attr.c: attributes: their declaration in an opdef, and the check of a value against it.
 *
 * The values of a model's node go through the same check as defaults do, so that both are told the same way and later
 * stages see one form: a list is a list even where one number was given for all, and an infinity is a float although
 * JSON has to spell it as text.
 */
#include "op/opdef_inner.h"

#include <math.h>

static const char type_words[] = "int float bool string enum dtype list";

const char *opattr_type_name(AttrType type) {
    static const char *const names[] = {"int", "float", "bool", "string", "enum", "dtype", "list"};
    return names[type];
}

/* ---- values */

typedef struct Check {
    Arena *arena;
    const OpAttr *attr;
    Source *source;
    Diags *diags;
} Check;

static bool refuse(const Check *check, const Json *given, AttrType type, const char *hint) {
    static const char *const wanted[] = {
        [ATTR_INT] = "an integer",  [ATTR_FLOAT] = "a number", [ATTR_BOOL] = "true or false",
        [ATTR_STRING] = "a string", [ATTR_ENUM] = "a string",  [ATTR_DTYPE] = "the name of a dtype",
        [ATTR_LIST] = "an array",
    };
    bool all = check->attr->type == ATTR_LIST;
    Diag *diag = diag_error(check->diags, E_JSON_TYPE, span(check->source, given->from, given->to),
                            all && type != ATTR_LIST ? "%Q is a list, and each of it %s, but this is %s"
                                                     : "%Q is %s, but this is %s",
                            name_str(check->attr->name), wanted[type],
                            given->kind == JSON_BIGINT ? "one of more than 64 bits" : json_kind_name(given->kind));
    if (hint != NULL) diag_hint(check->diags, diag, "%s", hint);
    return false;
}

static bool check_float(const Check *check, const Json *given, Json *value) {
    static const struct {
        Str name;
        double value;
    } words[] = {{S("inf"), INFINITY}, {S("-inf"), -INFINITY}, {S("nan"), NAN}};
    if (given->kind == JSON_FLOAT || given->kind == JSON_INT) return true;
    for (size_t i = 0; given->kind == JSON_STRING && i < sizeof words / sizeof *words; i++) {
        if (!str_eq(given->as.s, words[i].name)) continue;
        value->kind = JSON_FLOAT;
        value->as.f = words[i].value;
        return true;
    }
    return refuse(check, given, ATTR_FLOAT,
                  given->kind == JSON_STRING ? "of strings it takes \"inf\", \"-inf\" and \"nan\"" : NULL);
}

static bool check_dtype(const Check *check, const Json *given) {
    Dtype dtype;
    if (given->kind != JSON_STRING) return refuse(check, given, ATTR_DTYPE, "as in \"f32\"");
    if (dtype_parse(given->as.s, &dtype)) return true;
    Diag *diag = diag_error(check->diags, E_BAD_VALUE, span(check->source, given->from, given->to),
                            "there is no dtype %Q", given->as.s);
    Str names[DT_COUNT];
    for (unsigned i = 0; i < DT_COUNT; i++)
        names[i] = str_c(dtype_name((Dtype)i));
    static const struct {
        const char *theirs, *ours;
    } known[] = {{"float32", "f32"}, {"float", "f32"},     {"float64", "f64"}, {"double", "f64"}, {"float16", "f16"},
                 {"half", "f16"},    {"bfloat16", "bf16"}, {"int64", "i64"},   {"long", "i64"},   {"int32", "i32"},
                 {"int", "i32"},     {"int16", "i16"},     {"int8", "i8"},     {"uint8", "u8"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!str_eq(given->as.s, str_c(known[i].theirs))) continue;
        diag_hint(check->diags, diag, "it is called \"%s\" here", known[i].ours);
        return false;
    }
    if (!diag_suggest(check->diags, diag, given->as.s, names, DT_COUNT))
        diag_hint(check->diags, diag, "there are bool, u8 to u64, i8 to i64, f16, bf16, f32, f64");
    return false;
}

static bool check_enum(const Check *check, const Json *given) {
    if (given->kind != JSON_STRING) return refuse(check, given, ATTR_ENUM, NULL);
    const Json *values = check->attr->values;
    if (values == NULL) return true; /* what is wrong with them was told */
    Str *names = ARENA_ARRAY(check->arena, Str, values->as.array.n);
    Buf all;
    buf_init(&all, check->arena);
    for (uint32_t i = 0; i < values->as.array.n; i++) {
        names[i] = values->as.array.items[i].as.s;
        if (str_eq(names[i], given->as.s)) return true;
        buf_format(&all, i == 0 ? "%Q" : ", %Q", names[i]);
    }
    Diag *diag = diag_error(check->diags, E_BAD_VALUE, span(check->source, given->from, given->to),
                            "%Q is one of %S, not %Q", name_str(check->attr->name), buf_str(&all), given->as.s);
    diag_suggest(check->diags, diag, given->as.s, names, values->as.array.n);
    return false;
}

static bool check_single(const Check *check, AttrType type, const Json *given, Json *value) {
    *value = *given;
    switch (type) {
    case ATTR_INT:
        if (given->kind == JSON_INT) return true;
        return refuse(check, given, type, NULL);
    case ATTR_FLOAT:
        return check_float(check, given, value);
    case ATTR_BOOL:
        return given->kind == JSON_BOOL || refuse(check, given, type, NULL);
    case ATTR_STRING:
        return given->kind == JSON_STRING || refuse(check, given, type, NULL);
    case ATTR_ENUM:
        return check_enum(check, given);
    case ATTR_DTYPE:
        return check_dtype(check, given);
    case ATTR_LIST:
        break;
    }
    return refuse(check, given, ATTR_LIST, NULL);
}

static bool check_list(const Check *check, const Json *given, Json *value) {
    const OpAttr *attr = check->attr;
    *value = *given;
    if (opattr_is_word(attr, given)) return check_enum(check, given);
    if (given->kind != JSON_ARRAY) {
        if (!attr->spread) return refuse(check, given, ATTR_LIST, "write it in [ ]");
        Json single;
        if (!check_single(check, attr->of, given, &single)) return false;
        uint32_t n = attr->len == 0 ? 1 : attr->len;
        value->kind = JSON_ARRAY;
        value->as.array.n = n;
        value->as.array.items = ARENA_ARRAY(check->arena, Json, n);
        for (uint32_t i = 0; i < n; i++)
            value->as.array.items[i] = single;
        return true;
    }
    uint32_t n = given->as.array.n;
    bool good = true;
    value->as.array.items = ARENA_ARRAY(check->arena, Json, n);
    for (uint32_t i = 0; i < n; i++)
        good = check_single(check, attr->of, &given->as.array.items[i], &value->as.array.items[i]) && good;
    if (attr->len == 0 || n == attr->len) return good;
    if (n == 1 && attr->spread && good) return check_list(check, &given->as.array.items[0], value);
    diag_error(check->diags, E_BAD_VALUE, span(check->source, given->from, given->to),
               "%Q is a list of %u, but this has %u", name_str(attr->name), (unsigned)attr->len, (unsigned)n);
    return false;
}

bool opattr_is_word(const OpAttr *attr, const Json *given) {
    return attr->type == ATTR_LIST && attr->of != ATTR_ENUM && attr->values != NULL && given->kind == JSON_STRING;
}

bool opattr_value(Arena *arena, const OpAttr *attr, Source *source, const Json *given, Diags *diags, Json *value) {
    Check check = {.arena = arena, .attr = attr, .source = source, .diags = diags};
    *value = *given;
    /* Where None is the default, it can be given as well. */
    if (given->kind == JSON_NULL && attr->fallback != NULL && attr->fallback->kind == JSON_NULL) return true;
    if (attr->type == ATTR_LIST) return check_list(&check, given, value);
    return check_single(&check, attr->type, given, value);
}

/* ---- declarations */

/* False after a finding, or if the key is not there. */
static bool read_type(OpRead *read, const Json *object, const char *key, AttrType *type) {
    const Json *value = op_get(object, key);
    if (value == NULL || !op_want(read, value, JSON_STRING, key, "the name of a type")) return false;
    for (unsigned i = 0; i <= ATTR_LIST; i++) {
        if (!str_eq(value->as.s, str_c(opattr_type_name((AttrType)i)))) continue;
        *type = (AttrType)i;
        return true;
    }
    Diag *diag = op_error(read, value, E_BAD_VALUE, "there is no type of attributes %Q", value->as.s);
    size_t n;
    Str *names = op_words(read->arena, type_words, &n);
    if (!diag_suggest(read->diags, diag, value->as.s, names, n))
        diag_hint(read->diags, diag, "there are: %s", type_words);
    return false;
}

static void read_values(OpRead *read, const JsonMember *member, OpAttr *attr) {
    const Json *values = op_get(&member->value, "values");
    bool is_enum = attr->type == ATTR_ENUM || (attr->type == ATTR_LIST && attr->of == ATTR_ENUM);
    if (values == NULL) {
        if (!is_enum) return;
        Diag *diag = diag_error(read->diags, E_MISSING, span(read->source, member->from, member->to),
                                "the enum %Q has no \"values\"", name_str(member->key));
        diag_hint(read->diags, diag, "write \"values\": [\"...\", \"...\"]");
        return;
    }
    if (!is_enum && attr->type != ATTR_LIST) {
        op_error(read, values, E_UNKNOWN_KEY, "\"values\" are for an enum or a list, but %Q is of type %s",
                 name_str(member->key), opattr_type_name(attr->type));
        return;
    }
    if (!op_want(read, values, JSON_ARRAY, "values", "an array of strings")) return;
    if (values->as.array.n == 0) {
        op_error(read, values, E_BAD_VALUE, is_enum ? "the enum %Q has no value" : "the \"values\" of %Q are none",
                 name_str(member->key));
        return;
    }
    bool good = true;
    for (uint32_t i = 0; i < values->as.array.n; i++) {
        const Json *value = &values->as.array.items[i];
        if (value->kind != JSON_STRING) {
            op_error(read, value, E_JSON_TYPE, "the values of an enum are strings, but this is %s",
                     json_kind_name(value->kind));
            good = false;
            continue;
        }
        for (uint32_t k = 0; k < i; k++) {
            const Json *before = &values->as.array.items[k];
            if (before->kind != JSON_STRING || !str_eq(before->as.s, value->as.s)) continue;
            op_error(read, value, E_DUPLICATE, "the value %Q is listed twice", value->as.s);
            break;
        }
    }
    if (good) attr->values = values;
}

static void read_list(OpRead *read, const JsonMember *member, OpAttr *attr, bool known) {
    const Json *of = op_get(&member->value, "of"), *len = op_get(&member->value, "len"),
               *spread = op_get(&member->value, "spread");
    if (known && attr->type != ATTR_LIST) {
        static const char *const keys[] = {"of", "len", "spread"};
        const Json *parts[] = {of, len, spread};
        for (int i = 0; i < 3; i++) {
            if (parts[i] == NULL) continue;
            op_error(read, parts[i], E_UNKNOWN_KEY, "%Q is for a list, but %Q is of type %s", str_c(keys[i]),
                     name_str(member->key), opattr_type_name(attr->type));
        }
        return;
    }
    attr->of = ATTR_INT;
    if (of != NULL && read_type(read, &member->value, "of", &attr->of) && attr->of == ATTR_LIST)
        op_error(read, of, E_BAD_VALUE, "a list of lists is not a type of attributes");
    attr->spread = op_flag(read, &member->value, "spread");
    if (len == NULL || !op_want(read, len, JSON_INT, "len", "how long the list is")) return;
    if (len->as.i < 1 || len->as.i > 64)
        op_error(read, len, E_BAD_VALUE, "the length of a list is from 1 to 64");
    else
        attr->len = (uint32_t)len->as.i;
}

static void read_attr(OpRead *read, const JsonMember *member) {
    OpDef *op = read->op;
    const Json *object = &member->value;
    Name name = op_name(read, name_str(member->key), member->from, member->to, "an attribute");
    if (object->kind != JSON_OBJECT) {
        Diag *diag = op_error(read, object, E_JSON_TYPE, "an attribute is an object, but this is %s",
                              json_kind_name(object->kind));
        diag_hint(read->diags, diag, "write {\"type\": \"int\"}");
        return;
    }
    op_keys(read, object, "an attribute", "type of len spread default values doc");
    OpAttr attr = {.name = name};
    bool known = read_type(read, object, "type", &attr.type);
    if (op_get(object, "type") == NULL) {
        Diag *diag = diag_error(read->diags, E_MISSING, span(read->source, member->from, member->to),
                                "the attribute %Q has no \"type\"", name_str(member->key));
        diag_hint(read->diags, diag, "one of: %s", type_words);
    }
    if (name != NULL && (op_find_input(op, name) || op_find_attr(op, name))) {
        diag_error(read->diags, E_DUPLICATE, span(read->source, member->from, member->to), "%Q is an input already",
                   name_str(name));
        name = NULL;
    }
    read_list(read, member, &attr, known);
    if (known) read_values(read, member, &attr);
    attr.doc = op_string(read, object, "doc", "a string");
    const Json *fallback = op_get(object, "default");
    attr.required = fallback == NULL;
    Json *value = ARENA_NEW(read->arena, Json);
    if (fallback != NULL && (fallback->kind == JSON_NULL || !known)) {
        *value = *fallback;
        attr.fallback = value;
    } else if (fallback != NULL) {
        attr.name = names_get(read->names, S("default"));
        opattr_value(read->arena, &attr, read->source, fallback, read->diags, value);
        attr.name = name;
        attr.fallback = value;
    }
    if (name != NULL) *VEC_PUSH(read->arena, &op->attrs) = attr;
}

void op_read_attrs(OpRead *read) {
    const Json *attrs = op_get(read->json, "attrs");
    if (attrs == NULL || !op_want(read, attrs, JSON_OBJECT, "attrs", "an object of attributes")) return;
    for (uint32_t i = 0; i < attrs->as.object.n; i++)
        read_attr(read, &attrs->as.object.members[i]);
}

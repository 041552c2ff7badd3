/* opdef_read.c: one operator from its JSON: which keys it may have and must have, and the order in which its parts are
 * read.
 *
 * An operator with a mistake is not kept, but everything in it is looked at, so that all its mistakes are told at once.
 */
#include "op/opdef_inner.h"

enum { ALL = 31, FOLDS = 1 << KIND_REDUCE | 1 << KIND_KERNEL };

typedef struct Key {
    const char *name;
    unsigned kinds;  /* a bit for each that has it */
    unsigned needed; /* and for each that must have it */
} Key;

static const Key keys[] = {
    {"$schema", ALL, 0},
    {"op", ALL, ALL},
    {"doc", ALL, 0},
    {"kind", ALL, ALL},
    {"inputs", ALL, ALL},
    {"outputs", ALL, 0},
    {"attrs", ALL, 0},
    {"types", ALL, 0},
    {"require", ALL, 0},
    {"mutates", ALL, 0},
    {"grad", ALL, 0},
    {"cost", ALL, 0},
    {"arch", ALL, 0},
    {"parallel", ALL, 0},
    {"tests", ALL, 0},
    {"in_place", 1 << KIND_MAP, 0},
    {"let", 1 << KIND_MAP | FOLDS, 0},
    {"expr", 1 << KIND_MAP, 1 << KIND_MAP},
    {"index", 1 << KIND_VIEW, 1 << KIND_VIEW},
    {"valid", 1 << KIND_VIEW, 0},
    {"fill", 1 << KIND_VIEW, 0},
    {"acc", FOLDS, 0},
    {"init", FOLDS, 1 << KIND_REDUCE},
    {"map", FOLDS, 0},
    {"combine", FOLDS, 1 << KIND_REDUCE},
    {"finish", FOLDS, 0},
    {"over", 1 << KIND_REDUCE, 0},
    {"kernel", 1 << KIND_KERNEL, 1 << KIND_KERNEL},
    {"sizes", 1 << KIND_KERNEL, 0},
    {"holes", 1 << KIND_KERNEL, 0},
    {"candidates", 1 << KIND_KERNEL, 0},
    {"steps", 1 << KIND_COMPOSITE, 1 << KIND_COMPOSITE},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

static const char *const kinds[] = {"map", "view", "reduce", "kernel", "composite"};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

const char *op_kind_name(OpKind kind) { return kinds[kind]; }

/* "map and reduce" */
static Str kinds_of(Arena *arena, unsigned bits) {
    Buf out;
    buf_init(&out, arena);
    for (unsigned i = 0; i < KIND_COUNT; i++) {
        if (!(bits & 1u << i)) continue;
        if (out.n > 0) buf_add(&out, S(" and "));
        buf_add(&out, str_c(kinds[i]));
    }
    return buf_str(&out);
}

static const Key *find_key(Str name) {
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (str_eq(name, str_c(keys[i].name))) return &keys[i];
    }
    return NULL;
}

/* Keys of other kinds are no suggestion, unless the kind is not known. */
static void check_keys(OpRead *read, const OpKind *known) {
    const Json *json = read->json;
    unsigned kind = known == NULL ? ALL : 1u << *known;
    for (uint32_t i = 0; i < json->as.object.n; i++) {
        const JsonMember *member = &json->as.object.members[i];
        const Key *key = find_key(name_str(member->key));
        Span at = span(read->source, member->from, member->to);
        if (key != NULL && (key->kinds & kind)) continue;
        if (key != NULL) {
            diag_error(read->diags, E_UNKNOWN_KEY, at, "%Q is a key of %S, and this is a %s", name_str(member->key),
                       kinds_of(read->arena, key->kinds), op_kind_name(*known));
            continue;
        }
        Diag *diag = diag_error(read->diags, E_UNKNOWN_KEY, at, "an operator has no key %Q", name_str(member->key));
        Str names[KEY_COUNT];
        size_t n = 0;
        for (size_t k = 0; k < KEY_COUNT; k++) {
            if ((keys[k].kinds & kind) && op_get(json, keys[k].name) == NULL) names[n++] = str_c(keys[k].name);
        }
        diag_suggest(read->diags, diag, name_str(member->key), names, n);
    }
    for (size_t k = 0; k < KEY_COUNT; k++) {
        bool told = op_list_has("op kind", str_c(keys[k].name));
        if ((keys[k].needed & kind) != kind || op_get(json, keys[k].name) != NULL || told) continue;
        Diag *diag = diag_error(read->diags, E_MISSING, span(read->source, read->op->from, read->op->to),
                                "%S has no \"%s\"", op_shown(read), keys[k].name);
        if (str_eq(str_c(keys[k].name), S("inputs"))) diag_hint(read->diags, diag, "write [] if it takes none");
    }
}

Str op_shown(const OpRead *read) {
    Str name = name_str(read->op->name);
    return name.n == 0 ? S("this operator") : str_format(read->arena, "%Q", name);
}

/* The operator's name, or after a finding an empty one. */
static void read_op_name(OpRead *read) {
    OpDef *op = read->op;
    const Json *json = read->json, *name = op_get(json, "op");
    op->name = names_get(read->names, S(""));
    op->from = json->from;
    op->to = json->from + 1;
    if (name == NULL) {
        op_error(read, json, E_MISSING, "this operator has no \"op\", which is its name");
        return;
    }
    op->from = name->from;
    op->to = name->to;
    Name found = op_name_of(read, name, "an operator");
    if (found != NULL) op->name = found;
}

static bool read_op_kind(OpRead *read) {
    OpDef *op = read->op;
    const Json *kind = op_get(read->json, "kind");
    Str names[KIND_COUNT];
    for (unsigned i = 0; i < KIND_COUNT; i++)
        names[i] = str_c(kinds[i]);
    if (kind == NULL) {
        Diag *diag = diag_error(read->diags, E_MISSING, span(read->source, op->from, op->to), "%S has no \"kind\"",
                                op_shown(read));
        diag_hint(read->diags, diag, "one of: map, view, reduce, kernel, composite");
        return false;
    }
    if (!op_want(read, kind, JSON_STRING, "kind", "a string")) return false;
    for (unsigned i = 0; i < KIND_COUNT; i++) {
        if (!str_eq(kind->as.s, names[i])) continue;
        op->kind = (OpKind)i;
        return true;
    }
    Diag *diag = op_error(read, kind, E_BAD_VALUE, "there is no kind of operators %Q", kind->as.s);
    if (!diag_suggest(read->diags, diag, kind->as.s, names, KIND_COUNT))
        diag_hint(read->diags, diag, "one of: map, view, reduce, kernel, composite");
    return false;
}

OpDef *op_read(OpRead *read) {
    uint32_t errors = read->diags->errors;
    OpDef *op = read->op = ARENA_NEW(read->arena, OpDef);
    op->source = read->source;
    op->json = read->json;
    op->doc = S("");
    if (read->json->kind != JSON_OBJECT) {
        op_error(read, read->json, E_JSON_TYPE, "an operator is an object, but this is %s",
                 json_kind_name(read->json->kind));
        return NULL;
    }
    read_op_name(read);
    bool kind = read_op_kind(read);
    check_keys(read, kind ? &op->kind : NULL);
    op->doc = op_string(read, read->json, "doc", "a string");
    op_read_types(read);
    op_read_inputs(read);
    op_read_attrs(read);
    op_read_outputs(read);
    op_read_output_types(read);
    op_read_requires(read);
    op_read_mutates(read);
    if (kind) op_read_kind(read);
    if (kind) op_read_extras(read);
    return read->diags->errors == errors ? op : NULL;
}

/* ---- in-place forms */

/* The text of an expression, to be put into another one. */
static Str text_of(const OpExpr *expr) { return str_sub(expr->source->text, expr->expr->from, expr->expr->to); }

static OpExpr in_place_expr(OpRead *read, const OpDef *op, Str text) {
    return op_own_expr(
        read, str_format(read->arena, "<%S_, the in-place form of %S>", name_str(op->name), name_str(op->name)), text);
}

/* The first input is changed: it keeps its type and shape, so the result must have that shape and be of a kind that
 * fits in. */
OpDef *op_read_in_place(OpRead *read, const OpDef *op) {
    if (!op_flag(read, read->json, "in_place")) return NULL;
    const Json *flag = op_get(read->json, "in_place");
    if (op->mutates.n > 0 || op->inputs.n == 0 || op->outputs.n != 1 || op->inputs.items[0].list ||
        op->inputs.items[0].optional) {
        op_error(read, flag, E_BAD_VALUE,
                 "only an operator with a plain first input and one output has an in-place form");
        return NULL;
    }
    OpDef *form = ARENA_NEW(read->arena, OpDef);
    *form = *op;
    form->base = op;
    form->name = names_get(read->names, str_format(read->arena, "%S_", name_str(op->name)));
    Name x = op->inputs.items[0].name;
    form->mutates.items = NULL;
    form->mutates.n = form->mutates.cap = 0;
    *VEC_PUSH(read->arena, &form->mutates) = x;
    const OpOutput *was = &op->outputs.items[0];
    OpOutput output = {.name = was->name, .doc = was->doc};
    output.type = in_place_expr(read, op, str_format(read->arena, "%S.dtype", name_str(x)));
    output.shape = in_place_expr(read, op, str_format(read->arena, "%S.shape", name_str(x)));
    form->outputs.items = NULL;
    form->outputs.n = form->outputs.cap = 0;
    *VEC_PUSH(read->arena, &form->outputs) = output;
    Buf shapes;
    buf_init(&shapes, read->arena);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        if (!op->inputs.items[i].optional)
            buf_format(&shapes, i == 0 ? "%S.shape" : ", %S.shape", name_str(op->inputs.items[i].name));
    }
    OpRequire shape = {
        .that = in_place_expr(read, op,
                              str_format(read->arena, "broadcast(%S) == %S.shape", buf_str(&shapes), name_str(x))),
        .otherwise =
            str_format(read->arena, "the result of %S does not have the shape of %S, {{ %S.shape }}, which it replaces",
                       name_str(form->name), name_str(x), name_str(x))};
    Str type = text_of(&was->type), own = name_str(x);
    OpRequire fits = {
        .that = in_place_expr(
            read, op,
            str_format(read->arena, "is_float(%S.dtype) or not is_float(%S) and (is_int(%S.dtype) or not is_int(%S))",
                       own, type, own, type)),
        .otherwise = str_format(read->arena, "%S gives another kind of number than {{ %S.dtype }}, which %S is",
                                name_str(form->name), own, own)};
    OpRequire *requires = ARENA_ARRAY(read->arena, OpRequire, op->requires.n + 2);
    for (uint32_t i = 0; i < op->requires.n; i++)
    requires[i] = op->requires.items[i];
    requires[op->requires.n] = shape;
    requires[op->requires.n + 1] = fits;
    form->requires.items = requires;
    form->requires.n = form->requires.cap = op->requires.n + 2;
    return form;
}

/* opdef_holes.c: what a kernel's template goes by: named sizes, and holes, through which it reads and writes tensors.
 *
 * The template has indices of its own, which are simple: a row and a column. How an operator's tensors are seen so is
 * said here: of each hole the ranges of the template's index, and which element of the tensor one of them means.
 */
#include "op/opdef_inner.h"

enum { RULE = SEE_INPUTS | SEE_ATTRS | SEE_OUTPUTS | SEE_TYPES | SEE_SIZES };

/* ---- sizes */

static Name size_name(OpRead *read, const JsonMember *member) {
    Name name = op_name(read, name_str(member->key), member->from, member->to, "a size");
    if (name == NULL) return NULL;
    Span at = span(read->source, member->from, member->to);
    const char *as = op_declared_as(read, name);
    if (as != NULL) {
        diag_error(read->diags, E_DUPLICATE, at, "%Q is %s already", name_str(name), as);
        return NULL;
    }
    if (str_eq(name_str(name), S("i"))) {
        diag_error(read->diags, E_BAD_NAME, at,
                   "%Q cannot be the name of a size: in a hole's rules it is the template's index", name_str(name));
        return NULL;
    }
    return name;
}

void op_read_sizes(OpRead *read) {
    OpDef *op = read->op;
    const Json *sizes = op_get(read->json, "sizes");
    if (sizes == NULL || !op_want(read, sizes, JSON_OBJECT, "sizes", "an object of names and integers")) return;
    static const OpScope scope = {.what = "a size", .see = RULE, .extra = NULL, .first = NULL};
    for (uint32_t i = 0; i < sizes->as.object.n; i++) {
        const JsonMember *member = &sizes->as.object.members[i];
        NamedExpr size = {.name = size_name(read, member), .value = {0}};
        op_expr(read, &member->value, &scope, &size.value);
        if (size.name != NULL) *VEC_PUSH(read->arena, &op->sizes) = size;
    }
}

/* ---- holes */

static bool is_list(const OpDef *op, Name tensor) {
    const OpInput *input = op_find_input(op, tensor);
    const OpOutput *output = op_find_output(op, tensor);
    return (input != NULL && input->list) || (output != NULL && output->count.expr != NULL);
}

static bool is_size(const OpDef *op, Name name) {
    for (uint32_t i = 0; i < op->sizes.n; i++)
        if (op->sizes.items[i].name == name) return true;
    return false;
}

static Name hole_name(OpRead *read, const JsonMember *member) {
    Name name = op_name(read, name_str(member->key), member->from, member->to, "a hole");
    if (name == NULL || !is_size(read->op, name)) return name;
    diag_error(read->diags, E_DUPLICATE, span(read->source, member->from, member->to), "%Q is a size already",
               name_str(name));
    return NULL;
}

static void unknown_tensor(OpRead *read, Span at, Str name, bool is_hole) {
    const OpDef *op = read->op;
    Diag *diag = diag_error(read->diags, E_UNKNOWN_NAME, at, "there is no input or output %Q", name);
    Str *names = ARENA_ARRAY(read->arena, Str, op->inputs.n + op->outputs.n);
    size_t n = 0;
    for (uint32_t i = 0; i < op->inputs.n; i++)
        names[n++] = name_str(op->inputs.items[i].name);
    for (uint32_t i = 0; i < op->outputs.n; i++)
        names[n++] = name_str(op->outputs.items[i].name);
    if (!diag_suggest(read->diags, diag, name, names, n) && is_hole)
        diag_hint(read->diags, diag, "a hole that has another name says of what it is: \"of\": %Q",
                  n > 0 ? names[0] : S("input"));
}

/* The tensor behind a hole: what "of" says, or what has the hole's name. NULL after a finding. */
static Name tensor_of(OpRead *read, const JsonMember *member) {
    const OpDef *op = read->op;
    const Json *of = op_get(&member->value, "of");
    if (of != NULL && !op_want(read, of, JSON_STRING, "of", "the name of an input or output")) return NULL;
    Span at = of == NULL ? span(read->source, member->from, member->to) : span(read->source, of->from, of->to);
    Name name = of == NULL ? member->key : names_get(read->names, of->as.s);
    if (op_find_input(op, name) == NULL && op_find_output(op, name) == NULL) {
        unknown_tensor(read, at, name_str(name), of == NULL);
        return NULL;
    }
    if (is_list(op, name)) {
        diag_error(read->diags, E_BAD_VALUE, at, "%Q is a list of tensors, and a hole is of one tensor",
                   name_str(name));
        return NULL;
    }
    if (name == member->key || (op_find_input(op, member->key) == NULL && op_find_output(op, member->key) == NULL))
        return name;
    diag_error(read->diags, E_BAD_NAME, span(read->source, member->from, member->to),
               "%Q is %s, but a hole of this name is of %Q", name_str(member->key), op_declared_as(read, member->key),
               name_str(name));
    return NULL;
}

static void read_hole(OpRead *read, const JsonMember *member) {
    static const OpScope shape = {.what = "a hole's shape", .see = RULE | IS_LIST, .extra = NULL, .first = NULL};
    static const OpScope index = {.what = "a hole's index", .see = RULE | IS_LIST, .extra = "i", .first = NULL};
    const Json *value = &member->value;
    OpHole hole = {.name = hole_name(read, member)};
    if (value->kind != JSON_OBJECT) {
        Diag *diag =
            op_error(read, value, E_JSON_TYPE, "a hole is an object, but this is %s", json_kind_name(value->kind));
        diag_hint(read->diags, diag, "write {\"shape\": \"[...]\", \"index\": \"[...]\"}");
        return;
    }
    op_keys(read, value, "a hole", "of shape index");
    hole.of = tensor_of(read, member);
    op_expr_member(read, value, "shape", &shape, &hole.shape);
    op_expr_member(read, value, "index", &index, &hole.index);
    if (hole.name != NULL && hole.of != NULL) *VEC_PUSH(read->arena, &read->op->holes) = hole;
}

/* A tensor that no hole is of is read or written as it is, under its own name. */
static void add_hole(OpRead *read, Name tensor) {
    OpDef *op = read->op;
    if (tensor->n == 0 || is_list(op, tensor)) return;
    for (uint32_t i = 0; i < op->holes.n; i++)
        if (op->holes.items[i].of == tensor) return;
    *VEC_PUSH(read->arena, &op->holes) = (OpHole){.name = tensor, .of = tensor};
}

void op_read_holes(OpRead *read) {
    OpDef *op = read->op;
    const Json *holes = op_get(read->json, "holes");
    if (holes != NULL && op_want(read, holes, JSON_OBJECT, "holes", "an object of holes")) {
        const char *as = op_declared_as(read, names_get(read->names, S("i")));
        if (as != NULL)
            diag_error(read->diags, E_BAD_NAME, span(read->source, op->from, op->to),
                       "\"i\" is %s of this operator, but in a hole's rules it means something else", as);
        for (uint32_t i = 0; i < holes->as.object.n; i++)
            read_hole(read, &holes->as.object.members[i]);
    }
    for (uint32_t i = 0; i < op->inputs.n; i++)
        add_hole(read, op->inputs.items[i].name);
    for (uint32_t i = 0; i < op->outputs.n; i++)
        add_hole(read, op->outputs.items[i].name);
}

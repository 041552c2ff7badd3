/* opdef_names.c: what may stand in an expression of an opdef: every node and every name.
 *
 * Expressions of templates can do more than makes sense in a rule or a body, and names depend on where the expression
 * stands: a shape knows inputs as tensors, a body as elements. Both are checked here, once, so that the evaluators meet
 * only what they know, and the author is told at the place.
 */
#include "op/opdef_inner.h"

/* ---- the names that there are */

typedef enum Found {
    NOT_FOUND,
    FOUND_VALUE,
    FOUND_TENSOR, /* an input or output whose shape is meant */
    FOUND_LIST,   /* an input that is a list of tensors */
    FOUND_PAIR,   /* a or b */
    FOUND_ELSEWHERE,
} Found;

typedef struct Walk {
    OpRead *read;
    const OpScope *scope;
    Source *source;
    uint32_t shift; /* the tree's places begin here */
} Walk;

static bool in_list(const NamedExprs *list, Name name, Name first) {
    for (uint32_t i = 0; i < list->n && list->items[i].name != first; i++) {
        if (list->items[i].name == name) return true;
    }
    return false;
}

const OpInput *op_find_input(const OpDef *op, Name name) {
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        if (op->inputs.items[i].name == name) return &op->inputs.items[i];
    }
    return NULL;
}

const OpOutput *op_find_output(const OpDef *op, Name name) {
    for (uint32_t i = 0; i < op->outputs.n; i++) {
        if (op->outputs.items[i].name == name) return &op->outputs.items[i];
    }
    return NULL;
}

const OpAttr *op_find_attr(const OpDef *op, Name name) {
    for (uint32_t i = 0; i < op->attrs.n; i++) {
        if (op->attrs.items[i].name == name) return &op->attrs.items[i];
    }
    return NULL;
}

static bool is_type(const OpDef *op, Name name) {
    for (uint32_t i = 0; i < op->types.n; i++) {
        if (op->types.items[i].name == name) return true;
    }
    return false;
}

static bool is_step_output(const OpDef *op, Name name) {
    for (uint32_t i = 0; i < op->steps.n; i++) {
        for (uint32_t k = 0; k < op->steps.items[i].out.n; k++) {
            if (op->steps.items[i].out.items[k] == name) return true;
        }
    }
    return false;
}

static bool is_grad(const OpRead *read, Name name) {
    Str text = name_str(name);
    if (text.n < 2 || text.p[0] != 'd') return false;
    Name output = names_find(read->names, str_sub(text, 1, text.n));
    return output != NULL && op_find_output(read->op, output) != NULL;
}

static bool is_constant(Name name) {
    static const char constants[] = ""
#define BUILTIN(function, least, most, where, gives)
#define CONSTANT(constant, gives) #constant " "
#include "op/builtins.h"
        ;
#undef BUILTIN
#undef CONSTANT
    return op_list_has(constants, name_str(name));
}

const char *op_declared_as(const OpRead *read, Name name) {
    const OpDef *op = read->op;
    if (op_find_attr(op, name)) return "an attribute";
    if (op_find_input(op, name)) return "an input";
    if (op_find_output(op, name)) return "an output";
    if (in_list(&op->let, name, NULL)) return "a name of \"let\"";
    if (in_list(&op->acc, name, NULL)) return "an accumulator";
    if (is_type(op, name)) return "a type variable";
    if (in_list(&op->sizes, name, NULL)) return "a size";
    return NULL;
}

static Found find(const Walk *walk, Name name) {
    const OpRead *read = walk->read;
    const OpDef *op = read->op;
    const OpScope *scope = walk->scope;
    unsigned see = scope->see;
    Dtype dtype;
    if (op_list_has(scope->extra, name_str(name))) return FOUND_VALUE;
    if ((see & SEE_PAIR) && (str_eq(name_str(name), S("a")) || str_eq(name_str(name), S("b")))) return FOUND_PAIR;
    if ((see & SEE_ACC) && in_list(&op->acc, name, NULL)) return FOUND_VALUE;
    if ((see & SEE_LET) && in_list(&op->let, name, scope->first)) return FOUND_VALUE;
    if ((see & SEE_SIZES) && in_list(&op->sizes, name, NULL)) return FOUND_VALUE;
    if ((see & SEE_ATTRS) && op_find_attr(op, name)) return FOUND_VALUE;
    if ((see & SEE_INPUTS) && op_find_input(op, name)) {
        if (op_find_input(op, name)->list) return FOUND_LIST;
        return (see & (IS_BODY | IS_GRAPH)) ? FOUND_VALUE : FOUND_TENSOR;
    }
    if ((see & SEE_STEPS) && is_step_output(op, name)) return FOUND_VALUE;
    if ((see & SEE_GRADS) && is_grad(read, name)) return FOUND_VALUE;
    if ((see & SEE_OUTPUTS) && op_find_output(op, name)) return FOUND_TENSOR;
    if (see & IS_GRAPH) return op_declared_as(read, name) ? FOUND_ELSEWHERE : NOT_FOUND;
    if ((see & SEE_TYPES) && is_type(op, name)) return FOUND_VALUE;
    if (op_declared_as(read, name)) return FOUND_ELSEWHERE;
    if (dtype_parse(name_str(name), &dtype) || is_constant(name)) return FOUND_VALUE;
    return NOT_FOUND;
}

typedef VEC(Str) Strs;

static void add_names(Arena *arena, Strs *all, const NamedExprs *list) {
    for (uint32_t i = 0; i < list->n; i++)
        *VEC_PUSH(arena, all) = name_str(list->items[i].name);
}

static bool suggest_name(OpRead *read, Diag *diag, Str wrong, const OpScope *scope) {
    const OpDef *op = read->op;
    unsigned see = scope->see;
    Arena *arena = read->arena;
    Strs all = {0};
    for (uint32_t i = 0; (see & SEE_INPUTS) && i < op->inputs.n; i++)
        *VEC_PUSH(arena, &all) = name_str(op->inputs.items[i].name);
    for (uint32_t i = 0; (see & SEE_ATTRS) && i < op->attrs.n; i++)
        *VEC_PUSH(arena, &all) = name_str(op->attrs.items[i].name);
    for (uint32_t i = 0; (see & (SEE_OUTPUTS | SEE_GRADS)) && i < op->outputs.n; i++) {
        Str name = name_str(op->outputs.items[i].name);
        if (see & SEE_OUTPUTS) *VEC_PUSH(arena, &all) = name;
        if (see & SEE_GRADS) *VEC_PUSH(arena, &all) = str_format(arena, "d%S", name);
    }
    for (uint32_t i = 0; (see & SEE_TYPES) && i < op->types.n; i++)
        *VEC_PUSH(arena, &all) = name_str(op->types.items[i].name);
    for (uint32_t i = 0; (see & SEE_STEPS) && i < op->steps.n; i++) {
        for (uint32_t k = 0; k < op->steps.items[i].out.n; k++)
            *VEC_PUSH(arena, &all) = name_str(op->steps.items[i].out.items[k]);
    }
    if (see & SEE_LET) add_names(arena, &all, &op->let);
    if (see & SEE_ACC) add_names(arena, &all, &op->acc);
    if (see & SEE_SIZES) add_names(arena, &all, &op->sizes);
    for (Dtype i = 0; (see & IS_TYPE) && i < DT_COUNT; i++)
        *VEC_PUSH(arena, &all) = str_c(dtype_name(i));
    size_t n = 0;
    Str *extra = op_words(arena, scope->extra == NULL ? "" : scope->extra, &n);
    for (size_t i = 0; i < n; i++)
        *VEC_PUSH(arena, &all) = extra[i];
    return diag_suggest(read->diags, diag, wrong, all.items, all.n);
}

/* ---- functions */

enum { IN_RULE = 1, IN_BODY = 2, IN_BOTH = 3 };

typedef struct Builtin {
    Str name;
    int least, most;
    unsigned where;
} Builtin;

static const Builtin builtins[] = {
#define BUILTIN(function, least, most, where, gives) {{#function, sizeof #function - 1}, least, most, where},
#include "op/builtins.h"
#undef BUILTIN
};
enum { BUILTIN_COUNT = sizeof builtins / sizeof *builtins };

static const Builtin *find_builtin(Str name) {
    for (size_t i = 0; i < BUILTIN_COUNT; i++) {
        if (str_eq(builtins[i].name, name)) return &builtins[i];
    }
    return NULL;
}

bool op_is_builtin(Str name) { return find_builtin(name) != NULL; }

/* ---- the walk: every node is one that may stand in an opdef, every name is known */

static Diag *fault(const Walk *walk, uint32_t from, uint32_t to, DiagCode code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = diag_vadd(walk->read->diags, DIAG_ERROR, code,
                           span(walk->source, (size_t)from + walk->shift, (size_t)to + walk->shift), format, args);
    va_end(args);
    return diag;
}

static const char tensor_attrs[] = "shape rank numel dtype itemsize";

static void check(const Walk *walk, const Expr *e);

static void unknown_name(const Walk *walk, const Expr *e) {
    OpRead *read = walk->read;
    Str name = name_str(e->as.name);
    DtypeSet set;
    Diag *diag;
    if ((walk->scope->see & IS_TYPE) && dtype_set_parse(name, &set)) {
        diag = fault(walk, e->from, e->to, E_BAD_EXPRESSION, "%Q is a group of dtypes, and %s is one dtype", name,
                     walk->scope->what);
        diag_hint(read->diags, diag, "name it: \"types\": {\"T\": %Q}, and write T here", name);
    } else if (find_builtin(name) != NULL) {
        diag = fault(walk, e->from, e->to, E_BAD_EXPRESSION, "%Q is a function: it is called with (...)", name);
    } else {
        diag = fault(walk, e->from, e->to, E_UNKNOWN_NAME, "there is no %Q in %s", name, walk->scope->what);
        suggest_name(read, diag, name, walk->scope);
    }
}

static void check_name(const Walk *walk, const Expr *e) {
    Str name = name_str(e->as.name);
    OpRead *read = walk->read;
    Diag *diag;
    switch (find(walk, e->as.name)) {
    case FOUND_VALUE:
        if ((walk->scope->see & IS_BODY) && walk->scope->extra != NULL && str_eq(name, S("index")) &&
            op_list_has(walk->scope->extra, name)) {
            diag = fault(walk, e->from, e->to, E_BAD_EXPRESSION, "index is the element's position, a list");
            diag_hint(read->diags, diag, "take one of it: index[0], index[-1]");
        }
        return;
    case FOUND_TENSOR:
        diag = fault(walk, e->from, e->to, E_BAD_EXPRESSION, "%Q is a tensor, whose elements are not known in %s", name,
                     walk->scope->what);
        diag_hint(read->diags, diag, "what is known of it: %S.shape, .rank, .numel, .dtype, .itemsize", name);
        return;
    case FOUND_LIST:
        if (walk->scope->see & IS_GRAPH) return;
        diag = fault(walk, e->from, e->to, E_BAD_EXPRESSION, "%Q is a list of tensors", name);
        diag_hint(read->diags, diag, "what is known of it: len(%S), %S[0].shape, sizes(%S, dim)", name, name, name);
        return;
    case FOUND_PAIR:
        if (read->op->acc.n > 1) {
            diag = fault(walk, e->from, e->to, E_BAD_EXPRESSION, "%Q is one of several accumulators", name);
            diag_hint(read->diags, diag, "say which: %S.%S", name, name_str(read->op->acc.items[0].name));
        }
        return;
    case FOUND_ELSEWHERE:
        fault(walk, e->from, e->to, E_UNKNOWN_NAME, "%Q is %s, which is not known in %s", name,
              op_declared_as(read, e->as.name), walk->scope->what);
        return;
    case NOT_FOUND:
        unknown_name(walk, e);
        return;
    }
}

/* Whether this is a tensor: an input or output by name, or one of a list of them. */
static bool is_tensor(const Walk *walk, const Expr *e) {
    if (e->kind == X_ITEM && e->as.pair.a->kind == X_NAME && find(walk, e->as.pair.a->as.name) == FOUND_LIST)
        return true;
    if (e->kind != X_NAME) return false;
    if (op_list_has(walk->scope->extra, name_str(e->as.name))) return false;
    Found found = find(walk, e->as.name);
    return found == FOUND_TENSOR || (found == FOUND_VALUE && (walk->scope->see & SEE_INPUTS) &&
                                     op_find_input(walk->read->op, e->as.name) != NULL);
}

/* A list of tensors, whole or sliced. */
static bool is_tensors(const Walk *walk, const Expr *e) {
    if (e->kind == X_SLICE) e = e->as.slice.a;
    return e != NULL && e->kind == X_NAME && find(walk, e->as.name) == FOUND_LIST;
}

static void check_slice(const Walk *walk, const Expr *e) {
    if (e->as.slice.start) check(walk, e->as.slice.start);
    if (e->as.slice.stop) check(walk, e->as.slice.stop);
    if (e->as.slice.step) check(walk, e->as.slice.step);
}

static void suggest_word(const Walk *walk, Diag *diag, Str wrong, const char *words) {
    size_t n;
    Str *list = op_words(walk->read->arena, words, &n);
    if (!diag_suggest(walk->read->diags, diag, wrong, list, n))
        diag_hint(walk->read->diags, diag, "there are: %s", words);
}

static void check_attr(const Walk *walk, const Expr *e) {
    const Expr *of = e->as.attr.a;
    Str attr = name_str(e->as.attr.name);
    if (is_tensor(walk, of)) {
        if (of->kind == X_ITEM) check(walk, of->as.pair.b);
        if (op_list_has(tensor_attrs, attr)) return;
        Diag *diag = fault(walk, e->at, e->at_to, E_UNKNOWN_NAME, "a tensor has no %Q in an opdef", attr);
        suggest_word(walk, diag, attr, tensor_attrs);
        return;
    }
    if (of->kind == X_NAME && find(walk, of->as.name) == FOUND_PAIR) {
        const NamedExprs *acc = &walk->read->op->acc;
        if (in_list(acc, e->as.attr.name, NULL)) return;
        Diag *diag = fault(walk, e->at, e->at_to, E_UNKNOWN_NAME, "there is no accumulator %Q", attr);
        Strs names = {0};
        add_names(walk->read->arena, &names, acc);
        diag_suggest(walk->read->diags, diag, attr, names.items, names.n);
        return;
    }
    uint32_t before = walk->read->diags->errors;
    check(walk, of);
    if (walk->read->diags->errors != before) return; /* what it is an attribute of is wrong already */
    Diag *diag = fault(walk, e->at, e->at_to, E_BAD_EXPRESSION, "only tensors have attributes, and this is none");
    if (str_eq(attr, S("index")) || str_eq(attr, S("count")))
        diag_hint(walk->read->diags, diag, "call it: .%S(...)", attr);
}

static void check_function(const Walk *walk, const Expr *e) {
    const Expr *callee = e->as.call.a;
    const CallArgs *args = &e->as.call.args;
    OpRead *read = walk->read;
    Str name = name_str(callee->as.name);
    const Builtin *builtin = find_builtin(name);
    bool body = (walk->scope->see & IS_BODY) != 0;
    if (builtin == NULL && (walk->scope->see & SEE_OPS)) return;
    if (builtin == NULL) {
        const char *what = op_declared_as(read, callee->as.name);
        if (what != NULL) {
            fault(walk, callee->from, callee->to, E_BAD_EXPRESSION, "%Q is %s and cannot be called", name, what);
            return;
        }
        Diag *diag = fault(walk, callee->from, callee->to, E_UNKNOWN_NAME, "there is no function %Q in %s", name,
                           walk->scope->what);
        Str names[BUILTIN_COUNT];
        size_t n = 0;
        for (size_t i = 0; i < BUILTIN_COUNT; i++) {
            if (body || (builtins[i].where & IN_RULE)) names[n++] = builtins[i].name;
        }
        diag_suggest(read->diags, diag, name, names, n);
        return;
    }
    if (str_eq(name, S("element")) && !(walk->scope->see & SEE_ELEMENTS))
        fault(walk, callee->from, callee->to, E_BAD_EXPRESSION, "%Q is for a view's \"index\", and cannot stand in %s",
              name, walk->scope->what);
    if (!body && !(builtin->where & IN_RULE)) {
        fault(walk, callee->from, callee->to, E_BAD_EXPRESSION,
              "%Q is for elements, and %s is decided before there are any", name, walk->scope->what);
    }
    if (args->n >= (uint32_t)builtin->least && (builtin->most < 0 || args->n <= (uint32_t)builtin->most)) return;
    const char *bound = builtin->least == builtin->most      ? ""
                        : args->n < (uint32_t)builtin->least ? "at least "
                                                             : "at most ";
    int wanted = args->n < (uint32_t)builtin->least ? builtin->least : builtin->most;
    fault(walk, e->from, e->to, E_BAD_EXPRESSION, "%S takes %s%d argument%s, but got %u", name, bound, wanted,
          wanted == 1 ? "" : "s", (unsigned)args->n);
}

static void check_call(const Walk *walk, const Expr *e) {
    const Expr *callee = e->as.call.a;
    const CallArgs *args = &e->as.call.args;
    bool takes_tensors = false, named = args->keyword_count > 0 || args->star != NULL || args->star_star != NULL;
    if (named)
        fault(walk, e->from, e->to, E_BAD_EXPRESSION, "arguments are given by position here, without names or *");
    if (callee->kind == X_NAME) {
        if (!named) check_function(walk, e);
        takes_tensors =
            (walk->scope->see & SEE_OPS) || op_list_has("is_none len sizes alike element", name_str(callee->as.name));
    } else if (callee->kind == X_ATTR && op_list_has("index count", name_str(callee->as.attr.name))) {
        check(walk, callee->as.attr.a);
        if (args->n != 1)
            fault(walk, e->from, e->to, E_BAD_EXPRESSION, "this takes 1 argument, but got %u", (unsigned)args->n);
    } else {
        Diag *diag = fault(walk, callee->from, callee->to, E_BAD_EXPRESSION, "this cannot be called");
        diag_hint(walk->read->diags, diag, "lists have .index(x) and .count(x); everything else is a function");
        return;
    }
    for (uint32_t i = 0; i < args->n; i++) {
        const Expr *arg = args->args[i];
        if (takes_tensors && is_tensors(walk, arg)) {
            if (arg->kind == X_SLICE) check_slice(walk, arg);
        } else if (!takes_tensors || !is_tensor(walk, arg)) {
            check(walk, arg);
        }
    }
}

static void refuse(const Walk *walk, const Expr *e, const char *what, const char *mend) {
    Diag *diag = fault(walk, e->from, e->to, E_BAD_EXPRESSION, "%s cannot stand in %s", what, walk->scope->what);
    if (mend != NULL) diag_hint(walk->read->diags, diag, "%s", mend);
}

/* A graph's expressions name tensors and make lists of them. */
static bool is_of_graph(const Expr *e) { return e->kind == X_NAME || e->kind == X_LIST; }

static void check(const Walk *walk, const Expr *e) {
    if ((walk->scope->see & IS_GRAPH) && !is_of_graph(e)) {
        refuse(walk, e, "this", "what goes into a step is a name, or a list of names");
        return;
    }
    switch (e->kind) {
    case X_CONST:
        if (e->as.literal.kind == LIT_BIGINT) refuse(walk, e, "an integer of more than 64 bits", NULL);
        return;
    case X_NAME:
        check_name(walk, e);
        return;
    case X_LIST:
        for (uint32_t i = 0; i < e->as.list.n; i++)
            check(walk, e->as.list.items[i]);
        return;
    case X_UNARY:
        check(walk, e->as.pair.a);
        return;
    case X_BINARY:
        check(walk, e->as.pair.a);
        check(walk, e->as.pair.b);
        return;
    case X_ITEM: {
        const Expr *of = e->as.pair.a;
        bool is_index = of->kind == X_NAME && op_list_has(walk->scope->extra, S("index")) &&
                        str_eq(name_str(of->as.name), S("index"));
        if (is_tensor(walk, e))
            refuse(walk, e, "a tensor", "what is known of it: .shape, .rank, .numel, .dtype, .itemsize");
        else if (!is_index)
            check(walk, of);
        check(walk, e->as.pair.b);
        return;
    }
    case X_COMPARE:
        check(walk, e->as.compare.a);
        for (uint32_t i = 0; i < e->as.compare.n; i++)
            check(walk, e->as.compare.steps[i].to);
        return;
    case X_COND:
        check(walk, e->as.cond.test);
        check(walk, e->as.cond.a);
        if (e->as.cond.b)
            check(walk, e->as.cond.b);
        else
            refuse(walk, e, "an \"if\" without \"else\"", "say what it is otherwise: a if test else b");
        return;
    case X_ATTR:
        check_attr(walk, e);
        return;
    case X_SLICE:
        if (is_tensors(walk, e))
            refuse(walk, e, "a list of tensors", "what is known of it: len(...), sizes(..., dim)");
        else
            check(walk, e->as.slice.a);
        check_slice(walk, e);
        return;
    case X_CALL:
        check_call(walk, e);
        return;
    case X_TUPLE:
        refuse(walk, e, "a tuple", "write a list: [...]");
        return;
    case X_DICT:
        refuse(walk, e, "a dict", NULL);
        return;
    case X_CONCAT:
        refuse(walk, e, "\"~\"", NULL);
        return;
    case X_FILTER:
        refuse(walk, e, "a filter", "functions are called: abs(x)");
        return;
    case X_TEST:
        refuse(walk, e, "a test with \"is\"", "write is_none(x), or compare with ==");
        return;
    case X_NSREF:
        return; /* stands in templates' set statements alone */
    }
}

/* ---- what comes out of a rule: a dtype where one is wanted, a list of sizes for a shape */

static const char list_functions[] = "broadcast broadcast_index drop einsum insert pick range unravel wrap_dims sizes";

/* What this gives can be told where it is written out; of a name or an item it is not known here. */
static bool gives(const Expr *e, bool dtype) {
    Str called = e->kind == X_CALL && e->as.call.a->kind == X_NAME ? name_str(e->as.call.a->as.name) : S("");
    switch (e->kind) {
    case X_NAME:
    case X_ITEM:
        return true;
    case X_LIST:
    case X_SLICE:
        return !dtype;
    case X_BINARY:
        return e->op == OP_AND || e->op == OP_OR || (!dtype && (e->op == OP_ADD || e->op == OP_MUL));
    case X_ATTR:
        return str_eq(name_str(e->as.attr.name), dtype ? S("dtype") : S("shape"));
    case X_CALL:
        return op_list_has(dtype ? "promote to_float" : list_functions, called);
    default:
        return false;
    }
}

static void check_result(const Walk *walk, const Expr *e, bool dtype) {
    if (e->kind == X_COND) {
        check_result(walk, e->as.cond.a, dtype);
        if (e->as.cond.b) check_result(walk, e->as.cond.b, dtype);
        return;
    }
    if (gives(e, dtype)) return;
    Diag *diag =
        fault(walk, e->from, e->to, E_BAD_EXPRESSION,
              dtype ? "%s is a dtype, and this gives none" : "%s is a list, and this gives none", walk->scope->what);
    bool is_float =
        e->kind == X_CALL && e->as.call.a->kind == X_NAME && str_eq(name_str(e->as.call.a->as.name), S("float"));
    if (is_float && dtype) diag_hint(walk->read->diags, diag, "of dtypes the function is called to_float");
    if (!dtype && e->kind == X_CONST) diag_hint(walk->read->diags, diag, "put it into [ ]");
}

bool op_check_names(OpRead *read, const OpScope *scope, Source *source, uint32_t shift, const Expr *e) {
    uint32_t errors = read->diags->errors;
    Walk walk = {.read = read, .scope = scope, .source = source, .shift = shift};
    check(&walk, e);
    if (read->diags->errors == errors && (scope->see & (IS_TYPE | IS_LIST)) != 0)
        check_result(&walk, e, (scope->see & IS_TYPE) != 0);
    return read->diags->errors == errors;
}

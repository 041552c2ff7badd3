/* model_dims.c: the sizes of a model: named dims with their ranges, and shapes made of numbers, names and expressions.
 *
 * A dim whose least and greatest size are the same is that number everywhere. What can only be negative is refused
 * here; what depends on the dims is left to the run, which checks it.
 */
#include "graph/model.h"

#include "template/syntax/parse.h"

/* ---- named dims */

/* An integer from 0 to MODEL_MOST_DIM. `what` is "a dim". */
static bool read_size(Model *model, const Json *value, const char *what, bool in_shape, int64_t *out) {
    if (value->kind == JSON_BIGINT || (value->kind == JSON_INT && value->as.i > MODEL_MOST_DIM)) {
        bool negative = value->kind == JSON_BIGINT && value->as.s.n > 0 && value->as.s.p[0] == '-';
        Str text = str_sub(model->source->text, value->from, value->to);
        model_error(model, value, E_BAD_VALUE,
                    negative ? "%s is not negative, but this is %S"
                             : "%s is at most 4611686018427387904, but this is %S",
                    what, text);
        return false;
    }
    if (value->kind == JSON_INT && value->as.i < 0) {
        Diag *diag = model_error(model, value, E_BAD_VALUE, "%s is not negative, but this is %lld", what,
                                 (long long)value->as.i);
        if (in_shape && value->as.i == -1)
            diag_hint(model->diags, diag, "a size that varies is a named dim: \"dims\": {\"batch\": {\"max\": 256}}");
        return false;
    }
    if (value->kind == JSON_INT) {
        *out = value->as.i;
        return true;
    }
    Str text = str_sub(model->source->text, value->from, value->to);
    if (value->kind == JSON_FLOAT)
        model_error(model, value, E_BAD_VALUE, "%s is a whole number, but this is %S", what, text);
    else
        model_error(model, value, E_JSON_TYPE, "%s is an integer, but this is %s", what, json_kind_name(value->kind));
    return false;
}

static bool read_range(Model *model, Str name, const Json *value, int64_t *min, int64_t *max) {
    bool number = value->kind == JSON_INT || value->kind == JSON_BIGINT || value->kind == JSON_FLOAT;
    if (number) {
        bool good = read_size(model, value, "a dim", false, min);
        *max = *min;
        return good;
    }
    *min = 1, *max = MODEL_MOST_DIM_DEFAULT;
    if (value->kind != JSON_OBJECT) {
        Diag *diag = model_error(model, value, E_JSON_TYPE, "a dim is an object or an integer, but this is %s",
                                 json_kind_name(value->kind));
        diag_hint(model->diags, diag, "write {\"min\": 1, \"max\": 256}");
        return false;
    }
    Fields fields;
    model_fields(model, value, "a dim", KEY(MIN) | KEY(MAX) | KEY(DOC), &fields);
    const JsonMember *from = fields.of[KEY_MIN], *to = fields.of[KEY_MAX];
    bool good = from == NULL || read_size(model, &from->value, "the least size of a dim", false, min);
    if (to == NULL && good && *min > *max) *max = *min;
    if (to != NULL && !read_size(model, &to->value, "the greatest size of a dim", false, max)) good = false;
    if (!good || *min <= *max) return good;
    Diag *diag =
        model_error(model, &to->value, E_BAD_VALUE, "dim %Q has at most %lld, which is less than its least size, %lld",
                    name, (long long)*max, (long long)*min);
    if (from == NULL) diag_hint(model->diags, diag, "\"min\" is 1 where it is left out: write \"min\": 0");
    return false;
}

void model_read_dims(Model *model, const Json *dims) {
    if (!model_want(model, dims, JSON_OBJECT, "dims", "an object of dims")) return;
    Graph *graph = model->graph;
    for (uint32_t i = 0; i < dims->as.object.n; i++) {
        const JsonMember *member = &dims->as.object.members[i];
        Name name = model_name(model, name_str(member->key), member->from, member->to, "a dim");
        GraphDim dim = {.name = name, .place = span(model->source, member->from, member->to)};
        /* One that is wrong has no Sym, and what uses it is not judged. */
        if (read_range(model, name_str(name), &member->value, &dim.min, &dim.max))
            dim.sym =
                dim.min == dim.max ? sym_int(&graph->syms, dim.min) : sym_var(&graph->syms, name, dim.min, dim.max);
        graph_take_name(graph, name);
        *VEC_PUSH(model->arena, &graph->dims) = dim;
        *VEC_PUSH(model->scratch, &model->dim_used) = false;
        map_set(&model->dims, name, (void *)(uintptr_t)graph->dims.n);
    }
}

static GraphDim *use_dim(Model *model, Name name) {
    uintptr_t at = (uintptr_t)map_get(&model->dims, name);
    if (at == 0) return NULL;
    model->dim_used.items[at - 1] = true;
    return &model->graph->dims.items[at - 1];
}

/* ---- expressions */

/* Where the text of a string value can be parsed: the file itself, or, for a string with escapes, a copy of it in which
 * the string stands without them, filled up with blanks. So its errors have their line and column, too. */
static Source *expression_source(Model *model, const Json *value) {
    Str raw = str_sub(model->source->text, value->from + 1, value->to - 1);
    if (str_find_char(raw, '\\') == STR_NONE) return model->source;
    if (model->decoded == NULL) {
        Str text = model->source->text;
        model->decoded =
            source_new(model->arena, model->source->name, str(arena_copy(model->arena, text.p, text.n), text.n));
    }
    char *to = (char *)(uintptr_t)model->decoded->text.p + value->from + 1; /* ours: copied above */
    for (size_t i = 0; i < raw.n; i++) {
        char c = i < value->as.s.n ? value->as.s.p[i] : ' ';
        to[i] = (unsigned char)c < ' ' ? ' ' : c;
    }
    return model->decoded;
}

typedef struct Walk {
    Model *model;
    Source *source;
    RuleScope *scope; /* the dims that are named, each once */
    bool failed;      /* a finding was added, or there was one at a dim */
    bool silent;      /* only the latter */
} Walk;

static Diag *walk_error(Walk *walk, const Expr *e, DiagCode code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = diag_vadd(walk->model->diags, DIAG_ERROR, code, span(walk->source, e->from, e->to), format, args);
    va_end(args);
    walk->failed = true;
    return diag;
}

static void unknown_dim(Walk *walk, const Expr *e) {
    Str text = name_str(e->as.name);
    const Tensor *tensor = map_get(&walk->model->tensors, e->as.name);
    if (tensor != NULL) {
        walk_error(walk, e, E_UNKNOWN_NAME, "%Q is %s, not a dim", text, model_role_name(tensor));
        return;
    }
    Diag *diag = walk_error(walk, e, E_UNKNOWN_NAME, "there is no dim %Q", text);
    model_suggest_dim(walk->model, diag, text);
    if (diag->hint.n == 0 && is_identifier(text) && reserved_why(text) == NULL)
        diag_hint(walk->model->diags, diag, "declare it: \"dims\": {%Q: {\"min\": 1, \"max\": 256}}", text);
}

static void collect(Walk *walk, const Expr *e) {
    switch (e->kind) {
    case X_CONST:
        return;
    case X_NAME: {
        const GraphDim *dim = use_dim(walk->model, e->as.name);
        if (dim == NULL) {
            unknown_dim(walk, e);
            return;
        }
        if (dim->sym == NULL) walk->failed = true;
        for (const RuleScope *at = walk->scope; at != NULL; at = at->outer)
            if (at->name == dim->name) return;
        RuleScope *scope = ARENA_NEW(walk->model->scratch, RuleScope);
        *scope =
            (RuleScope){.outer = walk->scope, .name = dim->name, .value = {.kind = RULE_INT, .as = {.i = dim->sym}}};
        walk->scope = scope;
        return;
    }
    case X_UNARY:
        collect(walk, e->as.pair.a);
        return;
    case X_BINARY:
        if (e->op == OP_DIV) {
            Diag *diag = diag_error(walk->model->diags, E_BAD_EXPRESSION, span(walk->source, e->at, e->at_to),
                                    "/ gives a fraction, and a dim is a whole number");
            diag_hint(walk->model->diags, diag, "// divides and rounds down");
            walk->failed = true;
        }
        collect(walk, e->as.pair.a);
        collect(walk, e->as.pair.b);
        return;
    case X_COMPARE:
        collect(walk, e->as.compare.a);
        for (uint32_t i = 0; i < e->as.compare.n; i++)
            collect(walk, e->as.compare.steps[i].to);
        return;
    case X_COND:
        collect(walk, e->as.cond.test);
        collect(walk, e->as.cond.a);
        if (e->as.cond.b != NULL)
            collect(walk, e->as.cond.b);
        else
            walk_error(walk, e, E_BAD_EXPRESSION, "an \"if\" without \"else\" cannot stand in a dim");
        return;
    case X_CALL: {
        const CallArgs *args = &e->as.call.args;
        Str name = e->as.call.a->kind == X_NAME ? name_str(e->as.call.a->as.name) : S("");
        bool known = str_eq(name, S("min")) || str_eq(name, S("max")) || str_eq(name, S("abs"));
        if (known && args->n > 0 && args->keyword_count == 0 && args->star == NULL && args->star_star == NULL) {
            for (uint32_t i = 0; i < args->n; i++)
                collect(walk, args->args[i]);
            return;
        }
        Diag *diag = known ? walk_error(walk, e, E_BAD_EXPRESSION, "%s takes one or more numbers", name.p)
                           : walk_error(walk, e->as.call.a, E_BAD_EXPRESSION, "this cannot be called in a dim");
        if (!known) diag_hint(walk->model->diags, diag, "there are min, max and abs");
        return;
    }
    default:
        break;
    }
    Diag *diag = walk_error(walk, e, E_BAD_EXPRESSION, "this cannot stand in a dim");
    diag_hint(walk->model->diags, diag, "a dim is made of integers, names of dims, + - * // %%, min(...) and max(...)");
}

static const char *kind_text(RuleKind kind) {
    static const char *const names[] = {
        [RULE_NONE] = "none", [RULE_BOOL] = "true or false", [RULE_INT] = "an integer",  [RULE_FLOAT] = "a number",
        [RULE_TEXT] = "text", [RULE_LIST] = "a list",        [RULE_TENSOR] = "a tensor", [RULE_DTYPE] = "a dtype",
    };
    return names[kind];
}

bool model_expression(Model *model, const Json *value, SymRef *out) {
    Str text = str_trim(value->as.s);
    const Name name = names_find(model->names, value->as.s);
    const GraphDim *dim = name == NULL ? NULL : use_dim(model, name);
    if (dim != NULL) { /* as most are; the same as what follows, without the way round */
        *out = dim->sym;
        return dim->sym != NULL;
    }
    if (text.n == 0) {
        model_error(model, value, E_BAD_EXPRESSION, "a dim is a number or an expression, but this text is empty");
        return false;
    }
    Source *source = expression_source(model, value);
    Expr *expr = parse_expression(model->arena, model->names, source, value->from + 1, value->to - 1, model->diags);
    if (expr == NULL) return false;
    Walk walk = {.model = model, .source = source};
    collect(&walk, expr);
    if (walk.failed) return false;
    RuleValue result;
    OpExpr rule = {expr, source};
    if (!rule_eval(&model->graph->rules, &rule, walk.scope, &result)) return false;
    if (result.kind != RULE_INT) {
        model_error(model, value, E_BAD_EXPRESSION, "a dim is an integer, but this is %s", kind_text(result.kind));
        return false;
    }
    *out = result.as.i;
    return true;
}

/* ---- shapes */

/* Whether the range of a Sym is what it really can be: a sum in which every variable has a term of its own. In others a
 * bound may be further off than any value. */
static bool has_exact_range(SymRef sym) {
    if (sym->kind == SYM_VAR) return true;
    if (sym->kind != SYM_SUM) return false;
    for (uint32_t i = 0; i < sym->n; i++)
        if (sym->terms[i].atom->kind != SYM_VAR) return false;
    return true;
}

static bool model_dim(Model *model, const Json *value, SymRef *out) {
    if (value->kind != JSON_STRING) {
        int64_t size;
        bool number = value->kind == JSON_INT || value->kind == JSON_BIGINT || value->kind == JSON_FLOAT;
        if (number) {
            if (!read_size(model, value, "a dim", true, &size)) return false;
            *out = sym_int(&model->graph->syms, size);
            return true;
        }
        model_error(model, value, E_JSON_TYPE, "a dim is an integer, a name or an expression, but this is %s",
                    json_kind_name(value->kind));
        return false;
    }
    if (!model_expression(model, value, out)) return false;
    SymRef dim = *out;
    if (dim->high < 0) {
        model_error(model, value, E_BAD_VALUE, "a dim is not negative, but this is %lld%s", (long long)dim->high,
                    dim->low == dim->high ? "" : " or less");
        return false;
    }
    if (dim->low < 0 && has_exact_range(dim)) {
        Diag *diag =
            model_error(model, value, E_BAD_VALUE, "a dim is not negative, but this can be %lld", (long long)dim->low);
        diag_hint(model->diags, diag, "the least sizes of its dims are too small");
        return false;
    }
    if (dim->low > MODEL_MOST_DIM) {
        model_error(model, value, E_BAD_VALUE, "a dim is at most 4611686018427387904, but this is at least %lld",
                    (long long)dim->low);
        return false;
    }
    return true;
}

bool model_shape(Model *model, const Json *value, const char *of, RuleShape *out) {
    *out = (RuleShape){NULL, 0};
    if (value->kind != JSON_ARRAY) {
        Diag *diag = model_error(model, value, E_JSON_TYPE, "the shape of %s is an array of dims, but this is %s", of,
                                 json_kind_name(value->kind));
        if (value->kind == JSON_INT || value->kind == JSON_STRING) diag_hint(model->diags, diag, "write it in [ ]");
        return false;
    }
    uint32_t rank = value->as.array.n;
    if (rank > RULE_MOST_RANK) {
        model_error(model, value, E_TOO_LARGE, "%s has at most %u dims, but this has %u", of, (unsigned)RULE_MOST_RANK,
                    (unsigned)rank);
        return false;
    }
    SymRef *dims = arena_alloc(model->arena, mem_times(rank, sizeof *dims));
    bool good = true;
    for (uint32_t i = 0; i < rank; i++)
        good = model_dim(model, &value->as.array.items[i], &dims[i]) && good;
    if (good) *out = (RuleShape){dims, rank};
    return good;
}

/* draft_value.c: an element of any tensor of a group as code.
 *
 * A tensor that is read is an element of memory; one that a map makes is the map's expression over its inputs'
 * elements; one that a view makes is an element of the view's input, elsewhere. So one walk from what is wanted to what
 * is read writes any tree of maps and views. Where statements can be written, each element that is read and each result
 * is a constant with a name: compilers vectorise loads that stand by themselves, and nothing is computed twice.
 */
#include "emit/draft.h"

Str draft_sym(Draft *draft, SymRef a) {
    Buf out;
    buf_init(&out, draft->arena);
    sym_print_c(&out, a, S(""));
    return buf_str(&out);
}

static bool is_word(Str text) {
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
    }
    return text.n > 0;
}

SymRef draft_index(Draft *draft, Str text, SymRef size) {
    bool digits = text.n > 0 && text.n < 18;
    int64_t number = 0;
    for (size_t i = 0; i < text.n && digits; i++) {
        digits = text.p[i] >= '0' && text.p[i] <= '9';
        number = number * 10 + (text.p[i] - '0');
    }
    if (digits) return sym_int(&draft->syms, number);
    if (!is_word(text)) text = str_format(draft->arena, "(%S)", text);
    return sym_index(&draft->syms, names_get(draft->plan->graph->names, text), size);
}

Str draft_element(Draft *draft, uint32_t tensor, const SymRef *index) {
    const DraftTensor *of = &draft->tensors.items[tensor];
    return str_format(draft->arena, "%S[%S]", of->name,
                      draft_sym(draft, sym_ravel(&draft->syms, index, of->type.shape)));
}

/* ---- statements */
void draft_begin(Draft *draft, Buf *out) {
    draft->out = out;
    draft->known.n = draft->positions.n = 0;
}

void draft_end(Draft *draft) {
    draft->out = NULL;
    draft->known.n = draft->positions.n = 0;
}

static Str new_name(Draft *draft) { return str_format(draft->arena, "v%u", (unsigned)draft->named++); }

static Str type_name(Draft *draft, Dtype type) {
    return draft->raw ? draft->plan->backend->types[type].name : backend_compute_name(draft->plan->backend, type);
}

Lowered draft_declare(Draft *draft, Str name, Lowered value) {
    if (name.n == 0) name = new_name(draft);
    if (draft->out->n > 0) buf_char(draft->out, '\n');
    buf_format(draft->out, "const %S %S = %S;", type_name(draft, value.type), name, lower_bare(value.text));
    return (Lowered){name, value.type, false};
}

static Str let(void *user, Str text, Dtype type) {
    return draft_declare(user, S(""), (Lowered){text, type, false}).text;
}

static bool function(void *user, Str name, Dtype type, LowerFunction *out) {
    const Draft *draft = user;
    return backend_function((void *)(uintptr_t)draft->plan->backend, name, type, out);
}

Lower draft_lower(Draft *draft, const RuleScope *scope) {
    Lower lower = {.arena = draft->arena,
                   .diags = draft->plan->graph->diags,
                   .rules = &draft->rules,
                   .scope = scope,
                   .let = draft->out != NULL ? let : NULL};
    backend_lower(draft->plan->backend, &lower);
    lower.function = function;
    lower.user = draft;
    return lower;
}

void draft_remember(Draft *draft, uint32_t tensor, const SymRef *index, Lowered value) {
    if (draft->out != NULL) *VEC_PUSH(draft->arena, &draft->known) = (DraftKnown){tensor, index, value};
}

static bool recall(const Draft *draft, uint32_t tensor, const SymRef *index, Lowered *out) {
    if (draft->out == NULL) return false;
    uint32_t rank = draft->tensors.items[tensor].type.shape.rank;
    for (uint32_t i = draft->known.n; i-- > 0;) {
        const DraftKnown *known = &draft->known.items[i];
        if (known->tensor != tensor) continue;
        uint32_t d = 0;
        while (d < rank && known->index[d] == index[d])
            d++;
        if (d < rank) continue;
        *out = known->value;
        return true;
    }
    return false;
}

Str draft_call(Arena *arena, const LowerFunction *function, const Str *operands, uint32_t n) {
    Buf out;
    buf_init(&out, arena);
    buf_char(&out, '(');
    for (size_t i = 0; i < function->text.n; i++) {
        char c = function->text.p[i];
        if (c == '{' && i + 2 < function->text.n && function->text.p[i + 2] == '}') {
            uint32_t k = (uint32_t)(function->text.p[i + 1] - '0');
            if (k >= n) return S("");
            buf_format(&out, "(%S)", operands[k]);
            i += 2;
        } else {
            buf_char(&out, c);
        }
    }
    buf_char(&out, ')');
    return buf_str(&out);
}

/* ---- memory */
static bool read_value(Draft *draft, uint32_t tensor, const SymRef *index, Lowered *out) {
    Dtype dtype = draft->tensors.items[tensor].type.dtype;
    Str element = draft_element(draft, tensor, index);
    if (draft->syms.overflow) {
        diag_error(draft->plan->graph->diags, E_RULE, draft->group->nodes.items[0]->place,
                   "the index of what %S reads is too large", name_str(draft->group->nodes.items[0]->op->name));
        return false;
    }
    *out = draft->raw ? (Lowered){element, dtype, false}
                      : (Lowered){backend_load(draft->plan->backend, draft->arena, dtype, element),
                                  dtype_compute(dtype), false};
    if (draft->out != NULL) *out = draft_declare(draft, S(""), *out);
    return true;
}

bool draft_store(Draft *draft, uint32_t tensor, const SymRef *index, Lowered value, Str element, Buf *out) {
    Dtype dtype = draft->tensors.items[tensor].type.dtype;
    Str text = value.text;
    if (!draft->raw) {
        Lower lower = draft_lower(draft, NULL);
        uint32_t errors = draft->plan->graph->diags->errors;
        text = backend_store(draft->plan->backend, draft->arena, dtype, lower_convert(&lower, value, dtype).text);
        if (draft->plan->graph->diags->errors != errors) return false;
    }
    if (out->n > 0) buf_char(out, '\n');
    if (element.n == 0) element = draft_element(draft, tensor, index);
    buf_format(out, "%S = %S;", element, lower_bare(text));
    return true;
}

/* ---- maps */

SymRef *draft_broadcast(Draft *draft, const RuleShape *shape, const SymRef *index, uint32_t rank) {
    SymRef *own = ARENA_ARRAY(draft->arena, SymRef, shape->rank + 1);
    for (uint32_t d = 0; d < shape->rank; d++) {
        int64_t size;
        bool one = sym_is_int(shape->dims[d], &size) && size == 1;
        own[d] = one ? sym_int(&draft->syms, 0) : index[d + rank - shape->rank];
    }
    return own;
}

static bool makes_floats(const DraftNode *node) {
    for (uint32_t k = 0; k < node->node->output_n; k++)
        if (dtype_is_float(node->outputs[k].dtype)) return true;
    return false;
}

/* An element in the type that its type variable has become: that of the operands together. Where what is computed is
 * no float (a comparison), nothing rounds afterwards, so an operand of another dtype is rounded first. */
static bool as_declared(Draft *draft, const DraftNode *node, uint32_t input, Dtype own, Lowered *value) {
    Dtype dtype = rule_input_dtype(&draft->rules, &node->call, input, node->scope);
    if (dtype == own) return true;
    if (dtype == DT_COUNT) return false;
    bool rounds = dtype != dtype_compute(dtype) && !makes_floats(node);
    if (value->literal) { /* takes the type of what it meets */
        if (rounds) value->text = lower_number_rounded(draft->arena, value->text, dtype);
        return true;
    }
    Lower lower = draft_lower(draft, node->scope);
    uint32_t errors = lower.diags->errors;
    *value = lower_convert(&lower, *value, dtype_compute(dtype));
    if (lower.diags->errors != errors) return false;
    /* Compilers look through the conversion of a truth, and warn of `(int64_t)b == 3`. */
    if (own == DT_BOOL && draft->out != NULL) *value = draft_declare(draft, S(""), *value);
    if (!rounds) return true;
    const Backend *backend = draft->plan->backend;
    Str stored = backend_store(backend, draft->arena, dtype, value->text);
    value->text = backend_load(backend, draft->arena, dtype, stored);
    return true;
}

bool draft_inputs(Draft *draft, DraftNode *node, const SymRef *index, uint32_t rank, LowerName *names, uint32_t *n) {
    const OpDef *op = node->node->op;
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const RuleScalar *scalar = graph_scalar(node->node, i);
        if (scalar == NULL && (node->node->counts[i] == 0 || op->inputs.items[i].list)) continue;
        LowerName *name = &names[(*n)++];
        name->name = op->inputs.items[i].name;
        Dtype own = DT_COUNT;
        if (scalar != NULL) {
            name->value = (Lowered){scalar->text, scalar->dtype, true};
        } else {
            const DraftTensor *of = &draft->tensors.items[node->inputs[i][0]];
            own = of->type.dtype;
            if (!draft_value(draft, node->inputs[i][0], draft_broadcast(draft, &of->type.shape, index, rank),
                             &name->value))
                return false;
        }
        if (!as_declared(draft, node, i, own, &name->value)) return false;
    }
    return true;
}

static bool map_values(Draft *draft, DraftNode *node, const SymRef *index, uint32_t wanted, Lowered *out) {
    const OpDef *op = node->node->op;
    uint32_t rank = node->outputs[0].shape.rank, n = 0;
    LowerName *names = ARENA_ARRAY(draft->arena, LowerName, op->inputs.n + op->let.n + 1);
    if (!draft_inputs(draft, node, index, rank, names, &n)) return false;
    RuleValue *items = ARENA_ARRAY(draft->arena, RuleValue, rank + 1);
    for (uint32_t d = 0; d < rank; d++)
        items[d] = (RuleValue){.kind = RULE_INT, .as.i = index[d]};
    RuleScope scope = {(RuleScope *)(uintptr_t)node->scope,
                       names_get(draft->plan->graph->names, S("index")),
                       {.kind = RULE_LIST, .as.list = {items, rank}}};
    Lower lower = draft_lower(draft, &scope);
    for (uint32_t i = 0; i < op->let.n; i++, n++) {
        names[n].name = op->let.items[i].name;
        if (!lower_expr(&lower, &op->let.items[i].value, names, n, &names[n].value)) return false;
    }
    for (uint32_t k = 0; k < op->body.n; k++) {
        if (node->node->outputs[k] == NULL && k != wanted) continue;
        if (draft->out == NULL && k != wanted) continue;
        Lowered value;
        uint32_t errors = lower.diags->errors;
        if (!lower_expr(&lower, &op->body.items[k].value, names, n, &value)) return false;
        value = lower_convert(&lower, value, node->outputs[k].dtype);
        if (lower.diags->errors != errors) return false;
        if (draft->out != NULL && !is_word(value.text)) value = draft_declare(draft, S(""), value);
        draft_remember(draft, node->results[k], index, value);
        if (k == wanted) *out = value;
    }
    return true;
}

/* ---- views */
static bool fill_value(Draft *draft, DraftNode *node, Dtype dtype, Lowered *out) {
    Lower lower = draft_lower(draft, node->scope);
    uint32_t errors = lower.diags->errors;
    if (!lower_expr(&lower, &node->node->op->fill, NULL, 0, out)) return false;
    *out = lower_convert(&lower, *out, dtype);
    if (draft->raw) out->text = backend_store(draft->plan->backend, draft->arena, dtype, out->text), out->type = dtype;
    return lower.diags->errors == errors;
}

/* Whose rules are being asked, for the elements that they name. */
typedef struct Asking {
    Draft *draft;
    const DraftNode *node;
} Asking;

static uint32_t tensor_behind(const DraftNode *node, const RuleTensor *type) {
    for (uint32_t i = 0; i < node->node->op->inputs.n; i++)
        for (uint32_t k = 0; k < node->node->counts[i]; k++)
            if (&node->call.inputs[i][k] == type) return node->inputs[i][k];
    return UINT32_MAX;
}

static bool find_position(const Draft *draft, uint32_t tensor, const SymRef *at, SymRef size, SymRef *out) {
    uint32_t rank = draft->tensors.items[tensor].type.shape.rank;
    for (uint32_t i = 0; i < draft->positions.n; i++) {
        const DraftPosition *known = &draft->positions.items[i];
        uint32_t d = 0;
        while (known->tensor == tensor && known->size == size && d < rank && known->index[d] == at[d])
            d++;
        if (known->tensor != tensor || known->size != size || d < rank) continue;
        *out = known->position;
        return true;
    }
    return false;
}

/* A position out of data is clamped wherever it is used, so that no data make a function read what is not the tensor's.
 * Without branches: loops with it are vectorised. */
static bool element_position(void *user, const RuleTensor *type, const SymRef *at, SymRef size, SymRef *out) {
    const Asking *asking = user;
    Draft *draft = asking->draft;
    uint32_t tensor = tensor_behind(asking->node, type);
    Lowered value;
    if (tensor == UINT32_MAX) return false;
    if (draft->out != NULL && find_position(draft, tensor, at, size, out)) return true;
    if (!draft_value(draft, tensor, at, &value)) return false;
    Lower lower = draft_lower(draft, NULL);
    uint32_t errors = lower.diags->errors;
    value = lower_convert(&lower, value, DT_I64);
    Str last = draft_sym(draft, sym_sub(&draft->syms, size, sym_int(&draft->syms, 1)));
    if (lower.diags->errors != errors) return false;
    LowerFunction lesser, greater;
    if (!function(draft, S("min"), DT_I64, &lesser) || !function(draft, S("max"), DT_I64, &greater)) {
        diag_error(lower.diags, E_RULE, asking->node->node->place, "backend %Q has no \"min\" and \"max\" of i64",
                   name_str(draft->plan->backend->name));
        return false;
    }
    Str below = draft_call(draft->arena, &lesser, (const Str[]){value.text, last}, 2);
    value = (Lowered){draft_call(draft->arena, &greater, (const Str[]){below, S("0")}, 2), DT_I64, false};
    if (draft->out != NULL) value = draft_declare(draft, S(""), value);
    *out = draft_index(draft, value.text, size);
    if (draft->out != NULL) *VEC_PUSH(draft->arena, &draft->positions) = (DraftPosition){tensor, at, size, *out};
    return true;
}

static bool view_value(Draft *draft, DraftNode *node, const SymRef *index, uint32_t wanted, Lowered *out) {
    ViewSources sources;
    Dtype dtype = node->outputs[wanted].dtype;
    Asking asking = {draft, node};
    RuleElement *before = draft->rules.element;
    void *user = draft->rules.element_user;
    draft->rules.element = element_position, draft->rules.element_user = &asking;
    bool told = view_sources(&draft->rules, &node->call, node->outputs, wanted, index, &sources);
    draft->rules.element = before, draft->rules.element_user = user;
    if (!told) return false;
    bool always = sources.n == 1 && sym_truth(sources.items[0].valid) == 1;
    Buf *statements = draft->out;
    if (!always) draft->out = NULL; /* what is not there must not be read */
    Lowered *values = ARENA_ARRAY(draft->arena, Lowered, sources.n + 1);
    bool good = true;
    for (uint32_t i = 0; i < sources.n && good; i++) {
        const ViewSource *source = &sources.items[i];
        good = draft_value(draft, node->inputs[source->input][source->item], source->index, &values[i]);
        if (!good || draft->raw || values[i].type == dtype_compute(dtype)) continue;
        Lower lower = draft_lower(draft, NULL);
        uint32_t errors = lower.diags->errors;
        values[i] = lower_convert(&lower, values[i], dtype);
        good = lower.diags->errors == errors;
    }
    Lowered rest = {S(""), dtype, false};
    uint32_t n = sources.n;
    if (good && node->node->op->fill.expr != NULL)
        good = fill_value(draft, node, dtype, &rest);
    else if (good && n > 0)
        rest = values[--n]; /* where nothing is valid there is nothing to be asked */
    draft->out = statements;
    if (!good) return false;
    for (uint32_t i = n; i-- > 0;) {
        if (sym_truth(sources.items[i].valid) == 1) {
            rest = values[i];
            continue;
        }
        rest.text = str_format(draft->arena, "(%S) ? %S : %S", draft_sym(draft, sources.items[i].valid), values[i].text,
                               rest.text);
        rest.text = str_format(draft->arena, "(%S)", rest.text);
        rest.type = values[i].type;
    }
    *out = rest;
    if (draft->out != NULL && !is_word(out->text)) *out = draft_declare(draft, S(""), *out);
    return true;
}

bool draft_value(Draft *draft, uint32_t tensor, const SymRef *index, Lowered *out) {
    if (recall(draft, tensor, index, out)) return true;
    const DraftTensor *of = &draft->tensors.items[tensor];
    bool good;
    /* What a kernel makes lies in memory as well: one in place looks at what is there already. */
    bool made = !of->read && of->name.n > 0 && draft->anchor == &draft->nodes.items[of->by];
    if (of->read || made) {
        good = read_value(draft, tensor, index, out);
        if (made) return good; /* not remembered: it changes */
    } else {
        DraftNode *node = &draft->nodes.items[of->by];
        if (node->node->op->kind == KIND_MAP) return map_values(draft, node, index, of->output, out);
        good = view_value(draft, node, index, of->output, out);
    }
    if (good) draft_remember(draft, tensor, index, *out);
    return good;
}

/* ---- values that were read, or computed, and turned out not to be needed: isfinite of an integer is true */

/* The name of a constant that draft_declare named; empty: the line is something else. */
static Str own_name(Str line) {
    size_t equals = str_find(line, S(" = "));
    if (!str_starts(line, S("const ")) || equals == STR_NONE) return S("");
    size_t from = equals;
    while (from > 0 && is_word(str_sub(line, from - 1, from)))
        from--;
    Str name = str_sub(line, from, equals);
    for (size_t i = 1; i < name.n; i++)
        if (name.p[i] < '0' || name.p[i] > '9') return S("");
    return name.n > 1 && name.p[0] == 'v' ? name : S("");
}

static void note_words(Names *words, Str line) {
    for (size_t i = 0; i < line.n;) {
        size_t from = i;
        while (i < line.n && is_word(str_sub(line, i, i + 1)))
            i++;
        if (i > from) names_get(words, str_sub(line, from, i));
        i += i == from;
    }
}

Str draft_without_unused(Draft *draft, Str text) {
    VEC(Str) lines = {NULL, 0, 0};
    while (text.n > 0) {
        size_t end = str_find_char(text, '\n');
        if (end == STR_NONE) end = text.n;
        *VEC_PUSH(draft->arena, &lines) = str_sub(text, 0, end);
        text = str_sub(text, end < text.n ? end + 1 : end, text.n);
    }
    Names used;
    names_init(&used, draft->arena);
    for (uint32_t i = lines.n; i-- > 0;) {
        Str name = own_name(lines.items[i]);
        if (name.n > 0 && names_find(&used, name) == NULL)
            lines.items[i] = S("");
        else
            note_words(&used, name.n > 0 ? str_sub(lines.items[i], str_find(lines.items[i], S(" = ")), lines.items[i].n)
                                         : lines.items[i]);
    }
    Buf out;
    buf_init(&out, draft->arena);
    for (uint32_t i = 0; i < lines.n; i++) {
        if (lines.items[i].n == 0) continue;
        if (out.n > 0) buf_char(&out, '\n');
        buf_add(&out, lines.items[i]);
    }
    return buf_str(&out);
}

/* ---- what follows a value */

/* Where the elements of tensors stand that follow from an element of one: at the same index, or, behind views, where
 * these move it to. NULL: the tensor does not follow from it. False: some view does not say where. */
static bool follow(Draft *draft, uint32_t tensor, const SymRef *index, const SymRef **at) {
    at[tensor] = index;
    for (uint32_t i = 0; i < draft->nodes.n; i++) {
        const DraftNode *node = &draft->nodes.items[i];
        const SymRef *own = NULL;
        for (uint32_t k = 0; k < node->node->op->inputs.n; k++)
            for (uint32_t j = 0; j < node->node->counts[k]; j++)
                if (at[node->inputs[k][j]] != NULL) own = at[node->inputs[k][j]];
        if (own == NULL) continue;
        if (node->node->op->kind == KIND_VIEW) {
            SymRef *moved = ARENA_ARRAY(draft->arena, SymRef, node->outputs[0].shape.rank + 1);
            if (!view_inverse(&draft->rules, &node->call, node->outputs, 0, own, moved)) return false;
            own = moved;
        }
        for (uint32_t k = 0; k < node->node->output_n; k++)
            at[node->results[k]] = own;
    }
    return true;
}

bool draft_can_follow(Draft *draft) {
    const DraftNode *anchor = draft->anchor;
    bool good = true;
    for (uint32_t k = 0; good && k < anchor->node->output_n; k++) {
        RuleShape shape = anchor->outputs[k].shape;
        SymRef *index = ARENA_ARRAY(draft->arena, SymRef, shape.rank + 1);
        for (uint32_t d = 0; d < shape.rank; d++)
            index[d] = sym_index(&draft->syms,
                                 names_get(draft->plan->graph->names, str_format(draft->arena, "%%%u", (unsigned)d)),
                                 shape.dims[d]);
        good =
            follow(draft, anchor->results[k], index, ARENA_ARRAY(draft->arena, const SymRef *, draft->tensors.n + 1));
    }
    return good;
}

bool draft_output(Draft *draft, uint32_t tensor, const SymRef *index, Lowered value, DraftElement *element, void *user,
                  Buf *stores) {
    const SymRef **at = ARENA_ARRAY(draft->arena, const SymRef *, draft->tensors.n + 1);
    if (!follow(draft, tensor, index, at)) {
        diag_error(draft->plan->graph->diags, E_RULE, draft->group->nodes.items[0]->place,
                   "where a view puts what op %S makes cannot be told", name_str(draft->anchor->node->op->name));
        return false;
    }
    bool known = false;
    for (uint32_t i = 0; i < draft->writes.n; i++) {
        uint32_t write = draft->writes.items[i];
        if (at[write] == NULL || (draft->again != NULL && draft->again[write])) continue;
        Lowered own = value;
        if (write != tensor) {
            if (!known)
                draft_remember(draft, tensor, index, is_word(value.text) ? value : draft_declare(draft, S(""), value));
            known = true;
            if (!draft_value(draft, write, at[write], &own)) return false;
        }
        Str to = element != NULL && at[write] == index ? element(user, write) : S("");
        if (!draft_store(draft, write, at[write], own, to, stores)) return false;
    }
    return true;
}

/* native.c: what kernel templates can ask: load, place, store, fn and the others of templates/README.md, and the data
 * beside.
 */
#include "emit/draft.h"

#include "template/value/run.h"

static Draft *draft_of(void *user) { return ((Natives *)user)->draft; }

/* What a template handed over lives in the run; what a draft keeps does not. */
static Str text_of(Run *run, Draft *draft, Value v) { return str_copy(draft->arena, val_text(val_to_str(run, v))); }

void native_give_up(Run *run, Draft *draft) {
    run_fail_as(run, E_RENDER, S("the finding above says why"), "the code of %S cannot be written",
                name_str(draft->group->nodes.items[0]->op->name));
}

Dtype native_dtype(Run *run, Value name, const char *what) {
    Dtype dtype;
    if (name.kind == V_STR && dtype_parse(val_text(name), &dtype)) return dtype;
    run_fail_as(run, E_RENDER, S("a dtype is one such as f32, f16, i64"), "%s wants a dtype, but got %Q", what,
                val_text(val_to_str(run, name)));
}

const SymRef *native_index(Run *run, Draft *draft, Value list, const SymRef *sizes, uint32_t n, const char *what) {
    if (list.kind != V_LIST && list.kind != V_TUPLE)
        run_fail(run, "%s wants an index: a list of %u texts", what, (unsigned)n);
    if (list.as.list->n != n)
        run_fail(run, "%s wants an index of %u, one a dim, but got %u", what, (unsigned)n, (unsigned)list.as.list->n);
    SymRef *index = ARENA_ARRAY(draft->arena, SymRef, n + 1);
    for (uint32_t i = 0; i < n; i++)
        index[i] = draft_index(draft, text_of(run, draft, list.as.list->items[i]), sizes[i]);
    return index;
}

/* ---- holes */
static const DraftHole *hole_of(Run *run, Draft *draft, Value name) {
    Str text = val_text(val_to_str(run, name));
    for (uint32_t i = 0; i < draft->holes.n; i++)
        if (str_eq(name_str(draft->holes.items[i].name), text)) return &draft->holes.items[i];
    Buf all;
    buf_init(&all, run->arena);
    for (uint32_t i = 0; i < draft->holes.n; i++)
        buf_format(&all, "%s%S", i == 0 ? "" : ", ", name_str(draft->holes.items[i].name));
    run_fail_as(run, E_RENDER, str_format(run->error_arena, "there are: %S", buf_str(&all)),
                "op %Q has no hole %Q here", name_str(draft->anchor->node->op->name), text);
}

/* The index in the hole's tensor for one of the template. */
const SymRef *native_hole_index(Run *run, Draft *draft, const DraftHole *hole, const SymRef *index) {
    if (hole->of == NULL) return index;
    RuleShape shape = draft->tensors.items[hole->tensor].type.shape;
    SymRef *own = ARENA_ARRAY(draft->arena, SymRef, shape.rank + 1);
    if (hole->of->index.expr == NULL) {
        sym_unravel(&draft->syms, sym_ravel(&draft->syms, index, hole->shape), shape, own);
        return own;
    }
    RuleValue *items = ARENA_ARRAY(draft->arena, RuleValue, hole->shape.rank + 1), value;
    for (uint32_t d = 0; d < hole->shape.rank; d++)
        items[d] = (RuleValue){.kind = RULE_INT, .as.i = index[d]};
    RuleScope scope = {(RuleScope *)(uintptr_t)draft->anchor->scope,
                       names_get(draft->plan->graph->names, S("i")),
                       {.kind = RULE_LIST, .as.list = {items, hole->shape.rank}}};
    if (!rule_eval(&draft->rules, &hole->of->index, &scope, &value)) native_give_up(run, draft);
    if (value.kind != RULE_LIST || value.as.list.n != shape.rank)
        run_fail(run, "the index of hole %Q is not a list of %u", name_str(hole->name), (unsigned)shape.rank);
    for (uint32_t d = 0; d < shape.rank; d++)
        own[d] = value.as.list.items[d].as.i;
    return own;
}

/* A hole that is memory in its own order: its index is written with the template's sizes, which are fewer than those of
 * the tensor's dims, so that more groups have the same text. Empty: it is not such a hole. */
static Str direct_element(Draft *draft, const DraftHole *hole, uint32_t which, const SymRef *index) {
    const DraftTensor *tensor = &draft->tensors.items[which];
    if (tensor->name.n == 0 || !rule_same_shape(tensor->type.shape, draft->tensors.items[hole->tensor].type.shape) ||
        (hole->of != NULL && hole->of->index.expr != NULL))
        return S("");
    Buf out;
    buf_init(&out, draft->arena);
    SymRef zero = sym_int(&draft->syms, 0), one = sym_int(&draft->syms, 1);
    for (uint32_t d = 0; d < hole->shape.rank; d++) {
        SymRef size = hole->shape.dims[d];
        if (out.n > 0 && size != one) {
            Str text = draft_sym(draft, size);
            for (uint32_t i = 0; i < draft->sizes.n; i++)
                if (draft->sizes.items[i].value == size) {
                    text = draft->sizes.items[i].text;
                    break;
                }
            Str so_far = str_copy(draft->arena, buf_str(&out));
            bool sum = str_find(so_far, S(" + ")) != STR_NONE;
            buf_init(&out, draft->arena);
            bool plain = str_find_char(text, ' ') == STR_NONE && str_find_char(text, '*') == STR_NONE;
            buf_format(&out, sum ? "(%S)" : "%S", so_far);
            buf_format(&out, plain ? "*%S" : "*(%S)", text);
        }
        if (index[d] == zero || size == one) continue;
        if (out.n > 0) buf_add(&out, S(" + "));
        buf_add(&out, draft_sym(draft, index[d]));
    }
    return str_format(draft->arena, "%S[%S]", tensor->name, out.n > 0 ? buf_str(&out) : S("0"));
}

/* An element that is in memory under this name. */
static Lowered element_value(Draft *draft, const DraftHole *hole, Str element) {
    Dtype dtype = draft->tensors.items[hole->tensor].type.dtype;
    return (Lowered){backend_load(draft->plan->backend, draft->arena, dtype, element), dtype_compute(dtype), false};
}

static bool load_value(Run *run, Draft *draft, const DraftHole *hole, const SymRef *index, Lowered *out) {
    const DraftTensor *tensor = &draft->tensors.items[hole->tensor];
    Str element = tensor->read ? direct_element(draft, hole, hole->tensor, index) : S("");
    if (element.n == 0) return draft_value(draft, hole->tensor, native_hole_index(run, draft, hole, index), out);
    *out = element_value(draft, hole, element);
    return true;
}

static Value load(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    const DraftHole *hole = hole_of(run, draft, a[0]);
    const SymRef *index = native_index(run, draft, a[1], hole->shape.dims, hole->shape.rank, "load()");
    bool into = a[2].kind == V_STR;
    Buf out;
    buf_init(&out, draft->arena);
    draft_begin(draft, into ? &out : NULL);
    Lowered value;
    uint32_t errors = draft->plan->graph->diags->errors;
    bool good = true;
    if (a[4].kind == V_STR)
        value = element_value(draft, hole, text_of(run, draft, a[4]));
    else
        good = load_value(run, draft, hole, index, &value);
    if (good && a[3].kind == V_STR) {
        Lower lower = draft_lower(draft, NULL);
        value = lower_convert(&lower, value, native_dtype(run, a[3], "load()"));
    }
    if (good && into) draft_declare(draft, text_of(run, draft, a[2]), value);
    draft_end(draft);
    if (!good || draft->plan->graph->diags->errors != errors) native_give_up(run, draft);
    return val_str(run, into ? draft_without_unused(draft, buf_str(&out)) : value.text);
}

typedef struct StoreAt {
    Draft *draft;
    const DraftHole *hole;
    const SymRef *index;
} StoreAt;

static Str store_element(void *user, uint32_t tensor) {
    const StoreAt *at = user;
    return direct_element(at->draft, at->hole, tensor, at->index);
}

static Value store(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    const DraftHole *hole = hole_of(run, draft, a[0]);
    const DraftTensor *tensor = &draft->tensors.items[hole->tensor];
    if (tensor->read) run_fail(run, "%Q is read, not written", name_str(hole->name));
    const SymRef *index = native_index(run, draft, a[1], hole->shape.dims, hole->shape.rank, "store()");
    Dtype dtype = tensor->type.dtype, given = a[3].kind == V_STR ? native_dtype(run, a[3], "store()") : dtype;
    Lower lower = draft_lower(draft, NULL);
    uint32_t errors = lower.diags->errors;
    Lowered value = lower_convert(&lower, (Lowered){text_of(run, draft, a[2]), dtype_compute(given), false}, dtype);
    StoreAt at = {draft, hole, index};
    Buf out, stores;
    buf_init(&out, draft->arena);
    buf_init(&stores, draft->arena);
    draft_begin(draft, &out);
    bool good = draft_output(draft, hole->tensor, native_hole_index(run, draft, hole, index), value, store_element, &at,
                             &stores);
    draft_end(draft);
    if (!good || lower.diags->errors != errors) native_give_up(run, draft);
    if (out.n > 0) buf_char(&out, '\n');
    buf_add(&out, buf_str(&stores));
    return val_str(run, draft_without_unused(draft, buf_str(&out)));
}

/* A pointer to an element, where those that follow along a dim of the hole lie behind it. */
static Value place(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    const DraftHole *hole = hole_of(run, draft, a[0]);
    const SymRef *from = native_index(run, draft, a[1], hole->shape.dims, hole->shape.rank, "place()");
    int64_t dim = val_arg_int(run, a[2], "dim");
    if (dim < 0 || dim >= hole->shape.rank)
        run_fail(run, "hole %Q has no dim %lld", name_str(hole->name), (long long)dim);
    if (!draft->tensors.items[hole->tensor].read && draft->tensors.items[hole->tensor].name.n > 0)
        run_fail(run, "%Q is written, not read", name_str(hole->name));
    SymRef *index = ARENA_ARRAY(draft->arena, SymRef, hole->shape.rank + 1);
    for (uint32_t d = 0; d < hole->shape.rank; d++)
        index[d] = from[d];
    index[dim] = sym_index(&draft->syms, names_get(draft->plan->graph->names, S("%along")), hole->shape.dims[dim]);
    Str text;
    const SymRef *own = native_hole_index(run, draft, hole, index);
    return draft_place(draft, hole->tensor, own, index[dim], from[dim], &text) ? val_str(run, text) : val_none();
}

/* What is behind a hole, where that is a tensor in memory as it lies there. */
static Value memory(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    Str name = draft->tensors.items[hole_of(run, draft, a[0])->tensor].name;
    return name.n > 0 ? val_str(run, name) : val_none();
}

/* ---- maps and views */
const SymRef *native_dims_index(Run *run, Draft *draft, Value list, const char *what) {
    SymRef *sizes = ARENA_ARRAY(draft->arena, SymRef, draft->dims.n + 1);
    for (uint32_t i = 0; i < draft->dims.n; i++)
        sizes[i] = draft->dims.items[i].value;
    return native_index(run, draft, list, sizes, draft->dims.n, what);
}

static bool is_map(const Draft *draft) { return draft->sketch->form == FORM_MAP || draft->sketch->form == FORM_VIEW; }

Value native_map_element(Run *run, Draft *draft, Value list) {
    const SymRef *index = native_dims_index(run, draft, list, "element()");
    Buf out, stores;
    buf_init(&out, draft->arena);
    buf_init(&stores, draft->arena);
    draft_begin(draft, &out);
    bool good = true;
    for (uint32_t i = 0; i < draft->writes.n && good; i++) {
        Lowered value;
        good = draft_value(draft, draft->writes.items[i], index, &value) &&
               draft_store(draft, draft->writes.items[i], index, value, S(""), &stores);
    }
    draft_end(draft);
    if (!good) native_give_up(run, draft);
    if (out.n > 0) buf_char(&out, '\n');
    buf_add(&out, buf_str(&stores));
    return val_str(run, draft_without_unused(draft, buf_str(&out)));
}

static uint32_t write_of(Run *run, Draft *draft, Value number) {
    int64_t i = val_arg_int(run, number, "output");
    if (i < 0 || i >= draft->writes.n) run_fail(run, "there is no write %lld", (long long)i);
    return draft->writes.items[i];
}

static Value value_into(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    if (!is_map(draft)) run_fail(run, "value() is for maps and views");
    uint32_t tensor = write_of(run, draft, a[0]);
    const SymRef *index = native_dims_index(run, draft, a[1], "value()");
    Buf out;
    buf_init(&out, draft->arena);
    draft_begin(draft, &out);
    Lowered value;
    bool good = draft_value(draft, tensor, index, &value);
    if (good) draft_declare(draft, text_of(run, draft, a[2]), value);
    draft_end(draft);
    if (!good) native_give_up(run, draft);
    return val_str(run, draft_without_unused(draft, buf_str(&out)));
}

static Value stored(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    Dtype dtype = draft->tensors.items[write_of(run, draft, a[0])].type.dtype;
    Str text = text_of(run, draft, a[1]);
    return val_str(run, draft->raw ? text : backend_store(draft->plan->backend, draft->arena, dtype, text));
}

/* ---- types and functions */
static Value fn(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    Str name = text_of(run, draft, a[0]);
    Dtype type = native_dtype(run, a[1], "fn()");
    LowerFunction function;
    if (!backend_function((void *)(uintptr_t)draft->plan->backend, name, dtype_compute(type), &function))
        run_fail(run, "backend %Q has no function %Q for %s", name_str(draft->plan->backend->name), name,
                 dtype_name(dtype_compute(type)));
    const List *given = a[2].as.list;
    uint32_t n = (uint32_t)given->n;
    Str *operands = ARENA_ARRAY(draft->arena, Str, n + 1);
    for (uint32_t i = 0; i < n; i++)
        operands[i] = val_text(val_to_str(run, given->items[i]));
    Str text = draft_call(draft->arena, &function, operands, n);
    if (text.n == 0) run_fail(run, "%Q has more operands than %u", name, (unsigned)n);
    return val_str(run, text);
}

static Value literal(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    Dtype type = dtype_compute(native_dtype(run, a[1], "literal()"));
    Lowered value = {text_of(run, draft, a[0]), type, true};
    if (a[0].kind == V_BOOL) value.text = a[0].as.b ? S("1") : S("0");
    Lower lower = draft_lower(draft, NULL);
    uint32_t errors = lower.diags->errors;
    value = lower_convert(&lower, value, type);
    if (lower.diags->errors != errors) native_give_up(run, draft);
    return val_str(run, value.text);
}

static Value ctype(Run *run, const Value *a, void *user) {
    return val_str(
        run, backend_compute_name(draft_of(user)->plan->backend, dtype_compute(native_dtype(run, a[0], "ctype()"))));
}

static Value mtype(Run *run, const Value *a, void *user) {
    return val_str(run, draft_of(user)->plan->backend->types[native_dtype(run, a[0], "mtype()")].name);
}

/* ---- sizes */
static const DraftSize *size_named(Run *run, Draft *draft, Str name) {
    for (uint32_t i = 0; i < draft->sizes.n; i++)
        if (str_eq(name_str(draft->sizes.items[i].name), name)) return &draft->sizes.items[i];
    for (uint32_t i = 0; i < draft->dims.n; i++)
        if (str_eq(draft->dims.items[i].text, name)) return &draft->dims.items[i];
    run_fail(run, "there is no size %Q here", name);
}

static Value known(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    const DraftSize *size = size_named(run, draft, text_of(run, draft, a[0]));
    int64_t number;
    if (sym_is_int(size->value, &number)) return val_int(number);
    draft->asked = true;
    Map with;
    map_init(&with, draft->arena);
    for (uint32_t i = 0; i < draft->sketch->model.n && !draft->sketch->exact; i++) {
        int64_t value;
        if (sym_is_int(draft->sketch->model.items[i], &value))
            map_set(&with, draft->class_names[i], (void *)(uintptr_t)sym_int(&draft->syms, value));
    }
    return sym_is_int(sym_replace(&draft->syms, size->value, &with), &number) ? val_int(number) : val_none();
}

static Value workspace(Run *run, const Value *a, void *user) {
    Draft *draft = draft_of(user);
    Str text = text_of(run, draft, a[0]);
    Source *source = source_new(draft->arena, S("workspace()"), text);
    Graph *graph = draft->plan->graph;
    OpExpr expr = {parse_expression(draft->arena, graph->names, source, 0, (uint32_t)text.n, graph->diags), source};
    RuleValue value;
    const RuleScope *scope = draft->anchor != NULL ? draft->anchor->scope : NULL;
    if (draft->anchor == NULL || draft->sketch->form != FORM_KERNEL) {
        for (uint32_t i = 0; i < draft->dims.n; i++) {
            RuleScope *one = ARENA_NEW(draft->arena, RuleScope);
            *one = (RuleScope){(RuleScope *)(uintptr_t)scope,
                               names_get(draft->plan->graph->names, str_format(draft->arena, "d%u", (unsigned)i)),
                               {.kind = RULE_INT, .as.i = draft->dims.items[i].value}};
            scope = one;
        }
    }
    if (expr.expr == NULL || !rule_eval(&draft->rules, &expr, scope, &value) || value.kind != RULE_INT)
        native_give_up(run, draft);
    draft->workspace = value.as.i;
    return VS("");
}

void natives_add(Natives *natives) {
    Engine *engine = natives->engine;
    engine_add_function(engine, "load", load, "hole index into? to? at?", natives);
    engine_add_function(engine, "store", store, "hole index value type?", natives);
    engine_add_function(engine, "place", place, "hole index dim", natives);
    engine_add_function(engine, "memory", memory, "hole", natives);
    engine_add_function(engine, "value", value_into, "output index into", natives);
    engine_add_function(engine, "stored", stored, "output value", natives);
    engine_add_function(engine, "fn", fn, "name type *operands", natives);
    engine_add_function(engine, "literal", literal, "number type", natives);
    engine_add_function(engine, "ctype", ctype, "dtype", natives);
    engine_add_function(engine, "mtype", mtype, "dtype", natives);
    engine_add_function(engine, "known", known, "size", natives);
    engine_add_function(engine, "workspace", workspace, "bytes", natives);
    natives_add_fold(natives);
}

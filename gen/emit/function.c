/* function.c: groups to functions and calls.
 *
 * For each group its key is made: equal keys, equal text. Only what has a new key is written. Its text has marks in the
 * place of its own name and its parameters, because the name has a hash of the text, and of the parameters only those
 * that the text uses are kept; so groups with different keys may still come to the same text, and share it. Where a
 * function cannot be written for sizes that are variables (a rule wants to know more of them), it is written for the
 * model's own.
 */
#include "emit/draft.h"
#include "emit/headers.h"
#include "emit/marked.h"

#include "base/sha256.h"

#include <stdlib.h>

/* An argument as all calls with one key have it. */
typedef struct RecipeArg {
    ArgKind kind;
    uint32_t number; /* ARG_WRITE, ARG_READ: which of the group */
    SymRef size;     /* over the draft's variables */
    Str text;
} RecipeArg;

typedef struct Recipe {
    Function *function; /* NULL: it could not be written; the findings are there */
    VEC(RecipeArg) args;
    SymRef workspace;
    Name *class_names;
    bool exact;    /* its variables are the model's dims */
    bool by_exact; /* nothing else is here: look under the key of the exact sketch */
} Recipe;

typedef struct Writer {
    Plan *plan;
    Natives natives;
    Names keys;
    Map recipes; /* key -> Recipe */
    Map texts;   /* marked text's hash -> Function */
    Map uris;    /* uri -> Function */
    Value backend;
    Headers headers;
    VEC(Str) extra_params, extra_args;
    Str fault_param, fault_arg; /* of functions that may fail; empty: the backend has none */
} Writer;

/* ---- what the template sees */
static Value text_value(Str text) { return val_str_lit(text.p, text.n); }

static void put(Arena *arena, Dict *dict, const char *name, Value value) {
    dict_set_in(arena, dict, text_value(str_c(name)), value);
}

static Value rule_value(Arena *arena, const RuleValue *value) {
    int64_t number;
    switch (value->kind) {
    case RULE_BOOL:
        return val_bool(sym_truth(value->as.i) == 1);
    case RULE_INT:
        if (sym_is_int(value->as.i, &number)) return val_int(number);
        return val_none();
    case RULE_FLOAT:
        return val_float(value->as.f);
    case RULE_TEXT:
        return text_value(value->as.s);
    case RULE_DTYPE:
        return text_value(str_c(dtype_name(value->as.dtype)));
    case RULE_LIST: {
        List *list = list_new(arena, value->as.list.n);
        for (uint32_t i = 0; i < value->as.list.n; i++)
            list_push(arena, list, rule_value(arena, &value->as.list.items[i]));
        return val_list(list);
    }
    default:
        return val_none();
    }
}

static void put_node(Draft *draft, Dict *data) {
    Arena *arena = draft->arena;
    const DraftNode *node = draft->anchor != NULL ? draft->anchor : &draft->nodes.items[0];
    const OpDef *op = node->node->op;
    put(arena, data, "op", text_value(name_str(op->name)));
    if (op->kernel != NULL) put(arena, data, "kernel", text_value(name_str(op->kernel)));
    Dict *attrs = dict_new(arena, op->attrs.n + 1), *types = dict_new(arena, op->types.n + 1);
    for (uint32_t i = 0; i < op->attrs.n; i++)
        dict_set_in(arena, attrs, val_name(op->attrs.items[i].name), rule_value(arena, &node->call.attrs[i]));
    Dtype compute = DT_F32;
    for (uint32_t i = 0; i < op->types.n; i++) {
        Dtype dtype = node->node->types[i];
        if (dtype == DT_COUNT) continue;
        if (i == 0) compute = dtype_compute(dtype);
        dict_set_in(arena, types, val_name(op->types.items[i].name), text_value(str_c(dtype_name(dtype))));
    }
    put(arena, data, "attrs", val_dict(attrs));
    put(arena, data, "types", val_dict(types));
    put(arena, data, "compute", text_value(str_c(dtype_name(compute))));
}

static void put_kernel(Draft *draft, Dict *data) {
    Arena *arena = draft->arena;
    Dict *size = dict_new(arena, draft->sizes.n + 1), *dtype = dict_new(arena, draft->holes.n + 1);
    List *holes = list_new(arena, draft->holes.n + 1);
    for (uint32_t i = 0; i < draft->sizes.n; i++)
        dict_set_in(arena, size, val_name(draft->sizes.items[i].name), text_value(draft->sizes.items[i].text));
    for (uint32_t i = 0; i < draft->holes.n; i++) {
        const DraftTensor *tensor = &draft->tensors.items[draft->holes.items[i].tensor];
        list_push(arena, holes, val_name(draft->holes.items[i].name));
        dict_set_in(arena, dtype, val_name(draft->holes.items[i].name),
                    text_value(str_c(dtype_name(tensor->type.dtype))));
    }
    put(arena, data, "size", val_dict(size));
    put(arena, data, "holes", val_list(holes));
    put(arena, data, "dtype", val_dict(dtype));
}

/* What code for an element of a map or view names: a read that it does not name is of no concern to the template. */
static bool element_words(Draft *draft, Words *words) {
    SymRef *index = ARENA_ARRAY(draft->arena, SymRef, draft->dims.n + 1);
    for (uint32_t i = 0; i < draft->dims.n; i++)
        index[i] = draft_index(draft, str_format(draft->arena, "i%u", (unsigned)i), draft->dims.items[i].value);
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
    draft->named = 0;
    buf_char(&out, '\n');
    buf_add(&out, buf_str(&stores));
    words_init(words, draft->arena);
    for (uint32_t i = 0; i < draft->group->reads.n; i++)
        words_ask(words, draft->tensors.items[i].name);
    words_look(words, draft_without_unused(draft, buf_str(&out)));
    return good;
}

static void put_tensors(Draft *draft, Dict *data, const char *name, bool reads, const Words *words) {
    Arena *arena = draft->arena;
    List *list = list_new(arena, 4);
    RuleShape over =
        draft->writes.n > 0 ? draft->tensors.items[draft->writes.items[0]].type.shape : (RuleShape){NULL, 0};
    uint32_t n = reads ? draft->group->reads.n : draft->writes.n;
    for (uint32_t i = 0; i < n; i++) {
        const DraftTensor *tensor = &draft->tensors.items[reads ? i : draft->writes.items[i]];
        if (words != NULL && !words_has(words, tensor->name)) continue;
        Dict *one = dict_new(arena, 4);
        put(arena, one, "name", text_value(tensor->name));
        put(arena, one, "dtype", text_value(str_c(dtype_name(tensor->type.dtype))));
        put(arena, one, "bytes", val_int(dtype_size(tensor->type.dtype)));
        put(arena, one, "dense",
            val_bool(rule_same_shape(tensor->type.shape, over) && (!reads || draft->sketch->form == FORM_MAP)));
        list_push(arena, list, val_dict(one));
    }
    put(arena, data, name, val_list(list));
}

static bool put_loops(Draft *draft, Dict *data) {
    Arena *arena = draft->arena;
    List *dims = list_new(arena, draft->dims.n + 1);
    bool reduce = draft->sketch->form == FORM_REDUCE;
    for (uint32_t i = 0; i < draft->dims.n; i++) {
        Value size = text_value(draft->dims.items[i].text);
        if (reduce) {
            Dict *dim = dict_new(arena, 2);
            put(arena, dim, "size", size);
            put(arena, dim, "reduced", val_bool(draft->dim_reduced[i]));
            size = val_dict(dim);
        }
        list_push(arena, dims, size);
    }
    put(arena, data, "dims", val_list(dims));
    Words words;
    if (!reduce && !element_words(draft, &words)) return false;
    put_tensors(draft, data, "reads", true, reduce ? NULL : &words);
    put_tensors(draft, data, "writes", false, NULL);
    bool flat = draft->sketch->form == FORM_MAP && draft->dims.n == 1;
    put(arena, data, "flat", val_bool(flat));
    put(arena, data, "moves", val_bool(draft->raw));
    return true;
}

static bool make_data(Writer *writer, Draft *draft, Value *out) {
    Arena *arena = draft->arena;
    Dict *data = dict_new(arena, 24);
    put(arena, data, "uri", text_value(MARK_URI));
    put(arena, data, "params", text_value(MARK_PARAMS));
    put(arena, data, "names", text_value(MARK_NAMES));
    put(arena, data, "args", text_value(MARK_ARGS));
    put(arena, data, "signature", text_value(S("void \001U(\001P)")));
    put(arena, data, "backend", writer->backend);
    put_node(draft, data);
    if (draft->sketch->form == FORM_KERNEL) put_kernel(draft, data);
    if (draft->sketch->form != FORM_KERNEL && !put_loops(draft, data)) return false;
    if (draft->anchor != NULL && draft->anchor->node->op->combine.n > 0) {
        List *accs = native_fold_accs(draft);
        if (accs == NULL) return false;
        put(arena, data, "accs", val_list(accs));
        put(arena, data, "exact", val_bool(native_fold_exact(draft)));
        bool again = false;
        for (uint32_t i = 0; i < draft->writes.n && draft->again != NULL; i++)
            again |= draft->again[draft->writes.items[i]];
        put(arena, data, "second", val_bool(again));
        put(arena, data, "results", val_list(native_fold_results(draft)));
    }
    *out = val_dict(data);
    return true;
}

/* ---- the template */
static Str template_name(const Writer *writer, const Draft *draft) {
    const Plan *plan = writer->plan;
    if (draft->sketch->form == FORM_KERNEL)
        return name_str(plan_kernel(plan->use, plan->use_count, draft->anchor->node->op));
    return draft->sketch->form == FORM_REDUCE ? S("reduce") : S("map");
}

static Template *find_template(Writer *writer, const Draft *draft) {
    const OpDef *op = draft->nodes.items[0].node->op;
    Str kernel = template_name(writer, draft);
    Span from = draft->anchor != NULL ? draft->anchor->node->op->kernel_at : span(op->source, op->from, op->to);
    return emit_template(writer->natives.engine, writer->plan->arena, writer->plan->backend, kernel, from);
}

/* ---- parameters */
typedef struct ParamList {
    Buf params, names;
    Recipe *recipe;
} ParamList;

static void add_param(Arena *arena, ParamList *to, Str type, Str name, RecipeArg arg) {
    if (to->params.n > 0) buf_add(&to->params, S(", ")), buf_add(&to->names, S(", "));
    bool star = type.n > 0 && type.p[type.n - 1] == '*';
    buf_format(&to->params, star ? "%S%S" : "%S %S", type, name);
    buf_add(&to->names, name);
    *VEC_PUSH(arena, &to->recipe->args) = arg;
}

static void tensor_param(Draft *draft, const Words *words, ParamList *to, uint32_t number, bool write) {
    const DraftTensor *tensor = &draft->tensors.items[write ? draft->writes.items[number] : number];
    if (!words_has(words, tensor->name)) return;
    Arena *arena = draft->plan->arena;
    Str type = str_format(arena, write ? "%S *" : "const %S *", draft->plan->backend->types[tensor->type.dtype].name);
    add_param(arena, to, type, tensor->name,
              (RecipeArg){.kind = write ? ARG_WRITE : ARG_READ, .number = number, .text = type});
}

static void size_param(Draft *draft, const Words *words, ParamList *to, Name name, SymRef size) {
    Arena *arena = draft->plan->arena;
    Str text = name_str(name);
    if (!words_has(words, text)) return;
    for (uint32_t i = 0; i < to->recipe->args.n; i++)
        if (to->recipe->args.items[i].kind == ARG_SIZE && str_eq(to->recipe->args.items[i].text, text)) return;
    add_param(arena, to, S("int64_t"), text, (RecipeArg){.kind = ARG_SIZE, .size = size, .text = text});
}

/* The name that a parameter's text ends with. */
static Str last_word(Str param) {
    size_t blank = param.n;
    while (blank > 0 && marked_is_word(param.p[blank - 1]))
        blank--;
    return str_sub(param, blank, param.n);
}

static void extra_param(Arena *arena, ParamList *to, Str param, RecipeArg arg) {
    Str name = last_word(param);
    add_param(arena, to, str_trim(str_sub(param, 0, param.n - name.n)), name, arg);
}

/* Whatever may become a parameter. */
static void ask_params(Writer *writer, Draft *draft, Words *words) {
    const Graph *graph = writer->plan->graph;
    for (uint32_t i = 0; i < draft->tensors.n; i++)
        words_ask(words, draft->tensors.items[i].name);
    for (uint32_t i = 0; i < draft->sizes.n; i++)
        words_ask(words, name_str(draft->sizes.items[i].name));
    for (uint32_t i = 0; draft->sketch->exact && i < graph->dims.n; i++)
        words_ask(words, name_str(draft_dim_name(writer->plan, graph->dims.items[i].name)));
    for (uint32_t i = 0; !draft->sketch->exact && i < draft->sketch->model.n; i++)
        words_ask(words, name_str(draft->class_names[i]));
    words_ask(words, last_word(writer->fault_param));
}

static void add_params(Writer *writer, Draft *draft, Str text, ParamList *to) {
    Arena *arena = writer->plan->arena;
    Words words;
    words_init(&words, draft->arena);
    ask_params(writer, draft, &words);
    words_look(&words, text);
    buf_init(&to->params, arena);
    buf_init(&to->names, arena);
    for (uint32_t i = 0; i < draft->writes.n; i++)
        tensor_param(draft, &words, to, i, true);
    for (uint32_t i = 0; i < draft->group->reads.n; i++)
        tensor_param(draft, &words, to, i, false);
    for (uint32_t i = 0; i < draft->sizes.n; i++)
        size_param(draft, &words, to, draft->sizes.items[i].name, draft->sizes.items[i].value);
    if (draft->sketch->exact) {
        const Graph *graph = writer->plan->graph;
        for (uint32_t i = 0; i < graph->dims.n; i++)
            size_param(draft, &words, to, draft_dim_name(writer->plan, graph->dims.items[i].name),
                       map_get(&draft->dim_vars, graph->dims.items[i].name));
    } else {
        for (uint32_t i = 0; i < draft->sketch->model.n; i++)
            size_param(draft, &words, to, draft->class_names[i], draft->class_vars[i]);
    }
    if (draft->workspace != NULL) add_param(arena, to, S("void *"), S("workspace"), (RecipeArg){.kind = ARG_WORKSPACE});
    for (uint32_t i = 0; i < writer->extra_params.n; i++)
        extra_param(arena, to, writer->extra_params.items[i],
                    (RecipeArg){.kind = ARG_EXTRA, .text = writer->extra_args.items[i]});
    if (writer->fault_param.n > 0 && words_has(&words, last_word(writer->fault_param)))
        extra_param(arena, to, writer->fault_param, (RecipeArg){.kind = ARG_FAULT, .text = writer->fault_arg});
}

/* ---- names */
static void add_part(Buf *out, Str part) {
    if (out->n > 0) buf_char(out, '_');
    while (part.n > 0 && part.p[part.n - 1] == '_') /* of in-place operators */
        part.n--;
    buf_add(out, part);
}

static Str readable_name(Draft *draft) {
    enum { MOST_OPS = 3 };
    Buf out;
    buf_init(&out, draft->arena);
    uint32_t n = draft->group->nodes.n;
    for (uint32_t i = 0; i < n && i < MOST_OPS; i++)
        add_part(&out, name_str(draft->group->nodes.items[i]->op->name));
    if (n > MOST_OPS) add_part(&out, str_format(draft->arena, "and%u", (unsigned)(n - MOST_OPS)));
    DtypeSet seen = 0;
    for (uint32_t i = 0; i < draft->tensors.n; i++) {
        const DraftTensor *tensor = &draft->tensors.items[i];
        if (tensor->name.n == 0 || (seen >> tensor->type.dtype & 1)) continue;
        seen |= (DtypeSet)1 << tensor->type.dtype;
        add_part(&out, str_c(dtype_name(tensor->type.dtype)));
    }
    return buf_str(&out);
}

static Str new_uri(Writer *writer, Draft *draft, Str hash) {
    Str name = readable_name(draft);
    for (size_t digits = 8;; digits += 4) {
        Str uri = str_format(writer->plan->arena, "%S_%S", name, str_sub(hash, 0, digits));
        Name key = names_get(&writer->keys, uri);
        if (map_get(&writer->uris, key) == NULL || digits >= hash.n) return uri;
    }
}

/* ---- one function */
static void add_first_line(const Draft *draft, Buf *out) {
    buf_add(out, S("/* Generated by opgen: "));
    enum { MOST_OPS = 8 };
    uint32_t n = draft->group->nodes.n;
    for (uint32_t i = 0; i < n && i < MOST_OPS; i++)
        buf_format(out, "%s%S", i == 0 ? "" : ", ", name_str(draft->group->nodes.items[i]->op->name));
    if (n > MOST_OPS) buf_format(out, " and %u more", (unsigned)(n - MOST_OPS));
    buf_add(out, S(". Do not edit. */\n"));
}

/* Of all that makes a function what it is, its name aside. */
static Str hash_of(Arena *arena, Str text, Str signature, Str call, Str params) {
    const Str parts[] = {text, signature, call, params};
    char *digits = arena_alloc(arena, SHA256_DIGITS);
    Sha256 sha;
    sha256_init(&sha);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        sha256_add(&sha, parts[i]);
    sha256_end(&sha, digits);
    return str(digits, SHA256_DIGITS);
}

/* Words, each once. */
static void add_libraries(Plan *plan, Str words) {
    while (words.n > 0) {
        size_t end = str_find_char(words, ' ');
        Str word = end == STR_NONE ? words : str_sub(words, 0, end);
        words = str_trim(str_sub(words, word.n, words.n));
        bool there = false;
        for (uint32_t i = 0; i < plan->libraries.n; i++)
            there |= str_eq(plan->libraries.items[i], word);
        if (!there) *VEC_PUSH(plan->arena, &plan->libraries) = word;
    }
}

static bool render_parts(Writer *writer, Draft *draft, Str *text, Str *signature, Str *call) {
    Template *template = find_template(writer, draft);
    Names *names = writer->plan->graph->names;
    Engine *engine = writer->natives.engine;
    Value data;
    if (template == NULL || !make_data(writer, draft, &data)) return false;
    Name block = names_get(names, S("SIGNATURE"));
    *signature = S("void \001U(\001P)");
    *call = S("\001U(\001A);");
    if (template_has_block(template, block)) {
        if (!engine_render_block(engine, template, block, data, draft->arena, signature)) return false;
        *signature = str_trim(*signature);
        dict_set_in(draft->arena, data.as.dict, VS("signature"), text_value(*signature));
    }
    if (!engine_render_block(engine, template, names_get(names, S("FUNC")), data, draft->arena, text)) return false;
    block = names_get(names, S("LIBRARIES"));
    if (template_has_block(template, block)) {
        Str libraries;
        if (!engine_render_block(engine, template, block, data, writer->plan->arena, &libraries)) return false;
        add_libraries(writer->plan, str_trim(libraries));
    }
    block = names_get(names, S("CALL"));
    if (template_has_block(template, block)) {
        if (!engine_render_block(engine, template, block, data, draft->arena, call)) return false;
        *call = str_trim(*call);
    }
    return true;
}

static Function *make_function(Writer *writer, Draft *draft, Recipe *recipe) {
    Plan *plan = writer->plan;
    Str body, signature, call;
    if (!render_parts(writer, draft, &body, &signature, &call)) return NULL;
    Buf out;
    buf_init(&out, draft->arena);
    add_first_line(draft, &out);
    headers_write(&writer->headers, body, &out);
    buf_char(&out, '\n');
    marked_tidy(body, &out);
    Str marked = buf_str(&out);
    ParamList params = {.recipe = recipe};
    add_params(writer, draft, marked, &params);
    Str hash = hash_of(draft->arena, marked, signature, call, buf_str(&params.params));
    Name key = names_get(&writer->keys, hash);
    Function *function = map_get(&writer->texts, key);
    if (function != NULL) return function;
    function = ARENA_NEW(plan->arena, Function);
    for (uint32_t i = 0; i < recipe->args.n; i++)
        function->fails |= recipe->args.items[i].kind == ARG_FAULT;
    function->uri = new_uri(writer, draft, hash);
    function->file = str_format(plan->arena, "k_%S%S", function->uri, plan->backend->ext);
    function->kernel = template_name(writer, draft);
    function->text = marked_fill(plan->arena, marked, function->uri, buf_str(&params.params), buf_str(&params.names));
    function->decl = str_format(plan->arena, "%S;",
                                marked_fill(draft->arena, signature, function->uri, buf_str(&params.params), S("")));
    size_t args = str_find(call, MARK_ARGS);
    if (args == STR_NONE) args = call.n;
    function->before = marked_fill(plan->arena, str_sub(call, 0, args), function->uri, S(""), S(""));
    function->after =
        args < call.n ? marked_fill(plan->arena, str_sub(call, args + 2, call.n), function->uri, S(""), S("")) : S("");
    map_set(&writer->texts, key, function);
    map_set(&writer->uris, names_get(&writer->keys, function->uri), function);
    *VEC_PUSH(plan->arena, &plan->functions) = function;
    return function;
}

/* ---- recipes */
typedef enum Written { WRITTEN, WRITE_EXACTLY, NOT_WRITTEN } Written;

static Written write_recipe(Writer *writer, const Group *group, const DraftSketch *sketch, Recipe *recipe,
                            bool *asked) {
    Plan *plan = writer->plan;
    /* What a draft makes stays as long as the plan: sizes of its calls are asked for again and again. */
    Draft *draft = ARENA_NEW(plan->arena, Draft);
    draft->plan = plan, draft->arena = plan->arena, draft->group = group, draft->sketch = sketch;
    uint32_t errors = plan->graph->diags->errors;
    if (!draft_make(draft)) return plan->graph->diags->errors == errors && !sketch->exact ? WRITE_EXACTLY : NOT_WRITTEN;
    writer->natives.draft = draft;
    recipe->exact = sketch->exact;
    recipe->class_names = draft->class_names;
    recipe->function = make_function(writer, draft, recipe);
    recipe->workspace = draft->workspace;
    *asked = draft->asked;
    writer->natives.draft = NULL;
    if (recipe->function != NULL) return WRITTEN;
    for (uint32_t i = errors; i < plan->graph->diags->items.n; i++)
        diag_note(plan->graph->diags, plan->graph->diags->items.items[i], group->nodes.items[0]->place,
                  "in the code of op %Q, which is used here", name_str(group->nodes.items[0]->op->name));
    return NOT_WRITTEN;
}

static Recipe *new_recipe(Writer *writer, Name key) {
    Recipe *recipe = ARENA_NEW(writer->plan->arena, Recipe);
    map_set(&writer->recipes, key, recipe);
    return recipe;
}

/* *sketch is the one that the recipe's sizes are said in. NULL after adding findings. */
static Recipe *find_recipe(Writer *writer, const Group *group, DraftSketch *sketch) {
    Plan *plan = writer->plan;
    if (!sketch_make(plan, group, false, sketch)) return NULL;
    Name key = names_get(&writer->keys, sketch_key(plan, group, sketch));
    Recipe *recipe = map_get(&writer->recipes, key);
    bool asked = false;
    if (recipe != NULL && !recipe->by_exact) return recipe;
    DraftSketch *kept = ARENA_NEW(plan->arena, DraftSketch);
    *kept = *sketch;
    Recipe *fresh = NULL;
    if (recipe == NULL) {
        fresh = ARENA_NEW(plan->arena, Recipe);
        Written written = write_recipe(writer, group, kept, fresh, &asked);
        if (written != WRITE_EXACTLY && !asked) {
            map_set(&writer->recipes, key, fresh);
            return fresh;
        }
        new_recipe(writer, key)->by_exact = true;
        if (written == WRITE_EXACTLY) fresh = NULL;
    }
    DraftSketch *exact = ARENA_NEW(plan->arena, DraftSketch);
    if (!sketch_make(plan, group, true, exact)) return NULL;
    Name exact_key = names_get(&writer->keys, sketch_key(plan, group, exact));
    recipe = map_get(&writer->recipes, exact_key);
    if (recipe == NULL && fresh != NULL) {
        map_set(&writer->recipes, exact_key, fresh);
        return fresh;
    }
    if (recipe == NULL) {
        recipe = new_recipe(writer, exact_key);
        /* Sizes may have been asked for with variables in the place of others; then that form is tried first. */
        Written written = write_recipe(writer, group, kept, recipe, &asked);
        if (written == WRITE_EXACTLY) write_recipe(writer, group, exact, recipe, &asked);
    }
    if (recipe->exact) *sketch = *exact;
    return recipe;
}

/* ---- calls */
static SymRef bind(Plan *plan, const Recipe *recipe, const DraftSketch *sketch, SymRef size) {
    Graph *graph = plan->graph;
    int64_t number;
    if (sym_is_int(size, &number)) return sym_int(&graph->syms, number);
    Map with;
    map_init(&with, plan->arena);
    if (recipe->exact) {
        for (uint32_t i = 0; i < graph->dims.n; i++)
            map_set(&with, draft_dim_name(plan, graph->dims.items[i].name),
                    (void *)(uintptr_t)graph->dims.items[i].sym);
    } else {
        for (uint32_t i = 0; i < sketch->model.n; i++) {
            if (size->kind == SYM_VAR && size->name == recipe->class_names[i]) return sketch->model.items[i];
            map_set(&with, recipe->class_names[i], (void *)(uintptr_t)sketch->model.items[i]);
        }
    }
    return sym_replace(&graph->syms, size, &with);
}

/* Whose calls a group's is among: those of each run, or those made once for a set of weights. */
static Plan *plan_of(Plan *plan, const Group *group) {
    if (!group->constant) return plan;
    if (plan->fold == NULL) {
        plan->fold = ARENA_NEW(plan->arena, Plan);
        *plan->fold =
            (Plan){.arena = plan->arena, .graph = plan->graph, .groups = plan->groups, .backend = plan->backend};
    }
    return plan->fold;
}

static void add_call(Plan *plan, const Group *group, Recipe *recipe, const DraftSketch *sketch) {
    Call *call = VEC_PUSH(plan->arena, &plan_of(plan, group)->calls);
    *call = (Call){.function = recipe->function, .group = group};
    recipe->function->calls++;
    for (uint32_t i = 0; i < recipe->args.n; i++) {
        const RecipeArg *from = &recipe->args.items[i];
        Arg *arg = VEC_PUSH(plan->arena, &call->args);
        *arg = (Arg){.kind = from->kind, .text = from->text};
        if (from->kind == ARG_WRITE) arg->tensor = group->writes.items[from->number];
        if (from->kind == ARG_READ) arg->tensor = group->reads.items[from->number];
        if (from->kind == ARG_SIZE) arg->size = bind(plan, recipe, sketch, from->size);
    }
    if (recipe->workspace != NULL) call->workspace = bind(plan, recipe, sketch, recipe->workspace);
}

/* ---- all of them */
static Value backend_value(Arena *arena, const Backend *backend) {
    const Backend *chain[16];
    uint32_t n = 0;
    for (; backend != NULL && n < 16; backend = backend->parent)
        chain[n++] = backend;
    Dict *all = dict_new(arena, 16);
    while (n-- > 0) {
        const Json *json = chain[n]->json;
        for (uint32_t i = 0; i < json->as.object.n; i++)
            dict_set_in(arena, all, val_name(json->as.object.members[i].key),
                        val_of_json(arena, &json->as.object.members[i].value));
    }
    return val_dict(all);
}

static bool begin(Writer *writer, Plan *plan, Engine *engine) {
    *writer = (Writer){.plan = plan, .natives = {NULL, engine}};
    names_init(&writer->keys, plan->arena);
    map_init(&writer->recipes, plan->arena);
    map_init(&writer->texts, plan->arena);
    map_init(&writer->uris, plan->arena);
    writer->backend = backend_value(plan->arena, plan->backend);
    const Json *call = backend_get(plan->backend, S("call"));
    const Json *params = call == NULL ? NULL : json_get(call, S("params")),
               *args = call == NULL ? NULL : json_get(call, S("args"));
    for (uint32_t i = 0; params != NULL && args != NULL && i < params->as.array.n && i < args->as.array.n; i++) {
        *VEC_PUSH(plan->arena, &writer->extra_params) = params->as.array.items[i].as.s;
        *VEC_PUSH(plan->arena, &writer->extra_args) = args->as.array.items[i].as.s;
    }
    const Json *fault = call == NULL ? NULL : json_get(call, S("fault"));
    if (fault != NULL && fault->as.array.n == 2)
        writer->fault_param = fault->as.array.items[0].as.s, writer->fault_arg = fault->as.array.items[1].as.s;
    return headers_begin(&writer->headers, plan, engine);
}

static int by_uri(const void *a, const void *b) {
    return str_cmp((*(Function *const *)a)->uri, (*(Function *const *)b)->uri);
}

bool plan_functions(Plan *plan, Engine *engine) {
    if (!plan_check_arch(plan)) return false;
    Writer *writer = ARENA_NEW(plan->arena, Writer);
    if (!begin(writer, plan, engine)) return false;
    natives_add(&writer->natives);
    uint32_t errors = plan->graph->diags->errors;
    for (uint32_t i = 0; i < plan->groups->items.n; i++) {
        const Group *group = plan->groups->items.items[i];
        DraftSketch sketch;
        Recipe *recipe = group->writes.n == 0 ? NULL : find_recipe(writer, group, &sketch);
        if (recipe != NULL && recipe->function != NULL) add_call(plan, group, recipe, &sketch);
    }
    if (plan->functions.n > 1) qsort(plan->functions.items, plan->functions.n, sizeof *plan->functions.items, by_uri);
    return plan->graph->diags->errors == errors;
}

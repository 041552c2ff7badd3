/* rewrite_read.c: one rule from its JSON.
 *
 * Its match is read first, for the names of tensors and of values; what these names mean is then put into an operator
 * of the rule's own, a composite, so that its expressions and steps are read by what reads those of composites.
 */
#include "op/rewrite_inner.h"

typedef struct Reader {
    OpRead read; /* `op` is the composite */
    Rewrite *rewrite;
} Reader;

/* Errors of the rule's object, which all ways to match it share. */
void rewrite_check_keys(OpRead *read) {
    op_keys(read, read->json, "a rule", "rewrite doc match constant when steps give off");
    const Json *doc = op_get(read->json, "doc"), *off = op_get(read->json, "off");
    if (doc != NULL) op_want(read, doc, JSON_STRING, "doc", "a string");
    if (off != NULL && !op_want(read, off, JSON_BOOL, "off", "true or false")) return;
    bool none = off != NULL && off->as.b;
    if (op_get(read->json, "match") == NULL && !none)
        op_error(read, read->json, E_MISSING, "this rule has no \"match\", the operators that it looks for");
    if (op_get(read->json, "steps") == NULL && op_get(read->json, "give") == NULL && !none)
        op_error(read, read->json, E_MISSING,
                 "this rule has neither \"steps\" nor \"give\": it puts nothing in their place");
}

/* ---- names */

static int find_tensor(const Rewrite *rewrite, Name name) {
    for (uint32_t i = 0; i < rewrite->tensors.n; i++)
        if (rewrite->tensors.items[i].name == name) return (int)i;
    return REWRITE_NONE;
}

static int find_value(const Rewrite *rewrite, Name name) {
    for (uint32_t i = 0; i < rewrite->made->attrs.n; i++)
        if (rewrite->made->attrs.items[i].name == name) return (int)i;
    return REWRITE_NONE;
}

/* The value of this name, a new one if there is none yet; REWRITE_NONE after a finding. */
static int value_of(Reader *reader, Name name, const Json *at) {
    Rewrite *rewrite = reader->rewrite;
    if (find_tensor(rewrite, name) != REWRITE_NONE) {
        op_error(&reader->read, at, E_DUPLICATE, "%Q is a tensor already", name_str(name));
        return REWRITE_NONE;
    }
    int found = find_value(rewrite, name);
    if (found != REWRITE_NONE) return found;
    *VEC_PUSH(reader->read.arena, &rewrite->made->attrs) =
        (OpAttr){.name = name, .type = ATTR_FLOAT, .required = true, .doc = S("")};
    return (int)rewrite->made->attrs.n - 1;
}

/* "x", or "x?" for what may be left out. REWRITE_NONE after a finding. */
static int tensor_of(Reader *reader, const Json *text) {
    OpRead *read = &reader->read;
    Rewrite *rewrite = reader->rewrite;
    if (text->kind != JSON_STRING) {
        op_error(read, text, E_JSON_TYPE, "a tensor is named by a string, but this is %s", json_kind_name(text->kind));
        return REWRITE_NONE;
    }
    Str word = text->as.s;
    bool optional = str_ends(word, S("?"));
    if (optional) word.n--;
    Name name = op_name(read, word, text->from, text->to, "a tensor");
    if (name == NULL) return REWRITE_NONE;
    int found = find_tensor(rewrite, name);
    if (found == REWRITE_NONE) {
        *VEC_PUSH(read->arena, &rewrite->tensors) =
            (RewriteTensor){.name = name, .node = REWRITE_NONE, .from = text->from, .to = text->to};
        found = (int)rewrite->tensors.n - 1;
    }
    RewriteTensor *tensor = &rewrite->tensors.items[found];
    if (optional && tensor->node != REWRITE_NONE)
        op_error(read, text, E_BAD_VALUE, "%Q is made by the match, so it is never left out", name_str(name));
    tensor->optional |= optional;
    return found;
}

/* ---- the match */

static void read_input(Reader *reader, RewriteNode *node, Name name, const Json *value) {
    OpRead *read = &reader->read;
    RewriteInput input = {.name = name, .from = value->from, .to = value->to};
    const Json *number = value->kind == JSON_OBJECT ? op_get(value, "number") : NULL;
    uint32_t errors = read->diags->errors;
    if (value->kind == JSON_NULL) {
        input.take = TAKE_NOTHING;
    } else if (value->kind == JSON_INT || value->kind == JSON_FLOAT) {
        input.take = TAKE_NUMBER;
        input.number = value->kind == JSON_INT ? (double)value->as.i : value->as.f;
    } else if (number != NULL) {
        op_keys(read, value, "a number that gets a name", "number");
        input.take = TAKE_NAMED_NUMBER;
        Name named = op_name_of(read, number, "a number");
        int at = named == NULL ? REWRITE_NONE : value_of(reader, named, number);
        input.attr = (uint32_t)at;
    } else if (value->kind == JSON_STRING || value->kind == JSON_ARRAY) {
        const Json *items = value->kind == JSON_STRING ? value : value->as.array.items;
        uint32_t n = value->kind == JSON_STRING ? 1 : value->as.array.n;
        input.tensors = ARENA_ARRAY(read->arena, uint32_t, n + 1);
        for (uint32_t i = 0; i < n; i++)
            input.tensors[input.n++] = (uint32_t)tensor_of(reader, &items[i]);
    } else {
        Diag *diag = op_error(read, value, E_JSON_TYPE,
                              "what an operator reads is a name, an array of names, a number "
                              "or null, but this is %s",
                              json_kind_name(value->kind));
        if (value->kind == JSON_OBJECT)
            diag_hint(read->diags, diag, "write {\"number\": \"NAME\"} for a number that is to have a name");
    }
    if (read->diags->errors == errors) *VEC_PUSH(read->arena, &node->in) = input;
}

static void read_inputs(Reader *reader, RewriteNode *node, const Json *in) {
    if (in->kind == JSON_STRING) {
        read_input(reader, node, NULL, in);
    } else if (in->kind == JSON_ARRAY) {
        for (uint32_t i = 0; i < in->as.array.n; i++)
            read_input(reader, node, NULL, &in->as.array.items[i]);
    } else if (in->kind == JSON_OBJECT) {
        for (uint32_t i = 0; i < in->as.object.n; i++)
            read_input(reader, node, in->as.object.members[i].key, &in->as.object.members[i].value);
    } else {
        op_wrong_type(&reader->read, in, "in", "an object, an array or a name");
    }
}

static void read_result(Reader *reader, RewriteNode *node, int at, const Json *value) {
    OpRead *read = &reader->read;
    if (value->kind == JSON_NULL) {
        *VEC_PUSH(read->arena, &node->out) = REWRITE_NONE;
        return;
    }
    Rewrite *rewrite = reader->rewrite;
    Name name = op_name_of(read, value, "a tensor");
    if (name == NULL) return;
    if (find_tensor(rewrite, name) != REWRITE_NONE) {
        const RewriteTensor *tensor = &rewrite->tensors.items[find_tensor(rewrite, name)];
        op_error(read, value, E_DUPLICATE,
                 tensor->node == REWRITE_NONE ? "%Q is read by an operator before this one, which makes it"
                                              : "%Q is made by an operator before",
                 name_str(name));
        return;
    }
    *VEC_PUSH(read->arena, &rewrite->tensors) =
        (RewriteTensor){.name = name, .node = at, .output = node->out.n, .from = value->from, .to = value->to};
    *VEC_PUSH(read->arena, &node->out) = (int)rewrite->tensors.n - 1;
}

static void read_node(Reader *reader, const Json *value) {
    OpRead *read = &reader->read;
    RewriteNode node = {0};
    if (value->kind != JSON_OBJECT) {
        op_error(read, value, E_JSON_TYPE, "an operator of a match is an object, but this is %s",
                 json_kind_name(value->kind));
        return;
    }
    op_keys(read, value, "an operator of a match", "op in out attrs any_order shared doc");
    static const char *const keys[] = {"op", "in", "out"};
    for (int i = 0; i < 3; i++)
        if (op_get(value, keys[i]) == NULL)
            op_error(read, value, E_MISSING, "this operator of a match has no \"%s\"", keys[i]);
    const Json *name = op_get(value, "op"), *in = op_get(value, "in"), *out = op_get(value, "out");
    if (name != NULL && op_want(read, name, JSON_STRING, "op", "the name of an operator")) {
        node.name = names_get(read->names, name->as.s);
        node.at = span(read->source, name->from, name->to);
    }
    node.any_order = op_flag(read, value, "any_order");
    node.shared = op_flag(read, value, "shared");
    if (in != NULL) read_inputs(reader, &node, in);
    int at = (int)reader->rewrite->nodes.n;
    for (uint32_t i = 0; out != NULL && out->kind == JSON_ARRAY && i < out->as.array.n; i++)
        read_result(reader, &node, at, &out->as.array.items[i]);
    if (out != NULL && out->kind != JSON_ARRAY) read_result(reader, &node, at, out);
    *VEC_PUSH(read->arena, &reader->rewrite->nodes) = node;
}

/* A word that means nothing yet is the name that the value gets. */
static bool is_new_word(const Reader *reader, const Json *value) {
    Dtype dtype;
    if (value->kind != JSON_STRING || !is_identifier(value->as.s) || dtype_parse(value->as.s, &dtype)) return false;
    if (op_list_has("inf nan pi true false none True False None", value->as.s)) return false;
    Name name = names_find(reader->read.names, value->as.s);
    return name == NULL || find_tensor(reader->rewrite, name) == REWRITE_NONE;
}

static const OpScope attr_rules = {
    .what = "an attribute of a match", .see = SEE_INPUTS | SEE_ATTRS, .extra = NULL, .first = NULL};
static const OpScope when_rules = {
    .what = "a rule's \"when\"", .see = SEE_INPUTS | SEE_ATTRS, .extra = NULL, .first = NULL};

/* names: those that get a name; otherwise the others, whose expressions may use all names. */
static void read_attrs(Reader *reader, RewriteNode *node, const Json *value, bool names) {
    OpRead *read = &reader->read;
    const Json *attrs = value->kind == JSON_OBJECT ? op_get(value, "attrs") : NULL;
    if (attrs == NULL) return;
    if (attrs->kind != JSON_OBJECT) {
        if (names) op_wrong_type(read, attrs, "attrs", "an object of attributes and expressions");
        return;
    }
    for (uint32_t i = 0; i < attrs->as.object.n; i++) {
        const JsonMember *member = &attrs->as.object.members[i];
        RewriteAttr attr = {.name = member->key, .bind = REWRITE_NONE, .from = member->from, .to = member->to};
        attr.any = member->value.kind == JSON_STRING && str_eq(member->value.as.s, S("_"));
        if ((attr.any || is_new_word(reader, &member->value)) != names) continue;
        if (names && !attr.any)
            attr.bind = value_of(reader, names_get(read->names, member->value.as.s), &member->value);
        else if (!attr.any)
            op_expr(read, &member->value, &attr_rules, &attr.value);
        *VEC_PUSH(read->arena, &node->attrs) = attr;
    }
}

static void read_match(Reader *reader, const Json *match) {
    OpRead *read = &reader->read;
    Rewrite *rewrite = reader->rewrite;
    if (match->kind != JSON_ARRAY || match->as.array.n == 0) {
        op_error(read, match, E_BAD_VALUE, "a match is an array of operators, the last of which is looked for");
        return;
    }
    if (match->as.array.n > REWRITE_MOST_NODES) {
        op_error(read, match, E_TOO_LARGE, "a match has at most %d operators", REWRITE_MOST_NODES);
        return;
    }
    for (uint32_t i = 0; i < match->as.array.n; i++)
        read_node(reader, &match->as.array.items[i]);
    for (int names = 1; names >= 0 && rewrite->nodes.n == match->as.array.n; names--)
        for (uint32_t i = 0; i < match->as.array.n; i++) {
            if (names == 0 && i == 0) { /* all names are known: what expressions see */
                for (uint32_t k = 0; k < rewrite->tensors.n; k++) {
                    const RewriteTensor *tensor = &rewrite->tensors.items[k];
                    if (tensor->node == (int)rewrite->nodes.n - 1) continue;
                    *VEC_PUSH(read->arena, &rewrite->made->inputs) =
                        (OpInput){.name = tensor->name, .optional = tensor->optional, .doc = S("")};
                    *VEC_PUSH(read->arena, &rewrite->made_from) = k;
                }
            }
            read_attrs(reader, &rewrite->nodes.items[i], &match->as.array.items[i], names == 1);
        }
}

/* ---- the rest */

static void suggest_tensor(Reader *reader, Diag *diag, Str wrong) {
    const Rewrite *rewrite = reader->rewrite;
    Str *names = ARENA_ARRAY(reader->read.arena, Str, rewrite->tensors.n + 1);
    for (uint32_t i = 0; i < rewrite->tensors.n; i++)
        names[i] = name_str(rewrite->tensors.items[i].name);
    diag_suggest(reader->read.diags, diag, wrong, names, rewrite->tensors.n);
}

/* A tensor of the match by its name; REWRITE_NONE after a finding. */
static int known_tensor(Reader *reader, Str word, uint32_t from, uint32_t to) {
    Name name = names_find(reader->read.names, word);
    int found = name == NULL ? REWRITE_NONE : find_tensor(reader->rewrite, name);
    if (found != REWRITE_NONE) return found;
    Diag *diag = diag_error(reader->read.diags, E_UNKNOWN_NAME, span(reader->read.source, from, to),
                            "the match has no tensor %Q", word);
    suggest_tensor(reader, diag, word);
    return REWRITE_NONE;
}

static void read_constants(Reader *reader) {
    OpRead *read = &reader->read;
    const Json *constant = op_get(read->json, "constant");
    if (constant == NULL || !op_want(read, constant, JSON_ARRAY, "constant", "an array of names")) return;
    for (uint32_t i = 0; i < constant->as.array.n; i++) {
        const Json *item = &constant->as.array.items[i];
        if (item->kind != JSON_STRING) {
            op_error(read, item, E_JSON_TYPE, "a tensor is named by a string, but this is %s",
                     json_kind_name(item->kind));
            continue;
        }
        int found = known_tensor(reader, item->as.s, item->from, item->to);
        if (found != REWRITE_NONE) reader->rewrite->tensors.items[found].constant = true;
    }
}

static bool is_result(const Rewrite *rewrite, uint32_t tensor) {
    return rewrite->tensors.items[tensor].node == (int)rewrite->nodes.n - 1;
}

static void read_gives(Reader *reader) {
    OpRead *read = &reader->read;
    Rewrite *rewrite = reader->rewrite;
    const Json *give = op_get(read->json, "give");
    if (give == NULL || !op_want(read, give, JSON_OBJECT, "give", "an object: {\"y\": \"x\"}")) return;
    for (uint32_t i = 0; i < give->as.object.n; i++) {
        const JsonMember *member = &give->as.object.members[i];
        int result = known_tensor(reader, name_str(member->key), member->from, member->to);
        if (result == REWRITE_NONE) continue;
        if (!is_result(rewrite, (uint32_t)result)) {
            diag_error(read->diags, E_BAD_VALUE, span(read->source, member->from, member->to),
                       "%Q is no result of the last operator, which alone are replaced", name_str(member->key));
            continue;
        }
        if (!op_want(read, &member->value, JSON_STRING, "give", "an object of names")) continue;
        int tensor = known_tensor(reader, member->value.as.s, member->value.from, member->value.to);
        if (tensor == REWRITE_NONE) continue;
        if (is_result(rewrite, (uint32_t)tensor) || rewrite->tensors.items[tensor].optional) {
            op_error(read, &member->value, E_BAD_VALUE, "%Q is a result itself, or may be left out",
                     member->value.as.s);
            continue;
        }
        *VEC_PUSH(read->arena, &rewrite->gives) = (RewriteGive){(uint32_t)result, (uint32_t)tensor};
    }
}

/* Results that are not given are what the steps make. */
static void read_steps(Reader *reader) {
    OpRead *read = &reader->read;
    Rewrite *rewrite = reader->rewrite;
    const Json *steps = op_get(read->json, "steps"), *give = op_get(read->json, "give");
    for (uint32_t k = 0; k < rewrite->tensors.n; k++) {
        bool given = give != NULL && op_get(give, rewrite->tensors.items[k].name->p) != NULL;
        if (given || !is_result(rewrite, k)) continue;
        const RewriteTensor *tensor = &rewrite->tensors.items[k];
        if (steps == NULL)
            diag_error(read->diags, E_MISSING, span(read->source, tensor->from, tensor->to),
                       "nothing is put in the place of %Q", name_str(tensor->name));
        *VEC_PUSH(read->arena, &rewrite->made->outputs) = (OpOutput){.name = tensor->name, .doc = S("")};
        *VEC_PUSH(read->arena, &rewrite->made_to) = k;
    }
    if (steps != NULL && rewrite->made->outputs.n == 0)
        op_error(read, steps, E_BAD_VALUE, "all results are given, so there is nothing for steps to make");
    else if (steps != NULL)
        op_read_kind(read);
}

Rewrite *rewrite_read(const OpTable *table, RewritePart *part, Diags *diags) {
    uint32_t errors = diags->errors;
    Rewrite *rewrite = ARENA_NEW(table->arena, Rewrite);
    OpDef *made = ARENA_NEW(table->arena, OpDef);
    *made = (OpDef){.kind = KIND_COMPOSITE, .doc = S(""), .source = part->file->source, .json = part->json};
    made->name = names_get(table->names, str_format(table->arena, "rewrite:%S", name_str(part->name)));
    made->from = part->json->from, made->to = part->json->from + 1;
    rewrite->name = part->name;
    rewrite->made = made;
    Reader reader = {.rewrite = rewrite};
    reader.read = (OpRead){.arena = table->arena,
                           .names = table->names,
                           .diags = diags,
                           .source = part->file->source,
                           .decoded = &part->file->decoded,
                           .op = made,
                           .json = part->json};
    read_match(&reader, part->match);
    if (diags->errors != errors) return NULL; /* what follows is about its names */
    read_constants(&reader);
    op_expr_member(&reader.read, part->json, "when", &when_rules, &rewrite->when);
    read_gives(&reader);
    read_steps(&reader);
    rewrite->broken = diags->errors != errors;
    return rewrite;
}

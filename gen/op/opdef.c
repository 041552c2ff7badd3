/* opdef.c: the table of operators, and the files that fill it. */
#include "op/opdef_inner.h"

#include "base/folder.h"

void optable_init(OpTable *table, Arena *arena, Names *names) {
    *table = (OpTable){.arena = arena, .names = names, .layer = 0};
    map_init(&table->ops, arena);
}

void optable_layer(OpTable *table) { table->layer++; }

const OpDef *optable_get(const OpTable *table, Name name) {
    const OpDef *op = map_get(&table->ops, name);
    return op != NULL || table->shelf == NULL ? op : op_shelf_get(table, name);
}

Str *optable_names(const OpTable *table, Arena *arena, uint32_t *n) {
    uint32_t shelved = table->shelf == NULL ? 0 : op_shelf_count(table); /* which may add to its own */
    uint32_t own = table->ops.n;
    *n = own + shelved;
    Str *names = ARENA_ARRAY(arena, Str, *n);
    for (uint32_t i = 0; i < own; i++)
        names[i] = name_str(table->ops.entries[i].key);
    if (table->shelf != NULL) op_shelf_names(table, names + own);
    return names;
}

/* An operator of this layer keeps its name; one of an earlier layer gives way. */
static void add(OpTable *table, OpDef *op, Diags *diags) {
    const OpDef *before = map_get(&table->ops, op->name);
    op->layer = table->layer;
    if (before != NULL && before->layer > op->layer) return;
    if (before == NULL || before->layer != op->layer) {
        map_set(&table->ops, op->name, op);
        return;
    }
    Diag *diag =
        diag_error(diags, E_DUPLICATE, span(op->source, op->from, op->to),
                   op->base == NULL ? "the operator %Q is there already" : "the in-place form %Q is there already",
                   name_str(op->name));
    diag_note(diags, diag, span(before->source, before->from, before->to), "the first one");
}

static void read_operator(OpTable *table, Source *source, Source **decoded, const Json *json, Diags *diags) {
    OpRead read = {.arena = table->arena,
                   .names = table->names,
                   .diags = diags,
                   .source = source,
                   .decoded = decoded,
                   .op = NULL,
                   .json = json};
    OpDef *op = op_read(&read);
    if (op == NULL) return;
    add(table, op, diags);
    OpDef *form = op_read_in_place(&read, op);
    if (form != NULL) add(table, form, diags);
}

bool optable_read(OpTable *table, Source *source, Diags *diags) {
    uint32_t errors = diags->errors;
    const Json *json = json_parse_lenient(table->arena, table->names, source, diags);
    if (json == NULL) return false;
    Source *decoded = NULL;
    const Json *ops = op_get(json, "ops");
    if (ops == NULL) {
        read_operator(table, source, &decoded, json, diags);
        return diags->errors == errors;
    }
    OpRead read = {.arena = table->arena,
                   .names = table->names,
                   .diags = diags,
                   .source = source,
                   .decoded = &decoded,
                   .op = NULL,
                   .json = json};
    op_keys(&read, json, "a file of operators", "ops doc $schema");
    if (!op_want(&read, ops, JSON_ARRAY, "ops", "an array of operators")) return false;
    for (uint32_t i = 0; i < ops->as.array.n; i++)
        read_operator(table, source, &decoded, &ops->as.array.items[i], diags);
    return diags->errors == errors;
}

bool optable_read_folder(OpTable *table, Str folder, Diags *diags) {
    uint32_t errors = diags->errors;
    FolderEntries entries = {0};
    Span nowhere = span(NULL, 0, 0);
    if (!folder_list(table->arena, folder, nowhere, diags, &entries)) return false;
    optable_layer(table);
    for (uint32_t i = 0; i < entries.n; i++) {
        Str name = entries.items[i].name;
        if (entries.items[i].is_folder || !str_ends(name, S(".json")) || str_ends(name, S(".schema.json"))) continue;
        Source *source = file_read_text(table->arena, path_join(table->arena, folder, name), nowhere, diags);
        if (source != NULL) optable_read(table, source, diags);
    }
    optable_layer(table);
    return diags->errors == errors;
}

/* rewrite.c: the files of rules, and which rules there are for an operator.
 *
 * Of opgen's own files only those rules are parsed that speak of an operator that a graph has. Of each of these only
 * its name and the operators of its match are looked at; that tells for most graphs that it has nothing to do there.
 */
#include "op/rewrite_inner.h"

#include "base/folder.h"
#include "json/walk.h"

typedef struct RewriteFolder {
    Str path;
    bool own, read;
} RewriteFolder;

/* Where in its file a rule is. */
typedef struct RuleText {
    uint32_t from, to;
    bool read;
} RuleText;

/* A file of opgen's own, of which rules are parsed when an operator is asked for that they name. */
typedef struct RewriteText {
    RewriteFile *file;
    uint32_t order, layer;
    bool escapes;      /* in which a name may stand that is not found */
    bool walked, read; /* read: the whole of it, as it is not plain to see where its rules are */
    VEC(RuleText) rules;
} RewriteText;

struct RewriteTable {
    VEC(RewriteFolder) folders;
    VEC(RewriteText) texts;
    Map by_op; /* name of the last node's operator -> RewriteParts */
    Map rules; /* name -> the first part of the rule of this name */
    RewriteParts parts;
    VEC(Source *) files; /* that were read whole */
    uint32_t layer;
    uint32_t order; /* of the file that is read, or was read last: rules are tried in the order of their files */
    Str folder;     /* of the file that rewrites_read read last */
};

static RewriteTable *table_of(OpTable *table) {
    if (table->rewrites != NULL) return table->rewrites;
    table->rewrites = ARENA_NEW(table->arena, RewriteTable);
    map_init(&table->rewrites->by_op, table->arena);
    map_init(&table->rewrites->rules, table->arena);
    return table->rewrites;
}

void rewrites_add_folder(OpTable *table, Str folder, bool own) {
    *VEC_PUSH(table->arena, &table_of(table)->folders) = (RewriteFolder){folder, own, false};
}

/* ---- one file */

typedef struct Reading {
    const OpTable *table;
    RewriteTable *rewrites;
    RewriteFile *file;
    Diags *diags;
    bool whole; /* every rule is taken apart */
    bool all;   /* even those that one of another folder takes the place of */
} Reading;

static OpRead op_read_of(const Reading *reading, const Json *json) {
    return (OpRead){.arena = reading->table->arena,
                    .names = reading->table->names,
                    .diags = reading->diags,
                    .source = reading->file->source,
                    .decoded = &reading->file->decoded,
                    .op = NULL,
                    .json = json};
}

/* False: the rule is not to be looked at. */
static bool take_name(const Reading *reading, OpRead *read, const Json *json, Name *name) {
    RewriteTable *rewrites = reading->rewrites;
    const Json *text = op_get(json, "rewrite");
    if (text == NULL) {
        op_error(read, json, E_MISSING, "this rule has no \"rewrite\", which is its name");
        return false;
    }
    *name = op_name_of(read, text, "a rule");
    if (*name == NULL) return false;
    const RewritePart *before = map_get(&rewrites->rules, *name);
    if (before == NULL) return true;
    if (before->layer == rewrites->layer) {
        Diag *diag = op_error(read, text, E_DUPLICATE, "the rule %Q is there already", name_str(*name));
        diag_note(reading->diags, diag, span(before->file->source, before->json->from, before->json->from + 1),
                  "the first one");
        return false;
    }
    return reading->all;
}

/* Whether its file is before the other's, or it stands before the other in the same file. */
static bool is_before(const RewritePart *part, const RewritePart *other) {
    return part->order != other->order ? part->order < other->order : part->json->from < other->json->from;
}

static void add_part(const Reading *reading, Name name, const Json *json, const Json *match) {
    const OpTable *table = reading->table;
    RewriteTable *rewrites = reading->rewrites;
    RewritePart *part = ARENA_NEW(table->arena, RewritePart);
    *part = (RewritePart){.file = reading->file,
                          .json = json,
                          .match = match,
                          .name = name,
                          .layer = rewrites->layer,
                          .order = rewrites->order};
    for (uint32_t i = 0; match != NULL && match->kind == JSON_ARRAY && i < match->as.array.n; i++) {
        const Json *op = op_get(&match->as.array.items[i], "op");
        if (op != NULL && op->kind == JSON_STRING)
            *VEC_PUSH(table->arena, &part->ops) = names_get(table->names, op->as.s);
    }
    if (map_get(&rewrites->rules, name) == NULL) map_set(&rewrites->rules, name, part);
    if (match == NULL) return; /* a rule that is off keeps those of its name away */
    *VEC_PUSH(table->arena, &rewrites->parts) = part;
    if (reading->whole) {
        part->read = true;
        part->rewrite = rewrite_read(table, part, reading->diags);
    }
    if (part->ops.n == 0) return;
    RewriteParts *parts = map_get(&rewrites->by_op, VEC_LAST(&part->ops));
    if (parts == NULL) {
        parts = ARENA_NEW(table->arena, RewriteParts);
        map_set(&rewrites->by_op, VEC_LAST(&part->ops), parts);
    }
    (void)VEC_PUSH(table->arena, parts);
    uint32_t at = parts->n - 1;
    for (; at > 0 && is_before(part, parts->items[at - 1]); at--)
        parts->items[at] = parts->items[at - 1];
    parts->items[at] = part;
}

static void add_rule(const Reading *reading, const Json *json) {
    OpRead read = op_read_of(reading, json);
    if (json->kind != JSON_OBJECT) {
        op_error(&read, json, E_JSON_TYPE, "a rule is an object, but this is %s", json_kind_name(json->kind));
        return;
    }
    Name name;
    if (!take_name(reading, &read, json, &name)) return;
    if (reading->whole) rewrite_check_keys(&read);
    const Json *off = op_get(json, "off"), *match = op_get(json, "match");
    if (off != NULL && off->kind == JSON_BOOL && off->as.b) match = NULL;
    bool several = match != NULL && match->kind == JSON_ARRAY && match->as.array.n > 0 &&
                   match->as.array.items[0].kind == JSON_ARRAY;
    if (!several) {
        add_part(reading, name, json, match);
        return;
    }
    for (uint32_t i = 0; i < match->as.array.n; i++)
        add_part(reading, name, json, &match->as.array.items[i]);
}

static void read_file(const OpTable *table, Source *source, bool whole, bool all, Diags *diags) {
    const Json *json = json_parse(table->arena, table->names, source, diags);
    if (json == NULL) return;
    RewriteFile *file = ARENA_NEW(table->arena, RewriteFile);
    file->source = source;
    if (whole) *VEC_PUSH(table->arena, &table->rewrites->files) = source;
    Reading reading = {table, table->rewrites, file, diags, whole, all};
    const Json *rules = op_get(json, "rewrites");
    if (rules == NULL) {
        add_rule(&reading, json);
        return;
    }
    OpRead read = op_read_of(&reading, json);
    op_keys(&read, json, "a file of rules", "rewrites doc $schema");
    if (!op_want(&read, rules, JSON_ARRAY, "rewrites", "an array of rules")) return;
    for (uint32_t i = 0; i < rules->as.array.n; i++)
        add_rule(&reading, &rules->as.array.items[i]);
}

bool rewrites_read(OpTable *table, Source *source, Diags *diags) {
    uint32_t errors = diags->errors;
    RewriteTable *rewrites = table_of(table);
    size_t n = source->name.n;
    while (n > 0 && source->name.p[n - 1] != '/')
        n--;
    Str folder = str_sub(source->name, 0, n);
    if (!str_eq(folder, rewrites->folder)) rewrites->layer++;
    rewrites->folder = folder;
    rewrites->order++;
    read_file(table, source, true, true, diags);
    return diags->errors == errors;
}

bool rewrites_check(const OpTable *table, Diags *diags) {
    uint32_t errors = diags->errors;
    for (uint32_t i = 0; table->rewrites != NULL && i < table->rewrites->parts.n; i++) {
        RewritePart *part = table->rewrites->parts.items[i];
        if (part->rewrite != NULL) rewrite_check(table, part->rewrite, diags);
    }
    return diags->errors == errors;
}

/* ---- folders */

static void add_text(const OpTable *table, Source *source) {
    RewriteTable *rewrites = table->rewrites;
    RewriteFile *file = ARENA_NEW(table->arena, RewriteFile);
    file->source = source;
    *VEC_PUSH(table->arena, &rewrites->texts) = (RewriteText){.file = file,
                                                              .order = rewrites->order,
                                                              .layer = rewrites->layer,
                                                              .escapes = str_find_char(source->text, '\\') != STR_NONE};
}

static void read_folder(const OpTable *table, RewriteFolder *folder, Diags *diags) {
    FolderEntries entries = {0};
    Span nowhere = span(NULL, 0, 0);
    RewriteTable *rewrites = table->rewrites;
    folder->read = true;
    rewrites->layer++;
    if (!folder_exists(table->arena, folder->path)) return;
    if (!folder_list(table->arena, folder->path, nowhere, diags, &entries)) return;
    uint32_t first = rewrites->parts.n;
    for (uint32_t i = 0; i < entries.n; i++) {
        Str name = entries.items[i].name;
        if (entries.items[i].is_folder || !str_ends(name, S(".json")) || str_ends(name, S(".schema.json"))) continue;
        Source *source = file_read_text(table->arena, path_join(table->arena, folder->path, name), nowhere, diags);
        rewrites->order++;
        if (source == NULL) continue;
        if (folder->own)
            add_text(table, source);
        else
            read_file(table, source, true, false, diags);
    }
    for (uint32_t i = first; i < rewrites->parts.n; i++)
        if (rewrites->parts.items[i]->rewrite != NULL) rewrite_check(table, rewrites->parts.items[i]->rewrite, diags);
}

bool rewrites_load(const OpTable *table, Diags *diags) {
    uint32_t errors = diags->errors;
    for (uint32_t i = 0; table->rewrites != NULL && i < table->rewrites->folders.n; i++)
        if (!table->rewrites->folders.items[i].read) read_folder(table, &table->rewrites->folders.items[i], diags);
    return diags->errors == errors;
}

/* False where it is not plain to see where each rule of "rewrites" begins and ends. */
static bool walk_rules(Arena *arena, RewriteText *text) {
    const char *from = text->file->source->text.p;
    JsonWalk walk = {from, from + text->file->source->text.n};
    Str name;
    if (!json_walk_take(&walk, '{')) return false;
    for (bool first = true; json_walk_key(&walk, first, &name); first = false) {
        if (!str_eq(name, S("rewrites"))) {
            if (!json_walk_skip(&walk)) return false;
            continue;
        }
        if (text->rules.n > 0 || !json_walk_take(&walk, '[')) return false;
        do {
            if (json_walk_next(&walk) != '{') return false;
            const char *rule = walk.p;
            if (!json_walk_skip(&walk)) return false;
            *VEC_PUSH(arena, &text->rules) = (RuleText){(uint32_t)(rule - from), (uint32_t)(walk.p - from), false};
        } while (json_walk_take(&walk, ','));
        if (!json_walk_take(&walk, ']')) return false;
    }
    return text->rules.n > 0 && json_walk_take(&walk, '}') && json_walk_next(&walk) == '\0';
}

/* Those that may name what is in these quotes. */
static void read_rules(const OpTable *table, RewriteText *text, Str quoted, Diags *diags) {
    Source *source = text->file->source;
    Reading reading = {table, table->rewrites, text->file, diags, false, false};
    for (uint32_t i = 0; i < text->rules.n; i++) {
        RuleText *rule = &text->rules.items[i];
        Str there = str_sub(source->text, rule->from, rule->to);
        if (rule->read || (!text->escapes && str_find(there, quoted) == STR_NONE)) continue;
        rule->read = true;
        const Json *json = json_parse_part(table->arena, table->names, source, rule->from, rule->to, diags);
        if (json != NULL) add_rule(&reading, json);
    }
}

bool rewrites_want(const OpTable *table, Name op, Diags *diags) {
    uint32_t errors = diags->errors;
    RewriteTable *rewrites = table->rewrites;
    Str quoted = str_format(table->arena, "\"%S\"", name_str(op));
    for (uint32_t i = 0; rewrites != NULL && i < rewrites->texts.n; i++) {
        RewriteText *text = &rewrites->texts.items[i];
        if (text->read || (!text->escapes && str_find(text->file->source->text, quoted) == STR_NONE)) continue;
        const uint32_t layer = rewrites->layer, order = rewrites->order;
        rewrites->layer = text->layer, rewrites->order = text->order;
        if (!text->walked) text->read = !walk_rules(table->arena, text);
        text->walked = true;
        if (text->read)
            read_file(table, text->file->source, false, false, diags);
        else
            read_rules(table, text, quoted, diags);
        rewrites->layer = layer, rewrites->order = order;
    }
    return diags->errors == errors;
}

/* ---- asked for */

const RewriteParts *rewrites_of(const OpTable *table, Name op) {
    return table->rewrites == NULL ? NULL : map_get(&table->rewrites->by_op, op);
}

const Name *rewrite_operators(const RewritePart *part, uint32_t *n) {
    *n = part->ops.n;
    return part->ops.items;
}

static bool is_within(const OpTable *table, Name name, Str folder) {
    const OpDef *op = name == NULL ? NULL : optable_get(table, name);
    return op != NULL && op->source != NULL && str_starts(op->source->name, folder);
}

/* Opgen's own rules are about its own operators. One of a project that has such a name may mean something else. */
static bool is_about_own(const OpTable *table, const RewritePart *part, const Rewrite *rewrite) {
    Str folder = part->file->source->name; /* FOLDER/rewrites/FILE */
    for (int up = 0; up < 2; up++) {
        while (folder.n > 0 && folder.p[folder.n - 1] == '/')
            folder.n--;
        while (folder.n > 0 && folder.p[folder.n - 1] != '/')
            folder.n--;
    }
    bool own = true;
    for (uint32_t i = 0; own && i < rewrite->nodes.n; i++)
        own = is_within(table, rewrite->nodes.items[i].name, folder);
    for (uint32_t i = 0; own && i < rewrite->made->steps.n; i++)
        own = is_within(table, rewrite->made->steps.items[i].op, folder);
    return own;
}

Rewrite *rewrite_get(const OpTable *table, RewritePart *part, Diags *diags) {
    if (!part->read) { /* one of opgen's own */
        part->read = true;
        part->rewrite = rewrite_read(table, part, diags);
        if (part->rewrite != NULL && !is_about_own(table, part, part->rewrite)) part->rewrite = NULL;
        if (part->rewrite != NULL) rewrite_check(table, part->rewrite, diags);
    }
    return part->rewrite != NULL && part->rewrite->good ? part->rewrite : NULL;
}

void rewrites_reset(const OpTable *table) {
    for (uint32_t i = 0; table->rewrites != NULL && i < table->rewrites->parts.n; i++)
        if (table->rewrites->parts.items[i]->rewrite != NULL) table->rewrites->parts.items[i]->rewrite->fired = 0;
}

const OpDef **rewrites_fired(const OpTable *table, Arena *arena, uint32_t *n) {
    uint32_t most = table->rewrites == NULL ? 0 : table->rewrites->parts.n;
    const OpDef **fired = ARENA_ARRAY(arena, const OpDef *, most + 1);
    *n = 0;
    for (uint32_t i = 0; i < most; i++) {
        const Rewrite *rewrite = table->rewrites->parts.items[i]->rewrite;
        bool again = *n > 0 && rewrite != NULL && fired[*n - 1]->name == rewrite->made->name;
        if (rewrite != NULL && rewrite->fired > 0 && !again) fired[(*n)++] = rewrite->made;
    }
    return fired;
}

Source **rewrites_files(const OpTable *table, Arena *arena, uint32_t *n) {
    *n = table->rewrites == NULL ? 0 : table->rewrites->files.n;
    return *n == 0 ? NULL : arena_copy(arena, table->rewrites->files.items, *n * sizeof(Source *));
}

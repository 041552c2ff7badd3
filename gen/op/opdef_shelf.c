/* opdef_shelf.c: a folder of operators that are read when they are asked for.
 *
 * Files are opened one after the other until the operator is found. Of each only the outline is looked at: where each
 * operator of "ops" begins and ends, its name, and whether it has an in-place form. A file in which that is not plain
 * to see is read as any other, which tells what is wrong.
 */
#include "op/opdef_inner.h"

#include "base/folder.h"
#include "json/walk.h"

typedef struct ShelfFile {
    Source *source;
    Source *decoded; /* see OpRead */
} ShelfFile;

/* An operator in its file. */
typedef struct ShelfPart {
    ShelfFile *file;
    uint32_t from, to;
    bool in_place; /* it may have an in-place form */
    bool read;
    OpDef *op, *form; /* once read; NULL: it is wrong, or has none */
} ShelfPart;

struct OpShelf {
    OpTable *table;
    Map parts; /* name -> ShelfPart, by the name of the in-place form as well */
    Diags *diags;
    VEC(Str) paths; /* of its files */
    uint32_t opened;
    uint32_t layer;
};

/* ---- the outline of a file */

typedef struct OpOutline {
    const char *text; /* the whole file's */
    uint32_t from, to;
    Str name;
    bool in_place;
} OpOutline;

static bool outline_operator(JsonWalk *walk, OpOutline *out) {
    if (json_walk_next(walk) != '{') return false;
    out->from = (uint32_t)(walk->p++ - out->text);
    out->name = S("");
    out->in_place = false;
    Str name;
    for (bool first = true; json_walk_key(walk, first, &name); first = false) {
        if (str_eq(name, S("op"))) {
            json_walk_next(walk);
            if (!json_walk_string(walk, &out->name)) return false;
            continue;
        }
        out->in_place = out->in_place || str_eq(name, S("in_place"));
        if (!json_walk_skip(walk)) return false;
    }
    if (!json_walk_take(walk, '}')) return false;
    out->to = (uint32_t)(walk->p - out->text);
    return out->name.n > 0;
}

static void add_part(const OpTable *table, ShelfFile *file, const OpOutline *outline) {
    ShelfPart *part = ARENA_NEW(table->arena, ShelfPart);
    *part = (ShelfPart){.file = file, .from = outline->from, .to = outline->to, .in_place = outline->in_place};
    Map *parts = &table->shelf->parts;
    Name name = names_get(table->names, outline->name), form = NULL;
    if (outline->in_place) form = names_get(table->names, str_format(table->arena, "%S_", outline->name));
    if (map_get(parts, name) == NULL) map_set(parts, name, part);
    if (form != NULL && map_get(parts, form) == NULL) map_set(parts, form, part);
}

/* False where the file does not look as it should; parts that were added by then do no harm, as the file's operators go
 * before those of the shelf. */
static bool shelve(const OpTable *table, Source *source) {
    ShelfFile *file = ARENA_NEW(table->arena, ShelfFile);
    file->source = source;
    JsonWalk walk = {source->text.p, source->text.p + source->text.n};
    Str name;
    bool found = false;
    if (!json_walk_take(&walk, '{')) return false;
    for (bool first = true; json_walk_key(&walk, first, &name); first = false) {
        if (!str_eq(name, S("ops")) || found) {
            if (!json_walk_skip(&walk)) return false;
            continue;
        }
        found = true;
        if (!json_walk_take(&walk, '[')) return false;
        do {
            OpOutline outline = {.text = source->text.p};
            if (!outline_operator(&walk, &outline)) return false;
            add_part(table, file, &outline);
        } while (json_walk_take(&walk, ','));
        if (!json_walk_take(&walk, ']')) return false;
    }
    return found && json_walk_take(&walk, '}') && json_walk_next(&walk) == '\0';
}

/* ---- reading */

/* A file that has no plain outline: all of it, into the table, where a later layer's operators stay. */
static void read_whole(OpTable *table, Source *source, Diags *diags) {
    const uint32_t layer = table->layer, before = table->ops.n;
    table->layer = table->shelf->layer;
    optable_read(table, source, diags);
    table->layer = layer;
    for (uint32_t i = before; i < table->ops.n; i++)
        op_check_steps(table, table->ops.entries[i].value, diags);
}

/* False: all are open. */
static bool open_next(OpShelf *shelf) {
    if (shelf->opened == shelf->paths.n) return false;
    Str path = shelf->paths.items[shelf->opened++];
    Source *source = file_read_text(shelf->table->arena, path, span(NULL, 0, 0), shelf->diags);
    if (source != NULL && !shelve(shelf->table, source)) read_whole(shelf->table, source, shelf->diags);
    return true;
}

static void read_part(const OpTable *table, ShelfPart *part) {
    Diags *diags = table->shelf->diags;
    part->read = true;
    OpRead read = {.arena = table->arena,
                   .names = table->names,
                   .diags = diags,
                   .source = part->file->source,
                   .decoded = &part->file->decoded,
                   .op = NULL,
                   .json =
                       json_parse_part(table->arena, table->names, part->file->source, part->from, part->to, diags)};
    if (read.json == NULL) return;
    part->op = op_read(&read);
    if (part->op == NULL) return;
    if (part->in_place) part->form = op_read_in_place(&read, part->op);
    op_check_steps(table, part->op, diags);
}

const OpDef *op_shelf_get(const OpTable *table, Name name) {
    OpShelf *shelf = table->shelf;
    ShelfPart *part = map_get(&shelf->parts, name);
    while (part == NULL && open_next(shelf)) {
        const OpDef *op = map_get(&table->ops, name); /* of a file that had to be read whole */
        if (op != NULL) return op;
        part = map_get(&shelf->parts, name);
    }
    if (part == NULL) return NULL;
    if (!part->read) read_part(table, part);
    if (part->op != NULL && part->op->name == name) return part->op;
    return part->form != NULL && part->form->name == name ? part->form : NULL;
}

uint32_t op_shelf_count(const OpTable *table) {
    while (open_next(table->shelf))
        continue;
    return table->shelf->parts.n;
}

void op_shelf_names(const OpTable *table, Str *names) {
    const Map *parts = &table->shelf->parts;
    for (uint32_t i = 0; i < parts->n; i++)
        names[i] = name_str(parts->entries[i].key);
}

bool optable_shelve_folder(OpTable *table, Str folder, Diags *diags) {
    FolderEntries entries = {0};
    if (!folder_list(table->arena, folder, span(NULL, 0, 0), diags, &entries)) return false;
    OpShelf *shelf = ARENA_NEW(table->arena, OpShelf);
    optable_layer(table);
    *shelf = (OpShelf){.table = table, .diags = diags, .layer = table->layer};
    map_init(&shelf->parts, table->arena);
    for (uint32_t i = 0; i < entries.n; i++) {
        Str name = entries.items[i].name;
        if (entries.items[i].is_folder || !str_ends(name, S(".json")) || str_ends(name, S(".schema.json"))) continue;
        *VEC_PUSH(table->arena, &shelf->paths) = path_join(table->arena, folder, name);
    }
    table->shelf = shelf;
    optable_layer(table);
    return true;
}

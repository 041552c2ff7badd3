/* list.c: `opgen list`, what operators and templates there are; as a table for people, as JSON for programs. */
#include "command/command.h"

#include "base/folder.h"

/* ---- tables */

enum { MOST_COLUMNS = 4 };

typedef struct Row {
    Str cells[MOST_COLUMNS];
} Row;

typedef VEC(Row) Rows;

/* Columns as wide as their widest cell; nothing behind the last one. */
static void table_out(Buf *out, const Rows *rows, unsigned columns) {
    size_t width[MOST_COLUMNS] = {0};
    for (uint32_t i = 0; i < rows->n; i++) {
        for (unsigned k = 0; k + 1 < columns; k++) {
            size_t n = str_count(rows->items[i].cells[k]);
            if (n > width[k]) width[k] = n;
        }
    }
    for (uint32_t i = 0; i < rows->n; i++) {
        size_t from = out->n;
        for (unsigned k = 0; k < columns; k++) {
            Str cell = rows->items[i].cells[k];
            buf_add(out, cell);
            if (k + 1 < columns) buf_fill(out, ' ', width[k] + 2 - str_count(cell));
        }
        while (out->n > from && out->p[out->n - 1] == ' ')
            out->n--;
        buf_char(out, '\n');
    }
}

static void sort(Row *items, Row *room, uint32_t n) {
    if (n < 2) return;
    uint32_t half = n / 2;
    sort(items, room, half);
    sort(items + half, room, n - half);
    memcpy(room, items, half * sizeof *items);
    for (uint32_t i = 0, j = half, to = 0; i < half;)
        items[to++] = j < n && str_cmp(items[j].cells[0], room[i].cells[0]) < 0 ? items[j++] : room[i++];
}

static void print_rows(Command *command, Rows *rows, unsigned columns, const char *const *titles) {
    Arena *arena = command->arena;
    Buf out;
    buf_init(&out, arena);
    if (rows->n > 0) sort(rows->items, ARENA_ARRAY(arena, Row, rows->n), rows->n);
    if (!command->options.values[OPT_JSON].given) {
        table_out(&out, rows, columns);
        command_print(command, buf_str(&out));
        return;
    }
    buf_add(&out, S("["));
    for (uint32_t i = 0; i < rows->n; i++) {
        buf_add(&out, i == 0 ? S("\n  {") : S(",\n  {"));
        for (unsigned k = 0; k < columns; k++) {
            buf_format(&out, k == 0 ? "\"%s\": " : ", \"%s\": ", titles[k]);
            buf_json(&out, rows->items[i].cells[k]);
        }
        buf_char(&out, '}');
    }
    buf_add(&out, rows->n > 0 ? S("\n]\n") : S("]\n"));
    command_print(command, buf_str(&out));
}

/* ---- operators */

/* "x, weight, bias?, tensors..." */
static Str inputs_of(Arena *arena, const OpDef *op) {
    Buf out;
    buf_init(&out, arena);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const OpInput *input = &op->inputs.items[i];
        buf_format(&out, i == 0 ? "%S%s%s" : ", %S%s%s", name_str(input->name), input->list ? "..." : "",
                   input->optional ? "?" : "");
    }
    return buf_str(&out);
}

static void list_operators(Command *command) {
    static const char *const titles[] = {"name", "kind", "inputs", "doc"};
    Names names;
    OpTable table;
    names_init(&names, command->arena);
    if (!command_operators(command, &names, &table)) return;
    Rows rows = {0};
    for (uint32_t i = 0; i < table.ops.n; i++) {
        const OpDef *op = table.ops.entries[i].value;
        Str doc = op->base == NULL ? op->doc : str_format(command->arena, "%S, in place", name_str(op->base->name));
        *VEC_PUSH(command->arena, &rows) =
            (Row){{name_str(op->name), str_c(op_kind_name(op->kind)), inputs_of(command->arena, op), doc}};
    }
    print_rows(command, &rows, 4, titles);
}

/* ---- templates */

enum { TEMPLATE_DEPTH = 4 };

static void add_templates(Command *command, Str root, Str below, unsigned depth, Rows *rows) {
    FolderEntries entries = {0};
    Str folder = path_join(command->arena, root, below);
    if (below.n == 0) folder = root;
    if (!folder_list(command->arena, folder, span(NULL, 0, 0), &command->diags, &entries)) return;
    for (uint32_t i = 0; i < entries.n; i++) {
        Str name = entries.items[i].name, path = path_join(command->arena, below, name);
        if (entries.items[i].is_folder && depth > 1) {
            add_templates(command, root, path, depth - 1, rows);
        } else if (!entries.items[i].is_folder && str_ends(name, S(".j2"))) {
            size_t slash = str_find_char(path, '/');
            Str backend = slash == STR_NONE ? S("") : str_sub(path, 0, slash);
            Str stem = str_sub(path, slash == STR_NONE ? 0 : slash + 1, path.n - (sizeof ".j2" - 1));
            *VEC_PUSH(command->arena, rows) = (Row){{stem, backend, path_join(command->arena, root, path), S("")}};
        }
    }
}

static void list_templates(Command *command) {
    static const char *const titles[] = {"name", "backend", "path"};
    const OptionValue *include = &command->options.values[OPT_INCLUDE];
    Rows rows = {0};
    command_check_includes(command);
    for (uint32_t i = 0; i < include->all.n; i++) {
        if (folder_exists(command->arena, include->all.items[i]))
            add_templates(command, include->all.items[i], S(""), TEMPLATE_DEPTH, &rows);
    }
    Str own = command_data(command, "templates");
    if (own.n > 0) add_templates(command, own, S(""), TEMPLATE_DEPTH, &rows);
    if (command->diags.errors == 0) print_rows(command, &rows, 3, titles);
}

void command_list(Command *command) {
    if (str_eq(command->options.operands[0], S("ops")))
        list_operators(command);
    else
        list_templates(command);
}

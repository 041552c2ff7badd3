/* graph_memory.c: `opgen graph --memory`, where tensors lie in a run's memory and from which call to which, as text and
 * as JSON; picture_memory.c draws it. */
#include "command/graph.h"
#include "command/graph_arena.h"

static Str type_of(Arena *arena, const Tensor *tensor) {
    Buf out;
    buf_init(&out, arena);
    buf_format(&out, "%s", dtype_name(tensor->type.dtype));
    rule_print_shape(&out, tensor->type.shape);
    return buf_str(&out);
}

/* ---- text ---------------------------------------------------------------------------------------------------------
 */

typedef struct Column {
    Str title;
    size_t width;
    bool right;
} Column;

enum { MOST_CELLS = 5 };

static void write_cells(Buf *out, const Column *columns, unsigned n, const Str *cells) {
    for (unsigned k = 0; k < n; k++) {
        size_t blanks = columns[k].width - str_count(cells[k]);
        if (columns[k].right) buf_fill(out, ' ', blanks);
        buf_add(out, cells[k]);
        if (!columns[k].right && k + 1 < n) buf_fill(out, ' ', blanks);
        buf_add(out, k + 1 < n ? S("  ") : S("\n"));
    }
}

typedef struct Cells {
    Str text[MOST_CELLS];
} Cells;
typedef VEC(Cells) Table;

static void write_table(Buf *out, Column *columns, unsigned n, const Table *table) {
    Str titles[MOST_CELLS];
    for (unsigned k = 0; k < n; k++) {
        titles[k] = columns[k].title;
        columns[k].width = str_count(titles[k]);
        for (uint32_t i = 0; i < table->n; i++) {
            size_t width = str_count(table->items[i].text[k]);
            if (width > columns[k].width) columns[k].width = width;
        }
    }
    write_cells(out, columns, n, titles);
    for (uint32_t i = 0; i < table->n; i++)
        write_cells(out, columns, n, table->items[i].text);
}

/* h f32(n, 4); h2 in place from 3; v alias */
static Str tensors_of(Arena *arena, const ArenaSlot *slot) {
    Buf out;
    buf_init(&out, arena);
    for (uint32_t i = 0; i < slot->tensors.n; i++) {
        const ArenaTensor *tensor = &slot->tensors.items[i];
        if (i > 0) buf_add(&out, S("; "));
        buf_add(&out, arena_name(arena, tensor));
        if (tensor->tensor != NULL) buf_format(&out, " %S", type_of(arena, tensor->tensor));
        if (tensor->how == ARENA_ALIAS) buf_add(&out, S(" alias"));
        if (tensor->how == ARENA_IN_PLACE) buf_format(&out, " in place from %u", (unsigned)tensor->first);
    }
    return buf_str(&out);
}

static void write_text(const ArenaUse *use, Buf *out) {
    Arena *arena = use->arena;
    const Plan *plan = use->plan;
    Str dims = arena_for(use);
    buf_format(out, "model %S%s%S\n", name_str(plan->graph->name), dims.n > 0 ? " for " : "", dims);
    buf_format(out, "arena %lld bytes (%S)", (long long)plan->arena_planned, arena_size(arena, plan->arena_planned));
    if (use->most > 0)
        buf_format(out, ", %.2f %% above the %lld that live at call %u, the largest sum", arena_above(use),
                   (long long)use->most, (unsigned)use->most_at);
    buf_char(out, '\n');
    if (plan->folded_bytes > 0)
        buf_format(out, "kept with the weights %lld bytes (%S)\n", (long long)plan->folded_bytes,
                   arena_size(arena, plan->folded_bytes));
    Table slots = {0}, calls = {0};
    for (uint32_t s = 0; s < plan->slots.n; s++) {
        const Slot *slot = &plan->slots.items[s];
        *VEC_PUSH(arena, &slots) =
            (Cells){{str_format(arena, "%u", (unsigned)s), str_format(arena, "%lld", (long long)slot->offset),
                     str_format(arena, "%lld", (long long)slot->planned),
                     str_format(arena, "%u..%u", (unsigned)slot->first, (unsigned)slot->last),
                     tensors_of(arena, &use->slots[s])}};
    }
    for (uint32_t c = 0; c < use->calls; c++)
        *VEC_PUSH(arena, &calls) =
            (Cells){{str_format(arena, "%u", (unsigned)c), str_format(arena, "%lld", (long long)use->lives[c]),
                     arena_call(arena, &plan->calls.items[c])}};
    Column slot_columns[] = {{S("slot"), 0, true},
                             {S("offset"), 0, true},
                             {S("bytes"), 0, true},
                             {S("calls"), 0, false},
                             {S("tensors"), 0, false}};
    Column call_columns[] = {{S("call"), 0, true}, {S("lives"), 0, true}, {S("function"), 0, false}};
    buf_char(out, '\n');
    write_table(out, slot_columns, 5, &slots);
    buf_char(out, '\n');
    write_table(out, call_columns, 3, &calls);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------
 */

static void slot_json(const ArenaUse *use, uint32_t s, Buf *out) {
    const Slot *slot = &use->plan->slots.items[s];
    buf_format(out, "%s\n  {\"offset\": %lld, \"bytes\": %lld, \"first\": %u, \"last\": %u, \"tensors\": [",
               s == 0 ? "" : ",", (long long)slot->offset, (long long)slot->planned, (unsigned)slot->first,
               (unsigned)slot->last);
    for (uint32_t i = 0; i < use->slots[s].tensors.n; i++) {
        const ArenaTensor *tensor = &use->slots[s].tensors.items[i];
        buf_add(out, i == 0 ? S("{\"name\": ") : S(", {\"name\": "));
        buf_json(out, tensor->tensor != NULL ? name_str(tensor->tensor->name) : arena_call(use->arena, tensor->call));
        buf_format(out, ", \"how\": \"%s\", \"first\": %u, \"last\": %u}", arena_how(tensor->how),
                   (unsigned)tensor->first, (unsigned)tensor->last);
    }
    buf_add(out, S("]}"));
}

static void write_json(const ArenaUse *use, Buf *out) {
    const Plan *plan = use->plan;
    buf_add(out, S("{\"model\": "));
    buf_json(out, name_str(plan->graph->name));
    buf_add(out, S(", \"for\": {"));
    for (uint32_t i = 0; i < plan->planned_dims.n; i++) {
        if (i > 0) buf_add(out, S(", "));
        buf_json(out, name_str(plan->graph->dims.items[i].name));
        buf_format(out, ": %lld", (long long)plan->planned_dims.items[i]);
    }
    buf_format(out, "},\n \"arena\": %lld, \"largest_sum\": %lld, \"at\": %u, \"above_percent\": %.4f,",
               (long long)plan->arena_planned, (long long)use->most, (unsigned)use->most_at, arena_above(use));
    buf_format(out, " \"kept_with_weights\": %lld,\n \"slots\": [", (long long)plan->folded_bytes);
    for (uint32_t s = 0; s < plan->slots.n; s++)
        slot_json(use, s, out);
    buf_add(out, S("],\n \"calls\": ["));
    for (uint32_t c = 0; c < use->calls; c++) {
        buf_add(out, c == 0 ? S("\n  {\"function\": ") : S(",\n  {\"function\": "));
        buf_json(out, arena_call(use->arena, &plan->calls.items[c]));
        buf_format(out, ", \"lives\": %lld}", (long long)use->lives[c]);
    }
    buf_add(out, S("]}\n"));
}

bool graph_memory(Command *command, Models *models, Buf *out) {
    const OptionValue *values = command->options.values;
    if (!models_emit(models, values[OPT_BACKEND].text)) return false;
    const Plan *plan = &models->items.items[0].files.plan;
    ArenaUse use;
    arena_use(command->arena, plan, &use);
    if (values[OPT_SVG].given)
        picture_of_memory(command->arena, &use, out);
    else if (values[OPT_JSON].given)
        write_json(&use, out);
    else
        write_text(&use, out);
    return true;
}

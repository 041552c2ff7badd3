/* rows.c: tables, as text and as JSON. */
#include "command/rows.h"

void rows_text(Buf *out, const Rows *rows, unsigned columns, unsigned indent) {
    size_t width[MOST_COLUMNS] = {0};
    for (uint32_t i = 0; i < rows->n; i++) {
        for (unsigned k = 0; k + 1 < columns; k++) {
            size_t n = str_count(rows->items[i].cells[k]);
            if (n > width[k]) width[k] = n;
        }
    }
    for (uint32_t i = 0; i < rows->n; i++) {
        size_t from = out->n;
        buf_fill(out, ' ', indent);
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

void rows_align(Arena *arena, Rows *rows, unsigned first, unsigned columns) {
    for (unsigned k = first; k < columns; k++) {
        size_t width = 0;
        for (uint32_t i = 0; i < rows->n; i++)
            if (rows->items[i].cells[k].n > width) width = rows->items[i].cells[k].n;
        for (uint32_t i = 0; i < rows->n; i++) {
            Buf out;
            buf_init(&out, arena);
            buf_fill(&out, ' ', width - rows->items[i].cells[k].n);
            buf_add(&out, rows->items[i].cells[k]);
            rows->items[i].cells[k] = buf_str(&out);
        }
    }
}

void rows_json(Buf *out, const Rows *rows, unsigned columns, const char *const *titles) {
    buf_add(out, S("["));
    for (uint32_t i = 0; i < rows->n; i++) {
        buf_add(out, i == 0 ? S("\n  {") : S(",\n  {"));
        for (unsigned k = 0; k < columns; k++) {
            buf_format(out, k == 0 ? "\"%s\": " : ", \"%s\": ", titles[k]);
            buf_json(out, rows->items[i].cells[k]);
        }
        buf_char(out, '}');
    }
    buf_add(out, rows->n > 0 ? S("\n]") : S("]"));
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

void rows_sort(Arena *arena, Rows *rows) {
    if (rows->n > 0) sort(rows->items, ARENA_ARRAY(arena, Row, rows->n), rows->n);
}

void rows_print(Command *command, const Rows *rows, unsigned columns, const char *const *titles) {
    Buf out;
    buf_init(&out, command->arena);
    if (command->options.values[OPT_JSON].given) {
        rows_json(&out, rows, columns, titles);
        buf_char(&out, '\n');
    } else {
        rows_text(&out, rows, columns, 0);
    }
    command_print(command, buf_str(&out));
}

/* rows.h: what commands print as a table: columns for people, JSON for programs. */
#ifndef OPGEN_COMMAND_ROWS_H
#define OPGEN_COMMAND_ROWS_H

#include "command/command.h"

enum { MOST_COLUMNS = 12 };

typedef struct Row {
    Str cells[MOST_COLUMNS];
} Row;

typedef VEC(Row) Rows;

void rows_sort(Arena *arena, Rows *rows); /* by the first cell; what is equal stays in its order */
/* Columns as wide as their widest cell, each line behind `indent` blanks; nothing behind the last one. */
void rows_text(Buf *out, const Rows *rows, unsigned columns, unsigned indent);
/* Cells of the columns from `first` on end at one place, as numbers should. */
void rows_align(Arena *arena, Rows *rows, unsigned first, unsigned columns);
/* A list of objects, whose members have the titles as names and are text. */
void rows_json(Buf *out, const Rows *rows, unsigned columns, const char *const *titles);
/* One or the other, as --json says. */
void rows_print(Command *command, const Rows *rows, unsigned columns, const char *const *titles);

#endif

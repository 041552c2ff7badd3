/* diag_formats.h: what the renderers of findings share; for diag*.c only. */
#ifndef OPGEN_BASE_DIAG_FORMATS_H
#define OPGEN_BASE_DIAG_FORMATS_H

#include "diag.h"

/* Findings in the order to be shown, and what of them was not kept. */
typedef struct DiagList {
    Arena *arena;
    Diag **items;
    uint32_t n;
    uint32_t errors_left_out, warnings_left_out;
} DiagList;

void diag_render_json(const DiagList *list, Buf *out);
void diag_render_github(const DiagList *list, Buf *out);
void diag_render_sarif(const DiagList *list, Buf *out);

Str diag_level_name(DiagLevel level);
/* Text for a terminal: nothing in it moves the cursor, changes colours or reorders what is read. */
void diag_show(Buf *out, Str text);
bool diag_is_harmful(uint32_t code);
/* `12 more errors are not shown`; empty if nothing was left out. */
Str diag_left_out(const DiagList *list);

#endif

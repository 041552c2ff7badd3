/* layout.h: where the boxes and wires of a picture go: layers from top to bottom, few crossings, wires that are
 * straight.
 *
 * A box has a size; a wire leads from the bottom of one box to the tops of others, which stand behind it in the list of
 * boxes. What comes out is the same on every machine: all is computed in integers.
 */
#ifndef OPGEN_COMMAND_LAYOUT_H
#define OPGEN_COMMAND_LAYOUT_H

#include "base/vec.h"

typedef struct LayoutBox {
    int32_t width, height;
    int32_t beyond; /* how far to the right of it a label below it reaches */
    bool late;      /* it has no wire that leads to it: it goes right above the first box that it leads to */
    bool last;      /* it goes into the last layer; no wire leaves it */
    /* found */
    uint32_t layer;
    int32_t x, y; /* left, top */
} LayoutBox;

typedef struct LayoutEnd {
    uint32_t box;
    int32_t at; /* from its left edge */
} LayoutEnd;

typedef struct LayoutWire {
    uint32_t from;
    int32_t at; /* from its left edge */
    LayoutEnd *ends;
    uint32_t end_count;
    /* found: where it goes through the layers behind its box's, as many as it has to pass; 0: it goes straight */
    int32_t *through;
    uint32_t through_count;
} LayoutWire;

typedef struct LayoutLayer {
    int32_t top, bottom;
} LayoutLayer;

typedef struct Layout {
    LayoutBox *boxes;
    uint32_t box_count;
    LayoutWire *wires;
    uint32_t wire_count;
    int32_t gap_x, gap_y; /* between boxes of a layer, between layers */
    /* found */
    LayoutLayer *layers;
    uint32_t layer_count;
    int32_t width, height;
} Layout;

void layout_find(Arena *arena, Layout *layout);

#endif

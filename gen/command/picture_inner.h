/* picture_inner.h: what the files that draw pictures share; for picture*.c alone. */
#ifndef OPGEN_COMMAND_PICTURE_INNER_H
#define OPGEN_COMMAND_PICTURE_INNER_H

#include "command/layout.h"
#include "command/picture.h"

enum {
    PICTURE_MARGIN = 24,
    PICTURE_HEAD = 34,  /* the title's height */
    PICTURE_LETTER = 7, /* width, at the size in the style */
    PICTURE_LINE = 16,  /* height */
    PICTURE_PAD = 8,    /* around a box's text */
    PICTURE_GAP_X = 28, /* between boxes */
    PICTURE_GAP_Y = 58, /* between layers: a tensor's name and type stand in it */
    PICTURE_LABEL = 13, /* a label's height */
};

typedef struct Picture Picture;

typedef struct BoxLine {
    const char *style;
    Str text;
} BoxLine;

/* Where a wire begins or ends: so far from the box's left edge, or wherever there is room where `at` is negative. */
typedef struct BoxEnd {
    const Tensor *tensor;
    int32_t at;
} BoxEnd;

typedef struct Box {
    const char *style; /* its class: input, output, frame, or a kind of operators */
    VEC(BoxLine) lines;
    VEC(BoxEnd) reads, makes;
    bool labels;    /* its wires have labels */
    bool edge;      /* stands in the first layer if it makes something, in the last if it reads */
    Picture *inner; /* what is within it, or NULL */
    Str tip;
} Box;

typedef struct Port {
    const Tensor *tensor;
    uint32_t box;
    Str label;
    int32_t at; /* from the box's left edge */
    bool fixed; /* and nowhere else */
} Port;

struct Picture {
    Arena *arena;
    VEC(Box) boxes;
    Layout layout;
    Port *ports;       /* a wire each, in their order */
    uint32_t *port_of; /* by the tensor's number, from 1; shared with the pictures within, all 0 in between */
};

/* ---- picture_boxes.c */
void picture_text(Buf *out, Str text); /* as XML wants it */
int32_t picture_width(Str text);
Str picture_type(Arena *arena, const Tensor *tensor);   /* f32(n, 4) */
Str picture_tensor(Arena *arena, const Tensor *tensor); /* h f32(n, 4) */
void picture_line(Arena *arena, Box *box, const char *style, Str text);
void picture_init(Picture *picture, Arena *arena, uint32_t *port_of);
Box *picture_add_tensor(Picture *picture, bool input, const Tensor *tensor, Str name);
Box *picture_add_node(Picture *picture, const Node *node);
/* All boxes are there, those that make a tensor before those that read it: wires, sizes and places. */
void picture_find(Picture *picture);

/* ---- picture.c */
void picture_draw(const Picture *picture, Buf *out);
/* The whole file: what stands before and behind the pictures, which are drawn with their upper left corner at 0, 0. */
void picture_begin(Buf *out, int32_t width, int32_t height, Str title);
void picture_end(Buf *out);
void picture_make(Picture *picture, Arena *arena, const Graph *graph);

#endif

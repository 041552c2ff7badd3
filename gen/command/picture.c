/* picture.c: boxes and wires as SVG, and the picture of a graph. */
#include "command/picture_inner.h"

/* ---- drawing ------------------------------------------------------------------------------------------------------
 */

static const char style[] =
    "text{font:11.5px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;"
    "fill:#1f2328}\n"
    ".title{font-size:15px;font-weight:600}\n"
    ".name{font-weight:600}\n"
    ".small,.label{fill:#57606a}\n"
    ".param{fill:#8a5a00}\n"
    ".label{font-size:10.5px;paint-order:stroke;stroke:#fff;stroke-width:3px}\n"
    "rect{rx:5px;stroke-width:1.2}\n"
    ".input rect{fill:#dafbe1;stroke:#2da44e}\n"
    ".output rect{fill:#ddf4ff;stroke:#218bff}\n"
    ".map rect{fill:#f6f8fa;stroke:#8c959f}\n"
    ".view rect{fill:#fff;stroke:#8c959f;stroke-dasharray:4 3}\n"
    ".reduce rect{fill:#fbefff;stroke:#a475f9}\n"
    ".kernel rect{fill:#fff8c5;stroke:#d4a72c}\n"
    ".port>rect{fill:#fff;stroke:#d0d7de}\n"
    ".frame>rect{fill:#eef4fb;stroke:#54aeff;stroke-width:1.6}\n"
    ".stage{font-size:14px;font-weight:600}\n"
    ".slot>rect{fill:#ddf4ff;stroke:#218bff;stroke-width:1;rx:0}\n"
    ".workspace>rect{fill:#fff8c5;stroke:#d4a72c;stroke-width:1;rx:0}\n"
    ".place{stroke:#218bff;stroke-dasharray:3 3}\n"
    ".sum{fill:none;stroke:#cf222e;stroke-width:1.6}\n"
    ".line{stroke:#d0d7de}\n"
    ".wire{fill:none;stroke:#8c959f;stroke-width:1.3}\n"
    "g:hover>rect{stroke-width:2.6}\n";

static void draw_box(const Picture *picture, uint32_t i, Buf *out) {
    const Box *box = &picture->boxes.items[i];
    const LayoutBox *at = &picture->layout.boxes[i];
    buf_format(out, "<g class=\"%s\"><title>", box->style);
    picture_text(out, box->tip);
    buf_format(out, "</title><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", at->x, at->y, at->width,
               at->height);
    for (uint32_t k = 0; k < box->lines.n; k++) {
        buf_format(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", box->lines.items[k].style, at->x + PICTURE_PAD,
                   at->y + (int32_t)(k + 1) * PICTURE_LINE - 1);
        picture_text(out, box->lines.items[k].text);
        buf_add(out, S("</text>"));
    }
    if (box->inner != NULL) {
        buf_format(out, "<g transform=\"translate(%d,%d)\">\n", at->x + PICTURE_PAD,
                   at->y + (int32_t)box->lines.n * PICTURE_LINE + PICTURE_PAD);
        picture_draw(box->inner, out); /* nothing within it has anything within */
        buf_add(out, S("</g>"));
    }
    buf_add(out, S("</g>\n"));
}

/* From one height to another, leaving and coming straight. */
static void curve(Buf *out, int32_t x, int32_t from, int32_t to_x, int32_t to) {
    if (x == to_x)
        buf_format(out, "V%d", to);
    else
        buf_format(out, "C%d %d %d %d %d %d", x, (from + to) / 2, to_x, (from + to) / 2, to_x, to);
}

static void draw_wire(const Picture *picture, uint32_t i, Buf *out) {
    const Layout *layout = &picture->layout;
    const LayoutWire *wire = &layout->wires[i];
    const LayoutBox *from = &layout->boxes[wire->from];
    const LayoutLayer *layers = layout->layers;
    int32_t start = from->x + wire->at, bottom = layers[from->layer].bottom;
    if (wire->end_count == 0) return;
    buf_add(out, S("<path class=\"wire\" d=\""));
    /* What all ends share, once; then from there to each end. */
    int32_t x = start, y = from->y + from->height;
    buf_format(out, "M%d %d", x, y);
    if (y < bottom) buf_format(out, "V%d", bottom);
    y = bottom;
    for (uint32_t k = 0; k < wire->through_count; k++) {
        const LayoutLayer *layer = &layers[from->layer + 1 + k];
        curve(out, x, y, wire->through[k], layer->top);
        x = wire->through[k], y = layer->bottom;
        buf_format(out, "V%d", y);
    }
    for (uint32_t k = 0; k < wire->end_count; k++) {
        const LayoutBox *to = &layout->boxes[wire->ends[k].box];
        uint32_t passed = to->layer - from->layer - 1;
        bool bent = passed > 0 && passed <= wire->through_count;
        x = bent ? wire->through[passed - 1] : start;
        y = layers[bent ? to->layer - 1 : from->layer].bottom;
        buf_format(out, "M%d %d", x, y);
        curve(out, x, y, to->x + wire->ends[k].at, to->y);
    }
    buf_add(out, S("\"><title>"));
    picture_text(out, picture_tensor(picture->arena, picture->ports[i].tensor));
    buf_add(out, S("</title></path>\n"));
}

static void draw_label(const Picture *picture, uint32_t i, Buf *out) {
    const LayoutWire *wire = &picture->layout.wires[i];
    const LayoutBox *from = &picture->layout.boxes[wire->from];
    int32_t bottom = picture->layout.layers[from->layer].bottom; /* below all that stands beside the box */
    if (picture->ports[i].label.n == 0) return;
    buf_format(out, "<text class=\"label\" x=\"%d\" y=\"%d\">", from->x + wire->at + 4, bottom + PICTURE_LABEL);
    picture_text(out, picture->ports[i].label);
    buf_add(out, S("</text>\n"));
}

void picture_draw(const Picture *picture, Buf *out) {
    for (uint32_t i = 0; i < picture->layout.wire_count; i++)
        draw_wire(picture, i, out);
    for (uint32_t i = 0; i < picture->layout.box_count; i++)
        draw_box(picture, i, out);
    for (uint32_t i = 0; i < picture->layout.wire_count; i++)
        draw_label(picture, i, out);
}

Str picture_title(Arena *arena, const Graph *graph) {
    Buf out;
    buf_init(&out, arena);
    buf_format(&out, "%S", name_str(graph->name));
    for (uint32_t i = 0; i < graph->dims.n; i++) {
        const GraphDim *dim = &graph->dims.items[i];
        buf_format(&out, "%s%S ", i == 0 ? ": " : ", ", name_str(dim->name));
        if (dim->min == dim->max)
            buf_format(&out, "= %lld", (long long)dim->min);
        else
            buf_format(&out, "%lld..%lld", (long long)dim->min, (long long)dim->max);
    }
    return buf_str(&out);
}

void picture_begin(Buf *out, int32_t width, int32_t height, Str title) {
    int32_t titled = picture_width(title) * 3 / 2;
    width = (width > titled ? width : titled) + 2 * PICTURE_MARGIN;
    height += PICTURE_HEAD + 2 * PICTURE_MARGIN;
    int32_t left = -PICTURE_MARGIN, top = -PICTURE_MARGIN - PICTURE_HEAD;
    buf_format(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\">\n"
               "<style>\n%s</style>\n"
               "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
               "<text class=\"title\" x=\"0\" y=\"%d\">",
               width, height, left, top, width, height, style, left, top, width, height, 6 - PICTURE_MARGIN);
    picture_text(out, title);
    buf_add(out, S("</text>\n"));
}

void picture_end(Buf *out) { buf_add(out, S("</svg>\n")); }

void picture_make(Picture *picture, Arena *arena, const Graph *graph) {
    picture_init(picture, arena, ARENA_ARRAY(arena, uint32_t, (size_t)graph->tensors.n + 1));
    for (uint32_t i = 0; i < graph->inputs.n; i++)
        picture_add_tensor(picture, true, graph->inputs.items[i], name_str(graph->inputs.items[i]->name));
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        if (graph->nodes.items[i] != NULL) picture_add_node(picture, graph->nodes.items[i]);
    for (uint32_t i = 0; i < graph->outputs.n; i++)
        picture_add_tensor(picture, false, graph->outputs.items[i], name_str(graph->output_names.items[i]));
    picture_find(picture);
}

void picture_of_graph(Arena *arena, const Graph *graph, Buf *out) {
    Picture picture;
    picture_make(&picture, arena, graph);
    picture_begin(out, picture.layout.width, picture.layout.height, picture_title(arena, graph));
    picture_draw(&picture, out);
    picture_end(out);
}

/* picture.c: a graph as SVG.
 *
 * Letters have one width, so that boxes fit their text without anybody measuring it. Params stand in the boxes of the
 * nodes that read them, for as boxes of their own they would be half of the picture. What is cut for want of room is
 * whole in the box's tooltip.
 */
#include "command/picture.h"

#include "command/layout.h"

enum {
    MARGIN = 24,
    HEAD = 34,     /* the title's height */
    LETTER = 7,    /* width, at the size in the style below */
    LINE = 16,     /* height */
    PAD = 8,       /* around a box's text */
    GAP_X = 28,    /* between boxes */
    GAP_Y = 58,    /* between layers: a tensor's name and type stand in it */
    LABEL = 13,    /* a label's height */
    MOST_TEXT = 44 /* letters of a line */
};

typedef enum BoxKind { BOX_INPUT, BOX_OUTPUT, BOX_NODE } BoxKind;

typedef struct BoxLine {
    const char *style;
    Str text;
} BoxLine;

typedef struct Box {
    BoxKind kind;
    const Node *node;
    const Tensor *tensor; /* of an input or output */
    Name name;
    VEC(BoxLine) lines;
    Str tip;
} Box;

typedef struct Port {
    const Tensor *tensor;
    uint32_t box;
    Str label;
    int32_t at; /* from the box's left edge, where it is one of several */
} Port;

typedef struct Picture {
    Arena *arena;
    const Graph *graph;
    Buf *out;
    Box *boxes;
    Layout layout;
    Port *ports;       /* a wire each, in their order */
    uint32_t *port_of; /* by the tensor's number, from 1 */
} Picture;

/* ---- text ---------------------------------------------------------------------------------------------------------
 */

/* As XML wants it. What XML has no way to write becomes the mark for what cannot be shown. */
static void add_text(Buf *out, Str text) {
    for (size_t i = 0; i < text.n;) {
        unsigned size;
        uint32_t code = str_decode(text.p + i, text.p + text.n, &size);
        if (code == '&')
            buf_add(out, S("&amp;"));
        else if (code == '<')
            buf_add(out, S("&lt;"));
        else if (code == '>')
            buf_add(out, S("&gt;"));
        else if (code == '"')
            buf_add(out, S("&quot;"));
        else if ((code < ' ' && code != '\n') || code == 0x7f || (code & 0xfffe) == 0xfffe)
            buf_code(out, 0xfffd);
        else
            buf_code(out, code);
        i += size;
    }
}

/* On one line, and no longer than a line may be. */
static Str cut(Arena *arena, Str text) {
    Buf out;
    buf_init(&out, arena);
    uint32_t n = 0;
    for (size_t i = 0; i < text.n; n++) {
        unsigned size;
        uint32_t code = str_decode(text.p + i, text.p + text.n, &size);
        if (n + 1 >= MOST_TEXT && i + size < text.n) {
            buf_code(&out, 0x2026);
            break;
        }
        buf_code(&out, code == '\n' || code == '\t' ? ' ' : code);
        i += size;
    }
    return buf_str(&out);
}

static int32_t width_of(Str text) { return (int32_t)str_count(text) * LETTER; }

static Str type_of(Arena *arena, const Tensor *tensor) {
    Buf out;
    buf_init(&out, arena);
    buf_format(&out, "%s", dtype_name(tensor->type.dtype));
    rule_print_shape(&out, tensor->type.shape);
    return buf_str(&out);
}

static Str tensor_text(Arena *arena, const Tensor *tensor) {
    return str_format(arena, "%S %S", name_str(tensor->name), type_of(arena, tensor));
}

/* ---- what is in the boxes -----------------------------------------------------------------------------------------
 */

static void add_line(Picture *picture, Box *box, const char *style, Str text) {
    *VEC_PUSH(picture->arena, &box->lines) = (BoxLine){style, cut(picture->arena, text)};
}

static void tensor_box(Picture *picture, Box *box, BoxKind kind, const Tensor *tensor, Name name) {
    *box = (Box){.kind = kind, .tensor = tensor, .name = name};
    add_line(picture, box, "name", name_str(name));
    add_line(picture, box, "small", type_of(picture->arena, tensor));
    box->tip = str_format(picture->arena, "%s %S: %S", kind == BOX_INPUT ? "input" : "output", name_str(name),
                          type_of(picture->arena, tensor));
}

static void node_box(Picture *picture, Box *box, const Node *node) {
    Arena *arena = picture->arena;
    const OpDef *op = node->op;
    Buf tip;
    buf_init(&tip, arena);
    *box = (Box){.kind = BOX_NODE, .node = node};
    add_line(picture, box, "name", name_str(op->name));
    buf_format(&tip, "%S: %S", name_str(op->name), op->doc);
    for (const Node *from = node->origin; from != NULL; from = from->origin)
        buf_format(&tip, "\npart of %S", name_str(from->op->name));
    for (uint32_t i = 0; i < op->attrs.n; i++) {
        Buf text;
        buf_init(&text, arena);
        buf_format(&text, "%S = ", name_str(op->attrs.items[i].name));
        rule_print(&text, &node->attrs[i]);
        buf_format(&tip, "\n%S", buf_str(&text));
        /* Those that say something: what was left out is the usual. */
        if (node->attrs[i].kind != RULE_NONE) add_line(picture, box, "small", buf_str(&text));
    }
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const RuleScalar *scalar = graph_scalar(node, i);
        if (scalar != NULL) {
            Str text = str_format(arena, "%S: %S", name_str(op->inputs.items[i].name), scalar->text);
            buf_format(&tip, "\n%S", text);
            add_line(picture, box, "small", text);
        }
        for (uint32_t k = 0; k < node->counts[i]; k++) {
            const Tensor *tensor = node->inputs[i][k];
            Str name = name_str(op->inputs.items[i].name), text = tensor_text(arena, tensor);
            buf_format(&tip, "\n%S: %S", name, text);
            if (tensor->role == TENSOR_PARAM) add_line(picture, box, "param", str_format(arena, "%S: %S", name, text));
        }
    }
    for (uint32_t i = 0; i < node->output_n; i++) {
        if (node->outputs[i] != NULL) buf_format(&tip, "\nmakes %S", tensor_text(arena, node->outputs[i]));
    }
    box->tip = buf_str(&tip);
}

static uint32_t make_boxes(Picture *picture) {
    const Graph *graph = picture->graph;
    uint32_t n = 0, most = graph->inputs.n + graph->nodes.n + graph->outputs.n;
    picture->boxes = ARENA_ARRAY(picture->arena, Box, most);
    for (uint32_t i = 0; i < graph->inputs.n; i++, n++)
        tensor_box(picture, &picture->boxes[n], BOX_INPUT, graph->inputs.items[i], graph->inputs.items[i]->name);
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        if (graph->nodes.items[i] != NULL) node_box(picture, &picture->boxes[n++], graph->nodes.items[i]);
    }
    for (uint32_t i = 0; i < graph->outputs.n; i++, n++)
        tensor_box(picture, &picture->boxes[n], BOX_OUTPUT, graph->outputs.items[i], graph->output_names.items[i]);
    return n;
}

/* ---- wires --------------------------------------------------------------------------------------------------------
 */

static void add_port(Picture *picture, const Tensor *tensor, uint32_t box, uint32_t *n) {
    if (tensor == NULL) return;
    Str label = picture->boxes[box].kind == BOX_INPUT ? S("") : tensor_text(picture->arena, tensor);
    picture->ports[*n] = (Port){.tensor = tensor, .box = box, .label = cut(picture->arena, label)};
    picture->port_of[tensor->number] = ++*n;
}

/* A wire a tensor: those that are made, in the order of the boxes that make them. */
static void make_ports(Picture *picture, uint32_t boxes) {
    Arena *arena = picture->arena;
    uint32_t n = 0, tensors = picture->graph->tensors.n;
    picture->ports = ARENA_ARRAY(arena, Port, tensors);
    picture->port_of = ARENA_ARRAY(arena, uint32_t, tensors);
    for (uint32_t i = 0; i < boxes; i++) {
        const Box *box = &picture->boxes[i];
        if (box->kind == BOX_INPUT) add_port(picture, box->tensor, i, &n);
        for (uint32_t k = 0; box->kind == BOX_NODE && k < box->node->output_n; k++)
            add_port(picture, box->node->outputs[k], i, &n);
    }
    picture->layout.wire_count = n;
}

/* The wires that lead to the box, one for each place where it reads; how many. `ports` may be NULL. */
static uint32_t ends_of(const Picture *picture, const Box *box, uint32_t *ports) {
    uint32_t n = 0;
    if (box->kind == BOX_OUTPUT && picture->port_of[box->tensor->number] != 0) {
        if (ports != NULL) ports[n] = picture->port_of[box->tensor->number] - 1;
        return 1;
    }
    for (uint32_t i = 0; box->kind == BOX_NODE && i < box->node->op->inputs.n; i++) {
        for (uint32_t k = 0; k < box->node->counts[i]; k++) {
            uint32_t port = picture->port_of[box->node->inputs[i][k]->number];
            if (port == 0) continue;
            if (ports != NULL) ports[n] = port - 1;
            n++;
        }
    }
    return n;
}

static void make_wires(Picture *picture, uint32_t boxes) {
    Arena *arena = picture->arena;
    Layout *layout = &picture->layout;
    layout->wires = ARENA_ARRAY(arena, LayoutWire, layout->wire_count);
    uint32_t *ports = NULL, room = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < boxes; i++) {
            uint32_t n = ends_of(picture, &picture->boxes[i], NULL);
            if (n > room) ports = ARENA_ARRAY(arena, uint32_t, room = n * 2);
            ends_of(picture, &picture->boxes[i], ports);
            for (uint32_t k = 0; k < n; k++) {
                LayoutWire *wire = &layout->wires[ports[k]];
                int32_t at = (int32_t)((int64_t)layout->boxes[i].width * (k + 1) / (n + 1));
                if (pass == 1) wire->ends[wire->end_count] = (LayoutEnd){i, at};
                wire->end_count++;
            }
        }
        for (uint32_t i = 0; pass == 0 && i < layout->wire_count; i++) {
            layout->wires[i].ends = ARENA_ARRAY(arena, LayoutEnd, layout->wires[i].end_count);
            layout->wires[i].end_count = 0;
        }
    }
}

/* Whether no other wire leaves the box. */
static bool is_alone(const Picture *picture, uint32_t i) {
    const Port *ports = picture->ports;
    return (i == 0 || ports[i - 1].box != ports[i].box) &&
           (i + 1 == picture->layout.wire_count || ports[i + 1].box != ports[i].box);
}

/* Boxes are as wide as their text and as the labels of what leaves them, side by side. */
static void make_sizes(Picture *picture, uint32_t boxes) {
    Layout *layout = &picture->layout;
    layout->boxes = ARENA_ARRAY(picture->arena, LayoutBox, boxes);
    layout->box_count = boxes;
    int32_t *at = ARENA_ARRAY(picture->arena, int32_t, boxes);
    for (uint32_t i = 0; i < boxes; i++) {
        const Box *box = &picture->boxes[i];
        int32_t width = 0;
        for (uint32_t k = 0; k < box->lines.n; k++) {
            int32_t line = width_of(box->lines.items[k].text);
            if (line > width) width = line;
        }
        layout->boxes[i] = (LayoutBox){.width = width + 2 * PAD,
                                       .height = (int32_t)box->lines.n * LINE + PAD,
                                       .late = ends_of(picture, box, NULL) == 0};
        at[i] = PAD;
    }
    for (uint32_t i = 0; i < layout->wire_count; i++) {
        uint32_t box = picture->ports[i].box;
        picture->ports[i].at = at[box];
        at[box] += width_of(picture->ports[i].label) + 2 * PAD;
        if (!is_alone(picture, i) && at[box] > layout->boxes[box].width) layout->boxes[box].width = at[box];
    }
}

/* One wire leaves in the middle, with its label at its right. */
static void make_starts(Picture *picture) {
    Layout *layout = &picture->layout;
    for (uint32_t i = 0; i < layout->wire_count; i++) {
        const Port *port = &picture->ports[i];
        LayoutBox *box = &layout->boxes[port->box];
        layout->wires[i].from = port->box;
        layout->wires[i].at = is_alone(picture, i) ? box->width / 2 : port->at;
        int32_t reach = layout->wires[i].at + width_of(port->label) - box->width;
        if (port->label.n > 0 && reach > box->beyond) box->beyond = reach;
    }
}

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
    ".wire{fill:none;stroke:#8c959f;stroke-width:1.3}\n"
    "g:hover>rect{stroke-width:2.6}\n";

static const char *class_of(const Box *box) {
    return box->kind == BOX_INPUT ? "input" : box->kind == BOX_OUTPUT ? "output" : op_kind_name(box->node->op->kind);
}

static void draw_box(const Picture *picture, uint32_t i) {
    Buf *out = picture->out;
    const Box *box = &picture->boxes[i];
    const LayoutBox *at = &picture->layout.boxes[i];
    buf_format(out, "<g class=\"%s\"><title>", class_of(box));
    add_text(out, box->tip);
    buf_format(out, "</title><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", at->x, at->y, at->width,
               at->height);
    for (uint32_t k = 0; k < box->lines.n; k++) {
        buf_format(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", box->lines.items[k].style, at->x + PAD,
                   at->y + (int32_t)(k + 1) * LINE - 1);
        add_text(out, box->lines.items[k].text);
        buf_add(out, S("</text>"));
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

static void draw_wire(const Picture *picture, uint32_t i) {
    Buf *out = picture->out;
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
    add_text(out, tensor_text(picture->arena, picture->ports[i].tensor));
    buf_add(out, S("</title></path>\n"));
}

static void draw_label(const Picture *picture, uint32_t i) {
    const LayoutWire *wire = &picture->layout.wires[i];
    const LayoutBox *from = &picture->layout.boxes[wire->from];
    if (picture->ports[i].label.n == 0) return;
    buf_format(picture->out, "<text class=\"label\" x=\"%d\" y=\"%d\">", from->x + wire->at + 4,
               from->y + from->height + LABEL);
    add_text(picture->out, picture->ports[i].label);
    buf_add(picture->out, S("</text>\n"));
}

static Str title_of(Arena *arena, const Graph *graph) {
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

static void draw(const Picture *picture) {
    Buf *out = picture->out;
    const Layout *layout = &picture->layout;
    Str title = title_of(picture->arena, picture->graph);
    int32_t width = layout->width, titled = width_of(title) * 3 / 2;
    width = (width > titled ? width : titled) + 2 * MARGIN;
    int32_t height = layout->height + HEAD + 2 * MARGIN;
    buf_format(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\">\n"
               "<style>\n%s</style>\n"
               "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
               "<text class=\"title\" x=\"0\" y=\"%d\">",
               width, height, -MARGIN, -MARGIN - HEAD, width, height, style, -MARGIN, -MARGIN - HEAD, width, height,
               -MARGIN + 6);
    add_text(out, title);
    buf_add(out, S("</text>\n"));
    for (uint32_t i = 0; i < layout->wire_count; i++)
        draw_wire(picture, i);
    for (uint32_t i = 0; i < layout->box_count; i++)
        draw_box(picture, i);
    for (uint32_t i = 0; i < layout->wire_count; i++)
        draw_label(picture, i);
    buf_add(out, S("</svg>\n"));
}

void picture_of_graph(Arena *arena, const Graph *graph, Buf *out) {
    Picture picture = {.arena = arena, .graph = graph, .out = out, .layout = {.gap_x = GAP_X, .gap_y = GAP_Y}};
    uint32_t boxes = make_boxes(&picture);
    make_ports(&picture, boxes);
    make_sizes(&picture, boxes);
    make_wires(&picture, boxes);
    make_starts(&picture);
    layout_find(arena, &picture.layout);
    draw(&picture);
}

/* picture_boxes.c: what is in a picture: boxes with their lines, wires with their labels, and how large all of it is.
 *
 * Letters have one width, so that boxes fit their text without anybody measuring it. Params stand in the boxes of the
 * nodes that read them, for as boxes of their own they would be half of the picture. What is cut for want of room is
 * whole in the box's tooltip.
 */
#include "command/picture_inner.h"

enum { MOST_TEXT = 44 }; /* letters of a line */

/* ---- text ---------------------------------------------------------------------------------------------------------
 */

/* What XML has no way to write becomes the mark for what cannot be shown. */
void picture_text(Buf *out, Str text) {
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

int32_t picture_width(Str text) { return (int32_t)str_count(text) * PICTURE_LETTER; }

Str picture_type(Arena *arena, const Tensor *tensor) {
    Buf out;
    buf_init(&out, arena);
    buf_format(&out, "%s", dtype_name(tensor->type.dtype));
    rule_print_shape(&out, tensor->type.shape);
    return buf_str(&out);
}

Str picture_tensor(Arena *arena, const Tensor *tensor) {
    return str_format(arena, "%S %S", name_str(tensor->name), picture_type(arena, tensor));
}

/* ---- boxes --------------------------------------------------------------------------------------------------------
 */

void picture_line(Arena *arena, Box *box, const char *style, Str text) {
    *VEC_PUSH(arena, &box->lines) = (BoxLine){style, cut(arena, text)};
}

void picture_init(Picture *picture, Arena *arena, uint32_t *port_of) {
    *picture =
        (Picture){.arena = arena, .port_of = port_of, .layout = {.gap_x = PICTURE_GAP_X, .gap_y = PICTURE_GAP_Y}};
}

static Box *add_box(Picture *picture, const char *style) {
    Box *box = VEC_PUSH(picture->arena, &picture->boxes);
    *box = (Box){.style = style};
    return box;
}

Box *picture_add_tensor(Picture *picture, bool input, const Tensor *tensor, Str name) {
    Arena *arena = picture->arena;
    Box *box = add_box(picture, input ? "input" : "output");
    Str type = picture_type(arena, tensor);
    picture_line(arena, box, "name", name);
    picture_line(arena, box, "small", type);
    if (input && tensor->is_mutable) picture_line(arena, box, "small", S("changed by a run"));
    box->tip = str_format(arena, input && tensor->is_mutable ? "%s %S: %S, changed by a run" : "%s %S: %S", box->style,
                          name, type);
    if (input)
        *VEC_PUSH(arena, &box->makes) = (BoxEnd){tensor, -1};
    else
        *VEC_PUSH(arena, &box->reads) = (BoxEnd){tensor, -1};
    return box;
}

Box *picture_add_node(Picture *picture, const Node *node) {
    Arena *arena = picture->arena;
    const OpDef *op = node->op;
    Buf tip;
    buf_init(&tip, arena);
    Box *box = add_box(picture, op_kind_name(op->kind));
    box->labels = true;
    picture_line(arena, box, "name", name_str(op->name));
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
        if (node->attrs[i].kind != RULE_NONE) picture_line(arena, box, "small", buf_str(&text));
    }
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const RuleScalar *scalar = graph_scalar(node, i);
        if (scalar != NULL) {
            Str text = str_format(arena, "%S: %S", name_str(op->inputs.items[i].name), scalar->text);
            buf_format(&tip, "\n%S", text);
            picture_line(arena, box, "small", text);
        }
        for (uint32_t k = 0; k < node->counts[i]; k++) {
            const Tensor *tensor = node->inputs[i][k];
            Str name = name_str(op->inputs.items[i].name), text = picture_tensor(arena, tensor);
            buf_format(&tip, "\n%S: %S", name, text);
            if (tensor->role == TENSOR_PARAM)
                picture_line(arena, box, "param", str_format(arena, "%S: %S", name, text));
            *VEC_PUSH(arena, &box->reads) = (BoxEnd){tensor, -1};
        }
    }
    for (uint32_t i = 0; i < node->output_n; i++) {
        if (node->outputs[i] == NULL) continue;
        buf_format(&tip, "\nmakes %S", picture_tensor(arena, node->outputs[i]));
        *VEC_PUSH(arena, &box->makes) = (BoxEnd){node->outputs[i], -1};
    }
    box->tip = buf_str(&tip);
    return box;
}

/* ---- wires --------------------------------------------------------------------------------------------------------
 */

/* A wire a tensor: those that are made, in the order of the boxes that make them. */
static void make_ports(Picture *picture) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < picture->boxes.n; i++)
        n += picture->boxes.items[i].makes.n;
    picture->ports = ARENA_ARRAY(picture->arena, Port, (size_t)n + 1);
    n = 0;
    for (uint32_t i = 0; i < picture->boxes.n; i++) {
        const Box *box = &picture->boxes.items[i];
        for (uint32_t k = 0; k < box->makes.n; k++) {
            BoxEnd end = box->makes.items[k];
            Str label = box->labels ? picture_tensor(picture->arena, end.tensor) : S("");
            picture->ports[n] = (Port){.tensor = end.tensor,
                                       .box = i,
                                       .label = cut(picture->arena, label),
                                       .at = end.at,
                                       .fixed = end.at >= 0};
            picture->port_of[end.tensor->number] = ++n;
        }
    }
    picture->layout.wire_count = n;
}

/* How many wires lead to the box. */
static uint32_t count_ends(const Picture *picture, const Box *box) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < box->reads.n; k++)
        n += picture->port_of[box->reads.items[k].tensor->number] != 0;
    return n;
}

static void make_wires(Picture *picture) {
    Arena *arena = picture->arena;
    Layout *layout = &picture->layout;
    layout->wires = ARENA_ARRAY(arena, LayoutWire, (size_t)layout->wire_count + 1);
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < picture->boxes.n; i++) {
            const Box *box = &picture->boxes.items[i];
            uint32_t n = count_ends(picture, box), so_far = 0;
            for (uint32_t k = 0; k < box->reads.n; k++) {
                BoxEnd end = box->reads.items[k];
                uint32_t port = picture->port_of[end.tensor->number];
                if (port == 0) continue;
                LayoutWire *wire = &layout->wires[port - 1];
                so_far++;
                if (end.at < 0) end.at = (int32_t)((int64_t)layout->boxes[i].width * so_far / (n + 1));
                if (pass == 1) wire->ends[wire->end_count] = (LayoutEnd){i, end.at};
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

/* Boxes are as wide as their text, as the labels of what leaves them, side by side, and as what is within them. */
static void make_sizes(Picture *picture) {
    Layout *layout = &picture->layout;
    uint32_t boxes = picture->boxes.n;
    layout->boxes = ARENA_ARRAY(picture->arena, LayoutBox, (size_t)boxes + 1);
    layout->box_count = boxes;
    int32_t *at = ARENA_ARRAY(picture->arena, int32_t, (size_t)boxes + 1);
    for (uint32_t i = 0; i < boxes; i++) {
        const Box *box = &picture->boxes.items[i];
        int32_t width = 0, height = (int32_t)box->lines.n * PICTURE_LINE + PICTURE_PAD;
        for (uint32_t k = 0; k < box->lines.n; k++) {
            int32_t line = picture_width(box->lines.items[k].text);
            if (line > width) width = line;
        }
        if (box->inner != NULL) {
            if (box->inner->layout.width > width) width = box->inner->layout.width;
            height += box->inner->layout.height + PICTURE_PAD;
        }
        layout->boxes[i] = (LayoutBox){.width = width + 2 * PICTURE_PAD,
                                       .height = height,
                                       .late = count_ends(picture, box) == 0 && !box->edge,
                                       .last = box->edge && box->reads.n > 0};
        at[i] = PICTURE_PAD;
    }
    for (uint32_t i = 0; i < layout->wire_count; i++) {
        Port *port = &picture->ports[i];
        LayoutBox *box = &layout->boxes[port->box];
        if (port->fixed) continue;
        port->at = at[port->box];
        at[port->box] += picture_width(port->label) + 2 * PICTURE_PAD;
        if (!is_alone(picture, i) && at[port->box] > box->width) box->width = at[port->box];
    }
}

/* One wire leaves in the middle, with its label at its right. */
static void make_starts(Picture *picture) {
    Layout *layout = &picture->layout;
    for (uint32_t i = 0; i < layout->wire_count; i++) {
        const Port *port = &picture->ports[i];
        LayoutBox *box = &layout->boxes[port->box];
        layout->wires[i].from = port->box;
        layout->wires[i].at = !port->fixed && is_alone(picture, i) ? box->width / 2 : port->at;
        int32_t reach = layout->wires[i].at + picture_width(port->label) - box->width;
        if (port->label.n > 0 && reach > box->beyond) box->beyond = reach;
    }
}

void picture_find(Picture *picture) {
    make_ports(picture);
    make_sizes(picture);
    make_wires(picture);
    make_starts(picture);
    layout_find(picture->arena, &picture->layout);
    for (uint32_t i = 0; i < picture->layout.wire_count; i++)
        picture->port_of[picture->ports[i].tensor->number] = 0;
}

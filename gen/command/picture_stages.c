/* picture_stages.c: what passes make of a graph: one picture a stage, below each other, and last the functions.
 *
 * A stage's picture is text as soon as it is added, because the graph goes on changing. In the last one each function
 * is a frame around a picture of its own, with a box at its upper edge for each tensor that it reads and one at its
 * lower edge for each that it writes; wires between functions lead from frame to frame. So nothing can lie over
 * anything else, however the functions are tangled.
 */
#include "command/picture_inner.h"
#include "graph/order.h"

enum { STAGE_HEAD = 40, STAGE_GAP = 44, INNER_GAP = 44 };

typedef struct Stage {
    Str title, text;
    Buf body; /* empty: there is no picture */
    int32_t width, height;
} Stage;

struct Stages {
    Arena *arena;
    VEC(Stage) items;
};

Stages *stages_new(Arena *arena) {
    Stages *stages = ARENA_NEW(arena, Stages);
    stages->arena = arena;
    return stages;
}

static void add(Stages *stages, Str title, Str text, const Picture *picture) {
    Stage stage = {.title = title, .text = text};
    buf_init(&stage.body, stages->arena);
    if (picture != NULL) {
        picture_draw(picture, &stage.body);
        stage.width = picture->layout.width;
        stage.height = picture->layout.height;
    }
    *VEC_PUSH(stages->arena, &stages->items) = stage;
}

typedef struct Making {
    Stages *stages;
    Str title, text;
    const Graph *graph;
    const Plan *plan;
} Making;

static void make_stage(Arena *scratch, void *data) {
    const Making *making = data;
    Picture picture;
    picture_make(&picture, scratch, making->graph);
    add(making->stages, making->title, making->text, &picture);
}

void stages_add(Stages *stages, Str title, Str text, const Graph *graph) {
    Making making = {stages, title, text, graph, NULL};
    if (graph == NULL)
        add(stages, title, text, NULL);
    else
        arena_with_scratch(stages->arena, make_stage, &making);
}

/* ---- functions ----------------------------------------------------------------------------------------------------
 */

/* What stands by itself in the picture: a call, or a view that is no code. */
typedef struct Part {
    const Call *call;
    const Node *view;
} Part;

typedef struct Parts {
    Arena *arena;
    const Graph *graph;
    VEC(Part) items;
    uint32_t *made_by; /* by tensor: the part that makes it, from 1 */
    uint32_t *port_of;
} Parts;

static void add_part(Parts *parts, Part part) {
    *VEC_PUSH(parts->arena, &parts->items) = part;
    uint32_t number = parts->items.n;
    if (part.view != NULL) {
        for (uint32_t k = 0; k < part.view->output_n; k++)
            if (part.view->outputs[k] != NULL) parts->made_by[part.view->outputs[k]->number] = number;
        return;
    }
    for (uint32_t i = 0; i < part.call->group->writes.n; i++)
        parts->made_by[part.call->group->writes.items[i]->number] = number;
}

static uint32_t last_of(const Call *call) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < call->group->nodes.n; i++)
        if (call->group->nodes.items[i]->number > last) last = call->group->nodes.items[i]->number;
    return last;
}

static void mark(const Plan *plan, bool *called) {
    for (uint32_t c = 0; c < plan->calls.n; c++) {
        const Group *group = plan->calls.items[c].group;
        for (uint32_t i = 0; group != NULL && i < group->nodes.n; i++)
            called[group->nodes.items[i]->number] = true;
    }
}

/* Calls in their order, and each view where the model has it, as far as calls allow. */
static void collect(Parts *parts, const Plan *plan) {
    const Graph *graph = plan->graph;
    bool *called = ARENA_ARRAY(parts->arena, bool, (size_t)graph->nodes.n + 1);
    uint32_t view = 0, once = plan->fold != NULL ? plan->fold->calls.n : 0;
    if (plan->fold != NULL) mark(plan->fold, called);
    mark(plan, called);
    for (uint32_t c = 0; c < once + plan->calls.n; c++) {
        const Call *call = c < once ? &plan->fold->calls.items[c] : &plan->calls.items[c - once];
        if (call->group == NULL) continue;
        for (uint32_t last = last_of(call); c >= once && view < last; view++)
            if (!called[view]) add_part(parts, (Part){.view = graph->nodes.items[view]});
        add_part(parts, (Part){.call = call});
    }
    for (; view < graph->nodes.n; view++)
        if (!called[view]) add_part(parts, (Part){.view = graph->nodes.items[view]});
}

static void add_edge(Parts *parts, OrderEdges *edges, const Tensor *tensor, uint32_t part) {
    uint32_t by = parts->made_by[tensor->number];
    if (by != 0 && by != part + 1) *VEC_PUSH(parts->arena, edges) = (OrderEdge){by - 1, part};
}

/* Who makes a tensor before who reads it. */
static uint32_t *sort(Parts *parts, uint32_t *n) {
    OrderEdges edges = {0};
    for (uint32_t p = 0; p < parts->items.n; p++) {
        Part part = parts->items.items[p];
        const Node *view = part.view;
        for (uint32_t i = 0; view != NULL && i < view->op->inputs.n; i++)
            for (uint32_t k = 0; k < view->counts[i]; k++)
                add_edge(parts, &edges, view->inputs[i][k], p);
        for (uint32_t i = 0; view == NULL && i < part.call->group->reads.n; i++)
            add_edge(parts, &edges, part.call->group->reads.items[i], p);
    }
    uint32_t *order = ARENA_ARRAY(parts->arena, uint32_t, (size_t)parts->items.n + 1);
    *n = order_sort(parts->arena, parts->items.n, &edges, order);
    return order;
}

/* A tensor at the edge of a frame: one line. */
static void add_edge_box(Picture *inner, bool input, const Tensor *tensor) {
    Box *box = picture_add_tensor(inner, input, tensor, name_str(tensor->name));
    box->style = "port";
    box->edge = true;
    box->lines.n = 0;
    picture_line(inner->arena, box, "small", picture_tensor(inner->arena, tensor));
}

static bool is_written(const Group *group, const Node *node) {
    for (uint32_t i = 0; i < group->writes.n; i++)
        if (group->writes.items[i]->producer == node) return true;
    return false;
}

static Picture *inner_of(const Parts *parts, const Group *group) {
    Picture *inner = ARENA_NEW(parts->arena, Picture);
    picture_init(inner, parts->arena, parts->port_of);
    inner->layout.gap_y = INNER_GAP;
    for (uint32_t i = 0; i < group->reads.n; i++)
        if (group->reads.items[i]->role != TENSOR_PARAM) add_edge_box(inner, true, group->reads.items[i]);
    for (uint32_t i = 0; i < group->nodes.n; i++) {
        Box *box = picture_add_node(inner, group->nodes.items[i]);
        box->labels = !is_written(group, group->nodes.items[i]); /* the box at the edge says it */
    }
    for (uint32_t i = 0; i < group->writes.n; i++)
        add_edge_box(inner, false, group->writes.items[i]);
    picture_find(inner);
    return inner;
}

static void add_call(Parts *parts, Picture *picture, const Call *call) {
    Arena *arena = parts->arena;
    const Group *group = call->group;
    Box *box = VEC_PUSH(arena, &picture->boxes);
    *box = (Box){.style = "frame", .inner = inner_of(parts, group)};
    *VEC_PUSH(arena, &box->lines) = (BoxLine){"name", call->function->uri}; /* whole: it is looked for in files */
    if (group->constant) *VEC_PUSH(arena, &box->lines) = (BoxLine){"small", S("once for a set of weights")};
    box->tip = str_format(arena, "%S: %u call%s", call->function->uri, (unsigned)call->function->calls,
                          call->function->calls == 1 ? "" : "s");
    uint32_t at = 0, writes = box->inner->boxes.n - group->writes.n;
    for (uint32_t i = 0; i < group->reads.n; i++) {
        if (group->reads.items[i]->role == TENSOR_PARAM) continue;
        const LayoutBox *edge = &box->inner->layout.boxes[at++];
        *VEC_PUSH(arena, &box->reads) = (BoxEnd){group->reads.items[i], PICTURE_PAD + edge->x + edge->width / 2};
    }
    for (uint32_t i = 0; i < group->writes.n; i++) {
        const LayoutBox *edge = &box->inner->layout.boxes[writes + i];
        *VEC_PUSH(arena, &box->makes) = (BoxEnd){group->writes.items[i], PICTURE_PAD + edge->x + edge->width / 2};
    }
}

static void make_groups(Arena *scratch, void *data) {
    const Making *making = data;
    const Graph *graph = making->plan->graph;
    Parts parts = {.arena = scratch, .graph = graph};
    parts.made_by = ARENA_ARRAY(scratch, uint32_t, (size_t)graph->tensors.n + 1);
    parts.port_of = ARENA_ARRAY(scratch, uint32_t, (size_t)graph->tensors.n + 1);
    collect(&parts, making->plan);
    uint32_t n, *order = sort(&parts, &n);
    Picture picture;
    picture_init(&picture, scratch, parts.port_of);
    for (uint32_t i = 0; i < graph->inputs.n; i++)
        picture_add_tensor(&picture, true, graph->inputs.items[i], name_str(graph->inputs.items[i]->name));
    for (uint32_t i = 0; i < n; i++) {
        Part part = parts.items.items[order[i]];
        if (part.call != NULL)
            add_call(&parts, &picture, part.call);
        else
            picture_add_node(&picture, part.view);
    }
    for (uint32_t i = 0; i < graph->outputs.n; i++)
        picture_add_tensor(&picture, false, graph->outputs.items[i], name_str(graph->output_names.items[i]));
    picture_find(&picture);
    add(making->stages, making->title, making->text, &picture);
}

void stages_add_groups(Stages *stages, Str title, Str text, const Plan *plan) {
    Making making = {stages, title, text, NULL, plan};
    arena_with_scratch(stages->arena, make_groups, &making);
}

/* ---- the file -----------------------------------------------------------------------------------------------------
 */

void stages_write(const Stages *stages, Str title, Buf *out) {
    int32_t width = 0, height = 0;
    for (uint32_t i = 0; i < stages->items.n; i++) {
        const Stage *stage = &stages->items.items[i];
        int32_t titled = picture_width(stage->title) * 5 / 4 + 12 + picture_width(stage->text);
        if (stage->width > width) width = stage->width;
        if (titled > width) width = titled;
        height += STAGE_HEAD + (stage->body.n > 0 ? stage->height + STAGE_GAP : 0);
    }
    picture_begin(out, width, height, title);
    int32_t y = 0;
    for (uint32_t i = 0; i < stages->items.n; i++) {
        const Stage *stage = &stages->items.items[i];
        buf_format(out, "<path class=\"line\" d=\"M0 %dH%d\"/>\n<text class=\"stage\" x=\"0\" y=\"%d\">", y, width,
                   y + 20);
        picture_text(out, stage->title);
        buf_format(out, "</text>\n<text class=\"small\" x=\"%d\" y=\"%d\">", picture_width(stage->title) * 5 / 4 + 12,
                   y + 20);
        picture_text(out, stage->text);
        buf_add(out, S("</text>\n"));
        y += STAGE_HEAD;
        if (stage->body.n == 0) continue;
        buf_format(out, "<g class=\"picture\" transform=\"translate(0,%d)\">\n", y);
        buf_add(out, buf_str(&stage->body));
        buf_add(out, S("</g>\n"));
        y += stage->height + STAGE_GAP;
    }
    picture_end(out);
}

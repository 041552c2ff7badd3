/* picture_memory.c: the arena over time: calls from left to right, bytes from below.
 *
 * A slot is a box from its first to its last call, at its offset. Where a tensor takes another one's place in it, a
 * line parts the two. Names stand in their boxes as far as there is room, and whole in the tooltips. Over all of it a
 * line goes along the sum of what is in use, on the same scale, so that what is between it and the top is what the
 * layout costs.
 */
#include "command/picture_inner.h"

enum {
    LEFT = 84,      /* for the bytes beside the axis */
    HEIGHT = 560,   /* of the arena */
    TOP = 34,       /* for what is said above it */
    WIDEST = 120,   /* a call */
    NARROWEST = 16, /* room for a name that goes downwards */
    WIDTH = 7200,   /* of all calls, as far as these two let it */
    NAMED = 60,     /* up to so many calls have their functions' names below them */
    TICKS = 4,
};

typedef struct Drawing {
    const ArenaUse *use;
    Arena *arena;
    Buf *out;
    int32_t call; /* the width of one */
    int64_t top;  /* bytes at the upper edge */
} Drawing;

static int32_t x_of(const Drawing *drawing, uint32_t call) { return LEFT + (int32_t)call * drawing->call; }

static int32_t y_of(const Drawing *drawing, int64_t bytes) {
    return TOP + HEIGHT - (int32_t)((double)bytes / (double)drawing->top * HEIGHT + 0.5);
}

/* As much of it as there is room for; nothing where that is too little to read. */
static void text_within(const Drawing *drawing, const char *style, int32_t x, int32_t y, int32_t room, Str text) {
    uint32_t letters = room < 0 ? 0 : (uint32_t)room / PICTURE_LETTER, n = 0;
    bool whole = str_count(text) <= letters;
    if (!whole && letters < 4) return;
    size_t end = 0;
    for (; end < text.n && (whole || n + 1 < letters); n++) {
        unsigned size;
        str_decode(text.p + end, text.p + text.n, &size);
        end += size;
    }
    buf_format(drawing->out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", style, x, y);
    picture_text(drawing->out, str_sub(text, 0, end));
    if (!whole) buf_code(drawing->out, 0x2026);
    buf_add(drawing->out, S("</text>"));
}

static void draw_tip(const Drawing *drawing, uint32_t s) {
    const ArenaSlot *slot = &drawing->use->slots[s];
    Buf tip;
    buf_init(&tip, drawing->arena);
    buf_format(&tip, "slot %u: %lld bytes (%S) at %lld, calls %u to %u", (unsigned)s, (long long)slot->slot->planned,
               arena_size(drawing->arena, slot->slot->planned), (long long)slot->slot->offset,
               (unsigned)slot->slot->first, (unsigned)slot->slot->last);
    for (uint32_t i = 0; i < slot->tensors.n; i++) {
        const ArenaTensor *tensor = &slot->tensors.items[i];
        buf_format(&tip, "\n%S",
                   tensor->tensor != NULL ? picture_tensor(drawing->arena, tensor->tensor)
                                          : arena_name(drawing->arena, tensor));
        if (tensor->how == ARENA_ALIAS || tensor->how == ARENA_IN_PLACE)
            buf_format(&tip, ", %s", arena_how(tensor->how));
        buf_format(&tip, ": calls %u to %u", (unsigned)tensor->first, (unsigned)tensor->last);
    }
    buf_add(drawing->out, S("<title>"));
    picture_text(drawing->out, buf_str(&tip));
    buf_add(drawing->out, S("</title>"));
}

/* What holds the place from call `first` on: the name, the size, and the views of it, as many lines as there is room.
 */
static void draw_names(const Drawing *drawing, const ArenaSlot *slot, uint32_t from, uint32_t to, int32_t y,
                       int32_t height) {
    const ArenaTensor *own = &slot->tensors.items[from];
    uint32_t end = to < slot->tensors.n ? slot->tensors.items[to].first : slot->slot->last + 1;
    if (end <= own->first) end = own->first + 1;
    int32_t x = x_of(drawing, own->first) + 5, room = x_of(drawing, end) - x - 4;
    Str size = arena_size(drawing->arena, slot->slot->planned);
    if (picture_width(arena_name(drawing->arena, own)) > room && height > 2 * room) {
        buf_format(drawing->out, "<g transform=\"translate(%d,%d) rotate(90)\">", x - 1, y + 5);
        Str both = str_format(drawing->arena, "%S %S", arena_name(drawing->arena, own), size);
        bool fits = picture_width(both) <= height - 8;
        text_within(drawing, "name", 0, 0, height - 8, fits ? both : arena_name(drawing->arena, own));
        buf_add(drawing->out, S("</g>"));
        return;
    }
    int32_t lines = (height - 2) / 14, line = 1;
    if (lines < 1) return;
    text_within(drawing, "name", x, y + 12, room, arena_name(drawing->arena, own));
    if (line < lines && picture_width(size) <= room) text_within(drawing, "small", x, y + 12 + 14 * line++, room, size);
    for (uint32_t i = from + 1; i < to && line < lines; i++)
        text_within(drawing, "small", x, y + 12 + 14 * line++, room,
                    str_format(drawing->arena, "= %S", arena_name(drawing->arena, &slot->tensors.items[i])));
}

static void draw_slot(const Drawing *drawing, uint32_t s) {
    const ArenaSlot *slot = &drawing->use->slots[s];
    Buf *out = drawing->out;
    if (slot->tensors.n == 0) return;
    int32_t x = x_of(drawing, slot->slot->first), width = x_of(drawing, slot->slot->last + 1) - x;
    int32_t y = y_of(drawing, slot->slot->offset + slot->slot->planned);
    int32_t height = y_of(drawing, slot->slot->offset) - y;
    if (height < 1) height = 1;
    buf_format(out, "<g class=\"%s\">", slot->tensors.items[0].how == ARENA_WORKSPACE ? "workspace" : "slot");
    draw_tip(drawing, s);
    buf_format(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", x, y, width, height);
    for (uint32_t from = 0, to; from < slot->tensors.n; from = to) {
        for (to = from + 1; to < slot->tensors.n && slot->tensors.items[to].how != ARENA_IN_PLACE; to++)
            continue;
        if (from > 0)
            buf_format(out, "<path class=\"place\" d=\"M%d %dV%d\"/>", x_of(drawing, slot->tensors.items[from].first),
                       y, y + height);
        draw_names(drawing, slot, from, to, y, height);
    }
    buf_add(out, S("</g>\n"));
}

static void draw_axes(const Drawing *drawing) {
    Buf *out = drawing->out;
    const ArenaUse *use = drawing->use;
    int32_t right = x_of(drawing, use->calls), bottom = TOP + HEIGHT;
    for (int i = 0; i <= TICKS; i++) {
        int64_t bytes = drawing->top / TICKS * i + drawing->top % TICKS * i / TICKS;
        int32_t y = y_of(drawing, bytes);
        Str text = arena_size(drawing->arena, bytes);
        buf_format(out, "<path class=\"line\" d=\"M%d %dH%d\"/>\n<text class=\"small\" x=\"%d\" y=\"%d\">", LEFT, y,
                   right, LEFT - 8 - picture_width(text), y + 4);
        buf_add(out, text);
        buf_add(out, S("</text>\n"));
    }
    /* As far apart as their digits need. */
    uint32_t step = 1;
    while ((int32_t)step * drawing->call < 7 * PICTURE_LETTER && step < use->calls)
        step *= step % 3 == 2 ? 5 : 2;
    for (uint32_t c = 0; c < use->calls; c += step)
        buf_format(out, "<text class=\"small\" x=\"%d\" y=\"%d\">%u</text>\n", x_of(drawing, c) + 3, bottom + 16,
                   (unsigned)c);
    for (uint32_t c = 0; use->calls <= NAMED && c < use->calls; c++) {
        buf_format(out, "<text class=\"small\" transform=\"translate(%d,%d) rotate(90)\">",
                   x_of(drawing, c) + drawing->call / 2 - 4, bottom + 26);
        picture_text(out, arena_call(drawing->arena, &use->plan->calls.items[c]));
        buf_add(out, S("</text>\n"));
    }
}

static void draw_sum(const Drawing *drawing) {
    const ArenaUse *use = drawing->use;
    buf_format(drawing->out, "<path class=\"sum\" d=\"M%d %d", LEFT, TOP + HEIGHT);
    for (uint32_t c = 0; c < use->calls; c++)
        buf_format(drawing->out, "V%dH%d", y_of(drawing, use->lives[c]), x_of(drawing, c + 1));
    buf_format(drawing->out, "V%d\"><title>the sum of what is in use</title></path>\n", TOP + HEIGHT);
}

void picture_of_memory(Arena *arena, const ArenaUse *use, Buf *out) {
    const Plan *plan = use->plan;
    Drawing drawing = {.use = use, .arena = arena, .out = out, .top = plan->arena_planned};
    if (use->most > drawing.top) drawing.top = use->most;
    if (drawing.top < 1) drawing.top = 1;
    drawing.call = use->calls == 0 ? WIDEST : WIDTH / (int32_t)(use->calls < WIDTH ? use->calls : WIDTH);
    if (drawing.call > WIDEST) drawing.call = WIDEST;
    if (drawing.call < NARROWEST) drawing.call = NARROWEST;
    int32_t below = 30;
    for (uint32_t c = 0; use->calls <= NAMED && c < use->calls; c++) {
        int32_t length = 34 + picture_width(arena_call(arena, &plan->calls.items[c]));
        if (length > below) below = length;
    }
    Str dims = arena_for(use),
        title = str_format(arena, "%S: memory%s%S", name_str(plan->graph->name), dims.n > 0 ? " for " : "", dims);
    Str text = use->most == 0 ? S("no memory is needed")
                              : str_format(arena, "arena %S, %.2f %% above the largest sum, %S at call %u",
                                           arena_size(arena, plan->arena_planned), arena_above(use),
                                           arena_size(arena, use->most), (unsigned)use->most_at);
    int32_t width = x_of(&drawing, use->calls), said = LEFT + picture_width(text);
    picture_begin(out, width > said ? width : said, TOP + HEIGHT + below, title);
    buf_format(out, "<text class=\"small\" x=\"%d\" y=\"14\">", LEFT);
    picture_text(out, text);
    buf_add(out, S("</text>\n"));
    draw_axes(&drawing);
    for (uint32_t s = 0; s < plan->slots.n; s++)
        draw_slot(&drawing, s);
    draw_sum(&drawing);
    picture_end(out);
}

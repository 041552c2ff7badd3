/* layout.c: the layers, the order within them, and the positions.
 *
 * The layered drawing of Sugiyama and others. A wire that passes layers has a point in each of them, which all its ends
 * share. The order in the layers is improved by means of the neighbours' places, down and up, as long as crossings get
 * fewer. Positions are found by turns: each layer goes to where its neighbours want it, as near as order and distances
 * allow, which is a regression that pools those who stand in each other's way.
 */
#include "command/layout.h"

#include <stdlib.h>
#include <string.h>

enum {
    POINT_WIDTH = 2,       /* of a wire that passes */
    POINT_GAP = 10,        /* between it and what is beside it */
    MOST_POINTS = 1 << 18, /* of all wires; where they are more, the longest go straight */
    ORDER_ROUNDS = 10,
    PLACE_ROUNDS = 20,
    WORK = 1 << 19, /* boxes and points that a turn of all rounds looks at; where they are more, rounds are fewer */
    PARTS = 256,    /* of a unit, in positions */
    MOST_WEIGHT = 64,
    PULL = 16,
};

/* A box, or the point of a wire in a layer that it passes. */
typedef struct Item {
    uint32_t layer, position;
    int32_t width, beyond;
    bool point;
    int64_t x; /* of its centre, in parts */
    int64_t key;
} Item;

/* A piece of a wire from one layer to the next, seen from one of its two items. */
typedef struct Link {
    uint32_t to;
    int32_t shift; /* how much to the right of the other's centre this one's centre is wanted */
    int32_t weight;
} Link;

typedef struct Side {
    uint32_t *first; /* by item, and one behind the last: its links are those from first[i] to first[i + 1] */
    Link *links;
} Side;

typedef struct Piece {
    uint32_t from, to;
    int32_t from_at, to_at; /* from the centres */
} Piece;

typedef struct Row {
    uint32_t *items;
    uint32_t n;
} Row;

typedef struct Finder {
    Arena *arena;
    Layout *layout;
    Item *items; /* the boxes first */
    uint32_t n;
    uint32_t *first_point; /* by wire */
    VEC(Piece) pieces;
    Side up, down;
    Row *rows;
    uint32_t *room, *room_too, *best; /* each for as many as there are items */
} Finder;

/* ---- layers -------------------------------------------------------------------------------------------------------
 */

static void find_layers(Layout *layout) {
    LayoutBox *boxes = layout->boxes;
    for (uint32_t i = 0; i < layout->box_count; i++)
        boxes[i].layer = boxes[i].late ? UINT32_MAX : 0;
    /* Wires stand in the order of the boxes that they come from, so a box is final when its wires come. */
    for (uint32_t i = 0; i < layout->wire_count; i++) {
        const LayoutWire *wire = &layout->wires[i];
        uint32_t next = boxes[wire->from].late ? 1 : boxes[wire->from].layer + 1;
        for (uint32_t k = 0; k < wire->end_count; k++) {
            LayoutBox *to = &boxes[wire->ends[k].box];
            if (to->layer < next) to->layer = next;
        }
    }
    for (uint32_t i = 0; i < layout->wire_count; i++) {
        const LayoutWire *wire = &layout->wires[i];
        LayoutBox *from = &boxes[wire->from];
        for (uint32_t k = 0; from->late && k < wire->end_count; k++) {
            uint32_t above = boxes[wire->ends[k].box].layer - 1;
            if (from->layer > above) from->layer = above;
        }
    }
    layout->layer_count = 0;
    for (uint32_t i = 0; i < layout->box_count; i++) {
        if (boxes[i].layer == UINT32_MAX) boxes[i].layer = 0; /* leads nowhere */
        if (boxes[i].layer >= layout->layer_count) layout->layer_count = boxes[i].layer + 1;
    }
    for (uint32_t i = 0; i < layout->box_count; i++)
        if (boxes[i].last) boxes[i].layer = layout->layer_count - 1;
}

/* How many layers the wire passes. */
static uint32_t passes(const Layout *layout, const LayoutWire *wire) {
    uint32_t last = 0, from = layout->boxes[wire->from].layer;
    for (uint32_t k = 0; k < wire->end_count; k++) {
        uint32_t layer = layout->boxes[wire->ends[k].box].layer;
        if (layer > last) last = layer;
    }
    return last > from + 1 ? last - from - 1 : 0;
}

/* The longest wire that gets points, so that they are not too many. */
static uint32_t longest_bent(Finder *finder) {
    const Layout *layout = finder->layout;
    uint32_t longest = UINT32_MAX;
    for (;;) {
        uint64_t points = 0;
        uint32_t top = 0;
        for (uint32_t i = 0; i < layout->wire_count; i++) {
            uint32_t n = passes(layout, &layout->wires[i]);
            if (n > longest) continue;
            points += n;
            if (n > top) top = n;
        }
        if (points <= MOST_POINTS) return longest;
        longest = top / 2;
    }
}

/* ---- items and pieces ---------------------------------------------------------------------------------------------
 */

static void make_items(Finder *finder) {
    Layout *layout = finder->layout;
    uint32_t longest = longest_bent(finder);
    uint32_t n = layout->box_count;
    finder->first_point = ARENA_ARRAY(finder->arena, uint32_t, layout->wire_count);
    for (uint32_t i = 0; i < layout->wire_count; i++) {
        LayoutWire *wire = &layout->wires[i];
        uint32_t points = passes(layout, wire);
        wire->through_count = points <= longest ? points : 0;
        finder->first_point[i] = n;
        n += wire->through_count;
    }
    finder->n = n;
    finder->items = ARENA_ARRAY(finder->arena, Item, n);
    for (uint32_t i = 0; i < layout->box_count; i++)
        finder->items[i] =
            (Item){.layer = layout->boxes[i].layer, .width = layout->boxes[i].width, .beyond = layout->boxes[i].beyond};
    for (uint32_t i = 0; i < layout->wire_count; i++) {
        uint32_t layer = layout->boxes[layout->wires[i].from].layer;
        for (uint32_t k = 0; k < layout->wires[i].through_count; k++)
            finder->items[finder->first_point[i] + k] =
                (Item){.layer = layer + 1 + k, .width = POINT_WIDTH, .point = true};
    }
}

static void add_piece(Finder *finder, uint32_t from, int32_t from_at, uint32_t to, int32_t to_at) {
    *VEC_PUSH(finder->arena, &finder->pieces) = (Piece){from, to, from_at, to_at};
}

static void make_pieces(Finder *finder) {
    const Layout *layout = finder->layout;
    for (uint32_t i = 0; i < layout->wire_count; i++) {
        const LayoutWire *wire = &layout->wires[i];
        const LayoutBox *from = &layout->boxes[wire->from];
        uint32_t point = finder->first_point[i];
        int32_t from_at = wire->at - from->width / 2;
        for (uint32_t k = 0; k < wire->through_count; k++)
            add_piece(finder, k == 0 ? wire->from : point + k - 1, k == 0 ? from_at : 0, point + k, 0);
        for (uint32_t k = 0; k < wire->end_count; k++) {
            const LayoutBox *to = &layout->boxes[wire->ends[k].box];
            uint32_t passed = to->layer - from->layer - 1;
            if (passed > wire->through_count) continue; /* goes straight */
            add_piece(finder, passed == 0 ? wire->from : point + passed - 1, passed == 0 ? from_at : 0,
                      wire->ends[k].box, wire->ends[k].at - to->width / 2);
        }
    }
}

/* The pieces as their lower items see them, or as their upper ones do. */
static void make_side(Finder *finder, Side *side, bool up) {
    static const int32_t weights[] = {1, 2, 8}; /* by how many of the two are points: long wires are straight */
    side->first = ARENA_ARRAY(finder->arena, uint32_t, (size_t)finder->n + 2);
    side->links = ARENA_ARRAY(finder->arena, Link, finder->pieces.n);
    uint32_t *first = side->first + 1; /* while they are filled in: where the next one goes */
    for (uint32_t i = 0; i < finder->pieces.n; i++) {
        const Piece *piece = &finder->pieces.items[i];
        first[(up ? piece->to : piece->from) + 1]++;
    }
    for (uint32_t i = 0; i < finder->n; i++)
        first[i + 1] += first[i];
    for (uint32_t i = 0; i < finder->pieces.n; i++) {
        const Piece *piece = &finder->pieces.items[i];
        int32_t weight = weights[finder->items[piece->from].point + finder->items[piece->to].point];
        int32_t shift = piece->from_at - piece->to_at;
        side->links[first[up ? piece->to : piece->from]++] =
            up ? (Link){piece->from, shift, weight} : (Link){piece->to, -shift, weight};
    }
}

static void make_rows(Finder *finder) {
    Arena *arena = finder->arena;
    finder->rows = ARENA_ARRAY(arena, Row, finder->layout->layer_count);
    for (uint32_t i = 0; i < finder->n; i++)
        finder->rows[finder->items[i].layer].n++;
    for (uint32_t i = 0; i < finder->layout->layer_count; i++) {
        finder->rows[i].items = ARENA_ARRAY(arena, uint32_t, finder->rows[i].n);
        finder->rows[i].n = 0;
    }
    for (uint32_t i = 0; i < finder->n; i++) {
        Row *row = &finder->rows[finder->items[i].layer];
        finder->items[i].position = row->n;
        row->items[row->n++] = i;
    }
    finder->room = ARENA_ARRAY(arena, uint32_t, (size_t)finder->n + 1);
    finder->room_too = ARENA_ARRAY(arena, uint32_t, (size_t)finder->n + 1);
    finder->best = ARENA_ARRAY(arena, uint32_t, (size_t)finder->n + 1);
}

/* ---- order --------------------------------------------------------------------------------------------------------
 */

/* How many pieces cross between a row and the one below: pairs whose upper ends stand the other way round than their
 * lower ones, counted by a tree of sums. */
static uint64_t count_crossings(const Finder *finder, uint32_t layer) {
    const Row *row = &finder->rows[layer], *below = row + 1;
    uint32_t *tree = finder->room;
    memset(tree, 0, ((size_t)below->n + 1) * sizeof *tree);
    uint64_t crossings = 0;
    uint32_t so_far = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t from = finder->down.first[row->items[i]], to = finder->down.first[row->items[i] + 1];
        for (uint32_t k = from; k < to; k++) {
            uint32_t before = 0; /* that end here or further to the left */
            for (uint32_t at = finder->items[finder->down.links[k].to].position + 1; at > 0; at &= at - 1)
                before += tree[at];
            crossings += so_far - before;
        }
        for (uint32_t k = from; k < to; k++, so_far++) {
            for (uint32_t at = finder->items[finder->down.links[k].to].position + 1; at <= below->n; at += at & -at)
                tree[at]++;
        }
    }
    return crossings;
}

static uint64_t count_all(const Finder *finder) {
    uint64_t crossings = 0;
    for (uint32_t i = 0; i + 1 < finder->layout->layer_count; i++)
        crossings += count_crossings(finder, i);
    return crossings;
}

static void merge_sort(const Item *items, uint32_t *list, uint32_t *room, uint32_t n) {
    if (n < 2) return;
    uint32_t half = n / 2;
    merge_sort(items, list, room, half);
    merge_sort(items, list + half, room, n - half);
    memcpy(room, list, half * sizeof *list);
    for (uint32_t i = 0, j = half, to = 0; i < half;)
        list[to++] = j < n && items[list[j]].key < items[room[i]].key ? list[j++] : room[i++];
}

/* Sorts a row by where its neighbours of one side stand; those without such stay where they are. */
static void order_row(Finder *finder, Row *row, const Side *side) {
    uint32_t *moved = finder->room, n = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t item = row->items[i], links = side->first[item + 1] - side->first[item];
        if (links == 0) continue;
        int64_t sum = 0;
        for (uint32_t k = side->first[item]; k < side->first[item + 1]; k++) {
            const Item *other = &finder->items[side->links[k].to];
            /* Within a box the wires stand in an order, too. */
            int64_t within = (int64_t)side->links[k].shift * (PARTS / 2) / (other->width + 1);
            sum += (int64_t)other->position * PARTS + within;
        }
        finder->items[item].key = sum * 16 / links;
        moved[n++] = item;
    }
    merge_sort(finder->items, moved, finder->room_too, n);
    for (uint32_t i = 0, k = 0; i < row->n; i++) {
        uint32_t item = row->items[i];
        if (side->first[item + 1] != side->first[item]) row->items[i] = moved[k++];
        finder->items[row->items[i]].position = i;
    }
}

/* All rows one behind the other. */
static void keep_order(const Finder *finder, uint32_t *kept) {
    for (uint32_t i = 0; i < finder->layout->layer_count; kept += finder->rows[i].n, i++)
        memcpy(kept, finder->rows[i].items, finder->rows[i].n * sizeof *kept);
}

static void restore_order(Finder *finder, const uint32_t *kept) {
    for (uint32_t i = 0; i < finder->layout->layer_count; kept += finder->rows[i].n, i++) {
        memcpy(finder->rows[i].items, kept, finder->rows[i].n * sizeof *kept);
        for (uint32_t k = 0; k < finder->rows[i].n; k++)
            finder->items[kept[k]].position = k;
    }
}

static int rounds_of(const Finder *finder, int most) {
    int64_t rounds = (int64_t)WORK * most / ORDER_ROUNDS / ((int64_t)finder->n + 1);
    return rounds < 2 ? 2 : rounds > most ? most : (int)rounds;
}

static void find_order(Finder *finder) {
    uint32_t layers = finder->layout->layer_count;
    int rounds = rounds_of(finder, ORDER_ROUNDS);
    uint64_t best = count_all(finder);
    keep_order(finder, finder->best);
    for (int round = 0; round < rounds && best > 0; round++) {
        for (uint32_t i = 1; i < layers; i++)
            order_row(finder, &finder->rows[i], &finder->up);
        for (uint32_t i = layers - 1; i-- > 0;)
            order_row(finder, &finder->rows[i], &finder->down);
        uint64_t now = count_all(finder);
        if (now >= best) continue;
        best = now;
        keep_order(finder, finder->best);
    }
    restore_order(finder, finder->best);
}

/* ---- positions ----------------------------------------------------------------------------------------------------
 */

/* From one centre to the next in a row, at least. */
static int64_t apart(const Finder *finder, uint32_t left, uint32_t right) {
    const Item *a = &finder->items[left], *b = &finder->items[right];
    int32_t gap = a->point || b->point ? POINT_GAP : finder->layout->gap_x;
    /* A label may reach below the next box, up to the middle, where that one's wire leaves. */
    int32_t reach = a->beyond - (b->point ? 0 : b->width / 2) + POINT_GAP;
    if (reach > gap) gap = reach;
    return ((int64_t)a->width + b->width) * PARTS / 2 + (int64_t)gap * PARTS;
}

/* Where the neighbours want an item, and how much. */
static int64_t wanted(const Finder *finder, uint32_t item, const Side *side, int64_t *weight) {
    int64_t sum = 0;
    for (uint32_t k = side->first[item]; k < side->first[item + 1]; k++) {
        const Link *link = &side->links[k];
        sum += (finder->items[link->to].x + (int64_t)link->shift * PARTS) * link->weight;
        *weight += link->weight;
    }
    return sum;
}

/* Neighbours in a row that stand in each other's way, and so go together. */
typedef struct Pool {
    int64_t sum, weight; /* of where they want to be, as if none had a width */
    uint32_t n;
} Pool;

static int64_t mean(const Pool *pool) { return pool->sum / pool->weight; }

static void place_row(Finder *finder, const Row *row, const Side *side, const Side *also, Pool *pools) {
    uint32_t n = 0;
    int64_t offset = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t item = row->items[i];
        if (i > 0) offset += apart(finder, row->items[i - 1], item);
        int64_t weight = 0, sum = wanted(finder, item, side, &weight);
        if (also != NULL) sum += wanted(finder, item, also, &weight);
        int64_t want = weight > 0 ? sum / weight : finder->items[item].x;
        /* A little to the middle, or a long model wanders off to one side. */
        if (!finder->items[item].point) want -= want / PULL;
        if (weight == 0) weight = 1;
        if (weight > MOST_WEIGHT) weight = MOST_WEIGHT;
        pools[n++] = (Pool){(want - offset) * weight, weight, 1};
        while (n > 1 && mean(&pools[n - 2]) >= mean(&pools[n - 1])) {
            n--;
            pools[n - 1].sum += pools[n].sum;
            pools[n - 1].weight += pools[n].weight;
            pools[n - 1].n += pools[n].n;
        }
    }
    offset = 0;
    for (uint32_t i = 0, k = 0, left = 0; i < row->n; i++) {
        if (i > 0) offset += apart(finder, row->items[i - 1], row->items[i]);
        if (left == 0) left = pools[k++].n;
        finder->items[row->items[i]].x = mean(&pools[k - 1]) + offset;
        left--;
    }
}

/* The room that an item has between its neighbours. */
static void room_of(const Finder *finder, uint32_t item, int64_t *low, int64_t *high) {
    const Row *row = &finder->rows[finder->items[item].layer];
    uint32_t at = finder->items[item].position;
    int64_t least = INT64_MIN, most = INT64_MAX;
    if (at > 0) least = finder->items[row->items[at - 1]].x + apart(finder, row->items[at - 1], item);
    if (at + 1 < row->n) most = finder->items[row->items[at + 1]].x - apart(finder, item, row->items[at + 1]);
    if (least > *low) *low = least;
    if (most < *high) *high = most;
}

/* Long wires in as few straight pieces as there is room for: as many points of one as can stand above each other go
 * where their mean is. */
static void straighten(Finder *finder) {
    for (uint32_t i = 0; i < finder->layout->wire_count; i++) {
        uint32_t first = finder->first_point[i], end = first + finder->layout->wires[i].through_count;
        for (uint32_t from = first, to; from < end; from = to) {
            int64_t low = INT64_MIN, high = INT64_MAX, sum = 0;
            for (to = from; to < end; to++) {
                int64_t least = low, most = high;
                room_of(finder, to, &least, &most);
                if (least > most && to > from) break;
                low = least, high = most;
                sum += finder->items[to].x;
            }
            int64_t x = sum / (int64_t)(to - from);
            x = x < low ? low : x > high ? high : x;
            for (uint32_t k = from; k < to && low <= high; k++)
                finder->items[k].x = x;
        }
    }
}

static void find_positions(Finder *finder) {
    uint32_t layers = finder->layout->layer_count;
    Pool *pools = ARENA_ARRAY(finder->arena, Pool, finder->n);
    for (uint32_t i = 0; i < layers; i++) {
        int64_t x = 0;
        for (uint32_t k = 0; k < finder->rows[i].n; k++) {
            if (k > 0) x += apart(finder, finder->rows[i].items[k - 1], finder->rows[i].items[k]);
            finder->items[finder->rows[i].items[k]].x = x;
        }
        for (uint32_t k = 0; k < finder->rows[i].n; k++)
            finder->items[finder->rows[i].items[k]].x -= x / 2;
    }
    int rounds = rounds_of(finder, PLACE_ROUNDS);
    for (int round = 0; round < rounds; round++) {
        bool both = round >= rounds / 2;
        for (uint32_t i = 0; i < layers; i++)
            place_row(finder, &finder->rows[i], &finder->up, both ? &finder->down : NULL, pools);
        for (uint32_t i = layers; i-- > 0;)
            place_row(finder, &finder->rows[i], &finder->down, both ? &finder->up : NULL, pools);
    }
    straighten(finder);
}

/* ---- what comes out -----------------------------------------------------------------------------------------------
 */

static int32_t left_of(const Item *item) { return (int32_t)((item->x - (int64_t)item->width * PARTS / 2) / PARTS); }

static void tell(Finder *finder) {
    Layout *layout = finder->layout;
    int32_t least = INT32_MAX, most = 0;
    for (uint32_t i = 0; i < finder->n; i++) {
        if (left_of(&finder->items[i]) < least) least = left_of(&finder->items[i]);
    }
    layout->layers = ARENA_ARRAY(finder->arena, LayoutLayer, layout->layer_count);
    for (uint32_t i = 0; i < layout->box_count; i++) {
        LayoutLayer *layer = &layout->layers[layout->boxes[i].layer];
        if (layer->bottom < layout->boxes[i].height) layer->bottom = layout->boxes[i].height;
    }
    for (uint32_t i = 0, y = 0; i < layout->layer_count; i++) {
        layout->layers[i].top = (int32_t)y;
        layout->layers[i].bottom += (int32_t)y;
        y = (uint32_t)(layout->layers[i].bottom + layout->gap_y);
    }
    for (uint32_t i = 0; i < layout->box_count; i++) {
        LayoutBox *box = &layout->boxes[i];
        box->x = left_of(&finder->items[i]) - least;
        box->y = layout->layers[box->layer].top;
    }
    for (uint32_t i = 0; i < layout->wire_count; i++) {
        LayoutWire *wire = &layout->wires[i];
        wire->through = ARENA_ARRAY(finder->arena, int32_t, wire->through_count);
        for (uint32_t k = 0; k < wire->through_count; k++)
            wire->through[k] = left_of(&finder->items[finder->first_point[i] + k]) - least + POINT_WIDTH / 2;
    }
    for (uint32_t i = 0; i < finder->n; i++) {
        int32_t right = left_of(&finder->items[i]) - least + finder->items[i].width + finder->items[i].beyond;
        if (right > most) most = right;
    }
    layout->width = most;
    layout->height = layout->layer_count > 0 ? layout->layers[layout->layer_count - 1].bottom : 0;
}

void layout_find(Arena *arena, Layout *layout) {
    Finder finder = {.arena = arena, .layout = layout};
    find_layers(layout);
    make_items(&finder);
    make_pieces(&finder);
    make_side(&finder, &finder.up, true);
    make_side(&finder, &finder.down, false);
    make_rows(&finder);
    if (layout->layer_count > 0) find_order(&finder);
    find_positions(&finder);
    tell(&finder);
}

/* output_diff.c: how two texts differ, line by line, in the unified format.
 *
 * Lines become numbers, equal lines equal ones. A line that the other text does not have at all has changed, whatever
 * else did; it is set aside first, and what differs wholly costs nothing. On the rest works Myers' algorithm ("An
 * O(ND) difference algorithm and its variations", 1986) in its linear form: the middle of a shortest way is found from
 * both ends at once and parts the problem in two. Pieces to do are on a stack of our own, and steps are counted: where
 * two texts are long and alike in nothing, a piece is given up and shown as removed and added whole. What is shown is
 * then longer than it had to be and still right.
 */
#include "emit/output_plan.h"

enum {
    CONTEXT = 3,
    MOST_CHANGES = 2000,    /* within one piece, from either end */
    MOST_STEPS = 200000000, /* over all pieces: about a second */
    MOST_BYTES = 64 << 20,  /* of either text */
};

/* ---- lines as numbers ---------------------------------------------------------------------------------------------
 */

typedef struct Side {
    Str *lines; /* with their line breaks */
    uint32_t n;
    uint32_t *ids;
    bool *changed;
    /* the lines that the other side has as well */
    uint32_t *at, *kept, kept_n;
} Side;

static uint32_t count_lines(Str text) {
    uint32_t n = 0;
    for (size_t i = 0; i < text.n; n++) {
        size_t end = str_find_char(str_sub(text, i, text.n), '\n');
        i = end == STR_NONE ? text.n : i + end + 1;
    }
    return n;
}

static void split(Arena *arena, Str text, Side *side) {
    side->n = 0;
    side->lines = ARENA_ARRAY(arena, Str, count_lines(text));
    for (size_t i = 0; i < text.n;) {
        size_t end = str_find_char(str_sub(text, i, text.n), '\n');
        size_t next = end == STR_NONE ? text.n : i + end + 1;
        side->lines[side->n++] = str_sub(text, i, next);
        i = next;
    }
    side->ids = ARENA_ARRAY(arena, uint32_t, side->n);
    side->changed = ARENA_ARRAY(arena, bool, side->n);
    side->at = ARENA_ARRAY(arena, uint32_t, side->n);
    side->kept = ARENA_ARRAY(arena, uint32_t, side->n);
}

typedef struct Line {
    Str text;
    uint32_t id; /* from 1; 0: a free slot */
    bool on[2];  /* whether the side has it */
} Line;

/* Numbers the lines of both sides, and sets those aside that only one has. */
static void number_lines(Arena *arena, Side sides[2]) {
    size_t cap = 16;
    while (cap < ((size_t)sides[0].n + sides[1].n) * 2)
        cap *= 2;
    Line *table = ARENA_ARRAY(arena, Line, cap);
    uint32_t last = 0;
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < sides[s].n; i++) {
            Str text = sides[s].lines[i];
            size_t slot = str_hash(text) & (cap - 1);
            while (table[slot].id != 0 && !str_eq(table[slot].text, text))
                slot = (slot + 1) & (cap - 1);
            if (table[slot].id == 0) table[slot] = (Line){.text = text, .id = ++last};
            table[slot].on[s] = true;
            sides[s].ids[i] = (uint32_t)slot;
        }
    }
    for (int s = 0; s < 2; s++) {
        Side *side = &sides[s];
        for (uint32_t i = 0; i < side->n; i++) {
            const Line *line = &table[side->ids[i]];
            side->changed[i] = !line->on[1 - s];
            if (side->changed[i]) continue;
            side->at[side->kept_n] = i;
            side->kept[side->kept_n++] = line->id;
        }
    }
}

/* ---- Myers --------------------------------------------------------------------------------------------------------
 */

typedef struct Box {
    uint32_t a0, a1, b0, b1; /* of the kept lines */
} Box;

typedef struct Search {
    Side *a, *b;
    int32_t *forward, *backward; /* by diagonal, MOST_CHANGES + 1 is the main one */
    int64_t steps;               /* left */
} Search;

enum { OUTSIDE = -(1 << 30) };

/* How far one gets on diagonal k after d changes, seen from one end; x counts from that end. */
static int32_t extend(const Search *search, const Box *box, const int32_t *reach, int32_t d, int32_t k, bool back,
                      int32_t *from) {
    const uint32_t *a = search->a->kept, *b = search->b->kept;
    int32_t n = (int32_t)(box->a1 - box->a0), m = (int32_t)(box->b1 - box->b0);
    int32_t x = k == -d ? reach[k + 1] : k == d ? reach[k - 1] + 1 : 0;
    if (k != -d && k != d) x = reach[k + 1] > reach[k - 1] + 1 ? reach[k + 1] : reach[k - 1] + 1;
    *from = x;
    if (x < 0 || x > n || x - k < 0 || x - k > m) return OUTSIDE;
    while (x < n && x - k < m) {
        uint32_t i = back ? box->a1 - 1 - (uint32_t)x : box->a0 + (uint32_t)x;
        uint32_t j = back ? box->b1 - 1 - (uint32_t)(x - k) : box->b0 + (uint32_t)(x - k);
        if (a[i] != b[j]) break;
        x++;
    }
    return x;
}

/* A run of equal lines in the middle of a shortest way through the box: the boxes before and behind it. False when that
 * takes too many changes or steps. */
static bool find_middle(Search *search, const Box *box, Box *before, Box *behind) {
    int32_t n = (int32_t)(box->a1 - box->a0), m = (int32_t)(box->b1 - box->b0), delta = n - m;
    int32_t *forward = search->forward + MOST_CHANGES + 1, *backward = search->backward + MOST_CHANGES + 1;
    forward[1] = backward[1] = 0;
    for (int32_t d = 0; d <= MOST_CHANGES && search->steps > 0; d++) {
        for (int32_t k = -d; k <= d; k += 2) {
            int32_t from, x = extend(search, box, forward, d, k, false, &from);
            forward[k] = x;
            search->steps -= x == OUTSIDE ? 1 : 1 + x - from;
            int32_t other = delta - k;
            if (x == OUTSIDE || delta % 2 == 0 || other < -(d - 1) || other > d - 1) continue;
            if (backward[other] == OUTSIDE || x + backward[other] < n) continue;
            *before = (Box){box->a0, box->a0 + (uint32_t)from, box->b0, box->b0 + (uint32_t)(from - k)};
            *behind = (Box){box->a0 + (uint32_t)x, box->a1, box->b0 + (uint32_t)(x - k), box->b1};
            return true;
        }
        for (int32_t k = -d; k <= d; k += 2) {
            int32_t from, x = extend(search, box, backward, d, k, true, &from);
            backward[k] = x;
            search->steps -= x == OUTSIDE ? 1 : 1 + x - from;
            int32_t other = delta - k;
            if (x == OUTSIDE || delta % 2 != 0 || other < -d || other > d) continue;
            if (forward[other] == OUTSIDE || x + forward[other] < n) continue;
            *before = (Box){box->a0, box->a1 - (uint32_t)x, box->b0, box->b1 - (uint32_t)(x - k)};
            *behind = (Box){box->a1 - (uint32_t)from, box->a1, box->b1 - (uint32_t)(from - k), box->b1};
            return true;
        }
    }
    return false;
}

static void trim(const Search *search, Box *box) {
    const uint32_t *a = search->a->kept, *b = search->b->kept;
    while (box->a0 < box->a1 && box->b0 < box->b1 && a[box->a0] == b[box->b0])
        box->a0++, box->b0++;
    while (box->a0 < box->a1 && box->b0 < box->b1 && a[box->a1 - 1] == b[box->b1 - 1])
        box->a1--, box->b1--;
}

static void mark(const Search *search, const Box *box) {
    for (uint32_t i = box->a0; i < box->a1; i++)
        search->a->changed[search->a->at[i]] = true;
    for (uint32_t i = box->b0; i < box->b1; i++)
        search->b->changed[search->b->at[i]] = true;
}

static void find_changes(Arena *arena, Side sides[2]) {
    Search search = {.a = &sides[0], .b = &sides[1], .steps = MOST_STEPS};
    search.forward = ARENA_ARRAY(arena, int32_t, 2 * MOST_CHANGES + 4);
    search.backward = ARENA_ARRAY(arena, int32_t, 2 * MOST_CHANGES + 4);
    VEC(Box) boxes = {0};
    *VEC_PUSH(arena, &boxes) = (Box){0, sides[0].kept_n, 0, sides[1].kept_n};
    while (boxes.n > 0) {
        Box box = boxes.items[--boxes.n], before, behind;
        trim(&search, &box);
        if (box.a0 == box.a1 || box.b0 == box.b1 || !find_middle(&search, &box, &before, &behind)) {
            mark(&search, &box);
            continue;
        }
        *VEC_PUSH(arena, &boxes) = behind;
        *VEC_PUSH(arena, &boxes) = before;
    }
}

/* ---- the unified format -------------------------------------------------------------------------------------------
 */

static void add_name(Buf *out, const char *mark_text, Str name) {
    /* Behind a name with a blank stands a tab, or patch would take the blank for the end of it. */
    const char *end = str_find_char(name, ' ') == STR_NONE ? "" : "\t";
    if (name.n == 0) name = S("/dev/null");
    buf_format(out, "%s %S%s\n", mark_text, name, end);
}

static void add_line(Buf *out, char sign, Str line) {
    buf_char(out, sign);
    buf_add(out, line);
    if (!str_ends(line, S("\n"))) buf_add(out, S("\n\\ No newline at end of file\n"));
}

static void add_range(Buf *out, char sign, uint32_t from, uint32_t to) {
    /* A range of no lines is named by the line before it. */
    buf_format(out, " %c%u", sign, (unsigned)(from + (to > from ? 1 : 0)));
    if (to - from != 1) buf_format(out, ",%u", (unsigned)(to - from));
}

/* Lines [i, i_end) of a and [j, j_end) of b. */
static void add_hunk(Buf *out, const Side *a, const Side *b, uint32_t i, uint32_t i_end, uint32_t j, uint32_t j_end) {
    buf_add(out, S("@@"));
    add_range(out, '-', i, i_end);
    add_range(out, '+', j, j_end);
    buf_add(out, S(" @@\n"));
    while (i < i_end || j < j_end) {
        for (; i < i_end && a->changed[i]; i++)
            add_line(out, '-', a->lines[i]);
        for (; j < j_end && b->changed[j]; j++)
            add_line(out, '+', b->lines[j]);
        for (; i < i_end && j < j_end && !a->changed[i] && !b->changed[j]; i++, j++)
            add_line(out, ' ', a->lines[i]);
    }
}

static void add_hunks(Buf *out, const Side *a, const Side *b) {
    for (uint32_t i = 0, j = 0; i < a->n || j < b->n;) {
        if (!(i < a->n && a->changed[i]) && !(j < b->n && b->changed[j])) {
            i++, j++;
            continue;
        }
        uint32_t lead = i < CONTEXT ? i : CONTEXT, i_from = i - lead, j_from = j - lead;
        uint32_t i_end = i, j_end = j; /* behind the last change of the hunk */
        for (uint32_t same = 0; same <= 2 * CONTEXT && (i < a->n || j < b->n);) {
            bool gone = i < a->n && a->changed[i], come = j < b->n && b->changed[j];
            same = gone || come ? 0 : same + 1;
            i += !come || gone, j += !gone || come; /* equal lines go together */
            if (gone || come) i_end = i, j_end = j;
        }
        uint32_t trail = a->n - i_end < CONTEXT ? a->n - i_end : CONTEXT;
        add_hunk(out, a, b, i_from, i_end + trail, j_from, j_end + trail);
        i = i_end + trail, j = j_end + trail;
    }
}

void diff_unified(Arena *arena, Str old_name, Str new_name, Str old_text, Str new_text, Buf *out) {
    bool whole = old_name.n == 0 || new_name.n == 0; /* an empty file that is made or removed has no hunk */
    if (str_eq(old_text, new_text) && !whole) return;
    if (str_find_char(old_text, '\0') != STR_NONE || str_find_char(new_text, '\0') != STR_NONE ||
        old_text.n > MOST_BYTES || new_text.n > MOST_BYTES) {
        buf_format(out, "Binary files %S and %S differ\n", old_name.n == 0 ? S("/dev/null") : old_name,
                   new_name.n == 0 ? S("/dev/null") : new_name);
        return;
    }
    Side sides[2] = {{0}, {0}};
    split(arena, old_text, &sides[0]);
    split(arena, new_text, &sides[1]);
    number_lines(arena, sides);
    find_changes(arena, sides);
    add_name(out, "---", old_name);
    add_name(out, "+++", new_name);
    add_hunks(out, &sides[0], &sides[1]);
}

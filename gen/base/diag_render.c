/* diag_render.c: findings as text for people, with the line and a caret; and the order of all formats.
 *
 * Texts and source lines come from files that are not trusted: control characters, invalid bytes and marks
 * that reorder text are shown as harmless stand-ins, and a line of a megabyte as the piece around the caret. */
#include "base/diag_formats.h"

enum {
    LINE_MOST = 160, /* columns of a source line that are shown whole */
    CUT_BEFORE = 60, /* code points kept in front of the caret in a longer one */
    CUT_WIDTH = 140, /* columns kept of it */
    TAB = 4,         /* columns a tab advances to a multiple of */
    NOTES_MOST = 12, /* more notes than these are shown as ... */
    NOTES_FIRST = 6, /* ... the first few, */
    NOTES_LAST = 4,  /* a count, and the last few */
};

Str diag_level_name(DiagLevel level) { return level == DIAG_ERROR ? S("error") : S("warning"); }

bool diag_is_harmful(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200e && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

void diag_show(Buf *out, Str text) {
    for (size_t i = 0; i < text.n;) {
        unsigned size;
        uint32_t code = str_decode(text.p + i, text.p + text.n, &size);
        if (size == 1 && code == 0xfffd)
            buf_format(out, "\\x%02x", (unsigned)(unsigned char)text.p[i]);
        else if (code == '\n')
            buf_add(out, S("\\n"));
        else if (code == '\t')
            buf_char(out, ' ');
        else if (diag_is_harmful(code))
            buf_format(out, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
        else
            buf_add(out, str(text.p + i, size));
        i += size;
    }
}

Str diag_left_out(const DiagList *list) {
    Buf text;
    buf_init(&text, list->arena);
    uint32_t errors = list->errors_left_out, warnings = list->warnings_left_out;
    if (errors == 0 && warnings == 0) return S("");
    if (errors > 0) buf_format(&text, "%u more error%s", (unsigned)errors, errors == 1 ? "" : "s");
    if (warnings > 0)
        buf_format(&text, "%s%u more warning%s", errors > 0 ? " and " : "", (unsigned)warnings,
                   warnings == 1 ? "" : "s");
    buf_add(&text, errors + warnings == 1 ? S(" is not shown") : S(" are not shown"));
    return buf_str(&text);
}

/* ---- order ---- */

static Str file_name(Span place) { return place.source == NULL ? S("") : place.source->name; }

static int compare(const Diag *a, const Diag *b) {
    /* What has no place is about the run, and comes first. */
    if ((a->span.source == NULL) != (b->span.source == NULL)) return a->span.source == NULL ? -1 : 1;
    int order = str_cmp(file_name(a->span), file_name(b->span));
    if (order == 0) order = (a->span.from > b->span.from) - (a->span.from < b->span.from);
    return order;
}

static bool same(const Diag *a, const Diag *b) {
    return compare(a, b) == 0 && a->span.to == b->span.to && a->level == b->level && a->code == b->code &&
           str_eq(a->text, b->text);
}

/* Merge sort, because findings at one place stay in the order in which they were made. */
static void sort(Diag **items, Diag **room, uint32_t n) {
    if (n < 2) return;
    uint32_t half = n / 2;
    sort(items, room, half);
    sort(items + half, room, n - half);
    memcpy(room, items, half * sizeof *items);
    for (uint32_t i = 0, j = half, to = 0; i < half;)
        items[to++] = j < n && compare(items[j], room[i]) < 0 ? items[j++] : room[i++];
}

static DiagList ordered(Diags *diags) {
    DiagList list = {.arena = diags->arena, .n = 0};
    uint32_t n = diags->items.n, kept[2] = {0, 0};
    list.items = ARENA_ARRAY(diags->arena, Diag *, n);
    Diag **room = ARENA_ARRAY(diags->arena, Diag *, n);
    if (n > 0) memcpy(list.items, diags->items.items, n * sizeof *room);
    sort(list.items, room, n);
    for (uint32_t i = 0; i < n; i++) {
        Diag *diag = list.items[i];
        kept[diag->level == DIAG_ERROR]++;
        bool seen = false;
        for (uint32_t k = list.n; !seen && k > 0 && compare(list.items[k - 1], diag) == 0; k--)
            seen = same(list.items[k - 1], diag);
        if (!seen) list.items[list.n++] = diag;
    }
    list.errors_left_out = diags->errors - kept[1];
    list.warnings_left_out = diags->warnings - kept[0];
    return list;
}

/* ---- text ---- */

typedef struct Text {
    Buf *out;
    Arena *arena;
    bool color;
} Text;

#define BOLD "1"
#define RED "1;31"
#define YELLOW "1;33"
#define CYAN "1;36"
#define BLUE "34"

static void paint(Text *text, const char *style) {
    if (text->color) buf_format(text->out, "\x1b[%sm", style);
}

static void unpaint(Text *text) {
    if (text->color) buf_add(text->out, S("\x1b[0m"));
}

/* Columns a code point takes on a terminal: wide ones of East Asia and emoji two, marks none. */
static unsigned width_of(uint32_t code) {
    if (code < 0x300) return 1;
    bool none = code < 0x370 || (code >= 0x200b && code <= 0x200d) || (code >= 0x20d0 && code <= 0x20ff) ||
                (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef);
    if (none) return 0;
    bool wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf && code != 0x303f) ||
                (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
                (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
                (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1f300 && code <= 0x1f64f) ||
                (code >= 0x1f900 && code <= 0x1f9ff) || (code >= 0x20000 && code <= 0x3fffd);
    return wide ? 2 : 1;
}

/* Shows (or, with out NULL, measures) the code point at *i; returns its columns. */
static unsigned show_cell(Buf *out, Str line, size_t *i, unsigned column) {
    unsigned size;
    uint32_t code = str_decode(line.p + *i, line.p + line.n, &size);
    *i += size;
    if (code == '\t') {
        unsigned width = TAB - column % TAB;
        if (out != NULL) buf_fill(out, ' ', width);
        return width;
    }
    if (code < 0x20)
        code += 0x2400; /* the picture of a control character */
    else if (code == 0x7f)
        code = 0x2421;
    else if (diag_is_harmful(code))
        code = 0xfffd;
    if (out != NULL) buf_code(out, code);
    return width_of(code);
}

static bool is_long(Str line) {
    if (line.n <= LINE_MOST / TAB) return false;
    unsigned column = 0;
    for (size_t i = 0; i < line.n && column <= LINE_MOST;)
        column += show_cell(NULL, line, &i, column);
    return column > LINE_MOST;
}

/* The columns in which a piece of a line is shown. */
typedef struct Shown {
    unsigned from, to;
} Shown;

/* Shows a line of source, cut around [from, to) when it is long. */
static Shown show_line(Text *text, Str line, size_t from, size_t to) {
    size_t i = 0;
    unsigned column = 0, most = UINT32_MAX;
    if (is_long(line)) {
        most = CUT_WIDTH;
        for (i = from; i > 0 && column < CUT_BEFORE; column++)
            do
                i--;
            while (i > 0 && ((unsigned char)line.p[i] & 0xc0) == 0x80);
        column = 0;
        if (i > 0) {
            buf_add(text->out, S("..."));
            column = 3;
        }
    }
    Shown shown = {column, column};
    while (i < line.n && column < most) {
        if (i <= from) shown.from = column;
        column += show_cell(text->out, line, &i, column);
        if (i <= to) shown.to = column;
    }
    if (i <= from) shown.from = column;
    if (i < line.n) buf_add(text->out, S("..."));
    /* Nothing, or a mark without width, is still pointed at. */
    if (shown.to <= shown.from) shown.to = shown.from + 1;
    return shown;
}

static void trim_end(Buf *out) {
    while (out->n > 0 && out->p[out->n - 1] == ' ')
        out->n--;
}

static void show_snippet(Text *text, const Diag *diag, const char *style) {
    Buf *out = text->out;
    Source *source = diag->span.source;
    Place place = source_place(text->arena, source, diag->span.from);
    Str line = source_line(text->arena, source, place.line);
    size_t start = source->lines[place.line - 1];
    if (place.line == 1 && str_starts(line, S("\xef\xbb\xbf"))) line = str_sub(line, 3, line.n), start = 3;
    size_t from = diag->span.from < start ? 0 : diag->span.from - start;
    size_t to = diag->span.to < start ? 0 : diag->span.to - start;
    if (from > line.n) from = line.n;
    if (to > line.n) to = line.n;

    Str number = str_format(text->arena, "%5u", (unsigned)place.line);
    paint(text, BLUE);
    buf_format(out, "%S |", number);
    unpaint(text);
    buf_char(out, ' ');
    Shown shown = show_line(text, line, from, to);
    trim_end(out);
    buf_char(out, '\n');
    buf_fill(out, ' ', number.n + 1);
    paint(text, BLUE);
    buf_char(out, '|');
    unpaint(text);
    buf_fill(out, ' ', 1 + shown.from);
    paint(text, style);
    buf_char(out, '^');
    buf_fill(out, '~', shown.to - shown.from - 1);
    if (diag->hint.n > 0) {
        buf_char(out, ' ');
        diag_show(out, diag->hint);
    }
    unpaint(text);
    buf_char(out, '\n');
}

/* `model.json:14:59: `, or `opgen: ` where there is no place. */
static void show_place(Text *text, Span where) {
    paint(text, BOLD);
    if (where.source == NULL) {
        buf_add(text->out, S("opgen:"));
    } else {
        Place place = source_place(text->arena, where.source, where.from);
        diag_show(text->out, where.source->name);
        buf_format(text->out, ":%u:%u:", (unsigned)place.line, (unsigned)place.column);
    }
    unpaint(text);
    buf_char(text->out, ' ');
}

static void show_notes(Text *text, const Diag *diag) {
    uint32_t n = diag->notes.n;
    for (uint32_t i = 0; i < n; i++) {
        if (n > NOTES_MOST && i == NOTES_FIRST) {
            uint32_t out = n - NOTES_FIRST - NOTES_LAST;
            buf_format(text->out, "  ... %u more notes like these are left out ...\n", (unsigned)out);
            i += out;
        }
        show_place(text, diag->notes.items[i].span);
        paint(text, CYAN);
        buf_add(text->out, S("note:"));
        unpaint(text);
        buf_char(text->out, ' ');
        diag_show(text->out, diag->notes.items[i].text);
        buf_char(text->out, '\n');
    }
}

static void render_text(const DiagList *list, bool color, Buf *out) {
    Text text = {out, list->arena, color};
    for (uint32_t i = 0; i < list->n; i++) {
        const Diag *diag = list->items[i];
        const char *style = diag->level == DIAG_ERROR ? RED : YELLOW;
        show_place(&text, diag->span);
        paint(&text, style);
        buf_format(out, "%S[E%03d]:", diag_level_name(diag->level), (int)diag->code);
        unpaint(&text);
        buf_char(out, ' ');
        diag_show(out, diag->text);
        buf_char(out, '\n');
        if (diag->span.source != NULL && diag->span.source->text.n > 0) {
            show_snippet(&text, diag, style);
        } else if (diag->hint.n > 0) {
            buf_add(out, S("  hint: "));
            diag_show(out, diag->hint);
            buf_char(out, '\n');
        }
        show_notes(&text, diag);
    }
    Str left_out = diag_left_out(list);
    if (left_out.n > 0) buf_format(out, "opgen: %S\n", left_out);
}

void diags_render(Diags *diags, DiagFormat format, bool color, Buf *out) {
    DiagList list = ordered(diags);
    switch (format) {
    case DIAG_TEXT:
        render_text(&list, color, out);
        break;
    case DIAG_JSON:
        diag_render_json(&list, out);
        break;
    case DIAG_GITHUB:
        diag_render_github(&list, out);
        break;
    case DIAG_SARIF:
        diag_render_sarif(&list, out);
        break;
    }
}

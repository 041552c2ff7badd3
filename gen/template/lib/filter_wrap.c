/* filter_wrap.c: wordwrap, by the rules of Python's textwrap, which Jinja uses.
 *
 * A line is cut into chunks that stay whole: runs of space, words, the parts of a word behind its hyphens, dashes
 * between words. Chunks then fill lines; one that is wider than a line is broken where that is asked for. Chunks
 * are cut as they are needed, in one pass, so nothing is kept but where each begins. */
#include "template/lib/lib.h"

typedef struct Wrap {
    Run *run;
    int64_t width;
    bool break_words, hyphens; /* hyphens: words may be parted behind theirs */
    bool hyphen_chunks;        /* and chunks are cut there; only for true itself, as in Python */
    Str separator;
    bool escape; /* the separator is safe, so the lines are escaped */
    Buf *out;
} Wrap;

typedef struct Chunk {
    const char *from, *to;
    const char *solid; /* behind its last code point that is not white space; up to `from`: it is all space */
    int64_t n;         /* code points */
} Chunk;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r'; }

/* The code point that ends at p, 0 before the text. */
static uint32_t before(const char *start, const char *p, const char **where) {
    if (p == start) return 0;
    const char *q = p - 1;
    while (q > start && ((unsigned char)*q & 0xC0) == 0x80)
        q--;
    unsigned size;
    *where = q;
    return str_decode(q, p, &size);
}

static bool is_letter(uint32_t c) { return c != 0 && lib_is_word(c) && unicode_decimal(c) < 0; }
static bool ends_word(uint32_t c) {
    return c != 0 && (lib_is_word(c) || (c < 0x80 && strchr("!\"'&.,?", (int)c) != NULL));
}

static uint32_t code_at(const char **p, const char *end) {
    if (*p >= end) return 0;
    unsigned size;
    uint32_t c = str_decode(*p, end, &size);
    *p += size;
    return c;
}

/* Two hyphens or more at p, and a word behind them: a dash. Returns where it ends, or NULL. */
static const char *dash(const char *p, const char *end) {
    const char *q = p;
    while (q < end && *q == '-')
        q++;
    if (q - p < 2) return NULL;
    const char *after = q;
    return lib_is_word(code_at(&after, end)) && q < end ? q : NULL;
}

/* The hyphen at p parts a word: two letters before it (or letter, hyphen, letter), and a letter and one more behind. */
static bool parts_word(const char *start, const char *p, const char *end) {
    const char *q = p;
    if (!is_letter(before(start, q, &q))) return false;
    uint32_t c = before(start, q, &q);
    if (c == '-') c = before(start, q, &q);
    if (!is_letter(c)) return false;
    q = p + 1;
    if (!is_letter(code_at(&q, end))) return false;
    c = code_at(&q, end);
    if (c == '-') c = code_at(&q, end);
    return is_letter(c);
}

static const char *word_end(const Wrap *wrap, const char *start, const char *p, const char *end) {
    const char *from = p, *last = p;
    if (wrap->hyphen_chunks && *p == '-' && ends_word(before(start, p, &last))) {
        const char *stop = dash(p, end);
        if (stop != NULL) return stop;
    }
    while (p < end && !is_blank(*p)) {
        if (wrap->hyphen_chunks && *p == '-' && p > from) {
            if (parts_word(start, p, end)) return p + 1;
            if (ends_word(before(start, p, &last)) && dash(p, end) != NULL) return p;
        }
        (void)code_at(&p, end);
    }
    return p;
}

static bool is_space(const Chunk *chunk) { return chunk->solid <= chunk->from; }

static bool next_chunk(const Wrap *wrap, Str line, const char *at, Chunk *chunk) {
    const char *end = line.p + line.n, *p = at;
    if (at >= end) return false;
    if (is_blank(*p))
        while (p < end && is_blank(*p))
            p++;
    else
        p = word_end(wrap, line.p, p, end);
    *chunk = (Chunk){.from = at, .to = p, .solid = at};
    for (const char *q = at; q < p; chunk->n++)
        if (!unicode_is_space(code_at(&q, p))) chunk->solid = q;
    return true;
}

/* Takes [from, cut) off the chunk; whether that is all white space. */
static bool take_from_chunk(Chunk *chunk, const char *cut) {
    bool space = true;
    while (chunk->from < cut) {
        if (!unicode_is_space(code_at(&chunk->from, cut))) space = false;
        chunk->n--;
    }
    return space;
}

/* How many of the chunk's first code points go on a line that has room for so many. */
static const char *broken_at(const Wrap *wrap, const Chunk *chunk, int64_t room) {
    Str s = str(chunk->from, (size_t)(chunk->to - chunk->from));
    const char *end = s.p + text_offset(s, (size_t)room);
    if (!wrap->hyphens || chunk->n <= room) return end;
    const char *hyphen = memrchr(s.p, '-', (size_t)(end - s.p));
    if (hyphen == NULL || hyphen == s.p) return end;
    for (const char *p = s.p; p < hyphen; p++)
        if (*p != '-') return hyphen + 1;
    return end;
}

static void end_line(const Wrap *wrap, const char *from, const char *to, bool *any) {
    if (to == from) return;
    if (*any) buf_add(wrap->out, wrap->separator);
    *any = true;
    Str line = str(from, (size_t)(to - from));
    if (wrap->escape) line = val_text(text_escape(wrap->run, val_str(wrap->run, line)));
    buf_add(wrap->out, line);
}

/* A line is a piece of the text itself: [from, to) of it, `used` code points, its last chunk beginning at last. */
static void wrap_line(const Wrap *wrap, Str line) {
    const char *at = line.p;
    Chunk chunk;
    bool any = false, more = next_chunk(wrap, line, at, &chunk);
    while (more) {
        run_spend(wrap->run, 1);
        if (any && is_space(&chunk) && !(more = next_chunk(wrap, line, chunk.to, &chunk))) return;
        const char *from = chunk.from, *to = from, *last = from;
        bool last_is_space = false;
        int64_t used = 0;
        while (more && used + chunk.n <= wrap->width) {
            used += chunk.n;
            last = chunk.from;
            to = chunk.to;
            last_is_space = is_space(&chunk);
            more = next_chunk(wrap, line, chunk.to, &chunk);
        }
        if (more && chunk.n > wrap->width) {
            if (wrap->break_words) {
                last = chunk.from;
                to = broken_at(wrap, &chunk, wrap->width - used);
                last_is_space = take_from_chunk(&chunk, to);
            } else if (to == from) {
                to = chunk.to;
                last_is_space = is_space(&chunk);
                more = next_chunk(wrap, line, chunk.to, &chunk);
            }
        }
        end_line(wrap, from, last_is_space ? last : to, &any);
    }
}

BUILTIN(filter_wordwrap) {
    const char *who = "filter \"wordwrap\"";
    Str s = lib_wants_str(run, who, "the value", a[0]), line;
    Buf out;
    buf_init(&out, run->arena);
    Value separator = lib_some(a[3]) ? a[3] : VS("\n");
    Wrap wrap = {
        .run = run,
        .width = lib_int_or(run, who, "width", a[1], 79),
        .break_words = lib_flag(run, a[2], true),
        .hyphens = lib_flag(run, a[4], true),
        .hyphen_chunks = !lib_given(a[4]) || (a[4].kind == V_BOOL && a[4].as.b),
        .separator = lib_wants_str(run, who, "wrapstring", separator),
        .escape = lib_is_safe(separator),
        .out = &out,
    };
    if (wrap.width <= 0 && s.n > 0) /* where there is nothing to wrap, Jinja does not look at the width */
        run_fail(run, "%s: width must be at least 1, not %lld", who, (long long)wrap.width);
    size_t at = 0, breaks;
    for (bool first = true; lib_next_line(s, &at, &line, &breaks); first = false) {
        if (!first) buf_add(&out, wrap.separator);
        wrap_line(&wrap, line);
    }
    return text_take(run, &out, wrap.escape ? VAL_SAFE : 0);
}

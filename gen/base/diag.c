/* diag.c: sources that know their lines, and the list of findings.
 *
 * A place is an offset until somebody wants to read it: lines are looked for only when a finding is
 * shown, so a run without findings pays nothing. */
#include "base/diag.h"

Source *source_new(Arena *arena, Str name, Str text) {
    if (text.n >= UINT32_MAX) mem_fail(MEM_SYSTEM, text.n);
    Source *source = ARENA_NEW(arena, Source);
    source->name = name;
    source->text = text;
    return source;
}

/* The offset behind the line that begins at i, with its line break: \n, \r\n or \r. */
static size_t line_end(Str text, size_t i) {
    for (; i < text.n; i++) {
        if (text.p[i] == '\n') return i + 1;
        if (text.p[i] == '\r') return i + 1 < text.n && text.p[i + 1] == '\n' ? i + 2 : i + 1;
    }
    return i;
}

/* A text that ends in a line break has an empty line behind it: the end of the text stands there. */
static void find_lines(Arena *arena, Source *source) {
    if (source->lines != NULL) return;
    Str text = source->text;
    uint32_t n = 1;
    for (size_t i = 0; i < text.n; n++)
        if ((i = line_end(text, i)) == text.n && text.p[i - 1] != '\n' && text.p[i - 1] != '\r') n--;
    uint32_t *lines = ARENA_ARRAY(arena, uint32_t, n);
    size_t at = 0;
    for (uint32_t line = 1; line < n; line++)
        lines[line] = (uint32_t)(at = line_end(text, at));
    source->line_count = n;
    source->lines = lines;
}

Place source_place(Arena *arena, Source *source, uint32_t offset) {
    find_lines(arena, source);
    if (offset > source->text.n) offset = (uint32_t)source->text.n;
    uint32_t low = 0, high = source->line_count; /* the line is in [low, high) */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    uint32_t from = source->lines[low];
    /* A byte order mark takes no column, as in editors. */
    if (low == 0 && offset >= 3 && str_starts(source->text, S("\xef\xbb\xbf"))) from = 3;
    return (Place){low + 1, (uint32_t)str_count(str_sub(source->text, from, offset)) + 1};
}

Str source_line(Arena *arena, Source *source, uint32_t line) {
    find_lines(arena, source);
    if (line == 0 || line > source->line_count) return S("");
    Str text = source->text;
    size_t from = source->lines[line - 1], to = line < source->line_count ? source->lines[line] : text.n;
    if (to > from && text.p[to - 1] == '\n') to--;
    if (to > from && text.p[to - 1] == '\r') to--;
    return str_sub(text, from, to);
}

void diags_init(Diags *diags, Arena *arena) { *diags = (Diags){.arena = arena}; }

Diag *diag_vadd(Diags *diags, DiagLevel level, DiagCode code, Span span, const char *format, va_list args) {
    uint32_t most = diags->most == 0 ? 100 : diags->most;
    uint32_t *count = level == DIAG_ERROR ? &diags->errors : &diags->warnings;
    if (*count < UINT32_MAX) ++*count;
    Diag *diag = ARENA_NEW(diags->arena, Diag);
    diag->level = level;
    diag->code = code;
    diag->span = span;
    diag->hint = S("");
    /* One that is not kept has no text either; that is how diag_hint and diag_note know it. */
    if (*count > most) return diag;
    diag->text = str_vformat(diags->arena, format, args);
    *VEC_PUSH(diags->arena, &diags->items) = diag;
    return diag;
}

Diag *diag_add(Diags *diags, DiagLevel level, DiagCode code, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = diag_vadd(diags, level, code, span, format, args);
    va_end(args);
    return diag;
}

void diag_hint(Diags *diags, Diag *diag, const char *format, ...) {
    if (diag->text.p == NULL) return;
    va_list args;
    va_start(args, format);
    diag->hint = str_vformat(diags->arena, format, args);
    va_end(args);
}

void diag_note(Diags *diags, Diag *diag, Span span, const char *format, ...) {
    if (diag->text.p == NULL) return;
    va_list args;
    va_start(args, format);
    Str text = str_vformat(diags->arena, format, args);
    va_end(args);
    *VEC_PUSH(diags->arena, &diag->notes) = (DiagNote){span, text};
}

static bool same_but_case(Str a, Str b) {
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; i++) {
        char x = a.p[i], y = b.p[i];
        if (x >= 'A' && x <= 'Z') x = (char)(x + 32);
        if (y >= 'A' && y <= 'Z') y = (char)(y + 32);
        if (x != y) return false;
    }
    return true;
}

static size_t same_start(Str a, Str b) {
    size_t n = 0;
    while (n < a.n && n < b.n && a.p[n] == b.p[n])
        n++;
    return n;
}

bool diag_suggest(Diags *diags, Diag *diag, Str wrong, const Str *candidates, size_t n) {
    /* One slip in three letters; a word of one or two letters is near to anything, so only its case may differ. */
    unsigned most = wrong.n / 3 < 4 ? (unsigned)(wrong.n / 3) : 4;
    Str best = {NULL, 0};
    for (size_t i = 0; i < n; i++) {
        bool same = same_but_case(wrong, candidates[i]);
        unsigned distance = same ? 0 : str_distance(wrong, candidates[i], most);
        if (distance > most) continue;
        /* Of two that are as near, what begins alike: the first letters are seldom the wrong ones. */
        if (best.p != NULL && distance == most && same_start(wrong, candidates[i]) <= same_start(wrong, best)) continue;
        best = candidates[i];
        if (same) break;
        most = distance;
    }
    if (best.p == NULL) return false;
    diag_hint(diags, diag, "did you mean %Q?", best);
    return true;
}

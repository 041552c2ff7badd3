/* marked.c: texts of functions as templates leave them: words, marks, blank lines.
 *
 * A matrix product is 160 KB of text, so each of these goes over it once, and adds it piece by piece. */
#include "emit/marked.h"

bool marked_is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* ---- words */
void words_init(Words *words, Arena *arena) {
    *words = (Words){0};
    names_init(&words->asked, arena);
    map_init(&words->found, arena);
}

/* The bit for words that begin and end as this one does. */
static uint32_t filter_bit(const char *word, size_t n) {
    return ((uint32_t)(unsigned char)word[0] * 37 + (unsigned char)word[n - 1]) % WORDS_FILTER;
}

void words_ask(Words *words, Str word) {
    if (word.n == 0) return;
    names_get(&words->asked, word);
    uint32_t bit = filter_bit(word.p, word.n);
    words->filter[bit / 64] |= (uint64_t)1 << bit % 64;
}

void words_look(Words *words, Str text) {
    bool is_word[256];
    for (int c = 0; c < 256; c++)
        is_word[c] = marked_is_word((char)c);
    for (const char *p = text.p, *end = p + text.n; p < end;) {
        const char *from = p;
        while (p < end && is_word[(unsigned char)*p])
            p++;
        if (p > from) {
            uint32_t bit = filter_bit(from, (size_t)(p - from));
            if (words->filter[bit / 64] >> bit % 64 & 1) {
                Name word = names_find(&words->asked, str(from, (size_t)(p - from)));
                if (word != NULL) map_set(&words->found, word, words);
            }
            if (p == end) break;
        }
        p += *p == '\001' && p + 1 < end ? 2 : 1;
    }
}

bool words_has(const Words *words, Str word) {
    Name name = names_find(&words->asked, word);
    return name != NULL && map_get(&words->found, name) != NULL;
}

/* ---- marks */
Str marked_fill(Arena *arena, Str text, Str uri, Str params, Str names) {
    Buf out;
    buf_init(&out, arena);
    buf_room(&out, text.n + uri.n + params.n + names.n);
    for (;;) {
        size_t at = str_find_char(text, '\001');
        if (at == STR_NONE || at + 1 == text.n) break;
        buf_add(&out, str_sub(text, 0, at));
        char what = text.p[at + 1];
        buf_add(&out, what == 'U' ? uri : what == 'P' ? params : names);
        text = str_sub(text, at + 2, text.n);
    }
    buf_add(&out, text);
    return buf_str(&out);
}

/* ---- blank lines */
void marked_tidy(Str text, Buf *out) {
    size_t begin = out->n;
    bool gap = false;
    buf_room(out, text.n + 1);
    while (text.n > 0) {
        size_t end = str_find_char(text, '\n');
        if (end == STR_NONE) end = text.n;
        Str line = str(text.p, end);
        while (line.n > 0 && (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '\t'))
            line.n--;
        if (line.n == 0) {
            gap = out->n > begin;
        } else {
            if (gap) buf_char(out, '\n');
            gap = false;
            buf_add(out, line);
            buf_char(out, '\n');
        }
        text = str_sub(text, end + 1, text.n);
    }
}

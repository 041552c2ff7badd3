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

/* The bit for words that begin with these two; 0: there is no second. */
static uint32_t filter_bit(char first, char second) {
    return ((uint32_t)(unsigned char)first & 0x7f) << 7 | ((uint32_t)(unsigned char)second & 0x7f);
}

void words_ask(Words *words, Str word) {
    if (word.n == 0) return;
    names_get(&words->asked, word);
    uint32_t bit = filter_bit(word.p[0], word.n > 1 ? word.p[1] : '\0');
    words->filter[bit / 64] |= (uint64_t)1 << bit % 64;
}

static void look_at(Words *words, Str text, size_t from) {
    char second = from + 1 < text.n && marked_is_word(text.p[from + 1]) ? text.p[from + 1] : '\0';
    uint32_t bit = filter_bit(text.p[from], second);
    if ((words->filter[bit / 64] >> bit % 64 & 1) == 0 || (from > 0 && text.p[from - 1] == '\001')) return;
    size_t to = from;
    while (to < text.n && marked_is_word(text.p[to]))
        to++;
    Name word = names_find(&words->asked, str_sub(text, from, to));
    if (word != NULL) map_set(&words->found, word, words);
}

/* A bit for each of so many letters: whether it is of a word. */
enum { AT_ONCE = 64 };
typedef uint8_t Letters __attribute__((vector_size(16)));

static uint64_t letters_of_words(const char *text) {
    uint64_t bits = 0;
    for (size_t i = 0; i < AT_ONCE; i += sizeof(Letters)) {
        Letters c;
        memcpy(&c, text + i, sizeof c);
        const Letters letter = (c | 0x20) - 'a', digit = c - '0';
        const Letters is_word = (Letters)((letter < 26) | (digit < 10) | (c == '_')) & 1;
        uint64_t eight[sizeof(Letters) / 8];
        memcpy(eight, &is_word, sizeof eight);
        for (size_t k = 0; k < sizeof eight / sizeof *eight; k++) {
            if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) eight[k] = __builtin_bswap64(eight[k]);
            /* the lowest bits of eight bytes beside each other */
            bits |= (eight[k] * 0x0102040810204080 >> 56) << (i + 8 * k);
        }
    }
    return bits;
}

/* Where words begin is told from bits: no branch hangs on how long they are, which nobody can foresee. */
void words_look(Words *words, Str text) {
    char last[AT_ONCE] = {0};
    uint64_t before = 0; /* whether the letter before is of a word */
    for (size_t from = 0; from < text.n; from += AT_ONCE) {
        const size_t left = text.n - from;
        if (left < AT_ONCE) memcpy(last, text.p + from, left);
        const uint64_t letters = letters_of_words(left < AT_ONCE ? last : text.p + from);
        uint64_t begins = letters & ~(letters << 1 | before);
        before = letters >> (AT_ONCE - 1);
        for (; begins != 0; begins &= begins - 1)
            look_at(words, text, from + (size_t)__builtin_ctzll(begins));
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

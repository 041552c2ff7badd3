/* marked.c: texts of functions as templates leave them: words, marks, blank lines. */
#include "emit/marked.h"

bool marked_is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void marked_words(Arena *arena, Str text, Names *words) {
    names_init(words, arena);
    for (size_t i = 0; i < text.n;) {
        size_t from = i;
        while (i < text.n && marked_is_word(text.p[i]))
            i++;
        if (i > from) names_get(words, str_sub(text, from, i));
        if (i < text.n) i += text.p[i] == '\001' ? 2 : 1;
    }
}

Str marked_fill(Arena *arena, Str text, Str uri, Str params, Str names) {
    Buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '\001' || i + 1 == text.n) {
            buf_char(&out, text.p[i]);
            continue;
        }
        char what = text.p[++i];
        buf_add(&out, what == 'U' ? uri : what == 'P' ? params : names);
    }
    return buf_str(&out);
}

/* Lines that are empty but for blanks are empty, no two of them in a row, none at the ends. */
Str marked_tidy(Arena *arena, Str text) {
    Buf out;
    buf_init(&out, arena);
    bool gap = false;
    for (size_t i = 0; i < text.n;) {
        size_t end = i;
        while (end < text.n && text.p[end] != '\n')
            end++;
        Str line = str_sub(text, i, end);
        while (line.n > 0 && (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '\t'))
            line.n--;
        if (line.n == 0) {
            gap = out.n > 0;
        } else {
            if (gap) buf_char(&out, '\n');
            gap = false;
            buf_add(&out, line);
            buf_char(&out, '\n');
        }
        i = end + 1;
    }
    return buf_str(&out);
}

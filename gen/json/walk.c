/* walk.c: over the text of a JSON value, without reading what is in it. */
#include "json/walk.h"

char json_walk_next(JsonWalk *walk) {
    while (walk->p < walk->end && (*walk->p == ' ' || *walk->p == '\n' || *walk->p == '\t' || *walk->p == '\r'))
        walk->p++;
    return walk->p < walk->end ? *walk->p : '\0';
}

bool json_walk_take(JsonWalk *walk, char c) {
    if (json_walk_next(walk) != c) return false;
    walk->p++;
    return true;
}

/* Up to the quote that ends a string: the first with an even number of backslashes before it. NULL: there is none. */
static const char *string_end(const char *from, const char *end) {
    for (const char *p = from; (p = memchr(p, '"', (size_t)(end - p))) != NULL; p++) {
        const char *before = p;
        while (before > from && before[-1] == '\\')
            before--;
        if ((p - before) % 2 == 0) return p;
    }
    return NULL;
}

bool json_walk_string(JsonWalk *walk, Str *text) {
    if (!json_walk_take(walk, '"')) return false;
    const char *from = walk->p, *end = string_end(from, walk->end);
    if (end == NULL) return false;
    *text = str(from, (size_t)(end - from));
    if (str_find_char(*text, '\\') != STR_NONE) *text = S("");
    walk->p = end + 1;
    return true;
}

/* From the bracket that begins a value to behind the one that ends it. */
static bool skip_brackets(JsonWalk *walk) {
    static const signed char counts[256] = {['{'] = 1, ['['] = 1, ['}'] = -1, [']'] = -1, ['"'] = 2};
    long depth = 0;
    const char *p = walk->p, *end = walk->end;
    while (p < end) {
        signed char count = counts[(unsigned char)*p++];
        if (count == 0) continue;
        if (count == 2) {
            p = string_end(p, end);
            if (p == NULL) return false;
            p++;
            continue;
        }
        depth += count;
        if (depth > 0) continue;
        walk->p = p;
        return true;
    }
    return false;
}

bool json_walk_skip(JsonWalk *walk) {
    Str ignored;
    char c = json_walk_next(walk);
    if (c == '"') return json_walk_string(walk, &ignored);
    if (c == '{' || c == '[') return skip_brackets(walk);
    const char *from = walk->p;
    while (walk->p < walk->end && memchr(",]} \n\t\r", *walk->p, 7) == NULL)
        walk->p++;
    return walk->p > from;
}

bool json_walk_key(JsonWalk *walk, bool first, Str *name) {
    return (first || json_walk_take(walk, ',')) && json_walk_string(walk, name) && json_walk_take(walk, ':');
}

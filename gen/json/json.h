/* json.h: JSON text into values that know where they stood.
 *
 * cJSON decodes; this stage closes what cJSON leaves open. A scan of its own goes over the text first:
 * strict RFC 8259 grammar, nothing after the value, duplicate keys, depth, UTF-8, NUL, surrogate pairs,
 * and the place of every value and key. Numbers are read from their own text, so that no integer loses
 * digits. Every mistake in the text is found in one go where the text allows to go on.
 */
#ifndef OPGEN_JSON_JSON_H
#define OPGEN_JSON_JSON_H

#include "base/file.h"
#include "base/map.h"

#define JSON_MOST_DEPTH 512
#define JSON_MOST_DIGITS 4300 /* of an integer; Python's limit too */

typedef enum JsonKind {
    JSON_NULL,
    JSON_BOOL,
    JSON_INT,    /* fits int64_t */
    JSON_BIGINT, /* an integer that does not: its digits, with '-' if negative */
    JSON_FLOAT,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
} JsonKind;

typedef struct Json Json;
typedef struct JsonMember JsonMember;

struct Json {
    JsonKind kind;
    uint32_t from, to; /* its place in the source */
    union {
        bool b;
        int64_t i;
        double f;
        Str s; /* JSON_STRING, JSON_BIGINT */
        struct {
            Json *items;
            uint32_t n;
        } array;
        struct {
            JsonMember *members; /* in the order of the text */
            uint32_t n;
        } object;
    } as;
};

struct JsonMember {
    Name key;
    uint32_t from, to; /* the key's place */
    Json value;
};

/* NULL after adding findings. Strings live in the arena or are pieces of the source's text, which must live as long. */
Json *json_parse(Arena *arena, Names *names, Source *source, Diags *diags);
/* The same, but a key that stands twice in an object is a finding that keeps nobody from going on: the first counts. */
Json *json_parse_lenient(Arena *arena, Names *names, Source *source, Diags *diags);
/* As json_parse for a value that stands somewhere in a text that is known to be UTF-8 without NUL. */
Json *json_parse_part(Arena *arena, Names *names, Source *source, size_t from, size_t to, Diags *diags);
Json *json_get(const Json *object, Str key); /* NULL if it has no such key */
const char *json_kind_name(JsonKind kind);   /* "a number", "an object", ... */
/* s with quotes and escapes, as JSON wants it. */
void json_quote(Buf *out, Str s);

#endif

/* scan.h: what the scan finds in a JSON text, for the json stage only.
 *
 * The scan leaves one Mark for each value and each key, in the order of the text: an object's mark, then for each
 * member the mark of its key and those of its value, and so on. read.c walks cJSON's tree in the same order. */
#ifndef OPGEN_JSON_SCAN_H
#define OPGEN_JSON_SCAN_H

#include "json.h"

typedef struct JsonMark {
    uint32_t from, to;
    uint32_t kind; /* a JsonKind, or JSON_MARK_KEY */
    union {
        uint32_t count; /* of an array or object */
        bool b;
        int64_t i;
        double f;
        Name key;
    } as;
} JsonMark;
enum { JSON_MARK_KEY = 100 };

typedef struct JsonFrame {
    uint32_t mark; /* of the bracket */
    bool object;
    uint32_t comma;  /* where the last comma stands; only until the next value */
    uint32_t keys;   /* where its keys begin in JsonScan.keys */
    uint32_t serial; /* tells objects apart in the table of keys */
} JsonFrame;

typedef struct JsonKey {
    Name key;
    uint32_t serial; /* 0: a free slot of the table */
    uint32_t from, to;
} JsonKey;

typedef struct JsonScan {
    Arena *arena; /* for what the scan needs; findings and names live in theirs */
    Names *names;
    Source *source;
    Diags *diags;
    const char *text, *p, *end;
    VEC(JsonMark) marks;
    VEC(JsonFrame) frames;
    VEC(JsonKey) keys; /* those of the open objects */
    JsonKey *table;    /* those of large objects, by object and name */
    uint32_t table_n, table_cap;
    uint32_t serial;
    uint32_t errors;
    uint32_t repeats;  /* errors that are keys which stand twice: the text is JSON all the same */
    bool lenient;      /* these do not count */
    bool long_numbers; /* some number is longer than cJSON takes */
} JsonScan;

enum { JSON_NUMBER_MOST = 60 }; /* cJSON cuts numbers at 63 characters */

/* The source's text from here to there. True when it is JSON; false after adding findings. */
bool json_scan(JsonScan *scan, size_t from, size_t to);

/* Finding at [from, to). */
Diag *json_fault(JsonScan *scan, DiagCode code, const char *from, const char *to, const char *format, ...);
/* What stands at scan->p, in words, and where it ends. */
Str json_got(JsonScan *scan, const char **to);

/* Tokens begin at scan->p; false: it makes no sense to go on. */
bool json_scan_string(JsonScan *scan, bool *escaped);
bool json_scan_number(JsonScan *scan);
bool json_scan_word(JsonScan *scan, const char *wanted);
bool json_scan_single(JsonScan *scan, const char *wanted); /* text in single quotes: always a mistake */
bool json_is_word(char c);
JsonMark *json_mark(JsonScan *scan, const char *from, uint32_t kind);

/* The text inside the quotes of a string that has escapes; the string is known to be well formed. */
Str json_unescape(Arena *arena, Str quoted);

#endif

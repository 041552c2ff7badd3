/* scan.c: the grammar of JSON over the whole text, strictly, with every mistake at its place.
 *
 * A loop with a stack of open brackets, never a recursion. After a mistake that leaves no doubt about what
 * was meant (a missing comma, a comma too many, a comment, a key without quotes) it goes on as if the text were
 * right, so that one run names them all; otherwise it stops, since what follows would be guesses. */
#include "scan.h"

enum { ERRORS_MOST = 100, KEYS_SMALL = 16 };

Diag *json_fault(JsonScan *scan, DiagCode code, const char *from, const char *to, const char *format, ...) {
    scan->errors++;
    va_list args;
    va_start(args, format);
    Span where = span(scan->source, (size_t)(from - scan->text), (size_t)(to - scan->text));
    Diag *diag = diag_vadd(scan->diags, DIAG_ERROR, code, where, format, args);
    va_end(args);
    return diag;
}

bool json_is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

Str json_got(JsonScan *scan, const char **to) {
    const char *p = scan->p;
    Arena *arena = scan->diags->arena;
    *to = p;
    if (p == scan->end) return S("the end of the text");
    *to = p + 1;
    if (*p == '"') return S("a string");
    if (*p == '-' || (*p >= '0' && *p <= '9')) return S("a number");
    if (json_is_word(*p)) {
        while (*to < scan->end && json_is_word(**to))
            ++*to;
        return str_format(arena, "%.40Q", str(p, (size_t)(*to - p)));
    }
    unsigned size;
    uint32_t code = str_decode(p, scan->end, &size);
    *to = p + size;
    if (code < 0x20 || (code >= 0x7f && code < 0xa1) || (code >= 0x2000 && code < 0x2070) || code == 0xfeff)
        return str_format(arena, "the character U+%04X", (unsigned)code);
    return code == '\'' ? S("a single quote") : str_format(arena, "'%S'", str(p, size));
}

/* `expected WANTED, got ...` at scan->p. */
static Diag *expected(JsonScan *scan, const char *wanted) {
    const char *to;
    Str got = json_got(scan, &to);
    return json_fault(scan, E_JSON_SYNTAX, scan->p, to, "expected %s, got %S", wanted, got);
}

JsonMark *json_mark(JsonScan *scan, const char *from, uint32_t kind) {
    JsonMark *mark = VEC_PUSH(scan->arena, &scan->marks);
    *mark = (JsonMark){.from = (uint32_t)(from - scan->text), .to = (uint32_t)(scan->p - scan->text), .kind = kind};
    return mark;
}

static void skip_comment(JsonScan *scan) {
    const char *from = scan->p;
    Str rest = str(from, (size_t)(scan->end - from));
    bool block = from[0] == '/' && from[1] == '*';
    size_t n = block ? str_find(str_sub(rest, 2, rest.n), S("*/")) : str_find_char(rest, '\n');
    bool open = block && n == STR_NONE;
    scan->p += n == STR_NONE ? rest.n : block ? n + 4 : n;
    Diag *diag = json_fault(scan, E_JSON_SYNTAX, from, open ? from + 2 : scan->p, "JSON has no comments");
    diag_hint(scan->diags, diag, open ? "and this one is not closed" : "remove it");
}

static void skip_space(JsonScan *scan) {
    for (; scan->p < scan->end; scan->p++) {
        const char *p = scan->p;
        if (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') continue;
        bool comment = *p == '#' || (*p == '/' && scan->end - p > 1 && (p[1] == '/' || p[1] == '*'));
        if (!comment) return;
        skip_comment(scan);
        scan->p--; /* the loop steps over it */
    }
}

static Str bracket_name(const JsonFrame *frame) { return frame->object ? S("object") : S("array"); }

/* The text ended inside a bracket: that is told where the bracket stands. */
static bool not_closed(JsonScan *scan) {
    JsonFrame *frame = &VEC_LAST(&scan->frames);
    const char *at = scan->text + scan->marks.items[frame->mark].from;
    json_fault(scan, E_JSON_SYNTAX, at, at + 1, "this %S is not closed: the text ends before its '%c'",
               bracket_name(frame), frame->object ? '}' : ']');
    return false;
}

/* ---- keys ---- */

static JsonKey *key_slot(JsonScan *scan, uint32_t serial, Name key) {
    uint32_t mask = scan->table_cap - 1;
    uint32_t i = ((uint32_t)key->hash ^ serial * 0x9e3779b1u) & mask;
    while (scan->table[i].serial != 0 && (scan->table[i].serial != serial || scan->table[i].key != key))
        i = (i + 1) & mask;
    return &scan->table[i];
}

static void table_add(JsonScan *scan, JsonKey key) {
    if (scan->table_n >= scan->table_cap / 2) {
        JsonKey *old = scan->table;
        uint32_t old_cap = scan->table_cap;
        uint32_t cap = old_cap == 0 ? 256 : old_cap * 2;
        scan->table = ARENA_ARRAY(scan->arena, JsonKey, cap);
        scan->table_cap = cap;
        for (uint32_t i = 0; i < old_cap; i++)
            if (old[i].serial != 0) *key_slot(scan, old[i].serial, old[i].key) = old[i];
    }
    *key_slot(scan, key.serial, key.key) = key;
    scan->table_n++;
}

/* Keys of a small object are compared one by one; those of a large one are in a table. */
static void add_key(JsonScan *scan, JsonKey key) {
    JsonFrame *frame = &VEC_LAST(&scan->frames);
    uint32_t count = scan->keys.n - frame->keys;
    const JsonKey *first = NULL;
    if (count >= KEYS_SMALL) {
        if (count == KEYS_SMALL)
            for (uint32_t i = frame->keys; i < scan->keys.n; i++)
                table_add(scan, scan->keys.items[i]);
        const JsonKey *slot = key_slot(scan, key.serial, key.key);
        if (slot->serial != 0) first = slot;
    } else {
        for (uint32_t i = frame->keys; first == NULL && i < scan->keys.n; i++)
            if (scan->keys.items[i].key == key.key) first = &scan->keys.items[i];
    }
    if (first != NULL) {
        Diag *diag = json_fault(scan, E_JSON_DUPLICATE, scan->text + key.from, scan->text + key.to,
                                "this object has the key %.80Q twice", name_str(key.key));
        diag_note(scan->diags, diag, span(scan->source, first->from, first->to), "it stands here first");
        scan->repeats++;
        return;
    }
    if (count >= KEYS_SMALL) table_add(scan, key);
    *VEC_PUSH(scan->arena, &scan->keys) = key;
}

/* A key as it should be, or a word or text in single quotes that was meant as one. */
static bool scan_key(JsonScan *scan) {
    const char *from = scan->p;
    Str text;
    if (*from == '"') {
        bool escaped = false;
        uint32_t errors = scan->errors;
        if (!json_scan_string(scan, &escaped)) return false;
        text = str(from + 1, (size_t)(scan->p - from) - 2);
        if (escaped && scan->errors == errors) text = json_unescape(scan->arena, str(from, (size_t)(scan->p - from)));
    } else if (json_is_word(*from)) {
        while (scan->p < scan->end && json_is_word(*scan->p))
            scan->p++;
        text = str(from, (size_t)(scan->p - from));
        Diag *diag = json_fault(scan, E_JSON_SYNTAX, from, scan->p, "expected a key in double quotes, got %.40Q", text);
        diag_hint(scan->diags, diag, "write %.40Q", text);
    } else if (*from == '\'') {
        if (!json_scan_single(scan, "a key in double quotes")) return false;
        text = str(from + 1, (size_t)(scan->p - from) - 2);
    } else {
        expected(scan, "a key in double quotes");
        return false;
    }
    JsonKey key = {names_get(scan->names, text), VEC_LAST(&scan->frames).serial, (uint32_t)(from - scan->text),
                   (uint32_t)(scan->p - scan->text)};
    json_mark(scan, from, JSON_MARK_KEY)->as.key = key.key;
    add_key(scan, key);
    return true;
}

/* ---- structure ---- */

static bool starts_value(char c) {
    return c == '"' || c == '{' || c == '[' || c == '-' || c == '\'' || json_is_word(c);
}

static bool open_bracket(JsonScan *scan) {
    const char *from = scan->p++;
    if (scan->frames.n == JSON_MOST_DEPTH) {
        Diag *diag =
            json_fault(scan, E_JSON_DEPTH, from, from + 1, "JSON is nested more than %d levels deep", JSON_MOST_DEPTH);
        diag_hint(scan->diags, diag, "this bracket goes too deep");
        return false;
    }
    bool object = *from == '{';
    json_mark(scan, from, object ? JSON_OBJECT : JSON_ARRAY)->as.count = 0;
    *VEC_PUSH(scan->arena, &scan->frames) =
        (JsonFrame){scan->marks.n - 1, object, UINT32_MAX, scan->keys.n, object ? ++scan->serial : 0};
    return true;
}

static void close_bracket(JsonScan *scan) {
    JsonFrame *frame = &VEC_LAST(&scan->frames);
    scan->p++;
    scan->marks.items[frame->mark].to = (uint32_t)(scan->p - scan->text);
    scan->keys.n = frame->keys;
    scan->frames.n--;
}

/* A scalar; false: stop. What is not one is reported, and read as null where it is clear where it ends. */
static bool scan_scalar(JsonScan *scan, const char *wanted) {
    const char *from = scan->p;
    char c = *from;
    if (c == '"') {
        bool escaped;
        if (!json_scan_string(scan, &escaped)) return false;
        json_mark(scan, from, JSON_STRING);
        return true;
    }
    if (c == '-' || c == '+' || c == '.' || (c >= '0' && c <= '9')) return json_scan_number(scan);
    if (json_is_word(c) || c == '\'') return json_scan_word(scan, wanted);
    expected(scan, wanted);
    if (scan->frames.n == 0 || (c != ',' && c != '}' && c != ']')) return false;
    json_mark(scan, from, JSON_NULL); /* nothing at all: as if null stood there */
    return true;
}

/* After a value inside a bracket: a comma, the bracket's end, or a mistake. False: stop. */
static bool after_value(JsonScan *scan, JsonFrame *frame) {
    char c = *scan->p;
    if (c == ',') {
        frame->comma = (uint32_t)(scan->p++ - scan->text);
        return true;
    }
    const char *wanted = frame->object ? "',' or '}' after a value" : "',' or ']' after a value";
    Diag *diag = expected(scan, wanted);
    bool missing = frame->object ? c == '"' || c == '\'' || json_is_word(c) : starts_value(c);
    if (missing) {
        diag_hint(scan->diags, diag, "is a comma missing before it?");
        return true;
    }
    if (c == '}' || c == ']') {
        JsonMark *open = &scan->marks.items[frame->mark];
        diag_note(scan->diags, diag, span(scan->source, open->from, open->from + 1), "the %S begins here",
                  bracket_name(frame));
    }
    return false;
}

/* A key and its colon. `none` is set when no value follows. */
static bool member_start(JsonScan *scan, bool *none) {
    *none = false;
    if (!scan_key(scan)) return false;
    skip_space(scan);
    if (scan->p == scan->end) return not_closed(scan);
    if (*scan->p == ':') {
        scan->p++;
        return true;
    }
    char c = *scan->p;
    Diag *diag = expected(scan, "':' after a key");
    if (c == '=') {
        diag_hint(scan->diags, diag, "write ':'");
        scan->p++;
        return true;
    }
    *none = c == ',' || c == '}';
    return *none || starts_value(c);
}

/* The bracket's end where a value or key may stand; reports a comma that stands before it. */
static bool at_close(JsonScan *scan, JsonFrame *frame) {
    if (*scan->p != (frame->object ? '}' : ']')) return false;
    if (frame->comma != UINT32_MAX) {
        const char *at = scan->text + frame->comma;
        Diag *diag = json_fault(scan, E_JSON_SYNTAX, at, at + 1, "trailing comma behind the last value of this %S",
                                bracket_name(frame));
        diag_hint(scan->diags, diag, "remove it");
    }
    return true;
}

/* One value, or one member, of the innermost bracket. */
static bool scan_item(JsonScan *scan, JsonFrame *frame) {
    bool first = scan->marks.items[frame->mark].as.count++ == 0, none = false;
    frame->comma = UINT32_MAX;
    const char *wanted = frame->object ? "a value after ':'" : first ? "a value or ']'" : "a value after ','";
    if (frame->object) {
        if (*scan->p != '"' && first && !json_is_word(*scan->p) && *scan->p != '\'') {
            expected(scan, "a key in double quotes or '}'");
            return false;
        }
        if (!member_start(scan, &none)) return false;
        skip_space(scan);
        if (scan->p == scan->end) return not_closed(scan);
    }
    if (none) {
        json_mark(scan, scan->p, JSON_NULL);
        return true;
    }
    /* Opening moves the stack, so frame is not used any more. */
    return *scan->p == '{' || *scan->p == '[' ? open_bracket(scan) : scan_scalar(scan, wanted);
}

static bool scan_value(JsonScan *scan) {
    if (*scan->p != '{' && *scan->p != '[') return scan_scalar(scan, "a value");
    if (!open_bracket(scan)) return false;
    bool opened = true; /* nothing has been read yet inside the innermost bracket */
    while (scan->frames.n > 0) {
        if (scan->errors >= ERRORS_MOST) return false;
        JsonFrame *frame = &VEC_LAST(&scan->frames);
        skip_space(scan);
        if (scan->p == scan->end) return not_closed(scan);
        if (at_close(scan, frame)) {
            close_bracket(scan);
            opened = false;
            continue;
        }
        if (!opened && frame->comma == UINT32_MAX) {
            if (!after_value(scan, frame)) return false;
            if (frame->comma != UINT32_MAX) continue; /* to what stands behind the comma, which may be the end */
        }
        uint32_t depth = scan->frames.n;
        if (!scan_item(scan, frame)) return false;
        opened = scan->frames.n > depth;
    }
    return true;
}

bool json_scan(JsonScan *scan, size_t from, size_t to) {
    Str text = scan->source->text;
    scan->text = text.n == 0 ? "" : text.p;
    scan->p = scan->text + from;
    scan->end = scan->text + to;
    if (from == 0 && str_starts(text, S("\xef\xbb\xbf"))) scan->p += 3;
    skip_space(scan);
    if (scan->p == scan->end) {
        Diag *diag = expected(scan, "a value");
        if (scan->errors == 1) diag_hint(scan->diags, diag, "there is nothing in the text");
        return false;
    }
    if (!scan_value(scan)) return false;
    skip_space(scan);
    if (scan->p < scan->end) {
        bool another = *scan->p == '{' || *scan->p == '[';
        Diag *diag = expected(scan, "the end of the text after the value");
        if (another) diag_hint(scan->diags, diag, "a text holds one value: put several into an array");
    }
    return scan->errors == (scan->lenient ? scan->repeats : 0);
}

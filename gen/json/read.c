/* read.c: a checked text into values.
 *
 * cJSON decodes; this is the only file that calls it. Its memory comes from an arena that is thrown away after
 * the values were taken over, and its free does nothing, so a request that fails in the middle can
 * simply jump out. A long text is decoded piece by piece, so that the tree of only one piece exists at a time: the scan
 * knows where each value ends. Kinds, numbers, keys and places are the scan's; what is taken from cJSON is the tree and
 * its strings. */
#include "scan.h"

#include <cjson/cJSON.h>

static _Thread_local Arena *decode_arena; /* where cJSON's memory comes from while it decodes */

static void *decode_alloc(size_t n) { return decode_arena == NULL ? NULL : arena_alloc(decode_arena, n); }

static void decode_free(void *p) { (void)p; }

/* Once, before there are threads: cJSON keeps its hooks in a global. */
__attribute__((constructor)) static void set_hooks(void) {
    cJSON_Hooks hooks = {decode_alloc, decode_free};
    cJSON_InitHooks(&hooks);
}

static cJSON *decode(Arena *arena, Str text) {
    decode_arena = arena;
    cJSON *tree = cJSON_ParseWithLength(text.p, text.n);
    decode_arena = NULL;
    return tree;
}

Str json_unescape(Arena *arena, Str quoted) {
    const cJSON *string = decode(arena, quoted);
    return string == NULL || string->valuestring == NULL ? quoted : str_c(string->valuestring);
}

/* cJSON cuts numbers at 63 characters and then trips over the rest. Their values are known already, so it gets a text
 * of the same length with a 0 in the place of each long one. */
static Str without_long_numbers(const JsonScan *scan, Str text) {
    if (!scan->long_numbers) return text;
    char *copy = arena_copy(scan->arena, text.p, text.n);
    for (uint32_t i = 0; i < scan->marks.n; i++) {
        JsonMark mark = scan->marks.items[i];
        bool number = mark.kind == JSON_INT || mark.kind == JSON_BIGINT || mark.kind == JSON_FLOAT;
        if (!number || mark.to - mark.from <= JSON_NUMBER_MOST) continue;
        memset(copy + mark.from, ' ', mark.to - mark.from);
        copy[mark.from] = '0';
    }
    return str(copy, text.n);
}

static bool agrees(const JsonMark *mark, const cJSON *node) {
    if (node == NULL) return false;
    switch (mark->kind) {
    case JSON_NULL:
        return cJSON_IsNull(node);
    case JSON_BOOL:
        return cJSON_IsBool(node);
    case JSON_STRING:
        return cJSON_IsString(node);
    case JSON_ARRAY:
        return cJSON_IsArray(node);
    case JSON_OBJECT:
        return cJSON_IsObject(node);
    default:
        return cJSON_IsNumber(node);
    }
}

/* The value itself; of an array or object only the room for what is in it. */
static void fill(Arena *arena, Json *value, const JsonMark *mark, const cJSON *node, Str text) {
    *value = (Json){.kind = (JsonKind)mark->kind, .from = mark->from, .to = mark->to};
    switch (value->kind) {
    case JSON_NULL:
        break;
    case JSON_BOOL:
        value->as.b = mark->as.b;
        break;
    case JSON_INT:
        value->as.i = mark->as.i;
        break;
    case JSON_FLOAT:
        value->as.f = mark->as.f;
        break;
    case JSON_BIGINT:
        value->as.s = str_sub(text, mark->from, mark->to);
        break;
    case JSON_STRING:
        value->as.s = str_c(node->valuestring);
        /* Every escape is longer than what it stands for, so a string of the same length has none and can stay where it
         * is. */
        if (value->as.s.n == mark->to - mark->from - 2)
            value->as.s = str_sub(text, mark->from + 1, mark->to - 1);
        else
            value->as.s = str_copy(arena, value->as.s);
        break;
    case JSON_ARRAY:
        value->as.array.n = mark->as.count;
        if (mark->as.count > 0) value->as.array.items = arena_alloc(arena, mem_times(mark->as.count, sizeof(Json)));
        break;
    case JSON_OBJECT:
        value->as.object.n = mark->as.count;
        if (mark->as.count > 0)
            value->as.object.members = arena_alloc(arena, mem_times(mark->as.count, sizeof(JsonMember)));
        break;
    }
}

typedef struct Level {
    Json *value;
    uint32_t done;
    bool apart;         /* longer than a piece: each of its values is decoded on its own */
    const cJSON *child; /* the next one */
} Level;

enum { PIECE_MOST = 1 << 18 };

static bool is_apart(const JsonMark *mark) {
    return (mark->kind == JSON_ARRAY || mark->kind == JSON_OBJECT) && mark->to - mark->from > PIECE_MOST;
}

/* Walks cJSON's trees and the marks in step. NULL, with *at at the mark, where they disagree. */
static Json *build(Arena *arena, const JsonScan *scan, Str decodable, uint32_t *at) {
    Str text = scan->source->text;
    const JsonMark *marks = scan->marks.items;
    Level *levels = ARENA_ARRAY(scan->arena, Level, JSON_MOST_DEPTH);
    uint32_t depth = 0;
    Json *root = ARENA_NEW(arena, Json), *value = root;
    ArenaMark room = arena_mark(scan->arena);
    const cJSON *node = NULL;
    for (;;) {
        const JsonMark *mark = &marks[*at];
        bool apart = (depth == 0 || levels[depth - 1].apart) && is_apart(mark);
        if (!apart && (depth == 0 || levels[depth - 1].apart)) {
            arena_reset(scan->arena, room);
            node = decode(scan->arena, str_sub(decodable, mark->from, mark->to));
        }
        if (!apart && !agrees(mark, node)) return NULL;
        fill(arena, value, mark, node, text);
        bool holds = value->kind == JSON_ARRAY || value->kind == JSON_OBJECT;
        if (holds) levels[depth++] = (Level){value, 0, apart, apart ? NULL : node->child};
        ++*at;
        for (; depth > 0; depth--) {
            const Json *holder = levels[depth - 1].value;
            uint32_t n = holder->kind == JSON_ARRAY ? holder->as.array.n : holder->as.object.n;
            if (levels[depth - 1].done < n) break;
        }
        if (depth == 0) return root;
        Level *level = &levels[depth - 1];
        node = level->child;
        if (node != NULL) level->child = node->next;
        if (level->value->kind == JSON_ARRAY) {
            value = &level->value->as.array.items[level->done++];
        } else {
            JsonMember *member = &level->value->as.object.members[level->done++];
            const JsonMark *key = &marks[(*at)++];
            member->key = key->as.key;
            member->from = key->from;
            member->to = key->to;
            value = &member->value;
        }
    }
}

/* Of members with the same key the first stays. */
static void drop_repeated(Arena *arena, Json *object) {
    Map seen;
    map_init(&seen, arena);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < object->as.object.n; i++) {
        JsonMember member = object->as.object.members[i];
        if (map_set(&seen, member.key, object) == NULL) object->as.object.members[kept++] = member;
    }
    object->as.object.n = kept;
}

static void drop_all_repeated(Arena *arena, Json *root) {
    VEC(Json *) open = {0};
    *VEC_PUSH(arena, &open) = root;
    while (open.n > 0) {
        Json *json = open.items[--open.n];
        bool object = json->kind == JSON_OBJECT;
        if (object) drop_repeated(arena, json);
        uint32_t n = object ? json->as.object.n : json->kind == JSON_ARRAY ? json->as.array.n : 0;
        for (uint32_t i = 0; i < n; i++)
            *VEC_PUSH(arena, &open) = object ? &json->as.object.members[i].value : &json->as.array.items[i];
    }
}

static Json *parse(Arena *arena, JsonScan *scan, size_t from, size_t to) {
    if (!json_scan(scan, from, to)) return NULL;
    uint32_t at = 0;
    Json *root = build(arena, scan, without_long_numbers(scan, scan->source->text), &at);
    if (root == NULL) {
        /* Both have the same grammar, so this tells of a fault in one of them and must not pass in silence. */
        JsonMark mark = scan->marks.items[at];
        json_fault(scan, E_JSON_SYNTAX, scan->text + mark.from, scan->text + mark.to,
                   "libcjson reads this otherwise than opgen does");
    }
    if (root != NULL && scan->repeats > 0) drop_all_repeated(scan->arena, root);
    return root;
}

/* The scan's arena is freed on every way out; it is the caller's local, so that a jump leaves it as it is. */
static Json *parse_guarded(Arena *arena, JsonScan *scan, size_t from, size_t to) {
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        decode_arena = NULL;
        arena_free(scan->arena);
        mem_fail(trap.why, trap.wanted);
    }
    Json *root = parse(arena, scan, from, to);
    mem_untrap(&trap);
    arena_free(scan->arena);
    return root;
}

static Json *parse_with(Arena *arena, JsonScan scan, size_t from, size_t to) {
    Arena room;
    arena_init(&room);
    room.limit = arena->limit;
    scan.arena = &room;
    return parse_guarded(arena, &scan, from, to);
}

Json *json_parse_part(Arena *arena, Names *names, Source *source, size_t from, size_t to, Diags *diags) {
    return parse_with(arena, (JsonScan){.names = names, .source = source, .diags = diags}, from, to);
}

Json *json_parse(Arena *arena, Names *names, Source *source, Diags *diags) {
    if (!file_check_text(source, diags)) return NULL;
    return json_parse_part(arena, names, source, 0, source->text.n, diags);
}

Json *json_parse_lenient(Arena *arena, Names *names, Source *source, Diags *diags) {
    if (!file_check_text(source, diags)) return NULL;
    JsonScan scan = {.names = names, .source = source, .diags = diags, .lenient = true};
    return parse_with(arena, scan, 0, source->text.n);
}

Json *json_get(const Json *object, Str key) {
    if (object->kind != JSON_OBJECT) return NULL;
    for (uint32_t i = 0; i < object->as.object.n; i++)
        if (str_eq(name_str(object->as.object.members[i].key), key)) return &object->as.object.members[i].value;
    return NULL;
}

const char *json_kind_name(JsonKind kind) {
    static const char *const names[] = {
        [JSON_NULL] = "null",         [JSON_BOOL] = "true or false", [JSON_INT] = "an integer",
        [JSON_BIGINT] = "an integer", [JSON_FLOAT] = "a number",     [JSON_STRING] = "a string",
        [JSON_ARRAY] = "an array",    [JSON_OBJECT] = "an object",
    };
    return names[kind];
}

void json_quote(Buf *out, Str s) { buf_json(out, s); }

/* fuzz_json.c: any bytes as JSON. They are a value or there is a finding; findings can be shown in every format; and a
 * value, written out again, reads as the same value. */
#include "json/json.h"

#include <stdlib.h>

static void write_value(Buf *out, const Json *value) {
    switch (value->kind) {
    case JSON_NULL:
        buf_add(out, S("null"));
        break;
    case JSON_BOOL:
        buf_add(out, value->as.b ? S("true") : S("false"));
        break;
    case JSON_INT:
        buf_int(out, value->as.i);
        break;
    case JSON_BIGINT:
        buf_add(out, value->as.s);
        break;
    case JSON_FLOAT:
        buf_format(out, "%.17e", value->as.f);
        break;
    case JSON_STRING:
        json_quote(out, value->as.s);
        break;
    case JSON_ARRAY:
        buf_char(out, '[');
        for (uint32_t i = 0; i < value->as.array.n; i++) {
            if (i > 0) buf_char(out, ',');
            write_value(out, &value->as.array.items[i]);
        }
        buf_char(out, ']');
        break;
    case JSON_OBJECT:
        buf_char(out, '{');
        for (uint32_t i = 0; i < value->as.object.n; i++) {
            if (i > 0) buf_char(out, ',');
            json_quote(out, name_str(value->as.object.members[i].key));
            buf_char(out, ':');
            write_value(out, &value->as.object.members[i].value);
        }
        buf_char(out, '}');
        break;
    }
}

static void require(bool condition) {
    if (!condition) abort();
}

/* The value as text; empty after findings. */
static Str read_and_write(Arena *arena, Str text, Diags *diags) {
    Names names;
    names_init(&names, arena);
    diags_init(diags, arena);
    const Json *value = json_parse(arena, &names, source_new(arena, S("fuzz"), text), diags);
    require((value != NULL) == (diags->errors == 0));
    Buf out;
    buf_init(&out, arena);
    if (value != NULL) {
        require(value->from < value->to && value->to <= text.n);
        write_value(&out, value);
    }
    return buf_str(&out);
}

/* Who is lenient gets a value where keys that stand twice are the only mistakes, and as many findings: what is left is
 * JSON without them. */
static void read_leniently(Arena *arena, Str text, const Diags *strict) {
    Names names;
    names_init(&names, arena);
    Diags diags;
    diags_init(&diags, arena);
    const Json *value = json_parse_lenient(arena, &names, source_new(arena, S("fuzz"), text), &diags);
    require(diags.errors == strict->errors);
    bool only_keys = true;
    for (uint32_t i = 0; i < diags.items.n; i++)
        only_keys = only_keys && diags.items.items[i]->code == E_JSON_DUPLICATE;
    require(value == NULL ? diags.errors > 0 : only_keys);
    require(value != NULL || !only_keys || diags.errors > diags.items.n);
    if (value == NULL) return;
    Buf out;
    buf_init(&out, arena);
    write_value(&out, value);
    Diags none;
    require(str_eq(read_and_write(arena, buf_str(&out), &none), buf_str(&out)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena;
    arena_init(&arena);
    Diags diags;
    Str once = read_and_write(&arena, str((const char *)data, size), &diags);
    read_leniently(&arena, str((const char *)data, size), &diags);
    if (diags.errors == 0) {
        Str twice = read_and_write(&arena, once, &diags);
        require(diags.errors == 0 && str_eq(once, twice));
    } else {
        for (int format = DIAG_TEXT; format <= DIAG_SARIF; format++) {
            Buf out;
            buf_init(&out, &arena);
            diags_render(&diags, (DiagFormat)format, false, &out);
            require(out.n > 0 && str_invalid_utf8(buf_str(&out)) == STR_NONE);
            /* What programs read is JSON itself. */
            if (format == DIAG_JSON || format == DIAG_SARIF) {
                Diags none;
                require(read_and_write(&arena, buf_str(&out), &none).n > 0);
            }
        }
    }
    arena_free(&arena);
    return 0;
}

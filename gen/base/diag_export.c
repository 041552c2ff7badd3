/* diag_export.c: findings for other programs: JSON, GitHub's workflow commands, SARIF 2.1.0.
 *
 * All three have the same content as the text. Columns count code points from 1, and an end is the place
 * behind the last character. */
#include "base/diag_formats.h"

static const struct {
    DiagCode code;
    Str name, summary;
} codes[] = {
#define DIAG(number, name, summary) {name, {#name, sizeof #name - 1}, {summary, sizeof summary - 1}},
#include "base/diag_codes.h"
#undef DIAG
};
enum { CODES = sizeof codes / sizeof codes[0] };

static void add_name(Buf *out, Str constant) {
    for (size_t i = 2; i < constant.n; i++) { /* behind E_ */
        char c = constant.p[i];
        buf_char(out, c == '_' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c + 32) : c);
    }
}

/* The text as JSON wants it, with a name in front: `, "message": "..."`. */
static void add_member(Buf *out, const char *name, Str text) {
    buf_format(out, ", \"%s\": ", name);
    buf_json(out, text);
}

static size_t code_index(DiagCode code) {
    size_t i = 0;
    while (i < CODES - 1 && codes[i].code != code)
        i++;
    return i;
}

static void add_code(Buf *out, DiagCode code) {
    buf_format(out, "\"code\": \"E%03d\", \"name\": \"", (int)code);
    add_name(out, codes[code_index(code)].name);
    buf_char(out, '"');
}

/* ---- JSON ---- */

static void json_place(const DiagList *list, Buf *out, Span where) {
    if (where.source == NULL) {
        buf_add(out, S("\"file\": null, \"line\": null, \"column\": null, \"end_line\": null, \"end_column\": null"));
        return;
    }
    Place from = source_place(list->arena, where.source, where.from);
    Place to = source_place(list->arena, where.source, where.to < where.from ? where.from : where.to);
    buf_add(out, S("\"file\": "));
    buf_json(out, where.source->name);
    buf_format(out, ", \"line\": %u, \"column\": %u, \"end_line\": %u, \"end_column\": %u", from.line, from.column,
               to.line, to.column);
}

void diag_render_json(const DiagList *list, Buf *out) {
    buf_char(out, '[');
    for (uint32_t i = 0; i < list->n; i++) {
        const Diag *diag = list->items[i];
        buf_format(out, "%s\n  {\"level\": \"%S\", ", i == 0 ? "" : ",", diag_level_name(diag->level));
        add_code(out, diag->code);
        add_member(out, "message", diag->text);
        add_member(out, "hint", diag->hint);
        buf_add(out, S(",\n   "));
        json_place(list, out, diag->span);
        buf_add(out, S(",\n   \"notes\": ["));
        for (uint32_t k = 0; k < diag->notes.n; k++) {
            buf_add(out, k == 0 ? S("\n     {") : S(",\n     {"));
            json_place(list, out, diag->notes.items[k].span);
            add_member(out, "message", diag->notes.items[k].text);
            buf_char(out, '}');
        }
        buf_add(out, S("]}"));
    }
    Str left_out = diag_left_out(list);
    if (left_out.n > 0) {
        /* Of the same shape, so that readers need to know nothing of it. */
        buf_format(out, "%s\n  {\"level\": \"note\", \"code\": null, \"name\": null", list->n == 0 ? "" : ",");
        add_member(out, "message", left_out);
        buf_add(out, S(", \"hint\": \"\",\n   "));
        json_place(list, out, span(NULL, 0, 0));
        buf_add(out, S(",\n   \"notes\": []}"));
    }
    buf_add(out, list->n == 0 && left_out.n == 0 ? S("]\n") : S("\n]\n"));
}

/* ---- GitHub ---- */

static void add_escaped(Buf *out, Str text, bool property) {
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
            buf_format(out, "%%%02X", (unsigned)(unsigned char)c);
        else
            buf_char(out, c);
    }
}

void diag_render_github(const DiagList *list, Buf *out) {
    for (uint32_t i = 0; i < list->n; i++) {
        const Diag *diag = list->items[i];
        buf_format(out, "::%S ", diag_level_name(diag->level));
        if (diag->span.source != NULL) {
            Span where = diag->span;
            Place from = source_place(list->arena, where.source, where.from);
            Place to = source_place(list->arena, where.source, where.to < where.from ? where.from : where.to);
            buf_add(out, S("file="));
            add_escaped(out, where.source->name, true);
            buf_format(out, ",line=%u,col=%u,endLine=%u,endColumn=%u,", from.line, from.column, to.line, to.column);
        }
        buf_format(out, "title=E%03d ", (int)diag->code);
        add_escaped(out, codes[code_index(diag->code)].summary, true);
        buf_add(out, S("::"));
        Buf message;
        buf_init(&message, list->arena);
        diag_show(&message, diag->text);
        if (diag->hint.n > 0) {
            buf_add(&message, S("\nhint: "));
            diag_show(&message, diag->hint);
        }
        for (uint32_t k = 0; k < diag->notes.n; k++) {
            Span where = diag->notes.items[k].span;
            buf_char(&message, '\n');
            if (where.source != NULL) {
                Place place = source_place(list->arena, where.source, where.from);
                diag_show(&message, where.source->name);
                buf_format(&message, ":%u:%u: ", place.line, place.column);
            }
            buf_add(&message, S("note: "));
            diag_show(&message, diag->notes.items[k].text);
        }
        add_escaped(out, buf_str(&message), false);
        buf_char(out, '\n');
    }
    Str left_out = diag_left_out(list);
    if (left_out.n > 0) buf_format(out, "::notice title=opgen::%S\n", left_out);
}

/* ---- SARIF ---- */

/* A path as a URI reference: what is not allowed in one is percent-encoded. */
static void add_uri(Buf *out, Str path) {
    if (str_starts(path, S("/"))) buf_add(out, S("file://"));
    for (size_t i = 0; i < path.n; i++) {
        char c = path.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     (c != '\0' && strchr("-._~/!$&'()*+,;=@", c) != NULL);
        if (plain)
            buf_char(out, c);
        else
            buf_format(out, "%%%02X", (unsigned)(unsigned char)c);
    }
}

static void sarif_location(const DiagList *list, Buf *out, Span where) {
    Place from = source_place(list->arena, where.source, where.from);
    Place to = source_place(list->arena, where.source, where.to < where.from ? where.from : where.to);
    buf_add(out, S("\"physicalLocation\": {\"artifactLocation\": {\"uri\": \""));
    add_uri(out, where.source->name);
    buf_format(out, "\"}, \"region\": {\"startLine\": %u, \"startColumn\": %u, \"endLine\": %u, \"endColumn\": %u}}",
               from.line, from.column, to.line, to.column);
}

static void sarif_rules(Buf *out) {
    for (size_t i = 0; i < CODES; i++) {
        buf_format(out, "%s\n        {\"id\": \"E%03d\", \"name\": \"", i == 0 ? "" : ",", (int)codes[i].code);
        add_name(out, codes[i].name);
        buf_add(out, S("\", \"shortDescription\": {\"text\": "));
        buf_json(out, codes[i].summary);
        buf_add(out, S("}}"));
    }
}

static void sarif_result(const DiagList *list, Buf *out, const Diag *diag) {
    buf_format(out, "\n    {\"ruleId\": \"E%03d\", \"ruleIndex\": %zu, \"level\": \"%S\", \"message\": {\"text\": ",
               (int)diag->code, code_index(diag->code), diag_level_name(diag->level));
    Str text = diag->text;
    if (diag->hint.n > 0) text = str_format(list->arena, "%S (%S)", text, diag->hint);
    buf_json(out, text);
    buf_char(out, '}');
    if (diag->span.source != NULL) {
        buf_add(out, S(",\n     \"locations\": [{"));
        sarif_location(list, out, diag->span);
        buf_add(out, S("}]"));
    }
    for (uint32_t k = 0; k < diag->notes.n; k++) {
        DiagNote note = diag->notes.items[k];
        buf_format(out, k == 0 ? ",\n     \"relatedLocations\": [\n       {\"id\": %u, " : ",\n       {\"id\": %u, ",
                   (unsigned)k + 1);
        if (note.span.source != NULL) {
            sarif_location(list, out, note.span);
            buf_add(out, S(", "));
        }
        buf_add(out, S("\"message\": {\"text\": "));
        buf_json(out, note.text);
        buf_add(out, S("}}"));
    }
    buf_add(out, diag->notes.n > 0 ? S("]}") : S("}"));
}

void diag_render_sarif(const DiagList *list, Buf *out) {
    buf_add(out, S("{\"version\": \"2.1.0\",\n"
                   " \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
                   " \"runs\": [{\n"
                   "   \"tool\": {\"driver\": {\"name\": \"opgen\", \"rules\": ["));
    sarif_rules(out);
    buf_add(out, S("]}},\n   \"columnKind\": \"unicodeCodePoints\",\n"));
    Str left_out = diag_left_out(list);
    if (left_out.n > 0) {
        buf_add(out, S("   \"properties\": {\"leftOut\": "));
        buf_json(out, left_out);
        buf_add(out, S("},\n"));
    }
    buf_add(out, S("   \"results\": ["));
    for (uint32_t i = 0; i < list->n; i++) {
        if (i > 0) buf_char(out, ',');
        sarif_result(list, out, list->items[i]);
    }
    buf_add(out, S("]}]}\n"));
}

/* driver_text.c: anybody's text where C, Make and CMake read it: as a literal, or in a comment. */
#include "emit/driver.h"

#include "base/diag_formats.h"

static void add_literal(Buf *out, Str text) {
    buf_char(out, '"');
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c == '"' || c == '\\' || c == '?') /* ??/ and the like are older characters for others */
            buf_char(out, '\\'), buf_char(out, (char)c);
        else if (c == '\n')
            buf_add(out, S("\\n"));
        else if (c < ' ' || c >= 0x7f)
            buf_format(out, "\\%c%c%c", '0' + (c >> 6), '0' + (c >> 3 & 7), '0' + (c & 7));
        else
            buf_char(out, (char)c);
    }
    buf_char(out, '"');
}

/* One line that does not end the comment it is in, and begins none; marks that reorder text, which compilers warn of,
 * and bytes that are no text are shown as what they are. */
static void add_comment(Arena *arena, Buf *out, Str given) {
    Buf shown;
    buf_init(&shown, arena);
    diag_show(&shown, given);
    Str text = buf_str(&shown);
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        char before = i > 0 ? text.p[i - 1] : ' ';
        if ((c == '/' && before == '*') || (c == '*' && before == '/')) buf_char(out, ' ');
        buf_char(out, (char)c);
    }
}

Str driver_literal(Arena *arena, Str text) {
    Buf out;
    buf_init(&out, arena);
    add_literal(&out, text);
    return buf_str(&out);
}

Str driver_comment(Arena *arena, Str text) {
    Buf out;
    buf_init(&out, arena);
    add_comment(arena, &out, text);
    return buf_str(&out);
}

static Value native_c_string(Run *run, const Value *a, void *user) {
    (void)user;
    return val_str(run, driver_literal(run->arena, val_text(val_to_str(run, a[0]))));
}

static Value native_comment(Run *run, const Value *a, void *user) {
    (void)user;
    return val_str(run, driver_comment(run->arena, val_text(val_to_str(run, a[0]))));
}

void driver_functions(Engine *engine) {
    engine_add_function(engine, "c_string", native_c_string, "text", NULL);
    engine_add_function(engine, "comment", native_comment, "text", NULL);
}

/* text_format.c: str.format.
 *
 * A format is text with fields, "{0.name[3]!r:>10}": which value, what is looked up in it, a conversion, and a
 * specification that is for the value's type to read (text_spec.c) and may hold fields of its own. Names look things up
 * as Python does: ".name" an attribute, "[key]" an element. A safe format escapes what is put into it. */
#include "template/value/text.h"

#include "template/value/inner.h"

typedef enum Numbering { NUMBERING_OPEN, NUMBERING_AUTO, NUMBERING_MANUAL } Numbering;

typedef struct Format {
    Run *run;
    const List *args; /* NULL: format_map, which has none */
    const Dict *keywords;
    bool safe;
    Numbering numbering;
    int64_t next; /* the number that the next "{}" gets */
} Format;

#define WHO "str.format"

/* The number that the text is, of decimal digits in any script; -1: it is not one. */
static int64_t read_index(Run *run, Str s) {
    if (s.n == 0) return -1;
    int64_t n = 0;
    for (size_t i = 0; i < s.n;) {
        unsigned size;
        int digit = unicode_decimal(str_decode(s.p + i, s.p + s.n, &size));
        if (digit < 0) return -1;
        if (n > (INT64_MAX - digit) / 10) run_fail(run, WHO ": the number %S is too large", s);
        n = n * 10 + digit;
        i += size;
    }
    return n;
}

static Value positional(Format *format, int64_t i) {
    Run *run = format->run;
    if (format->args == NULL) run_fail(run, WHO "_map: a field must have a name, not a place");
    if ((uint64_t)i >= format->args->n)
        run_fail(run, WHO ": the format asks for value {%lld}, but %u %s given", (long long)i, format->args->n,
                 format->args->n == 1 ? "is" : "are");
    return format->args->items[i];
}

/* Empty means the next one; numbers and nothing do not mix. whole: nothing is looked up in it. string.Formatter, by
 * which safe texts format, counts only such fields, and knows no next one elsewhere. */
static Value first_value(Format *format, Str name, bool whole) {
    Run *run = format->run;
    int64_t i = read_index(run, name);
    bool counts = !format->safe || whole;
    if (i >= 0 && !counts) return positional(format, i);
    if (counts && (name.n == 0 || i >= 0)) {
        Numbering now = name.n == 0 ? NUMBERING_AUTO : NUMBERING_MANUAL;
        if (format->numbering == NUMBERING_OPEN) format->numbering = now;
        if (format->numbering != now)
            run_fail(run, WHO ": \"{}\" and \"{0}\" cannot be mixed: number all fields or none");
        return positional(format, name.n == 0 ? format->next++ : i);
    }
    Value *found = format->keywords == NULL ? NULL : dict_find(run, format->keywords, val_str(run, name));
    if (found != NULL) return *found;
    if (format->args == NULL) run_fail(run, WHO "_map: there is no key %Q", name);
    run_fail(run, WHO ": no value is named %Q", name);
}

/* Python's getattr, which does not look for elements. */
static Value attribute(Format *format, Value v, Str name) {
    Run *run = format->run;
    Value found;
    if (v.kind == V_UNDEFINED || v.kind == V_INT || v.kind == V_BOOL || v.kind == V_BIG || v.kind == V_FLOAT ||
        v.kind == V_RANGE) {
        found = val_get_attr(run, v, names_get(run->names, name));
        if (found.kind != V_UNDEFINED || v.kind == V_UNDEFINED) return found;
    } else if (v.kind == V_OBJECT && v.as.object->class->get != NULL) {
        if (v.as.object->class->get(run, v.as.object, names_get(run->names, name), &found)) return found;
    } else if (v.kind == V_DICT) {
        run_fail_as(run, E_RENDER, str_format(run->error_arena, "write \"[%S]\" for the dict's element", name),
                    WHO ": a dict has no attribute %Q", name);
    }
    run_fail(run, WHO ": %s has no attribute %Q", val_type_name(v), name);
}

static Value element(Format *format, Value v, Str key) {
    Run *run = format->run;
    int64_t i = read_index(run, key);
    Value k = i < 0 ? val_str(run, key) : val_int(i);
    if (v.kind == V_DICT) {
        Value *found = dict_find(run, v.as.dict, k);
        if (found == NULL) run_fail(run, WHO ": a dict has no key %s%S%s", i < 0 ? "\"" : "", key, i < 0 ? "\"" : "");
        return *found;
    }
    if (is_sequence(v) || v.kind == V_STR || v.kind == V_RANGE) {
        if (i < 0) run_fail(run, WHO ": \"[%S]\" is not a number, and a %s has only places", key, val_type_name(v));
        if (i >= val_length(run, v))
            run_fail(run, WHO ": [%S] is past the end of a %s of %lld", key, val_type_name(v),
                     (long long)val_length(run, v));
        return val_get_item(run, v, k);
    }
    if (v.kind == V_UNDEFINED) return val_get_item(run, v, k);
    Value found;
    if (v.kind == V_OBJECT && v.as.object->class->item != NULL && v.as.object->class->item(run, v.as.object, k, &found))
        return found;
    run_fail(run, WHO ": %s has no element [%S]", val_type_name(v), key);
}

static Value look_up(Format *format, Str name) {
    Run *run = format->run;
    size_t i = 0;
    while (i < name.n && name.p[i] != '.' && name.p[i] != '[')
        i++;
    Value v = first_value(format, str_sub(name, 0, i), i == name.n);
    while (i < name.n) {
        char sign = name.p[i++];
        size_t from = i;
        if (sign == '.') {
            while (i < name.n && name.p[i] != '.' && name.p[i] != '[')
                i++;
        } else if (sign == '[') {
            while (i < name.n && name.p[i] != ']')
                i++;
            if (i == name.n) run_fail(run, WHO ": \"[\" is not closed in the field {%S}", name);
        } else {
            run_fail(run, WHO ": only \".\" or \"[\" may follow \"]\" in the field {%S}", name);
        }
        Str part = str_sub(name, from, i);
        if (part.n == 0) run_fail(run, WHO ": a name is empty in the field {%S}", name);
        v = sign == '.' ? attribute(format, v, part) : element(format, v, part);
        if (sign == '[') i++;
    }
    return v;
}

static Value converted(Run *run, Value v, uint32_t conversion) {
    Buf buf, ascii;
    switch (conversion) {
    case 0:
        return v;
    case 's':
        v = val_to_str(run, v);
        v.flags &= (uint8_t)~VAL_SAFE;
        return v;
    case 'r':
    case 'a':
        buf_init(&buf, run->arena);
        val_repr(run, &buf, v);
        if (conversion == 'r') return text_take(run, &buf, 0);
        buf_init(&ascii, run->arena);
        text_ascii(&ascii, buf_str(&buf));
        return text_take(run, &ascii, 0);
    default: {
        char bytes[4];
        run_fail(run, WHO ": there is no conversion \"!%S\"; there are !s, !r and !a",
                 str(bytes, str_encode(conversion, bytes)));
    }
    }
}

static Str field_text(Format *format, Value v, Str spec) {
    Run *run = format->run;
    if (!format->safe) return val_text(text_format_one(run, v, spec));
    if (v.kind == V_STR && (v.flags & VAL_SAFE) != 0) {
        if (spec.n != 0) run_fail(run, WHO ": a safe text takes no specification, and there is \":%S\"", spec);
        return val_text(v);
    }
    return val_text(text_escape(run, text_format_one(run, v, spec)));
}

typedef struct Field {
    Str name, spec;
    uint32_t conversion; /* 0: none */
    bool nested;         /* spec has fields of its own */
} Field;

/* Reads a field from behind its "{" to behind its "}"; returns where that is. */
static size_t read_field(Run *run, Str s, size_t i, Field *field) {
    *field = (Field){.spec = S("")};
    size_t from = i;
    for (; i < s.n && s.p[i] != '}' && s.p[i] != ':' && s.p[i] != '!'; i++) {
        if (s.p[i] == '{') run_fail(run, WHO ": a field's name cannot have a \"{\"; write \"{{\" for the sign itself");
        if (s.p[i] != '[') continue;
        while (i < s.n && s.p[i] != ']')
            i++;
        if (i == s.n) break;
    }
    field->name = str_sub(s, from, i);
    if (i == s.n) run_fail_as(run, E_RENDER, S("write \"{{\" for the sign itself"), WHO ": a \"{\" is not closed");
    char sign = s.p[i++];
    if (sign == '}') return i;
    if (sign == '!') {
        if (i == s.n) run_fail(run, WHO ": the format ends behind \"!\"");
        unsigned size;
        field->conversion = str_decode(s.p + i, s.p + s.n, &size);
        i += size;
        if (i < s.n) {
            if (s.p[i] == '}') return i + 1;
            if (s.p[i] != ':') run_fail(run, WHO ": \":\" or \"}\" must follow a conversion as \"!r\"");
            i++;
        }
    }
    from = i;
    for (unsigned open = 1; i < s.n; i++) {
        if (s.p[i] == '{') {
            field->nested = true;
            open++;
        } else if (s.p[i] == '}' && --open == 0) {
            field->spec = str_sub(s, from, i);
            return i + 1;
        }
    }
    run_fail(run, WHO ": a \"{\" is not closed in the specification of {%S}", field->name);
}

/* depth: how many formats may be within each other, this one counted. */
static void expand(Format *format, Buf *out, Str s, unsigned depth) {
    Run *run = format->run;
    if (depth == 0) run_fail(run, WHO ": fields are nested too deeply");
    for (size_t i = 0; i < s.n;) {
        size_t from = i;
        while (i < s.n && s.p[i] != '{' && s.p[i] != '}')
            i++;
        buf_add(out, str_sub(s, from, i));
        if (i == s.n) return;
        char sign = s.p[i++];
        if (i < s.n && s.p[i] == sign) {
            buf_char(out, sign);
            i++;
            continue;
        }
        if (sign == '}' || i == s.n)
            run_fail(run, WHO ": a single \"%c\" in the format; write \"%c%c\" for the sign itself", sign, sign, sign);
        Field field;
        i = read_field(run, s, i, &field);
        Value v = converted(run, look_up(format, field.name), field.conversion);
        if (field.nested) {
            Buf spec;
            buf_init(&spec, run->arena);
            expand(format, &spec, field.spec, depth - 1);
            field.spec = spec.n == 0 ? S("") : buf_str(&spec);
        }
        buf_add(out, field_text(format, v, field.spec));
    }
}

Value text_format(Run *run, Value text, List *args, Dict *keywords) {
    Format format = {.run = run, .args = args, .keywords = keywords, .safe = (text.flags & VAL_SAFE) != 0};
    Buf out;
    buf_init(&out, run->arena);
    expand(&format, &out, val_text(text), 2);
    return text_take(run, &out, text.flags & VAL_SAFE);
}

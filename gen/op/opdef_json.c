/* opdef_json.c: JSON values as the opdef format wants them.
 *
 * The small checks that every part of the reader makes: is it of this kind, are all keys known, may this be a name.
 * Each says what was wanted and what was got, and goes on, so that a file's mistakes are told in one go.
 */
#include "op/opdef_inner.h"

Diag *op_error(OpRead *read, const Json *at, DiagCode code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = diag_vadd(read->diags, DIAG_ERROR, code, span(read->source, at->from, at->to), format, args);
    va_end(args);
    return diag;
}

Diag *op_wrong_type(OpRead *read, const Json *got, const char *key, const char *wanted) {
    return op_error(read, got, E_JSON_TYPE, "\"%s\" is %s, but this is %s", key, wanted, json_kind_name(got->kind));
}

bool op_want(OpRead *read, const Json *got, JsonKind kind, const char *key, const char *wanted) {
    if (got->kind == kind) return true;
    op_wrong_type(read, got, key, wanted);
    return false;
}

const JsonMember *op_member(const Json *object, const char *key) {
    if (object->kind != JSON_OBJECT) return NULL;
    for (uint32_t i = 0; i < object->as.object.n; i++) {
        if (str_eq(name_str(object->as.object.members[i].key), str_c(key))) return &object->as.object.members[i];
    }
    return NULL;
}

const Json *op_get(const Json *object, const char *key) {
    const JsonMember *member = op_member(object, key);
    return member == NULL ? NULL : &member->value;
}

Str op_string(OpRead *read, const Json *object, const char *key, const char *wanted) {
    const Json *value = op_get(object, key);
    if (value == NULL || !op_want(read, value, JSON_STRING, key, wanted)) return S("");
    return value->as.s;
}

bool op_flag(OpRead *read, const Json *object, const char *key) {
    const Json *value = op_get(object, key);
    return value != NULL && op_want(read, value, JSON_BOOL, key, "true or false") && value->as.b;
}

/* ---- lists of words */

static Str next_word(Str *rest) {
    size_t blank = str_find_char(*rest, ' ');
    Str word = blank == STR_NONE ? *rest : str_sub(*rest, 0, blank);
    *rest = str_sub(*rest, blank == STR_NONE ? rest->n : blank + 1, rest->n);
    return word;
}

bool op_list_has(const char *words, Str word) {
    for (Str rest = str_c(words == NULL ? "" : words); rest.n > 0;) {
        if (str_eq(next_word(&rest), word)) return true;
    }
    return false;
}

Str *op_words(Arena *arena, const char *words, size_t *n) {
    *n = 0;
    for (Str rest = str_c(words); rest.n > 0; ++*n)
        next_word(&rest);
    Str *list = ARENA_ARRAY(arena, Str, *n);
    size_t i = 0;
    for (Str rest = str_c(words); rest.n > 0;)
        list[i++] = next_word(&rest);
    return list;
}

void op_keys(OpRead *read, const Json *object, const char *what, const char *known) {
    for (uint32_t i = 0; i < object->as.object.n; i++) {
        const JsonMember *member = &object->as.object.members[i];
        Str key = name_str(member->key);
        if (op_list_has(known, key)) continue;
        Diag *diag = diag_error(read->diags, E_UNKNOWN_KEY, span(read->source, member->from, member->to),
                                "%s has no key %Q", what, key);
        size_t n;
        Str *words = op_words(read->arena, known, &n);
        if (!diag_suggest(read->diags, diag, key, words, n)) diag_hint(read->diags, diag, "its keys are: %s", known);
    }
}

/* ---- names */

Name op_name(OpRead *read, Str text, uint32_t from, uint32_t to, const char *what) {
    Span at = span(read->source, from, to);
    const char *why = reserved_why(text);
    if (!is_identifier(text)) {
        Diag *diag = diag_error(read->diags, E_BAD_NAME, at, "%Q cannot be the name of %s", text, what);
        diag_hint(read->diags, diag, "a name is letters, digits and single _, and begins with a letter");
        return NULL;
    }
    if (why != NULL) {
        diag_error(read->diags, E_BAD_NAME, at, "%Q cannot be the name of %s: it is %s", text, what, why);
        return NULL;
    }
    return names_get(read->names, text);
}

Name op_name_of(OpRead *read, const Json *text, const char *what) {
    if (text->kind != JSON_STRING) {
        op_error(read, text, E_JSON_TYPE, "the name of %s is a string, but this is %s", what,
                 json_kind_name(text->kind));
        return NULL;
    }
    return op_name(read, text->as.s, text->from, text->to, what);
}

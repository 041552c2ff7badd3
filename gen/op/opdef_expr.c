/* opdef_expr.c: texts of an opdef as expressions, shown at their place in the JSON file.
 *
 * A string without escapes is parsed where it stands: its nodes' places are offsets into the file. For one with escapes
 * the file's text is copied once, and in the copy the string's text stands without its escapes, filled up with blanks;
 * so its errors too have their line and column, and show what was meant. Numbers, true and false may stand without
 * quotes.
 */
#include "op/opdef_inner.h"

#include "template/syntax/parse.h"

/* ---- the text */

/* The copy of the file in which strings stand without their escapes. Line breaks and the like would change the lines of
 * the file and mean no more than a blank in an expression. */
static Source *decode(OpRead *read, const Json *value) {
    if (*read->decoded == NULL) {
        Str text = read->source->text;
        *read->decoded =
            source_new(read->arena, read->source->name, str(arena_copy(read->arena, text.p, text.n), text.n));
    }
    char *to = (char *)(uintptr_t)(*read->decoded)->text.p + value->from + 1; /* ours: copied above */
    size_t room = value->to - value->from - 2;
    for (size_t i = 0; i < room; i++) {
        char c = i < value->as.s.n ? value->as.s.p[i] : ' ';
        to[i] = (unsigned char)c < ' ' ? ' ' : c;
    }
    return *read->decoded;
}

/* Where the value's expression stands: [*from, *to) of the result. NULL after a finding. */
static Source *text_of(OpRead *read, const Json *value, const char *what, uint32_t *from, uint32_t *to) {
    *from = value->from;
    *to = value->to;
    switch (value->kind) {
    case JSON_INT:
    case JSON_FLOAT:
        return read->source;
    case JSON_BOOL:
        return read->source;
    case JSON_STRING: {
        ++*from;
        --*to;
        Str raw = str_sub(read->source->text, *from, *to);
        if (str_trim(value->as.s).n == 0) {
            op_error(read, value, E_BAD_EXPRESSION, "%s is missing: this text is empty", what);
            return NULL;
        }
        return str_find_char(raw, '\\') == STR_NONE ? read->source : decode(read, value);
    }
    case JSON_BIGINT:
    case JSON_NULL:
    case JSON_ARRAY:
    case JSON_OBJECT:
        break;
    }
    Diag *diag =
        op_error(read, value, E_JSON_TYPE, "%s stands in a string, but this is %s", what, json_kind_name(value->kind));
    if (value->kind == JSON_NULL) diag_hint(read->diags, diag, "write \"none\"");
    if (value->kind == JSON_ARRAY) diag_hint(read->diags, diag, "write the list in a string: \"[...]\"");
    return NULL;
}

OpExpr op_own_expr(OpRead *read, Str name, Str text) {
    OpExpr own = {.source = source_new(read->arena, name, text)};
    own.expr = parse_expression(read->arena, read->names, own.source, 0, (uint32_t)text.n, read->diags);
    return own;
}

OpExpr op_first_type(OpRead *read) {
    const Json *types = op_get(read->json, "types");
    Name name = read->op->types.items[0].name;
    const JsonMember *member = types == NULL ? NULL : op_member(types, name->p);
    if (member == NULL)
        return op_own_expr(read, S("<the type variable of an operator that names none>"), name_str(name));
    OpExpr type = {.source = read->source};
    type.expr = parse_expression(read->arena, read->names, read->source, member->from + 1, member->to - 1, read->diags);
    return type;
}

/* ---- what the reader calls */

bool op_expr(OpRead *read, const Json *value, const OpScope *scope, OpExpr *out) {
    uint32_t from, to;
    Source *source = text_of(read, value, scope->what, &from, &to);
    if (source == NULL) return false;
    Expr *expr = parse_expression(read->arena, read->names, source, from, to, read->diags);
    if (expr == NULL) return false;
    *out = (OpExpr){expr, source};
    return op_check_names(read, scope, source, 0, expr);
}

bool op_expr_member(OpRead *read, const Json *object, const char *key, const OpScope *scope, OpExpr *out) {
    const Json *value = op_get(object, key);
    return value == NULL || op_expr(read, value, scope, out);
}

/* Findings of a text that was parsed on its own, moved to where it stands in the file. */
static void move_findings(OpRead *read, const Diags *found, Source *source, uint32_t shift) {
    for (uint32_t i = 0; i < found->items.n; i++) {
        const Diag *from = found->items.items[i];
        Diag *diag = diag_add(read->diags, from->level, from->code,
                              span(source, from->span.from + shift, from->span.to + shift), "%S", from->text);
        if (from->hint.n > 0) diag_hint(read->diags, diag, "%S", from->hint);
        for (uint32_t k = 0; k < from->notes.n; k++) {
            Span at = from->notes.items[k].span;
            diag_note(read->diags, diag, span(source, at.from + shift, at.to + shift), "%S", from->notes.items[k].text);
        }
    }
}

void op_message(OpRead *read, const Json *value, const OpScope *scope) {
    uint32_t from, to;
    Source *source = text_of(read, value, "a message", &from, &to);
    if (source == NULL) return;
    Diags found;
    diags_init(&found, read->arena);
    Source *part = source_new(read->arena, source->name, str_sub(source->text, from, to));
    SyntaxOptions options = {.keep_trailing_newline = true};
    TemplateAst *ast = parse_template(read->arena, read->names, part, &options, &found);
    move_findings(read, &found, source, from);
    for (uint32_t i = 0; ast != NULL && i < ast->body.n; i++) {
        const Stmt *stmt = ast->body.items[i];
        if (stmt->kind == S_EMIT)
            op_check_names(read, scope, source, from, stmt->as.expr);
        else if (stmt->kind != S_TEXT)
            diag_error(read->diags, E_BAD_EXPRESSION, span(source, stmt->from + from, stmt->to + from),
                       "a message is text with {{ expressions }}, without statements");
    }
}

void op_named(OpRead *read, const JsonMember *member, const char *what, const Name *wanted, uint32_t n, bool all,
              const OpScope *scope, NamedExprs *out) {
    const Json *value = &member->value;
    for (uint32_t i = 0; i < n; i++)
        *VEC_PUSH(read->arena, out) = (NamedExpr){.name = wanted[i], .value = {0}};
    if (n == 0) return; /* that there is none was told */
    if (value->kind != JSON_OBJECT) {
        if (n == 1) {
            op_expr(read, value, scope, &out->items[0].value);
        } else {
            Diag *diag = op_error(read, value, E_MISSING, "%Q has one expression for each %s, of which there are %u",
                                  name_str(member->key), what + (what[1] == 'n' ? 3 : 2), (unsigned)n);
            if (wanted[0]->n > 0 && wanted[1]->n > 0)
                diag_hint(read->diags, diag, "write {%Q: ..., %Q: ...}", name_str(wanted[0]), name_str(wanted[1]));
        }
        return;
    }
    for (uint32_t k = 0; k < value->as.object.n; k++) {
        const JsonMember *part = &value->as.object.members[k];
        uint32_t i = 0;
        while (i < n && wanted[i] != part->key)
            i++;
        if (i < n) {
            op_expr(read, &part->value, scope, &out->items[i].value);
            continue;
        }
        Diag *diag = diag_error(read->diags, E_UNKNOWN_NAME, span(read->source, part->from, part->to),
                                "%Q is not %s of this operator", name_str(part->key), what);
        Str *names = ARENA_ARRAY(read->arena, Str, n);
        for (i = 0; i < n; i++)
            names[i] = name_str(wanted[i]);
        diag_suggest(read->diags, diag, name_str(part->key), names, n);
    }
    for (uint32_t i = 0; all && i < n; i++) {
        if (op_member(value, wanted[i]->p) != NULL) continue;
        diag_error(read->diags, E_MISSING, span(read->source, member->from, member->to), "%Q has no expression for %Q",
                   name_str(member->key), name_str(wanted[i]));
    }
}

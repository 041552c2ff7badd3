/* parse_stmt.c: bodies, and which tag ends which.
 *
 * A body is read until a tag comes that ends the innermost open block. A tag that ends a block further out
 * is reported once, with the block that should have been ended first, and then ends them both, so that a
 * forgotten endif does not spoil the rest of the file. A misspelled tag is reported and taken for what was
 * probably meant, for the same reason. An end that fits nothing is reported and ignored.
 */
#include "template/syntax/parse_internal.h"

static const Str tag_names[TAG_COUNT] = {
    [TAG_IF] = S("if"),
    [TAG_ENDIF] = S("endif"),
    [TAG_FOR] = S("for"),
    [TAG_ENDFOR] = S("endfor"),
    [TAG_SET] = S("set"),
    [TAG_ELSE] = S("else"),
    [TAG_ELIF] = S("elif"),
    [TAG_BLOCK] = S("block"),
    [TAG_ENDBLOCK] = S("endblock"),
    [TAG_MACRO] = S("macro"),
    [TAG_ENDMACRO] = S("endmacro"),
    [TAG_ENDSET] = S("endset"),
    [TAG_INCLUDE] = S("include"),
    [TAG_IMPORT] = S("import"),
    [TAG_FROM] = S("from"),
    [TAG_EXTENDS] = S("extends"),
    [TAG_WITH] = S("with"),
    [TAG_ENDWITH] = S("endwith"),
    [TAG_CALL] = S("call"),
    [TAG_ENDCALL] = S("endcall"),
    [TAG_FILTER] = S("filter"),
    [TAG_ENDFILTER] = S("endfilter"),
    [TAG_DO] = S("do"),
    [TAG_BREAK] = S("break"),
    [TAG_CONTINUE] = S("continue"),
    [TAG_AUTOESCAPE] = S("autoescape"),
    [TAG_ENDAUTOESCAPE] = S("endautoescape"),
    [TAG_PRINT] = S("print"),
    [TAG_RAW] = S("raw"),
    [TAG_ENDRAW] = S("endraw"),
};

#define CLOSERS                                                                                                        \
    (TAG_BIT(TAG_ENDIF) | TAG_BIT(TAG_ENDFOR) | TAG_BIT(TAG_ELSE) | TAG_BIT(TAG_ELIF) | TAG_BIT(TAG_ENDBLOCK) |        \
     TAG_BIT(TAG_ENDMACRO) | TAG_BIT(TAG_ENDSET) | TAG_BIT(TAG_ENDWITH) | TAG_BIT(TAG_ENDCALL) |                       \
     TAG_BIT(TAG_ENDFILTER) | TAG_BIT(TAG_ENDAUTOESCAPE))

Str tag_name(Tag tag) { return tag_names[tag]; }

static Tag find_tag(Str name) {
    for (unsigned tag = TAG_NONE + 1; tag < TAG_COUNT; tag++)
        if (str_eq(name, tag_names[tag])) return (Tag)tag;
    return TAG_NONE;
}

Stmt *parse_new_stmt(Parser *p, size_t size) {
    Stmt *stmt = arena_zalloc(p->arena, size);
    stmt->height = 1;
    stmt->from = p->tag_from;
    return stmt;
}

/* --- text --- */

static void add_text(Parser *p, uint32_t from, uint32_t to) {
    if (from >= to) return;
    Stmt *stmt = PARSE_STMT(p, text);
    Str text = str(p->lex.text + from, to - from);
    stmt->kind = S_TEXT;
    stmt->from = from;
    stmt->to = to;
    if (p->lex.has_return && memchr(text.p, '\r', text.n)) {
        Buf buf;
        buf_init(&buf, p->arena);
        for (size_t i = 0; i < text.n; i++) {
            if (text.p[i] != '\r')
                buf_char(&buf, text.p[i]);
            else if (i + 1 == text.n || text.p[i + 1] != '\n')
                buf_char(&buf, '\n');
        }
        text = buf_str(&buf);
        if (text.n == 0) return; /* a lone '\r' before a "\n" that a tag took */
    }
    stmt->as.text = text;
    parse_push(p, stmt);
}

static void parse_print_tag(Parser *p) {
    Stmt *stmt = PARSE_STMT(p, expr);
    stmt->kind = S_EMIT;
    p->token = (Token){.kind = T_END};
    parse_next(p);
    stmt->as.expr = parse_tuple(p);
    if (!parse_at(p, T_END)) parse_unexpected(p, "\"}}\"");
    stmt->to = p->token.to;
    parse_recover(p);
    parse_push(p, stmt);
}

/* --- ends --- */

static void note_open(Parser *p, Diag *diag, const Open *open) {
    parse_note(p, diag, open->from, open->to, "the %Q that is open here", tag_names[open->tag]);
}

/* The template has ended. Says what is still open, unless that follows from an error that was reported. */
static void report_unclosed(Parser *p, const Open *open) {
    for (const Open *o = open; o; o = o->outer)
        if (o->stray) return;
    if (p->cut_off || p->guessed) return; /* what was guessed may not have been a block at all */
    uint32_t end = p->lex.end;
    Diag *diag = parse_error(p, end, end, "expected %Q, got the end of the template", tag_names[open->end]);
    unsigned shown = 0;
    for (const Open *o = open; o && shown < 8; o = o->outer, shown++)
        note_open(p, diag, o);
}

/* `tag` ends something, but not the body being read. True if it ends a body further out. */
static bool misplaced(Parser *p, Tag tag, Token at, Open *open) {
    Str name = tag_names[tag];
    bool middle = tag == TAG_ELSE || tag == TAG_ELIF;
    Open *o = open;
    if (middle && open && open->else_to && (tag == TAG_ELSE || open->tag == TAG_IF)) {
        Diag *diag = tag == TAG_ELSE
                         ? parse_error(p, at.from, at.to, "a second \"else\" for one %Q", tag_names[open->tag])
                         : parse_error(p, at.from, at.to, "\"elif\" behind the \"else\" of its \"if\"");
        parse_note(p, diag, open->else_from, open->else_to, "the \"else\" that is there already");
        return false;
    }
    while (o && !(o->closers & TAG_BIT(tag)) && o->end != tag)
        o = o->outer;
    if (o == NULL && (p->forgiven & TAG_BIT(tag))) {
        p->forgiven &= ~TAG_BIT(tag);
        return false;
    }
    /* Blocks that are crossed rather than forgotten have their ends still to come. */
    for (const Open *crossed = open; o && crossed != o; crossed = crossed->outer)
        p->forgiven |= TAG_BIT(crossed->end);
    if (open && open->guessed && o != NULL) return true;
    if (open) {
        Diag *diag = parse_error(p, at.from, at.to, "expected %Q, got %Q", tag_names[open->end], name);
        note_open(p, diag, open);
        if (o == NULL) open->stray = true;
    } else if (tag == TAG_ELSE) {
        parse_error(p, at.from, at.to, "\"else\" without an \"if\" or \"for\"");
    } else if (tag == TAG_ELIF) {
        parse_error(p, at.from, at.to, "\"elif\" without an \"if\"");
    } else {
        Str begin = str_sub(name, 3, name.n);
        bool vowel = begin.p[0] == 'a' || begin.p[0] == 'i';
        parse_error(p, at.from, at.to, "%Q without %s %Q", name, vowel ? "an" : "a", begin);
    }
    return o != NULL;
}

/* --- tags that do not exist --- */

/* What was probably meant, after reporting that it does not exist. */
static Tag unknown_tag(Parser *p, Token at, const Open *open) {
    Str name = parse_text(p, at);
    if (str_starts(name, S("end"))) {
        Name begun = names_find(p->names, str_sub(name, 3, name.n));
        if (begun && map_get(&p->unknown, begun)) return TAG_NONE;
    }
    Diag *diag = parse_error(p, at.from, at.to, "there is no tag %Q", name);
    Buf small;
    buf_init(&small, p->arena);
    for (size_t i = 0; i < name.n; i++)
        buf_char(&small, name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] | 32) : name.p[i]);
    unsigned least = UINT32_MAX;
    Tag nearest = TAG_NONE;
    for (unsigned tag = TAG_NONE + 1; tag < TAG_RAW; tag++) {
        /* Of two that are equally near, one that could end what is open here. */
        bool fits = open && (open->closers & TAG_BIT(tag));
        unsigned far = 2 * str_distance(buf_str(&small), tag_names[tag], 4) + !fits;
        if (far < least) least = far, nearest = (Tag)tag;
    }
    if (diag_suggest(p->diags, diag, name, &tag_names[nearest], 1)) return nearest;
    if (parse_peek(p).kind == T_ASSIGN) parse_hint(p, diag, "write {%% set %S = ... %%}", name);
    map_set(&p->unknown, names_get(p->names, name), p);
    return TAG_NONE;
}

static void misused_raw(Parser *p, Tag tag, Token at) {
    Name raw = names_get(p->names, tag_names[TAG_RAW]);
    if (tag == TAG_RAW) {
        map_set(&p->unknown, raw, p); /* so that its end is no second error */
        Diag *diag = parse_error(p, at.from, at.to, "\"raw\" takes nothing behind it");
        parse_hint(p, diag, "write {%% raw %%} or {%%- raw -%%}");
    } else if (map_get(&p->unknown, raw) == NULL) {
        parse_error(p, at.from, at.to, "\"endraw\" without a \"raw\"");
    }
}

/* A statement, whose "{%" was taken. True if it ends the body. */
static bool parse_statement(Parser *p, Open *open) {
    parse_next(p);
    p->last = (Token){.kind = T_END};
    Token at = p->token;
    if (at.kind != T_NAME) {
        parse_unexpected(p, "a tag's name");
        parse_recover(p);
        return false;
    }
    Tag tag = find_tag(parse_text(p, at));
    bool known = tag != TAG_NONE;
    if (tag == TAG_RAW || tag == TAG_ENDRAW) {
        misused_raw(p, tag, at);
        tag = TAG_NONE;
        known = false;
    } else if (!known) {
        tag = unknown_tag(p, at, open);
    }
    if (!known) parse_stop(p);
    if (tag == TAG_NONE) {
        parse_recover(p);
        return false;
    }
    if (known) {
        parse_next(p);
        p->last.keyword = K_NONE; /* an `if` that begins a statement is not an operator out of place */
    }
    if (!(CLOSERS & TAG_BIT(tag))) {
        p->guess = !known;
        parse_tag(p, tag, open);
        p->guess = false;
        return p->unwinding;
    }
    if (!open || !(open->closers & TAG_BIT(tag))) {
        bool further_out = misplaced(p, tag, at, open);
        if (!further_out) {
            parse_stop(p);
            parse_recover(p);
            return false;
        }
        p->unwinding = true;
    }
    p->closer = tag;
    p->closer_token = at;
    return true;
}

Body parse_body(Parser *p, Open *open) {
    uint32_t base = p->stack.n;
    Piece piece;
    for (;;) {
        lex_text(&p->lex, &piece);
        add_text(p, piece.from, piece.to);
        if (piece.kind == PIECE_END) {
            if (open == NULL) break;
            report_unclosed(p, open);
            p->cut_off = p->unwinding = true;
            p->closer = TAG_NONE;
            break;
        }
        p->tag_from = piece.tag_from;
        p->tag_to = piece.tag_to;
        if (piece.kind == PIECE_PRINT) {
            parse_print_tag(p);
        } else if (piece.kind == PIECE_STATEMENT) {
            if (!parse_statement(p, open)) continue;
            if (!p->unwinding) break;
            /* A tag that ends a block further out: is it this one? Behind an error its first else may be a second. */
            if (open && p->closer != TAG_NONE && ((open->closers & TAG_BIT(p->closer)) || open->end == p->closer))
                p->unwinding = false;
            if (open == NULL) p->unwinding = false; /* only the end of the template gets here */
            if (open) break;
        } else if (piece.kind == PIECE_RAW) {
            add_text(p, piece.raw_from, piece.raw_to);
        } else if (piece.kind != PIECE_COMMENT) {
            bool comment = piece.kind == PIECE_OPEN_COMMENT;
            parse_error(p, piece.tag_from, piece.tag_to, "the %s that begins here is never closed: %s is missing",
                        comment ? "comment" : "raw block", comment ? "\"#}\"" : "{% endraw %}");
            p->cut_off = true;
        }
    }
    Body body;
    body.items = (Stmt **)parse_take(p, base, &body.n);
    return body;
}

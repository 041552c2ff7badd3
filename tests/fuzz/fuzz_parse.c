/* fuzz_parse.c: any text as a template and as an expression. There is a tree or there are findings, never both and
 * never neither; findings can be shown; a tree is no higher than promised, its places lie in the text, and it can be
 * dumped. The first byte is the options, and asks for an expression if its highest bit is set.
 */
#include "template/syntax/parse.h"

#include <stdlib.h>

#define CHECK(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(const Source *source, uint32_t from, uint32_t to) { CHECK(from <= to && to <= source->text.n); }

static void check_expr(const Source *source, const Expr *e, uint32_t above) {
    if (e == NULL) return;
    CHECK(e->height >= 1 && e->height < above);
    check_place(source, e->from, e->to);
    check_place(source, e->at, e->at_to);
    CHECK(e->from <= e->at && e->at_to <= e->to);
    switch (e->kind) {
    case X_CONST:
    case X_NAME:
    case X_NSREF:
        return;
    case X_LIST:
    case X_TUPLE:
    case X_DICT:
    case X_CONCAT:
        for (uint32_t i = 0; i < e->as.list.n; i++)
            check_expr(source, e->as.list.items[i], e->height);
        CHECK(e->kind != X_DICT || e->as.list.n % 2 == 0);
        return;
    case X_UNARY:
        check_expr(source, e->as.pair.a, e->height);
        return;
    case X_BINARY:
    case X_ITEM:
        check_expr(source, e->as.pair.a, e->height);
        check_expr(source, e->as.pair.b, e->height);
        return;
    case X_COMPARE:
        check_expr(source, e->as.compare.a, e->height);
        for (uint32_t i = 0; i < e->as.compare.n; i++)
            check_expr(source, e->as.compare.steps[i].to, e->height);
        return;
    case X_COND:
        check_expr(source, e->as.cond.test, e->height);
        check_expr(source, e->as.cond.a, e->height);
        check_expr(source, e->as.cond.b, e->height);
        return;
    case X_ATTR:
        check_expr(source, e->as.attr.a, e->height);
        return;
    case X_SLICE:
        check_expr(source, e->as.slice.a, e->height);
        check_expr(source, e->as.slice.start, e->height);
        check_expr(source, e->as.slice.stop, e->height);
        check_expr(source, e->as.slice.step, e->height);
        return;
    case X_CALL:
    case X_FILTER:
    case X_TEST:
        break;
    }
    const CallArgs *args = &e->as.call.args;
    check_expr(source, e->as.call.a, e->height);
    for (uint32_t i = 0; i < args->n; i++)
        check_expr(source, args->args[i], e->height);
    for (uint32_t i = 0; i < args->keyword_count; i++)
        check_expr(source, args->keywords[i].value, e->height);
    check_expr(source, args->star, e->height);
    check_expr(source, args->star_star, e->height);
}

static void check_body(const Source *source, const Body *body, uint32_t above);

static void check_stmt(const Source *source, const Stmt *stmt, uint32_t above) {
    const uint32_t any = AST_MOST_HEIGHT + 1;
    CHECK(stmt->height >= 1 && stmt->height < above);
    check_place(source, stmt->from, stmt->to);
    switch (stmt->kind) {
    case S_EMIT:
    case S_DO:
    case S_EXTENDS:
        check_expr(source, stmt->as.expr, any);
        return;
    case S_FOR:
        check_expr(source, stmt->as.loop.target, any);
        check_expr(source, stmt->as.loop.iter, any);
        check_expr(source, stmt->as.loop.test, any);
        check_body(source, &stmt->as.loop.body, stmt->height);
        check_body(source, &stmt->as.loop.otherwise, stmt->height);
        return;
    case S_IF:
        for (uint32_t i = 0; i < stmt->as.cond.n; i++) {
            check_expr(source, stmt->as.cond.branches[i].test, any);
            check_body(source, &stmt->as.cond.branches[i].body, stmt->height);
        }
        check_body(source, &stmt->as.cond.otherwise, stmt->height);
        return;
    case S_SET:
        check_expr(source, stmt->as.set.target, any);
        check_expr(source, stmt->as.set.value, any);
        return;
    case S_SET_BLOCK:
        check_body(source, &stmt->as.set_block.body, stmt->height);
        return;
    case S_MACRO:
    case S_CALL_BLOCK:
        check_body(source, &stmt->as.macro.body, stmt->height);
        return;
    case S_FILTER_BLOCK:
        check_body(source, &stmt->as.filter_block.body, stmt->height);
        return;
    case S_WITH:
        check_body(source, &stmt->as.with.body, stmt->height);
        return;
    case S_BLOCK:
        check_body(source, &stmt->as.block.body, stmt->height);
        return;
    case S_AUTOESCAPE:
        check_body(source, &stmt->as.autoescape.body, stmt->height);
        return;
    default:
        return;
    }
}

static void check_body(const Source *source, const Body *body, uint32_t above) {
    for (uint32_t i = 0; i < body->n; i++)
        check_stmt(source, body->items[i], above);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    /* A block of just this size, so that reading behind the text is seen. Reading files refuses other text. */
    Str text = str(memcpy(malloc(size), data + 1, size - 1), size - 1);
    if (str_invalid_utf8(text) == STR_NONE && str_find_char(text, '\0') == STR_NONE) {
        Arena arena;
        arena_init(&arena);
        Names names;
        names_init(&names, &arena);
        Diags diags;
        diags_init(&diags, &arena);
        Source *source = source_new(&arena, S("fuzz"), text);
        Buf out;
        buf_init(&out, &arena);
        bool parsed;
        if (data[0] & 0x80) {
            Expr *e = parse_expression(&arena, &names, source, 0, (uint32_t)text.n, &diags);
            parsed = e != NULL;
            check_expr(source, e, AST_MOST_HEIGHT + 1);
            if (e) ast_dump_expr(&out, e);
        } else {
            SyntaxOptions options = {data[0] & 1, data[0] & 2, data[0] & 4};
            TemplateAst *ast = parse_template(&arena, &names, source, &options, &diags);
            parsed = ast != NULL;
            if (ast) check_body(source, &ast->body, AST_MOST_HEIGHT + 1);
            if (ast) ast_dump(&out, ast);
        }
        CHECK(parsed == (diags.errors == 0));
        diags_render(&diags, DIAG_TEXT, false, &out);
        arena_free(&arena);
    }
    free((void *)(uintptr_t)text.p);
    return 0;
}

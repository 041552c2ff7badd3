/* ast.c: the tree as text, for tests and for people, and the spelling of operators.
 *
 * Everything a tree says shows in its dump, places aside: two templates with the same dump mean the same.
 * A tree's height is bounded (ast.h), so these functions may recurse.
 */
#include "template/syntax/ast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *op_text(Op op) {
    static const char *const texts[] = {
        [OP_NONE] = "", [OP_ADD] = "+",  [OP_SUB] = "-",   [OP_MUL] = "*", [OP_DIV] = "/", [OP_FLOORDIV] = "//",
        [OP_MOD] = "%", [OP_POW] = "**", [OP_AND] = "and", [OP_OR] = "or", [OP_EQ] = "==", [OP_NE] = "!=",
        [OP_LT] = "<",  [OP_LE] = "<=",  [OP_GT] = ">",    [OP_GE] = ">=", [OP_IN] = "in", [OP_NOT_IN] = "not in",
        [OP_NEG] = "-", [OP_POS] = "+",  [OP_NOT] = "not",
    };
    return texts[op];
}

static void dump_args(Buf *out, const CallArgs *args) {
    for (uint32_t i = 0; i < args->n; i++) {
        buf_char(out, ' ');
        ast_dump_expr(out, args->args[i]);
    }
    for (uint32_t i = 0; i < args->keyword_count; i++) {
        buf_format(out, " %S=", name_str(args->keywords[i].name));
        ast_dump_expr(out, args->keywords[i].value);
    }
    if (args->star) {
        buf_add(out, S(" *"));
        ast_dump_expr(out, args->star);
    }
    if (args->star_star) {
        buf_add(out, S(" **"));
        ast_dump_expr(out, args->star_star);
    }
}

static void dump_items(Buf *out, const char *head, const Expr *e) {
    buf_format(out, "(%s", head);
    for (uint32_t i = 0; i < e->as.list.n; i++) {
        buf_char(out, ' ');
        ast_dump_expr(out, e->as.list.items[i]);
    }
    buf_char(out, ')');
}

static void dump_or(Buf *out, const Expr *e) {
    if (e)
        ast_dump_expr(out, e);
    else
        buf_char(out, '_');
}

/* The shortest digits that read back as the same number. */
static void dump_float(Buf *out, double f) {
    char text[40];
    if (isinf(f)) {
        buf_add(out, S("1e999"));
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, f);
        if (strtod(text, NULL) == f) break;
    }
    buf_add(out, str_c(text));
    if (strpbrk(text, ".e") == NULL) buf_add(out, S(".0"));
}

static void dump_literal(Buf *out, const Literal *literal) {
    switch (literal->kind) {
    case LIT_NONE:
        buf_add(out, S("none"));
        break;
    case LIT_BOOL:
        buf_add(out, literal->as.b ? S("true") : S("false"));
        break;
    case LIT_INT:
        buf_int(out, literal->as.i);
        break;
    case LIT_BIGINT:
        buf_format(out, "(big %S)", literal->as.s);
        break;
    case LIT_FLOAT:
        dump_float(out, literal->as.f);
        break;
    case LIT_STR:
        buf_format(out, "%Q", literal->as.s);
        break;
    }
}

void ast_dump_expr(Buf *out, const Expr *e) {
    switch (e->kind) {
    case X_CONST:
        dump_literal(out, &e->as.literal);
        return;
    case X_NAME:
        buf_format(out, "(name %S)", name_str(e->as.name));
        return;
    case X_NSREF:
        buf_format(out, "(nsref %S %S)", name_str(e->as.nsref.name), name_str(e->as.nsref.attr));
        return;
    case X_LIST:
        dump_items(out, "list", e);
        return;
    case X_TUPLE:
        dump_items(out, "tuple", e);
        return;
    case X_DICT:
        dump_items(out, "dict", e);
        return;
    case X_CONCAT:
        dump_items(out, "~", e);
        return;
    case X_UNARY:
        buf_format(out, "(%s ", op_text(e->op));
        ast_dump_expr(out, e->as.pair.a);
        break;
    case X_BINARY:
        buf_format(out, "(%s ", op_text(e->op));
        ast_dump_expr(out, e->as.pair.a);
        buf_char(out, ' ');
        ast_dump_expr(out, e->as.pair.b);
        break;
    case X_COMPARE:
        buf_add(out, S("(compare "));
        ast_dump_expr(out, e->as.compare.a);
        for (uint32_t i = 0; i < e->as.compare.n; i++) {
            buf_format(out, " %s ", op_text(e->as.compare.steps[i].op));
            ast_dump_expr(out, e->as.compare.steps[i].to);
        }
        break;
    case X_COND:
        buf_add(out, S("(if "));
        ast_dump_expr(out, e->as.cond.test);
        buf_char(out, ' ');
        ast_dump_expr(out, e->as.cond.a);
        buf_char(out, ' ');
        dump_or(out, e->as.cond.b);
        break;
    case X_ATTR:
        buf_add(out, S("(attr "));
        ast_dump_expr(out, e->as.attr.a);
        buf_format(out, " %S", name_str(e->as.attr.name));
        break;
    case X_ITEM:
        buf_add(out, S("(item "));
        ast_dump_expr(out, e->as.pair.a);
        buf_char(out, ' ');
        ast_dump_expr(out, e->as.pair.b);
        break;
    case X_SLICE:
        buf_add(out, S("(slice "));
        dump_or(out, e->as.slice.a);
        buf_char(out, ' ');
        dump_or(out, e->as.slice.start);
        buf_char(out, ' ');
        dump_or(out, e->as.slice.stop);
        buf_char(out, ' ');
        dump_or(out, e->as.slice.step);
        break;
    case X_CALL:
        buf_add(out, S("(call "));
        ast_dump_expr(out, e->as.call.a);
        dump_args(out, &e->as.call.args);
        break;
    case X_FILTER:
    case X_TEST:
        buf_format(out, "(%s %S ", e->kind == X_FILTER ? "filter" : "test", name_str(e->as.call.name));
        dump_or(out, e->as.call.a);
        dump_args(out, &e->as.call.args);
        break;
    }
    buf_char(out, ')');
}

/* --- statements --- */

/* Targets show their names bare. */
static void dump_target(Buf *out, const Expr *e) {
    if (e->kind == X_NAME) {
        buf_add(out, name_str(e->as.name));
    } else if (e->kind == X_TUPLE) {
        buf_add(out, S("(tuple"));
        for (uint32_t i = 0; i < e->as.list.n; i++) {
            buf_char(out, ' ');
            dump_target(out, e->as.list.items[i]);
        }
        buf_char(out, ')');
    } else {
        ast_dump_expr(out, e);
    }
}

static void dump_stmt(Buf *out, const Stmt *stmt, unsigned indent);

static void dump_body(Buf *out, const Body *body, unsigned indent) {
    for (uint32_t i = 0; i < body->n; i++) {
        buf_char(out, '\n');
        dump_stmt(out, body->items[i], indent + 2);
    }
}

/* A body with a head of its own: (else ...). */
static void dump_part(Buf *out, const char *head, const Expr *test, const Body *body, unsigned indent) {
    buf_char(out, '\n');
    buf_fill(out, ' ', indent + 2);
    buf_format(out, "(%s", head);
    if (test) {
        buf_char(out, ' ');
        ast_dump_expr(out, test);
    }
    dump_body(out, body, indent + 2);
    buf_char(out, ')');
}

static void dump_expr_after(Buf *out, const char *before, const Expr *e) {
    if (e == NULL) return;
    buf_add(out, str_c(before));
    ast_dump_expr(out, e);
}

static void dump_params(Buf *out, const Params *params) {
    buf_add(out, S(" ("));
    for (uint32_t i = 0; i < params->n; i++) {
        if (i) buf_char(out, ' ');
        buf_add(out, name_str(params->names[i]));
        dump_expr_after(out, "=", params->defaults[i]);
    }
    buf_char(out, ')');
}

static void dump_load(Buf *out, const Stmt *stmt) {
    buf_format(out, "(%s ", stmt->kind == S_INCLUDE ? "include" : stmt->kind == S_IMPORT ? "import" : "from");
    ast_dump_expr(out, stmt->as.load.file);
    if (stmt->kind == S_IMPORT) buf_format(out, " as %S", name_str(stmt->as.load.target));
    for (uint32_t i = 0; i < stmt->as.load.n; i++) {
        const ImportedName *name = &stmt->as.load.names[i];
        buf_format(out, " %S", name_str(name->name));
        if (name->alias != name->name) buf_format(out, " as %S", name_str(name->alias));
    }
    if (stmt->as.load.ignore_missing) buf_add(out, S(" ignore-missing"));
    buf_add(out, stmt->as.load.with_context ? S(" with-context") : S(" without-context"));
}

static void dump_stmt(Buf *out, const Stmt *stmt, unsigned indent) {
    buf_fill(out, ' ', indent);
    switch (stmt->kind) {
    case S_TEXT:
        buf_format(out, "(text %Q", stmt->as.text);
        break;
    case S_EMIT:
        dump_expr_after(out, "(emit ", stmt->as.expr);
        break;
    case S_DO:
        dump_expr_after(out, "(do ", stmt->as.expr);
        break;
    case S_EXTENDS:
        dump_expr_after(out, "(extends ", stmt->as.expr);
        break;
    case S_FOR:
        buf_add(out, S("(for "));
        dump_target(out, stmt->as.loop.target);
        dump_expr_after(out, " ", stmt->as.loop.iter);
        dump_expr_after(out, " if ", stmt->as.loop.test);
        if (stmt->as.loop.recursive) buf_add(out, S(" recursive"));
        dump_body(out, &stmt->as.loop.body, indent);
        if (stmt->as.loop.otherwise.n) dump_part(out, "else", NULL, &stmt->as.loop.otherwise, indent);
        break;
    case S_IF:
        dump_expr_after(out, "(if ", stmt->as.cond.branches[0].test);
        dump_body(out, &stmt->as.cond.branches[0].body, indent);
        for (uint32_t i = 1; i < stmt->as.cond.n; i++)
            dump_part(out, "elif", stmt->as.cond.branches[i].test, &stmt->as.cond.branches[i].body, indent);
        if (stmt->as.cond.otherwise.n) dump_part(out, "else", NULL, &stmt->as.cond.otherwise, indent);
        break;
    case S_SET:
        buf_add(out, S("(set "));
        dump_target(out, stmt->as.set.target);
        dump_expr_after(out, " ", stmt->as.set.value);
        break;
    case S_SET_BLOCK:
        buf_add(out, S("(set-block "));
        dump_target(out, stmt->as.set_block.target);
        dump_expr_after(out, " ", stmt->as.set_block.filter);
        dump_body(out, &stmt->as.set_block.body, indent);
        break;
    case S_MACRO:
        buf_format(out, "(macro %S", name_str(stmt->as.macro.name));
        dump_params(out, &stmt->as.macro.params);
        dump_body(out, &stmt->as.macro.body, indent);
        break;
    case S_CALL_BLOCK:
        buf_add(out, S("(call-block"));
        dump_params(out, &stmt->as.macro.params);
        dump_expr_after(out, " ", stmt->as.macro.call);
        dump_body(out, &stmt->as.macro.body, indent);
        break;
    case S_FILTER_BLOCK:
        dump_expr_after(out, "(filter-block ", stmt->as.filter_block.filter);
        dump_body(out, &stmt->as.filter_block.body, indent);
        break;
    case S_WITH:
        buf_add(out, S("(with"));
        for (uint32_t i = 0; i < stmt->as.with.n; i++) {
            buf_char(out, ' ');
            dump_target(out, stmt->as.with.targets[i]);
            dump_expr_after(out, "=", stmt->as.with.values[i]);
        }
        dump_body(out, &stmt->as.with.body, indent);
        break;
    case S_INCLUDE:
    case S_IMPORT:
    case S_FROM:
        dump_load(out, stmt);
        break;
    case S_BLOCK:
        buf_format(out, "(block %S%s%s", name_str(stmt->as.block.name), stmt->as.block.scoped ? " scoped" : "",
                   stmt->as.block.required ? " required" : "");
        dump_body(out, &stmt->as.block.body, indent);
        break;
    case S_AUTOESCAPE:
        dump_expr_after(out, "(autoescape ", stmt->as.autoescape.on);
        dump_body(out, &stmt->as.autoescape.body, indent);
        break;
    case S_BREAK:
        buf_add(out, S("(break"));
        break;
    case S_CONTINUE:
        buf_add(out, S("(continue"));
        break;
    }
    buf_char(out, ')');
}

void ast_dump(Buf *out, const TemplateAst *ast) {
    for (uint32_t i = 0; i < ast->body.n; i++) {
        dump_stmt(out, ast->body.items[i], 0);
        buf_char(out, '\n');
    }
}

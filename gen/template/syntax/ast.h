/* ast.h: what a template says, as a tree. The expression half is opgen's one expression language.
 *
 * Expressions are public: the template compiler turns them into code, and later stages read the same
 * nodes as shape rules, constraints and operator bodies. A node keeps its place as offsets into the
 * Source it was parsed from. A node's height is bounded by AST_MOST_HEIGHT, so that code that walks a
 * tree may recurse; lists (arguments, statements, branches of an if) are arrays and as long as they like.
 */
#ifndef OPGEN_TEMPLATE_AST_H
#define OPGEN_TEMPLATE_AST_H

#include "base/diag.h"
#include "base/map.h"

#define AST_MOST_HEIGHT 400

typedef struct Expr Expr;
typedef struct Stmt Stmt;

/* A node is allocated with only the part of the union that its kind has: read no other, copy none whole. */
typedef enum ExprKind {
    X_CONST,   /* literal */
    X_NAME,    /* name; also as the target of an assignment */
    X_NSREF,   /* ns.attr as the target of a set */
    X_LIST,    /* items */
    X_TUPLE,   /* items; also as the target of an assignment, of names and tuples */
    X_DICT,    /* items: key, value, key, value, ... */
    X_UNARY,   /* op, a */
    X_BINARY,  /* op, a, b: also and, or */
    X_COMPARE, /* compare: a chain, a < b <= c */
    X_CONCAT,  /* items: a ~ b ~ c */
    X_COND,    /* cond: a if test else b; b may be NULL */
    X_ATTR,    /* attr: a.name */
    X_ITEM,    /* a[b]; also a.0, where b is a constant */
    X_SLICE,   /* slice: a[x:y:z]; each may be NULL; `a` is in a[x:y, z], where slices stand in a tuple */
    X_CALL,    /* call: a(...) */
    X_FILTER,  /* call: a|name(...); a is NULL in a filter or set block, where it is the block's text */
    X_TEST,    /* call: a is name(...) */
} ExprKind;

typedef enum LiteralKind { LIT_NONE, LIT_BOOL, LIT_INT, LIT_BIGINT, LIT_FLOAT, LIT_STR } LiteralKind;

typedef enum Op {
    OP_NONE,
    OP_ADD, /* binary */
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_FLOORDIV,
    OP_MOD,
    OP_POW,
    OP_AND,
    OP_OR,
    OP_EQ, /* compare */
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_IN,
    OP_NOT_IN,
    OP_NEG, /* unary */
    OP_POS,
    OP_NOT,
} Op;
const char *op_text(Op op); /* "+", "not in", ... */

typedef struct Literal {
    LiteralKind kind;
    union {
        bool b;
        int64_t i;
        double f;
        Str s; /* LIT_STR; LIT_BIGINT: digits, after "0x", "0o" or "0b" if it was so written; no '_' */
    } as;
} Literal;

typedef struct CompareStep {
    Op op;
    Expr *to;
} CompareStep;

typedef struct KeywordArg {
    Name name;
    uint32_t from, to;
    Expr *value;
} KeywordArg;

typedef struct CallArgs {
    Expr **args;
    uint32_t n;
    uint32_t keyword_count;
    KeywordArg *keywords;
    Expr *star, *star_star; /* f(*args, **kwargs); NULL if not there */
} CallArgs;

struct Expr {
    ExprKind kind;
    Op op;
    uint32_t height;
    uint32_t from, to; /* the whole expression's place */
    uint32_t at; /* the operator's, attribute name's, filter name's or opening bracket's place: where an error of this
                    node is shown */
    uint32_t at_to;
    union {
        Literal literal;
        Name name;
        struct {
            Name name, attr;
        } nsref;
        struct {
            Expr **items;
            uint32_t n;
        } list; /* X_LIST, X_TUPLE, X_DICT, X_CONCAT */
        struct {
            Expr *a, *b;
        } pair; /* X_UNARY (b is NULL), X_BINARY, X_ITEM */
        struct {
            Expr *a;
            CompareStep *steps;
            uint32_t n;
        } compare;
        struct {
            Expr *test, *a, *b;
        } cond;
        struct {
            Expr *a;
            Name name;
        } attr;
        struct {
            Expr *a, *start, *stop, *step;
        } slice;
        struct {
            Expr *a;
            Name name; /* X_FILTER, X_TEST; may have dots */
            CallArgs args;
        } call;
    } as;
};

typedef struct Body {
    Stmt **items;
    uint32_t n;
} Body;

typedef enum StmtKind {
    S_TEXT,
    S_EMIT, /* {{ expr }} */
    S_FOR,
    S_IF,
    S_SET,
    S_SET_BLOCK,
    S_MACRO,
    S_CALL_BLOCK,
    S_FILTER_BLOCK,
    S_WITH,
    S_INCLUDE,
    S_IMPORT,
    S_FROM,
    S_EXTENDS,
    S_BLOCK,
    S_DO,
    S_BREAK,
    S_CONTINUE,
    S_AUTOESCAPE,
} StmtKind;

typedef struct IfBranch {
    Expr *test;
    Body body;
} IfBranch;

typedef struct Params {
    Name *names;
    Expr **defaults; /* n of them; NULL for a parameter that has none */
    uint32_t n;
} Params;

typedef struct ImportedName {
    Name name, alias; /* the same when there is no `as` */
    uint32_t from, to;
} ImportedName;

struct Stmt {
    StmtKind kind;
    uint32_t height;
    uint32_t from, to; /* the opening tag's place, or the text's */
    union {
        Str text;
        Expr *expr; /* S_EMIT, S_DO, S_EXTENDS */
        struct {
            Expr *target, *iter, *test; /* test may be NULL */
            Body body, otherwise;
            bool recursive;
        } loop;
        struct {
            IfBranch *branches;
            uint32_t n;
            Body otherwise;
        } cond;
        struct {
            Expr *target, *value; /* S_SET */
        } set;
        struct {
            Expr *target, *filter; /* filter: a chain whose innermost `a` is NULL, or NULL itself */
            Body body;
        } set_block;
        struct {
            Name name; /* NULL for a call block */
            Params params;
            Expr *call; /* S_CALL_BLOCK: the call that gets this as its caller */
            Body body;
        } macro; /* S_MACRO, S_CALL_BLOCK */
        struct {
            Expr *filter;
            Body body;
        } filter_block;
        struct {
            Expr **targets, **values;
            uint32_t n;
            Body body;
        } with;
        struct {
            Expr *file;
            bool ignore_missing, with_context;
            Name target;         /* S_IMPORT */
            ImportedName *names; /* S_FROM */
            uint32_t n;
        } load; /* S_INCLUDE, S_IMPORT, S_FROM */
        struct {
            Name name;
            Body body;
            bool scoped, required;
        } block;
        struct {
            Expr *on;
            Body body;
        } autoescape;
    } as;
};

typedef struct TemplateAst {
    Source *source;
    Body body;
} TemplateAst;

/* Calls fn for each expression directly within x, in the order of the text; none of them is NULL. */
void ast_each(const Expr *x, void (*fn)(void *user, const Expr *within), void *user);

/* An S-expression of a tree, for tests and for people: (for x (name items) ...). */
void ast_dump_expr(Buf *out, const Expr *expr);
void ast_dump(Buf *out, const TemplateAst *ast);

#endif

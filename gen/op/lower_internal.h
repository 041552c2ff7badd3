/* lower_internal.h: what the parts of lower_*.c share.
 *
 * A sub-expression is kept as it is until something forces a decision. What rules know stays a tree, so that all of
 * `alpha * 2 - 1` is computed at once and exactly; what has numbers and no elements takes its type from the element
 * that it meets; the rest is text of one type.
 */
#ifndef OPGEN_OP_LOWER_INTERNAL_H
#define OPGEN_OP_LOWER_INTERNAL_H

#include "op/lower.h"

/* How tightly C binds what stands outermost in a text; a text may be an operand where its level is high enough. */
enum {
    LEVEL_COMMA = 1,
    LEVEL_ASSIGN,
    LEVEL_CHOICE,
    LEVEL_LOGIC_OR,
    LEVEL_LOGIC_AND,
    LEVEL_BIT_OR,
    LEVEL_BIT_XOR,
    LEVEL_BIT_AND,
    LEVEL_EQUAL,
    LEVEL_ORDER,
    LEVEL_SHIFT,
    LEVEL_ADD,
    LEVEL_MUL,
    LEVEL_UNARY,
    LEVEL_PRIMARY,
};

typedef enum LowKind {
    LOW_BAD,   /* a finding says why */
    LOW_RULE,  /* a tree that rules can evaluate; not yet done */
    LOW_OTHER, /* a value of rules that is no number: a text, a list, None, a dtype, a tensor */
    LOW_NUM,   /* a number without a type */
    LOW_FREE,  /* a tree of numbers and functions of elements, without a type */
    LOW_CODE,  /* text of a type */
} LowKind;

typedef enum NumberKind { NUM_BOOL, NUM_INT, NUM_BIG, NUM_FLOAT } NumberKind;

typedef struct Number {
    NumberKind kind;
    union {
        int64_t i;    /* NUM_BOOL: 0 or 1 */
        uint64_t big; /* NUM_BIG: above INT64_MAX */
        double f;
    } as;
} Number;

typedef struct Low {
    LowKind kind;
    const Expr *expr; /* where it stands; NULL: came from the caller */
    union {
        RuleValue rule;
        Number number;
        struct {
            Str text;
            Dtype type;
            uint8_t level;
            bool soft; /* an integer or boolean that takes the other side's type, as a number does */
        } code;
    } as;
} Low;

typedef struct LowerRun {
    Lower *lower;
    Source *source;
    const LowerName *names;
    size_t n;
    Low *values;      /* of names */
    uint32_t *uses;   /* of names */
    Dtype float_type; /* what integers become where floats are needed, and floats that meet no element */
    bool forced;      /* numbers get types now: within a LOW_FREE whose type is known */
    bool dry;         /* nothing is declared: what is written is thrown away */
    bool probing;     /* a LOW_FREE is written to see its type: uses of names do not count */
} LowerRun;

/* ---- lower.c */
Low low_expr(LowerRun *run, const Expr *expr);
/* A finding where the expression stands; E_BAD_EXPRESSION unless another is named. */
Diag *low_error(LowerRun *run, const Expr *expr, const char *format, ...);
Diag *low_error_as(LowerRun *run, DiagCode code, const Expr *expr, const char *format, ...);
static inline Low low_bad(const Expr *expr) { return (Low){.kind = LOW_BAD, .expr = expr}; }
static inline Low low_rule(const Expr *expr) { return (Low){.kind = LOW_RULE, .expr = expr}; }
static inline Low low_number(const Expr *expr, Number number) {
    return (Low){.kind = LOW_NUM, .expr = expr, .as.number = number};
}
static inline Low low_code(const Expr *expr, Str text, Dtype type, unsigned level) {
    return (Low){.kind = LOW_CODE, .expr = expr, .as.code = {text, type, (uint8_t)level, false}};
}
/* Evaluates a LOW_RULE; others are given back. What comes out is no LOW_RULE. */
Low low_evaluate(LowerRun *run, Low value);
/* Of a value that rules evaluated: 1 or 0, -1: a condition that is known only when the code runs (then it is code), or
 * bad. */
int low_truth(const Low *value);

/* ---- lower_call.c */
Low low_call(LowerRun *run, const Expr *expr);

/* ---- lower_type.c */
/* A table's function or operator over these operands, whose types are brought together first. */
Low low_apply(LowerRun *run, const Expr *expr, Str name, Low *operands, uint32_t n);
Low low_apply_at(LowerRun *run, const Expr *expr, Str name, Low *operands, uint32_t n, Dtype type);
/* The type that these have together; DT_COUNT: one is bad. Operands that are still trees are evaluated. */
Dtype low_common(LowerRun *run, Low *operands, uint32_t n);
Low low_convert(LowerRun *run, Low value, Dtype to);
/* Writes a LOW_FREE, its floats of this type. */
Low low_resolve(LowerRun *run, Low value, Dtype float_type);
Low low_select(LowerRun *run, const Expr *expr, Low test, Low a, Low b);
/* Makes the text of code fit to be repeated; false: it is not, and the caller gave no way to declare it. */
bool low_share(LowerRun *run, Low *value);
Low low_of_lowered(Lowered value);
Lowered low_to_lowered(LowerRun *run, Low value);

/* ---- lower_number.c */
/* + - * / and sqrt of numbers, where the result is the same on every machine. */
bool low_number_fold(Str op, const Number *operands, uint32_t n, Number *out);
/* 1 or 0: whether the comparison holds of two numbers, with no NaN among them; -1 where a double does not hold one. */
int low_number_compare(Op op, Number a, Number b);
Number low_number_float(double f);
bool low_number_of_text(Str text, Number *out); /* what low_number_print writes */
void low_number_print(Buf *out, Number number); /* 2, 2.5, -inf, true */
/* The digits of a literal of this type, without sign; *special: "inf" or "nan" instead. False: this type does not hold
 * it. */
bool low_number_digits(Arena *arena, Number number, Dtype type, Str *digits, bool *negative, const char **special);

/* ---- lower_text.c */
unsigned low_text_level(Str text);
bool low_text_is_plain(Str text); /* a name or a number */
/* The highest N of the {N} in a table's text, plus one. */
uint32_t low_text_operands(Str text);
typedef struct TextOperand {
    Str text;
    unsigned level;
} TextOperand;
/* Puts operands into a table's text, in parentheses where they need them. */
Str low_text_fill(Arena *arena, Str text, const TextOperand *operands, uint32_t n, unsigned *level);
Str low_text_operand(Arena *arena, Str text, unsigned level); /* fit to be an operand of any operator */

#endif

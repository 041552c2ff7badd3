/* sym_print.c: Syms as text, for people and as C.
 *
 * Both are one walk; what differs are a few words. What the canonical form has turned around is turned back: negative
 * terms stand behind positive ones, 1 - (a < b) is b <= a, and choices with a 0 or a 1 are `and` and `or`. For people,
 * the text is an expression of opgen's language (and Python's). In C, every number is an int64_t or fits an int by
 * itself.
 */
#include "op/sym_internal.h"

typedef struct Printer {
    Buf *out;
    bool c;
    Str prefix;
} Printer;

/* How tightly what surrounds a text binds; a text that binds less gets parentheses. */
typedef enum Tight { ANYTHING, OR, AND, NOT, COMPARE, ADD, MULTIPLY, ATOM } Tight;

static void print(const Printer *p, SymRef a, Tight around);
static void print_condition(const Printer *p, SymRef a, bool holds, Tight around);

static void open(const Printer *p, Tight own, Tight around) {
    if (own < around) buf_char(p->out, '(');
}
static void close(const Printer *p, Tight own, Tight around) {
    if (own < around) buf_char(p->out, ')');
}

static void print_call(const Printer *p, const char *name, SymRef a, SymRef b) {
    buf_add(p->out, str_c(name));
    buf_char(p->out, '(');
    print(p, a, ANYTHING);
    buf_add(p->out, S(", "));
    print(p, b, ANYTHING);
    buf_char(p->out, ')');
}

static void print_number(const Printer *p, int64_t i) {
    if (p->c && i == INT64_MIN)
        buf_add(p->out, S("(-9223372036854775807 - 1)"));
    else
        buf_int(p->out, i);
}

/* ---- sums */
static bool is_truth(SymRef a) { return a->kind == SYM_LT || a->kind == SYM_EQ; }

static void print_factor(const Printer *p, SymRef atom) {
    /* In C a comparison is an int, and so is a choice of small numbers; what is made of them may be larger. */
    if (p->c && (is_truth(atom) || atom->kind == SYM_SELECT)) buf_add(p->out, S("(int64_t)"));
    print(p, atom, ATOM);
}

/* |coefficient| * atom, where a sum or the minus sign of one is around it. */
static void print_term(const Printer *p, SymTerm term, bool leading_minus) {
    uint64_t times = term.coefficient < 0 ? 0 - (uint64_t)term.coefficient : (uint64_t)term.coefficient;
    if (times != 1) {
        if (p->c && times > INT64_MAX) /* 2**63: only as the negative number that it stands for */
            buf_add(p->out, S("(-9223372036854775807 - 1)*-1"));
        else
            buf_format(p->out, "%llu", (unsigned long long)times);
        buf_char(p->out, '*');
    }
    if (term.atom->kind != SYM_PRODUCT) {
        if (times != 1 || leading_minus || is_truth(term.atom) || term.atom->kind == SYM_SELECT)
            print_factor(p, term.atom);
        else
            print(p, term.atom, MULTIPLY);
        return;
    }
    for (uint32_t i = 0; i < term.atom->n; i++)
        for (int64_t power = 0; power < term.atom->terms[i].coefficient; power++) {
            if (i > 0 || power > 0) buf_char(p->out, '*');
            print_factor(p, term.atom->terms[i].atom);
        }
}

static void print_sum(const Printer *p, SymRef a, Tight around) {
    if (a->n == 0) {
        open(p, a->constant < 0 ? ADD : ATOM, around);
        print_number(p, a->constant);
        close(p, a->constant < 0 ? ADD : ATOM, around);
        return;
    }
    if (a->n == 1 && a->constant == 1 && a->terms[0].coefficient == -1 && a->terms[0].atom->kind != SYM_PRODUCT &&
        sym_is_condition(a->terms[0].atom) && a->terms[0].atom->kind != SYM_VAR) {
        print_condition(p, a->terms[0].atom, false, around);
        return;
    }
    bool alone = a->n == 1 && a->constant == 0 && a->terms[0].coefficient > 0;
    Tight own = alone ? MULTIPLY : ADD;
    open(p, own, around);
    bool first = true;
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->terms[i].coefficient < 0) continue;
        if (!first) buf_add(p->out, S(" + "));
        print_term(p, a->terms[i], false);
        first = false;
    }
    int64_t constant = a->constant;
    if (first && constant > 0) {
        print_number(p, constant);
        constant = 0, first = false;
    }
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->terms[i].coefficient > 0) continue;
        buf_add(p->out, first ? S("-") : S(" - "));
        print_term(p, a->terms[i], first);
        first = false;
    }
    if (constant == INT64_MIN)
        buf_add(p->out, S(" - 9223372036854775807 - 1"));
    else if (constant != 0)
        buf_format(p->out, constant > 0 ? " + %lld" : " - %lld", (long long)(constant > 0 ? constant : -constant));
    close(p, own, around);
}

/* ---- divisions */
static void print_division(const Printer *p, SymRef a, Tight around) {
    bool plain = a->a->low >= 0 && a->b->low > 0;
    bool is_mod = a->kind == SYM_MOD;
    if (p->c && !plain) {
        print_call(p, is_mod ? "opgen_mod" : "opgen_floordiv", a->a, a->b);
        return;
    }
    open(p, MULTIPLY, around);
    print(p, a->a, MULTIPLY);
    buf_add(p->out, is_mod ? S(" % ") : p->c ? S(" / ") : S("//"));
    print(p, a->b, ATOM);
    close(p, MULTIPLY, around);
}

/* ---- conditions */

static void print_one_less(const Printer *p, SymRef sum) {
    Sym less = *sum; /* only to be printed */
    less.constant--;
    if (less.constant == 0 && less.n == 1 && less.terms[0].coefficient == 1 && less.terms[0].atom->kind != SYM_PRODUCT)
        print(p, less.terms[0].atom, ADD);
    else
        print_sum(p, &less, ADD);
}

/* left < right or, where it does not hold, right <= left. A number goes to the right; x + 1 is avoided: left <= x. */
static void print_less(const Printer *p, SymRef left, SymRef right, bool holds, Tight around) {
    int64_t number;
    bool shorter = right->kind == SYM_SUM && right->n > 0 && (holds ? right->constant == 1 : right->constant > 0);
    open(p, COMPARE, around);
    if (sym_is_int(left, &number)) {
        print(p, right, ADD);
        buf_add(p->out, holds ? S(" > ") : S(" <= "));
        print(p, left, ADD);
    } else if (holds) {
        print(p, left, ADD);
        buf_add(p->out, shorter ? S(" <= ") : S(" < "));
        shorter ? print_one_less(p, right) : print(p, right, ADD);
    } else {
        shorter ? print_one_less(p, right) : print(p, right, ADD);
        buf_add(p->out, shorter ? S(" < ") : S(" <= "));
        print(p, left, ADD);
    }
    close(p, COMPARE, around);
}

/* a and b, or (for `all` false) a or b; each as it is or turned around. */
static void print_both(const Printer *p, SymRef a, bool holds_a, bool all, SymRef b, bool holds_b, Tight around) {
    Tight own = all ? AND : OR;
    open(p, own, around);
    print_condition(p, a, holds_a, all ? NOT : AND);
    buf_add(p->out, all ? (p->c ? S(" && ") : S(" and ")) : (p->c ? S(" || ") : S(" or ")));
    print_condition(p, b, holds_b, all ? AND : OR);
    close(p, own, around);
}

static bool is_number(SymRef a, int64_t wanted) {
    int64_t i;
    return sym_is_int(a, &i) && i == wanted;
}

/* A 0 or 1, or (holds false) its opposite. */
static void print_condition(const Printer *p, SymRef a, bool holds, Tight around) {
    if (a->kind == SYM_SUM && a->n == 1 && a->constant == 1 && a->terms[0].coefficient == -1 &&
        a->terms[0].atom->kind != SYM_PRODUCT) {
        print_condition(p, a->terms[0].atom, !holds, around);
        return;
    }
    if (a->kind == SYM_LT) {
        print_less(p, a->a, a->b, holds, around);
        return;
    }
    if (a->kind == SYM_EQ) {
        open(p, COMPARE, around);
        print(p, a->b, ADD);
        buf_add(p->out, holds ? S(" == ") : S(" != "));
        print(p, a->a, ADD);
        close(p, COMPARE, around);
        return;
    }
    if (a->kind == SYM_SELECT && sym_is_condition(a)) {
        /* c ? x : 0 is c and x; c ? 0 : x is not c and x; their opposites are `or` of the opposites. */
        if (is_number(a->b, 0)) {
            print_both(p, a->c, holds, holds, a->a, holds, around);
            return;
        }
        if (is_number(a->a, 0)) {
            print_both(p, a->c, !holds, holds, a->b, holds, around);
            return;
        }
    }
    if (holds) {
        print(p, a, around);
        return;
    }
    if (p->c) {
        buf_char(p->out, '!');
        print(p, a, ATOM);
        return;
    }
    open(p, NOT, around);
    buf_add(p->out, S("not "));
    print(p, a, NOT);
    close(p, NOT, around);
}

static void print_select(const Printer *p, SymRef a, Tight around) {
    open(p, ANYTHING, p->c ? ATOM : around);
    if (p->c) {
        print_condition(p, a->c, true, OR);
        buf_add(p->out, S(" ? "));
        print(p, a->a, OR);
        buf_add(p->out, S(" : "));
        print(p, a->b, OR);
    } else {
        print(p, a->a, OR);
        buf_add(p->out, S(" if "));
        print_condition(p, a->c, true, OR);
        buf_add(p->out, S(" else "));
        print(p, a->b, ANYTHING);
    }
    close(p, ANYTHING, p->c ? ATOM : around);
}

static void print(const Printer *p, SymRef a, Tight around) {
    switch (a->kind) {
    case SYM_SUM:
        print_sum(p, a, around);
        return;
    case SYM_PRODUCT:
        print_term(p, (SymTerm){1, a}, false);
        return;
    case SYM_VAR:
        if (p->c) buf_add(p->out, p->prefix);
        buf_add(p->out, name_str(a->name));
        return;
    case SYM_FLOORDIV:
    case SYM_MOD:
        print_division(p, a, around);
        return;
    case SYM_MIN:
        print_call(p, p->c ? "opgen_min" : "min", a->a, a->b);
        return;
    case SYM_MAX:
        print_call(p, p->c ? "opgen_max" : "max", a->a, a->b);
        return;
    case SYM_LT:
    case SYM_EQ:
        print_condition(p, a, true, around);
        return;
    case SYM_SELECT:
        if (sym_is_condition(a) && (is_number(a->a, 0) || is_number(a->b, 0)))
            print_condition(p, a, true, around);
        else
            print_select(p, a, around);
        return;
    }
}

void sym_print(Buf *out, SymRef a) {
    Printer printer = {out, false, S("")};
    print(&printer, a, ANYTHING);
}

void sym_print_c(Buf *out, SymRef a, Str prefix) {
    Printer printer = {out, true, prefix};
    print(&printer, a, ANYTHING);
}

/* driver_size.c: sizes as C that never computes a wrong number.
 *
 * Dims are within their ranges when generated code sees them, so that most sizes are known to fit and are plain
 * expressions. The others are made of functions that notice (runtime/opgen_index.h).
 */
#include "emit/driver.h"

/* ---- bounds, in more than 64 bits */

/* The greatest amount that anything on the way to the value can have; negative: it is not known to fit. */
static __int128 amount(SymRef a);

static __int128 times(__int128 a, __int128 b) {
    if (a < 0 || b < 0) return -1;
    if (a > INT64_MAX || b > INT64_MAX) return -1;
    return a * b > INT64_MAX ? -1 : a * b;
}

static __int128 amount_of_product(SymRef a) {
    __int128 product = 1;
    for (uint32_t i = 0; i < a->n; i++) {
        __int128 factor = amount(a->terms[i].atom);
        for (int64_t power = a->terms[i].coefficient; power > 0 && product >= 0; power--)
            product = times(product, factor);
    }
    return product;
}

static __int128 amount_of_sum(SymRef a) {
    if (a->constant == INT64_MIN) return -1;
    __int128 sum = a->constant < 0 ? -a->constant : a->constant;
    for (uint32_t i = 0; i < a->n; i++) {
        int64_t coefficient = a->terms[i].coefficient;
        if (coefficient == INT64_MIN) return -1;
        __int128 term = times(amount(a->terms[i].atom), coefficient < 0 ? -coefficient : coefficient);
        if (term < 0) return -1;
        sum += term;
    }
    return sum > INT64_MAX ? -1 : sum;
}

static __int128 amount(SymRef a) {
    if (a->kind == SYM_SUM) return amount_of_sum(a);
    if (a->kind == SYM_PRODUCT) return amount_of_product(a);
    if (a->kind != SYM_VAR && (amount(a->a) < 0 || amount(a->b) < 0 || (a->c != NULL && amount(a->c) < 0))) return -1;
    if (a->low <= -INT64_MAX || a->high == INT64_MAX) return -1;
    int64_t low = a->low < 0 ? -a->low : a->low, high = a->high < 0 ? -a->high : a->high;
    return low > high ? low : high;
}

bool size_is_safe(SymRef a) { return !a->partial && amount(a) >= 0; }

/* ---- what notices */
static void print(Buf *out, SymRef a);

static void print_two(Buf *out, const char *function, SymRef a, SymRef b) {
    buf_format(out, "opgen_try_%s(", function);
    print(out, a);
    buf_add(out, S(", "));
    print(out, b);
    buf_char(out, ')');
}

/* Operands from..to of a sum or product, in halves, so that parentheses do not go deep. */
static void print_term(Buf *out, SymTerm term, bool power);

static void print_terms(Buf *out, SymRef a, uint32_t from, uint32_t to) {
    bool sum = a->kind == SYM_SUM;
    if (to - from == 1) {
        print_term(out, a->terms[from], !sum);
        return;
    }
    uint32_t middle = from + (to - from) / 2;
    buf_add(out, sum ? S("opgen_try_add(") : S("opgen_try_mul("));
    print_terms(out, a, from, middle);
    buf_add(out, S(", "));
    print_terms(out, a, middle, to);
    buf_char(out, ')');
}

static void print_number(Buf *out, int64_t number) {
    if (number == INT64_MIN)
        buf_add(out, S("OPGEN_NO_SIZE")); /* there is no other way to take it in */
    else
        buf_int(out, number);
}

static void print_term(Buf *out, SymTerm term, bool power) {
    int64_t again = power ? term.coefficient : 1;
    for (int64_t i = 1; i < again; i++) {
        buf_add(out, S("opgen_try_mul("));
        print(out, term.atom);
        buf_add(out, S(", "));
    }
    if (!power && term.coefficient != 1) {
        buf_add(out, S("opgen_try_mul("));
        print(out, term.atom);
        buf_add(out, S(", "));
        print_number(out, term.coefficient);
        buf_char(out, ')');
    } else {
        print(out, term.atom);
    }
    buf_fill(out, ')', again > 0 ? (size_t)(again - 1) : 0);
}

static void print_sum(Buf *out, SymRef a) {
    if (a->n == 0) {
        print_number(out, a->constant);
        return;
    }
    if (a->constant != 0) buf_add(out, S("opgen_try_add("));
    print_terms(out, a, 0, a->n);
    if (a->constant == 0) return;
    buf_add(out, S(", "));
    print_number(out, a->constant);
    buf_char(out, ')');
}

static void print(Buf *out, SymRef a) {
    static const char *const functions[] = {
        [SYM_FLOORDIV] = "floordiv", [SYM_MOD] = "mod", [SYM_MIN] = "min",
        [SYM_MAX] = "max",           [SYM_LT] = "less", [SYM_EQ] = "equal",
    };
    switch (a->kind) {
    case SYM_SUM:
        print_sum(out, a);
        return;
    case SYM_PRODUCT:
        print_terms(out, a, 0, a->n);
        return;
    case SYM_VAR:
        buf_format(out, DIM_PREFIX "%S", name_str(a->name));
        return;
    case SYM_SELECT:
        buf_add(out, S("opgen_try_select("));
        print(out, a->c);
        buf_add(out, S(", "));
        print(out, a->a);
        buf_add(out, S(", "));
        print(out, a->b);
        buf_char(out, ')');
        return;
    default:
        print_two(out, functions[a->kind], a->a, a->b);
    }
}

void size_print(Buf *out, SymRef a) {
    if (size_is_safe(a))
        sym_print_c(out, a, S(DIM_PREFIX));
    else
        print(out, a);
}

/* ---- dims */
void size_dims(const Graph *graph, SymRef a, bool *used) {
    if (a->kind == SYM_VAR) {
        for (uint32_t i = 0; i < graph->dims.n; i++)
            if (graph->dims.items[i].name == a->name) used[i] = true;
        return;
    }
    for (uint32_t i = 0; i < a->n; i++)
        size_dims(graph, a->terms[i].atom, used);
    if (a->a != NULL) size_dims(graph, a->a, used);
    if (a->b != NULL) size_dims(graph, a->b, used);
    if (a->c != NULL) size_dims(graph, a->c, used);
}

void size_declare_dims(Buf *out, const Graph *graph, const bool *used, Str from) {
    for (uint32_t i = 0; i < graph->dims.n; i++)
        if (used[i])
            buf_format(out, "    const int64_t " DIM_PREFIX "%S = %S[%u];\n", name_str(graph->dims.items[i].name), from,
                       (unsigned)i);
}

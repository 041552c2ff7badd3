/* rule_access.c: items, slices and attributes of values of rules.
 *
 * Texts count in code points, as everywhere in opgen. Where an item is asked for by a size that is only a name, there
 * is no way to tell which one it is; a slice may end anywhere, so its bounds have to be numbers as well.
 */
#include "op/rule_internal.h"

/* ---- texts as lists */

/* Offsets of the code points, and the end behind them. */
static uint32_t *offsets_of(Eval *eval, const Expr *e, Str s, uint32_t *n) {
    if (!rule_spend(eval, e, s.n)) return NULL;
    uint32_t *offsets = ARENA_ARRAY(eval->rules->arena, uint32_t, s.n + 1);
    *n = 0;
    for (size_t i = 0; i < s.n;) {
        unsigned size;
        str_decode(s.p + i, s.p + s.n, &size);
        offsets[(*n)++] = (uint32_t)i;
        i += size;
    }
    offsets[*n] = (uint32_t)s.n;
    return offsets;
}

static bool has_items(const Eval *eval, const Expr *e, const RuleValue *a) {
    if (a->kind == RULE_LIST || a->kind == RULE_TEXT) return true;
    Diag *diag = rule_error(eval, e, "%s has no items", rule_kind_name(a->kind));
    if (a->kind == RULE_TENSOR) diag_hint(eval->rules->diags, diag, "its sizes are in .shape");
    return false;
}

/* ---- items */
bool rule_item(Eval *eval, const Expr *e, const RuleValue *a, const RuleValue *at, RuleValue *out) {
    int64_t i;
    if (!has_items(eval, e->as.pair.a, a) || !rule_known(eval, e->as.pair.b, at, "an index", &i)) return false;
    uint32_t n = a->kind == RULE_LIST ? a->as.list.n : 0, *offsets = NULL;
    if (a->kind == RULE_TEXT && (offsets = offsets_of(eval, e, a->as.s, &n)) == NULL) return false;
    int64_t place = i < 0 ? i + n : i;
    if (place < 0 || place >= n) {
        Diag *diag =
            rule_error_at(eval, E_RULE, e->as.pair.b->from, e->as.pair.b->to, "there is no item %lld: this %s has %u",
                          (long long)i, a->kind == RULE_LIST ? "list" : "text", n);
        if (n > 0) diag_hint(eval->rules->diags, diag, "the last is [%u], or [-1]", n - 1);
        return false;
    }
    if (a->kind == RULE_LIST)
        *out = a->as.list.items[place];
    else
        *out = rule_text(str_sub(a->as.s, offsets[place], offsets[place + 1]));
    return true;
}

/* ---- slices, as Python cuts them */
static bool bound(const Eval *eval, const Expr *e, const RuleValue *v, bool *given, int64_t *i) {
    *given = v != NULL && v->kind != RULE_NONE;
    return !*given || rule_known(eval, e, v, "a slice's bound", i);
}

static int64_t clamp(int64_t i, int64_t n, int64_t low, int64_t high) {
    if (i < 0) i = i < -n ? low : i + n;
    return i < low ? low : i > high ? high : i;
}

bool rule_slice(Eval *eval, const Expr *e, const RuleValue *a, const RuleValue *start, const RuleValue *stop,
                const RuleValue *step, RuleValue *out) {
    bool has_start, has_stop, has_step;
    int64_t from = 0, to = 0, by = 1;
    if (!has_items(eval, e->as.slice.a, a)) return false;
    if (!bound(eval, start != NULL ? e->as.slice.start : e, start, &has_start, &from) ||
        !bound(eval, stop != NULL ? e->as.slice.stop : e, stop, &has_stop, &to) ||
        !bound(eval, step != NULL ? e->as.slice.step : e, step, &has_step, &by))
        return false;
    if (by == 0) {
        rule_error(eval, e->as.slice.step, "a slice cannot go in steps of 0");
        return false;
    }
    uint32_t size = a->kind == RULE_LIST ? a->as.list.n : 0, *offsets = NULL;
    if (a->kind == RULE_TEXT && (offsets = offsets_of(eval, e, a->as.s, &size)) == NULL) return false;
    int64_t n = size, low = by > 0 ? 0 : -1, high = by > 0 ? n : n - 1;
    from = has_start ? clamp(from, n, low, high) : by > 0 ? 0 : n - 1;
    to = has_stop ? clamp(to, n, low, high) : by > 0 ? n : -1;
    RuleValue *items = rule_room(eval, e, size);
    if (items == NULL) return false;
    Buf buf;
    buf_init(&buf, eval->rules->arena);
    uint32_t count = 0;
    int64_t stride = by > n ? n + 1 : by < -n ? -n - 1 : by; /* so that i + stride cannot leave 64 bits */
    for (int64_t i = from; by > 0 ? i < to : i > to; i += stride) {
        if (a->kind == RULE_LIST)
            items[count++] = a->as.list.items[i];
        else
            buf_add(&buf, str_sub(a->as.s, offsets[i], offsets[i + 1]));
    }
    *out = a->kind == RULE_LIST ? rule_list(items, count) : rule_text(buf_str(&buf));
    return true;
}

/* ---- attributes */
static bool say_no_attr(const Eval *eval, const Expr *e, const RuleValue *a) {
    static const Str names[] = {S("shape"), S("rank"), S("numel"), S("dtype"), S("itemsize")};
    Str name = name_str(e->as.attr.name);
    Diag *diag = rule_error_at(eval, E_RULE, e->at, e->at_to, "%s has no attribute %Q", rule_kind_name(a->kind), name);
    Diags *diags = eval->rules->diags;
    if (a->kind == RULE_TENSOR) {
        if (!diag_suggest(diags, diag, name, names, sizeof names / sizeof *names))
            diag_hint(diags, diag, "a tensor has shape, rank, numel, dtype and itemsize");
    } else if (a->kind == RULE_NONE) {
        diag_hint(diags, diag, "where an input may be left out, ask first: ... if not is_none(x) else ...");
    } else if (a->kind == RULE_LIST || a->kind == RULE_TEXT) {
        diag_hint(diags, diag, "it has .index(x) and .count(x); len(x) is how long it is");
    }
    return false;
}

bool rule_attr(Eval *eval, const Expr *e, const RuleValue *a, RuleValue *out) {
    Str name = name_str(e->as.attr.name);
    Syms *syms = eval->rules->syms;
    if (a->kind != RULE_TENSOR) return say_no_attr(eval, e, a);
    const RuleTensor *tensor = a->as.tensor;
    if (str_eq(name, S("dtype"))) {
        *out = rule_dtype(tensor->dtype);
        return true;
    }
    if (str_eq(name, S("itemsize"))) {
        *out = rule_int(sym_int(syms, dtype_size(tensor->dtype)));
        return true;
    }
    bool is_shape = str_eq(name, S("shape")), is_rank = str_eq(name, S("rank"));
    if (!is_shape && !is_rank && !str_eq(name, S("numel"))) return say_no_attr(eval, e, a);
    if (tensor->shape.rank == RULE_NO_RANK) {
        rule_error(eval, e, "the shape of this tensor is not known yet");
        return false;
    }
    if (is_rank) {
        *out = rule_int(sym_int(syms, tensor->shape.rank));
        return true;
    }
    if (is_shape) {
        *out = rule_shape_value(eval->rules, tensor->shape);
        return rule_spend(eval, e, tensor->shape.rank);
    }
    SymRef product = sym_int(syms, 1);
    for (uint32_t i = 0; i < tensor->shape.rank; i++)
        product = sym_mul(syms, product, tensor->shape.dims[i]);
    *out = rule_int(product);
    return rule_fits(eval, e);
}

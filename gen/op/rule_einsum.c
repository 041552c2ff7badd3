/* rule_einsum.c: an equation of two operands as a product of matrices.
 *
 * Letters are dims. One that both operands and the result have is a dim of a batch of products, one of an operand and
 * the result a row or a column, and over all others is summed, be they of both operands or of one. So the rules of an
 * operator need to know only which dims are which, and in which order they stand: einsum gives that, the sizes in four
 * lists and the places in three. "..." stands for dims that broadcast; they are labels as letters are.
 */
#include "op/rule_internal.h"

enum { LETTERS = 52, LABELS = LETTERS + RULE_MOST_RANK, GROUPS = 4 };

typedef struct Term {
    uint32_t labels[RULE_MOST_RANK];
    uint32_t n;
} Term;

typedef struct Equation {
    RuleCallArgs *call;
    Term operands[2], result;
    uint32_t dots;       /* the most dims that a "..." stands for */
    SymRef size[LABELS]; /* NULL: in no operand */
    uint32_t count[LABELS];
    bool in[2][LABELS], out[LABELS];
} Equation;

static Diag *wrong(const Equation *equation, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str why = str_vformat(equation->call->eval->rules->diags->arena, format, args);
    va_end(args);
    return rule_error(equation->call->eval, equation->call->at[0], "the equation %Q: %S", equation->call->args[0].as.s,
                      why);
}

/* ---- what is written */

/* As PyTorch sorts them: capitals first. */
static int label_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    return c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1;
}

static bool add_label(const Equation *equation, Term *term, uint32_t label) {
    if (term->n == RULE_MOST_RANK) {
        wrong(equation, "there are more than %d dims", RULE_MOST_RANK);
        return false;
    }
    term->labels[term->n++] = label;
    return true;
}

/* How many letters there are, and whether there is a "...". */
static bool count_letters(const Equation *equation, Str text, uint32_t *letters, bool *dots) {
    *letters = 0, *dots = false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == ' ') continue;
        if (label_of(text.p[i]) >= 0) {
            ++*letters;
        } else if (!*dots && str_starts(str_sub(text, i, text.n), S("..."))) {
            *dots = true;
            i += 2;
        } else {
            wrong(equation, "%Q cannot be read: dims are letters, and there may be one \"...\"", str_trim(text));
            return false;
        }
    }
    return true;
}

/* `dots`: how many dims "..." stands for. They are counted from the last, which is how shapes broadcast. */
static bool read_term(const Equation *equation, Str text, uint32_t dots, Term *term) {
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == ' ') continue;
        if (text.p[i] != '.') {
            if (!add_label(equation, term, (uint32_t)label_of(text.p[i]))) return false;
            continue;
        }
        i += 2;
        for (uint32_t k = dots; k-- > 0;)
            if (!add_label(equation, term, LETTERS + k)) return false;
    }
    return true;
}

static bool read_operand(Equation *equation, uint32_t which, Str text, RuleShape shape) {
    uint32_t letters;
    bool has_dots;
    if (!count_letters(equation, text, &letters, &has_dots)) return false;
    if (has_dots ? letters > shape.rank : letters != shape.rank) {
        wrong(equation, "%Q is of %s%u dim%s, but the operand has %u", str_trim(text), has_dots ? "at least " : "",
              letters, letters == 1 ? "" : "s", shape.rank);
        return false;
    }
    uint32_t dots = shape.rank - letters;
    if (dots > equation->dots) equation->dots = dots;
    return read_term(equation, text, dots, &equation->operands[which]);
}

/* The result that is not written: what "..." stands for, and letters that there are once, in their order. */
static bool default_result(Equation *equation) {
    for (uint32_t k = equation->dots; k-- > 0;)
        if (!add_label(equation, &equation->result, LETTERS + k)) return false;
    for (uint32_t label = 0; label < LETTERS; label++)
        if (equation->count[label] == 1 && !add_label(equation, &equation->result, label)) return false;
    return true;
}

static bool read_result(Equation *equation, Str text) {
    uint32_t letters;
    bool has_dots;
    if (!count_letters(equation, text, &letters, &has_dots) ||
        !read_term(equation, text, equation->dots, &equation->result))
        return false;
    for (uint32_t k = 0; k < equation->result.n; k++) {
        uint32_t label = equation->result.labels[k];
        bool twice = equation->out[label];
        equation->out[label] = true;
        if (!twice && equation->count[label] > 0) continue;
        wrong(equation, twice ? "the result %Q has a dim twice" : "the result %Q has a dim that no operand has",
              str_trim(text));
        return false;
    }
    return true;
}

static bool read_equation(Equation *equation, const RuleShape *shapes) {
    Str text = equation->call->args[0].as.s, result = S("");
    size_t arrow = str_find(text, S("->"));
    if (arrow != STR_NONE) result = str_sub(text, arrow + 2, text.n), text = str_sub(text, 0, arrow);
    size_t comma = str_find_char(text, ',');
    if (comma == STR_NONE || str_find_char(str_sub(text, comma + 1, text.n), ',') != STR_NONE) {
        wrong(equation, "there are two operands, which a comma parts");
        return false;
    }
    if (!read_operand(equation, 0, str_sub(text, 0, comma), shapes[0]) ||
        !read_operand(equation, 1, str_sub(text, comma + 1, text.n), shapes[1]))
        return false;
    for (uint32_t which = 0; which < 2; which++) {
        const Term *term = &equation->operands[which];
        for (uint32_t k = 0; k < term->n; k++) {
            equation->count[term->labels[k]]++;
            equation->in[which][term->labels[k]] = true;
        }
    }
    if (arrow != STR_NONE) return read_result(equation, result);
    if (!default_result(equation)) return false;
    for (uint32_t k = 0; k < equation->result.n; k++)
        equation->out[equation->result.labels[k]] = true;
    return true;
}

/* ---- what it means */

static bool same_size(const Equation *equation, SymRef a, SymRef b) {
    return a == b || sym_truth(sym_eq(equation->call->eval->rules->syms, a, b)) == 1;
}

static bool say_sizes(const Equation *equation, const char *what, SymRef a, SymRef b) {
    Buf text;
    buf_init(&text, equation->call->eval->rules->diags->arena);
    sym_print(&text, a);
    buf_add(&text, S(" and "));
    sym_print(&text, b);
    sym_clear_fault(equation->call->eval->rules->syms); /* a difference too large to be written is one */
    wrong(equation, "%s has the sizes %S", what, buf_str(&text));
    return false;
}

/* Within an operand, equal letters are a diagonal, of equal sizes; between the two a size of 1 broadcasts. */
static bool take_sizes(Equation *equation, uint32_t which, RuleShape shape) {
    const Term *term = &equation->operands[which];
    SymRef own[LABELS] = {NULL}, one = rule_call_number(equation->call, 1);
    for (uint32_t k = 0; k < term->n; k++) {
        SymRef *mine = &own[term->labels[k]], *all = &equation->size[term->labels[k]], size = shape.dims[k];
        if (*mine != NULL && !same_size(equation, *mine, size)) return say_sizes(equation, "a diagonal", *mine, size);
        *mine = size;
        if (*all == NULL || *all == one)
            *all = size;
        else if (size != one && !same_size(equation, *all, size))
            return say_sizes(equation, "a dim of both operands", *all, size);
    }
    return rule_fits(equation->call->eval, equation->call->e);
}

static uint32_t group_of(const Equation *equation, uint32_t label) {
    if (!equation->out[label]) return 3;
    return equation->in[0][label] ? equation->in[1][label] ? 0 : 1 : 2;
}

static RuleValue places_of(const Equation *equation, const Term *term, const uint32_t *place) {
    RuleValue *items = ARENA_ARRAY(equation->call->eval->rules->arena, RuleValue, term->n + 1);
    for (uint32_t k = 0; k < term->n; k++)
        items[k] = rule_int(rule_call_number(equation->call, place[term->labels[k]]));
    return rule_list(items, term->n);
}

/* Dims of the result stand in its order, so that rows and columns are as far apart in memory as they can be. */
static void give(const Equation *equation, RuleValue *out) {
    Arena *arena = equation->call->eval->rules->arena;
    const Term *terms[] = {&equation->result, &equation->operands[0], &equation->operands[1]};
    uint32_t place[LABELS], next = 0;
    bool placed[LABELS] = {false};
    RuleValue *lists = ARENA_ARRAY(arena, RuleValue, GROUPS + 3);
    const uint32_t most = terms[0]->n + terms[1]->n + terms[2]->n; /* each in one group */
    RuleValue *sizes = ARENA_ARRAY(arena, RuleValue, most + 1);
    for (uint32_t group = 0; group < GROUPS; group++) {
        uint32_t n = 0;
        for (uint32_t t = 0; t < 3; t++) {
            for (uint32_t k = 0; k < terms[t]->n; k++) {
                uint32_t label = terms[t]->labels[k];
                if (placed[label] || group_of(equation, label) != group) continue;
                placed[label] = true;
                place[label] = next++;
                sizes[n++] = rule_int(equation->size[label]);
            }
        }
        lists[group] = rule_list(sizes, n);
        sizes += n;
    }
    for (uint32_t t = 0; t < 3; t++)
        lists[GROUPS + t] = places_of(equation, terms[(t + 1) % 3], place);
    *out = rule_list(lists, GROUPS + 3);
}

bool rule_call_einsum(RuleCallArgs *call, RuleValue *out) {
    RuleShape shapes[2];
    if (call->args[0].kind != RULE_TEXT) return rule_call_wrong(call, 0, "an equation, a text");
    if (!rule_call_shape(call, 1, "a shape", &shapes[0]) || !rule_call_shape(call, 2, "a shape", &shapes[1]))
        return false;
    if (!rule_spend(call->eval, call->e, call->args[0].as.s.n)) return false;
    Equation equation = {.call = call};
    if (!read_equation(&equation, shapes) || !take_sizes(&equation, 0, shapes[0]) ||
        !take_sizes(&equation, 1, shapes[1]))
        return false;
    give(&equation, out);
    return true;
}

/* rule_call.c: calls of functions, methods and filters.
 *
 * How many arguments a function takes stands in builtins.h, the list that the reader of opdefs checks calls against. A
 * function gets its arguments' values and expressions, the latter for the place of a finding.
 */
#include "op/rule_internal.h"

/* ---- what functions share */
bool rule_call_wrong(const RuleCallArgs *call, uint32_t i, const char *wanted) {
    rule_error(call->eval, call->at[i], "%S wants %s here, but this is %s", call->name, wanted,
               rule_kind_name(call->args[i].kind));
    return false;
}

SymRef rule_call_number(const RuleCallArgs *call, int64_t i) { return sym_int(call->eval->rules->syms, i); }

bool rule_call_list_at(const RuleCallArgs *call, uint32_t i) {
    return call->args[i].kind == RULE_LIST || rule_call_wrong(call, i, "a list");
}

/* ---- the table */
typedef struct Function {
    Str name;
    bool (*call)(RuleCallArgs *call, RuleValue *out);
} Function;

static const Function functions[] = {
    {S("abs"), rule_call_abs},
    {S("alike"), rule_call_alike},
    {S("drop"), rule_call_drop},
    {S("einsum"), rule_call_einsum},
    {S("element"), rule_call_element},
    {S("insert"), rule_call_insert},
    {S("pick"), rule_call_pick},
    {S("ones"), rule_call_ones},
    {S("bool"), rule_call_bool},
    {S("broadcast"), rule_call_broadcast},
    {S("broadcast_index"), rule_call_broadcast_index},
    {S("wrap_dims"), rule_call_wrap_dims},
    {S("fits"), rule_call_fits},
    {S("float"), rule_call_float},
    {S("int"), rule_call_int},
    {S("is_float"), rule_call_is_float},
    {S("is_int"), rule_call_is_int},
    {S("is_none"), rule_call_is_none},
    {S("len"), rule_call_len},
    {S("max"), rule_call_max},
    {S("min"), rule_call_min},
    {S("prod"), rule_call_prod},
    {S("promote"), rule_call_promote},
    {S("range"), rule_call_range},
    {S("ravel"), rule_call_ravel},
    {S("sizes"), rule_call_sizes},
    {S("sum"), rule_call_sum},
    {S("to_float"), rule_call_to_float},
    {S("unravel"), rule_call_unravel},
    {S("wrap"), rule_call_wrap},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

/* What can be written behind a |. */
static const Function filters[] = {
    {S("abs"), rule_call_abs},     {S("bool"), rule_call_bool},   {S("count"), rule_call_len},
    {S("first"), rule_call_first}, {S("float"), rule_call_float}, {S("int"), rule_call_int},
    {S("last"), rule_call_last},   {S("length"), rule_call_len},  {S("list"), rule_call_list},
    {S("max"), rule_call_max},     {S("min"), rule_call_min},     {S("reverse"), rule_call_reverse},
    {S("sort"), rule_call_sort},   {S("sum"), rule_call_sum},
};
enum { FILTER_COUNT = sizeof filters / sizeof *filters };

enum { IN_RULE = 1, IN_BODY = 2, IN_BOTH = 3 };
static const struct {
    Str name;
    int least, most;
    int where;
} builtins[] = {
#define BUILTIN(function, least, most, where, gives) {S(#function), least, most, where},
#include "op/builtins.h"
#undef BUILTIN
};
enum { BUILTIN_COUNT = sizeof builtins / sizeof *builtins };

static const Function *find(const Function *table, uint32_t n, Str name) {
    for (uint32_t i = 0; i < n; i++)
        if (str_eq(table[i].name, name)) return &table[i];
    return NULL;
}

static bool say_unknown(const Eval *eval, const Expr *e, const char *what, Str name, const Function *table,
                        uint32_t n) {
    Str names[FUNCTION_COUNT + FILTER_COUNT];
    for (uint32_t i = 0; i < n; i++)
        names[i] = table[i].name;
    for (uint32_t i = 0; i < BUILTIN_COUNT; i++) {
        if (table != functions || builtins[i].where != IN_BODY || !str_eq(builtins[i].name, name)) continue;
        rule_error(eval, e, "%Q is for elements, and this is decided before there are any", name);
        return false;
    }
    Diag *diag = rule_error(eval, e, "there is no %s %Q", what, name);
    diag_suggest(eval->rules->diags, diag, name, names, n);
    return false;
}

static bool check_count(const RuleCallArgs *call) {
    for (uint32_t i = 0; i < BUILTIN_COUNT; i++) {
        if (!str_eq(builtins[i].name, call->name)) continue;
        int least = builtins[i].least, most = builtins[i].most;
        if (call->n >= (uint32_t)least && (most < 0 || call->n <= (uint32_t)most)) return true;
        int wanted = call->n < (uint32_t)least ? least : most;
        const char *bound = least == most ? "" : call->n < (uint32_t)least ? "at least " : "at most ";
        rule_error(call->eval, call->e, "%S takes %s%d argument%s, but got %u", call->name, bound, wanted,
                   wanted == 1 ? "" : "s", call->n);
        return false;
    }
    return true;
}

/* The arguments' values, behind `first` if it is not NULL. */
static bool take_arguments(RuleCallArgs *call, const CallArgs *args, const Expr *first) {
    Eval *eval = call->eval;
    if (args->keyword_count > 0 || args->star != NULL || args->star_star != NULL) {
        rule_error(eval, call->e, "arguments are given by position here, without names or *");
        return false;
    }
    uint32_t skip = first != NULL;
    call->n = args->n + skip;
    call->args = rule_room(eval, call->e, call->n);
    if (call->args == NULL) return false;
    call->at = ARENA_ARRAY(eval->rules->arena, const Expr *, call->n + 1);
    for (uint32_t i = 0; i < call->n; i++) {
        call->at[i] = i < skip ? first : args->args[i - skip];
        if (!rule_walk(eval, call->at[i], &call->args[i])) return false;
    }
    return true;
}

/* ---- methods */
static bool call_index(RuleCallArgs *call, bool count, RuleValue *out) {
    const RuleValue *a = &call->args[0], *item = &call->args[1];
    int64_t found = 0;
    if (a->kind == RULE_TEXT) {
        if (item->kind != RULE_TEXT || item->as.s.n == 0) return rule_call_wrong(call, 1, "text that is not empty");
        size_t at = 0, next;
        if (!rule_spend(call->eval, call->e, a->as.s.n)) return false;
        while ((next = str_find(str_sub(a->as.s, at, a->as.s.n), item->as.s)) != STR_NONE) {
            if (!count) {
                *out = rule_int(rule_call_number(call, (int64_t)str_count(str_sub(a->as.s, 0, next))));
                return true;
            }
            found++, at += next + item->as.s.n;
        }
    } else {
        if (!rule_call_list_at(call, 0)) return false;
        for (uint32_t i = 0; i < a->as.list.n; i++) {
            SymRef equal = rule_equal(call->eval, call->e, &a->as.list.items[i], item);
            if (equal == NULL) return false;
            if (sym_truth(equal) < 0) return rule_undecided(call->eval, call->e, equal);
            if (sym_truth(equal) == 0) continue;
            found++;
            if (count) continue;
            *out = rule_int(rule_call_number(call, i));
            return true;
        }
    }
    *out = rule_int(rule_call_number(call, found));
    if (count) return true;
    Buf text;
    buf_init(&text, call->eval->rules->diags->arena);
    rule_print(&text, item);
    rule_error(call->eval, call->at[1], "%S is not in it", buf_str(&text));
    return false;
}

static bool method(RuleCallArgs *call, RuleValue *out) {
    const Expr *callee = call->e->as.call.a;
    call->name = name_str(callee->as.attr.name);
    bool count = str_eq(call->name, S("count"));
    if (!count && !str_eq(call->name, S("index"))) {
        static const Str names[] = {S("index"), S("count")};
        Diag *diag = rule_error_at(call->eval, E_RULE, callee->at, callee->at_to, "there is no method %Q", call->name);
        if (!diag_suggest(call->eval->rules->diags, diag, call->name, names, 2))
            diag_hint(call->eval->rules->diags, diag, "lists and texts have .index(x) and .count(x)");
        return false;
    }
    if (!take_arguments(call, &call->e->as.call.args, callee->as.attr.a)) return false;
    if (call->n == 2) return call_index(call, count, out);
    rule_error(call->eval, call->e, ".%S takes 1 argument, but got %u", call->name, call->n - 1);
    return false;
}

bool rule_call(Eval *eval, const Expr *e, RuleValue *out) {
    RuleCallArgs call = {.eval = eval, .e = e};
    const Expr *callee = e->as.call.a;
    if (callee->kind == X_ATTR) return method(&call, out);
    if (callee->kind != X_NAME) {
        rule_error(eval, callee, "this cannot be called");
        return false;
    }
    call.name = name_str(callee->as.name);
    const Function *function = find(functions, FUNCTION_COUNT, call.name);
    if (function == NULL) return say_unknown(eval, callee, "function", call.name, functions, FUNCTION_COUNT);
    if (!take_arguments(&call, &e->as.call.args, NULL) || !check_count(&call)) return false;
    return function->call(&call, out);
}

bool rule_filter(Eval *eval, const Expr *e, RuleValue *out) {
    RuleCallArgs call = {.eval = eval, .e = e, .name = name_str(e->as.call.name)};
    const Function *filter = find(filters, FILTER_COUNT, call.name);
    if (filter == NULL || e->as.call.a == NULL) {
        Expr at = {.kind = X_NAME, .from = e->at, .to = e->at_to};
        return say_unknown(eval, &at, "filter", call.name, filters, FILTER_COUNT);
    }
    if (!take_arguments(&call, &e->as.call.args, e->as.call.a)) return false;
    if (call.n == 1) return filter->call(&call, out);
    rule_error(eval, e, "filter %Q takes no arguments here", call.name);
    return false;
}

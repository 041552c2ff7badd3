/* fuzz_rule.c: any text as a rule over symbolic sizes. It evaluates or says why not, in bounded time; what it gives can
 * be printed in both ways, and its value lies within its range. */
#include "op/rule.h"

#include "template/syntax/parse.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sym(Arena *arena, const Map *values, SymRef sym) {
    Buf text;
    buf_init(&text, arena);
    sym_print(&text, sym);
    sym_print_c(&text, sym, S("d->"));
    int64_t value;
    if (sym_value(sym, values, &value) && (value < sym->low || value > sym->high)) abort();
}

static void check_value(Arena *arena, const Map *values, const RuleValue *value) {
    if (value->kind == RULE_INT || value->kind == RULE_BOOL) check_sym(arena, values, value->as.i);
    for (uint32_t i = 0; value->kind == RULE_LIST && i < value->as.list.n && i < 100; i++)
        check_value(arena, values, &value->as.list.items[i]);
}

static RuleScope *define(Arena *arena, Names *names, RuleScope *outer, Str name, RuleValue value) {
    RuleScope *scope = ARENA_NEW(arena, RuleScope);
    *scope = (RuleScope){outer, names_get(names, name), value};
    return scope;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena;
    arena_init(&arena);
    Names names;
    names_init(&names, &arena);
    Diags diags;
    diags_init(&diags, &arena);
    Syms syms;
    syms_init(&syms, &arena);
    Rules rules = {.arena = &arena, .names = &names, .syms = &syms, .diags = &diags};
    Name n = names_get(&names, S("n")), m = names_get(&names, S("m")), i = names_get(&names, S("i"));
    SymRef sizes[3] = {sym_var(&syms, n, 0, 100), sym_var(&syms, m, 1, INT64_MAX), sym_int(&syms, 3)};
    RuleTensor x = {DT_F16, {sizes, 3}};
    RuleScope *scope = define(&arena, &names, NULL, S("x"), (RuleValue){.kind = RULE_TENSOR, .as.tensor = &x});
    scope = define(&arena, &names, scope, S("n"), (RuleValue){.kind = RULE_INT, .as.i = sizes[0]});
    scope = define(&arena, &names, scope, S("m"), (RuleValue){.kind = RULE_INT, .as.i = sizes[1]});
    RuleValue index = {.kind = RULE_INT, .as.i = sym_index(&syms, i, sizes[1])};
    scope = define(&arena, &names, scope, S("i"), index);
    scope = define(&arena, &names, scope, S("none_given"), (RuleValue){.kind = RULE_NONE});
    RuleValue tensors[2] = {{.kind = RULE_TENSOR, .as.tensor = &x}, {.kind = RULE_TENSOR, .as.tensor = &x}};
    scope = define(&arena, &names, scope, S("xs"), (RuleValue){.kind = RULE_LIST, .as.list = {tensors, 2}});
    int64_t numbers[3] = {7, 12, 5};
    Map values;
    map_init(&values, &arena);
    map_set(&values, n, &numbers[0]);
    map_set(&values, m, &numbers[1]);
    map_set(&values, i, &numbers[2]);
    Source *source = source_new(&arena, S("rule"), str((const char *)data, size));
    if (file_check_text(source, &diags)) {
        OpExpr expr = {parse_expression(&arena, &names, source, 0, (uint32_t)size, &diags), source};
        RuleValue value;
        uint32_t errors = diags.errors;
        bool good = expr.expr != NULL && rule_eval(&rules, &expr, scope, &value);
        if (good != (diags.errors == errors) && expr.expr != NULL) abort();
        if (good) check_value(&arena, &values, &value);
        if (good) {
            Buf text;
            buf_init(&text, &arena);
            rule_print(&text, &value);
        }
    }
    Buf text;
    buf_init(&text, &arena);
    diags_render(&diags, DIAG_TEXT, false, &text);
    arena_free(&arena);
    return 0;
}

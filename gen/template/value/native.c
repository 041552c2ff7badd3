/* native.c: calls of C functions with arguments as a template gives them, by position and by name. */
#include "template/value/inner.h"

enum { SLOTS = 16 }; /* arguments that need no memory of their own */

typedef enum ParamKind { PARAM_NEEDED, PARAM_OPTIONAL, PARAM_REST, PARAM_KEYWORDS } ParamKind;

typedef struct Param {
    Str name;
    ParamKind kind;
    bool by_place, by_name; /* given so only */
} Param;

/* The next of a Native's params; false at the end. What param says of by_name holds for all behind it. */
static bool next_param(const char **p, Param *param) {
    const char *at = *p;
    for (; *at == ' ' || *at == '/' || (*at == '*' && (at[1] == ' ' || at[1] == '\0')); at++) param->by_name |= *at == '*';
    if (*at == '\0') return false;
    param->by_place = strchr(at, '/') != NULL;
    param->kind = PARAM_NEEDED;
    if (*at == '*') param->kind = PARAM_REST, at++;
    if (*at == '*') param->kind = PARAM_KEYWORDS, at++;
    const char *name = at;
    while (*at != '\0' && *at != ' ' && *at != '?') at++;
    param->name = str(name, (size_t)(at - name));
    if (*at == '?') param->kind = PARAM_OPTIONAL, at++;
    *p = at;
    return true;
}

static uint32_t count_params(const char *params) {
    uint32_t n = 0;
    for (Param param = {0}; next_param(&params, &param);) n++;
    return n;
}

NORETURN static void fail_too_many(Run *run, const Native *native, uint32_t given) {
    uint32_t most = 0, needed = 0;
    const char *p = native->params;
    for (Param param = {0}; next_param(&p, &param);) {
        if (param.kind == PARAM_NEEDED) needed++;
        if ((param.kind == PARAM_NEEDED || param.kind == PARAM_OPTIONAL) && !param.by_name) most++;
    }
    if (most == 0) run_fail(run, "%s() takes no arguments, but %u %s given", native->name, given, given == 1 ? "was" : "were");
    run_fail(run, "%s() takes %s%u argument%s, but %u %s given", native->name, needed < most ? "at most " : "", most,
             most == 1 ? "" : "s", given, given == 1 ? "was" : "were");
}

NORETURN static void fail_unexpected(Run *run, const Native *native, Str keyword) {
    Nearest nearest;
    nearest_init(&nearest, keyword);
    Buf known;
    buf_init(&known, run->error_arena);
    const char *p = native->params;
    bool by_place = false; /* it is one of the arguments, but those have no names */
    for (Param param = {0}; next_param(&p, &param);) {
        by_place |= param.by_place && str_eq(param.name, keyword);
        if (param.kind == PARAM_REST || param.kind == PARAM_KEYWORDS || param.by_place) continue;
        nearest_try(&nearest, param.name);
        buf_format(&known, "%s%S", known.n == 0 ? "" : ", ", param.name);
    }
    Str hint = nearest_hint(&nearest, run->error_arena);
    if (hint.n == 0 && known.n != 0) hint = str_format(run->error_arena, "it has: %S", buf_str(&known));
    if (by_place) run_fail(run, "%s() takes its argument %Q by place, not by name", native->name, keyword);
    run_fail_as(run, E_RENDER, hint, "%s() has no argument %Q", native->name, keyword);
}

NORETURN static void fail_twice(Run *run, const Native *native, Str name) {
    run_fail(run, "%s() got its argument %Q twice", native->name, name);
}

NORETURN static void fail_missing(Run *run, const Native *native, const Value *values) {
    Buf names;
    buf_init(&names, run->error_arena);
    uint32_t missing = 0, i = 0;
    const char *p = native->params;
    for (Param param = {0}; next_param(&p, &param); i++) {
        if (param.kind != PARAM_NEEDED || values[i].kind != V_MISSING) continue;
        buf_format(&names, "%s%Q", missing == 0 ? "" : ", ", param.name);
        missing++;
    }
    run_fail(run, "%s() is missing its argument%s %S", native->name, missing == 1 ? "" : "s", buf_str(&names));
}

/* Gives one keyword to its parameter, or to what collects the rest. */
static void bind_keyword(Run *run, const Native *native, Value *values, Name keyword, Value value) {
    const char *p = native->params;
    Dict *rest = NULL;
    uint32_t i = 0;
    for (Param param = {0}; next_param(&p, &param); i++) {
        if (param.kind == PARAM_KEYWORDS) rest = values[i].as.dict;
        if (param.kind == PARAM_REST || param.kind == PARAM_KEYWORDS || param.by_place) continue;
        if (!str_eq(param.name, name_str(keyword))) continue;
        if (values[i].kind != V_MISSING) fail_twice(run, native, param.name);
        values[i] = value;
        return;
    }
    if (rest == NULL) fail_unexpected(run, native, name_str(keyword));
    if (dict_find_name(rest, keyword) != NULL) fail_twice(run, native, name_str(keyword));
    dict_set_in(run->arena, rest, val_name(keyword), value);
}

Value native_call(Run *run, const Native *native, void *user, Value self, const Value *args, uint32_t n,
                  const Name *keywords, const Value *keyword_values, uint32_t keyword_count) {
    uint32_t first = self.kind != V_MISSING, count = count_params(native->params);
    Value slots[SLOTS], *a = slots;
    if (first + count > SLOTS) a = arena_alloc(run->arena, mem_times(first + count, sizeof(Value)));
    if (first) a[0] = self;
    Value *values = a + first;

    uint32_t taken = 0, i = 0;
    bool rest = false;
    const char *p = native->params;
    for (Param param = {0}; next_param(&p, &param); i++) {
        values[i] = val_missing();
        if (param.kind == PARAM_KEYWORDS) {
            values[i] = val_dict(dict_new(run->arena, 0));
        } else if (param.kind == PARAM_REST) {
            List *list = list_new(run->arena, n - taken);
            while (taken < n) list_push(run->arena, list, args[taken++]);
            values[i] = val_tuple(list);
            rest = true;
        } else if (taken < n && !rest && !param.by_name) { /* behind *args a parameter is given by name only */
            values[i] = args[taken++];
        }
    }
    if (taken < n) fail_too_many(run, native, n);
    for (uint32_t k = 0; k < keyword_count; k++) bind_keyword(run, native, values, keywords[k], keyword_values[k]);

    p = native->params;
    i = 0;
    for (Param param = {0}; next_param(&p, &param); i++)
        if (param.kind == PARAM_NEEDED && values[i].kind == V_MISSING) fail_missing(run, native, values);
    return native->fn(run, a, user);
}

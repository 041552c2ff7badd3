/* native.c: calls of C functions with arguments as a template gives them, by position and by name. */
#include "template/value/inner.h"

enum { SLOTS = 16 }; /* parameters that need no memory of their own */

typedef enum ParamKind { PARAM_NEEDED, PARAM_OPTIONAL, PARAM_REST, PARAM_KEYWORDS } ParamKind;

typedef struct Param {
    Str name;
    ParamKind kind;
    bool by_place, by_name; /* how it may be given */
} Param;

typedef struct Call {
    Run *run;
    const Native *native;
    Param *params;
    uint32_t n;
    Value *values; /* of the params */
} Call;

static uint32_t count_words(const char *p) {
    uint32_t n = 0;
    for (; *p != '\0'; p++)
        n += *p != ' ' && (p[1] == ' ' || p[1] == '\0');
    return n;
}

static void read_params(Call *call, const char *p) {
    bool by_place = true;
    for (;;) {
        while (*p == ' ')
            p++;
        if (*p == '\0') return;
        const char *word = p;
        while (*p != '\0' && *p != ' ')
            p++;
        Str name = str(word, (size_t)(p - word));
        if (str_eq(name, S("/"))) {
            for (uint32_t i = 0; i < call->n; i++)
                call->params[i].by_name = false;
        } else if (str_eq(name, S("*"))) {
            by_place = false;
        } else if (str_starts(name, S("**"))) {
            call->params[call->n++] = (Param){str_sub(name, 2, name.n), PARAM_KEYWORDS, false, false};
        } else if (str_starts(name, S("*"))) {
            call->params[call->n++] = (Param){str_sub(name, 1, name.n), PARAM_REST, false, false};
            by_place = false;
        } else {
            bool optional = name.p[name.n - 1] == '?';
            call->params[call->n++] =
                (Param){str_sub(name, 0, name.n - optional), optional ? PARAM_OPTIONAL : PARAM_NEEDED, by_place, true};
        }
    }
}

NORETURN static void fail_too_many(const Call *call, uint32_t given) {
    uint32_t most = 0, needed = 0;
    for (uint32_t i = 0; i < call->n; i++) {
        most += call->params[i].by_place;
        needed += call->params[i].by_place && call->params[i].kind == PARAM_NEEDED;
    }
    const char *name = call->native->name, *were = given == 1 ? "was" : "were";
    if (call->n == 0) run_fail(call->run, "%s() takes no arguments, but %u %s given", name, given, were);
    run_fail(call->run, "%s() takes %s%u argument%s%s, but %u %s given", name, needed < most ? "at most " : "", most,
             most == 1 ? "" : "s", most < call->n ? " by place" : "", given, were);
}

NORETURN static void fail_unexpected(const Call *call, Str keyword) {
    Arena *arena = call->run->error_arena;
    Nearest nearest;
    nearest_init(&nearest, keyword);
    Buf known;
    buf_init(&known, arena);
    for (uint32_t i = 0; i < call->n; i++) {
        const Param *param = &call->params[i];
        if (str_eq(param->name, keyword) && param->by_place)
            run_fail(call->run, "%s() takes its argument %Q by place, not by name", call->native->name, keyword);
        if (!param->by_name) continue;
        nearest_try(&nearest, param->name);
        buf_format(&known, "%s%S", known.n == 0 ? "" : ", ", param->name);
    }
    Str hint = nearest_hint(&nearest, arena);
    if (hint.n == 0 && known.n != 0) hint = str_format(arena, "it has: %S", buf_str(&known));
    run_fail_as(call->run, E_RENDER, hint, "%s() has no argument %Q", call->native->name, keyword);
}

NORETURN static void fail_twice(const Call *call, Str name) {
    run_fail(call->run, "%s() got its argument %Q twice", call->native->name, name);
}

NORETURN static void fail_missing(const Call *call) {
    Buf names;
    buf_init(&names, call->run->error_arena);
    uint32_t missing = 0;
    for (uint32_t i = 0; i < call->n; i++) {
        if (call->params[i].kind != PARAM_NEEDED || call->values[i].kind != V_MISSING) continue;
        buf_format(&names, "%s%Q", missing == 0 ? "" : ", ", call->params[i].name);
        missing++;
    }
    run_fail(call->run, "%s() is missing its argument%s %S", call->native->name, missing == 1 ? "" : "s",
             buf_str(&names));
}

/* Gives one keyword to its parameter, or to what collects the rest. */
static void bind_keyword(const Call *call, Name keyword, Value value) {
    Dict *rest = NULL;
    for (uint32_t i = 0; i < call->n; i++) {
        const Param *param = &call->params[i];
        if (param->kind == PARAM_KEYWORDS) rest = call->values[i].as.dict;
        if (!param->by_name || !str_eq(param->name, name_str(keyword))) continue;
        if (call->values[i].kind != V_MISSING) fail_twice(call, param->name);
        call->values[i] = value;
        return;
    }
    if (rest == NULL) fail_unexpected(call, name_str(keyword));
    if (dict_find_name(rest, keyword) != NULL) fail_twice(call, name_str(keyword));
    dict_set_in(call->run->arena, rest, val_name(keyword), value);
}

static void bind_by_place(const Call *call, const Value *args, uint32_t n) {
    uint32_t taken = 0;
    for (uint32_t i = 0; i < call->n; i++) {
        const Param *param = &call->params[i];
        Value *value = &call->values[i];
        if (param->kind == PARAM_KEYWORDS) {
            *value = val_dict(dict_new(call->run->arena, 0));
        } else if (param->kind == PARAM_REST) {
            List *list = list_new(call->run->arena, n - taken);
            while (taken < n)
                list_push(call->run->arena, list, args[taken++]);
            *value = val_tuple(list);
        } else {
            *value = param->by_place && taken < n ? args[taken++] : val_missing();
        }
    }
    if (taken < n) fail_too_many(call, n);
}

/* The usual call: arguments by place only, for parameters that each take one. False if it is another one, or wrong. */
static bool bind_simply(const char *p, Value *values, const Value *args, uint32_t n) {
    uint32_t i = 0;
    while (*p != '\0') {
        const bool is_param = *p != '/'; /* which is about arguments by name */
        if (*p == '*' || i == SLOTS) return false;
        while (*p != '\0' && *p != ' ')
            p++;
        if (is_param) {
            if (i >= n && p[-1] != '?') return false;
            values[i] = i < n ? args[i] : val_missing();
            i++;
        }
        while (*p == ' ')
            p++;
    }
    return n <= i;
}

Value native_call(Run *run, const Native *native, void *user, Value self, const Value *args, uint32_t n,
                  const Name *keywords, const Value *keyword_values, uint32_t keyword_count) {
    Value slots[SLOTS + 1], *a = slots;
    const uint32_t first = self.kind != V_MISSING;
    if (first) slots[0] = self;
    if (keyword_count == 0 && bind_simply(native->params, slots + first, args, n)) return native->fn(run, a, user);
    const uint32_t words = count_words(native->params);
    Param params[SLOTS];
    Call call = {.run = run, .native = native, .params = params};
    if (words > SLOTS) {
        a = arena_alloc(run->arena, mem_times(words + 1, sizeof *a));
        call.params = arena_alloc(run->arena, mem_times(words, sizeof *call.params));
    }
    if (first) a[0] = self;
    call.values = a + first;
    read_params(&call, native->params);
    bind_by_place(&call, args, n);
    for (uint32_t k = 0; k < keyword_count; k++)
        bind_keyword(&call, keywords[k], keyword_values[k]);
    for (uint32_t i = 0; i < call.n; i++)
        if (call.params[i].kind == PARAM_NEEDED && call.values[i].kind == V_MISSING) fail_missing(&call);
    return native->fn(run, a, user);
}

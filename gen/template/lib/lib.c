/* lib.c: the small things that builtins need again and again: reading arguments with an error that names the
 * builtin and what it got, attribute paths, and the limits. */
#include "template/lib/lib.h"

NORETURN void lib_wrong(Run *run, const char *who, const char *what, const char *wanted, Value got) {
    if (got.kind == V_UNDEFINED) run_fail_undefined(run, got);
    run_fail(run, "%s: %s must be %s, not %s", who, what, wanted, val_type_name(got));
}

int64_t lib_int(Run *run, const char *who, const char *what, Value v) {
    if (v.kind == V_INT) return v.as.i;
    if (v.kind == V_BOOL) return v.as.b ? 1 : 0;
    if (v.kind == V_BIG) run_fail(run, "%s: %s is larger than 64 bits hold", who, what);
    lib_wrong(run, who, what, "an integer", v);
}

int64_t lib_int_or(Run *run, const char *who, const char *what, Value v, int64_t otherwise) {
    return lib_given(v) ? lib_int(run, who, what, v) : otherwise;
}

bool lib_flag(Run *run, Value v, bool otherwise) { return lib_given(v) ? val_truth(run, v) : otherwise; }

Str lib_wants_str(Run *run, const char *who, const char *what, Value v) {
    if (v.kind != V_STR) lib_wrong(run, who, what, "a string", v);
    return val_text(v);
}

void lib_room(Run *run, const char *who, uint64_t n, size_t size) {
    uint64_t most = run->limits.memory != 0 ? run->limits.memory : (uint64_t)1 << 30;
    if (n > most / size)
        run_fail_as(run, E_LIMIT, (Str){0}, "%s: the result is larger than the memory limit of %llu bytes", who,
                    (unsigned long long)most);
}

/* ---- attribute paths */

static bool all_digits(Str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9') return false;
    return s.n > 0;
}

/* A name that nothing has yet is not made one: a loop over paths would fill the table of names for good. */
static Value path_part(Run *run, Str s) {
    if (!all_digits(s)) {
        Name name = names_find(run->names, s);
        return name != NULL ? val_name(name) : val_str(run, s);
    }
    while (s.n > 1 && s.p[0] == '0')
        s = str_sub(s, 1, s.n);
    return val_integer(run, s);
}

void lib_path(Run *run, AttrPath *path, const char *who, Value attribute, Value otherwise, bool ignore_case) {
    *path = (AttrPath){.otherwise = lib_some(otherwise) ? otherwise : val_missing(), .ignore_case = ignore_case};
    if (!lib_some(attribute)) return;
    if (attribute.kind == V_UNDEFINED) lib_wrong(run, who, "attribute", "a name", attribute);
    if (attribute.kind != V_STR) {
        path->parts = ARENA_ARRAY(run->arena, Value, 1);
        path->parts[path->n++] = attribute;
        return;
    }
    Str rest = val_text(attribute);
    uint32_t n = 1;
    for (size_t i = 0; i < rest.n; i++)
        n += rest.p[i] == '.';
    path->parts = ARENA_ARRAY(run->arena, Value, n);
    for (;;) {
        size_t dot = str_find_char(rest, '.');
        path->parts[path->n++] = path_part(run, dot == STR_NONE ? rest : str_sub(rest, 0, dot));
        if (dot == STR_NONE) return;
        rest = str_sub(rest, dot + 1, rest.n);
    }
}

Value lib_path_get(Run *run, const AttrPath *path, Value item) {
    for (uint32_t i = 0; i < path->n; i++) {
        item = val_get_item(run, item, path->parts[i]);
        if (item.kind == V_UNDEFINED && path->otherwise.kind != V_MISSING) item = path->otherwise;
    }
    return path->ignore_case ? lib_lower_if_text(run, item) : item;
}

/* ---- builtins by name */

/* One slip in three letters, as everywhere; a word of one or two letters is near to anything. */
static Str near_name(Run *run, Str wrong, const Str *names, size_t n) {
    const Str *best = NULL;
    unsigned least = wrong.n / 3 < 4 ? (unsigned)(wrong.n / 3) : 4;
    for (size_t i = 0; least > 0 && i < n; i++) {
        unsigned distance = str_distance(wrong, names[i], least);
        if (distance > least || (distance == least && best != NULL)) continue;
        best = &names[i];
        least = distance;
    }
    return best == NULL ? (Str){0} : str_format(run->error_arena, "did you mean \"%S\"?", *best);
}

const Native *lib_named_filter(Run *run, const char *who, Value name) {
    Str text = lib_wants_str(run, who, "the filter's name", name);
    const Native *filter = lib_filter(text);
    if (filter != NULL) return filter;
    const Str *names;
    size_t n = lib_filter_names(&names);
    run_fail_as(run, E_TEMPLATE_NAME, near_name(run, text, names, n), "%s: there is no filter %Q", who, text);
}

const Native *lib_named_test(Run *run, const char *who, Value name) {
    Str text = lib_wants_str(run, who, "the test's name", name);
    const Native *test = lib_test(text);
    if (test != NULL) return test;
    const Str *names;
    size_t n = lib_test_names(&names);
    run_fail_as(run, E_TEMPLATE_NAME, near_name(run, text, names, n), "%s: there is no test %Q", who, text);
}

/* ---- containers within each other: their addresses, as the keys of a dict */

static Value address(const void *container) { return val_int((int64_t)(intptr_t)container); }

bool lib_is_inside(Run *run, const Inside *inside, const void *container) {
    return inside->set != NULL && dict_find(run, inside->set, address(container)) != NULL;
}

bool lib_enter(Run *run, Inside *inside, const void *container) {
    if (inside->set == NULL) inside->set = dict_new(run->arena, 8);
    if (lib_is_inside(run, inside, container)) return false;
    dict_set(run, inside->set, address(container), val_none());
    if (inside->set->live > 1)
        run_spend(run, 32); /* lists that hold each other twice, and so on, are short and take for ever */
    return true;
}

void lib_leave(Run *run, Inside *inside, const void *container) {
    dict_remove(run, inside->set, address(container), NULL);
}

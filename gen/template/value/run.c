/* run.c: errors of a rendering: the text is made in the run's error arena, then the run jumps to whoever catches it. */
#include "template/value/inner.h"

NORETURN static void fail_with(Run *run, DiagCode code, Str hint, Str text) {
    run->error_code = code;
    run->error = text;
    run->error_hint = str_copy(run->error_arena, hint);
    run->printing = NULL;
    mem_throw();
}

void run_fail(Run *run, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str text = str_vformat(run->error_arena, format, args);
    va_end(args);
    fail_with(run, E_RENDER, S(""), text);
}

void run_fail_as(Run *run, DiagCode code, Str hint, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str text = str_vformat(run->error_arena, format, args);
    va_end(args);
    fail_with(run, code, hint, text);
}

void run_fail_loops(Run *run) {
    run_fail_as(run, E_LIMIT, S("--max-loops sets another limit"),
                "the loops of this rendering went past the limit of %ju iterations", (uintmax_t)run->limits.loops);
}

void fail_depth(Run *run, const char *doing) {
    run_fail_as(run, E_LIMIT, S(""), "a value is nested too deeply to be %s: the limit is %d levels", doing,
                VAL_MOST_DEPTH);
}

/* ---- did you mean */

void nearest_init(Nearest *nearest, Str wrong) {
    /* One slip in three letters; a word of one or two letters is near to anything. */
    unsigned most = wrong.n / 3 < 4 ? (unsigned)(wrong.n / 3) : 4;
    *nearest = (Nearest){wrong, {"", 0}, most + 1};
}

void nearest_try(Nearest *nearest, Str candidate) {
    if (nearest->distance == 0) return;
    unsigned distance = str_distance(nearest->wrong, candidate, nearest->distance - 1);
    if (distance >= nearest->distance) return;
    nearest->distance = distance;
    nearest->best = candidate;
}

Str nearest_hint(const Nearest *nearest, Arena *arena) {
    return nearest->best.n == 0 ? S("") : str_format(arena, "did you mean %Q?", nearest->best);
}

/* ---- what is undefined */

static const char *with_article(Run *run, Value v) {
    if (v.kind == V_NONE) return "None";
    const char *name = val_type_name(v);
    return str_to_c(run->error_arena,
                    str_format(run->error_arena, "%s %s", strchr("aeiouAEIOU", name[0]) != NULL ? "an" : "a", name));
}

static Str key_hint(Run *run, const Dict *dict, Str wrong) {
    Nearest nearest;
    nearest_init(&nearest, wrong);
    for (uint32_t i = dict_next(dict, 0); i < dict->used; i = dict_next(dict, i + 1))
        if (dict->entries[i].key.kind == V_STR) nearest_try(&nearest, val_text(dict->entries[i].key));
    return nearest_hint(&nearest, run->error_arena);
}

/* The key as the template would write it, cut where it is long. */
static Str shown(Run *run, Value key) {
    if (key.kind == V_STR) return str_format(run->error_arena, "%.80Q", val_text(key));
    if (key.kind != V_NONE && !val_is_number(key)) return str_c(with_article(run, key));
    Buf buf;
    buf_init(&buf, run->error_arena);
    val_repr(run, &buf, key);
    Str text = buf_str(&buf);
    return text.n <= 80 ? text : str_format(run->error_arena, "%.80S...", text);
}

void run_fail_undefined(Run *run, Value v) {
    const Undefined *undefined = v.as.undefined;
    while (undefined->key.kind == V_UNDEFINED)
        undefined = undefined->key.as.undefined; /* x[y]: it is y that lacks */
    Value object = undefined->object, key = undefined->key;
    if (undefined->hint.n != 0) run_fail_as(run, E_UNDEFINED, S(""), "%S", undefined->hint);
    if (object.kind == V_MISSING) {
        if (key.kind != V_STR) run_fail_as(run, E_UNDEFINED, S(""), "a value is not defined");
        Str hint = run->suggest == NULL ? S("") : run->suggest(run, val_text(key));
        if (hint.n != 0) hint = str_format(run->error_arena, "did you mean %Q?", hint);
        run_fail_as(run, E_UNDEFINED, hint, "%.80Q is not defined", val_text(key));
    }
    const char *what = with_article(run, object);
    Str name = shown(run, key);
    if (object.kind == V_DICT) {
        if (key.kind != V_STR) run_fail_as(run, E_UNDEFINED, S(""), "a dict has no key %S", name);
        run_fail_as(run, E_UNDEFINED, key_hint(run, object.as.dict, val_text(key)), "a dict has no key or attribute %S",
                    name);
    }
    if (key.kind == V_STR) run_fail_as(run, E_UNDEFINED, S(""), "%s has no attribute %S", what, name);
    int64_t n;
    bool indexed = object.kind == V_STR || object.kind == V_RANGE || is_sequence(object);
    if (indexed && val_is_int(key) && val_has_length(run, object, &n)) {
        if (n == 0)
            run_fail_as(run, E_UNDEFINED, S(""), "%s index %S is out of range: it is empty", val_type_name(object),
                        name);
        run_fail_as(run, E_UNDEFINED, S(""), "%s index %S is out of range: it has %jd %s%s", val_type_name(object),
                    name, (intmax_t)n, object.kind == V_STR ? "character" : "element", n == 1 ? "" : "s");
    }
    if (indexed) run_fail_as(run, E_UNDEFINED, S(""), "%s cannot be indexed with %S", what, name);
    if (object.kind == V_OBJECT) run_fail_as(run, E_UNDEFINED, S(""), "%s has no element %S", what, name);
    run_fail_as(run, E_UNDEFINED, S(""), "%s has no elements, so none at %S", what, name);
}

/* method_str_split.c: the methods of str that take a text apart or put one together: split, rsplit, splitlines,
 * partition, rpartition, join. What comes of a safe text is safe. */
#include "template/lib/lib.h"
#include "template/lib/method.h"

static void push_part(Run *run, List *parts, Value self, Str s, size_t from, size_t to) {
    list_push(run->arena, parts, method_part(self, str_sub(s, from, to)));
}

/* From the other end the parts are found in the wrong order. */
static void reverse(List *list) {
    for (uint32_t i = 0, k = list->n; i + 1 < k; i++) {
        Value v = list->items[i];
        list->items[i] = list->items[--k];
        list->items[k] = v;
    }
}

/* From `at`, past what is white space (or is not). */
static size_t skip(Str s, size_t at, bool space) {
    while (at < s.n) {
        unsigned size;
        if (unicode_is_space(str_decode(s.p + at, s.p + s.n, &size)) != space) break;
        at += size;
    }
    return at;
}

static size_t skip_back(Str s, size_t at, bool space) {
    while (at > 0) {
        size_t before = at - 1;
        while (before > 0 && ((unsigned char)s.p[before] & 0xc0) == 0x80)
            before--;
        unsigned size;
        if (unicode_is_space(str_decode(s.p + before, s.p + s.n, &size)) != space) break;
        at = before;
    }
    return at;
}

static void split_spaces(Run *run, List *parts, Value self, int64_t most) {
    Str s = val_text(self);
    size_t i = skip(s, 0, true);
    for (; i < s.n && most != 0; most--) {
        size_t end = skip(s, i, false);
        push_part(run, parts, self, s, i, end);
        i = skip(s, end, true);
    }
    if (i < s.n) push_part(run, parts, self, s, i, s.n);
}

static void rsplit_spaces(Run *run, List *parts, Value self, int64_t most) {
    Str s = val_text(self);
    size_t i = skip_back(s, s.n, true);
    for (; i > 0 && most != 0; most--) {
        size_t from = skip_back(s, i, false);
        push_part(run, parts, self, s, from, i);
        i = skip_back(s, from, true);
    }
    if (i > 0) push_part(run, parts, self, s, 0, i);
    reverse(parts);
}

static void split_at(Run *run, List *parts, Value self, Str sep, int64_t most) {
    Str s = val_text(self);
    for (size_t at; most != 0 && (at = str_find(s, sep)) != STR_NONE; most--) {
        push_part(run, parts, self, s, 0, at);
        s = str_sub(s, at + sep.n, s.n);
    }
    push_part(run, parts, self, s, 0, s.n);
}

static void rsplit_at(Run *run, List *parts, Value self, Str sep, int64_t most) {
    Str s = val_text(self);
    Backward search;
    backward_init(&search, run, s, sep);
    size_t end = s.n;
    for (size_t at; most != 0 && (at = backward_find(&search, end)) != STR_NONE; most--) {
        push_part(run, parts, self, s, at + sep.n, end);
        end = at;
    }
    push_part(run, parts, self, s, 0, end);
    reverse(parts);
}

static Value split(Run *run, const Value *a, const char *who, bool from_end) {
    int64_t most = a[2].kind == V_MISSING ? -1 : text_arg_int(run, a[2], who, "maxsplit");
    List *parts = list_new(run->arena, 0);
    if (!method_given(a[1])) {
        (from_end ? rsplit_spaces : split_spaces)(run, parts, a[0], most);
        return val_list(parts);
    }
    Str sep = text_arg(run, a[1], who, "sep");
    if (sep.n == 0) run_fail_as(run, E_RENDER, S("|list gives the characters"), "%s: \"sep\" is empty", who);
    (from_end ? rsplit_at : split_at)(run, parts, a[0], sep, most);
    return val_list(parts);
}

METHOD(method_str_split) { return split(run, a, "str.split", false); }
METHOD(method_str_rsplit) { return split(run, a, "str.rsplit", true); }

METHOD(method_str_splitlines) {
    bool keep = a[1].kind != V_MISSING && text_arg_int(run, a[1], "str.splitlines", "keepends") != 0;
    List *parts = list_new(run->arena, 0);
    Str line;
    for (size_t at = 0, breaks; lib_next_line(val_text(a[0]), &at, &line, &breaks);)
        list_push(run->arena, parts, method_part(a[0], str(line.p, line.n + (keep ? breaks : 0))));
    return val_list(parts);
}

static Value partition(Run *run, const Value *a, const char *who, bool from_end) {
    Value sep = (a[0].flags & VAL_SAFE) != 0 ? text_escape(run, a[1]) : a[1];
    Str s = val_text(a[0]), needle = text_arg(run, sep, who, "sep");
    if (needle.n == 0) run_fail(run, "%s: \"sep\" is empty", who);
    size_t at;
    if (from_end) {
        Backward search;
        backward_init(&search, run, s, needle);
        at = backward_find(&search, s.n);
    } else {
        at = str_find(s, needle);
    }
    List *parts = list_new(run->arena, 3);
    bool found = at != STR_NONE;
    if (!found) at = from_end ? 0 : s.n;
    size_t behind = found ? at + needle.n : at;
    push_part(run, parts, a[0], s, 0, at);
    list_push(run->arena, parts, found ? sep : method_part(a[0], S("")));
    push_part(run, parts, a[0], s, behind, s.n);
    return val_tuple(parts);
}

METHOD(method_str_partition) { return partition(run, a, "str.partition", false); }
METHOD(method_str_rpartition) { return partition(run, a, "str.rpartition", true); }

METHOD(method_str_join) {
    Buf out;
    buf_init(&out, run->arena);
    bool safe = (a[0].flags & VAL_SAFE) != 0;
    ValueIter it;
    val_iter(run, &it, a[1]);
    Value item;
    for (uint64_t i = 0; val_next(run, &it, &item); i++) {
        if (safe) item = text_escape(run, item);
        if (item.kind != V_STR) {
            if (run_undefined_fails(run, item)) run_fail_undefined(run, item);
            run_fail_as(run, E_RENDER, S("the filter |join takes values of any type"),
                        "str.join: item %llu must be a str, not %s", (unsigned long long)i, val_type_name(item));
        }
        if (i != 0) buf_add(&out, val_text(a[0]));
        buf_add(&out, val_text(item));
    }
    return text_take(run, &out, a[0].flags & VAL_SAFE);
}

/* tables.c: the builtins by name. builtins.h lists them; here the lists become tables that are searched by
 * bisection, and lists of names for "did you mean". */
#include "template/lib/lib.h"

#define AS_NATIVE(name, function, params) {name, function, params},
#define AS_NAME(name, function, params) {"" name, sizeof(name) - 1},
#define NOTHING(name, function, params)

#define FILTER AS_NATIVE
#define TEST NOTHING
#define GLOBAL NOTHING
static const Native filters[] = {
#include "template/lib/builtins.h"
};
#undef FILTER
#define FILTER AS_NAME
static const Str filter_names[] = {
#include "template/lib/builtins.h"
};
#undef FILTER
#undef TEST
#define FILTER NOTHING
#define TEST AS_NATIVE
static const Native tests[] = {
#include "template/lib/builtins.h"
};
#undef TEST
#define TEST AS_NAME
static const Str test_names[] = {
#include "template/lib/builtins.h"
};
#undef TEST
#undef GLOBAL
#define TEST NOTHING
#define GLOBAL AS_NATIVE
static const Native globals[] = {
#include "template/lib/builtins.h"
};
#undef GLOBAL
#define GLOBAL AS_NAME
static const Str global_names[] = {
#include "template/lib/builtins.h"
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const Native *find(const Native *table, const Str *names, size_t n, Str name) {
    size_t from = 0;
    while (from < n) {
        size_t middle = from + (n - from) / 2;
        int order = str_cmp(name, names[middle]);
        if (order == 0) return &table[middle];
        if (order < 0)
            n = middle;
        else
            from = middle + 1;
    }
    return NULL;
}

const Native *lib_filter(Str name) { return find(filters, filter_names, COUNT(filters), name); }
const Native *lib_test(Str name) { return find(tests, test_names, COUNT(tests), name); }
const Native *lib_global(Str name) { return find(globals, global_names, COUNT(globals), name); }

size_t lib_filter_names(const Str **names) {
    *names = filter_names;
    return COUNT(filter_names);
}

size_t lib_test_names(const Str **names) {
    *names = test_names;
    return COUNT(test_names);
}

size_t lib_global_names(const Str **names) {
    *names = global_names;
    return COUNT(global_names);
}

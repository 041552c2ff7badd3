/* test_lower_values.c: what lowered bodies compute, on every type, in code of two compilers.
 *
 * Writes a C file with a function for each body of lower_values.json and each type, and a table of them;
 * lower_values.py compiles it, runs it on special and random values, compares with Python and says how many were right.
 */
#include "op/backend.h"
#include "template/syntax/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static Arena arena;
static Names names;
static Diags diags;
static Syms syms;
static const Backend *backend;

typedef struct Lets {
    Buf *out;
    uint32_t n;
} Lets;

static Str let(void *user, Str text, Dtype type) {
    Lets *lets = user;
    Str name = str_format(&arena, "t%u", lets->n++);
    buf_format(lets->out, "        const %S %S = %S;\n", backend_compute_name(backend, type), name, text);
    return name;
}

static bool function(void *user, Str name, Dtype type, LowerFunction *out) {
    (void)user;
    return backend_function((void *)(uintptr_t)backend, name, type, out);
}

static void show_findings(void) {
    Buf buf;
    buf_init(&buf, &arena);
    diags_render(&diags, DIAG_TEXT, false, &buf);
    fprintf(stderr, "%.*s", STR_ARG(buf_str(&buf)));
}

/* One function: out[i] = body(x[i], y[i]) for elements of this type. */
static bool write_function(Buf *code, Buf *table, uint32_t number, const Json *one, Dtype type) {
    Str text = json_get(one, S("expr"))->as.s;
    Source *source = source_new(&arena, str_format(&arena, "case %u for %s", number, dtype_name(type)), text);
    OpExpr expr = {parse_expression(&arena, &names, source, 0, (uint32_t)text.n, &diags), source};
    Rules rules = {.arena = &arena, .names = &names, .syms = &syms, .diags = &diags};
    RuleTensor tensor = {.dtype = type};
    RuleScope scope = {NULL, names_get(&names, S("x")), {.kind = RULE_TENSOR, .as.tensor = &tensor}};
    Buf body;
    buf_init(&body, &arena);
    Lets lets = {&body, 0};
    Lower lower = {.arena = &arena, .diags = &diags, .rules = &rules, .scope = &scope, .let = let};
    backend_lower(backend, &lower);
    lower.function = function;
    lower.user = &lets;
    LowerName given[2];
    bool vector = json_get(one, S("vector")) != NULL;
    for (int i = 0; i < 2; i++) {
        Str name = i ? S("y") : S("x");
        Str load = backend_load(backend, &arena, type, str_format(&arena, "%S[i]", name));
        Lowered value = {load, dtype_compute(type), false};
        /* What is loaded whatever happens may be loaded ahead: compilers need to know that to vectorise conditions. */
        if (vector) value.text = let(&lets, lower_bare(load), dtype_compute(type));
        given[i] = (LowerName){names_get(&names, name), value};
    }
    Lowered value;
    if (expr.expr == NULL || !lower_expr(&lower, &expr, given, 2, &value)) return false;
    /* What was computed for 16-bit floats is rounded to them, once. */
    Dtype result = value.type == DT_F32 && dtype_is_float(type) && type != DT_F64 ? type : value.type;
    value = lower_convert(&lower, value, result);
    Str stored = backend_store(backend, &arena, result, value.text);
    Str in = backend->types[type].name, out = backend->types[result].name;
    Str head = str_format(&arena, "void f%u_%s(int64_t n, const %S *x, const %S *y, %S *out)", number, dtype_name(type),
                          in, in, out);
    buf_format(code, "%S;\n/* %S */\n%S {\n    (void)x, (void)y;\n", head, text, head);
    buf_format(code, "    for (int64_t i = 0; i < n; i++) {\n%S", buf_str(&body));
    if (vector) buf_add(code, S("        (void)t0, (void)t1;\n"));
    buf_format(code, "        out[i] = %S;\n    }\n}\n\n", lower_bare(stored));
    buf_format(table, "%s[%u, \"%s\", \"%s\"]", table->n > 1 ? ",\n" : "", number, dtype_name(type),
               dtype_name(result));
    return true;
}

static bool write_all(const Json *cases, Buf *code, Buf *table) {
    const char *lists[] = {"headers", "used_headers"};
    for (size_t k = 0; k < 2; k++) {
        const Json *headers = backend_get(backend, str_c(lists[k]));
        for (uint32_t i = 0; i < headers->as.array.n; i++)
            buf_format(code, "#include %S\n", headers->as.array.items[i].as.s);
    }
    buf_char(code, '\n');
    buf_char(table, '[');
    for (uint32_t i = 0; i < cases->as.array.n; i++) {
        const Json *one = &cases->as.array.items[i], *types = json_get(one, S("types"));
        DtypeSet set = 0;
        for (uint32_t k = 0; k < types->as.array.n; k++) {
            DtypeSet part;
            if (!dtype_set_parse(types->as.array.items[k].as.s, &part)) return false;
            set |= part;
        }
        for (Dtype type = 0; type < DT_COUNT; type++)
            if (set >> type & 1 && !write_function(code, table, i, one, type)) return false;
    }
    buf_add(table, S("]\n"));
    return true;
}

int main(void) {
    arena_init(&arena);
    names_init(&names, &arena);
    diags_init(&diags, &arena);
    syms_init(&syms, &arena);
    Str root = S("templates");
    backend = backend_read(&arena, &names, &root, 1, S("cpu"), (Span){NULL, 0, 0}, &diags);
    Source *source = file_read_text(&arena, S("tests/op/lower_values.json"), (Span){NULL, 0, 0}, &diags);
    const Json *json = source != NULL ? json_parse(&arena, &names, source, &diags) : NULL;
    const Json *cases = json != NULL ? json_get(json, S("cases")) : NULL;
    Buf code, table;
    buf_init(&code, &arena);
    buf_init(&table, &arena);
    if (backend == NULL || cases == NULL || !write_all(cases, &code, &table)) {
        show_findings();
        return 1;
    }
    const char *folder = getenv("TMPDIR");
    Str at = str_c(folder != NULL ? folder : "/tmp");
    bool changed;
    if (!file_write_if_changed(&arena, str_format(&arena, "%S/bodies.c", at), buf_str(&code), &diags, &changed) ||
        !file_write_if_changed(&arena, str_format(&arena, "%S/bodies.json", at), buf_str(&table), &diags, &changed)) {
        show_findings();
        return 1;
    }
    execl("/usr/bin/python3", "/usr/bin/python3", "tests/op/lower_values.py", str_to_c(&arena, at), (char *)NULL);
    perror("/usr/bin/python3");
    return 1;
}

/* fuzz_model.c: any bytes as a model. There is a graph that agrees with itself, or there are findings, which can be
 * shown; of a graph there is the text of its files, or findings once more. The operators are few, of each kind and form
 * that models treat in their own way.
 */
#include "fuzz_emit.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LIST "{\"type\": \"list\", \"of\": \"int\"}"
static const char ops_text[] =
    "{\"ops\": ["
    "{\"op\": \"r\", \"kind\": \"map\", \"inputs\": [\"x\"], \"types\": {\"T\": [\"float\"]}, \"expr\": \"x * 2\", "
    "\"in_place\": true},"
    "{\"op\": \"a\", \"kind\": \"map\", \"inputs\": [\"a\", \"b\"], \"types\": {\"T\": [\"any\"]}, \"expr\": \"a + b * "
    "k\","
    " \"attrs\": {\"k\": {\"type\": \"float\", \"default\": 1}}, \"in_place\": true},"
    "{\"op\": \"f\", \"kind\": \"kernel\", \"kernel\": \"f\", \"inputs\": [], \"attrs\": {\"s\": " LIST "},"
    " \"outputs\": [{\"name\": \"y\", \"type\": \"f32\", \"shape\": \"s\"}]},"
    "{\"op\": \"l\", \"kind\": \"kernel\", \"kernel\": \"g\", \"types\": {\"T\": [\"float\"]},"
    " \"inputs\": [\"x\", \"w\", {\"name\": \"b\", \"optional\": true}], \"outputs\": [{\"name\": \"y\", \"shape\": "
    "\"x.shape[:-1] + [w.shape[0]]\"}],"
    " \"require\": [{\"that\": \"x.shape[-1] == w.shape[1]\", \"else\": \"{{ x.shape }} {{ w.shape }}\"}]},"
    "{\"op\": \"v\", \"kind\": \"view\", \"inputs\": [\"x\"], \"types\": {\"T\": [\"any\"]}, \"attrs\": {\"s\": " LIST
    "},"
    " \"outputs\": [{\"name\": \"y\", \"shape\": \"s\"}], \"index\": \"unravel(ravel(i, y.shape), x.shape)[d]\","
    " \"require\": [{\"that\": \"prod(s) == x.numel\", \"else\": \"{{ s }}\"}]},"
    "{\"op\": \"c\", \"kind\": \"view\", \"inputs\": [{\"name\": \"t\", \"list\": true}], \"types\": {\"T\": "
    "[\"any\"]},"
    " \"outputs\": [{\"name\": \"y\", \"shape\": \"[sum(sizes(t, 0))] + t[0].shape[1:]\"}],"
    " \"index\": \"i[d] - sum(sizes(t[:k], 0)) if d == 0 else i[d]\", \"valid\": \"i[0] < sum(sizes(t[:k + 1], 0))\"},"
    "{\"op\": \"p\", \"kind\": \"view\", \"inputs\": [\"x\"], \"types\": {\"T\": [\"any\"]}, \"attrs\": {\"z\": "
    "{\"type\": \"int\", \"default\": 2}},"
    " \"outputs\": [{\"name\": \"y\", \"count\": \"z\", \"shape\": \"[x.shape[0] // z] + x.shape[1:]\"}], \"index\": "
    "\"i[d]\"},"
    "{\"op\": \"s\", \"kind\": \"reduce\", \"inputs\": [\"x\"], \"types\": {\"T\": [\"float\"]}, \"init\": \"0\", "
    "\"combine\": \"a + b\","
    " \"attrs\": {\"dim\": {\"type\": \"list\", \"of\": \"int\", \"spread\": true, \"default\": null}}},"
    "{\"op\": \"m\", \"kind\": \"composite\", \"inputs\": [\"x\", {\"name\": \"w\", \"optional\": true}], \"types\": "
    "{\"T\": [\"float\"]},"
    " \"attrs\": {\"deep\": {\"type\": \"bool\", \"default\": false}}, \"outputs\": [\"y\"],"
    " \"steps\": [{\"op\": \"p\", \"in\": [\"x\"], \"out\": \"h\", \"when\": \"deep\"}, {\"op\": \"c\", \"in\": "
    "{\"t\": \"h\"}, \"out\": \"g\", \"when\": \"deep\"},"
    " {\"op\": \"r\", \"in\": [\"x\"], \"out\": \"g\", \"when\": \"not deep\"}, {\"op\": \"a\", \"in\": [\"g\", "
    "\"x\"], \"out\": \"y\"}]}"
    "]}";

static void require(bool condition) {
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena;
    arena_init(&arena);
    Names names;
    names_init(&names, &arena);
    Diags diags;
    diags_init(&diags, &arena);
    OpTable ops;
    optable_init(&ops, &arena, &names);
    require(optable_read(&ops, source_new(&arena, S("ops"), str(ops_text, sizeof ops_text - 1)), &diags));
    Graph *graph =
        graph_read(&arena, &names, &ops, source_new(&arena, S("fuzz"), str((const char *)data, size)), &diags);
    require((graph != NULL) == (diags.errors == 0));
    Buf out;
    buf_init(&out, &arena);
    if (graph != NULL) {
        require(graph_check(graph, &diags));
        graph_dump(graph, &out);
        /* Sorting what is sorted changes nothing. */
        graph_sort(graph);
        Buf again;
        buf_init(&again, &arena);
        graph_dump(graph, &again);
        require(str_eq(buf_str(&out), buf_str(&again)) && str_invalid_utf8(buf_str(&out)) == STR_NONE);
        emit_text(&arena, graph);
    }
    if (diags.errors > 0) {
        out.n = 0;
        diags_render(&diags, DIAG_TEXT, false, &out);
        require(out.n > 0 && str_invalid_utf8(buf_str(&out)) == STR_NONE);
    }
    arena_free(&arena);
    return 0;
}

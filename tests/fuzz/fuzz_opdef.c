/* fuzz_opdef.c: any text as a file of operators. There are findings or all of it is in the table; findings can be shown
 * and have a place in the text; what is in the table is complete, and its expressions' places lie in their sources. Of
 * each operator there is a model with one node of it, which is read and written as the text of its files, or findings
 * say why not.
 */
#include "fuzz_emit.h"

#include <stdlib.h>

#define CHECK(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_expr(const OpExpr *expr) {
    if (expr->expr == NULL) return;
    CHECK(expr->source != NULL && expr->expr->from <= expr->expr->to && expr->expr->to <= expr->source->text.n);
}

static void check_named(const NamedExprs *list, bool complete) {
    for (uint32_t i = 0; i < list->n; i++) {
        check_expr(&list->items[i].value);
        CHECK(list->items[i].name != NULL && (!complete || list->items[i].value.expr != NULL));
    }
}

static void check_op(const OpDef *op) {
    CHECK(is_identifier(name_str(op->name)) && op->types.n > 0 && op->outputs.n > 0);
    CHECK(op->from < op->to && op->to <= op->source->text.n);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        check_expr(&op->inputs.items[i].type);
        CHECK(op->inputs.items[i].type.expr != NULL && reserved_why(name_str(op->inputs.items[i].name)) == NULL);
    }
    for (uint32_t i = 0; i < op->outputs.n; i++) {
        const OpOutput *output = &op->outputs.items[i];
        check_expr(&output->type);
        check_expr(&output->shape);
        check_expr(&output->count);
        CHECK(output->type.expr != NULL && (output->rank.expr != NULL) == (output->dim.expr != NULL));
    }
    for (uint32_t i = 0; i < op->attrs.n; i++)
        CHECK(op->attrs.items[i].required == (op->attrs.items[i].fallback == NULL));
    for (uint32_t i = 0; i < op->requires.n; i++)
        CHECK(op->requires.items[i].that.expr != NULL && op->requires.items[i].otherwise.n > 0);
    CHECK((op->mutates.n > 0) == (op->name->p[op->name->n - 1] == '_'));
    check_named(&op->let, true);
    check_named(&op->grad, true);
    check_named(&op->cost, true);
    switch (op->kind) {
    case KIND_MAP:
        check_named(&op->body, true);
        CHECK(op->body.n == op->outputs.n);
        break;
    case KIND_VIEW:
        check_named(&op->indices, true);
        check_named(&op->valids, false);
        CHECK(op->indices.n == op->inputs.n && op->valids.n == op->inputs.n && op->index.expr != NULL);
        break;
    case KIND_REDUCE:
        check_named(&op->acc, true);
        check_named(&op->init, true);
        check_named(&op->element, true);
        check_named(&op->combine, true);
        check_named(&op->finish, true);
        CHECK(op->acc.n > 0 && op->init.n == op->acc.n && op->element.n == op->acc.n && op->combine.n == op->acc.n);
        CHECK(op->finish.n == op->outputs.n);
        break;
    case KIND_KERNEL:
        CHECK(op->kernel != NULL);
        break;
    case KIND_COMPOSITE:
        CHECK(op->steps.n > 0);
        break;
    }
}

/* ---- a model of one node */

static void add_value(Buf *out, const OpAttr *attr, AttrType type) {
    switch (type) {
    case ATTR_INT:
        buf_add(out, S("1"));
        return;
    case ATTR_FLOAT:
        buf_add(out, S("0.5"));
        return;
    case ATTR_BOOL:
        buf_add(out, S("true"));
        return;
    case ATTR_STRING:
        buf_add(out, S("\"ij,jk->ik\""));
        return;
    case ATTR_ENUM:
        json_quote(out, attr->values->as.array.items[0].as.s);
        return;
    case ATTR_DTYPE:
        buf_add(out, S("\"f32\""));
        return;
    case ATTR_LIST:
        buf_char(out, '[');
        for (uint32_t i = 0; i < (attr->len == 0 ? 2 : attr->len) && i < 8; i++) {
            if (i > 0) buf_char(out, ',');
            add_value(out, attr, attr->of);
        }
        buf_char(out, ']');
        return;
    }
}

/* Inputs of a dtype and a shape, attributes that have to be given, names for the outputs. */
static Str model_of(Arena *arena, const OpDef *op, const char *dtype, const char *shape) {
    Buf out;
    buf_init(&out, arena);
    buf_add(&out, S("{\"opgen\": 1, \"name\": \"net\", \"dims\": {\"n\": {\"max\": 6}}, \"inputs\": {"));
    for (uint32_t i = 0; i < op->inputs.n; i++)
        buf_format(&out, "%s\"i%u\": {\"dtype\": \"%s\", \"shape\": %s}", i > 0 ? ", " : "", (unsigned)i, dtype, shape);
    buf_add(&out, S("}, \"nodes\": [{\"op\": "));
    json_quote(&out, name_str(op->name));
    buf_add(&out, S(", \"in\": ["));
    for (uint32_t i = 0; i < op->inputs.n; i++)
        buf_format(&out, op->inputs.items[i].list ? "%s[\"i%u\", \"i%u\"]" : "%s\"i%u\"", i > 0 ? ", " : "",
                   (unsigned)i, (unsigned)i);
    buf_add(&out, S("], \"attrs\": {"));
    bool first = true;
    for (uint32_t i = 0; i < op->attrs.n; i++) {
        if (!op->attrs.items[i].required) continue;
        buf_add(&out, first ? S("") : S(", "));
        json_quote(&out, name_str(op->attrs.items[i].name));
        buf_add(&out, S(": "));
        add_value(&out, &op->attrs.items[i], op->attrs.items[i].type);
        first = false;
    }
    buf_add(&out, S("}, \"out\": ["));
    for (uint32_t i = 0; i < op->outputs.n; i++)
        buf_format(&out, op->outputs.items[i].count.expr != NULL ? "%s[\"o%u\"]" : "%s\"o%u\"", i > 0 ? ", " : "",
                   (unsigned)i);
    buf_add(&out, S("]}], \"outputs\": [\"o0\"]}"));
    return buf_str(&out);
}

static void generate(Arena *arena, Names *names, const OpTable *table, const OpDef *op) {
    static const char *const dtypes[] = {"f32", "i64", "bool"}, *const shapes[] = {"[\"n\", 2, 3]", "[4, \"n\"]",
                                                                                   "[4, 4]"};
    for (unsigned i = 0; i < 3; i++) {
        Diags diags;
        diags_init(&diags, arena);
        Source *source = source_new(arena, S("model"), model_of(arena, op, dtypes[i], shapes[i]));
        Graph *graph = graph_read(arena, names, table, source, &diags);
        CHECK((graph != NULL) == (diags.errors == 0));
        if (graph == NULL) continue;
        CHECK(graph_check(graph, &diags));
        emit_text(arena, graph);
        Buf out;
        buf_init(&out, arena);
        diags_render(&diags, DIAG_TEXT, false, &out);
        CHECK(str_invalid_utf8(buf_str(&out)) == STR_NONE);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena;
    arena_init(&arena);
    Names names;
    names_init(&names, &arena);
    Diags diags;
    diags_init(&diags, &arena);
    OpTable table;
    optable_init(&table, &arena, &names);
    Source *source = source_new(&arena, S("fuzz"), str((const char *)data, size));
    bool read = optable_read(&table, source, &diags);
    CHECK(read == (diags.errors == 0));
    for (uint32_t i = 0; i < diags.items.n; i++) {
        const Span *at = &diags.items.items[i]->span;
        CHECK(at->source != NULL && at->from <= at->to && at->to <= at->source->text.n);
    }
    for (uint32_t i = 0; i < table.ops.n; i++)
        check_op(table.ops.entries[i].value);
    uint32_t errors = diags.errors;
    CHECK(optable_check(&table, NULL, 0, &diags) == (diags.errors == errors));
    Buf out;
    buf_init(&out, &arena);
    diags_render(&diags, DIAG_TEXT, false, &out);
    CHECK(diags.errors == 0 || (out.n > 0 && str_invalid_utf8(buf_str(&out)) == STR_NONE));
    for (uint32_t i = 0; diags.errors == 0 && i < table.ops.n && i < 4; i++)
        generate(&arena, &names, &table, table.ops.entries[i].value);
    arena_free(&arena);
    return 0;
}

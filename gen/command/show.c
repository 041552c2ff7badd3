/* show.c: `opgen show op NAME`, all about one operator, as its author wrote it. */
#include "command/command.h"

typedef struct Show {
    Command *command;
    Buf out;
    const OpDef *op;
} Show;

enum { LABEL = 12 }; /* columns of what stands in front of a line */

/* Nothing where there is no text. */
static void line(Show *show, const char *label, Str text) {
    if (text.n == 0) return;
    Buf *out = &show->out;
    size_t from = out->n;
    buf_add(out, str_c(label));
    buf_fill(out, ' ', LABEL - (out->n - from));
    buf_add(out, text);
    buf_char(out, '\n');
}

static Str text_of(const OpExpr *expr) {
    if (expr->expr == NULL) return S("");
    return str_sub(expr->source->text, expr->expr->from, expr->expr->to);
}

/* One line for each, the label in front of the first. */
static void named_out(Show *show, const char *label, const NamedExprs *list) {
    Arena *arena = show->command->arena;
    for (uint32_t i = 0; i < list->n; i++) {
        if (list->items[i].value.expr == NULL) continue;
        Str text = text_of(&list->items[i].value);
        line(show, label, list->n == 1 ? text : str_format(arena, "%S = %S", name_str(list->items[i].name), text));
        label = "";
    }
}

static Str dtypes_of(Arena *arena, DtypeSet set) {
    static const char *const groups[] = {"any", "float", "int"};
    Buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        DtypeSet group;
        if (dtype_set_parse(str_c(groups[i]), &group) && set == group) return str_c(groups[i]);
    }
    for (unsigned i = 0; i < DT_COUNT; i++) {
        if (set >> i & 1) buf_format(&out, out.n == 0 ? "%s" : ", %s", dtype_name((Dtype)i));
    }
    return buf_str(&out);
}

static void value_out(Buf *out, const Json *value) {
    switch (value->kind) {
    case JSON_NULL:
        buf_add(out, S("none"));
        return;
    case JSON_BOOL:
        buf_add(out, value->as.b ? S("true") : S("false"));
        return;
    case JSON_INT:
        buf_int(out, value->as.i);
        return;
    case JSON_FLOAT:
        buf_format(out, "%g", value->as.f);
        return;
    case JSON_STRING:
        buf_json(out, value->as.s);
        return;
    case JSON_BIGINT:
        buf_add(out, value->as.s);
        return;
    case JSON_ARRAY:
        buf_char(out, '[');
        for (uint32_t i = 0; i < value->as.array.n; i++) {
            if (i > 0) buf_add(out, S(", "));
            value_out(out, &value->as.array.items[i]);
        }
        buf_char(out, ']');
        return;
    case JSON_OBJECT:
        return;
    }
}

static Str attr_text(Arena *arena, const OpAttr *attr) {
    Buf out;
    buf_init(&out, arena);
    buf_format(&out, "%S: %s", name_str(attr->name), opattr_type_name(attr->type));
    if (attr->type == ATTR_LIST) buf_format(&out, " of %s", opattr_type_name(attr->of));
    if (attr->len > 0) buf_format(&out, ", %u of them", (unsigned)attr->len);
    if (attr->spread) buf_add(&out, S(", or one for all"));
    if (attr->values != NULL) {
        buf_char(&out, ' ');
        value_out(&out, attr->values);
    }
    if (attr->fallback != NULL) {
        buf_add(&out, S(" = "));
        value_out(&out, attr->fallback);
    }
    if (attr->doc.n > 0) buf_format(&out, "  (%S)", attr->doc);
    return buf_str(&out);
}

static void inputs_out(Show *show) {
    Arena *arena = show->command->arena;
    const char *label = "inputs";
    for (uint32_t i = 0; i < show->op->inputs.n; i++, label = "") {
        const OpInput *input = &show->op->inputs.items[i];
        Str text = str_format(arena, "%S: %S%s%s", name_str(input->name), text_of(&input->type),
                              input->list ? ", any number" : "", input->optional ? ", optional" : "");
        line(show, label, input->doc.n > 0 ? str_format(arena, "%S  (%S)", text, input->doc) : text);
    }
}

static void outputs_out(Show *show) {
    Arena *arena = show->command->arena;
    const char *label = "outputs";
    for (uint32_t i = 0; i < show->op->outputs.n; i++, label = "") {
        const OpOutput *output = &show->op->outputs.items[i];
        Buf text;
        buf_init(&text, arena);
        buf_format(&text, "%S: %S", name_str(output->name), text_of(&output->type));
        if (output->count.expr != NULL) buf_format(&text, ", %S of them", text_of(&output->count));
        if (output->shape.expr != NULL) buf_format(&text, ", shape %S", text_of(&output->shape));
        if (output->rank.expr != NULL)
            buf_format(&text, ", rank %S, size %S in dim k", text_of(&output->rank), text_of(&output->dim));
        if (output->doc.n > 0) buf_format(&text, "  (%S)", output->doc);
        line(show, label, buf_str(&text));
    }
}

static void steps_out(Show *show) {
    Arena *arena = show->command->arena;
    const char *label = "steps";
    for (uint32_t i = 0; i < show->op->steps.n; i++, label = "") {
        const OpStep *step = &show->op->steps.items[i];
        Buf text;
        buf_init(&text, arena);
        for (uint32_t k = 0; k < step->out.n; k++)
            buf_format(&text, k == 0 ? "%S" : ", %S", name_str(step->out.items[k]));
        buf_format(&text, " = %S(", name_str(step->op));
        for (uint32_t k = 0; k < step->in.n; k++)
            buf_format(&text, k == 0 ? "%S=%S" : ", %S=%S", name_str(step->in.items[k].name),
                       text_of(&step->in.items[k].value));
        for (uint32_t k = 0; k < step->attrs.n; k++)
            buf_format(&text, k + step->in.n == 0 ? "%S=%S" : ", %S=%S", name_str(step->attrs.items[k].name),
                       text_of(&step->attrs.items[k].value));
        buf_char(&text, ')');
        if (step->when.expr != NULL) buf_format(&text, " when %S", text_of(&step->when));
        line(show, label, buf_str(&text));
    }
}

static void holes_out(Show *show) {
    Arena *arena = show->command->arena;
    const OpDef *op = show->op;
    const char *label = "sizes";
    for (uint32_t i = 0; i < op->sizes.n; i++, label = "")
        line(show, label,
             str_format(arena, "%S = %S", name_str(op->sizes.items[i].name), text_of(&op->sizes.items[i].value)));
    label = "holes";
    for (uint32_t i = 0; i < op->holes.n; i++, label = "") {
        const OpHole *hole = &op->holes.items[i];
        Buf text;
        buf_init(&text, arena);
        buf_add(&text, name_str(hole->name));
        if (hole->of != hole->name) buf_format(&text, " of %S", name_str(hole->of));
        if (hole->shape.expr != NULL) buf_format(&text, ", shape %S", text_of(&hole->shape));
        if (hole->index.expr != NULL) buf_format(&text, ", index %S", text_of(&hole->index));
        line(show, label, buf_str(&text));
    }
}

static void operator_out(Show *show) {
    const OpDef *op = show->op;
    Arena *arena = show->command->arena;
    Place place = source_place(arena, op->source, op->from);
    buf_add(&show->out, name_str(op->name));
    if (op->doc.n > 0) buf_format(&show->out, ": %S", op->doc);
    buf_add(&show->out, op->base != NULL ? S(" (in place)\n\n") : S("\n\n"));
    line(show, "kind", str_c(op_kind_name(op->kind)));
    line(show, "from", str_format(arena, "%S:%u", op->source->name, (unsigned)place.line));
    inputs_out(show);
    const char *label = "attributes";
    for (uint32_t i = 0; i < op->attrs.n; i++, label = "")
        line(show, label, attr_text(arena, &op->attrs.items[i]));
    outputs_out(show);
    label = "types";
    for (uint32_t i = 0; i < op->types.n; i++, label = "")
        line(show, label,
             str_format(arena, "%S: %S", name_str(op->types.items[i].name), dtypes_of(arena, op->types.items[i].set)));
    label = "changes";
    for (uint32_t i = 0; i < op->mutates.n; i++, label = "")
        line(show, label, name_str(op->mutates.items[i]));
    label = "requires";
    for (uint32_t i = 0; i < op->requires.n; i++, label = "")
        line(show, label, text_of(&op->requires.items[i].that));
    named_out(show, "let", &op->let);
    named_out(show, "expr", &op->body);
    named_out(show, "index", &op->indices);
    named_out(show, "valid", &op->valids);
    line(show, "fill", text_of(&op->fill));
    named_out(show, "acc", &op->acc);
    named_out(show, "init", &op->init);
    named_out(show, "map", &op->element);
    named_out(show, "combine", &op->combine);
    named_out(show, "finish", &op->finish);
    line(show, "over", text_of(&op->over));
    if (op->kernel != NULL) line(show, "kernel", name_str(op->kernel));
    holes_out(show);
    steps_out(show);
    named_out(show, "grad", &op->grad);
    named_out(show, "cost", &op->cost);
}

/* The text as it stands in its file, and where that is. */
static void json_out(Show *show) {
    const OpDef *op = show->op;
    Place place = source_place(show->command->arena, op->source, op->from);
    buf_add(&show->out, S("{\"name\": "));
    buf_json(&show->out, name_str(op->name));
    buf_add(&show->out, S(", \"file\": "));
    buf_json(&show->out, op->source->name);
    buf_format(&show->out, ", \"line\": %u, \"in_place_form_of\": ", (unsigned)place.line);
    if (op->base != NULL)
        buf_json(&show->out, name_str(op->base->name));
    else
        buf_add(&show->out, S("null"));
    buf_format(&show->out, ",\n\"definition\": %S}\n", str_sub(op->source->text, op->json->from, op->json->to));
}

void command_show(Command *command) {
    Str wanted = command->options.operands[1];
    Names names;
    OpTable table;
    names_init(&names, command->arena);
    if (!command_operators(command, &names, &table, true)) return;
    Name name = names_find(&names, wanted);
    Show show = {.command = command, .op = name == NULL ? NULL : optable_get(&table, name)};
    buf_init(&show.out, command->arena);
    if (show.op == NULL) {
        Diag *diag = diag_error(&command->diags, E_UNKNOWN_NAME, span(NULL, 0, 0), "there is no operator %Q", wanted);
        uint32_t n;
        Str *candidates = optable_names(&table, command->arena, &n);
        if (!diag_suggest(&command->diags, diag, wanted, candidates, n))
            diag_hint(&command->diags, diag, "see: opgen list ops");
        return;
    }
    if (command->options.values[OPT_JSON].given)
        json_out(&show);
    else
        operator_out(&show);
    command_print(command, buf_str(&show.out));
}

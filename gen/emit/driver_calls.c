/* driver_calls.c: the calls of a model as text: one line each, with the names of what it makes behind it.
 *
 * They are cut into functions of some hundred calls, for compilers take longer than n for long ones. What such a
 * function needs (the arena, values, dims) is declared at its top, where it is used at all.
 */
#include "emit/driver.h"

enum { CALLS_IN_ONE = 250, MOST_NAMES = 4 };

typedef struct Writer {
    const Plan *plan;
    const DriverValues *values;
    Buf body;
    bool arena, folded, numbers, *dims; /* what the function uses */
    bool fails;                         /* one of its calls may */
    bool watched;                       /* somebody may want to know of each call: not of a profile's */
} Writer;

static void add_size(Writer *writer, SymRef size) {
    int64_t number;
    writer->numbers |= !sym_is_int(size, &number) && size->kind != SYM_VAR;
    driver_size(writer->plan, writer->values, size, writer->dims, &writer->body);
}

static void add_slot(Writer *writer, uint32_t at) {
    const DriverValues *values = writer->values;
    writer->arena = true;
    if (!values->fixed && writer->plan->slots.items[at].on.n > 0) {
        writer->numbers = true;
        buf_format(&writer->body, "(arena + values[%u])", (unsigned)(values->sizes.n + values->offset_of[at]));
    } else if (!values->fixed || writer->plan->slots.items[at].offset == 0) {
        buf_add(&writer->body, S("arena"));
    } else {
        buf_format(&writer->body, "(arena + %lld)", (long long)writer->plan->slots.items[at].offset);
    }
}

static void add_folded(Writer *writer, const Folded *at) {
    writer->folded = true;
    if (at->offset == 0)
        buf_add(&writer->body, S("folded"));
    else
        buf_format(&writer->body, "(folded + %lld)", (long long)at->offset);
}

static void add_base(Writer *writer, TensorPlace place) {
    const Graph *graph = writer->plan->graph;
    Str model = name_str(graph->name);
    if (place.kind == PLACE_SLOT)
        add_slot(writer, place.at);
    else if (place.kind == PLACE_FOLDED)
        add_folded(writer, &writer->plan->folded.items[place.at]);
    else if (place.kind == PLACE_INPUT)
        buf_format(&writer->body, "run->inputs[%S_input_%S]", model, name_str(graph->inputs.items[place.at]->name));
    else if (place.kind == PLACE_PARAM)
        buf_format(&writer->body, "run->params[%S_param_%S]", model, name_str(graph->params.items[place.at]->name));
    else
        buf_format(&writer->body, "run->outputs[%S_output_%S]", model, name_str(graph->output_names.items[place.at]));
}

static void add_arg(Writer *writer, const Call *call, const Arg *arg) {
    switch (arg->kind) {
    case ARG_WRITE:
    case ARG_READ: {
        TensorPlace place = writer->plan->places[arg->tensor->number];
        buf_format(&writer->body, "(%S)", arg->text);
        add_base(writer, place);
        if (place.offset == NULL) return;
        buf_add(&writer->body, S(" + "));
        add_size(writer, place.offset);
        return;
    }
    case ARG_SIZE:
        add_size(writer, arg->size);
        return;
    case ARG_WORKSPACE:
        add_slot(writer, call->workspace_slot);
        return;
    case ARG_FAULT:
    case ARG_EXTRA:
        buf_add(&writer->body, arg->text);
        return;
    }
}

static void add_end(Writer *writer, const char *type, const Call *call, TensorPlace place) {
    buf_format(&writer->body, ", (%s)", type);
    add_base(writer, place);
    if (place.offset == NULL) return;
    buf_add(&writer->body, S(" + "));
    add_size(writer, place.offset);
    buf_format(&writer->body, " * %u", dtype_size(call->copied->type.dtype));
}

static void add_copy(Writer *writer, const Call *call) {
    buf_add(&writer->body, S("copy(run"));
    add_end(writer, "char *", call, call->to);
    add_end(writer, "const char *", call, call->from);
    buf_add(&writer->body, S(", "));
    add_size(writer, call->bytes);
    buf_add(&writer->body, S(");"));
}

static void add_names(Writer *writer, const Group *group) {
    uint32_t n = group->writes.n;
    if (n == 0) return;
    buf_add(&writer->body, S(" /* "));
    for (uint32_t i = 0; i < n && i < MOST_NAMES; i++)
        buf_format(&writer->body, "%s%S", i > 0 ? ", " : "", name_str(group->writes.items[i]->name));
    buf_add(&writer->body, n > MOST_NAMES ? S(", ... */") : S(" */"));
}

static void add_seen(Writer *writer, uint32_t number) {
    if (writer->watched) buf_format(&writer->body, " seen(run, %u);", (unsigned)number);
}

static void add_call(Writer *writer, const Call *call, uint32_t number) {
    buf_add(&writer->body, S("    "));
    if (call->function == NULL) {
        add_copy(writer, call);
        add_seen(writer, number);
        buf_format(&writer->body, " /* %S */\n", name_str(call->copied->name));
        return;
    }
    buf_add(&writer->body, call->function->before);
    for (uint32_t i = 0; i < call->args.n; i++) {
        if (i > 0) buf_add(&writer->body, S(", "));
        add_arg(writer, call, &call->args.items[i]);
    }
    buf_add(&writer->body, call->function->after);
    if (call->function->fails) {
        buf_format(&writer->body, "\n    if (failed(run, %u)) return;", (unsigned)number);
        if (writer->watched) buf_add(&writer->body, S("\n   "));
        writer->fails = true;
    }
    add_seen(writer, number);
    if (call->group != NULL) add_names(writer, call->group);
    buf_char(&writer->body, '\n');
}

static Str finish(Writer *writer, Arena *arena) {
    Buf text;
    buf_init(&text, arena);
    buf_room(&text, writer->body.n + 200);
    size_declare_dims(&text, writer->plan->graph, writer->dims, S("run->dims"));
    if (writer->numbers) buf_add(&text, S("    const int64_t *const values = run->values;\n"));
    if (writer->arena) buf_add(&text, S("    char *const arena = (char *)run->arena;\n"));
    if (writer->folded) buf_add(&text, S("    char *const folded = (char *)run->folded;\n"));
    buf_add(&text, buf_str(&writer->body));
    writer->body.n = 0;
    writer->arena = writer->folded = writer->numbers = false;
    memset(writer->dims, 0, (writer->plan->graph->dims.n + 1) * sizeof *writer->dims);
    return buf_str(&text);
}

static Value piece_data(Arena *arena, Str name, Str text, bool fails) {
    Dict *piece = dict_new(arena, 3);
    dict_set_in(arena, piece, val_str_lit("fails", 5), val_bool(fails));
    dict_set_in(arena, piece, val_str_lit("name", 4), val_str_lit(name.p, name.n));
    dict_set_in(arena, piece, val_str_lit("text", 4), val_str_lit(text.p, text.n));
    return val_dict(piece);
}

List *driver_calls(Arena *arena, const Plan *plan, const DriverValues *values, const char *name, uint32_t first) {
    Writer writer = {.plan = plan, .values = values, .dims = ARENA_ARRAY(arena, bool, (size_t)plan->graph->dims.n + 1)};
    writer.watched = json_get(plan->backend->json, S("profile")) == NULL;
    buf_init(&writer.body, arena);
    List *pieces = list_new(arena, plan->calls.n / CALLS_IN_ONE + 1);
    for (uint32_t c = 0; c < plan->calls.n; c++) {
        add_call(&writer, &plan->calls.items[c], first + c);
        if ((c + 1) % CALLS_IN_ONE != 0 && c + 1 < plan->calls.n) continue;
        Str text = finish(&writer, arena);
        list_push(arena, pieces,
                  piece_data(arena, str_format(arena, "%s_%u", name, (unsigned)pieces->n), text, writer.fails));
        writer.fails = false;
    }
    return pieces;
}

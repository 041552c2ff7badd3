/* graph_passes.c: `opgen graph --passes`, what each pass makes of a model's graph, and last the functions.
 *
 * The way is generate's own, watched, so that what is shown is what is written.
 */
#include "command/graph.h"

#include <time.h>

typedef struct Watch {
    Command *command;
    const Graph *graph;
    Buf *out;
    Stages *stages; /* NULL: no picture */
    bool json;
    double begun, grouping; /* when the pass that is running began; how long it took to make groups */
} Watch;

/* Of the processor's time, so that what else the machine does is not counted. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static Str count(Arena *arena, uint32_t n, const char *what) {
    return str_format(arena, "%u %s%s", (unsigned)n, what, n == 1 ? "" : "s");
}

static uint32_t count_nodes(const Graph *graph) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        n += graph->nodes.items[i] != NULL;
    return n;
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------
 */

static void value_json(Buf *out, const RuleValue *value) {
    int64_t number;
    switch (value->kind) {
    case RULE_NONE:
        buf_add(out, S("null"));
        return;
    case RULE_LIST:
        buf_char(out, '[');
        for (uint32_t i = 0; i < value->as.list.n; i++) {
            if (i > 0) buf_add(out, S(", "));
            value_json(out, &value->as.list.items[i]); /* as deep as the model's JSON, which is bounded */
        }
        buf_char(out, ']');
        return;
    case RULE_TEXT:
        buf_json(out, value->as.s);
        return;
    case RULE_BOOL:
        if (sym_is_int(value->as.i, &number)) {
            buf_add(out, number != 0 ? S("true") : S("false"));
            return;
        }
        break;
    case RULE_INT:
        if (sym_is_int(value->as.i, &number)) {
            buf_int(out, number);
            return;
        }
        break;
    default:
        break;
    }
    /* What JSON has no form for, and floats as they are shown elsewhere: inf is a text, 0.5 a number. */
    Buf text;
    buf_init(&text, out->arena);
    rule_print(&text, value);
    bool finite = value->kind == RULE_FLOAT && value->as.f - value->as.f == 0;
    if (finite)
        buf_add(out, buf_str(&text));
    else
        buf_json(out, buf_str(&text));
}

static void names_json(Buf *out, Tensor *const *tensors, uint32_t n) {
    buf_char(out, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) buf_add(out, S(", "));
        if (tensors[i] == NULL)
            buf_add(out, S("null"));
        else
            buf_json(out, name_str(tensors[i]->name));
    }
    buf_char(out, ']');
}

static void node_json(Buf *out, const Node *node) {
    const OpDef *op = node->op;
    buf_add(out, S("{\"op\": "));
    buf_json(out, name_str(op->name));
    buf_add(out, S(", \"in\": {"));
    bool first = true;
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const RuleScalar *scalar = graph_scalar(node, i);
        if (node->counts[i] == 0 && scalar == NULL) continue;
        if (!first) buf_add(out, S(", "));
        first = false;
        buf_json(out, name_str(op->inputs.items[i].name));
        buf_add(out, S(": "));
        if (scalar != NULL) {
            buf_add(out, scalar->text);
            continue;
        }
        if (op->inputs.items[i].list)
            names_json(out, node->inputs[i], node->counts[i]);
        else
            buf_json(out, name_str(node->inputs[i][0]->name));
    }
    buf_add(out, S("}, \"attrs\": {"));
    for (uint32_t i = 0; i < op->attrs.n; i++) {
        if (i > 0) buf_add(out, S(", "));
        buf_json(out, name_str(op->attrs.items[i].name));
        buf_add(out, S(": "));
        value_json(out, &node->attrs[i]);
    }
    buf_add(out, S("}, \"out\": "));
    names_json(out, node->outputs, node->output_n);
    buf_char(out, '}');
}

static void nodes_json(Buf *out, Node *const *nodes, uint32_t n, const char *before) {
    bool first = true;
    buf_char(out, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (nodes[i] == NULL) continue;
        buf_format(out, "%s%s", first ? "" : ",", before);
        node_json(out, nodes[i]);
        first = false;
    }
    buf_char(out, ']');
}

static void stage_json(Watch *watch, const char *name, uint32_t changes, double seconds, bool graph) {
    Buf *out = watch->out;
    buf_format(out,
               "%s\n  {\"name\": \"%s\", \"changes\": %u, \"nodes\": %u, \"seconds\": ", name[0] == '\0' ? "" : ",",
               name, (unsigned)changes, (unsigned)count_nodes(watch->graph));
    buf_format(out, "%.9f, \"graph\": ", seconds);
    if (graph)
        nodes_json(out, watch->graph->nodes.items, watch->graph->nodes.n, "\n    ");
    else
        buf_add(out, S("null"));
    buf_char(out, '}');
}

/* ---- stages -------------------------------------------------------------------------------------------------------
 */

static void head(Buf *out, Str title, Str text) {
    buf_format(out, "%s== %S: %S ==\n", out->n > 0 ? "\n" : "", title, text);
}

static void stage(Watch *watch, const char *name, const char *doc, uint32_t changes, double seconds, bool graph) {
    Arena *arena = watch->command->arena;
    if (watch->json) {
        stage_json(watch, name, changes, seconds, graph);
        return;
    }
    Str title = name[0] == '\0' ? S("read") : str_c(name);
    Str left = count(arena, count_nodes(watch->graph), "node");
    Str text = name[0] == '\0' ? left
               : changes == 0  ? S("no change")
                               : str_format(arena, "%S changed, %S now", count(arena, changes, "node"), left);
    if (watch->stages != NULL) {
        if (doc != NULL) text = str_format(arena, "%S. %s.", text, doc);
        stages_add(watch->stages, title, text, graph ? watch->graph : NULL);
        return;
    }
    head(watch->out, title, text);
    if (graph) graph_dump(watch->graph, watch->out);
}

static void seen(void *user, PassId pass, const Graph *graph, uint32_t changes) {
    Watch *watch = user;
    double seconds = now() - watch->begun;
    watch->graph = graph;
    if (pass == PASS_FUSE)
        watch->grouping = seconds;
    else
        stage(watch, passes[pass].name, passes[pass].doc, changes, seconds, changes > 0);
    watch->begun = now();
}

/* ---- functions ----------------------------------------------------------------------------------------------------
 */

/* The calls of functions: first those that are made once for a set of weights, then those of each run. */
typedef VEC(const Call *) Calls;

static void add_calls(Arena *arena, const Plan *plan, Calls *calls) {
    for (uint32_t c = 0; c < plan->calls.n; c++)
        if (plan->calls.items[c].group != NULL) *VEC_PUSH(arena, calls) = &plan->calls.items[c];
}

/* Nodes that are in no call: views that are no code. */
static bool *uncalled(Arena *arena, const Plan *plan, const Calls *calls) {
    bool *none = ARENA_ARRAY(arena, bool, (size_t)plan->graph->nodes.n + 1);
    for (uint32_t i = 0; i < plan->graph->nodes.n; i++)
        none[i] = true;
    for (uint32_t c = 0; c < calls->n; c++) {
        const Group *group = calls->items[c]->group;
        for (uint32_t i = 0; i < group->nodes.n; i++)
            none[group->nodes.items[i]->number] = false;
    }
    return none;
}

static void functions_json(Watch *watch, const Plan *plan, const Calls *calls, const bool *views) {
    Buf *out = watch->out;
    buf_add(out, S("],\n \"calls\": ["));
    for (uint32_t c = 0; c < calls->n; c++) {
        const Call *call = calls->items[c];
        buf_format(out, "%s\n  {\"function\": ", c == 0 ? "" : ",");
        buf_json(out, call->function->uri);
        buf_add(out, call->group->constant ? S(", \"once\": true") : S(", \"once\": false"));
        buf_add(out, S(", \"reads\": "));
        names_json(out, call->group->reads.items, call->group->reads.n);
        buf_add(out, S(", \"writes\": "));
        names_json(out, call->group->writes.items, call->group->writes.n);
        buf_add(out, S(", \"nodes\": "));
        nodes_json(out, call->group->nodes.items, call->group->nodes.n, "\n    ");
        buf_char(out, '}');
    }
    buf_add(out, S("],\n \"views\": ["));
    for (uint32_t i = 0, first = 1; i < plan->graph->nodes.n; i++) {
        if (!views[i]) continue;
        buf_add(out, first ? S("\n  ") : S(",\n  "));
        first = 0;
        node_json(out, plan->graph->nodes.items[i]);
    }
    buf_add(out, S("]}\n"));
}

static void functions_text(Watch *watch, const Plan *plan, const Calls *calls, const bool *views) {
    Buf *out = watch->out;
    for (uint32_t c = 0; c < calls->n; c++) {
        const Call *call = calls->items[c];
        buf_format(out, "%S%s\n", call->function->uri, call->group->constant ? " (once for a set of weights)" : "");
        for (uint32_t i = 0; i < call->group->nodes.n; i++) {
            buf_add(out, S("    "));
            graph_dump_node(call->group->nodes.items[i], out);
        }
    }
    bool first = true;
    for (uint32_t i = 0; i < plan->graph->nodes.n; i++) {
        if (!views[i]) continue;
        if (first) buf_add(out, S("no code\n"));
        first = false;
        buf_add(out, S("    "));
        graph_dump_node(plan->graph->nodes.items[i], out);
    }
}

static void functions(Watch *watch, const Plan *plan) {
    Arena *arena = watch->command->arena;
    Calls calls = {0};
    if (plan->fold != NULL) add_calls(arena, plan->fold, &calls);
    uint32_t once = calls.n, nodes = 0, viewed = 0;
    add_calls(arena, plan, &calls);
    bool *views = uncalled(arena, plan, &calls);
    for (uint32_t i = 0; i < plan->graph->nodes.n; i++)
        nodes++, viewed += views[i];
    Str text = str_format(arena, "%S of %S: %S", count(arena, calls.n, "call"),
                          count(arena, plan->functions.n, "function"), count(arena, nodes - viewed, "node"));
    if (once > 0) text = str_format(arena, "%S, %S once for a set of weights", text, count(arena, once, "call"));
    if (viewed > 0) text = str_format(arena, "%S, and %S without code", text, count(arena, viewed, "view"));
    if (watch->json) {
        stage_json(watch, "functions", nodes - viewed > calls.n ? nodes - viewed - calls.n : 0, watch->grouping, false);
        functions_json(watch, plan, &calls, views);
    } else if (watch->stages != NULL) {
        stages_add_groups(watch->stages, S("functions"), text, plan);
    } else {
        head(watch->out, S("functions"), text);
        functions_text(watch, plan, &calls, views);
    }
}

bool graph_passes(Command *command, Models *models, Buf *out) {
    const OptionValue *values = command->options.values;
    const Graph *graph = models->items.items[0].graph;
    Str title = picture_title(command->arena, graph);
    Watch watch = {.command = command, .graph = graph, .out = out, .json = values[OPT_JSON].given > 0};
    if (values[OPT_SVG].given) watch.stages = stages_new(command->arena);
    if (watch.json) {
        buf_add(out, S("{\"model\": "));
        buf_json(out, name_str(graph->name));
        buf_add(out, S(",\n \"passes\": ["));
    }
    stage(&watch, "", NULL, 0, 0, true);
    models->seen = seen;
    models->seen_user = &watch;
    watch.begun = now();
    if (!models_emit(models, values[OPT_BACKEND].text)) return false;
    functions(&watch, &models->items.items[0].files.plan);
    if (watch.stages != NULL) stages_write(watch.stages, title, out);
    return true;
}

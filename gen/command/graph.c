/* graph.c: `opgen graph`, a model's graph as text or as a picture: as it is read, after each pass, or in memory. */
#include "command/graph.h"

/* Options that say something only beside others. */
static bool options_fit(Command *command) {
    const OptionValue *values = command->options.values;
    Span nowhere = {NULL, 0, 0};
    uint32_t errors = command->diags.errors;
    bool planned = values[OPT_PASSES].given || values[OPT_MEMORY].given;
    if (values[OPT_PASSES].given && values[OPT_MEMORY].given)
        diag_error(&command->diags, E_USAGE, nowhere, "--passes and --memory are two pictures: give one of them");
    if (values[OPT_SVG].given && values[OPT_JSON].given)
        diag_error(&command->diags, E_USAGE, nowhere, "--svg and --json are two forms: give one of them");
    static const OptionId with[] = {OPT_JSON, OPT_WITHOUT, OPT_BACKEND};
    for (size_t i = 0; i < sizeof with / sizeof *with && !planned; i++)
        if (values[with[i]].given)
            diag_error(&command->diags, E_USAGE, nowhere, "--%s goes with --passes or --memory",
                       option_rows[with[i]].name);
    return command->diags.errors == errors;
}

void command_graph(Command *command) {
    const OptionValue *values = command->options.values;
    Models models;
    if (!options_fit(command) || !models_read(command, &models)) return;
    Buf out;
    bool changed;
    buf_init(&out, command->arena);
    const Graph *graph = models.items.items[0].graph;
    if (values[OPT_PASSES].given) {
        if (!graph_passes(command, &models, &out)) return;
    } else if (values[OPT_MEMORY].given) {
        if (!graph_memory(command, &models, &out)) return;
    } else if (values[OPT_SVG].given) {
        picture_of_graph(command->arena, graph, &out);
    } else {
        graph_dump(graph, &out);
    }
    if (!values[OPT_OUTPUT].given || str_eq(values[OPT_OUTPUT].text, S("-")))
        command_print(command, buf_str(&out));
    else
        file_write_if_changed(command->arena, values[OPT_OUTPUT].text, buf_str(&out), &command->diags, &changed);
}

/* graph.c: `opgen graph`, a model's graph as text or as a picture. */
#include "command/models.h"
#include "command/picture.h"

void command_graph(Command *command) {
    const OptionValue *values = command->options.values;
    Models models;
    if (!models_read(command, &models)) return;
    Buf out;
    bool changed;
    buf_init(&out, command->arena);
    const Graph *graph = models.items.items[0].graph;
    if (values[OPT_SVG].given)
        picture_of_graph(command->arena, graph, &out);
    else
        graph_dump(graph, &out);
    if (!values[OPT_OUTPUT].given || str_eq(values[OPT_OUTPUT].text, S("-")))
        command_print(command, buf_str(&out));
    else
        file_write_if_changed(command->arena, values[OPT_OUTPUT].text, buf_str(&out), &command->diags, &changed);
}

/* compile.c: `opgen compile`: generate, then build. */
#include "command/build.h"

void command_compile(Command *command) {
    Models models;
    if (!models_read(command, &models)) return;
    Str *libraries = ARENA_ARRAY(command->arena, Str, models.items.n);
    if (!build_all(&models, command->options.values[OPT_OPENMP].given > 0, libraries)) return;
    Buf out;
    buf_init(&out, command->arena);
    for (uint32_t i = 0; i < models.items.n; i++)
        buf_format(&out, "%S\n", libraries[i]);
    command_print(command, buf_str(&out));
}

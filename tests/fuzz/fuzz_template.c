/* fuzz_template.c: any text as a template, compiled and rendered without data. What is not defined can be chained, so
 * that templates that name much come far. */
#include "fuzz_engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Str text = str((const char *)data, size);
    if (!is_text(text)) return -1;
    EngineOptions options = small_limits();
    options.undefined = UNDEFINED_CHAINABLE;
    compile_and_render(&options, text, S(""));
    return 0;
}
